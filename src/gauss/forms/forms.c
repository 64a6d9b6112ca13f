/*
 * Drives the equivalent forms. The solver at hand first gives its own answer, with it the
 * multipliers and the verdict on consistency; then the form computes the acceleration by its
 * own formula. GG(f, b) = GG(f + A^T lambda, b) for every lambda, so every form is refined by
 *
 *     dz = form(f + A^T lambda - M z, b - A z)
 *
 * with residuals of the original data, and the same residuals decide in the end whether its
 * answer is good: none returns a wrong acceleration.
 */
#include <math.h>
#include <string.h>

#include "forms.h"

static const zg_form_kind *const kinds[] = {
    [ZW_FORM_MOORE_PENROSE] = &zg_moore_penrose,
    [ZW_FORM_INVERSE_14] = &zg_inverse_14,
    [ZW_FORM_INVERSE_1] = &zg_inverse_1,
    [ZW_FORM_GIBBS_APPELL] = &zg_gibbs_appell,
    [ZW_FORM_MULTIPLIERS] = &zg_kkt,
    [ZW_FORM_PROJECTION] = &zg_projection,
};

enum { refinements = 2 };

/* ------------------------------------------------------------------- tools */

struct zg_least {
    const za_kernels *k;
    za_cod f;
    double *c, *t, *nu, *work;
};

double *zg_doubles(zb_arena *arena, size_t count)
{
    return zb_arena_take(arena, zb_product(count, sizeof(double)), ZA_ALIGN);
}

/* X is transposed into the storage of the kernels, factored with this rank tolerance. */
zg_least *zg_least_create(zb_arena *arena, const za_kernels *k, int32_t rows, int32_t columns,
                          const double *X, double tolerance)
{
    zg_least *x = ZB_NEW(arena, zg_least);
    int32_t most = rows < columns ? rows : columns;
    x->k = k;
    x->f = (za_cod){
        .n = columns, .m = rows, .ldg = za_pad8(rows), .ldv = za_pad8(columns), .limit = most};
    size_t ldg = (size_t)x->f.ldg, ldv = (size_t)x->f.ldv, longest = ldg > ldv ? ldg : ldv;
    x->f.G = zg_doubles(arena, (size_t)za_pad4(columns) * ldg);
    x->f.V = zg_doubles(arena, (size_t)most * ldv);
    x->f.tau = zg_doubles(arena, (size_t)za_pad8(most));
    x->f.zeta = zg_doubles(arena, (size_t)za_pad8(most));
    x->f.norm2 = zg_doubles(arena, ldg);
    x->f.reference2 = zg_doubles(arena, ldg);
    x->f.scale2 = zg_doubles(arena, ldg);
    x->f.pivot = ZB_NEW_ARRAY(arena, int32_t, ldg);
    x->c = zg_doubles(arena, longest);
    x->t = zg_doubles(arena, longest);
    x->nu = zg_doubles(arena, longest);
    x->work = zg_doubles(arena, 2 * longest);
    for (int32_t i = 0; i < rows; i++)
        for (int32_t j = 0; j < columns; j++)
            x->f.G[(size_t)j * ldg + (size_t)i] = X[(size_t)i * (size_t)columns + (size_t)j];
    k->cod->factor(&x->f, tolerance);
    return x;
}

/* A decomposition of X^T gives the nearest point; c NULL: 0. */
void zg_least_solve(const zg_least *x, const double *c, const double *near, double *y)
{
    memset(x->t, 0, sizeof(double) * (size_t)x->f.ldv);
    if (near) memcpy(x->t, near, sizeof(double) * (size_t)x->f.n);
    memset(x->c, 0, sizeof(double) * (size_t)x->f.ldg);
    if (c) memcpy(x->c, c, sizeof(double) * (size_t)x->f.m);
    x->k->cod->solve(&x->f, x->c, NULL, x->t, x->nu, NULL, x->work);
    memcpy(y, x->t, sizeof(double) * (size_t)x->f.n);
}

int32_t zg_least_rank(const zg_least *x)
{
    return x->f.rank;
}

const int32_t *zg_least_rows(const zg_least *x)
{
    return x->f.pivot;
}

void zg_times(int32_t rows, int32_t columns, const double *X, const double *x, double *y)
{
    for (int32_t i = 0; i < rows; i++) {
        double s = 0.0;
        for (int32_t j = 0; j < columns; j++)
            s += X[(size_t)i * (size_t)columns + (size_t)j] * x[j];
        y[i] = s;
    }
}

