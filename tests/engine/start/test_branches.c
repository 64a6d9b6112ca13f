/*
 * Which start is taken where there are several: values that are not given move first, parts that
 * nothing connects by themselves; start equations are no mistake; the nearest branch, no singular
 * point while there is another, no angle wound up; and what remains of a row is judged at the row's
 * own scale. The same from every solver. Random models are in tests/starts.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------- given values stay */

/* A speed is given, the spin that belongs to it is not. */
static void a_given_speed_stays(void **state)
{
    (void)state;
    static const char *const models[] = {
        "coord x, th\nkinetic x'^2/2 + 0.2*th'^2\nconstraint roll: x' = 0.5*th'\n",
        "coord x, y, a, s\nkinetic (x'^2 + y'^2 + 0.1*a'^2 + 0.3*s'^2)/2\nstart a = 0.3*0\n"
        "constraint along: x'*cos(a) + y'*sin(a) = 0.4*s'\nconstraint across: y'*cos(a) = "
        "x'*sin(a)\n",
        "coord x, y, w[3]\nkinetic (x'^2 + y'^2 + 0.4*dot(w', w'))/2\n"
        "constraint u: x' = w[2]'\nconstraint v: y' = -w[1]'\nconstraint no: w[3]' = 0\n",
        "coord x, l, r\nkinetic (2*x'^2 + 0.1*l'^2 + 0.3*r'^2)/2\n"
        "constraint left: x' = 0.3*l'\nconstraint right: x' = 0.3*r'\nconstraint again: l' = r'\n",
    };
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        char text[600] = "";
        bench b;
        strcat(strcat(text, models[k]), "start x' = 1\n");
        bench_open(&b, text);
        assert_int_equal(bench_start(&b, false), ZW_OK);
        bench_near(b.v[0], 1.0, 0.0);
        assert_null(bench_message(&b, "W0411"));
        bench_expect(&b, "R0613", "not given");
        bench_close(&b);
    }
}

/* In one part given values must move; they stay in the other, and what is free there follows. */
static void parts_do_not_release_each_other(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "coord x, y, u, w\nkinetic (x'^2 + y'^2 + u'^2 + w'^2)/2\n"
                   "constraint a: x^2 + y^2 = 1\nconstraint b: u^2 + w^2 = 1\n"
                   "start x = 3, u = 0.6\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    bench_near(b.q[0], 1.0, 1e-15);
    bench_near(b.q[1], 0.0, 1e-15);
    bench_near(b.q[2], 0.6, 0.0);
    bench_near(b.q[3], 0.8, 1e-15);
    bench_expect(&b, "W0411", "x from 3 to 1");
    bench_expect(&b, "R0616", "as near with w = -0.8 instead of 0.8");
    bench_close(&b);
}

/* A value that is wrong in its last digits is corrected: y cannot help. */
static void last_digits_do_not_stay(void **state)
{
    (void)state;
    static const double wrong[] = {1e-13, 1e-12, 1e-11, 1e-9};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        char text[200];
        bench b;
        snprintf(text, sizeof text,
                 "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint rod: x^2 + y^2 = 1\n"
                 "start x = 1 + %g\n",
                 wrong[k]);
        bench_open(&b, text);
        assert_int_equal(bench_start(&b, false), ZW_OK);
        bench_near(b.q[0], 1.0, 4e-16);
        bench_near(b.q[1], 0.0, 1e-15);
        bench_close(&b);
    }
}

