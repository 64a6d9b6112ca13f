/*
 * Expressions as people write them: thousands of random ones keep their values, and identities that
 * everybody knows are found. Values are compared here on their own, at points that the pass does not
 * know.
 */
#include <math.h>
#include <string.h>

#include "expr_helpers.h"

static zx_node p_(zx_pool *p, int32_t i)
{
    return zx_leaf(p, ZX_VALUE, i);
}

/* ------------------------------------------------------------------- random */

/* A random expression of the nodes made so far. */
static zx_node make_random(zx_pool *p, uint64_t *seed, const zx_node *made, int32_t count)
{
    static const zx_op functions[] = {ZX_SIN, ZX_COS, ZX_SIN,  ZX_COS, ZX_SQRT,
                                      ZX_EXP, ZX_ABS, ZX_TANH, ZX_ATAN};
    zx_node a = made[random_below(seed, (uint32_t)count)];
    zx_node b = made[random_below(seed, (uint32_t)count)];
    switch (random_below(seed, 12)) {
    case 0:
    case 1:
    case 2:
        return add(p, a, b);
    case 3:
    case 4:
        return sub(p, a, b);
    case 5:
    case 6:
    case 7:
        return mul(p, a, b);
    case 8:
        return quo(p, a, b);
    case 9:
        return zx_power(p, a, 2 + (int32_t)random_below(seed, 2));
    case 10:
        return neg(p, a);
    default:
        return fun(p, functions[random_below(seed, sizeof functions / sizeof *functions)], a);
    }
}

static leaf_values random_leaves(uint64_t *seed)
{
    leaf_values x;
    for (int i = 0; i < LEAVES; i++) {
        x.q[i] = random_real(seed, 0.3, 1.7);
        x.v[i] = random_real(seed, -1.5, 1.5);
        x.z[i] = random_real(seed, -1.5, 1.5);
        x.value[i] = random_real(seed, 0.3, 1.7);
        x.measure[i] = random_real(seed, -1.0, 1.0);
    }
    x.t = random_real(seed, 0.0, 2.0);
    return x;
}

/* Whether a change of every leaf by a few units of round-off changes the value by as much: then the
 * comparison is as sharp as it can be. */
static double measure_noise(zx_pool *p, zx_node node, leaf_values x, double value)
{
    double most = 0.0;
    for (int k = 0; k < 4; k++) {
        leaf_values y = x;
        for (int i = 0; i < LEAVES; i++) {
            double change = ((i + k) % 3 - 1) * 1e-13;
            y.q[i] *= 1.0 + change;
            y.v[i] *= 1.0 - change;
            y.value[i] *= 1.0 + change * (k - 2);
        }
        double other = zx_evaluate(p, node, leaf_value, &y);
        most = fmax(most, fabs(other - value));
    }
    return most;
}

static void expect_same_values(zx_pool *from, zx_node root, zx_pool *to, zx_node read,
                               uint64_t *seed, int *compared)
{
    for (int k = 0; k < 3; k++) {
        leaf_values x = random_leaves(seed);
        double u = zx_evaluate(from, root, leaf_value, &x),
               v = zx_evaluate(to, read, leaf_value, &x);
        if (!isfinite(u) || fabs(u) > 1e12) continue;
        double allowed = 1e-10 * (1.0 + fabs(u)) + 1e3 * measure_noise(from, root, x, u);
        if (!(fabs(u - v) <= allowed)) {
            zb_text text;
            zb_text_init(&text, from->memory);
            zx_print(from, root, ZX_TEXT, NULL, NULL, 0, &text);
            zb_text_add(&text, "\nas\n");
            zx_print(to, read, ZX_TEXT, NULL, NULL, 0, &text);
            fail_msg("%.17g is not %.17g:\n%s", v, u, zb_text_string(&text));
        }
        ++*compared;
    }
}

/* One pool of some leaves and operations on them, read at once. */
static void read_random_pool(bench *b, uint64_t seed, int *compared)
{
    enum { FIRST = 9, ALL = 40 };
    zx_pool from, to;
    zx_node made[ALL], out[ALL];
    zx_pool_init(&from, &b->memory, &b->escape, true);
    zx_pool_init(&to, &b->memory, &b->escape, false);
    for (int i = 0; i < 3; i++) {
        made[i] = q_(&from, i);
        made[3 + i] = p_(&from, i);
    }
    made[6] = v_(&from, 0);
    made[7] = num(&from, 2.0);
    made[8] = num(&from, 0.5);
    for (int i = FIRST; i < ALL; i++) made[i] = make_random(&from, &seed, made, i);
    (void)zx_read(&to, &from, made, ALL, &(zx_reading){0}, out);
    for (int i = FIRST; i < ALL; i++)
        expect_same_values(&from, made[i], &to, out[i], &seed, compared);
    zx_pool_free(&to);
    zx_pool_free(&from);
}

POOL_TEST(random_expressions_keep_their_values, true)
{
    int compared = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) read_random_pool(b, seed, &compared);
    assert_true(compared > 8000);
}

/* --------------------------------------------------------------- identities */

