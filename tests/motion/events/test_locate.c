/*
 * Where conditions turn true, on motions in closed form: a stepper whose dense output is y = t, so
 * that every condition is a function of time that one can check at the bits beside the answer.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "motion.h"

enum { MOST = 64 };

/* Conditions at a time, by c [.] of the test. */
typedef void (*conditions)(const double *c, double t, bool *truth, double *gap);

typedef struct scene {
    conditions at;
    double c[16];
    int32_t count, gaps, equalities;
    int32_t owner[MOST];
    int64_t looks, fails_at; /* fails_at 0: never */
    zi_stepper stepper;
    double y_old, y;
    bool was[MOST], truth[MOST], turned[MOST];
    zi_detection seen;
} scene;

static zw_status identity(zi_stepper *s, double t, double *y)
{
    (void)s;
    *y = t;
    return ZW_OK;
}

static const zi_method exact = {.name = "exact", .dense = identity};

static zw_status look(void *user, double t, const double *y, bool *truth, double *gap)
{
    scene *s = user;
    assert_true(t == *y);
    assert_true(t >= s->stepper.t_old && t <= s->stepper.t);
    if (++s->looks == s->fails_at) return ZW_ERR_NOT_FINITE;
    s->at(s->c, t, truth, gap);
    return ZW_OK;
}

static void set_step(scene *s, double from, double to)
{
    s->y_old = from;
    s->y = to;
    s->stepper = (zi_stepper){
        .system.size = 1, .method = &exact, .t_old = from, .t = to, .y_old = &s->y_old, .y = &s->y};
}

static zw_status locate(scene *s, double from)
{
    zi_watch watch = {.count = s->count,
                      .gaps = s->gaps,
                      .equalities = s->equalities,
                      .owner = s->owner,
                      .user = s,
                      .look = look};
    double *workspace = malloc(sizeof(double) * zi_locator_size(&watch, 1));
    assert_non_null(workspace);
    s->looks = 0;
    s->stepper.y_old = &s->y_old;
    s->stepper.y = &s->y;
    s->seen = (zi_detection){.turned = s->turned, .truth = s->truth};
    zw_status status = zi_locate(&s->stepper, &watch, from, s->was, workspace, &s->seen);
    free(workspace);
    return status;
}

/* From the truth at `from` itself. */
static void locate_from(scene *s, double from)
{
    double gap[MOST];
    s->at(s->c, from, s->was, gap);
    assert_int_equal(locate(s, from), ZW_OK);
}

static double ulp(double t)
{
    return nextafter(fabs(t), HUGE_VAL) - fabs(t);
}

/* True at t, false at the number before it, but around 0; and where it should be. */
static void check_edge(const scene *s, int32_t e, double expected, double tolerance)
{
    bool truth[MOST];
    double gap[MOST], t = s->seen.t, least = 0x1p-59 * (s->stepper.t - s->stepper.t_old);
    if (!s->seen.found) fail_msg("nothing is found at %.17g", expected);
    assert_true(s->turned[e] && s->truth[e]);
    s->at(s->c, t, truth, gap);
    assert_true(truth[e]);
    s->at(s->c, fmin(nextafter(t, -HUGE_VAL), t - least), truth, gap);
    assert_false(truth[e]);
    if (!(fabs(t - expected) <= tolerance))
        fail_msg("%.17g instead of %.17g: off by %g", t, expected, t - expected);
}

/* ---------------------------------------------------------------- crossings */

static void after(const double *c, double t, bool *truth, double *gap)
{
    truth[0] = c[0] < t;
    gap[0] = c[0] - t;
}

static void exact_times(void **state)
{
    (void)state;
    scene s = {.at = after, .count = 1, .gaps = 1};
    static const double steps[][2] = {{0, 1}, {0, 1e-9}, {-1, 1}, {1e6, 1e6 + 1}, {-3e8, -2.9e8}};
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        for (int i = 1; i < 1000; i += 7) {
            set_step(&s, steps[k][0], steps[k][1]);
            s.c[0] = steps[k][0] + (steps[k][1] - steps[k][0]) * i / 1000.0;
            double size = fmax(fabs(steps[k][0]), fabs(steps[k][1]));
            locate_from(&s, steps[k][0]);
            check_edge(&s, 0, s.c[0], 2.0 * DBL_EPSILON * size);
            assert_true(s.seen.t > s.c[0]);
            assert_true(s.looks < 30);
        }
    }
}

