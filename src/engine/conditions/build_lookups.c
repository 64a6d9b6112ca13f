/*
 * Calls of data become polynomials over values (lookups.h), in all families before anything is made
 * of them. What stood there is put back when the programs are complete, for it is what readers see;
 * drawings, of which programs are made later, stay as they are here.
 */
#include "lookups.h"

#include <string.h>

#include "switches.h"

/* ------------------------------------------------------------------------ lookups */

static zr_lookup *add_lookup(zr_builder *b)
{
    struct zr_lookups *l = b->model->lookups;
    if (l->count == l->capacity) {
        int32_t more = l->capacity > 0 ? 2 * l->capacity : 8;
        zr_lookup *list = ZB_NEW_ARRAY(b->arena, zr_lookup, (size_t)more);
        if (l->count > 0) memcpy(list, l->list, sizeof *list * (size_t)l->count);
        l->list = list;
        l->capacity = more;
    }
    return &l->list[l->count++];
}

static zx_node value_leaf(const zr_lookup *l, int32_t k)
{
    return zx_leaf(l->pool, ZX_VALUE, l->first + k);
}

/* The call of a table at an argument: found, or made. */
static zr_lookup *find_lookup(zr_builder *b, zx_pool *pool, int32_t table, zx_node argument)
{
    struct zr_lookups *all = b->model->lookups;
    for (int32_t k = 0; k < all->count; k++) {
        zr_lookup *l = &all->list[k];
        if (l->pool == pool && l->table == table && l->argument == argument) return l;
    }
    int32_t number = all->count;
    zr_lookup *l = add_lookup(b);
    *l = (zr_lookup){.table = table, .pool = pool, .argument = argument, .turn = -1};
    l->first = all->first_value + number * zr_piece_values;
    zw_status status = zk_compile(b->memory, pool, &argument, 1, &l->code);
    if (status != ZW_OK) zr_fail(b, status);
    size_t workspace = zk_workspace(l->code);
    if (workspace > b->model->workspace) b->model->workspace = workspace;
    zx_node way = zx_binary(pool, ZX_SUB, argument, value_leaf(l, zr_piece_from));
    way = zx_binary(pool, ZX_MUL, way, value_leaf(l, zr_piece_per_length));
    l->count = zx_binary(pool, ZX_ADD, value_leaf(l, zr_piece_number), way);
    return l;
}

/* The derivative of an order of c0 + s (c1 + s (c2 + s c3)), without the terms that the degree does
 * not have: from the inside out. */
static zx_node build_polynomial(const zr_lookup *l, int32_t degree, int32_t order)
{
    zx_pool *pool = l->pool;
    zx_node s = zx_binary(pool, ZX_SUB, l->argument, value_leaf(l, zr_piece_x)), sum = ZX_NONE;
    for (int32_t k = degree; k >= order; k--) {
        double factor = 1.0;
        for (int32_t i = k; i > k - order; i--) factor *= i;
        zx_node c = value_leaf(l, zr_piece_c + k);
        if (factor != 1.0) c = zx_binary(pool, ZX_MUL, zx_number(pool, factor), c);
        if (sum != ZX_NONE) sum = zx_binary(pool, ZX_MUL, s, sum);
        sum = sum == ZX_NONE ? c : zx_binary(pool, ZX_ADD, c, sum);
    }
    return sum == ZX_NONE ? zx_number(pool, 0.0) : sum;
}

/* ------------------------------------------------------------------------ families */

typedef struct lowering {
    zr_builder *b;
    zx_pool *pool;
    int32_t family;
    zx_node *image; /* [below_count] */
} lowering;

static bool is_motion(zm_kind kind)
{
    return kind <= ZM_CONSTRAINT || kind == ZM_GAP || kind == ZM_FRICTION;
}

static zx_node lower_call(lowering *w, zx_node argument, zx_node call)
{
    double code = 0.0;
    (void)zx_is_constant(w->pool, w->pool->items[call].b, &code);
    zx_tabulated is = zx_tabulated_by(code);
    zr_lookup *l = find_lookup(w->b, w->pool, is.table, argument);
    if (!l->moves) {
        l->moves = is_motion(w->b->zm->families[w->family].kind);
        l->family = w->family;
        l->written = call;
    }
    return build_polynomial(l, is.degree, is.order);
}

