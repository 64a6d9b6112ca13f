/*
 * test_diagnose.c: which rows depend on which, and where they contradict each other.
 *
 * Rows are declared one after another; some are independent of all before them, the others
 * planted as integer combinations of independent ones before them. As the independent
 * rows before a planted one are independent, its dependent set is unique, and must be
 * recovered exactly: rows, coefficients, mismatch, size. Rows are scaled over eight decades.
 */
#include "../../slow.h"
#include "gauss_check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 24 };

typedef struct planted_set {
    int32_t row;               /* the dependent one; -1: independent */
    double coefficients[ROWS]; /* of all rows, 1 at `row` */
    double mismatch;           /* sum coefficients[k] b[k], exactly, as planted */
} planted_set;

typedef struct planted {
    problem *p;
    int32_t count;
    planted_set sets[ROWS];
} planted;

/* ----------------------------------------------------------------- planting */

/* Row i := sum c_k row_k over up to four independent rows before it, c_k = +-1..3. */
static void plant(planted *t, int32_t i, const bool *independent, uint64_t *state)
{
    problem *p = t->p;
    planted_set *s = &t->sets[t->count++];
    memset(s, 0, sizeof *s);
    s->row = i;
    s->coefficients[i] = 1;
    int32_t wanted = random_integer(state, 0, 4); /* 0: a zero row, a set by itself */
    for (int32_t trial = 0; trial < 20 && wanted > 0; trial++) {
        int32_t k = random_integer(state, 0, i > 0 ? i - 1 : 0);
        if (i == 0 || !independent[k] || s->coefficients[k] < 0 || s->coefficients[k] > 0) {
            continue;
        }
        double c = random_integer(state, 1, 3) * (random_bits(state) % 2 == 0 ? 1 : -1);
        s->coefficients[k] = -c;
        for (int32_t j = 0; j < p->n; j++) {
            p->A[i * p->n + j] += c * p->A[k * p->n + j];
        }
        wanted--;
    }
}

/* b = A z; planted rows miss it by a multiple of 1/4, or by nothing. */
static void set_right_side(planted *t, bool conflicts, uint64_t *state)
{
    problem *p = t->p;
    double *z = calloc((size_t)p->n, sizeof *z);
    for (int32_t j = 0; j < p->n; j++) {
        z[j] = random_dyadic(state);
    }
    times(p->A, z, p->m, p->n, p->b);
    for (int32_t k = 0; k < t->count && conflicts; k++) {
        t->sets[k].mismatch = random_integer(state, -2, 2) / 4.0;
        p->b[t->sets[k].row] += t->sets[k].mismatch;
    }
    free(z);
}

/* Row i of A, b[i] times f; the coefficients follow, normalised to 1 at the set's row. */
static void scale(planted *t, int32_t i, double f)
{
    problem *p = t->p;
    p->b[i] *= f;
    for (int32_t j = 0; j < p->n; j++) {
        p->A[i * p->n + j] *= f;
    }
    for (int32_t k = 0; k < p->m && p->weight == ZW_FULL; k++) { /* it counts in their units */
        p->W[i * p->m + k] /= f;
        p->W[k * p->m + i] /= f;
    }
    for (int32_t k = 0; k < t->count; k++) {
        planted_set *s = &t->sets[k];
        if (s->row != i) {
            s->coefficients[i] /= f;
            continue;
        }
        s->mismatch *= f;
        for (int32_t l = 0; l < p->m; l++) {
            s->coefficients[l] *= l == i ? 1 : f;
        }
    }
}

/* The independent rows all together, well apart. */
static void draw_independent(planted *t, const bool *independent, uint64_t *state)
{
    problem *p = t->p;
    double *only = calloc((size_t)(p->m * p->n), sizeof *only);
    do {
        int32_t count = 0;
        for (int32_t i = 0; i < p->m; i++) {
            for (int32_t j = 0; j < p->n && independent[i]; j++) {
                p->A[i * p->n + j] = only[count * p->n + j] = random_dyadic(state);
            }
            count += independent[i];
        }
        p->spread = row_spread(only, count, p->n);
    } while (p->spread > 100);
    free(only);
}

