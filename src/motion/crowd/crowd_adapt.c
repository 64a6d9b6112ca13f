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

/* Part p of weight * (x - from) of a component, the q-th of four; from NULL: 0. */
INLINE void measure_component(squares *s, const double *weight, const double *x, const double *from,
                              int32_t component, int q, int p)
{
    size_t i = (size_t)(component + q) * ZI_WIDTH;
    vec value = get(x + i, p);
    if (from) value -= get(from + i, p);
    add_square(s, q, get(weight + i, p), value);
}

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
    return total(&s);
}

/* sqrt(squares / controlled) into out [width]. */
INLINE void measure(const zi_group *g, const double *x, const double *from, double *out)
{
    for (int p = 0; p < ZI_PARTS; p++)
        put(out, p, root(measure_squares(g, x, from, p) / divisor(g)));
}

static double shortest(double t)
{
    double h = 16.0 * DBL_EPSILON * zb_abs(t);
    return h > DBL_MIN ? h : DBL_MIN;
}

/* The end of guess_step: h, or another one that fits how the rates change. */
static double bent_step(double h, double speed, double bend, int32_t order)
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
    scale_of_lanes scale = find_scale(g);
    for (int32_t c = 0; c < g->padded; c++)
        for (int p = 0; p < ZI_PARTS; p++) {
            size_t i = (size_t)c * ZI_WIDTH;
            put(g->weight + i, p, weigh(&scale, c, magnitude(get(g->y + i, p))));
        }
    measure(g, g->y, NULL, size);
    measure(g, g->k, NULL, speed);
    for (int l = 0; l < ZI_WIDTH; l++) {
        double h = size[l] > 1e-5 && speed[l] > 1e-5 ? 0.01 * (size[l] / speed[l]) : 1e-6;
        double left = g->settings->end - g->t[l];
        if (h > left) h = left;
        g->tried[l] = (fresh >> l & 1) != 0 ? h : 0.0;
    }
    static const zi_terms euler = {1.0, 1, {0}, {1.0}};
    uint32_t refused = stage(g, &euler, fresh, g->argument, 1);
    measure(g, zi_lane_row(g, 1), g->k, bend);
    for (int l = 0; l < ZI_WIDTH; l++)
        if ((fresh >> l & 1) != 0) {
            double h = g->tried[l];
            g->h[l] = bent_step(h, speed[l], bend[l] / h, g->pair->order);
            g->others[l]++;
        }
    return refused;
}

static uint32_t begin(zi_group *g, uint32_t fresh)
{
    uint32_t away = rates(g, fresh, g->t, g->y, g->spare);
    away |= fresh & ~finite_lanes(g, g->spare);
    fresh &= ~away;
    for (int32_t c = 0; c < g->size; c++)
        for (int p = 0; p < ZI_PARTS; p++) {
            size_t i = (size_t)c * ZI_WIDTH;
            put(g->k + i, p, choose(mask_of(fresh, p), get(g->spare + i, p), get(g->k + i, p)));
        }
    bool given = g->settings->step > 0.0;
    if (!given && fresh != 0) away |= guess_steps(g, fresh);
    for (int l = 0; l < ZI_WIDTH; l++) {
        if ((fresh >> l & 1) == 0) continue;
        double h = given ? g->settings->step : g->h[l], least = shortest(g->t[l]);
        g->h[l] = h > least ? h : least;
        g->others[l]++;
    }
    return away;
}

/* ------------------------------------------------------------------- one try */

/* As choose_end. Lanes without a member stay where they are. */
INLINE void choose_ends(zi_group *g)
{
    for (int p = 0; p < ZI_PARTS; p++) {
        vec t = get(g->t, p), end = all(g->settings->end), left = end - t;
        vec h = choose(mask_of(g->present, p), get(g->h, p), all(0.0));
        h = choose(h > 1e300, all(1e300), h);
        vec t_new = t + choose(2.0 * h > left, 0.5 * left, h);
        t_new = choose(1.01 * h >= left, end, t_new);
        put(g->t_new, p, t_new);
        put(g->tried, p, t_new - t);
    }
}

/* Of `lanes`, those that may go on; those whose error is a number but too large are rejected, the
 * others have to go. */
