/*
 * What the tangents of a compression give back in the expansion (impact_back.c).
 */
#ifndef ZG_IMPACT_BACK_H
#define ZG_IMPACT_BACK_H

#include "contact_space.h"

/* Turns the tangents of frictions of two or three rows so that C points along the first of them; frame
 * [9*frictions] remembers how, x[0 .. count) are vectors of the island that turn with them. `wants`
 * [frictions]: where anything is given back. */
void zg_turn_tangents(zg_island *c, const bool *wants, const double *C, double *frame,
                      double *const *x, int32_t count);

/* A vector of the island back in the frame that it had. */
void zg_turn_vector_back(const zg_island *c, const double *frame, double *x);

/* f->back = part C_t, no more than mu times the normal impulse that is given back. */
void zg_keep_back(zg_island *c, int32_t friction, double part, const double *C);

#endif
