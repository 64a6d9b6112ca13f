/*
 * The point of a level's rows nearest to the given values in the metric M:
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
#include <math.h>
#include <string.h>

#include "level.h"

static const double eps = 2.220446049250313e-16;

typedef struct descent {
    double *lambda, *lambda_new; /* [m] */
    double *base, *step;         /* [n] x before a step, and the step */
    double *best;                /* [n] the best point on the rows so far */
    double *work;                /* [2 n] */
    double best_distance2;       /* HUGE_VAL: none */
    double rho;
    bool definite; /* the metric, at the first point */
} descent;

static bool take(zr_level *l, descent *w)
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

static double away(const zr_level *l, int32_t j)
{
    return l->x_given[l->unknown[j]] - l->x[l->unknown[j]];
}

/* f = M (g - x); returns |g - x|^2_M. */
static double pull(zr_level *l)
{
    const zg_pattern *M = &l->rows.is.M;
    double sum = 0.0;
    memset(l->f, 0, sizeof *l->f * (size_t)l->n);
    for (int32_t i = 0; i < l->n; i++) {
        for (int32_t k = M->start[i]; k < M->start[i + 1]; k++) {
            int32_t j = M->column[k];
            l->f[i] += l->rows.M[k] * away(l, j);
            if (j != i) l->f[j] += l->rows.M[k] * away(l, i);
        }
    }
    for (int32_t i = 0; i < l->n; i++) sum += l->f[i] * away(l, i);
    return sum > 0.0 ? sum : 0.0;
}

/* ------------------------------------------------------------------------ steps */

/* Factors M + K, with as much of K as leaves it definite. */
static zw_status factor(zr_level *l, descent *w, bool curved)
{
    l->curved = false;
    if (curved) ZB_TRY(zr_level_curvature(l, w->lambda, w->work, &l->curved));
    int32_t all = l->curved ? l->H.start[l->n] : 0;
    l->stiff = 10.0;
    for (int k = 0; k < 12 && l->curved; k++) {
        zw_status status = zr_level_factor(l);
        if (status != ZW_ERR_INDEFINITE && status != ZW_ERR_UNDETERMINED) return status;
        l->stiff = k < 2 ? 1e3 * l->stiff : 10.0; /* across the rows, first */
        for (int32_t i = 0; i < all && k >= 2; i++) l->K[i] *= 0.25;
    }
    l->curved = false;
    return zr_level_factor(l);
}

/* d and the new multipliers at x. */
static zw_status solve(zr_level *l, descent *w, bool curved)
{
    double *b = l->work + l->n;
    ZB_TRY(factor(l, w, curved));
    for (int32_t i = 0; i < l->m; i++) b[i] = -l->r[i];
    (void)pull(l);
    zw_status status = zg_system_apply(l->factored, l->f, b, l->d, w->lambda_new, NULL, NULL);
    for (int32_t i = 0; i < l->m; i++) w->lambda_new[i] = -w->lambda_new[i];
    return status;
}

