/*
 * What the steppers share: rows of numbers, linear combinations of stages, weighted norms. Seen by
 * nobody outside this layer.
 *
 * Arrays of a stepper are rows of `stride` doubles, the size rounded up to a multiple of 4. What is
 * beyond `size` in a row is zero and stays so: loops run over whole blocks and have no remainder.
 * All sums run over 4 accumulators in a fixed order, so that bits do not depend on the compiler.
 */
#ifndef ZI_STEPPING_H
#define ZI_STEPPING_H

#include "motion.h"

enum { zi_lanes = 4, zi_most_terms = 12 };

/* 4 doubles of a row, the lanes of a register with AVX2. */
typedef double zi_vector __attribute__((vector_size(32), aligned(8), may_alias));

/* Accumulators are added up in this order. */
#define ZI_TOTAL(sum) (((sum)[0] + (sum)[1]) + ((sum)[2] + (sum)[3]))

/* bdf.c, or bdf_none.c in builds without SUNDIALS: then NULL. */
const zi_method *zi_bdf_method(void);
extern const zi_method zi_rk4;

/* Tolerances and an end that a start at t goes with; NaN is refused. */
bool zi_settings_fit(const zi_settings *settings, double t);

/* ---------------------------------------------------------------------- rows */

static inline double *zi_row(const zi_stepper *s, int32_t row)
{
    return s->k + (size_t)row * (size_t)s->stride;
}

/* Makes room for `rows` rows in k, all zero, behind y_old and y. */
zw_status zi_take_rows(zi_stepper *s, int32_t rows);

/* A step to t_new with the state y_new [stride] was accepted. */
void zi_accept(zi_stepper *s, double t_new, const double *y_new);

/* No step lies behind the stepper any more; t and y stay. */
void zi_forget_step(zi_stepper *s);

static inline void zi_copy(const zi_stepper *s, double *to, const double *from)
{
    for (int32_t i = 0; i < s->stride; i += zi_lanes)
        *(zi_vector *)(to + i) = *(const zi_vector *)(from + i);
}

/* The row holds numbers only. */
bool zi_finite(const zi_stepper *s, const double *row);

/* f into a row of k, counted. */
static inline zw_status zi_rates(zi_stepper *s, double t, const double *y, double *dy)
{
    s->counts.evaluations++;
    return s->system.rates(s->system.user, t, y, dy);
}

/* The same; a result that is not finite is ZW_ERR_NOT_FINITE. */
zw_status zi_finite_rates(zi_stepper *s, double t, const double *y, double *dy);

/* -------------------------------------------------------------- combinations */

/* sum of a[j] k[row[j]], j < count, in this order; c: the time of the stage in units of h. */
typedef struct zi_terms {
    double c;
    int32_t count;
    int32_t row[zi_most_terms];
    double a[zi_most_terms];
} zi_terms;

/* out = y + h * sum. out is none of the others. */
void zi_combine(const zi_stepper *s, const zi_terms *terms, const double *y, double h, double *out);

/* out = h * sum */
void zi_sum(const zi_stepper *s, const zi_terms *terms, double h, double *out);

/* Evaluates one stage: its argument into `argument`, f into k[row]. */
zw_status zi_stage(zi_stepper *s, const zi_terms *terms, double h, double *argument, int32_t row);

/* The scale of errors: absolute and relative part, both positive. */
typedef struct zi_scale {
    double absolute, relative;
} zi_scale;
zi_scale zi_find_scale(const zi_settings *settings);

/* Weights mask / (absolute + relative * max(|a|, |b|)). */
void zi_weigh(const zi_stepper *s, const double *mask, const double *a, const double *b,
              double *weight);

/* The sum of (weight * x)^2 over the row. A NaN or infinity in x anywhere makes it NaN. */
double zi_squares(const zi_stepper *s, const double *weight, const double *x);

#endif
