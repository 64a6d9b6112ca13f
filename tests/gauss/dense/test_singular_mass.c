/*
 * test_singular_mass.c: mass matrices that are only semidefinite (Udwadia-Phohomsiri).
 *
 * Where [M; A] has full column rank the acceleration exists, is unique, and is the same for
 * M + alpha A^T W A with Q + alpha A^T W b; otherwise the motions that nothing determines
 * are named. M and A are dyadic, so that singular means singular.
 */
#include "gauss_check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const recipe kinds[] = {
    {1, 8, MASS_SINGULAR, 1, ROWS_INDEPENDENT, ANY_B, ZW_IDENTITY, SCALE_NONE, 0},
    {1, 8, MASS_SINGULAR, 1, ROWS_INDEPENDENT, ANY_B, ZW_FULL, SCALE_NONE, 0},
    {1, 8, MASS_SINGULAR_DIAGONAL, 1, ROWS_INDEPENDENT, ANY_B, ZW_DIAGONAL, SCALE_NONE, 0},
    {1, 8, MASS_SINGULAR, 1, ROWS_REDUNDANT, CONSISTENT, ZW_IDENTITY, SCALE_NONE, 0},
    {1, 8, MASS_SINGULAR_DIAGONAL, 1, ROWS_REDUNDANT, CONSISTENT, ZW_FULL, SCALE_NONE, 0},
    {1, 8, MASS_SINGULAR, 1, ROWS_REDUNDANT, ANY_B, ZW_IDENTITY, SCALE_NONE, 0},
    {1, 8, MASS_SINGULAR, 1, ROWS_REDUNDANT, ANY_B, ZW_DIAGONAL, SCALE_NONE, 0},
    {1, 8, MASS_SINGULAR_DIAGONAL, 1, ROWS_MANY, ANY_B, ZW_FULL, SCALE_NONE, 0},
    {1, 8, MASS_SINGULAR, 1, ROWS_SOME_ZERO, ANY_B, ZW_FULL, SCALE_NONE, 0},
    {9, 16, MASS_SINGULAR, 1, ROWS_REDUNDANT, ANY_B, ZW_IDENTITY, SCALE_NONE, 0},
    {9, 16, MASS_SINGULAR_DIAGONAL, 1, ROWS_REDUNDANT, CONSISTENT, ZW_DIAGONAL, SCALE_NONE, 0},
};
enum { KINDS = sizeof kinds / sizeof *kinds, SEEDS = 60 };

typedef void (*fact)(verdict *v, problem *p, solved *s, oracle *o);

static void for_all(fact f, int32_t least)
{
    verdict v = {0};
    for (int32_t i = 0; i < KINDS * SEEDS; i++) {
        problem *p = problem_make(&kinds[i % KINDS], (uint64_t)(i / KINDS));
        oracle *o = oracle_solve(p);
        solved s;
        solve_problem(p, &s);
        verdict_status(&v, p, "solve", s.status, ZW_OK);
        if (s.status == ZW_OK) {
            f(&v, p, &s, o);
        }
        solve_clear(&s);
        oracle_free(o);
        problem_free(p);
    }
    verdict_finish(&v, least);
}

