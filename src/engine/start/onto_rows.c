/*
 * Solving the rows of a level, r(x) = 0, by small changes of the given values in the metric M.
 *
 *     Newton    d = GG(0, -r): the M-smallest step in the W-least-squares sense, of any rank,
 *               halved until |r| falls
 *     damped    (A^T W A + mu D) d = -A^T W r (Levenberg and Marquardt) where that stalls: near
 *               singular configurations, and towards the compromise of contradictory rows
 *
 * First nearest.c is tried, which finds the nearest solution itself; where it fails these two bring
 * x onto the rows, and it starts again from there. A *compromise* is the x of least squares of rows
 * that cannot all hold.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "level.h"

/* ------------------------------------------------------------------- vectors */

void zr_level_get_x(const zr_level *l, double *x)
{
    for (int32_t j = 0; j < l->n; j++) x[j] = l->x[l->unknown[j]];
}

void zr_level_set_x(zr_level *l, const double *base, double step, const double *d)
{
    for (int32_t j = 0; j < l->n; j++) l->x[l->unknown[j]] = base[j] + step * d[j];
}

/* -------------------------------------------------------------------- Newton */

/* The step d with the last factor. One that is not accurate becomes 0: at a compromise it would be
 * rounding alone. */
static zw_status solve_newton_step(zr_level *l)
{
    double *b = l->scratch.work + l->n;
    for (int32_t i = 0; i < l->m; i++)
        b[i] = l->now.flat[i] && !zr_level_row_is_off(l, i, 1e-11) ? 0.0 : -l->now.r[i];
    memset(l->step.f, 0, sizeof *l->step.f * (size_t)l->n);
    zw_status status =
        zg_system_apply(l->solver.factored, l->step.f, b, l->step.d, l->step.lambda, NULL, NULL);
    if (status != ZW_ERR_ACCURACY) return status;
    memset(l->step.d, 0, sizeof *l->step.d * (size_t)l->n);
    return ZW_OK;
}

/* d at the present x. */
static zw_status find_newton_step(zr_level *l)
{
    ZB_TRY(zr_level_factor(l));
    return solve_newton_step(l);
}

/* A step that leads farther than the search is shortened to that. */
static void limit_newton_step(zr_level *l)
{
    const zg_pattern *M = &l->rows.is.M;
    double sum = 0.0, reach = l->branches.reach;
    for (int32_t i = 0; i < l->n && reach > 0.0; i++)
        for (int32_t k = M->start[i]; k < M->start[i + 1]; k++)
            sum += (M->column[k] == i ? 1.0 : 2.0) * l->rows.M[k] * l->step.d[i] *
                   l->step.d[M->column[k]];
    if (!(reach > 0.0 && sum > reach * reach)) return;
    for (int32_t j = 0; j < l->n; j++) l->step.d[j] *= reach / sqrt(sum);
}

/* x = old + length d, halved until |r| falls below `before`; false, and back at `old`, when it does
 * not. */
static bool shorten_newton_step(zr_level *l, double before, double *length)
{
    *length = 1.0;
    for (int k = 0; k < 30; k++, *length *= 0.5) {
        zr_level_set_x(l, l->step.old, *length, l->step.d);
        zr_level_evaluate(l);
        if (l->now.finite && l->now.merit < before * (1.0 - 1e-4 * *length)) return true;
        /* near the end only rounding is left, and a full step is as good as any */
        if (k == 0 && l->now.finite && zr_level_holds(l, 32.0 * DBL_EPSILON)) return true;
    }
    zr_level_set_x(l, l->step.old, 0.0, l->step.d);
    zr_level_evaluate(l);
    return false;
}

/* At most `most` steps, until rounding is left or |r| no longer falls; l->met says which. */
zw_status zr_level_iterate(zr_level *l, int32_t most)
{
    int32_t slow = 0;
    for (int32_t k = 0; k < most; k++) {
        double length = 1.0, before = l->now.merit;
        if (zr_level_holds(l, 4.0 * DBL_EPSILON)) break;
        ZB_TRY(find_newton_step(l));
        limit_newton_step(l);
        zr_level_get_x(l, l->step.old);
        if (zr_norm(l->n, l->step.d) <= DBL_EPSILON * zr_norm(l->n, l->step.old)) break;
        if (!shorten_newton_step(l, before, &length)) break;
        slow = l->now.merit > 0.9 * before || length < 0.05 ? slow + 1 : 0;
        if (slow >= 4) break;
    }
    l->met = zr_level_holds(l, 1e-11);
    return ZW_OK;
}

