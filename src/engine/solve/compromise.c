/*
 * The motion on a *compromise*: positions that cannot satisfy all holonomic rows, and are accepted
 * where they are best, phi^T W phi least (LANGUAGE: inconsistent = accept). There
 *
 *     g(q, t) = A^T W phi = 0
 *
 * n equations that can be met whatever the rows ask for. They are the constraint of the motion in
 * place of the rows, by the same principle: of all accelerations with g'' = 0 the one nearest to
 * that of the forces in the metric M,
 *
 *     H z = -D    H = dg/dq = A^T W A + sum (W phi)_i d2(phi_i),   D = d2/de2 g(q + e v, t + e) at 0
 *
 * beside the rows that are not holonomic. Where the second part of H, the *bend*, is 0 (rows that
 * are linear, or of one shape), A z = b says the same, and the ordinary roads serve. Otherwise A
 * alone does not know that the state is held: two spheres that do not meet hold a point between
 * them in all directions, yet the rows of A are parallel there.
 *
 * Derivatives of g are central differences of fourth order of A and phi, good to some 1e-11; the
 * state itself is brought onto g = 0 and g' = 0 at the end of every step. For small systems.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "roads.h"

enum { reach = 40, most_rounds = 30 };
static const double part = 1e-3; /* of a coordinate: how far differences go */

/* Dense matrices by rows. */
struct zr_compromise {
    bool on;
    int32_t n, rows;              /* rows: n of H, then those that are not holonomic */
    double span;                  /* the time that the motion takes, about */
    zg_system *system;            /* H and the other rows */
    double *A, *b;                /* [rows * n], [rows] */
    double *lambda;               /* [rows] */
    double *H;                    /* [n * n] */
    double *q, *g, *low, *middle; /* [n] a place of a difference, and g at some */
    double *D, *d;                /* [n] */
    double *W, *weighed;          /* [m * m], [m] */
    double *zero;                 /* [n] */
    double *delta;                /* [n] how far differences go */
};

/* The line of a difference: as far as e times (way, rate of t). */
typedef struct line {
    const double *way; /* [n] */
    double rate, e;
} line;

/* --------------------------------------------------------------------- opening */

static int32_t count_other_rows(const zw_sim *sim)
{
    int32_t count = 0;
    for (int32_t i = 0; i < sim->zm->m; i++) count += sim->row_kind[i] != ZM_HOLONOMIC;
    return count;
}

/* All entries of `rows` rows. */
static zg_pattern make_full_pattern(zb_arena *arena, int32_t rows, int32_t n)
{
    int32_t *start = ZB_NEW_ARRAY(arena, int32_t, (size_t)rows + 1);
    int32_t *column = ZB_NEW_ARRAY(arena, int32_t, (size_t)rows * (size_t)n);
    for (int32_t i = 0; start && i <= rows; i++) start[i] = i * n;
    for (int32_t k = 0; column && k < rows * n; k++) column[k] = k % n;
    return (zg_pattern){.rows = rows, .columns = n, .start = start, .column = column};
}

static zw_status take_compromise(zw_sim *sim, zb_arena *arena, zr_compromise *c)
{
    size_t n = (size_t)c->n, rows = (size_t)c->rows, m = (size_t)sim->zm->m;
    c->A = ZB_NEW_ARRAY(arena, double, rows *n);
    c->b = ZB_NEW_ARRAY(arena, double, rows);
    c->lambda = ZB_NEW_ARRAY(arena, double, rows);
    c->H = ZB_NEW_ARRAY(arena, double, n *n);
    c->q = ZB_NEW_ARRAY(arena, double, n);
    c->g = ZB_NEW_ARRAY(arena, double, n);
    c->low = ZB_NEW_ARRAY(arena, double, n);
    c->middle = ZB_NEW_ARRAY(arena, double, n);
    c->D = ZB_NEW_ARRAY(arena, double, n);
    c->d = ZB_NEW_ARRAY(arena, double, n);
    c->W = ZB_NEW_ARRAY(arena, double, m *m);
    c->weighed = ZB_NEW_ARRAY(arena, double, m);
    c->zero = ZB_NEW_ARRAY(arena, double, n);
    c->delta = ZB_NEW_ARRAY(arena, double, n);
    zg_structure structure = zr_structure(sim);
    structure.m = c->rows;
    structure.A = make_full_pattern(arena, c->rows, c->n);
    structure.W = (zg_pattern){0};
    structure.solver = ZW_SOLVER_DENSE;
    structure.rank_tolerance = 1e-7;
    if (arena->failure != ZW_OK) return arena->failure;
    return zg_system_plan(sim->memory, &structure, &c->system);
}

