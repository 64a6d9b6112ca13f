/*
 * Why the rows of a level (level.h) cannot all hold at the start. Three reasons are told apart:
 *
 *     E0402  the constraints contradict each other: dependent rows, sum s_i A_i = 0, whose
 *            residuals do not agree, |s.r| beyond rounding (THEORY: Conflicts; NUMERICS 6)
 *     E0507  the same, with inequalities among them that would have to hold as equations
 *     E0404  the constraints alone can be met, but not with what is fixed or with a start equation
 *     E0405  neither is seen: the iteration did not get there
 *
 * Where rows contradict each other the iteration ends at the *compromise*, the x of least
 * squares: there |r| in the norm of W is smallest and A^T W r = 0, so that W r itself is such an s.
 * It is used where the diagnosis names no set: rows may be dependent at the compromise and nowhere
 * else.
 */
#include <math.h>
#include <string.h>

#include "level.h"
#include "start.h"

static const double conflict_tolerance = 1e-9;
static const double unmet_tolerance = 1e-11; /* as of l->met */
static const double least_share = 1e-6;      /* of a row in a compromise, relative to the largest */
static const double slight = 0.05;           /* contradiction, relative to the largest */
enum { many_rows = 24 };                     /* of a compromise: then another one is named */

/* ------------------------------------------------------------------- findings */

/* A full list is copied to one of twice the size; the arena keeps both. */
bool zr_add_finding(zw_sim *sim, zr_findings *list, const zr_finding *f)
{
    if (list->count == list->capacity) {
        int32_t more = list->capacity > 0 ? 2 * list->capacity : 8;
        zr_finding *grown = ZB_NEW_ARRAY(&sim->notes, zr_finding, more);
        if (!grown) return false;
        if (list->count > 0) memcpy(grown, list->list, sizeof *grown * (size_t)list->count);
        list->list = grown;
        list->capacity = more;
    }
    zr_finding copy = *f;
    size_t count = (size_t)f->count;
    copy.rows = zb_arena_copy(&sim->notes, f->rows, sizeof *f->rows * count, _Alignof(int32_t));
    copy.coefficients = zb_arena_copy(&sim->notes, f->coefficients, sizeof *f->coefficients * count,
                                      _Alignof(double));
    if (!copy.rows || !copy.coefficients) return false;
    list->list[list->count++] = copy;
    return true;
}

void zr_blame_row(zr_finding *f, int32_t row)
{
    double unit = 0.0;
    for (int32_t k = 0; k < f->count; k++)
        if (f->rows[k] == row) unit = f->coefficients[k];
    if (unit == 0.0) return;
    f->row = row;
    f->mismatch /= unit;
    for (int32_t k = 0; k < f->count; k++) f->coefficients[k] /= unit;
}

/* Is `row` the one that a finding from number `from` on names? */
static bool is_named_since(const zr_findings *findings, int32_t from, int32_t row)
{
    for (int32_t k = from; k < findings->count; k++)
        if (findings->list[k].row == row) return true;
    return false;
}

/* A dependent set as a finding, rows with their numbers in the model. Returns whether its residuals
 * contradict each other by more than the rounding of their terms. */
static bool read_dependent_set(const zr_level *l, const zw_dependent_set *set, zr_finding *f)
{
    double rounding = 0.0;
    for (int32_t k = 0; k < set->count; k++) {
        int32_t i = set->rows[k];
        f->rows[k] = l->rows.row[i];
        f->coefficients[k] = set->coefficients[k];
        double size =
            conflict_tolerance * fabs(l->now.r[i]) + zr_level_allowed(l, i, conflict_tolerance);
        rounding += fabs(set->coefficients[k]) * size;
    }
    f->count = set->count;
    f->row = l->rows.row[set->row];
    f->size = set->size;
    f->mismatch = set->mismatch;
    f->level = l->order;
    bool conflict = set->conflict && set->count > 1 && fabs(set->mismatch) > rounding;
    if (conflict && set->suspect >= 0) zr_blame_row(f, l->rows.row[set->suspect]);
    /* a row without derivative is no contradiction: there is no way to go, here */
    return conflict;
}

