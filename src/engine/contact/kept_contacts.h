/*
 * Of many contacts that are closed most stay so, whatever happens to one. Those without restitution
 * and without friction are *kept* as equations at a moment, and those that something happens to are
 * alone in contact space, until what is kept would have to pull: its impulses and forces are looked
 * at afterwards. With all of them pushing, or 0, the laws are met by all contacts together, and what
 * meets the laws without friction is unique.
 */
#ifndef ZR_KEPT_CONTACTS_H
#define ZR_KEPT_CONTACTS_H

#include "settle.h"

/* Among those that touch; `what` happens at the state s. None where one that touches may bounce: of
 * its compression and expansion each would have to be looked at. */
void zr_choose_kept(zw_sim *sim, const zr_happening *what, const zk_source *s);
void zr_keep_none(zw_sim *sim);

/* [contacts] Those that touch and are not kept. */
const bool *zr_list_candidates(zw_sim *sim);

/* Whether a candidate of the space that is filled cannot move for what is kept. */
bool zr_kept_hold_others(const zw_sim *sim);

/* At forces x of the candidates, or impulses: what is kept and would pull becomes a candidate. *any:
 * there is such a one, and the space is to be filled anew. */
zw_status zr_widen_candidates(zw_sim *sim, const double *x, bool impulse, bool *any);

/* What is kept is struck, too, where impulses of the candidates come to it: those that
 * zr_widen_candidates found. */
void zr_note_kept_impulses(zw_sim *sim);

/* In the mode that was found among the candidates what is kept is closed. */
void zr_close_kept(zw_sim *sim);

#endif
