/*
 * test_convergence.c: what the methods promise, measured through the engine with projection on:
 * the order of each, errors that fall with the tolerance, energy over long runs, rows at rounding,
 * the times of events against closed forms, stiff forces.
 */
#include "journey.h"
#include "reference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* ----------------------------------------------------------------- measuring */

/* A problem with known values at one time. */
typedef struct target {
    const char *model, *columns, *file, *names[6];
    double t;
    int count;
} target;

static const target targets[] = {
    {"pendulum", "x,y,x',y'", "iftomm_a01_pendulum", {"x", "y", "vx", "vy"}, 2, 4},
    {"hoop", "x,y,z,x',y',z'", "uk_rotating_hoop", {"x", "y", "z", "d_x", "d_y", "d_z"}, 2, 6},
    {"sleigh",
     "X,Y,θ,X',Y',θ'",
     "chaplygin_sleigh",
     {"X", "Y", "theta", "d_X", "d_Y", "omega"},
     2,
     6},
};
enum { TARGETS = sizeof targets / sizeof *targets };

typedef struct measured {
    double error;
    double evaluations;
} measured;

static measured measure(const target *g, zw_method method, double tol, double h)
{
    journey j = journey_run(
        &(journey_plan){
            .model = g->model, .columns = g->columns, .method = method, .tol = tol, .step = h},
        g->t);
    measured m = {.evaluations = (double)journey_statistics(&j).evaluations};
    for (int i = 0; i < g->count; i++) {
        double expected = reference_at(g->file, g->t, g->names[i]);
        m.error = fmax(m.error, fabs(j.row[1 + i] - expected));
    }
    journey_close(&j);
    return m;
}

/* Steps of h, h/2, h/4: the error falls as h^4. */
static void test_order_rk4(void **state)
{
    (void)state;
    for (int k = 0; k < TARGETS; k++) {
        measured coarse = measure(&targets[k], ZW_RK4, 0, 1. / 128);
        for (int i = 8; i <= 9; i++) {
            measured fine = measure(&targets[k], ZW_RK4, 0, ldexp(1, -i));
            double order = log2(coarse.error / fine.error);
            print_message("rk4, %s, h = 1/%d: error %.2e, order %.2f\n", targets[k].model, 1 << i,
                          fine.error, order);
            assert_true(order > 3.7 && order < 4.5);
            coarse = fine;
        }
    }
}

/* Error against work over several decades of the tolerance: the slope is the order. */
static void expect_order(zw_method method, double from, double to, double least, double most)
{
    for (int k = 0; k < TARGETS; k++) {
        measured a = measure(&targets[k], method, from, 0);
        measured b = measure(&targets[k], method, to, 0);
        double order = log(a.error / b.error) / log(b.evaluations / a.evaluations);
        print_message("%s, %s: %.2e with %g evaluations, %.2e with %g, order %.2f\n",
                      zw_method_name(method), targets[k].model, a.error, a.evaluations, b.error,
                      b.evaluations, order);
        if (!(order >= least && order <= most)) fail_msg("the order is %g", order);
    }
}

static void test_order_adaptive(void **state)
{
    (void)state;
    expect_order(ZW_DOPRI5, 1e-5, 1e-11, 4.5, 6);
    expect_order(ZW_DOP853, 1e-4, 1e-11, 6.8, 10);
}

/* A tenth of the tolerance: at most half the error each time, a tenth of it on average; and never
 * far above the tolerance. */
static void test_tolerance(void **state)
{
    (void)state;
    static const zw_method methods[] = {ZW_DOP853, ZW_DOPRI5};
    for (int k = 0; k < 2 * TARGETS; k++) {
        const target *g = &targets[k / 2];
        double first = 0, last = 0, tol = 1e-4;
        print_message("%s, %s:", zw_method_name(methods[k % 2]), g->model);
        for (int i = 0; i < 7; i++, tol /= 10) {
            double error = measure(g, methods[k % 2], tol, 0).error;
            print_message(" %.1e", error);
            if (i > 0 && !(error < last)) fail_msg("the error has grown to %g at %g", error, tol);
            if (!(error <= 1e3 * tol)) fail_msg("an error of %g at tol = %g", error, tol);
            if (i == 0) first = error;
            last = error;
        }
        print_message("\n");
        double decades = log10(first / last);
        if (!(decades > 4.5)) fail_msg("six decades of tolerance bring %g", decades);
    }
}

