/*
 * What building simplifies, and what it must leave alone. Each row builds an expression and says
 * how it prints; two expressions that must be one node are compared as nodes.
 */
#include "expr_helpers.h"

#include <math.h>

static void assert_prints(zx_pool *p, zx_node node, const char *expected, int line)
{
    zb_text text;
    zb_text_init(&text, p->memory);
    zx_print(p, node, ZX_TEXT, NULL, NULL, 0, &text);
    if (strcmp(zb_text_string(&text), expected) != 0)
        print_error("line %d: %s instead of %s\n", line, zb_text_string(&text), expected);
    assert_string_equal(zb_text_string(&text), expected);
    zb_text_free(&text);
}

#define PRINTS(node, expected) assert_prints(p, (node), (expected), __LINE__)
#define B(op, a, b) zx_binary(p, (op), (a), (b))

typedef struct names {
    zx_node x, y, z, zero, one, two, minus;
} names;

static names some_names(zx_pool *p)
{
    return (names){.x = q_(p, 1),
                   .y = q_(p, 2),
                   .z = q_(p, 3),
                   .zero = num(p, 0),
                   .one = num(p, 1),
                   .two = num(p, 2),
                   .minus = num(p, -1)};
}

static void check_sums(zx_pool *p)
{
    names n = some_names(p);
    assert_int_equal(add(p, n.x, n.zero), n.x);
    assert_int_equal(add(p, n.zero, n.x), n.x);
    assert_int_equal(sub(p, n.x, n.zero), n.x);
    assert_int_equal(sub(p, n.zero, n.x), neg(p, n.x));
    assert_int_equal(sub(p, n.x, n.x), n.zero);
    assert_int_equal(neg(p, neg(p, n.x)), n.x);
    assert_int_equal(add(p, n.x, neg(p, n.y)), sub(p, n.x, n.y));
    assert_int_equal(sub(p, n.x, neg(p, n.y)), add(p, n.x, n.y));
    assert_int_equal(add(p, n.x, n.minus), sub(p, n.x, n.one));
    assert_int_equal(sub(p, n.x, n.minus), add(p, n.x, n.one));
    assert_int_equal(add(p, num(p, 0.1), num(p, 0.2)), num(p, 0.1 + 0.2));
    assert_int_equal(neg(p, n.zero), n.zero);
}

static void check_products(zx_pool *p)
{
    names n = some_names(p);
    assert_int_equal(mul(p, n.x, n.zero), n.zero);
    assert_int_equal(mul(p, n.zero, n.x), n.zero);
    assert_int_equal(mul(p, n.x, n.one), n.x);
    assert_int_equal(mul(p, n.minus, n.x), neg(p, n.x));
    assert_int_equal(mul(p, neg(p, n.x), neg(p, n.y)), mul(p, n.x, n.y));
    assert_int_equal(mul(p, neg(p, n.x), n.y), neg(p, mul(p, n.x, n.y)));
    assert_int_equal(mul(p, num(p, -3), n.y), neg(p, mul(p, num(p, 3), n.y)));
    assert_int_equal(mul(p, n.x, n.x), zx_power(p, n.x, 2));
    assert_int_equal(quo(p, n.zero, n.x), n.zero);
    assert_int_equal(quo(p, n.x, n.one), n.x);
    assert_int_equal(quo(p, n.x, n.minus), neg(p, n.x));
    assert_int_equal(quo(p, neg(p, n.x), neg(p, n.y)), quo(p, n.x, n.y));
    assert_int_equal(quo(p, n.x, num(p, 4)), mul(p, n.x, num(p, 0.25)));
    PRINTS(quo(p, n.x, num(p, 3)), "q1/3");
    PRINTS(quo(p, n.x, n.x), "q1/q1");
    PRINTS(quo(p, n.one, n.zero), "1/0");
    PRINTS(quo(p, n.zero, n.zero), "0/0");
    PRINTS(quo(p, n.x, num(p, 0x1p-1074)), "q1/5e-324");
    zx_node large = num(p, 1e200), larger = num(p, 1e201);
    PRINTS(mul(p, large, larger), "1e+200*1e+201");
}

