/*
 * The acceleration at a state, for integrators and for reports.
 *
 *     fused     small systems with independent rows: one program for everything (road_fused.c)
 *     lanes     equal parts of a system side by side, rows of any rank (road_parts.c)
 *     sparse    systems behind which the sparse solver stands (zg_system), rows of any rank
 *     quick     independent rows, definite M: Cholesky and Schur complement with a guard (zg_quick)
 *     basis     dependent rows, definite M: the same by rows from which the others follow (road_basis.c)
 *     careful   everything else: the orthogonal decomposition behind zg_system
 *
 * Which road is taken depends on the state alone, so that a run may be repeated from any point to
 * the same bits. Where the rank is below what it is almost everywhere, the careful road goes on to
 * the limit acceleration (singular_limit.c). Where rows that are independent almost everywhere may not be
 * so, the sparse road leaves small systems to the careful one; in large ones it looks at the rank
 * and goes on. Nothing is allocated, other forms than the principle's own apart.
 */
#include <math.h>
#include <string.h>

#include "fused.h"
#include "road_parts.h"

static const double eps = 2.220446049250313e-16;

/* ---------------------------------------------------------------------- careful */

zw_status zr_solve_at(zw_sim *sim, const zk_source *s, zw_gauss_answer *answer)
{
    bool nonideal = sim->model->nonideal.count > 0;
    ZB_TRY(zr_factor_at(sim, s));
    sim->road = sim->sparse ? ZR_SPARSE : ZR_CAREFUL;
    if (nonideal || sim->zm->measure_count > 0) {
        zw_gauss_answer ideal = {.multipliers = sim->lambda}; /* of least norm */
        ZB_TRY(zg_system_solve(sim->system, sim->Q, sim->b, NULL, &ideal));
        zr_measure(sim, sim->lambda);
        zr_evaluate_nonideal(sim, s);
    }
    return zg_system_solve(sim->system, sim->Q, sim->b, nonideal ? sim->C : NULL, answer);
}

/* Rows that take part in a conflict: those with a share in what no acceleration can remove. */
static void note_conflict(zw_sim *sim, double lost)
{
    zr_motion *run = sim->run;
    const double *part = run->inconsistency;
    int32_t m = sim->zm->m;
    double largest = 0.0;
    if (lost < 1e-60) lost = 0.0; /* no acceleration at all, whatever it is compared with */
    run->lost = lost;
    if (!(lost > 0.0) && !run->any_conflicting) return;
    for (int32_t i = 0; i < m; i++) largest = fmax(largest, fabs(part[i]));
    run->any_conflicting = lost > 0.0;
    for (int32_t i = 0; i < m; i++)
        run->conflicting[i] = lost > 0.0 && fabs(part[i]) > 1e-6 * largest;
}

/* In the stages of a step dependent rows may differ by what the stage is off. */
static bool tells_conflicts(const zr_motion *run)
{
    bool projects = run->stepper && run->stepper->system.project;
    return run->landed || !projects;
}

/* Beside a sparse solver there is a dense one for this. */
static zw_status factor_careful(zw_sim *sim, zg_system **system)
{
    zg_system *own = sim->run ? sim->run->full : NULL;
    zg_values values = {.M = sim->M, .A = sim->A, .W = sim->model->W.rows > 0 ? sim->W : NULL};
    *system = own ? own : sim->system;
    if (own) ZB_TRY(zg_system_factor(own, &values));
    if (own && !sim->model->uses_measures) return ZW_OK;
    ZB_TRY(zr_factor(sim));
    sim->road = sim->sparse ? ZR_SPARSE : ZR_CAREFUL;
    return ZW_OK;
}

/* Of a run: besides the acceleration, rank and conflict are kept. */
static zw_status careful(zw_sim *sim, const zk_source *s, double *z, double *nonideal_force)
{
    zr_motion *run = sim->run;
    zg_system *system;
    bool nonideal = sim->model->nonideal.count > 0;
    zw_gauss_answer answer = {.acceleration = z, .multipliers = sim->lambda};
    if (run) answer.inconsistency = run->inconsistency;
    if (nonideal_force) answer.force_nonideal = nonideal_force;
    sim->road = ZR_NO_ROAD;
    ZB_TRY(factor_careful(sim, &system));
    if (nonideal) ZB_TRY(zr_nonideal_at(sim, s));
    const double *C = nonideal ? sim->C : NULL;
    zw_form form = run ? run->settings.form : ZW_FORM_GAUSS;
    if (form == ZW_FORM_GAUSS)
        ZB_TRY(zg_system_solve(system, sim->Q, sim->b, C, &answer));
    else
        ZB_TRY(zg_solve_form(zg_system_dense(system), form, sim->Q, sim->b, C, &answer));
    if (!run) return ZW_OK;
    run->stats.careful++;
    run->noise = fmax(run->noise, zg_system_noise(system));
    run->rank = answer.rank;
    if (tells_conflicts(run))
        note_conflict(sim, answer.consistent ? 0.0 : answer.inconsistency_norm);
    if (answer.rank < run->stats.generic_rank) ZB_TRY(zr_limit_acceleration(sim, s, z));
    return ZW_OK;
}