void zg_transposed_times(int32_t rows, int32_t columns, const double *X, const double *x, double *y)
{
    for (int32_t j = 0; j < columns; j++) y[j] = 0.0;
    for (int32_t i = 0; i < rows; i++)
        for (int32_t j = 0; j < columns; j++)
            y[j] += X[(size_t)i * (size_t)columns + (size_t)j] * x[i];
}

/* A solve of the dense solver works on vectors [ldn]: x [n] goes there and back. */
static void solve_unpadded(const zg_form *form, double *x,
                           void (*solve)(const zw_gauss *, double *))
{
    double *t = form->g->t;
    memset(t, 0, sizeof(double) * (size_t)form->g->ldn);
    memcpy(t, x, sizeof(double) * (size_t)form->n);
    solve(form->g, t);
    memcpy(x, t, sizeof(double) * (size_t)form->n);
}

void zg_form_lower(const zg_form *form, double *x)
{
    solve_unpadded(form, x, zg_mass_lower);
}

void zg_form_upper(const zg_form *form, double *x)
{
    solve_unpadded(form, x, zg_mass_upper);
}

/* Row by row: B_i = U^-T A_i. */
double *zg_metric_rows(const zg_form *form)
{
    size_t n = (size_t)form->n;
    double *B = ZG_DOUBLES(form, zb_product((size_t)form->m, n));
    for (int32_t i = 0; i < form->m; i++) {
        memcpy(B + (size_t)i * n, form->A + (size_t)i * n, sizeof(double) * n);
        zg_form_lower(form, B + (size_t)i * n);
    }
    return B;
}

/* ------------------------------------------------------------------ driver */

/* [rows * columns] from a matrix whose rows are ld apart. */
static double *copy_unpadded(zb_arena *arena, int32_t rows, int32_t columns, int32_t ld,
                             const double *from)
{
    double *X = ZB_NEW_ARRAY(arena, double, zb_product((size_t)rows, (size_t)columns));
    for (int32_t i = 0; i < rows; i++)
        memcpy(X + (size_t)i * (size_t)columns, from + (size_t)i * (size_t)ld,
               sizeof(double) * (size_t)columns);
    return X;
}

/* M [n * n], also where it was given as a diagonal. */
static double *copy_unpadded_mass(zb_arena *arena, const zw_gauss *g)
{
    if (g->shape.mass == ZW_FULL) return copy_unpadded(arena, g->n, g->n, g->ldn, g->M);
    double *M = ZB_NEW_ARRAY(arena, double, zb_product((size_t)g->n, (size_t)g->n));
    for (int32_t i = 0; i < g->n; i++) M[(size_t)i * (size_t)g->n + (size_t)i] = g->M[i];
    return M;
}

/* z [ldn] by the form for force f [ldn] and right side b [ldm], refined with the multipliers
 * lambda; returns the certificate. */
static double refine_by_form(zw_gauss *g, const zg_form_kind *kind, const zg_form *form,
                             const double *f, const double *b, double *lambda, double *z)
{
    double *dz = ZG_DOUBLES(form, g->ldn);
    zg_solution r = {
        .z = z, .lambda = lambda, .conflict = g->conflict, .motion = g->motion, .lost = g->lost};
    kind->apply(form, f, b, z);
    for (int k = 0; k < refinements; k++) {
        zg_residuals(g, f, b, &r);
        kind->apply(form, g->r1, g->r2, dz);
        for (int32_t i = 0; i < form->n; i++) z[i] += dz[i];
    }
    return zg_residuals(g, f, b, &r);
}

/* What the solver itself gave, and what follows from the accelerations of the form:
 * zi = GG(Q, b) and z = GG(Q + C, b). */
static void write_answer(zw_gauss *g, const zg_form *form, const double *Q, const double *C,
                         const double *zi, const double *z, const zw_gauss_answer *core,
                         zw_gauss_answer *out)
{
    double *force = ZG_DOUBLES(form, g->ldn), *ideal = ZG_DOUBLES(form, g->ldn);
    zw_gauss_answer to = *out;
    zg_times(g->n, g->n, form->M, z, force);
    zg_times(g->n, g->n, form->M, zi, ideal);
    for (int32_t i = 0; i < g->n; i++) {
        force[i] -= Q[i];
        ideal[i] -= Q[i];
        if (to.force_nonideal) to.force_nonideal[i] = C ? force[i] - ideal[i] : 0.0;
    }
    zg_write_wanted(z, g->n, to.acceleration);
    zg_write_wanted(force, g->n, to.force);
    zg_write_wanted(ideal, g->n, to.force_ideal);
    for (int32_t j = 0; to.residual && j < g->m; j++)
        to.residual[j] = -(g->r2[j] + (g->lost > 0.0 ? g->conflict[j] : 0.0));
    zg_write_wanted(g->r1, g->n, to.balance);
    if (!core->mass_singular) zg_write_wanted(core->free_acceleration, g->n, to.free_acceleration);
    zg_write_wanted(core->multipliers, g->m, to.multipliers);
    zg_write_wanted(core->inconsistency, g->m, to.inconsistency);
    out->inconsistency_norm = core->inconsistency_norm;
    out->rank = core->rank;
    out->consistent = core->consistent;
    out->mass_singular = core->mass_singular;
    out->refinements = refinements;
    out->certificate = core->certificate;
    out->gaussian = core->gaussian;
    if (core->mass_singular) return;
    for (int32_t i = 0; i < g->n; i++) force[i] -= C ? C[i] : 0.0; /* M (z - M^-1 (Q + C)) */
    zg_form_lower(form, force);
    out->gaussian = 0.0;
    for (int32_t i = 0; i < g->n; i++) out->gaussian += force[i] * force[i];
}

