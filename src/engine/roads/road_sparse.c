/*
 * The road through the sparse solver, rows of any rank: one factorisation and one solve, corrected
 * until the equations hold (gauss/sparse/driver.c). Where rows that are independent almost
 * everywhere may not be so at a state, small systems are left to the dense solver beside it; large
 * ones go on, with a look at the rank where constraints hold.
 */
#include <math.h>

#include "roads.h"

/* Whether rows that are independent almost everywhere may not be so here, by the least pivot. A
 * dense solver, where there is one, takes over while the sparse one still has all its digits: a
 * chain of as many links as that may have has pivots above 1e-5. */
static bool is_doubtful(const zw_sim *sim, const zr_solving *run)
{
    if (!run || run->generic_rank < zr_rows_on(sim)) return false;
    return zg_system_doubtful(sim->solver->all.system, run->full ? 1e-5 : 1e-7);
}

/* Of small systems with dependent rows the dense solver knows the rank: unless somebody has asked
 * for the sparse one they are left to it. */
static bool sparse_may_serve(const zw_sim *sim, const zr_solving *run)
{
    if (!sim->solver->sparse) return false;
    if (!run) return true;
    bool limited = run->generic_rank < zr_rows_on(sim);
    bool own_choice = sim->model->context->solver == ZW_SOLVER_AUTO;
    return run->settings->form == ZW_FORM_GAUSS && !(run->full && limited && own_choice);
}

/* What a run keeps. The rank costs two factorisations: it is what it is almost everywhere, unless
 * that is in doubt at a state on the constraints. */
static zw_status note_sparse(zw_sim *sim, zr_solving *run, double lost, bool doubt)
{
    zg_system *system = sim->solver->all.system;
    zw_gauss_rank_info info = {0};
    run->noise = fmax(run->noise, zg_system_noise(system));
    run->rank = run->generic_rank;
    if (!zr_tells_conflicts(run)) return ZW_OK;
    zr_note_conflict(sim, run, lost);
    if (!doubt) return ZW_OK;
    ZB_TRY(zg_system_rank(system, &info));
    run->rank = info.rank;
    return ZW_OK;
}

/* Where the rank is in doubt and a dense solver stands beside, it is left to that; otherwise the
 * answer is taken, with what no acceleration reaches where conflicts are told. */
static zw_status accelerate_sparsely(zw_sim *sim, zr_solving *run, const zr_wanted *w, bool *taken)
{
    zr_solver *solver = sim->solver;
    double lost = 0.0, *part = run && zr_tells_conflicts(run) ? run->inconsistency : NULL;
    zr_forget_factor(sim);
    ZB_TRY(zr_factor_all(sim));
    bool doubt = is_doubtful(sim, run);
    if (doubt && run->full) return ZW_OK;
    *taken = true;
    solver->held = &solver->all;
    ZB_TRY(zg_system_apply(solver->all.system, sim->Q, sim->b, w->z, sim->lambda, part, &lost));
    return run ? note_sparse(sim, run, lost, doubt) : ZW_OK;
}

/* GG(C, 0) by the solver of all rows, whichever holds the factor. */
static zw_status solve_nonideal_by_all(zw_sim *sim, zr_solving *run)
{
    zr_solver *solver = sim->solver;
    (void)run;
    return zr_solve_rows(&solver->all, sim->C, NULL, solver->z_nonideal, solver->lambda_nonideal);
}

static double all_condition(const zw_sim *sim, const zr_solving *run)
{
    (void)run;
    return zr_rows_condition(&sim->solver->all);
}

const zr_road zr_road_sparse = {.name = "sparse",
                                .serves = sparse_may_serve,
                                .accelerate = accelerate_sparsely,
                                .nonideal = solve_nonideal_by_all,
                                .again = zr_again_by_all,
                                .condition = all_condition};
