/*
 * The pool: equal expressions are one node, whatever grows in between; release forgets exactly
 * what came after, remembered rates included; walks list what is below in index order; copies;
 * allocation failures at every request leave nothing behind.
 */
#include "expr_helpers.h"

POOL_TEST(equal_expressions_are_one_node, true)
{
    zx_pool *p = &b->pool;
    enum { COUNT = 5000 };
    static zx_node nodes[COUNT];
    for (int round = 0; round < 2; round++)
        for (int32_t i = 0; i < COUNT; i++) {
            zx_node node = mul(p, q_(p, i % 70), fun(p, ZX_SIN, q_(p, i / 70)));
            if (round == 0) nodes[i] = node;
            assert_int_equal(node, nodes[i]);
        }
    assert_true(zx_number(p, -0.0) == zx_number(p, 0.0));
    assert_true(zx_leaf(p, ZX_TIME, 3) == zx_leaf(p, ZX_TIME, 7));
}

/* Operands come before what uses them, also with an item that lies in the pool itself. */
POOL_TEST(operands_come_first, false)
{
    zx_pool *p = &b->pool;
    zx_node sum = q_(p, 0);
    for (int32_t i = 1; i < 1000; i++) sum = add(p, sum, mul(p, q_(p, i), q_(p, i - 1)));
    for (int32_t i = 0; i < p->count; i++) {
        int operands = zx_operands((zx_op)p->items[i].op);
        if (operands > 0) assert_true(p->items[i].a < i);
        if (operands > 1) assert_true(p->items[i].b < i);
        assert_int_equal(zx_intern(p, &p->items[i]), i);
    }
}

POOL_TEST(release_forgets_what_came_after, true)
{
    zx_pool *p = &b->pool;
    zx_node x = q_(p, 0), kept = mul(p, x, fun(p, ZX_SIN, x));
    int32_t count = p->count;
    zx_node first = ZX_NONE;
    for (int round = 0; round < 20; round++) {
        zx_node node = add(p, kept, num(p, round + 2));
        for (int32_t i = 0; i < 100 * round; i++) node = fun(p, ZX_COS, add(p, node, q_(p, i)));
        if (round == 0) first = add(p, kept, num(p, 2));
        zx_pool_release(p, count);
        assert_int_equal(p->count, count);
        assert_int_equal(mul(p, fun(p, ZX_SIN, x), x), kept);
        assert_int_equal(p->count, count);
    }
    assert_true(first >= count);
}

/* A rate remembered for a node that stays may itself go. */
POOL_TEST(release_forgets_rates, true)
{
    zx_pool *p = &b->pool;
    zx_node x = q_(p, 0), square = zx_power(p, x, 2), v = v_(p, 0);
    assert_int_equal(zx_time_derivative(p, x), v);
    int32_t count = p->count;
    zx_node rate = zx_time_derivative(p, square);
    assert_int_equal(rate, zx_time_derivative(p, square));
    zx_pool_release(p, count);
    for (int32_t i = 1; i < 50; i++) fun(p, ZX_EXP, q_(p, i)); /* others take their places */
    zx_node expected = mul(p, mul(p, num(p, 2), v), x);
    assert_int_equal(zx_time_derivative(p, square), expected);
    assert_int_equal(zx_time_derivative(p, x), v);
}

static int compare_nodes(const void *x, const void *y)
{
    zx_node a = *(const zx_node *)x, b = *(const zx_node *)y;
    return (a > b) - (a < b);
}

