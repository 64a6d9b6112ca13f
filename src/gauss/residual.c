/*
 * Residuals of a solution, from the original data:
 *
 *     r1 = f + A^T lambda - M z      balance of forces
 *     r2 = b - A z                   the constraints
 *
 * in about twice the precision: they certify the answer and correct it. Of r2 only the part
 * that some z could remove counts against it: the rest is the conflict among the constraints.
 */
#include <math.h>
#include <string.h>

#include "plan.h"

/* Vectors are padded with zeros to a multiple of 8. */
double zg_norm(int32_t ld, const double *x)
{
    double s[4] = {0};
    for (int32_t i = 0; i < ld; i += 4)
        for (int p = 0; p < 4; p++) s[p] += x[i + p] * x[i + p];
    return sqrt((s[0] + s[1]) + (s[2] + s[3]));
}

/* high + low -= M x in about twice the precision. */
void zg_subtract_mass_times(zw_gauss *g, const double *x, double *high, double *low)
{
    if (g->shape.mass == ZW_FULL)
        g->k->times_rows_exact(g->n, g->ldn, g->M, x, high, low);
    else
        g->k->products_exact(g->ldn, g->M, x, high, low);
}

/* r1; returns it relative to |f| + |A^T lambda| + |M z|. */
static double balance(zw_gauss *g, const double *f, const zg_solution *s)
{
    double *minus = g->null, *u = g->moving, scale = zg_norm(g->ldn, f);
    memcpy(g->r1, f, sizeof(double) * (size_t)g->ldn);
    memset(g->low1, 0, sizeof(double) * (size_t)g->ldn);
    for (int32_t j = 0; j < g->ldm; j++) minus[j] = -s->lambda[j];
    g->k->times_rows_exact(g->m, g->ldn, g->A, minus, g->r1, g->low1);
    for (int32_t i = 0; i < g->ldn; i++) u[i] = g->r1[i] - f[i];
    scale += zg_norm(g->ldn, u) + zg_norm(g->ldn, g->r1); /* f + A^T lambda is M z, or nearly */
    zg_subtract_mass_times(g, s->z, g->r1, g->low1);
    for (int32_t i = 0; i < g->ldn; i++) g->r1[i] += g->low1[i];
    double left = zg_norm(g->ldn, g->r1);
    return scale > 0.0 ? left / scale : left;
}

/* r2; returns what is left of it, weighed by R and without the conflict, relatively. */
static double rows(zw_gauss *g, const double *b, const zg_solution *s)
{
    double *range = g->low2;
    if (b)
        memcpy(g->r2, b, sizeof(double) * (size_t)g->ldm);
    else
        memset(g->r2, 0, sizeof(double) * (size_t)g->ldm);
    memset(g->low2, 0, sizeof(double) * (size_t)g->ldm);
    g->k->times_rows_exact(g->n, g->ldm, g->AT, s->z, g->r2, g->low2);
    for (int32_t j = 0; j < g->ldm; j++) g->r2[j] += g->low2[j];
    zg_root_times(g, g->r2, range);
    for (int32_t j = 0; j < g->ldm; j++) range[j] -= s->conflict[j];
    double left = zg_norm(g->ldm, range);
    return s->rows_scale > 0.0 ? left / s->rows_scale : left;
}

double zg_residuals(zw_gauss *g, const double *f, const double *b, const zg_solution *s)
{
    double forces = balance(g, f, s), constraints = rows(g, b, s);
    return forces > constraints || isnan(forces) ? forces : constraints;
}
