/*
 * LAPACK is loaded when the first large system is planned and not before; and where the library is
 * not there, or lacks functions, large systems are solved all the same.
 *
 * The program is built three times: with the library that the build found, and with lapack.c
 * compiled for one that does not exist and for one that has only some of the functions
 * (EXPECTED: what za_lapack_available must say). Threads ask at the same time.
 */
#define _GNU_SOURCE /* RTLD_NOLOAD */
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>
#include <zwang.h>

#include "linalg.h"

enum { THREADS = 4 };

static bool is_loaded(void)
{
    void *library = dlopen(ZA_LAPACK_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
    if (library) (void)dlclose(library);
    return library != NULL;
}

/* Entries without a pattern, the same every time. */
static double entry(int32_t i, int32_t j)
{
    return sin(1.0 + 12.9898 * i + 78.233 * j + 0.37 * i * j);
}

static void fill(int32_t n, int32_t m, double *M, double *A)
{
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++)
            M[i * n + j] = i == j ? n + 1.0 : 0.5 * (entry(i, j) + entry(j, i));
    for (int32_t k = 0; k < m; k++)
        for (int32_t j = 0; j < n; j++) A[k * n + j] = entry(n + k, j);
}

/* A z = b, and M z = Q + F. */
static void check(int32_t n, int32_t m, const double *M, const double *A, const double *z,
                  const double *F)
{
    for (int32_t k = 0; k < m; k++) {
        double rest = -1.0 - k;
        for (int32_t j = 0; j < n; j++) rest += A[k * n + j] * z[j];
        assert_true(fabs(rest) < 1e-10);
    }
    for (int32_t i = 0; i < n; i++) {
        double rest = -cos(i) - F[i];
        for (int32_t j = 0; j < n; j++) rest += M[i * n + j] * z[j];
        assert_true(fabs(rest) < 1e-9);
    }
}

static void solve(int32_t n, int32_t m)
{
    size_t nn = (size_t)n;
    double *M = calloc(nn * nn, sizeof *M), *A = calloc((size_t)m * nn, sizeof *A);
    double *z = calloc(nn, sizeof *z), *F = calloc(nn, sizeof *F), *Q = calloc(nn, sizeof *Q);
    double *b = calloc((size_t)m, sizeof *b);
    zw_context *context;
    zw_gauss *g;
    zw_gauss_shape shape = {.n = n, .m = m};
    zw_gauss_answer answer = {.acceleration = z, .force_ideal = F};
    fill(n, m, M, A);
    for (int32_t i = 0; i < n; i++) Q[i] = cos(i);
    for (int32_t k = 0; k < m; k++) b[k] = 1.0 + k;
    assert_int_equal(zw_context_create(NULL, &context), ZW_OK);
    assert_int_equal(zw_gauss_plan(context, &shape, &g), ZW_OK);
    assert_int_equal(zw_gauss_factor(g, M, A, NULL), ZW_OK);
    assert_int_equal(zw_gauss_solve(g, Q, b, NULL, &answer), ZW_OK);
    check(n, m, M, A, z, F);
    zw_gauss_free(g);
    zw_context_free(context);
    double *all[] = {M, A, z, F, Q, b};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) free(all[k]);
}

static void small_loads_nothing(void **state)
{
    (void)state;
    solve(20, 5);
    solve(150, 5);
    assert_false(is_loaded());
}

static void *ask(void *answer)
{
    *(bool *)answer = za_lapack_available();
    return NULL;
}

static void threads_get_one_answer(void **state)
{
    (void)state;
    pthread_t thread[THREADS];
    bool answer[THREADS];
    for (int k = 0; k < THREADS; k++) {
        answer[k] = !EXPECTED;
        assert_int_equal(pthread_create(&thread[k], NULL, ask, &answer[k]), 0);
    }
    for (int k = 0; k < THREADS; k++) {
        assert_int_equal(pthread_join(thread[k], NULL), 0);
        assert_int_equal(answer[k], EXPECTED);
    }
}

static void large_is_solved(void **state)
{
    (void)state;
    solve(151, 7);
    solve(170, 12);
    assert_int_equal(is_loaded(), EXPECTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_loads_nothing),
        cmocka_unit_test(threads_get_one_answer),
        cmocka_unit_test(large_is_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
