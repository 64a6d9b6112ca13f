/*
 * Firing events that have come: at the time that was found the state is read from the dense
 * output, the events fire in declared order, each from the values the one before has left, and the
 * result is brought onto the constraints. What a reset turns true fires as well. Then the stepper
 * starts anew.
 *
 * An event that comes again without time going on (a ball that comes to rest by bouncing, a relay
 * that chatters) ends the run: after `patience` times in a row within what time can resolve, or
 * `long_patience` times within a ten-millionth of the run each.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "run.h"

enum { patience = 3, long_patience = 500, most_rounds = 100 };

/* What the search for events calls: y as the stepper has it. */
zw_status zr_watch_look(void *user, double t, const double *y, bool *truth, double *gap)
{
    zw_sim *sim = user;
    const double *q = zr_model_order(sim, y);
    return zr_look_at_events(sim, t, q, q + sim->zm->n, truth, gap);
}

/* h at y = (q, v) in the order of the model. */
static double energy_at(zw_sim *sim, double t, const double *y)
{
    zk_source s = zr_source(sim, t, y, y + sim->zm->n);
    zr_energies e;
    zr_energies_at(sim, &s, &e);
    return e.h;
}

/* What impacts and friction have done so far: an event does the rest of what happens at its moment. */
static double lost_at_contacts(const zw_sim *sim, const double *y)
{
    const zr_motion *run = sim->run;
    int32_t place = run->record.work_place[ZR_FRICTION];
    return run->stats.energy.impacts + (place >= 0 ? y[2 * sim->zm->n + place] : 0.0);
}

/* Time between this firing and the one before of the same event, against what time can resolve. */
static zw_status mind_pace(zw_sim *sim, int32_t event, double t)
{
    zr_motion *run = sim->run;
    zr_pace *own = &run->events.pace[event];
    double end = isnan(run->settings.until) ? t : run->settings.until;
    double span = fmax(fabs(t), 1e-3 * (end - run->record.start_t)), between = t - own->last;
    double ratio = own->between > 0.0 ? between / own->between : 0.0;
    own->at_once = between <= 1e-12 * span ? own->at_once + 1 : 0; /* not of the first: NaN */
    own->soon = between <= 1e-7 * span ? own->soon + 1 : 0;
    own->between = between;
    own->last = t;
    run->events.chatter[0] = own->soon > 0 ? run->events.last_event : event;
    run->events.chatter[1] = event;
    run->events.chatter_t = ratio > 0.0 && ratio < 1.0 ? t + between * ratio / (1.0 - ratio) : t;
    run->events.last_fired = t;
    run->events.last_event = event;
    bool stands = own->at_once >= patience || own->soon >= long_patience;
    return stands ? ZW_ERR_CHATTER : ZW_OK;
}

/* Counted, and listed while there is room. */
static void record_firing(zr_motion *run, int32_t event, double t)
{
    zw_happened happened = {.t = t, .kind = ZW_HAPPENS_WHEN, .number = event};
    run->stats.events++;
    run->events.fired_of[event]++;
    if (run->events.fired_count < zr_most_fired)
        run->events.fired[run->events.fired_count++] = (zw_fired){.t = t, .event = event};
    zr_log(run, &happened);
}

/* All that have turned, in declared order. *changed: a value was set. */
static zw_status fire_turned(zw_sim *sim, double t, int32_t round, double *y, bool *changed)
{
    zr_motion *run = sim->run;
    for (int32_t e = 0; e < run->events.watch.count && !run->events.stopped; e++) {
        if (!run->events.turned[e]) continue;
        record_firing(run, e, t);
        run->events.just_fired[e] = true;
        ZB_TRY(mind_pace(sim, e, t));
        run->events.stopped = zr_event_stops(sim->model, e);
        run->events.stopper = e;
        if (round == 0) ZB_TRY(zr_carry_crossing(sim, e, t, y));
        if (run->events.stopped) break;
        ZB_TRY(zr_carry_reset(sim, e, t, y));
        ZB_TRY(zr_set_new_values(sim, e, t, y, y + sim->zm->n));
        *changed = true;
    }
    return ZW_OK;
}

