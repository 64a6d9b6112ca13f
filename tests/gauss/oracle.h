/*
 * oracle.h: the General Gauss solution in exact rational arithmetic.
 *
 * The doubles of a problem are taken as the rationals they are. The answers are exact
 * and rounded once, at the end. Nothing here knows a tolerance.
 */
#ifndef TESTS_GAUSS_ORACLE_H
#define TESTS_GAUSS_ORACLE_H

#include "random_problems.h"

typedef struct oracle_exact oracle_exact;

typedef struct oracle {
    int32_t rank;              /* of A */
    int32_t undetermined;      /* n - rank of [M; A]; when not 0 nothing below is set but
                                  unique_multiplier */
    bool mass_singular;        /* then no free acceleration and no gaussian */
    bool consistent;           /* A z = b has a solution */
    double *acceleration;      /* [n] */
    double *free_acceleration; /* [n] */
    double *force;             /* [n] M z - Q */
    double *ideal;             /* [n] */
    double *nonideal;          /* [n] */
    double *multipliers;       /* [m] of least W^-1 norm */
    double *residual;          /* [m] A z - b */
    bool *unique_multiplier;   /* [m] */
    double inconsistency;      /* |A z - b| in the W norm */
    double gaussian;
    oracle_exact *exact;
} oracle;

/* The problem must outlive the oracle. */
oracle *oracle_solve(const problem *p);
void oracle_free(oracle *o);

/* NULL when the answers satisfy their defining equations exactly, otherwise which not. */
const char *oracle_self_check(const oracle *o);

/* y [n]: M-orthogonal projection of x [n] onto the null space of A. */
void oracle_project(const oracle *o, const double *x, double *y);

/* Parts of a given constraint force [n]. */
void oracle_split(const oracle *o, const double *force, double *ideal, double *nonideal);

int32_t oracle_rank(const double *A, int32_t m, int32_t n);
bool oracle_positive_definite(const double *M, int32_t n);

/* sqrt(s^T W^-1 s), s [m], W [m*m]; NaN when s is not finite. */
double oracle_inverse_norm(const double *W, const double *s, int32_t m);

#endif
