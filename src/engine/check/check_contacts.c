/*
 * Inequalities and friction at the start, for `zwang check`. All rows are evaluated with their masks
 * on; which of them count is said to the solver each time:
 *
 *     none at all                       |grad V|, |grad phi| in M^-1
 *     equations and closed contacts     rows that depend on each other; what a unit of friction along
 *                                       a direction does to what presses, lambda_k = GG(T_k, 0)
 *     these and one open contact        the same, for what is not closed yet
 *
 * Friction k of coefficient mu changes what presses friction j by up to H_jk = mu |press_j(lambda_k)| of
 * what presses k. The largest sum of a row of H is the *feedback*; below 1 all forces are unique. Of a
 * contact by itself 1 - H_kk is the pivot of its equation with friction relative to that without.
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "trouble.h"

enum { most_open = 64 }; /* open contacts whose friction is looked at */

/* An examination under way. */
typedef struct examination {
    zr_check *c;
    zw_sim *sim;
    const struct zr_contact_laws *laws;
    zk_source s;
    bool *off;                   /* [m] rows that do not count */
    double *force, *z;           /* [n] */
    double *zero, *lambda, *sum; /* [m], [m], [frictions] */
    zw_status failure;           /* of memory */
} examination;

/* ------------------------------------------------------------------------ the state */

static bool is_on_positions(const zw_sim *sim, int32_t contact)
{
    return sim->row_kind[sim->zm->contacts[contact].row] == ZM_HOLONOMIC;
}

/* A row of a contradiction that the start could not or did not resolve. */
static bool is_in_conflict(const zw_sim *sim, int32_t row)
{
    const zr_findings *list = &sim->start.conflicts;
    for (int32_t k = 0; k < list->count; k++)
        for (int32_t i = 0; i < list->list[k].count; i++)
            if (list->list[k].rows[i] == row) return true;
    return false;
}

/* Gaps, rates, and who touches. */
static void read_state(examination *x)
{
    zr_contacts *now = x->sim->contacts;
    zr_contact_check *k = &x->c->contacts;
    int32_t contacts = x->laws->contacts;
    zr_evaluate_gaps(x->sim, &x->s);
    for (int32_t i = 0; i < contacts; i++) {
        int32_t row = x->sim->zm->contacts[i].row;
        k->gap[i] = now->gap[i];
        k->rate[i] = now->gap[contacts + i];
        k->conflicting[i] = is_in_conflict(x->sim, row);
        bool touches = is_on_positions(x->sim, i) && k->gap[i] <= now->small.gap[row];
        k->approaches[i] = k->decided && touches && k->rate[i] < -now->small.rate[row];
    }
    const zr_space *space = now->space;
    for (int32_t i = 0; k->decided && i < space->rows; i++)
        k->held += space->holds[i] == ZG_ROW_BASIS;
}

static bool take_arrays(examination *x)
{
    zb_arena *notes = &x->sim->notes;
    zr_contact_check *k = &x->c->contacts;
    size_t contacts = (size_t)x->laws->contacts, frictions = (size_t)x->laws->frictions;
    size_t n = (size_t)x->sim->zm->n, m = (size_t)x->sim->zm->m;
    k->gap = ZB_NEW_ARRAY(notes, double, contacts);
    k->rate = ZB_NEW_ARRAY(notes, double, contacts);
    k->approaches = ZB_NEW_ARRAY(notes, bool, contacts);
    k->conflicting = ZB_NEW_ARRAY(notes, bool, contacts);
    k->ratio = ZB_NEW_ARRAY(notes, double, frictions);
    x->off = ZB_NEW_ARRAY(notes, bool, m);
    x->force = ZB_NEW_ARRAY(notes, double, n);
    x->z = ZB_NEW_ARRAY(notes, double, n);
    x->zero = ZB_NEW_ARRAY(notes, double, m);
    x->lambda = ZB_NEW_ARRAY(notes, double, m);
    x->sum = ZB_NEW_ARRAY(notes, double, frictions);
    return notes->failure == ZW_OK;
}