static void check_powers(zx_pool *p)
{
    names n = some_names(p);
    assert_int_equal(B(ZX_POW, n.x, n.zero), n.one);
    assert_int_equal(B(ZX_POW, n.x, n.one), n.x);
    assert_int_equal(B(ZX_POW, n.x, n.two), zx_power(p, n.x, 2));
    assert_int_equal(B(ZX_POW, n.x, zx_bound(p, 3)), zx_power(p, n.x, 3));
    assert_int_equal(B(ZX_POW, n.x, num(p, 0.5)), fun(p, ZX_SQRT, n.x));
    assert_int_equal(B(ZX_POW, n.x, zx_bound(p, 1.25)), B(ZX_POW, n.x, num(p, 1.25)));
    assert_int_equal(B(ZX_POW, n.x, n.minus), quo(p, n.one, n.x));
    assert_int_equal(B(ZX_POW, n.one, n.x), n.one);
    assert_int_equal(zx_power(p, zx_power(p, n.x, 3), -2), zx_power(p, n.x, -6));
    assert_int_equal(zx_power(p, neg(p, n.x), 2), zx_power(p, n.x, 2));
    assert_int_equal(zx_power(p, neg(p, n.x), 3), neg(p, zx_power(p, n.x, 3)));
    assert_int_equal(zx_power(p, num(p, 3), 4), num(p, 81));
    PRINTS(B(ZX_POW, n.x, num(p, 65)), "q1^65");
    assert_int_equal(p->items[B(ZX_POW, n.x, num(p, 65))].op, ZX_POW);
    PRINTS(zx_power(p, fun(p, ZX_SQRT, n.x), 2), "sqrt(q1)^2");
    PRINTS(zx_power(p, n.zero, -2), "0^-2");
    PRINTS(B(ZX_POW, num(p, -2), num(p, 0.3)), "(-2)^0.3");
    PRINTS(zx_power(p, zx_power(p, n.x, 60), 2), "(q1^60)^2");
}

static void check_functions(zx_pool *p)
{
    names n = some_names(p);
    assert_int_equal(fun(p, ZX_SIN, n.zero), n.zero);
    assert_int_equal(fun(p, ZX_COS, n.zero), n.one);
    assert_int_equal(fun(p, ZX_SQRT, num(p, 4)), n.two);
    assert_int_equal(fun(p, ZX_ABS, num(p, -2)), n.two);
    assert_int_equal(fun(p, ZX_ABS, fun(p, ZX_ABS, n.x)), fun(p, ZX_ABS, n.x));
    assert_int_equal(fun(p, ZX_FLOOR, num(p, 2.5)), n.two);
    assert_int_equal(fun(p, ZX_SIGN, num(p, -2.5)), n.minus);
    assert_int_equal(B(ZX_HYPOT, num(p, 3), num(p, 4)), num(p, 5));
    assert_int_equal(B(ZX_HYPOT, n.x, n.zero), fun(p, ZX_ABS, n.x));
    PRINTS(fun(p, ZX_SQRT, n.minus), "sqrt(-1)");
    PRINTS(fun(p, ZX_LOG, n.zero), "log(0)");
    PRINTS(fun(p, ZX_EXP, num(p, 1000)), "exp(1000)");
}

