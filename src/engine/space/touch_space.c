/*
 * The numbers of contact space (touch_space.h). Rows are evaluated with all masks on; to factor the
 * equations those with masks count as off. A friction whose pressure is not
 * simply the multiplier of one contact is told of all multipliers, lambda = lambda_free + L x.
 */
#include "touch_blocks.h"
#include "touch_motors.h"

#include <math.h>
#include <string.h>

/* What a callback needs to find the pressure of one friction. */
typedef struct zr_pressing {
    zw_sim *sim;
    int32_t friction;
} zr_pressing;

/* ---------------------------------------------------------------------------- memory */

static double *take_space_doubles(zw_sim *sim, int64_t rows, int64_t columns)
{
    return ZB_NEW_ARRAY(&sim->arena, double, zb_product((size_t)rows, (size_t)columns));
}

static uint8_t *take_space_bytes(zw_sim *sim, int64_t count)
{
    return ZB_NEW_ARRAY(&sim->arena, uint8_t, (size_t)count);
}

static zg_mode take_space_mode(zw_sim *sim, int32_t contacts, int32_t frictions)
{
    return (zg_mode){.contact = take_space_bytes(sim, contacts),
                     .friction = take_space_bytes(sim, frictions),
                     .direction = take_space_doubles(sim, ZG_MOST_WIDTH, frictions),
                     .side = ZB_NEW_ARRAY(&sim->arena, int8_t, (size_t)frictions)};
}

/* What grows with their number alone; all contacts and frictions may be candidates. */
static void take_candidates(zw_sim *sim, zr_space *s, int32_t most)
{
    const struct zr_contact_laws *laws = sim->contacts->laws;
    int32_t m = sim->zm->m, C = laws->contacts, F = laws->frictions;
    int32_t joints = laws->press_start[F];
    s->row = ZB_NEW_ARRAY(&sim->arena, int32_t, (size_t)most);
    s->was = ZB_NEW_ARRAY(&sim->arena, int32_t, (size_t)most);
    s->was_start = ZB_NEW_ARRAY(&sim->arena, int32_t, (size_t)most);
    s->was_G = ZB_NEW_ARRAY(&sim->arena, size_t, (size_t)most);
    s->was_Z = ZB_NEW_ARRAY(&sim->arena, size_t, (size_t)most);
    s->was_L = ZB_NEW_ARRAY(&sim->arena, size_t, (size_t)joints);
    s->was_friction = ZB_NEW_ARRAY(&sim->arena, int32_t, (size_t)joints);
    s->was_row = ZB_NEW_ARRAY(&sim->arena, int32_t, (size_t)joints);
    s->lambda0 = take_space_doubles(sim, joints, 1);
    s->pressed = take_space_doubles(sim, joints, 1);
    s->calm = ZB_NEW_ARRAY(&sim->arena, bool, (size_t)most);
    s->push = take_space_doubles(sim, sim->zm->n, 1);
    s->contact = ZB_NEW_ARRAY(&sim->arena, int32_t, (size_t)C);
    s->friction = ZB_NEW_ARRAY(&sim->arena, int32_t, (size_t)F);
    s->at = ZB_NEW_ARRAY(&sim->arena, int32_t, (size_t)m);
    s->w = take_space_doubles(sim, most, 1);
    s->u = take_space_doubles(sim, most, 1);
    s->size = take_space_doubles(sim, most, 1);
    s->whole = take_space_doubles(sim, most, 1);
    if (sim->model->W.rows > 0) s->weight = take_space_doubles(sim, most, 1);
    s->is_contact = ZB_NEW_ARRAY(&sim->arena, zg_contact, (size_t)C);
    s->is_friction = ZB_NEW_ARRAY(&sim->arena, zg_friction, (size_t)F);
    s->pressing = ZB_NEW_ARRAY(&sim->arena, zr_pressing, (size_t)F);
    s->mode = take_space_mode(sim, C, F);
    s->last = take_space_mode(sim, C, F);
    s->x = take_space_doubles(sim, most, 1);
    s->after = take_space_doubles(sim, most, 1);
    s->other = take_space_doubles(sim, most, 1);
    s->margin = take_space_doubles(sim, F, 1);
    s->holds = take_space_bytes(sim, most);
    s->unique = ZB_NEW_ARRAY(&sim->arena, bool, (size_t)most);
    s->choice = ZB_NEW_ARRAY(&sim->arena, zg_choice, (size_t)(C + F));
    s->approach = take_space_doubles(sim, C, 1);
    s->plastic = take_space_doubles(sim, C, 1);
}

