/*
 * Forces in the rows of a run that the mechanics does not determine. Where rows of A depend on each
 * other the multipliers may be changed by any n with A^T n = 0; what is written is the one of least
 * norm. Which columns such an n changes is found by a random one: with right sides r of random
 * numbers and no force, what no acceleration can remove of r is u, with A^T W u = 0, so that
 *
 *     n = W u
 *
 * changes every multiplier that can be changed, but for chance. It costs two more solves with the
 * factor at hand, and only where such a column is written while the rank is below the number of
 * rows: at the 1st, 2nd, 4th, 8th ... of these rows, and whenever the rank is lower than before.
 * Nothing is allocated there.
 */
#include <math.h>
#include <string.h>

#include "columns.h"
#include "level.h"

static const double no_share = 1e-7; /* of the largest change of a force: smaller is rounding */

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
static void pull_change(const zw_sim *sim, zr_shares *x, bool controls)
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
    pull_change(sim, x, false);
    memcpy(x->way, x->pull, sizeof *x->way * (size_t)n);
    double square = square_pull(sim, x), enough = 1e-24 * m;
    for (int32_t k = 0; k < 10 * (n + m) && square > enough; k++) {
        double by = square / apply_rows(sim, x), before = square;
        for (int32_t i = 0; i < m; i++)
            if (x->length[i] > 0.0) x->change[i] -= by * x->image[i] / x->length[i];
        pull_change(sim, x, false);
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
    pull_change(sim, x, false);
    return sqrt(square_pull(sim, x)) <= 1e-9 * largest ? largest : 0.0;
}

/* x->change [m]: multipliers that hold nothing; the largest force of a row in it, 0: none was
 * found. */
static double find_change(zw_sim *sim, zr_shares *x)
{
    measure_rows(sim, x);
    double largest = find_change_by_solver(sim, x) ? measure_change(sim, x) : 0.0;
    if (largest > 0.0) return largest;
    return find_change_by_itself(sim, x) ? measure_change(sim, x) : 0.0;
}

/* ------------------------------------------------------------------------ what it moves */

/* Outputs into `out`, with multipliers changed by so much of a direction [m]; lambda [m] is then as
 * it was, but for rounding. */
static void evaluate_moved(zw_sim *sim, const zk_source *s, double *lambda, const double *way,
                           double by, double *out)
{
    int32_t m = sim->zm->m;
    for (int32_t i = 0; i < m; i++) lambda[i] += by * way[i];
    zr_measure(sim, lambda);
    zr_outputs_at(sim, s, out);
    for (int32_t i = 0; i < m; i++) lambda[i] -= by * way[i];
}

/* x->same: which outputs stay, beside how far a change of any kind moves them, when the multipliers
 * are changed by as much as they are; compared with sim->output. */
static void compare_moved_outputs(zw_sim *sim, zr_shares *x, const zk_source *s, double *lambda,
                                  double largest)
{
    int32_t m = sim->zm->m, count = zr_output_elements(sim->model);
    uint64_t seed = 0x414E59u;
    double force = 0.0;
    for (int32_t i = 0; i < m; i++) {
        force = fmax(force, fabs(lambda[i]) * x->length[i]);
        x->image[i] = x->length[i] > 0.0 ? largest * zr_next_random(&seed) / x->length[i] : 0.0;
    }
    double by = (force > 0.0 ? force : 1.0) / largest;
    evaluate_moved(sim, s, lambda, x->image, by, x->any);
    evaluate_moved(sim, s, lambda, x->change, by, x->moved);
    for (int32_t i = 0; i < count; i++) {
        double far = fabs(x->any[i] - sim->output[i]), off = fabs(x->moved[i] - sim->output[i]);
        x->same[i] = isnan(sim->output[i]) || off <= no_share * far;
    }
}

