/*
 * Attempts of one member: what attempt_*.c share, which are compiled once for each instruction set.
 *
 * The stages are written out one by one, so that their coefficients are constants of the code; the
 * end of a step, its weights and its error are one pass over the rows. Sums have the order of
 * combine.c: bits do not depend on the instruction set.
 */
#ifndef ZI_ATTEMPT_H
#define ZI_ATTEMPT_H

#include "stepping.h"

/* The name of this build's function: x_avx2 and so on. */
#define ZI_PASTE_2(name, variant) name##variant
#define ZI_PASTE_1(name, variant) ZI_PASTE_2(name, variant)
#define ZI_OF(name) ZI_PASTE_1(name, ZI_VARIANT)

#define INLINE static inline __attribute__((always_inline))

typedef int64_t zi_mask __attribute__((vector_size(32), aligned(8), may_alias));

INLINE zi_vector get(const double *x)
{
    return *(const zi_vector *)(const void *)x;
}

INLINE void put(double *x, zi_vector value)
{
    *(zi_vector *)(void *)x = value;
}

INLINE zi_vector magnitude(zi_vector x)
{
    return (zi_vector)((zi_mask)x & INT64_MAX);
}

/* The rows of a sum, and the sum at entry i of them; `terms` is a constant. */
typedef struct sources {
    const double *row[zi_most_terms];
} sources;

INLINE sources find_sources(const zi_stepper *s, const zi_terms *terms)
{
    sources x;
    for (int j = 0; j < terms->count; j++) x.row[j] = zi_row(s, terms->row[j]);
    return x;
}

INLINE zi_vector sum_terms(const zi_terms *terms, const sources *x, size_t i)
{
    zi_vector sum = terms->a[0] * get(x->row[0] + i);
    for (int j = 1; j < terms->count; j++) sum += terms->a[j] * get(x->row[j] + i);
    return sum;
}

/* As zi_stage. */
INLINE zw_status stage(zi_stepper *s, const zi_terms *terms, double h, double *argument,
                       int32_t row)
{
    sources x = find_sources(s, terms);
    const double *y = s->y;
    for (size_t i = 0, end = (size_t)s->stride; i < end; i += zi_lanes)
        put(argument + i, get(y + i) + h * sum_terms(terms, &x, i));
    return zi_rates(s, s->t + terms->c * h, argument, zi_row(s, row));
}

/* As zi_weigh. */
INLINE zi_vector weigh(zi_scale scale, zi_vector mask, zi_vector a, zi_vector b)
{
    zi_vector p = magnitude(a), q = magnitude(b);
    zi_mask m = (zi_mask)(p > q);
    zi_vector most = (zi_vector)((m & (zi_mask)p) | (~m & (zi_mask)q));
    return mask / (scale.absolute + scale.relative * most);
}

/* As zi_squares, which has an accumulator for each lane. */
INLINE void add_square(zi_vector *sum, zi_vector weight, zi_vector x)
{
    zi_vector e = weight * x;
    *sum += e * e;
}

INLINE double total(zi_vector sum)
{
    return ZI_TOTAL(sum);
}

INLINE double divisor(const zi_stepper *s)
{
    return s->system.counted > 0 ? s->system.counted : 1;
}

#endif
