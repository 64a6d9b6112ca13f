/*
 * inequality: the principle with rows A z >= b beside rows A z = b, on a system of fixed sparsity.
 * Among all z for which A z is nearest, in the norm of W, to what the rows ask for, the one nearest
 * to M^-1 (Q + C) in the norm of M (THEORY). It exists and is unique; with it come multipliers that
 * are not negative in inequalities, of least W^-1 norm.
 *
 * Every set of inequalities that are taken as equations is a system with the others off
 * (zg_values.off). The right set is searched for: by a dual active set where the dense solver
 * stands behind the system, by block pivoting where it is the sparse one (NUMERICS). The set of
 * the solve before is tried first; where it is still right that is all.
 */
#ifndef ZG_INEQUALITY_H
#define ZG_INEQUALITY_H

#include "system.h"

typedef enum zg_row_kind {
    ZG_ABSENT,   /* the row does not count */
    ZG_EQUATION, /* A z = b */
    ZG_AT_LEAST  /* A z >= b */
} zg_row_kind;

typedef struct zg_inequality zg_inequality;

/* All memory is taken here, as for a system. */
zw_status zg_inequality_plan(zb_memory *memory, const zg_structure *structure, zg_inequality **q);
void zg_inequality_free(zg_inequality *q);

/* The system behind it. After a solve its factor is that of the rows held as equations. */
zg_system *zg_inequality_system(zg_inequality *q);

/* values as those of zg_system_factor, `off` apart; kind [m] is copied. Matrices are factored for
 * each set that is tried: what is wrong with them a solve says, but for rows whose size is no
 * number, ZW_ERR_NOT_FINITE. */
zw_status zg_inequality_factor(zg_inequality *q, const zg_values *values, const uint8_t *kind);

/* held [m] or NULL: the inequalities with which the next solve begins. Every solve leaves its own
 * for the one after it; NULL forgets them. */
void zg_inequality_guess(zg_inequality *q, const bool *held);

/* As zw_gauss_solve of a shape with inequalities; rows that are absent have zeros. */
zw_status zg_inequality_solve(zg_inequality *q, const double *Q, const double *b, const double *C,
                              zw_gauss_answer *answer);

/* Of full matrices, with the kinds and the guess of before: M [n*n], or [n] where it is diagonal, A
 * [m*n], W [m] diagonal or NULL. The rows of the guess are factored at once. False: there is no
 * guess, or not so (warm_set.c); zg_inequality_factor is to be asked. */
bool zg_warm_factor(zg_inequality *q, const double *M, const double *A, const double *W);
/* Afterwards. The answer where the guess is right beyond doubt; false: values have to be brought by
 * zg_inequality_factor, and it is to be searched for. Rows of A that are not held are read from the
 * values of before. */
bool zg_warm_solve(zg_inequality *q, const double *Q, const double *b, zw_gauss_answer *answer);
/* After zg_inequality_factor with the values of the last zg_warm_factor: its factor counts again, and the
 * answer of the last zg_warm_solve, if it was one. */
void zg_warm_settle(zg_inequality *q, bool solved);

/* The system gets the factor of the equations alone; a solve before it is forgotten. */
zw_status zg_inequality_factor_equations(zg_inequality *q);

/* By another form: ZW_ERR_INEQUALITY where an inequality binds. */
zw_status zg_inequality_solve_form(zg_inequality *q, zw_form form, const double *Q, const double *b,
                                   const double *C, zw_gauss_answer *answer);

/* After a solve. held [m]: the inequalities that it took as equations, and no others: of those
 * that depend on each other as many as are independent. */
const bool *zg_inequality_held(const zg_inequality *q);

/* After a solve: dependent sets among the equations and the inequalities without slack, and the
 * conflicts, each with its proof. */
zw_status zg_inequality_diagnose(zg_inequality *q, const double *b, const double *acceleration,
                                 zw_diagnosis **diagnosis);

#endif
