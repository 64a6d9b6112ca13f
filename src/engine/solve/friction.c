/*
 * Accelerations with sliding friction. Friction k pushes with c_k per unit of what presses,
 *
 *     c_k = -mu_k T_k^T d_k,    M z = Q + sum_k rho_k c_k + A^T lambda,    A z = b
 *
 * so that multipliers are affine in the pressures, lambda = lambda_0 + sum_k rho_k lambda_k, with
 * (z_k, lambda_k) = GG(c_k, 0): one more solve with the factor at hand for each that slides in an
 * island; those of different ones go together (friction_islands.c). A
 * pressure is the multiplier of a contact, the norm of the multipliers of a joint, or what the model
 * says, homogeneous of degree 1:
 *
 *     rho = g(lambda_0 + sum rho_k lambda_k)
 *
 * by Newton's method, which is one linear solve where all are contacts. The direction d of a
 * friction along one line is that of the mode; in a plane or in space it is that of the slip, which
 * the mode's direction replaces where the slip begins, or what the forces make of it where it creeps
 * (creep.c).
 */
#include "friction.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "creep.h"
#include "road_fused.h"
#include "road_parts.h"
#include "share_closure.h"

/* ------------------------------------------------------------------------------ mode */

/* What depends on masks; no factor is of the rows that are on now. */
static void renew_masked(zw_sim *sim)
{
    zr_masks_changed(sim);
    if (sim->model->fused && sim->model->fused->reads_masks) zr_fused_parameters(sim);
    zr_choose_form(sim);
    zr_parts_masks(sim);
    zr_forget_factor(sim);
}

void zr_enter_mode(zw_sim *sim)
{
    zr_apply_mode(sim);
    renew_masked(sim);
}

zw_status zr_factor_closed(zw_sim *sim, const zk_source *s)
{
    zr_mask_closed(sim);
    renew_masked(sim);
    return zr_factor_at(sim, s);
}

zw_status zr_factor_mode(zw_sim *sim, const zk_source *s)
{
    zr_enter_mode(sim);
    ZB_TRY(zr_factor_at(sim, s));
    sim->solver->road = sim->solver->sparse ? ZR_SPARSE : ZR_CAREFUL;
    sim->solver->held = &sim->solver->all;
    return ZW_OK;
}

void zr_enter_masks(zw_sim *sim, bool on)
{
    zr_mask_all(sim, on);
    renew_masked(sim);
}

/* --------------------------------------------------------------------------- columns */

/* |T_j| |v| of slip j: what rounding of it is measured by. */
static double size_of_slip(const zw_sim *sim, int32_t j, const double *v)
{
    const zr_pattern *T = &sim->contacts->laws->T;
    double size = 0.0;
    for (int32_t p = T->start[j]; p < T->start[j + 1]; p++)
        size += fabs(sim->contacts->T[p] * v[T->column[p]]);
    return size;
}

/* The direction of slip component j of friction k, of `width`, which slides. */
static double direction_of_slip(const zw_sim *sim, int32_t k, int32_t j, const double *v)
{
    const zr_contacts *c = sim->contacts;
    int32_t first = c->laws->friction[k].slip, width = sim->zm->frictions[k].width;
    double square = 0.0, small = 0.0;
    if (width == 1) return c->mode.direction[first];
    if (zr_creeps_along(c, k)) return c->creep.direction[first + j];
    for (int32_t i = first; i < first + width; i++)
        small = fmax(small, 1e-12 * size_of_slip(sim, i, v));
    for (int32_t i = first; i < first + width; i++) {
        double s = c->slip[i] + small * c->mode.direction[i];
        square += s * s;
    }
    if (!(square > 0.0)) return c->mode.direction[first + j];
    return (c->slip[first + j] + small * c->mode.direction[first + j]) / sqrt(square);
}

