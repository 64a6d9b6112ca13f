/*
 * The matrices of a level of the start, sparse:
 *
 *     A   its rows (constraints, then start equations) in the free columns
 *     W   the block of its rows, start equations with weight 1
 *     M   of the free columns, upper triangle
 *     H   upper triangle of the union of M, A^T W A and the diagonal: the metric, the curvature of
 *         the rows and the damped steps have their entries there
 *
 * Patterns are made once, those of A, W and M by row_selection.c; an evaluation searches nothing.
 * A row with very many entries would make H a full matrix: in large systems such rows are left out
 * of it. They still hold; only their curvature is not seen.
 */
#include <string.h>

#include "level.h"

enum { most_entries = 256 }; /* of a row of A; in a large system longer ones are left out of H */

static int32_t *new_level_integers(zr_level *l, int32_t count)
{
    return ZB_NEW_ARRAY(&l->arena, int32_t, count);
}

/* ------------------------------------------------------------------------ mass */

double zr_level_mass_entry(const zr_level *l, int32_t j)
{
    int32_t k = l->rows.is.M.start[j];
    return k < l->rows.is.M.start[j + 1] && l->rows.is.M.column[k] == j ? l->rows.M[k] : 0.0;
}

zg_structure zr_level_unconstrained(const zr_level *l, const zg_pattern *M)
{
    static const int32_t start[1] = {0};
    zg_structure structure = {.n = l->n, .M = *M, .solver = l->rows.is.solver};
    structure.A = (zg_pattern){.columns = l->n, .start = start, .column = start};
    return structure;
}

/* -------------------------------------------------------------------- products */

void zr_level_weigh(const zr_level *l, const double *x, double *y)
{
    const zg_pattern *W = &l->rows.is.W;
    for (int32_t i = 0; i < l->m; i++) {
        y[i] = l->rows.W ? 0.0 : x[i];
        for (int32_t k = l->rows.W ? W->start[i] : 0; l->rows.W && k < W->start[i + 1]; k++)
            y[i] += l->rows.W[k] * x[W->column[k]];
    }
}

void zr_level_multiply_transposed(const zr_level *l, const double *A, const double *x, double *y)
{
    const zg_pattern *p = &l->rows.is.A;
    memset(y, 0, sizeof *y * (size_t)l->n);
    for (int32_t i = 0; i < l->m; i++)
        for (int32_t k = p->start[i]; k < p->start[i + 1]; k++) y[p->column[k]] += x[i] * A[k];
}

/* ------------------------------------------------------------- the pattern of H */

/* A row that would make H of a large system too full. */
static bool is_too_long(const zr_level *l, int32_t row)
{
    return l->n > zr_dense_limit &&
           l->rows.is.A.start[row + 1] - l->rows.is.A.start[row] > most_entries;
}

/* A by columns: the entries of column j, with their rows and places in A. */
static zw_status list_columns_of_A(zr_level *l)
{
    const zg_pattern *p = &l->rows.is.A;
    l->columns.start = new_level_integers(l, l->n + 1);
    l->columns.row = new_level_integers(l, p->start[l->m]);
    l->columns.at = new_level_integers(l, p->start[l->m]);
    int32_t *next = new_level_integers(l, l->n);
    if (l->arena.failure != ZW_OK) return l->arena.failure;
    for (int32_t k = 0; k < p->start[l->m]; k++) l->columns.start[p->column[k] + 1]++;
    for (int32_t j = 0; j < l->n; j++) {
        l->columns.start[j + 1] += l->columns.start[j];
        next[j] = l->columns.start[j];
    }
    for (int32_t i = 0; i < l->m; i++) {
        for (int32_t k = p->start[i]; k < p->start[i + 1]; k++) {
            int32_t to = next[p->column[k]]++;
            l->columns.row[to] = i;
            l->columns.at[to] = k;
        }
    }
    return ZW_OK;
}

/* Row j of H under construction: the columns from j on, each once. They are counted, and kept if
 * there is a place for them. */
