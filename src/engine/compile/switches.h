/*
 * Switches of a model: the conditions that the motion depends on, made by build_switches.c and
 * turned by a run (switching.c, moments.c).
 *
 * A *switch* is a surface that conditions change on: the *gap* a - b of a comparison, of `min` and
 * `max`, the operand of `abs` and `sign`, or of `floor`. Everything that changes on one surface
 * has one switch. Programs read its *slot*, a number behind the model's values:
 *
 *     side    -1 where a < b, 1 where a > b; between them while the motion slides on the surface
 *     floor   what floor gives
 *
 * zr_live_slot, or more: the condition is evaluated at the state itself, as it is written. It is so
 * but while a step is made: then all stages are on one side, and the motion is smooth.
 *
 * A *timed* switch is one that t alone moves. Its gap is kept as a list of operations, of which
 * bounds over a whole interval of time can be found.
 */
#ifndef ZR_SWITCHES_H
#define ZR_SWITCHES_H

#include "builder.h"

static const double zr_live_slot = 1e300;

/* A gap that t alone moves: operands are numbers of items, the last is the gap. */
typedef struct zr_clockwork {
    zx_item *items; /* [count] */
    int32_t count;
    bool of_slots; /* slots of other switches stand in it */
} zr_clockwork;

typedef struct zr_switch {
    bool is_floor;
    bool of_data; /* the floor of a count of knots (lookups.h) */
    bool timed;
    bool kept;    /* only ends steps: an event of t alone */
    bool braking; /* velocities stand in the gap: accelerations change its rate */
    zx_node a, b; /* of a side; of a floor a is the operand */
    zx_node gap;
    zx_node rate;    /* the first derivative of the gap in which accelerations stand */
    zx_node written; /* the gap as in the text, of family */
    int32_t family;
    zl_place place;     /* of its statement */
    zr_clockwork clock; /* of timed ones */
} zr_switch;

struct zr_switches {
    zr_switch *list;
    int32_t count, capacity;
    int32_t slots;      /* of them have one: the first */
    bool moving;        /* some are not timed */
    int32_t unwatched;  /* families with conditions that have no switches */
    zk_program *gaps;   /* [count] the gap of each; of timed ones 0 */
    zk_program *speeds; /* [count] its time derivative, likewise; accelerations may stand in it */
    zk_program *rates;  /* [count] zr_switch.rate */
    /* [count] sums of the sizes of the terms of gaps and of rates: rounding is in units of these */
    zk_program *gap_sizes, *rate_sizes;
};

/* A node of a family and what stood there before programs were made. */
typedef struct zr_kept_node {
    zx_node *at;
    zx_node node;
} zr_kept_node;

/* Every node of a family that programs are made of, in scratch; and what they are now will be put
 * back. */
zx_node **zr_list_family_nodes(zr_builder *b, const zm_family *f, int32_t *count);
void zr_keep_nodes(zr_builder *b, zx_node **at, int32_t count);

/* model->switches, NULL where there are none; until zr_put_back_conditions the families of the
 * model have held conditions in their derived nodes. */
void zr_build_switches(zr_builder *b);
void zr_put_back_conditions(zr_builder *b);
void zr_free_switches(zw_model *model);
int32_t zr_slot_count(const zw_model *model);
int32_t zr_first_hoisted_value(const zw_model *model); /* behind all slots (hoist.c) */

#endif
