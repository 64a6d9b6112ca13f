/*
 * Symmetric definite matrices for tests: patterns that repeat and patterns that do not, in their
 * own or in any numbering, and answers by a plain dense elimination in long double.
 */
#ifndef TEST_MATRICES_H
#define TEST_MATRICES_H

#include "../../base/counting.h"

#include "matrix.h"

#define KIND_LIST(X)                                                                               \
    X(CHAIN)                                                                                       \
    X(LOOP)                                                                                        \
    X(LADDER)                                                                                      \
    X(CROSSED)                                                                                     \
    X(TREE)                                                                                        \
    X(COMB)                                                                                        \
    X(BAND)                                                                                        \
    X(CHAINS)                                                                                      \
    X(COPIES)                                                                                      \
    X(GRID)                                                                                        \
    X(RANDOM)                                                                                      \
    X(PLANTED)                                                                                     \
    X(HUB)                                                                                         \
    X(DIAGONAL)

typedef enum kind {
#define KIND_ENUM(name) name,
    KIND_LIST(KIND_ENUM)
#undef KIND_ENUM
        KIND_COUNT
} kind;

typedef struct matrix {
    za_symmetric x;
    int32_t *start, *index;
    double *values, *right;
    int32_t edges, room;
    int32_t (*edge)[2]; /* larger, smaller */
    uint64_t seed;
} matrix;

static inline double uniform(matrix *m)
{
    m->seed += UINT64_C(0x9e3779b97f4a7c15);
    return (double)(zb_hash_scramble(m->seed) >> 11) * 0x1p-53;
}

static inline int32_t below(matrix *m, int32_t most)
{
    return (int32_t)(uniform(m) * most);
}

static inline void join(matrix *m, int32_t a, int32_t b)
{
    if (a == b) return;
    if (m->edges == m->room) {
        m->room = 2 * m->room + 16;
        m->edge = test_realloc(m->edge, (size_t)m->room * sizeof *m->edge);
    }
    m->edge[m->edges][0] = a > b ? a : b;
    m->edge[m->edges++][1] = a > b ? b : a;
}

/* Some rows and how they hang together, again and again, joined by a chain through a few others. */
static inline void join_planted(matrix *m, int32_t n)
{
    int32_t motif[12][2];
    for (int32_t k = 0; k < 12; k++) {
        motif[k][0] = below(m, 9);
        motif[k][1] = below(m, 9);
    }
    for (int32_t at = 0; at + 10 <= n; at += 10) {
        for (int32_t k = 0; k < 12; k++) join(m, at + motif[k][0], at + motif[k][1]);
        for (int32_t k = 1; k < 9; k++) join(m, at + k, at + k - 1);
        join(m, at + 9, at + 8);
        if (at > 0) join(m, at, at - 1);
    }
}

static inline void join_rows(matrix *m, kind what, int32_t n)
{
    int32_t side = 1;
    while ((side + 1) * (side + 1) <= n) side++;
    for (int32_t i = 1; i < n; i++) {
        bool even = i % 2 == 0;
        switch (what) {
        case CHAIN:
            join(m, i, i - 1);
            break;
        case LOOP:
            join(m, i, (i + 1) % n), join(m, i, i - 1);
            break;
        case LADDER:
            if (!even) join(m, i, i - 1);
            if (i >= 2) join(m, i, i - 2);
            break;
        case CROSSED:
            if (!even) join(m, i, i - 1);
            if (i >= 2) join(m, i, i - 2), join(m, i, even ? i - 1 : i - 3);
            break;
        case TREE:
            join(m, i, (i - 1) / 2);
            break;
        case COMB:
            join(m, i, i % 4 == 0 ? i - 4 : i - 1);
            break;
        case BAND:
            for (int32_t d = 1; d <= 3 && d <= i; d++) join(m, i, i - d);
            break;
        case CHAINS:
            if (i % 100 != 0) join(m, i, i - 1);
            break;
        case COPIES:
            if (i % 7 != 0) join(m, i, i - 1);
            if (i % 7 == 6) join(m, i, i - 6), join(m, i, i - 3);
            break;
        case GRID:
            if (i % side != 0) join(m, i, i - 1);
            if (i >= side) join(m, i, i - side);
            break;
        case RANDOM:
            join(m, i, below(m, i)), join(m, i, below(m, i));
            break;
        case HUB:
            join(m, i, i - 1);
            if (i % 16 == 5) join(m, i, 0);
            break;
        default:
            break;
        }
    }
    if (what == PLANTED) join_planted(m, n);
}

static inline int by_rows(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;
    if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
    return x[1] < y[1] ? -1 : x[1] > y[1];
}

static inline void scramble(matrix *m, int32_t n)
{
    int32_t *name = test_malloc((size_t)(n + 1) * sizeof *name);
    for (int32_t i = 0; i < n; i++) name[i] = i;
    for (int32_t i = n - 1; i > 0; i--) {
        int32_t j = below(m, i + 1), other = name[i];
        name[i] = name[j];
        name[j] = other;
    }
    for (int32_t e = 0; e < m->edges; e++) {
        int32_t a = name[m->edge[e][0]], b = name[m->edge[e][1]];
        m->edge[e][0] = a > b ? a : b;
        m->edge[e][1] = a > b ? b : a;
    }
    test_free(name);
}

