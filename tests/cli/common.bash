# Shared by the tests of the command. ZWANG names the command under test, build/zwang at first.
# Numbers are compared by node: tests/cli/numbers.js holds the few functions for it.
bats_require_minimum_version 1.5.0

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
ZWANG=${ZWANG:-$root/build/zwang}
[ -x "$ZWANG" ] || { echo "no command at $ZWANG: build it, or set ZWANG" >&2 && exit 1; }

# zwang ARGUMENT...: runs the command, keeping $status, $output (standard output) and $stderr.
zwang() {
    run --separate-stderr "$ZWANG" "$@"
}

# solve JSON [ARGUMENT...]: runs `zwang solve` on a text.
solve() {
    printf '%s' "$1" >"$BATS_TEST_TMPDIR/problem.json"
    shift
    zwang solve "$BATS_TEST_TMPDIR/problem.json" "$@"
}

# has_status N: the last run ended with it; on success nothing was said, on failure nothing printed.
has_status() {
    if [ "$status" -ne "$1" ]; then
        printf 'status %s instead of %s\nstdout: %s\nstderr: %s\n' "$status" "$1" "$output" "$stderr"
        return 1
    fi
    if [ "$1" -eq 0 ]; then
        [ -z "$stderr" ] || { printf 'stderr: %s\n' "$stderr" && return 1; }
    else
        [ -n "$stderr" ] || { printf 'no message\n' && return 1; }
        [ -z "$output" ] || { printf 'printed: %s\n' "$output" && return 1; }
    fi
}

# says TEXT...: each is part of what the last run said on standard error.
says() {
    local text
    for text in "$@"; do
        [[ $stderr == *"$text"* ]] || { printf 'not said: %s\nstderr: %s\n' "$text" "$stderr" && return 1; }
    done
}

# holds EXPRESSION...: each is true in JavaScript, `a` being the answer on standard output.
holds() {
    printf '%s' "$output" | node "$here/numbers.js" holds "$@"
}

# completes WORD...: fills COMPREPLY as bash does at the end of these words.
completes() {
    declare -F _zwang >/dev/null || source <("$ZWANG" help --completion bash)
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _zwang
}

# model TEXT: writes $BATS_TEST_TMPDIR/model.zw.
model() {
    printf '%s\n' "$1" >"$BATS_TEST_TMPDIR/model.zw"
}

# has_said N: as has_status, but remarks and warnings on standard error are allowed, and what has
# been printed is not looked at.
has_said() {
    if [ "$status" -ne "$1" ]; then
        printf 'status %s instead of %s\nstdout: %s\nstderr: %s\n' "$status" "$1" "$output" "$stderr"
        return 1
    fi
}

# prints TEXT...: each is part of what the last run printed on standard output.
prints() {
    local text
    for text in "$@"; do
        [[ $output == *"$text"* ]] || { printf 'not printed: %s\nstdout: %s\n' "$text" "$output" && return 1; }
    done
}

# The first model of the language: a bead on a rotating hoop.
hoop='model "Bead on a spinning hoop"
param m = 0.1, g = 9.81, R = 0.25, w = 8
coord r[3]
kinetic    m/2 * dot(r'"'"', r'"'"')
potential  m*g*r[3]
constraint sphere: dot(r, r) = R^2
constraint plane:  -sin(w*t)*r[1] + cos(w*t)*r[2] = 0
start r = [0.1, 0, -sqrt(R^2 - 0.01)]
start r'"'"' = [0, 0.8, 0]
output angle = acos(-r[3]/R)
simulate t = 0..5, tol = 1e-10, every = 0.01'
