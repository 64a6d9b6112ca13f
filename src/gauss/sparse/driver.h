/*
 * What the driver of the sparse solver holds; shared by driver.c, sparse_answer.c and
 * sparse_judge.c.
 */
#ifndef ZG_DRIVER_H
#define ZG_DRIVER_H

#include "inconsistency.h"
#include "inverse_blocks.h"
#include "maps.h"
#include "sparse.h"
#include "sparse_form.h"

/* How the last factor was made. *Damped* means: with mu > 0, which also serves dependent rows. */
typedef enum zg_damping {
    ZG_NO_FACTOR,
    ZG_UNDAMPED, /* mu = 0: the rows are independent */
    ZG_DAMPED
} zg_damping;

/* M or W alone, to be solved with: by inverse blocks where these are small, else by a factor. */
typedef struct zg_symmetric_solver {
    const zg_pattern *is;
    zg_blocks *blocks;
    za_symmetric pattern;
    int32_t *place; /* [its entries] where each goes in `values`, -1: nowhere */
    double *values;
    zg_chosen chosen;
    bool ready, singular;
} zg_symmetric_solver;

struct zg_sparse {
    zb_memory *memory;
    zb_arena arena;
    zg_structure is;
    zg_numbers x;
    const zg_sparse_form *kind;
    void *form;
    double cost;
    int32_t most_rank;
    int32_t on; /* rows that are not off */

    zg_damping damping;
    bool no_smaller_mu; /* a smaller mu than this gives no factor */
    bool spoiled;       /* `above` has overwritten the factor */
    double relative_mu; /* mu / unit */
    double mu;          /* the damping, 0 or more */
    double unit;        /* the typical w_i a_i M^-1 a_i^T: their median */
    za_pivots pivots;
    zw_status failure;
    int32_t failed; /* coordinate or row */
    char failed_matrix;

    /* kept until the next factor */
    bool ranked;
    zw_gauss_rank_info rank;

    zg_symmetric_solver mass, weight; /* weight: of W, when there is one */

    double *sizes;    /* [m] a_i M^-1 a_i^T, with the diagonal of M */
    double *diagonal; /* [n] of M, 0 entries replaced */
    double *r1, *dz, *f, *z, *z2, *work, *z_nonideal;     /* [n] */
    double *r2, *dl, *l, *l2, *b, *c, *lost, *l_nonideal; /* [m] */
};

/* An *iterate*: a solution that is being refined, and the residuals it has at present. */
typedef struct zg_iterate {
    const double *f, *b; /* b NULL: 0 */
    double *z, *lambda;
    double r1, r2;       /* largest residuals */
    double size1, size2; /* and what they are compared with */
    double tolerance;    /* of the caller; 0: rounding */
    int32_t solves;
} zg_iterate;

/* driver.c */
zw_status zg_sparse_renew(zg_sparse *g); /* the factor, when it was spoiled */
/* z, lambda = GG(f, b), and what of b is out of reach: lost [m] or NULL, *lost_norm its norm in W,
 * 0 when there is none. Of *w only the tolerance is read. */
zw_status zg_sparse_gauss(zg_sparse *g, const double *f, const double *b, double *z, double *lambda,
                          double *lost, double *lost_norm, zg_iterate *w);
/* lambda [m] becomes the one of least norm: it loses the part that A^T does not see. */
void zg_sparse_least(zg_sparse *g, double *lambda);

/* What a conflict is measured by: |b| + |P| |z|, P = W^(1/2) A M^(-1/2); b NULL: 0. */
double zg_sparse_size(zg_sparse *g, const double *b, const double *z);

/* sparse_products.c */
void zg_mass_apply(const zg_sparse *g, const double *x, double *y);   /* y = M x */
void zg_rows_apply(const zg_sparse *g, const double *x, double *y);   /* y = A x */
void zg_rows_pull(const zg_sparse *g, const double *l, double *y);    /* y = A^T l */
void zg_weight_apply(const zg_sparse *g, const double *x, double *y); /* y = W x */
double zg_weight_norm(const zg_sparse *g, const double *x, double *work);
double zg_largest(int32_t count, const double *x);
/* The residuals of an iterate, into g->r1 and g->r2; work gets the sizes of the forces. */
void zg_sparse_residuals(zg_sparse *g, zg_iterate *w);
/* Every eighth row: is r2 at most `tolerance` of its terms, or `rounding` times a multiplier? */
bool zg_sparse_sample(const zg_sparse *g, const zg_iterate *w, double tolerance, double rounding);
/* r2 alone; r1 is said to be 0. */
void zg_sparse_rows_residual(zg_sparse *g, zg_iterate *w);

/* sparse_judge.c: M and W alone, and what is wrong with matrices that cannot be factored. */
zw_status zg_symmetric_plan(zg_sparse *g, const zg_pattern *is, bool upper, zg_symmetric_solver *x);
void zg_symmetric_clear(zg_symmetric_solver *x);
bool zg_mass_solve(zg_sparse *g, double *x); /* x = M^-1 x; false: M is singular */
bool zg_weight_solve(zg_sparse *g, const double *x, double *y); /* y = W^-1 x; likewise */
zw_status zg_mass_judge(zg_sparse *g); /* ZW_ERR_INDEFINITE: negative in some direction */
bool zg_weight_definite(zg_sparse *g); /* g->failed says where not */

#endif
