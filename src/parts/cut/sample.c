/*
 * A sample of the bodies. Small systems are taken whole; of large ones some balls:
 *
 *     o-o-o-o-o-o-o-o-o-o-o-o-o-o-o-o-o-o-o-o      bodies reached breadth first from a few that are
 *     ^ball         ^ball         ^ball            spread evenly over all numbers, until there are
 *                                                  enough of them; whole components go on with the
 *                                                  next one
 *
 * In declared order a ball is a range of neighbouring numbers, otherwise it is still a piece of the
 * graph, with everything between its bodies. Rows that lead out of it are not looked at: a sample
 * is a smaller system of its own.
 *
 * A signature is a number for a body: the families of the elements at its coordinates and rows, how
 * many bodies its rows touch. A chain has three signatures, two of them once. All memory is the
 * caller's.
 */
#include <string.h>

#include "sample.h"

enum { most_bodies = 6000, balls = 4, most_signatures = 64 };

/* ------------------------------------------------------------------------- balls */

/* Bodies from `first` on that are not taken yet, until there are `end`; taken [bodies]. */
static void grow_ball(const ze_survey *s, int32_t first, int32_t end, ze_sample *x, int32_t *taken)
{
    const ze_graph *g = &s->graph;
    int32_t at = x->count;
    for (int32_t v = first; x->count < end && v < s->bodies; v++) {
        if (taken[v]) continue;
        taken[v] = 1;
        x->body[x->count++] = v;
        for (; at < x->count && x->count < end; at++) {
            int32_t b = x->body[at];
            for (int32_t k = g->start[b]; k < g->start[b + 1] && x->count < end; k++) {
                if (taken[g->next[k]]) continue;
                taken[g->next[k]] = 1;
                x->body[x->count++] = g->next[k];
            }
        }
    }
}

/* taken [bodies] becomes 1 + number in the sample. */
static void number_sample_bodies(const ze_survey *s, ze_sample *x, int32_t *taken)
{
    int32_t count = 0;
    for (int32_t v = 0; v < s->bodies; v++) {
        if (!taken[v]) continue;
        x->body[count++] = v;
        taken[v] = count;
    }
}

/* The graph among the bodies of a sample. number [bodies]: 1 + number in the sample, 0: not in
 * it. */
static zw_status join_sample_bodies(const ze_survey *s, zb_arena *arena, ze_sample *x,
                                    const int32_t *number)
{
    const ze_graph *g = &s->graph;
    int32_t ends = 0;
    for (int32_t i = 0; i < x->count; i++) ends += g->start[x->body[i] + 1] - g->start[x->body[i]];
    int32_t *start = ZB_NEW_ARRAY(arena, int32_t, (size_t)x->count + 1);
    int32_t *next = ZB_NEW_ARRAY(arena, int32_t, (size_t)ends + 1);
    if (arena->failure != ZW_OK) return arena->failure;
    ends = 0;
    for (int32_t i = 0; i < x->count; i++) {
        int32_t b = x->body[i];
        for (int32_t k = g->start[b]; k < g->start[b + 1]; k++)
            if (number[g->next[k]]) next[ends++] = number[g->next[k]] - 1;
        start[i + 1] = ends;
    }
    x->graph = (ze_graph){.count = x->count, .start = start, .next = next};
    return ZW_OK;
}

/* Whether all bodies of a row are in the sample, and `body` is the last of them: so that a row is
 * listed once. */
static bool is_last_and_inside(const ze_survey *s, int32_t row, int32_t body, const int32_t *number)
{
    const ze_lists *l = &s->bodies_of;
    for (int32_t k = l->start[row]; k < l->start[row + 1]; k++)
        if (l->list[k] > body || !number[l->list[k]]) return false;
    return true;
}

