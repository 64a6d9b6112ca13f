/*
 * What planning (matrix_plan.c, matrix_cut.c, matrix_next.c, matrix_tables.c), the programs
 * (matrix_program.c) and evaluation (evaluate_matrix.c) of a matrix share.
 *
 *     step 0 ──gather──▶ step 1 ──gather──▶ ... ──gather──▶ rest: an ordinary factor
 *
 * All numbers are in one array, so that a place is one index: inputs of the steps, values and right
 * sides of the rest, then what the programs of the steps leave. Answers are in another.
 */
#ifndef ZE_MATRIX_PLAN_H
#define ZE_MATRIX_PLAN_H

#include "gather.h"
#include "matrix.h"
#include "partition.h"
#include "shape_set.h"

/* Two rows of a part, local numbers; or a place and what stands there. */
typedef struct ze_index_pair {
    int32_t row, column;
} ze_index_pair;

/* A *class* of parts of rows: all of one shape, with the programs that serve them. Rows of a part:
 * [0, inner) inside, [inner, inner + outer) around.
 *
 * inputs of a part, in slots:  diagonal [inner], entries [entry_count], right [inner],
 *                              size [inner] if sized: the diagonal entry of the first matrix
 * record of a part:            pairs [pair_count] what it says to outer rows, margin (3), stored
 *                              [stored] L and 1 / D, then what is made anew for each right side:
 *                              [outer] and D^-1 L^-1 c [inner] */
typedef struct ze_row_class {
    int32_t inner, outer;
    ze_index_pair *entries; /* [entry_count] row > column, column inside */
    int32_t entry_count;
    ze_index_pair *pairs; /* [pair_count] outer rows from 0 on, row >= column: those that fill */
    int32_t pair_count;
    int32_t *order;     /* [inner] of elimination */
    int64_t operations; /* of a part, down and back, about */
    bool sized;

    zk_program *down, *forward, *back;
    int32_t stored;
    int32_t slots, record;                  /* of a part */
    int32_t margin_at, stored_at, right_at; /* in the record; what begins at 64 bytes */

    int32_t count, groups;
    int32_t inputs_at, records_at, answers_at; /* of the first group */
    int32_t *outer_at;                         /* [groups][outer][width] answers */
} ze_row_class;

/* Some groups of a class, for a worker: a *chunk*. */
typedef struct ze_matrix_chunk {
    int32_t class, first, count;
} ze_matrix_chunk;

/* A *step* of the evaluation: the parts of one level, and how what they leave gets to the next. */
typedef struct ze_step {
    ze_row_class *classes; /* [class_count] */
    int32_t class_count;
    ze_matrix_chunk *chunks; /* [chunk_count] */
    int32_t chunk_count;
    ze_gather entries, rights; /* to the inputs of the next */
} ze_step;

/* The *rest*: the rows that no level has eliminated, for an ordinary LDL^T of linalg. */
typedef struct ze_rest {
    const za_factoring *way;
    void *factor;
    int32_t n;
    int32_t values_at, right_at, answers_at;
    const int32_t *size_at; /* [n] places of the diagonal entries of the first matrix */
    double *work;           /* [n] */
} ze_rest;

struct ze_matrix {
    zb_memory *memory;
    zb_arena arena;
    int32_t width;
    ze_step *steps; /* [step_count] */
    int32_t step_count;
    ze_rest rest;
    double *numbers, *answers;
    int32_t input_count, answer_count;
    int32_t *entry_places, *right_places, *answer_places;
    double *workspace; /* [chunks][workspace_size] */
    size_t workspace_size;
    double *worst; /* [chunks] least pivot over size */
    double cost;
    int64_t operations;
};

/* Numbers directly from and to the arrays of a caller, group by group, while they are in the cache:
 * the inputs and answers of step 0 by tables, what belongs to later steps one by one. */
typedef struct ze_direct {
    int32_t inputs, answers; /* of step 0 */
    int32_t *source;         /* [inputs] entry, or row in slots of right sides */
    int32_t *owner;          /* [answers] row */
    ze_index_pair *entries;  /* [entry_count] place, entry */
    ze_index_pair *rights;   /* [row_count] place, row */
    ze_index_pair *others;   /* [row_count] place of the answer, row */
    int32_t entry_count, row_count;
    const double *values; /* of a factor */
    double *x;            /* of a solve */
} ze_direct;