static planted planted_problem(uint64_t seed, bool conflicts)
{
    uint64_t state = seed * 77 + 5;
    int32_t n = random_integer(&state, 2, 10), rank = random_integer(&state, 1, n);
    int32_t m = rank + random_integer(&state, 1, 5);
    bool independent[ROWS] = {false};
    planted t = {.p = problem_new(n, m)};
    for (int32_t left = rank; left > 0;) {
        int32_t i = random_integer(&state, 0, m - 1);
        left -= !independent[i];
        independent[i] = true;
    }
    draw_independent(&t, independent, &state);
    for (int32_t i = 0; i < m; i++) {
        if (!independent[i]) {
            plant(&t, i, independent, &state);
        }
    }
    set_right_side(&t, conflicts, &state);
    t.p->weight = (zw_matrix_kind)(seed % 3);
    random_weight(&state, m, t.p->weight, t.p->W);
    for (int32_t i = 0; i < m; i++) {
        scale(&t, i,
              seed % 2 == 0 ? ldexp(1, random_integer(&state, -13, 13))
                            : pow(10, random_integer(&state, 0, 8)));
    }
    random_mass(&state, n, 100, t.p->M);
    for (int32_t j = 0; j < n; j++) {
        t.p->Q[j] = random_real(&state, -10, 10);
    }
    t.p->seed = seed;
    return t;
}

/* ---------------------------------------------------------------- recovering */

/* The coefficients of a found set, spread over all rows. */
static void spread_out(const zw_dependent_set *found, int32_t m, double *all)
{
    memset(all, 0, (size_t)m * sizeof *all);
    for (int32_t k = 0; k < found->count; k++) {
        if (found->rows[k] >= 0 && found->rows[k] < m) {
            all[found->rows[k]] = found->coefficients[k];
        }
    }
}

static void compare_set(verdict *v, const problem *p, const planted_set *s,
                        const zw_dependent_set *found)
{
    double all[ROWS];
    int32_t members = 0;
    spread_out(found, p->m, all);
    bool same = found->row == s->row && found->count >= 1;
    for (int32_t i = 0; i < p->m; i++) {
        bool wanted = s->coefficients[i] < 0 || s->coefficients[i] > 0;
        bool got = all[i] < 0 || all[i] > 0;
        members += wanted;
        same = same && wanted == got;
        if (wanted) {
            verdict_below(v, p, "coefficient", fabs(all[i] - s->coefficients[i]),
                          1e-10 * fabs(s->coefficients[i]));
        }
    }
    verdict_true(v, p, "the planted rows", same && members == found->count);
    verdict_true(v, p, "ends with its row", found->rows[found->count - 1] == found->row);
    verdict_true(v, p, "its coefficient is 1", found->coefficients[found->count - 1] == 1);
    for (int32_t k = 1; k < found->count; k++) {
        verdict_true(v, p, "ascending", found->rows[k] > found->rows[k - 1]);
    }
    verdict_below(v, p, "distance", found->distance, 1e-9);
    verdict_true(v, p, "not merely nearly", !found->nearly);
}

/* Mismatch and size: |s . b| / |s| in the W^-1 norm, with the scale of its rounding. */
static void compare_conflict(verdict *v, const problem *p, const planted_set *s,
                             const zw_dependent_set *found, const double *z)
{
    double noise = 0, length = oracle_inverse_norm(p->W, s->coefficients, p->m);
    for (int32_t i = 0; i < p->m; i++) {
        double row = norm(p->A + i * p->n, p->n) * norm(z, p->n);
        noise += fabs(s->coefficients[i]) * (fabs(p->b[i]) + row);
    }
    double size = fabs(s->mismatch) / length;
    if (size > 0 && fabs(s->mismatch) < 1e-8 * noise) {
        return; /* too small to be told from rounding, or nearly so */
    }
    verdict_true(v, p, "conflict", found->conflict == (size > 0));
    verdict_below(v, p, "mismatch", fabs(found->mismatch - s->mismatch), 1e-12 * noise);
    verdict_below(v, p, "size", fabs(found->size - size), 1e-10 * size + 1e-12 * noise / length);
}

