/*
 * The consistent initial state of a motion (LANGUAGE: Start), in this order:
 *
 *     given values     as the model writes them (given.c)
 *     positions        onto the holonomic rows and the start equations without velocities, by the
 *                      smallest change in the metric M at the given start; of the values that are
 *                      not given where that suffices (hold.c), else of all
 *     velocities       likewise onto the rates of holonomic rows, the nonholonomic rows and the
 *                      other start equations, in M at the corrected position
 *     messages         what was moved (W0411, R0613, R0615)
 *     one evaluation   the equations of motion must be finite and determine every acceleration
 *
 * Positions and velocities are one *level* each (level.h). A level that cannot be met is refused
 * with the names of its rows (conflict.c).
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "level.h"
#include "road_parts.h"
#include "start.h"

static bool all_finite(const double *x, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

/* --------------------------------------------------------------------- levels */

/* A row that the given values do not satisfy. */
typedef struct off_row {
    int32_t row; /* or ~equation */
    bool rate;   /* the rate of a holonomic row */
    double by;   /* |residual| */
} off_row;

enum { most_off = 2 };

/* What is to be said of other solutions of a level (branches.c). */
typedef struct branch_choice {
    int32_t entry;  /* of (q, v), the one in which the other differs most; -1: there is none */
    double there;   /* its value there */
    double farther; /* how many times as far away */
    bool doubtful;  /* there may be a nearer one */
    bool singular;  /* it is singular, and no other was found */
    bool left;      /* a singular one is nearer */
} branch_choice;

/* A start under way. */
typedef struct starting {
    zw_sim *sim;
    bool accept;           /* contradictory constraints, in the sense of least squares */
    off_row off[most_off]; /* the worst, of off_count */
    int32_t off_count;
    bool
        constraint_off[2]; /* of positions, of velocities: one is a constraint, no start equation */
    bool met_elsewhere;    /* of a level: Newton's method converged from other values only */
    branch_choice choice[2]; /* of positions and of velocities */
    bool unsure;             /* of a large level: given values were let go without a search */
    int32_t off_before[2];   /* off_count before each level */
    bool quiet, unmet;       /* what cannot be met is not told, but noted */
} starting;

/* Where a row (or ~start equation) of a level is written in the model. */
static zl_place place_of_level_row(const zw_sim *sim, int32_t row)
{
    if (row >= 0) return zr_row_place(sim->model, row);
    return sim->zm->start_equations[sim->model->equation_item[~row]].place;
}

/* Counts the row, and keeps it in w->off, sorted, while it is one of the worst. */
static void add_row_off(starting *w, const off_row *off)
{
    int32_t at = w->off_count < most_off ? w->off_count : most_off;
    w->off_count++;
    for (; at > 0 && !(off->by <= w->off[at - 1].by); at--)
        if (at < most_off) w->off[at] = w->off[at - 1];
    if (at < most_off) w->off[at] = *off;
}

/* The rows that the given values do not satisfy, for the messages. */
static void note_rows_off(const zr_level *l, starting *w)
{
    for (int32_t i = 0; i < l->m; i++) {
        if (!zr_level_row_is_off(l, i, 16.0 * DBL_EPSILON)) continue;
        if (l->rows.row[i] >= 0) w->constraint_off[l->order == ZR_VELOCITY] = true;
        bool rate = l->order == ZR_VELOCITY && l->rows.row[i] >= 0 &&
                    l->sim->row_kind[l->rows.row[i]] == ZM_HOLONOMIC;
        add_row_off(w, &(off_row){.row = l->rows.row[i], .rate = rate, .by = fabs(l->now.r[i])});
    }
}

/* "`rod` was off by 24.6 and the rate of `rod` by 2" */
static void say_rows_off(const starting *w, zb_text *text)
{
    for (int32_t k = 0; k < w->off_count && k < most_off; k++) {
        if (k > 0) zb_text_add(text, " and ");
        if (w->off[k].rate) zb_text_add(text, "the rate of ");
        zr_text_row(w->sim->model, w->off[k].row, text);
        zb_text_add(text, k == 0 ? " was off by " : " by ");
        zr_text_short(text, w->off[k].by);
    }
}

/* Of what the given values violate most; nowhere when they satisfy everything. */
static zl_place place_of_worst_row(const starting *w)
{
    return w->off_count > 0 ? place_of_level_row(w->sim, w->off[0].row) : zr_nowhere;
}

