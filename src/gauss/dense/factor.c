/*
 * Factoring: M = U^T U, W = R^T R, G = U^-T A^T R^T (a column per constraint), and G by the
 * cheapest road that is sound:
 *
 *     S = G^T G by Cholesky, where its condition number allows it (schur.c)
 *     else a complete orthogonal decomposition, always right
 *
 * both by our own kernels, or through LAPACK for large systems.
 *
 * Comparisons are written so that a NaN falls to the careful side.
 */
#include <math.h>
#include <string.h>

#include "plan.h"

/* Remembers what went wrong; a factor that was there can no longer be used. */
zw_status zg_fail(zw_gauss *g, zg_failure failure)
{
    g->failure = failure;
    g->factored = false;
    return failure.status;
}

/* The kernels run over whole groups of four rows: the rows of padding must be harmless to divide
 * by. */
void zg_unit_padding(int32_t n, int32_t ld, double *U)
{
    for (int32_t i = n; i < za_pad4(n); i++) {
        memset(U + (size_t)i * (size_t)ld, 0, sizeof(double) * (size_t)ld);
        U[(size_t)i * (size_t)ld + (size_t)i] = 1.0;
    }
}

/* ----------------------------------------------------------------------- weight */

/* W = R^T R: roots of a diagonal one, Cholesky of a full one, ones where there is none. Fails where
 * W is not positive definite. */
static zw_status factor_weight(zw_gauss *g)
{
    if (g->weight == ZW_DIAGONAL) {
        for (int32_t j = 0; j < g->m; j++) {
            double w = g->W[j];
            if (!(w > 0.0)) {
                zg_failure failure = {.status = ZW_ERR_INDEFINITE,
                                      .matrix = 'W',
                                      .i = j,
                                      .j = -1,
                                      .value = w,
                                      .single = true};
                return zg_fail(g, failure);
            }
            g->R[j] = sqrt(w);
            g->R_inverse[j] = 1.0 / g->R[j];
        }
    }
    if (g->weight == ZW_IDENTITY)
        for (int32_t j = 0; j < g->m; j++) g->R[j] = 1.0; /* for the small kernels */
    if (g->weight == ZW_FULL) {
        memcpy(g->R, g->W, sizeof(double) * (size_t)za_pad4(g->m) * (size_t)g->ldm);
        zg_unit_padding(g->m, g->ldm, g->R);
        int32_t bad = g->k->cholesky(g->m, g->ldm, 4.0 * zb_eps * g->m, g->R, g->R_inverse);
        if (bad >= 0) {
            zg_failure failure = {.status = ZW_ERR_INDEFINITE, .matrix = 'W', .i = bad, .j = -1};
            return zg_fail(g, failure);
        }
        for (int32_t i = 0; i < g->m; i++)
            memset(g->R + (size_t)i * (size_t)g->ldm, 0, sizeof(double) * (size_t)i);
        for (int32_t i = g->m; i < za_pad4(g->m); i++) /* as a matrix, R has no padding */
            g->R[(size_t)i * (size_t)g->ldm + (size_t)i] = 0.0;
    }
    return ZW_OK;
}

/* ---------------------------------------------------------------------------- G */

/* A full R adds rows up, and they may cancel: damp[k] = |sum_j R_kj A_j| / sum_j |R_kj| |A_j|. */
static void measure_cancellation(zw_gauss *g)
{
    double *length = g->work;
    for (int32_t j = 0; j < g->m; j++)
        length[j] = g->k->norm(g->ldn, g->A + (size_t)j * (size_t)g->ldn);
    g->k->column_norms2(g->n, g->ldm, g->G, g->damp);
    for (int32_t k = 0; k < g->m; k++) {
        double terms = 0.0;
        for (int32_t j = k; j < g->m; j++)
            terms += fabs(g->R[(size_t)k * (size_t)g->ldm + (size_t)j]) * length[j];
        g->damp[k] = terms > 0.0 ? sqrt(g->damp[k]) / terms : 0.0;
    }
}

