/*
 * What the dense solver holds: copies of the data, the factors, the vectors of one solve. All of it
 * lies in one block that plan.c lays out; nothing is allocated afterwards.
 *
 * Storage is that of linalg.h: padded rows, pad entries 0. A is kept both ways, so that every
 * product with it runs along rows.
 */
#ifndef ZG_PLAN_H
#define ZG_PLAN_H

#include "dense_solver.h"
#include "inconsistency.h"
#include "linalg.h"

enum {
    zg_large = 150 /* from here on through LAPACK */
};

/* What went wrong in the last call, enough to say it in a sentence. */
typedef struct zg_failure {
    zw_status status;
    char matrix; /* M, A, W, Q, b, C, or z for an acceleration that was given */
    int32_t i, j;
    double value, other;
    bool single;        /* ZW_ERR_INDEFINITE: the entry [i] alone is wrong, with this value */
    int32_t directions; /* ZW_ERR_UNDETERMINED: how many motions are free */
} zg_failure;

/* How G is factored at present. A *road* is one way of several to the same answer. */
typedef enum zg_road {
    ZG_SCHUR, /* S = G^T G by Cholesky, condition guarded: independent rows */
    ZG_COD    /* complete orthogonal decomposition: everything */
} zg_road;

struct zw_gauss {
    zb_memory *memory;
    struct zg_raw *raw; /* of a shape with inequalities: all there is (raw_inequality.c) */
    void *block;
    size_t block_size;

    zw_gauss_shape shape;
    int32_t n, m, ldn, ldm;
    double tolerance;  /* of rank */
    int32_t most_rank; /* zg_limit_rank */
    const za_kernels *k;
    bool lapack; /* large: through LAPACK */
    bool small;  /* at most ZA_SMALL coordinates and no more rows than those */

    /* the data */
    double *M;  /* [pad4(n) * ldn], or [ldn] when diagonal */
    double *A;  /* [pad4(m) * ldn] */
    double *AT; /* [pad4(n) * ldm] the same, transposed */
    double *W;  /* [pad4(m) * ldm], or [ldm], or NULL */
    zw_matrix_kind weight;

    /* M (or M + alpha A^T V A) = U^T U, W = R^T R, G = U^-T A^T R^T */
    bool diagonal;                   /* U is diagonal: only `inverse` counts */
    bool singular;                   /* U is the factor of M + alpha A^T V A */
    double alpha;                    /* then; V = diag(row_scale) */
    double *U;                       /* [pad4(n) * ldn] */
    double *inverse;                 /* [ldn] */
    double *R;                       /* [pad4(m) * ldm] full W; [ldm] roots of a diagonal one */
    double *R_inverse, *row_scale;   /* [ldm] */
    double *G;                       /* [pad4(n) * ldm]; the place of cod.G where S is NULL */
    double *S, *S_inverse, *S_scale; /* where ZG_SCHUR is possible */
    za_cod cod;
    double *lapack_work;
    int32_t *integers; /* [max(ldn, ldm)] */

    bool factored, cod_ready;
    bool small_kernel; /* za_small: one kernel solves, certifies and corrects */
    za_small_operators operators;
    zg_road road;
    double copied;    /* 0, or NaN when some entry of the data is not finite */
    double *row_size; /* [ldm] norms of the columns of G */
    double norm_P;    /* Frobenius norm of G */
    zg_failure failure;
    double motion, lost; /* of the last solve */

    /* vectors of a solve; [ldn] */
    double *f, *t, *z, *dz, *r1, *low1, *size1, *z_nonideal, *moving, *slope;
    /* [ldm] */
    double *b, *c, *nu, *null, *lambda, *dlambda, *r2, *low2, *size2, *lambda_nonideal, *conflict,
        *work_rows, *stress, *stress_low, *dconflict, *damp, *total;
    double *work; /* [2 max(ldn, ldm)] */
};

