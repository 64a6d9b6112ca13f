/*
 * test_arguments.c: wrong calls and wrong numbers.
 *
 * Missing or impossible arguments, calls out of order, NaN and infinities in every place of
 * every input, asymmetric and indefinite matrices, numbers too large to be squared: each
 * gets its status, a sentence that names the place, and leaves the outputs alone.
 */
#include "gauss_check.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static problem *sample(void)
{
    recipe r = {4, 4, MASS_GENERIC, 10, ROWS_REDUNDANT, CONSISTENT, ZW_FULL, SCALE_NONE, 0};
    problem *p = problem_make(&r, 3);
    p->with_C = true;
    return p;
}

static void expect_status(const char *what, zw_status got, zw_status want)
{
    if (got != want) {
        fail_msg("%s: %s, not %s", what, zw_status_name(got), zw_status_name(want));
    }
}

/* The sentence is there, ends without a full stop, and contains every word. */
static void expect_sentence(const zw_gauss *g, const char *first, const char *second)
{
    char text[512] = "", small[8];
    size_t length = zw_gauss_explain(g, text, sizeof text);
    assert_true(length > 0 && length < sizeof text);
    assert_int_equal(strlen(text), length);
    if (strstr(text, first) == NULL || strstr(text, second) == NULL) {
        fail_msg("'%s' does not say '%s' and '%s'", text, first, second);
    }
    /* cut off, never overrun */
    memset(small, '#', sizeof small);
    assert_int_equal(zw_gauss_explain(g, small, 5), length);
    assert_true(small[4] == '\0' && small[5] == '#' && strncmp(small, text, 4) == 0);
    assert_int_equal(zw_gauss_explain(g, NULL, 0), length);
}

/* --------------------------------------------------------------------- plans */

static void expect_shape(zw_context *context, zw_gauss_shape shape, const char *what)
{
    zw_gauss *g = NULL;
    expect_status(what, zw_gauss_plan(context, &shape, &g), ZW_ERR_ARGUMENT);
    assert_null(g);
}

static void test_shapes(void **state)
{
    (void)state;
    zw_context *context = NULL;
    zw_gauss *g = NULL;
    zw_gauss_shape good = {.n = 2, .m = 1};
    assert_int_equal(zw_context_create(NULL, NULL), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_context_create(NULL, &context), ZW_OK);
    expect_status("no context", zw_gauss_plan(NULL, &good, &g), ZW_ERR_ARGUMENT);
    expect_status("no shape", zw_gauss_plan(context, NULL, &g), ZW_ERR_ARGUMENT);
    expect_status("no result", zw_gauss_plan(context, &good, NULL), ZW_ERR_ARGUMENT);
    expect_shape(context, (zw_gauss_shape){.n = 0, .m = 1}, "n = 0");
    expect_shape(context, (zw_gauss_shape){.n = -3, .m = 1}, "n < 0");
    expect_shape(context, (zw_gauss_shape){.n = 2, .m = -1}, "m < 0");
    expect_shape(context, (zw_gauss_shape){.n = 2, .mass = ZW_IDENTITY}, "M identity");
    expect_shape(context, (zw_gauss_shape){.n = 2, .mass = (zw_matrix_kind)3}, "M kind 3");
    expect_shape(context, (zw_gauss_shape){.n = 2, .mass = (zw_matrix_kind)-1}, "M kind -1");
    expect_shape(context, (zw_gauss_shape){.n = 2, .weight = (zw_matrix_kind)3}, "W kind 3");
    expect_shape(context, (zw_gauss_shape){.n = 2, .weight = (zw_matrix_kind)-1}, "W kind -1");
    static const double bad[] = {-1e-9, 1, 2, HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        expect_shape(context, (zw_gauss_shape){.n = 2, .rank_tolerance = bad[i]}, "tolerance");
    }
    expect_shape(context, (zw_gauss_shape){.n = 2, .rank_tolerance = (double)NAN}, "tolerance");
    expect_shape(context, (zw_gauss_shape){.n = 2, .noise = (double)NAN}, "noise NaN");
    expect_shape(context, (zw_gauss_shape){.n = 2, .noise = -1e-9}, "noise < 0");
    expect_shape(context, (zw_gauss_shape){.n = 2, .noise = HUGE_VAL}, "noise infinite");
    assert_int_equal(zw_context_set_budget(NULL, 1), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_context_held(NULL), 0);
    zw_context_free(context);
}

