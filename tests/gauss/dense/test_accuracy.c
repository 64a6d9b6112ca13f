/*
 * test_accuracy.c: every number that solve returns, against the exact one.
 *
 * The relative error of the acceleration is at most 1e-13 for cond(M) <= 1e4, at most 1e-11
 * at 1e10, with independent, redundant and contradicting rows, weights, and eigenvectors
 * of M in general position. Everything else is measured on the scale of the equation it
 * stands in, with ten or a hundred times that allowance.
 */
#include "gauss_check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* What the relative error of the acceleration may be. */
static double allowed_error(const problem *p)
{
    double base = p->made.cond <= 1e4 ? 1e-13 : p->made.cond <= 1e10 ? 1e-11 : 1e-10;
    if (p->made.rows == ROWS_GENERIC) { /* nothing keeps these rows apart */
        base *= fmax(1, p->spread / 30);
    }
    return p->made.rows == ROWS_NEAR ? base / (10 * p->made.near) : base;
}

/* The same of M^-1 Q, for which nothing better than cond(M) eps is promised. */
static double free_error(const problem *p)
{
    return fmax(allowed_error(p), 1e-15 * p->made.cond);
}

/* sum |A_i| |lambda_i|: A^T lambda is rounded on this scale */
static double multiplier_scale(const problem *p, const oracle *o)
{
    double size = 0;
    for (int32_t i = 0; i < p->m; i++) {
        size += norm(p->A + i * p->n, p->n) * fabs(o->multipliers[i]);
    }
    return size;
}

/* ------------------------------------------------------- groups of numbers */

static void compare_rank(verdict *v, const problem *p, const solved *s, const oracle *o)
{
    zw_gauss_rank_info info = {0};
    verdict_true(v, p, "answer.rank", s->answer.rank == o->rank);
    verdict_status(v, p, "zw_gauss_rank", zw_gauss_rank(s->g, &info), ZW_OK);
    verdict_true(v, p, "rank", info.rank == o->rank);
    verdict_true(v, p, "rank gap", info.accepted > info.tolerance);
    verdict_true(v, p, "rank gap below", info.rejected <= info.tolerance);
    verdict_true(v, p, "no pivot accepted is 1", o->rank > 0 || info.accepted == 1);
    verdict_true(v, p, "no pivot rejected is 0", o->rank < p->m || info.rejected == 0);
    if (p->made.rows != ROWS_NEAR) { /* those may be close to the tolerance in the metric of M */
        verdict_true(v, p, "rank is clear", !info.ambiguous);
    }
}

static void compare_motion(verdict *v, const problem *p, const solved *s, const oracle *o)
{
    double allowed = allowed_error(p);
    verdict_below(v, p, "acceleration", relative(s->z, o->acceleration, p->n), allowed);
    verdict_below(v, p, "free acceleration", relative(s->a, o->free_acceleration, p->n),
                  free_error(p));
    verdict_true(v, p, "M is not singular", !s->answer.mass_singular);
    /* rounding z to doubles alone leaves a residual of cond(M) eps, measured by the force;
     * nearly dependent rows, with their huge multipliers, do the like */
    double certificate = fmax(1e-12, 1e-15 * p->made.cond);
    verdict_below(v, p, "certificate", s->answer.certificate,
                  p->made.rows == ROWS_NEAR ? 1e-6 : certificate);
    verdict_true(v, p, "certificate is a size", s->answer.certificate >= 0);
}

static void compare_forces(verdict *v, const problem *p, const solved *s, const oracle *o)
{
    int32_t n = p->n;
    double scale = norm(p->Q, n) + norm(p->C, n) + norm(o->ideal, n);
    double allowed = 10 * allowed_error(p) * scale + 1e-15 * multiplier_scale(p, o);
    double *sum = malloc((size_t)n * sizeof *sum);
    for (int32_t i = 0; i < n; i++) {
        sum[i] = s->Qi[i] + s->Qn[i];
    }
    verdict_below(v, p, "force", distance(s->F, o->force, n), allowed);
    verdict_below(v, p, "ideal force", distance(s->Qi, o->ideal, n), allowed);
    verdict_below(v, p, "non-ideal force", distance(s->Qn, o->nonideal, n), allowed);
    verdict_below(v, p, "force is the sum of its parts", distance(sum, s->F, n), allowed);
    free(sum);
}

/* Multipliers, in the norm that chooses among them. Over scaled rows being the least fixes
 * them to the root of rounding only, in the directions that make no force; their norm, and
 * where no row is scaled the forces |A_i| lambda_i, are fixed better. */
