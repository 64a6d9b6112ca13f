/*
 * Eigenvalues: of matrices whose characteristic polynomial is known, of random ones by the traces of
 * powers and by similarity, of badly scaled ones; symmetric ones by A V = V s.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linalg.h"

enum { most = 40 };

static uint64_t seed = 12345;
static double draw(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(seed >> 11) * 0x1p-52 - 1.0;
}

static void near(double x, double y, double within)
{
    if (!(fabs(x - y) <= within)) fail_msg("%.17g and %.17g differ by %g", x, y, fabs(x - y));
}

/* The companion matrix of (x - 1) ... (x - 5) and x^2 + 2 x + 5: 1 .. 5, -1 +- 2 i. */
static void test_companion(void **state)
{
    (void)state;
    const double roots[5] = {1, 2, 3, 4, 5};
    double p[8] = {5, 2, 1}, A[49] = {0}, re[7], im[7], work[7];
    int degree = 2;
    for (int k = 0; k < 5; k++, degree++)
        for (int i = degree + 1; i >= 0; i--)
            p[i] = (i > 0 ? p[i - 1] : 0.0) - roots[k] * (i <= degree ? p[i] : 0.0);
    for (int i = 0; i < 7; i++) {
        A[i * 7 + 6] = -p[i];
        if (i > 0) A[i * 7 + i - 1] = 1.0;
    }
    assert_int_equal(za_eigenvalues(7, A, re, im, work), ZW_OK);
    near(re[0], -1, 1e-12), near(im[0], 2, 1e-12), near(re[1], -1, 1e-12), near(im[1], -2, 1e-12);
    for (int k = 0; k < 5; k++) near(re[k + 2], roots[k], 1e-10), near(im[k + 2], 0, 1e-12);
}

/* The sums of eigenvalues and of their squares are the traces of A and of A A. */
static void test_traces(void **state)
{
    (void)state;
    static double A[most * most], B[most * most], re[most], im[most], work[most];
    for (int32_t n = 1; n <= most; n++) {
        double trace = 0.0, square = 0.0, sum = 0.0, squares = 0.0;
        for (int32_t k = 0; k < n * n; k++)
            A[k] = draw() * (n % 3 == 0 ? pow(10.0, 4 * draw()) : 1);
        double size = 0.0;
        for (int32_t i = 0; i < n; i++) {
            trace += A[i * n + i];
            for (int32_t j = 0; j < n; j++) {
                square += A[i * n + j] * A[j * n + i];
                size += fabs(A[i * n + j]);
            }
        }
        memcpy(B, A, sizeof A);
        assert_int_equal(za_eigenvalues(n, B, re, im, work), ZW_OK);
        for (int32_t k = 0; k < n; k++) {
            sum += re[k];
            squares += re[k] * re[k] - im[k] * im[k];
            if (k > 0) assert_true(re[k] >= re[k - 1]);
        }
        near(sum, trace, 1e-13 * size), near(squares, square, 1e-13 * size * size);
    }
}

/* Masses of 1 and of 1e-12 and springs as different: balancing finds both frequencies. */
static void test_scaling(void **state)
{
    (void)state;
    double A[16] = {0, 0, 1, 0, 0, 0, 0, 1, -4, 0, 0, 0, 0, -9e12, 0, 0};
    double re[4], im[4], work[4];
    assert_int_equal(za_eigenvalues(4, A, re, im, work), ZW_OK);
    double found[2] = {0, 0};
    for (int k = 0; k < 4; k++) {
        near(re[k], 0.0, 1e-9);
        if (im[k] > 0) found[im[k] > 100] = im[k];
    }
    near(found[0], 2.0, 1e-15), near(found[1], 3e6, 1e-8);
}

static void test_symmetric(void **state)
{
    (void)state;
    static double S[most * most], copy[most * most], s[most], V[most * most];
    for (int32_t n = 1; n <= most; n += 3) {
        for (int32_t i = 0; i < n; i++)
            for (int32_t j = i; j < n; j++) copy[i * n + j] = copy[j * n + i] = draw();
        memcpy(S, copy, sizeof S);
        assert_int_equal(za_symmetric_eigen(n, S, s, V), ZW_OK);
        for (int32_t k = 0; k < n; k++) {
            double length = 0.0;
            for (int32_t i = 0; i < n; i++) {
                double sum = 0.0;
                for (int32_t j = 0; j < n; j++) sum += copy[i * n + j] * V[k * n + j];
                near(sum, s[k] * V[k * n + i], 1e-13 * n);
                length += V[k * n + i] * V[k * n + i];
            }
            near(length, 1.0, 1e-14 * n);
            if (k > 0) assert_true(s[k] >= s[k - 1]);
        }
    }
}

static void test_not_finite(void **state)
{
    (void)state;
    double A[4] = {1, (double)NAN, 0, 1}, re[2], im[2], work[2], V[4];
    assert_int_equal(za_eigenvalues(2, A, re, im, work), ZW_ERR_NOT_FINITE);
    double S[4] = {1, (double)INFINITY, (double)INFINITY, 1};
    assert_int_equal(za_symmetric_eigen(2, S, re, V), ZW_ERR_NOT_FINITE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_companion), cmocka_unit_test(test_traces),
        cmocka_unit_test(test_scaling), cmocka_unit_test(test_symmetric),
        cmocka_unit_test(test_not_finite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
