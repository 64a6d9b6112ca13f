/*
 * Velocities at the start: where their rows are linear the answer is one projection, the smallest
 * change in M, however redundant the rows and however singular M. Models of which it is known by
 * hand, and random ones against elimination in long double:
 *
 *     A v = c by Gauss-Jordan with complete pivots -> v = v0 + Z y,   Z^T M Z y = Z^T M (g - v0)
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- models by hand */

#define BARS(d, zero)                                                                              \
    "component L() { coord r[" d "], n[" d "]\n"                                                   \
    "kinetic dot(r', r')/2 + dot(n', n')/2\nconstraint unit: dot(n, n) = 1 }\n"                    \
    "part a = L()\npart b = L()\npart c = L()\n"                                                   \
    "constraint j0: a.r - a.n/2 = [0, 0" zero "]\n"                                                \
    "constraint j1: a.r + a.n/2 - b.r + b.n/2 = [0, 0" zero "]\n"                                  \
    "constraint j2: b.r + b.n/2 - c.r - c.n/2 = [0, 0" zero "]\n"                                  \
    "constraint j3: c.r - c.n/2 = [1, 0" zero "]\n"                                                \
    "start a.n = [0, 1" zero "], b.n = [1, 0" zero "], c.n = [0, 1" zero "]\n"                     \
    "start a.r = [0, 0.5" zero "], b.r = [0.5, 1" zero "], c.r = [1, 0.5" zero "]\n"               \
    "start a.n' = [1, 0" zero "]\n"

/* Three bars as a square: each of the many rows whose terms all vanish is rounding after a solve.
 * a.n' is given and stays; the others follow. */
static void square_of_bars(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, BARS("2", ""));
    assert_int_equal(bench_start(&b, false), ZW_OK);
    bench_near(b.v[2], 1.0, 0.0);
    bench_near(b.v[0], 0.5, 1e-15);
    bench_near(b.v[4], 1.0, 1e-15);
    bench_near(b.v[10], 1.0, 1e-15);
    assert_null(bench_message(&b, "W0411"));
    bench_expect(&b, "R0613", "were not given");
    bench_close(&b);
}

static void square_in_space(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, BARS("3", ", 0") "constraint pa: a.n[3] = 0\nconstraint pb: b.n[3] = 0\n"
                                    "constraint pc: c.n[3] = 0\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    bench_near(b.v[3], 1.0, 0.0);
    bench_near(b.v[5], 0.0, 1e-15);
    assert_null(bench_message(&b, "W0411"));
    bench_close(&b);
}

/* At th = pi the row -sin(th) th' = 0 is the rounding of pi and asks for nothing. */
static void a_row_of_rounding(void **state)
{
    (void)state;
    static const char *const ways[] = {"p' = [1, 0]\n", "(p[1]') = 1\nstart (p[2]') = 0\n"};
    for (int k = 0; k < 2; k++) {
        char text[200];
        bench b;
        snprintf(text, sizeof text,
                 "coord th, x\nlet p = [sin(th), cos(th)]\nkinetic dot(p', p')/2 + x'^2/2\n"
                 "start th = 3\nstart p = [0, -1]\nstart %sconstraint pull: x' = 2\n",
                 ways[k]);
        bench_open(&b, text);
        assert_int_equal(bench_start(&b, false), ZW_OK);
        bench_near(b.v[0], -1.0, 1e-15);
        bench_near(b.v[1], 2.0, 1e-15);
        bench_close(&b);
    }
}

static void a_given_velocity_stays_beside_a_row_of_rounding(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "coord th, x\nkinetic th'^2/2 + x'^2/2\nstart th = pi, th' = 1\n"
                   "start (sin(th)*th') = 0\nconstraint pull: x' = 2\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    bench_near(b.v[0], 1.0, 0.0);
    bench_near(b.v[1], 2.0, 1e-15);
    bench_close(&b);
}

/* A true contradiction is still one, also where something else is fast. */
static void small_contradictions_are_seen(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "coord x, y\nkinetic x'^2/2 + y'^2/2\nstart y' = 100\n"
                   "constraint a: x' = 1\nconstraint b: x' = 1 + 1e-7\n");
    assert_int_equal(bench_start(&b, false), ZW_ERR_START);
    bench_expect(&b, "E0402", "velocity conflict");
    bench_close(&b);
}

/* ---------------------------------------------------------------- random models */

enum { most_n = 7, most_m = 12 };

typedef struct level {
    int n, m;
    long double M[most_n][most_n], A[most_m][most_n], c[most_m];
    long double given[most_n];
    bool fixed[most_n];
    int kind[most_m]; /* 0 holonomic, 1 nonholonomic, 2 start equation */
    double wanted[most_n];
} level;

static uint64_t seed;

static int pick(int below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed >> 33) % (uint64_t)below);
}

/* Eighths between -2 and 2, many of them 0. */
static long double entry(void)
{
    return pick(3) == 0 ? 0.0L : (long double)(pick(33) - 16) / 8.0L;
}

