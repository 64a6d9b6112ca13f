/*
 * The functions that tell what happens to contacts (zr_touching in run.h). Those of closed contacts
 * and of what sticks are forces: they are those of the acceleration at the state. Where rows that
 * stick depend on each other they are margins in contact space.
 *
 * The stages of a step evaluate accelerations, and with them most of the functions. They are
 * *sampled* there, and at both ends of the step: a step in which all functions stay clear of 0, by a
 * part of the way they go, need not be searched. Stages are about on the motion, as far from it as
 * the tolerance of the step allows and a little more.
 */
#include "touch_values.h"

#include <math.h>
#include <string.h>

#include "road_fused.h"
#include "road_parts.h"
#include "settle.h"

/* Of the way that a function goes: as near 0 it may come without a search. A parabola goes below
 * the least of the samples of any pair by less than a tenth of it. */
static const double clear_part = 0.25;
/* Ways through the whole range, at the largest rate of a step, that samples can follow. */
static const double most_turns = 8.0;

/* ------------------------------------------------------------------------- functions */

bool zr_has_touch_forces(const zr_contacts *c)
{
    for (int32_t k = 0; k < c->laws->contacts; k++)
        if (c->mode.touch[k] != ZR_OPEN) return true;
    for (int32_t k = 0; k < c->laws->frictions; k++)
        if (c->laws->friction[k].joint) return true;
    return c->laws->accelerated;
}

