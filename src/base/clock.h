/*
 * The time that passes, for how long something took and for limits of time. No answer may depend
 * on it.
 */
#ifndef ZB_CLOCK_H
#define ZB_CLOCK_H

/* Seconds of the monotonic clock, from a beginning that only the system knows: differences count.
 * It never goes back, not when the time of day is set either. */
double zb_clock(void);

#endif
