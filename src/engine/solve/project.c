/*
 * Bringing a state back onto the constraints while it moves: positions onto the holonomic rows,
 * then velocities onto the rates of these and the nonholonomic rows, each by the smallest change in
 * the metric M (Gauss-Newton). Inside a step the factor of the last acceleration is at hand and
 * near enough; where it does not contract, M and A are factored again at the state itself. Rows of
 * any rank; rows in a conflict of accelerations are left out: they are zeros.
 *
 * A side that has all rows uses the solvers of the acceleration; one that has some of them, its own
 * ones. Values are kept in sim and in the side until the last solve with them.
 *
 * Corrections end at rounding: what is below it is not touched, so that noise is not blown up near
 * singular configurations. In sparse systems, which may be long, that of the state counts as well;
 * it needs the rows of a state nearby, which are there as soon as there is a factor.
 *
 * Small systems go back by fused programs (road_fused.c), those made of equal parts in lanes
 * (road_parts.c); what these refuse comes here.
 */
#include <math.h>
#include <string.h>

#include "fused.h"
#include "road_parts.h"

static const double eps = 2.220446049250313e-16;
static const double rounding = 4.0; /* units of eps, of a row's own terms */
enum { most_rounds = 12 };

/* ----------------------------------------------------------------------- sides */

static bool takes(const zw_sim *sim, zr_order order, int32_t row)
{
    if (sim->row_kind[row] == ZM_ACCELERATION) return false;
    return order == ZR_VELOCITY || sim->row_kind[row] == ZM_HOLONOMIC;
}

/* The pattern of a side's rows. */
static zw_status take_rows(zw_sim *sim, zr_side *side)
{
    const zr_pattern *A = &sim->model->A;
    int64_t count = 0;
    for (int32_t k = 0; k < side->count; k++)
        count += A->start[side->row[k] + 1] - A->start[side->row[k]];
    side->start = ZB_NEW_ARRAY(&sim->arena, int32_t, (size_t)side->count + 1);
    side->column = ZB_NEW_ARRAY(&sim->arena, int32_t, (size_t)count);
    side->value = ZB_NEW_ARRAY(&sim->arena, double, (size_t)count);
    if (sim->arena.failure != ZW_OK) return sim->arena.failure;
    for (int32_t k = 0, at = 0; k < side->count; k++) {
        int32_t from = A->start[side->row[k]], length = A->start[side->row[k] + 1] - from;
        memcpy(side->column + at, A->column + from, sizeof *A->column * (size_t)length);
        at += length;
        side->start[k + 1] = at;
    }
    return ZW_OK;
}

/* The entries of W between a side's rows. place [m] is the place of a row in the side, -1: none. */
static zw_status take_weight(zw_sim *sim, zr_side *side, const int32_t *place)
{
    const zr_pattern *from = &sim->model->W;
    zr_pattern *W = &side->W;
    if (from->rows == 0) return ZW_OK;
    W->rows = W->columns = side->count;
    W->start = ZB_NEW_ARRAY(&sim->arena, int32_t, (size_t)side->count + 1);
    W->column = ZB_NEW_ARRAY(&sim->arena, int32_t, (size_t)from->count);
    side->weight_from = ZB_NEW_ARRAY(&sim->arena, int32_t, (size_t)from->count);
    side->W_value = ZB_NEW_ARRAY(&sim->arena, double, (size_t)from->count);
    if (sim->arena.failure != ZW_OK) return sim->arena.failure;
    for (int32_t i = 0; i < side->count; i++) {
        for (int32_t p = from->start[side->row[i]]; p < from->start[side->row[i] + 1]; p++) {
            if (place[from->column[p]] < 0) continue;
            W->column[W->count] = place[from->column[p]];
            side->weight_from[W->count++] = p;
        }
        W->start[i + 1] = W->count;
    }
    return ZW_OK;
}

/* The solvers of a side that has not all rows: as those of the acceleration. */
static zw_status take_solvers(zw_sim *sim, zr_side *side, const int32_t *place)
{
    int32_t n = sim->zm->n;
    ZB_TRY(take_rows(sim, side));
    ZB_TRY(take_weight(sim, side, place));
    if (sim->quick && side->count <= n)
        ZB_TRY(zg_quick_plan(sim->memory, n, side->count, sim->model->diagonal_mass, &side->quick));
    zg_structure structure = zr_structure(sim);
    structure.m = side->count;
    structure.A = (zg_pattern){
        .rows = side->count, .columns = n, .start = side->start, .column = side->column};
    structure.W = zr_pattern_of(&side->W);
    structure.solver = sim->sparse ? ZW_SOLVER_SPARSE : ZW_SOLVER_DENSE;
    return zg_system_plan(sim->memory, &structure, &side->system);
}

