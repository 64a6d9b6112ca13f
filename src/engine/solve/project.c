/*
 * Bringing a state back onto the constraints while it moves: positions onto the holonomic rows,
 * then velocities onto the rates of these and the nonholonomic rows, each by the smallest change in
 * the metric M (Gauss-Newton). Inside a step the factor of the last acceleration is at hand and
 * near enough; where it does not contract, M and A are factored again at the state itself. Rows of
 * any rank; rows in a conflict of accelerations, or left off by one, are left out: they are zeros.
 *
 * A side is a selection of rows (row_selection.h): one that has all of them is that of the
 * acceleration. Values are kept in sim and in the selection until the last solve with them.
 *
 * Corrections end at rounding: what is below it is not touched, so that noise is not blown up near
 * singular configurations. In sparse systems, which may be long, that of the state counts as well;
 * it needs the rows of a state nearby, which are there as soon as there is a factor.
 *
 * Roads that have a way of their own, fused programs and equal parts, are asked first; what these
 * refuse comes here.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "newton.h"
#include "road_fused.h"
#include "road_parts.h"

static const double rounding = 4.0; /* units of zb_eps, of a row's own terms */
enum { most_rounds = 12 };

/* ----------------------------------------------------------------------- sides */

static bool side_has_row(const zw_sim *sim, zr_order order, int32_t row)
{
    if (sim->row_kind[row] == ZM_ACCELERATION) return false;
    return order == ZR_VELOCITY || sim->row_kind[row] == ZM_HOLONOMIC;
}

/* The solvers of a side that has not all rows: as those of the acceleration. */
static zw_status open_side_solvers(zw_sim *sim, zr_side *side)
{
    zr_solver *solver = sim->solver;
    zr_rows *rows = &side->rows;
    ZB_TRY(zr_shape_rows(sim, &sim->arena, rows, NULL));
    rows->quick_mass = solver->all.quick_mass;
    if (solver->all.quick && (rows->m <= rows->n || sim->contacts))
        ZB_TRY(
            zg_quick_plan(sim->memory, rows->n, rows->m, sim->model->diagonal_mass, &rows->quick));
    zg_structure structure = zr_structure(sim);
    structure.m = rows->m;
    structure.A = rows->is.A;
    structure.W = rows->is.W;
    structure.solver = solver->sparse ? ZW_SOLVER_SPARSE : ZW_SOLVER_DENSE;
    return zg_system_plan(sim->memory, &structure, &rows->system);
}

/* Which rows belong to the level, and a solver of their own unless they are all rows. */
static zw_status open_side(zw_sim *sim, zr_order order)
{
    zr_side *side = &sim->solver->sides[order];
    zr_rows *rows = &side->rows;
    int32_t m = sim->zm->m;
    side->order = order;
    rows->n = sim->zm->n;
    rows->row = ZB_NEW_ARRAY(&sim->arena, int32_t, (size_t)m);
    side->r = ZB_NEW_ARRAY(&sim->arena, double, (size_t)m);
    side->lambda = ZB_NEW_ARRAY(&sim->arena, double, (size_t)m);
    if (sim->arena.failure != ZW_OK) return sim->arena.failure;
    for (int32_t i = 0; i < m; i++)
        if (side_has_row(sim, order, i)) rows->row[rows->m++] = i;
    side->own = rows->m == m ? &sim->solver->all : rows;
    return rows->m == 0 || side->own->all ? ZW_OK : open_side_solvers(sim, side);
}

/* From the simulation's arena; a try that failed for lack of memory is made again from the
 * beginning. */
zw_status zr_open_sides(zw_sim *sim)
{
    zr_solver *solver = sim->solver;
    if (solver->sides_open) return ZW_OK;
    zr_close_sides(sim);
    sim->arena.failure = ZW_OK; /* of another try */
    solver->zero = ZB_NEW_ARRAY(&sim->arena, double, (size_t)sim->zm->n);
    solver->change = ZB_NEW_ARRAY(&sim->arena, double, (size_t)sim->zm->n);
    solver->metric = ZB_NEW_ARRAY(&sim->arena, double, (size_t)sim->model->M.count);
    if (!solver->all.A) /* for rows that are left out */
        solver->all.A = ZB_NEW_ARRAY(&sim->arena, double, (size_t)sim->model->A.count);
    if (sim->arena.failure != ZW_OK) return sim->arena.failure;
    ZB_TRY(open_side(sim, ZR_POSITION));
    ZB_TRY(open_side(sim, ZR_VELOCITY));
    solver->sides_open = true;
    return ZW_OK;
}

