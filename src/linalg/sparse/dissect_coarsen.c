/*
 * Coarser nets for nested dissection: nodes are joined in pairs, the heaviest edges first
 * (Karypis and Kumar, SIAM J. Sci. Comput. 20, 1998).
 *
 * Each node in turn takes, of its neighbours that are still alone, the one with the heaviest edge
 * to it; among equals the lightest, and of those the first or the last, as asked. Edges between the
 * same pairs are added up. So what is tied together closely becomes one, and a separator of the
 * coarse net is one of the fine net, of the same weight.
 *
 * A node whose neighbours are all taken is joined to another such node that shares one of them:
 * without that a star, or a net of rows that touch a few points only, would hardly shrink. Nodes
 * without neighbours are joined to each other.
 *
 * Nodes are visited in the order of their numbers, and the coarse ones numbered as they are made:
 * where the numbers follow the shape of the net, memory is read nearly in a row.
 */
#include <string.h>

#include "dissect.h"

typedef struct pairing {
    const za_net *net;
    int32_t most;     /* rows of a pair */
    bool last;        /* of equals take the last, not the first */
    int32_t *mate;    /* [n] the node itself: alone; -1: not visited yet */
    int32_t *waiting; /* [n] a node that is alone and has this neighbour, -1: none */
    int32_t lonely;   /* a node without neighbours that is alone, -1: none */
} pairing;

static bool may_join(const pairing *m, int32_t a, int32_t b)
{
    return m->net->weight[a] <= m->most - m->net->weight[b];
}

/* The neighbour to join v to, -1: none. */
static int32_t heaviest_neighbour(const pairing *m, int32_t v)
{
    const za_net *g = m->net;
    int32_t best = -1, heaviest = 0;
    for (int32_t p = g->start[v]; p < g->start[v + 1]; p++) {
        int32_t u = g->index[p], edge = g->edge[p];
        if (edge < heaviest || m->mate[u] >= 0 || !may_join(m, u, v)) continue;
        if (edge == heaviest && g->weight[u] >= g->weight[best] + m->last) continue;
        best = u;
        heaviest = edge;
    }
    return best;
}

/* A node that is alone and shares a neighbour with v, -1: none; then v is the one to be found. */
static int32_t other_around(pairing *m, int32_t v)
{
    const za_net *g = m->net;
    for (int32_t p = g->start[v]; p < g->start[v + 1]; p++) {
        int32_t u = m->waiting[g->index[p]];
        if (u < 0 || !may_join(m, u, v)) continue;
        m->waiting[g->index[p]] = -1;
        if (m->mate[u] == u) return u;
    }
    if (g->start[v] < g->start[v + 1]) {
        m->waiting[g->index[g->start[v]]] = v;
        return -1;
    }
    int32_t u = m->lonely;
    m->lonely = u < 0 || !may_join(m, u, v) ? v : -1;
    return m->lonely == v ? -1 : u;
}

/* Fills to and mate; returns how many nodes the coarse net has. */
static int32_t pair_nodes(pairing *m, int32_t *to)
{
    int32_t count = 0, n = m->net->n;
    memset(m->mate, -1, (size_t)n * sizeof *m->mate);
    memset(m->waiting, -1, (size_t)n * sizeof *m->waiting);
    m->lonely = -1;
    for (int32_t v = 0; v < n; v++) {
        if (m->mate[v] >= 0) continue;
        int32_t u = heaviest_neighbour(m, v);
        bool joins_later = u < 0 && (u = other_around(m, v)) >= 0;
        if (u < 0) u = v;
        to[v] = joins_later ? to[u] : count++;
        to[u] = to[v];
        m->mate[u] = v;
        m->mate[v] = u;
    }
    return count;
}

/* Adds the edges of fine node v to those of coarse node c, which begin at `first` and end at `end`;
 * at [coarse n] where a neighbour stands. Returns the new end. */
static int32_t add_edges(const za_net *g, int32_t v, int32_t c, const int32_t *to, int32_t *at,
                         za_net *coarse, int32_t end)
{
    int32_t first = coarse->start[c];
    for (int32_t p = g->start[v]; p < g->start[v + 1]; p++) {
        int32_t d = to[g->index[p]];
        if (d == c) continue;
        if (at[d] >= first) {
            coarse->edge[at[d]] += g->edge[p];
            continue;
        }
        at[d] = end;
        coarse->index[end] = d;
        coarse->edge[end++] = g->edge[p];
    }
    return end;
}

/* The coarse net, into arrays that are large enough. Pairs come in the order of their first
 * nodes, which is that of the coarse numbers. */
static void join_lists(const za_net *g, const int32_t *mate, const int32_t *to, int32_t *at,
                       za_net *coarse)
{
    int32_t end = 0;
    memset(at, -1, (size_t)coarse->n * sizeof *at);
    for (int32_t v = 0; v < g->n; v++) {
        int32_t u = mate[v], c = to[v];
        if (u < v) continue;
        coarse->weight[c] = g->weight[v] + (u > v ? g->weight[u] : 0);
        end = add_edges(g, v, c, to, at, coarse, end);
        if (u > v) end = add_edges(g, u, c, to, at, coarse, end);
        coarse->start[c + 1] = end;
    }
}

static int32_t *copy_numbers(zb_arena *arena, const int32_t *from, int32_t count)
{
    return zb_arena_copy(arena, from, (size_t)count * sizeof *from, _Alignof(int32_t));
}

zw_status za_coarsening_init(zb_arena *arena, int32_t n, int32_t entries, za_coarsening *work)
{
    int32_t **arrays[] = {&work->mate, &work->waiting, &work->at, &work->weight};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        *arrays[k] = ZB_NEW_ARRAY(arena, int32_t, n);
    work->start = ZB_NEW_ARRAY(arena, int32_t, (size_t)n + 1);
    work->index = ZB_NEW_ARRAY(arena, int32_t, entries);
    work->edge = ZB_NEW_ARRAY(arena, int32_t, entries);
    return arena->failure;
}

zw_status za_net_coarsen(zb_arena *arena, const za_coarsening *work, const za_net *fine,
                         za_pairs pairs, za_net *coarse, int32_t *to)
{
    pairing m = {.net = fine,
                 .most = pairs.most,
                 .last = pairs.last,
                 .mate = work->mate,
                 .waiting = work->waiting};
    za_net made = {.rows = fine->rows,
                   .start = work->start,
                   .index = work->index,
                   .edge = work->edge,
                   .weight = work->weight};
    made.n = pair_nodes(&m, to);
    join_lists(fine, m.mate, to, work->at, &made);
    *coarse = made;
    coarse->start = copy_numbers(arena, made.start, made.n + 1);
    coarse->index = copy_numbers(arena, made.index, made.start[made.n]);
    coarse->edge = copy_numbers(arena, made.edge, made.start[made.n]);
    coarse->weight = copy_numbers(arena, made.weight, made.n);
    return arena->failure;
}
