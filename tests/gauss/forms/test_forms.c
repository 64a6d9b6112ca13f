/*
 * test_forms.c: the equivalent forms, each against the exact answer.
 *
 * On consistent constraints all agree, to 1e-12 times what the conditioning of M costs a
 * form that divides by it. On inconsistent ones Moore-Penrose and projection are right and
 * the four others refuse; with a singular M gauss, multipliers and Gibbs-Appell are right
 * and the others refuse. A form that cannot answer well must refuse: none may return a
 * wrong acceleration, however bad the problem.
 */
#include "gauss_check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FORMS = 7 };

/* zw_gauss_solve_form with arrays that show what was written */
static zw_status by_form(const problem *p, solved *s, zw_form form)
{
    for (int32_t i = 0; i < 6 * p->n + 3 * p->m; i++) {
        s->memory[i] = (double)NAN;
    }
    return zw_gauss_solve_form(s->g, form, p->Q, given_b(p), given_C(p), &s->answer);
}

static bool untouched(const problem *p, const solved *s)
{
    for (int32_t i = 0; i < 6 * p->n + 3 * p->m; i++) {
        if (!isnan(s->memory[i])) {
            return false;
        }
    }
    return true;
}

static void label(char *text, size_t size, zw_form form, const char *what)
{
    snprintf(text, size, "%s: %s", zw_form_name(form), what);
}

/* Everything a form returns, against the oracle. */
static void expect_right(verdict *v, const problem *p, solved *s, const oracle *o, zw_form form,
                         double allowed)
{
    char text[64];
    int32_t n = p->n;
    zw_status status = by_form(p, s, form);
    label(text, sizeof text, form, "status");
    verdict_status(v, p, text, status, ZW_OK);
    if (status != ZW_OK) {
        return;
    }
    double scale = norm(p->Q, n) + norm(p->C, n) + norm(o->ideal, n);
    scale += norm(p->M, n * n) * norm(o->acceleration, n);
    label(text, sizeof text, form, "acceleration");
    verdict_below(v, p, text, relative(s->z, o->acceleration, n), allowed);
    label(text, sizeof text, form, "force");
    verdict_below(v, p, text, distance(s->F, o->force, n), 10 * allowed * scale);
    label(text, sizeof text, form, "ideal force");
    verdict_below(v, p, text, distance(s->Qi, o->ideal, n), 10 * allowed * scale);
    label(text, sizeof text, form, "non-ideal force");
    verdict_below(v, p, text, distance(s->Qn, o->nonideal, n), 10 * allowed * scale);
    label(text, sizeof text, form, "rank");
    verdict_true(v, p, text, s->answer.rank == o->rank);
    label(text, sizeof text, form, "consistent");
    verdict_true(v, p, text, s->answer.consistent == o->consistent);
}

/* A refusal: the status, a sentence, and nothing written. */
static void expect_refusal(verdict *v, const problem *p, solved *s, zw_form form, zw_status want,
                           const char *word)
{
    char text[64], sentence[512] = "";
    zw_status status = by_form(p, s, form);
    label(text, sizeof text, form, "refuses");
    verdict_status(v, p, text, status, want);
    label(text, sizeof text, form, "writes nothing");
    verdict_true(v, p, text, untouched(p, s));
    label(text, sizeof text, form, "says why");
    size_t length = zw_gauss_explain(s->g, sentence, sizeof sentence);
    verdict_true(v, p, text, length > 0 && strstr(sentence, word) != NULL);
}

typedef void (*try_forms)(verdict *v, const problem *p, solved *s, const oracle *o);

static void for_all(const recipe *kinds, int32_t count, int32_t seeds, try_forms f, int32_t least)
{
    verdict v = {0};
    for (int32_t i = 0; i < count * seeds; i++) {
        problem *p = problem_make(&kinds[i % count], (uint64_t)(i / count) + 300);
        oracle *o = oracle_solve(p);
        solved s;
        prepare(p, &s);
        verdict_status(&v, p, "factor", factor_problem(p, s.g), ZW_OK);
        f(&v, p, &s, o);
        solve_clear(&s);
        oracle_free(o);
        problem_free(p);
    }
    verdict_finish(&v, least);
}

/* ---------------------------------------------------------------- consistent */

static void all_right(verdict *v, const problem *p, solved *s, const oracle *o)
{
    double allowed = 1e-12 * fmax(1, p->made.cond / 100);
    for (int32_t form = 0; form < FORMS; form++) {
        expect_right(v, p, s, o, (zw_form)form, allowed);
    }
}