static void compare_multipliers(verdict *v, const problem *p, const solved *s, const oracle *o)
{
    double force = norm(p->Q, p->n) + norm(o->ideal, p->n) + multiplier_scale(p, o), error = 0;
    double *d = malloc((size_t)(p->m + 1) * sizeof *d), allowed = allowed_error(p);
    for (int32_t i = 0; i < p->m; i++) {
        d[i] = s->lambda[i] - o->multipliers[i];
        error = fmax(error, norm(p->A + i * p->n, p->n) * fabs(d[i]));
    }
    double least = oracle_inverse_norm(p->W, o->multipliers, p->m);
    double off = oracle_inverse_norm(p->W, d, p->m);
    double got = oracle_inverse_norm(p->W, s->lambda, p->m);
    verdict_below(v, p, "norm of the multipliers", got, least * (1 + 1000 * allowed));
    if (p->made.scale == SCALE_NONE) {
        verdict_below(v, p, "multipliers", off, 1000 * allowed * least);
        verdict_below(v, p, "multipliers as forces", error, 100 * allowed * force);
    } else {
        verdict_below(v, p, "multipliers of scaled rows", off, fmax(1000 * allowed, 1e-6) * least);
    }
    free(d);
}

/* |b_i| + |A_i| |z|: what the residual of row i is to be measured with */
static double *row_scales(const problem *p, const oracle *o)
{
    double *scale = malloc((size_t)(p->m + 1) * sizeof *scale);
    for (int32_t i = 0; i < p->m; i++) {
        scale[i] = fabs(p->b[i]) + norm(p->A + i * p->n, p->n) * norm(o->acceleration, p->n);
    }
    return scale;
}

static double trace(const double *W, int32_t m)
{
    double s = 0;
    for (int32_t i = 0; i < m; i++) {
        s += W[i * m + i];
    }
    return s;
}

/* An upper bound of ten times what may be called rounding, |P| |M^(1/2) z| included. */
static double conflict_size(const problem *p, const oracle *o)
{
    double Az = norm(p->A, p->m * p->n) * norm(o->acceleration, p->n);
    return 1e-8 * sqrt(trace(p->W, p->m)) * (norm(p->b, p->m) + sqrt(10 * p->made.cond) * Az);
}

static void compare_residual(verdict *v, const problem *p, const solved *s, const oracle *o)
{
    int32_t m = p->m, n = p->n;
    double *scale = row_scales(p, o), *r = malloc((size_t)(m + 1) * sizeof *r), worst = 0;
    times(p->A, s->z, m, n, r);
    for (int32_t i = 0; i < m; i++) {
        double error = fabs(s->residual[i] - (r[i] - p->b[i]));
        worst = fmax(worst, scale[i] > 0 ? error / scale[i] : error);
        r[i] = s->delta[i] - o->residual[i];
    }
    double allowed = 10 * allowed_error(p) * sqrt(trace(p->W, m)) * norm(scale, m);
    verdict_below(v, p, "residual is A z - b", worst, 1e-15 * (n + 2));
    verdict_below(v, p, "inconsistency", norm_in(p->W, r, m), allowed);
    verdict_below(v, p, "inconsistency norm", fabs(s->answer.inconsistency_norm - o->inconsistency),
                  allowed);
    verdict_true(v, p, "inconsistency is 0 for independent rows",
                 o->rank < m || s->answer.inconsistency_norm == 0);
    verdict_true(v, p, "consistent", s->answer.consistent || !o->consistent);
    verdict_true(v, p, "not consistent",
                 !s->answer.consistent || !(o->inconsistency > conflict_size(p, o)));
    free(scale);
    free(r);
}

/* balance = Q + Qi + Qn - M z, and small */
static void compare_balance(verdict *v, const problem *p, const solved *s, const oracle *o)
{
    int32_t n = p->n;
    double *r = malloc((size_t)n * sizeof *r);
    double Mz = norm(p->M, n * n) * norm(o->acceleration, n);
    double scale = norm(p->Q, n) + norm(p->C, n) + Mz + multiplier_scale(p, o);
    times(p->M, s->z, n, n, r);
    for (int32_t i = 0; i < n; i++) {
        r[i] = p->Q[i] + s->Qi[i] + s->Qn[i] - r[i];
    }
    verdict_below(v, p, "equation of motion", norm(r, n), 1e-13 * scale);
    verdict_below(v, p, "balance", norm(s->balance, n), 1e-13 * scale);
    /* the multipliers of C, which are not returned, may be larger than those of Q */
    verdict_below(v, p, "balance is what it says", distance(s->balance, r, n),
                  (p->made.rows == ROWS_NEAR ? 1e-12 : 1e-14) * scale);
    free(r);
}