/* Where there are rows to be met in the sense of least squares, and not too many. */
zw_status zr_open_compromise(zw_sim *sim, zb_arena *arena, double span)
{
    int32_t other = count_other_rows(sim), n = sim->zm->n;
    sim->solver->compromise = NULL;
    if (other == sim->zm->m || n > reach || sim->zm->m > 2 * reach) return ZW_OK;
    if (sim->model->nonideal.count > 0) return ZW_OK;
    zr_compromise *c = ZB_NEW_ARRAY(arena, zr_compromise, 1);
    if (!c) return arena->failure;
    *c = (zr_compromise){.n = n, .rows = n + other, .span = span};
    sim->solver->compromise = c;
    return take_compromise(sim, arena, c);
}

/* The solver; arrays lie in the run's arena. */
void zr_close_compromise(zw_sim *sim)
{
    if (sim->solver->compromise) zg_system_free(sim->solver->compromise->system);
    sim->solver->compromise = NULL;
}

void zr_set_compromise(zw_sim *sim, bool on)
{
    if (sim->solver->compromise) sim->solver->compromise->on = on;
}

bool zr_on_compromise(const zw_sim *sim)
{
    return sim->solver->compromise && sim->solver->compromise->on;
}

/* ----------------------------------------------------------------- derivatives */

/* g at (t, q), into g [n]. False: something is not finite. */
static bool find_gradient(zw_sim *sim, double t, const double *q, double *g)
{
    const zr_compromise *c = sim->solver->compromise;
    const zr_pattern *A = &sim->model->A;
    int32_t n = c->n, m = sim->zm->m;
    double sum = 0.0;
    zk_source s = zr_source(sim, t, q, c->zero);
    zr_evaluate_rows(sim, &s);
    zr_evaluate_level(sim, ZR_POSITION, &s);
    if (sim->model->W.rows > 0) zr_expand_weight(sim, c->W, false);
    memset(g, 0, sizeof *g * (size_t)n);
    for (int32_t i = 0; i < m; i++) {
        double y = sim->model->W.rows > 0 ? 0.0 : sim->level[i];
        if (sim->row_kind[i] != ZM_HOLONOMIC) continue;
        for (int32_t k = 0; k < m && sim->model->W.rows > 0; k++)
            if (sim->row_kind[k] == ZM_HOLONOMIC) y += c->W[i * m + k] * sim->level[k];
        c->weighed[i] = y;
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) g[A->column[p]] += sim->A[p] * y;
    }
    for (int32_t j = 0; j < n; j++) sum += g[j];
    return isfinite(sum);
}

/* How far differences go in each coordinate. */
static void choose_differences(const zr_compromise *c, const double *q)
{
    double all = 0.0;
    for (int32_t j = 0; j < c->n; j++) all = fmax(all, fabs(q[j]));
    if (!(all > 0.0)) all = 1.0;
    for (int32_t j = 0; j < c->n; j++) c->delta[j] = part * fmax(fabs(q[j]), 0.1 * all);
}

