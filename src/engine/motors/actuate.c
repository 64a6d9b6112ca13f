/*
 * Controls that motors enforce. Their rows stand in A as all others do; but instead of the ideal
 * force A_c^T lambda_c it is the motors that push, by B u. With the factor of all rows at hand,
 *
 *     (z, lambda) = GG(f + B u, b)     lambda_c = lambda_c(f, b) + sum_k u_k lambda_c(B_k, 0)
 *
 * u is such that nothing is left for the multipliers of the driven rows: lambda_c = 0. That is the
 * condition A_c X B u = b_c - A_c z0 under the other rows, for with S = A_c X A_c^T
 *
 *     S lambda_c(f, b) = b_c - A_c z0     -S lambda_c(B_k, 0) = A_c X B_k     S^-1 e_i = lambda_c(0, e_i)
 *
 * so one more solve for each motor and each driven row gives both sides, and what a motor can move
 * at all (motor_law.c). Motors at their limits leave something undone, r = A_c z - b_c: then b + r
 * takes the place of b, which the motors do meet, and everything else stays as it is.
 */
#include "beside_contacts.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "friction.h"
#include "motor_law.h"

/* ----------------------------------------------------------------------------- memory */

static zr_motor_law *take_law(zw_sim *sim, int32_t rows, int32_t count)
{
    zb_arena *arena = &sim->arena;
    size_t r = (size_t)rows, c = (size_t)count;
    zr_motor_law *law = ZB_NEW(arena, zr_motor_law);
    if (!law) return NULL;
    *law = (zr_motor_law){.rows = rows, .count = count};
    law->P = ZB_NEW_ARRAY(arena, double, r *c);
    law->d = ZB_NEW_ARRAY(arena, double, r);
    law->row_scale = ZB_NEW_ARRAY(arena, double, r);
    law->motor_scale = ZB_NEW_ARRAY(arena, double, c);
    law->W = ZB_NEW_ARRAY(arena, double, r *r);
    law->weight = ZB_NEW_ARRAY(arena, double, c);
    law->low = ZB_NEW_ARRAY(arena, double, c);
    law->high = ZB_NEW_ARRAY(arena, double, c);
    law->work = ZB_NEW_ARRAY(arena, double, zr_motor_law_work(rows, count));
    return law;
}

zw_status zr_open_drive(zw_sim *sim)
{
    const struct zr_motors *motors = sim->model->motors;
    if (!motors) return ZW_OK;
    zb_arena *arena = &sim->arena;
    size_t n = (size_t)sim->zm->n, m = (size_t)sim->zm->m, r = (size_t)motors->rows;
    size_t c = (size_t)motors->count;
    zr_drive *d = sim->drive = ZB_NEW(arena, zr_drive);
    zr_motor_law *law = take_law(sim, motors->rows, motors->count);
    if (!d || !law) return arena->failure;
    d->motors = motors;
    d->law = law;
    d->B = ZB_NEW_ARRAY(arena, double, (size_t)motors->B.count);
    d->V = ZB_NEW_ARRAY(arena, double, c + (size_t)motors->number_count);
    d->u = law->u = ZB_NEW_ARRAY(arena, double, c);
    d->side = law->side = ZB_NEW_ARRAY(arena, int8_t, c);
    d->slack = law->slack = ZB_NEW_ARRAY(arena, double, r);
    law->missed = ZB_NEW_ARRAY(arena, bool, r);
    d->trouble.missed = ZB_NEW_ARRAY(arena, bool, r);
    d->force = ZB_NEW_ARRAY(arena, double, n);
    d->total = ZB_NEW_ARRAY(arena, double, n);
    d->bent = ZB_NEW_ARRAY(arena, double, m);
    d->z = ZB_NEW_ARRAY(arena, double, n);
    d->lambda = ZB_NEW_ARRAY(arena, double, m);
    d->unit = ZB_NEW_ARRAY(arena, double, m);
    d->column = ZB_NEW_ARRAY(arena, double, n);
    d->S = ZB_NEW_ARRAY(arena, double, r *r);
    d->reach = ZB_NEW_ARRAY(arena, double, r *c);
    return zr_open_beside(sim);
}

/* ---------------------------------------------------------------------------- numbers */

zw_status zr_note_drive(zr_drive *d, const zk_source *s, zr_drive_kind kind, int32_t motor)
{
    d->trouble.kind = kind;
    d->trouble.t = s->time;
    d->trouble.rank = d->law->rank;
    d->trouble.motor = motor;
    bool all = kind == ZR_DRIVE_TOUCHING || kind == ZR_DRIVE_UNSETTLED;
    for (int32_t i = 0; i < d->law->rows; i++) d->trouble.missed[i] = all || d->law->missed[i];
    return ZW_ERR_CONTROL;
}

