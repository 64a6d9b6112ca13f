/*
 * Property of the start: where it succeeds, the constraints hold to rounding, and the change of the
 * given values is M-orthogonal to every motion that keeps them, which makes it smallest:
 * M (x - given) is a combination of the rows of A. Random ellipsoids with unequal masses.
 */
#include "../../slow.h"
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 6 };

static uint64_t seed;

static double uniform(double low, double high)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    double x = (double)(seed >> 11) * 0x1p-53;
    return round((low + (high - low) * x) * 100.0) / 100.0;
}

typedef struct problem {
    int n, m;
    double mass[MOST], given[MOST];
    char text[4000];
} problem;

static void add(problem *p, const char *format, ...)
{
    size_t used = strlen(p->text);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(p->text + used, sizeof p->text - used, format, arguments);
    va_end(arguments);
}

static void make(problem *p)
{
    memset(p, 0, sizeof *p);
    p->n = 2 + (int)uniform(0.0, 4.99);
    p->m = 1 + (int)uniform(0.0, p->n - 1.01);
    add(p, "coord x[%d]\n", p->n);
    for (int i = 0; i < p->n; i++) {
        p->mass[i] = uniform(0.2, 5.0);
        p->given[i] = uniform(-3.0, 3.0);
        add(p, "kinetic %.2f/2*x[%d]'^2\nstart x[%d] = %.2f\n", p->mass[i], i + 1, i + 1,
            p->given[i]);
    }
    for (int k = 0; k < p->m; k++) {
        add(p, "constraint c[%d]: 0.3*sin(x[1])", k + 1);
        for (int i = 0; i < p->n; i++) {
            double centre = uniform(-0.6, 0.6), factor = uniform(0.3, 2.0);
            add(p, " + %.2f*(x[%d] - (%.2f))^2", factor, i + 1, centre);
        }
        add(p, " = %.2f\n", uniform(1.0, 4.0));
    }
}

static double dot(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* Takes the span of rows [m] of A out of f, twice; A is overwritten by an orthonormal basis. */
static void reduce(int n, int m, double *A, double *f)
{
    for (int k = 0; k <= m; k++) {
        double *x = k < m ? A + k * n : f;
        for (int j = 0; j < 2 * k; j++) {
            const double *e = A + (j % k) * n;
            double c = dot(n, x, e);
            for (int i = 0; i < n; i++) x[i] -= c * e[i];
        }
        double length = k < m ? sqrt(dot(n, x, x)) : 1.0;
        for (int i = 0; i < n; i++) x[i] /= length;
    }
}

static void check(const problem *p, bench *b)
{
    double A[MOST * MOST], value[MOST], f[MOST], size = 0.0;
    zw_instant instant = {.A = A, .value = value};
    assert_int_equal(zw_sim_instant(b->sim, &instant), ZW_OK);
    for (int k = 0; k < p->m; k++) bench_near(value[k], 0.0, 2e-14);
    for (int i = 0; i < p->n; i++) {
        f[i] = p->mass[i] * (b->q[i] - p->given[i]);
        size += fabs(f[i]);
    }
    reduce(p->n, p->m, A, f);
    bench_near(sqrt(dot(p->n, f, f)), 0.0, 1e-9 * size);
}

static void the_change_is_smallest(void **state)
{
    (void)state;
    int started = 0, refused = 0, all = unless_slow(200, 50);
    seed = 20231;
    for (int k = 0; k < all; k++) {
        problem p;
        bench b;
        make(&p);
        bench_open(&b, p.text);
        zw_status status = bench_start(&b, false);
        if (status == ZW_OK) {
            check(&p, &b);
            started++;
        } else { /* several of these have no solution */
            assert_int_equal(status, ZW_ERR_START);
            refused++;
        }
        bench_close(&b);
    }
    assert_true(started > all * 4 / 5);
    assert_true(refused < all / 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_change_is_smallest)};
    int failed = cmocka_run_group_tests_name("auto", tests, bench_auto, NULL);
    return failed + cmocka_run_group_tests_name("sparse", tests, bench_sparse, NULL);
}