/* ------------------------------------------------------------------- rows that count */

/* Whether it went well; what memory refuses is kept. */
static bool went_well(examination *x, zw_status status)
{
    if (zr_is_memory(status)) x->failure = status;
    return status == ZW_OK;
}

/* The solver knows the rows that are not in x->off; false: they have no answer. */
static bool factor_those(examination *x)
{
    zw_sim *sim = x->sim;
    zg_values values = {
        .M = sim->M, .A = sim->A, .W = sim->model->W.rows > 0 ? sim->W : NULL, .off = x->off};
    return went_well(x, zg_system_factor(sim->solver->all.system, &values));
}

/* Row i of A as a force. */
static void expand_row(examination *x, int32_t i)
{
    const zr_pattern *A = &x->sim->model->A;
    memset(x->force, 0, sizeof *x->force * (size_t)x->sim->zm->n);
    for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) x->force[A->column[p]] = x->sim->A[p];
}

/* x->lambda and x->z: what row i as a force of one unit does. */
static bool push_along(examination *x, int32_t i)
{
    zw_gauss_answer answer = {.acceleration = x->z, .multipliers = x->lambda};
    expand_row(x, i);
    zg_system *system = x->sim->solver->all.system;
    return went_well(x, zg_system_solve(system, x->force, x->zero, NULL, &answer));
}

/* Equations and closed contacts count. */
static void choose_closed(examination *x)
{
    const zr_contacts *now = x->sim->contacts;
    for (int32_t i = 0; i < x->sim->zm->m; i++) {
        int32_t contact = x->laws->contact_of_row[i];
        bool closed = contact >= 0 && now->mode.touch[contact] != ZR_OPEN;
        x->off[i] = x->sim->zm->mask[i] >= 0 && !closed;
    }
}

/* ----------------------------------------------------------------------- lengths */

/* |A_i|^2 in M^-1, summed over some rows; NaN: M is singular. */
static double square_of_rows(examination *x, int32_t first, int32_t count)
{
    double square = 0.0;
    for (int32_t i = first; i < first + count; i++) {
        if (!push_along(x, i)) return (double)NAN;
        for (int32_t j = 0; j < x->sim->zm->n; j++) square += x->force[j] * x->z[j];
    }
    return square / (double)count;
}

/* Without any rows. */
static void compare_lengths(examination *x)
{
    for (int32_t i = 0; i < x->sim->zm->m; i++) x->off[i] = true;
    bool regular = factor_those(x);
    for (int32_t k = 0; k < x->laws->frictions; k++) {
        const zm_friction *f = &x->sim->zm->frictions[k];
        const zr_friction_roots *at = &x->laws->friction[k];
        x->c->contacts.ratio[k] = (double)NAN;
        if (!regular || f->has_pressure) continue;
        double gap = square_of_rows(x, at->first_row, at->row_count);
        x->c->contacts.ratio[k] = sqrt(square_of_rows(x, f->first_row, f->width) / gap);
    }
}

/* W0522 */
static zw_status warn_of_length(examination *x, int32_t k)
{
    zw_sim *sim = x->sim;
    zb_text text;
    double ratio = x->c->contacts.ratio[k];
    zb_text_init(&text, sim->memory);
    zb_text_add(&text, "the slip of ");
    zr_text_row(sim->model, sim->zm->frictions[k].first_row, &text);
    zb_text_add(&text, " moves ");
    zr_text_digits(&text, ratio > 1.0 ? ratio : 1.0 / ratio, 3);
    zb_text_add(&text, ratio > 1.0 ? " times as much as " : " times less than ");
    zr_text_row(sim->model, x->laws->friction[k].first_row, &text);
    zb_text_add(&text, ": coefficient times multiplier is the friction only where both are lengths "
                       "of one point");
    zr_message message = {
        .code = "W0522",
        .place = sim->zm->frictions[k].place,
        .help =
            "write the constraint as a length and `along` as the speed of the same point, or say "
            "what presses by `pressure = ...`; a coefficient that is a length (radius times mu) "
            "along an angle is right"};
    zw_status status = zr_report(sim->model, &message, &text);
    zb_text_free(&text);
    return status;
}

