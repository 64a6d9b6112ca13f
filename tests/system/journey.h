/*
 * journey.h: a run of a model through zwang.h, for tests. Whatever goes wrong fails the test with
 * the model's name and what the library said.
 */
#ifndef TESTS_SYSTEM_JOURNEY_H
#define TESTS_SYSTEM_JOURNEY_H

#include "loaded.h"

enum { JOURNEY_COLUMNS = 256 };

typedef struct journey {
    const char *name;
    loaded l;
    zw_run_settings settings; /* the model's own, to be changed before journey_begin */
    zw_columns *columns;      /* NULL: none */
    double row[JOURNEY_COLUMNS];
    zw_outcome outcome; /* of the last journey_to */
} journey;

/* Loads tests/models/MODEL.zw, or MODEL itself when it has more than one line. setting as in
 * loaded.h; columns as in zw_columns_create, NULL: none. */
journey journey_open(const char *model, const char *setting, const char *columns);
void journey_close(journey *j);

/* Starts and begins. */
void journey_begin(journey *j);

/* On to t; row has the columns there. The second says how it went instead of failing. */
void journey_to(journey *j, double t);
zw_status journey_try(journey *j, double t);

/* The whole way in one call: opens, begins with these settings and goes to t. */
typedef struct journey_plan {
    const char *model, *setting, *columns;
    zw_method method;
    double tol, step; /* step: of rk4 */
} journey_plan;
journey journey_run(const journey_plan *plan, double t);

/* Largest |phi| and |rate of phi| of all rows at the simulation's state, by the equations
 * themselves. */
double journey_off(journey *j);

zw_run_statistics journey_statistics(journey *j);

/* q, then v of the state; x has room for 2 n. */
void journey_state(const journey *j, double *x);

#endif
