/*
 * The stiff method bdf: stiff problems with known solutions at several tolerances, constraints to
 * rounding, dense output, sums, the end, evaluations that fail, restarts, memory. In a build
 * without SUNDIALS: that there is none.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "stepping.h"

/* --------------------------------------------------------------- the bench */

/* A problem: its rates, and how evaluations of it are made to fail. */
typedef struct problem {
    zi_system system;
    double stiffness, damping;
    int64_t calls, fail_at; /* that call fails, once; 0: none */
    double wall;            /* every call at a later time fails */
    double poison;          /* what a failing call writes, when it does not say so */
    bool silent;            /* failing calls return ZW_OK */
} problem;

static zw_status refuse(const problem *p, double *dy)
{
    dy[p->system.size - 1] = p->poison;
    return p->silent ? ZW_OK : ZW_ERR_RANGE;
}

/* Whether this call is to fail. */
static bool fails(problem *p, double t)
{
    p->calls++;
    return p->calls == p->fail_at || t > p->wall;
}

static problem make(int32_t size, int32_t controlled,
                    zw_status (*rates)(void *, double, const double *, double *))
{
    return (problem){.system = {.size = size, .controlled = controlled, .rates = rates},
                     .wall = HUGE_VAL,
                     .poison = (double)NAN};
}

static zb_memory memory;

static zi_stepper *open_at(problem *p, double tol, double t, double end, const double *y)
{
    zi_stepper *s = NULL;
    zi_settings settings = {.tol = tol, .abs_tol = tol, .end = end};
    p->system.user = p;
    zb_memory_init(&memory, NULL);
    assert_int_equal(zi_open(&memory, zi_bdf_method(), &p->system, &settings, t, y, &s), ZW_OK);
    return s;
}

static void close_all(zi_stepper *s)
{
    zi_close(s);
    assert_int_equal(memory.held, 0);
}

/* Steps until the end or a failure. */
static zw_status run(zi_stepper *s)
{
    for (int i = 0; s->t < s->settings.end; i++) {
        double before = s->t;
        assert_true(i < 100000);
        ZB_TRY(zi_step(s));
        assert_true(s->t_old == before && s->t > before);
    }
    return ZW_OK;
}

/* --------------------------------------------------------------- problems */

/* Prothero and Robinson: y = cos t whatever the stiffness. Sums: y^2, cos 3t. */
static zw_status follower(void *user, double t, const double *y, double *dy)
{
    problem *p = user;
    dy[0] = -p->stiffness * (y[0] - cos(t)) - sin(t);
    if (p->system.size > 1) dy[1] = y[0] * y[0];
    if (p->system.size > 2) dy[2] = cos(3.0 * t);
    return fails(p, t) ? refuse(p, dy) : ZW_OK;
}

static problem make_follower(int32_t size)
{
    problem p = make(size, 1, follower);
    p.stiffness = 1e6;
    return p;
}

static void follower_sums(double t, double *sum)
{
    sum[0] = t / 2.0 + sin(2.0 * t) / 4.0;
    sum[1] = sin(3.0 * t) / 3.0;
}

/* x'' = -k (x - sin t) - c x' */
static zw_status damper(void *user, double t, const double *y, double *dy)
{
    problem *p = user;
    dy[0] = y[1];
    dy[1] = -p->stiffness * (y[0] - sin(t)) - p->damping * y[1];
    return ZW_OK;
}

/* Its solution that begins with a unit of each transient; overdamped. */
static void damper_solution(const problem *p, double t, double *y)
{
    double k = p->stiffness, c = p->damping, d = (k - 1.0) * (k - 1.0) + c * c;
    double A = k * (k - 1.0) / d, B = -k * c / d;
    double fast = -(c + sqrt(c * c - 4.0 * k)) / 2.0, slow = k / fast;
    y[0] = A * sin(t) + B * cos(t) + exp(slow * t) + exp(fast * t);
    y[1] = A * cos(t) - B * sin(t) + slow * exp(slow * t) + fast * exp(fast * t);
}

