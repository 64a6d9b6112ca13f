/*
 * A start that inequalities allow: the nearest to the given values at which equations hold and no gap
 * is below 0. Some inequalities hold there as equations; the others are away. Which ones is an active
 * set:
 *
 *     the level (level.h) is solved with those that hold
 *     one that holds and pulls, its multiplier below 0, is let go
 *     one that is violated is taken in; at first all of them at once, and where these cannot hold
 *     together one after the other, the most violated first; one that keeps it from holding is let go
 *
 * What cannot be met in this way is a contradiction, and refused by name (conflict.c).
 *
 * Afterwards all contacts are open: those that are closed and approach collide at the first instant.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "friction.h"
#include "level.h"
#include "start.h"

enum { most_rounds = 200, most_tried = 40 };

/* A search under way. */
typedef struct gap_search {
    zw_sim *sim;
    zr_order order;
    zr_try_fn *try;
    void *user;
    bool *holds;  /* [contacts] as equations */
    bool *held;   /* [n] scratch */
    double *size; /* [contacts] of the terms of each gap */
    zb_arena arena;
} gap_search;

/* --------------------------------------------------------------------------- to look */

static bool is_of_level(const gap_search *g, int32_t contact)
{
    zm_row_kind kind = g->sim->row_kind[g->sim->zm->contacts[contact].row];
    if (kind == ZM_ACCELERATION) return false;
    return (kind == ZM_HOLONOMIC) == (g->order == ZR_POSITION);
}

/* Gaps, and how large their terms are: all rows are on for it. */
static void look_at_gaps(gap_search *g)
{
    zw_sim *sim = g->sim;
    zr_contacts *c = sim->contacts;
    int32_t m = sim->zm->m, shift = g->order == ZR_POSITION ? 2 * m : 3 * m;
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    zr_enter_masks(sim, true);
    zr_evaluate_levels(sim, &s);
    for (int32_t k = 0; k < c->laws->contacts; k++)
        g->size[k] = sim->level[shift + sim->zm->contacts[k].row];
    zr_enter_mode(sim);
    zr_evaluate_gaps(sim, &s);
}

/* By how much of its terms a gap is below 0, beyond rounding; 0: it is not. */
static double measure_violation(const gap_search *g, int32_t k)
{
    double gap = g->sim->contacts->gap[k], size = fmax(g->size[k], fabs(gap));
    return gap < -16.0 * DBL_EPSILON * size ? -gap / size : 0.0;
}

/* The worst gap of those that do not hold; -1: none is violated. With `all` they are all taken in. */
static int32_t find_violated(gap_search *g, bool all)
{
    int32_t worst = -1;
    double most = 0.0;
    look_at_gaps(g);
    for (int32_t k = 0; k < g->sim->contacts->laws->contacts; k++) {
        double by = is_of_level(g, k) && !g->holds[k] ? measure_violation(g, k) : 0.0;
        if (by > 0.0 && all) g->holds[k] = true;
        if (!(by > most)) continue;
        most = by;
        worst = k;
    }
    return worst;
}

/* --------------------------------------------------------------------------- to solve */

/* From the given values, with those that hold; *met: it could be done. */
static zw_status solve_held(gap_search *g, bool quiet, bool *met)
{
    zr_contacts *c = g->sim->contacts;
    for (int32_t k = 0; k < c->laws->contacts; k++)
        c->mode.touch[k] = g->holds[k] ? ZR_CLOSED : ZR_OPEN;
    zr_enter_mode(g->sim);
    return g->try(g->user, g->order, quiet, met);
}

/* r = A (x - given) of a level, in the values that moved. */
static void find_moves(zr_level *l, const double *given)
{
    for (int32_t i = 0; i < l->m; i++) {
        l->now.r[i] = 0.0;
        for (int32_t p = l->rows.is.A.start[i]; p < l->rows.is.A.start[i + 1]; p++) {
            int32_t j = l->unknown[l->rows.is.A.column[p]];
            l->now.r[i] += l->rows.A[p] * (l->x[j] - given[j]);
        }
    }
}

/* The contact whose multiplier, of those of a level, is most below 0; -1: none is. */
static int32_t find_most_negative(const gap_search *g, const zr_level *l)
{
    double largest = 0.0, most = 0.0;
    int32_t puller = -1;
    for (int32_t i = 0; i < l->m; i++) largest = fmax(largest, fabs(l->step.lambda[i]));
    for (int32_t i = 0; i < l->m; i++) {
        int32_t row = l->rows.row[i],
                k = row < 0 ? -1 : g->sim->contacts->laws->contact_of_row[row];
        if (k < 0 || !(-l->step.lambda[i] > fmax(most, 1e-9 * largest))) continue;
        most = -l->step.lambda[i];
        puller = k;
    }
    return puller;
}

