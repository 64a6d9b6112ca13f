/*
 * The *generic rank*: the rank that the constraint matrix A has almost everywhere on the
 * constraints. At single states, a four-bar that lies flat, it may be less. Where the start is not
 * such a state it is the rank there; otherwise the largest one found around the start on the
 * constraints, nearer and farther, along the motion and elsewhere. Small systems whose rows the
 * fused program finds clearly independent at the start need no search; large systems behind which
 * the sparse solver stands are looked at once near the start, and only where rows are dependent
 * there.
 */
#include <math.h>
#include <string.h>

#include "road_fused.h"

/* Between 0.5 and 1 with either sign, the same in every run. */
static double draw_kick(int32_t k)
{
    uint64_t bits = zb_hash_scramble(0x52414E4Bu + (uint64_t)k);
    return (bits & 1 ? 1.0 : -1.0) * (0.5 + (double)(bits >> 11) * 0x1p-54);
}

/* The rank of A at a state of the simulation's time, by the solver of all rows. */
static zw_status find_rank_at(zw_sim *sim, const double *q, const double *v, int32_t *rank)
{
    zk_source s = zr_source(sim, sim->t, q, v);
    zw_gauss_rank_info info = {0};
    ZB_TRY(zr_factor_at(sim, &s));
    ZB_TRY(zg_system_rank(sim->solver->all.system, &info));
    *rank = info.rank;
    return ZW_OK;
}

/* The rank by pivots that are clearly no rounding. What a projection leaves moves a state a little
 * off the constraints, and there rows that depend on each other only on them are not quite
 * dependent. */
static zw_status find_clear_rank(zw_sim *sim, zg_system *clear, const double *q, const double *v,
                                 int32_t *rank)
{
    zk_source s = zr_source(sim, sim->t, q, v);
    zw_gauss_rank_info info = {0};
    *rank = 0;
    ZB_TRY(zr_factor_at(sim, &s));
    zg_values values = {.M = sim->M,
                        .A = sim->A,
                        .W = sim->model->W.rows > 0 ? sim->W : NULL,
                        .off = sim->contacts ? sim->contacts->off : NULL};
    ZB_TRY(zg_system_factor(clear, &values));
    ZB_TRY(zg_system_rank(clear, &info));
    *rank = info.rank;
    return ZW_OK;
}

/* A state on the constraints, away from the start by `far` of its size, in state [2 n]; the k-th
 * try goes along the motion or in a direction of its own. False: none was reached. */
static bool step_aside(zw_sim *sim, zr_solving *run, double *state, double far, int32_t k)
{
    int32_t n = sim->zm->n;
    double *q = state, *v = q + n, size = 0.0, speed = 0.0;
    for (int32_t j = 0; j < n; j++) size = fmax(size, fabs(sim->q[j]));
    for (int32_t j = 0; j < n; j++) speed = fmax(speed, fabs(sim->v[j]));
    bool along = k < 2 && speed > 0.0; /* where the motion leads the constraints are near */
    for (int32_t j = 0; j < n; j++) {
        double way = along ? sim->v[j] / speed : draw_kick(j + k * n);
        q[j] = sim->q[j] + far * (size > 0.0 ? size : 1.0) * way;
        v[j] = sim->v[j];
    }
    return zr_project(sim, run, sim->t, q, v, false) == ZW_OK;
}

/* *most: the largest clear rank at the start and around it on the constraints, nearer and farther.
 */
static zw_status try_ranks(zw_sim *sim, zr_solving *run, double *state, zg_system *clear,
                           int32_t *most, bool *reached)
{
    static const double far[] = {1e-3, 1e-2, 1e-3, 1e-2, 1e-2, 5e-2};
    const double *q = state, *v = q + sim->zm->n;
    int32_t rank = 0;
    ZB_TRY(find_clear_rank(sim, clear, sim->q, sim->v, most));
    for (int32_t k = 0; k < 6 && *most < zr_rows_on(sim); k++) {
        if (!step_aside(sim, run, state, far[k], k)) continue;
        *reached = true;
        if (find_clear_rank(sim, clear, q, v, &rank) == ZW_OK && rank > *most) *most = rank;
    }
    return ZW_OK;
}

/* Each coordinate of state [2 n] is moved from the start by a thousandth of its local size
 * (zr_local_sizes), or, along, a hundredth of the way that the motion makes until one has gone as
 * far as that. */
static void move_a_little(zw_sim *sim, double *state, bool along)
{
    int32_t n = sim->zm->n;
    double *q = state, soon = HUGE_VAL;
    zr_local_sizes(sim, q);
    for (int32_t j = 0; j < n && along; j++)
        if (sim->v[j] != 0.0) soon = fmin(soon, q[j] / fabs(sim->v[j]));
    for (int32_t j = 0; j < n; j++)
        q[j] = sim->q[j] + (along ? 1e-2 * soon * sim->v[j] : 1e-3 * q[j] * draw_kick(j));
    memcpy(q + n, sim->v, sizeof *q * (size_t)n);
}

/* By the sparse solver, near the start, along the motion and beside it, then onto the
 * constraints. */
