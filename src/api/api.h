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

/* The number of `name` among names(0), names(1), ... up to NULL; -1 when there is none. */
int zw_number_of(const char *name, const char *(*names)(int number));

#endif
