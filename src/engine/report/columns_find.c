/*
 * Finding the coordinates, outputs and constraints that a list of columns names; each is a *thing*
 * with a label such as link[2].r (columns.h). A label answers an item of the list when their names
 * agree from the outermost part on, and the indices that the item has; those that it leaves out
 * stand for all. The indices that a label does not use choose elements: of a vector, of a matrix,
 * rows of a constraint, directions of a friction. Where no label answers, a name may still be that of a part, and stands for
 * all that is in it.
 *
 * The model's own names come first, then Zwang's words.
 */
#include "columns.h"

#include <string.h>

#include "contact_laws.h"
#include "motors.h"

/* ----------------------------------------------------------------------- things */

int32_t zr_thing_count(const zw_model *model, zr_sort sort)
{
    const struct zr_contact_laws *laws = model->laws;
    switch (sort) {
    case ZR_OF_COORDINATE:
        return model->zm->coordinate_blocks;
    case ZR_OF_OUTPUT:
        return model->zm->output_count;
    case ZR_OF_ROW:
        return laws ? laws->plain_count : model->zm->constraint_count;
    case ZR_OF_CONTACT:
        return laws ? laws->unequal_count : 0;
    case ZR_OF_SITE:
        return laws ? laws->unequal_count + laws->sites - laws->contacts : 0;
    case ZR_OF_SLIP:
        return laws ? laws->frictions : 0;
    case ZR_OF_MOTOR:
        return model->motors ? model->motors->controls : 0;
    default:
        return 0;
    }
}

/* Block k of the coordinates. */
static zr_thing thing_of_block(const zm_model *zm, int32_t k)
{
    const zm_block *b = &zm->coordinates[k];
    int32_t end = k + 1 < zm->coordinate_blocks ? zm->coordinates[k + 1].first : zm->n;
    return (zr_thing){.label = &b->label,
                      .first = b->first,
                      .size = end - b->first,
                      .rows = b->rows,
                      .columns = b->columns};
}

/* Driven control k: its motors, as a vector. */
static zr_thing thing_of_motors(const zw_model *model, int32_t k)
{
    const struct zr_motors *motors = model->motors;
    int32_t size = motors->first[k + 1] - motors->first[k];
    return (zr_thing){.label = &model->zm->constraints[motors->control[k]].label,
                      .first = motors->first[k],
                      .size = size,
                      .rows = size};
}

/* Rows of constraints, and what touches, are in contact_columns.c. */
zr_thing zr_thing_at(const zw_model *model, zr_sort sort, int32_t k)
{
    const zm_model *zm = model->zm;
    if (sort == ZR_OF_COORDINATE) return thing_of_block(zm, k);
    if (sort == ZR_OF_MOTOR) return thing_of_motors(model, k);
    if (sort == ZR_OF_OUTPUT) {
        const zm_output *o = &zm->outputs[k];
        return (zr_thing){.label = &o->label,
                          .first = zr_output_first(model, k),
                          .size = o->where.count,
                          .rows = o->rows,
                          .columns = o->columns};
    }
    return zr_touching_thing(model, sort, k);
}

/* ----------------------------------------------------------------------- matching */

/* How many names a label has with those of its parts: 3 of a.b.c. */
static int32_t depth_of_label(const zm_model *zm, const zm_label *label)
{
    int32_t depth = 1;
    for (; label->scope >= 0; label = &zm->parts[label->scope].label) depth++;
    return depth;
}

/* The label of the part at a level, the outermost being 0. */
static const zm_label *outer_label(const zm_model *zm, const zm_label *label, int32_t steps)
{
    while (steps-- > 0) label = &zm->parts[label->scope].label;
    return label;
}

/* Names are compared as numbers of the model; -1 agrees with none. */
int32_t zr_names_agree(const zm_model *zm, const zr_item *item, const zm_label *label,
                       int32_t *depth)
{
    *depth = depth_of_label(zm, label);
    int32_t most = *depth < item->count ? *depth : item->count;
    for (int32_t j = 0; j < most; j++)
        if (outer_label(zm, label, *depth - 1 - j)->name != item->names[j].name) return j;
    return most;
}

/* Index e (0 or 1) of an element of a vector or matrix. */
static zr_slot slot_of_element(const zr_thing *thing, int32_t e)
{
    if (e == 0 && (thing->rows > 0 || thing->columns > 0))
        return (zr_slot){.there = true, .low = 1, .high = thing->rows};
    if (e == 1 && thing->columns > 0)
        return (zr_slot){.there = true, .low = 1, .high = thing->columns};
    return (zr_slot){0};
}

/* How many indices the item has at its name number `of`. */
static int32_t count_indices_of(const zr_item *item, int32_t of)
{
    int32_t count = 0;
    for (int32_t k = 0; k < item->index_count; k++) count += item->indices[k].of == of;
    return count;
}