/* ------------------------------------------------------------------- linear */

/* Rows whose A does not depend on x: x = g + GG(0, -r(g)), and once more for its rounding. */
static zw_status solve_linear_level(zr_level *l)
{
    ZB_TRY(zr_level_factor(l));
    for (int k = 0; k < 2; k++) {
        ZB_TRY(solve_newton_step(l));
        zr_level_get_x(l, l->step.old);
        zr_level_set_x(l, l->step.old, 1.0, l->step.d);
        zr_level_evaluate(l);
    }
    l->met = zr_level_holds(l, 1e-11);
    return ZW_OK;
}

/* -------------------------------------------------------------------- damped */

/* damping = A^T W A, h = A^T W r. */
static void form_normal_equations(zr_level *l)
{
    double *y = l->scratch.work + l->n;
    memset(l->normal.damping, 0, sizeof *l->normal.damping * (size_t)l->normal.H.start[l->n]);
    zr_level_add_normal(l, NULL, l->normal.damping);
    zr_level_weigh(l, l->now.r, y);
    zr_level_multiply_transposed(l, l->rows.A, y, l->scratch.h);
}

/* What |r|^2/2 would fall by if the rows were linear, (mu d^T D d - h^T d)/2. */
static double predict_fall(const zr_level *l, double mu, double mass)
{
    double sum = 0.0;
    for (int32_t j = 0; j < l->n; j++) {
        double m = zr_level_mass_entry(l, j), d = l->step.d[j];
        sum += (mu * (m > 1e-8 * mass ? m : mass) * d - l->scratch.h[j]) * d;
    }
    return 0.5 * sum;
}

/* One damped step with mu; *fell 0, and x as it was, when |r| did not fall, else by which part of
 * what was predicted |r|^2 did. Small entries of M's diagonal are replaced by `mass` in D. */
static zw_status take_damped_step(zr_level *l, double mu, double mass, double *fell)
{
    double before = l->now.merit;
    zg_values values = {.M = l->normal.damping};
    form_normal_equations(l);
    for (int32_t j = 0; j < l->n; j++) {
        double m = zr_level_mass_entry(l, j);
        l->normal.damping[l->normal.H.start[j]] += mu * (m > 1e-8 * mass ? m : mass);
        l->step.f[j] = -l->scratch.h[j];
    }
    *fell = 0.0;
    zw_status status = zg_system_factor(l->solver.damped, &values);
    if (status == ZW_OK)
        status = zg_system_apply(l->solver.damped, l->step.f, NULL, l->step.d, l->step.lambda, NULL,
                                 NULL);
    if (status != ZW_OK) return zr_is_memory(status) ? status : ZW_OK; /* more damping */
    zr_level_get_x(l, l->step.old);
    double predicted = predict_fall(l, mu, mass);
    zr_level_set_x(l, l->step.old, 1.0, l->step.d);
    zr_level_evaluate(l);
    double after = l->now.merit;
    if (l->now.finite && after < before) {
        double by = 0.5 * (before - after) * (before + after);
        *fell = predicted > 0.0 ? fmax(by / predicted, DBL_MIN) : 1.0;
        return ZW_OK;
    }
    zr_level_set_x(l, l->step.old, 0.0, l->step.d);
    zr_level_evaluate(l);
    return ZW_OK;
}

/* The pattern of H and the system that factors it, once. */
static zw_status plan_damped_steps(zr_level *l)
{
    ZB_TRY(zr_level_shape_normal(l));
    zg_structure structure = zr_level_unconstrained(l, &l->normal.H);
    return l->solver.damped ? ZW_OK : zg_system_plan(l->sim->memory, &structure, &l->solver.damped);
}

