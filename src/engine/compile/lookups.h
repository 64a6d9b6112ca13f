/*
 * Lookups of a model: calls of data, road(E), in its expressions (build_lookups.c).
 *
 * In programs a lookup is the polynomial of the piece that E is in,
 *
 *     c0 + s (c1 + s (c2 + s c3)),   s = E - x,
 *
 * whose numbers are values of the simulation behind those of the model. They are found from the state
 * wherever programs are evaluated at one (data_pieces.c). While a step is made they stay: a switch
 * (switches.h) over the count of knots, number + (E - from) per_length, holds the piece, and the step
 * ends where E leaves it. So methods see smooth functions, and programs know no data.
 */
#ifndef ZR_LOOKUPS_H
#define ZR_LOOKUPS_H

#include "builder.h"

/* Values of a lookup; the last is of data_pieces.c: the number of the piece + 1/2, 0 at first. */
enum {
    zr_piece_x,
    zr_piece_c,
    zr_piece_from = 5,
    zr_piece_number,
    zr_piece_per_length,
    zr_piece_key,
    zr_piece_values
};

typedef struct zr_lookup {
    int32_t table; /* of zm->tables */
    zx_pool *pool;
    zx_node argument; /* E, itself over values of the lookups before */
    zx_node count;    /* of knots */
    zk_program *code; /* of E */
    int32_t first;    /* of its values */
    bool moves;       /* the motion depends on it */
    int32_t family;   /* in which it stands */
    zx_node written;  /* the call there, as in the text */
    int32_t turn;     /* its switch, -1: none */
} zr_lookup;

struct zr_lookups {
    zr_lookup *list; /* [count] */
    int32_t count, capacity;
    int32_t first_value;
};

/* model->lookups, NULL where there are none; until zr_put_back_conditions families are without calls
 * of data, drawings for good. */
void zr_build_lookups(zr_builder *b);
void zr_free_lookups(zw_model *model);
/* From here on values are of lookups: the state changes them. */
int32_t zr_first_lookup_value(const zw_model *model);
/* The lookup that a value belongs to, or NULL. */
const zr_lookup *zr_lookup_of_value(const zw_model *model, int32_t value);

#endif