static void compare_diagnosis(verdict *v, const planted *t, const solved *s, const zw_diagnosis *d)
{
    const problem *p = t->p;
    int32_t conflicts = 0;
    verdict_true(v, p, "m", d->m == p->m);
    verdict_true(v, p, "number of sets", d->set_count == t->count);
    verdict_true(v, p, "nothing nearly dependent", d->nearly_count == 0);
    for (int32_t k = 0; k < t->count && d->set_count == t->count; k++) {
        compare_set(v, p, &t->sets[k], &d->sets[k]);
        compare_conflict(v, p, &t->sets[k], &d->sets[k], s->z);
        conflicts += d->sets[k].conflict;
    }
    verdict_true(v, p, "number of conflicts",
                 d->conflict_count == conflicts || d->set_count != t->count);
}

static void compare_unique(verdict *v, const problem *p, const oracle *o, const zw_diagnosis *d)
{
    for (int32_t i = 0; i < p->m; i++) {
        verdict_true(v, p, "unique multiplier", d->unique_multiplier[i] == o->unique_multiplier[i]);
    }
}

static void recover(verdict *v, uint64_t seed, bool conflicts)
{
    planted t = planted_problem(seed, conflicts);
    oracle *o = oracle_solve(t.p);
    zw_diagnosis *d = NULL;
    solved s;
    verdict_true(v, t.p, "planted as meant", o->rank == t.p->m - t.count);
    solve_problem(t.p, &s);
    verdict_status(v, t.p, "solve", s.status, ZW_OK);
    verdict_status(v, t.p, "diagnose", zw_gauss_diagnose(s.g, t.p->b, s.z, &d), ZW_OK);
    if (d != NULL) {
        compare_diagnosis(v, &t, &s, d);
        compare_unique(v, t.p, o, d);
    }
    zw_diagnosis_free(d);
    solve_clear(&s);
    oracle_free(o);
    problem_free(t.p);
}

static void test_planted_sets(void **state)
{
    (void)state;
    verdict v = {0};
    const int part = unless_slow(1, 8);
    for (uint64_t seed = 0; seed < (uint64_t)(400 / part); seed++) {
        recover(&v, seed, false);
    }
    verdict_finish(&v, 10000 / part);
}

static void test_planted_conflicts(void **state)
{
    (void)state;
    verdict v = {0};
    const int part = unless_slow(1, 8);
    for (uint64_t seed = 1000; seed < (uint64_t)(1000 + 400 / part); seed++) {
        recover(&v, seed, true);
    }
    verdict_finish(&v, 10000 / part);
}

/* ------------------------------------------------------------------ rounding */

/* Rows and accelerations of full 53 bits, the rows combined and b = A z rounded; half of
 * the time b is nearly zero by cancellation, so that |b| says nothing about rounding. */
static problem *rounded_problem(uint64_t seed)
{
    uint64_t state = seed + 4711;
    int32_t n = random_integer(&state, 3, 10), rank = random_integer(&state, 1, n - 1);
    int32_t m = rank + random_integer(&state, 1, 3);
    problem *p = problem_new(n, m);
    double *z = calloc((size_t)n, sizeof *z), *Pz = calloc((size_t)n, sizeof *Pz);
    for (int32_t i = 0; i < m * n; i++) {
        p->A[i] = i < rank * n ? random_real(&state, -4, 4) : 0;
    }
    for (int32_t i = rank; i < m; i++) {
        for (int32_t k = 0; k < rank; k++) {
            double c = random_integer(&state, -2, 2);
            for (int32_t j = 0; j < n; j++) {
                p->A[i * n + j] += c * p->A[k * n + j];
            }
        }
    }
    for (int32_t j = 0; j < n; j++) {
        z[j] = random_real(&state, -1e3, 1e3);
    }
    if (seed % 2 == 0) { /* z := its part in ker A, b := what rounding leaves of A z */
        solved s;
        solve_problem(p, &s);
        zw_gauss_project(s.g, z, Pz);
        memcpy(z, Pz, (size_t)n * sizeof *z);
        solve_clear(&s);
    }
    for (int32_t i = 0; i < m; i++) {
        for (int32_t j = 0; j < n; j++) {
            p->b[i] += p->A[i * n + j] * z[j]; /* in double, rounding and all */
        }
    }
    for (int32_t j = 0; j < n; j++) { /* a force that asks for such an acceleration */
        p->Q[j] = z[j];
    }
    p->seed = seed;
    free(z);
    free(Pz);
    return p;
}

