/*
 * What happens to contacts in a run: the functions that tell it (zr_touching in run.h), their first
 * fall through 0 in a step, and the moment itself, at which the simulation settles (settle.c) and
 * the stepper starts anew.
 *
 * Functions of closed contacts and of what sticks are forces: they are those of the acceleration at
 * the state. Where rows that stick depend on each other they are margins in contact space.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "road_fused.h"
#include "settle.h"

enum { most_at_once = 200 };

/* ------------------------------------------------------------------------- functions */

/* Something is closed or slides or sticks, so that forces are asked for. */
static bool has_forces(const zr_contacts *c)
{
    for (int32_t k = 0; k < c->laws->contacts; k++)
        if (c->mode.touch[k] != ZR_OPEN) return true;
    for (int32_t k = 0; k < c->laws->frictions; k++)
        if (c->laws->friction[k].joint) return true;
    return c->laws->accelerated;
}

/* sim->lambda at a state, with the acting forces. */
static zw_status find_acting_multipliers(zw_sim *sim, const zk_source *s)
{
    zr_motion *run = sim->run;
    zr_touching *w = &run->touching;
    const zr_solver *solver = sim->solver;
    const double *z = NULL;
    if (run->solving.asks_fused) z = zr_fused_acceleration(sim, &s->time, s->position, s->velocity);
    zr_wanted wanted = {.at = s, .z = w->z, .force = w->force};
    if (z)
        memcpy(w->z, z, sizeof *z * (size_t)sim->zm->n);
    else
        ZB_TRY(zr_accelerate(sim, &run->solving, &wanted));
    if (z || solver->road == ZR_FUSED) {
        const double *lambda = solver->fused_out + solver->form->places.acting;
        memcpy(sim->lambda, lambda, sizeof *lambda * (size_t)sim->zm->m);
        return ZW_OK;
    }
    if (zr_any_slides(sim) || sim->model->nonideal.count == 0) return ZW_OK;
    for (int32_t i = 0; i < sim->zm->m; i++) sim->lambda[i] += sim->solver->lambda_nonideal[i];
    return ZW_OK;
}

/* The gap of an open contact, or of one that follows from others. */
static double look_at_gap(const zw_sim *sim, int32_t k)
{
    return sim->contacts->gap[k];
}

/* Slip of friction k along its direction. */
static double look_at_slip(const zw_sim *sim, int32_t k)
{
    const zr_contacts *c = sim->contacts;
    int32_t first = c->laws->friction[k].slip;
    double sum = 0.0;
    for (int32_t j = first; j < first + sim->zm->frictions[k].width; j++)
        sum += c->slip[j] * c->mode.direction[j];
    return sum;
}

/* What friction k, which sticks with rows of its own, can bear less what it bears. */
static double look_at_grip(zw_sim *sim, const zk_source *s, int32_t k)
{
    const zm_friction *f = &sim->zm->frictions[k];
    double square = 0.0;
    for (int32_t i = f->first_row; i < f->first_row + f->width; i++)
        square += sim->lambda[i] * sim->lambda[i];
    return zr_friction_static(sim, k) * zr_press(sim, s, k, sim->lambda) - sqrt(square);
}

/* Margins in contact space at this state, into space->margin; where rows depend on each other. */
static zw_status find_margins(zw_sim *sim, const zk_source *s)
{
    zr_space *space = sim->contacts->space;
    ZB_TRY(zr_find_mode_forces(sim, s));
    zg_instant instant = zr_space_instant(sim, space->w);
    (void)zg_stick_margins(space->solver, &instant, &space->last, &zg_contact_usual, space->x,
                           space->margin, space->other);
    return ZW_OK;
}

