/*
 * test_large_dense.c: hundreds of coordinates, against a second independent answer.
 *
 * The fundamental equation as it stands, with M^(1/2) from LAPACK's symmetric eigenvalues
 * and P^+ from its singular values (P = W^(1/2) A M^(-1/2), W diagonal):
 *
 *     z = a + M^(-1/2) P^+ (W^(1/2) b - P M^(-1/2) Q) + M^(-1/2) (I - P^+ P) M^(-1/2) C.
 *
 * That costs the digits of cond(M), which is small here, and so is the allowance. Besides,
 * the equations that determine z are recomputed from the raw matrices.
 */
#include "gauss_check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* LAPACK by its Fortran names; arrays by columns. */
void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
            double *work, const int *lwork, int *info, size_t jobz_length, size_t uplo_length);
void dgesdd_(const char *jobz, const int *m, const int *n, double *a, const int *lda, double *s,
             double *u, const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork,
             int *iwork, int *info, size_t jobz_length);

static double *new_numbers(int32_t rows, int32_t cols)
{
    return calloc((size_t)rows * (size_t)cols + 1, sizeof(double));
}

/* ------------------------------------------------------- the second opinion */

/* S [n*n] = M^(-1/2), symmetric */
static double *inverse_root(const double *M, int32_t n)
{
    double *V = new_numbers(n, n), *S = new_numbers(n, n), *w = new_numbers(n, 1);
    int info = 0, lwork = 40 * n;
    double *room = new_numbers(lwork, 1);
    memcpy(V, M, (size_t)(n * n) * sizeof *V);
    dsyev_("V", "U", &n, V, &n, w, room, &lwork, &info, 1, 1);
    assert_int_equal(info, 0);
    for (int32_t k = 0; k < n; k++) { /* eigenvector k is V[k*n ...] */
        double f = 1 / sqrt(w[k]);
        for (int32_t i = 0; i < n; i++) {
            double fi = f * V[k * n + i];
            for (int32_t j = 0; j < n; j++) {
                S[i * n + j] += fi * V[k * n + j];
            }
        }
    }
    free(V);
    free(w);
    free(room);
    return S;
}

typedef struct svd {
    int32_t rank, k; /* k = min(m, n) */
    double *s;       /* [k] singular values */
    double *right;   /* right vector i at right + i n */
    double *left;    /* entry j of left vector i at left[j k + i] */
} svd;

/* P [m x n] by rows is P^T by columns: its left vectors are P's right ones. */
static svd decompose(const double *P, int32_t m, int32_t n)
{
    svd d = {.k = m < n ? m : n};
    int info = 0, lwork = 8 * (m + n) * (m + n) + 1000;
    double *copy = new_numbers(m, n), *room = new_numbers(lwork, 1);
    int *integers = calloc((size_t)(8 * d.k), sizeof *integers);
    d.right = new_numbers(n, d.k);
    d.left = new_numbers(d.k, m);
    d.s = new_numbers(d.k, 1);
    memcpy(copy, P, (size_t)(m * n) * sizeof *copy);
    dgesdd_("S", &n, &m, copy, &n, d.s, d.right, &n, d.left, &d.k, room, &lwork, integers, &info,
            1);
    assert_int_equal(info, 0);
    while (d.rank < d.k && d.s[d.rank] > 1e-11 * d.s[0]) {
        d.rank++;
    }
    free(copy);
    free(room);
    free(integers);
    return d;
}

/* x [n] := P^+ y, y [m] */
static void pseudo_times(const svd *d, const double *y, int32_t m, int32_t n, double *x)
{
    memset(x, 0, (size_t)n * sizeof *x);
    for (int32_t k = 0; k < d->rank; k++) {
        double t = 0;
        for (int32_t i = 0; i < m; i++) {
            t += d->left[i * d->k + k] * y[i];
        }
        for (int32_t j = 0; j < n; j++) {
            x[j] += t / d->s[k] * d->right[k * n + j];
        }
    }
}

/* x := (I - P^+ P) x */
static void remove_range(const svd *d, int32_t n, double *x)
{
    for (int32_t k = 0; k < d->rank; k++) {
        double t = inner_product(d->right + k * n, x, n);
        for (int32_t j = 0; j < n; j++) {
            x[j] -= t * d->right[k * n + j];
        }
    }
}

/* z [n] by the fundamental equation; returns the rank */
static int32_t fundamental(const problem *p, double *z)
{
    int32_t n = p->n, m = p->m;
    double *S = inverse_root(p->M, n), *P = new_numbers(m, n), *f = new_numbers(n, 1);
    double *c = new_numbers(n, 1), *y = new_numbers(m, 1), *x = new_numbers(n, 1);
    times(S, p->Q, n, n, f);
    times(S, p->C, n, n, c);
    for (int32_t i = 0; i < m; i++) {
        double w = sqrt(p->W[i * m + i]);
        transposed_times(S, p->A + i * n, n, n, P + i * n); /* S is symmetric */
        for (int32_t j = 0; j < n; j++) {
            P[i * n + j] *= w;
        }
        y[i] = w * p->b[i] - inner_product(P + i * n, f, n);
    }
    svd d = decompose(P, m, n);
    pseudo_times(&d, y, m, n, x);
    remove_range(&d, n, c);
    for (int32_t j = 0; j < n; j++) {
        x[j] += f[j] + c[j];
    }
    times(S, x, n, n, z);
    double *all[] = {S, P, f, c, y, x, d.right, d.left, d.s};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
    return d.rank;
}

