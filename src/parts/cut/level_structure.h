/*
 * What the rules of partition.h share: level structures of a component, that is breadth-first
 * orders with the places where each level begins, and from where one is best taken.
 */
#ifndef ZE_LEVEL_STRUCTURE_H
#define ZE_LEVEL_STRUCTURE_H

#include "graph.h"

/* A *level structure* of a component: a breadth-first order of it. Vertices of level l are
 * order[first[l] .. first[l + 1]). */
typedef struct ze_level_structure {
    int32_t *order, *first;
    int32_t count, levels;
    int64_t ends; /* of edges */
} ze_level_structure;

/* A graph on the way to its parts, component by component. */
typedef struct ze_cutting {
    const ze_graph *graph;
    int32_t size;
    ze_level_structure now, other; /* of the component at hand; `other` is scratch */
    int8_t *mark;                  /* [count] the last search that met the vertex, 0: none */
    int32_t *band;                 /* [count] of vertices, within the component */
    int32_t *part;                 /* [count] in the order in which they are found */
    int32_t *home;                 /* [count] of parts: their band among all; below `count` */
    int32_t *stack;                /* [count] scratch */
    int32_t parts;
    int32_t done; /* vertices of the components before */
} ze_cutting;

/* From the vertices that already are order[0 .. sources). `number` is new to the component. */
void ze_find_levels(ze_cutting *w, ze_level_structure *s, int32_t sources, int8_t number);

/* w->now is that of search number 1, from any vertex; after it, the one from where the component is
 * best looked at. True: that is its middle, false: an end. Spoils w->band. */
bool ze_find_best_levels(ze_cutting *w);

/* *Bands* of levels: a vertex of w->now is in band (level + shift) / span. */
typedef struct ze_bands {
    int32_t span, shift;
} ze_bands;
void ze_set_bands(ze_cutting *w, ze_bands cut);

/* LEVELS for the component of w->now: w->part, w->home, w->parts. */
void ze_cut_levels(ze_cutting *w);

#endif
