/*
 * The careful road, which takes everything: the orthogonal decomposition behind zg_system, or what
 * is dense beside a sparse solver; forms other than the principle's own; and where the rank is
 * below what it is almost everywhere, the limit acceleration. For a run rank and conflict are
 * kept.
 */
#include <float.h>
#include <math.h>

#include "roads.h"

/* Always: it is the last one of the table. */
static bool careful_serves(const zw_sim *sim, const zr_solving *run)
{
    (void)sim;
    (void)run;
    return true;
}

/* *system: who holds the factor: the dense solver that a run has beside a sparse one, else that of
 * all rows. Where reactions are measured the latter is needed as well. */
static zw_status factor_carefully(zw_sim *sim, zr_solving *run, zg_system **system)
{
    zr_solver *solver = sim->solver;
    zg_system *own = run ? run->full : NULL;
    zg_values values = {.M = sim->M,
                        .A = sim->A,
                        .W = sim->model->W.rows > 0 ? sim->W : NULL,
                        .off = sim->contacts ? sim->contacts->off : NULL};
    *system = own ? own : solver->all.system;
    if (own) ZB_TRY(zg_system_factor(own, &values));
    if (own && !sim->model->uses_measures) return ZW_OK;
    ZB_TRY(zr_factor_all(sim));
    solver->held = &solver->all;
    return ZW_OK;
}

/* One solve for everything: acceleration, multipliers, non-ideal force, and for a run rank and
 * conflict. At a state of lower rank than almost everywhere the limit acceleration takes its
 * place. */
static zw_status accelerate_carefully(zw_sim *sim, zr_solving *run, const zr_wanted *w, bool *taken)
{
    zg_system *system;
    bool nonideal = sim->model->nonideal.count > 0;
    zw_gauss_answer answer = {.acceleration = w->z, .multipliers = sim->lambda};
    if (run) answer.inconsistency = run->inconsistency;
    if (w->force) answer.force_nonideal = w->force;
    *taken = true;
    zr_forget_factor(sim);
    ZB_TRY(factor_carefully(sim, run, &system));
    if (nonideal) ZB_TRY(zr_nonideal_at(sim, w->at));
    const double *C = nonideal ? sim->C : NULL;
    zw_form form = run ? run->settings->form : ZW_FORM_GAUSS;
    if (form == ZW_FORM_GAUSS)
        ZB_TRY(zg_system_solve(system, sim->Q, sim->b, C, &answer));
    else
        ZB_TRY(zg_system_solve_form(system, form, sim->Q, sim->b, C, &answer));
    if (!run) return ZW_OK;
    run->noise = fmax(run->noise, zg_system_noise(system));
    run->rank = answer.rank;
    if (zr_tells_conflicts(run)) {
        bool off = !answer.consistent || zr_is_any_row_off(sim, run, w->z, zg_system_noise(system));
        zr_note_conflict(sim, run, off ? answer.inconsistency_norm : 0.0);
    }
    if (answer.rank < run->generic_rank) ZB_TRY(zr_limit_acceleration(sim, run, w->at, w->z));
    return ZW_OK;
}

/* Of the factor of all rows, or of the dense one beside it; where a limit was taken neither is
 * left. */
static double careful_condition(const zw_sim *sim, const zr_solving *run)
{
    const zr_solver *solver = sim->solver;
    if (solver->held) return zg_system_noise(solver->all.system) / DBL_EPSILON;
    return run->full ? zg_system_noise(run->full) / DBL_EPSILON : 0.0;
}

const zr_road zr_road_careful = {.name = "careful",
                                 .serves = careful_serves,
                                 .accelerate = accelerate_carefully,
                                 .again = zr_again_by_all,
                                 .condition = careful_condition};
