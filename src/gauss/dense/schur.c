/*
 * The Schur road, for independent rows: S = G^T G = U_S^T U_S by Cholesky and
 *
 *     nu = S^-1 (c - G^T t),   s = t + G nu
 *
 * Cheaper than an orthogonal decomposition but it squares the condition number of G, so it is
 * taken only where that number allows it: by a bound that is never too small, or for large
 * systems by LAPACK's estimate. The refinement makes up for the digits it loses.
 */
#include <math.h>
#include <string.h>

#include "plan.h"

/* Beyond this condition number of S (scaled to unit diagonal) the road is not taken. */
static const double most_condition = 1e10;

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
        for (int32_t j = i; j < g->m; j++) row[j] *= g->S_scale[i] * g->S_scale[j];
    }
    return true;
}

/* 1-norm of the scaled S, from its upper triangle. */
static double measure_schur_norm(const zw_gauss *g, double *sums)
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

/* Large systems. Returns the condition of the scaled S: an estimate of LAPACK, or the square of the
 * largest inverse pivot where that is small. HUGE_VAL: there is no factor. */
static double factor_schur_by_lapack(zw_gauss *g)
{
    za_lapack_gram(g->n, g->m, g->ldm, g->G, g->S);
    if (!scale_schur(g)) return HUGE_VAL;
    double norm = measure_schur_norm(g, g->work);
    if (za_lapack_cholesky(g->m, g->ldm, 0.0, g->S, g->S_inverse) >= 0) return HUGE_VAL;
    double weakest = 0.0; /* large pivots need no estimate */
    for (int32_t j = 0; j < g->m; j++)
        if (g->S_inverse[j] > weakest) weakest = g->S_inverse[j];
    if (weakest < 1e2) return weakest * weakest;
    return za_lapack_condition(g->m, g->ldm, g->S, norm, g->lapack_work, g->integers);
}

/* Systems of medium size; the condition is a bound that is never too small. The place of the
 * orthogonal decomposition serves as scratch: it is not there yet. A pivot under 1 / most_condition
 * needs no bound to be refused. */
static double factor_schur_by_kernels(zw_gauss *g)
{
    g->k->gram(g->n, g->m, g->ldm, g->G, g->S);
    if (!scale_schur(g)) return HUGE_VAL;
    zg_unit_padding(g->m, g->ldm, g->S);
    if (g->k->cholesky(g->m, g->ldm, 1.0 / most_condition, g->S, g->S_inverse) >= 0)
        return HUGE_VAL;
    return g->k->condition(g->m, g->ldm, g->S, g->S_inverse, g->cod.G);
}

/* By unrolled kernels, our own or LAPACK, as the size asks for. */
bool zg_factor_schur(zw_gauss *g)
{
    double condition;
    if (g->m > g->n || g->m == 0) return false;
    for (int32_t j = 0; j < g->m && g->weight == ZW_FULL; j++)
        if (!(g->damp[j] > 1e-4)) return false; /* a row that has all but cancelled */
    if (g->small)
        condition = g->k->small->schur(g->n, g->m, g->G, g->S, g->S_inverse);
    else
        condition = g->lapack ? factor_schur_by_lapack(g) : factor_schur_by_kernels(g);
    return condition <= most_condition;
}

/* nu [ldm] = S^-1 (c - G^T t), t [ldn] += G nu; returns |G nu|^2. */
static double solve_scaled_schur(const zw_gauss *g, const double *c, double *t, double *nu)
{
    double *y = g->work, moved = 0.0;
    memset(nu, 0, sizeof(double) * (size_t)g->ldm);
    g->k->times_rows(g->n, g->ldm, g->G, t, nu);
    for (int32_t j = 0; j < g->m; j++) nu[j] = (c[j] - nu[j]) * g->S_scale[j];
    g->k->lower_solve(g->m, g->ldm, g->S, g->S_inverse, nu);
    g->k->upper_solve(g->m, g->ldm, g->S, g->S_inverse, nu);
    for (int32_t j = 0; j < g->m; j++) nu[j] *= g->S_scale[j];
    memset(y, 0, sizeof(double) * (size_t)g->ldn);
    g->k->rows_times(g->n, g->ldm, g->G, nu, y);
    for (int32_t i = 0; i < g->n; i++) {
        t[i] += y[i];
        moved += y[i] * y[i];
    }
    return moved;
}

double zg_schur_solve(const zw_gauss *g, const double *c, double *t, double *nu)
{
    if (g->small) return g->k->small->solve(g->n, g->m, g->G, g->S, g->S_inverse, c, t, nu);
    return solve_scaled_schur(g, c, t, nu);
}

/* |G nu|^2 = |U_S nu|^2 with lambda = R nu, R diagonal. */
double zg_schur_gaussian(const zw_gauss *g, const double *lambda)
{
    double sum = 0.0, *nu = g->nu;
    for (int32_t j = 0; j < g->m; j++) {
        nu[j] = g->weight == ZW_DIAGONAL ? lambda[j] * g->R_inverse[j] : lambda[j];
        if (!g->small) nu[j] /= g->S_scale[j];
    }
    for (int32_t i = 0; i < g->m; i++) {
        const double *row = g->S + (size_t)i * (size_t)g->ldm;
        double y = 0.0;
        for (int32_t j = i; j < g->m; j++) y += row[j] * nu[j];
        sum += y * y;
    }
    return sum;
}