/* Robertson's reactions. */
static zw_status robertson(void *user, double t, const double *y, double *dy)
{
    (void)user, (void)t;
    double slow = 0.04 * y[0], back = 1e4 * y[1] * y[2], fast = 3e7 * y[1] * y[1];
    dy[0] = -slow + back;
    dy[1] = slow - back - fast;
    dy[2] = fast;
    return ZW_OK;
}

/* A pendulum of length 1 in x, y, vx, vy; gravity 10 downwards. Sum: 2 x vx, whose integral is the
 * change of x^2. */
static zw_status pendulum(void *user, double t, const double *y, double *dy)
{
    (void)t;
    problem *p = user;
    double length = y[0] * y[0] + y[1] * y[1];
    double tension = (y[2] * y[2] + y[3] * y[3] - 10.0 * y[1]) / length;
    dy[0] = y[2], dy[1] = y[3];
    dy[2] = -tension * y[0], dy[3] = -tension * y[1] - 10.0;
    if (p->system.size > 4) dy[4] = 2.0 * y[0] * y[2];
    return ZW_OK;
}

static zw_status onto_circle(void *user, double t, double *y)
{
    (void)user, (void)t;
    double length = sqrt(y[0] * y[0] + y[1] * y[1]);
    y[0] /= length, y[1] /= length;
    double away = y[0] * y[2] + y[1] * y[3];
    y[2] -= away * y[0], y[3] -= away * y[1];
    return ZW_OK;
}

static problem make_pendulum(int32_t size)
{
    problem p = make(size, 4, pendulum);
    p.system.project = onto_circle;
    return p;
}

static double off_circle(const double *y)
{
    return fmax(fabs(y[0] * y[0] + y[1] * y[1] - 1.0), fabs(y[0] * y[2] + y[1] * y[3]));
}

/* x of the pendulum let go from the horizontal, by its angle, in small steps of Runge and Kutta. */
static double pendulum_x(double end)
{
    const int count = 20000;
    long double angle = acosl(0.0L), rate = 0.0L, h = (long double)end / count;
    for (int i = 0; i < count; i++) {
        long double a1 = rate, b1 = -10.0L * sinl(angle);
        long double a2 = rate + h / 2 * b1, b2 = -10.0L * sinl(angle + h / 2 * a1);
        long double a3 = rate + h / 2 * b2, b3 = -10.0L * sinl(angle + h / 2 * a2);
        long double a4 = rate + h * b3, b4 = -10.0L * sinl(angle + h * a3);
        angle += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
        rate += h / 6 * (b1 + 2 * b2 + 2 * b3 + b4);
    }
    return (double)sinl(angle);
}

static const double horizontal[5] = {1.0, 0.0, 0.0, 0.0, 0.0};

/* ----------------------------------------------------------------- accuracy */

static void follows_a_stiff_solution(void **state)
{
    (void)state;
    const double start = 1.0;
    for (double tol = 1e-4; tol > 1e-11; tol /= 100.0) {
        problem p = make_follower(1);
        zi_stepper *s = open_at(&p, tol, 0.0, 5.0, &start);
        assert_int_equal(run(s), ZW_OK);
        assert_true(fabs(s->y[0] - cos(5.0)) <= 10.0 * tol);
        assert_true(s->counts.steps < 1000); /* an explicit method needs millions */
        assert_int_equal(s->counts.evaluations, p.calls);
        close_all(s);
    }
}

static void damps_a_stiff_spring(void **state)
{
    (void)state;
    double last = 1.0;
    for (double tol = 1e-4; tol > 1e-11; tol /= 100.0) {
        problem p = make(2, 2, damper);
        p.stiffness = 1e8, p.damping = 1e6;
        double y[2], expected[2];
        damper_solution(&p, 0.0, y);
        zi_stepper *s = open_at(&p, tol, 0.0, 0.1, y);
        assert_int_equal(run(s), ZW_OK);
        damper_solution(&p, 0.1, expected);
        double error = fabs(s->y[0] - expected[0]);
        assert_true(error <= 200.0 * tol && error < last);
        last = error;
        close_all(s);
    }
}