static void test_rounding_is_no_conflict(void **state)
{
    (void)state;
    verdict v = {0};
    for (uint64_t seed = 0; seed < 300; seed++) {
        problem *p = rounded_problem(seed);
        zw_diagnosis *d = NULL;
        solved s;
        solve_problem(p, &s);
        verdict_status(&v, p, "solve", s.status, ZW_OK);
        verdict_status(&v, p, "diagnose", zw_gauss_diagnose(s.g, p->b, s.z, &d), ZW_OK);
        if (d != NULL) {
            verdict_true(&v, p, "all sets found", d->set_count == p->m - s.answer.rank);
            verdict_true(&v, p, "no conflict", d->conflict_count == 0);
            for (int32_t k = 0; k < d->set_count; k++) {
                verdict_true(&v, p, "no conflict marked", !d->sets[k].conflict);
            }
        }
        verdict_true(&v, p, "consistent", s.answer.consistent);
        zw_diagnosis_free(d);
        solve_clear(&s);
        problem_free(p);
    }
    verdict_finish(&v, 1500);
}

/* ----------------------------------------------------------- nearly dependent */

/* Dependent but for 1e-11: independent by rank, yet worth a word; but for 1e-5: nothing. */
static void test_nearly_dependent(void **state)
{
    (void)state;
    verdict v = {0};
    for (uint64_t seed = 0; seed < 400; seed++) {
        bool near = seed % 2 == 0;
        recipe r = {3, 8, MASS_GENERIC, 1, ROWS_NEAR, ANY_B, ZW_IDENTITY, SCALE_NONE, 0};
        r.near = near ? 1e-11 : 1e-5;
        problem *p = problem_make(&r, seed);
        if (p->spread > 4) { /* rows that nearly cancel are nearer than planned */
            problem_free(p);
            continue;
        }
        double *z = calloc((size_t)p->n, sizeof *z);
        zw_diagnosis *d = NULL;
        solved s;
        prepare(p, &s);
        verdict_status(&v, p, "factor", factor_problem(p, s.g), ZW_OK);
        verdict_status(&v, p, "diagnose", zw_gauss_diagnose(s.g, p->b, z, &d), ZW_OK);
        if (d != NULL) {
            verdict_true(&v, p, "no dependent set", d->set_count == 0);
            verdict_true(&v, p, "no conflict", d->conflict_count == 0);
            verdict_true(&v, p, "nearly", d->nearly_count == (near ? 1 : 0));
            if (d->nearly_count == 1) {
                verdict_true(&v, p, "marked", d->sets[0].nearly && !d->sets[0].conflict);
                verdict_below(&v, p, "distance", d->sets[0].distance, 1e-9);
                verdict_below(&v, p, "not smaller than planted", 1e-12, d->sets[0].distance);
            }
            for (int32_t i = 0; i < p->m; i++) {
                verdict_true(&v, p, "multipliers are unique", d->unique_multiplier[i]);
            }
        }
        zw_diagnosis_free(d);
        solve_clear(&s);
        free(z);
        problem_free(p);
    }
    verdict_finish(&v, 1500);
}

/* -------------------------------------------------------------- by hand, ends */

/* Two rods between the same points, the second declared with another length: x'' = 1,
 * 2 x'' = 3; and y'' = 0 apart. */
