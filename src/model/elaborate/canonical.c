/*
 * Finding instances of one shape. An instance's expressions are copied from the pool `world` into
 * the pool of shapes, with their leaves renumbered in the order in which they are met: coordinate
 * slots, value slots (parameters, and numbers that came through names), measure slots. That is a
 * canonical form: the pool holds equal expressions once, so instances whose copies are the same
 * nodes have the same shape and share a family; only the row of bindings differs. Nothing here
 * depends on what else is in the pool `world`.
 */
#include "elaborate.h"

#include <string.h>

enum { PLACES = 1000 }; /* of instances of a family that are noted */

#define GROW_TO(e, array, size, value)                                                             \
    do {                                                                                           \
        while ((e)->array.count < (size)) ZM_PUSH(e, array, value);                                \
    } while (0)

/* ------------------------------------------------------------------ leaves to slots */

/* The slot of coordinate, parameter or measure k in this instance, a new one when it is met for the
 * first time. */
static int32_t slot_of_leaf(zm_elab *e, zm_slots *slots, int32_t k)
{
    while (slots->stamp.count <= k)
        if (!zb_array_push(e->memory, &slots->stamp, 0)) zm_out_of_memory(e);
    while (slots->slot.count <= k)
        if (!zb_array_push(e->memory, &slots->slot, 0)) zm_out_of_memory(e);
    if (slots->stamp.data[k] != e->canonical.stamp) {
        slots->stamp.data[k] = e->canonical.stamp;
        slots->slot.data[k] = slots->row.count;
        if (!zb_array_push(e->memory, &slots->row, k)) zm_out_of_memory(e);
    }
    return slots->slot.data[k];
}

static bool is_same_constant(const void *pool, const void *key, int32_t index)
{
    const zm_elab *e = pool;
    return zb_bits(e->canonical.constants.data[index]) == zb_bits(*(const double *)key);
}

/* A new value slot for a constant. Constants are kept once; in the tables constant k is -1 - k
 * until all parameters are known. */
static int32_t slot_of_constant(zm_elab *e, double number)
{
    uint64_t hash = zb_hash_scramble(zb_bits(number));
    int32_t k = zb_table_find(&e->canonical.constant_table, hash, is_same_constant, e, &number);
    if (k < 0) {
        k = e->canonical.constants.count;
        ZM_PUSH(e, canonical.constants, number);
        if (!zb_table_insert(e->memory, &e->canonical.constant_table, hash, k)) zm_out_of_memory(e);
    }
    ZM_PUSH(e, canonical.value_slots.row, -1 - k);
    return e->canonical.value_slots.row.count - 1;
}

/* A new value slot for a hidden value: its leaf is met once in an instance. */
static int32_t slot_of_hidden(zm_elab *e, int32_t leaf)
{
    ZM_PUSH(e, canonical.value_slots.row, leaf);
    return e->canonical.value_slots.row.count - 1;
}

/* The leaf with its slot in place of what it is bound to; other leaves as they are. */
static zx_item number_leaf(zm_elab *e, zx_item leaf)
{
    switch ((zx_op)leaf.op) {
    case ZX_POSITION:
    case ZX_VELOCITY:
    case ZX_ACCELERATION:
        leaf.a = slot_of_leaf(e, &e->canonical.coordinate_slots, leaf.a);
        return leaf;
    case ZX_VALUE:
        leaf.a = leaf.a >= ZM_FIRST_HIDDEN ? slot_of_hidden(e, leaf.a)
                                           : slot_of_leaf(e, &e->canonical.value_slots, leaf.a);
        return leaf;
    case ZX_MEASURE:
        leaf.a = slot_of_leaf(e, &e->canonical.measure_slots, leaf.a);
        return leaf;
    case ZX_BOUND:
        return (zx_item){.op = ZX_VALUE, .a = slot_of_constant(e, zx_number_of(&leaf))};
    default:
        return leaf;
    }
}

/* --------------------------------------------------------------------- copying */