/* The compromise as a finding: s = W r and the rows with a share in it. False: A^T s is not 0,
 * about, or there is one such row only. */
static bool find_compromise(const zr_level *l, zr_finding *f)
{
    double *s = l->scratch.work + l->n, pull = 0.0, size = 0.0, largest = 0.0;
    zr_level_weigh(l, l->now.r, s);
    memset(l->step.f, 0, sizeof *l->step.f * (size_t)l->n);
    memset(l->scratch.h, 0, sizeof *l->scratch.h * (size_t)l->n);
    for (int32_t i = 0; i < l->m; i++) {
        largest = fmax(largest, fabs(s[i] * l->now.r[i]));
        for (int32_t k = l->rows.is.A.start[i]; k < l->rows.is.A.start[i + 1]; k++) {
            l->step.f[l->rows.is.A.column[k]] += s[i] * l->rows.A[k];
            l->scratch.h[l->rows.is.A.column[k]] += fabs(s[i] * l->rows.A[k]);
        }
    }
    for (int32_t j = 0; j < l->n; j++) {
        pull = fmax(pull, fabs(l->step.f[j]));
        size = fmax(size, l->scratch.h[j]);
    }
    if (!(size > 0.0) || !(pull <= 1e-4 * size)) return false;
    f->count = 0;
    f->mismatch = 0.0;
    for (int32_t i = 0; i < l->m; i++) {
        if (!(fabs(s[i] * l->now.r[i]) > least_share * largest)) continue;
        f->rows[f->count] = l->rows.row[i];
        f->coefficients[f->count++] = s[i];
        f->mismatch += s[i] * l->now.r[i];
    }
    int32_t named = f->count - 1; /* the last declared; of many the one that is off most */
    for (int32_t k = 0; k < f->count && f->count > many_rows; k++)
        if (fabs(f->coefficients[k]) > fabs(f->coefficients[named])) named = k;
    double unit = f->coefficients[named];
    f->mismatch /= unit;
    for (int32_t k = 0; k < f->count; k++) f->coefficients[k] /= unit;
    f->row = f->rows[named];
    f->size = l->now.merit;
    f->level = l->order;
    return f->count > 1;
}

/* The sets of a diagnosis that contradict, into `findings`; f is scratch. A large contradiction
 * moves x far from where other sets agree: only what is not much smaller than the largest is one of
 * its own. */
static zw_status add_contradictions(zr_level *l, const zw_diagnosis *d, zr_finding *f,
                                    zr_findings *findings)
{
    double largest = 0.0;
    int32_t before = findings->count;
    for (int32_t k = 0; k < d->set_count; k++)
        if (read_dependent_set(l, &d->sets[k], f)) largest = fmax(largest, fabs(f->size));
    for (int32_t k = 0; k < d->set_count; k++) {
        if (!read_dependent_set(l, &d->sets[k], f) || fabs(f->size) < slight * largest) continue;
        if (d->sets[k].suspect >= 0 && is_named_since(findings, before, f->row)) continue;
        if (!zr_add_finding(l->sim, findings, f)) return l->sim->notes.failure;
    }
    return ZW_OK;
}

/* Contradictory sets of rows at the present x. Where the diagnosis is not accurate nothing is
 * found. */
static zw_status diagnose_level(zr_level *l, zr_finding *f, zr_findings *findings)
{
    zw_diagnosis *d = NULL;
    for (int32_t j = 0; j < l->n; j++) l->step.d[j] = l->x[l->unknown[j]];
    ZB_TRY(zr_level_factor(l));
    zw_status status = zg_system_diagnose(l->solver.factored, l->now.r, l->step.d, &d);
    if (status == ZW_ERR_ACCURACY) return ZW_OK;
    if (status != ZW_OK) return status;
    status = add_contradictions(l, d, f, findings);
    zg_diagnosis_free(d);
    return status;
}

