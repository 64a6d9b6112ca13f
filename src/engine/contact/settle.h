/*
 * Settling: at a moment at which contacts close, open, stick or slip, velocities jump as impacts
 * have it and the mode is chosen anew (settle.c, contact_mode.c).
 */
#ifndef ZR_SETTLE_H
#define ZR_SETTLE_H

#include "run.h"
#include "touch_space.h"

/* What has happened to a simulation's contacts at this moment. */
typedef struct zr_happening {
    const bool *closing;     /* [contacts] or NULL: gaps that have come to 0 */
    const bool *resting;     /* [frictions] or NULL: slips that have come to 0 */
    const zg_choice *forced; /* [forced_count] of the model's contacts and frictions */
    int32_t forced_count;
    const double *z; /* [n] accelerations before, or NULL: not known */
    bool fresh;      /* there is no mode before */
    bool let_go;     /* there was one, mode_before, and an event has set other values */
    bool first;      /* the run begins here */
    bool impacts;    /* approaching contacts collide; otherwise they count as closed */
} zr_happening;

/* Which contacts touch is found, velocities [n] jump, q and v [n] are brought onto the rows of the
 * mode, which is entered. */
zw_status zr_settle(zw_sim *sim, double t, double *q, double *v, const zr_happening *what);

/* The mode at a state as it is: nothing moves. Contacts that approach count as open. */
zw_status zr_decide_mode(zw_sim *sim, double t, const double *q, const double *v);

/* Of a gap, from the absolute tolerances of a run's coordinates, by the rows of the last settling. */
double zr_height_tolerance(const zw_sim *sim, int32_t row);

/* Accelerations of gaps of open contacts in the space's state at accelerations z [n], into contacts->pull. */
void zr_find_pulls(zw_sim *sim, const double *z);

/* |A_i| in the metric of the inverse of M's diagonal, with all masks on, at the state of the space. */
double zr_row_length(const zw_sim *sim, int32_t i);

/* share_multipliers.c: forces of the mode at a state, in space->x. For contacts->share. */
zw_status zr_find_mode_forces(zw_sim *sim, const zk_source *s);
zw_status zr_share_multipliers(zw_sim *sim, const zk_source *s, double *lambda);

/* contact_log.c: what has changed between mode_before and the mode; a contact that is no longer implied. */
void zr_note_changes(zw_sim *sim, double t, bool first);
void zr_note_opening(zw_sim *sim, double t, int32_t contact);

/* contact_watch.c: rank and roads of a run in the mode that was entered. */
void zr_renew_roads(zw_sim *sim);

/* The mode of the simulation in the numbers of the space that is filled: space->last. */
void zr_describe_mode(const zw_sim *sim);

/* contact_mode.c: the mode in the space that is filled; slips up to rest [slips] are none. It is the
 * simulation's, not yet entered. ZW_ERR_CONTACT: see sim->contacts->trouble. */
zw_status zr_find_mode_in_space(zw_sim *sim, const double *rest, const zr_happening *what);

/* motor_limits.c. All motors count as inside of their limits; whether they are others at the mode that was
 * found, at a state, after so many rounds: then it is to be looked for again. */
enum { zr_most_limit_rounds = 12 };
void zr_forget_limits(zw_sim *sim);
/* Forces x of candidates would grow without end: a motor is taken to be at its limit. False: there is none. */
bool zr_give_up_a_motor(zw_sim *sim, const double *x);
zw_status zr_do_limits_change(zw_sim *sim, double t, const double *q, const double *v, int round,
                              bool *change);

#endif
