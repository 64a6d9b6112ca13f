/*
 * unequal_oracle.h: the principle with inequalities in exact rational arithmetic, by enumeration.
 *
 * Every set of inequalities is tried as equations; the one whose solution satisfies all conditions
 * exactly is right. Shares: of all sets of multipliers that are put to 0 the one that leaves the
 * least norm. Nothing here knows a tolerance, or how the solver searches. For a handful of rows.
 */
#ifndef TESTS_GAUSS_UNEQUAL_ORACLE_H
#define TESTS_GAUSS_UNEQUAL_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

enum { UNEQUAL_N = 6, UNEQUAL_M = 10 };

/* The last `inequalities` rows are A z >= b; all numbers are taken as the rationals they are. */
typedef struct unequal_problem {
    int32_t n, m, inequalities;
    double M[UNEQUAL_N * UNEQUAL_N], Q[UNEQUAL_N], C[UNEQUAL_N];
    bool with_C;
    double A[UNEQUAL_M * UNEQUAL_N], b[UNEQUAL_M], W[UNEQUAL_M * UNEQUAL_M];
} unequal_problem;

typedef struct unequal_truth {
    bool undetermined;                     /* nothing else is set */
    double z[UNEQUAL_N], force[UNEQUAL_N]; /* M z - Q - C */
    double r[UNEQUAL_M], p[UNEQUAL_M];     /* what is out of reach, and W r */
    double conflict2;                      /* |r|^2 in the norm of W */
    double slack[UNEQUAL_M];               /* A z - b - r */
    bool closed[UNEQUAL_M];                /* slack 0 or p < 0, and equations */
    double shares[UNEQUAL_M];
    bool unique[UNEQUAL_M];
    int32_t right; /* sets that satisfy the conditions, at least one */
} unequal_truth;

void unequal_solve(const unequal_problem *p, unequal_truth *truth);

/* A random problem of small integers, of every kind: rows repeated, summed, turned around, of zeros;
 * contradictory; M singular; W of couplings. */
void unequal_make(unequal_problem *p, uint64_t seed);

#endif