/* Figures of the Test Set for IVP Solvers (Mazzia and Magherini, 2008), t = 1e11. */
static void robertson_over_eleven_decades(void **state)
{
    (void)state;
    const double y[3] = {1.0, 0.0, 0.0};
    const double expected[3] = {0.2083340149701255e-07, 0.8333360770334713e-13, 0.9999999791665050};
    problem p = make(3, 3, robertson);
    zi_settings settings = {.tol = 1e-9, .abs_tol = 1e-20, .step = 1e-6, .end = 1e11};
    zi_stepper *s = NULL;
    zb_memory_init(&memory, NULL);
    p.system.user = &p;
    assert_int_equal(zi_open(&memory, zi_bdf_method(), &p.system, &settings, 0.0, y, &s), ZW_OK);
    assert_int_equal(run(s), ZW_OK);
    assert_true(s->t == 1e11);
    for (int i = 0; i < 3; i++) {
        assert_true(fabs(s->y[i] / expected[i] - 1.0) < 1e-6);
    }
    assert_true(s->counts.largest > 1e9 && s->counts.smallest < 1e-5);
    close_all(s);
}

static void stays_on_the_constraints(void **state)
{
    (void)state;
    double x = pendulum_x(10.0), last = 1.0;
    for (double tol = 1e-4; tol > 1e-11; tol /= 100.0) {
        problem p = make_pendulum(4);
        zi_stepper *s = open_at(&p, tol, 0.0, 10.0, horizontal);
        while (s->t < 10.0) {
            assert_int_equal(zi_step(s), ZW_OK);
            assert_true(off_circle(s->y) < 4e-15);
        }
        double error = fabs(s->y[0] - x);
        assert_true(error < last / 5.0 && error < 1e4 * tol);
        assert_true(s->counts.steps > 100);
        last = error;
        close_all(s);
    }
}

/* Two runs agree to the bit. */
static void gives_the_same_bits_twice(void **state)
{
    (void)state;
    double y[2][5];
    for (int i = 0; i < 2; i++) {
        problem p = make_pendulum(5);
        zi_stepper *s = open_at(&p, 1e-6, 0.0, 3.0, horizontal);
        assert_int_equal(run(s), ZW_OK);
        memcpy(y[i], s->y, sizeof y[i]);
        close_all(s);
    }
    assert_memory_equal(y[0], y[1], sizeof y[0]);
}

/* ----------------------------------------------------- dense output and sums */

/* Looks inside the last step: next to its ends are the states there. The worst error between. */
static double look_inside(zi_stepper *s, double (*error)(double t, const double *y))
{
    double y[5], worst = 0.0;
    for (int i = 1; i < 8; i++) {
        double t = s->t_old + i / 8.0 * (s->t - s->t_old);
        assert_int_equal(zi_dense(s, t, y), ZW_OK);
        worst = fmax(worst, error(t, y));
    }
    for (int end = 0; end < 2; end++) {
        double t = end ? nextafter(s->t, s->t_old) : nextafter(s->t_old, s->t);
        const double *kept = end ? s->y : s->y_old;
        assert_int_equal(zi_dense(s, t, y), ZW_OK);
        for (int32_t i = 0; i < s->system.size; i++) assert_true(fabs(y[i] - kept[i]) < 2e-14);
    }
    return worst;
}

static double follower_error(double t, const double *y)
{
    double sum[2];
    follower_sums(t, sum);
    return fmax(fabs(y[0] - cos(t)), fmax(fabs(y[1] - sum[0]), fabs(y[2] - sum[1])));
}

static void dense_output_and_sums_are_accurate(void **state)
{
    (void)state;
    const double start[3] = {1.0, 0.0, 0.0};
    for (double tol = 1e-4; tol > 1e-11; tol /= 100.0) {
        problem p = make_follower(3);
        zi_stepper *s = open_at(&p, tol, 0.0, 5.0, start);
        double inside = 0.0;
        while (s->t < 5.0) {
            assert_int_equal(zi_step(s), ZW_OK);
            inside = fmax(inside, look_inside(s, follower_error));
        }
        assert_true(inside < 30.0 * tol);
        assert_true(follower_error(5.0, s->y) < 10.0 * tol);
        close_all(s);
    }
}

