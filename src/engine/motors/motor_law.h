/*
 * How much motors give, from small dense matrices (motor_law.c).
 *
 *     P u = d      P = A_c X B, d = b_c - A_c z0: driven rows, under all other rows
 *
 * In the *scale* of a driven row, sqrt(S_ii) of S = A_c X A_c^T, and that of a motor,
 * sqrt(B_k^T X B_k), entries of P are cosines: a motor of which that is 0 cannot move the row.
 */
#ifndef ZR_MOTOR_LAW_H
#define ZR_MOTOR_LAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base.h"

typedef struct zr_motor_law {
    int32_t rows, count;
    /* given; all matrices by rows */
    double *P;           /* [rows * count] */
    double *d;           /* [rows] */
    double *row_scale;   /* [rows] */
    double *motor_scale; /* [count] */
    double *W;           /* [rows * rows] weights of the driven rows */
    double *weight;      /* [count] of the motors, positive */
    double *low, *high;  /* [count] low < high */
    /* found */
    double *u;     /* [count] */
    int8_t *side;  /* [count] -1, 0, 1: at low, inside, at high */
    double *slack; /* [rows] P u - d; exactly 0 where all is met */
    bool behind;   /* it is not 0 */
    int32_t rank;
    bool *missed; /* [rows] where the rank is too small: what no u reaches */
    double *work; /* [zr_motor_law_work(rows, count)] */
} zr_motor_law;

size_t zr_motor_law_work(int32_t rows, int32_t count); /* doubles */

/* u: of all that meet P u = d that of least sum of weight u^2; where that leaves the limits, of all
 * within them that of least |P u - d| in the norm of W, and of such that of least sum. False: the
 * rank is below the number of rows, `missed` says where, and u is not written. */
bool zr_apply_motor_law(zr_motor_law *law);

/* slack and behind of u. */
void zr_find_motor_slack(zr_motor_law *law);
/* The rank of P. */
int32_t zr_motor_rank(zr_motor_law *law);

/* u [count] for d where the motors of side [count] that is not 0 are at their limits, whatever the others
 * give; where not `whole`, without what those at limits do: linear in d. The rest as above, limits of others
 * left aside. False: there is none. */
bool zr_answer_at_limits(zr_motor_law *law, const int8_t *side, bool whole, double *u);

#endif
