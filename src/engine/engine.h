/*
 * engine: binds the layers below into the objects a caller holds. Now: the context (memory,
 * budget, diagnostics) and, through gauss.h, the solver; later a simulation.
 */
#ifndef ZR_ENGINE_H
#define ZR_ENGINE_H

#include "base.h"
#include "gauss.h"

struct zw_context {
    zb_memory memory;
    zb_diag_list diagnostics;
};

/* allocator NULL: malloc. The context's own struct is not counted as held. */
zw_status zr_context_create(const zw_allocator *allocator, zw_context **context);
void zr_context_free(zw_context *context);

#endif
