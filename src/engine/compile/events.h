/*
 * What build_events.c makes and events.c runs; private to these two and to the list
 * of all programs (programs.c).
 *
 * A *shape* is a condition with its new values and the events that have it: all instances of a kept
 * family, or one event of a whole family. The numbers of the gaps of all events together:
 *
 *     comparisons [comparisons],  a - b of equalities [equalities],  true if it held [equalities]
 */
#ifndef ZR_EVENTS_H
#define ZR_EVENTS_H

#include "run.h"

struct zr_events {
    zr_passes looks; /* matrix: conditions, place is the event; vector: gaps */
    int32_t gaps;    /* of all three sorts */
    int32_t equalities;
    int32_t *owner; /* [equalities] */
    bool *meets;    /* [events] an equality stands in its condition */
    int32_t *shape; /* [events] */
    bool measures;  /* conditions use reactions */

    int32_t shape_count;
    zk_program **resets;   /* [shape_count] the new values; NULL: there are none */
    bool *resets_measures; /* [shape_count] they use reactions */
    const char **written;  /* [events] the condition as it stands in the text */
    bool *shared;          /* [events] several events come from one statement */
};

#endif
