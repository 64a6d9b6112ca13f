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

/* B, limits and weights of the motors at a state, weights of the driven rows: for the law. */
zw_status zr_read_motors(zw_sim *sim, const zk_source *s);
/* What driven row i says of z [n]. */
double zr_driven_times(const zw_sim *sim, int32_t i, const double *z);
/* drive->force = B u, added to drive->total. */
void zr_write_drive_force(zw_sim *sim);
/* What cannot be done at a state is kept; ZW_ERR_CONTROL. */
zw_status zr_note_drive(zr_drive *d, const zk_source *s, zr_drive_kind kind, int32_t motor);

/* At the simulation's state, after its start: whether motors can do what is asked for. */
zw_status zr_check_drive(zw_sim *sim);
/* The message about drive->trouble. */
zw_status zr_report_drive(zw_sim *sim);

#endif
