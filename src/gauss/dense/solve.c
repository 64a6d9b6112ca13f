/*
 * The calls on a factored solver. Everything is GG (principle.c) with different arguments:
 *
 *     z1, lambda  = GG(Q, b)      the ideal part: Qi = A^T lambda
 *     z2, lambdaC = GG(C, 0)      the non-ideal part: Qn = C + A^T lambdaC
 *     projection  = GG(M x, 0)
 *     split of F  = GG(F, 0)
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "plan.h"

enum { most_corrections = 6 };

/* A number that is not finite explains a bad certificate better than anything else. */
static zw_status explain_bad_answer(zw_gauss *g, zw_status status, const double *Q, const double *b,
                                    const double *C, double certificate)
{
    if (status == ZW_ERR_NOT_SYMMETRIC) return status;
    ZB_TRY(zg_finite(g, 'Q', Q, g->n));
    ZB_TRY(zg_finite(g, 'b', b, g->m));
    ZB_TRY(zg_finite(g, 'C', C, g->n));
    ZB_TRY(zg_in_range(g, 'Q', 1, g->n, g->n, Q));
    ZB_TRY(zg_in_range(g, 'b', 1, g->m, g->m, b));
    ZB_TRY(zg_in_range(g, 'C', 1, g->n, g->n, C));
    ZB_TRY(zg_in_range(g, 'A', g->m, g->n, g->ldn, g->A));
    ZB_TRY(zg_in_range(g, 'M', g->shape.mass == ZW_FULL ? g->n : 1, g->n, g->ldn, g->M));
    g->failure = (zg_failure){.status = status, .value = certificate};
    return status;
}

/* to [ld] = from [count], then zeros; from NULL: all zeros. */
static void load_padded(const double *from, int32_t count, int32_t ld, double *to)
{
    if (from) memcpy(to, from, sizeof(double) * (size_t)count);
    for (int32_t i = from ? count : 0; i < ld; i++) to[i] = 0.0;
}

void zg_write_wanted(const double *from, int32_t count, double *to)
{
    if (to) memcpy(to, from, sizeof(double) * (size_t)count);
}

/* y = A^T lambda + x, x NULL means 0. */
static void compute_constraint_force(zw_gauss *g, const double *lambda, const double *x, double *y)
{
    load_padded(x, g->n, g->ldn, y);
    g->k->times_rows(g->m, g->ldn, g->A, lambda, y);
}

/* Qi = A^T lambda, Qn = C + A^T lambdaC, and their sum. */
static void write_forces(zw_gauss *g, const double *C, zw_gauss_answer *a)
{
    double *ideal = g->t, *nonideal = g->moving;
    if (!a->force && !a->force_ideal && !a->force_nonideal) return;
    compute_constraint_force(g, g->lambda, NULL, ideal);
    if (C)
        compute_constraint_force(g, g->lambda_nonideal, C, nonideal);
    else
        load_padded(NULL, 0, g->ldn, nonideal);
    zg_write_wanted(ideal, g->n, a->force_ideal);
    zg_write_wanted(nonideal, g->n, a->force_nonideal);
    for (int32_t i = 0; a->force && i < g->n; i++) a->force[i] = ideal[i] + nonideal[i];
}

/* M^-1 Q, corrected by its own residual like every other answer. */
static void write_free_acceleration(zw_gauss *g, const double *Q, zw_gauss_answer *a)
{
    double before = HUGE_VAL, change = 0.0, *x = g->dz;
    if (!a->free_acceleration || g->singular) return;
    load_padded(Q, g->n, g->ldn, g->f);
    load_padded(NULL, 0, g->ldn, x);
    for (int32_t k = 0; k <= most_corrections; k++, before = change) {
        zg_free_residual(g, g->f, x);
        memcpy(g->t, g->r1, sizeof(double) * (size_t)g->ldn);
        zg_mass_lower(g, g->t);
        zg_mass_upper(g, g->t);
        change = g->k->norm(g->ldn, g->t);
        if (!(change <= 0.5 * before)) break;
        for (int32_t i = 0; i < g->ldn; i++) x[i] += g->t[i];
        if (k > 0 && zg_is_rounding(change, before, g->k->norm(g->ldn, x))) break;
    }
    zg_write_wanted(x, g->n, a->free_acceleration);
}

