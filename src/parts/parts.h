/*
 * parts: systems made of equal parts, each eliminated by one program, many parts side by side in
 * the lanes of vector registers (docs/PARTS.md).
 *
 *     bodies (blocks of M), rows ──partition──▶ parts of bodies: rows inside a part, rows between
 *        ──canonical──▶ equal parts are one *shape* ──program──▶ straight-line code a shape
 *
 *      part    part    part          down  each part: M, Q, A, b from the state, its share of
 *     o-o-o | o-o-o | o-o-o                S = A M^-1 A^T, its inner rows eliminated
 *           ^       ^                sum   what the parts say about the rows between: a smaller
 *         rows between                     matrix, by the same means (matrix.h), at last LDL^T
 *                                    back  each part: multipliers of its inner rows, z of its
 *                                          bodies
 *
 * A lane (a double of a vector register) holds a part. The state is kept in lane order:
 * [shape][group][coordinate][lane], where the last group of a shape repeats a part to be full. What
 * a part reads of others it finds by tables. Sums are in the order of the tables, so that bits do
 * not depend on threads.
 *
 * It knows nothing of models: expressions, where their numbers belong, and no more.
 */
#ifndef ZE_PARTS_H
#define ZE_PARTS_H

#include "base.h"
#include "expr.h"
#include "kernel.h"
#include "linalg.h"

/* ------------------------------------------------------------------ what is given */

/* By rows, columns ascending. */
typedef struct ze_pattern {
    int32_t rows, columns;
    const int32_t *start;  /* [rows + 1] */
    const int32_t *column; /* [start[rows]] */
} ze_pattern;

/* What the outputs of terms are added to. LEVELS: [5 m] phi, rate, magnitude of phi, of rate; the
 * *absence* of a row, which is above 0, of any size, where the row is all 0 and does not count, else
 * 0: it is added to the diagonal of S. */
typedef enum ze_target { ZE_TO_DYNAMICS, ZE_TO_ROWS, ZE_TO_LEVELS } ze_target;

/* Many instances of some expressions. Output o of instance i belongs to place[i * outputs + o]: the
 * first `matrix` outputs to values of a pattern (M or A; below 0: added twice at ~place), the
 * others to entries of a vector (Q, b, levels). */
typedef struct ze_terms {
    ze_target target;
    const zx_node *nodes; /* [outputs] of the pool */
    int32_t outputs, matrix;
    int32_t instances;
    const int32_t
        *table; /* [instances * stride] coordinates, values; NULL: slots are the entries */
    int32_t stride, value_at;
    const int32_t *place;
} ze_terms;

/* Which rows hold for what. */
typedef enum ze_row_kind { ZE_HOLONOMIC, ZE_OF_VELOCITIES, ZE_OF_ACCELERATIONS } ze_row_kind;

/* Everything must outlive planning; `pool` is only read, but walks of it are marked there. */
typedef struct ze_system {
    zx_pool *pool;
    int32_t n, m, values;
    ze_pattern M; /* upper triangle with the whole diagonal */
    ze_pattern A;
    const ze_row_kind *kinds; /* [m] */
    const ze_terms *terms;    /* [term_count] */
    int32_t term_count;
    bool distances; /* violations are wanted as distances, too */
} ze_system;

/* --------------------------------------------------------------------- planning */

typedef struct ze_parts_plan ze_parts_plan;

/* How it is cut; for tests and measurements. Zeros: the cheapest. */
typedef struct ze_choice {
    int32_t rule;    /* 1 + ze_rule (partition.h), 0: any */
    int32_t size;    /* of parts, 0: any */
    int32_t width;   /* lanes: 4 or 8, 0: the best */
    int32_t store;   /* 1: recompute, 2: store, 0: by size */
    int32_t workers; /* of the largest team that will evaluate it, 0: one */
    bool dependent;  /* rows depend on each other: elimination is damped and refined */
    double limit;    /* predicted seconds of an acceleration above which it is not worth it; 0:
                        none */
} ze_choice;

