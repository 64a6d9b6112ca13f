/*
 * The methods there are. An embedded pair is a table and a line of pair_list.h; any other is a file
 * and a line here.
 */
#include <string.h>

#include "pair_list.h"

/* The pairs first, in the order of their list; then the methods with a file of their own. */
const zi_method *zi_find_method(const char *name)
{
    for (int i = 0; i < zi_pair_count; i++)
        if (strcmp(zi_pair_methods[i].name, name) == 0) return &zi_pair_methods[i];
    const zi_method *others[] = {&zi_rk4, zi_bdf_method()};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i] && strcmp(others[i]->name, name) == 0) return others[i];
    return NULL;
}
