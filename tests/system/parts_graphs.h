/*
 * parts_graphs.h: graphs with planted repetition: a cell of a few bodies, repeated along a line, a
 * ring, a tree, a star or apart, every cell joined to the one before in the same way; then odd
 * extras here and there, and numbers in any order.
 *
 *     chain  o-o-o-o-o     ladder  o-o-o-o    X-ladder  o-o-o    comb  o-o-o-o    tree   o-(o-o
 *                                  | | | |              |X|X|          | | | |             o-o)
 *                                  o-o-o-o              o-o-o          o o o o
 */
#ifndef TESTS_SYSTEM_LANES_GRAPHS_H
#define TESTS_SYSTEM_LANES_GRAPHS_H

#include <stdbool.h>
#include <stdint.h>

#define LANES_GRAPH_LIST(X)                                                                        \
    X(LANES_CHAIN, "chain")                                                                        \
    X(LANES_LOOP, "loop")                                                                          \
    X(LANES_LADDER, "ladder")                                                                      \
    X(LANES_CROSSED, "crossed ladder")                                                             \
    X(LANES_TREE, "tree")                                                                          \
    X(LANES_COMB, "comb")                                                                          \
    X(LANES_STAR, "star")                                                                          \
    X(LANES_MECHANISMS, "mechanisms")                                                              \
    X(LANES_CELLS, "cells")

typedef enum lanes_graph_kind {
#define LANES_GRAPH_ENUM(name, text) name,
    LANES_GRAPH_LIST(LANES_GRAPH_ENUM)
#undef LANES_GRAPH_ENUM
        LANES_GRAPHS
} lanes_graph_kind;

typedef struct lanes_edge {
    int32_t a, b; /* b -1: the ground */
} lanes_edge;

typedef struct lanes_graph {
    int32_t bodies, edges;
    double (*at)[3];  /* [bodies] places, no two alike */
    lanes_edge *edge; /* [edges] */
    bool forest;      /* there are no loops */
} lanes_graph;

typedef struct lanes_graph_request {
    lanes_graph_kind kind;
    uint64_t seed;
    int32_t bodies;  /* about */
    int32_t freedom; /* coordinates of a body: no more rows than these in a cell; 0: 2 */
    double odd;      /* share of cells with an extra rod to the ground, or with one missing */
    bool scrambled;
} lanes_graph_request;

/* Freed by lanes_graph_clear. */
lanes_graph lanes_graph_make(const lanes_graph_request *request);
void lanes_graph_clear(lanes_graph *g);
const char *lanes_graph_name(lanes_graph_kind kind);

/* Numbers by splitmix64; the state is the seed. */
uint64_t lanes_bits(uint64_t *state);
double lanes_between(uint64_t *state, double a, double b);
int32_t lanes_below(uint64_t *state, int32_t limit);

#endif
