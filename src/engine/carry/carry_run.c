/*
 * Tangents along a run: from the start, over each step of the stepper by its own stages, and through the
 * projection at its end,
 *
 *     dq+ = GG(M dq, -phi_p dp).z          rows of positions
 *     dv+ = GG(M dv, -psi_q dq+ - psi_p dp).z    rows of velocities
 *
 * with the factor at the projected state. A correction times the curvature of the rows is left out: it is
 * of the size of the error of the step. At a time inside a step the interpolant of the tangents is projected
 * in the same way.
 */
#include "carry.h"

#include <math.h>
#include <string.h>

#include "contacts.h"
#include "creep.h"
#include "events.h"
#include "friction.h"
#include "switches.h"

zr_direction zr_direction_of(const zr_carried *c, int32_t i, const double *dy, double dt)
{
    size_t parameters = (size_t)c->sim->zm->parameter_count;
    return (zr_direction){
        .q = dy, .v = dy + c->n, .t = dt, .values = c->rates + (size_t)i * parameters};
}

/* ------------------------------------------------------------------------- a state */

zw_status zr_carry_fails(zr_carried *c, zr_carry_trouble trouble, double t, const char *why)
{
    c->trouble = trouble;
    c->trouble_t = t;
    c->why = why;
    return ZW_ERR_DERIVATIVE;
}

/* What there is no rule for; NULL: nothing. */
static const char *find_no_rule(const zr_carried *c)
{
    zw_sim *sim = c->sim;
    const zr_motion *run = sim->run;
    if (zr_any_slides(sim)) return "something slides with friction";
    if (zr_any_creeps(sim)) return "something creeps";
    if (sim->drive) return "motors enforce a control";
    if (zr_on_compromise(sim))
        return "positions are a compromise between contradictory constraints";
    if (run && run->switching.sliding > 0) return "the motion slides on the surface of a condition";
    if (run && run->record.set_count != c->set_count)
        return "a number was set while the run goes on";
    return NULL;
}

/* Rows that depend on each other here and elsewhere not: there z has no derivative. */
zw_status zr_carry_at(zr_carried *c, double t, const double *q, const double *v)
{
    const zr_motion *run = c->sim->run;
    const char *why = find_no_rule(c);
    c->vary = c->sim->vary; /* it may have been made anew */
    if (why) return zr_carry_fails(c, ZR_CARRY_RULE, t, why);
    zw_status status = zr_vary_at_state(c->vary, t, q, v);
    if (zr_is_memory(status)) return status;
    if (status != ZW_OK)
        return zr_carry_fails(c, ZR_CARRY_RULE, t, "the equations cannot be solved there");
    if (run && !c->sim->contacts && c->vary->rank < run->solving.generic_rank)
        return zr_carry_fails(c, ZR_CARRY_RANK, t, NULL);
    return ZW_OK;
}

/* zi_tangents.rates */
static zw_status carry_rates(void *user, double t, const double *y, const double *dy, double *dk)
{
    zr_carried *c = user;
    size_t n = (size_t)c->n;
    const double *q = zr_model_order(c->sim, y);
    ZB_TRY(zr_carry_at(c, t, q, q + n));
    for (int32_t i = 0; i < c->count; i++, dy += 2 * n, dk += 2 * n) {
        zr_direction d = zr_direction_of(c, i, dy, 0.0);
        ZB_TRY(zr_tangent(c->vary, &d));
        memcpy(dk, dy + n, sizeof *dk * n);
        memcpy(dk + n, c->vary->dz, sizeof *dk * n);
    }
    return ZW_OK;
}

/* ---------------------------------------------------------------------- projection */

