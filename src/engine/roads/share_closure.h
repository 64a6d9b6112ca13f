/*
 * How contacts that depend on each other share their load where something slides (share_closure.c).
 */
#ifndef ZR_SHARE_CLOSURE_H
#define ZR_SHARE_CLOSURE_H

#include "row_selection.h"

/* Finds the dependencies of all rows, by the factor at hand, unless that is done already. From then on zr_solve_rows with this
 * factor gives multipliers that obey the closure. Nothing where no friction slides, or the factor is the quick one,
 * which is of independent rows. */
zw_status zr_close_shares(zw_sim *sim, zr_rows *all);

/* lambda [m] becomes the one of the closure. */
void zr_apply_closure(const zr_closure *closure, double *lambda);

#endif
