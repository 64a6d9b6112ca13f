/*
 * The set of the solve before, tried at the cost of a solve with equations: for full matrices, where
 * as a rule nothing has changed sides.
 *
 *     factor   the rows that were held, by the dense solver, from the caller's matrices
 *     solve    one solve, one product A z, sizes of rows; then signs
 *
 * It answers only where all is clear: rows that are held are independent and push, the others have
 * slack. Rows that depend on each other, conflicts, rows without slack that are not held, a singular
 * M and a C are left to the search (inequality.c), which finds the factor and goes on with it.
 * Judgements are those of set_trial.c and answer_parts.c.
 */
#include <math.h>
#include <string.h>

#include "plan.h"
#include "unequal.h"

/* The limits of set_trial.c and inequality.c. */
static const double sign_limit = 1e-10, worst_certificate = 1e-8;

bool zg_warm_factor(zg_inequality *q, const double *M, const double *A, const double *W)
{
    int32_t count = 0;
    q->warm = q->solved = q->set_factored = false;
    if (!q->factored || !q->guessed || q->singular) return false;
    for (int32_t i = 0; i < q->is.m; i++) {
        q->held[i] = q->kind[i] == ZG_EQUATION || q->guess[i];
        q->off[i] = q->off_factored[i] = !q->held[i];
        count += q->held[i];
    }
    q->warm_rows = count;
    q->warm = zg_system_factor_whole(q->system, M, A, W, q->off) == ZW_OK;
    return q->warm;
}

/* 1 / M_ii [ldn], 0 in the padding; returns |f| + |z| in the metric of the diagonal of M. */
static double measure_warm_motion(const zw_gauss *g, const double *Q, double *lightness)
{
    size_t step = g->shape.mass == ZW_FULL ? (size_t)g->ldn + 1 : 1;
    double force = 0.0, motion = 0.0;
    for (int32_t j = 0; j < g->n; j++) {
        double mass = g->M[(size_t)j * step];
        lightness[j] = 1.0 / mass;
        force += Q[j] * Q[j] * lightness[j];
        motion += g->z[j] * g->z[j] * mass;
    }
    for (int32_t j = g->n; j < g->ldn; j++) lightness[j] = 0.0;
    return sqrt(force) + sqrt(motion);
}

/* Sizes, slacks and what these are compared with, of the rows that are held; q->force. False: a
 * number is none. */
static bool measure_held_rows(zg_inequality *q, zw_gauss *g, const double *b)
{
    double *square = g->size2, *product = g->work_rows, sum = 0.0;
    memset(product, 0, sizeof *product * (size_t)g->m);
    g->k->sweep->row_squares(g->m, g->ldn, g->A, g->t, square);
    g->k->rows_times(g->m, g->ldn, g->A, g->z, product);
    q->force = q->motion;
    for (int32_t i = 0, k = 0; i < q->is.m; i++) {
        if (!q->held[i]) continue;
        q->size[i] = sqrt(square[k]);
        q->slack[i] = product[k++] - b[i];
        q->terms[i] = fabs(b[i]) + q->size[i] * q->motion;
        double push = fabs(q->lambda[i]) * q->size[i];
        if (push > q->force) q->force = push;
        sum += push;
    }
    return isfinite(sum) && isfinite(q->motion);
}

/* The same of the others, of which the caller's copies are there. */
static bool measure_open_rows(zg_inequality *q, const zw_gauss *g, const double *b)
{
    for (int32_t i = 0; i < q->is.m; i++) {
        if (q->held[i]) continue;
        const double *a = q->values.A + (size_t)i * (size_t)g->n;
        double sum = -b[i], square = 0.0;
        for (int32_t j = 0; j < g->n; j++) {
            sum += a[j] * g->z[j];
            square += a[j] * a[j] * g->t[j];
        }
        q->size[i] = sqrt(square);
        q->slack[i] = sum;
        q->terms[i] = fabs(b[i]) + q->size[i] * q->motion;
        if (!(sum > sign_limit * q->terms[i])) return false;
    }
    return true;
}

