/*
 * Accelerations under controls that motors enforce (actuate.c).
 */
#ifndef ZR_ACTUATE_H
#define ZR_ACTUATE_H

#include "drive.h"
#include "roads.h"

zw_status zr_open_drive(zw_sim *sim); /* sim->drive; NULL where there are no motors */

/* With the rows of a state factored, its M, Q, A and b in sim: what the motors give under the force
 * f [n], into drive->u, force, total, slack and bent. ZW_ERR_CONTROL: drive->trouble says why. */
zw_status zr_add_motors(zw_sim *sim, const zk_source *s, const double *f);

/* At the simulation's state, after its start: whether motors can do what is asked for. */
zw_status zr_check_drive(zw_sim *sim);
/* The message about drive->trouble. */
zw_status zr_report_drive(zw_sim *sim);

#endif
