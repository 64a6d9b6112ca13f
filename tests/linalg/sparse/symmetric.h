/*
 * Sparse symmetric matrices for tests: of every kind for which no pivot vanishes, over patterns of
 * every shape, rows mixed up, with an order to eliminate them in.
 */
#ifndef SYMMETRIC_H
#define SYMMETRIC_H

#include <math.h>

#include "../../base/counting.h"

#include "linalg.h"

static uint64_t state = 1;

static inline double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(state >> 11) / 9007199254740992.0;
}

static inline int32_t below(int32_t n)
{
    return (int32_t)(uniform() * n);
}

static inline void *zeroed(int64_t count, size_t size)
{
    void *x = calloc((size_t)count + 1, size);
    assert_non_null(x);
    return x;
}

/* -------------------------------------------------------------------- matrices */

typedef struct matrix {
    int32_t n;
    za_symmetric pattern;
    int32_t *start, *index;
    double *values;
    double *dense;    /* [n * n] both triangles; NULL for large ones */
    int32_t *order;   /* [n] */
    int64_t negative; /* eigenvalues below 0, as constructed; -1: not known */
} matrix;

static inline void free_matrix(matrix *x)
{
    free(x->start), free(x->index), free(x->values), free(x->dense), free(x->order);
}

static inline double *entry(const matrix *x, int32_t i, int32_t j)
{
    return &x->dense[(int64_t)i * x->n + j];
}

enum pattern { SPARSE, BAND, ARROW, REVERSE_ARROW, LATTICE, BLOCKS, APART, DENSE, PATTERNS };

static inline bool connected(enum pattern pattern, int32_t n, int32_t i, int32_t j)
{
    int32_t width = (int32_t)sqrt((double)n) + 1, d = i - j; /* i > j */
    switch (pattern) {
    case SPARSE:
        return uniform() < 2.5 / n;
    case BAND:
        return d <= 4 && uniform() < 0.8;
    case ARROW:
        return i >= n - 3;
    case REVERSE_ARROW:
        return j < 2;
    case LATTICE:
        return d == width || (d == 1 && i % width != 0) || (d == width + 1);
    case BLOCKS:
        return i / 7 == j / 7 || (i % 7 == 0 && d <= 7);
    case APART:
        return i % 3 == j % 3 && d <= 6 && uniform() < 0.5;
    default:
        return true;
    }
}

enum kind { DEFINITE, DOMINANT, QUASIDEFINITE, PRODUCT, KINDS };

/* Off-diagonal entries of a pattern; coupling: how much larger those between the two signs are. */
static inline void fill(matrix *x, enum pattern pattern, const double *sign, double coupling)
{
    for (int32_t i = 0; i < x->n; i++)
        for (int32_t j = 0; j < i; j++)
            if (connected(pattern, x->n, i, j))
                *entry(x, i, j) = *entry(x, j, i) =
                    (uniform() - 0.5) * (sign[i] != sign[j] ? coupling : 1.0);
}

/* Diagonals that dominate the entries between equal signs: the number of negative eigenvalues is
 * that of negative signs, and no pivot vanishes in any order. */
static inline void dominate(matrix *x, const double *sign, bool across)
{
    x->negative = 0;
    for (int32_t i = 0; i < x->n; i++) {
        double sum = 0.1;
        for (int32_t j = 0; j < x->n; j++)
            if (j != i && (across || sign[i] == sign[j])) sum += fabs(*entry(x, i, j));
        *entry(x, i, i) = sign[i] * sum * (1.0 + uniform());
        x->negative += sign[i] < 0.0;
    }
}

/* X = L D L^T from a unit triangle of the pattern; the order is then the natural one. */
static inline void multiply_out(matrix *x, const double *sign)
{
    int32_t n = x->n;
    double *L = zeroed((int64_t)n * n, sizeof *L), *D = zeroed(n, sizeof *D);
    x->negative = 0;
    for (int32_t i = 0; i < n; i++) {
        x->negative += sign[i] < 0.0;
        D[i] = sign[i] * (0.5 + uniform());
        for (int32_t j = 0; j < i; j++) L[i * n + j] = *entry(x, i, j);
        L[i * n + i] = 1.0;
    }
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j <= i; j++) {
            double sum = 0.0;
            for (int32_t k = 0; k <= j; k++) sum += L[i * n + k] * D[k] * L[j * n + k];
            *entry(x, i, j) = *entry(x, j, i) = sum;
        }
    free(L), free(D);
}

/* The pattern from what is not 0. */
static inline void compress(matrix *x)
{
    int32_t n = x->n, count = 0;
    x->start = zeroed((int64_t)n + 1, sizeof *x->start);
    x->index = zeroed((int64_t)n * n, sizeof *x->index);
    x->values = zeroed((int64_t)n * n, sizeof *x->values);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j <= i; j++) {
            if (j < i && *entry(x, i, j) == 0.0) continue;
            x->values[count] = *entry(x, i, j);
            x->index[count++] = j;
        }
        x->start[i + 1] = count;
    }
    x->pattern = (za_symmetric){n, x->start, x->index};
}

static inline void shuffle(int32_t n, int32_t *order)
{
    for (int32_t i = 0; i < n; i++) order[i] = i;
    for (int32_t i = n - 1; i > 0; i--) {
        int32_t j = below(i + 1), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
}

/* Rows and columns mixed up; the order undoes it. */
static inline void mix(matrix *x)
{
    int32_t n = x->n;
    double *mixed = zeroed((int64_t)n * n, sizeof *mixed);
    shuffle(n, x->order);
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++)
            mixed[(int64_t)x->order[i] * n + x->order[j]] = *entry(x, i, j);
    free(x->dense);
    x->dense = mixed;
}

static inline matrix make(int32_t n, enum pattern pattern, enum kind kind)
{
    matrix x = {.n = n, .dense = zeroed((int64_t)n * n, sizeof(double))};
    double *sign = zeroed(n, sizeof *sign);
    x.order = zeroed(n, sizeof *x.order);
    for (int32_t i = 0; i < n; i++) sign[i] = kind != DEFINITE && uniform() < 0.4 ? -1.0 : 1.0;
    fill(&x, pattern, sign, kind == QUASIDEFINITE ? 6.0 : 1.0);
    if (kind == PRODUCT)
        multiply_out(&x, sign);
    else
        dominate(&x, sign, kind == DOMINANT);
    mix(&x);
    if (kind != PRODUCT && uniform() < 0.5) shuffle(n, x.order);
    compress(&x);
    free(sign);
    return x;
}

#endif
