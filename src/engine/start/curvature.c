/*
 * The curvature of a level's rows: K = sum lambda_i r_i'', the Hessian matrix of lambda.r, from
 * central differences of its gradient A^T lambda. Entry (i, j) is there only where columns i and j
 * stand in one row; so columns that no row of K has together are moved at the same time (as Curtis,
 * Powell and Reid do with sparse Jacobians), and a few evaluations give all of K, however long a
 * chain is. Such *groups* of columns are found greedily: a colouring at distance two of the graph
 * of H. What a group gives is to the bit what its columns give one by one.
 *
 * Where one coordinate shares rows with very many others there are too many groups; in large
 * systems there is no curvature then, and nearest.c does without.
 */
#include <math.h>
#include <string.h>

#include "level.h"

enum { most_groups = 512 }; /* of a large system */

/* ---------------------------------------------------------------------- groups */

/* Entries of row i of H, those left of the diagonal included. */
static int32_t count_row_of_H(const zr_level *l, int32_t i)
{
    return l->normal.H.start[i + 1] - l->normal.H.start[i] + l->normal.columns.start[i + 1] -
           l->normal.columns.start[i];
}

/* taken[group] = j for the groups of columns before j that row i of H has. */
static void mark_groups_taken(const zr_level *l, int32_t i, int32_t j, int32_t *taken)
{
    for (int32_t p = l->normal.H.start[i]; p < l->normal.H.start[i + 1]; p++)
        if (l->normal.H.column[p] < j) taken[l->groups.of[l->normal.H.column[p]]] = j;
    for (int32_t p = l->normal.columns.start[i]; p < l->normal.columns.start[i + 1]; p++)
        if (l->normal.columns.row[p] < j) taken[l->groups.of[l->normal.columns.row[p]]] = j;
}

/* Column j into the first group without a column that shares a row of H with it; taken [n + 1]. */
static void choose_group_of(zr_level *l, int32_t j, int32_t *taken)
{
    int32_t g = 0;
    for (int32_t p = l->normal.H.start[j]; p < l->normal.H.start[j + 1]; p++)
        mark_groups_taken(l, l->normal.H.column[p], j, taken);
    for (int32_t p = l->normal.columns.start[j]; p < l->normal.columns.start[j + 1]; p++)
        mark_groups_taken(l, l->normal.columns.row[p], j, taken);
    while (taken[g] == j && j > 0) g++; /* column 0 finds nothing taken */
    l->groups.of[j] = g;
    if (g >= l->groups.count) l->groups.count = g + 1;
}

/* The group of every column; none (groups 0) in a large system that would need too many. */
static void choose_column_groups(zr_level *l, int32_t *taken)
{
    int32_t longest = 0;
    bool large = l->n > zr_dense_limit;
    for (int32_t i = 0; i < l->n; i++)
        if (count_row_of_H(l, i) > longest) longest = count_row_of_H(l, i);
    if (large && longest > most_groups) return;
    bool alone = !large && longest > l->n / 4; /* every column its own group: few would share */
    for (int32_t j = 0; j < l->n; j++) {
        if (alone)
            l->groups.of[j] = j;
        else
            choose_group_of(l, j, taken);
    }
    if (alone) l->groups.count = l->n;
    if (large && l->groups.count > most_groups) l->groups.count = 0;
}

/* Columns sorted by groups: member_start and member. */
static void list_group_members(zr_level *l)
{
    for (int32_t j = 0; j < l->n; j++) l->groups.start[l->groups.of[j] + 1]++;
    for (int32_t g = 0; g < l->groups.count; g++) l->groups.start[g + 1] += l->groups.start[g];
    for (int32_t j = l->n - 1; j >= 0; j--) { /* the starts move one group back, and up again */
        int32_t *next = &l->groups.start[l->groups.of[j] + 1];
        l->groups.member[--*next] = j;
    }
    for (int32_t g = 0; g < l->groups.count; g++) l->groups.start[g] = l->groups.start[g + 1];
    l->groups.start[l->groups.count] = l->n;
}

