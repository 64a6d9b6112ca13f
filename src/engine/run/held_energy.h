/*
 * The energy of a run held at its value (held_energy.c).
 */
#ifndef ZR_HELD_ENERGY_H
#define ZR_HELD_ENERGY_H

#include "run.h"

/* Whether the settings ask for it and the model conserves it; what it takes. Before the stepper. */
bool zr_may_hold_energy(const zw_sim *sim);
zw_status zr_open_held_energy(zw_sim *sim);

/* zi_system.hold. */
void zr_hold_energy(void *user, double t, double *y, double *carry);

#endif
