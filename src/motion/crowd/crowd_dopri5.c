/*
 * Dormand and Prince 5(4) in lanes: dopri5.c, in all lanes at once.
 *
 * The stages are written out one by one, so that their coefficients are constants of the code.
 */
#include "crowd_lanes.h"

#include <float.h>

#include "dopri5_table.h"

/* What the error is made of, in variables. */
typedef struct ending {
    sources k;
    const double *y, *y_new;
    double *weight;
    vec h, size; /* of all states together: a number as long as they are */
    scale_of_lanes scale;
    squares error;
} ending;

/* Part p of a component, the q-th of four: its weight, its share of the error. */
INLINE void end_component(ending *e, int32_t component, int q, int p)
{
    size_t i = (size_t)(component + q) * ZI_WIDTH;
    vec most = larger(magnitude(get(e->y + i, p)), magnitude(get(e->y_new + i, p)));
    vec weight = weigh(&e->scale, component + q, most);
    e->size += most;
    put(e->weight + i, p, weight);
    add_square(&e->error, q, weight, e->h * sum_terms(&estimate, &e->k, i, p));
}

INLINE void end_attempt(zi_group *g, int p)
{
    ending e = {.k = find_sources(g, &estimate),
                .y = g->y,
                .y_new = g->y_new,
                .weight = g->weight,
                .h = get(g->tried, p),
                .scale = find_scale(g)};
    for (int32_t c = 0, end = g->padded; c < end; c += 4) {
        end_component(&e, c, 0, p);
        end_component(&e, c, 1, p);
        end_component(&e, c, 2, p);
        end_component(&e, c, 3, p);
    }
    put_mask(g->finite, p, e.size < DBL_MAX);
    put(g->error, p, root(total(&e.error) / divisor(g)));
}

static uint32_t attempt(zi_group *g)
{
    uint32_t lanes = g->present, refused = 0;
#define STAGE(i, to) refused |= stage(g, &stages[i - 1], lanes & ~refused, to, i);
    STAGE(1, g->argument)
    STAGE(2, g->argument)
    STAGE(3, g->argument)
    STAGE(4, g->argument)
    STAGE(5, g->argument)
    STAGE(6, g->y_new)
#undef STAGE
    for (int p = 0; p < ZI_PARTS; p++) end_attempt(g, p);
    return refused;
}

/* -------------------------------------------------------------- dense output */

/* r1 to r4 of the attempt. */
static uint32_t find_parts(zi_group *g, uint32_t lanes)
{
    (void)lanes;
    double *r[part_count], *f_old = g->k, *f = zi_lane_row(g, last);
    sources rows = find_sources(g, &polynomial);
    for (int i = 0; i < part_count; i++) r[i] = zi_lane_row(g, parts + i);
    for (int p = 0; p < ZI_PARTS; p++) {
        vec h = get(g->tried, p);
        for (size_t i = 0, end = (size_t)g->size * ZI_WIDTH; i < end; i += ZI_WIDTH) {
            vec r0 = get(g->end + i, p) - get(g->y + i, p), r1 = h * get(f_old + i, p) - r0;
            put(r[0] + i, p, r0);
            put(r[1] + i, p, r1);
            put(r[2] + i, p, r0 - h * get(f + i, p) - r1);
            put(r[3] + i, p, h * sum_terms(&polynomial, &rows, i, p));
        }
    }
    return 0;
}

static void dense(zi_group *g)
{
    for (int p = 0; p < ZI_PARTS; p++) {
        vec theta = (get(g->moment, p) - get(g->t, p)) / get(g->tried, p), phi = 1.0 - theta;
        for (size_t i = 0, end = (size_t)g->size * ZI_WIDTH; i < end; i += ZI_WIDTH) {
            vec r[part_count];
            for (int j = 0; j < part_count; j++) r[j] = get(zi_lane_row(g, parts + j) + i, p);
            put(g->shown + i, p,
                get(g->y + i, p) + theta * (r[0] + phi * (r[1] + theta * (r[2] + phi * r[3]))));
        }
    }
}

extern const zi_lane_pair ZI_OF(zi_lane_dopri5_);
const zi_lane_pair ZI_OF(zi_lane_dopri5_) = {.method = &zi_dopri5,
                                             .pair = &zi_dopri5_pair,
                                             .stages = 6,
                                             .attempt = attempt,
                                             .find_parts = find_parts,
                                             .dense = dense};