/* Sums have no say in the steps, and cost four evaluations a step, the first one more. */
static void sums_ride_along(void **state)
{
    (void)state;
    const double start[3] = {1.0, 0.0, 0.0};
    int64_t evaluations[2], steps[2];
    double y[2];
    for (int i = 0; i < 2; i++) {
        problem p = make_follower(i == 0 ? 1 : 3);
        zi_stepper *s = open_at(&p, 1e-7, 0.0, 5.0, start);
        assert_int_equal(run(s), ZW_OK);
        evaluations[i] = s->counts.evaluations, steps[i] = s->counts.steps, y[i] = s->y[0];
        close_all(s);
    }
    assert_true(y[0] == y[1]);
    assert_int_equal(steps[1], steps[0]);
    assert_int_equal(evaluations[1], evaluations[0] + 4 * steps[0] + 1);
}

/* The rule alone: rates that are polynomials of t up to degree 7 are integrated exactly, up to
 * degree 4 also inside the step. */
static zw_status powers(void *user, double t, const double *y, double *dy)
{
    (void)user;
    dy[0] = -y[0];
    dy[1] = 8.0 * pow(t, 7.0);
    dy[2] = 5.0 * pow(t, 4.0);
    return ZW_OK;
}

static void sums_of_polynomials_are_exact(void **state)
{
    (void)state;
    const double start[3] = {1.0, 0.0, 0.0};
    double y[3];
    problem p = make(3, 1, powers);
    zi_stepper *s = open_at(&p, 1e-2, 0.0, 3.0, start);
    while (s->t < 3.0) {
        assert_int_equal(zi_step(s), ZW_OK);
        assert_true(fabs(s->y[1] - pow(s->t, 8.0)) < 1e-14 * fmax(1.0, pow(s->t, 8.0)));
        double t = s->t_old + 0.3 * (s->t - s->t_old);
        assert_int_equal(zi_dense(s, t, y), ZW_OK);
        assert_true(fabs(y[2] - pow(t, 5.0)) < 1e-14 * fmax(1.0, pow(t, 5.0)));
    }
    assert_true(s->counts.largest > 0.3);
    close_all(s);
}

static double pendulum_error(double t, const double *y)
{
    (void)t;
    return fmax(fabs(y[4] - (y[0] * y[0] - 1.0)), off_circle(y));
}

/* The sum is the change of x^2 along the motion that was computed, at the ends and inside. */
static void sums_go_with_projected_states(void **state)
{
    (void)state;
    for (double tol = 1e-4; tol > 1e-11; tol /= 100.0) {
        problem p = make_pendulum(5);
        zi_stepper *s = open_at(&p, tol, 0.0, 3.0, horizontal);
        double inside = 0.0;
        while (s->t < 3.0) {
            assert_int_equal(zi_step(s), ZW_OK);
            assert_true(off_circle(s->y) < 4e-15);
            inside = fmax(inside, look_inside(s, pendulum_error));
        }
        assert_true(inside < 1000.0 * tol);
        close_all(s);
    }
}

/* ------------------------------------------------------------ ends, restarts */

static void meets_the_end_exactly(void **state)
{
    (void)state;
    const double ends[] = {1e-9, 0.1, 1.0 / 3.0, 7.123456789, 100.0};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        problem p = make_pendulum(5);
        zi_stepper *s = open_at(&p, 1e-5, 0.0, ends[i], horizontal);
        assert_int_equal(run(s), ZW_OK);
        assert_true(s->t == ends[i]);
        assert_true(off_circle(s->y) < 4e-15);
        assert_int_equal(zi_step(s), ZW_ERR_ARGUMENT);
        close_all(s);
    }
}

