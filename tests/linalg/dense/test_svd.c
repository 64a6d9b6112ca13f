/*
 * Singular values: the factors are orthonormal and reproduce the matrix, for every shape and
 * for matrices of lower rank; Jacobi and LAPACK agree; graded rows keep their small values.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linalg.h"

static uint64_t state = 11;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(state >> 11) / 9007199254740992.0 - 0.5;
}

typedef zw_status (*svd_function)(int32_t, int32_t, const double *, double *, double *, double *,
                                  double *);

static double worst_orthonormal(int32_t n, int32_t k, const double *U)
{
    double worst = 0.0;
    for (int32_t p = 0; p < k; p++)
        for (int32_t q = 0; q <= p; q++) {
            double s = p == q ? -1.0 : 0.0;
            for (int32_t i = 0; i < n; i++) s += U[i * k + p] * U[i * k + q];
            worst = fmax(worst, fabs(s));
        }
    return worst;
}

static void check(int32_t m, int32_t n, int32_t rank, svd_function svd, size_t work_size)
{
    int32_t k = m < n ? m : n;
    double *X = calloc((size_t)(m * n), sizeof *X), *U = calloc((size_t)(m * k), sizeof *U);
    double *V = calloc((size_t)(n * k), sizeof *V), *s = calloc((size_t)k, sizeof *s);
    double *work = calloc(work_size, sizeof *work), largest = 0.0;
    for (int32_t r = 0; r < rank; r++) {
        double left[64], right[64];
        for (int32_t i = 0; i < m; i++) left[i] = uniform();
        for (int32_t j = 0; j < n; j++) right[j] = uniform();
        for (int32_t i = 0; i < m; i++)
            for (int32_t j = 0; j < n; j++) X[i * n + j] += left[i] * right[j];
    }
    assert_int_equal(svd(m, n, X, U, s, V, work), ZW_OK);
    for (int32_t p = 0; p < k; p++) {
        assert_true(p == 0 || s[p] <= s[p - 1]);
        assert_true(p < rank || s[p] <= 1e-14 * s[0]);
        largest = fmax(largest, s[p]);
    }
    assert_true(worst_orthonormal(m, k, U) < 1e-13);
    assert_true(worst_orthonormal(n, k, V) < 1e-13);
    for (int32_t i = 0; i < m; i++)
        for (int32_t j = 0; j < n; j++) {
            double x = X[i * n + j];
            for (int32_t p = 0; p < k; p++) x -= U[i * k + p] * s[p] * V[j * k + p];
            assert_true(fabs(x) < 1e-14 * (largest + 1e-300) * (m + n));
        }
    free(X), free(U), free(V), free(s), free(work);
}

static void every_shape_and_rank(void **unused)
{
    (void)unused;
    const int32_t sizes[] = {1, 2, 3, 5, 8, 13, 21};
    for (int a = 0; a < 7; a++)
        for (int b = 0; b < 7; b++) {
            int32_t m = sizes[a], n = sizes[b], k = m < n ? m : n;
            for (int32_t rank = 0; rank <= k; rank += k > 4 ? 4 : 1) {
                check(m, n, rank, za_svd, za_svd_work(m, n));
                if (za_lapack_available())
                    check(m, n, rank, za_lapack_svd, za_lapack_svd_work(m, n));
            }
        }
}

/* diag(10^-8k) times a well-conditioned matrix: Jacobi keeps small values relatively exact. */
static void graded_rows(void **unused)
{
    (void)unused;
    double X[9] = {1.0, 0.5, 0.25, 0.5e-8, 1e-8, 0.25e-8, 0.25e-16, 0.5e-16, 1e-16};
    double U[9], V[9], s[3], work[64];
    assert_int_equal(za_svd(3, 3, X, U, s, V, work), ZW_OK);
    /* the product of the singular values is |det| = 1e-24 det of the unscaled matrix */
    double det = 1.0 * (1.0 - 0.125) - 0.5 * (0.5 - 0.0625) + 0.25 * (0.25 - 0.25);
    assert_true(fabs(s[0] * s[1] * s[2] / (det * 1e-24) - 1.0) < 1e-13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_and_rank),
        cmocka_unit_test(graded_rows),
    };
    return cmocka_run_group_tests_name("singular values", tests, NULL, NULL);
}