static bool all_nan(const double *x, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        if (!isnan(x[i])) {
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------- the answers */

static void against_the_oracle(verdict *v, problem *p, solved *s, oracle *o)
{
    int32_t n = p->n, m = p->m;
    double scale = norm(p->Q, n) + norm(p->C, n) + norm(o->ideal, n);
    double *d = calloc((size_t)m, sizeof *d);
    for (int32_t i = 0; i < m; i++) {
        d[i] = s->lambda[i] - o->multipliers[i];
    }
    verdict_true(v, p, "mass_singular", s->answer.mass_singular);
    verdict_true(v, p, "no Gaussian", isnan(s->answer.gaussian));
    verdict_true(v, p, "free acceleration not written", all_nan(s->a, n));
    verdict_true(v, p, "rank", s->answer.rank == o->rank);
    verdict_below(v, p, "acceleration", relative(s->z, o->acceleration, n), 1e-13);
    verdict_below(v, p, "force", distance(s->F, o->force, n), 1e-12 * scale);
    verdict_below(v, p, "ideal force", distance(s->Qi, o->ideal, n), 1e-12 * scale);
    verdict_below(v, p, "non-ideal force", distance(s->Qn, o->nonideal, n), 1e-12 * scale);
    double least = oracle_inverse_norm(p->W, o->multipliers, m);
    least += norm(p->Q, n) / (norm(p->A, m * n) * sqrt(norm(p->W, m * m)));
    verdict_below(v, p, "multipliers", oracle_inverse_norm(p->W, d, m), 1e-11 * least);
    double size = norm(p->b, m) + norm(p->A, m * n) * norm(o->acceleration, n);
    verdict_below(v, p, "inconsistency norm", fabs(s->answer.inconsistency_norm - o->inconsistency),
                  1e-12 * size * sqrt(norm(p->W, m * m)));
    verdict_true(v, p, "consistent", s->answer.consistent == o->consistent);
    free(d);
}

static void test_against_the_oracle(void **state)
{
    (void)state;
    for_all(against_the_oracle, 7000);
}

static void projection_and_split(verdict *v, problem *p, solved *s, oracle *o)
{
    int32_t n = p->n;
    uint64_t state = p->seed;
    double *room = calloc((size_t)(5 * n), sizeof *room), *x = room, *y = room + n;
    double *exact = room + 2 * n, *ideal = room + 3 * n, *nonideal = room + 4 * n;
    for (int32_t j = 0; j < n; j++) {
        x[j] = random_real(&state, -10, 10);
    }
    oracle_project(o, x, exact);
    verdict_status(v, p, "project", zw_gauss_project(s->g, x, y), ZW_OK);
    verdict_below(v, p, "projection", distance(y, exact, n), 1e-12 * (norm(x, n) + norm(exact, n)));
    oracle_split(o, x, exact, y);
    verdict_status(v, p, "split", zw_gauss_split(s->g, x, ideal, nonideal), ZW_OK);
    double allowed = 1e-12 * (norm(x, n) + norm(exact, n));
    verdict_below(v, p, "split: ideal", distance(ideal, exact, n), allowed);
    verdict_below(v, p, "split: non-ideal", distance(nonideal, y, n), allowed);
    free(room);
}

static void test_projection_and_split(void **state)
{
    (void)state;
    for_all(projection_and_split, 3000);
}

/* The motions left by A have inertia: a basis orthonormal in M exists all the same. */
static void basis(verdict *v, problem *p, solved *s, oracle *o)
{
    int32_t n = p->n, count = -1;
    double *U = calloc((size_t)(n * n + n), sizeof *U), *Mu = U + n * n;
    verdict_status(v, p, "basis", zw_gauss_basis(s->g, U, &count), ZW_OK);
    verdict_true(v, p, "n - rank vectors", count == n - o->rank);
    for (int32_t k = 0; k < count && count <= n; k++) {
        const double *u = U + k * n;
        times(p->M, u, n, n, Mu);
        for (int32_t l = 0; l < count; l++) {
            double want = l == k ? 1 : 0;
            verdict_below(v, p, "u^T M u", fabs(inner_product(U + l * n, Mu, n) - want), 1e-11);
        }
        for (int32_t i = 0; i < p->m; i++) {
            const double *a = p->A + i * n;
            verdict_below(v, p, "A u = 0", fabs(inner_product(a, u, n)),
                          1e-12 * norm(a, n) * norm(u, n));
        }
    }
    free(U);
}

static void test_basis(void **state)
{
    (void)state;
    for_all(basis, 3000);
}

/* M + alpha A^T W A and Q + alpha A^T W b: the same acceleration and multipliers. */
static problem *augment(const problem *p, double alpha)
{
    int32_t n = p->n, m = p->m;
    problem *q = problem_copy(p);
    double *WA = calloc((size_t)(m * n + m), sizeof *WA), *Wb = WA + m * n;
    for (int32_t i = 0; i < m; i++) {
        transposed_times(p->A, p->W + i * m, m, n, WA + i * n);
        Wb[i] = inner_product(p->W + i * m, p->b, m);
    }
    for (int32_t j = 0; j < n; j++) {
        for (int32_t k = 0; k < m; k++) {
            q->Q[j] += alpha * p->A[k * n + j] * Wb[k];
        }
        for (int32_t l = 0; l <= j; l++) {
            double sum = 0;
            for (int32_t k = 0; k < m; k++) {
                sum += p->A[k * n + j] * WA[k * n + l];
            }
            q->M[j * n + l] = q->M[l * n + j] = p->M[j * n + l] + alpha * sum;
        }
    }
    q->mass = ZW_FULL;
    free(WA);
    return q;
}

/* The power of two next to tr M / tr(A^T W A), W taken as its diagonal. */
static double alpha_of(const problem *p)
{
    double M = 0, A = 0;
    for (int32_t j = 0; j < p->n; j++) {
        M += p->M[j * p->n + j];
    }
    for (int32_t i = 0; i < p->m; i++) {
        const double *a = p->A + i * p->n;
        A += p->W[i * p->m + i] * inner_product(a, a, p->n);
    }
    return M > 0 && A > 0 ? ldexp(1, ilogb(M / A)) : 1;
}

static void any_alpha(verdict *v, problem *p, solved *s, oracle *o)
{
    (void)o;
    for (int32_t k = -3; k <= 3; k += 2) {
        double *d = calloc((size_t)p->m, sizeof *d);
        problem *q = augment(p, ldexp(alpha_of(p), k));
        solved t;
        solve_problem(q, &t);
        verdict_status(v, p, "solve with alpha", t.status, ZW_OK);
        verdict_true(v, p, "M + alpha A^T W A is regular", !t.answer.mass_singular);
        for (int32_t i = 0; i < p->m; i++) {
            d[i] = t.lambda[i] - s->lambda[i];
        }
        /* Q + alpha A^T W b is rounded, so this is not a test of the last digits */
        double scale = norm(q->Q, p->n) / norm(p->Q, p->n);
        verdict_below(v, p, "motion with alpha", distance(t.z, s->z, p->n),
                      1e-12 * (1 + scale) * motion_scale(p, s->z));
        verdict_below(v, p, "multipliers with alpha", oracle_inverse_norm(p->W, d, p->m),
                      1e-10 * (1 + scale) * oracle_inverse_norm(p->W, s->lambda, p->m));
        solve_clear(&t);
        problem_free(q);
        free(d);
    }
}

static void test_any_alpha(void **state)
{
    (void)state;
    for_all(any_alpha, 5000);
}

/* ------------------------------------------------------ undetermined motions */

/* Turns a problem whose last k coordinates nothing touches by x' = T x, T a product of
 * integer shears, so that the undetermined motions are oblique: M := T^T M T, A := A T. */
static void shear(problem *p, uint64_t *state)
{
    for (int32_t turn = 0; turn < p->n; turn++) {
        int32_t i = random_integer(state, 0, p->n - 1), j = random_integer(state, 0, p->n - 1);
        double c = random_bits(state) % 2 == 0 ? 1 : -1;
        for (int32_t k = 0; k < p->m && i != j; k++) { /* column j += c column i */
            p->A[k * p->n + j] += c * p->A[k * p->n + i];
        }
        for (int32_t k = 0; k < p->n && i != j; k++) {
            p->M[k * p->n + j] += c * p->M[k * p->n + i];
        }
        for (int32_t k = 0; k < p->n && i != j; k++) { /* and row j += c row i */
            p->M[j * p->n + k] += c * p->M[i * p->n + k];
        }
    }
}

/* A problem of which k motions are undetermined: one of n - k coordinates, bordered by
 * zeros; straight (they are coordinates) or oblique. */
static problem *undetermined_problem(uint64_t seed, int32_t k, bool oblique)
{
    uint64_t state = seed;
    recipe r = {.n_min = 1, .n_max = 5, .cond = 1, .rows = ROWS_REDUNDANT, .b = ANY_B};
    r.mass = MASS_SINGULAR;
    r.weight = ZW_IDENTITY;
    problem *small = problem_make(&r, seed), *p = problem_new(small->n + k, small->m);
    memset(p->M, 0, (size_t)(p->n * p->n) * sizeof(double));
    for (int32_t i = 0; i < small->n; i++) {
        for (int32_t j = 0; j < small->n; j++) {
            p->M[i * p->n + j] = small->M[i * small->n + j];
        }
        for (int32_t j = 0; j < p->m; j++) {
            p->A[j * p->n + i] = small->A[j * small->n + i];
        }
    }
    for (int32_t i = 0; i < p->n; i++) {
        p->Q[i] = random_real(&state, -10, 10);
    }
    if (oblique) {
        shear(p, &state);
    }
    p->seed = seed;
    problem_free(small);
    return p;
}

static double largest(const double *x, int32_t n)
{
    double size = 0;
    for (int32_t i = 0; i < n; i++) {
        size = fmax(size, fabs(x[i]));
    }
    return size;
}

static void check_directions(verdict *v, const problem *p, const zw_gauss *g, int32_t want)
{
    int32_t n = p->n, count = -1;
    double *D = calloc((size_t)(n * n + n + p->m), sizeof *D), *Md = D + n * n, *Ad = Md + n;
    verdict_status(v, p, "count alone", zw_gauss_undetermined(g, NULL, &count), ZW_OK);
    verdict_true(v, p, "count", count == want);
    verdict_status(v, p, "directions", zw_gauss_undetermined(g, D, &count), ZW_OK);
    verdict_true(v, p, "count again", count == want);
    for (int32_t k = 0; k < count && count <= n; k++) {
        const double *d = D + k * n;
        times(p->M, d, n, n, Md);
        times(p->A, d, p->m, n, Ad);
        verdict_below(v, p, "no inertia: M d = 0", norm(Md, n), 1e-11 * norm(p->M, n * n));
        verdict_below(v, p, "no constraint: A d = 0", norm(Ad, p->m), 1e-11 * norm(p->A, p->m * n));
        verdict_below(v, p, "largest entry 1", fabs(largest(d, n) - 1), 1e-12);
    }
    if (count == want) {
        verdict_below(v, p, "directions are independent", row_spread(D, count, n), 1e4);
    }
    free(D);
}

static void test_undetermined(void **state)
{
    (void)state;
    verdict v = {0};
    for (uint64_t seed = 0; seed < 400; seed++) {
        int32_t k = 1 + (int32_t)(seed % 3);
        problem *p = undetermined_problem(seed, k, seed % 2 == 0);
        oracle *o = oracle_solve(p);
        solved s;
        char text[512];
        verdict_true(&v, p, "planted", o->undetermined == k);
        solve_problem(p, &s);
        verdict_status(&v, p, "factor", s.status, ZW_ERR_UNDETERMINED);
        if (s.status == ZW_ERR_UNDETERMINED) {
            check_directions(&v, p, s.g, k);
            verdict_true(&v, p, "explained", zw_gauss_explain(s.g, text, sizeof text) > 0);
            verdict_true(&v, p, "names coordinates", strstr(text, "coordinate") != NULL);
            verdict_status(&v, p, "solve", zw_gauss_solve(s.g, p->Q, p->b, NULL, &s.answer),
                           ZW_ERR_ORDER);
            verdict_true(&v, p, "nothing written", all_nan(s.z, p->n));
        }
        solve_clear(&s);
        oracle_free(o);
        problem_free(p);
    }
    verdict_finish(&v, 4000);
}

/* The coordinates by number: 1 and 3 of four are touched by nothing. */
static void test_names_of_coordinates(void **state)
{
    (void)state;
    problem *p = problem_new(4, 1);
    p->M[5] = p->M[15] = 0;
    p->A[0] = 1;
    p->mass = ZW_DIAGONAL;
    solved s;
    char text[512];
    double D[16];
    int32_t count = 0;
    solve_problem(p, &s);
    assert_int_equal(s.status, ZW_ERR_UNDETERMINED);
    assert_true(zw_gauss_explain(s.g, text, sizeof text) > 0);
    assert_non_null(strstr(text, "1"));
    assert_non_null(strstr(text, "3"));
    assert_null(strstr(text, "0"));
    assert_null(strstr(text, "2"));
    assert_int_equal(zw_gauss_undetermined(s.g, D, &count), ZW_OK);
    assert_int_equal(count, 2);
    /* both lie in the plane of coordinates 1 and 3 */
    for (int32_t k = 0; k < 2; k++) {
        assert_true(fabs(D[4 * k]) < 1e-14 && fabs(D[4 * k + 2]) < 1e-14);
    }
    solve_clear(&s);
    problem_free(p);
}

/* M = 0: determined by the constraints alone, or not at all. */
static void test_no_mass(void **state)
{
    (void)state;
    problem *p = problem_new(1, 1);
    solved s;
    p->M[0] = 0;
    p->Q[0] = 5;
    p->A[0] = 2;
    p->b[0] = 3;
    solve_problem(p, &s);
    assert_int_equal(s.status, ZW_OK);
    assert_true(s.z[0] == 1.5 && s.Qi[0] == -5 && s.lambda[0] == -2.5);
    assert_true(s.answer.mass_singular);
    solve_clear(&s);
    p->A[0] = 0;
    solve_problem(p, &s);
    assert_int_equal(s.status, ZW_ERR_UNDETERMINED);
    solve_clear(&s);
    problem_free(p);
    p = problem_new(1, 0);
    p->M[0] = 0;
    solve_problem(p, &s);
    assert_int_equal(s.status, ZW_ERR_UNDETERMINED);
    solve_clear(&s);
    problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_the_oracle),
        cmocka_unit_test(test_projection_and_split),
        cmocka_unit_test(test_basis),
        cmocka_unit_test(test_any_alpha),
        cmocka_unit_test(test_undetermined),
        cmocka_unit_test(test_names_of_coordinates),
        cmocka_unit_test(test_no_mass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
