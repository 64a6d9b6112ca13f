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