/* a0 + a1 x + a2 x^2 + a3 x^3 + a4 sin(a5 x), x = t - c[6]: 0 at x = 0 for a0 = 0. */
static double curve(const double *a, double x)
{
    return a[0] + x * (a[1] + x * (a[2] + x * a[3])) + a[4] * sin(a[5] * x);
}

static void curve_below(const double *c, double t, bool *truth, double *gap)
{
    gap[0] = curve(c, t - c[6]);
    truth[0] = gap[0] < 0.0;
}

static double uniform(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) * 0x1p-53;
}

/* Random falling curves, 0 at a known time: t is it to 2 ulp; few looks. */
static void random_curves(void **state)
{
    (void)state;
    scene s = {.at = curve_below, .count = 1, .gaps = 1};
    uint64_t seed = 7;
    int64_t looks = 0, most = 0;
    enum { CASES = 4000 };
    for (int i = 0; i < CASES; i++) {
        double from = 10.0 * uniform(&seed), width = exp(6.0 * uniform(&seed) - 5.0);
        double *c = s.c;
        set_step(&s, from, from + width);
        c[6] = from + width * (0.01 + 0.98 * uniform(&seed));
        c[1] = -1.0;
        c[2] = 0.3 * (uniform(&seed) - 0.5) / width;
        c[3] = -uniform(&seed) * 4.0 / (width * width);
        c[4] = 0.4 * (uniform(&seed) - 0.5) * width;
        c[5] = 3.0 * uniform(&seed) / width;
        locate_from(&s, from);
        check_edge(&s, 0, c[6], 2.0 * ulp(s.stepper.t));
        looks += s.looks;
        if (s.looks > most) most = s.looks;
    }
    print_message("looks: %.1f on average, %d at most\n", (double)looks / CASES, (int)most);
    assert_true(looks < 22 * CASES);
}

/* A root of cos, against pi/2 in twice the precision: 1.5707963267948966 + 6.1e-17. */
static void cosine_below(const double *c, double t, bool *truth, double *gap)
{
    (void)c;
    gap[0] = cos(t);
    truth[0] = gap[0] < 0.0;
}

static void quarter_turn(void **state)
{
    (void)state;
    scene s = {.at = cosine_below, .count = 1, .gaps = 1};
    set_step(&s, 0.3, 2.9);
    locate_from(&s, 0.3);
    check_edge(&s, 0, 1.5707963267948966, 2.0 * ulp(1.5));
}

/* A jump has no root: bisection finds it. */
static void stairs(const double *c, double t, bool *truth, double *gap)
{
    gap[0] = floor(c[0] * t) - 2.5;
    truth[0] = gap[0] > 0.0;
}

static void jumps(void **state)
{
    (void)state;
    scene s = {.at = stairs, .c = {1.0}, .count = 1, .gaps = 1};
    set_step(&s, 0.0, 3.7);
    locate_from(&s, 0.0);
    check_edge(&s, 0, 3.0, 0.0);
}

/* ------------------------------------------------------------------- visits */

/* Below 0 between c[0] - c[1] and c[0] + c[1]. */
static void dip(const double *c, double t, bool *truth, double *gap)
{
    double x = t - c[0];
    gap[0] = c[2] * (x * x - c[1] * fabs(c[1]));
    truth[0] = gap[0] < 0.0;
}

