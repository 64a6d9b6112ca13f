/*
 * Friction that creeps (creep.c): where it slides in a plane or in space and its slip is small, the
 * direction that it is against follows from the forces.
 */
#ifndef ZR_CREEP_H
#define ZR_CREEP_H

#include "contacts.h"
#include "roads.h"

static inline bool zr_any_creeps(const zw_sim *sim)
{
    return sim->contacts && sim->contacts->creeping > 0;
}

/* Directions of all that creeps in the mode, at a state: contacts->creep. M, Q, A and b, and the
 * factor, are those of another state afterwards. */
void zr_follow_creep(zw_sim *sim, zr_solving *run, const zk_source *s);

/* The velocities v [n] at the end of a step lose what slips across these directions, as they would at
 * once: by impulses of the frictions. */
void zr_end_creeping_step(zw_sim *sim, zr_solving *run, double t, const double *q, double *v);

/* Friction k is against creep.direction; else against its slip. */
bool zr_creeps_along(const zr_contacts *c, int32_t k);

#endif