/* ----------------------------------------------------------------- problems */

/* M = D + v v^T / n summed over a few v: cheap to make, condition of some hundreds. */
static void make_mass(uint64_t *state, problem *p)
{
    int32_t n = p->n;
    double *v = new_numbers(n, 1);
    for (int32_t i = 0; i < n; i++) {
        p->M[i * n + i] = random_real(state, 0.5, 2);
    }
    for (int32_t k = 0; k < 5 && p->mass == ZW_FULL; k++) {
        for (int32_t i = 0; i < n; i++) {
            v[i] = random_real(state, -1, 1);
        }
        for (int32_t i = 0; i < n * n; i++) {
            p->M[i] += v[i / n] * v[i % n];
        }
    }
    free(v);
}

/* m rows of rank r: dyadic, the rest sums of three. */
static problem *make(uint64_t seed, int32_t n, int32_t m, int32_t rank, bool consistent)
{
    uint64_t state = seed;
    problem *p = problem_new(n, m);
    double *z = new_numbers(n, 1);
    p->seed = seed;
    p->mass = seed % 3 == 0 ? ZW_DIAGONAL : ZW_FULL;
    p->weight = seed % 2 == 0 ? ZW_DIAGONAL : ZW_IDENTITY;
    p->with_C = true;
    make_mass(&state, p);
    for (int32_t i = 0; i < rank * n; i++) {
        p->A[i] = random_dyadic(&state);
    }
    for (int32_t i = rank; i < m; i++) {
        for (int32_t k = 0; k < 3; k++) {
            const double *a = p->A + random_integer(&state, 0, rank - 1) * n;
            for (int32_t j = 0; j < n; j++) {
                p->A[i * n + j] += (k + 1) * a[j];
            }
        }
    }
    for (int32_t j = 0; j < n; j++) {
        z[j] = random_dyadic(&state);
        p->Q[j] = random_real(&state, -10, 10);
        p->C[j] = random_real(&state, -10, 10);
    }
    for (int32_t i = 0; i < m; i++) {
        double Az = inner_product(p->A + i * n, z, n);
        p->b[i] = consistent ? Az : random_real(&state, -10, 10);
        p->W[i * m + i] = p->weight == ZW_DIAGONAL ? random_real(&state, 0.5, 2) : 1;
    }
    free(z);
    return p;
}

/* -------------------------------------------------------------- comparisons */

/* A^T W (A z - b) = 0 and u^T (M z - Q - C) = 0 for virtual u, from the raw matrices. */
static void check_equations(verdict *v, const problem *p, solved *s)
{
    int32_t n = p->n, m = p->m;
    double *r = new_numbers(m, 1), *g = new_numbers(n, 1), *f = new_numbers(n, 1);
    times(p->A, s->z, m, n, r);
    for (int32_t i = 0; i < m; i++) {
        r[i] = p->W[i * m + i] * (r[i] - p->b[i]);
    }
    transposed_times(p->A, r, m, n, g);
    double A = norm(p->A, m * n), size = A * (A * norm(s->z, n) + norm(p->b, m));
    verdict_below(v, p, "A^T W (A z - b) = 0", norm(g, n), 1e-13 * size);
    times(p->M, s->z, n, n, f);
    for (int32_t j = 0; j < n; j++) {
        f[j] -= p->Q[j] + p->C[j];
    }
    double *ideal = g, force = norm(f, n) + norm(p->Q, n) + norm(p->C, n);
    verdict_status(v, p, "split", zw_gauss_split(s->g, f, ideal, NULL), ZW_OK);
    verdict_below(v, p, "M z - Q - C = A^T mu", distance(ideal, f, n), 1e-11 * force);
    free(r);
    free(g);
    free(f);
}

static void check_basis(verdict *v, const problem *p, solved *s)
{
    int32_t n = p->n, count = -1;
    double *U = new_numbers(n, n), *Mu = new_numbers(n, 1), worst = 0, worst_row = 0;
    verdict_status(v, p, "basis", zw_gauss_basis(s->g, U, &count), ZW_OK);
    verdict_true(v, p, "n - rank vectors", count == n - s->answer.rank);
    for (int32_t k = 0; k < count && count <= n; k += 7) {
        const double *u = U + k * n;
        times(p->M, u, n, n, Mu);
        for (int32_t l = 0; l < count; l++) {
            worst = fmax(worst, fabs(inner_product(U + l * n, Mu, n) - (l == k ? 1 : 0)));
        }
        for (int32_t i = 0; i < p->m; i++) {
            const double *a = p->A + i * n;
            worst_row = fmax(worst_row, fabs(inner_product(a, u, n)) / (norm(a, n) * norm(u, n)));
        }
    }
    verdict_below(v, p, "u^T M u", worst, 1e-11);
    verdict_below(v, p, "A u = 0", worst_row, 1e-12);
    free(U);
    free(Mu);
}

