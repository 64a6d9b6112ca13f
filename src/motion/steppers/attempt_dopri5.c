/*
 * An attempt of Dormand and Prince 5(4): stages, the last of which is at y_new, weights, the error.
 */
#include "attempt.h"
#include "dopri5_table.h"

zw_status ZI_OF(zi_attempt_dopri5_)(zi_stepper *s, double h, double *error)
{
    zi_places p = zi_find_places(s, &zi_dopri5_pair);
#define STAGE(i, to) ZB_TRY(stage(s, &stages[i - 1], h, to, i));
    STAGE(1, p.argument)
    STAGE(2, p.argument)
    STAGE(3, p.argument)
    STAGE(4, p.argument)
    STAGE(5, p.argument)
    STAGE(6, p.y_new)
#undef STAGE
    sources k = find_sources(s, &estimate);
    zi_scale scale = zi_find_scale(&s->settings);
    const double *old = s->y;
    zi_vector sum = {0};
    for (size_t i = 0, end = (size_t)s->stride; i < end; i += zi_lanes) {
        zi_vector weight = weigh(scale, get(p.mask + i), get(old + i), get(p.y_new + i));
        put(p.weight + i, weight);
        add_square(&sum, weight, h * sum_terms(&estimate, &k, i));
    }
    *error = zb_sqrt(total(sum) / divisor(s));
    return ZW_OK;
}
