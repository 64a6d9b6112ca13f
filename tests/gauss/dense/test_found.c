/*
 * Problems that were once answered wrongly, each found by a wider search than the other tests
 * make: a recipe and a seed, and what went wrong.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gauss_check.h"
#include "oracle.h"
#include "random_problems.h"

/* The problem by the given form, against the oracle. */
static void right_by(const recipe *r, uint64_t seed, zw_form form, bool singular, double allowed)
{
    verdict v = {0};
    problem *p = problem_make(r, seed);
    oracle *o = oracle_solve(p);
    solved s;
    solve_problem(p, &s);
    verdict_status(&v, p, "solve", s.status, ZW_OK);
    verdict_true(&v, p, "mass_singular", s.answer.mass_singular == singular);
    verdict_true(&v, p, "rank", s.answer.rank == o->rank);
    zw_status status = zw_gauss_solve_form(s.g, form, p->Q, given_b(p), given_C(p), &s.answer);
    verdict_status(&v, p, "form", status, ZW_OK);
    verdict_below(&v, p, "acceleration", relative(s.z, o->acceleration, p->n), allowed);
    solve_clear(&s);
    oracle_free(o);
    problem_free(p);
    verdict_finish(&v, 5);
}

/* A row that cancels under a full W, all but its rounding, counted as a constraint. */
static void test_cancelled_row(void **state)
{
    (void)state;
    static const recipe r = {2,          8,       MASS_GENERIC, 1e10, ROWS_REDUNDANT,
                             CONSISTENT, ZW_FULL, SCALE_NONE,   0};
    right_by(&r, 100137, ZW_FORM_MOORE_PENROSE, false, 1e-11);
    right_by(&r, 100137, ZW_FORM_GAUSS, false, 1e-11);
}

/* The rounding of a zero pivot of M, grown by an earlier small one, counted as inertia. */
static void test_pivot_of_rounding(void **state)
{
    (void)state;
    static const recipe r = {1,          8,           MASS_SINGULAR, 1, ROWS_REDUNDANT,
                             CONSISTENT, ZW_IDENTITY, SCALE_NONE,    0};
    right_by(&r, 100236, ZW_FORM_GAUSS, true, 1e-13);
}

/* The two parts of the motion cancelled, their errors did not. */
static void test_parts_that_cancel(void **state)
{
    (void)state;
    static const recipe r = {1, 8, MASS_GENERIC, 1, ROWS_ZERO, ANY_B, ZW_IDENTITY, SCALE_NONE, 0};
    right_by(&r, 700101, ZW_FORM_GAUSS, false, 1e-14);
}

/* A motion that needs no force, as the massless coordinates take all of it: the balance consists
 * of rounding only, which is not a failure. */
static void test_motion_without_force(void **state)
{
    (void)state;
    static const double M[3] = {1, 0, 0}, A[6] = {-2, 0, 1, 0, 1, -1}, b[2] = {2, 0}, Q[3] = {0};
    double z[3], lambda[2];
    zw_context *context = NULL;
    zw_gauss *g = NULL;
    zw_gauss_shape shape = {.n = 3, .m = 2, .mass = ZW_DIAGONAL};
    zw_gauss_answer answer = {.acceleration = z, .multipliers = lambda};
    assert_int_equal(zw_context_create(NULL, &context), ZW_OK);
    assert_int_equal(zw_gauss_plan(context, &shape, &g), ZW_OK);
    assert_int_equal(zw_gauss_factor(g, M, A, NULL), ZW_OK);
    assert_int_equal(zw_gauss_solve(g, Q, b, NULL, &answer), ZW_OK);
    assert_true(fabs(z[0]) < 1e-15 && fabs(z[1] - 2) < 1e-15 && fabs(z[2] - 2) < 1e-15);
    assert_true(fabs(lambda[0]) < 1e-15 && fabs(lambda[1]) < 1e-15);
    zw_gauss_free(g);
    zw_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cancelled_row),
        cmocka_unit_test(test_pivot_of_rounding),
        cmocka_unit_test(test_parts_that_cancel),
        cmocka_unit_test(test_motion_without_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