static void check_choices(zx_pool *p)
{
    names n = some_names(p);
    zx_node less = B(ZX_LT, n.x, n.y);
    assert_int_equal(zx_select(p, n.one, n.x, n.y), n.x);
    assert_int_equal(zx_select(p, n.zero, n.x, n.y), n.y);
    assert_int_equal(zx_select(p, less, n.x, n.x), n.x);
    assert_int_equal(zx_select(p, fun(p, ZX_NOT, less), n.x, n.y), zx_select(p, less, n.y, n.x));
    assert_int_equal(fun(p, ZX_NOT, fun(p, ZX_NOT, less)), less);
    assert_int_equal(fun(p, ZX_NOT, B(ZX_EQ, n.x, n.y)), B(ZX_NE, n.x, n.y));
    assert_int_equal(fun(p, ZX_NOT, fun(p, ZX_NOT, n.x)), B(ZX_NE, n.x, n.zero));
    assert_int_equal(B(ZX_MIN, n.x, n.x), n.x);
    assert_int_equal(B(ZX_MAX, n.one, n.two), n.two);
    assert_int_equal(B(ZX_LT, n.one, n.two), n.one);
    assert_int_equal(B(ZX_LE, n.x, n.x), n.one);
    assert_int_equal(B(ZX_NE, n.x, n.x), n.zero);
    assert_int_equal(B(ZX_AND, less, n.zero), n.zero);
    assert_int_equal(B(ZX_AND, n.two, less), less);
    assert_int_equal(B(ZX_OR, less, n.two), n.one);
    assert_int_equal(B(ZX_OR, n.zero, less), less);
    assert_int_equal(B(ZX_OR, less, less), less);
}

/* Bound numbers stay bound through arithmetic; only 0 and 1 are seen. */
static void check_bound(zx_pool *p)
{
    names n = some_names(p);
    zx_node three = zx_bound(p, 3), minus = zx_bound(p, -1);
    assert_int_equal(zx_bound(p, 0), n.zero);
    assert_int_equal(zx_bound(p, 1), n.one);
    assert_int_not_equal(three, num(p, 3));
    assert_int_equal(add(p, three, n.two), zx_bound(p, 5));
    assert_int_equal(sub(p, three, n.two), n.one);
    assert_int_equal(fun(p, ZX_SIN, three), zx_bound(p, zx_apply(ZX_SIN, 3, 0, 0)));
    /* what is built does not depend on their sign or size */
    assert_int_equal(p->items[mul(p, minus, n.x)].op, ZX_MUL);
    assert_int_equal(p->items[add(p, n.x, minus)].op, ZX_ADD);
    assert_int_equal(p->items[sub(p, n.x, minus)].op, ZX_SUB);
    assert_int_equal(p->items[quo(p, n.x, zx_bound(p, 2))].op, ZX_DIV);
}

static void check_all(bench *b)
{
    zx_pool *p = &b->pool;
    check_sums(p);
    check_products(p);
    check_powers(p);
    check_functions(p);
    check_choices(p);
    check_bound(p);
}

POOL_TEST(rules_of_every_pool, false)
{
    check_all(b);
}

POOL_TEST(rules_where_the_pool_commutes, true)
{
    check_all(b);
}

POOL_TEST(the_author_s_order_is_kept, false)
{
    zx_pool *p = &b->pool;
    names n = some_names(p);
    PRINTS(add(p, n.y, n.x), "q2 + q1");
    PRINTS(add(p, neg(p, n.x), n.y), "-q1 + q2");
    PRINTS(add(p, n.x, n.x), "q1 + q1");
    PRINTS(mul(p, n.two, mul(p, num(p, 3), n.x)), "2*(3*q1)");
    PRINTS(neg(p, sub(p, n.x, n.y)), "-(q1 - q2)");
    PRINTS(fun(p, ZX_SIN, neg(p, n.x)), "sin(-q1)");
    PRINTS(mul(p, quo(p, n.x, n.two), n.y), "q1/2*q2");
}

