/*
 * The driver of embedded pairs for lanes: adapt.c, in all lanes at once.
 *
 * Every number of a lane comes from the operations that adapt.c does for one member, in the same
 * order; lanes differ only in which of the results they keep. A lane whose attempt is rejected for
 * its error tries again while the others go on. Whatever else can happen to an attempt (a refusal,
 * a number that is none, a step at its limit) sends the member away.
 *
 * The new step is chosen before f is evaluated at the end: the processor does both at once.
 */
#include <float.h>

#include "crowd_lanes.h"

/* ----------------------------------------------------------------- first step */

/* Adds register p of (weight * (x - from))^2 of a component, the q-th of four; from NULL: 0. */
INLINE void measure_component(squares *s, const double *weight, const double *x, const double *from,
                              int32_t component, int q, int p)
{
    size_t i = (size_t)(component + q) * ZI_WIDTH;
    vec value = get_vector(x + i, p);
    if (from) value -= get_vector(from + i, p);
    add_lane_square(s, q, get_vector(weight + i, p), value);
}

/* Register p of the sum of (weight * (x - from))^2 over all components. */
INLINE vec measure_squares(const zi_group *g, const double *x, const double *from, int p)
{
    squares s = {0};
    const double *weight = g->weight;
    for (int32_t c = 0, end = g->padded; c < end; c += 4) {
        measure_component(&s, weight, x, from, c, 0, p);
        measure_component(&s, weight, x, from, c, 1, p);
        measure_component(&s, weight, x, from, c, 2, p);
        measure_component(&s, weight, x, from, c, 3, p);
    }
    return add_up_squares(&s);
}

/* sqrt(squares / controlled) into out [width]. */
INLINE void measure_rms(const zi_group *g, const double *x, const double *from, double *out)
{
    for (int p = 0; p < ZI_REGISTERS; p++)
        put_vector(out, p, lane_root(measure_squares(g, x, from, p) / lane_divisor(g)));
}

static double shortest_lane_step(double t)
{
    double h = 16.0 * DBL_EPSILON * zb_abs(t);
    return h > DBL_MIN ? h : DBL_MIN;
}

/* The end of guess_step: h, or another one that fits how the rates change. */
static double choose_bent_step(double h, double speed, double bend, int32_t order)
{
    if (!(bend < DBL_MAX)) return h;
    double most = speed > bend ? speed : bend;
    double next =
        most <= 1e-15 ? (h * 1e-3 > 1e-6 ? h * 1e-3 : 1e-6) : zb_exp(zb_log(0.01 / most) / order);
    return next < 100.0 * h ? next : 100.0 * h;
}

/* h with h^(order) max(|y'|, |y''|) = 0.01, for the lanes that are fresh. */
static uint32_t guess_steps(zi_group *g, uint32_t fresh)
{
    _Alignas(64) double size[ZI_WIDTH], speed[ZI_WIDTH], bend[ZI_WIDTH];
    scale_of_lanes scale = find_lane_scale(g);
    for (int32_t c = 0; c < g->padded; c++)
        for (int p = 0; p < ZI_REGISTERS; p++) {
            size_t i = (size_t)c * ZI_WIDTH;
            put_vector(g->weight + i, p,
                       weigh_lanes(&scale, c, lane_magnitude(get_vector(g->y + i, p)), p));
        }
    measure_rms(g, g->y, NULL, size);
    measure_rms(g, g->k, NULL, speed);
    for (int l = 0; l < ZI_WIDTH; l++) {
        double h = size[l] > 1e-5 && speed[l] > 1e-5 ? 0.01 * (size[l] / speed[l]) : 1e-6;
        double left = g->settings->end - g->t[l];
        if (h > left) h = left;
        g->tried[l] = (fresh >> l & 1) != 0 ? h : 0.0;
    }
    static const zi_terms euler = {1.0, 1, {0}, {1.0}};
    uint32_t refused = evaluate_lane_stage(g, &euler, fresh, g->argument, 1);
    measure_rms(g, zi_lane_row(g, 1), g->k, bend);
    for (int l = 0; l < ZI_WIDTH; l++)
        if ((fresh >> l & 1) != 0) {
            double h = g->tried[l];
            g->h[l] = choose_bent_step(h, speed[l], bend[l] / h, g->pair->order);
            g->others[l]++;
        }
    return refused;
}