static void short_visits(void **state)
{
    (void)state;
    scene s = {.at = dip, .count = 1, .gaps = 1};
    for (double r = 3e-2; r > 2e-6; r /= 3.0) {
        for (int i = 1; i < 200; i++) {
            double c = i / 200.0;
            if (c - r < 0.0 || c + r > 1.0) continue;
            s.c[0] = c;
            s.c[1] = r;
            s.c[2] = 1.0 + i;
            set_step(&s, 0.0, 1.0);
            locate_from(&s, 0.0);
            /* rounding of x^2 - r^2 moves the root by eps / r */
            check_edge(&s, 0, c - r, 4.0 * DBL_EPSILON + 0.5 * DBL_EPSILON * r);
        }
    }
}

/* Those that miss by a little are no visits, and cost little. */
static void near_misses(void **state)
{
    (void)state;
    scene s = {.at = dip, .count = 1, .gaps = 1};
    int64_t looks = 0;
    for (int i = 1; i < 200; i++) {
        s.c[0] = i / 200.0;
        s.c[1] = -1e-5;
        s.c[2] = 1.0;
        set_step(&s, 0.0, 1.0);
        locate_from(&s, 0.0);
        assert_false(s.seen.found);
        assert_false(s.truth[0]);
        looks += s.looks;
    }
    print_message("looks: %.1f on average\n", (double)looks / 199.0);
    assert_true(looks < 40 * 199);
}

/* |x| < r: the gap of a speed that passes through 0. */
static void notch(const double *c, double t, bool *truth, double *gap)
{
    gap[0] = fabs(t - c[0]) - c[1];
    truth[0] = gap[0] < 0.0;
}

static void notches(void **state)
{
    (void)state;
    scene s = {.at = notch, .count = 1, .gaps = 1};
    for (int i = 3; i < 200; i++) {
        s.c[0] = i / 201.0;
        s.c[1] = 1e-6;
        set_step(&s, 0.0, 1.0);
        locate_from(&s, 0.0);
        check_edge(&s, 0, s.c[0] - 1e-6, 4.0 * DBL_EPSILON);
    }
}

/* Two visits between the same samples, in both orders of the gaps: the earlier one counts. */
static void two_dips(const double *c, double t, bool *truth, double *gap)
{
    dip(c, t, truth, gap);
    dip(c + 3, t, truth + 1, gap + 1);
}

static void first_of_two_visits(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        scene s = {.at = two_dips, .count = 2, .gaps = 2};
        double first[] = {0.34, 0.002, 1.0}, second[] = {0.37, 0.003, 2.0};
        memcpy(s.c, order ? second : first, sizeof first);
        memcpy(s.c + 3, order ? first : second, sizeof first);
        set_step(&s, 0.0, 1.0);
        locate_from(&s, 0.0);
        check_edge(&s, order, 0.338, 4.0 * DBL_EPSILON);
        assert_false(s.turned[1 - order]);
        memcpy(s.was, s.truth, sizeof s.was);
        assert_int_equal(locate(&s, s.seen.t), ZW_OK);
        check_edge(&s, 1 - order, 0.367, 4.0 * DBL_EPSILON);
    }
}

/* More visits between two samples than are kept at a time: all in their order. */
enum { DIPS = 20 };
static void many_dips(const double *c, double t, bool *truth, double *gap)
{
    for (int i = 0; i < DIPS; i++) {
        int k = (i * 7) % DIPS;
        double one[] = {c[0] + 0.002 * k, 0.0005, 1.0};
        dip(one, t, truth + i, gap + i);
    }
}

static void many_visits(void **state)
{
    (void)state;
    scene s = {.at = many_dips, .c = {0.405}, .count = DIPS, .gaps = DIPS};
    set_step(&s, 0.0, 1.0);
    locate_from(&s, 0.0);
    for (int k = 0; k < DIPS; k++) {
        int32_t e = (3 * k) % DIPS; /* 7 * 3 = 21 */
        check_edge(&s, e, 0.405 + 0.002 * k - 0.0005, 4.0 * DBL_EPSILON);
        memcpy(s.was, s.truth, sizeof s.was);
        assert_int_equal(locate(&s, s.seen.t), ZW_OK);
    }
    assert_false(s.seen.found);
}

/* ---------------------------------------------------------- several, armed */

static void three_after(const double *c, double t, bool *truth, double *gap)
{
    for (int e = 0; e < 3; e++) after(c + e, t, truth + e, gap + e);
}

