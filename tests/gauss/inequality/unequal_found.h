/*
 * unequal_found.h: an answer with everything in it, and sizes of vectors.
 */
#ifndef TESTS_GAUSS_UNEQUAL_FOUND_H
#define TESTS_GAUSS_UNEQUAL_FOUND_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "zwang.h"

enum { FOUND_N = 12, FOUND_M = 36 };

typedef struct found {
    zw_status status;
    zw_gauss_answer answer;
    double z[FOUND_N], force[FOUND_N], ideal[FOUND_N], nonideal[FOUND_N];
    double lambda[FOUND_M], shares[FOUND_M], residual[FOUND_M], r[FOUND_M], proof[FOUND_M];
    bool active[FOUND_M], unique[FOUND_M];
} found;

/* Everything is asked for. */
static inline void found_prepare(found *x)
{
    *x = (found){0};
    x->answer = (zw_gauss_answer){.acceleration = x->z,
                                  .force = x->force,
                                  .force_ideal = x->ideal,
                                  .force_nonideal = x->nonideal,
                                  .multipliers = x->lambda,
                                  .shares = x->shares,
                                  .residual = x->residual,
                                  .inconsistency = x->r,
                                  .proof = x->proof,
                                  .active = x->active,
                                  .unique = x->unique};
}

static inline double size_of(const double *x, int32_t n)
{
    double s = 0.0;
    for (int32_t i = 0; i < n; i++) s += x[i] * x[i];
    return sqrt(s);
}

static inline double apart(const double *x, const double *y, int32_t n)
{
    double s = 0.0;
    for (int32_t i = 0; i < n; i++) s += (x[i] - y[i]) * (x[i] - y[i]);
    return sqrt(s);
}

#endif