/* Limits and weights of the motors. */
static zw_status read_motor_numbers(zr_drive *d, const zk_source *s)
{
    zr_motor_law *law = d->law;
    for (int32_t k = 0; k < law->count; k++) {
        const zr_motor_numbers *at = &d->motors->numbers[k];
        law->low[k] = zr_motor_number(d, at->low, -HUGE_VAL);
        law->high[k] = zr_motor_number(d, at->high, HUGE_VAL);
        law->weight[k] = zr_motor_number(d, at->weight, 1.0);
        if (isnan(law->low[k]) || isnan(law->high[k]) || !isfinite(law->weight[k]))
            return ZW_ERR_NOT_FINITE;
        if (!(law->low[k] < law->high[k])) return zr_note_drive(d, s, ZR_DRIVE_LIMITS, k);
        if (!(law->weight[k] > 0.0)) return zr_note_drive(d, s, ZR_DRIVE_WEIGHT, k);
    }
    return ZW_OK;
}

/* The weights W of the driven rows. */
static void read_row_weights(const zw_sim *sim)
{
    const zr_drive *d = sim->drive;
    const zr_pattern *W = &sim->model->W;
    int32_t rows = d->motors->rows;
    const int32_t *row = d->motors->row;
    for (int32_t i = 0; i < rows; i++)
        for (int32_t j = 0; j < rows; j++) {
            double *to = &d->law->W[i * rows + j];
            *to = i == j ? 1.0 : 0.0;
            for (int32_t p = W->rows > 0 ? W->start[row[i]] : 0;
                 W->rows > 0 && p < W->start[row[i] + 1]; p++)
                if (W->column[p] == row[j]) *to = sim->W[p];
        }
}

/* ------------------------------------------------------------------------- two sides */

/* What row i of A says of z. */
static double row_times(const zw_sim *sim, int32_t i, const double *z)
{
    const zr_pattern *A = &sim->model->A;
    double sum = 0.0;
    for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) sum += sim->A[p] * z[A->column[p]];
    return sum;
}

double zr_driven_times(const zw_sim *sim, int32_t i, const double *z)
{
    return row_times(sim, sim->drive->motors->row[i], z);
}

zw_status zr_read_motors(zw_sim *sim, const zk_source *s)
{
    zr_evaluate_motors(sim, s);
    sim->drive->law->rank = 0;
    ZB_TRY(read_motor_numbers(sim->drive, s));
    read_row_weights(sim);
    return ZW_OK;
}

/* S^-1 column by column into d->S; a driven row that cannot be moved alone follows from others. */
static zw_status find_inverse(zw_sim *sim, const zk_source *s)
{
    zr_drive *d = sim->drive;
    const int32_t rows = d->motors->rows, *row = d->motors->row;
    bool settled = false;
    memset(d->column, 0, sizeof *d->column * (size_t)sim->zm->n);
    for (int32_t j = 0; j < rows; j++) {
        d->unit[row[j]] = 1.0;
        zw_status status = zr_solve_rows(&sim->solver->all, d->column, d->unit, d->z, d->lambda);
        d->unit[row[j]] = 0.0;
        ZB_TRY(status);
        for (int32_t i = 0; i < rows; i++) d->S[i * rows + j] = d->lambda[row[i]];
        d->law->missed[j] = fabs(row_times(sim, row[j], d->z) - 1.0) > 1e-6;
        settled = settled || d->law->missed[j];
    }
    return settled ? zr_note_drive(d, s, ZR_DRIVE_SETTLED, -1) : ZW_OK;
}

/* X [size * size] = X^-1, symmetric and definite, by elimination without pivots; false: not so. */
static bool invert_small(int32_t size, double *X)
{
    for (int32_t k = 0; k < size; k++) {
        double pivot = X[k * size + k];
        if (!(pivot > 0.0)) return false;
        X[k * size + k] = 1.0;
        for (int32_t j = 0; j < size; j++) X[k * size + j] /= pivot;
        for (int32_t i = 0; i < size; i++) {
            double factor = i == k ? 0.0 : X[i * size + k];
            if (i == k) continue;
            X[i * size + k] = 0.0;
            for (int32_t j = 0; j < size; j++) X[i * size + j] -= factor * X[k * size + j];
        }
    }
    return true;
}

/* lambda_c of each motor into d->reach, and B_k^T z_k into its scale. */
static zw_status find_reach(zw_sim *sim)
{
    zr_drive *d = sim->drive;
    zr_motor_law *law = d->law;
    for (int32_t k = 0; k < law->count; k++) {
        double power = 0.0;
        zr_write_motor_column(sim, k, d->column);
        ZB_TRY(zr_solve_rows(&sim->solver->all, d->column, NULL, d->z, d->lambda));
        for (int32_t j = 0; j < sim->zm->n; j++) power += d->column[j] * d->z[j];
        law->motor_scale[k] = power;
        for (int32_t i = 0; i < law->rows; i++)
            d->reach[i * law->count + k] = d->lambda[d->motors->row[i]];
    }
    return ZW_OK;
}

