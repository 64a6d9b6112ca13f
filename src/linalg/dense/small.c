/*
 * Systems of at most eight coordinates and eight rows: whole rows are one or two vectors, and
 * the Cholesky factorisation of M carries the columns of A along. Same storage as everywhere
 * (linalg.h), leading dimension 8.
 *
 * Compiled once per instruction set, like kernels.c; `wide` (vectors a row: 1 up to four
 * columns, else 2) is a constant wherever it is used.
 */
#include <math.h>
#include <string.h>

#include "linalg.h"
#include "vector.h"

enum { ld = 8 }; /* leading dimension of everything here */

/* Row i of X as one or two vectors. */
INLINE v4 *row_of(double *X, int32_t i)
{
    return vec(X + (size_t)i * ld);
}

INLINE const v4 *crow_of(const double *X, int32_t i)
{
    return cvec(X + (size_t)i * ld);
}

/* U^T U = U and, where gwide is not 0, G = U^-T G. The first bad pivot, or -1. */
INLINE int32_t factor_small(int wide, int gwide, int32_t n, double threshold, double *U,
                            double *inverse, double *G)
{
    double diagonal[ld];
    for (int32_t k = 0; k < n; k++) diagonal[k] = U[k * ld + k];
    for (int32_t k = 0; k < n; k++) {
        double d = U[k * ld + k];
        if (!(d > threshold * diagonal[k])) return k;
        double r = 1.0 / sqrt(d);
        inverse[k] = r;
        v4 u[2], g[2];
        for (int h = 0; h < wide; h++) row_of(U, k)[h] = u[h] = row_of(U, k)[h] * r;
        for (int h = 0; h < gwide; h++) row_of(G, k)[h] = g[h] = row_of(G, k)[h] * r;
        for (int32_t i = k + 1; i < n; i++) {
            double f = U[k * ld + i];
            for (int h = 0; h < wide; h++) row_of(U, i)[h] -= f * u[h];
            for (int h = 0; h < gwide; h++) row_of(G, i)[h] -= f * g[h];
        }
    }
    return -1;
}

/* The variant for the number of vectors a row of U and of G has. */
static int32_t small_mass(int32_t n, int32_t m, double threshold, double *U, double *inverse,
                          double *G)
{
    if (n <= 4) return factor_small(1, 1, n, threshold, U, inverse, G); /* m <= n */
    if (m <= 4) return factor_small(2, 1, n, threshold, U, inverse, G);
    return factor_small(2, 2, n, threshold, U, inverse, G);
}

/* S = G^T G, whole rows. */
INLINE void form_small_gram(int wide, int32_t n, int32_t m, const double *G, double *S)
{
    memset(S, 0, sizeof(double) * (size_t)(m * ld));
    for (int32_t k = 0; k < n; k++)
        for (int32_t i = 0; i < m; i++)
            for (int h = 0; h < wide; h++) row_of(S, i)[h] += G[k * ld + i] * crow_of(G, k)[h];
}

/* A bound of the condition number of D U^T U D, D such that its diagonal is 1, that is never
 * too small: m |M(UD)^-1 e|_inf |M(UD)^-T e|_inf with M() the comparison matrix. root = D^-1. */
static double safe_condition(int32_t m, const double *U, const double *inverse, const double *root)
{
    double x[ld], most = 0.0, most_transposed = 0.0;
    for (int32_t i = m - 1; i >= 0; i--) {
        double s = 1.0;
        for (int32_t j = i + 1; j < m; j++) s += fabs(U[i * ld + j]) * x[j];
        x[i] = s * inverse[i];
        most = zb_larger(most, x[i] * root[i]); /* NOLINT: m is at most 8 */
    }
    for (int32_t i = 0; i < m; i++) x[i] = root[i];
    for (int32_t i = 0; i < m; i++) {
        x[i] *= inverse[i];
        most_transposed = zb_larger(most_transposed, x[i]);
        for (int32_t j = i + 1; j < m; j++) x[j] += fabs(U[i * ld + j]) * x[i];
    }
    return m * most * most_transposed;
}