INLINE uint32_t judge(zi_group *g, uint32_t lanes, uint32_t *rejected, uint32_t *away)
{
    uint32_t small = 0, number = 0, finite = 0;
    for (int p = 0; p < ZI_PARTS; p++) {
        vec error = get(g->error, p);
        small |= bits_of(error <= 1.0, p);
        number |= bits_of(error < DBL_MAX, p);
        finite |= bits_of(get_mask(g->finite, p), p);
    }
    *rejected |= lanes & ~small & number;
    *away |= lanes & ((~small & ~number) | (small & ~finite));
    return lanes & small & finite;
}

/* Projects copies of y_new; `error` becomes the larger of the two. Returns the refused lanes. */
INLINE uint32_t land(zi_group *g, uint32_t lanes)
{
    const zi_crowd *crowd = g->crowd;
    for (size_t i = 0, end = (size_t)g->padded * ZI_WIDTH; i < end; i += ZI_VECTOR)
        put(g->landed + i, 0, get(g->y_new + i, 0));
    uint32_t refused = crowd->project(crowd->user, lanes, g->t_new, g->landed) & lanes;
    _Alignas(64) double moved[ZI_WIDTH];
    measure(g, g->landed, g->y_new, moved);
    for (int p = 0; p < ZI_PARTS; p++) {
        vec error = get(g->error, p), far = get(moved, p);
        put(g->error, p, choose(far <= error, error, far));
    }
    return refused;
}

/* The lanes in which the projection changed a bit. */
INLINE uint32_t changed_lanes(const zi_group *g)
{
    uint32_t lanes = 0;
    for (int p = 0; p < ZI_PARTS; p++) {
        mask different = {0};
        for (int32_t c = 0; c < g->size; c++) {
            size_t i = (size_t)c * ZI_WIDTH;
            different |= (mask)get(g->landed + i, p) ^ (mask)get(g->y_new + i, p);
        }
        lanes |= bits_of(different != 0, p);
    }
    return lanes;
}

/* As after_accepted and after_rejected. Returns the lanes whose step came to its limit. */
INLINE uint32_t control(zi_group *g, uint32_t accepted, uint32_t rejected)
{
    const zi_tableau *pair = g->pair;
    uint32_t ended = 0;
    for (int p = 0; p < ZI_PARTS; p++) {
        mask good = mask_of(accepted, p), bad = mask_of(rejected, p);
        vec error = get(g->error, p), old = get(g->error_old, p), h = get(g->tried, p);
        vec now = lane_log(choose(good, larger(error, all(zi_least_error)), error));
        vec part = pair->exponent * now;
        vec change = zi_safety * lane_exp(choose(good, pair->beta * old - part, -part));
        vec most = choose(get_mask(g->rejected, p), all(1.0), all(pair->grow));
        most = choose(good, most, all(zi_safety));
        change = choose(change > most, most, change);
        change = choose(change < pair->shrink, all(pair->shrink), change);
        vec next = h * change, t = choose(good, get(g->t_new, p), get(g->t, p));
        vec least = larger(16.0 * DBL_EPSILON * magnitude(t), all(DBL_MIN));
        put(g->h, p, choose(good, larger(next, least), next));
        put(g->error_old, p, choose(good, larger(now, all(zi_least_log_old)), old));
        put_mask(g->rejected, p, bad);
        ended |= bits_of(bad & ~(next > least), p);
    }
    return ended;
}

/* f where the attempt ends, in row `last`, where it is not there already. */
INLINE uint32_t find_last(zi_group *g, uint32_t lanes)
{
    double *last = zi_lane_row(g, zi_last_row(g->pair));
    uint32_t asked = lanes;
    if (g->pair->fsal) asked &= g->end == g->landed ? changed_lanes(g) : 0;
    if (asked == 0) return 0;
    double *to = asked == lanes ? last : g->spare;
    uint32_t refused = rates(g, asked, g->t_new, g->end, to);
    for (int p = 0; p < ZI_PARTS; p++) {
        mask m = mask_of(asked, p);
        put_mask(g->others, p, get_mask(g->others, p) - m);
        for (int32_t c = 0; to != last && c < g->size; c++) {
            size_t i = (size_t)c * ZI_WIDTH;
            put(last + i, p, choose(m, get(to + i, p), get(last + i, p)));
        }
    }
    return refused;
}

/* ------------------------------------------------------------------ stiffness */

