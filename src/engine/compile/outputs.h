/*
 * Outputs of a model, `output NAME = E`: what build_outputs.c makes and state/outputs.c evaluates. The
 * elements of all outputs are numbered on in declared order; the passes of their families write each
 * to its number.
 */
#ifndef ZR_OUTPUTS_H
#define ZR_OUTPUTS_H

#include "builder.h"

/* What must be there before outputs are evaluated. */
typedef struct zr_needs {
    bool acceleration, measures;
} zr_needs;

/* Elements in which accelerations or reactions stand are apart from the others. */
typedef enum zr_output_part { ZR_OUTPUT_DIRECT, ZR_OUTPUT_SOLVED, ZR_OUTPUT_PARTS } zr_output_part;

struct zr_outputs {
    zr_passes passes[ZR_OUTPUT_PARTS];
    zr_needs needs;
    int32_t *first; /* [output_count + 1] number of each output's first element */
    bool *solved;   /* [elements] */
};

void zr_build_outputs(zr_builder *b); /* model->outputs */
void zr_free_outputs(zw_model *model);
zr_needs zr_outputs_need(const zw_model *model);
int32_t zr_output_elements(const zw_model *model);
int32_t zr_output_passes(const zw_model *model, const zr_passes **passes); /* how many lists */
int32_t zr_output_first(const zw_model *model, int32_t output); /* its first element */
bool zr_output_solved(const zw_model *model, int32_t element);  /* needs a solve */

#endif
