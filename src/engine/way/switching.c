/*
 * Conditions that the motion depends on are silent events. While a step is made every switch
 * (switches.h) is held on its side, also by stages beyond the surface, so that a method sees a
 * smooth motion; then the first surface that the step has crossed is found on the dense output as
 * events are, and the step ends there. What t alone moves is known before (moments.c): no step
 * goes beyond the next of these moments.
 *
 *     between steps   conditions as they stand, but for what slides (slide.c)
 *     in a step       all held
 *
 * A step that fails with held conditions (the root of a number that a held sign makes negative) is
 * made with conditions as they stand.
 */
#include "switching.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "run.h"

/* ------------------------------------------------------------------------ begin */

static zw_status look_at_switches(void *user, double t, const double *y, bool *truth, double *gap);

static int32_t longest_clockwork(const struct zr_switches *s)
{
    int32_t most = 0;
    for (int32_t k = 0; k < s->count; k++)
        if (s->list[k].clock.count > most) most = s->list[k].clock.count;
    return most;
}

static void take_sliding_arrays(zw_sim *sim)
{
    zr_switching *w = &sim->run->switching;
    zb_arena *arena = &sim->run->arena;
    size_t n = (size_t)sim->zm->n, most = zr_most_sliding;
    w->chosen = ZB_NEW_ARRAY(arena, int32_t, most);
    w->push = ZB_NEW_ARRAY(arena, double, most *n);
    w->z = ZB_NEW_ARRAY(arena, double, n);
    w->size = ZB_NEW_ARRAY(arena, double, n);
    w->B = ZB_NEW_ARRAY(arena, double, most *most);
    w->r = ZB_NEW_ARRAY(arena, double, most);
    w->s = ZB_NEW_ARRAY(arena, double, most);
    w->work = ZB_NEW_ARRAY(arena, double, most *most + most);
}

/* Nothing where the model has no switches. */
zw_status zr_begin_switching(zw_sim *sim)
{
    zr_switching *w = &sim->run->switching;
    zb_arena *arena = &sim->run->arena;
    const struct zr_switches *s = sim->model->switches;
    sim->left_data = 0;
    if (!s || s->count == 0) return ZW_OK;
    size_t count = (size_t)s->count;
    w->list = s->list;
    w->watch =
        (zi_watch){.count = s->count, .gaps = 2 * s->count, .user = sim, .look = look_at_switches};
    w->watch.minds_crowds = true;
    if (s->moving) {
        size_t room = zi_locator_size(&w->watch, sim->run->step.stepper->system.size);
        w->locator = ZB_NEW_ARRAY(arena, double, room);
    }
    bool **flags[] = {&w->truth, &w->turned, &w->seen, &w->slides};
    double **numbers[] = {&w->side,    &w->level,   &w->gap,    &w->speed,    &w->rate,
                          &w->largest, &w->fastest, &w->moment, &w->gap_size, &w->rate_size};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        *flags[i] = ZB_NEW_ARRAY(arena, bool, count);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i] = ZB_NEW_ARRAY(arena, double, count);
    w->level_before = ZB_NEW_ARRAY(arena, double, sim->zm->m);
    w->slid = ZB_NEW_ARRAY(arena, zr_slid, count);
    w->turned_at = ZB_NEW_ARRAY(arena, double, count);
    w->soon = ZB_NEW_ARRAY(arena, int32_t, count);
    w->clock = ZB_NEW_ARRAY(arena, zr_bounds, (size_t)longest_clockwork(s));
    take_sliding_arrays(sim);
    if (arena->failure != ZW_OK) return arena->failure;
    for (int32_t k = 0; k < s->count; k++) w->moment[k] = w->turned_at[k] = (double)NAN;
    w->last_turn = (double)NAN;
    w->next = HUGE_VAL;
    w->count = s->count;
    return ZW_OK;
}

/* ------------------------------------------------------------------------- slots */

/* The number in the slot of a switch that is, or slides, at `side`. */
double zr_slot_value(const zr_switching *w, int32_t k, double side)
{
    return w->list[k].is_floor && w->slides[k] ? w->level[k] - 0.5 + 0.5 * side : side;
}

static void write_slots(zw_sim *sim, bool held)
{
    const zr_switching *w = &sim->run->switching;
    double *slot = sim->values + sim->zm->value_count;
    for (int32_t k = 0; k < zr_slot_count(sim->model); k++)
        slot[k] = held || w->slides[k] ? zr_slot_value(w, k, w->side[k]) : zr_live_slot;
}

void zr_hold_conditions(zw_sim *sim)
{
    if (sim->run->switching.count > 0) write_slots(sim, !sim->run->switching.live);
}

