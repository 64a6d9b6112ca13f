/*
 * Multipliers that hold nothing. Where rows of A depend on each other the multipliers may be changed
 * by any n with A^T n = 0. A random one is found with right sides r of random numbers and no force:
 * what no acceleration can remove of r is u, with A^T W u = 0, so that
 *
 *     n = W u
 *
 * changes every multiplier that can be changed, but for chance. It costs two solves with the factor
 * at hand; where the solver does not vouch for it, conjugate gradients find one without it. Who asks
 * takes memory when a run begins, and none here.
 */
#include <math.h>
#include <string.h>

#include "level.h"
#include "run.h"

zw_status zr_open_shares(zw_sim *sim, zb_arena *arena, zr_shares *x)
{
    size_t n = (size_t)sim->zm->n, m = (size_t)sim->zm->m;
    size_t outputs = (size_t)zr_output_elements(sim->model);
    x->row = ZB_NEW_ARRAY(arena, bool, m);
    x->control = ZB_NEW_ARRAY(arena, bool, n);
    x->output = ZB_NEW_ARRAY(arena, bool, outputs);
    x->length = ZB_NEW_ARRAY(arena, double, m);
    x->change = ZB_NEW_ARRAY(arena, double, m);
    x->image = ZB_NEW_ARRAY(arena, double, m);
    x->pull = ZB_NEW_ARRAY(arena, double, n);
    x->way = ZB_NEW_ARRAY(arena, double, n);
    x->moved = ZB_NEW_ARRAY(arena, double, outputs);
    x->any = ZB_NEW_ARRAY(arena, double, outputs);
    x->same = ZB_NEW_ARRAY(arena, bool, outputs);
    x->lowest = sim->zm->m;
    x->first = (double)NAN;
    return arena->failure;
}

/* ------------------------------------------------------------------- a change of shares */

/* x->length: of the rows. */
static void measure_rows(const zw_sim *sim, zr_shares *x)
{
    const zr_pattern *A = &sim->model->A;
    for (int32_t i = 0; i < A->rows; i++) {
        double sum = 0.0;
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) sum += sim->A[p] * sim->A[p];
        x->length[i] = sqrt(sum);
    }
}

/* x->change = W u */
static void weigh_change(const zw_sim *sim, zr_shares *x, const double *u)
{
    const zr_pattern *W = &sim->model->W;
    if (W->rows == 0) memcpy(x->change, u, sizeof *u * (size_t)sim->zm->m);
    for (int32_t i = 0; i < W->rows; i++) {
        x->change[i] = 0.0;
        for (int32_t p = W->start[i]; p < W->start[i + 1]; p++)
            x->change[i] += sim->W[p] * u[W->column[p]];
    }
}

/* Random numbers of a size with which all rows count alike. */
static void draw_right_sides(const zw_sim *sim, zr_shares *x)
{
    uint64_t seed = 0x53484152u + (uint64_t)x->looks;
    for (int32_t i = 0; i < sim->zm->m; i++) {
        double kick = 0.5 + 0.5 * zr_next_random(&seed);
        x->change[i] = x->length[i] > 0.0 ? kick / x->length[i] : 0.0;
    }
}

/* x->change by the solver; what the first solve leaves of the rest the second removes. False: the
 * solver does not vouch for it. */
static bool find_change_by_solver(zw_sim *sim, zr_shares *x)
{
    zw_gauss_answer answer = {.inconsistency = x->image};
    draw_right_sides(sim, x);
    for (int k = 0; k < 2; k++) {
        zg_system *system = sim->solver->all.system;
        if (zg_system_solve(system, sim->work, x->change, NULL, &answer) != ZW_OK) return false;
        memcpy(x->change, x->image, sizeof *x->change * (size_t)sim->zm->m);
    }
    weigh_change(sim, x, x->image);
    return true;
}

/* pull [n] = A^T change, of some rows: all, or those of controls. */
void zr_pull_share_change(const zw_sim *sim, zr_shares *x, bool controls)
{
    const zr_pattern *A = &sim->model->A;
    memset(x->pull, 0, sizeof *x->pull * (size_t)sim->zm->n);
    for (int32_t k = 0; k < sim->zm->constraint_count; k++) {
        const zm_constraint *c = &sim->zm->constraints[k];
        for (int32_t i = c->first_row; i < c->first_row + c->row_count; i++)
            for (int32_t p = A->start[i]; p < A->start[i + 1] && (c->control || !controls); p++)
                x->pull[A->column[p]] += sim->A[p] * x->change[i];
    }
}

/* The squared length of pull [n]. */
static double square_pull(const zw_sim *sim, const zr_shares *x)
{
    double sum = 0.0;
    for (int32_t j = 0; j < sim->zm->n; j++) sum += x->pull[j] * x->pull[j];
    return sum;
}

/* image [m] = A way, each row by its length; its squared length in these units. */
static double apply_rows(const zw_sim *sim, zr_shares *x)
{
    const zr_pattern *A = &sim->model->A;
    double sum = 0.0;
    for (int32_t i = 0; i < A->rows; i++) {
        double value = 0.0, length = x->length[i];
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++)
            value += sim->A[p] * x->way[A->column[p]];
        x->image[i] = length > 0.0 ? value / length : 0.0;
        sum += x->image[i] * x->image[i];
    }
    return sum;
}

/* x->change without the solver: what least squares leave of random numbers in rows of length 1, by
 * conjugate gradients. False: they do not get there. */
static bool find_change_by_itself(const zw_sim *sim, zr_shares *x)
{
    int32_t n = sim->zm->n, m = sim->zm->m;
    draw_right_sides(sim, x);
    zr_pull_share_change(sim, x, false);
    memcpy(x->way, x->pull, sizeof *x->way * (size_t)n);
    double square = square_pull(sim, x), enough = 1e-24 * m;
    for (int32_t k = 0; k < 10 * (n + m) && square > enough; k++) {
        double by = square / apply_rows(sim, x), before = square;
        for (int32_t i = 0; i < m; i++)
            if (x->length[i] > 0.0) x->change[i] -= by * x->image[i] / x->length[i];
        zr_pull_share_change(sim, x, false);
        square = square_pull(sim, x);
        for (int32_t j = 0; j < n; j++) x->way[j] = x->pull[j] + square / before * x->way[j];
    }
    return square <= enough;
}

/* The largest force of a row in the change; 0: there is none, or the rows together do not vanish as
 * they should. */
static double measure_change(const zw_sim *sim, zr_shares *x)
{
    double largest = 0.0;
    for (int32_t i = 0; i < sim->zm->m; i++)
        largest = fmax(largest, fabs(x->change[i]) * x->length[i]);
    zr_pull_share_change(sim, x, false);
    return sqrt(square_pull(sim, x)) <= 1e-9 * largest ? largest : 0.0;
}

/* x->change [m]: multipliers that hold nothing. */
double zr_find_share_change(zw_sim *sim, zr_shares *x)
{
    x->looks++;
    measure_rows(sim, x);
    double largest = find_change_by_solver(sim, x) ? measure_change(sim, x) : 0.0;
    if (largest > 0.0) return largest;
    return find_change_by_itself(sim, x) ? measure_change(sim, x) : 0.0;
}
