/*
 * What the stepper of a run calls: rates y' = (v, z, powers), and the way back onto the
 * constraints at the end of a step. In the order of the model, or, where the system goes by equal
 * parts, in that of the lanes (road_parts.h), y = (q, v) alone; what parts refuse at a state is
 * done in the order of the model, and brought back.
 *
 *     y (lanes) ──ze──▶ y'                    y (lanes) ──unpack──▶ y ──▶ y' ──pack──▶ y' (lanes)
 *
 * Everybody else asks here for states in the order of the model.
 */
#include <math.h>
#include <string.h>

#include "creep.h"
#include "road_fused.h"
#include "road_parts.h"
#include "run.h"

static const double bad_end = 1e7;   /* condition of the rows: much is lost there, */
static const double lost_end = 1e11; /* everything that tells one branch from another */
enum { most_refused = 2 };

/* ----------------------------------------------------------- order of the model */

/* y = (q, v, works) at the end of the last step. */
const double *zr_end_state(zw_sim *sim)
{
    zr_motion *run = sim->run;
    if (!run->step.in_lanes) return run->step.stepper->y;
    zr_parts_unpack(sim, run->step.stepper->y, run->step.state);
    return run->step.state;
}

/* Works are not there in the order of the lanes. */
const double *zr_model_order(zw_sim *sim, const double *y)
{
    if (!sim->run->step.in_lanes) return y;
    zr_parts_unpack(sim, y, sim->run->step.state);
    return sim->run->step.state;
}

/* Where nobody has asked for a state inside this step before, the stepper may need further stages.
 */
zw_status zr_inner_state(zw_sim *sim, double t)
{
    zr_motion *run = sim->run;
    zi_stepper *s = run->step.stepper;
    double *y = run->step.in_lanes ? run->step.lane_y : run->step.y;
    bool ready = s->dense_ready;
    if (!ready) zr_keep_trace(sim, &run->solving);
    if (!ready) zr_hold_conditions(sim);
    zw_status status = zi_dense(s, t, y);
    if (!ready) zr_show_conditions(sim);
    if (!ready) zr_put_back_trace(sim, &run->solving);
    if (status == ZW_OK && run->step.in_lanes) zr_parts_unpack(sim, y, run->step.y);
    return status;
}

/* After an event: from the state in run->step.y. */
zw_status zr_restart(zw_sim *sim, double t)
{
    zr_motion *run = sim->run;
    if (run->step.in_lanes) zr_parts_pack(sim, run->step.y, run->step.lane_y);
    run->held.known = false;
    return zi_restart(run->step.stepper, t, run->step.in_lanes ? run->step.lane_y : run->step.y);
}

/* Without a new choice of the step size. */
zw_status zr_renew(zw_sim *sim)
{
    zr_motion *run = sim->run;
    if (run->step.in_lanes) zr_parts_pack(sim, run->step.y, run->step.lane_y);
    run->held.known = false;
    return zi_renew(run->step.stepper, run->step.in_lanes ? run->step.lane_y : run->step.y);
}

/* ------------------------------------------------------------------------ rates */

/* For the report, which looks there for the number that is not finite. */
static void keep_failed_state(zw_sim *sim, double t, const double *y)
{
    zr_motion *run = sim->run;
    size_t n = (size_t)sim->zm->n;
    run->ending.failed_t = t;
    memcpy(run->ending.failed_q, y, sizeof *y * n);
    memcpy(run->ending.failed_v, y + n, sizeof *y * n);
}

/* Asks the caller, and tells how far the run is. */
bool zr_interrupted(const zw_sim *sim)
{
    const zr_motion *run = sim->run;
    const zi_counts *c = &run->step.stepper->counts;
    if (!run->settings.poll) return false;
    zw_progress progress = {.t = run->step.stepper->t,
                            .steps = c->steps,
                            .rejected = c->rejected,
                            .evaluations = c->evaluations,
                            .trouble = zr_trouble(sim)};
    return !run->settings.poll(run->settings.user, &progress);
}

/* Also on the way, where a step takes long: every further evaluation fails until the step is given
 * up; it is made again when the run goes on. Not where events are looked for, nor where a caller
 * wants a state inside the step: these could not be made again. */
