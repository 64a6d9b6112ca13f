/*
 * Rates of 8 stages side by side, for gauss16: the fused program of the run evaluated in lanes, as
 * crowds do for their members. A stage whose guard refuses is evaluated alone, by the roads.
 *
 *     y in groups of `width` stages ──▶ acceleration in lanes ──▶ y' = (v, z, powers) in groups
 *
 * Where lanes do not serve at all (stages on the constraints, conditions that slide, a program that
 * sleeps) every stage is evaluated alone. What is done does not depend on the width: bits are those
 * of every processor, and of byte code.
 */
#include "stages.h"

#include <math.h>
#include <string.h>

#include "road_fused.h"

enum { stage_count = 8 };

/* By the model and the settings alone. Contacts look at every evaluation by itself, and data at the
 * time of each. */
bool zr_stages_serve(const zw_sim *sim)
{
    const zr_motion *run = sim->run;
    return run->settings.method == ZW_GAUSS16 && zr_may_fuse(sim->model, &run->settings) &&
           !sim->contacts && !sim->model->lookups && !run->step.in_lanes;
}

/* `count` doubles for each lane, at a multiple of 64 bytes. */
static double *take_stage_doubles(zr_motion *run, size_t count)
{
    size_t lanes = (size_t)run->stages.width;
    return zb_arena_take(&run->arena, zb_product(zb_product(count, lanes), sizeof(double)), 64);
}

zw_status zr_open_stages(zw_sim *sim, int32_t size)
{
    zr_motion *run = sim->run;
    zr_stages *x = &run->stages;
    const zr_fused *fused = sim->model->fused;
    x->width = sim->model->lanes;
    x->stride = (size + 3) / 4 * 4;
    x->values = zr_count_values(sim->model);
    x->value = take_stage_doubles(run, (size_t)x->values);
    x->out = take_stage_doubles(run, (size_t)fused->most_outputs);
    x->workspace = take_stage_doubles(run, fused->workspace);
    x->y = ZB_NEW_ARRAY(&run->arena, double, (size_t)x->stride);
    x->dy = ZB_NEW_ARRAY(&run->arena, double, (size_t)x->stride);
    if (run->arena.failure != ZW_OK) return run->arena.failure;
    for (int32_t i = 0; i < x->values * x->width; i++) x->value[i] = (double)NAN;
    bool ours = sim->memory == &sim->model->context->memory; /* not in threads of an ensemble */
    if (ours) zr_make_machine_code(sim->model, &run->settings, x->width);
    return ZW_OK;
}

/* Values of the simulation into all lanes: those that are others there. */
static void renew_lane_values(zw_sim *sim)
{
    zr_stages *x = &sim->run->stages;
    for (int32_t i = 0; i < x->values; i++) {
        double value = sim->values[i], *lanes = x->value + (size_t)i * (size_t)x->width;
        uint64_t new, old; /* 0 and -0 are others, NaN may be the same */
        memcpy(&new, &value, sizeof new);
        memcpy(&old, lanes, sizeof old);
        if (new == old) continue;
        for (int32_t l = 0; l < x->width; l++) lanes[l] = value;
    }
}

/* Component i of a stage in its group: `step` numbers from one to the next. */
static size_t find_stage(const zr_stages *x, int32_t stage)
{
    int32_t group = stage / x->width;
    return (size_t)group * (size_t)x->stride * (size_t)x->width + (size_t)(stage % x->width);
}

/* One stage by itself. */
static zw_status evaluate_alone(zw_sim *sim, int32_t stage, double t, const double *y, double *dy)
{
    zr_stages *x = &sim->run->stages;
    size_t at = find_stage(x, stage), step = (size_t)x->width;
    int32_t size = sim->run->step.stepper->system.size;
    for (int32_t i = 0; i < size; i++) x->y[i] = y[at + (size_t)i * step];
    ZB_TRY(zr_rates(sim, t, x->y, x->dy));
    for (int32_t i = 0; i < size; i++) dy[at + (size_t)i * step] = x->dy[i];
    return ZW_OK;
}

