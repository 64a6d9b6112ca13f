/*
 * The energy of a run held at its value, where the model conserves it: after a step of gauss16
 * velocities are scaled so that h is again what it was,
 *
 *     v += v (h_0 - h) / (v^T M v),     for dh/dv v = v^T M v
 *
 * through the carries of compensated sums, since corrections are rounding. Rows that do no work
 * have rates homogeneous in v: they hold for the scaled velocities. Where the kinetic energy is
 * small beside all energies (at turning points) nothing is done: the next steps make up for it.
 * Islands have an energy each, and each its own scale.
 *
 * The sum of all corrections is kept: it is what the energy would be off by, and that is what the
 * verdict tells as its error.
 */
#include "held_energy.h"

#include <math.h>

#include "road_parts.h"

/* Of all energies, what the kinetic energy is at least; the largest change of velocities. */
static const double least_part = 0.05, most_change = 0.01;

/* Conserved by the verdict's own test: no force can do work, h has no t in it. */
bool zr_may_hold_energy(const zw_sim *sim)
{
    const zr_motion *run = sim->run;
    bool islands = sim->model->island_count > 1;
    if (run->settings.method != ZW_GAUSS16 || run->settings.hold != ZW_HOLD_ENERGY) return false;
    if (run->solving.powers != 0 || sim->contacts || sim->drive || sim->zm->n == 0) return false;
    if (run->settings.stabilize != ZW_PROJECT && sim->zm->m > 0) return false;
    return !islands || (sim->model->energy->island_works && !run->step.in_lanes);
}

/* The kinetic energy is a square of v, and there is nothing else with v in h: v^T M v is twice of
 * it. */
static bool is_square_of_speeds(const zw_sim *sim)
{
    const zr_sums *sums = &sim->model->energy->energies;
    for (int32_t k = 0; k < sums->count; k++)
        for (int32_t j = 0; j < sums->list[k].outputs; j++)
            if (sums->list[k].column[j] == ZR_PART_OTHER ||
                sums->list[k].column[j] == ZR_PART_EXTRA)
                return false;
    return true;
}

zw_status zr_open_held_energy(zw_sim *sim)
{
    zr_motion *run = sim->run;
    size_t islands = (size_t)sim->model->island_count;
    run->held.on = zr_may_hold_energy(sim);
    if (!run->held.on) return ZW_OK;
    run->held.islands = islands > 1 ? (int32_t)islands : 1;
    run->held.square_of_speeds = run->held.islands == 1 && is_square_of_speeds(sim);
    run->held.h = ZB_NEW_ARRAY(&run->arena, double, islands + 1);
    run->held.now = ZB_NEW_ARRAY(&run->arena, double, 2 * (islands + 1));
    run->held.square = ZB_NEW_ARRAY(&run->arena, double, islands + 1);
    return run->arena.failure;
}

/* h of every island and its size, into held.now. */
static void find_energies(zw_sim *sim, const zk_source *s)
{
    zr_held *held = &sim->run->held;
    if (held->islands > 1) {
        zr_island_energies_at(sim, s, held->now, held->now + held->islands);
        return;
    }
    zr_energies e;
    zr_energies_at(sim, s, &e);
    held->now[0] = e.h;
    held->now[1] = e.scale;
    held->square[0] = 2.0 * e.kinetic;
}

/* v^T M v of every island. */
static void find_squares(zw_sim *sim, const zk_source *s)
{
    zr_held *held = &sim->run->held;
    const zr_pattern *M = &sim->model->M;
    const double *v = s->velocity;
    if (held->square_of_speeds) return;
    zr_evaluate_dynamics(sim, s);
    for (int32_t g = 0; g < held->islands; g++) held->square[g] = 0.0;
    for (int32_t i = 0; i < M->rows; i++) {
        double sum = 0.0;
        for (int32_t p = M->start[i]; p < M->start[i + 1]; p++)
            sum += (M->column[p] == i ? 1.0 : 2.0) * sim->M[p] * v[M->column[p]];
        held->square[held->islands > 1 ? sim->model->island[i] : 0] += v[i] * sum;
    }
}

/* What velocities of island g are to be scaled by, less 1; 0: they are left. */
static double find_scaling(zr_held *held, int32_t g)
{
    double off = held->h[g] - held->now[g], square = held->square[g];
    if (!(0.5 * square > least_part * held->now[held->islands + g])) return 0.0;
    double change = off / square;
    if (!(fabs(change) <= most_change)) return 0.0;
    held->sum += off;
    return change;
}

/* y + carry times (1 + change), of one component. */
static void scale_component(double *y, double *carry, double change)
{
    double add = *y * change + *carry, sum = *y + add, part = sum - *y;
    *carry = (*y - (sum - part)) + (add - part);
    *y = sum;
}

/* The energy from here on is that before the step at hand. */
static void take_energies(zw_sim *sim)
{
    const zi_stepper *s = sim->run->step.stepper;
    zr_held *held = &sim->run->held;
    const double *y = zr_model_order(sim, s->y_old);
    zk_source at = zr_source(sim, s->t_old, y, y + sim->zm->n);
    find_energies(sim, &at);
    for (int32_t g = 0; g < held->islands; g++) held->h[g] = held->now[g];
    held->known = true;
}

void zr_hold_energy(void *user, double t, double *y, double *carry)
{
    zw_sim *sim = user;
    zr_motion *run = sim->run;
    zr_held *held = &run->held;
    int32_t half = run->step.stepper->system.half;
    if (run->solving.any_out || run->solving.any_conflicting || zr_on_compromise(sim)) return;
    if (!held->known) take_energies(sim);
    const double *state = zr_model_order(sim, y);
    zk_source s = zr_source(sim, t, state, state + sim->zm->n);
    find_energies(sim, &s);
    find_squares(sim, &s);
    if (held->islands == 1) {
        double change = find_scaling(held, 0);
        for (int32_t i = half; change != 0.0 && i < 2 * half; i++)
            scale_component(y + i, carry + i, change);
        return;
    }
    for (int32_t g = 0; g < held->islands; g++) held->now[g] = find_scaling(held, g);
    for (int32_t i = 0; i < half; i++) {
        double change = held->now[sim->model->island[i]];
        if (change != 0.0) scale_component(y + half + i, carry + half + i, change);
    }
}
