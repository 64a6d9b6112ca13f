/*
 * The closure of shares. Rows that depend on each other, u^T A = 0, leave multipliers open: lambda + u y pushes alike. Where
 * friction slides on such contacts it pushes differently, so one of them must be chosen, for the motion as for the mode
 * (contact space, docs/THEORY.md): contacts are springs of stiffness W, ever stiffer, and equations do not give at all,
 *
 *     least sum over P of V_i lambda_i^2,   V = 1/W,   P: rows of contacts and of frictions that stick
 *
 * The solvers' own lambda is the least over *all* rows. Both are the same where the dependencies are among contacts alone. Where
 * equations take part (jaws on slides, the unit row of a quaternion) that one would be as if joints were springs, whose
 * stiffness no unit fits. So lambda is made orthogonal to the dependencies once more, over P:
 *
 *     lambda -= u (u^T V lambda)_P,   u orthonormal by V over P
 *
 * A dependency is what no acceleration reaches of a unit in row i: u = W r, r = A z(e_i) - e_i. The numbers -r_ii belong to a
 * projection, whose factor with pivots finds as many u as there are, the clearest first. A mode that goes with no share of springs
 * has the solvers' own lambda.
 */
#include "share_closure.h"

#include <math.h>
#include <string.h>

#include "roads.h"

/* What a dependency must have of a row to be found by it; below, it is rounding of solves. */
static const double least_part = 1e-8;

void zr_apply_closure(const zr_closure *closure, double *lambda)
{
    for (int32_t k = 0; k < closure->count; k++) {
        const double *u = closure->u + (size_t)k * (size_t)closure->m;
        double part = 0.0;
        for (int32_t p = 0; p < closure->rows; p++)
            part += u[closure->row[p]] * closure->V[p] * lambda[closure->row[p]];
        for (int32_t i = 0; i < closure->m; i++) lambda[i] -= part * u[i];
    }
}

/* P, and whether other rows are on. */
static bool list_pressing(const zw_sim *sim, zr_closure *x)
{
    bool others = false;
    x->rows = 0;
    for (int32_t i = 0; i < x->m; i++) {
        if (sim->zm->mask[i] < 0) {
            others = true;
        } else if (!sim->contacts->off[i]) {
            x->V[x->rows] = 1.0 / zr_weight_of_row(sim, i);
            x->row[x->rows++] = i;
        }
    }
    return others;
}

/* u = W r of a unit in row i, into x->lost [m]; *own: |r_ii|. */
static zw_status find_dependency(const zw_sim *sim, zr_closure *x, const zr_rows *all, int32_t i,
                                 double *own)
{
    const zr_pattern *W = &sim->model->W;
    double norm;
    memset(x->unit, 0, sizeof *x->unit * (size_t)x->m);
    x->unit[i] = 1.0;
    ZB_TRY(
        zg_system_apply(all->system, sim->solver->zero, x->unit, x->z, x->lambda, x->lost, &norm));
    *own = norm > 0.0 ? fabs(x->lost[i]) : 0.0;
    if (W->rows == 0) return ZW_OK;
    memset(x->unit, 0, sizeof *x->unit * (size_t)x->m);
    for (int32_t k = 0; k < x->m; k++)
        for (int32_t p = W->start[k]; p < W->start[k + 1]; p++)
            x->unit[k] += sim->W[p] * x->lost[W->column[p]];
    memcpy(x->lost, x->unit, sizeof *x->lost * (size_t)x->m);
    return ZW_OK;
}

static double length_over(const zr_closure *x, const double *a, const double *b)
{
    double sum = 0.0;
    for (int32_t p = 0; p < x->rows; p++) sum += a[x->row[p]] * x->V[p] * b[x->row[p]];
    return sum;
}

/* x->lost, orthonormal to the others, is one more. */
static bool take_dependency(zr_closure *x)
{
    double *u = x->lost, whole = sqrt(length_over(x, u, u));
    for (int32_t k = 0; k < 2 * x->count; k++) {
        const double *other = x->u + (size_t)(k % x->count) * (size_t)x->m;
        double part = length_over(x, u, other);
        for (int32_t i = 0; i < x->m; i++) u[i] -= part * other[i];
    }
    double left = sqrt(length_over(x, u, u));
    if (!(left > least_part * whole)) return false;
    double *to = x->u + (size_t)x->count++ * (size_t)x->m;
    for (int32_t i = 0; i < x->m; i++) to[i] = u[i] / left;
    return true;
}

/* Whether equations take part in a dependency. */
static bool reaches_equations(const zw_sim *sim, const zr_closure *x)
{
    for (int32_t k = 0; k < x->count; k++) {
        const double *u = x->u + (size_t)k * (size_t)x->m;
        double inside = 0.0, outside = 0.0;
        for (int32_t i = 0; i < x->m; i++) {
            double *size = sim->zm->mask[i] < 0 ? &outside : &inside;
            *size = fmax(*size, fabs(u[i]));
        }
        if (outside > 1e-9 * inside) return true;
    }
    return false;
}

/* How many there can be. */
static int32_t most_dependencies(const zw_sim *sim, const zr_closure *x, const zr_rows *all)
{
    zw_gauss_rank_info info;
    if (zg_system_rank(all->system, &info) != ZW_OK) return x->most;
    int32_t nullity = sim->zm->m - sim->contacts->rows_off - info.rank;
    return nullity < x->most ? nullity : x->most;
}

/* The clearest first, until there are no more. part [rows]: |r_ii| of those that were not looked at. */
static zw_status find_dependencies(const zw_sim *sim, zr_closure *x, const zr_rows *all)
{
    double own;
    int32_t most = most_dependencies(sim, x, all);
    if (most <= 0) return ZW_OK;
    for (int32_t p = 0; p < x->rows; p++)
        ZB_TRY(find_dependency(sim, x, all, x->row[p], &x->part[p]));
    while (x->count < most) {
        int32_t best = -1;
        for (int32_t p = 0; p < x->rows; p++)
            if (x->part[p] > (best < 0 ? least_part : x->part[best])) best = p;
        if (best < 0) break;
        x->part[best] = 0.0;
        ZB_TRY(find_dependency(sim, x, all, x->row[best], &own));
        if (own > 0.0) (void)take_dependency(x);
    }
    if (!reaches_equations(sim, x)) x->count = 0;
    return ZW_OK;
}

zw_status zr_close_shares(zw_sim *sim, zr_rows *all)
{
    zr_closure *x = all->closure;
    if (!x || x->found || all->by_quick) return ZW_OK;
    x->found = true;
    x->count = 0;
    const zr_contacts *c = sim->contacts;
    if (c->sliding == 0 || c->mode.picked || !list_pressing(sim, x)) return ZW_OK;
    return find_dependencies(sim, x, all);
}
