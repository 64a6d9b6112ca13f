/*
 * Directions of what slides in a plane or in space, from step to step, and what of it creeps: its slip
 * s = r d is so small that it turns at once (solve/creep.c). To follow that takes steps of r / J; to
 * leave it out costs accuracy, which shows in the slip itself: what it has across the direction that
 * the forces give it,
 *
 *     off = |s - (s d) d|
 *
 * A step of what creeps ends with a slip that has nothing across, and how far that moves it counts as
 * error of the step. What slides begins to creep where it rests, or where steps are long for r / J and
 * nothing is off; it ends where steps become short for that, as r grows.
 */
#include <math.h>
#include <string.h>

#include "contact_record.h"
#include "creep.h"
#include "road_fused.h"

/* Times J / r: a step is long from this on, and no longer below. */
static const double long_step = 1.6, short_step = 1.0;
/* In tolerances: what may be off where it begins. */
static const double off_to_begin = 0.25;
/* Of J - r': slips that end faster than this end before they turn: steps that are in proportion to
 * them follow. (Of J: those that grow faster than zr_slow_gain likewise.) */
static const double slow_end = 0.25;
/* Of a step: the span over which d is seen to turn. It stays as long as steps are alike. */
/* Slips that are so many times as large as small ones may be those of the same body. */
static const double at_once = 100.0;
static const double span_of_step = 1e-4, least_part = 1e-3, alike = 30.0;

static bool is_wide(const zw_sim *sim, int32_t k)
{
    return sim->contacts->mode.grip[k] == ZR_SLIDES && sim->zm->frictions[k].width > 1;
}

static bool any_slides_wide(const zw_sim *sim)
{
    const zr_contacts *c = sim->contacts;
    for (int32_t k = 0; c->sliding > 0 && k < c->laws->frictions; k++)
        if (is_wide(sim, k)) return true;
    return false;
}

static double length_of_slip(const zw_sim *sim, int32_t k)
{
    const zr_contacts *c = sim->contacts;
    const double *slip = c->slip + c->laws->friction[k].slip;
    double square = 0.0;
    for (int32_t j = 0; j < sim->zm->frictions[k].width; j++) square += slip[j] * slip[j];
    return sqrt(square);
}

/* What the tolerance of the stepper is in slips of friction k. T is there. */
double zr_slip_tolerance(const zw_sim *sim, int32_t k)
{
    const zr_contacts *c = sim->contacts;
    const zr_pattern *T = &c->laws->T;
    const double *absolute = zi_absolute(sim->run->step.stepper) + sim->zm->n;
    int32_t first = c->laws->friction[k].slip;
    double most = 0.0;
    for (int32_t j = first; j < first + sim->zm->frictions[k].width; j++) {
        double sum = 0.0;
        for (int32_t p = T->start[j]; p < T->start[j + 1]; p++)
            sum += fabs(c->T[p]) * absolute[T->column[p]];
        most = fmax(most, sum);
    }
    return most;
}

/* What of the slip of number e is across its direction, in tolerances; not found: too much. */
static double find_off(const zw_sim *sim, int32_t e)
{
    const zr_contacts *c = sim->contacts;
    const zr_creeping *is = &c->creep.list[e];
    int32_t first = c->laws->friction[is->friction].slip;
    int32_t last = first + sim->zm->frictions[is->friction].width;
    double along = 0.0, square = 0.0, most = zr_slip_tolerance(sim, is->friction);
    for (int32_t j = first; j < last; j++) along += c->slip[j] * c->creep.direction[j];
    for (int32_t j = first; j < last; j++) {
        double part = c->slip[j] - along * c->creep.direction[j];
        square += part * part;
    }
    return square > 0.0 ? sqrt(square) / most : 0.0;
}

/* Whether number e may creep in the step to come, of length h; `was`: it has in the last one. Where steps
 * do not end with a projection nothing else minds what it is off by. */
static bool may_creep(const zw_sim *sim, int32_t e, double h, bool was)
{
    const zr_creeping *is = &sim->contacts->creep.list[e];
    double stiff = is->relaxing - is->gain;
    bool minded = was && sim->run->step.stepper->system.project;
    if (!is->found || (!minded && !(find_off(sim, e) <= off_to_begin))) return false;
    if (!(is->gain <= zr_slow_gain * is->relaxing) || !(is->gain >= -slow_end * stiff))
        return false;
    return h * is->relaxing >= (was ? short_step : long_step) * fabs(is->along);
}

/* A slip that may be small enough: so that its square is about the tolerance of the motion. */
static bool is_slip_small(const zw_sim *sim, int32_t k, double times)
{
    double most = zr_slip_tolerance(sim, k) / pow(sim->run->settings.tol, 0.6);
    return length_of_slip(sim, k) <= times * most;
}

/* What may creep does, to be asked for: in mode.creeps; and where anything may, all whose slips are
 * not many times as large: those of one body are small together. How many. */
static int32_t list_candidates(zw_sim *sim, bool together)
{
    zr_mode *mode = &sim->contacts->mode;
    int32_t frictions = sim->contacts->laws->frictions, count = 0;
    for (int32_t k = 0; k < frictions; k++)
        if (mode->creeps[k]) count++;
    for (int pass = 0; pass < 2; pass++) {
        double times = pass == 0 ? 1.0 : at_once;
        for (int32_t k = 0; k < frictions && (pass == 0 || (together && count > 0)); k++) {
            if (!is_wide(sim, k) || mode->creeps[k] || count >= ZR_MOST_CREEPING) continue;
            if (!is_slip_small(sim, k, times)) continue;
            mode->creeps[k] = true;
            count++;
        }
    }
    return count;
}

