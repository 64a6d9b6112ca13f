/*
 * Settling (settle.h):
 *
 *     touch     what was closed, what closes, and what has come as near as rounding
 *     q         onto the rows of all that touch
 *     v         impacts of those that approach (gauss/contact.h)
 *     live      those whose rate is 0 now; others leave. Those that leave so slowly that they would
 *               not rise by more than the tolerance are kept, where they would be pressed
 *     mode      of those that live, found and entered
 *     q, v      onto the rows of the mode
 *
 * A bounce of height `low` has the speed sqrt(2 low a), where a is the acceleration towards the
 * contact when it was open last, or, if it never was, without contacts: restitution counts as 0 below it. What is left out carries the same impulse as the
 * resting force, so that the motion after it is off by `low` at most.
 */
#include "contact_record.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "kept_contacts.h"
#include "touch_motors.h"

/* A settling under way. */
typedef struct settling {
    zw_sim *sim;
    zr_contacts *contacts;
    zr_space *space;
    const zr_happening *what;
    bool alone;      /* the state alone counts, not a run; then: */
    double reach[2]; /* sizes of q and v in the metric of M's diagonal */
    double t, *q, *v;
} settling;

/* ------------------------------------------------------------------------- smallness */

/* sum |A_ij| x_j of row i, with all masks on. */
static double spread_row(const zw_sim *sim, int32_t i, const double *x)
{
    const zr_pattern *A = &sim->model->A;
    double sum = 0.0;
    for (int32_t p = A->start[i]; p < A->start[i + 1]; p++)
        sum += fabs(sim->contacts->space->A[p]) * fabs(x[A->column[p]]);
    return sum;
}

/* M_jj of the last evaluation. */
static double inertia_of(const zw_sim *sim, int32_t j)
{
    const zr_pattern *M = &sim->model->M;
    int32_t p = M->start[j];
    return p < M->start[j + 1] && M->column[p] == j ? sim->M[p] : 0.0;
}

double zr_row_length(const zw_sim *sim, int32_t i)
{
    const zr_pattern *A = &sim->model->A;
    double square = 0.0;
    for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) {
        double inertia = inertia_of(sim, A->column[p]), a = sim->contacts->space->A[p];
        if (inertia > 0.0) square += a * a / inertia;
    }
    return sqrt(square);
}

/* By the state alone: what is rounding beside the terms of the row, and beside what motions of the
 * coordinates as large as they are would make of it. */
static void find_smallness_alone(const settling *g, int32_t i)
{
    const zw_sim *sim = g->sim;
    zr_smallness *small = &g->contacts->small;
    double length = zr_row_length(sim, i), size = sim->level[2 * sim->zm->m + i];
    size = fmax(size, length * g->reach[0]);
    small->gap[i] = 1e-10 * size;
    small->low[i] = 16.0 * DBL_EPSILON * size;
    small->rate[i] = 1e-9 * fmax(spread_row(sim, i, g->v), length * g->reach[1]);
}

double zr_height_tolerance(const zw_sim *sim, int32_t row)
{
    return spread_row(sim, row, zi_absolute(sim->run->step.stepper));
}

/* What is small in row i, by the absolute tolerances of the stepper. */
static void find_smallness(const settling *g, int32_t i)
{
    const zw_sim *sim = g->sim;
    zr_smallness *small = &g->contacts->small;
    const zi_stepper *stepper = sim->run ? sim->run->step.stepper : NULL;
    int32_t m = sim->zm->m, n = sim->zm->n;
    double rounding = 1e-10 * sim->level[2 * m + i], speed = 1e-9 * spread_row(sim, i, g->v);
    rounding = fmax(rounding, 16.0 * DBL_EPSILON * spread_row(sim, i, g->q)); /* of differences */
    if (g->alone || !stepper) {
        find_smallness_alone(g, i);
        return;
    }
    small->low[i] = fmax(1e-3 * rounding, zr_height_tolerance(sim, i));
    small->gap[i] = fmax(rounding, 0.1 * small->low[i]);
    small->rate[i] = fmax(1e-3 * speed, spread_row(sim, i, zi_absolute(stepper) + n));
}