static void test_consistent(void **state)
{
    (void)state;
    static const recipe kinds[] = {
        {1, 8, MASS_GENERIC, 1e2, ROWS_INDEPENDENT, ANY_B, ZW_IDENTITY, SCALE_NONE, 0},
        {1, 8, MASS_GENERIC, 1e4, ROWS_INDEPENDENT, ANY_B, ZW_FULL, SCALE_TWO, 0},
        {1, 8, MASS_DIAGONAL, 1e4, ROWS_INDEPENDENT, ANY_B, ZW_DIAGONAL, SCALE_TEN, 0},
        {1, 8, MASS_GENERIC, 1e2, ROWS_REDUNDANT, CONSISTENT, ZW_IDENTITY, SCALE_NONE, 0},
        {1, 8, MASS_GENERIC, 1e4, ROWS_REDUNDANT, CONSISTENT, ZW_FULL, SCALE_TWO, 0},
        {1, 8, MASS_SCALED, 1e4, ROWS_MANY, CONSISTENT, ZW_DIAGONAL, SCALE_TEN, 0},
        {1, 8, MASS_DIAGONAL, 1e2, ROWS_SOME_ZERO, CONSISTENT, ZW_FULL, SCALE_NONE, 0},
        {1, 4, MASS_GENERIC, 1e2, ROWS_NONE, ANY_B, ZW_IDENTITY, SCALE_NONE, 0},
        {1, 4, MASS_GENERIC, 1e2, ROWS_ZERO, CONSISTENT, ZW_FULL, SCALE_NONE, 0},
        {1, 1, MASS_DIAGONAL, 1, ROWS_MANY, CONSISTENT, ZW_IDENTITY, SCALE_NONE, 0},
        {9, 20, MASS_GENERIC, 1e2, ROWS_REDUNDANT, CONSISTENT, ZW_IDENTITY, SCALE_NONE, 0},
    };
    for_all(kinds, 11, 50, all_right, 20000);
}

/* -------------------------------------------------------------- inconsistent */

static void right_or_refused(verdict *v, const problem *p, solved *s, const oracle *o)
{
    static const zw_form right[] = {ZW_FORM_GAUSS, ZW_FORM_MOORE_PENROSE, ZW_FORM_PROJECTION};
    static const zw_form refusing[] = {ZW_FORM_INVERSE_14, ZW_FORM_INVERSE_1, ZW_FORM_GIBBS_APPELL,
                                       ZW_FORM_MULTIPLIERS};
    if (o->consistent) { /* by chance */
        return;
    }
    for (int32_t i = 0; i < 3; i++) {
        expect_right(v, p, s, o, right[i], 1e-12 * fmax(1, p->made.cond / 100));
    }
    for (int32_t i = 0; i < 4; i++) {
        expect_refusal(v, p, s, refusing[i], ZW_ERR_INCONSISTENT, "inconsistent");
    }
}

static void test_inconsistent(void **state)
{
    (void)state;
    static const recipe kinds[] = {
        {1, 8, MASS_GENERIC, 1e2, ROWS_REDUNDANT, ANY_B, ZW_IDENTITY, SCALE_NONE, 0},
        {1, 8, MASS_GENERIC, 1e2, ROWS_REDUNDANT, ANY_B, ZW_FULL, SCALE_NONE, 0},
        {1, 8, MASS_DIAGONAL, 1e4, ROWS_MANY, ANY_B, ZW_DIAGONAL, SCALE_NONE, 0},
        {1, 8, MASS_SCALED, 1e2, ROWS_SOME_ZERO, ANY_B, ZW_FULL, SCALE_NONE, 0},
        {1, 4, MASS_GENERIC, 1e2, ROWS_ZERO, ANY_B, ZW_DIAGONAL, SCALE_NONE, 0},
        {9, 16, MASS_GENERIC, 1e2, ROWS_REDUNDANT, ANY_B, ZW_IDENTITY, SCALE_NONE, 0},
    };
    for_all(kinds, 6, 60, right_or_refused, 9000);
}

/* No form may take what a factor of W leaves of cancelling rows for a constraint. */
static void test_cancelling_weight(void **state)
{
    (void)state;
    verdict v = {0};
    for (uint64_t seed = 0; seed < 400; seed++) {
        problem *p = problem_cancelling(seed, seed % 4 < 2 ? CONSISTENT : ANY_B);
        oracle *o = oracle_solve(p);
        solved s;
        prepare(p, &s);
        verdict_status(&v, p, "factor", factor_problem(p, s.g), ZW_OK);
        if (o->consistent) {
            all_right(&v, p, &s, o);
        } else {
            right_or_refused(&v, p, &s, o);
        }
        solve_clear(&s);
        oracle_free(o);
        problem_free(p);
    }
    verdict_finish(&v, 12000);
}

