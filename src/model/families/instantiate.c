/*
 * The pass zm_gather, from the raw families of elaboration to those of the model; and what the
 * slots of an instance are bound to. Small models, and shapes that occur only a few times, are
 * instantiated into one whole family for each kind, whose slots are the coordinates, values and
 * measures themselves; there equal subexpressions meet and constants fold. Shapes that occur often
 * are kept as they are, with their tables.
 *
 * How a whole family is laid out:
 *     ENERGY        roots T, V, other: each the sum over all instances
 *     DISSIPATION   one root, the sum
 *     ..._AT        the coordinates of all points, then those of all forces: half and half
 *     others        the roots of the items (or terms) one after the other in declared order;
 *                   an item's `where` says which are its own
 * Targets go by root: root k has targets[k] and orders[k], -1 when it has none (the condition of an
 * event); a MASS root has the two targets[2k], targets[2k + 1]. Kept families likewise.
 *
 * Tables and items of kept families are the raw ones' own blocks, cut to size: [count * stride]
 * and [count] ints of model->memory (items of terms: NULL), which zm_free releases. Those of the
 * others are freed here.
 */
#include <stddef.h>
#include <string.h>

#include "derive.h"

enum {
    WHOLE_LIMIT = 20000, /* nodes of a model that is instantiated altogether */
    KEEP_LEAST = 4,      /* instances of a shape that is worth a family */
};

/* The pass under way. */
typedef struct gathering {
    zm_builder *builder;
    zm_model *model;
    int32_t *number;              /* [raw] family that a raw one is kept as, -1: instantiated */
    int32_t whole[ZM_KIND_COUNT]; /* the whole family of a kind, -1: none */
    int32_t filled;               /* roots of the whole family at hand that are there */
} gathering;

/* Whether the instances of a kind belong to items of the model; those of the others are terms. */
static bool kind_has_items(zm_kind kind)
{
    return kind >= ZM_CONSTRAINT;
}

/* ----------------------------------------------------------------- instances */

/* A whole family, whose slots are the things themselves, has NULL everywhere. */
zm_binding zm_binding_of(const zm_model *model, const zm_family *family, int32_t instance)
{
    zm_binding b = {.model = model};
    if (family->whole || family->stride == 0) return b;
    b.coordinates = family->table + (int64_t)instance * family->stride;
    b.values = b.coordinates + family->coordinates;
    b.measures = b.values + family->values;
    return b;
}

/* Constants become literals, parameters and hidden values stay variables. */
zx_node zm_bind_leaf(void *user, zx_pool *to, const zx_item *leaf)
{
    const zm_binding *b = user;
    int32_t a = leaf->a;
    switch (leaf->op) {
    case ZX_NUMBER:
    case ZX_BOUND:
        return zx_number(to, zx_number_of(leaf));
    case ZX_POSITION:
    case ZX_VELOCITY:
    case ZX_ACCELERATION:
        return zx_leaf(to, (zx_op)leaf->op, b->coordinates ? b->coordinates[a] : a);
    case ZX_MEASURE:
        return zx_leaf(to, ZX_MEASURE, b->measures ? b->measures[a] : a);
    case ZX_VALUE:
        if (b->values) a = b->values[a];
        if (b->shown && zm_is_mask(b->model, a)) return zx_number(to, 1.0);
        if (a < b->model->parameter_count || a >= b->model->first_hidden)
            return zx_leaf(to, ZX_VALUE, a);
        return zx_number(to, b->model->values[a]);
    default:
        return zx_leaf(to, (zx_op)leaf->op, a);
    }
}

/* Roots [first, first + count) of one instance as expressions over the coordinates themselves, in
 * the pool of the model: out [count]. */
static void instantiate_roots(gathering *g, const zm_family *raw, int32_t instance, int32_t first,
                              int32_t count, zx_node *out)
{
    zm_binding b = zm_binding_of(g->model, raw, instance);
    zx_copy(zm_pool_of(g->model, raw->kind), zm_shapes_of(g->builder, raw->kind),
            raw->roots + first, count, zm_bind_leaf, &b, out);
}

/* ------------------------------------------------------------- kept families */

/* Cuts a growable block of ints to size; a block of no ints is released, and NULL. */
static int32_t *shrink_ints(zm_builder *builder, int32_t *block, int32_t capacity, int64_t count)
{
    if (!block) return NULL;
    size_t old = (size_t)capacity * sizeof(int32_t), size = (size_t)count * sizeof(int32_t);
    int32_t *fitted = zb_resize(builder->memory, block, old, size);
    if (!fitted && size > 0) longjmp(*builder->escape, 1);
    return fitted;
}

