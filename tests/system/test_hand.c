/*
 * test_hand.c: the systems worked out by hand against differences of their own Lagrangians and
 * constraints, in long double. No part of the library takes part, but for C the exact
 * solution of tests/gauss does.
 *
 * First derivatives by the central difference of sixth order; along the motion, d/ds is taken at
 * (t + s, q + s v, v). Everything is a polynomial in v of degree two, so a step of 1 is exact
 * there.
 */
#include "hand.h"
#include "oracle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { TRIALS = 20 };

static const hand *const systems[] = {HAND_LIST};

typedef struct point {
    real t, q[HAND_N], v[HAND_N];
} point;

/* What is differentiated: a number that depends on a point. */
typedef real (*number_fn)(const hand *h, const point *p, int32_t index);

static real lagrangian_of(const hand *h, const point *p, int32_t unused)
{
    (void)unused;
    return h->lagrangian(p->t, p->q, p->v);
}

static real row_of(const hand *h, const point *p, int32_t index)
{
    real phi[HAND_M] = {0};
    h->rows(p->t, p->q, p->v, phi);
    return phi[index];
}

/* Directions to differentiate in: coordinate i, velocity i, or along the motion. */
typedef enum { ALONG_Q, ALONG_V, ALONG_MOTION } direction;

static point moved(const hand *h, const point *p, direction d, int32_t i, real by)
{
    point r = *p;
    if (d == ALONG_Q) r.q[i] += by;
    if (d == ALONG_V) r.v[i] += by;
    if (d == ALONG_MOTION) {
        r.t += by;
        for (int32_t k = 0; k < h->n; k++) r.q[k] += by * p->v[k];
    }
    return r;
}

static real step_of(const hand *h, direction d)
{
    if (d == ALONG_V) return 1;
    return d == ALONG_Q ? 1e-3L : 1e-3L / (real)fmax(1, h->speed);
}

static real difference(const hand *h, number_fn f, int32_t index, const point *p, direction d,
                       int32_t i)
{
    static const real weight[3] = {3 / 4.0L, -3 / 20.0L, 1 / 60.0L};
    real step = step_of(h, d), sum = 0;
    for (int k = 1; k <= 3; k++) {
        point ahead = moved(h, p, d, i, (real)k * step),
              behind = moved(h, p, d, i, -(real)k * step);
        sum += weight[k - 1] * (f(h, &ahead, index) - f(h, &behind, index));
    }
    return sum / step;
}

/* First derivatives as numbers that can be differentiated again. */
static real momentum_of(const hand *h, const point *p, int32_t i)
{
    return difference(h, lagrangian_of, 0, p, ALONG_V, i);
}

static real row_rate_of(const hand *h, const point *p, int32_t i)
{
    return difference(h, row_of, i, p, ALONG_MOTION, 0);
}

static void derive(const hand *h, const point *p, hand_equations *e)
{
    real F[HAND_N] = {0};
    if (h->forces != NULL) h->forces(p->t, p->q, p->v, F);
    for (int32_t i = 0; i < h->n; i++) {
        for (int32_t j = 0; j < h->n; j++) {
            e->M[i * h->n + j] = (double)difference(h, momentum_of, i, p, ALONG_V, j);
        }
        e->Q[i] = (double)(difference(h, lagrangian_of, 0, p, ALONG_Q, i) -
                           difference(h, momentum_of, i, p, ALONG_MOTION, 0) + F[i]);
    }
    for (int32_t k = 0; k < h->m; k++) {
        bool holonomic = h->kinds[k] == 'h';
        for (int32_t j = 0; j < h->n; j++) {
            direction d = holonomic ? ALONG_Q : ALONG_V;
            e->A[k * h->n + j] = (double)difference(h, row_of, k, p, d, j);
        }
        e->b[k] = -(double)(holonomic ? difference(h, row_rate_of, k, p, ALONG_MOTION, 0)
                                      : row_rate_of(h, p, k));
    }
}

/* Entries to 1e-9 of the largest, or rounding where all are zero. */
static void expect_near(const hand *h, const char *what, const double *x, const double *y,
                        int32_t count)
{
    double size = 0;
    for (int32_t i = 0; i < count; i++) size = fmax(size, fabs(y[i]));
    for (int32_t i = 0; i < count; i++) {
        if (!(fabs(x[i] - y[i]) <= 1e-9 * size + 1e-12)) {
            fail_msg("%s: %s[%d] by hand %.17g, by differences %.17g", h->model, what, i, x[i],
                     y[i]);
        }
    }
}

static void test_by_differences(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof systems / sizeof *systems; s++) {
        const hand *h = systems[s];
        assert_true(h->n <= HAND_N && h->m <= HAND_M);
        assert_int_equal(strlen(h->kinds), h->m);
        for (uint64_t trial = 0; trial < TRIALS; trial++) {
            double t, q[HAND_N], v[HAND_N];
            hand_state(h, trial, &t, q, v);
            point p = {.t = t};
            for (int32_t i = 0; i < h->n; i++) {
                p.q[i] = q[i];
                p.v[i] = v[i];
            }
            hand_equations by_hand = {0}, derived = {0};
            h->equations(t, q, v, &by_hand);
            derive(h, &p, &derived);
            expect_near(h, "M", by_hand.M, derived.M, h->n * h->n);
            expect_near(h, "Q", by_hand.Q, derived.Q, h->n);
            for (int32_t k = 0; k < h->m; k++) {
                expect_near(h, "A", by_hand.A + k * h->n, derived.A + k * h->n, h->n);
            }
            expect_near(h, "b", by_hand.b, derived.b, h->m);
        }
    }
}

/* C against the exact norm of the ideal force. */
static void test_friction(void **state)
{
    (void)state;
    int32_t tried = 0;
    for (size_t s = 0; s < sizeof systems / sizeof *systems; s++) {
        const hand *h = systems[s];
        for (uint64_t trial = 0; h->friction > 0 && trial < TRIALS; trial++) {
            double t, q[HAND_N], v[HAND_N], expected[HAND_N], N = 0, speed = 0;
            hand_state(h, trial, &t, q, v);
            hand_equations e = {0};
            h->equations(t, q, v, &e);
            problem *p = problem_new(h->n, h->m);
            memcpy(p->M, e.M, (size_t)(h->n * h->n) * sizeof(double));
            memcpy(p->A, e.A, (size_t)(h->m * h->n) * sizeof(double));
            memcpy(p->Q, e.Q, (size_t)h->n * sizeof(double));
            memcpy(p->b, e.b, (size_t)h->m * sizeof(double));
            oracle *o = oracle_solve(p);
            for (int32_t i = 0; i < h->n; i++) {
                N = hypot(N, o->ideal[i]);
                speed = hypot(speed, v[i]);
            }
            for (int32_t i = 0; i < h->n; i++) expected[i] = -h->friction * N * v[i] / speed;
            expect_near(h, "C", e.C, expected, h->n);
            oracle_free(o);
            problem_free(p);
            tried++;
        }
    }
    assert_true(tried >= 3 * TRIALS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_differences),
                                       cmocka_unit_test(test_friction)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
