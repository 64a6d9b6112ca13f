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

/* M as a full matrix [pad4(n) x ldn], 1 on the diagonal of its padding. */
static void copy_full_mass(const zw_gauss *g, double *full)
{
    size_t ld = (size_t)g->ldn;
    memset(full, 0, sizeof(double) * (size_t)za_pad4(g->n) * ld);
    if (g->shape.mass == ZW_FULL) memcpy(full, g->M, sizeof(double) * (size_t)g->n * ld);
    for (int32_t i = 0; i < za_pad4(g->n); i++)
        if (i >= g->n || g->shape.mass == ZW_DIAGONAL)
            full[(size_t)i * (ld + 1)] = i < g->n ? g->M[i] : 1.0;
}

/* --------------------------------------------------------------- semidefinite? */

/* A symmetric matrix under judgement: scaled to unit diagonal, then factored. */
typedef struct judged {
    za_pivoted p;
    double *scale; /* [n] */
    bool negative; /* x^T X x < 0 for some x, beyond rounding */
    int32_t where; /* then: a coordinate that takes part in it */
} judged;

/* Scales to unit diagonal; diagonal entries that are zero keep the scale of the largest. */
static void scale_to_unit_diagonal(judged *x, double zero)
{
    int32_t n = x->p.n;
    size_t ld = (size_t)x->p.ld;
    double largest = 0.0;
    for (int32_t i = 0; i < n; i++) {
        double d = fabs(x->p.X[(size_t)i * (ld + 1)]);
        if (d > largest) largest = d;
    }
    for (int32_t i = 0; i < n; i++) {
        double d = x->p.X[(size_t)i * (ld + 1)];
        x->scale[i] = 1.0 / sqrt(d > 0.0 ? d : largest > 0.0 ? largest : 1.0);
        if (d < -zero * largest) {
            x->negative = true;
            x->where = i;
        }
    }
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++)
            x->p.X[(size_t)i * ld + (size_t)j] *= x->scale[i] * x->scale[j];
}

/* What is left must be zero to rounding: with a zero diagonal, any other entry is negative
 * in some direction, since |x_ij| <= sqrt(x_ii x_jj) in a semidefinite matrix. */
static void judge_remainder(judged *x, double zero)
{
    for (int32_t i = x->p.rank; i < x->p.n && !x->negative; i++) {
        for (int32_t j = i; j < x->p.n; j++) {
            double e = x->p.X[(size_t)i * (size_t)x->p.ld + (size_t)j];
            if (i == j ? e >= -zero : fabs(e) <= 4.0 * zero) continue;
            x->negative = true;
            x->where = x->p.order[i];
            break;
        }
    }
}

/* Cholesky with diagonal pivoting; pivots up to `zero` of the diagonal count as 0. */
static void judge_matrix(judged *x, double zero)
{
    scale_to_unit_diagonal(x, zero);
    za_pivoted_factor(&x->p, zero);
    judge_remainder(x, zero);
}

static judged view_mass_in_U(const zw_gauss *g)
{
    return (judged){.p = {.n = g->n, .ld = g->ldn, .X = g->U, .order = g->integers},
                    .scale = g->inverse};
}

static judged view_weight_in_R(const zw_gauss *g)
{
    return (judged){.p = {.n = g->m, .ld = g->ldm, .X = g->R, .order = g->integers},
                    .scale = g->R_inverse};
}

static zw_status fail_indefinite(zw_gauss *g, char matrix, int32_t where)
{
    zg_failure failure = {.status = ZW_ERR_INDEFINITE, .matrix = matrix, .i = where, .j = -1};
    return zg_fail(g, failure);
}

/* *rank: of M, to 1e-14 n of its diagonal. Range comes first: what cannot be squared cannot be
 * judged. */
zw_status zg_judge_mass(zw_gauss *g, int32_t *rank)
{
    judged x = view_mass_in_U(g);
    if (zg_in_range(g, 'M', g->shape.mass == ZW_FULL ? g->n : 1, g->n, g->ldn, g->M) != ZW_OK)
        return zg_fail(g, g->failure);
    copy_full_mass(g, g->U);
    judge_matrix(&x, 1e-14 * g->n);
    *rank = x.p.rank;
    return x.negative ? fail_indefinite(g, 'M', x.where) : ZW_OK;
}

