/*
 * Gather-sum: every place of an array is the sum of some places of another, in the order in which
 * they were listed.
 *
 *     to[place[i]] = sum of from[source[k]], k in [first[i], first[i + 1])
 */
#ifndef ZE_GATHER_H
#define ZE_GATHER_H

#include "base.h"

typedef struct ze_gather {
    int32_t count;   /* sums */
    int32_t *place;  /* [count] */
    int32_t *first;  /* [count + 1] */
    int32_t *source; /* [first[count]] */
} ze_gather;

/* Pairs (place, source) as they come; sums in the order of their first pair, terms in the order of
 * the pairs. All in `arena`; scratch is given back. */
typedef struct ze_gather_pair {
    int32_t place, source;
} ze_gather_pair;
zw_status ze_gather_make(zb_arena *arena, zb_arena *scratch, const ze_gather_pair *pairs,
                         int64_t count, int32_t places, ze_gather *g);

/* By a team where that pays: chunks of sums. */
void ze_gather_add(const ze_gather *g, const double *from, double *to, zb_team *team);

#endif
