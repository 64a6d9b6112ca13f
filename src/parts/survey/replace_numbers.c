/*
 * Numbers out of expressions, values in their place:
 *
 *     (x0 - x1)^2 - 0.53    ┐
 *     (x0 - x1)^2 - 0.61    ┘  ──▶  (x0 - x1)^2 - value 0,   0.53 / 0.61
 *
 * An expression is walked from its root with a stack; a node is listed when its operands are. So
 * numbers come in an order that depends on the expression alone.
 */
#include "replace_numbers.h"

/* As large as the pool is now: expressions that are added later cannot be walked. */
void ze_number_finder_open(ze_number_finder *l, ze_survey *s)
{
    size_t count = (size_t)s->pool.count;
    *l = (ze_number_finder){.s = s};
    l->stack = ZB_NEW_ARRAY(&s->arena, zx_node, 3 * count + 4);
    l->list = ZB_NEW_ARRAY(&s->arena, zx_node, count + 1);
    l->copy = ZB_NEW_ARRAY(&s->arena, zx_node, count + 1);
    l->done = ZB_NEW_ARRAY(&s->arena, uint32_t, count + 1);
}

static int node_operand_count(const zx_item *x)
{
    return x->op == ZX_POWI ? 1 : zx_operands((zx_op)x->op);
}

/* Puts an operand that is not listed yet on the stack. */
static int32_t push_unlisted(ze_number_finder *l, int32_t depth, zx_node node)
{
    if (l->done[node] != l->walk) l->stack[depth++] = node;
    return depth;
}

/* Lists the nodes below a root, operands before what uses them, each once. */
static void list_nodes_below(ze_number_finder *l, zx_node root)
{
    int32_t depth = 0;
    l->walk++;
    l->listed = 0;
    l->stack[depth++] = root;
    while (depth > 0) {
        zx_node node = l->stack[depth - 1];
        const zx_item *x = &l->s->pool.items[node];
        int32_t before = depth, operands = node_operand_count(x);
        if (l->done[node] == l->walk) {
            depth--;
            continue;
        }
        if (operands > 2) depth = push_unlisted(l, depth, x->c);
        if (operands > 1) depth = push_unlisted(l, depth, x->b);
        if (operands > 0) depth = push_unlisted(l, depth, x->a);
        if (depth > before) continue;
        l->done[node] = l->walk;
        l->list[l->listed++] = node;
        depth--;
    }
}

/* Equal numbers are one node, so that each is found once. */
zx_node *ze_numbers_below(ze_number_finder *l, zx_node root, int32_t *count)
{
    const zx_pool *pool = &l->s->pool;
    int32_t numbers = 0;
    list_nodes_below(l, root);
    for (int32_t k = 0; k < l->listed; k++) numbers += pool->items[l->list[k]].op == ZX_NUMBER;
    zx_node *found = ZB_NEW_ARRAY(&l->s->arena, zx_node, (size_t)numbers + 1);
    *count = 0;
    for (int32_t k = 0; k < l->listed; k++)
        if (pool->items[l->list[k]].op == ZX_NUMBER) found[(*count)++] = l->list[k];
    return found;
}

/* A node again, over the copies of its operands. */
static zx_node copy_with_new_operands(ze_number_finder *l, const zx_item *x)
{
    zx_pool *pool = &l->s->pool;
    const zx_node *copy = l->copy;
    zx_op op = (zx_op)x->op;
    if (op == ZX_POWI) return zx_power(pool, copy[x->a], x->b);
    switch (zx_operands(op)) {
    case 1:
        return zx_unary(pool, op, copy[x->a]);
    case 2:
        return zx_binary(pool, op, copy[x->a], copy[x->b]);
    default:
        return zx_select(pool, copy[x->a], copy[x->b], copy[x->c]);
    }
}

/* Copies from the leaves up; leaves that are no numbers stay. */
zx_node ze_replace_numbers(ze_number_finder *l, zx_node root, const int32_t *slot)
{
    zx_pool *pool = &l->s->pool;
    int32_t number = 0;
    list_nodes_below(l, root);
    for (int32_t k = 0; k < l->listed; k++) {
        zx_node node = l->list[k];
        zx_item x = pool->items[node]; /* the pool may move */
        l->copy[node] = node;
        if (x.op == ZX_NUMBER) {
            if (slot[number] >= 0) l->copy[node] = zx_leaf(pool, ZX_VALUE, slot[number]);
            number++;
        } else if (node_operand_count(&x) > 0) {
            l->copy[node] = copy_with_new_operands(l, &x);
        }
    }
    return l->copy[root];
}
