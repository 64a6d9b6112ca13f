/*
 * sparse_oracle.c: M = U^T U, W = R^T R, G = U^-T A^T R^T = Q S^T Z^T with orthonormal columns in Q
 * and Z, by Gram and Schmidt, twice. Then
 *
 *     z = U^-1 (U^-T f + y),  y = Q u,  S u = Z^T (R b - G^T U^-T f),  lambda = R^T Z S^-T u.
 *
 * A singular M is replaced by M + A^T W A and f by f + A^T W b, which changes no answer.
 */
#include "sparse_oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef long double real;

typedef struct reckoner {
    int32_t n, m, r;
    bool singular;
    real *M, *U;     /* [n*n] as given; factor, upper */
    real *A, *W, *R; /* [m*n], [m*m], [m*m] */
    real *G;         /* [m][n] one constraint after the other */
    real *Q, *Z, *S; /* [r][n], [r][m], [r*r] upper */
} reckoner;

static real *reals(int32_t rows, int32_t columns)
{
    real *x = calloc((size_t)rows * (size_t)columns + 1, sizeof *x);
    if (x == NULL) abort();
    return x;
}

static real *lengthened(double *x, int32_t rows, int32_t columns)
{
    real *y = reals(rows, columns);
    for (int32_t i = 0; i < rows * columns; i++) y[i] = (real)x[i];
    free(x);
    return y;
}

static real dot(const real *x, const real *y, int32_t n)
{
    real s = 0;
    for (int32_t i = 0; i < n; i++) s += x[i] * y[i];
    return s;
}

static void add(real *x, real factor, const real *y, int32_t n)
{
    for (int32_t i = 0; i < n; i++) x[i] += factor * y[i];
}

/* y = X x, or X^T x; X [rows*columns] */
static void times(const real *X, const real *x, int32_t rows, int32_t columns, real *y)
{
    for (int32_t i = 0; i < rows; i++) y[i] = dot(X + i * columns, x, columns);
}

static void transposed(const real *X, const real *x, int32_t rows, int32_t columns, real *y)
{
    memset(y, 0, (size_t)columns * sizeof *y);
    for (int32_t i = 0; i < rows; i++) add(y, x[i], X + i * columns, columns);
}

/* ------------------------------------------------------------------ triangles */

/* X = U^T U, row by row; only the upper triangle of either is read */
static real *cholesky(const real *X, int32_t n)
{
    real *U = reals(n, n);
    memcpy(U, X, (size_t)(n * n) * sizeof *U);
    for (int32_t k = 0; k < n; k++) {
        real root = sqrtl(U[k * n + k]);
        for (int32_t j = 0; j < k; j++) U[k * n + j] = 0;
        for (int32_t j = k; j < n; j++) U[k * n + j] /= root;
        for (int32_t i = k + 1; i < n; i++) {
            if (U[k * n + i] != 0) add(U + i * n + i, -U[k * n + i], U + k * n + i, n - i);
        }
    }
    return U;
}

static void solve_upper(const real *U, int32_t n, real *x) /* x := U^-1 x */
{
    for (int32_t i = n; i-- > 0;)
        x[i] = (x[i] - dot(U + i * n + i + 1, x + i + 1, n - i - 1)) / U[i * n + i];
}

static void solve_lower(const real *U, int32_t n, real *x) /* x := U^-T x */
{
    for (int32_t i = 0; i < n; i++) {
        x[i] /= U[i * n + i];
        add(x + i + 1, -x[i], U + i * n + i + 1, n - i - 1);
    }
}

/* --------------------------------------------------------------- factorisation */

/* Takes x out of the span of the first k rows of Q, twice, and makes it of length 1. */
static void orthonormal(const real *Q, int32_t k, real *x, int32_t n)
{
    for (int32_t pass = 0; pass < 2; pass++)
        for (int32_t i = 0; i < k; i++) add(x, -dot(Q + i * n, x, n), Q + i * n, n);
    real length = sqrtl(dot(x, x, n));
    for (int32_t i = 0; i < n; i++) x[i] /= length;
}

