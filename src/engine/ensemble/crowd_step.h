/*
 * A *crowd*: members of an ensemble stepped side by side, each in one lane of vector registers.
 * What ensemble_crowd.c takes and crowd_step.c uses at every evaluation. Private to this folder.
 */
#ifndef ZR_CROWD_STEP_H
#define ZR_CROWD_STEP_H

#include "ensemble.h"

typedef struct zr_crowd {
    zr_worker *worker;
    const zr_fused_form *fused; /* the only one: there are no contacts */
    int32_t n, width;           /* width: lanes */
    double limit;               /* of the guard of accelerations: beyond it a member is refused */
    zk_evaluator evaluator;
    bool polled;    /* the caller wants to be asked whether to go on */
    zb_arena arena; /* of all that follows */
    zk_frame frame; /* value [(value_count + hoisted) * width], out, workspace */
    double *value;  /* that of the frame, to write to */
    double *A;      /* [A.count * width] of the state at which corrections stall */
    uint32_t asked; /* evaluations, for poll */
} zr_crowd;

/* Asks poll now and then; whether it has said that the ensemble is to end. */
bool zr_is_crowd_over(zr_crowd *crowd);

/* The functions of zi_crowd that are compiled for each width and instruction set; the user is a
 * zr_crowd. They return the bits of the lanes that are refused. */
typedef struct zr_crowd_functions {
    uint32_t (*rates)(void *user, uint32_t active, const double *t, const double *y, double *dy);
    uint32_t (*project)(void *user, uint32_t active, const double *t, double *y);
} zr_crowd_functions;

#endif