static void simultaneous(void **state)
{
    (void)state;
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int k = 0; k < 6; k++) {
        for (int apart = 0; apart < 4; apart++) {
            scene s = {.at = three_after, .count = 3, .gaps = 3};
            for (int e = 0; e < 3; e++) s.c[e] = 0.7 + orders[k][e] * apart * ulp(0.7);
            set_step(&s, 0.2, 1.1);
            locate_from(&s, 0.2);
            double last = 0.7 + 2 * apart * ulp(0.7);
            assert_true(s.seen.found && s.turned[0] && s.turned[1] && s.turned[2]);
            assert_true(s.truth[0] && s.truth[1] && s.truth[2]);
            assert_true(s.seen.t > last && s.seen.t <= last + 4.0 * ulp(0.7));
        }
    }
}

static void one_after_the_other(void **state)
{
    (void)state;
    scene s = {.at = three_after, .c = {0.41, 0.4, 0.4 + 1e-9}, .count = 3, .gaps = 3};
    static const int order[] = {1, 2, 0};
    set_step(&s, 0.2, 1.1);
    locate_from(&s, 0.2);
    for (int k = 0; k < 3; k++) {
        check_edge(&s, order[k], s.c[order[k]], 2.0 * DBL_EPSILON);
        for (int e = 0; e < 3; e++) assert_int_equal(s.turned[e], e == order[k]);
        memcpy(s.was, s.truth, sizeof s.was);
        assert_int_equal(locate(&s, s.seen.t), ZW_OK);
    }
    assert_false(s.seen.found);
    assert_true(s.truth[0] && s.truth[1] && s.truth[2]);
}

/* True but for c[0] < t < c[1]. */
static void pause_between(const double *c, double t, bool *truth, double *gap)
{
    gap[0] = (t - c[0]) * (t - c[1]);
    truth[0] = gap[0] >= 0.0;
}

static void armed_inside_the_step(void **state)
{
    (void)state;
    static const double pauses[][2] = {{0.3, 0.6}, {0.31, 0.33}, {0.501, 0.502}, {0.01, 0.02}};
    for (int k = 0; k < 4; k++) {
        scene s = {.at = pause_between, .c = {pauses[k][0], pauses[k][1]}, .count = 1, .gaps = 1};
        set_step(&s, 0.0, 1.0);
        locate_from(&s, 0.0);
        check_edge(&s, 0, pauses[k][1], 4.0 * DBL_EPSILON);
    }
    scene s = {.at = after, .c = {-1.0}, .count = 1, .gaps = 1}; /* true all the time */
    set_step(&s, 0.0, 1.0);
    locate_from(&s, 0.0);
    assert_false(s.seen.found);
    assert_true(s.truth[0]);
}

/* sin(c t) > 0.5, several times in a step: the first, then the next. */
static void waves(const double *c, double t, bool *truth, double *gap)
{
    gap[0] = 0.5 - sin(c[0] * t);
    truth[0] = gap[0] < 0.0;
}

static void true_false_true(void **state)
{
    (void)state;
    scene s = {.at = waves, .c = {20.0}, .count = 1, .gaps = 1};
    const double pi = 3.14159265358979323846;
    set_step(&s, 0.0, 1.0);
    locate_from(&s, 0.0);
    for (int k = 0; k < 3; k++) {
        check_edge(&s, 0, (pi / 6.0 + 2.0 * pi * k) / 20.0, 4.0 * DBL_EPSILON);
        memcpy(s.was, s.truth, sizeof s.was);
        assert_int_equal(locate(&s, s.seen.t), ZW_OK);
    }
    assert_int_equal(s.seen.found, (pi / 6.0 + 6.0 * pi) / 20.0 < 1.0);
}