/* ------------------------------------------------------------- the non-ideal part */

/* GG(C, 0) by the solver that holds the factor. */
static zw_status solve_nonideal(zw_sim *sim)
{
    if (sim->road == ZR_SPARSE)
        return zg_system_apply(sim->system, sim->C, NULL, sim->z_nonideal, sim->lambda_nonideal,
                               NULL, NULL);
    if (sim->road == ZR_BASIS)
        return zr_basis_solve(sim, sim->C, NULL, sim->z_nonideal, sim->lambda_nonideal);
    zg_quick_solve(sim->quick, sim->C, NULL, sim->z_nonideal, sim->lambda_nonideal);
    return ZW_OK;
}

/* GG(C, 0) is added to z; its force is C + A^T lambda_C. */
static zw_status add_nonideal(zw_sim *sim, const zk_source *s, double *z, double *force)
{
    const zr_pattern *A = &sim->model->A;
    if (sim->model->nonideal.count == 0) return ZW_OK;
    if (sim->model->uses_measures) zr_measure(sim, sim->lambda);
    zr_evaluate_nonideal(sim, s);
    ZB_TRY(solve_nonideal(sim));
    for (int32_t j = 0; j < sim->zm->n; j++) z[j] += sim->z_nonideal[j];
    if (!force) return ZW_OK;
    memcpy(force, sim->C, sizeof *force * (size_t)sim->zm->n);
    for (int32_t i = 0; i < A->rows; i++)
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++)
            force[A->column[p]] += sim->A[p] * sim->lambda_nonideal[i];
    return ZW_OK;
}

/* ----------------------------------------------------------------------- sparse */

/* Rows that are independent almost everywhere may not be so here. A dense solver, where there is
 * one, takes over while the sparse one still has all its digits: a chain of as many links as that
 * may have has pivots above this. */
static bool doubtful(const zw_sim *sim)
{
    const zr_motion *run = sim->run;
    if (!run || run->stats.generic_rank < sim->zm->m) return false;
    return zg_system_doubtful(sim->system, run->full ? 1e-5 : 1e-7);
}

/* What a run keeps. The rank costs two factorisations: it is what it is almost everywhere, unless
 * that is in doubt at a state on the constraints. */
static zw_status note_sparse(zw_sim *sim, double lost, bool doubt)
{
    zr_motion *run = sim->run;
    run->noise = fmax(run->noise, zg_system_noise(sim->system));
    run->rank = run->stats.generic_rank;
    if (!tells_conflicts(run)) return ZW_OK;
    note_conflict(sim, lost);
    if (!doubt) return ZW_OK;
    zw_gauss_rank_info info = {0};
    ZB_TRY(zg_system_rank(sim->system, &info));
    run->rank = info.rank;
    return ZW_OK;
}

static zw_status sparse(zw_sim *sim, const zk_source *s, double *z, double *force)
{
    zr_motion *run = sim->run;
    double lost = 0.0, *part = run && tells_conflicts(run) ? run->inconsistency : NULL;
    sim->road = ZR_NO_ROAD;
    ZB_TRY(zr_factor(sim));
    bool doubt = doubtful(sim);
    bool limited = run && run->stats.generic_rank < sim->zm->m; /* which the dense one heeds */
    bool own_choice = sim->model->context->solver == ZW_SOLVER_AUTO;
    if (run && run->full && (doubt || (limited && own_choice))) return careful(sim, s, z, force);
    sim->road = ZR_SPARSE;
    ZB_TRY(zg_system_apply(sim->system, sim->Q, sim->b, z, sim->lambda, part, &lost));
    ZB_TRY(add_nonideal(sim, s, z, force));
    return run ? note_sparse(sim, lost, doubt) : ZW_OK;
}

/* ------------------------------------------------------------------------ quick */

void zr_note_independent(zw_sim *sim, double condition)
{
    zr_motion *run = sim->run;
    run->rank = sim->zm->m;
    run->lost = 0.0;
    run->any_conflicting = false;
    run->noise = fmax(run->noise, eps * condition);
}

