/*
 * test_examples.c: answers from the literature, digit for digit.
 *
 * Appell's particle (1911, generalised): unit mass, gravity g, constraint
 * x'^2 + y'^2 - z'^2 = 2 alpha h, so A = [x', y', -z'], b = alpha (h_x x' + h_y y' + h_z z' + h_t),
 * and the acceleration is (0, 0, -g) + (b - g z') / (x'^2 + y'^2 + z'^2) (x', y', -z').
 * The contradicting constraints of tests/reference/uk_inconsistent.json are rationals; the
 * machine of Appell and Hamel in appell_nonlinear.json gives states and constraint forces.
 */
#include "gauss_check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

/* ------------------------------------------------------------------- Appell */

enum { FORMS = 7 };

typedef struct appell_case {
    double velocity[3];
    double b;
} appell_case;

/* Numbers chosen so that the answer is exact in doubles: |v|^2 is a power of two. */
static void appell_answer(const appell_case *c, double g, double *z)
{
    const double *v = c->velocity;
    double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    double t = square > 0 ? (c->b - g * v[2]) / square : 0;
    z[0] = t * v[0];
    z[1] = t * v[1];
    z[2] = -g - t * v[2];
}

/* Every digit: two units in the last place of the largest entry, which rounding may cost. */
static void expect_digits(const char *what, const double *x, const double *y, int32_t n)
{
    double size = 0;
    for (int32_t i = 0; i < n; i++) {
        size = fmax(size, fabs(y[i]));
    }
    for (int32_t i = 0; i < n; i++) {
        if (!(fabs(x[i] - y[i]) <= 4.5e-16 * size)) {
            fail_msg("%s[%d] is %.17g, not %.17g", what, i, x[i], y[i]);
        }
    }
}

static void appell_by_all_forms(const appell_case *c, double g)
{
    problem *p = problem_new(3, 1);
    memcpy(p->A, (double[]){c->velocity[0], c->velocity[1], -c->velocity[2]}, 3 * sizeof(double));
    p->b[0] = c->b;
    p->Q[2] = -g;
    double z[3], force[3];
    appell_answer(c, g, z);
    memcpy(force, (double[]){z[0], z[1], z[2] + g}, sizeof force);
    solved s;
    solve_problem(p, &s);
    assert_int_equal(s.status, ZW_OK);
    expect_digits("acceleration", s.z, z, 3);
    for (int32_t form = 0; form < FORMS; form++) {
        memset(s.z, 0, 3 * sizeof(double));
        zw_status status = zw_gauss_solve_form(s.g, (zw_form)form, p->Q, p->b, NULL, &s.answer);
        if (status != ZW_OK) {
            fail_msg("form %s: %s", zw_form_name((zw_form)form), zw_status_name(status));
        }
        expect_digits(zw_form_name((zw_form)form), s.z, z, 3);
        double size = fabs(g) + norm(force, 3);
        assert_true(distance(s.Qi, force, 3) <= 1e-15 * size);
    }
    solve_clear(&s);
    problem_free(p);
}

