/*
 * The right set by the dual active set, where the dense solver stands behind the system. From the
 * solution z of the equations alone the others are sought at z + U^-1 x, M = U^T U (or what stands
 * for a singular M):
 *
 *     min |x|,   B x = 0 in equations,   B x >= b + r - A z in inequalities,   B = A U^-1
 *
 * Where rows exclude each other the first stage says which are in conflict, and by how much each
 * gives way; these are equations then, and it begins anew.
 */
#include <math.h>
#include <string.h>

#include "plan.h"
#include "unequal.h"

static const double conflict_share = 1e-9; /* of |r|: a row that takes part in a conflict */

/* ----------------------------------------------------------------------- preparation */

/* Row i of A, in full. */
static void expand_row(const zg_inequality *q, int32_t i, double *row)
{
    const zg_pattern *A = &q->is.A;
    memset(row, 0, sizeof *row * (size_t)q->is.n);
    for (int32_t k = A->start[i]; k < A->start[i + 1]; k++) row[A->column[k]] = q->values.A[k];
}

/* Scales x [n] to length 1 where it has one; returns that. */
static double make_unit(int32_t n, double *x)
{
    double largest = 0.0, sum = 0.0;
    for (int32_t j = 0; j < n; j++) largest = fmax(largest, fabs(x[j]));
    if (!(largest > 0.0)) return 0.0;
    for (int32_t j = 0; j < n; j++) sum += (x[j] / largest) * (x[j] / largest);
    double length = largest * sqrt(sum);
    for (int32_t j = 0; j < n; j++) x[j] /= length;
    return length;
}

static void expand_weight(zg_inequality *q)
{
    const zg_pattern *W = &q->is.W;
    size_t m = (size_t)q->is.m;
    double *to = q->space.W;
    memset(to, 0, sizeof *to * (q->space.coupled ? m * m : m));
    for (size_t i = 0; i < m && (W->rows == 0 || !q->values.W); i++)
        to[q->space.coupled ? i * m + i : i] = 1.0;
    for (int32_t i = 0; i < W->rows && q->values.W; i++)
        for (int32_t k = W->start[i]; k < W->start[i + 1]; k++) {
            size_t at = q->space.coupled ? (size_t)i * m + (size_t)W->column[k] : (size_t)i;
            to[at] = q->values.W[k];
        }
}

/* The power of two next to 1 / sqrt(x): coordinates of like size whatever their units, exactly. */
static double choose_unit(double x)
{
    int e = 0;
    (void)frexp(x, &e);
    return ldexp(1.0, -(e / 2));
}

void zg_prepare_rows(zg_inequality *q)
{
    if (q->prepared) return;
    q->prepared = true;
    for (int32_t j = 0; j < q->is.n; j++) q->unit[j] = choose_unit(q->diagonal[j]);
    for (int32_t i = 0; i < q->is.m; i++) {
        double *row = q->raw + (size_t)i * (size_t)q->is.n;
        expand_row(q, i, row);
        for (int32_t j = 0; j < q->is.n; j++) row[j] *= q->unit[j];
        q->length[i] = make_unit(q->is.n, row);
    }
    expand_weight(q);
}

/* ---------------------------------------------------------------------- the problem */

/* Row i of B at length 1, and what it asks for there. */
static void put_task_row(zg_inequality *q, zw_gauss *dense, int32_t i)
{
    size_t n = (size_t)q->is.n;
    double *row = q->B + (size_t)i * n, *padded = dense->t;
    zg_least *l = &q->least;
    l->q.kind[i] = q->leave_out[i] ? (uint8_t)ZG_ABSENT : q->kind[i];
    if (q->held[i]) l->q.kind[i] = ZG_EQUATION;
    if (q->kind[i] == ZG_ABSENT) return;
    expand_row(q, i, padded);
    for (size_t j = n; j < (size_t)dense->ldn; j++) padded[j] = 0.0;
    zg_mass_lower(dense, padded);
    memcpy(row, padded, sizeof *row * n);
    double length = make_unit(q->is.n, row);
    if (!(length > 0.0)) length = 1.0;
    l->c[i] = q->held[i] ? 0.0 : -q->slack[i] / length;
    l->size[i] = (fabs(q->b[i]) + fabs(q->r[i])) / length;
}

/* x beside the rows that are held now. */
static zw_status solve_task(zg_inequality *q, zg_reached *reached)
{
    zw_gauss *dense = zg_system_dense(q->system);
    zg_least *l = &q->least;
    (void)zg_count_bad_rows(q); /* for the slacks */
    l->B = q->B;
    l->raw = q->raw;
    l->origin = q->motion;
    l->depends = q->depends;
    for (int32_t i = 0; i < q->is.m; i++) put_task_row(q, dense, i);
    return zg_least_find(l, q->is.n, q->is.m, q->guessed ? q->guess : NULL, reached);
}

/* ---------------------------------------------------------------------- first stage */

/* Inequalities in conflict are held; *any false: there are none. */
static zw_status hold_conflicts(zg_inequality *q, bool *any)
{
    zg_multiplier_space *s = &q->space;
    *any = false;
    for (int32_t i = 0; i < q->is.m; i++) q->off[i] = q->kind[i] == ZG_ABSENT;
    if (!zg_space_weigh(s, q->off)) return ZW_ERR_INDEFINITE;
    zg_space_relate(s, &q->least.judge);
    const zg_relation_task task = {.space = s, .by = &q->least};
    double norm = zg_find_conflict(&task, q->kind, q->b, q->r, q->p);
    if (norm < 0.0) return ZW_ERR_ACCURACY;
    for (int32_t i = 0; i < s->count; i++) {
        int32_t row = s->row[i];
        bool takes_part = q->p[row] < -conflict_share * s->reach[i] * norm;
        if (q->kind[row] != ZG_AT_LEAST || !takes_part) continue;
        q->held[row] = *any = true;
    }
    return ZW_OK;
}

/* The equations, with the rows in conflict if there are any, and the others beside them by the
 * search. What is excluded without a conflict is excluded by rounding. */
static zw_status search_beside(zg_inequality *q, zg_reached *reached)
{
    bool staged = false, any = false;
    for (;;) {
        ZB_TRY(zg_try_set(q, NULL));
        ZB_TRY(solve_task(q, reached));
        if (*reached != ZG_EXCLUDED) break;
        int32_t row = q->least.q.excluded;
        if (!staged) ZB_TRY(hold_conflicts(q, &any));
        if (staged || !any) q->leave_out[row] = true;
        staged = true;
    }
    for (int32_t i = 0; i < q->is.m; i++) q->held[i] = q->held[i] || q->least.q.in[i];
    return ZW_OK;
}

zw_status zg_search_in_full(zg_inequality *q, bool *found)
{
    zg_reached reached = ZG_REACHED;
    *found = false;
    zg_prepare_rows(q);
    memset(q->leave_out, 0, sizeof *q->leave_out * (size_t)q->is.m);
    zg_hold_equations(q);
    ZB_TRY(search_beside(q, &reached));
    *found = reached == ZG_REACHED;
    return ZW_OK;
}