/* What a change of the state has turned true fires, too. truth, of before, becomes that of now. */
static bool look_again(zw_sim *sim, double t, const double *y, zw_status *status)
{
    zr_motion *run = sim->run;
    bool any = false;
    *status = zr_look_at_events(sim, t, y, y + sim->zm->n, run->events.seen, run->events.gap);
    for (int32_t e = 0; e < run->events.watch.count; e++) {
        bool was = run->events.truth[e] || run->events.turned[e];
        run->events.truth[e] = run->events.seen[e];
        run->events.turned[e] = run->events.seen[e] && !was;
        any = any || run->events.turned[e];
    }
    return any && *status == ZW_OK;
}

/* ------------------------------------------------------------ before and after */

zw_status zr_read_state_inside(zw_sim *sim, double t)
{
    zr_motion *run = sim->run;
    if (t == run->step.stepper->t) return zr_take_end_state(sim);
    ZB_TRY(zr_inner_state(sim, t));
    if (!run->step.stepper->system.project) return ZW_OK;
    return zr_project(sim, &run->solving, t, run->step.y, run->step.y + sim->zm->n, false);
}

/* The last moment at which none of those that turn is true, a few units in the last place of time
 * before: a ball that is to bounce stands on the floor, not in it. */
static zw_status stand_before(zw_sim *sim, double *t)
{
    zr_motion *run = sim->run;
    const zi_stepper *step = run->step.stepper;
    double unit = fmax(DBL_EPSILON * fabs(*t), 0x1p-60 * (step->t - step->t_old));
    for (int k = 0; k < 32; k++) {
        double at = *t - ldexp(unit, k);
        bool free = true;
        if (at < step->t_old) break;
        ZB_TRY(zr_read_state_inside(sim, at));
        ZB_TRY(zr_look_at_events(sim, at, run->step.y, run->step.y + sim->zm->n, run->events.seen,
                                 run->events.gap));
        for (int32_t e = 0; e < run->events.watch.count; e++)
            free = free && !(run->events.turned[e] && run->events.seen[e]);
        if (!free) continue;
        memcpy(run->events.truth, run->events.seen, (size_t)run->events.watch.count);
        *t = at;
        return ZW_OK;
    }
    return zr_read_state_inside(sim, *t);
}

/* Where the motion goes on to from here, a little way straight ahead. */
static zw_status look_straight_ahead(zw_sim *sim, double t, const double *y)
{
    zr_motion *run = sim->run;
    int32_t n = sim->zm->n;
    double by = 1e-7 * (run->step.stepper->t - run->step.stepper->t_old);
    zk_source s = zr_source(sim, t, y, y + n);
    zr_wanted wanted = {.at = &s, .z = run->step.z};
    ZB_TRY(zr_accelerate(sim, &run->solving, &wanted));
    for (int32_t j = 0; j < n; j++) {
        run->events.ahead[j] = y[j] + by * y[n + j];
        run->events.ahead[n + j] = y[n + j] + by * run->step.z[j];
    }
    return zr_look_at_events(sim, t + by, run->events.ahead, run->events.ahead + n,
                             run->events.seen, run->events.gap_ahead);
}

/* An event that has fired waits until it has been false, unless the motion now leads away from it:
 * then it may fire again, however soon that is. run->events.gap is of the state itself. */
