/*
 * Random systems for parts, without models: bodies of 1, 2, 3 or 6 coordinates in cells, cells in a
 * line, a ring, a tree, a star or apart, joined by rods, pins, rows of velocities and of
 * accelerations, springs, dampers and common kinetic energy; then some odd extras, and everything
 * in any order. Expressions are built in a pool and differentiated there.
 *
 *      0 - 1         cell of two bodies          o-o   o-o   o-o   o-o
 *      |   |         and its edges to            |   / |   / |   / |
 *      parent        the cell before             o-o   o-o   o-o   o-o
 *
 * The state satisfies the rows of positions to rounding: bodies are placed, then lengths follow.
 */
#ifndef PARTS_WORLD_H
#define PARTS_WORLD_H

#include <setjmp.h>

#include "parts.h"

enum {
    world_most_values = 8,
    world_most_outputs = 240,
    world_most_families = 200,
    world_most_terms = 4 * world_most_families,
    world_most_bodies = 400,
};

typedef enum world_arrangement {
    WORLD_LINE,
    WORLD_RING,
    WORLD_TREE,
    WORLD_STAR,
    WORLD_APART,
    WORLD_ARRANGEMENTS
} world_arrangement;

typedef struct world_request {
    uint64_t seed;
    world_arrangement arrangement;
    int32_t cells;
    bool redundant;    /* rows that follow from others, consistently */
    bool astray;       /* velocities that no rows know of: redundant rows contradict each other */
    bool scrambled;    /* bodies and rows in any order */
    bool particles;    /* bodies of two coordinates and rods only: what prototypes had */
    bool odd;          /* some extras here and there */
    int32_t most_cell; /* bodies of a cell, at most; 0: 4 */
    int32_t most;      /* coordinates, about; fewer cells then; 0: as many as there can be */
} world_request;

/* Where outputs of a family's instance belong: local rows and coordinates. */
typedef struct world_outputs {
    ze_target target;
    int32_t count, matrix;
    zx_node node[world_most_outputs];
    int32_t row[world_most_outputs], column[world_most_outputs];
} world_outputs;

typedef struct world_family {
    int32_t key[4]; /* what it is, sizes of its bodies */
    int32_t slots, values, rows;
    ze_row_kind kind;
    bool whole;             /* slots are the entries: one instance */
    world_outputs *part[4]; /* dynamics twice, or rows twice and levels */
    int32_t parts;
    int32_t instances, capacity;
    int32_t *table;     /* [instances * (slots + values)] */
    int32_t *first_row; /* [instances] */
} world_family;

typedef struct world {
    zb_memory *memory;
    zx_pool pool;
    jmp_buf escape;
    uint64_t random;
    world_request request;
    int32_t n, m, values;
    int32_t bodies, size[world_most_bodies], at[world_most_bodies]; /* coordinates of body */
    double *value;                                                  /* [values] */
    int32_t value_room;
    ze_row_kind *kinds; /* [m] */
    double t, *q, *v;   /* [n] */
    world_family *family[world_most_families];
    int32_t families;
    ze_terms terms[world_most_terms];
    ze_system system;
    int32_t *M_start, *M_column, *A_start, *A_column;
} world;

/* A thing (world_families.h) and the bodies it is of. */
typedef struct world_item {
    int32_t thing, body[3];
} world_item;

typedef struct world_plan {
    uint64_t seed; /* numbers */
    int32_t bodies;
    int32_t turn;            /* bodies that stand beside each other, for their places */
    const int32_t *size;     /* [bodies] coordinates: 1, 2, 3 or 6 */
    const world_item *items; /* [count] */
    int32_t count;
    bool scrambled; /* coordinates and rows in any order */
    bool whole;     /* some things may become families over the coordinates themselves */
} world_plan;

/* All of it from the plan, or from the seed. */
world *world_build(zb_memory *memory, const world_plan *plan);
world *world_create(zb_memory *memory, const world_request *request);
void world_free(world *w);

uint64_t world_bits(uint64_t *state);
double world_between(uint64_t *state, double a, double b);
int32_t world_below(uint64_t *state, int32_t limit);

#endif
