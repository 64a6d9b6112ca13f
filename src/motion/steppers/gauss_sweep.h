/*
 * Sweeps over the 8 stages of gauss16, between its driver (gauss16.c) and what is compiled for each
 * instruction set (gauss_sweep.c).
 *
 * Z holds the rates of v and of all other components that are no positions: stage l of component i
 * at [8 i + l]. Arguments and rates of evaluations are in *groups* of `width` stages, 1, 4 or 8, as
 * zi_system.stages asks for: component i of stage l is at
 * [(l / width * stride + i) * width + l % width].
 */
#ifndef ZI_GAUSS_SWEEP_H
#define ZI_GAUSS_SWEEP_H

#include "stepping.h"

enum { zi_gauss_stages = 8, zi_gauss_terms = 16 };

/* One attempt: y = (q [half], v [half], others up to size), of which those before `controlled`
 * matter to rates. */
typedef struct zi_sweep {
    int32_t stride, half, controlled, size, width;
    double h;
    const double *y, *carry; /* [stride] */
    const double *weight;    /* [stride] 1 over the size of each, 0: it does not count */
    double *Z;               /* [8 stride] */
    double *argument;        /* [8 stride] in groups */
    const double *rates;     /* [8 stride] in groups */
    const double
        *ending; /* [8][8] by columns: from 8 rates their sums by b, by what is left of b, by
                                bA, by what is left of that; coefficients 3, 4, 6, 7 */
} zi_sweep;

/* How much a sweep has changed h Z, and h Z itself: the largest, each in sizes. NaN: one is not
 * finite. */
typedef struct zi_sweep_change {
    double change, size;
} zi_sweep_change;

/* Legendre coefficients of h Z in sizes, the largest of all components: the *tail*, number 7; of 6
 * and 7; of 3 and 4. */
typedef struct zi_tail {
    double top, high, low;
} zi_tail;

typedef struct zi_sweep_functions {
    /* argument: V = v + h A Z,  Q = q + h c v + h^2 A A Z */
    void (*place)(const zi_sweep *x);
    /* Z becomes what is in rates. */
    zi_sweep_change (*take)(const zi_sweep *x);
    /* y_new = y + h (v + h b A Z), y + h b Z, with the carries of compensated sums, [stride] each.
     */
    zi_tail (*end)(const zi_sweep *x, double *y_new, double *carry_new);
    /* table [8][8], by columns: from values at c those of their polynomial at from + ratio c;
     * legendre [k][j]: its coefficients. Z = the table applied to `before`. */
    void (*extrapolate)(const double *legendre, double from, double ratio, double *table);
    void (*predict)(const zi_sweep *x, const double *table, const double *before);
    /* a [16 stride]: Legendre coefficients, 16 of each component, of the polynomials through rates at
     * the stages and at 8 further places, [8 stride] both. */
    void (*fit)(const zi_sweep *x, const double *rates, const double *further, double *a);
    /* argument: where `count` of the coefficients a lead at the stages (0) or the further places
     * (1). */
    void (*inside)(const zi_sweep *x, const double *a, int32_t count, int32_t places);
} zi_sweep_functions;

extern const zi_sweep_functions zi_sweep_functions_plain;
#if defined(ZI_HAVE_X86)
extern const zi_sweep_functions zi_sweep_functions_avx2, zi_sweep_functions_avx512;
#endif

#endif