/* Frees the solvers; arrays stay in the arena. */
void zr_close_sides(zw_sim *sim)
{
    zr_solver *solver = sim->solver;
    for (int k = 0; k < 2; k++) {
        zr_free_rows(&solver->sides[k].rows);
        solver->sides[k] = (zr_side){0};
    }
    solver->sides_open = false;
}

/* --------------------------------------------------------------------- factors */

/* [rows of A] those in a conflict of accelerations, or left off by one; NULL: there are none. */
static const bool *rows_left_out(const zr_solving *run)
{
    return run && run->any_out ? run->out : NULL;
}

/* Where M and these rows leave a motion free, it is measured by a small multiple of the identity.
 */
static const double *make_mass_definite(zw_sim *sim)
{
    const zr_pattern *M = &sim->model->M;
    double *metric = sim->solver->metric, trace = 0.0, n = sim->zm->n;
    memcpy(metric, sim->M, sizeof *metric * (size_t)M->count);
    for (int32_t i = 0; i < M->rows; i++) trace += metric[M->start[i]];
    for (int32_t i = 0; i < M->rows; i++)
        metric[M->start[i]] += trace > 0.0 ? 1e-8 * trace / n : 1.0;
    return metric;
}

/* M and the rows of a side at a state. *by: the selection that holds the factor, which is the basis
 * where that may serve. */
static zw_status factor_side(zw_sim *sim, zr_solving *run, zr_side *side, const zk_source *s,
                             bool basis, zr_rows **by)
{
    const bool *left_out = rows_left_out(run);
    bool dependent = run && run->generic_rank < zr_rows_on(sim);
    zr_evaluate_dynamics(sim, s);
    zr_evaluate_rows(sim, s);
    zr_forget_factor(sim);
    if (basis && !left_out && side->own->all && zr_factor_basis(sim, run)) {
        *by = &run->basis.rows;
        return ZW_OK;
    }
    *by = side->own;
    const double *A = zr_gather_rows(sim, side->own, left_out);
    if (!dependent && !left_out && zr_factor_quickly(sim, side->own, A)) return ZW_OK;
    zw_status status = zr_factor_rows(sim, side->own, A, NULL);
    if (status != ZW_ERR_UNDETERMINED) return status;
    return zr_factor_rows(sim, side->own, A, make_mass_definite(sim));
}

/* The rank that each side's own rows have at the start is the most they have. */
zw_status zr_limit_sides(zw_sim *sim, zr_solving *run)
{
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    for (int k = 0; k < 2; k++) {
        zr_side *side = &sim->solver->sides[k];
        zw_gauss_rank_info info = {0};
        zr_rows *by;
        if (side->rows.m == 0 || side->own->all) continue;
        ZB_TRY(factor_side(sim, run, side, &s, false, &by));
        if (by->by_quick) continue;
        ZB_TRY(zg_system_rank(by->system, &info));
        zg_system_limit_rank(by->system, info.rank);
    }
    return ZW_OK;
}

/* As many as there are rows; sides that have no solver of their own have no limit of their own. */
void zr_free_ranks(zw_sim *sim)
{
    const zr_rows *all = &sim->solver->all;
    zg_system_limit_rank(all->system, sim->zm->m);
    zg_system_know_independent(all->system, false);
    for (int k = 0; k < 2; k++) {
        const zr_rows *rows = &sim->solver->sides[k].rows;
        if (rows->system) zg_system_limit_rank(rows->system, rows->m);
    }
}

/* d = GG(0, -r). A step that cannot be certified is none: it is rounding. */
static zw_status solve_side(zw_sim *sim, zr_solving *run, zr_side *side, const zr_rows *by)
{
    zr_solver *solver = sim->solver;
    double *d = solver->change;
    bool basis = run && by == &run->basis.rows;
    for (int32_t k = 0; k < side->rows.m; k++) side->r[k] = -side->r[k];
    zw_status status =
        basis ? zr_solve_basis(sim, &run->basis, solver->zero, side->r, d, side->lambda)
              : zr_solve_rows(by, solver->zero, side->r, d, side->lambda);
    if (status != ZW_ERR_ACCURACY) return status;
    memset(d, 0, sizeof *d * (size_t)sim->zm->n);
    return ZW_OK;
}

/* ------------------------------------------------------------------- iteration */

/* sum |A_ij x_j| of a row, what rounding of x is multiplied by in it: far from the origin a short
 * rod is known less well than its own terms say. */
static double measure_state_reach(const zw_sim *sim, int32_t row, const double *x)
{
    const zr_pattern *A = &sim->model->A;
    double reach = 0.0;
    for (int32_t p = A->start[row]; p < A->start[row + 1]; p++)
        reach += fabs(sim->A[p] * x[A->column[p]]);
    return reach;
}

/* Under this a residual is none: what a motion that has ended leaves, before it gets too small to
 * compute with. */
