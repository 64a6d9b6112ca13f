/*
 * Selections of rows of the constraint matrix A (row_selection.h): patterns once, values by maps, one way
 * to factor and to solve. What differs between those who select (when a factor is good enough,
 * which rows are left out) stays with them.
 *
 * Patterns and values lie in the arena that the selection was shaped in; the solvers are freed by
 * zr_free_rows.
 */
#include "row_selection.h"

#include <float.h>
#include <string.h>

#include "share_closure.h"

zg_pattern zr_pattern_of(const zr_pattern *p)
{
    return (zg_pattern){
        .rows = p->rows, .columns = p->columns, .start = p->start, .column = p->column};
}

/* ------------------------------------------------------------------------- patterns */

/* Where row i of the selection stands: in A, or among the start equations. */
static const zr_pattern *find_row_source(const zw_sim *sim, const zr_rows *rows, int32_t i,
                                         int32_t *row)
{
    bool equation = rows->row[i] < 0;
    *row = equation ? ~rows->row[i] : rows->row[i];
    return equation ? &sim->model->E : &sim->model->A;
}

/* The pattern of the selected rows in the selected columns, rows->is.A, and for every entry
 * where its value is found: rows->A_from. */
static zw_status shape_derivatives(const zw_sim *sim, zb_arena *arena, zr_rows *rows,
                                   const int32_t *at)
{
    int32_t count = 0, row = 0;
    int32_t *start = ZB_NEW_ARRAY(arena, int32_t, (size_t)rows->m + 1);
    for (int32_t i = 0; i < rows->m; i++) {
        const zr_pattern *p = find_row_source(sim, rows, i, &row);
        count += p->start[row + 1] - p->start[row];
    }
    int32_t *column = ZB_NEW_ARRAY(arena, int32_t, (size_t)count);
    rows->A_from = ZB_NEW_ARRAY(arena, int32_t, (size_t)count);
    rows->A = ZB_NEW_ARRAY(arena, double, (size_t)count);
    if (arena->failure != ZW_OK) return arena->failure;
    count = 0;
    for (int32_t i = 0; i < rows->m; i++) {
        const zr_pattern *p = find_row_source(sim, rows, i, &row);
        for (int32_t k = p->start[row]; k < p->start[row + 1]; k++) {
            int32_t to = at ? at[p->column[k]] : p->column[k];
            if (to < 0) continue;
            column[count] = to;
            rows->A_from[count++] = rows->row[i] < 0 ? ~k : k;
        }
        start[i + 1] = count;
    }
    rows->is.A =
        (zg_pattern){.rows = rows->m, .columns = rows->n, .start = start, .column = column};
    return ZW_OK;
}

/* The entries of W between the rows; start equations have the weight 1. */
static zw_status shape_weights(const zw_sim *sim, zb_arena *arena, zr_rows *rows)
{
    const zr_pattern *p = &sim->model->W;
    size_t most = (size_t)p->count + (size_t)rows->m;
    int32_t count = 0, *place = ZB_NEW_ARRAY(arena, int32_t, (size_t)sim->zm->m);
    int32_t *start = ZB_NEW_ARRAY(arena, int32_t, (size_t)rows->m + 1);
    int32_t *column = ZB_NEW_ARRAY(arena, int32_t, most);
    rows->W_from = ZB_NEW_ARRAY(arena, int32_t, most);
    rows->W = ZB_NEW_ARRAY(arena, double, most);
    if (arena->failure != ZW_OK) return arena->failure;
    for (int32_t i = 0; i < rows->m; i++)
        if (rows->row[i] >= 0) place[rows->row[i]] = i + 1;
    for (int32_t i = 0; i < rows->m; i++) {
        int32_t row = rows->row[i];
        for (int32_t k = row < 0 ? 0 : p->start[row]; row >= 0 && k < p->start[row + 1]; k++) {
            if (place[p->column[k]] == 0) continue;
            column[count] = place[p->column[k]] - 1;
            rows->W_from[count++] = k;
        }
        if (row < 0) column[count] = i;
        if (row < 0) rows->W_from[count++] = -1;
        start[i + 1] = count;
    }
    rows->is.W =
        (zg_pattern){.rows = rows->m, .columns = rows->m, .start = start, .column = column};
    return ZW_OK;
}

/* Weights only where the model has any. */
zw_status zr_shape_rows(const zw_sim *sim, zb_arena *arena, zr_rows *rows, const int32_t *at)
{
    rows->is.n = rows->n;
    rows->is.m = rows->m;
    rows->whole = !at;
    ZB_TRY(shape_derivatives(sim, arena, rows, at));
    if (sim->contacts && !at) {
        rows->off = ZB_NEW_ARRAY(arena, bool, (size_t)rows->m);
        if (!rows->off) return arena->failure;
    }
    return sim->model->W.rows > 0 ? shape_weights(sim, arena, rows) : ZW_OK;
}

