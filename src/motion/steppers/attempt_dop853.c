/*
 * An attempt of Dormand and Prince 8(5,3): stages, y_new, weights, the error of orders 5 and 3.
 */
#include "attempt.h"
#include "dop853_table.h"

/* y_new, the weights, and the sums of squares of both estimates of the error, divided by h. */
INLINE void combine_end(zi_stepper *s, double h, double *five, double *three)
{
    zi_places p = zi_find_places(s, &zi_dop853_pair);
    sources k = find_sources(s, &weights);
    zi_scale scale = zi_find_scale(&s->settings);
    const double *old = s->y;
    zi_vector fives = {0}, threes = {0};
    for (size_t i = 0, end = (size_t)s->stride; i < end; i += zi_lanes) {
        zi_vector first = get(k.row[0] + i);
        zi_vector sum = weights.a[0] * first, higher = estimate.a[0] * first;
        for (int j = 1; j < 8; j++) {
            zi_vector x = get(k.row[j] + i);
            sum += weights.a[j] * x;
            higher += estimate.a[j] * x;
        }
        zi_vector y = get(old + i), y_new = y + h * sum;
        zi_vector weight = weigh(scale, get(p.mask + i), y, y_new);
        put(p.y_new + i, y_new);
        put(p.weight + i, weight);
        add_square(&fives, weight, higher);
        add_square(&threes, weight,
                   sum - third[0] * first - third[1] * get(k.row[4] + i) -
                       third[2] * get(k.row[7] + i));
    }
    *five = total(fives);
    *three = total(threes);
}

zw_status ZI_OF(zi_attempt_dop853_)(zi_stepper *s, double h, double *error)
{
    double *argument = zi_find_places(s, &zi_dop853_pair).argument, five, three;
#define STAGE(i) ZB_TRY(stage(s, &stages[i - 1], h, argument, i));
    ZI_DOP853_STAGES(STAGE)
#undef STAGE
    combine_end(s, h, &five, &three);
    double both = five + 0.01 * three;
    if (both <= 0.0) both = 1.0;
    *error = h * five / zb_sqrt(divisor(s) * both);
    return ZW_OK;
}
