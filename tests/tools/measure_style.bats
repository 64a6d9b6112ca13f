# tools/measure_style counts what it says it counts, on a small tree of which everything is known.

setup() {
    measure="$BATS_TEST_DIRNAME/../../tools/measure_style"
    cd "$BATS_TEST_TMPDIR"
    mkdir -p old/src/base old/src/gauss/dense old/cli old/tests old/docs
    cat >old/src/base/text.c <<'C'
/* Text (NUMERICS 1). */
#include "text.h"
#include "number.h"

#define TWICE(x)       \
    static int x(void) \
    {                  \
        return 2;      \
    }

/* "{" in a string, '{' as a sign and { in a comment are no braces. */
static int start(const char *text)
{
    if (text[0] == '{')
        for (int i = 0; i < 3; i++)
            while (text[i] != "}{"[0]) i++; // {
    else if (text[1] == '\'') {
        do {
            text++;
        } while (*text);
    }
    return 0;
}

#if defined(A)
static int choose(int a) {
#else
static int choose(int b) {
#endif
    switch (1) {
    case 1: return 0;
    default: return 1;
    }
}
C
    cat >old/src/base/text.h <<'C'
typedef struct text {
    char *data, *end;
    int (*grow)(struct text *, int, int);
    struct { int first, last; } range;
    unsigned kind : 3;
    int table[2], many;
} text;
enum kind { one, two };
struct other { int a; };
C
    printf '#include "text.h"\nstatic inline int start(void)\n{\n    return 0;\n}\n' >old/src/base/number.h
    printf '#include "number.h"\nstatic const int table[] = {1, 2};\n' >old/src/base/number.c
    printf '#include "base.h"\nint plan(void) { return 0; }\n' >old/src/gauss/dense/plan.c
    printf '#include "zwang.h"\nint main(void)\n{\n    return 0;\n}\n' >old/cli/text.c
    cp old/cli/text.c old/tests/number.c
    cp -r old new
    rm new/tests/number.c
    sed -i 's/start(const/start_text(const/; s/ (NUMERICS 1)//' new/src/base/text.c
}

# has PATH VALUE: what --json has written there into m.json.
has() {
    local value
    value=$(node -e 'const m = JSON.parse(fs.readFileSync("m.json")); console.log(JSON.stringify(eval("m" + process.argv[1])))' "$1")
    [ "$value" = "$2" ] || { printf '%s is %s, not %s\n' "$1" "$value" "$2" && return 1; }
}

@test "lengths, nesting, names, comments, cycles and fields of a small tree" {
    "$measure" --json old >m.json
    has '.whole.functions' 5
    has '.shelves["src/base"].functions' 3
    has '.shelves["src/base"].longest' 12
    has '.shelves["src/base"].cFiles + m.shelves["src/base"].headers' 4
    has '.shelves["src/base"].lines' 50
    has '.shelves["src/gauss/dense"].median' 1
    has '.whole.nesting' 1
    has '.whole.namesakes' 40
    has '.shelves["src/base"].bareLong' 1
    has '.shelves["cli"].bare' 100
    has '.fileNamesakes' '{"text.c":2,"number.c":2}'
    has '.sourceNamesakes' 1
    has '.moduleCycles' '[["src/base/number","src/base/text"]]'
    has '.headerCycles' '[]'
    has '.largest' '[{"name":"text","file":"src/base/text.h","fields":8},{"name":"other","file":"src/base/text.h","fields":1}]'
    has '.dangling' 1
    has '.garbled' 0
}

@test "two trees side by side" {
    run "$measure" --against old new
    [ "$status" = 0 ]
    [[ $output == *"| functions with a namesake, % | 40 | 0 |"* ]]
    [[ $output == *"| dangling references | 1 | 0 |"* ]]
    [[ $output == *"| the same with bench and tests | 2 | 1 |"* ]]
    [[ $output == *"| 1 | text 8 | text 8 |"* ]]
    run "$measure" old
    [ "$status" = 0 ]
    [[ $output == *"- src/base/number, src/base/text"* ]]
}

@test "nesting counts statements, with braces or without" {
    cat >old/src/gauss/dense/plan.c <<'C'
int plan(int a)
{
    EACH(a) {
        if (a) {
            a = 1;
        } else if (a == 2)
            for (;;) {
                switch (a) {
                case 3: {
                    a = (struct x){.b = 2}.b;
                }
                }
            }
        else
            a = 3;
    }
    return a;
}
C
    "$measure" --json old >m.json
    has '.shelves["src/gauss/dense"].nesting' 4
}

@test "shelves that include each other are a cycle" {
    mkdir -p old/src/gauss/sparse
    printf '#include "factor.h"\n' >old/src/gauss/dense/solve.h
    printf '#include "solve.h"\n' >old/src/gauss/sparse/factor.c
    touch old/src/gauss/sparse/factor.h
    "$measure" --json old >m.json
    has '.shelfCycles' '[["src/gauss/dense","src/gauss/sparse"]]'
    has '.moduleCycles.length' 2
}

@test "the command line is read strictly" {
    run "$measure" --against
    [ "$status" = 2 ]
    run "$measure" old new
    [ "$status" = 2 ]
    run "$measure" old/docs
    [ "$status" = 2 ]
    [ "$output" = "measure_style: old/docs has no folder src" ]
}
