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

#include "sim.h"

zw_status zr_factor_at(zw_sim *sim, const zk_source *s)
{
    const zw_model *model = sim->model;
    zr_evaluate_dynamics(sim, s);
    zr_evaluate_rows(sim, s);
    if (!sim->dense) return ZW_ERR_LARGE;
    zr_expand_mass(sim, sim->dense_M, model->diagonal_mass);
    zr_expand_rows(sim, sim->dense_A);
    if (sim->dense_W) zr_expand_weight(sim, sim->dense_W, model->diagonal_weight);
    return zg_factor(sim->gauss, sim->dense_M, sim->dense_A, sim->dense_W);
}

/* C needs the ideal reactions, which do not depend on it. After zr_factor_at. */
zw_status zr_nonideal_at(zw_sim *sim, const zk_source *s)
{
    if (sim->model->uses_measures) {
        zw_gauss_answer ideal = {.multipliers = sim->lambda};
        ZB_TRY(zg_solve(sim->gauss, sim->Q, sim->b, NULL, &ideal));
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