static void add_row(level *l, const long double *target)
{
    long double size = pick(4) == 0 ? 1024.0L : 1.0L;
    int i = l->m++;
    for (int j = 0; j < l->n; j++) l->A[i][j] = size * entry();
    l->kind[i] = pick(3);
    for (int j = 0; j < l->n && i > 1 && pick(3) == 0; j++) /* follows from two others */
        l->A[i][j] = 2.0L * l->A[i - 1][j] - 0.5L * l->A[i - 2][j];
    bool zero = true;
    for (int j = 0; j < l->n; j++) zero = zero && l->A[i][j] == 0.0L;
    if (zero) l->A[i][0] = 1.0L;
    l->c[i] = 0.0L;
    for (int j = 0; j < l->n; j++) l->c[i] += l->A[i][j] * target[j];
}

/* A text with M = sum of k squares; rows that all hold at `target`. */
static void make(level *l, char *text, size_t size)
{
    long double target[most_n], term[most_n];
    *l = (level){.n = 2 + pick(most_n - 1)};
    int rows = 1 + pick(most_m), squares = l->n + 1 - pick(3);
    size_t at = (size_t)snprintf(text, size, "coord x[%d]\n", l->n);
    for (int k = 0; k < squares; k++) {
        at += (size_t)snprintf(text + at, size - at, "kinetic 0.5*(0");
        for (int j = 0; j < l->n; j++) {
            term[j] = entry() + (j == k ? 3.0L : 0.0L);
            at +=
                (size_t)snprintf(text + at, size - at, " + (%.17g)*x[%d]'", (double)term[j], j + 1);
        }
        at += (size_t)snprintf(text + at, size - at, ")^2\n");
        for (int i = 0; i < l->n; i++)
            for (int j = 0; j < l->n; j++) l->M[i][j] += term[i] * term[j];
    }
    for (int j = 0; j < l->n; j++) {
        target[j] = entry();
        l->fixed[j] = pick(6) == 0;
        l->given[j] = l->fixed[j] ? target[j] : entry();
        at += (size_t)snprintf(text + at, size - at, "start x[%d]' = %.17g%s\n", j + 1,
                               (double)l->given[j], l->fixed[j] ? " fixed" : "");
    }
    while (l->m < rows) add_row(l, target);
    for (int i = 0; i < l->m; i++) {
        at += (size_t)snprintf(text + at, size - at,
                               l->kind[i] == 2 ? "start (0" : "constraint c[%d]: 0", i + 1);
        for (int j = 0; j < l->n; j++)
            if (l->A[i][j] != 0.0L)
                at += (size_t)snprintf(text + at, size - at, " + (%.17g)*x[%d]%s",
                                       (double)l->A[i][j], j + 1, l->kind[i] > 0 ? "'" : "");
        const char *bend = i % 2 == 0 ? " + x[1]*x[2]" : ""; /* vanishes with its rate, at x = 0 */
        at += (size_t)snprintf(text + at, size - at, "%s%s = (%.17g)%s\n",
                               l->kind[i] == 0 ? bend : "", l->kind[i] == 2 ? ")" : "",
                               (double)l->c[i], l->kind[i] == 0 ? "*t" : "");
    }
    assert_true(at < size);
}

/* Solves S y = s of size n by elimination with complete pivots; false when it is singular. */
static bool eliminate(int n, long double S[most_n][most_n], long double *s, long double *y)
{
    int column[most_n];
    for (int k = 0; k < n; k++) column[k] = k;
    for (int k = 0; k < n; k++) {
        int p = k, q = k;
        for (int i = k; i < n; i++)
            for (int j = k; j < n; j++)
                if (fabsl(S[i][j]) > fabsl(S[p][q])) p = i, q = j;
        if (fabsl(S[p][q]) < 1e-9L) return false;
        for (int i = 0; i < n; i++) {
            long double x = S[i][k];
            S[i][k] = S[i][q];
            S[i][q] = x;
        }
        for (int j = 0; j < n; j++) {
            long double x = S[k][j];
            S[k][j] = S[p][j];
            S[p][j] = x;
        }
        long double x = s[k];
        s[k] = s[p];
        s[p] = x;
        int c = column[k];
        column[k] = column[q];
        column[q] = c;
        for (int i = 0; i < n; i++) {
            long double f = i == k ? 0.0L : S[i][k] / S[k][k];
            for (int j = k; j < n && i != k; j++) S[i][j] -= f * S[k][j];
            s[i] -= f * s[k];
        }
    }
    for (int k = 0; k < n; k++) y[column[k]] = s[k] / S[k][k];
    return true;
}

