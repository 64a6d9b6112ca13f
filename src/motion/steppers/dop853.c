/*
 * Dormand and Prince 8(5,3): 12 stages, order 8, an error from estimates of orders 5 and 3, dense
 * output of order 7 by three more stages, taken only when it is asked for.
 *
 * Coefficients: Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, 2nd edition,
 * II.5, II.6 and their DOP853. With theta = (t - t_old)/h, phi = 1 - theta:
 *
 *     y(t) = y_old + theta (r1 + phi (r2 + theta (r3 + phi (r4 + theta R))))
 *     R = r5 + phi (r6 + theta r7)
 *     r1 = y - y_old, r2 = h f_old - r1, r3 = r1 - h f - r2, r4 to r7 from all stages
 *
 * so that values and rates at both ends are those of the step, whatever a projection did.
 */
#include "dop853_table.h"

static zw_status attempt(zi_stepper *s, double h, double *error);

const zi_pair zi_dop853_pair = {.rows = own_rows,
                                .last = last,
                                .attempt = attempt,
                                .exponent = 1.0 / 8.0 - 0.75 * 0.04,
                                .beta = 0.04,
                                .shrink = 1.0 / 3.0,
                                .grow = 6.0,
                                .twin = 11,
                                .stiff_bound = 5.4};

static zw_status attempt(zi_stepper *s, double h, double *error)
{
#if defined(ZI_HAVE_X86)
    if (s->wide) return zi_attempt_dop853_avx2(s, h, error);
#endif
    return zi_attempt_dop853_plain(s, h, error);
}

/* -------------------------------------------------------------- dense output */

/* r1 to r7 of the step behind. Stages 0 to 11 and the last are still there. */
static zw_status find_parts(zi_stepper *s)
{
    double h = s->t - s->t_old, *argument = zi_find_places(s, &zi_dop853_pair).argument,
           *r[part_count];
    for (int32_t i = 0; i < 3; i++) {
        zi_combine(s, &extra[i], s->y_old, h, argument);
        ZB_TRY(zi_finite_rates(s, s->t_old + extra[i].c * h, argument, zi_row(s, more + i)));
    }
    for (int32_t i = 0; i < part_count; i++) r[i] = zi_row(s, parts + i);
    const double *f_old = zi_row(s, 0), *f = zi_row(s, last);
    for (int32_t i = 0; i < s->stride; i++) {
        r[0][i] = s->y[i] - s->y_old[i];
        r[1][i] = h * f_old[i] - r[0][i];
        r[2][i] = r[0][i] - h * f[i] - r[1][i];
    }
    for (int32_t i = 3; i < part_count; i++) zi_sum(s, &polynomial[i - 3], h, r[i]);
    s->dense_ready = true;
    return ZW_OK;
}

static zw_status dense(zi_stepper *s, double t, double *y)
{
    if (!s->dense_ready) ZB_TRY(find_parts(s));
    double theta = (t - s->t_old) / (s->t - s->t_old), phi = 1.0 - theta;
    const double *r = zi_row(s, parts), *y_old = s->y_old;
    size_t n = (size_t)s->stride;
    for (size_t i = 0; i < (size_t)s->system.size; i++, r++) {
        double inner = r[3 * n] + theta * (r[4 * n] + phi * (r[5 * n] + theta * r[6 * n]));
        y[i] = y_old[i] + theta * (r[0] + phi * (r[n] + theta * (r[2 * n] + phi * inner)));
    }
    return ZW_OK;
}

/* -------------------------------------------------------------------- method */

static zw_status open(zi_stepper *s)
{
    return zi_adapt_open(s, &zi_dop853_pair);
}

static zw_status step(zi_stepper *s)
{
    return zi_adapt_step(s, &zi_dop853_pair);
}

const zi_method zi_dop853 = {.name = "dop853",
                             .order = 8,
                             .restores = true,
                             .open = open,
                             .restart = zi_adapt_restart,
                             .step = step,
                             .dense = dense};
