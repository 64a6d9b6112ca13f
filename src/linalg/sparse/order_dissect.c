/*
 * Nested dissection with minimum degree inside: for nets and lattices (George, SIAM J. Numer. Anal.
 * 10, 1973; Ashcraft and Liu, SIAM J. Matrix Anal. Appl. 19, 1998).
 *
 * A separator cuts the net in two, further ones cut the pieces, until they are small. Separators
 * are eliminated after what they separate, so that no fill comes from one side to the other. The
 * rest is left to minimum degree (order_amd.c), which works on the whole net in stages: first the
 * pieces, then the separators from the last to the first. So it counts, inside a piece, the
 * neighbours in the separators around as well, and orders the nodes of a separator too.
 *
 * What order_graph.c takes off the graph (rows with one neighbour, equal rows, rows with very many
 * neighbours) is taken off here as well, before anything is cut.
 *
 * Pieces wait on a stack; each is taken out as a net of its own while it is cut. Memory is taken
 * from the budget and given back at the end.
 */
#include "analyse.h"
#include "dissect.h"
#include "quotient.h"

/* Pieces of so few nodes are not cut, nor those that so many cuts led to. For the first cuts two
 * separators are tried: they are the largest and cost the most. The separators of so many cuts in
 * a row are ordered among each other: 3 to 4 % fewer operations than one cut after the other. A
 * separator of more than this share (1 / HEAVY) of the rows is not worth it. */
enum { SMALL = 200, DEEPEST = 30, FIRST_CUTS = 4, IN_A_ROW = 3, HEAVY = 6 };

typedef struct piece {
    int32_t first, end; /* nodes[first .. end) */
    int32_t depth;      /* cuts that led to it */
} piece;

typedef struct dissection {
    za_net net;
    int32_t *nodes;  /* [n] all nodes, those of a piece side by side */
    int32_t *piece;  /* [n] where the node's piece begins; -1: in a separator */
    int32_t *depth;  /* [n] of the cut that a separator makes; DEEPEST: in none */
    int32_t *local;  /* [n] its number in the net of its piece */
    piece *stack;    /* [n / SMALL + 2] */
    int32_t waiting; /* pieces on it */
} dissection;

/* --------------------------------------------------------------------------- the net */

/* Room for a net of n nodes. */
static zw_status init_net(zb_arena *arena, int32_t n, int64_t entries, za_net *net)
{
    *net = (za_net){.n = n};
    net->start = ZB_NEW_ARRAY(arena, int32_t, (size_t)n + 1);
    net->weight = ZB_NEW_ARRAY(arena, int32_t, n);
    net->index = ZB_NEW_ARRAY(arena, int32_t, entries);
    net->edge = ZB_NEW_ARRAY(arena, int32_t, entries);
    return net->start && net->weight && net->index && net->edge ? ZW_OK : arena->failure;
}

/* Nodes get their neighbours one after the other; node k is done when its rows are known. */
static void add_neighbour(za_net *net, int32_t *end, int32_t neighbour)
{
    net->index[*end] = neighbour;
    net->edge[(*end)++] = 1;
}

static void end_node(za_net *net, int32_t k, int32_t end, int32_t rows)
{
    net->start[k + 1] = end;
    net->weight[k] = rows;
    net->rows += rows;
}

/* The variables of the quotient graph and their neighbours. number [g->n]: of a variable, its
 * node. */
static void fill_net(const za_quotient *g, const int32_t *number, za_net *net)
{
    int32_t end = 0;
    for (int32_t i = 0; i < g->n; i++) {
        if (g->weight[i] == 0) continue;
        const int32_t *list = g->pool + g->node[i].start;
        for (int32_t k = 0; k < g->node[i].length; k++)
            if (g->weight[list[k]] > 0) add_neighbour(net, &end, number[list[k]]);
        end_node(net, number[i], end, g->weight[i]);
    }
}

/* The net of one piece. */
static zw_status take_out(zb_arena *arena, const dissection *d, const piece *from, za_net *net)
{
    int32_t n = from->end - from->first, end = 0;
    int64_t entries = 0;
    for (int32_t k = 0; k < n; k++) {
        int32_t v = d->nodes[from->first + k];
        d->local[v] = k;
        entries += d->net.start[v + 1] - d->net.start[v];
    }
    ZB_TRY(init_net(arena, n, entries, net));
    for (int32_t k = 0; k < n; k++) {
        int32_t v = d->nodes[from->first + k];
        for (int32_t p = d->net.start[v]; p < d->net.start[v + 1]; p++) {
            int32_t u = d->net.index[p];
            if (d->piece[u] == from->first) add_neighbour(net, &end, d->local[u]);
        }
        end_node(net, k, end, d->net.weight[v]);
    }
    return ZW_OK;
}

