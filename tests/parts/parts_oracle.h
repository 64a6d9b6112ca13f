/*
 * What a world's equations say, by other means: every expression in long double, node by node, M
 * and A dense (wide_gauss.h solves them).
 */
#ifndef LANES_ORACLE_H
#define LANES_ORACLE_H

#include "parts_world.h"
#include "wide_gauss.h"

typedef struct oracle {
    wide_system *g;
    long double *level; /* [4 m] */
} oracle;

/* At a state with these values. */
oracle *oracle_create(world *w, double t, const double *q, const double *v, const double *values);
void oracle_free(oracle *o);

#endif
