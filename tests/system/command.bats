# Models through the command: good ones are quiet, spoiled ones name the culprit in the first line.
# The full set of mutations is test_mutations.c; here is what a person sees.
bats_require_minimum_version 1.5.0

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    models=$root/tests/models
    ZWANG=${ZWANG:-$root/build/zwang}
}

# spoil MODEL SED-SCRIPT...: a copy with the script applied, checked by the command.
spoil() {
    local model=$1
    shift
    sed "$@" "$models/$model.zw" >"$BATS_TEST_TMPDIR/$model.zw"
    cmp -s "$models/$model.zw" "$BATS_TEST_TMPDIR/$model.zw" && { echo "nothing was changed" && return 1; }
    run --separate-stderr "$ZWANG" check "$BATS_TEST_TMPDIR/$model.zw"
}

# names WORD...: each stands in the first line on standard error, after FILE:LINE:COLUMN.
names() {
    local first=${stderr%%$'\n'*} word
    first=${first#*"$BATS_TEST_TMPDIR"/*.zw}
    for word in "$@"; do
        [[ $first == *"$word"* ]] || { printf 'not named: %s\nfirst line: %s\n' "$word" "$first" && return 1; }
    done
}

@test "good models are quiet" {
    for model in pendulum fourbar caraxis rolling_disc sleigh andrews two_balls top_quaternion; do
        run --separate-stderr "$ZWANG" check "$models/$model.zw"
        [ "$status" -eq 0 ] && [ -z "$stderr" ] && [ -n "$output" ] ||
            { printf '%s: status %s\n%s\n' "$model" "$status" "$stderr" && return 1; }
    done
}

@test "a misspelled name" {
    spoil pendulum "s/m\*g\*y/m*g*yy/"
    [ "$status" -eq 1 ]
    names "error[E" "yy"
    [[ ${stderr%%$'\n'*} == *"pendulum.zw:14:"* ]]
    [[ $stderr == *"^"* ]]
}

@test "a coordinate that nothing determines" {
    spoil knife_edge "s/ + J\/2\*φ'^2$//"
    [ "$status" -eq 1 ]
    names "φ"
}

@test "a repeated constraint is redundant, not an error" {
    spoil pendulum "s/^constraint bar: \(.*\)/&\nconstraint again: \1/"
    [ "$status" -eq 0 ]
    [[ $output$stderr == *redundant* ]]
    [[ $output$stderr == *again* ]]
}

@test "a contradicting constraint is a conflict" {
    spoil pendulum "s/^constraint bar: \(.*\)/&\nconstraint other: \1 + 1/"
    [ "$status" -eq 1 ]
    names "other"
    [[ $output$stderr == *conflict* ]]
}

@test "a start that cannot be" {
    spoil pendulum "s/^start x = -length/start x = -2*length fixed/"
    [ "$status" -eq 1 ]
    [[ ${stderr%%$'\n'*} == *bar* || ${stderr%%$'\n'*} == *" x "* || ${stderr%%$'\n'*} == *"'x'"* ]]
}

@test "a start that is moved is shown, given and corrected" {
    spoil pendulum "s/^start x = -length/start x = -2*length/"
    [ "$status" -eq 0 ]
    [[ $output$stderr == *-2* && $output$stderr == *-1* ]]
}

@test "redundant rows are named" {
    run --separate-stderr "$ZWANG" check --json "$models/sphere.zw"
    [ "$status" -eq 0 ]
    printf '%s' "$output" | node -e '
        const a = JSON.parse(require("fs").readFileSync(0, "utf8"));
        if (a.n !== 3 || a.m !== 3 || a.rank !== 1 || a.dof !== 2) throw new Error(JSON.stringify(a));
        if (!JSON.stringify(a.redundant).includes("triple")) throw new Error("triple");'
}

@test "the rank of Bricard's mechanism" {
    run --separate-stderr "$ZWANG" check --json "$models/bricard.zw"
    [ "$status" -eq 0 ]
    printf '%s' "$output" | node -e '
        const a = JSON.parse(require("fs").readFileSync(0, "utf8"));
        if (a.n !== 24 || a.m !== 24 || a.rank !== 23 || a.dof !== 1) throw new Error(JSON.stringify(a).slice(0, 300));'
}
