/*
 * The driver of the sparse solver: proximal refinement.
 *
 * A form (sparse_form.h) solves the equations with mu; the driver corrects the answer by the
 * residuals of the equations without it. With sigma a singular value of W^(1/2) A M^(-1/2), what is
 * in reach of A shrinks by mu / (sigma^2 + mu) a step, so two or three steps do for a mu of 1e-10
 * of the typical sigma^2. Where rows contradict each other the residual of the rows stops at the
 * part delta that no acceleration can remove; one refinement is then limited to eps |delta| / mu,
 * three stages are not (NUMERICS 5):
 *
 *     1  as before: z and with it delta, roughly
 *     2  corrections from the slope A^T W (b - A z) alone, until it vanishes
 *     3  all over again with b := A z, which is in reach
 *
 * Independent rows need no mu where the form can do without (S): one factor, one solve, and the
 * residuals say whether a correction is called for. Whether mu is left out depends on the state
 * alone. Nothing is allocated after planning, a change to the H-form apart, where M turns out to be
 * singular.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "driver.h"

static const double first_mu = 1e-10, last_mu = 1e-14; /* in units */
static const double slope_mu = 1e-9;                   /* of corrections by slopes: descend_slope */
static const double definite_mu = 1e-12; /* first of H, in units of the largest row: or M is lost */
static const double least_pivot = 1e-10; /* relative: of rows taken as independent */
static const double fair_pivot = 1e-5;   /* of rows that are clearly so */
static const double good = 4e-15;        /* residuals that are rounding */
static const double slow = 0.1;          /* contraction that asks for a smaller mu */
static const double stalled = 0.9;       /* contraction that is none */
enum { most_steps = 40, stage_steps = 40, cheap_row = 400 /* ns: S, not worth comparing */ };

/* ----------------------------------------------------------------------- planning */

/* Plans a form, and keeps it where it serves and is cheaper than the one there is. */
static zw_status try_form(zg_sparse *g, const zg_sparse_form *kind)
{
    void *form = NULL;
    double cost = HUGE_VAL;
    ZB_TRY(kind->plan(g->memory, &g->x, &form, &cost));
    if (!form) return ZW_OK;
    if (g->form && !(cost < g->cost)) {
        kind->free(form);
        return ZW_OK;
    }
    if (g->form) g->kind->free(g->form);
    g->kind = kind;
    g->form = form;
    g->cost = cost;
    return ZW_OK;
}

/* S first; where it is cheap nothing else is planned. K only where S cannot serve. Then H, for
 * comparison. */
static zw_status choose_form(zg_sparse *g)
{
    double cheap = 1e-9 * cheap_row * ((double)g->is.n + (double)g->is.m);
    if (zg_upper_has_diagonal(&g->is.M)) {
        ZB_TRY(try_form(g, &zg_sparse_S));
        if (g->form && g->cost < cheap) return ZW_OK;
        if (!g->form)
            ZB_TRY(try_form(g, &zg_sparse_K)); /* where S serves, K is never much better */
    }
    ZB_TRY(try_form(g, &zg_sparse_H));
    return g->form ? ZW_OK : ZW_ERR_BUDGET;
}

/* All vectors of length n and m, from the arena. */
static zw_status take_sparse_vectors(zg_sparse *g)
{
    double **of_n[] = {&g->diagonal, &g->r1, &g->dz,   &g->f,
                       &g->z,        &g->z2, &g->work, &g->z_nonideal};
    double **of_m[] = {&g->sizes, &g->r2, &g->dl,   &g->l,         &g->l2,
                       &g->b,     &g->c,  &g->lost, &g->l_nonideal};
    for (size_t k = 0; k < sizeof of_n / sizeof *of_n; k++)
        *of_n[k] = ZB_NEW_ARRAY(&g->arena, double, g->is.n);
    for (size_t k = 0; k < sizeof of_m / sizeof *of_m; k++)
        *of_m[k] = ZB_NEW_ARRAY(&g->arena, double, g->is.m);
    return g->arena.failure;
}

