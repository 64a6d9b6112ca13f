/*
 * Compiling a model: what the files build_*.c of this shelf share, the builder and the functions
 * that make passes and sparse patterns. Running out of memory jumps to one place (model_build.c),
 * where everything is freed.
 */
#ifndef ZR_BUILDER_H
#define ZR_BUILDER_H

#include <setjmp.h>

#include "messages.h"

/* A *triplet*: an entry of a matrix as a pass finds it; several may be one entry of the pattern. */
typedef struct zr_triplet {
    int32_t row, column;
} zr_triplet;

typedef struct zr_triplets {
    zr_triplet *list;
    int32_t count, capacity;
} zr_triplets;

/* Roots of a program under construction; the list is in scratch. */
typedef struct zr_roots {
    zx_node *list;
    int32_t count;
} zr_roots;

/* The *builder*: everything that compiling needs besides the model. Whoever fails jumps to
 * escape. */
typedef struct zr_builder {
    zw_model *model;
    zm_model *zm;
    zb_memory *memory;
    zb_arena *arena;           /* of the model: what stays; with escape set */
    zb_arena scratch;          /* what does not, likewise */
    zr_triplets triplets;      /* of the matrix under construction */
    zr_roots hoisted;          /* of passes, nodes of the model's pool; in the model's arena */
    zx_pool pools[2];          /* of build_fused.c: as written, after hoisting */
    bool pools_open;           /* they are there to be freed */
    struct zr_kept_node *kept; /* [kept_count] of build_switches.c, in scratch */
    int32_t kept_count;
    zx_node *below; /* [below_count] nodes under an expression, of zx_below; NULL: none */
    int32_t below_count;
    jmp_buf escape;
    zw_status status; /* why it was left */
} zr_builder;

void zr_fail(zr_builder *builder, zw_status status); /* jumps to escape: does not return */

/* Returns its number, which stands for its place until the pattern is made. */
int32_t zr_add_triplet(zr_builder *builder, int32_t row, int32_t column);
/* The pattern of the triplets, which are forgotten. Returns where each of them went, its position
 * among the values; in scratch. */
const int32_t *zr_make_pattern(zr_builder *builder, int32_t rows, int32_t columns,
                               zr_pattern *pattern);
void zr_free_triplets(zr_builder *builder);
/* Places of the matrix part of passes, numbers of triplets until now, become positions. */
void zr_resolve_places(zr_passes *passes, const zm_model *zm, const int32_t *position);

/* A pass of a family with nodes [matrix + vector], compiled; its places are 0. Valid until the next
 * one is added. */
zr_pass *zr_add_pass(zr_builder *builder, zr_passes *passes, int32_t family, const zx_node *nodes,
                     int32_t matrix, int32_t vector);
/* The roots of a family and their derivatives: root r of instance i goes to number to[i*roots + r], which is
 * its row of the matrix, too. */
void zr_add_row_pass(zr_builder *builder, zr_passes *passes, int32_t family, const int32_t *to);
void zr_free_passes(zr_passes *passes);
/* Where what is hoisted comes from and goes to: from one pool to another or to itself; `known`, nodes
 * of the first, are values already, numbered from `values` on. */
typedef struct zr_hoisting {
    zx_pool *from, *to;
    int32_t values;
    zr_roots known;
} zr_hoisting;
/* Roots [count] of the first pool become nodes of the second, in which what depends on parameters
 * only is a value of its own; returns all such, the known ones first (hoist.c). */
zr_roots zr_hoist(zr_builder *builder, const zr_hoisting *how, zr_roots *roots, int count);
void zr_build_prelude(zr_builder *builder); /* of the passes, when these are complete */
/* The sum of the absolute values of the terms of a sum: in its units rounding is measured. */
zx_node zr_magnitude(zr_builder *builder, zx_node root);

/* The passes and patterns of the quantities of compiled.h. */
void zr_build_dynamics(zr_builder *builder);
void zr_build_rows(zr_builder *builder);
/* [count * root_count] the row of each root of each instance of a family; in scratch. */
int32_t *zr_rows_of_family(zr_builder *builder, int32_t family);
void zr_build_limits(zr_builder *builder);
void zr_build_nonideal(zr_builder *builder);
void zr_build_impressed(zr_builder *builder); /* after the conditions of energies are switches */
void zr_build_islands(zr_builder *builder);
void zr_build_weights(zr_builder *builder);
void zr_build_equations(zr_builder *builder);
void zr_build_starts(zr_builder *builder); /* programs, order; a cycle is reported */
void zr_free_below(zr_builder *builder);
int32_t zr_place_below(const zr_builder *builder, zx_node node); /* in b->below, which ascends */

/* Operands that are nodes; of leaves none. */
static inline int zr_count_operands(const zx_item *item)
{
    return item->op == ZX_POWI ? 1 : zx_operands((zx_op)item->op);
}

/* What is known of the places of all passes (places.c), when these are complete. */
void zr_find_places(zr_builder *builder);
void zr_free_pools(zr_builder *builder);

#endif
