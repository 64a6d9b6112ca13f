/*
 * Before minimum degree ordering: what needs no quotient graph.
 *
 * Peeling. Rows with one neighbour or none cause no fill and leave a graph of the same kind, so
 * they go first; a chain or a tree is thereby done. A row keeps the number of its neighbours and
 * the exclusive or of their indices: when one is left, that is its index, and no list is searched.
 *
 * Merging. Rows with the same closed neighbourhood (the coordinates of one body, say) will be
 * eliminated together in any good order; they become one variable at once.
 *
 * Setting aside. A row with more than 10 sqrt(n) neighbours would appear in most lists and be
 * eliminated late anyhow: it goes last and is otherwise left out.
 */
#include <math.h>

#include "quotient.h"

/* -------------------------------------------------------------------------- peeling */

/* degree [n]: the neighbours of each row; others [n]: the exclusive or of their indices. */
static void count_row_neighbours(const za_symmetric *x, int32_t *degree, int32_t *others)
{
    for (int32_t i = 0; i < x->n; i++) degree[i] = others[i] = 0;
    for (int32_t i = 0; i < x->n; i++) {
        for (int32_t p = x->start[i]; p < x->start[i + 1] - 1; p++) {
            int32_t j = x->index[p];
            degree[i]++;
            degree[j]++;
            others[i] ^= j;
            others[j] ^= i;
        }
    }
}

/* Follows each chain from its end: the row, then the neighbour that is left, as long as
 * that has become an end itself. */
int32_t za_order_peel(const za_symmetric *x, int32_t *order, int32_t *degree, int32_t *work)
{
    int32_t *others = work, done = 0;
    count_row_neighbours(x, degree, others);
    for (int32_t i = 0; i < x->n; i++) {
        int32_t row = i;
        while (degree[row] == 0 || degree[row] == 1) {
            bool last = degree[row] == 0;
            order[done++] = row;
            degree[row] = -1;
            if (last) break;
            int32_t neighbour = others[row];
            degree[neighbour]--;
            others[neighbour] ^= row;
            row = neighbour;
        }
    }
    return done;
}

/* ------------------------------------------------------------------- the graph left */

/* The pool has room for all lists and the one being made; the more it has beyond that, the less
 * often lists are moved together. */
#ifdef ZB_SMALL_TABLES
enum { SPARE_SHARE = INT32_MAX };
#else
enum { SPARE_SHARE = 4 };
#endif

/* Arrays for `left` nodes and lists of `entries` entries together; the pool has some to spare. */
static zw_status take_graph_memory(zb_arena *arena, int32_t left, int64_t entries, za_quotient *g)
{
    size_t n = (size_t)left;
    g->size = entries + left + entries / SPARE_SHARE;
    g->n = g->rows = left;
    g->pool = ZB_NEW_ARRAY(arena, int32_t, g->size);
    g->node = ZB_NEW_ARRAY(arena, za_node, n);
    g->link = ZB_NEW_ARRAY(arena, za_link, n);
    g->hash = ZB_NEW_ARRAY(arena, uint32_t, n);
    int32_t **arrays[] = {&g->weight, &g->degree, &g->mark,   &g->head,
                          &g->bucket, &g->name,   &g->member, &g->tail};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        *arrays[k] = ZB_NEW_ARRAY(arena, int32_t, n + 1);
    return arena->failure;
}

/* Both triangles, without the rows that are peeled. `number`: of each row of X, its node. */
static void fill_neighbour_lists(const za_symmetric *x, const int32_t *degree,
                                 const int32_t *number, za_quotient *g)
{
    for (int32_t i = 0; i < x->n; i++) {
        if (degree[i] < 0) continue;
        za_node *a = &g->node[number[i]];
        for (int32_t p = x->start[i]; p < x->start[i + 1] - 1; p++) {
            int32_t j = x->index[p];
            if (degree[j] < 0) continue;
            za_node *b = &g->node[number[j]];
            g->pool[a->start + a->length++] = number[j];
            g->pool[b->start + b->length++] = number[i];
        }
    }
}

/* One variable of one row for each row that is left; lists get their
 * places in the pool and are empty. */
static void begin_nodes(const za_symmetric *x, const int32_t *degree, int32_t *number,
                        za_quotient *g)
{
    int32_t k = 0;
    for (int32_t i = 0; i < x->n; i++) {
        if (degree[i] < 0) continue;
        g->node[k].start = g->used;
        g->used += degree[i];
        g->name[k] = i;
        g->weight[k] = g->mark[k] = 1;
        g->member[k] = g->head[k] = g->bucket[k] = -1;
        g->tail[k] = k;
        number[i] = k++;
    }
    g->head[k] = -1;
    g->stamp = 1;
}

/* ----------------------------------------------------------------- merging, aside */

/* Both have the same neighbours; the rows of i are eliminated right after those of `into`. */
void za_quotient_merge(za_quotient *g, int32_t into, int32_t i)
{
    g->weight[into] += g->weight[i];
    g->weight[i] = 0;
    g->member[g->tail[into]] = i;
    g->tail[into] = g->tail[i];
    g->node[i].length = g->node[i].elements = 0;
}

