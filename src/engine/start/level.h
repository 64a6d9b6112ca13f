/*
 * A *level* of the start: the equations that positions must satisfy, or those of velocities given
 * the positions.
 *
 *     positions    holonomic rows, and the start equations without velocities
 *     velocities   rates of holonomic rows, nonholonomic rows, and the other start equations
 *
 * Its unknowns x are the positions or velocities that are not fixed. level.c makes and evaluates
 * it, level_matrices.c has its sparse matrices, onto_rows.c, nearest.c, curvature.c and
 * branches.c solve r(x) = 0 near the given values, hold.c lets given ones stay, conflict.c says why that cannot be done.
 */
#ifndef ZR_LEVEL_H
#define ZR_LEVEL_H

#include <math.h>

#include "roads.h"

/* Entries of a sparse matrix by columns: those of column j are start[j] .. start[j + 1] - 1. */
typedef struct zr_by_columns {
    int32_t *start; /* [n + 1] */
    int32_t *row;   /* of an entry */
    int32_t *at;    /* where it is in the matrix by rows */
} zr_by_columns;

/* The pattern H of the normal matrix A^T W A, of M and of the diagonal, upper triangle, and
 * matrices with that pattern. Made when a correction needs it; H.start NULL until then. */
typedef struct zr_normal {
    zg_pattern H;
    zr_by_columns
        columns;       /* its entries above the diagonal: by symmetry those of row j left of it */
    double *metric;    /* M, made definite */
    double *K;         /* curvature of the rows */
    double *damping;   /* A^T W A + mu D of the damped steps */
    double *scattered; /* [n] a row of H by columns */
} zr_normal;

/* What is measured of the rows at the present x (zr_level_evaluate). */
typedef struct zr_residuals {
    double *r;           /* [m] the residuals */
    double *scale;       /* [m] the size of each row's terms, and of its derivative times x */
    double *terms;       /* [m] that of its terms alone */
    double *near, *wide; /* [m] what rounding of the state does: see zr_level_row_is_off */
    double *reach;       /* [m] what a change of every unknown by the largest does */
    bool *flat;          /* [m] A_i is the rounding of positions, taken as 0 */
    double merit;        /* |r| in the norm of W */
    bool finite;         /* r and A are */
} zr_residuals;

/* The last step of an iteration. */
typedef struct zr_level_step {
    double *d;      /* [n] the step itself */
    double *f;      /* [n] the force of GG(f, b) that it is the answer to */
    double *old;    /* [n] x before it */
    double *lambda; /* [m] its multipliers */
} zr_level_step;

typedef struct zr_level_scratch {
    double *work;      /* [n + m] */
    double *perturbed; /* [coordinates] positions */
    double *probe;     /* [m] of velocities: A_i c at perturbed positions */
    double *h;         /* [n] A^T W r of the damped steps */
    double *lengths;   /* [m] weights V of the rows in the metric */
} zr_level_scratch;

/* What factors A, and in which metric. */
typedef struct zr_level_solver {
    zg_system *shaped;   /* in normal.metric; the one in M is that of `rows` */
    zg_system *damped;   /* normal.damping, without rows */
    zg_system *factored; /* the one of the last zr_level_factor */
    double stiff;        /* of a curved metric: how much A^T V A is added, in units of K */
    bool curved;         /* the metric is M + K */
    bool singular;       /* M is */
    bool full;           /* every entry is in H */
} zr_level_solver;

enum { zr_most_searched = 200 }; /* unknowns of a level in which other solutions are looked for */

/* Other solutions than the one that was taken (branches.c). */
typedef struct zr_branches {
    double *length; /* [m] of the rows of A at the given values; there with `step` */
    double *step;   /* [n] the first of Newton's steps from the given values; NULL: none was made */
    double *other;  /* [n] unknowns of one that is about as near; NULL: none was found */
    double farther; /* its distance, over that of the one taken */
    double reach;   /* of one of Newton's steps, as a distance; 0: any */
    bool saddle;    /* of the last descent: the distance falls along the rows in some direction */
    bool singular;  /* the one taken is singular, and no other was found */
    bool left;      /* a singular one is nearer */
    bool doubtful;  /* a nearer one may be there: others were not looked for, or none is lowest */
} zr_branches;

/* Columns whose curvature is found by moving them at once (curvature.c). */
typedef struct zr_column_groups {
    int32_t *of;     /* [n] group of a column; NULL until they are chosen */
    int32_t *member; /* [n] columns by groups: */
    int32_t *start;  /* [count + 1] where a group begins */
    int32_t count;   /* 0: too many, no curvature */
} zr_column_groups;

/* A level under correction: residual r(x), to become 0, and derivative A by the unknowns. Sparse;
 * everything lies in `arena`. What only a correction needs is taken when there is one: a start that
 * is right costs little. */
