/*
 * Factoring: M = U^T U, W = R^T R, G = U^-T A^T R^T (a column per constraint), and G by the
 * cheapest road that is sound:
 *
 *     small n: S = G^T G by Cholesky, if a safe bound of its condition number allows it
 *     else:    complete orthogonal decomposition, always right
 *     large n: the same two through LAPACK
 *
 * Comparisons are written so that a NaN falls to the careful side.
 */
#include <math.h>
#include <string.h>

#include "plan.h"

/* A Schur complement beyond this condition number is left to the orthogonal road. */
static const double most_condition = 1e10;

zw_status zg_fail(zw_gauss *g, zg_failure failure)
{
    g->failure = failure;
    g->factored = false;
    return failure.status;
}

/* ------------------------------------------------------------ products and solves */

static void scale_by(int32_t count, const double *s, double *x)
{
    for (int32_t i = 0; i < count; i++) x[i] *= s[i];
}

void zg_mass_lower(const zw_gauss *g, double *x)
{
    if (g->diagonal)
        scale_by(g->n, g->inverse, x);
    else
        g->k->lower_solve(g->n, g->ldn, g->U, g->inverse, x);
}

void zg_mass_upper(const zw_gauss *g, double *x)
{
    if (g->diagonal)
        scale_by(g->n, g->inverse, x);
    else
        g->k->upper_solve(g->n, g->ldn, g->U, g->inverse, x);
}

void zg_mass_times(const zw_gauss *g, const double *x, double *y)
{
    if (g->shape.mass == ZW_FULL) {
        g->k->times_rows(g->n, g->ldn, g->M, x, y);
    } else {
        for (int32_t i = 0; i < g->n; i++) y[i] += g->M[i] * x[i];
    }
}

void zg_root_times(const zw_gauss *g, const double *x, double *y)
{
    if (g->weight == ZW_FULL) {
        memset(y, 0, sizeof(double) * (size_t)g->ldm);
        g->k->rows_times(g->m, g->ldm, g->R, x, y);
        return;
    }
    if (y != x) memcpy(y, x, sizeof(double) * (size_t)g->ldm);
    if (g->weight == ZW_DIAGONAL) scale_by(g->m, g->R, y);
}

void zg_root_transposed_times(const zw_gauss *g, const double *x, double *y)
{
    if (g->weight != ZW_FULL) {
        zg_root_times(g, x, y);
        return;
    }
    memset(y, 0, sizeof(double) * (size_t)g->ldm);
    g->k->times_rows(g->m, g->ldm, g->R, x, y);
}

void zg_root_solve(const zw_gauss *g, double *x)
{
    if (g->weight == ZW_FULL) g->k->upper_solve(g->m, g->ldm, g->R, g->R_inverse, x);
    if (g->weight == ZW_DIAGONAL) scale_by(g->m, g->R_inverse, x);
}

/* ---------------------------------------------------------------------- copying */

static void copy_rows(int32_t n, int32_t m, int32_t ld, const double *from, double *to)
{
    for (int32_t i = 0; i < n; i++)
        memcpy(to + (size_t)i * (size_t)ld, from + (size_t)i * (size_t)m,
               sizeof(double) * (size_t)m);
}

static void unit_padding(int32_t n, int32_t ld, double *U)
{
    for (int32_t i = n; i < za_pad4(n); i++) {
        memset(U + (size_t)i * (size_t)ld, 0, sizeof(double) * (size_t)ld);
        U[(size_t)i * (size_t)ld + (size_t)i] = 1.0;
    }
}

void zg_copy_data(zw_gauss *g, const double *M, const double *A, const double *W)
{
    if (g->shape.mass == ZW_FULL)
        copy_rows(g->n, g->n, g->ldn, M, g->M);
    else
        memcpy(g->M, M, sizeof(double) * (size_t)g->n);
    for (int32_t j = 0; j < g->m; j++) {
        const double *row = A + (size_t)j * (size_t)g->n;
        for (int32_t i = 0; i < g->n; i++) g->AT[(size_t)i * (size_t)g->ldm + (size_t)j] = row[i];
    }
    g->weight = W && g->m > 0 ? g->shape.weight : ZW_IDENTITY;
    if (g->weight == ZW_FULL) copy_rows(g->m, g->m, g->ldm, W, g->W);
    if (g->weight == ZW_DIAGONAL) memcpy(g->W, W, sizeof(double) * (size_t)g->m);
}