/* Rows without those that are left out: one array for both sides, which share their solver. */
static zw_status take_kept(zw_sim *sim, zr_side *side)
{
    const zr_side *other = &sim->sides[ZR_POSITION];
    bool there = side->order == ZR_VELOCITY && other->all && other->count > 0;
    side->value =
        there ? other->value : ZB_NEW_ARRAY(&sim->arena, double, (size_t)sim->model->A.count);
    return sim->arena.failure;
}

static zw_status open_side(zw_sim *sim, zr_order order)
{
    zr_side *side = &sim->sides[order];
    int32_t m = sim->zm->m;
    side->order = order;
    side->row = ZB_NEW_ARRAY(&sim->arena, int32_t, (size_t)m);
    side->r = ZB_NEW_ARRAY(&sim->arena, double, (size_t)m);
    side->lambda = ZB_NEW_ARRAY(&sim->arena, double, (size_t)m);
    int32_t *place = ZB_NEW_ARRAY(&sim->arena, int32_t, (size_t)m);
    if (sim->arena.failure != ZW_OK) return sim->arena.failure;
    for (int32_t i = 0; i < m; i++) {
        place[i] = takes(sim, order, i) ? side->count : -1;
        if (place[i] >= 0) side->row[side->count++] = i;
    }
    side->all = side->count == m;
    if (side->count == 0) return ZW_OK;
    return side->all ? take_kept(sim, side) : take_solvers(sim, side, place);
}

zw_status zr_open_sides(zw_sim *sim)
{
    if (sim->sides_open) return ZW_OK;
    zr_close_sides(sim);
    sim->arena.failure = ZW_OK; /* of another try */
    sim->zero = ZB_NEW_ARRAY(&sim->arena, double, (size_t)sim->zm->n);
    sim->change = ZB_NEW_ARRAY(&sim->arena, double, (size_t)sim->zm->n);
    sim->metric = ZB_NEW_ARRAY(&sim->arena, double, (size_t)sim->model->M.count);
    if (sim->arena.failure != ZW_OK) return sim->arena.failure;
    ZB_TRY(open_side(sim, ZR_POSITION));
    ZB_TRY(open_side(sim, ZR_VELOCITY));
    sim->sides_open = true;
    return ZW_OK;
}

void zr_close_sides(zw_sim *sim)
{
    for (int k = 0; k < 2; k++) {
        zg_system_free(sim->sides[k].system);
        zg_quick_free(sim->sides[k].quick);
        sim->sides[k] = (zr_side){0};
    }
    sim->sides_open = false;
}

/* --------------------------------------------------------------------- factors */

static bool left_out(const zw_sim *sim, int32_t row)
{
    return sim->run && sim->run->any_conflicting && sim->run->conflicting[row];
}

/* The entries of a side's rows, those in a conflict as zeros. */
static const double *gather_rows(zw_sim *sim, zr_side *side)
{
    const zr_pattern *A = &sim->model->A;
    double *to = side->value;
    if (side->all && !(sim->run && sim->run->any_conflicting)) return sim->A;
    for (int32_t k = 0; k < side->count; k++) {
        int32_t row = side->row[k], length = A->start[row + 1] - A->start[row];
        size_t bytes = sizeof *to * (size_t)length;
        if (left_out(sim, row))
            memset(to, 0, bytes);
        else
            memcpy(to, sim->A + A->start[row], bytes);
        to += length;
    }
    return side->value;
}

static const double *gather_weight(const zw_sim *sim, const zr_side *side)
{
    if (sim->model->W.rows == 0) return NULL;
    if (side->all) return sim->W;
    for (int32_t k = 0; k < side->W.count; k++) side->W_value[k] = sim->W[side->weight_from[k]];
    return side->W_value;
}

/* Where M and these rows leave a motion free, it is measured by a small multiple of the identity.
 */
static const double *definite_mass(zw_sim *sim)
{
    const zr_pattern *M = &sim->model->M;
    double trace = 0.0, n = sim->zm->n;
    memcpy(sim->metric, sim->M, sizeof *sim->metric * (size_t)M->count);
    for (int32_t i = 0; i < M->rows; i++) trace += sim->metric[M->start[i]];
    for (int32_t i = 0; i < M->rows; i++)
        sim->metric[M->start[i]] += trace > 0.0 ? 1e-8 * trace / n : 1.0;
    return sim->metric;
}

static zg_system *system_of(const zw_sim *sim, const zr_side *side)
{
    return side->all ? sim->system : side->system;
}