void zr_add_friction_column(const zw_sim *sim, int32_t k, const double *v, double times, double *to)
{
    const zr_contacts *c = sim->contacts;
    const zr_pattern *T = &c->laws->T;
    int32_t first = c->laws->friction[k].slip, width = sim->zm->frictions[k].width;
    double mu = times * zr_friction_mu(sim, k);
    for (int32_t j = 0; j < width; j++) {
        double push = -mu * direction_of_slip(sim, k, j, v);
        for (int32_t p = T->start[first + j]; p < T->start[first + j + 1]; p++)
            to[T->column[p]] += push * c->T[p];
    }
}

int32_t zr_list_sliding(zw_sim *sim)
{
    zr_contacts *c = sim->contacts;
    const zr_friction_islands *x = &c->islands;
    int32_t count = 0;
    for (int32_t i = 0; i < c->laws->frictions; i++) {
        int32_t k = x->order[i];
        if (c->mode.grip[k] != ZR_SLIDES) continue;
        bool goes_on = count > 0 && x->of[c->which[count - 1]] == x->of[k];
        c->turn[count] = goes_on ? c->turn[count - 1] + 1 : 0;
        c->which[count++] = k;
    }
    return count;
}

double *zr_way_of(const zw_sim *sim, int32_t a)
{
    return sim->contacts->column_lambda + (size_t)sim->contacts->turn[a] * (size_t)sim->zm->m;
}

/* ------------------------------------------------------------------------- pressures */

double zr_press(zw_sim *sim, const zk_source *s, int32_t k, const double *lambda)
{
    zr_contacts *c = sim->contacts;
    const zr_friction_roots *at = &c->laws->friction[k];
    double square = 0.0;
    if (at->pressure >= 0) {
        zr_measure(sim, lambda);
        zr_evaluate_frictions(sim, s);
        return c->slip[c->laws->slips + at->pressure];
    }
    if (at->row_count == 1) return at->joint ? fabs(lambda[at->first_row]) : lambda[at->first_row];
    for (int32_t i = at->first_row; i < at->first_row + at->row_count; i++)
        square += lambda[i] * lambda[i];
    return sqrt(square);
}

/* What presses friction k, which slides: of one that is sided, from the side of the mode. It goes on below 0
 * there, so that steps can be followed to where it passes. */
static double press_sliding(zw_sim *sim, const zk_source *s, int32_t k, const double *lambda)
{
    const zr_contacts *c = sim->contacts;
    const zr_friction_roots *at = &c->laws->friction[k];
    return at->sided ? c->mode.side[k] * lambda[at->first_row] : zr_press(sim, s, k, lambda);
}

/* d g_k along way [m], at lambda, where g_k is g. */
static double press_along(zw_sim *sim, const zk_source *s, int32_t k, double g,
                          const double *lambda, const double *way)
{
    zr_contacts *c = sim->contacts;
    const struct zr_contact_laws *laws = c->laws;
    const zr_friction_roots *at = &laws->friction[k];
    double sum = 0.0, here = 0.0, size = 0.0;
    if (at->pressure < 0) {
        for (int32_t i = at->first_row; i < at->first_row + at->row_count; i++) {
            sum += lambda[i] * way[i];
            here += lambda[i] * lambda[i];
            size += way[i] * way[i];
        }
        if (at->sided) return c->mode.side[k] * way[at->first_row];
        if (at->row_count == 1 && !at->joint) return way[at->first_row];
        return here > 0.0 ? sum / sqrt(here) : sqrt(size);
    }
    for (int32_t p = laws->press_start[k]; p < laws->press_start[k + 1]; p++) {
        here = fmax(here, fabs(lambda[laws->press_row[p]]));
        size = fmax(size, fabs(way[laws->press_row[p]]));
    }
    double step = size > 0.0 ? 1e-7 * (here > 0.0 ? here : 1.0) / size : 0.0;
    if (step == 0.0 || !isfinite(step)) return 0.0; /* nothing, or next to it, comes here */
    memcpy(c->trial, lambda, sizeof *lambda * (size_t)sim->zm->m);
    for (int32_t p = laws->press_start[k]; p < laws->press_start[k + 1]; p++)
        c->trial[laws->press_row[p]] += step * way[laws->press_row[p]];
    return (zr_press(sim, s, k, c->trial) - g) / step;
}

