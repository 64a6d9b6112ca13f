/*
 * What can go wrong with contacts and friction, remembered where it is found (sim->contacts->trouble)
 * and told when the start, the beginning of a run or the run has failed with it.
 */
#ifndef ZR_TROUBLE_H
#define ZR_TROUBLE_H

#include "settle.h"

/* No mode, or several, in the space that is filled; found NULL: no impulses. contact: of the space,
 * -1. */
void zr_keep_trouble(zw_sim *sim, zg_outcome outcome, const zg_found *found, int32_t contact);

/* The numbers of laws, as evaluated last: of frictions and contacts in the space. ZW_ERR_CONTACT: one
 * is out of its range. */
zw_status zr_mind_laws(zw_sim *sim, double t);
/* The same of all, at the start, with their messages (E0505, E0406). ZW_ERR_START. */
zw_status zr_check_laws(zw_sim *sim);

/* Whether the gap of contact k, which should be 0 or above at this state, is beyond what a motion
 * leaves: it has jumped. Remembered where it is so. */
bool zr_has_jumped(zw_sim *sim, const zk_source *s, int32_t k);

/* ZW_ERR_CONTACT: of the contacts that touch one has jumped; sim->level is of this state, masks on. */
zw_status zr_refuse_jumps(zw_sim *sim, double t, const double *q, const double *v);

/* Positions that cannot meet all contacts that touch. */
void zr_keep_squeeze(zw_sim *sim, double t);

/* Whether friction jams at the simulation's state, in a run that could not go on; remembered. */
bool zr_find_jam(zw_sim *sim);

/* W0520, of the named constraints; friction: one of them, t NaN: not in a run. */
zw_status zr_warn_of_friction_shares(zw_sim *sim, const zr_name_ranges *names, int32_t friction,
                                     double t);

#endif
