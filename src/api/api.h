/*
 * api: the functions of zwang.h. They check their arguments and call the engine; nothing
 * else happens here.
 */
#ifndef ZW_API_H
#define ZW_API_H

#include "engine.h"

#define ZW_REQUIRE(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) return ZW_ERR_ARGUMENT;                                                  \
    } while (0)

#endif
