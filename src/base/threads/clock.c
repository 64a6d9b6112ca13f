/*
 * The monotonic clock of POSIX.
 */
#include "clock.h"

#include <time.h>

double zb_clock(void)
{
    struct timespec t = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
