/*
 * The dense kernels: every variant this processor can run gives the same bits as the plain
 * one, on every size around the block widths; the factors reproduce their matrices; rank is
 * that of the construction.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linalg.h"

static uint64_t state;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(state >> 11) / 9007199254740992.0 - 0.5;
}

static double *doubles(size_t count)
{
    size_t bytes = (count * sizeof(double) + 127) & ~(size_t)63;
    double *x = aligned_alloc(ZA_ALIGN, bytes);
    assert_non_null(x);
    memset(x, 0, bytes);
    return x;
}

/* A positive definite matrix in padded storage, 1 on the diagonal of its padding. */
static double *positive(int32_t n)
{
    size_t ld = (size_t)za_pad8(n);
    double *X = doubles((size_t)za_pad4(n) * ld), *g = doubles((size_t)n * (size_t)n);
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++) g[i] = uniform();
    for (size_t i = 0; i < (size_t)n; i++)
        for (size_t j = 0; j < (size_t)n; j++) {
            double s = i == j ? 0.1 : 0.0;
            for (size_t k = 0; k < (size_t)n; k++) s += g[i * (size_t)n + k] * g[j * (size_t)n + k];
            X[i * ld + j] = s;
        }
    for (size_t i = (size_t)n; i < (size_t)za_pad4(n); i++) X[i * ld + i] = 1.0;
    free(g);
    return X;
}

/* n x m, of rank r, rows of G over 4 decades of scale. */
static double *rectangle(int32_t n, int32_t m, int32_t r)
{
    size_t ld = (size_t)za_pad8(m);
    double *X = doubles((size_t)za_pad4(n) * ld), *f = doubles((size_t)m * (size_t)m);
    for (size_t j = 0; j < (size_t)m; j++)
        for (size_t k = 0; k < (size_t)r; k++)
            f[j * (size_t)m + k] = j < (size_t)r ? (j == k) : floor(6.0 * uniform());
    double scale[512];
    for (size_t j = 0; j < (size_t)m; j++) scale[j] = pow(2.0, floor(16.0 * uniform()));
    for (size_t i = 0; i < (size_t)n; i++) {
        double g[512];
        for (size_t k = 0; k < (size_t)r; k++) g[k] = floor(4096.0 * uniform()) / 4096.0;
        for (size_t j = 0; j < (size_t)m; j++) {
            double s = 0.0;
            for (size_t k = 0; k < (size_t)r; k++) s += f[j * (size_t)m + k] * g[k];
            X[i * ld + j] = s * scale[j];
        }
    }
    free(f);
    return X;
}

typedef struct cod_memory {
    za_cod f;
    double *nu, *null, *work;
} cod_memory;

static cod_memory make_cod(int32_t n, int32_t m, const double *G)
{
    cod_memory c = {.f = {.n = n, .m = m, .ldg = za_pad8(m), .ldv = za_pad8(n), .limit = m}};
    size_t ldg = (size_t)c.f.ldg, most = (size_t)(n < m ? n : m);
    c.f.G = doubles((size_t)za_pad4(n) * ldg);
    memcpy(c.f.G, G, sizeof(double) * (size_t)za_pad4(n) * ldg);
    c.f.V = doubles((most + 1) * (size_t)c.f.ldv);
    c.f.tau = doubles(most + 8);
    c.f.zeta = doubles(most + 8);
    c.f.norm2 = doubles(ldg);
    c.f.reference2 = doubles(ldg);
    c.f.scale2 = doubles(ldg);
    c.f.pivot = calloc(ldg + 1, sizeof(int32_t));
    c.nu = doubles(ldg);
    c.null = doubles(ldg);
    c.work = doubles(2 * (ldg + (size_t)c.f.ldv));
    return c;
}

static void free_cod(cod_memory *c)
{
    free(c->f.G), free(c->f.V), free(c->f.tau), free(c->f.zeta), free(c->f.norm2);
    free(c->f.reference2), free(c->f.scale2), free(c->f.pivot);
    free(c->nu), free(c->null), free(c->work);
}

