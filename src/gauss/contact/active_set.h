/*
 * Contacts without friction (active_set.c, block_pivoting.c).
 */
#ifndef ZG_ACTIVE_SET_H
#define ZG_ACTIVE_SET_H

#include "mode_laws.h"

/* 0 <= x_n, 0 <= u_n, complementary, for the contacts of an island; frictions are left out. t->contact is
 * where it begins and what is found: the rows of a basis carry x, those that follow from them touch
 * with x = 0. ZG_FOUND; ZG_CONFLICT: t->x has the rows in conflict (contact.h, `other`); ZG_UNDECIDED:
 * rounding does not let it end. *solves counts. */
zg_outcome zg_solve_contacts(const zg_island *c, zg_mode_system *s, zg_trial *t, int32_t *solves);

/* The same, for many: F changes in all broken contacts at once. False: rows of a trial set depend on each
 * other, or it takes too long; t->contact is as it was. */
bool zg_pivot_blocks(const zg_island *c, zg_mode_system *s, zg_trial *t, int32_t *solves);

#endif
