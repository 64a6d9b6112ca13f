/*
 * A planned system: classes of equal parts with their programs, the matrix of the rows between
 * parts, and all tables and arrays of numbers. Private to this folder.
 */
#ifndef ZE_PLAN_PARTS_H
#define ZE_PLAN_PARTS_H

#include "gather.h"
#include "matrix.h"
#include "part_shapes.h"
#include "partition.h"

/* A *class*: all parts of one shape, and the programs that serve them. A *group* is as many of them
 * as there are lanes: part k is lane k % width of group k / width, and the last group repeats
 * the last part to be full. Arrays of numbers are [group][slot][lane]. */
typedef struct ze_class {
    ze_part_counts counts;
    ze_programs programs;
    int32_t parts, groups;
    int32_t outer;      /* rows: owned and shared */
    int32_t *part;      /* [parts] which of the cut's */
    int32_t state_at;   /* where its coordinates begin in lane order, */
    int32_t inner_at;   /* its inner rows among the multipliers, */
    int32_t out_at;     /* and what its programs of down leave in `out` */
    int32_t out_step;   /* slots of a part there */
    int32_t *base;      /* [groups * width] and */
    int32_t *offset;    /* [own] coordinate j of a part is base + offset[j]; NULL: that is not so */
    int32_t *halo;      /* [groups * halo * width] places in lane order */
    int32_t *halo_from; /* likewise: which coordinates */
    int32_t *outside;   /* [groups * outer * width] places among the answers of the matrix */
    int32_t value_count;
    int32_t *values; /* [parts * value_count] numbers of the caller's values, ~ of our own */
    double *packed;  /* [groups * packed * width] */
    double *uniform; /* [(ze_uniform_count + packed_uniform) * width] */
} ze_class;

/* Scratch of one worker: registers of programs, what they read from elsewhere, outputs that are not
 * written in place, */
typedef struct ze_worker_scratch {
    double *workspace, *reads, *out;
    double *state; /* and positions and velocities of a group that is packed when it is read */
} ze_worker_scratch;

/* A *chunk*: groups [from, to) of a class, what a worker takes at once, and what is found of them:
 * the least margin, or the largest of some measures. */
typedef struct ze_class_chunk {
    int32_t class, from, to;
    double found[4];
} ze_class_chunk;

struct ze_parts_plan {
    zb_memory *memory;
    zb_arena arena;
    ze_facts facts;
    int32_t n, m, width;
    bool dependent;
    ze_class *classes; /* [class_count] */
    int32_t class_count;
    double *numbers; /* values of our own */

    int32_t size;       /* of a vector in lane order */
    int32_t *from;      /* [size] coordinate of each place */
    int32_t *place;     /* [n] the reverse */
    double *mask;       /* [size] */
    int32_t *row_place; /* [m] inner: place among `inner`; outer: ~place among the answers */

    int32_t between; /* rows between parts */
    za_symmetric pattern;
    ze_matrix *matrix; /* NULL: there are none */
    ze_gather entries; /* shares -> inputs of the matrix */
    ze_gather sizes;   /* shares -> size */
    ze_gather rights;  /* shares of corrections -> right sides of the matrix; of dependent rows */
    int32_t *diagonal; /* [between] places of the diagonal among the inputs */
    double *size_of;   /* [between] diagonal entries before anything was eliminated */

    double *out;   /* shares, and what is stored */
    double *inner; /* multipliers of inner rows */
    int32_t inner_count;
    double *outer; /* [answers] multipliers of the rows between, of dependent rows */
    double time[ZK_MOST_LANES];
    ze_class_chunk *chunks; /* [chunk_count] */
    int32_t chunk_count;
    ze_worker_scratch *scratch; /* [workers] */
    int32_t workers;
    bool busy; /* there is enough to do for a team */
    zk_native *native;
};

/* Where the pieces of the outputs of down begin, in slots. */
static inline int32_t ze_right_at(const ze_class *c)
{
    return c->programs.pair_count;
}
static inline int32_t ze_size_at(const ze_class *c)
{
    return c->programs.pair_count + c->outer;
}
static inline int32_t ze_margin_at(const ze_class *c)
{
    return c->programs.pair_count + 2 * c->outer;
}
static inline int32_t ze_stored_at(const ze_class *c)
{
    return ze_margin_at(c) + 1;
}
/* Behind what DAMPED has stored: the outputs of REFINED. */
static inline int32_t ze_carried_at(const ze_class *c)
{
    return ze_stored_at(c) + c->programs.solve[ZE_DAMPED].stored;
}

/* One group, between the caller's order and that of the lanes (lane_order.c): x of all, y of the
 * group [own * width]. */
void ze_pack_group(const ze_parts_plan *plan, const ze_class *c, int32_t g, const double *x,
                   double *y);
void ze_unpack_group(const ze_parts_plan *plan, const ze_class *c, int32_t g, const double *y,
                     double *x);

/* The rows between parts (rows_between.c): their matrix, and where shares go. Parts must be placed.
 */
zw_status ze_plan_between(ze_parts_plan *plan, const ze_parts *parts);

/* A *cut* of the bodies (choose_cut.c): part [bodies], how many parts, by which rule and size, and
 * the predicted seconds of an acceleration. count 0: none is worth it. */
typedef struct ze_body_cut {
    ze_rule rule;
    int32_t size, count;
    int32_t *part;
    double cost;
} ze_body_cut;
zw_status ze_choose_cut(const ze_survey *survey, const ze_choice *choice, zb_arena *arena,
                        ze_body_cut *cut);

#endif