bool zr_is_asked_to_stop(zw_sim *sim)
{
    zr_motion *run = sim->run;
    bool can = run->ending.stoppable && run->step.stepper->method->restores;
    if (can && zr_is_cancelled(sim)) run->ending.interrupted = true;
    if (!can || !run->settings.poll || run->ending.interrupted || ++run->ending.since_poll % 8 != 0)
        return run->ending.interrupted;
    double now = zb_clock();
    if (now - run->ending.last_poll < 0.2) return false;
    run->ending.last_poll = now;
    run->ending.interrupted = zr_interrupted(sim);
    return run->ending.interrupted;
}

/* Near a singular configuration rates are those of the state on the constraints: *y becomes that.
 */
static zw_status project_stage(zw_sim *sim, double t, const double **y)
{
    zr_motion *run = sim->run;
    int32_t n = sim->zm->n;
    memcpy(run->step.stage, *y, sizeof **y * 2 * (size_t)n);
    *y = run->step.stage;
    run->step.was_careful = true;
    return zr_project(sim, &run->solving, t, run->step.stage, run->step.stage + n, false);
}

/* Rates by the fused program alone, which has the powers among its outputs. False: not here; what
 * it cannot do, failures included, is left to the roads. Inlined, for small systems take little
 * longer than a call. */
static inline __attribute__((always_inline)) bool find_rates_fused(zw_sim *sim, double t,
                                                                   const double *y, double *dy)
{
    int32_t n = sim->zm->n;
    zr_solving *run = &sim->run->solving;
    zr_memory *memory = &run->memory[ZR_FUSED][ZR_ASK_ACCELERATION];
    double sum = 0.0;
    if (!zr_is_awake(memory)) return false;
    const double *z = zr_fused_acceleration(sim, &t, y, y + n);
    zr_remember(memory, ZR_ASK_ACCELERATION, z != NULL);
    if (!z) return false;
    for (int32_t i = 0; i < n; i++) {
        dy[i] = y[n + i];
        dy[n + i] = z[i];
        sum += z[i];
    }
    if (!isfinite(sum)) return false;
    if (sim->contacts) {
        (void)zr_clear_resting(sim, dy + n);
        zr_sample_fused(sim, t);
    }
    const zr_fused_places *at = &sim->solver->form->places;
    for (int32_t k = 0; k < at->powers; k++) dy[2 * n + k] = sim->solver->fused_out[at->power + k];
    zr_note_fused(sim, run);
    run->taken[ZR_FUSED]++;
    run->on_constraints = false;
    return true;
}

/* Rates by the first road that takes the state. */
static zw_status find_rates_by_roads(zw_sim *sim, double t, const double *y, double *dy)
{
    zr_motion *run = sim->run;
    size_t n = (size_t)sim->zm->n;
    zk_source s = zr_source(sim, t, y, y + n);
    double power[ZR_POWER_COUNT];
    bool sampled = sim->contacts && !zr_is_stage_spare(sim), finite = true;
    memcpy(dy, y + n, sizeof *dy * n);
    zr_wanted wanted = {.at = &s,
                        .z = dy + n,
                        .force = run->solving.powers || sim->contacts ? run->step.force : NULL};
    run->solving.no_forces = !sampled;
    zw_status status = zr_accelerate(sim, &run->solving, &wanted);
    run->solving.no_forces = run->solving.on_constraints = false;
    if (status == ZW_OK)
        finite = sim->contacts ? zr_clear_resting(sim, dy + n) : zb_all_finite(dy + n, (int64_t)n);
    if (!finite) status = ZW_ERR_NOT_FINITE;
    if (status != ZW_OK) {
        keep_failed_state(sim, t, y);
        return status;
    }
    if (run->switching.sliding > 0) zr_clear_rounding(sim, dy + n);
    s.acceleration = dy + n;
    if (sampled) zr_sample_touch(sim, &s);
    if (run->solving.powers == 0) return ZW_OK;
    zr_forces forces = {.lambda = sim->lambda,
                        .nonideal = run->step.force,
                        .out = run->solving.any_out ? run->solving.out : NULL};
    zr_powers_at(sim, &s, &forces, power);
    for (int k = 0; k < ZR_POWER_COUNT; k++)
        if (run->record.work_place[k] >= 0)
            dy[2 * n + (size_t)run->record.work_place[k]] = power[k];
    return ZW_OK;
}

