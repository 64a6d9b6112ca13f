/*
 * The solution of a level's rows nearest to the given values g in the metric M:
 *
 *     minimise 1/2 (x - g)^T M (x - g)   where r(x) = 0
 *
 * by Newton's method on its conditions. With multipliers l and the curvature K = sum l_i r_i'' of
 * the rows a step d minimises 1/2 d^T (M + K) d - (M (g - x)).d where A d = -r, which is
 * GG(M (g - x), -r) with M + K for M; d is shortened until
 *
 *     1/2 |x - g|^2_M + rho |r|
 *
 * falls. Without K the steps of a stretched chain are useless: to first order moving one link
 * aside is the cheapest way to shorten it. K comes from differences of A^T l (curvature.c). Where
 * M + K is not definite on the free motions K is taken in part, down to nothing (Gauss-Newton).
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "level.h"

/* Newton's method under way. */
typedef struct descent {
    double *lambda, *lambda_new; /* [m] */
    double *base, *step;         /* [n] x before a step, and the step */
    double *best;                /* [n] the best point on the rows so far */
    double *work;                /* [2 n] */
    double best_distance2;       /* HUGE_VAL: none */
    double rho;                  /* what |r| counts in the merit function */
    bool definite;               /* the metric, at the first point */
    bool bent;                   /* the curvature was taken in part at the last step: a saddle */
} descent;

static bool allocate_descent(zr_level *l, descent *w)
{
    w->lambda = ZB_NEW_ARRAY(&l->arena, double, l->m);
    w->lambda_new = ZB_NEW_ARRAY(&l->arena, double, l->m);
    w->base = ZB_NEW_ARRAY(&l->arena, double, l->n);
    w->step = ZB_NEW_ARRAY(&l->arena, double, l->n);
    w->best = ZB_NEW_ARRAY(&l->arena, double, l->n);
    w->work = ZB_NEW_ARRAY(&l->arena, double, 2 * (size_t)l->n);
    w->best_distance2 = HUGE_VAL;
    return l->arena.failure == ZW_OK;
}

static double offset_to_given(const zr_level *l, int32_t j)
{
    return l->x_given[l->unknown[j]] - l->x[l->unknown[j]];
}

/* f = M (g - x); returns |g - x|^2_M. */
static double weigh_offset(zr_level *l)
{
    const zg_pattern *M = &l->rows.is.M;
    double sum = 0.0;
    memset(l->step.f, 0, sizeof *l->step.f * (size_t)l->n);
    for (int32_t i = 0; i < l->n; i++) {
        for (int32_t k = M->start[i]; k < M->start[i + 1]; k++) {
            int32_t j = M->column[k];
            l->step.f[i] += l->rows.M[k] * offset_to_given(l, j);
            if (j != i) l->step.f[j] += l->rows.M[k] * offset_to_given(l, i);
        }
    }
    for (int32_t i = 0; i < l->n; i++) sum += l->step.f[i] * offset_to_given(l, i);
    return sum > 0.0 ? sum : 0.0;
}

double zr_level_row_length(const zr_level *l, int32_t i)
{
    const int32_t *start = l->rows.is.A.start;
    return zr_norm(start[i + 1] - start[i], l->rows.A + start[i]);
}

double zr_level_distance2(const zr_level *l)
{
    const zg_pattern *M = &l->rows.is.M;
    double sum = 0.0;
    for (int32_t i = 0; i < l->n; i++)
        for (int32_t k = M->start[i]; k < M->start[i + 1]; k++)
            sum += (M->column[k] == i ? 1.0 : 2.0) * l->rows.M[k] * offset_to_given(l, i) *
                   offset_to_given(l, M->column[k]);
    return sum > 0.0 ? sum : 0.0;
}

zw_status zr_level_find_slope(zr_level *l, double *slope)
{
    double *zero = l->scratch.work + l->n, sum = 0.0;
    memset(zero, 0, sizeof *zero * (size_t)l->m);
    ZB_TRY(zr_level_factor(l));
    (void)weigh_offset(l);
    ZB_TRY(zg_system_apply(l->solver.factored, l->step.f, zero, l->step.d, l->step.lambda, NULL,
                           NULL));
    for (int32_t j = 0; j < l->n; j++) sum += l->step.f[j] * l->step.d[j];
    *slope = sqrt(fmax(sum, 0.0));
    return ZW_OK;
}

/* ------------------------------------------------------------------------ steps */

/* Factors M + K, with as much of K as leaves it definite on the free motions; curved false: M
 * alone. */