/* All functions at a state, into value [functions]; those that say nothing now are 1. */
static zw_status find_values(zw_sim *sim, const zk_source *s, double *value)
{
    zr_contacts *c = sim->contacts;
    int32_t contacts = c->laws->contacts;
    bool forces = has_forces(c);
    zk_source at = *s;
    if (forces) ZB_TRY(find_acting_multipliers(sim, s));
    if (forces) at.acceleration = sim->run->touching.z;
    zr_evaluate_gaps(sim, &at);
    if (c->laws->frictions > 0) zr_evaluate_frictions(sim, s);
    for (int32_t k = 0; k < contacts; k++)
        value[k] = c->mode.touch[k] == ZR_CLOSED ? sim->lambda[sim->zm->contacts[k].row]
                                                 : look_at_gap(sim, k);
    for (int32_t k = 0; k < c->laws->frictions; k++) {
        uint8_t grip = c->mode.grip[k];
        value[contacts + k] = grip == ZR_SLIDES   ? look_at_slip(sim, k)
                              : grip == ZR_STICKS ? look_at_grip(sim, s, k)
                                                  : 1.0;
    }
    if (!c->mode.grips_depend) return ZW_OK;
    ZB_TRY(find_margins(sim, s));
    for (int32_t f = 0; f < c->space->frictions; f++)
        if (c->mode.grip[c->space->friction[f]] == ZR_STICKS)
            value[contacts + c->space->friction[f]] = c->space->margin[f];
    return ZW_OK;
}

/* Whether function k says that something happens. An open contact must close besides. */
static bool has_fallen(const zw_sim *sim, int32_t k, double value)
{
    const zr_contacts *c = sim->contacts;
    const zr_touching *w = &sim->run->touching;
    bool gap = k < c->laws->contacts && c->mode.touch[k] != ZR_CLOSED &&
               sim->row_kind[sim->zm->contacts[k].row] != ZM_ACCELERATION;
    if (gap && !(c->gap[c->laws->contacts + k] < 0.0)) return false;
    return value < (w->armed[k] ? 0.0 : -w->band[k]);
}

/* zi_watch.look: gaps are the functions, and behind them the rates of open contacts. */
static zw_status look_at_contacts(void *user, double t, const double *y, bool *truth, double *gap)
{
    zw_sim *sim = user;
    const zr_touching *w = &sim->run->touching;
    const zr_contacts *c = sim->contacts;
    int32_t count = w->watch.count;
    zk_source s = zr_source(sim, t, y, y + sim->zm->n);
    ZB_TRY(find_values(sim, &s, gap));
    for (int32_t k = 0; k < count; k++) {
        truth[k] = has_fallen(sim, k, gap[k]);
        gap[k] += w->armed[k] ? 0.0 : w->band[k];
    }
    for (int32_t k = 0; k < c->laws->contacts; k++)
        gap[count + k] = c->mode.touch[k] == ZR_OPEN ? c->gap[c->laws->contacts + k] : 1.0;
    return ZW_OK;
}

/* ----------------------------------------------------------------------------- begin */

zw_status zr_begin_touching(zw_sim *sim)
{
    zr_motion *run = sim->run;
    zr_touching *w = &run->touching;
    if (!sim->contacts) return ZW_OK;
    int32_t contacts = sim->contacts->laws->contacts, frictions = sim->contacts->laws->frictions;
    size_t count = (size_t)(contacts + frictions);
    ZB_TRY(zr_open_space(sim));
    sim->contacts->share = zr_share_multipliers;
    w->watch = (zi_watch){.count = (int32_t)count,
                          .gaps = (int32_t)count + contacts,
                          .user = sim,
                          .look = look_at_contacts};
    w->locator = ZB_NEW_ARRAY(&run->arena, double,
                              zi_locator_size(&w->watch, run->step.stepper->system.size));
    w->truth = ZB_NEW_ARRAY(&run->arena, bool, count);
    w->turned = ZB_NEW_ARRAY(&run->arena, bool, count);
    w->seen = ZB_NEW_ARRAY(&run->arena, bool, count);
    w->armed = ZB_NEW_ARRAY(&run->arena, bool, count);
    w->band = ZB_NEW_ARRAY(&run->arena, double, count);
    w->value = ZB_NEW_ARRAY(&run->arena, double, count);
    w->z = ZB_NEW_ARRAY(&run->arena, double, (size_t)sim->zm->n);
    w->force = ZB_NEW_ARRAY(&run->arena, double, (size_t)sim->zm->n);
    w->size = ZB_NEW_ARRAY(&run->arena, double, (size_t)sim->zm->n);
    w->closing = ZB_NEW_ARRAY(&run->arena, bool, (size_t)contacts);
    w->resting = ZB_NEW_ARRAY(&run->arena, bool, (size_t)frictions);
    if (run->arena.failure != ZW_OK) return run->arena.failure;
    w->last = (double)NAN;
    return zr_touch_first(sim);
}