/* g at (t, q) and `by` along (way, rate of t), into g [n]. */
static bool find_gradient_along(zw_sim *sim, double t, const double *q, const line *along,
                                double by, double *g)
{
    const zr_compromise *c = sim->solver->compromise;
    for (int32_t j = 0; j < c->n; j++) c->q[j] = q[j] + by * along->way[j];
    return find_gradient(sim, t + by * along->rate, c->q, g);
}

/* The first or second derivative of g along a line, into out [n]: what does not change there has
 * exactly 0.
 *
 *     first    (8 (g(1) - g(-1)) - (g(2) - g(-2))) / (12 e)
 *     second   (16 (g(1) + g(-1) - 2 g(0)) - (g(2) + g(-2) - 2 g(0))) / (12 e^2) */
static bool differ_along(zw_sim *sim, double t, const double *q, const line *along, int order,
                         double *out)
{
    const zr_compromise *c = sim->solver->compromise;
    double e = along->e, whole = 12.0 * (order == 1 ? e : e * e);
    if (order == 2 && !find_gradient(sim, t, q, c->middle)) return false;
    for (int k = 1; k <= 2; k++) {
        double share = k == 1 ? (order == 1 ? 8.0 : 16.0) : -1.0;
        if (!find_gradient_along(sim, t, q, along, k * e, c->g)) return false;
        if (!find_gradient_along(sim, t, q, along, -k * e, c->low)) return false;
        for (int32_t j = 0; j < c->n; j++) {
            double up = order == 1 ? c->g[j] - c->low[j]
                                   : (c->g[j] - c->middle[j]) + (c->low[j] - c->middle[j]);
            out[j] = (k == 1 ? 0.0 : out[j]) + share * up / whole;
        }
    }
    return true;
}

/* H at (t, q), column by column; made symmetric. */
static bool find_hessian(zw_sim *sim, double t, const double *q)
{
    const zr_compromise *c = sim->solver->compromise;
    int32_t n = c->n;
    bool finite = true;
    choose_differences(c, q);
    for (int32_t j = 0; j < n && finite; j++) {
        memset(c->d, 0, sizeof *c->d * (size_t)n);
        c->d[j] = 1.0;
        line along = {.way = c->d, .e = c->delta[j]};
        finite = differ_along(sim, t, q, &along, 1, c->H + (size_t)j * (size_t)n);
    }
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < i; j++)
            c->H[i * n + j] = c->H[j * n + i] = 0.5 * (c->H[i * n + j] + c->H[j * n + i]);
    return finite;
}

/* The time in which a motion with these velocities goes as far as differences do. */
static double choose_time(const zr_compromise *c, const double *v)
{
    double e = part * c->span;
    for (int32_t j = 0; j < c->n; j++)
        if (fabs(v[j]) * e > 4.0 * c->delta[j]) e = 4.0 * c->delta[j] / fabs(v[j]);
    return e;
}

/* --------------------------------------------------------------------- solving */

/* x = GG(f, b) with the rows H and, where `others`, those that are not holonomic, as sim->A has
 * them. M and A are of the state. */
static zw_status solve_on_compromise(zw_sim *sim, bool others, const double *f, double *x)
{
    const zr_compromise *c = sim->solver->compromise;
    const zr_pattern *A = &sim->model->A;
    size_t n = (size_t)c->n;
    int32_t at = c->n;
    memset(c->A, 0, sizeof *c->A * n * (size_t)c->rows);
    memcpy(c->A, c->H, sizeof *c->A * n * n);
    for (int32_t i = 0; i < sim->zm->m; i++) {
        if (sim->row_kind[i] == ZM_HOLONOMIC) continue;
        for (int32_t p = A->start[i]; others && p < A->start[i + 1]; p++)
            c->A[(size_t)at * n + (size_t)A->column[p]] = sim->A[p];
        at++;
    }
    zg_values values = {.M = sim->M, .A = c->A};
    ZB_TRY(zg_system_factor(c->system, &values));
    return zg_system_apply(c->system, f, c->b, x, c->lambda, NULL, NULL);
}

