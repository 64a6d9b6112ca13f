/* Dense, slow and plain. Memory is malloc's. */
#include "wide_gauss.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static long double *reals(int64_t count)
{
    long double *x = calloc((size_t)count + 1, sizeof *x);
    if (!x) abort();
    return x;
}

wide_system *wide_create(int32_t n, int32_t m)
{
    wide_system *o = calloc(1, sizeof *o);
    if (!o) abort();
    int64_t square = (int64_t)n * n;
    *o = (wide_system){.n = n, .m = m, .M = reals(square), .Q = reals(n), .b = reals(m)};
    o->A = reals((int64_t)m * n);
    o->U = reals(square);
    return o;
}

void wide_free(wide_system *o)
{
    if (!o) return;
    free(o->M), free(o->Q), free(o->A), free(o->b), free(o->U);
    free(o);
}

/* Lower Cholesky factor, in place. */
static void cholesky(int32_t n, long double *U)
{
    for (int32_t j = 0; j < n; j++) {
        long double *row = U + (int64_t)j * n;
        for (int32_t k = 0; k <= j; k++) {
            long double sum = row[k];
            const long double *other = U + (int64_t)k * n;
            for (int32_t i = 0; i < k; i++)
                if (row[i] != 0.0L) sum -= row[i] * other[i];
            row[k] = k < j ? sum / other[k] : sqrtl(sum);
        }
        for (int32_t k = j + 1; k < n; k++) row[k] = 0.0L;
    }
}

void wide_factor(wide_system *o)
{
    memcpy(o->U, o->M, sizeof *o->U * (size_t)o->n * (size_t)o->n);
    cholesky(o->n, o->U);
}

static void forward(int32_t n, const long double *U, long double *x)
{
    for (int32_t i = 0; i < n; i++) {
        long double sum = x[i];
        for (int32_t k = 0; k < i; k++)
            if (U[(int64_t)i * n + k] != 0.0L) sum -= U[(int64_t)i * n + k] * x[k];
        x[i] = sum / U[(int64_t)i * n + i];
    }
}

static void backward(int32_t n, const long double *U, long double *x)
{
    for (int32_t i = n - 1; i >= 0; i--) {
        x[i] /= U[(int64_t)i * n + i];
        for (int32_t k = 0; k < i; k++)
            if (U[(int64_t)i * n + k] != 0.0L) x[k] -= U[(int64_t)i * n + k] * x[i];
    }
}

/* Rows of G = A U^-T, by Gram-Schmidt with the longest remainder first: G_i = sum_k R_ik e_k. */
typedef struct basis {
    int32_t rank, *row;     /* [m] the row of each direction */
    long double *G, *e, *R; /* [m*n] [m*n] [m*m] */
    long double least;      /* remainder squared over length squared */
} basis;

static long double dot(int32_t n, const long double *x, const long double *y)
{
    long double sum = 0.0L;
    for (int32_t k = 0; k < n; k++) sum += x[k] * y[k];
    return sum;
}

/* The next direction: the row whose remainder is the largest part of it; -1: none is left. */
static int32_t choose(int32_t m, const long double *left, const long double *all)
{
    int32_t best = -1;
    long double most = 1e-22L;
    for (int32_t i = 0; i < m; i++)
        if (left[i] > most * all[i]) most = left[i] / all[i], best = i;
    return best;
}

/* Takes the part along e from all rows that are not done; left [m]: squares of what remains, below
 * 0 of rows that are done. */
static void take_away(int32_t n, int32_t m, const long double *e, long double *rest,
                      long double *left)
{
    for (int32_t i = 0; i < m; i++) {
        long double *r = rest + (int64_t)i * n, c = left[i] < 0.0L ? 0.0L : dot(n, r, e);
        if (c == 0.0L) continue;
        for (int32_t j = 0; j < n; j++) r[j] -= c * e[j];
        left[i] = dot(n, r, r);
    }
}

