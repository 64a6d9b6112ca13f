/*
 * The start against closed forms: the nearest point in the metric M, fixed values, start
 * equations, velocities, singular mass matrices, given values that need each other; and what is
 * refused with which message.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define POINT "coord x, y\nkinetic 0.5*(x'^2 + y'^2)\n"
#define ROD "constraint rod: x^2 + y^2 = 1\n"

static void pendulum_goes_to_the_circle(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, POINT ROD "start x = 5, y = 1\nstart x' = 2, y' = 1\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    double r = sqrt(26.0), x = 5.0 / r, y = 1.0 / r, along = -y * 2.0 + x * 1.0;
    bench_near(b.q[0], x, 4e-16);
    bench_near(b.q[1], y, 4e-16);
    bench_near(b.v[0], -y * along, 4e-16);
    bench_near(b.v[1], x * along, 4e-16);
    bench_expect(&b, "W0411", "x from 5 to 0.980581");
    bench_expect(&b, "W0411", "`rod`");
    assert_int_equal(bench_message(&b, "W0411")->line, 4);
    bench_close(&b);
}

/* A start that is right to rounding is not touched, not even in its last bit. */
static void a_right_start_stays(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, POINT ROD "start x = 0.6, y = -0.8\nstart x' = 0.8*3, y' = 0.6*3\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    assert_true(b.q[0] == 0.6 && b.q[1] == -0.8 && b.v[0] == 0.8 * 3 && b.v[1] == 0.6 * 3);
    assert_int_equal(zw_context_diagnostic_count(b.context), 0);
    bench_close(&b);
}

/* Unequal masses: minimise m1 (x - 5)^2 + m2 (y - 1)^2 on x^2/4 + y^2 = 1. The multiplier mu
 * solves one equation; here by bisection. */
static void nearest_in_the_metric(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "coord x, y\nkinetic 0.5*(x'^2 + 9*y'^2)\n"
                   "constraint ellipse: x^2/4 + y^2 = 1\nstart x = 3, y = 2\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    double low = 0.0, high = 1000.0, x = 0.0, y = 0.0;
    for (int k = 0; k < 200; k++) {
        double mu = 0.5 * (low + high);
        x = 3.0 / (1.0 + mu / 4.0);
        y = 9.0 * 2.0 / (9.0 + mu);
        if (x * x / 4.0 + y * y > 1.0)
            low = mu;
        else
            high = mu;
    }
    bench_near(b.q[0], x, 1e-13);
    bench_near(b.q[1], y, 1e-13);
    bench_close(&b);
}

/* A chain that is drawn too long: to first order moving a link aside is the cheapest way to
 * shorten it, and steps that believe it do not arrive. */
static void stretched_chain(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "param N = 30, l = 1/N\ncoord x[N], y[N]\n"
                   "kinetic sum(i in 1..N, (x[i]'^2 + y[i]'^2)/2)\n"
                   "constraint rod[1]: x[1]^2 + y[1]^2 = l^2\n"
                   "for i in 2..N {\n"
                   "  constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2\n"
                   "  start x[i] = 1.1*i*l, y[i] = -0.1*i*l\n}\nstart x[1] = l\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    double value[30], worst = 0.0;
    zw_instant instant = {.value = value};
    assert_int_equal(zw_sim_instant(b.sim, &instant), ZW_OK);
    for (int i = 0; i < 30; i++) worst = fmax(worst, fabs(value[i]));
    bench_near(worst, 0.0, 1e-15);
    assert_true(b.q[29] > 0.98 && b.q[29] < 1.0);
    bench_close(&b);
}

static void fixed_values_stay(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, POINT ROD "start x = 0.6 fixed, y = 0.5\nstart y' = 3 fixed\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    assert_true(b.q[0] == 0.6 && b.v[1] == 3.0);
    bench_near(b.q[1], 0.8, 4e-16);
    bench_near(b.v[0], -4.0, 4e-15);
    bench_close(&b);
    bench_open(&b, POINT ROD "start x = 2 fixed, y = 0.5\n");
    assert_int_equal(bench_start(&b, false), ZW_ERR_START);
    bench_expect(&b, "E0404", "`rod` by 3");
    bench_expect(&b, "E0404", "x = 2 fixed");
    bench_close(&b);
}

