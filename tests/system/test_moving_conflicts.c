/*
 * test_moving_conflicts.c: constraints that contradict each other while the motion goes on (THEORY,
 * Conflicts). Accelerations in conflict run by the General Gauss principle and leave all other rows
 * alone; positions and velocities in conflict are refused by name, or, when accepted, start at the
 * compromise of weighted least squares and keep to it.
 */
#include "journey.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void near_to(double x, double y, double tolerance)
{
    if (!(fabs(x - y) <= tolerance)) fail_msg("%.17g is not %.17g to %g", x, y, tolerance);
}

/* What conclude and the verdict say, in one text. */
typedef struct said {
    char text[8000];
    size_t length;
} said;

static bool keep(void *user, const char *bytes, size_t size)
{
    said *s = user;
    if (s->length + size >= sizeof s->text) return false;
    memcpy(s->text + s->length, bytes, size);
    s->length += size;
    s->text[s->length] = '\0';
    return true;
}

static said listen(journey *j)
{
    said s = {.length = 0};
    assert_int_equal(zw_sim_conclude(j->l.sim), ZW_OK);
    char *messages = load_messages(&j->l);
    assert_true(keep(&s, messages, strlen(messages)));
    free(messages);
    assert_int_equal(zw_sim_verdict(j->l.sim, ZW_REPORT_TEXT, keep, &s), ZW_OK);
    return s;
}

static void expect_said(const said *s, const char *words)
{
    if (!strstr(s->text, words)) fail_msg("'%s' is not in\n%s", words, s->text);
}

static void expect_not_said(const said *s, const char *words)
{
    if (strstr(s->text, words)) fail_msg("'%s' is in\n%s", words, s->text);
}

/* ---------------------------------------------------------- conflicts of accelerations */

/* x'' = -x (w1) and x'' = -4 x (w2): x = cos(k t), k^2 = (w1 + 4 w2)/(w1 + w2). What is lost is
 * 3 |x| sqrt(w1 w2/(w1 + w2)), at most at the start. */
static void test_two_masters(void **state)
{
    (void)state;
    const double weights[][2] = {{1, 2}, {1, 1}, {10, 0.1}, {1e-3, 5}};
    for (int k = 0; k < 4; k++) {
        char text[400];
        double w1 = weights[k][0], w2 = weights[k][1], rate = sqrt((w1 + 4 * w2) / (w1 + w2));
        snprintf(text, sizeof text,
                 "coord x, y\nkinetic (x'^2 + 3*y'^2)/2\nconstraint first: x'' = -x\n"
                 "constraint second: x'' = -4*x\nweight first: %.17g\nweight second: %.17g\n"
                 "start x = 1, y' = 2\n",
                 w1, w2);
        journey j = journey_open(text, NULL, "x, y, x'");
        j.settings.tol = j.settings.abs_tol = 1e-11;
        journey_begin(&j);
        for (double t = 1; t <= 10; t++) {
            journey_to(&j, t);
            near_to(j.row[1], cos(rate * t), 2e-8);
            near_to(j.row[3], -rate * sin(rate * t), 4e-8);
            near_to(j.row[2], 2 * t, 1e-12); /* nothing acts on it */
        }
        zw_run_statistics s = journey_statistics(&j);
        assert_true(s.first_inconsistent == 0);
        near_to(s.inconsistency, 3 * sqrt(w1 * w2 / (w1 + w2)), 1e-9);
        assert_int_equal(s.trust, ZW_TRUST_REMARKS);
        said text_of = listen(&j);
        expect_said(&text_of, "W0712");
        expect_said(&text_of, "`first` and `second` ask for accelerations");
        expect_said(&text_of, "from t = 0 on");
        journey_close(&j);
    }
}

/* Holonomic rows that agree in position and velocity at the start and ask for s'' = 1 and 3: the
 * motion is s = t^2, by weights s = (w1 + 3 w2)/(w1 + w2) t^2/2; the rows are off, the rod beside
 * them and a redundant twin of the rod stay at rounding. */