static void test_by_hand(void **state)
{
    (void)state;
    problem *p = problem_new(2, 3);
    memcpy(p->A, (double[]){1, 0, 0, 1, 2, 0}, 6 * sizeof(double));
    memcpy(p->b, (double[]){1, 0, 3}, 3 * sizeof(double));
    p->weight = ZW_DIAGONAL;
    p->W[8] = 4;
    zw_diagnosis *d = NULL;
    solved s;
    solve_problem(p, &s);
    assert_int_equal(zw_gauss_diagnose(s.g, p->b, s.z, &d), ZW_OK);
    assert_int_equal(d->set_count, 1);
    assert_int_equal(d->conflict_count, 1);
    assert_int_equal(d->sets[0].count, 2);
    assert_int_equal(d->sets[0].row, 2);
    assert_int_equal(d->sets[0].rows[0], 0);
    assert_true(fabs(d->sets[0].coefficients[0] + 2) < 1e-14);
    assert_true(fabs(d->sets[0].mismatch - 1) < 1e-14); /* 3 - 2 */
    /* |s|^2 in W^-1: 4 + 1/4 */
    assert_true(fabs(d->sets[0].size - 1 / sqrt(4.25)) < 1e-14);
    assert_false(d->unique_multiplier[0] || d->unique_multiplier[2]);
    assert_true(d->unique_multiplier[1]);
    /* it does not refer to the solver */
    zw_gauss_free(s.g);
    s.g = NULL;
    assert_int_equal(d->sets[0].rows[1], 2);
    zw_diagnosis_free(d);
    solve_clear(&s);
    problem_free(p);
}

/* A row 0 = 1 contradicts all by itself; no rows, nothing to say. */
static void test_ends(void **state)
{
    (void)state;
    problem *p = problem_new(2, 1);
    zw_diagnosis *d = NULL;
    solved s;
    p->b[0] = 1;
    solve_problem(p, &s);
    assert_int_equal(zw_gauss_diagnose(s.g, p->b, s.z, &d), ZW_OK);
    assert_int_equal(d->set_count, 1);
    assert_int_equal(d->conflict_count, 1);
    assert_int_equal(d->sets[0].count, 1);
    assert_true(d->sets[0].size == 1 && d->sets[0].coefficients[0] == 1);
    assert_false(d->unique_multiplier[0]);
    zw_diagnosis_free(d);
    solve_clear(&s);
    problem_free(p);
    p = problem_new(2, 0);
    d = NULL;
    solve_problem(p, &s);
    assert_int_equal(zw_gauss_diagnose(s.g, NULL, s.z, &d), ZW_OK);
    assert_true(d->m == 0 && d->set_count == 0 && d->conflict_count == 0 && d->nearly_count == 0);
    zw_diagnosis_free(d);
    solve_clear(&s);
    problem_free(p);
}

/* A dependent set named by the diagnosis is one, with singular M as well. */
static void test_singular_mass(void **state)
{
    (void)state;
    verdict v = {0};
    recipe r = {2, 8, MASS_SINGULAR, 1, ROWS_REDUNDANT, ANY_B, ZW_IDENTITY, SCALE_NONE, 0};
    for (uint64_t seed = 0; seed < 100; seed++) {
        problem *p = problem_make(&r, seed);
        oracle *o = oracle_solve(p);
        zw_diagnosis *d = NULL;
        solved s;
        double all[ROWS], sum[ROWS];
        prepare(p, &s);
        verdict_status(&v, p, "factor", factor_problem(p, s.g), ZW_OK);
        verdict_status(&v, p, "diagnose", zw_gauss_diagnose(s.g, p->b, o->acceleration, &d), ZW_OK);
        if (d != NULL) {
            verdict_true(&v, p, "number of sets", d->set_count == p->m - o->rank);
            for (int32_t k = 0; k < d->set_count; k++) {
                spread_out(&d->sets[k], p->m, all);
                transposed_times(p->A, all, p->m, p->n, sum);
                verdict_below(&v, p, "s^T A = 0", norm(sum, p->n),
                              1e-12 * norm(all, p->m) * norm(p->A, p->m * p->n));
            }
            compare_unique(&v, p, o, d);
        }
        zw_diagnosis_free(d);
        solve_clear(&s);
        oracle_free(o);
        problem_free(p);
    }
    verdict_finish(&v, 800);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planted_sets),
        cmocka_unit_test(test_planted_conflicts),
        cmocka_unit_test(test_rounding_is_no_conflict),
        cmocka_unit_test(test_nearly_dependent),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_singular_mass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
