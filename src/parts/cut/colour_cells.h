/*
 * Cells of a canonical labelling: an ordered partition of the vertices of a coloured graph, refined
 * by what is around them until members of a cell look alike. Private to shape_set.c,
 * canonical_order.c and colour_cells.c.
 *
 *     member   | 4 0 | 7 | 2 5 1 | ...      cells lie one after another; a cell is named by the
 *     place      0 1   2   3 4 5            place of its first member
 *
 * Two graphs that differ in their numbering only have the same cells at every stage: what is
 * decided is decided by places, colours, labels and directions, never by numbers of vertices.
 */
#ifndef ZE_COLOUR_CELLS_H
#define ZE_COLOUR_CELLS_H

#include "colour_graph.h"

/* An edge seen from one of its ends: a number made of label and direction, and the other end. */
typedef struct ze_arc {
    uint64_t weight;
    int32_t to;
} ze_arc;

typedef struct ze_cells {
    zb_arena arena; /* of all arrays; they are kept and grow with the largest graph */
    int32_t room_vertices, room_edges;

    int32_t vertices, cells;
    int32_t *member;         /* [vertices] by place */
    int32_t *place;          /* [vertices] by vertex */
    int32_t *cell;           /* [vertices] by vertex: the first place of its cell */
    int32_t *size;           /* [vertices] by first place */
    int32_t *parent, *child; /* [vertices] child[k] was cut off parent[k] when there were k cells */
    uint64_t trace;          /* a sum over what was seen while refining; equal for equal graphs */

    int32_t *start; /* [vertices + 1] */
    ze_arc *arc;    /* [2 edges] by vertex: start */

    int32_t *queue; /* [vertices] a ring of cells that others must still be compared with */
    int32_t first_queued, count_queued;
    bool *queued;     /* [vertices] by first place */
    uint64_t *key;    /* [vertices] sum of the weights of the arcs into the present cell */
    bool *marked;     /* [vertices] has such arcs */
    int32_t *reached; /* [vertices] the marked ones */
    int32_t *hits;    /* [vertices] by first place: how many are marked */
    int32_t *struck;  /* [vertices] cells with hits */

    uint32_t *sort_key; /* [max(vertices, edges)] for ze_cells_sort */
    int32_t *item, *spare;
} ze_cells;

void ze_cells_init(ze_cells *z, zb_memory *memory);
void ze_cells_clear(ze_cells *z);

/* The coarsest partition of a graph by colour in which the members of a cell have the same arcs
 * into every cell. */
zw_status ze_cells_start(ze_cells *z, const ze_colour_graph *graph);

/* Makes v the last of its cell and a cell of its own, and refines. */
void ze_cells_single_out(ze_cells *z, int32_t v);

/* Undoes refinements until there are `cells` cells; the order in a cell may be another. */
void ze_cells_undo(ze_cells *z, int32_t cells);

/* Brings the `count` first items into the order of sort_key[item]; equal ones stay as they are. */
void ze_cells_sort(ze_cells *z, int32_t count);

/* A canonical order of the graph: afterwards every cell has one member, and z->place and
 * z->member are the order. */
zw_status ze_cells_order(ze_cells *z, const ze_colour_graph *graph);

#endif
