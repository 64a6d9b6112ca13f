/*
 * Residuals of a solution, from the original data:
 *
 *     r1 = f + A^T lambda - M z      balance of forces
 *     r2 = b - A z                   the constraints
 *
 * in double precision as the certificate of every answer, and in about twice that precision
 * where an answer is to be corrected by them. Of r2 only the part that some z could remove
 * counts: the rest is the conflict among the constraints.
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

static void zero(int32_t ld, double *x)
{
    memset(x, 0, sizeof(double) * (size_t)ld);
}

/* Weighs r2 by R, takes the conflict out of it and returns what is left, relative. */
static double rows_left(zw_gauss *g, const zg_solution *s)
{
    double *range = g->low2;
    zg_root_times(g, g->r2, range);
    for (int32_t j = 0; j < g->ldm; j++) range[j] -= s->conflict[j];
    double left = zg_norm(g->ldm, range);
    return s->size > 0.0 ? left / s->size : left;
}

void zg_residuals(zw_gauss *g, const double *f, const double *b, zg_solution *s)
{
    double *u = g->low1, *w = g->r1, *Az = g->r2;
    zero(g->ldn, u);
    zero(g->ldn, w);
    zero(g->ldm, Az);
    g->k->times_rows(g->m, g->ldn, g->A, s->lambda, u);
    zg_mass_times(g, s->z, w);
    g->k->times_rows(g->n, g->ldm, g->AT, s->z, Az);
    s->scale = zg_norm(g->ldn, f) + zg_norm(g->ldn, u) + zg_norm(g->ldn, w);
    for (int32_t i = 0; i < g->ldn; i++) w[i] = (f[i] + u[i]) - w[i];
    for (int32_t j = 0; j < g->ldm; j++) Az[j] = (b ? b[j] : 0.0) - Az[j];
    double balance = zg_norm(g->ldn, g->r1), rows = rows_left(g, s);
    balance = s->scale > 0.0 ? balance / s->scale : balance;
    s->certificate = balance > rows || isnan(balance) ? balance : rows;
}

/* high + low -= M x in about twice the precision. */
void zg_subtract_mass_times(zw_gauss *g, const double *x, double *high, double *low)
{
    if (g->shape.mass == ZW_FULL)
        g->k->times_rows_exact(g->n, g->ldn, g->M, x, high, low);
    else
        g->k->products_exact(g->ldn, g->M, x, high, low);
}

void zg_exact_residuals(zw_gauss *g, const double *f, const double *b, const zg_solution *s)
{
    double *minus = g->null;
    memcpy(g->r1, f, sizeof(double) * (size_t)g->ldn);
    if (b)
        memcpy(g->r2, b, sizeof(double) * (size_t)g->ldm);
    else
        zero(g->ldm, g->r2);
    zero(g->ldn, g->low1);
    zero(g->ldm, g->low2);
    for (int32_t j = 0; j < g->ldm; j++) minus[j] = -s->lambda[j];
    g->k->times_rows_exact(g->m, g->ldn, g->A, minus, g->r1, g->low1);
    zg_subtract_mass_times(g, s->z, g->r1, g->low1);
    g->k->times_rows_exact(g->n, g->ldm, g->AT, s->z, g->r2, g->low2);
    for (int32_t i = 0; i < g->ldn; i++) g->r1[i] += g->low1[i];
    for (int32_t j = 0; j < g->ldm; j++) g->r2[j] += g->low2[j];
}