/* Lists below nodes far apart and close together, small and large. */
POOL_TEST(below_lists_in_index_order, false)
{
    zx_pool *p = &b->pool;
    uint64_t seed = 3;
    for (int32_t i = 0; i < 3000; i++) q_(p, i);
    for (int32_t i = 0; i < 3000; i++) {
        zx_node x = (zx_node)random_below(&seed, (uint32_t)p->count);
        zx_binary(p, i % 2 == 0 ? ZX_ADD : ZX_ATAN2, x, (zx_node)random_below(&seed, 3000));
    }
    for (int round = 0; round < 200; round++) {
        zx_node roots[80];
        int32_t roots_count = 1 + (int32_t)random_below(&seed, round < 100 ? 4 : 80), count;
        for (int32_t i = 0; i < roots_count; i++)
            roots[i] = (zx_node)random_below(&seed, (uint32_t)p->count);
        zx_node *list = zx_below(p, roots, roots_count, &count);
        for (int32_t i = 1; i < count; i++) assert_true(list[i - 1] < list[i]);
        for (int32_t i = 0; i < count; i++) {
            const zx_item *item = &p->items[list[i]];
            size_t n = (size_t)count, size = sizeof *list;
            if (zx_operands((zx_op)item->op) < 2) continue;
            assert_non_null(bsearch(&item->a, list, n, size, compare_nodes));
            assert_non_null(bsearch(&item->b, list, n, size, compare_nodes));
        }
        for (int32_t i = 0; i < roots_count; i++)
            assert_non_null(bsearch(&roots[i], list, (size_t)count, sizeof *list, compare_nodes));
        zb_resize(p->memory, list, (size_t)count * sizeof *list, 0);
    }
}

/* After 2^32 walks their numbers start again. */
POOL_TEST(walk_numbers_start_again, false)
{
    zx_pool *p = &b->pool;
    zx_node sum = add(p, q_(p, 0), v_(p, 1));
    assert_true(zx_reaches(p, &sum, 1).velocity);
    p->walk = UINT32_MAX - 1;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(zx_operation_count(p, &sum, 1), 1);
        assert_true(zx_reaches(p, &sum, 1).velocity);
    }
}

POOL_TEST(reaches_and_counts, true)
{
    zx_pool *p = &b->pool;
    zx_node x = q_(p, 0), t = zx_leaf(p, ZX_TIME, 0), k = zx_leaf(p, ZX_VALUE, 2);
    zx_node roots[2] = {mul(p, fun(p, ZX_SIN, mul(p, k, t)), x), add(p, x, zx_power(p, x, 7))};
    zx_reach r = zx_reaches(p, roots, 2);
    assert_true(r.time && r.position && r.value);
    assert_false(r.velocity || r.acceleration || r.measure);
    r = zx_reaches(p, roots + 1, 1);
    assert_true(r.position);
    assert_false(r.time || r.value);
    assert_false(zx_reaches(p, NULL, 0).time);
    /* k t, sin, * x; x^7 in 4 multiplications, + */
    assert_int_equal(zx_operation_count(p, roots, 2), 3 + 5);
    zx_node inverse = zx_power(p, x, -2);
    assert_int_equal(zx_operation_count(p, &inverse, 1), 2);
    assert_int_equal(zx_operation_count(p, &x, 1), 0);
}

/* ----------------------------------------------------------------- copying */

static zx_node shift_leaf(void *user, zx_pool *to, const zx_item *leaf)
{
    if (leaf->op == ZX_BOUND) return zx_leaf(to, ZX_VALUE, 9);
    if (leaf->op != ZX_POSITION) return ZX_NONE;
    return leaf->a == 3 ? zx_number(to, 0.0) : zx_leaf(to, ZX_VELOCITY, leaf->a + *(int *)user);
}

POOL_TEST(copies_simplify_anew, false)
{
    zx_pool *p = &b->pool, to;
    int shift = 10;
    zx_pool_init(&to, &b->memory, &b->escape, true);
    zx_node x = q_(p, 1), y = q_(p, 3), t = zx_leaf(p, ZX_TIME, 0);
    zx_node bound = mul(p, zx_bound(p, 7), t);
    zx_node choice = zx_select(p, zx_binary(p, ZX_LT, x, y), zx_power(p, x, 3), neg(p, x));
    zx_node roots[4] = {add(p, mul(p, x, y), x), bound, choice, num(p, 5)}, out[4];
    for (int32_t i = 0; i < 100; i++) zx_leaf(&to, ZX_MEASURE, i);

    zx_copy(&to, p, roots, 4, shift_leaf, &shift, out);
    zx_node u = v_(&to, 11);
    assert_int_equal(out[0], u);
    assert_int_equal(out[1], mul(&to, zx_leaf(&to, ZX_VALUE, 9), zx_leaf(&to, ZX_TIME, 0)));
    zx_node condition = zx_binary(&to, ZX_LT, u, num(&to, 0));
    assert_int_equal(out[2], zx_select(&to, condition, zx_power(&to, u, 3), neg(&to, u)));
    assert_int_equal(out[3], num(&to, 5));

    zx_copy(&to, p, roots, 2, NULL, NULL, out);
    zx_node again = q_(&to, 1);
    assert_int_equal(out[0], add(&to, mul(&to, again, q_(&to, 3)), again));
    assert_int_equal(out[1], mul(&to, zx_bound(&to, 7), zx_leaf(&to, ZX_TIME, 0)));
    zx_pool_free(&to);
}