/* Of the answer as it stands, f being the whole force on the system. */
static void write_dense_residuals(zw_gauss *g, double *lambda, const zg_solution *s,
                                  zw_gauss_answer *a)
{
    if (!a->balance && !a->residual) return;
    zg_solution whole = {.z = g->z, .lambda = lambda, .motion = s->motion};
    zg_residuals(g, g->f, g->b, &whole);
    zg_write_wanted(g->r1, g->n, a->balance);
    for (int32_t j = 0; a->residual && j < g->m; j++) a->residual[j] = -g->r2[j];
}

/* |conflict| in the norm of W, and the conflict itself as part of A z - b. */
static void write_dense_conflict(zw_gauss *g, const zg_solution *s, zw_gauss_answer *a)
{
    bool conflict = s->lost > 0.0;
    for (int32_t j = 0; a->inconsistency && j < g->m; j++)
        a->inconsistency[j] = conflict ? -g->conflict[j] : 0.0;
    a->inconsistency_norm = s->noise;
    if (conflict) {
        zg_root_times(g, g->conflict, g->work_rows);
        a->inconsistency_norm = g->k->norm(g->ldm, g->work_rows);
    }
    a->consistent = a->inconsistency_norm <= zg_consistent_limit * s->size;
}

/* Where the two parts of z cancel, their errors do not: one more correction, of the sum. */
static void correct_sum(zw_gauss *g, const double *b, const zg_solution *s, zg_solution *c)
{
    zg_solution sum = {.z = g->z, .lambda = g->total, .conflict = g->conflict, .lost = s->lost};
    zg_solution d = {.z = g->dz, .lambda = g->dlambda, .conflict = g->dconflict};
    sum.motion = s->motion + c->motion;
    for (int32_t j = 0; j < g->ldm; j++) g->total[j] = g->lambda[j] + c->lambda[j];
    zg_residuals(g, g->f, b, &sum);
    zg_correction(g, &sum, &d);
    zg_add(g->ldn, d.z, g->z);
    zg_add(g->ldm, d.lambda, c->lambda);
}

/* The non-ideal part, added to z; f becomes the whole force, `total` all multipliers. */
static zw_status add_nonideal_part(zw_gauss *g, const double *Q, const double *b, const double *C,
                                   zg_solution *s)
{
    zg_solution c = {.z = g->z_nonideal, .lambda = g->lambda_nonideal, .conflict = g->work_rows};
    load_padded(C, g->n, g->ldn, g->f);
    zw_status status = zg_general_gauss(g, g->f, NULL, g->k->norm(g->ldn, g->z), &c);
    if (status != ZW_OK) return status;
    double apart = g->k->norm(g->ldn, g->z) + g->k->norm(g->ldn, c.z);
    zg_add(g->ldn, c.z, g->z);
    for (int32_t i = 0; i < g->n; i++) g->f[i] += Q[i];
    if (g->k->norm(g->ldn, g->z) < 0.5 * apart) correct_sum(g, b, s, &c);
    for (int32_t j = 0; j < g->ldm; j++) g->total[j] = g->lambda[j] + c.lambda[j];
    s->motion += c.motion;
    if (c.certificate > s->certificate) s->certificate = c.certificate;
    if (c.refinements > s->refinements) s->refinements = c.refinements;
    if (!g->singular) s->moved = zg_gaussian(g, g->total);
    return ZW_OK;
}

/* The ideal part, the non-ideal one where there is a C, then everything that follows from them. */
zw_status zg_solve(zw_gauss *g, const double *Q, const double *b, const double *C,
                   zw_gauss_answer *a)
{
    zg_solution s = {.z = g->z, .lambda = g->lambda, .conflict = g->conflict};
    g->failure = (zg_failure){.status = ZW_OK};
    load_padded(Q, g->n, g->ldn, g->f);
    load_padded(b, g->m, g->ldm, g->b);
    zw_status status = zg_general_gauss(g, g->f, g->b, 0.0, &s);
    if (status == ZW_OK && C) status = add_nonideal_part(g, Q, g->b, C, &s);
    if (status != ZW_OK) return explain_bad_answer(g, status, Q, b, C, s.certificate);

    zg_write_wanted(g->z, g->n, a->acceleration);
    zg_write_wanted(g->lambda, g->m, a->multipliers);
    write_dense_residuals(g, C ? g->total : g->lambda, &s, a);
    write_free_acceleration(g, Q, a);
    write_forces(g, C, a);
    write_dense_conflict(g, &s, a);
    g->motion = s.motion;
    g->lost = s.lost;
    a->gaussian = g->singular ? (double)NAN : s.moved;
    a->certificate = s.certificate;
    a->rank = g->road == ZG_SCHUR ? g->m : g->cod.rank;
    a->refinements = s.refinements;
    a->mass_singular = g->singular;
    return ZW_OK;
}

