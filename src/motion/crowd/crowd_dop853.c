/*
 * Dormand and Prince 8(5,3) in lanes: dop853.c, in all lanes at once.
 *
 * The stages are written out one by one, so that their coefficients are constants of the code.
 */
#include "crowd_lanes.h"

#include <float.h>

#include "dop853_table.h"

/* What the end of a step is made of, in variables. */
typedef struct ending {
    sources k;
    const double *y;
    double *y_new, *weight;
    vec h, size; /* of all states together: a number as long as they are */
    scale_of_lanes scale;
    squares five, three; /* of both estimates of the error, divided by h */
} ending;

/* Part p of a component, the q-th of four: y_new, its weight, its share of the errors. */
INLINE void end_component(ending *e, int32_t component, int q, int p)
{
    size_t i = (size_t)(component + q) * ZI_WIDTH;
    vec first = get(e->k.row[0] + i, p);
    vec sum = weights.a[0] * first, higher = estimate.a[0] * first;
    for (int j = 1; j < 8; j++) {
        vec x = get(e->k.row[j] + i, p);
        sum += weights.a[j] * x;
        higher += estimate.a[j] * x;
    }
    vec y = get(e->y + i, p), y_new = y + e->h * sum;
    vec most = larger(magnitude(y), magnitude(y_new)),
        weight = weigh(&e->scale, component + q, most);
    e->size += most;
    put(e->y_new + i, p, y_new);
    put(e->weight + i, p, weight);
    add_square(&e->five, q, weight, higher);
    add_square(&e->three, q, weight,
               sum - third[0] * first - third[1] * get(e->k.row[4] + i, p) -
                   third[2] * get(e->k.row[7] + i, p));
}

INLINE void end_attempt(zi_group *g, int p)
{
    vec h = get(g->tried, p);
    ending e = {.k = find_sources(g, &weights),
                .y = g->y,
                .y_new = g->y_new,
                .weight = g->weight,
                .h = h,
                .scale = find_scale(g)};
    for (int32_t c = 0, end = g->padded; c < end; c += 4) {
        end_component(&e, c, 0, p);
        end_component(&e, c, 1, p);
        end_component(&e, c, 2, p);
        end_component(&e, c, 3, p);
    }
    vec five = total(&e.five), both = five + 0.01 * total(&e.three);
    both = choose(both <= 0.0, all(1.0), both);
    put_mask(g->finite, p, e.size < DBL_MAX);
    put(g->error, p, h * five / root(divisor(g) * both));
}

static uint32_t attempt(zi_group *g)
{
    uint32_t lanes = g->present, refused = 0;
#define STAGE(i) refused |= stage(g, &stages[i - 1], lanes & ~refused, g->argument, i);
    ZI_DOP853_STAGES(STAGE)
#undef STAGE
    for (int p = 0; p < ZI_PARTS; p++) end_attempt(g, p);
    return refused;
}

/* -------------------------------------------------------------- dense output */

INLINE uint32_t extra_stage(zi_group *g, int i, uint32_t lanes)
{
    uint32_t refused = stage(g, &extra[i], lanes, g->argument, more + i);
    return refused | (lanes & ~finite_lanes(g, zi_lane_row(g, more + i)));
}

/* r1 to r7 of the attempt. */
static uint32_t find_parts(zi_group *g, uint32_t lanes)
{
    uint32_t refused = extra_stage(g, 0, lanes);
    refused |= extra_stage(g, 1, lanes & ~refused);
    refused |= extra_stage(g, 2, lanes & ~refused);
    double *r[part_count], *f_old = g->k, *f = zi_lane_row(g, last);
    sources rows = find_sources(g, &polynomial[0]); /* the same for all four */
    for (int i = 0; i < part_count; i++) r[i] = zi_lane_row(g, parts + i);
    for (int p = 0; p < ZI_PARTS; p++) {
        vec h = get(g->tried, p);
        put_mask(g->others, p, get_mask(g->others, p) - 3 * mask_of(lanes, p));
        for (size_t i = 0, end = (size_t)g->size * ZI_WIDTH; i < end; i += ZI_WIDTH) {
            vec r0 = get(g->end + i, p) - get(g->y + i, p), r1 = h * get(f_old + i, p) - r0;
            put(r[0] + i, p, r0);
            put(r[1] + i, p, r1);
            put(r[2] + i, p, r0 - h * get(f + i, p) - r1);
            put(r[3] + i, p, h * sum_terms(&polynomial[0], &rows, i, p));
            put(r[4] + i, p, h * sum_terms(&polynomial[1], &rows, i, p));
            put(r[5] + i, p, h * sum_terms(&polynomial[2], &rows, i, p));
            put(r[6] + i, p, h * sum_terms(&polynomial[3], &rows, i, p));
        }
    }
    return refused;
}

static void dense(zi_group *g)
{
    for (int p = 0; p < ZI_PARTS; p++) {
        vec theta = (get(g->moment, p) - get(g->t, p)) / get(g->tried, p), phi = 1.0 - theta;
        for (size_t i = 0, end = (size_t)g->size * ZI_WIDTH; i < end; i += ZI_WIDTH) {
            vec r[part_count];
            for (int j = 0; j < part_count; j++) r[j] = get(zi_lane_row(g, parts + j) + i, p);
            vec inner = r[3] + theta * (r[4] + phi * (r[5] + theta * r[6]));
            put(g->shown + i, p,
                get(g->y + i, p) + theta * (r[0] + phi * (r[1] + theta * (r[2] + phi * inner))));
        }
    }
}

extern const zi_lane_pair ZI_OF(zi_lane_dop853_);
const zi_lane_pair ZI_OF(zi_lane_dop853_) = {.method = &zi_dop853,
                                             .pair = &zi_dop853_pair,
                                             .stages = 11,
                                             .attempt = attempt,
                                             .find_parts = find_parts,
                                             .dense = dense};
