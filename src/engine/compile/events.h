/*
 * Events of a model: what build_events.c makes, event_text.c names and events.c evaluates.
 *
 * A *shape* is a condition with its new values and the events that have it: all instances of a kept
 * family, or one event of a whole family. A *gap* is a - b of a comparison in a condition; a *look*
 * evaluates all conditions and gaps at a state. The gaps of all events together are numbered
 *
 *     comparisons [comparisons],  a - b of equalities [equalities],  true if it held [equalities]
 */
#ifndef ZR_EVENTS_H
#define ZR_EVENTS_H

#include "builder.h"

struct zr_events {
    zr_passes looks; /* matrix: conditions, place is the event; vector: gaps */
    int32_t gaps;    /* of all three sorts */
    int32_t equalities;
    int32_t *owner;     /* [equalities] the event in whose condition each stands */
    int32_t *gap_event; /* [gaps] likewise; -1: of those that are no gaps, true if it held */
    bool *has_equality; /* [events] an equality stands in its condition */
    int32_t *shape;     /* [events] which it has */
    bool measures;      /* conditions use reactions */

    int32_t shape_count;
    zk_program **resets;   /* [shape_count] the new values; NULL: there are none */
    bool *resets_measures; /* [shape_count] they use reactions */
    const char **written;  /* [events] the condition as it stands in the text */
    bool *shared;          /* [events] several events come from one statement */
};

void zr_build_events(zr_builder *b); /* model->events */
void zr_free_events(zw_model *model);
int32_t zr_event_gaps(const zw_model *model);  /* numbers of gap, see zi_watch */
bool zr_events_measure(const zw_model *model); /* conditions use reactions */
int32_t zr_event_equalities(const zw_model *model);
const int32_t *zr_equality_owners(const zw_model *model);         /* [equalities] */
bool zr_event_has_equality(const zw_model *model, int32_t event); /* an equality stands in it */
bool zr_event_stops(const zw_model *model, int32_t event);
void zr_text_event(const zw_model *model, int32_t event, zb_text *text); /* "when y < 0" */

#endif
