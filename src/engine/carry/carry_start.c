/*
 * How the start moves. Given values g follow from parameters and from each other; x, positions or
 * velocities, is the point on the rows r(x, p) = 0 nearest to them in the metric M, so that
 *
 *     M (x - g) + A^T lambda = 0,   r = 0
 *
 * and its rate dx solves, with the curvature K = sum lambda_i r_i'' of the rows,
 *
 *     (M + K) dx + A^T dlambda = M dg - M' (x - g) - A'^T lambda,    A dx = -r'
 *
 * where dots are rates at the x there is. K of the start is found by differences; here it only makes the
 * steps of an iteration on the residual of these equations, which has exact derivatives, contract.
 *
 * What stays as given is what the start itself has held; where the given values satisfied all rows,
 * what it would hold: those that the model says, unless rows would fail then.
 */
#include <math.h>
#include <string.h>

#include "carry.h"
#include "level.h"

enum { most_rounds = 100 };

/* One level of one direction. */
typedef struct mover {
    zr_carried *c;
    int32_t direction;
    zr_order order;
    zr_level l;
    bool open;
    bool *held;      /* [n] */
    int32_t *parent; /* [n] coordinates that rows connect */
    double *dg, *dx; /* [2 n + 1] (q, v) of given values; the answer, positions before velocities */
    double *w;       /* [n] x - g of what may move */
    double *M, *dM;  /* [M.count] */
    double *lambda;  /* [rows of the level] */
    double *dE, *de; /* [E.count], [2 equations] */
    double *f, *b, *z; /* [n], [rows] and [n] of the level */
    double *fixed_f;   /* [n] M dg - M' w */
    double *size;      /* [rows] of the terms of r' */
} mover;

/* ------------------------------------------------------------------------ given values */

static bool is_from_outside(const zw_sim *sim, int32_t entry)
{
    for (int32_t k = 0; sim->posed && k < sim->posed->count; k++)
        if (sim->posed->entry[k] == entry) return true;
    return false;
}

/* dg [2 n + 1]: right sides may use other given values, so it is repeated until nothing changes. */
static void vary_given_values(mover *m)
{
    zr_carried *c = m->c;
    zw_sim *sim = c->sim;
    size_t n = (size_t)c->n;
    const zr_by *by = &c->by[m->direction];
    double *next = c->reset;
    memset(m->dg, 0, sizeof *m->dg * (2 * n + 1));
    zr_vary_place(c->vary, sim->t, sim->given, sim->given + n);
    for (int32_t round = 0; round <= sim->model->start_order_count; round++) {
        zr_direction d = zr_direction_of(c, m->direction, m->dg, 0.0);
        zr_vary_along(c->vary, &d);
        memset(next, 0, sizeof *next * (2 * n + 1));
        zr_vary_evaluate(c->vary, ZR_VARY_GIVEN, NULL, next);
        for (int32_t k = 0; k < 2 * c->n; k++)
            if (is_from_outside(sim, k)) next[k] = 0.0;
        if (by->parameter < 0) next[by->entry] = 1.0;
        bool same = memcmp(next, m->dg, sizeof *next * 2 * n) == 0;
        memcpy(m->dg, next, sizeof *next * 2 * n);
        if (same) return;
    }
}

/* ------------------------------------------------------------------------ the equations */