/* Rates where stages are to be on the constraints, or conditions slide: seldom. */
static zw_status find_rates_with_care(zw_sim *sim, double t, const double *y, double *dy)
{
    zr_motion *run = sim->run;
    bool slides = run->switching.sliding > 0;
    if (run->step.careful) ZB_TRY(project_stage(sim, t, &y));
    if (slides) ZB_TRY(zr_slide(sim, t, y));
    if (!run->solving.asks_fused || !find_rates_fused(sim, t, y, dy))
        return find_rates_by_roads(sim, t, y, dy);
    if (slides) zr_clear_rounding(sim, dy + sim->zm->n);
    return ZW_OK;
}

/* y' = (v, z, powers) */
zw_status zr_rates(void *user, double t, const double *y, double *dy)
{
    zw_sim *sim = user;
    zr_motion *run = sim->run;
    if (zr_is_asked_to_stop(sim)) return ZW_ERR_LIMIT;
    if (run->step.careful || run->switching.sliding > 0) return find_rates_with_care(sim, t, y, dy);
    if (run->solving.asks_fused && find_rates_fused(sim, t, y, dy)) return ZW_OK;
    return find_rates_by_roads(sim, t, y, dy);
}

/* By parts, unless they refuse or stages are to be evaluated on the constraints. */
zw_status zr_rates_in_lanes(void *user, double t, const double *y, double *dy)
{
    zw_sim *sim = user;
    zr_motion *run = sim->run;
    if (zr_is_asked_to_stop(sim)) return ZW_ERR_LIMIT;
    if (!run->step.careful && zr_parts_rates(sim, &run->solving, t, y, dy)) {
        run->solving.on_constraints = false;
        return ZW_OK;
    }
    zr_parts_unpack(sim, y, run->step.state);
    ZB_TRY(zr_rates(sim, t, run->step.state, run->step.state_rates));
    zr_parts_pack(sim, run->step.state_rates, dy);
    return ZW_OK;
}

/* --------------------------------------------------------------- end of a step */

/* Whether to refuse the end of this step: the last stage is close to a singular configuration, and
 * a state there cannot be brought onto the constraints without loss. Another step length ends
 * elsewhere; but a step that begins there already cannot choose. */
static bool ends_badly(zw_sim *sim)
{
    zr_motion *run = sim->run;
    double condition = zr_last_condition(sim, &run->solving);
    bool badly = condition > bad_end;
    bool refuse = badly && !run->step.bad_start && run->step.refused < most_refused;
    run->step.refused = refuse ? run->step.refused + 1 : 0;
    run->step.bad_end = badly;
    run->step.lost_end = condition > lost_end;
    return refuse;
}

/* A state is to be brought onto the constraints; false: not this one. */
static bool begin_projection(zw_sim *sim)
{
    if (ends_badly(sim)) return false;
    sim->run->stats.projections++;
    sim->run->solving.on_constraints = true;
    return true;
}

/* ZW_ERR_ACCURACY: this end is refused, and the stepper tries another step length. */
zw_status zr_end_step(void *user, double t, double *y)
{
    zw_sim *sim = user;
    if (!begin_projection(sim)) return ZW_ERR_ACCURACY;
    zw_status status = zr_project(sim, &sim->run->solving, t, y, y + sim->zm->n, true);
    if (status == ZW_OK && zr_any_creeps(sim))
        zr_end_creeping_step(sim, &sim->run->solving, t, y, y + sim->zm->n);
    if (status != ZW_OK) keep_failed_state(sim, t, y);
    return status;
}

/* What parts refuse is projected in the order of the model, by factors. */
zw_status zr_end_step_in_lanes(void *user, double t, double *y)
{
    zw_sim *sim = user;
    double *state = sim->run->step.state;
    if (!begin_projection(sim)) return ZW_ERR_ACCURACY;
    if (zr_project_lane_order(sim, &sim->run->solving, t, y)) return ZW_OK;
    zr_parts_unpack(sim, y, state);
    zw_status status =
        zr_project_by_factors(sim, &sim->run->solving, t, state, state + sim->zm->n, true);
    if (status != ZW_OK)
        keep_failed_state(sim, t, state);
    else
        zr_parts_pack(sim, state, y);
    return status;
}