void zr_find_pulls(zw_sim *sim, const double *z)
{
    zr_contacts *c = sim->contacts;
    const zr_pattern *A = &sim->model->A;
    for (int32_t k = 0; k < c->laws->contacts; k++) {
        int32_t row = sim->zm->contacts[k].row;
        if (c->mode.touch[k] != ZR_OPEN) continue;
        c->pull[k] = -c->space->b[row];
        for (int32_t p = A->start[row]; p < A->start[row + 1]; p++)
            c->pull[k] += c->space->A[p] * z[A->column[p]];
    }
}

/* The speed below which contact i of the space does not bounce. */
static double find_capture(const settling *g, int32_t i)
{
    double rest = g->sim->zm->simulate.rest;
    int32_t row = g->space->row[g->space->is_contact[i].normal];
    if (rest > 0.0) return rest;
    double a = fabs(g->contacts->pull[g->space->contact[i]]);
    if (!(a > 0.0)) a = fabs(g->space->w[g->space->is_contact[i].normal]);
    return fmax(sqrt(2.0 * g->contacts->small.low[row] * a), g->contacts->small.rate[row]);
}

/* ------------------------------------------------------------------------- who touches */

static bool is_on_positions(const zw_sim *sim, int32_t contact)
{
    return sim->row_kind[sim->zm->contacts[contact].row] == ZM_HOLONOMIC;
}

/* Gaps, or velocities, that are 0 but for rounding. Of accelerations all rows count. */
static void find_touching(settling *g)
{
    zw_sim *sim = g->sim;
    zr_contacts *c = g->contacts;
    zk_source s = zr_source(sim, g->t, g->q, g->v);
    zr_enter_masks(sim, true);
    zr_evaluate_rows(sim, &s);
    zr_evaluate_levels(sim, &s);
    memcpy(g->space->A, sim->A, sizeof *sim->A * (size_t)sim->model->A.count);
    for (int32_t i = 0; i < sim->zm->m; i++)
        if (sim->zm->mask[i] >= 0) find_smallness(g, i);
    for (int32_t k = 0; k < c->laws->contacts; k++) {
        int32_t row = sim->zm->contacts[k].row, m = sim->zm->m;
        bool near = is_on_positions(sim, k) ? sim->level[row] <= c->small.gap[row]
                                            : sim->level[m + row] <= c->small.rate[row];
        if (sim->row_kind[row] == ZM_ACCELERATION) near = true;
        c->touching[k] =
            near || c->mode.touch[k] != ZR_OPEN || (g->what->closing && g->what->closing[k]);
    }
}

/* Positions onto the rows that are on. Gaps that depend on each other may contradict each other by
 * what counts as closed: then they stay as they are. */
static zw_status project_gaps(settling *g)
{
    zw_sim *sim = g->sim;
    const zr_contacts *c = g->contacts;
    size_t bytes = sizeof *g->q * (size_t)sim->zm->n;
    zk_source s = zr_source(sim, g->t, g->q, g->v);
    memcpy(g->space->C, g->q, bytes);
    zw_status status =
        zr_project_positions(sim, sim->run ? &sim->run->solving : NULL, g->t, g->q, g->v);
    if (status != ZW_ERR_ACCURACY) return status;
    memcpy(g->q, g->space->C, bytes);
    zr_evaluate_level(sim, ZR_POSITION, &s);
    for (int32_t k = 0; k < c->laws->contacts; k++) {
        int32_t row = sim->zm->contacts[k].row;
        bool on = c->mode.touch[k] == ZR_CLOSED;
        if (on && !(fabs(sim->level[row]) <= c->small.gap[row])) return status;
    }
    return ZW_OK;
}

