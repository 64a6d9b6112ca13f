/*
 * Random expressions over all operations, and their values by zx_apply, node by node: what every
 * program is compared with.
 */
#ifndef RANDOM_GRAPH_H
#define RANDOM_GRAPH_H

#include "kernel.h"

enum { GRAPH_SLOTS = 12 };

/* The leaves' values: entries of a source longer than the slots, so that bindings can permute. */
typedef struct graph_source {
    double position[4 * GRAPH_SLOTS], velocity[4 * GRAPH_SLOTS], acceleration[4 * GRAPH_SLOTS];
    double value[4 * GRAPH_SLOTS], measure[4 * GRAPH_SLOTS];
    double time;
    int32_t coordinate_of[GRAPH_SLOTS], value_of[GRAPH_SLOTS], measure_of[GRAPH_SLOTS];
} graph_source;

extern uint64_t graph_state;
uint64_t graph_next(void);
int32_t graph_below(int32_t limit); /* 0 .. limit - 1 */
double graph_uniform(double a, double b);

/* Random values; `wild` puts infinities, nan, zeros and huge numbers among them. Bindings are the
 * identity or, `permuted`, random. */
void graph_fill(graph_source *source, bool wild, bool permuted);
zk_source graph_as_source(const graph_source *source);
zk_binding graph_as_binding(const graph_source *source);

/* Adds nodes, without simplifying, until the pool has `operations` more operations. `arithmetic`:
 * sums, products and quotients only. With `values` (of at least count entries) nodes whose value
 * is not finite are mostly avoided. */
void graph_grow(zx_pool *pool, int32_t operations, bool arithmetic, const graph_source *source,
                double *values);

/* The values of all nodes. */
void graph_values(const zx_pool *pool, const graph_source *source, double *values);

/* For zx_evaluate, with a graph_source as user. */
double graph_leaf(void *user, const zx_item *leaf);

/* The same bits, or both nan. */
bool graph_same(double a, double b);

/* Workspace aligned as a program wants it; free() it. */
double *graph_workspace(const zk_program *program);

#endif