static zw_status factor_system(zw_sim *sim, zr_side *side)
{
    bool *same = side->all ? &sim->same_mass : &side->same_mass;
    zg_values values = {.M = sim->M,
                        .A = gather_rows(sim, side),
                        .W = gather_weight(sim, side),
                        .same_mass = *same};
    zw_status status = zg_system_factor(system_of(sim, side), &values);
    *same = status == ZW_OK && sim->model->constant_mass;
    side->road = sim->sparse ? ZR_SPARSE : ZR_CAREFUL;
    if (status != ZW_ERR_UNDETERMINED) return status;
    values.M = definite_mass(sim);
    values.same_mass = false;
    return zg_system_factor(system_of(sim, side), &values);
}

static bool quick_serves(zw_sim *sim, zr_side *side)
{
    const zr_pattern *p = &sim->model->A;
    zg_quick *quick = side->all ? sim->quick : side->quick;
    bool dependent = sim->run && sim->run->stats.generic_rank < sim->zm->m;
    if (!quick || dependent || (sim->run && sim->run->any_conflicting)) return false;
    zg_rows A = {.start = p->start, .column = p->column, .value = sim->A};
    if (!side->all)
        A = (zg_rows){
            .start = side->start, .column = side->column, .value = gather_rows(sim, side)};
    zr_expand_mass(sim, sim->dense_M, sim->model->diagonal_mass);
    side->road = ZR_QUICK;
    return zg_quick_factor(quick, sim->dense_M, &A);
}

/* M and the rows at a state; `basis`: some rows will do. */
static zw_status factor(zw_sim *sim, zr_side *side, const zk_source *s, bool basis)
{
    zr_evaluate_dynamics(sim, s);
    zr_evaluate_rows(sim, s);
    sim->road = ZR_NO_ROAD;
    if (basis && side->all && zr_basis_factor(sim)) {
        side->road = ZR_BASIS;
        return ZW_OK;
    }
    return quick_serves(sim, side) ? ZW_OK : factor_system(sim, side);
}

/* The rank that each side's own rows have at the start is the most they have. */
zw_status zr_limit_sides(zw_sim *sim)
{
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    for (int k = 0; k < 2; k++) {
        zr_side *side = &sim->sides[k];
        zw_gauss_rank_info info = {0};
        if (side->count == 0 || side->all) continue;
        ZB_TRY(factor(sim, side, &s, false));
        if (side->road == ZR_QUICK) continue;
        ZB_TRY(zg_system_rank(side->system, &info));
        zg_system_limit_rank(side->system, info.rank);
    }
    return ZW_OK;
}

void zr_free_ranks(zw_sim *sim)
{
    zg_system_limit_rank(sim->system, sim->zm->m);
    zg_system_know_independent(sim->system, false);
    for (int k = 0; k < 2; k++)
        if (sim->sides[k].system) zg_system_limit_rank(sim->sides[k].system, sim->sides[k].count);
}

/* d = GG(0, -r). A step that cannot be certified is none: it is rounding. */
static zw_status solve(zw_sim *sim, zr_side *side)
{
    double *d = sim->change;
    for (int32_t k = 0; k < side->count; k++) side->r[k] = -side->r[k];
    if (side->road == ZR_QUICK) {
        zg_quick_solve(side->all ? sim->quick : side->quick, sim->zero, side->r, d, side->lambda);
        return ZW_OK;
    }
    zw_status status = side->road == ZR_BASIS
                           ? zr_basis_solve(sim, sim->zero, side->r, d, side->lambda)
                           : zg_system_apply(system_of(sim, side), sim->zero, side->r, d,
                                             side->lambda, NULL, NULL);
    if (status != ZW_ERR_ACCURACY) return status;
    memset(d, 0, sizeof *d * (size_t)sim->zm->n);
    return ZW_OK;
}

/* ------------------------------------------------------------------- iteration */

/* What rounding of x does to a row: far from the origin a short rod is known less well than its own
 * terms say. */
static double reach_of(const zw_sim *sim, int32_t row, const double *x)
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
static double look(zw_sim *sim, zr_side *side, const double *x)
{
    int32_t m = sim->zm->m, shift = side->order == ZR_VELOCITY ? m : 0;
    double worst = 0.0;
    for (int32_t k = 0; k < side->count; k++) {
        int32_t row = side->row[k];
        double r = left_out(sim, row) ? 0.0 : sim->level[shift + row];
        double unit = rounding * eps * sim->level[2 * m + shift + row];
        if (fabs(r) < least) r = 0.0;
        side->r[k] = r;
        if (r == 0.0) continue;
        if (x && !(fabs(r) <= unit)) unit += eps * reach_of(sim, row, x);
        double size = fabs(r) / unit;
        if (!(size <= worst)) worst = size;
    }
    return worst;
}

