/*
 * Printing: brackets exactly where they are needed, in text, LaTeX and C; definitions of what is
 * shared; cutting long expressions.
 */
#include "expr_helpers.h"

static void write_name(void *user, const zx_item *leaf, zx_form form, zb_text *text)
{
    static const char *const names[] = {"x", "y", "z", "w"};
    (void)user;
    bool rate = leaf->op == ZX_VELOCITY;
    if (rate && form == ZX_LATEX) zb_text_add(text, "\\dot ");
    if (leaf->op == ZX_VALUE)
        zb_text_char(text, 'k');
    else
        zb_text_add(text, names[leaf->a % 4]);
    if (rate && form == ZX_TEXT) zb_text_char(text, '\'');
    if (rate && form == ZX_C) zb_text_add(text, "_rate");
}

static void assert_printed(zx_pool *p, zx_node node, zx_form form, const char *expected, int line)
{
    zb_text text;
    zb_text_init(&text, p->memory);
    zx_print(p, node, form, write_name, NULL, 0, &text);
    if (strcmp(zb_text_string(&text), expected) != 0)
        fail_msg("line %d: %s instead of %s", line, zb_text_string(&text), expected);
    zb_text_free(&text);
}

#define TEXT(node, expected) assert_printed(p, (node), ZX_TEXT, (expected), __LINE__)
#define LATEX(node, expected) assert_printed(p, (node), ZX_LATEX, (expected), __LINE__)
#define C(node, expected) assert_printed(p, (node), ZX_C, (expected), __LINE__)
#define B(op, a, b) zx_binary(p, (op), (a), (b))
#define NAMES zx_node x = q_(p, 0), y = q_(p, 1), z = q_(p, 2)

POOL_TEST(text_of_arithmetic, false)
{
    zx_pool *p = &b->pool;
    NAMES;
    TEXT(add(p, add(p, x, y), z), "x + y + z");
    TEXT(add(p, x, add(p, y, z)), "x + (y + z)");
    TEXT(sub(p, x, sub(p, y, z)), "x - (y - z)");
    TEXT(sub(p, sub(p, x, y), z), "x - y - z");
    TEXT(mul(p, x, add(p, y, z)), "x*(y + z)");
    TEXT(mul(p, x, mul(p, y, z)), "x*(y*z)");
    TEXT(quo(p, x, mul(p, y, z)), "x/(y*z)");
    TEXT(quo(p, mul(p, x, y), z), "x*y/z");
    TEXT(mul(p, quo(p, x, y), z), "x/y*z");
    TEXT(quo(p, x, quo(p, y, z)), "x/(y/z)");
    TEXT(mul(p, quo(p, x, num(p, 2)), y), "x/2*y");
    TEXT(mul(p, num(p, 0.5), x), "0.5*x");
    TEXT(neg(p, x), "-x");
    TEXT(neg(p, mul(p, x, y)), "-x*y");
    TEXT(neg(p, add(p, x, y)), "-(x + y)");
    TEXT(neg(p, zx_power(p, x, 2)), "-x^2");
    TEXT(add(p, neg(p, x), y), "-x + y");
    TEXT(sub(p, x, mul(p, num(p, 2), y)), "x - 2*y");
    TEXT(add(p, x, zx_bound(p, -2)), "x + (-2)");
    TEXT(mul(p, zx_bound(p, -2), x), "(-2)*x");
    TEXT(mul(p, num(p, -2), x), "-2*x");
    TEXT(num(p, -2), "-2");
    TEXT(zx_leaf(p, ZX_TIME, 0), "t");
    TEXT(v_(p, 1), "y'");
    TEXT(zx_power(p, v_(p, 1), 2), "y'^2");
}

POOL_TEST(text_of_powers, false)
{
    zx_pool *p = &b->pool;
    NAMES;
    zx_node power = B(ZX_POW, y, z);
    TEXT(zx_power(p, x, -2), "x^-2");
    TEXT(zx_power(p, add(p, x, y), 2), "(x + y)^2");
    TEXT(zx_power(p, mul(p, x, y), 2), "(x*y)^2");
    TEXT(zx_power(p, fun(p, ZX_SIN, x), 2), "sin(x)^2");
    TEXT(B(ZX_POW, x, power), "x^y^z");
    TEXT(B(ZX_POW, power, x), "(y^z)^x");
    TEXT(B(ZX_POW, x, neg(p, y)), "x^(-y)");
    TEXT(B(ZX_POW, x, mul(p, y, z)), "x^(y*z)");
    TEXT(B(ZX_POW, x, num(p, -0.3)), "x^(-0.3)");
    TEXT(B(ZX_POW, num(p, 2), x), "2^x");
    TEXT(B(ZX_POW, zx_bound(p, -2), x), "(-2)^x");
    TEXT(mul(p, zx_power(p, x, 2), power), "x^2*y^z");
    TEXT(zx_power(p, power, 2), "(y^z)^2");
}

