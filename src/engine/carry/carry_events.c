/*
 * Tangents through events and turns of switches. At the moment tau where a gap h(y, t, p) passes through 0
 * the state as it moves with that moment is dy + f dt, and
 *
 *     dt  += -(rate of h along it) / (rate of h along the motion)
 *     it  becomes what new values and the projection make of it, dt included
 *     dy+ = it - f+ dt
 *
 * f being the motion's rate before, f+ after. Where nothing is set, at a condition in the equations, that
 * leaves (f - f+) dt. A run that stops there shows the state as it moves with the moment. Events that come at
 * one moment are taken in the order in which they fire; what a reset turns true has the moment of that one.
 */
#include <math.h>
#include <string.h>

#include "carry.h"
#include "events.h"
#include "switches.h"

/* A gap whose rate is this part of its terms, or that part of what it was a step before, grazes. */
static const double grazing = 1e-8, grazing_step = 1e-6;

/* ----------------------------------------------------------------------- crossings */

/* The state, and the rates f [2 n] of the motion there. */
static zw_status stand_at(zr_carried *c, double t, const double *y)
{
    size_t n = (size_t)c->n;
    ZB_TRY(zr_carry_at(c, t, y, y + n));
    memcpy(c->f, y + n, sizeof *c->f * n);
    memcpy(c->f + n, c->vary->acceleration, sizeof *c->f * n);
    return ZW_OK;
}

/* Rates of all gaps of a kind along a direction; solved: reactions stand in them. */
static zw_status vary_gaps(zr_carried *c, zr_varied_kind kind, const zr_direction *d, bool solved,
                           int32_t count, double *rate)
{
    if (solved)
        ZB_TRY(zr_tangent(c->vary, d));
    else
        zr_vary_along(c->vary, d);
    memset(rate, 0, sizeof *rate * (size_t)count);
    zr_vary_evaluate(c->vary, kind, NULL, rate);
    return ZW_OK;
}

/* Rates of gaps along the motion into c->passing, and sizes of their terms, of positions, velocities and time,
 * into c->gap. After stand_at. */
static zw_status find_passing(zr_carried *c, zr_varied_kind kind, bool solved, int32_t count)
{
    zr_direction parts[] = {{.q = c->f}, {.v = c->f + c->n}, {.t = 1.0}};
    zr_direction all = {.q = c->f, .v = c->f + c->n, .t = 1.0};
    double *size = c->gap;
    memset(size, 0, sizeof *size * (size_t)count);
    for (int k = 0; k < 3; k++) {
        ZB_TRY(vary_gaps(c, kind, &parts[k], solved, count, c->passing));
        for (int32_t i = 0; i < count; i++) size[i] += fabs(c->passing[i]);
    }
    return vary_gaps(c, kind, &all, solved, count, c->passing);
}

