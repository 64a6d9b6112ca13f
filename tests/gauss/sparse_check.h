/*
 * sparse_check.h: what the tests of sparse systems share.
 *
 * How errors are measured. z: |dz| against |z| + |M^-1 Q|, since z is what is left of the
 * free motion. Forces: against |Q| + |C| + |force|. Row by row quantities carry the square root of
 * the row's weight: lambda_i / sqrt(W_ii) against the same norm of lambda plus that of the force
 * divided by the rows, r_i sqrt(W_ii) against that of b and A z. The allowance is 1e-11 where the
 * condition number of W^1/2 A M^-1/2 is below 1e3 and that of M below 1e5, and grows with them
 * beyond.
 */
#ifndef TESTS_GAUSS_SPARSE_CHECK_H
#define TESTS_GAUSS_SPARSE_CHECK_H

#include "driver.h"
#include "memory.h"
#include "sparse_oracle.h"

/* --------------------------------------------------------------------- tallies */

enum { MOST_SORTS = 80 };

/* The worst of each sort of comparison, in units of what is allowed. */
typedef struct tally {
    int32_t checks, failures, sorts;
    int32_t systems, left_out; /* those that could not be compared; at most one in 20 */
    struct {
        char what[64], where[256];
        double value, allowed;
        int32_t failures;
    } sort[MOST_SORTS];
} tally;

/* value <= allowed, or it is a failure; NaN fails. */
void tally_below(tally *t, const sparse_problem *p, const char *who, const char *what, double value,
                 double allowed);
void tally_true(tally *t, const sparse_problem *p, const char *who, const char *what, bool so);
/* Fails the test when there was a failure, or fewer than `least` comparisons. With ZW_TEST_WORST in
 * the environment it prints the worst of everything. */
void tally_finish(const tally *t, int32_t least);

/* --------------------------------------------------------------------- systems */

/* A system solved, with every answer. */
typedef struct outcome {
    zg_system *g;
    bool served;
    zw_status status;
    zw_gauss_answer answer;
    zw_gauss_rank_info rank;
    double *z, *free, *force, *ideal, *nonideal, *projected, *split_ideal,
        *split_nonideal;              /* [n] */
    double *lambda, *residual, *lost; /* [m] */
    double *memory;
} outcome;

outcome solved_by(zb_memory *memory, const sparse_problem *p, zw_solver solver);
/* By the sparse solver in a form that it need not have chosen itself; not `served`: the form cannot
 * take this structure. */
outcome solved_in_form(zb_memory *memory, const sparse_problem *p, const zg_sparse_form *kind);
void outcome_free(outcome *o);

/* Every answer of o against the truth. */
void outcome_compare(tally *t, const sparse_problem *p, const char *who, const outcome *o,
                     const long_oracle *truth, bool singular);

/* The answers of o as a truth for another, taken as well conditioned. It refers to o. */
long_oracle outcome_as_truth(const sparse_problem *p, const outcome *o);

/* Whether the motion is so nearly undetermined that nothing can be compared; counts. */
bool tally_leaves_out(tally *t, const long_oracle *truth);

/* The dense solver and the sparse one against elimination in long double. */
void outcome_examine(zb_memory *memory, tally *t, const net_kind *kind, uint64_t seed);

/* Norm of x [n], and of x - y. */
double size_of(const double *x, int32_t n);
double distance_of(const double *x, const double *y, int32_t n);

/* ------------------------------------------------------------------ of a group
 * The state of the tests is a memory; in the end nothing of it may be left. */
int memory_prepare(void **state);
int memory_complete(void **state);

#endif
