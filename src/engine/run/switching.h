/*
 * Switches of a run (switching.c, turn.c, slide.c): conditions in forces, energies and constraints
 * are held while a step is made; where one of them would change is found, and the step ends there.
 */
#ifndef ZR_SWITCHING_H
#define ZR_SWITCHING_H

#include "moments.h"
#include "motion.h"

/* How the motion slid on the surface of a switch. */
typedef struct zr_slid {
    double from, until; /* when it began first, and ended last */
    double since;       /* when it began now */
    int64_t times;
} zr_slid;

/* zr_most_soon: what has turned as often without much time between is in the noise. */
enum { zr_most_sliding = 32, zr_most_soon = 24 };

typedef struct zr_switching {
    int32_t count;         /* 0: there are none */
    const zr_switch *list; /* of the model */
    zi_watch watch;
    double *locator;
    bool *truth, *turned, *seen; /* [count] it is off its side */
    double *side;         /* [count] as zr_moment_search has it; of what slides from -1 to 1 */
    double *level_before; /* [m] scratch */
    double *level;        /* [count] of floors: the number at the surface */
    bool *slides;         /* [count] */
    int32_t sliding;      /* how many do */
    bool decided;         /* sides are those of the stepper's state */
    bool pending;         /* a switch turns where run->events has it pending */
    bool live;            /* the step is made with conditions as they stand */
    double *gap, *speed, *rate;   /* [count] scratch */
    double *gap_size, *rate_size; /* [count] of their terms */
    double *largest;              /* [count] |gap| so far */
    double *fastest;  /* [count] of those without velocities: |rate of the gap| so far */
    double *moment;   /* [count] of timed ones: when they change next */
    double next;      /* the first of these */
    zr_bounds *clock; /* scratch */
    double last_turn;
    double *turned_at; /* [count] when each turned last */
    int32_t *soon;     /* [count] turns of each that followed soon; many: it is left as it stands */
    int32_t at_once;   /* turns that followed without time between */
    zr_slid *slid;     /* [count] */

    /* of slide.c */
    int32_t *chosen;   /* [zr_most_sliding] which slide, or may */
    double *push;      /* [zr_most_sliding * n] what a side of each adds to the accelerations */
    double *z;         /* [n] accelerations at the middle of all surfaces */
    double *size;      /* [n] of the terms of an acceleration */
    double *B, *r, *s; /* [zr_most_sliding^2], [zr_most_sliding] each */
    double *work;      /* [zr_most_sliding^2 + zr_most_sliding] */
} zr_switching;

/* Gaps of at most this are rounding, by their terms where sides were decided last. */
static inline double zr_gap_rounding(const zr_switching *w, int32_t k)
{
    return 1e3 * 2.2e-16 * w->gap_size[k] + 1e-14 * w->largest[k];
}

/* Likewise, or, of what turns without much time between, as good as 0 for the tolerance. */
static inline double zr_gap_noise(const zr_switching *w, int32_t k, double tol)
{
    double rounding = zr_gap_rounding(w, k), much = 10.0 * tol * w->largest[k];
    if (w->soon[k] < zr_most_soon) return rounding;
    return 1e4 * rounding > much ? 1e4 * rounding : much;
}

#endif