/* z [n] = GG(f, b) with the rows of one side; b [m] by the rows of the model. After zr_carry_at. */
static zw_status solve_side_at(zr_carried *c, zr_side *side, const double *f, const double *b,
                               double *z)
{
    zw_sim *sim = c->sim;
    if (side->own->all) return zr_vary_solve(c->vary, f, b, z, c->vary->g);
    const double *A = zr_gather_rows(sim, side->own, NULL);
    ZB_TRY(zr_factor_rows(sim, side->own, A, NULL));
    for (int32_t k = 0; k < side->rows.m; k++) side->r[k] = b[side->rows.row[k]];
    return zr_solve_rows(side->own, f, side->r, z, side->lambda);
}

/* -r' of the rows of a side with dy as it is, into vary->b [m]; then M x into vary->f. */
static void find_side_right(zr_carried *c, int32_t i, zr_order order, const double *dy, double dt,
                            bool velocities)
{
    zr_vary *vary = c->vary;
    const zw_sim *sim = c->sim;
    int32_t n = c->n, m = sim->zm->m;
    zr_direction d = zr_direction_of(c, i, dy, dt);
    if (order == ZR_POSITION) d.q = NULL;
    if (!velocities) d.v = NULL;
    zr_vary_along(vary, &d);
    memset(vary->dlevel, 0, sizeof *vary->dlevel * 4 * (size_t)m);
    zr_vary_evaluate(vary, order == ZR_POSITION ? ZR_VARY_VALUES : ZR_VARY_RATES, NULL,
                     vary->dlevel);
    for (int32_t k = 0; k < m; k++) vary->b[k] = -vary->dlevel[(order == ZR_VELOCITY ? m : 0) + k];
    memset(vary->f, 0, sizeof *vary->f * (size_t)n);
    zr_multiply_mass(sim, sim->M, dy + (order == ZR_VELOCITY ? n : 0), 1.0, vary->f);
}

/* What a correction of velocities by `correct`, M correct = A^T mu, adds: A'^T mu - M' correct. */
static zw_status add_correction(zr_carried *c, int32_t i, const double *dy, double dt,
                                const double *correct)
{
    zr_vary *vary = c->vary;
    zw_sim *sim = c->sim;
    size_t n = (size_t)c->n, m = (size_t)sim->zm->m;
    memset(vary->x, 0, sizeof *vary->x * n);
    zr_multiply_mass(sim, sim->M, correct, -1.0, vary->x);
    if (!sim->solver->sides[ZR_VELOCITY].own->all)
        return zr_carry_fails(c, ZR_CARRY_RULE, vary->t,
                              "an event sets velocities that constraints change");
    ZB_TRY(zr_vary_solve(vary, vary->x, NULL, vary->dz, vary->s));
    zr_direction d = zr_direction_of(c, i, dy, dt);
    d.v = NULL;
    zr_vary_along(vary, &d);
    memset(vary->dM, 0, sizeof *vary->dM * (size_t)sim->model->M.count);
    memset(vary->dA, 0, sizeof *vary->dA * (size_t)sim->model->A.count);
    memset(vary->g, 0, sizeof *vary->g * m);
    zr_vary_evaluate(vary, ZR_VARY_DYNAMICS, vary->dM, NULL);
    zr_vary_evaluate(vary, ZR_VARY_ROWS, vary->dA, NULL);
    zr_multiply_mass(sim, vary->dM, correct, -1.0, vary->f);
    zr_multiply_rows_back(sim, vary->dA, vary->s, 1.0, vary->f);
    return ZW_OK;
}

/* After zr_carry_at the state y. Directions inside the rows are left as they are but for rounding. */
static zw_status project_tangent(zr_carried *c, int32_t i, double *dy, double dt,
                                 const double *correct)
{
    zr_vary *vary = c->vary;
    zr_side *sides = c->sim->solver->sides;
    size_t n = (size_t)c->n;
    if (sides[ZR_POSITION].rows.m > 0) {
        find_side_right(c, i, ZR_POSITION, dy, dt, false);
        ZB_TRY(solve_side_at(c, &sides[ZR_POSITION], vary->f, vary->b, vary->x));
        memcpy(dy, vary->x, sizeof *dy * n);
    }
    if (sides[ZR_VELOCITY].rows.m == 0) return ZW_OK;
    find_side_right(c, i, ZR_VELOCITY, dy, dt, false);
    if (correct) {
        memcpy(c->jump, vary->b, sizeof *c->jump * (size_t)c->sim->zm->m);
        ZB_TRY(add_correction(c, i, dy, dt, correct));
        memcpy(vary->b, c->jump, sizeof *c->jump * (size_t)c->sim->zm->m);
    }
    ZB_TRY(solve_side_at(c, &sides[ZR_VELOCITY], vary->f, vary->b, vary->x));
    memcpy(dy + n, vary->x, sizeof *dy * n);
    return ZW_OK;
}

