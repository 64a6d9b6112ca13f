/*
 * Events that have come: at the time that was found the state is read from the dense output, the
 * events fire in declared order, each from the values the one before has left, and the result is
 * brought onto the constraints. What a reset turns true fires as well. Then the stepper starts
 * anew.
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

zw_status zr_watch_look(void *user, double t, const double *y, bool *truth, double *gap)
{
    zw_sim *sim = user;
    const double *q = zr_model_order(sim, y);
    return zr_look(sim, t, q, q + sim->zm->n, truth, gap);
}

static double energy_at(zw_sim *sim, double t, const double *y)
{
    zk_source s = zr_source(sim, t, y, y + sim->zm->n);
    zr_energies e;
    zr_energies_at(sim, &s, &e);
    return e.h;
}

/* Time between this firing and the one before of the same event, against what time can resolve. */
static zw_status mind_haste(zw_sim *sim, int32_t event, double t)
{
    zr_motion *run = sim->run;
    zr_haste *own = &run->haste[event];
    double end = isnan(run->settings.until) ? t : run->settings.until;
    double span = fmax(fabs(t), 1e-3 * (end - run->start_t)), between = t - own->last;
    double ratio = own->between > 0.0 ? between / own->between : 0.0;
    own->hasty = between <= 1e-12 * span ? own->hasty + 1 : 0; /* not of the first: NaN */
    own->hurried = between <= 1e-7 * span ? own->hurried + 1 : 0;
    own->between = between;
    own->last = t;
    run->chatter[0] = own->hurried > 0 ? run->last_event : event;
    run->chatter[1] = event;
    run->chatter_t = ratio > 0.0 && ratio < 1.0 ? t + between * ratio / (1.0 - ratio) : t;
    run->last_fired = t;
    run->last_event = event;
    bool stands = own->hasty >= patience || own->hurried >= long_patience;
    return stands ? ZW_ERR_CHATTER : ZW_OK;
}

static void record(zr_motion *run, int32_t event, double t)
{
    run->stats.events++;
    run->fired_of[event]++;
    if (run->fired_count < zr_most_fired)
        run->fired[run->fired_count++] = (zw_fired){.t = t, .event = event};
}

/* All that have turned, in declared order. *changed: a value was set. */
static zw_status fire_turned(zw_sim *sim, double t, double *y, bool *changed)
{
    zr_motion *run = sim->run;
    for (int32_t e = 0; e < run->watch.count && !run->stopped; e++) {
        if (!run->turned[e]) continue;
        record(run, e, t);
        run->just_fired[e] = true;
        ZB_TRY(mind_haste(sim, e, t));
        run->stopped = zr_event_stops(sim->model, e);
        run->stopper = e;
        if (run->stopped) break;
        ZB_TRY(zr_reset(sim, e, t, y, y + sim->zm->n));
        *changed = true;
    }
    return ZW_OK;
}

/* What a change of the state has turned true fires, too. truth, of before, becomes that of now. */
static bool look_again(zw_sim *sim, double t, const double *y, zw_status *status)
{
    zr_motion *run = sim->run;
    bool any = false;
    *status = zr_look(sim, t, y, y + sim->zm->n, run->seen, run->gap);
    for (int32_t e = 0; e < run->watch.count; e++) {
        bool was = run->truth[e] || run->turned[e];
        run->truth[e] = run->seen[e];
        run->turned[e] = run->seen[e] && !was;
        any = any || run->turned[e];
    }
    return any && *status == ZW_OK;
}

/* ------------------------------------------------------------ before and after */

static zw_status state_at(zw_sim *sim, double t)
{
    zr_motion *run = sim->run;
    ZB_TRY(zr_inner_state(sim, t));
    if (!run->stepper->system.project) return ZW_OK;
    return zr_project(sim, t, run->y, run->y + sim->zm->n, false);
}

/* The last moment at which none of those that turn is true, a few units in the last place of time
 * before: a ball that is to bounce stands on the floor, not in it. */