/* The raw family's blocks become the family's; the raw one keeps none. */
static void move_tables_to_family(zm_builder *builder, zm_raw_family *raw, zm_family *f)
{
    f->table =
        shrink_ints(builder, raw->family.table, raw->table_capacity, (int64_t)f->count * f->stride);
    raw->family.table = NULL;
    raw->table_capacity = 0;
    f->items = shrink_ints(builder, raw->family.items, raw->item_capacity,
                           kind_has_items(f->kind) ? f->count : 0);
    raw->family.items = NULL;
    raw->item_capacity = 0;
}

/* In the model's arena; NULL when there are none. */
static void *copy_ints_to_model(zm_model *model, const int32_t *numbers, int32_t count)
{
    if (!numbers || count == 0) return NULL;
    return zb_arena_copy(&model->arena, numbers, (size_t)count * sizeof(int32_t),
                         _Alignof(int32_t));
}

/* Makes raw family k a family of the model with its table. An energy gets three roots, T, V and
 * other, two of which are 0. */
static void keep_raw_family(gathering *g, int32_t k)
{
    zm_model *model = g->model;
    zm_raw_family *raw = &g->builder->raw.data[k];
    const zm_family *from = &raw->family;
    bool energy = from->kind == ZM_ENERGY;
    zm_family *f = &model->families[model->family_count];
    *f = *from;
    f->table = f->items = NULL;
    f->root_count = energy ? 3 : from->root_count;
    f->roots = ZB_NEW_ARRAY(&model->arena, zx_node, f->root_count);
    for (int32_t i = 0; i < f->root_count && energy; i++) f->roots[i] = zx_number(&model->pool, 0);
    zx_copy(zm_pool_of(model, f->kind), zm_shapes_of(g->builder, f->kind), from->roots,
            from->root_count, NULL, NULL, f->roots + (energy ? (int32_t)raw->energy : 0));
    f->targets = copy_ints_to_model(model, from->targets, from->target_count);
    f->orders = copy_ints_to_model(model, from->orders, from->target_count);
    g->number[k] = model->family_count++;
    move_tables_to_family(g->builder, raw, f);
}

/* ------------------------------------------------------------ whole families */

/* Whether raw family k is one to be instantiated into the whole family of a kind. */
static bool goes_into_whole(const gathering *g, int32_t k, zm_kind kind)
{
    const zm_family *raw = &g->builder->raw.data[k].family;
    return raw->kind == kind && raw->count > 0 && g->number[k] < 0;
}

/* How many coordinates each root of a kind is for. */
static int32_t count_targets_per_root(zm_kind kind)
{
    switch (kind) {
    case ZM_MASS:
        return 2;
    case ZM_FORCE:
    case ZM_NONIDEAL:
    case ZM_START_VALUE:
    case ZM_EVENT:
        return 1;
    default:
        return 0;
    }
}

/* An empty whole family with room for what will be in it; NULL when there is nothing. */
static zm_family *begin_whole_family(gathering *g, zm_kind kind)
{
    zm_model *model = g->model;
    int64_t roots = 0;
    zm_family *f = &model->families[model->family_count];
    for (int32_t k = 0; k < g->builder->raw.count; k++) {
        const zm_family *raw = &g->builder->raw.data[k].family;
        if (!goes_into_whole(g, k, kind)) continue;
        if (roots == 0) f->place = raw->place;
        roots += (int64_t)raw->count * raw->root_count;
    }
    if (roots == 0) return NULL;
    f->kind = kind;
    f->whole = true;
    f->count = 1;
    f->coordinates = model->n;
    f->values = model->value_count;
    f->measures = model->measure_count;
    f->root_count = kind == ZM_ENERGY ? 3 : kind == ZM_DISSIPATION ? 1 : (int32_t)roots;
    f->roots = ZB_NEW_ARRAY(&model->arena, zx_node, f->root_count);
    for (int32_t i = 0; i < f->root_count; i++) f->roots[i] = ZX_NONE;
    f->target_count = f->root_count * count_targets_per_root(kind);
    if (f->target_count > 0) {
        f->targets = ZB_NEW_ARRAY(&model->arena, int32_t, f->target_count);
        f->orders = ZB_NEW_ARRAY(&model->arena, int32_t, f->target_count);
    }
    if (!kind_has_items(kind)) f->origins = ZB_NEW_ARRAY(&model->arena, zm_origin, roots);
    g->whole[kind] = model->family_count++;
    g->filled = 0;
    return f;
}

/* The targets of roots [first, first + count) of an instance, as those of the family's roots from
 * `at` on. */
