/*
 * What the answers of the dense and of the sparse solver share.
 */
#ifndef ZG_INCONSISTENCY_H
#define ZG_INCONSISTENCY_H

#include <stdint.h>

/* Rows are called inconsistent when what is out of reach exceeds so much of their size,
 * |b| + |P| |z| with P = W^(1/2) A M^(-1/2) (THEORY). */
static const double zg_consistent_limit = 1e-9;

/* to [count] = from, unless `to` is NULL, an array the caller does not want (solve.c). */
void zg_write_wanted(const double *from, int32_t count, double *to);

#endif
