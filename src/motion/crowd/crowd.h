/*
 * Inside of crowds: the members that are stepped at a time, one a lane, and the functions on all
 * lanes at once, which are compiled for each width and instruction set (crowd_adapt.c,
 * crowd_pairs.c). Private to this folder.
 *
 * Rows are [component][lane], entry i of lane l at [i * width + l]; the components are rounded up
 * to a multiple of 4, and those beyond the size are zero, so that norms are added up in the order
 * of one member's (stepping.h). A row begins at a multiple of 64 bytes.
 */
#ifndef ZI_CROWD_H
#define ZI_CROWD_H

#include "pair.h"

enum { zi_most_width = 8 };

/* What an attempt of all lanes has come to, a bit for each lane. A lane in none of them was
 * rejected and tries again. */
typedef struct zi_tried {
    uint32_t accepted, away;
    uint32_t due;     /* accepted, and a time of output was passed */
    uint32_t through; /* after `accept`: at the end */
} zi_tried;

typedef struct zi_lane_functions zi_lane_functions;
typedef struct zi_lane_pair zi_lane_pair;

/* A *group* is the members that are in the lanes at a time, with their rows. */
struct zi_group {
    /* One number for each lane. t: where the step begins; t_new, tried: where the attempt ends, and
     * how far that is; rejected, -1 or 0: the last attempt was. */
    _Alignas(64) double t[zi_most_width];
    double t_new[zi_most_width], tried[zi_most_width], h[zi_most_width];
    double error[zi_most_width], error_old[zi_most_width];
    double moment[zi_most_width]; /* where rates are evaluated, or a state is asked for */
    double due[zi_most_width];    /* the next time of output, HUGE_VAL: none */
    double smallest[zi_most_width], largest[zi_most_width];
    int64_t rejected[zi_most_width];
    int64_t failed[zi_most_width]; /* attempts at this step */
    int64_t finite[zi_most_width]; /* -1: y_new holds numbers only, of no great size */
    int64_t steps[zi_most_width], rejections[zi_most_width], others[zi_most_width]; /* counts */
    int64_t stiff_hits[zi_most_width], stiff_misses[zi_most_width];

    const zi_crowd *crowd;
    const zi_settings *settings;
    const zi_tableau *pair;
    const zi_lane_functions *functions;
    const zi_lane_pair *lane_pair;
    zi_scale scale;
    int32_t size, padded; /* components */
    int32_t controlled;
    uint32_t present;  /* lanes that have a member */
    bool dry;          /* there are no more members */
    size_t stride;     /* doubles of a row */
    const double *end; /* y_new, or `projected`: where the attempt ends */
    double *y, *y_new, *projected, *argument, *weight, *spare, *shown, *k;
    double *absolute; /* the first of the rows of sizes (stepping.h) */

    int64_t attempts;                /* of all lanes at once */
    int64_t watched[zi_most_width];  /* those when the member's pace was looked at last, */
    double watched_t[zi_most_width]; /* and where it was then */
    int64_t member[zi_most_width];
    int32_t next_time[zi_most_width]; /* of times */
    double *column;                   /* [size] one member's state */
};

/* The functions of a pair. */
struct zi_lane_pair {
    /* y_new, weights, error, from stage 0 and t, y, tried. Returns the refused lanes. */
    uint32_t (*attempt)(zi_group *g);
    /* What dense output of the attempt just accepted needs. Likewise. */
    uint32_t (*find_interpolant)(zi_group *g, uint32_t lanes);
    /* The states at `moment` into `shown`. */
    void (*dense)(zi_group *g);
};

/* The functions of one width. */
struct zi_lane_functions {
    int32_t width;
    const zi_lane_pair *pairs; /* [zi_pair_count] in the order of pair_list.h */
    /* Stage 0 and the first step of new members, whose t and y are there. Returns lanes whose
     * members have to go. */
    uint32_t (*begin)(zi_group *g, uint32_t fresh);
    zi_tried (*attempt)(zi_group *g);
    void (*accept)(zi_group *g, zi_tried *x); /* the next step begins where this one ended */
};

/* Those for an instruction set that the processor at hand must have, or the next best; all give the
 * same bits. NULL: there is no such width. */
const zi_lane_functions *zi_find_lane_functions(int32_t width, zb_cpu_level level);

/* zi_run_crowd with these functions; those of the crowd's width. */
zw_status zi_run_crowd_by(zb_memory *memory, const zi_lane_functions *functions,
                          const zi_method *method, const zi_crowd *crowd,
                          const zi_settings *settings);

/* The sizes of the member in a lane. */
static inline zi_sizes zi_lane_sizes(const zi_group *g, int32_t lane)
{
    return zi_place_sizes(g->absolute + lane, g->stride, (size_t)g->crowd->width, g->controlled,
                          g->scale.relative);
}

static inline double *zi_lane_row(const zi_group *g, int32_t row)
{
    return g->k + (size_t)row * g->stride;
}

#endif