zw_status zr_open_space(zw_sim *sim)
{
    zr_contacts *c = sim->contacts;
    const struct zr_contact_laws *laws = c->laws;
    int32_t most = laws->contacts + laws->slips;
    if (c->space) return ZW_OK;
    zr_space *s = ZB_NEW(&sim->arena, zr_space);
    if (!s) return sim->arena.failure;
    s->A = take_space_doubles(sim, sim->model->A.count, 1);
    s->b = take_space_doubles(sim, sim->zm->m, 1);
    s->phi = take_space_doubles(sim, sim->zm->m, 1);
    s->rate = take_space_doubles(sim, sim->zm->m, 1);
    s->level = take_space_doubles(sim, 4, sim->zm->m);
    s->z = take_space_doubles(sim, sim->zm->n, 1);
    s->lambda = take_space_doubles(sim, sim->zm->m, 1);
    s->C = take_space_doubles(sim, sim->zm->n, 1);
    take_candidates(sim, s, most + (sim->drive ? sim->drive->motors->rows : 0));
    if (sim->arena.failure != ZW_OK) return sim->arena.failure;
    c->space = s;
    ZB_TRY(zr_open_motor_rows(sim));
    return zr_open_blocks(sim);
}

void zr_close_space(zw_sim *sim)
{
    if (!sim->contacts || !sim->contacts->space) return;
    zr_close_blocks(sim);
    zr_close_motor_rows(sim);
}

/* ------------------------------------------------------------------------ candidates */

/* zg_pressure_fn: what the model says, from the multipliers that it reads. */
static double evaluate_pressure(void *user, const double *lambda, double *gradient)
{
    const zr_pressing *p = user;
    zw_sim *sim = p->sim;
    zr_contacts *c = sim->contacts;
    const struct zr_contact_laws *laws = c->laws;
    const int32_t *row = laws->press_row + laws->press_start[p->friction];
    int32_t count = laws->press_start[p->friction + 1] - laws->press_start[p->friction];
    int32_t at = laws->slips + laws->friction[p->friction].pressure;
    double largest = 0.0;
    for (int32_t i = 0; i < count; i++) largest = fmax(largest, fabs(lambda[i]));
    double step = largest > 0.0 ? 1e-7 * largest : 1.0;
    memset(c->trial, 0, sizeof *c->trial * (size_t)sim->zm->m);
    for (int32_t i = 0; i < count; i++) c->trial[row[i]] = lambda[i];
    zr_measure(sim, c->trial);
    zr_evaluate_frictions(sim, &c->space->source);
    double here = c->slip[at];
    for (int32_t i = 0; i < count; i++) {
        c->trial[row[i]] += step;
        zr_measure(sim, c->trial);
        zr_evaluate_frictions(sim, &c->space->source);
        gradient[i] = (c->slip[at] - here) / step;
        c->trial[row[i]] = lambda[i];
    }
    return here;
}

/* The laws of each candidate friction. */
static void describe_frictions(zw_sim *sim)
{
    zr_space *s = sim->contacts->space;
    for (int32_t f = 0; f < s->frictions; f++) {
        int32_t k = s->friction[f];
        zg_friction *is = &s->is_friction[f];
        is->mu = zr_friction_mu(sim, k);
        is->mu_static = zr_friction_static(sim, k);
        if (sim->contacts->laws->friction[k].pressure < 0) continue;
        s->pressing[f] = (zr_pressing){sim, k};
        is->pressure = evaluate_pressure;
        is->user = &s->pressing[f];
    }
}

