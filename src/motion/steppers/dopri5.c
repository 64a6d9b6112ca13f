/*
 * Dormand and Prince 5(4): 7 stages of which the last is the first of the next step, order 5, an
 * error estimate of order 4, dense output of order 4 without further stages.
 *
 * Coefficients: Dormand and Prince, J. Comp. Appl. Math. 6 (1980) 19; dense output after Shampine,
 * in Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, II.6. With
 * theta = (t - t_old)/h, phi = 1 - theta:
 *
 *     y(t) = y_old + theta (r1 + phi (r2 + theta (r3 + phi r4)))
 *     r1 = y - y_old, r2 = h f_old - r1, r3 = r1 - h f - r2, r4 from all stages
 *
 * so that values and rates at both ends are those of the step, whatever a projection did.
 */
#include "dopri5_table.h"

static zw_status attempt(zi_stepper *s, double h, double *error);

const zi_pair zi_dopri5_pair = {.rows = own_rows,
                                .last = last,
                                .attempt = attempt,
                                .last_known = true,
                                .exponent = 0.2 - 0.75 * 0.04,
                                .beta = 0.04,
                                .shrink = 0.2,
                                .grow = 10.0,
                                .twin = 5,
                                .stiff_bound = 2.9};

static zw_status attempt(zi_stepper *s, double h, double *error)
{
#if defined(ZI_HAVE_X86)
    if (s->wide) return zi_attempt_dopri5_avx2(s, h, error);
#endif
    return zi_attempt_dopri5_plain(s, h, error);
}

/* -------------------------------------------------------------- dense output */

static void find_parts(zi_stepper *s)
{
    double h = s->t - s->t_old, *r[part_count];
    for (int32_t i = 0; i < part_count; i++) r[i] = zi_row(s, parts + i);
    const double *f_old = zi_row(s, 0), *f = zi_row(s, last);
    for (int32_t i = 0; i < s->stride; i++) {
        r[0][i] = s->y[i] - s->y_old[i];
        r[1][i] = h * f_old[i] - r[0][i];
        r[2][i] = r[0][i] - h * f[i] - r[1][i];
    }
    zi_sum(s, &polynomial, h, r[3]);
    s->dense_ready = true;
}

static zw_status dense(zi_stepper *s, double t, double *y)
{
    if (!s->dense_ready) find_parts(s);
    double theta = (t - s->t_old) / (s->t - s->t_old), phi = 1.0 - theta;
    const double *r = zi_row(s, parts), *y_old = s->y_old;
    size_t n = (size_t)s->stride;
    for (size_t i = 0; i < (size_t)s->system.size; i++, r++)
        y[i] = y_old[i] + theta * (r[0] + phi * (r[n] + theta * (r[2 * n] + phi * r[3 * n])));
    return ZW_OK;
}

/* -------------------------------------------------------------------- method */

static zw_status open(zi_stepper *s)
{
    return zi_adapt_open(s, &zi_dopri5_pair);
}

static zw_status step(zi_stepper *s)
{
    return zi_adapt_step(s, &zi_dopri5_pair);
}

const zi_method zi_dopri5 = {.name = "dopri5",
                             .order = 5,
                             .restores = true,
                             .open = open,
                             .restart = zi_adapt_restart,
                             .step = step,
                             .dense = dense};
