/*
 * Rows of a system that are *off*: they count as absent, whatever stands in them, and their
 * multipliers are 0. Private to this layer; system.c uses it.
 *
 * A sparse solver keeps them as rows 0 = 0 with a 1 on the diagonal of what it factors, so that its
 * pattern stays; a dense one gets the rows that are on, one after another.
 */
#ifndef ZG_OFF_ROWS_H
#define ZG_OFF_ROWS_H

#include "structure.h"

typedef struct zg_off_rows zg_off_rows;

/* For zg_structure.switched. Where W couples rows, structure->W becomes the pattern that has every
 * pair of rows which hang together: what is off is eliminated from W, and that fills it. */
zw_status zg_off_plan(zb_memory *memory, zg_structure *structure, zg_off_rows **x);
void zg_off_free(zg_off_rows *x);

/* The values of a factor with the rows that are off as zeros, and W without them (below). They
 * stay until the next call; `off` is copied. */
void zg_off_take(zg_off_rows *x, const zg_values *values, zg_values *masked);

/* Which rows are off [m], without values. */
void zg_off_use(zg_off_rows *x, const bool *off);

/* Of the last values; x NULL: all rows of the m are on. */
bool zg_off_any(const zg_off_rows *x);
int32_t zg_off_count(const zg_off_rows *x, int32_t m); /* rows that are on */

/* [that count] which rows are on, ascending; of a system where some row is off. */
const int32_t *zg_off_kept(const zg_off_rows *x);

/* b [m] with zeros where rows are off; packed: of the rows that are on alone. b itself where all
 * are on, NULL for NULL. */
const double *zg_off_right(zg_off_rows *x, const double *b);
const double *zg_off_pack(zg_off_rows *x, const double *b);

/* y [m], of which the first entries belong to the rows that are on, in place; 0 elsewhere. */
void zg_off_spread(const zg_off_rows *x, double *y);

#endif