static void orthogonalise(const wide_system *o, const bool *takes, basis *B)
{
    int32_t n = o->n, m = o->m;
    long double *rest = reals((int64_t)m * n), *left = reals(m), *all = reals(m);
    B->least = 1.0L;
    for (int32_t i = 0; i < m; i++) {
        long double *g = B->G + (int64_t)i * n;
        memcpy(g, o->A + (int64_t)i * n, sizeof *g * (size_t)n);
        forward(n, o->U, g);
        left[i] = all[i] = dot(n, g, g);
        if (takes && !takes[i]) left[i] = -1.0L;
    }
    memcpy(rest, B->G, sizeof *rest * (size_t)m * (size_t)n);
    for (int32_t next; (next = choose(m, left, all)) >= 0; B->rank++) {
        long double *e = B->e + (int64_t)B->rank * n, *r = rest + (int64_t)next * n;
        const long double *g = B->G + (int64_t)next * n;
        for (int32_t k = 0; k < B->rank; k++) { /* once more: what is left is exact enough then */
            long double c = dot(n, r, B->e + (int64_t)k * n);
            for (int32_t j = 0; j < n && c != 0.0L; j++) r[j] -= c * B->e[(int64_t)k * n + j];
        }
        long double length = sqrtl(dot(n, r, r)), part = length * length / all[next];
        if (part < B->least) B->least = part;
        for (int32_t j = 0; j < n; j++) e[j] = r[j] / length;
        left[next] = -1.0L;
        take_away(n, m, e, rest, left);
        for (int32_t k = 0; k <= B->rank; k++)
            B->R[(int64_t)B->rank * m + k] = dot(n, g, B->e + (int64_t)k * n);
        B->row[B->rank] = next;
    }
    free(rest), free(left), free(all);
}

static double largest(int32_t n, const long double *x)
{
    double all = 0.0;
    for (int32_t k = 0; k < n; k++) all = fmax(all, (double)fabsl(x[k]));
    return all;
}

static double contradiction(const wide_system *o, const bool *takes, const long double *b,
                            const long double *z, double scale)
{
    double worst = 0.0;
    for (int32_t i = 0; i < o->m; i++) {
        long double sum = -b[i], size = fabsl(b[i]);
        for (int32_t k = 0; k < o->n; k++) {
            sum += o->A[(int64_t)i * o->n + k] * z[k];
            size += fabsl(o->A[(int64_t)i * o->n + k]) * (long double)scale;
        }
        if ((!takes || takes[i]) && size > 0.0L) worst = fmax(worst, (double)(fabsl(sum) / size));
    }
    return worst;
}

/* With y = U^T z: G y = b, y = U^-1 Q + G^T lambda. R (c) = b - G U^-1 Q gives G^T lambda = sum c_k
 * e_k, and R^T lambda = c the multipliers. */
wide_answer wide_solve(const wide_system *o, const bool *takes, const long double *Q,
                       const long double *b, long double *z, long double *lambda, long double *push)
{
    int32_t n = o->n, m = o->m;
    basis B = {.G = reals((int64_t)m * n), .e = reals((int64_t)m * n), .R = reals((int64_t)m * m)};
    long double *y = reals(n), *c = reals(m);
    B.row = calloc((size_t)m + 1, sizeof *B.row);
    if (!B.row) abort();
    orthogonalise(o, takes, &B);
    if (Q) memcpy(y, Q, sizeof *y * (size_t)n);
    forward(n, o->U, y);
    memcpy(z, y, sizeof *z * (size_t)n);
    backward(n, o->U, z);
    wide_answer answer = {.rank = B.rank, .scale = largest(n, z)};
    for (int32_t k = 0; k < B.rank; k++) {
        c[k] = b[B.row[k]] - dot(n, B.G + (int64_t)B.row[k] * n, y);
        for (int32_t j = 0; j < k; j++) c[k] -= B.R[(int64_t)k * m + j] * c[j];
        c[k] /= B.R[(int64_t)k * m + k];
    }
    memset(z, 0, sizeof *z * (size_t)n);
    for (int32_t k = 0; k < B.rank; k++)
        for (int32_t j = 0; j < n; j++) z[j] += c[k] * B.e[(int64_t)k * n + j];
    for (int32_t j = 0; j < n; j++) y[j] += z[j];
    backward(n, o->U, z);
    answer.scale = fmax(answer.scale, largest(n, z));
    memcpy(z, y, sizeof *z * (size_t)n);
    backward(n, o->U, z);
    memset(lambda, 0, sizeof *lambda * (size_t)m);
    for (int32_t k = B.rank - 1; k >= 0; k--) {
        c[k] /= B.R[(int64_t)k * m + k];
        for (int32_t j = 0; j < k; j++) c[j] -= B.R[(int64_t)k * m + j] * c[k];
        lambda[B.row[k]] = c[k];
    }
    for (int32_t j = 0; j < n; j++) push[j] = 0.0L;
    for (int32_t i = 0; i < m; i++)
        for (int32_t j = 0; j < n; j++) push[j] += o->A[(int64_t)i * n + j] * lambda[i];
    answer.condition = (double)(1.0L / B.least);
    answer.contradiction = contradiction(o, takes, b, z, answer.scale);
    free(B.G), free(B.e), free(B.R), free(B.row), free(y), free(c);
    return answer;
}