/* A contradiction of 1e-7, relative, is still one; of 1e-13 it is rounding. */
static void test_slight_contradiction(void **state)
{
    (void)state;
    recipe r = {1, 8, MASS_GENERIC, 1, ROWS_REDUNDANT, CONSISTENT, ZW_IDENTITY, SCALE_NONE, 0};
    verdict v = {0};
    for (uint64_t seed = 0; seed < 200; seed++) {
        problem *p = problem_make(&r, seed);
        oracle *o = oracle_solve(p);
        bool large = seed % 2 == 0;
        double Az = norm(p->A, p->m * p->n) * norm(o->acceleration, p->n);
        for (int32_t i = 0; i < p->m; i++) { /* unequal, so that it is no multiple of A z */
            p->b[i] += (large ? 1e-6 : 1e-14) * (i + 1) * (norm(p->b, p->m) + Az);
        }
        oracle_free(o);
        o = oracle_solve(p);
        double size = o->inconsistency / (norm(p->b, p->m) + Az);
        solved s;
        prepare(p, &s);
        factor_problem(p, s.g);
        if (size > 1e-7) {
            right_or_refused(&v, p, &s, o);
        } else if (size < 1e-12) {
            for (int32_t form = 0; form < FORMS; form++) {
                verdict_status(&v, p, zw_form_name((zw_form)form), by_form(p, &s, (zw_form)form),
                               ZW_OK);
                verdict_below(&v, p, "right all the same", relative(s.z, o->acceleration, p->n),
                              1e-10);
            }
        }
        solve_clear(&s);
        oracle_free(o);
        problem_free(p);
    }
    verdict_finish(&v, 3000);
}

/* ---------------------------------------------------------- never a wrong one */

/* gauss is right; each other form is right to 1e-6 or says that it cannot. */
static void never_wrong(verdict *v, const problem *p, solved *s, const oracle *o)
{
    for (int32_t form = 0; form < FORMS; form++) {
        char text[64];
        zw_status status = by_form(p, s, (zw_form)form);
        if (status == ZW_OK) {
            label(text, sizeof text, (zw_form)form, "wrong acceleration");
            verdict_below(v, p, text, relative(s->z, o->acceleration, p->n), 1e-6);
        } else {
            label(text, sizeof text, (zw_form)form, zw_status_name(status));
            verdict_true(v, p, text,
                         form != ZW_FORM_GAUSS &&
                             (status == ZW_ERR_INCONSISTENT || status == ZW_ERR_ACCURACY));
            label(text, sizeof text, (zw_form)form, "writes nothing");
            verdict_true(v, p, text, untouched(p, s));
        }
    }
}

static void test_nearly_dependent_rows(void **state)
{
    (void)state;
    static const recipe kinds[] = {
        {2, 8, MASS_GENERIC, 1e2, ROWS_NEAR, ANY_B, ZW_IDENTITY, SCALE_NONE, 1e-6},
        {2, 8, MASS_GENERIC, 1e2, ROWS_NEAR, CONSISTENT, ZW_FULL, SCALE_NONE, 1e-6},
        {2, 8, MASS_DIAGONAL, 1e2, ROWS_NEAR, ANY_B, ZW_DIAGONAL, SCALE_NONE, 1e-9},
        {2, 8, MASS_GENERIC, 1e2, ROWS_NEAR, CONSISTENT, ZW_IDENTITY, SCALE_NONE, 1e-9},
    };
    for_all(kinds, 4, 60, never_wrong, 1500);
}

static void test_bad_mass(void **state)
{
    (void)state;
    static const recipe kinds[] = {
        {2, 8, MASS_GENERIC, 1e10, ROWS_INDEPENDENT, ANY_B, ZW_IDENTITY, SCALE_NONE, 0},
        {2, 8, MASS_GENERIC, 1e12, ROWS_INDEPENDENT, ANY_B, ZW_IDENTITY, SCALE_NONE, 0},
        {2, 8, MASS_GENERIC, 1e10, ROWS_REDUNDANT, CONSISTENT, ZW_FULL, SCALE_NONE, 0},
        {2, 8, MASS_SCALED, 1e12, ROWS_REDUNDANT, CONSISTENT, ZW_IDENTITY, SCALE_NONE, 0},
        {2, 8, MASS_DIAGONAL, 1e12, ROWS_MANY, CONSISTENT, ZW_DIAGONAL, SCALE_TEN, 0},
        {2, 8, MASS_GENERIC, 1e10, ROWS_NONE, ANY_B, ZW_IDENTITY, SCALE_NONE, 0},
    };
    for_all(kinds, 6, 40, never_wrong, 1500);
}

/* ------------------------------------------------------------- singular mass */