void zr_set_slips(zw_sim *sim, const double *rest)
{
    zr_space *s = sim->contacts->space;
    for (int32_t f = 0; f < s->frictions; f++) {
        zg_friction *is = &s->is_friction[f];
        int32_t first = sim->contacts->laws->friction[s->friction[f]].slip;
        double square = 0.0, most = 0.0;
        for (int32_t j = 0; j < is->width; j++) {
            is->slip[j] = s->u[is->first + j];
            square += is->slip[j] * is->slip[j];
            most = fmax(most, rest[first + j]);
        }
        for (int32_t j = 0; j < is->width && !(sqrt(square) > most); j++) is->slip[j] = 0.0;
    }
}

/* ----------------------------------------------------------------------------- rows */

/* Row i of A with its mask on is added to s->C. */
static void add_row(const zw_sim *sim, zr_space *s, int32_t i)
{
    const zr_pattern *A = &sim->model->A;
    for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) s->C[A->column[p]] += s->A[p];
}

/* A_i x */
static double row_times(const zw_sim *sim, const zr_space *s, int32_t i, const double *x)
{
    const zr_pattern *A = &sim->model->A;
    double sum = 0.0;
    for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) sum += s->A[p] * x[A->column[p]];
    return sum;
}

/* A, b, phi and rate of all rows with masks on; the levels of the simulation stay. A and b of the
 * simulation are these, too: what counts as off is said apart. */
static void keep_whole_rows(zw_sim *sim, zr_space *s, const zk_source *at)
{
    size_t m = (size_t)sim->zm->m;
    zr_evaluate_rows(sim, at);
    memcpy(s->level, sim->level, sizeof *s->level * 4 * m);
    zr_evaluate_levels(sim, at);
    memcpy(s->A, sim->A, sizeof *s->A * (size_t)sim->model->A.count);
    memcpy(s->b, sim->b, sizeof *s->b * m);
    memcpy(s->phi, sim->level, sizeof *s->phi * m);
    memcpy(s->rate, sim->level + m, sizeof *s->rate * m);
    memcpy(sim->level, s->level, sizeof *s->level * 4 * m);
}

/* M and the equations alone, at the state whose rows are there. */
static zw_status factor_equations(zw_sim *sim)
{
    zr_forget_factor(sim);
    if (zr_factor_quickly(sim, &sim->solver->all, sim->A)) return ZW_OK;
    return zr_factor_all(sim);
}

/* z_free and lambda_free, of the equations alone, with C. Its measures are those of before. */
static zw_status solve_without_contacts(zw_sim *sim, zr_space *s, const zk_source *at)
{
    zr_solver *solver = sim->solver;
    const double *f = sim->Q;
    if (sim->model->nonideal.count > 0) {
        zr_evaluate_nonideal(sim, at);
        for (int32_t j = 0; j < sim->zm->n; j++) s->C[j] = sim->Q[j] + sim->C[j];
        f = s->C;
    }
    return zr_solve_rows(&solver->all, f, sim->b, s->z, s->lambda);
}

/* The terms of the acceleration of coordinate j: what is left of forces that balance is rounding of
 * these. */
static double size_of_push(const zw_sim *sim, const zr_space *s, int32_t j)
{
    int32_t p = sim->model->M.start[j];
    bool diagonal = p < sim->model->M.start[j + 1] && sim->model->M.column[p] == j;
    double size = fabs(s->z[j]);
    return diagonal && sim->M[p] > 0.0 ? size + fabs(sim->Q[j]) / sim->M[p] : size;
}