static zw_status refuse_form(zw_gauss *g, zw_status status, double value)
{
    g->failure = (zg_failure){.status = status, .value = value};
    return status;
}

/* The body of zg_solve_form; out of memory it does not return (the arena escapes). Nothing of
 * the caller's is written before the form has answered. */
static zw_status solve_by_form(zw_gauss *g, const zg_form_kind *kind, zg_form *form,
                               const double *Q, const double *b, const double *C,
                               zw_gauss_answer *answer)
{
    double *lambda = ZG_DOUBLES(form, g->ldm), *lambda_c = ZG_DOUBLES(form, g->ldm);
    double *f = ZG_DOUBLES(form, g->ldn), *rows = ZG_DOUBLES(form, g->ldm);
    double *zi = ZG_DOUBLES(form, g->ldn), *z = ZG_DOUBLES(form, g->ldn);
    zw_gauss_answer core = {.multipliers = lambda,
                            .free_acceleration = ZG_DOUBLES(form, g->n),
                            .inconsistency = ZG_DOUBLES(form, g->m)};
    form->M = copy_unpadded_mass(form->arena, g);
    form->A = copy_unpadded(form->arena, g->m, g->n, g->ldn, g->A);
    if (kind->definite_mass && g->singular) return refuse_form(g, ZW_ERR_SINGULAR_MASS, 0.0);
    bool small_kernel = g->small_kernel;
    g->small_kernel = false; /* the sizes by which residuals are measured are wanted, too */
    zw_status status = zg_solve(g, Q, b, C, &core);
    g->small_kernel = small_kernel;
    if (status != ZW_OK) return status;
    memcpy(lambda_c, g->lambda_nonideal, sizeof(double) * (size_t)g->m);
    if (kind->consistent && !core.consistent)
        return refuse_form(g, ZW_ERR_INCONSISTENT, core.inconsistency_norm);

    zw_status prepared = kind->prepare(form);
    if (prepared != ZW_OK) return refuse_form(g, prepared, HUGE_VAL);
    memcpy(f, Q, sizeof(double) * (size_t)g->n);
    if (g->m > 0) memcpy(rows, b, sizeof(double) * (size_t)g->m);
    core.certificate = refine_by_form(g, kind, form, f, rows, lambda, zi);
    memcpy(z, zi, sizeof(double) * (size_t)g->n);
    if (C) {
        for (int32_t i = 0; i < g->n; i++) f[i] += C[i];
        for (int32_t j = 0; j < g->m; j++) lambda_c[j] += lambda[j];
        core.certificate = refine_by_form(g, kind, form, f, rows, lambda_c, z);
    }
    if (!(core.certificate <= 1e-8)) return refuse_form(g, ZW_ERR_ACCURACY, core.certificate);
    write_answer(g, form, Q, C, zi, z, &core, answer);
    return ZW_OK;
}

/* Memory of a form lives as long as the call; out of memory the arena comes back here. */
zw_status zg_solve_form(zw_gauss *g, zw_form form, const double *Q, const double *b,
                        const double *C, zw_gauss_answer *answer)
{
    if (form == ZW_FORM_GAUSS) return zg_solve(g, Q, b, C, answer);
    zb_arena arena;
    jmp_buf escape;
    zb_arena_init(&arena, g->memory, 0);
    arena.escape = &escape;
    zw_status status;
    if (setjmp(escape) == 0) {
        zg_form own = {.g = g, .n = g->n, .m = g->m, .arena = &arena};
        status = solve_by_form(g, kinds[form], &own, Q, b, C, answer);
    } else {
        status = arena.failure;
        g->failure = (zg_failure){.status = status};
    }
    zb_arena_clear(&arena);
    return status;
}
