/*
 * form_tasks.c: systems are made dense, with zeros, and turned into patterns; dense they are also
 * solved in long double, as
 *
 *     [M -A^T; W A  mu] (dz, dl) = (r1, W r2),
 *
 * which needs no inverse of W.
 */
#include "form_tasks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* ------------------------------------------------------------------- random numbers */

static uint64_t seed;

double any(void) /* -1 .. 1 */
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(seed >> 11) * 0x1p-52 - 1.0;
}

int32_t below(int32_t count)
{
    return (int32_t)((any() * 0.5 + 0.5) * count) % count;
}

/* X += F^T F with F of few entries each row, among `width` neighbours: sparse and definite. */
static void add_squares(double *X, int32_t n, int32_t squares, int32_t width)
{
    for (int32_t s = 0; s < squares; s++) {
        int32_t at = below(n), i = at, j = at + below(width);
        if (j >= n) j = n - 1;
        double a = any(), b = any();
        X[i * n + i] += a * a;
        if (i == j) continue;
        X[j * n + j] += b * b;
        X[i * n + j] += a * b;
        X[j * n + i] += a * b;
    }
}

/* Blocks of three. */
static void add_blocks(double *X, int32_t n)
{
    for (int32_t from = 0; from < n; from += 3) {
        double u[3] = {any(), any(), any()};
        for (int32_t i = from; i < n && i < from + 3; i++)
            for (int32_t j = from; j < n && j < from + 3; j++)
                X[i * n + j] += u[i - from] * u[j - from];
    }
}

static void make_mass(task *p, mass_kind kind)
{
    int32_t n = p->n;
    for (int32_t i = 0; i < n; i++) p->M[i * n + i] = 1.0 + 0.8 * any();
    if (kind == M_BLOCKS) add_blocks(p->M, n);
    if (kind == M_SPARSE) add_squares(p->M, n, 2 * n, 5);
    if (kind != M_SINGULAR) return;
    add_squares(p->M, n, n, 3);
    for (int32_t k = 0; k < n; k += 4) /* exactly: no mass */
        for (int32_t i = 0; i < n; i++) p->M[i * n + k] = p->M[k * n + i] = 0.0;
}

static void make_weight(task *p, weight_kind kind)
{
    int32_t m = p->m;
    for (int32_t i = 0; i < m; i++) p->W[i * m + i] = kind == W_ONE ? 1.0 : 1.5 + any();
    if (kind == W_BLOCKS) add_blocks(p->W, m);
    if (kind != W_GENERAL) return;
    for (int32_t i = 0; i + 1 < m; i++) /* all in one: no blocks */
        p->W[i * m + i + 1] = p->W[(i + 1) * m + i] = 0.2;
    add_squares(p->W, m, m / 4, m / 2);
}

static void make_rows(task *p, rows_kind kind)
{
    int32_t n = p->n;
    for (int32_t i = 0; i < p->m; i++) {
        double *row = p->A + i * n;
        int32_t entries = 1 + below(4);
        for (int32_t e = 0; e < entries; e++)
            row[below(n)] = 0.25 * (1 + below(12)) * (any() < 0 ? -1 : 1);
        bool repeat = kind != INDEPENDENT && i > 2 && below(3) == 0;
        for (int32_t j = 0; j < n && repeat; j++)
            row[j] = p->A[(i - 1) * n + j] - 2.0 * p->A[(i - 2) * n + j];
        if (kind == ZEROS && below(5) == 0) memset(row, 0, sizeof *row * (size_t)n);
    }
}

/* The entries that are not 0, and now and then one that is. */
static void take_pattern(const double *X, int32_t rows, int32_t columns, int part, int32_t *start,
                         int32_t *column, double *value, zg_pattern *pattern)
{
    int32_t count = 0;
    for (int32_t i = 0; i < rows; i++) {
        start[i] = count;
        for (int32_t j = part == 'u' ? i : 0; j < columns; j++) {
            bool diagonal = part == 'w' && i == j;
            if (X[i * columns + j] == 0.0 && !diagonal && (part == 'w' || below(40) != 0)) continue;
            column[count] = j;
            value[count++] = X[i * columns + j];
        }
    }
    start[rows] = count;
    *pattern = (zg_pattern){rows, columns, start, column};
}

static void take_patterns(task *p, bool weighted)
{
    p->is = (zg_structure){.n = p->n, .m = p->m};
    take_pattern(p->M, p->n, p->n, 'u', p->M_start, p->M_column, p->M_value, &p->is.M);
    take_pattern(p->A, p->m, p->n, 'a', p->A_start, p->A_column, p->A_value, &p->is.A);
    if (weighted)
        take_pattern(p->W, p->m, p->m, 'w', p->W_start, p->W_column, p->W_value, &p->is.W);
    p->x = (zg_numbers){
        .is = &p->is, .M = p->M_value, .A = p->A_value, .W = weighted ? p->W_value : NULL};
}