/* moved and dt of all directions follow gap k. */
static zw_status follow_gap(zr_carried *c, zr_varied_kind kind, bool solved, int32_t count,
                            int32_t k, double *most)
{
    double rate = c->passing[k];
    *most = 0.0;
    for (int32_t i = 0; i < c->count; i++) {
        double *moved = zr_tangent_of(c, c->moved, i);
        zr_direction d = zr_direction_of(c, i, moved, c->dt[i]);
        ZB_TRY(vary_gaps(c, kind, &d, solved, count, c->gap));
        double by = -c->gap[k] / rate;
        for (int32_t j = 0; j < 2 * c->n; j++) moved[j] += by * c->f[j];
        c->dt[i] += by;
        *most = fmax(*most, fabs(by));
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------- events */

/* The gap of the event that passes through 0 here; -1: it has none there, the event follows another one. */
static zw_status find_crossed(zr_carried *c, int32_t event, double t, const double *y, int32_t *gap)
{
    zw_sim *sim = c->sim;
    zr_motion *run = sim->run;
    const struct zr_events *events = sim->model->events;
    const zi_stepper *s = run->step.stepper;
    double best = HUGE_VAL, *now = run->events.gap_ahead;
    *gap = -1;
    ZB_TRY(zr_look_at_events(sim, t, y, y + c->n, run->events.seen, now));
    ZB_TRY(stand_at(c, t, y));
    ZB_TRY(find_passing(c, ZR_VARY_LOOKS, events->measures, events->gaps));
    for (int32_t k = 0; k < events->gaps; k++) {
        if (events->gap_event[k] != event) continue;
        double away = fabs(now[k]) / fabs(c->passing[k]);
        if (!(away < best)) continue;
        best = away;
        *gap = k;
    }
    if (*gap >= 0 && best > 1e-6 * (s->t - s->t_old)) *gap = -1;
    return ZW_OK;
}

/* It is touched, not passed: the moment has no derivative. c->passing and c->gap as find_passing left them. */
static zw_status mind_grazing(zr_carried *c, int32_t event, double t, int32_t k)
{
    zw_sim *sim = c->sim;
    zr_motion *run = sim->run;
    const zi_stepper *s = run->step.stepper;
    double rate = fabs(c->passing[k]), size = c->gap[k], *before = run->events.gap_ahead;
    bool grazes = !(rate > grazing * size) || !isfinite(rate);
    if (!grazes && t > s->t_old) {
        ZB_TRY(zr_watch_look(sim, s->t_old, s->y_old, run->events.seen, before));
        grazes = rate * (t - s->t_old) < grazing_step * fabs(before[k]);
    }
    c->event = event;
    return grazes ? zr_carry_fails(c, ZR_CARRY_GRAZES, t, NULL) : ZW_OK;
}

static zw_status cross_event(zr_carried *c, int32_t event, double t, const double *y)
{
    const struct zr_events *events = c->sim->model->events;
    int32_t k;
    double most;
    ZB_TRY(find_crossed(c, event, t, y, &k));
    if (k < 0) {
        c->event = event;
        bool alone = true; /* the first of its moment must have a gap */
        for (int32_t i = 0; i < c->count; i++) alone = alone && c->dt[i] == 0.0;
        return alone && c->first ? zr_carry_fails(c, ZR_CARRY_GRAZES, t, NULL) : ZW_OK;
    }
    ZB_TRY(mind_grazing(c, event, t, k));
    c->first = false;
    return follow_gap(c, ZR_VARY_LOOKS, events->measures, events->gaps, k, &most);
}

/* Programs of derivatives are evaluated between those of the run, which must not see it. */
static void begin_aside(zw_sim *sim)
{
    zr_keep_trace(sim, &sim->run->solving);
}

static zw_status end_aside(zw_sim *sim, zw_status status)
{
    zr_put_back_trace(sim, &sim->run->solving);
    zr_forget_factor(sim);
    return status;
}

zw_status zr_carry_to_event(zw_sim *sim, double t)
{
    if (!sim->carried) return ZW_OK;
    sim->carried->first = true;
    return zr_carry_inside(sim, t);
}

zw_status zr_carry_crossing(zw_sim *sim, int32_t event, double t, const double *y)
{
    if (!sim->carried) return ZW_OK;
    begin_aside(sim);
    return end_aside(sim, cross_event(sim->carried, event, t, y));
}

/* What new values make of it; all of them are from the values before. */
static zw_status reset_tangents(zr_carried *c, int32_t event, double t, const double *y)
{
    const zm_model *zm = c->sim->zm;
    const struct zr_events *events = c->sim->model->events;
    const zm_where *w = &zm->events[event].where;
    const zm_family *f = &zm->families[w->family];
    int32_t shape = events->shape[event], count = w->count - 1;
    const zr_varied_pass *pass = &c->vary->varied[ZR_VARY_RESETS].list[shape];
    if (count == 0) return ZW_OK;
    if (c->sim->contacts)
        return zr_carry_fails(c, ZR_CARRY_RULE, t, "an event sets values beside contacts");
    ZB_TRY(zr_carry_at(c, t, y, y + c->n));
    for (int32_t i = 0; i < c->count; i++) {
        double *moved = zr_tangent_of(c, c->moved, i);
        zr_direction d = zr_direction_of(c, i, moved, c->dt[i]);
        if (events->resets_measures[shape])
            ZB_TRY(zr_tangent(c->vary, &d));
        else
            zr_vary_along(c->vary, &d);
        zr_vary_instance(c->vary, pass, w->instance, c->reset);
        for (int32_t k = 0; k < count; k++) {
            int32_t root = w->root + 1 + k, at = zm_coordinate_of(f, w->instance, f->targets[root]);
            moved[at + (f->orders[root] == 1 ? c->n : 0)] = c->reset[k];
        }
    }
    return ZW_OK;
}

zw_status zr_carry_reset(zw_sim *sim, int32_t event, double t, const double *y)
{
    if (!sim->carried) return ZW_OK;
    begin_aside(sim);
    return end_aside(sim, reset_tangents(sim->carried, event, t, y));
}

/* Before values that were set are brought onto the constraints. */
void zr_carry_set_values(zw_sim *sim, const double *y)
{
    if (sim->carried) memcpy(sim->carried->set, y, sizeof *y * 2 * (size_t)sim->zm->n);
}

/* max |x - y| beside max |x|, of [n]. */
static double find_change(int32_t n, const double *x, const double *y)
{
    double change = 0.0, size = 0.0;
    for (int32_t i = 0; i < n; i++) {
        change = fmax(change, fabs(x[i] - y[i]));
        size = fmax(size, fmax(fabs(x[i]), fabs(y[i])));
    }
    return change > 0.0 ? change / size : 0.0;
}

/* A correction of positions that is more than rounding goes by steps that have no simple rule. */
static zw_status project_set_values(zr_carried *c, double t, const double *y)
{
    int32_t n = c->n;
    bool far = find_change(n, y, c->set) > 1e-9;
    bool corrected = find_change(n, y + n, c->set + n) > 1e-14;
    bool bent = c->sim->model->rows_nonlinear[ZR_VELOCITY];
    if (far) return zr_carry_fails(c, ZR_CARRY_FAR, t, NULL);
    if (corrected && bent && find_change(n, y + n, c->set + n) > 1e-9)
        return zr_carry_fails(c, ZR_CARRY_FAR, t, NULL);
    for (int32_t j = 0; j < n; j++) c->correct[j] = y[n + j] - c->set[n + j];
    for (int32_t i = 0; i < c->count; i++)
        ZB_TRY(zr_carry_projection(c, i, t, y, zr_tangent_of(c, c->moved, i), c->dt[i],
                                   corrected ? c->correct : NULL));
    return ZW_OK;
}

zw_status zr_carry_onto_rows(zw_sim *sim, double t, const double *y)
{
    if (!sim->carried) return ZW_OK;
    begin_aside(sim);
    return end_aside(sim, project_set_values(sim->carried, t, y));
}

/* Back to a fixed time, with the motion's rates from here on. */
static zw_status leave_moment(zr_carried *c, double t, const double *y)
{
    ZB_TRY(stand_at(c, t, y));
    for (int32_t i = 0; i < c->count; i++) {
        const double *moved = zr_tangent_of(c, c->moved, i);
        double *dy = zr_tangent_of(c, c->tangents.dy, i);
        for (int32_t j = 0; j < 2 * c->n; j++) dy[j] = moved[j] - c->f[j] * c->dt[i];
    }
    memcpy(c->tangents.dy_old, c->tangents.dy,
           sizeof *c->moved * 2 * (size_t)c->n * (size_t)c->count);
    return ZW_OK;
}

zw_status zr_carry_from_event(zw_sim *sim, double t, const double *y)
{
    zr_carried *c = sim->carried;
    if (!c) return ZW_OK;
    c->stopped = sim->run->events.stopped;
    if (c->stopped) return ZW_OK;
    begin_aside(sim);
    return end_aside(sim, leave_moment(c, t, y));
}

/* ----------------------------------------------------------------------- switches */

/* Timed ones turn by the clock. */
static bool does_turn(const zr_switching *w, int32_t k, double t)
{
    if (w->list[k].kept) return false;
    return w->list[k].timed ? w->moment[k] <= t : w->turned[k];
}

/* All that turn at this moment must have one surface, or the order would matter. */
static zw_status cross_switches(zr_carried *c, double t, const double *y)
{
    const zr_switching *w = &c->sim->run->switching;
    double first = -1.0, most;
    ZB_TRY(stand_at(c, t, y));
    for (int32_t k = 0; k < w->count; k++) {
        if (!does_turn(w, k, t)) continue;
        ZB_TRY(find_passing(c, ZR_VARY_SWITCHES, false, w->count));
        c->event = -1;
        if (!(fabs(c->passing[k]) > grazing * c->gap[k]))
            return zr_carry_fails(c, ZR_CARRY_GRAZES, t, NULL);
        ZB_TRY(follow_gap(c, ZR_VARY_SWITCHES, false, w->count, k, &most));
        if (first >= 0.0 && most > 1e-9 * first)
            return zr_carry_fails(c, ZR_CARRY_TOGETHER, t, NULL);
        if (first < 0.0) first = most;
    }
    return ZW_OK;
}

zw_status zr_carry_turn(zw_sim *sim, double t)
{
    zr_carried *c = sim->carried;
    if (!c) return ZW_OK;
    ZB_TRY(zr_carry_inside(sim, t));
    begin_aside(sim);
    zr_hold_conditions(sim);
    zw_status status = cross_switches(c, t, sim->run->step.y);
    zr_show_conditions(sim);
    return end_aside(sim, status);
}

zw_status zr_carry_turned(zw_sim *sim, double t)
{
    zr_carried *c = sim->carried;
    if (!c) return ZW_OK;
    begin_aside(sim);
    zr_hold_conditions(sim);
    zw_status status = leave_moment(c, t, sim->run->step.y);
    zr_show_conditions(sim);
    return end_aside(sim, status);
}

/* --------------------------------------------------------------------- no rule for it */

zw_status zr_carry_pending(zw_sim *sim)
{
    zr_carried *c = sim->carried;
    const zr_motion *run = sim->run;
    if (!c || !run->seams.pending) return ZW_OK;
    return zr_carry_fails(c, ZR_CARRY_RULE, run->events.pending_t,
                          "a conflict of constraints begins or ends");
}

/* ------------------------------------------------------------------------ contacts */

/* The state and the motion's rates just before something happens to a contact. */
zw_status zr_carry_to_touch(zw_sim *sim, double t)
{
    zr_carried *c = sim->carried;
    zr_motion *run = sim->run;
    if (!c) return ZW_OK;
    begin_aside(sim);
    zw_status status = zr_read_state_inside(sim, t);
    (void)end_aside(sim, status);
    ZB_TRY(status);
    ZB_TRY(zr_carry_inside(sim, t));
    begin_aside(sim);
    status = stand_at(c, t, run->step.y);
    memcpy(c->set, run->step.y, sizeof *c->set * 2 * (size_t)c->n);
    memcpy(c->before, c->f, sizeof *c->f * 2 * (size_t)c->n);
    return end_aside(sim, status);
}

/* Where neither velocities nor accelerations jump, as when a contact opens, tangents go on as they are. */
static zw_status leave_touch(zr_carried *c, double t, const double *y)
{
    size_t all = 2 * (size_t)c->n;
    ZB_TRY(stand_at(c, t, y));
    if (find_change((int32_t)all, y, c->set) > 1e-11)
        return zr_carry_fails(c, ZR_CARRY_RULE, t, "there is an impact");
    if (find_change((int32_t)all, c->f, c->before) > 1e-9)
        return zr_carry_fails(c, ZR_CARRY_RULE, t,
                              "a contact or a friction changes forces at once");
    memcpy(c->tangents.dy, c->moved, sizeof *c->moved * all * (size_t)c->count);
    memcpy(c->tangents.dy_old, c->moved, sizeof *c->moved * all * (size_t)c->count);
    return ZW_OK;
}

zw_status zr_carry_from_touch(zw_sim *sim, double t)
{
    zr_carried *c = sim->carried;
    if (!c) return ZW_OK;
    begin_aside(sim);
    return end_aside(sim, leave_touch(c, t, zr_end_state(sim)));
}
