/*
 * test_gauss16_runs.c: whole runs by gauss16 against closed forms: a pendulum over long times, its
 * energy held and told, a ball that bounces, rows that are redundant, dead centres; the same bits by
 * byte code and machine code, and where a run is saved on the way.
 *
 * With an argument, `long`: the pendulum over a million periods, and nothing else.
 */
#include "journey.h"
#include "reference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char swing[] = "coord x, y\n"
                            "kinetic (x'^2 + y'^2)/2\n"
                            "potential y\n"
                            "constraint rod: x^2 + y^2 = 1\n"
                            "start x = sin(2), y = -cos(2)\n"
                            "simulate t = 0..8349755, method = gauss16\n";

/* ---------------------------------------------------------------------- long times */

/* Up to `last`, at the tolerances of the file; nothing is set but the method. */
static void follow_pendulum(double last)
{
    static const double times[] = {1e3, 1e5, 1e6, 8349755}, within[] = {1e-12, 1e-10, 1e-9, 1e-8};
    journey j = journey_open(swing, NULL, "x, y, x', y', energy");
    j.settings.max_steps = 0;
    journey_begin(&j);
    assert_true(j.settings.tol == 1e-12);
    for (int k = 0; k < 4 && times[k] <= last; k++) {
        static const char *const names[] = {"x", "y", "x'", "y'"};
        journey_to(&j, times[k]);
        for (int i = 0; i < 4; i++) {
            double exact = reference_at("derivatives/long_pendulum", times[k], names[i]);
            if (!(fabs(j.row[1 + i] - exact) <= within[k]))
                fail_msg("%s at %g is off by %g", names[i], times[k], fabs(j.row[1 + i] - exact));
        }
        if (!(fabs(j.row[5] - reference_at("derivatives/long_pendulum", times[k], "energy")) <=
              1e-14))
            fail_msg("the energy at %g is %.17g", times[k], j.row[5]);
    }
    zw_run_statistics s = journey_statistics(&j);
    assert_true(s.energy.held && s.energy.conserved);
    assert_true(s.trust == ZW_TRUST_OK || last > 1e5); /* corrections add up: a remark by then */
    journey_close(&j);
}

static void test_long_pendulum(void **state)
{
    (void)state;
    follow_pendulum(1e5);
}

static void test_million_periods(void **state)
{
    (void)state;
    follow_pendulum(8349755);
}

/* ------------------------------------------------------------------------- energy */

/* Steps that are much too long: the energy is held, and the verdict tells what it would be off by,
 * which is what it is off by where nothing is held. */
static void test_honest_energy(void **state)
{
    (void)state;
    double error[2], off[2];
    for (int k = 0; k < 2; k++) {
        journey j = journey_open(swing, NULL, "energy");
        j.settings.tol = 1e-5;
        j.settings.step = 1.6;
        j.settings.hold = k == 0 ? ZW_HOLD_ENERGY : ZW_HOLD_NOTHING;
        journey_begin(&j);
        journey_to(&j, 0.0);
        double start = j.row[1];
        journey_to(&j, 4000.0);
        zw_run_statistics s = journey_statistics(&j);
        assert_true(s.energy.held == (k == 0));
        error[k] = fabs(s.energy.error);
        off[k] = fabs(j.row[1] - start);
        journey_close(&j);
    }
    assert_true(off[0] < 1e-13);
    if (!(error[0] > 0.5 * error[1] && error[0] < 2.0 * error[1]))
        fail_msg("told %g, without %g", error[0], error[1]);
    assert_true(fabs(error[1] - off[1]) < 1e-12);
}

/* A model that does not conserve its energy has nothing to hold. */
static void test_nothing_to_hold(void **state)
{
    (void)state;
    journey j = journey_open("coord x\nkinetic x'^2/2\npotential x^2/2\nforce x: -0.1*x'\n"
                             "start x = 1\nsimulate t = 0..10, method = gauss16\n",
                             NULL, "x");
    journey_begin(&j);
    journey_to(&j, 10.0);
    double w = sqrt(1.0 - 0.05 * 0.05), t = 10.0;
    double exact = exp(-0.05 * t) * (cos(w * t) + 0.05 / w * sin(w * t));
    assert_true(fabs(j.row[1] - exact) < 1e-13);
    zw_run_statistics s = journey_statistics(&j);
    assert_true(!s.energy.held && fabs(s.energy.error) < 1e-13); /* its work rides along */
    journey_close(&j);
}

/* ------------------------------------------------------------------------- events */

/* A ball that bounces by an event: falls take sqrt(2/g), then twice e^k of that. */
static void test_bounces(void **state)
{
    (void)state;
    const double g = 9.81, e = 0.8;
    journey j = journey_open("coord y\nkinetic y'^2/2\npotential 9.81*y\nstart y = 1\n"
                             "when y < 0 and y' < 0: y' = -0.8*y'\n"
                             "simulate t = 0..2, method = gauss16\n",
                             NULL, "y, y'");
    journey_begin(&j);
    journey_to(&j, 2.0);
    double t = sqrt(2.0 / g), v = e * g * t;
    while (t + 2.0 * v / g < 2.0) {
        t += 2.0 * v / g;
        v *= e;
    }
    double s = 2.0 - t, y = v * s - 0.5 * g * s * s;
    /* Moments are found to the last bits of times up to 2, speeds are g times as much off. */
    if (!(fabs(j.row[1] - y) < 1e-14)) fail_msg("off by %g", fabs(j.row[1] - y));
    assert_true(fabs(j.row[2] - (v - g * s)) < 1e-13);
    journey_close(&j);
}

/* ----------------------------------------------------------------------- constraints */