static void test_appell(void **state)
{
    (void)state;
    static const appell_case cases[] = {
        {{1, 2, 2}, 3.25},    {{2, 2, 0}, 1.5},     {{4, 0, 0}, -7},          {{0, 2, 2}, 3.25},
        {{0, 0, 2}, 1.75},    {{0, 4, 0}, 0.5},     {{-1, 1, 1.5}, 0},        {{1e-3, 2, -1}, 2},
        {{1e-9, 2, 2}, 3.25}, {{1e-160, 2, 2}, 1.}, {{0.3, -1.7, 0.4}, 11.5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        appell_by_all_forms(&cases[i], 9.8125);
        appell_by_all_forms(&cases[i], 0);
    }
}

/* At rest the constraint says nothing (A = 0, b = 0): the particle falls freely. */
static void test_appell_at_rest(void **state)
{
    (void)state;
    appell_by_all_forms(&(appell_case){{0, 0, 0}, 0}, 9.8125);
}

/* -------------------------------------------------------------- JSON files */

static json_t *load(const char *name)
{
    char path[1024];
    json_error_t error;
    snprintf(path, sizeof path, "%s/%s", ZW_TEST_REFERENCE, name);
    json_t *root = json_load_file(path, 0, &error);
    if (root == NULL) {
        fail_msg("%s: %s", path, error.text);
    }
    return root;
}

/* "13/4", "-0.5" */
static double number_of(const json_t *text)
{
    const char *s = json_string_value(text);
    char *end = NULL;
    assert_non_null(s);
    double x = strtod(s, &end);
    if (*end == '/') {
        x /= strtod(end + 1, &end);
    }
    assert_true(*end == '\0');
    return x;
}

/* Numbers of a list or a list of lists, row by row; returns how many. */
static int32_t numbers_of(const json_t *list, double *x)
{
    int32_t count = 0;
    size_t i = 0;
    const json_t *item = NULL;
    assert_true(json_is_array(list));
    json_array_foreach(list, i, item)
    {
        if (json_is_array(item)) {
            count += numbers_of(item, x + count);
        } else {
            x[count++] = number_of(item);
        }
    }
    return count;
}

/* Q = M a_free */
static problem *problem_of(const json_t *c)
{
    int32_t n = (int32_t)json_array_size(json_object_get(c, "M"));
    int32_t m = (int32_t)json_array_size(json_object_get(c, "A"));
    double a[8];
    problem *p = problem_new(n, m);
    assert_int_equal(numbers_of(json_object_get(c, "M"), p->M), n * n);
    assert_int_equal(numbers_of(json_object_get(c, "A"), p->A), m * n);
    assert_int_equal(numbers_of(json_object_get(c, "b"), p->b), m);
    assert_int_equal(numbers_of(json_object_get(c, "W"), p->W), m * m);
    assert_int_equal(numbers_of(json_object_get(c, "a_free"), a), n);
    times(p->M, a, n, n, p->Q);
    p->weight = ZW_FULL;
    return p;
}

static void expect_values(const char *what, const json_t *values, const char *key,
                          const double *got, int32_t count)
{
    double want[8];
    assert_int_equal(numbers_of(json_object_get(values, key), want), count);
    expect_digits(what, got, want, count);
}

static void test_uk_inconsistent(void **state)
{
    (void)state;
    static const zw_form right[] = {ZW_FORM_GAUSS, ZW_FORM_MOORE_PENROSE, ZW_FORM_PROJECTION};
    static const zw_form refusing[] = {ZW_FORM_INVERSE_14, ZW_FORM_INVERSE_1, ZW_FORM_GIBBS_APPELL,
                                       ZW_FORM_MULTIPLIERS};
    json_t *root = load("uk_inconsistent.json");
    size_t i = 0;
    const json_t *c = NULL;
    json_array_foreach(json_object_get(root, "reference"), i, c)
    {
        const json_t *values = json_object_get(c, "values");
        problem *p = problem_of(c);
        solved s;
        solve_problem(p, &s);
        assert_int_equal(s.status, ZW_OK);
        assert_false(s.answer.consistent);
        expect_values("acceleration", values, "qdd", s.z, p->n);
        expect_values("force", values, "Fc", s.F, p->n);
        expect_values("residual", values, "A_qdd_minus_b", s.residual, p->m);
        expect_values("inconsistency", values, "A_qdd_minus_b", s.delta, p->m);
        for (size_t k = 0; k < 3; k++) {
            assert_int_equal(zw_gauss_solve_form(s.g, right[k], p->Q, p->b, NULL, &s.answer),
                             ZW_OK);
            expect_values(zw_form_name(right[k]), values, "qdd", s.z, p->n);
        }
        for (size_t k = 0; k < 4; k++) {
            assert_int_equal(zw_gauss_solve_form(s.g, refusing[k], p->Q, p->b, NULL, &s.answer),
                             ZW_ERR_INCONSISTENT);
        }
        solve_clear(&s);
        problem_free(p);
    }
    assert_int_equal(i, 2);
    json_decref(root);
}

/* M = diag(3, 3, 1), F = (0, 0, -9.81), psi = z'^2 - a^2 (x'^2 + y'^2), a = 1/2:
 * A = psi_v = (-2 a^2 x', -2 a^2 y', 2 z'), b = 0. The file gives velocities and force. */
static void test_appell_hamel(void **state)
{
    (void)state;
    json_t *root = load("appell_nonlinear.json");
    size_t i = 0;
    const json_t *c = NULL;
    json_array_foreach(json_object_get(root, "reference"), i, c)
    {
        const json_t *values = json_object_get(c, "values");
        problem *p = problem_new(3, 1);
        double v[3], force[3];
        static const char *const names[] = {"d_x", "d_y", "d_z", "Fcx", "Fcy", "Fcz"};
        for (int32_t k = 0; k < 3; k++) {
            v[k] = number_of(json_object_get(values, names[k]));
            force[k] = number_of(json_object_get(values, names[k + 3]));
        }
        memcpy(p->A, (double[]){-0.5 * v[0], -0.5 * v[1], 2 * v[2]}, 3 * sizeof(double));
        p->M[0] = p->M[4] = 3;
        p->mass = ZW_DIAGONAL;
        p->Q[2] = -9.81;
        solved s;
        solve_problem(p, &s);
        assert_int_equal(s.status, ZW_OK);
        /* the velocities are rounded to doubles, which costs a unit or two */
        assert_true(distance(s.F, force, 3) <= 1e-15 * norm(force, 3));
        assert_true(distance(s.Qi, force, 3) <= 1e-15 * norm(force, 3));
        solve_clear(&s);
        problem_free(p);
    }
    assert_int_equal(i, 3);
    json_decref(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_appell),
        cmocka_unit_test(test_appell_at_rest),
        cmocka_unit_test(test_uk_inconsistent),
        cmocka_unit_test(test_appell_hamel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
