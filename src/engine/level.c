/*
 * A level of the start: the holonomic rows with the start equations without velocities (positions),
 * or the rates of holonomic rows, the nonholonomic rows and the start equations with velocities
 * (velocities). Residual r(x) and derivative A by the free unknowns, the columns of fixed ones
 * dropped; the metric is M of those columns. Dense; lives as long as a start needs it.
 */
#include <math.h>
#include <string.h>

#include "sim.h"

static const double eps = 2.220446049250313e-16;

/* ---------------------------------------------------------------------- shape */

static bool takes_row(const zr_level *l, int32_t row)
{
    zm_row_kind kind = zm_row_kind_of(l->sim->zm, row);
    if (kind == ZM_ACCELERATION) return false;
    return l->order == ZR_VELOCITY || kind == ZM_HOLONOMIC;
}

static void choose_rows(zr_level *l)
{
    const zw_model *model = l->sim->model;
    for (int32_t i = 0; i < l->sim->zm->m; i++)
        if (takes_row(l, i)) l->rows[l->m++] = i;
    for (int32_t e = 0; e < model->equation_count && !l->alone; e++)
        if (model->equation_moves[e] == (l->order == ZR_VELOCITY)) l->rows[l->m++] = ~e;
}

static void choose_unknowns(zr_level *l)
{
    int32_t n = l->sim->zm->n;
    const bool *fixed = l->sim->fixed + (l->order == ZR_VELOCITY ? n : 0);
    for (int32_t i = 0; i < n; i++) {
        bool out = fixed[i] && !l->alone;
        l->at[i] = out ? -1 : l->n;
        if (!out) l->unknown[l->n++] = i;
    }
}

static double *doubles(zr_level *l, int32_t rows, int32_t columns)
{
    return ZB_NEW_ARRAY(&l->arena, double, zb_product((size_t)rows, (size_t)columns));
}

static bool take_arrays(zr_level *l)
{
    l->M = doubles(l, l->n, l->n);
    l->A = doubles(l, l->m, l->n);
    if (l->sim->model->W.rows > 0) l->W = doubles(l, l->m, l->m);
    l->r = doubles(l, l->m, 1);
    l->scale = doubles(l, l->m, 1);
    l->near = doubles(l, l->m, 1);
    l->wide = doubles(l, l->m, 1);
    l->shaken = doubles(l, l->sim->zm->n, 1);
    l->probe = doubles(l, l->m, 1);
    l->flat = ZB_NEW_ARRAY(&l->arena, bool, l->m);
    l->lengths = doubles(l, l->m, 1);
    l->d = doubles(l, l->n, 1);
    l->f = doubles(l, l->n, 1);
    l->old = doubles(l, l->n, 1);
    l->work = doubles(l, l->n + l->m, 1);
    l->h = doubles(l, l->n, 1);
    return l->arena.failure == ZW_OK;
}

/* The rows' block of W; start equations have weight 1. */
static void choose_weight(zr_level *l)
{
    const zr_pattern *p = &l->sim->model->W;
    for (int32_t i = 0; l->W && i < l->m; i++) {
        double *row = l->W + (size_t)i * (size_t)l->m;
        row[i] = 1.0;
        for (int32_t j = 0; l->rows[i] >= 0 && j < l->m; j++)
            for (int32_t k = p->start[l->rows[i]]; k < p->start[l->rows[i] + 1]; k++)
                if (p->column[k] == l->rows[j]) row[j] = l->sim->W[k];
    }
}

zw_status zr_level_open(zr_level *l, zw_sim *sim, zr_order order, bool alone, double *q, double *v,
                        const double *x_given)
{
    *l = (zr_level){.sim = sim, .order = order, .alone = alone, .q = q, .v = v};
    l->x = order == ZR_POSITION ? q : v;
    l->x_given = x_given;
    zb_arena_init(&l->arena, sim->memory, 0);
    l->unknown = ZB_NEW_ARRAY(&l->arena, int32_t, sim->zm->n);
    l->at = ZB_NEW_ARRAY(&l->arena, int32_t, sim->zm->n);
    l->rows = ZB_NEW_ARRAY(&l->arena, int32_t, sim->zm->m + sim->model->equation_count);
    if (l->arena.failure != ZW_OK) return l->arena.failure;
    l->linear = !sim->model->rows_bend[order] && (alone || !sim->model->equations_bend[order]);
    choose_unknowns(l);
    choose_rows(l);
    if (!take_arrays(l)) return l->arena.failure;
    choose_weight(l);
    zw_gauss_shape shape = {.n = l->n, .m = l->m, .mass = ZW_FULL, .weight = ZW_IDENTITY};
    if (l->W) shape.weight = ZW_FULL;
    return l->n > 0 && l->m > 0 ? zg_plan(sim->memory, &shape, &l->gauss) : ZW_OK;
}