/* Whether the change, whose largest force is given, moves a column. */
static bool is_moved(const zr_shares *x, const zr_column *c, double largest)
{
    switch ((zr_column_kind)c->kind) {
    case ZR_COL_MULTIPLIER:
        return fabs(x->change[c->number]) * x->length[c->number] > no_share * largest;
    case ZR_COL_CONTROL:
        return fabs(x->pull[c->number]) > no_share * largest;
    case ZR_COL_OUTPUT:
        return !x->same[c->number];
    default:
        return false;
    }
}

/* Marks the columns that the change moves; whether there are any. */
static bool mark_columns(zr_shares *x, const zw_columns *columns, double largest)
{
    bool any = false;
    for (int32_t k = 0; k < columns->list.count; k++) {
        const zr_column *c = &columns->list.data[k];
        if (!is_moved(x, c, largest)) continue;
        bool *of = c->kind == ZR_COL_MULTIPLIER ? x->row
                   : c->kind == ZR_COL_CONTROL  ? x->control
                                                : x->output;
        of[c->number] = any = true;
    }
    return any;
}

/* Rows depend on each other, and it was not found how: every force may be open. */
static void suspect_all(const zw_sim *sim, zr_shares *x)
{
    for (int32_t i = 0; i < sim->zm->m; i++)
        x->change[i] = x->length[i] > 0.0 ? 1.0 / x->length[i] : 0.0;
}

/* After the row's values are there. */
void zr_note_shares(zw_sim *sim, const zw_columns *columns, const zk_source *s,
                    const zw_gauss_answer *answer)
{
    zr_shares *x = &sim->run->shares;
    bool lower = answer->rank < x->lowest, due = (x->rows & (x->rows + 1)) == 0;
    if (!columns->shares || answer->rank >= sim->zm->m) return;
    x->rows++;
    if (!lower && !due) return;
    x->lowest = lower ? answer->rank : x->lowest;
    x->looks++;
    double largest = find_change(sim, x);
    bool reads = zr_outputs_need(sim->model).measures && columns->needs & ZR_NEED_OUTPUTS;
    if (!(largest > 0.0)) suspect_all(sim, x);
    for (int32_t i = 0; i < zr_output_elements(sim->model); i++) x->same[i] = true;
    if (reads) compare_moved_outputs(sim, x, s, answer->multipliers, largest > 0.0 ? largest : 1.0);
    pull_change(sim, x, true);
    bool any = mark_columns(x, columns, largest);
    if (!any || !isnan(x->first)) return;
    x->first = sim->t;
    x->first_rank = answer->rank;
}

/* ------------------------------------------------------------------------------- words */

int32_t zr_share_count(const zw_sim *sim)
{
    return zr_output_elements(sim->model) + sim->zm->n + sim->zm->m;
}

/* Outputs, then controls, then multipliers. */
bool zr_text_share(const zw_sim *sim, int32_t k, zb_text *text)
{
    const zr_shares *x = &sim->run->shares;
    int32_t outputs = zr_output_elements(sim->model), n = sim->zm->n;
    zr_column c = {.kind = ZR_COL_OUTPUT, .number = k};
    const bool *marks = x->output;
    if (k >= outputs + n) {
        c = (zr_column){.kind = ZR_COL_MULTIPLIER, .number = k - outputs - n};
        marks = x->row;
    } else if (k >= outputs) {
        c = (zr_column){.kind = ZR_COL_CONTROL, .number = k - outputs};
        marks = x->control;
    }
    if (!marks[c.number]) return false;
    zr_text_column(sim->model, &c, text);
    return true;
}

/* As a list of at most some names. */
void zr_text_shares(const zw_sim *sim, zb_text *text)
{
    enum { most = 6 };
    int32_t count = zr_share_count(sim);
    zr_name_ranges ranges;
    zr_name_ranges_init(&ranges, sim->memory);
    for (int32_t k = 0; k < count; k++)
        if (zr_text_share(sim, k, &ranges.name)) zr_name_ranges_add(&ranges, "");
    zr_name_ranges_list(&ranges, most, " and ", text);
    if (ranges.failure != ZW_OK) text->failure = ranges.failure;
    zr_name_ranges_free(&ranges);
}
