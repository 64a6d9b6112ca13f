/*
 * The passes of the compiler of models, and what elaboration hands to those after it; private to
 * this layer.
 *
 *     zm_elaborate   statements -> raw families (expressions over slots in `shapes`), items, names
 *     zm_gather      raw families -> model->families in model->pool: whole ones and kept ones
 *     zm_derive      M, Q, A, b, C of every family; kinds of rows
 *     zm_inspect     remarks and errors that need the whole: unused names, missing inertia, ...
 */
#ifndef ZM_BUILD_H
#define ZM_BUILD_H

#include "model.h"

/* Which of the energies a raw ZM_ENERGY family is. Its one root is that energy. */
typedef enum zm_energy { ZM_KINETIC, ZM_POTENTIAL, ZM_OTHER } zm_energy;

/* A family as elaboration finds it, before zm_gather. Roots are nodes of builder->shapes, whose
 * leaves are numbered slots: ZX_POSITION/VELOCITY/ACCELERATION by coordinate slot, ZX_VALUE by
 * value slot, ZX_MEASURE by measure slot. Numbers that came through names are value slots, bound to
 * model->values beyond the parameters. No derived part. */
typedef struct zm_raw_family {
    zm_family family;
    zm_energy energy;
    int32_t table_capacity; /* ints */
    int32_t item_capacity;
    int32_t nodes;    /* nodes below its roots */
    zl_place *places; /* [place_count] of the first instances */
    int32_t place_count, place_capacity;
} zm_raw_family;

/* One compilation: what the passes work on. */
typedef struct zm_builder {
    zm_model *model;
    const zm_request *request;
    zl_unit *unit; /* &model->unit */
    zb_memory *memory;
    jmp_buf *escape;
    zx_pool world;  /* expressions over the coordinates themselves, as the author wrote them */
    zx_pool shapes; /* of raw families; commute off */
    zx_pool picture_shapes; /* of those of default drawings, likewise */
    ZB_ARRAY(zm_raw_family) raw;
    zb_table raw_table;
    struct zm_elab *elab; /* elaboration's own; freed before the passes after it */
} zm_builder;

/* Where the shapes of a kind are, and its families' expressions. */
static inline zx_pool *zm_shapes_of(zm_builder *builder, zm_kind kind)
{
    return kind == ZM_DRAW_DEFAULT ? &builder->picture_shapes : &builder->shapes;
}
static inline zx_pool *zm_pool_of(zm_model *model, zm_kind kind)
{
    return kind == ZM_DRAW_DEFAULT ? &model->pictures : &model->pool;
}

/* Errors are counted in unit->error_count; the passes after elaboration are made only when there
 * are none. They jump to builder->escape when memory runs out. The items' `where` refer to raw
 * families before zm_gather and to model->families after it. */
void zm_elaborate(zm_builder *builder);
void zm_gather(zm_builder *builder);
void zm_derive(zm_builder *builder);
void zm_inspect(zm_builder *builder);

#endif