/* The form with the least predicted time, and what solves with M and W alone. */
zw_status zg_sparse_plan(zb_memory *memory, const zg_structure *structure, zg_sparse **out)
{
    zg_sparse *g = zb_resize(memory, NULL, 0, sizeof *g);
    if (!g) return memory->failure;
    *g = (zg_sparse){
        .memory = memory, .is = *structure, .most_rank = structure->m, .on = structure->m};
    g->x.is = &g->is;
    zb_arena_init(&g->arena, memory, 0);
    zw_status status = take_sparse_vectors(g);
    if (status == ZW_OK) status = choose_form(g);
    if (status == ZW_OK) status = zg_symmetric_plan(g, &g->is.M, true, &g->mass);
    if (status == ZW_OK && g->is.W.rows > 0)
        status = zg_symmetric_plan(g, &g->is.W, false, &g->weight);
    if (status != ZW_OK) {
        zg_sparse_free(g);
        return status;
    }
    *out = g;
    return ZW_OK;
}

void zg_sparse_free(zg_sparse *g)
{
    if (!g) return;
    zb_memory *memory = g->memory;
    if (g->form) g->kind->free(g->form);
    zg_symmetric_clear(&g->mass);
    zg_symmetric_clear(&g->weight);
    zb_arena_clear(&g->arena);
    zb_resize(memory, g, sizeof *g, 0);
}

double zg_sparse_cost(const zg_sparse *g)
{
    return g->cost;
}

const char *zg_sparse_name(const zg_sparse *g)
{
    return g->kind->name;
}

/* ------------------------------------------------------------------------- factors */

/* sizes: a_i D^-1 a_i^T with the diagonal D of M; coordinates without mass count as typical ones.
 */
static void measure_row_sizes(zg_sparse *g)
{
    const zg_pattern *M = &g->is.M, *A = &g->is.A;
    double sum = 0.0;
    int32_t heavy = 0;
    for (int32_t i = 0; i < g->is.n; i++) {
        bool there = M->start[i] < M->start[i + 1] && M->column[M->start[i]] == i;
        g->diagonal[i] = there ? g->x.M[M->start[i]] : 0.0;
        if (g->diagonal[i] > 0.0) sum += g->diagonal[i], heavy++;
    }
    double typical = heavy > 0 ? sum / heavy : 1.0;
    for (int32_t i = 0; i < g->is.n; i++)
        if (!(g->diagonal[i] > 1e-12 * typical)) g->diagonal[i] = typical;
    for (int32_t i = 0; i < g->is.m; i++) {
        double size = 0.0;
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++)
            size += g->x.A[p] * g->x.A[p] / g->diagonal[A->column[p]];
        g->sizes[i] = size;
    }
}

/* The diagonal of W. */
static double get_row_weight(const zg_sparse *g, int32_t i)
{
    const zg_pattern *W = &g->is.W;
    for (int32_t p = W->start[i]; p < W->start[i + 1]; p++)
        if (W->column[p] == i) return g->x.W[p];
    return 0.0;
}

/* The largest w_i a_i M^-1 a_i^T. */
static double find_largest_size(const zg_sparse *g)
{
    double most = 0.0;
    for (int32_t i = 0; i < g->is.m; i++)
        most = fmax(most, g->x.W ? g->sizes[i] * get_row_weight(g, i) : g->sizes[i]);
    return most;
}

/* A median of w_i size_i that is right to a factor of 2: that of their binary exponents. */
static double find_median_size(zg_sparse *g)
{
    enum { bins = 2200, middle = 1100 };
    int32_t count[bins] = {0}, all = 0, seen = 0, e = 0;
    for (int32_t i = 0; i < g->is.m; i++) {
        double x = g->x.W ? g->sizes[i] * get_row_weight(g, i) : g->sizes[i];
        if (!(x > 0.0) || !isfinite(x)) continue;
        (void)frexp(x, &e);
        count[e + middle]++;
        all++;
    }
    if (all == 0) return 1.0;
    for (e = 0; 2 * (seen += count[e]) < all; e++) {
    }
    return ldexp(1.0, e - middle);
}

