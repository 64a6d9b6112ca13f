/*
 * test_unequal_arguments.c: wrong calls and wrong numbers where there are inequalities: impossible
 * shapes, calls out of order, NaN and infinities in every place of every input, matrices that are
 * not symmetric or not definite, motions that only an inequality would determine. Each gets its
 * status and a sentence that names the place, with rows counted as they were given.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gauss_check.h"

static problem *sample(zw_matrix_kind weight)
{
    recipe r = {4, 4, MASS_GENERIC, 10, ROWS_MANY, CONSISTENT, weight, SCALE_NONE, 0};
    problem *p = problem_make(&r, 3);
    p->inequalities = p->m - 2;
    p->with_C = true;
    return p;
}

static void expect_sentence(const zw_gauss *g, const char *first, const char *second)
{
    char text[512] = "";
    size_t length = zw_gauss_explain(g, text, sizeof text);
    assert_true(length > 0 && length < sizeof text && strlen(text) == length);
    if (strstr(text, first) == NULL || strstr(text, second) == NULL)
        fail_msg("'%s' does not say '%s' and '%s'", text, first, second);
}

static void test_shapes(void **state)
{
    (void)state;
    zw_context *context = NULL;
    zw_gauss *g = NULL;
    assert_int_equal(zw_context_create(NULL, &context), ZW_OK);
    static const int32_t bad[] = {-1, 4, 100, INT32_MIN};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        zw_gauss_shape shape = {.n = 2, .m = 3, .inequalities = bad[k]};
        assert_int_equal(zw_gauss_plan(context, &shape, &g), ZW_ERR_ARGUMENT);
        assert_null(g);
    }
    for (int32_t k = 0; k <= 3; k++) {
        zw_gauss_shape shape = {.n = 2, .m = 3, .inequalities = k};
        assert_int_equal(zw_gauss_plan(context, &shape, &g), ZW_OK);
        assert_int_equal(zw_gauss_guess(g, NULL), ZW_OK);
        zw_gauss_free(g);
        g = NULL;
    }
    assert_int_equal(zw_gauss_guess(NULL, NULL), ZW_ERR_ARGUMENT);
    zw_context_free(context);
}

/* What needs a solve has none after a factor. */
static void test_order(void **state)
{
    (void)state;
    problem *p = sample(ZW_FULL);
    solved s;
    double x[4] = {0}, room[16];
    int32_t count = 0;
    zw_gauss_rank_info info;
    zw_diagnosis *d = NULL;
    prepare(p, &s);
    for (int32_t turn = 0; turn < 2; turn++) {
        zw_status done =
            turn == 0 ? zw_gauss_solve(s.g, p->Q, p->b, NULL, &s.answer) : ZW_ERR_ORDER;
        assert_int_equal(done, ZW_ERR_ORDER);
        assert_int_equal(zw_gauss_project(s.g, x, x), ZW_ERR_ORDER);
        assert_int_equal(zw_gauss_split(s.g, x, x, x), ZW_ERR_ORDER);
        assert_int_equal(zw_gauss_basis(s.g, room, &count), ZW_ERR_ORDER);
        assert_int_equal(zw_gauss_rank(s.g, &info), ZW_ERR_ORDER);
        assert_int_equal(zw_gauss_diagnose(s.g, p->b, x, &d), ZW_ERR_ORDER);
        assert_int_equal(zw_gauss_undetermined(s.g, room, &count), ZW_ERR_ORDER);
        expect_sentence(s.g, "", "");
        assert_int_equal(factor_problem(p, s.g), ZW_OK);
    }
    for (int32_t i = 0; i < 6 * p->n + 3 * p->m; i++) assert_true(isnan(s.memory[i]));
    assert_int_equal(zw_gauss_solve(s.g, p->Q, p->b, NULL, &s.answer), ZW_OK);
    assert_int_equal(zw_gauss_rank(s.g, &info), ZW_OK);
    assert_int_equal(zw_gauss_explain(s.g, NULL, 0), 0);
    solve_clear(&s);
    problem_free(p);
}

/* --------------------------------------------------------------------- not finite */

static const double not_numbers[] = {(double)NAN, HUGE_VAL, -HUGE_VAL};

static void spoil(const problem *p, solved *s, double *x, int32_t count, int32_t step,
                  const char *letter)
{
    for (int32_t i = 0; i < 3 * count; i++) {
        double *place = x + i / 3 * step, old = *place;
        *place = not_numbers[i % 3];
        if (factor_problem(p, s->g) != ZW_ERR_NOT_FINITE) fail_msg("%s, place %d", letter, i / 3);
        expect_sentence(s->g, letter, "");
        assert_int_equal(check_problem(p, s->g), ZW_ERR_NOT_FINITE);
        *place = old;
    }
}

