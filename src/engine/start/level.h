/*
 * A *level* of the start: the equations that positions must satisfy, or those of velocities given
 * the positions.
 *
 *     positions    holonomic rows, and the start equations without velocities
 *     velocities   rates of holonomic rows, nonholonomic rows, and the other start equations
 *
 * Its unknowns x are the positions or velocities that are not fixed. level.c makes and evaluates
 * it, level_matrices.c has its sparse matrices, onto_rows.c, nearest.c and curvature.c solve
 * r(x) = 0 near the given values, conflict.c says why that cannot be done.
 */
#ifndef ZR_LEVEL_H
#define ZR_LEVEL_H

#include <math.h>

#include "start.h"

/* A level under correction: residual r(x), to become 0, and derivative A by the unknowns. Sparse;
 * everything lies in `arena`. What only a correction needs is taken when there is one: a start that
 * is right costs little. */
typedef struct zr_level {
    zw_sim *sim;
    zr_order order;
    bool alone;            /* constraints only, nothing fixed */
    bool linear;           /* A does not depend on x: one solve is the answer */
    double *q, *v;         /* [n] the state that is corrected */
    double *x;             /* q or v */
    const double *x_given; /* [n] */
    int32_t n, m;          /* unknowns, rows */
    int32_t *unknown;      /* [n] coordinate of each */
    int32_t *at;           /* [coordinates] the reverse, -1 */
    zr_rows rows;          /* constraints, then start equations, in the free columns */

    int32_t *column_start;        /* [n + 1] A by columns: */
    int32_t *column_row;          /* row of an entry */
    int32_t *column_at;           /* and where it is in A */
    zg_pattern H;                 /* upper triangle of M, A^T W A and the diagonal */
    int32_t *back_start;          /* [n + 1] the entries of H left of the diagonal: */
    int32_t *back_row, *back_at;  /* those of column j above it, and where they are in H */
    double *scattered;            /* [n] a row of H by columns */
    double *metric, *K, *damping; /* values of H: M made definite, curvature, damped steps */

    double *r, *scale;   /* [m] */
    double *near, *wide; /* [m] what rounding of the state does: see zr_level_row_is_off */
    double *perturbed;   /* [coordinates] */
    double *probe;       /* [m] of velocities: A_i c at perturbed positions */
    bool *flat;          /* [m] A_i is the rounding of positions, taken as 0 */
    double *work;        /* [n + m] */
    double *d, *f, *old; /* [n] */
    double *h;           /* [n] of the damped steps */
    double *lengths;     /* [m] */
    double *lambda;      /* [m] of the last step */

    zg_system *shaped;   /* in the metric; the one in M is that of `rows` */
    zg_system *damped;   /* without rows */
    zg_system *factored; /* the one of the last zr_level_factor */
    zb_arena arena;
    double merit; /* |r| in W */
    bool finite, met;
    int32_t *group;        /* [n] columns whose curvature is had at once; NULL until then */
    int32_t *member;       /* [n] by groups */
    int32_t *member_start; /* [groups + 1] */
    int32_t groups;        /* 0: too many, no curvature */
    bool curved;           /* the metric is M + K */
    double stiff;          /* then: how much A^T V A is added, in units of K */
    bool singular;         /* M is */
    bool full;             /* every entry is in H */
    bool met_elsewhere;    /* met, but only from random values around the given ones */
} zr_level;

/* Level `order` of a simulation at (q, v) [n], of which q or v is corrected; x_given [n] is what it
 * shall stay near to. alone: constraints only, nothing fixed. To be closed even when it fails. */
zw_status zr_level_open(zr_level *l, zw_sim *sim, zr_order order, bool alone, double *q, double *v,
                        const double *x_given);
void zr_level_close(zr_level *l);
/* Everything of the rows at the present x: r, A, scale, near, wide, flat, merit, finite. */
void zr_level_evaluate(zr_level *l);
bool zr_level_row_is_off(const zr_level *l, int32_t i, double tolerance); /* beyond rounding */
bool zr_level_holds(const zr_level *l, double tolerance);                 /* no row is off */
/* The metric: M of the level's columns; mass has the values of all its entries, as sim->M. Takes
 * what a correction needs. */
zw_status zr_level_set_mass(zr_level *l, const double *mass);
/* Factors A at the present x in the metric; l->factored then solves. */
zw_status zr_level_factor(zr_level *l);
/* Onto the rows, as near to x_given as can be; l->met. After an evaluation at the given values,
 * which must be finite. */
zw_status zr_level_solve(zr_level *l);
/* Onto the rows by at most `most` of Newton's steps; and with damped ones where these fail.
 * l->met. */
zw_status zr_level_iterate(zr_level *l, int32_t most);
zw_status zr_level_iterate_damped(zr_level *l, int32_t most);
/* The solution nearest to x_given. l->met; when it is not x stays where it was. */
zw_status zr_level_find_nearest(zr_level *l);
void zr_level_get_x(const zr_level *l, double *x); /* x [n]: the unknowns */
/* x = base + step d, all [n]. */
void zr_level_set_x(zr_level *l, const double *base, double step, const double *d);

/* level_matrices.c */
zw_status zr_level_shape_normal(zr_level *l); /* the pattern of H, unless it is there */
/* The structure of a system with mass matrix M and no rows. */
zg_structure zr_level_unconstrained(const zr_level *l, const zg_pattern *M);
double zr_level_mass_entry(const zr_level *l, int32_t j);           /* M_jj */
void zr_level_weigh(const zr_level *l, const double *x, double *y); /* y = W x, both [m] */
/* y [n] = A^T x [m]. */
void zr_level_multiply_transposed(const zr_level *l, const double *A, const double *x, double *y);
/* H = H + A^T X A, X = W or, not NULL, the diagonal x [m]. */
void zr_level_add_normal(const zr_level *l, const double *x, double *H);
void zr_level_add_mass(const zr_level *l, double *H); /* H = H + M */

/* K = sum lambda_i r_i'' by differences (curvature.c); *there false: it is not to be had. work
 * [2 n]. Leaves x as it was. */
zw_status zr_level_find_curvature(zr_level *l, const double *lambda, double *work, bool *there);

/* The findings of a level whose rows cannot all hold: dependent sets that contradict
 * (conflict.c). */
zw_status zr_level_find_conflicts(zr_level *l, zr_findings *findings);
/* Why a level was not met, as messages. ZW_OK: a conflict, and it is accepted. */
zw_status zr_level_refuse(zr_level *l, bool accept);

/* |x|, Euclidean. */
static inline double zr_norm(int32_t n, const double *x)
{
    double sum = 0.0;
    for (int32_t i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

/* Numbers between -1 and 1, the same in every run from the same seed. */
static inline double zr_next_random(uint64_t *state)
{
    *state += 1;
    return (double)(zb_hash_scramble(*state) >> 11) * 0x1p-52 - 1.0;
}

#endif
