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
 * aside is the cheapest way to shorten it. K comes from differences of A^T l. Where M + K is
 * not definite on the free motions K is taken in part, down to nothing (Gauss-Newton).
 */
#include <math.h>
#include <string.h>

#include "sim.h"

static const double eps = 2.220446049250313e-16;

typedef struct descent {
    double *lambda, *lambda_new; /* [m] */
    double *base, *step;         /* [n] x before a step, and the step */
    double *best;                /* [n] the best point on the rows so far */
    double *plus, *minus;        /* [n] A^T lambda at two points */
    double best_distance2;       /* HUGE_VAL: none */
    double rho;
} descent;

static bool take(zr_level *l, descent *w)
{
    w->lambda = ZB_NEW_ARRAY(&l->arena, double, l->m);
    w->lambda_new = ZB_NEW_ARRAY(&l->arena, double, l->m);
    w->base = ZB_NEW_ARRAY(&l->arena, double, l->n);
    w->step = ZB_NEW_ARRAY(&l->arena, double, l->n);
    w->best = ZB_NEW_ARRAY(&l->arena, double, l->n);
    w->plus = ZB_NEW_ARRAY(&l->arena, double, l->n);
    w->minus = ZB_NEW_ARRAY(&l->arena, double, l->n);
    if (!l->K) l->K = ZB_NEW_ARRAY(&l->arena, double, zb_product((size_t)l->n, (size_t)l->n));
    w->best_distance2 = HUGE_VAL;
    return l->arena.failure == ZW_OK;
}

/* f = M (g - x); returns |g - x|^2_M. */
static double pull(zr_level *l)
{
    size_t n = (size_t)l->n;
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        l->f[i] = 0.0;
        for (size_t j = 0; j < n; j++)
            l->f[i] += l->M[i * n + j] * (l->x_given[l->unknown[j]] - l->x[l->unknown[j]]);
    }
    for (size_t i = 0; i < n; i++)
        sum += l->f[i] * (l->x_given[l->unknown[i]] - l->x[l->unknown[i]]);
    return sum > 0.0 ? sum : 0.0;
}

/* ------------------------------------------------------------------- curvature */

static void rows_transposed(const zr_level *l, const double *lambda, double *y)
{
    memset(y, 0, sizeof *y * (size_t)l->n);
    for (int32_t i = 0; i < l->m; i++) {
        bool equation = l->rows[i] < 0;
        int32_t row = equation ? ~l->rows[i] : l->rows[i];
        const zr_pattern *p = equation ? &l->sim->model->E : &l->sim->model->A;
        const double *values = equation ? l->sim->E : l->sim->A;
        for (int32_t k = p->start[row]; k < p->start[row + 1]; k++)
            if (l->at[p->column[k]] >= 0) y[l->at[p->column[k]]] += lambda[i] * values[k];
    }
}

static void derivative_at(zr_level *l, int32_t j, double x, const double *lambda, double *y)
{
    l->x[l->unknown[j]] = x;
    zk_source s = zr_source(l->sim, l->sim->t, l->q, l->v);
    zr_evaluate_rows(l->sim, &s);
    if (l->sim->model->equation_count > 0) zr_evaluate_equations(l->sim, &s);
    rows_transposed(l, lambda, y);
}

/* K [n*n], symmetric; false when it is not finite. Leaves x as it was. */
static bool curvature(zr_level *l, descent *w)
{
    size_t n = (size_t)l->n;
    double size = 0.0, sum = 0.0;
    for (size_t j = 0; j < n; j++) size = fmax(size, fabs(l->x[l->unknown[j]]));
    double h = 1e-5 * (size > 0.0 ? size : 1.0);
    for (size_t j = 0; j < n; j++) {
        double x = l->x[l->unknown[j]];
        derivative_at(l, (int32_t)j, x + h, w->lambda, w->plus);
        derivative_at(l, (int32_t)j, x - h, w->lambda, w->minus);
        l->x[l->unknown[j]] = x;
        for (size_t i = 0; i < n; i++) l->K[j * n + i] = (w->plus[i] - w->minus[i]) / (2.0 * h);
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++)
            l->K[i * n + j] = l->K[j * n + i] = 0.5 * (l->K[i * n + j] + l->K[j * n + i]);
        for (size_t j = 0; j < n; j++) sum += fabs(l->K[i * n + j]);
    }
    return isfinite(sum);
}

/* ------------------------------------------------------------------------ steps */

/* Factors M + K, with as much of K as leaves it definite. */
static zw_status factor(zr_level *l, descent *w, bool curved)
{
    size_t all = (size_t)l->n * (size_t)l->n;
    l->curved = curved && curvature(l, w);
    l->stiff = 10.0;
    for (int k = 0; k < 12 && l->curved; k++) {
        zw_status status = zr_level_factor(l);
        if (status != ZW_ERR_INDEFINITE && status != ZW_ERR_UNDETERMINED) return status;
        l->stiff = k < 2 ? 1e3 * l->stiff : 10.0; /* across the rows, first */
        for (size_t i = 0; i < all && k >= 2; i++) l->K[i] *= 0.25;
    }
    l->curved = false;
    return zr_level_factor(l);
}

/* d and the new multipliers at x. */
static zw_status solve(zr_level *l, descent *w, bool curved)
{
    double *b = l->work + l->n;
    zw_gauss_answer answer = {.acceleration = l->d, .multipliers = w->lambda_new};
    ZB_TRY(factor(l, w, curved));
    for (int32_t i = 0; i < l->m; i++) b[i] = -l->r[i];
    (void)pull(l);
    zw_status status = zg_solve(l->gauss, l->f, b, NULL, &answer);
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

/* Shortens d until the merit falls, or the rows are much nearer; *fell: it did. */
static zw_status search(zr_level *l, descent *w, double *length, bool *fell)
{
    bool on = zr_level_rounding(l, 1e-11);
    double off = size_of(l->m, l->r), rho = on ? 0.0 : w->rho, slope = rho * off;
    double before = merit(l, rho); /* and f, for the slope */
    for (int32_t j = 0; j < l->n; j++) slope += l->f[j] * l->d[j];
    zr_level_save(l, w->base);
    memcpy(w->step, l->d, sizeof *l->d * (size_t)l->n);
    *fell = true;
    *length = 1.0;
    for (int k = 0; k < 24; k++, *length *= 0.5) {
        ZB_TRY(try_step(l, w, *length, on));
        if (!l->finite) continue;
        bool nearer = size_of(l->m, l->r)<(1.0 - 0.5 * *length) * off && * length> 0.1 && !on;
        double wanted = before * (1.0 + 1e-14) - 1e-4 * *length * fabs(slope);
        if (nearer || merit(l, rho) <= wanted) return ZW_OK;
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
    return status == ZW_ERR_INDEFINITE ? status : ZW_OK;
}
