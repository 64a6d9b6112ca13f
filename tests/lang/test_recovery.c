/*
 * Many mistakes in one go: each is reported once, and what stands around them is read.
 */
#include "tree_dump.h"

static void check_both(const char *text, const char *codes, const char *tree)
{
    reading r;
    read_string(&r, text);
    assert_string_equal(dump_codes(&r), codes);
    assert_string_equal(dump(&r), tree);
    reading_free(&r);
}

static void an_error_ends_with_its_statement(void **state)
{
    (void)state;
    check_both("param a = 1 + * 2 + ) ] $ \"\ncoord x\nparam b = ; coord y\npotential (1 + \n"
               "coord z",
               "1:15+1 E0015 3:11+1 E0015 4:11+1 E0010", "(coord x)\n(coord y)\n(coord z)");
    check_both("param a = (1 + * 2\n  + 3)\ncoord x", "1:16+1 E0015", "(coord x)");
    check_both("param a = (1 + ; 2)\ncoord x", "1:16+1 E0015", "(coord x)");
    check_both("param a = 1 +\n\nparam b = 2,\ncoord x", "1:13+1 E0015 3:12+1 E0014", "(coord x)");
}

static void blocks_are_read_after_an_error_in_their_header(void **state)
{
    (void)state;
    check_both("for i in 1,2 {\n  coord $\n  param a = 1 2\n}\ncoord y",
               "1:11+1 E0014 2:9+1 E0001 3:15+1 E0016", "(coord y)");
    check_both("fro i in 1..2 {\n  coord x x\n}\ncoord y", "1:1+3 E0008 2:11+1 E0016", "(coord y)");
    check_both("if N > {\n coord x x\n} else {\n coord y y\n}\ncoord z",
               "1:8+1 E0015 2:10+1 E0016 4:10+1 E0016", "(coord z)");
    check_both("fi N > 2 {\n coord x\n}\nelse {\n coord y\n}\ncoord z", "1:1+2 E0008", "(coord z)");
    check_both("component A(b, {\n coord x\n}\ncoord z", "1:12+1 E0010", "(coord z)");
    check_both("while x < 1 {\n  what $ is this\n}\ncoord y", "1:1+5 E0008", "(coord y)");
}

static void errors_inside_blocks_leave_the_block(void **state)
{
    (void)state;
    check_both("for i in 1..2 {\n  param a = (\n  coord x\n  param b = (}\ncoord y",
               "2:13+1 E0010 4:13+1 E0010", "(for i 1 2 {(coord x)})\n(coord y)");
    check_both("if a > b { potential ] } else { coord x; nonsense }\ncoord y",
               "1:22+1 E0015 1:42+8 E0008", "(if (> a b) {} {(coord x)})\n(coord y)");
}

static void what_can_be_understood_is_read_on(void **state)
{
    (void)state;
    check_both("potential x\xe2\x80\xb2 \xe2\x88\x92 1.", "1:12+1 E0002 1:14+1 E0002 1:16+2 E0005",
               "(potential (- (' x) 0))");
    check_both("when a = b: stop", "1:8+1 E0022", "(when (== a b) stop)");
    check_both("constraint c: x == 1", "1:17+2 E0023", "(constr c x 1)");
    check_both("start x + y = 1", "1:7+5 E0030", "(start (= (+ x y) 1))");
}

/* More errors than the list keeps: counted, and the text is still read to its end. */
static void very_many_errors(void **state)
{
    (void)state;
    enum { LINES = 3000 };
    static char text[LINES * 16];
    size_t length = 0;
    for (int i = 0; i < LINES; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "param a = $\n");
    reading r;
    read_string(&r, text);
    assert_int_equal(r.unit.error_count, LINES);
    assert_int_equal(zb_diag_count(&r.diagnostics), ZB_DIAG_LIMIT);
    assert_int_equal(zb_diag_errors(&r.diagnostics), LINES);
    reading_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_ends_with_its_statement),
        cmocka_unit_test(blocks_are_read_after_an_error_in_their_header),
        cmocka_unit_test(errors_inside_blocks_leave_the_block),
        cmocka_unit_test(what_can_be_understood_is_read_on),
        cmocka_unit_test(very_many_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