/* Redundant rows cost nothing: off the constraints, inside a step, the 24 rows of Bricard's
 * mechanism are independent, and a solver that believes it needs thousands of steps for a motion
 * that is smooth. */
static void test_redundant(void **state)
{
    (void)state;
    static const double tols[] = {1e-6, 1e-9, 1e-12};
    static const long most[] = {60, 120, 250};
    for (int i = 0; i < 3; i++) {
        journey j = journey_run(&(journey_plan){.model = "bricard", .tol = tols[i]}, 5);
        zw_run_statistics s = journey_statistics(&j);
        print_message("bricard, tol %.0e: %lld steps, rank %d\n", tols[i], (long long)s.steps,
                      (int)s.rank);
        assert_true(s.steps <= most[i]);
        assert_int_equal(s.rank, 23);
        assert_true(s.inconsistency == 0);
        journey_close(&j);
    }
}

/* -------------------------------------------------------------- long runs */

/* Energy and rows after `t` seconds; both to what rounding leaves. */
static void long_run(const char *model, zw_method method, double tol, double t, double energy)
{
    journey j = journey_run(&(journey_plan){.model = model, .method = method, .tol = tol}, t);
    zw_run_statistics s = journey_statistics(&j);
    double off = journey_off(&j);
    print_message("%s, %s, %g s: energy off by %.1e of %.3g, rows by %.1e at the end, %.1e and "
                  "%.1e at worst\n",
                  model, zw_method_name(method), t, s.energy.error, s.energy.scale, off,
                  s.position.size, s.velocity.size);
    assert_true(s.energy.conserved == (s.energy.impressed == 0));
    assert_true(fabs(s.energy.error) <= energy * s.energy.scale);
    assert_true(s.position.size <= 1e-13 && s.velocity.size <= 1e-13);
    assert_true(off <= 1e-13);
    journey_close(&j);
}

static void test_long_runs(void **state)
{
    (void)state;
    long_run("pendulum", ZW_DOP853, 1e-12, 200, 1e-10);
    long_run("double_pendulum", ZW_DOP853, 1e-12, 50, 1e-10);
    long_run("knife_edge", ZW_DOP853, 1e-12, 100, 1e-10);
    long_run("two_balls", ZW_DOPRI5, 1e-10, 10, 1e-8);
}

/* Without projection the rows drift away, with it they do not: the comparison can fail. */
static void test_stabilize(void **state)
{
    (void)state;
    static const zw_stabilize ways[] = {ZW_PROJECT, ZW_BAUMGARTE, ZW_STABILIZE_NONE};
    double off[3];
    for (int i = 0; i < 3; i++) {
        journey j = journey_open("pendulum", NULL, NULL);
        j.settings.stabilize = ways[i];
        j.settings.tol = j.settings.abs_tol = 1e-6;
        journey_begin(&j);
        journey_to(&j, 20);
        off[i] = journey_off(&j);
        journey_close(&j);
    }
    print_message("rows off by %.1e projected, %.1e by Baumgarte, %.1e left alone\n", off[0],
                  off[1], off[2]);
    assert_true(off[0] <= 1e-13);
    assert_true(off[1] < off[2] / 10);
    assert_true(off[2] > 1e-6);
}

/* ------------------------------------------------------------------- events */

#define BALL                                                                                       \
    "param e = 0.9, g = 9.81\ncoord y\nkinetic y'^2/2\npotential g*y\nstart y = 1\n"               \
    "when y < 0: y' = -e*y'\n"

/* The k-th bounce is at t1 (1 + 2 e + 2 e^2 + ... + 2 e^(k-1)), t1 = sqrt(2 h / g). */
static void bounce(const char *setting, double e, zw_method method, double allowed)
{
    double t1 = sqrt(2 / 9.81), t = t1, flight = 2 * t1, worst = 0;
    double times[30];
    for (int k = 0; k < 30; k++) {
        times[k] = t;
        flight *= e;
        t += flight;
    }
    journey j = journey_open(BALL, setting, "y,y'");
    j.settings.method = method;
    j.settings.tol = j.settings.abs_tol = 1e-11;
    journey_begin(&j);
    journey_to(&j, times[29] + flight / 2); /* at the top after the thirtieth */
    assert_int_equal(zw_sim_fired_count(j.l.sim), 30);
    for (int k = 0; k < 30; k++) {
        zw_fired fired;
        assert_int_equal(zw_sim_fired(j.l.sim, k, &fired), ZW_OK);
        assert_int_equal(fired.event, 0);
        worst = fmax(worst, fabs(fired.t - times[k]));
    }
    double top = flight * flight * 9.81 / 8;
    print_message("bounces with %s, %s: times off by %.1e, height by %.1e, speed by %.1e\n",
                  setting, zw_method_name(method), worst, fabs(j.row[1] - top), fabs(j.row[2]));
    assert_true(worst <= allowed);
    assert_true(fabs(j.row[1] - top) <= allowed && fabs(j.row[2]) <= 10 * allowed);
    assert_int_equal(journey_statistics(&j).events, 30);
    journey_close(&j);
}