static void not_found(void **state)
{
    (void)state;
    scene s = {.at = three_after, .c = {2.0, -1.0, 3.0}, .count = 3, .gaps = 3};
    set_step(&s, 0.0, 1.0);
    locate_from(&s, 0.0);
    assert_false(s.seen.found || s.turned[0] || s.turned[1] || s.turned[2]);
    assert_true(!s.truth[0] && s.truth[1] && !s.truth[2]);
    assert_true(s.seen.t == 1.0);
    scene none = {.at = after};
    set_step(&none, 0.0, 1.0);
    assert_int_equal(locate(&none, 0.0), ZW_OK);
    assert_false(none.seen.found);
    assert_int_equal(none.looks, 0);
}

/* A state that was put onto a condition that then counts as false: at once. */
static void true_at_once(void **state)
{
    (void)state;
    scene s = {.at = after, .c = {0.3}, .count = 1, .gaps = 1};
    set_step(&s, 0.5, 1.0);
    assert_int_equal(locate(&s, 0.5), ZW_OK);
    assert_true(s.seen.found && s.seen.t - 0.5 <= DBL_EPSILON);
    set_step(&s, 0.0, 0.3); /* not in this step, whose end is the bit before it */
    locate_from(&s, 0.0);
    assert_false(s.seen.found);
}

/* ----------------------------------------------------------------- and, or */

/* c[0] < t and t < c[1]; t < c[2] or c[3] < t; not (t < c[4]) */
static void logic(const double *c, double t, bool *truth, double *gap)
{
    truth[0] = c[0] < t && t < c[1];
    truth[1] = t < c[2] || c[3] < t;
    truth[2] = !(t < c[4]);
    gap[0] = c[0] - t;
    gap[1] = t - c[1];
    gap[2] = t - c[2];
    gap[3] = c[3] - t;
    gap[4] = t - c[4];
}

/* The first between two samples; the second false between two others. */
static void composed(void **state)
{
    (void)state;
    scene s = {.at = logic, .c = {0.31, 0.36, 0.52, 0.57, 0.8}, .count = 3, .gaps = 5};
    static const double times[] = {0.31, 0.57, 0.8};
    set_step(&s, 0.0, 1.0);
    locate_from(&s, 0.0);
    for (int e = 0; e < 3; e++) {
        check_edge(&s, e, times[e], 2.0 * DBL_EPSILON);
        memcpy(s.was, s.truth, sizeof s.was);
        assert_int_equal(locate(&s, s.seen.t), ZW_OK);
    }
    assert_false(s.seen.found);
    assert_true(!s.truth[0] && s.truth[1] && s.truth[2]);
}

/* --------------------------------------------------------------- equalities */

/* curve == 0 and t > c[7], as the one equality of condition 0. */
static void meeting(const double *c, double t, bool *truth, double *gap)
{
    gap[0] = c[7] - t;
    gap[1] = curve(c, t - c[6]);
    gap[2] = t > c[7];
    truth[0] = gap[1] == 0.0 && t > c[7];
}

static scene a_meeting(double slope)
{
    scene s = {.at = meeting, .c = {0, slope, 0, 0, 0, 0, 0.43}, .count = 1};
    s.gaps = 3;
    s.equalities = 1;
    set_step(&s, 0.0, 1.0);
    return s;
}

static void equalities(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        scene s = a_meeting(k == 0 ? 3.0 : -0.2);
        s.c[4] = k == 0 ? 0.1 : -0.01;
        s.c[5] = 5.0;
        locate_from(&s, 0.0);
        assert_true(s.seen.found && s.turned[0] && s.truth[0]);
        assert_true(fabs(s.seen.t - 0.43) <= 2.0 * DBL_EPSILON);
        s.c[7] = 0.5; /* then the rest of the condition is false */
        locate_from(&s, 0.0);
        assert_false(s.seen.found);
    }
}

/* t == 0.3 exactly, and between two numbers. */
static void equal_times(void **state)
{
    (void)state;
    scene s = a_meeting(1.0);
    s.c[6] = 0.3;
    locate_from(&s, 0.0);
    assert_true(s.seen.found && s.seen.t == 0.3);
    set_step(&s, 0.0, 0.3); /* at the end of a step */
    locate_from(&s, 0.0);
    assert_true(s.seen.found && s.seen.t == 0.3);
    set_step(&s, 0.0, nextafter(0.3, 0.0)); /* a bit after the end: in the next */
    locate_from(&s, 0.0);
    assert_false(s.seen.found);
    set_step(&s, nextafter(0.3, 0.0), 1.0);
    locate_from(&s, nextafter(0.3, 0.0));
    assert_true(s.seen.found && s.seen.t == 0.3);
}

