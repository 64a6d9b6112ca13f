/*
 * Which side of its surface each switch is on from a moment on, and whether the motion slides there.
 *
 *     away from its surface         the side it is on
 *     on it, crossed with a speed   the other side
 *     on it otherwise               by the rates of the gap on both sides, all such switches
 *                                   together (slide.c): sides, or between them; where nothing
 *                                   moves it away it is left as it stands
 *
 * What slides is put on its surface first, along the accelerations that its own sides push with.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "run.h"

enum { most_at_once = 40 };

/* What slides is inside of its bounds by more than rounding. */
static const double inside_by = 1e-9;

/* ---------------------------------------------------------------------- candidates */

/* Whether switch k stands on a surface; of a floor, which. */
static bool stands_on_surface(zr_switching *w, int32_t k, bool turned)
{
    double g = w->gap[k], nearest = floor(g + 0.5);
    if (w->list[k].is_floor) {
        bool here = turned || w->slides[k] || fabs(g - nearest) <= zr_gap_rounding(w, k);
        if (!w->slides[k]) w->level[k] = nearest;
        return here;
    }
    return turned || w->slides[k] || fabs(g) <= zr_gap_rounding(w, k);
}

static double plain_side(const zr_switching *w, int32_t k)
{
    double g = w->gap[k];
    if (w->list[k].is_floor) return floor(g);
    return g > 0.0 ? 1.0 : g < 0.0 ? -1.0 : zr_live_slot;
}

/* Side -1 or 1 of a surface becomes what the switch has. */
static void set_side(zw_sim *sim, int32_t k, double side)
{
    zr_switching *w = &sim->run->switching;
    w->side[k] = w->list[k].is_floor ? w->level[k] + (side > 0.0 ? 0.0 : -1.0) : side;
    sim->values[sim->zm->value_count + k] = w->side[k];
}

/* Of a gap without velocities its own speed says where it goes, if there is one. */
static bool crosses_with_speed(zw_sim *sim, int32_t k)
{
    zr_switching *w = &sim->run->switching;
    double speed = w->speed[k];
    if (w->list[k].braking) return false;
    if (fabs(speed) > w->fastest[k]) w->fastest[k] = fabs(speed);
    if (!(fabs(speed) > 1e-6 * w->fastest[k])) return false;
    set_side(sim, k, speed > 0.0 ? 1.0 : -1.0);
    return true;
}

/* Gaps and speeds of all switches at a state, conditions as they stand. */
static void evaluate_gaps(zw_sim *sim, double t, const double *y)
{
    const struct zr_switches *all = sim->model->switches;
    zr_switching *w = &sim->run->switching;
    zk_source s = zr_source(sim, t, y, y + sim->zm->n);
    memset(w->z, 0, sizeof *w->z * (size_t)sim->zm->n);
    s.acceleration = w->z;
    zk_evaluate(all->gaps, &s, NULL, sim->workspace, w->gap);
    zk_evaluate(all->speeds, &s, NULL, sim->workspace, w->speed);
    zk_evaluate(all->gap_sizes, &s, NULL, sim->workspace, w->gap_size);
}

/* Sides of all that are away from their surfaces or cross them; the others, chosen. */
static int32_t choose_candidates(zw_sim *sim, const bool *turned)
{
    zr_switching *w = &sim->run->switching;
    int32_t count = 0;
    for (int32_t k = 0; k < w->count; k++) {
        bool on = !w->list[k].timed && stands_on_surface(w, k, turned && turned[k]);
        if (w->list[k].timed) continue;
        w->largest[k] = fmax(w->largest[k], fabs(w->gap[k]));
        bool noise = w->soon[k] >= zr_most_soon &&
                     (on || fabs(w->gap[k]) <= zr_gap_noise(w, k, sim->run->settings.tol));
        if (noise && !w->slides[k] && !w->list[k].is_floor) {
            w->side[k] = zr_live_slot;
        } else if (!on || count == zr_most_sliding) {
            w->side[k] = plain_side(w, k);
            sim->values[sim->zm->value_count + k] = w->side[k];
        } else if (!crosses_with_speed(sim, k)) {
            w->chosen[count++] = k;
        }
    }
    return count;
}

/* ------------------------------------------------------------------------- deciding */

