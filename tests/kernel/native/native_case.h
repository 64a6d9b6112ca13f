/*
 * One random program with numbers for eight lanes, what every evaluator must make of them, and the
 * comparison, bit by bit (all nan are one), with guards around everything that a run may write.
 */
#ifndef NATIVE_CASE_H
#define NATIVE_CASE_H

#include "compiler.h"
#include "random_graph.h"

enum { CASE_ROOTS = 48, CASE_INSTANCES = 11 };

typedef struct native_case {
    uint64_t seed; /* all there is about the case follows from it */
    zb_memory memory;
    zx_pool pool;
    jmp_buf escape;
    zx_node roots[CASE_ROOTS];
    int32_t root_count;
    zk_program *program;
    graph_source lane[ZK_MOST_LANES];
    double expected[ZK_MOST_LANES][CASE_ROOTS]; /* by zk_evaluate with byte code, lane after lane */
    char trouble[256];                          /* the first difference */
} native_case;

/* A program of 10 to `most` operations, small ones more often, compiled with random options. */
void case_init(native_case *c, uint64_t seed, int32_t most);
void case_free(native_case *c);

/* Or a program of your own: begin, build nodes and set the roots, compile. */
void case_begin(native_case *c, uint64_t seed);
void case_compile(native_case *c, const zk_options *options);

/* New numbers for all lanes, and what is expected. False when the byte code itself differs from the
 * expressions' values. */
bool case_numbers(native_case *c, bool wild);

/* Runs one way and compares; false with `trouble`. */
bool case_frame(native_case *c, int32_t width, zk_evaluator evaluator);
bool case_run(native_case *c,
              zk_evaluator evaluator); /* each lane by zk_evaluate, with its binding */
bool case_table(native_case *c, zk_evaluator evaluator); /* instances with bindings of their own */

/* For other ways to run: arrays in lanes with guards, filled from the case's numbers. */
typedef struct case_lanes {
    int32_t width;
    zk_frame frame;
    size_t entries[ZK_LEAF_KINDS]; /* doubles in each of the arrays, time first */
    size_t out_count, workspace_count;
} case_lanes;
void case_lanes_init(native_case *c, int32_t width, case_lanes *lanes);
bool case_lanes_check(native_case *c, const case_lanes *lanes, const char *what);
void case_lanes_free(case_lanes *lanes);

#endif