/* How a level was solved, for the messages. Values that are not given, beside held ones, need no way
 * that leads from 0. */
static void note_way(starting *w, const zr_level *l)
{
    const zr_branches *b = &l->branches;
    branch_choice *c = &w->choice[l->order == ZR_VELOCITY];
    double most = 0.0;
    w->met_elsewhere = w->met_elsewhere || (l->met_elsewhere && !l->held);
    *c = (branch_choice){.entry = -1,
                         .farther = b->farther,
                         .doubtful = b->doubtful || w->unsure,
                         .singular = b->singular,
                         .left = b->left};
    for (int32_t j = 0; j < l->n && b->other; j++) {
        double by = fabs(b->other[j] - l->x[l->unknown[j]]);
        if (by <= most) continue;
        most = by;
        c->there = b->other[j];
        c->entry = l->unknown[j] + (l->order == ZR_VELOCITY ? l->sim->zm->n : 0);
    }
}

/* Which values of a level have stayed as given; held NULL: none had to. */
static void note_held(zw_sim *sim, zr_order order, const bool *held)
{
    size_t n = (size_t)sim->zm->n;
    bool *to = sim->start.held + (order == ZR_VELOCITY ? n : 0);
    sim->start.corrected[order == ZR_VELOCITY] = true;
    for (size_t i = 0; i < n; i++) to[i] = held && held[i];
}

/* The given values held, as far as that can be done; *met: it could. */
static zw_status solve_level_held(starting *w, zr_level *l, bool *met)
{
    bool *held = ZB_NEW_ARRAY(&l->arena, bool, w->sim->zm->n);
    zr_level part = {0};
    *met = false;
    if (!held) return l->arena.failure;
    if (!zr_hold_given(l, held)) return ZW_OK;
    zb_arena_init(&part.arena, w->sim->memory, 0);
    zw_status status = zr_level_solve_held(l, &part, held);
    *met = status == ZW_OK && part.met;
    if (*met) note_way(w, &part);
    if (*met) note_held(w->sim, l->order, held);
    w->unsure = !*met && !l->linear && l->n > zr_most_searched;
    zr_level_close(&part);
    if (status == ZW_OK && !*met) zr_level_evaluate(l);
    return status;
}

/* A value that the correction has brought to 0 but for rounding is 0, unless a row can tell. Else
 * what stands still would have a speed, of 1e-32. */
static zw_status clear_rounded_zeros(zr_level *l)
{
    int32_t n = l->sim->zm->n;
    double *kept = ZB_NEW_ARRAY(&l->arena, double, n);
    bool any = false;
    if (!kept) return l->arena.failure;
    memcpy(kept, l->x, sizeof *kept * (size_t)n);
    for (int32_t j = 0; j < n; j++) {
        bool zero = l->x[j] != 0.0 && fabs(l->x[j]) <= DBL_EPSILON * fabs(l->x_given[j]);
        if (zero) l->x[j] = 0.0;
        any = any || zero;
    }
    if (!any) return ZW_OK;
    zr_level_evaluate(l);
    if (!zr_level_holds(l, 16.0 * DBL_EPSILON)) memcpy(l->x, kept, sizeof *kept * (size_t)n);
    return ZW_OK;
}

/* Brings a level onto its rows where the given values do not satisfy them. What fails is
 * reported here; ZW_OK: it is met, or its compromise accepted. */
static zw_status solve_start_level(starting *w, zr_level *l)
{
    bool met = false;
    zw_sim *sim = w->sim;
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    zr_level_evaluate(l);
    if (!l->now.finite) {
        ZB_TRY(zr_report_bad(sim, &s, ZR_BAD_LEVEL | ZR_BAD_ROWS));
        return ZW_ERR_NOT_FINITE;
    }
    note_rows_off(l, w);
    if (zr_level_holds(l, 16.0 * DBL_EPSILON)) return ZW_OK;
    zr_evaluate_dynamics(sim, &s);
    if (!all_finite(sim->M, sim->model->M.count)) {
        ZB_TRY(zr_report_bad(sim, &s, ZR_BAD_DYNAMICS));
        return ZW_ERR_NOT_FINITE;
    }
    ZB_TRY(solve_level_held(w, l, &met));
    if (met) return ZW_OK;
    note_held(sim, l->order, NULL);
    zw_status status = zr_level_set_mass(l, sim->M);
    if (status == ZW_OK) status = zr_level_solve(l);
    if (status != ZW_OK) return zr_report_factor(sim, &s, status);
    note_way(w, l);
    w->unmet = w->quiet && !l->met;
    if (w->unmet) return ZW_OK;
    return l->met ? clear_rounded_zeros(l) : zr_level_refuse(l, w->accept);
}

