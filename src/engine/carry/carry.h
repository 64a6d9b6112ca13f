/*
 * carry: tangents along a run. Each *direction* is how the whole motion moves where one parameter, or
 * one value of the start, does; its tangent dy = (dq, dv) is carried from the start over the steps that
 * the run makes, with their stages and lengths.
 *
 *     start (carry_start.c) --> steps and projections (carry_run.c) --> rows of columns
 *                                     `--> events and turns of switches (carry_events.c)
 *
 * Where there is no derivative the run ends there, ZW_ERR_DERIVATIVE, and it is said why
 * (carry_words.c). Memory is taken when directions are asked for, and when a run begins.
 */
#ifndef ZR_CARRY_H
#define ZR_CARRY_H

#include "run.h"
#include "vary.h"

/* What moves by 1. */
typedef struct zr_by {
    int32_t parameter; /* an element; -1: none */
    int32_t entry;     /* of the given (q, v), then */
} zr_by;

typedef enum zr_carry_trouble {
    ZR_CARRY_WORKS,
    ZR_CARRY_GRAZES,  /* an event is only touched: E0731 */
    ZR_CARRY_RANK,    /* rows lose their rank: E0732 */
    ZR_CARRY_RULE,    /* there is no rule for what goes on, `why`: E0732 */
    ZR_CARRY_FAR,     /* an event sets positions far from the constraints: E0734 */
    ZR_CARRY_TOGETHER /* events that come at once, each by itself: E0734 */
} zr_carry_trouble;

typedef struct zr_carried {
    zw_sim *sim;
    zr_vary *vary;
    zb_arena arena, run_arena; /* of the directions; of a run */
    int32_t count, n;          /* directions, coordinates */
    zr_by *by;                 /* [count] */
    double *rates;             /* [count * parameters] how all parameters move */
    double *start;             /* [count * 2 n] at the state that the run begins from */
    double *state, state_t;    /* [2 n] that state */
    zi_tangents tangents;      /* its rows are there while a run goes on */
    double *shown;             /* [count * 2 n] at the simulation's state */

    /* at a moment inside a step: as it moves with the moment itself, dt of it */
    double *moved;     /* [count * 2 n] */
    double *dt;        /* [count] */
    bool stopped;      /* the motion has ended at such a moment: `moved` is shown */
    double *f;         /* [2 n] y' before, or after */
    double *correct;   /* [n] what a projection did */
    double *set;       /* [2 n] values that events have set */
    double *before;    /* [2 n] f before a contact changes */
    bool first;        /* no gap has been crossed at this moment yet */
    double *gap;       /* [gaps of events and switches] rates of them */
    double *passing;   /* [the same] along the motion */
    double *reset;     /* [2 n + 1] */
    double *jump;      /* [2 n] scratch */
    int64_t set_count; /* settings by handle when the run began */

    zr_carry_trouble trouble;
    double trouble_t;
    const char *why;
    int32_t event; /* that grazes; -1: a condition */
} zr_carried;

static inline double *zr_tangent_of(const zr_carried *c, double *all, int32_t i)
{
    return all + (size_t)i * 2 * (size_t)c->n;
}

/* The direction i as the programs take it; dy [2 n] of it. */
zr_direction zr_direction_of(const zr_carried *c, int32_t i, const double *dy, double dt);

/* Directions [count] are carried from the simulation's state on; 0: none are. Reports what cannot be. */
zw_status zr_carry_from_here(zw_sim *sim, const zr_by *by, int32_t count);
void zr_carried_free(zw_sim *sim);

/* Tangents at the start of the simulation, into c->start. */
zw_status zr_carry_start(zr_carried *c);

/* c->shown becomes what it is at the simulation's state, c->dt how that state's time moves. */
zw_status zr_carry_shown(zr_carried *c);

/* What a projection onto the rows made of dy [2 n]: at (t, q, v), which is on them. correct [n] or NULL: by
 * how much it has changed velocities. */
zw_status zr_carry_projection(zr_carried *c, int32_t i, double t, const double *y, double *dy,
                              double dt, const double *correct);

/* The state with its factor; fails with a trouble where there is no rule. */
zw_status zr_carry_at(zr_carried *c, double t, const double *q, const double *v);
/* Why a run cannot begin with tangents, or none can be carried from its start: E0732. */
zw_status zr_report_no_carry(zw_sim *sim, zw_status status);

zw_status zr_carry_fails(zr_carried *c, zr_carry_trouble trouble, double t, const char *why);

#endif
