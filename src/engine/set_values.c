/*
 * Setting numbers by handle (handles.h). Without a run they are set, and what was computed from
 * them is computed again. In a run, which goes on:
 *
 *     1. what waits at this moment happens
 *     2. the energy before; the new numbers, and those that follow from them
 *     3. onto the constraints, where these have moved; contacts settle anew
 *     4. the energy after: the difference is on the ledger
 *     5. the stepper forgets the rates it knew; switches look for their sides, clocks are wound
 *     6. conditions that the new numbers have turned true fire
 *
 * Steps have ended at the time at hand (run->step.ends_asked), so nothing lies beyond it. Nothing is
 * allocated, but for the message where constraints cannot be met.
 */
#include <math.h>
#include <string.h>

#include "handles.h"
#include "messages.h"
#include "run.h"
#include "trouble.h"

/* ---------------------------------------------------------------------------- numbers */

static bool changes_anything(const zw_sim *sim, const zr_handle *handle, const double *values)
{
    for (int32_t k = 0; k < handle->count; k++)
        if (sim->values[handle->first + k] != values[k] || !sim->overridden[handle->first + k])
            return true;
    return false;
}

/* All parameters, so that a change can be taken back. */
static void keep_numbers(zw_sim *sim)
{
    size_t count = (size_t)sim->zm->parameter_count;
    memcpy(sim->handles->kept, sim->values, sizeof(double) * count);
    memcpy(sim->handles->kept_overridden, sim->overridden, sizeof(bool) * count);
}

static void put_numbers_back(zw_sim *sim)
{
    size_t count = (size_t)sim->zm->parameter_count;
    memcpy(sim->values, sim->handles->kept, sizeof(double) * count);
    memcpy(sim->overridden, sim->handles->kept_overridden, sizeof(bool) * count);
    zr_renew_parameters(sim);
}

static void write_numbers(zw_sim *sim, const zr_handle *handle, const double *values)
{
    for (int32_t k = 0; k < handle->count; k++) {
        sim->values[handle->first + k] = values[k];
        sim->overridden[handle->first + k] = true;
    }
    if (handle->followed)
        zm_recompute_at(sim->zm, sim->overridden, sim->handles->scratch, sim->values);
    zr_renew_parameters(sim);
}

/* --------------------------------------------------------------------------- refusals */

/* E0752: the element that is no number. */
static zw_status report_bad_number(zw_sim *sim, const zr_handle *handle, const double *values)
{
    zb_text text;
    int32_t k = 0;
    while (isfinite(values[k])) k++;
    zb_text_init(&text, sim->memory);
    zb_text_char(&text, '\'');
    zm_parameter_text(sim->zm, handle->first + k, &text);
    zb_text_add(&text, isnan(values[k]) ? "' cannot be set to what is not a number"
                                        : "' cannot be set to infinity");
    zr_message message = {.code = "E0752", .place = zr_nowhere, .help = "look at who computes it"};
    zw_status status = zr_report(sim->model, &message, &text);
    zb_text_free(&text);
    return status == ZW_OK ? ZW_ERR_SETTING : status;
}

/* The row that is farthest off for its terms at y with the new numbers, -1: none is. */
static int32_t find_moved_row(zw_sim *sim, double t, const double *y)
{
    int32_t m = sim->zm->m, which = -1;
    double most = 1e-12;
    zk_source s = zr_source(sim, t, y, y + sim->zm->n);
    zr_evaluate_levels(sim, &s);
    for (int32_t i = 0; i < m; i++) {
        double size = fmax(sim->level[2 * m + i], fabs(sim->level[i]));
        if (sim->row_kind[i] != ZM_HOLONOMIC || !(fabs(sim->level[i]) > most * size)) continue;
        most = fabs(sim->level[i]) / size;
        which = i;
    }
    return which;
}

/* E0751: the numbers that were wanted, and the row that they have moved. */
static zw_status report_unreachable(zw_sim *sim, const zr_handle *handle, const double *values,
                                    int32_t row, double t)
{
    zb_text text;
    zb_text_init(&text, sim->memory);
    zb_text_add(&text, "with ");
    for (int32_t k = 0; k < handle->count && k < 4; k++) {
        if (k > 0) zb_text_add(&text, ", ");
        zm_parameter_text(sim->zm, handle->first + k, &text);
        zb_text_add(&text, " = ");
        zr_text_short(&text, values[k]);
    }
    if (handle->count > 4) zb_text_add(&text, ", ...");
    zb_text_add(&text, row >= 0 ? " the constraint " : " the constraints");
    if (row >= 0) zr_text_row(sim->model, row, &text);
    zb_text_add(&text, " cannot be met from the state at t = ");
    zr_text_short(&text, t);
    zr_message message = {.code = "E0751",
                          .place = row >= 0 ? zr_row_place(sim->model, row) : zr_nowhere,
                          .help = "set it in smaller steps; everything is as it was before"};
    zw_status status = zr_report(sim->model, &message, &text);
    zb_text_free(&text);
    return status == ZW_OK ? ZW_ERR_SETTING : status;
}

