/*
 * The subgraph below some nodes: collecting it in index order; lists, counts and copies of it.
 * What a walk costs depends on the nodes it visits and not on the pool: visited nodes carry the
 * number of the walk in pool->marks, so nothing needs to be cleared.
 */
#include <string.h>

#include "walk.h"

/* -------------------------------------------------------------- collecting */

/* A number that no node carries as its mark. */
static uint32_t take_walk_number(zx_pool *pool)
{
    if (pool->walk == UINT32_MAX) { /* numbers start again */
        memset(pool->marks, 0, (size_t)pool->room[3] * sizeof *pool->marks);
        pool->walk = 0;
    }
    return ++pool->walk;
}

/* Appends a node to pool->list, where `found` nodes stand, unless this walk has done so before;
 * returns how many stand there now. */
static int32_t list_once(zx_pool *pool, zx_node node, uint32_t walk, int32_t found)
{
    if (pool->marks[node] == walk) return found;
    pool->marks[node] = walk;
    pool->list[found] = node;
    return found + 1;
}

/* Merges sorted pieces of `width` nodes of from [count] into pieces of twice the width of to
 * [count]. */
static void merge_sorted_pieces(const zx_node *from, zx_node *to, int32_t count, int64_t width)
{
    for (int64_t start = 0; start < count; start += 2 * width) {
        int64_t middle = start + width < count ? start + width : count;
        int64_t end = start + 2 * width < count ? start + 2 * width : count;
        int64_t i = start, j = middle;
        for (int64_t k = start; k < end; k++)
            to[k] = i < middle && (j == end || from[i] < from[j]) ? from[i++] : from[j++];
    }
}

/* list [count], in place; for short lists. */
static void sort_by_insertion(zx_node *list, int32_t count)
{
    for (int32_t i = 1; i < count; i++) {
        zx_node node = list[i];
        int32_t k = i;
        for (; k > 0 && list[k - 1] > node; k--) list[k] = list[k - 1];
        list[k] = node;
    }
}

/* Sorts pool->list [count] bottom up, with a second list from the scratch arena. */
static void sort_by_merging(zx_pool *pool, int32_t count)
{
    zb_mark mark = zb_arena_mark(&pool->scratch);
    zx_node *from = pool->list, *to = zx_scratch(pool, count, sizeof *to);
    for (int64_t width = 1; width < count; width *= 2) {
        merge_sorted_pieces(from, to, count, width);
        zx_node *swap = from;
        from = to, to = swap;
    }
    if (from != pool->list) memcpy(pool->list, from, (size_t)count * sizeof *from);
    zb_arena_release(&pool->scratch, mark);
}

/* Puts pool->list [count] into index order: where it is dense by reading the marks between its
 * ends, else by sorting. */
static void sort_list(zx_pool *pool, int32_t count)
{
    enum { SHORT = 24, SPARSE = 8 };
    if (count <= SHORT) {
        sort_by_insertion(pool->list, count);
        return;
    }
    zx_node low = pool->list[0], high = low;
    for (int32_t i = 1; i < count; i++) {
        if (pool->list[i] < low) low = pool->list[i];
        if (pool->list[i] > high) high = pool->list[i];
    }
    if (high / SPARSE - low / SPARSE > count) {
        sort_by_merging(pool, count);
        return;
    }
    int32_t k = 0;
    for (zx_node i = low; k < count; i++)
        if (pool->marks[i] == pool->walk) pool->list[k++] = i;
}

/* A breadth-first search whose queue is pool->list itself. */
int32_t zx_collect(zx_pool *pool, const zx_node *roots, int32_t count, bool unrated)
{
    if (count == 0) return 0;
    uint32_t walk = take_walk_number(pool);
    int32_t found = 0;
    for (int32_t i = 0; i < count; i++) found = list_once(pool, roots[i], walk, found);
    /* the list is the queue of nodes whose operands are still to be seen */
    for (int32_t k = 0; k < found; k++) {
        const zx_item *item = &pool->items[pool->list[k]];
        int operands = zx_operands((zx_op)item->op);
        if (unrated && pool->rates[pool->list[k]] != ZX_UNKNOWN) continue;
        if (operands > 0) found = list_once(pool, item->a, walk, found);
        if (operands > 1) found = list_once(pool, item->b, walk, found);
        if (operands > 2) found = list_once(pool, item->c, walk, found);
    }
    sort_list(pool, found);
    return found;
}

/* ------------------------------------------------------------------- walks */

/* The item with its operands as positions in the walk. */
static zx_item locate_operands(const zx_pool *pool, zx_item item)
{
    int operands = zx_operands((zx_op)item.op);
    if (operands > 0) item.a = pool->places[item.a];
    if (operands > 1) item.b = pool->places[item.b];
    if (operands > 2) item.c = pool->places[item.c];
    return item;
}

