/*
 * Evaluating the fused programs (compile/fused.h): by the road of that name, by the rates of a run,
 * which take the powers from the same program, and by crowds, which evaluate it in lanes.
 */
#ifndef ZR_ROAD_FUSED_H
#define ZR_ROAD_FUSED_H

#include "roads.h"

/* solver->form, for the masks that there are; after every change of them. */
void zr_choose_form(zw_sim *sim);

/* The hoisted values of sim->values, behind the model's own; after every change of parameters. */
void zr_fused_parameters(zw_sim *sim);

/* The acceleration [n] by this road, valid until the next fused program is evaluated; NULL: it does
 * not serve here. The solver's fused_condition is then there. */
const double *zr_fused_acceleration(zw_sim *sim, const double *t, const double *q, const double *v);
/* For the run: the last acceleration was by this road. */
void zr_note_fused(zw_sim *sim, zr_solving *run);

/* Positions alone onto the rows that are on; v is not changed. False: not, and nothing has. */
bool zr_project_positions_fused(zw_sim *sim, double t, double *q, double *v);

/* Whether runs with these settings may take this road; and in the mode that was entered. */
bool zr_may_fuse(const zw_model *model, const zw_run_settings *settings);
bool zr_fused_serves(const zw_sim *sim, const zw_run_settings *settings);

/* Where steps no longer help: whether what a side is off is rounding of what its rows touch.
 * residual, magnitude [rows], A [A.count], x [n], each `stride` apart. */
typedef struct zr_fused_left {
    const double *residual, *magnitude, *A, *x;
    int32_t stride;
} zr_fused_left;
bool zr_fused_good_enough(const zw_model *model, const zr_fused_side *side,
                          const zr_fused_left *left);
enum { zr_fused_rounds = 8 }; /* of a projection */

#endif