/* All values of M, A and W. */
static bool are_numbers_finite(const zg_sparse *g)
{
    return zb_all_finite(g->x.M, zg_entry_count(&g->is.M)) &&
           zb_all_finite(g->x.A, zg_entry_count(&g->is.A)) &&
           (!g->x.W || zb_all_finite(g->x.W, zg_entry_count(&g->is.W)));
}

/* Why there is no factor: the status, also in g->failure; g->failed says where. */
static zw_status judge_failed_factor(zg_sparse *g)
{
    g->damping = ZG_NO_FACTOR;
    g->failed = g->pivots.worst;
    if (!are_numbers_finite(g)) return g->failure = ZW_ERR_NOT_FINITE;
    if (!zg_weight_definite(g)) return g->failure = ZW_ERR_INDEFINITE;
    ZB_TRY(zg_mass_judge(g)); /* negative somewhere? */
    return g->failure = ZW_ERR_UNDETERMINED;
}

static zw_status factor_damped(zg_sparse *g, double relative);

/* M is not definite: only the H-form serves. */
static zw_status change_to_form_H(zg_sparse *g, double relative)
{
    if (g->kind == &zg_sparse_H || !are_numbers_finite(g)) return judge_failed_factor(g);
    ZB_TRY(zg_mass_judge(g));
    g->kind->free(g->form);
    g->form = NULL;
    g->kind = &zg_sparse_H;
    ZB_TRY(zg_sparse_H.plan(g->memory, &g->x, &g->form, &g->cost));
    if (!g->form) return ZW_ERR_BUDGET;
    return factor_damped(g, relative);
}

/* A factor with mu = relative * unit, in H at least so large that M is not lost in A^T W A / mu.
 * Where M is not definite, the H-form takes over. */
static zw_status factor_damped(zg_sparse *g, double relative)
{
    bool mass = false;
    measure_row_sizes(g);
    g->unit = find_median_size(g);
    g->relative_mu = relative;
    g->mu = relative * g->unit;
    if (g->kind == &zg_sparse_H) {
        double least = relative > 2.0 * last_mu ? definite_mu : last_mu;
        g->mu = fmax(g->mu, least * find_largest_size(g));
    }
    g->spoiled = false;
    if (g->kind->factor(g->form, g->mu, &g->pivots, &mass)) {
        g->damping = ZG_DAMPED;
        g->x.same_mass = true;
        return ZW_OK;
    }
    return mass ? change_to_form_H(g, relative) : judge_failed_factor(g);
}

/* A factor with mu = 0. False: the form needs mu, or the rows are or may be dependent. */
static bool factor_undamped(zg_sparse *g)
{
    bool mass = false;
    if (!g->kind->undamped || g->most_rank < g->on) return false;
    g->spoiled = false;
    if (!g->kind->factor(g->form, 0.0, &g->pivots, &mass)) return false;
    g->x.same_mass = true;
    if (!(g->pivots.smallest > least_pivot)) return false;
    g->damping = ZG_UNDAMPED;
    return true;
}

/* Without mu where the rows allow it, else with the first mu. */
zw_status zg_sparse_factor(zg_sparse *g, const zg_values *values)
{
    bool known = g->damping != ZG_NO_FACTOR; /* M was seen */
    g->x.M = values->M;
    g->x.A = values->A;
    g->x.W = g->is.W.rows > 0 ? values->W : NULL;
    g->x.same_mass = values->same_mass && known;
    g->x.off = values->off;
    g->on = g->is.m;
    for (int32_t i = 0; i < g->is.m && values->off; i++) g->on -= values->off[i];
    g->damping = ZG_NO_FACTOR;
    g->failure = ZW_OK;
    g->no_smaller_mu = false;
    g->ranked = false;
    g->mass.ready = g->mass.ready && g->x.same_mass;
    g->weight.ready = false;
    return factor_undamped(g) ? ZW_OK : factor_damped(g, first_mu);
}

