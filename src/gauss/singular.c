/*
 * A mass matrix that is only semidefinite. If [M; A] has full column rank, the system with
 *
 *     M' = M + alpha A^T V A,   Q' = Q + alpha A^T V b       (V diagonal, positive)
 *
 * is positive definite and has the same acceleration; multipliers that belong to M itself
 * come out of the refinement, whose residuals are those of the original system. V gives
 * every row the same size, so that rows of very different scale all count.
 *
 * If M' is singular too, nothing determines the motions in its null space: they are found by
 * Cholesky with diagonal pivoting, which also judges whether a matrix is semidefinite.
 */
#include <math.h>
#include <string.h>

#include "plan.h"

/* Entries of a diagonal M as a full matrix [n x ldn]. */
void zg_fill_diagonal(const zw_gauss *g, double *full)
{
    memset(full, 0, sizeof(double) * (size_t)za_pad4(g->n) * (size_t)g->ldn);
    for (int32_t i = 0; i < g->n; i++) full[(size_t)i * (size_t)g->ldn + (size_t)i] = g->M[i];
}

static void copy_mass(const zw_gauss *g, double *full)
{
    if (g->shape.mass == ZW_FULL)
        memcpy(full, g->M, sizeof(double) * (size_t)g->n * (size_t)g->ldn);
    else
        zg_fill_diagonal(g, full);
    for (int32_t i = g->n; i < za_pad4(g->n); i++) {
        memset(full + (size_t)i * (size_t)g->ldn, 0, sizeof(double) * (size_t)g->ldn);
        full[(size_t)i * (size_t)g->ldn + (size_t)i] = 1.0;
    }
}

/* ------------------------------------------- Cholesky with diagonal pivoting */

typedef struct pivoted {
    int32_t n, ld;
    double *X;      /* symmetric; becomes U of P^T X P = U^T U in its upper triangle */
    double *scale;  /* [n] 1 / sqrt of the diagonal: X is judged with unit diagonal */
    int32_t *order; /* [n] */
    int32_t rank;
    bool negative; /* some direction x^T X x < 0, beyond rounding */
    int32_t where; /* then: a coordinate that takes part in it */
} pivoted;

static double *entry(const pivoted *p, int32_t i, int32_t j)
{
    return p->X + (size_t)i * (size_t)p->ld + (size_t)j;
}

/* Scales to unit diagonal; diagonal entries that are zero keep the scale of the largest. */
static void equilibrate(pivoted *p, double zero)
{
    double largest = 0.0;
    for (int32_t i = 0; i < p->n; i++)
        if (fabs(*entry(p, i, i)) > largest) largest = fabs(*entry(p, i, i));
    for (int32_t i = 0; i < p->n; i++) {
        double d = *entry(p, i, i);
        p->order[i] = i;
        p->scale[i] = 1.0 / sqrt(d > 0.0 ? d : largest > 0.0 ? largest : 1.0);
        if (d < -zero * largest) {
            p->negative = true;
            p->where = i;
        }
    }
    for (int32_t i = 0; i < p->n; i++)
        for (int32_t j = 0; j < p->n; j++) *entry(p, i, j) *= p->scale[i] * p->scale[j];
}

static void exchange(pivoted *p, int32_t a, int32_t b)
{
    for (int32_t i = 0; i < p->n; i++) {
        double t = *entry(p, i, a);
        *entry(p, i, a) = *entry(p, i, b);
        *entry(p, i, b) = t;
    }
    for (int32_t j = 0; j < p->n; j++) {
        double t = *entry(p, a, j);
        *entry(p, a, j) = *entry(p, b, j);
        *entry(p, b, j) = t;
    }
    int32_t t = p->order[a];
    p->order[a] = p->order[b];
    p->order[b] = t;
}

/* What is left must be zero to rounding: with a zero diagonal, any other entry is negative
 * in some direction. |x_ij| <= sqrt(x_ii x_jj) holds for a semidefinite rest. */
