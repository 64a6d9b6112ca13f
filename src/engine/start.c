/*
 * The start (LANGUAGE: Start). Given values; then positions onto the holonomic rows and the start
 * equations without velocities, by the smallest change in the metric M at the given start; then
 * velocities likewise, in M at the corrected position. What cannot be brought there is refused
 * with its names (conflict.c); what was moved is told (W0411). At the end everything is evaluated
 * once: the equations must be finite and determine every motion.
 */
#include <math.h>
#include <string.h>

#include "sim.h"

static const double eps = 2.220446049250313e-16;

static bool all_finite(const double *x, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

/* --------------------------------------------------------------------- levels */

typedef struct starting {
    zw_sim *sim;
    bool accept;
    zb_text off;
    int32_t off_count;
    zl_place off_place; /* of the first */
    bool chosen;        /* no way led there from the given values, but from beside them */
} starting;

static zl_place row_place(const zw_sim *sim, int32_t row)
{
    if (row >= 0) return zr_row_place(sim, row);
    return sim->zm->start_equations[sim->model->equation_item[~row]].place;
}

/* What was off at the given values, for the message about the correction. */
static void note_off(const zr_level *l, starting *w)
{
    enum { most = 4 };
    for (int32_t i = 0; i < l->m; i++) {
        if (fabs(l->r[i]) <= 16.0 * eps * l->scale[i]) continue;
        if (w->off_count++ >= most) continue;
        if (w->off_count == 1) w->off_place = row_place(l->sim, l->rows[i]);
        bool rate = l->order == ZR_VELOCITY && l->rows[i] >= 0 &&
                    zm_row_kind_of(l->sim->zm, l->rows[i]) == ZM_HOLONOMIC;
        if (w->off_count > 1) zb_text_add(&w->off, ", ");
        if (rate) zb_text_add(&w->off, "the rate of ");
        zr_text_row(l->sim, l->rows[i], &w->off);
        zb_text_add(&w->off, " by ");
        zr_text_short(&w->off, fabs(l->r[i]));
    }
}

static zw_status solve_level(starting *w, zr_level *l)
{
    zw_sim *sim = w->sim;
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    zr_level_evaluate(l);
    if (!l->finite) {
        ZB_TRY(zr_report_bad(sim, &s, ZR_BAD_LEVEL | ZR_BAD_ROWS));
        return ZW_ERR_NOT_FINITE;
    }
    note_off(l, w);
    if (zr_level_rounding(l, 16.0 * eps)) return ZW_OK;
    zr_evaluate_dynamics(sim, &s);
    if (!all_finite(sim->M, sim->model->M.count)) {
        ZB_TRY(zr_report_bad(sim, &s, ZR_BAD_DYNAMICS));
        return ZW_ERR_NOT_FINITE;
    }
    zw_status status = zr_level_metric(l, sim->M);
    if (status == ZW_OK) status = zr_level_solve(l);
    if (status != ZW_OK) return zr_report_factor(sim, &s, status);
    w->chosen = w->chosen || l->beside;
    return zr_level_rounding(l, 1e-9) ? ZW_OK : zr_refuse(l, w->accept);
}

static zw_status correct(starting *w, zr_order order)
{
    zw_sim *sim = w->sim;
    const double *given = sim->given + (order == ZR_VELOCITY ? sim->zm->n : 0);
    zr_level l;
    zw_status status = zr_level_open(&l, sim, order, false, sim->q, sim->v, given);
    if (status == ZW_OK) status = solve_level(w, &l);
    zr_level_close(&l);
    return status;
}

/* ------------------------------------------------------------- everything, once */

static zw_status check_nonideal(zw_sim *sim, const zk_source *s)
{
    if (sim->model->nonideal.count == 0) return ZW_OK;
    ZB_TRY(zr_nonideal_at(sim, s));
    if (!all_finite(sim->C, sim->zm->n)) {
        ZB_TRY(zr_report_bad(sim, s, ZR_BAD_NONIDEAL));
        return ZW_ERR_NOT_FINITE;
    }
    zw_gauss_rank_info rank = {0};
    if (!sim->model->uses_measures) return ZW_OK;
    ZB_TRY(zg_rank(sim->gauss, &rank));
    if (rank.rank == sim->zm->m) return ZW_OK;
    zw_diagnosis *d = NULL;
    ZB_TRY(zg_diagnose(sim->gauss, sim->b, sim->work, &d));
    zw_status status = zr_warn_shares(sim, d);
    zg_diagnosis_free(d);
    return status;
}

/* M, Q, A, b, C at the start are finite and determine every motion. */
static zw_status check_equations(zw_sim *sim)
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
    if (!sim->dense) return ZW_OK;
    if (status != ZW_OK) return zr_report_factor(sim, &s, status);
    return check_nonideal(sim, &s);
}