static const double least = 1e-140;

/* Residuals of the levels that are there; the worst one in units of rounding of its own terms and,
 * with x not NULL, of x. NaN is handed on. */
static double look_at_rows(const zw_sim *sim, const bool *left_out, zr_side *side, const double *x)
{
    int32_t m = sim->zm->m, shift = side->order == ZR_VELOCITY ? m : 0;
    double worst = 0.0;
    for (int32_t k = 0; k < side->rows.m; k++) {
        int32_t row = side->rows.row[k];
        double r = left_out && left_out[row] ? 0.0 : sim->level[shift + row];
        double unit = rounding * zb_eps * sim->level[2 * m + shift + row];
        if (fabs(r) < least) r = 0.0;
        side->r[k] = r;
        if (r == 0.0) continue;
        if (x && !(fabs(r) <= unit)) unit += zb_eps * measure_state_reach(sim, row, x);
        worst = zb_larger(worst, fabs(r) / unit);
    }
    return worst;
}

/* max |x_i| of x [count]. */
static double find_largest_coordinate(const double *x, int32_t count)
{
    double all = 0.0;
    for (int32_t i = 0; i < count; i++) all = fmax(all, fabs(x[i]));
    return all;
}

/* Where steps no longer help: whether what is left is rounding, of the rows' own terms or of the
 * state, which was as large as `from` once. */
static bool rows_are_good_enough(const zw_sim *sim, const bool *left_out, const zr_side *side,
                                 const double *x, double from)
{
    const zr_pattern *A = &sim->model->A;
    int32_t m = sim->zm->m, shift = side->order == ZR_VELOCITY ? m : 0;
    double size = fmax(find_largest_coordinate(x, sim->zm->n), from);
    if (sim->start.conflicts.count > 0) return true; /* an accepted compromise */
    for (int32_t k = 0; k < side->rows.m; k++) {
        int32_t row = side->rows.row[k];
        double reach = 0.0;
        for (int32_t p = A->start[row]; p < A->start[row + 1]; p++) reach += fabs(sim->A[p]);
        double bound = 1e-11 * sim->level[2 * m + shift + row] + 1e-12 * reach * size;
        if (!(left_out && left_out[row]) && !(fabs(sim->level[shift + row]) <= bound)) return false;
    }
    return true;
}

/* One side of a state under correction. */
typedef struct side_correction {
    zw_sim *sim;
    zr_solving *run;
    zr_side *side;
    const bool *left_out;
    zk_source at;
    double *x, from; /* q or v, what is corrected; its largest entry at the beginning */
    zr_rows *by;     /* whose factor is at hand; NULL: none */
    bool fresh;      /* it is of this state */
    bool basis;      /* some rows will do */
} side_correction;

static bool is_side_good_enough(const side_correction *c)
{
    return rows_are_good_enough(c->sim, c->left_out, c->side, c->x, c->from);
}

/* Where the factor is none, or too far away to contract: that of the state itself. */
static zw_status refactor_side(side_correction *c)
{
    zr_solver *solver = c->sim->solver;
    ZB_TRY(factor_side(c->sim, c->run, c->side, &c->at, c->basis, &c->by));
    c->fresh = true;
    if (!c->side->own->all) return ZW_OK;
    solver->held = c->by;
    if (c->by != &solver->all)
        solver->road = ZR_BASIS;
    else if (c->by->by_quick)
        solver->road = ZR_QUICK;
    else
        solver->road = solver->sparse ? ZR_SPARSE : ZR_CAREFUL;
    return ZW_OK;
}

/* One Newton step with the factor at hand, and the residuals after it. */
static zw_status step_onto_rows(side_correction *c)
{
    zr_solver *solver = c->sim->solver;
    ZB_TRY(solve_side(c->sim, c->run, c->side, c->by));
    for (int32_t j = 0; j < c->sim->zm->n; j++) c->x[j] += solver->change[j];
    zr_evaluate_level(c->sim, c->side->order, &c->at);
    solver->rounds++;
    return ZW_OK;
}

/* Steps with this factor no longer help. *over: nothing else will; status says how it is. */
static zw_status leave_or_refactor(side_correction *c, bool grows, bool *over)
{
    *over = false;
    if (!c->fresh) return refactor_side(c);
    *over = true;
    if (is_side_good_enough(c)) return ZW_OK;
    bool by_basis = c->run && c->by == &c->run->basis.rows;
    if (!by_basis && grows) return ZW_ERR_ACCURACY;
    if (by_basis) c->basis = false; /* the other rows do not follow well enough here */
    *over = false;
    return refactor_side(c);
}

/* Newton steps until the residuals are rounding; with a new factor where they do not contract. The
 * residuals are evaluated before and after. */