/* Positions onto the gaps of all that touch; velocities stay. */
static zw_status close_gaps(settling *g)
{
    zw_sim *sim = g->sim;
    zr_contacts *c = g->contacts;
    bool any = false;
    for (int32_t k = 0; k < c->laws->contacts; k++) {
        bool on = c->touching[k] && is_on_positions(sim, k);
        c->mode_kept.touch[k] = c->mode.touch[k];
        c->mode.touch[k] = on ? ZR_CLOSED : ZR_OPEN;
        any = any || on;
    }
    memcpy(c->mode_kept.grip, c->mode.grip, (size_t)c->laws->frictions);
    memset(c->mode.grip, ZR_IDLE, (size_t)c->laws->frictions);
    zw_status status = ZW_OK;
    if (any) {
        zr_enter_mode(sim);
        status = project_gaps(g);
    }
    memcpy(c->mode.touch, c->mode_kept.touch, (size_t)c->laws->contacts);
    memcpy(c->mode.grip, c->mode_kept.grip, (size_t)c->laws->frictions);
    return status;
}

/* Contact space with those that touch and are not kept. */
static zw_status fill_candidates(settling *g)
{
    zw_sim *sim = g->sim;
    ZB_TRY(zr_fill_space(sim, g->t, g->q, g->v, zr_list_candidates(sim)));
    if (!zr_kept_hold_others(sim)) return ZW_OK;
    zr_keep_none(sim); /* which of them depend on each other is seen where all are candidates */
    return zr_fill_space(sim, g->t, g->q, g->v, zr_list_candidates(sim));
}

/* ---------------------------------------------------------------------------- impacts */

/* Whether a contact of the space approaches. */
static bool any_approaches(const settling *g)
{
    const zr_space *s = g->space;
    for (int32_t i = 0; i < s->contacts; i++)
        if (s->u[s->is_contact[i].normal] < -s->approach[i]) return true;
    return false;
}

/* What impacts need besides the instant. */
static void describe_impact(settling *g)
{
    zw_sim *sim = g->sim;
    zr_space *s = g->space;
    zr_evaluate_restitutions(sim, &s->source);
    for (int32_t i = 0; i < s->contacts; i++) {
        int32_t contact = s->contact[i], row = sim->zm->contacts[contact].row;
        bool bounces = is_on_positions(sim, contact);
        s->is_contact[i].restitution = bounces ? zr_contact_restitution(sim, contact) : 0.0;
        s->approach[i] = g->contacts->small.rate[row];
        s->plastic[i] = find_capture(g, i);
    }
    for (int32_t f = 0; f < s->frictions; f++) {
        int32_t by = s->is_friction[f].contact;
        double e = by >= 0 ? zr_contact_tangential(sim, s->contact[by]) : (double)NAN;
        s->is_friction[f].tangential = isnan(e) ? 0.0 : e;
    }
}

/* v + sum P_i Z_i */
static void push_velocities(settling *g, const double *P)
{
    for (int32_t i = 0; i < g->space->rows; i++) {
        const int32_t *column;
        int32_t count;
        const double *Z = zr_response(g->space, i, &column, &count);
        if (P[i] == 0.0) continue;
        for (int32_t j = 0; j < count; j++) g->v[column[j]] += P[i] * Z[j];
    }
}

/* Kinetic energy, of the part that moves: v^T M v / 2, M of the space's state. */
static double kinetic_energy(const zw_sim *sim, const double *v)
{
    const zr_pattern *M = &sim->model->M;
    double sum = 0.0;
    for (int32_t i = 0; i < M->rows; i++)
        for (int32_t p = M->start[i]; p < M->start[i + 1]; p++)
            sum += (M->column[p] == i ? 0.5 : 1.0) * sim->M[p] * v[i] * v[M->column[p]];
    return sum;
}

