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

/* As zr_accelerate; M, Q, A and b are there. */
zw_status zr_accelerate_driven(zw_sim *sim, zr_solving *run, const zr_wanted *w);

/* As zr_solve_at and zr_solve_ideal_at; the force of the motors is part of the whole force, neither
 * of the ideal nor of the non-ideal one. */
zw_status zr_solve_driven(zw_sim *sim, const zk_source *s, bool nonideal, zw_gauss_answer *answer);

/* At the simulation's state, after its start: whether motors can do what is asked for. */
zw_status zr_check_drive(zw_sim *sim);
/* The message about drive->trouble. */
zw_status zr_report_drive(zw_sim *sim);

#endif
