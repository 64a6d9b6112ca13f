/*
 * A *selection* of rows of the constraint matrix A, and what solves it: which rows, their
 * patterns, values and weights gathered from the equations at a state, the solvers that factor
 * them and answer
 *
 *     GG(f, b): of the accelerations z that meet A z = b best, in the weights W, the one nearest to
 *               M^-1 f in the metric M, and its multipliers lambda, M z = f + A^T lambda
 *               (docs/THEORY.md)
 *
 * All rows together are one selection, those of positions and of velocities two (project.c), the
 * basis of redundant rows one (road_basis.c), and so are the rows and free columns of a level of
 * the start (level.h).
 *
 *     row --shape--> patterns, and where values come from --gather--> values --factor--> GG(f, b)
 */
#ifndef ZR_ROW_SELECTION_H
#define ZR_ROW_SELECTION_H

#include "contacts.h"

typedef struct zr_rows {
    int32_t n, m;      /* columns, rows */
    int32_t *row;      /* [m] row of A; below 0: ~start equation */
    bool whole;        /* rows of A with all their columns */
    bool all;          /* the model's rows in all columns: values are those of the simulation */
    zg_structure is;   /* patterns of M, A and W of these columns and rows */
    int32_t *M_from;   /* entries of sim->M; NULL: all columns */
    int32_t *A_from;   /* entries of sim->A; below 0: ~entry of sim->E */
    int32_t *W_from;   /* entries of sim->W; -1: 1 */
    double *M, *A, *W; /* values that were gathered; W NULL: the identity */

    bool *off; /* [m] rows that are off now (contacts.h); NULL: all are on, always */

    zg_system *system; /* dense or sparse */
    zg_quick *quick;   /* beside a dense one: Cholesky and Schur complement with a guard; or NULL */
    double *quick_mass;  /* of `quick`: [n*n], or [n] of a diagonal M */
    bool same_mass;      /* `system` has factored this M */
    bool by_quick;       /* the last factor is that of `quick` */
    zr_closure *closure; /* of all rows, where there are contacts (share_closure.h); else NULL */
} zr_rows;

/* Patterns of A and W of rows->row [m] from `arena`; at [coordinates] is the column of each
 * coordinate, -1: none; NULL: all columns. Values are taken for, and not yet gathered. */
zw_status zr_shape_rows(const zw_sim *sim, zb_arena *arena, zr_rows *rows, const int32_t *at);
/* The pattern of M in the columns of `at`, whose coordinates are unknown [n]. */
zw_status zr_shape_mass(const zw_sim *sim, zb_arena *arena, zr_rows *rows, const int32_t *at,
                        const int32_t *unknown);

/* Values of A at the state that was evaluated last: those of left_out [rows of A] are zeros, NULL:
 * none is. The result is rows->A, or sim->A where nothing has to be copied. */
const double *zr_gather_rows(const zw_sim *sim, zr_rows *rows, const bool *left_out);
const double *zr_gather_weights(const zw_sim *sim, zr_rows *rows); /* NULL: the identity */
double zr_weight_of_row(const zw_sim *sim, int32_t i);             /* on the diagonal of W */

/* By the quick solver; false: there is none, or its guard refuses. */
bool zr_factor_quickly(const zw_sim *sim, zr_rows *rows, const double *A);
/* By the system. M NULL: that of the state. */
zw_status zr_factor_rows(const zw_sim *sim, zr_rows *rows, const double *A, const double *M);
/* z [n], lambda [m] = GG(f, b) with the last factor; b NULL: 0. */
zw_status zr_solve_rows(const zr_rows *rows, const double *f, const double *b, double *z,
                        double *lambda);
double zr_rows_condition(const zr_rows *rows); /* of the last factor, about */

void zr_free_rows(zr_rows *rows); /* the solvers */

zg_pattern zr_pattern_of(const zr_pattern *p);

#endif
