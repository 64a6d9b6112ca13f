/*
 * Motors beside contacts and friction, in the mode at hand. The driven rows are off while this is
 * solved; the rows that are on are those of the equations and of the mode, and with their factor
 *
 *     z_k, lambda_k = GG(B_k, 0)     P = A_c (z_1 .. z_count)     d = b_c - A_c z_0,  z_0 = GG(f, b)
 *     u by motor_law.c               z = z_0 + sum u_k z_k        lambda = lambda_0 + sum u_k lambda_k
 *
 * f has the friction of what slides in it, which answers to what presses, and so to the motors. They
 * are found together: while it is known which motors are at a limit, the others answer linearly,
 *
 *     u = u_0 + K (-A_c z)     K the law's answer to a unit of d, 0 for motors at their limits
 *
 * and friction.c sees the motion with these answers in it (zr_answer_by_motors). Then the law says
 * which motors are at a limit, and where those are others it is done again with them.
 */
#include "beside_contacts.h"

#include <math.h>
#include <string.h>

#include "friction.h"
#include "motor_law.h"

enum { most_rounds = 12 };

zw_status zr_open_beside(zw_sim *sim)
{
    zr_drive *d = sim->drive;
    if (!d || !sim->model->laws) return ZW_OK;
    zb_arena *arena = &sim->arena;
    size_t r = (size_t)d->motors->rows, c = (size_t)d->motors->count;
    d->push_z = ZB_NEW_ARRAY(arena, double, zb_product(c, (size_t)sim->zm->n));
    d->push_lambda = ZB_NEW_ARRAY(arena, double, zb_product(c, (size_t)sim->zm->m));
    d->row_z = ZB_NEW_ARRAY(arena, double, zb_product(r, (size_t)sim->zm->n));
    d->answer = ZB_NEW_ARRAY(arena, double, r *c);
    d->constant = ZB_NEW_ARRAY(arena, double, c);
    d->assumed = ZB_NEW_ARRAY(arena, int8_t, c);
    return arena->failure;
}

/* -------------------------------------------------------------------------- responses */

/* S = A_c X A_c^T of the driven rows, and their scales; X A_c^T into d->row_z. */
static zw_status find_row_scales(zw_sim *sim)
{
    zr_drive *d = sim->drive;
    const zr_pattern *A = &sim->model->A;
    for (int32_t i = 0; i < d->law->rows; i++) {
        int32_t row = d->motors->row[i];
        memset(d->column, 0, sizeof *d->column * (size_t)sim->zm->n);
        for (int32_t p = A->start[row]; p < A->start[row + 1]; p++)
            d->column[A->column[p]] += sim->A[p];
        double *z = d->row_z + (size_t)i * (size_t)sim->zm->n;
        ZB_TRY(zr_solve_rows(&sim->solver->all, d->column, NULL, z, d->lambda));
        for (int32_t j = 0; j < d->law->rows; j++)
            d->S[i * d->law->rows + j] = zr_driven_times(sim, j, z);
        d->law->row_scale[i] = sqrt(fmax(d->S[i * (d->law->rows + 1)], 0.0));
    }
    return ZW_OK;
}

zw_status zr_find_motor_pushes(zw_sim *sim, const zk_source *s)
{
    zr_drive *d = sim->drive;
    zr_motor_law *law = d->law;
    size_t n = (size_t)sim->zm->n, m = (size_t)sim->zm->m;
    ZB_TRY(zr_read_motors(sim, s));
    ZB_TRY(find_row_scales(sim));
    for (int32_t k = 0; k < law->count; k++) {
        double *z = d->push_z + (size_t)k * n, power = 0.0;
        zr_write_motor_column(sim, k, d->column);
        ZB_TRY(
            zr_solve_rows(&sim->solver->all, d->column, NULL, z, d->push_lambda + (size_t)k * m));
        for (size_t j = 0; j < n; j++) power += d->column[j] * z[j];
        law->motor_scale[k] = sqrt(fmax(power, 0.0));
        for (int32_t i = 0; i < law->rows; i++)
            law->P[i * law->count + k] = zr_driven_times(sim, i, z);
    }
    return ZW_OK;
}

