/*
 * A graph with coloured vertices and labelled directed edges: what a part looks like, without the
 * numbers of its coordinates and rows. Parts whose graphs are equal but for the numbering of the
 * vertices have one shape.
 */
#ifndef ZE_COLOUR_GRAPH_H
#define ZE_COLOUR_GRAPH_H

#include "base.h"

typedef struct ze_edge {
    int32_t from, to, label;
} ze_edge;

typedef struct ze_colour_graph {
    int32_t vertices, edges;
    int32_t *colour; /* [vertices] any numbers, not negative */
    ze_edge *edge;   /* [edges] in any order, none twice */
} ze_colour_graph;

#endif