/* By the diagnosis; by the compromise where that names no set. */
zw_status zr_level_find_conflicts(zr_level *l, zr_findings *findings)
{
    if (l->n == 0 || l->m == 0) return ZW_OK;
    zr_finding f = {.rows = ZB_NEW_ARRAY(&l->arena, int32_t, l->m),
                    .coefficients = ZB_NEW_ARRAY(&l->arena, double, l->m)};
    if (!f.rows || !f.coefficients) return l->arena.failure;
    int32_t before = findings->count;
    ZB_TRY(diagnose_level(l, &f, findings));
    if (findings->count > before || !find_compromise(l, &f)) return ZW_OK;
    return zr_add_finding(l->sim, findings, &f) ? ZW_OK : l->sim->notes.failure;
}

/* ------------------------------------------------------------------- sentences */

static const char *const level_names[] = {"position", "velocity", "acceleration"};

/* E0402, or W0403 where conflicts are accepted. */
static zw_status report_level_conflict(zw_sim *sim, const zr_finding *f, bool accept)
{
    zb_text text;
    zb_text_init(&text, sim->memory);
    zb_text_printf(&text, "%s conflict: ", level_names[f->level]);
    zr_text_row(sim->model, f->row, &text);
    zb_text_add(&text, " cannot hold together with ");
    zr_text_names(sim->model, f, f->row, &text);
    zb_text_add(&text, "; ");
    zr_text_mismatch(sim->model, f, &text);
    if (accept) zb_text_add(&text, "; the start is the least-squares compromise");
    zr_message message = {.code = accept ? "W0403" : "E0402",
                          .place = zr_row_place(sim->model, f->row)};
    if (!accept)
        message.help = "take one of them out or change it; `simulate inconsistent = accept` runs "
                       "with the compromise of least squares";
    zw_status status = zr_report(sim->model, &message, &text);
    zb_text_free(&text);
    return status;
}

static bool has_inequality(const zw_sim *sim, const zr_finding *f)
{
    for (int32_t k = 0; k < f->count && sim->contacts; k++)
        if (f->rows[k] >= 0 && sim->zm->mask[f->rows[k]] >= 0) return true;
    return false;
}

/* ": `left` by 0.5, `right` by 0.5", of the rows of a finding, at the compromise. */
static void say_violations(const zr_level *l, const zr_finding *f, zb_text *text)
{
    enum { most = 6 };
    int32_t said = 0;
    for (int32_t i = 0; i < l->m && said < most; i++) {
        bool in = false;
        for (int32_t k = 0; k < f->count; k++) in = in || f->rows[k] == l->rows.row[i];
        if (!in || !zr_level_row_is_off(l, i, unmet_tolerance)) continue;
        zb_text_add(text, said++ == 0 ? ": " : ", ");
        zr_text_row(l->sim->model, l->rows.row[i], text);
        zb_text_add(text, " by ");
        zr_text_short(text, fabs(l->now.r[i]));
    }
}

/* E0507. A compromise between inequalities is not gone on with, whatever is accepted. */
static zw_status report_gap_conflict(const zr_level *l, const zr_finding *f)
{
    zw_sim *sim = l->sim;
    zb_text text;
    zb_text_init(&text, sim->memory);
    zb_text_add(&text, "the start cannot satisfy ");
    zr_text_names(sim->model, f, -1, &text);
    zb_text_add(&text, " together; the smallest violation");
    say_violations(l, f, &text);
    zr_message message = {.code = "E0507",
                          .place = zr_row_place(sim->model, f->row),
                          .help =
                              "change one of them; `inconsistent = accept` is for equations only"};
    zw_status status = zr_report(sim->model, &message, &text);
    zb_text_free(&text);
    return status;
}

/* "`rod` by 0.2, `pin` by 1e-3": rows, or start equations, that are off by more than rounding.
 * Returns how many were named. */