static void start_equations(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, POINT "let s = x + y\n" ROD "start s = 1.2, s' = 0.3\nstart x = 0.9\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    double half = 0.6, d = sqrt(0.5 - half * half);
    bench_near(b.q[0], half + d, 1e-15);
    bench_near(b.q[1], half - d, 1e-15);
    bench_near(b.v[0] + b.v[1], 0.3, 1e-15);
    bench_near(b.q[0] * b.v[0] + b.q[1] * b.v[1], 0.0, 1e-15);
    bench_close(&b);
    bench_open(&b, POINT ROD "start (x + y) = 5\nstart x = 0.9, y = 0.3\n");
    assert_int_equal(bench_start(&b, false), ZW_ERR_START);
    bench_expect(&b, "E0404", "`rod`");
    bench_expect(&b, "E0404", "(x + y) = 5");
    assert_int_equal(bench_message(&b, "E0404")->line, 4);
    bench_close(&b);
}

/* The cone x'^2 + y'^2 = z'^2: the nearest point to (1, 2, 0.5) keeps the direction of (1, 2). */
static void nonlinear_velocities(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "coord x, y, z\nkinetic 0.5*(x'^2 + y'^2 + z'^2)\n"
                   "constraint cone: x'^2 + y'^2 = z'^2\nstart x' = 1, y' = 2, z' = 0.5\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    double r = sqrt(5.0), c = (r + 0.5) / 2.0;
    bench_near(b.v[0], c / r, 1e-15);
    bench_near(b.v[1], 2.0 * c / r, 1e-15);
    bench_near(b.v[2], c, 1e-15);
    bench_close(&b);
}

/* Coordinates without inertia follow those that have some; a free one moves least. */
static void singular_mass(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "coord x, y, s\nkinetic 0.5*x'^2\npotential x\n"
                   "constraint tie: s = 2*x\nconstraint tie2: y = s\nstart x = 1, x' = 3\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    bench_near(b.q[0], 1.0, 1e-15);
    bench_near(b.q[1], 2.0, 1e-15);
    bench_near(b.q[2], 2.0, 1e-15);
    bench_near(b.v[1], 6.0, 1e-14);
    bench_close(&b);
}

static void rheonomic_velocity(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, POINT "constraint moving: x = sin(3*t)\nsimulate t = 0.5..1\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    bench_near(b.t, 0.5, 0.0);
    bench_near(b.q[0], sin(1.5), 2e-16);
    bench_near(b.v[0], 3.0 * cos(1.5), 4e-16);
    bench_expect(&b, "R0613", "the values of x and x' were not given and follow");
    assert_null(bench_message(&b, "W0411"));
    bench_close(&b);
    bench_open(&b, POINT "constraint moving: x = sin(3*t)\nstart x = 2, x' = 3\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    bench_expect(&b, "W0411", "x from 2 to 0; before, `moving` was off by 2");
    bench_close(&b);
    bench_open(&b, POINT "constraint moving: x = sin(3*t)\nstart y = 1\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    bench_expect(&b, "R0613", "the value of x' was not given and follows from the constraints");
    bench_close(&b);
}

/* Few values, given ones first; one that moved in its last digits is told apart. */
static void moves_are_said_shortly(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "coord x[5], y\nkinetic 0.5*dot(x', x') + 0.5*y'^2\n"
                   "constraint a: x = [1, 2, 3, 4, 5]\nconstraint b: y = 9\n"
                   "start x = [0, 0, 0, 0, 1]\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    bench_expect(&b, "W0411",
                 ": x[4] from 0 to 4, x[5] from 1 to 5, x[3] from 0 to 3 and 3 more values; "
                 "before, `b` was off by 9 and `a[4]` by 4");
    bench_close(&b);
    bench_open(&b, POINT "constraint a: x = 1\nconstraint b: y = 2\nstart x = 1 + 1e-9\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    bench_expect(&b, "W0411", ": x from 1.000000001 to 1 and y (not given) to 2; before");
    bench_close(&b);
}

static void given_values_in_any_order(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "coord x, y, z\nkinetic 0.5*(x'^2 + y'^2 + z'^2)\n"
                   "start x = y + 1, y = 2*z, z = 3 + y', y' = 2*t + 1\nsimulate t = 1..2\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    bench_near(b.q[0], 13.0, 0.0);
    bench_near(b.q[1], 12.0, 0.0);
    bench_near(b.q[2], 6.0, 0.0);
    bench_close(&b);
    assert_int_equal(bench_compile(&b, "coord x, y\nkinetic x'^2 + y'^2\nstart x = y, y = 2*x\n"),
                     ZW_ERR_MODEL);
    bench_expect(&b, "E0401", "x needs y needs x");
    bench_close(&b);
}

/* No value given, and the rod has no direction: one is chosen, and said. */
static void a_direction_is_chosen(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, POINT ROD);
    assert_int_equal(bench_start(&b, false), ZW_OK);
    bench_near(hypot(b.q[0], b.q[1]), 1.0, 4e-16);
    bench_expect(&b, "W0411", "from beside them");
    bench_close(&b);
}

static void not_a_number(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, POINT "potential 1/x\n");
    assert_int_equal(bench_start(&b, false), ZW_ERR_NOT_FINITE);
    bench_expect(&b, "E0406", "1/x");
    bench_expect(&b, "E0406", "division by zero");
    bench_close(&b);
    bench_open(&b, POINT "constraint c: sqrt(x - 2) = y\n");
    assert_int_equal(bench_start(&b, false), ZW_ERR_NOT_FINITE);
    bench_expect(&b, "E0406", "sqrt(x - 2)");
    bench_expect(&b, "E0406", "x - 2 = -2");
    bench_close(&b);
    bench_open(&b, POINT "param a = -1\nstart x = sqrt(a)\n");
    assert_int_equal(bench_start(&b, false), ZW_ERR_NOT_FINITE);
    assert_int_equal(bench_message(&b, "E0406")->line, 4);
    bench_close(&b);
}

