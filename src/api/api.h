/*
 * api: the functions of zwang.h, which documents them. They check their arguments, so that nothing
 * below meets a NULL or a number out of range that it did not ask for, and call the engine, gauss,
 * output or base; nothing else happens here. A free or a question about NULL does nothing.
 */
#ifndef ZW_API_H
#define ZW_API_H

#include "engine.h"

/* Refuses a wrong argument, before anything has happened. */
#define ZW_REQUIRE(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) return ZW_ERR_ARGUMENT;                                                  \
    } while (0)

/* Reports E0780 where `call` has failed and nobody has said why: there are as many errors among the
 * diagnostics as before it. Returns the status. Only for calls of the context's thread. */
int32_t zw_count_errors(const zw_context *context);
zw_status zw_tell(zw_context *context, int32_t errors, const char *call, zw_status status);

/* The same around a call of the engine on a simulation. */
#define ZW_TOLD(sim, name, call)                                                                   \
    do {                                                                                           \
        zw_context *context_ = zr_sim_context(sim);                                                \
        int32_t errors_ = zw_count_errors(context_);                                               \
        return zw_tell(context_, errors_, name, call);                                             \
    } while (0)

#endif