/* The same from the sizes of components: as guess_sized_step. */
static uint32_t guess_sized_steps(zi_group *g, uint32_t fresh)
{
    for (int l = 0; l < ZI_WIDTH; l++) {
        zi_sizes z = zi_lane_sizes(g, l);
        g->tried[l] = 0.0;
        if ((fresh >> l & 1) == 0) continue;
        zi_reach(&z, g->y + l);
        g->tried[l] = zi_short_step(&z, g->k + l, g->settings->end - g->t[l]);
        g->others[l]++;
    }
    static const zi_terms euler = {1.0, 1, {0}, {1.0}};
    uint32_t refused = evaluate_lane_stage(g, &euler, fresh, g->argument, 1);
    for (int l = 0; l < ZI_WIDTH; l++) {
        zi_sizes z = zi_lane_sizes(g, l);
        if (((fresh & ~refused) >> l & 1) == 0) continue;
        g->h[l] = zi_first_step(&z, g->y + l, g->k + l, zi_lane_row(g, 1) + l, g->tried[l],
                                g->pair->order);
    }
    return refused;
}

/* Sizes of the member in a lane, before a step. */
static void find_lane_floors(zi_group *g, int l)
{
    zi_sizes z = zi_lane_sizes(g, l);
    zi_reach(&z, g->y + l);
    zi_find_floors(&z, &(zi_outlook){.f = g->k + l, .h = g->h[l], .longest = g->largest[l]});
}

/* As settle_start. Returns lanes that are refused. */
static uint32_t settle_lanes(zi_group *g, uint32_t fresh)
{
    const zi_crowd *crowd = g->crowd;
    if (!g->settings->sized || !crowd->project || fresh == 0) return 0;
    return crowd->project(crowd->user, fresh, g->t, g->y) & fresh;
}

/* f(t, y) and the first step of the lanes with new members; the other lanes keep theirs. Returns
 * the lanes whose members have to go. */
static uint32_t begin_lanes(zi_group *g, uint32_t fresh)
{
    uint32_t away = settle_lanes(g, fresh);
    away |= evaluate_lanes(g, fresh & ~away, g->t, g->y, g->spare);
    away |= fresh & ~find_finite_lanes(g, g->spare);
    fresh &= ~away;
    for (int32_t c = 0; c < g->size; c++)
        for (int p = 0; p < ZI_REGISTERS; p++) {
            size_t i = (size_t)c * ZI_WIDTH;
            put_vector(g->k + i, p,
                       choose_by_mask(mask_of_lanes(fresh, p), get_vector(g->spare + i, p),
                                      get_vector(g->k + i, p)));
        }
    bool given = g->settings->step > 0.0, sized = g->settings->sized;
    if (!given && fresh != 0) away |= (sized ? guess_sized_steps : guess_steps)(g, fresh);
    for (int l = 0; l < ZI_WIDTH; l++) {
        if ((fresh >> l & 1) == 0) continue;
        double h = given ? g->settings->step : g->h[l], least = shortest_lane_step(g->t[l]);
        g->h[l] = h > least ? h : least;
        g->others[l]++;
        if (sized) find_lane_floors(g, l);
    }
    return away;
}

/* ------------------------------------------------------------------- one try */

/* As choose_end. Lanes without a member stay where they are. */
INLINE void choose_ends(zi_group *g)
{
    for (int p = 0; p < ZI_REGISTERS; p++) {
        vec t = get_vector(g->t, p), end = in_all_lanes(g->settings->end), left = end - t;
        vec h =
            choose_by_mask(mask_of_lanes(g->present, p), get_vector(g->h, p), in_all_lanes(0.0));
        h = choose_by_mask(h > 1e300, in_all_lanes(1e300), h);
        vec t_new = t + choose_by_mask(2.0 * h > left, 0.5 * left, h);
        t_new = choose_by_mask(1.01 * h >= left, end, t_new);
        put_vector(g->t_new, p, t_new);
        put_vector(g->tried, p, t_new - t);
    }
}

