/*
 * Solving. GG(f, b), the General Gauss solution with force f and right side b, is linear in
 * (f, b); everything here is GG with different arguments:
 *
 *     z1, lambda  = GG(Q, b)      the ideal part: Qi = A^T lambda
 *     z2, lambdaC = GG(C, 0)      the non-ideal part: Qn = C + A^T lambdaC
 *     projection  = GG(M x, 0)
 *     refinement  : (dz, dlambda) = GG(f + A^T lambda - M z, b - A z), with the original data
 *
 * The residuals (residual.c) are computed always: they certify the answer and correct it.
 * Without the correction every road loses digits with the condition of M; with it the answer
 * is right to rounding.
 */
#include <math.h>
#include <string.h>

#include "plan.h"

static const double good_certificate = 1e-13; /* above it, refine on */
static const double bad_certificate = 1e-8;   /* above it, refuse */
static const double consistent_limit = 1e-9;  /* THEORY: what is called inconsistent */
enum { most_refinements = 6 };

/* ------------------------------------------------------------ one step of GG */

/* z, lambda, conflict = GG(f, b) with the factor at hand; b NULL means 0. A slope [ldn] asks
 * for the correction of a conflict with A^T W conflict = slope. `measured`: right, size and
 * motion are wanted. */
static void apply(zw_gauss *g, const double *f, const double *b, double *slope, bool measured,
                  zg_solution *s)
{
    double *t = s->z;
    memcpy(t, f, sizeof(double) * (size_t)g->ldn);
    zg_mass_lower(g, t);
    if (b)
        zg_root_times(g, b, g->c);
    else
        memset(g->c, 0, sizeof(double) * (size_t)g->ldm);
    double before = measured ? g->k->norm(g->ldn, t) : 0.0;
    s->lost = 0.0;
    if (g->road == ZG_SCHUR) {
        s->moved = zg_schur_solve(g, g->c, t, g->nu);
    } else {
        if (slope) zg_mass_lower(g, slope);
        s->moved = g->k->cod_solve(&g->cod, g->c, slope, t, g->nu, s->conflict, g->work);
        if (g->cod.rank < g->m) s->lost = g->k->norm(g->ldm, s->conflict);
    }
    if (measured) {
        double after = g->k->norm(g->ldn, t);
        s->right = b ? g->k->norm(g->ldm, g->c) : 0.0;
        s->size = s->right + g->norm_P * after;
        s->motion = before + after;
    }
    zg_mass_upper(g, t);
    zg_root_transposed_times(g, g->nu, s->lambda);
}

/* A conflict is kept, in the units of the rows, and refined with the rest; one that is the
 * rounding of b is dropped from the equations (lost = 0), its size remembered in `noise`. */
static void take_conflict(zw_gauss *g, zg_solution *s)
{
    s->noise = s->lost;
    if (s->lost > 64.0 * ZA_EPS * s->right)
        zg_root_solve(g, s->conflict);
    else
        s->lost = 0.0;
}

static void add(int32_t ld, const double *dx, double *x)
{
    for (int32_t i = 0; i < ld; i++) x[i] += dx[i];
}

/* The correction that belongs to the residuals in r1, r2; returns its size. */
static double correction(zw_gauss *g, const zg_solution *s, zg_solution *d)
{
    bool conflict = s->lost > 0.0;
    if (conflict) zg_conflict_slope(g, s->conflict);
    apply(g, g->r1, g->r2, conflict ? g->slope : NULL, false, d);
    return g->k->norm(g->ldn, d->z);
}

static void correct(zw_gauss *g, zg_solution *s, zg_solution *d)
{
    add(g->ldn, d->z, s->z);
    add(g->ldm, d->lambda, s->lambda);
    s->refinements++;
    if (s->lost > 0.0) {
        zg_root_solve(g, d->conflict);
        add(g->ldm, d->conflict, s->conflict);
    } else {
        s->noise = d->lost;
    }
}

/* The size of a correction is the error before it, and errors shrink by the same factor each
 * time: what is left is the correction times its ratio to the one before (or to z). */
static bool is_rounding(double change, double before, double size)
{
    double factor = before < HUGE_VAL ? change / before : change / size;
    return change == 0.0 || change * factor <= 5e-17 * size;
}

/*
 * Corrects s by its residuals, at least once, until nothing is left to do or corrections no
 * longer shrink. With a singular M the multipliers belong to M + alpha A^T V A at first and
 * need two corrections more.
 */
