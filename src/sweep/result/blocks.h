/*
 * Blocks of a sweep where they are read: files and summaries. Private to this layer.
 */
#ifndef ZS_BLOCKS_H
#define ZS_BLOCKS_H

#include "sweep_plan.h"

/* The block of a batch, checked. ZW_ERR_ARGUMENT: it is not there. */
zw_status zs_fetch_block(const zw_sweep *sweep, const zw_sweep_source *source, int64_t batch,
                         zw_sweep_block *block);

#endif
