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
    return l->H.start[i + 1] - l->H.start[i] + l->back_start[i + 1] - l->back_start[i];
}

/* taken[group] = j for the groups of columns before j that row i of H has. */
static void mark_groups_taken(const zr_level *l, int32_t i, int32_t j, int32_t *taken)
{
    for (int32_t p = l->H.start[i]; p < l->H.start[i + 1]; p++)
        if (l->H.column[p] < j) taken[l->group[l->H.column[p]]] = j;
    for (int32_t p = l->back_start[i]; p < l->back_start[i + 1]; p++)
        if (l->back_row[p] < j) taken[l->group[l->back_row[p]]] = j;
}

/* Column j into the first group without a column that shares a row of H with it; taken [n + 1]. */
static void choose_group_of(zr_level *l, int32_t j, int32_t *taken)
{
    int32_t g = 0;
    for (int32_t p = l->H.start[j]; p < l->H.start[j + 1]; p++)
        mark_groups_taken(l, l->H.column[p], j, taken);
    for (int32_t p = l->back_start[j]; p < l->back_start[j + 1]; p++)
        mark_groups_taken(l, l->back_row[p], j, taken);
    while (taken[g] == j && j > 0) g++; /* column 0 finds nothing taken */
    l->group[j] = g;
    if (g >= l->groups) l->groups = g + 1;
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
            l->group[j] = j;
        else
            choose_group_of(l, j, taken);
    }
    if (alone) l->groups = l->n;
    if (large && l->groups > most_groups) l->groups = 0;
}

/* Columns sorted by groups: member_start and member. */
static void list_group_members(zr_level *l)
{
    for (int32_t j = 0; j < l->n; j++) l->member_start[l->group[j] + 1]++;
    for (int32_t g = 0; g < l->groups; g++) l->member_start[g + 1] += l->member_start[g];
    for (int32_t j = l->n - 1; j >= 0; j--) { /* the starts move one group back, and up again */
        int32_t *next = &l->member_start[l->group[j] + 1];
        l->member[--*next] = j;
    }
    for (int32_t g = 0; g < l->groups; g++) l->member_start[g] = l->member_start[g + 1];
    l->member_start[l->groups] = l->n;
}

/* Groups of columns, once; they depend on the pattern of H only. */
static zw_status group_columns(zr_level *l)
{
    l->member = ZB_NEW_ARRAY(&l->arena, int32_t, l->n);
    int32_t *taken = ZB_NEW_ARRAY(&l->arena, int32_t, (size_t)l->n + 1);
    l->group = ZB_NEW_ARRAY(&l->arena, int32_t, l->n);
    if (l->arena.failure != ZW_OK) return l->arena.failure;
    choose_column_groups(l, taken);
    if (l->groups == 0) return ZW_OK;
    l->member_start = ZB_NEW_ARRAY(&l->arena, int32_t, (size_t)l->groups + 1);
    if (!l->member_start) return l->arena.failure;
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
    const int32_t *from = l->member + l->member_start[g], *to = l->member + l->member_start[g + 1];
    for (const int32_t *j = from; j < to; j++) l->old[*j] = l->x[l->unknown[*j]];
    for (const int32_t *j = from; j < to; j++) l->x[l->unknown[*j]] = l->old[*j] + h;
    evaluate_gradient(l, lambda, plus);
    for (const int32_t *j = from; j < to; j++) l->x[l->unknown[*j]] = l->old[*j] - h;
    evaluate_gradient(l, lambda, minus);
    for (const int32_t *j = from; j < to; j++) l->x[l->unknown[*j]] = l->old[*j];
    for (int32_t i = 0; i < l->n; i++) plus[i] = (plus[i] - minus[i]) / (2.0 * h);
    for (const int32_t *j = from; j < to; j++) {
        int32_t p = l->H.start[*j]; /* the diagonal */
        l->K[p] = plus[*j];
        for (p++; p < l->H.start[*j + 1]; p++) l->K[p] += 0.5 * plus[l->H.column[p]];
        for (p = l->back_start[*j]; p < l->back_start[*j + 1]; p++)
            l->K[l->back_at[p]] += 0.5 * plus[l->back_row[p]];
    }
}

/* Differences over 1e-5 of the largest unknown. */
zw_status zr_level_find_curvature(zr_level *l, const double *lambda, double *work, bool *there)
{
    double size = 0.0, sum = 0.0;
    ZB_TRY(zr_level_shape_normal(l));
    if (!l->group) ZB_TRY(group_columns(l));
    *there = l->groups > 0;
    if (!*there) return ZW_OK;
    for (int32_t j = 0; j < l->n; j++) size = fmax(size, fabs(l->x[l->unknown[j]]));
    double h = 1e-5 * (size > 0.0 ? size : 1.0);
    memset(l->K, 0, sizeof *l->K * (size_t)l->H.start[l->n]);
    for (int32_t g = 0; g < l->groups; g++) add_group_to_curvature(l, g, h, lambda, work);
    for (int32_t p = 0; p < l->H.start[l->n]; p++) sum += fabs(l->K[p]);
    *there = isfinite(sum);
    return ZW_OK;
}
