/*
 * What the tests of expr share: a pool over the counting allocator, short names for building, a
 * generator of numbers, values of leaves.
 */
#ifndef EXPR_HELPERS_H
#define EXPR_HELPERS_H

#include "../base/counting.h"

#include "expr.h"

/* A pool with its memory. Running out of memory where a test does not expect it aborts. */
typedef struct bench {
    counting allocator;
    zb_memory memory;
    jmp_buf escape;
    zx_pool pool;
} bench;

/* Runs a test on a fresh pool and sees that everything was given back. */
static inline void bench_run(void (*body)(bench *b), bool commute)
{
    static bench b;
    counting_init(&b.allocator, &b.memory);
    zx_pool_init(&b.pool, &b.memory, &b.escape, commute);
    if (setjmp(b.escape) != 0) fail_msg("memory ran out");
    body(&b);
    zx_pool_free(&b.pool);
    assert_nothing_held(&b.allocator, &b.memory);
}

/* A test `name` whose body has a pool `b`, one that commutes or not. */
#define POOL_TEST(name, commute)                                                                   \
    static void name##_body(bench *b);                                                             \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        bench_run(name##_body, commute);                                                           \
    }                                                                                              \
    static void name##_body(bench *b)

static inline zx_node q_(zx_pool *p, int32_t i)
{
    return zx_leaf(p, ZX_POSITION, i);
}
static inline zx_node v_(zx_pool *p, int32_t i)
{
    return zx_leaf(p, ZX_VELOCITY, i);
}
static inline zx_node num(zx_pool *p, double x)
{
    return zx_number(p, x);
}
static inline zx_node add(zx_pool *p, zx_node a, zx_node b)
{
    return zx_binary(p, ZX_ADD, a, b);
}
static inline zx_node sub(zx_pool *p, zx_node a, zx_node b)
{
    return zx_binary(p, ZX_SUB, a, b);
}
static inline zx_node mul(zx_pool *p, zx_node a, zx_node b)
{
    return zx_binary(p, ZX_MUL, a, b);
}
static inline zx_node quo(zx_pool *p, zx_node a, zx_node b)
{
    return zx_binary(p, ZX_DIV, a, b);
}
static inline zx_node neg(zx_pool *p, zx_node a)
{
    return zx_unary(p, ZX_NEG, a);
}
static inline zx_node fun(zx_pool *p, zx_op op, zx_node a)
{
    return zx_unary(p, op, a);
}

/* Numbers from 0 to below `bound`, the same in every run. */
static inline uint32_t random_below(uint64_t *seed, uint32_t bound)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*seed >> 33) % bound);
}

static inline double random_real(uint64_t *seed, double low, double high)
{
    return low + (high - low) * (random_below(seed, 1u << 30) / (double)(1u << 30));
}

/* Values of leaves, by number. */
enum { LEAVES = 16 };
typedef struct leaf_values {
    double q[LEAVES], v[LEAVES], z[LEAVES], value[LEAVES], measure[LEAVES], t;
} leaf_values;

static inline double leaf_value(void *user, const zx_item *leaf)
{
    const leaf_values *x = user;
    switch (leaf->op) {
    case ZX_TIME:
        return x->t;
    case ZX_POSITION:
        return x->q[leaf->a];
    case ZX_VELOCITY:
        return x->v[leaf->a];
    case ZX_ACCELERATION:
        return x->z[leaf->a];
    case ZX_VALUE:
        return x->value[leaf->a];
    default:
        return x->measure[leaf->a];
    }
}

#endif
