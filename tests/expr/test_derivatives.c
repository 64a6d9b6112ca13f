/*
 * Derivatives against the complex step, f'(x) = Im f(x + ih)/h, which has no cancellation and knows
 * nothing of our rules: of random expressions over all smooth operations, forward and reverse,
 * first and second derivatives; then the rules for choices by cases.
 */
#include "expr_helpers.h"

#include <complex.h>
#include <math.h>

enum { SLOTS = 3, KINDS = 3 }; /* leaves: position, velocity, acceleration of 3 slots */
static const double STEP = 1e-30;

/* -------------------------------------------------- the complex evaluator */

typedef double complex number;

static number step_by(double times)
{
    return times * STEP * (number)I;
}

typedef struct point {
    number leaf[KINDS][SLOTS], t;
} point;

static number complex_power(number a, int32_t n)
{
    number r = 1;
    for (int32_t k = 0; k < (n < 0 ? -n : n); k++) r *= a;
    return n < 0 ? 1 / r : r;
}

static number complex_unary(const zx_item *item, number a)
{
    switch (item->op) {
    case ZX_NEG:
        return -a;
    case ZX_POWI:
        return complex_power(a, item->b);
    case ZX_SIN:
        return csin(a);
    case ZX_COS:
        return ccos(a);
    case ZX_TAN:
        return csin(a) / ccos(a);
    case ZX_ASIN:
        return catan(a / csqrt(1 - a * a));
    case ZX_ACOS:
        return acos(0.0) - catan(a / csqrt(1 - a * a));
    case ZX_ATAN:
        return catan(a);
    case ZX_SINH:
        return csinh(a);
    case ZX_COSH:
        return ccosh(a);
    case ZX_TANH:
        return csinh(a) / ccosh(a);
    case ZX_EXP:
        return cexp(a);
    case ZX_LOG:
        return clog(a);
    default:
        assert_int_equal(item->op, ZX_SQRT);
        return csqrt(a);
    }
}

static number complex_binary(const zx_item *item, number a, number b)
{
    switch (item->op) {
    case ZX_ADD:
        return a + b;
    case ZX_SUB:
        return a - b;
    case ZX_MUL:
        return a * b;
    case ZX_DIV:
        return a / b;
    case ZX_POW:
        return cexp(b * clog(a));
    case ZX_EQ:
        return creal(a) == creal(b);
    case ZX_ATAN2:
        return catan(a / b); /* b > 0 */
    default:
        assert_int_equal(item->op, ZX_HYPOT);
        return csqrt(a * a + b * b);
    }
}

static number complex_leaf(const zx_item *item, const point *x)
{
    switch (item->op) {
    case ZX_NUMBER:
    case ZX_BOUND:
        return zx_number_of(item);
    case ZX_TIME:
        return x->t;
    default:
        return x->leaf[item->op - ZX_POSITION][item->a];
    }
}

static number complex_value(zx_pool *p, zx_node root, const point *x)
{
    int32_t count;
    zx_node *list = zx_below(p, &root, 1, &count);
    number *values = calloc((size_t)p->count, sizeof *values);
    for (int32_t i = 0; i < count; i++) {
        const zx_item *item = &p->items[list[i]];
        int operands = zx_operands((zx_op)item->op);
        number *value = &values[list[i]];
        if (operands == 0)
            *value = complex_leaf(item, x);
        else if (operands == 1)
            *value = complex_unary(item, values[item->a]);
        else if (operands == 2)
            *value = complex_binary(item, values[item->a], values[item->b]);
        else
            *value = values[values[item->a] != 0 ? item->b : item->c];
    }
    number value = values[root];
    free(values);
    zb_resize(p->memory, list, (size_t)count * sizeof *list, 0);
    return value;
}

/* ------------------------------------------------------ random expressions */

/* Something between 0.5 and 2.5. */
static zx_node positive(zx_pool *p, zx_node a)
{
    return add(p, num(p, 1.5), fun(p, ZX_SIN, a));
}