/* |b| + sum |A_ij| (|z_j| + |Q_j| / M_jj): rounding of w is in units of this. */
static double size_of_terms(const zw_sim *sim, const zr_space *s, int32_t i)
{
    const zr_pattern *A = &sim->model->A;
    double sum = fabs(s->b[i]);
    for (int32_t p = A->start[i]; p < A->start[i + 1]; p++)
        sum += fabs(s->A[p]) * size_of_push(sim, s, A->column[p]);
    return sum;
}

/* a^T M^-1 a of row a of A, from below: (a d)^2 / d^T M d for any d, by the diagonal of M here. A row of
 * which equations leave only rounding is told by it. 0 where a coordinate has no mass of its own. s->C is
 * 0 before and afterwards. */
static double size_of_response(const zw_sim *sim, zr_space *s, int32_t row)
{
    const zr_pattern *M = &sim->model->M, *A = &sim->model->A;
    double *a = s->C, push = 0.0, square = 0.0;
    bool massless = false;
    add_row(sim, s, row);
    for (int32_t p = A->start[row]; p < A->start[row + 1]; p++) {
        int32_t i = A->column[p];
        double own = sim->M[M->start[i]];
        if (a[i] == 0.0) continue;
        massless |= !(own > 0.0);
        push += a[i] * a[i] / own;
        for (int32_t k = M->start[i]; k < M->start[i + 1]; k++) {
            int32_t j = M->column[k];
            if (a[j] != 0.0)
                square +=
                    (i == j ? 1.0 : 2.0) * (a[i] / own) * sim->M[k] * (a[j] / sim->M[M->start[j]]);
        }
    }
    for (int32_t p = A->start[row]; p < A->start[row + 1]; p++) a[A->column[p]] = 0.0;
    return !massless && square > 0.0 ? push * push / square : 0.0;
}

/* Of all candidates. */
static void find_whole_responses(const zw_sim *sim, zr_space *s)
{
    memset(s->C, 0, sizeof *s->C * (size_t)sim->zm->n);
    for (int32_t i = 0; i < s->rows; i++) s->whole[i] = size_of_response(sim, s, s->row[i]);
}

/* What candidate i, of block b, does: s->push [n] and lambda [m] of its force. */
static void keep_response(const zw_sim *sim, zr_space *s, int32_t b, int32_t i)
{
    int32_t first = s->block_start[b], width = s->block_start[b + 1] - first;
    int32_t from = s->column_start[b], columns = s->column_start[b + 1] - from;
    double *Z = s->Z + s->Z_at[b] + (size_t)(i - first) * (size_t)columns, *G = s->G + s->G_at[b];
    for (int32_t j = 0; j < columns; j++) Z[j] = s->push[s->column[from + j]];
    for (int32_t j = 0; j <= i - first; j++)
        G[(i - first) * width + j] = G[j * width + i - first] =
            row_times(sim, s, s->row[first + j], s->push);
    if (s->weight) s->weight[i] = zr_weight_of_row(sim, s->row[i]);
}

/* Z, G and responses of multipliers: one solve for a candidate of each block, which do not feel each
 * other. */
static zw_status find_responses(zw_sim *sim, zr_space *s)
{
    double *lambda = sim->contacts->base;
    bool any = s->rows > 0;
    find_whole_responses(sim, s);
    for (int32_t k = 0; any; k++) {
        any = false;
        memset(s->C, 0, sizeof *s->C * (size_t)sim->zm->n);
        for (int32_t b = 0; b < s->blocks.count; b++) {
            if (s->block_start[b] + k >= s->block_start[b + 1]) continue;
            add_row(sim, s, s->row[s->block_start[b] + k]);
            any = true;
        }
        if (!any) return ZW_OK;
        ZB_TRY(zr_solve_rows(&sim->solver->all, s->C, NULL, s->push, lambda));
        for (int32_t b = 0; b < s->blocks.count; b++)
            if (s->block_start[b] + k < s->block_start[b + 1])
                keep_response(sim, s, b, s->block_start[b] + k);
        for (int32_t j = 0; j < s->joints; j++) {
            int32_t b = s->joint_block[j];
            if (s->block_start[b] + k < s->block_start[b + 1])
                s->response[s->L_at[j] + (size_t)k] = lambda[s->joint_row[j]];
        }
    }
    return ZW_OK;
}