/* A node of b->below, over the images of its operands. */
static zx_node lower_node(lowering *w, zx_node node)
{
    zx_item item = w->pool->items[node];
    int operands = zr_count_operands(&item);
    zx_node x[3] = {item.a, item.b, item.c};
    bool same = true;
    for (int k = 0; k < operands; k++) {
        zx_node was = x[k];
        x[k] = w->image[zr_place_below(w->b, was)];
        same = same && x[k] == was;
    }
    if (item.op == ZX_TABLE) return lower_call(w, x[0], node);
    if (same) return node;
    if (item.op == ZX_POWI) return zx_power(w->pool, x[0], item.b);
    if (operands == 1) return zx_unary(w->pool, (zx_op)item.op, x[0]);
    return operands == 2 ? zx_binary(w->pool, (zx_op)item.op, x[0], x[1])
                         : zx_select(w->pool, x[0], x[1], x[2]);
}

static bool has_calls(const lowering *w)
{
    for (int32_t i = 0; i < w->b->below_count; i++)
        if (w->pool->items[w->b->below[i]].op == ZX_TABLE) return true;
    return false;
}

static void lower_family(zr_builder *b, int32_t family)
{
    const zm_family *f = &b->zm->families[family];
    bool drawn = f->kind == ZM_DRAW || f->kind == ZM_DRAW_DEFAULT;
    lowering w = {.b = b, .family = family};
    w.pool = f->kind == ZM_DRAW_DEFAULT ? &b->zm->pictures : &b->zm->pool;
    int32_t count;
    zx_node **at = zr_list_family_nodes(b, f, &count);
    if (count == 0) return;
    zx_node *roots = ZB_NEW_ARRAY(&b->scratch, zx_node, (size_t)count);
    for (int32_t i = 0; i < count; i++) roots[i] = *at[i];
    b->below = zx_below(w.pool, roots, count, &b->below_count);
    w.image = ZB_NEW_ARRAY(&b->scratch, zx_node, (size_t)b->below_count);
    if (has_calls(&w)) {
        for (int32_t i = 0; i < b->below_count; i++) w.image[i] = lower_node(&w, b->below[i]);
        if (!drawn) zr_keep_nodes(b, at, count);
        for (int32_t i = 0; i < count; i++) *at[i] = w.image[zr_place_below(b, roots[i])];
    }
    zr_free_below(b);
}

/* Values of lookups become values of the model, behind all others. */
static void add_lookup_values(zr_builder *b)
{
    zm_model *zm = b->zm;
    int32_t more = b->model->lookups->count * zr_piece_values;
    double *values = ZB_NEW_ARRAY(b->arena, double, (size_t)(zm->value_count + more));
    if (zm->value_count > 0) memcpy(values, zm->values, sizeof *values * (size_t)zm->value_count);
    zm->values = values;
    zm->value_count += more;
}

void zr_build_lookups(zr_builder *b)
{
    zm_model *zm = b->zm;
    if (zm->tables.count == 0) return;
    struct zr_lookups *l = b->model->lookups = ZB_NEW(b->arena, struct zr_lookups);
    l->first_value = zm->value_count;
    zm->pictures.escape = &b->escape;
    for (int32_t f = 0; f < zm->family_count; f++) lower_family(b, f);
    zm->pictures.escape = NULL;
    if (l->count == 0)
        b->model->lookups = NULL;
    else
        add_lookup_values(b);
}

void zr_free_lookups(zw_model *model)
{
    struct zr_lookups *l = model->lookups;
    for (int32_t k = 0; l && k < l->count; k++) zk_free(l->list[k].code);
    model->lookups = NULL;
}

int32_t zr_first_lookup_value(const zw_model *model)
{
    return model->lookups ? model->lookups->first_value : model->zm->value_count;
}

const zr_lookup *zr_lookup_of_value(const zw_model *model, int32_t value)
{
    const struct zr_lookups *l = model->lookups;
    if (!l || value < l->first_value || value >= model->zm->value_count) return NULL;
    return &l->list[(value - l->first_value) / zr_piece_values];
}
