/*
 * Motors in contact space (touch_motors.c): rows behind the candidates that hold in every mode.
 */
#ifndef ZR_TOUCH_MOTORS_H
#define ZR_TOUCH_MOTORS_H

#include "beside_contacts.h"
#include "touch_space.h"

typedef struct zr_motor_rows {
    int8_t *side;     /* [motors] zr_motor_side that is taken for granted */
    int32_t rows;     /* behind the candidates */
    double *E, *C;    /* [rows of the law * rows of the law], [motors * rows of the law] */
    double *fixed;    /* [motors] what those at limits give, else 0 */
    double *P, *free; /* [rows of the law * motors] by which pushes are chosen; without contacts */
    /* of an instant, R = candidates + rows */
    double *G, *L;                               /* [R*R], [joints*R] */
    double *w, *size, *whole, *weight, *lambda0; /* [R], of lambda0 [joints] */
    double *X;                                   /* [R * (candidates + motors)] scratch */
    bool *held;                                  /* [R] */
    double *numbers;                             /* all of these */
    size_t room, held_room;
} zr_motor_rows;

zw_status zr_open_motor_rows(zw_sim *sim); /* memory, once */
void zr_close_motor_rows(zw_sim *sim);
/* Of the space as it is filled, and restricted. */
zw_status zr_write_motor_rows(zw_sim *sim);
/* G_ii of candidate i where driven rows hold as all others do: what projections can still move. */
double zr_response_beside_driven(const zw_sim *sim, int32_t i);
/* The instant of accelerations with them. */
void zr_add_motor_rows(const zw_sim *sim, zg_instant *instant);

#endif