/* Rows of the mode leave some driven row to nobody. */
static bool is_pressing(zw_sim *sim)
{
    return zr_motor_rank(sim->drive->law) < sim->drive->law->rows;
}

/* ---------------------------------------------------------------------------- answers */

/* d->answer and d->constant of the motors that are not at a limit among d->assumed. */
static bool find_answers(zr_drive *d)
{
    zr_motor_law *law = d->law;
    memset(law->d, 0, sizeof *law->d * (size_t)law->rows);
    if (!zr_answer_at_limits(law, d->assumed, true, d->constant)) return false;
    for (int32_t i = 0; i < law->rows; i++) {
        law->d[i] = 1.0;
        if (!zr_answer_at_limits(law, d->assumed, false,
                                 d->answer + (size_t)i * (size_t)law->count))
            return false;
        law->d[i] = 0.0;
    }
    return true;
}

/* z and lambda with u [count] times the pushes added. */
static void add_pushes(const zw_sim *sim, const double *u, double *z, double *lambda)
{
    const zr_drive *d = sim->drive;
    size_t n = (size_t)sim->zm->n, m = (size_t)sim->zm->m;
    for (int32_t k = 0; k < d->law->count; k++) {
        const double *push = d->push_z + (size_t)k * n, *way = d->push_lambda + (size_t)k * m;
        if (u[k] == 0.0) continue;
        for (size_t j = 0; j < n; j++) z[j] += u[k] * push[j];
        for (size_t i = 0; i < m; i++) lambda[i] += u[k] * way[i];
    }
}

void zr_answer_by_motors(zw_sim *sim, bool whole, double *z, double *lambda)
{
    zr_drive *d = sim->drive;
    if (!d || !d->answers) return;
    int32_t count = d->law->count;
    for (int32_t k = 0; k < count; k++) d->u[k] = whole ? d->constant[k] : 0.0;
    for (int32_t i = 0; i < d->law->rows; i++) {
        double asked = whole ? sim->b[d->motors->row[i]] : 0.0;
        asked -= zr_driven_times(sim, i, z);
        for (int32_t k = 0; k < count; k++) d->u[k] += asked * d->answer[i * count + k];
    }
    add_pushes(sim, d->u, z, lambda);
}

/* ------------------------------------------------------------------------------ push */

/* Q, with the friction under what the motors answer, and extra [n] or NULL: into d->total. */
static zw_status gather_forces(zw_sim *sim, const zk_source *s, const double *extra)
{
    zr_drive *d = sim->drive;
    bool slides = zr_any_slides(sim);
    if (slides) {
        d->answers = true;
        zw_status status = zr_add_friction(sim, s, extra);
        d->answers = false;
        ZB_TRY(status);
    }
    const double *Q = slides ? sim->contacts->total : sim->Q;
    for (int32_t j = 0; j < sim->zm->n; j++) d->total[j] = Q[j] + (extra ? extra[j] : 0.0);
    return ZW_OK;
}

/* u of the law under d->total, which then has B u in it, too; z and lambda of the motion. */
static bool apply_law(zw_sim *sim)
{
    zr_drive *d = sim->drive;
    zr_motor_law *law = d->law;
    for (int32_t i = 0; i < law->rows; i++)
        law->d[i] = sim->b[d->motors->row[i]] - zr_driven_times(sim, i, d->z);
    return zr_apply_motor_law(law);
}

/* A motor at its limit that would rather give less, were nothing in its way: by what it moves without contacts
 * and what is left undone. */
