/*
 * Every embedded pair of pair_list.h as a method: its attempts, and its dense output.
 */
#include "pair_list.h"

/* -------------------------------------------------------------- dense output */

/* The extra stages and r1, r2, ... of the step behind, whose stages are still there. */
static zw_status find_interpolant(zi_stepper *s, const zi_tableau *t)
{
    double h = s->t - s->t_old, *argument = zi_find_places(s, t).argument;
    for (int32_t i = 0; i < t->extra_count; i++) {
        zi_combine(s, &t->extra[i], s->y_old, h, argument);
        ZB_TRY(zi_finite_rates(s, s->t_old + t->extra[i].c * h, argument,
                               zi_row(s, zi_extra_row(t) + i)));
    }
    double *r1 = zi_row(s, zi_interpolant_row(t)), *r2 = r1 + s->stride, *r3 = r2 + s->stride;
    const double *f_old = zi_row(s, 0), *f = zi_row(s, zi_last_row(t));
    for (int32_t i = 0; i < s->stride; i++) {
        r1[i] = s->y[i] - s->y_old[i];
        r2[i] = h * f_old[i] - r1[i];
        r3[i] = r1[i] - h * f[i] - r2[i];
    }
    for (int32_t i = 0; i < t->polynomial_count; i++)
        zi_sum(s, &t->polynomial[i], h, zi_row(s, zi_interpolant_row(t) + 3 + i));
    s->dense_ready = true;
    return ZW_OK;
}

/* The state at t, inside the last step, into y [size]. Inlined with each table: the innermost loop
 * is unrolled. */
static inline __attribute__((always_inline)) zw_status
interpolate_pair(zi_stepper *s, const zi_tableau *tableau, double t, double *y)
{
    if (!s->dense_ready) ZB_TRY(find_interpolant(s, tableau));
    double theta = (t - s->t_old) / (s->t - s->t_old), phi = 1.0 - theta;
    const double *r = zi_row(s, zi_interpolant_row(tableau)), *y_old = s->y_old;
    size_t n = (size_t)s->stride, last = (size_t)zi_interpolant_count(tableau) - 1;
    for (size_t i = 0; i < (size_t)s->system.size; i++, r++) {
        double sum = r[last * n];
        for (size_t j = last; j-- > 0;) sum = r[j * n] + (j % 2 == 0 ? phi : theta) * sum;
        y[i] = y_old[i] + theta * sum;
    }
    return ZW_OK;
}

/* -------------------------------------------------------------------- methods */

/* attempt_pairs.c, compiled twice. */
#if defined(ZI_HAVE_X86)
#define WIDE(name) zi_attempt_##name##_avx2
#else
#define WIDE(name) zi_attempt_##name##_plain
#endif

#define PAIR(name)                                                                                 \
    zi_attempt zi_attempt_##name##_plain, WIDE(name);                                              \
    static zw_status dense_##name(zi_stepper *s, double t, double *y)                              \
    {                                                                                              \
        return interpolate_pair(s, &zi_tableau_##name, t, y);                                      \
    }                                                                                              \
    static const zi_pair pair_##name = {.tableau = &zi_tableau_##name,                             \
                                        .attempt = {zi_attempt_##name##_plain, WIDE(name)}};
ZI_PAIR_LIST(PAIR)

#define METHOD(title)                                                                              \
    {.name = #title,                                                                               \
     .restores = true,                                                                             \
     .takes_h = true,                                                                              \
     .pair = &pair_##title,                                                                        \
     .open = zi_adapt_open,                                                                        \
     .restart = zi_adapt_restart,                                                                  \
     .step = zi_adapt_step,                                                                        \
     .dense = dense_##title},
const zi_method zi_pair_methods[] = {ZI_PAIR_LIST(METHOD)};