/* HUGE_VAL where a diagonal entry is out of range or a pivot is not positive. */
static double small_schur(int32_t n, int32_t m, const double *G, double *S, double *inverse)
{
    double root[ld];
    if (m <= 4)
        form_small_gram(1, n, m, G, S);
    else
        form_small_gram(2, n, m, G, S);
    for (int32_t j = 0; j < m; j++) {
        double d = S[j * ld + j];
        if (!(d > 1e-270) || !(d < 1e300)) return HUGE_VAL;
        root[j] = sqrt(d);
    }
    int32_t bad = m <= 4 ? factor_small(1, 0, m, 0.0, S, inverse, S)
                         : factor_small(2, 0, m, 0.0, S, inverse, S);
    if (bad >= 0) return HUGE_VAL;
    return m == 1 ? 1.0 : safe_condition(m, S, inverse, root);
}

/* x [8] = U^-T x, zero behind n. Below the diagonal U may hold anything finite. */
INLINE void small_forward(int wide, int32_t n, const double *U, const double *inverse, double *x)
{
    double y[ld] = {0};
    for (int32_t k = 0; k < n; k++) {
        y[k] = x[k] * inverse[k];
        for (int h = 0; h < wide; h++) row_of(x, 0)[h] -= y[k] * crow_of(U, k)[h];
    }
    memcpy(x, y, sizeof y);
}

/* x = U^-1 x. */
INLINE void small_backward(int32_t n, const double *U, const double *inverse, double *x)
{
    for (int32_t k = n - 1; k >= 0; k--) {
        double t = x[k] * inverse[k];
        x[k] = t;
        for (int32_t i = 0; i < k; i++) x[i] -= U[i * ld + k] * t;
    }
}

/* nu = (G^T G)^-1 (c - G^T t), t += G nu; returns |G nu|^2. */
INLINE double schur_step(int wide, int32_t n, int32_t m, const double *G, const double *S,
                         const double *S_inverse, const double *c, double *t, double *nu)
{
    double moved = 0.0;
    for (int h = 0; h < wide; h++) row_of(nu, 0)[h] = crow_of(c, 0)[h];
    for (int32_t i = 0; i < n; i++)
        for (int h = 0; h < wide; h++) row_of(nu, 0)[h] -= t[i] * crow_of(G, i)[h];
    small_forward(wide, m, S, S_inverse, nu);
    small_backward(m, S, S_inverse, nu);
    for (int32_t i = 0; i < n; i++) {
        double y = 0.0;
        for (int32_t j = 0; j < m; j++) y += G[i * ld + j] * nu[j];
        t[i] += y;
        moved += y * y;
    }
    return moved;
}

/* The variant for one or for two vectors a row. */
static double small_solve(int32_t n, int32_t m, const double *G, const double *S,
                          const double *S_inverse, const double *c, double *t, double *nu)
{
    return m <= 4 ? schur_step(1, n, m, G, S, S_inverse, c, t, nu)
                  : schur_step(2, n, m, G, S, S_inverse, c, t, nu);
}

/* The variant for one or for two vectors a row. */
static void small_lower(int32_t n, const double *U, const double *inverse, double *x)
{
    if (n <= 4)
        small_forward(1, n, U, inverse, x);
    else
        small_forward(2, n, U, inverse, x);
}

static void small_upper(int32_t n, const double *U, const double *inverse, double *x)
{
    small_backward(n, U, inverse, x);
}

/* -------------------------------------------------------------- the operators */

typedef struct square8 {
    double e[ld * ld];
} __attribute__((aligned(64))) square8;

/* X = U^-T X, row by row. */
INLINE void solve_small_rows(int wide, int32_t n, const double *U, const double *inverse, double *X)
{
    for (int32_t k = 0; k < n; k++) {
        v4 x[2];
        for (int h = 0; h < wide; h++) x[h] = row_of(X, k)[h];
        for (int32_t p = 0; p < k; p++)
            for (int h = 0; h < wide; h++) x[h] -= U[p * ld + k] * row_of(X, p)[h];
        for (int h = 0; h < wide; h++) row_of(X, k)[h] = x[h] * inverse[k];
    }
}

/* Y = sign L^T X for `rows` rows of Y and `count` rows of L and X; Y += that where `add`. */
INLINE void multiply_small(int wide, int32_t rows, int32_t count, const double *L, const double *X,
                           double sign, bool add, double *Y)
{
    for (int32_t i = 0; i < rows; i++) {
        v4 y[2] = {{0}, {0}};
        for (int32_t k = 0; k < count; k++)
            for (int h = 0; h < wide; h++) y[h] += L[k * ld + i] * crow_of(X, k)[h];
        for (int h = 0; h < wide; h++)
            row_of(Y, i)[h] = add ? row_of(Y, i)[h] + sign * y[h] : sign * y[h];
    }
}

