/*
 * The classical Runge-Kutta method of order 4 with a fixed step, dense output by the cubic that has
 * the values and rates of both ends.
 *
 * Steps end at origin + n step, n counted from the start or the last restart, so that times do not
 * gather rounding; one that would go beyond `end` ends there exactly, and the next where it would
 * have. What would be left of the way when it is only rounding goes into a step. A failing evaluation fails the step: there is none smaller.
 */
#include "stepping.h"

enum {
    last = 4,     /* f at the end */
    argument = 5, /* of a stage, later the new state */
    clock = 6,    /* [0] origin, [1] steps since */
    sizes = 7,    /* by which others judge what a step has left */
    own_rows = sizes + zi_size_rows
};

const zi_terms zi_rk4_terms[zi_rk4_term_count] = {
    {0.5, 1, {0}, {0.5}},
    {0.5, 1, {1}, {0.5}},
    {1.0, 1, {2}, {1.0}},
    {1.0, 4, {0, 1, 2, 3}, {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0}},
};

/* Steps are counted anew from the time at hand. */
static zw_status rk4_restart(zi_stepper *s)
{
    zi_row(s, clock)[0] = s->t;
    zi_row(s, clock)[1] = 0.0;
    s->h = s->settings.step;
    return ZW_OK;
}

/* The step must be given, positive and finite. */
static zw_status rk4_open(zi_stepper *s)
{
    if (!(s->settings.step > 0.0 && s->settings.step < ZB_INFINITY)) return ZW_ERR_ARGUMENT;
    ZB_TRY(zi_take_rows(s, own_rows));
    zi_open_sizes(s, sizes);
    return rk4_restart(s);
}

/* Where the next step ends that nothing cuts short. */
static double next_grid_time(const zi_stepper *s)
{
    return zi_row(s, clock)[0] + (zi_row(s, clock)[1] + 1.0) * s->settings.step;
}

static double clock_rounding(const zi_stepper *s)
{
    return 1e-6 * s->settings.step;
}

/* The end of the next step. */
static double next_step_end(const zi_stepper *s)
{
    double t = next_grid_time(s);
    return t + clock_rounding(s) < s->settings.end ? t : s->settings.end;
}

/* From stage 0 at (t, y) to the new state in row `argument` and f there in row `last`. */
static zw_status advance_rk4(zi_stepper *s, double t_new)
{
    double h = t_new - s->t, *y = zi_row(s, argument);
    for (int32_t i = 1; i < last; i++) ZB_TRY(zi_stage(s, &zi_rk4_terms[i - 1], h, y, i));
    zi_combine(s, &zi_rk4_terms[last - 1], s->y, h, y);
    if (!zi_finite(s, y)) return ZW_ERR_NOT_FINITE;
    if (s->system.project) ZB_TRY(s->system.project(s->system.user, t_new, y));
    return zi_finite_rates(s, t_new, y, zi_row(s, last));
}

/* A failure leaves t and y as they were, without a step behind. */
static zw_status rk4_step(zi_stepper *s)
{
    double t_new = next_step_end(s);
    if (!(t_new > s->t && t_new < ZB_INFINITY)) return ZW_ERR_STEP;
    if (!s->first_known) ZB_TRY(zi_finite_rates(s, s->t, s->y, zi_row(s, last)));
    s->first_known = true;
    zi_copy(s, zi_row(s, 0), zi_row(s, last));
    if (s->settings.sized && zi_floors_due(s->counts.steps))
        zi_find_stepper_floors(s, zi_row(s, 0), t_new - s->t);
    zw_status status = advance_rk4(s, t_new);
    if (status != ZW_OK) {
        zi_copy(s, zi_row(s, last), zi_row(s, 0));
        zi_forget_step(s);
        return status;
    }
    zi_accept(s, t_new, zi_row(s, argument));
    if (t_new + clock_rounding(s) >= next_grid_time(s)) zi_row(s, clock)[1] += 1.0;
    return ZW_OK;
}

/* The cubic of Hermite through values and rates of both ends of the step. */
static zw_status rk4_dense(zi_stepper *s, double t, double *y)
{
    double h = s->t - s->t_old, theta = (t - s->t_old) / h, phi = 1.0 - theta;
    const double *f_old = zi_row(s, 0), *f = zi_row(s, last);
    for (int32_t i = 0; i < s->system.size; i++) {
        double r1 = s->y[i] - s->y_old[i], r2 = h * f_old[i] - r1, r3 = r1 - h * f[i] - r2;
        y[i] = s->y_old[i] + theta * (r1 + phi * (r2 + theta * r3));
    }
    return ZW_OK;
}

const zi_method zi_rk4 = {.name = "rk4",
                          .fixed = true,
                          .restores = true,
                          .open = rk4_open,
                          .restart = rk4_restart,
                          .step = rk4_step,
                          .dense = rk4_dense};
