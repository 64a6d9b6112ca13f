/*
 * The acceleration by other means than the library's: long double, dense, rows orthogonalised with
 * the longest remainder first.
 *
 *     M z = Q + A^T lambda,  A z = b          S = A M^-1 A^T,  S lambda = b - A M^-1 Q
 *
 * Of dependent rows those are taken that pivoting takes; z and A^T lambda do not depend on that.
 */
#ifndef WIDE_GAUSS_H
#define WIDE_GAUSS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct wide_system {
    int32_t n, m;
    long double *M, *Q, *A, *b; /* [n*n] both triangles, [n], [m*n], [m] */
    long double *U;             /* [n*n] M = U U^T, U lower */
} wide_system;

/* Zeros; fill it, then factor. */
wide_system *wide_create(int32_t n, int32_t m);
void wide_free(wide_system *o);
void wide_factor(wide_system *o);

typedef struct wide_answer {
    int32_t rank;
    double condition;     /* of S scaled to unit diagonal, about, without dependent rows */
    double scale;         /* the largest number that z is made of */
    double contradiction; /* the worst |A z - b| of all rows, over |b| + sum |A| scale */
} wide_answer;

/* Rows with takes[i] only; NULL: all. z [n], lambda [m] (0 of rows not taken), push [n] = A^T
 * lambda. Q NULL: no force. */
wide_answer wide_solve(const wide_system *o, const bool *takes, const long double *Q,
                       const long double *b, long double *z, long double *lambda,
                       long double *push);

#endif