/* Made again with the same mu from the same values. */
zw_status zg_sparse_renew(zg_sparse *g)
{
    bool mass = false;
    if (g->damping == ZG_NO_FACTOR) return ZW_ERR_ORDER;
    if (!g->spoiled) return ZW_OK;
    g->spoiled = false;
    double mu = g->damping == ZG_UNDAMPED ? 0.0 : g->mu;
    return g->kind->factor(g->form, mu, &g->pivots, &mass) ? ZW_OK : judge_failed_factor(g);
}

int64_t zg_sparse_above(zg_sparse *g, double tau, const double *scale)
{
    g->spoiled = true;
    return g->kind->above(g->form, tau, scale);
}

/* --------------------------------------------------------------------- refinement */

static void add_refinement_step(int32_t count, const double *d, double *x)
{
    for (int32_t i = 0; i < count; i++) x[i] += d[i];
}

/* One correction from the residuals, and the residuals after it. */
static void correct_iterate(zg_sparse *g, zg_iterate *w)
{
    g->kind->solve(g->form, g->r1, g->r2, g->dz, g->dl);
    add_refinement_step(g->is.n, g->dz, w->z);
    add_refinement_step(g->is.m, g->dl, w->lambda);
    w->solves++;
    zg_sparse_residuals(g, w);
}

/* The first solution, and its residuals. */
static void begin_iterate(zg_sparse *g, zg_iterate *w)
{
    g->kind->solve(g->form, w->f, w->b, w->z, w->lambda);
    w->solves++;
    zg_sparse_residuals(g, w);
}

static bool is_met(const zg_iterate *w, double tolerance)
{
    return w->r1 <= tolerance * w->size1 && w->r2 <= tolerance * w->size2;
}

/* Of an S-factor without mu: at most a few corrections, as long as they help. With a
 * diagonal M and pivots of this size elimination is stable and forces balance to rounding by
 * construction: in the stages of a step a sample of the rows certifies that. Rounding of the
 * forces, which may be much larger than what they leave, shows in the rows and is good enough
 * there. */
static bool refine_undamped(zg_sparse *g, zg_iterate *w, double tolerance)
{
    g->kind->solve(g->form, w->f, w->b, w->z, w->lambda);
    w->solves++;
    double scale = g->kind->scale(g->form);
    bool stable = g->pivots.smallest > fair_pivot && scale > 0.0;
    if (stable && tolerance > good && zb_all_finite(w->z, g->is.n) &&
        zg_sparse_sample(g, w, tolerance, 4.0 * DBL_EPSILON * scale))
        return true;
    if (!stable) tolerance = good; /* what is left would be blown up */
    zg_sparse_residuals(g, w);
    for (int k = 0; k < 4 && !is_met(w, tolerance); k++) {
        double before = w->r1 / w->size1 + w->r2 / w->size2;
        correct_iterate(g, w);
        if (!(w->r1 / w->size1 + w->r2 / w->size2 <= 0.5 * before)) break;
    }
    return is_met(w, 1e-10);
}

/* How a refinement ended; unreachable: what is left of the rows no step makes smaller. */
typedef enum refinement_end { CONVERGED, NOT_CONVERGED, UNREACHABLE } refinement_end;

/* A smaller mu, where it still gives a factor; else as before, and no smaller one from then on. */
static zw_status lower_mu(zg_sparse *g)
{
    double relative = g->relative_mu;
    if (g->no_smaller_mu || relative <= 2.0 * last_mu) return ZW_OK;
    zw_status status = factor_damped(g, relative / 100.0);
    if (status == ZW_OK || status == ZW_ERR_MEMORY || status == ZW_ERR_BUDGET) return status;
    g->no_smaller_mu = true;
    g->failure = ZW_OK;
    return factor_damped(g, relative);
}

static bool is_mu_least(const zg_sparse *g, double relative)
{
    return g->no_smaller_mu || relative <= 2.0 * last_mu;
}

/* What is left of the rows is what rounding of the forces does to accelerations: of a structure
 * that stands still, z and b are nothing but that. After zg_sparse_residuals, which leaves the
 * sizes of the forces in work. */
