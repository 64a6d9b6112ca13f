/*
 * The numbers of contact space (touch_space.h). Rows are evaluated with all masks on; to factor the
 * equations those with masks count as off. A friction whose pressure is not
 * simply the multiplier of one contact is told of all multipliers, lambda = lambda_free + L x.
 */
#include "touch_space.h"

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
                     .direction = take_space_doubles(sim, ZG_MOST_WIDTH, frictions)};
}

/* Numbers of the candidates; all contacts and frictions may be among them. */
static void take_candidates(zw_sim *sim, zr_space *s, int32_t most)
{
    const struct zr_contact_laws *laws = sim->contacts->laws;
    int32_t n = sim->zm->n, m = sim->zm->m, C = laws->contacts, F = laws->frictions;
    s->row = ZB_NEW_ARRAY(&sim->arena, int32_t, (size_t)most);
    s->was = ZB_NEW_ARRAY(&sim->arena, int32_t, (size_t)most);
    s->contact = ZB_NEW_ARRAY(&sim->arena, int32_t, (size_t)C);
    s->friction = ZB_NEW_ARRAY(&sim->arena, int32_t, (size_t)F);
    s->at = ZB_NEW_ARRAY(&sim->arena, int32_t, (size_t)m);
    s->Z = take_space_doubles(sim, most, n);
    s->G = take_space_doubles(sim, most, most);
    s->w = take_space_doubles(sim, most, 1);
    s->u = take_space_doubles(sim, most, 1);
    s->size = take_space_doubles(sim, most, 1);
    if (sim->model->W.rows > 0) s->weight = take_space_doubles(sim, most, 1);
    if (laws->nonlinear) {
        s->Lambda = take_space_doubles(sim, most, m);
        s->L = take_space_doubles(sim, m, most);
    }
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
    take_candidates(sim, s, most);
    if (sim->arena.failure != ZW_OK) return sim->arena.failure;
    zg_contact_limits limits = {.rows = most,
                                .contacts = laws->contacts,
                                .frictions = laws->frictions,
                                .joints = laws->nonlinear ? sim->zm->m : 0};
    ZB_TRY(zg_contact_space_plan(sim->memory, &limits, &s->solver));
    c->space = s;
    return ZW_OK;
}

void zr_close_space(zw_sim *sim)
{
    if (sim->contacts && sim->contacts->space) zg_contact_space_free(sim->contacts->space->solver);
}

/* ------------------------------------------------------------------------ candidates */

static int32_t add_candidate(zr_space *s, int32_t row)
{
    s->at[row] = s->rows;
    s->row[s->rows] = row;
    return s->rows++;
}

/* Which candidate contact presses friction k, where it is one; -1: none does. */
static int32_t find_presser(const zw_sim *sim, int32_t k)
{
    const zr_space *s = sim->contacts->space;
    const zr_friction_roots *at = &sim->contacts->laws->friction[k];
    for (int32_t c = 0; c < s->contacts; c++)
        if (sim->zm->contacts[s->contact[c]].row == at->first_row) return c;
    return -1;
}

/* A friction is in the space where something may press: a candidate contact, or a joint. */
static bool is_pressed(const zw_sim *sim, int32_t k, const bool *touching)
{
    const struct zr_contact_laws *laws = sim->contacts->laws;
    const zr_friction_roots *at = &laws->friction[k];
    if (at->joint) return true;
    for (int32_t i = at->first_row; i < at->first_row + at->row_count; i++)
        if (touching[laws->contact_of_row[i]]) return true;
    return false;
}

