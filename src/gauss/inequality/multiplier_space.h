/*
 * Multipliers of rows that depend on each other: the metric W'^-1 in which they are measured, and
 * the relations by which they may change without anybody noticing. Of some rows of a system; the
 * others are off (off_rows.c says what that means for W).
 *
 *     W' = C C^T,   lambda = C nu,   lambda^T W'^-1 lambda = |nu|^2
 *     every nu with A^T C nu = 0 is N y, N orthonormal;   Z = C N
 */
#ifndef ZG_MULTIPLIER_SPACE_H
#define ZG_MULTIPLIER_SPACE_H

#include "thin_factor.h"

typedef struct zg_multiplier_space {
    int32_t m, n;
    double depends;       /* what is left at most of a row of length 1 that depends on others */
    const double *raw;    /* [m * n] the rows at length 1 or 0, of the caller */
    const double *length; /* [m] their lengths; of the caller */
    double *W;            /* [m * m], or [m] where it is diagonal; the caller fills it */
    bool coupled;         /* W [m * m] */

    /* after zg_space_weigh */
    int32_t count;  /* rows that are on */
    int32_t *row;   /* [count] ascending */
    int32_t *order; /* [m] those that are off, then those that are on */
    double *C;      /* [m * m] of W in that order, or [m]; the last `count` rows belong to W' */

    /* after zg_space_relate */
    int32_t relations;
    double *N;          /* [relations * count] a relation a row */
    double *Z;          /* [count * relations] a multiplier a row */
    double *reach;      /* [count] |row of C|: what |Z_i| is at most */
    double *work;       /* [m] */
    double *packed, *y; /* [m], for those that use it */
    int32_t *kept;      /* [m] */
} zg_multiplier_space;

/* Of up to m rows of n columns; false: no memory. */
bool zg_space_take(zg_multiplier_space *s, zb_arena *arena, int32_t m, int32_t n, bool coupled);

/* The metric of the rows that are not off. False: W is not definite. */
bool zg_space_weigh(zg_multiplier_space *s, const bool *off);

/* Their relations; thin: scratch for n columns and m rows. After zg_space_weigh. */
void zg_space_relate(zg_multiplier_space *s, zg_thin *thin);

/* [count] entries, in the order of s->row: nu = C^-1 lambda, lambda = C nu, p = W' r; both may be
 * the same array. */
void zg_space_to_nu(const zg_multiplier_space *s, const double *lambda, double *nu);
void zg_space_to_lambda(const zg_multiplier_space *s, const double *nu, double *lambda);
void zg_space_times_weight(const zg_multiplier_space *s, const double *r, double *p);

/* r [m] = W^-1 p with p [count] of the rows that are on, 0 of the others: what is off has its part
 * in r where W couples it. */
void zg_space_divide(const zg_multiplier_space *s, const double *p, double *r);

/* Whether multiplier i of `row` takes part in some relation. */
bool zg_space_is_free(const zg_multiplier_space *s, int32_t i);

#endif
