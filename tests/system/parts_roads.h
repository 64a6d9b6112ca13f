/*
 * parts_roads.h: a model taken to a simulation by one road, and runs of it, for tests that compare
 * roads.
 */
#ifndef TESTS_SYSTEM_LANES_ROADS_H
#define TESTS_SYSTEM_LANES_ROADS_H

#include <stdint.h>
#include <zwang.h>

/* A simulation of its own, with a context of its own. */
typedef struct road {
    zw_context *context;
    zw_model *model;
    zw_sim *sim;
    int32_t n, m;
} road;

/* Fails the test when the model does not compile. */
road road_open(const char *text, zw_solver solver, int32_t threads);
void road_close(road *r);

/* Where a run from the model's start got to. */
typedef struct ride {
    double *x; /* [2n] at the end; free() it */
    zw_run_statistics stats;
    zw_status status;
} ride;

/* With the model's settings, tolerance 1e-9, at most 4000 steps. */
zw_run_settings ride_settings(const road *r, double until);
ride ride_on(road *r, const zw_run_settings *settings);

/* Zeros; free() them. */
double *numbers(int32_t count);
double apart(int32_t n, const double *x,
             const double *y); /* largest difference; NaN is handed on */

#endif