static zx_node random_unary(zx_pool *p, uint64_t *seed, zx_node a)
{
    zx_node small = mul(p, num(p, 0.6), fun(p, ZX_COS, a));
    switch (random_below(seed, 15)) {
    case 0:
        return neg(p, a);
    case 1:
        return zx_power(p, fun(p, ZX_ATAN, a), 2 + (int32_t)random_below(seed, 4));
    case 2:
        return zx_power(p, positive(p, a), -1 - (int32_t)random_below(seed, 4));
    case 3:
        return fun(p, ZX_SIN, a);
    case 4:
        return fun(p, ZX_COS, a);
    case 5:
        return fun(p, ZX_TAN, small);
    case 6:
        return fun(p, ZX_ASIN, small);
    case 7:
        return fun(p, ZX_ACOS, small);
    case 8:
        return fun(p, ZX_ATAN, a);
    case 9:
        return fun(p, ZX_SINH, small);
    case 10:
        return fun(p, ZX_COSH, small);
    case 11:
        return fun(p, ZX_TANH, a);
    case 12:
        return fun(p, ZX_EXP, small);
    case 13:
        return fun(p, ZX_LOG, positive(p, a));
    default:
        return fun(p, ZX_SQRT, positive(p, a));
    }
}

static zx_node random_binary(zx_pool *p, uint64_t *seed, zx_node a, zx_node b)
{
    switch (random_below(seed, 10)) {
    case 0:
    case 1:
        return add(p, a, b);
    case 2:
        return sub(p, a, b);
    case 3:
    case 4:
        return mul(p, fun(p, ZX_SIN, a), b);
    case 5:
        return quo(p, a, positive(p, b));
    case 6:
        return zx_binary(p, ZX_POW, positive(p, a), fun(p, ZX_SIN, b));
    case 7:
        return zx_binary(p, ZX_POW, positive(p, a), num(p, random_real(seed, -3, 3)));
    case 8:
        return zx_binary(p, ZX_ATAN2, a, positive(p, b));
    default:
        return zx_binary(p, ZX_HYPOT, a, positive(p, b));
    }
}

static zx_node random_expression(zx_pool *p, uint64_t *seed, int operations)
{
    enum { MOST = 64 };
    zx_node nodes[MOST];
    int count = 0;
    for (int k = 0; k < KINDS; k++)
        for (int32_t i = 0; i < SLOTS; i++)
            nodes[count++] = zx_leaf(p, (zx_op)(ZX_POSITION + k), i);
    nodes[count++] = zx_leaf(p, ZX_TIME, 0);
    nodes[count++] = num(p, random_real(seed, -2, 2));
    nodes[count++] = zx_bound(p, random_real(seed, -2, 2));
    for (int k = 0; k < operations; k++) {
        /* mostly recent ones, so that expressions are deep */
        zx_node a =
            nodes[random_below(seed, 2) ? count - 1 : (int)random_below(seed, (uint32_t)count)];
        zx_node b = nodes[random_below(seed, (uint32_t)count)];
        nodes[count++] =
            random_below(seed, 2) ? random_unary(p, seed, a) : random_binary(p, seed, a, b);
    }
    return nodes[count - 1];
}

static point random_point(uint64_t *seed)
{
    point x = {.t = random_real(seed, 0.1, 1)};
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < SLOTS; i++) x.leaf[k][i] = random_real(seed, -1.5, 1.5);
    return x;
}

/* ----------------------------------------------------------------- checking */

static double worst; /* relative difference seen */

static void assert_close(double x, double y, double scale)
{
    double difference = x == y ? 0 : fabs(x - y) / (fabs(x) + fabs(y) + scale);
    if (!(difference <= worst)) worst = difference;
    if (!(difference <= 1e-14)) fail_msg("%.17g is not %.17g", x, y);
}

static double value_at(zx_pool *p, zx_node node, const point *x)
{
    leaf_values real = {.t = creal(x->t)};
    for (int i = 0; i < SLOTS; i++) {
        real.q[i] = creal(x->leaf[0][i]);
        real.v[i] = creal(x->leaf[1][i]);
        real.z[i] = creal(x->leaf[2][i]);
    }
    return zx_evaluate(p, node, leaf_value, &real);
}

/* Gradients by reverse and, unit by unit, by forward sweeps; each against the complex step. */
static void check_gradient(zx_pool *p, zx_node f, const point *x, zx_node gradient[KINDS][SLOTS])
{
    zx_gradient out = {gradient[0], gradient[1], gradient[2], SLOTS};
    zx_reverse(p, &f, NULL, 1, &out);
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < SLOTS; i++) {
            point moved = *x;
            moved.leaf[k][i] += step_by(1);
            double step = cimag(complex_value(p, f, &moved)) / STEP;
            assert_close(value_at(p, gradient[k][i], x), step, 0.01);

            zx_node unit[SLOTS], forward;
            for (int j = 0; j < SLOTS; j++) unit[j] = j == i ? num(p, 1) : ZX_NONE;
            zx_direction d = {.slots = SLOTS, .time = ZX_NONE};
            *(k == 0 ? &d.position : k == 1 ? &d.velocity : &d.acceleration) = unit;
            zx_directional(p, &f, 1, &d, &forward);
            assert_close(value_at(p, forward, x), step, 0.01);
        }
}