static void compare(verdict *v, problem *p, int32_t rank, bool consistent)
{
    double *z = new_numbers(p->n, 1), *F = new_numbers(p->n, 1);
    solved s;
    solve_problem(p, &s);
    verdict_status(v, p, "solve", s.status, ZW_OK);
    if (s.status == ZW_OK) {
        verdict_true(v, p, "LAPACK's rank", fundamental(p, z) == rank);
        verdict_true(v, p, "rank", s.answer.rank == rank);
        verdict_true(v, p, "consistent", s.answer.consistent == consistent);
        verdict_below(v, p, "acceleration", relative(s.z, z, p->n), 1e-10);
        transposed_times(p->A, s.lambda, p->m, p->n, F);
        verdict_below(v, p, "Qi = A^T lambda", relative(F, s.Qi, p->n), 1e-11);
        verdict_below(v, p, "certificate", s.answer.certificate, 1e-12);
        check_equations(v, p, &s);
        check_basis(v, p, &s);
    }
    solve_clear(&s);
    free(z);
    free(F);
}

static void run(const int32_t (*sizes)[3], int32_t count, int32_t least)
{
    verdict v = {0};
    for (int32_t i = 0; i < count; i++) {
        int32_t n = sizes[i][0], m = sizes[i][1], rank = sizes[i][2];
        for (int32_t consistent = 0; consistent < 2; consistent++) {
            bool meets = consistent == 1 || rank == m;
            problem *p = make((uint64_t)(2 * i + consistent), n, m, rank, meets);
            compare(&v, p, rank, meets);
            problem_free(p);
        }
    }
    verdict_finish(&v, least);
}

/* Where small problems end and large ones begin. */
static void test_around_the_switch(void **state)
{
    (void)state;
    static const int32_t sizes[][3] = {
        {140, 60, 60},   {147, 90, 70},  {148, 148, 100}, {149, 40, 40},   {150, 80, 80},
        {150, 100, 60},  {151, 80, 80},  {151, 100, 60},  {152, 160, 130}, {153, 1, 1},
        {155, 170, 155}, {157, 30, 20},  {160, 120, 120}, {160, 130, 90},  {20, 160, 20},
        {30, 200, 25},   {170, 170, 60},
    };
    run(sizes, sizeof sizes / sizeof *sizes, 300);
}

static void test_hundreds(void **state)
{
    (void)state;
    static const int32_t sizes[][3] = {
        {200, 100, 100}, {200, 150, 100}, {201, 60, 60},   {250, 280, 200},
        {300, 200, 200}, {300, 200, 120}, {333, 111, 111}, {400, 200, 150},
    };
    run(sizes, sizeof sizes / sizeof *sizes, 150);
}

/* A singular M and an undetermined motion at large size. */
static void test_large_singular(void **state)
{
    (void)state;
    verdict v = {0};
    problem *p = make(5, 180, 90, 90, true);
    for (int32_t j = 0; j < 180 * 180; j++) { /* the first forty have no mass */
        p->M[j] = j / 180 < 40 || j % 180 < 40 ? 0 : p->M[j];
    }
    solved s;
    solve_problem(p, &s);
    verdict_status(&v, p, "solve", s.status, ZW_OK);
    verdict_true(&v, p, "mass_singular", s.answer.mass_singular);
    if (s.status == ZW_OK) {
        check_equations(&v, p, &s);
        check_basis(&v, p, &s);
    }
    solve_clear(&s);
    for (int32_t i = 0; i < p->m; i++) { /* and nothing holds coordinate 17 */
        p->A[i * 180 + 17] = 0;
    }
    double *D = new_numbers(180, 180);
    int32_t count = 0;
    solve_problem(p, &s);
    verdict_status(&v, p, "factor", s.status, ZW_ERR_UNDETERMINED);
    verdict_status(&v, p, "undetermined", zw_gauss_undetermined(s.g, D, &count), ZW_OK);
    verdict_true(&v, p, "one motion", count == 1);
    verdict_below(&v, p, "along coordinate 17", fabs(fabs(D[17]) - 1), 1e-12);
    verdict_below(&v, p, "and no other", norm(D, 180) - 1, 1e-12);
    free(D);
    solve_clear(&s);
    problem_free(p);
    verdict_finish(&v, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_around_the_switch),
        cmocka_unit_test(test_hundreds),
        cmocka_unit_test(test_large_singular),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
