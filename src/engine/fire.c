/*
 * Events that have come: at the time that was found the state is read from the dense output, the
 * events fire in declared order, each from the values the one before has left, and the result is
 * brought onto the constraints. What a reset turns true fires as well. Then the stepper starts
 * anew.
 *
 * Events that follow each other without time going on (a ball that comes to rest by bouncing, a
 * relay that chatters) end the run with their names: after `patience` of them in a row.
 */
#include <math.h>
#include <string.h>

#include "run.h"

enum { patience = 3, most_rounds = 100 };

zw_status zr_watch_look(void *user, double t, const double *y, bool *truth, double *gap)
{
    zw_sim *sim = user;
    return zr_look(sim, t, y, y + sim->zm->n, truth, gap);
}

static double energy_at(zw_sim *sim, double t, const double *y)
{
    zk_source s = zr_source(sim, t, y, y + sim->zm->n);
    zr_energies e;
    zr_energies_at(sim, &s, &e);
    return e.h;
}

/* Time between this firing and the one before, against what time can resolve. */
static zw_status mind_haste(zw_sim *sim, int32_t event, double t)
{
    zr_motion *run = sim->run;
    double span = fmax(fabs(t), 1e-3 * (t - run->start_t)), between = t - run->last_fired;
    bool hasty = !isnan(run->last_fired) && between <= 1e-12 * span;
    double ratio = run->between > 0.0 ? between / run->between : 0.0;
    run->chatter[0] = run->hasty > 0 ? run->last_event : event;
    run->chatter[1] = event;
    run->chatter_t = ratio > 0.0 && ratio < 1.0 ? t + between * ratio / (1.0 - ratio) : t;
    run->hasty = hasty ? run->hasty + 1 : 0;
    run->between = between;
    run->last_fired = t;
    run->last_event = event;
    return run->hasty >= patience ? ZW_ERR_CHATTER : ZW_OK;
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
    bool first = true;
    for (int32_t e = 0; e < run->watch.count && !run->stopped; e++) {
        if (!run->turned[e]) continue;
        record(run, e, t);
        if (first) ZB_TRY(mind_haste(sim, e, t));
        first = false;
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
        run->truth[e] = run->seen[e] || (was && zr_event_meets(sim->model, e));
        run->turned[e] = run->seen[e] && !was;
        any = any || run->turned[e];
    }
    return any && *status == ZW_OK;
}

zw_status zr_fire(zw_sim *sim)
{
    zr_motion *run = sim->run;
    double t = run->pending_t, *y = run->y;
    int32_t rounds = 0;
    zw_status status = ZW_OK;
    bool projects = run->stepper->system.project != NULL, changed = false;
    run->pending = false;
    ZB_TRY(zi_dense(run->stepper, t, y));
    if (projects) ZB_TRY(zr_project(sim, t, y, y + sim->zm->n, false));
    double before = energy_at(sim, t, y);
    do {
        changed = false;
        ZB_TRY(fire_turned(sim, t, y, &changed));
        run->resetting = true;
        if (changed && projects) ZB_TRY(zr_project(sim, t, y, y + sim->zm->n, false));
        run->resetting = false;
        if (++rounds > most_rounds) return ZW_ERR_CHATTER;
    } while (!run->stopped && look_again(sim, t, y, &status));
    ZB_TRY(status);
    run->stats.energy.events += energy_at(sim, t, y) - before;
    return zi_restart(run->stepper, t, y);
}
