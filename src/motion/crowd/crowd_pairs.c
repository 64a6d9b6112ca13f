/*
 * Attempts and dense output of every pair, in all lanes at once: attempt_pairs.c and pairs.c for
 * crowds. Compiled once for each width and instruction set.
 *
 * The functions named *_pair are inlined with each table, as there.
 */
#include "crowd_lanes.h"

#include <float.h>

#include "pair_list.h"

/* ------------------------------------------------------------ end of a step */

/* What the end of a step is made of, in variables. */
typedef struct ending {
    sources step, error, second;
    const double *y;
    double *y_new, *weight;
    vec h, size; /* of all states together: a number as long as they are */
    scale_of_lanes scale;
    squares errors, seconds; /* divided by h where there are two estimates */
} ending;

/* Part p of a component, the q-th of four: y_new, its weight, its share of the errors. */
INLINE void end_component(ending *e, const zi_tableau *t, int32_t component, int q, int p)
{
    size_t i = (size_t)(component + q) * ZI_WIDTH;
    bool two = t->second.count > 0;
    vec sum = {0}, error = sum_terms(&t->error, &e->error, i, p);
    if (two || !t->fsal) sum = sum_terms(zi_step_terms(t), &e->step, i, p);
    vec less = sum, y = get(e->y + i, p), y_new = y + e->h * sum;
    for (int j = 0; j < t->second.count; j++) less -= t->second.a[j] * get(e->second.row[j] + i, p);
    if (t->fsal) y_new = get(e->y_new + i, p);
    vec most = larger(magnitude(y), magnitude(y_new)),
        weight = weigh(&e->scale, component + q, most);
    e->size += most;
    if (!t->fsal) put(e->y_new + i, p, y_new);
    put(e->weight + i, p, weight);
    if (!two) error *= e->h;
    add_square(&e->errors, q, weight, error);
    if (two) add_square(&e->seconds, q, weight, less);
}

/* The error from its squares. */
INLINE vec find_error(const zi_group *g, const zi_tableau *t, const ending *e)
{
    vec one = total(&e->errors);
    if (t->second.count == 0) return root(one / divisor(g));
    vec both = one + 0.01 * total(&e->seconds);
    both = choose(both <= 0.0, all(1.0), both);
    return e->h * one / root(divisor(g) * both);
}

INLINE void end_attempt(zi_group *g, const zi_tableau *t, int p)
{
    ending e = {.step = find_sources(g, zi_step_terms(t)),
                .error = find_sources(g, &t->error),
                .second = find_sources(g, &t->second),
                .y = g->y,
                .y_new = g->y_new,
                .weight = g->weight,
                .h = get(g->tried, p),
                .scale = find_scale(g)};
    for (int32_t c = 0, end = g->padded; c < end; c += 4) {
        end_component(&e, t, c, 0, p);
        end_component(&e, t, c, 1, p);
        end_component(&e, t, c, 2, p);
        end_component(&e, t, c, 3, p);
    }
    put_mask(g->finite, p, e.size < DBL_MAX);
    put(g->error, p, find_error(g, t, &e));
}

INLINE uint32_t attempt_pair(zi_group *g, const zi_tableau *t)
{
    uint32_t lanes = g->present, refused = 0;
#define STAGE(i)                                                                                   \
    if (i < t->count) refused |= stage(g, &t->stage[i - 1], lanes & ~refused, g->argument, i);
    ZI_EACH_STAGE(STAGE)
#undef STAGE
    if (t->fsal) refused |= stage(g, zi_step_terms(t), lanes & ~refused, g->y_new, zi_last_row(t));
    for (int p = 0; p < ZI_PARTS; p++) end_attempt(g, t, p);
    return refused;
}

/* -------------------------------------------------------------- dense output */

/* An extra stage, if the pair has it. */
INLINE uint32_t extra_stage(zi_group *g, const zi_tableau *t, int i, uint32_t lanes)
{
    if (i >= t->extra_count) return 0;
    uint32_t refused = stage(g, &t->extra[i], lanes, g->argument, zi_extra_row(t) + i);
    return refused | (lanes & ~finite_lanes(g, zi_lane_row(g, zi_extra_row(t) + i)));
}