static void bind_instance_targets(zm_family *f, int32_t at, const zm_family *raw, int32_t instance,
                                  int32_t first, int32_t count)
{
    int32_t each = count_targets_per_root(f->kind);
    for (int32_t i = 0; i < count * each; i++) {
        int32_t from = first * each + i, to = at * each + i;
        int32_t slot = from < raw->target_count ? raw->targets[from] : -1;
        f->targets[to] = slot < 0 ? -1 : raw->table[(int64_t)instance * raw->stride + slot];
        f->orders[to] = slot < 0 || !raw->orders ? 0 : raw->orders[from];
    }
}

/* Appends roots of one instance to the whole family; where they are now. */
static zm_where append_item_roots(gathering *g, zm_family *f, const zm_family *raw,
                                  const zm_where *from)
{
    int32_t at = g->filled;
    instantiate_roots(g, raw, from->instance, from->root, from->count, f->roots + at);
    bind_instance_targets(f, at, raw, from->instance, from->root, from->count);
    g->filled += from->count;
    return (zm_where){g->whole[f->kind], 0, at, from->count};
}

static void add_node_to_sum(zx_pool *pool, zx_node *sum, zx_node term)
{
    *sum = *sum == ZX_NONE ? term : zx_binary(pool, ZX_ADD, *sum, term);
}

/* Where the author wrote each of these terms, for messages. */
static void note_term_origins(zm_family *f, const zm_raw_family *raw, int32_t instance,
                              const zx_node *nodes, int32_t count)
{
    zl_place place = instance < raw->place_count ? raw->places[instance] : raw->family.place;
    for (int32_t k = 0; k < count; k++)
        f->origins[f->origin_count++] = (zm_origin){nodes[k], place};
}

/* Adds one instance of a term to the whole family: energies are summed; points and forces go into
 * their halves; the rest is appended. */
static void append_term_roots(gathering *g, zm_family *f, const zm_raw_family *raw,
                              int32_t instance)
{
    int32_t half = raw->family.root_count / 2, at = g->filled, other = f->root_count / 2 + at;
    zx_node term;
    switch (f->kind) {
    case ZM_ENERGY:
    case ZM_DISSIPATION:
        instantiate_roots(g, &raw->family, instance, 0, 1, &term);
        add_node_to_sum(&g->model->pool, &f->roots[f->kind == ZM_ENERGY ? (int32_t)raw->energy : 0],
                        term);
        note_term_origins(f, raw, instance, &term, 1);
        break;
    case ZM_FORCE_AT:
    case ZM_NONIDEAL_AT:
        instantiate_roots(g, &raw->family, instance, 0, half, f->roots + at);
        instantiate_roots(g, &raw->family, instance, half, half, f->roots + other);
        note_term_origins(f, raw, instance, f->roots + at, half);
        note_term_origins(f, raw, instance, f->roots + other, half);
        g->filled += half;
        break;
    default:
        append_item_roots(g, f, &raw->family, &(zm_where){0, instance, 0, raw->family.root_count});
        note_term_origins(f, raw, instance, f->roots + at, raw->family.root_count);
    }
}

/* Terms, which no item refers to: by family, then by instance. */
static void gather_terms(gathering *g, zm_kind kind)
{
    zm_family *f = begin_whole_family(g, kind);
    for (int32_t k = 0; k < g->builder->raw.count && f; k++) {
        const zm_raw_family *raw = &g->builder->raw.data[k];
        if (!goes_into_whole(g, k, kind)) continue;
        for (int32_t i = 0; i < raw->family.count; i++) append_term_roots(g, f, raw, i);
    }
    for (int32_t i = 0; f && i < f->root_count; i++)
        if (f->roots[i] == ZX_NONE) f->roots[i] = zx_number(&g->model->pool, 0);
}

/* --------------------------------------------------------------------- items */

/* The items of one kind: an array of structs that hold a zm_where. */
typedef struct item_list {
    void *items;
    size_t size, offset;
    int32_t count;
} item_list;

#define ITEM_LIST(type, array, number)                                                             \
    (item_list)                                                                                    \
    {                                                                                              \
        (array), sizeof(type), offsetof(type, where), (number)                                     \
    }

/* The array of the model that holds the items of a kind; empty for terms. */
static item_list list_items_of_kind(const zm_model *model, zm_kind kind)
{
    switch (kind) {
    case ZM_CONSTRAINT:
        return ITEM_LIST(zm_constraint, model->constraints, model->constraint_count);
    case ZM_WEIGHT:
        return ITEM_LIST(zm_weight, model->weights, model->weight_count);
    case ZM_START_VALUE:
        return ITEM_LIST(zm_start_value, model->start_values, model->start_value_count);
    case ZM_START_EQUATION:
        return ITEM_LIST(zm_start_equation, model->start_equations, model->start_equation_count);
    case ZM_OUTPUT:
        return ITEM_LIST(zm_output, model->outputs, model->output_count);
    case ZM_EVENT:
        return ITEM_LIST(zm_event, model->events, model->event_count);
    case ZM_GAP:
        return ITEM_LIST(zm_contact, model->contacts, model->contact_count);
    case ZM_FRICTION:
        return ITEM_LIST(zm_friction, model->frictions, model->friction_count);
    case ZM_MOTOR:
        return ITEM_LIST(zm_motor, model->motors, model->motor_count);
    case ZM_RESTITUTION:
        return ITEM_LIST(zm_restitution, model->restitutions, model->restitution_count);
    case ZM_DRAW:
    case ZM_DRAW_DEFAULT:
        return ITEM_LIST(zm_drawing, model->drawings, model->drawing_count);
    default:
        return (item_list){0};
    }
}

