/*
 * Running the fused programs: a small system's acceleration, and its way back onto the constraints
 * by Gauss-Newton steps
 *
 *     x <- x - M^-1 A^T (A M^-1 A^T)^-1 r(x)
 *
 * with M and A of the state itself. A step is taken while the residual is more than rounding of its
 * own terms; it ends where a step no longer makes it a quarter. Nothing is allocated.
 */
#include <math.h>
#include <string.h>

#include "fused.h"

void zr_fused_parameters(zw_sim *sim)
{
    const zr_fused *fused = sim->model->fused;
    if (!fused || !fused->prelude) return;
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    s.evaluator = ZK_BYTE_CODE;
    zk_run(fused->prelude, &s, NULL, sim->workspace, sim->values + sim->zm->value_count);
}

bool zr_fused_serves(const zw_model *model, const zw_run_settings *settings)
{
    return model->fused && settings->form == ZW_FORM_GAUSS && settings->stabilize != ZW_BAUMGARTE;
}

static void run(zw_sim *sim, const zk_program *program, const double *t, const double *q,
                const double *v)
{
    zk_frame frame = {.time = t,
                      .position = q,
                      .velocity = v,
                      .value = sim->values,
                      .out = sim->fused_out,
                      .workspace = sim->workspace};
    zk_run_frame(program, 1, sim->evaluator, &frame);
}

const double *zr_fused_acceleration(zw_sim *sim, const double *t, const double *q, const double *v)
{
    const zr_fused *fused = sim->model->fused;
    run(sim, fused->acceleration, t, q, v);
    sim->fused_condition = sim->fused_out[fused->places.guard];
    return sim->fused_condition <= zr_fused_guard ? sim->fused_out + fused->places.z : NULL;
}

void zr_fused_forces(zw_sim *sim, double *force)
{
    const zr_fused_places *at = &sim->model->fused->places;
    const double *out = sim->fused_out;
    memcpy(sim->lambda, out + at->lambda, sizeof *out * (size_t)sim->zm->m);
    memcpy(sim->A, out + at->A, sizeof *out * (size_t)sim->model->A.count);
    if (at->force >= 0) memcpy(force, out + at->force, sizeof *out * (size_t)sim->zm->n);
}

/* ------------------------------------------------------------------ projection */

/* Residuals and their magnitudes as zr_evaluate_levels would leave them. */
static void keep_levels(zw_sim *sim, const zr_fused_side *side, zr_order order)
{
    const double *out = sim->fused_out;
    int32_t m = sim->zm->m, shift = order == ZR_VELOCITY ? m : 0;
    for (int32_t k = 0; k < side->rows; k++) {
        sim->level[shift + side->row[k]] = out[side->residual + k];
        sim->level[2 * m + shift + side->row[k]] = out[side->magnitude + k];
    }
}

/* The bound is the one of project.c. */
bool zr_fused_good_enough(const zw_model *model, const zr_fused_side *side,
                          const zr_fused_left *left)
{
    const int32_t *start = model->A.start, stride = left->stride;
    double size = 0.0;
    for (int32_t j = 0; j < model->zm->n; j++) size = fmax(size, fabs(left->x[j * stride]));
    for (int32_t k = 0; k < side->rows; k++) {
        double reach = 0.0;
        for (int32_t p = start[side->row[k]]; p < start[side->row[k] + 1]; p++)
            reach += fabs(left->A[p * stride]);
        double bound = 1e-11 * left->magnitude[k * stride] + 1e-12 * reach * size;
        if (!(fabs(left->residual[k * stride]) <= bound)) return false;
    }
    return true;
}

/* The same at a state: A from the acceleration there, then the residuals again. */
static bool good_enough(zw_sim *sim, const zr_fused_side *side, double t, double *q, double *v,
                        const double *x)
{
    const zr_fused *fused = sim->model->fused;
    const double *out = sim->fused_out;
    run(sim, fused->acceleration, &t, q, v);
    memcpy(sim->A, out + fused->places.A, sizeof *out * (size_t)sim->model->A.count);
    run(sim, side->look, &t, q, v);
    zr_fused_left left = {out + side->residual, out + side->magnitude, sim->A, x, 1};
    return zr_fused_good_enough(sim->model, side, &left);
}

static bool correct(zw_sim *sim, zr_order order, double t, double *q, double *v)
{
    const zr_fused_side *side = &sim->model->fused->side[order];
    const double *out = sim->fused_out;
    double *x = order == ZR_POSITION ? q : v, before = HUGE_VAL;
    if (side->rows == 0) return true;
    for (int round = 0; round < zr_fused_rounds; round++) {
        run(sim, round == 0 ? side->step : side->look, &t, q, v);
        double off = out[side->off];
        bool slow = !(off <= 0.25 * before);
        bool met = off <= 1.0 || (slow && off <= 64.0);
        if (!met && slow && round > 0) met = good_enough(sim, side, t, q, v, x);
        if (met) {
            keep_levels(sim, side, order);
            return true;
        }
        if (slow) return false;
        if (round > 0) run(sim, side->step, &t, q, v);
        if (!(out[side->guard] <= zr_fused_guard)) return false;
        memcpy(x, out + side->x, sizeof *x * (size_t)sim->zm->n);
        sim->rounds++;
        before = off;
    }
    return false;
}

bool zr_fused_project(zw_sim *sim, double t, double *q, double *v)
{
    size_t n = (size_t)sim->zm->n;
    double *kept = sim->fused_kept;
    memcpy(kept, q, sizeof *q * n);
    memcpy(kept + n, v, sizeof *v * n);
    if (correct(sim, ZR_POSITION, t, q, v) && correct(sim, ZR_VELOCITY, t, q, v)) return true;
    memcpy(q, kept, sizeof *q * n);
    memcpy(v, kept + n, sizeof *v * n);
    return false;
}
