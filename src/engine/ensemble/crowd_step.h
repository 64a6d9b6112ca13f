/*
 * Members of an ensemble in lanes: what ensemble_crowd.c takes and crowd_step.c uses at every
 * evaluation. Private to this folder.
 */
#ifndef ZR_CROWD_STEP_H
#define ZR_CROWD_STEP_H

#include "ensemble.h"

typedef struct zr_lanes {
    zr_worker *worker;
    const zr_fused *fused;
    int32_t n, width;
    double limit; /* of the guard */
    zk_evaluator evaluator;
    bool polled;
    zb_arena arena;
    zk_frame frame; /* value [(value_count + hoisted) * width], out, workspace */
    double *value;  /* that of the frame */
    double *A;      /* [A.count * width] */
    uint32_t asked; /* evaluations, for poll */
} zr_lanes;

/* Asks poll now and then; whether it has said no. */
bool zr_lanes_over(zr_lanes *lanes);

/* As zi_crowd has them; the user is a zr_lanes. */
typedef struct zr_lane_functions {
    uint32_t (*rates)(void *user, uint32_t active, const double *t, const double *y, double *dy);
    uint32_t (*project)(void *user, uint32_t active, const double *t, double *y);
} zr_lane_functions;

#endif
