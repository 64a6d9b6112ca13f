/*
 * What the stepper of a run calls: rates y' = (v, z, powers), and the way back onto the constraints
 * at the end of a step. In the order of the model, or in that of the lanes, y = (q, v) alone; there
 * what lanes refuse at a state is done in the other order, and brought back.
 *
 *     y (lanes) ──ze──▶ y'                    y (lanes) ──unpack──▶ y ──▶ y' ──pack──▶ y' (lanes)
 *
 * Everybody else asks here for states in the order of the model.
 */
#include <float.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "fused.h"
#include "road_parts.h"

static const double bad_landing = 1e7;   /* condition of the rows: much is lost there, */
static const double lost_landing = 1e11; /* everything that tells one branch from another */
enum { most_refused = 2 };

double zr_clock(void)
{
    struct timespec t = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ----------------------------------------------------------- order of the model */

const double *zr_end_state(zw_sim *sim)
{
    zr_motion *run = sim->run;
    if (!run->in_lanes) return run->stepper->y;
    zr_lanes_unpack(sim, run->stepper->y, run->state);
    return run->state;
}

const double *zr_model_order(zw_sim *sim, const double *y)
{
    if (!sim->run->in_lanes) return y;
    zr_lanes_unpack(sim, y, sim->run->state);
    return sim->run->state;
}

zw_status zr_inner_state(zw_sim *sim, double t)
{
    zr_motion *run = sim->run;
    if (!run->in_lanes) return zi_dense(run->stepper, t, run->y);
    ZB_TRY(zi_dense(run->stepper, t, run->lane_y));
    zr_lanes_unpack(sim, run->lane_y, run->y);
    return ZW_OK;
}

zw_status zr_restart(zw_sim *sim, double t)
{
    zr_motion *run = sim->run;
    if (run->in_lanes) zr_lanes_pack(sim, run->y, run->lane_y);
    return zi_restart(run->stepper, t, run->in_lanes ? run->lane_y : run->y);
}

/* ------------------------------------------------------------------------ rates */

static void note_failure(zw_sim *sim, double t, const double *y)
{
    zr_motion *run = sim->run;
    size_t n = (size_t)sim->zm->n;
    run->failed_t = t;
    memcpy(run->failed_q, y, sizeof *y * n);
    memcpy(run->failed_v, y + n, sizeof *y * n);
}

bool zr_interrupted(const zw_sim *sim)
{
    const zr_motion *run = sim->run;
    const zi_counts *c = &run->stepper->counts;
    if (!run->settings.poll) return false;
    zw_progress progress = {.t = run->stepper->t,
                            .steps = c->steps,
                            .rejected = c->rejected,
                            .evaluations = c->evaluations};
    return !run->settings.poll(run->settings.user, &progress);
}

/* Also on the way, where a step takes long: every further evaluation fails until the step is given
 * up; it is made again when the run goes on. */
static bool asked_to_stop(zw_sim *sim)
{
    zr_motion *run = sim->run;
    bool can = run->settings.poll && run->stepper && run->stepper->method->restores;
    if (!can || run->interrupted || ++run->since_poll % 8 != 0) return run->interrupted;
    double now = zr_clock();
    if (now - run->last_poll < 0.2) return false;
    run->last_poll = now;
    run->interrupted = zr_interrupted(sim);
    return run->interrupted;
}

/* Near a singular configuration: at the state on the constraints. */
static zw_status onto_constraints(zw_sim *sim, double t, const double **y)
{
    zr_motion *run = sim->run;
    int32_t n = sim->zm->n;
    memcpy(run->stage, *y, sizeof **y * 2 * (size_t)n);
    *y = run->stage;
    return zr_project(sim, t, run->stage, run->stage + n, false);
}

/* The short way of rates. What it cannot do, failures included, is left to the other. */
static bool fused_rates(zw_sim *sim, double t, const double *y, double *dy)
{
    int32_t n = sim->zm->n;
    const double *z = zr_fused_acceleration(sim, &t, y, y + n);
    double sum = 0.0;
    if (!z) return false;
    for (int32_t i = 0; i < n; i++) {
        dy[i] = y[n + i];
        dy[n + i] = z[i];
        sum += z[i];
    }
    if (!isfinite(sum)) return false;
    const zr_fused_places *at = &sim->model->fused->places;
    for (int32_t k = 0; k < at->powers; k++) dy[2 * n + k] = sim->fused_out[at->power + k];
    zr_note_fused(sim);
    sim->run->landed = false;
    return true;
}

/* y' = (v, z, powers) */
zw_status zr_rates(void *user, double t, const double *y, double *dy)
{
    zw_sim *sim = user;
    zr_motion *run = sim->run;
    size_t n = (size_t)sim->zm->n;
    if (asked_to_stop(sim)) return ZW_ERR_LIMIT;
    if (run->careful) ZB_TRY(onto_constraints(sim, t, &y));
    if (run->plain && fused_rates(sim, t, y, dy)) return ZW_OK;
    zk_source s = zr_source(sim, t, y, y + n);
    double power[ZR_POWER_COUNT], sum = 0.0;
    memcpy(dy, y + n, sizeof *dy * n);
    zw_status status = zr_accelerate(sim, &s, dy + n, run->powers ? run->force : NULL);
    run->landed = false;
    for (size_t i = 0; i < n && status == ZW_OK; i++) sum += dy[n + i];
    if (status == ZW_OK && !isfinite(sum)) status = ZW_ERR_NOT_FINITE;
    if (status != ZW_OK) {
        note_failure(sim, t, y);
        return status;
    }
    if (run->powers == 0) return ZW_OK;
    s.acceleration = dy + n;
    zr_forces forces = {.lambda = sim->lambda, .nonideal = run->force};
    zr_powers_at(sim, &s, &forces, power);
    for (int k = 0; k < ZR_POWER_COUNT; k++)
        if (run->work_of[k] >= 0) dy[2 * n + (size_t)run->work_of[k]] = power[k];
    return ZW_OK;
}

zw_status zr_rates_in_lanes(void *user, double t, const double *y, double *dy)
{
    zw_sim *sim = user;
    zr_motion *run = sim->run;
    if (asked_to_stop(sim)) return ZW_ERR_LIMIT;
    if (!run->careful && zr_lanes_rates(sim, t, y, dy)) {
        run->landed = false;
        return ZW_OK;
    }
    zr_lanes_unpack(sim, y, run->state);
    ZB_TRY(zr_rates(sim, t, run->state, run->state_rates));
    zr_lanes_pack(sim, run->state_rates, dy);
    return ZW_OK;
}

/* -------------------------------------------------------------------- landing */

/* The last stage is close to a singular configuration: a state there cannot be brought onto the
 * constraints without loss. Another step length lands elsewhere; but who is there already cannot
 * choose. */
static bool lands_badly(zw_sim *sim)
{
    zr_motion *run = sim->run;
    double noise = sim->road == ZR_FUSED ? sim->fused_condition : 0.0;
    if (sim->road == ZR_QUICK) noise = zg_quick_condition(sim->quick);
    if (sim->road == ZR_BASIS) noise = zr_basis_noise(&run->basis) / DBL_EPSILON;
    if (sim->road == ZR_CAREFUL || sim->road == ZR_SPARSE)
        noise = zg_system_noise(sim->system) / DBL_EPSILON;
    if (sim->road == ZR_NO_ROAD && run->full) noise = zg_system_noise(run->full) / DBL_EPSILON;
    bool badly = noise > bad_landing;
    bool refuse = badly && !run->bad_start && run->refused < most_refused;
    run->refused = refuse ? run->refused + 1 : 0;
    run->bad_end = badly;
    run->lost_end = noise > lost_landing;
    return refuse;
}

/* A state is to be brought onto the constraints; false: not this one. */
static bool begin_landing(zw_sim *sim)
{
    if (lands_badly(sim)) return false;
    sim->run->stats.projections++;
    sim->run->landed = true;
    return true;
}

zw_status zr_land(void *user, double t, double *y)
{
    zw_sim *sim = user;
    if (!begin_landing(sim)) return ZW_ERR_ACCURACY;
    zw_status status = zr_project(sim, t, y, y + sim->zm->n, true);
    if (status != ZW_OK) note_failure(sim, t, y);
    return status;
}

zw_status zr_land_in_lanes(void *user, double t, double *y)
{
    zw_sim *sim = user;
    double *state = sim->run->state;
    if (!begin_landing(sim)) return ZW_ERR_ACCURACY;
    if (zr_lanes_land(sim, t, y)) return ZW_OK;
    zr_lanes_unpack(sim, y, state);
    zw_status status = zr_project_by_factors(sim, t, state, state + sim->zm->n, true);
    if (status != ZW_OK)
        note_failure(sim, t, state);
    else
        zr_lanes_pack(sim, state, y);
    return status;
}