static const int32_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 16, 17, 23, 24, 31, 33, 64, 101};
enum { size_count = sizeof sizes / sizeof *sizes };

static void cholesky_reproduces(void **unused)
{
    (void)unused;
    int32_t count;
    const za_kernels *const *all = za_kernels_all(&count);
    for (int s = 0; s < size_count; s++) {
        int32_t n = sizes[s], ld = za_pad8(n);
        double *X = positive(n), *first = NULL;
        size_t total = (size_t)za_pad4(n) * (size_t)ld;
        for (int32_t v = 0; v < count; v++) {
            double *U = doubles(total), *inverse = doubles((size_t)ld), *x = doubles((size_t)ld);
            memcpy(U, X, sizeof(double) * total);
            assert_int_equal(all[v]->cholesky(n, ld, 1e-14, U, inverse), -1);
            for (int32_t i = 0; i < n; i++)
                for (int32_t j = i; j < n; j++) {
                    double sum = 0.0;
                    for (int32_t k = 0; k <= i; k++) sum += U[k * ld + i] * U[k * ld + j];
                    assert_true(fabs(sum - X[i * ld + j]) < 1e-13 * (1.0 + n));
                }
            /* U^-1 U^-T X e = e */
            for (int32_t i = 0; i < n; i++)
                for (int32_t j = 0; j < n; j++) x[i] += X[i * ld + j];
            all[v]->lower_solve(n, ld, U, inverse, x);
            all[v]->upper_solve(n, ld, U, inverse, x);
            for (int32_t i = 0; i < n; i++) assert_true(fabs(x[i] - 1.0) < 1e-10);
            if (!first) {
                first = U;
            } else {
                for (int32_t i = 0; i < n; i++)
                    assert_memory_equal(U + i * ld + i, first + i * ld + i,
                                        sizeof(double) * (size_t)(n - i));
                free(U);
            }
            free(inverse), free(x);
        }
        free(first), free(X);
    }
}

static void bad_pivot_is_found(void **unused)
{
    (void)unused;
    int32_t count;
    const za_kernels *const *all = za_kernels_all(&count);
    for (int32_t v = 0; v < count; v++)
        for (int s = 0; s < size_count; s++) {
            int32_t n = sizes[s], ld = za_pad8(n), at = n / 2;
            double *X = positive(n), *inverse = doubles((size_t)ld);
            X[at * ld + at] = s % 2 ? -1.0 : (double)NAN;
            assert_int_equal(all[v]->cholesky(n, ld, 1e-14, X, inverse), at);
            free(X), free(inverse);
        }
}

/* G^T s = c in the least-squares sense, s = t + G nu, null orthogonal to what is reachable. */
static void check_solution(const double *G, const cod_memory *m, const double *c, const double *t,
                           const double *s, double scale)
{
    const za_cod *f = &m->f;
    for (int32_t i = 0; i < f->n; i++) {
        double moved = t[i], normal = 0.0;
        for (int32_t j = 0; j < f->m; j++) {
            moved += G[i * f->ldg + j] * m->nu[j];
            normal += G[i * f->ldg + j] * m->null[j];
        }
        assert_true(fabs(moved - s[i]) < 1e-9 * scale);
        assert_true(fabs(normal) < 1e-9 * scale);
    }
    for (int32_t j = 0; j < f->m; j++) {
        double r = c[j] - m->null[j];
        for (int32_t i = 0; i < f->n; i++) r -= G[i * f->ldg + j] * s[i];
        assert_true(fabs(r) < 1e-9 * scale);
    }
}