/* The rod three times, one of them squared: rows depend on each other, and the motion is the same. */
static void test_redundant_rows(void **state)
{
    (void)state;
    journey j = journey_open("coord x, y\nkinetic (x'^2 + y'^2)/2\npotential y\n"
                             "constraint rod: x^2 + y^2 = 1\nconstraint again: 2*x^2 + 2*y^2 = 2\n"
                             "start x = sin(2), y = -cos(2)\n"
                             "simulate t = 0..1000, method = gauss16\n",
                             NULL, "x, y");
    journey_begin(&j);
    journey_to(&j, 1000.0);
    assert_true(fabs(j.row[1] - reference_at("derivatives/long_pendulum", 1000.0, "x")) < 1e-12);
    assert_true(journey_off(&j) < 1e-14);
    journey_close(&j);
}

/* ---------------------------------------------------------------------------- bits */

/* A crank and a rod of one length, which pass a singular configuration twice a turn. */
static const char crank[] = "coord p[2], s\n"
                            "kinetic (dot(p', p') + s'^2)/2\n"
                            "potential p[2]\n"
                            "constraint crank: dot(p, p) = 1\n"
                            "constraint rod: (s - p[1])^2 + p[2]^2 = 1\n"
                            "start p = [0.6, 0.8], s = 1.2, p' = [-3.2, 2.4], s' = -6.4\n"
                            "simulate t = 0..10, tol = 1e-11, method = gauss16\n";

/* Sums that ride along, a force with time in it, and an event. */
static const char pushed[] = "coord x\nkinetic x'^2/2\npotential x^2/2\nforce x: -0.1*x' + sin(t)\n"
                             "start x = 1\nwhen x > 1.5 and x' > 0: x' = -x'/2\n"
                             "simulate t = 0..30, tol = 1e-10, method = gauss16\n";

/* The state at `end`, by rows on the way. */
static int64_t run_by_kernel(const char *text, zw_kernel kernel, double end, double *state)
{
    journey j = journey_open(text, NULL, "energy");
    j.settings.kernel = kernel;
    journey_begin(&j);
    for (int k = 1; k <= 50; k++) journey_to(&j, end * k / 50.0);
    journey_state(&j, state);
    int64_t bridged = journey_statistics(&j).bridged;
    journey_close(&j);
    return bridged;
}

/* Byte code, machine code, and again: the same bits, through bridges and events. */
static void test_same_bits(void **state)
{
    (void)state;
    const char *const texts[] = {swing, crank, pushed};
    const double ends[] = {200.0, 10.0, 30.0};
    for (int k = 0; k < 3; k++) {
        double a[6] = {0}, b[6] = {0}, c[6] = {0};
        int64_t bridged = run_by_kernel(texts[k], ZW_KERNEL_BYTECODE, ends[k], a);
        assert_true((bridged > 0) == (k == 1));
        assert_true(run_by_kernel(texts[k], ZW_KERNEL_AUTO, ends[k], b) == bridged);
        assert_true(run_by_kernel(texts[k], ZW_KERNEL_AUTO, ends[k], c) == bridged);
        assert_memory_equal(a, b, sizeof a);
        assert_memory_equal(b, c, sizeof b);
    }
}

/* s = 2 p[1] through all dead centres, the energy held. */
static void test_dead_centres(void **state)
{
    (void)state;
    journey j = journey_open(crank, NULL, "s, p[1], energy");
    journey_begin(&j);
    journey_to(&j, 0.0);
    double start = j.row[3];
    for (int k = 1; k <= 100; k++) {
        journey_to(&j, 0.1 * k);
        assert_true(fabs(j.row[1] - 2.0 * j.row[2]) < 1e-8);
        assert_true(fabs(j.row[3] - start) < 1e-8 * start);
    }
    zw_run_statistics s = journey_statistics(&j);
    assert_true(s.trust != ZW_TRUST_NOT && s.bridged > 0 && s.bridged < s.steps);
    journey_close(&j);
}

/* ------------------------------------------------------------------------- saving */

/* `dt`: from one to the next. */
static void save_on_the_way(const char *text, double dt)
{
    journey a = journey_open(text, NULL, "energy"), b = journey_open(text, NULL, "energy");
    journey_begin(&a);
    journey_begin(&b);
    for (int k = 1; k <= 20; k++) {
        size_t size = 0;
        double x[6] = {0}, y[6] = {0};
        journey_to(&a, dt * k);
        assert_int_equal(zw_sim_save(a.l.sim, NULL, 0, &size), ZW_OK);
        void *bytes = malloc(size);
        assert_non_null(bytes);
        assert_int_equal(zw_sim_save(a.l.sim, bytes, size, &size), ZW_OK);
        assert_int_equal(zw_sim_restore(b.l.sim, bytes, size), ZW_OK);
        free(bytes);
        journey_to(&a, dt * (k + 0.6));
        journey_to(&b, dt * (k + 0.6));
        journey_state(&a, x);
        journey_state(&b, y);
        assert_memory_equal(x, y, sizeof x);
    }
    journey_close(&a);
    journey_close(&b);
}

static void test_saved_on_the_way(void **state)
{
    (void)state;
    save_on_the_way(swing, 1.7);
    save_on_the_way(crank, 0.11);
    save_on_the_way(pushed, 0.7);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_long_pendulum),   cmocka_unit_test(test_honest_energy),
        cmocka_unit_test(test_nothing_to_hold), cmocka_unit_test(test_bounces),
        cmocka_unit_test(test_redundant_rows),  cmocka_unit_test(test_saved_on_the_way),
        cmocka_unit_test(test_same_bits),       cmocka_unit_test(test_dead_centres),
    };
    const struct CMUnitTest longer[] = {cmocka_unit_test(test_million_periods)};
    if (argc > 1 && strcmp(argv[1], "long") == 0) return cmocka_run_group_tests(longer, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
