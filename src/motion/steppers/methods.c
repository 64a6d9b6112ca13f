/*
 * The methods there are. A new one is a file and a line here.
 */
#include <string.h>

#include "stepping.h"

const zi_method *zi_find_method(const char *name)
{
    const zi_method *methods[] = {&zi_dop853, &zi_dopri5, &zi_rk4, zi_bdf_method()};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        if (methods[i] && strcmp(methods[i]->name, name) == 0) return methods[i];
    return NULL;
}
