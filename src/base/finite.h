/*
 * Arrays of doubles: whether all are finite.
 */
#ifndef ZB_FINITE_H
#define ZB_FINITE_H

#include <stdbool.h>
#include <stdint.h>

/* True when none of x [count] is infinite or NaN; true of none at all. */
bool zb_all_finite(const double *x, int64_t count);

#endif
