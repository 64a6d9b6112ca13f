/*
 * Attempts of one member: the stages of a step, its end, the weights and the error, for every pair.
 * Compiled once for each instruction set, under another name each time.
 *
 * attempt_pair is inlined with each table. The end of a step, its weights and its error are one
 * pass over the rows. Sums have the order of combine.c: bits do not depend on the instruction set.
 */
#include "pair_list.h"

/* The name of this build's function: x_avx2 and so on. */
#define ZI_PASTE_2(name, variant) zi_attempt_##name##_##variant
#define ZI_PASTE_1(name, variant) ZI_PASTE_2(name, variant)
#define ZI_OF(name) ZI_PASTE_1(name, ZI_VARIANT)

#define INLINE static inline __attribute__((always_inline))

typedef int64_t zi_mask __attribute__((vector_size(32), aligned(8), may_alias));

INLINE zi_vector load_vector(const double *x)
{
    return *(const zi_vector *)(const void *)x;
}

INLINE void store_vector(double *x, zi_vector value)
{
    *(zi_vector *)(void *)x = value;
}

INLINE zi_vector vector_magnitude(zi_vector x)
{
    return (zi_vector)((zi_mask)x & INT64_MAX);
}

/* --------------------------------------------------------------------- stages */

/* The rows that a sum adds up. They stand in variables, for the compiler must think that whatever
 * is stored may have changed the stepper. */
typedef struct sources {
    const double *row[zi_most_terms];
} sources;

/* `terms` is a constant, here and below. */
INLINE sources find_sources(const zi_stepper *s, const zi_terms *terms)
{
    sources x;
    for (int j = 0; j < terms->count; j++) x.row[j] = zi_row(s, terms->row[j]);
    return x;
}

/* The sum of a[j] k[row[j]] at entries i to i + 3 of the rows. */
INLINE zi_vector sum_terms(const zi_terms *terms, const sources *x, size_t i)
{
    zi_vector sum = terms->a[0] * load_vector(x->row[0] + i);
    for (int j = 1; j < terms->count; j++) sum += terms->a[j] * load_vector(x->row[j] + i);
    return sum;
}

/* As zi_stage. */
INLINE zw_status evaluate_stage(zi_stepper *s, const zi_terms *terms, double h, double *argument,
                                int32_t row)
{
    sources x = find_sources(s, terms);
    const double *y = s->y;
    for (size_t i = 0, end = (size_t)s->stride; i < end; i += zi_lanes)
        store_vector(argument + i, load_vector(y + i) + h * sum_terms(terms, &x, i));
    s->stage = row;
    zw_status status = zi_rates(s, s->t + terms->c * h, argument, zi_row(s, row));
    s->stage = 0;
    return status;
}

/* ------------------------------------------------------------ end of a step */

/* As zi_weigh. */
INLINE zi_vector weigh_vector(double relative, zi_vector absolute, zi_vector mask, zi_vector a,
                              zi_vector b)
{
    zi_vector p = vector_magnitude(a), q = vector_magnitude(b);
    zi_mask m = (zi_mask)(p > q);
    zi_vector most = (zi_vector)((m & (zi_mask)p) | (~m & (zi_mask)q));
    return mask / (absolute + relative * most);
}

/* As zi_squares, which has an accumulator for each lane. */
INLINE void add_square(zi_vector *sum, zi_vector weight, zi_vector x)
{
    zi_vector e = weight * x;
    *sum += e * e;
}

/* Sums of squares of the error, and of its two estimates, divided by h, where there are two. */
typedef struct squares {
    double error, second;
} squares;

/* y_new, unless it is there already, the weights, and the error. */
INLINE squares end_attempt(zi_stepper *s, const zi_tableau *t, double h, const zi_places *p)
{
    const zi_terms *step = zi_step_terms(t), *second = &t->second;
    bool two = second->count > 0;
    sources of_step = find_sources(s, step), of_error = find_sources(s, &t->error),
            of_second = find_sources(s, second);
    double relative = zi_find_scale(&s->settings).relative;
    const double *old = s->y, *absolute = p->absolute;
    zi_vector errors = {0}, seconds = {0};
    for (size_t i = 0, end = (size_t)s->stride; i < end; i += zi_lanes) {
        zi_vector sum = {0}, error = sum_terms(&t->error, &of_error, i);
        if (two || !t->fsal) sum = sum_terms(step, &of_step, i);
        zi_vector less = sum, y = load_vector(old + i), y_new = y + h * sum;
        for (int j = 0; j < second->count; j++)
            less -= second->a[j] * load_vector(of_second.row[j] + i);
        if (t->fsal) y_new = load_vector(p->y_new + i);
        zi_vector weight =
            weigh_vector(relative, load_vector(absolute + i), load_vector(p->mask + i), y, y_new);
        if (!t->fsal) store_vector(p->y_new + i, y_new);
        store_vector(p->weight + i, weight);
        if (!two) error *= h;
        add_square(&errors, weight, error);
        if (two) add_square(&seconds, weight, less);
    }
    squares x = {ZI_TOTAL(errors), ZI_TOTAL(seconds)};
    if (s->system.order) zi_errors_in_order(s, t, p->weight, h, &x.error, &x.second);
    return x;
}

/* The error from its squares. */
INLINE double find_attempt_error(const zi_stepper *s, const zi_tableau *t, double h, squares x)
{
    double counted = s->system.counted > 0 ? s->system.counted : 1;
    if (t->second.count == 0) return zb_sqrt(x.error / counted);
    double both = x.error + 0.01 * x.second;
    if (both <= 0.0) both = 1.0;
    return h * x.error / zb_sqrt(counted * both);
}

/* One attempt of any pair: its stages in order, then the end of the step and its error. */
INLINE zw_status attempt_pair(zi_stepper *s, const zi_tableau *t, double h, double *error)
{
    zi_places p = zi_find_places(s, t);
#define STAGE(i)                                                                                   \
    if (i < t->count) ZB_TRY(evaluate_stage(s, &t->stage[i - 1], h, p.argument, i));
    ZI_EACH_STAGE(STAGE)
#undef STAGE
    if (t->fsal) ZB_TRY(evaluate_stage(s, zi_step_terms(t), h, p.y_new, zi_last_row(t)));
    *error = find_attempt_error(s, t, h, end_attempt(s, t, h, &p));
    return ZW_OK;
}

#define ATTEMPT(name)                                                                              \
    zi_attempt ZI_OF(name);                                                                        \
    zw_status ZI_OF(name)(zi_stepper * s, double h, double *error)                                 \
    {                                                                                              \
        return attempt_pair(s, &zi_tableau_##name, h, error);                                      \
    }
ZI_PAIR_LIST(ATTEMPT)