/* Damped steps, mu smaller after each that succeeds and larger after each that does not, or that has
 * gone beyond the least |r| to about as high on the other side, until |r| is small or stands still.
 */
static zw_status descend_damped(zr_level *l)
{
    double mass = 0.0, mu = 0.0;
    ZB_TRY(plan_damped_steps(l));
    for (int32_t j = 0; j < l->n; j++) mass = fmax(mass, zr_level_mass_entry(l, j));
    if (!(mass > 0.0)) mass = 1.0;
    form_normal_equations(l);
    for (int32_t j = 0; j < l->n; j++)
        mu = fmax(mu, l->normal.damping[l->normal.H.start[j]] / mass);
    double least = 1e-12 * mu, largest = 1e12 * mu;
    mu *= 1e-3;
    for (int k = 0; k < 400 && mu > 0.0 && mu <= largest; k++) {
        double fell = 0.0, before = l->now.merit;
        ZB_TRY(take_damped_step(l, mu, mass, &fell));
        mu *= fell > 0.1 ? 0.2 : fell > 0.0 ? 2.0 : 5.0;
        mu = fmax(mu, least);
        if (fell > 0.0 && zr_level_holds(l, 1e-6)) break; /* Newton does the rest */
        bool still = zr_norm(l->n, l->step.d) <= 1e-13 * zr_norm(l->n, l->step.old);
        if (fell > 0.0 && before - l->now.merit <= 1e-16 * before && still) break;
    }
    return ZW_OK;
}

/* Newton's steps to the last digits of a compromise: there |r| no longer tells one step from
 * another, but the steps still shrink. */
static zw_status polish_compromise(zr_level *l)
{
    double before = HUGE_VAL;
    for (int k = 0; k < 30; k++) {
        ZB_TRY(find_newton_step(l));
        zr_level_get_x(l, l->step.old);
        double change = zr_norm(l->n, l->step.d), rest = l->now.merit;
        if (!(change <= 0.7 * before) || change <= DBL_EPSILON * zr_norm(l->n, l->step.old)) break;
        zr_level_set_x(l, l->step.old, 1.0, l->step.d);
        zr_level_evaluate(l);
        if (!l->now.finite || !(l->now.merit <= rest * (1.0 + 1e-12))) {
            zr_level_set_x(l, l->step.old, 0.0, l->step.d);
            zr_level_evaluate(l);
            break;
        }
        before = change;
    }
    return ZW_OK;
}

/* Damped steps lead to the compromise where there is no solution; it is then made exact. */
zw_status zr_level_iterate_damped(zr_level *l, int32_t most)
{
    if (l->linear) return solve_linear_level(l);
    ZB_TRY(zr_level_iterate(l, most));
    if (l->met) return ZW_OK;
    double before = l->now.merit;
    ZB_TRY(descend_damped(l));
    if (l->now.merit < before) ZB_TRY(zr_level_iterate(l, most));
    if (!l->met) ZB_TRY(polish_compromise(l));
    return ZW_OK;
}

/* ------------------------------------------------------------------ the whole */

/* Where derivatives vanish at the given values (a rod of no length), or |r| has a local minimum on
 * the way, Newton's method does not converge from them: it may from random values around them. The
 * first that lead onto the rows are taken; the compromise stays when none do. */
static zw_status try_other_values(zr_level *l)
{
    static const double sizes[] = {0.01, 0.1, 0.3, 1.0, 1.0, 2.0};
    enum { size_count = sizeof sizes / sizeof *sizes };
    double *best = ZB_NEW_ARRAY(&l->arena, double, l->n), size = 0.0;
    uint64_t seed = 0x4741555353u;
    int32_t most = l->n <= 50 ? 24 : size_count;
    if (!best) return l->arena.failure;
    zr_level_get_x(l, best);
    for (int32_t j = 0; j < l->n; j++) size = fmax(size, fabs(l->x_given[l->unknown[j]]));
    if (!(size > 0.0)) size = 1.0;
    for (int32_t k = 0; k < most; k++) {
        double by = size * sizes[k % size_count];
        for (int32_t j = 0; j < l->n; j++)
            l->x[l->unknown[j]] = l->x_given[l->unknown[j]] + by * zr_next_random(&seed);
        zr_level_evaluate(l);
        if (l->now.finite) ZB_TRY(zr_level_iterate(l, 50));
        l->met_elsewhere = l->now.finite && l->met;
        if (l->met_elsewhere) return ZW_OK;
    }
    zr_level_set_x(l, best, 0.0, best);
    zr_level_evaluate(l);
    l->met = zr_level_holds(l, 1e-11);
    return ZW_OK;
}

