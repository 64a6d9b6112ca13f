/*
 * A set of shapes. A *shape* is a coloured graph (colour_graph.h) whatever the numbering of its
 * vertices: parts of one shape are served by one program.
 *
 * A canonical order of the vertices makes graphs comparable word by word: colours ascending, ties
 * by the colours and labels around, refined until nothing changes, then the first tie is broken at
 * will and so on. A tie broken the wrong way loses an equality now and then, never correctness: the
 * words are compared exactly.
 */
#ifndef ZE_SHAPE_SET_H
#define ZE_SHAPE_SET_H

#include "colour_graph.h"

/* Each shape has a number from 0 on, in the order of their first appearance. */
typedef struct ze_shape_set ze_shape_set;
zw_status ze_shape_set_create(zb_memory *memory, ze_shape_set **set);
void ze_shape_set_free(ze_shape_set *set);

/* *shape: the number of the shape, new when it is not there yet. order [vertices]: vertex order[k]
 * of this graph is vertex k of the shape, for every graph of that shape: edges and colours agree
 * under it. Graphs that are given in the same numbering as one before are found by a hash alone;
 * only others are refined. Work beyond so many vertices, or 2^22 edges, is not done: *shape -1.
 * After a failure *shape is -1, too, and the set may be used on. */
enum { ze_most_vertices = 4000 };
zw_status ze_shape_set_find(ze_shape_set *set, const ze_colour_graph *graph, int32_t *shape,
                            int32_t *order);
int32_t ze_shape_set_count(const ze_shape_set *set);

#endif
