# Broken models: every NAME.zw of tests/diag/model (`zwang check`) and of tests/diag/run (`zwang run`), and of
# tests/diag/study (the command in NAME.args) with its exact messages, and every code with a model and a page. NAME.expected holds what
# tests/diag/say says about it; tools/record_diag writes it. NAME.args, where it is there, holds more
# arguments, one a line. Models that are modules of others are named module_*.zw, but for
# rigid.zw, which has the name of a shipped one.
load common

diag=$root/tests/diag
export ZWANG
case $ZWANG in /*) ;; *) ZWANG=$PWD/$ZWANG ;; esac

# without_bdf: this build leaves the method out.
without_bdf() {
    printf "coord x\nkinetic x'^2\n" | "$ZWANG" run - --until 1 --method bdf 2>&1 >/dev/null | grep -q E0818
}

# check_all: all models, in the present locale.
check_all() {
    local failed=0 count=0 file name
    cd "$diag"
    for file in model/*.zw run/*.zw study/*.zw; do
        name=$(basename "$file" .zw)
        case $name in module_* | rigid) continue ;; esac
        if [[ $name == R0714* ]] && without_bdf; then continue; fi
        count=$((count + 1))
        ./say "${file%%/*}" "$name" >"$BATS_TEST_TMPDIR/said"
        if ! diff -u "${file%.zw}.expected" "$BATS_TEST_TMPDIR/said"; then
            echo "^ $file"
            failed=$((failed + 1))
        fi
    done
    [ "$count" -gt 65 ]
    [ "$failed" -eq 0 ]
}

@test "every broken model: exactly the expected messages and status" {
    export LC_ALL=C
    check_all
}

@test "and in another locale" {
    other=$(locale -a 2>/dev/null | grep -ivE '^(C|POSIX)$' | grep -iE 'de|fr|utf' | head -1)
    [ -n "$other" ] || skip "there is no other locale"
    export LC_ALL=$other
    check_all
}

@test "every expected message has its model" {
    cd "$diag"
    for file in model/*.expected run/*.expected study/*.expected; do [ -f "${file%.expected}.zw" ] || { echo "$file" && return 1; }; done
}

@test "every code of docs/messages for models has a broken model" {
    exceptions="
        E0037 the command refuses files of more than 1 GiB itself, by E0812
        E0108 about --set, not about a model: model_usage.bats
        E0109 likewise
        E0121 about --input: model_usage.bats
        E0751 about calls from C: test_inputs.c, test_calls.c
        E0752 likewise
        E0753 likewise
        E0754 likewise
        E0755 likewise
        E0780 likewise
        E0761 about options of sweeps: sweep.bats
        E0762 likewise
        E0763 likewise
        E0764 likewise
        E0765 likewise
        E0766 likewise
        E0335 about arrays that a program gives: tests/engine/run/test_data_runs.c
        E0115 only zw_sim_set_parameters refuses structural parameters; --set makes another model
        E0791 about exports: export.bats
        E0792 likewise
        E0793 likewise
        E0794 likewise
        E0795 likewise
        W0716 about the processor and the system: kernel.bats
        E0816 says when it was reached, which differs: run_early.bats
        E0817 about a signal: run_early.bats
        E0818 about the build: run.bats"
    codes=$(grep -hoE '^## [EWR]0([0-7][0-9]|81[5-9])[0-9]*' "$root"/docs/messages/*.md | cut -c4-)
    [ -n "$codes" ]
    missing=""
    for code in $codes; do
        [[ $exceptions == *"$code"* ]] && continue
        grep -q "\[$code\]" "$diag"/*/*.expected || missing="$missing $code"
    done
    [ -z "$missing" ] || { echo "without a broken model:$missing" && return 1; }
}

@test "every code in the sources has a section in docs/messages" {
    missing=""
    for code in $(grep -rhoE '"[EWR]0[0-9]{3}"' "$root/src" --include='*.[ch]' | tr -d '"' | sort -u); do
        grep -q "^## $code " "$root"/docs/messages/*.md || missing="$missing $code"
    done
    [ -z "$missing" ] || { echo "without a section:$missing" && return 1; }
}
