/* Are they all numbers, none infinite, none NaN? */
#ifndef ZB_FINITE_H
#define ZB_FINITE_H

#include <stdbool.h>
#include <stdint.h>

bool zb_all_finite(const double *x, int64_t count);

#endif
