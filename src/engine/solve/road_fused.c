/*
 * The road through the fused programs (compile/fused.h), straight-line programs that evaluate and
 * solve the equations at once: a small system's acceleration, and its way back onto the
 * constraints by Gauss-Newton steps
 *
 *     x <- x - M^-1 A^T (A M^-1 A^T)^-1 r(x)
 *
 * with M and A of the state itself. A step is taken while the residual is more than rounding of its
 * own terms; it ends where a step no longer makes it a quarter (newton.h). Nothing is allocated.
 */
#include "road_fused.h"

#include <math.h>
#include <string.h>

#include "newton.h"

/* ------------------------------------------------------------------------------ form */

/* Whether something that is so, or not, can be in a form. */
static bool fits(uint8_t state, bool is)
{
    return state == ZR_FUSED_EITHER || (state == ZR_FUSED_IS) == is;
}

static bool form_serves(const zw_sim *sim, const zr_fused_form *form)
{
    const zr_contacts *c = sim->contacts;
    if (c->creeping > 0) return false;
    for (int32_t i = 0; i < sim->zm->m; i++)
        if (!fits(form->row[i], !c->off[i])) return false;
    for (int32_t k = 0; k < c->laws->frictions; k++)
        if (!fits(form->slides[k], c->mode.grip[k] == ZR_SLIDES && c->sliding > 0)) return false;
    return true;
}

/* The first one that serves knows most. */
void zr_choose_form(zw_sim *sim)
{
    const zr_fused *fused = sim->model->fused;
    sim->solver->form = NULL;
    sim->solver->fused_fresh = false;
    for (int32_t k = 0; fused && k < fused->form_count && !sim->solver->form; k++)
        if (!sim->contacts || form_serves(sim, &fused->forms[k]))
            sim->solver->form = &fused->forms[k];
}

/* By byte code: parameters change seldom, and machine code may not be there yet. */
void zr_fused_parameters(zw_sim *sim)
{
    const zr_fused *fused = sim->model->fused;
    if (!fused || !fused->prelude.code) return;
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    s.evaluator = ZK_BYTE_CODE;
    zk_evaluate(fused->prelude.code, &s, NULL, sim->workspace,
                sim->values + zr_first_fused_value(sim->model));
}

bool zr_may_fuse(const zw_model *model, const zw_run_settings *settings)
{
    return model->fused && settings->form == ZW_FORM_GAUSS && settings->stabilize != ZW_BAUMGARTE;
}

bool zr_fused_serves(const zw_sim *sim, const zw_run_settings *settings)
{
    return sim->solver->form && zr_may_fuse(sim->model, settings);
}

/* Evaluates a fused program at a state; its outputs are then in the solver's fused_out. */
static void evaluate_fused(zw_sim *sim, const zk_program *program, const double *t, const double *q,
                           const double *v)
{
    zk_frame frame = {.time = t,
                      .position = q,
                      .velocity = v,
                      .value = sim->values,
                      .out = sim->solver->fused_out,
                      .workspace = sim->workspace};
    if (sim->model->lookups) (void)zr_source(sim, *t, q, v); /* the pieces of data there */
    zk_evaluate_frame(program, 1, sim->evaluator, &frame);
}

/* --------------------------------------------------------------------- acceleration */

/* The guard is a bound of the condition of the rows that is never too small. */
const double *zr_fused_acceleration(zw_sim *sim, const double *t, const double *q, const double *v)
{
    zr_solver *solver = sim->solver;
    const zr_fused_form *form = solver->form;
    evaluate_fused(sim, form->acceleration, t, q, v);
    solver->fused_condition = solver->fused_out[form->places.guard];
    solver->fused_fresh = true;
    return solver->fused_condition <= zr_fused_guard ? solver->fused_out + form->places.z : NULL;
}

/* No factor is left that a projection could go on with. */
void zr_note_fused(zw_sim *sim, zr_solving *run)
{
    sim->solver->road = ZR_FUSED;
    sim->solver->held = NULL;
    zr_note_independent(sim, run, sim->solver->fused_condition);
}