/* Indices of the item's last name that are no longer its label's: the number of the element index
 * that this one is, below 0 when it is the label's. */
static int32_t number_of_element(const zr_item *item, const zm_label *label, const zr_index *index)
{
    if (index->of == item->count - 1) return index->position - label->index_count;
    int32_t own = count_indices_of(item, item->count - 1);
    return index->position + (own > label->index_count ? own - label->index_count : 0);
}

/* An index of a label has one number; one that chooses elements a range. */
zr_slot zr_slot_of(const zm_model *zm, const zr_item *item, const zr_thing *thing, zr_match how,
                   const zr_index *index)
{
    int32_t depth = depth_of_label(zm, thing->label), last = item->count - 1;
    if (index->of < last || (index->of == last && how == ZR_AS_PART)) {
        const zm_label *label = outer_label(zm, thing->label, depth - 1 - index->of);
        if (index->position >= label->index_count) return (zr_slot){0};
        int32_t value = label->index[index->position];
        return (zr_slot){.there = true, .low = value, .high = value};
    }
    int32_t e = number_of_element(item, thing->label, index);
    if (e < 0) {
        int32_t value = thing->label->index[index->position];
        return (zr_slot){.there = true, .low = value, .high = value};
    }
    if (how == ZR_AS_PART) return (zr_slot){0};
    return slot_of_element(thing, e);
}

/* The element with this number; -1: none (a row that was dropped). */
static int32_t find_numbered(const zr_thing *thing, int32_t number)
{
    if (!thing->written) return number - 1;
    for (int32_t k = 0; k < thing->size; k++)
        if (thing->written[k] == number) return k;
    return -1;
}

/* A part stands for all that is in it. */
bool zr_is_which(const zr_item *item, const zr_thing *thing, zr_match how)
{
    if (item->which.length == 0) return how == ZR_AS_PART || thing->which <= 1;
    return thing->which == item->which.value;
}

/* Exactly: as many names as the label has; as a part: fewer. */
bool zr_matches(const zm_model *zm, const zr_item *item, const zr_thing *thing, zr_match how,
                int32_t most)
{
    int32_t depth;
    if (how == ZR_EXACTLY && thing->label->name != item->names[item->count - 1].name) return false;
    if (zr_names_agree(zm, item, thing->label, &depth) < item->count) return false;
    if (how == ZR_EXACTLY ? depth != item->count : depth <= item->count) return false;
    if (most == zr_most_indices && !zr_is_which(item, thing, how)) return false;
    for (int32_t k = 0; k < item->index_count && k < most; k++) {
        zr_slot slot = zr_slot_of(zm, item, thing, how, &item->indices[k]);
        int32_t value = item->indices[k].value;
        if (!slot.there || value < slot.low || value > slot.high) return false;
    }
    return true;
}

/* ---------------------------------------------------------------- one thing exactly */

/* A thing is meant exactly when the item leaves out none of its label's indices. `own`: how many
 * the label has of those at the last name; the others choose elements. */
typedef struct exact_search {
    const zr_search *search;
    zr_sort sort;
    const zr_item *item;
    int32_t own;
} exact_search;

/* All names, and as many indices at each as the label has. */
static bool is_meant_exactly(const exact_search *x, const zr_thing *thing)
{
    const zm_model *zm = x->search->model->zm;
    if (thing->label->index_count != x->own) return false;
    if (!zr_matches(zm, x->item, thing, ZR_EXACTLY, zr_most_indices)) return false;
    const zm_label *label = thing->label;
    for (int32_t j = x->item->count - 2; j >= 0; j--) {
        label = &zm->parts[label->scope].label;
        if (count_indices_of(x->item, j) != label->index_count) return false;
    }
    return true;
}

/* For zb_table_find: thing `index` of the sort, pool the search, key an exact_search. */
static bool is_thing_meant(const void *pool, const void *key, int32_t index)
{
    const zr_search *s = pool;
    const exact_search *x = key;
    zr_thing thing = zr_thing_at(s->model, x->sort, index);
    return is_meant_exactly(x, &thing);
}

/* From the innermost name outwards. */
static uint64_t hash_label(const zm_model *zm, const zm_label *label)
{
    uint64_t hash = 0;
    for (;; label = &zm->parts[label->scope].label) {
        hash = zb_hash_mix(hash, (uint64_t)label->name);
        for (int32_t k = 0; k < label->index_count; k++)
            hash = zb_hash_mix(hash, (uint64_t)label->index[k]);
        if (label->scope < 0) return hash;
    }
}

