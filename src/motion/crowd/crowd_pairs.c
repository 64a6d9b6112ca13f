/*
 * Attempts and dense output of every pair, in all lanes at once: attempt_pairs.c and pairs.c for
 * crowds. Compiled once for each width and instruction set.
 *
 * Everything is inlined with each table, as there.
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

/* Register p of a component, the q-th of four: y_new, its weight, its share of the errors. */
INLINE void end_lane_component(ending *e, const zi_tableau *t, int32_t component, int q, int p)
{
    size_t i = (size_t)(component + q) * ZI_WIDTH;
    bool two = t->second.count > 0;
    vec sum = {0}, error = sum_lane_terms(&t->error, &e->error, i, p);
    if (two || !t->fsal) sum = sum_lane_terms(zi_step_terms(t), &e->step, i, p);
    vec less = sum, y = get_vector(e->y + i, p), y_new = y + e->h * sum;
    for (int j = 0; j < t->second.count; j++)
        less -= t->second.a[j] * get_vector(e->second.row[j] + i, p);
    if (t->fsal) y_new = get_vector(e->y_new + i, p);
    vec most = larger_of_lanes(lane_magnitude(y), lane_magnitude(y_new)),
        weight = weigh_lanes(&e->scale, component + q, most, p);
    e->size += most;
    if (!t->fsal) put_vector(e->y_new + i, p, y_new);
    put_vector(e->weight + i, p, weight);
    if (!two) error *= e->h;
    add_lane_square(&e->errors, q, weight, error);
    if (two) add_lane_square(&e->seconds, q, weight, less);
}

/* The error from its squares. */
INLINE vec find_lane_error(const zi_group *g, const zi_tableau *t, const ending *e)
{
    vec one = add_up_squares(&e->errors);
    if (t->second.count == 0) return lane_root(one / lane_divisor(g));
    vec both = one + 0.01 * add_up_squares(&e->seconds);
    both = choose_by_mask(both <= 0.0, in_all_lanes(1.0), both);
    return e->h * one / lane_root(lane_divisor(g) * both);
}

/* The end of the attempt in the lanes of register p: y_new, unless it is there already, the
 * weights, the error, and whether the states are finite. */
INLINE void end_lane_attempt(zi_group *g, const zi_tableau *t, int p)
{
    ending e = {.step = find_lane_sources(g, zi_step_terms(t)),
                .error = find_lane_sources(g, &t->error),
                .second = find_lane_sources(g, &t->second),
                .y = g->y,
                .y_new = g->y_new,
                .weight = g->weight,
                .h = get_vector(g->tried, p),
                .scale = find_lane_scale(g)};
    for (int32_t c = 0, end = g->padded; c < end; c += 4) {
        end_lane_component(&e, t, c, 0, p);
        end_lane_component(&e, t, c, 1, p);
        end_lane_component(&e, t, c, 2, p);
        end_lane_component(&e, t, c, 3, p);
    }
    put_mask(g->finite, p, e.size < DBL_MAX);
    put_vector(g->error, p, find_lane_error(g, t, &e));
}

/* One attempt of any pair in all lanes. Returns the lanes in which a stage was refused. */
INLINE uint32_t attempt_pair_in_lanes(zi_group *g, const zi_tableau *t)
{
    uint32_t lanes = g->present, refused = 0;
#define STAGE(i)                                                                                   \
    if (i < t->count)                                                                              \
        refused |= evaluate_lane_stage(g, &t->stage[i - 1], lanes & ~refused, g->argument, i);
    ZI_EACH_STAGE(STAGE)
#undef STAGE
    if (t->fsal)
        refused |=
            evaluate_lane_stage(g, zi_step_terms(t), lanes & ~refused, g->y_new, zi_last_row(t));
    for (int p = 0; p < ZI_REGISTERS; p++) end_lane_attempt(g, t, p);
    return refused;
}

/* -------------------------------------------------------------- dense output */

/* An extra stage, if the pair has it. */
INLINE uint32_t evaluate_extra_stage(zi_group *g, const zi_tableau *t, int i, uint32_t lanes)
{
    if (i >= t->extra_count) return 0;
    uint32_t refused =
        evaluate_lane_stage(g, &t->extra[i], lanes, g->argument, zi_extra_row(t) + i);
    return refused | (lanes & ~find_finite_lanes(g, zi_lane_row(g, zi_extra_row(t) + i)));
}

