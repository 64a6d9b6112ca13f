/*
 * gauss_check.h: what the tests of the solver share.
 *
 * A `solved` is a problem taken through plan, factor and solve, with room for every output.
 * A `verdict` collects comparisons over many problems; it fails the test once, at the end,
 * with the worst case of each sort: what was compared, by how much it missed, kind and seed.
 */
#ifndef TESTS_GAUSS_CHECK_H
#define TESTS_GAUSS_CHECK_H

#include "oracle.h"
#include "random_problems.h"

/* ----------------------------------------------------------------- verdicts */

enum { VERDICT_ENTRIES = 24 };

typedef struct verdict_entry {
    char what[64];
    char where[320]; /* kind, seed and sizes of the worst */
    recipe made;
    double value, allowed;
    int32_t count;
} verdict_entry;

typedef struct verdict {
    int32_t checks, failures, entry_count;
    verdict_entry entries[VERDICT_ENTRIES];
} verdict;

/* value <= allowed, or it is a failure; NaN fails. */
void verdict_below(verdict *v, const problem *p, const char *what, double value, double allowed);
void verdict_true(verdict *v, const problem *p, const char *what, bool yes);
void verdict_status(verdict *v, const problem *p, const char *what, zw_status got, zw_status want);

/* Fails the test when there was a failure, or fewer than `least` comparisons. */
void verdict_finish(const verdict *v, int32_t least);

/* ------------------------------------------------------------------ solving */

typedef struct solved {
    zw_context *context;
    zw_gauss *g;
    zw_status status; /* of the last step that was tried */
    zw_gauss_answer answer;
    double *z, *a, *F, *Qi, *Qn, *lambda, *residual, *delta, *balance; /* outputs */
    double *memory;
} solved;

/* Fills *s; s->status tells how far it went. Always free it. */
void solve_problem(const problem *p, solved *s);
void solve_clear(solved *s);

/* The same steps one by one. */
zw_gauss_shape shape_of(const problem *p);
zw_status factor_problem(const problem *p, zw_gauss *g);
void prepare(const problem *p, solved *s); /* plan and room for the answers, no factor */
zw_status check_problem(const problem *p, zw_gauss *g);
const double *given_b(const problem *p); /* NULL when m = 0 */
const double *given_C(const problem *p); /* NULL when absent */

/* ------------------------------------------------------- recomputed by hand */

double norm(const double *x, int32_t n);
double distance(const double *x, const double *y, int32_t n);
double inner_product(const double *x, const double *y, int32_t n);

/* distance / |y|; the distance itself when y is 0 */
double relative(const double *x, const double *y, int32_t n);

/* |z|, or what rounding makes of b where the exact z is zero: a hundredth of |b| / |A| */
double motion_scale(const problem *p, const double *z);

/* y [rows] = S [rows x cols] x */
void times(const double *S, const double *x, int32_t rows, int32_t cols, double *y);
/* y [cols] = S^T x, S [rows x cols] */
void transposed_times(const double *S, const double *x, int32_t rows, int32_t cols, double *y);

/* sqrt(x^T S x) */
double norm_in(const double *S, const double *x, int32_t n);

#endif
