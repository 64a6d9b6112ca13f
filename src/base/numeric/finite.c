/*
 * Whether arrays hold finite numbers only, at the speed of memory.
 */
#include "finite.h"

/* x - x is 0 of numbers, and NaN of all else; eight sums at a time, for each addition waits
 * for the one before. */
bool zb_all_finite(const double *x, int64_t count)
{
    enum { sums = 8 };
    double sum[sums] = {0.0}, all = 0.0;
    int64_t i = 0;
    for (; i + sums <= count; i += sums)
        for (int k = 0; k < sums; k++) sum[k] += x[i + k] - x[i + k];
    for (; i < count; i++) all += x[i] - x[i];
    for (int k = 0; k < sums; k++) all += sum[k];
    return all == 0.0;
}
