/*
 * What a run remembers of its contacts (contact_record.c): sim->contacts->record and tally.
 */
#ifndef ZR_CONTACT_RECORD_H
#define ZR_CONTACT_RECORD_H

#include "trouble.h"

/* Nothing has happened yet. */
void zr_begin_record(zw_sim *sim);
/* An impact of the space that is filled, and the kinetic energy before it. */
void zr_note_impact(zw_sim *sim, const zg_impact *impact, double energy, double t);
/* All energy that was lost at this moment, whose impacts are noted: their losses add up to it. */
void zr_balance_losses(zw_sim *sim, double lost);
/* The mode that was found in the space and is taken. */
void zr_note_mode(zw_sim *sim, const zg_instant *instant);
/* A moment comes; at_once: no time has passed since the one before. */
void zr_note_moment(zw_sim *sim, bool at_once);
/* Gaps at the end of a step, contacts->gap. ZW_ERR_CONTACT: one has jumped. */
zw_status zr_note_gaps(zw_sim *sim, const zk_source *s);

#endif