/* [rows | c] of the free columns to reduced form; pivot[r] is the column of row r. Rank. */
static int reduce(level *l, int *pivot)
{
    int rank = 0;
    bool used[most_n] = {false};
    for (int j = 0; j < l->n; j++) {
        for (int i = 0; i < l->m && l->fixed[j]; i++) l->c[i] -= l->A[i][j] * l->given[j];
        for (int i = 0; i < l->m && l->fixed[j]; i++) l->A[i][j] = 0.0L;
    }
    for (; rank < l->m; rank++) {
        int p = rank, q = 0;
        for (int i = rank; i < l->m; i++)
            for (int j = 0; j < l->n; j++)
                if (!used[j] && fabsl(l->A[i][j]) > fabsl(used[q] ? 0.0L : l->A[p][q]))
                    p = i, q = j;
        if (used[q] || fabsl(l->A[p][q]) < 1e-12L) break;
        for (int j = 0; j < l->n; j++) {
            long double x = l->A[p][j];
            l->A[p][j] = l->A[rank][j];
            l->A[rank][j] = x;
        }
        long double c = l->c[p];
        l->c[p] = l->c[rank];
        l->c[rank] = c;
        used[q] = true;
        pivot[rank] = q;
        long double d = l->A[rank][q];
        for (int j = 0; j < l->n; j++) l->A[rank][j] /= d;
        l->c[rank] /= d;
        for (int i = 0; i < l->m; i++) {
            long double f = i == rank ? 0.0L : l->A[i][q];
            for (int j = 0; j < l->n && f != 0.0L; j++) l->A[i][j] -= f * l->A[rank][j];
            l->c[i] -= f * l->c[rank];
        }
    }
    return rank;
}

/* The projection, into wanted; false where it is not unique. */
static bool project(level *l)
{
    int pivot[most_m], rank = reduce(l, pivot), free_count = 0;
    long double Z[most_n][most_n] = {{0}}, v0[most_n], S[most_n][most_n] = {{0}}, s[most_n] = {0};
    long double y[most_n] = {0};
    for (int j = 0; j < l->n; j++) {
        bool leads = l->fixed[j];
        for (int r = 0; r < rank; r++) leads = leads || pivot[r] == j;
        v0[j] = l->given[j];
        if (leads) continue;
        v0[j] = 0.0L;
        Z[free_count][j] = 1.0L;
        for (int r = 0; r < rank; r++) Z[free_count][pivot[r]] = -l->A[r][j];
        free_count++;
    }
    for (int r = 0; r < rank; r++) v0[pivot[r]] = l->c[r];
    for (int a = 0; a < free_count; a++)
        for (int i = 0; i < l->n; i++)
            for (int j = 0; j < l->n; j++) {
                s[a] += Z[a][i] * l->M[i][j] * (l->given[j] - v0[j]);
                for (int b = 0; b < free_count; b++) S[a][b] += Z[a][i] * l->M[i][j] * Z[b][j];
            }
    if (!eliminate(free_count, S, s, y)) return false;
    for (int j = 0; j < l->n; j++) {
        long double x = v0[j];
        for (int a = 0; a < free_count; a++) x += Z[a][j] * y[a];
        l->wanted[j] = (double)x;
    }
    return true;
}

static void linear_levels_are_one_projection(void **state)
{
    (void)state;
    int tested = 0;
    for (int k = 0; k < 1500; k++) {
        level l;
        bench b;
        char text[12000];
        seed = (uint64_t)k * 7919u + 1u;
        make(&l, text, sizeof text);
        if (!project(&l)) continue;
        bench_open(&b, text);
        zw_status status = bench_start(&b, false);
        if (status == ZW_OK) tested++;
        for (int j = 0; j < l.n && status == ZW_OK; j++)
            if (!(fabs(b.v[j] - l.wanted[j]) <= 1e-10))
                fail_msg("model %d: x[%d]' is %.17g, should be %.17g\n%s", k, j + 1, b.v[j],
                         l.wanted[j], text);
        /* what only start equations and fixed values hold has no equation of motion */
        if (status != ZW_OK && status != ZW_ERR_UNDETERMINED)
            fail_msg("model %d: %s\n%s", k, zw_status_sentence(status), text);
        const zw_diagnostic *moved = bench_message(&b, "W0411");
        if (moved) assert_null(strstr(moved->sentence, "beside"));
        bench_close(&b);
    }
    assert_true(tested > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(square_of_bars),
        cmocka_unit_test(square_in_space),
        cmocka_unit_test(a_row_of_rounding),
        cmocka_unit_test(a_given_velocity_stays_beside_a_row_of_rounding),
        cmocka_unit_test(small_contradictions_are_seen),
    };
    const struct CMUnitTest projections[] = {cmocka_unit_test(linear_levels_are_one_projection)};
    int failed = cmocka_run_group_tests_name("auto", tests, bench_auto, NULL);
    failed += cmocka_run_group_tests_name("projections", projections, bench_auto, NULL);
    /* the projections have rows whose sizes differ by 1e4, on which the sparse solver loses a few
     * digits more than they allow */
    return failed + cmocka_run_group_tests_name("sparse", tests, bench_sparse, NULL);
}
