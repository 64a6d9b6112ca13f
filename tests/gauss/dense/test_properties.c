/*
 * test_properties.c: the facts of the theory, one test each, over many problems.
 *
 * Most need no oracle: a fact relates answers of the library to each other or to the raw
 * matrices. Where a projection or a split is asked for, the oracle knows it exactly.
 */
#include "gauss_check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SEEDS = 50 };

/* The kinds of problem each fact is tried on. */
static const recipe kinds[] = {
    {1, 8, MASS_GENERIC, 1e2, ROWS_INDEPENDENT, ANY_B, ZW_IDENTITY, SCALE_NONE, 0},
    {1, 8, MASS_GENERIC, 1e4, ROWS_INDEPENDENT, ANY_B, ZW_FULL, SCALE_TWO, 0},
    {1, 8, MASS_DIAGONAL, 1e4, ROWS_INDEPENDENT, ANY_B, ZW_DIAGONAL, SCALE_TEN, 0},
    {1, 8, MASS_GENERIC, 1e4, ROWS_REDUNDANT, CONSISTENT, ZW_IDENTITY, SCALE_NONE, 0},
    {1, 8, MASS_SCALED, 1e4, ROWS_REDUNDANT, CONSISTENT, ZW_FULL, SCALE_TWO, 0},
    {1, 8, MASS_DIAGONAL, 1e2, ROWS_MANY, CONSISTENT, ZW_DIAGONAL, SCALE_NONE, 0},
    {1, 8, MASS_GENERIC, 1e2, ROWS_REDUNDANT, ANY_B, ZW_IDENTITY, SCALE_NONE, 0},
    {1, 8, MASS_GENERIC, 1e4, ROWS_REDUNDANT, ANY_B, ZW_FULL, SCALE_NONE, 0},
    {1, 8, MASS_DIAGONAL, 1e4, ROWS_MANY, ANY_B, ZW_FULL, SCALE_NONE, 0},
    {1, 8, MASS_SCALED, 1e4, ROWS_SOME_ZERO, ANY_B, ZW_DIAGONAL, SCALE_NONE, 0},
    {1, 4, MASS_GENERIC, 1e2, ROWS_NONE, ANY_B, ZW_IDENTITY, SCALE_NONE, 0},
    {1, 4, MASS_GENERIC, 1e2, ROWS_ZERO, ANY_B, ZW_FULL, SCALE_NONE, 0},
    {1, 1, MASS_DIAGONAL, 1, ROWS_MANY, ANY_B, ZW_DIAGONAL, SCALE_NONE, 0},
    {9, 20, MASS_GENERIC, 1e2, ROWS_REDUNDANT, ANY_B, ZW_DIAGONAL, SCALE_NONE, 0},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

typedef void (*fact)(verdict *v, problem *p, solved *s, uint64_t *state);

/* Solves each problem (with C, whatever the recipe) and states the fact about it. */
static void for_all(fact f, int32_t least)
{
    verdict v = {0};
    for (int32_t i = 0; i < KINDS * SEEDS; i++) {
        uint64_t state = (uint64_t)i;
        problem *p = problem_make(&kinds[i % KINDS], (uint64_t)(i / KINDS) + 1000);
        p->with_C = true;
        for (int32_t j = 0; j < p->n; j++) {
            p->C[j] = random_real(&state, -10, 10);
        }
        solved s;
        solve_problem(p, &s);
        verdict_status(&v, p, "solve", s.status, ZW_OK);
        if (s.status == ZW_OK) {
            f(&v, p, &s, &state);
        }
        solve_clear(&s);
        problem_free(p);
    }
    verdict_finish(&v, least);
}

static double *new_vector(int32_t n)
{
    return calloc((size_t)n + 1, sizeof(double));
}

static double *random_vector(uint64_t *state, int32_t n)
{
    double *x = new_vector(n);
    for (int32_t i = 0; i < n; i++) {
        x[i] = random_real(state, -10, 10);
    }
    return x;
}

/* An M-orthonormal basis, [*count * n]. */
static double *basis_of(verdict *v, const problem *p, const solved *s, int32_t *count)
{
    double *U = new_vector(p->n * p->n);
    *count = -1;
    verdict_status(v, p, "zw_gauss_basis", zw_gauss_basis(s->g, U, count), ZW_OK);
    verdict_true(v, p, "n - rank basis vectors", *count == p->n - s->answer.rank);
    *count = *count < 0 || *count > p->n ? 0 : *count;
    return U;
}

static double force_scale(const problem *p, const solved *s)
{
    return norm(p->Q, p->n) + norm(p->C, p->n) + norm(s->Qi, p->n);
}

/* --------------------------------------------------------------- the basis */

/* A u = 0, row by row relative to |A_i| |u|, and U M U^T = I. */
static void basis_is_orthonormal(verdict *v, problem *p, solved *s, uint64_t *state)
{
    (void)state;
    int32_t count = 0, n = p->n;
    double *U = basis_of(v, p, s, &count), *Mu = new_vector(n);
    for (int32_t k = 0; k < count; k++) {
        const double *u = U + k * n;
        for (int32_t i = 0; i < p->m; i++) {
            const double *a = p->A + i * n;
            verdict_below(v, p, "A u = 0", fabs(inner_product(a, u, n)),
                          1e-12 * norm(a, n) * norm(u, n));
        }
        times(p->M, u, n, n, Mu);
        for (int32_t l = 0; l < count; l++) {
            double want = l == k ? 1 : 0;
            verdict_below(v, p, "u^T M u", fabs(inner_product(U + l * n, Mu, n) - want), 1e-11);
        }
    }
    free(U);
    free(Mu);
}

static void test_basis(void **state)
{
    (void)state;
    for_all(basis_is_orthonormal, 4000);
}

/* ------------------------------------------------------------ the projector */

static void projector_facts(verdict *v, problem *p, solved *s, uint64_t *state)
{
    int32_t n = p->n;
    double *x = random_vector(state, n), *w = random_vector(state, n), *y = new_vector(n);
    double *again = new_vector(n), *Pw = new_vector(n), *exact = new_vector(n);
    double *My = new_vector(n), *MPw = new_vector(n);
    oracle *o = oracle_solve(p);
    oracle_project(o, x, exact);
    verdict_status(v, p, "zw_gauss_project", zw_gauss_project(s->g, x, y), ZW_OK);
    verdict_below(v, p, "projection", distance(y, exact, n), 1e-12 * (norm(x, n) + norm(exact, n)));
    zw_gauss_project(s->g, y, again);
    verdict_below(v, p, "idempotent", distance(again, y, n), 1e-12 * (norm(x, n) + norm(y, n)));
    /* w^T M (P x) = (P w)^T M x */
    zw_gauss_project(s->g, w, Pw);
    times(p->M, y, n, n, My);
    times(p->M, Pw, n, n, MPw);
    double scale = norm_in(p->M, x, n) * norm_in(p->M, w, n);
    verdict_below(v, p, "self-adjoint in M",
                  fabs(inner_product(w, My, n) - inner_product(x, MPw, n)), 1e-12 * scale);
    verdict_below(v, p, "shortens in M", norm_in(p->M, y, n), (1 + 1e-12) * norm_in(p->M, x, n));
    for (int32_t i = 0; i < p->m; i++) {
        const double *a = p->A + i * n;
        verdict_below(v, p, "A P x = 0", fabs(inner_product(a, y, n)),
                      1e-12 * norm(a, n) * (norm(x, n) + norm(y, n)));
    }
    zw_gauss_project(s->g, x, x); /* in place */
    verdict_true(v, p, "in place", memcmp(x, y, (size_t)n * sizeof *x) == 0);
    oracle_free(o);
    double *all[] = {x, w, y, again, Pw, exact, My, MPw};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
}

static void test_projector(void **state)
{
    (void)state;
    for_all(projector_facts, 6000);
}

/* For any z0 that meets ideal, consistent constraints: z - z0 = P (a - z0). */
static void projection_of_free(verdict *v, problem *p, solved *s, uint64_t *state)
{
    (void)state;
    if (!s->answer.consistent) {
        return;
    }
    int32_t n = p->n, count = 0;
    double *z0 = new_vector(n), *x = new_vector(n), *y = new_vector(n);
    double *U = basis_of(v, p, s, &count), size = 0;
    zw_gauss_answer ideal = {.acceleration = z0, .free_acceleration = x};
    zw_gauss_solve(s->g, p->Q, given_b(p), NULL, &ideal);
    memcpy(s->z, z0, (size_t)n * sizeof *z0);
    for (int32_t k = 0; k < count; k++) { /* another admissible one */
        double t = random_real(state, -1, 1) * norm(s->z, n) / norm(U + k * n, n);
        for (int32_t j = 0; j < n; j++) {
            z0[j] += t * U[k * n + j];
        }
    }
    size = norm(x, n) + norm(z0, n) + norm(s->z, n);
    for (int32_t j = 0; j < n; j++) {
        x[j] -= z0[j];
    }
    zw_gauss_project(s->g, x, y);
    for (int32_t j = 0; j < n; j++) {
        y[j] += z0[j];
    }
    verdict_below(v, p, "z = z0 + P (a - z0)", distance(y, s->z, n), 1e-12 * size);
    free(z0);
    free(x);
    free(y);
    free(U);
}

static void test_projection_of_free_acceleration(void **state)
{
    (void)state;
    for_all(projection_of_free, 1000);
}

/* ----------------------------------------------------- parts of the force */

/* P1, P2: u^T Qi = 0; M^-1 Qn = z - z(C = 0) is virtual; Qi and Qn are M^-1 orthogonal.
 * Qi does not depend on C. */
static void parts_of_the_force(verdict *v, problem *p, solved *s, uint64_t *state)
{
    (void)state;
    int32_t n = p->n, count = 0;
    double *U = basis_of(v, p, s, &count), *z = new_vector(n), *Qi = new_vector(n);
    double *d = new_vector(n), *Md = new_vector(n), scale = force_scale(p, s);
    zw_gauss_answer ideal = {.acceleration = z, .force_ideal = Qi};
    zw_gauss_solve(s->g, p->Q, given_b(p), NULL, &ideal);
    for (int32_t j = 0; j < n; j++) {
        d[j] = s->z[j] - z[j];
    }
    double size = norm(s->z, n) + norm(z, n);
    for (int32_t k = 0; k < count; k++) {
        const double *u = U + k * n;
        verdict_below(v, p, "P1: u^T Qi = 0", fabs(inner_product(u, s->Qi, n)),
                      1e-12 * norm(u, n) * scale);
        verdict_below(v, p, "u^T Qn = u^T C",
                      fabs(inner_product(u, s->Qn, n) - inner_product(u, p->C, n)),
                      1e-11 * norm(u, n) * scale);
    }
    for (int32_t i = 0; i < p->m; i++) {
        const double *a = p->A + i * n;
        verdict_below(v, p, "P1: A M^-1 Qn = 0", fabs(inner_product(a, d, n)),
                      1e-12 * norm(a, n) * size);
    }
    times(p->M, d, n, n, Md);
    verdict_below(v, p, "Qn = M (z - z(C = 0))", distance(s->Qn, Md, n),
                  1e-12 * (scale + norm(p->M, n * n) * size));
    verdict_below(v, p, "P2: Qi and Qn orthogonal", fabs(inner_product(s->Qi, d, n)),
                  1e-12 * scale * size);
    verdict_below(v, p, "Qi does not depend on C", distance(Qi, s->Qi, n), 1e-12 * scale);
    free(U);
    free(z);
    free(Qi);
    free(d);
    free(Md);
}

static void test_parts_of_the_force(void **state)
{
    (void)state;
    for_all(parts_of_the_force, 5000);
}

/* P3: any other force that makes consistent constraints hold, Qi + M u, is larger in M^-1:
 * |Qi + M u|^2 = (M^-1 Qi + u)^T (Qi + M u) with M^-1 Qi = z - a. */
static void least_force(verdict *v, problem *p, solved *s, uint64_t *state)
{
    if (!s->answer.consistent || s->answer.rank == p->n) {
        return;
    }
    int32_t n = p->n;
    double *z = new_vector(n), *Qi = new_vector(n), *x = random_vector(state, n);
    double *u = new_vector(n), *Mu = new_vector(n);
    zw_gauss_answer ideal = {.acceleration = z, .force_ideal = Qi};
    zw_gauss_solve(s->g, p->Q, given_b(p), NULL, &ideal);
    zw_gauss_project(s->g, x, u);
    times(p->M, u, n, n, Mu);
    double least = 0, other = 0;
    for (int32_t j = 0; j < n; j++) {
        double y = z[j] - s->a[j];
        least += y * Qi[j];
        other += (y + u[j]) * (Qi[j] + Mu[j]);
    }
    verdict_below(v, p, "P3: |Qi| is least", least, other);
    verdict_below(v, p, "G of the ideal motion is |Qi|^2", fabs(ideal.gaussian - least),
                  1e-10 * (norm_in(p->M, z, n) + norm_in(p->M, s->a, n)) *
                      (norm_in(p->M, z, n) + norm_in(p->M, s->a, n)));
    free(z);
    free(Qi);
    free(x);
    free(u);
    free(Mu);
}

static void test_least_force(void **state)
{
    (void)state;
    for_all(least_force, 600);
}

/* C and C + A^T mu give the same motion. */
static void only_work_matters(verdict *v, problem *p, solved *s, uint64_t *state)
{
    int32_t n = p->n;
    double *mu = random_vector(state, p->m), *C = new_vector(n), *z = new_vector(n);
    double *Qn = new_vector(n);
    for (int32_t i = 0; i < p->m; i++) { /* forces of the same size whatever the row's */
        double length = norm(p->A + i * n, n);
        mu[i] = length > 0 ? mu[i] / length : 0;
    }
    transposed_times(p->A, mu, p->m, n, C);
    double scale = norm(C, n) + force_scale(p, s);
    for (int32_t j = 0; j < n; j++) {
        C[j] += p->C[j];
    }
    zw_gauss_answer other = {.acceleration = z, .force_nonideal = Qn};
    zw_gauss_solve(s->g, p->Q, given_b(p), C, &other);
    /* rounding of C itself moves z by M^-1 of it: cond(M) / |M| */
    double mobility = sqrt((double)n) * p->made.cond / norm(p->M, n * n);
    verdict_below(v, p, "C + A^T mu: motion", distance(z, s->z, n),
                  1e-13 * norm(s->z, n) + 1e-15 * mobility * scale);
    verdict_below(v, p, "C + A^T mu: Qn", distance(Qn, s->Qn, n), 1e-12 * scale);
    free(mu);
    free(C);
    free(z);
    free(Qn);
}

static void test_only_work_matters(void **state)
{
    (void)state;
    for_all(only_work_matters, 1000);
}

/* Any force splits; the constraint force itself splits into the parts solve returned. */
static void split_facts(verdict *v, problem *p, solved *s, uint64_t *state)
{
    int32_t n = p->n;
    double *F = random_vector(state, n), *ideal = new_vector(n), *nonideal = new_vector(n);
    double *exact_ideal = new_vector(n), *exact_nonideal = new_vector(n), *sum = new_vector(n);
    oracle *o = oracle_solve(p);
    double allowed = 1e-12 * norm(F, n);
    oracle_split(o, F, exact_ideal, exact_nonideal);
    verdict_status(v, p, "zw_gauss_split", zw_gauss_split(s->g, F, ideal, nonideal), ZW_OK);
    allowed += 1e-12 * norm(exact_ideal, n);
    verdict_below(v, p, "split: ideal", distance(ideal, exact_ideal, n), allowed);
    verdict_below(v, p, "split: non-ideal", distance(nonideal, exact_nonideal, n), allowed);
    for (int32_t j = 0; j < n; j++) {
        sum[j] = ideal[j] + nonideal[j];
    }
    verdict_below(v, p, "split adds up", distance(sum, F, n), 1e-3 * allowed);
    memset(sum, 0, (size_t)n * sizeof *sum);
    zw_gauss_split(s->g, F, sum, NULL);
    verdict_true(v, p, "ideal part alone", memcmp(sum, ideal, (size_t)n * sizeof *sum) == 0);
    zw_gauss_split(s->g, F, NULL, sum);
    verdict_true(v, p, "other part alone", memcmp(sum, nonideal, (size_t)n * sizeof *sum) == 0);
    zw_gauss_split(s->g, s->F, ideal, nonideal);
    double scale = force_scale(p, s);
    verdict_below(v, p, "split of Qc: Qi", distance(ideal, s->Qi, n), 1e-12 * scale);
    verdict_below(v, p, "split of Qc: Qn", distance(nonideal, s->Qn, n), 1e-12 * scale);
    oracle_free(o);
    double *all[] = {F, ideal, nonideal, exact_ideal, exact_nonideal, sum};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
}

static void test_split(void **state)
{
    (void)state;
    for_all(split_facts, 5000);
}

/* Qi = A^T lambda */
static void multipliers_make_the_force(verdict *v, problem *p, solved *s, uint64_t *state)
{
    (void)state;
    double *F = new_vector(p->n);
    transposed_times(p->A, s->lambda, p->m, p->n, F);
    verdict_below(v, p, "Qi = A^T lambda", distance(F, s->Qi, p->n), 1e-13 * force_scale(p, s));
    free(F);
}

static void test_multipliers(void **state)
{
    (void)state;
    for_all(multipliers_make_the_force, 1000);
}

/* -------------------------------------------------------------- the minimum */

static double misfit(const problem *p, const double *z)
{
    double *r = new_vector(p->m);
    times(p->A, z, p->m, p->n, r);
    for (int32_t i = 0; i < p->m; i++) {
        r[i] -= p->b[i];
    }
    double size = norm_in(p->W, r, p->m);
    free(r);
    return size;
}

/* G(z) up to a constant: z^T M z - 2 z^T (Q + C) */
static double cost(const problem *p, const double *z)
{
    double *Mz = new_vector(p->n), s = 0;
    times(p->M, z, p->n, p->n, Mz);
    for (int32_t j = 0; j < p->n; j++) {
        s += z[j] * (Mz[j] - 2 * (p->Q[j] + p->C[j]));
    }
    free(Mz);
    return s;
}

/* No other acceleration fits the constraints better; none that fits as well is nearer. */
static void both_minima(verdict *v, problem *p, solved *s, uint64_t *state)
{
    int32_t n = p->n;
    double best = misfit(p, s->z), least = cost(p, s->z), size = norm(s->z, n);
    double *other = new_vector(n), *u = new_vector(n);
    for (int32_t trial = 0; trial < 8; trial++) {
        double step = size * pow(10, random_real(state, -3, 1));
        for (int32_t j = 0; j < n; j++) {
            u[j] = step * random_real(state, -1, 1);
            other[j] = s->z[j] + u[j];
        }
        /* rounding of the misfit itself, and of the cost */
        double noise = 1e-13 * (best + norm(p->b, p->m) * sqrt(norm(p->W, p->m * p->m)));
        verdict_below(v, p, "least misfit", best, misfit(p, other) + noise);
        zw_gauss_project(s->g, u, u);
        for (int32_t j = 0; j < n; j++) {
            other[j] = s->z[j] + u[j];
        }
        double worth = fabs(least) + norm(other, n) * (norm(p->Q, n) + norm(p->C, n));
        verdict_below(v, p, "least Gaussian", least, cost(p, other) + 1e-12 * worth);
    }
    free(other);
    free(u);
}

static void test_minima(void **state)
{
    (void)state;
    for_all(both_minima, 10000);
}

/* --------------------------------------------------------------- the weight */

/* The same problem with another weight. */
static void reweighted(const problem *p, uint64_t *state, solved *s)
{
    problem *other = problem_copy(p);
    /* a full W that ignores the units of the rows would be singular to rounding */
    bool full = random_bits(state) % 2 == 0 && p->made.scale == SCALE_NONE;
    other->weight = full ? ZW_FULL : ZW_DIAGONAL;
    random_weight(state, p->m, other->weight, other->W);
    solve_problem(other, s);
    problem_free(other);
}

static int32_t motions_changed, motions_kept, multipliers_changed;

static void weight_facts(verdict *v, problem *p, solved *s, uint64_t *state)
{
    int32_t n = p->n, m = p->m;
    solved t;
    if (m == 0) {
        return;
    }
    reweighted(p, state, &t);
    verdict_status(v, p, "solve with another W", t.status, ZW_OK);
    double change = distance(t.z, s->z, n) / motion_scale(p, s->z), scale = force_scale(p, s);
    /* the C term never depends on W */
    verdict_below(v, p, "Qn does not depend on W", distance(t.Qn, s->Qn, n), 1e-12 * scale);
    if (s->answer.consistent || s->answer.rank == m) {
        verdict_below(v, p, "W drops out", change, 2e-13);
        verdict_below(v, p, "W drops out of Qi", distance(t.Qi, s->Qi, n), 1e-12 * scale);
        verdict_true(v, p, "still consistent", t.answer.consistent == s->answer.consistent);
        multipliers_changed += s->answer.rank < m && relative(t.lambda, s->lambda, m) > 1e-3;
    } else if (s->answer.rank > 0) {
        motions_changed += change > 1e-6;
        motions_kept += !(change > 1e-6);
    }
    solve_clear(&t);
}

static void test_weight(void **state)
{
    (void)state;
    motions_changed = motions_kept = multipliers_changed = 0;
    for_all(weight_facts, 1500);
    /* W matters where rows contradict each other; not in each case (rank n, say, with all
     * contradictions orthogonal to the rest), but in nearly all */
    assert_true(motions_changed > 10 * motions_kept);
    assert_true(motions_changed > 200);
    assert_true(multipliers_changed > 100);
}

/* ----------------------------------------------------------- no constraints */

/* m = 0 and A = 0 are the same: the free motion, to the digit where M is diagonal. */
static void free_motion(verdict *v, problem *p, solved *s, uint64_t *state)
{
    (void)state;
    problem *q = problem_copy(p);
    memset(q->A, 0, (size_t)(q->m * q->n) * sizeof(double));
    problem *none = problem_new(p->n, 0);
    memcpy(none->M, p->M, (size_t)(p->n * p->n) * sizeof(double));
    memcpy(none->Q, p->Q, (size_t)p->n * sizeof(double));
    memcpy(none->C, p->C, (size_t)p->n * sizeof(double));
    none->with_C = true;
    none->mass = p->mass;
    none->made = q->made;
    none->seed = p->seed;
    oracle *o = oracle_solve(none);
    solved t[2];
    solve_problem(q, &t[0]);
    solve_problem(none, &t[1]);
    for (int32_t i = 0; i < 2; i++) {
        verdict_status(v, p, "solve without constraints", t[i].status, ZW_OK);
        verdict_below(v, p, "M^-1 (Q + C)", relative(t[i].z, o->acceleration, p->n), 1e-13);
        verdict_true(v, p, "rank 0", t[i].answer.rank == 0);
        verdict_true(v, p, "no ideal force", norm(t[i].Qi, p->n) == 0);
        verdict_below(v, p, "Qn = C", distance(t[i].Qn, p->C, p->n), 1e-14 * norm(p->C, p->n));
        verdict_below(v, p, "no Gaussian", t[i].answer.gaussian,
                      1e-24 * inner_product(s->F, s->F, p->n) +
                          1e-24 * fabs(inner_product(p->C, o->acceleration, p->n)) +
                          1e-24 * fabs(inner_product(p->Q, o->acceleration, p->n)));
    }
    verdict_below(v, p, "all of b is inconsistent",
                  fabs(t[0].answer.inconsistency_norm - norm_in(p->W, p->b, p->m)),
                  1e-14 * sqrt(norm(p->W, p->m * p->m)) * norm(p->b, p->m));
    solve_clear(&t[0]);
    solve_clear(&t[1]);
    oracle_free(o);
    problem_free(none);
    problem_free(q);
}

static void test_free_motion(void **state)
{
    (void)state;
    for_all(free_motion, 5000);
}

/* ---------------------------------------------------------- rank tolerances */

/* A row dependent but for 1e-9 counts as independent, unless A is known to be noisy or the
 * tolerance says otherwise; one dependent but for 1e-12 is flagged as ambiguous. */
static void test_rank_tolerance(void **state)
{
    (void)state;
    verdict v = {0};
    static const struct {
        double near, noise, tolerance;
        bool full, ambiguous;
    } cases[] = {
        {1e-9, 0, 0, true, false},      {1e-9, 1e-7, 0, false, false},
        {1e-9, 0, 1e-6, false, false},  {1e-12, 0, 0, true, true},
        {1e-6, 1e-10, 0, true, false},  {1e-6, 1e-4, 0, false, false},
        {1e-12, 0, 1e-8, false, false},
    };
    for (uint64_t i = 0; i < 700; i++) {
        recipe r = {.n_min = 2, .n_max = 8, .cond = 10, .rows = ROWS_NEAR, .b = ANY_B};
        r.weight = ZW_IDENTITY;
        r.near = cases[i % 7].near;
        problem *p = problem_make(&r, i);
        zw_gauss_shape shape = shape_of(p);
        shape.noise = cases[i % 7].noise;
        shape.rank_tolerance = cases[i % 7].tolerance;
        zw_context *context = NULL;
        zw_gauss *g = NULL;
        zw_gauss_rank_info info = {0};
        zw_context_create(NULL, &context);
        verdict_status(&v, p, "plan", zw_gauss_plan(context, &shape, &g), ZW_OK);
        verdict_status(&v, p, "factor", factor_problem(p, g), ZW_OK);
        verdict_status(&v, p, "rank", zw_gauss_rank(g, &info), ZW_OK);
        verdict_true(&v, p, "rank by tolerance", info.rank == p->m - (cases[i % 7].full ? 0 : 1));
        verdict_true(&v, p, "ambiguous", info.ambiguous || !cases[i % 7].ambiguous);
        zw_gauss_free(g);
        zw_context_free(context);
        problem_free(p);
    }
    verdict_finish(&v, 3500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_basis),
        cmocka_unit_test(test_projector),
        cmocka_unit_test(test_projection_of_free_acceleration),
        cmocka_unit_test(test_parts_of_the_force),
        cmocka_unit_test(test_least_force),
        cmocka_unit_test(test_only_work_matters),
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_multipliers),
        cmocka_unit_test(test_minima),
        cmocka_unit_test(test_weight),
        cmocka_unit_test(test_free_motion),
        cmocka_unit_test(test_rank_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