static bool wants_back(const zw_sim *sim, int32_t k)
{
    const zr_motor_law *law = sim->drive->law;
    const zr_mode *mode = &sim->contacts->mode;
    double sum = 0.0;
    for (int32_t i = 0; i < law->rows; i++)
        for (int32_t j = 0; j < law->rows; j++)
            sum += mode->reach[i * law->count + k] * law->W[i * law->rows + j] * law->slack[j];
    return sum * mode->motor[k] > 0.0;
}

/* Where contacts hold what motors are to move, no push changes it: those that were at a limit when the mode was decided give
 * all they can, the others do what is nearest. False: no motor is at a limit. */
static bool press_on(zw_sim *sim)
{
    zr_drive *d = sim->drive;
    zr_motor_law *law = d->law;
    const int8_t *motor = sim->contacts->mode.motor;
    bool any = false;
    for (int32_t k = 0; k < law->count; k++) any = any || motor[k] != ZR_INSIDE;
    if (!any || !zr_answer_at_limits(law, motor, true, d->u)) return false;
    for (int32_t k = 0; k < law->count; k++)
        if (!(d->u[k] >= law->low[k] && d->u[k] <= law->high[k]))
            d->u[k] = fmin(fmax(d->u[k], law->low[k]), law->high[k]);
    zr_find_motor_slack(law);
    for (int32_t k = 0; k < law->count; k++)
        d->side[k] = wants_back(sim, k) ? (int8_t)ZR_INSIDE : motor[k];
    return true;
}

bool zr_do_limits_agree(const zr_drive *d, const int8_t *assumed, int round)
{
    const zr_motor_law *law = d->law;
    for (int32_t k = 0; k < law->count; k++) {
        double limit = assumed[k] > 0 ? law->high[k] : law->low[k];
        bool near = round > 1 && d->side[k] == ZR_INSIDE && assumed[k] != ZR_INSIDE &&
                    fabs(d->u[k] - limit) <= 1e-9 * fmax(fabs(limit), fabs(d->u[k]));
        if (d->side[k] != assumed[k] && !near) return false;
    }
    return true;
}

/* What motors give beside friction; d->z, d->lambda: the motion. */
static zw_status find_push(zw_sim *sim, const zk_source *s, const double *extra)
{
    zr_drive *d = sim->drive;
    zr_motor_law *law = d->law;
    size_t count = (size_t)law->count;
    memset(d->assumed, ZR_INSIDE, count);
    if (is_pressing(sim)) memcpy(d->assumed, sim->contacts->mode.motor, count);
    for (int round = 0; round < most_rounds; round++) {
        if (zr_any_slides(sim) && !find_answers(d)) return zr_note_drive(d, s, ZR_DRIVE_RANK, -1);
        ZB_TRY(gather_forces(sim, s, extra));
        ZB_TRY(zr_solve_rows(&sim->solver->all, d->total, sim->b, d->z, d->lambda));
        if (!zb_all_finite(d->z, sim->zm->n)) return ZW_ERR_NOT_FINITE;
        bool presses = !apply_law(sim);
        if (presses && !press_on(sim)) return zr_note_drive(d, s, ZR_DRIVE_RANK, -1);
        if (!zr_any_slides(sim) || presses || zr_do_limits_agree(d, d->assumed, round)) {
            d->behind = law->behind;
            add_pushes(sim, d->u, d->z, d->lambda);
            return ZW_OK;
        }
        memcpy(d->assumed, d->side, count);
    }
    return zr_note_drive(d, s, ZR_DRIVE_UNSETTLED, -1);
}

/* C at the multipliers of the motion without it. */
static zw_status find_nonideal_beside(zw_sim *sim, const zk_source *s)
{
    if (sim->model->uses_measures) {
        ZB_TRY(find_push(sim, s, NULL));
        memcpy(sim->lambda, sim->drive->lambda, sizeof *sim->lambda * (size_t)sim->zm->m);
        zr_write_sliding_multipliers(sim, s->velocity, sim->lambda);
        zr_measure(sim, sim->lambda);
    }
    zr_evaluate_nonideal(sim, s);
    return ZW_OK;
}

