/*
 * Checks of orders of elimination: a second opinion on fill by elimination on a table, postorders,
 * and memory that fails.
 */
#ifndef TEST_ORDER_CHECKS_H
#define TEST_ORDER_CHECKS_H

#include "graphs.h"

typedef zw_status (*order_fn)(zb_memory *memory, const za_symmetric *x, int32_t *order);

/* Elimination on a table [n][n]: the nonzeros of L below its diagonal, and the work. parent [n] or
 * NULL: first row below the diagonal, -1: none. */
za_prediction eliminate_bits(const za_symmetric *x, const int32_t *order, int32_t *parent);

void expect_permutation(int32_t n, const int32_t *order);

/* That the tree with these parents is numbered in postorder. */
void expect_postorder(int32_t n, const int32_t *parent);

/* The fill as za_predict counts it. */
int64_t fill_of(const za_symmetric *x, const int32_t *order);

/* An order by `way`, made twice with the same result; to be freed. */
int32_t *order_by(order_fn way, const za_symmetric *x);

/* The k-th request fails, for every k: the right status, nothing held. */
void expect_failures(order_fn way, const za_symmetric *x);

#endif