void zr_show_conditions(zw_sim *sim)
{
    if (sim->run->switching.count > 0) write_slots(sim, false);
}

/* For rows of output: slots of this state, not of the last that was evaluated. */
zw_status zr_show_state_of_switches(zw_sim *sim)
{
    if (!sim->run || sim->run->switching.sliding == 0) return ZW_OK;
    const zr_switching *w = &sim->run->switching;
    double *y = sim->run->step.y;
    size_t n = (size_t)sim->zm->n;
    memcpy(y, sim->q, sizeof *y * n);
    memcpy(y + n, sim->v, sizeof *y * n);
    /* others may rest on their surfaces, held by what slides: they are on the sides they push from */
    for (int32_t k = 0; k < zr_slot_count(sim->model); k++)
        if (!w->list[k].timed)
            sim->values[sim->zm->value_count + k] = zr_slot_value(w, k, w->side[k]);
    return zr_slide(sim, sim->t, y);
}

/* ----------------------------------------------------------------------- looking */

/* Whether switch k is off its side, beyond rounding, and two numbers that change their sign where
 * that changes. */
static bool is_off_side(const zr_switching *w, int32_t k, double gap[2])
{
    double g = w->gap[k], side = w->side[k];
    gap[0] = gap[1] = 1.0;
    if (w->list[k].timed) return false;
    if (w->slides[k]) {
        gap[0] = 1.0 - side;
        gap[1] = 1.0 + side;
        return side > 1.0 || side < -1.0;
    }
    if (side == zr_live_slot) return false;
    double rounding = 32.0 * DBL_EPSILON * w->gap_size[k];
    gap[0] = side * g + rounding;
    if (!w->list[k].is_floor) return gap[0] < 0.0;
    gap[0] = g - side + rounding;
    gap[1] = side + 1.0 + rounding - g;
    return gap[0] < 0.0 || gap[1] < 0.0;
}

/* zi_watch.look; y as the stepper has it. */
static zw_status look_at_switches(void *user, double t, const double *y, bool *truth, double *gap)
{
    zw_sim *sim = user;
    zr_switching *w = &sim->run->switching;
    const double *q = zr_model_order(sim, y);
    if (w->sliding > 0) ZB_TRY(zr_slide(sim, t, q));
    zk_source s = zr_source(sim, t, q, q + sim->zm->n);
    zk_evaluate(sim->model->switches->gaps, &s, NULL, sim->workspace, w->gap);
    for (int32_t k = 0; k < w->count; k++) truth[k] = is_off_side(w, k, gap + 2 * k);
    return ZW_OK;
}

zw_status zr_look_at_sides(zw_sim *sim, double t, const double *y)
{
    zr_switching *w = &sim->run->switching;
    write_slots(sim, true);
    return look_at_switches(sim, t, y, w->truth, w->locator);
}

/* What was 0 and has left it, beyond rounding, is held from now on; the largest gaps are kept. */
static void adopt_live_sides(zw_sim *sim)
{
    zr_switching *w = &sim->run->switching;
    const zi_stepper *step = sim->run->step.stepper;
    zk_source s = zr_source(sim, step->t, step->y, step->y + sim->zm->n);
    bool any = false;
    for (int32_t k = 0; k < w->count; k++) {
        double g = w->gap[k];
        if (w->list[k].timed || w->slides[k]) continue;
        if (fabs(g) > w->largest[k]) w->largest[k] = fabs(g);
        any = any || (w->side[k] == zr_live_slot && !w->list[k].is_floor);
    }
    if (!any) return;
    zk_evaluate(sim->model->switches->gap_sizes, &s, NULL, sim->workspace, w->gap_size);
    for (int32_t k = 0; k < w->count; k++) {
        double g = w->gap[k];
        if (w->list[k].timed || w->slides[k] || w->list[k].is_floor) continue;
        double least = zr_gap_noise(w, k, sim->run->settings.tol);
        if (w->side[k] != zr_live_slot || !(fabs(g) > least)) continue;
        w->soon[k] = 0;
        w->side[k] = g > 0.0 ? 1.0 : -1.0;
    }
}

/* A held speed that is 0 but for rounding, and has not gone through it: beyond, there may be nothing
 * that a held side could evaluate (the root of a speed). */
static bool has_come_to_rest(const zr_switching *w, int32_t k)
{
    const zr_switch *x = &w->list[k];
    if (x->timed || x->is_floor || !x->braking || w->slides[k]) return false;
    return w->side[k] != zr_live_slot && fabs(w->gap[k]) <= zr_gap_rounding(w, k);
}