/* Groups of columns, once; they depend on the pattern of H only. */
static zw_status group_columns(zr_level *l)
{
    l->groups.member = ZB_NEW_ARRAY(&l->arena, int32_t, l->n);
    int32_t *taken = ZB_NEW_ARRAY(&l->arena, int32_t, (size_t)l->n + 1);
    l->groups.of = ZB_NEW_ARRAY(&l->arena, int32_t, l->n);
    if (l->arena.failure != ZW_OK) return l->arena.failure;
    choose_column_groups(l, taken);
    if (l->groups.count == 0) return ZW_OK;
    l->groups.start = ZB_NEW_ARRAY(&l->arena, int32_t, (size_t)l->groups.count + 1);
    if (!l->groups.start) return l->arena.failure;
    list_group_members(l);
    return ZW_OK;
}

/* ----------------------------------------------------------------- differences */

/* y = A^T lambda at the present x, from the matrices of the simulation. */
static void evaluate_gradient(zr_level *l, const double *lambda, double *y)
{
    const zg_pattern *A = &l->rows.is.A;
    zw_sim *sim = l->sim;
    zk_source s = zr_source(sim, sim->t, l->q, l->v);
    zr_evaluate_rows(sim, &s);
    if (sim->model->equation_count > 0) zr_evaluate_equations(sim, &s);
    memset(y, 0, sizeof *y * (size_t)l->n);
    for (int32_t i = 0; i < l->m; i++) {
        for (int32_t k = A->start[i]; k < A->start[i + 1]; k++) {
            int32_t from = l->rows.A_from[k];
            y[A->column[k]] += lambda[i] * (from < 0 ? sim->E[~from] : sim->A[from]);
        }
    }
}

/* Moves the columns of group g at once, by h to either side, and adds what they give to K. work [2
 * n]. */
static void add_group_to_curvature(zr_level *l, int32_t g, double h, const double *lambda,
                                   double *work)
{
    double *plus = work, *minus = work + l->n;
    const int32_t *from = l->groups.member + l->groups.start[g],
                  *to = l->groups.member + l->groups.start[g + 1];
    for (const int32_t *j = from; j < to; j++) l->step.old[*j] = l->x[l->unknown[*j]];
    for (const int32_t *j = from; j < to; j++) l->x[l->unknown[*j]] = l->step.old[*j] + h;
    evaluate_gradient(l, lambda, plus);
    for (const int32_t *j = from; j < to; j++) l->x[l->unknown[*j]] = l->step.old[*j] - h;
    evaluate_gradient(l, lambda, minus);
    for (const int32_t *j = from; j < to; j++) l->x[l->unknown[*j]] = l->step.old[*j];
    for (int32_t i = 0; i < l->n; i++) plus[i] = (plus[i] - minus[i]) / (2.0 * h);
    for (const int32_t *j = from; j < to; j++) {
        int32_t p = l->normal.H.start[*j]; /* the diagonal */
        l->normal.K[p] = plus[*j];
        for (p++; p < l->normal.H.start[*j + 1]; p++)
            l->normal.K[p] += 0.5 * plus[l->normal.H.column[p]];
        for (p = l->normal.columns.start[*j]; p < l->normal.columns.start[*j + 1]; p++)
            l->normal.K[l->normal.columns.at[p]] += 0.5 * plus[l->normal.columns.row[p]];
    }
}

/* Differences over 1e-5 of the largest unknown. */
zw_status zr_level_find_curvature(zr_level *l, const double *lambda, double *work, bool *there)
{
    double size = 0.0, sum = 0.0;
    ZB_TRY(zr_level_shape_normal(l));
    if (!l->groups.of) ZB_TRY(group_columns(l));
    *there = l->groups.count > 0;
    if (!*there) return ZW_OK;
    for (int32_t j = 0; j < l->n; j++) size = fmax(size, fabs(l->x[l->unknown[j]]));
    double h = 1e-5 * (size > 0.0 ? size : 1.0);
    memset(l->normal.K, 0, sizeof *l->normal.K * (size_t)l->normal.H.start[l->n]);
    for (int32_t g = 0; g < l->groups.count; g++) add_group_to_curvature(l, g, h, lambda, work);
    for (int32_t p = 0; p < l->normal.H.start[l->n]; p++) sum += fabs(l->normal.K[p]);
    *there = isfinite(sum);
    return ZW_OK;
}