POOL_TEST(text_of_functions_and_conditions, false)
{
    zx_pool *p = &b->pool;
    NAMES;
    zx_node less = B(ZX_LT, x, y), same = B(ZX_EQ, y, z), most = B(ZX_LE, x, z);
    TEXT(fun(p, ZX_SIN, add(p, x, y)), "sin(x + y)");
    TEXT(B(ZX_ATAN2, y, neg(p, x)), "atan2(y, -x)");
    TEXT(B(ZX_MIN, x, B(ZX_MAX, y, z)), "min(x, max(y, z))");
    TEXT(less, "x < y");
    TEXT(B(ZX_LT, add(p, x, y), neg(p, z)), "x + y < -z");
    TEXT(B(ZX_NE, less, z), "(x < y) != z");
    TEXT(B(ZX_AND, less, same), "x < y and y == z");
    TEXT(B(ZX_OR, B(ZX_AND, less, same), most), "x < y and y == z or x <= z");
    TEXT(B(ZX_AND, B(ZX_OR, less, same), most), "(x < y or y == z) and x <= z");
    TEXT(B(ZX_AND, less, B(ZX_AND, same, most)), "x < y and (y == z and x <= z)");
    TEXT(fun(p, ZX_NOT, less), "not x < y");
    TEXT(fun(p, ZX_NOT, B(ZX_OR, less, same)), "not (x < y or y == z)");
    TEXT(zx_select(p, less, add(p, x, y), neg(p, z)), "if(x < y, x + y, -z)");
    TEXT(mul(p, zx_select(p, less, x, y), z), "if(x < y, x, y)*z");
    TEXT(mul(p, less, z), "(x < y)*z");
    TEXT(num(p, 0.1), "0.1");
    TEXT(num(p, 1e-9), "1e-09");
}

POOL_TEST(latex, false)
{
    zx_pool *p = &b->pool;
    NAMES;
    zx_node sine = fun(p, ZX_SIN, x), sum = add(p, x, y);
    LATEX(mul(p, x, mul(p, y, z)), "x \\, y \\, z");
    LATEX(mul(p, num(p, 2), x), "2 \\, x");
    LATEX(mul(p, x, num(p, 3)), "x \\cdot 3");
    LATEX(mul(p, zx_bound(p, 2), mul(p, num(p, 3), x)), "2 \\cdot 3 \\, x");
    LATEX(mul(p, x, sum), "x \\, \\left(x + y\\right)");
    LATEX(quo(p, sum, mul(p, y, z)), "\\frac{x + y}{y \\, z}");
    LATEX(mul(p, quo(p, z, num(p, 2)), x), "\\frac{z}{2} \\, x");
    LATEX(mul(p, num(p, 0.5), x), "\\frac{1}{2} \\, x");
    LATEX(sub(p, x, sub(p, y, z)), "x - \\left(y - z\\right)");
    LATEX(add(p, x, add(p, y, z)), "x + y + z");
    LATEX(neg(p, sum), "-\\left(x + y\\right)");
    LATEX(neg(p, quo(p, x, y)), "-\\frac{x}{y}");
    LATEX(zx_power(p, v_(p, 0), 2), "{\\dot x}^{2}");
    LATEX(zx_power(p, sum, -2), "{\\left(x + y\\right)}^{-2}");
    LATEX(zx_power(p, quo(p, x, y), 2), "{\\left(\\frac{x}{y}\\right)}^{2}");
    LATEX(B(ZX_POW, x, neg(p, y)), "{x}^{-y}");
    LATEX(sine, "\\sin x");
    LATEX(fun(p, ZX_COS, sum), "\\cos\\left(x + y\\right)");
    LATEX(zx_power(p, sine, 2), "\\sin^{2} x");
    LATEX(zx_power(p, fun(p, ZX_COS, sum), 3), "\\cos^{3}\\left(x + y\\right)");
    LATEX(mul(p, sine, y), "\\sin x \\, y");
    LATEX(fun(p, ZX_SQRT, sum), "\\sqrt{x + y}");
    LATEX(zx_power(p, fun(p, ZX_SQRT, x), 2), "{\\sqrt{x}}^{2}");
    LATEX(fun(p, ZX_EXP, neg(p, x)), "e^{-x}");
    LATEX(zx_power(p, fun(p, ZX_EXP, x), 2), "{\\left(e^{x}\\right)}^{2}");
    LATEX(fun(p, ZX_LOG, x), "\\ln x");
    LATEX(fun(p, ZX_ABS, sum), "\\left|x + y\\right|");
    LATEX(zx_select(p, B(ZX_LE, x, y), x, z),
          "\\begin{cases} x & \\text{if } x \\le y \\\\ z & \\text{otherwise} \\end{cases}");
    LATEX(num(p, 1.5e-9), "1.5 \\cdot 10^{-9}");
    LATEX(num(p, -1e30), "-10^{30}");
    LATEX(zx_power(p, zx_bound(p, 1e-200), -9), "{\\left(10^{-200}\\right)}^{-9}");
}