static zw_status correct_side(side_correction *c)
{
    double before = DBL_MAX;
    for (int round = 0; round < most_rounds; round++) {
        bool over = false;
        double off = look_at_rows(c->sim, c->left_out, c->side,
                                  c->by && c->sim->solver->sparse ? c->x : NULL);
        if (!(off <= zr_newton_met) && !isfinite(off)) return ZW_ERR_NOT_FINITE;
        zr_newton_verdict verdict = zr_judge_newton(off, before, round == 0);
        if (verdict == ZR_NEWTON_MET) return ZW_OK;
        if (!c->by)
            ZB_TRY(refactor_side(c));
        else if (verdict == ZR_NEWTON_SLOW && round > 0)
            ZB_TRY(leave_or_refactor(c, !(off <= before), &over));
        if (over) return ZW_OK;
        ZB_TRY(step_onto_rows(c));
        before = off;
    }
    return is_side_good_enough(c) ? ZW_OK : ZW_ERR_ACCURACY;
}

/* Brings x, that is q or v, onto the rows of its level. *at_hand: whose factor may serve a side
 * that has all rows, NULL: nobody's; afterwards the same for the next level. */
static zw_status correct_rows_of_order(zw_sim *sim, zr_solving *run, zr_order order,
                                       const zk_source *s, double *x, zr_rows **at_hand)
{
    zr_side *side = &sim->solver->sides[order];
    if (side->rows.m == 0) return ZW_OK;
    side_correction c = {
        .sim = sim,
        .run = run,
        .side = side,
        .left_out = rows_left_out(run),
        .at = *s,
        .x = x,
        .from = find_largest_coordinate(x, sim->zm->n), /* a motion that ends leaves its rounding */
        .by = side->own->all ? *at_hand : NULL,
        .basis = true};
    zw_status status = correct_side(&c);
    if (c.fresh) *at_hand = side->own->all ? c.by : NULL;
    return status;
}

/* Positions first, for the rows of velocities depend on them. The factor of the last
 * acceleration serves where the state is near and no row is left out. */
zw_status zr_project_by_factors(zw_sim *sim, zr_solving *run, double t, double *q, double *v,
                                bool near)
{
    zr_solver *solver = sim->solver;
    zk_source s = zr_source(sim, t, q, v);
    zr_rows *at_hand = near && !rows_left_out(run) ? solver->held : NULL;
    zr_evaluate_level(sim, ZR_POSITION, &s);
    ZB_TRY(correct_rows_of_order(sim, run, ZR_POSITION, &s, q, &at_hand));
    zr_evaluate_level(sim, ZR_VELOCITY, &s);
    ZB_TRY(correct_rows_of_order(sim, run, ZR_VELOCITY, &s, v, &at_hand));
    /* values of nonholonomic rows are of velocities, too */
    bool same = solver->sides[ZR_POSITION].rows.m == solver->sides[ZR_VELOCITY].rows.m;
    if (!same) zr_evaluate_level(sim, ZR_POSITION, &s);
    return ZW_OK;
}

zw_status zr_project_positions(zw_sim *sim, zr_solving *run, double t, double *q, double *v)
{
    zk_source s = zr_source(sim, t, q, v);
    zr_rows *at_hand = NULL;
    if (!rows_left_out(run) && zr_project_positions_fused(sim, t, q, v)) return ZW_OK;
    if (run && zr_project_positions_by_parts(sim, run, t, q, v)) return ZW_OK;
    zr_evaluate_level(sim, ZR_POSITION, &s);
    return correct_rows_of_order(sim, run, ZR_POSITION, &s, q, &at_hand);
}

/* Only projections at the ends of steps (near) are counted in the memory of roads that refuse. */
zw_status zr_project(zw_sim *sim, zr_solving *run, double t, double *q, double *v, bool near)
{
    zr_forget_parts_projection(sim);
    if (run && zr_on_compromise(sim)) return zr_project_onto_compromise(sim, t, q, v);
    for (int k = 0; k < ZR_ROAD_COUNT; k++) {
        const zr_road *road = zr_roads[k];
        zr_memory *memory = run ? &run->memory[k][ZR_ASK_PROJECTION] : NULL;
        /* only ends of steps count: what somebody asks for in between is not remembered */
        bool asleep = memory && (near ? !zr_is_awake(memory) : memory->sleeps > 0);
        if (!road->project || asleep) continue;
        bool taken = road->project(sim, run, t, q, v);
        if (memory && near) zr_remember(memory, ZR_ASK_PROJECTION, taken);
        if (taken) return ZW_OK;
    }
    return zr_project_by_factors(sim, run, t, q, v, near);
}