zw_status zr_carry_projection(zr_carried *c, int32_t i, double t, const double *y, double *dy,
                              double dt, const double *correct)
{
    ZB_TRY(zr_carry_at(c, t, y, y + c->n));
    zw_status status = project_tangent(c, i, dy, dt, correct);
    if (status == ZW_OK || status == ZW_ERR_DERIVATIVE || zr_is_memory(status)) return status;
    return zr_carry_fails(c, ZR_CARRY_RULE, t, "the constraints cannot be solved there");
}

static zw_status project_all(zr_carried *c, double t, const double *y, double *all)
{
    if (!c->sim->run->step.stepper->system.project) return ZW_OK;
    for (int32_t i = 0; i < c->count; i++)
        ZB_TRY(zr_carry_projection(c, i, t, y, zr_tangent_of(c, all, i), 0.0, NULL));
    return ZW_OK;
}

/* --------------------------------------------------------------------------- steps */

/* With conditions as they are held while the step was made. */
zw_status zr_carry_step(zw_sim *sim)
{
    zr_carried *c = sim->carried;
    zr_motion *run = sim->run;
    zi_stepper *s = run->step.stepper;
    if (!c) return ZW_OK;
    if (!zi_can_carry(s->method))
        return zr_carry_fails(c, ZR_CARRY_RULE, s->t, "the method went over to bdf");
    if (run->step.was_careful)
        return zr_carry_fails(c, ZR_CARRY_RULE, s->t,
                              "the motion passes close to a singular configuration");
    zr_keep_trace(sim, &run->solving);
    zw_status status = zi_carry_step(s, &c->tangents);
    if (status == ZW_OK) status = project_all(c, s->t, zr_end_state(sim), c->tangents.dy);
    zr_put_back_trace(sim, &run->solving);
    zr_forget_factor(sim);
    return status;
}

/* The last step is made again. */
void zr_carry_back(zw_sim *sim)
{
    zr_carried *c = sim->carried;
    if (c)
        memcpy(c->tangents.dy, c->tangents.dy_old,
               sizeof *c->tangents.dy * 2 * (size_t)c->n * (size_t)c->count);
}

/* Into all [count * 2 n], at t inside the last step; y: the state there. */
static zw_status find_inside(zr_carried *c, double t, const double *y, double *all)
{
    zw_sim *sim = c->sim;
    zr_motion *run = sim->run;
    const zi_stepper *s = run->step.stepper;
    zr_keep_trace(sim, &run->solving);
    zr_hold_conditions(sim);
    zw_status status = zi_carry_dense(s, &c->tangents, t, all);
    if (status == ZW_OK && t < s->t && t > s->t_old) status = project_all(c, t, y, all);
    zr_show_conditions(sim);
    zr_put_back_trace(sim, &run->solving);
    zr_forget_factor(sim);
    return status;
}

zw_status zr_carry_inside(zw_sim *sim, double t)
{
    zr_carried *c = sim->carried;
    if (!c) return ZW_OK;
    memset(c->dt, 0, sizeof *c->dt * (size_t)c->count);
    return find_inside(c, t, sim->run->step.y, c->moved);
}

