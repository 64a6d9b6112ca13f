/*
 * The solver of zwang.h: argument checks, then gauss.
 */
#include <math.h>

#include "api.h"

/* Kinds that exist, at least one coordinate, sizes that can be padded without overflow, and
 * tolerances in the range in which they mean something. */
static bool shape_is_right(const zw_gauss_shape *s)
{
    bool mass = s->mass == ZW_FULL || s->mass == ZW_DIAGONAL;
    bool weight = s->weight == ZW_FULL || s->weight == ZW_DIAGONAL || s->weight == ZW_IDENTITY;
    bool sizes = s->n >= 1 && s->m >= 0 && s->n <= INT32_MAX - 8 && s->m <= INT32_MAX - 8;
    bool rows = s->inequalities >= 0 && s->inequalities <= s->m;
    return mass && weight && sizes && rows && s->rank_tolerance >= 0.0 && s->rank_tolerance < 1.0 &&
           s->noise >= 0.0 && s->noise < 0.1;
}

zw_status zw_gauss_plan(zw_context *context, const zw_gauss_shape *shape, zw_gauss **g)
{
    ZW_REQUIRE(context && shape && g && shape_is_right(shape));
    if (shape->inequalities > 0) return zg_raw_plan(&context->memory, shape, g);
    return zg_plan(&context->memory, shape, g);
}

void zw_gauss_free(zw_gauss *g)
{
    zg_raw_free(g);
}

zw_status zw_gauss_factor(zw_gauss *g, const double *M, const double *A, const double *W)
{
    ZW_REQUIRE(g && M && (A || zg_shape(g)->m == 0));
    return zg_raw_is(g) ? zg_raw_factor(g, M, A, W) : zg_factor(g, M, A, W);
}

zw_status zw_gauss_check(zw_gauss *g, const double *M, const double *A, const double *W)
{
    ZW_REQUIRE(g && M && (A || zg_shape(g)->m == 0));
    return zg_raw_is(g) ? zg_raw_check(g, M, A, W) : zg_check(g, M, A, W);
}

/* What knows what went wrong. */
static const zw_gauss *get_held(const zw_gauss *g)
{
    return zg_raw_is(g) ? zg_raw_held(g) : g;
}

size_t zw_gauss_explain(const zw_gauss *g, char *buffer, size_t size)
{
    if (!g || (!buffer && size > 0)) return 0;
    return zg_explain(get_held(g), buffer, size);
}

/* The solver that has the rows which hold as equations, with a factor, and with inequalities after
 * a solve. */
static zw_status take_held(zw_gauss *g, zw_gauss **held)
{
    if (zg_raw_is(g)) ZB_TRY(zg_raw_ready(g, true));
    *held = zg_raw_is(g) ? zg_raw_held(g) : g;
    return zg_ready(*held);
}

/* b may be NULL only where there are no rows; C always. The same in all below. */
zw_status zw_gauss_solve(zw_gauss *g, const double *Q, const double *b, const double *C,
                         zw_gauss_answer *answer)
{
    ZW_REQUIRE(g && Q && answer && (b || zg_shape(g)->m == 0));
    if (zg_raw_is(g)) ZB_TRY(zg_raw_ready(g, false));
    if (zg_raw_is(g)) return zg_raw_solve(g, ZW_FORM_GAUSS, Q, b, C, answer);
    ZB_TRY(zg_ready(g));
    return zg_solve(g, Q, b, C, answer);
}

/* Of a shape without inequalities there is nothing to guess. */
zw_status zw_gauss_guess(zw_gauss *g, const bool *active)
{
    ZW_REQUIRE(g);
    if (zg_raw_is(g)) zg_raw_guess(g, active);
    return ZW_OK;
}

/* One friction among rows [m]. */
static bool friction_is_right(const zw_friction *f, int32_t m)
{
    bool numbers = f->mu >= 0.0 && f->mu_static >= 0.0 && isfinite(f->mu) && isfinite(f->mu_static);
    return f->T && f->width >= 1 && f->width <= 3 && f->row >= 0 && f->row < m && numbers;
}

zw_status zw_gauss_solve_friction(zw_gauss *g, const zw_friction_problem *problem,
                                  zw_friction_answer *answer)
{
    ZW_REQUIRE(g && problem && answer && problem->Q && problem->count >= 0);
    int32_t m = zg_shape(g)->m;
    ZW_REQUIRE((problem->b || m == 0) && (problem->frictions || problem->count == 0));
    for (int32_t k = 0; k < problem->count; k++)
        ZW_REQUIRE(friction_is_right(&problem->frictions[k], m));
    return zg_raw_friction(g, problem, answer);
}

/* Needs a factor: ZW_ERR_ORDER without one. The same in all that call zg_ready. */
zw_status zw_gauss_project(zw_gauss *g, const double *x, double *y)
{
    zw_gauss *held;
    ZW_REQUIRE(g && x && y);
    ZB_TRY(take_held(g, &held));
    return zg_project(held, x, y);
}

/* Each of the two parts may be NULL where it is not wanted. */
zw_status zw_gauss_split(zw_gauss *g, const double *force, double *ideal, double *nonideal)
{
    zw_gauss *held;
    ZW_REQUIRE(g && force);
    ZB_TRY(take_held(g, &held));
    return zg_split(held, force, ideal, nonideal);
}

zw_status zw_gauss_basis(zw_gauss *g, double *basis, int32_t *count)
{
    zw_gauss *held;
    ZW_REQUIRE(g && basis && count);
    ZB_TRY(take_held(g, &held));
    return zg_basis(held, basis, count);
}

zw_status zw_gauss_rank(zw_gauss *g, zw_gauss_rank_info *info)
{
    zw_gauss *held;
    ZW_REQUIRE(g && info);
    ZB_TRY(take_held(g, &held));
    return zg_rank(held, info);
}

zw_status zw_gauss_undetermined(const zw_gauss *g, double *directions, int32_t *count)
{
    ZW_REQUIRE(g && count);
    return zg_undetermined(get_held(g), directions, count);
}

/* b as for zw_gauss_solve. */
zw_status zw_gauss_diagnose(zw_gauss *g, const double *b, const double *acceleration,
                            zw_diagnosis **diagnosis)
{
    ZW_REQUIRE(g && acceleration && diagnosis && (b || zg_shape(g)->m == 0));
    if (zg_raw_is(g)) ZB_TRY(zg_raw_ready(g, true));
    if (zg_raw_is(g)) return zg_raw_diagnose(g, b, acceleration, diagnosis);
    ZB_TRY(zg_ready(g));
    return zg_diagnose(g, b, acceleration, diagnosis);
}

void zw_diagnosis_free(zw_diagnosis *diagnosis)
{
    zg_diagnosis_free(diagnosis);
}

/* As zw_gauss_solve, with a form that exists. */
zw_status zw_gauss_solve_form(zw_gauss *g, zw_form form, const double *Q, const double *b,
                              const double *C, zw_gauss_answer *answer)
{
    ZW_REQUIRE(g && Q && answer && (b || zg_shape(g)->m == 0) && zw_form_name(form));
    if (zg_raw_is(g)) ZB_TRY(zg_raw_ready(g, false));
    if (zg_raw_is(g)) return zg_raw_solve(g, form, Q, b, C, answer);
    ZB_TRY(zg_ready(g));
    return zg_solve_form(g, form, Q, b, C, answer);
}
