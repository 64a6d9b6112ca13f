/*
 * linalg: numerical linear algebra. Dense: Cholesky, triangular solves and products as *kernels*,
 * functions compiled once per instruction set for rows that are padded and aligned, so that no
 * loop has a remainder; the complete orthogonal decomposition; singular values by one-sided
 * Jacobi; LAPACK for large sizes. Sparse: factoring.h.
 *
 * Storage. A matrix of n rows and m columns is kept row-major with leading dimension
 * ld = za_pad8(m) in za_pad4(n) rows; every pad entry is 0 (pad diagonal entries of a
 * triangular factor are 1). Vectors have za_pad8 entries, pad entries 0. All blocks start at
 * a multiple of ZA_ALIGN bytes.
 *
 * Bits. Every kernel does the same operations in the same order whatever the vector width,
 * without contraction, so all variants in za_kernels_all give the same bits.
 */
#ifndef ZA_LINALG_H
#define ZA_LINALG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base.h"
#include "factoring.h"

#define ZA_ALIGN 64
#define ZA_SMALL 8 /* coordinates up to which za_small_kernels serve */

static inline int32_t za_pad4(int32_t k)
{
    return (k + 3) & ~3;
}

static inline int32_t za_pad8(int32_t k)
{
    return (k + 7) & ~7;
}

/*
 * Complete orthogonal decomposition of G [n x m], columns pivoted by what is left of them
 * relative to their own norm:
 *
 *     G Pi = Q [T 0; 0 0] Z,   T [rank x rank] upper triangular, Q and Z orthogonal
 *
 * Q is held as `rank` Householder vectors, Z as `rank` reflectors stored right of T.
 */
typedef struct za_cod {
    int32_t n, m, ldg, ldv;
    double *G;                  /* [pad4(n) * ldg] in: G; out: T and the tails of Z */
    double *V;                  /* [min(n,m) * ldv] Householder vectors of Q, one a row */
    double *tau, *zeta;         /* [pad8(min(n,m))] their factors, and those of Z */
    double *norm2, *reference2; /* [ldg] squared norms: what is left, when last computed */
    double *scale2;     /* [ldg] 1 / squared norm of the whole column, 0 for a zero column */
    const double *damp; /* [ldg] or NULL: what is left of each column relative to the terms
                           it was summed from; a column that is rounding counts as zero */
    int32_t *pivot;     /* [m] pivot[k] = the column that stands k-th */
    int32_t limit;      /* the rank may not exceed it */
    int32_t rank;
    double accepted, rejected; /* relative pivots on both sides of the decision */
    bool in_range;             /* false: some norm could not be squared, or is not a number */
} za_cod;

/* The solution of a small constrained system, M z = f + A^T lambda and A z = b, as matrices:
 * z = Z f + BT^T b, lambda = L b - B^T f. GG(f, b) below is this map. */
typedef struct za_small_operators {
    double *Z;  /* [8 * 8] n rows */
    double *BT; /* [8 * 8] m rows of n */
    double *B;  /* [8 * 8] n rows of m */
    double *L;  /* [8 * 8] m rows */
} za_small_operators;

/* What an answer needs: the matrices for its residuals, the operators for its solution. */
typedef struct za_small_system {
    int32_t n, m;             /* coordinates, constraint rows */
    const double *M, *A, *AT; /* leading dimension 8; AT = A^T */
    const za_small_operators *o;
} za_small_system;

/* How good an answer was. Sizes are Euclidean norms. */
typedef struct za_small_report {
    double certificate; /* largest residual before the correction, relative to its terms */
    double change;      /* size of the correction of z */
    double size;        /* of z */
} za_small_report;

/* For at most eight coordinates n and m <= n rows, leading dimension 8 throughout. */
typedef struct za_small_kernels {
    /* U^T U = U as za_kernels.cholesky, and G = U^-T G on the way. */
    int32_t (*mass)(int32_t n, int32_t m, double threshold, double *U, double *inverse, double *G);

    /* S = G^T G factored in place. Returns a bound of its condition number, scaled to unit
     * diagonal, that is never too small; huge when there is no factor. */
    double (*schur)(int32_t n, int32_t m, const double *G, double *S, double *inverse);

    /* As za_cod_kernels.solve, for independent rows, with that factor. */
    double (*solve)(int32_t n, int32_t m, const double *G, const double *S, const double *inverse,
                    const double *c, double *t, double *nu);

    /* x = U^-T x and x = U^-1 x. */
    void (*lower)(int32_t n, const double *U, const double *inverse, double *x);
    void (*upper)(int32_t n, const double *U, const double *inverse, double *x);

    /* The operators, from the factors above; R [8] the roots of the weights. */
    void (*operators)(int32_t n, int32_t m, const double *U, const double *inverse, const double *G,
                      const double *S, const double *S_inverse, const double *R,
                      za_small_operators *o);

    /* z [8], lambda [8] = GG(f [8], b [8]), corrected once by its residuals. */
    void (*answer)(const za_small_system *s, const double *f, const double *b, double *z,
                   double *lambda, za_small_report *report);
} za_small_kernels;

