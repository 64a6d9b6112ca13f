/*
 * random_problems.h: constrained accelerations to be solved, thousands of them.
 *
 * A recipe says what sort of problem is wanted; recipe and seed together give always the
 * same problem. Where rows are to be dependent, the entries of A are dyadic and the
 * combinations integers, so that the dependence is exact and not a matter of rounding.
 */
#ifndef TESTS_GAUSS_RANDOM_PROBLEMS_H
#define TESTS_GAUSS_RANDOM_PROBLEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zwang.h>

#include "random_numbers.h"

/* Shapes, with the words that describe them in messages. */
#define MASS_LIST(X)                                                                               \
    X(MASS_GENERIC, "generic M")     /* V D V^T, V random orthogonal, D over cond */               \
    X(MASS_DIAGONAL, "diagonal M")   /* entries over a range of cond */                            \
    X(MASS_SCALED, "badly scaled M") /* S T S, T tame, S diagonal, cond(S)^2 = cond */             \
    X(MASS_SINGULAR, "singular M")   /* F^T F with too few rows, exactly singular */               \
    X(MASS_SINGULAR_DIAGONAL, "diagonal singular M") /* zeros on the diagonal */

#define ROWS_LIST(X)                                                                               \
    X(ROWS_NONE, "m = 0")                                                                          \
    X(ROWS_ZERO, "A = 0")                                                                          \
    X(ROWS_INDEPENDENT, "independent rows") /* m <= n, dyadic, well apart */                       \
    X(ROWS_GENERIC, "generic rows")         /* m <= n, any doubles, any spread */                  \
    X(ROWS_REDUNDANT, "redundant rows")     /* integer combinations mixed in */                    \
    X(ROWS_SOME_ZERO, "redundant and zero rows")                                                   \
    X(ROWS_MANY, "more rows than coordinates")                                                     \
    X(ROWS_NEAR, "a nearly dependent row") /* dependent but for a relative `near` */

#define RIGHT_LIST(X)                                                                              \
    X(CONSISTENT, "consistent b") /* b = A z for some dyadic z */                                  \
    X(ANY_B, "any b")             /* inconsistent when rows depend on each other */

#define SCALE_LIST(X)                                                                              \
    X(SCALE_NONE, "rows unscaled")                                                                 \
    X(SCALE_TWO, "rows times 2^-13..2^13")                                                         \
    X(SCALE_TEN, "rows times 1..1e8")

#define SHAPE_ENUM(name, text) name,
typedef enum mass_shape { MASS_LIST(SHAPE_ENUM) } mass_shape;
typedef enum rows_shape { ROWS_LIST(SHAPE_ENUM) } rows_shape;
typedef enum right_side { RIGHT_LIST(SHAPE_ENUM) } right_side;
typedef enum row_scale { SCALE_LIST(SHAPE_ENUM) } row_scale;
#undef SHAPE_ENUM

typedef struct recipe {
    int32_t n_min, n_max;
    mass_shape mass;
    double cond; /* of M; every problem takes exactly this */
    rows_shape rows;
    right_side b;
    zw_matrix_kind weight;
    row_scale scale;
    double near; /* for ROWS_NEAR */
} recipe;

/* One problem. Arrays belong to it; M and W are kept full whatever their kind. */
typedef struct problem {
    recipe made; /* n_max 0: made by hand */
    uint64_t seed;
    int32_t n, m;
    zw_matrix_kind mass;   /* how M is handed to the library */
    zw_matrix_kind weight; /* how W is; ZW_IDENTITY: not at all */
    int32_t inequalities;  /* the last so many rows; 0 unless a test says otherwise */
    bool with_C;           /* C is zero when false */
    double spread;         /* see row_spread, of the independent rows */
    double *M;             /* [n*n] */
    double *Q;             /* [n] */
    double *A;             /* [m*n] */
    double *b;             /* [m] */
    double *C;             /* [n] */
    double *W;             /* [m*m] */
} problem;

problem *problem_make(const recipe *r, uint64_t seed);
/* Parallel rows A_i = c_i a, and W = T^T D T with T unit triangular such that a row of T A
 * cancels: (T c)_i = 0. Factors of W then mix the rows into one that is nothing but
 * rounding, and must not be taken for a constraint. */
problem *problem_cancelling(uint64_t seed, right_side b);

problem *problem_copy(const problem *p);    /* same sizes and numbers, arrays of its own */
problem *problem_new(int32_t n, int32_t m); /* zero, M and W identity */
void problem_free(problem *p);

/* Kind, seed and sizes in words, for messages. */
void problem_describe(const problem *p, char *text, size_t size);

/* M [n*n] = V D V^T, V random orthogonal, exactly symmetric, of condition cond. */
void random_mass(uint64_t *state, int32_t n, double cond, double *M);

/* W [m*m]: diagonal, or dyadic and full; positive definite, condition up to about 1e3. */
void random_weight(uint64_t *state, int32_t m, zw_matrix_kind kind, double *W);

/* Ratio of the extreme singular values of the rows of A [m*n], each divided by its norm. */
double row_spread(const double *A, int32_t m, int32_t n);

#endif
