/*
 * The motors of a simulation: their directions and numbers at a state (drive.c), and what they were
 * found to give there (motors/actuate.c).
 */
#ifndef ZR_DRIVE_H
#define ZR_DRIVE_H

#include "motors.h"
#include "sim.h"

/* Why motors cannot do what their controls ask for. */
typedef enum zr_drive_kind {
    ZR_DRIVE_WORKS,
    ZR_DRIVE_RANK,      /* they reach `rank` of the driven rows, which are more */
    ZR_DRIVE_SETTLED,   /* a driven row follows from other rows, whatever the motors give */
    ZR_DRIVE_TOUCHING,  /* with no mode of the contacts */
    ZR_DRIVE_UNSETTLED, /* what slides and who is at a limit do not go together */
    ZR_DRIVE_LIMITS,    /* no force lies within the limits of motor `motor` */
    ZR_DRIVE_WEIGHT     /* the weight of motor `motor` is not positive */
} zr_drive_kind;

typedef struct zr_drive_trouble {
    zr_drive_kind kind;
    double t;
    int32_t rank, motor;
    bool *missed; /* [driven rows] those with a share in what cannot be reached */
} zr_drive_trouble;

/* How much a motor gives: all it can one way or the other, or what is needed. */
typedef enum zr_motor_side { ZR_AT_LOW = -1, ZR_INSIDE = 0, ZR_AT_HIGH = 1 } zr_motor_side;

typedef struct zr_drive {
    const struct zr_motors *motors;
    double *B; /* [B.count] */
    double *V; /* [count + numbers] speeds, then numbers */

    /* the last answer */
    double *u;                /* [count] */
    int8_t *side;             /* [count] zr_motor_side */
    double *slack;            /* [driven rows] A z - b: what motors at their limits leave undone */
    bool behind;              /* some of it is not 0 */
    double *force;            /* [n] B u */
    double *total;            /* [n] with the force it was asked for */
    double *bent;             /* [m] b + slack: what is met */
    zr_drive_trouble trouble; /* the last there was since the run began */

    /* scratch of actuate.c and motor_law.c */
    double *z, *lambda;       /* [n], [m] */
    double *unit;             /* [m] zeros */
    double *column;           /* [n] */
    double *S;                /* [driven rows * driven rows] */
    double *reach;            /* [driven rows * count] */
    struct zr_motor_law *law; /* of the size of this model */

    /* beside contacts (beside_contacts.c) */
    double *push_z, *push_lambda; /* [count * n], [count * m] of a unit of each motor */
    double *row_z;                /* [driven rows * n] of a unit along each driven row */
    double *answer, *constant;    /* [driven rows * count], [count] while limits are known */
    int8_t *assumed;              /* [count] the limits that are */
    bool answers;                 /* motors answer to what friction.c asks for */
} zr_drive;

/* B, V and the numbers at a state. */
void zr_evaluate_motors(zw_sim *sim, const zk_source *s);
/* column [n] = direction of motor k. */
void zr_write_motor_column(const zw_sim *sim, int32_t k, double *column);
/* A number of motor k, or `otherwise`. */
double zr_motor_number(const zr_drive *d, int32_t number, double otherwise);

#endif