/* ------------------------------------------------------------------------ the moment */

/* Of forces: what is rounding in them, by the rows of the space. */
static double force_band(const zw_sim *sim, int32_t row)
{
    const zr_space *s = sim->contacts->space;
    int32_t i = s->at[row];
    if (i < 0 || !(s->G[i * s->rows + i] > 0.0)) return 0.0;
    return 1e-9 * fmax(s->size[i], fabs(s->w[i])) / s->G[i * s->rows + i];
}

static double band_of_friction(const zw_sim *sim, int32_t k)
{
    const zr_contacts *c = sim->contacts;
    const zm_friction *f = &sim->zm->frictions[k];
    double most = 0.0;
    for (int32_t j = 0; j < f->width; j++) {
        double band = c->mode.grip[k] == ZR_SLIDES ? c->small.rate[f->first_row + j]
                                                   : force_band(sim, f->first_row + j);
        most = fmax(most, band);
    }
    return most;
}

/* Bands and what is armed, in the mode that was entered, at the state it was found for. */
static zw_status arm_functions(zw_sim *sim, double t, const double *q, const double *v)
{
    zr_touching *w = &sim->run->touching;
    const zr_contacts *c = sim->contacts;
    int32_t contacts = c->laws->contacts;
    zk_source s = zr_source(sim, t, q, v);
    for (int32_t k = 0; k < contacts; k++) {
        int32_t row = sim->zm->contacts[k].row;
        w->band[k] = c->mode.touch[k] == ZR_CLOSED ? force_band(sim, row) : c->small.gap[row];
        if (c->mode.touch[k] == ZR_OPEN && sim->row_kind[row] == ZM_ACCELERATION)
            w->band[k] = 1e-9 * c->space->size[c->space->at[row]];
    }
    for (int32_t k = 0; k < c->laws->frictions; k++)
        w->band[contacts + k] = band_of_friction(sim, k);
    ZB_TRY(find_values(sim, &s, w->value));
    if (has_forces(c)) zr_find_pulls(sim, w->z);
    for (int32_t k = 0; k < w->watch.count; k++) w->armed[k] = w->value[k] > w->band[k];
    for (int32_t k = 0; k < contacts; k++) {
        int32_t row = sim->zm->contacts[k].row;
        if (c->mode.touch[k] == ZR_OPEN && c->gap[contacts + k] > c->small.rate[row])
            w->armed[k] = true; /* it has just left */
    }
    return ZW_OK;
}

/* The largest of sizes [n] in the metric of the inertias is that of all coordinates of an island:
 * rounding of one is felt by the others. */
static void spread_sizes(const zw_sim *sim, double *size)
{
    const double *inertia = sim->run->step.inertia, *island = inertia + sim->zm->n;
    int32_t n = sim->zm->n;
    double *largest = sim->run->touching.z;
    memset(largest, 0, sizeof *largest * (size_t)n);
    for (int32_t j = 0; j < n; j++) {
        double *most = &largest[(int32_t)island[j]];
        *most = fmax(*most, sqrt(fabs(inertia[j])) * size[j]);
    }
    for (int32_t j = 0; j < n; j++)
        if (inertia[j] > 0.0) size[j] = largest[(int32_t)island[j]] / sqrt(inertia[j]);
}

/* Of each acceleration: what it would be without contacts, and what each of them adds. */
static void measure_accelerations(zw_sim *sim)
{
    const zr_space *s = sim->contacts->space;
    double *size = sim->run->touching.size;
    int32_t n = sim->zm->n;
    for (int32_t j = 0; j < n; j++) size[j] = s->rows > 0 ? fabs(s->z[j]) : 0.0;
    for (int32_t i = 0; i < s->rows; i++)
        for (int32_t j = 0; j < n; j++)
            size[j] += fabs(s->x[i] * s->Z[(size_t)i * (size_t)n + (size_t)j]);
    spread_sizes(sim, size);
}