/* With the rows of the mode factored, driven ones off: all that moves. */
static zw_status solve_mode(zw_sim *sim, const zk_source *s, bool nonideal)
{
    ZB_TRY(zr_find_motor_pushes(sim, s));
    if (nonideal) ZB_TRY(find_nonideal_beside(sim, s));
    ZB_TRY(find_push(sim, s, nonideal ? sim->C : NULL));
    zr_write_drive_force(sim);
    return ZW_OK;
}

/* ----------------------------------------------------------------------- acceleration */

/* What the motors leave undone. Of other rows conflicts are not told while rows come and go. */
static void note_behind(zw_sim *sim, zr_solving *run)
{
    const zr_drive *d = sim->drive;
    double square = 0.0;
    if (!zr_tells_conflicts(run)) return;
    memcpy(run->side, d->side, (size_t)d->law->count);
    run->behind = d->behind;
    if (!d->behind && !run->any_conflicting) return;
    memset(run->inconsistency, 0, sizeof *run->inconsistency * (size_t)sim->zm->m);
    for (int32_t i = 0; i < d->law->rows; i++) {
        run->inconsistency[d->motors->row[i]] = d->slack[i];
        square += d->slack[i] * d->slack[i];
    }
    zr_note_conflict(sim, run, d->behind ? sqrt(square) : 0.0);
}

static zw_status accelerate_in_mode(zw_sim *sim, zr_solving *run, const zr_wanted *w)
{
    const zr_drive *d = sim->drive;
    bool nonideal = sim->model->nonideal.count > 0;
    size_t n = (size_t)sim->zm->n;
    ZB_TRY(zr_factor_sliding(sim, run));
    ZB_TRY(solve_mode(sim, w->at, nonideal));
    memcpy(w->z, d->z, sizeof *w->z * n);
    memcpy(sim->lambda, d->lambda, sizeof *sim->lambda * (size_t)sim->zm->m);
    for (size_t j = 0; w->force && j < n; j++) w->force[j] = nonideal ? sim->C[j] : 0.0;
    return ZW_OK;
}

/* The factor is not one of all rows: nobody is to take it for that. */
zw_status zr_accelerate_beside(zw_sim *sim, zr_solving *run, const zr_wanted *w)
{
    bool before = run && run->any_conflicting;
    zr_set_driven_off(sim, true);
    zw_status status = accelerate_in_mode(sim, run, w);
    zr_set_driven_off(sim, false);
    if (run) run->taken[sim->solver->road == ZR_NO_ROAD ? ZR_CAREFUL : sim->solver->road]++;
    zr_forget_factor(sim);
    if (status != ZW_OK || !run) return status;
    run->rank = run->generic_rank;
    run->any_conflicting = before;
    note_behind(sim, run);
    return ZW_OK;
}

zw_status zr_solve_beside(zw_sim *sim, const zk_source *s, bool nonideal, zw_gauss_answer *answer)
{
    zr_solver *solver = sim->solver;
    zr_drive *d = sim->drive;
    bool some = nonideal && sim->model->nonideal.count > 0;
    zr_set_driven_off(sim, true);
    zw_status status = zr_factor_at(sim, s);
    if (status == ZW_OK) status = solve_mode(sim, s, nonideal);
    for (int32_t j = 0; status == ZW_OK && some && j < sim->zm->n; j++) d->total[j] -= sim->C[j];
    if (status == ZW_OK)
        status =
            zg_system_solve(solver->all.system, d->total, sim->b, some ? sim->C : NULL, answer);
    zr_set_driven_off(sim, false);
    ZB_TRY(status);
    answer->rank += d->law->rows;
    ZB_TRY(zr_factor_at(sim, s));
    solver->road = solver->sparse ? ZR_SPARSE : ZR_CAREFUL;
    solver->held = &solver->all;
    return ZW_OK;
}
