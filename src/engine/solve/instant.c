/*
 * The equations at one instant:
 *
 *     M, Q, A, b at (t, q, v)
 *     GG(Q, b) -> lambda -> measures -> C      only where nonideal forces ask for reactions
 *
 * Nothing is corrected and nothing is allocated.
 */
#include <math.h>
#include <string.h>

#include "run.h"

zw_status zr_factor(zw_sim *sim)
{
    zg_values values = {.M = sim->M,
                        .A = sim->A,
                        .W = sim->model->W.rows > 0 ? sim->W : NULL,
                        .same_mass = sim->same_mass};
    zw_status status = zg_system_factor(sim->system, &values);
    sim->same_mass = status == ZW_OK && sim->model->constant_mass;
    return status;
}

void zr_forget_mass(zw_sim *sim)
{
    sim->same_mass = sim->sides[0].same_mass = sim->sides[1].same_mass = false;
}

zw_status zr_factor_at(zw_sim *sim, const zk_source *s)
{
    sim->road = ZR_NO_ROAD;
    zr_evaluate_dynamics(sim, s);
    zr_evaluate_rows(sim, s);
    return zr_factor(sim);
}

/* A rod has |phi| about l^2 and |A| about 2 l: their ratio is a length. */
void zr_local_sizes(zw_sim *sim, double *size)
{
    const zr_pattern *A = &sim->model->A;
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    zr_evaluate_levels(sim, &s);
    zr_evaluate_rows(sim, &s);
    for (int32_t j = 0; j < sim->zm->n; j++) size[j] = HUGE_VAL;
    for (int32_t i = 0; i < A->rows; i++) {
        double largest = 0.0;
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++)
            largest = fmax(largest, fabs(sim->A[p]));
        double ratio = sim->level[2 * A->rows + i] / largest;
        for (int32_t p = A->start[i]; p < A->start[i + 1] && ratio > 0.0; p++)
            size[A->column[p]] = fmin(size[A->column[p]], ratio);
    }
    for (int32_t j = 0; j < sim->zm->n; j++)
        if (!isfinite(size[j])) size[j] = fabs(sim->q[j]) > 0.0 ? fabs(sim->q[j]) : 1.0;
}

/* C needs the ideal reactions, which do not depend on it. After zr_factor_at. */
zw_status zr_nonideal_at(zw_sim *sim, const zk_source *s)
{
    if (sim->model->uses_measures) {
        zw_gauss_answer ideal = {.multipliers = sim->lambda}; /* of least norm */
        ZB_TRY(zg_system_solve(sim->system, sim->Q, sim->b, NULL, &ideal));
        zr_measure(sim, sim->lambda);
    }
    zr_evaluate_nonideal(sim, s);
    return ZW_OK;
}

static void write(const double *from, int32_t count, double *to)
{
    if (to && count > 0) memcpy(to, from, sizeof *to * (size_t)count);
}

/* phi and its rate; of nonholonomic rows phi is both; of acceleration rows neither. */
static void write_levels(zw_sim *sim, const zk_source *s, zw_instant *instant)
{
    int32_t m = sim->zm->m;
    if (!instant->value && !instant->rate) return;
    zr_evaluate_levels(sim, s);
    for (int32_t i = 0; i < m; i++) {
        bool none = zm_row_kind_of(sim->zm, i) == ZM_ACCELERATION;
        if (instant->value) instant->value[i] = none ? (double)NAN : sim->level[i];
        if (instant->rate) instant->rate[i] = none ? (double)NAN : sim->level[m + i];
    }
}

zw_status zr_sim_instant(zw_sim *sim, zw_instant *instant)
{
    const zw_model *model = sim->model;
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    instant->has_C = model->nonideal.count > 0;
    instant->has_W = model->W.rows > 0;
    if (instant->C && model->uses_measures) {
        ZB_TRY(zr_factor_at(sim, &s));
        ZB_TRY(zr_nonideal_at(sim, &s));
    } else {
        zr_evaluate_dynamics(sim, &s);
        zr_evaluate_rows(sim, &s);
        zr_evaluate_nonideal(sim, &s);
    }
    if (instant->M) zr_expand_mass(sim, instant->M, false);
    if (instant->A) zr_expand_rows(sim, instant->A);
    if (instant->W) zr_expand_weight(sim, instant->W, false);
    write(sim->Q, sim->zm->n, instant->Q);
    write(sim->C, sim->zm->n, instant->C);
    write(sim->b, sim->zm->m, instant->b);
    write_levels(sim, &s, instant);
    return ZW_OK;
}

/* ------------------------------------------------------------- by its own solver */

zw_status zr_sim_solve(zw_sim *sim, zw_gauss_answer *answer)
{
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    return zr_solve_at(sim, &s, answer);
}

static bool is_solved(const zw_sim *sim)
{
    return sim->road == ZR_SPARSE || sim->road == ZR_CAREFUL;
}

zw_status zr_sim_rank(zw_sim *sim, zw_gauss_rank_info *info)
{
    return is_solved(sim) ? zg_system_rank(sim->system, info) : ZW_ERR_ORDER;
}

zw_status zr_sim_diagnose(zw_sim *sim, const double *acceleration, zw_diagnosis **diagnosis)
{
    if (!is_solved(sim)) return ZW_ERR_ORDER;
    return zg_system_diagnose(sim->system, sim->b, acceleration, diagnosis);
}

zw_solver zr_sim_solver(const zw_sim *sim)
{
    return sim->sparse ? ZW_SOLVER_SPARSE : ZW_SOLVER_DENSE;
}