void zr_level_close(zr_level *l)
{
    zg_free(l->gauss);
    zg_free(l->damped);
    zb_arena_clear(&l->arena);
}

/* ------------------------------------------------------------------ evaluation */

static void gather_row(zr_level *l, int32_t i, const zr_pattern *p, int32_t row,
                       const double *values)
{
    double *a = l->A + (size_t)i * (size_t)l->n;
    for (int32_t k = p->start[row]; k < p->start[row + 1]; k++)
        if (l->at[p->column[k]] >= 0) a[l->at[p->column[k]]] = values[k];
}

/* scale_i = |A_i| |x| + the magnitudes of the row's terms; A with all columns, fixed or not. */
static double row_scale(const zr_level *l, const zr_pattern *p, int32_t row, const double *values,
                        double magnitude)
{
    double length = 0.0, size = 0.0;
    for (int32_t k = p->start[row]; k < p->start[row + 1]; k++) length += values[k] * values[k];
    for (int32_t k = p->start[row]; k < p->start[row + 1]; k++)
        size += l->x[p->column[k]] * l->x[p->column[k]];
    return sqrt(length) * sqrt(size) + magnitude;
}

/* sum |A_ij| times the largest entry of x, now or as given: a solve spreads its rounding over all
 * of x. */
static double row_reach(const zr_pattern *p, int32_t row, const double *values, double largest)
{
    double sum = 0.0;
    for (int32_t k = p->start[row]; k < p->start[row + 1]; k++) sum += fabs(values[k]);
    return sum * largest;
}

