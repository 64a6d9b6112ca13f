/*
 * Products and solves with the factors: M = U^T U (or M + alpha A^T V A), W = R^T R. Diagonal
 * matrices and small ones have their own ways.
 */
#include <string.h>

#include "plan.h"

void zg_scale_by(int32_t count, const double *s, double *x)
{
    for (int32_t i = 0; i < count; i++) x[i] *= s[i];
}

void zg_mass_lower(const zw_gauss *g, double *x)
{
    if (g->diagonal)
        zg_scale_by(g->n, g->inverse, x);
    else if (g->small)
        g->k->small->lower(g->n, g->U, g->inverse, x);
    else
        g->k->lower_solve(g->n, g->ldn, g->U, g->inverse, x);
}

void zg_mass_upper(const zw_gauss *g, double *x)
{
    if (g->diagonal)
        zg_scale_by(g->n, g->inverse, x);
    else if (g->small)
        g->k->small->upper(g->n, g->U, g->inverse, x);
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
    if (g->weight == ZW_DIAGONAL) zg_scale_by(g->m, g->R, y);
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
    if (g->weight == ZW_DIAGONAL) zg_scale_by(g->m, g->R_inverse, x);
}
