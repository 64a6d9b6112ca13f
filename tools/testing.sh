# Counting and showing, for ./dev: every check that runs is one line (what it came to, its name, the
# seconds it took), and the last line of all is the counts. Sourced, not run. It needs a folder
# $scratch for what is said on the way, and knows nothing of what is tested.

passed=0 failed=0 skipped=0 failures=""
jobs=$(nproc 2>/dev/null || echo 2)

say() { printf '%s\n' "== $*"; }
now() { date +%s; }

# One line for a check. line STATE NAME SECONDS
line() { printf '%-8s%-60s %s s\n' "$1" "$2" "$3"; }

# note_failure NAME: counted, and named again at the end.
note_failure() {
    failed=$((failed + 1))
    failures="$failures
    $1"
}

# check NAME COMMAND...: one check, which shows what it said if it fails.
check() {
    name=$1 begun=$(now)
    shift
    if "$@" >"$scratch/out" 2>&1; then
        passed=$((passed + 1))
        line ok "$name" $(($(now) - begun))
    else
        note_failure "$name"
        line FAILED "$name" $(($(now) - begun))
        cat "$scratch/out"
    fi
}

# check_shown NAME COMMAND...: the same for what takes longer and shows by itself how far it is.
check_shown() {
    name=$1 begun=$(now)
    shift
    if "$@"; then
        passed=$((passed + 1))
        line ok "$name" $(($(now) - begun))
    else
        note_failure "$name"
        line FAILED "$name" $(($(now) - begun))
    fi
}

# skip NAME WHY: something that could not be tried.
skip() {
    skipped=$((skipped + 1))
    printf '%-8s%s: %s\n' skipped "$1" "$2"
}

# finish: the counts; true if nothing failed.
finish() {
    [ -z "$failures" ] || printf '\nfailed:%s\n' "$failures"
    printf '\n%s passed, %s failed' "$passed" "$failed"
    [ "$skipped" = 0 ] || printf ', %s skipped' "$skipped"
    printf '\n'
    [ "$failed" = 0 ]
}

# ------------------------------------------------------------------------ builds

# Of ninja's lines one for each tenth of the way.
show_build() {
    shown=0 begun=$(now)
    while IFS= read -r text; do
        case $text in
        "["*/*"] "*) ;;
        *) continue ;;
        esac
        done=${text#?} all=${text#*/}
        done=${done%%/*} all=${all%%]*}
        [ $((10 * done / all)) -gt "$shown" ] || continue
        shown=$((10 * done / all))
        printf '        %s of %s, %s s\n' "$done" "$all" $(($(now) - begun))
    done
}

# make_build FOLDER COMPILER [cmake options]: configures and builds; shows all that was said if
# that fails.
make_build() {
    folder=$1 compiler=$2
    shift 2
    log=$folder.log
    if CC=$compiler cmake -G Ninja -S . -B "$folder" "$@" >"$log" 2>&1 && build_targets "$folder"; then
        rm -f "$log"
    else
        grep -v '^\[[0-9]*/[0-9]*\] ' "$log" || true
        rm -f "$log"
        return 1
    fi
}

# build_targets FOLDER: what make_build does once FOLDER is configured.
build_targets() {
    rm -f "$1/.built"
    { ninja -C "$1" -j "$jobs" 2>&1 && : >"$1/.built"; } | tee "$1.log" | show_build
    [ -e "$1/.built" ] && rm -f "$1/.built"
}

# ------------------------------------------------------------------------- tests

# Of ctest's lines one for each test as it ends, and what a failing one said. Leaves in
# $scratch/counts how many passed, failed and were skipped, in $scratch/failed the names.
show_tests() {
    good=0 bad=0 left=0 showing=no
    : >"$scratch/failed"
    while IFS= read -r text; do
        case $text in
        *" Test "*"#"*": "*" sec") ;;
        *"    Start "*) showing=no && continue ;;
        *) [ $showing = no ] || printf '%s\n' "$text" && continue ;;
        esac
        seconds=${text% sec} name=${text#*#*: } showing=no
        seconds=${seconds##* } name=${name%% *}
        case $text in
        *"   Passed "*) good=$((good + 1)) && line ok "$name" "$seconds" ;;
        *"***Skipped "*) left=$((left + 1)) && line skipped "$name" "$seconds" ;;
        *)
            bad=$((bad + 1)) showing=yes
            line FAILED "$name" "$seconds"
            echo "$name" >>"$scratch/failed"
            ;;
        esac
    done
    echo "$good $bad $left" >"$scratch/counts"
}

# run_tests FOLDER [ctest options]: the tests of a build, each counted. That ctest ends well without
# having run any is a failure, too.
run_tests() {
    folder=$1
    shift
    rm -f "$scratch/well"
    { ctest --test-dir "$folder" --output-on-failure -j "$jobs" "$@" 2>&1 && : >"$scratch/well"; } |
        tee "$scratch/ctest" | show_tests
    read -r good bad left <"$scratch/counts"
    passed=$((passed + good)) skipped=$((skipped + left))
    while IFS= read -r name; do note_failure "$name ($folder)"; done <"$scratch/failed"
    if [ "$bad" = 0 ] && { [ ! -e "$scratch/well" ] || [ $((good + left)) = 0 ]; }; then
        note_failure "ctest ($folder)"
        tail -n 20 "$scratch/ctest"
    fi
}

# list_tests FOLDER [ctest options]: their names.
list_tests() {
    folder=$1
    shift
    ctest --test-dir "$folder" -N "$@" 2>/dev/null | sed -n 's/^ *Test *#[0-9]*: //p'
}

# Of bats's lines (tap) one for each test, as show_tests does.
show_bats() {
    good=0 bad=0 left=0
    : >"$scratch/failed"
    while IFS= read -r text; do
        name=${text#*ok [0-9]* }
        case $text in
        "ok "*" # skip"*) left=$((left + 1)) && printf '%-8s%s\n' skipped "$name" ;;
        "ok "*) good=$((good + 1)) && printf '%-8s%s\n' ok "$name" ;;
        "not ok "*)
            bad=$((bad + 1))
            printf '%-8s%s\n' FAILED "$name"
            echo "$name" >>"$scratch/failed"
            ;;
        "1.."*) ;;
        *) printf '%s\n' "$text" ;;
        esac
    done
    echo "$good $bad $left" >"$scratch/counts"
}

# run_bats NAME FILE...: the tests in files of bats whose names match.
run_bats() {
    pattern=$1
    shift
    bats --tap --filter "$pattern" "$@" 2>&1 | show_bats
    read -r good bad left <"$scratch/counts"
    passed=$((passed + good)) skipped=$((skipped + left))
    while IFS= read -r name; do note_failure "$name"; done <"$scratch/failed"
    [ "$((good + bad + left))" != 0 ] || note_failure "bats, of $*"
}