/* The i-th of the r that come from stages, if the pair has it: register p of entry e. */
INLINE void sum_polynomial(double *row, const zi_tableau *t, const sources *rows, int i, size_t e,
                           vec h, int p)
{
    if (i < t->polynomial_count)
        put_vector(row + e, p, h * sum_lane_terms(&t->polynomial[i], &rows[i], e, p));
}

/* The extra stages and r1, r2, ... of the attempt. Returns the lanes in which a stage was refused
 * or is not finite. */
INLINE uint32_t find_pair_interpolant(zi_group *g, const zi_tableau *t, uint32_t lanes)
{
    uint32_t refused = evaluate_extra_stage(g, t, 0, lanes);
    refused |= evaluate_extra_stage(g, t, 1, lanes & ~refused);
    refused |= evaluate_extra_stage(g, t, 2, lanes & ~refused);
    double *r[3 + zi_most_polynomials], *f_old = g->k, *f = zi_lane_row(g, zi_last_row(t));
    const zi_terms *polynomial = t->polynomial;
    sources rows[] = {find_lane_sources(g, &polynomial[0]), find_lane_sources(g, &polynomial[1]),
                      find_lane_sources(g, &polynomial[2]), find_lane_sources(g, &polynomial[3])};
    for (int i = 0; i < 3 + zi_most_polynomials; i++)
        r[i] = zi_lane_row(g, zi_interpolant_row(t) + i);
    for (int p = 0; p < ZI_REGISTERS; p++) {
        vec h = get_vector(g->tried, p);
        put_mask(g->others, p, get_mask(g->others, p) - t->extra_count * mask_of_lanes(lanes, p));
        for (size_t i = 0, end = (size_t)g->size * ZI_WIDTH; i < end; i += ZI_WIDTH) {
            vec r0 = get_vector(g->end + i, p) - get_vector(g->y + i, p),
                r1 = h * get_vector(f_old + i, p) - r0;
            put_vector(r[0] + i, p, r0);
            put_vector(r[1] + i, p, r1);
            put_vector(r[2] + i, p, r0 - h * get_vector(f + i, p) - r1);
            sum_polynomial(r[3], t, rows, 0, i, h, p);
            sum_polynomial(r[4], t, rows, 1, i, h, p);
            sum_polynomial(r[5], t, rows, 2, i, h, p);
            sum_polynomial(r[6], t, rows, 3, i, h, p);
        }
    }
    return refused;
}

/* The states at `moment` of each lane into `shown`. */
INLINE void interpolate_lanes(zi_group *g, const zi_tableau *t)
{
    int last = zi_interpolant_count(t) - 1;
    for (int p = 0; p < ZI_REGISTERS; p++) {
        vec theta = (get_vector(g->moment, p) - get_vector(g->t, p)) / get_vector(g->tried, p),
            phi = 1.0 - theta;
        for (size_t i = 0, end = (size_t)g->size * ZI_WIDTH; i < end; i += ZI_WIDTH) {
            const double *r = zi_lane_row(g, zi_interpolant_row(t)) + i;
            vec sum = get_vector(r + (size_t)last * g->stride, p);
            for (int j = last - 1; j >= 0; j--)
                sum = get_vector(r + (size_t)j * g->stride, p) + (j % 2 == 0 ? phi : theta) * sum;
            put_vector(g->shown + i, p, get_vector(g->y + i, p) + theta * sum);
        }
    }
}

/* ---------------------------------------------------------------- the table */

#define FUNCTIONS(name)                                                                            \
    static uint32_t attempt_##name(zi_group *g)                                                    \
    {                                                                                              \
        return attempt_pair_in_lanes(g, &zi_tableau_##name);                                       \
    }                                                                                              \
    static uint32_t find_interpolant_##name(zi_group *g, uint32_t lanes)                           \
    {                                                                                              \
        return find_pair_interpolant(g, &zi_tableau_##name, lanes);                                \
    }                                                                                              \
    static void interpolate_##name(zi_group *g)                                                    \
    {                                                                                              \
        interpolate_lanes(g, &zi_tableau_##name);                                                  \
    }
ZI_PAIR_LIST(FUNCTIONS)

#define ENTRY(name)                                                                                \
    {.attempt = attempt_##name,                                                                    \
     .find_interpolant = find_interpolant_##name,                                                  \
     .dense = interpolate_##name},
extern const zi_lane_pair ZI_OF(zi_lane_pairs_)[zi_pair_count];
const zi_lane_pair ZI_OF(zi_lane_pairs_)[] = {ZI_PAIR_LIST(ENTRY)};
