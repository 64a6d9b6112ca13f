/*
 * GG(f, b), the General Gauss solution with force f and right side b: among all z that minimise
 * |A z - b| in the norm of W, the one nearest to M^-1 f in the norm of M, with its multipliers.
 *
 * It is linear in (f, b), so an answer is corrected by its own residuals, with the original
 * data, whatever the factor lost:
 *
 *     (dz, dlambda) = GG(f + A^T lambda - M z, b - A z)
 *
 * The residuals (residual.c) are computed always: they certify the answer and correct it.
 * Without the correction every road loses digits with the condition of M; with it the answer
 * is right to rounding.
 */
#include <math.h>
#include <string.h>

#include "plan.h"

static const double good_certificate = 1e-13; /* above it, certify again */
static const double bad_certificate = 1e-8;   /* above it, refuse */
enum { most_refinements = 6 };

/* ------------------------------------------------------------ one step of GG */

/* z, lambda, conflict = GG(f, b) with the factor at hand; b NULL means 0. A slope [ldn] asks
 * for the correction of a conflict with A^T W conflict = slope. `measured`: right, size and
 * motion are wanted. */
static void apply_factor(zw_gauss *g, const double *f, const double *b, double *slope,
                         bool measured, zg_solution *s)
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
        s->moved = g->k->cod->solve(&g->cod, g->c, slope, t, g->nu, s->conflict, g->work);
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
static void keep_conflict(zw_gauss *g, zg_solution *s)
{
    s->noise = s->lost;
    if (s->lost > 64.0 * zb_eps * s->right)
        zg_root_solve(g, s->conflict);
    else
        s->lost = 0.0;
}

void zg_add(int32_t ld, const double *dx, double *x)
{
    for (int32_t i = 0; i < ld; i++) x[i] += dx[i];
}

/* The correction that belongs to the residuals in r1, r2; returns its size. */
double zg_correction(zw_gauss *g, const zg_solution *s, zg_solution *d)
{
    bool conflict = s->lost > 0.0;
    if (conflict) zg_conflict_slope(g, s->conflict);
    apply_factor(g, g->r1, g->r2, conflict ? g->slope : NULL, false, d);
    return g->k->norm(g->ldn, d->z);
}

/* s += d. Where s has no conflict, what d could not reach is noise. */
static void add_correction(zw_gauss *g, zg_solution *s, zg_solution *d)
{
    zg_add(g->ldn, d->z, s->z);
    zg_add(g->ldm, d->lambda, s->lambda);
    s->refinements++;
    if (s->lost > 0.0) {
        zg_root_solve(g, d->conflict);
        zg_add(g->ldm, d->conflict, s->conflict);
    } else {
        s->noise = d->lost;
    }
}

/* The size of a correction is the error before it, and errors shrink by the same factor each
 * time: what is left is the correction times its ratio to the one before (or to z). */
bool zg_is_rounding(double change, double before, double size)
{
    double factor = before < HUGE_VAL ? change / before : change / size;
    return change == 0.0 || change * factor <= 5e-17 * size;
}

/*
 * Corrects s by its residuals, at least once, until nothing is left to do or corrections no
 * longer shrink. With a singular M the multipliers belong to M + alpha A^T V A at first and
 * need two corrections more.
 */
static void refine_solution(zw_gauss *g, const double *f, const double *b, double added_to,
                            zg_solution *s)
{
    int32_t least = g->singular ? 3 : 1;
    double before = HUGE_VAL;
    zg_solution d = {.z = g->dz, .lambda = g->dlambda, .conflict = g->dconflict};
    while (s->refinements < most_refinements) {
        double change = zg_correction(g, s, &d), size = g->k->norm(g->ldn, s->z) + added_to;
        if (!(change <= 0.5 * before) && s->refinements >= least) break;
        add_correction(g, s, &d);
        bool done = s->refinements >= least && zg_is_rounding(change, before, size);
        before = change;
        if (done && s->certificate <= good_certificate) break;
        s->certificate = zg_residuals(g, f, b, s);
        if (done) break;
    }
}

/* |z - M^-1 f|^2 = |U^-T A^T lambda|^2 */
double zg_gaussian(zw_gauss *g, const double *lambda)
{
    if (g->road == ZG_SCHUR && g->weight != ZW_FULL) return zg_schur_gaussian(g, lambda);
    memset(g->t, 0, sizeof(double) * (size_t)g->ldn);
    g->k->times_rows(g->m, g->ldn, g->A, lambda, g->t);
    zg_mass_lower(g, g->t);
    double size = g->k->norm(g->ldn, g->t);
    return size * size;
}

/* f + alpha A^T V b, for a singular M. */
static const double *augment_force(zw_gauss *g, const double *f, const double *b)
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
static bool answer_small(zw_gauss *g, const double *f, const double *b, zg_solution *s)
{
    const za_small_system system = {
        .n = g->n, .m = g->m, .M = g->M, .A = g->A, .AT = g->AT, .o = &g->operators};
    za_small_report r;
    memset(s->z, 0, sizeof(double) * (size_t)g->ldn);
    memset(s->lambda, 0, sizeof(double) * (size_t)g->ldm);
    g->k->small->answer(&system, f, b, s->z, s->lambda, &r);
    if (!(r.certificate <= good_certificate) || !zg_is_rounding(r.change, HUGE_VAL, r.size))
        return false;
    s->certificate = r.certificate;
    s->refinements = 1;
    s->lost = s->noise = 0.0; /* the rows are independent */
    s->moved = zg_gaussian(g, s->lambda);
    return true;
}

/* One answer with the factor at hand: solved, certified, refined. ZW_ERR_ACCURACY: its certificate
 * stays above bad_certificate. b NULL: 0. */
static zw_status answer_by_factor(zw_gauss *g, const double *f, const double *b, double added_to,
                                  zg_solution *s)
{
    s->refinements = 0;
    if (g->small_kernel && b && answer_small(g, f, b, s)) return ZW_OK;
    apply_factor(g, augment_force(g, f, b), b, NULL, true, s);
    keep_conflict(g, s);
    s->certificate = zg_residuals(g, f, b, s);
    /* U comes from one triangle of M, the residual from all of it */
    if (!(s->certificate <= good_certificate) && zg_asymmetric(g)) return zg_fail(g, g->failure);
    refine_solution(g, f, b, added_to, s);
    if (!g->singular) s->moved = zg_gaussian(g, s->lambda);
    return s->certificate <= bad_certificate ? ZW_OK : ZW_ERR_ACCURACY;
}

/* A Schur complement that turns out worse than its condition number promised gives way to the
 * orthogonal road. */
zw_status zg_general_gauss(zw_gauss *g, const double *f, const double *b, double added_to,
                           zg_solution *s)
{
    zw_status status = answer_by_factor(g, f, b, added_to, s);
    bool hopeless = !isfinite(s->certificate) || g->road == ZG_COD;
    if (status != ZW_ERR_ACCURACY || hopeless || zg_need_cod(g) != ZW_OK) return status;
    g->road = ZG_COD;
    g->small_kernel = false;
    return answer_by_factor(g, f, b, added_to, s);
}
