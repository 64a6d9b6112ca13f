/*
 * Handles: numbers of a simulation, inputs and parameters, that a caller sets without text. What a
 * change of them can touch is found when the handle is given out, so that setting is cheap:
 *
 *     handle ──▶ elements of the parameters ──▶ those that follow by their formulas
 *                          └── stand in energies? in constraints?
 */
#ifndef ZR_HANDLES_H
#define ZR_HANDLES_H

#include "sim.h"

typedef struct zr_handle {
    int32_t first, count; /* elements of the parameters */
    bool followed;        /* formulas of others use it */
    bool moves_energy;    /* it stands in energies or masses, or what follows does */
    bool moves_rows;      /* likewise in constraints */
} zr_handle;

/* All memory is the context's. */
typedef struct zr_handles {
    zr_handle *list; /* [room] */
    int32_t count, room;
    bool *varies;          /* [parameter_count] may change in a run */
    bool *kept_overridden; /* [parameter_count] while a change is tried: as before, */
    double *kept;          /* [parameter_count] likewise */
    double *scratch;       /* [formulas] */
    size_t bytes;          /* of the block that begins with kept */
} zr_handles;

/* give_handle.c, as set_values.c has the rest; what others ask for is in engine.h. */
void zr_free_handles(zw_sim *sim);

/* The elements of a parameter, "m", "k[2]"; reports a name that there is not (E0108). */
zw_status zr_find_parameter(zw_model *model, const char *name, int32_t *first, int32_t *count);

#endif
