/*
 * study: questions about a state that need derivatives: tangents, linearisations, equilibria and modes.
 */
#ifndef ZR_STUDY_H
#define ZR_STUDY_H

#include "columns.h"
#include "vary.h"

/* sim->vary at the simulation's state, in its mode of contacts; with second derivatives if `twice`.
 * Reports why there are no derivatives. */
zw_status zr_study_state(zw_sim *sim, bool twice, zr_vary **vary);

/* The parameter that may be varied: reports structural ones (E0733). */
zw_status zr_check_varied(zw_sim *sim, int32_t parameter);

#endif
