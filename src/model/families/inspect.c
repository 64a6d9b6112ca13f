/*
 * The pass zm_inspect: errors of contacts (inspect_contacts.c), and remarks that need the whole model
 * but no numbers, about parameters that nothing uses (R0601) and coordinates that stand in no term
 * (R0602). There is one remark for each declaration, however many elements or parts it stands for.
 */
#include <stdlib.h>
#include <string.h>

#include "inspect.h"

enum { NAME_SIZE = 200 }; /* of a name in a message; a longer one is cut */

/* ------------------------------------------------------------- declarations */

/* A block and where it was declared. Blocks of one place come from one statement, which was
 * executed several times: in a component, or in a loop. */
typedef struct declared_block {
    zl_place place;
    int32_t block;
} declared_block;

static bool is_same_declaration(const declared_block *a, const declared_block *b)
{
    return a->place.source == b->place.source && a->place.at == b->place.at;
}

/* For qsort: by place in the text, then by number. */
static int compare_declared_places(const void *a, const void *b)
{
    const declared_block *x = a, *y = b;
    if (x->place.source != y->place.source) return x->place.source < y->place.source ? -1 : 1;
    if (x->place.at != y->place.at) return x->place.at < y->place.at ? -1 : 1;
    return (x->block > y->block) - (x->block < y->block);
}

/* The blocks so that those of one declaration stand together; in scratch. */
static declared_block *sort_blocks_by_place(zm_workspace *work, const zm_block *blocks,
                                            int32_t count)
{
    declared_block *list = ZB_NEW_ARRAY(&work->scratch, declared_block, count);
    for (int32_t k = 0; k < count; k++) list[k] = (declared_block){blocks[k].place, k};
    if (count > 1) qsort(list, (size_t)count, sizeof *list, compare_declared_places);
    return list;
}

/* How many of the list's first entries are of one declaration. */
static int32_t count_same_declaration(const declared_block *list, int32_t count)
{
    int32_t size = 1;
    while (size < count && is_same_declaration(&list[0], &list[size])) size++;
    return size;
}

/* --------------------------------------------------------------- parameters */

/* One remark for each declaration of which no block is used. */
static void remark_unused_parameters(zm_workspace *work, zm_builder *builder)
{
    const zm_model *model = work->model;
    int32_t count = model->parameter_blocks, size;
    declared_block *list = sort_blocks_by_place(work, model->parameters, count);
    for (int32_t i = 0; i < count; i += size) {
        bool used = false;
        size = count_same_declaration(list + i, count - i);
        for (int32_t k = i; k < i + size; k++) used |= model->used[list[k].block];
        if (used) continue;
        char buffer[NAME_SIZE];
        zb_text name;
        zb_text_init_fixed(&name, buffer, sizeof buffer);
        zm_label_text(model, &model->parameters[list[i].block].label, &name);
        bool input =
            model->input && model->input[model->parameters[list[i].block].first] == ZM_INPUT;
        zl_report(builder->unit, "R0601", list[i].place, "remove it, or use it",
                  "nothing uses the %s '%s'", input ? "input" : "parameter", buffer);
    }
}

/* -------------------------------------------------------------- coordinates */

/* Marks the coordinates that stand in a whole family, in its roots or as targets. */
static void mark_coordinates_of_whole(zm_workspace *work, const zm_family *f, bool *used_coordinate)
{
    for (int32_t k = 0; k < f->root_count; k++) {
        int32_t count = zm_find_nodes(work, f->roots[k],
                                      ZM_HAS_POSITION | ZM_HAS_VELOCITY | ZM_HAS_ACCELERATION);
        for (int32_t i = 0; i < count; i++) {
            const zx_item *item = &work->pool->items[work->reach.found[i]];
            if (item->op >= ZX_POSITION && item->op <= ZX_ACCELERATION)
                used_coordinate[item->a] = true;
        }
    }
    for (int32_t k = 0; k < f->target_count; k++)
        if (f->targets[k] >= 0) used_coordinate[f->targets[k]] = true;
}

/* Marks the coordinates that the slots of all instances are bound to. */
static void mark_coordinates_of_kept(const zm_family *f, bool *used_coordinate)
{
    for (int32_t i = 0; i < f->count; i++)
        for (int32_t s = 0; s < f->coordinates; s++)
            used_coordinate[zm_coordinate_of(f, i, s)] = true;
}

static int32_t count_block_elements(const zm_block *block)
{
    if (block->rows == 0 && block->columns == 0) return 1;
    return block->columns > 0 ? block->rows * block->columns : block->rows;
}

/* One remark for the blocks of a declaration: the first coordinate without a term, and how many
 * there are besides. */
static void remark_unused_coordinates(zm_builder *builder, const declared_block *list, int32_t size,
                                      const bool *used_coordinate)
{
    const zm_model *model = builder->model;
    int32_t first = -1, missing = 0, all = 0;
    for (int32_t k = 0; k < size; k++) {
        const zm_block *block = &model->coordinates[list[k].block];
        all += count_block_elements(block);
        for (int32_t i = block->first; i < block->first + count_block_elements(block); i++) {
            if (used_coordinate[i]) continue;
            if (missing++ == 0) first = i;
        }
    }
    if (missing == 0) return;
    char buffer[NAME_SIZE];
    zb_text name;
    zb_text_init_fixed(&name, buffer, sizeof buffer);
    bool block = size == 1 && missing == all;
    if (block)
        zm_label_text(model, &model->coordinates[list[0].block].label, &name);
    else
        zm_coordinate_text(model, first, &name);
    const char *help = "give it an energy, a mass, a force or a constraint, or remove it";
    if (block || missing == 1)
        zl_report(builder->unit, "R0602", list[0].place, help,
                  "the coordinate '%s' stands in no energy, mass, force or constraint", buffer);
    else
        zl_report(builder->unit, "R0602", list[0].place, help,
                  "the coordinate '%s' and %d more declared here stand in no energy, mass, force "
                  "or constraint",
                  buffer, (int)(missing - 1));
}

/* Marks the coordinates that stand in a term or a constraint, then remarks on the others. */
static void inspect_coordinates(zm_workspace *work, zm_builder *builder)
{
    const zm_model *model = work->model;
    bool *used_coordinate = ZB_NEW_ARRAY(&work->scratch, bool, model->n);
    for (int32_t i = 0; i < model->family_count; i++) {
        const zm_family *f = &model->families[i];
        if (f->kind > ZM_CONSTRAINT) continue;
        if (f->whole)
            mark_coordinates_of_whole(work, f, used_coordinate);
        else
            mark_coordinates_of_kept(f, used_coordinate);
    }
    int32_t count = model->coordinate_blocks, size;
    declared_block *list = sort_blocks_by_place(work, model->coordinates, count);
    for (int32_t i = 0; i < count; i += size) {
        size = count_same_declaration(list + i, count - i);
        remark_unused_coordinates(builder, list + i, size, used_coordinate);
    }
}

static void inspect_model(zm_workspace *work, void *user)
{
    remark_unused_parameters(work, user);
    inspect_coordinates(work, user);
}

void zm_inspect(zm_builder *builder)
{
    zm_inspect_contacts(builder);
    if (!zm_with_workspace(builder->model, inspect_model, builder)) longjmp(*builder->escape, 1);
}
