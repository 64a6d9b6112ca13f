/*
 * test_sparse.c: the sparse solver equals the dense one, and both the truth.
 *
 * Hundreds of systems of every kind through zg_system: shapes of nets, mass matrices, weights,
 * dependent and contradictory rows. The truth is the exact oracle for small systems and
 * elimination in long double for the others, which is itself compared with the exact one.
 */
#include "oracle.h"
#include "sparse_check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The exact oracle takes dense problems. */
static problem *dense_problem(const sparse_problem *p)
{
    int32_t n = p->is.n, m = p->is.m;
    problem *q = problem_new(n, m);
    double *from[] = {net_dense_mass(p), net_dense_rows(p), net_dense_weight(p)};
    memcpy(q->M, from[0], (size_t)(n * n) * sizeof(double));
    memcpy(q->A, from[1], (size_t)(m * n) * sizeof(double));
    memcpy(q->W, from[2], (size_t)(m * m) * sizeof(double));
    memcpy(q->Q, p->Q, (size_t)n * sizeof(double));
    memcpy(q->C, p->C, (size_t)n * sizeof(double));
    memcpy(q->b, p->b, (size_t)m * sizeof(double));
    for (size_t i = 0; i < 3; i++) free(from[i]);
    q->with_C = p->with_C;
    return q;
}

/* What of the exact answers the other oracle has. */
static void compare_oracles(tally *t, const sparse_problem *p, const oracle *exact,
                            const long_oracle *o)
{
    const struct {
        const char *what;
        const double *x, *y;
        int32_t size;
    } pairs[] = {
        {"acceleration", o->acceleration, exact->acceleration, p->is.n},
        {"force", o->force, exact->force, p->is.n},
        {"ideal", o->ideal, exact->ideal, p->is.n},
        {"nonideal", o->nonideal, exact->nonideal, p->is.n},
        {"multipliers", o->multipliers, exact->multipliers, p->is.m},
        {"free acceleration", o->free, exact->free_acceleration, p->is.n},
    };
    size_t count = sizeof pairs / sizeof *pairs - (exact->mass_singular ? 1 : 0);
    double tolerance = 1e-15 + 1e-18 * o->condition * o->mass_condition;
    for (size_t i = 0; i < count; i++) {
        double size = size_of(pairs[i].y, pairs[i].size);
        size += i < 4 && i > 0 ? size_of(p->Q, p->is.n) : 0.0;
        tally_below(t, p, "long double", pairs[i].what,
                    distance_of(pairs[i].x, pairs[i].y, pairs[i].size), tolerance * size);
    }
    double size = size_of(p->b, p->is.m) + size_of(exact->residual, p->is.m);
    tally_below(t, p, "long double", "residual", distance_of(o->residual, exact->residual, p->is.m),
                1e-14 * size);
    tally_true(t, p, "long double", "rank", o->rank == exact->rank);
    if (!exact->mass_singular)
        tally_below(t, p, "long double", "gaussian", fabs(o->gaussian - exact->gaussian),
                    tolerance * exact->gaussian);
}

/* ----------------------------------------------------------------------- tests */

/* Both oracles, on systems small enough for rational numbers. */
static void test_oracles(void **state)
{
    (void)state;
    tally t = {0};
    for (int32_t k = 0; k < NET_KINDS; k += 2) {
        net_kind kind = net_kind_of(k, k / 7, 5);
        sparse_problem *p = net_make(&kind, (uint64_t)(1000 + k));
        problem *q = dense_problem(p);
        oracle *exact = oracle_solve(q);
        assert_int_equal(exact->undetermined, 0);
        long_oracle o = long_solve(p, net_rank(p, false, true), exact->mass_singular);
        tally_true(&t, p, "modular", "mass_singular",
                   exact->mass_singular == (net_rank(p, true, false) < p->is.n));
        compare_oracles(&t, p, exact, &o);
        long_free(&o);
        oracle_free(exact);
        problem_free(q);
        net_free(p);
    }
    tally_finish(&t, 700);
}

/* Every combination of shape, mass and extra rows, the weights in turn. */
static void test_every_kind(void **state)
{
    tally t = {0};
    for (int32_t k = 0; k < 3 * NET_KINDS; k++) {
        net_kind kind = net_kind_of(k, k / NET_KINDS, 10 + k % 23);
        outcome_examine(*state, &t, &kind, (uint64_t)k);
    }
    tally_finish(&t, 400 * 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oracles),
        cmocka_unit_test(test_every_kind),
    };
    return cmocka_run_group_tests(tests, memory_prepare, memory_complete);
}