POOL_TEST(c, false)
{
    zx_pool *p = &b->pool;
    NAMES;
    zx_node less = B(ZX_LT, x, y);
    C(quo(p, num(p, 1), x), "1.0/x");
    C(zx_power(p, x, 2), "x*x");
    C(quo(p, y, zx_power(p, x, 2)), "y/(x*x)");
    C(zx_power(p, add(p, x, y), 3), "pow(x + y, 3)");
    C(fun(p, ZX_ABS, x), "fabs(x)");
    C(fun(p, ZX_SIGN, x), "(double)((x > 0.0) - (x < 0.0))");
    C(zx_select(p, less, x, y), "x < y ? x : y");
    C(zx_select(p, z, x, y), "z != 0.0 ? x : y");
    C(mul(p, zx_select(p, less, x, y), z), "(x < y ? x : y)*z");
    C(quo(p, less, B(ZX_LT, y, z)), "(double)(x < y)/(y < z)");
    C(B(ZX_OR, B(ZX_AND, less, z), fun(p, ZX_NOT, x)), "(x < y && z) || !x");
    C(num(p, 0.1), "0.1");
    C(num(p, 1e30), "1e+30");
    C(neg(p, zx_bound(p, 3)), "-3.0");
}

/* ------------------------------------------------------ limits and sharing */

POOL_TEST(long_expressions_are_cut, false)
{
    zx_pool *p = &b->pool;
    zx_node sum = q_(p, 0);
    for (int k = 0; k < 100; k++) sum = mul(p, fun(p, ZX_SIN, sum), add(p, sum, q_(p, 1)));
    zb_text text; /* as a tree it has 2^100 leaves */
    zb_text_init(&text, p->memory);
    zx_print(p, sum, ZX_TEXT, write_name, NULL, 5, &text);
    assert_string_equal(zb_text_string(&text), "sin(sin(...*...)*...)*...");
    zb_text_clear(&text);
    zx_print(p, sum, ZX_LATEX, write_name, NULL, 1, &text);
    assert_string_equal(zb_text_string(&text), "\\ldots \\, \\ldots");
    zb_text_clear(&text);
    zx_print(p, add(p, q_(p, 0), q_(p, 1)), ZX_TEXT, write_name, NULL, 1, &text);
    assert_string_equal(zb_text_string(&text), "x + y");
    zb_text_free(&text);
}

/* Hundreds of thousands of operations deep: no recursion. */
POOL_TEST(deep_expressions, false)
{
    zx_pool *p = &b->pool;
    enum { DEEP = 200000 };
    zx_node f = q_(p, 0), d[1];
    for (int k = 0; k < DEEP; k++) f = fun(p, ZX_SIN, add(p, f, q_(p, 0)));
    zx_reverse(p, &f, NULL, 1, &(zx_gradient){.position = d, .slots = 1});
    assert_true(zx_operation_count(p, d, 1) > DEEP);
    zb_text text;
    zb_text_init(&text, p->memory);
    zx_print(p, f, ZX_TEXT, write_name, NULL, 0, &text);
    assert_int_equal(text.length, 1 + DEEP * strlen("sin( + x)"));
    zb_text_free(&text);
}

static void write_left(void *user, bool definition, int32_t k, zb_text *text)
{
    (void)user;
    zb_text_printf(text, definition ? "s%d = " : "; r%d = ", (int)k);
}

static void write_line(void *user, bool definition, int32_t k, zb_text *text)
{
    (void)user;
    zb_text_printf(text, definition ? "|s%d = " : "|r%d = ", (int)k);
}

POOL_TEST(shared_parts_are_defined_once, false)
{
    zx_pool *p = &b->pool;
    NAMES;
    zx_node sine = fun(p, ZX_SIN, x), part = mul(p, sine, add(p, y, z));
    zx_node roots[4] = {add(p, part, sine), fun(p, ZX_EXP, part), part, x};
    zb_text text;
    zb_text_init(&text, p->memory);
    zx_print_shared(p, roots, 4, ZX_TEXT, "s", write_name, write_line, NULL, &text);
    assert_string_equal(zb_text_string(&text), "|s1 = sin(x)*(y + z)|r0 = s1 + sin(x)|r1 = exp(s1)"
                                               "|r2 = s1|r3 = x");
    zb_text_clear(&text);
    zx_print_shared(p, roots, 2, ZX_LATEX, "s", write_name, write_left, NULL, &text);
    assert_string_equal(zb_text_string(&text), "s1 = \\sin x \\, \\left(y + z\\right)"
                                               "; r0 = s_{1} + \\sin x; r1 = e^{s_{1}}");
    zb_text_clear(&text);
    zx_print_shared(p, roots, 2, ZX_C, "s", write_name, write_line, NULL, &text);
    assert_string_equal(zb_text_string(&text),
                        "|s1 = sin(x)|s2 = s1*(y + z)|r0 = s2 + s1|r1 = exp(s2)");
    zb_text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_of_arithmetic),
        cmocka_unit_test(text_of_powers),
        cmocka_unit_test(text_of_functions_and_conditions),
        cmocka_unit_test(latex),
        cmocka_unit_test(c),
        cmocka_unit_test(long_expressions_are_cut),
        cmocka_unit_test(deep_expressions),
        cmocka_unit_test(shared_parts_are_defined_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