static void test_rows_left_out(void **state)
{
    (void)state;
    const double second[] = {1, 3, 0.01};
    for (int k = 0; k < 3; k++) {
        char text[800];
        double w2 = second[k], pull = (1 + 3 * w2) / (1 + w2);
        snprintf(text, sizeof text,
                 "coord x, y, s\nkinetic (x'^2 + y'^2 + s'^2)/2\npotential 9.81*y\n"
                 "constraint rod: x^2 + y^2 = 1\nconstraint twin: 2*x^2 + 2*y^2 = 2\n"
                 "constraint slow: s = t^2/2\nconstraint quick: s = 3*t^2/2\n"
                 "weight slow: 1\nweight quick: %.17g\nstart x = 1\n",
                 w2);
        journey j = journey_open(text, NULL, "x, y, s, s'");
        journey_begin(&j);
        for (double t = 0.5; t <= 5; t += 0.5) {
            journey_to(&j, t);
            near_to(j.row[3], pull * t * t / 2, 1e-9 * (1 + t * t));
            near_to(j.row[4], pull * t, 1e-9 * (1 + t));
            near_to(j.row[1] * j.row[1] + j.row[2] * j.row[2], 1, 1e-14);
        }
        zw_run_statistics s = journey_statistics(&j);
        assert_true(s.first_inconsistent == 0);
        near_to(s.inconsistency, 2 * sqrt(w2 / (1 + w2)), 1e-9);
        assert_true(s.position.size < 1e-14 && s.velocity.size < 1e-13);
        assert_true(s.position.row < 2 && s.velocity.row < 2);
        assert_int_equal(s.trust, ZW_TRUST_REMARKS);
        said text_of = listen(&j);
        expect_said(&text_of, "`slow` and `quick` ask for accelerations");
        expect_not_said(&text_of, "`rod` and");
        expect_not_said(&text_of, "`twin` ");
        journey_close(&j);
    }
}

/* The rod's motion does not notice the quarrel of the others. */
static void test_others_as_without(void **state)
{
    (void)state;
    static const char rod[] = "coord x, y, s\nkinetic (x'^2 + y'^2 + s'^2)/2\npotential 9.81*y\n"
                              "constraint rod: x^2 + y^2 = 1\nstart x = 1\n";
    char both[600];
    double a[6], b[6];
    snprintf(both, sizeof both, "%sconstraint slow: s'' = 1\nconstraint quick: s'' = 3\n", rod);
    const char *const texts[] = {rod, both};
    for (int k = 0; k < 2; k++) {
        journey j = journey_open(texts[k], NULL, NULL);
        j.settings.tol = j.settings.abs_tol = 1e-11;
        journey_begin(&j);
        journey_to(&j, 4);
        journey_state(&j, k ? b : a);
        if (k) near_to(b[2], 16, 1e-10);
        journey_close(&j);
    }
    for (int i = 0; i < 2; i++) {
        near_to(b[i], a[i], 1e-8);
        near_to(b[3 + i], a[3 + i], 1e-8);
    }
}

/* The quarrel begins at t = 1: s = (t - 1)^2/2 from there on. A third row takes no part. */
static void test_a_conflict_that_begins(void **state)
{
    (void)state;
    journey j = journey_open("coord s, u\nkinetic (s'^2 + u'^2)/2\nconstraint calm: s'' = 0\n"
                             "constraint wild: s'' = if(t < 1, 0, 2)\nconstraint other: u'' = 5\n",
                             NULL, "s, s', u");
    journey_begin(&j);
    journey_to(&j, 0.9);
    zw_run_statistics s = journey_statistics(&j);
    near_to(j.row[1], 0, 1e-15);
    assert_true(isnan(s.first_inconsistent) || s.first_inconsistent >= 1);
    journey_to(&j, 3);
    near_to(j.row[1], 2, 1e-10);
    near_to(j.row[2], 2, 1e-10);
    near_to(j.row[3], 22.5, 1e-11);
    s = journey_statistics(&j);
    near_to(s.first_inconsistent, 1, 1e-10);
    near_to(s.inconsistency, sqrt(2), 1e-9);
    assert_int_equal(s.trust, ZW_TRUST_REMARKS);
    said text = listen(&j);
    expect_said(&text, "`calm` and `wild` ask for accelerations that contradict each other");
    expect_not_said(&text, "`other`");
    journey_close(&j);
}

/* The same beside a rod that is projected at every step, and with holonomic rows that part at
 * t = 1: s = t is asked for by one, s = t + (t - 1)^2 by the other. */
static void test_begins_beside_a_rod(void **state)
{
    (void)state;
    journey j = journey_open("coord x, y, s\nkinetic (x'^2 + y'^2 + s'^2)/2\npotential 9.81*y\n"
                             "constraint rod: x^2 + y^2 = 1\nconstraint calm: s = t\n"
                             "constraint wild: s = t + if(t < 1, 0, (t - 1)^2)\n"
                             "start x = 1, s' = 1\n",
                             NULL, "s, s', x, y");
    journey_begin(&j);
    journey_to(&j, 0.9);
    near_to(j.row[1], 0.9, 1e-14);
    journey_to(&j, 3);
    near_to(j.row[1], 3 + 2, 1e-10);
    near_to(j.row[2], 1 + 2, 1e-10);
    near_to(j.row[3] * j.row[3] + j.row[4] * j.row[4], 1, 1e-14);
    zw_run_statistics s = journey_statistics(&j);
    near_to(s.first_inconsistent, 1, 1e-10);
    assert_true(s.position.row == 0 && s.position.size < 1e-14);
    said text = listen(&j);
    expect_said(&text, "`calm` and `wild` ask for accelerations that contradict each other");
    journey_close(&j);
}

