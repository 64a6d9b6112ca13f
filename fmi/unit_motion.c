/*
 * Motion of a unit. Co-Simulation: a run with the settings of the model and the tolerance of the
 * experiment; between communication points inputs stay. Model Exchange: accelerations at the state
 * that the importer has set, and the way back onto the constraints.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

/* A step from where the last one ended; the importer may have added up times in another way. */
static const double close_enough = 1e-9;

/* ------------------------------------------------------------------- Co-Simulation */

/* zw_poll_fn: goes on until something happens, where the importer wants to hear of it. */
static bool go_on(void *user, const zw_progress *progress)
{
    const unit *u = user;
    (void)progress;
    return !u->event_mode || !u->early || zw_sim_happened_count(u->sim) == u->happened;
}

unit_status unit_begin(unit *u)
{
    zw_run_settings settings;
    zw_status status = zw_run_defaults(u->model, &settings);
    if (status != ZW_OK) return unit_judge(u, status, "the settings");
    settings.until = (double)NAN; /* the importer knows */
    settings.method = fmu_method(settings.method);
    settings.accept_inconsistent = settings.accept_inconsistent || u->accept;
    if (!isnan(u->tol)) settings.tol = u->tol;
    settings.poll = go_on;
    settings.user = u;
    status = zw_sim_set_state(u->sim, u->t, u->q, u->v);
    if (status == ZW_OK) status = zw_sim_begin(u->sim, &settings);
    u->begun = status == ZW_OK;
    return unit_judge(u, status, "the run does not begin");
}

/* The state is where the run got to, whatever came of it. */
static unit_status advance(unit *u, double to, unit_step *came_to)
{
    zw_outcome outcome = ZW_REACHED;
    zw_status status = zw_sim_advance(u->sim, to, &outcome);
    (void)zw_sim_state(u->sim, &u->t, u->q, u->v);
    u->solved = u->shown = false;
    came_to->over = u->over = status == ZW_OK && outcome == ZW_STOPPED;
    came_to->event = zw_sim_happened_count(u->sim) != u->happened;
    if (status != ZW_OK) (void)zw_sim_conclude(u->sim); /* says why */
    return unit_judge(u, status, "a step");
}

unit_status unit_advance(unit *u, double from, double step, unit_step *came_to)
{
    double to = from + step;
    *came_to = (unit_step){0};
    if (u->over) return unit_say(u, UNIT_ERROR, "the model has stopped: no step goes beyond that");
    if (!(step > 0.0) || !isfinite(to))
        return unit_say(u, UNIT_ERROR, "the size of a step has to be above 0");
    if (!(fabs(from - u->t) <= close_enough * fmax(step, fabs(from))))
        return unit_say(u, UNIT_ERROR, "a step begins where the last one ended");
    unit_status status = u->begun ? UNIT_OK : unit_begin(u);
    if (status != UNIT_OK) return status;
    u->happened = zw_sim_happened_count(u->sim);
    return to > u->t ? advance(u, to, came_to) : UNIT_OK;
}

/* ------------------------------------------------------------------ Model Exchange */

unit_status unit_accelerate(unit *u)
{
    if (u->solved) return UNIT_OK;
    zw_gauss_answer answer = {.acceleration = u->z};
    zw_status status = u->begun ? zw_sim_solve(u->sim, &answer)
                                : zw_sim_acceleration(u->sim, u->t, u->q, u->v, u->z);
    u->solved = status == ZW_OK;
    return unit_judge(u, status, "the accelerations");
}

unit_status unit_set_time(unit *u, double t)
{
    if (!isfinite(t)) return unit_say(u, UNIT_ERROR, "the time is not finite");
    if (t != u->t) u->solved = u->shown = false;
    u->t = t;
    return UNIT_OK;
}

static unit_status check_count(const unit *u, size_t count)
{
    return count == 2 * (size_t)u->layout.n
               ? UNIT_OK
               : unit_say(u, UNIT_ERROR, "this is not the number of continuous states");
}

unit_status unit_set_states(unit *u, const double *x, size_t count)
{
    unit_status status = check_count(u, count);
    for (size_t i = 0; i < count && status == UNIT_OK; i++)
        if (!isfinite(x[i])) return unit_say(u, UNIT_DISCARD, "a state is not finite");
    if (status != UNIT_OK || count == 0) return status;
    memcpy(u->q, x, count * sizeof *x); /* v lies behind q */
    u->solved = u->shown = false;
    return UNIT_OK;
}

unit_status unit_get_states(unit *u, double *x, size_t count)
{
    unit_status status = check_count(u, count);
    if (status == UNIT_OK) status = unit_start(u);
    if (status == UNIT_OK && count > 0) memcpy(x, u->q, count * sizeof *x);
    return status;
}

unit_status unit_get_rates(unit *u, double *x, size_t count)
{
    unit_status status = check_count(u, count);
    if (status == UNIT_OK) status = unit_start(u);
    if (status == UNIT_OK) status = unit_accelerate(u);
    if (status == UNIT_OK && count > 0) memcpy(x, u->v, count * sizeof *x); /* z behind v */
    return status;
}

/* The largest number, at least 1: what values are compared with. */
static double find_size(const double *x, int32_t count)
{
    double size = 1.0;
    for (int32_t i = 0; i < count; i++) size = fmax(size, fabs(x[i]));
    return size;
}

unit_status unit_look_for_drift(unit *u, bool *drifted)
{
    zw_run_settings settings;
    zw_instant instant = {.value = u->value, .rate = u->rate};
    int32_t m = zw_model_row_count(u->model);
    zw_status status = zw_run_defaults(u->model, &settings);
    *drifted = false;
    if (status == ZW_OK) status = zw_sim_set_state(u->sim, u->t, u->q, u->v);
    if (status == ZW_OK && m > 0) status = zw_sim_instant(u->sim, &instant);
    if (status != ZW_OK) return unit_judge(u, status, "the constraints");
    double tol = isnan(u->tol) ? settings.tol : u->tol;
    double place = tol * find_size(u->q, u->layout.n), speed = tol * find_size(u->v, u->layout.n);
    for (int32_t i = 0; i < m; i++) {
        if (fabs(u->value[i]) > place || fabs(u->rate[i]) > speed) *drifted = true; /* NaN: none */
    }
    return UNIT_OK;
}

unit_status unit_bring_back(unit *u, bool *changed)
{
    unit_status status = unit_look_for_drift(u, changed);
    if (status != UNIT_OK || !*changed) return status;
    zw_status projected = zw_sim_project(u->sim);
    if (projected == ZW_OK) projected = zw_sim_state(u->sim, NULL, u->q, u->v);
    u->solved = u->shown = false;
    return unit_judge(u, projected, "the way back onto the constraints");
}
