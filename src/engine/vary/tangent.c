/*
 * The tangent of the General Gauss solve. At a state, with F = Q + C, the answer satisfies
 *
 *     F - M z + A^T lambda = 0,    r = b - A z,    A^T W r = 0,    lambda = W A nu for some nu
 *
 * and, where the rank of A stays what it is, its rate in a direction is one more solve with the same
 * factor:
 *
 *     s = W' W^-1 lambda + W A' nu             nu = GG(0, W^-1 lambda).z     0 for independent rows
 *     d = W^-1 (W' r + g)                      g = GG(-A'^T W r, 0).lambda   0 where r is
 *     (z', x) = GG(F' - M' z + A'^T lambda + A^T s, b' - A' z + d),    lambda' = s + x
 *
 * C depends on the multipliers of the problem without it, and so comes second: lambda' of GG(Q, b), with
 * it the rates of reactions, C', then z' of GG(Q + C, b). M may be singular: GG is then the solver's own.
 */
#include <math.h>
#include <string.h>

#include "creep.h"
#include "friction.h"
#include "vary.h"

static void clear_numbers(double *x, int32_t count)
{
    if (count > 0) memset(x, 0, sizeof *x * (size_t)count);
}

static void copy_numbers(double *to, const double *from, int32_t count)
{
    if (count > 0) memcpy(to, from, sizeof *to * (size_t)count);
}

/* ------------------------------------------------------------------------ weights */

/* W = U^T U; false: it is not definite. */
static bool factor_weight(zr_vary *vary)
{
    size_t m = (size_t)vary->sim->zm->m;
    double *U = vary->W_factor;
    if (!U) return true;
    zr_expand_weight(vary->sim, U, false);
    for (size_t k = 0; k < m; k++) {
        if (!(U[k * m + k] > 0.0)) return false;
        double pivot = sqrt(U[k * m + k]);
        for (size_t j = k; j < m; j++) U[k * m + j] /= pivot;
        for (size_t i = k + 1; i < m; i++)
            for (size_t j = i; j < m; j++) U[i * m + j] -= U[k * m + i] * U[k * m + j];
    }
    return true;
}

/* x [m] = W^-1 x. */
static void divide_by_weight(const zr_vary *vary, double *x)
{
    size_t m = (size_t)vary->sim->zm->m;
    const double *U = vary->W_factor;
    if (!U) return;
    for (size_t i = 0; i < m; i++) {
        for (size_t k = 0; k < i; k++) x[i] -= U[k * m + i] * x[k];
        x[i] /= U[i * m + i];
    }
    for (size_t i = m; i-- > 0;) {
        for (size_t k = i + 1; k < m; k++) x[i] -= U[i * m + k] * x[k];
        x[i] /= U[i * m + i];
    }
}

/* y += W x with the values of W or of its rate; without weights W is the identity, and its rate 0. */
static void multiply_weight(const zr_vary *vary, const double *W, const double *x, double *y)
{
    const zr_pattern *p = &vary->sim->model->W;
    if (p->rows == 0 && W == vary->sim->W)
        for (int32_t i = 0; i < vary->sim->zm->m; i++) y[i] += x[i];
    for (int32_t i = 0; i < p->rows; i++)
        for (int32_t k = p->start[i]; k < p->start[i + 1]; k++) y[i] += W[k] * x[p->column[k]];
}

/* Rates of the entries of W, the last statement counting as in W itself. */
static void vary_weight(zr_vary *vary)
{
    const zw_model *model = vary->sim->model;
    clear_numbers(vary->dweight, model->weight_outputs);
    zr_vary_evaluate(vary, ZR_VARY_WEIGHTS, NULL, vary->dweight);
    for (int32_t k = 0; k < model->weight_entry_count; k++) {
        const zr_weight_entry *e = &model->weight_entries[k];
        vary->dW[e->at] = e->from < 0 ? 0.0 : vary->dweight[e->from];
    }
}

/* ---------------------------------------------------------------------- the state */

/* The multipliers of dependent rows must be those of least norm: of a sparse solver only its whole
 * answer has these where nobody has told it the rank. */
zw_status zr_vary_solve(zr_vary *vary, const double *f, const double *b, double *z, double *lambda)
{
    zw_sim *sim = vary->sim;
    const zr_road *road = zr_roads[sim->solver->road];
    if (vary->independent) return road->again(sim, NULL, f, b, z, lambda);
    zw_gauss_answer answer = {.acceleration = z, .multipliers = lambda};
    return zg_system_solve(sim->solver->all.system, f, b ? b : vary->zero, NULL, &answer);
}

/* z, lambda and r for a force, and where rows depend on each other nu. */
static zw_status solve_state(zr_vary *vary, const double *f, zr_solution *s)
{
    zw_sim *sim = vary->sim;
    int32_t m = sim->zm->m;
    zw_gauss_answer answer = {.acceleration = s->z, .multipliers = s->lambda};
    ZB_TRY(zg_system_solve(sim->solver->all.system, f, sim->b, NULL, &answer));
    s->consistent = answer.consistent;
    clear_numbers(s->r, m);
    if (!s->consistent) {
        copy_numbers(s->r, sim->b, m);
        zr_multiply_rows(sim, sim->A, s->z, -1.0, s->r);
    }
    clear_numbers(s->nu, sim->zm->n);
    if (vary->independent) return ZW_OK;
    copy_numbers(vary->b, s->lambda, m);
    divide_by_weight(vary, vary->b);
    clear_numbers(vary->f, sim->zm->n);
    return zr_vary_solve(vary, vary->f, vary->b, s->nu, vary->g);
}