static zw_status rearm_events(zw_sim *sim, double t, const double *y)
{
    zr_motion *run = sim->run;
    const zi_watch *watch = &run->events.watch;
    int32_t first = watch->gaps - 2 * watch->equalities;
    ZB_TRY(look_straight_ahead(sim, t, y));
    for (int32_t e = 0; e < watch->count; e++)
        if (run->events.just_fired[e]) run->events.truth[e] = run->events.seen[e];
    for (int32_t k = 0; k < watch->equalities; k++) {
        double here = run->events.gap[first + k], there = run->events.gap_ahead[first + k];
        bool away = here * there >= 0.0 && fabs(there) > fabs(here);
        if (run->events.just_fired[watch->owner[k]] && !away)
            run->events.truth[watch->owner[k]] = true;
    }
    return ZW_OK;
}

/* What an event sets is brought onto the constraints: what that does to the energy is remembered.
 */
static zw_status bring_onto_constraints(zw_sim *sim, double t, double *y)
{
    zr_motion *run = sim->run;
    double given = energy_at(sim, t, y);
    zr_carry_set_values(sim, y);
    ZB_TRY(zr_project(sim, &run->solving, t, y, y + sim->zm->n, false));
    ZB_TRY(zr_carry_onto_rows(sim, t, y));
    double jump = energy_at(sim, t, y) - given;
    if (fabs(jump) <= fabs(run->events.jump)) return ZW_OK;
    run->events.jump = jump;
    run->events.jump_t = t;
    run->events.jump_event = run->events.last_event;
    return ZW_OK;
}

/* run->step.y becomes the state after the events, at *t. */
static zw_status fire_pending(zw_sim *sim, double *when)
{
    zr_motion *run = sim->run;
    double t = run->events.pending_t, *y = run->step.y;
    int32_t rounds = 0;
    zw_status status = ZW_OK;
    bool projects = run->step.stepper->system.project != NULL, changed = false;
    run->events.pending = false;
    zr_wake_roads(&run->solving);
    memset(run->events.just_fired, 0, (size_t)run->events.watch.count);
    ZB_TRY(stand_before(sim, &t));
    *when = t;
    ZB_TRY(zr_carry_to_event(sim, t));
    memcpy(run->step.stage, y, sizeof *y * 2 * (size_t)sim->zm->n);
    double before = energy_at(sim, t, y), lost = lost_at_contacts(sim, y);
    do {
        changed = false;
        ZB_TRY(fire_turned(sim, t, rounds, y, &changed));
        run->events.resetting = true;
        if (changed && sim->contacts) zr_let_all_go(sim);
        if (changed && projects) ZB_TRY(bring_onto_constraints(sim, t, y));
        if (changed && sim->contacts) ZB_TRY(zr_touch_set_values(sim, t, y));
        run->events.resetting = false;
        if (++rounds > most_rounds) return ZW_ERR_CHATTER;
    } while (!run->events.stopped && look_again(sim, t, y, &status));
    ZB_TRY(status);
    if (!run->events.stopped) ZB_TRY(zr_renew_conflicts(sim, t));
    if (!run->events.stopped) ZB_TRY(rearm_events(sim, t, y));
    ZB_TRY(zr_carry_from_event(sim, t, y));
    run->stats.energy.events += energy_at(sim, t, y) - before - (lost_at_contacts(sim, y) - lost);
    return ZW_OK;
}

zw_status zr_fire_what_turned(zw_sim *sim, double t, const double *y)
{
    zr_motion *run = sim->run;
    zw_status status;
    if (run->events.watch.count == 0) return ZW_OK;
    memset(run->events.turned, 0, (size_t)run->events.watch.count);
    run->events.pending = look_again(sim, t, y, &status);
    run->events.pending_t = t;
    return status;
}

/* Also when it fails the run ends here, not where the step ended that passed the events. */
zw_status zr_fire(zw_sim *sim)
{
    zr_motion *run = sim->run;
    double t = run->events.pending_t;
    zw_status status = fire_pending(sim, &t);
    if (run->events.resetting)
        memcpy(run->step.y, run->step.stage, sizeof *run->step.y * 2 * (size_t)sim->zm->n);
    zw_status begun = zr_restart(sim, t);
    return status != ZW_OK ? status : begun;
}
