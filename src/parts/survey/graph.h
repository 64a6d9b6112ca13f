/*
 * An undirected graph, as what is cut into parts is one: bodies joined by rows (survey.h), or the
 * rows of a symmetric matrix joined by its entries (matrix_plan.h).
 */
#ifndef ZE_GRAPH_H
#define ZE_GRAPH_H

#include "base.h"

/* Neighbours of v: next[start[v] .. start[v + 1]), each once, not v itself; symmetric. */
typedef struct ze_graph {
    int32_t count;
    const int32_t *start, *next;
} ze_graph;

#endif
