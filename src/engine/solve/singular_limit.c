/*
 * The acceleration at a singular configuration: a four-bar lying flat. There the rank of A is less
 * than almost everywhere, and the rows alone no longer say which way the motion goes on. Each row
 * that has become a combination of others, u A = 0, is replaced by the same combination of the rows
 * differentiated once more (build_limits.c); the answer is the limit of the accelerations before
 * and after.
 *
 * Combinations u come from elimination with complete pivoting on rows of unit length. Where rows
 * contradict each other, or a row of u cannot be differentiated, the acceleration stays as it is.
 */
#include <math.h>
#include <string.h>

#include "roads.h"

/* T [m*m] and X [m*n]: X = T A, after `rank` pivots; rest [m]: the row still waits. */
typedef struct elimination {
    size_t m, n;
    double *X, *T;
    bool *rest;
} elimination;

/* The largest entry among the rows that still wait; false: only zeros are left. */
static bool find_pivot(const elimination *e, size_t *row, size_t *column)
{
    double best = 0.0;
    for (size_t i = 0; i < e->m; i++) {
        for (size_t j = 0; j < e->n && e->rest[i]; j++) {
            double x = fabs(e->X[i * e->n + j]);
            if (!(x > best)) continue;
            best = x;
            *row = i;
            *column = j;
        }
    }
    return best > 0.0;
}

/* Gauss elimination with complete pivoting, `rank` pivots at most; T records what was done to
 * the rows. */
static void eliminate_rows(elimination *e, int32_t rank)
{
    for (int32_t k = 0; k < rank; k++) {
        size_t row = 0, column = 0;
        if (!find_pivot(e, &row, &column)) return;
        const double *x = e->X + row * e->n, *t = e->T + row * e->m;
        e->rest[row] = false;
        for (size_t i = 0; i < e->m; i++) {
            double factor = e->rest[i] ? e->X[i * e->n + column] / x[column] : 0.0;
            for (size_t j = 0; j < e->n && factor != 0.0; j++) e->X[i * e->n + j] -= factor * x[j];
            for (size_t j = 0; j < e->m && factor != 0.0; j++) e->T[i * e->m + j] -= factor * t[j];
            if (e->rest[i]) e->X[i * e->n + column] = 0.0;
        }
    }
}

/* A, rows of unit length; T the scales. */
static elimination begin_elimination(const zw_sim *sim, zr_limits *l)
{
    const zr_pattern *A = &sim->model->A;
    elimination e = {
        .m = (size_t)sim->zm->m, .n = (size_t)sim->zm->n, .X = l->X, .T = l->T, .rest = l->rest};
    memset(e.X, 0, sizeof *e.X * e.m * e.n);
    memset(e.T, 0, sizeof *e.T * e.m * e.m);
    for (size_t i = 0; i < e.m; i++) {
        double size = 0.0;
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) size += sim->A[p] * sim->A[p];
        double scale = size > 0.0 ? 1.0 / sqrt(size) : 1.0;
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++)
            e.X[i * e.n + (size_t)A->column[p]] = scale * sim->A[p];
        e.T[i * e.m + i] = scale;
        e.rest[i] = true;
    }
    return e;
}

/* Row i of A and b in the scratch becomes u times the differentiated rows; false when one cannot
 * be. */
static bool replace_row(const zw_sim *sim, zr_limits *l, const elimination *e, size_t i)
{
    const zr_pattern *L = &sim->model->limit;
    const double *u = e->T + i * e->m;
    double *row = l->A + i * e->n, right = 0.0, size = 0.0;
    for (size_t k = 0; k < e->m; k++) size = fmax(size, fabs(u[k]));
    for (size_t k = 0; k < e->m; k++) {
        bool derived = sim->row_kind[k] == ZM_HOLONOMIC || sim->row_kind[k] == ZM_NONHOLONOMIC;
        if (!derived && fabs(u[k]) > 1e-12 * size) return false;
    }
    memset(row, 0, sizeof *row * e->n);
    for (size_t k = 0; k < e->m; k++) {
        right += u[k] * l->right[k];
        for (int32_t p = L->start[k]; p < L->start[k + 1]; p++)
            row[L->column[p]] += u[k] * l->value[p];
    }
    l->b[i] = right;
    return true;
}

/* M, A and W as the dense solver takes them. */
static void expand_equations(zw_sim *sim, zr_limits *l, const zw_gauss_shape *shape)
{
    zr_expand_mass(sim, l->M, shape->mass == ZW_DIAGONAL);
    zr_expand_rows(sim, l->A);
    if (l->W) zr_expand_weight(sim, l->W, shape->weight == ZW_DIAGONAL);
}

/* Rows that the elimination leaves as zeros are combinations u A = 0; they are replaced, and z
 * becomes the answer of the new rows where these agree with each other. Otherwise z stays. */
zw_status zr_limit_acceleration(zw_sim *sim, zr_solving *run, const zk_source *s, double *z)
{
    zr_limits *l = &run->limits;
    size_t m = (size_t)sim->zm->m;
    const zw_model *model = sim->model;
    if (!l->X || run->any_conflicting) return ZW_OK;
    memset(l->value, 0, sizeof(double) * (size_t)model->limit.count);
    memset(l->right, 0, sizeof(double) * m);
    zr_evaluate_passes(sim, &model->limits, s, l->value, l->right);
    elimination e = begin_elimination(sim, l);
    eliminate_rows(&e, run->rank);
    zw_gauss *gauss = zg_system_dense(run->full ? run->full : sim->solver->all.system);
    expand_equations(sim, l, zg_shape(gauss));
    memcpy(l->b, sim->b, sizeof *sim->b * m);
    for (size_t i = 0; i < m; i++)
        if (e.rest[i] && !replace_row(sim, l, &e, i)) return ZW_OK;
    bool nonideal = model->nonideal.count > 0;
    zw_gauss_answer answer = {.acceleration = l->z};
    zr_forget_factor(sim);
    zw_status status = zg_factor(gauss, l->M, l->A, l->W);
    if (status == ZW_ERR_RANGE) return ZW_OK; /* nothing moves: there is no way to look along */
    ZB_TRY(status);
    ZB_TRY(zg_solve(gauss, sim->Q, l->b, nonideal ? sim->C : NULL, &answer));
    if (!answer.consistent) return ZW_OK; /* no smooth way on */
    memcpy(z, l->z, sizeof *z * (size_t)sim->zm->n);
    run->singular++;
    return ZW_OK;
}
