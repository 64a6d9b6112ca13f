/*
 * The equations of models at an instant, against what one derives by hand; parameters, states,
 * friction; names.
 */
#include "bench.h"

#include <math.h>
#include <string.h>

/* Polar coordinates: M = diag(m, m r^2), Q = (m r w^2 - k (r - l), -2 m r r' w). */
static void spring_in_polar_coordinates(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "param m = 2, k = 3, l = 0.5\n"
                   "coord r, phi\n"
                   "kinetic m/2*(r'^2 + r^2*phi'^2)\n"
                   "potential k/2*(r - l)^2\n");
    double q[] = {1.25, 0.3}, v[] = {0.7, -1.1}, M[4], Q[2], z[2];
    assert_int_equal(zw_sim_set_state(b.sim, 0.0, q, v), ZW_OK);
    zw_instant instant = {.M = M, .Q = Q};
    assert_int_equal(zw_sim_instant(b.sim, &instant), ZW_OK);
    assert_false(instant.has_C || instant.has_W);
    bench_near(M[0], 2.0, 1e-15);
    bench_near(M[1], 0.0, 0.0);
    bench_near(M[2], 0.0, 0.0);
    bench_near(M[3], 2.0 * 1.25 * 1.25, 1e-15);
    bench_near(Q[0], 2.0 * 1.25 * 1.1 * 1.1 - 3.0 * 0.75, 1e-14);
    bench_near(Q[1], 2.0 * 2.0 * 1.25 * 0.7 * 1.1, 1e-14);
    assert_int_equal(zw_sim_acceleration(b.sim, 0.0, q, v, z), ZW_OK);
    bench_near(z[0], Q[0] / M[0], 1e-14);
    bench_near(z[1], Q[1] / M[3], 1e-14);
    bench_close(&b);
}

/* Pendulum in the plane: A = (2x, 2y), b = -2 (v.v). */
static void pendulum_rows(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "coord x, y\nkinetic 0.5*(x'^2 + y'^2)\npotential 9.81*y\n"
                   "constraint rod: x^2 + y^2 = 1\n");
    double q[] = {0.6, -0.8}, v[] = {0.8, 0.6}, A[2], rhs, value, rate, z[2];
    zw_sim_set_state(b.sim, 0.0, q, v);
    zw_instant instant = {.A = A, .b = &rhs, .value = &value, .rate = &rate};
    assert_int_equal(zw_sim_instant(b.sim, &instant), ZW_OK);
    bench_near(A[0], 1.2, 1e-15);
    bench_near(A[1], -1.6, 1e-15);
    bench_near(rhs, -2.0, 1e-15);
    bench_near(value, 0.0, 1e-15);
    bench_near(rate, 0.0, 1e-15);
    assert_int_equal(zw_sim_acceleration(b.sim, 0.0, q, v, z), ZW_OK);
    bench_near(A[0] * z[0] + A[1] * z[1], rhs, 1e-14);
    bench_near(-q[1] * z[0] + q[0] * z[1], -9.81 * q[0], 1e-14); /* along the circle */
    bench_close(&b);
}

/* Appell's constraint in the form of THEORY, with alpha = 0. */
static void appell(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "coord x, y, z\nkinetic 0.5*(x'^2 + y'^2 + z'^2)\npotential 9.81*z\n"
                   "constraint cone: (x'^2 + y'^2 - z'^2)/2 = 0\n");
    double q[] = {0.0, 0.0, 0.0}, v[] = {3.0, 4.0, 5.0}, a[3];
    zw_row_kind kind;
    assert_int_equal(zw_model_row_kind(b.model, 0, &kind), ZW_OK);
    assert_int_equal(kind, ZW_NONLINEAR);
    assert_int_equal(zw_sim_acceleration(b.sim, 0.0, q, v, a), ZW_OK);
    double c = (0.0 - 9.81 * v[2]) / 50.0;
    bench_near(a[0], c * v[0], 1e-13);
    bench_near(a[1], c * v[1], 1e-13);
    bench_near(a[2], -9.81 - c * v[2], 1e-13);
    bench_close(&b);
}