static void an_equation_is_no_mistake(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint rod: x^2 + y^2 = 1\n"
                   "start x = 1, y = 0\nstart (y - x) = 0\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    bench_near(b.q[0], sqrt(0.5), 1e-15);
    bench_near(b.q[1], sqrt(0.5), 1e-15);
    bench_expect(&b, "R0615", "x from 1 to 0.707107");
    assert_null(bench_message(&b, "W0411"));
    bench_close(&b);
    bench_open(&b, "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint rod: x^2 + y^2 = 1\n"
                   "start x = 1, y = 0.1\nstart (y - x) = 0\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    bench_expect(&b, "W0411", "`rod`");
    bench_close(&b);
}

/* ---------------------------------------------------------------------- branches */

/* The tip of a cone is no answer, in velocities or positions; its two sides are equally near. */
static void no_tip_of_a_cone(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint cone: 4*y'^2 = x'^2\n"
                   "start x' = 1, y' = 0\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    bench_near(b.v[0], 0.8, 1e-13);
    bench_near(b.v[1], 0.4, 1e-13);
    bench_expect(&b, "R0616", "as near with y' = -0.4 instead of 0.4");
    bench_close(&b);
    bench_open(&b, "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint cone: 4*y^2 = x^2\n"
                   "start x = 1, y = 0.1\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    bench_near(b.q[0], 0.84, 1e-13);
    bench_near(b.q[1], 0.42, 1e-13);
    bench_close(&b);
}

/* A point that is alone is taken, and it is said what it is. */
static void the_only_point(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint here: (x - 1)^2 + y^2 = 0\n"
                   "start x = 3, y = 0.5\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    bench_near(b.q[0], 1.0, 1e-7);
    bench_near(b.q[1], 0.0, 1e-7);
    bench_expect(&b, "R0616", "singular");
    bench_close(&b);
}

/* The first step of Newton's method leads far away where cos(x) is nearly level. */
static void angles_are_not_wound_up(void **state)
{
    (void)state;
    bench b;
    for (int k = 1; k <= 17; k++) {
        char text[200];
        double given = 0.01 * k * k;
        snprintf(text, sizeof text,
                 "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: cos(x) = 0.2\n"
                 "constraint d: sin(y) = 0.7\nstart x = %.17g, y = pi/2 - %.17g\n",
                 given, given);
        bench_open(&b, text);
        assert_int_equal(bench_start(&b, false), ZW_OK);
        bench_near(b.q[0], acos(0.2), 1e-14);
        double y = asin(0.7), far = fabs(1.5707963267948966 - given - y);
        assert_true(fabs(b.q[1] - (1.5707963267948966 - given)) <= far + 1e-14);
        bench_close(&b);
    }
}

/* Rows that depend on each other on the constraint only: each forbids a direction beside it. */
static void dependent_rows_beside_the_constraint(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "coord x, y\nkinetic (x'^2 + y'^2)/2\nlet f = x^2 + 4*y^2 - 4\n"
                   "constraint a: f = 0\nconstraint b: f*(1 + x) = 0\nconstraint c: f*(2 - y) = 0\n"
                   "start x = 1, y = 2\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    bench_near(b.q[0] * b.q[0] + 4.0 * b.q[1] * b.q[1], 4.0, 1e-14);
    double along = -4.0 * b.q[1] * (1.0 - b.q[0]) + b.q[0] * (2.0 - b.q[1]);
    bench_near(along, 0.0, 1e-9);
    bench_close(&b);
}

/* ------------------------------------------------------------------------ scales */

/* A contradiction of 1e-4 is one, however large other numbers are. */
static void rows_are_judged_at_their_scale(void **state)
{
    (void)state;
    static const char *const models[] = {
        "constraint a: (x - 1e5)^2 + y^2 = 1\nconstraint b: (x - 1e5)^2 + y^2 = 1.0001\n"
        "start x = 1e5 + 2, y = 0.3\n",
        "constraint far: z = 1e9\nconstraint a: x^2 + y^2 = 1\nconstraint b: x^2 + y^2 = 1.0001\n"
        "start x = 2, y = 0.3, z = 1e9 + 1\n",
        "constraint far: z' = 1e9\nconstraint a: x' + y' = 1\nconstraint b: x' + y' = 1.0001\n"
        "start x' = 2, y' = 0.3, z' = 1e9 + 1\n",
    };
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        char text[400] = "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\n";
        bench b;
        bench_open(&b, strcat(text, models[k]));
        assert_int_equal(bench_start(&b, false), ZW_ERR_START);
        bench_expect(&b, "E0402", "differ by 0.0001");
        bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_given_speed_stays),
        cmocka_unit_test(parts_do_not_release_each_other),
        cmocka_unit_test(last_digits_do_not_stay),
        cmocka_unit_test(an_equation_is_no_mistake),
        cmocka_unit_test(no_tip_of_a_cone),
        cmocka_unit_test(the_only_point),
        cmocka_unit_test(angles_are_not_wound_up),
        cmocka_unit_test(dependent_rows_beside_the_constraint),
        cmocka_unit_test(rows_are_judged_at_their_scale),
    };
    int failed = cmocka_run_group_tests_name("auto", tests, bench_auto, NULL);
    return failed + cmocka_run_group_tests_name("sparse", tests, bench_sparse, NULL);
}