/* ------------------------------------------------------------ missing pointers */

static void test_missing_pointers(void **state)
{
    (void)state;
    problem *p = sample();
    solved s;
    zw_diagnosis *d = NULL;
    int32_t count = 0;
    zw_gauss_rank_info info;
    double x[4] = {0}, room[16];
    solve_problem(p, &s);
    assert_int_equal(s.status, ZW_OK);
    zw_gauss *g = s.g;
    const zw_status no = ZW_ERR_ARGUMENT;
    expect_status("solve: Q", zw_gauss_solve(g, NULL, p->b, NULL, &s.answer), no);
    expect_status("solve: b", zw_gauss_solve(g, p->Q, NULL, NULL, &s.answer), no);
    expect_status("solve: answer", zw_gauss_solve(g, p->Q, p->b, NULL, NULL), no);
    expect_status("solve: g", zw_gauss_solve(NULL, p->Q, p->b, NULL, &s.answer), no);
    expect_status("project: x", zw_gauss_project(g, NULL, x), no);
    expect_status("project: y", zw_gauss_project(g, x, NULL), no);
    expect_status("project: g", zw_gauss_project(NULL, x, x), no);
    expect_status("split: force", zw_gauss_split(g, NULL, x, x), no);
    expect_status("split: g", zw_gauss_split(NULL, x, x, x), no);
    expect_status("basis: basis", zw_gauss_basis(g, NULL, &count), no);
    expect_status("basis: count", zw_gauss_basis(g, room, NULL), no);
    expect_status("basis: g", zw_gauss_basis(NULL, room, &count), no);
    expect_status("rank: info", zw_gauss_rank(g, NULL), no);
    expect_status("rank: g", zw_gauss_rank(NULL, &info), no);
    expect_status("undetermined: g", zw_gauss_undetermined(NULL, room, &count), no);
    expect_status("undetermined: count", zw_gauss_undetermined(g, room, NULL), no);
    expect_status("form: Q", zw_gauss_solve_form(g, ZW_FORM_GAUSS, NULL, p->b, NULL, &s.answer),
                  no);
    expect_status("form: answer", zw_gauss_solve_form(g, ZW_FORM_GAUSS, p->Q, p->b, NULL, NULL),
                  no);
    expect_status("form 7", zw_gauss_solve_form(g, (zw_form)7, p->Q, p->b, NULL, &s.answer), no);
    expect_status("form -1", zw_gauss_solve_form(g, (zw_form)-1, p->Q, p->b, NULL, &s.answer), no);
    expect_status("form: g", zw_gauss_solve_form(NULL, ZW_FORM_GAUSS, p->Q, p->b, NULL, &s.answer),
                  no);
    expect_status("diagnose: b", zw_gauss_diagnose(g, NULL, s.z, &d), no);
    expect_status("diagnose: z", zw_gauss_diagnose(g, p->b, NULL, &d), no);
    expect_status("diagnose: result", zw_gauss_diagnose(g, p->b, s.z, NULL), no);
    expect_status("diagnose: g", zw_gauss_diagnose(NULL, p->b, s.z, &d), no);
    expect_status("factor: M", zw_gauss_factor(g, NULL, p->A, p->W), no);
    expect_status("factor: A", zw_gauss_factor(g, p->M, NULL, p->W), no);
    expect_status("factor: g", zw_gauss_factor(NULL, p->M, p->A, p->W), no);
    expect_status("check: M", zw_gauss_check(g, NULL, p->A, p->W), no);
    expect_status("check: A", zw_gauss_check(g, p->M, NULL, p->W), no);
    expect_status("check: g", zw_gauss_check(NULL, p->M, p->A, p->W), no);
    assert_null(d);
    solve_clear(&s);
    problem_free(p);
}

/* -------------------------------------------------------------------- order */