/* Where candidate k goes that its own side does not hold back, at a rate r; zr_live_slot: nothing
 * moves it. */
static double find_way(const zr_switching *w, int32_t k, double r, bool turned)
{
    double g = w->gap[k] - (w->list[k].is_floor ? w->level[k] : 0.0);
    bool away = fabs(g) > zr_gap_rounding(w, k);
    if (turned && away && !w->slides[k]) return g > 0.0 ? 1.0 : -1.0;
    if (fabs(r) > 1e-12 * w->rate_size[k]) return r > 0.0 ? 1.0 : -1.0;
    return zr_live_slot;
}

/* A gap without velocities that is slow, but would go farther than rounding before its own side
 * brings it back. */
static bool passes_slowly(const zr_switching *w, int32_t k, double own)
{
    double speed = fabs(w->speed[k]), far = 512.0 * DBL_EPSILON * w->gap_size[k] * fabs(own);
    return !w->list[k].braking && speed > 1e-10 * w->fastest[k] && speed * speed > far;
}

/* The first candidate that its own side does not hold back is put where it goes, or left as it
 * stands; the others stay chosen. *fixed: there was one. */
static int32_t fix_free_one(zw_sim *sim, int32_t count, const bool *turned, bool *fixed)
{
    zr_switching *w = &sim->run->switching;
    int32_t left = 0;
    *fixed = false;
    for (int32_t i = 0; i < count; i++) {
        int32_t k = w->chosen[i];
        double own = w->B[i * zr_most_sliding + i], size = w->rate_size[k];
        for (int32_t j = 0; j < count; j++) size += fabs(w->B[i * zr_most_sliding + j]);
        bool passes = passes_slowly(w, k, own);
        if ((own < -1e-12 * size && !passes) || *fixed) {
            w->chosen[left++] = k;
            continue;
        }
        *fixed = true;
        double way = passes ? (w->speed[k] > 0.0 ? 1.0 : -1.0)
                            : find_way(w, k, w->r[i], turned && turned[k]);
        if (way == zr_live_slot)
            w->side[k] = sim->values[sim->zm->value_count + k] = zr_live_slot;
        else
            set_side(sim, k, way);
    }
    return left;
}

/* The state goes onto the surfaces of what slides, along its pushes: g + B c = 0. */
static void put_on_surfaces(zw_sim *sim, double *y, int32_t count)
{
    zr_switching *w = &sim->run->switching;
    int32_t n = sim->zm->n;
    double *v = y + n;
    bool free[zr_most_sliding] = {false};
    for (int32_t i = 0; i < count; i++) {
        int32_t k = w->chosen[i];
        double gap = w->gap[k] - (w->list[k].is_floor ? w->level[k] : 0.0);
        free[i] = w->slides[k];
        w->r[i] = w->list[k].braking ? gap : w->speed[k];
        w->s[i] = 0.0;
    }
    if (!zr_solve_free(w, count, free)) return;
    for (int32_t j = 0; j < n; j++) {
        double by = 0.0, size = 0.0;
        for (int32_t i = 0; i < count; i++) {
            by += w->push[i * n + j] * w->s[i];
            size += fabs(w->push[i * n + j] * w->s[i]);
        }
        v[j] += by;
        if (fabs(v[j]) <= 64.0 * DBL_EPSILON * size) v[j] = 0.0;
    }
}

static void begin_slide(zw_sim *sim, int32_t k, double t, double side)
{
    zr_switching *w = &sim->run->switching;
    if (!w->slides[k]) {
        zr_slid *x = &w->slid[k];
        if (x->times++ == 0) x->from = t;
        x->since = x->until = t;
        w->sliding++;
    }
    w->slides[k] = true;
    w->side[k] = side;
}

void zr_end_slide(zw_sim *sim, int32_t k, double t)
{
    zr_switching *w = &sim->run->switching;
    if (!w->slides[k]) return;
    w->slides[k] = false;
    w->sliding--;
    w->slid[k].until = t;
}

/* Chosen ones that hold each other: they slide, or leave. Where that cannot be told they are left
 * as they stand. */
