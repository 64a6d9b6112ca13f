/*
 * test_oracle.c: can the oracle be trusted?
 *
 * Cases small enough to be done by hand, and for some hundred random problems the exact
 * check that what it returns satisfies its defining equations. Nothing of the library is used.
 */
#include "gauss_check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void put(double *x, const double *values, int32_t count)
{
    memcpy(x, values, (size_t)count * sizeof *x);
}

/* Digit for digit: the values are dyadic, so the rounded answers are equal. */
static void expect(const double *x, const double *values, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        if (x[i] != values[i]) {
            fail_msg("entry %d is %.17g, not %.17g", i, x[i], values[i]);
        }
    }
}

/* Two servo rows x'' = 1 (weight 1) and x'' = 3 (weight 3) on a unit mass: x'' = 5/2. */
static void test_contradicting_rows(void **state)
{
    (void)state;
    problem *p = problem_new(1, 2);
    put(p->A, (double[]){1, 1}, 2);
    put(p->b, (double[]){1, 3}, 2);
    p->W[3] = 3;
    oracle *o = oracle_solve(p);
    assert_int_equal(o->rank, 1);
    assert_false(o->consistent);
    expect(o->acceleration, (double[]){2.5}, 1);
    expect(o->force, (double[]){2.5}, 1);
    expect(o->residual, (double[]){1.5, -0.5}, 2);
    /* lambda = W A y with A^T W A y = 4 y = 5/2: (5/8, 15/8) */
    expect(o->multipliers, (double[]){0.625, 1.875}, 2);
    assert_true(o->inconsistency == sqrt(3.0)); /* 9/4 + 3/4 */
    assert_true(o->gaussian == 6.25);
    assert_false(o->unique_multiplier[0] || o->unique_multiplier[1]);
    oracle_free(o);
    problem_free(p);
}

/* Two unit masses on a line, the first held twice over, the second pulled by C. */
static void test_redundant_rows(void **state)
{
    (void)state;
    problem *p = problem_new(3, 3);
    put(p->A, (double[]){1, 0, 0, 2, 0, 0, 0, 1, -1}, 9);
    put(p->Q, (double[]){5, 1, 0}, 3);
    put(p->C, (double[]){7, 2, 0}, 3);
    p->with_C = true;
    oracle *o = oracle_solve(p);
    assert_int_equal(o->rank, 2);
    assert_true(o->consistent);
    /* the second and third move together: (1 + 2)/2; without C 1/2 */
    expect(o->acceleration, (double[]){0, 1.5, 1.5}, 3);
    expect(o->ideal, (double[]){-5, -0.5, 0.5}, 3);
    expect(o->nonideal, (double[]){0, 1, 1}, 3);
    expect(o->multipliers, (double[]){-1, -2, -0.5}, 3);
    assert_false(o->unique_multiplier[0] || o->unique_multiplier[1]);
    assert_true(o->unique_multiplier[2]);
    double y[3], ideal[3], nonideal[3];
    oracle_project(o, (double[]){4, 1, 3}, y);
    expect(y, (double[]){0, 2, 2}, 3);
    oracle_split(o, (double[]){4, 1, 3}, ideal, nonideal);
    expect(ideal, (double[]){4, -1, 1}, 3);
    expect(nonideal, (double[]){0, 2, 2}, 3);
    oracle_free(o);
    problem_free(p);
}

/* M = diag(2, 0): the second coordinate is determined by x + y = 3 alone. */
static void test_singular_mass(void **state)
{
    (void)state;
    problem *p = problem_new(2, 1);
    put(p->M, (double[]){2, 0, 0, 0}, 4);
    put(p->A, (double[]){1, 1}, 2);
    put(p->Q, (double[]){1, 4}, 2);
    p->b[0] = 3;
    oracle *o = oracle_solve(p);
    /* 2 x = 1 + lambda, 0 = 4 + lambda */
    assert_true(o->mass_singular);
    assert_int_equal(o->undetermined, 0);
    expect(o->acceleration, (double[]){-1.5, 4.5}, 2);
    expect(o->multipliers, (double[]){-4}, 1);
    expect(o->ideal, (double[]){-4, -4}, 2);
    assert_true(isnan(o->gaussian));
    oracle_free(o);
    put(p->A, (double[]){1, 0}, 2);
    o = oracle_solve(p);
    assert_int_equal(o->undetermined, 1);
    oracle_free(o);
    problem_free(p);
}

static void test_small_questions(void **state)
{
    (void)state;
    assert_int_equal(oracle_rank((double[]){1, 2, 2, 4, 0x1p-60, 0}, 3, 2), 2);
    assert_int_equal(oracle_rank((double[]){0.1, 0.3, 1, 3}, 2, 2), 2); /* as doubles */
    assert_true(oracle_positive_definite((double[]){1, 2, 2, 5}, 2));
    assert_false(oracle_positive_definite((double[]){1, 2, 2, 4}, 2));
    assert_false(oracle_positive_definite((double[]){1, 2, 2, 3.5}, 2));
    assert_false(oracle_positive_definite((double[]){-1, 0, 0, -1}, 2));
    double W[] = {4, 0, 0, 0.25}, s[] = {2, 1};
    assert_true(oracle_inverse_norm(W, s, 2) == sqrt(5.0));
}

/* The equations of the principle, exactly, for every shape of problem. */
static void test_equations(void **state)
{
    (void)state;
    verdict v = {0};
    for (int32_t shape = 0; shape < 5 * 8 * 3; shape++) {
        recipe r = {.n_min = 2, .n_max = 6, .cond = 1e6, .b = ANY_B, .scale = SCALE_TWO};
        r.mass = (mass_shape)(shape % 5);
        r.rows = (rows_shape)(shape / 5 % 8);
        r.weight = (zw_matrix_kind)(shape / 40);
        r.near = 1e-6;
        bool singular = r.mass == MASS_SINGULAR || r.mass == MASS_SINGULAR_DIAGONAL;
        if (singular && (r.rows == ROWS_NONE || r.rows == ROWS_ZERO)) {
            continue; /* nothing would determine the motion */
        }
        for (uint64_t seed = 0; seed < 6; seed++) {
            problem *p = problem_make(&r, seed);
            oracle *o = oracle_solve(p);
            const char *wrong = oracle_self_check(o);
            verdict_true(&v, p, wrong != NULL ? wrong : "oracle", wrong == NULL);
            verdict_true(&v, p, "mass_singular", o->mass_singular == singular);
            verdict_true(&v, p, "determined", o->undetermined == 0);
            verdict_true(&v, p, "M positive definite",
                         singular || oracle_positive_definite(p->M, p->n));
            verdict_true(&v, p, "W positive definite", oracle_positive_definite(p->W, p->m));
            oracle_free(o);
            problem_free(p);
        }
    }
    verdict_finish(&v, 3000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contradicting_rows), cmocka_unit_test(test_redundant_rows),
        cmocka_unit_test(test_singular_mass),      cmocka_unit_test(test_small_questions),
        cmocka_unit_test(test_equations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
