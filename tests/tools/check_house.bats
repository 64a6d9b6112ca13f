# tools/check_house sees what it is there to see: a clean tree passes, and each mistake in it alone is
# told in one line with its place.

setup() {
    check="$BATS_TEST_DIRNAME/../../tools/check_house"
    cd "$BATS_TEST_TMPDIR"
    mkdir -p src/base src/gauss/dense cli tests/base bench docs tools build
    printf '## 1 Start\n\ntext\n\n## 2. Conflicts and weights\n' >docs/THEORY.md
    printf 'See docs/THEORY.md, base/text.c and [the theory](docs/THEORY.md).\n' >README.md
    {
        printf '/*\n * Growing text (THEORY 1; THEORY: Conflicts), used by plan.c and test_*.c; src/base/text.h.\n *\n'
        printf ' *     first    a row of a table that is wide enough to come near to the edge of its page (see\n'
        printf ' *              above), and goes on\n *     second   another\n */\n'
        printf '#include "text.h"\n\n/* ------------------------------------ adding */\n\nint add_text(int a)\n{\n    return a;\n}\n'
    } >src/base/text.c
    printf '/* ------------------------------------ text\n * What may be written, by whom, and when. */\n' >src/base/text.h
    printf 'int plan_dense(void)\n{\n    return 0;\n}\n' >src/gauss/dense/plan.c
    printf 'int main(void)\n{\n    return 0;\n}\n' >cli/main.c
    printf '/* RFC 4180, <stdio.h>:\n * - 3 is a list, and NAME.c any file. */\n' >tests/base/test_text.c
    printf '# text.c\nset(x 1)\n' >src/base/layer.cmake
    cp src/base/layer.cmake src/gauss/layer.cmake
    cp src/base/text.c build/text.c # what is built is not looked at
}

# finds LINE: the tree as it is now has this mistake and no other.
finds() {
    run "$check" .
    [ "$status" = 1 ] && [ "$output" = "$1" ] || { printf 'status %s:\n%s\nexpected:\n%s\n' "$status" "$output" "$1" && return 1; }
}

# passes [OUTPUT]: the tree has none, and this is all that is said.
passes() {
    run "$check" .
    [ "$status" = 0 ] && [ "$output" = "${1:-}" ] || { printf 'status %s:\n%s\n' "$status" "$output" && return 1; }
}

# refused OUTPUT ARGUMENT...: a command line that is not understood.
refused() {
    local say=$1
    shift
    run "$check" "$@"
    [ "$status" = 2 ] && [ "$output" = "$say" ] || { printf 'status %s:\n%s\n' "$status" "$output" && return 1; }
}

# lines COUNT TEXT
lines() {
    for ((k = 0; k < $1; k++)); do printf '%s\n' "$2"; done
}

@test "a clean tree passes in silence, and without a folder the tree is its own" {
    passes
    mkdir -p tools/house include
    cp "$check" tools/check_house
    cp "${check%/*}"/house/*.js tools/house
    touch include/zwang.h docs/CLI.md tools/check_layers
    check=$PWD/tools/check_house
    passes
    printf '/* gone.c */\n' >bench/bench.c
    run "$check"
    [ "$status" = 1 ]
    [ "$output" = "bench/bench.c:1: gone.c: no such file: name what exists, or say it here" ]
}

@test "the command line is read strictly" {
    refused "check_house: usage: check_house [--names] [FOLDER]" . .
    refused "check_house: usage: check_house [--names] [FOLDER]" --name .
    refused "check_house: docs has no folder src" docs
}

@test "a file name exists once, in src, cli, bench and tests" {
    cp src/gauss/dense/plan.c bench/main.c
    finds "cli/main.c:1: main.c exists 2 times (bench/main.c): give each file a name of its own"
    rm bench/main.c
    touch tests/base/numbers.js tests/numbers.js tests/run.bats
    finds "tests/numbers.js:1: numbers.js exists 2 times (tests/base/numbers.js): give each file a name of its own"
    rm tests/numbers.js
    printf '\n' >src/gauss/dense/text.h
    finds "src/gauss/dense/text.h:1: text.h exists 2 times (src/base/text.h): give each file a name of its own"
}

@test "files that comments name exist" {
    printf '/*\n * Used by\n * gone.c alone.\n */\n' >>src/gauss/dense/plan.c
    finds "src/gauss/dense/plan.c:7: gone.c: no such file: name what exists, or say it here"
    printf 'const char *name = "gone.c"; /* plan.c */\n' >src/gauss/dense/plan.c # no comment: a string
    passes
    printf '/* gone_*.c */\n' >bench/bench.c
    finds "bench/bench.c:1: gone_*.c: no such file: name what exists, or say it here"
    printf '/* gauss/plan.c, dense/plan.c, pl*.c */\n' >bench/bench.c
    passes
    printf '/* src/gauss/plan.c */\n' >bench/bench.c # has moved to a shelf
    finds "bench/bench.c:1: src/gauss/plan.c: no such file: name what exists, or say it here"
    printf '/* base/plan.c */\n' >bench/bench.c
    finds "bench/bench.c:1: base/plan.c: no such file: name what exists, or say it here"
}