/* Of the drawings, which two kinds share, whether this one is of a kind. */
static bool is_item_of_kind(const void *item, zm_kind kind)
{
    if (kind != ZM_DRAW && kind != ZM_DRAW_DEFAULT) return true;
    return ((const zm_drawing *)item)->fallback == (kind == ZM_DRAW_DEFAULT);
}

/* Items in declared order; their `where` is brought up to date. */
static void gather_items(gathering *g, zm_kind kind)
{
    item_list list = list_items_of_kind(g->model, kind);
    zm_family *f = begin_whole_family(g, kind);
    for (int32_t i = 0; i < list.count; i++) {
        char *item = (char *)list.items + (size_t)i * list.size;
        zm_where *where = (zm_where *)(void *)(item + list.offset);
        if (!is_item_of_kind(item, kind)) continue;
        if (where->family < 0) continue; /* all its rows were dropped */
        int32_t number = g->number[where->family];
        if (number >= 0)
            where->family = number;
        else if (f)
            *where = append_item_roots(g, f, &g->builder->raw.data[where->family].family, where);
    }
}

/* ---------------------------------------------------------------------- all */

/* Instances times nodes, which is about what instantiating everything would make. Default drawings
 * do not count: how a model is solved must not depend on them. */
static int64_t estimate_whole_size(const zm_builder *builder)
{
    int64_t size = 0;
    for (int32_t k = 0; k < builder->raw.count; k++) {
        const zm_raw_family *raw = &builder->raw.data[k];
        if (raw->family.kind != ZM_DRAW_DEFAULT) size += (int64_t)raw->family.count * raw->nodes;
    }
    return size;
}

/* What the kept families have not taken over. */
static void release_raw_tables(zm_builder *builder)
{
    for (int32_t k = 0; k < builder->raw.count; k++) {
        zm_raw_family *raw = &builder->raw.data[k];
        raw->family.table = shrink_ints(builder, raw->family.table, raw->table_capacity, 0);
        raw->family.items = shrink_ints(builder, raw->family.items, raw->item_capacity, 0);
        raw->table_capacity = raw->item_capacity = 0;
    }
}

/* Whether data are called in a raw family: each call has a piece of its own, so it is not kept. */
static bool calls_data(zm_builder *builder, const zm_family *raw)
{
    zx_pool *pool = zm_shapes_of(builder, raw->kind);
    int32_t count;
    bool found = false;
    if (builder->model->tables.count == 0) return false;
    zx_node *below = zx_below(pool, raw->roots, raw->root_count, &count);
    for (int32_t k = 0; k < count && !found; k++) found = pool->items[below[k]].op == ZX_TABLE;
    zb_resize(pool->memory, below, zb_product((size_t)count, sizeof *below), 0);
    return found;
}

/* Kind by kind: shapes that occur often are kept, unless the model is small; the rest goes into the
 * whole family of the kind. */
void zm_gather(zm_builder *builder)
{
    zm_model *model = builder->model;
    gathering g = {.builder = builder, .model = model};
    int32_t raw_count = builder->raw.count;
    bool all = estimate_whole_size(builder) <= WHOLE_LIMIT;
    model->families = ZB_NEW_ARRAY(&model->arena, zm_family, raw_count + ZM_KIND_COUNT);
    g.number = ZB_NEW_ARRAY(&model->arena, int32_t, raw_count);
    for (int32_t k = 0; k < raw_count; k++) g.number[k] = -1;
    for (int kind = 0; kind < ZM_KIND_COUNT; kind++) {
        g.whole[kind] = -1;
        for (int32_t k = 0; k < raw_count && !all; k++) {
            const zm_family *f = &builder->raw.data[k].family;
            if (f->kind == (zm_kind)kind && f->count >= KEEP_LEAST && !calls_data(builder, f))
                keep_raw_family(&g, k);
        }
        if (kind_has_items((zm_kind)kind))
            gather_items(&g, (zm_kind)kind);
        else
            gather_terms(&g, (zm_kind)kind);
    }
    release_raw_tables(builder);
}
