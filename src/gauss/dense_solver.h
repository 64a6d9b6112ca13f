/*
 * The dense solver, zw_gauss: the principle for full or diagonal matrices of a fixed size. What the
 * functions do, zwang.h says of those of the same name (zg_solve: zw_gauss_solve).
 */
#ifndef ZG_DENSE_SOLVER_H
#define ZG_DENSE_SOLVER_H

#include "base.h"

zw_status zg_plan(zb_memory *memory, const zw_gauss_shape *shape, zw_gauss **g);
void zg_free(zw_gauss *g);
/* As zg_plan, for any number of rows up to shape->m. zg_use_rows says how many from then on: the
 * solver then is what zg_plan would give for so many, without a factor. It takes no memory. */
zw_status zg_plan_most(zb_memory *memory, const zw_gauss_shape *shape, zw_gauss **g);
void zg_use_rows(zw_gauss *g, int32_t m);
const zw_gauss_shape *zg_shape(const zw_gauss *g);
zw_status zg_ready(zw_gauss *g); /* ZW_ERR_ORDER unless a factor is there */

zw_status zg_factor(zw_gauss *g, const double *M, const double *A, const double *W);
zw_status zg_check(zw_gauss *g, const double *M, const double *A, const double *W);
size_t zg_explain(const zw_gauss *g, char *buffer, size_t size);
char zg_failed(const zw_gauss *g, int32_t *index); /* zg_system_failed */

zw_status zg_solve(zw_gauss *g, const double *Q, const double *b, const double *C,
                   zw_gauss_answer *answer);
zw_status zg_project(zw_gauss *g, const double *x, double *y);
zw_status zg_split(zw_gauss *g, const double *force, double *ideal, double *nonideal);
zw_status zg_basis(zw_gauss *g, double *basis, int32_t *count);
zw_status zg_rank(zw_gauss *g, zw_gauss_rank_info *info);
/* The rank is known not to exceed `most` (m: not known): rows that depend on each other only where
 * the constraints hold are not quite dependent near there, and what they differ by is noise. For
 * the factors that follow; a pivot that is clearly no noise is kept all the same. */
void zg_limit_rank(zw_gauss *g, int32_t most);
/* After a factor: what rounding of A may do to an acceleration, relative; an estimate. */
double zg_noise(const zw_gauss *g);
zw_status zg_undetermined(const zw_gauss *g, double *directions, int32_t *count);

zw_status zg_solve_form(zw_gauss *g, zw_form form, const double *Q, const double *b,
                        const double *C, zw_gauss_answer *answer);

zw_status zg_diagnose(zw_gauss *g, const double *b, const double *acceleration,
                      zw_diagnosis **diagnosis);
void zg_diagnosis_free(zw_diagnosis *diagnosis);

#endif