/* The least time there is before the end, and a little more. */
static void begins_just_before_the_end(void **state)
{
    (void)state;
    double t = 5.0;
    for (int bits = 1; bits < 4000; bits *= 3) {
        for (int i = 0; i < bits; i++) t = nextafter(t, 0.0);
        const double start[3] = {cos(t), 0.25, 0.0};
        problem p = make_follower(3);
        zi_stepper *s = open_at(&p, 1e-9, t, 5.0, start);
        assert_int_equal(run(s), ZW_OK);
        assert_true(s->t == 5.0);
        assert_true(fabs(s->y[0] - cos(5.0)) < 1e-11);
        assert_true(fabs(s->y[1] - 0.25 - cos(5.0) * cos(5.0) * (5.0 - t)) < 1e-15);
        double y[3], middle = s->t_old + (s->t - s->t_old) / 2.0;
        assert_int_equal(zi_dense(s, middle, y), ZW_OK);
        assert_true(fabs(y[0] - cos(5.0)) < 1e-11);
        close_all(s);
    }
}

/* No end: steps as long as one likes. A first step that is given is tried. */
static void goes_on_without_an_end(void **state)
{
    (void)state;
    const double start = 1.0;
    problem p = make_follower(1);
    zi_stepper *s = open_at(&p, 1e-6, 0.0, HUGE_VAL, &start);
    while (s->t < 20.0) assert_int_equal(zi_step(s), ZW_OK);
    assert_true(fabs(s->y[0] - cos(s->t)) < 1e-5);
    close_all(s);

    zi_settings settings = {.tol = 1e-3, .abs_tol = 1e-3, .step = 0.0078125, .end = 9.0};
    assert_int_equal(zi_open(&memory, zi_bdf_method(), &p.system, &settings, 0.0, &start, &s),
                     ZW_OK);
    assert_int_equal(zi_step(s), ZW_OK);
    assert_true(s->t == 0.0078125);
    assert_true(s->h > 0.0);
    close_all(s);
}

static void restarts_after_a_change(void **state)
{
    (void)state;
    const double start[3] = {1.0, 0.0, 0.0};
    problem p = make_follower(3);
    p.stiffness = 50.0; /* the change is still felt at the end */
    zi_stepper *s = open_at(&p, 1e-9, 0.0, 2.0, start);
    while (s->t < 0.7) assert_int_equal(zi_step(s), ZW_OK);
    double y[3], sum[2];
    follower_sums(1.9, sum);
    assert_int_equal(zi_restart(s, 1.9, (double[]){cos(1.9) + 3.0, sum[0], sum[1]}), ZW_OK);
    assert_int_equal(zi_dense(s, 1.9, y), ZW_OK);
    assert_true(y[0] == cos(1.9) + 3.0 && s->h == 0.0);
    assert_int_equal(run(s), ZW_OK);
    assert_true(s->t == 2.0);
    assert_true(fabs(s->y[0] - cos(2.0) - 3.0 * exp(-5.0)) < 3e-8);
    follower_sums(2.0, sum);
    assert_true(fabs(s->y[2] - sum[1]) < 1e-12);

    /* back in time, and again the same way as from a new stepper */
    assert_int_equal(zi_restart(s, 0.0, start), ZW_OK);
    assert_int_equal(run(s), ZW_OK);
    memcpy(y, s->y, sizeof y);
    close_all(s);
    s = open_at(&p, 1e-9, 0.0, 2.0, start);
    assert_int_equal(run(s), ZW_OK);
    assert_memory_equal(y, s->y, sizeof y);
    close_all(s);
}

/* ----------------------------------------------------------------- failures */

/* Behind the wall every evaluation fails: the stepper goes up to it, hands the failure on, and
 * leaves t and y alone. */
static void fails_at_a_wall(void **state)
{
    (void)state;
    for (int silent = 0; silent < 2; silent++)
        for (int32_t size = 1; size <= 3; size++) {
            const double start[3] = {1.0, 0.0, 0.0};
            problem p = make_follower(size);
            p.wall = 1.0, p.silent = silent == 1;
            zi_stepper *s = open_at(&p, 1e-6, 0.0, 5.0, start);
            double t = 0.0, y[3] = {1.0, 0.0, 0.0};
            zw_status status = ZW_OK;
            for (int i = 0; i < 10000; i++) {
                status = zi_step(s);
                if (status != ZW_OK) break;
                t = s->t;
                memcpy(y, s->y, (size_t)size * sizeof(double));
            }
            assert_int_equal(status, silent ? ZW_ERR_NOT_FINITE : ZW_ERR_RANGE);
            assert_true(t <= 1.0 && t > 1.0 - 1e-9);
            assert_true(s->t == t);
            assert_memory_equal(y, s->y, (size_t)size * sizeof(double));
            assert_true(s->counts.rejected > 5);
            assert_int_equal(s->counts.evaluations, p.calls);

            /* the wall is gone: on from there */
            p.wall = HUGE_VAL;
            assert_int_equal(zi_restart(s, t, y), ZW_OK);
            assert_int_equal(run(s), ZW_OK);
            assert_true(fabs(s->y[0] - cos(5.0)) < 1e-5);
            close_all(s);
        }
}