/* Of `lanes`, those that may go on; those whose error is a number but too large are rejected, the
 * others have to go. */
INLINE uint32_t judge_attempts(zi_group *g, uint32_t lanes, uint32_t *rejected, uint32_t *away)
{
    uint32_t small = 0, number = 0, finite = 0;
    for (int p = 0; p < ZI_REGISTERS; p++) {
        vec error = get_vector(g->error, p);
        small |= lanes_of_mask(error <= 1.0, p);
        number |= lanes_of_mask(error < DBL_MAX, p);
        finite |= lanes_of_mask(get_mask(g->finite, p), p);
    }
    *rejected |= lanes & ~small & number;
    *away |= lanes & ((~small & ~number) | (small & ~finite));
    return lanes & small & finite;
}

/* Projects copies of y_new; `error` becomes the larger of the two. Returns the refused lanes. */
INLINE uint32_t project_lanes(zi_group *g, uint32_t lanes)
{
    const zi_crowd *crowd = g->crowd;
    for (size_t i = 0, end = (size_t)g->padded * ZI_WIDTH; i < end; i += ZI_VECTOR)
        put_vector(g->projected + i, 0, get_vector(g->y_new + i, 0));
    uint32_t refused = crowd->project(crowd->user, lanes, g->t_new, g->projected) & lanes;
    _Alignas(64) double moved[ZI_WIDTH];
    measure_rms(g, g->projected, g->y_new, moved);
    for (int p = 0; p < ZI_REGISTERS; p++) {
        vec error = get_vector(g->error, p), far = get_vector(moved, p);
        put_vector(g->error, p, choose_by_mask(far <= error, error, far));
    }
    return refused;
}

/* The lanes in which the projection changed a bit. */
INLINE uint32_t find_changed_lanes(const zi_group *g)
{
    uint32_t lanes = 0;
    for (int p = 0; p < ZI_REGISTERS; p++) {
        mask different = {0};
        for (int32_t c = 0; c < g->size; c++) {
            size_t i = (size_t)c * ZI_WIDTH;
            different |= (mask)get_vector(g->projected + i, p) ^ (mask)get_vector(g->y_new + i, p);
        }
        lanes |= lanes_of_mask(different != 0, p);
    }
    return lanes;
}

/* As control_accepted and control_rejected. Returns the lanes whose step came to its limit. */
INLINE uint32_t choose_next_steps(zi_group *g, uint32_t accepted, uint32_t rejected)
{
    const zi_tableau *pair = g->pair;
    uint32_t ended = 0;
    for (int p = 0; p < ZI_REGISTERS; p++) {
        mask good = mask_of_lanes(accepted, p), bad = mask_of_lanes(rejected, p);
        vec error = get_vector(g->error, p), old = get_vector(g->error_old, p),
            h = get_vector(g->tried, p);
        vec now = lane_log(
            choose_by_mask(good, larger_of_lanes(error, in_all_lanes(zi_least_error)), error));
        vec part = pair->exponent * now;
        vec change = zi_safety * lane_exp(choose_by_mask(good, pair->beta * old - part, -part));
        vec most =
            choose_by_mask(get_mask(g->rejected, p), in_all_lanes(1.0), in_all_lanes(pair->grow));
        most = choose_by_mask(good, most, in_all_lanes(zi_safety));
        change = choose_by_mask(change > most, most, change);
        change = choose_by_mask(change < pair->shrink, in_all_lanes(pair->shrink), change);
        vec next = h * change,
            t = choose_by_mask(good, get_vector(g->t_new, p), get_vector(g->t, p));
        vec least = larger_of_lanes(16.0 * DBL_EPSILON * lane_magnitude(t), in_all_lanes(DBL_MIN));
        put_vector(g->h, p, choose_by_mask(good, larger_of_lanes(next, least), next));
        put_vector(g->error_old, p,
                   choose_by_mask(good, larger_of_lanes(now, in_all_lanes(zi_least_log_old)), old));
        put_mask(g->rejected, p, bad);
        mask failed = (get_mask(g->failed, p) - bad) & ~good;
        put_mask(g->failed, p, failed);
        ended |= lanes_of_mask(bad & (~(next > least) | (failed >= zi_most_attempts)), p);
    }
    return ended;
}

