/*
 * Our own table of dense solves, through zwang.h: one factor and one solve of random
 * problems of every kind, n coordinates and m = n/3 rows; medians of CPU time within one run.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "zwang.h"

enum { repeats = 9 };

typedef struct problem {
    int n, m;
    double *M, *Q, *A, *b, *z, *lambda, *force;
} problem;

typedef enum kind { FULL_RANK, REDUNDANT, INCONSISTENT, DIAGONAL, kind_count } kind;
static const char *const kind_names[] = {"independent", "redundant", "inconsistent", "diagonal M"};

static uint64_t state = 42;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(state >> 11) / 9007199254740992.0 - 0.5;
}

static double *numbers(int count)
{
    double *x = calloc((size_t)count + 1, sizeof *x);
    if (!x) exit(1);
    return x;
}

static void make_mass(problem *p, kind k)
{
    double *G = numbers(p->n * p->n);
    for (int i = 0; i < p->n * p->n; i++) G[i] = 3.4 * uniform() / sqrt(p->n);
    for (int i = 0; i < p->n; i++) {
        if (k == DIAGONAL) p->M[i] = 1.0 + uniform();
        for (int j = 0; j < p->n && k != DIAGONAL; j++) {
            double s = i == j ? 0.1 : 0.0;
            for (int l = 0; l < p->n; l++) s += G[i * p->n + l] * G[j * p->n + l];
            p->M[i * p->n + j] = s;
        }
    }
    free(G);
}

static problem make(int n, kind k)
{
    int m = n / 3 > 2 ? n / 3 : 2;
    problem p = {.n = n, .m = m, .M = numbers(n * n), .Q = numbers(n), .A = numbers(m * n)};
    p.b = numbers(m), p.z = numbers(n), p.lambda = numbers(m), p.force = numbers(n);
    make_mass(&p, k);
    for (int i = 0; i < n; i++) p.Q[i] = uniform();
    for (int i = 0; i < m * n; i++) p.A[i] = floor(4096.0 * uniform()) / 4096.0;
    for (int i = 0; i < m; i++) p.b[i] = floor(4096.0 * uniform()) / 4096.0;
    int dependent = k == REDUNDANT || k == INCONSISTENT ? (m + 2) / 3 : 0;
    for (int d = 0; d < dependent; d++) { /* row m-1-d = 2 row d - row d+1 */
        double *row = p.A + (m - 1 - d) * n;
        int other = d + 1 < m - dependent ? d + 1 : d;
        for (int j = 0; j < n; j++) row[j] = 2.0 * p.A[d * n + j] - p.A[other * n + j];
        p.b[m - 1 - d] = 2.0 * p.b[d] - p.b[other] + (k == INCONSISTENT ? 0.25 : 0.0);
    }
    return p;
}

static void clear(problem *p)
{
    free(p->M), free(p->Q), free(p->A), free(p->b), free(p->z), free(p->lambda), free(p->force);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void check(zw_status status)
{
    if (status == ZW_OK) return;
    fprintf(stderr, "bench_dense: %s\n", zw_status_sentence(status));
    exit(1);
}

/* Median time in us of `count` calls, with a factor each time or without. */
static double measure(zw_gauss *g, const problem *p, int count, int factor)
{
    double times[repeats];
    zw_gauss_answer answer = {.acceleration = p->z};
    for (int r = 0; r < repeats; r++) {
        double start = seconds();
        for (int i = 0; i < count; i++) {
            if (factor) check(zw_gauss_factor(g, p->M, p->A, NULL));
            check(zw_gauss_solve(g, p->Q, p->b, NULL, &answer));
        }
        times[r] = (seconds() - start) / count * 1e6;
    }
    qsort(times, repeats, sizeof *times, compare);
    return times[repeats / 2];
}

static void row(zw_context *context, int n, kind k)
{
    problem p = make(n, k);
    zw_gauss *g = NULL;
    zw_gauss_shape shape = {.n = p.n, .m = p.m, .mass = k == DIAGONAL ? ZW_DIAGONAL : ZW_FULL};
    check(zw_gauss_plan(context, &shape, &g));
    int count = (int)(3e6 / ((double)n * n * n + 2e3)) + 2;
    double both = measure(g, &p, count, 1), solve = measure(g, &p, count, 0);
    zw_gauss_answer answer = {.acceleration = p.z};
    check(zw_gauss_solve(g, p.Q, p.b, NULL, &answer));
    printf("| %d | %d | %d | %s | %.3g | %.3g | %d | %.1e |\n", p.n, p.m, (int)answer.rank,
           kind_names[k], both, solve, (int)answer.refinements, answer.certificate);
    fflush(stdout);
    zw_gauss_free(g);
    clear(&p);
}

int main(void)
{
    static const int sizes[] = {4, 8, 12, 30, 100, 300, 1000};
    zw_context *context = NULL;
    check(zw_context_create(NULL, &context));
    printf(
        "| n | m | rank | rows | factor + solve, us | solve, us | corrections | certificate |\n");
    printf("| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int k = 0; k < kind_count; k++) row(context, sizes[i], (kind)k);
    zw_context_free(context);
    return 0;
}
