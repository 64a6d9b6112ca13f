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
    size_t n = (size_t)sim->zm->n, front = n + n % 2; /* what is asked for begins at a 64th byte */
    x->out = take_stage_doubles(run, front + (size_t)x->stride + (size_t)fused->most_outputs);
    if (x->out) x->out += front * (size_t)x->width;
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

/* What registers of every processor hold; a group has a multiple of 4 lanes. */
typedef double two __attribute__((vector_size(16), aligned(8), may_alias));

static bool are_finite(const double *x, size_t count)
{
    two a = {0}, b = {0}; /* 0 times what is not finite is NaN */
    for (size_t k = 0; k < count; k += 4) {
        a += 0.0 * *(const two *)(const void *)(x + k);
        b += 0.0 * *(const two *)(const void *)(x + k + 2);
    }
    a += b;
    return a[0] + a[1] == 0.0;
}

/* Bits of lanes whose guard is beyond its limit, or which are not finite. */
static uint32_t find_refused(const double *out, size_t width, const zr_fused_places *at, int32_t n)
{
    const double *z = out + (size_t)at->z * width, *guard = out + (size_t)at->guard * width;
    uint32_t refused = 0;
    for (size_t l = 0; l < width; l++) {
        bool good = guard[l] <= zr_fused_guard;
        for (size_t i = 0; good && i < (size_t)n; i++) good = isfinite(z[i * width + l]);
        if (!good) refused |= 1u << l;
    }
    return refused;
}

/* The stages of a group in lanes, outputs at `out`; returns the bits of those that are refused. */
static uint32_t evaluate_group(zw_sim *sim, const double *t, const double *y, double *out)
{
    zr_stages *x = &sim->run->stages;
    zr_solver *solver = sim->solver;
    const zr_fused_places *at = &solver->form->places;
    size_t n = (size_t)sim->zm->n, width = (size_t)x->width;
    zk_frame frame = {.time = t,
                      .position = y,
                      .velocity = y + n * width,
                      .value = x->value,
                      .out = out,
                      .workspace = x->workspace};
    zk_evaluate_frame(solver->form->acceleration, x->width, sim->evaluator, &frame);
    const double *z = out + (size_t)at->z * width, *guard = out + (size_t)at->guard * width;
    bool good = are_finite(z, n * width) && are_finite(guard, width);
    double most = guard[0];
    for (size_t l = 1; l < width; l++) most = guard[l] > most ? guard[l] : most;
    solver->fused_condition = guard[width - 1];
    uint32_t refused =
        good && most <= zr_fused_guard ? 0 : find_refused(out, width, at, (int32_t)n);
    if (at->powers > 0 && at->power != at->z + (int32_t)n) /* they belong behind z */
        memmove(out + ((size_t)at->z + n) * width, out + (size_t)at->power * width,
                sizeof *out * (size_t)at->powers * width);
    return refused;
}

/* All groups; what is refused there, alone. Accelerations stay where the program puts them: the
 * group of a stage begins as many places before z as there are positions, and the next group comes
 * behind it, over what else the first had for outputs. */
static zw_status evaluate_in_lanes(zw_sim *sim, const double *t, const double *y, double **dy)
{
    zr_motion *run = sim->run;
    zr_stages *x = &run->stages;
    const zr_fused_places *at = &sim->solver->form->places;
    uint32_t refused = 0;
    for (int32_t first = 0; first < stage_count; first += x->width) {
        size_t group = find_stage(x, first);
        refused |= evaluate_group(sim, t + first, y + group, x->out + group) << first;
    }
    *dy = x->out + (ptrdiff_t)(at->z - sim->zm->n) * x->width;
    zr_remember(&run->solving.memory[ZR_FUSED][ZR_ASK_ACCELERATION], ZR_ASK_ACCELERATION,
                refused != 0xff);
    sim->solver->fused_fresh = false;
    if (!(refused >> (stage_count - 1) & 1u)) zr_note_fused(sim, &run->solving);
    run->solving.taken[ZR_FUSED] += stage_count;
    run->solving.on_constraints = false;
    for (int32_t l = 0; refused >> l; l++) {
        if (!(refused >> l & 1u)) continue;
        run->solving.taken[ZR_FUSED]--;
        ZB_TRY(evaluate_alone(sim, l, t[l], y, *dy));
    }
    return ZW_OK;
}

zw_status zr_rates_of_stages(void *user, bool first, const double *t, const double *y, double **dy)
{
    zw_sim *sim = user;
    zr_motion *run = sim->run;
    const zr_memory *memory = &run->solving.memory[ZR_FUSED][ZR_ASK_ACCELERATION];
    bool lanes = run->solving.asks_fused && !run->step.careful && run->switching.sliding == 0 &&
                 memory->sleeps == 0;
    if (zr_is_asked_to_stop(sim)) return ZW_ERR_LIMIT;
    if (lanes && first) renew_lane_values(sim);
    if (lanes) return evaluate_in_lanes(sim, t, y, dy);
    for (int32_t l = 0; l < stage_count; l++) ZB_TRY(evaluate_alone(sim, l, t[l], y, *dy));
    return ZW_OK;
}