bool zr_solve_small(double *X, double *x, int32_t size)
{
    for (int32_t i = 0; i < size; i++) {
        int32_t best = i;
        for (int32_t r = i + 1; r < size; r++)
            if (fabs(X[r * size + i]) > fabs(X[best * size + i])) best = r;
        if (!(fabs(X[best * size + i]) > 0.0)) return false;
        for (int32_t j = 0; j < size && best != i; j++) {
            double swap = X[i * size + j];
            X[i * size + j] = X[best * size + j];
            X[best * size + j] = swap;
        }
        double swap = x[i];
        x[i] = x[best];
        x[best] = swap;
        for (int32_t r = i + 1; r < size; r++) {
            double factor = X[r * size + i] / X[i * size + i];
            for (int32_t j = i; j < size; j++) X[r * size + j] -= factor * X[i * size + j];
            x[r] -= factor * x[i];
        }
    }
    for (int32_t i = size - 1; i >= 0; i--) {
        for (int32_t j = i + 1; j < size; j++) x[i] -= X[i * size + j] * x[j];
        x[i] /= X[i * size + i];
    }
    return true;
}

/* Those of contacts->which that are of the island of number `first`: up to the one that is returned. */
static int32_t end_of_island(const zr_contacts *c, int32_t first, int32_t count)
{
    int32_t end = first + 1;
    while (end < count && c->turn[end] > 0) end++;
    return end;
}

/* Multipliers of an island at the pressures that are there, into lambda [m]. */
static void combine_multipliers(const zw_sim *sim, int32_t first, int32_t end, double *lambda)
{
    const zr_contacts *c = sim->contacts;
    const zr_friction_islands *x = &c->islands;
    int32_t island = x->of[c->which[first]];
    const int32_t *row = x->row + x->row_start[island];
    int32_t rows = x->row_start[island + 1] - x->row_start[island];
    for (int32_t i = 0; i < rows; i++) lambda[row[i]] = c->base[row[i]];
    for (int32_t a = first; a < end; a++) {
        const double *way = zr_way_of(sim, a);
        double rho = c->pressure[c->which[a]];
        for (int32_t i = 0; i < rows; i++) lambda[row[i]] += rho * way[row[i]];
    }
}

/* One Newton step of all pressures of an island; *off: the largest residual, in units of the pressures. */
static bool correct_pressures(zw_sim *sim, const zk_source *s, int32_t first, int32_t end,
                              double *off)
{
    zr_contacts *c = sim->contacts;
    int32_t count = end - first;
    double size = 0.0, worst = 0.0;
    combine_multipliers(sim, first, end, sim->lambda);
    for (int32_t a = 0; a < count; a++) {
        int32_t k = c->which[first + a];
        double g = press_sliding(sim, s, k, sim->lambda);
        c->rest[a] = g - c->pressure[k];
        worst = fmax(worst, fabs(c->rest[a]));
        size = fmax(size, fmax(fabs(g), fabs(c->pressure[k])));
        for (int32_t l = 0; l < count; l++) {
            double slope = press_along(sim, s, k, g, sim->lambda, zr_way_of(sim, first + l));
            c->matrix[a * count + l] = (a == l ? 1.0 : 0.0) - slope;
        }
    }
    *off = size > 0.0 ? worst / size : 0.0;
    if (!zr_solve_small(c->matrix, c->rest, count)) return false;
    for (int32_t a = 0; a < count; a++) c->pressure[c->which[first + a]] += c->rest[a];
    return true;
}

/* No pressures go with what slides: of the first of an island, which is k. */
static void note_jam(zw_sim *sim, const zk_source *s, int32_t k)
{
    zr_contacts *c = sim->contacts;
    c->trouble =
        (zr_contact_trouble){.kind = ZR_NO_FORCE,
                             .contact = c->laws->contact_of_row[c->laws->friction[k].first_row],
                             .friction = k,
                             .t = s->time,
                             .value = {(double)NAN, (double)NAN},
                             .mu = zr_friction_mu(sim, k),
                             .slip = c->slip[c->laws->friction[k].slip]};
}