/*
 * The solution as matrices (za_small_operators). With X = U^-T, Y = U_S^-T R
 * (U_S^T U_S = G^T G), E = U_S^-T G^T, F = E X:
 *
 *     z = (X^T X - F^T F) f + F^T Y b      Z, B^T
 *     lambda = Y^T Y b - Y^T F f           L, B
 *
 * No step waits for another, as it would in triangular solves; what this loses in digits the
 * correction by residuals brings back.
 */
INLINE void make_operators(int wide, int rows, int32_t n, int32_t m, const double *U,
                           const double *inverse, const double *G, const double *S,
                           const double *S_inverse, const double *R, za_small_operators *o)
{
    square8 X, Y, E, F, T;
    for (int32_t i = 0; i < n; i++)
        for (int h = 0; h < wide; h++) row_of(X.e, i)[h] = (v4){0};
    for (int32_t i = 0; i < n; i++) X.e[i * ld + i] = 1.0;
    solve_small_rows(wide, n, U, inverse, X.e);
    for (int32_t j = 0; j < m; j++) {
        for (int h = 0; h < rows; h++) row_of(Y.e, j)[h] = (v4){0};
        for (int h = 0; h < wide; h++) row_of(E.e, j)[h] = (v4){0};
        for (int32_t i = 0; i < n; i++) E.e[j * ld + i] = G[i * ld + j];
        Y.e[j * ld + j] = R[j];
    }
    solve_small_rows(rows, m, S, S_inverse, Y.e);
    solve_small_rows(wide, m, S, S_inverse, E.e);
    for (int32_t j = 0; j < m; j++) /* T = E^T, so that F = E X is a product of rows */
        for (int32_t i = 0; i < n; i++) T.e[i * ld + j] = E.e[j * ld + i];
    multiply_small(wide, m, n, T.e, X.e, 1.0, false, F.e);
    multiply_small(wide, n, n, X.e, X.e, 1.0, false, o->Z);
    multiply_small(wide, n, m, F.e, F.e, -1.0, true, o->Z);
    multiply_small(wide, m, m, Y.e, F.e, 1.0, false, o->BT);
    multiply_small(rows, n, m, F.e, Y.e, 1.0, false, o->B);
    multiply_small(rows, m, m, Y.e, Y.e, 1.0, false, o->L);
}

/* The variant for the number of vectors that a row of coordinates and one of constraints has. */
static void small_operators(int32_t n, int32_t m, const double *U, const double *inverse,
                            const double *G, const double *S, const double *S_inverse,
                            const double *R, za_small_operators *o)
{
    if (n <= 4)
        make_operators(1, 1, n, m, U, inverse, G, S, S_inverse, R, o);
    else if (m <= 4)
        make_operators(2, 1, n, m, U, inverse, G, S, S_inverse, R, o);
    else
        make_operators(2, 2, n, m, U, inverse, G, S, S_inverse, R, o);
}

/* ------------------------------------------------------------- a whole answer */

/* Scratch of an answer, in coordinates and in rows; entries behind n or m are 0. */
typedef struct place {
    double t[ld], c[ld];
} __attribute__((aligned(64))) place;