/* Coefficients that are negative, restitutions beyond 1: told as at the start, and taken back. */
static zw_status check_new_laws(zw_sim *sim)
{
    if (!sim->contacts) return ZW_OK;
    zr_contact_trouble before = sim->contacts->trouble;
    zw_status status = zr_check_laws(sim);
    sim->contacts->trouble = before;
    if (status == ZW_OK || zr_is_memory(status)) return status;
    put_numbers_back(sim);
    return ZW_ERR_SETTING;
}

/* ---------------------------------------------------------------------------- in a run */

/* What waits where the state is shown: after an interruption. */
static zw_status let_pending_happen(zw_sim *sim)
{
    zr_motion *run = sim->run;
    while (run->events.pending && !run->events.stopped && run->events.pending_t <= sim->t)
        ZB_TRY(zr_do_pending(sim));
    return ZW_OK;
}

static double find_energy(zw_sim *sim, double t)
{
    const double *y = sim->run->step.y;
    zk_source s = zr_source(sim, t, y, y + sim->zm->n);
    zr_energies e;
    zr_energies_at(sim, &s, &e);
    sim->run->stats.energy.scale = fmax(sim->run->stats.energy.scale, e.scale);
    return e.h;
}

/* run->step.y onto rows that have moved; contacts hold nothing meanwhile. */
static zw_status follow_rows(zw_sim *sim, double t)
{
    zr_motion *run = sim->run;
    double *y = run->step.y;
    run->passage.known = false;
    if (!run->step.stepper->system.project) return ZW_OK;
    if (sim->contacts) zr_let_all_go(sim);
    return zr_project(sim, &run->solving, t, y, y + sim->zm->n, false);
}

/* What conditions and clocks know of the old numbers is forgotten. */
static void forget_sides(zr_motion *run)
{
    for (int32_t k = 0; k < run->switching.count; k++) run->switching.moment[k] = (double)NAN;
    run->switching.decided = false;
}

/* Contacts under the sides that switches have with the new numbers. */
static zw_status settle_contacts(zw_sim *sim, const zr_handle *handle)
{
    bool switches = sim->run->switching.count > 0;
    if (switches) ZB_TRY(zr_ready_switches(sim));
    return switches || !handle->moves_rows ? zr_touch_again(sim) : ZW_OK;
}

/* The numbers are there and run->step.y is on the constraints: everybody else looks anew. */
static zw_status go_on_with_numbers(zw_sim *sim, const zr_handle *handle, double t)
{
    zr_motion *run = sim->run;
    forget_sides(run);
    if (sim->contacts && handle->moves_rows) ZB_TRY(zr_touch_set_values(sim, t, run->step.y));
    ZB_TRY(zr_renew_conflicts(sim, t));
    ZB_TRY(zr_renew(sim));
    if (sim->contacts) ZB_TRY(settle_contacts(sim, handle));
    if (sim->contacts || handle->moves_rows) zr_show_state(sim, sim->t, run->step.y);
    return zr_fire_what_turned(sim, t, run->step.y);
}

/* With the state in run->step.y at the end of the last step. */
static zw_status change_numbers(zw_sim *sim, const zr_handle *handle, const double *values)
{
    zr_motion *run = sim->run;
    double t = run->step.stepper->t, lost = run->stats.energy.impacts;
    bool moves = handle->moves_energy || handle->moves_rows;
    ZB_TRY(zr_take_end_state(sim));
    double before = moves ? find_energy(sim, t) : 0.0;
    keep_numbers(sim);
    write_numbers(sim, handle, values);
    ZB_TRY(check_new_laws(sim));
    zr_wake_roads(&run->solving);
    zr_forget_factor(sim);
    if (handle->moves_rows && follow_rows(sim, t) != ZW_OK) {
        ZB_TRY(zr_take_end_state(sim));
        int32_t row = find_moved_row(sim, t, run->step.y);
        put_numbers_back(sim);
        if (sim->contacts) ZB_TRY(zr_touch_set_values(sim, t, run->step.y));
        return report_unreachable(sim, handle, values, row, t);
    }
    run->record.set_count++;
    ZB_TRY(go_on_with_numbers(sim, handle, t));
    if (moves)
        run->stats.energy.inputs +=
            find_energy(sim, t) - before - (run->stats.energy.impacts - lost);
    return ZW_OK;
}

/* A failure of the run, not of the setting, stays with the run. */
static zw_status set_in_run(zw_sim *sim, const zr_handle *handle, const double *values)
{
    zr_motion *run = sim->run;
    zw_status status = let_pending_happen(sim);
    if (status == ZW_OK && run->events.stopped) {
        write_numbers(sim, handle, values);
        return ZW_OK;
    }
    if (status == ZW_OK) status = change_numbers(sim, handle, values);
    if (status != ZW_OK && status != ZW_ERR_SETTING && !zr_is_memory(status)) {
        run->ending.failure = status;
        run->ending.failed_t = sim->t;
    }
    return status;
}

zw_status zr_sim_set_handle(zw_sim *sim, int32_t handle, const double *values)
{
    const zr_handle *h = &sim->handles->list[handle];
    for (int32_t k = 0; k < h->count; k++)
        if (!isfinite(values[k])) return report_bad_number(sim, h, values);
    if (!changes_anything(sim, h, values)) return ZW_OK;
    if (sim->run && sim->run->ending.failure == ZW_OK) return set_in_run(sim, h, values);
    write_numbers(sim, h, values);
    if (sim->contacts) sim->contacts->decided = false;
    return ZW_OK;
}