static void cod_solves_and_variants_agree(void **unused)
{
    (void)unused;
    int32_t count;
    const za_kernels *const *all = za_kernels_all(&count);
    for (int s = 0; s < size_count; s++) {
        for (int q = 0; q < size_count; q++) {
            int32_t n = sizes[s], m = sizes[q], r = n < m ? n : m;
            if (q % 3 != 0) r = (r + 1) / 2;
            double *G = rectangle(n, m, r), *c = doubles((size_t)za_pad8(m));
            double *t = doubles((size_t)za_pad8(n)), *first = NULL;
            for (int32_t j = 0; j < m; j++) c[j] = uniform();
            for (int32_t i = 0; i < n; i++) t[i] = uniform();
            for (int32_t v = 0; v < count; v++) {
                cod_memory x = make_cod(n, m, G);
                double *y = doubles((size_t)za_pad8(n));
                memcpy(y, t, sizeof(double) * (size_t)za_pad8(n));
                all[v]->cod->factor(&x.f, 1e-13);
                assert_true(x.f.in_range);
                assert_true(x.f.rank <= r);
                all[v]->cod->solve(&x.f, c, NULL, y, x.nu, x.null, x.work);
                double scale = 1.0;
                for (int32_t j = 0; j < m; j++) scale = fmax(scale, fabs(x.nu[j]));
                for (int32_t j = 0; j < m; j++) /* columns up to 2^8 */
                    scale = fmax(scale, 256.0 * fabs(x.nu[j]));
                check_solution(G, &x, c, t, y, scale);
                if (!first) {
                    first = y;
                } else {
                    assert_memory_equal(y, first, sizeof(double) * (size_t)n);
                    free(y);
                }
                free_cod(&x);
            }
            free(first), free(G), free(c), free(t);
        }
    }
}

/* A residual of rounding size is right to 1e-10 of itself, by every variant, to the bit. */
static void residuals_are_exact(void **unused)
{
    (void)unused;
    int32_t count;
    const za_kernels *const *all = za_kernels_all(&count);
    for (int s = 0; s < size_count; s++) {
        int32_t n = sizes[s], ld = za_pad8(n);
        double *X = doubles((size_t)za_pad4(n) * (size_t)ld), *x = doubles((size_t)ld);
        double *first = NULL;
        for (int32_t i = 0; i < n; i++) {
            x[i] = uniform() * pow(10.0, 8.0 * uniform());
            for (int32_t j = 0; j < n; j++) X[i * ld + j] = uniform() * pow(10.0, 8.0 * uniform());
        }
        for (int32_t v = 0; v < count; v++) {
            double *y = doubles((size_t)ld), *low = doubles((size_t)ld),
                   *size = doubles((size_t)ld);
            for (int32_t j = 0; j < n; j++)
                for (int32_t i = 0; i < n; i++) y[j] += x[i] * X[i * ld + j];
            double *start = doubles((size_t)ld);
            memcpy(start, y, sizeof(double) * (size_t)ld);
            all[v]->times_rows_exact(n, ld, X, x, y, low, size);
            for (int32_t j = 0; j < n; j++) {
                __float128 right = (__float128)start[j];
                for (int32_t i = 0; i < n; i++)
                    right -= (__float128)x[i] * (__float128)X[i * ld + j];
                double wanted = (double)right;
                assert_true(fabs(y[j] + low[j] - wanted) <=
                            1e-10 * fabs(wanted) + 1e-29 * n * size[j]);
            }
            for (int32_t j = 0; j < n; j++) y[j] += low[j];
            if (!first) {
                first = y;
            } else {
                assert_memory_equal(y, first, sizeof(double) * (size_t)n);
                free(y);
            }
            free(low), free(start), free(size);
        }
        free(first), free(X), free(x);
    }
}