static void singular_consistent(verdict *v, const problem *p, solved *s, const oracle *o)
{
    static const zw_form right[] = {ZW_FORM_GAUSS, ZW_FORM_MULTIPLIERS, ZW_FORM_GIBBS_APPELL};
    static const zw_form refusing[] = {ZW_FORM_MOORE_PENROSE, ZW_FORM_INVERSE_14, ZW_FORM_INVERSE_1,
                                       ZW_FORM_PROJECTION};
    for (int32_t i = 0; i < 3; i++) {
        expect_right(v, p, s, o, right[i], 1e-12);
    }
    for (int32_t i = 0; i < 4; i++) {
        expect_refusal(v, p, s, refusing[i], ZW_ERR_SINGULAR_MASS, "mass");
    }
}

static void singular_inconsistent(verdict *v, const problem *p, solved *s, const oracle *o)
{
    if (o->consistent) { /* by chance */
        return;
    }
    expect_right(v, p, s, o, ZW_FORM_GAUSS, 1e-12);
    expect_refusal(v, p, s, ZW_FORM_MULTIPLIERS, ZW_ERR_INCONSISTENT, "inconsistent");
    expect_refusal(v, p, s, ZW_FORM_GIBBS_APPELL, ZW_ERR_INCONSISTENT, "inconsistent");
    expect_refusal(v, p, s, ZW_FORM_MOORE_PENROSE, ZW_ERR_SINGULAR_MASS, "mass");
    expect_refusal(v, p, s, ZW_FORM_PROJECTION, ZW_ERR_SINGULAR_MASS, "mass");
    /* two reasons to refuse; either will do */
    for (int32_t form = ZW_FORM_INVERSE_14; form <= ZW_FORM_INVERSE_1; form++) {
        zw_status status = by_form(p, s, (zw_form)form);
        verdict_true(v, p, "an inverse refuses",
                     status == ZW_ERR_SINGULAR_MASS || status == ZW_ERR_INCONSISTENT);
        verdict_true(v, p, "an inverse writes nothing", untouched(p, s));
    }
}

static void test_singular_mass(void **state)
{
    (void)state;
    static const recipe consistent[] = {
        {1, 8, MASS_SINGULAR, 1, ROWS_INDEPENDENT, ANY_B, ZW_IDENTITY, SCALE_NONE, 0},
        {1, 8, MASS_SINGULAR, 1, ROWS_REDUNDANT, CONSISTENT, ZW_FULL, SCALE_NONE, 0},
        {1, 8, MASS_SINGULAR_DIAGONAL, 1, ROWS_MANY, CONSISTENT, ZW_DIAGONAL, SCALE_NONE, 0},
        {1, 8, MASS_SINGULAR_DIAGONAL, 1, ROWS_SOME_ZERO, CONSISTENT, ZW_FULL, SCALE_NONE, 0},
    };
    static const recipe inconsistent[] = {
        {1, 8, MASS_SINGULAR, 1, ROWS_REDUNDANT, ANY_B, ZW_FULL, SCALE_NONE, 0},
        {1, 8, MASS_SINGULAR_DIAGONAL, 1, ROWS_MANY, ANY_B, ZW_DIAGONAL, SCALE_NONE, 0},
    };
    for_all(consistent, 4, 60, singular_consistent, 6000);
    for_all(inconsistent, 2, 60, singular_inconsistent, 2000);
}

/* --------------------------------------------------------------------- names */

static void test_names(void **state)
{
    (void)state;
    static const char *const names[] = {"gauss",        "moore-penrose", "inverse-14", "inverse-1",
                                        "gibbs-appell", "multipliers",   "projection"};
    for (int32_t i = 0; i < FORMS; i++) {
        zw_form form = (zw_form)-1;
        assert_string_equal(zw_form_name((zw_form)i), names[i]);
        assert_int_equal(zw_form_find(names[i], &form), ZW_OK);
        assert_int_equal(form, i);
    }
    zw_form form = ZW_FORM_PROJECTION;
    assert_null(zw_form_name((zw_form)7));
    assert_null(zw_form_name((zw_form)-1));
    assert_int_equal(zw_form_find("Gauss", &form), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_form_find("", &form), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_form_find("gaus", &form), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_form_find("gauss ", &form), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_form_find(NULL, &form), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_form_find("gauss", NULL), ZW_ERR_ARGUMENT);
    assert_int_equal(form, ZW_FORM_PROJECTION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_consistent),
        cmocka_unit_test(test_inconsistent),
        cmocka_unit_test(test_slight_contradiction),
        cmocka_unit_test(test_nearly_dependent_rows),
        cmocka_unit_test(test_bad_mass),
        cmocka_unit_test(test_singular_mass),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_cancelling_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