/* ------------------------------------------------------------------- the moves */

double zr_moved_by(const zw_sim *sim, int32_t i)
{
    int32_t n = sim->zm->n;
    double now = i < n ? sim->q[i] : sim->v[i - n], change = fabs(now - sim->given[i]);
    return change > 1e-13 * sim->start.size[i >= n] ? change : 0.0;
}

/* What a change is compared with: the largest position, the largest velocity. */
static void measure_sizes(zw_sim *sim)
{
    double *size = sim->start.size;
    size[0] = size[1] = 0.0;
    for (int32_t i = 0; i < sim->zm->n; i++) {
        size[0] = fmax(size[0], fmax(fabs(sim->q[i]), fabs(sim->given[i])));
        size[1] = fmax(size[1], fmax(fabs(sim->v[i]), fabs(sim->given[sim->zm->n + i])));
    }
}

/* The largest move at or below (most, after); -1 when there is none left. */
static int32_t next_move(const zw_sim *sim, double most, int32_t after)
{
    int32_t best = -1;
    double largest = 0.0;
    for (int32_t i = 0; i < 2 * sim->zm->n; i++) {
        double by = zr_moved_by(sim, i);
        bool said = by > most || (by >= most && i <= after);
        if (said || by <= largest) continue;
        largest = by;
        best = i;
    }
    return best;
}

static zl_place place_of_move(const zw_sim *sim, int32_t i)
{
    const zm_model *zm = sim->zm;
    for (int32_t k = 0; k < zm->start_value_count; k++) {
        const zm_start_value *v = &zm->start_values[k];
        if ((v->order == 1 ? zm->n : 0) + v->coordinate == i) return v->place;
    }
    return zr_nowhere;
}

static void say_move(const zw_sim *sim, int32_t i, zb_text *text)
{
    int32_t n = sim->zm->n;
    zr_text_coordinate(sim, i < n ? i : i - n, i >= n, text);
    zb_text_add(text, " from ");
    zr_text_short(text, sim->given[i]);
    zb_text_add(text, " to ");
    zr_text_short(text, i < n ? sim->q[i] : sim->v[i - n]);
}

/* W0411, the largest moves first, and what was off. */
static zw_status report_moves(starting *w)
{
    enum { most = 6 };
    zw_sim *sim = w->sim;
    measure_sizes(sim);
    int32_t first = next_move(sim, HUGE_VAL, -1), said = 0, all = 0;
    for (int32_t i = 0; i < 2 * sim->zm->n; i++) all += zr_moved_by(sim, i) > 0.0;
    sim->start.moved = first >= 0;
    if (first < 0) return ZW_OK;
    zb_text text;
    zb_text_init(&text, sim->memory);
    zb_text_add(&text, "the start was moved onto the constraints: ");
    for (int32_t i = first; i >= 0 && said < most; said++) {
        if (said > 0) zb_text_add(&text, ", ");
        say_move(sim, i, &text);
        i = next_move(sim, zr_moved_by(sim, i), i);
    }
    if (all > said) zb_text_printf(&text, " and %d more", (int)(all - said));
    if (w->off_count > 0) zb_text_printf(&text, "; off was %s", zb_text_string(&w->off));
    if (w->off_count > 4) zb_text_printf(&text, " and %d more", (int)(w->off_count - 4));
    if (w->chosen)
        zb_text_add(&text,
                    "; no way led there from the given values, one from beside them was taken");
    zr_message message = {.code = "W0411", .place = place_of_move(sim, first)};
    if (message.place.source < 0) message.place = w->off_place;
    zw_status status = zr_report(sim->model, &message, &text);
    zb_text_free(&text);
    return status;
}