/* Any one evaluation may fail: the step becomes smaller and the answer stays. Only at the start
 * there is no smaller step. */
static void survives_any_single_failure(void **state)
{
    (void)state;
    int lost = 0;
    for (int64_t k = 1; k < 150; k++) {
        const double start[3] = {1.0, 0.0, 0.0};
        problem p = make_follower(3);
        p.fail_at = k, p.silent = k % 2 == 0;
        zi_stepper *s = open_at(&p, 1e-5, 0.0, 2.0, start);
        zw_status status = run(s);
        if (status == ZW_OK) {
            assert_true(p.calls > k);
            assert_true(follower_error(2.0, s->y) < 3e-4);
        } else {
            lost++;
            assert_true(s->t == 0.0);
        }
        close_all(s);
    }
    assert_in_range(lost, 1, 2);
}

static zw_status no_projection(void *user, double t, double *y)
{
    problem *p = user;
    if (t > p->wall) return ZW_ERR_START;
    return onto_circle(user, t, y);
}

static void fails_where_the_projection_does(void **state)
{
    (void)state;
    problem p = make_pendulum(5);
    p.system.project = no_projection;
    p.wall = 1.0;
    zi_stepper *s = open_at(&p, 1e-6, 0.0, 5.0, horizontal);
    assert_int_equal(run(s), ZW_ERR_START);
    assert_true(s->t <= 1.0 && s->t > 1.0 - 1e-9);
    assert_true(off_circle(s->y) < 4e-15);
    close_all(s);
}

/* How far the projection moves the state is an error like any other: a state that is off the
 * constraints by more than the tolerance is not silently put somewhere else. */
static void does_not_jump_onto_the_constraints(void **state)
{
    (void)state;
    const double off[4] = {1.01, 0.0, 0.0, 0.0};
    problem p = make_pendulum(4);
    zi_stepper *s = open_at(&p, 1e-6, 0.0, 1.0, off);
    assert_int_equal(run(s), ZW_ERR_STEP);
    assert_true(s->t == 0.0 && s->y[0] == 1.01);
    assert_int_equal(s->counts.steps, 0);
    assert_true(s->counts.rejected > 5);
    close_all(s);
}

/* A solution that leaves every bound: y' = y^2, y = 1 / (1 - t). */
static zw_status blow_up(void *user, double t, const double *y, double *dy)
{
    (void)user, (void)t;
    dy[0] = y[0] * y[0];
    return ZW_OK;
}

static void stops_before_a_singularity(void **state)
{
    (void)state;
    const double start = 1.0;
    problem p = make(1, 1, blow_up);
    zi_stepper *s = open_at(&p, 1e-6, 0.0, 2.0, &start);
    zw_status status = run(s);
    assert_true(status == ZW_ERR_STEP || status == ZW_ERR_NOT_FINITE);
    assert_true(fabs(s->t - 1.0) < 1e-3 && isfinite(s->y[0]));
    close_all(s);
}