/* Q spans the columns of G: the one that sticks out most, relative to its length, comes next. */
static void span(reckoner *k)
{
    real *left = reals(k->m, k->n), *size = reals(k->m, 1);
    memcpy(left, k->G, (size_t)(k->m * k->n) * sizeof *left);
    for (int32_t i = 0; i < k->m; i++) size[i] = dot(k->G + i * k->n, k->G + i * k->n, k->n);
    for (int32_t step = 0; step < k->r; step++) {
        int32_t best = 0;
        real most = -1, *q = k->Q + step * k->n;
        for (int32_t i = 0; i < k->m; i++) {
            real now = dot(left + i * k->n, left + i * k->n, k->n);
            if (size[i] > 0 && now / size[i] > most) most = now / size[i], best = i;
        }
        memcpy(q, left + best * k->n, (size_t)k->n * sizeof *q);
        orthonormal(k->Q, step, q, k->n);
        for (int32_t i = 0; i < k->m; i++)
            add(left + i * k->n, -dot(q, left + i * k->n, k->n), q, k->n);
    }
    free(left);
    free(size);
}

/* T = Q^T G, T^T = Z S */
static void second_factor(reckoner *k)
{
    real *t = reals(k->m, 1);
    for (int32_t j = 0; j < k->r; j++) {
        real *z = k->Z + j * k->m;
        times(k->G, k->Q + j * k->n, k->m, k->n, t);
        memcpy(z, t, (size_t)k->m * sizeof *z);
        orthonormal(k->Z, j, z, k->m);
        for (int32_t i = 0; i <= j; i++) k->S[i * k->r + j] = dot(k->Z + i * k->m, t, k->m);
    }
    free(t);
}

/* M + A^T W A */
static real *stiffened(const reckoner *k)
{
    real *X = reals(k->n, k->n), *row = reals(k->n, 1);
    memcpy(X, k->M, (size_t)(k->n * k->n) * sizeof *X);
    for (int32_t i = 0; i < k->m; i++) {
        transposed(k->A, k->W + i * k->m, k->m, k->n, row); /* row i of W A */
        for (int32_t j = 0; j < k->n; j++) {
            if (k->A[i * k->n + j] != 0) add(X + j * k->n, k->A[i * k->n + j], row, k->n);
        }
    }
    free(row);
    return X;
}

static reckoner decomposed(const sparse_problem *p, int32_t rank, bool singular)
{
    int32_t n = p->is.n, m = p->is.m;
    reckoner k = {.n = n, .m = m, .r = rank, .singular = singular};
    k.M = lengthened(net_dense_mass(p), n, n);
    k.A = lengthened(net_dense_rows(p), m, n);
    k.W = lengthened(net_dense_weight(p), m, m);
    real *X = stiffened(&k);
    k.U = cholesky(singular ? X : k.M, n);
    k.R = cholesky(k.W, m);
    free(X);
    k.G = reals(m, n);
    for (int32_t i = 0; i < m; i++) {
        for (int32_t j = i; j < m; j++) {
            if (k.R[i * m + j] != 0) add(k.G + i * n, k.R[i * m + j], k.A + j * n, n);
        }
        solve_lower(k.U, n, k.G + i * n);
    }
    k.Q = reals(rank, n);
    k.Z = reals(rank, m);
    k.S = reals(rank, rank);
    span(&k);
    second_factor(&k);
    return k;
}