static bool is_node_copied(const zm_elab *e, zx_node node)
{
    return e->canonical.node_stamp.data[node] == e->canonical.stamp;
}

static void remember_image(zm_elab *e, zx_node node, zx_node image)
{
    e->canonical.node_stamp.data[node] = e->canonical.stamp;
    e->canonical.node_image.data[node] = image;
}

/* Operands that are not copied yet go onto the stack, the first one on top; true when there are
 * none. */
static bool push_missing_operands(zm_elab *e, const zx_item *item)
{
    int32_t operand[3] = {item->a, item->b, item->c};
    bool ready = true;
    for (int k = zx_operands((zx_op)item->op); k-- > 0;) {
        if (is_node_copied(e, operand[k])) continue;
        ZM_PUSH(e, canonical.stack, operand[k]);
        ready = false;
    }
    return ready;
}

/* The image of one root in the pool of shapes, slots numbered from left to right. A depth-first
 * walk with a stack of its own. */
static zx_node copy_root_to_shape(zm_elab *e, zx_pool *shapes, zx_node root)
{
    e->canonical.stack.count = 0;
    ZM_PUSH(e, canonical.stack, root);
    while (e->canonical.stack.count > 0) {
        zx_node node = e->canonical.stack.data[e->canonical.stack.count - 1];
        zx_item item = e->world->items[node];
        int operands = zx_operands((zx_op)item.op);
        if (!is_node_copied(e, node)) {
            if (operands > 0 && !push_missing_operands(e, &item)) continue;
            if (operands == 0) item = number_leaf(e, item);
            if (operands > 0) item.a = e->canonical.node_image.data[item.a];
            if (operands > 1) item.b = e->canonical.node_image.data[item.b];
            if (operands > 2) item.c = e->canonical.node_image.data[item.c];
            remember_image(e, node, zx_intern(shapes, &item));
        }
        e->canonical.stack.count--;
    }
    return e->canonical.node_image.data[root];
}

/* -------------------------------------------------------------------- families */

/* What must agree for two instances to share a family; roots and targets are over slots. */
typedef struct shape_key {
    const zm_instance *instance;
    const zx_node *roots;
    const int32_t *targets;
    int32_t coordinates, values, measures;
} shape_key;

static bool are_ints_equal(const int32_t *a, const int32_t *b, int32_t count)
{
    return count == 0 || (a && b && memcmp(a, b, (size_t)count * sizeof *a) == 0) || (!a && !b);
}

/* For the hash table: whether a raw family is of the shape sought. */
static bool is_same_family(const void *pool, const void *sought, int32_t index)
{
    const zm_raw_family *raw = &((const zm_builder *)pool)->raw.data[index];
    const zm_family *f = &raw->family;
    const shape_key *key = sought;
    const zm_instance *i = key->instance;
    return f->kind == i->kind && raw->energy == i->energy && f->root_count == i->root_count &&
           f->target_count == i->target_count && f->coordinates == key->coordinates &&
           f->values == key->values && f->measures == key->measures &&
           are_ints_equal(f->roots, key->roots, f->root_count) &&
           are_ints_equal(f->targets, key->targets, f->target_count) &&
           are_ints_equal(f->orders, i->orders, f->target_count);
}

/* Over most of what is_same_family compares. */
static uint64_t hash_shape_key(const shape_key *key)
{
    const zm_instance *i = key->instance;
    uint64_t hash = zb_hash_mix((uint64_t)i->kind, (uint64_t)i->energy);
    for (int32_t k = 0; k < i->root_count; k++) hash = zb_hash_mix(hash, (uint64_t)key->roots[k]);
    for (int32_t k = 0; k < i->target_count; k++)
        hash = zb_hash_mix(hash, (uint64_t)((int64_t)key->targets[k] + 1));
    return zb_hash_mix(hash, (uint64_t)key->coordinates);
}

static int32_t *copy_ints_to_arena(zm_elab *e, const int32_t *from, int32_t count)
{
    if (!from || count == 0) return NULL;
    return zb_arena_copy(&e->model->arena, from, (size_t)count * sizeof *from, _Alignof(int32_t));
}