/* Small systems: the Schur bound is never below the true condition number (from the SVD). */
static void small_bound_is_safe(void **unused)
{
    (void)unused;
    int32_t count;
    const za_kernels *const *all = za_kernels_all(&count);
    for (int trial = 0; trial < 400; trial++) {
        int32_t n = 1 + trial % 8, m = 1 + (trial / 8) % n;
        double *G = rectangle(n, m, m), S[64] __attribute__((aligned(64))), first[64];
        double nudge = pow(10.0, -5.0 * (uniform() + 0.5));
        for (int32_t i = 0; i < n && m > 1; i++)
            G[i * 8 + m - 1] = G[i * 8] + nudge * G[i * 8 + m - 1];
        double X[64], U[64], V[64], s[8], work[256], inverse[8] __attribute__((aligned(64)));
        for (int32_t j = 0; j < m; j++) {
            double length = 0.0;
            for (int32_t i = 0; i < n; i++) length += G[i * 8 + j] * G[i * 8 + j];
            for (int32_t i = 0; i < n; i++) X[j * n + i] = G[i * 8 + j] / sqrt(length);
        }
        bool zero = false;
        for (int32_t k = 0; k < m * n; k++) zero |= !isfinite(X[k]);
        if (!zero) {
            assert_int_equal(za_svd(m, n, X, U, s, V, work), ZW_OK);
            double truth = (s[0] / s[m - 1]) * (s[0] / s[m - 1]);
            for (int32_t v = 0; v < count; v++) {
                double bound = all[v]->small->schur(n, m, G, S, inverse);
                assert_true(!(bound < 0.999 * truth) || truth > 1e12); /* beyond: rounding */
                if (v == 0) memcpy(first, S, sizeof first);
                if (v > 0 && bound < 1e300)
                    assert_memory_equal(first, S, sizeof(double) * 8 * (size_t)m);
            }
        }
        free(G);
    }
}

/* A growing factor of n rows, with numbers that mean nothing where none is made yet. */
static za_growing make_growing(int32_t n, const int32_t *first)
{
    size_t ld = (size_t)za_pad4(n), size = (size_t)n * ld;
    za_growing f = {.ld = za_pad4(n), .lower = doubles(2 * size + 3 * ld)};
    f.upper = f.lower + size;
    f.row = f.upper + size;
    f.column = f.row + ld;
    f.pivots = f.column + ld;
    for (size_t j = 0; j < (size_t)n; j++)
        for (size_t i = j + 1; i < (size_t)n; i++)
            if ((int32_t)j >= first[i]) f.lower[j * ld + i] = f.upper[j * ld + i] = (double)NAN;
    return f;
}

/* X [n x n], 0 before `first` in rows and columns, joins f; symmetric: its upper triangle alone. */
static void grow(const za_kernels *k, za_growing *f, int32_t n, const int32_t *first,
                 const double *X, bool symmetric)
{
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = first[i]; j < i; j++) {
            f->row[j] = symmetric ? (double)NAN : X[i * n + j];
            f->column[j] = X[j * n + i];
        }
        double diagonal = X[i * n + i];
        double pivot = (symmetric ? k->join_symmetric : k->join)(f, first[i], i, diagonal);
        assert_true(pivot == f->pivots[i]);
    }
}

/* (L U)_ij, of a symmetric matrix with L^T = D^-1 U. */
static double grown_entry(const za_growing *f, int32_t i, int32_t j, bool symmetric)
{
    size_t ld = (size_t)f->ld;
    double sum = 0.0;
    for (int32_t k = 0; k <= i && k <= j; k++) {
        size_t at = (size_t)k * ld;
        double u = k == j ? f->pivots[k] : f->upper[at + (size_t)j];
        double l = k == i      ? 1.0
                   : symmetric ? f->upper[at + (size_t)i] / f->pivots[k]
                               : f->lower[at + (size_t)i];
        sum += l * u;
    }
    return sum;
}