static zw_status factor_with_curvature(zr_level *l, descent *w, bool curved)
{
    l->solver.curved = false;
    w->bent = false;
    if (curved) ZB_TRY(zr_level_find_curvature(l, w->lambda, w->work, &l->solver.curved));
    int32_t all = l->solver.curved ? l->normal.H.start[l->n] : 0;
    l->solver.stiff = 10.0;
    for (int k = 0; k < 12 && l->solver.curved; k++) {
        zw_status status = zr_level_factor(l);
        w->bent = k > 2;
        if (status != ZW_ERR_INDEFINITE && status != ZW_ERR_UNDETERMINED) return status;
        l->solver.stiff = k < 2 ? 1e3 * l->solver.stiff : 10.0; /* across the rows, first */
        for (int32_t i = 0; i < all && k >= 2; i++) l->normal.K[i] *= 0.25;
    }
    l->solver.curved = false;
    return zr_level_factor(l);
}

/* The step d and the new multipliers at x, with or without the curvature of the rows. */
static zw_status solve_descent_step(zr_level *l, descent *w, bool curved)
{
    double *b = l->scratch.work + l->n;
    ZB_TRY(factor_with_curvature(l, w, curved));
    for (int32_t i = 0; i < l->m; i++) b[i] = -l->now.r[i];
    (void)weigh_offset(l);
    zw_status status =
        zg_system_apply(l->solver.factored, l->step.f, b, l->step.d, w->lambda_new, NULL, NULL);
    for (int32_t i = 0; i < l->m; i++) w->lambda_new[i] = -w->lambda_new[i];
    return status;
}

/* 1/2 |x - g|^2_M + rho |r| at the present x; leaves M (g - x) in f. */
static double descent_merit(zr_level *l, double rho)
{
    return 0.5 * weigh_offset(l) + rho * zr_norm(l->m, l->now.r);
}

/* x = base + length * step. Where base is on the rows x is brought back onto them: a straight step
 * leaves curved rows by its square, and the merit would refuse it again and again. */
static zw_status try_descent_step(zr_level *l, descent *w, double length, bool on)
{
    zr_level_set_x(l, w->base, length, w->step);
    zr_level_evaluate(l);
    if (!on || !l->now.finite) return ZW_OK;
    bool curved = l->solver.curved;
    l->solver.curved = false; /* back by the metric itself */
    zw_status status = zr_level_iterate(l, 10);
    l->solver.curved = curved;
    l->now.finite = l->now.finite && l->met;
    return status;
}

/* Halves the step d until the merit falls, or |r| is much smaller; *fell false, and x as it was,
 * when it does not. The last steps are too small to be seen in the merit, and are taken as they
 * are. */
static zw_status shorten_descent_step(zr_level *l, descent *w, double *length, bool *fell)
{
    bool on = zr_level_holds(l, 1e-11);
    double off = zr_norm(l->m, l->now.r), rho = on ? 0.0 : w->rho, slope = rho * off;
    double before = descent_merit(l, rho); /* and f, for the slope */
    for (int32_t j = 0; j < l->n; j++) slope += l->step.f[j] * l->step.d[j];
    zr_level_get_x(l, w->base);
    memcpy(w->step, l->step.d, sizeof *l->step.d * (size_t)l->n);
    bool last = on && l->solver.curved && zr_norm(l->n, w->step) <= 1e-10 * zr_norm(l->n, w->base);
    *fell = true;
    *length = 1.0;
    for (int k = 0; k < 24; k++, *length *= 0.5) {
        ZB_TRY(try_descent_step(l, w, *length, on));
        if (!l->now.finite) continue;
        bool nearer =
            (zr_norm(l->m, l->now.r) < (1.0 - 0.5 * *length) * off) && *length > 0.1 && !on;
        double wanted = before * (1.0 + 1e-14) - 1e-4 * *length * fabs(slope);
        if (nearer || last || descent_merit(l, rho) <= wanted) return ZW_OK;
        if (k == 0 && !on && zr_level_holds(l, 32.0 * DBL_EPSILON)) return ZW_OK;
    }
    zr_level_set_x(l, w->base, 0.0, w->step);
    zr_level_evaluate(l);
    *fell = false;
    return ZW_OK;
}

/* Keeps x as w->best when it is on the rows and nearer than any before; of two equally near ones
 * the later, which is on them more exactly. */
static void note_nearest(zr_level *l, descent *w)
{
    l->met = zr_level_holds(l, 1e-11);
    double distance2 = weigh_offset(l);
    if (!l->met || distance2 > w->best_distance2 * (1.0 + 1e-6)) return;
    w->best_distance2 = distance2;
    zr_level_get_x(l, w->best);
}