/* Another friction on the same constraint has the same length: this one is a resistance beside it. */
static bool has_companion(const examination *x, int32_t k)
{
    const zm_friction *list = x->sim->zm->frictions;
    const double *ratio = x->c->contacts.ratio;
    for (int32_t i = 0; i < x->laws->frictions; i++)
        if (i != k && list[i].constraint == list[k].constraint && ratio[i] >= 0.1 &&
            ratio[i] <= 10.0)
            return true;
    return false;
}

static zw_status warn_of_lengths(examination *x)
{
    enum { most = 5 };
    const double *ratio = x->c->contacts.ratio;
    for (int32_t k = 0, said = 0; k < x->laws->frictions && said < most; k++) {
        if (isnan(ratio[k]) || (ratio[k] >= 0.1 && ratio[k] <= 10.0)) continue;
        if (has_companion(x, k)) continue;
        ZB_TRY(warn_of_length(x, k));
        said++;
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------ feedback */

/* By how much a unit of friction k, in any of its directions, changes what presses friction j. */
static void add_responses(examination *x, int32_t k, int32_t only)
{
    const zm_friction *f = &x->sim->zm->frictions[k];
    zr_contact_check *to = &x->c->contacts;
    double own = 0.0, mu = fabs(zr_friction_mu(x->sim, k));
    for (int32_t j = 0; j < x->laws->frictions; j++) {
        double square = 0.0;
        if (only >= 0 && j != only) continue;
        for (int32_t i = f->first_row; i < f->first_row + f->width; i++) {
            if (!push_along(x, i)) return;
            double press = zr_press(x->sim, &x->s, j, x->lambda);
            square += press * press;
        }
        x->sum[j] += mu * sqrt(square);
        if (j == k) own = mu * sqrt(square);
    }
    if (x->laws->friction[k].joint || (to->pivot_of >= 0 && 1.0 - own >= to->pivot)) return;
    to->pivot = 1.0 - own;
    to->pivot_of = k;
}

/* Whether what presses friction k counts now. */
static bool is_pressed(const examination *x, int32_t k)
{
    const zr_friction_roots *at = &x->laws->friction[k];
    for (int32_t i = at->first_row; i < at->first_row + at->row_count; i++)
        if (!x->off[i]) return true;
    return false;
}

static void take_largest_sum(examination *x)
{
    for (int32_t j = 0; j < x->laws->frictions; j++) {
        x->c->contacts.feedback = fmax(x->c->contacts.feedback, x->sum[j]);
        x->sum[j] = 0.0;
    }
}

/* Of what is closed and of joints, all together; of open contacts each by itself. */
static void find_feedback(examination *x)
{
    int32_t looked = 0;
    x->c->contacts.feedback = 0.0;
    zr_evaluate_frictions(x->sim, &x->s);
    choose_closed(x);
    bool *closed = x->off;
    if (factor_those(x))
        for (int32_t k = 0; k < x->laws->frictions; k++)
            if (is_pressed(x, k)) add_responses(x, k, -1);
    take_largest_sum(x);
    for (int32_t k = 0; k < x->laws->frictions && looked < most_open; k++) {
        const zr_friction_roots *at = &x->laws->friction[k];
        if (is_pressed(x, k)) continue;
        for (int32_t i = at->first_row; i < at->first_row + at->row_count; i++) closed[i] = false;
        if (factor_those(x)) add_responses(x, k, k);
        take_largest_sum(x);
        for (int32_t i = at->first_row; i < at->first_row + at->row_count; i++) closed[i] = true;
        looked++;
    }
}

/* ---------------------------------------------------------------------- dependence */

static bool has_contact(const examination *x, const zw_dependent_set *set)
{
    for (int32_t k = 0; k < set->count; k++)
        if (x->laws->contact_of_row[set->rows[k]] >= 0) return true;
    return false;
}

/* W0520, of the frictions whose pressure is a share that is not unique. */
static zw_status warn_of_shares(examination *x, const zw_diagnosis *d)
{
    zw_sim *sim = x->sim;
    zr_name_ranges names;
    int32_t last = -1;
    zr_name_ranges_init(&names, sim->memory);
    for (int32_t k = 0; k < x->laws->frictions; k++) {
        const zr_friction_roots *at = &x->laws->friction[k];
        bool open = false;
        for (int32_t i = at->first_row; i < at->first_row + at->row_count; i++)
            open = open || (!x->off[i] && !d->unique_multiplier[i]);
        if (!open || !(zr_friction_mu(sim, k) > 0.0)) continue;
        zb_text_char(&names.name, '`');
        zm_constraint_text(sim->zm, sim->zm->frictions[k].constraint, &names.name);
        zb_text_char(&names.name, '`');
        zr_name_ranges_add(&names, "");
        last = k;
    }
    zw_status status =
        last >= 0 ? zr_warn_of_friction_shares(sim, &names, last, (double)NAN) : ZW_OK;
    zr_name_ranges_free(&names);
    return status;
}

/* Sets of rows with closed contacts among them. */
static zw_status keep_sets(examination *x, const zw_diagnosis *d)
{
    zw_sim *sim = x->sim;
    for (int32_t k = 0; k < d->set_count; k++) {
        const zw_dependent_set *set = &d->sets[k];
        size_t count = (size_t)set->count;
        if (!has_contact(x, set)) continue;
        zr_finding f = {.level = ZR_ACCELERATION, .count = set->count, .row = set->row};
        f.rows = zb_arena_copy(&sim->notes, set->rows, sizeof *f.rows * count, _Alignof(int32_t));
        f.coefficients = zb_arena_copy(&sim->notes, set->coefficients,
                                       sizeof *f.coefficients * count, _Alignof(double));
        if (!f.rows || !f.coefficients) return sim->notes.failure;
        if (!zr_add_finding(sim, &x->c->contacts.dependent, &f)) return sim->notes.failure;
    }
    return ZW_OK;
}

static zw_status find_dependence(examination *x)
{
    zw_sim *sim = x->sim;
    zw_diagnosis *d = NULL;
    zw_gauss_answer answer = {.acceleration = x->z};
    zg_system *system = sim->solver->all.system;
    choose_closed(x);
    if (!factor_those(x)) return x->failure;
    if (!went_well(x, zg_system_solve(system, sim->Q, sim->b, NULL, &answer))) return x->failure;
    if (!went_well(x, zg_system_diagnose(system, sim->b, x->z, &d))) return x->failure;
    zw_status status = keep_sets(x, d);
    if (status == ZW_OK) status = warn_of_shares(x, d);
    zg_diagnosis_free(d);
    return status;
}

/* -------------------------------------------------------------------------------- all */

zw_status zr_examine_contacts(zr_check *c)
{
    zw_sim *sim = c->sim;
    if (!sim->contacts) return ZW_OK;
    examination x = {.c = c, .sim = sim, .laws = sim->contacts->laws};
    c->contacts = (zr_contact_check){.feedback = (double)NAN, .pivot_of = -1};
    c->contacts.decided = sim->contacts->decided && c->status == ZW_OK;
    if (!take_arrays(&x)) return sim->notes.failure;
    x.s = zr_source(sim, sim->t, sim->q, sim->v);
    read_state(&x);
    zr_evaluate_restitutions(sim, &x.s);
    zr_evaluate_frictions(sim, &x.s);
    zr_enter_masks(sim, true);
    zr_evaluate_dynamics(sim, &x.s);
    zr_evaluate_rows(sim, &x.s);
    zw_status status = ZW_OK;
    if (x.laws->frictions > 0) {
        compare_lengths(&x);
        find_feedback(&x);
        status = warn_of_lengths(&x);
    }
    if (status == ZW_OK) status = x.failure;
    if (status == ZW_OK && c->contacts.decided) status = find_dependence(&x);
    zr_forget_factor(sim);
    zr_enter_mode(sim);
    return status;
}