/* Rows of edges, each once, and the diagonal. */
static inline void build_pattern(matrix *m, int32_t n)
{
    int32_t e = 0, at = 0;
    qsort(m->edge, (size_t)m->edges, sizeof *m->edge, by_rows);
    m->start = test_malloc((size_t)(n + 1) * sizeof *m->start);
    m->index = test_malloc((size_t)(n + m->edges + 1) * sizeof *m->index);
    for (int32_t i = 0; i < n; i++) {
        m->start[i] = at;
        for (; e < m->edges && m->edge[e][0] == i; e++)
            if (at == m->start[i] || m->index[at - 1] != m->edge[e][1])
                m->index[at++] = m->edge[e][1];
        m->index[at++] = i;
    }
    m->start[n] = at;
    m->x = (za_symmetric){.n = n, .start = m->start, .index = m->index};
}

static inline int32_t diagonal(const matrix *m, int32_t row)
{
    return m->start[row + 1] - 1;
}

/* Entries of both signs and different sizes; the diagonal a little more than their sum. */
static inline void draw_values(matrix *m)
{
    int32_t n = m->x.n;
    for (int32_t i = 0; i < n; i++) m->values[diagonal(m, i)] = 0.05 + uniform(m);
    for (int32_t i = 0; i < n; i++) {
        m->right[i] = 2.0 * uniform(m) - 1.0;
        for (int32_t p = m->start[i]; p < diagonal(m, i); p++) {
            double value = 2.0 * uniform(m) - 1.0, size = value < 0.0 ? -value : value;
            m->values[p] = value;
            m->values[diagonal(m, i)] += size;
            m->values[diagonal(m, m->index[p])] += size;
        }
    }
}

static inline matrix make_matrix(kind what, int32_t n, bool scrambled)
{
    matrix m = {.seed = 1000u * (uint64_t)what + (uint64_t)n};
    m.edge = test_malloc(sizeof *m.edge);
    m.room = 1;
    join_rows(&m, what, n);
    if (scrambled) scramble(&m, n);
    build_pattern(&m, n);
    m.values = test_malloc((size_t)(m.start[n] + 1) * sizeof *m.values);
    m.right = test_malloc((size_t)(n + 1) * sizeof *m.right);
    draw_values(&m);
    return m;
}

static inline void free_matrix(matrix *m)
{
    test_free(m->edge);
    test_free(m->start);
    test_free(m->index);
    test_free(m->values);
    test_free(m->right);
}

/* ------------------------------------------------------------------------- dense */

/* X = L D L^T, dense, long double. */
typedef struct dense {
    int32_t n;
    long double *L; /* [n * n] D on the diagonal */
} dense;

static inline dense dense_factor(const matrix *m)
{
    int32_t n = m->x.n;
    dense d = {.n = n, .L = test_calloc((size_t)n * (size_t)n + 1, sizeof *d.L)};
    for (int32_t i = 0; i < n; i++) {
        long double *row = d.L + (size_t)i * (size_t)n;
        for (int32_t p = m->start[i]; p < m->start[i + 1]; p++)
            row[m->index[p]] = (long double)m->values[p];
        int32_t first = m->index[m->start[i]]; /* left of it nothing ever appears */
        for (int32_t j = first; j < i; j++) {
            const long double *other = d.L + (size_t)j * (size_t)n;
            for (int32_t k = first; k < j; k++) row[j] -= row[k] * other[k];
        }
        for (int32_t j = first; j < i; j++) {
            long double scaled = row[j] / d.L[(size_t)j * (size_t)n + (size_t)j];
            row[i] -= scaled * row[j];
            row[j] = scaled;
        }
    }
    return d;
}

static inline void dense_solve(const dense *d, const double *b, long double *x)
{
    size_t n = (size_t)d->n;
    for (size_t i = 0; i < n; i++) {
        x[i] = (long double)b[i];
        for (size_t j = 0; j < i; j++) x[i] -= d->L[i * n + j] * x[j];
    }
    for (size_t i = 0; i < n; i++) x[i] /= d->L[i * n + i];
    for (size_t i = n; i-- > 0;)
        for (size_t j = 0; j < i; j++) x[j] -= d->L[i * n + j] * x[i];
}

/* The largest entry of b - X x, long double sums. */
static inline double residual(const matrix *m, const double *b, const double *x)
{
    int32_t n = m->x.n;
    long double *r = test_malloc((size_t)(n + 1) * sizeof *r), most = 0.0L;
    for (int32_t i = 0; i < n; i++) r[i] = (long double)b[i];
    for (int32_t i = 0; i < n; i++) {
        for (int32_t p = m->start[i]; p < m->start[i + 1]; p++) {
            int32_t j = m->index[p];
            r[i] -= (long double)m->values[p] * (long double)x[j];
            if (j != i) r[j] -= (long double)m->values[p] * (long double)x[i];
        }
    }
    for (int32_t i = 0; i < n; i++) {
        long double size = r[i] < 0.0L ? -r[i] : r[i];
        if (!(size <= most)) most = size;
    }
    test_free(r);
    return (double)most;
}

#endif