/* It ends as well: from t = 2 on the rows agree, and the motion goes on straight. */
static void test_a_conflict_that_ends(void **state)
{
    (void)state;
    journey j = journey_open("coord s\nkinetic s'^2/2\nconstraint calm: s'' = 0\n"
                             "constraint wild: s'' = if(t < 2, 2, 0)\n",
                             NULL, "s, s', s''");
    journey_begin(&j);
    journey_to(&j, 4);
    near_to(j.row[1], 6, 1e-10); /* 2 at t = 2, then 2 for every unit */
    near_to(j.row[2], 2, 1e-10);
    near_to(j.row[3], 0, 1e-12);
    assert_true(journey_statistics(&j).first_inconsistent == 0);
    said text = listen(&j);
    expect_said(&text, "from t = 0 to 2");
    expect_not_said(&text, "W0727"); /* rows on accelerations have nothing to be left of */
    journey_close(&j);
}

/* A push against a rail from t = 1 to 2, weighed w : 1, beside a rod: it is left off by d/2 and d,
 * d = 3/(1 + w), and goes on so; the mirror image does the same, by every explicit method: one that
 * has the rates of the end of a step from its last stage must ask for conflicts all the same. */
static void test_left_off(void **state)
{
    (void)state;
    const double weights[] = {1, 4, 0.3}, signs[] = {1, -1};
    const zw_method methods[] = {ZW_DOP853, ZW_DOPRI5, ZW_RK4};
    for (int k = 0; k < 18; k++) {
        char text[500], left[80];
        double w = weights[k % 3], sign = signs[k / 3 % 2], d = 3 / (1 + w);
        snprintf(text, sizeof text,
                 "coord x, y, s\nkinetic (x'^2 + y'^2 + s'^2)/2\npotential 9.81*y\n"
                 "constraint rod: x^2 + y^2 = 1\nconstraint rail: s = 0\n"
                 "constraint push: s'' = if(t > 1 and t < 2, %g, 0)\nweight rail: %.17g\n"
                 "weight push: 1\nstart x = 1\n",
                 3 * sign, w);
        journey j = journey_open(text, NULL, "s, s', x, y");
        j.settings.method = methods[k / 6];
        j.settings.step = methods[k / 6] == ZW_RK4 ? 0.01 : (double)NAN;
        journey_begin(&j);
        journey_to(&j, 4);
        near_to(j.row[1], sign * (d / 2 + 2 * d), 1e-9);
        near_to(j.row[2], sign * d, 1e-9);
        near_to(j.row[3] * j.row[3] + j.row[4] * j.row[4], 1, 1e-14);
        said s = listen(&j);
        snprintf(left, sizeof left, "left `rail` off by %.3g and its rate by %.3g at t = 2", d / 2,
                 d);
        expect_said(&s, left);
        expect_said(&s, "from t = 1 to 2");
        assert_int_equal(journey_statistics(&j).trust, ZW_TRUST_REMARKS);
        journey_close(&j);
    }
}

/* ------------------------------------------------------ conflicts of positions, velocities */

static void expect_refused(const char *text, const char *level, const char *a, const char *b)
{
    journey j = journey_open(text, NULL, NULL);
    assert_int_equal(zw_sim_start(j.l.sim, false), ZW_ERR_START);
    char *messages = load_messages(&j.l);
    if (!strstr(messages, "E0402") || !strstr(messages, level) || !strstr(messages, a) ||
        !strstr(messages, b))
        fail_msg("%s, %s, %s are not in\n%s", level, a, b, messages);
    free(messages);
    journey_close(&j);
}

#define POINT "coord x, y\nkinetic (x'^2 + y'^2)/2\n"

static void test_refused_by_name(void **state)
{
    (void)state;
    expect_refused(POINT "constraint rod: x^2 + y^2 = 1\nconstraint long_rod: x^2 + y^2 = 1.44\n"
                         "start x = 1\n",
                   "position conflict", "`rod`", "`long_rod`");
    expect_refused(POINT "constraint left: x + y = sin(t)\n"
                         "constraint right: 2*x + 2*y = 1 + t\nstart x = 0\n",
                   "position conflict", "`left`", "`right`");
    expect_refused(POINT "constraint left: x = t\nconstraint right: x = 3*t\n", "velocity conflict",
                   "`left`", "`right`");
    expect_refused(POINT "constraint one: x' + y' = 1\nconstraint two: x' + y' = 1.5\n",
                   "velocity conflict", "`one`", "`two`");
}

/* Two rods of lengths 1 and 1.2, weighed w : 1. The compromise is r^2 = (w + 1.44)/(w + 1), and the
 * mass runs round on it: theta = t/r when it begins with speed 1. */