/* The rows all of whose bodies are in the sample. */
static zw_status find_sample_rows(const ze_survey *s, zb_arena *arena, ze_sample *x,
                                  const int32_t *number)
{
    int32_t most = 0;
    for (int32_t i = 0; i < x->count; i++)
        most += s->rows.start[x->body[i] + 1] - s->rows.start[x->body[i]];
    x->rows = ZB_NEW_ARRAY(arena, int32_t, (size_t)most + 1);
    if (!x->rows) return arena->failure;
    for (int32_t i = 0; i < x->count; i++) {
        int32_t b = x->body[i];
        for (int32_t k = s->rows.start[b]; k < s->rows.start[b + 1]; k++)
            if (is_last_and_inside(s, s->rows.list[k], b, number))
                x->rows[x->row_count++] = s->rows.list[k];
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------- signatures */

/* The families of the elements at a coordinate or row, in any order. */
static uint64_t signature_of_list(const ze_survey *s, const ze_lists *l, int32_t at)
{
    uint64_t signature = 0;
    for (int32_t k = l->start[at]; k < l->start[at + 1]; k++)
        signature += zb_hash_scramble((uint64_t)s->family_of[l->list[k]] + 1);
    return signature;
}

/* What a body looks like with its joints, in any numbering. */
static uint64_t signature_of_body(const ze_survey *s, int32_t b)
{
    uint64_t signature = 0;
    for (int32_t c = s->coordinates.start[b]; c < s->coordinates.start[b + 1]; c++)
        signature +=
            zb_hash_scramble(signature_of_list(s, &s->at_coordinate, s->coordinates.list[c]));
    for (int32_t r = s->rows.start[b]; r < s->rows.start[b + 1]; r++) {
        int32_t row = s->rows.list[r],
                others = s->bodies_of.start[row + 1] - s->bodies_of.start[row];
        signature += zb_hash_mix((uint64_t)others, signature_of_list(s, &s->at_row, row));
    }
    return signature;
}

/* Nearly all bodies have the most frequent signature; more than `most_signatures` different ones:
 * false. */
static bool is_regular(const ze_survey *s, const ze_sample *x)
{
    uint64_t known[most_signatures];
    int32_t count[most_signatures] = {0}, used = 0, most = 0;
    for (int32_t i = 0; i < x->count; i++) {
        uint64_t signature = signature_of_body(s, x->body[i]);
        int32_t k = 0;
        while (k < used && known[k] != signature) k++;
        if (k == most_signatures) return false;
        if (k == used) known[used++] = signature;
        count[k]++;
    }
    for (int32_t k = 0; k < used; k++) most = count[k] > most ? count[k] : most;
    return (double)most > 0.995 * x->count - 3;
}

/* ---------------------------------------------------------------------------- all */

/* A small system is its own sample. */
static void take_all_bodies(const ze_survey *s, ze_sample *x, int32_t *taken)
{
    for (int32_t v = 0; v < s->bodies; v++) x->body[v] = v, taken[v] = v + 1;
    x->count = s->bodies;
    x->graph = s->graph;
}

/* The first ball has half of the bodies, the others share the rest. */
static zw_status take_balls(const ze_survey *s, zb_arena *arena, ze_sample *x, int32_t *taken)
{
    for (int k = 0; k < balls; k++) {
        int32_t first = (int32_t)((int64_t)s->bodies * k / balls);
        grow_ball(s, first, most_bodies / 2 + most_bodies / 2 * k / (balls - 1), x, taken);
    }
    number_sample_bodies(s, x, taken);
    return join_sample_bodies(s, arena, x, taken);
}

/* `taken` is a mark first, then the number of a body in the sample. */
zw_status ze_sample_take(const ze_survey *s, zb_arena *arena, ze_sample *x)
{
    *x = (ze_sample){.times = 1.0};
    int32_t most = s->bodies < most_bodies ? s->bodies : most_bodies;
    int32_t *taken = ZB_NEW_ARRAY(arena, int32_t, (size_t)s->bodies + 1);
    x->body = ZB_NEW_ARRAY(arena, int32_t, (size_t)most + 1);
    if (arena->failure != ZW_OK) return arena->failure;
    if (most == s->bodies)
        take_all_bodies(s, x, taken);
    else
        ZB_TRY(take_balls(s, arena, x, taken));
    ZB_TRY(find_sample_rows(s, arena, x, taken));
    x->times = (double)s->bodies / x->count;
    x->regular = is_regular(s, x);
    return ZW_OK;
}
