/*
 * Conflicts that begin and end on the way. A *seam* is the moment at which the set of rows that
 * contradict each other becomes another one. The motion is the principle's on both sides; what
 * changes is which rows the projection may keep to:
 *
 *     before     all rows hold, and are projected
 *     between    rows in the conflict cannot hold: they are left *out* of the projection
 *     after      their accelerations agree again, but not what has been left of the rows: a row that
 *                is off by more than the tolerance stays out, for nothing in the principle brings it
 *                back; what was left is kept for the verdict
 *
 *     |-- step ------|
 *           ^ seam: the state there comes from the dense output, and the stepper starts anew
 *
 * After each step the rows in conflict at its end are compared with those at its beginning; where
 * they differ, or where stages have seen rows contradict each other in between, the seam is located
 * as an event is (motion/events). Systems whose rows are independent have none of this.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "run.h"

/* Seams that follow each other within this part of the run are taken as they come. */
static const double shortest_way = 1e-10;

/* ------------------------------------------------------------------------- looking */

/* Whether the last answer found other rows in a conflict than there were when the step began. */
static bool do_conflicts_differ(const zw_sim *sim)
{
    const zr_motion *run = sim->run;
    const zr_solving *now = &run->solving;
    if (now->any_conflicting != run->seams.was_any) return true;
    if (!now->any_conflicting) return false;
    return memcmp(now->conflicting, run->seams.was, sizeof(bool) * (size_t)sim->zm->m) != 0;
}

/* An acceleration at a state on the constraints, for what it finds of conflicts. */
static zw_status ask_for_conflicts(zw_sim *sim, double t, const double *state)
{
    zr_solving *solving = &sim->run->solving;
    zk_source s = zr_source(sim, t, state, state + sim->zm->n);
    zr_wanted wanted = {.at = &s, .z = sim->run->step.z};
    solving->on_constraints = true;
    zw_status status = zr_accelerate(sim, solving, &wanted);
    solving->on_constraints = false;
    return status;
}

/* What the search calls. A state that cannot be brought onto the constraints, or has no
 * acceleration, shows nothing. */
static zw_status look_at_conflicts(void *user, double t, const double *y, bool *truth, double *gap)
{
    zw_sim *sim = user;
    zr_motion *run = sim->run;
    double *state = run->seams.state;
    size_t n = (size_t)sim->zm->n;
    (void)gap;
    *truth = false;
    memcpy(state, zr_model_order(sim, y), sizeof *state * 2 * n);
    if (run->solving.projects &&
        zr_project(sim, &run->solving, t, state, state + n, false) != ZW_OK)
        return ZW_OK;
    if (ask_for_conflicts(sim, t, state) == ZW_OK) *truth = do_conflicts_differ(sim);
    return ZW_OK;
}

/* Rows that are independent wherever they are not singular never contradict each other for long. */
zw_status zr_open_seams(zw_sim *sim)
{
    zr_motion *run = sim->run;
    zr_seams *seams = &run->seams;
    size_t n = (size_t)sim->zm->n, m = (size_t)sim->zm->m;
    seams->was = ZB_NEW_ARRAY(&run->arena, bool, m);
    seams->left = ZB_NEW_ARRAY(&run->arena, double, m);
    seams->left_rate = ZB_NEW_ARRAY(&run->arena, double, m);
    seams->left_t = ZB_NEW_ARRAY(&run->arena, double, m);
    if (run->arena.failure != ZW_OK) return run->arena.failure;
    for (size_t i = 0; i < m; i++) seams->left_t[i] = (double)NAN;
    if (run->solving.generic_rank >= sim->zm->m) return ZW_OK;
    seams->watch = (zi_watch){.count = 1, .user = sim, .look = look_at_conflicts};
    size_t room = zi_locator_size(&seams->watch, run->step.stepper->system.size);
    seams->locator = ZB_NEW_ARRAY(&run->arena, double, room);
    seams->state = ZB_NEW_ARRAY(&run->arena, double, 2 * n);
    return run->arena.failure;
}

/* Not where the step has only begun: a seam there was crossed just now. */
zw_status zr_find_seam(zw_sim *sim, double until)
{
    zr_motion *run = sim->run;
    zr_seams *seams = &run->seams;
    zi_stepper *s = run->step.stepper;
    bool was = false, turned = false, truth = false, suspects = run->solving.suspects;
    zi_detection found = {.turned = &turned, .truth = &truth};
    run->solving.suspects = false;
    if (seams->watch.count == 0 || (!suspects && !do_conflicts_differ(sim))) return ZW_OK;
    zr_keep_trace(sim, &run->solving);
    zw_status status = zi_locate(s, &seams->watch, s->t_old, &was, seams->locator, &found);
    zr_put_back_trace(sim, &run->solving);
    run->solving.suspects = false;
    ZB_TRY(status);
    double least = shortest_way * fmax(s->t - run->record.start_t, fabs(s->t));
    seams->pending = found.found && found.t < until && found.t - s->t_old > least;
    seams->t = found.t;
    return ZW_OK;
}

/* -------------------------------------------------------------------------- noting */

/* Spans are those of any conflict. */
static void note_span(zr_seams *seams, bool any, double t)
{
    if (any == seams->was_any) return;
    zr_span *last =
        seams->span_count <= zr_most_spans ? &seams->spans[seams->span_count - 1] : NULL;
    if (any && ++seams->span_count <= zr_most_spans)
        seams->spans[seams->span_count - 1] = (zr_span){t, (double)NAN};
    else if (!any && last)
        last->to = t;
}