@test "files that scripts and documents name exist" {
    printf '#!/bin/sh\n# as gone.h says\n: # plan.c\n' >tools/build_all
    finds "tools/build_all:2: gone.h: no such file: name what exists, or say it here"
    printf '// as gone.h says\n' >tools/build.js
    rm tools/build_all
    finds "tools/build.js:1: gone.h: no such file: name what exists, or say it here"
    rm tools/build.js
    printf '\n    printf x %s gone.c\n' '#' >dev
    finds "dev:2: gone.c: no such file: name what exists, or say it here"
    rm dev
    printf 'a\n\n`gone.c` is read\n\n```sh\ncc mine.c\n```\n' >docs/CLI.md
    finds "docs/CLI.md:3: gone.c: no such file: name what exists, or say it here"
    printf 'docs/GONE.md\n' >docs/CLI.md
    finds "docs/CLI.md:1: docs/GONE.md: no such file: name what exists, or say it here"
}

@test "documents and sections that comments name exist" {
    printf '/* One (NUMERICS 3). */\n' >bench/bench.c
    finds "bench/bench.c:1: NUMERICS 3: there is no docs/NUMERICS.md: name what exists, or say it here"
    printf '/* One (THEORY\n * 3). */\n' >bench/bench.c
    finds "bench/bench.c:1: THEORY 3: docs/THEORY.md has no section 3: name what exists, or say it here"
    printf '/* THEORY 2; THEORY: Start */\n/* (THEORY: Motion) */\n' >bench/bench.c
    finds "bench/bench.c:2: THEORY: Motion: docs/THEORY.md has no section that begins so: name what exists, or say it here"
}

@test "rules in comments are whole" {
    printf '\n/* ---------------------------- lane\n * order */\n' >bench/bench.c
    finds "bench/bench.c:2: the title of a rule stands in the next line: write both in one line"
    printf '/* ----------------------------\n * places */\n' >bench/bench.c
    finds "bench/bench.c:1: the title of a rule stands in the next line: write both in one line"
}

@test "tables and drawings in comments are whole" {
    help="indent what belongs to it, leave a blank line before what does not"
    printf '/*\n *     basis     dependent rows, definite M: the same, by rows from which the others\n * follow\n */\n' >bench/bench.c
    finds "bench/bench.c:3: a table or a drawing goes on in the first column: $help"
    printf '/*\n *     a ---> b\n * far  |        |  c\n */\n' >bench/bench.c
    finds "bench/bench.c:3: a table or a drawing goes on in the first column: $help"
    printf '/*\n * part:     one, and\n *           two\n * whole:    all\n */\n' >bench/bench.c
    passes
    printf '/*\n * In order: 1. one; 2. two\n */\n' >bench/bench.c
    finds "bench/bench.c:2: two items of a list in one line: give each its own"
}

@test "formulas in comments are whole" {
    printf '/* the least is det ((m - 1) / m)^(m\n * - 1). */\n' >bench/bench.c
    finds "bench/bench.c:2: a formula is cut at its operator: keep it in one line"
    printf '/* so that u_0 =\n * Y. */\n' >bench/bench.c
    finds "bench/bench.c:2: a formula is cut at its operator: keep it in one line"
}

@test "a shelf is not overfull: a remark first, then a finding" {
    say="about 15 and 4000 are enough: give what belongs together a shelf of its own"
    for k in {1..15}; do touch "src/gauss/dense/part_$k.c"; done
    passes "src/gauss/dense:1: remark: 16 C files and 4 lines on one shelf, $say"
    for k in {16..18}; do touch "src/gauss/dense/part_$k.c"; done
    finds "src/gauss/dense:1: 19 C files and 4 lines on one shelf, $say"
    rm src/gauss/dense/part_*
    for k in {1..7}; do lines 585 "int x;" >"src/gauss/part_$k.h"; done
    passes # headers alone are no shelf
    touch src/gauss/only.c
    passes "src/gauss:1: remark: 1 C files and 4095 lines on one shelf, $say"
    lines 520 "int x;" >src/gauss/only.c
    finds "src/gauss:1: 1 C files and 4615 lines on one shelf, $say"
}

@test "functions and files are not too long" {
    { printf '\nstatic int\nlong_one(int a)\n{\n' && lines 59 '    a++; /* } */' && printf '}\n'; } >src/gauss/dense/plan.c
    finds "src/gauss/dense/plan.c:2: long_one has 63 lines, more than 62: take a step of it out"
    sed -i 5d src/gauss/dense/plan.c
    passes
    lines 701 "int x;" >src/gauss/dense/plan.c
    finds "src/gauss/dense/plan.c:701: 701 lines, more than 700: split the file"
    lines 700 "int x;" >src/gauss/dense/plan.c
    lines 900 "int x;" >tests/base/test_text.c
    passes
    lines 901 "int x;" >tests/base/test_text.c
    finds "tests/base/test_text.c:901: 901 lines, more than 900: split the file"
}

@test "no folder of one machine is named" {
    for folder in root work home/anna; do
        printf 'x\ncd /%s/zwang\n' "$folder" >dev
        end=/
        [ "$folder" = home/anna ] && end=
        finds "dev:2: /$folder$end is a folder of one machine: write a path inside the project"
    done
    printf 'cd framework/%s/x "$HOME/%s/y" HOME=/%s\n' work work root >dev
    passes
}

@test "functions of one word are listed when asked for, and fail nothing" {
    printf 'static int run(void)\n{\n    return 0;\n}\n' | tee src/base/one.c >src/base/two.c
    printf 'static int walk(void)\n{\n    return 0;\n}\n' >>src/base/two.c
    passes
    run "$check" --names .
    [ "$status" = 0 ]
    [ "$output" = "src/base/one.c:1: remark: run is the name of 2 functions: give it a verb and an object
src/base/two.c:1: remark: run is the name of 2 functions: give it a verb and an object" ]
}