/* f at the end of the attempt, in row `last`, where it is not there already. Returns the lanes that
 * were refused. */
INLINE uint32_t find_end_rates(zi_group *g, uint32_t lanes)
{
    double *last = zi_lane_row(g, zi_last_row(g->pair));
    uint32_t asked = lanes;
    if (g->pair->fsal) asked &= g->end == g->projected ? find_changed_lanes(g) : 0;
    if (asked == 0) return 0;
    double *to = asked == lanes ? last : g->spare;
    uint32_t refused = evaluate_lanes(g, asked, g->t_new, g->end, to);
    for (int p = 0; p < ZI_REGISTERS; p++) {
        mask m = mask_of_lanes(asked, p);
        put_mask(g->others, p, get_mask(g->others, p) - m);
        for (int32_t c = 0; to != last && c < g->size; c++) {
            size_t i = (size_t)c * ZI_WIDTH;
            put_vector(last + i, p,
                       choose_by_mask(m, get_vector(to + i, p), get_vector(last + i, p)));
        }
    }
    return refused;
}

/* ------------------------------------------------------------------ stiffness */

/* As watch_stiffness; returns the lanes that look stiff now. */
static uint32_t find_stiff_lanes(zi_group *g, uint32_t accepted)
{
    const double *last = zi_lane_row(g, zi_last_row(g->pair)),
                 *twin = zi_lane_row(g, zi_twin_row(g->pair));
    double noise = 100.0 * DBL_EPSILON / g->scale.relative, bound = g->pair->stiff_bound;
    uint32_t stiff = 0;
    if (!(bound > 0.0)) return 0;
    for (int p = 0; p < ZI_REGISTERS; p++) {
        vec top = measure_squares(g, last, twin, p), h = get_vector(g->tried, p);
        vec bottom = measure_squares(g, g->end, g->argument, p);
        mask seen = mask_of_lanes(accepted, p) & (bottom > noise * noise * g->controlled);
        mask hit = seen & (h * h * top > bound * bound * bottom), miss = seen & ~hit;
        mask hits = get_mask(g->stiff_hits, p) - hit, misses = get_mask(g->stiff_misses, p) - miss;
        misses &= ~hit;
        hits &= ~(miss & (misses >= zi_stiff_misses_needed));
        put_mask(g->stiff_hits, p, hits);
        put_mask(g->stiff_misses, p, misses);
        stiff |= lanes_of_mask(hit & (hits >= zi_stiff_hits_needed), p);
    }
    return stiff;
}

/* ------------------------------------------------------------------- a step */

/* One attempt of every lane that has a member: stages and error, projection, the next step, f at
 * the end. Says which lanes accept it, which have to go, and which owe an output. */
static zi_tried attempt_lanes(zi_group *g)
{
    choose_ends(g);
    uint32_t away = g->lane_pair->attempt(g), rejected = 0;
    uint32_t good = judge_attempts(g, g->present & ~away, &rejected, &away);
    g->end = g->y_new;
    if (g->crowd->project && good != 0) {
        uint32_t refused = project_lanes(g, good);
        away |= refused;
        good = judge_attempts(g, good & ~refused, &rejected, &away);
        g->end = g->projected;
    }
    away |= choose_next_steps(g, good, rejected);
    uint32_t refused = good != 0 ? find_end_rates(g, good) : 0;
    away |= refused | (good & ~find_finite_lanes(g, zi_lane_row(g, zi_last_row(g->pair))));
    good &= ~away;
    if (g->crowd->stiff_leaves) away |= find_stiff_lanes(g, good);
    good &= ~away;
    uint32_t due = 0;
    for (int p = 0; p < ZI_REGISTERS; p++)
        due |= lanes_of_mask(get_vector(g->due, p) <= get_vector(g->t_new, p), p);
    for (int p = 0; p < ZI_REGISTERS; p++) {
        mask bad = mask_of_lanes(rejected, p);
        put_mask(g->rejections, p, get_mask(g->rejections, p) - bad);
    }
    return (zi_tried){.accepted = good, .away = away, .due = good & due};
}

