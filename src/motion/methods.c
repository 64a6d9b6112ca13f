/*
 * The methods there are.
 */
#include "motion.h"

const zi_method *zi_find_method(const char *name)
{
    (void)name;
    return NULL;
}
