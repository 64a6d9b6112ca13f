/*
 * Where statements end: ends of lines, semicolons, braces, comments; what makes a line go on.
 */
#include "tree_dump.h"

static void statements_end(void **state)
{
    (void)state;
    check_tree("", "");
    check_tree("\n\n# nothing\n;;\n", "");
    check_tree("coord x; coord y;\ncoord z", "(coord x)\n(coord y)\n(coord z)");
    check_tree("coord x # one; coord y\r\ncoord z\r\n", "(coord x)\n(coord z)");
    check_tree("if a > b { coord x }", "(if (> a b) {(coord x)})");
}

static void lines_go_on(void **state)
{
    (void)state;
    static const char *const before[] = {"+", "-", "*", "/", "^"};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        char text[64], tree[64];
        snprintf(text, sizeof text, "potential a %s  # more\n\n  b\ncoord x", before[i]);
        snprintf(tree, sizeof tree, "(potential (%s a b))\n(coord x)", before[i]);
        check_tree(text, tree);
    }
    check_tree("param a =\n1,\nb = 2", "(param (a 1) (b 2))");
    check_tree("when a <\nb and\nnot\nc > d or\ne ==\nf:\nstop",
               "(when (or (and (< a b) (not (> c d))) (== e f)) stop)");
    check_tree("for i in 1..\nN { }", "(for i 1 N {})");
    check_tree("constraint c:\nx =\n1", "(constr c x 1)");
    check_tree("potential f(a\n, b\n)[1\n]\n", "(potential (at (f a b) 1))");
    check_tree("potential (a\n+ b\n- c)", "(potential (- (+ a b) c))");
    check_tree("let v = [1,\n\n2 # two\n, 3]", "(let (v [1 2 3]))");
}

static void primes_and_braces_do_not_go_on(void **state)
{
    (void)state;
    check_tree("potential x'\ncoord y", "(potential (' x))\n(coord y)");
    check_tree("for i in 1..2 {\ncoord x\n}\ncoord y", "(for i 1 2 {(coord x)})\n(coord y)");
    check_codes("param a\n= 1", "1:8+0 E0014 2:1+1 E0009");
}

static void lines_that_begin_with_an_operator(void **state)
{
    (void)state;
    static const char *const signs[] = {
        "+", "*", "/", "^", "<", "<=", ">", ">=", "==", "!=", "=", ",", ":", "..", "and", "or"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        char text[64], codes[64];
        snprintf(text, sizeof text, "potential a\n  %s b\ncoord x", signs[i]);
        snprintf(codes, sizeof codes, "2:3+%d E0009", (int)strlen(signs[i]));
        check_codes(text, codes);
    }
    check_codes("potential a\n- b", "2:1+1 E0008");
    reading r;
    read_string(&r, "potential a\n  + b");
    assert_string_equal(dump_messages(&r),
                        "m.zw:2:3: error[E0009]: a line cannot begin with '+'\n"
                        "      + b\n"
                        "      ^\n"
                        "    help: to go on with the line before, end that line with the "
                        "operator, or put the whole in brackets\n");
    assert_string_equal(dump(&r), "(potential a)");
    reading_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements_end),
        cmocka_unit_test(lines_go_on),
        cmocka_unit_test(primes_and_braces_do_not_go_on),
        cmocka_unit_test(lines_that_begin_with_an_operator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
