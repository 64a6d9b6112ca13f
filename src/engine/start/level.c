/*
 * A level of the start (level.h): choosing its rows and unknowns, evaluating residuals and
 * derivatives at an x, telling a residual from rounding, and factoring A in the metric of M.
 * Matrices are sparse (level_matrices.c), solved by zg_system. A level that holds as it was given
 * costs a few evaluations: what a correction needs is taken with the mass matrix.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "level.h"

/* ---------------------------------------------------------------------- shape */

/* Positions see holonomic rows only; velocities all rows but those of accelerations. Rows that are
 * off ask for nothing. */
static bool is_row_of_level(const zr_level *l, int32_t row)
{
    zm_row_kind kind = l->sim->row_kind[row];
    bool off = l->sim->contacts && l->sim->contacts->off[row];
    if (kind == ZM_ACCELERATION || off) return false;
    return l->order == ZR_VELOCITY || kind == ZM_HOLONOMIC;
}

/* Is a row of the pattern wanted: has it unknowns, where only such rows are? */
static bool is_row_wanted(const zr_level *l, const zr_pattern *p, int32_t row)
{
    bool meets = !l->own;
    for (int32_t k = p->start[row]; k < p->start[row + 1] && !meets; k++)
        meets = l->at[p->column[k]] >= 0;
    return meets;
}

/* Rows of A, then ~start equations, into rows.row [m]. */
static void choose_level_rows(zr_level *l)
{
    const zw_model *model = l->sim->model;
    for (int32_t i = 0; i < l->sim->zm->m; i++)
        if (is_row_of_level(l, i) && is_row_wanted(l, &model->A, i)) l->rows.row[l->m++] = i;
    for (int32_t e = 0; e < model->equation_count && !l->alone; e++)
        if (model->equation_moves[e] == (l->order == ZR_VELOCITY) && is_row_wanted(l, &model->E, e))
            l->rows.row[l->m++] = ~e;
}

/* Coordinates that are not fixed, into unknown [n] and at [coordinates]. */
static void choose_free_unknowns(zr_level *l)
{
    int32_t n = l->sim->zm->n;
    const bool *fixed = l->sim->fixed + (l->order == ZR_VELOCITY ? n : 0);
    for (int32_t i = 0; i < n; i++) {
        bool out = (fixed[i] || (l->held && l->held[i])) && !l->alone;
        l->at[i] = out ? -1 : l->n;
        if (!out) l->unknown[l->n++] = i;
    }
}

static double *new_level_doubles(zr_level *l, int32_t count)
{
    return ZB_NEW_ARRAY(&l->arena, double, count);
}

/* What an evaluation needs. */
static bool allocate_residuals(zr_level *l)
{
    l->now.r = new_level_doubles(l, l->m);
    l->now.scale = new_level_doubles(l, l->m);
    l->now.terms = new_level_doubles(l, l->m);
    l->now.reach = new_level_doubles(l, l->m);
    l->now.near = new_level_doubles(l, l->m);
    l->now.wide = new_level_doubles(l, l->m);
    l->scratch.perturbed = new_level_doubles(l, l->sim->zm->n);
    l->scratch.probe = new_level_doubles(l, l->m);
    l->now.flat = ZB_NEW_ARRAY(&l->arena, bool, l->m);
    l->scratch.work = ZB_NEW_ARRAY(&l->arena, double, (size_t)l->n + (size_t)l->m);
    return l->arena.failure == ZW_OK;
}

/* Rows and unknowns are chosen first: their numbers give the sizes of everything else. The state
 * and what it shall stay near to are there. */