/* M, Q, A and b of the state are then in sim. */
zw_status zr_accelerate_on_compromise(zw_sim *sim, const zk_source *s, double *z)
{
    zr_compromise *c = sim->solver->compromise;
    int32_t n = c->n, at = n;
    double t = s->time;
    if (!find_hessian(sim, t, s->position)) return ZW_ERR_NOT_FINITE;
    line along = {.way = s->velocity, .rate = 1.0, .e = choose_time(c, s->velocity)};
    if (!differ_along(sim, t, s->position, &along, 2, c->D)) return ZW_ERR_NOT_FINITE;
    zr_forget_factor(sim);
    zr_evaluate_dynamics(sim, s);
    zr_evaluate_rows(sim, s);
    for (int32_t j = 0; j < n; j++) c->b[j] = -c->D[j];
    for (int32_t i = 0; i < sim->zm->m; i++)
        if (sim->row_kind[i] != ZM_HOLONOMIC) c->b[at++] = sim->b[i];
    memset(sim->lambda, 0, sizeof *sim->lambda * (size_t)sim->zm->m);
    return solve_on_compromise(sim, true, sim->Q, z);
}

/* y = M x of the M in sim. */
static void multiply_mass(const zw_sim *sim, const double *x, double *y)
{
    const zr_pattern *M = &sim->model->M;
    memset(y, 0, sizeof *y * (size_t)sim->zm->n);
    for (int32_t i = 0; i < M->rows; i++)
        for (int32_t p = M->start[i]; p < M->start[i + 1]; p++) {
            int32_t j = M->column[p];
            y[i] += sim->M[p] * x[j];
            if (j != i) y[j] += sim->M[p] * x[i];
        }
}

/* The force that holds the state is M z - Q, all of it ideal; single rows have no share of it that
 * would be theirs. */
