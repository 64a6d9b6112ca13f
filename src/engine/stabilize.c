/*
 * Bringing a state back onto the constraints while it moves: positions onto the holonomic rows,
 * then velocities onto the rates of these and the nonholonomic rows, each by the smallest change in
 * the metric M (Gauss-Newton). Inside a step the factor of the last acceleration is at hand and
 * near enough; where it does not contract, M and A are factored again at the state itself. Rows of
 * any rank; rows in a conflict of accelerations are left out.
 *
 * Corrections end at rounding: what is below it is not touched, so that noise is not blown up near
 * singular configurations.
 */
#include <math.h>
#include <string.h>

#include "fused.h"

static const double eps = 2.220446049250313e-16;
static const double rounding = 4.0; /* units of eps, of a row's own terms */
enum { most_rounds = 12 };

/* ----------------------------------------------------------------------- sides */

static bool takes(const zw_sim *sim, zr_order order, int32_t row)
{
    if (sim->row_kind[row] == ZM_ACCELERATION) return false;
    return order == ZR_VELOCITY || sim->row_kind[row] == ZM_HOLONOMIC;
}

/* The sparse rows of a side that has not all of them, and its own solvers. */
static zw_status take_solvers(zw_sim *sim, zr_side *side)
{
    const zr_pattern *A = &sim->model->A;
    int32_t n = sim->zm->n, count = 0;
    for (int32_t k = 0; k < side->count; k++)
        count += A->start[side->row[k] + 1] - A->start[side->row[k]];
    side->start = ZB_NEW_ARRAY(&sim->arena, int32_t, (size_t)side->count + 1);
    side->column = ZB_NEW_ARRAY(&sim->arena, int32_t, (size_t)count);
    side->value = ZB_NEW_ARRAY(&sim->arena, double, (size_t)count);
    side->A = ZB_NEW_ARRAY(&sim->arena, double, (size_t)side->count *(size_t)n);
    if (sim->dense_W)
        side->W = ZB_NEW_ARRAY(&sim->arena, double, (size_t)side->count *(size_t)side->count);
    if (sim->arena.failure != ZW_OK) return sim->arena.failure;
    for (int32_t k = 0, at = 0; k < side->count; k++) {
        int32_t from = A->start[side->row[k]], length = A->start[side->row[k] + 1] - from;
        memcpy(side->column + at, A->column + from, sizeof *A->column * (size_t)length);
        at += length;
        side->start[k + 1] = at;
    }
    if (sim->quick && side->count <= n)
        ZB_TRY(zg_quick_plan(sim->memory, n, side->count, sim->model->diagonal_mass, &side->quick));
    zw_gauss_shape shape = {.n = n,
                            .m = side->count,
                            .mass = sim->model->diagonal_mass ? ZW_DIAGONAL : ZW_FULL,
                            .weight = side->W ? ZW_FULL : ZW_IDENTITY};
    return zg_plan(sim->memory, &shape, &side->gauss);
}

static zw_status open_side(zw_sim *sim, zr_order order)
{
    zr_side *side = &sim->sides[order];
    int32_t m = sim->zm->m;
    side->order = order;
    side->row = ZB_NEW_ARRAY(&sim->arena, int32_t, (size_t)m);
    side->r = ZB_NEW_ARRAY(&sim->arena, double, (size_t)m);
    side->lambda = ZB_NEW_ARRAY(&sim->arena, double, (size_t)m);
    if (sim->arena.failure != ZW_OK) return sim->arena.failure;
    for (int32_t i = 0; i < m; i++)
        if (takes(sim, order, i)) side->row[side->count++] = i;
    side->all = side->count == m;
    return side->count > 0 && !side->all ? take_solvers(sim, side) : ZW_OK;
}

zw_status zr_open_sides(zw_sim *sim)
{
    if (sim->sides_open) return ZW_OK;
    if (!sim->dense) return ZW_ERR_LARGE;
    zr_close_sides(sim);
    sim->zero = ZB_NEW_ARRAY(&sim->arena, double, (size_t)sim->zm->n);
    sim->change = ZB_NEW_ARRAY(&sim->arena, double, (size_t)sim->zm->n);
    sim->metric = ZB_NEW_ARRAY(&sim->arena, double, (size_t)sim->zm->n *(size_t)sim->zm->n);
    if (sim->arena.failure != ZW_OK) return sim->arena.failure;
    ZB_TRY(open_side(sim, ZR_POSITION));
    ZB_TRY(open_side(sim, ZR_VELOCITY));
    sim->sides_open = true;
    return ZW_OK;
}