static double largest_of(int32_t n, const double *x)
{
    double largest = 0.0;
    for (int32_t i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
    return largest;
}

/* |r| in the norm of W. */
static double merit(const zr_level *l)
{
    double sum = 0.0;
    for (int32_t i = 0; i < l->m; i++) {
        double w = l->W ? 0.0 : l->r[i];
        for (int32_t j = 0; l->W && j < l->m; j++)
            w += l->W[(size_t)i * (size_t)l->m + (size_t)j] * l->r[j];
        sum += w * l->r[i];
    }
    return sqrt(fabs(sum));
}

static void take_rows(zr_level *l)
{
    const zw_sim *sim = l->sim;
    int32_t m = sim->zm->m, shift = l->order == ZR_VELOCITY ? m : 0;
    double largest = fmax(largest_of(sim->zm->n, l->x), largest_of(sim->zm->n, l->x_given));
    for (int32_t i = 0; i < l->m; i++) {
        int32_t row = l->rows[i], e = ~row;
        bool equation = row < 0;
        const zr_pattern *p = equation ? &sim->model->E : &sim->model->A;
        const double *values = equation ? sim->E : sim->A;
        double size = equation ? sim->equation[sim->model->equation_count + e]
                               : sim->level[2 * m + shift + row];
        gather_row(l, i, p, equation ? e : row, values);
        l->r[i] = equation ? sim->equation[e] : sim->level[shift + row];
        l->scale[i] = row_scale(l, p, equation ? e : row, values, size);
        l->wide[i] = row_reach(p, equation ? e : row, values, largest);
    }
}

static const double shake = 1e-6; /* of positions, to see what their rounding does */

/* Between 0.5 and 1 with either sign, the same in every run. */
static double kick(int32_t k)
{
    uint64_t bits = zb_hash_scramble(0x5348414B45u + (uint64_t)k);
    return (bits & 1 ? 1.0 : -1.0) * (0.5 + (double)(bits >> 11) * 0x1p-54);
}

/* A_i c with some c, from what was evaluated last. */
static double probe(const zr_level *l, int32_t i)
{
    const zw_sim *sim = l->sim;
    int32_t row = l->rows[i] < 0 ? ~l->rows[i] : l->rows[i];
    const zr_pattern *p = l->rows[i] < 0 ? &sim->model->E : &sim->model->A;
    const double *values = l->rows[i] < 0 ? sim->E : sim->A;
    double sum = 0.0;
    for (int32_t k = p->start[row]; k < p->start[row + 1]; k++)
        sum += values[k] * kick(p->column[k]);
    return sum;
}

/* Residuals into r, and probes, at positions whose entries are changed by shake times their own
 * size, or times `size` when that is not 0. */
static void look_beside(zr_level *l, double size, double *r)
{
    const zw_sim *sim = l->sim;
    for (int32_t j = 0; j < sim->zm->n; j++)
        l->shaken[j] = l->q[j] + shake * kick(j) * (size > 0.0 ? size : fabs(l->q[j]));
    zk_source s = zr_source(sim, sim->t, l->shaken, l->v);
    zr_evaluate_levels(l->sim, &s);
    zr_evaluate_rows(l->sim, &s);
    if (sim->model->equation_count > 0) zr_evaluate_equations(l->sim, &s);
    for (int32_t i = 0; i < l->m; i++) {
        r[i] = l->rows[i] < 0 ? sim->equation[~l->rows[i]] : sim->level[sim->zm->m + l->rows[i]];
        l->probe[i] = probe(l, i);
    }
}

/* By the logarithm of the scale of q; 0 where there is none. */
static double slope(double beside, double here)
{
    double x = fabs(beside - here) / shake;
    return isfinite(x) ? x : 0.0;
}

/* Of a velocity's row: what rounding of q makes of its residual, and whether that is all there is
 * to its derivative. Such a row asks for nothing. */
static void take_slopes(zr_level *l, const double *far)
{
    for (int32_t i = 0; i < l->m; i++) {
        double *a = l->A + (size_t)i * (size_t)l->n, sum = 0.0; /* NaN stays to be seen */
        l->near[i] = slope(l->near[i], l->r[i]);
        l->wide[i] += l->near[i] + slope(far[i], l->r[i]);
        for (int32_t j = 0; j < l->n; j++) sum += fabs(a[j]);
        l->flat[i] = sum <= 16.0 * eps * slope(l->probe[i], probe(l, i));
        for (int32_t j = 0; j < l->n && l->flat[i]; j++) a[j] = 0.0;
    }
}

void zr_level_evaluate(zr_level *l)
{
    zk_source s = zr_source(l->sim, l->sim->t, l->q, l->v);
    bool velocities = l->order == ZR_VELOCITY;
    double *far = l->work + l->n;
    if (velocities) look_beside(l, largest_of(l->sim->zm->n, l->q), far);
    if (velocities) look_beside(l, 0.0, l->near);
    zr_evaluate_levels(l->sim, &s);
    zr_evaluate_rows(l->sim, &s);
    if (l->sim->model->equation_count > 0) zr_evaluate_equations(l->sim, &s);
    size_t all = (size_t)l->m * (size_t)l->n;
    if (all > 0) memset(l->A, 0, sizeof *l->A * all);
    take_rows(l);
    if (velocities) take_slopes(l, far);
    l->merit = merit(l);
    l->finite = isfinite(l->merit);
    for (size_t i = 0; i < all && l->finite; i++) l->finite = isfinite(l->A[i]);
}

/* Against the size of the row's own terms. Rounding may be more than that: of the given positions
 * in the row of a velocity (near: -sin(th) th' at th = pi), and of all that a solve touches where
 * the row's own terms vanish (wide). Given values are judged by the first, answers by both. */
bool zr_level_off(const zr_level *l, int32_t i, double tolerance)
{
    bool loose = tolerance > 1e-12;
    double rounding = loose ? 1e-13 * l->wide[i] : tolerance * l->near[i];
    return !(fabs(l->r[i]) <= tolerance * l->scale[i] + rounding);
}

bool zr_level_rounding(const zr_level *l, double tolerance)
{
    for (int32_t i = 0; i < l->m; i++)
        if (zr_level_off(l, i, tolerance)) return false;
    return true;
}

/* ---------------------------------------------------------------------- metric */

/* Of what M and the rows leave free the least Euclidean change: an orthonormal basis of these
 * motions, times a typical mass, is added to the metric. */
static zw_status add_free_motions(zr_level *l)
{
    int32_t n = l->n, count = 0;
    size_t N = (size_t)n;
    double *x = l->H, mass = 0.0;
    ZB_TRY(zg_undetermined(l->gauss, x, &count));
    for (size_t i = 0; i < N; i++) mass += l->metric[i * N + i] / (double)n;
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
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++) l->metric[i * N + j] += mass * e[i] * e[j];
    }
    return ZW_OK;
}

