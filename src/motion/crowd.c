/*
 * Many members side by side.
 */
#include "inside.h"

zw_status zi_run_crowd(zb_memory *memory, const zi_method *method, const zi_crowd *crowd,
                       const zi_settings *settings)
{
    (void)memory, (void)method, (void)crowd, (void)settings;
    return ZW_ERR_METHOD;
}
