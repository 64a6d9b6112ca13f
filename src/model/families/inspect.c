/*
 * What can be said of a whole model without numbers: parameters that nothing uses (R0601) and
 * coordinates that stand in no term (R0602). There is one remark for each declaration, however
 * many elements or parts it stands for.
 */
#include <stdlib.h>
#include <string.h>

#include "derive.h"

enum { NAME_SIZE = 200 }; /* of a name in a message; a longer one is cut */

/* ------------------------------------------------------------- declarations */

/* A block and where it was declared. Blocks of one place come from one statement, which was run
 * several times: in a component, or in a loop. */
typedef struct declared {
    zl_place place;
    int32_t block;
} declared;

static bool same_place(const declared *a, const declared *b)
{
    return a->place.source == b->place.source && a->place.at == b->place.at;
}

static int by_place(const void *a, const void *b)
{
    const declared *x = a, *y = b;
    if (x->place.source != y->place.source) return x->place.source < y->place.source ? -1 : 1;
    if (x->place.at != y->place.at) return x->place.at < y->place.at ? -1 : 1;
    return (x->block > y->block) - (x->block < y->block);
}

static declared *sort_blocks(zm_workspace *work, const zm_block *blocks, int32_t count)
{
    declared *list = ZB_NEW_ARRAY(&work->scratch, declared, count);
    for (int32_t k = 0; k < count; k++) list[k] = (declared){blocks[k].place, k};
    if (count > 1) qsort(list, (size_t)count, sizeof *list, by_place);
    return list;
}

/* How many of the list's first entries are of one declaration. */
static int32_t group_size(const declared *list, int32_t count)
{
    int32_t size = 1;
    while (size < count && same_place(&list[0], &list[size])) size++;
    return size;
}

/* --------------------------------------------------------------- parameters */

static void inspect_parameters(zm_workspace *work, zm_builder *builder)
{
    const zm_model *model = work->model;
    int32_t count = model->parameter_blocks, size;
    declared *list = sort_blocks(work, model->parameters, count);
    for (int32_t i = 0; i < count; i += size) {
        bool used = false;
        size = group_size(list + i, count - i);
        for (int32_t k = i; k < i + size; k++) used |= model->used[list[k].block];
        if (used) continue;
        char buffer[NAME_SIZE];
        zb_text name;
        zb_text_init_fixed(&name, buffer, sizeof buffer);
        zm_label_text(model, &model->parameters[list[i].block].label, &name);
        zl_report(builder->unit, "R0601", list[i].place, "remove it, or use it",
                  "nothing uses the parameter '%s'", buffer);
    }
}

/* -------------------------------------------------------------- coordinates */

/* Slots of a whole family that are coordinates of one of its terms. */
static void touch_whole(zm_workspace *work, const zm_family *f, bool *touched)
{
    for (int32_t k = 0; k < f->root_count; k++) {
        int32_t count = zm_find_nodes(work, f->roots[k],
                                      ZM_HAS_POSITION | ZM_HAS_VELOCITY | ZM_HAS_ACCELERATION);
        for (int32_t i = 0; i < count; i++) {
            const zx_item *item = &work->pool->items[work->reach.found[i]];
            if (item->op >= ZX_POSITION && item->op <= ZX_ACCELERATION) touched[item->a] = true;
        }
    }
    for (int32_t k = 0; k < f->target_count; k++)
        if (f->targets[k] >= 0) touched[f->targets[k]] = true;
}

static void touch_kept(const zm_family *f, bool *touched)
{
    for (int32_t i = 0; i < f->count; i++)
        for (int32_t s = 0; s < f->coordinates; s++) touched[zm_coordinate_of(f, i, s)] = true;
}

static int32_t block_size(const zm_block *block)
{
    if (block->rows == 0 && block->columns == 0) return 1;
    return block->columns > 0 ? block->rows * block->columns : block->rows;
}

/* One remark for the blocks of a declaration: the first coordinate without a term, and how many
 * there are besides. */
static void report_untouched(zm_builder *builder, const declared *list, int32_t size,
                             const bool *touched)
{
    const zm_model *model = builder->model;
    int32_t first = -1, missing = 0, all = 0;
    for (int32_t k = 0; k < size; k++) {
        const zm_block *block = &model->coordinates[list[k].block];
        all += block_size(block);
        for (int32_t i = block->first; i < block->first + block_size(block); i++) {
            if (touched[i]) continue;
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

static void inspect_coordinates(zm_workspace *work, zm_builder *builder)
{
    const zm_model *model = work->model;
    bool *touched = ZB_NEW_ARRAY(&work->scratch, bool, model->n);
    for (int32_t i = 0; i < model->family_count; i++) {
        const zm_family *f = &model->families[i];
        if (f->kind > ZM_CONSTRAINT) continue;
        if (f->whole)
            touch_whole(work, f, touched);
        else
            touch_kept(f, touched);
    }
    int32_t count = model->coordinate_blocks, size;
    declared *list = sort_blocks(work, model->coordinates, count);
    for (int32_t i = 0; i < count; i += size) {
        size = group_size(list + i, count - i);
        report_untouched(builder, list + i, size, touched);
    }
}

static void inspect_all(zm_workspace *work, void *user)
{
    inspect_parameters(work, user);
    inspect_coordinates(work, user);
}

void zm_inspect(zm_builder *builder)
{
    if (!zm_with_workspace(builder->model, inspect_all, builder)) longjmp(*builder->escape, 1);
}
