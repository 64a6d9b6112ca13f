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

/* r1 -= M z in two words, r1 + low1; size1 gathers the sizes of the terms. */
static void subtract_mass_times(zw_gauss *g, const double *z)
{
    if (g->shape.mass == ZW_FULL)
        g->k->times_rows_exact(g->n, g->ldn, g->M, z, g->r1, g->low1, g->size1);
    else
        g->k->products_exact(g->ldn, g->M, z, g->r1, g->low1, g->size1);
}

/* For free accelerations: without A. Returns |r1| relative to its terms. */
double zg_free_residual(zw_gauss *g, const double *f, const double *z)
{
    g->k->exact_begin(g->ldn, f, g->r1, g->low1, g->size1);
    subtract_mass_times(g, z);
    g->k->exact_end(g->ldn, g->low1, g->r1);
    double left = g->k->norm(g->ldn, g->r1), scale = g->k->norm(g->ldn, g->size1);
    return scale > 0.0 ? left / scale : left;
}

/* What M could make of z. Where M is singular a motion may need no force at all: every term of the
 * balance is then rounding, and this alone says how little they are. */
static double bound_inertia_force(const zw_gauss *g, const double *z)
{
    double largest = 0.0;
    size_t step = g->shape.mass == ZW_FULL ? (size_t)g->ldn + 1 : 1;
    for (int32_t i = 0; i < g->n; i++) largest = fmax(largest, fabs(g->M[(size_t)i * step]));
    return largest * g->k->norm(g->ldn, z);
}

/* r1, and its norm relative to the sizes of its terms. */
static double measure_balance(zw_gauss *g, const double *f, const zg_solution *s)
{
    double *minus = g->null;
    for (int32_t j = 0; j < g->ldm; j++) minus[j] = -s->lambda[j];
    g->k->exact_begin(g->ldn, f, g->r1, g->low1, g->size1);
    g->k->times_rows_exact(g->m, g->ldn, g->A, minus, g->r1, g->low1, g->size1);
    subtract_mass_times(g, s->z);
    g->k->exact_end(g->ldn, g->low1, g->r1);
    double left = g->k->norm(g->ldn, g->r1), scale = g->k->norm(g->ldn, g->size1);
    if (g->singular) scale += bound_inertia_force(g, s->z);
    return scale > 0.0 ? left / scale : left;
}

/* scale = |R| size2 */
static void weigh_sizes(const zw_gauss *g, double *scale)
{
    if (g->weight == ZW_DIAGONAL) {
        zg_root_times(g, g->size2, scale);
        return;
    }
    for (int32_t i = 0; i < g->m; i++) {
        const double *row = g->R + (size_t)i * (size_t)g->ldm;
        scale[i] = 0.0;
        for (int32_t j = i; j < g->m; j++) scale[i] += fabs(row[j]) * g->size2[j];
    }
}

/* r2, and the largest of its entries: weighed by R, relative to their own terms. b NULL: 0. */
static double measure_constraints(zw_gauss *g, const double *b, const zg_solution *s)
{
    double worst = 0.0, *left = g->low2, *scale = g->null; /* R r2 and R size2 */
    static const double one[1] = {1.0};
    g->k->exact_begin(g->ldm, b, g->r2, g->low2, g->size2);
    g->k->times_rows_exact(g->n, g->ldm, g->AT, s->z, g->r2, g->low2, g->size2);
    if (s->lost > 0.0)
        g->k->times_rows_exact(1, g->ldm, s->conflict, one, g->r2, g->low2, g->size2);
    g->k->exact_end(g->ldm, g->low2, g->r2);
    if (g->weight == ZW_IDENTITY) {
        left = g->r2;
        scale = g->size2;
    } else {
        zg_root_times(g, g->r2, left);
        weigh_sizes(g, scale);
    }
    for (int32_t j = 0; j < g->m; j++) {
        double by = scale[j] + g->row_size[j] * s->motion;
        double relative = by > 0.0 ? fabs(left[j]) / by : fabs(left[j]);
        worst = zb_larger(worst, relative);
    }
    return worst;
}

/* The forces W conflict would balance each other if the conflict were exact: A^T W conflict,
 * with W conflict in two words. */
void zg_conflict_slope(zw_gauss *g, const double *conflict)
{
    double *high = g->stress, *low = g->stress_low, *unused = g->null;
    g->k->exact_begin(g->ldm, NULL, high, low, unused);
    if (g->weight == ZW_FULL)
        g->k->times_rows_exact(g->m, g->ldm, g->W, conflict, high, low, unused);
    else if (g->weight == ZW_DIAGONAL)
        g->k->products_exact(g->ldm, g->W, conflict, high, low, unused);
    else
        for (int32_t j = 0; j < g->ldm; j++) high[j] = -conflict[j];
    /* high + low is minus W conflict, and the product below is subtracted */
    g->k->exact_begin(g->ldn, NULL, g->slope, g->low1, g->size1);
    g->k->times_rows_exact(g->m, g->ldn, g->A, high, g->slope, g->low1, g->size1);
    g->k->times_rows_exact(g->m, g->ldn, g->A, low, g->slope, g->low1, g->size1);
    g->k->exact_end(g->ldn, g->low1, g->slope);
}

double zg_residuals(zw_gauss *g, const double *f, const double *b, const zg_solution *s)
{
    double forces = measure_balance(g, f, s), constraints = measure_constraints(g, b, s);
    return forces > constraints || isnan(forces) ? forces : constraints;
}
