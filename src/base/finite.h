/*
 * Doubles that may not be numbers: whether all of an array are finite; a largest one that says so.
 */
#ifndef ZB_FINITE_H
#define ZB_FINITE_H

#include <stdbool.h>
#include <stdint.h>

/* True when none of x [count] is infinite or NaN; true of none at all. */
bool zb_all_finite(const double *x, int64_t count);

/* The larger of what was the largest so far and x. Once one of them was NaN it is NaN for good, so
 * that no bound holds for it. */
static inline double zb_larger(double largest, double x)
{
    if (x <= largest) return largest; /* the common case: one comparison */
    return largest != largest ? largest : x;
}

#endif
