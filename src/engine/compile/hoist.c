/*
 * Hoisting: what depends on parameters only is computed once, when they change. Such parts of the
 * fused programs, and of passes of whole families, become further values, behind the model's own,
 * and a program of their own, the *prelude*, computes them.
 *
 *     moving    depends on the state: stays
 *     fixed     on parameters, and used by what moves: a value; a parameter itself stays what it is
 *     constant  on nothing: stays, and is folded when the program is compiled
 */
#include "fused.h"
#include "lookups.h"
#include "switches.h"

enum { moving, fixed, constant };

/* What a node depends on: the state or slots of switches, parameters only, nothing; kind [nodes]:
 * of those before it. Values beyond the parameters are slots, or of data. */
static uint8_t find_dependence(const zx_pool *pool, const uint8_t *kind, int32_t parameters,
                               zx_node node)
{
    const zx_item *x = &pool->items[node];
    if (x->op <= ZX_BOUND) return constant;
    if (x->op == ZX_VALUE) return x->a < parameters ? fixed : moving;
    int operands = zr_count_operands(x);
    if (operands == 0) return moving;
    uint8_t least = kind[x->a];
    if (operands > 1 && kind[x->b] < least) least = kind[x->b];
    if (operands > 2 && kind[x->c] < least) least = kind[x->c];
    return least;
}

typedef struct hoister {
    zx_pool *from, *to;
    int32_t values;   /* of the model itself, and slots */
    zx_node *image;   /* [nodes] in the other pool */
    uint8_t *kind;    /* [nodes] moving, fixed or constant */
    bool *used;       /* [nodes] by a root, through nodes that move */
    zr_roots prelude; /* nodes of the first pool */
    int32_t *number;  /* [nodes] 1 + place in the prelude, or 0 */
} hoister;

/* The node in the pool of the programs: a fixed one becomes a value of its own. */
static zx_node find_hoisted_image(hoister *h, zx_node node)
{
    bool hoist = h->kind[node] == fixed && h->from->items[node].op != ZX_VALUE;
    if (!hoist) return h->image[node];
    if (h->number[node] == 0) {
        h->prelude.list[h->prelude.count++] = node;
        h->number[node] = h->prelude.count;
    }
    return zx_leaf(h->to, ZX_VALUE, h->values + h->number[node] - 1);
}

/* Copies a node that stays; those that become values are made where they are used. */
static void copy_unhoisted(hoister *h, zx_node node)
{
    zx_item item = h->from->items[node];
    int operands = zr_count_operands(&item);
    if (!h->used[node] || (h->kind[node] == fixed && item.op != ZX_VALUE)) return;
    if (operands > 0) item.a = find_hoisted_image(h, item.a);
    if (operands > 1) item.b = find_hoisted_image(h, item.b);
    if (operands > 2) item.c = find_hoisted_image(h, item.c);
    h->image[node] = zx_intern(h->to, &item);
}

/* From the roots down; below what becomes a value the programs need nothing. */
static void mark_needed_nodes(hoister *h, const zr_roots *roots, int count)
{
    const zx_pool *pool = h->from;
    for (int k = 0; k < count; k++)
        for (int32_t i = 0; i < roots[k].count; i++) h->used[roots[k].list[i]] = true;
    for (int32_t i = pool->count - 1; i >= 0; i--) {
        const zx_item *x = &pool->items[i];
        int operands = h->used[i] && h->kind[i] != fixed ? zr_count_operands(x) : 0;
        if (operands > 0) h->used[x->a] = true;
        if (operands > 1) h->used[x->b] = true;
        if (operands > 2) h->used[x->c] = true;
    }
}

/* Operands stand before the nodes that use them, so one pass over the pool is enough; nodes that
 * this adds to it come behind. */
zr_roots zr_hoist(zr_builder *b, const zr_hoisting *how, zr_roots *roots, int count)
{
    size_t all = (size_t)how->from->count;
    int32_t parameters = zr_first_lookup_value(b->model);
    hoister h = {.from = how->from, .to = how->to, .values = how->values};
    h.image = ZB_NEW_ARRAY(&b->scratch, zx_node, all);
    h.kind = ZB_NEW_ARRAY(&b->scratch, uint8_t, all);
    h.number = ZB_NEW_ARRAY(&b->scratch, int32_t, all);
    h.prelude.list = ZB_NEW_ARRAY(&b->scratch, zx_node, all);
    h.used = ZB_NEW_ARRAY(&b->scratch, bool, all);
    for (int32_t i = 0; i < how->known.count; i++) {
        h.prelude.list[h.prelude.count++] = how->known.list[i];
        h.number[how->known.list[i]] = h.prelude.count;
    }
    for (size_t i = 0; i < all; i++)
        h.kind[i] = find_dependence(h.from, h.kind, parameters, (zx_node)i);
    mark_needed_nodes(&h, roots, count);
    for (size_t i = 0; i < all; i++) copy_unhoisted(&h, (zx_node)i);
    for (int k = 0; k < count; k++)
        for (int32_t i = 0; i < roots[k].count; i++)
            roots[k].list[i] = find_hoisted_image(&h, roots[k].list[i]);
    return h.prelude;
}
