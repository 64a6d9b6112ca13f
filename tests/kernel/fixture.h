/*
 * What the tests of programs share: a pool, its memory, which must be given back, and short names.
 */
#ifndef FIXTURE_H
#define FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compiler.h"

typedef struct fixture {
    zb_memory memory;
    zx_pool pool;
    jmp_buf escape;
} fixture;

static inline int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    if (!f) return -1;
    zb_memory_init(&f->memory, NULL);
    zx_pool_init(&f->pool, &f->memory, &f->escape, false);
    *state = f;
    return 0;
}

static inline int teardown(void **state)
{
    fixture *f = *state;
    zx_pool_free(&f->pool);
    int held = f->memory.held != 0;
    free(f);
    return held;
}

static inline zx_node q(fixture *f, int32_t i)
{
    return zx_leaf(&f->pool, ZX_POSITION, i);
}

/* There is machine code of this width here. */
static inline bool runs(int32_t width)
{
#if defined(__x86_64__)
    return width <= 8 && zb_cpu() >= ZB_CPU_AVX2;
#elif defined(__AARCH64EL__)
    return width < 8;
#else
    return width < 0;
#endif
}

static inline zx_node raw(fixture *f, zx_op op, zx_node a, zx_node b, zx_node c)
{
    return zx_intern(&f->pool, &(zx_item){.op = (int32_t)op, .a = a, .b = b, .c = c});
}

static inline zk_program *compiled(fixture *f, const zx_node *roots, int32_t count)
{
    zk_program *program;
    assert_int_equal(zk_compile(&f->memory, &f->pool, roots, count, &program), ZW_OK);
    return program;
}

#endif
