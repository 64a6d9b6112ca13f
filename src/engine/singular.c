/*
 * The limit acceleration.
 */
#include "run.h"

zw_status zr_limit_acceleration(zw_sim *sim, const zk_source *s, double *z)
{
    (void)s;
    (void)z;
    sim->run->stats.singular++;
    return ZW_OK;
}