/* The complete orthogonal decomposition. */
typedef struct za_cod_kernels {
    /* Decomposes f->G. Relative pivots at or below tolerance end it. */
    void (*factor)(za_cod *f, double tolerance);

    /* The part of factor after the QR step: Z, from G, rank and pivot. */
    void (*finish)(za_cod *f);

    /*
     * One General Gauss step in the metric of the identity: among all s that minimise
     * |G^T s - c| the one nearest to t [pad8(n)]; s replaces t. nu [pad8(m)] is the least
     * solution of G^T G nu = c - G^T t, so that s = t + G nu; null [pad8(m)] the part of c
     * that no s can reach (NULL: not wanted; not written when the rank is m). Returns |s - t|^2.
     * slope [pad8(n)] (NULL: 0; destroyed) makes it the correction of a solution whose null
     * part is not quite orthogonal: G null = -slope is wanted instead of 0.
     * work [2 pad8(max(n, m))].
     */
    double (*solve)(const za_cod *f, const double *c, double *slope, double *t, double *nu,
                    double *null, double *work);

    /* t = Q t. */
    void (*apply_q)(const za_cod *f, double *t);
} za_cod_kernels;

/* L U of a matrix without pivoting, row and column by row and column: U by its rows and L by its
 * columns, both above the diagonal, so that all that is read lies side by side. What rows have
 * before the first that they have to do with is 0; what is still to come may be anything. */
typedef struct za_growing {
    int32_t ld;            /* pad4(rows) */
    double *lower, *upper; /* [rows x ld] */
    double *pivots;        /* [rows] */
    double *row, *column;  /* [ld] what joins next; overwritten */
} za_growing;

/* Sweeps over arrays of any length that begin anywhere, but for the last (sweeps.c). */
typedef struct za_sweep_kernels {
    /* x[i] becomes 0 where |x[i]| <= least[i]; false: some x[i] is not finite. */
    bool (*clear_small)(int64_t count, const double *least, double *x);
    /* x[i] becomes 0 where |x[i]| < least. */
    void (*drop_tiny)(int64_t count, double least, double *x);
    /* low[i] <= x[i] <= high[i] from now on; false: some x[i] is not a number, and is not counted. */
    bool (*widen_ranges)(int64_t count, const double *x, double *low, double *high);
    /* y[i] = sum_j X[i][j]^2 w[j] for n rows, which are padded. */
    void (*row_squares)(int32_t n, int32_t ld, const double *X, const double *w, double *y);
} za_sweep_kernels;

/* The kernels of one instruction set. */
typedef struct za_kernels {
    const char *name;
    const za_small_kernels *small;
    const za_cod_kernels *cod;
    const za_sweep_kernels *sweep;
    const struct za_panel_kernels *panel; /* supernodal.h */

    /* U^T U = U (upper triangle in place; below it is left undefined inside the diagonal's
     * blocks), inverse[k] = 1 / U[k][k]. A pivot must exceed threshold times its original
     * diagonal entry. Returns the first that does not, -1 when all do. */
    int32_t (*cholesky)(int32_t n, int32_t ld, double threshold, double *U, double *inverse);

    /* x = U^-T x and x = U^-1 x, x [pad8(n)]. */
    void (*lower_solve)(int32_t n, int32_t ld, const double *U, const double *inverse, double *x);
    void (*upper_solve)(int32_t n, int32_t ld, const double *U, const double *inverse, double *x);

    /* G = U^-T G, G [pad4(n) x ldg] with m columns. */
    void (*lower_solve_rows)(int32_t n, int32_t ld, const double *U, const double *inverse,
                             int32_t m, int32_t ldg, double *G);

    /* S = G^T G, upper triangle in blocks of four; S [pad4(m) x ldg]. */
    void (*gram)(int32_t n, int32_t m, int32_t ldg, const double *G, double *S);

    /* m tr((U^T U)^-1), a bound of the condition number of U^T U, whose diagonal is 1, that is
     * never too small; X [pad4(m) x ld] is overwritten. */
    double (*condition)(int32_t m, int32_t ld, const double *U, const double *inverse, double *X);

    /* Copies n rows of m numbers without padding; returns 0, or NaN when one is not finite. */
    double (*copy_rows)(int32_t n, int32_t m, int32_t ld, const double *from, double *to);

    /* Y [m x ldy] = X^T, X [n x ldx] with m columns. */
    void (*transpose)(int32_t n, int32_t m, int32_t ldx, const double *X, int32_t ldy, double *Y);

    /* |x|, x [ld], and out[j] = sum_i G[i][j]^2. */
    double (*norm)(int32_t ld, const double *x);
    void (*column_norms2)(int32_t n, int32_t ld, const double *G, double *out);

    /* y[i] += sum_j X[i][j] x[j] for n rows, and y[j] += sum_i x[i] X[i][j]. */
    void (*rows_times)(int32_t n, int32_t ld, const double *X, const double *x, double *y);
    void (*times_rows)(int32_t n, int32_t ld, const double *X, const double *x, double *y);

    /* The start of a residual, y = b (NULL: 0), low = 0, size = |b|, and its end, y += low. */
    void (*exact_begin)(int32_t ld, const double *b, double *y, double *low, double *size);
    void (*exact_end)(int32_t ld, const double *low, double *y);

    /* The product times_rows, subtracted from the unevaluated sum y + low, in about twice the
     * precision; size[j] += sum_i |x[i] X[i][j]|. */
    void (*times_rows_exact)(int32_t n, int32_t ld, const double *X, const double *x, double *y,
                             double *low, double *size);

    /* y[i] + low[i] -= a[i] x[i], likewise. */
    void (*products_exact)(int32_t ld, const double *a, const double *x, double *y, double *low,
                           double *size);

    /* Row and column i join f, entries first .. i - 1 of them, and the one on the diagonal; the pivot
     * is returned. Of a symmetric matrix the column is enough, and L is left alone. */
    double (*join)(const za_growing *f, int32_t first, int32_t i, double diagonal);
    double (*join_symmetric)(const za_growing *f, int32_t first, int32_t i, double diagonal);
} za_kernels;

