/*
 * The mode of contacts at the state that somebody asks about (ask_mode.c).
 */
#ifndef ZR_ASK_MODE_H
#define ZR_ASK_MODE_H

#include "run.h"

/* The mode is that of the simulation's state: decided where a caller has set it. ZW_ERR_CONTACT: the
 * laws of contact say of no motion, or of several; contacts are open then. */
zw_status zr_ready_mode(zw_sim *sim);

/* The mode becomes that of another state, or stays where it is the simulation's own; *aside: what is
 * kept of a run must come back by zr_end_aside, also after a failure. */
zw_status zr_begin_aside(zw_sim *sim, double t, const double *q, const double *v, bool *aside);
void zr_end_aside(zw_sim *sim);

/* The simulation's state onto the equations, and onto inequalities that do not hold. No run. */
zw_status zr_project_with_contacts(zw_sim *sim);

#endif