/* Definite, not only semidefinite: a rank below m is a failure, too. */
zw_status zg_judge_weight(zw_gauss *g)
{
    judged x = view_weight_in_R(g);
    if (zg_in_range(g, 'W', g->m, g->m, g->ldm, g->W) != ZW_OK) return zg_fail(g, g->failure);
    memcpy(g->R, g->W, sizeof(double) * (size_t)g->m * (size_t)g->ldm);
    judge_matrix(&x, 4.0 * zb_eps * g->m);
    if (x.negative) return fail_indefinite(g, 'W', x.where);
    return x.p.rank < g->m ? fail_indefinite(g, 'W', x.p.order[x.p.rank]) : ZW_OK;
}

/* ----------------------------------------------------------- M + alpha A^T V A */

/* V: rows of unit size. Returns tr(A^T V A), the number of rows that are not zero. */
static double choose_row_scales(zw_gauss *g)
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

/* full [n x ldn] += alpha A^T V A. */
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

/* tr M, of a full or a diagonal one. */
static double compute_mass_trace(const zw_gauss *g)
{
    double trace = 0.0;
    size_t step = g->shape.mass == ZW_FULL ? (size_t)g->ldn + 1 : 1;
    for (int32_t i = 0; i < g->n; i++) trace += g->M[(size_t)i * step];
    return trace;
}

/* M' into U and its factor; false when it is singular as well. */
static bool factor_augmented(zw_gauss *g, double trace)
{
    double mass = compute_mass_trace(g);
    g->alpha = mass > 0.0 ? mass / trace : 1.0;
    copy_full_mass(g, g->U);
    add_constraints(g, g->U);
    g->diagonal = false;
    g->singular = true;
    return g->k->cholesky(g->n, g->ldn, 1e-14 * g->n, g->U, g->inverse) < 0;
}

/* M itself, near the edge of singularity: usable if it can be factored at all. */
static bool factor_mass_itself(zw_gauss *g)
{
    copy_full_mass(g, g->U);
    g->diagonal = g->singular = false;
    return g->k->cholesky(g->n, g->ldn, 4.0 * zb_eps * g->n, g->U, g->inverse) < 0;
}

/* M' once more, factored with pivoting: its nullity is the number of free motions, and the factor
 * stays in U for zg_null_vector. */
static zw_status fail_undetermined(zw_gauss *g, double trace)
{
    copy_full_mass(g, g->U);
    if (trace > 0.0) add_constraints(g, g->U);
    judged x = view_mass_in_U(g);
    judge_matrix(&x, 1e-14 * g->n);
    zg_failure failure = {.status = ZW_ERR_UNDETERMINED, .directions = g->n - x.p.rank};
    return zg_fail(g, failure);
}

/* M itself where its rank is full, else M'; and M itself after all where rows cannot help. */
zw_status zg_factor_singular(zw_gauss *g)
{
    int32_t rank = 0;
    ZB_TRY(zg_judge_mass(g, &rank));
    if (rank == g->n && factor_mass_itself(g)) return ZW_OK;
    double trace = choose_row_scales(g);
    if (trace > 0.0 && factor_augmented(g, trace)) return ZW_OK;
    if (factor_mass_itself(g)) return ZW_OK;
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
    for (int32_t i = 0; i < rank; i++)
        y[i] = -g->U[(size_t)i * (size_t)g->ldn + (size_t)(rank + q)];
    const za_pivoted p = {.n = g->n, .ld = g->ldn, .X = g->U, .order = g->integers, .rank = rank};
    za_pivoted_upper(&p, y);
    for (int32_t i = 0; i < g->n; i++) x[g->integers[i]] = y[i] * g->inverse[g->integers[i]];
    for (int32_t i = 0; i < g->n; i++)
        if (fabs(x[i]) > fabs(largest)) largest = x[i];
    for (int32_t i = 0; i < g->n; i++) {
        x[i] /= largest;
        if (fabs(x[i]) < 1e-12) x[i] = 0.0;
    }
}

/* directions [count * n], NULL: only *count. */
zw_status zg_undetermined(const zw_gauss *g, double *directions, int32_t *count)
{
    if (g->failure.status != ZW_ERR_UNDETERMINED) return ZW_ERR_ORDER;
    *count = g->failure.directions;
    for (int32_t q = 0; directions && q < *count; q++)
        zg_null_vector(g, q, directions + (size_t)q * (size_t)g->n);
    return ZW_OK;
}
