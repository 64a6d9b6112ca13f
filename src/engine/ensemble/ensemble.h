/*
 * Ensembles: many runs of one model that differ in parameters and start. Private to this folder.
 *
 *     member    one run in time: parameters and a start of its own
 *     crew      what all share: the members, the queue, the context's memory behind a lock
 *     worker    one thread: a simulation of its own, on which members run one after the other
 *               (ensemble_member.c), or a crowd of them side by side (ensemble_crowd.c)
 *
 * The run of a member alone is the definition; a crowd gives the same bits or sends the member
 * away, to be run alone. Each member writes its own places only, so that nothing depends on who
 * runs it.
 */
#ifndef ZR_ENSEMBLE_H
#define ZR_ENSEMBLE_H

#include <stdatomic.h>

#include "road_fused.h"
#include "run.h"

/* Who looks at members on their way through lanes, in one thread. */
typedef struct zr_lane_watch {
    void *user;
    void (*seat)(void *user, int32_t lane, int64_t member);        /* it begins in that lane */
    uint32_t (*pass)(void *user, zi_group *group, uint32_t lanes); /* as zi_crowd.pass */
    void (*done)(void *user, int64_t member, double t);            /* it has reached the end */
} zr_lane_watch;

typedef struct zr_crew {
    zw_model *model;
    const zw_run_settings *settings;
    zw_ensemble *ensemble;
    const zr_lane_watch *watch; /* or NULL */
    int32_t *element;           /* [name_count] which of the model's values each name sets */
    unsigned char *status;      /* [count] a zw_status */
    int32_t width;              /* members of a crowd; 0: all run alone */
    zb_memory *memory;          /* of the context; while threads run, behind the lock */
    zb_mutex lock;
    double asked;                   /* when poll was asked last; of the calling thread */
    _Atomic int64_t taken, through; /* members out of the queue; with a result */
    _Atomic int32_t busy;           /* threads at work */
    _Atomic bool over;              /* poll has said so */
} zr_crew;

typedef struct zr_worker {
    zr_crew *crew;
    zb_memory memory;  /* through the crew's */
    zw_status refusal; /* why that refused last */
    zw_sim *sim;
    double *scratch;          /* [formulas.count] for zm_recompute_at */
    zw_run_settings settings; /* the crew's, with a poll of our own */
    bool calling;             /* in the caller's thread: asks poll */
    zb_thread thread;
} zr_worker;

/* The next member to run; false: none is left, or it is over. */
bool zr_take_member(zr_worker *worker, int64_t *member);
/* Asks poll, when this is the caller's thread; unless `due` only now and then. */
void zr_ask_poll(zr_worker *worker, bool due);

/* ensemble_member.c: sets the values of a member's parameters in the worker's simulation; what else
 * is computed from them is left to do. ZW_ERR_SETTING: one is not a finite number. */
zw_status zr_set_member_values(zr_worker *worker, int64_t member);
/* Runs it from its start, as the definition has it; results are written. */
void zr_run_member(zr_worker *worker, int64_t member);
/* The member is through with this state [2n]. */
void zr_end_member(zr_worker *worker, int64_t member, const zw_member *end, const double *state);
/* It was not run to its end: it stays at its start. */
void zr_leave_member(zr_worker *worker, int64_t member, zw_status status);
/* Its places in the caller's arrays: the state, q then v; that of sample k. */
double *zr_member_state(const zr_crew *crew, int64_t member);             /* [2n] */
double *zr_member_sample(const zr_crew *crew, int64_t member, int32_t k); /* [2n] */

/* zr_ensemble_run with somebody who looks on; members that are not in_lanes went unseen. One thread. */
zw_status zr_ensemble_watched(zw_model *model, const zw_run_settings *settings,
                              zw_ensemble *ensemble, const zr_lane_watch *watch);

/* ensemble_crowd.c: how many members side by side for runs with these settings, 0: only alone. */
int32_t zr_choose_crowd(const zw_model *model, const zw_run_settings *settings, double t);
/* Numbers of a member in a crowd: its state, and works that are integrated with it. */
int32_t zr_crowd_size(const zw_model *model);
/* Runs members side by side until none is left. Any failure comes before the first is taken. */
zw_status zr_run_crowd(zr_worker *worker);

#endif
