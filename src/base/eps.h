/*
 * Machine epsilon: the distance from 1 to the next larger double, 2^-52. One operation rounds by at
 * most half of it, relatively. A macro, so that it may stand in the initialisers of constants.
 */
#ifndef ZB_EPS_H
#define ZB_EPS_H

#include <float.h>

#define zb_eps DBL_EPSILON

#endif
