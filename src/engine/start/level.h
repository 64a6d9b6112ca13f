/*
 * A level of the start: level.c (what it is), level_matrices.c (its matrices), onto_rows.c, nearest.c and
 * curvature.c (bringing it onto its rows), conflict.c (why it cannot be).
 */
#ifndef ZR_LEVEL_H
#define ZR_LEVEL_H

#include "start.h"

/* A level under correction: rows and start equations as functions of the free positions or
 * velocities, residual r(x) = 0, derivative A. Sparse; everything lies in `arena`. What only a
 * correction needs is taken when there is one: a start that is right costs little. */
typedef struct zr_level {
    zw_sim *sim;
    zr_order order;
    bool alone;            /* constraints only, nothing fixed */
    bool linear;           /* A does not depend on x: one solve is the answer */
    double *q, *v;         /* [n] the state that is corrected */
    double *x;             /* q or v */
    const double *x_given; /* [n] */
    int32_t n, m;     /* unknowns, rows */
    int32_t *unknown; /* [n] coordinate of each */
    int32_t *at;      /* [coordinates] the reverse, -1 */
    zr_rows rows;     /* constraints, then start equations, in the free columns */

    int32_t *column_start;        /* [n + 1] A by columns: */
    int32_t *column_row;          /* row of an entry */
    int32_t *column_at;           /* and where it is in A */
    zg_pattern H;                 /* upper triangle of M, A^T W A and the diagonal */
    int32_t *back_start;          /* [n + 1] the entries of H left of the diagonal: */
    int32_t *back_row, *back_at;  /* those of column j above it, and where they are in H */
    double *spread;               /* [n] zeros */
    double *metric, *K, *damping; /* values of H: M made definite, curvature, damped steps */

    double *r, *scale;   /* [m] */
    double *near, *wide; /* [m] what rounding of the state does: see zr_level_off */
    double *shaken;      /* [coordinates] */
    double *probe;       /* [m] of velocities: A_i c, then its slope by positions */
    bool *flat;          /* [m] A_i is the rounding of positions, taken as 0 */
    double *work;        /* [n + m] */
    double *d, *f, *old; /* [n] */
    double *h;           /* [n] of the damped steps */
    double *lengths;     /* [m] */
    double *lambda;      /* [m] of the last step */

    zg_system *shaped;         /* in the metric; the one in M is that of `rows` */
    zg_system *damped;         /* without rows */
    zg_system *factored;       /* the one of the last zr_level_factor */
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
    bool beside;           /* met from beside the given values only */
} zr_level;

zw_status zr_level_open(zr_level *l, zw_sim *sim, zr_order order, bool alone, double *q, double *v,
                        const double *x_given);
void zr_level_close(zr_level *l);
void zr_level_evaluate(zr_level *l); /* r, A, scale, near, wide, merit, finite */
bool zr_level_off(const zr_level *l, int32_t i, double tolerance); /* row i, beyond rounding */
bool zr_level_rounding(const zr_level *l, double tolerance);       /* no row is off */
/* M of the level's columns, and everything that a correction needs. */
zw_status zr_level_metric(zr_level *l, const double *mass);
zw_status zr_level_factor(zr_level *l);
zw_status zr_level_solve(zr_level *l); /* onto the rows, as near to x_given as can be */
/* Onto the rows by Newton's steps alone; and with damped ones where these fail. l->met. */
zw_status zr_level_restore(zr_level *l, int32_t most);
zw_status zr_level_newton(zr_level *l, int32_t most);
zw_status zr_level_nearest(zr_level *l);
void zr_level_save(const zr_level *l, double *x); /* x [n] of the free unknowns */
void zr_level_move(zr_level *l, const double *base, double step, const double *d);

/* level_matrices.c */
zw_status zr_level_shape_normal(zr_level *l); /* of H, unless it is there */
zg_structure zr_level_without_rows(const zr_level *l, const zg_pattern *M);
double zr_level_mass_entry(const zr_level *l, int32_t j);           /* M_jj */
void zr_level_weigh(const zr_level *l, const double *x, double *y); /* y = W x */
void zr_level_transposed(const zr_level *l, const double *A, const double *x, double *y);
/* H = H + A^T X A, X = W or, not NULL, the diagonal x [m]. */
void zr_level_add_normal(const zr_level *l, const double *x, double *H);
void zr_level_add_mass(const zr_level *l, double *H);
/* K = sum lambda_i r_i'' by differences (curvature.c); *there false: it is not to be had. work
 * [2 n]. Leaves x as it was. */
zw_status zr_level_curvature(zr_level *l, const double *lambda, double *work, bool *there);

/* The findings of a level whose rows cannot all hold: dependent sets that contradict. */
zw_status zr_level_conflicts(zr_level *l, zr_findings *findings);
/* Why a level was not met, as messages. ZW_OK: a conflict, and it is accepted. */
zw_status zr_refuse(zr_level *l, bool accept);

#endif
