/*
 * gauss: the General Gauss Principle from numbers alone (THEORY: M, Q, A, b, C, W). It knows
 * nothing of models. The types are those of zwang.h; arguments have been checked by the
 * callers (api). `memory` must outlive what is made from it.
 *
 *     dense_solver.h   zw_gauss: full or diagonal matrices, forms, diagnosis
 *     system.h         sparse matrices, solved by the dense or the sparse solver
 *     inequality.h     the same with rows A z >= b
 *     raw_inequality.h zw_gauss with such rows
 *     contact.h        inequalities and friction, in contact space
 *     here             accelerations of small systems inside an integrator
 */
#ifndef ZG_GAUSS_H
#define ZG_GAUSS_H

#include "base.h"
#include "contact.h"
#include "dense_solver.h"
#include "inequality.h"
#include "raw_inequality.h"
#include "system.h"

/* ------------------------------------------------------------- the fast road */

typedef struct zg_quick zg_quick;

/* Rows of A, columns ascending: row i is value[start[i] .. start[i + 1]). Rows that are off count as
 * absent, whatever stands in them: their multipliers are 0, their b is not looked at. */
typedef struct zg_rows {
    const int32_t *start, *column;
    const double *value;
    const bool *off; /* [m], NULL: none is. Until the last solve */
} zg_rows;

/* m may exceed n where rows are off. */
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