/* Everything that needs a factor, without one. */
static void expect_order(zw_gauss *g, const problem *p, solved *s)
{
    zw_diagnosis *d = NULL;
    int32_t count = 0;
    zw_gauss_rank_info info;
    double x[4] = {0}, room[16];
    const zw_status no = ZW_ERR_ORDER;
    expect_status("solve", zw_gauss_solve(g, p->Q, p->b, NULL, &s->answer), no);
    expect_status("form", zw_gauss_solve_form(g, ZW_FORM_MULTIPLIERS, p->Q, p->b, NULL, &s->answer),
                  no);
    expect_status("project", zw_gauss_project(g, x, x), no);
    expect_status("split", zw_gauss_split(g, x, x, x), no);
    expect_status("basis", zw_gauss_basis(g, room, &count), no);
    expect_status("rank", zw_gauss_rank(g, &info), no);
    expect_status("diagnose", zw_gauss_diagnose(g, p->b, x, &d), no);
    expect_status("undetermined", zw_gauss_undetermined(g, room, &count), no);
    assert_null(d);
    for (int32_t i = 0; i < 6 * p->n + 3 * p->m; i++) {
        assert_true(isnan(s->memory[i]));
    }
}

static void test_order(void **state)
{
    (void)state;
    problem *p = sample();
    solved s;
    prepare(p, &s);
    expect_order(s.g, p, &s);
    char text[8] = "x";
    assert_true(zw_gauss_explain(s.g, text, sizeof text) > 0);
    /* a factor that failed is none */
    assert_int_equal(factor_problem(p, s.g), ZW_OK);
    assert_int_equal(zw_gauss_explain(s.g, text, sizeof text), 0);
    assert_true(text[0] == '\0');
    double old = p->A[3];
    p->A[3] = (double)NAN;
    assert_int_equal(factor_problem(p, s.g), ZW_ERR_NOT_FINITE);
    p->A[3] = old;
    expect_order(s.g, p, &s);
    /* undetermined motions exist after that failure only */
    int32_t count = 0;
    assert_int_equal(factor_problem(p, s.g), ZW_OK);
    assert_int_equal(zw_gauss_undetermined(s.g, NULL, &count), ZW_ERR_ORDER);
    solve_clear(&s);
    problem_free(p);
}

/* --------------------------------------------------------------- not finite */

static const char *const not_numbers[] = {"nan", "inf", "-inf"};

typedef zw_status (*call)(const problem *p, solved *s);

static zw_status call_factor(const problem *p, solved *s)
{
    return factor_problem(p, s->g);
}
static zw_status call_check(const problem *p, solved *s)
{
    return check_problem(p, s->g);
}

static zw_status call_solve(const problem *p, solved *s)
{
    return zw_gauss_solve(s->g, p->Q, p->b, p->C, &s->answer);
}

static zw_form form_called;

static zw_status call_form(const problem *p, solved *s)
{
    return zw_gauss_solve_form(s->g, form_called, p->Q, p->b, p->C, &s->answer);
}

static zw_status call_project(const problem *p, solved *s)
{
    double y[4];
    return zw_gauss_project(s->g, p->Q, y);
}

static zw_status call_split(const problem *p, solved *s)
{
    double ideal[4], nonideal[4];
    return zw_gauss_split(s->g, p->Q, ideal, nonideal);
}

static zw_status call_diagnose(const problem *p, solved *s)
{
    zw_diagnosis *d = NULL;
    zw_status status = zw_gauss_diagnose(s->g, p->b, p->Q, &d);
    zw_diagnosis_free(d);
    return status;
}

static const char *name_of(call f)
{
    return f == call_factor    ? "factor"
           : f == call_check   ? "check"
           : f == call_solve   ? "solve"
           : f == call_form    ? zw_form_name(form_called)
           : f == call_project ? "project"
           : f == call_split   ? "split"
                               : "diagnose";
}

/* Puts NaN, inf and -inf into x[0], x[step], ... of count places; f must refuse and name
 * `letter`. */
static void expect_not_finite(const problem *p, solved *s, double *x, int32_t count, int32_t step,
                              call f, const char *letter)
{
    for (int32_t i = 0; i < 3 * count; i++) {
        double *place = x + i / 3 * step, old = *place;
        *place = strtod(not_numbers[i % 3], NULL);
        zw_status status = f(p, s);
        if (status != ZW_ERR_NOT_FINITE) {
            fail_msg("%s: %s in place %d of %s: %s", name_of(f), not_numbers[i % 3], i / 3 * step,
                     letter, zw_status_name(status));
        }
        expect_sentence(s->g, letter, "");
        *place = old;
    }
}

