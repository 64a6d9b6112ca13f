/*
 * The sparse solver; private to this layer. One driver (driver.c) over a small table of functions,
 * a form (sparse_form.h): what is factored, and how a correction is had from the factor. The driver
 * repeats the form's solve with the residuals of the equations without mu, which converges to the
 * General Gauss answer for dependent and for contradictory rows (NUMERICS 5).
 */
#ifndef ZG_SPARSE_H
#define ZG_SPARSE_H

#include "structure.h"

typedef struct zg_sparse zg_sparse;
typedef struct zg_numbers zg_numbers; /* sparse_form.h */

/* ------------------------------------------------------------------- the driver (driver.c) */

zw_status zg_sparse_plan(zb_memory *memory, const zg_structure *structure, zg_sparse **g);
void zg_sparse_free(zg_sparse *g);
const char *zg_sparse_name(const zg_sparse *g); /* of its form */
double zg_sparse_cost(const zg_sparse *g);      /* predicted seconds of an acceleration */
zw_status zg_sparse_factor(zg_sparse *g, const zg_values *values);
zw_status zg_sparse_apply(zg_sparse *g, const double *f, const double *b, double *z, double *lambda,
                          double *lost, double *lost_norm);
zw_status zg_sparse_solve(zg_sparse *g, const double *Q, const double *b, const double *C,
                          zw_gauss_answer *answer);
zw_status zg_sparse_project(zg_sparse *g, const double *x, double *y);
zw_status zg_sparse_split(zg_sparse *g, const double *force, double *ideal, double *nonideal);
size_t zg_sparse_explain(const zg_sparse *g, char *buffer, size_t size);
char zg_sparse_failed(const zg_sparse *g, int32_t *index); /* zg_system_failed */
zw_status zg_sparse_free_coordinates(zg_sparse *g, bool *moves);
void zg_sparse_limit_rank(zg_sparse *g, int32_t most);
double zg_sparse_noise(const zg_sparse *g);
bool zg_sparse_independent(const zg_sparse *g); /* the rows, by the pivots of the last factor */
bool zg_sparse_doubtful(zg_sparse *g, double clear); /* zg_system_doubtful */

/* sparse_rank.c; the answer is kept until the next factor. */
zw_status zg_sparse_rank(zg_sparse *g, zw_gauss_rank_info *info);

/* diagnose_sparse.c */
zw_status zg_sparse_diagnose(zg_sparse *g, const double *b, const double *acceleration,
                             zw_diagnosis **diagnosis);

/* What these two need of the driver. */
const zg_numbers *zg_sparse_numbers(const zg_sparse *g);
zb_memory *zg_sparse_memory(const zg_sparse *g);
const double *zg_sparse_sizes(zg_sparse *g); /* [m] a_i M^-1 a_i^T, about */
/* zg_sparse_form.above of its form; the factor is made again before the next solve. */
int64_t zg_sparse_above(zg_sparse *g, double tau, const double *scale);
/* x [m] becomes its null part, what A^T does not see of it: A^T x = 0 on return. */
zw_status zg_sparse_null_part(zg_sparse *g, double *x);

#endif
