/*
 * The run.
 */
#include "run.h"

void zr_run_free(zw_sim *sim)
{
    (void)sim;
}
