/*
 * Starts that inequalities allow (start_gaps.c).
 */
#ifndef ZR_START_GAPS_H
#define ZR_START_GAPS_H

#include "sim.h"

/* Brings a level onto the rows that are on, from the given values; *met: it could be done, or a
 * compromise was accepted. quiet: what cannot be done is not told, and no error. */
typedef zw_status zr_try_fn(void *user, zr_order order, bool quiet, bool *met);

/* A level of the start with the inequalities of the model, of which there are some. */
zw_status zr_start_with_gaps(zw_sim *sim, zr_order order, zr_try_fn *try, void *user);

#endif
