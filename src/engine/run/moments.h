/*
 * When a condition of t alone changes (moments.c).
 */
#ifndef ZR_MOMENTS_H
#define ZR_MOMENTS_H

#include "switches.h"

/* Numbers between low and high, both included. */
typedef struct zr_bounds {
    double low, high;
} zr_bounds;

/* A gap of time, the numbers that stand in it, and on which side it is: of a gap -1 or 1; of a
 * floor the number it gives. */
typedef struct zr_moment_search {
    const zr_clockwork *clock;
    const double *values; /* of the simulation, slots included */
    zr_bounds *scratch;   /* [clock->count] */
    bool is_floor;
    double side;
} zr_moment_search;

/* The gap at t. */
double zr_clock_at(const zr_moment_search *s, double t);

/* The side just after t. */
double zr_side_after(const zr_moment_search *s, double t);

/* The last time before the side is left for the first time between `from` and `to`; HUGE_VAL: it is
 * not left. */
double zr_next_moment(const zr_moment_search *s, double from, double to);

#endif