/* The sum of the node and its neighbours is what is compared first; their mean is the bucket, as it
 * lies close to the node where the numbering is a natural one. */
static uint32_t closed_mean(za_quotient *g, int32_t i)
{
    const int32_t *list = g->pool + g->node[i].start;
    int32_t length = g->node[i].length;
    uint64_t sum = (uint64_t)i;
    for (int32_t p = 0; p < length; p++) sum += (uint64_t)list[p];
    g->hash[i] = (uint32_t)sum;
    return (uint32_t)(sum / ((uint64_t)length + 1));
}

/* Whether j and all its neighbours are marked; its list is as long as the one that was marked. */
static bool has_marked_neighbours(const za_quotient *g, int32_t j)
{
    const int32_t *list = g->pool + g->node[j].start;
    if (g->mark[j] != g->stamp) return false;
    for (int32_t p = 0; p < g->node[j].length; p++)
        if (g->mark[list[p]] != g->stamp) return false;
    return true;
}

/* Merges i into one before it with the same closed neighbourhood; else it joins the bucket. */
static void merge_equal(za_quotient *g, int32_t i)
{
    uint32_t bucket = closed_mean(g, i);
    const int32_t *list = g->pool + g->node[i].start;
    bool marked = false;
    for (int32_t j = g->bucket[bucket]; j >= 0; j = g->link[j].next) {
        if (g->hash[j] != g->hash[i] || g->node[j].length != g->node[i].length) continue;
        if (!marked) {
            g->mark[i] = ++g->stamp;
            for (int32_t p = 0; p < g->node[i].length; p++) g->mark[list[p]] = g->stamp;
            marked = true;
        }
        if (!has_marked_neighbours(g, j)) continue;
        za_quotient_merge(g, j, i);
        return;
    }
    g->link[i].next = g->bucket[bucket];
    g->bucket[bucket] = i;
}

/* Rows among the neighbours of a variable. */
static int32_t rows_around(const za_quotient *g, int32_t i)
{
    const int32_t *list = g->pool + g->node[i].start;
    int32_t sum = 0;
    for (int32_t p = 0; p < g->node[i].length; p++) sum += g->weight[list[p]];
    return sum;
}

/* Rows of a variable go to the end of the order, and the graph is without it. */
static void set_aside(za_quotient *g, int32_t i)
{
    g->rows -= g->weight[i];
    g->weight[i] = 0;
    g->node[i].length = 0;
    for (int32_t m = i; m >= 0; m = g->member[m]) *--g->aside = g->name[m];
}

/* In front of those of the same degree: the latest is taken first. */
void za_quotient_insert(za_quotient *g, int32_t i)
{
    if (za_quotient_is_later(g, i)) return;
    int32_t d = g->degree[i], old = g->head[d];
    g->link[i] = (za_link){old, -1};
    if (old >= 0) g->link[old].previous = i;
    g->head[d] = i;
    g->listed++;
    if (d < g->least) g->least = d;
}

/* Degrees among those that are not set aside; the first is to come first. */
static void begin_degree_lists(za_quotient *g)
{
    double most = 10.0 * sqrt(g->n);
    int32_t all = g->rows;
    for (int32_t i = 0; i < g->n; i++) g->degree[i] = g->weight[i] > 0 ? rows_around(g, i) : 0;
    for (int32_t i = g->n - 1; i >= 0; i--)
        if (g->degree[i] > 16 && g->degree[i] > most) set_aside(g, i);
    g->least = g->n;
    for (int32_t i = g->n - 1; i >= 0; i--) {
        if (g->weight[i] == 0) continue;
        if (g->rows < all) g->degree[i] = rows_around(g, i);
        za_quotient_insert(g, i);
    }
}

/* Memory, lists, equal rows merged, dense rows set aside, variables by degree. */
zw_status za_quotient_begin(zb_arena *arena, const za_symmetric *x, const int32_t *degree,
                            int32_t left, int32_t *order, za_quotient *g)
{
    int64_t entries = 0;
    *g = (za_quotient){.order = order, .aside = order + left};
    for (int32_t i = 0; i < x->n; i++) entries += degree[i] > 0 ? degree[i] : 0;
    ZB_TRY(take_graph_memory(arena, left, entries, g));
    zb_mark mark = zb_arena_mark(arena);
    int32_t *number = ZB_NEW_ARRAY(arena, int32_t, x->n);
    if (!number) return arena->failure;
    begin_nodes(x, degree, number, g);
    fill_neighbour_lists(x, degree, number, g);
    zb_arena_release(arena, mark);
    for (int32_t i = 0; i < g->n; i++) merge_equal(g, i);
    for (int32_t i = 0; i < g->n; i++) g->bucket[i] = -1;
    begin_degree_lists(g);
    return ZW_OK;
}
