/*
 * Residuals of a solution, from the original data:
 *
 *     r1 = f + A^T lambda - M z      balance of forces
 *     r2 = b - A z - conflict        the constraints, but for what no z can remove
 *     A^T W conflict                 zero: no z does better
 *
 * in about twice the precision: they certify the answer and correct it. r1 is measured by the
 * sizes of its terms; each row of r2, weighed by R, by the sizes of its own terms and by how
 * far the row reaches in the metric of M.
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

/* x = f (NULL: 0), low = 0, size = |f|: the start of a residual. */
static void begin(int32_t ld, const double *f, double *x, double *low, double *size)
{
    for (int32_t i = 0; i < ld; i++) {
        x[i] = f ? f[i] : 0.0;
        low[i] = 0.0;
        size[i] = fabs(x[i]);
    }
}

static void end(int32_t ld, double *x, const double *low)
{
    for (int32_t i = 0; i < ld; i++) x[i] += low[i];
}

static void subtract_mass_times(zw_gauss *g, const double *z)
{
    if (g->shape.mass == ZW_FULL)
        g->k->times_rows_exact(g->n, g->ldn, g->M, z, g->r1, g->low1, g->size1);
    else
        g->k->products_exact(g->ldn, g->M, z, g->r1, g->low1, g->size1);
}

double zg_free_residual(zw_gauss *g, const double *f, const double *z)
{
    begin(g->ldn, f, g->r1, g->low1, g->size1);
    subtract_mass_times(g, z);
    end(g->ldn, g->r1, g->low1);
    double left = zg_norm(g->ldn, g->r1), scale = zg_norm(g->ldn, g->size1);
    return scale > 0.0 ? left / scale : left;
}

static double balance(zw_gauss *g, const double *f, const zg_solution *s)
{
    double *minus = g->null;
    for (int32_t j = 0; j < g->ldm; j++) minus[j] = -s->lambda[j];
    begin(g->ldn, f, g->r1, g->low1, g->size1);
    g->k->times_rows_exact(g->m, g->ldn, g->A, minus, g->r1, g->low1, g->size1);
    subtract_mass_times(g, s->z);
    end(g->ldn, g->r1, g->low1);
    double left = zg_norm(g->ldn, g->r1), scale = zg_norm(g->ldn, g->size1);
    return scale > 0.0 ? left / scale : left;
}

static double rows(zw_gauss *g, const double *b, const zg_solution *s)
{
    double worst = 0.0, *left = g->low2, *scale = g->null;
    static const double one[1] = {1.0};
    begin(g->ldm, b, g->r2, g->low2, g->size2);
    g->k->times_rows_exact(g->n, g->ldm, g->AT, s->z, g->r2, g->low2, g->size2);
    if (s->lost > 0.0)
        g->k->times_rows_exact(1, g->ldm, s->conflict, one, g->r2, g->low2, g->size2);
    end(g->ldm, g->r2, g->low2);
    zg_root_times(g, g->r2, left);
    zg_root_times(g, g->size2, scale);
    for (int32_t j = 0; j < g->m; j++) {
        double by = fabs(scale[j]) + g->row_size[j] * s->motion;
        double relative = by > 0.0 ? fabs(left[j]) / by : fabs(left[j]);
        if (!(relative <= worst)) worst = relative;
    }
    return worst;
}

/* The forces W conflict would balance each other if the conflict were exact: A^T W conflict,
 * with W conflict in two words. */
void zg_conflict_slope(zw_gauss *g, const double *conflict)
{
    double *high = g->stress, *low = g->stress_low, *unused = g->null;
    begin(g->ldm, NULL, high, low, unused);
    if (g->weight == ZW_FULL)
        g->k->times_rows_exact(g->m, g->ldm, g->W, conflict, high, low, unused);
    else if (g->weight == ZW_DIAGONAL)
        g->k->products_exact(g->ldm, g->W, conflict, high, low, unused);
    else
        for (int32_t j = 0; j < g->ldm; j++) high[j] = -conflict[j];
    /* high + low is minus W conflict, and the product below is subtracted */
    begin(g->ldn, NULL, g->slope, g->low1, g->size1);
    g->k->times_rows_exact(g->m, g->ldn, g->A, high, g->slope, g->low1, g->size1);
    g->k->times_rows_exact(g->m, g->ldn, g->A, low, g->slope, g->low1, g->size1);
    end(g->ldn, g->slope, g->low1);
}

double zg_residuals(zw_gauss *g, const double *f, const double *b, const zg_solution *s)
{
    double forces = balance(g, f, s), constraints = rows(g, b, s);
    return forces > constraints || isnan(forces) ? forces : constraints;
}
