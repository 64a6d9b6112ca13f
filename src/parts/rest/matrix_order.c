/*
 * An order of elimination in which little waits for each other.
 *
 *     one after the other  1-2-3-4-5-6-7     each division waits for the one before
 *     shallow              1-4-1-6-1-4-1 ..  depth 1 first: many chains at a time
 *
 * Minimum degree as in eliminate.c, of equals the row with the least depth: one more than the
 * deepest of its neighbours that are gone. A processor has several divisions under way then, at the
 * same number of operations on chains; where the order of eliminate.c takes clearly fewer
 * operations, that one is taken.
 */
#include <string.h>

#include "eliminate.h"
#include "matrix_plan.h"

typedef struct graph {
    int32_t inner, count;
    bool *has;               /* [count * count] symmetric */
    int32_t *degree, *depth; /* [count] */
    bool *gone;
    int32_t *near; /* [count] */
} graph;

/* Neighbours of a row that are left. */
static int32_t count_degree(const graph *g, int32_t row)
{
    const bool *has = g->has + row * g->count;
    int32_t degree = 0;
    for (int32_t k = 0; k < g->count; k++) degree += has[k] && !g->gone[k] && k != row;
    return degree;
}

/* Least degree, of equals least depth, of these the first. */
static int32_t choose_shallow_pivot(const graph *g)
{
    int32_t best = -1;
    for (int32_t i = 0; i < g->inner; i++) {
        if (g->gone[i]) continue;
        bool better = best < 0 || g->degree[i] < g->degree[best] ||
                      (g->degree[i] == g->degree[best] && g->depth[i] < g->depth[best]);
        if (better) best = i;
    }
    return best;
}

/* Joins the neighbours of a pivot; how many there are. */
static int64_t eliminate_from_shallow_graph(graph *g, int32_t row)
{
    int32_t near = 0, count = g->count;
    g->gone[row] = true;
    for (int32_t k = 0; k < count; k++)
        if (!g->gone[k] && g->has[row * count + k]) g->near[near++] = k;
    for (int32_t a = 0; a < near; a++) {
        int32_t i = g->near[a];
        for (int32_t b = 0; b < near; b++) g->has[i * count + g->near[b]] = true;
        if (g->depth[i] <= g->depth[row]) g->depth[i] = g->depth[row] + 1;
    }
    for (int32_t a = 0; a < near; a++) g->degree[g->near[a]] = count_degree(g, g->near[a]);
    return near;
}

/* As ze_order_rows, for depth. fills becomes the pattern with fill. */
static int64_t order_shallow(zb_arena *scratch, int32_t inner, int32_t outer, bool *fills,
                             int32_t *order)
{
    int32_t count = inner + outer;
    int64_t operations = 0;
    graph g = {.inner = inner, .count = count, .has = fills};
    g.degree = ZB_NEW_ARRAY(scratch, int32_t, count);
    g.depth = ZB_NEW_ARRAY(scratch, int32_t, count);
    g.gone = ZB_NEW_ARRAY(scratch, bool, count);
    g.near = ZB_NEW_ARRAY(scratch, int32_t, count);
    for (int32_t i = 0; i < count; i++) g.degree[i] = count_degree(&g, i);
    for (int32_t k = 0; k < inner; k++) {
        order[k] = choose_shallow_pivot(&g);
        int64_t near = eliminate_from_shallow_graph(&g, order[k]);
        operations += 2 + near + near * (near + 1) + 4 * near;
    }
    return operations;
}

/* Both orders; the shallow one may take an eighth more operations. */
int64_t ze_order_row_class(zb_arena *scratch, int32_t inner, int32_t outer, bool *fills,
                           int32_t *order)
{
    zb_mark mark = zb_arena_mark(scratch);
    size_t all = (size_t)(inner + outer) * (size_t)(inner + outer);
    bool *other = ZB_NEW_ARRAY(scratch, bool, all);
    int32_t *shallow = ZB_NEW_ARRAY(scratch, int32_t, inner);
    memcpy(other, fills, all);
    int64_t deep = ze_order_rows(scratch, inner, outer, fills, order);
    int64_t flat = order_shallow(scratch, inner, outer, other, shallow);
    if (flat <= deep + deep / 8) {
        memcpy(fills, other, all);
        memcpy(order, shallow, (size_t)inner * sizeof *order);
        deep = flat;
    }
    zb_arena_release(scratch, mark);
    return deep;
}
