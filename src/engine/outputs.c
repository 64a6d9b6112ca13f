/*
 * Outputs.
 */
#include "run.h"

void zr_build_outputs(zr_builder *b)
{
    (void)b;
}
void zr_free_outputs(zw_model *model)
{
    (void)model;
}
zr_needs zr_outputs_need(const zw_model *model)
{
    (void)model;
    return (zr_needs){false, false};
}
int32_t zr_output_elements(const zw_model *model)
{
    (void)model;
    return 0;
}
void zr_outputs_at(zw_sim *sim, const zk_source *s, double *out)
{
    (void)sim;
    (void)s;
    (void)out;
}