/* Names: q x1.., v y1.., values a, b, c, d. */
static void write_name(void *user, const zx_item *leaf, zx_form form, zb_text *text)
{
    static const char *const letters[] = {[ZX_POSITION] = "x",
                                          [ZX_VELOCITY] = "v",
                                          [ZX_ACCELERATION] = "z",
                                          [ZX_VALUE] = "",
                                          [ZX_MEASURE] = "r"};
    (void)user, (void)form;
    if (leaf->op == ZX_VALUE)
        zb_text_char(text, (char)('a' + leaf->a));
    else
        zb_text_printf(text, "%s%d", letters[leaf->op], (int)leaf->a);
}

static void expect_read(bench *b, zx_node node, const char *expected)
{
    zx_pool to;
    zx_node out;
    zb_text text;
    zx_pool_init(&to, &b->memory, &b->escape, false);
    zb_text_init(&text, &b->memory);
    assert_int_equal(zx_read(&to, &b->pool, &node, 1, &(zx_reading){0}, &out), 0);
    zx_print(&to, out, ZX_TEXT, write_name, NULL, 0, &text);
    assert_string_equal(zb_text_string(&text), expected);
    zb_text_free(&text);
    zx_pool_free(&to);
}

POOL_TEST(known_identities, true)
{
    zx_pool *p = &b->pool;
    zx_node a = p_(p, 0), c = p_(p, 2), x = q_(p, 0), y = q_(p, 1), B = p_(p, 1);
    zx_node sx = fun(p, ZX_SIN, x), cx = fun(p, ZX_COS, x), sy = fun(p, ZX_SIN, y),
            cy = fun(p, ZX_COS, y);
    expect_read(b, add(p, mul(p, sx, mul(p, a, sx)), mul(p, cx, mul(p, a, cx))), "a");
    expect_read(b, sub(p, num(p, 1), mul(p, sx, sx)), "cos(x0)^2");
    expect_read(b, add(p, mul(p, mul(p, a, cx), cy), mul(p, sx, mul(p, sy, a))), "a*cos(x0 - x1)");
    expect_read(b, sub(p, mul(p, cx, cy), mul(p, sx, sy)), "cos(x0 + x1)");
    expect_read(b, sub(p, mul(p, sx, cy), mul(p, cx, sy)), "sin(x0 - x1)");
    expect_read(b, add(p, mul(p, sx, cy), mul(p, cx, sy)), "sin(x0 + x1)");
    expect_read(b, add(p, mul(p, a, mul(p, c, c)), mul(p, mul(p, c, B), c)), "(a + b)*c^2");
    expect_read(b, add(p, add(p, mul(p, a, a), mul(p, num(p, 2), mul(p, a, B))), mul(p, B, B)),
                "(a + b)^2");
    expect_read(b, mul(p, num(p, 0.5), mul(p, num(p, 2), mul(p, x, num(p, 3)))), "3*x0");
    expect_read(b, sub(p, add(p, x, y), add(p, y, x)), "0");
    expect_read(b,
                mul(p, x, quo(p, num(p, 1), fun(p, ZX_SQRT, add(p, mul(p, x, x), mul(p, y, y))))),
                "x0/sqrt(x0^2 + x1^2)");
    expect_read(b, mul(p, num(p, 1.0 / 3.0), mul(p, a, mul(p, c, c))), "a*c^2/3");
    expect_read(b, quo(p, add(p, x, y), add(p, y, x)), "1");
    expect_read(b, neg(p, sub(p, x, y)), "x1 - x0");
}

/* What has no value stays as it is written. */
POOL_TEST(what_has_no_value_stays, true)
{
    zx_pool *p = &b->pool;
    zx_node x = q_(p, 0);
    expect_read(b, add(p, x, num(p, 0)), "x0");
    zx_pool to;
    zx_node out, bad = quo(p, x, sub(p, mul(p, x, x), zx_power(p, x, 2)));
    zx_pool_init(&to, &b->memory, &b->escape, false);
    (void)zx_read(&to, p, &bad, 1, &(zx_reading){0}, &out);
    leaf_values values = {.q = {2.0}};
    assert_false(isfinite(zx_evaluate(&to, out, leaf_value, &values)) &&
                 !isfinite(zx_evaluate(p, bad, leaf_value, &values)));
    zx_pool_free(&to);
}

/* Sums that are shared again and again have more terms than any machine can hold. */
POOL_TEST(shared_sums_end, true)
{
    zx_pool *p = &b->pool, to;
    zx_node s = add(p, q_(p, 0), q_(p, 1)), out;
    for (int k = 0; k < 200; k++)
        s = add(p, mul(p, s, fun(p, ZX_SIN, s)), mul(p, add(p, s, v_(p, k % 3)), p_(p, k % 5)));
    zx_pool_init(&to, &b->memory, &b->escape, false);
    (void)zx_read(&to, p, &s, 1, &(zx_reading){0}, &out);
    zx_pool_free(&to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_expressions_keep_their_values),
        cmocka_unit_test(known_identities),
        cmocka_unit_test(what_has_no_value_stays),
        cmocka_unit_test(shared_sums_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