/* In the simulation's own arrays, for what follows reads its state. */
zw_status zr_carry_shown(zr_carried *c)
{
    zw_sim *sim = c->sim;
    size_t size = 2 * (size_t)c->n * (size_t)c->count, n = (size_t)c->n;
    if (c->stopped || !sim->run) {
        memcpy(c->shown, c->stopped ? c->moved : c->start, sizeof *c->shown * size);
        return ZW_OK;
    }
    memcpy(c->jump, sim->q, sizeof *c->jump * n);
    memcpy(c->jump + n, sim->v, sizeof *c->jump * n);
    memcpy(c->f, c->jump, sizeof *c->f * 2 * n);
    memset(c->dt, 0, sizeof *c->dt * (size_t)c->count);
    return find_inside(c, sim->t, c->f, c->shown);
}

/* ----------------------------------------------------------------------- beginning */

/* Whether the simulation is where its tangents are. */
bool zr_is_carried_from(const zw_sim *sim)
{
    const zr_carried *c = sim->carried;
    size_t n = (size_t)sim->zm->n;
    if (!c) return true;
    return sim->t == c->state_t && memcmp(c->state, sim->q, sizeof *sim->q * n) == 0 &&
           memcmp(c->state + n, sim->v, sizeof *sim->v * n) == 0;
}

/* Contacts that meet at the start have changed velocities by now. */
static bool has_start_changed(const zr_carried *c)
{
    const double *y = zr_end_state(c->sim);
    double size = 0.0, change = 0.0;
    for (int32_t j = 0; j < 2 * c->n; j++) {
        size = fmax(size, fabs(c->state[j]));
        change = fmax(change, fabs(y[j] - c->state[j]));
    }
    return change > 1e-12 * size;
}

/* What the run needs, and the tangents of its first state. */
zw_status zr_begin_carry(zw_sim *sim)
{
    zr_carried *c = sim->carried;
    if (!c) return ZW_OK;
    const zr_motion *run = sim->run;
    const zi_stepper *s = run->step.stepper;
    zi_tangents *x = &c->tangents;
    size_t n = (size_t)c->n, row = 2 * n * (size_t)c->count;
    zb_arena_clear(&c->run_arena);
    if (has_start_changed(c)) return zr_report_no_carry(sim, ZW_ERR_CONTACT);
    c->trouble = ZR_CARRY_WORKS;
    c->stopped = false;
    c->set_count = run->record.set_count;
    bool fits = run->settings.stabilize != ZW_BAUMGARTE && run->settings.form == ZW_FORM_GAUSS;
    if (!zi_can_carry(s->method) || !fits) return zr_report_no_carry(sim, ZW_ERR_METHOD);
    *x = (zi_tangents){.size = 2 * c->n, .count = c->count, .user = c, .rates = carry_rates};
    x->dy_old = ZB_NEW_ARRAY(&c->run_arena, double, row);
    x->dy = ZB_NEW_ARRAY(&c->run_arena, double, row);
    x->argument = ZB_NEW_ARRAY(&c->run_arena, double, row);
    x->stage = ZB_NEW_ARRAY(&c->run_arena, double, (size_t)s->stride);
    x->k = ZB_NEW_ARRAY(&c->run_arena, double, zb_product(row, (size_t)zi_tangent_rows(s->method)));
    if (c->run_arena.failure != ZW_OK) return c->run_arena.failure;
    memcpy(x->dy, c->start, sizeof *x->dy * row);
    memcpy(x->dy_old, c->start, sizeof *x->dy * row);
    return ZW_OK;
}

static size_t count_gaps(const zw_model *model)
{
    size_t events = model->events ? (size_t)model->events->gaps : 0;
    size_t switches = model->switches ? (size_t)model->switches->count : 0;
    return (events > switches ? events : switches) + 1;
}