/* (t - c)^2 - r^2 == 0: both of two roots between two samples. */
static void equal_twice(const double *c, double t, bool *truth, double *gap)
{
    dip(c, t, truth, gap);
    truth[0] = gap[0] == 0.0;
    gap[1] = 1.0;
}

static void equality_in_a_visit(void **state)
{
    (void)state;
    scene s = {.at = equal_twice, .c = {0.45, 0.01, 1.0}, .count = 1, .gaps = 2, .equalities = 1};
    set_step(&s, 0.0, 1.0);
    locate_from(&s, 0.0);
    assert_true(s.seen.found && fabs(s.seen.t - 0.44) < 1e-15);
    memcpy(s.was, s.truth, sizeof s.was);
    assert_int_equal(locate(&s, s.seen.t), ZW_OK);
    assert_true(s.seen.found && fabs(s.seen.t - 0.46) < 1e-15);
    memcpy(s.was, s.truth, sizeof s.was);
    assert_int_equal(locate(&s, s.seen.t), ZW_OK);
    assert_false(s.seen.found);
}

/* After a bounce the gap is on the wrong side by rounding: no second event; but without having
 * fired it is one, and a hop that ends between two samples is. */
static void rebounds(void **state)
{
    (void)state;
    scene s = a_meeting(1.0);
    s.c[6] = 1e-17;
    s.was[0] = true;
    assert_int_equal(locate(&s, 0.0), ZW_OK);
    assert_false(s.seen.found);
    s.was[0] = false;
    s.c[7] = -1.0;
    assert_int_equal(locate(&s, 0.0), ZW_OK);
    assert_true(s.seen.found);
    s.c[2] = -50.0; /* back at x = 0.02 */
    s.was[0] = true;
    assert_int_equal(locate(&s, 0.0), ZW_OK);
    assert_true(s.seen.found && fabs(s.seen.t - 0.02) < 1e-15);
}

/* An angle that jumps from pi to -pi is not 0 there. */
static void angle(const double *c, double t, bool *truth, double *gap)
{
    gap[0] = atan2(sin(c[0] * t), cos(c[0] * t));
    gap[1] = 1.0;
    truth[0] = gap[0] == 0.0;
}

static void jump_is_no_equality(void **state)
{
    (void)state;
    scene s = {.at = angle, .c = {1.0}, .count = 1, .gaps = 2, .equalities = 1};
    set_step(&s, 0.5, 7.0);
    locate_from(&s, 0.5);
    assert_true(s.seen.found && fabs(s.seen.t - 6.283185307179586) < 2e-15);
}

/* Two equalities at the same time are simultaneous. */
static void meetings(const double *c, double t, bool *truth, double *gap)
{
    for (int e = 0; e < 2; e++) {
        gap[e] = (e ? 3.0 : -1.0) * (t - c[e]);
        gap[2 + e] = 1.0;
        truth[e] = gap[e] == 0.0;
    }
}

static void simultaneous_equalities(void **state)
{
    (void)state;
    for (int k = -3; k <= 3; k++) {
        scene s = {.at = meetings, .count = 2, .gaps = 4, .equalities = 2, .owner = {0, 1}};
        s.c[0] = 0.7;
        s.c[1] = 0.7 + k * ulp(0.7);
        set_step(&s, 0.2, 1.3);
        locate_from(&s, 0.2);
        assert_true(s.seen.found && s.turned[0] && s.turned[1]);
        assert_true(fabs(s.seen.t - fmax(s.c[0], s.c[1])) <= 4.0 * ulp(0.7));
    }
}

/* ------------------------------------------------------------ what is wrong */

