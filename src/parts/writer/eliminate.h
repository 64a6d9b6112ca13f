/*
 * Elimination as operations on nodes of expressions: what build_fused.c of the engine does for
 * whole systems, for the inner rows of a part. A zero node is no entry: sparsity costs nothing.
 *
 *     S = [ S_ii  S_io ]     inner rows in `order`:  S_ii = L D L^T
 *         [ S_oi  S_oo ]     left for others:        S_oo - S_oi S_ii^-1 S_io,
 *                                                    c_o - S_oi S_ii^-1 c_i
 */
#ifndef ZE_ELIMINATE_H
#define ZE_ELIMINATE_H

#include "base.h"
#include "expr.h"

/* Arrays are the caller's. count = inner + outer. */
typedef struct ze_elimination {
    zx_pool *pool;
    int32_t inner, outer;
    zx_node *S;     /* [count * count] entry (i, j) at i * count + j, i >= j; numbers 0 where
                       there is none. After: of outer rows what is left; of column j of an inner
                       row the entries at the time of its pivot */
    zx_node *right; /* [count] c; after: of outer rows what is left, of inner ones c at the pivot */
    int32_t *order; /* [inner] */
    zx_node *inverse; /* [inner] 1 / D, by row */
    zx_node *L; /* [count * count] L(i, j) at i * count + j, j an inner row, i eliminated later
                   or outer; 0 elsewhere */
} ze_elimination;

/* order [inner] by minimum degree on a pattern, boundary last; of equals one with the fewest inner
 * neighbours, then a neighbour of the last pivot, then the first. fills [count * count]: true where
 * S (i > j or not) has an entry, and after it where L and what is left have; NULL: everywhere.
 * Returns multiplications and subtractions of down and back together, about. scratch->escape is
 * set. */
int64_t ze_order_rows(zb_arena *scratch, int32_t inner, int32_t outer, bool *fills, int32_t *order);

/* Uses e->order. `outer_too` false: outer rows are left alone (only the inside is wanted). */
void ze_eliminate(ze_elimination *e, bool outer_too);

/* x [count]: outer entries are given, inner ones are set: L^T x = D^-1 (c - ...) by the L, inverse
 * and right that are there. */
void ze_substitute_back(const ze_elimination *e, zx_node *x);

/* The same for another right side: c [count] in place as `right` above, by L alone. */
void ze_substitute_forward(const ze_elimination *e, zx_node *c);

#endif
