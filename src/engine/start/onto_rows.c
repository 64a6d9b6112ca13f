/*
 * Bringing a level onto its rows, by the smallest change of the given values in the metric M.
 *
 *     Newton    d = GG(0, -r): the M-smallest step in the W-least-squares sense, of any rank,
 *               halved until |r| falls
 *     damped    (A^T W A + mu D) d = -A^T W r where that stalls: near singular configurations, and
 *               on the way to the compromise of rows that contradict each other
 *
 * First nearest.c is tried, which finds the nearest point itself; these two bring x onto the rows
 * where it fails, and it starts again from there.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "level.h"

static const double eps = DBL_EPSILON;

/* ------------------------------------------------------------------- vectors */

void zr_level_save(const zr_level *l, double *x)
{
    for (int32_t j = 0; j < l->n; j++) x[j] = l->x[l->unknown[j]];
}

void zr_level_move(zr_level *l, const double *base, double step, const double *d)
{
    for (int32_t j = 0; j < l->n; j++) l->x[l->unknown[j]] = base[j] + step * d[j];
}

static double norm(int32_t n, const double *x)
{
    double sum = 0.0;
    for (int32_t i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

/* -------------------------------------------------------------------- Newton */

/* A step with the last factor. One that cannot be certified is none: at a compromise it is
 * rounding. */
static zw_status solve_step(zr_level *l)
{
    double *b = l->work + l->n;
    for (int32_t i = 0; i < l->m; i++)
        b[i] = l->flat[i] && !zr_level_off(l, i, 1e-11) ? 0.0 : -l->r[i];
    memset(l->f, 0, sizeof *l->f * (size_t)l->n);
    zw_status status = zg_system_apply(l->factored, l->f, b, l->d, l->lambda, NULL, NULL);
    if (status != ZW_ERR_ACCURACY) return status;
    memset(l->d, 0, sizeof *l->d * (size_t)l->n);
    return ZW_OK;
}

static zw_status step(zr_level *l)
{
    ZB_TRY(zr_level_factor(l));
    return solve_step(l);
}

/* Halves the step until |r| falls; false, and back at `old`, when it does not. */
static bool search(zr_level *l, double before, double *length)
{
    *length = 1.0;
    for (int k = 0; k < 30; k++, *length *= 0.5) {
        zr_level_move(l, l->old, *length, l->d);
        zr_level_evaluate(l);
        if (l->finite && l->merit < before * (1.0 - 1e-4 * *length)) return true;
        /* near the end only rounding is left, and a full step is as good as any */
        if (k == 0 && l->finite && zr_level_rounding(l, 32.0 * eps)) return true;
    }
    zr_level_move(l, l->old, 0.0, l->d);
    zr_level_evaluate(l);
    return false;
}

/* Until rounding is left, or there is no further way: l->met says which. */
zw_status zr_level_restore(zr_level *l, int32_t most)
{
    int32_t slow = 0;
    for (int32_t k = 0; k < most; k++) {
        double length = 1.0, before = l->merit;
        if (zr_level_rounding(l, 4.0 * eps)) break;
        ZB_TRY(step(l));
        zr_level_save(l, l->old);
        if (norm(l->n, l->d) <= eps * norm(l->n, l->old)) break;
        if (!search(l, before, &length)) break;
        slow = l->merit > 0.9 * before || length < 0.05 ? slow + 1 : 0;
        if (slow >= 4) break;
    }
    l->met = zr_level_rounding(l, 1e-11);
    return ZW_OK;
}

/* ------------------------------------------------------------------- linear */

/* A does not change: x = g + GG(0, -r(g)), and once more for its rounding. At a compromise the
 * second step is rounding alone and may not be certified. */
static zw_status solve_linear(zr_level *l)
{
    ZB_TRY(zr_level_factor(l));
    for (int k = 0; k < 2; k++) {
        ZB_TRY(solve_step(l));
        zr_level_save(l, l->old);
        zr_level_move(l, l->old, 1.0, l->d);
        zr_level_evaluate(l);
    }
    l->met = zr_level_rounding(l, 1e-11);
    return ZW_OK;
}

/* -------------------------------------------------------------------- damped */

/* damping = A^T W A, h = A^T W r. */
static void normal_equations(zr_level *l)
{
    double *y = l->work + l->n;
    memset(l->damping, 0, sizeof *l->damping * (size_t)l->H.start[l->n]);
    zr_level_add_normal(l, NULL, l->damping);
    zr_level_weigh(l, l->r, y);
    zr_level_transposed(l, l->rows.A, y, l->h);
}

/* One damped step with mu; false when |r| did not fall. */
static zw_status damped_step(zr_level *l, double mu, double mass, bool *fell)
{
    double before = l->merit;
    zg_values values = {.M = l->damping};
    normal_equations(l);
    for (int32_t j = 0; j < l->n; j++) {
        double m = zr_level_mass_entry(l, j);
        l->damping[l->H.start[j]] += mu * (m > 1e-8 * mass ? m : mass);
        l->f[j] = -l->h[j];
    }
    *fell = false;
    zw_status status = zg_system_factor(l->damped, &values);
    if (status == ZW_OK)
        status = zg_system_apply(l->damped, l->f, NULL, l->d, l->lambda, NULL, NULL);
    if (status != ZW_OK) return zr_is_memory(status) ? status : ZW_OK; /* more damping */
    zr_level_save(l, l->old);
    zr_level_move(l, l->old, 1.0, l->d);
    zr_level_evaluate(l);
    *fell = l->finite && l->merit < before;
    if (*fell) return ZW_OK;
    zr_level_move(l, l->old, 0.0, l->d);
    zr_level_evaluate(l);
    return ZW_OK;
}

static zw_status plan_damped(zr_level *l)
{
    ZB_TRY(zr_level_shape_normal(l));
    zg_structure structure = zr_level_without_rows(l, &l->H);
    return l->damped ? ZW_OK : zg_system_plan(l->sim->memory, &structure, &l->damped);
}

static zw_status damped(zr_level *l)
{
    double mass = 0.0, mu = 0.0;
    ZB_TRY(plan_damped(l));
    for (int32_t j = 0; j < l->n; j++) mass = fmax(mass, zr_level_mass_entry(l, j));
    if (!(mass > 0.0)) mass = 1.0;
    normal_equations(l);
    for (int32_t j = 0; j < l->n; j++) mu = fmax(mu, l->damping[l->H.start[j]] / mass);
    double least = 1e-12 * mu, largest = 1e12 * mu;
    mu *= 1e-3;
    for (int k = 0; k < 400 && mu > 0.0 && mu <= largest; k++) {
        bool fell = false;
        double before = l->merit;
        ZB_TRY(damped_step(l, mu, mass, &fell));
        mu = fell ? fmax(0.2 * mu, least) : 5.0 * mu;
        if (fell && zr_level_rounding(l, 1e-6)) break; /* Newton does the rest */
        bool still = norm(l->n, l->d) <= 1e-13 * norm(l->n, l->old);
        if (fell && before - l->merit <= 1e-16 * before && still) break;
    }
    return ZW_OK;
}

/* At a compromise |r| no longer tells one step from another, but the steps still shrink. */
static zw_status polish(zr_level *l)
{
    double before = HUGE_VAL;
    for (int k = 0; k < 30; k++) {
        ZB_TRY(step(l));
        zr_level_save(l, l->old);
        double change = norm(l->n, l->d), rest = l->merit;
        if (!(change <= 0.7 * before) || change <= eps * norm(l->n, l->old)) break;
        zr_level_move(l, l->old, 1.0, l->d);
        zr_level_evaluate(l);
        if (!l->finite || !(l->merit <= rest * (1.0 + 1e-12))) {
            zr_level_move(l, l->old, 0.0, l->d);
            zr_level_evaluate(l);
            break;
        }
        before = change;
    }
    return ZW_OK;
}

zw_status zr_level_newton(zr_level *l, int32_t most)
{
    if (l->linear) return solve_linear(l);
    ZB_TRY(zr_level_restore(l, most));
    if (l->met) return ZW_OK;
    double before = l->merit;
    ZB_TRY(damped(l));
    if (l->merit < before) ZB_TRY(zr_level_restore(l, most));
    if (!l->met) ZB_TRY(polish(l));
    return ZW_OK;
}

/* ------------------------------------------------------------------ the whole */

static double kick(uint64_t *state)
{
    *state += 1;
    return (double)(zb_hash_scramble(*state) >> 11) * 0x1p-52 - 1.0;
}

/* Where derivatives vanish at the given values (a rod of no length), or |r| has a minimum of its
 * own on the way, nothing leads onto the rows: from beside them something may. The compromise
 * stays when there is nothing. */
static zw_status try_beside(zr_level *l)
{
    static const double sizes[] = {0.01, 0.1, 0.3, 1.0, 1.0, 2.0};
    enum { size_count = sizeof sizes / sizeof *sizes };
    double *best = ZB_NEW_ARRAY(&l->arena, double, l->n), size = 0.0;
    uint64_t seed = 0x4741555353u;
    int32_t most = l->n <= 50 ? 24 : size_count;
    if (!best) return l->arena.failure;
    zr_level_save(l, best);
    for (int32_t j = 0; j < l->n; j++) size = fmax(size, fabs(l->x_given[l->unknown[j]]));
    if (!(size > 0.0)) size = 1.0;
    for (int32_t k = 0; k < most; k++) {
        double by = size * sizes[k % size_count];
        for (int32_t j = 0; j < l->n; j++)
            l->x[l->unknown[j]] = l->x_given[l->unknown[j]] + by * kick(&seed);
        zr_level_evaluate(l);
        if (l->finite) ZB_TRY(zr_level_restore(l, 50));
        l->beside = l->finite && l->met;
        if (l->beside) return ZW_OK;
    }
    zr_level_move(l, best, 0.0, best);
    zr_level_evaluate(l);
    l->met = zr_level_rounding(l, 1e-11);
    return ZW_OK;
}

/* After evaluate at the given values, which must be finite. */
zw_status zr_level_solve(zr_level *l)
{
    l->met = zr_level_rounding(l, 1e-11);
    if (l->m == 0 || l->n == 0 || zr_level_rounding(l, 16.0 * eps)) return ZW_OK;
    if (l->linear) return solve_linear(l);
    ZB_TRY(zr_level_nearest(l));
    if (l->met) return ZW_OK;
    ZB_TRY(zr_level_newton(l, 100));
    if (!l->met && l->n <= 200) ZB_TRY(try_beside(l));
    return l->met ? zr_level_nearest(l) : ZW_OK;
}
