/*
 * How a run of steps begins, and where a step may end: what adaptive methods share beside their
 * control.
 *
 * The first step after Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, II.4,
 * in the weighted norm; or from the sizes of components (sizes.c), whatever the units.
 */
#include <float.h>

#include "stepping.h"

/* -------------------------------------------------------------------- norms */

double zi_mean_root(const zi_stepper *s, double squares)
{
    return s->system.counted > 0 ? zb_sqrt(squares / s->system.counted) : zb_sqrt(squares);
}

double zi_square_difference(const zi_stepper *s, const double *weight, const double *a,
                            const double *b)
{
    zi_vector sum = {0};
    if (s->system.order) return zi_squares_in_order(s, weight, a, b);
    for (int32_t i = 0; i < s->stride; i += zi_lanes) {
        zi_vector e = *(const zi_vector *)(weight + i) *
                      (*(const zi_vector *)(a + i) - *(const zi_vector *)(b + i));
        sum += e * e;
    }
    return ZI_TOTAL(sum);
}

/* --------------------------------------------------------------- first step */

/* f after one explicit step of Euler of length h; false: it cannot be evaluated there. */
static bool look_ahead(zi_stepper *s, const zi_about_start *x, double h)
{
    for (int32_t i = 0; i < s->stride; i++) x->argument[i] = s->y[i] + h * x->f[i];
    return zi_rates(s, s->t + h, x->argument, x->ahead) == ZW_OK;
}

/* h with h^(order) max(|y'|, |y''|) = 0.01; y'' from one explicit step of Euler. */
static double guess_plain_step(zi_stepper *s, const zi_about_start *x)
{
    zi_weigh(s, x->mask, s->y, s->y, x->weight);
    double size = zi_mean_root(s, zi_squares(s, x->weight, s->y));
    double speed = zi_mean_root(s, zi_squares(s, x->weight, x->f));
    double h = size > 1e-5 && speed > 1e-5 ? 0.01 * (size / speed) : 1e-6;
    double left = s->settings.end - s->t;
    if (h > left) h = left;
    if (!look_ahead(s, x, h)) return h;
    double bend = zi_mean_root(s, zi_square_difference(s, x->weight, x->ahead, x->f)) / h;
    if (!(bend < DBL_MAX)) return h;
    double most = speed > bend ? speed : bend;
    double next = most <= 1e-15 ? (h * 1e-3 > 1e-6 ? h * 1e-3 : 1e-6)
                                : zb_exp(zb_log(0.01 / most) / x->order);
    return next < 100.0 * h ? next : 100.0 * h;
}

/* The same from the sizes of components, whatever the units. */
static double guess_sized_step(zi_stepper *s, const zi_about_start *x)
{
    zi_sizes z = zi_stepper_sizes(s);
    zi_reach(&z, s->y);
    double h = zi_short_step(&z, x->f, s->settings.end - s->t);
    if (!look_ahead(s, x, h)) return h;
    return zi_first_step(&z, s->y, x->f, x->ahead, h, x->order);
}

double zi_guess_step(zi_stepper *s, const zi_about_start *x)
{
    return s->settings.sized ? guess_sized_step(s, x) : guess_plain_step(s, x);
}

/* What a start is off, and be it rounding of large coordinates, is no error of the first step:
 * however short that is, it would stay. */
void zi_settle_start(zi_stepper *s, double *y)
{
    if (!s->settings.sized || !s->system.project || s->counts.steps > 0) return;
    zi_copy(s, y, s->y);
    if (s->system.project(s->system.user, s->t, y) != ZW_OK || !zi_finite(s, y)) return;
    zi_copy(s, s->y, y);
    zi_forget_step(s);
}

/* ------------------------------------------------------------- ends of steps */

double zi_shortest_step(const zi_stepper *s)
{
    double h = 16.0 * DBL_EPSILON * zb_abs(s->t);
    return h > DBL_MIN ? h : DBL_MIN;
}

double zi_choose_end(const zi_stepper *s)
{
    double end = s->settings.end, left = end - s->t, most = 1e300, h = s->h;
    if (h > most) h = most;
    if (1.01 * h >= left) return end;
    return s->t + (2.0 * h > left ? 0.5 * left : h);
}

/* -------------------------------------------------- near a singular configuration */

bool zi_is_careful(const zi_stepper *s)
{
    return s->system.careful && *s->system.careful;
}

bool zi_should_be_careful(const zi_stepper *s)
{
    const zi_system *x = &s->system;
    return x->careful && !*x->careful && x->noise && *x->noise > zi_much_noise;
}

void zi_set_careful(zi_stepper *s, bool on)
{
    if (s->system.careful) *s->system.careful = on;
}
