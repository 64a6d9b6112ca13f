/*
 * Patterns for the tests of ordering and sparse factors, and the memory to try them with: an
 * allocator that fails the k-th request.
 */
#ifndef TEST_GRAPHS_H
#define TEST_GRAPHS_H

#include <stdbool.h>
#include <stdint.h>

#include "factoring.h"

/* Edges as they come; twice the same or a loop does no harm. */
typedef struct graph {
    int32_t n;
    int64_t count, room;
    int32_t (*edge)[2];
} graph;

void graph_add(graph *g, int32_t a, int32_t b);
graph graph_path(int32_t n);
graph graph_tree(int32_t n, uint64_t *seed);   /* each node below a random one before it */
graph graph_ladder(int32_t n);                 /* two paths of n, joined by rungs */
graph graph_lattice(int32_t width, int32_t d); /* squares with one diagonal, d rows a node */
graph graph_box(int32_t x, int32_t y, int32_t z, int32_t d); /* points in space, d rows each */
graph graph_random(int32_t n, int32_t edges, uint64_t *seed);
graph graph_full(int32_t n);

/* Form K of a triangulated lattice of rods, one third of them redundant: after d rows a point one
 * row a rod. */
graph graph_rods(int32_t width, int32_t d);

/* Numbers the nodes anew, at random. */
void graph_scramble(graph *g, uint64_t *seed);

/* Frees the edges. */
za_symmetric graph_pattern(graph *g);
void pattern_free(za_symmetric *x);

/* A random number below `most`. */
int32_t random_below(uint64_t *seed, int32_t most);
void random_order(int32_t n, int32_t *order, uint64_t *seed);

/* Values with a diagonal that outweighs its row. */
double *definite_values(const za_symmetric *x, uint64_t *seed);

/* An allocator over malloc whose requests are counted, and from fail_at on (1: the first; 0:
 * never) fail. */
typedef struct failing {
    int64_t requests, fail_at, held;
} failing;
zw_allocator failing_allocator(failing *f);

#endif