/* A new raw family without instances; its number. */
static int32_t add_raw_family(zm_elab *e, const shape_key *key, uint64_t hash)
{
    const zm_instance *i = key->instance;
    zm_raw_family raw = {.energy = i->energy};
    zm_family *f = &raw.family;
    f->kind = i->kind;
    f->coordinates = key->coordinates;
    f->values = key->values;
    f->measures = key->measures;
    f->stride = f->coordinates + f->values + f->measures;
    f->root_count = i->root_count;
    f->roots = copy_ints_to_arena(e, key->roots, i->root_count);
    f->target_count = i->target_count;
    f->targets = copy_ints_to_arena(e, key->targets, i->target_count);
    f->orders = copy_ints_to_arena(e, i->orders, i->target_count);
    f->place = i->place;
    int32_t below;
    zx_node *list = zx_below(zm_shapes_of(e->b, f->kind), f->roots, f->root_count, &below);
    zb_resize(e->memory, list, zb_product((size_t)below, sizeof *list), 0);
    raw.nodes = below;
    if (!zb_array_push(e->memory, &e->b->raw, raw)) zm_out_of_memory(e);
    if (!zb_table_insert(e->memory, &e->b->raw_table, hash, e->b->raw.count - 1))
        zm_out_of_memory(e);
    return e->b->raw.count - 1;
}

/* Room for one more instance in the binding table and the list of items. */
static void reserve_instance(zm_elab *e, zm_raw_family *raw)
{
    zm_family *f = &raw->family;
    int32_t ints = f->count * f->stride;
    if (f->stride > 0 && !zb_array_grow(e->memory, &f->table, &raw->table_capacity, ints, f->stride,
                                        sizeof(int32_t)))
        zm_out_of_memory(e);
    if (!zb_array_grow(e->memory, &f->items, &raw->item_capacity, f->count, 1, sizeof(int32_t)))
        zm_out_of_memory(e);
}

/* The slots of the instance being made as a new row of the table. */
static void append_binding_row(zm_elab *e, zm_raw_family *raw, int32_t item)
{
    reserve_instance(e, raw);
    zm_family *f = &raw->family;
    for (int32_t k = 0; f->table && k < f->stride; k++) {
        int32_t value = k - f->coordinates, measure = value - f->values;
        f->table[(size_t)f->count * (size_t)f->stride + (size_t)k] =
            value < 0     ? e->canonical.coordinate_slots.row.data[k]
            : measure < 0 ? e->canonical.value_slots.row.data[value]
                          : e->canonical.measure_slots.row.data[measure];
    }
    f->items[f->count++] = item;
}

/* Where the first instances were written; nobody reads a message about the thousandth. */
static void note_instance_place(zm_elab *e, zm_raw_family *raw, zl_place place)
{
    if (raw->place_count >= PLACES) return;
    if (!zb_array_grow(e->memory, &raw->places, &raw->place_capacity, raw->place_count, 1,
                       sizeof(zl_place)))
        zm_out_of_memory(e);
    raw->places[raw->place_count++] = place;
}