void zr_close_sides(zw_sim *sim)
{
    for (int k = 0; k < 2; k++) {
        zg_free(sim->sides[k].gauss);
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

static void gather_weight(const zw_sim *sim, zr_side *side)
{
    const zr_pattern *p = &sim->model->W;
    for (int32_t i = 0; i < side->count; i++) {
        for (int32_t j = 0; j < side->count; j++) {
            double *w = &side->W[(size_t)i * (size_t)side->count + (size_t)j];
            *w = 0.0;
            for (int32_t k = p->start[side->row[i]]; k < p->start[side->row[i] + 1]; k++)
                if (p->column[k] == side->row[j]) *w = sim->W[k];
        }
    }
}

/* The dense rows of a side, those in a conflict as zeros. */
static void gather_dense(zw_sim *sim, zr_side *side, double *A)
{
    const zr_pattern *p = &sim->model->A;
    size_t n = (size_t)sim->zm->n;
    memset(A, 0, sizeof *A * n * (size_t)side->count);
    for (int32_t k = 0; k < side->count; k++) {
        int32_t row = side->row[k];
        for (int32_t e = p->start[row]; e < p->start[row + 1] && !left_out(sim, row); e++)
            A[(size_t)k * n + (size_t)p->column[e]] = sim->A[e];
    }
}

/* Where M and these rows leave a motion free, it is measured by a small multiple of the identity.
 */
static const double *definite_mass(zw_sim *sim)
{
    size_t n = (size_t)sim->zm->n, step = sim->model->diagonal_mass ? 1 : n + 1;
    size_t all = sim->model->diagonal_mass ? n : n * n;
    double trace = 0.0;
    memcpy(sim->metric, sim->dense_M, sizeof *sim->metric * all);
    for (size_t i = 0; i < n; i++) trace += sim->metric[i * step];
    for (size_t i = 0; i < n; i++)
        sim->metric[i * step] += trace > 0.0 ? 1e-8 * trace / (double)n : 1.0;
    return sim->metric;
}

static zw_status factor_careful(zw_sim *sim, zr_side *side)
{
    zw_gauss *gauss = side->all ? sim->gauss : side->gauss;
    double *A = side->all ? sim->dense_A : side->A;
    const double *W = side->all ? sim->dense_W : side->W;
    gather_dense(sim, side, A);
    if (side->all && sim->dense_W) zr_expand_weight(sim, sim->dense_W, sim->model->diagonal_weight);
    if (!side->all && side->W) gather_weight(sim, side);
    zw_status status = zg_factor(gauss, sim->dense_M, A, W);
    if (status == ZW_ERR_UNDETERMINED) status = zg_factor(gauss, definite_mass(sim), A, W);
    side->road = ZR_CAREFUL;
    return status;
}

/* M and the rows at a state. */
static zw_status factor(zw_sim *sim, zr_side *side, const zk_source *s)
{
    const zr_pattern *p = &sim->model->A;
    zg_rows A = {.start = p->start, .column = p->column, .value = sim->A};
    zg_quick *quick = side->all ? sim->quick : side->quick;
    zr_evaluate_dynamics(sim, s);
    zr_evaluate_rows(sim, s);
    zr_expand_mass(sim, sim->dense_M, sim->model->diagonal_mass);
    sim->road = ZR_NO_ROAD;
    if (!side->all) {
        for (int32_t k = 0; k < side->count; k++)
            memcpy(side->value + side->start[k], sim->A + p->start[side->row[k]],
                   sizeof *sim->A * (size_t)(side->start[k + 1] - side->start[k]));
        A = (zg_rows){.start = side->start, .column = side->column, .value = side->value};
    }
    bool dependent = sim->run && sim->run->stats.generic_rank < sim->zm->m;
    side->road = ZR_QUICK;
    if (quick && !dependent && !(sim->run && sim->run->any_conflicting) &&
        zg_quick_factor(quick, sim->dense_M, &A))
        return ZW_OK;
    return factor_careful(sim, side);
}

/* The rank that each side's own rows have at the start is the most they have. */
zw_status zr_limit_sides(zw_sim *sim)
{
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    for (int k = 0; k < 2; k++) {
        zr_side *side = &sim->sides[k];
        zw_gauss_rank_info info = {0};
        if (side->count == 0 || side->all) continue;
        ZB_TRY(factor(sim, side, &s));
        if (side->road != ZR_CAREFUL) continue;
        ZB_TRY(zg_rank(side->gauss, &info));
        zg_limit_rank(side->gauss, info.rank);
    }
    return ZW_OK;
}

void zr_free_ranks(zw_sim *sim)
{
    if (sim->gauss) zg_limit_rank(sim->gauss, sim->zm->m);
    for (int k = 0; k < 2; k++)
        if (sim->sides[k].gauss) zg_limit_rank(sim->sides[k].gauss, sim->sides[k].count);
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
    zw_gauss_answer answer = {.acceleration = d};
    zw_status status =
        zg_solve(side->all ? sim->gauss : side->gauss, sim->zero, side->r, NULL, &answer);
    if (status != ZW_ERR_ACCURACY) return status;
    memset(d, 0, sizeof *d * (size_t)sim->zm->n);
    return ZW_OK;
}

/* ------------------------------------------------------------------- iteration */

/* Residuals; the worst one in units of rounding of its own terms. NaN is handed on. */
static double look(zw_sim *sim, zr_side *side, const zk_source *s)
{
    int32_t m = sim->zm->m, shift = side->order == ZR_VELOCITY ? m : 0;
    double worst = 0.0;
    zr_evaluate_levels(sim, s);
    for (int32_t k = 0; k < side->count; k++) {
        int32_t row = side->row[k];
        double r = left_out(sim, row) ? 0.0 : sim->level[shift + row];
        double unit = rounding * eps * sim->level[2 * m + shift + row];
        side->r[k] = r;
        double size = r == 0.0 ? 0.0 : fabs(r) / unit;
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
static bool good_enough(const zw_sim *sim, const zr_side *side, const double *x)
{
    const zr_pattern *A = &sim->model->A;
    int32_t m = sim->zm->m, shift = side->order == ZR_VELOCITY ? m : 0;
    double size = largest(x, sim->zm->n);
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

/* One side. *at_hand: the factor of the last acceleration is near and may serve. */
static zw_status correct(zw_sim *sim, zr_order order, double t, double *q, double *v, bool *at_hand)
{
    zr_side *side = &sim->sides[order];
    double *x = order == ZR_POSITION ? q : v, before = HUGE_VAL;
    zk_source s = zr_source(sim, t, q, v);
    bool fresh = false, have = *at_hand && side->all;
    if (side->count == 0) return ZW_OK;
    if (have) side->road = sim->road;
    for (int round = 0; round < most_rounds; round++) {
        double worst = look(sim, side, &s);
        if (worst <= 1.0) return ZW_OK;
        if (!isfinite(worst)) return ZW_ERR_NOT_FINITE;
        bool slow = !(worst <= 0.25 * before);
        if (slow && round > 0 && worst <= 64.0) return ZW_OK;
        if (slow && round > 0 && fresh) {
            if (good_enough(sim, side, x)) return ZW_OK;
            if (!(worst <= before)) break;
        }
        if (!have || (slow && round > 0)) {
            ZB_TRY(factor(sim, side, &s));
            *at_hand = side->all;
            if (side->all) sim->road = side->road;
            have = fresh = true;
            look(sim, side, &s);
        }
        ZB_TRY(solve(sim, side));
        for (int32_t j = 0; j < sim->zm->n; j++) x[j] += sim->change[j];
        sim->rounds++;
        before = worst;
    }
    look(sim, side, &s);
    return good_enough(sim, side, x) ? ZW_OK : ZW_ERR_ACCURACY;
}

zw_status zr_project(zw_sim *sim, double t, double *q, double *v, bool near)
{
    bool conflict = sim->run && sim->run->any_conflicting;
    bool factored = sim->road == ZR_QUICK || sim->road == ZR_CAREFUL;
    bool at_hand = near && factored && !conflict;
    bool dependent = sim->run && sim->run->stats.generic_rank < sim->zm->m;
    if (sim->model->fused && !conflict && !dependent && sim->start.conflicts.count == 0 &&
        zr_fused_project(sim, t, q, v))
        return ZW_OK;
    ZB_TRY(correct(sim, ZR_POSITION, t, q, v, &at_hand));
    return correct(sim, ZR_VELOCITY, t, q, v, &at_hand);
}

zw_status zr_sim_project(zw_sim *sim)
{
    ZB_TRY(zr_open_sides(sim));
    zr_run_free(sim);
    return zr_project(sim, sim->t, sim->q, sim->v, false);
}