static void test_bounces(void **state)
{
    (void)state;
    bounce("e = 0.9", 0.9, ZW_DOP853, 1e-10);
    bounce("e = 0.8", 0.8, ZW_DOP853, 1e-10);
    bounce("e = 0.9", 0.9, ZW_DOPRI5, 1e-10);
}

static double agm(double a, double b)
{
    for (int i = 0; i < 8; i++) {
        double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return a;
}

#define SWING                                                                                      \
    "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint bar: x^2 + y^2 = 1\n"       \
    "start x = -1\nwhen x > 0: x' = x'\nwhen x < 0: x' = x'\n"

/* A pendulum let go at the level passes below its hinge at (2 k + 1) T/4, T = 4 K sqrt(l/g),
 * K = pi / (2 agm(1, cos(pi/4))). */
static void test_crossings(void **state)
{
    (void)state;
    double quarter = acos(-1) / (2 * agm(1, sqrt(0.5))) * sqrt(1 / 9.81), worst = 0;
    journey j = journey_run(&(journey_plan){.model = SWING, .tol = 1e-13}, 40 * quarter);
    assert_int_equal(zw_sim_fired_count(j.l.sim), 20);
    for (int k = 0; k < 20; k++) {
        zw_fired fired;
        assert_int_equal(zw_sim_fired(j.l.sim, k, &fired), ZW_OK);
        assert_int_equal(fired.event, k % 2);
        worst = fmax(worst, fabs(fired.t - (2 * k + 1) * quarter));
    }
    print_message("crossings: off by %.1e over %g s\n", worst, 40 * quarter);
    assert_true(worst <= 1e-10);
    journey_close(&j);
}

/* Resets after which the motion goes on through the condition: each fires once, however the state
 * stands to its threshold. */
typedef struct passage {
    const char *text;
    int fired;   /* until t = 2.5 */
    double x, y; /* there */
} passage;

#define FLIGHT "coord x, y\nkinetic (x'^2 + y'^2)/2\nstart x' = 1\n"
static const passage passages[] = {
    {FLIGHT "when t > 1: x' = x' + 1\n", 1, 4, 0},
    {FLIGHT "when x > 1: x' = 0.5*x'\n", 1, 1.75, 0},
    {FLIGHT "when x > 1: x = 0\n", 2, 0.5, 0},
    {FLIGHT "when x > 1: y' = 2\nwhen x < 1: y' = 0\n", 1, 2.5, 3},
    {FLIGHT "when x >= 1: y' = y' + 1\nwhen x >= 2: y' = y' + 1\n", 2, 2.5, 2},
    {FLIGHT "when x > 1: x' = -x'\nwhen x < 0: x' = -x'\n", 2, 0.5, 0},
};

static void test_passages(void **state)
{
    (void)state;
    int failed = 0;
    for (size_t k = 0; k < sizeof passages / sizeof *passages; k++) {
        const passage *p = &passages[k];
        journey j = journey_open(p->text, NULL, "x,y");
        j.settings.tol = j.settings.abs_tol = 1e-12;
        journey_begin(&j);
        zw_status status = journey_try(&j, 2.5);
        int fired = (int)zw_sim_fired_count(j.l.sim);
        bool good = status == ZW_OK && fired == p->fired && fabs(j.row[1] - p->x) <= 1e-11 &&
                    fabs(j.row[2] - p->y) <= 1e-11;
        if (!good) {
            print_message("%s: %s, fired %d times, x = %.15g, y = %.15g\n", p->text,
                          zw_status_name(status), fired, j.row[1], j.row[2]);
        }
        failed += !good;
        journey_close(&j);
    }
    assert_int_equal(failed, 0);
}

/* A stop: the state is at its time, and it is the first one at which the condition is true. */
static void test_stop(void **state)
{
    (void)state;
    journey j = journey_open("coord y\nkinetic y'^2/2\npotential 9.81*y\nstart y' = 5\n"
                             "when y' < 0: stop\n",
                             NULL, "y,y'");
    j.settings.tol = j.settings.abs_tol = 1e-12;
    journey_begin(&j);
    assert_int_equal(journey_try(&j, 10), ZW_OK);
    assert_int_equal(j.outcome, ZW_STOPPED);
    double t = 0;
    assert_int_equal(zw_sim_state(j.l.sim, &t, NULL, NULL), ZW_OK);
    print_message("stop: off by %.1e\n", t - 5 / 9.81);
    assert_true(fabs(t - 5 / 9.81) <= 1e-12);
    assert_true(fabs(j.row[1] - 12.5 / 9.81) <= 1e-12);
    journey_close(&j);
}

/* -------------------------------------------------------------------- stiff */

/* A mass on the line 3 y = 4 x with a spring and a damper of time scales 1e-5 s and 0.1 s, pushed
 * by cos t along the line: s'' + c s' + k s = f cos t. */
#define STIFF                                                                                      \
    "param k = 1e6, c = 1e5, f = 1e6\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"                       \
    "potential k/2*(x^2 + y^2)\ndissipation c/2*(x'^2 + y'^2)\nforce x: 0.6*f*cos(t)\n"            \
    "force y: 0.8*f*cos(t)\nconstraint line: 3*y = 4*x\nstart x = 0.3, y = 0.4\n"

/* s and s' at t from s = 0.5, s' = 0 */
static void stiff_answer(double t, double *s, double *v)
{
    double k = 1e6, c = 1e5, f = 1e6, d = (k - 1) * (k - 1) + c * c;
    double a = f * (k - 1) / d, b = f * c / d; /* a cos t + b sin t */
    double fast = -(c + sqrt(c * c - 4 * k)) / 2, slow = k / fast;
    double p = (-b - slow * (0.5 - a)) / (fast - slow), q = 0.5 - a - p;
    *s = a * cos(t) + b * sin(t) + p * exp(fast * t) + q * exp(slow * t);
    *v = -a * sin(t) + b * cos(t) + p * fast * exp(fast * t) + q * slow * exp(slow * t);
}

static void test_stiff(void **state)
{
    (void)state;
    journey j = journey_open(STIFF, NULL, "x,y,x',y'");
    j.settings.method = ZW_BDF;
    j.settings.tol = j.settings.abs_tol = 1e-9;
    assert_int_equal(zw_sim_start(j.l.sim, false), ZW_OK);
    if (zw_sim_begin(j.l.sim, &j.settings) == ZW_ERR_METHOD) {
        journey_close(&j);
        skip();
    }
    for (int i = 1; i <= 4; i++) {
        double s, v, t = 0.5 * i;
        journey_to(&j, t);
        stiff_answer(t, &s, &v);
        double error = hypot(j.row[1] - 0.6 * s, j.row[2] - 0.8 * s);
        double error_v = hypot(j.row[3] - 0.6 * v, j.row[4] - 0.8 * v);
        print_message("bdf at t = %g: off by %.1e and %.1e, rows by %.1e\n", t, error, error_v,
                      journey_off(&j));
        assert_true(error <= 1e-6 && error_v <= 1e-5);
        assert_true(journey_off(&j) <= 1e-12);
    }
    zw_run_statistics s = journey_statistics(&j);
    print_message("bdf: %lld steps, %lld evaluations\n", (long long)s.steps,
                  (long long)s.evaluations);
    assert_true(s.steps < 5000);
    journey_close(&j);
}

/* An explicit method gets through a short piece of it, rightly, and says what it found. */
static void test_stiff_explicit(void **state)
{
    (void)state;
    journey j = journey_run(&(journey_plan){.model = STIFF, .columns = "x,y", .tol = 1e-9}, 0.05);
    double s, v;
    stiff_answer(0.05, &s, &v);
    assert_true(hypot(j.row[1] - 0.6 * s, j.row[2] - 0.8 * s) <= 1e-8);
    assert_true(journey_statistics(&j).stiff);
    journey_close(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_rk4), cmocka_unit_test(test_order_adaptive),
        cmocka_unit_test(test_tolerance), cmocka_unit_test(test_long_runs),
        cmocka_unit_test(test_redundant), cmocka_unit_test(test_stabilize),
        cmocka_unit_test(test_bounces),   cmocka_unit_test(test_crossings),
        cmocka_unit_test(test_stop),      cmocka_unit_test(test_passages),
        cmocka_unit_test(test_stiff),     cmocka_unit_test(test_stiff_explicit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