static void settle_chosen(zw_sim *sim, double t, int32_t count)
{
    zr_switching *w = &sim->run->switching;
    bool solved = zr_solve_sides(w, count);
    for (int32_t i = 0; i < count; i++) {
        int32_t k = w->chosen[i];
        if (solved && fabs(w->s[i]) < 1.0 - inside_by) {
            begin_slide(sim, k, t, w->s[i]);
            sim->values[sim->zm->value_count + k] = zr_slot_value(w, k, w->s[i]);
            continue;
        }
        zr_end_slide(sim, k, t);
        if (solved)
            set_side(sim, k, w->s[i]);
        else
            w->side[k] = sim->values[sim->zm->value_count + k] = zr_live_slot;
    }
}

/* All that slid and are candidates no more have ended. */
static void end_other_slides(zw_sim *sim, double t, int32_t count)
{
    zr_switching *w = &sim->run->switching;
    for (int32_t k = 0; k < w->count; k++) {
        bool among = false;
        for (int32_t i = 0; i < count; i++) among = among || w->chosen[i] == k;
        if (!among) zr_end_slide(sim, k, t);
    }
}

/* What slides and is at its bound by now leaves at once: nothing would tell of it later. */
static zw_status look_until_settled(zw_sim *sim, double t, const double *y)
{
    zr_switching *w = &sim->run->switching;
    for (int32_t round = 0; round <= zr_most_sliding; round++) {
        bool left = false;
        ZB_TRY(zr_look_at_sides(sim, t, y));
        for (int32_t k = 0; k < w->count && !left; k++) {
            if (!w->slides[k] || !w->truth[k]) continue;
            double side = w->side[k] > 0.0 ? 1.0 : -1.0;
            zr_end_slide(sim, k, t);
            set_side(sim, k, side);
            left = true;
        }
        if (!left) break;
    }
    return ZW_OK;
}

/* On their surfaces nothing can be evaluated (0/0): they are not held any more, until they are well
 * away from them. None is chosen then. */
static int32_t leave_all_as_they_stand(zw_sim *sim, int32_t count)
{
    zr_switching *w = &sim->run->switching;
    for (int32_t i = 0; i < count; i++) {
        int32_t k = w->chosen[i];
        w->side[k] = sim->values[sim->zm->value_count + k] = zr_live_slot;
        w->soon[k] = zr_most_soon;
    }
    return 0;
}

/* From the state in run->step.y, which may be moved onto surfaces; turned [count], or NULL. */
zw_status zr_decide_sides(zw_sim *sim, double t, const bool *turned)
{
    zr_motion *run = sim->run;
    zr_switching *w = &run->switching;
    double *y = run->step.y, *slot = sim->values + sim->zm->value_count;
    bool fixed = false;
    w->decided = true;
    w->live = false;
    for (int32_t k = 0; k < zr_slot_count(sim->model); k++) slot[k] = zr_live_slot;
    (void)zr_source(sim, t, y, y + sim->zm->n); /* the pieces of data there */
    zr_wind_clocks(sim, t);
    if (sim->model->switches->moving) {
        evaluate_gaps(sim, t, y);
        int32_t count = choose_candidates(sim, turned);
        do {
            zw_status status = count > 0 ? zr_find_pushes(sim, t, y, count) : ZW_OK;
            if (zr_is_memory(status)) return status;
            if (status != ZW_OK) count = leave_all_as_they_stand(sim, count);
            count = fix_free_one(sim, count, turned, &fixed);
        } while (fixed);
        end_other_slides(sim, t, count);
        if (count > 0) settle_chosen(sim, t, count);
        if (count > 0) put_on_surfaces(sim, y, count);
        ZB_TRY(look_until_settled(sim, t, y));
    }
    zr_show_conditions(sim);
    return ZW_OK;
}

/* ------------------------------------------------------------------------- turning */

/* Turns that follow without time between: then a step is made with conditions as they stand. */
static void mind_turns(zr_switching *w, double t, double start)
{
    double span = fmax(fabs(t), fabs(t - start));
    w->at_once = t - w->last_turn <= 1e-13 * span ? w->at_once + 1 : 0;
    w->last_turn = t;
    if (w->at_once < most_at_once) return;
    w->live = true;
    w->at_once = 0;
}

