/*
 * The dense solver of a shape with inequalities: zw_gauss in front of a zg_inequality on full
 * matrices. What the functions do, zwang.h says of those of the same name. Arguments are checked.
 */
#ifndef ZG_RAW_INEQUALITY_H
#define ZG_RAW_INEQUALITY_H

#include "dense_solver.h"

/* zg_raw_free frees both kinds of solvers; the others are for those that have inequalities. */
zw_status zg_raw_plan(zb_memory *memory, const zw_gauss_shape *shape, zw_gauss **g);
void zg_raw_free(zw_gauss *g);
bool zg_raw_is(const zw_gauss *g); /* it has inequalities */

zw_status zg_raw_ready(zw_gauss *g, bool solved); /* ZW_ERR_ORDER: no factor, or no solve, yet */
zw_status zg_raw_factor(zw_gauss *g, const double *M, const double *A, const double *W);
zw_status zg_raw_check(zw_gauss *g, const double *M, const double *A, const double *W);
zw_status zg_raw_solve(zw_gauss *g, zw_form form, const double *Q, const double *b, const double *C,
                       zw_gauss_answer *answer);
void zg_raw_guess(zw_gauss *g, const bool *active);
zw_status zg_raw_diagnose(zw_gauss *g, const double *b, const double *acceleration,
                          zw_diagnosis **diagnosis);

/* Of any solver: that of the equations alone, with their factor. A solve with inequalities is
 * forgotten. */
zw_status zg_raw_equations(zw_gauss *g, zw_gauss **equations);

/* The rows [inequalities * n] and their weights [inequalities], W_ii. */
void zg_raw_rows(const zw_gauss *g, double *rows, double *weights);

/* friction_instant.c: zw_gauss_solve_friction, of any solver. */
zw_status zg_raw_friction(zw_gauss *g, const zw_friction_problem *problem,
                          zw_friction_answer *answer);

/* The solver of the rows that are held: for projections, splits, basis, rank, sentences. */
zw_gauss *zg_raw_held(const zw_gauss *g);

#endif
