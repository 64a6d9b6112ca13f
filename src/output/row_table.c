/*
 * Rows kept in memory until the end: blocks of rows, each twice as large as the one before up to a
 * limit, so that nothing is ever moved. When memory is short a smaller block is tried, down to one
 * row. The blocks are the result's, through its zb_memory.
 */
#include "format.h"

#include <string.h>

#ifdef ZB_SMALL_TABLES
static const size_t first_bytes = 1, most_bytes = 1 << 12;
#else
static const size_t first_bytes = 1 << 14, most_bytes = 1 << 24;
#endif

static size_t block_bytes(size_t rows, int32_t count)
{
    return zb_sum(sizeof(zo_block), zb_product(zb_product(rows, (size_t)count), sizeof(double)));
}

size_t zo_block_rows(size_t bytes, int32_t count)
{
    size_t rows = bytes / sizeof(double) / (size_t)count;
    return rows > 0 ? rows : 1;
}

/* A further block, NULL when memory ran out. */
static zo_block *add_block(zw_result *result)
{
    size_t most = zo_block_rows(most_bytes, result->count);
    size_t rows =
        result->last ? 2 * result->last->capacity : zo_block_rows(first_bytes, result->count);
    if (rows > most) rows = most;
    zo_block *block = NULL;
    for (; !block && rows > 0; rows /= 2) {
        block = zb_resize(result->memory, NULL, 0, block_bytes(rows, result->count));
        if (block) *block = (zo_block){.capacity = rows};
    }
    if (!block) return NULL;
    if (result->last)
        result->last->next = block;
    else
        result->first = block;
    result->last = block;
    return block;
}

/* Into the last block, or a further one where that is full. */
zw_status zo_table_add(zw_result *result, const double *row)
{
    zo_block *block = result->last;
    if (!block || block->used == block->capacity) block = add_block(result);
    if (!block) return result->memory->failure;
    size_t count = (size_t)result->count;
    memcpy(block->rows + block->used * count, row, count * sizeof *row);
    block->used++;
    return ZW_OK;
}

/* All blocks; the result has no rows then. */
void zo_table_free(zw_result *result)
{
    while (result->first) {
        zo_block *block = result->first;
        result->first = block->next;
        zb_resize(result->memory, block, block_bytes(block->capacity, result->count), 0);
    }
    result->last = NULL;
}