typedef struct zr_level {
    zw_sim *sim;
    zr_order order;
    bool alone;            /* constraints only, nothing fixed */
    const bool *held;      /* [coordinates] stay as fixed ones do; or NULL */
    bool own;              /* only rows that unknowns are in */
    bool linear;           /* A does not depend on x: one solve is the answer */
    double *q, *v;         /* [coordinates] the state that is corrected */
    double *x;             /* q or v */
    const double *x_given; /* [coordinates] what x shall stay near to */
    int32_t n, m;          /* unknowns, rows */
    int32_t *unknown;      /* [n] coordinate of each */
    int32_t *at;           /* [coordinates] the reverse, -1 */
    zr_rows rows;          /* constraints, then start equations, in the free columns */
    zr_by_columns columns; /* entries of rows.A by columns; there with `normal` */
    zr_normal normal;

    zr_residuals now;
    zr_level_step step;
    zr_level_scratch scratch;
    zr_level_solver solver;
    zr_column_groups groups;
    zr_branches branches;
    int32_t *parent; /* [coordinates] unknowns that rows and M connect, in trees; NULL: not made */
    double *largest; /* [coordinates] of such a tree, at its root: its largest unknown */
    zb_arena arena;

    bool met;           /* every row holds, to 1e-11 */
    bool met_elsewhere; /* but only from random values around the given ones */
} zr_level;

/* Level `order` of a simulation at (q, v), of which q or v is corrected and shall stay near to
 * x_given, all [coordinates]. alone: constraints only, nothing fixed. To be closed even when it
 * fails. */
zw_status zr_level_open(zr_level *l, zw_sim *sim, zr_order order, bool alone, double *q, double *v,
                        const double *x_given);
/* A level of the start from the simulation's given values; those of held [coordinates] stay as
 * fixed ones do (NULL: none). */
zw_status zr_level_open_start(zr_level *l, zw_sim *sim, zr_order order, const bool *held);
/* The same with only the rows that unknowns are in. */
zw_status zr_level_open_part(zr_level *l, zw_sim *sim, zr_order order, const bool *held);
/* The unknowns that rows or M of a level of the start connect with the coordinate `root`, at the
 * present x, with their mass; held [coordinates] must stay. To be closed even when it fails. */
zw_status zr_level_open_connected(zr_level *part, zr_level *l, int32_t root, bool *held);
void zr_level_close(zr_level *l);
/* Everything of the rows at the present x: r, A, scale, near, wide, flat, merit, finite. */
void zr_level_evaluate(zr_level *l);
double zr_level_allowed(const zr_level *l, int32_t i, double tolerance);  /* of a residual */
bool zr_level_row_is_off(const zr_level *l, int32_t i, double tolerance); /* beyond rounding */
bool zr_level_holds(const zr_level *l, double tolerance);                 /* no row is off */
/* The metric: M of the level's columns; mass has the values of all its entries, as sim->M. Takes
 * what a correction needs. */
zw_status zr_level_set_mass(zr_level *l, const double *mass);
/* Factors A at the present x in the metric; l->solver.factored then solves. */
zw_status zr_level_factor(zr_level *l);
/* Onto the rows, as near to x_given as can be; l->met. After an evaluation at the given values,
 * which must be finite. */
zw_status zr_level_solve(zr_level *l);
/* The same with the values that the model gives held, of which those are released that keep rows
 * from holding: hold.c. held [coordinates] from zr_hold_given, which says whether there is anything
 * to be held. `part` is the level that was solved last, to be closed; part->met false: given values
 * must move, and x is x_given again. `whole`, with the same rows and nothing held, must be evaluated
 * again. */
bool zr_hold_given(const zr_level *whole, bool *held);
zw_status zr_level_solve_held(zr_level *whole, zr_level *part, bool *held);
/* Onto the rows by at most `most` of Newton's steps; and with damped ones where these fail.
 * l->met. */
zw_status zr_level_iterate(zr_level *l, int32_t most);
zw_status zr_level_iterate_damped(zr_level *l, int32_t most);
/* The solution nearest to x_given from the present x, downhill. l->met; when it is not x stays
 * where it was. */
zw_status zr_level_find_nearest(zr_level *l);
/* From a solution to the nearest on any branch, as far as a search finds it: l->branches. */
zw_status zr_level_compare_branches(zr_level *l);
double zr_level_distance2(const zr_level *l);             /* |x - x_given|^2 in M */
double zr_level_row_length(const zr_level *l, int32_t i); /* |A_i| */
/* l->branches.step and length, unless they are there; x stays. */
zw_status zr_level_find_first_step(zr_level *l);
/* How far, in M, x_given - x leads along the rows: 0 at the nearest solution. */
zw_status zr_level_find_slope(zr_level *l, double *slope);
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

/* The root of the tree that j is in; ways are shortened. */
static inline int32_t zr_find_root(int32_t *parent, int32_t j)
{
    while (parent[j] != j) {
        parent[j] = parent[parent[j]];
        j = parent[j];
    }
    return j;
}

/* Numbers between -1 and 1, the same in every run from the same seed. */
static inline double zr_next_random(uint64_t *state)
{
    *state += 1;
    return (double)(zb_hash_scramble(*state) >> 11) * 0x1p-52 - 1.0;
}

#endif