/* Nodes below the roots, sorted; their operands and the roots as positions among them. */
zx_walk zx_walk_begin(zx_pool *pool, const zx_node *roots, int32_t count)
{
    zx_walk walk = {.mark = zx_scratch_mark(pool)};
    walk.count = zx_collect(pool, roots, count, false);
    walk.steps = zx_scratch(pool, walk.count, sizeof *walk.steps);
    walk.roots = zx_scratch(pool, count, sizeof *walk.roots);
    for (int32_t i = 0; i < walk.count; i++) {
        zx_node node = pool->list[i];
        pool->places[node] = i;
        walk.steps[i] = (zx_step){.node = node, .item = locate_operands(pool, pool->items[node])};
    }
    for (int32_t i = 0; i < count; i++) walk.roots[i] = pool->places[roots[i]];
    return walk;
}

void zx_walk_end(zx_pool *pool, const zx_walk *walk)
{
    zb_arena_release(&pool->scratch, walk->mark);
}

/* ----------------------------------------------------------------- looking */

zx_node *zx_below(zx_pool *pool, const zx_node *roots, int32_t count, int32_t *below_count)
{
    int32_t found = zx_collect(pool, roots, count, false);
    size_t size = (size_t)found * sizeof(zx_node);
    *below_count = found;
    if (found == 0) return NULL;
    zx_node *list = zb_resize(pool->memory, NULL, 0, size);
    if (list)
        memcpy(list, pool->list, size);
    else
        zx_escape(pool);
    return list;
}

zx_reach zx_reaches(zx_pool *pool, const zx_node *roots, int32_t count)
{
    bool seen[ZX_OP_COUNT] = {false};
    int32_t found = zx_collect(pool, roots, count, false);
    for (int32_t i = 0; i < found; i++) seen[pool->items[pool->list[i]].op] = true;
    return (zx_reach){.time = seen[ZX_TIME],
                      .position = seen[ZX_POSITION],
                      .velocity = seen[ZX_VELOCITY],
                      .acceleration = seen[ZX_ACCELERATION],
                      .value = seen[ZX_VALUE],
                      .measure = seen[ZX_MEASURE]};
}

/* Multiplications of a power by squaring, and the division of a negative one. */
static int64_t count_power_operations(int32_t exponent)
{
    int64_t count = exponent < 0;
    uint32_t e = exponent < 0 ? 0u - (uint32_t)exponent : (uint32_t)exponent;
    for (; e > 1; e >>= 1) count += 1 + (e & 1);
    return count;
}

int64_t zx_operation_count(zx_pool *pool, const zx_node *roots, int32_t count)
{
    int64_t operations = 0;
    int32_t found = zx_collect(pool, roots, count, false);
    for (int32_t i = 0; i < found; i++) {
        const zx_item *item = &pool->items[pool->list[i]];
        if (item->op == ZX_POWI)
            operations += count_power_operations(item->b);
        else
            operations += !zx_is_leaf(item->op);
    }
    return operations;
}

/* ----------------------------------------------------------------- copying */

/* What `leaf` makes of it, else the same leaf. */
static zx_node copy_leaf(zx_pool *to, const zx_item *item, zx_leaf_fn leaf, void *user)
{
    zx_node node = leaf && item->op != ZX_NUMBER ? leaf(user, to, item) : ZX_NONE;
    return node != ZX_NONE ? node : zx_intern(to, item);
}

/* The operation of item built anew in `to`; copies [walk] are those of the steps before. */
static zx_node copy_operation(zx_pool *to, const zx_item *item, const zx_node *copies)
{
    zx_op op = (zx_op)item->op;
    if (op == ZX_POWI) return zx_power(to, copies[item->a], item->b);
    switch (zx_operands(op)) {
    case 1:
        return zx_unary(to, op, copies[item->a]);
    case 2:
        return zx_binary(to, op, copies[item->a], copies[item->b]);
    default:
        return zx_select(to, copies[item->a], copies[item->b], copies[item->c]);
    }
}

void zx_copy(zx_pool *to, zx_pool *from, const zx_node *roots, int32_t count, zx_leaf_fn leaf,
             void *user, zx_node *out)
{
    zx_walk walk = zx_walk_begin(from, roots, count);
    zx_node *copies = zx_scratch(from, walk.count, sizeof *copies);
    for (int32_t i = 0; i < walk.count; i++) {
        const zx_item *item = &walk.steps[i].item;
        copies[i] = zx_is_leaf(item->op) ? copy_leaf(to, item, leaf, user)
                                         : copy_operation(to, item, copies);
    }
    for (int32_t i = 0; i < count; i++) out[i] = copies[walk.roots[i]];
    zx_walk_end(from, &walk);
}