/* The Gaussian is a square: its root errs like an acceleration in the M norm. */
static void compare_gaussian(verdict *v, const problem *p, const solved *s, const oracle *o)
{
    double root = sqrt(o->gaussian);
    double e = 10 * free_error(p) * (norm_in(p->M, o->acceleration, p->n) + root);
    verdict_below(v, p, "gaussian", fabs(s->answer.gaussian - o->gaussian), 2 * root * e + e * e);
}

/* U M U^T = I as far as a factor of M can tell, and A u = 0 row by row. */
static void compare_basis(verdict *v, const problem *p, const solved *s, const oracle *o)
{
    int32_t n = p->n, count = -1;
    double *U = malloc((size_t)(n * n + n) * sizeof *U), *Mu = U + n * n, worst = 0, row = 0;
    verdict_status(v, p, "zw_gauss_basis", zw_gauss_basis(s->g, U, &count), ZW_OK);
    verdict_true(v, p, "n - rank basis vectors", count == n - o->rank);
    for (int32_t k = 0; k < count && count <= n; k++) {
        const double *u = U + k * n;
        times(p->M, u, n, n, Mu);
        for (int32_t l = 0; l <= k; l++) {
            worst = fmax(worst, fabs(inner_product(U + l * n, Mu, n) - (l == k ? 1 : 0)));
        }
        for (int32_t i = 0; i < p->m; i++) {
            const double *a = p->A + i * n;
            double size = norm(a, n) * norm(u, n);
            row = fmax(row, size > 0 ? fabs(inner_product(a, u, n)) / size : 0);
        }
    }
    verdict_below(v, p, "u^T M u", worst, fmax(1e-11, 1e-15 * p->made.cond));
    verdict_below(v, p, "A u = 0", row, fmax(1e-12, 1e-14 * sqrt(p->made.cond)));
    free(U);
}

static void compare(verdict *v, const problem *p)
{
    solved s;
    oracle *o = oracle_solve(p);
    solve_problem(p, &s);
    verdict_status(v, p, "solve", s.status, ZW_OK);
    if (s.status == ZW_OK) {
        compare_rank(v, p, &s, o);
        compare_motion(v, p, &s, o);
        compare_forces(v, p, &s, o);
        compare_multipliers(v, p, &s, o);
        compare_residual(v, p, &s, o);
        compare_balance(v, p, &s, o);
        compare_gaussian(v, p, &s, o);
        if (p->made.rows != ROWS_NEAR) {
            compare_basis(v, p, &s, o);
        }
    }
    solve_clear(&s);
    oracle_free(o);
}

/* ------------------------------------------------------------------ recipes */

typedef struct rows_choice {
    rows_shape rows;
    right_side b;
} rows_choice;

typedef struct mass_choice {
    mass_shape mass;
    double cond;
} mass_choice;

static const rows_choice all_rows[] = {
    {ROWS_NONE, ANY_B},      {ROWS_ZERO, ANY_B},      {ROWS_INDEPENDENT, ANY_B},
    {ROWS_GENERIC, ANY_B},   {ROWS_MANY, CONSISTENT}, {ROWS_REDUNDANT, CONSISTENT},
    {ROWS_REDUNDANT, ANY_B}, {ROWS_MANY, ANY_B},      {ROWS_SOME_ZERO, ANY_B},
    {ROWS_ZERO, CONSISTENT},
};
enum { ALL_ROWS = sizeof all_rows / sizeof *all_rows };

/* Every mass with every sort of rows and every weight, `seeds` of each. */
static void compare_all(verdict *v, recipe r, const mass_choice *masses, int32_t mass_count,
                        uint64_t seeds)
{
    for (int32_t i = 0; i < mass_count * ALL_ROWS * 3; i++) {
        const mass_choice *mass = &masses[i % mass_count];
        const rows_choice *rows = &all_rows[i / mass_count % ALL_ROWS];
        r.mass = mass->mass;
        r.cond = mass->cond;
        r.rows = rows->rows;
        r.b = rows->b;
        r.weight = (zw_matrix_kind)(i / mass_count / ALL_ROWS);
        for (uint64_t seed = 1; seed <= seeds; seed++) {
            problem *p = problem_make(&r, seed);
            compare(v, p);
            problem_free(p);
        }
    }
}

