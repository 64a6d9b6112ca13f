/*
 * Inverses of symmetric matrices whose graph falls into small parts, the masses of particles and
 * rigid bodies or weights of constraints: block by block.
 */
#ifndef ZG_INVERSE_BLOCKS_H
#define ZG_INVERSE_BLOCKS_H

#include "structure.h"

typedef struct zg_blocks zg_blocks;

/* Upper triangle or both triangles; NULL (and ZW_OK) when a block has more than `most` rows. */
zw_status zg_blocks_plan(zb_memory *memory, const zg_pattern *x, bool upper, int32_t most,
                         zg_blocks **blocks);
void zg_blocks_free(zg_blocks *blocks);
bool zg_blocks_diagonal(const zg_blocks *blocks);
/* Inverts; false when a block is not positive definite, *row then says where. */
bool zg_blocks_invert(zg_blocks *blocks, const double *values, int32_t *row);
/* Entry by entry: the inverse as a pattern of its own, both triangles, and its values. */
const zg_pattern *zg_blocks_pattern(const zg_blocks *blocks);
const double *zg_blocks_inverse(const zg_blocks *blocks);
void zg_blocks_times(const zg_blocks *blocks, const double *x, double *y); /* y = X^-1 x */

#endif