/* Nothing is written to the standard streams when CVODE has something to say. */
static void prints_nothing(void **state)
{
    (void)state;
    FILE *caught = tmpfile();
    assert_non_null(caught);
    fflush(stdout), fflush(stderr);
    int out = dup(1), error = dup(2);
    dup2(fileno(caught), 1), dup2(fileno(caught), 2);
    const double start[3] = {1.0, 0.0, 0.0};
    problem p = make_follower(1);
    p.wall = 1.0;
    zi_stepper *s = open_at(&p, 1e-6, 0.0, 5.0, start);
    zw_status status = run(s);
    close_all(s);
    fflush(stdout), fflush(stderr);
    dup2(out, 1), dup2(error, 2);
    close(out), close(error);
    fseek(caught, 0, SEEK_END);
    assert_int_equal(ftell(caught), 0);
    assert_int_equal(status, ZW_ERR_RANGE);
    fclose(caught);
}

/* ------------------------------------------------------------------- memory */

typedef struct rations {
    int left;
} rations;

static void *ration(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)old_size;
    rations *r = user;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return r->left-- > 0 ? realloc(block, new_size) : NULL;
}

static void opens_whole_or_not_at_all(void **state)
{
    (void)state;
    int refused = 0;
    for (int k = 0;; k++) {
        rations r = {.left = k};
        zw_allocator allocator = {.resize = ration, .user = &r};
        zi_settings settings = {.tol = 1e-6, .abs_tol = 1e-6, .end = 1.0};
        problem p = make_pendulum(5);
        p.system.user = &p;
        zi_stepper *s = NULL;
        zb_memory_init(&memory, &allocator);
        zw_status status =
            zi_open(&memory, zi_bdf_method(), &p.system, &settings, 0.0, horizontal, &s);
        if (status == ZW_OK) {
            size_t held = memory.held;
            assert_int_equal(run(s), ZW_OK);
            assert_int_equal(memory.held, held); /* nothing is taken while stepping */
            close_all(s);
            break;
        }
        refused++;
        assert_int_equal(status, ZW_ERR_MEMORY);
        assert_int_equal(memory.held, 0);
    }
    assert_true(refused >= 3);
}

static void refuses_what_it_cannot_do(void **state)
{
    (void)state;
    const double y[2] = {0.0};
    zi_stepper *s = NULL;
    zi_settings settings = {.tol = 1e-6, .abs_tol = 1e-6, .end = 1.0};
    problem p = make(1, 0, follower); /* nothing is controlled */
    zb_memory_init(&memory, NULL);
    assert_int_equal(zi_open(&memory, zi_bdf_method(), &p.system, &settings, 0.0, y, &s),
                     ZW_ERR_ARGUMENT);
    assert_int_equal(memory.held, 0);
    assert_false(zi_bdf_method()->restores);
}

static void is_in_the_table(void **state)
{
    (void)state;
    assert_ptr_equal(zi_find_method("bdf"), zi_bdf_method());
    assert_int_equal(zi_bdf_method() != NULL, TEST_HAS_BDF);
}

int main(void)
{
    const struct CMUnitTest always[] = {cmocka_unit_test(is_in_the_table)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_a_stiff_solution),
        cmocka_unit_test(damps_a_stiff_spring),
        cmocka_unit_test(robertson_over_eleven_decades),
        cmocka_unit_test(stays_on_the_constraints),
        cmocka_unit_test(gives_the_same_bits_twice),
        cmocka_unit_test(dense_output_and_sums_are_accurate),
        cmocka_unit_test(sums_ride_along),
        cmocka_unit_test(sums_of_polynomials_are_exact),
        cmocka_unit_test(sums_go_with_projected_states),
        cmocka_unit_test(meets_the_end_exactly),
        cmocka_unit_test(begins_just_before_the_end),
        cmocka_unit_test(goes_on_without_an_end),
        cmocka_unit_test(restarts_after_a_change),
        cmocka_unit_test(fails_at_a_wall),
        cmocka_unit_test(survives_any_single_failure),
        cmocka_unit_test(fails_where_the_projection_does),
        cmocka_unit_test(does_not_jump_onto_the_constraints),
        cmocka_unit_test(stops_before_a_singularity),
        cmocka_unit_test(prints_nothing),
        cmocka_unit_test(opens_whole_or_not_at_all),
        cmocka_unit_test(refuses_what_it_cannot_do),
    };
    int failed = cmocka_run_group_tests(always, NULL, NULL);
    if (TEST_HAS_BDF && failed == 0) failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed;
}