static zw_status shape_level(zr_level *l)
{
    zw_sim *sim = l->sim;
    zr_order order = l->order;
    bool alone = l->alone;
    l->x = order == ZR_POSITION ? l->q : l->v;
    zb_arena_init(&l->arena, sim->memory, 0);
    l->unknown = ZB_NEW_ARRAY(&l->arena, int32_t, sim->zm->n);
    l->at = ZB_NEW_ARRAY(&l->arena, int32_t, sim->zm->n);
    l->rows.row =
        ZB_NEW_ARRAY(&l->arena, int32_t, (size_t)sim->zm->m + (size_t)sim->model->equation_count);
    if (l->arena.failure != ZW_OK) return l->arena.failure;
    l->linear =
        !sim->model->rows_nonlinear[order] && (alone || !sim->model->equations_nonlinear[order]);
    choose_free_unknowns(l);
    choose_level_rows(l);
    if (!allocate_residuals(l)) return l->arena.failure;
    l->rows.n = l->n;
    l->rows.m = l->m;
    l->rows.is.solver = sim->model->context->solver;
    ZB_TRY(zr_shape_rows(sim, &l->arena, &l->rows, l->at));
    if (l->rows.W) (void)zr_gather_weights(sim, &l->rows);
    return ZW_OK;
}

zw_status zr_level_open(zr_level *l, zw_sim *sim, zr_order order, bool alone, double *q, double *v,
                        const double *x_given)
{
    *l = (zr_level){.sim = sim, .order = order, .alone = alone, .q = q, .v = v, .x_given = x_given};
    return shape_level(l);
}

static zw_status open_start(zr_level *l, zw_sim *sim, zr_order order, const bool *held, bool own)
{
    *l = (zr_level){.sim = sim, .order = order, .q = sim->q, .v = sim->v, .held = held, .own = own};
    l->x_given = sim->given + (order == ZR_VELOCITY ? sim->zm->n : 0);
    return shape_level(l);
}

zw_status zr_level_open_start(zr_level *l, zw_sim *sim, zr_order order, const bool *held)
{
    return open_start(l, sim, order, held, false);
}

zw_status zr_level_open_part(zr_level *l, zw_sim *sim, zr_order order, const bool *held)
{
    return open_start(l, sim, order, held, true);
}

void zr_level_close(zr_level *l)
{
    zr_free_rows(&l->rows);
    zg_system_free(l->solver.shaped);
    zg_system_free(l->solver.damped);
    zb_arena_clear(&l->arena);
}

/* ------------------------------------------------------------------ evaluation */

/* scale_i = |A_i| |x| + the magnitudes of the row's terms; A_i with all columns, fixed or not. */
static double scale_of_row(const zr_level *l, const zr_pattern *p, int32_t row,
                           const double *values, double magnitude)
{
    double length = 0.0, size = 0.0;
    for (int32_t k = p->start[row]; k < p->start[row + 1]; k++) length += values[k] * values[k];
    for (int32_t k = p->start[row]; k < p->start[row + 1]; k++)
        size += l->x[p->column[k]] * l->x[p->column[k]];
    return sqrt(length) * sqrt(size) + magnitude;
}

/* sum |A_ij| times the largest entry of x, now or as given: a solve spreads its rounding over all
 * of x. */
static double reach_of_row(const zr_pattern *p, int32_t row, const double *values, double largest)
{
    double sum = 0.0;
    for (int32_t k = p->start[row]; k < p->start[row + 1]; k++) sum += fabs(values[k]);
    return sum * largest;
}

static void connect_columns(int32_t *parent, const zr_pattern *p, int32_t row, int32_t with)
{
    for (int32_t k = p->start[row]; k < p->start[row + 1]; k++) {
        if (with < 0) with = p->column[k];
        parent[zr_find_root(parent, p->column[k])] = zr_find_root(parent, with);
    }
}

/* Coordinates that rows of the level or M connect: rounding of a solve spreads over these, and not
 * farther. */
static zw_status connect_coordinates(zr_level *l)
{
    const zw_model *model = l->sim->model;
    int32_t n = l->sim->zm->n;
    l->parent = ZB_NEW_ARRAY(&l->arena, int32_t, n);
    l->largest = new_level_doubles(l, n);
    if (l->arena.failure != ZW_OK) return l->arena.failure;
    for (int32_t j = 0; j < n; j++) l->parent[j] = j;
    for (int32_t j = 0; j < n; j++) connect_columns(l->parent, &model->M, j, j);
    for (int32_t i = 0; i < l->m; i++) {
        int32_t row = l->rows.row[i];
        connect_columns(l->parent, row < 0 ? &model->E : &model->A, row < 0 ? ~row : row, -1);
    }
    return ZW_OK;
}