static void test_not_finite_matrices(void **state)
{
    (void)state;
    for (int32_t kind = 0; kind < 2; kind++) {
        problem *p = sample(kind == 0 ? ZW_FULL : ZW_DIAGONAL);
        int32_t n = p->n, m = p->m;
        solved s;
        prepare(p, &s);
        spoil(p, &s, p->M, n * n, 1, "M");
        spoil(p, &s, p->A, m * n, 1, "A");
        spoil(p, &s, p->W, kind == 0 ? m * m : m, kind == 0 ? 1 : m + 1, "W");
        assert_int_equal(factor_problem(p, s.g), ZW_OK);
        assert_int_equal(zw_gauss_solve(s.g, p->Q, p->b, p->C, &s.answer), ZW_OK);
        solve_clear(&s);
        problem_free(p);
    }
}

static void test_not_finite_vectors(void **state)
{
    (void)state;
    problem *p = sample(ZW_IDENTITY);
    solved s;
    zw_diagnosis *d = NULL;
    prepare(p, &s);
    assert_int_equal(factor_problem(p, s.g), ZW_OK);
    struct {
        double *x;
        int32_t count;
        const char *letter;
    } all[] = {{p->Q, p->n, "Q"}, {p->b, p->m, "b"}, {p->C, p->n, "C"}};
    for (size_t k = 0; k < 3; k++) {
        for (int32_t i = 0; i < 3 * all[k].count; i++) {
            double old = all[k].x[i / 3];
            char number[16];
            snprintf(number, sizeof number, "[%d]", (int)(i / 3));
            all[k].x[i / 3] = not_numbers[i % 3];
            assert_int_equal(zw_gauss_solve(s.g, p->Q, p->b, p->C, &s.answer), ZW_ERR_NOT_FINITE);
            expect_sentence(s.g, all[k].letter, number);
            all[k].x[i / 3] = old;
        }
    }
    for (int32_t i = 0; i < 6 * p->n + 3 * p->m; i++) assert_true(isnan(s.memory[i]));
    assert_int_equal(zw_gauss_solve(s.g, p->Q, p->b, p->C, &s.answer), ZW_OK);
    p->b[p->m - 1] = (double)NAN;
    assert_int_equal(zw_gauss_diagnose(s.g, p->b, s.z, &d), ZW_ERR_NOT_FINITE);
    assert_null(d);
    solve_clear(&s);
    problem_free(p);
}

/* ----------------------------------------------------------- symmetric, definite */

static void test_judged(void **state)
{
    (void)state;
    problem *p = sample(ZW_FULL);
    solved s;
    prepare(p, &s);
    double old = p->M[2];
    p->M[2] += 1e-3;
    assert_int_equal(factor_problem(p, s.g), ZW_ERR_NOT_SYMMETRIC);
    expect_sentence(s.g, "M[0][2]", "M[2][0]");
    p->M[2] = old * (1.0 + 1e-15);
    assert_int_equal(factor_problem(p, s.g), ZW_OK);
    p->M[2] = old;
    old = p->W[p->m * p->m - 1];
    p->W[p->m * p->m - 1] = -1.0;
    assert_int_equal(factor_problem(p, s.g), ZW_ERR_INDEFINITE);
    expect_sentence(s.g, "W", "");
    p->W[p->m * p->m - 1] = old;
    p->M[0] = -1.0;
    assert_int_equal(check_problem(p, s.g), ZW_ERR_INDEFINITE);
    assert_int_equal(factor_problem(p, s.g), ZW_OK); /* a factor is made by the solve */
    assert_int_equal(zw_gauss_solve(s.g, p->Q, p->b, NULL, &s.answer), ZW_ERR_INDEFINITE);
    expect_sentence(s.g, "M", "");
    solve_clear(&s);
    problem_free(p);
}

/* A floor does not say where a massless point is, a rod does; also where the floor was held before. */
static void test_undetermined(void **state)
{
    (void)state;
    problem *p = problem_new(2, 2);
    solved s;
    double direction[4];
    int32_t count = 0;
    p->M[3] = 0.0;
    p->A[1] = p->A[3] = 1.0; /* both rows hold the second coordinate */
    p->inequalities = 1;
    prepare(p, &s);
    assert_int_equal(factor_problem(p, s.g), ZW_OK);
    assert_int_equal(zw_gauss_solve(s.g, p->Q, p->b, NULL, &s.answer), ZW_OK);
    p->A[1] = 0.0;
    bool held[2] = {true, true};
    for (int32_t turn = 0; turn < 2; turn++) {
        assert_int_equal(zw_gauss_guess(s.g, turn == 0 ? held : NULL), ZW_OK);
        assert_int_equal(factor_problem(p, s.g), ZW_OK);
        assert_int_equal(zw_gauss_solve(s.g, p->Q, p->b, NULL, &s.answer), ZW_ERR_UNDETERMINED);
        expect_sentence(s.g, "coordinate 1", "");
        assert_int_equal(zw_gauss_undetermined(s.g, direction, &count), ZW_OK);
        assert_int_equal(count, 1);
        assert_true(direction[0] == 0.0 && direction[1] == 1.0);
    }
    solve_clear(&s);
    problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_not_finite_matrices),
        cmocka_unit_test(test_not_finite_vectors),
        cmocka_unit_test(test_judged),
        cmocka_unit_test(test_undetermined),
    };
    return cmocka_run_group_tests_name("arguments, with inequalities", tests, NULL, NULL);
}
