/*
 * test_equations.c: M, Q, A, b, C and the acceleration of whole models against systems worked out
 * by hand (hand.h) and solved in exact arithmetic (tests/gauss).
 */
#include "hand.h"
#include "loaded.h"
#include "oracle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TRIALS = 50 };

/* Everything an instant says, with room for the largest system of hand.h. */
typedef struct snapshot {
    double M[HAND_N * HAND_N], Q[HAND_N], C[HAND_N], A[HAND_M * HAND_N], b[HAND_M];
    double value[HAND_M], rate[HAND_M];
    bool has_C;
} snapshot;

static void take(loaded *l, double t, const double *q, const double *v, snapshot *s)
{
    zw_instant i = {
        .M = s->M, .Q = s->Q, .C = s->C, .A = s->A, .b = s->b, .value = s->value, .rate = s->rate};
    assert_int_equal(zw_sim_set_state(l->sim, t, q, v), ZW_OK);
    assert_int_equal(zw_sim_instant(l->sim, &i), ZW_OK);
    s->has_C = i.has_C;
}

/* Entries to `allowed` of the largest. */
static void expect_equal(const hand *h, uint64_t trial, const char *what, const double *x,
                         const double *y, int32_t count, double allowed)
{
    double size = 0;
    for (int32_t i = 0; i < count; i++) size = fmax(size, fabs(y[i]));
    for (int32_t i = 0; i < count; i++) {
        if (!(fabs(x[i] - y[i]) <= allowed * size)) {
            fail_msg("%s, state %d: %s[%d] is %.17g, by hand %.17g", h->model, (int)trial, what, i,
                     x[i], y[i]);
        }
    }
}

/* Entries of M to 1e-12 of the masses of their row and column. */
static void expect_mass(const hand *h, uint64_t trial, const double *x, const double *y)
{
    for (int32_t i = 0; i < h->n; i++) {
        for (int32_t j = 0; j < h->n; j++) {
            int32_t k = i * h->n + j;
            double size = sqrt(y[i * (h->n + 1)] * y[j * (h->n + 1)]);
            if (!(fabs(x[k] - y[k]) <= 1e-12 * size)) {
                fail_msg("%s, state %d: M[%d][%d] is %.17g, by hand %.17g", h->model, (int)trial, i,
                         j, x[k], y[k]);
            }
        }
    }
}

static void expect_equations(const hand *h, uint64_t trial, const snapshot *s,
                             const hand_equations *e)
{
    expect_mass(h, trial, s->M, e->M);
    expect_equal(h, trial, "Q", s->Q, e->Q, h->n, 1e-12);
    for (int32_t k = 0; k < h->m; k++) {
        expect_equal(h, trial, "A", s->A + k * h->n, e->A + k * h->n, h->n, 1e-12);
    }
    expect_equal(h, trial, "b", s->b, e->b, h->m, 1e-12);
    assert_int_equal(s->has_C, h->friction > 0);
    if (s->has_C) expect_equal(h, trial, "C", s->C, e->C, h->n, 1e-11);
}

/* phi, and of holonomic rows its rate A v + phi_t, here from a difference in long double. */
static void expect_values(const hand *h, uint64_t trial, double t, const double *q, const double *v,
                          const snapshot *s)
{
    const real step = 1e-4L / (real)fmax(1, h->speed);
    real q0[HAND_N], q1[HAND_N], q2[HAND_N], w[HAND_N], phi[HAND_M], ahead[HAND_M], behind[HAND_M];
    for (int32_t i = 0; i < h->n; i++) {
        w[i] = v[i];
        q0[i] = q[i];
        q1[i] = q[i] - step * w[i];
        q2[i] = q[i] + step * w[i];
    }
    h->rows(t, q0, w, phi);
    h->rows(t - step, q1, w, behind);
    h->rows(t + step, q2, w, ahead);
    for (int32_t k = 0; k < h->m; k++) {
        real rate = h->kinds[k] == 'h' ? (ahead[k] - behind[k]) / (2 * step) : phi[k];
        double size = fmax(1, h->speed);
        if (!(fabs(s->value[k] - (double)phi[k]) <= 1e-12 * size) ||
            !(fabs(s->rate[k] - (double)rate) <= 1e-4 * size)) {
            fail_msg("%s, state %d: row %d is %.17g, its rate %.17g; by hand %.17g and %.9g",
                     h->model, (int)trial, k, s->value[k], s->rate[k], (double)phi[k],
                     (double)rate);
        }
    }
}

static problem *problem_of(const hand *h, const hand_equations *e)
{
    problem *p = problem_new(h->n, h->m);
    memcpy(p->M, e->M, (size_t)(h->n * h->n) * sizeof(double));
    memcpy(p->A, e->A, (size_t)(h->m * h->n) * sizeof(double));
    memcpy(p->Q, e->Q, (size_t)h->n * sizeof(double));
    memcpy(p->b, e->b, (size_t)h->m * sizeof(double));
    memcpy(p->C, e->C, (size_t)h->n * sizeof(double));
    p->with_C = h->friction > 0;
    return p;
}

static void expect_acceleration(const hand *h, uint64_t trial, loaded *l, double t, const double *q,
                                const double *v, const hand_equations *e)
{
    double z[HAND_N];
    problem *p = problem_of(h, e);
    oracle *o = oracle_solve(p);
    assert_int_equal(zw_sim_acceleration(l->sim, t, q, v, z), ZW_OK);
    expect_equal(h, trial, "acceleration", z, o->acceleration, h->n, 1e-12);
    oracle_free(o);
    problem_free(p);
}

static void test_system(void **state)
{
    const hand *h = *state;
    loaded l = load_model(h->model, h->settings);
    if (l.status != ZW_OK) fail_msg("%s: %s", h->model, load_messages(&l));
    assert_int_equal(l.n, h->n);
    assert_int_equal(l.m, h->m);
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        double t, q[HAND_N], v[HAND_N];
        hand_equations e = {0};
        snapshot s;
        hand_state(h, trial, &t, q, v);
        h->equations(t, q, v, &e);
        take(&l, t, q, v, &s);
        expect_equations(h, trial, &s, &e);
        expect_values(h, trial, t, q, v, &s);
        expect_acceleration(h, trial, &l, t, q, v, &e);
    }
    loaded_clear(&l);
}

/* ------------------------------------------------------------------ the list */

int main(void)
{
    static const hand *const systems[] = {HAND_LIST};
    enum { COUNT = sizeof systems / sizeof *systems };
    struct CMUnitTest tests[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        hand *h = malloc(sizeof *h);
        if (h == NULL) return 1;
        *h = *systems[i];
        tests[i] =
            (struct CMUnitTest){.name = h->model, .test_func = test_system, .initial_state = h};
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (size_t i = 0; i < COUNT; i++) free(tests[i].initial_state);
    return failed;
}