/* The positions or the velocities of the simulation, from the values that were given. */
static zw_status correct_start_level(starting *w, zr_order order)
{
    zr_level l;
    if (w->sim->zm->m == 0 && w->sim->model->equation_count == 0) return ZW_OK; /* no rows at all */
    zw_status status = zr_level_open_start(&l, w->sim, order, NULL);
    if (status == ZW_OK) status = solve_start_level(w, &l);
    zr_level_close(&l);
    return status;
}

/* zr_try_fn: the level from the values that were given, as if it were the first time. */
static zw_status try_start_level(void *user, zr_order order, bool quiet, bool *met)
{
    starting *w = user;
    zw_sim *sim = w->sim;
    size_t n = (size_t)sim->zm->n;
    bool positions = order == ZR_POSITION;
    w->off_count = w->off_before[order];
    w->quiet = quiet;
    w->unmet = false;
    sim->start.corrected[order == ZR_VELOCITY] = false;
    memcpy(positions ? sim->q : sim->v, sim->given + (positions ? 0 : n), sizeof(double) * n);
    zw_status status = correct_start_level(w, order);
    *met = status == ZW_OK && !w->unmet;
    return w->unmet ? ZW_OK : status;
}

/* With the inequalities of the model, where it has any. */
static zw_status correct_with_gaps(starting *w, zr_order order)
{
    if (!w->sim->contacts) return correct_start_level(w, order);
    w->off_before[order] = w->off_count;
    return zr_start_with_gaps(w->sim, order, try_start_level, w);
}

/* ------------------------------------------------------------- everything, once */

/* C at the start is finite; dependent rows whose shares a force uses are warned of. After
 * zr_factor_at. */
static zw_status check_nonideal_forces(zw_sim *sim, const zk_source *s)
{
    if (sim->model->nonideal.count == 0) return ZW_OK;
    ZB_TRY(zr_nonideal_at(sim, s));
    if (!all_finite(sim->C, sim->zm->n)) {
        ZB_TRY(zr_report_bad(sim, s, ZR_BAD_NONIDEAL));
        return ZW_ERR_NOT_FINITE;
    }
    zw_gauss_rank_info rank = {0};
    if (!sim->model->uses_measures) return ZW_OK;
    ZB_TRY(zg_system_rank(sim->solver->all.system, &rank));
    if (rank.rank == zr_rows_on(sim)) return ZW_OK;
    zw_diagnosis *d = NULL;
    zw_gauss_answer answer = {.acceleration = sim->work}; /* the scale of what is rounding */
    zw_status status = zg_system_solve(sim->solver->all.system, sim->Q, sim->b, NULL, &answer);
    if (status == ZW_OK)
        status = zg_system_diagnose(sim->solver->all.system, sim->b, sim->work, &d);
    memset(sim->work, 0, sizeof *sim->work * (size_t)sim->zm->n);
    if (status != ZW_OK) return zr_is_memory(status) ? status : ZW_OK; /* nothing to be said */
    status = zr_warn_shares(sim, d);
    zg_diagnosis_free(d);
    return status;
}

/* M, Q, A, b, C at the start are finite and determine every motion. */
static zw_status check_equations_at_start(zw_sim *sim)
{
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    const zw_model *model = sim->model;
    zw_status status = zr_factor_at(sim, &s);
    bool finite = all_finite(sim->M, model->M.count) && all_finite(sim->Q, sim->zm->n) &&
                  all_finite(sim->A, model->A.count) && all_finite(sim->b, sim->zm->m);
    if (!finite) {
        ZB_TRY(zr_report_bad(sim, &s, ZR_BAD_LEVEL | ZR_BAD_ROWS | ZR_BAD_DYNAMICS));
        return ZW_ERR_NOT_FINITE;
    }
    if (status != ZW_OK) return zr_report_factor(sim, &s, status);
    return check_nonideal_forces(sim, &s);
}

