/*
 * Motions with known answers, and a stepper opened in one line.
 */
#ifndef SYSTEMS_H
#define SYSTEMS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "motion.h"

/* y0 = exp(sin t) and y1 = 1/(1 + t^2), from (1, 1). */
static inline zw_status curves(void *user, double t, const double *y, double *dy)
{
    (void)user;
    dy[0] = y[0] * cos(t);
    dy[1] = -2.0 * t * y[1] * y[1];
    return ZW_OK;
}

static inline double curves_error(double t, const double *y)
{
    double e0 = fabs(y[0] - exp(sin(t))), e1 = fabs(y[1] - 1.0 / (1.0 + t * t));
    return e0 > e1 ? e0 : e1;
}

/* Angle and speed. */
static inline zw_status pendulum(void *user, double t, const double *y, double *dy)
{
    (void)user;
    (void)t;
    dy[0] = y[1];
    dy[1] = -9.81 * sin(y[0]);
    return ZW_OK;
}

/* A turn of the plane by angle t. */
static inline zw_status turning(void *user, double t, const double *y, double *dy)
{
    (void)user;
    (void)t;
    dy[0] = -y[1];
    dy[1] = y[0];
    return ZW_OK;
}

static inline zi_stepper *open_stepper(zb_memory *memory, const char *method,
                                       const zi_system *system, const zi_settings *settings,
                                       const double *y)
{
    zb_memory_init(memory, NULL);
    const zi_method *found = zi_find_method(method);
    assert_non_null(found);
    zi_stepper *s = NULL;
    assert_int_equal(zi_open(memory, found, system, settings, 0.0, y, &s), ZW_OK);
    assert_non_null(s);
    return s;
}

static inline void close_stepper(zi_stepper *s, zb_memory *memory)
{
    zi_close(s);
    assert_int_equal(memory->held, 0);
}

static inline zw_status run_to_end(zi_stepper *s)
{
    while (s->t < s->settings.end) ZB_TRY(zi_step(s));
    return ZW_OK;
}

static inline bool same_bits(const double *a, const double *b, int32_t count)
{
    return memcmp(a, b, (size_t)count * sizeof(double)) == 0;
}

#endif