/* Signs of what is held, and how far all of it is from the conditions; false: something is not
 * clear. */
static bool judge_warm_rows(zg_inequality *q, zw_gauss_answer *answer)
{
    zw_gauss_conditions c = {.stationarity = answer->certificate};
    for (int32_t i = 0; i < q->is.m; i++) {
        bool inequality = q->kind[i] == ZG_AT_LEAST;
        double slack = q->slack[i], push = q->lambda[i] * q->size[i];
        if (!q->held[i]) continue;
        if (q->r[i] != 0.0 || (inequality && !(push >= -sign_limit * q->force))) return false;
        if (inequality && push < 0.0) q->lambda[i] = push = 0.0;
        double missed = inequality ? fmax(-slack, 0.0) : fabs(slack);
        double part = missed > 0.0 ? missed / q->terms[i] : 0.0;
        if (part > c.primal) c.primal = part;
        if (!inequality || push == 0.0 || slack == 0.0) continue;
        part = push / q->force * (fabs(slack) / q->terms[i]);
        if (part > c.complementarity) c.complementarity = part;
    }
    answer->conditions = c;
    answer->certificate = zb_larger(zb_larger(c.stationarity, c.primal), c.complementarity);
    return answer->certificate <= worst_certificate;
}

/* Nothing is shared, nothing is in conflict. */
static void write_warm_rows(const zg_inequality *q, zw_gauss_answer *a)
{
    size_t bytes = sizeof(double) * (size_t)q->is.m;
    if (a->acceleration) memcpy(a->acceleration, q->z, sizeof(double) * (size_t)q->is.n);
    if (a->multipliers) memcpy(a->multipliers, q->lambda, bytes);
    if (a->shares) memcpy(a->shares, q->lambda, bytes);
    if (a->residual) memcpy(a->residual, q->slack, bytes);
    if (a->inconsistency) memset(a->inconsistency, 0, bytes);
    if (a->proof) memset(a->proof, 0, bytes);
    for (int32_t i = 0; i < q->is.m; i++) {
        if (a->active) a->active[i] = q->held[i];
        if (a->unique) a->unique[i] = true;
    }
}

bool zg_warm_solve(zg_inequality *q, const double *Q, const double *b, zw_gauss_answer *answer)
{
    zw_gauss *g = zg_system_dense(q->system);
    zw_gauss_answer inner = *answer;
    q->solved = false;
    if (!q->warm || !q->guessed) return false;
    for (int32_t i = 0; i < q->is.m; i++) /* a guess may have come since */
        if (q->kind[i] == ZG_AT_LEAST && q->guess[i] != q->held[i]) return false;
    inner.acceleration = q->z;
    inner.multipliers = q->lambda;
    inner.inconsistency = q->r;
    inner.residual = NULL;
    if (zg_system_solve(q->system, Q, b, NULL, &inner) != ZW_OK) return false;
    if (inner.mass_singular || inner.rank != q->warm_rows) return false;
    q->motion = measure_warm_motion(g, Q, g->t);
    if (!measure_held_rows(q, g, b) || !measure_open_rows(q, g, b)) return false;
    if (!judge_warm_rows(q, &inner)) return false;
    inner.acceleration = answer->acceleration;
    inner.multipliers = answer->multipliers;
    inner.inconsistency = answer->inconsistency;
    inner.residual = answer->residual;
    inner.trials = 1;
    *answer = inner;
    write_warm_rows(q, answer);
    q->solved = true;
    return true;
}

/* zg_inequality_factor has forgotten both. */
void zg_warm_settle(zg_inequality *q, bool solved)
{
    size_t bytes = sizeof(double) * (size_t)q->is.m;
    q->set_factored = q->warm;
    q->warm = false;
    q->solved = solved;
    if (!solved) return;
    memset(q->r, 0, bytes);
    memset(q->p, 0, bytes);
    q->conflict = 0.0;
    for (int32_t i = 0; i < q->is.m; i++) {
        q->in_conflict[i] = false;
        q->closed[i] = q->held[i];
    }
}