/* What candidates do by themselves. */
static void find_free_motion(const zw_sim *sim, zr_space *s)
{
    for (int32_t i = 0; i < s->rows; i++) {
        s->w[i] = row_times(sim, s, s->row[i], s->z) - s->b[s->row[i]];
        s->u[i] = s->rate[s->row[i]];
        s->size[i] = size_of_terms(sim, s, s->row[i]);
    }
    for (int32_t j = 0; j < s->joints; j++) s->lambda0[j] = s->lambda[s->joint_row[j]];
}

/* lambda_j = lambda_free_j + sum_i L_ji x_i; that of a candidate is x itself. */
static void write_joints(zr_space *s)
{
    for (int32_t j = 0; j < s->joints; j++) {
        int32_t row = s->joint_row[j], b = s->joint_block[j];
        for (int32_t i = s->block_start[b]; i < s->block_start[b + 1]; i++) {
            size_t at = s->L_at[j] + (size_t)(i - s->block_start[b]);
            s->L[at] = s->row[i] == row ? 1.0 : s->at[row] >= 0 ? 0.0 : s->response[at];
        }
    }
}

zw_status zr_fill_space(zw_sim *sim, double t, const double *q, const double *v,
                        const bool *touching)
{
    zr_space *s = sim->contacts->space;
    s->source = zr_source(sim, t, q, v);
    ZB_TRY(zr_choose_candidates(sim, touching, true));
    zr_mask_all(sim, true);
    zr_masks_changed(sim);
    zr_count_masked_off(sim);
    zr_evaluate_dynamics(sim, &s->source);
    keep_whole_rows(sim, s, &s->source);
    zr_evaluate_frictions(sim, &s->source);
    describe_frictions(sim);
    ZB_TRY(factor_equations(sim));
    ZB_TRY(solve_without_contacts(sim, s, &s->source));
    ZB_TRY(find_responses(sim, s));
    find_free_motion(sim, s);
    write_joints(s);
    return s->motors ? zr_find_motor_pushes(sim, &s->source) : ZW_OK;
}

/* ---------------------------------------------------------------------------- changes */

/* Responses depend on positions alone, where the rows of velocities are linear in these. */
zw_status zr_renew_space(zw_sim *sim, const bool *touching)
{
    zr_space *s = sim->contacts->space;
    const zk_source *at = &s->source;
    if (sim->model->rows_nonlinear[ZR_VELOCITY] || s->motors)
        return zr_fill_space(sim, at->time, at->position, at->velocity, touching);
    zr_evaluate_dynamics(sim, at);
    keep_whole_rows(sim, s, at);
    zr_evaluate_frictions(sim, at);
    describe_frictions(sim);
    ZB_TRY(solve_without_contacts(sim, s, at));
    find_free_motion(sim, s);
    return ZW_OK;
}

/* Where the numbers of candidates and joints are, before they move. */
static void keep_places(zr_space *s)
{
    memcpy(s->was, s->row, sizeof *s->was * (size_t)s->rows);
    for (int32_t i = 0; i < s->rows; i++) {
        int32_t b = s->block_of[i], first = s->block_start[b];
        size_t width = (size_t)(s->block_start[b + 1] - first), at = (size_t)(i - first);
        s->was_start[i] = first;
        s->was_G[i] = s->G_at[b] + at * width;
        s->was_Z[i] = s->Z_at[b] + at * (size_t)(s->column_start[b + 1] - s->column_start[b]);
    }
    for (int32_t j = 0; j < s->joints; j++) {
        s->was_L[j] = s->L_at[j];
        s->was_friction[j] = s->joint_friction[j];
        s->was_row[j] = s->joint_row[j];
    }
}