/* When rows first contradicted each other, by how much at most, and which of them ever did. */
static void note_sizes(zw_sim *sim, double t)
{
    zr_motion *run = sim->run;
    if (isnan(run->stats.first_inconsistent)) run->stats.first_inconsistent = t;
    run->stats.inconsistency = fmax(run->stats.inconsistency, run->solving.lost);
    for (int32_t i = 0; i < sim->zm->m; i++) {
        if (!run->solving.conflicting[i]) continue;
        run->record.ever_conflicting[i] = true;
        run->record.conflict_size[i] =
            fmax(run->record.conflict_size[i], fabs(run->solving.inconsistency[i]));
    }
}

/* Whether a row at sim->level is off by more than a step may be. */
static bool is_row_left_off(const zw_sim *sim, int32_t i)
{
    const zw_run_settings *set = &sim->run->settings;
    int32_t m = sim->zm->m;
    const double *level = sim->level + i;
    bool position = sim->row_kind[i] == ZM_HOLONOMIC &&
                    !(fabs(level[0]) <= set->abs_tol + set->tol * level[2 * m]);
    return position || !(fabs(level[m]) <= set->abs_tol + set->tol * level[3 * m]);
}

/* Row i is no longer in a conflict: what is left of it at sim->level. */
static void release_row(zw_sim *sim, int32_t i, double t)
{
    zr_motion *run = sim->run;
    zr_seams *seams = &run->seams;
    bool off = is_row_left_off(sim, i);
    run->solving.out[i] = off;
    if (!off) return;
    seams->left[i] = sim->row_kind[i] == ZM_HOLONOMIC ? sim->level[i] : 0.0;
    seams->left_rate[i] = sim->level[sim->zm->m + i];
    seams->left_t[i] = t;
}

/* Which rows the projection leaves out from here on. */
static void choose_rows_out(zw_sim *sim, double t, const zk_source *s)
{
    zr_motion *run = sim->run;
    zr_seams *seams = &run->seams;
    const bool *now = run->solving.conflicting, any = run->solving.any_conflicting;
    zr_evaluate_levels(sim, s);
    run->solving.any_out = false;
    for (int32_t i = 0; i < sim->zm->m; i++) {
        bool in = any && now[i], was = seams->was_any && seams->was[i];
        if (sim->row_kind[i] == ZM_ACCELERATION) continue;
        if (in)
            run->solving.out[i] = true;
        else if (was)
            release_row(sim, i, t);
        run->solving.any_out = run->solving.any_out || run->solving.out[i];
    }
}

void zr_note_conflicts(zw_sim *sim, double t, const double *q, const double *v)
{
    zr_motion *run = sim->run;
    zr_seams *seams = &run->seams;
    bool any = run->solving.any_conflicting;
    if (!any && !seams->was_any) return;
    if (any) note_sizes(sim, t);
    if (!do_conflicts_differ(sim)) return;
    zk_source s = zr_source(sim, t, q, v);
    note_span(seams, any, t);
    choose_rows_out(sim, t, &s);
    seams->was_any = any;
    if (any) memcpy(seams->was, run->solving.conflicting, sizeof(bool) * (size_t)sim->zm->m);
}

bool zr_has_left_rows(const zw_sim *sim)
{
    for (int32_t i = 0; i < sim->zm->m; i++)
        if (!isnan(sim->run->seams.left_t[i])) return true;
    return false;
}

/* ------------------------------------------------------------------------ crossing */

/* Conditions of events at run->step.y: none of them has turned before. */
static zw_status look_at_events_here(zw_sim *sim, double t)
{
    zr_motion *run = sim->run;
    const double *y = run->step.y;
    if (run->events.watch.count == 0) return ZW_OK;
    return zr_look_at_events(sim, t, y, y + sim->zm->n, run->events.truth, run->events.gap);
}

/* Rows that were left off and hold again: an event has set them right. */
static void readmit_rows(zw_sim *sim, const zk_source *s)
{
    zr_solving *solving = &sim->run->solving;
    if (!solving->any_out) return;
    zr_evaluate_levels(sim, s);
    solving->any_out = false;
    for (int32_t i = 0; i < sim->zm->m; i++) {
        bool in = solving->any_conflicting && solving->conflicting[i];
        solving->out[i] = solving->out[i] && (in || is_row_left_off(sim, i));
        solving->any_out = solving->any_out || solving->out[i];
    }
}

/* After a change that is no step: which rows are in a conflict at run->step.y. */
zw_status zr_renew_conflicts(zw_sim *sim, double t)
{
    const double *y = sim->run->step.y;
    if (sim->run->seams.watch.count == 0) return ZW_OK;
    zk_source s = zr_source(sim, t, y, y + sim->zm->n);
    ZB_TRY(ask_for_conflicts(sim, t, y));
    zr_note_conflicts(sim, t, y, y + sim->zm->n);
    readmit_rows(sim, &s);
    return ZW_OK;
}

/* The rows that were kept to until here still hold at the seam. */
zw_status zr_cross_seam(zw_sim *sim)
{
    zr_motion *run = sim->run;
    double t = run->seams.t;
    run->seams.pending = false;
    zr_wake_roads(&run->solving);
    ZB_TRY(zr_read_state_inside(sim, t));
    ZB_TRY(zr_renew_conflicts(sim, t));
    ZB_TRY(look_at_events_here(sim, t));
    ZB_TRY(zr_restart(sim, t));
    run->solving.on_constraints = true;
    return ZW_OK;
}