void zr_clear_resting(const zw_sim *sim, double *z)
{
    const double *size = sim->run->touching.size;
    for (int32_t j = 0; j < sim->zm->n; j++)
        if (fabs(z[j]) <= 64.0 * DBL_EPSILON * size[j]) z[j] = 0.0;
}

/* Rank and roads of the mode that was entered. */
static void renew_roads(zw_sim *sim)
{
    zr_motion *run = sim->run;
    const zr_space *s = sim->contacts->space;
    int32_t rank = run->touching.base_rank;
    for (int32_t i = 0; i < s->rows; i++)
        if (s->holds[i] == ZG_ROW_BASIS) rank++;
    if (rank > zr_rows_on(sim)) rank = zr_rows_on(sim);
    bool independent = rank >= zr_rows_on(sim);
    run->solving.generic_rank = run->solving.generic_most = run->solving.rank = rank;
    run->stats.rank = rank;
    zg_system_know_independent(sim->solver->all.system, independent);
    run->solving.asks_fused = independent && zr_fused_serves(sim, &run->settings);
    zr_wake_roads(&run->solving);
}

/* What has changed between the mode before and the one now. */
static void note_changes(zw_sim *sim, double t)
{
    zr_contacts *c = sim->contacts;
    for (int32_t k = 0; k < c->laws->contacts; k++) {
        bool was = c->mode_before.touch[k] != ZR_OPEN, is = c->mode.touch[k] != ZR_OPEN;
        if (is && !was) c->tally[k].closings++;
        if (is && !was) c->tally[k].last = t;
        if (was && !is) c->tally[k].openings++;
        if (is != was) c->happened[k] |= is ? ZR_HAS_CLOSED : ZR_HAS_OPENED;
    }
    for (int32_t k = 0; k < c->laws->frictions; k++) {
        bool was = c->mode_before.grip[k] == ZR_STICKS, is = c->mode.grip[k] == ZR_STICKS;
        const zr_friction_roots *at = &c->laws->friction[k];
        int32_t contact = c->laws->contact_of_row[at->first_row];
        if (was == is || contact < 0) continue;
        if (is) c->tally[contact].sticks++;
        if (was && c->mode.grip[k] == ZR_SLIDES) c->tally[contact].slips++;
        c->happened[contact] |= is ? ZR_HAS_STUCK : ZR_HAS_SLIPPED;
    }
}

/* q, v [n] at t settle; what the motion goes on with is ready. */
static zw_status settle_run(zw_sim *sim, double t, double *y, const zr_happening *what)
{
    zr_motion *run = sim->run;
    zr_contacts *c = sim->contacts;
    double *q = y, *v = y + sim->zm->n;
    zr_energies before, after;
    zk_source s = zr_source(sim, t, q, v);
    zr_energies_at(sim, &s, &before);
    memcpy(c->mode_before.touch, c->mode.touch, (size_t)c->laws->contacts);
    memcpy(c->mode_before.grip, c->mode.grip, (size_t)c->laws->frictions);
    memset(c->happened, 0, (size_t)c->laws->contacts);
    ZB_TRY(zr_settle(sim, t, q, v, what));
    zr_energies_at(sim, &s, &after);
    run->stats.energy.impacts += after.h - before.h;
    note_changes(sim, t);
    measure_accelerations(sim);
    renew_roads(sim);
    return arm_functions(sim, t, q, v);
}

zw_status zr_touch_first(zw_sim *sim)
{
    zr_motion *run = sim->run;
    size_t n = (size_t)sim->zm->n;
    zr_happening what = {.impacts = true, .fresh = true};
    zr_open_all(sim);
    memcpy(run->step.y, sim->q, sizeof *sim->q * n);
    memcpy(run->step.y + n, sim->v, sizeof *sim->v * n);
    ZB_TRY(settle_run(sim, sim->t, run->step.y, &what));
    memcpy(sim->q, run->step.y, sizeof *sim->q * n);
    memcpy(sim->v, run->step.y + n, sizeof *sim->v * n);
    ZB_TRY(zr_restart(sim, sim->t));
    if (run->events.watch.count == 0) return ZW_OK;
    return zr_look_at_events(sim, sim->t, sim->q, sim->v, run->events.truth, run->events.gap);
}