/* A run that asks the program by itself, in its rates, does not ask a second time here. */
static bool fused_may_serve(const zw_sim *sim, const zr_solving *run)
{
    if (!sim->solver->form) return false;
    if (!run) return true;
    if (run->settings->form != ZW_FORM_GAUSS || run->generic_rank < zr_rows_on(sim)) return false;
    return !run->asks_fused && run->settings->stabilize != ZW_BAUMGARTE;
}

/* Of the last acceleration: sim->lambda, sim->A, and the non-ideal force [n]. */
static void copy_fused_forces(zw_sim *sim, double *force)
{
    const zr_fused_places *at = &sim->solver->form->places;
    const double *out = sim->solver->fused_out;
    memcpy(sim->lambda, out + at->lambda, sizeof *out * (size_t)sim->zm->m);
    memcpy(sim->A, out + at->A, sizeof *out * (size_t)sim->model->A.count);
    if (at->force >= 0) memcpy(force, out + at->force, sizeof *out * (size_t)sim->zm->n);
}

/* The forces only where they are wanted: for works. */
static zw_status accelerate_fused(zw_sim *sim, zr_solving *run, const zr_wanted *w, bool *taken)
{
    const zk_source *s = w->at;
    const double *found = zr_fused_acceleration(sim, &s->time, s->position, s->velocity);
    if (!found) return ZW_OK;
    *taken = true;
    memcpy(w->z, found, sizeof *w->z * (size_t)sim->zm->n);
    if (w->force) copy_fused_forces(sim, w->force);
    if (run) zr_note_fused(sim, run);
    return ZW_OK;
}

static double fused_condition(const zw_sim *sim, const zr_solving *run)
{
    (void)run;
    return sim->solver->fused_condition;
}

/* ------------------------------------------------------------------ projection */

/* Residuals and their magnitudes as zr_evaluate_levels would leave them; rows that are off have
 * none. */