static void not_finite_matrices(problem *p)
{
    static const call calls[] = {call_factor, call_check};
    solved s;
    prepare(p, &s);
    int32_t n = p->n, m = p->m;
    for (int32_t k = 0; k < 2; k++) {
        /* a diagonal matrix is handed over by its diagonal only */
        bool diagonal = p->mass == ZW_DIAGONAL;
        expect_not_finite(p, &s, p->M, diagonal ? n : n * n, diagonal ? n + 1 : 1, calls[k], "M");
        diagonal = p->weight == ZW_DIAGONAL;
        expect_not_finite(p, &s, p->W, diagonal ? m : m * m, diagonal ? m + 1 : 1, calls[k], "W");
        expect_not_finite(p, &s, p->A, m * n, 1, calls[k], "A");
    }
    solve_clear(&s);
}

static void test_not_finite_matrices(void **state)
{
    (void)state;
    problem *p = sample();
    not_finite_matrices(p);
    problem_free(p);
    recipe r = {4, 4, MASS_DIAGONAL, 10, ROWS_MANY, CONSISTENT, ZW_DIAGONAL, SCALE_NONE, 0};
    p = problem_make(&r, 3);
    not_finite_matrices(p);
    problem_free(p);
}

static void test_not_finite_vectors(void **state)
{
    (void)state;
    problem *p = sample();
    solved s;
    prepare(p, &s);
    assert_int_equal(factor_problem(p, s.g), ZW_OK);
    expect_not_finite(p, &s, p->Q, p->n, 1, call_solve, "Q");
    expect_not_finite(p, &s, p->b, p->m, 1, call_solve, "b");
    expect_not_finite(p, &s, p->C, p->n, 1, call_solve, "C");
    for (int32_t form = 0; form < 7; form++) {
        form_called = (zw_form)form;
        expect_not_finite(p, &s, p->Q, p->n, 1, call_form, "Q");
        expect_not_finite(p, &s, p->b, p->m, 1, call_form, "b");
        expect_not_finite(p, &s, p->C, p->n, 1, call_form, "C");
    }
    expect_not_finite(p, &s, p->Q, p->n, 1, call_project, "");
    expect_not_finite(p, &s, p->Q, p->n, 1, call_split, "");
    expect_not_finite(p, &s, p->b, p->m, 1, call_diagnose, "b");
    expect_not_finite(p, &s, p->Q, p->n, 1, call_diagnose, ""); /* as the acceleration */
    for (int32_t i = 0; i < 6 * p->n + 3 * p->m; i++) {
        assert_true(isnan(s.memory[i])); /* nothing was written */
    }
    /* and none of it did harm */
    assert_int_equal(zw_gauss_solve(s.g, p->Q, p->b, p->C, &s.answer), ZW_OK);
    solve_clear(&s);
    problem_free(p);
}

/* The sentence names row and coordinate, counted from 0. */
static void test_place(void **state)
{
    (void)state;
    problem *p = problem_new(9, 8);
    solved s;
    prepare(p, &s);
    p->A[7 * 9 + 5] = (double)NAN;
    assert_int_equal(factor_problem(p, s.g), ZW_ERR_NOT_FINITE);
    expect_sentence(s.g, "7", "A");
    p->A[7 * 9 + 5] = 0;
    p->M[6 * 9 + 6] = HUGE_VAL;
    assert_int_equal(factor_problem(p, s.g), ZW_ERR_NOT_FINITE);
    expect_sentence(s.g, "6", "M");
    p->M[6 * 9 + 6] = 1;
    assert_int_equal(factor_problem(p, s.g), ZW_OK);
    p->b[7] = (double)NAN;
    assert_int_equal(zw_gauss_solve(s.g, p->Q, p->b, NULL, &s.answer), ZW_ERR_NOT_FINITE);
    expect_sentence(s.g, "7", "b");
    solve_clear(&s);
    problem_free(p);
}

/* ------------------------------------------- symmetric, positive (semi)definite */

static void expect_judged(problem *p, double *S, int32_t i, double value, zw_status want,
                          const char *letter)
{
    solved s;
    double old = S[i];
    prepare(p, &s);
    S[i] = value;
    expect_status(letter, check_problem(p, s.g), want);
    if (want != ZW_OK) {
        expect_sentence(s.g, letter, "");
    }
    S[i] = old;
    solve_clear(&s);
}