/* *again: the space must be filled with more candidates. */
static zw_status collide(settling *g, bool *again)
{
    zw_sim *sim = g->sim;
    zr_space *s = g->space;
    const zm_simulate *say = &sim->zm->simulate;
    *again = false;
    describe_impact(g);
    ZB_TRY(zr_mind_laws(sim, g->t));
    if (!g->what->impacts || !any_approaches(g)) return ZW_OK;
    zg_instant instant = zr_space_instant(sim, s->u);
    zg_impact_task task = {.law = say->impact == ZM_NEWTON ? ZG_NEWTON : ZG_POISSON,
                           .rule = say->impacts == ZM_TOGETHER ? ZG_TOGETHER : ZG_ROUNDS,
                           .approach = s->approach,
                           .plastic = s->plastic,
                           .energy = kinetic_energy(sim, g->v),
                           .tolerance = zg_contact_usual};
    zg_impact impact = {.P = s->x, .u = s->after};
    zg_outcome outcome = zg_contact_impact(s->solver, &instant, &task, &impact);
    if (outcome != ZG_FOUND) {
        zr_keep_trouble(sim, outcome, NULL, impact.contact);
        return ZW_ERR_CONTACT;
    }
    ZB_TRY(zr_widen_candidates(sim, s->x, true, again));
    if (!*again && sim->contacts->kept_count > 0 && impact.rounds > 1) {
        zr_keep_none(sim); /* each round would have to be looked at */
        *again = true;
    }
    if (*again) return ZW_OK;
    push_velocities(g, s->x);
    if (sim->run) zr_leave_driven_rows(sim, g->t, g->q, g->v);
    zr_note_impact(sim, &impact, task.energy, g->t);
    zr_note_kept_impulses(g->sim);
    return zr_renew_space(sim, zr_list_candidates(g->sim));
}

/* -------------------------------------------------------------------------------- mode */

/* Slips that count as none: rounding, and those that an event has brought to 0, unless an impact has made
 * another of it; with `slow`, all that are as slow as what is captured. */
static const double *list_rests(settling *g, double slow)
{
    zr_contacts *c = g->contacts;
    for (int32_t j = 0; j < c->laws->slips; j++) {
        int32_t k = c->laws->friction_of_slip[j];
        double rest = g->what->resting && g->what->resting[k] ? 2.0 * c->slip_before[k] : slow;
        c->rest_below[j] = fmax(c->small.rate[c->laws->row_of_slip[j]], fmax(rest, slow));
    }
    return c->rest_below;
}

/* Contacts that leave: fast ones are taken out of `touching`; *slow is the largest speed of those
 * that leave slowly, 0: none does. */
static void let_go(settling *g, double *slow)
{
    zr_contacts *c = g->contacts;
    const zr_space *s = g->space;
    *slow = 0.0;
    memset(c->slow, 0, (size_t)c->laws->contacts);
    for (int32_t i = 0; i < s->contacts; i++) {
        int32_t k = s->contact[i], row = g->sim->zm->contacts[k].row;
        double u = s->u[s->is_contact[i].normal], capture = find_capture(g, i);
        if (g->sim->row_kind[row] == ZM_ACCELERATION || u <= c->small.rate[row]) continue;
        c->slow[k] = u <= capture;
        if (c->slow[k])
            *slow = fmax(*slow, capture);
        else
            c->touching[k] = false;
    }
}

/* The mode in which everything slow is closed, with slips up to `rest` as none; false: something would not
 * be pressed. */
static bool capture_slow(settling *g, double rest)
{
    zr_contacts *c = g->contacts;
    zr_restrict_space(g->sim, zr_list_candidates(g->sim));
    if (zr_find_mode_in_space(g->sim, list_rests(g, rest), NULL) != ZW_OK) return false;
    zr_close_kept(g->sim);
    for (int32_t k = 0; k < c->laws->contacts; k++)
        if (c->touching[k] && c->slow[k] && c->mode.touch[k] == ZR_OPEN) return false;
    return true;
}

/* The work of impulses P in the rows of frictions, P (u- + u+) / 2. */
static double work_of_friction(const zr_space *s, const double *P)
{
    double work = 0.0;
    for (int32_t f = 0; f < s->frictions; f++) {
        const zg_friction *is = &s->is_friction[f];
        for (int32_t j = is->first; j < is->first + is->width; j++)
            work += 0.5 * P[j] * (s->u[j] + s->after[j]);
    }
    return work;
}