/* P, d and the scales, from S and lambda_c; d->lambda is that of the force. */
static void write_law(const zr_drive *d)
{
    zr_motor_law *law = d->law;
    int32_t rows = law->rows, count = law->count;
    for (int32_t i = 0; i < rows; i++) {
        law->row_scale[i] = sqrt(d->S[i * rows + i]);
        law->d[i] = 0.0;
        for (int32_t j = 0; j < rows; j++)
            law->d[i] += d->S[i * rows + j] * d->lambda[d->motors->row[j]];
        for (int32_t k = 0; k < count; k++) {
            double sum = 0.0;
            for (int32_t j = 0; j < rows; j++) sum -= d->S[i * rows + j] * d->reach[j * count + k];
            law->P[i * count + k] = sum;
        }
    }
    for (int32_t k = 0; k < count; k++) { /* B_k^T X B_k without the driven rows */
        double power = fmax(law->motor_scale[k], 0.0);
        for (int32_t i = 0; i < rows; i++) power -= d->reach[i * count + k] * law->P[i * count + k];
        law->motor_scale[k] = sqrt(fmax(power, 0.0));
    }
}

/* ------------------------------------------------------------------------------ force */

void zr_write_drive_force(zw_sim *sim)
{
    zr_drive *d = sim->drive;
    const zr_pattern *B = &d->motors->B;
    memset(d->force, 0, sizeof *d->force * (size_t)sim->zm->n);
    for (int32_t k = 0; k < d->law->count; k++)
        for (int32_t p = B->start[k]; p < B->start[k + 1]; p++)
            d->force[B->column[p]] += d->u[k] * d->B[p];
    for (int32_t j = 0; j < sim->zm->n; j++) d->total[j] += d->force[j];
}

/* From u and slack: the force, all forces, and what is met. */
static void write_drive(zw_sim *sim, const double *f)
{
    zr_drive *d = sim->drive;
    memcpy(d->total, f, sizeof *d->total * (size_t)sim->zm->n);
    zr_write_drive_force(sim);
    memcpy(d->bent, sim->b, sizeof *d->bent * (size_t)sim->zm->m);
    for (int32_t i = 0; i < d->law->rows; i++) d->bent[d->motors->row[i]] += d->slack[i];
}

zw_status zr_add_motors(zw_sim *sim, const zk_source *s, const double *f)
{
    zr_drive *d = sim->drive;
    zr_motor_law *law = d->law;
    ZB_TRY(zr_read_motors(sim, s));
    ZB_TRY(find_inverse(sim, s));
    if (!invert_small(law->rows, d->S)) return zr_note_drive(d, s, ZR_DRIVE_SETTLED, -1);
    ZB_TRY(find_reach(sim));
    ZB_TRY(zr_solve_rows(&sim->solver->all, f, sim->b, d->z, d->lambda));
    write_law(d);
    for (int32_t i = 0; i < law->rows; i++)
        if (!isfinite(law->d[i])) return ZW_ERR_NOT_FINITE;
    if (!zr_apply_motor_law(law)) return zr_note_drive(d, s, ZR_DRIVE_RANK, -1);
    d->behind = law->behind;
    write_drive(sim, f);
    return ZW_OK;
}

/* Nothing is left for the multipliers of driven rows but rounding. lambda [m]. */
static void clear_driven(const zr_drive *d, double *lambda)
{
    for (int32_t i = 0; i < d->law->rows; i++) lambda[d->motors->row[i]] = 0.0;
}

/* ---------------------------------------------------------------------- acceleration */

/* C at the multipliers of the ideal forces, and of the motors without it. */
static zw_status find_nonideal_driven(zw_sim *sim, const zk_source *s)
{
    zr_drive *d = sim->drive;
    if (sim->model->uses_measures) {
        ZB_TRY(zr_add_motors(sim, s, sim->Q));
        ZB_TRY(zr_solve_rows(&sim->solver->all, d->total, d->bent, d->z, sim->lambda));
        clear_driven(d, sim->lambda);
        zr_measure(sim, sim->lambda);
    }
    zr_evaluate_nonideal(sim, s);
    return ZW_OK;
}