/* What sticks, or presses, follows from other rows: functions are those of the best share in contact space. */
static bool has_margins(const zr_contacts *c)
{
    return c->mode.grips_depend || (c->mode.dependent && (c->laws->presses > 0 || c->sliding > 0));
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
    if (!z && solver->road == ZR_PARTS) zr_take_parts_multipliers(sim);
    if (z || solver->road == ZR_FUSED) {
        const double *lambda = solver->fused_out + solver->form->places.acting;
        memcpy(sim->lambda, lambda, sizeof *lambda * (size_t)sim->zm->m);
        return ZW_OK;
    }
    if (sim->drive || zr_any_slides(sim) || sim->model->nonideal.count == 0) return ZW_OK;
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

/* What rounding of accelerations has made of slip j until t. Where nothing moves speeds have no size of their own. */
static double round_slip(const zw_sim *sim, int32_t j, double t)
{
    const zr_contacts *c = sim->contacts;
    const zr_pattern *T = &c->laws->T;
    double sum = 0.0;
    for (int32_t p = T->start[j]; p < T->start[j + 1]; p++)
        sum += fabs(c->T[p]) * sim->run->touching.least[T->column[p]];
    return sum * fabs(t - sim->run->record.start_t);
}

/* Friction k, which sticks, need not hold where something else keeps it at rest, a motor or an equation. 1 at rest;
 * below 0 once that moves it. */
static double look_at_rest(const zw_sim *sim, int32_t k, double t)
{
    const zr_contacts *c = sim->contacts;
    double value = 1.0;
    if (c->mode.grip[k] != ZR_STICKS) return value;
    int32_t first = c->laws->friction[k].slip;
    for (int32_t j = first; j < first + sim->zm->frictions[k].width; j++) {
        double small = fmax(c->small.rate[c->laws->row_of_slip[j]], round_slip(sim, j, t));
        if (c->mode.held[j] || !(small > 0.0)) continue;
        value = fmin(value, 1.0 - 0.5 * fabs(c->slip[j]) / small);
    }
    return value;
}

/* What presses friction k from its side, where it slides. */
static double look_at_press(const zw_sim *sim, int32_t k)
{
    const zr_contacts *c = sim->contacts;
    const zr_friction_roots *at = &c->laws->friction[k];
    if (!at->sided || c->mode.grip[k] != ZR_SLIDES) return 1.0;
    return c->mode.side[k] * sim->lambda[at->first_row];
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

/* Of the program at hand: functions, and rates of open contacts. */
static const double *fused_watch(const zw_sim *sim)
{
    return sim->solver->fused_out + sim->solver->form->places.watch;
}

/* The same by the fused program; false: it does not serve. */
static bool find_values_fused(zw_sim *sim, const zk_source *s, double *value)
{
    zr_contacts *c = sim->contacts;
    zr_touching *w = &sim->run->touching;
    const zr_solver *solver = sim->solver;
    int32_t contacts = c->laws->contacts, count = w->watch.count;
    if (!sim->run->solving.asks_fused) return false;
    const double *z = zr_fused_acceleration(sim, &s->time, s->position, s->velocity);
    if (!z) return false;
    const double *watch = fused_watch(sim);
    memcpy(value, watch, sizeof *value * (size_t)count);
    memcpy(c->gap, watch, sizeof *watch * (size_t)contacts);
    memcpy(c->gap + contacts, watch + count, sizeof *watch * (size_t)contacts);
    memcpy(w->z, z, sizeof *z * (size_t)sim->zm->n);
    memcpy(sim->lambda, solver->fused_out + solver->form->places.acting,
           sizeof *z * (size_t)sim->zm->m);
    return true;
}

/* From the acting multipliers. */
static void find_values_of_forces(zw_sim *sim, const zk_source *s, double *value)
{
    zr_contacts *c = sim->contacts;
    int32_t contacts = c->laws->contacts;
    if (c->not_closed > 0) zr_evaluate_gaps(sim, s);
    if (c->laws->frictions > 0) zr_evaluate_frictions(sim, s);
    const int32_t *row = c->laws->row_of_contact;
    for (int32_t k = 0; k < contacts; k++)
        value[k] = c->mode.touch[k] == ZR_CLOSED ? sim->lambda[row[k]] : look_at_gap(sim, k);
    for (int32_t k = 0; k < c->laws->frictions; k++) {
        uint8_t grip = c->mode.grip[k];
        value[contacts + k] = grip == ZR_SLIDES   ? look_at_slip(sim, k)
                              : grip == ZR_STICKS ? look_at_grip(sim, s, k)
                                                  : 1.0;
        double rest = look_at_rest(sim, k, s->time);
        if (rest < 1.0) value[contacts + k] = rest < 0.0 ? rest : rest * value[contacts + k];
    }
    for (int32_t k = 0; k < c->laws->presses; k++)
        value[contacts + c->laws->frictions + k] = look_at_press(sim, k);
}

/* A single share may pass 0 where nothing happens: contacts have that of the margins. Where friction sticks
 * its margin falls with what presses. */
static void read_margins(const zr_contacts *c, double *value)
{
    const zr_space *space = c->space;
    for (int32_t i = 0; i < space->contacts; i++)
        if (c->mode.touch[space->contact[i]] == ZR_CLOSED)
            value[space->contact[i]] = space->other[space->is_contact[i].normal];
    for (int32_t f = 0; f < space->frictions; f++) {
        int32_t presser = space->is_friction[f].contact, k = space->friction[f];
        if (c->mode.grip[k] == ZR_SLIDES && c->laws->friction[k].sided)
            value[c->laws->contacts + c->laws->frictions + k] = space->margin[f];
        if (c->mode.grip[k] != ZR_STICKS) continue;
        value[c->laws->contacts + k] = space->margin[f];
        if (presser >= 0) value[space->contact[presser]] = 1.0;
    }
}

zw_status zr_find_touch_values(zw_sim *sim, const zk_source *s, double *value)
{
    zr_contacts *c = sim->contacts;
    if (!find_values_fused(sim, s, value)) {
        zk_source at = *s;
        bool forces = zr_has_touch_forces(c);
        if (forces) ZB_TRY(find_acting_multipliers(sim, s));
        if (forces) at.acceleration = sim->run->touching.z;
        find_values_of_forces(sim, &at, value);
    }
    if (!has_margins(c)) return ZW_OK;
    ZB_TRY(find_margins(sim, s));
    read_margins(c, value);
    zr_evaluate_frictions(sim, s);
    for (int32_t k = 0; k < c->laws->frictions; k++) {
        double rest = look_at_rest(sim, k, s->time);
        if (rest < 0.0) value[c->laws->contacts + k] = rest;
    }
    return ZW_OK;
}

/* --------------------------------------------------------------------------- samples */

void zr_forget_samples(zw_sim *sim)
{
    zr_touching *w = &sim->run->touching;
    for (int32_t k = 0; k < w->watch.gaps; k++) {
        w->low[k] = HUGE_VAL;
        w->high[k] = -HUGE_VAL;
    }
    w->sampled = true;
    w->sample_t = (double)NAN;
}

void zr_keep_last_sample(zw_sim *sim)
{
    zr_touching *w = &sim->run->touching;
    size_t bytes = sizeof *w->sample * (size_t)w->watch.gaps;
    bool known = w->sample_t == sim->run->step.stepper->t;
    zr_forget_samples(sim);
    if (!known) {
        w->sampled = false;
        return;
    }
    w->sample_t = sim->run->step.stepper->t;
    memcpy(w->low, w->sample, bytes);
    memcpy(w->high, w->sample, bytes);
}

/* x [count] at t. A NaN is never the least: what is left of it is that it is the last one, or the
 * range. */
static void add_sample(zr_touching *w, const double *x, int32_t count, double t)
{
    w->sampled = w->sweep->widen_ranges(count, x, w->low, w->high) && w->sampled;
    w->sample_t = t;
}

/* Where all contacts are closed nobody asks for their rates. */
static int32_t count_sampled(const zw_sim *sim)
{
    const zi_watch *watch = &sim->run->touching.watch;
    return sim->contacts->not_closed > 0 ? watch->gaps : watch->count;
}

/* Gaps of open contacts may go faster than forces: they are sampled at all stages. */
bool zr_is_stage_spare(const zw_sim *sim)
{
    const zr_touching *w = &sim->run->touching;
    return sim->contacts->not_closed == 0 && (w->spare >> sim->run->step.stepper->stage & 1u);
}

void zr_sample_fused(zw_sim *sim, double t)
{
    zr_touching *w = &sim->run->touching;
    if (!w->sampled) return;
    int32_t count = count_sampled(sim);
    const double *watch = fused_watch(sim);
    for (int32_t k = 0; k < count; k++) w->sample[k] = watch[k];
    add_sample(w, watch, count, t);
}

/* The multipliers of the last acceleration at this state are there. */
void zr_sample_touch(zw_sim *sim, const zk_source *s)
{
    zr_touching *w = &sim->run->touching;
    const zr_contacts *c = sim->contacts;
    int32_t contacts = c->laws->contacts, count = count_sampled(sim);
    if (!w->sampled) return;
    if (sim->solver->road == ZR_FUSED) {
        zr_sample_fused(sim, s->time);
        return;
    }
    bool whole = sim->drive || sim->model->nonideal.count == 0 || zr_any_slides(sim);
    if (!whole || has_margins(c)) {
        w->sampled = false;
        return;
    }
    if (sim->solver->road == ZR_PARTS && c->laws->frictions == 0 && c->not_closed == 0) {
        zr_take_contact_multipliers(sim, w->sample);
    } else {
        if (sim->solver->road == ZR_PARTS) zr_take_parts_multipliers(sim);
        find_values_of_forces(sim, s, w->sample);
    }
    for (int32_t k = 0; count > w->watch.count && k < contacts; k++)
        w->sample[w->watch.count + k] = c->mode.touch[k] == ZR_CLOSED ? 1.0 : c->gap[contacts + k];
    add_sample(w, w->sample, count, s->time);
}

/* What the search asks for: functions that stay clear of 0 in the step are 1. Where these are all
 * that need forces, nothing is solved. */
zw_status zr_find_searched_values(zw_sim *sim, const zk_source *s, double *value)
{
    const zr_touching *w = &sim->run->touching;
    if (w->needs_forces) {
        ZB_TRY(zr_find_touch_values(sim, s, value));
    } else if (!find_values_fused(sim, s, value)) {
        zr_evaluate_gaps(sim, s);
        for (int32_t k = 0; k < w->watch.count; k++)
            value[k] = w->clear[k] ? 1.0 : look_at_gap(sim, k);
    }
    for (int32_t k = 0; k < w->watch.count; k++)
        if (w->clear[k]) value[k] = 1.0;
    return ZW_OK;
}

bool zr_take_last_sample(zw_sim *sim)
{
    zr_touching *w = &sim->run->touching;
    zr_contacts *c = sim->contacts;
    int32_t contacts = c->laws->contacts;
    if (!w->sampled || w->sample_t != sim->run->step.stepper->t || has_margins(c)) return false;
    memcpy(w->value, w->sample, sizeof *w->value * (size_t)w->watch.count);
    memcpy(c->gap, w->sample, sizeof *w->value * (size_t)contacts);
    memcpy(c->gap + contacts, w->sample + w->watch.count, sizeof *w->value * (size_t)contacts);
    return true;
}

/* The gap of an open contact k stays clear of 0: it is too far away for its rates, it rises, or it is
 * as any other function and does not go to and fro faster than samples can tell. */
static bool is_gap_clear(const zr_touching *w, int32_t k, double low, double range, double h)
{
    double slow = w->low[w->watch.count + k], fast = w->high[w->watch.count + k];
    double way = h * fmax(fabs(slow), fabs(fast));
    if (low > 2.0 * way || slow > clear_part * (fast - slow)) return true;
    return low > clear_part * range && way <= most_turns * range;
}

/* Function k is a gap of positions. */
static bool is_gap(const zw_sim *sim, int32_t k)
{
    const zr_contacts *c = sim->contacts;
    return k < c->laws->contacts && c->mode.touch[k] != ZR_CLOSED &&
           sim->row_kind[sim->zm->contacts[k].row] == ZM_HOLONOMIC;
}

/* None of the functions, which are forces and slips, comes near 0: then nobody asks which do. */
static bool are_all_clear(const zr_touching *w)
{
    int near = 0;
    for (int32_t k = 0; k < w->watch.count; k++) { /* no branch */
        double low = w->low[k] + (w->armed[k] ? 0.0 : w->band[k]), range = w->high[k] - w->low[k];
        near |= !(low > clear_part * range);
    }
    return !near;
}

/* Samples are there only of pairs of Runge and Kutta, whose last evaluation is at the end of the
 * step. */
bool zr_is_touch_quiet(zw_sim *sim)
{
    zr_touching *w = &sim->run->touching;
    const zi_stepper *s = sim->run->step.stepper;
    bool known = s->method->pair && w->sampled && w->sample_t == s->t && !w->thorough &&
                 !has_margins(sim->contacts);
    bool quiet = known;
    w->needs_forces = !known;
    if (known && sim->contacts->not_closed == 0 && are_all_clear(w)) return true;
    for (int32_t k = 0; k < w->watch.count; k++) {
        double low = w->low[k] + (w->armed[k] ? 0.0 : w->band[k]), range = w->high[k] - w->low[k];
        bool gap = is_gap(sim, k);
        w->clear[k] = known && (gap ? is_gap_clear(w, k, low, range, s->t - s->t_old)
                                    : low > clear_part * range);
        quiet = quiet && w->clear[k];
        if (!w->clear[k] && !gap) w->needs_forces = true;
    }
    return quiet;
}