/* A block on a table: the friction follows the reaction; sums of reactions and components. */
static void friction_follows_the_reaction(void **state)
{
    (void)state;
    static const char *const forms[] = {"reaction(table)", "reaction()", "abs(multiplier(table))",
                                        "reaction(table, y)"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        bench b;
        char text[400] = "param mu = 0.3, g = 9.81, m = 2\ncoord x, y\n"
                         "kinetic m/2*(x'^2 + y'^2)\npotential m*g*y\n"
                         "constraint table: y = 0\nnonideal x: -mu*sign(x')*";
        strcat(text, forms[i]);
        bench_open(&b, text);
        double q[] = {0.0, 0.0}, v[] = {1.0, 0.0}, z[2], C[2];
        assert_int_equal(zw_sim_acceleration(b.sim, 0.0, q, v, z), ZW_OK);
        bench_near(z[0], -0.3 * 9.81, 1e-14);
        bench_near(z[1], 0.0, 1e-14);
        zw_sim_set_state(b.sim, 0.0, q, v);
        zw_instant instant = {.C = C};
        assert_int_equal(zw_sim_instant(b.sim, &instant), ZW_OK);
        assert_true(instant.has_C);
        bench_near(C[0], -0.3 * 9.81 * 2.0, 1e-14);
        bench_close(&b);
    }
}

static void parameters_without_compiling_again(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "param N = 2, k = 3, c = 2*k, m = [1, 2]\ncoord x[N]\n"
                   "kinetic m[1]/2*x[1]'^2 + m[2]/2*x[2]'^2\nforce x[1]: c\n");
    double q[2] = {0.0, 0.0}, v[2] = {0.0, 0.0}, z[2];
    assert_int_equal(zw_sim_acceleration(b.sim, 0.0, q, v, z), ZW_OK);
    bench_near(z[0], 6.0, 1e-15);
    assert_int_equal(zw_sim_set_parameters(b.sim, "k = 5, m = [2, 1]"), ZW_OK);
    assert_int_equal(zw_sim_acceleration(b.sim, 0.0, q, v, z), ZW_OK);
    bench_near(z[0], 5.0, 1e-15); /* c = 2 k follows */
    assert_int_equal(zw_sim_set_parameters(b.sim, "k = 7, nonsense = 1"), ZW_ERR_SETTING);
    assert_int_equal(zw_sim_set_parameters(b.sim, "N = 3"), ZW_ERR_SETTING);
    assert_int_equal(zw_sim_acceleration(b.sim, 0.0, q, v, z), ZW_OK);
    bench_near(z[0], 5.0, 1e-15); /* a wrong text changes nothing */
    assert_int_equal(zw_sim_set_parameters(b.sim, "c = 1"), ZW_OK);
    assert_int_equal(zw_sim_set_parameters(b.sim, "k = 100"), ZW_OK);
    assert_int_equal(zw_sim_acceleration(b.sim, 0.0, q, v, z), ZW_OK);
    bench_near(z[0], 0.5, 1e-15); /* an overridden one stays */
    bench_close(&b);
}

static void states_by_name(void **state)
{
    (void)state;
    bench b;
    double t, q[4], v[4];
    bench_open(&b, "param a = 2\ncoord x, r[3]\nkinetic 0.5*(x'^2 + dot(r', r'))\n");
    assert_int_equal(zw_sim_assign(b.sim, "x = a + 1, r' = [0, 0, 4], r[2] = -1"), ZW_OK);
    assert_int_equal(zw_sim_state(b.sim, &t, q, v), ZW_OK);
    bench_near(q[0], 3.0, 0.0);
    bench_near(q[2], -1.0, 0.0);
    bench_near(v[3], 4.0, 0.0);
    assert_int_equal(zw_sim_assign(b.sim, "x = 9, y = 1"), ZW_ERR_SETTING);
    assert_int_equal(zw_sim_state(b.sim, &t, q, v), ZW_OK);
    bench_near(q[0], 3.0, 0.0);
    bench_close(&b);
}