static double size_of(int32_t n, const double *x)
{
    double sum = 0.0;
    for (int32_t i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

static double merit(zr_level *l, double rho)
{
    return 0.5 * pull(l) + rho * size_of(l->m, l->r);
}

/* x = base + length * step; where base is on the rows x is brought back onto them, since along a
 * curved way a step that leaves them by its square would be refused again and again. */
static zw_status try_step(zr_level *l, descent *w, double length, bool on)
{
    zr_level_move(l, w->base, length, w->step);
    zr_level_evaluate(l);
    if (!on || !l->finite) return ZW_OK;
    bool curved = l->curved;
    l->curved = false; /* back by the metric itself */
    zw_status status = zr_level_restore(l, 10);
    l->curved = curved;
    l->finite = l->finite && l->met;
    return status;
}

/* Shortens d until the merit falls, or the rows are much nearer; *fell: it did. The last steps are
 * too small to be seen in the merit, and are taken as they are. */
static zw_status search(zr_level *l, descent *w, double *length, bool *fell)
{
    bool on = zr_level_rounding(l, 1e-11);
    double off = size_of(l->m, l->r), rho = on ? 0.0 : w->rho, slope = rho * off;
    double before = merit(l, rho); /* and f, for the slope */
    for (int32_t j = 0; j < l->n; j++) slope += l->f[j] * l->d[j];
    zr_level_save(l, w->base);
    memcpy(w->step, l->d, sizeof *l->d * (size_t)l->n);
    bool last = on && l->curved && size_of(l->n, w->step) <= 1e-10 * size_of(l->n, w->base);
    *fell = true;
    *length = 1.0;
    for (int k = 0; k < 24; k++, *length *= 0.5) {
        ZB_TRY(try_step(l, w, *length, on));
        if (!l->finite) continue;
        bool nearer = size_of(l->m, l->r)<(1.0 - 0.5 * *length) * off && * length> 0.1 && !on;
        double wanted = before * (1.0 + 1e-14) - 1e-4 * *length * fabs(slope);
        if (nearer || last || merit(l, rho) <= wanted) return ZW_OK;
        if (k == 0 && !on && zr_level_rounding(l, 32.0 * eps)) return ZW_OK;
    }
    zr_level_move(l, w->base, 0.0, w->step);
    zr_level_evaluate(l);
    *fell = false;
    return ZW_OK;
}

/* Remembers the nearest point on the rows; of two equally near ones the later is on them more
 * exactly. */
static void note_best(zr_level *l, descent *w)
{
    l->met = zr_level_rounding(l, 1e-11);
    double distance2 = pull(l);
    if (!l->met || distance2 > w->best_distance2 * (1.0 + 1e-6)) return;
    w->best_distance2 = distance2;
    zr_level_save(l, w->best);
}

static zw_status descend(zr_level *l, descent *w)
{
    ZB_TRY(solve(l, w, false)); /* for the multipliers only */
    w->definite = true;
    memcpy(w->lambda, w->lambda_new, sizeof *w->lambda * (size_t)l->m);
    double before = HUGE_VAL;
    for (int32_t k = 0; k < 200; k++) {
        double length = 1.0;
        l->curved = false;
        if (zr_level_rounding(l, 1e-11)) ZB_TRY(zr_level_restore(l, 5)); /* to the last digit */
        note_best(l, w);
        ZB_TRY(solve(l, w, true));
        zr_level_save(l, l->old);
        double change = size_of(l->n, l->d), size = size_of(l->n, l->old);
        bool still =
            change <= 8.0 * eps * size || (change <= 1e-10 * size && change > 0.5 * before);
        if (still && l->met) return ZW_OK;
        before = change;
        w->rho = fmax(w->rho, 2.0 * size_of(l->m, w->lambda_new));
        bool fell = false;
        ZB_TRY(search(l, w, &length, &fell));
        if (!fell && l->curved) { /* without the curvature d always points downhill */
            ZB_TRY(solve(l, w, false));
            w->rho = fmax(w->rho, 2.0 * size_of(l->m, w->lambda_new));
            ZB_TRY(search(l, w, &length, &fell));
        }
        if (!fell) return ZW_OK;
        for (int32_t i = 0; i < l->m; i++)
            w->lambda[i] += length * (w->lambda_new[i] - w->lambda[i]);
    }
    note_best(l, w);
    return ZW_OK;
}

/* Sets l->met; x is then the nearest point found, else it is where it was. */
zw_status zr_level_nearest(zr_level *l)
{
    descent w = {0};
    if (!take(l, &w)) return l->arena.failure;
    double *began = ZB_NEW_ARRAY(&l->arena, double, l->n);
    if (!began) return l->arena.failure;
    zr_level_save(l, began);
    zw_status status = descend(l, &w);
    l->curved = false;
    if (zr_is_memory(status)) return status;
    bool found = w.best_distance2 < HUGE_VAL;
    zr_level_move(l, found ? w.best : began, 0.0, began);
    zr_level_evaluate(l);
    l->met = found;
    if (found) return ZW_OK;
    return status == ZW_ERR_INDEFINITE && !w.definite ? status : ZW_OK;
}