static void choose_candidates(zw_sim *sim, const bool *touching)
{
    zr_space *s = sim->contacts->space;
    const struct zr_contact_laws *laws = sim->contacts->laws;
    s->rows = s->contacts = s->frictions = 0;
    for (int32_t i = 0; i < sim->zm->m; i++) s->at[i] = -1;
    for (int32_t c = 0; c < laws->contacts; c++) {
        if (!touching[c]) continue;
        s->is_contact[s->contacts] =
            (zg_contact){.normal = add_candidate(s, sim->zm->contacts[c].row)};
        s->contact[s->contacts++] = c;
    }
    for (int32_t k = 0; k < laws->frictions; k++) {
        const zm_friction *f = &sim->zm->frictions[k];
        if (!is_pressed(sim, k, touching)) continue;
        s->is_friction[s->frictions] = (zg_friction){.first = s->rows, .width = f->width};
        for (int32_t j = 0; j < f->width; j++) add_candidate(s, f->first_row + j);
        s->friction[s->frictions++] = k;
    }
}

/* zg_pressure_fn: lambda [m], what the model says. */
static double evaluate_pressure(void *user, const double *lambda, double *gradient)
{
    const zr_pressing *p = user;
    zw_sim *sim = p->sim;
    zr_contacts *c = sim->contacts;
    int32_t m = sim->zm->m, at = c->laws->slips + c->laws->friction[p->friction].pressure;
    double largest = 0.0;
    for (int32_t i = 0; i < m; i++) largest = fmax(largest, fabs(lambda[i]));
    double step = largest > 0.0 ? 1e-7 * largest : 1.0;
    memcpy(c->trial, lambda, sizeof *lambda * (size_t)m);
    zr_measure(sim, c->trial);
    zr_evaluate_frictions(sim, &c->space->source);
    double here = c->slip[at];
    for (int32_t i = 0; i < m; i++) {
        c->trial[i] += step;
        zr_measure(sim, c->trial);
        zr_evaluate_frictions(sim, &c->space->source);
        gradient[i] = (c->slip[at] - here) / step;
        c->trial[i] = lambda[i];
    }
    return here;
}