/* The i-th of the r that come from stages, if the pair has it: entry e of their rows, part p. */
INLINE void sum_polynomial(double *row, const zi_tableau *t, const sources *rows, int i, size_t e,
                           vec h, int p)
{
    if (i < t->polynomial_count) put(row + e, p, h * sum_terms(&t->polynomial[i], &rows[i], e, p));
}

/* r1, r2, ... of the attempt. */
INLINE uint32_t find_parts_pair(zi_group *g, const zi_tableau *t, uint32_t lanes)
{
    uint32_t refused = extra_stage(g, t, 0, lanes);
    refused |= extra_stage(g, t, 1, lanes & ~refused);
    refused |= extra_stage(g, t, 2, lanes & ~refused);
    double *r[3 + zi_most_polynomials], *f_old = g->k, *f = zi_lane_row(g, zi_last_row(t));
    const zi_terms *polynomial = t->polynomial;
    sources rows[] = {find_sources(g, &polynomial[0]), find_sources(g, &polynomial[1]),
                      find_sources(g, &polynomial[2]), find_sources(g, &polynomial[3])};
    for (int i = 0; i < 3 + zi_most_polynomials; i++) r[i] = zi_lane_row(g, zi_part_row(t) + i);
    for (int p = 0; p < ZI_PARTS; p++) {
        vec h = get(g->tried, p);
        put_mask(g->others, p, get_mask(g->others, p) - t->extra_count * mask_of(lanes, p));
        for (size_t i = 0, end = (size_t)g->size * ZI_WIDTH; i < end; i += ZI_WIDTH) {
            vec r0 = get(g->end + i, p) - get(g->y + i, p), r1 = h * get(f_old + i, p) - r0;
            put(r[0] + i, p, r0);
            put(r[1] + i, p, r1);
            put(r[2] + i, p, r0 - h * get(f + i, p) - r1);
            sum_polynomial(r[3], t, rows, 0, i, h, p);
            sum_polynomial(r[4], t, rows, 1, i, h, p);
            sum_polynomial(r[5], t, rows, 2, i, h, p);
            sum_polynomial(r[6], t, rows, 3, i, h, p);
        }
    }
    return refused;
}

INLINE void dense_pair(zi_group *g, const zi_tableau *t)
{
    int last = zi_part_count(t) - 1;
    for (int p = 0; p < ZI_PARTS; p++) {
        vec theta = (get(g->moment, p) - get(g->t, p)) / get(g->tried, p), phi = 1.0 - theta;
        for (size_t i = 0, end = (size_t)g->size * ZI_WIDTH; i < end; i += ZI_WIDTH) {
            const double *r = zi_lane_row(g, zi_part_row(t)) + i;
            vec sum = get(r + (size_t)last * g->stride, p);
            for (int j = last - 1; j >= 0; j--)
                sum = get(r + (size_t)j * g->stride, p) + (j % 2 == 0 ? phi : theta) * sum;
            put(g->shown + i, p, get(g->y + i, p) + theta * sum);
        }
    }
}

/* ---------------------------------------------------------------- the table */

#define FUNCTIONS(name)                                                                            \
    static uint32_t attempt_##name(zi_group *g)                                                    \
    {                                                                                              \
        return attempt_pair(g, &zi_tableau_##name);                                                \
    }                                                                                              \
    static uint32_t find_parts_##name(zi_group *g, uint32_t lanes)                                 \
    {                                                                                              \
        return find_parts_pair(g, &zi_tableau_##name, lanes);                                      \
    }                                                                                              \
    static void dense_##name(zi_group *g)                                                          \
    {                                                                                              \
        dense_pair(g, &zi_tableau_##name);                                                         \
    }
ZI_PAIR_LIST(FUNCTIONS)

#define ENTRY(name)                                                                                \
    {.attempt = attempt_##name, .find_parts = find_parts_##name, .dense = dense_##name},
extern const zi_lane_pair ZI_OF(zi_lane_pairs_)[zi_pair_count];
const zi_lane_pair ZI_OF(zi_lane_pairs_)[] = {ZI_PAIR_LIST(ENTRY)};