/* ------------------------------------------------------------------- the moves */

double zr_moved_by(const zw_sim *sim, int32_t i)
{
    int32_t n = sim->zm->n;
    double now = i < n ? sim->q[i] : sim->v[i - n], change = fabs(now - sim->given[i]);
    return change > 1e-13 * sim->start.size[i >= n] ? change : 0.0;
}

/* What a change is compared with: the largest position and the largest velocity, before or
 * after. */
static void measure_state_sizes(zw_sim *sim)
{
    double *size = sim->start.size;
    size[0] = size[1] = 0.0;
    for (int32_t i = 0; i < sim->zm->n; i++) {
        size[0] = fmax(size[0], fmax(fabs(sim->q[i]), fabs(sim->given[i])));
        size[1] = fmax(size[1], fmax(fabs(sim->v[i]), fabs(sim->given[sim->zm->n + i])));
    }
}

/* Entries are ordered by how far they moved, equal ones by their number. */
int32_t zr_next_move(const zw_sim *sim, zr_which which, int32_t after)
{
    int32_t best = -1;
    double largest = 0.0, most = after >= 0 ? zr_moved_by(sim, after) : HUGE_VAL;
    for (int32_t i = 0; i < 2 * sim->zm->n; i++) {
        double by = zr_moved_by(sim, i);
        bool said = by > most || (by >= most && i <= after);
        if (said || by <= largest) continue;
        if (which != ZR_EITHER && sim->start.stated[i] != (which == ZR_STATED)) continue;
        largest = by;
        best = i;
    }
    return best;
}

/* The last statement that gives entry i of (q, v). */
static zl_place place_of_move(const zw_sim *sim, int32_t i)
{
    const zm_model *zm = sim->zm;
    for (int32_t k = zm->start_value_count; k-- > 0;) {
        const zm_start_value *v = &zm->start_values[k];
        if ((v->order == 1 ? zm->n : 0) + v->coordinate == i) return v->place;
    }
    return zr_nowhere;
}

/* "x from 1 to 1.2", of entry i of (q, v). */
static void say_move(const zw_sim *sim, int32_t i, zb_text *text)
{
    int32_t n = sim->zm->n;
    double now = i < n ? sim->q[i] : sim->v[i - n];
    int digits = zr_digits_apart(sim->given[i], now, 6);
    zr_text_coordinate(sim->model, i < n ? i : i - n, i >= n, text);
    zb_text_add(text, sim->start.stated[i] ? " from " : " (not given)");
    if (sim->start.stated[i]) zr_text_digits(text, sim->given[i], digits);
    zb_text_add(text, " to ");
    zr_text_digits(text, now, digits);
}

/* The three largest moves of `all`, those of given values first. */
static void say_moves(const zw_sim *sim, int32_t all, zb_text *text)
{
    enum { most = 3 };
    int32_t said = 0, i = -1;
    for (zr_which which = ZR_STATED; which <= ZR_NOT_STATED; which++) {
        for (i = zr_next_move(sim, which, -1); i >= 0 && said < most; said++) {
            if (said > 0) zb_text_add(text, said == all - 1 ? " and " : ", ");
            say_move(sim, i, text);
            i = zr_next_move(sim, which, i);
        }
    }
    if (all > said)
        zb_text_printf(text, " and %d more value%s", (int)(all - said), all > said + 1 ? "s" : "");
}

/* Where the solution was reached from other values. */
static void say_way(const starting *w, zb_text *text)
{
    if (w->met_elsewhere)
        zb_text_add(text,
                    "; no way led there from the given values, one from beside them was taken");
}

/* W0411: given values were moved, or the solution was reached from other values. */
static zw_status warn_moves(const starting *w, int32_t first, int32_t all, zb_text *text)
{
    zw_sim *sim = w->sim;
    zb_text_add(text, "the start was moved onto the constraints: ");
    say_moves(sim, all, text);
    if (w->off_count > 0) zb_text_add(text, "; before, ");
    say_rows_off(w, text);
    say_way(w, text);
    zr_message message = {.code = "W0411",
                          .place = place_of_worst_row(w),
                          .help = "`fixed` behind a start value keeps it: start x = 1 fixed"};
    if (first >= 0) message.place = place_of_move(sim, first);
    return zr_report(sim->model, &message, text);
}

