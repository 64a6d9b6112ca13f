/*
 * Lighter separators by moving nodes (Fiduccia and Mattheyses, 1982, for separators of nodes).
 *
 * A node of the separator may go to one of the sides; its neighbours on the other side then have to
 * come into the separator. What that gains is
 *
 *     the rows of the node - the rows of its neighbours on the other side,
 *
 * and may be negative. A pass takes the move with the largest gain over and over, each node once
 * at most, also where that makes the separator heavier for a while; when nothing better has come
 * for long it goes back to the best cut seen. Passes are repeated as long as they find one.
 *
 * Moves wait in two heaps, one a side. Among equal gains the latest is taken first: that keeps the
 * moves of a pass near to each other. Where both sides offer the same gain, a pass goes to one side
 * and the next pass to the other: so the whole separator wanders over places where nothing is won
 * and nothing lost, and finds shorter ones behind them. To take the lighter side there instead
 * keeps it where it is: 28 % more operations, measured on lattices and nets.
 */
#include <string.h>

#include "dissect.h"

/* How many passes, and how many moves without success one goes on for. */
enum { PASSES = 10, PATIENCE = 300 };

typedef struct waiting_move {
    int64_t key; /* gain * 2^32 + when it came */
    int32_t node;
} waiting_move;

typedef struct heap {
    int32_t count;
    waiting_move *move; /* [n] the largest key first; children of k: 2 k + 1, 2 k + 2 */
    int32_t *at;        /* [n] where a node stands, -1: nowhere */
} heap;

/* What a move changed. */
typedef struct change {
    int32_t node;
    int8_t was; /* its side */
} change;

struct za_refining {
    heap to[2];
    bool *moved;    /* [n] in this pass */
    change *change; /* [3 n] of this pass: a node comes in, goes out and comes in at most */
    int64_t changes, time;
    int favoured; /* side, where both moves gain the same */
};

za_refining *za_refining_create(zb_arena *arena, int32_t n)
{
    za_refining *r = ZB_NEW(arena, za_refining);
    if (!r) return NULL;
    for (int s = 0; s < 2; s++) {
        heap *h = &r->to[s];
        h->move = ZB_NEW_ARRAY(arena, waiting_move, n);
        h->at = ZB_NEW_ARRAY(arena, int32_t, n);
        if (!h->move || !h->at) return NULL;
        memset(h->at, -1, (size_t)n * sizeof *h->at);
    }
    r->moved = ZB_NEW_ARRAY(arena, bool, n);
    r->change = ZB_NEW_ARRAY(arena, change, zb_product(3, (size_t)n));
    return r->moved && r->change ? r : NULL;
}

/* ----------------------------------------------------------------------------- heaps */

static void put_move(heap *h, int32_t k, waiting_move move)
{
    h->move[k] = move;
    h->at[move.node] = k;
}

/* Finds the place for a move, from k on towards the top. */
static void sift_up(heap *h, int32_t k, waiting_move move)
{
    while (k > 0 && h->move[(k - 1) / 2].key < move.key) {
        put_move(h, k, h->move[(k - 1) / 2]);
        k = (k - 1) / 2;
    }
    put_move(h, k, move);
}

static void sift_down(heap *h, int32_t k, waiting_move move)
{
    for (;;) {
        int32_t child = 2 * k + 1;
        if (child >= h->count) break;
        if (child + 1 < h->count && h->move[child + 1].key > h->move[child].key) child++;
        if (h->move[child].key <= move.key) break;
        put_move(h, k, h->move[child]);
        k = child;
    }
    put_move(h, k, move);
}

static void heap_insert(heap *h, waiting_move move)
{
    sift_up(h, h->count++, move);
}

static void heap_remove(heap *h, int32_t node)
{
    int32_t k = h->at[node];
    if (k < 0) return;
    h->at[node] = -1;
    waiting_move last = h->move[--h->count];
    if (k == h->count) return;
    if (k > 0 && h->move[(k - 1) / 2].key < last.key)
        sift_up(h, k, last);
    else
        sift_down(h, k, last);
}

/* Adds to the gain of a node that is in the heap. */
static void heap_add(heap *h, int32_t node, int32_t gain)
{
    int32_t k = h->at[node];
    if (k < 0) return;
    waiting_move move = h->move[k];
    move.key += (int64_t)gain * ((int64_t)1 << 32);
    if (gain > 0)
        sift_up(h, k, move);
    else
        sift_down(h, k, move);
}

static void heap_clear(heap *h)
{
    for (int32_t k = 0; k < h->count; k++) h->at[h->move[k].node] = -1;
    h->count = 0;
}

/* ----------------------------------------------------------------------------- moves */