/* A friction that would begin to slide from rest does slip, and the other way, after landing. */
static bool any_slips_back(const settling *g)
{
    const zr_space *s = g->space;
    for (int32_t f = 0; f < s->frictions; f++) {
        const zg_friction *is = &s->is_friction[f];
        double along = 0.0, small = 0.0;
        for (int32_t j = 0; j < is->width; j++) {
            along += s->mode.direction[ZG_MOST_WIDTH * f + j] * s->after[is->first + j];
            small = fmax(small, g->contacts->small.rate[s->row[is->first + j]]);
        }
        if (s->mode.friction[f] == ZG_SLIDE && along < -small) return true;
    }
    return false;
}

/* What leaves slowly is brought to rest by the impulses that its bounces would have had less than
 * the resting force: those of the mode, with its friction. Its work is taken from what friction does
 * from here on. */
static bool land_slow(settling *g)
{
    zr_space *s = g->space;
    zg_instant instant = zr_space_instant(g->sim, s->u);
    zg_forces impulses = {.x = s->other, .u = s->after};
    if (!zg_mode_forces(s->solver, &instant, &s->mode, &zg_contact_usual, &impulses)) return false;
    if (any_slips_back(g)) return false;
    push_velocities(g, s->other);
    g->contacts->given_back = work_of_friction(s, s->other);
    return true;
}

/* Speeds that are rounding of those before are none: what has come to rest does not creep. */
static void clear_rounded_speeds(settling *g)
{
    const double *before = g->contacts->velocity;
    for (int32_t j = 0; j < g->sim->zm->n; j++)
        if (fabs(g->v[j]) <= 16.0 * DBL_EPSILON * fabs(before[j])) g->v[j] = 0.0;
}

/* Friction f of the space is held back by little: what equations leave of its rows is not next to nothing, as at a
 * dead centre, where a slip of rounding is a motion of any size. */
static bool gives_way(const settling *g, int32_t f)
{
    const double part = 0.01;
    const zg_friction *is = &g->space->is_friction[f];
    for (int32_t i = is->first; i < is->first + is->width; i++) {
        double length = zr_row_length(g->sim, g->space->row[i]);
        if (!(zr_response_beside_driven(g->sim, i) > part * length * length)) return false;
    }
    return true;
}

/* Slips that counted as none are none, also where they begin to slide: what would still slip against its
 * direction holds in the projection, where that gives way. Whether there is such a one. */
static bool hold_backward_slips(settling *g)
{
    zr_contacts *c = g->contacts;
    const zr_space *s = g->space;
    zk_source at = zr_source(g->sim, g->t, g->q, g->v);
    bool any = false;
    if (s->frictions > 0) zr_evaluate_frictions(g->sim, &at);
    for (int32_t f = 0; f < s->frictions; f++) {
        int32_t k = s->friction[f], first = c->laws->friction[k].slip;
        double along = 0.0, rests = 0.0;
        for (int32_t j = 0; j < s->is_friction[f].width; j++) {
            along += c->slip[first + j] * c->mode.direction[first + j];
            rests = fmax(rests, fabs(s->is_friction[f].slip[j]));
        }
        if (c->mode.grip[k] != ZR_SLIDES || rests > 0.0 || !(along < 0.0)) continue;
        if (!gives_way(g, f)) continue;
        c->mode.grip[k] = ZR_STICKS;
        for (int32_t j = first; j < first + s->is_friction[f].width; j++) c->mode.held[j] = true;
        any = true;
    }
    return any;
}

/* The mode is entered, q and v are brought onto its rows. */
static zw_status project_on_mode(settling *g)
{
    zw_sim *sim = g->sim;
    zr_contacts *c = g->contacts;
    zr_solving *solving = sim->run ? &sim->run->solving : NULL;
    zr_copy_mode(sim, &c->mode, &c->mode_kept);
    bool holds = hold_backward_slips(g);
    zr_enter_mode(sim);
    if (sim->run && !holds) zr_renew_roads(sim);
    ZB_TRY(zr_project(sim, solving, g->t, g->q, g->v, false));
    if (!holds) return ZW_OK;
    zr_copy_mode(sim, &c->mode_kept, &c->mode);
    zr_enter_mode(sim);
    if (sim->run) zr_renew_roads(sim);
    return ZW_OK;
}