/* Of an island, from no friction at all on. Where steps no longer help, what is left must be rounding. */
static zw_status find_island_pressures(zw_sim *sim, const zk_source *s, int32_t first, int32_t end)
{
    enum { most_steps = 60 };
    zr_contacts *c = sim->contacts;
    double off = 0.0, before = HUGE_VAL;
    for (int32_t a = first; a < end; a++) c->pressure[c->which[a]] = 0.0;
    for (int step = 0; step < most_steps; step++) {
        if (!correct_pressures(sim, s, first, end, &off) || !isfinite(off)) break;
        if (off <= 4.0 * DBL_EPSILON) return ZW_OK;
        if (off < 1e-12 && !(off < 0.5 * before)) return ZW_OK;
        before = off;
    }
    note_jam(sim, s, c->which[first]);
    return isnan(off) ? ZW_ERR_NOT_FINITE : ZW_ERR_CONTACT;
}

zw_status zr_find_pressures(zw_sim *sim, const zk_source *s, int32_t count)
{
    const zr_contacts *c = sim->contacts;
    memcpy(sim->lambda, c->base, sizeof *c->base * (size_t)sim->zm->m);
    for (int32_t first = 0, end; first < count; first = end) {
        end = end_of_island(c, first, count);
        ZB_TRY(find_island_pressures(sim, s, first, end));
    }
    return ZW_OK;
}

/* ---------------------------------------------------------------------- acceleration */

/* A coefficient below 0 would push: that is remembered. */
static bool is_coefficient_bad(zw_sim *sim, const zk_source *s, int32_t k)
{
    double mu = zr_friction_mu(sim, k);
    if (!(mu < 0.0)) return false;
    sim->contacts->trouble = (zr_contact_trouble){.kind = ZR_BAD_LAW,
                                                  .contact = -1,
                                                  .friction = k,
                                                  .number = ZR_LAW_MU,
                                                  .t = s->time,
                                                  .value = {mu, 0.0}};
    return true;
}

/* lambda_k of all that slide, one of each island by one solve; T, V and mu are there afterwards. */
static zw_status find_columns(zw_sim *sim, const zk_source *s, int32_t *count)
{
    zr_contacts *c = sim->contacts;
    zr_solver *solver = sim->solver;
    size_t n = (size_t)sim->zm->n, m = (size_t)sim->zm->m;
    bool any = true;
    zr_evaluate_frictions(sim, s);
    *count = zr_list_sliding(sim);
    for (int32_t a = 0; a < *count; a++)
        if (is_coefficient_bad(sim, s, c->which[a])) return ZW_ERR_CONTACT;
    for (int32_t turn = 0; any; turn++) {
        any = false;
        memset(c->column, 0, sizeof *c->column * n);
        for (int32_t a = 0; a < *count; a++) {
            if (c->turn[a] != turn) continue;
            zr_add_friction_column(sim, c->which[a], s->velocity, 1.0, c->column);
            any = true;
        }
        if (!any) break;
        double *lambda = c->column_lambda + (size_t)turn * m;
        ZB_TRY(zr_solve_rows(&solver->all, c->column, NULL, solver->z_nonideal, lambda));
        zr_answer_by_motors(sim, false, solver->z_nonideal, lambda);
    }
    return ZW_OK;
}

