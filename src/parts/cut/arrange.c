/*
 * An order of the bodies of a part. Parts that are equal but for their numbers come out alike, most
 * of them, so that they need not be brought into canonical order one by one:
 *
 *     7──2──9──4 ...   8──1──3──6       a walk from a body that differs from the others, breadth
 *     ^ owns a row     ^                first, neighbours by what they look like
 *
 * A key is what a body looks like: its coordinates, the kinds and families of its rows, whether
 * they lead out of the part and to whom they belong then. Of equal keys the lower number goes
 * first: that loses an equality now and then and nothing else.
 */
#include "arrange.h"

enum { near_by = 64, most_compared = 200 };
static const uint64_t low = (UINT64_C(1) << 48) - 1; /* of a key */

/* An edge is long beyond `near_by` numbers; more than one for eight bodies are many. */
bool ze_is_scattered(const ze_survey *s)
{
    const ze_graph *g = &s->graph;
    int32_t far = 0;
    for (int32_t v = 0; v < g->count; v++)
        for (int32_t k = g->start[v]; k < g->start[v + 1]; k++) far += g->next[k] - v > near_by;
    return far > g->count / 8;
}

/* The arrays are of all bodies, so that a part needs no search. */
zw_status ze_arranger_open(const ze_survey *s, const int32_t *part, const int32_t *owner,
                           zb_arena *arena, ze_arranger *a)
{
    *a = (ze_arranger){.s = s, .part = part, .owner = owner};
    a->key = ZB_NEW_ARRAY(arena, uint64_t, (size_t)s->bodies + 1);
    a->rank = ZB_NEW_ARRAY(arena, int32_t, (size_t)s->bodies + 1);
    return arena->failure;
}

/* What a row looks like to one of its bodies: its kind and families, and where it leads out of the
 * part whether the body owns it. */
static uint64_t key_of_row(const ze_arranger *a, int32_t row, int32_t body)
{
    const ze_survey *s = a->s;
    uint64_t key = 8 * (uint64_t)s->system.kinds[row], out = 0;
    for (int32_t k = s->bodies_of.start[row]; k < s->bodies_of.start[row + 1]; k++)
        out |= a->part[s->bodies_of.list[k]] != a->part[body];
    if (out) key += a->owner[row] == body ? 2 : 1;
    for (int32_t k = s->at_row.start[row]; k < s->at_row.start[row + 1]; k++)
        key += zb_hash_scramble((uint64_t)s->family_of[s->at_row.list[k]] + 64);
    return zb_hash_scramble(key);
}

/* A sum, so that the order in which the rows of a body are listed does not matter. */
static uint64_t key_of_body(const ze_arranger *a, int32_t body)
{
    const ze_survey *s = a->s;
    uint64_t key = (uint64_t)(s->coordinates.start[body + 1] - s->coordinates.start[body]);
    for (int32_t k = s->rows.start[body]; k < s->rows.start[body + 1]; k++)
        key += key_of_row(a, s->rows.list[k], body);
    return key;
}

/* Whether body x goes before body y. */
static bool precedes_by_key(const ze_arranger *a, int32_t x, int32_t y)
{
    return a->key[x] < a->key[y] || (x < y && a->key[x] == a->key[y]);
}

/* Neighbours of a body in its part that have no rank yet, sorted, to order[end] on. */
static int32_t rank_neighbours(ze_arranger *a, int32_t body, int32_t *order, int32_t end)
{
    const ze_graph *g = &a->s->graph;
    int32_t from = end;
    for (int32_t k = g->start[body]; k < g->start[body + 1]; k++) {
        int32_t u = g->next[k], at = end;
        if (a->part[u] != a->part[body] || a->rank[u]) continue;
        for (; at > from && precedes_by_key(a, u, order[at - 1]); at--) order[at] = order[at - 1];
        order[at] = u;
        a->rank[u] = -1;
        end++;
    }
    for (int32_t k = from; k < end; k++) a->rank[order[k]] = k + 1;
    return end;
}

/* Keys of the bodies of a part, rare ones the smallest: a walk had better begin there. */
static void find_body_keys(ze_arranger *a, const int32_t *body, int32_t count)
{
    for (int32_t k = 0; k < count; k++) a->key[body[k]] = key_of_body(a, body[k]) >> 16;
    for (int32_t k = 0; k < count && count <= most_compared; k++) {
        uint64_t *key = &a->key[body[k]], times = 0;
        for (int32_t i = 0; i < count; i++) times += (a->key[body[i]] & low) == *key;
        *key |= times << 48;
    }
}

/* Breadth first from the first body by key; pieces that are not connected follow one another. */
void ze_arrange(ze_arranger *a, int32_t *body, int32_t count, int32_t *order)
{
    int32_t end = 0, at = 0;
    find_body_keys(a, body, count);
    while (end < count) {
        int32_t first = -1;
        for (int32_t k = 0; k < count; k++)
            if (!a->rank[body[k]] && (first < 0 || precedes_by_key(a, body[k], first)))
                first = body[k];
        order[end++] = first;
        a->rank[first] = end;
        for (; at < end; at++) end = rank_neighbours(a, order[at], order, end);
    }
    for (int32_t k = 0; k < count; k++) body[k] = order[k];
}

void ze_arranger_leave(ze_arranger *a, const int32_t *body, int32_t count)
{
    for (int32_t k = 0; k < count; k++) a->rank[body[k]] = 0;
}

/* The highest rank among the other bodies of a row; bodies of other parts come last, rows that the
 * body owns before those that it does not. */
int64_t ze_row_rank(const ze_arranger *a, int32_t row, int32_t body)
{
    const ze_lists *l = &a->s->bodies_of;
    int64_t rank = 0;
    for (int32_t k = l->start[row]; k < l->start[row + 1]; k++) {
        int32_t b = l->list[k];
        if (b == body) continue;
        int32_t own =
            a->part[b] == a->part[body] ? a->rank[b] : INT32_MAX - (a->owner[row] == body);
        rank = own > rank ? own : rank;
    }
    return rank;
}
