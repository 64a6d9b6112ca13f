/*
 * Many members of one model.
 */
#include "run.h"

zw_status zr_ensemble_run(zw_model *model, const zw_run_settings *settings, zw_ensemble *ensemble)
{
    (void)model, (void)settings, (void)ensemble;
    return ZW_ERR_METHOD;
}