/* Each one that turns, and how soon after the time before. */
static void note_turns(zw_sim *sim, double t)
{
    zr_motion *run = sim->run;
    zr_switching *w = &run->switching;
    double until = isnan(run->settings.until) ? t : run->settings.until;
    double soon = 1e-7 * fmax(until - run->record.start_t, fabs(t));
    for (int32_t k = 0; k < w->count; k++) {
        if (!w->turned[k] || w->list[k].timed) continue;
        w->soon[k] = t - w->turned_at[k] <= soon ? w->soon[k] + 1 : 0;
        w->turned_at[k] = t;
    }
}

/* The step that passed t is made again up to there, for dense output is of a lower order. */
static zw_status step_again(zw_sim *sim, double t)
{
    zr_motion *run = sim->run;
    zi_stepper *s = run->step.stepper;
    double h = s->h, end = s->settings.end;
    if (!(t > s->t_old)) return ZW_OK;
    zr_hold_conditions(sim);
    zr_carry_back(sim);
    ZB_TRY(zi_restart(s, s->t_old, s->y_old));
    s->settings.end = t;
    if (s->method->pair) s->h = t - s->t;
    zw_status status = ZW_OK;
    while (status == ZW_OK && s->t < t) {
        status = zi_step(s);
        if (status == ZW_OK) status = zr_carry_step(sim);
    }
    s->settings.end = end;
    s->h = h;
    zr_show_conditions(sim);
    return status;
}

/* What rows of positions are at the state y, as conditions are held now. */
static void keep_levels(zw_sim *sim, double t, const double *y)
{
    zk_source s = zr_source(sim, t, y, y + sim->zm->n);
    zr_hold_conditions(sim);
    zr_follow_steps(sim);
    zr_evaluate_level(sim, ZR_POSITION, &s);
    memcpy(sim->run->switching.level_before, sim->level, sizeof(double) * (size_t)sim->zm->m);
    zr_show_conditions(sim);
}

/* Whether a row is another one where conditions have turned, by much beside its terms: it jumps.
 * Contacts may: they open, or have been missed. */
static bool do_rows_jump(zw_sim *sim, double t, const double *y)
{
    const double *before = sim->run->switching.level_before, *level = sim->level;
    int32_t m = sim->zm->m;
    zk_source s = zr_source(sim, t, y, y + sim->zm->n);
    zr_evaluate_level(sim, ZR_POSITION, &s);
    for (int32_t i = 0; i < m; i++) {
        bool off = sim->row_kind[i] == ZM_HOLONOMIC && level[i] != before[i];
        if (sim->zm->mask && sim->zm->mask[i] >= 0) continue;
        if (off && fabs(level[i] - before[i]) > 1e-3 * level[2 * m + i]) return true;
    }
    return false;
}

/* At run->events.pending_t. */
zw_status zr_turn(zw_sim *sim)
{
    zr_motion *run = sim->run;
    zr_switching *w = &run->switching;
    zi_stepper *s = run->step.stepper;
    double t = run->events.pending_t, h = s->h;
    bool projects = s->system.project != NULL;
    run->events.pending = w->pending = false;
    if (t < s->t && s->method->restores) ZB_TRY(step_again(sim, t));
    if (t == s->t) {
        ZB_TRY(zr_take_end_state(sim));
    } else {
        ZB_TRY(zr_inner_state(sim, t));
        zr_hold_conditions(sim);
        zw_status status = projects ? zr_project(sim, &run->solving, t, run->step.y,
                                                 run->step.y + sim->zm->n, false)
                                    : ZW_OK;
        zr_show_conditions(sim);
        ZB_TRY(status);
    }
    zr_wake_roads(&run->solving);
    note_turns(sim, t);
    keep_levels(sim, t, run->step.y);
    ZB_TRY(zr_carry_turn(sim, t));
    ZB_TRY(zr_decide_sides(sim, t, w->turned));
    ZB_TRY(zr_carry_turned(sim, t));
    mind_turns(w, t, run->record.start_t);
    if (do_rows_jump(sim, t, run->step.y)) return ZW_ERR_STEP;
    ZB_TRY(zr_renew_conflicts(sim, t));
    ZB_TRY(zr_restart(sim, t));
    if (s->method->pair && run->events.watch.count == 0) s->h = h;
    return ZW_OK;
}