/* Keeps the first step from the given values. */
static zw_status keep_first_step(zr_level *l)
{
    if (l->branches.step) return ZW_OK;
    for (int32_t j = 0; j < l->n; j++)
        if (offset_to_given(l, j) != 0.0) return ZW_OK;
    l->branches.step = ZB_NEW_ARRAY(&l->arena, double, l->n);
    l->branches.length = ZB_NEW_ARRAY(&l->arena, double, l->m);
    if (l->arena.failure != ZW_OK) return l->arena.failure;
    for (int32_t i = 0; i < l->m; i++) l->branches.length[i] = zr_level_row_length(l, i);
    memcpy(l->branches.step, l->step.d, sizeof *l->step.d * (size_t)l->n);
    return ZW_OK;
}

zw_status zr_level_find_first_step(zr_level *l)
{
    descent w = {0};
    double *x = ZB_NEW_ARRAY(&l->arena, double, l->n);
    if (l->branches.step) return ZW_OK;
    if (!x || !allocate_descent(l, &w)) return l->arena.failure;
    zr_level_get_x(l, x);
    for (int32_t j = 0; j < l->n; j++) l->x[l->unknown[j]] = l->x_given[l->unknown[j]];
    zr_level_evaluate(l);
    zw_status status = l->now.finite ? solve_descent_step(l, &w, false) : ZW_OK;
    if (status == ZW_OK && l->now.finite) status = keep_first_step(l);
    zr_level_set_x(l, x, 0.0, x);
    zr_level_evaluate(l);
    return zr_is_memory(status) ? status : ZW_OK;
}

/* Newton's steps until they are rounding or the merit no longer falls. The nearest point on the
 * rows that was passed is in w->best. */
static zw_status descend_to_nearest(zr_level *l, descent *w)
{
    ZB_TRY(solve_descent_step(l, w, false)); /* for the multipliers only */
    ZB_TRY(keep_first_step(l));
    w->definite = true;
    memcpy(w->lambda, w->lambda_new, sizeof *w->lambda * (size_t)l->m);
    double before = HUGE_VAL;
    for (int32_t k = 0; k < 200; k++) {
        double length = 1.0;
        l->solver.curved = false;
        if (zr_level_holds(l, 1e-11)) ZB_TRY(zr_level_iterate(l, 5)); /* to the last digit */
        note_nearest(l, w);
        ZB_TRY(solve_descent_step(l, w, true));
        zr_level_get_x(l, l->step.old);
        double change = zr_norm(l->n, l->step.d), size = zr_norm(l->n, l->step.old);
        bool still =
            change <= 8.0 * DBL_EPSILON * size || (change <= 1e-10 * size && change > 0.5 * before);
        if (still && l->met) return ZW_OK;
        before = change;
        w->rho = fmax(w->rho, 2.0 * zr_norm(l->m, w->lambda_new));
        bool fell = false;
        ZB_TRY(shorten_descent_step(l, w, &length, &fell));
        if (!fell && l->solver.curved) { /* without the curvature d always points downhill */
            ZB_TRY(solve_descent_step(l, w, false));
            w->rho = fmax(w->rho, 2.0 * zr_norm(l->m, w->lambda_new));
            ZB_TRY(shorten_descent_step(l, w, &length, &fell));
        }
        if (!fell) return ZW_OK;
        for (int32_t i = 0; i < l->m; i++)
            w->lambda[i] += length * (w->lambda_new[i] - w->lambda[i]);
    }
    note_nearest(l, w);
    return ZW_OK;
}

/* Wherever the descent ends, its answer is the nearest point on the rows that it passed. */
zw_status zr_level_find_nearest(zr_level *l)
{
    descent w = {0};
    if (!allocate_descent(l, &w)) return l->arena.failure;
    double *began = ZB_NEW_ARRAY(&l->arena, double, l->n);
    if (!began) return l->arena.failure;
    zr_level_get_x(l, began);
    zw_status status = descend_to_nearest(l, &w);
    l->solver.curved = false;
    l->branches.saddle = w.bent;
    if (zr_is_memory(status)) return status;
    bool found = w.best_distance2 < HUGE_VAL;
    zr_level_set_x(l, found ? w.best : began, 0.0, began);
    zr_level_evaluate(l);
    l->met = found;
    if (found) return ZW_OK;
    return status == ZW_ERR_INDEFINITE && !w.definite ? status : ZW_OK;
}
