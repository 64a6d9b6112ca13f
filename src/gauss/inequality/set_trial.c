/*
 * One set of inequalities that are held as equations: its solution by the system, and which rows
 * speak against it. With r the part of b that no acceleration reaches and p = W r, the set is right
 * when of its inequalities
 *
 *     held       p <= 0, and lambda >= 0 where p = 0 (where p < 0 the row is in conflict)
 *     not held   A z >= b + r
 *
 * Signs are judged relative to the terms: of slacks |b| and what the row makes of motions of the
 * size of M^-1 f and z, of multipliers the largest force. There are no absolute limits.
 */
#include <math.h>
#include <string.h>

#include "unequal.h"

static const double sign_rounding = 1e-10;  /* of slacks and multipliers */
static const double reach_rounding = 1e-11; /* of r: nothing is out of reach */
static const double conflict_share = 1e-9;  /* of |r|: a row that takes part in a conflict */

void zg_hold_equations(zg_inequality *q)
{
    for (int32_t i = 0; i < q->is.m; i++) q->held[i] = q->kind[i] == ZG_EQUATION;
}

/* ----------------------------------------------------------------------------- solve */

double zg_get_weight(const zg_inequality *q, int32_t i)
{
    const zg_pattern *W = &q->is.W;
    if (W->rows == 0 || !q->values.W) return 1.0;
    for (int32_t k = W->start[i]; k < W->start[i + 1]; k++)
        if (W->column[k] == i) return q->values.W[k];
    return 0.0;
}

/* Row i has another entry in W. */
static bool couples_row(const zg_inequality *q, int32_t i)
{
    const zg_pattern *W = &q->is.W;
    if (W->rows == 0 || !q->values.W) return false;
    for (int32_t k = W->start[i]; k < W->start[i + 1]; k++)
        if (W->column[k] != i && q->values.W[k] != 0.0) return true;
    return false;
}

/* W r by rows that are held, and r of those that are not. Where W couples rows only the full
 * matrices can tell. */
static zw_status weigh_conflict(zg_inequality *q)
{
    double sum = 0.0;
    if (q->full && q->space.coupled) {
        zg_prepare_rows(q);
        if (!zg_space_weigh(&q->space, q->off)) return ZW_ERR_INDEFINITE;
        for (int32_t i = 0; i < q->space.count; i++) q->space.packed[i] = q->r[q->space.row[i]];
        zg_space_times_weight(&q->space, q->space.packed, q->space.packed);
        for (int32_t i = 0; i < q->space.count; i++) q->p[q->space.row[i]] = q->space.packed[i];
        zg_space_divide(&q->space, q->space.packed, q->r);
    } else {
        for (int32_t i = 0; i < q->is.m; i++) {
            if (couples_row(q, i)) return ZW_ERR_ACCURACY;
            q->p[i] = q->off[i] ? 0.0 : zg_get_weight(q, i) * q->r[i];
        }
    }
    for (int32_t i = 0; i < q->is.m; i++) sum += q->p[i] * q->r[i];
    q->conflict = sqrt(fmax(sum, 0.0));
    return ZW_OK;
}

/* |f| and |z| in the metric of the diagonal of M. */
static double measure_motion(const zg_inequality *q)
{
    double force = 0.0, motion = 0.0;
    for (int32_t j = 0; j < q->is.n; j++) {
        force += q->f[j] * q->f[j] / q->diagonal[j];
        motion += q->z[j] * q->z[j] * q->diagonal[j];
    }
    return sqrt(force) + sqrt(motion);
}

/* r is rounding unless some row misses by more. */
static zw_status judge_reach(zg_inequality *q)
{
    bool counts = false;
    q->conflict = 0.0;
    q->motion = measure_motion(q);
    memset(q->p, 0, sizeof *q->p * (size_t)q->is.m);
    for (int32_t i = 0; i < q->is.m; i++) {
        double terms = fabs(q->b[i]) + q->size[i] * q->motion;
        counts = counts || (!q->off[i] && fabs(q->r[i]) > reach_rounding * terms);
    }
    if (counts) return weigh_conflict(q);
    memset(q->r, 0, sizeof *q->r * (size_t)q->is.m);
    return ZW_OK;
}

