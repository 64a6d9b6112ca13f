/*
 * Positions that cannot meet all holonomic rows, in a run that accepts that: from the start on, or
 * from the moment at which a drive has turned a linkage into its *lock*. There the velocities that
 * the rows ask for grow without bound and the step size falls; a moment later no position meets the
 * rows any more. The motion goes on at the compromise of least squares (compromise.c).
 */
#include <math.h>
#include <string.h>

#include "run.h"

static const double moments[] = {1e-6, 1e-5, 1e-4, 1e-3}; /* of the span of the run: over a lock */

/* The span of the run, about. */
static double find_span(const zw_sim *sim)
{
    double until = sim->run->settings.until, span = until - sim->run->record.start_t;
    return isfinite(span) && span > 0.0 ? span : 1.0;
}

/* All holonomic rows are met in the sense of least squares: none of them is held against the run.
 */
static void leave_rows_to_compromise(zw_sim *sim)
{
    zr_solving *solving = &sim->run->solving;
    for (int32_t i = 0; i < sim->zm->m; i++)
        solving->out[i] = solving->out[i] || sim->row_kind[i] == ZM_HOLONOMIC;
    solving->any_out = true;
    solving->asks_fused = false;
}

static bool has_position_conflict(const zw_sim *sim)
{
    for (int32_t k = 0; k < sim->start.conflicts.count; k++)
        if (sim->start.conflicts.list[k].level == ZR_POSITION) return true;
    return false;
}

zw_status zr_begin_at_compromise(zw_sim *sim)
{
    zr_motion *run = sim->run;
    bool accept = run->settings.accept_inconsistent || sim->zm->simulate.accept_inconsistent;
    bool usual = run->settings.stabilize == ZW_PROJECT && run->settings.form == ZW_FORM_GAUSS;
    if (!accept || !usual) return ZW_OK;
    ZB_TRY(zr_open_compromise(sim, &run->arena, find_span(sim)));
    if (!has_position_conflict(sim) || !zr_enter_compromise(sim, sim->t, sim->q, sim->v, false))
        return ZW_OK;
    leave_rows_to_compromise(sim);
    zr_remember_start(sim);
    return ZW_OK;
}

/* Rows that are off at sim->level, beside the one that is most. */
static void mark_locked_rows(zw_sim *sim)
{
    zr_motion *run = sim->run;
    double largest = 0.0;
    for (int32_t i = 0; i < sim->zm->m; i++)
        if (sim->row_kind[i] == ZM_HOLONOMIC) largest = fmax(largest, fabs(sim->level[i]));
    for (int32_t i = 0; i < sim->zm->m; i++)
        run->record.locked[i] =
            sim->row_kind[i] == ZM_HOLONOMIC && fabs(sim->level[i]) > 1e-6 * largest;
}

/* Whether some row is off at sim->level by more than rounding: there is no position that meets all.
 */
static bool is_any_row_off(const zw_sim *sim)
{
    int32_t m = sim->zm->m;
    for (int32_t i = 0; i < m; i++)
        if (sim->row_kind[i] == ZM_HOLONOMIC && fabs(sim->level[i]) > 1e-11 * sim->level[2 * m + i])
            return true;
    return false;
}

/* run->step.y becomes the compromise at t, from the end of the last step. Only where no position
 * meets the rows there; at a singular place that a motion may pass there is one. */
static bool find_compromise_at(zw_sim *sim, double t)
{
    zr_motion *run = sim->run;
    double *y = run->step.y;
    if (!isnan(run->settings.until) && !(t < run->settings.until)) return false;
    if (zr_inner_state(sim, run->step.stepper->t) != ZW_OK) return false;
    if (!zr_enter_compromise(sim, t, y, y + sim->zm->n, true)) return false;
    if (is_any_row_off(sim)) return true;
    zr_set_compromise(sim, false);
    return false;
}

/* Whether a failure may be a lock; or it came right behind one that was crossed, so close that rates
 * are rounding: then it is crossed again, a little later. */
static bool may_be_lock(const zw_sim *sim, zw_status failed)
{
    const zr_motion *run = sim->run;
    bool asked = failed == ZW_ERR_STEP || failed == ZW_ERR_ACCURACY;
    bool can = sim->solver->compromise && !run->step.in_lanes && !run->ending.interrupted;
    bool again = run->step.stepper->t <= run->record.lock_entry; /* NaN: there was none */
    return asked && can && (!zr_on_compromise(sim) || again);
}

/* The motion goes on at the compromise at t, which run->step.y is, after a lock at `from`. */
static zw_status go_on_behind_lock(zw_sim *sim, double from, double t)
{
    zr_motion *run = sim->run;
    run->record.locked_t = from;
    run->record.lock_entry = t;
    if (run->stats.first_unsure > from - moments[0] * find_span(sim)) /* the lock, not a branch */
        run->stats.first_unsure = (double)NAN;
    mark_locked_rows(sim);
    leave_rows_to_compromise(sim);
    run->seams.near = run->step.bad_start = run->step.bad_end = false;
    zr_set_end_of_steps(sim);
    return zr_restart(sim, t);
}

bool zr_goes_on_at_compromise(zw_sim *sim, zw_status failed)
{
    enum { count = sizeof moments / sizeof *moments };
    zr_motion *run = sim->run;
    if (!may_be_lock(sim, failed)) return false;
    bool again = zr_on_compromise(sim);
    double from = again ? run->record.locked_t : run->step.stepper->t;
    zr_set_compromise(sim, false);
    for (int k = 0; k < count; k++) {
        double t = from + moments[k] * find_span(sim);
        if (again && t <= run->record.lock_entry) continue;
        if (find_compromise_at(sim, t)) return go_on_behind_lock(sim, from, t) == ZW_OK;
    }
    zr_set_compromise(sim, again);
    return false;
}

int32_t zr_text_locked(const zw_sim *sim, zb_text *text)
{
    int32_t last = -1;
    zr_name_ranges runs;
    zr_name_ranges_init(&runs, sim->memory);
    for (int32_t i = 0; i < sim->zm->m; i++) {
        if (!sim->run->record.locked[i]) continue;
        zr_text_row(sim->model, i, &runs.name);
        zr_name_ranges_add(&runs, "");
        last = i;
    }
    zr_name_ranges_list(&runs, 6, " and ", text);
    if (runs.failure != ZW_OK) text->failure = runs.failure;
    zr_name_ranges_free(&runs);
    return last;
}