/* Candidate i of those before becomes number k of block b: places are not behind those before. */
static void move_candidate(zr_space *s, int32_t i, int32_t k, int32_t b)
{
    int32_t first = s->block_start[b], end = s->block_start[b + 1];
    size_t columns = (size_t)(s->column_start[b + 1] - s->column_start[b]);
    double *G = s->G + s->G_at[b] + (size_t)(k - first) * (size_t)(end - first);
    memmove(s->Z + s->Z_at[b] + (size_t)(k - first) * columns, s->Z + s->was_Z[i],
            sizeof *s->Z * columns);
    for (int32_t j = first; j < end; j++)
        G[j - first] = s->G[s->was_G[i] + (size_t)(s->was[j] - s->was_start[i])];
    s->w[k] = s->w[i];
    s->u[k] = s->u[i];
    s->size[k] = s->size[i];
    s->whole[k] = s->whole[i];
    if (s->weight) s->weight[k] = s->weight[i];
}

/* Joint i of those before becomes number k. */
static void move_joint(zr_space *s, int32_t i, int32_t k)
{
    int32_t b = s->joint_block[k], first = s->block_start[b];
    for (int32_t j = first; j < s->block_start[b + 1]; j++)
        s->response[s->L_at[k] + (size_t)(j - first)] =
            s->response[s->was_L[i] + (size_t)(s->was[j] - s->was_start[s->was[j]])];
    s->lambda0[k] = s->lambda0[i];
}

/* Those that are left keep their order. */
void zr_restrict_space(zw_sim *sim, const bool *touching)
{
    zr_space *s = sim->contacts->space;
    int32_t before = s->rows, k = 0;
    keep_places(s);
    (void)zr_choose_candidates(sim, touching, false);
    describe_frictions(sim);
    if (s->rows == before) return;
    for (int32_t i = 0; k < s->rows; i++)
        if (s->was[i] == s->row[k]) s->was[k++] = i; /* no more than i */
    for (k = 0; k < s->rows; k++) move_candidate(s, s->was[k], k, s->block_of[k]);
    k = 0;
    for (int32_t i = 0; k < s->joints; i++)
        if (s->was_friction[i] == s->joint_friction[k] && s->was_row[i] == s->joint_row[k])
            move_joint(s, i, k++);
    write_joints(s);
}

double zr_joint_band(const zw_sim *sim, int32_t k)
{
    const zr_space *s = sim->contacts->space;
    double sum = fabs(s->lambda[sim->contacts->laws->friction[k].first_row]);
    int32_t own = s->at[sim->zm->frictions[k].first_row];
    double moves = own < 0 ? 0.0 : fmax(zr_own_response(s, own), s->whole[own]);
    for (int32_t j = 0; j < s->joints; j++) {
        int32_t b = s->joint_block[j], first = s->block_start[b];
        if (s->joint_friction[j] != k) continue;
        for (int32_t i = first; i < s->block_start[b + 1]; i++)
            sum += fabs(s->L[s->L_at[j] + (size_t)(i - first)] * s->x[i]);
    }
    return fmax(1e-9 * sum, moves > 0.0 ? 1e-13 * s->size[own] / moves : 0.0);
}

zg_instant zr_space_instant(zw_sim *sim, const double *w)
{
    const zr_space *s = sim->contacts->space;
    zg_instant instant = {.rows = s->rows,
                          .contacts = s->contacts,
                          .frictions = s->frictions,
                          .joints = s->joints,
                          .G = s->G,
                          .w = w,
                          .size = w == s->w ? s->size : NULL,
                          .whole = s->whole,
                          .W = s->weight,
                          .contact = s->is_contact,
                          .friction = s->is_friction,
                          .L = s->L,
                          .lambda0 = s->lambda0,
                          .blocks = &s->blocks};
    if (s->motors && w == s->w && zr_write_motor_rows(sim) == ZW_OK)
        zr_add_motor_rows(sim, &instant);
    return instant;
}
