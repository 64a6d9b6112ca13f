/*
 * A serial arm of six links in space, joints about z and y in turn, a point mass at the end of
 * each link. Its mass matrix and forces must not take more operations than promised, and must
 * be right: M is symmetric, and the power balance v.(M z - Q) = dE/dt holds for any motion.
 */
#include "expr_helpers.h"

#include <time.h>

enum { LINKS = 6 };

typedef struct arm {
    zx_node energy_kinetic, energy_potential, lagrangian;
    zx_node momentum[LINKS], M[LINKS][LINKS], Q[LINKS];
} arm;

/* R (3 by 3) times the rotation by angle about z (axis 2) or y (axis 1). */
static void rotate(zx_pool *p, zx_node R[3][3], zx_node angle, int axis)
{
    zx_node c = fun(p, ZX_COS, angle), s = fun(p, ZX_SIN, angle);
    int i = axis == 2 ? 0 : 2, j = axis == 2 ? 1 : 0;
    for (int k = 0; k < 3; k++) {
        zx_node x = R[k][i], y = R[k][j];
        R[k][i] = add(p, mul(p, x, c), mul(p, y, s));
        R[k][j] = sub(p, mul(p, y, c), mul(p, x, s));
    }
}

static void build_energies(zx_pool *p, arm *a)
{
    zx_node zero = num(p, 0), one = num(p, 1), g = zx_leaf(p, ZX_VALUE, 2 * LINKS);
    zx_node R[3][3], x[3] = {zero, zero, zero}, T = zero, V = zero;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) R[i][j] = i == j ? one : zero;
    for (int k = 0; k < LINKS; k++) {
        zx_node m = zx_leaf(p, ZX_VALUE, k), l = zx_leaf(p, ZX_VALUE, LINKS + k), square = zero;
        rotate(p, R, q_(p, k), k % 2 == 0 ? 2 : 1);
        for (int i = 0; i < 3; i++) {
            x[i] = add(p, x[i], mul(p, R[i][0], l));
            square = add(p, square, zx_power(p, zx_time_derivative(p, x[i]), 2));
        }
        T = add(p, T, mul(p, quo(p, m, num(p, 2)), square));
        V = add(p, V, mul(p, mul(p, m, g), x[2]));
    }
    a->energy_kinetic = T;
    a->energy_potential = V;
    a->lagrangian = sub(p, T, V);
}

static void derive(zx_pool *p, arm *a)
{
    zx_node dq[LINKS], rate[LINKS], v[LINKS];
    zx_gradient both = {.position = dq, .velocity = a->momentum, .slots = LINKS};
    zx_reverse(p, &a->lagrangian, NULL, 1, &both);
    for (int i = 0; i < LINKS; i++) {
        zx_node e[LINKS], column[LINKS];
        for (int j = 0; j < LINKS; j++) e[j] = j == i ? num(p, 1) : ZX_NONE;
        zx_direction d = {.velocity = e, .slots = LINKS, .time = ZX_NONE};
        zx_directional(p, a->momentum, LINKS, &d, column);
        for (int j = 0; j < LINKS; j++) a->M[j][i] = column[j];
        v[i] = v_(p, i);
    }
    zx_direction motion = {.position = v, .slots = LINKS, .time = num(p, 1)};
    zx_directional(p, a->momentum, LINKS, &motion, rate);
    for (int i = 0; i < LINKS; i++) a->Q[i] = sub(p, dq[i], rate[i]);
}

static int64_t count_operations(zx_pool *p, const arm *a)
{
    zx_node roots[LINKS * LINKS];
    int32_t count = 0;
    for (int i = 0; i < LINKS; i++)
        for (int j = i; j < LINKS; j++) roots[count++] = a->M[i][j];
    for (int i = 0; i < LINKS; i++) roots[count++] = a->Q[i];
    return zx_operation_count(p, roots, count);
}

static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

POOL_TEST(few_operations, true)
{
    arm a;
    double start = seconds();
    build_energies(&b->pool, &a);
    derive(&b->pool, &a);
    int64_t operations = count_operations(&b->pool, &a);
    printf("arm: L %lld, M and Q %lld operations, %d nodes, %.2f ms\n",
           (long long)zx_operation_count(&b->pool, &a.lagrangian, 1), (long long)operations,
           b->pool.count, 1e3 * (seconds() - start));
    assert_true(operations < 2500);
}

static double close_to(double x, double y, double scale)
{
    double difference = x > y ? x - y : y - x;
    return difference <= 1e-12 * scale;
}

POOL_TEST(right_equations, true)
{
    arm a;
    leaf_values x;
    uint64_t seed = 5;
    for (int i = 0; i < LEAVES; i++) {
        x.q[i] = random_real(&seed, -2, 2), x.v[i] = random_real(&seed, -2, 2);
        x.z[i] = random_real(&seed, -2, 2), x.value[i] = random_real(&seed, 0.5, 2);
    }
    build_energies(&b->pool, &a);
    derive(&b->pool, &a);
    zx_node energy = add(&b->pool, a.energy_kinetic, a.energy_potential);
    double rate = zx_evaluate(&b->pool, zx_time_derivative(&b->pool, energy), leaf_value, &x);
    double power = 0, size = 0;
    for (int i = 0; i < LINKS; i++) {
        double force = -zx_evaluate(&b->pool, a.Q[i], leaf_value, &x);
        for (int j = 0; j < LINKS; j++) {
            double M = zx_evaluate(&b->pool, a.M[i][j], leaf_value, &x);
            assert_true(close_to(M, zx_evaluate(&b->pool, a.M[j][i], leaf_value, &x), 100));
            force += M * x.z[j];
            size += M > 0 ? M : -M;
        }
        power += force * x.v[i];
    }
    assert_true(close_to(power, rate, size * 100));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_operations),
        cmocka_unit_test(right_equations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
