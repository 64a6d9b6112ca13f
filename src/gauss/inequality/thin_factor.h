/*
 * A thin factor N = Q R of rows that come and go: row k of N is R_0k q_0 + ... + R_kk q_k with q_i
 * orthonormal. Rows are of length 1 or 0; what is left of a row beside those that are there tells
 * whether it depends on them.
 */
#ifndef ZG_THIN_FACTOR_H
#define ZG_THIN_FACTOR_H

#include "base.h"

typedef struct zg_thin {
    int32_t n, most, count; /* columns; rows at most, and now */
    double *Q;              /* [most * n] the q_i */
    double *R;              /* [most * most] column k at R + k * most */
    double *h, *d;          /* [most], [n] of the row looked at last: h = Q row, d = row - Q^T h */
    double left;            /* |d| */
} zg_thin;

/* Memory for up to `rows` rows of up to n columns; false: there is none. */
bool zg_thin_take(zg_thin *f, zb_arena *arena, int32_t n, int32_t rows);

/* From now on for rows of n columns, as many as are independent among `rows`; none is there. */
void zg_thin_begin(zg_thin *f, int32_t n, int32_t rows);

/* What is left of row [n] beside those that are there: f->d, and f->left, its length. */
void zg_thin_look(zg_thin *f, const double *row);

/* r [count]: the row looked at last is sum r_k row_k + d. */
void zg_thin_coefficients(const zg_thin *f, double *r);

/* It joins, as the last one; there must be room, and something left of it. */
void zg_thin_join(zg_thin *f);

/* Row k leaves; those behind it move up. */
void zg_thin_leave(zg_thin *f, int32_t k);

#endif