/* ---------------------------------------------------------------------- failures */

static bool find_bad(zw_gauss *g, char matrix, int32_t n, int32_t m, int32_t ld, const double *X)
{
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < m; j++) {
            double x = X[(size_t)i * (size_t)ld + (size_t)j];
            if (isfinite(x)) continue;
            bool turned = matrix == 'A'; /* kept transposed */
            g->failure = (zg_failure){.status = ZW_ERR_NOT_FINITE,
                                      .matrix = matrix,
                                      .i = turned ? j : i,
                                      .j = turned ? i : n == 1 ? -1 : j,
                                      .value = x};
            if (n == 1 && !turned) g->failure.i = j;
            return true;
        }
    }
    return false;
}

/* The first entry of the data that is not finite, as the failure; false when all are. */
bool zg_not_finite(zw_gauss *g)
{
    bool mass = g->shape.mass == ZW_FULL
                    ? find_bad(g, 'M', g->n, g->n, g->ldn, g->M)
                    : find_bad(g, 'M', 1, g->n, g->ldn, g->M);
    if (mass || find_bad(g, 'A', g->n, g->m, g->ldm, g->AT)) return true;
    if (g->weight == ZW_FULL) return find_bad(g, 'W', g->m, g->m, g->ldm, g->W);
    return g->weight == ZW_DIAGONAL && find_bad(g, 'W', 1, g->m, g->ldm, g->W);
}

/* ----------------------------------------------------------------------- weight */