/* The direction in which friction k, which sticks, lets go: against what holds it. */
static void write_release(const zw_sim *sim, int32_t k, zg_choice *choice)
{
    const zm_friction *f = &sim->zm->frictions[k];
    const zr_space *s = sim->contacts->space;
    double square = 0.0;
    for (int32_t j = 0; j < f->width; j++) {
        int32_t row = f->first_row + j;
        double tau = sim->contacts->mode.grips_depend && s->at[row] >= 0 ? s->other[s->at[row]]
                                                                         : sim->lambda[row];
        choice->direction[j] = -tau;
        square += tau * tau;
    }
    for (int32_t j = 0; j < f->width && square > 0.0; j++) choice->direction[j] /= sqrt(square);
}

/* What the functions that have fallen mean; forces at the state are in sim->lambda. To rounding the
 * mode before still serves: what happens is preferred to it. */
static zr_happening read_happening(zw_sim *sim)
{
    zr_touching *w = &sim->run->touching;
    zr_contacts *c = sim->contacts;
    zg_choice *forced = c->forced;
    zr_happening what = {
        .closing = w->closing, .resting = w->resting, .forced = forced, .impacts = true};
    for (int32_t k = 0; k < c->laws->contacts; k++) {
        bool closed = c->mode.touch[k] == ZR_CLOSED;
        w->closing[k] = w->turned[k] && !closed;
        if (w->turned[k])
            forced[what.forced_count++] =
                (zg_choice){.contact = k, .friction = -1, .state = closed ? ZG_OPEN : ZG_TOUCHING};
    }
    for (int32_t k = 0; k < c->laws->frictions; k++) {
        bool turned = w->turned[c->laws->contacts + k];
        w->resting[k] = turned && c->mode.grip[k] == ZR_SLIDES;
        if (!turned || c->mode.grip[k] != ZR_STICKS) continue;
        zg_choice choice = {.contact = -1, .friction = k, .state = ZG_SLIDE};
        write_release(sim, k, &choice);
        forced[what.forced_count++] = choice;
    }
    return what;
}

/* Moments that follow each other without time between. */
static zw_status mind_moments(zw_sim *sim, double t)
{
    zr_touching *w = &sim->run->touching;
    double span = fmax(fabs(t), 1e-3 * fabs(sim->run->settings.until - sim->run->record.start_t));
    bool at_once = t - w->last <= 1e-14 * (isfinite(span) ? span : fabs(t));
    w->at_once = at_once ? w->at_once + 1 : 0;
    w->last = t;
    w->moments++;
    return w->at_once > most_at_once ? ZW_ERR_CHATTER : ZW_OK;
}

/* The first step after it is not longer than the last one, nor than what has just left takes to
 * come back, about. */
static double choose_first_step(const zw_sim *sim, double before)
{
    const zr_contacts *c = sim->contacts;
    double h = before;
    for (int32_t k = 0; k < c->laws->contacts; k++) {
        double rate = c->gap[c->laws->contacts + k], back = -c->pull[k];
        bool leaves = (c->happened[k] & ZR_HAS_IMPACT) && c->mode.touch[k] == ZR_OPEN;
        if (leaves && rate > 0.0 && back > 0.0) h = fmin(h, 4.0 * rate / back);
    }
    return h;
}

/* What happens at t, inside the last step: run->step.y becomes the state after it. */
static zw_status settle_pending(zw_sim *sim, double t)
{
    double *y = sim->run->step.y;
    ZB_TRY(zr_read_state_inside(sim, t));
    zk_source s = zr_source(sim, t, y, y + sim->zm->n);
    ZB_TRY(find_values(sim, &s, sim->run->touching.value));
    zr_happening what = read_happening(sim);
    if (has_forces(sim->contacts)) what.z = sim->run->touching.z;
    return settle_run(sim, t, y, &what);
}

/* Events that what happened has turned true fire at the same moment, on what it has left. */
static zw_status look_at_events_after(zw_sim *sim, double t)
{
    zr_firing *e = &sim->run->events;
    const double *y = sim->run->step.y;
    if (e->watch.count == 0) return ZW_OK;
    ZB_TRY(zr_look_at_events(sim, t, y, y + sim->zm->n, e->seen, e->gap));
    for (int32_t k = 0; k < e->watch.count; k++) {
        e->turned[k] = e->seen[k] && !e->truth[k];
        e->pending = e->pending || e->turned[k];
        e->truth[k] = e->seen[k];
    }
    e->pending_t = t;
    return ZW_OK;
}

