/*
 * The bodies of a part in an order that depends on what they are joined to, not on their numbers.
 * Private to this folder.
 */
#ifndef ZE_ARRANGE_H
#define ZE_ARRANGE_H

#include "survey.h"

typedef struct ze_arranger {
    const ze_survey *s;
    const int32_t *part;  /* [bodies] */
    const int32_t *owner; /* [m] the body that owns a row */
    uint64_t *key;        /* [bodies] of the present part */
    int32_t *rank;        /* [bodies] 1 + place in the part, 0: none yet */
} ze_arranger;

/* Most neighbours have numbers far from each other. */
bool ze_is_scattered(const ze_survey *survey);

zw_status ze_arranger_open(const ze_survey *survey, const int32_t *part, const int32_t *owner,
                           zb_arena *arena, ze_arranger *arranger);

/* Orders body [count]; order [count] is scratch. Their ranks stay until ze_arranger_leave. */
void ze_arrange(ze_arranger *arranger, int32_t *body, int32_t count, int32_t *order);
void ze_arranger_leave(ze_arranger *arranger, const int32_t *body, int32_t count);

/* Where a row of a body comes among the body's rows: by the ranks of the others it joins. */
int64_t ze_row_rank(const ze_arranger *arranger, int32_t row, int32_t body);

#endif
