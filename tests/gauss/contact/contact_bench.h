/*
 * contact_bench.h: what the tests in contact space begin and end with: memory, which must be given back, a space for the
 * largest problem, and numbers at random. Included once a program.
 */
#ifndef TESTS_GAUSS_CONTACT_BENCH_H
#define TESTS_GAUSS_CONTACT_BENCH_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "contact_problems.h"
#include "memory.h"
#include "random_numbers.h"

static zb_memory memory;
static zg_contact_space *space;
static uint64_t seed;

static inline int begin(void **state)
{
    (void)state;
    zb_memory_init(&memory, NULL);
    space = problem_space(&memory);
    return 0;
}

static inline int end(void **state)
{
    (void)state;
    zg_contact_space_free(space);
    return memory.held == 0 ? 0 : -1;
}

/* Between -1 and 1. */
static inline double any(void)
{
    return random_real(&seed, -1.0, 1.0);
}

static inline void near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance)) fail_msg("%.17g, expected %.17g", value, expected);
}

#endif