zw_status zr_add_friction(zw_sim *sim, const zk_source *s, const double *extra)
{
    zr_contacts *c = sim->contacts;
    zr_solver *solver = sim->solver;
    int32_t n = sim->zm->n, count = 0;
    const double *f = sim->Q;
    if (extra) {
        for (int32_t j = 0; j < n; j++) c->force[j] = sim->Q[j] + extra[j];
        f = c->force;
    }
    ZB_TRY(zr_close_shares(sim, &solver->all));
    ZB_TRY(find_columns(sim, s, &count));
    ZB_TRY(zr_solve_rows(&solver->all, f, sim->b, solver->z_nonideal, c->base));
    zr_answer_by_motors(sim, true, solver->z_nonideal, c->base);
    ZB_TRY(zr_find_pressures(sim, s, count));
    zr_evaluate_frictions(sim, s);
    memset(c->force, 0, sizeof *c->force * (size_t)n);
    for (int32_t a = 0; a < count; a++)
        zr_add_friction_column(sim, c->which[a], s->velocity, c->pressure[c->which[a]], c->force);
    for (int32_t j = 0; j < n; j++) c->total[j] = sim->Q[j] + c->force[j];
    return ZW_OK;
}

/* By the quick factor where rows that are on are independent, else by the system's. */
zw_status zr_factor_sliding(zw_sim *sim, zr_solving *run)
{
    zr_solver *solver = sim->solver;
    bool independent = !run || run->generic_rank >= zr_rows_on(sim);
    zr_forget_factor(sim);
    if (independent && zr_factor_quickly(sim, &solver->all, sim->A)) {
        solver->road = ZR_QUICK;
        solver->held = &solver->all;
        if (run) zr_note_independent(sim, run, zg_quick_condition(solver->all.quick));
        return ZW_OK;
    }
    ZB_TRY(zr_factor_all(sim));
    solver->road = solver->sparse ? ZR_SPARSE : ZR_CAREFUL;
    solver->held = &solver->all;
    ZB_TRY(zr_close_shares(sim, &solver->all));
    if (!run) return ZW_OK;
    run->rank = run->generic_rank;
    run->lost = 0.0;
    run->any_conflicting = false;
    run->noise = fmax(run->noise, zg_system_noise(solver->all.system));
    return ZW_OK;
}

/* C with its measures, which are those of the motion without it. */
zw_status zr_find_nonideal_sliding(zw_sim *sim, const zr_wanted *w)
{
    if (sim->model->uses_measures) {
        ZB_TRY(zr_add_friction(sim, w->at, NULL));
        ZB_TRY(zr_solve_rows(&sim->solver->all, sim->contacts->total, sim->b, w->z, sim->lambda));
        zr_write_sliding_multipliers(sim, w->at->velocity, sim->lambda);
        zr_measure(sim, sim->lambda);
    }
    zr_evaluate_nonideal(sim, w->at);
    return ZW_OK;
}

/* M, Q, A and b are there. The friction is in contacts->force, not among the non-ideal forces. */
zw_status zr_accelerate_sliding(zw_sim *sim, zr_solving *run, const zr_wanted *w)
{
    const zr_contacts *c = sim->contacts;
    bool nonideal = sim->model->nonideal.count > 0;
    int32_t n = sim->zm->n;
    ZB_TRY(zr_factor_sliding(sim, run));
    if (nonideal) ZB_TRY(zr_find_nonideal_sliding(sim, w));
    ZB_TRY(zr_add_friction(sim, w->at, nonideal ? sim->C : NULL));
    if (nonideal)
        for (int32_t j = 0; j < n; j++) c->total[j] += sim->C[j];
    ZB_TRY(zr_solve_rows(&sim->solver->all, c->total, sim->b, w->z, sim->lambda));
    if (w->force)
        for (int32_t j = 0; j < n; j++) w->force[j] = nonideal ? sim->C[j] : 0.0;
    return ZW_OK;
}

void zr_write_sliding_multipliers(const zw_sim *sim, const double *v, double *lambda)
{
    const zr_contacts *c = sim->contacts;
    for (int32_t k = 0; c && k < c->laws->frictions; k++) {
        if (c->mode.grip[k] != ZR_SLIDES) continue;
        int32_t width = sim->zm->frictions[k].width, first = sim->zm->frictions[k].first_row;
        double most = zr_friction_mu(sim, k) * c->pressure[k];
        for (int32_t j = 0; j < width; j++)
            lambda[first + j] = -most * direction_of_slip(sim, k, j, v);
    }
}
