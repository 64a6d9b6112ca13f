/*
 * What the files of expr share among themselves.
 *
 * A *walk* is the subgraph below some roots as a list in index order, so operands stand before
 * what uses them, with operands as positions in the list: arrays of a computation are then as long
 * as the walk, not as the pool, and further walks or new nodes do not disturb it. It lives in
 * pool->scratch from zx_walk_begin to zx_walk_end; begin and end nest.
 *
 * A *rate* is the derivative of a node in the direction of a sweep, most often the time derivative.
 */
#ifndef ZX_WALK_H
#define ZX_WALK_H

#include "expr.h"

enum { ZX_UNKNOWN = ZX_NONE - 1 }; /* in pool->rates */

/* One node of a walk. */
typedef struct zx_step {
    zx_node node;
    zx_item item; /* operands are positions in the walk */
} zx_step;

typedef struct zx_walk {
    int32_t count;
    zx_step *steps; /* [count] */
    int32_t *roots; /* [number of roots] their positions */
    zb_mark mark;
} zx_walk;

zx_walk zx_walk_begin(zx_pool *pool, const zx_node *roots, int32_t count);
void zx_walk_end(zx_pool *pool, const zx_walk *walk);

/* Collects the nodes below roots in pool->list in index order, not going below nodes whose
 * pool->rates are known if `unrated`; how many. */
int32_t zx_collect(zx_pool *pool, const zx_node *roots, int32_t count, bool unrated);

/* The state of pool->scratch to return to by zb_arena_release. */
zb_mark zx_scratch_mark(zx_pool *pool);

/* Zeroed memory from pool->scratch; jumps when there is none. */
void *zx_scratch(zx_pool *pool, int32_t count, size_t size);

/* Jumps to pool->escape. */
_Noreturn void zx_escape(const zx_pool *pool);

/* The k-th operand of an item, k < zx_operands(item->op). */
static inline const int32_t *zx_operand(const zx_item *item, int k)
{
    return k == 0 ? &item->a : k == 1 ? &item->b : &item->c;
}

static inline bool zx_is_leaf(int32_t op)
{
    return op < ZX_NEG;
}

/* Whether a node is a number, a literal or a bound one. */
static inline bool zx_is_number(const zx_pool *pool, zx_node node)
{
    return pool->items[node].op <= ZX_BOUND;
}

/* Whether a node is always 0 or 1: a comparison, or logic. */
static inline bool zx_is_truth(const zx_pool *pool, zx_node node)
{
    int32_t op = pool->items[node].op;
    return op == ZX_NOT || (op >= ZX_LT && op <= ZX_OR);
}

static inline bool zx_is_finite(double x)
{
    return x - x == 0.0;
}

/* Building of arithmetic (arithmetic.c), of operands that are not both constants. */
zx_node zx_neg(zx_pool *pool, zx_node a);
zx_node zx_add(zx_pool *pool, zx_node a, zx_node b);
zx_node zx_sub(zx_pool *pool, zx_node a, zx_node b);
zx_node zx_mul(zx_pool *pool, zx_node a, zx_node b);
zx_node zx_div(zx_pool *pool, zx_node a, zx_node b);

/* The constant of op on constants a and b, or ZX_NONE: one is not constant, or the result is not
 * finite. Of a literal and a bound number it is a bound one. */
zx_node zx_fold(zx_pool *pool, zx_op op, zx_node a, zx_node b);

/* The node of op on a and b as they stand; sorted by index if `commutes` and the pool says so. */
zx_node zx_pair(zx_pool *pool, zx_op op, zx_node a, zx_node b, bool commutes);

/* Whether node is the literal `value`. */
bool zx_is_literal(const zx_pool *pool, zx_node node, double value);

/* w times the derivative of node f by its k-th operand. Not for select, min and max. */
zx_node zx_chain(zx_pool *pool, zx_node f, int k, zx_node w);

/* The derivative of node f when its operands change by d[0..2]; ZX_NONE stands for 0 in d and in
 * the answer. */
zx_node zx_forward(zx_pool *pool, zx_node f, const zx_node d[3]);

/* Forward differentiation of a whole walk: d [walk->count] holds the derivatives of leaves and
 * takes those of all other steps; ZX_NONE stands for 0. */
void zx_sweep(zx_pool *pool, const zx_walk *walk, zx_node *d);

#endif