/* ----------------------------------------------------------------------------- cutting */

static void push_piece(dissection *d, int32_t first, int32_t end, int32_t depth)
{
    for (int32_t k = first; k < end; k++) d->piece[d->nodes[k]] = first;
    if (end - first > SMALL && depth < DEEPEST) d->stack[d->waiting++] = (piece){first, end, depth};
}

/* Sorts the nodes of a piece by side, each side in the order it had. work [n of the piece]. */
static void divide(dissection *d, const piece *whole, const int8_t *side, int32_t *work)
{
    int32_t n = whole->end - whole->first, *nodes = d->nodes + whole->first, end = 0, middle[3];
    for (int32_t k = 0; k < n; k++) work[k] = nodes[k];
    for (int s = 0; s < 3; s++) {
        for (int32_t k = 0; k < n; k++)
            if (side[k] == s) nodes[end++] = work[k];
        middle[s] = whole->first + end;
    }
    for (int32_t k = middle[1]; k < whole->end; k++) {
        d->piece[d->nodes[k]] = -1;
        d->depth[d->nodes[k]] = whole->depth;
    }
    push_piece(d, whole->first, middle[0], whole->depth + 1);
    push_piece(d, middle[0], middle[1], whole->depth + 1);
}

static zw_status cut_piece(zb_arena *arena, dissection *d, const piece *whole)
{
    za_net net;
    int32_t n = whole->end - whole->first;
    za_cut cut = {.side = ZB_NEW_ARRAY(arena, int8_t, n)};
    int32_t *work = ZB_NEW_ARRAY(arena, int32_t, n);
    if (!cut.side || !work) return arena->failure;
    ZB_TRY(take_out(arena, d, whole, &net));
    ZB_TRY(za_separate(arena, &net, whole->depth < FIRST_CUTS, &cut));
    bool worth = cut.rows[0] > 0 && cut.rows[1] > 0 && cut.rows[2] <= net.rows / HEAVY;
    if (worth) divide(d, whole, cut.side, work);
    return ZW_OK;
}

static zw_status dissect_net(zb_arena *arena, dissection *d)
{
    size_t n = (size_t)d->net.n;
    d->waiting = 0;
    int32_t **arrays[] = {&d->nodes, &d->piece, &d->depth, &d->local};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        *arrays[k] = ZB_NEW_ARRAY(arena, int32_t, n);
    d->stack = ZB_NEW_ARRAY(arena, piece, n / SMALL + 2);
    if (arena->failure != ZW_OK) return arena->failure;
    for (int32_t k = 0; k < d->net.n; k++) {
        d->nodes[k] = k;
        d->depth[k] = DEEPEST;
    }
    push_piece(d, 0, d->net.n, 0);
    while (d->waiting > 0) {
        piece next = d->stack[--d->waiting];
        zb_mark mark = zb_arena_mark(arena);
        ZB_TRY(cut_piece(arena, d, &next));
        zb_arena_release(arena, mark);
    }
    return ZW_OK;
}

/* ---------------------------------------------------------------------------- ordering */

/* Stages: what no cut touched first, the separators of the first cuts last. A graph with more
 * entries than can be counted stays in one stage. */
static zw_status stages_by_depth(zb_arena *arena, const za_quotient *g, int32_t *stage)
{
    dissection d;
    int32_t n = 0, *number = ZB_NEW_ARRAY(arena, int32_t, g->n);
    int64_t entries = 0;
    if (!number) return arena->failure;
    for (int32_t i = 0; i < g->n; i++) {
        if (g->weight[i] == 0) continue;
        entries += g->node[i].length;
        number[i] = n++;
    }
    if (entries > INT32_MAX) return ZW_OK;
    ZB_TRY(init_net(arena, n, entries, &d.net));
    fill_net(g, number, &d.net);
    ZB_TRY(dissect_net(arena, &d));
    for (int32_t i = 0; i < g->n; i++) {
        int32_t depth = g->weight[i] > 0 ? d.depth[number[i]] : DEEPEST;
        if (depth < DEEPEST) stage[i] = (DEEPEST - depth + IN_A_ROW - 1) / IN_A_ROW;
    }
    return ZW_OK;
}

zw_status za_order_dissect(zb_memory *memory, const za_symmetric *x, int32_t *order)
{
    return za_order_in_stages(memory, x, stages_by_depth, order);
}