/* G = A^T R^T. */
static void weigh_constraints(zw_gauss *g)
{
    size_t bytes = sizeof(double) * (size_t)za_pad4(g->n) * (size_t)g->ldm;
    double *G = g->G;
    if (g->weight == ZW_FULL) {
        memset(G, 0, bytes);
        for (int32_t i = 0; i < g->n; i++)
            g->k->rows_times(g->m, g->ldm, g->R, g->AT + (size_t)i * (size_t)g->ldm,
                             G + (size_t)i * (size_t)g->ldm);
        measure_cancellation(g);
        return;
    }
    memcpy(G, g->AT, bytes);
    for (int32_t i = 0; i < g->n && g->weight == ZW_DIAGONAL; i++)
        zg_scale_by(g->m, g->R, G + (size_t)i * (size_t)g->ldm);
}

/* G = U^-T G. */
static void solve_G(zw_gauss *g)
{
    if (g->diagonal) {
        for (int32_t i = 0; i < g->n; i++)
            for (int32_t j = 0; j < g->ldm; j++)
                g->G[(size_t)i * (size_t)g->ldm + (size_t)j] *= g->inverse[i];
    } else if (g->lapack) {
        za_lapack_lower_solve_rows(g->n, g->ldn, g->U, g->m, g->ldm, g->G);
    } else {
        g->k->lower_solve_rows(g->n, g->ldn, g->U, g->inverse, g->m, g->ldm, g->G);
    }
}

/* ------------------------------------------------------------------------- mass */

/* A diagonal M: `inverse` holds 1 / sqrt(M), and G is solved with. False: an entry is not
 * positive. */
static bool factor_diagonal_mass(zw_gauss *g)
{
    for (int32_t i = 0; i < g->n; i++) {
        if (!(g->M[i] > 0.0)) return false;
        g->inverse[i] = 1.0 / sqrt(g->M[i]);
    }
    g->diagonal = true;
    solve_G(g);
    return true;
}

/* Small systems take G along: it becomes U^-T G in the same sweep. */
static bool factor_full_mass(zw_gauss *g)
{
    double threshold = 1e-8 * g->n; /* below it, singular_mass.c looks more closely */
    for (int32_t i = 0; i < g->n && g->lapack; i++) /* the upper triangle is enough */
        memcpy(g->U + (size_t)i * (size_t)(g->ldn + 1), g->M + (size_t)i * (size_t)(g->ldn + 1),
               sizeof(double) * (size_t)(g->n - i));
    if (!g->lapack) memcpy(g->U, g->M, sizeof(double) * (size_t)g->n * (size_t)g->ldn);
    g->diagonal = false;
    if (g->small) return g->k->small->mass(g->n, g->m, threshold, g->U, g->inverse, g->G) < 0;
    zg_unit_padding(g->n, g->ldn, g->U);
    int32_t bad = g->lapack ? za_lapack_cholesky(g->n, g->ldn, threshold, g->U, g->inverse)
                            : g->k->cholesky(g->n, g->ldn, threshold, g->U, g->inverse);
    if (bad < 0) solve_G(g);
    return bad < 0;
}

/* M = U^T U, and G = U^-T G. Where M is not clearly definite, singular_mass.c says what U is, and G
 * is made again. */
static zw_status factor_mass_matrix(zw_gauss *g)
{
    g->singular = false;
    bool good = g->shape.mass == ZW_FULL ? factor_full_mass(g) : factor_diagonal_mass(g);
    if (good) return ZW_OK;
    ZB_TRY(zg_factor_singular(g));
    weigh_constraints(g);
    solve_G(g);
    return ZW_OK;
}

/* ---------------------------------------------------------------------- the roads */

/* Norms of the columns of G, by which the rows' residuals are measured, and of the whole. */
static void measure_G(zw_gauss *g)
{
    double s = 0.0;
    g->k->column_norms2(g->n, g->ldm, g->G, g->row_size);
    for (int32_t j = 0; j < g->m; j++) {
        s += g->row_size[j];
        g->row_size[j] = sqrt(g->row_size[j]);
    }
    g->norm_P = sqrt(s);
}

/* A relative pivot beyond the rank that was said above this is no noise. */
static const double no_noise = 1e-3;

/* The complete orthogonal decomposition of cod.G, of rank `limit` at most. damp [m] or NULL: what a
 * full W has left of each row; a row that has cancelled to rounding counts as zero. */