/* ------------------------------------------------------------------- the whole */

static zw_status report_large(zw_sim *sim)
{
    zb_text text;
    zb_text_init(&text, sim->memory);
    zb_text_printf(&text,
                   "with %d coordinates and %d rows the system is too large for the dense solver "
                   "(%d): the start is not corrected, rank and redundancy are not examined",
                   (int)sim->zm->n, (int)sim->zm->m, (int)zr_dense_limit);
    zr_message message = {.code = "R0620", .place = zr_nowhere};
    zw_status status = zr_report(sim->model, &message, &text);
    zb_text_free(&text);
    return status;
}

/* Large systems: which rows the given values do not satisfy. */
static zw_status look_only(starting *w)
{
    zw_sim *sim = w->sim;
    int32_t m = sim->zm->m;
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    zl_place place = zr_nowhere;
    zr_evaluate_levels(sim, &s);
    for (int32_t i = 0; i < 2 * m; i++) {
        int32_t row = i < m ? i : i - m;
        bool holonomic = zm_row_kind_of(sim->zm, row) == ZM_HOLONOMIC;
        if ((i < m && !holonomic) || fabs(sim->level[i]) <= 1e-9 * sim->level[2 * m + i]) continue;
        if (w->off_count++ >= 4) continue;
        if (w->off_count > 1) zb_text_add(&w->off, ", ");
        if (w->off_count == 1) place = zr_row_place(sim, row);
        if (i >= m && holonomic) zb_text_add(&w->off, "the rate of ");
        zr_text_row(sim, row, &w->off);
        zb_text_add(&w->off, " by ");
        zr_text_short(&w->off, fabs(sim->level[i]));
    }
    ZB_TRY(report_large(sim));
    if (w->off_count == 0) return ZW_OK;
    zb_text text;
    zb_text_init(&text, sim->memory);
    zb_text_printf(&text, "the start does not satisfy the constraints: off is %s",
                   zb_text_string(&w->off));
    if (w->off_count > 4) zb_text_printf(&text, " and %d more", (int)(w->off_count - 4));
    zr_message message = {.code = "W0412", .place = place};
    zw_status status = zr_report(sim->model, &message, &text);
    zb_text_free(&text);
    return status;
}

static zw_status run(starting *w)
{
    zw_sim *sim = w->sim;
    size_t n = (size_t)sim->zm->n;
    ZB_TRY(zr_given(sim, sim->t, sim->q, sim->v, sim->fixed));
    memcpy(sim->given, sim->q, sizeof(double) * n);
    memcpy(sim->given + n, sim->v, sizeof(double) * n);
    sim->start.done = true;
    if (sim->dense) {
        ZB_TRY(correct(w, ZR_POSITION));
        ZB_TRY(correct(w, ZR_VELOCITY));
        ZB_TRY(report_moves(w));
    } else {
        ZB_TRY(look_only(w));
    }
    sim->start.satisfied = w->off_count == 0;
    ZB_TRY(check_equations(sim));
    sim->start.complete = true;
    return ZW_OK;
}

zw_status zr_sim_start(zw_sim *sim, bool accept_inconsistent)
{
    double from = sim->zm->simulate.from;
    bool accept = accept_inconsistent || sim->zm->simulate.accept_inconsistent;
    starting w = {.sim = sim, .accept = accept, .off_place = zr_nowhere};
    zb_arena_clear(&sim->notes);
    sim->start = (zr_start){0};
    sim->t = isnan(from) ? 0.0 : from;
    zb_text_init(&w.off, sim->memory);
    zw_status status = run(&w);
    if (w.off.failure != ZW_OK) status = w.off.failure;
    zb_text_free(&w.off);
    return status;
}
