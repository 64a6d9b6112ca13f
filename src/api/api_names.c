/*
 * Names of zwang.h and what they stand for: argument checks, then the tables of base.
 */
#include "api.h"

/* A status that is in no list has a sentence, too: there is always something to print. */
const char *zw_status_sentence(zw_status status)
{
    const char *sentence = zb_status_sentence(status);
    return sentence ? sentence : "this status is not known";
}

const char *zw_status_name(zw_status status)
{
    const char *name = zb_status_name(status);
    return name ? name : "unknown";
}

/* PUBLIC_NAMES(solver): zw_solver_name and zw_solver_find. */
#define PUBLIC_NAMES(kind)                                                                         \
    const char *zw_##kind##_name(zw_##kind value)                                                  \
    {                                                                                              \
        return zb_##kind##_name(value);                                                            \
    }                                                                                              \
                                                                                                   \
    zw_status zw_##kind##_find(const char *name, zw_##kind *value)                                 \
    {                                                                                              \
        ZW_REQUIRE(name != NULL && value != NULL);                                                 \
        return zb_##kind##_find(name, value);                                                      \
    }

PUBLIC_NAMES(solver)
PUBLIC_NAMES(form)
PUBLIC_NAMES(method)
PUBLIC_NAMES(stabilize)
PUBLIC_NAMES(kernel)
PUBLIC_NAMES(hold)
PUBLIC_NAMES(happening)
PUBLIC_NAMES(design)