void zr_vary_place(zr_vary *vary, double t, const double *q, const double *v)
{
    const zw_sim *sim = vary->sim;
    vary->t = t;
    copy_numbers(vary->position, q, sim->zm->n);
    copy_numbers(vary->velocity, v, sim->zm->n);
    copy_numbers(vary->value, sim->values, vary->values);
}

/* The state as programs read it, and its factor, which `again` uses. */
static zw_status factor_state(zr_vary *vary, const zk_source *s)
{
    zw_sim *sim = vary->sim;
    zr_solver *solver = sim->solver;
    zw_gauss_rank_info info = {0};
    zr_vary_place(vary, s->time, s->position, s->velocity);
    if (zr_any_creeps(sim)) zr_follow_creep(sim, NULL, s);
    ZB_TRY(zr_factor_at(sim, s));
    solver->road = solver->sparse ? ZR_SPARSE : ZR_CAREFUL;
    solver->held = &solver->all;
    ZB_TRY(zg_system_rank(solver->all.system, &info));
    vary->rank = info.rank;
    vary->independent = info.rank == zr_rows_on(sim);
    return factor_weight(vary) ? ZW_OK : ZW_ERR_INDEFINITE;
}

zw_status zr_vary_at_state(zr_vary *vary, double t, const double *q, const double *v)
{
    zw_sim *sim = vary->sim;
    const zm_model *zm = sim->zm;
    if (zr_any_slides(sim) || sim->drive || zr_on_compromise(sim)) return ZW_ERR_CONTACT;
    zk_source s = zr_source(sim, t, q, v);
    ZB_TRY(factor_state(vary, &s));
    vary->has_nonideal = sim->model->nonideal.count > 0;
    ZB_TRY(solve_state(vary, sim->Q, &vary->ideal));
    copy_numbers(sim->lambda, vary->ideal.lambda, zm->m);
    zr_measure(sim, sim->lambda);
    copy_numbers(vary->measure, sim->measure, zm->measure_count);
    copy_numbers(vary->acceleration, vary->ideal.z, zm->n);
    if (!vary->has_nonideal) return ZW_OK;
    zr_evaluate_nonideal(sim, &s);
    for (int32_t j = 0; j < zm->n; j++) vary->x[j] = sim->Q[j] + sim->C[j];
    ZB_TRY(solve_state(vary, vary->x, &vary->total));
    copy_numbers(vary->acceleration, vary->total.z, zm->n);
    return ZW_OK;
}

zw_status zr_vary_at(zr_vary *vary)
{
    const zw_sim *sim = vary->sim;
    return zr_vary_at_state(vary, sim->t, sim->q, sim->v);
}

/* ----------------------------------------------------------------------- the rule */

/* s into vary->s: how the multipliers move within what the rows leave open. */
static void find_share_rates(zr_vary *vary, const zr_solution *of)
{
    zw_sim *sim = vary->sim;
    int32_t m = sim->zm->m;
    clear_numbers(vary->s, m);
    if (vary->independent) return;
    clear_numbers(vary->g, m);
    zr_multiply_rows(sim, vary->dA, of->nu, 1.0, vary->g);
    multiply_weight(vary, sim->W, vary->g, vary->s);
    copy_numbers(vary->g, of->lambda, m);
    divide_by_weight(vary, vary->g);
    multiply_weight(vary, vary->dW, vary->g, vary->s);
}

/* Adds W^-1 (W' r + g) to vary->b, of rows that contradict each other; z, x: scratch [n], of the rule's
 * answers. */
static zw_status add_conflict_rates(zr_vary *vary, const zr_solution *of, double *z, double *lambda)
{
    zw_sim *sim = vary->sim;
    int32_t m = sim->zm->m;
    if (of->consistent) return ZW_OK;
    clear_numbers(vary->g, m);
    multiply_weight(vary, sim->W, of->r, vary->g);
    clear_numbers(vary->x, sim->zm->n);
    zr_multiply_rows_back(sim, vary->dA, vary->g, -1.0, vary->x);
    ZB_TRY(zr_vary_solve(vary, vary->x, NULL, z, lambda));
    multiply_weight(vary, vary->dW, of->r, lambda);
    divide_by_weight(vary, lambda);
    for (int32_t i = 0; i < m; i++) vary->b[i] += lambda[i];
    return ZW_OK;
}

