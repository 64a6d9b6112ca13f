/*
 * gauss: the General Gauss Principle from numbers alone (THEORY: M, Q, A, b, C, W). It knows
 * nothing of models. The types are those of zwang.h; arguments have been checked by the
 * callers (api). `memory` must outlive what is made from it.
 */
#ifndef ZG_GAUSS_H
#define ZG_GAUSS_H

#include "base.h"
#include "system.h"

zw_status zg_plan(zb_memory *memory, const zw_gauss_shape *shape, zw_gauss **g);
void zg_free(zw_gauss *g);
const zw_gauss_shape *zg_shape(const zw_gauss *g);
zw_status zg_ready(zw_gauss *g); /* ZW_ERR_ORDER unless a factor is there */

zw_status zg_factor(zw_gauss *g, const double *M, const double *A, const double *W);
zw_status zg_check(zw_gauss *g, const double *M, const double *A, const double *W);
size_t zg_explain(const zw_gauss *g, char *buffer, size_t size);

zw_status zg_solve(zw_gauss *g, const double *Q, const double *b, const double *C,
                   zw_gauss_answer *answer);
zw_status zg_project(zw_gauss *g, const double *x, double *y);
zw_status zg_split(zw_gauss *g, const double *force, double *ideal, double *nonideal);
zw_status zg_basis(zw_gauss *g, double *basis, int32_t *count);
zw_status zg_rank(zw_gauss *g, zw_gauss_rank_info *info);
/* The rank is known not to exceed `most` (m: not known): rows that depend on each other only where
 * the constraints hold are not quite dependent beside that, and what they differ by is noise. For
 * the factors that follow; a pivot that is clearly none is kept all the same. */
void zg_limit_rank(zw_gauss *g, int32_t most);
/* After a factor: what rounding of A may do to an acceleration, relative; an estimate. */
double zg_noise(const zw_gauss *g);
zw_status zg_undetermined(const zw_gauss *g, double *directions, int32_t *count);

zw_status zg_solve_form(zw_gauss *g, zw_form form, const double *Q, const double *b,
                        const double *C, zw_gauss_answer *answer);

zw_status zg_diagnose(zw_gauss *g, const double *b, const double *acceleration,
                      zw_diagnosis **diagnosis);
void zg_diagnosis_free(zw_diagnosis *diagnosis);

/* ------------------------------------------------------------- the fast road */

typedef struct zg_quick zg_quick;

/* Rows of A, columns ascending: row i is value[start[i] .. start[i + 1]). */
typedef struct zg_rows {
    const int32_t *start, *column;
    const double *value;
} zg_rows;

zw_status zg_quick_plan(zb_memory *memory, int32_t n, int32_t m, bool diagonal, zg_quick **g);
void zg_quick_free(zg_quick *g);

/* M [n*n], or [n] when diagonal; M and A must stay until the last solve. False: rows are or may be
 * dependent, or M is singular or nearly so; then only the careful road serves. */
bool zg_quick_factor(zg_quick *g, const double *M, const zg_rows *A);

/* After a factor that serves: the condition of the scaled Schur complement, about. */
double zg_quick_condition(const zg_quick *g);

/* z [n], lambda [m] = GG(f, b); b NULL: 0. */
void zg_quick_solve(zg_quick *g, const double *f, const double *b, double *z, double *lambda);

#endif
