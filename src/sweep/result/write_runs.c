/*
 * The result of a sweep as a file: blocks from wherever the caller keeps them, each checked, to the
 * formats of output.
 */
#include "blocks.h"

#include "output.h"

zw_status zs_fetch_block(const zw_sweep *sweep, const zw_sweep_source *source, int64_t batch,
                         zw_sweep_block *block)
{
    const void *bytes = NULL;
    size_t size = 0;
    if (!source->fetch(source->user, batch, &bytes, &size)) return ZW_ERR_ARGUMENT;
    ZB_TRY(zs_block_read(sweep, bytes, size, block));
    return block->batch == batch ? ZW_OK : ZW_ERR_SETTING;
}

/* What zo_runs.read is given. */
typedef struct block_reader {
    const zw_sweep *sweep;
    const zw_sweep_source *source;
} block_reader;

static zw_status read_block(void *user, int64_t k, zw_sweep_block *block)
{
    const block_reader *r = user;
    return zs_fetch_block(r->sweep, r->source, k, block);
}

zw_status zs_sweep_write(zw_sweep *sweep, zw_result_format format, const zw_sweep_source *source,
                         zw_write_fn write, void *user)
{
    zw_sweep_facts facts;
    block_reader reader = {sweep, source};
    zs_sweep_facts(sweep, &facts);
    zo_runs runs = {.names = sweep->names,
                    .columns = facts.columns,
                    .runs = facts.runs,
                    .blocks = facts.batches,
                    .read = read_block,
                    .user = &reader};
    return zo_write_runs(sweep->memory, format, &runs, write, user);
}
