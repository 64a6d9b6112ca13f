/*
 * Outcomes. The one list of status codes and their sentences is ZW_STATUS_LIST in zwang.h.
 */
#ifndef ZB_STATUS_H
#define ZB_STATUS_H

#include "zwang.h"

/* Passes a failure up. Code that solves and steps has no other error path. */
#define ZB_TRY(call)                                                                               \
    do {                                                                                           \
        zw_status zb_status_ = (call);                                                             \
        if (zb_status_ != ZW_OK) return zb_status_;                                                \
    } while (0)

/* NULL when the value is not in the list. */
const char *zb_status_sentence(zw_status status);
const char *zb_status_name(zw_status status);

#endif