/* The hash of the label that the item would mean exactly; as hash_label. */
static uint64_t hash_list_item(const exact_search *x)
{
    uint64_t hash = 0;
    for (int32_t j = x->item->count - 1; j >= 0; j--) {
        hash = zb_hash_mix(hash, (uint64_t)x->item->names[j].name);
        for (int32_t k = 0; k < x->item->index_count; k++) {
            const zr_index *index = &x->item->indices[k];
            if (index->of == j && (j < x->item->count - 1 || index->position < x->own))
                hash = zb_hash_mix(hash, (uint64_t)index->value);
        }
    }
    return hash;
}

/* All things of a sort by the hash of their labels. */
static zw_status hash_things(zr_search *s, zr_sort sort)
{
    zb_memory *memory = s->columns->memory;
    zb_table *table = &s->known[sort];
    int32_t count = zr_thing_count(s->model, sort);
    if (!zb_table_reserve(memory, table, count)) return memory->failure;
    for (int32_t k = 0; k < count; k++) {
        uint64_t hash = hash_label(s->model->zm, zr_thing_at(s->model, sort, k).label);
        if (!zb_table_insert(memory, table, hash, k)) return memory->failure;
    }
    return ZW_OK;
}

/* The thing that is meant exactly, by comparing all of them; -1: none. */
static int32_t scan_for_exact(const exact_search *x)
{
    int32_t count = zr_thing_count(x->search->model, x->sort);
    for (int32_t k = 0; k < count; k++)
        if (is_thing_meant(x->search, x, k)) return k;
    return -1;
}

/* The thing that is meant exactly, -1: none. The first few times all things are compared; then a
 * table is made. */