/* The squared norm of x [8]. */
INLINE double small_norm2(int wide, const double *x)
{
    v4 s = *crow_of(x, 0) * *crow_of(x, 0);
    if (wide == 2) s += crow_of(x, 0)[1] * crow_of(x, 0)[1];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

/* y = sum_i x_i X_i + sign sum_j w_j W_j */
INLINE void combine_small_rows(int wide, int32_t n, const double *x, const double *X, double sign,
                               int32_t m, const double *w, const double *W, double *y)
{
    v4 s[2] = {{0}, {0}}, t[2] = {{0}, {0}};
    for (int32_t i = 0; i < n; i++)
        for (int h = 0; h < wide; h++) s[h] += x[i] * crow_of(X, i)[h];
    for (int32_t j = 0; j < m; j++)
        for (int h = 0; h < wide; h++) t[h] += w[j] * crow_of(W, j)[h];
    for (int h = 0; h < wide; h++) row_of(y, 0)[h] = s[h] + sign * t[h];
}

/* z, lambda = GG(f, b): two products with matrices each. */
INLINE void apply_operators(int wide, int rows, const za_small_system *s, const double *f,
                            const double *b, double *z, double *lambda)
{
    combine_small_rows(wide, s->n, f, s->o->Z, 1.0, s->m, b, s->o->BT, z);
    combine_small_rows(rows, s->m, b, s->o->L, -1.0, s->n, f, s->o->B, lambda);
}

/* sum -= sign x^T X in two words, a row of X at a time. */
INLINE void subtract_small_rows(int wide, int32_t count, const double *X, const double *x,
                                double sign, exact *sum)
{
    for (int32_t i = 0; i < count; i++) {
        double f = sign * x[i];
        v4 t = {f, f, f, f};
        for (int h = 0; h < wide; h++) subtract_exact(&sum[h], t, crow_of(X, i)[h]);
    }
}

/* Sums in two words that begin as b [8]. */
INLINE void begin_small_sums(int wide, const double *b, exact *sum)
{
    for (int h = 0; h < wide; h++)
        sum[h] = (exact){crow_of(b, 0)[h], {0}, vec_abs(crow_of(b, 0)[h])};
}

/* Their values r [8], and the sizes of the terms they were summed from. */
INLINE void end_small_sums(int wide, const exact *sum, double *r, double *size)
{
    for (int h = 0; h < wide; h++) {
        row_of(r, 0)[h] = sum[h].high + sum[h].low;
        row_of(size, 0)[h] = sum[h].size;
    }
}

/* r1 = f + A^T lambda - M z and r2 = b - A z; returns the larger, relative to the sizes of
 * the terms it was summed from. */
INLINE double small_residuals(int wide, int rows, const za_small_system *s, const double *f,
                              const double *b, const double *z, const double *lambda, double *r1,
                              double *r2)
{
    place size = {{0}, {0}};
    exact sum[2];
    begin_small_sums(wide, f, sum);
    subtract_small_rows(wide, s->m, s->A, lambda, -1.0, sum);
    subtract_small_rows(wide, s->n, s->M, z, 1.0, sum);
    end_small_sums(wide, sum, r1, size.t);
    double scale = small_norm2(wide, size.t), left = small_norm2(wide, r1);
    double worst = scale > 0.0 ? sqrt(left / scale) : sqrt(left);
    begin_small_sums(rows, b, sum);
    subtract_small_rows(rows, s->n, s->AT, z, 1.0, sum);
    end_small_sums(rows, sum, r2, size.c);
    for (int32_t j = 0; j < s->m; j++) {
        double relative = size.c[j] > 0.0 ? fabs(r2[j]) / size.c[j] : fabs(r2[j]);
        worst = zb_larger(worst, relative);
    }
    return worst;
}

/* A solution, its residuals, and one correction by them: iterative refinement with one step. */
INLINE void answer_refined(int wide, int rows, const za_small_system *s, const double *f,
                           const double *b, double *z, double *lambda, za_small_report *report)
{
    place residual = {{0}, {0}}, change = {{0}, {0}};
    apply_operators(wide, rows, s, f, b, z, lambda);
    report->certificate = small_residuals(wide, rows, s, f, b, z, lambda, residual.t, residual.c);
    apply_operators(wide, rows, s, residual.t, residual.c, change.t, change.c);
    report->change = sqrt(small_norm2(wide, change.t));
    report->size = sqrt(small_norm2(wide, z));
    for (int h = 0; h < wide; h++) row_of(z, 0)[h] += row_of(change.t, 0)[h];
    for (int h = 0; h < rows; h++) row_of(lambda, 0)[h] += row_of(change.c, 0)[h];
}

/* The variant for the number of vectors that a row of coordinates and one of constraints has. */
static void answer_small_system(const za_small_system *s, const double *f, const double *b,
                                double *z, double *lambda, za_small_report *report)
{
    if (s->n <= 4)
        answer_refined(1, 1, s, f, b, z, lambda, report);
    else if (s->m <= 4)
        answer_refined(2, 1, s, f, b, z, lambda, report);
    else
        answer_refined(2, 2, s, f, b, z, lambda, report);
}

extern const za_small_kernels ZA_VARIANT_OF(za_small_);
const za_small_kernels ZA_VARIANT_OF(za_small_) = {
    .mass = small_mass,
    .schur = small_schur,
    .solve = small_solve,
    .lower = small_lower,
    .upper = small_upper,
    .operators = small_operators,
    .answer = answer_small_system,
};