void zr_note_fused(zw_sim *sim)
{
    sim->road = ZR_FUSED;
    sim->run->stats.fused++;
    zr_note_independent(sim, sim->fused_condition);
}

/* Nothing in the run asks for the careful road. */
static bool quickly(const zw_sim *sim)
{
    const zr_motion *run = sim->run;
    return !run || (run->settings.form == ZW_FORM_GAUSS && run->stats.generic_rank >= sim->zm->m);
}

/* A plain run has tried it before it came here (run.c). */
static bool fused(zw_sim *sim, const zk_source *s, double *z, double *force)
{
    zr_motion *run = sim->run;
    if (!sim->model->fused || !quickly(sim)) return false;
    if (run && (run->plain || run->settings.stabilize == ZW_BAUMGARTE)) return false;
    const double *found = zr_fused_acceleration(sim, &s->time, s->position, s->velocity);
    if (!found) return false;
    memcpy(z, found, sizeof *z * (size_t)sim->zm->n);
    if (force) zr_fused_forces(sim, force);
    if (run) zr_note_fused(sim);
    return true;
}

/* By rows from which the others follow. False: not here. */
static bool by_basis(zw_sim *sim, double *z)
{
    zr_motion *run = sim->run;
    if (!zr_basis_factor(sim)) return false;
    if (zr_basis_solve(sim, sim->Q, sim->b, z, sim->lambda) != ZW_OK) return false;
    if (tells_conflicts(run) && !zr_basis_agrees(sim, z)) return false;
    sim->road = ZR_BASIS;
    zr_note_independent(sim, zr_basis_noise(&run->basis) / eps);
    run->rank = run->stats.generic_rank;
    return true;
}

static bool quick_serves(zw_sim *sim)
{
    const zr_pattern *p = &sim->model->A;
    if (!sim->quick || !quickly(sim)) return false;
    zr_expand_mass(sim, sim->dense_M, sim->model->diagonal_mass);
    zg_rows A = {.start = p->start, .column = p->column, .value = sim->A};
    return zg_quick_factor(sim->quick, sim->dense_M, &A);
}

/* b - 2 zeta omega rate - omega^2 phi of holonomic rows, b - omega phi of nonholonomic ones. */
static void add_baumgarte(zw_sim *sim, const zk_source *s)
{
    const zw_run_settings *set = &sim->run->settings;
    int32_t m = sim->zm->m;
    zr_evaluate_levels(sim, s);
    for (int32_t i = 0; i < m; i++) {
        zm_row_kind kind = sim->row_kind[i];
        if (kind == ZM_ACCELERATION) continue;
        double w = set->omega, phi = sim->level[i], rate = sim->level[m + i];
        sim->b[i] -= kind == ZM_HOLONOMIC ? 2.0 * set->zeta * w * rate + w * w * phi : w * rate;
    }
}

zw_status zr_accelerate(zw_sim *sim, const zk_source *s, double *z, double *nonideal_force)
{
    zr_motion *run = sim->run;
    if (fused(sim, s, z, nonideal_force)) return ZW_OK;
    if (zr_lanes_accelerate(sim, s, z)) return ZW_OK;
    zr_evaluate_dynamics(sim, s);
    zr_evaluate_rows(sim, s);
    if (run && run->settings.stabilize == ZW_BAUMGARTE) add_baumgarte(sim, s);
    bool own = !run || run->settings.form == ZW_FORM_GAUSS;
    if (by_basis(sim, z)) return add_nonideal(sim, s, z, nonideal_force);
    if (sim->sparse && own) return sparse(sim, s, z, nonideal_force);
    if (!quick_serves(sim)) return careful(sim, s, z, nonideal_force);
    sim->road = ZR_QUICK;
    if (run) zr_note_independent(sim, zg_quick_condition(sim->quick));
    zg_quick_solve(sim->quick, sim->Q, sim->b, z, sim->lambda);
    return add_nonideal(sim, s, z, nonideal_force);
}

/* The run's settings are for the run: at any other state the equations stand as they are. */
zw_status zr_sim_acceleration(zw_sim *sim, double t, const double *q, const double *v, double *z)
{
    zk_source s = zr_source(sim, t, q, v);
    zr_motion *run = sim->run;
    if (run) zg_system_limit_rank(sim->system, sim->zm->m);
    sim->run = NULL;
    zw_status status = zr_accelerate(sim, &s, z, NULL);
    sim->run = run;
    if (run) zg_system_limit_rank(sim->system, run->stats.generic_rank);
    return status == ZW_OK && !zb_all_finite(z, sim->zm->n) ? ZW_ERR_NOT_FINITE : status;
}