static bool is_rounding_of_forces(const zg_sparse *g, const zg_iterate *w)
{
    const zg_pattern *A = &g->is.A;
    double reach = 0.0;
    for (int32_t i = 0; i < g->is.m; i++) {
        double sum = 0.0;
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) {
            int32_t j = A->column[p];
            sum += fabs(g->x.A[p]) * g->work[j] / g->diagonal[j];
        }
        reach = fmax(reach, sum);
    }
    return w->r2 <= 1e-14 * reach && w->r1 <= 1e-13 * w->size1;
}

/* Steps with mu, a smaller one where they are slow. What does not move at all seems out of reach:
 * the rows contradict each other. */
static zw_status refine_damped(zg_sparse *g, zg_iterate *w, refinement_end *result)
{
    begin_iterate(g, w);
    *result = CONVERGED;
    for (int k = 0; k < most_steps; k++) {
        if (is_met(w, good)) return ZW_OK;
        double r1 = w->r1 / w->size1, r2 = w->r2;
        correct_iterate(g, w);
        bool still = !(w->r2 <= 0.5 * r2 || w->r1 / w->size1 <= 0.5 * r1);
        if (still && is_met(w, 1e-13)) return ZW_OK;
        if (w->r2 <= good * w->size2 || w->r2 <= slow * r2) continue;
        if (w->r2 > stalled * r2 && is_rounding_of_forces(g, w)) return ZW_OK;
        if (w->r2 > stalled * r2 && w->b) { /* 0 is always in reach */
            *result = UNREACHABLE;
            return ZW_OK;
        }
        ZB_TRY(lower_mu(g));
    }
    *result = is_met(w, 1e-12) || is_rounding_of_forces(g, w) ? CONVERGED : NOT_CONVERGED;
    return ZW_OK;
}

/* Stage 2: z onto the least squares, by the slope alone. K and S form dz as a difference of the
 * size of slope / mu, hence contract by mu / sigma_min^2 + eps sigma_max^2 / mu: mu is larger here.
 * Steps that go on moving the rows by as much as the step before belong to motions that mu holds
 * back: false. (z itself may go on moving along the constraints: that is rounding, and stage 3
 * forgets it.) */
static bool descend_slope(zg_sparse *g, zg_iterate *w)
{
    double before = HUGE_VAL;
    for (int k = 0; k < stage_steps; k++) {
        zg_sparse_rows_residual(g, w);
        zg_weight_apply(g, g->r2, g->c);
        zg_rows_pull(g, g->c, g->r1);
        for (int32_t j = 0; j < g->is.n; j++) g->r1[j] /= g->mu;
        g->kind->solve(g->form, g->r1, NULL, g->dz, g->dl);
        add_refinement_step(g->is.n, g->dz, w->z);
        w->solves++;
        zg_rows_apply(g, g->dz, g->dl);
        double change = zg_largest(g->is.m, g->dl);
        if (change <= DBL_EPSILON * w->size2) return true;
        if (!(change <= 0.5 * before)) return change <= 1e-11 * w->size2;
        before = change;
    }
    return before <= 1e-9 * w->size2;
}

/* What of b is out of reach; returns its norm in W. */
static double find_unreachable_part(zg_sparse *g, const zg_iterate *w, const double *b,
                                    double *lost)
{
    zg_rows_apply(g, w->z, lost);
    for (int32_t i = 0; i < g->is.m; i++) lost[i] = b[i] - lost[i];
    return zg_weight_norm(g, lost, g->c);
}

/* |b| + |P| |z|, as the dense solver measures conflicts: P = W^(1/2) A M^(-1/2). */
double zg_sparse_size(zg_sparse *g, const double *b, const double *z)
{
    double rows = 0.0, motion = 0.0;
    measure_row_sizes(g);
    for (int32_t i = 0; i < g->is.m; i++)
        rows += g->x.W ? g->sizes[i] * get_row_weight(g, i) : g->sizes[i];
    zg_mass_apply(g, z, g->work);
    for (int32_t j = 0; j < g->is.n; j++) motion += z[j] * g->work[j];
    return (b ? zg_weight_norm(g, b, g->c) : 0.0) + sqrt(rows) * sqrt(fmax(motion, 0.0));
}

/* Stage 3, after stage 2: z is now the least-squares solution, b - A z is lost, and b := A z is
 * solved for once more, for a z nearest to the free acceleration. */
