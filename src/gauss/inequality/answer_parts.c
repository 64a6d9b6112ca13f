/*
 * What follows from the right set: shares of the closed rows, which of them are unique, the proof
 * of a conflict, and how far all of it is from the conditions that determine it.
 */
#include <math.h>
#include <string.h>

#include "unequal.h"

/* ---------------------------------------------------------------------------- shares */

static int32_t count_closed_rows(const zg_inequality *q)
{
    int32_t count = 0;
    for (int32_t i = 0; i < q->is.m; i++) count += q->closed[i];
    return count;
}

/* Rows that are independent leave nothing to share. *known: whether they are. */
static bool find_relations(zg_inequality *q, const zw_gauss_answer *answer, bool *known)
{
    *known = answer->rank == count_closed_rows(q) || q->full;
    if (answer->rank == count_closed_rows(q) || !q->full) return false;
    zg_prepare_rows(q);
    for (int32_t i = 0; i < q->is.m; i++) q->off[i] = !q->closed[i];
    if (!zg_space_weigh(&q->space, q->off)) return false;
    zg_space_relate(&q->space, &q->least.judge);
    return q->space.relations > 0;
}

/* In q->bad: inequalities whose share must not be negative. */
static const bool *find_pushing_rows(zg_inequality *q)
{
    for (int32_t i = 0; i < q->is.m; i++)
        q->bad[i] = q->kind[i] == ZG_AT_LEAST && !q->in_conflict[i];
    return q->bad;
}

/* Of rows without relations: what is negative by rounding is 0. */
static void clip_shares(const bool *pushes, int32_t m, double *lambda)
{
    for (int32_t i = 0; i < m; i++)
        if (pushes[i] && lambda[i] < 0.0) lambda[i] = 0.0;
}

void zg_write_shares(zg_inequality *q, double *ideal, zw_gauss_answer *answer)
{
    const bool *pushes = find_pushing_rows(q);
    size_t bytes = sizeof(double) * (size_t)q->is.m;
    bool known = false, related = find_relations(q, answer, &known);
    q->shared = related;
    for (int32_t i = 0; i < q->is.m && answer->unique; i++)
        answer->unique[i] = known || !q->closed[i];
    if (related) {
        const zg_relation_task task = {.space = &q->space, .by = &q->least};
        q->least.B = q->B;
        (void)zg_find_shares(&task, pushes, q->lambda);
        if (ideal) (void)zg_find_shares(&task, NULL, ideal);
        if (answer->unique) zg_find_unique_shares(&task, pushes, q->lambda, answer->unique);
    }
    clip_shares(pushes, q->is.m, q->lambda);
    if (answer->shares) memcpy(answer->shares, q->lambda, bytes);
    if (answer->multipliers) memcpy(answer->multipliers, ideal ? ideal : q->lambda, bytes);
}

/* ------------------------------------------------------------------------ conditions */

/* |rest| / |terms| of vectors [count]. */
static double compare_lengths(int32_t count, const double *rest, const double *terms)
{
    double left = 0.0, whole = 0.0;
    for (int32_t j = 0; j < count; j++) {
        left += rest[j] * rest[j];
        whole += terms[j] * terms[j];
    }
    return left > 0.0 ? sqrt(left) / sqrt(whole) : 0.0;
}

/* The largest acceleration that a held row asks for, in the metric of the diagonal of M. Where rows
 * that contradict each other leave nothing of it, or it needs no force, it is what rounding is
 * measured by. */
static double find_asked_motion(const zg_inequality *q)
{
    double most = 0.0;
    for (int32_t i = 0; i < q->is.m; i++)
        if (q->held[i] && q->size[i] > 0.0) most = fmax(most, fabs(q->b[i]) / q->size[i]);
    return most;
}

