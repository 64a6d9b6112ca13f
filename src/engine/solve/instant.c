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

#include "creep.h"
#include "friction.h"

zw_status zr_factor_all(zw_sim *sim)
{
    return zr_factor_rows(sim, &sim->solver->all, sim->A, NULL);
}

zw_status zr_again_by_all(zw_sim *sim, zr_solving *run, const double *f, const double *b, double *z,
                          double *lambda)
{
    (void)run;
    return zr_solve_rows(&sim->solver->all, f, b, z, lambda);
}

/* The next factors do not count on the M that was factored before. */
void zr_forget_mass(zw_sim *sim)
{
    zr_solver *solver = sim->solver;
    solver->all.same_mass = false;
    for (int k = 0; k < 2; k++) solver->sides[k].rows.same_mass = false;
}

/* No road has answered here, so none holds a factor that a projection might take for its own. */
zw_status zr_factor_at(zw_sim *sim, const zk_source *s)
{
    zr_forget_factor(sim);
    zr_evaluate_dynamics(sim, s);
    zr_evaluate_rows(sim, s);
    return zr_factor_all(sim);
}

/* C needs the ideal reactions, which do not depend on it. After zr_factor_at. */
zw_status zr_nonideal_at(zw_sim *sim, const zk_source *s)
{
    if (sim->model->uses_measures) {
        zw_gauss_answer ideal = {.multipliers = sim->lambda}; /* of least norm */
        ZB_TRY(zg_system_solve(sim->solver->all.system, sim->Q, sim->b, NULL, &ideal));
        zr_measure(sim, sim->lambda);
    }
    zr_evaluate_nonideal(sim, s);
    return ZW_OK;
}

/* from [count] to `to`, unless that is NULL. */
static void copy_where_wanted(const double *from, int32_t count, double *to)
{
    if (to && count > 0) memcpy(to, from, sizeof *to * (size_t)count);
}

/* phi and rate of contacts, and slips, whatever the mode is. */
static void write_contact_levels(zw_sim *sim, const zk_source *s, zw_instant *instant)
{
    const zr_contacts *c = sim->contacts;
    zr_evaluate_gaps(sim, s);
    zr_evaluate_frictions(sim, s);
    for (int32_t k = 0; k < c->laws->contacts; k++) {
        int32_t row = sim->zm->contacts[k].row;
        if (zm_row_kind_of(sim->zm, row) == ZM_ACCELERATION) continue;
        if (instant->value) instant->value[row] = c->gap[k];
        if (instant->rate) instant->rate[row] = c->gap[c->laws->contacts + k];
    }
    for (int32_t j = 0; j < c->laws->slips; j++) {
        int32_t row = c->laws->row_of_slip[j];
        if (instant->value) instant->value[row] = c->slip[j];
        if (instant->rate) instant->rate[row] = c->slip[j];
    }
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
    if (sim->contacts) write_contact_levels(sim, s, instant);
}

/* C, to which the friction of what slides belongs. M, Q, A and b are there afterwards. */
static zw_status find_instant_force(zw_sim *sim, const zk_source *s)
{
    zw_gauss_answer none = {0};
    if (sim->drive) {
        bool nonideal = sim->model->nonideal.count > 0;
        ZB_TRY(zr_solve_driven(sim, s, nonideal, &none));
        for (int32_t j = 0; j < sim->zm->n; j++)
            sim->C[j] =
                (nonideal ? sim->C[j] : 0.0) + (zr_any_slides(sim) ? sim->contacts->force[j] : 0.0);
        return ZW_OK;
    }
    if (zr_any_creeps(sim)) zr_follow_creep(sim, NULL, s);
    ZB_TRY(zr_factor_at(sim, s));
    sim->solver->held = &sim->solver->all;
    if (zr_any_slides(sim)) ZB_TRY(zr_add_friction(sim, s, NULL));
    if (!zr_any_slides(sim)) return zr_nonideal_at(sim, s);
    zw_gauss_answer ideal = {.multipliers = sim->lambda};
    ZB_TRY(zg_system_solve(sim->solver->all.system, sim->contacts->total, sim->b, NULL, &ideal));
    zr_write_sliding_multipliers(sim, s->velocity, sim->lambda);
    zr_measure(sim, sim->lambda);
    zr_evaluate_nonideal(sim, s);
    ZB_TRY(zr_add_friction(sim, s, sim->C));
    for (int32_t j = 0; j < sim->zm->n; j++) sim->C[j] += sim->contacts->force[j];
    return ZW_OK;
}

/* The matrices at the simulation's state; arrays of `instant` that are NULL are not wanted.
 * Solves only where C depends on reactions. */
zw_status zr_read_instant(zw_sim *sim, zw_instant *instant)
{
    const zw_model *model = sim->model;
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    instant->has_C = model->nonideal.count > 0 || zr_any_slides(sim);
    instant->has_W = model->W.rows > 0;
    if (instant->C && (model->uses_measures || zr_any_slides(sim))) {
        ZB_TRY(find_instant_force(sim, &s));
    } else {
        zr_evaluate_dynamics(sim, &s);
        zr_evaluate_rows(sim, &s);
        zr_evaluate_nonideal(sim, &s);
    }
    if (instant->M) zr_expand_mass(sim, instant->M, false);
    if (instant->A) zr_expand_rows(sim, instant->A);
    if (instant->W) zr_expand_weight(sim, instant->W, false);
    copy_where_wanted(sim->Q, sim->zm->n, instant->Q);
    copy_where_wanted(sim->C, sim->zm->n, instant->C);
    copy_where_wanted(sim->b, sim->zm->m, instant->b);
    write_levels(sim, &s, instant);
    return ZW_OK;
}