static zw_status solve_compromise(zg_sparse *g, zg_iterate *w, double *lost, double *lost_norm)
{
    const double *b = w->b;
    refinement_end result;
    *lost_norm = find_unreachable_part(g, w, b, lost);
    zg_rows_apply(g, w->z, g->b);
    bool none = zg_largest(g->is.m, g->b) <= 1e-12 * zg_largest(g->is.m, b); /* rounding */
    w->b = none ? NULL : g->b;
    ZB_TRY(refine_damped(g, w, &result));
    w->b = b;
    return w->r1 <= 1e-8 * w->size1 && w->r2 <= 1e-8 * w->size2 ? ZW_OK : ZW_ERR_ACCURACY;
}

/* The three stages, with a smaller mu where it holds something back. */
static zw_status solve_damped(zg_sparse *g, zg_iterate *w, double *lost, double *lost_norm)
{
    refinement_end result = CONVERGED;
    for (;;) {
        ZB_TRY(refine_damped(g, w, &result));
        if (result != UNREACHABLE) break;
        double relative = g->relative_mu;
        ZB_TRY(factor_damped(g, slope_mu));
        if (descend_slope(g, w) || is_mu_least(g, relative))
            return solve_compromise(g, w, lost, lost_norm);
        ZB_TRY(factor_damped(g, relative));
        ZB_TRY(lower_mu(g));
    }
    return result == NOT_CONVERGED && !is_met(w, 1e-8) ? ZW_ERR_ACCURACY : ZW_OK;
}

/* Without mu first, where the factor is so; where that does not converge, with mu. */
zw_status zg_sparse_gauss(zg_sparse *g, const double *f, const double *b, double *z, double *lambda,
                          double *lost, double *lost_norm, zg_iterate *w)
{
    double tolerance = w->tolerance > 0.0 ? w->tolerance : good;
    *w = (zg_iterate){.f = f, .b = b, .z = z, .lambda = lambda, .tolerance = tolerance};
    *lost_norm = 0.0;
    if (lost) memset(lost, 0, sizeof *lost * (size_t)g->is.m);
    ZB_TRY(zg_sparse_renew(g));
    if (g->damping == ZG_UNDAMPED) {
        if (refine_undamped(g, w, tolerance)) return ZW_OK;
        if (!isfinite(w->r1) || !isfinite(w->r2)) return g->failure = ZW_ERR_NOT_FINITE;
        ZB_TRY(factor_damped(g, first_mu));
    }
    zw_status status = solve_damped(g, w, lost ? lost : g->lost, lost_norm);
    if (!isfinite(w->r1) || !isfinite(w->r2)) status = ZW_ERR_NOT_FINITE;
    return g->failure = status;
}

/* With z the least-squares solution of A z = W^-1 lambda, W A z is all of lambda that A^T sees:
 * into `seen` [m]. False: that was not quite reached. */
static bool find_seen_part(zg_sparse *g, const double *lambda, double *seen)
{
    double *rest = g->r2, change = HUGE_VAL, size = 0.0;
    if (g->relative_mu < 0.5 * slope_mu && factor_damped(g, slope_mu) != ZW_OK) return false;
    memset(g->z2, 0, sizeof *g->z2 * (size_t)g->is.n);
    memset(seen, 0, sizeof *seen * (size_t)g->is.m);
    for (int k = 0; k < stage_steps && !(change <= DBL_EPSILON * size); k++) {
        double before = change;
        for (int32_t i = 0; i < g->is.m; i++) rest[i] = lambda[i] - seen[i];
        zg_rows_pull(g, rest, g->r1);
        for (int32_t j = 0; j < g->is.n; j++) g->r1[j] /= g->mu;
        g->kind->solve(g->form, g->r1, NULL, g->dz, g->dl);
        change = zg_largest(g->is.n, g->dz);
        if (!(change <= 0.5 * before)) break;
        add_refinement_step(g->is.n, g->dz, g->z2);
        zg_rows_apply(g, g->z2, g->dl);
        zg_weight_apply(g, g->dl, seen);
        size = zg_largest(g->is.n, g->z2);
    }
    return change <= 1e-7 * size;
}

