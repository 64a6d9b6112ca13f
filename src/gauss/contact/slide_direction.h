/*
 * Directions of what begins to slide in space (slide_direction.c).
 */
#ifndef ZG_SLIDE_DIRECTION_H
#define ZG_SLIDE_DIRECTION_H

#include "mode_system.h"

/* As zg_solve_trial; the directions of frictions of two or three tangents that begin to slide are found, too,
 * beginning with those of t (0: not known). Where none fits, those of the last round stay. */
void zg_solve_mode(const zg_island *c, zg_mode_system *s, zg_trial *t);

#endif
