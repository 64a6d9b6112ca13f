/*
 * form_tasks.h: small random systems for the forms of the sparse solver, and second opinions on
 * them in long double. Include after sparse_form.h of src/gauss/sparse.
 */
#ifndef TESTS_GAUSS_FORM_TASKS_H
#define TESTS_GAUSS_FORM_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "sparse_form.h"

typedef long double real;

enum { N = 24, R = 80, SOME_ROWS = 36 };

typedef enum mass_kind { M_DIAGONAL, M_BLOCKS, M_SPARSE, M_SINGULAR, MASSES } mass_kind;
typedef enum weight_kind { W_ONE, W_DIAGONAL, W_BLOCKS, W_GENERAL, WEIGHTS } weight_kind;
typedef enum rows_kind { INDEPENDENT, REDUNDANT, ZEROS, MANY, ROWS } rows_kind;

/* Dense, and sparse from that. */
typedef struct task {
    int32_t n, m;
    double M[N * N], A[R * N], W[R * R];
    int32_t M_start[N + 1], M_column[N * N], A_start[R + 1], A_column[R * N], W_start[R + 1],
        W_column[R * R];
    double M_value[N * N], A_value[R * N], W_value[R * R];
    double r1[N], r2[R];
    zg_structure is;
    zg_numbers x;
} task;

/* The same problem for the same number and kinds. */
void task_make(task *p, uint64_t number, mass_kind mass, rows_kind rows, weight_kind weight);

/* Pseudo-random numbers, begun anew by every task. */
double any(void); /* -1 .. 1 */
int32_t below(int32_t count);

/* x [n] = X^-1 x by elimination with row pivots; X [n*n] is lost. False: singular. */
bool eliminate(real *X, int32_t n, real *x);

/* x [n + m]: dz, dl of the equations of a form. False: singular. */
bool solve_directly(const task *p, real mu, const double *r1, const double *r2, real *x);

/* Eigenvalues [n] of symmetric X [n*n], which is lost. */
void eigenvalues(real *X, int32_t n, real *value);

/* Eigenvalues [m] of D A (M + floor)^-1 A^T D, D^2 = 1 / scale. */
void constraint_eigenvalues(const task *p, real floor, const double *scale, real *value);

#endif
