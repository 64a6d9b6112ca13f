/*
 * A clock for the targets under libFuzzer: while they work on an input, it begins at 0 and goes on
 * by a microsecond whenever it is read. What the library says of its own speed is then the same in
 * every run, and with it the code that prints it, which is what leads the mutations. Linked with
 * --wrap=clock_gettime; libFuzzer itself reads the true clock.
 */
#include <time.h>

#include "fuzz.h"

int __real_clock_gettime(clockid_t clock, struct timespec *out);
int __wrap_clock_gettime(clockid_t clock, struct timespec *out);

int __wrap_clock_gettime(clockid_t clock, struct timespec *out)
{
    if (!fuzz_at_work) return __real_clock_gettime(clock, out);
    fuzz_at_work++;
    *out = (struct timespec){.tv_sec = fuzz_at_work / 1000000,
                             .tv_nsec = fuzz_at_work % 1000000 * 1000};
    return 0;
}