/* The mode of all that touches; *again: the space must be filled with more candidates. */
static zw_status find_mode(settling *g, bool *again)
{
    zw_sim *sim = g->sim;
    zr_contacts *c = g->contacts;
    double slow = 0.0;
    let_go(g, &slow);
    *again = false;
    for (int turn = 0; slow > 0.0 && turn < 2; turn++) {
        if (!capture_slow(g, turn == 0 ? slow : 0.0)) continue;
        ZB_TRY(zr_widen_candidates(g->sim, g->space->x, false, again));
        if (*again || land_slow(g)) return ZW_OK;
    }
    for (int32_t k = 0; k < c->laws->contacts; k++)
        if (c->slow[k]) c->touching[k] = false;
    zr_restrict_space(sim, zr_list_candidates(g->sim));
    ZB_TRY(zr_find_mode_in_space(sim, list_rests(g, 0.0), g->what));
    zr_close_kept(g->sim);
    return zr_widen_candidates(g->sim, g->space->x, false, again);
}

/* The mode, entered; q and v are on its rows afterwards. */
static zw_status take_mode(settling *g)
{
    bool again = false, limits = false;
    zr_forget_limits(g->sim);
    ZB_TRY(find_mode(g, &again));
    if (!again) ZB_TRY(zr_do_limits_change(g->sim, g->t, g->q, g->v, 0, &limits));
    for (int round = 0; again || limits; round++) {
        ZB_TRY(fill_candidates(g));
        ZB_TRY(find_mode(g, &again));
        if (!again) ZB_TRY(zr_do_limits_change(g->sim, g->t, g->q, g->v, round, &limits));
    }
    ZB_TRY(project_on_mode(g));
    clear_rounded_speeds(g);
    return ZW_OK;
}

/* How fast frictions slip before impacts, which may end it, or begin it. */
static void note_slips(settling *g)
{
    zr_contacts *c = g->contacts;
    const zr_space *s = g->space;
    memset(c->slipped, 0, (size_t)c->laws->frictions);
    memset(c->slip_before, 0, sizeof *c->slip_before * (size_t)c->laws->frictions);
    for (int32_t f = 0; f < s->frictions; f++) {
        int32_t k = s->friction[f], first = s->is_friction[f].first;
        for (int32_t j = first; j < first + s->is_friction[f].width; j++) {
            c->slip_before[k] = hypot(c->slip_before[k], s->u[j]);
            if (fabs(s->u[j]) > c->small.rate[s->row[j]]) c->slipped[k] = true;
        }
    }
}

zw_status zr_settle(zw_sim *sim, double t, double *q, double *v, const zr_happening *what)
{
    settling g = {.sim = sim,
                  .contacts = sim->contacts,
                  .space = sim->contacts->space,
                  .what = what,
                  .t = t,
                  .q = q,
                  .v = v};
    sim->contacts->given_back = 0.0;
    find_touching(&g);
    memcpy(sim->contacts->velocity, v, sizeof *v * (size_t)sim->zm->n);
    ZB_TRY(zr_refuse_jumps(sim, t, q, v));
    ZB_TRY(close_gaps(&g));
    zk_source s = zr_source(sim, t, q, v);
    zr_choose_kept(sim, what, &s);
    for (bool again = true; again;) {
        ZB_TRY(fill_candidates(&g));
        zr_find_pulls(sim, what->z ? what->z : sim->contacts->space->z);
        note_slips(&g);
        ZB_TRY(collide(&g, &again));
    }
    ZB_TRY(take_mode(&g));
    sim->contacts->decided = true;
    return ZW_OK;
}

/* ------------------------------------------------------------------- a state alone */

/* sqrt(sum M_jj x_j^2), of the last M. */
static double measure_reach(const zw_sim *sim, const double *x)
{
    double square = 0.0;
    for (int32_t j = 0; j < sim->zm->n; j++) square += fmax(inertia_of(sim, j), 0.0) * x[j] * x[j];
    return sqrt(square);
}

/* A speed counts as none as well where the motion would end it within what rounding of the state
 * hides: v^2 = 2 low a. */
