/*
 * What the answers of the dense and of the sparse solver share.
 */
#ifndef ZG_INCONSISTENCY_H
#define ZG_INCONSISTENCY_H

#include <stdint.h>

/* Rows are called inconsistent when what is out of reach exceeds so much of their size (THEORY). */
static const double zg_consistent_limit = 1e-9;

void zg_write(const double *from, int32_t count, double *to); /* to NULL: not wanted; solve.c */

#endif