static zw_status find_exact_thing(zr_search *s, zr_sort sort, const zr_item *item, int32_t *thing)
{
    enum { few = 4 };
    exact_search x = {.search = s, .sort = sort, .item = item};
    bool scan = s->scans[sort] < few;
    if (s->scans[sort]++ == few) ZB_TRY(hash_things(s, sort));
    *thing = -1;
    for (x.own = 2; x.own >= 0 && *thing < 0; x.own--) {
        if (count_indices_of(item, item->count - 1) < x.own) continue;
        *thing = scan ? scan_for_exact(&x)
                      : zb_table_find(&s->known[sort], hash_list_item(&x), is_thing_meant, s, &x);
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------- adding */

/* The elements of a thing that answers: all of them, a row of a matrix, one. */
static zw_status add_chosen_elements(zr_search *s, zr_column_kind kind, const zr_item *item,
                                     const zr_thing *thing, bool *found)
{
    int32_t element[2], count = 0, first = 0, size = thing->size;
    for (int32_t k = 0; k < item->index_count && count < 2; k++) {
        if (item->indices[k].of < item->count - 1) continue;
        int32_t e = number_of_element(item, thing->label, &item->indices[k]);
        if (e >= 0) element[count++] = item->indices[k].value;
    }
    if (thing->columns > 0) {
        if (count > 0) first = (element[0] - 1) * thing->columns;
        if (count > 0) size = thing->columns;
        if (count > 1) first += element[1] - 1;
        if (count > 1) size = 1;
    } else if (count > 0) {
        first = find_numbered(thing, element[0]);
        size = 1;
        if (first < 0) return ZW_OK;
    }
    *found = true;
    return zr_add_columns(s, kind, thing->first + first, size);
}

/* All that an item means with indices left out, or as the name of a part. */
static zw_status add_matches(zr_search *s, zr_column_kind kind, const zr_item *item, zr_match how,
                             bool *found)
{
    zr_sort sort = zr_column_types[kind].sort;
    int32_t count = zr_thing_count(s->model, sort);
    for (int32_t k = 0; k < count; k++) {
        zr_thing thing = zr_thing_at(s->model, sort, k);
        if (!zr_matches(s->model->zm, item, &thing, how, zr_most_indices)) continue;
        if (how == ZR_EXACTLY)
            ZB_TRY(add_chosen_elements(s, kind, item, &thing, found));
        else
            ZB_TRY(zr_add_columns(s, kind, thing.first, thing.size));
        if (how == ZR_AS_PART) *found = true;
    }
    return ZW_OK;
}

/* Columns of the one thing that the item means exactly; *found: there is one. */
static zw_status add_exact_thing(zr_search *s, zr_column_kind kind, const zr_item *item,
                                 bool *found)
{
    zr_sort sort = zr_column_types[kind].sort;
    int32_t only;
    ZB_TRY(find_exact_thing(s, sort, item, &only));
    if (only < 0) return ZW_OK;
    zr_thing thing = zr_thing_at(s->model, sort, only);
    return add_chosen_elements(s, kind, item, &thing, found);
}

/* One thing, else those that agree but for indices left out, of kinds [count] in their order. */
static zw_status add_exact_or_many(zr_search *s, const zr_column_kind *kinds, int count,
                                   const zr_item *item, bool *found)
{
    for (int k = 0; k < count && !*found; k++) ZB_TRY(add_exact_thing(s, kinds[k], item, found));
    for (int k = 0; k < count && !*found; k++)
        ZB_TRY(add_matches(s, kinds[k], item, ZR_EXACTLY, found));
    return ZW_OK;
}

/* The kind with a word, -1: none. */
static int kind_of_word(const zr_search *s, const zr_name *name, bool call)
{
    for (int k = 0; k < ZR_COL_COUNT; k++) {
        const zr_column_type *type = &zr_column_types[k];
        if (type->word && (type->sort != ZR_OF_MODEL) == call &&
            zr_is_word(s->list, name, type->word))
            return k;
    }
    return -1;
}

/* energy, t, all: a word of Zwang's alone. */
static zw_status add_word_columns(zr_search *s, const zr_item *item, bool *found)
{
    if (item->count != 1 || item->index_count > 0 || item->primes > 0) return ZW_OK;
    int kind = kind_of_word(s, &item->names[0], false);
    *found = kind >= 0 || zr_is_word(s->list, &item->names[0], "all");
    if (!*found) return ZW_OK;
    return kind >= 0 ? zr_add_columns(s, (zr_column_kind)kind, 0, 1) : zr_add_all(s);
}

/* force(x), multiplier(rod): a word of Zwang's in front of brackets. */
static zw_status add_call_columns(zr_search *s, const zr_item *item)
{
    bool found = false;
    int word = kind_of_word(s, &item->call, true);
    if (word < 0) return zr_explain_call(s, item);
    zr_column_kind kind = (zr_column_kind)word;
    ZB_TRY(add_exact_or_many(s, &kind, 1, item, &found));
    if (!found) ZB_TRY(add_matches(s, kind, item, ZR_AS_PART, &found));
    return found ? ZW_OK : zr_explain_name(s, item, 1 << zr_column_types[kind].sort);
}

/* x, x', x'', an output, a word of Zwang's, or a part with all that is in it; in this order. */
static zw_status add_name_columns(zr_search *s, const zr_item *item)
{
    static const zr_column_kind kinds[][2] = {
        {ZR_COL_POSITION, ZR_COL_OUTPUT}, {ZR_COL_VELOCITY}, {ZR_COL_ACCELERATION}};
    bool found = false, primed = item->primes > 0;
    if (item->primes > 2) return zr_explain_name(s, item, 1 << ZR_OF_COORDINATE);
    const zr_column_kind *of = kinds[item->primes];
    ZB_TRY(add_exact_or_many(s, of, primed ? 1 : 2, item, &found));
    if (!found) ZB_TRY(add_word_columns(s, item, &found));
    if (!found && !primed) ZB_TRY(zr_add_draw_columns(s, item, &found));
    bool part = !found; /* perhaps: its coordinates and its outputs */
    for (int k = 0; part && k < (primed ? 1 : 2); k++)
        ZB_TRY(add_matches(s, of[k], item, ZR_AS_PART, &found));
    if (found) return ZW_OK;
    int sorts = 1 << ZR_OF_COORDINATE | (primed ? 0 : 1 << ZR_OF_OUTPUT);
    return zr_explain_name(s, item, sorts);
}

/* --------------------------------------------------------------------------- lists */

/* The numbers of the item's names in the model; -1 stays where it has none such. */
static void resolve_names(const zr_search *s, zr_item *item)
{
    const zl_unit *unit = &s->model->zm->unit;
    for (int32_t j = 0; j < item->count; j++)
        for (int32_t k = 0; k < unit->names.count && item->names[j].name < 0; k++)
            if (zr_is_word(s->list, &item->names[j], unit->names.data[k])) item->names[j].name = k;
}

/* Goes on after a mistake, so that one call shows many. */
zw_status zr_find_columns(zr_search *s)
{
    enum { enough = 20 }; /* mistakes */
    zr_item item;
    int32_t at = 0;
    if (strlen(s->list) > INT32_MAX / 2) return ZW_ERR_ARGUMENT;
    while (s->wrong < enough) {
        if (zr_is_derivative(s->list, at)) {
            ZB_TRY(zr_add_derivatives(s, &at));
            continue;
        }
        zr_read outcome = zr_read_item(s->list, &at, &item);
        if (outcome == ZR_READ_END) break;
        if (outcome == ZR_READ_BAD) {
            ZB_TRY(zr_explain_unreadable(s, &item));
            continue;
        }
        resolve_names(s, &item);
        ZB_TRY(item.call.length > 0 ? add_call_columns(s, &item) : add_name_columns(s, &item));
    }
    return s->wrong > 0 ? ZW_ERR_SETTING : ZW_OK;
}
