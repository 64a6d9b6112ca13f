/*
 * Approximate minimum degree ordering (Amestoy, Davis and Duff, SIAM J. Matrix Anal. Appl. 17,
 * 1996), after what order_graph.c has taken off the graph.
 *
 * Eliminating a variable p makes its neighbours Lp each other's neighbours. That is kept as an
 * element with the list Lp, which absorbs the elements p belonged to; so no list ever grows. The
 * degree of a variable i in Lp is not counted but bounded:
 *
 *     d_i = min(what it was + |Lp \ i|,  rows left - |i|,
 *               |A_i| + |Lp \ i| + sum over its elements e of |Le \ Lp|)
 *
 * where all |Le \ Lp| come from one walk over the elements of the members of Lp. On the way
 * elements inside Lp are absorbed, members without neighbours outside Lp are eliminated at once,
 * and members with equal lists are merged.
 *
 * Of the variables of smallest degree the one that came to it latest is taken: a neighbour of the
 * last pivot where there is one, so that chains and ladders are eliminated along. At the end the
 * order is made a postorder of the elimination tree, which leaves the fill as it is.
 *
 * Memory is taken at the beginning and given back at the end; nothing depends on addresses.
 */
#include "analyse.h"
#include "quotient.h"

/* --------------------------------------------------------------------- the pool */

/* Moves all lists that are still used to the front of the pool, in their order there. The first
 * entry of each is replaced by its node for that, as a negative number, and kept in start. */
static void compact_pool(za_quotient *g)
{
    for (int32_t i = 0; i < g->n; i++) {
        za_node *node = &g->node[i];
        if (node->length == 0) continue;
        int32_t first = g->pool[node->start];
        g->pool[node->start] = -1 - i;
        node->start = first;
    }
    int64_t to = 0;
    for (int64_t p = 0; p < g->used;) {
        int32_t entry = g->pool[p++];
        if (entry >= 0) continue;
        za_node *node = &g->node[-1 - entry];
        g->pool[to] = (int32_t)node->start;
        node->start = to++;
        for (int32_t k = 1; k < node->length; k++) g->pool[to++] = g->pool[p++];
    }
    g->used = to;
}

/* The node has no list any more. */
static void forget_list(za_quotient *g, int32_t i)
{
    g->node[i].length = g->node[i].elements = 0;
}

/* ------------------------------------------------------------------ the new element */

/* Takes a variable out of the list of its degree. */
static void unlink_variable(za_quotient *g, int32_t i)
{
    if (za_quotient_is_later(g, i)) return;
    za_link link = g->link[i];
    g->listed--;
    if (link.next >= 0) g->link[link.next].previous = link.previous;
    if (link.previous >= 0)
        g->link[link.previous].next = link.next;
    else
        g->head[g->degree[i]] = link.next;
}

/* Adds the variables of a list that are not yet in the element; returns where it then ends. */
static int64_t gather_variables(za_quotient *g, int64_t from, int32_t count, int64_t to,
                                int32_t *rows)
{
    for (int64_t p = from; p < from + count; p++) {
        int32_t i = g->pool[p], weight = g->weight[i];
        if (weight <= 0) continue;
        *rows += weight;
        g->weight[i] = -weight;
        unlink_variable(g, i);
        g->pool[to++] = i;
    }
    return to;
}

/* No more than this many entries come together in the element of p. */
static int64_t element_bound(const za_quotient *g, int32_t p)
{
    const za_node *node = &g->node[p];
    int64_t sum = node->length;
    for (int32_t k = 0; k < node->elements; k++) sum += g->node[g->pool[node->start + k]].length;
    return sum < g->rows ? sum : g->rows;
}

/* The element of p in the place of its list, or, where others are absorbed, at the end of the
 * pool. Its variables get negative weights and leave the lists by degree. */
static void make_element(za_quotient *g, int32_t p)
{
    if (g->node[p].elements > 0 && g->used + element_bound(g, p) > g->size) compact_pool(g);
    za_node old = g->node[p];
    int64_t start = old.elements > 0 ? g->used : old.start, end = start;
    int32_t rows = 0;
    g->weight[p] = -g->weight[p];
    for (int32_t k = 0; k < old.elements; k++) {
        int32_t e = g->pool[old.start + k];
        end = gather_variables(g, g->node[e].start, g->node[e].length, end, &rows);
        g->mark[e] = 0;
        forget_list(g, e);
    }
    end = gather_variables(g, old.start + old.elements, old.length - old.elements, end, &rows);
    if (old.elements > 0) g->used = end;
    g->node[p] = (za_node){start, (int32_t)(end - start), 0};
    g->degree[p] = rows;
    g->mark[p] = g->stamp;
}

/* ------------------------------------------------------------------------- degrees */

/* Stamps end here, and marks begin anew. */
#ifdef ZB_SMALL_TABLES
enum { LAST_STAMP = 5000 };
#else
enum { LAST_STAMP = INT32_MAX };
#endif