/* Two shapes of weight; the identity elsewhere. */
static void weights(void **state)
{
    (void)state;
    bench b;
    double W[9];
    bench_open(&b, "param w = 3\ncoord x, y\nkinetic 0.5*(x'^2 + y'^2)\n"
                   "constraint a: x'' = 0\nconstraint c: [x'', y''] = [1, 1]\n"
                   "weight a: w\nweight c: [2, 5]\nweight a, c: [[0.5, 0]]\n");
    zw_instant instant = {.W = W};
    assert_int_equal(zw_sim_instant(b.sim, &instant), ZW_OK);
    assert_true(instant.has_W);
    const double expected[] = {3.0, 0.5, 0.0, 0.5, 2.0, 0.0, 0.0, 0.0, 5.0};
    for (int i = 0; i < 9; i++) bench_near(W[i], expected[i], 0.0);
    assert_int_equal(zw_sim_set_parameters(b.sim, "w = 7"), ZW_OK);
    assert_int_equal(zw_sim_instant(b.sim, &instant), ZW_OK);
    bench_near(W[0], 7.0, 0.0);
    bench_close(&b);
}

/* A family of many instances gives what a few lines of C give. */
static void chain(void **state)
{
    (void)state;
    enum { N = 25 };
    bench b;
    double q[2 * N], v[2 * N], z[2 * N];
    bench_open(&b, "param N = 25, m = 1/N, l = 1/N, g = 9.81\ncoord x[N], y[N]\n"
                   "kinetic sum(i in 1..N, m/2*(x[i]'^2 + y[i]'^2))\n"
                   "potential sum(i in 1..N, m*g*y[i])\n"
                   "constraint rod[1]: x[1]^2 + y[1]^2 = l^2\n"
                   "for i in 2..N {\n"
                   "  constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2\n}\n");
    for (int i = 0; i < N; i++) {
        q[i] = (i + 1) / (double)N * 0.8;
        q[N + i] = -(i + 1) / (double)N * 0.6;
        v[i] = -q[N + i] * (1.0 + 0.1 * i);
        v[N + i] = q[i] * (1.0 + 0.1 * i);
    }
    assert_int_equal(zw_sim_acceleration(b.sim, 0.0, q, v, z), ZW_OK);
    for (int i = 0; i < N; i++) {
        double dx = q[i] - (i ? q[i - 1] : 0.0), dy = q[N + i] - (i ? q[N + i - 1] : 0.0);
        double du = v[i] - (i ? v[i - 1] : 0.0), dv = v[N + i] - (i ? v[N + i - 1] : 0.0);
        double ax = z[i] - (i ? z[i - 1] : 0.0), ay = z[N + i] - (i ? z[N + i - 1] : 0.0);
        bench_near(dx * ax + dy * ay, -(du * du + dv * dv), 1e-12);
    }
    char name[32];
    assert_int_equal(zw_model_row_name(b.model, 16, name, sizeof name), 7);
    assert_string_equal(name, "rod[17]");
    assert_int_equal(zw_model_coordinate_name(b.model, 26, name, sizeof name), 4);
    assert_string_equal(name, "y[2]");
    assert_int_equal(zw_model_row_name(b.model, 25, name, sizeof name), 0);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spring_in_polar_coordinates),
        cmocka_unit_test(pendulum_rows),
        cmocka_unit_test(appell),
        cmocka_unit_test(friction_follows_the_reaction),
        cmocka_unit_test(parameters_without_compiling_again),
        cmocka_unit_test(states_by_name),
        cmocka_unit_test(weights),
        cmocka_unit_test(chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