static int32_t say_unmet_rows(const zr_level *l, bool equations, zb_text *text)
{
    enum { most = 6 };
    int32_t said = 0, more = 0;
    for (int32_t i = 0; i < l->m; i++) {
        if ((l->rows.row[i] < 0) != equations) continue;
        if (!zr_level_row_is_off(l, i, unmet_tolerance)) continue;
        if (said >= most) {
            more++;
            continue;
        }
        if (said > 0) zb_text_add(text, ", ");
        zr_text_row(l->sim->model, l->rows.row[i], text);
        zb_text_add(text, " by ");
        zr_text_short(text, fabs(l->now.r[i]));
        said++;
    }
    if (more > 0) zb_text_printf(text, " and %d more", (int)more);
    return said;
}

/* The last constraint (or start equation) of the level that does not hold; -1: all do. */
static int32_t last_unmet_row(const zr_level *l, bool equations)
{
    int32_t last = -1;
    for (int32_t i = 0; i < l->m; i++)
        if ((l->rows.row[i] < 0) == equations && zr_level_row_is_off(l, i, unmet_tolerance))
            last = i;
    return last;
}

/* part [coordinates]: those that stand in a constraint that does not hold. */
static void mark_unmet_coordinates(const zr_level *l, bool *part)
{
    const zr_pattern *A = &l->sim->model->A;
    for (int32_t i = 0; i < l->m; i++) {
        if (l->rows.row[i] < 0 || !zr_level_row_is_off(l, i, unmet_tolerance)) continue;
        for (int32_t p = A->start[l->rows.row[i]]; p < A->start[l->rows.row[i] + 1]; p++)
            if (l->sim->A[p] != 0.0) part[A->column[p]] = true;
    }
}

/* " with x = 1 fixed, y = 0 fixed": what is fixed and stands in a constraint that does not hold. */
static void say_fixed_values(zr_level *l, zb_text *text)
{
    const zw_sim *sim = l->sim;
    int32_t n = sim->zm->n, said = 0;
    const bool *fixed = sim->fixed + (l->order == ZR_VELOCITY ? n : 0);
    bool *part = ZB_NEW_ARRAY(&l->arena, bool, n);
    if (!part) {
        text->failure = l->arena.failure;
        return;
    }
    mark_unmet_coordinates(l, part);
    for (int32_t c = 0; c < n && said < 4; c++) {
        if (!fixed[c] || !part[c]) continue;
        zb_text_add(text, said > 0 ? ", " : " with ");
        zr_text_coordinate(sim->model, c, l->order == ZR_VELOCITY, text);
        zb_text_add(text, " = ");
        zr_text_short(text, l->x[c]);
        zb_text_add(text, " fixed");
        said++;
    }
}

/* The last start value of this level that is fixed. */
static zl_place place_of_fixed(const zr_level *l)
{
    const zm_model *zm = l->sim->zm;
    for (int32_t i = zm->start_value_count - 1; i >= 0; i--) {
        const zm_start_value *v = &zm->start_values[i];
        if (v->fixed && (v->order == 1) == (l->order == ZR_VELOCITY)) return v->place;
    }
    return zr_nowhere;
}

/* E0404: the constraints can be met, but not with what the start demands. Returns ZW_ERR_START. */
static zw_status report_start_demand(zr_level *l)
{
    zb_text text;
    zb_text_init(&text, l->sim->memory);
    zb_text_add(&text, "the start asks for more than the constraints allow: ");
    int32_t rows = say_unmet_rows(l, false, &text);
    int32_t equation = last_unmet_row(l, true);
    if (equation >= 0) {
        if (rows > 0) zb_text_add(&text, " and ");
        (void)say_unmet_rows(l, true, &text);
    }
    zb_text_add(&text, " cannot be met");
    say_fixed_values(l, &text);
    zr_message message = {.code = "E0404",
                          .place = place_of_fixed(l),
                          .help = "let a fixed value move, or take a start equation out"};
    if (equation >= 0) {
        int32_t item = l->sim->model->equation_item[~l->rows.row[equation]];
        message.place = l->sim->zm->start_equations[item].place;
    }
    zw_status status = zr_report(l->sim->model, &message, &text);
    zb_text_free(&text);
    return status == ZW_OK ? ZW_ERR_START : status;
}