/* R0615: given values were moved because start equations ask for it; they satisfied the
 * constraints. */
static zw_status remark_pose(const starting *w, int32_t all, zb_text *text)
{
    zb_text_add(text, "given values were moved for the start equations: ");
    say_moves(w->sim, all, text);
    say_way(w, text);
    zr_message message = {.code = "R0615", .place = place_of_worst_row(w)};
    return zr_report(w->sim->model, &message, text);
}

/* R0613: only values that the model does not say. */
static zw_status remark_moves(const starting *w, int32_t all, zb_text *text)
{
    zw_sim *sim = w->sim;
    int32_t n = sim->zm->n;
    zr_name_ranges ranges;
    zr_name_ranges_init(&ranges, sim->memory);
    for (int32_t i = 0; i < 2 * n; i++) {
        if (!(zr_moved_by(sim, i) > 0.0)) continue;
        zr_text_coordinate(sim->model, i < n ? i : i - n, i >= n, &ranges.name);
        zr_name_ranges_add(&ranges, "");
    }
    zb_text_add(text, all == 1 ? "the value of " : "the values of ");
    zr_name_ranges_list(&ranges, 6, " and ", text);
    zr_name_ranges_free(&ranges);
    zb_text_add(text, all == 1 ? " was not given and follows" : " were not given and follow");
    zb_text_add(text, " from the constraints");
    if (sim->model->equation_count > 0) zb_text_add(text, " and the start equations");
    zr_message message = {.code = "R0613", .place = place_of_worst_row(w)};
    return zr_report(sim->model, &message, text);
}

/* "as near, with y = -0.8 instead of 0.8" */
static void say_other_branch(const starting *w, const branch_choice *c, zb_text *text)
{
    const zw_sim *sim = w->sim;
    int32_t n = sim->zm->n, i = c->entry;
    double here = i < n ? sim->q[i] : sim->v[i - n];
    int digits = zr_digits_apart(here, c->there, 6);
    bool near = c->farther < 1.005;
    if (!near) zr_text_digits(text, c->farther, 3);
    zb_text_add(text, c->farther < 1.0 + 1e-6 ? "as near"
                      : near                  ? "about as near"
                                              : " times as far");
    zb_text_add(text, " with ");
    zr_text_coordinate(sim->model, i < n ? i : i - n, i >= n, text);
    zb_text_add(text, " = ");
    zr_text_digits(text, c->there, digits);
    zb_text_add(text, " instead of ");
    zr_text_digits(text, here, digits);
}

/* R0616: the start is one of several that are about as near, or may not be the nearest. */
static zw_status remark_branch(const starting *w, bool velocities, zb_text *text)
{
    const branch_choice *c = &w->choice[velocities];
    const char *what = velocities ? "velocities" : "positions";
    if (c->entry < 0 && !c->doubtful && !c->singular && !c->left) return ZW_OK;
    zb_text_printf(text, "the %s of the start ", what);
    if (c->entry >= 0) zb_text_add(text, "were chosen among branches: another is ");
    if (c->entry >= 0) say_other_branch(w, c, text);
    if (c->singular) zb_text_add(text, c->entry >= 0 ? "; they " : "");
    if (c->singular)
        zb_text_add(text, "are singular: constraints lose their rank there, and no "
                          "regular ones were found near");
    if (c->left && c->entry >= 0) zb_text_add(text, "; they ");
    if (c->left)
        zb_text_add(text, "are the nearest regular ones: a nearer singular point was left");
    if (c->doubtful && (c->entry >= 0 || c->singular || c->left)) zb_text_add(text, "; they ");
    if (c->doubtful) zb_text_add(text, "may not be the nearest to the given ones");
    w->sim->start.branch = true;
    zr_message message = {.code = "R0616", .place = place_of_worst_row(w)};
    zw_status status = zr_report(w->sim->model, &message, text);
    zb_text_clear(text);
    return status;
}

/* Did given values move only where start equations asked for it? */
static bool is_posed(const starting *w)
{
    const zw_sim *sim = w->sim;
    bool posed = false;
    for (int32_t i = 0; i < 2 * sim->zm->n; i++) {
        if (!sim->start.stated[i] || !(zr_moved_by(sim, i) > 0.0)) continue;
        if (w->constraint_off[i >= sim->zm->n]) return false;
        posed = true;
    }
    return posed;
}