/* What the motors leave undone, and rows that contradict each other without them: A z - b. */
static void note_undone(zw_sim *sim, zr_solving *run, const double *z)
{
    const zr_drive *d = sim->drive;
    bool dependent = run->generic_rank < zr_rows_on(sim), off = d->behind;
    double square = 0.0;
    if (!zr_tells_conflicts(run)) return;
    memcpy(run->side, d->side, (size_t)d->law->count);
    run->behind = d->behind;
    if (!d->behind && !dependent && !run->any_conflicting) return;
    for (int32_t i = 0; i < sim->zm->m; i++)
        run->inconsistency[i] = dependent ? row_times(sim, i, z) - sim->b[i] : 0.0;
    if (dependent) off = zr_is_any_row_off(sim, run, z, DBL_EPSILON * zr_last_condition(sim, run));
    for (int32_t i = 0; i < d->law->rows; i++) run->inconsistency[d->motors->row[i]] = d->slack[i];
    for (int32_t i = 0; i < sim->zm->m; i++)
        square += run->inconsistency[i] * run->inconsistency[i];
    zr_note_conflict(sim, run, off || d->behind ? sqrt(square) : 0.0);
}

zw_status zr_accelerate_driven(zw_sim *sim, zr_solving *run, const zr_wanted *w)
{
    zr_drive *d = sim->drive;
    if (sim->contacts) return zr_accelerate_beside(sim, run, w);
    int32_t n = sim->zm->n;
    bool nonideal = sim->model->nonideal.count > 0, before = run && run->any_conflicting;
    ZB_TRY(zr_factor_sliding(sim, run));
    if (nonideal) ZB_TRY(find_nonideal_driven(sim, w->at));
    for (int32_t j = 0; nonideal && j < n; j++) sim->solver->z_nonideal[j] = sim->Q[j] + sim->C[j];
    ZB_TRY(zr_add_motors(sim, w->at, nonideal ? sim->solver->z_nonideal : sim->Q));
    ZB_TRY(zr_solve_rows(&sim->solver->all, d->total, d->bent, w->z, sim->lambda));
    clear_driven(d, sim->lambda);
    if (w->force)
        for (int32_t j = 0; j < n; j++) w->force[j] = nonideal ? sim->C[j] : 0.0;
    if (!run) return ZW_OK;
    run->taken[sim->solver->road]++;
    run->any_conflicting = before; /* as it was, where this answer does not tell */
    note_undone(sim, run, w->z);
    return ZW_OK;
}

/* ------------------------------------------------------------------------- at a state */

/* The answer under all forces, and the force of the motors added to the whole. */
static void finish_driven_answer(const zw_sim *sim, zw_gauss_answer *answer)
{
    const zr_drive *d = sim->drive;
    double square = 0.0;
    if (answer->multipliers) clear_driven(d, answer->multipliers);
    for (int32_t j = 0; answer->force && j < sim->zm->n; j++) answer->force[j] += d->force[j];
    for (int32_t i = 0; i < d->law->rows; i++) {
        int32_t row = d->motors->row[i];
        if (answer->residual) answer->residual[row] += d->slack[i];
        if (answer->inconsistency) answer->inconsistency[row] += d->slack[i];
        for (int32_t j = 0; j < d->law->rows; j++)
            square += d->slack[i] * d->law->W[i * d->law->rows + j] * d->slack[j];
    }
    if (d->behind) answer->inconsistency_norm = hypot(answer->inconsistency_norm, sqrt(square));
    if (d->behind) answer->consistent = false;
}

zw_status zr_solve_driven(zw_sim *sim, const zk_source *s, bool nonideal, zw_gauss_answer *answer)
{
    zr_solver *solver = sim->solver;
    zr_drive *d = sim->drive;
    if (sim->contacts) {
        ZB_TRY(zr_solve_beside(sim, s, nonideal, answer));
        finish_driven_answer(sim, answer);
        return ZW_OK;
    }
    ZB_TRY(zr_factor_at(sim, s));
    solver->road = solver->sparse ? ZR_SPARSE : ZR_CAREFUL;
    solver->held = &solver->all;
    double *f = solver->z_nonideal;
    memcpy(f, sim->Q, sizeof *f * (size_t)sim->zm->n);
    if (nonideal) {
        ZB_TRY(zr_add_motors(sim, s, sim->Q));
        ZB_TRY(zr_solve_rows(&solver->all, d->total, d->bent, d->z, sim->lambda));
        clear_driven(d, sim->lambda);
        zr_measure(sim, sim->lambda);
        zr_evaluate_nonideal(sim, s);
        for (int32_t j = 0; j < sim->zm->n; j++) f[j] = sim->Q[j] + sim->C[j];
    }
    ZB_TRY(zr_add_motors(sim, s, f));
    for (int32_t j = 0; j < sim->zm->n; j++) d->total[j] = sim->Q[j] + d->force[j];
    bool some = nonideal && sim->model->nonideal.count > 0;
    ZB_TRY(zg_system_solve(solver->all.system, d->total, d->bent, some ? sim->C : NULL, answer));
    finish_driven_answer(sim, answer);
    return ZW_OK;
}
