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
 *     |-- step ----------|      it led across a seam: found at its end, located, and
 *     |-- step --||-- step --   made again up to there; from there on with other rows
 *
 * After each step the rows in conflict at its end are compared with those at its beginning; where
 * they differ, or where stages have seen rows contradict each other in between, the seam is located
 * as an event is (motion/events). The step is given up: accelerations may jump at the seam, and what
 * has passed a jump is as good as the tolerance at most. Systems whose rows are independent have
 * none of this.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "motors.h"
#include "run.h"

/* Parts of the time that has passed: a step to a seam is longer; seams that follow each other
 * sooner are counted, and after some of them steps are taken as they come. */
static const double shortest_way = 1e-14, soon = 1e-10;
enum { most_tries = 7 };

/* ------------------------------------------------------------------------- looking */

/* Whether the last answer found other rows in a conflict than there were when the step began. */
static bool do_conflicts_differ(const zw_sim *sim)
{
    const zr_motion *run = sim->run;
    const zr_solving *now = &run->solving;
    if (now->any_conflicting != run->seams.was_any) return true;
    if (sim->drive && zr_do_motors_differ(sim)) return true;
    if (!now->any_conflicting) return false;
    return memcmp(now->conflicting, run->seams.was, sizeof(bool) * (size_t)sim->zm->m) != 0;
}

/* An acceleration at a state on the constraints, for what it finds of conflicts. Roads that do not
 * serve while rows are in conflict are asked, whatever was found before: each has its own limit of
 * what is none, and a search must find at a place what is found there later. */
