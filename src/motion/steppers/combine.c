/*
 * Sums of stages: out = y + h (a[0] k[row[0]] + a[1] k[row[1]] + ...), and weighted norms.
 *
 * One loop for each number of terms, so that the inner sum is straight-line code; the terms are
 * added in their order whatever the number of lanes.
 */
#include "pair.h"

typedef zi_vector lanes;

/* combine_N: out = y + h * (a sum of N terms), over `stride` entries. */
#define COMBINE(N)                                                                                 \
    static void combine_##N(size_t stride, const double *k, const zi_terms *terms,                 \
                            const double *y, double h, double *restrict out)                       \
    {                                                                                              \
        const double *row[N];                                                                      \
        for (int j = 0; j < N; j++) row[j] = k + (size_t)terms->row[j] * stride;                   \
        for (size_t i = 0; i < stride; i += zi_lanes) {                                            \
            lanes sum = terms->a[0] * *(const lanes *)(row[0] + i);                                \
            for (int j = 1; j < N; j++) sum += terms->a[j] * *(const lanes *)(row[j] + i);         \
            *(lanes *)(out + i) = *(const lanes *)(y + i) + h * sum;                               \
        }                                                                                          \
    }

COMBINE(1)
COMBINE(2)
COMBINE(3)
COMBINE(4)
COMBINE(5)
COMBINE(6)
COMBINE(7)
COMBINE(8)
COMBINE(9)
COMBINE(10)
COMBINE(11)
COMBINE(12)

/* By the number of terms, through a table of functions. */
void zi_combine(const zi_stepper *s, const zi_terms *terms, const double *y, double h, double *out)
{
    typedef void combine_fn(size_t, const double *, const zi_terms *, const double *, double,
                            double *restrict);
    static combine_fn *const by_count[] = {NULL,       combine_1,  combine_2, combine_3, combine_4,
                                           combine_5,  combine_6,  combine_7, combine_8, combine_9,
                                           combine_10, combine_11, combine_12};
    by_count[terms->count]((size_t)s->stride, s->k, terms, y, h, out);
}

/* Of dense output only, which is asked for rarely: any number of terms in one loop. */
void zi_sum(const zi_stepper *s, const zi_terms *terms, double h, double *out)
{
    for (int32_t i = 0; i < s->stride; i += zi_lanes) {
        lanes sum = terms->a[0] * *(const lanes *)(zi_row(s, terms->row[0]) + i);
        for (int32_t j = 1; j < terms->count; j++)
            sum += terms->a[j] * *(const lanes *)(zi_row(s, terms->row[j]) + i);
        *(lanes *)(out + i) = h * sum;
    }
}

/* As zi_squares and zi_square_difference (b not NULL), in the order that the system says. */
double zi_squares_in_order(const zi_stepper *s, const double *weight, const double *a,
                           const double *b)
{
    const int32_t *order = s->system.order;
    double sum[zi_lanes] = {0};
    for (int32_t i = 0; i < s->system.counted; i++) {
        int32_t at = order[i];
        double e = weight[at] * (b ? a[at] - b[at] : a[at]);
        sum[i % zi_lanes] += e * e;
    }
    return ZI_TOTAL(sum);
}

/* A sum of terms at one entry of the rows. */
static double sum_at(const zi_stepper *s, const zi_terms *terms, int32_t at)
{
    double sum = terms->a[0] * zi_row(s, terms->row[0])[at];
    for (int32_t j = 1; j < terms->count; j++) sum += terms->a[j] * zi_row(s, terms->row[j])[at];
    return sum;
}

/* The bits of the sums of end_attempt (attempt_pairs.c), were the components laid out so. */
void zi_errors_in_order(const zi_stepper *s, const zi_tableau *t, const double *weight, double h,
                        double *error, double *second)
{
    double errors[zi_lanes] = {0}, seconds[zi_lanes] = {0};
    for (int32_t i = 0; i < s->system.counted; i++) {
        int32_t at = s->system.order[i];
        double e = sum_at(s, &t->error, at), less = 0.0;
        if (t->second.count > 0) {
            less = sum_at(s, zi_step_terms(t), at);
            for (int32_t j = 0; j < t->second.count; j++)
                less -= t->second.a[j] * zi_row(s, t->second.row[j])[at];
        } else {
            e *= h;
        }
        e *= weight[at];
        less *= weight[at];
        errors[i % zi_lanes] += e * e;
        seconds[i % zi_lanes] += less * less;
    }
    *error = ZI_TOTAL(errors);
    *second = ZI_TOTAL(seconds);
}

/* An accumulator for each lane, added up in the fixed order of ZI_TOTAL. */
double zi_squares(const zi_stepper *s, const double *weight, const double *x)
{
    lanes sum = {0};
    if (s->system.order) return zi_squares_in_order(s, weight, x, NULL);
    for (int32_t i = 0; i < s->stride; i += zi_lanes) {
        lanes e = *(const lanes *)(weight + i) * *(const lanes *)(x + i);
        sum += e * e;
    }
    return ZI_TOTAL(sum);
}

/* A weight is 0 where the mask is, so that such a component adds nothing to a norm. */
void zi_weigh(const zi_stepper *s, const double *mask, const double *a, const double *b,
              double *restrict weight)
{
    double relative = zi_find_scale(&s->settings).relative;
    const double *absolute = zi_row(s, s->size_row);
    for (int32_t i = 0; i < s->stride; i++) {
        double p = zb_abs(a[i]), q = zb_abs(b[i]);
        weight[i] = mask[i] / (absolute[i] + relative * (p > q ? p : q));
    }
}
