/*
 * Motors beside contacts and friction (beside_contacts.c).
 */
#ifndef ZR_BESIDE_CONTACTS_H
#define ZR_BESIDE_CONTACTS_H

#include "actuate.h"

zw_status zr_open_beside(zw_sim *sim); /* memory, where there are both */

/* With the rows of a state factored, driven ones off: z and lambda of each motor's unit push into
 * drive->push_z and push_lambda, P and the scales of the law, its limits and weights. */
zw_status zr_find_motor_pushes(zw_sim *sim, const zk_source *s);

/* Whether motors are where they were assumed [count] to be, after so many rounds; at a limit to rounding is either. */
bool zr_do_limits_agree(const zr_drive *d, const int8_t *assumed, int round);

/* As zr_accelerate_driven and zr_solve_driven; friction that slides is in contacts->force. */
zw_status zr_accelerate_beside(zw_sim *sim, zr_solving *run, const zr_wanted *w);
zw_status zr_solve_beside(zw_sim *sim, const zk_source *s, bool nonideal, zw_gauss_answer *answer);

#endif