/* Not a number before 0.5. */
static void root(const double *c, double t, bool *truth, double *gap)
{
    gap[0] = sqrt(t - c[0]) - 0.5;
    truth[0] = gap[0] < 0.0;
}

static void not_a_number(void **state)
{
    (void)state;
    scene s = {.at = root, .c = {0.5}, .count = 1, .gaps = 1};
    set_step(&s, 0.0, 1.0);
    locate_from(&s, 0.0);
    check_edge(&s, 0, 0.5, 0.0);
    scene all = {.at = root, .c = {(double)NAN}, .count = 1, .gaps = 1};
    set_step(&all, 0.0, 1.0);
    locate_from(&all, 0.0);
    assert_false(all.seen.found);
}

/* A look may fail whenever it is. */
static void failing_looks(void **state)
{
    (void)state;
    scene s = {.at = dip, .c = {0.45, 0.001, 1.0}, .count = 1, .gaps = 1};
    set_step(&s, 0.0, 1.0);
    locate_from(&s, 0.0);
    int64_t all = s.looks;
    assert_true(s.seen.found && all > 12);
    for (s.fails_at = 1; s.fails_at <= all; s.fails_at++) {
        assert_int_equal(locate(&s, 0.0), ZW_ERR_NOT_FINITE);
        assert_int_equal(s.looks, s.fails_at);
    }
}

/* A gap that changes sign all the time and no condition: it comes to an end. */
static void noise(const double *c, double t, bool *truth, double *gap)
{
    gap[0] = sin(c[0] * t);
    gap[1] = sin(c[0] * t * t + 1.0);
    truth[0] = gap[0] > 2.0;
    truth[1] = c[1] < t;
}

static void restless_gaps(void **state)
{
    (void)state;
    scene s = {.at = noise, .c = {1e9, 0.987}, .count = 2, .gaps = 2};
    set_step(&s, 0.0, 1.0);
    locate_from(&s, 0.0);
    print_message("looks: %d\n", (int)s.looks);
    check_edge(&s, 1, 0.987, 2.0 * DBL_EPSILON);
    assert_true(s.looks < 60000);
}

/* ---------------------------------------------------------------- quiet steps */

/* A dip of depth c[0] and width c[2] at c[1], from 1 and a slope c[3], of either sign; c[4] not 0: beside
 * it a gap of no condition that changes its sign, so that the step is not quiet. */
static void dip_on_a_slope(const double *c, double t, bool *truth, double *gap)
{
    double x = (t - c[1]) / c[2];
    gap[0] = c[5] * (1.0 + c[3] * t - c[0] * exp(-x * x));
    gap[1] = c[4] != 0.0 ? t - c[4] : 1.0;
    truth[0] = c[5] > 0.0 ? gap[0] < 0.0 : gap[0] > 0.0;
}

static double between(uint64_t *seed, double low, double high)
{
    return low + (high - low) * uniform(seed);
}

/* What makes a step quiet must not hide anything: the same is found where it is searched in full. */
static void quiet_or_not(void **state)
{
    (void)state;
    uint64_t seed = 11;
    int found = 0, quick = 0;
    for (int i = 0; i < 40000; i++) {
        scene s = {.at = dip_on_a_slope, .count = 1, .gaps = 2};
        s.c[0] = 1.0 + pow(10.0, between(&seed, -6.0, 0.5)) * (i % 3 ? 1.0 : -0.3);
        s.c[2] = pow(10.0, between(&seed, -3.0, 0.5));
        s.c[1] = fmin(s.c[2] * between(&seed, 0.0, 4.0), 0.3);
        if (i % 2) s.c[1] = 1.0 - s.c[1];
        s.c[3] = i % 7 ? 0.0 : between(&seed, -0.5, 5.0);
        s.c[5] = i % 5 ? 1.0 : -1.0;
        set_step(&s, 0.0, 1.0);
        locate_from(&s, 0.0);
        bool alone = s.seen.found;
        double t = s.seen.t;
        quick += s.looks == 13;
        s.c[4] = 0.5432; /* far from narrow dips */
        locate_from(&s, 0.0);
        assert_int_equal(alone, s.seen.found);
        if (alone) assert_true(fabs(t - s.seen.t) <= 4.0 * DBL_EPSILON);
        found += alone;
    }
    assert_true(found > 4000 && quick > 4000);
}