/* -------------------------------------------------------- running out */

static void write_left(void *user, bool definition, int32_t k, zb_text *text)
{
    (void)user;
    zb_text_printf(text, "%s%d=", definition ? "\ns" : "\nr", (int)k);
}

/* A bit of everything. */
static void use_everything(zx_pool *p, zb_text *text)
{
    leaf_values values = {.q = {1, 2, 3}};
    zx_node sum = num(p, 0), d[3], out;
    for (int32_t i = 0; i < 40; i++) {
        zx_node x = fun(p, ZX_SIN, add(p, q_(p, i % 3), num(p, i)));
        sum = add(p, sum, mul(p, x, zx_select(p, zx_binary(p, ZX_LT, x, q_(p, 1)), x, sum)));
    }
    zx_time_derivative(p, sum);
    zx_reverse(p, &sum, NULL, 1, &(zx_gradient){.position = d, .slots = 3});
    zx_directional(p, d, 3, &(zx_direction){.position = d, .slots = 3, .time = ZX_NONE}, d);
    zx_evaluate(p, sum, leaf_value, &values);
    zx_print_shared(p, &sum, 1, ZX_TEXT, "s", NULL, write_left, NULL, text);
    zx_print(p, sum, ZX_LATEX, NULL, NULL, 50, text);
    int32_t count;
    zx_node *list = zx_below(p, &sum, 1, &count);
    zb_resize(p->memory, list, (size_t)count * sizeof *list, 0);
    zx_pool to;
    zx_pool_init(&to, p->memory, p->escape, true);
    zx_pool_release(p, p->count / 2);
    out = q_(p, 0);
    zx_copy(p, &to, &out, 0, NULL, NULL, &out);
    zx_pool_free(&to);
}

/* One run in which request k is refused; whether it was. The pool must then still work. */
static bool run_with_refusal(int64_t k)
{
    static bench b;
    static zb_text text;
    counting_init(&b.allocator, &b.memory);
    zx_pool_init(&b.pool, &b.memory, &b.escape, true);
    zb_text_init(&text, &b.memory);
    b.allocator.refuse_at = k;
    if (setjmp(b.escape) == 0) {
        use_everything(&b.pool, &text);
    } else {
        assert_int_equal(b.memory.failure, ZW_ERR_MEMORY);
        b.allocator.refuse_at = 0;
        zb_text_clear(&text);
        use_everything(&b.pool, &text);
    }
    bool refused = b.allocator.refused > 0;
    zb_text_free(&text);
    zx_pool_free(&b.pool);
    assert_nothing_held(&b.allocator, &b.memory);
    return refused;
}

static void every_refusal_leaves_nothing_behind(void **state)
{
    (void)state;
    int64_t k = 1;
    while (run_with_refusal(k)) k++;
    assert_true(k > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_expressions_are_one_node),
        cmocka_unit_test(operands_come_first),
        cmocka_unit_test(release_forgets_what_came_after),
        cmocka_unit_test(release_forgets_rates),
        cmocka_unit_test(below_lists_in_index_order),
        cmocka_unit_test(walk_numbers_start_again),
        cmocka_unit_test(reaches_and_counts),
        cmocka_unit_test(copies_simplify_anew),
        cmocka_unit_test(every_refusal_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
