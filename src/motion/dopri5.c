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
#include "inside.h"

enum {
    last = 6,      /* f at the end */
    own_rows = 11, /* stages, then r1 to r4; in an attempt row 7: the estimate of the error */
    parts = 7,
    part_count = 4
};

/* Stages 1 to 5, and the step itself, which is also stage 6. */
static const zi_terms stages[] = {
    {0.2, 1, {0}, {0.2}},
    {0.3, 2, {0, 1}, {3.0 / 40.0, 9.0 / 40.0}},
    {0.8, 3, {0, 1, 2}, {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0}},
    {8.0 / 9.0,
     4,
     {0, 1, 2, 3},
     {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0}},
    {1.0,
     5,
     {0, 1, 2, 3, 4},
     {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0}},
    {1.0,
     5,
     {0, 2, 3, 4, 5},
     {35.0 / 384.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0}},
};

/* Order 5 less order 4. */
static const zi_terms estimate = {0.0,
                                  6,
                                  {0, 2, 3, 4, 5, 6},
                                  {71.0 / 57600.0, -71.0 / 16695.0, 71.0 / 1920.0,
                                   -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0}};

static const zi_terms polynomial = {0.0,
                                    6,
                                    {0, 2, 3, 4, 5, 6},
                                    {-12715105075.0 / 11282082432.0, 87487479700.0 / 32700410799.0,
                                     -10690763975.0 / 1880347072.0, 701980252875.0 / 199316789632.0,
                                     -1453857185.0 / 822651844.0, 69997945.0 / 29380423.0}};

static zw_status attempt(zi_stepper *s, double h, double *error);

static const zi_pair pair = {.rows = own_rows,
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
    zi_places p = zi_find_places(s, &pair);
    for (int32_t i = 1; i < last; i++) ZB_TRY(zi_stage(s, &stages[i - 1], h, p.argument, i));
    ZB_TRY(zi_stage(s, &stages[last - 1], h, p.y_new, last));
    double *difference = zi_row(s, parts);
    zi_sum(s, &estimate, h, difference);
    zi_weigh(s, p.mask, s->y, p.y_new, p.weight);
    double count = s->system.controlled > 0 ? s->system.controlled : 1;
    *error = zb_sqrt(zi_squares(s, p.weight, difference) / count);
    return ZW_OK;
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
    return zi_adapt_open(s, &pair);
}

static zw_status step(zi_stepper *s)
{
    return zi_adapt_step(s, &pair);
}

const zi_method zi_dopri5 = {.name = "dopri5",
                             .order = 5,
                             .restores = true,
                             .open = open,
                             .restart = zi_adapt_restart,
                             .step = step,
                             .dense = dense};