static zw_status stand_before(zw_sim *sim, double *t)
{
    zr_motion *run = sim->run;
    const zi_stepper *step = run->stepper;
    double unit = fmax(DBL_EPSILON * fabs(*t), 0x1p-60 * (step->t - step->t_old));
    for (int k = 0; k < 32; k++) {
        double at = *t - ldexp(unit, k);
        bool free = true;
        if (at < step->t_old) break;
        ZB_TRY(state_at(sim, at));
        ZB_TRY(zr_look(sim, at, run->y, run->y + sim->zm->n, run->seen, run->gap));
        for (int32_t e = 0; e < run->watch.count; e++)
            free = free && !(run->turned[e] && run->seen[e]);
        if (!free) continue;
        memcpy(run->truth, run->seen, (size_t)run->watch.count);
        *t = at;
        return ZW_OK;
    }
    return state_at(sim, *t);
}

/* Where the motion goes on to from here, a little way straight ahead. */
static zw_status look_ahead(zw_sim *sim, double t, const double *y)
{
    zr_motion *run = sim->run;
    int32_t n = sim->zm->n;
    double by = 1e-7 * (run->stepper->t - run->stepper->t_old);
    zk_source s = zr_source(sim, t, y, y + n);
    ZB_TRY(zr_accelerate(sim, &s, run->z, NULL));
    for (int32_t j = 0; j < n; j++) {
        run->ahead[j] = y[j] + by * y[n + j];
        run->ahead[n + j] = y[n + j] + by * run->z[j];
    }
    return zr_look(sim, t + by, run->ahead, run->ahead + n, run->seen, run->gap_ahead);
}

/* An event that has fired waits until it has been false, unless the motion now leads away from it:
 * then it may fire again, however soon that is. run->gap is of the state itself. */
static zw_status arm(zw_sim *sim, double t, const double *y)
{
    zr_motion *run = sim->run;
    const zi_watch *watch = &run->watch;
    int32_t first = watch->gaps - 2 * watch->equalities;
    ZB_TRY(look_ahead(sim, t, y));
    for (int32_t e = 0; e < watch->count; e++)
        if (run->just_fired[e]) run->truth[e] = run->seen[e];
    for (int32_t k = 0; k < watch->equalities; k++) {
        double here = run->gap[first + k], there = run->gap_ahead[first + k];
        bool away = here * there >= 0.0 && fabs(there) > fabs(here);
        if (run->just_fired[watch->owner[k]] && !away) run->truth[watch->owner[k]] = true;
    }
    return ZW_OK;
}

/* What an event sets is brought onto the constraints: a jolt, whose energy is remembered. */
static zw_status onto_constraints(zw_sim *sim, double t, double *y)
{
    zr_motion *run = sim->run;
    double given = energy_at(sim, t, y);
    ZB_TRY(zr_project(sim, t, y, y + sim->zm->n, false));
    double jolt = energy_at(sim, t, y) - given;
    if (fabs(jolt) <= fabs(run->jolt)) return ZW_OK;
    run->jolt = jolt;
    run->jolt_t = t;
    run->jolt_event = run->last_event;
    return ZW_OK;
}

/* run->y becomes the state after the events, at *t. */
static zw_status fire(zw_sim *sim, double *when)
{
    zr_motion *run = sim->run;
    double t = run->pending_t, *y = run->y;
    int32_t rounds = 0;
    zw_status status = ZW_OK;
    bool projects = run->stepper->system.project != NULL, changed = false;
    run->pending = false;
    memset(run->just_fired, 0, (size_t)run->watch.count);
    ZB_TRY(stand_before(sim, &t));
    *when = t;
    memcpy(run->stage, y, sizeof *y * 2 * (size_t)sim->zm->n);
    double before = energy_at(sim, t, y);
    do {
        changed = false;
        ZB_TRY(fire_turned(sim, t, y, &changed));
        run->resetting = true;
        if (changed && projects) ZB_TRY(onto_constraints(sim, t, y));
        run->resetting = false;
        if (++rounds > most_rounds) return ZW_ERR_CHATTER;
    } while (!run->stopped && look_again(sim, t, y, &status));
    ZB_TRY(status);
    if (!run->stopped) ZB_TRY(arm(sim, t, y));
    run->stats.energy.events += energy_at(sim, t, y) - before;
    return ZW_OK;
}

/* Also when it fails the run ends here, not where the step ended that passed the events. */
zw_status zr_fire(zw_sim *sim)
{
    zr_motion *run = sim->run;
    double t = run->pending_t;
    zw_status status = fire(sim, &t);
    if (run->resetting) memcpy(run->y, run->stage, sizeof *run->y * 2 * (size_t)sim->zm->n);
    zw_status begun = zr_restart(sim, t);
    return status != ZW_OK ? status : begun;
}