static void add_hidden_speeds(settling *g)
{
    const zr_space *s = g->space;
    zr_smallness *small = &g->contacts->small;
    for (int32_t i = 0; i < s->rows; i++) {
        double *rate = &small->rate[s->row[i]];
        *rate = fmax(*rate, sqrt(2.0 * small->low[s->row[i]] * s->size[i]));
    }
    for (int32_t f = 0; f < s->frictions; f++) {
        const zg_friction *is = &s->is_friction[f];
        int32_t normal = is->contact >= 0 ? s->is_contact[is->contact].normal : -1;
        double a = normal >= 0 ? is->mu_static * fabs(s->w[normal]) : 0.0;
        for (int32_t j = is->first; j < is->first + is->width; j++) {
            double *rate = &small->rate[s->row[j]];
            *rate = fmax(*rate, sqrt(2.0 * small->low[s->row[j]] * a));
        }
    }
}

/* Contacts of the space that approach or leave do not touch; whether there are any. */
static bool drop_moving(settling *g)
{
    const zw_sim *sim = g->sim;
    const zr_space *s = g->space;
    bool any = false;
    for (int32_t i = 0; i < s->contacts; i++) {
        int32_t k = s->contact[i], row = sim->zm->contacts[k].row;
        double rate = s->u[s->is_contact[i].normal];
        if (sim->row_kind[row] == ZM_ACCELERATION || fabs(rate) <= g->contacts->small.rate[row])
            continue;
        g->contacts->touching[k] = false;
        any = true;
    }
    return any;
}

/* Reactions that non-ideal forces follow, in the mode of the simulation, which is entered. */
static zw_status measure_in_mode(settling *g)
{
    zk_source s = zr_source(g->sim, g->t, g->q, g->v);
    zr_enter_mode(g->sim);
    return zr_measure_reactions(g->sim, &s);
}

/* The mode where something touches, or a joint rubs. Where forces follow reactions, first with those of
 * the mode before, then with its own. */
static zw_status decide_in_space(settling *g)
{
    zw_sim *sim = g->sim;
    bool *touching = g->contacts->touching;
    bool limits = true;
    if (sim->model->uses_measures) ZB_TRY(measure_in_mode(g));
    zr_forget_limits(sim);
    for (int round = 0; limits; round++) {
        ZB_TRY(zr_fill_space(sim, g->t, g->q, g->v, touching));
        add_hidden_speeds(g);
        if (drop_moving(g)) ZB_TRY(zr_fill_space(sim, g->t, g->q, g->v, touching));
        ZB_TRY(zr_find_mode_in_space(sim, list_rests(g, 0.0), g->what));
        ZB_TRY(zr_do_limits_change(sim, g->t, g->q, g->v, round, &limits));
    }
    return ZW_OK;
}

/* A decision that cannot be made (no force, or several, go with the laws) leaves contacts open. */
zw_status zr_decide_mode(zw_sim *sim, double t, const double *q, const double *v)
{
    zr_contacts *c = sim->contacts;
    zr_happening what = {.fresh = true};
    zw_status status = ZW_OK;
    bool any = c->laws->sites > c->laws->contacts;
    c->share = zr_share_multipliers;
    settling g = {
        .sim = sim, .contacts = c, .space = c->space, .what = &what, .alone = true, .t = t};
    g.q = (double *)(uintptr_t)q;
    g.v = (double *)(uintptr_t)v;
    zk_source s = zr_source(sim, t, q, v);
    zr_keep_none(sim);
    zr_evaluate_dynamics(sim, &s);
    g.reach[0] = measure_reach(sim, q);
    g.reach[1] = measure_reach(sim, v);
    zr_open_all(sim);
    find_touching(&g);
    for (int32_t k = 0; k < c->laws->contacts; k++) any = any || c->touching[k];
    if (any) status = decide_in_space(&g);
    if (any && status == ZW_OK && sim->model->uses_measures) status = decide_in_space(&g);
    if (status != ZW_OK) zr_open_all(sim);
    zr_enter_mode(sim);
    return status;
}