/* M (x - given) = A^T lambda at a solution: lambda of a level whose unknowns are what moved. */
static zw_status find_level_multipliers(zr_level *l, const double *given)
{
    zw_sim *sim = l->sim;
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    zr_level_evaluate(l);
    zr_evaluate_dynamics(sim, &s);
    ZB_TRY(zr_level_set_mass(l, sim->M));
    ZB_TRY(zr_level_factor(l));
    find_moves(l, given);
    memset(l->step.f, 0, sizeof *l->step.f * (size_t)l->n);
    return zg_system_apply(l->solver.factored, l->step.f, l->now.r, l->step.d, l->step.lambda, NULL,
                           NULL);
}

/* The contact that holds and pulls most; -1: none does. */
static zw_status find_puller(gap_search *g, int32_t *puller)
{
    zw_sim *sim = g->sim;
    int32_t n = sim->zm->n;
    const double *x = g->order == ZR_POSITION ? sim->q : sim->v;
    const double *given = sim->given + (g->order == ZR_POSITION ? 0 : n);
    zr_level l;
    *puller = -1;
    for (int32_t j = 0; j < n; j++) g->held[j] = x[j] == given[j];
    zw_status status = zr_level_open_start(&l, sim, g->order, g->held);
    bool moved = status == ZW_OK && l.n > 0 && l.m > 0;
    if (moved) status = find_level_multipliers(&l, given);
    if (moved && status == ZW_OK) *puller = find_most_negative(g, &l);
    zr_level_close(&l);
    return zr_is_memory(status) ? status : ZW_OK;
}

/* Those that pull are let go, one after the other; what is met stays met. */
static zw_status let_pullers_go(gap_search *g, bool *met)
{
    for (int round = 0; round < most_tried && *met; round++) {
        int32_t puller = -1;
        ZB_TRY(find_puller(g, &puller));
        if (puller < 0) return ZW_OK;
        g->holds[puller] = false;
        ZB_TRY(solve_held(g, true, met));
        if (!*met) { /* without it there is no way: it stays */
            g->holds[puller] = true;
            return solve_held(g, true, met);
        }
    }
    return ZW_OK;
}

/* `last` cannot hold with the others: one of them is let go with which it could not. */
static zw_status make_room_for(gap_search *g, int32_t last, bool *met)
{
    int32_t tried = 0;
    *met = false;
    for (int32_t k = 0; k < g->sim->contacts->laws->contacts && tried < most_tried; k++) {
        if (!g->holds[k] || k == last) continue;
        g->holds[k] = false;
        tried++;
        ZB_TRY(solve_held(g, true, met));
        if (*met) look_at_gaps(g);
        if (*met && measure_violation(g, k) == 0.0) return ZW_OK;
        *met = false;
        g->holds[k] = true;
    }
    return ZW_OK;
}

/* One after the other. *met false: g->holds are those that contradict each other. */
static zw_status take_in_one_by_one(gap_search *g, bool *met)
{
    memset(g->holds, 0, (size_t)g->sim->contacts->laws->contacts);
    ZB_TRY(solve_held(g, true, met));
    for (int round = 0; round < most_rounds && *met; round++) {
        int32_t worst = find_violated(g, false);
        if (worst < 0) return ZW_OK;
        g->holds[worst] = true;
        ZB_TRY(solve_held(g, true, met));
        if (!*met) ZB_TRY(make_room_for(g, worst, met));
        ZB_TRY(let_pullers_go(g, met));
    }
    return ZW_OK;
}

/* All that are violated at once, as long as these can hold together. */
static zw_status take_in_all(gap_search *g, bool *met)
{
    for (int round = 0; round < most_rounds && *met; round++) {
        if (find_violated(g, true) < 0) return ZW_OK;
        ZB_TRY(solve_held(g, true, met));
        ZB_TRY(let_pullers_go(g, met));
    }
    return ZW_OK;
}

static zw_status search(gap_search *g)
{
    bool met = false;
    size_t contacts = (size_t)g->sim->contacts->laws->contacts;
    g->holds = ZB_NEW_ARRAY(&g->arena, bool, contacts);
    g->held = ZB_NEW_ARRAY(&g->arena, bool, (size_t)g->sim->zm->n);
    g->size = ZB_NEW_ARRAY(&g->arena, double, contacts);
    if (g->arena.failure != ZW_OK) return g->arena.failure;
    ZB_TRY(solve_held(g, false, &met)); /* the equations: what they cannot meet is told */
    if (find_violated(g, false) < 0) return ZW_OK;
    ZB_TRY(take_in_all(g, &met));
    if (!met) ZB_TRY(take_in_one_by_one(g, &met));
    return met ? ZW_OK : solve_held(g, false, &met);
}

zw_status zr_start_with_gaps(zw_sim *sim, zr_order order, zr_try_fn *try, void *user)
{
    gap_search g = {.sim = sim, .order = order, .try = try, .user = user};
    zb_arena_init(&g.arena, sim->memory, 0);
    zr_open_all(sim);
    zw_status status = search(&g);
    zb_arena_clear(&g.arena);
    zr_open_all(sim);
    zr_enter_mode(sim);
    return status;
}