/* Most entries are 0, as of rows that have few coordinates in common. */
static void growing_reproduces(void **ignored)
{
    (void)ignored;
    int32_t count;
    const za_kernels *const *all = za_kernels_all(&count);
    state = 5;
    for (int32_t n = 1; n <= 41; n++)
        for (int symmetric = 0; symmetric < 2; symmetric++) {
            double X[41 * 41] = {0};
            int32_t first[41];
            for (int32_t i = 0; i < n; i++) {
                first[i] = (int32_t)((uniform() + 0.5) * (i + 1));
                X[i * n + i] = 0.5 * n + 1.0;
                for (int32_t j = first[i]; j < i; j++) {
                    X[i * n + j] = uniform() < 0.1 ? uniform() : 0.0;
                    X[j * n + i] = symmetric ? X[i * n + j] : uniform() < 0.1 ? uniform() : 0.0;
                }
            }
            za_growing f = make_growing(n, first), g;
            grow(all[0], &f, n, first, X, symmetric);
            for (int32_t i = 0; i < n; i++)
                for (int32_t j = 0; j < n; j++)
                    assert_true(fabs(grown_entry(&f, i, j, symmetric) - X[i * n + j]) < 1e-13 * n);
            for (int32_t v = 1; v < count; v++) {
                g = make_growing(n, first);
                grow(all[v], &g, n, first, X, symmetric);
                size_t size = (size_t)n * (size_t)f.ld;
                assert_memory_equal(f.upper, g.upper, sizeof(double) * size);
                assert_memory_equal(f.pivots, g.pivots, sizeof(double) * (size_t)n);
                if (!symmetric) assert_memory_equal(f.lower, g.lower, sizeof(double) * size);
                free(g.lower);
            }
            free(f.lower);
        }
}

/* ---------------------------------------------------------------------------- sweeps */

/* Numbers of both signs, zeros, some equal to a bound; now and then one that is none. */
static double strange_number(int kind, double bound)
{
    double x = uniform();
    if (kind == 1) return (double)NAN;
    if (kind == 2) return -HUGE_VAL;
    return x < -0.4 ? bound : x < -0.3 ? -bound : x < -0.2 ? -0.0 : 3.0 * bound * x;
}

/* Every variant against loops that say what is meant, at every length and beginning. */
static void check_sweeps(const za_sweep_kernels *k, int32_t count, int kind)
{
    double x[40] = {0}, least[40] = {0}, low[40] = {0}, high[40] = {0}, y[40] = {0};
    bool numbers = true, finite = true;
    for (int32_t i = 0; i < count; i++) {
        least[i] = 0.5 + uniform();
        x[i] = y[i] = strange_number(i == count / 2 ? kind : 0, least[i]);
        low[i] = uniform();
        high[i] = low[i] + 0.1;
        numbers = numbers && !isnan(x[i]);
        finite = finite && isfinite(x[i]);
    }
    double from[40], to[40];
    memcpy(from, low, sizeof low);
    memcpy(to, high, sizeof high);
    assert_int_equal(k->widen_ranges(count, x, low, high), numbers);
    assert_int_equal(k->clear_small(count, least, y), finite);
    for (int32_t i = 0; i < count; i++) {
        if (!isnan(x[i]))
            assert_true(low[i] == fmin(from[i], x[i]) && high[i] == fmax(to[i], x[i]));
        if (isnan(x[i])) assert_true(low[i] == from[i] && high[i] == to[i] && isnan(y[i]));
        if (fabs(x[i]) <= least[i]) assert_true(y[i] == 0.0 && !signbit(y[i]));
        if (fabs(x[i]) > least[i]) assert_true(y[i] == x[i]);
    }
    k->drop_tiny(count, 0.6, x);
    for (int32_t i = 0; i < count; i++) assert_true(!(fabs(x[i]) < 0.6) || x[i] == 0.0);
    for (int32_t i = 0; i < count; i++)
        if (fabs(y[i]) >= 0.6) assert_true(x[i] == y[i]);
}

static void sweeps_do_as_they_say(void **user)
{
    int32_t count;
    const za_kernels *const *all = za_kernels_all(&count);
    (void)user;
    for (int32_t k = 0; k < count; k++)
        for (int32_t length = 0; length < 40; length++)
            for (int kind = 0; kind < 3; kind++) check_sweeps(all[k]->sweep, length, kind);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cholesky_reproduces),           cmocka_unit_test(bad_pivot_is_found),
        cmocka_unit_test(cod_solves_and_variants_agree), cmocka_unit_test(residuals_are_exact),
        cmocka_unit_test(small_bound_is_safe),           cmocka_unit_test(growing_reproduces),
        cmocka_unit_test(sweeps_do_as_they_say),
    };
    state = 7;
    return cmocka_run_group_tests_name("linalg kernels", tests, NULL, NULL);
}