/* Where it is not reached lambda stays: small sigma hold it back, and then it is all seen. */
void zg_sparse_least(zg_sparse *g, double *lambda)
{
    if (g->damping != ZG_DAMPED || g->is.m == 0 || zg_sparse_renew(g) != ZW_OK) return;
    if (find_seen_part(g, lambda, g->c)) memcpy(lambda, g->c, sizeof *lambda * (size_t)g->is.m);
}

/* What is left of x when the part that A^T sees is taken away; nothing where rows are
 * independent. */
zw_status zg_sparse_null_part(zg_sparse *g, double *x)
{
    ZB_TRY(zg_sparse_renew(g));
    if (g->damping == ZG_UNDAMPED) {
        memset(x, 0, sizeof *x * (size_t)g->is.m);
        return ZW_OK;
    }
    (void)find_seen_part(g, x, g->l2);
    for (int32_t i = 0; i < g->is.m; i++) x[i] -= g->l2[i];
    return ZW_OK;
}

/* To 1e-13, for the stages of a step. Multipliers are made unique only where rows are known to be
 * dependent. */
zw_status zg_sparse_apply(zg_sparse *g, const double *f, const double *b, double *z, double *lambda,
                          double *lost, double *lost_norm)
{
    double norm = 0.0;
    zg_iterate w = {.tolerance = 1e-13};
    double *l = lambda ? lambda : g->l;
    ZB_TRY(zg_sparse_gauss(g, f, b, z, l, lost, &norm, &w));
    if (lambda && g->most_rank < g->on) zg_sparse_least(g, lambda);
    bool kept = norm > 0.0 && norm > zg_consistent_limit * zg_sparse_size(g, b, z);
    if (lost_norm) *lost_norm = kept ? norm : 0.0;
    return ZW_OK;
}

/* -------------------------------------------------------------------------- the rest */

void zg_sparse_limit_rank(zg_sparse *g, int32_t most)
{
    g->most_rank = most;
}

bool zg_sparse_independent(const zg_sparse *g)
{
    return g->damping == ZG_UNDAMPED;
}

/* How large multipliers answer a right side of no particular direction, in units of the rows:
 * about 1 / sigma^2 of the least sigma. */
static double estimate_softness(zg_sparse *g)
{
    double largest = 0.0;
    memset(g->r1, 0, sizeof *g->r1 * (size_t)g->is.n);
    for (int32_t i = 0; i < g->is.m; i++) {
        uint64_t bits = zb_hash_scramble((uint64_t)i + 1);
        g->r2[i] = ((bits & 1) ? 1.0 : -1.0) * sqrt(g->sizes[i]);
    }
    g->kind->solve(g->form, g->r1, g->r2, g->dz, g->dl);
    for (int32_t i = 0; i < g->is.m; i++)
        largest = fmax(largest, fabs(g->dl[i]) * sqrt(g->sizes[i]));
    return largest;
}

/* S knows its pivots; K and H answer a random right side. */
bool zg_sparse_doubtful(zg_sparse *g, double clear)
{
    if (g->is.m == 0) return false;
    if (!g->kind->undamped) return !(estimate_softness(g) * clear <= 1.0);
    return g->damping != ZG_UNDAMPED || !(g->pivots.smallest > clear);
}

/* The last pivot of a long chain is small, 1/N of its diagonal, without anything being near a
 * singular configuration: a thousandth of what the pivot says. */
double zg_sparse_noise(const zg_sparse *g)
{
    return g->damping == ZG_UNDAMPED ? fmax(DBL_EPSILON, 1e-3 * DBL_EPSILON / g->pivots.smallest)
                                     : DBL_EPSILON;
}

const zg_numbers *zg_sparse_numbers(const zg_sparse *g)
{
    return &g->x;
}

zb_memory *zg_sparse_memory(const zg_sparse *g)
{
    return g->memory;
}

const double *zg_sparse_sizes(zg_sparse *g)
{
    measure_row_sizes(g);
    return g->sizes;
}
