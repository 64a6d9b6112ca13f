/*
 * test_bits.c: the same run gives the same bits: whatever times are asked for on the way, after a
 * save and a restore at any of them, with other numbers computed in between, and in two threads at
 * once.
 */
#include "journey.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIZE = 64 };

typedef struct probe {
    const char *model;
    zw_method method;
    double until;
} probe;

/* With events (bounce), friction, moving rows, redundancy, a nonlinear row. */
static const probe probes[] = {
    {"pendulum", ZW_DOP853, 3},  {"pendulum", ZW_DOPRI5, 3},        {"pendulum", ZW_RK4, 3},
    {"hoop", ZW_DOP853, 3},      {"sphere", ZW_DOPRI5, 3},          {"bounce", ZW_DOP853, 2},
    {"bounce", ZW_RK4, 2},       {"friction_flat", ZW_DOP853, 2},   {"appell", ZW_DOP853, 2},
    {"inconsistent", ZW_RK4, 2}, {"rolling_disc", ZW_DOP853, 1},    {"fourbar", ZW_DOP853, 2},
    {"control", ZW_DOP853, 1},   {"pendulum_angle", ZW_DOPRI5, .3}, {"andrews", ZW_DOP853, 0.01},
};
enum { PROBES = sizeof probes / sizeof *probes };

static journey opened(const probe *p)
{
    journey j = journey_open(p->model, NULL, "all");
    j.settings.method = p->method;
    j.settings.until = p->until;
    if (p->method == ZW_RK4) j.settings.step = p->until / 333;
    journey_begin(&j);
    return j;
}

static void expect_same(const probe *p, const char *what, const double *x, const double *y,
                        int32_t count)
{
    if (memcmp(x, y, (size_t)count * sizeof *x) == 0) return;
    int32_t i = 0;
    while (x[i] == y[i] && i < count - 1) i++;
    fail_msg("%s, %s: %s: [%d] is %.17g, not %.17g", p->model, zw_method_name(p->method), what, i,
             x[i], y[i]);
}

/* The state at the end, in one go. */
static int32_t straight(const probe *p, double *x)
{
    journey j = opened(p);
    int32_t count = 2 * j.l.n;
    assert_true(count <= SIZE);
    journey_to(&j, p->until);
    journey_state(&j, x);
    journey_close(&j);
    return count;
}

/* A hundred times on the way, with every column at each, do not change the end. */
static void test_output_times(void **state)
{
    (void)state;
    for (int k = 0; k < PROBES; k++) {
        double expected[SIZE], x[SIZE];
        int32_t count = straight(&probes[k], expected);
        journey j = opened(&probes[k]);
        for (int i = 1; i < 100; i++) journey_to(&j, probes[k].until * i / 100);
        journey_to(&j, probes[k].until);
        journey_state(&j, x);
        expect_same(&probes[k], "with output", x, expected, count);
        journey_close(&j);
    }
}

/* The state at a time on the way does not depend on what was asked for before it. */
static void test_between(void **state)
{
    (void)state;
    for (int k = 0; k < PROBES; k++) {
        double expected[SIZE], x[SIZE], t = 0.613 * probes[k].until;
        journey a = opened(&probes[k]), b = opened(&probes[k]);
        journey_to(&a, t);
        for (int i = 1; i < 30; i++) journey_to(&b, t * i / 30);
        journey_to(&b, t);
        journey_state(&a, expected);
        journey_state(&b, x);
        expect_same(&probes[k], "on the way", x, expected, 2 * a.l.n);
        journey_close(&a);
        journey_close(&b);
    }
}

/* Goes to t, saves, and lets another simulation go on. */
static void resumed(const probe *p, double t, double *x)
{
    journey a = opened(p), b = opened(p);
    size_t needed = 0, again = 0;
    journey_to(&a, t);
    zw_sim_save(a.l.sim, NULL, 0, &needed);
    assert_true(needed > 0);
    void *bytes = malloc(needed);
    assert_non_null(bytes);
    assert_int_equal(zw_sim_save(a.l.sim, bytes, needed, &again), ZW_OK);
    assert_int_equal(again, needed);
    assert_int_equal(zw_sim_restore(b.l.sim, bytes, needed), ZW_OK);
    double at[2 * SIZE];
    journey_state(&a, at);
    journey_state(&b, at + SIZE);
    expect_same(p, "restored", at + SIZE, at, 2 * a.l.n);
    journey_to(&b, p->until);
    journey_state(&b, x);
    free(bytes);
    journey_close(&a);
    journey_close(&b);
}

static void test_restore(void **state)
{
    (void)state;
    for (int k = 0; k < PROBES; k++) {
        double expected[SIZE], x[SIZE];
        int32_t count = straight(&probes[k], expected);
        for (int i = 0; i < 5; i++) {
            char what[64];
            double t = probes[k].until * (0.003 + 0.23 * i);
            snprintf(what, sizeof what, "saved at %g", t);
            resumed(&probes[k], t, x);
            expect_same(&probes[k], what, x, expected, count);
        }
    }
}

/* Bytes of another run are refused. */
static void test_wrong_bytes(void **state)
{
    (void)state;
    journey a = opened(&probes[0]), b = opened(&probes[3]);
    size_t needed = 0;
    zw_sim_save(a.l.sim, NULL, 0, &needed);
    char *bytes = calloc(needed + 1, 1);
    assert_non_null(bytes);
    assert_int_equal(zw_sim_save(a.l.sim, bytes, needed, &needed), ZW_OK);
    assert_int_equal(zw_sim_restore(b.l.sim, bytes, needed), ZW_ERR_SETTING);
    assert_int_equal(zw_sim_restore(a.l.sim, bytes, needed / 2), ZW_ERR_SETTING);
    assert_int_equal(zw_sim_restore(a.l.sim, bytes, needed), ZW_OK);
    free(bytes);
    journey_close(&a);
    journey_close(&b);
}

/* ------------------------------------------------------------------- threads */

typedef struct worker {
    zw_sim *sim;
    double until;
    zw_status status;
} worker;

/* Nothing but advance: the rest belongs to the context's thread. */
static void *work(void *user)
{
    worker *w = user;
    zw_outcome outcome;
    w->status = zw_sim_advance(w->sim, w->until, &outcome);
    return NULL;
}

/* Two simulations of one model in two threads. */
static void test_threads(void **state)
{
    (void)state;
    for (int k = 0; k < PROBES; k++) {
        const probe *p = &probes[k];
        double expected[SIZE], x[SIZE];
        int32_t count = straight(p, expected);
        journey j = opened(p);
        worker w[2] = {{j.l.sim, p->until, ZW_OK}, {NULL, p->until, ZW_OK}};
        pthread_t threads[2];
        assert_int_equal(zw_sim_create(j.l.model, &w[1].sim), ZW_OK);
        assert_int_equal(zw_sim_start(w[1].sim, false), ZW_OK);
        assert_int_equal(zw_sim_begin(w[1].sim, &j.settings), ZW_OK);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(pthread_create(&threads[i], NULL, work, &w[i]), 0);
        }
        for (int i = 0; i < 2; i++) {
            assert_int_equal(pthread_join(threads[i], NULL), 0);
            assert_int_equal(w[i].status, ZW_OK);
            assert_int_equal(zw_sim_state(w[i].sim, NULL, x, x + j.l.n), ZW_OK);
            expect_same(p, "in a thread", x, expected, count);
        }
        zw_sim_free(w[1].sim);
        journey_close(&j);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_output_times), cmocka_unit_test(test_between),
        cmocka_unit_test(test_restore),      cmocka_unit_test(test_wrong_bytes),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
