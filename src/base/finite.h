/*
 * Doubles that may not be numbers: whether all of an array are finite; a largest one that says so.
 */
#ifndef ZB_FINITE_H
#define ZB_FINITE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* True when none of x [count] is infinite or NaN; true of none at all. */
bool zb_all_finite(const double *x, int64_t count);

/* The larger of what was the largest so far (not negative) and the size of x. Once one of them was
 * NaN it is NaN for good, so that no bound holds for it. The bits of sizes are in order as integers,
 * NaN above all: so there is no branch, which residuals, being random, would mislead. */
static inline double zb_larger(double largest, double x)
{
    int64_t a, b;
    memcpy(&a, &largest, sizeof a);
    memcpy(&b, &x, sizeof b);
    b &= INT64_MAX;
    a = b > a ? b : a;
    memcpy(&largest, &a, sizeof a);
    return largest;
}

#endif