POOL_TEST(a_commuting_pool_finds_equals, true)
{
    zx_pool *p = &b->pool;
    names n = some_names(p);
    const zx_op symmetric[] = {ZX_ADD, ZX_MUL, ZX_HYPOT, ZX_EQ, ZX_NE, ZX_AND, ZX_OR};
    for (size_t i = 0; i < sizeof symmetric / sizeof *symmetric; i++)
        assert_int_equal(B(symmetric[i], n.x, n.y), B(symmetric[i], n.y, n.x));
    /* where both are equal the first one's derivative counts, so the order stays */
    assert_int_not_equal(B(ZX_MIN, n.x, n.y), B(ZX_MIN, n.y, n.x));
    assert_int_not_equal(B(ZX_MAX, n.x, n.y), B(ZX_MAX, n.y, n.x));
    assert_int_equal(add(p, neg(p, n.x), n.y), sub(p, n.y, n.x));
    assert_int_equal(neg(p, sub(p, n.x, n.y)), sub(p, n.y, n.x));
    assert_int_equal(add(p, neg(p, n.x), neg(p, n.y)), neg(p, add(p, n.x, n.y)));
    PRINTS(add(p, n.x, n.x), "2*q1");
    PRINTS(sub(p, mul(p, num(p, 5), n.x), mul(p, n.two, n.x)), "3*q1");
    PRINTS(mul(p, n.two, mul(p, num(p, 3), n.x)), "6*q1");
    PRINTS(mul(p, mul(p, n.two, n.x), mul(p, num(p, 0.5), n.y)), "q1*q2");
    PRINTS(add(p, add(p, n.x, n.one), n.two), "q1 + 3");
    PRINTS(sub(p, add(p, n.x, n.one), n.two), "q1 - 1");
    PRINTS(add(p, sub(p, n.one, n.x), n.two), "3 - q1");
    PRINTS(fun(p, ZX_SIN, neg(p, n.x)), "-sin(q1)");
    PRINTS(fun(p, ZX_COS, sub(p, n.x, n.y)), "cos(q1 - q2)");
    PRINTS(fun(p, ZX_COS, neg(p, n.x)), "cos(q1)");
}

/* What zx_intern builds is exactly what was asked for. */
POOL_TEST(intern_does_not_simplify, true)
{
    zx_pool *p = &b->pool;
    names n = some_names(p);
    zx_node sum = zx_intern(p, &(zx_item){.op = ZX_ADD, .a = n.zero, .b = n.x});
    assert_int_equal(p->items[sum].op, ZX_ADD);
    assert_int_equal(sum, zx_intern(p, &(zx_item){.op = ZX_ADD, .a = n.zero, .b = n.x}));
    PRINTS(sum, "0 + q1");
}

POOL_TEST(operations_have_names, false)
{
    (void)b;
    assert_int_equal(zx_operands(ZX_NUMBER), 0);
    assert_int_equal(zx_operands(ZX_POWI), 1);
    assert_int_equal(zx_operands(ZX_ATAN2), 2);
    assert_int_equal(zx_operands(ZX_SELECT), 3);
    assert_string_equal(zx_op_name(ZX_ATAN2), "atan2");
}

/* Integer powers multiply from right to left, in the order every evaluator keeps. */
POOL_TEST(powers_multiply_in_a_fixed_order, false)
{
    (void)b;
    double a = 1.1, a2 = a * a, a4 = a2 * a2, a8 = a4 * a4;
    assert_true(zx_power_of(a, 1) == a);
    assert_true(zx_power_of(a, 2) == a2);
    assert_true(zx_power_of(a, 7) == (a * a2) * a4);
    assert_true(zx_power_of(a, 13) == (a * a4) * a8);
    assert_true(zx_power_of(a, -3) == 1.0 / (a * a2));
    assert_true(zx_power_of(a, 0) == 1.0);
    assert_true(isinf(zx_power_of(0.0, -1)));
    assert_true(zx_apply(ZX_POWI, a, 7, 0) == zx_power_of(a, 7));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_of_every_pool),
        cmocka_unit_test(rules_where_the_pool_commutes),
        cmocka_unit_test(the_author_s_order_is_kept),
        cmocka_unit_test(a_commuting_pool_finds_equals),
        cmocka_unit_test(intern_does_not_simplify),
        cmocka_unit_test(operations_have_names),
        cmocka_unit_test(powers_multiply_in_a_fixed_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
