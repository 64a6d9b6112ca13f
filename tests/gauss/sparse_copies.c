/*
 * sparse_copies.c: dense copies of a sparse problem, and ranks by elimination modulo a prime.
 *
 * Every double is an integer times a power of two, hence a residue; a rank modulo p is never above
 * the true one, and below it only when p divides the minors that decide.
 */
#include "sparse_problems.h"

#include <math.h>
#include <stdlib.h>

static void *room(size_t count, size_t size)
{
    void *block = calloc(count + 1, size);
    if (block == NULL) abort();
    return block;
}

/* --------------------------------------------------------- ranks modulo a prime */

static const uint64_t prime = 2147483629; /* the largest but one below 2^31 */

static uint64_t power(uint64_t x, uint64_t e)
{
    uint64_t y = 1;
    for (; e > 0; e >>= 1, x = x * x % prime)
        if (e & 1) y = y * x % prime;
    return y;
}

static uint64_t residue(double x)
{
    int e = 0;
    int64_t whole = (int64_t)ldexp(frexp(x, &e), 53);
    int64_t r = whole % (int64_t)prime;
    uint64_t two =
        e >= 53 ? power(2, (uint64_t)(e - 53)) : power((prime + 1) / 2, (uint64_t)(53 - e));
    return (uint64_t)(r < 0 ? r + (int64_t)prime : r) * two % prime;
}

static int32_t rank_of(uint64_t *X, int32_t rows, int32_t columns)
{
    int32_t rank = 0;
    for (int32_t c = 0; c < columns && rank < rows; c++) {
        int32_t pivot = rank;
        while (pivot < rows && X[pivot * columns + c] == 0) pivot++;
        if (pivot == rows) continue;
        for (int32_t k = c; k < columns && pivot != rank; k++) {
            uint64_t kept = X[pivot * columns + k];
            X[pivot * columns + k] = X[rank * columns + k];
            X[rank * columns + k] = kept;
        }
        uint64_t inverse = power(X[rank * columns + c], prime - 2);
        for (int32_t i = rank + 1; i < rows; i++) {
            uint64_t factor = prime - X[i * columns + c] * inverse % prime;
            if (factor == prime) continue;
            for (int32_t k = c; k < columns; k++)
                X[i * columns + k] = (X[i * columns + k] + factor * X[rank * columns + k]) % prime;
        }
        rank++;
    }
    return rank;
}

int32_t net_rank(const sparse_problem *p, bool of_mass, bool of_rows)
{
    int32_t n = p->is.n, m = of_rows ? p->is.m : 0, rows = m + (of_mass ? n : 0);
    double *A = net_dense_rows(p), *M = net_dense_mass(p);
    uint64_t *X = room((size_t)rows * (size_t)n, sizeof *X);
    for (int32_t k = 0; k < rows * n; k++) {
        double x = k < m * n ? A[k] : M[k - m * n];
        X[k] = x < 0.0 || x > 0.0 ? residue(x) : 0;
    }
    int32_t rank = rank_of(X, rows, n);
    free(X);
    free(A);
    free(M);
    return rank;
}

/* --------------------------------------------------------------- dense copies */

static double *dense(const zg_pattern *p, const double *values, bool symmetric)
{
    double *X = room((size_t)p->rows * (size_t)p->columns, sizeof *X);
    for (int32_t i = 0; i < p->rows; i++) {
        for (int32_t k = p->start[i]; k < p->start[i + 1]; k++) {
            X[i * p->columns + p->column[k]] = values[k];
            if (symmetric) X[p->column[k] * p->columns + i] = values[k];
        }
    }
    return X;
}

double *net_dense_mass(const sparse_problem *p)
{
    return dense(&p->is.M, p->values.M, true);
}

double *net_dense_rows(const sparse_problem *p)
{
    return dense(&p->is.A, p->values.A, false);
}

double *net_dense_weight(const sparse_problem *p)
{
    int32_t m = p->is.m;
    if (p->is.W.rows > 0) return dense(&p->is.W, p->values.W, false);
    double *W = room((size_t)m * (size_t)m, sizeof *W);
    for (int32_t i = 0; i < m; i++) W[i * m + i] = 1.0;
    return W;
}