static void try_sparse_rank(zw_sim *sim, zr_solving *run, double *state, int32_t *most,
                            bool *reached)
{
    int32_t n = sim->zm->n, rank = 0;
    double *q = state, *v = q + n, speed = 0.0;
    for (int32_t j = 0; j < n; j++) speed = fmax(speed, fabs(sim->v[j]));
    for (int along = speed > 0.0; along >= 0 && *most < zr_rows_on(sim); along--) {
        move_a_little(sim, state, along != 0);
        if (zr_project(sim, run, sim->t, q, v, false) != ZW_OK) continue;
        *reached = true;
        if (find_rank_at(sim, q, v, &rank) == ZW_OK && rank > *most) *most = rank;
    }
}

/* What the generic rank may be where no state on the constraints was reached: no more than beside
 * them. */
static void bound_generic_rank(zw_sim *sim, zr_solving *run, double *state, bool reached)
{
    zw_gauss_rank_info info = {0};
    run->generic_most = run->generic_rank;
    if (run->generic_rank >= zr_rows_on(sim) || run->generic_rank < 0) return;
    if (!reached) move_a_little(sim, state, false);
    zk_source s = zr_source(sim, sim->t, reached ? sim->q : state, sim->v);
    zw_status status = zr_factor_at(sim, &s);
    if (status == ZW_OK) status = zg_system_rank(sim->solver->all.system, &info);
    if (status != ZW_OK) return;
    int32_t most = info.ambiguous ? info.most : reached ? run->generic_rank : info.rank;
    if (most > run->generic_rank) run->generic_most = most;
}

/* The rows are independent at the start, beyond doubt. */
static bool starts_independent(zw_sim *sim, const zr_solving *run)
{
    return zr_fused_serves(sim, run->settings) &&
           zr_fused_acceleration(sim, &sim->t, sim->q, sim->v);
}

/* Where the rows are not surely independent at the start: large systems behind a sparse solver
 * are looked at once more nearby; of all others, dense, the largest clear rank found at the
 * start and around it counts. */
zw_status zr_find_generic_rank(zw_sim *sim, zr_solving *run, double *scratch)
{
    if (starts_independent(sim, run)) {
        run->generic_rank = run->generic_most = zr_rows_on(sim);
        return ZW_OK;
    }
    zg_structure structure = zr_structure(sim);
    int32_t rank = zr_rows_on(sim), least = 0;
    bool reached = false;
    zg_system *clear = NULL;
    structure.solver = ZW_SOLVER_DENSE;
    structure.rank_tolerance = 1e-7;
    run->generic_rank = -1;
    zw_status status = find_rank_at(sim, sim->q, sim->v, &least);
    if (status == ZW_OK && sim->solver->sparse && !run->full) {
        rank = least;
        try_sparse_rank(sim, run, scratch, &rank, &reached);
    } else if (status == ZW_OK && sim->zm->m > 0) {
        status = zg_system_plan(sim->memory, &structure, &clear);
        if (status == ZW_OK) status = try_ranks(sim, run, scratch, clear, &rank, &reached);
        zg_system_free(clear);
    }
    run->generic_rank = rank;
    bound_generic_rank(sim, run, scratch, reached);
    return status;
}

/* The rank at a state off the constraints, which is not brought back onto them. */
zw_status zr_depend_everywhere(zw_sim *sim, const zr_solving *run, double *scratch,
                               bool *everywhere)
{
    int32_t rank = 0;
    double *q = scratch;
    zr_local_sizes(sim, q);
    for (int32_t j = 0; j < sim->zm->n; j++) q[j] = sim->q[j] + 1e-2 * q[j] * draw_kick(j);
    zg_system_limit_rank(sim->solver->all.system, sim->zm->m);
    zw_status status = find_rank_at(sim, q, sim->v, &rank);
    zg_system_limit_rank(sim->solver->all.system, run->generic_rank);
    *everywhere = status == ZW_OK && rank <= run->generic_rank;
    return zr_is_memory(status) ? status : ZW_OK;
}

/* Where rows depend on each other almost everywhere, no solver takes their rank for more; the
 * selections of positions and of velocities get limits of their own only where the start is not
 * singular. */
zw_status zr_limit_ranks(zw_sim *sim, zr_solving *run)
{
    int32_t rank = 0;
    bool independent = run->generic_rank >= zr_rows_on(sim);
    zg_system_know_independent(sim->solver->all.system, independent);
    if (independent) return ZW_OK;
    ZB_TRY(find_rank_at(sim, sim->q, sim->v, &rank));
    zg_system_limit_rank(sim->solver->all.system, run->generic_rank);
    if (run->full) zg_system_limit_rank(run->full, run->generic_rank);
    return rank == run->generic_rank ? zr_limit_sides(sim, run) : ZW_OK;
}

/* The rows turn out to be more than were found at the start: rows that time makes independent, for
 * instance. What was chosen for fewer no longer serves. */
void zr_raise_generic_rank(zw_sim *sim, zr_solving *run)
{
    run->generic_rank = run->rank;
    zg_system_limit_rank(sim->solver->all.system, run->rank);
    if (run->full) zg_system_limit_rank(run->full, run->rank);
    if (sim->solver->held == &run->basis.rows) zr_forget_factor(sim);
    zr_free_rows(&run->basis.rows);
    run->basis.rows.m = 0;
    memset(run->basis.in, 0, sizeof *run->basis.in * (size_t)sim->zm->m);
    for (int k = 0; k < 2; k++) {
        const zr_rows *rows = &sim->solver->sides[k].rows;
        if (rows->system) zg_system_limit_rank(rows->system, rows->m);
    }
}