static void check_random(bench *b, uint64_t seed, int operations)
{
    zx_pool *p = &b->pool;
    for (int round = 0; round < 300; round++) {
        zx_node gradient[KINDS][SLOTS], second[KINDS][SLOTS];
        zx_node f = random_expression(p, &seed, 1 + (int)random_below(&seed, (uint32_t)operations));
        point x = random_point(&seed);
        assert_close(value_at(p, f, &x), creal(complex_value(p, f, &x)), 0.01);
        check_gradient(p, f, &x, gradient);
        /* second derivatives: the gradient of some entry of the gradient */
        uint32_t k = random_below(&seed, KINDS), i = random_below(&seed, SLOTS);
        check_gradient(p, gradient[k][i], &x, second);
        zx_pool_release(p, 0);
    }
    print_message("worst difference %.1e\n", worst);
}

POOL_TEST(random_small_expressions, true)
{
    check_random(b, 1, 4);
}

POOL_TEST(random_expressions, true)
{
    check_random(b, 2, 14);
}

POOL_TEST(random_expressions_in_the_author_s_order, false)
{
    check_random(b, 3, 10);
}

/* Along the motion: q moves by v, v by z, t by 1; against one complex step of all at once. */
POOL_TEST(time_derivatives, true)
{
    zx_pool *p = &b->pool;
    uint64_t seed = 4;
    for (int round = 0; round < 300; round++) {
        zx_node f = random_expression(p, &seed, 10);
        for (int i = 0; i < SLOTS; i++) { /* accelerations have no rate */
            zx_node z = zx_leaf(p, ZX_ACCELERATION, i);
            assert_int_equal(zx_time_derivative(p, z), ZX_NONE);
        }
        bool moves = !zx_reaches(p, &f, 1).acceleration;
        zx_node rate = zx_time_derivative(p, f);
        assert_int_equal(rate != ZX_NONE, moves);
        if (moves) {
            point x = random_point(&seed), moved = x;
            moved.t += step_by(1);
            for (int i = 0; i < SLOTS; i++) {
                moved.leaf[0][i] += step_by(creal(x.leaf[1][i]));
                moved.leaf[1][i] += step_by(creal(x.leaf[2][i]));
            }
            assert_close(value_at(p, rate, &x), cimag(complex_value(p, f, &moved)) / STEP, 0.01);
        }
        zx_pool_release(p, 0);
    }
}

/* Of several roots with seeds, the gradient of the weighted sum. */
POOL_TEST(seeds_weigh_the_roots, true)
{
    zx_pool *p = &b->pool;
    zx_node x = q_(p, 0), y = q_(p, 1), k = zx_leaf(p, ZX_VALUE, 0), d[2], e[2];
    zx_node roots[3] = {mul(p, x, y), fun(p, ZX_SIN, x), x}, seeds[3] = {k, y, num(p, 3)};
    zx_node sum =
        add(p, add(p, mul(p, k, roots[0]), mul(p, seeds[1], roots[1])), mul(p, num(p, 3), x));
    zx_reverse(p, roots, seeds, 3, &(zx_gradient){.position = d, .slots = 2});
    zx_directional(
        p, &sum, 1,
        &(zx_direction){.position = (zx_node[]){num(p, 1), ZX_NONE}, .slots = 2, .time = ZX_NONE},
        e);
    leaf_values at = {.q = {0.3, 0.7}, .value = {1.9}};
    assert_close(zx_evaluate(p, d[0], leaf_value, &at), zx_evaluate(p, e[0], leaf_value, &at), 0);
    assert_int_equal(d[1], mul(p, k, x)); /* seeds are not differentiated */
}

/* --------------------------------------------------------------- choices */

static double derivative_at(zx_pool *p, zx_node f, bool reverse, double x, double y)
{
    zx_node d[2], unit[2] = {num(p, 1), ZX_NONE};
    if (reverse)
        zx_reverse(p, &f, NULL, 1, &(zx_gradient){.position = d, .slots = 2});
    else
        zx_directional(p, &f, 1, &(zx_direction){.position = unit, .slots = 2, .time = ZX_NONE}, d);
    leaf_values at = {.q = {x, y}};
    return zx_evaluate(p, d[0], leaf_value, &at);
}