static void refine(zw_gauss *g, const double *f, const double *b, double beside, zg_solution *s)
{
    int32_t least = g->singular ? 3 : 1;
    double before = HUGE_VAL;
    zg_solution d = {.z = g->dz, .lambda = g->dlambda, .conflict = g->dconflict};
    while (s->refinements < most_refinements) {
        double change = correction(g, s, &d), size = g->k->norm(g->ldn, s->z) + beside;
        if (!(change <= 0.5 * before) && s->refinements >= least) break;
        correct(g, s, &d);
        bool done = s->refinements >= least && is_rounding(change, before, size);
        before = change;
        if (done && s->certificate <= good_certificate) break;
        s->certificate = zg_residuals(g, f, b, s);
        if (done) break;
    }
}

/* |z - M^-1 f|^2 = |U^-T A^T lambda|^2 */
static double gaussian(zw_gauss *g, const double *lambda)
{
    if (g->road == ZG_SCHUR && g->weight != ZW_FULL) return zg_schur_gaussian(g, lambda);
    memset(g->t, 0, sizeof(double) * (size_t)g->ldn);
    g->k->times_rows(g->m, g->ldn, g->A, lambda, g->t);
    zg_mass_lower(g, g->t);
    double size = g->k->norm(g->ldn, g->t);
    return size * size;
}

/* f + alpha A^T V b, for a singular M. */
static const double *augment(zw_gauss *g, const double *f, const double *b)
{
    if (!g->singular || !b) return f;
    memcpy(g->t, f, sizeof(double) * (size_t)g->ldn);
    memset(g->nu, 0, sizeof(double) * (size_t)g->ldm);
    for (int32_t j = 0; j < g->m; j++) g->nu[j] = g->alpha * g->row_scale[j] * b[j];
    g->k->times_rows(g->m, g->ldn, g->A, g->nu, g->t);
    return g->t;
}

/* Small systems: solution, certificate and correction in one kernel. False when that was not
 * enough. */
static bool small_answer(zw_gauss *g, const double *f, const double *b, zg_solution *s)
{
    const za_small_system system = {
        .n = g->n, .m = g->m, .M = g->M, .A = g->A, .AT = g->AT, .o = &g->operators};
    za_small_report r;
    memset(s->z, 0, sizeof(double) * (size_t)g->ldn);
    memset(s->lambda, 0, sizeof(double) * (size_t)g->ldm);
    g->k->small->answer(&system, f, b, s->z, s->lambda, &r);
    if (!(r.certificate <= good_certificate) || !is_rounding(r.change, HUGE_VAL, r.size))
        return false;
    s->certificate = r.certificate;
    s->refinements = 1;
    s->lost = s->noise = 0.0; /* the rows are independent */
    s->moved = gaussian(g, s->lambda);
    return true;
}

static zw_status answer(zw_gauss *g, const double *f, const double *b, double beside,
                        zg_solution *s)
{
    s->refinements = 0;
    if (g->fused && b && small_answer(g, f, b, s)) return ZW_OK;
    apply(g, augment(g, f, b), b, NULL, true, s);
    take_conflict(g, s);
    s->certificate = zg_residuals(g, f, b, s);
    /* U comes from one triangle of M, the residual from all of it */
    if (!(s->certificate <= good_certificate) && zg_asymmetric(g)) return zg_fail(g, g->failure);
    refine(g, f, b, beside, s);
    if (!g->singular) s->moved = gaussian(g, s->lambda);
    return s->certificate <= bad_certificate ? ZW_OK : ZW_ERR_ACCURACY;
}

/* A Schur complement that turns out worse than its condition number promised gives way to the
 * orthogonal road. */
zw_status zg_general_gauss(zw_gauss *g, const double *f, const double *b, double beside,
                           zg_solution *s)
{
    zw_status status = answer(g, f, b, beside, s);
    if (status != ZW_ERR_ACCURACY || g->road == ZG_COD || zg_need_cod(g) != ZW_OK) return status;
    g->road = ZG_COD;
    g->fused = false;
    return answer(g, f, b, beside, s);
}

/* ------------------------------------------------------- the public calls */