static zw_status take_carried(zr_carried *c, const zr_by *by)
{
    const zw_sim *sim = c->sim;
    size_t n = (size_t)c->n, count = (size_t)c->count, m = (size_t)sim->zm->m;
    c->by = ZB_NEW_ARRAY(&c->arena, zr_by, count);
    c->rates = ZB_NEW_ARRAY(&c->arena, double, zb_product(count, (size_t)sim->zm->parameter_count));
    c->start = ZB_NEW_ARRAY(&c->arena, double, zb_product(count, 2 * n));
    c->shown = ZB_NEW_ARRAY(&c->arena, double, zb_product(count, 2 * n));
    c->moved = ZB_NEW_ARRAY(&c->arena, double, zb_product(count, 2 * n));
    c->dt = ZB_NEW_ARRAY(&c->arena, double, count);
    c->state = ZB_NEW_ARRAY(&c->arena, double, 2 * n);
    c->f = ZB_NEW_ARRAY(&c->arena, double, 2 * n);
    c->before = ZB_NEW_ARRAY(&c->arena, double, 2 * n);
    c->set = ZB_NEW_ARRAY(&c->arena, double, 2 * n);
    c->correct = ZB_NEW_ARRAY(&c->arena, double, n);
    c->reset = ZB_NEW_ARRAY(&c->arena, double, 2 * n + 1);
    c->jump = ZB_NEW_ARRAY(&c->arena, double, 2 * n + m);
    c->gap = ZB_NEW_ARRAY(&c->arena, double, count_gaps(sim->model));
    c->passing = ZB_NEW_ARRAY(&c->arena, double, count_gaps(sim->model));
    if (c->arena.failure != ZW_OK) return c->arena.failure;
    memcpy(c->by, by, sizeof *by * count);
    memcpy(c->state, sim->q, sizeof *sim->q * n);
    memcpy(c->state + n, sim->v, sizeof *sim->v * n);
    c->state_t = sim->t;
    return ZW_OK;
}

/* Is the simulation's state that of its start? Of another one it is itself what is given. */
static bool is_at_start(const zr_carried *c)
{
    const zr_start *s = &c->sim->start;
    return s->complete && memcmp(s->found, c->state, sizeof *c->state * 2 * (size_t)c->n) == 0;
}

static zw_status find_first_tangents(zr_carried *c)
{
    const zw_sim *sim = c->sim;
    for (int32_t i = 0; i < c->count; i++) {
        double *rates = c->rates + (size_t)i * (size_t)sim->zm->parameter_count;
        if (c->by[i].parameter >= 0) ZB_TRY(zr_vary_parameter(sim, c->by[i].parameter, rates));
        if (c->by[i].parameter < 0) zr_tangent_of(c, c->start, i)[c->by[i].entry] = 1.0;
    }
    return is_at_start(c) ? zr_carry_start(c) : ZW_OK;
}

/* ZW_ERR_LARGE, ZW_ERR_INCONSISTENT, ZW_ERR_ACCURACY: there are none, for these reasons. */
static zw_status open_carried(zr_carried *c, const zr_by *by)
{
    zw_sim *sim = c->sim;
    if (!sim->vary) ZB_TRY(zr_vary_create(sim, false, &sim->vary));
    c->vary = sim->vary;
    ZB_TRY(take_carried(c, by));
    return find_first_tangents(c);
}

zw_status zr_carry_from_here(zw_sim *sim, const zr_by *by, int32_t count)
{
    zr_carried_free(sim);
    if (count == 0) return ZW_OK;
    zr_carried *c = zb_resize(sim->memory, NULL, 0, sizeof *c);
    if (!c) return sim->memory->failure;
    *c = (zr_carried){.sim = sim, .count = count, .n = sim->zm->n};
    zb_arena_init(&c->arena, sim->memory, 0);
    zb_arena_init(&c->run_arena, sim->memory, 0);
    sim->carried = c;
    zw_status status = open_carried(c, by);
    if (status != ZW_OK) zr_carried_free(sim);
    return status;
}

void zr_carried_free(zw_sim *sim)
{
    zr_carried *c = sim->carried;
    if (!c) return;
    zb_arena_clear(&c->arena);
    zb_arena_clear(&c->run_arena);
    zb_resize(sim->memory, c, sizeof *c, 0);
    sim->carried = NULL;
}