/* Conditions are held as they were in the step: a row must not become another one here. */
zw_status zr_meet_touch(zw_sim *sim)
{
    zr_motion *run = sim->run;
    zi_stepper *step = run->step.stepper;
    double t = run->events.pending_t, before = step->t - step->t_old;
    run->events.pending = run->touching.pending = false;
    ZB_TRY(mind_moments(sim, t));
    zr_hold_conditions(sim);
    zw_status status = settle_pending(sim, t);
    zr_show_conditions(sim);
    run->switching.decided = false;
    zw_status begun = zr_restart(sim, t);
    if (status != ZW_OK) return status;
    ZB_TRY(begun);
    if (step->method->pair) step->h = choose_first_step(sim, before);
    return look_at_events_after(sim, t);
}

/* Conditions are on the sides that were decided: at the surface itself they could be on either. */
zw_status zr_touch_again(zw_sim *sim)
{
    zr_motion *run = sim->run;
    zi_stepper *step = run->step.stepper;
    double t = step->t, h = step->h;
    zr_happening what = {.impacts = true};
    memcpy(run->step.y, zr_end_state(sim), sizeof(double) * (size_t)step->system.size);
    zr_hold_conditions(sim);
    zw_status status = settle_run(sim, t, run->step.y, &what);
    zr_show_conditions(sim);
    ZB_TRY(status);
    ZB_TRY(zr_restart(sim, t));
    if (step->method->pair) step->h = h;
    return ZW_OK;
}

/* ---------------------------------------------------------------------------- a step */

zw_status zr_find_touch(zw_sim *sim, double *t)
{
    zr_motion *run = sim->run;
    zr_touching *w = &run->touching;
    zi_stepper *s = run->step.stepper;
    zi_detection detection = {.turned = w->turned, .truth = w->seen};
    memset(w->truth, 0, (size_t)w->watch.count);
    zr_keep_trace(sim, &run->solving);
    zr_hold_conditions(sim);
    zw_status status = zi_locate(s, &w->watch, s->t_old, w->truth, w->locator, &detection);
    zr_show_conditions(sim);
    zr_put_back_trace(sim, &run->solving);
    *t = status == ZW_OK && detection.found ? detection.t : HUGE_VAL;
    return status;
}

/* Directions in a plane or in space follow the slip. */
static void turn_directions(zw_sim *sim)
{
    zr_contacts *c = sim->contacts;
    for (int32_t k = 0; k < c->laws->frictions; k++) {
        int32_t first = c->laws->friction[k].slip, width = sim->zm->frictions[k].width;
        double square = 0.0, small = 0.0;
        if (c->mode.grip[k] != ZR_SLIDES || width == 1) continue;
        for (int32_t j = first; j < first + width; j++) {
            square += c->slip[j] * c->slip[j];
            small = fmax(small, c->small.rate[c->laws->row_of_slip[j]]);
        }
        if (!(sqrt(square) > small)) continue;
        for (int32_t j = first; j < first + width; j++)
            c->mode.direction[j] = c->slip[j] / sqrt(square);
    }
    zr_show_directions(sim);
}

void zr_end_touching_step(zw_sim *sim)
{
    zr_touching *w = &sim->run->touching;
    zr_contacts *c = sim->contacts;
    const double *y = zr_end_state(sim);
    zk_source s = zr_source(sim, sim->run->step.stepper->t, y, y + sim->zm->n);
    if (find_values(sim, &s, w->value) != ZW_OK) return;
    for (int32_t k = 0; k < w->watch.count; k++)
        w->armed[k] = w->armed[k] || w->value[k] > w->band[k];
    for (int32_t k = 0; k < c->laws->contacts; k++)
        if (c->mode.touch[k] == ZR_IMPLIED && c->gap[k] > 10.0 * w->band[k])
            c->mode.touch[k] = ZR_OPEN;
    turn_directions(sim);
}