static void judge_rest(pivoted *p, double zero)
{
    for (int32_t i = p->rank; i < p->n && !p->negative; i++) {
        for (int32_t j = i; j < p->n; j++) {
            double x = *entry(p, i, j);
            if ((i == j && x < -zero) || (i != j && fabs(x) > 4.0 * zero)) {
                p->negative = true;
                p->where = p->order[i];
                break;
            }
        }
    }
}

static void factor_pivoted(pivoted *p, double zero)
{
    p->rank = 0;
    p->negative = false;
    equilibrate(p, zero);
    for (int32_t k = 0; k < p->n && !p->negative; k++) {
        int32_t best = k;
        for (int32_t i = k + 1; i < p->n; i++)
            if (*entry(p, i, i) > *entry(p, best, best)) best = i;
        if (!(*entry(p, best, best) > zero)) break;
        if (best != k) exchange(p, k, best);
        double root = sqrt(*entry(p, k, k));
        for (int32_t j = k; j < p->n; j++) *entry(p, k, j) /= root;
        for (int32_t i = k + 1; i < p->n; i++) {
            double f = *entry(p, k, i);
            for (int32_t j = i; j < p->n; j++) *entry(p, i, j) -= f * *entry(p, k, j);
            for (int32_t j = i; j < p->n; j++) *entry(p, j, i) = *entry(p, i, j);
        }
        p->rank = k + 1;
    }
    judge_rest(p, zero);
}

static pivoted over_U(const zw_gauss *g)
{
    return (pivoted){
        .n = g->n, .ld = g->ldn, .X = g->U, .scale = g->inverse, .order = g->integers};
}

/* Is M semidefinite (strictly: W definite)? Uses U (for W: S-sized R) as scratch. */
zw_status zg_judge_definite(zw_gauss *g, char matrix, bool strictly)
{
    pivoted p = over_U(g);
    if (matrix == 'W') {
        p = (pivoted){
            .n = g->m, .ld = g->ldm, .X = g->R, .scale = g->R_inverse, .order = g->integers};
        memcpy(g->R, g->W, sizeof(double) * (size_t)g->m * (size_t)g->ldm);
    } else {
        copy_mass(g, g->U);
    }
    factor_pivoted(&p, strictly ? 4.0 * ZA_EPS * p.n : 1e-14 * p.n);
    if (p.negative || (strictly && p.rank < p.n))
        return zg_fail(g, (zg_failure){.status = ZW_ERR_INDEFINITE,
                                       .matrix = matrix,
                                       .i = p.negative ? p.where : p.order[p.rank],
                                       .j = -1});
    return ZW_OK;
}

/* ----------------------------------------------------------- M + alpha A^T V A */

/* V: rows of unit size. Returns tr(A^T V A), the number of rows that are not zero. */
static double row_scales(zw_gauss *g)
{
    double trace = 0.0;
    memset(g->row_scale, 0, sizeof(double) * (size_t)g->ldm);
    for (int32_t i = 0; i < g->n; i++) {
        const double *row = g->AT + (size_t)i * (size_t)g->ldm;
        for (int32_t j = 0; j < g->m; j++) g->row_scale[j] += row[j] * row[j];
    }
    for (int32_t j = 0; j < g->m; j++) {
        double s = g->row_scale[j];
        g->row_scale[j] = s > 1e-270 ? 1.0 / s : 0.0;
        if (s > 1e-270) trace += 1.0;
    }
    return trace;
}

static void add_constraints(zw_gauss *g, double *full)
{
    for (int32_t i = 0; i < g->n; i++) {
        const double *ai = g->AT + (size_t)i * (size_t)g->ldm;
        for (int32_t j = 0; j < g->m; j++) g->work[j] = g->alpha * g->row_scale[j] * ai[j];
        for (int32_t j = g->m; j < g->ldm; j++) g->work[j] = 0.0;
        g->k->rows_times(g->n, g->ldm, g->AT, g->work, full + (size_t)i * (size_t)g->ldn);
    }
    for (int32_t i = 0; i < g->n; i++) /* the two triangles may differ in the last bit */
        for (int32_t j = 0; j < i; j++)
            full[(size_t)i * (size_t)g->ldn + (size_t)j] =
                full[(size_t)j * (size_t)g->ldn + (size_t)i];
}

