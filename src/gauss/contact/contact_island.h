/*
 * Islands of an instant (contact_island.c).
 */
#ifndef ZG_CONTACT_ISLAND_H
#define ZG_CONTACT_ISLAND_H

#include "contact_space.h"

/* Row i of G: columns *first .. *end - 1. */
const double *zg_instant_row(const zg_instant *instant, int32_t i, int32_t *first, int32_t *end);

/* Numbers the islands of an instant in space->island_of, and lists what is in them; how many. */
int32_t zg_split_islands(zg_contact_space *space, const zg_instant *instant);

/* space->island = island `number` of those that were split last, scaled. */
void zg_gather_island(zg_contact_space *space, const zg_instant *instant, int32_t number,
                      const zg_contact_tolerance *tolerance);

/* The mode of a caller as that of the island's, and back with forces; NULL arrays are left out. */
void zg_gather_mode(const zg_island *c, const zg_mode *mode, zg_trial *t);
void zg_scatter_mode(const zg_island *c, const zg_trial *t, const zg_mode *mode);
void zg_scatter_forces(const zg_island *c, const zg_trial *t, const zg_instant *instant, double *x,
                       double *u, uint8_t *row);

/* lambda [joints] = lambda0 + L x. */
void zg_write_multipliers(const zg_instant *instant, const double *x, double *lambda);

#endif