static void test_symmetry(void **state)
{
    (void)state;
    problem *p = sample();
    int32_t n = p->n, m = p->m;
    double M = 0, W = 0; /* largest entries */
    for (int32_t i = 0; i < n * n; i++) {
        M = fmax(M, fabs(p->M[i]));
    }
    for (int32_t i = 0; i < m * m; i++) {
        W = fmax(W, fabs(p->W[i]));
    }
    for (int32_t i = 0; i < n * n; i++) {
        if (i / n != i % n) {
            expect_judged(p, p->M, i, p->M[i] + 1e-11 * M, ZW_ERR_NOT_SYMMETRIC, "M");
            expect_judged(p, p->M, i, p->M[i] + 1e-13 * M, ZW_OK, "M");
        }
    }
    for (int32_t i = 0; i < m * m; i++) {
        if (i / m != i % m) {
            expect_judged(p, p->W, i, p->W[i] - 1e-11 * W, ZW_ERR_NOT_SYMMETRIC, "W");
            expect_judged(p, p->W, i, p->W[i] - 1e-13 * W, ZW_OK, "W");
        }
    }
    problem_free(p);
}

static void test_definite(void **state)
{
    (void)state;
    for (int32_t kind = 0; kind < 2; kind++) { /* full and diagonal */
        problem *p = problem_new(3, 3);
        p->mass = p->weight = (zw_matrix_kind)kind;
        for (int32_t i = 0; i < 3; i++) {
            p->A[4 * i] = 1;
        }
        for (int32_t i = 0; i < 9; i += 4) {
            expect_judged(p, p->M, i, -1, ZW_ERR_INDEFINITE, "M");
            expect_judged(p, p->M, i, -1e-9, ZW_ERR_INDEFINITE, "M");
            expect_judged(p, p->M, i, 0, ZW_OK, "M"); /* semidefinite: A determines it */
            expect_judged(p, p->W, i, -1, ZW_ERR_INDEFINITE, "W");
            expect_judged(p, p->W, i, 0, ZW_ERR_INDEFINITE, "W");
        }
        problem_free(p);
    }
}

/* Indefinite though the diagonal is positive, and though A hides the direction. */
static void test_indefinite_behind_constraints(void **state)
{
    (void)state;
    problem *p = problem_new(2, 2);
    double M[] = {1, 2, 2, 1};
    solved s;
    memcpy(p->M, M, sizeof M);
    p->A[0] = p->A[3] = 1000;
    prepare(p, &s);
    expect_status("M", check_problem(p, s.g), ZW_ERR_INDEFINITE);
    expect_sentence(s.g, "M", "");
    memcpy(p->M, (double[]){1, 0, 0, 1}, sizeof M);
    memcpy(p->W, M, sizeof M);
    p->weight = ZW_FULL;
    solve_clear(&s);
    prepare(p, &s);
    expect_status("W", check_problem(p, s.g), ZW_ERR_INDEFINITE);
    expect_sentence(s.g, "W", "");
    solve_clear(&s);
    problem_free(p);
}

/* Random definite and indefinite matrices with generic eigenvectors. */
static void test_random_definiteness(void **state)
{
    (void)state;
    verdict v = {0};
    for (uint64_t seed = 0; seed < 300; seed++) {
        recipe r = {2, 8, MASS_GENERIC, 1e6, ROWS_INDEPENDENT, ANY_B, ZW_FULL, SCALE_NONE, 0};
        problem *p = problem_make(&r, seed);
        solved s;
        prepare(p, &s);
        verdict_status(&v, p, "definite", check_problem(p, s.g), ZW_OK);
        uint64_t random = seed;
        double shift = pow(10, random_real(&random, -4.5, -1)) * p->M[0];
        for (int32_t i = 0; i < p->n; i++) { /* the least eigenvalue is 1e-6 of the largest */
            p->M[i * p->n + i] -= shift;
        }
        if (!oracle_positive_definite(p->M, p->n)) {
            verdict_status(&v, p, "indefinite", check_problem(p, s.g), ZW_ERR_INDEFINITE);
        }
        solve_clear(&s);
        problem_free(p);
    }
    verdict_finish(&v, 500);
}

/* ------------------------------------------------------------ huge and tiny */

