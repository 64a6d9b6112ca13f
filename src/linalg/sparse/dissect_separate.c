/*
 * A light separator of a net, on many levels.
 *
 * The net is made coarser over and over (dissect_coarsen.c) until few nodes are left. There
 * separators are cheap: from several nodes as far apart as may be, one side is grown, neighbour by
 * neighbour, until it holds half of the rows; what touches it is the separator; it is refined
 * (dissect_refine.c), and the best is taken. Then it is carried back level by level, and refined on
 * each: large pieces have moved on the coarse levels already, so on the fine ones only the edge of
 * it is left to be smoothed.
 *
 * Memory is taken from the arena and left to the caller to release.
 */
#include <string.h>

#include "dissect.h"

/* Nodes of the coarsest net; sides grown on it; how many levels there may be. */
enum { COARSEST = 100, TRIES = 8, LEVELS = 40 };

typedef struct level {
    za_net net;
    int32_t *to; /* [n] its nodes on the next, coarser level */
} level;

typedef struct separating {
    level level[LEVELS];
    int32_t count;
    int32_t most; /* rows of a side */
    bool last;    /* how nodes are paired */
    za_refining *refining;
} separating;

/* -------------------------------------------------------------------- the coarsest net */

typedef struct walk {
    int32_t *queue; /* [n] nodes in the order in which they are reached */
    bool *reached;  /* [n] */
} walk;

/* All nodes in the order of their distance from the first; where no neighbours are left, the walk
 * goes on at any other node. */
static void walk_from(const za_net *g, int32_t first, walk *w)
{
    int32_t end = 0, next = 0;
    memset(w->reached, 0, (size_t)g->n);
    w->queue[end++] = first;
    w->reached[first] = true;
    for (int32_t k = 0; k < g->n; k++) {
        if (k == end) {
            while (w->reached[next]) next++;
            w->queue[end++] = next;
            w->reached[next] = true;
        }
        int32_t v = w->queue[k];
        for (int32_t p = g->start[v]; p < g->start[v + 1]; p++) {
            int32_t u = g->index[p];
            if (w->reached[u]) continue;
            w->reached[u] = true;
            w->queue[end++] = u;
        }
    }
}

/* Three fifths: a lighter separator is worth that much. */
static int32_t most_of_side(const za_net *g)
{
    return (int32_t)((int64_t)g->rows * 3 / 5);
}

static void count_rows(const za_net *g, za_cut *cut)
{
    memset(cut->rows, 0, sizeof cut->rows);
    for (int32_t v = 0; v < g->n; v++) cut->rows[cut->side[v]] += g->weight[v];
}

static void copy_cut(const za_net *g, const za_cut *from, za_cut *to)
{
    memcpy(to->side, from->side, (size_t)g->n);
    memcpy(to->rows, from->rows, sizeof to->rows);
}

/* Side 0: the nodes of the queue up to half of the rows. */
static void grow_side(const za_net *g, const walk *w, za_cut *cut)
{
    int32_t rows = 0;
    memset(cut->side, 1, (size_t)g->n);
    for (int32_t k = 0; k < g->n && rows < g->rows / 2; k++) {
        rows += g->weight[w->queue[k]];
        cut->side[w->queue[k]] = 0;
    }
    for (int32_t v = 0; v < g->n; v++) {
        if (cut->side[v] != 0) continue;
        for (int32_t p = g->start[v]; p < g->start[v + 1]; p++)
            if (cut->side[g->index[p]] == 1) cut->side[g->index[p]] = ZA_SEPARATOR;
    }
    count_rows(g, cut);
}

static zw_status separate_coarsest(zb_arena *arena, const separating *s, const za_net *g,
                                   za_cut *cut)
{
    walk w = {.queue = ZB_NEW_ARRAY(arena, int32_t, g->n),
              .reached = ZB_NEW_ARRAY(arena, bool, g->n)};
    za_cut found = {.side = ZB_NEW_ARRAY(arena, int8_t, g->n)};
    if (!w.queue || !w.reached || !found.side) return arena->failure;
    int32_t first = 0;
    for (int32_t k = 0; k < TRIES; k++) {
        /* from a far end of the net, seen from anywhere; the next time from the opposite end */
        walk_from(g, k % 2 == 0 ? (int32_t)((int64_t)g->n * k / TRIES) : first, &w);
        walk_from(g, w.queue[g->n - 1], &w);
        first = w.queue[g->n - 1];
        grow_side(g, &w, &found);
        za_cut_refine(s->refining, g, s->most, &found);
        if (k > 0 && !za_cut_better(found.rows, cut->rows, s->most)) continue;
        copy_cut(g, &found, cut);
    }
    return ZW_OK;
}

/* -------------------------------------------------------------------------- the levels */

/* Coarser and coarser, as long as that is worth it. */
static zw_status make_levels(zb_arena *arena, separating *s)
{
    za_coarsening work;
    const za_net *finest = &s->level[0].net;
    za_pairs pairs = {1 + (int32_t)((int64_t)3 * finest->rows / (2 * COARSEST)), s->last};
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a net has its lists */
    int32_t entries = finest->start[finest->n];
    ZB_TRY(za_coarsening_init(arena, finest->n, entries, &work));
    for (s->count = 1; s->count < LEVELS; s->count++) {
        level *fine = &s->level[s->count - 1], *coarse = fine + 1;
        if (fine->net.n <= COARSEST) break;
        fine->to = ZB_NEW_ARRAY(arena, int32_t, fine->net.n);
        if (!fine->to) return arena->failure;
        ZB_TRY(za_net_coarsen(arena, &work, &fine->net, pairs, &coarse->net, fine->to));
        if (coarse->net.n > fine->net.n / 16 * 15) break;
    }
    return ZW_OK;
}

/* From the coarse net to the one before it, in place: coarse numbers are never larger. */
static void carry_back(const level *fine, za_cut *cut)
{
    for (int32_t v = fine->net.n - 1; v >= 0; v--) cut->side[v] = cut->side[fine->to[v]];
}

static zw_status separate_once(zb_arena *arena, const za_net *net, bool last, za_cut *cut)
{
    separating s = {.level[0].net = *net, .most = most_of_side(net), .last = last};
    s.refining = za_refining_create(arena, net->n);
    if (!s.refining) return arena->failure;
    ZB_TRY(make_levels(arena, &s));
    ZB_TRY(separate_coarsest(arena, &s, &s.level[s.count - 1].net, cut));
    for (int32_t k = s.count - 2; k >= 0; k--) {
        carry_back(&s.level[k], cut);
        za_cut_refine(s.refining, &s.level[k].net, s.most, cut);
    }
    return ZW_OK;
}

zw_status za_separate(zb_arena *arena, const za_net *net, bool again, za_cut *cut)
{
    ZB_TRY(separate_once(arena, net, false, cut));
    if (!again) return ZW_OK;
    za_cut other = {.side = ZB_NEW_ARRAY(arena, int8_t, net->n)};
    if (!other.side) return arena->failure;
    ZB_TRY(separate_once(arena, net, true, &other));
    if (!za_cut_better(other.rows, cut->rows, most_of_side(net))) return ZW_OK;
    copy_cut(net, &other, cut);
    return ZW_OK;
}