/* As watch_stiffness; returns the lanes that look stiff now. */
static uint32_t stiff_lanes(zi_group *g, uint32_t accepted)
{
    const double *last = zi_lane_row(g, zi_last_row(g->pair)),
                 *twin = zi_lane_row(g, zi_twin_row(g->pair));
    double noise = 100.0 * DBL_EPSILON / g->scale.relative, bound = g->pair->stiff_bound;
    uint32_t stiff = 0;
    if (!(bound > 0.0)) return 0;
    for (int p = 0; p < ZI_PARTS; p++) {
        vec top = measure_squares(g, last, twin, p), h = get(g->tried, p);
        vec bottom = measure_squares(g, g->end, g->argument, p);
        mask seen = mask_of(accepted, p) & (bottom > noise * noise * g->controlled);
        mask hit = seen & (h * h * top > bound * bound * bottom), miss = seen & ~hit;
        mask hits = get_mask(g->stiff_hits, p) - hit, misses = get_mask(g->stiff_misses, p) - miss;
        misses &= ~hit;
        hits &= ~(miss & (misses >= zi_stiff_misses_needed));
        put_mask(g->stiff_hits, p, hits);
        put_mask(g->stiff_misses, p, misses);
        stiff |= bits_of(hit & (hits >= zi_stiff_hits_needed), p);
    }
    return stiff;
}

/* ------------------------------------------------------------------- a step */

static zi_tried attempt(zi_group *g)
{
    choose_ends(g);
    uint32_t away = g->lane_pair->attempt(g), rejected = 0;
    uint32_t good = judge(g, g->present & ~away, &rejected, &away);
    g->end = g->y_new;
    if (g->crowd->project && good != 0) {
        uint32_t refused = land(g, good);
        away |= refused;
        good = judge(g, good & ~refused, &rejected, &away);
        g->end = g->landed;
    }
    away |= control(g, good, rejected);
    uint32_t refused = good != 0 ? find_last(g, good) : 0;
    away |= refused | (good & ~finite_lanes(g, zi_lane_row(g, zi_last_row(g->pair))));
    good &= ~away;
    if (g->crowd->stiff_leaves) away |= stiff_lanes(g, good);
    good &= ~away;
    uint32_t due = 0;
    for (int p = 0; p < ZI_PARTS; p++) due |= bits_of(get(g->due, p) <= get(g->t_new, p), p);
    for (int p = 0; p < ZI_PARTS; p++) {
        mask bad = mask_of(rejected, p);
        put_mask(g->rejections, p, get_mask(g->rejections, p) - bad);
    }
    return (zi_tried){.accepted = good, .away = away, .due = good & due};
}

/* The lanes that were accepted go on from where they are now. */
static void settle(zi_group *g, zi_tried *x)
{
    const double *last = zi_lane_row(g, zi_last_row(g->pair)), *end = g->end;
    int64_t limit = g->crowd->max_steps > 0 ? g->crowd->max_steps : INT64_MAX;
    uint32_t through = 0, tired = 0;
    for (int p = 0; p < ZI_PARTS; p++) {
        mask m = mask_of(x->accepted, p);
        for (int32_t c = 0; c < g->size; c++) {
            size_t i = (size_t)c * ZI_WIDTH;
            put(g->y + i, p, choose(m, get(end + i, p), get(g->y + i, p)));
            put(g->k + i, p, choose(m, get(last + i, p), get(g->k + i, p)));
        }
        vec h = get(g->tried, p), least = get(g->smallest, p), most = get(g->largest, p);
        vec t = choose(m, get(g->t_new, p), get(g->t, p));
        mask steps = get_mask(g->steps, p) - m;
        put(g->smallest, p, choose(m & (h < least), h, least));
        put(g->largest, p, choose(m & (h > most), h, most));
        put(g->t, p, t);
        put_mask(g->steps, p, steps);
        through |= bits_of(m & ~(t < g->settings->end), p);
        tired |= bits_of(m & (steps >= limit), p);
    }
    x->through = through;
    x->away |= tired & ~through;
}

extern const zi_lane_pair ZI_OF(zi_lane_pairs_)[];
extern const zi_lane_functions ZI_OF(zi_lane_functions_);
const zi_lane_functions ZI_OF(zi_lane_functions_) = {.width = ZI_WIDTH,
                                                     .pairs = ZI_OF(zi_lane_pairs_),
                                                     .begin = begin,
                                                     .attempt = attempt,
                                                     .settle = settle};