#define DERIVES(f, x, y, expected)                                                                 \
    do {                                                                                           \
        assert_close(derivative_at(p, (f), true, (x), (y)), (expected), 0);                        \
        assert_close(derivative_at(p, (f), false, (x), (y)), (expected), 0);                       \
    } while (0)

/* The branch not taken has an infinite derivative or none at all. */
POOL_TEST(branches_not_taken_do_not_spoil, true)
{
    zx_pool *p = &b->pool;
    zx_node x = q_(p, 0), y = q_(p, 1), zero = num(p, 0);
    zx_node root = fun(p, ZX_SQRT, x), positive_x = zx_binary(p, ZX_LT, zero, x);
    zx_node f = zx_select(p, positive_x, root, mul(p, num(p, 3), x));
    DERIVES(f, 4.0, 0.0, 0.25);
    DERIVES(f, 0.0, 0.0, 3.0);
    DERIVES(f, -1.0, 0.0, 3.0);
    zx_node g = mul(p, y, fun(p, ZX_EXP, f));
    DERIVES(g, 0.0, 2.0, 6.0);
    /* a choice in a choice, and in its own condition */
    zx_node inner = zx_select(p, zx_binary(p, ZX_LT, f, y), quo(p, num(p, 1), x), f);
    DERIVES(inner, 0.0, -1.0, 3.0);
    DERIVES(inner, 4.0, 3.0, -1.0 / 16);
    /* the root of what is not negative by a maximum */
    zx_node safe = zx_binary(p, ZX_MAX, zx_binary(p, ZX_MIN, root, y), num(p, -1));
    DERIVES(safe, 0.0, -5.0, 0.0);
    DERIVES(zx_binary(p, ZX_MAX, x, zx_power(p, x, 2)), 3.0, 0.0, 6.0);
    DERIVES(zx_binary(p, ZX_MIN, x, zx_power(p, x, 2)), 3.0, 0.0, 1.0);
}

POOL_TEST(steps_have_no_slope, true)
{
    zx_pool *p = &b->pool;
    zx_node x = q_(p, 0), y = q_(p, 1);
    DERIVES(fun(p, ZX_ABS, x), -2.0, 0.0, -1.0);
    DERIVES(fun(p, ZX_ABS, x), 0.0, 0.0, 0.0);
    DERIVES(mul(p, fun(p, ZX_SIGN, x), x), -2.0, 0.0, -1.0);
    DERIVES(fun(p, ZX_FLOOR, mul(p, x, y)), 1.5, 1.0, 0.0);
    DERIVES(mul(p, zx_binary(p, ZX_LT, x, y), x), 1.0, 2.0, 1.0);
    /* nothing is built where nothing moves */
    zx_node d[2];
    zx_node step = fun(p, ZX_FLOOR, x);
    zx_reverse(p, &step, NULL, 1, &(zx_gradient){.position = d, .slots = 2});
    assert_int_equal(d[0], num(p, 0));
    assert_int_equal(d[1], num(p, 0));
}

/* Derivatives are built without waste. */
POOL_TEST(derivatives_are_short, true)
{
    zx_pool *p = &b->pool;
    zx_node x = q_(p, 0), v = v_(p, 0), m = zx_leaf(p, ZX_VALUE, 0), d[1];
    zx_node T = mul(p, mul(p, num(p, 0.5), m), zx_power(p, v, 2));
    zx_reverse(p, &T, NULL, 1, &(zx_gradient){.velocity = d, .slots = 1});
    assert_int_equal(d[0], mul(p, m, v));
    zx_node V = mul(p, m, sub(p, num(p, 1), fun(p, ZX_COS, x)));
    zx_reverse(p, &V, NULL, 1, &(zx_gradient){.position = d, .slots = 1});
    assert_int_equal(d[0], mul(p, m, fun(p, ZX_SIN, x)));
    zx_node square = zx_power(p, x, 2);
    assert_int_equal(zx_time_derivative(p, square), mul(p, mul(p, num(p, 2), v), x));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_small_expressions),
        cmocka_unit_test(random_expressions),
        cmocka_unit_test(random_expressions_in_the_author_s_order),
        cmocka_unit_test(time_derivatives),
        cmocka_unit_test(seeds_weigh_the_roots),
        cmocka_unit_test(branches_not_taken_do_not_spoil),
        cmocka_unit_test(steps_have_no_slope),
        cmocka_unit_test(derivatives_are_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