static zw_status ask_for_conflicts(zw_sim *sim, double t, const double *state)
{
    zr_solving *solving = &sim->run->solving;
    zk_source s = zr_source(sim, t, state, state + sim->zm->n);
    zr_wanted wanted = {.at = &s, .z = sim->run->step.z};
    solving->on_constraints = true;
    solving->any_conflicting = false;
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

/* Rows on positions alone that depend on each other wherever they hold agree there for ever. */
static bool may_rows_part(const zw_sim *sim)
{
    if (zr_possible_powers(sim->model) & (1u << ZR_IDEAL)) return true;
    for (int32_t i = 0; i < sim->zm->m; i++)
        if (sim->row_kind[i] != ZM_HOLONOMIC) return true;
    return false;
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
    seams->was_side = ZB_NEW_ARRAY(&run->arena, int8_t, (size_t)sim->zm->motor_count);
    seams->motors = ZB_NEW_ARRAY(&run->arena, zr_motor_spans, (size_t)sim->zm->motor_count);
    bool limited = sim->model->motors && sim->model->motors->limited;
    if (!limited && (sim->contacts || run->solving.generic_rank >= zr_rows_on(sim))) return ZW_OK;
    run->solving.may_part = limited || may_rows_part(sim);
    seams->watch = (zi_watch){.count = 1, .user = sim, .look = look_at_conflicts};
    size_t room = zi_locator_size(&seams->watch, run->step.stepper->system.size);
    seams->locator = ZB_NEW_ARRAY(&run->arena, double, room);
    seams->state = ZB_NEW_ARRAY(&run->arena, double, 2 * n);
    return run->arena.failure;
}

/* The first seam in the last step; false: there is none. */
static zw_status find_seam(zw_sim *sim, double *t, bool *found)
{
    zr_motion *run = sim->run;
    zi_stepper *s = run->step.stepper;
    bool was = false, turned = false, truth = false;
    zi_detection detection = {.turned = &turned, .truth = &truth};
    zr_keep_trace(sim, &run->solving);
    zw_status status =
        zi_locate(s, &run->seams.watch, s->t_old, &was, run->seams.locator, &detection);
    zr_put_back_trace(sim, &run->solving);
    run->solving.suspects = false;
    *t = detection.t;
    *found = status == ZW_OK && detection.found;
    return status;
}

/* -------------------------------------------------------------------------- noting */

/* Spans are those of any conflict. */
static void note_span(zr_seams *seams, bool any, double t)
{
    if (any == seams->spanning) return;
    seams->spanning = any;
    bool listed = seams->span_count > 0 && seams->span_count <= zr_most_spans;
    zr_span *last = listed ? &seams->spans[seams->span_count - 1] : NULL;
    if (any && ++seams->span_count <= zr_most_spans)
        seams->spans[seams->span_count - 1] = (zr_span){t, (double)NAN};
    else if (!any && last)
        last->to = t;
}

/* The pull of row i in a conflict, |(W r)_i| |A_i|: pulls of all its rows are in balance, whatever
 * their weights, where a heavy row may be off by next to nothing. */
static double find_pull(const zw_sim *sim, int32_t i)
{
    const zr_pattern *W = &sim->model->W, *A = &sim->model->A;
    const double *r = sim->run->solving.inconsistency;
    double sum = 0.0, square = 0.0;
    if (W->rows == 0)
        sum = r[i];
    else
        for (int32_t k = W->start[i]; k < W->start[i + 1]; k++) sum += sim->W[k] * r[W->column[k]];
    for (int32_t k = A->start[i]; k < A->start[i + 1]; k++) square += sim->A[k] * sim->A[k];
    return fabs(sum) * sqrt(square);
}

/* When rows first contradicted each other, by how much at most, and which of them ever did. Those
 * that only pull have a size, too, and are named. */
static void note_sizes(zw_sim *sim, double t)
{
    zr_motion *run = sim->run;
    double most = 0.0;
    if (isnan(run->stats.first_inconsistent)) run->stats.first_inconsistent = t;
    run->stats.inconsistency = fmax(run->stats.inconsistency, run->solving.lost);
    for (int32_t i = 0; i < sim->zm->m; i++) most = fmax(most, find_pull(sim, i));
    for (int32_t i = 0; i < sim->zm->m; i++) {
        bool conflicting = run->solving.conflicting[i];
        if (!conflicting && !(find_pull(sim, i) > 1e-6 * most)) continue;
        if (conflicting) run->record.ever_conflicting[i] = true;
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

void zr_leave_driven_rows(zw_sim *sim, double t, const double *q, const double *v)
{
    zr_solving *solving = &sim->run->solving;
    const struct zr_motors *motors = sim->model->motors;
    zk_source s = zr_source(sim, t, q, v);
    if (!motors || !sim->run->seams.left) return;
    zr_evaluate_levels(sim, &s);
    for (int32_t k = 0; k < motors->rows; k++) {
        int32_t i = motors->row[k];
        if (sim->row_kind[i] == ZM_ACCELERATION || solving->out[i]) continue;
        release_row(sim, i, t);
        solving->any_out = solving->any_out || solving->out[i];
    }
}

void zr_note_conflicts(zw_sim *sim, double t, const double *q, const double *v)
{
    zr_motion *run = sim->run;
    zr_seams *seams = &run->seams;
    bool any = run->solving.any_conflicting, conflict = any && zr_is_conflict(sim);
    seams->ever_behind = seams->ever_behind || run->solving.behind;
    if (sim->drive && zr_do_motors_differ(sim)) zr_note_motors(sim, t);
    if (!any && !seams->was_any) return;
    if (conflict) note_sizes(sim, t);
    if (any == seams->was_any && (!any || memcmp(run->solving.conflicting, seams->was,
                                                 sizeof(bool) * (size_t)sim->zm->m) == 0))
        return;
    zk_source s = zr_source(sim, t, q, v);
    note_span(seams, conflict, t);
    choose_rows_out(sim, t, &s);
    seams->was_any = any;
    if (any) memcpy(seams->was, run->solving.conflicting, sizeof(bool) * (size_t)sim->zm->m);
}

/* One row alone gives way to others that have so much more weight that they do not move. */
int32_t zr_text_demands(const zw_sim *sim, zb_text *text)
{
    int32_t count = 0, last = zr_text_conflict(sim, text);
    for (int32_t i = 0; i < sim->zm->m; i++) count += sim->run->record.conflict_size[i] > 0.0;
    zb_text_add(text, count == 1 ? " asks for an acceleration that rows of more weight contradict "
                                 : " ask for accelerations that contradict each other ");
    return last;
}

bool zr_has_left_rows(const zw_sim *sim)
{
    for (int32_t i = 0; i < sim->zm->m; i++)
        if (!isnan(sim->run->seams.left_t[i])) return true;
    return false;
}

/* ------------------------------------------------------------------------ crossing */

/* Events that turn true while the seam is crossed wait right behind it. */
static zw_status find_events_between(zw_sim *sim, double t)
{
    zr_firing *events = &sim->run->events;
    const double *y = sim->run->step.y;
    if (events->watch.count == 0) return ZW_OK;
    ZB_TRY(zr_look_at_events(sim, t, y, y + sim->zm->n, events->seen, events->gap));
    events->pending = false;
    for (int32_t e = 0; e < events->watch.count; e++) {
        events->turned[e] = events->seen[e] && !events->truth[e];
        events->pending = events->pending || events->turned[e];
    }
    events->pending_t = t;
    if (!events->pending) memcpy(events->truth, events->seen, (size_t)events->watch.count);
    return ZW_OK;
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
        bool right = solving->out[i] && !in && !is_row_left_off(sim, i);
        if (right) sim->run->seams.left_t[i] = (double)NAN;
        solving->out[i] = solving->out[i] && !right;
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

void zr_set_end_of_steps(zw_sim *sim)
{
    const zr_motion *run = sim->run;
    double end = isnan(run->settings.until) ? HUGE_VAL : run->settings.until;
    if (run->switching.count > 0) end = fmin(end, run->switching.next);
    if (run->step.longest > 0.0) end = fmin(end, run->step.stepper->t + run->step.longest);
    if (run->seams.near) end = fmin(end, nextafter(run->seams.t, -HUGE_VAL));
    run->step.stepper->settings.end = end;
}

/* The last step was not: everything is as at its beginning, and the next one is as long at most. */
static zw_status go_back(zw_sim *sim)
{
    zr_motion *run = sim->run;
    zi_stepper *s = run->step.stepper;
    double h = s->t - s->t_old;
    if (run->events.watch.count > 0)
        memcpy(run->events.truth, run->events.before, (size_t)run->events.watch.count);
    s->counts.steps--;
    s->counts.rejected++;
    run->switching.decided = false;
    run->solving.any_conflicting = run->seams.was_any;
    if (run->seams.was_any)
        memcpy(run->solving.conflicting, run->seams.was, sizeof(bool) * (size_t)sim->zm->m);
    if (sim->drive) memcpy(run->solving.side, run->seams.was_side, (size_t)sim->zm->motor_count);
    zr_wake_roads(&run->solving);
    ZB_TRY(zi_restart(s, s->t_old, s->y_old));
    s->h = h;
    return ZW_OK;
}

/* The state at the end of the last step, a little later: straight on to t, into run->step.y. */
static zw_status go_straight_on(zw_sim *sim, double t)
{
    zr_motion *run = sim->run;
    int32_t n = sim->zm->n;
    double *y = run->step.y, from = run->step.stepper->t;
    ZB_TRY(zr_inner_state(sim, from));
    ZB_TRY(ask_for_conflicts(sim, from, y));
    for (int32_t j = 0; j < n; j++) {
        y[j] += (t - from) * y[n + j];
        y[n + j] += (t - from) * run->step.z[j];
    }
    return ZW_OK;
}

/* How far to go over a seam: some units in the last place of time, more where that has not been
 * enough, for a condition may hang on the last digits of the state. A conflict that grows slowly
 * hangs on what dense output is off by: then a part of the step that was given up, of which the
 * square is rounding. */
static double way_across(const zr_motion *run)
{
    const zr_seams *seams = &run->seams;
    double unit = DBL_EPSILON * fmax(fabs(seams->t), 1e-3 * (seams->t - run->record.start_t));
    double way = ldexp(unit, 2 + 2 * seams->tries);
    if (seams->tries < 2) return way;
    return fmax(way, ldexp(seams->given_up, 4 * seams->tries - 54));
}

/* Over the seam, from its last moment before. Which rows are in a conflict behind it is then found,
 * and the stepper starts anew. */
zw_status zr_cross_seam(zw_sim *sim)
{
    zr_motion *run = sim->run;
    if (run->seams.pending) run->events.pending = run->seams.pending = false;
    double until = isnan(run->settings.until) ? HUGE_VAL : run->settings.until;
    double t = fmin(run->seams.t + way_across(run), until);
    run->seams.near = run->switching.decided = false;
    run->seams.last = t;
    zr_set_end_of_steps(sim);
    ZB_TRY(go_straight_on(sim, t));
    ZB_TRY(zr_renew_conflicts(sim, t));
    ZB_TRY(find_events_between(sim, t));
    ZB_TRY(zr_restart(sim, t));
    run->solving.on_constraints = true;
    return sim->drive && sim->contacts ? zr_touch_again(sim) : ZW_OK;
}

/* The last step led across a seam at t: again, up to there; where it begins there, over it. */
static zw_status approach_seam(zw_sim *sim, double t)
{
    zr_motion *run = sim->run;
    zr_seams *seams = &run->seams;
    double passed = fmax(t - run->record.start_t, fabs(t));
    bool again = seams->near || t - seams->last <= soon * passed;
    if (!again) seams->given_up = run->step.stepper->t - run->step.stepper->t_old;
    ZB_TRY(go_back(sim));
    seams->tries = again ? seams->tries + 1 : 0;
    seams->t = t;
    seams->near = nextafter(t, -HUGE_VAL) > run->step.stepper->t + shortest_way * passed;
    if (!seams->near) return zr_cross_seam(sim);
    zr_set_end_of_steps(sim);
    run->step.stepper->h =
        fmin(run->step.stepper->h, run->step.stepper->settings.end - run->step.stepper->t);
    return ZW_OK;
}

/* Steps that end at a seam, and steps that led across one. */
zw_status zr_mind_seams(zw_sim *sim, bool *back)
{
    zr_motion *run = sim->run;
    zr_seams *seams = &run->seams;
    bool suspects = run->solving.suspects, found = false;
    double t = 0.0, until = run->events.pending ? run->events.pending_t : HUGE_VAL;
    run->solving.suspects = false;
    if (seams->watch.count == 0) return ZW_OK;
    /* a method that has the rates of the end already, or never asks there, has not asked on the constraints */
    if (run->solving.on_constraints || !run->step.stepper->method->pair)
        ZB_TRY(ask_for_conflicts(sim, run->step.stepper->t, zr_end_state(sim)));
    bool differ = do_conflicts_differ(sim);
    if ((differ || suspects) && seams->tries < most_tries) ZB_TRY(find_seam(sim, &t, &found));
    if (found && t < until) {
        *back = true;
        run->events.pending = run->switching.pending = false;
        return approach_seam(sim, t);
    }
    if (run->step.stepper->t - seams->last > soon * fabs(run->step.stepper->t)) seams->tries = 0;
    bool there = seams->near && !(run->step.stepper->t < nextafter(seams->t, -HUGE_VAL));
    if (!there || until < HUGE_VAL) return ZW_OK;
    zr_watch_step(sim);
    *back = true; /* what lies inside this step is shown before it is left */
    seams->pending = run->events.pending = true;
    run->events.pending_t = run->step.stepper->t;
    return ZW_OK;
}
