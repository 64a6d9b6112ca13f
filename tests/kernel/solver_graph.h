/*
 * Random expressions in the shapes that derived models and solvers have, which purely random graphs
 * rarely take: long sums of products, Cholesky factors and the solves with them, rotations, guards,
 * chains, and many values that all wait for the end.
 */
#ifndef SOLVER_GRAPH_H
#define SOLVER_GRAPH_H

#include "random_graph.h"

/* Adds about `operations` operations (at least a few), in one of the shapes or several. Values stay
 * of moderate size for moderate leaves. Returns the node that comes last. */
zx_node solver_grow(zx_pool *pool, int32_t operations);

#endif