/* What presses each candidate friction, and its coefficients. */
static void describe_frictions(zw_sim *sim)
{
    zr_space *s = sim->contacts->space;
    for (int32_t f = 0; f < s->frictions; f++) {
        int32_t k = s->friction[f];
        const zr_friction_roots *at = &sim->contacts->laws->friction[k];
        zg_friction *is = &s->is_friction[f];
        bool simple = !at->joint && at->row_count == 1 && at->pressure < 0;
        is->mu = zr_friction_mu(sim, k);
        is->mu_static = zr_friction_static(sim, k);
        is->contact = simple ? find_presser(sim, k) : -1;
        is->joint_first = at->pressure >= 0 ? 0 : at->first_row;
        is->joints = at->pressure >= 0 ? sim->zm->m : at->row_count;
        if (at->pressure < 0) continue;
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

/* Row i of A with its mask on, dense, into s->C. */
static void expand_row(zw_sim *sim, zr_space *s, int32_t i)
{
    const zr_pattern *A = &sim->model->A;
    memset(s->C, 0, sizeof *s->C * (size_t)sim->zm->n);
    for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) s->C[A->column[p]] = s->A[p];
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

/* The diagonal entry of W. */
static double weight_of_row(const zw_sim *sim, int32_t i)
{
    const zr_pattern *W = &sim->model->W;
    for (int32_t p = W->start[i]; p < W->start[i + 1]; p++)
        if (W->column[p] == i) return sim->W[p];
    return 1.0;
}

/* Z, Lambda and G, one solve a candidate. */
static zw_status find_responses(zw_sim *sim, zr_space *s)
{
    size_t n = (size_t)sim->zm->n, m = (size_t)sim->zm->m;
    double *scratch = sim->contacts->base;
    for (int32_t i = 0; i < s->rows; i++) {
        double *Z = s->Z + (size_t)i * n, *Lambda = s->Lambda ? s->Lambda + (size_t)i * m : scratch;
        expand_row(sim, s, s->row[i]);
        ZB_TRY(zr_solve_rows(&sim->solver->all, s->C, NULL, Z, Lambda));
        for (int32_t j = 0; j <= i; j++)
            s->G[i * s->rows + j] = s->G[j * s->rows + i] = row_times(sim, s, s->row[j], Z);
        if (s->weight) s->weight[i] = weight_of_row(sim, s->row[i]);
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
}

/* lambda_j = lambda_free_j + sum_i L_ji x_i; that of a candidate is x itself. */
static void write_joints(const zw_sim *sim, zr_space *s)
{
    int32_t m = sim->zm->m;
    for (int32_t j = 0; j < m && s->L; j++)
        for (int32_t i = 0; i < s->rows; i++)
            s->L[j * s->rows + i] = s->row[i] == j  ? 1.0
                                    : s->at[j] >= 0 ? 0.0
                                                    : s->Lambda[(size_t)i * (size_t)m + (size_t)j];
}

zw_status zr_fill_space(zw_sim *sim, double t, const double *q, const double *v,
                        const bool *touching)
{
    zr_space *s = sim->contacts->space;
    s->source = zr_source(sim, t, q, v);
    choose_candidates(sim, touching);
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
    write_joints(sim, s);
    return ZW_OK;
}

/* ---------------------------------------------------------------------------- changes */

/* Responses depend on positions alone, where the rows of velocities are linear in these. */
zw_status zr_renew_space(zw_sim *sim, const bool *touching)
{
    zr_space *s = sim->contacts->space;
    const zk_source *at = &s->source;
    if (sim->model->rows_nonlinear[ZR_VELOCITY])
        return zr_fill_space(sim, at->time, at->position, at->velocity, touching);
    zr_evaluate_dynamics(sim, at);
    keep_whole_rows(sim, s, at);
    zr_evaluate_frictions(sim, at);
    describe_frictions(sim);
    ZB_TRY(solve_without_contacts(sim, s, at));
    find_free_motion(sim, s);
    return ZW_OK;
}

/* Candidate i of those before becomes number k, which is not more. */
static void move_candidate(const zw_sim *sim, zr_space *s, int32_t i, int32_t k)
{
    size_t n = (size_t)sim->zm->n, m = (size_t)sim->zm->m, from = (size_t)i, to = (size_t)k;
    memmove(s->Z + to * n, s->Z + from * n, sizeof *s->Z * n);
    if (s->Lambda) memmove(s->Lambda + to * m, s->Lambda + from * m, sizeof *s->Z * m);
    s->w[k] = s->w[i];
    s->u[k] = s->u[i];
    s->size[k] = s->size[i];
    if (s->weight) s->weight[k] = s->weight[i];
}

/* Those that are left keep their order. */
void zr_restrict_space(zw_sim *sim, const bool *touching)
{
    zr_space *s = sim->contacts->space;
    int32_t before = s->rows, k = 0;
    memcpy(s->was, s->row, sizeof *s->was * (size_t)before);
    choose_candidates(sim, touching);
    if (s->rows == before) return describe_frictions(sim);
    for (int32_t i = 0; k < s->rows; i++)
        if (s->was[i] == s->row[k]) s->was[k++] = i; /* no more than i */
    for (k = 0; k < s->rows; k++) {
        move_candidate(sim, s, s->was[k], k);
        for (int32_t j = 0; j < s->rows; j++)
            s->G[k * s->rows + j] = s->G[s->was[k] * before + s->was[j]];
    }
    describe_frictions(sim);
    write_joints(sim, s);
}

zg_instant zr_space_instant(const zw_sim *sim, const double *w)
{
    const zr_space *s = sim->contacts->space;
    return (zg_instant){.rows = s->rows,
                        .contacts = s->contacts,
                        .frictions = s->frictions,
                        .joints = s->L ? sim->zm->m : 0,
                        .G = s->G,
                        .w = w,
                        .size = w == s->w ? s->size : NULL,
                        .W = s->weight,
                        .contact = s->is_contact,
                        .friction = s->is_friction,
                        .L = s->L,
                        .lambda0 = s->L ? s->lambda : NULL};
}
