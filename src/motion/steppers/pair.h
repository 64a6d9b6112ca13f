/*
 * Embedded explicit Runge-Kutta pairs: the form of their tables, and what the driver of steps
 * (adapt.c) shares with the stages (attempt_pairs.c, crowd_pairs.c).
 *
 *     k_0 = f(t, y),  k_i = f(t + c_i h, y + h sum_j a_ij k_j),  y_new = y + h sum_j b_j k_j,
 *     error = h sum_j e_j k_j
 *
 * A pair is a table file, such as tableau_dop853.h, and its name in pair_list.h. Stages, error and
 * dense output are written once, for any table, and inlined with each of them: loops over the terms
 * of a sum are unrolled, and the coefficients are constants of the code. Sums add their terms in
 * the order of the table.
 */
#ifndef ZI_PAIR_H
#define ZI_PAIR_H

#include "stepping.h"

enum { zi_most_stages = 16, zi_most_extra = 3, zi_most_polynomials = 4 };

/* X for the number of every stage there may be after stage 0. Written out: a loop over stages is
 * too long for compilers to unroll. */
#define ZI_EACH_STAGE(X)                                                                           \
    X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16)

/* The table of a pair.
 *
 * Rows of terms: 0, stage 0; i, the stage of stage[i - 1]; `count`, f at the end of the step; then
 * the extra stages.
 *
 * Dense output, with theta = (t - t_old)/h, phi = 1 - theta, as deep as there are r:
 *
 *     y(t) = y_old + theta (r1 + phi (r2 + theta (r3 + phi (r4 + theta (r5 + ...)))))
 *     r1 = y - y_old, r2 = h f_old - r1, r3 = r1 - h f - r2, r4 and so on: h polynomial[.]
 *
 * Values and rates at both ends are those of the step, whatever a projection did. Without
 * polynomials it is the cubic of Hermite, of order 3. */
typedef struct zi_tableau {
    int32_t order, dense_order;
    int32_t count; /* sums of an attempt: the stages after stage 0, and the step at the end */
    /* First same as last: f(t_new, y_new) is a stage of the attempt, in row `count`, and the error
     * may use it. Otherwise f is evaluated there only once the step is accepted. */
    bool fsal;
    zi_terms stage[zi_most_stages]; /* [count] of which the last is the step: c = 1, a = b */
    zi_terms error;                 /* y_new less the embedded solution, divided by h */
    /* Weights b of a second, poorer embedded solution; count 0: there is none. With it the error is
     * h |e|^2 / sqrt(|e|^2 + 0.01 |e_2|^2), e_2 = y_new less that solution, divided by h. */
    zi_terms second;
    int32_t extra_count; /* stages for dense output only, taken when it is asked for */
    zi_terms extra[zi_most_extra];
    int32_t polynomial_count;
    zi_terms polynomial[zi_most_polynomials];

    /* Control of the step, see adapt.c. */
    double exponent, beta; /* of the error, and of the error before it */
    double shrink, grow;   /* limits of the change of a step */
    /* Nine tenths of where stability ends on the negative axis: control settles under it. 0: no
     * test of stiffness, which needs stage count - 1 to be at t + h. */
    double stiff_bound;
} zi_tableau;

/* ---------------------------------------------------------------------- rows */

/* Rows of k: stages, f at the end, extra stages, the interpolant r1, r2, ..., then those of the
 * driver. */
static inline int32_t zi_last_row(const zi_tableau *t)
{
    return t->count;
}

static inline int32_t zi_extra_row(const zi_tableau *t)
{
    return t->count + 1;
}

static inline int32_t zi_interpolant_row(const zi_tableau *t)
{
    return t->count + 1 + t->extra_count;
}

static inline int32_t zi_interpolant_count(const zi_tableau *t)
{
    return 3 + t->polynomial_count;
}

static inline int32_t zi_row_count(const zi_tableau *t)
{
    return zi_interpolant_row(t) + zi_interpolant_count(t);
}

/* The last stage before the step; its argument is left in zi_at_argument. */
static inline int32_t zi_twin_row(const zi_tableau *t)
{
    return t->count - 1;
}

static inline const zi_terms *zi_step_terms(const zi_tableau *t)
{
    return &t->stage[t->count - 1];
}

/* Rows of the driver, counted from zi_row_count. */
enum { zi_at_argument, zi_at_new, zi_at_projected, zi_at_weight, zi_at_mask, zi_at_sizes };
enum { zi_driver_rows = zi_at_sizes + zi_size_rows };
/* What any pair takes at most. */
enum {
    zi_most_pair_rows =
        zi_most_stages + 1 + zi_most_extra + 3 + zi_most_polynomials + zi_driver_rows
};

typedef struct zi_places {
    double *argument, *y_new, *projected, *weight, *mask, *absolute;
} zi_places;

/* Where the driver's rows of a stepper lie: the argument of a stage, y_new, its projection, the
 * weights 1/scale, which components count, absolute tolerances. */
static inline zi_places zi_find_places(const zi_stepper *s, const zi_tableau *t)
{
    double *base = zi_row(s, zi_row_count(t));
    size_t stride = (size_t)s->stride;
    return (zi_places){base + zi_at_argument * stride,  base + zi_at_new * stride,
                       base + zi_at_projected * stride, base + zi_at_weight * stride,
                       base + zi_at_mask * stride,      base + zi_at_sizes * stride};
}

/* Sums of squares of the error and of its second estimate where the system has an order of its own
 * (combine.c). */
void zi_errors_in_order(const zi_stepper *s, const zi_tableau *t, const double *weight, double h,
                        double *error, double *second);

/* --------------------------------------------------------------------- pairs */

/* Computes y_new, the weights 1/scale and the error of a step of length h, from stage 0 and t, y.
 * A status other than ZW_OK is that of the evaluation of f that failed. */
typedef zw_status zi_attempt(zi_stepper *s, double h, double *error);

struct zi_pair {
    const zi_tableau *tableau;
    zi_attempt *attempt[2]; /* for any processor, and for those with AVX2: the same bits */
};

/* ------------------------------------------------------------ adaptive steps */

/* Control of the step, in the driver of one member and in that of crowds. Errors smaller than these
 * change a step no further. */
static const double zi_safety = 0.9, zi_least_error = 1e-20,
                    zi_least_log_old = -9.210340371976182; /* 1e-4 */
enum { zi_stiff_hits_needed = 15, zi_stiff_misses_needed = 6 };
/* Attempts at one step. The shortest step is relative to t: about t = 0 it is no limit at all, and
 * a step that never succeeds would be shortened some thousand times, down to 1e-308. Where attempts
 * fail for good 300 of them make a step 1e18 to 1e140 times shorter. */
enum { zi_most_attempts = 300 };

/* The functions of a method that is a pair: see zi_method. */
zw_status zi_adapt_open(zi_stepper *s);
zw_status zi_adapt_step(zi_stepper *s);
zw_status zi_adapt_restart(zi_stepper *s);

#endif