/* Bits of lanes whose guard is beyond its limit, or which are not finite. */
static uint32_t find_refused(const zr_stages *x, const zr_fused_places *at, int32_t n)
{
    size_t width = (size_t)x->width;
    const double *z = x->out + (size_t)at->z * width, *guard = x->out + (size_t)at->guard * width;
    uint32_t refused = 0;
    for (size_t l = 0; l < width; l++) {
        bool good = guard[l] <= zr_fused_guard;
        for (size_t i = 0; good && i < (size_t)n; i++) good = isfinite(z[i * width + l]);
        if (!good) refused |= 1u << l;
    }
    return refused;
}

/* The stages of a group in lanes; returns the bits of those that are refused. Positions' rates, v,
 * are not asked for. */
static uint32_t evaluate_group(zw_sim *sim, const double *t, const double *y, double *dy)
{
    zr_stages *x = &sim->run->stages;
    zr_solver *solver = sim->solver;
    const zr_fused_places *at = &solver->form->places;
    size_t n = (size_t)sim->zm->n, width = (size_t)x->width;
    zk_frame frame = {.time = t,
                      .position = y,
                      .velocity = y + n * width,
                      .value = x->value,
                      .out = x->out,
                      .workspace = x->workspace};
    zk_evaluate_frame(solver->form->acceleration, x->width, sim->evaluator, &frame);
    const double *z = x->out + (size_t)at->z * width;
    double *to = dy + n * width, zero[4] = {0.0, 0.0, 0.0, 0.0};
    for (size_t k = 0; k < n * width; k += 4)
        for (size_t l = 0; l < 4; l++) {
            to[k + l] = z[k + l];
            zero[l] += 0.0 * z[k + l]; /* NaN where one is not finite */
        }
    if (at->powers > 0)
        memcpy(dy + 2 * n * width, x->out + (size_t)at->power * width,
               sizeof *dy * (size_t)at->powers * width);
    const double *guard = x->out + (size_t)at->guard * width;
    double most = guard[0];
    bool all = zero[0] + zero[1] + zero[2] + zero[3] == 0.0;
    for (size_t l = 1; l < width; l++) most = guard[l] > most ? guard[l] : most;
    solver->fused_condition = guard[width - 1];
    return all && most <= zr_fused_guard ? 0 : find_refused(x, at, (int32_t)n);
}

/* All groups; what is refused there, alone. */
static zw_status evaluate_in_lanes(zw_sim *sim, const double *t, const double *y, double *dy)
{
    zr_motion *run = sim->run;
    zr_stages *x = &run->stages;
    uint32_t refused = 0;
    for (int32_t first = 0; first < stage_count; first += x->width) {
        size_t at = find_stage(x, first);
        refused |= evaluate_group(sim, t + first, y + at, dy + at) << first;
    }
    zr_remember(&run->solving.memory[ZR_FUSED][ZR_ASK_ACCELERATION], ZR_ASK_ACCELERATION,
                refused != 0xff);
    sim->solver->fused_fresh = false;
    if (!(refused >> (stage_count - 1) & 1u)) zr_note_fused(sim, &run->solving);
    run->solving.taken[ZR_FUSED] += stage_count;
    run->solving.on_constraints = false;
    for (int32_t l = 0; refused >> l; l++) {
        if (!(refused >> l & 1u)) continue;
        run->solving.taken[ZR_FUSED]--;
        ZB_TRY(evaluate_alone(sim, l, t[l], y, dy));
    }
    return ZW_OK;
}

zw_status zr_rates_of_stages(void *user, bool first, const double *t, const double *y, double *dy)
{
    zw_sim *sim = user;
    zr_motion *run = sim->run;
    const zr_memory *memory = &run->solving.memory[ZR_FUSED][ZR_ASK_ACCELERATION];
    bool lanes = run->solving.asks_fused && !run->step.careful && run->switching.sliding == 0 &&
                 memory->sleeps == 0;
    if (zr_is_asked_to_stop(sim)) return ZW_ERR_LIMIT;
    if (lanes && first) renew_lane_values(sim);
    if (lanes) return evaluate_in_lanes(sim, t, y, dy);
    for (int32_t l = 0; l < stage_count; l++) ZB_TRY(evaluate_alone(sim, l, t[l], y, dy));
    return ZW_OK;
}