/* ------------------------------------------------------------- by its own solver */

/* The friction of what slides is among the multipliers, and no ideal force. Contacts that depend on
 * each other show their shares, what slides on them with the friction of its share. */
static zw_status finish_contact_answer(zw_sim *sim, const zk_source *s, zw_gauss_answer *answer)
{
    zr_contacts *c = sim->contacts;
    bool slides = zr_any_slides(sim);
    if (answer->multipliers && slides)
        zr_write_sliding_multipliers(sim, s->velocity, answer->multipliers);
    if (c && c->mode.dependent && c->share && answer->multipliers)
        ZB_TRY(c->share(sim, s, answer->multipliers));
    if (!slides) return ZW_OK;
    for (int32_t j = 0; j < sim->zm->n; j++) {
        if (answer->force_nonideal) answer->force_nonideal[j] += sim->contacts->force[j];
        if (answer->force) answer->force[j] += sim->contacts->force[j];
    }
    return ZW_OK;
}

/* Where C presses, too, the friction is that of all forces: of Q + C. */
static zw_status press_with_nonideal(zw_sim *sim, const zk_source *s)
{
    return zr_any_slides(sim) ? zr_add_friction(sim, s, sim->C) : ZW_OK;
}

zw_status zr_solve_ideal_at(zw_sim *sim, const zk_source *s, zw_gauss_answer *answer)
{
    zr_solver *solver = sim->solver;
    if (zr_on_compromise(sim)) return zr_answer_on_compromise(sim, s, answer);
    if (sim->drive) {
        ZB_TRY(zr_solve_driven(sim, s, false, answer));
        return finish_contact_answer(sim, s, answer);
    }
    if (zr_any_creeps(sim)) zr_follow_creep(sim, NULL, s);
    ZB_TRY(zr_factor_at(sim, s));
    solver->road = solver->sparse ? ZR_SPARSE : ZR_CAREFUL;
    solver->held = &solver->all;
    if (zr_any_slides(sim)) ZB_TRY(zr_add_friction(sim, s, NULL));
    const double *Q = zr_any_slides(sim) ? sim->contacts->total : sim->Q;
    ZB_TRY(zg_system_solve(solver->all.system, Q, sim->b, NULL, answer));
    return finish_contact_answer(sim, s, answer);
}

/* Two solves where non-ideal forces or measures need the ideal reactions first. The factor is
 * then at hand for zr_sim_rank and zr_sim_diagnose. */
zw_status zr_solve_at(zw_sim *sim, const zk_source *s, zw_gauss_answer *answer)
{
    bool nonideal = sim->model->nonideal.count > 0;
    bool first = nonideal || sim->zm->measure_count > 0;
    zw_gauss_answer ideal = {.multipliers = sim->lambda}; /* of least norm */
    if (!first || zr_on_compromise(sim)) return zr_solve_ideal_at(sim, s, answer);
    if (sim->drive) {
        ZB_TRY(zr_solve_driven(sim, s, true, answer));
        return finish_contact_answer(sim, s, answer);
    }
    ZB_TRY(zr_solve_ideal_at(sim, s, &ideal));
    zr_measure(sim, sim->lambda);
    zr_evaluate_nonideal(sim, s);
    if (nonideal) ZB_TRY(press_with_nonideal(sim, s));
    const double *Q = zr_any_slides(sim) ? sim->contacts->total : sim->Q;
    ZB_TRY(zg_system_solve(sim->solver->all.system, Q, sim->b, nonideal ? sim->C : NULL, answer));
    return finish_contact_answer(sim, s, answer);
}

/* The last factor is that of all rows by their system, which knows rank and dependent sets. */
static bool is_solved(const zw_sim *sim)
{
    const zr_solver *solver = sim->solver;
    return solver->held == &solver->all && !solver->all.by_quick;
}

zw_status zr_sim_rank(zw_sim *sim, zw_gauss_rank_info *info)
{
    return is_solved(sim) ? zg_system_rank(sim->solver->all.system, info) : ZW_ERR_ORDER;
}

zw_status zr_sim_diagnose(zw_sim *sim, const double *acceleration, zw_diagnosis **diagnosis)
{
    if (!is_solved(sim)) return ZW_ERR_ORDER;
    if (!sim->contacts || !sim->contacts->mode.dependent)
        return zg_system_diagnose(sim->solver->all.system, sim->b, acceleration, diagnosis);
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    zw_status status = zr_factor_closed(sim, &s); /* what is closed depends on each other */
    if (status == ZW_OK)
        status = zg_system_diagnose(sim->solver->all.system, sim->b, acceleration, diagnosis);
    zw_status back = zr_factor_mode(sim, &s);
    return status == ZW_OK ? back : status;
}

zw_solver zr_sim_solver(const zw_sim *sim)
{
    return sim->solver->sparse ? ZW_SOLVER_SPARSE : ZW_SOLVER_DENSE;
}