/* *plan NULL and ZW_OK: not for this system, `limit` included. Takes all memory. */
zw_status ze_plan(zb_memory *memory, const ze_system *system, const ze_choice *choice,
                  ze_parts_plan **plan);
void ze_free(ze_parts_plan *plan);

/* What a plan is made of, for reports and measurements. */
typedef struct ze_facts {
    const char *rule; /* "declared", "levels", ... */
    int32_t size, width;
    int32_t shapes, parts, groups;
    int32_t between;    /* rows between parts */
    int32_t levels;     /* matrices below, the rest included */
    int32_t rest;       /* rows that the ordinary factor is left with */
    int64_t operations; /* of all programs, as written */
    bool stores;
    size_t bytes; /* tables, programs, arrays */
    double cost;  /* predicted seconds of an acceleration */
    double partition_seconds, program_seconds, table_seconds;
} ze_facts;
void ze_facts_of(const ze_parts_plan *plan, ze_facts *facts);

/* Machine code for the programs; report may be NULL. */
void ze_make_native(ze_parts_plan *plan, zk_native_report *report);

/* ------------------------------------------------------------------- lane order */

int32_t ze_size(const ze_parts_plan *plan);       /* numbers of a vector in lane order */
const double *ze_mask(const ze_parts_plan *plan); /* [size] 1, and 0 of repeated parts */
void ze_pack(const ze_parts_plan *plan, const double *x, double *y); /* x [n], y [size] */
void ze_unpack(const ze_parts_plan *plan, const double *y, double *x);
/* lambda [m] of the last ze_accelerate that was asked for it. */
void ze_multipliers(const ze_parts_plan *plan, double *lambda);
/* Those of some rows, [count]. */
void ze_multipliers_of(const ze_parts_plan *plan, int32_t count, const int32_t *row,
                       double *lambda);

/* ------------------------------------------------------------------- evaluation */

/* values [values] have changed. */
void ze_set_values(ze_parts_plan *plan, const double *values);

/* Where the system is, and by whom programs are evaluated. */
typedef struct ze_state {
    double t;
    const double *q, *v; /* [size] in lane order, aligned to 64 bytes */
    zk_evaluator evaluator;
    zb_team *team; /* or NULL */
} ze_state;

/* z [size], aligned. Every pivot must be above `least` of the diagonal entry it began as (of
 * dependent rows another bound holds); false: it is not, or numbers are not finite, or the rows do
 * not agree: z is nothing then. multipliers: ze_multipliers will be asked. */
typedef struct ze_task {
    double least;
    bool multipliers;
} ze_task;
bool ze_accelerate(ze_parts_plan *plan, const ze_state *state, const ze_task *task, double *z);

/* The same in the caller's order: state->q, state->v, z [n], of no particular alignment. False also
 * of plans for dependent rows. The same bits. */
bool ze_accelerate_unpacked(ze_parts_plan *plan, const ze_state *state, const ze_task *task,
                            double *z);

/* How far rows are off: of positions (order 0) or velocities (1): the largest |phi|; the largest in
 * units of rounding eps (4 magnitude + |A| |x|); and, where the system asks for it, the largest
 * distance |phi| / sum |A|. */
typedef struct ze_violation {
    double size, units, distance;
} ze_violation;
void ze_measure_violation(ze_parts_plan *plan, const ze_state *state, int order, ze_violation *off);

/* change [size]: the smallest in M that removes them, to first order; false as above. */
bool ze_correct(ze_parts_plan *plan, const ze_state *state, int order, double least,
                double *change);

/* -------------------------------------------------------- a matrix on its own */

/* Another za_factoring: the elimination of a symmetric, definite matrix by parts. plan gives NULL
 * (and ZW_OK) where nothing repeats or it is not worth it. One solve at a time. */
extern const za_factoring ze_factoring;
const za_factoring *ze_find_factoring(int32_t width); /* with 4 or 8 lanes, 0: ze_factoring */
double ze_factoring_cost(const void *factor); /* predicted seconds of a factor and a solve */

#endif
