/*
 * Constraints that contradict each other, at the three levels: refused with the names and the size,
 * or run with the compromise of least squares.
 */
#include "bench.h"

#include <math.h>

#define POINT "coord x, y\nkinetic 0.5*(x'^2 + y'^2)\n"

static void two_rods_between_the_same_points(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, POINT "constraint rod: x^2 + y^2 = 1\n"
                         "constraint long_rod: x^2 + y^2 = 1.44\nstart x = 1\n");
    assert_int_equal(bench_start(&b, false), ZW_ERR_START);
    bench_expect(&b, "E0402", "position conflict");
    bench_expect(&b, "E0402", "`long_rod`");
    bench_expect(&b, "E0402", "`rod`");
    bench_expect(&b, "E0402", "0.311127"); /* 0.44/sqrt(2) */
    assert_int_equal(bench_message(&b, "E0402")->line, 4);
    zw_context_clear_diagnostics(b.context);
    assert_int_equal(bench_start(&b, true), ZW_OK);
    bench_expect(&b, "W0403", "position conflict");
    bench_near(b.q[0], sqrt(1.22), 1e-12);
    bench_near(b.q[1], 0.0, 1e-12);
    bench_close(&b);
}

/* The weight decides where the compromise is: minimise 3 (s - 1)^2 + (s - 1.44)^2, s = r^2. */
static void the_compromise_is_weighted(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, POINT "constraint rod: x^2 + y^2 = 1\nconstraint long_rod: x^2 + y^2 = 1.44\n"
                         "weight rod: 3\nstart x = 1\nsimulate t = 0..1, inconsistent = accept\n");
    assert_int_equal(bench_start(&b, false), ZW_OK); /* the model itself accepts */
    bench_near(b.q[0], sqrt(1.11), 1e-12);
    bench_close(&b);
}

/* Rows that are dependent at the compromise only. */
static void a_line_that_misses_the_circle(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, POINT "constraint circle: x^2 + y^2 = 1\nconstraint line: x = 2\n"
                         "start x = 1, y = 0.1\n");
    assert_int_equal(bench_start(&b, false), ZW_ERR_START);
    bench_expect(&b, "E0402", "conflict: `line`");
    bench_expect(&b, "E0402", "`circle`");
    bench_close(&b);
}

static void velocities(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, POINT "constraint a: x' + y' = 1\nconstraint b: 2*x' + 2*y' = 4\n");
    assert_int_equal(bench_start(&b, false), ZW_ERR_START);
    bench_expect(&b, "E0402", "velocity conflict: `b`");
    bench_expect(&b, "E0402", "they differ by 2 (size 0.894427 in ");
    assert_int_equal(bench_start(&b, true), ZW_OK);
    bench_near(b.v[0], 0.9, 1e-14); /* minimise (s - 1)^2 + (2 s - 4)^2: s = 1.8 */
    bench_near(b.v[1], 0.9, 1e-14);
    bench_close(&b);
}

/* THEORY: runs always, by the principle. */
static void accelerations(void **state)
{
    (void)state;
    bench b;
    double z[2];
    bench_open(&b, POINT "constraint a: x'' = 1\nconstraint c: x'' = 2\n");
    assert_int_equal(bench_check(&b, false, ZW_REPORT_TEXT), ZW_OK);
    bench_expect(&b, "W0413", "acceleration conflict: `c`");
    assert_true(bench_contains(&b, "acceleration conflict: `c` against `a`: they differ by 1 (size "
                                   "0.707107"));
    bench_start(&b, false);
    assert_int_equal(zw_sim_acceleration(b.sim, 0.0, b.q, b.v, z), ZW_OK);
    bench_near(z[0], 1.5, 1e-15);
    bench_close(&b);
}

/* Redundant rows of different form agree: rounding is no conflict. */
static void redundant_is_not_conflicting(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, POINT "constraint square: x^2 + y^2 = 2\n"
                         "constraint root: sqrt(x^2 + y^2) = sqrt(2)\n"
                         "constraint triple: 3*x^2 + 3*y^2 = 6\nstart x = 30, y = 40\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    bench_near(b.q[0], 0.6 * sqrt(2.0), 1e-15);
    bench_near(b.q[1], 0.8 * sqrt(2.0), 1e-15);
    assert_null(bench_message(&b, "E0402"));
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_rods_between_the_same_points),
        cmocka_unit_test(the_compromise_is_weighted),
        cmocka_unit_test(a_line_that_misses_the_circle),
        cmocka_unit_test(velocities),
        cmocka_unit_test(accelerations),
        cmocka_unit_test(redundant_is_not_conflicting),
    };
    int failed = cmocka_run_group_tests_name("auto", tests, bench_auto, NULL);
    return failed + cmocka_run_group_tests_name("sparse", tests, bench_sparse, NULL);
}
