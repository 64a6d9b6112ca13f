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

enum { ld = 8 };

INLINE v4 *row_of(double *X, int32_t i)
{
    return vec(X + (size_t)i * ld);
}

INLINE const v4 *crow_of(const double *X, int32_t i)
{
    return cvec(X + (size_t)i * ld);
}

/* U^T U = U and, where gwide is not 0, G = U^-T G. The first bad pivot, or -1. */
INLINE int32_t eliminate(int wide, int gwide, int32_t n, double threshold, double *U,
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

static int32_t small_mass(int32_t n, int32_t m, double threshold, double *U, double *inverse,
                          double *G)
{
    if (n <= 4) return eliminate(1, 1, n, threshold, U, inverse, G); /* m <= n */
    if (m <= 4) return eliminate(2, 1, n, threshold, U, inverse, G);
    return eliminate(2, 2, n, threshold, U, inverse, G);
}

/* S = G^T G, whole rows. */
INLINE void gram(int wide, int32_t n, int32_t m, const double *G, double *S)
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
        if (!(x[i] * root[i] <= most)) most = x[i] * root[i]; /* NOLINT: m is at most 8 */
    }
    for (int32_t i = 0; i < m; i++) x[i] = root[i];
    for (int32_t i = 0; i < m; i++) {
        x[i] *= inverse[i];
        if (!(x[i] <= most_transposed)) most_transposed = x[i];
        for (int32_t j = i + 1; j < m; j++) x[j] += fabs(U[i * ld + j]) * x[i];
    }
    return m * most * most_transposed;
}

static double small_schur(int32_t n, int32_t m, const double *G, double *S, double *inverse)
{
    double root[ld];
    if (m <= 4)
        gram(1, n, m, G, S);
    else
        gram(2, n, m, G, S);
    for (int32_t j = 0; j < m; j++) {
        double d = S[j * ld + j];
        if (!(d > 1e-270) || !(d < 1e300)) return HUGE_VAL;
        root[j] = sqrt(d);
    }
    int32_t bad =
        m <= 4 ? eliminate(1, 0, m, 0.0, S, inverse, S) : eliminate(2, 0, m, 0.0, S, inverse, S);
    if (bad >= 0) return HUGE_VAL;
    return m == 1 ? 1.0 : safe_condition(m, S, inverse, root);
}

/* x [8] = U^-T x, zero behind n. Below the diagonal U may hold anything finite. */
INLINE void forward(int wide, int32_t n, const double *U, const double *inverse, double *x)
{
    double y[ld] = {0};
    for (int32_t k = 0; k < n; k++) {
        y[k] = x[k] * inverse[k];
        for (int h = 0; h < wide; h++) row_of(x, 0)[h] -= y[k] * crow_of(U, k)[h];
    }
    memcpy(x, y, sizeof y);
}

INLINE void backward(int32_t n, const double *U, const double *inverse, double *x)
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
    forward(wide, m, S, S_inverse, nu);
    backward(m, S, S_inverse, nu);
    for (int32_t i = 0; i < n; i++) {
        double y = 0.0;
        for (int32_t j = 0; j < m; j++) y += G[i * ld + j] * nu[j];
        t[i] += y;
        moved += y * y;
    }
    return moved;
}

static double small_solve(int32_t n, int32_t m, const double *G, const double *S,
                          const double *S_inverse, const double *c, double *t, double *nu)
{
    return m <= 4 ? schur_step(1, n, m, G, S, S_inverse, c, t, nu)
                  : schur_step(2, n, m, G, S, S_inverse, c, t, nu);
}

static void small_lower(int32_t n, const double *U, const double *inverse, double *x)
{
    if (n <= 4)
        forward(1, n, U, inverse, x);
    else
        forward(2, n, U, inverse, x);
}

static void small_upper(int32_t n, const double *U, const double *inverse, double *x)
{
    backward(n, U, inverse, x);
}

/* -------------------------------------------------------------- the operators */

typedef struct square8 {
    double e[ld * ld];
} __attribute__((aligned(64))) square8;

/* X = U^-T B, row by row. */
INLINE void solve_rows(int wide, int32_t n, const double *U, const double *inverse, double *X)
{
    for (int32_t k = 0; k < n; k++) {
        v4 x[2];
        for (int h = 0; h < wide; h++) x[h] = row_of(X, k)[h];
        for (int32_t p = 0; p < k; p++)
            for (int h = 0; h < wide; h++) x[h] -= U[p * ld + k] * row_of(X, p)[h];
        for (int h = 0; h < wide; h++) row_of(X, k)[h] = x[h] * inverse[k];
    }
}

/* Row i of the product: Y_i = start_i + sign * sum_k L[k][i] X_k, for `rows` rows. */
INLINE void products(int wide, int32_t rows, int32_t count, const double *L, const double *X,
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
 * GG as matrices. With X = U^-T, Y = U_S^-T R (U_S^T U_S = G^T G), E = U_S^-T G^T, F = E X:
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
    solve_rows(wide, n, U, inverse, X.e);
    for (int32_t j = 0; j < m; j++) {
        for (int h = 0; h < rows; h++) row_of(Y.e, j)[h] = (v4){0};
        for (int h = 0; h < wide; h++) row_of(E.e, j)[h] = (v4){0};
        for (int32_t i = 0; i < n; i++) E.e[j * ld + i] = G[i * ld + j];
        Y.e[j * ld + j] = R[j];
    }
    solve_rows(rows, m, S, S_inverse, Y.e);
    solve_rows(wide, m, S, S_inverse, E.e);
    for (int32_t j = 0; j < m; j++) /* T = E^T, so that F = E X is a product of rows */
        for (int32_t i = 0; i < n; i++) T.e[i * ld + j] = E.e[j * ld + i];
    products(wide, m, n, T.e, X.e, 1.0, false, F.e);
    products(wide, n, n, X.e, X.e, 1.0, false, o->Z);
    products(wide, n, m, F.e, F.e, -1.0, true, o->Z);
    products(wide, m, m, Y.e, F.e, 1.0, false, o->BT);
    products(rows, n, m, F.e, Y.e, 1.0, false, o->B);
    products(rows, m, m, Y.e, Y.e, 1.0, false, o->L);
}

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