/* The largest entry of x, now or as given, among those that are connected. */
static void measure_largest(zr_level *l)
{
    int32_t n = l->sim->zm->n;
    memset(l->largest, 0, sizeof *l->largest * (size_t)n);
    for (int32_t j = 0; j < n; j++) {
        double *at = &l->largest[zr_find_root(l->parent, j)];
        *at = fmax(*at, fmax(fabs(l->x[j]), fabs(l->x_given[j])));
    }
}

static double largest_entry_of(int32_t n, const double *x)
{
    double largest = 0.0;
    for (int32_t i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
    return largest;
}

/* |r| in the norm of W: the merit of the present x. */
static double norm_of_residual(const zr_level *l)
{
    const zg_pattern *W = &l->rows.is.W;
    double sum = 0.0;
    for (int32_t i = 0; i < l->m; i++) {
        double w = l->rows.W ? 0.0 : l->now.r[i];
        for (int32_t k = l->rows.W ? W->start[i] : 0; l->rows.W && k < W->start[i + 1]; k++)
            w += l->rows.W[k] * l->now.r[W->column[k]];
        sum += w * l->now.r[i];
    }
    return sqrt(fabs(sum));
}

/* r, scale and wide from what the simulation has evaluated at the present x. */
static void read_residuals(zr_level *l)
{
    const zw_sim *sim = l->sim;
    int32_t m = sim->zm->m, shift = l->order == ZR_VELOCITY ? m : 0;
    double largest =
        fmax(largest_entry_of(sim->zm->n, l->x), largest_entry_of(sim->zm->n, l->x_given));
    if (l->parent) measure_largest(l);
    for (int32_t i = 0; i < l->m; i++) {
        int32_t row = l->rows.row[i], e = ~row;
        bool equation = row < 0;
        const zr_pattern *p = equation ? &sim->model->E : &sim->model->A;
        const double *values = equation ? sim->E : sim->A;
        double size = equation ? sim->equation[sim->model->equation_count + e]
                               : sim->level[2 * m + shift + row];
        l->now.r[i] = equation ? sim->equation[e] : sim->level[shift + row];
        int32_t at = equation ? e : row;
        if (l->parent && p->start[at] < p->start[at + 1])
            largest = l->largest[zr_find_root(l->parent, p->column[p->start[at]])];
        l->now.scale[i] = scale_of_row(l, p, at, values, size);
        l->now.terms[i] = size;
        l->now.wide[i] = 0.0;
        l->now.reach[i] = reach_of_row(p, at, values, largest);
    }
}

/* Rounding that a solve spreads over all it connects, of its largest unknown. */
static const double spread = 16.0 * DBL_EPSILON;

/* Relative change of positions from whose effect that of their rounding is estimated. */
static const double perturbation = 1e-6;

/* Of coordinate k: between 0.5 and 1 with either sign, the same in every run. */
static double perturbation_of(int32_t k)
{
    uint64_t bits = zb_hash_scramble(0x5348414B45u + (uint64_t)k);
    return (bits & 1 ? 1.0 : -1.0) * (0.5 + (double)(bits >> 11) * 0x1p-54);
}

/* A_i c, with the derivatives that were evaluated last and c of perturbation_of: one number that
 * tells whether A_i changes. */
static double probe_row(const zr_level *l, int32_t i)
{
    const zw_sim *sim = l->sim;
    int32_t row = l->rows.row[i] < 0 ? ~l->rows.row[i] : l->rows.row[i];
    const zr_pattern *p = l->rows.row[i] < 0 ? &sim->model->E : &sim->model->A;
    const double *values = l->rows.row[i] < 0 ? sim->E : sim->A;
    double sum = 0.0;
    for (int32_t k = p->start[row]; k < p->start[row + 1]; k++)
        sum += values[k] * perturbation_of(p->column[k]);
    return sum;
}

/* Residuals into r [m], and probes, of a velocity level at perturbed positions: entries are changed
 * relatively to their own size, or to `size` when that is not 0. */
static void evaluate_perturbed(zr_level *l, double size, double *r)
{
    const zw_sim *sim = l->sim;
    for (int32_t j = 0; j < sim->zm->n; j++)
        l->scratch.perturbed[j] =
            l->q[j] + perturbation * perturbation_of(j) * (size > 0.0 ? size : fabs(l->q[j]));
    zk_source s = zr_source(sim, sim->t, l->scratch.perturbed, l->v);
    zr_evaluate_levels(l->sim, &s);
    zr_evaluate_rows(l->sim, &s);
    if (sim->model->equation_count > 0) zr_evaluate_equations(l->sim, &s);
    for (int32_t i = 0; i < l->m; i++) {
        r[i] = l->rows.row[i] < 0 ? sim->equation[~l->rows.row[i]]
                                  : sim->level[sim->zm->m + l->rows.row[i]];
        l->scratch.probe[i] = probe_row(l, i);
    }
}

/* What a relative change of q by 1 does, from that by the perturbation; 0 where it is not
 * finite. */
static double slope_of_difference(double perturbed, double here)
{
    double x = fabs(perturbed - here) / perturbation;
    return isfinite(x) ? x : 0.0;
}

/* Of a velocity level: what rounding of q makes of each residual (near, wide; near holds the
 * perturbed residuals, far [m] those of larger changes), and whether A_i is such rounding and
 * nothing else. The derivative of such a row is set to 0: it asks for nothing. */
static void measure_slopes(zr_level *l, const double *far)
{
    for (int32_t i = 0; i < l->m; i++) {
        const double *a = l->rows.A + l->rows.is.A.start[i],
                     *end = l->rows.A + l->rows.is.A.start[i + 1];
        double sum = 0.0; /* NaN stays to be seen */
        l->now.near[i] = slope_of_difference(l->now.near[i], l->now.r[i]);
        l->now.wide[i] += l->now.near[i] + slope_of_difference(far[i], l->now.r[i]);
        for (; a < end; a++) sum += fabs(*a);
        l->now.flat[i] =
            sum <= 16.0 * DBL_EPSILON * slope_of_difference(l->scratch.probe[i], probe_row(l, i));
        for (int32_t k = l->rows.is.A.start[i]; k < l->rows.is.A.start[i + 1] && l->now.flat[i];
             k++)
            l->rows.A[k] = 0.0;
    }
}

/* A row without unknowns that holds asks for nothing, not even for its rounding. */
static void clear_rows_of_others(zr_level *l)
{
    const int32_t *start = l->rows.is.A.start;
    for (int32_t i = 0; i < l->m; i++)
        if (start[i] == start[i + 1] && !zr_level_row_is_off(l, i, 1e-11)) l->now.r[i] = 0.0;
}

/* Perturbed positions come first, so that what the simulation holds in the end is of the present
 * x. */
void zr_level_evaluate(zr_level *l)
{
    zk_source s = zr_source(l->sim, l->sim->t, l->q, l->v);
    bool velocities = l->order == ZR_VELOCITY;
    double *far = l->scratch.work + l->n;
    if (velocities) evaluate_perturbed(l, largest_entry_of(l->sim->zm->n, l->q), far);
    if (velocities) evaluate_perturbed(l, 0.0, l->now.near);
    zr_evaluate_levels(l->sim, &s);
    zr_evaluate_rows(l->sim, &s);
    if (l->sim->model->equation_count > 0) zr_evaluate_equations(l->sim, &s);
    (void)zr_gather_rows(l->sim, &l->rows, NULL);
    read_residuals(l);
    if (velocities) measure_slopes(l, far);
    clear_rows_of_others(l);
    l->now.merit = norm_of_residual(l);
    l->now.finite = isfinite(l->now.merit);
    for (int32_t k = 0; k < l->rows.is.A.start[l->m] && l->now.finite; k++)
        l->now.finite = isfinite(l->rows.A[k]);
}

/* A residual is compared with the size of the row's own terms. Rounding may be more than that: of
 * x itself where terms cancel (scale: (x - 1e5)^2), of the given positions in a row of velocities
 * (near: -sin(th) th' at th = pi), and of all that a solve touches where the row's own terms vanish
 * (wide, reach). Given values are judged with small tolerances. What a correction leaves is judged
 * by the terms alone, with rounding as rounding: a thousandth beside numbers of 1e9 that have
 * nothing to do with it is no rounding. */
double zr_level_allowed(const zr_level *l, int32_t i, double tolerance)
{
    const zr_residuals *now = &l->now;
    if (!(tolerance > 1e-12)) return tolerance * now->scale[i] + tolerance * now->near[i];
    return tolerance * now->terms[i] + 1e-13 * (now->scale[i] + now->wide[i]) +
           spread * now->reach[i];
}

bool zr_level_row_is_off(const zr_level *l, int32_t i, double tolerance)
{
    return !(fabs(l->now.r[i]) <= zr_level_allowed(l, i, tolerance));
}

bool zr_level_holds(const zr_level *l, double tolerance)
{
    for (int32_t i = 0; i < l->m; i++)
        if (zr_level_row_is_off(l, i, tolerance)) return false;
    return true;
}

/* ---------------------------------------------------------------------- metric */

/* Of what M and the rows leave free the least Euclidean change: an orthonormal basis of these
 * motions, times a typical mass, is added to the metric, whose H is full here. */
static zw_status add_undetermined_motions(zr_level *l)
{
    int32_t n = l->n, count = 0;
    size_t N = (size_t)n;
    double *x = ZB_NEW_ARRAY(&l->arena, double, zb_product(N, N)), mass = 0.0;
    if (!x) return l->arena.failure;
    ZB_TRY(zg_undetermined(zg_system_dense(l->solver.shaped), x, &count));
    for (int32_t i = 0; i < n; i++) mass += l->normal.metric[l->normal.H.start[i]] / (double)n;
    if (!(mass > 0.0)) mass = 1.0;
    for (int32_t q = 0; q < count; q++) {
        double *e = x + (size_t)q * N, norm = 0.0;
        for (int32_t p = 0; p < 2 * q; p++) { /* Gram-Schmidt, twice */
            const double *y = x + (size_t)(p % q) * N;
            double c = 0.0;
            for (size_t i = 0; i < N; i++) c += y[i] * e[i];
            for (size_t i = 0; i < N; i++) e[i] -= c * y[i];
        }
        for (size_t i = 0; i < N; i++) norm += e[i] * e[i];
        for (size_t i = 0; i < N; i++) e[i] /= sqrt(norm);
        for (int32_t i = 0, p = 0; i < n; i++)
            for (; p < l->normal.H.start[i + 1]; p++)
                l->normal.metric[p] += mass * e[i] * e[l->normal.H.column[p]];
    }
    return ZW_OK;
}

/* The same for large systems, nearly: coordinates that take part in such a motion are measured by
 * a small multiple of the identity as well. */
static zw_status add_identity_to_metric(zr_level *l)
{
    bool *moves = ZB_NEW_ARRAY(&l->arena, bool, l->n);
    double trace = 0.0;
    if (!moves) return l->arena.failure;
    ZB_TRY(zg_system_free_coordinates(l->solver.shaped, moves));
    for (int32_t j = 0; j < l->n; j++) trace += zr_level_mass_entry(l, j);
    double by = trace > 0.0 ? 1e-8 * trace / (double)l->n : 1.0;
    for (int32_t j = 0; j < l->n; j++)
        if (moves[j]) l->normal.metric[l->normal.H.start[j]] += by;
    return ZW_OK;
}

/* metric = M + K + alpha A^T V A, V giving every row the size 1. It measures the same as M + K
 * where A x is given, and is definite as soon as M + K is so on the free motions. */
static void augment_metric(zr_level *l)
{
    int32_t all = l->normal.H.start[l->n];
    double trace = 0.0, rows = 0.0, bend = 0.0;
    memset(l->normal.metric, 0, sizeof *l->normal.metric * (size_t)all);
    zr_level_add_mass(l, l->normal.metric);
    for (int32_t p = 0; p < all && l->solver.curved; p++) {
        l->normal.metric[p] += l->normal.K[p];
        bend = fmax(bend, fabs(l->normal.K[p]));
    }
    for (int32_t i = 0; i < l->m; i++) {
        double size = 0.0;
        for (int32_t k = l->rows.is.A.start[i]; k < l->rows.is.A.start[i + 1]; k++)
            size += l->rows.A[k] * l->rows.A[k];
        l->scratch.lengths[i] = size > 1e-270 ? 1.0 / size : 0.0;
        rows += size > 1e-270 ? 1.0 : 0.0;
    }
    for (int32_t j = 0; j < l->n; j++) trace += zr_level_mass_entry(l, j);
    double alpha = trace > 0.0 && rows > 0.0 ? trace / rows : 1.0;
    if (l->solver.curved) alpha += l->solver.stiff * bend;
    for (int32_t i = 0; i < l->m; i++) l->scratch.lengths[i] *= alpha;
    zr_level_add_normal(l, l->scratch.lengths, l->normal.metric);
}

/* Analyses a structure unless *g is there. */
static zw_status plan_once(const zr_level *l, const zg_structure *structure, zg_system **g)
{
    return *g ? ZW_OK : zg_system_plan(l->sim->memory, structure, g);
}

/* A with M completed by other terms: M is singular, or the rows' curvature is added. */
static zw_status factor_in_metric(zr_level *l)
{
    zg_structure structure = l->rows.is;
    zg_values values = {.A = l->rows.A, .W = l->rows.W};
    ZB_TRY(zr_level_shape_normal(l));
    structure.M = l->normal.H;
    if (l->solver.full) structure.solver = ZW_SOLVER_DENSE;
    ZB_TRY(plan_once(l, &structure, &l->solver.shaped));
    values.M = l->normal.metric;
    l->solver.factored = l->solver.shaped;
    augment_metric(l);
    zw_status status = zg_system_factor(l->solver.shaped, &values);
    if (status != ZW_ERR_UNDETERMINED || !l->solver.singular) return status;
    ZB_TRY(l->solver.full ? add_undetermined_motions(l) : add_identity_to_metric(l));
    return zg_system_factor(l->solver.shaped, &values);
}

/* Where M is definite it is the metric as it stands, and its own factor is kept while A changes. */
zw_status zr_level_factor(zr_level *l)
{
    zg_values values = {
        .M = l->rows.M, .A = l->rows.A, .W = l->rows.W, .same_mass = l->rows.same_mass};
    if (l->solver.singular || l->solver.curved) return factor_in_metric(l);
    ZB_TRY(plan_once(l, &l->rows.is, &l->rows.system));
    l->solver.factored = l->rows.system;
    l->rows.same_mass = true;
    return zg_system_factor(l->rows.system, &values);
}

/* Is M definite on the free columns, so that it measures every change? A system without rows says
 * so. */
static zw_status judge_mass(zr_level *l)
{
    zg_structure structure = zr_level_unconstrained(l, &l->rows.is.M);
    zg_values values = {.M = l->rows.M};
    zg_system *alone = NULL;
    ZB_TRY(zg_system_plan(l->sim->memory, &structure, &alone));
    zw_status status = zg_system_factor(alone, &values);
    zg_system_free(alone);
    l->solver.singular = status == ZW_ERR_UNDETERMINED;
    if (!l->solver.singular) return status;
    ZB_TRY(plan_once(l, &l->rows.is, &l->rows.system));
    l->solver.full =
        zg_system_dense(l->rows.system) != NULL; /* any motion may have to be measured */
    return ZW_OK;
}

/* What the steps of a correction need. */
static bool allocate_steps(zr_level *l)
{
    l->step.d = new_level_doubles(l, l->n);
    l->step.f = new_level_doubles(l, l->n);
    l->step.old = new_level_doubles(l, l->n);
    l->scratch.h = new_level_doubles(l, l->n);
    l->scratch.lengths = new_level_doubles(l, l->m);
    l->step.lambda = new_level_doubles(l, l->m);
    return l->arena.failure == ZW_OK;
}

/* Called again it takes other values into the pattern that is there. */
zw_status zr_level_set_mass(zr_level *l, const double *mass)
{
    if (l->n == 0) return ZW_OK;
    if (!l->rows.M && !allocate_steps(l)) return l->arena.failure;
    if (!l->parent) ZB_TRY(connect_coordinates(l));
    if (!l->rows.M) ZB_TRY(zr_shape_mass(l->sim, &l->arena, &l->rows, l->at, l->unknown));
    for (int32_t k = 0; k < l->rows.is.M.start[l->n]; k++) l->rows.M[k] = mass[l->rows.M_from[k]];
    l->rows.same_mass = false;
    return judge_mass(l);
}