/* A number that is not finite explains a bad certificate better than anything else. */
static zw_status explain_bad(zw_gauss *g, zw_status status, const double *Q, const double *b,
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

static void load(const double *from, int32_t count, int32_t ld, double *to)
{
    if (from) memcpy(to, from, sizeof(double) * (size_t)count);
    for (int32_t i = from ? count : 0; i < ld; i++) to[i] = 0.0;
}

void zg_write(const double *from, int32_t count, double *to)
{
    if (to) memcpy(to, from, sizeof(double) * (size_t)count);
}

/* y = A^T lambda + x, x NULL means 0. */
static void force_of(zw_gauss *g, const double *lambda, const double *x, double *y)
{
    load(x, g->n, g->ldn, y);
    g->k->times_rows(g->m, g->ldn, g->A, lambda, y);
}

static void write_forces(zw_gauss *g, const double *C, zw_gauss_answer *a)
{
    double *ideal = g->t, *nonideal = g->moving;
    if (!a->force && !a->force_ideal && !a->force_nonideal) return;
    force_of(g, g->lambda, NULL, ideal);
    if (C)
        force_of(g, g->lambda_nonideal, C, nonideal);
    else
        load(NULL, 0, g->ldn, nonideal);
    zg_write(ideal, g->n, a->force_ideal);
    zg_write(nonideal, g->n, a->force_nonideal);
    for (int32_t i = 0; a->force && i < g->n; i++) a->force[i] = ideal[i] + nonideal[i];
}

/* M^-1 Q, corrected by its own residual like every other answer. */
static void write_free(zw_gauss *g, const double *Q, zw_gauss_answer *a)
{
    double before = HUGE_VAL, change = 0.0, *x = g->dz;
    if (!a->free_acceleration || g->singular) return;
    load(Q, g->n, g->ldn, g->f);
    load(NULL, 0, g->ldn, x);
    for (int32_t k = 0; k <= most_refinements; k++, before = change) {
        zg_free_residual(g, g->f, x);
        memcpy(g->t, g->r1, sizeof(double) * (size_t)g->ldn);
        zg_mass_lower(g, g->t);
        zg_mass_upper(g, g->t);
        change = g->k->norm(g->ldn, g->t);
        if (!(change <= 0.5 * before)) break;
        for (int32_t i = 0; i < g->ldn; i++) x[i] += g->t[i];
        if (k > 0 && is_rounding(change, before, g->k->norm(g->ldn, x))) break;
    }
    zg_write(x, g->n, a->free_acceleration);
}

/* Of the answer as it stands, f being the whole force on the system. */
static void write_residuals(zw_gauss *g, double *lambda, const zg_solution *s, zw_gauss_answer *a)
{
    if (!a->balance && !a->residual) return;
    zg_solution whole = {.z = g->z, .lambda = lambda, .motion = s->motion};
    zg_residuals(g, g->f, g->b, &whole);
    zg_write(g->r1, g->n, a->balance);
    for (int32_t j = 0; a->residual && j < g->m; j++) a->residual[j] = -g->r2[j];
}

/* |conflict| in the norm of W, and the conflict itself as part of A z - b. */
static void write_conflict(zw_gauss *g, const zg_solution *s, zw_gauss_answer *a)
{
    bool conflict = s->lost > 0.0;
    for (int32_t j = 0; a->inconsistency && j < g->m; j++)
        a->inconsistency[j] = conflict ? -g->conflict[j] : 0.0;
    a->inconsistency_norm = s->noise;
    if (conflict) {
        zg_root_times(g, g->conflict, g->work_rows);
        a->inconsistency_norm = g->k->norm(g->ldm, g->work_rows);
    }
    a->consistent = a->inconsistency_norm <= consistent_limit * s->size;
}

/* Where the two parts of z cancel, their errors do not: one more correction, of the sum. */
static void correct_sum(zw_gauss *g, const double *b, const zg_solution *s, zg_solution *c)
{
    zg_solution sum = {.z = g->z, .lambda = g->total, .conflict = g->conflict, .lost = s->lost};
    zg_solution d = {.z = g->dz, .lambda = g->dlambda, .conflict = g->dconflict};
    sum.motion = s->motion + c->motion;
    for (int32_t j = 0; j < g->ldm; j++) g->total[j] = g->lambda[j] + c->lambda[j];
    zg_residuals(g, g->f, b, &sum);
    correction(g, &sum, &d);
    add(g->ldn, d.z, g->z);
    add(g->ldm, d.lambda, c->lambda);
}

/* The non-ideal part, added to z; f becomes the whole force, `total` all multipliers. */
static zw_status add_nonideal(zw_gauss *g, const double *Q, const double *b, const double *C,
                              zg_solution *s)
{
    zg_solution c = {.z = g->z_nonideal, .lambda = g->lambda_nonideal, .conflict = g->work_rows};
    load(C, g->n, g->ldn, g->f);
    zw_status status = zg_general_gauss(g, g->f, NULL, g->k->norm(g->ldn, g->z), &c);
    if (status != ZW_OK) return status;
    double apart = g->k->norm(g->ldn, g->z) + g->k->norm(g->ldn, c.z);
    add(g->ldn, c.z, g->z);
    for (int32_t i = 0; i < g->n; i++) g->f[i] += Q[i];
    if (g->k->norm(g->ldn, g->z) < 0.5 * apart) correct_sum(g, b, s, &c);
    for (int32_t j = 0; j < g->ldm; j++) g->total[j] = g->lambda[j] + c.lambda[j];
    s->motion += c.motion;
    if (c.certificate > s->certificate) s->certificate = c.certificate;
    if (c.refinements > s->refinements) s->refinements = c.refinements;
    if (!g->singular) s->moved = gaussian(g, g->total);
    return ZW_OK;
}

zw_status zg_solve(zw_gauss *g, const double *Q, const double *b, const double *C,
                   zw_gauss_answer *a)
{
    zg_solution s = {.z = g->z, .lambda = g->lambda, .conflict = g->conflict};
    g->failure = (zg_failure){.status = ZW_OK};
    load(Q, g->n, g->ldn, g->f);
    load(b, g->m, g->ldm, g->b);
    zw_status status = zg_general_gauss(g, g->f, g->b, 0.0, &s);
    if (status == ZW_OK && C) status = add_nonideal(g, Q, g->b, C, &s);
    if (status != ZW_OK) return explain_bad(g, status, Q, b, C, s.certificate);

    zg_write(g->z, g->n, a->acceleration);
    zg_write(g->lambda, g->m, a->multipliers);
    write_residuals(g, C ? g->total : g->lambda, &s, a);
    write_free(g, Q, a);
    write_forces(g, C, a);
    write_conflict(g, &s, a);
    g->motion = s.motion;
    g->lost = s.lost;
    a->gaussian = g->singular ? (double)NAN : s.moved;
    a->certificate = s.certificate;
    a->rank = g->road == ZG_SCHUR ? g->m : g->cod.rank;
    a->refinements = s.refinements;
    a->mass_singular = g->singular;
    return ZW_OK;
}

zw_status zg_project(zw_gauss *g, const double *x, double *y)
{
    zg_solution s = {.z = g->z, .lambda = g->lambda, .conflict = g->conflict};
    g->failure = (zg_failure){.status = ZW_OK};
    load(x, g->n, g->ldn, g->moving);
    load(NULL, 0, g->ldn, g->f);
    zg_mass_times(g, g->moving, g->f);
    zw_status status = zg_general_gauss(g, g->f, NULL, 0.0, &s);
    if (status != ZW_OK) return explain_bad(g, status, x, NULL, NULL, s.certificate);
    zg_write(g->z, g->n, y);
    return ZW_OK;
}

zw_status zg_split(zw_gauss *g, const double *force, double *ideal, double *nonideal)
{
    zg_solution s = {.z = g->z, .lambda = g->lambda, .conflict = g->conflict};
    g->failure = (zg_failure){.status = ZW_OK};
    load(force, g->n, g->ldn, g->f);
    zw_status status = zg_general_gauss(g, g->f, NULL, 0.0, &s);
    if (status != ZW_OK) return explain_bad(g, status, force, NULL, NULL, s.certificate);
    force_of(g, g->lambda, NULL, g->t); /* minus the ideal part */
    for (int32_t i = 0; i < g->n; i++) {
        if (nonideal) nonideal[i] = g->f[i] + g->t[i];
        if (ideal) ideal[i] = -g->t[i];
    }
    return ZW_OK;
}

zw_status zg_basis(zw_gauss *g, double *basis, int32_t *count)
{
    ZB_TRY(zg_need_cod(g));
    *count = g->n - g->cod.rank;
    for (int32_t q = 0; q < *count; q++) {
        load(NULL, 0, g->ldn, g->t);
        g->t[g->cod.rank + q] = 1.0;
        g->k->cod_apply_q(&g->cod, g->t);
        zg_mass_upper(g, g->t);
        zg_write(g->t, g->n, basis + (size_t)q * (size_t)g->n);
    }
    return ZW_OK;
}

zw_status zg_rank(zw_gauss *g, zw_gauss_rank_info *info)
{
    ZB_TRY(zg_need_cod(g));
    const za_cod *f = &g->cod;
    *info = (zw_gauss_rank_info){.rank = f->rank,
                                 .tolerance = g->tolerance,
                                 .accepted = f->accepted,
                                 .rejected = f->rejected};
    info->ambiguous =
        f->rank > 0 && (f->accepted < 1e3 * g->tolerance || f->accepted < 1e4 * f->rejected);
    return ZW_OK;
}