/* E0405: the iteration did not get there, and no conflict was found. Returns ZW_ERR_START. */
static zw_status report_unmet_level(zr_level *l)
{
    zb_text text;
    zb_text_init(&text, l->sim->memory);
    zb_text_printf(&text, "the start %s cannot be brought onto the constraints: off are ",
                   l->order == ZR_POSITION ? "positions" : "velocities");
    (void)say_unmet_rows(l, false, &text);
    int32_t last = last_unmet_row(l, false);
    zr_message message = {.code = "E0405",
                          .place = last >= 0 ? zr_row_place(l->sim->model, l->rows.row[last])
                                             : zr_nowhere,
                          .help = "give start values nearer to the constraints; where their "
                                  "derivatives vanish there is no way to go"};
    zw_status status = zr_report(l->sim->model, &message, &text);
    zb_text_free(&text);
    return status == ZW_OK ? ZW_ERR_START : status;
}

/* --------------------------------------------------------------------- refusal */

/* Of constraints alone: conflicts, accepted or not, or simply not met. ZW_OK: accepted. */
static zw_status refuse_constraints(zr_level *l, bool accept)
{
    zr_findings *findings = &l->sim->start.conflicts;
    int32_t before = findings->count;
    ZB_TRY(zr_level_find_conflicts(l, findings));
    if (findings->count == before) return report_unmet_level(l);
    bool gaps = false;
    for (int32_t k = before; k < findings->count; k++) {
        const zr_finding *f = &findings->list[k];
        bool gap = has_inequality(l->sim, f);
        gaps = gaps || gap;
        ZB_TRY(gap ? report_gap_conflict(l, f) : report_level_conflict(l->sim, f, accept));
    }
    return accept && !gaps ? ZW_OK : ZW_ERR_START;
}

/* Does the start ask for more than the constraints: fixed values, start equations? */
static bool has_demands(const zr_level *l)
{
    return l->n < l->sim->zm->n || (l->m > 0 && l->rows.row[l->m - 1] < 0);
}

/* The constraints without start equations and fixed values, from the same given values: alone->met
 * says whether they hold. state [2 n] becomes its (q, v). */
static zw_status solve_constraints_alone(zr_level *l, zr_level *alone, double *state)
{
    zw_sim *sim = l->sim;
    size_t n = (size_t)sim->zm->n;
    memcpy(state, l->q, sizeof *state * n);
    memcpy(state + n, l->v, sizeof *state * n);
    memcpy(l->order == ZR_POSITION ? state : state + n, l->x_given, sizeof *state * n);
    ZB_TRY(zr_level_open(alone, sim, l->order, true, state, state + n, l->x_given));
    ZB_TRY(zr_level_set_mass(alone, sim->M));
    zr_level_evaluate(alone);
    if (alone->now.finite) ZB_TRY(zr_level_solve(alone));
    return ZW_OK;
}

/* The constraints are to blame where they cannot be met alone; otherwise the start's own
 * demands. */
zw_status zr_level_refuse(zr_level *l, bool accept)
{
    if (!has_demands(l)) return refuse_constraints(l, accept);
    zr_level alone = {0};
    double *state = ZB_NEW_ARRAY(&l->arena, double, 2 * (size_t)l->sim->zm->n);
    if (!state) return l->arena.failure;
    zb_arena_init(&alone.arena, l->sim->memory, 0);
    zw_status status = solve_constraints_alone(l, &alone, state);
    if (status == ZW_OK && alone.now.finite && !alone.met)
        status = refuse_constraints(&alone, accept);
    else if (status == ZW_OK)
        status = report_start_demand(l);
    zr_level_close(&alone);
    return status;
}