/* evaluate_matrix.c: as ze_matrix_solve without an answer, and ze_matrix_again. */
void ze_factor_directly(ze_matrix *m, const ze_direct *s, double *smallest);
void ze_solve_directly(ze_matrix *m, const ze_direct *s);

/* Groups begin at 64 bytes. */
static inline int32_t ze_group_size(int32_t slots, int32_t width)
{
    return (slots * width + 7) / 8 * 8;
}

/* ------------------------------------------------------------------- while planning */

enum {
    ze_most_inner = 96,      /* rows inside a part */
    ze_most_around = 40,     /* rows around a part */
    ze_most_row_classes = 8, /* of a step */
    ze_least_parts = 4,      /* of a class */
    ze_most_row_operations = 6000,
    ze_most_steps = 16,
    ze_most_chunks = 32 + ze_most_row_classes,
};

/* The parts of a level. */
typedef struct ze_row_cut {
    int32_t parts;
    int32_t *part; /* [n] */
    bool *left;    /* [n] */
    int32_t left_count;
    int32_t *first, *row;         /* rows by part: [parts + 1], [n] */
    int32_t *class;               /* [parts] which, -1: its rows stay */
    int32_t *member_at, *members; /* [parts + 1] rows in the order of the class */
    int32_t *index;               /* [parts] which of the class's parts it is */
    ze_row_class classes[ze_most_row_classes];
    int32_t class_count;
    double cost;    /* seconds of this level, */
    double traffic; /* those of memory among them, */
    double guess;   /* and with a guess of what is left */
} ze_row_cut;

/* A *level*: the matrix that those above have left, while it is planned. */
typedef struct ze_level {
    za_symmetric x;
    const int32_t *origin; /* [n] rows of the first matrix; NULL: itself */
    ze_graph graph;
    const int32_t *entry; /* [of graph.next] which entry of x it is */
    ze_row_cut *cut;      /* NULL: the rest */
    int32_t *next;        /* [n] row of the level below, -1: inside a part */
    /* Entries of the level below as they come: first those between rows that stay, `from` the
     * entries of x, then the pairs of the parts, in order; which entry of the level below. */
    int32_t stay_count, come_count;
    int32_t *from, *to;    /* [stay_count], [come_count] */
    bool *joined, *pushed; /* entries and rows of the level below that parts say something about */
    double ordinary;       /* seconds by an ordinary factor; below 0: not known */
    int32_t *entry_place, *right_place, *answer_place;
} ze_level;

typedef struct ze_planner {
    zb_memory *memory;
    ze_matrix *matrix;
    zb_arena arena, scratch; /* while planning; for a moment */
    jmp_buf escape;
    zw_status status; /* why it went there */
    ze_shape_set *shapes;
    zx_pool pool;
    bool pooled;
    ze_level levels[ze_most_steps + 1];
    int32_t count;
    int32_t width;
    double limit; /* seconds, 0: none */
    bool over;    /* a level alone takes longer */
} ze_planner;

/* Goes to the escape unless ZW_OK. */
void ze_must(ze_planner *p, zw_status status);

/* matrix_plan.c: seconds of a factor and a solve by an ordinary factor, and which; way may be NULL.
 */
double ze_ordinary_seconds(int32_t n, const za_prediction *q, const za_factoring **way);

/* matrix_cut.c: the cheapest cut of a level, NULL: nothing repeats, or it is over the limit. */
void ze_cut_level(ze_planner *p, ze_level *level);
/* Seconds of a group. */
double ze_row_class_seconds(const ze_row_class *class, int32_t width);

/* matrix_order.c: as ze_order_rows, fills symmetric. */
int64_t ze_order_row_class(zb_arena *scratch, int32_t inner, int32_t outer, bool *fills,
                           int32_t *order);

/* matrix_next.c: graph of a level's pattern; the matrix that is left below it. */
void ze_level_graph(ze_planner *p, ze_level *level);
void ze_level_below(ze_planner *p, ze_level *level, ze_level *below);

/* matrix_program.c: down, forward and back, and the layout of a part. */
void ze_write_row_class(ze_planner *p, ze_row_class *class);
void ze_row_class_clear(ze_row_class *class);

/* matrix_tables.c: where everything is. */
void ze_lay_out_matrix(ze_planner *p);

#endif