static double largest(const double *x, int32_t count)
{
    double all = 0.0;
    for (int32_t i = 0; i < count; i++) all = fmax(all, fabs(x[i]));
    return all;
}

/* No further way: is what is left rounding, of the row's terms or of what a solve touches? */
static bool good_enough(const zw_sim *sim, const zr_side *side, const double *x, double from)
{
    const zr_pattern *A = &sim->model->A;
    int32_t m = sim->zm->m, shift = side->order == ZR_VELOCITY ? m : 0;
    double size = fmax(largest(x, sim->zm->n), from);
    if (sim->start.conflicts.count > 0) return true; /* an accepted compromise */
    for (int32_t k = 0; k < side->count; k++) {
        int32_t row = side->row[k];
        double reach = 0.0;
        for (int32_t p = A->start[row]; p < A->start[row + 1]; p++) reach += fabs(sim->A[p]);
        double bound = 1e-11 * sim->level[2 * m + shift + row] + 1e-12 * reach * size;
        if (!left_out(sim, row) && !(fabs(sim->level[shift + row]) <= bound)) return false;
    }
    return true;
}

/* One side, its levels evaluated before and after. *at_hand: the factor of the last acceleration is
 * near and may serve. */
static zw_status correct(zw_sim *sim, zr_order order, double t, double *q, double *v, bool *at_hand)
{
    zr_side *side = &sim->sides[order];
    double *x = order == ZR_POSITION ? q : v, before = HUGE_VAL;
    zk_source s = zr_source(sim, t, q, v);
    bool fresh = false, basis = true, have = *at_hand && side->all;
    if (side->count == 0) return ZW_OK;
    double from = largest(x, sim->zm->n); /* a motion that ends leaves rounding of what it was */
    if (have) side->road = sim->road;
    for (int round = 0; round < most_rounds; round++) {
        double worst = look(sim, side, have && sim->sparse ? x : NULL);
        if (worst <= 1.0) return ZW_OK;
        if (!isfinite(worst)) return ZW_ERR_NOT_FINITE;
        bool slow = !(worst <= 0.25 * before);
        if (slow && round > 0 && worst <= 64.0) return ZW_OK;
        if (slow && round > 0 && fresh) {
            if (good_enough(sim, side, x, from)) return ZW_OK;
            if (side->road == ZR_BASIS)
                basis = false; /* the other rows do not follow well enough here */
            else if (!(worst <= before))
                break;
        }
        if (!have || (slow && round > 0)) {
            ZB_TRY(factor(sim, side, &s, basis));
            *at_hand = side->all;
            if (side->all) sim->road = side->road;
            have = fresh = true;
        }
        ZB_TRY(solve(sim, side));
        for (int32_t j = 0; j < sim->zm->n; j++) x[j] += sim->change[j];
        zr_evaluate_level(sim, order, &s);
        sim->rounds++;
        before = worst;
    }
    return good_enough(sim, side, x, from) ? ZW_OK : ZW_ERR_ACCURACY;
}

static bool in_conflict(const zw_sim *sim)
{
    return sim->run && sim->run->any_conflicting;
}

zw_status zr_project_by_factors(zw_sim *sim, double t, double *q, double *v, bool near)
{
    bool at_hand = near && sim->road >= ZR_QUICK && !in_conflict(sim);
    zk_source s = zr_source(sim, t, q, v);
    zr_evaluate_level(sim, ZR_POSITION, &s);
    ZB_TRY(correct(sim, ZR_POSITION, t, q, v, &at_hand));
    zr_evaluate_level(sim, ZR_VELOCITY, &s);
    ZB_TRY(correct(sim, ZR_VELOCITY, t, q, v, &at_hand));
    /* values of nonholonomic rows are of velocities, too */
    bool same = sim->sides[ZR_POSITION].count == sim->sides[ZR_VELOCITY].count;
    if (!same) zr_evaluate_level(sim, ZR_POSITION, &s);
    return ZW_OK;
}

zw_status zr_project(zw_sim *sim, double t, double *q, double *v, bool near)
{
    bool dependent = sim->run && sim->run->stats.generic_rank < sim->zm->m;
    if (sim->model->fused && !in_conflict(sim) && !dependent && sim->start.conflicts.count == 0 &&
        zr_fused_project(sim, t, q, v))
        return ZW_OK;
    if (zr_lanes_project(sim, t, q, v)) return ZW_OK;
    return zr_project_by_factors(sim, t, q, v, near);
}

zw_status zr_sim_project(zw_sim *sim)
{
    ZB_TRY(zr_open_sides(sim));
    zr_run_free(sim);
    return zr_project(sim, sim->t, sim->q, sim->v, false);
}
