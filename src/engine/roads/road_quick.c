/*
 * The quick road of dense systems: independent rows and a definite M by Cholesky and a Schur
 * complement whose guard says where that is not sound (gauss/dense/quick.c).
 */
#include "roads.h"

/* For rows that are independent almost everywhere, by the principle's own form. */
static bool quick_may_serve(const zw_sim *sim, const zr_solving *run)
{
    if (!sim->solver->all.quick) return false;
    return !run || (run->settings->form == ZW_FORM_GAUSS && run->generic_rank >= zr_rows_on(sim));
}

/* Refused where the guard finds pivots that cost digits. */
static zw_status accelerate_quickly(zw_sim *sim, zr_solving *run, const zr_wanted *w, bool *taken)
{
    zr_rows *all = &sim->solver->all;
    if (!zr_factor_quickly(sim, all, sim->A)) return ZW_OK;
    *taken = true;
    sim->solver->held = all;
    if (run) zr_note_independent(sim, run, zg_quick_condition(all->quick));
    zg_quick_solve(all->quick, sim->Q, sim->b, w->z, sim->lambda);
    return ZW_OK;
}

/* With the factor of the acceleration. */
static zw_status solve_nonideal_quickly(zw_sim *sim, zr_solving *run)
{
    zr_solver *solver = sim->solver;
    (void)run;
    zg_quick_solve(solver->all.quick, sim->C, NULL, solver->z_nonideal, solver->lambda_nonideal);
    return ZW_OK;
}

static double quick_condition(const zw_sim *sim, const zr_solving *run)
{
    (void)run;
    return zg_quick_condition(sim->solver->all.quick);
}

const zr_road zr_road_quick = {.name = "quick",
                               .serves = quick_may_serve,
                               .accelerate = accelerate_quickly,
                               .nonideal = solve_nonideal_quickly,
                               .again = zr_again_by_all,
                               .condition = quick_condition};