static zw_status factor_weight(zw_gauss *g)
{
    if (g->weight == ZW_DIAGONAL) {
        for (int32_t j = 0; j < g->m; j++) {
            double w = g->W[j];
            if (!(w > 0.0) || !isfinite(w))
                return zg_fail(g, (zg_failure){.status = isfinite(w) ? ZW_ERR_INDEFINITE
                                                                     : ZW_ERR_NOT_FINITE,
                                               .matrix = 'W',
                                               .i = j,
                                               .j = -1,
                                               .value = w});
            g->R[j] = sqrt(w);
            g->R_inverse[j] = 1.0 / g->R[j];
        }
    }
    if (g->weight == ZW_FULL) {
        za_cholesky_info info;
        memcpy(g->R, g->W, sizeof(double) * (size_t)za_pad4(g->m) * (size_t)g->ldm);
        unit_padding(g->m, g->ldm, g->R);
        g->k->cholesky(g->m, g->ldm, 4.0 * ZA_EPS * g->m, g->R, g->R_inverse, &info);
        if (info.failed >= 0) {
            if (zg_not_finite(g)) return zg_fail(g, g->failure);
            return zg_fail(g, (zg_failure){.status = ZW_ERR_INDEFINITE,
                                           .matrix = 'W',
                                           .i = info.failed,
                                           .j = -1});
        }
        for (int32_t i = 0; i < g->m; i++)
            memset(g->R + (size_t)i * (size_t)g->ldm, 0, sizeof(double) * (size_t)i);
        for (int32_t i = g->m; i < za_pad4(g->m); i++) /* as a matrix, R has no padding */
            g->R[(size_t)i * (size_t)g->ldm + (size_t)i] = 0.0;
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------- mass */

static bool factor_diagonal_mass(zw_gauss *g)
{
    for (int32_t i = 0; i < g->n; i++) {
        if (!(g->M[i] > 0.0) || !isfinite(g->M[i])) return false;
        g->inverse[i] = 1.0 / sqrt(g->M[i]);
    }
    g->diagonal = true;
    g->condition = 1.0; /* a diagonal matrix costs no digits, however it is scaled */
    return true;
}

static bool factor_full_mass(zw_gauss *g)
{
    za_cholesky_info info;
    double threshold = 1e-14 * g->n;
    memcpy(g->U, g->M, sizeof(double) * (size_t)g->n * (size_t)g->ldn);
    unit_padding(g->n, g->ldn, g->U);
    if (g->lapack)
        za_lapack_cholesky(g->n, g->ldn, threshold, g->U, g->inverse, &info);
    else
        g->k->cholesky(g->n, g->ldn, threshold, g->U, g->inverse, &info);
    g->diagonal = false;
    g->condition = info.ratio;
    return info.failed < 0;
}

static zw_status factor_mass(zw_gauss *g)
{
    g->singular = false;
    bool good = g->shape.mass == ZW_FULL ? factor_full_mass(g) : factor_diagonal_mass(g);
    if (good) return ZW_OK;
    if (zg_not_finite(g)) return zg_fail(g, g->failure);
    return zg_factor_singular(g);
}

/* ---------------------------------------------------------------------- the roads */

/* G = U^-T A^T R^T. */
void zg_make_G(zw_gauss *g, double *G)
{
    size_t bytes = sizeof(double) * (size_t)za_pad4(g->n) * (size_t)g->ldm;
    if (g->weight == ZW_FULL) {
        memset(G, 0, bytes);
        for (int32_t i = 0; i < g->n; i++)
            g->k->rows_times(g->m, g->ldm, g->R, g->AT + (size_t)i * (size_t)g->ldm,
                             G + (size_t)i * (size_t)g->ldm);
    } else {
        memcpy(G, g->AT, bytes);
        for (int32_t i = 0; i < g->n && g->weight == ZW_DIAGONAL; i++)
            scale_by(g->m, g->R, G + (size_t)i * (size_t)g->ldm);
    }
    if (g->diagonal) {
        for (int32_t i = 0; i < g->n; i++)
            for (int32_t j = 0; j < g->ldm; j++)
                G[(size_t)i * (size_t)g->ldm + (size_t)j] *= g->inverse[i];
    } else if (g->lapack) {
        za_lapack_lower_solve_rows(g->n, g->ldn, g->U, g->m, g->ldm, G);
    } else {
        g->k->lower_solve_rows(g->n, g->ldn, g->U, g->inverse, g->ldm, G);
    }
}

static double frobenius(const zw_gauss *g, const double *G)
{
    double s[4] = {0};
    for (size_t i = 0; i < (size_t)g->n * (size_t)g->ldm; i += 4)
        for (int p = 0; p < 4; p++) s[p] += G[i + (size_t)p] * G[i + (size_t)p];
    return sqrt((s[0] + s[1]) + (s[2] + s[3]));
}

/* S scaled to unit diagonal; false when a diagonal entry is not positive and in range. */
static bool scale_schur(zw_gauss *g)
{
    for (int32_t j = 0; j < g->m; j++) {
        double d = g->S[(size_t)j * (size_t)g->ldm + (size_t)j];
        if (!(d > 1e-270) || !(d < 1e300)) return false;
        g->S_scale[j] = 1.0 / sqrt(d);
    }
    for (int32_t i = 0; i < g->m; i++) {
        double *row = g->S + (size_t)i * (size_t)g->ldm;
        for (int32_t j = i & ~7; j < g->ldm; j++) row[j] *= g->S_scale[i] * g->S_scale[j];
    }
    unit_padding(g->m, g->ldm, g->S);
    return true;
}

/* A bound of the condition number of S = U^T U (unit diagonal) that is never too small:
 * m |M(U)^-1 e|_inf |M(U)^-T e|_inf with M(U) the comparison matrix of U. */
static double safe_condition(const zw_gauss *g, double *x)
{
    double most = 0.0, most_transposed = 0.0;
    for (int32_t i = g->m - 1; i >= 0; i--) {
        const double *row = g->S + (size_t)i * (size_t)g->ldm;
        double s = 1.0;
        for (int32_t j = i + 1; j < g->m; j++) s += fabs(row[j]) * x[j];
        x[i] = s * g->S_inverse[i];
        if (!(x[i] <= most)) most = x[i];
    }
    for (int32_t i = 0; i < g->m; i++) x[i] = 1.0;
    for (int32_t i = 0; i < g->m; i++) {
        const double *row = g->S + (size_t)i * (size_t)g->ldm;
        double t = x[i] * g->S_inverse[i];
        if (!(t <= most_transposed)) most_transposed = t;
        for (int32_t j = i + 1; j < g->m; j++) x[j] += fabs(row[j]) * t;
    }
    return g->m * most * most_transposed;
}

/* 1-norm of the scaled S, from its upper triangle. */
static double schur_norm(const zw_gauss *g, double *sums)
{
    double most = 0.0;
    memset(sums, 0, sizeof(double) * (size_t)g->m);
    for (int32_t i = 0; i < g->m; i++) {
        const double *row = g->S + (size_t)i * (size_t)g->ldm;
        sums[i] += fabs(row[i]);
        for (int32_t j = i + 1; j < g->m; j++) {
            sums[i] += fabs(row[j]);
            sums[j] += fabs(row[j]);
        }
    }
    for (int32_t i = 0; i < g->m; i++)
        if (sums[i] > most) most = sums[i];
    return most;
}

/* The Schur road; false when it is not safe. */
static bool factor_schur(zw_gauss *g)
{
    za_cholesky_info info;
    double condition;
    if (!g->G || g->m > g->n) return false;
    if (g->lapack) {
        za_lapack_gram(g->n, g->m, g->ldm, g->G, g->S);
        if (!scale_schur(g)) return false;
        double norm = schur_norm(g, g->work);
        za_lapack_cholesky(g->m, g->ldm, 0.0, g->S, g->S_inverse, &info);
        if (info.failed >= 0) return false;
        condition = za_lapack_condition(g->m, g->ldm, g->S, norm, g->lapack_work, g->integers);
    } else {
        g->k->gram(g->n, g->m, g->ldm, g->G, g->S);
        if (!scale_schur(g)) return false;
        g->k->cholesky(g->m, g->ldm, 0.0, g->S, g->S_inverse, &info);
        if (info.failed >= 0) return false;
        condition = safe_condition(g, g->work);
    }
    if (!(condition <= most_condition)) return false;
    if (condition > g->condition) g->condition = condition;
    return true;
}

static zw_status run_cod(zw_gauss *g)
{
    if (g->lapack)
        za_lapack_cod_factor(g->k, &g->cod, g->tolerance, g->lapack_work);
    else
        g->k->cod_factor(&g->cod, g->tolerance);
    if (g->cod.in_range) {
        g->cod_ready = true;
        return ZW_OK;
    }
    if (zg_not_finite(g)) return zg_fail(g, g->failure);
    return zg_fail(g, (zg_failure){.status = ZW_ERR_RANGE, .matrix = 'A', .i = -1, .j = -1});
}

/* After the Schur road: the orthogonal decomposition too, for rank, basis and diagnosis. */
zw_status zg_need_cod(zw_gauss *g)
{
    if (g->cod_ready) return ZW_OK;
    memcpy(g->cod.G, g->G, sizeof(double) * (size_t)za_pad4(g->n) * (size_t)g->ldm);
    return run_cod(g);
}

zw_status zg_factor(zw_gauss *g, const double *M, const double *A, const double *W)
{
    g->factored = g->cod_ready = false;
    g->failure = (zg_failure){.status = ZW_OK};
    zg_copy_data(g, M, A, W);
    ZB_TRY(factor_weight(g));
    ZB_TRY(factor_mass(g));
    double *G = g->G ? g->G : g->cod.G;
    zg_make_G(g, G);
    g->norm_P = frobenius(g, G);
    g->road = ZG_SCHUR;
    if (!factor_schur(g)) {
        g->road = ZG_COD;
        if (g->G) memcpy(g->cod.G, g->G, sizeof(double) * (size_t)za_pad4(g->n) * (size_t)g->ldm);
        ZB_TRY(run_cod(g));
        if (g->cod.rank > 0 && 1.0 / g->cod.accepted > g->condition)
            g->condition = 1.0 / g->cod.accepted;
    }
    /* A certificate with the whole of M exposes an asymmetric one; where the answer is refined
     * by that same M it would not. */
    if (g->condition > zg_refine_condition && zg_asymmetric(g)) return zg_fail(g, g->failure);
    g->factored = true;
    return ZW_OK;
}