void task_make(task *p, uint64_t number, mass_kind mass, rows_kind rows, weight_kind weight)
{
    memset(p, 0, sizeof *p);
    seed = 77 + number * 1000003;
    any();
    p->n = 1 + below(N);
    p->m = rows == INDEPENDENT ? below(p->n) : rows == MANY ? R - below(R - 64) : below(SOME_ROWS);
    make_mass(p, mass);
    make_rows(p, rows);
    make_weight(p, weight);
    take_patterns(p, weight != W_ONE);
    for (int32_t j = 0; j < p->n; j++) p->r1[j] = any();
    for (int32_t i = 0; i < p->m; i++) p->r2[i] = any();
}

/* -------------------------------------------------------------------- long double */

bool eliminate(real *X, int32_t n, real *x)
{
    for (int32_t k = 0; k < n; k++) {
        int32_t best = k;
        for (int32_t i = k + 1; i < n; i++)
            if (fabsl(X[i * n + k]) > fabsl(X[best * n + k])) best = i;
        if (X[best * n + k] == 0.0L) return false;
        for (int32_t j = k; j < n && best != k; j++) {
            real t = X[k * n + j];
            X[k * n + j] = X[best * n + j];
            X[best * n + j] = t;
        }
        real t = x[k];
        x[k] = x[best];
        x[best] = t;
        for (int32_t i = k + 1; i < n; i++) {
            real f = X[i * n + k] / X[k * n + k];
            if (f == 0.0L) continue;
            for (int32_t j = k; j < n; j++) X[i * n + j] -= f * X[k * n + j];
            x[i] -= f * x[k];
        }
    }
    for (int32_t i = n - 1; i >= 0; i--) {
        for (int32_t j = i + 1; j < n; j++) x[i] -= X[i * n + j] * x[j];
        x[i] /= X[i * n + i];
    }
    return true;
}

bool solve_directly(const task *p, real mu, const double *r1, const double *r2, real *x)
{
    static real X[(N + R) * (N + R)];
    int32_t n = p->n, m = p->m, all = n + m;
    memset(X, 0, sizeof X);
    for (int32_t i = 0; i < n; i++) {
        x[i] = r1[i];
        for (int32_t j = 0; j < n; j++) X[i * all + j] = p->M[i * n + j];
        for (int32_t k = 0; k < m; k++) X[i * all + n + k] = -(real)p->A[k * n + i];
    }
    for (int32_t i = 0; i < m; i++) {
        x[n + i] = 0.0L;
        X[(n + i) * all + n + i] = mu;
        for (int32_t k = 0; k < m; k++) {
            real w = p->W[i * m + k];
            x[n + i] += w * r2[k];
            for (int32_t j = 0; j < n && w != 0.0L; j++)
                X[(n + i) * all + j] += w * p->A[k * n + j];
        }
    }
    return eliminate(X, all, x);
}

/* Jacobi's rotations. */
void eigenvalues(real *X, int32_t n, real *value)
{
    for (int sweep = 0; sweep < 30; sweep++) {
        for (int32_t p = 0; p < n; p++) {
            for (int32_t q = p + 1; q < n; q++) {
                real a = X[p * n + q];
                if (a == 0.0L) continue;
                real theta = (X[q * n + q] - X[p * n + p]) / (2.0L * a);
                real t =
                    (theta < 0.0L ? -1.0L : 1.0L) / (fabsl(theta) + sqrtl(theta * theta + 1.0L));
                real c = 1.0L / sqrtl(t * t + 1.0L), s = t * c;
                for (int32_t k = 0; k < n; k++) {
                    real u = X[k * n + p], v = X[k * n + q];
                    X[k * n + p] = c * u - s * v;
                    X[k * n + q] = s * u + c * v;
                }
                for (int32_t k = 0; k < n; k++) {
                    real u = X[p * n + k], v = X[q * n + k];
                    X[p * n + k] = c * u - s * v;
                    X[q * n + k] = s * u + c * v;
                }
            }
        }
    }
    for (int32_t i = 0; i < n; i++) value[i] = X[i * n + i];
}

void constraint_eigenvalues(const task *p, real floor, const double *scale, real *value)
{
    static real X[N * N], S[R * R];
    int32_t n = p->n, m = p->m;
    for (int32_t k = 0; k < m; k++) {
        real x[N];
        for (int32_t i = 0; i < n * n; i++) X[i] = p->M[i];
        for (int32_t i = 0; i < n; i++) X[i * n + i] += floor;
        for (int32_t i = 0; i < n; i++) x[i] = p->A[k * n + i];
        assert_true(eliminate(X, n, x));
        for (int32_t i = 0; i < m; i++) {
            real sum = 0.0L;
            for (int32_t j = 0; j < n; j++) sum += p->A[i * n + j] * x[j];
            S[i * m + k] = sum / sqrtl((real)scale[i] * scale[k]);
        }
    }
    eigenvalues(S, m, value);
}