/* rest [n] = M z - f - A^T lambda; terms [n]: the sizes of its terms. */
static double measure_stationarity(const zg_inequality *q, bool singular, double *rest,
                                   double *terms)
{
    const zg_pattern *M = &q->is.M, *A = &q->is.A;
    double asked = singular || q->conflict > 0.0 ? find_asked_motion(q) : 0.0;
    for (int32_t j = 0; j < q->is.n; j++) {
        rest[j] = -q->f[j];
        terms[j] = fabs(q->f[j]) + sqrt(q->diagonal[j]) * asked;
    }
    for (int32_t i = 0; i < M->rows; i++) {
        for (int32_t k = M->start[i]; k < M->start[i + 1]; k++) {
            int32_t j = M->column[k];
            rest[i] += q->values.M[k] * q->z[j];
            terms[i] += fabs(q->values.M[k] * q->z[j]);
            if (j == i) continue;
            rest[j] += q->values.M[k] * q->z[i];
            terms[j] += fabs(q->values.M[k] * q->z[i]);
        }
    }
    for (int32_t i = 0; i < q->is.m; i++) {
        for (int32_t k = A->start[i]; k < A->start[i + 1] && q->lambda[i] != 0.0; k++) {
            double t = q->values.A[k] * q->lambda[i];
            rest[A->column[k]] -= t;
            terms[A->column[k]] += fabs(t);
        }
    }
    return compare_lengths(q->is.n, rest, terms);
}

/* A^T p, relative to what its terms could be. */
static double measure_proof(const zg_inequality *q, double *rest, double *terms)
{
    const zg_pattern *A = &q->is.A;
    for (int32_t j = 0; j < q->is.n; j++) rest[j] = terms[j] = 0.0;
    for (int32_t i = 0; i < q->is.m; i++) {
        double most = q->held[i] ? zg_bound_conflict(q, i) : 0.0;
        for (int32_t k = A->start[i]; k < A->start[i + 1] && most > 0.0; k++) {
            rest[A->column[k]] += q->values.A[k] * q->p[i];
            terms[A->column[k]] += fabs(q->values.A[k]) * most;
        }
    }
    return compare_lengths(q->is.n, rest, terms);
}

static double over(double x, double size)
{
    return x > 0.0 ? x / size : 0.0;
}

/* Of row i; in conflict the multiplier has any sign, and p must not be positive. */
static void measure_row(const zg_inequality *q, int32_t i, zw_gauss_conditions *c)
{
    double slack = q->slack[i], lambda = q->lambda[i] * q->size[i];
    bool inequality = q->kind[i] == ZG_AT_LEAST;
    double missed = inequality && !q->in_conflict[i] ? fmax(-slack, 0.0) : fabs(slack);
    c->primal = zb_larger(c->primal, over(missed, q->terms[i]));
    if (!inequality) return;
    c->conflict = zb_larger(c->conflict, over(q->p[i], zg_bound_conflict(q, i)));
    if (q->in_conflict[i]) return;
    c->dual = zb_larger(c->dual, over(-lambda, q->force));
    double product = over(fabs(lambda), q->force) * over(fabs(slack), q->terms[i]);
    c->complementarity = zb_larger(c->complementarity, product);
}

/* Where nothing was shared the dense solver has certified the balance of forces, in twice the
 * precision. What the sparse one measures motions by is too little where things stand still. */
void zg_write_conditions(zg_inequality *q, zw_gauss_answer *answer)
{
    zw_gauss_conditions c = {.stationarity = answer->certificate};
    bool dense = zg_system_dense(q->system) != NULL;
    if (q->shared || !dense)
        c.stationarity = measure_stationarity(q, answer->mass_singular, q->rest, q->rest_terms);
    if (q->conflict > 0.0) c.conflict = measure_proof(q, q->rest, q->rest_terms);
    for (int32_t i = 0; i < q->is.m; i++)
        if (q->kind[i] != ZG_ABSENT) measure_row(q, i, &c);
    answer->conditions = c;
    double worst = zb_larger(zb_larger(c.stationarity, c.primal), zb_larger(c.dual, c.conflict));
    answer->certificate = zb_larger(worst, c.complementarity);
}