/* Offers both moves of a node of the separator. */
static void offer_moves(za_refining *r, const za_net *g, const za_cut *cut, int32_t v)
{
    int32_t around[3] = {0};
    for (int32_t p = g->start[v]; p < g->start[v + 1]; p++)
        around[cut->side[g->index[p]]] += g->weight[g->index[p]];
    for (int s = 0; s < 2; s++) {
        int64_t gain = (int64_t)g->weight[v] - around[1 - s];
        heap_insert(&r->to[s], (waiting_move){gain * ((int64_t)1 << 32) + r->time, v});
    }
    r->time++;
}

static void change_side(za_refining *r, const za_net *g, za_cut *cut, int32_t v, int8_t side)
{
    r->change[r->changes++] = (change){v, cut->side[v]};
    cut->rows[cut->side[v]] -= g->weight[v];
    cut->rows[side] += g->weight[v];
    cut->side[v] = side;
}

/* Node u leaves side 1 - s for the separator: for its neighbours there it is no longer in the way
 * to side s. */
static void pull_in(za_refining *r, const za_net *g, za_cut *cut, int32_t u, int s)
{
    change_side(r, g, cut, u, ZA_SEPARATOR);
    for (int32_t p = g->start[u]; p < g->start[u + 1]; p++)
        if (cut->side[g->index[p]] == ZA_SEPARATOR) heap_add(&r->to[s], g->index[p], g->weight[u]);
    if (!r->moved[u]) offer_moves(r, g, cut, u);
}

/* Node v of the separator goes to side s. */
static void move_node(za_refining *r, const za_net *g, za_cut *cut, int32_t v, int s)
{
    r->moved[v] = true;
    heap_remove(&r->to[0], v);
    heap_remove(&r->to[1], v);
    change_side(r, g, cut, v, (int8_t)s);
    for (int32_t p = g->start[v]; p < g->start[v + 1]; p++) {
        int32_t u = g->index[p];
        if (cut->side[u] == ZA_SEPARATOR)
            heap_add(&r->to[1 - s], u, -g->weight[v]);
        else if (cut->side[u] == 1 - s)
            pull_in(r, g, cut, u, s);
    }
}

/* The side that the best move goes to, -1: there is none that leaves the sides light enough. */
static int best_side(const za_refining *r, const za_net *g, const za_cut *cut, int32_t most)
{
    int64_t gain[2];
    bool may[2];
    for (int s = 0; s < 2; s++) {
        const heap *h = &r->to[s];
        may[s] = h->count > 0 && (cut->rows[s] <= most - g->weight[h->move[0].node] ||
                                  cut->rows[s] < cut->rows[1 - s]);
        gain[s] = may[s] ? h->move[0].key >> 32 : 0;
    }
    if (!may[0] || !may[1]) return may[0] ? 0 : may[1] ? 1 : -1;
    if (gain[0] != gain[1]) return gain[0] > gain[1] ? 0 : 1;
    return r->favoured;
}

/* ---------------------------------------------------------------------------- passes */

bool za_cut_better(const int32_t a[3], const int32_t b[3], int32_t most)
{
    int32_t heavy_a = a[0] > a[1] ? a[0] : a[1], heavy_b = b[0] > b[1] ? b[0] : b[1];
    int32_t over_a = heavy_a > most ? heavy_a : most, over_b = heavy_b > most ? heavy_b : most;
    if (over_a != over_b) return over_a < over_b;
    if (a[2] != b[2]) return a[2] < b[2];
    return heavy_a < heavy_b;
}

static void go_back(za_refining *r, const za_net *g, za_cut *cut, int64_t until)
{
    while (r->changes > until) {
        change c = r->change[--r->changes];
        cut->rows[cut->side[c.node]] -= g->weight[c.node];
        cut->rows[c.was] += g->weight[c.node];
        cut->side[c.node] = c.was;
    }
}

/* Whether the pass found a better cut. */
static bool pass_once(za_refining *r, const za_net *g, int32_t most, za_cut *cut)
{
    int32_t best[3], since = 0;
    int64_t kept = 0;
    r->changes = r->time = 0;
    memcpy(best, cut->rows, sizeof best);
    memset(r->moved, 0, (size_t)g->n);
    for (int32_t v = 0; v < g->n; v++)
        if (cut->side[v] == ZA_SEPARATOR) offer_moves(r, g, cut, v);
    for (int side; since < PATIENCE && (side = best_side(r, g, cut, most)) >= 0;) {
        move_node(r, g, cut, r->to[side].move[0].node, side);
        since++;
        if (!za_cut_better(cut->rows, best, most)) continue;
        memcpy(best, cut->rows, sizeof best);
        kept = r->changes;
        since = 0;
    }
    heap_clear(&r->to[0]);
    heap_clear(&r->to[1]);
    go_back(r, g, cut, kept);
    return kept > 0;
}

void za_cut_refine(za_refining *r, const za_net *net, int32_t most, za_cut *cut)
{
    for (int k = 0; k < PASSES; k++) {
        r->favoured = k % 2;
        if (!pass_once(r, net, most, cut)) break;
    }
}