/* Scratch of an answer; everything has eight places, those behind n or m are 0. */
typedef struct place {
    double t[ld], c[ld];
} __attribute__((aligned(64))) place;

INLINE double square(int wide, const double *x)
{
    v4 s = *crow_of(x, 0) * *crow_of(x, 0);
    if (wide == 2) s += crow_of(x, 0)[1] * crow_of(x, 0)[1];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

/* y = sum_i x_i X_i + sign sum_j w_j W_j */
INLINE void combine(int wide, int32_t n, const double *x, const double *X, double sign, int32_t m,
                    const double *w, const double *W, double *y)
{
    v4 s[2] = {{0}, {0}}, t[2] = {{0}, {0}};
    for (int32_t i = 0; i < n; i++)
        for (int h = 0; h < wide; h++) s[h] += x[i] * crow_of(X, i)[h];
    for (int32_t j = 0; j < m; j++)
        for (int h = 0; h < wide; h++) t[h] += w[j] * crow_of(W, j)[h];
    for (int h = 0; h < wide; h++) row_of(y, 0)[h] = s[h] + sign * t[h];
}

INLINE void solve_once(int wide, int rows, const za_small_system *s, const double *f,
                       const double *b, double *z, double *lambda)
{
    combine(wide, s->n, f, s->o->Z, 1.0, s->m, b, s->o->BT, z);
    combine(rows, s->m, b, s->o->L, -1.0, s->n, f, s->o->B, lambda);
}

/* Minus x, a row of X at a time, into `wide` sums in two words. */
INLINE void subtract_rows(int wide, int32_t count, const double *X, const double *x, double sign,
                          exact *sum)
{
    for (int32_t i = 0; i < count; i++) {
        double f = sign * x[i];
        v4 t = {f, f, f, f};
        for (int h = 0; h < wide; h++) subtract_exact(&sum[h], t, crow_of(X, i)[h]);
    }
}

INLINE void start(int wide, const double *b, exact *sum)
{
    for (int h = 0; h < wide; h++)
        sum[h] = (exact){crow_of(b, 0)[h], {0}, magnitude(crow_of(b, 0)[h])};
}

INLINE void finish(int wide, const exact *sum, double *r, double *size)
{
    for (int h = 0; h < wide; h++) {
        row_of(r, 0)[h] = sum[h].high + sum[h].low;
        row_of(size, 0)[h] = sum[h].size;
    }
}

/* r1 = f + A^T lambda - M z and r2 = b - A z; returns the larger, relative to the sizes of
 * the terms it was summed from. */
INLINE double residuals(int wide, int rows, const za_small_system *s, const double *f,
                        const double *b, const double *z, const double *lambda, double *r1,
                        double *r2)
{
    place size = {{0}, {0}};
    exact sum[2];
    start(wide, f, sum);
    subtract_rows(wide, s->m, s->A, lambda, -1.0, sum);
    subtract_rows(wide, s->n, s->M, z, 1.0, sum);
    finish(wide, sum, r1, size.t);
    double scale = square(wide, size.t), left = square(wide, r1);
    double worst = scale > 0.0 ? sqrt(left / scale) : sqrt(left);
    start(rows, b, sum);
    subtract_rows(rows, s->n, s->AT, z, 1.0, sum);
    finish(rows, sum, r2, size.c);
    for (int32_t j = 0; j < s->m; j++) {
        double relative = size.c[j] > 0.0 ? fabs(r2[j]) / size.c[j] : fabs(r2[j]);
        if (!(relative <= worst)) worst = relative;
    }
    return worst;
}

INLINE void answer_once(int wide, int rows, const za_small_system *s, const double *f,
                        const double *b, double *z, double *lambda, za_small_report *report)
{
    place residual = {{0}, {0}}, change = {{0}, {0}};
    solve_once(wide, rows, s, f, b, z, lambda);
    report->certificate = residuals(wide, rows, s, f, b, z, lambda, residual.t, residual.c);
    solve_once(wide, rows, s, residual.t, residual.c, change.t, change.c);
    report->change = sqrt(square(wide, change.t));
    report->size = sqrt(square(wide, z));
    for (int h = 0; h < wide; h++) row_of(z, 0)[h] += row_of(change.t, 0)[h];
    for (int h = 0; h < rows; h++) row_of(lambda, 0)[h] += row_of(change.c, 0)[h];
}

static void small_answer(const za_small_system *s, const double *f, const double *b, double *z,
                         double *lambda, za_small_report *report)
{
    if (s->n <= 4)
        answer_once(1, 1, s, f, b, z, lambda, report);
    else if (s->m <= 4)
        answer_once(2, 1, s, f, b, z, lambda, report);
    else
        answer_once(2, 2, s, f, b, z, lambda, report);
}

extern const za_small_kernels ZA_VARIANT_OF(za_small_);
const za_small_kernels ZA_VARIANT_OF(za_small_) = {
    .mass = small_mass,
    .schur = small_schur,
    .solve = small_solve,
    .lower = small_lower,
    .upper = small_upper,
    .operators = small_operators,
    .answer = small_answer,
};