static void test_accepted_position(void **state)
{
    (void)state;
    const double weights[] = {1, 3, 0.2};
    for (int k = 0; k < 3; k++) {
        char text[500], off[80];
        double w = weights[k], r2 = (w + 1.44) / (w + 1), r = sqrt(r2);
        snprintf(text, sizeof text,
                 POINT "constraint rod: x^2 + y^2 = 1\nconstraint other: x^2 + y^2 = 1.44\n"
                       "weight rod: %.17g\nweight other: 1\nstart x = 1.1, y' = 1\n",
                 w);
        journey j = journey_open(text, NULL, "x, y, x', y'");
        j.settings.accept_inconsistent = true;
        j.settings.tol = j.settings.abs_tol = 1e-11;
        journey_begin(&j);
        journey_to(&j, 0);
        near_to(j.row[1], r, 1e-12);
        for (double t = 1; t <= 10; t++) {
            journey_to(&j, t);
            near_to(j.row[1] * j.row[1] + j.row[2] * j.row[2], r2, 1e-12); /* kept to */
            near_to(j.row[1], r * cos(t / r), 1e-8);
            near_to(j.row[2], r * sin(t / r), 1e-8);
            near_to(j.row[3] * j.row[1] + j.row[4] * j.row[2], 0, 1e-12);
        }
        assert_int_equal(journey_statistics(&j).trust, ZW_TRUST_REMARKS);
        said s = listen(&j);
        snprintf(off, sizeof off, "`rod` is off by %.3g, `other` is off by %.3g", r2 - 1,
                 1.44 - r2);
        expect_said(&s, off);
        journey_close(&j);
    }
}

/* A drive against a fixed stop, weighed alike: the compromise is half way and moves, and the
 * projection goes with it. */
static void test_accepted_moving(void **state)
{
    (void)state;
    journey j = journey_open(POINT "constraint moves: x = 1 + t\nconstraint stands: x = 0\n"
                                   "start x = 0.5, x' = 0.5, y' = 1\n",
                             NULL, "x, x', y");
    j.settings.accept_inconsistent = true;
    journey_begin(&j);
    for (double t = 0; t <= 6; t += 0.5) {
        journey_to(&j, t);
        near_to(j.row[1], (1 + t) / 2, 1e-14);
        near_to(j.row[2], 0.5, 1e-14);
        near_to(j.row[3], t, 1e-12);
    }
    journey_close(&j);
}

/* Where the accelerations contradict each other, too, the rows are left out of the projection, and
 * the principle alone leads: as exact as the tolerance. */
static void test_accepted_swinging(void **state)
{
    (void)state;
    journey j = journey_open(POINT "constraint moves: x = 1 + sin(t)\nconstraint stands: x = 0\n"
                                   "start x = 0.5, x' = 0.5, y' = 1\n",
                             NULL, "x, x', y");
    j.settings.accept_inconsistent = true;
    j.settings.tol = j.settings.abs_tol = 1e-11;
    journey_begin(&j);
    for (double t = 0; t <= 6; t += 0.5) {
        journey_to(&j, t);
        near_to(j.row[1], (1 + sin(t)) / 2, 1e-9);
        near_to(j.row[2], cos(t) / 2, 1e-9);
    }
    journey_close(&j);
}

/* x' + y' = 1 and 2 x' + 2 y' = 4: x' + y' = 1.8. */
static void test_accepted_velocity(void **state)
{
    (void)state;
    journey j = journey_open(POINT "constraint one: x' + y' = 1\nconstraint two: 2*x' + 2*y' = 4\n",
                             NULL, "x, y, x', y'");
    j.settings.accept_inconsistent = true;
    journey_begin(&j);
    for (double t = 0; t <= 5; t++) {
        journey_to(&j, t);
        near_to(j.row[1], 0.9 * t, 1e-12);
        near_to(j.row[3], 0.9, 1e-13);
        near_to(j.row[4], 0.9, 1e-13);
    }
    said s = listen(&j);
    expect_said(&s, "`one` is off by 0.8, `two` is off by 0.4");
    assert_int_equal(journey_statistics(&j).trust, ZW_TRUST_REMARKS);
    journey_close(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_masters),          cmocka_unit_test(test_rows_left_out),
        cmocka_unit_test(test_others_as_without),    cmocka_unit_test(test_a_conflict_that_begins),
        cmocka_unit_test(test_a_conflict_that_ends), cmocka_unit_test(test_refused_by_name),
        cmocka_unit_test(test_accepted_position),    cmocka_unit_test(test_accepted_moving),
        cmocka_unit_test(test_accepted_velocity),    cmocka_unit_test(test_accepted_swinging),
        cmocka_unit_test(test_begins_beside_a_rod),  cmocka_unit_test(test_left_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