/* dz, dlambda of one problem; dF [n]: rate of its force. */
static zw_status apply_rule(zr_vary *vary, const zr_solution *of, const double *dF, double *dz,
                            double *dlambda)
{
    zw_sim *sim = vary->sim;
    int32_t n = sim->zm->n, m = sim->zm->m;
    copy_numbers(vary->f, dF, n);
    zr_multiply_mass(sim, vary->dM, of->z, -1.0, vary->f);
    zr_multiply_rows_back(sim, vary->dA, of->lambda, 1.0, vary->f);
    copy_numbers(vary->b, vary->db, m);
    zr_multiply_rows(sim, vary->dA, of->z, -1.0, vary->b);
    copy_numbers(vary->dr, vary->b, m);
    ZB_TRY(add_conflict_rates(vary, of, dz, dlambda));
    find_share_rates(vary, of);
    zr_multiply_rows_back(sim, sim->A, vary->s, 1.0, vary->f);
    ZB_TRY(zr_vary_solve(vary, vary->f, vary->b, dz, dlambda));
    for (int32_t i = 0; i < m; i++) dlambda[i] += vary->s[i];
    zr_multiply_rows(sim, sim->A, dz, -1.0, vary->dr); /* r' = b' - A' z - A z' */
    return ZW_OK;
}

/* -------------------------------------------------------------------- reactions */

/* The force of rows first .. first + count - 1 and its rate: x, f [n]. */
static void vary_row_force(zr_vary *vary, int32_t first, int32_t count, double *x, double *f)
{
    const zw_sim *sim = vary->sim;
    const zr_pattern *A = &sim->model->A;
    const double *lambda = vary->ideal.lambda, *dlambda = vary->dlambda_ideal;
    clear_numbers(x, sim->zm->n);
    clear_numbers(f, sim->zm->n);
    for (int32_t i = first; i < first + count; i++) {
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) {
            x[A->column[p]] += sim->A[p] * lambda[i];
            f[A->column[p]] += vary->dA[p] * lambda[i] + sim->A[p] * dlambda[i];
        }
    }
}

/* Of a norm x f / |x|; 0 where there is no force, and the norm has no rate. */
static double vary_measure(zr_vary *vary, const zm_measure *what)
{
    const zm_model *zm = vary->sim->zm;
    if (what->kind == ZM_MULTIPLIER) return vary->dlambda_ideal[what->row];
    if (what->kind >= ZM_SHOWN_CONTROL) return 0.0; /* of outputs alone, which then have no rate */
    bool all = what->kind == ZM_REACTION_ALL;
    const zm_constraint *c = all ? NULL : &zm->constraints[what->constraint];
    vary_row_force(vary, all ? 0 : c->first_row, all ? zm->m : c->row_count, vary->x, vary->f);
    if (what->kind == ZM_REACTION_ON) return vary->f[what->coordinate];
    double product = 0.0, square = 0.0;
    for (int32_t j = 0; j < zm->n; j++) {
        product += vary->x[j] * vary->f[j];
        square += vary->x[j] * vary->x[j];
    }
    return square > 0.0 ? product / sqrt(square) : 0.0;
}

static void vary_measures(zr_vary *vary)
{
    const zm_model *zm = vary->sim->zm;
    for (int32_t k = 0; k < zm->measure_count; k++)
        vary->dmeasure[k] = vary_measure(vary, &zm->measures[k]);
    copy_numbers(vary->measure + zm->measure_count, vary->dmeasure, zm->measure_count);
}

/* ---------------------------------------------------------------------- all of it */

/* M', Q', A', b', W' in the direction. */
static void vary_matrices(zr_vary *vary, const zr_direction *d)
{
    const zw_sim *sim = vary->sim;
    zr_vary_along(vary, d);
    clear_numbers(vary->dM, sim->model->M.count);
    clear_numbers(vary->dQ, sim->zm->n);
    clear_numbers(vary->dA, sim->model->A.count);
    clear_numbers(vary->db, sim->zm->m);
    zr_vary_evaluate(vary, ZR_VARY_DYNAMICS, vary->dM, vary->dQ);
    zr_vary_evaluate(vary, ZR_VARY_ROWS, vary->dA, vary->db);
    vary_weight(vary);
}

zw_status zr_tangent(zr_vary *vary, const zr_direction *d)
{
    const zm_model *zm = vary->sim->zm;
    vary_matrices(vary, d);
    ZB_TRY(apply_rule(vary, &vary->ideal, vary->dQ, vary->dz_ideal, vary->dlambda_ideal));
    vary_measures(vary);
    const double *dz = vary->dz_ideal, *dlambda = vary->dlambda_ideal;
    if (vary->has_nonideal) {
        clear_numbers(vary->dC, zm->n);
        zr_vary_evaluate(vary, ZR_VARY_NONIDEAL, NULL, vary->dC);
        for (int32_t j = 0; j < zm->n; j++) vary->dF[j] = vary->dQ[j] + vary->dC[j];
        ZB_TRY(apply_rule(vary, &vary->total, vary->dF, vary->dz, vary->dlambda));
        dz = vary->dz, dlambda = vary->dlambda;
    }
    copy_numbers(vary->dz, dz, dz == vary->dz ? 0 : zm->n);
    copy_numbers(vary->dlambda, dlambda, dlambda == vary->dlambda ? 0 : zm->m);
    copy_numbers(vary->acceleration + zm->n, vary->dz, zm->n);
    return ZW_OK;
}