static zw_status factor_cod(zw_gauss *g, int32_t limit, const double *damp)
{
    g->cod.limit = limit;
    g->cod.damp = damp;
    if (g->lapack)
        za_lapack_cod_factor(g->k, &g->cod, g->tolerance, g->lapack_work);
    else
        g->k->cod->factor(&g->cod, g->tolerance);
    if (g->cod.in_range) return ZW_OK;
    (void)zg_in_range(g, 'M', g->shape.mass == ZW_FULL ? g->n : 1, g->n, g->ldn, g->M);
    if (g->failure.status == ZW_OK)
        g->failure = (zg_failure){.status = ZW_ERR_RANGE, .matrix = 'A'};
    return zg_fail(g, g->failure);
}

static const double *choose_damp(const zw_gauss *g)
{
    return g->weight == ZW_FULL ? g->damp : NULL;
}

/*
 * The rank of A does not depend on M and W, but rounding in G does: where the constraints act
 * on heavy motions, U^-T blows up the noise of the light ones. Small pivots are therefore
 * checked against A itself, whose dependent rows are as exact as the data.
 */
static zw_status check_rank(zw_gauss *g)
{
    za_cod *f = &g->cod;
    if (f->rank == 0 || f->accepted > 1e-6) return ZW_OK;
    int32_t rank = f->rank;
    memcpy(f->G, g->AT, sizeof(double) * (size_t)za_pad4(g->n) * (size_t)g->ldm);
    ZB_TRY(factor_cod(g, g->m, NULL));
    int32_t right = f->rank < rank ? f->rank : rank;
    double accepted = f->accepted, rejected = f->rejected;
    weigh_constraints(g);
    solve_G(g);
    if (f->G != g->G) memcpy(f->G, g->G, sizeof(double) * (size_t)za_pad4(g->n) * (size_t)g->ldm);
    ZB_TRY(factor_cod(g, right, choose_damp(g)));
    if (right == rank) return ZW_OK;
    f->accepted = accepted;
    f->rejected = rejected;
    return ZW_OK;
}

/* The orthogonal decomposition, in a place of its own where the Schur road needs G, with the bound
 * of the rank that the caller knows; without it where a pivot beyond it is no noise. */
static zw_status decompose_orthogonally(zw_gauss *g)
{
    if (g->cod.G != g->G)
        memcpy(g->cod.G, g->G, sizeof(double) * (size_t)za_pad4(g->n) * (size_t)g->ldm);
    ZB_TRY(factor_cod(g, g->most_rank, choose_damp(g)));
    if (g->most_rank < g->m && g->cod.rejected > no_noise) { /* not what was expected */
        weigh_constraints(g);
        solve_G(g);
        if (g->cod.G != g->G)
            memcpy(g->cod.G, g->G, sizeof(double) * (size_t)za_pad4(g->n) * (size_t)g->ldm);
        ZB_TRY(factor_cod(g, g->m, choose_damp(g)));
    }
    ZB_TRY(check_rank(g));
    g->cod_ready = true;
    return ZW_OK;
}

void zg_limit_rank(zw_gauss *g, int32_t most)
{
    g->most_rank = most < g->m ? most : g->m;
}

/* After the Schur road: the orthogonal decomposition too, for rank and basis. */
zw_status zg_need_cod(zw_gauss *g)
{
    return g->cod_ready ? ZW_OK : decompose_orthogonally(g);
}

/* Where the rank is known to be below m the Schur road is not tried. Small systems on it have a
 * kernel that solves, certifies and corrects in one go: small_kernel. */
zw_status zg_factor(zw_gauss *g, const double *M, const double *A, const double *W)
{
    g->factored = g->cod_ready = false;
    g->failure = (zg_failure){.status = ZW_OK};
    zg_copy_data(g, M, A, W);
    if (!(g->copied <= 0.0) && zg_not_finite(g)) return zg_fail(g, g->failure);
    ZB_TRY(factor_weight(g));
    weigh_constraints(g);
    ZB_TRY(factor_mass_matrix(g));
    measure_G(g);
    g->road = g->most_rank >= g->m && zg_factor_schur(g) ? ZG_SCHUR : ZG_COD;
    if (g->road == ZG_COD) ZB_TRY(decompose_orthogonally(g));
    g->small_kernel =
        g->small && g->road == ZG_SCHUR && !g->diagonal && !g->singular && g->weight != ZW_FULL;
    if (g->small_kernel)
        g->k->small->operators(g->n, g->m, g->U, g->inverse, g->G, g->S, g->S_inverse, g->R,
                               &g->operators);
    g->factored = true;
    return ZW_OK;
}
