/*
 * The functions that tell what happens to contacts (zr_touching in run.h) at a state, and what they
 * were at the stages of a step (touch_values.c).
 */
#ifndef ZR_TOUCH_VALUES_H
#define ZR_TOUCH_VALUES_H

#include "run.h"
#include "touch_space.h"

/* Something is closed or may press, so that functions are forces. */
bool zr_has_touch_forces(const zr_contacts *c);

/* All functions at a state, value [functions]; those that say nothing now are 1. Rates of open
 * contacts are in contacts->gap then; where there are forces sim->lambda are the acting ones and
 * touching.z the accelerations. */
zw_status zr_find_touch_values(zw_sim *sim, const zk_source *s, double *value);

/* What was sampled belongs to another motion; or only its last state is part of the next step. */
void zr_forget_samples(zw_sim *sim);
void zr_keep_last_sample(zw_sim *sim);

/* Whether the samples of the last step say that no function comes near 0 in it; else touching.clear
 * says which do not. */
bool zr_is_touch_quiet(zw_sim *sim);
/* The functions that may, at a state inside the step; the others are 1. */
zw_status zr_find_searched_values(zw_sim *sim, const zk_source *s, double *value);
/* The functions at the end of the last step, sampled there; false: they are not known. */
bool zr_take_last_sample(zw_sim *sim);

#endif
