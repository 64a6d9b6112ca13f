/*
 * The equations of a mode (mode_system.c) and the pressures of its joints (joint_pressure.c).
 */
#ifndef ZG_MODE_SYSTEM_H
#define ZG_MODE_SYSTEM_H

#include "contact_space.h"

/* Forces, accelerations, pressures of t's mode by its equations; t->solved says whether they are there. */
void zg_solve_trial(const zg_island *c, zg_mode_system *s, zg_trial *t);

/* Whether a friction can have a force in this mode: its contact touches, or presses besides. */
bool zg_has_pressure(const zg_island *c, const zg_trial *t, int32_t friction);

/* t->lambda and t->rho from its x; t->u as well. */
void zg_note_pressures(const zg_island *c, zg_trial *t);
void zg_note_motion(const zg_island *c, zg_trial *t);

/* Right after zg_solve_trial: the force that a row which is open would carry if it took its share by springs;
 * -HUGE_VAL where it does not depend on the rows that hold. */
double zg_spring_force(const zg_island *c, const zg_mode_system *s, const zg_trial *t, int32_t row);

/* Of which it is made: z [rank] = G_BB^-1 G_B,row with B the basis of the rows that hold; how far springs in B press
 * the row in, z V x_B; what B leaves of the entry (row, column) of G. */
void zg_spring_row(const zg_island *c, const zg_mode_system *s, int32_t row, double *z);
double zg_spring_length(const zg_island *c, const zg_mode_system *s, const zg_trial *t,
                        const double *z);
double zg_spring_left(const zg_island *c, const zg_mode_system *s, int32_t row, int32_t column,
                      const double *z);

/* Right after zg_solve_trial: u [r] that a force 1 in a row besides adds, the mode's rows holding on; pressures of
 * joints are left as they are. */
void zg_respond(const zg_island *c, const zg_mode_system *s, const zg_trial *t, int32_t row,
                double *u);

/* x = B^-1 x, B [n*n] by rows, overwritten. False: singular. */
bool zg_solve_square(int32_t n, double *B, double *x);

/* Whether the pressure is that of one multiplier of a joint, which has a sign. */
bool zg_is_single(const island_friction *f);

/* lambda [joints] of the island for forces x; constant: lambda0 included. */
void zg_find_multipliers(const zg_island *c, const double *x, bool constant, double *lambda);

/* rho >= 0 of a joint from the island's lambda; gradient [joints of it]. */
double zg_joint_pressure(const island_friction *f, const double *lambda, double *gradient);

/* rho [s->joints] of rho_j = g_j(H_0 + H rho), its feedback, and whether there are several. Where t asks for a
 * sign, rho may be below 0. False: none was found. */
bool zg_settle_pressures(const zg_island *c, zg_mode_system *s, zg_trial *t, double *rho);

#endif
