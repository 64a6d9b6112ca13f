/*
 * Rates of the 8 stages of gauss16 side by side (stages.c).
 */
#ifndef ZR_STAGES_H
#define ZR_STAGES_H

#include "run.h"

/* Whether the run has its stages in lanes, in all or in part; what they take. size: of y. */
bool zr_stages_serve(const zw_sim *sim);
zw_status zr_open_stages(zw_sim *sim, int32_t size);

/* zi_system.stages. */
zw_status zr_rates_of_stages(void *user, bool first, const double *t, const double *y, double **dy);

#endif
