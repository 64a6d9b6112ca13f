/*
 * Runs of a sweep: many runs of one model that differ in parameters and start values, of each of
 * which a few numbers are kept. Private to this folder; engine.h has what others call.
 *
 *     "last(x), largest(pin.F[1])" --keep_list.c--> zr_keep: groups of columns, and what is done
 *                                                   with each
 *     a member --member_alone.c--> its numbers, by a run of its own: the definition
 *              --keep_along.c-->   largest, smallest, mean and integral on the way; in lanes by
 *                                  lane_along.c
 *     a batch  --members.c-->      in lanes (an ensemble) where no events, trust or steps are
 *                                  kept and the model allows it, else one after the other
 */
#ifndef ZR_MEMBERS_H
#define ZR_MEMBERS_H

#include "ensemble.h"
#include "messages.h"
#include "run.h"

/* What is kept of a run. A word with `columns` is followed by a list of them in brackets. */
#define ZR_KEEP_LIST(X)                                                                            \
    X(ZR_KEEP_LAST, "last", true)                                                                  \
    X(ZR_KEEP_AT, "at", true)                                                                      \
    X(ZR_KEEP_EVERY, "every", true)                                                                \
    X(ZR_KEEP_LARGEST, "largest", true)                                                            \
    X(ZR_KEEP_SMALLEST, "smallest", true)                                                          \
    X(ZR_KEEP_MEAN, "mean", true)                                                                  \
    X(ZR_KEEP_INTEGRAL, "integral", true)                                                          \
    X(ZR_KEEP_EVENT, "event", false)                                                               \
    X(ZR_KEEP_TRUST, "trust", false)                                                               \
    X(ZR_KEEP_STEPS, "steps", false)

typedef enum zr_keep_kind {
#define ZR_KEEP_ENUM(name, word, columns) name,
    ZR_KEEP_LIST(ZR_KEEP_ENUM)
#undef ZR_KEEP_ENUM
} zr_keep_kind;

/* Columns that are asked for at the same moments. */
typedef struct zr_keep_group {
    zb_text list;        /* "x, x'" */
    zw_columns *columns; /* of the list; t is the first */
    int32_t count;       /* of them, t included */
    bool used;           /* numbers of it are kept */
} zr_keep_group;

/* One number that is kept. */
typedef struct zr_kept {
    zr_keep_kind kind;
    int32_t column;         /* in its group */
    int32_t moment;         /* of ZR_KEEP_AT: which of the times */
    int32_t event, firing;  /* of ZR_KEEP_EVENT, from 0 */
    int32_t name, name_end; /* where its name stands in zr_keep.names */
} zr_kept;

enum { ZR_GROUP_LAST, ZR_GROUP_AT, ZR_GROUP_ALONG, ZR_KEEP_GROUPS };

struct zr_keep {
    zw_model *model;
    zb_memory *memory;
    zr_keep_group groups[ZR_KEEP_GROUPS];
    ZB_ARRAY(zr_kept) list;
    ZB_ARRAY(double) times; /* of ZR_KEEP_AT, ascending, each once */
    zb_text names;
    bool told;  /* trust or steps are kept */
    bool fired; /* events are */
};

enum { zr_along_nodes = 9 };

/* Largest, smallest, mean and integral of the columns of ZR_GROUP_ALONG (keep_along.c). */
typedef struct zr_along {
    zw_sim *sim;
    const zr_keep *keep;
    zw_status (*show)(void *user, double t); /* the simulation as it was at t of the last step */
    void *user;
    int32_t width;            /* columns of the group */
    double from;              /* where the run began */
    double *node;             /* [zr_along_nodes * width] the columns at the nodes of a piece */
    double *row;              /* [width] */
    double *low, *high, *sum; /* [width] */
    bool *wanted_low, *wanted_high, *wanted_sum;
    double fine[zr_along_nodes], coarse[zr_along_nodes]; /* weights of the rules at the nodes */
    zw_status failure;
} zr_along;

/* Memory from the arena. */
zw_status zr_along_open(zr_along *along, zw_sim *sim, const zr_keep *keep, zb_arena *arena);
/* A run begins, at the simulation's state. */
zw_status zr_along_begin(zr_along *along);
/* Where a step is looked at first. */
void zr_along_times(double from, double to, double t[zr_along_nodes]);
/* The run has come from `from` to `to`, all of it inside the last step. */
zw_status zr_along_take(zr_along *along, double from, double to);
/* What has come of a kept number, at the time that the run has reached. */
double zr_along_value(const zr_along *along, const zr_kept *kept, double t);

/* keep_list.c: numbers from the columns of a group at the simulation's state; row [columns of it]. */
zw_status zr_keep_row(const zr_keep *keep, int32_t group, zw_sim *sim, double *row);

/* What runs members one after the other, on one simulation. */
typedef struct zr_bench {
    zw_sim *sim;
    const zr_keep *keep;
    const zw_run_settings *settings;
    const zr_members *members;
    zb_arena arena;  /* of a batch */
    int32_t *entry;  /* [target_count] of start values, */
    double *value;   /* [target_count] and what they are */
    zr_posed posed;  /* these */
    double *scratch; /* [formulas.count] for zm_recompute_at */
    double *row;     /* [columns of the widest group] */
    zr_along along;
} zr_bench;

/* member_alone.c: parameters and start values of member i, then its start is found. */
zw_status zr_start_member(zr_bench *bench, int64_t i);
/* Only its parameters. */
zw_status zr_dress_member(zr_bench *bench, int64_t i);
/* Runs it and writes what is kept of it, its status and its reason. ZW_ERR_CANCELLED: it was
 * interrupted. */
zw_status zr_member_alone(zr_bench *bench, int64_t i);
/* Writes the kept numbers of a group from the simulation's state; moment: of ZR_GROUP_AT. */
zw_status zr_keep_state(zr_bench *bench, int64_t i, int32_t group, int32_t moment);
/* The first error that was told, or the sentence of the status, as the member's reason. */
void zr_tell_reason(zr_bench *bench, int64_t i, zw_status status);

/* lane_along.c: the same for members in lanes, who have a simulation each. */
typedef struct zr_lane_along zr_lane_along;
/* For the members [count] of an ensemble that begin at these states [count * 2n]; from the bench's
 * arena. Close it, also after a failure. */
zw_status zr_lane_along_open(zr_bench *bench, const int64_t *member, const double *state,
                             zr_lane_along **along);
void zr_lane_along_close(zr_lane_along *along); /* or NULL */
/* Writes what is kept of members that reach the end. */
const zr_lane_watch *zr_lane_along_watch(zr_lane_along *along);

#endif