/* A stamp above all marks. One elimination adds to it three times the largest element at most. */
static void raise_stamp(za_quotient *g)
{
    if (g->stamp > LAST_STAMP - 4 * ((int64_t)g->largest + 1)) {
        for (int32_t i = 0; i < g->n; i++) g->mark[i] = g->mark[i] != 0;
        g->stamp = 1;
    }
    g->stamp++;
}

/* mark[e] = stamp + |Le \ Lp| for the elements of the members of Lp. */
static void measure_elements(za_quotient *g, int32_t p)
{
    const int32_t *list = g->pool + g->node[p].start;
    for (int32_t k = 0; k < g->node[p].length; k++) {
        int32_t weight = g->weight[list[k]]; /* negative */
        const za_node *node = &g->node[list[k]];
        const int32_t *elements = g->pool + node->start;
        for (int32_t m = 0; m < node->elements; m++) {
            int32_t e = elements[m];
            if (g->mark[e] >= g->stamp)
                g->mark[e] += weight;
            else if (g->mark[e] != 0)
                g->mark[e] = g->stamp + g->degree[e] + weight;
        }
    }
}

/* Keeps of the list of i what lies outside Lp, with p in front, and bounds how many rows that is.
 * There is room for p: it replaces itself or an element that it absorbed. */
static int32_t shorten_list(za_quotient *g, int32_t p, int32_t i)
{
    za_node *node = &g->node[i];
    int32_t *list = g->pool + node->start, kept = 0, degree = 0;
    uint32_t hash = 0;
    for (int32_t k = 0; k < node->elements; k++) {
        int32_t e = list[k], outside = g->mark[e] - g->stamp;
        if (g->mark[e] == 0) continue;
        if (outside == 0) { /* all of it lies in Lp */
            g->mark[e] = 0;
            forget_list(g, e);
            continue;
        }
        degree += outside;
        hash += (uint32_t)e;
        list[kept++] = e;
    }
    int32_t elements = kept;
    for (int32_t k = node->elements; k < node->length; k++) {
        int32_t j = list[k];
        if (g->weight[j] <= 0) continue;
        degree += g->weight[j];
        hash += (uint32_t)j;
        list[kept++] = j;
    }
    list[kept] = list[elements];
    list[elements] = list[0];
    list[0] = p;
    node->elements = elements + 1;
    node->length = kept + 1;
    g->hash[i] = hash;
    return degree;
}

/* Writes the rows of a variable, merged ones included, to the order. */
static void eliminate_variable(za_quotient *g, int32_t i, int32_t rows)
{
    g->rows -= rows;
    g->weight[i] = 0;
    for (int32_t m = i; m >= 0; m = g->member[m]) *g->order++ = g->name[m];
}

/* Members of Lp: their degrees as far as they lie outside Lp; those for which that is nothing are
 * eliminated with p; the others join the buckets. */
static void update_members(za_quotient *g, int32_t p)
{
    const int32_t *list = g->pool + g->node[p].start;
    for (int32_t k = 0; k < g->node[p].length; k++) {
        int32_t i = list[k], degree = shorten_list(g, p, i);
        if (degree == 0) {
            int32_t rows = -g->weight[i];
            g->degree[p] -= rows;
            forget_list(g, i);
            eliminate_variable(g, i, rows);
            continue;
        }
        if (degree < g->degree[i]) g->degree[i] = degree;
        int32_t *bucket = &g->bucket[g->hash[i] % (uint32_t)g->n];
        g->link[i].next = *bucket;
        *bucket = i;
    }
}

/* ------------------------------------------------------------------------- merging */

/* Whether j's list is the one that is marked, which is as long. */
static bool has_marked_list(const za_quotient *g, int32_t j)
{
    const int32_t *list = g->pool + g->node[j].start;
    for (int32_t k = 1; k < g->node[j].length; k++)
        if (g->mark[list[k]] != g->stamp) return false;
    return true;
}

/* What can be compared without looking at the lists. */
static bool may_be_equal(const za_quotient *g, int32_t i, int32_t j)
{
    return g->hash[i] == g->hash[j] && g->node[i].length == g->node[j].length &&
           g->node[i].elements == g->node[j].elements;
}

/* Merges those after i in its bucket that have the same list into it. Of two stages the earlier one
 * counts: once the one is eliminated the other causes no fill any more. */
static void merge_into(za_quotient *g, int32_t i)
{
    const int32_t *list = g->pool + g->node[i].start;
    int32_t before = i;
    bool marked = false;
    for (int32_t j = g->link[i].next; j >= 0; j = g->link[j].next) {
        bool equal = may_be_equal(g, i, j);
        if (equal && !marked) {
            g->stamp++;
            for (int32_t k = 1; k < g->node[i].length; k++) g->mark[list[k]] = g->stamp;
            marked = true;
        }
        if (equal && has_marked_list(g, j)) {
            za_quotient_merge(g, i, j);
            if (g->stage && g->stage[j] < g->stage[i]) g->stage[i] = g->stage[j];
            g->link[before].next = g->link[j].next;
        } else {
            before = j;
        }
    }
}

