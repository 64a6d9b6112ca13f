/*
 * Shares: the forces that rows which depend on each other can have without a change of motion
 * (share_space.c), a small linear program over them (share_program.c), the margin of what sticks
 * (stick_margin.c).
 */
#ifndef ZG_SHARE_SPACE_H
#define ZG_SHARE_SPACE_H

#include "mode_laws.h"

/* Pressures of joints by forces, with the signs they have for x and of what slides in t (joint_shares.c). */
void zg_begin_presses(const zg_island *c, zg_mode_system *s, const zg_trial *t, const double *x);

/* rho of friction n, on joints, for forces x; constant: the part without forces included. */
double zg_press_at(const zg_island *c, const zg_mode_system *s, int32_t n, const double *x,
                   bool constant);
bool zg_press_is_shared(const zg_island *c, const zg_mode_system *s, int32_t nullity, int32_t n);

/* How many choices of signs there are that shares may bring about, and the signs of one of them, by those at hand: twice the
 * same pattern leads back. */
int32_t zg_count_patterns(const zg_island *c, const zg_mode_system *s, const zg_trial *t,
                          int32_t nullity);
void zg_reverse_presses(const zg_island *c, zg_mode_system *s, const zg_trial *t, int32_t nullity,
                        int32_t pattern);

/* Directions of several multipliers become those of x; whether there are any. */
bool zg_turn_presses(const zg_island *c, zg_mode_system *s, const zg_trial *t, const double *x);

/* Z [nullity*r] = s->Z: changes of x without a change of G x that the equations of t's mode allow, friction that
 * slides included, on joints by zg_begin_presses; orthonormal by V [r] (NULL: 1) over the rows that hold. Returns
 * nullity. Overwrites s->U, s->K, s->newton. */
int32_t zg_share_space(const zg_island *c, zg_mode_system *s, const zg_trial *t, const double *V);

/* Whether a row has a part in Z. */
bool zg_is_shared(const zg_island *c, const zg_mode_system *s, int32_t nullity, int32_t row);

/*
 * zg_share_program (contact_space.h): max s over (y, s), n = nullity + 1 unknowns, with row_i (y, s) + b_i >= 0. The last unknown is s.
 * The first n + nullity rows are a box, |y_j| <= `most`, s <= `most`, by which it begins and which keeps it bounded.
 */
void zg_begin_program(zg_share_program *p, int32_t nullity, double most);

/* A row to fill in: returns where; b its constant. */
double *zg_add_row(zg_share_program *p, int32_t owner, double b);

/* False: nothing satisfies all rows. */
bool zg_solve_program(zg_share_program *p);

/* [n] >= 0, how much s depends on each row of the basis: where it is more than 0 the row holds in every
 * solution. NULL: it cannot be found. */
const double *zg_program_dual(zg_share_program *p);

/* Drops the rows from `first` on that do not hold at the solution. */
void zg_drop_rows(zg_share_program *p, int32_t first);

/* Largest least margin s of what sticks in t, and of what touches without it, over all shares: x becomes a share
 * that has it; `all`: that of all margins. False: it cannot be found, and x is as it was. Only where the rank is not
 * full. */
bool zg_best_share(const zg_island *c, zg_mode_system *s, const zg_trial *t, bool all, double *x);

#endif