/* The projection of x is GG(M x, 0). */
zw_status zg_project(zw_gauss *g, const double *x, double *y)
{
    zg_solution s = {.z = g->z, .lambda = g->lambda, .conflict = g->conflict};
    g->failure = (zg_failure){.status = ZW_OK};
    load_padded(x, g->n, g->ldn, g->moving);
    load_padded(NULL, 0, g->ldn, g->f);
    zg_mass_times(g, g->moving, g->f);
    zw_status status = zg_general_gauss(g, g->f, NULL, 0.0, &s);
    if (status != ZW_OK) return explain_bad_answer(g, status, x, NULL, NULL, s.certificate);
    zg_write_wanted(g->z, g->n, y);
    return ZW_OK;
}

/* GG(F, 0) has the multipliers of minus the ideal part of F. */
zw_status zg_split(zw_gauss *g, const double *force, double *ideal, double *nonideal)
{
    zg_solution s = {.z = g->z, .lambda = g->lambda, .conflict = g->conflict};
    g->failure = (zg_failure){.status = ZW_OK};
    load_padded(force, g->n, g->ldn, g->f);
    zw_status status = zg_general_gauss(g, g->f, NULL, 0.0, &s);
    if (status != ZW_OK) return explain_bad_answer(g, status, force, NULL, NULL, s.certificate);
    compute_constraint_force(g, g->lambda, NULL, g->t); /* minus the ideal part */
    for (int32_t i = 0; i < g->n; i++) {
        if (nonideal) nonideal[i] = g->f[i] + g->t[i];
        if (ideal) ideal[i] = -g->t[i];
    }
    return ZW_OK;
}

/* Columns of U^-1 Q_2, Q_2 the part of the orthogonal factor of G beyond its rank. */
zw_status zg_basis(zw_gauss *g, double *basis, int32_t *count)
{
    ZB_TRY(zg_need_cod(g));
    *count = g->n - g->cod.rank;
    for (int32_t q = 0; q < *count; q++) {
        load_padded(NULL, 0, g->ldn, g->t);
        g->t[g->cod.rank + q] = 1.0;
        g->k->cod->apply_q(&g->cod, g->t);
        zg_mass_upper(g, g->t);
        zg_write_wanted(g->t, g->n, basis + (size_t)q * (size_t)g->n);
    }
    return ZW_OK;
}

/* The decision is called ambiguous where the last pivot accepted is within 1e3 of the tolerance or
 * within 1e4 of the first one rejected. */
zw_status zg_rank(zw_gauss *g, zw_gauss_rank_info *info)
{
    ZB_TRY(zg_need_cod(g));
    const za_cod *f = &g->cod;
    *info = (zw_gauss_rank_info){.rank = f->rank,
                                 .tolerance = g->tolerance,
                                 .accepted = f->accepted,
                                 .rejected = f->rejected};
    bool near = f->accepted < 1e3 * g->tolerance, close = f->accepted < 1e4 * f->rejected;
    int32_t all = g->m < g->n ? g->m : g->n;
    info->ambiguous = f->rank > 0 && (near || close);
    info->least = info->ambiguous && near ? f->rank - 1 : f->rank;
    info->most = info->ambiguous && close && f->rank < all ? f->rank + 1 : f->rank;
    return ZW_OK;
}

/* An error eps of A changes the acceleration by about eps over the square of the smallest pivot. */
double zg_noise(const zw_gauss *g)
{
    if (g->road != ZG_COD || g->cod.rank == 0)
        return 1e4 * DBL_EPSILON; /* guarded by its condition */
    return DBL_EPSILON / (g->cod.accepted * g->cod.accepted);
}
