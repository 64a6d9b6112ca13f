/*
 * Many members of one model; private to this folder.
 *
 *     crew      what all share: the members, the queue, the context's memory behind a lock
 *     worker    one thread: a simulation of its own, on which members run one after the other
 *               (ensemble_member.c), or lanes side by side (ensemble_crowd.c)
 *
 * The run of a member alone is the definition; lanes give the same bits or send the member away, to
 * be run alone. Each member writes its own places only, so that nothing depends on who runs it.
 */
#ifndef ZR_ENSEMBLE_H
#define ZR_ENSEMBLE_H

#include <stdatomic.h>

#include "road_fused.h"
#include "run.h"

typedef struct zr_crew {
    zw_model *model;
    const zw_run_settings *settings;
    zw_ensemble *ensemble;
    int32_t *element;      /* [name_count] of the model's values */
    unsigned char *status; /* [count] a zw_status */
    int32_t width;         /* lanes; 0: none */
    zb_memory *memory;     /* of the context; while threads run, behind the lock */
    zb_mutex lock;
    double asked; /* when poll was asked last; of the calling thread */
    _Atomic int64_t taken, through;
    _Atomic int32_t busy; /* threads at work */
    _Atomic bool over;    /* poll has said so */
} zr_crew;

typedef struct zr_worker {
    zr_crew *crew;
    zb_memory memory;  /* through the crew's */
    zw_status refusal; /* why that refused last */
    zw_sim *sim;
    double *scratch; /* [formulas.count] */
    zw_run_settings settings;
    bool calling; /* in the caller's thread: asks poll */
    zb_thread thread;
} zr_worker;

/* The next member to run; false: none is left, or it is over. */
bool zr_take_member(zr_worker *worker, int64_t *member);
/* Asks poll, when this is the caller's thread; unless `due` only now and then. */
void zr_ask(zr_worker *worker, bool due);

/* ensemble_member.c: the values of a member's parameters; what is computed from them is left.
 * ZW_ERR_SETTING: one is not a number. */
zw_status zr_member_values(zr_worker *worker, int64_t member);
/* From its start, as the definition has it; results are written. */
void zr_member_alone(zr_worker *worker, int64_t member);
/* The member is through with this state [2n]. */
void zr_member_ends(zr_worker *worker, int64_t member, const zw_member *end, const double *state);
/* It was not run to its end: it stays at its start. */
void zr_member_stays(zr_worker *worker, int64_t member, zw_status status);
double *zr_member_state(const zr_crew *crew, int64_t member);             /* [2n] */
double *zr_member_sample(const zr_crew *crew, int64_t member, int32_t k); /* [2n] */

/* ensemble_crowd.c: lanes for runs with these settings, 0 when they cannot serve. */
int32_t zr_choose_lanes(const zw_model *model, const zw_run_settings *settings, double t);
/* Members side by side until none is left. Any failure comes before the first is taken. */
zw_status zr_run_lanes(zr_worker *worker);

#endif