typedef struct row_of_H {
    int32_t j, count;
    int32_t *seen; /* [n] j + 1 of the row that had the column last */
    int32_t *to;   /* or NULL */
} row_of_H;

/* A column of row w->j, unless it is left of the diagonal or there already. */
static void add_column_once(row_of_H *w, int32_t column)
{
    if (column < w->j || w->seen[column] == w->j + 1) return;
    w->seen[column] = w->j + 1;
    if (w->to) w->to[w->count] = column;
    w->count++;
}

/* All columns that a row of A has. */
static void add_columns_of_row(const zr_level *l, row_of_H *w, int32_t row)
{
    const zg_pattern *A = &l->rows.is.A;
    if (is_too_long(l, row)) return;
    for (int32_t k = A->start[row]; k < A->start[row + 1]; k++) add_column_once(w, A->column[k]);
}

/* Row w->j of H, columns in any order: those of M, and of all rows of A that meet column j, through
 * W where there is one. */
static void fill_row_of_H(const zr_level *l, row_of_H *w)
{
    const zg_pattern *M = &l->rows.is.M, *W = &l->rows.is.W;
    int32_t j = w->j;
    w->count = 0;
    add_column_once(w, j);
    for (int32_t k = M->start[j]; k < M->start[j + 1]; k++) add_column_once(w, M->column[k]);
    for (int32_t k = j; k < l->n && l->solver.full; k++) add_column_once(w, k);
    for (int32_t e = l->columns.start[j]; e < l->columns.start[j + 1]; e++) {
        int32_t i = l->columns.row[e];
        if (w->count == l->n - j) return; /* there is no other */
        if (is_too_long(l, i)) continue;
        if (!l->rows.W) add_columns_of_row(l, w, i);
        for (int32_t k = l->rows.W ? W->start[i] : 0; l->rows.W && k < W->start[i + 1]; k++)
            add_columns_of_row(l, w, W->column[k]);
    }
}

/* Rows of H with columns in ascending order, from unsorted ones: listed by columns, then by rows
 * again. Both lists stay. next [n] is scratch. */
static void sort_rows_of_H(zr_level *l, const int32_t *unsorted, int32_t *column, int32_t *next)
{
    const int32_t *start = l->normal.H.start;
    for (int32_t j = 0; j < l->n; j++)
        for (int32_t k = start[j]; k < start[j + 1]; k++)
            if (unsorted[k] > j) l->normal.columns.start[unsorted[k] + 1]++;
    for (int32_t j = 0; j < l->n; j++) {
        l->normal.columns.start[j + 1] += l->normal.columns.start[j];
        next[j] = l->normal.columns.start[j];
    }
    for (int32_t j = 0; j < l->n; j++)
        for (int32_t k = start[j]; k < start[j + 1]; k++)
            if (unsorted[k] > j) l->normal.columns.row[next[unsorted[k]]++] = j;
    for (int32_t j = 0; j < l->n; j++) {
        column[start[j]] = j;
        next[j] = start[j] + 1;
    }
    for (int32_t j = 0; j < l->n; j++) {
        for (int32_t k = l->normal.columns.start[j]; k < l->normal.columns.start[j + 1]; k++) {
            int32_t to = next[l->normal.columns.row[k]]++;
            column[to] = j;
            l->normal.columns.at[k] = to;
        }
    }
}

/* Where the rows of H begin: start [n + 1]. ZW_ERR_LARGE: more entries than can be numbered. */
static zw_status count_rows_of_H(zr_level *l, row_of_H *w, int32_t *start)
{
    int64_t all = 0;
    for (int32_t j = 0; j < l->n; j++) {
        w->j = j;
        fill_row_of_H(l, w);
        all += w->count;
        if (all > INT32_MAX / 2) return ZW_ERR_LARGE;
        start[j + 1] = (int32_t)all;
    }
    memset(w->seen, 0, sizeof *w->seen * (size_t)l->n);
    return ZW_OK;
}

