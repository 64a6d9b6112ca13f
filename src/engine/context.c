/*
 * The context: one allocator with its budget, and the list of diagnostics. It owns its own
 * struct, which it takes from the same allocator before the budget begins to count.
 */
#include "engine.h"

/* The struct comes from a second zb_memory over the same allocator, so that the context does not
 * count it. */
zw_status zr_context_create(const zw_allocator *allocator, zw_context **out)
{
    zb_memory memory;
    zb_memory_init(&memory, allocator);
    zw_context *context = zb_resize(&memory, NULL, 0, sizeof *context);
    if (!context) return memory.failure;
    zb_memory_init(&context->memory, allocator);
    zb_diag_init(&context->diagnostics, &context->memory);
    context->solver = ZW_SOLVER_AUTO;
    context->threads = 0;
    context->lanes = 0;
    *out = context;
    return ZW_OK;
}

/* Gives the struct back through a copy of its memory that holds nothing else. */
void zr_context_free(zw_context *context)
{
    if (!context) return;
    zb_diag_free(&context->diagnostics);
    zb_memory memory = context->memory;
    zb_memory_init(&memory, &memory.allocator);
    memory.held = sizeof *context;
    zb_resize(&memory, context, sizeof *context, 0);
}