zw_status zr_answer_on_compromise(zw_sim *sim, const zk_source *s, zw_gauss_answer *answer)
{
    zr_compromise *c = sim->solver->compromise;
    const zr_pattern *A = &sim->model->A;
    int32_t n = c->n, m = sim->zm->m;
    double z[reach];
    ZB_TRY(zr_accelerate_on_compromise(sim, s, z));
    multiply_mass(sim, z, c->d);
    for (int32_t j = 0; j < n; j++) {
        double force = c->d[j] - sim->Q[j];
        if (answer->acceleration) answer->acceleration[j] = z[j];
        if (answer->force) answer->force[j] = force;
        if (answer->force_ideal) answer->force_ideal[j] = force;
        if (answer->force_nonideal) answer->force_nonideal[j] = 0.0;
    }
    for (int32_t i = 0; i < m; i++) {
        double left = -sim->b[i];
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) left += sim->A[p] * z[A->column[p]];
        if (answer->residual) answer->residual[i] = left;
        if (answer->multipliers) answer->multipliers[i] = (double)NAN;
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------ projection */

/* Positions: Newton's steps until they no longer shrink. */
static zw_status bring_positions(zw_sim *sim, double t, double *q)
{
    zr_compromise *c = sim->solver->compromise;
    int32_t n = c->n;
    double before = HUGE_VAL;
    bool slow = true;
    for (int round = 0; round < most_rounds; round++) {
        double change = 0.0, size = 0.0;
        if (slow && !find_hessian(sim, t, q)) return ZW_ERR_NOT_FINITE;
        if (!find_gradient(sim, t, q, c->D)) return ZW_ERR_NOT_FINITE;
        zk_source s = zr_source(sim, t, q, c->zero);
        zr_evaluate_dynamics(sim, &s);
        memset(c->b, 0, sizeof *c->b * (size_t)c->rows);
        for (int32_t j = 0; j < n; j++) c->b[j] = -c->D[j];
        ZB_TRY(solve_on_compromise(sim, false, c->zero, c->d));
        for (int32_t j = 0; j < n; j++) {
            change = fmax(change, fabs(c->d[j]));
            size = fmax(size, fabs(q[j]));
        }
        slow = !(change < 0.01 * before);                 /* then H is that of another place */
        if (slow && before <= 1e-13 * size) return ZW_OK; /* rounding is left */
        for (int32_t j = 0; j < n; j++) q[j] += c->d[j];
        if (change <= 4.0 * DBL_EPSILON * size) return ZW_OK;
        before = change;
    }
    return ZW_ERR_ACCURACY;
}

/* phi^T W phi of the last gradient. */
static double measure_misfit(const zw_sim *sim)
{
    const zr_compromise *c = sim->solver->compromise;
    double sum = 0.0;
    for (int32_t i = 0; i < sim->zm->m; i++)
        if (sim->row_kind[i] == ZM_HOLONOMIC) sum += c->weighed[i] * sim->level[i];
    return sum;
}

/* H + mu M, of the M in sim; mu is in units of the larger entries of H. */
static void damp_hessian(const zw_sim *sim, double mu)
{
    const zr_compromise *c = sim->solver->compromise;
    const zr_pattern *M = &sim->model->M;
    int32_t n = c->n;
    double largest = 0.0, mass = 0.0;
    for (int32_t k = 0; k < n * n; k++) largest = fmax(largest, fabs(c->H[k]));
    for (int32_t i = 0; i < n; i++) mass = fmax(mass, fabs(sim->M[M->start[i]]));
    for (int32_t i = 0; i < n && mass > 0.0; i++) {
        double own = M->column[M->start[i]] == i ? fabs(sim->M[M->start[i]]) : 0.0;
        c->H[i * n + i] += mu * largest * fmax(own / mass, 1e-3);
    }
}

/* Towards the least misfit from farther away: damped steps, with less damping after each that
 * falls, until they are small. */
static zw_status descend_to_compromise(zw_sim *sim, double t, double *q)
{
    zr_compromise *c = sim->solver->compromise;
    int32_t n = c->n;
    double mu = 1e-3, place[reach];
    for (int round = 0; round < 200 && mu < 1e12; round++) {
        double size = 0.0, change = 0.0;
        if (!find_hessian(sim, t, q) || !find_gradient(sim, t, q, c->D)) return ZW_ERR_NOT_FINITE;
        double before = measure_misfit(sim);
        zk_source s = zr_source(sim, t, q, c->zero);
        zr_evaluate_dynamics(sim, &s);
        damp_hessian(sim, mu);
        memset(c->b, 0, sizeof *c->b * (size_t)c->rows);
        for (int32_t j = 0; j < n; j++) c->b[j] = -c->D[j];
        ZB_TRY(solve_on_compromise(sim, false, c->zero, c->d));
        for (int32_t j = 0; j < n; j++) {
            place[j] = q[j] + c->d[j];
            change = fmax(change, fabs(c->d[j]));
            size = fmax(size, fabs(q[j]));
        }
        bool fell = find_gradient(sim, t, place, c->D) && measure_misfit(sim) < before;
        if (fell) memcpy(q, place, sizeof *q * (size_t)n);
        if (change <= 1e-8 * size) return ZW_OK;
        mu = fell ? fmax(0.2 * mu, 1e-12) : 5.0 * mu;
    }
    return ZW_OK;
}

/* Velocities: g' = 0 and the rows that are not holonomic; linear in v, but for a few. Where they were
 * much larger before, differences are better the second time. */
static zw_status bring_velocities(zw_sim *sim, double t, const double *q, double *v)
{
    zr_compromise *c = sim->solver->compromise;
    int32_t n = c->n, m = sim->zm->m;
    if (!find_hessian(sim, t, q)) return ZW_ERR_NOT_FINITE;
    for (int round = 0; round < 8; round++) {
        int32_t at = n;
        double change = 0.0, size = 0.0;
        line along = {.way = v, .rate = 1.0, .e = choose_time(c, v)};
        if (!differ_along(sim, t, q, &along, 1, c->D)) return ZW_ERR_NOT_FINITE;
        zk_source s = zr_source(sim, t, q, v);
        zr_evaluate_dynamics(sim, &s);
        zr_evaluate_rows(sim, &s);
        zr_evaluate_level(sim, ZR_VELOCITY, &s);
        for (int32_t j = 0; j < n; j++) c->b[j] = -c->D[j];
        for (int32_t i = 0; i < m; i++) {
            if (sim->row_kind[i] == ZM_HOLONOMIC) continue;
            bool none = sim->row_kind[i] == ZM_ACCELERATION;
            for (int32_t p = sim->model->A.start[i]; none && p < sim->model->A.start[i + 1]; p++)
                sim->A[p] = 0.0;
            c->b[at++] = none ? 0.0 : -sim->level[m + i];
        }
        ZB_TRY(solve_on_compromise(sim, true, c->zero, c->d));
        for (int32_t j = 0; j < n; j++) {
            v[j] += c->d[j];
            change = fmax(change, fabs(c->d[j]));
            size = fmax(size, fabs(v[j]));
        }
        if (round > 0 && change <= 1e-12 * size) break;
    }
    return ZW_OK;
}

zw_status zr_project_onto_compromise(zw_sim *sim, double t, double *q, double *v)
{
    zr_forget_factor(sim);
    ZB_TRY(bring_positions(sim, t, q));
    ZB_TRY(bring_velocities(sim, t, q, v));
    zk_source s = zr_source(sim, t, q, v);
    zr_evaluate_levels(sim, &s);
    return ZW_OK;
}

/* -------------------------------------------------------------------- entering */

/* Whether the bend is more than what differences leave: H against A^T W A, in size. */
static bool does_it_bend(zw_sim *sim, double t, const double *q)
{
    zr_compromise *c = sim->solver->compromise;
    const zr_pattern *A = &sim->model->A;
    int32_t n = c->n, m = sim->zm->m;
    double largest = 0.0, bend = 0.0;
    if (!find_hessian(sim, t, q) || !find_gradient(sim, t, q, c->g)) return false;
    for (int32_t k = 0; k < n * n; k++) largest = fmax(largest, fabs(c->H[k]));
    for (int32_t i = 0; i < m; i++)
        for (int32_t k = 0; k < m; k++) {
            double w = sim->model->W.rows > 0 ? c->W[i * m + k] : (i == k ? 1.0 : 0.0);
            bool both = sim->row_kind[i] == ZM_HOLONOMIC && sim->row_kind[k] == ZM_HOLONOMIC;
            if (w == 0.0 || !both) continue;
            for (int32_t p = A->start[i]; p < A->start[i + 1]; p++)
                for (int32_t r = A->start[k]; r < A->start[k + 1]; r++)
                    c->H[A->column[p] * n + A->column[r]] -= w * sim->A[p] * sim->A[r];
        }
    for (int32_t k = 0; k < n * n; k++) bend = fmax(bend, fabs(c->H[k]));
    return bend > 1e-8 * largest;
}

/* From a state near it; q and v [n] in place, as they were where it is not entered. */
bool zr_enter_compromise(zw_sim *sim, double t, double *q, double *v, bool far)
{
    zr_compromise *c = sim->solver->compromise;
    if (!c || c->on || (!far && !does_it_bend(sim, t, q))) return false;
    double kept[2 * reach];
    memcpy(kept, q, sizeof *q * (size_t)c->n);
    memcpy(kept + c->n, v, sizeof *v * (size_t)c->n);
    c->on = (!far || descend_to_compromise(sim, t, q) == ZW_OK) &&
            zr_project_onto_compromise(sim, t, q, v) == ZW_OK;
    if (c->on) return true;
    memcpy(q, kept, sizeof *q * (size_t)c->n);
    memcpy(v, kept + c->n, sizeof *v * (size_t)c->n);
    return false;
}