/* The system gets the factor of the rows in q->off, unless it has it. */
zw_status zg_factor_set(zg_inequality *q)
{
    size_t bytes = sizeof *q->off * (size_t)q->is.m;
    if (q->set_factored && (bytes == 0 || memcmp(q->off, q->off_factored, bytes) == 0))
        return ZW_OK;
    q->set_factored = false;
    q->values.off = q->off;
    q->trials++;
    ZB_TRY(zg_system_factor(q->system, &q->values));
    q->values.same_mass = true; /* for the sets that follow */
    if (bytes > 0) memcpy(q->off_factored, q->off, bytes);
    q->set_factored = true;
    return ZW_OK;
}

/* Of the dense solver a whole answer costs what a part of it does. */
zw_status zg_try_set(zg_inequality *q, zw_gauss_answer *answer)
{
    zw_gauss_answer inner = answer ? *answer : (zw_gauss_answer){0};
    bool dense = zg_system_dense(q->system) != NULL;
    for (int32_t i = 0; i < q->is.m; i++) q->off[i] = !q->held[i];
    ZB_TRY(zg_factor_set(q));
    inner.acceleration = q->z;
    inner.multipliers = q->lambda;
    inner.inconsistency = q->r;
    if (answer || dense) {
        ZB_TRY(zg_system_solve(q->system, q->f, q->b, NULL, &inner));
    } else {
        ZB_TRY(zg_system_apply(q->system, q->f, q->b, q->z, q->lambda, q->r, NULL));
        for (int32_t i = 0; i < q->is.m; i++) q->r[i] = -q->r[i];
    }
    if (answer) *answer = inner;
    return judge_reach(q);
}

/* ----------------------------------------------------------------------------- judge */

double zg_bound_conflict(const zg_inequality *q, int32_t i)
{
    return q->conflict * sqrt(zg_get_weight(q, i));
}

/* slack = A z - b - r, terms: what it is compared with. */
static void measure_slack(zg_inequality *q, int32_t i)
{
    const zg_pattern *A = &q->is.A;
    double sum = -q->b[i] - q->r[i];
    for (int32_t k = A->start[i]; k < A->start[i + 1]; k++)
        sum += q->values.A[k] * q->z[A->column[k]];
    q->slack[i] = sum;
    q->terms[i] = fabs(q->b[i]) + fabs(q->r[i]) + q->size[i] * q->motion;
    if (q->conflict > 0.0) q->terms[i] += q->conflict * q->conflict / zg_bound_conflict(q, i);
}

static bool is_held_row_bad(zg_inequality *q, int32_t i)
{
    double much = conflict_share * zg_bound_conflict(q, i);
    q->in_conflict[i] = q->p[i] < -much;
    if (q->in_conflict[i]) return false;
    if (q->p[i] > much) return true;
    return !(q->lambda[i] * q->size[i] >= -sign_rounding * q->force);
}

int32_t zg_count_bad_rows(zg_inequality *q)
{
    int32_t count = 0;
    q->force = q->motion;
    for (int32_t i = 0; i < q->is.m; i++) {
        q->force = fmax(q->force, fabs(q->lambda[i]) * q->size[i]);
        q->slack[i] = q->terms[i] = 0.0;
        if (q->kind[i] != ZG_ABSENT) measure_slack(q, i);
    }
    for (int32_t i = 0; i < q->is.m; i++) {
        q->bad[i] = q->in_conflict[i] = false;
        if (q->kind[i] != ZG_AT_LEAST) continue;
        q->bad[i] =
            q->held[i] ? is_held_row_bad(q, i) : !(q->slack[i] >= -sign_rounding * q->terms[i]);
        count += q->bad[i];
    }
    return count;
}

void zg_find_closed_rows(zg_inequality *q)
{
    for (int32_t i = 0; i < q->is.m; i++) /* what is left of p there is rounding */
        if (q->kind[i] == ZG_AT_LEAST && !q->in_conflict[i]) q->p[i] = 0.0;
    for (int32_t i = 0; i < q->is.m; i++)
        q->closed[i] =
            q->held[i] || (q->kind[i] == ZG_AT_LEAST && q->slack[i] <= sign_rounding * q->terms[i]);
}