/* The first switch that turns in the last step, if there is one: found, at *t, with w->turned. What
 * is off its side at the end although nothing has turned turns there. */
zw_status zr_find_turn(zw_sim *sim, bool *found, double *t, double *crowded)
{
    zr_switching *w = &sim->run->switching;
    zi_stepper *s = sim->run->step.stepper;
    *found = false;
    if (w->live || !sim->model->switches->moving) return ZW_OK;
    zi_detection detection = {.turned = w->turned, .truth = w->seen};
    ZB_TRY(zi_locate(s, &w->watch, s->t_old, w->truth, w->locator, &detection));
    *crowded = detection.crowded;
    if (*crowded > 0.0 && !s->method->fixed) return ZW_OK;
    memcpy(w->truth, w->seen, sizeof *w->truth * (size_t)w->count);
    *found = detection.found;
    *t = detection.t;
    if (*found) return ZW_OK;
    ZB_TRY(look_at_switches(sim, s->t, s->y, w->seen, w->locator));
    adopt_live_sides(sim);
    for (int32_t k = 0; k < w->count; k++) {
        w->turned[k] = w->seen[k] || has_come_to_rest(w, k);
        *found = *found || w->turned[k];
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------ moments */

static zr_moment_search search_of(const zw_sim *sim, int32_t k)
{
    const zr_switching *w = &sim->run->switching;
    return (zr_moment_search){.clock = &w->list[k].clock,
                              .values = sim->values,
                              .scratch = w->clock,
                              .is_floor = w->list[k].is_floor,
                              .side = w->side[k]};
}

/* When switch k changes next. Of a condition of an event a step may end only between two
 * changes: the change itself is found as events are. */
static double find_moment(const zw_sim *sim, int32_t k, double t, double to)
{
    zr_moment_search search = search_of(sim, k);
    double moment = zr_next_moment(&search, t, to);
    if (!sim->run->switching.list[k].kept || !(moment < to)) return moment;
    double first = moment;
    search.side = zr_side_after(&search, first);
    moment = zr_next_moment(&search, first, to);
    return moment < to ? first + 0.5 * (moment - first) : HUGE_VAL;
}

/* As far as moments are sought from t on: to the end, or where there is none not too far. */
static double search_end(const zw_sim *sim, double t)
{
    const zr_motion *run = sim->run;
    if (!isnan(run->settings.until)) return run->settings.until;
    return t + fmax(1.0, fmax(100.0 * run->step.stepper->h, fabs(t - run->record.start_t)));
}

/* Sides of timed switches just after t, and when the next of them turns. */
void zr_wind_clocks(zw_sim *sim, double t)
{
    zr_switching *w = &sim->run->switching;
    double to = search_end(sim, t);
    bool timed = false;
    w->next = HUGE_VAL;
    for (int32_t k = 0; k < w->count; k++) {
        if (!w->list[k].timed) continue;
        zr_moment_search search = search_of(sim, k);
        double side = zr_side_after(&search, t);
        timed = true;
        bool known = w->moment[k] > t && side == w->side[k] && !w->list[k].clock.of_slots;
        w->side[k] = side;
        if (k < zr_slot_count(sim->model)) sim->values[sim->zm->value_count + k] = side;
        zr_follow_switch(sim, k);
        if (!known || isnan(sim->run->settings.until)) w->moment[k] = find_moment(sim, k, t, to);
        w->next = fmin(w->next, w->moment[k]);
    }
    if (timed && isnan(sim->run->settings.until)) w->next = fmin(w->next, to);
}

/* run->step.y becomes the state at the end of the last step. */
zw_status zr_take_end_state(zw_sim *sim)
{
    zr_motion *run = sim->run;
    const zi_stepper *s = run->step.stepper;
    if (run->step.in_lanes) return zr_inner_state(sim, s->t);
    memcpy(run->step.y, s->y, sizeof *s->y * (size_t)s->system.size);
    return ZW_OK;
}

/* Before a step: every switch has its side, and the stepper knows how far it may go. */
zw_status zr_ready_switches(zw_sim *sim)
{
    zr_motion *run = sim->run;
    zr_switching *w = &run->switching;
    zi_stepper *s = run->step.stepper;
    if (w->count == 0) return ZW_OK;
    if (!w->decided) {
        double h = s->h;
        ZB_TRY(zr_take_end_state(sim));
        ZB_TRY(zr_decide_sides(sim, s->t, NULL));
        ZB_TRY(zr_restart(sim, s->t));
        if (s->method->pair) s->h = h;
    }
    zr_set_end_of_steps(sim);
    return ZW_OK;
}
