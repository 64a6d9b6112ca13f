/*
 * Forces in the rows of a run that the mechanics does not determine. Where rows of A depend on each
 * other what is written is the multipliers of least norm; a change of them that holds nothing
 * (share_change.c) shows which columns are not unique. It is sought only where such a column is
 * written while the rank is below the number of rows: at the 1st, 2nd, 4th, 8th ... of these rows,
 * and whenever the rank is lower than before. Nothing is allocated there.
 */
#include <math.h>
#include <string.h>

#include "columns.h"
#include "level.h"
#include "settle.h"

static const double no_share = 1e-7; /* of the largest change of a force: smaller is rounding */

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

/* Whether the change, whose largest force is given, moves a column; row: whose multiplier it is. */
static bool is_moved(const zr_shares *x, const zr_column *c, int32_t row, double largest)
{
    if (row >= 0) return fabs(x->change[row]) * x->length[row] > no_share * largest;
    switch ((zr_column_kind)c->kind) {
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
        int32_t row = zr_row_of_column(columns->model, c);
        if (c->by > 0 || !is_moved(x, c, row, largest)) continue;
        bool *of = row >= 0 ? x->row : c->kind == ZR_COL_CONTROL ? x->control : x->output;
        of[row >= 0 ? row : c->number] = any = true;
    }
    return any;
}

/* Rows depend on each other, and it was not found how: every force may be open. */
static void suspect_all(const zw_sim *sim, zr_shares *x)
{
    for (int32_t i = 0; i < sim->zm->m; i++)
        x->change[i] = x->length[i] > 0.0 ? 1.0 / x->length[i] : 0.0;
}

/* Contacts that are closed, or stick, depend on each other: of these a basis carries the motion, and
 * what is written are shares, which may be unique only because none of them pulls. */
static bool are_contacts_sharing(zw_sim *sim, const zk_source *s)
{
    const zr_contacts *c = sim->contacts;
    if (!c || !c->mode.dependent || zr_find_mode_forces(sim, s) != ZW_OK) return false;
    const zr_space *space = c->space;
    zg_instant instant = zr_space_instant(sim, space->w);
    (void)zg_shares(space->solver, &instant, &space->last, &zg_contact_usual, space->x,
                    space->other, space->unique);
    for (int32_t i = 0; i < space->rows; i++)
        if (space->holds[i] != ZG_ROW_OFF && !space->unique[i]) return true;
    return false;
}

/* As zr_find_share_change, of all that is closed; x->first_rows becomes how many rows that are. */
static double find_contact_change(zw_sim *sim, const zk_source *s, zr_shares *x)
{
    double largest = 0.0;
    if (zr_factor_closed(sim, s) == ZW_OK) largest = zr_find_share_change(sim, x);
    x->closed_rows = zr_rows_on(sim);
    (void)zr_factor_mode(sim, s);
    return largest;
}

/* After the row's values are there. */
void zr_note_shares(zw_sim *sim, const zw_columns *columns, const zk_source *s,
                    const zw_gauss_answer *answer)
{
    zr_shares *x = &sim->run->shares;
    bool lower = answer->rank < x->lowest, due = (x->rows & (x->rows + 1)) == 0;
    bool rows = answer->rank < zr_rows_on(sim);
    if (!columns->shares || (!rows && !(sim->contacts && sim->contacts->mode.dependent))) return;
    x->rows++;
    if (!lower && !due) return;
    x->lowest = lower ? answer->rank : x->lowest;
    x->closed_rows = zr_rows_on(sim);
    bool shares = !rows && are_contacts_sharing(sim, s);
    if (!rows && !shares) return;
    double largest = rows ? zr_find_share_change(sim, x) : find_contact_change(sim, s, x);
    bool reads = zr_outputs_need(sim->model).measures && columns->needs & ZR_NEED_OUTPUTS;
    if (!(largest > 0.0)) suspect_all(sim, x);
    for (int32_t i = 0; i < zr_output_elements(sim->model); i++) x->same[i] = true;
    if (reads) compare_moved_outputs(sim, x, s, answer->multipliers, largest > 0.0 ? largest : 1.0);
    zr_pull_share_change(sim, x, true);
    bool any = mark_columns(x, columns, largest);
    if (!any || !isnan(x->first)) return;
    x->first = sim->t;
    x->first_rank = answer->rank;
    x->first_rows = x->closed_rows;
    x->passing = sim->contacts || answer->rank < sim->run->solving.generic_rank;
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
    bool marked = k < outputs && x->output[k];
    if (k >= outputs && k < outputs + n) {
        c = (zr_column){.kind = ZR_COL_CONTROL, .number = k - outputs};
        marked = x->control[k - outputs];
    } else if (k >= outputs + n) {
        c = zr_column_of_row(sim->model, k - outputs - n);
        marked = x->row[k - outputs - n];
    }
    if (!marked) return false;
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