/* Rows are found twice: once to count them, once to keep them. */
zw_status zr_level_shape_normal(zr_level *l)
{
    if (l->normal.H.start) return ZW_OK;
    ZB_TRY(list_columns_of_A(l));
    row_of_H w = {.seen = new_level_integers(l, l->n)};
    int32_t *start = new_level_integers(l, l->n + 1), *next = new_level_integers(l, l->n);
    l->normal.columns.start = new_level_integers(l, l->n + 1);
    l->normal.scattered = ZB_NEW_ARRAY(&l->arena, double, l->n);
    if (l->arena.failure != ZW_OK) return l->arena.failure;
    ZB_TRY(count_rows_of_H(l, &w, start));
    int32_t all = start[l->n], *column = new_level_integers(l, all),
            *unsorted = new_level_integers(l, all);
    l->normal.columns.row = new_level_integers(l, all - l->n);
    l->normal.columns.at = new_level_integers(l, all - l->n);
    l->normal.metric = ZB_NEW_ARRAY(&l->arena, double, all);
    l->normal.K = ZB_NEW_ARRAY(&l->arena, double, all);
    l->normal.damping = ZB_NEW_ARRAY(&l->arena, double, all);
    if (l->arena.failure != ZW_OK) return l->arena.failure;
    for (w.j = 0; w.j < l->n; w.j++) {
        w.to = unsorted + start[w.j];
        fill_row_of_H(l, &w);
    }
    l->normal.H = (zg_pattern){.rows = l->n, .columns = l->n, .start = start, .column = column};
    sort_rows_of_H(l, unsorted, column, next);
    return ZW_OK;
}

/* --------------------------------------------------------------- values of H */

/* M is upper triangular as H, columns ascend in both, and H has every entry of M. */
void zr_level_add_mass(const zr_level *l, double *H)
{
    const zg_pattern *M = &l->rows.is.M;
    for (int32_t j = 0; j < l->n; j++) {
        int32_t p = l->normal.H.start[j];
        for (int32_t k = M->start[j]; k < M->start[j + 1]; k++) {
            while (l->normal.H.column[p] < M->column[k]) p++;
            H[p] += l->rows.M[k];
        }
    }
}

/* scattered += factor * a row of A, from column j on. */
static void scatter_row(const zr_level *l, int32_t row, int32_t j, double factor)
{
    const zg_pattern *A = &l->rows.is.A;
    if (is_too_long(l, row)) return;
    for (int32_t k = A->start[row]; k < A->start[row + 1]; k++)
        if (A->column[k] >= j) l->normal.scattered[A->column[k]] += factor * l->rows.A[k];
}

/* Row j of A^T X A is the sum of a_ij (X A)_i over the rows i that meet column j: H_j is
 * scattered, added to, and gathered again. */
void zr_level_add_normal(const zr_level *l, const double *x, double *H)
{
    const zg_pattern *W = &l->rows.is.W;
    bool weighted = l->rows.W && !x;
    for (int32_t j = 0; j < l->n; j++) {
        for (int32_t p = l->normal.H.start[j]; p < l->normal.H.start[j + 1]; p++)
            l->normal.scattered[l->normal.H.column[p]] = H[p];
        for (int32_t e = l->columns.start[j]; e < l->columns.start[j + 1]; e++) {
            int32_t i = l->columns.row[e];
            double a = l->rows.A[l->columns.at[e]];
            if (a == 0.0 || is_too_long(l, i)) continue;
            if (!weighted) scatter_row(l, i, j, x ? x[i] * a : a);
            for (int32_t k = weighted ? W->start[i] : 0; weighted && k < W->start[i + 1]; k++)
                scatter_row(l, W->column[k], j, l->rows.W[k] * a);
        }
        for (int32_t p = l->normal.H.start[j]; p < l->normal.H.start[j + 1]; p++)
            H[p] = l->normal.scattered[l->normal.H.column[p]];
    }
}
