/*
 * sparse_oracle.h: the General Gauss answer in long double, by dense orthogonal matrices.
 *
 * For problems too large for the exact oracle (oracle.h), against which it is tested itself. The
 * rank is given, not judged.
 */
#ifndef TESTS_GAUSS_SPARSE_ORACLE_H
#define TESTS_GAUSS_SPARSE_ORACLE_H

#include "sparse_problems.h"

typedef struct long_oracle {
    int32_t n, m, rank;
    double condition;         /* largest over smallest singular value of W^1/2 A M^-1/2 */
    double mass_condition;    /* of M, or of M + A^T W A where M is singular */
    double *acceleration;     /* [n] */
    double *free;             /* [n] M^-1 Q, of M + A^T W A where M is singular */
    double *force;            /* [n] M z - Q */
    double *ideal, *nonideal; /* [n] */
    double *multipliers;      /* [m] of least W^-1 norm */
    double *residual;         /* [m] A z - b */
    double *projected;        /* [n] p->x onto the null space of A */
    double *split_nonideal;   /* [n] of p->x taken as a force */
    double inconsistency;     /* of residual, in the W norm */
    double gaussian;          /* only where M is not singular */
    double *memory;
} long_oracle;

long_oracle long_solve(const sparse_problem *p, int32_t rank, bool singular);
void long_free(long_oracle *o);

#endif