static void test_tame_mass(void **state)
{
    (void)state;
    static const mass_choice masses[] = {{MASS_GENERIC, 1},
                                         {MASS_GENERIC, 1e2},
                                         {MASS_GENERIC, 1e4},
                                         {MASS_DIAGONAL, 1e4},
                                         {MASS_SCALED, 1e4}};
    verdict v = {0};
    compare_all(&v, (recipe){.n_min = 1, .n_max = 8}, masses, 5, 24);
    compare_all(&v, (recipe){.n_min = 1, .n_max = 1}, masses, 1, 12);
    compare_all(&v, (recipe){.n_min = 9, .n_max = 20}, masses + 1, 3, 4);
    verdict_finish(&v, 80000);
}

static void test_bad_mass(void **state)
{
    (void)state;
    static const mass_choice masses[] = {
        {MASS_GENERIC, 1e10}, {MASS_DIAGONAL, 1e10}, {MASS_SCALED, 1e10}, {MASS_GENERIC, 1e7},
        {MASS_GENERIC, 1e12}, {MASS_DIAGONAL, 1e12}, {MASS_SCALED, 1e12}};
    verdict v = {0};
    compare_all(&v, (recipe){.n_min = 2, .n_max = 8}, masses, 7, 8);
    compare_all(&v, (recipe){.n_min = 9, .n_max = 16}, masses, 2, 2);
    verdict_finish(&v, 30000);
}

/* Rows over eight decades. When they contradict each other these are weights over sixteen:
 * a test of its own, `stiff`. */
static void compare_scaled(bool stiff)
{
    static const mass_choice masses[] = {{MASS_GENERIC, 1e2}, {MASS_DIAGONAL, 1e4}};
    static const row_scale scales[] = {SCALE_TWO, SCALE_TEN};
    verdict v = {0};
    for (int32_t i = 0; i < 2 * 2 * ALL_ROWS * 3 * 12; i++) {
        const rows_choice *rows = &all_rows[i / 4 % ALL_ROWS];
        recipe r = {.n_min = 1, .n_max = 8, .scale = scales[i % 2], .rows = rows->rows};
        r.b = rows->b;
        r.mass = masses[i / 2 % 2].mass;
        r.cond = masses[i / 2 % 2].cond;
        r.weight = (zw_matrix_kind)(i / 4 / ALL_ROWS % 3);
        bool contradicting = r.b == ANY_B && r.rows != ROWS_INDEPENDENT && r.rows != ROWS_GENERIC;
        if ((contradicting && r.weight != ZW_FULL) == stiff) {
            problem *p = problem_make(&r, (uint64_t)i);
            compare(&v, p);
            problem_free(p);
        }
    }
    verdict_finish(&v, 7000);
}

static void test_scaled_rows(void **state)
{
    (void)state;
    compare_scaled(false);
}

static void test_stiff_rows(void **state)
{
    (void)state;
    compare_scaled(true);
}

static void test_nearly_dependent_rows(void **state)
{
    (void)state;
    verdict v = {0};
    for (uint64_t seed = 1; seed <= 600; seed++) {
        recipe r = {.n_min = 2, .n_max = 8, .mass = MASS_GENERIC, .cond = 1e2, .rows = ROWS_NEAR};
        r.near = seed % 2 == 0 ? 1e-6 : 1e-9;
        r.b = seed % 4 < 2 ? ANY_B : CONSISTENT;
        r.weight = (zw_matrix_kind)(seed % 3);
        problem *p = problem_make(&r, seed);
        compare(&v, p);
        problem_free(p);
    }
    verdict_finish(&v, 6000);
}

/* Factors of W may mix rows into nothing: see problem_cancelling. */
static void test_cancelling_weight(void **state)
{
    (void)state;
    verdict v = {0};
    for (uint64_t seed = 1; seed <= 400; seed++) {
        problem *p = problem_cancelling(seed, seed % 4 < 2 ? CONSISTENT : ANY_B);
        compare(&v, p);
        problem_free(p);
    }
    verdict_finish(&v, 8000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tame_mass),
        cmocka_unit_test(test_bad_mass),
        cmocka_unit_test(test_scaled_rows),
        cmocka_unit_test(test_stiff_rows),
        cmocka_unit_test(test_nearly_dependent_rows),
        cmocka_unit_test(test_cancelling_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