/* ------------------------------------------------------------ a real stepper */

static zw_status oscillator(void *user, double t, const double *y, double *dy)
{
    (void)user;
    (void)t;
    dy[0] = y[1];
    dy[1] = -y[0];
    return ZW_OK;
}

static zw_status below_half(void *user, double t, const double *y, bool *truth, double *gap)
{
    (void)user;
    (void)t;
    gap[0] = y[0] - 0.5;
    truth[0] = gap[0] < 0.0;
    return ZW_OK;
}

/* cos t falls below 1/2 at pi/3 + 2 pi k. */
static void along_an_oscillation(const char *name, double tolerance)
{
    const zi_method *method = zi_find_method(name);
    if (!method) skip();
    zb_memory memory;
    zb_memory_init(&memory, NULL);
    zi_system system = {.size = 2, .controlled = 2, .rates = oscillator};
    zi_settings settings = {.tol = 1e-11, .abs_tol = 1e-11, .step = 0.01, .end = 40.0};
    double y[] = {1.0, 0.0}, workspace[200], worst = 0.0;
    zi_stepper *s;
    zi_watch watch = {.count = 1, .gaps = 1, .look = below_half};
    bool was = false, turned, truth;
    int32_t k = 0;
    assert_true(zi_locator_size(&watch, 2) <= 200);
    assert_int_equal(zi_open(&memory, method, &system, &settings, 0.0, y, &s), ZW_OK);
    while (s->t < settings.end) {
        assert_int_equal(zi_step(s), ZW_OK);
        double from = s->t_old;
        zi_detection seen = {.turned = &turned, .truth = &truth};
        do {
            assert_int_equal(zi_locate(s, &watch, from, &was, workspace, &seen), ZW_OK);
            double off = seen.t - 3.14159265358979323846 * (1.0 / 3.0 + 2.0 * k);
            if (seen.found) k++;
            if (seen.found && fabs(off) > worst) worst = fabs(off);
            was = truth;
            from = seen.t;
        } while (seen.found);
    }
    zi_close(s);
    print_message("%s: %d events, off by %.2g\n", name, (int)k, worst);
    assert_int_equal(k, 7); /* 36.7, 43 */
    assert_true(worst < tolerance);
}

static void with_dop853(void **state)
{
    (void)state;
    along_an_oscillation("dop853", 1e-9);
}

static void with_rk4(void **state)
{
    (void)state;
    along_an_oscillation("rk4", 1e-7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_times),
        cmocka_unit_test(random_curves),
        cmocka_unit_test(quarter_turn),
        cmocka_unit_test(jumps),
        cmocka_unit_test(short_visits),
        cmocka_unit_test(near_misses),
        cmocka_unit_test(notches),
        cmocka_unit_test(first_of_two_visits),
        cmocka_unit_test(many_visits),
        cmocka_unit_test(simultaneous),
        cmocka_unit_test(one_after_the_other),
        cmocka_unit_test(armed_inside_the_step),
        cmocka_unit_test(true_false_true),
        cmocka_unit_test(not_found),
        cmocka_unit_test(true_at_once),
        cmocka_unit_test(composed),
        cmocka_unit_test(equalities),
        cmocka_unit_test(equal_times),
        cmocka_unit_test(equality_in_a_visit),
        cmocka_unit_test(rebounds),
        cmocka_unit_test(jump_is_no_equality),
        cmocka_unit_test(simultaneous_equalities),
        cmocka_unit_test(not_a_number),
        cmocka_unit_test(failing_looks),
        cmocka_unit_test(restless_gaps),
        cmocka_unit_test(quiet_or_not),
        cmocka_unit_test(with_dop853),
        cmocka_unit_test(with_rk4),
    };
    return cmocka_run_group_tests_name("locate", tests, NULL, NULL);
}
