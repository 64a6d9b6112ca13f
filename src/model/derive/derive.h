/*
 * What the passes after elaboration share: the workspace of a pass, symbolic derivatives of many
 * expressions, what the slots of an instance are bound to, and names to print. Private to this
 * layer.
 *
 * A pass (derivation, inspection, printing) is called by zm_with_workspace, which gives it a
 * *workspace*: an arena for what is thrown away at its end, and, for the nodes of the model's
 * pool, which leaves stand below each. The workspace is released when the pass ends, also when it
 * ends by running out of memory, which jumps.
 */
#ifndef ZM_DERIVE_H
#define ZM_DERIVE_H

#include "build.h"

/* Which leaves stand below a node, as bits. */
enum {
    ZM_HAS_TIME = 1,
    ZM_HAS_POSITION = 2,
    ZM_HAS_VELOCITY = 4,
    ZM_HAS_ACCELERATION = 8,
    ZM_HAS_VALUE = 16,
    ZM_HAS_MEASURE = 32,
    ZM_HAS_JUMP = 64,  /* an acceleration in a condition, sign or floor: no derivative shows it */
    ZM_HAS_STEP = 128, /* the same of a velocity */
    ZM_VARIES =
        ZM_HAS_TIME | ZM_HAS_POSITION | ZM_HAS_VELOCITY | ZM_HAS_ACCELERATION | ZM_HAS_MEASURE
};

/* What can be reached from the nodes of a pool: ZM_HAS_... bits of every node, found once for each;
 * and a walk below one node. The arrays are [capacity]. */
typedef struct zm_reach {
    zx_pool *pool;
    uint8_t *bits;  /* of the first `known` nodes */
    int32_t *stamp; /* the walk that has seen a node last */
    int32_t *stack;
    int32_t *found;
    int32_t known, capacity, walk;
} zm_reach;

/* What a pass works with; see above. */
typedef struct zm_workspace {
    zm_model *model;
    zx_pool *pool; /* &model->pool */
    zb_arena scratch;
    zm_reach reach;
} zm_workspace;

/* Calls pass(work, user) with a fresh workspace. False when memory ran out; model->memory->failure
 * then says why. */
typedef void (*zm_pass_fn)(zm_workspace *work, void *user);
bool zm_with_workspace(zm_model *model, zm_pass_fn pass, void *user);

/* ZM_HAS_... of a node. */
int zm_content_bits(zm_workspace *work, zx_node node);

/* The nodes below `root`, itself included, that have one of `bits`, in no particular order; and the
 * indices of the leaves of one sort below it, ascending. They are in work->reach.found until the
 * next walk; the result is their number. */
int32_t zm_find_nodes(zm_workspace *work, zx_node root, int bits);
int32_t zm_find_leaves(zm_workspace *work, zx_node root, zx_op leaf);

/* Derivatives of roots [count] by the leaves of one sort, the nonzero ones only. Entry (k, j) of
 * row `rows[k]` (NULL: k), sorted by place in roots, then column; entries in the scratch arena. */
typedef struct zm_entries {
    zm_entry *data;
    int32_t count;
} zm_entries;

/* By reverse sweeps: rows without a common leaf share one. */
zm_entries zm_derive_jacobian(zm_workspace *work, const zx_node *roots, const int32_t *rows,
                              int32_t count, zx_op leaf, int32_t slots);

/* Of a gradient g [count] by the velocities, column >= row only, by forward sweeps: columns without
 * a common row share one. */
zm_entries zm_derive_hessian(zm_workspace *work, const zx_node *g, const int32_t *rows,
                             int32_t count, int32_t slots);

/* The derivative of roots [count] along the motion with the velocities held: q' = v, t' = 1. */
void zm_derive_along_motion(zm_workspace *work, const zx_node *roots, int32_t count, int32_t slots,
                            zx_node *out);

/* phi with all accelerations or all velocities set to a number. */
zx_node zm_substitute_leaves(zm_workspace *work, zx_node phi, zx_op gone, double number);

/* The force of a family into Q in two parts: what was impressed, and what follows from inertia
 * (split_force.c). Entries by coordinate slot, in scratch. */
typedef struct zm_split {
    zm_entries impressed, inertial;
} zm_split;
zm_split zm_split_force(zm_workspace *work, const zm_family *family);
/* The same of an energy while it is derived: whether something follows from inertia, and the impressed
 * part. */
bool zm_has_inertial_force(zm_workspace *work, const zm_family *family);
zm_entries zm_impressed_force(zm_workspace *work, const zm_family *family);

/* Sorts entries by row and column, adds up those of one place, drops zeros. */
void zm_merge_entries(zm_workspace *work, zm_entries *entries);

void zm_sort_ints(int32_t *numbers, int32_t count); /* ascending */

bool zm_is_zero(const zx_pool *pool, zx_node node);

/* ------------------------------------------------------ instances (instantiate.c) */

/* What the slots of an instance are; NULL where a slot is the thing itself. */
typedef struct zm_binding {
    const zm_model *model;
    const int32_t *coordinates, *values, *measures;
    bool shown; /* for a reader: masks are left out, all rows hold */
} zm_binding;
zm_binding zm_binding_of(const zm_model *model, const zm_family *family, int32_t instance);

/* For zx_copy with a zm_binding: a slot's leaf becomes the thing itself, a constant a literal. */
zx_node zm_bind_leaf(void *user, zx_pool *to, const zx_item *leaf);

/* ---------------------------------------------------------- names (names.c) */

int32_t zm_coordinate_block_of(const zm_model *model, int32_t coordinate);

/* The indices (from 1) of an element in its block, 0 to 2 of them. */
void zm_block_index(const zm_block *block, int32_t element, int32_t index[2], int32_t *count);

/* As they are written in the model language; zm_value_text a parameter's name, or the number. */
void zm_value_text(const zm_model *model, int32_t value, zb_text *text);
void zm_measure_text(const zm_model *model, int32_t measure, zb_text *text);
/* The measure of a number; beyond those of the model the multipliers of its rows. */
zm_measure zm_measure_at(const zm_model *model, int32_t measure);

/* Whether a hidden value is a mask, which no reader sees; of the others contact(NAME), impulse(NAME),
 * with the row of a vector. */
bool zm_is_mask(const zm_model *model, int32_t value);
void zm_table_text(const zm_model *model, const zx_item *leaf, zb_text *text); /* road' */
void zm_hidden_text(const zm_model *model, int32_t value, zb_text *text);
void zm_leaf_text(const zm_model *model, const zm_family *family, int32_t instance,
                  const zx_item *leaf, zb_text *text);

#endif
