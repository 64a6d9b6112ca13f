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

#endif
