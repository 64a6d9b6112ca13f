/*
 * The equivalent forms of the equation of motion (THEORY), for checking and teaching. Each
 * form is one file and one const struct; forms.c drives them. A form gives
 *
 *     z = GG(f, b) by its own formula: prepare once, then apply to any (f, b)
 *
 * on row-major matrices without padding. Memory comes from the arena, which escapes to
 * forms.c when it runs out, so forms need no error path for it.
 */
#ifndef ZG_FORMS_H
#define ZG_FORMS_H

#include "plan.h"

typedef struct zg_form {
    const zw_gauss *g; /* factors of M and W, tolerance, kernels */
    int32_t n, m;
    const double *M; /* [n * n] */
    const double *A; /* [m * n] */
    zb_arena *arena;
    void *own; /* what prepare made for apply */
} zg_form;

typedef struct zg_form_kind {
    bool definite_mass; /* M must be positive definite */
    bool consistent;    /* not defined for inconsistent constraints */
    zw_status (*prepare)(zg_form *form);
    void (*apply)(const zg_form *form, const double *f, const double *b, double *z);
} zg_form_kind;

extern const zg_form_kind zg_moore_penrose, zg_inverse_14, zg_inverse_1, zg_gibbs_appell, zg_kkt,
    zg_projection;

/* ------------------------------------------------------------ tools for forms */

/* Least squares by complete orthogonal decomposition: X [rows x columns] any rank. */
typedef struct zg_least zg_least;
zg_least *zg_least_create(zb_arena *arena, const za_kernels *k, int32_t rows, int32_t columns,
                          const double *X, double tolerance);

/* Among all y [columns] that minimise |X y - c| the one nearest to `near` (NULL: to 0). */
void zg_least_solve(const zg_least *x, const double *c, const double *near, double *y);
int32_t zg_least_rank(const zg_least *x);
const int32_t *zg_least_rows(const zg_least *x); /* [rank] rows that are independent */

/* B = A U^-1 with M = U^T U: [m * n]. */
double *zg_metric_rows(const zg_form *form);

/* y = X x and y = X^T x, X [rows x columns]. */
void zg_times(int32_t rows, int32_t columns, const double *X, const double *x, double *y);
void zg_transposed_times(int32_t rows, int32_t columns, const double *X, const double *x,
                         double *y);

/* t = U^-T f, z = U^-1 t; vectors [n], in place. */
void zg_form_lower(const zg_form *form, double *x);
void zg_form_upper(const zg_form *form, double *x);

/* Zeroed, aligned for the kernels. */
double *zg_doubles(zb_arena *arena, size_t count);
#define ZG_DOUBLES(form, count) zg_doubles((form)->arena, (size_t)(count))

#endif
