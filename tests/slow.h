/*
 * Sanitizers and valgrind take ten times as long and more. There a part of the rounds must do: what
 * they look for shows in few.
 */
#ifndef SLOW_H
#define SLOW_H

#include <stdlib.h>

/* How many rounds, or how many at a time: the first number, or the second where it is slow. The
 * tests' CMakeLists.txt says where. */
static inline int unless_slow(int usually, int slowly)
{
    return getenv("ZW_SLOW") ? slowly : usually;
}

#endif