/* A General Gauss solution GG(f, b) and what is known of it. */
typedef struct zg_solution {
    double *z, *lambda; /* [ldn], [ldm] of the caller */
    double *conflict;   /* [ldm] of the caller: the part of b that no z can reach, b - A z */
    double moved;       /* |z - M^-1 f|^2_M */
    double lost;        /* |conflict| in the norm of W; 0 when it is rounding only */
    double noise;       /* its size then */
    double right;       /* |R b| */
    double size;        /* right + |P| |U z|: what a conflict is measured by */
    double motion;      /* |U z| + |U^-T f| */
    double certificate; /* the largest residual, relative */
    int32_t refinements;
} zg_solution;

/* products.c */
void zg_mass_lower(const zw_gauss *g, double *x);                             /* x = U^-T x */
void zg_mass_upper(const zw_gauss *g, double *x);                             /* x = U^-1 x */
void zg_mass_times(const zw_gauss *g, const double *x, double *y);            /* y += M x */
void zg_root_times(const zw_gauss *g, const double *x, double *y);            /* y = R x */
void zg_root_transposed_times(const zw_gauss *g, const double *x, double *y); /* y = R^T x */
void zg_root_solve(const zw_gauss *g, double *x);                             /* x = R^-1 x */
void zg_scale_by(int32_t count, const double *s, double *x);                  /* x_i *= s_i */

/* factor.c */
zw_status zg_need_cod(zw_gauss *g);
zw_status zg_fail(zw_gauss *g, zg_failure failure);
void zg_unit_padding(int32_t n, int32_t ld, double *U); /* 1 on the diagonal of pad rows */

/* data.c */
void zg_copy_data(zw_gauss *g, const double *M, const double *A, const double *W);
bool zg_not_finite(zw_gauss *g); /* the first such entry becomes the failure */
zw_status zg_finite(zw_gauss *g, char name, const double *x, int32_t count);
zw_status zg_in_range(zw_gauss *g, char name, int32_t rows, int32_t columns, int32_t ld,
                      const double *X);

/* schur.c */
bool zg_factor_schur(zw_gauss *g); /* false: not to be had, or not safe */
double zg_schur_solve(const zw_gauss *g, const double *c, double *t, double *nu);
double zg_schur_gaussian(const zw_gauss *g, const double *lambda);

/* strict_check.c */
zw_status zg_check_numbers(zw_gauss *g, const double *M, const double *A,
                           const double *W); /* zg_check, without M being semidefinite */
bool zg_asymmetric(zw_gauss *g);             /* M; likewise */

/* singular_mass.c */
zw_status zg_factor_singular(zw_gauss *g);
zw_status zg_judge_mass(zw_gauss *g, int32_t *rank);          /* semidefinite? overwrites U */
zw_status zg_judge_weight(zw_gauss *g);                       /* definite? overwrites R */
void zg_null_vector(const zw_gauss *g, int32_t q, double *x); /* q-th undetermined motion */

/* residual.c: r1 = f + A^T lambda - M z and r2 = b - A z - conflict (b NULL: 0), computed in
 * about twice the precision, into g->r1 and g->r2; returns the larger, relative. f [ldn], b [ldm].
 */
double zg_residuals(zw_gauss *g, const double *f, const double *b, const zg_solution *s);
void zg_conflict_slope(zw_gauss *g, const double *conflict); /* g->slope = A^T W conflict */
double zg_free_residual(zw_gauss *g, const double *f, const double *z); /* r1 = f - M z alone */

/* principle.c: z, lambda = GG(f, b), refined; b NULL means 0. f [ldn], b [ldm]. `added_to`
 * is the size of what z will be added to: smaller corrections do not matter. */
zw_status zg_general_gauss(zw_gauss *g, const double *f, const double *b, double added_to,
                           zg_solution *s);

/* The correction d of s that belongs to the residuals in g->r1 and g->r2; returns |d.z|. Is what
 * a correction of that size leaves behind, after one of size `before`, rounding only? */
double zg_correction(zw_gauss *g, const zg_solution *s, zg_solution *d);
bool zg_is_rounding(double change, double before, double size);
double zg_gaussian(zw_gauss *g, const double *lambda); /* |U^-T A^T lambda|^2 */
void zg_add(int32_t ld, const double *dx, double *x);

#endif