/* All variants this processor can execute, slowest first; *count of them. */
const za_kernels *const *za_kernels_all(int32_t *count);

/* The fastest of them. */
const za_kernels *za_kernels_best(void);

/* ----------------------------------------------- Cholesky with diagonal pivoting
 * For symmetric X [n x n], leading dimension ld, which becomes U with P^T X P = U^T U as far as
 * pivots exceed `zero`; the rows and columns from `rank` on hold what is left. */
typedef struct za_pivoted {
    int32_t n, ld;
    double *X;
    int32_t *order; /* [n] order[k] = the row that stands k-th */
    int32_t rank;
} za_pivoted;

void za_pivoted_factor(za_pivoted *p, double zero);

/* x = U11^-1 x and x = U11^-T x with the leading rank x rank block. */
void za_pivoted_upper(const za_pivoted *p, double *x);
void za_pivoted_lower(const za_pivoted *p, double *x);

/* ------------------------------------------------------------------ LAPACK
 * For large sizes. The first call of za_lapack_available loads the library, which takes a few
 * milliseconds: to be asked for large systems only. It is false where the build or the machine has
 * no LAPACK, and then the others must not be called. Storage as above. */
bool za_lapack_available(void);
int32_t za_lapack_cholesky(int32_t n, int32_t ld, double threshold, double *U, double *inverse);
void za_lapack_lower_solve_rows(int32_t n, int32_t ld, const double *U, int32_t m, int32_t ldg,
                                double *G);
void za_lapack_gram(int32_t n, int32_t m, int32_t ldg, const double *G, double *S);

/* Estimate of the 1-norm condition number of S = U^T U, whose 1-norm is given. */
double za_lapack_condition(int32_t m, int32_t ld, const double *U, double norm, double *work,
                           int32_t *integers); /* [3m], [m] */

/* As za_cod_kernels.factor; work [za_lapack_qr_work(n, m)]. */
size_t za_lapack_qr_work(int32_t n, int32_t m);
void za_lapack_cod_factor(const za_kernels *k, za_cod *f, double tolerance, double *work);

/* X [m x n] = U diag(s) V^T by LAPACK, as za_svd; work [za_lapack_svd_work(m, n)]. */
size_t za_lapack_svd_work(int32_t m, int32_t n);
zw_status za_lapack_svd(int32_t m, int32_t n, const double *X, double *U, double *s, double *V,
                        double *work);

/* --------------------------------------------------------- singular values
 * X [m x n], row-major without padding, = U diag(s) V^T with k = min(m, n) singular values,
 * largest first; U [m x k], V [n x k] row-major. One-sided Jacobi: small singular values are
 * as accurate relatively as the scaling of the rows allows. work [m*n + n*n + ...]. */
size_t za_svd_work(int32_t m, int32_t n); /* doubles */
zw_status za_svd(int32_t m, int32_t n, const double *X, double *U, double *s, double *V,
                 double *work);

/* -------------------------------------------------------------- eigenvalues
 * A [n x n] by rows, overwritten. Eigenvalues re + i im [n], ascending by their real parts, pairs with
 * the positive imaginary part first; work [n]. ZW_ERR_NOT_FINITE, ZW_ERR_ACCURACY: it does not come to
 * an end. */
zw_status za_eigenvalues(int32_t n, double *A, double *re, double *im, double *work);
/* The same of a symmetric S [n x n], overwritten: s [n] ascending, row k of V [n x n] the vector of s[k],
 * of length 1. */
zw_status za_symmetric_eigen(int32_t n, double *S, double *s, double *V);

#endif
