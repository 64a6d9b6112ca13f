/*
 * hand.h: systems whose equations were derived by hand, as a second opinion on the library.
 *
 * Each gives M, Q, A, b and C at a state by formulas worked out on paper, and besides its
 * Lagrangian, forces and constraints in long double, from which test_hand.c derives the
 * same by differences: the formulas are trusted because the two agree, not because they were
 * copied from what the library says.
 */
#ifndef TESTS_SYSTEM_HAND_H
#define TESTS_SYSTEM_HAND_H

#include <stdbool.h>
#include <stdint.h>

enum { HAND_N = 16, HAND_M = 16 }; /* most coordinates and rows */

typedef struct hand_equations {
    double M[HAND_N * HAND_N]; /* [n*n] */
    double Q[HAND_N], C[HAND_N];
    double A[HAND_M * HAND_N]; /* [m*n] */
    double b[HAND_M];
} hand_equations;

typedef long double real;

typedef struct hand {
    const char *model;    /* file in tests/models, without .zw */
    const char *settings; /* NULL, or as for zw_model_source */
    int32_t n, m;
    const char *kinds; /* a letter for each row: holonomic h, nonholonomic n */
    double speed;      /* size of the velocities that are tried */
    double friction;   /* not 0: C = -friction |ideal force| v/|v| */
    void (*equations)(double t, const double *q, const double *v, hand_equations *e);
    real (*lagrangian)(real t, const real *q, const real *v);
    void (*forces)(real t, const real *q, const real *v, real *F); /* [n], besides L; or NULL */
    void (*rows)(real t, const real *q, const real *v, real *phi); /* [m] */
} hand;

extern const hand hand_pendulum, hand_sphere, hand_hoop, hand_appell, hand_appell_hamel,
    hand_friction_circle, hand_friction_helix, hand_friction_incline; /* hand_particles.c */
extern const hand hand_sleigh, hand_knife_edge, hand_rolling_disc;    /* hand_rolling.c */
extern const hand hand_fourbar, hand_fourbar_long, hand_caraxis, hand_slider_crank,
    hand_andrews; /* hand_mechanisms.c */

#define HAND_LIST                                                                                  \
    &hand_pendulum, &hand_sphere, &hand_hoop, &hand_appell, &hand_appell_hamel,                    \
        &hand_friction_circle, &hand_friction_helix, &hand_friction_incline, &hand_sleigh,         \
        &hand_knife_edge, &hand_rolling_disc, &hand_fourbar, &hand_fourbar_long, &hand_caraxis,    \
        &hand_slider_crank, &hand_andrews

/* A state of the k-th trial, always the same: t in [0, 1], q and v multiples of 2^-10 (so that
 * rows that are multiples of each other stay so in doubles), |q| <= 2, |v| <= 2 * speed. */
void hand_state(const hand *h, uint64_t trial, double *t, double *q, double *v);

#endif