/* As the model has M: its upper triangle by rows, for `at` keeps the order of the columns. */
zw_status zr_shape_mass(const zw_sim *sim, zb_arena *arena, zr_rows *rows, const int32_t *at,
                        const int32_t *unknown)
{
    const zr_pattern *p = &sim->model->M;
    int32_t count = 0, *start = ZB_NEW_ARRAY(arena, int32_t, (size_t)rows->n + 1);
    int32_t *column = ZB_NEW_ARRAY(arena, int32_t, (size_t)p->count);
    rows->M_from = ZB_NEW_ARRAY(arena, int32_t, (size_t)p->count);
    rows->M = ZB_NEW_ARRAY(arena, double, (size_t)p->count);
    if (arena->failure != ZW_OK) return arena->failure;
    for (int32_t a = 0; a < rows->n; a++) {
        int32_t i = unknown[a];
        for (int32_t k = p->start[i]; k < p->start[i + 1]; k++) {
            if (at[p->column[k]] < 0) continue;
            column[count] = at[p->column[k]];
            rows->M_from[count++] = k;
        }
        start[a + 1] = count;
    }
    rows->is.M =
        (zg_pattern){.rows = rows->n, .columns = rows->n, .start = start, .column = column};
    return ZW_OK;
}

/* --------------------------------------------------------------------------- values */

/* Of a row of which some columns are selected, or of a start equation. */
static void gather_entries(const zw_sim *sim, const int32_t *from, int32_t count, double *to)
{
    for (int32_t k = 0; k < count; k++) to[k] = from[k] < 0 ? sim->E[~from[k]] : sim->A[from[k]];
}

/* A selection of everything is copied only where rows are left out of it. */
const double *zr_gather_rows(const zw_sim *sim, zr_rows *rows, const bool *left_out)
{
    const int32_t *start = rows->is.A.start;
    if (rows->all && !left_out) return sim->A;
    for (int32_t i = 0; i < rows->m; i++) {
        int32_t row = rows->all ? i : rows->row[i], count = start[i + 1] - start[i];
        double *to = rows->A + start[i];
        if (left_out && row >= 0 && left_out[row])
            memset(to, 0, sizeof *to * (size_t)count);
        else if (rows->whole)
            memcpy(to, sim->A + sim->model->A.start[row], sizeof *to * (size_t)count);
        else
            gather_entries(sim, rows->A_from + start[i], count, to);
    }
    return rows->A;
}

/* Those between the selected rows; start equations have the weight 1. */
const double *zr_gather_weights(const zw_sim *sim, zr_rows *rows)
{
    if (sim->model->W.rows == 0) return NULL;
    if (rows->all) return sim->W;
    for (int32_t k = 0; k < rows->is.W.start[rows->m]; k++)
        rows->W[k] = rows->W_from[k] < 0 ? 1.0 : sim->W[rows->W_from[k]];
    return rows->W;
}

double zr_weight_of_row(const zw_sim *sim, int32_t i)
{
    const zr_pattern *W = &sim->model->W;
    if (W->rows == 0) return 1.0;
    for (int32_t p = W->start[i]; p < W->start[i + 1]; p++)
        if (W->column[p] == i) return sim->W[p];
    return 1.0;
}

/* -------------------------------------------------------------------------- solvers */

/* Of another factor. */
static void forget_closure(zr_rows *rows)
{
    if (!rows->closure) return;
    rows->closure->found = false;
    rows->closure->count = 0;
}

/* [m] the selected rows that are off now; NULL: the model has no such rows. */
static const bool *find_rows_off(const zw_sim *sim, zr_rows *rows)
{
    const zr_contacts *c = sim->contacts;
    if (!c || rows->all) return c ? c->off : NULL;
    if (!rows->off) return NULL;
    for (int32_t i = 0; i < rows->m; i++) rows->off[i] = rows->row[i] >= 0 && c->off[rows->row[i]];
    return rows->off;
}

/* A refusal spoils the quick factor: whoever goes on needs another one. */
bool zr_factor_quickly(const zw_sim *sim, zr_rows *rows, const double *A)
{
    if (!rows->quick) return false;
    forget_closure(rows);
    zg_rows sparse = {.start = rows->is.A.start,
                      .column = rows->is.A.column,
                      .value = A,
                      .off = find_rows_off(sim, rows)};
    zr_expand_mass(sim, rows->quick_mass, sim->model->diagonal_mass);
    rows->by_quick = true;
    return zg_quick_factor(rows->quick, rows->quick_mass, &sparse);
}

/* An M of one's own is never taken for that of the factor before, nor of the next one. */
zw_status zr_factor_rows(const zw_sim *sim, zr_rows *rows, const double *A, const double *M)
{
    zg_values values = {.M = M ? M : sim->M,
                        .A = A,
                        .W = zr_gather_weights(sim, rows),
                        .off = find_rows_off(sim, rows),
                        .same_mass = !M && rows->same_mass};
    forget_closure(rows);
    zw_status status = zg_system_factor(rows->system, &values);
    rows->by_quick = false;
    rows->same_mass = !M && status == ZW_OK && sim->model->constant_mass;
    return status;
}

/* By whichever solver has factored last. */
zw_status zr_solve_rows(const zr_rows *rows, const double *f, const double *b, double *z,
                        double *lambda)
{
    if (rows->by_quick) {
        zg_quick_solve(rows->quick, f, b, z, lambda);
        return ZW_OK;
    }
    ZB_TRY(zg_system_apply(rows->system, f, b, z, lambda, NULL, NULL));
    if (rows->closure) zr_apply_closure(rows->closure, lambda);
    return ZW_OK;
}

double zr_rows_condition(const zr_rows *rows)
{
    return rows->by_quick ? zg_quick_condition(rows->quick)
                          : zg_system_noise(rows->system) / DBL_EPSILON;
}

/* What it was told of M goes with the solvers. */
void zr_free_rows(zr_rows *rows)
{
    zg_system_free(rows->system);
    zg_quick_free(rows->quick);
    rows->system = NULL;
    rows->quick = NULL;
    rows->same_mass = rows->by_quick = false;
}