static void reckoner_free(reckoner *k)
{
    real *all[] = {k->M, k->U, k->A, k->W, k->R, k->G, k->Q, k->Z, k->S};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

/* The largest singular value of S [r*r], upper, or, `inverse`, of S^-1, by the power method. */
static real largest(const real *S, int32_t r, bool inverse)
{
    real *x = reals(r, 1), *y = reals(r, 1), length = 0;
    for (int32_t i = 0; i < r; i++) x[i] = 1 + i % 3;
    for (int32_t pass = 0; pass < 12; pass++) {
        length = sqrtl(dot(x, x, r));
        for (int32_t i = 0; i < r; i++) x[i] /= length;
        if (inverse) {
            solve_lower(S, r, x);
            solve_upper(S, r, x);
        } else {
            times(S, x, r, r, y);
            transposed(S, y, r, r, x);
        }
    }
    length = sqrtl(dot(x, x, r));
    free(x);
    free(y);
    return sqrtl(length);
}

/* ------------------------------------------------------------------ the answers */

/* z [n], lambda [m] = GG(f, b); returns |y|^2 */
static real answer(const reckoner *k, const real *f, const real *b, real *z, real *lambda)
{
    int32_t n = k->n, m = k->m, r = k->r;
    real *c = reals(m, 1), *d = reals(m, 1), *u = reals(r, 1), *a = reals(n, 1);
    memcpy(a, f, (size_t)n * sizeof *a);
    if (k->singular) {
        times(k->W, b, m, m, c);
        transposed(k->A, c, m, n, z);
        add(a, 1, z, n);
    }
    solve_lower(k->U, n, a);
    times(k->G, a, m, n, d);
    times(k->R, b, m, m, c);
    add(c, -1, d, m);
    times(k->Z, c, r, m, u);
    solve_upper(k->S, r, u);
    transposed(k->Q, u, r, n, z);
    real square = dot(z, z, n);
    add(z, 1, a, n);
    solve_upper(k->U, n, z);
    solve_lower(k->S, r, u);
    transposed(k->Z, u, r, m, d);
    transposed(k->R, d, m, m, lambda);
    free(c);
    free(d);
    free(u);
    free(a);
    return square;
}

static void shorten(const real *x, int32_t n, double *y)
{
    for (int32_t i = 0; i < n; i++) y[i] = (double)x[i];
}

static long_oracle with_room(int32_t n, int32_t m, int32_t rank)
{
    long_oracle o = {.n = n, .m = m, .rank = rank};
    double *d = o.memory = calloc((size_t)(7 * n + 2 * m) + 1, sizeof *d);
    if (d == NULL) abort();
    o.acceleration = d, o.free = d + n, o.force = d + 2 * n, o.ideal = d + 3 * n;
    o.nonideal = d + 4 * n, o.projected = d + 5 * n, o.split_nonideal = d + 6 * n;
    o.multipliers = d + 7 * n, o.residual = d + 7 * n + m;
    return o;
}

/* Both parts of the force, from Q and C apart. */
static void answer_forces(const reckoner *k, const real *Q, const real *C, const real *b,
                          long_oracle *o)
{
    real *z = reals(k->n, 1), *zC = reals(k->n, 1), *F = reals(k->n, 1);
    real *lambda = reals(k->m, 1), *zero = reals(k->m, 1);
    answer(k, C, zero, zC, lambda);
    times(k->M, zC, k->n, k->n, F);
    shorten(F, k->n, o->nonideal);
    answer(k, Q, b, z, lambda);
    transposed(k->A, lambda, k->m, k->n, F);
    shorten(F, k->n, o->ideal);
    shorten(lambda, k->m, o->multipliers);
    add(z, 1, zC, k->n);
    times(k->M, z, k->n, k->n, F);
    add(F, -1, Q, k->n);
    shorten(F, k->n, o->force);
    shorten(z, k->n, o->acceleration);
    times(k->A, z, k->m, k->n, lambda);
    add(lambda, -1, b, k->m);
    shorten(lambda, k->m, o->residual);
    times(k->W, lambda, k->m, k->m, zero);
    o->inconsistency = (double)sqrtl(dot(zero, lambda, k->m));
    real *all[] = {z, zC, F, lambda, zero};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

/* p->x onto the null space of A, and split as a force. */
static void answer_parts(const reckoner *k, const real *x, long_oracle *o)
{
    real *f = reals(k->n, 1), *y = reals(k->n, 1), *zero = reals(k->m, 1), *lambda = reals(k->m, 1);
    times(k->M, x, k->n, k->n, f);
    answer(k, f, zero, y, lambda);
    shorten(y, k->n, o->projected);
    answer(k, x, zero, y, lambda);
    times(k->M, y, k->n, k->n, f);
    shorten(f, k->n, o->split_nonideal);
    free(f);
    free(y);
    free(zero);
    free(lambda);
}

static real *long_copy(const double *x, int32_t n)
{
    real *y = reals(n, 1);
    for (int32_t i = 0; i < n; i++) y[i] = (real)x[i];
    return y;
}

long_oracle long_solve(const sparse_problem *p, int32_t rank, bool singular)
{
    int32_t n = p->is.n, m = p->is.m;
    reckoner k = decomposed(p, rank, singular);
    long_oracle o = with_room(n, m, rank);
    real *Q = long_copy(p->Q, n), *C = long_copy(p->C, n), *b = long_copy(p->b, m);
    real *x = long_copy(p->x, n), *z = reals(n, 1), *lambda = reals(m, 1);
    answer_forces(&k, Q, C, b, &o);
    answer_parts(&k, x, &o);
    add(C, 1, Q, n);
    o.gaussian = (double)answer(&k, C, b, z, lambda);
    solve_lower(k.U, n, Q);
    solve_upper(k.U, n, Q);
    shorten(Q, n, o.free);
    o.condition = rank > 0 ? (double)(largest(k.S, rank, false) * largest(k.S, rank, true)) : 1.0;
    real root = largest(k.U, n, false) * largest(k.U, n, true);
    o.mass_condition = (double)(root * root);
    real *all[] = {Q, C, b, x, z, lambda};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    reckoner_free(&k);
    return o;
}

void long_free(long_oracle *o)
{
    free(o->memory);
}
