/*
 * Outputs of a model, `output NAME = E`: what build_outputs.c makes and state/outputs.c evaluates.
 * The elements of all outputs are numbered on in declared order; the passes of their families write
 * each to its number.
 */
#ifndef ZR_OUTPUTS_H
#define ZR_OUTPUTS_H

#include "builder.h"

/* What must be there before outputs are evaluated. */
typedef struct zr_needs {
    bool acceleration, measures;
} zr_needs;

/* The two parts of the elements: those in which accelerations or reactions stand wait for a solve,
 * the others never do. */
typedef enum zr_output_part { ZR_OUTPUT_DIRECT, ZR_OUTPUT_SOLVED, ZR_OUTPUT_PARTS } zr_output_part;

struct zr_outputs {
    zr_passes passes[ZR_OUTPUT_PARTS];
    zr_needs needs;
    int32_t *first; /* [output_count + 1] number of each output's first element */
    bool *solved;   /* [elements] */
    bool *shows;    /* [elements] columns stand in it: energy, force(x), ... */
};

void zr_build_outputs(zr_builder *b); /* model->outputs */
void zr_free_outputs(zw_model *model);
zr_needs zr_outputs_need(const zw_model *model);
int32_t zr_output_elements(const zw_model *model); /* of all outputs */
/* The lists of passes, one for each part; returns how many. */
int32_t zr_output_passes(const zw_model *model, const zr_passes **passes);
int32_t zr_output_first(const zw_model *model, int32_t output); /* its first element */
bool zr_output_solved(const zw_model *model, int32_t element);  /* needs a solve */
bool zr_output_shows(const zw_model *model, int32_t element);   /* a column stands in it */

#endif