/* Which values stay: as the start did it, or would. */
static void choose_held(mover *m)
{
    const zw_sim *sim = m->c->sim;
    size_t n = (size_t)m->c->n, shift = m->order == ZR_VELOCITY ? n : 0;
    int32_t free = 0, stated = 0;
    if (sim->start.corrected[m->order == ZR_VELOCITY]) {
        memcpy(m->held, sim->start.held + shift, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        m->held[i] = sim->start.stated[shift + i] && !sim->fixed[shift + i];
        free += !sim->fixed[shift + i];
        stated += m->held[i];
    }
    if (stated == free) memset(m->held, 0, n);
}

/* M of the metric, and how it moves: at the given positions, or, of velocities, at those found. */
static void find_metric(mover *m)
{
    zr_carried *c = m->c;
    zw_sim *sim = c->sim;
    size_t n = (size_t)c->n;
    bool positions = m->order == ZR_POSITION;
    const double *q = positions ? sim->given : sim->q;
    zk_source s = zr_source(sim, sim->t, q, sim->given + n);
    zr_evaluate_dynamics(sim, &s);
    memcpy(m->M, sim->M, sizeof *m->M * (size_t)sim->model->M.count);
    zr_vary_place(c->vary, sim->t, q, sim->given + n);
    zr_direction d = zr_direction_of(c, m->direction, positions ? m->dg : m->dx, 0.0);
    d.v = NULL;
    zr_vary_along(c->vary, &d);
    memset(m->dM, 0, sizeof *m->dM * (size_t)sim->model->M.count);
    zr_vary_evaluate(c->vary, ZR_VARY_DYNAMICS, m->dM, NULL);
}

/* fixed_f = M dg - M' (x - g), which no iteration changes; w = x - g. */
static void weigh_given(mover *m)
{
    const zw_sim *sim = m->c->sim;
    int32_t n = m->c->n, shift = m->order == ZR_VELOCITY ? n : 0;
    memset(m->w, 0, sizeof *m->w * (size_t)n);
    memset(m->fixed_f, 0, sizeof *m->fixed_f * (size_t)n);
    for (int32_t j = 0; j < m->l.n; j++) {
        int32_t i = m->l.unknown[j];
        m->w[i] = m->l.x[i] - m->l.x_given[i];
    }
    zr_multiply_mass(sim, m->M, m->dg + shift, 1.0, m->fixed_f);
    zr_multiply_mass(sim, m->dM, m->w, -1.0, m->fixed_f);
}

/* lambda of M w + A^T lambda = 0, then the factor of M + K. Where that is not to be had, of M. */
static zw_status factor_start(mover *m)
{
    zr_level *l = &m->l;
    bool moved = false;
    memset(m->b, 0, sizeof *m->b * (size_t)l->m);
    memset(m->f, 0, sizeof *m->f * (size_t)m->c->n);
    zr_multiply_mass(m->c->sim, m->M, m->w, -1.0, m->f);
    for (int32_t j = 0; j < l->n; j++) {
        l->step.f[j] = m->f[l->unknown[j]];
        moved = moved || l->step.f[j] != 0.0;
    }
    ZB_TRY(zr_level_factor(l));
    memset(m->lambda, 0, sizeof *m->lambda * (size_t)l->m);
    if (!moved) return ZW_OK;
    ZB_TRY(zg_system_apply(l->solver.factored, l->step.f, m->b, m->z, m->lambda, NULL, NULL));
    for (int32_t i = 0; i < l->m; i++) m->lambda[i] = -m->lambda[i];
    if (l->linear) return ZW_OK;
    double *work = ZB_NEW_ARRAY(&l->arena, double, 2 * (size_t)l->n);
    if (!work) return l->arena.failure;
    ZB_TRY(zr_level_find_curvature(l, m->lambda, work, &l->solver.curved));
    l->solver.stiff = 10.0;
    if (l->solver.curved && zr_level_factor(l) == ZW_OK) return ZW_OK;
    l->solver.curved = false;
    return zr_level_factor(l);
}

/* r' and A'^T lambda along dx so far. b = -r', f = M dg - M' w - M dx - A'^T lambda. */
static void find_residual(mover *m)
{
    zr_carried *c = m->c;
    zr_vary *vary = c->vary;
    zw_sim *sim = c->sim;
    const zw_model *model = sim->model;
    int32_t n = c->n, rows = sim->zm->m, shift = m->order == ZR_VELOCITY ? n : 0;
    bool velocities = m->order == ZR_VELOCITY;
    zr_direction d = zr_direction_of(c, m->direction, m->dx, 0.0);
    if (!velocities) d.v = NULL;
    zr_vary_place(vary, sim->t, sim->q, sim->v);
    zr_vary_along(vary, &d);
    memset(vary->dlevel, 0, sizeof *vary->dlevel * 4 * (size_t)rows);
    memset(vary->dA, 0, sizeof *vary->dA * (size_t)model->A.count);
    memset(m->dE, 0, sizeof *m->dE * (size_t)model->E.count);
    memset(m->de, 0, sizeof *m->de * 2 * (size_t)model->equation_count);
    zr_vary_evaluate(vary, velocities ? ZR_VARY_RATES : ZR_VARY_VALUES, NULL, vary->dlevel);
    zr_vary_evaluate(vary, ZR_VARY_ROWS, vary->dA, NULL);
    zr_vary_evaluate(vary, ZR_VARY_EQUATIONS, m->dE, m->de);
    memcpy(m->f, m->fixed_f, sizeof *m->f * (size_t)n);
    zr_multiply_mass(sim, m->M, m->dx + shift, -1.0, m->f);
    for (int32_t i = 0; i < m->l.m; i++) {
        int32_t row = m->l.rows.row[i], at = row < 0 ? ~row : row;
        const zr_pattern *p = row < 0 ? &model->E : &model->A;
        const double *dA = row < 0 ? m->dE : vary->dA;
        m->b[i] = -(row < 0 ? m->de[at] : vary->dlevel[(velocities ? rows : 0) + at]);
        for (int32_t k = p->start[at]; k < p->start[at + 1]; k++)
            m->f[p->column[k]] -= dA[k] * m->lambda[i];
    }
}

/* Sizes of the terms of r', by which what is left of it is judged: A dx, and of velocities A' v. After
 * find_residual; no size is rounding of the largest. */
static void find_sizes(mover *m)
{
    const zw_sim *sim = m->c->sim;
    int32_t rows = sim->zm->m, shift = m->order == ZR_VELOCITY ? m->c->n : 0;
    double largest = 0.0;
    for (int32_t i = 0; i < m->l.m; i++) {
        int32_t row = m->l.rows.row[i], at = row < 0 ? ~row : row;
        const zr_pattern *p = row < 0 ? &sim->model->E : &sim->model->A;
        const double *A = row < 0 ? sim->E : sim->A, *dA = row < 0 ? m->dE : m->c->vary->dA;
        double size = row < 0 ? m->de[sim->model->equation_count + at]
                              : m->c->vary->dlevel[2 * rows + (shift ? rows : 0) + at];
        m->size[i] = fabs(size);
        for (int32_t k = p->start[at]; k < p->start[at + 1]; k++)
            m->size[i] += fabs(A[k] * m->dx[shift + p->column[k]]) +
                          (shift ? fabs(dA[k] * sim->v[p->column[k]]) : 0.0);
        largest = fmax(largest, m->size[i]);
    }
    for (int32_t i = 0; i < m->l.m; i++) m->size[i] = fmax(m->size[i], 1e-6 * largest);
}

/* dx until it no longer changes. */
static zw_status iterate_rates(mover *m)
{
    zr_level *l = &m->l;
    int32_t shift = m->order == ZR_VELOCITY ? m->c->n : 0;
    double before = HUGE_VAL;
    for (int32_t round = 0; round < most_rounds; round++) {
        double change = 0.0, whole = 0.0;
        find_residual(m);
        for (int32_t j = 0; j < l->n; j++) l->step.f[j] = m->f[l->unknown[j]];
        ZB_TRY(
            zg_system_apply(l->solver.factored, l->step.f, m->b, m->z, l->step.lambda, NULL, NULL));
        for (int32_t j = 0; j < l->n; j++) {
            m->dx[shift + l->unknown[j]] += m->z[j];
            change = fmax(change, fabs(m->z[j]));
        }
        for (int32_t j = 0; j < 2 * m->c->n; j++) whole = fmax(whole, fabs(m->dx[j]));
        if (change <= 1e-15 * whole || (change <= 1e-11 * whole && change >= 0.5 * before)) break;
        if (!isfinite(change) || (round > 10 && change > 1e3 * whole)) return ZW_ERR_ACCURACY;
        if (round == most_rounds - 1) return ZW_ERR_ACCURACY;
        before = change;
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------ one level */

static void connect(mover *m, const zr_pattern *p, int32_t row)
{
    for (int32_t k = p->start[row] + 1; k < p->start[row + 1]; k++)
        m->parent[zr_find_root(m->parent, p->column[k - 1])] =
            zr_find_root(m->parent, p->column[k]);
}

/* Lets go of the held values that rows which fail have to do with; false: there are none. */
static bool release_failing(mover *m)
{
    const zw_model *model = m->c->sim->model;
    bool any = false;
    for (int32_t i = 0; i < m->c->n; i++) m->parent[i] = i;
    for (int32_t i = 0; i < m->l.m; i++) {
        int32_t row = m->l.rows.row[i];
        connect(m, row < 0 ? &model->E : &model->A, row < 0 ? ~row : row);
    }
    for (int32_t i = 0; i < m->l.m; i++) {
        int32_t row = m->l.rows.row[i], at = row < 0 ? ~row : row;
        const zr_pattern *p = row < 0 ? &model->E : &model->A;
        if (fabs(m->b[i]) <= 1e-9 * m->size[i] || p->start[at] == p->start[at + 1]) continue;
        int32_t root = zr_find_root(m->parent, p->column[p->start[at]]);
        for (int32_t j = 0; j < m->c->n; j++) {
            if (!m->held[j] || zr_find_root(m->parent, j) != root) continue;
            m->held[j] = false;
            any = true;
        }
    }
    return any;
}

/* With the values that are held now. */
static zw_status solve_held(mover *m)
{
    zr_carried *c = m->c;
    zb_arena *arena;
    size_t n = (size_t)c->n, shift = m->order == ZR_VELOCITY ? n : 0;
    memcpy(m->dx + shift, m->dg + shift, sizeof *m->dx * n);
    m->open = true;
    ZB_TRY(zr_level_open_start(&m->l, c->sim, m->order, m->held));
    arena = &m->l.arena;
    if (m->l.m == 0) return ZW_OK;
    m->lambda = ZB_NEW_ARRAY(arena, double, (size_t)m->l.m);
    m->b = ZB_NEW_ARRAY(arena, double, (size_t)m->l.m);
    m->size = ZB_NEW_ARRAY(arena, double, (size_t)m->l.m);
    m->z = ZB_NEW_ARRAY(arena, double, (size_t)m->l.n + 1);
    if (arena->failure != ZW_OK) return arena->failure;
    zr_level_evaluate(&m->l);
    weigh_given(m);
    if (m->l.n > 0) {
        ZB_TRY(zr_level_set_mass(&m->l, m->M));
        ZB_TRY(factor_start(m));
        ZB_TRY(iterate_rates(m));
    }
    find_residual(m);
    find_sizes(m);
    return ZW_OK;
}

/* Rows that hold at the start and would not beside it: what moves makes them contradict each other. */
static bool do_rows_fail(const mover *m)
{
    for (int32_t i = 0; i < m->l.m; i++)
        if (!(fabs(m->b[i]) <= 1e-9 * m->size[i])) return true;
    return false;
}

static zw_status carry_level(mover *m, zr_order order)
{
    zw_status status;
    m->order = order;
    choose_held(m);
    find_metric(m);
    for (int tries = 0;; tries++) {
        status = solve_held(m);
        bool fails = status == ZW_OK && m->l.m > 0 && do_rows_fail(m);
        bool again = fails && tries < 4 && release_failing(m);
        if (fails && !again) status = ZW_ERR_INCONSISTENT;
        zr_level_close(&m->l);
        m->open = false;
        if (!again) return status;
    }
}

/* ------------------------------------------------------------------------ all of it */

static zw_status take_mover(mover *m, zb_arena *arena)
{
    const zw_model *model = m->c->sim->model;
    size_t n = (size_t)m->c->n;
    m->held = ZB_NEW_ARRAY(arena, bool, n + 1);
    m->parent = ZB_NEW_ARRAY(arena, int32_t, n + 1);
    m->dg = ZB_NEW_ARRAY(arena, double, 2 * n + 1);
    m->dx = ZB_NEW_ARRAY(arena, double, 2 * n + 1);
    m->w = ZB_NEW_ARRAY(arena, double, n + 1);
    m->f = ZB_NEW_ARRAY(arena, double, n + 1);
    m->fixed_f = ZB_NEW_ARRAY(arena, double, n + 1);
    m->M = ZB_NEW_ARRAY(arena, double, (size_t)model->M.count + 1);
    m->dM = ZB_NEW_ARRAY(arena, double, (size_t)model->M.count + 1);
    m->dE = ZB_NEW_ARRAY(arena, double, (size_t)model->E.count + 1);
    m->de = ZB_NEW_ARRAY(arena, double, 2 * (size_t)model->equation_count + 1);
    return arena->failure;
}

static zw_status carry_directions(mover *m)
{
    zr_carried *c = m->c;
    size_t n = (size_t)c->n;
    for (int32_t i = 0; i < c->count; i++) {
        m->direction = i;
        memset(m->dx, 0, sizeof *m->dx * (2 * n + 1));
        vary_given_values(m);
        ZB_TRY(carry_level(m, ZR_POSITION));
        ZB_TRY(carry_level(m, ZR_VELOCITY));
        memcpy(zr_tangent_of(c, c->start, i), m->dx, sizeof *m->dx * 2 * n);
    }
    return ZW_OK;
}

/* The state of the simulation is that of its start. */
zw_status zr_carry_start(zr_carried *c)
{
    mover m = {.c = c};
    zb_arena scratch;
    zb_arena_init(&scratch, c->sim->memory, 0);
    zw_status status = take_mover(&m, &scratch);
    if (status == ZW_OK) status = carry_directions(&m);
    if (m.open) zr_level_close(&m.l);
    zb_arena_clear(&scratch);
    return status;
}
