/*
 * Fuzzes the search for the right set of inequalities: any bytes as a small problem of integers,
 * M = F^T F, rows that may repeat or contradict each other, weights that may couple them. Whatever
 * they say, the answer must be that of the enumeration in exact arithmetic (unequal_oracle.h), from
 * nothing and from any guess; or what nothing determines must be called so.
 *
 *     n, rows, inequalities, kind of W, guess; then numbers: F, Q, C, rows with their b, W
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "unequal_oracle.h"
#include "zwang.h"

enum { MOST_COORDINATES = 4, MOST_EQUATIONS = 2, MOST_INEQUALITIES = 5 };

static void require(bool condition)
{
    if (!condition) abort();
}

/* -------------------------------------------------------------------------- reading */

typedef struct bytes {
    const uint8_t *data;
    size_t left;
} bytes;

static int32_t next(bytes *b)
{
    if (b->left == 0) return 0;
    b->left--;
    return *b->data++;
}

static double number(bytes *b, int32_t most)
{
    return (double)(next(b) % (2 * most + 1) - most);
}

/* F^T F, with 1 on the diagonal where it must be definite. */
static void read_square(bytes *b, int32_t n, double one, double *X)
{
    double F[UNEQUAL_M * UNEQUAL_M];
    for (int32_t k = 0; k < n * n; k++) F[k] = number(b, 3);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            X[i * n + j] = i == j ? one : 0.0;
            for (int32_t k = 0; k < n; k++) X[i * n + j] += F[k * n + i] * F[k * n + j];
        }
    }
}

/* A row of its own, or a multiple of another one that was read before. */
static void read_row(bytes *b, unequal_problem *p, int32_t i)
{
    int32_t n = p->n, kind = next(b) % 4, k = i > 0 ? next(b) % i : 0;
    double factor = number(b, 2);
    for (int32_t j = 0; j < n; j++) p->A[i * n + j] = number(b, 6);
    p->b[i] = number(b, 20);
    if (kind != 0 || i == 0) return;
    for (int32_t j = 0; j < n; j++) p->A[i * n + j] = factor * p->A[k * n + j];
    p->b[i] += factor * p->b[k];
}

static bool read_problem(bytes *b, unequal_problem *p)
{
    double trace = 0.0;
    *p = (unequal_problem){.n = 1 + next(b) % MOST_COORDINATES};
    int32_t e = next(b) % (MOST_EQUATIONS + 1);
    p->inequalities = 1 + next(b) % MOST_INEQUALITIES;
    p->m = e + p->inequalities;
    int32_t weights = next(b) % 3, definite = next(b) % 4;
    read_square(b, p->n, definite ? 1.0 : 0.0, p->M);
    for (int32_t j = 0; j < p->n; j++) p->Q[j] = number(b, 30), trace += p->M[j * (p->n + 1)];
    p->with_C = next(b) % 4 == 0;
    for (int32_t j = 0; j < p->n && p->with_C; j++) p->C[j] = number(b, 30);
    for (int32_t i = 0; i < p->m; i++) read_row(b, p, i);
    for (int32_t i = 0; i < p->m; i++)
        p->W[i * (p->m + 1)] = weights == 0 ? 1.0 : 1.0 + next(b) % 16;
    if (weights == 2) read_square(b, p->m, 1.0, p->W);
    return trace > 0.0;
}

/* ------------------------------------------------------------------------- comparing */

static double apart(const double *x, const double *y, int32_t n)
{
    double s = 0.0;
    for (int32_t i = 0; i < n; i++) s += (x[i] - y[i]) * (x[i] - y[i]);
    return sqrt(s);
}

static double size_of(const double *x, int32_t n)
{
    static const double zeros[UNEQUAL_M];
    return apart(x, zeros, n);
}

/* An M that is nearly singular takes as many digits from everything. */
static void compare(zw_gauss *g, const unequal_problem *p, const unequal_truth *truth)
{
    double z[UNEQUAL_N], shares[UNEQUAL_M], r[UNEQUAL_M];
    bool active[UNEQUAL_M], unique[UNEQUAL_M];
    zw_gauss_answer answer = {.acceleration = z,
                              .shares = shares,
                              .inconsistency = r,
                              .active = active,
                              .unique = unique};
    zw_status status = zw_gauss_solve(g, p->Q, p->b, p->with_C ? p->C : NULL, &answer);
    require(status == ZW_OK);
    require(answer.certificate <= 1e-10);
    require(apart(z, truth->z, p->n) <= 1e-9 * (1.0 + size_of(truth->z, p->n)));
    require(apart(r, truth->r, p->m) <= 1e-9 * (1.0 + size_of(truth->r, p->m)));
    double forces = 1.0 + size_of(truth->shares, p->m) + size_of(p->Q, p->n);
    require(apart(shares, truth->shares, p->m) <= 1e-8 * forces);
    for (int32_t i = 0; i < p->m; i++)
        require(active[i] == truth->closed[i] && unique[i] == truth->unique[i]);
    zw_diagnosis *d = NULL;
    require(zw_gauss_diagnose(g, p->b, z, &d) == ZW_OK);
    require((d->conflict_count > 0) == (truth->conflict2 > 0.0));
    zw_diagnosis_free(d);
}

void fuzz_target(const uint8_t *data, size_t size)
{
    bytes b = {data, size};
    unequal_problem p;
    unequal_truth truth;
    zw_context *context = NULL;
    zw_gauss *g = NULL;
    bool guess[UNEQUAL_M];
    if (size < 8 || !read_problem(&b, &p)) return;
    unequal_solve(&p, &truth);
    zw_gauss_shape shape = {.n = p.n, .m = p.m, .inequalities = p.inequalities, .weight = ZW_FULL};
    require(zw_context_create(NULL, &context) == ZW_OK);
    require(zw_gauss_plan(context, &shape, &g) == ZW_OK);
    require(zw_gauss_factor(g, p.M, p.A, p.W) == ZW_OK);
    if (!truth.undetermined) {
        compare(g, &p, &truth);
        compare(g, &p, &truth); /* where it ended */
        for (int32_t i = 0; i < p.m; i++) guess[i] = next(&b) & 1;
        require(zw_gauss_guess(g, guess) == ZW_OK);
        compare(g, &p, &truth);
    }
    zw_gauss_free(g);
    zw_context_free(context);
}