/* Numbers near the ends of the range: right, or refused as out of range. */
static void test_range(void **state)
{
    (void)state;
    static const double factors[] = {1e-300, 1e-200, 1e-160, 1e-100, 1e100, 1e160, 1e200, 1e300};
    verdict v = {0};
    recipe r = {1, 6, MASS_GENERIC, 10, ROWS_REDUNDANT, CONSISTENT, ZW_IDENTITY, SCALE_NONE, 0};
    for (uint64_t i = 0; i < 8 * 3 * 10; i++) {
        problem *p = problem_make(&r, i);
        double c = ldexp(1, ilogb(factors[i % 8]));
        int32_t what = (int32_t)(i / 8 % 3);
        for (int32_t k = 0; k < p->n * p->n && what != 1; k++) {
            p->M[k] *= c; /* with Q and C: the motion is the same; without: as large as 1 / c */
        }
        for (int32_t k = 0; k < p->n && what == 0; k++) {
            p->Q[k] *= c;
            p->C[k] *= c;
        }
        for (int32_t k = 0; k < p->m && what == 1; k++) {
            p->b[k] *= c;
            for (int32_t j = 0; j < p->n; j++) {
                p->A[k * p->n + j] *= c;
            }
        }
        oracle *o = oracle_solve(p);
        solved s;
        solve_problem(p, &s);
        if (s.status == ZW_OK && norm(o->acceleration, p->n) < 1e150) {
            verdict_below(&v, p, "right", relative(s.z, o->acceleration, p->n), 1e-12);
        } else if (s.status != ZW_OK) {
            verdict_true(&v, p, zw_status_name(s.status), s.status == ZW_ERR_RANGE);
        }
        for (int32_t j = 0; j < p->n && s.status == ZW_OK; j++) {
            verdict_true(&v, p, "finite", isfinite(s.z[j]) != 0);
        }
        oracle_free(o);
        solve_clear(&s);
        problem_free(p);
    }
    verdict_finish(&v, 240);
}

/* Moderate factors are no reason to refuse. */
static void test_moderate_range(void **state)
{
    (void)state;
    verdict v = {0};
    recipe r = {1, 6, MASS_GENERIC, 10, ROWS_REDUNDANT, CONSISTENT, ZW_IDENTITY, SCALE_NONE, 0};
    for (uint64_t i = 0; i < 200; i++) {
        problem *p = problem_make(&r, i);
        double c = ldexp(1, i % 2 == 0 ? 100 : -100), d = ldexp(1, i % 4 < 2 ? 80 : -80);
        for (int32_t k = 0; k < p->n * p->n; k++) {
            p->M[k] *= c;
        }
        for (int32_t k = 0; k < p->n; k++) {
            p->Q[k] *= c;
            p->C[k] *= c;
        }
        for (int32_t k = 0; k < p->m * p->n; k++) {
            p->A[k] *= d;
        }
        for (int32_t k = 0; k < p->m; k++) {
            p->b[k] *= d;
        }
        oracle *o = oracle_solve(p);
        solved s;
        solve_problem(p, &s);
        verdict_status(&v, p, "solve", s.status, ZW_OK);
        verdict_below(&v, p, "right", relative(s.z, o->acceleration, p->n), 1e-13);
        verdict_true(&v, p, "consistent", s.answer.consistent);
        oracle_free(o);
        solve_clear(&s);
        problem_free(p);
    }
    verdict_finish(&v, 600);
}

/* Data where there is nothing to do: zero right sides give zero. */
static void test_zero(void **state)
{
    (void)state;
    problem *p = sample();
    solved s;
    memset(p->Q, 0, (size_t)p->n * sizeof(double));
    memset(p->C, 0, (size_t)p->n * sizeof(double));
    memset(p->b, 0, (size_t)p->m * sizeof(double));
    solve_problem(p, &s);
    assert_int_equal(s.status, ZW_OK);
    for (int32_t i = 0; i < 6 * p->n + 3 * p->m; i++) {
        assert_true(s.memory[i] == 0);
    }
    assert_true(s.answer.consistent && s.answer.gaussian == 0 && s.answer.certificate == 0);
    solve_clear(&s);
    problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_missing_pointers),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_not_finite_matrices),
        cmocka_unit_test(test_not_finite_vectors),
        cmocka_unit_test(test_place),
        cmocka_unit_test(test_symmetry),
        cmocka_unit_test(test_definite),
        cmocka_unit_test(test_indefinite_behind_constraints),
        cmocka_unit_test(test_random_definiteness),
        cmocka_unit_test(test_range),
        cmocka_unit_test(test_moderate_range),
        cmocka_unit_test(test_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