/* Merges members of Lp that have the same list. Equal lists have equal hashes, so only
 * those of one bucket are compared. */
static void merge_members(za_quotient *g, int32_t p)
{
    const int32_t *list = g->pool + g->node[p].start;
    for (int32_t k = 0; k < g->node[p].length; k++) {
        if (g->weight[list[k]] == 0) continue;
        int32_t *bucket = &g->bucket[g->hash[list[k]] % (uint32_t)g->n], i = *bucket;
        *bucket = -1; /* all of them now; later members find it empty */
        for (; i >= 0; i = g->link[i].next) merge_into(g, i);
    }
}

/* -------------------------------------------------------------------- elimination */

/* The element keeps the members that are left; they join the lists by degree again. */
static void finish_element(za_quotient *g, int32_t p)
{
    za_node *node = &g->node[p];
    int32_t *list = g->pool + node->start, kept = 0;
    for (int32_t k = 0; k < node->length; k++) {
        int32_t i = list[k], weight = -g->weight[i];
        if (weight == 0) continue;
        int32_t degree = g->degree[i] + g->degree[p] - weight, most = g->rows - weight;
        g->weight[i] = weight;
        g->degree[i] = degree < most ? degree : most;
        za_quotient_insert(g, i);
        list[kept++] = i;
    }
    if (node->start + node->length == g->used) g->used = node->start + kept;
    node->length = kept;
    if (kept == 0) g->mark[p] = 0;
    if (g->degree[p] > g->largest) g->largest = g->degree[p];
}

/* Lists the variables of the next stage that has any, the first to come first. */
static void open_stage(za_quotient *g)
{
    while (g->listed == 0) {
        g->now++;
        for (int32_t i = g->n - 1; i >= 0; i--)
            if (g->weight[i] > 0 && g->stage[i] == g->now) za_quotient_insert(g, i);
    }
}

/* The main loop: a variable of least degree, its element, the new degrees of the members. */
static void eliminate_all(za_quotient *g)
{
    while (g->rows > 0) {
        if (g->listed == 0) open_stage(g);
        while (g->head[g->least] < 0) g->least++;
        int32_t p = g->head[g->least], rows = g->weight[p];
        unlink_variable(g, p);
        make_element(g, p);
        eliminate_variable(g, p, rows);
        if (g->degree[p] > g->largest) g->largest = g->degree[p];
        raise_stamp(g);
        measure_elements(g, p);
        update_members(g, p);
        g->stamp += g->largest + 1; /* marks of elements are now below it */
        merge_members(g, p);
        finish_element(g, p);
    }
}

/* ------------------------------------------------------------------------ ordering */

/* Takes the variables of later stages out of the lists by degree. */
static zw_status set_stages(zb_arena *arena, za_stages_fn stages, za_quotient *g)
{
    int32_t *stage = ZB_NEW_ARRAY(arena, int32_t, g->n);
    if (!stage) return arena->failure;
    zb_mark mark = zb_arena_mark(arena);
    ZB_TRY(stages(arena, g, stage));
    zb_arena_release(arena, mark);
    for (int32_t i = 0; i < g->n; i++)
        if (g->weight[i] > 0 && stage[i] > 0) unlink_variable(g, i);
    g->stage = stage;
    return ZW_OK;
}

/* Peels what needs no graph, then orders the rest; order [n] is not yet a postorder. */
static zw_status order_rest(zb_arena *arena, const za_symmetric *x, za_stages_fn stages,
                            int32_t *order)
{
    za_quotient g;
    int32_t *degree = ZB_NEW_ARRAY(arena, int32_t, x->n);
    int32_t *work = ZB_NEW_ARRAY(arena, int32_t, x->n);
    if (!degree || !work) return arena->failure;
    int32_t done = za_order_peel(x, order, degree, work);
    if (done == x->n) return ZW_OK;
    ZB_TRY(za_quotient_begin(arena, x, degree, x->n - done, order + done, &g));
    if (stages) ZB_TRY(set_stages(arena, stages, &g));
    eliminate_all(&g);
    return ZW_OK;
}

/* The memory of the ordering is given back before that of the postorder is taken. */
zw_status za_order_in_stages(zb_memory *memory, const za_symmetric *x, za_stages_fn stages,
                             int32_t *order)
{
    zb_arena arena;
    zb_arena_init(&arena, memory, 0);
    zw_status status = order_rest(&arena, x, stages, order);
    zb_arena_clear(&arena);
    if (status == ZW_OK) status = za_make_postorder(&arena, x, order);
    zb_arena_clear(&arena);
    return status;
}

zw_status za_order_amd(zb_memory *memory, const za_symmetric *x, int32_t *order)
{
    return za_order_in_stages(memory, x, NULL, order);
}