static void keep_fused_levels(zw_sim *sim, const zr_fused_side *side, zr_order order)
{
    const double *out = sim->solver->fused_out;
    int32_t m = sim->zm->m, shift = order == ZR_VELOCITY ? m : 0;
    for (int32_t i = 0; sim->contacts && i < m; i++)
        if (sim->contacts->off[i]) sim->level[shift + i] = sim->level[2 * m + shift + i] = 0.0;
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

/* A side of a state under correction. */
typedef struct fused_correction {
    zw_sim *sim;
    const zr_fused_side *side;
    double t, *q, *v, *x; /* x: q or v, what is corrected */
} fused_correction;

/* The largest residual in units of rounding, NaN where one is; the first look brings the step with
 * it. */
static double look_at_fused_side(void *user, int round)
{
    const fused_correction *c = user;
    const double *out = c->sim->solver->fused_out;
    evaluate_fused(c->sim, round == 0 ? c->side->step : c->side->look, &c->t, c->q, c->v);
    return out[c->side->off];
}

/* x becomes the corrected one that the program has computed; false: its guard refuses. */
static bool step_fused_side(void *user, int round)
{
    const fused_correction *c = user;
    const double *out = c->sim->solver->fused_out;
    if (round > 0) evaluate_fused(c->sim, c->side->step, &c->t, c->q, c->v);
    if (!(out[c->side->guard] <= zr_fused_guard)) return false;
    memcpy(c->x, out + c->side->x, sizeof *c->x * (size_t)c->sim->zm->n);
    c->sim->solver->rounds++;
    return true;
}

/* Steps no longer help: A from the acceleration at the state, then the residuals again. */
static bool is_fused_side_good_enough(void *user)
{
    const fused_correction *c = user;
    zw_sim *sim = c->sim;
    const zr_fused_side *side = c->side;
    const zr_fused_form *form = sim->solver->form;
    const double *out = sim->solver->fused_out;
    evaluate_fused(sim, form->acceleration, &c->t, c->q, c->v);
    memcpy(sim->A, out + form->places.A, sizeof *out * (size_t)sim->model->A.count);
    sim->A_fresh = false;
    evaluate_fused(sim, side->look, &c->t, c->q, c->v);
    zr_fused_left left = {out + side->residual, out + side->magnitude, sim->A, c->x, 1};
    return zr_fused_good_enough(sim->model, side, &left);
}

/* Positions or velocities onto their rows; the residuals are then in sim->level. */
static bool correct_fused(zw_sim *sim, const zr_fused_side *side, zr_order order, double t,
                          double *q, double *v)
{
    fused_correction c = {sim, side, t, q, v, order == ZR_POSITION ? q : v};
    if (side->rows == 0) {
        if (sim->contacts) keep_fused_levels(sim, side, order);
        return true;
    }
    sim->solver->fused_fresh = false;
    zr_newton newton = {.user = &c,
                        .rounds = zr_fused_rounds,
                        .look = look_at_fused_side,
                        .good_enough = is_fused_side_good_enough,
                        .step = step_fused_side};
    if (!zr_iterate_newton(newton)) return false;
    keep_fused_levels(sim, side, order);
    return true;
}

/* Not for dependent rows, nor where constraints contradict each other. q and v are put back
 * where it fails. */
static bool project_fused(zw_sim *sim, const zr_solving *run, double t, double *q, double *v)
{
    size_t n = (size_t)sim->zm->n;
    double *kept = sim->solver->fused_kept;
    bool dependent = run && (run->generic_rank < zr_rows_on(sim) || run->any_out);
    if (!sim->solver->form || dependent || sim->start.conflicts.count > 0) return false;
    memcpy(kept, q, sizeof *q * n);
    memcpy(kept + n, v, sizeof *v * n);
    const zr_fused_side *side = sim->solver->form->side;
    if (correct_fused(sim, &side[ZR_POSITION], ZR_POSITION, t, q, v) &&
        correct_fused(sim, &side[ZR_VELOCITY], ZR_VELOCITY, t, q, v))
        return true;
    memcpy(q, kept, sizeof *q * n);
    memcpy(v, kept + n, sizeof *v * n);
    return false;
}

/* The rows of the side are those that are on, of positions. */
static bool is_side_of_masks(const zw_sim *sim, const zr_fused_side *side)
{
    int32_t k = 0;
    for (int32_t i = 0; i < sim->zm->m; i++) {
        bool on = sim->row_kind[i] == ZM_HOLONOMIC && !sim->contacts->off[i];
        bool has = k < side->rows && side->row[k] == i;
        if (on != has) return false;
        k += has ? 1 : 0;
    }
    return true;
}

/* Of any form: positions have nothing to do with what slides. Where steps no longer help, which
 * needs A of the form that is entered, others go on. */
bool zr_project_positions_fused(zw_sim *sim, double t, double *q, double *v)
{
    const zr_fused *fused = sim->model->fused;
    size_t bytes = sizeof *q * (size_t)sim->zm->n;
    if (!fused || !sim->contacts || sim->start.conflicts.count > 0) return false;
    for (int32_t k = 0; k < fused->form_count; k++) {
        const zr_fused_form *form = &fused->forms[k], *entered = sim->solver->form;
        if (form->reads_masks || !is_side_of_masks(sim, &form->side[ZR_POSITION])) continue;
        memcpy(sim->solver->fused_kept, q, bytes);
        sim->solver->form = form;
        bool done = correct_fused(sim, &form->side[ZR_POSITION], ZR_POSITION, t, q, v);
        sim->solver->form = entered;
        if (!done) memcpy(q, sim->solver->fused_kept, bytes);
        return done;
    }
    return false;
}

const zr_road zr_road_fused = {.name = "fused",
                               .by_itself = true,
                               .serves = fused_may_serve,
                               .accelerate = accelerate_fused,
                               .condition = fused_condition,
                               .project = project_fused};
