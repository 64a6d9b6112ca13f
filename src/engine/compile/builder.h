/*
 * Compiling a model: what the files of this shelf share. Running out of memory jumps to one place,
 * zr_model_compile (model_build.c), which frees everything.
 */
#ifndef ZR_BUILDER_H
#define ZR_BUILDER_H

#include <setjmp.h>

#include "messages.h"

/* Entries of a matrix as they are found, several may be one. */
typedef struct zr_triplet {
    int32_t row, column;
} zr_triplet;

typedef struct zr_triplets {
    zr_triplet *list;
    int32_t count, capacity;
} zr_triplets;

/* Everything that compiling needs besides the model; jumps to *escape when memory runs out. */
typedef struct zr_builder {
    zw_model *model;
    zm_model *zm;
    zb_memory *memory;
    zb_arena *arena;      /* of the model, with escape set */
    zb_arena scratch;     /* likewise */
    zr_triplets triplets; /* of the matrix under construction */
    zx_pool pools[2];     /* of build_fused.c */
    bool pools_open;
    zx_node *below; /* [below_count] nodes under a start value */
    int32_t below_count;
    jmp_buf escape;
    zw_status status; /* why it was left */
} zr_builder;

void zr_fail(zr_builder *builder, zw_status status); /* does not return */

int32_t zr_add_triplet(zr_builder *builder, int32_t row, int32_t column);
/* The pattern of the triplets, which are forgotten; in scratch: where each of them went. */
const int32_t *zr_make_pattern(zr_builder *builder, int32_t rows, int32_t columns,
                               zr_pattern *pattern);
void zr_free_triplets(zr_builder *builder);
/* Places of the matrix part of passes, triplets until now, become positions. */
void zr_settle(zr_passes *passes, const zm_model *zm, const int32_t *position);

/* A pass of family f with these nodes; places are 0. */
zr_pass *zr_add_pass(zr_builder *builder, zr_passes *passes, int32_t family, const zx_node *nodes,
                     int32_t matrix, int32_t vector);
void zr_free_passes(zr_passes *passes);
/* The sum of the absolute values of the terms of a sum. */
zx_node zr_magnitude(zr_builder *builder, zx_node root);

void zr_build_dynamics(zr_builder *builder);
void zr_build_rows(zr_builder *builder);
/* [count * root_count] the row of each root of each instance of a family; in scratch. */
int32_t *zr_rows_of_family(zr_builder *builder, int32_t family);
void zr_build_limits(zr_builder *builder);
void zr_build_nonideal(zr_builder *builder);
void zr_build_weights(zr_builder *builder);
void zr_build_equations(zr_builder *builder);
void zr_build_starts(zr_builder *builder); /* programs, order; a cycle is reported */
void zr_free_below(zr_builder *builder);
void zr_find_places(zr_builder *builder); /* of all passes in lanes, when their places are known */
void zr_free_pools(zr_builder *builder);

#endif
