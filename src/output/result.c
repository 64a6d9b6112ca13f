/*
 * The formats there are.
 */
#include "output.h"

zw_status zo_close(zw_result *result)
{
    (void)result;
    return ZW_OK;
}
