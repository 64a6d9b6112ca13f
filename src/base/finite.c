#include "finite.h"

/* x - x is 0 of numbers, and NaN of all else; four sums at a time, for each addition waits for the
 * one before. */
bool zb_all_finite(const double *x, int64_t count)
{
    double sum[4] = {0.0};
    int64_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (int k = 0; k < 4; k++) sum[k] += x[i + k] - x[i + k];
    for (; i < count; i++) sum[0] += x[i] - x[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) == 0.0;
}