static void no_inertia(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "coord x, y\nkinetic 0.5*x'^2\nforce y: 1\n");
    assert_int_equal(bench_start(&b, false), ZW_ERR_UNDETERMINED);
    bench_expect(&b, "E0407", "coordinate y has no inertia and no constraint determines it");
    assert_null(strstr(bench_message(&b, "E0407")->sentence, "at the start"));
    bench_close(&b);
    bench_open(&b, "coord x, y\nkinetic 0.5*x'^2\nconstraint c: x*y = 0\n");
    assert_int_equal(bench_start(&b, false), ZW_ERR_UNDETERMINED);
    bench_expect(&b, "E0407", "no constraint determines it at the start");
    bench_close(&b);
    bench_open(&b, "coord x, y\nkinetic 0.5*(x'^2 - y'^2)\n");
    assert_int_equal(bench_start(&b, false), ZW_ERR_INDEFINITE);
    bench_expect(&b, "E0408", "coordinate y");
    bench_close(&b);
    bench_open(&b, POINT "constraint a: x'' = 1\nweight a: -1\n");
    assert_int_equal(bench_start(&b, false), ZW_ERR_INDEFINITE);
    bench_expect(&b, "E0409", "`a`");
    bench_close(&b);
}

/* The coordinate or row that fails is named, whatever other numbers the solver's sentence has. */
static void what_fails_is_named(void **state)
{
    (void)state;
    for (int n = 2; n <= 42; n += 8)
        for (int k = 1; k <= n; k += 1 + n / 5) {
            bench b;
            char text[400], name[32];
            (void)snprintf(text, sizeof text,
                           "param m1 = -12345.6789, k = %d\ncoord x[%d]\n"
                           "kinetic 0.5*sum(i in 1..%d, if(i == k, m1, 99.5)*x[i]'^2)\n",
                           k, n, n);
            (void)snprintf(name, sizeof name, "x[%d]", k);
            bench_open(&b, text);
            assert_int_equal(bench_start(&b, false), ZW_ERR_INDEFINITE);
            bench_expect(&b, "E0408", name);
            bench_close(&b);
            (void)snprintf(
                text, sizeof text,
                "coord x[%d]\nkinetic 0.5*dot(x', x')\nfor i in 1..%d {\n"
                "  constraint c[i]: x[i]'' = 1\n  weight c[i]: if(i == %d, -7.25, 33.5)\n}\n",
                n, n, k);
            (void)snprintf(name, sizeof name, "`c[%d]`", k);
            bench_open(&b, text);
            assert_int_equal(bench_start(&b, false), ZW_ERR_INDEFINITE);
            bench_expect(&b, "E0409", name);
            bench_close(&b);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_goes_to_the_circle),
        cmocka_unit_test(a_right_start_stays),
        cmocka_unit_test(nearest_in_the_metric),
        cmocka_unit_test(stretched_chain),
        cmocka_unit_test(fixed_values_stay),
        cmocka_unit_test(start_equations),
        cmocka_unit_test(nonlinear_velocities),
        cmocka_unit_test(singular_mass),
        cmocka_unit_test(rheonomic_velocity),
        cmocka_unit_test(moves_are_said_shortly),
        cmocka_unit_test(given_values_in_any_order),
        cmocka_unit_test(a_direction_is_chosen),
        cmocka_unit_test(not_a_number),
        cmocka_unit_test(no_inertia),
        cmocka_unit_test(what_fails_is_named),
    };
    int failed = cmocka_run_group_tests_name("auto", tests, bench_auto, NULL);
    return failed + cmocka_run_group_tests_name("sparse", tests, bench_sparse, NULL);
}
