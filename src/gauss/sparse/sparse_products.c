/*
 * Products with M, A and W as they are given, and the residuals of a solution:
 *
 *     r1 = f + A^T lambda - M z,   r2 = b - A z
 *
 * each with the size of the terms it is the difference of.
 */
#include <math.h>
#include <string.h>

#include "driver.h"

double zg_largest(int32_t count, const double *x)
{
    double largest = 0.0;
    for (int32_t i = 0; i < count; i++) largest = zb_larger(largest, fabs(x[i]));
    return largest;
}

/* M is its upper triangle. */
void zg_mass_apply(const zg_sparse *g, const double *x, double *y)
{
    const zg_pattern *p = &g->is.M;
    const double *M = g->x.M;
    if (g->is.n > 0) memset(y, 0, sizeof *y * (size_t)g->is.n);
    for (int32_t i = 0; i < p->rows; i++) {
        double sum = 0.0;
        for (int32_t k = p->start[i]; k < p->start[i + 1]; k++) {
            int32_t j = p->column[k];
            sum += M[k] * x[j];
            if (j != i) y[j] += M[k] * x[i];
        }
        y[i] += sum;
    }
}

void zg_rows_apply(const zg_sparse *g, const double *x, double *y)
{
    const zg_pattern *p = &g->is.A;
    for (int32_t i = 0; i < g->is.m; i++) {
        double sum = 0.0;
        for (int32_t k = p->start[i]; k < p->start[i + 1]; k++) sum += g->x.A[k] * x[p->column[k]];
        y[i] = sum;
    }
}

void zg_rows_pull(const zg_sparse *g, const double *l, double *y)
{
    const zg_pattern *p = &g->is.A;
    if (g->is.n > 0) memset(y, 0, sizeof *y * (size_t)g->is.n);
    for (int32_t i = 0; i < g->is.m; i++)
        for (int32_t k = p->start[i]; k < p->start[i + 1]; k++) y[p->column[k]] += g->x.A[k] * l[i];
}

void zg_weight_apply(const zg_sparse *g, const double *x, double *y)
{
    const zg_pattern *p = &g->is.W;
    for (int32_t i = 0; i < g->is.m; i++) {
        if (!g->x.W) {
            y[i] = x[i];
            continue;
        }
        double sum = 0.0;
        for (int32_t k = p->start[i]; k < p->start[i + 1]; k++) sum += g->x.W[k] * x[p->column[k]];
        y[i] = sum;
    }
}

/* sqrt(x^T W x); work [m] gets W x. */
double zg_weight_norm(const zg_sparse *g, const double *x, double *work)
{
    double sum = 0.0;
    zg_weight_apply(g, x, work);
    for (int32_t i = 0; i < g->is.m; i++) sum += x[i] * work[i];
    return sqrt(fabs(sum));
}

/* -------------------------------------------------------------------- residuals */

/* Of every eighth row. */
bool zg_sparse_sample(const zg_sparse *g, const zg_iterate *w, double tolerance, double rounding)
{
    enum { every = 8 };
    const zg_pattern *p = &g->is.A;
    double worst = 0.0, size = 0.0, most = 0.0;
    for (int32_t i = 0; i < g->is.m; i += every) {
        double b = w->b ? w->b[i] : 0.0, sum = b, terms = fabs(b);
        for (int32_t k = p->start[i]; k < p->start[i + 1]; k++) {
            double t = g->x.A[k] * w->z[p->column[k]];
            sum -= t;
            terms += fabs(t);
        }
        worst = zb_larger(worst, fabs(sum));
        if (terms > size) size = terms;
        if (fabs(w->lambda[i]) > most) most = fabs(w->lambda[i]);
    }
    return worst <= tolerance * size || worst <= rounding * most;
}

/* r2 = b - A z, its largest entry, and the largest sum of the sizes of its terms. */
void zg_sparse_rows_residual(zg_sparse *g, zg_iterate *w)
{
    const zg_pattern *p = &g->is.A;
    const double *A = g->x.A, *z = w->z;
    double worst = 0.0, size = 0.0;
    for (int32_t i = 0; i < g->is.m; i++) {
        double b = w->b ? w->b[i] : 0.0, sum = b, terms = fabs(b);
        for (int32_t k = p->start[i]; k < p->start[i + 1]; k++) {
            double t = A[k] * z[p->column[k]];
            sum -= t;
            terms += fabs(t);
        }
        g->r2[i] = sum;
        worst = zb_larger(worst, fabs(sum));
        if (terms > size) size = terms;
    }
    w->r1 = w->size1 = 0.0;
    w->r2 = worst;
    w->size2 = size;
}

/* r1 = f + A^T lambda - M z; work holds the sizes. */
static void compute_force_residual(zg_sparse *g, zg_iterate *w)
{
    const zg_pattern *A = &g->is.A, *M = &g->is.M;
    double *r = g->r1, *size = g->work;
    int32_t n = g->is.n;
    for (int32_t j = 0; j < n; j++) {
        r[j] = w->f[j];
        size[j] = fabs(w->f[j]);
    }
    for (int32_t i = 0; i < g->is.m; i++) {
        double l = w->lambda[i];
        for (int32_t k = A->start[i]; k < A->start[i + 1]; k++) {
            double t = g->x.A[k] * l;
            r[A->column[k]] += t;
            size[A->column[k]] += fabs(t);
        }
    }
    for (int32_t i = 0; i < M->rows; i++) {
        for (int32_t k = M->start[i]; k < M->start[i + 1]; k++) {
            int32_t j = M->column[k];
            double x = g->x.M[k];
            r[i] -= x * w->z[j];
            if (j != i) r[j] -= x * w->z[i];
        }
    }
    w->r1 = zg_largest(n, r);
    w->size1 = zg_largest(n, size);
}

void zg_sparse_residuals(zg_sparse *g, zg_iterate *w)
{
    zg_sparse_rows_residual(g, w);
    compute_force_residual(g, w);
}
