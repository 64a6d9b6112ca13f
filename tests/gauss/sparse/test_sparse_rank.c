/*
 * test_sparse_rank.c: the rank by counting pivots, against singular values and against ranks that
 * are known from the way a system was made.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "built_system.h"
#include "linalg.h"

/* -------------------------------------------------------------- singular values */

/* Of D A M^-1/2, D scaling its rows to norm 1; how many are above `tolerance`, *more above 1e-4 of
 * it. */
static int32_t rank_by_svd(const built *s, double tolerance, int32_t *more)
{
    size_t n = (size_t)s->n, m = (size_t)s->m, k = n < m ? n : m;
    double *X = calloc(m * n, sizeof *X), *U = calloc(m * k, sizeof *U), *V = calloc(n * k, 8);
    double *values = calloc(k, sizeof *values), *work = calloc(za_svd_work(s->m, s->n), 8);
    int32_t rank = 0;
    for (size_t i = 0; i < m; i++) {
        double norm = 0.0;
        for (int32_t p = s->start[i]; p < s->start[i + 1]; p++) {
            size_t at = i * n + (size_t)s->column[p];
            X[at] = s->value[p] / sqrt(s->mass[s->column[p]]);
            norm += X[at] * X[at];
        }
        for (size_t j = 0; j < n && norm > 0.0; j++) X[i * n + j] /= sqrt(norm);
    }
    assert_int_equal(za_svd(s->m, s->n, X, U, values, V, work), ZW_OK);
    *more = 0;
    for (size_t i = 0; i < k; i++) {
        rank += values[i] > tolerance;
        *more += values[i] > 1e-4 * tolerance;
    }
    free(X), free(U), free(V), free(values), free(work);
    return rank;
}

/* ---------------------------------------------------------------------- systems */

/* Sparse rows over decades of scale; every third or so a combination of two before it, off by
 * `noise`. */
static built *random_system(int32_t n, int32_t m, double noise, uint64_t *state)
{
    built *s = built_new(n);
    double *dense = calloc((size_t)m * (size_t)n, sizeof *dense), *value = calloc((size_t)n, 8);
    int32_t *column = calloc((size_t)n, sizeof *column);
    for (int32_t i = 0; i < n; i++) s->mass[i] = pow(10.0, built_real(state));
    for (int32_t i = 0; i < m; i++) {
        double *row = dense + (size_t)i * (size_t)n;
        bool planted = i > 2 && built_random(state) % 3 == 0;
        for (int k = 0; k < (planted ? 2 : 4); k++) {
            uint64_t any = built_random(state);
            double f = 0.5 + fabs(built_real(state));
            const double *from = dense + (any % (uint64_t)(i > 0 ? i : 1)) * (size_t)n;
            for (int32_t j = 0; j < n && planted; j++) row[j] += f * from[j];
            if (!planted) row[any % (uint64_t)n] = built_real(state) > 0.0 ? f : -f;
        }
        if (planted) row[built_random(state) % (uint64_t)n] += noise;
        double scale = pow(10.0, built_real(state));
        int32_t count = 0;
        for (int32_t j = 0; j < n; j++) {
            if (row[j] == 0.0) continue;
            column[count] = j;
            value[count++] = scale * row[j];
        }
        (void)built_row(s, count, column, value);
    }
    free(dense), free(value), free(column);
    return s;
}

/* Gaps in the singular values: rows that are dependent, or nearly so within 1e-10. */
static void test_gaps(void **unused)
{
    (void)unused;
    uint64_t state = 42;
    int32_t checked = 0;
    for (int32_t k = 0; k < 40; k++) {
        int32_t m = 20 + 2 * k, n = m - 10 + (int32_t)(built_random(&state) % 30);
        built *s = random_system(n, m, k % 2 ? 1e-10 : 0.0, &state);
        int32_t more, rank = rank_by_svd(s, 1e-3, &more);
        if (rank == more) { /* there is a gap at all */
            zw_gauss_rank_info info;
            built_factor(s, ZW_SOLVER_SPARSE);
            assert_int_equal(zg_system_rank(s->g, &info), ZW_OK);
            assert_int_equal(info.rank, rank);
            assert_false(info.ambiguous);
            assert_true(info.rejected <= info.tolerance && info.accepted > info.tolerance);
            checked++;
        }
        built_free(s);
    }
    assert_true(checked >= 20);
}

