/*
 * What is computed from parameters alone, once they have changed: constant parts, preludes, what
 * factors know of M. Takes no memory.
 */
#include "road_fused.h"
#include "road_parts.h"

void zr_renew_parameters(zw_sim *sim)
{
    zr_parameters_changed(sim);
    zr_fused_parameters(sim);
    zr_parts_parameters(sim);
    zr_forget_mass(sim);
}
