/*
 * kernel: straight-line programs from expressions, and the machine that runs them.
 *
 *     nodes --lower--> operations in static single assignment --fuse--> a*b+c and the like
 *           --schedule--> runs of one opcode --slots--> byte code --machine--> numbers
 *
 * A program is immutable and may be run from several threads, each with a workspace of its own.
 * Every evaluator gives the same bits: no libm, no contraction, sums in the order written.
 */
#ifndef ZK_KERNEL_H
#define ZK_KERNEL_H

#include "base.h"
#include "expr.h"

typedef struct zk_program zk_program;

/* Where the leaves of a program come from. Arrays that no leaf refers to may be NULL. */
typedef struct zk_source {
    const double *position, *velocity, *acceleration; /* by coordinate */
    const double *value;                              /* parameters and constants */
    const double *measure;
    double time;
} zk_source;

/* Which entries of the source an instance's slots mean: slot s of a coordinate is
 * position[coordinate[s]] and so on. NULL: slot s is entry s. */
typedef struct zk_binding {
    const int32_t *coordinate, *value, *measure;
} zk_binding;

typedef struct zk_statistics {
    int64_t operations;   /* arithmetic operations, a fused a*b+c counted as two */
    int64_t instructions; /* after fusing */
    int32_t runs;         /* dispatches an evaluation takes */
    int32_t registers;
    size_t bytes;
} zk_statistics;

/* Compiles roots [count] of a pool. Parts that depend on numbers only are computed now. Uses
 * `memory` for the program; status ZW_ERR_MEMORY or ZW_ERR_BUDGET, else ZW_OK. */
zw_status zk_compile(zb_memory *memory, zx_pool *pool, const zx_node *roots, int32_t count,
                     zk_program **program);
void zk_free(zk_program *program);

int32_t zk_output_count(const zk_program *program);
void zk_statistics_of(const zk_program *program, zk_statistics *statistics);

/* Doubles of workspace that run needs, aligned to 64 bytes; contents need no preparation. */
size_t zk_workspace(const zk_program *program);

/* One instance: out [outputs]. binding NULL: identity. */
void zk_run(const zk_program *program, const zk_source *source, const zk_binding *binding,
            double *workspace, double *out);

/* Many instances of one family. Tables are instance-major: instance i binds slot s of a coordinate
 * to table[i * stride + s], the values follow from `value_at`, measures from `measure_at` on.
 * out [count * outputs], instance-major. */
typedef struct zk_table {
    const int32_t *table; /* NULL: identity, for each instance */
    int32_t count, stride, value_at, measure_at;
} zk_table;
void zk_run_table(const zk_program *program, const zk_source *source, const zk_table *table,
                  double *workspace, double *out);

/* The program as text for people, one run a line; for tests and for `derive`. */
void zk_dump(const zk_program *program, zb_text *text);

#endif