static double trace_of_mass(const zw_gauss *g)
{
    double trace = 0.0;
    size_t step = g->shape.mass == ZW_FULL ? (size_t)g->ldn + 1 : 1;
    for (int32_t i = 0; i < g->n; i++) trace += g->M[(size_t)i * step];
    return trace;
}

/* M' into U and its factor; false when it is singular as well. */
static bool factor_augmented(zw_gauss *g, double trace)
{
    za_cholesky_info info;
    double mass = trace_of_mass(g);
    g->alpha = mass > 0.0 ? mass / trace : 1.0;
    copy_mass(g, g->U);
    add_constraints(g, g->U);
    g->k->cholesky(g->n, g->ldn, 1e-14 * g->n, g->U, g->inverse, &info);
    g->condition = HUGE_VAL; /* always refine: the residuals are those of M itself */
    g->diagonal = false;
    g->singular = true;
    return info.failed < 0;
}

/* M on the edge of singularity, and M' does not help: usable if it can be factored at all. */
static bool factor_edge(zw_gauss *g)
{
    za_cholesky_info info;
    copy_mass(g, g->U);
    g->k->cholesky(g->n, g->ldn, 4.0 * ZA_EPS * g->n, g->U, g->inverse, &info);
    g->condition = HUGE_VAL;
    g->diagonal = g->singular = false;
    return info.failed < 0;
}

static zw_status fail_undetermined(zw_gauss *g, double trace)
{
    copy_mass(g, g->U);
    if (trace > 0.0) add_constraints(g, g->U);
    pivoted p = over_U(g);
    factor_pivoted(&p, 1e-14 * g->n);
    zg_failure failure = {.status = ZW_ERR_UNDETERMINED, .directions = g->n - p.rank};
    return zg_fail(g, failure);
}

zw_status zg_factor_singular(zw_gauss *g)
{
    double trace = row_scales(g);
    ZB_TRY(zg_judge_definite(g, 'M', false));
    if (trace > 0.0 && factor_augmented(g, trace)) return ZW_OK;
    if (factor_edge(g)) return ZW_OK;
    return fail_undetermined(g, trace);
}

/* ------------------------------------------------------- undetermined motions */

/* The q-th null vector of P^T (scaled M') P = U^T U, in the original order and scale:
 * [-U11^-1 U12 e_q; e_q], largest entry 1. */
void zg_null_vector(const zw_gauss *g, int32_t q, double *x)
{
    int32_t rank = g->n - g->failure.directions;
    double *y = g->t, largest = 0.0;
    memset(y, 0, sizeof(double) * (size_t)g->n);
    y[rank + q] = 1.0;
    for (int32_t i = rank - 1; i >= 0; i--) {
        const double *row = g->U + (size_t)i * (size_t)g->ldn;
        double s = -row[rank + q];
        for (int32_t j = i + 1; j < rank; j++) s -= row[j] * y[j];
        y[i] = s / row[i];
    }
    for (int32_t i = 0; i < g->n; i++) x[g->integers[i]] = y[i] * g->inverse[g->integers[i]];
    for (int32_t i = 0; i < g->n; i++)
        if (fabs(x[i]) > fabs(largest)) largest = x[i];
    for (int32_t i = 0; i < g->n; i++) {
        x[i] /= largest;
        if (fabs(x[i]) < 1e-12) x[i] = 0.0;
    }
}

zw_status zg_undetermined(const zw_gauss *g, double *directions, int32_t *count)
{
    if (g->failure.status != ZW_ERR_UNDETERMINED) return ZW_ERR_ORDER;
    *count = g->failure.directions;
    for (int32_t q = 0; directions && q < *count; q++)
        zg_null_vector(g, q, directions + (size_t)q * (size_t)g->n);
    return ZW_OK;
}
