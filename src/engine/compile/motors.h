/*
 * The motors of a model: what build_motors.c makes and state/drive.c evaluates. A control by motors
 * is *driven*, and so are its rows of A. Motor k pushes along row k of B^T = dV/dv, V its speed:
 * the generalized force of all of them is B u.
 */
#ifndef ZR_MOTORS_H
#define ZR_MOTORS_H

#include "builder.h"

/* Where the numbers of a motor stand among those of all, -1: not said. */
typedef struct zr_motor_numbers {
    int32_t low, high, weight;
} zr_motor_numbers;

struct zr_motors {
    int32_t count;             /* of motors, as in the model */
    int32_t rows, *row;        /* [rows] the driven rows of A, ascending */
    int32_t controls;          /* that are driven, with motors first[c] .. first[c + 1] - 1: */
    int32_t *control, *first;  /* [controls], [controls + 1] */
    zr_passes at;              /* matrix: B^T; vector: V [count], then the numbers [numbers] */
    zr_pattern B;              /* of B^T: [count] rows */
    zr_motor_numbers *numbers; /* [count] */
    int32_t number_count;
    bool limited; /* some motor has limits */
};

/* model->motors, NULL where there is none. */
void zr_build_motors(zr_builder *b);
void zr_free_motors(zw_model *model);

#endif