/* Targets are numbered first, then the leaves of the roots. */
zm_where zm_add_instance(zm_elab *e, const zm_instance *instance)
{
    (void)zm_count_steps(e, instance->place, 10);
    zm_count_made(e, 1);
    e->canonical.stamp++;
    e->canonical.coordinate_slots.row.count = e->canonical.value_slots.row.count =
        e->canonical.measure_slots.row.count = 0;
    GROW_TO(e, canonical.node_stamp, e->world->count, 0);
    GROW_TO(e, canonical.node_image, e->world->count, 0);
    zb_mark mark = zb_arena_mark(&e->scratch);
    int32_t *targets = ZB_NEW_ARRAY(&e->scratch, int32_t, instance->target_count);
    zx_node *roots = ZB_NEW_ARRAY(&e->scratch, zx_node, instance->root_count);
    for (int32_t k = 0; k < instance->target_count; k++)
        targets[k] = instance->targets[k] < 0
                         ? -1
                         : slot_of_leaf(e, &e->canonical.coordinate_slots, instance->targets[k]);
    for (int32_t k = 0; k < instance->root_count; k++)
        roots[k] = copy_root_to_shape(e, zm_shapes_of(e->b, instance->kind), instance->roots[k]);
    shape_key key = {.instance = instance,
                     .roots = roots,
                     .targets = targets,
                     .coordinates = e->canonical.coordinate_slots.row.count,
                     .values = e->canonical.value_slots.row.count,
                     .measures = e->canonical.measure_slots.row.count};
    uint64_t hash = hash_shape_key(&key);
    int32_t family = zb_table_find(&e->b->raw_table, hash, is_same_family, e->b, &key);
    if (family < 0) family = add_raw_family(e, &key, hash);
    note_instance_place(e, &e->b->raw.data[family], instance->place);
    append_binding_row(e, &e->b->raw.data[family], instance->item);
    zb_arena_release(&e->scratch, mark);
    return (zm_where){.family = family,
                      .instance = e->b->raw.data[family].family.count - 1,
                      .root = 0,
                      .count = instance->root_count};
}

/* ---------------------------------------------------------------- what may stand */

/* The leftmost leaf is one nearly always; only otherwise everything below is searched. */
bool zm_has_coordinate(zm_elab *e, zx_node node)
{
    /* the first leaf is one, nearly always */
    const zx_item *items = e->world->items;
    zx_node leaf = node;
    while (zx_operands((zx_op)items[leaf].op) > 0) leaf = items[leaf].a;
    if (items[leaf].op >= ZX_POSITION && items[leaf].op <= ZX_ACCELERATION) return true;
    zx_reach r = zx_reaches(e->world, &node, 1);
    return r.position || r.velocity || r.acceleration;
}

/* Whether contact(...) or impulse(...) stands below some nodes of `world`. */
static bool has_hidden_value(zm_elab *e, const zx_node *roots, int32_t count)
{
    int32_t below;
    bool found = false;
    if (!e->flags.hidden) return false;
    zx_node *list = zx_below(e->world, roots, count, &below);
    for (int32_t k = 0; k < below; k++) {
        const zx_item *item = &e->world->items[list[k]];
        found = found || (item->op == ZX_VALUE && item->a >= ZM_FIRST_HIDDEN);
    }
    zb_resize(e->memory, list, zb_product((size_t)below, sizeof *list), 0);
    return found;
}

/* False after an error. Where velocities, coordinates and the time are allowed there is nothing to
 * look for as long as no acceleration or reaction was read (e->flags.unusual). */
bool zm_check_leaves(zm_elab *e, const zx_node *roots, int32_t count, zm_allowed allowed,
                     zl_place place, const char *what)
{
    if (!e->flags.unusual && allowed.velocity && allowed.coordinate && allowed.time) return true;
    zx_reach r = zx_reaches(e->world, roots, count);
    if (r.acceleration && !allowed.acceleration)
        ZM_ERROR(e, "E0304", place,
                 "accelerations may stand in a constraint, a control or an output",
                 "%s contains an acceleration", what);
    else if (r.measure && !allowed.measure)
        ZM_ERROR(e, "E0307", place, "reactions may stand in nonideal, output and when",
                 "%s contains a reaction", what);
    else if (!allowed.measure && has_hidden_value(e, roots, count))
        ZM_ERROR(e, "E0307", place, "contact and impulse may stand in nonideal, output and when",
                 "%s contains what becomes of a contact", what);
    else if (r.velocity && !allowed.velocity)
        ZM_ERROR(e, "E0308", place, NULL, "%s contains a velocity", what);
    else if (r.position && !allowed.coordinate)
        ZM_ERROR(e, "E0317", place, NULL, "%s contains a coordinate", what);
    else if (r.time && !allowed.time)
        ZM_ERROR(e, "E0317", place, NULL, "%s contains the time", what);
    else
        return true;
    return false;
}