zw_status zr_level_open_connected(zr_level *part, zr_level *l, int32_t root, bool *held)
{
    for (int32_t i = 0; i < l->sim->zm->n; i++)
        held[i] = l->at[i] < 0 || zr_find_root(l->parent, i) != root;
    ZB_TRY(zr_level_open_part(part, l->sim, l->order, held));
    zr_level_evaluate(part);
    return zr_level_set_mass(part, l->sim->M);
}

/* The part of `root` by itself from its given values, unless it is on its rows. */
static zw_status solve_part_alone(zr_level *l, int32_t root, bool *held)
{
    zr_level part;
    zw_status status = zr_level_open_connected(&part, l, root, held);
    if (status == ZW_OK && part.m > 0 && !zr_level_holds(&part, 1e-11)) {
        for (int32_t j = 0; j < part.n; j++)
            part.x[part.unknown[j]] = part.x_given[part.unknown[j]];
        zr_level_evaluate(&part);
        if (part.now.finite) status = zr_level_find_nearest(&part);
        if (status == ZW_OK && !part.met) status = zr_level_iterate_damped(&part, 100);
        if (status == ZW_OK && !part.met) status = try_other_values(&part);
    }
    zr_level_close(&part);
    return zr_is_memory(status) ? status : ZW_OK;
}

/* root [coordinates]: those that unknowns are connected with, one of each part. Returns their
 * number. */
static int32_t mark_roots(zr_level *l, bool *root)
{
    int32_t count = 0;
    for (int32_t j = 0; j < l->n; j++) {
        bool *at = &root[zr_find_root(l->parent, l->unknown[j])];
        if (!*at) count++;
        *at = true;
    }
    return count;
}

/* Other values, for each of several parts by itself: what leads one of them onto its rows leads
 * another astray. Where that fails the compromise stays. */
static zw_status try_other_values_apart(zr_level *l)
{
    int32_t all = l->sim->zm->n;
    bool *held = ZB_NEW_ARRAY(&l->arena, bool, all), *root = ZB_NEW_ARRAY(&l->arena, bool, all);
    double *best = ZB_NEW_ARRAY(&l->arena, double, l->n);
    if (l->arena.failure != ZW_OK) return l->arena.failure;
    if (l->alone || mark_roots(l, root) < 2) return try_other_values(l);
    zr_level_get_x(l, best);
    for (int32_t i = 0; i < all; i++)
        if (root[i]) ZB_TRY(solve_part_alone(l, i, held));
    zr_level_evaluate(l);
    l->met = l->met_elsewhere = l->now.finite && zr_level_holds(l, 1e-11);
    if (l->met) return ZW_OK;
    zr_level_set_x(l, best, 0.0, best);
    zr_level_evaluate(l);
    return ZW_OK;
}

/* The nearest solution at once; else any solution, and the nearest from there; then other
 * branches. */
zw_status zr_level_solve(zr_level *l)
{
    l->met = zr_level_holds(l, 1e-11);
    if (l->m == 0 || l->n == 0 || zr_level_holds(l, 16.0 * DBL_EPSILON)) return ZW_OK;
    if (l->linear) return solve_linear_level(l);
    ZB_TRY(zr_level_find_nearest(l));
    if (!l->met) {
        ZB_TRY(zr_level_iterate_damped(l, 100));
        if (!l->met && l->n <= zr_most_searched) ZB_TRY(try_other_values_apart(l));
        if (l->met) ZB_TRY(zr_level_find_nearest(l));
    }
    return l->met && !l->alone ? zr_level_compare_branches(l) : ZW_OK;
}
