/*
 * Gather-sum: what several parts say about the same number is added, for the next matrix or for a
 * vector in lane order.
 *
 *     pairs      (5,0) (2,7) (5,3) (2,1) (5,9)
 *
 *     place      5         2
 *     first      0         3      5         to[5] = from[0] + from[3] + from[9]
 *     source     0  3  9   7  1             to[2] = from[7] + from[1]
 *
 * A place is written by one sum only and the terms of a sum have their order, so that bits do not
 * depend on how many threads share the sums. The lists are made with a count of the terms of each
 * sum and belong to the arena they are made in.
 */
#include "gather.h"

#include "costs.h"

/* ------------------------------------------------------------------------- planning */

/* Numbers the sums in the order of their first pairs: sum_of [places], -1 where there is none. */
static int32_t number_sums(const ze_gather_pair *pairs, int64_t count, int32_t places,
                           int32_t *sum_of)
{
    int32_t sums = 0;
    for (int32_t i = 0; i < places; i++) sum_of[i] = -1;
    for (int64_t k = 0; k < count; k++)
        if (sum_of[pairs[k].place] < 0) sum_of[pairs[k].place] = sums++;
    return sums;
}

/* first[i + 1] is the number of terms of sum i, then where the next of them goes, at last where
 * they end. */
static void fill_gather_lists(const ze_gather_pair *pairs, int64_t count, const int32_t *sum_of,
                              ze_gather *g)
{
    int32_t total = 0;
    for (int64_t k = 0; k < count; k++) {
        int32_t i = sum_of[pairs[k].place];
        g->place[i] = pairs[k].place;
        g->first[i + 1]++;
    }
    for (int32_t i = 1; i <= g->count; i++) {
        int32_t terms = g->first[i];
        g->first[i] = total;
        total += terms;
    }
    for (int64_t k = 0; k < count; k++)
        g->source[g->first[sum_of[pairs[k].place] + 1]++] = pairs[k].source;
}

/* Made whole before it is handed out: *g stays empty after a failure. */
static zw_status make_sums(zb_arena *arena, zb_arena *scratch, const ze_gather_pair *pairs,
                           int64_t count, int32_t places, ze_gather *g)
{
    int32_t *sum_of = ZB_NEW_ARRAY(scratch, int32_t, places);
    if (!sum_of) return scratch->failure;
    int32_t sums = number_sums(pairs, count, places, sum_of);
    ze_gather made = {.count = sums};
    made.place = ZB_NEW_ARRAY(arena, int32_t, sums);
    made.first = ZB_NEW_ARRAY(arena, int32_t, (size_t)sums + 1);
    made.source = ZB_NEW_ARRAY(arena, int32_t, count);
    if (!made.place || !made.first || !made.source) return arena->failure;
    fill_gather_lists(pairs, count, sum_of, &made);
    *g = made;
    return ZW_OK;
}

/* Indices are 32 bits: more pairs are too many. */
zw_status ze_gather_make(zb_arena *arena, zb_arena *scratch, const ze_gather_pair *pairs,
                         int64_t count, int32_t places, ze_gather *g)
{
    *g = (ze_gather){0};
    if (count > INT32_MAX) return ZW_ERR_LARGE;
    zb_mark mark = zb_arena_mark(scratch);
    zw_status status = make_sums(arena, scratch, pairs, count, places, g);
    zb_arena_release(scratch, mark);
    return status;
}

/* ----------------------------------------------------------------------- adding up */

/* Sums [begin, end); each has at least one term. */
static void add_gather_sums(const ze_gather *g, int32_t begin, int32_t end, const double *from,
                            double *to)
{
    const int32_t *source = g->source;
    for (int32_t i = begin, k = g->first[begin]; i < end; i++) {
        double sum = from[source[k++]];
        for (int32_t stop = g->first[i + 1]; k < stop; k++) sum += from[source[k]];
        to[g->place[i]] = sum;
    }
}

typedef struct job {
    const ze_gather *g;
    const double *from;
    double *to;
} job;

/* A task of zb_team_do. */
static void add_sums_of_chunk(void *user, int32_t chunk, int32_t worker)
{
    const job *j = user;
    (void)worker;
    int32_t begin = chunk * ze_chunk_sums, left = j->g->count - begin;
    add_gather_sums(j->g, begin, left < ze_chunk_sums ? begin + left : begin + ze_chunk_sums,
                    j->from, j->to);
}

/* A team only where the sums take longer than waking it. */
void ze_gather_add(const ze_gather *g, const double *from, double *to, zb_team *team)
{
    if (g->count == 0) return;
    if (g->count <= ze_sums_alone || zb_team_size(team) == 1) {
        add_gather_sums(g, 0, g->count, from, to);
        return;
    }
    job j = {.g = g, .from = from, .to = to};
    zb_team_do(team, add_sums_of_chunk, &j, (g->count - 1) / ze_chunk_sums + 1);
}
