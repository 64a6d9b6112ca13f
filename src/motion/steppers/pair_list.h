/*
 * The embedded pairs there are. A new one is a table file, its include and its name in the list:
 * steppers and crowds find it here.
 */
#ifndef ZI_PAIR_LIST_H
#define ZI_PAIR_LIST_H

#include "tableau_dop853.h"
#include "tableau_dopri5.h"

#define ZI_PAIR_LIST(X)                                                                            \
    X(dop853)                                                                                      \
    X(dopri5)

/* How many there are, and the number of each. */
#define ZI_PAIR_NUMBER(name) zi_number_of_##name,
enum { ZI_PAIR_LIST(ZI_PAIR_NUMBER) zi_pair_count };
#undef ZI_PAIR_NUMBER

/* As methods, in this order. */
extern const zi_method zi_pair_methods[zi_pair_count];

#endif
