/*
 * The elements of all outputs of a model (outputs.h) at a state. Those in which neither
 * accelerations nor reactions stand never wait for a solve.
 */
#include <string.h>

#include "outputs.h"
#include "sim.h"

/* Passes add to what is there: all elements begin with 0. */
void zr_direct_outputs_at(zw_sim *sim, const zk_source *s, double *out)
{
    int32_t count = zr_output_elements(sim->model);
    if (count > 0) memset(out, 0, sizeof *out * (size_t)count);
    zr_evaluate_passes(sim, &sim->model->outputs->passes[ZR_OUTPUT_DIRECT], s, NULL, out);
}

void zr_outputs_at(zw_sim *sim, const zk_source *s, double *out)
{
    zr_direct_outputs_at(sim, s, out);
    zr_evaluate_passes(sim, &sim->model->outputs->passes[ZR_OUTPUT_SOLVED], s, NULL, out);
}