/* As zi_reach, for lanes that were accepted, in the order of adapt.c: floors are found after it
 * where they are due. */
static void renew_sizes(zi_group *g, uint32_t accepted)
{
    zi_sizes z = zi_lane_sizes(g, 0);
    const double *end = g->end;
    for (int p = 0; p < ZI_REGISTERS; p++) {
        mask m = mask_of_lanes(accepted, p);
        for (int32_t c = 0; c < g->controlled; c++) {
            size_t i = (size_t)c * ZI_WIDTH;
            vec reach = get_vector(z.reach + i, p), absolute = get_vector(z.absolute + i, p);
            vec far = larger_of_lanes(lane_magnitude(get_vector(end + i, p)), reach);
            vec fresh = larger_of_lanes(z.relative * far + get_vector(z.floor + i, p),
                                        in_all_lanes(zi_least_absolute));
            put_vector(z.reach + i, p, choose_by_mask(m, far, reach));
            put_vector(z.absolute + i, p, choose_by_mask(m, fresh, absolute));
        }
    }
    for (int l = 0; l < ZI_WIDTH; l++)
        if ((accepted >> l & 1) != 0 && zi_floors_due(g->steps[l])) find_lane_floors(g, l);
}

/* The lanes that were accepted go on from where they are now. */
static void accept_lanes(zi_group *g, zi_tried *x)
{
    const double *last = zi_lane_row(g, zi_last_row(g->pair)), *end = g->end;
    int64_t limit = g->crowd->max_steps > 0 ? g->crowd->max_steps : INT64_MAX;
    uint32_t through = 0, tired = 0;
    for (int p = 0; p < ZI_REGISTERS; p++) {
        mask m = mask_of_lanes(x->accepted, p);
        for (int32_t c = 0; c < g->size; c++) {
            size_t i = (size_t)c * ZI_WIDTH;
            put_vector(g->y + i, p,
                       choose_by_mask(m, get_vector(end + i, p), get_vector(g->y + i, p)));
            put_vector(g->k + i, p,
                       choose_by_mask(m, get_vector(last + i, p), get_vector(g->k + i, p)));
        }
        vec h = get_vector(g->tried, p), least = get_vector(g->smallest, p),
            most = get_vector(g->largest, p);
        vec t = choose_by_mask(m, get_vector(g->t_new, p), get_vector(g->t, p));
        mask steps = get_mask(g->steps, p) - m;
        put_vector(g->smallest, p, choose_by_mask(m & (h < least), h, least));
        put_vector(g->largest, p, choose_by_mask(m & (h > most), h, most));
        put_vector(g->t, p, t);
        put_mask(g->steps, p, steps);
        through |= lanes_of_mask(m & ~(t < g->settings->end), p);
        tired |= lanes_of_mask(m & (steps >= limit), p);
    }
    if (g->settings->sized) renew_sizes(g, x->accepted);
    x->through = through;
    x->away |= tired & ~through;
}

extern const zi_lane_pair ZI_OF(zi_lane_pairs_)[];
extern const zi_lane_functions ZI_OF(zi_lane_functions_);
const zi_lane_functions ZI_OF(zi_lane_functions_) = {.width = ZI_WIDTH,
                                                     .pairs = ZI_OF(zi_lane_pairs_),
                                                     .begin = begin_lanes,
                                                     .attempt = attempt_lanes,
                                                     .accept = accept_lanes};
