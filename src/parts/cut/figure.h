/*
 * Figures: what a part looks like, without its numbers. A graph with coloured vertices and labelled
 * directed edges; equal figures are parts that one program serves.
 *
 * A canonical order of the vertices makes figures comparable word by word: colours ascending, ties
 * by the colours and labels around, refined until nothing changes, then the first tie is broken at
 * will and so on. A tie broken the wrong way loses an equality now and then, never correctness: the
 * words are compared exactly.
 */
#ifndef ZE_FIGURE_H
#define ZE_FIGURE_H

#include "colour_graph.h"

/* A set of figures; each different one has a number from 0 on, in the order of their first
 * appearance. */
typedef struct ze_figures ze_figures;
zw_status ze_figures_create(zb_memory *memory, ze_figures **set);
void ze_figures_free(ze_figures *set);

/* *shape: the number of the figure, new when it is not there yet. order [vertices]: vertex order[k]
 * of this figure is vertex k of the shape, for every figure of that shape: edges and colours agree
 * under it. Figures that are given in the same numbering as one before are found by a hash alone;
 * only others are refined. Work beyond so many vertices, or 2^22 edges, is not done: *shape -1.
 * After a failure *shape is -1, too, and the set may be used on. */
enum { ze_most_vertices = 4000 };
zw_status ze_figures_find(ze_figures *set, const ze_figure *figure, int32_t *shape, int32_t *order);
int32_t ze_figures_count(const ze_figures *set);

#endif
