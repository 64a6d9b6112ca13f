/*
 * Coulomb friction in accelerations (friction.c): what slides is held back by mu times what presses,
 * which the friction itself changes. Both are found together.
 */
#ifndef ZR_FRICTION_H
#define ZR_FRICTION_H

#include "contacts.h"
#include "roads.h"

/* The masks of the mode, or all on or off; with all that depends on them. */
void zr_enter_mode(zw_sim *sim);
void zr_enter_masks(zw_sim *sim, bool on);
/* At a state the rows of all that is closed or sticks, also those that follow from others, evaluated and
 * factored; then those of the mode again. */
zw_status zr_factor_closed(zw_sim *sim, const zk_source *s);
zw_status zr_factor_mode(zw_sim *sim, const zk_source *s);

static inline bool zr_any_slides(const zw_sim *sim)
{
    return sim->contacts && sim->contacts->sliding > 0;
}

/* Where something slides, at a state whose M, Q, A and b are in sim and whose rows are factored:
 * contacts->total becomes Q with friction, contacts->force the friction in it, contacts->pressure
 * what presses. extra [n], or NULL: a further force that presses, too. ZW_ERR_CONTACT: no
 * pressures, or several, go with the law. */
zw_status zr_add_friction(zw_sim *sim, const zk_source *s, const double *extra);

/* What presses friction k at multipliers lambda [m]: what the model says, or their norm. */
double zr_press(zw_sim *sim, const zk_source *s, int32_t k, const double *lambda);

/* As zr_accelerate where something slides. */
zw_status zr_accelerate_sliding(zw_sim *sim, zr_solving *run, const zr_wanted *w);

/* What it is made of, at a state whose M, Q, A and b are there: the factor, by the quick solver where
 * rows that are on are independent; C with its measures, w->z is scratch. */
zw_status zr_factor_sliding(zw_sim *sim, zr_solving *run);
zw_status zr_find_nonideal_sliding(zw_sim *sim, const zr_wanted *w);
/* `times` the force of friction k per unit of what presses is added to to [n]. */
void zr_add_friction_column(const zw_sim *sim, int32_t k, const double *v, double times,
                            double *to);
/* What slides, into contacts->which; how many. Of number a multipliers per unit of pressure are those of the vector
 * [m] zr_way_of, in the rows of its island: others' lie in the same vector. */
int32_t zr_list_sliding(zw_sim *sim);
double *zr_way_of(const zw_sim *sim, int32_t a);
/* contacts->pressure of the first `count` of contacts->which, by their ways and multipliers without friction in
 * contacts->base. */
zw_status zr_find_pressures(zw_sim *sim, const zk_source *s, int32_t count);
/* Gauss elimination with partial pivoting of X [size*size], x [size] in place; false: singular. */
bool zr_solve_small(double *X, double *x, int32_t size);

/* Multipliers of the rows of frictions that slide: the friction along each, at velocities v [n]. lambda [m]. */
void zr_write_sliding_multipliers(const zw_sim *sim, const double *v, double *lambda);

#endif