/* The length of the step to come, about. */
static double find_step_length(const zw_sim *sim)
{
    const zi_stepper *s = sim->run->step.stepper;
    double left = sim->run->settings.until - s->t;
    if (s->h > 0.0) return s->h;
    return isfinite(left) ? 1e-3 * left : 1e-3;
}

/* Of those that were asked for: a group creeps where all of it may. */
static void keep_groups_together(zw_sim *sim, double h, const bool *was)
{
    zr_contacts *c = sim->contacts;
    bool may[ZR_MOST_CREEPING];
    for (int32_t e = 0; e < c->creep.count; e++)
        may[e] = may_creep(sim, e, h, was[c->creep.list[e].friction]);
    for (int32_t e = 0; e < c->creep.count; e++) {
        bool all = true;
        for (int32_t i = 0; i < c->creep.count; i++)
            if (c->creep.list[i].group == c->creep.list[e].group) all = all && may[i];
        c->mode.creeps[c->creep.list[e].friction] = all;
    }
}

/* What creeps of all that may, into mode.creeps; whether all does that has, or is small. together: others
 * that may be of the same body are asked for, too. */
static bool try_creeping(zw_sim *sim, const zk_source *s, const bool *was, bool together)
{
    zr_contacts *c = sim->contacts;
    bool *wanted = sim->run->touching.wanted, all = true;
    size_t frictions = (size_t)c->laws->frictions;
    memcpy(c->mode.creeps, was, sizeof *was * frictions);
    if (list_candidates(sim, false) == 0) return true;
    memcpy(wanted, c->mode.creeps, sizeof *wanted * frictions);
    if (together) (void)list_candidates(sim, true);
    zr_follow_creep(sim, &sim->run->solving, s);
    keep_groups_together(sim, find_step_length(sim), was);
    for (size_t k = 0; k < frictions; k++) all = all && (!wanted[k] || c->mode.creeps[k]);
    return all;
}

/* Which of those that may creep do so; whether that is something new. A span serves until nothing
 * creeps, or steps are others. */
static bool choose_creeping(zw_sim *sim, const zk_source *s, const bool *was)
{
    zr_contacts *c = sim->contacts;
    double h = find_step_length(sim);
    double span = span_of_step * fmax(h, least_part * sim->run->step.stepper->counts.largest);
    bool changed = false, any = false;
    bool serves = c->creeping > 0 && span < alike * c->mode.span && c->mode.span < alike * span;
    if (!serves) c->mode.span = span;
    if (!try_creeping(sim, s, was, true)) (void)try_creeping(sim, s, was, false);
    for (int32_t k = 0; k < c->laws->frictions; k++) {
        changed = changed || c->mode.creeps[k] != was[k];
        any = any || c->mode.creeps[k];
    }
    return changed || (any && !serves);
}

/* Another law from here on: nothing that is known of the last step serves the next one. */
static zw_status begin_law(zw_sim *sim)
{
    zr_motion *run = sim->run;
    zi_stepper *s = run->step.stepper;
    double h = s->h;
    zr_enter_mode(sim);
    run->solving.asks_fused = run->solving.generic_rank >= zr_rows_on(sim) &&
                              zr_fused_serves(sim, &run->settings) && !zr_on_compromise(sim);
    memcpy(run->step.y, zr_end_state(sim), sizeof(double) * (size_t)s->system.size);
    ZB_TRY(zr_restart(sim, s->t));
    if (s->method->pair) s->h = h;
    return ZW_OK;
}

/* Directions of the mode: of slips, or those of what creeps. */
static void write_directions(zw_sim *sim)
{
    zr_contacts *c = sim->contacts;
    for (int32_t k = 0; k < c->laws->frictions; k++) {
        int32_t first = c->laws->friction[k].slip, width = sim->zm->frictions[k].width;
        double length = 0.0, small = 0.0;
        if (!is_wide(sim, k)) continue;
        bool creeps = zr_creeps_along(c, k);
        length = length_of_slip(sim, k);
        for (int32_t j = first; j < first + width; j++)
            small = fmax(small, c->small.rate[c->laws->row_of_slip[j]]);
        for (int32_t j = first; j < first + width && (creeps || length > small); j++)
            c->mode.direction[j] = creeps ? c->creep.direction[j] : c->slip[j] / length;
    }
    zr_show_directions(sim);
}

/* They are those of the step until the next one begins: its dense output may still be asked for. */
zw_status zr_turn_directions(zw_sim *sim)
{
    zr_contacts *c = sim->contacts;
    bool *was = sim->run->touching.crept, changed = false;
    if (!any_slides_wide(sim)) return ZW_OK;
    const double *y = zr_end_state(sim);
    zk_source s = zr_source(sim, sim->run->step.stepper->t, y, y + sim->zm->n);
    zr_evaluate_frictions(sim, &s);
    memcpy(was, c->mode.creeps, sizeof *was * (size_t)c->laws->frictions);
    if (list_candidates(sim, false) > 0) changed = choose_creeping(sim, &s, was);
    write_directions(sim);
    return changed ? begin_law(sim) : ZW_OK;
}
