/*
 * The sparse solver; private to this folder. One driver (driver.c) over a small table of functions,
 * a *form*: what is factored, and how a correction is had from the factor.
 *
 *     K   [M A^T; A -mu W^-1]     general
 *     S   A M^-1 A^T + mu W^-1    M of small diagonal blocks: chains, mechanisms
 *     H   M + A^T W A / mu        definite, also where M is singular; nets and lattices
 *
 * A form solves, with mu > 0,
 *
 *     M dz - A^T dl          = r1
 *     A dz + mu W^-1 dl      = r2
 *
 * and the driver repeats that with the residuals of the equations without mu, which converges to
 * the General Gauss answer for dependent and for contradictory rows (NUMERICS 5).
 */
#ifndef ZG_SPARSE_H
#define ZG_SPARSE_H

#include "linalg.h"
#include "system.h"

typedef struct zg_sparse zg_sparse;

/* What the forms see of a system. */
typedef struct zg_numbers {
    const zg_structure *is;
    const double *M, *A, *W; /* values of the patterns; W NULL: the identity */
    bool same_mass;
} zg_numbers;

/* One form. All memory is taken by plan. */
typedef struct zg_sparse_form {
    const char *name;
    /* *form NULL (and ZW_OK): it cannot serve this structure. *cost: predicted seconds of a factor
     * and a solve. */
    zw_status (*plan)(zb_memory *memory, const zg_numbers *x, void **form, double *cost);
    void (*free)(void *form);
    /* With mu >= 0 (0: the form allows it, see `plain`). False: there is no factor; *mass: because
     * M is not definite. */
    bool (*factor)(void *form, double mu, za_pivots *pivots, bool *mass);
    /* r1 [n], r2 [m] (NULL: 0), dz [n], dl [m]; these four apart. */
    void (*solve)(void *form, const double *r1, const double *r2, double *dz, double *dl);
    /* The number of eigenvalues of A M^-1 A^T above tau, relative to `scale` [m] in the place of
     * W^-1: from the negative pivots of [M A^T; A tau scale]. -1: no answer. Spoils the factor. */
    int64_t (*above)(void *form, double tau, const double *scale);
    bool plain; /* mu may be 0; then: */
    /* The largest a_i M^-1 a_i^T, of the last factor: times eps lambda it is what rounding of the
     * forces does to the rows. 0: M is not diagonal, and M^-1 costs digits itself. */
    double (*scale)(const void *form);
} zg_sparse_form;

extern const zg_sparse_form zg_sparse_K, zg_sparse_S, zg_sparse_H;

/* ---------------------------------------------------------------- diagonal blocks (inverse_blocks.c)
 * A symmetric matrix whose graph falls into small parts: inverses block by block. */
typedef struct zg_blocks zg_blocks;

/* Upper triangle or both triangles; NULL (and ZW_OK) when a block has more than `most` rows. */
zw_status zg_blocks_plan(zb_memory *memory, const zg_pattern *x, bool upper, int32_t most,
                         zg_blocks **blocks);
void zg_blocks_free(zg_blocks *blocks);
bool zg_blocks_diagonal(const zg_blocks *blocks);
/* Inverts; false when a block is not positive definite, *row then says where. */
bool zg_blocks_invert(zg_blocks *blocks, const double *values, int32_t *row);
/* Entry by entry: the inverse as a pattern of its own, both triangles, and its values. */
const zg_pattern *zg_blocks_pattern(const zg_blocks *blocks);
const double *zg_blocks_inverse(const zg_blocks *blocks);
void zg_blocks_times(const zg_blocks *blocks, const double *x, double *y); /* y = X^-1 x */

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

/* What the last two need of the driver. */
const zg_numbers *zg_sparse_numbers(const zg_sparse *g);
zb_memory *zg_sparse_memory(const zg_sparse *g);
const double *zg_sparse_sizes(zg_sparse *g); /* [m] a_i M^-1 a_i^T, about */
/* Of any g->form: zg_sparse_form.above; the factor is made again before the next solve. */
int64_t zg_sparse_above(zg_sparse *g, double tau, const double *scale);
/* x [m] without its part that A^T does not see: on return A^T x = 0, x = the null part. */
zw_status zg_sparse_null_part(zg_sparse *g, double *x);

#endif