/* Pairs of rows that differ by 1e-1, 1e-2, ...: there is no place to draw a line. */
static void test_ambiguous(void **unused)
{
    (void)unused;
    built *s = built_new(80);
    for (int32_t k = 0; k < 40; k++) {
        const int32_t columns[2] = {2 * k, 2 * k + 1};
        const double values[2] = {1.0, 1.0}, other[2] = {1.0, 1.0 + pow(10.0, -0.25 * k)};
        (void)built_row(s, 2, columns, values);
        (void)built_row(s, 2, columns, other);
    }
    zw_gauss_rank_info info, again;
    built_factor(s, ZW_SOLVER_SPARSE);
    assert_int_equal(zg_system_rank(s->g, &info), ZW_OK);
    assert_true(info.ambiguous);
    int32_t most, least = rank_by_svd(s, 1e-5, &most);
    assert_true(info.rank >= least && info.rank <= most);
    assert_int_equal(zg_system_rank(s->g, &again), ZW_OK);
    assert_int_equal(info.rank, again.rank);
    built_free(s);
}

/* Its smallest eigenvalue is 2.5e-10 of the largest; that of a million links 2.5e-12. */
static void test_long_line(void **unused)
{
    (void)unused;
    for (int closed = 0; closed < 2; closed++) {
        zw_gauss_rank_info info;
        built *s = built_line(100000, closed > 0);
        built_factor(s, ZW_SOLVER_SPARSE);
        assert_int_equal(zg_system_rank(s->g, &info), ZW_OK);
        assert_int_equal(info.rank, 100000);
        assert_false(info.ambiguous);
        built_free(s);
    }
}

/* A triangulated lattice moves as a rigid body and no other way; also where points have no mass,
 * and whatever the units of rows. */
static void test_lattices(void **unused)
{
    (void)unused;
    for (int32_t side = 3; side <= 40; side += 37) {
        for (int kind = 0; kind < 3; kind++) {
            uint64_t state = 5;
            built *s = built_lattice(side, 0.1, true, 9);
            for (int32_t i = 0; i < s->n && kind == 1; i += 7) s->mass[i] = 0.0;
            for (int32_t i = 0; i < s->m && kind == 2; i++) {
                double f = pow(10.0, 3.0 * built_real(&state));
                for (int32_t p = s->start[i]; p < s->start[i + 1]; p++) s->value[p] *= f;
            }
            built_factor(s, ZW_SOLVER_SPARSE);
            assert_int_equal(built_rank(s), s->n - 3);
            built_free(s);
        }
    }
}

/* Rows of zeros, no rows at all. */
static void test_ends(void **unused)
{
    (void)unused;
    const int32_t column = 1;
    const double one = 1.0, zero = 0.0;
    built *s = built_new(3);
    built_factor(s, ZW_SOLVER_SPARSE);
    assert_int_equal(built_rank(s), 0);
    (void)built_row(s, 0, &column, &one);
    (void)built_row(s, 1, &column, &zero);
    built_factor(s, ZW_SOLVER_SPARSE);
    assert_int_equal(built_rank(s), 0);
    (void)built_row(s, 1, &column, &one);
    built_factor(s, ZW_SOLVER_SPARSE);
    assert_int_equal(built_rank(s), 1);
    built_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gaps),      cmocka_unit_test(test_ambiguous),
        cmocka_unit_test(test_long_line), cmocka_unit_test(test_lattices),
        cmocka_unit_test(test_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
