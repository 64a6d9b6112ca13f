/*
 * Positions that cannot meet all holonomic rows, in a run that accepts that: from the start on, or
 * from the moment at which a drive has turned a linkage into its *lock*. There the velocities that
 * the rows ask for grow without bound and the step size falls; a moment later no position meets the
 * rows any more. The motion goes on at the compromise of least squares (compromise.c).
 */
#include <math.h>
#include <string.h>

#include "run.h"

static const double moment = 1e-6; /* of the span of the run: over a lock */

/* The span of the run, about. */
static double find_span(const zw_sim *sim)
{
    double until = sim->run->settings.until, span = until - sim->t;
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

/* Only where no position meets the rows a moment later; at a singular place that a motion may pass
 * there is one. */
bool zr_goes_on_at_compromise(zw_sim *sim, zw_status failed)
{
    zr_motion *run = sim->run;
    zi_stepper *s = run->step.stepper;
    int32_t n = sim->zm->n;
    double *y = run->step.y, t = s->t + moment * find_span(sim);
    bool asked = failed == ZW_ERR_STEP || failed == ZW_ERR_ACCURACY;
    bool can = sim->solver->compromise && !run->step.in_lanes && !run->ending.interrupted;
    if (!asked || !can || zr_on_compromise(sim)) return false;
    if (!isnan(run->settings.until) && !(t < run->settings.until)) return false;
    if (zr_inner_state(sim, s->t) != ZW_OK) return false;
    if (!zr_enter_compromise(sim, t, y, y + n, true)) return false;
    if (!is_any_row_off(sim)) {
        zr_set_compromise(sim, false);
        return false;
    }
    run->record.locked_t = s->t;
    if (run->stats.first_unsure >
        s->t - moment * find_span(sim)) /* it was the lock, not a branch */
        run->stats.first_unsure = (double)NAN;
    mark_locked_rows(sim);
    leave_rows_to_compromise(sim);
    run->seams.near = false;
    zr_set_end_of_steps(sim);
    return zr_restart(sim, t) == ZW_OK;
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
