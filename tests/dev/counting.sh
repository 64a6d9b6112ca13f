#!/bin/sh
# tools/testing.sh on tests, builds and cases of bats whose results are known: each good one, each
# failing one in each of its ways, and each skipped one is counted once.
# usage: counting.sh SOURCE
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir scratch tests
cat >tests/CTestTestfile.cmake <<'CMAKE'
add_test(good true)
add_test(bad sh -c "echo this is why && exit 3")
add_test(absent sh -c "exit 77")
set_tests_properties(absent PROPERTIES SKIP_RETURN_CODE 77)
add_test(crash sh -c "kill -SEGV $$")
add_test(nowhere ./nowhere/program)
add_test(endless sleep 60)
set_tests_properties(endless PROPERTIES TIMEOUT 1)
CMAKE
cat >cases.bats <<'BATS'
@test "a good case" { true; }
@test "a bad case" { false; }
@test "a skipped case" { skip "no reason"; }
BATS
cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(wrong LANGUAGES C)
add_executable(wrong wrong.c)
CMAKE
echo 'this is not C' >wrong.c

# expect TEXT COMMAND...: the last line of what the commands of testing.sh come to, and the status
expect() {
    wanted=$1
    shift
    (
        scratch=$work/scratch
        . "$source/tools/testing.sh"
        "$@" || true
        finish && echo "status 0" || echo "status 1"
    ) >out 2>&1
    seen=$(tail -n 2 out | tr '\n' ' ')
    [ "$seen" = "$wanted " ] || { cat out && echo "expected: $wanted" && exit 1; }
}
expect "1 passed, 4 failed, 1 skipped status 1" run_tests tests
grep -q '^this is why$' out && grep -q '^    nowhere (tests)$' out
expect "1 passed, 0 failed status 0" run_tests tests -R good
expect "0 passed, 0 failed, 1 skipped status 0" run_tests tests -R absent
expect "0 passed, 1 failed status 1" run_tests tests -R nothing
expect "0 passed, 1 failed status 1" run_tests no_such_folder
expect "1 passed, 0 failed status 0" check name true
expect "0 passed, 1 failed status 1" check name false
expect "0 passed, 1 failed status 1" check_shown name false
expect "0 passed, 0 failed, 1 skipped status 0" skip name "no reason"
expect "1 passed, 1 failed, 1 skipped status 1" run_bats case cases.bats
expect "0 passed, 1 failed status 1" run_bats nothing cases.bats
build_wrong() { make_build built gcc || note_failure build; }
expect "0 passed, 1 failed status 1" build_wrong
grep -q 'wrong.c:1' out
echo 'int main(void) { return 0; }' >wrong.c
expect "0 passed, 0 failed status 0" build_wrong
