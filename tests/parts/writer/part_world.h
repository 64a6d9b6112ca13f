/*
 * Systems for tests of the programs of parts: bodies with blocks of M, rows between them, all as
 * expressions; shapes of parts cut from them by hand; and what M, Q, A, b and the levels are there,
 * evaluated expression by expression.
 */
#ifndef PART_WORLD_H
#define PART_WORLD_H

#include "shape.h"

enum { most_coordinates = 64, most_world_rows = 48, most_values = 96, most_instances = 160 };
enum { most_slots = 8, most_outputs = 24, most_terms = 24 };

/* An instance of terms, global numbers. */
typedef struct instance {
    int32_t terms;
    int32_t coordinate[most_slots], value[most_slots];
    ze_spot spot[most_outputs];
} instance;

typedef struct world {
    zb_memory memory;
    zx_pool pool;
    jmp_buf escape;
    ze_system system;
    ze_terms terms[most_terms];
    zx_node nodes[most_terms][most_outputs];
    instance instances[most_instances];
    int32_t instance_count, bodies;
    int32_t unit[most_coordinates]; /* which body a coordinate is of, */
    int32_t body[most_coordinates]; /* and which block of M: its own where M is diagonal */
    ze_row_kind kinds[most_world_rows];
    bool uniform[most_values];
} world;

/* Where the world is. Values that are not uniform may differ between lanes. */
typedef struct place_in_world {
    double t, q[most_coordinates], v[most_coordinates], value[most_values];
} place_in_world;

/* The numbers there. */
typedef struct numbers {
    long double M[most_coordinates][most_coordinates], Q[most_coordinates];
    long double A[most_world_rows][most_coordinates], b[most_world_rows];
    long double level[most_world_rows][4];
} numbers;

extern uint64_t world_random;
double world_uniform(double low, double high);
int32_t world_below(int32_t limit);

/* Planar bodies in a chain of rods, hung up at one end if `ground`; masses one value for all (each
 * coordinate a block of M then), or one each. `rail`: a second chain below and rods between, a
 * ladder. */
typedef struct chain_kind {
    int32_t length;
    bool ground, masses, rail, twice; /* twice: every rod is there two times */
} chain_kind;
world *world_of_chain(const chain_kind *kind);

/* Bodies of 1 to 3 coordinates with full blocks of M that depend on the state, joints of 1 to 3
 * rows of all kinds between neighbours and others. */
world *world_of_blocks(int32_t bodies);
void world_free(world *w);

/* Near where it was made for; uniform values as in `like`, unless that is NULL. */
void world_place(const world *w, const place_in_world *like, place_in_world *at);
void world_numbers(world *w, const place_in_world *at, numbers *x);

/* A part of some bodies; local numbers are found by the lists. */
typedef struct part {
    ze_shape shape;
    int32_t coordinate[most_coordinates]; /* own, then halo: which of the world */
    int32_t row[most_world_rows];         /* inner, then outer */
    int32_t value[most_values];
    int32_t body[most_coordinates];
    bool owned[most_world_rows], uniform[most_values];
    ze_row_kind kind[most_world_rows];
    ze_element elements[most_instances];
    int32_t slots[most_instances][2][most_slots];
    ze_spot spots[most_instances][most_outputs];
} part;
void part_cut(const world *w, const bool *bodies, part *p);

#endif
