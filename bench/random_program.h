/*
 * Random arithmetic as in multibody programs, for benchmarks.
 */
#ifndef RANDOM_PROGRAM_H
#define RANDOM_PROGRAM_H

#include "compiler.h"

enum { RANDOM_LEAVES = 24, RANDOM_REPEATS = 15 };

typedef struct random_program {
    zb_memory memory;
    zx_pool pool; /* nodes 0 .. RANDOM_LEAVES - 1 are positions */
    jmp_buf escape;
    double position[RANDOM_LEAVES], *values;
    bool *used;
    zx_node *roots, *terms;
    int32_t root_count, term_count;
} random_program;

void random_make(random_program *p, int32_t operations);
void random_drop(random_program *p);

/* Aligned to 64 bytes, with some more behind; ends the process when there is none. */
void *random_allocate(size_t count, size_t size);

/* CPU time of this process, and the median of times [RANDOM_REPEATS]. */
double random_seconds(void);
double random_median(double *times);

#endif