/* metric = M + K + alpha A^T V A, V giving every row the size 1. It measures the same as M + K
 * where A x is given, and is definite as soon as M + K is so on the free motions. */
static void augment(zr_level *l)
{
    size_t N = (size_t)l->n;
    double trace = 0.0, rows = 0.0, bend = 0.0;
    memcpy(l->metric, l->M, sizeof *l->M * N * N);
    for (size_t i = 0; i < N * N && l->curved; i++) {
        l->metric[i] += l->K[i];
        bend = fmax(bend, fabs(l->K[i]));
    }
    for (int32_t i = 0; i < l->m; i++) {
        const double *a = l->A + (size_t)i * N;
        double size = 0.0;
        for (size_t j = 0; j < N; j++) size += a[j] * a[j];
        l->lengths[i] = size > 1e-270 ? 1.0 / size : 0.0;
        rows += size > 1e-270 ? 1.0 : 0.0;
    }
    for (size_t j = 0; j < N; j++) trace += l->M[j * N + j];
    double alpha = trace > 0.0 && rows > 0.0 ? trace / rows : 1.0;
    if (l->curved) alpha += l->stiff * bend;
    for (int32_t i = 0; i < l->m; i++) {
        const double *a = l->A + (size_t)i * N;
        for (size_t j = 0; j < N; j++)
            for (size_t k = 0; k < N && a[j] != 0.0; k++)
                l->metric[j * N + k] += alpha * l->lengths[i] * a[j] * a[k];
    }
}

/* A at the present x, in the metric. */
zw_status zr_level_factor(zr_level *l)
{
    if (!l->singular && !l->curved) return zg_factor(l->gauss, l->M, l->A, l->W);
    augment(l);
    zw_status status = zg_factor(l->gauss, l->metric, l->A, l->W);
    if (status != ZW_ERR_UNDETERMINED || !l->singular) return status;
    ZB_TRY(add_free_motions(l));
    return zg_factor(l->gauss, l->metric, l->A, l->W);
}

/* Does M alone measure every change? The plan without rows, of the damped steps, says so. */
static zw_status judge_metric(zr_level *l)
{
    zw_gauss_shape shape = {.n = l->n, .m = 0, .mass = ZW_FULL, .weight = ZW_IDENTITY};
    if (!l->damped) {
        l->H = doubles(l, l->n, l->n);
        l->metric = doubles(l, l->n, l->n);
        if (!l->H || !l->metric) return l->arena.failure;
        ZB_TRY(zg_plan(l->sim->memory, &shape, &l->damped));
    }
    zw_status status = zg_factor(l->damped, l->M, NULL, NULL);
    l->singular = status == ZW_ERR_UNDETERMINED;
    return l->singular ? ZW_OK : status;
}

zw_status zr_level_metric(zr_level *l, const double *mass)
{
    const zr_pattern *p = &l->sim->model->M;
    size_t N = (size_t)l->n;
    if (N == 0) return ZW_OK;
    memset(l->M, 0, sizeof *l->M * N * N);
    for (int32_t i = 0; i < p->rows; i++) {
        for (int32_t k = p->start[i]; k < p->start[i + 1]; k++) {
            int32_t a = l->at[i], b = l->at[p->column[k]];
            if (a < 0 || b < 0) continue;
            l->M[(size_t)a * N + (size_t)b] = l->M[(size_t)b * N + (size_t)a] = mass[k];
        }
    }
    return judge_metric(l);
}