/* Tells what the correction moved, and notes that it did (sim->start.moved). */
static zw_status report_start_moves(starting *w)
{
    zw_sim *sim = w->sim;
    measure_state_sizes(sim);
    int32_t all = 0, first = zr_next_move(sim, ZR_STATED, -1);
    for (int32_t i = 0; i < 2 * sim->zm->n; i++) all += zr_moved_by(sim, i) > 0.0;
    sim->start.moved = all > 0;
    if (all == 0) return ZW_OK;
    zb_text text;
    zb_text_init(&text, sim->memory);
    bool warn = first >= 0 || w->met_elsewhere;
    sim->start.posed = is_posed(w);
    zw_status status = sim->start.posed ? remark_pose(w, all, &text)
                       : warn           ? warn_moves(w, first, all, &text)
                                        : remark_moves(w, all, &text);
    zb_text_clear(&text);
    if (status == ZW_OK) status = remark_branch(w, false, &text);
    if (status == ZW_OK) status = remark_branch(w, true, &text);
    zb_text_free(&text);
    return status;
}

/* ------------------------------------------------------------------- the whole */

/* Which values the model says. A velocity that a part of a module gives as 0 is as good as not
 * said: most often that is the default of an argument. */
static zw_status mark_stated_values(zw_sim *sim)
{
    const zm_model *zm = sim->zm;
    sim->start.stated = ZB_NEW_ARRAY(&sim->notes, bool, 2 * (size_t)zm->n);
    sim->start.held = ZB_NEW_ARRAY(&sim->notes, bool, 2 * (size_t)zm->n);
    sim->start.found = ZB_NEW_ARRAY(&sim->notes, double, 2 * (size_t)zm->n);
    if (sim->notes.failure != ZW_OK) return sim->notes.failure;
    for (int32_t k = 0; k < zm->start_value_count; k++) {
        const zm_start_value *v = &zm->start_values[k];
        int32_t i = (v->order == 1 ? zm->n : 0) + v->coordinate;
        bool rest = v->module && v->order == 1 && !v->fixed && sim->given[i] == 0.0;
        sim->start.stated[i] = sim->start.stated[i] || !rest;
    }
    for (int32_t k = 0; sim->posed && k < sim->posed->count; k++)
        sim->start.stated[sim->posed->entry[k]] = true;
    return ZW_OK;
}

/* The whole start, in the order given above; sim->start says how far it came. */
static zw_status find_consistent_start(starting *w)
{
    zw_sim *sim = w->sim;
    size_t n = (size_t)sim->zm->n;
    ZB_TRY(zr_evaluate_given(sim, sim->t, sim->q, sim->v, sim->fixed));
    memcpy(sim->given, sim->q, sizeof(double) * n);
    memcpy(sim->given + n, sim->v, sizeof(double) * n);
    ZB_TRY(mark_stated_values(sim));
    sim->start.done = true;
    ZB_TRY(correct_with_gaps(w, ZR_POSITION));
    ZB_TRY(correct_with_gaps(w, ZR_VELOCITY));
    ZB_TRY(report_start_moves(w));
    sim->start.satisfied = w->off_count == 0;
    ZB_TRY(check_equations_at_start(sim));
    ZB_TRY(zr_warn_inertias(sim));
    memcpy(sim->start.found, sim->q, sizeof(double) * n);
    memcpy(sim->start.found + n, sim->v, sizeof(double) * n);
    sim->start.complete = true;
    return ZW_OK;
}

/* From the beginning of time that the model says, or 0. What an earlier start or check found is
 * dropped. */
zw_status zr_find_start(zw_sim *sim, bool accept_inconsistent)
{
    double from = sim->zm->simulate.from;
    bool accept = accept_inconsistent || sim->zm->simulate.accept_inconsistent;
    starting w = {.sim = sim, .accept = accept, .choice = {{.entry = -1}, {.entry = -1}}};
    zb_arena_clear(&sim->notes);
    sim->start = (zr_start){0};
    sim->t = isnan(from) ? 0.0 : from;
    ZB_TRY(find_consistent_start(&w));
    return zr_adapt_parts(sim);
}
