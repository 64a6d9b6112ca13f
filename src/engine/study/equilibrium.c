/*
 * A state of rest with everything that is said about it: the forces of constraints, whether it is stable,
 * modes, and how all of that moves with parameters.
 *
 *     modes       K y = omega^2 y in the basis N: shapes N y of length 1 in M
 *     poles       of the motion beside it, with the forces that depend on speeds: w' = -K x - D w
 *     dq          = d + N y,   d = GG(0, -phi_p).z,   K y = N^T M (z along (d, p))
 *     omega'      2 omega omega' = y^T (K' - omega^2 M') y - 2 eta^T A' y,   A^T eta = K y - omega^2 M y
 *
 * with all dots along the equilibrium as it moves: K' needs second derivatives. Frequencies that are equal
 * have no derivative of their own; NaN says so.
 */
#include <math.h>
#include <string.h>

#include "linalg.h"
#include "study.h"

/* The result, with the memory that it lies in. */
typedef struct found {
    zw_equilibrium is; /* first: what the caller holds */
    zb_arena arena;
    zb_memory *memory;
    zr_rest rest;
    zr_parameter_list by;
    double *q, *multipliers, *frequency, *shape, *re, *im;
    double *dq, *dmultipliers, *dfrequency;
    const char **names;
} found;

static double *take_numbers(found *e, int64_t rows, int64_t columns)
{
    return ZB_NEW_ARRAY(&e->arena, double, zb_product((size_t)rows, (size_t)columns) + 1);
}

static double dot(const double *x, const double *y, int32_t count)
{
    double sum = 0.0;
    for (int32_t j = 0; j < count; j++) sum += x[j] * y[j];
    return sum;
}

/* --------------------------------------------------------------------------- modes */

/* Frequencies ascending, those of directions that fall away negative: -sqrt(-s). */
static void write_modes(found *e)
{
    zr_rest *r = &e->rest;
    int32_t n = r->sim->zm->n, f = r->freedom;
    double largest = f > 0 ? fmax(fabs(r->s[0]), fabs(r->s[f - 1])) : 0.0;
    for (int32_t k = 0; k < f; k++) {
        double s = r->s[k], *shape = e->shape + (size_t)k * (size_t)n;
        bool none = !(fabs(s) > 1e-11 * largest);
        e->frequency[k] = none ? 0.0 : copysign(sqrt(fabs(s)), s);
        if (none) e->is.neutral++;
        if (!none && s < 0.0) e->is.unstable++;
        for (int32_t i = 0; i < f; i++)
            for (int32_t j = 0; j < n; j++)
                shape[j] += r->V[(size_t)k * (size_t)f + (size_t)i] *
                            r->N[(size_t)i * (size_t)n + (size_t)j];
    }
}

/* D: as K, along velocities. *any: there is some. */
static zw_status find_damping(found *e, double *D, bool *any)
{
    zr_rest *r = &e->rest;
    zw_sim *sim = r->sim;
    int32_t n = sim->zm->n, f = r->freedom;
    double *force = take_numbers(e, n, 1);
    if (!force) return e->arena.failure;
    for (int32_t k = 0; k < f; k++) {
        zr_direction d = {.v = r->N + (size_t)k * (size_t)n};
        ZB_TRY(zr_tangent(r->vary, &d));
        memset(force, 0, sizeof *force * (size_t)n);
        zr_multiply_mass(sim, sim->M, r->vary->dz, -1.0, force);
        for (int32_t i = 0; i < f; i++) {
            D[i * f + k] = dot(r->N + (size_t)i * (size_t)n, force, n);
            if (D[i * f + k] != 0.0) *any = true;
        }
    }
    return ZW_OK;
}

/* Eigenvalues of [0 1; -K -D]. */
static zw_status find_rest_poles(found *e)
{
    zr_rest *r = &e->rest;
    int32_t f = r->freedom, all = 2 * f;
    double *D = take_numbers(e, f, f), *F = take_numbers(e, all, all),
           *work = take_numbers(e, all, 1);
    bool damped = false;
    if (e->arena.failure != ZW_OK) return e->arena.failure;
    ZB_TRY(find_damping(e, D, &damped));
    for (int32_t i = 0; i < f; i++) {
        F[i * all + f + i] = 1.0;
        for (int32_t j = 0; j < f; j++) {
            F[(f + i) * all + j] = -r->K[i * f + j];
            F[(f + i) * all + f + j] = -D[i * f + j];
        }
    }
    e->is.poles = all;
    if (all > 0) ZB_TRY(za_eigenvalues(all, F, e->re, e->im, work));
    if (r->symmetric && !damped) return ZW_OK; /* by stiffness alone, which is sharper */
    double largest = 0.0;
    for (int32_t k = 0; k < all; k++) largest = fmax(largest, hypot(e->re[k], e->im[k]));
    e->is.unstable = 0;
    for (int32_t k = 0; k < all; k++)
        if (e->re[k] > 1e-7 * largest && e->im[k] >= 0.0) e->is.unstable++;
    return ZW_OK;
}

/* -------------------------------------------------------------------- derivatives */

/* The displacement that parameters alone ask for, into vary->x: rows on positions stay satisfied. */
static zw_status follow_rows(found *e, double *d)
{
    zr_vary *vary = e->rest.vary;
    zw_sim *sim = e->rest.sim;
    int32_t m = sim->zm->m;
    zr_direction p = {.values = vary->rates};
    zr_vary_along(vary, &p);
    memset(vary->dlevel, 0, sizeof *vary->dlevel * 4 * (size_t)m);
    zr_vary_evaluate(vary, ZR_VARY_VALUES, NULL, vary->dlevel);
    for (int32_t i = 0; i < m; i++) {
        bool off = sim->contacts && sim->contacts->off[i];
        vary->b[i] = !off && sim->row_kind[i] == ZM_HOLONOMIC ? -vary->dlevel[i] : 0.0;
    }
    memset(vary->f, 0, sizeof *vary->f * (size_t)sim->zm->n);
    return zr_vary_solve(vary, vary->f, vary->b, d, vary->g);
}

/* dq [n] of the equilibrium; vary->rates moves. Afterwards the tangent along it is there. */
static zw_status move_equilibrium(found *e, double *dq)
{
    zr_rest *r = &e->rest;
    zr_vary *vary = r->vary;
    zw_sim *sim = r->sim;
    int32_t n = sim->zm->n, f = r->freedom;
    double *g = ZB_NEW_ARRAY(&r->scratch, double, f + 1),
           *y = ZB_NEW_ARRAY(&r->scratch, double, f + 1);
    double *force = ZB_NEW_ARRAY(&r->scratch, double, n);
    if (r->scratch.failure != ZW_OK) return r->scratch.failure;
    ZB_TRY(follow_rows(e, dq));
    zr_direction d = {.q = dq, .values = vary->rates};
    ZB_TRY(zr_tangent(vary, &d));
    zr_multiply_mass(sim, sim->M, vary->dz, 1.0, force);
    for (int32_t k = 0; k < f; k++) g[k] = dot(r->N + (size_t)k * (size_t)n, force, n);
    ZB_TRY(zr_divide_by_stiffness(r, g, y));
    for (int32_t k = 0; k < f; k++)
        for (int32_t j = 0; j < n; j++) dq[j] += y[k] * r->N[(size_t)k * (size_t)n + (size_t)j];
    return zr_tangent(vary, &d);
}

/* What the derivative of a frequency needs, while the equilibrium moves along dq. */
typedef struct mode_rates {
    double *M, *A;             /* rates of both along dq, by entries */
    double *K, *MM;            /* [n] scratch */
    double *twice_Q, *twice_A; /* second derivatives */
    double *dlambda;           /* [m] */
    double *eta, *z;           /* [m], [n] */
} mode_rates;

static zw_status take_mode_rates(found *e, mode_rates *x)
{
    const zw_model *model = e->rest.sim->model;
    zb_arena *a = &e->rest.scratch;
    size_t n = (size_t)e->rest.sim->zm->n, m = (size_t)e->rest.sim->zm->m + 1;
    *x = (mode_rates){.M = ZB_NEW_ARRAY(a, double, model->M.count),
                      .A = ZB_NEW_ARRAY(a, double, model->A.count + 1),
                      .K = ZB_NEW_ARRAY(a, double, n),
                      .MM = ZB_NEW_ARRAY(a, double, n),
                      .twice_Q = ZB_NEW_ARRAY(a, double, n),
                      .twice_A = ZB_NEW_ARRAY(a, double, model->A.count + 1),
                      .dlambda = ZB_NEW_ARRAY(a, double, m),
                      .eta = ZB_NEW_ARRAY(a, double, m),
                      .z = ZB_NEW_ARRAY(a, double, n)};
    return a->failure;
}

/* y^T K' y: K = -(Q_q + (A^T lambda)_q), so by second derivatives along y and along the motion of the
 * equilibrium, and by A along y with lambda'. */
static double vary_stiffness(found *e, mode_rates *x, const double *y, const zr_direction *move)
{
    zr_vary *vary = e->rest.vary;
    const zw_sim *sim = e->rest.sim;
    int32_t n = sim->zm->n;
    zr_direction d = {.q = y};
    zr_vary_along(vary, &d);
    zr_vary_along_second(vary, move);
    memset(x->twice_Q, 0, sizeof *x->twice_Q * (size_t)n);
    memset(x->twice_A, 0, sizeof *x->twice_A * (size_t)sim->model->A.count);
    zr_vary_evaluate(vary, ZR_VARY_FORCES_TWICE, NULL, x->twice_Q);
    zr_vary_evaluate(vary, ZR_VARY_ROWS_TWICE, x->twice_A, NULL);
    zr_multiply_rows_back(sim, x->twice_A, vary->ideal.lambda, 1.0, x->twice_Q);
    memset(x->twice_A, 0, sizeof *x->twice_A * (size_t)sim->model->A.count);
    zr_vary_evaluate(vary, ZR_VARY_ROWS, x->twice_A, NULL);
    zr_multiply_rows_back(sim, x->twice_A, x->dlambda, 1.0, x->twice_Q);
    return -dot(y, x->twice_Q, n);
}

/* eta^T A' y with A^T eta = K y - omega^2 M y. */
static zw_status vary_rows_of_mode(found *e, mode_rates *x, const double *y, double square,
                                   double *sum)
{
    zr_vary *vary = e->rest.vary;
    zw_sim *sim = e->rest.sim;
    int32_t n = sim->zm->n, m = sim->zm->m;
    zr_direction d = {.q = y};
    zr_vary_along(vary, &d);
    memset(x->K, 0, sizeof *x->K * (size_t)n);
    zr_vary_evaluate(vary, ZR_VARY_DYNAMICS, NULL, x->K);
    memset(x->twice_A, 0, sizeof *x->twice_A * (size_t)sim->model->A.count);
    zr_vary_evaluate(vary, ZR_VARY_ROWS, x->twice_A, NULL);
    zr_multiply_rows_back(sim, x->twice_A, vary->ideal.lambda, 1.0, x->K); /* - K y */
    zr_multiply_mass(sim, sim->M, y, square, x->K);
    ZB_TRY(zr_vary_solve(vary, x->K, NULL, x->z, x->eta));
    memset(vary->b, 0, sizeof *vary->b * (size_t)m);
    zr_multiply_rows(sim, x->A, y, 1.0, vary->b);
    *sum = dot(x->eta, vary->b, m);
    return ZW_OK;
}

/* Whether another frequency is the same but for rounding. */
static bool is_shared(const found *e, int32_t k)
{
    for (int32_t i = 0; i < e->is.modes; i++)
        if (i != k && fabs(e->frequency[i] - e->frequency[k]) <= 1e-8 * fabs(e->frequency[k]))
            return true;
    return false;
}

/* The derivatives of all frequencies, after the tangent along move. */
static zw_status vary_frequencies(found *e, const zr_direction *move, double *to)
{
    zr_vary *vary = e->rest.vary;
    const zw_sim *sim = e->rest.sim;
    int32_t n = sim->zm->n;
    mode_rates x;
    ZB_TRY(take_mode_rates(e, &x));
    memcpy(x.M, vary->dM, sizeof *x.M * (size_t)sim->model->M.count);
    memcpy(x.A, vary->dA, sizeof *x.A * (size_t)sim->model->A.count);
    memcpy(x.dlambda, vary->dlambda_ideal, sizeof *x.dlambda * (size_t)sim->zm->m);
    for (int32_t k = 0; k < e->is.modes; k++) {
        const double *y = e->shape + (size_t)k * (size_t)n;
        double omega = e->frequency[k], square = omega * fabs(omega), rows;
        to[k] = (double)NAN;
        if (omega == 0.0 || vary->has_nonideal || is_shared(e, k)) continue;
        double stiffness = vary_stiffness(e, &x, y, move);
        ZB_TRY(vary_rows_of_mode(e, &x, y, square, &rows));
        memset(x.MM, 0, sizeof *x.MM * (size_t)n);
        zr_multiply_mass(sim, x.M, y, 1.0, x.MM);
        to[k] = (stiffness - square * dot(y, x.MM, n) - 2.0 * rows) / (2.0 * fabs(omega));
    }
    return ZW_OK;
}

static zw_status write_derivatives(found *e)
{
    zr_vary *vary = e->rest.vary;
    const zm_model *zm = e->rest.sim->zm;
    for (int32_t k = 0; k < e->by.count; k++) {
        double *dq = e->dq + (size_t)k * (size_t)zm->n;
        zb_mark mark = zb_arena_mark(&e->rest.scratch);
        ZB_TRY(zr_vary_parameter(e->rest.sim, e->by.element[k], vary->rates));
        ZB_TRY(move_equilibrium(e, dq));
        memcpy(e->dmultipliers + (size_t)k * (size_t)zm->m, vary->dlambda_ideal,
               sizeof(double) * (size_t)zm->m);
        zr_direction move = {.q = dq, .values = vary->rates};
        if (e->is.modes > 0)
            ZB_TRY(vary_frequencies(e, &move, e->dfrequency + (size_t)k * (size_t)e->is.modes));
        zb_arena_release(&e->rest.scratch, mark);
    }
    return ZW_OK;
}

/* -------------------------------------------------------------------------- result */

static zw_status take_equilibrium(found *e)
{
    zw_equilibrium *is = &e->is;
    const zm_model *zm = e->rest.sim->zm;
    is->modes = e->rest.symmetric ? e->rest.freedom : 0;
    is->parameters = e->by.count;
    is->q = e->q = take_numbers(e, zm->n, 1);
    is->multipliers = e->multipliers = take_numbers(e, zm->m, 1);
    is->frequency = e->frequency = take_numbers(e, is->modes, 1);
    is->shape = e->shape = take_numbers(e, is->modes, zm->n);
    is->pole_re = e->re = take_numbers(e, 2 * (int64_t)e->rest.freedom, 1);
    is->pole_im = e->im = take_numbers(e, 2 * (int64_t)e->rest.freedom, 1);
    is->dq = e->dq = take_numbers(e, e->by.count, zm->n);
    is->dmultipliers = e->dmultipliers = take_numbers(e, e->by.count, zm->m);
    is->dfrequency = e->dfrequency = take_numbers(e, e->by.count, is->modes);
    e->names = ZB_NEW_ARRAY(&e->arena, const char *, e->by.count + 1);
    is->parameter_names = e->names;
    return e->arena.failure;
}

static zw_status write_parameter_names(found *e)
{
    zb_text text;
    zb_text_init(&text, e->memory);
    for (int32_t k = 0; k < e->by.count; k++) {
        zm_parameter_text(e->rest.sim->zm, e->by.element[k], &text);
        e->names[k] = zb_arena_string(&e->arena, zb_text_string(&text), text.length);
        zb_text_clear(&text);
    }
    zw_status failed = text.failure;
    zb_text_free(&text);
    return failed == ZW_OK ? e->arena.failure : failed;
}

/* The coordinate that a mode moves most. */
static void name_of_mode(const found *e, int32_t k, zb_text *text)
{
    int32_t n = e->rest.sim->zm->n, most = 0;
    const double *shape = e->shape + (size_t)k * (size_t)n;
    for (int32_t j = 1; j < n; j++)
        if (fabs(shape[j]) > fabs(shape[most])) most = j;
    zm_coordinate_text(e->rest.sim->zm, most, text);
}

/* W0737: unstable, or one of many. */
static zw_status warn_of_stability(found *e)
{
    zw_sim *sim = e->rest.sim;
    zb_text text;
    if (e->is.unstable == 0 && e->is.neutral == 0) return ZW_OK;
    zb_text_init(&text, sim->memory);
    zb_text_add(&text, e->is.unstable > 0 ? "the state of rest is unstable"
                                          : "the state of rest is one of many");
    for (int32_t k = 0, said = 0; k < e->is.modes && said < 1; k++) {
        bool wanted = e->is.unstable > 0 ? e->frequency[k] < 0.0 : e->frequency[k] == 0.0;
        if (!wanted) continue;
        zb_text_add(&text, e->is.unstable > 0 ? ": it falls away most in `" : ": it may move in `");
        name_of_mode(e, k, &text);
        zb_text_char(&text, '`');
        said++;
    }
    return zr_refuse_study(sim, "W0737",
                           e->is.unstable > 0 ? "another one may be found from another start"
                                              : "what may move freely has stayed where it was",
                           &text, ZW_OK);
}

static zw_status find_equilibrium(found *e, const zw_equilibrium_asked *asked)
{
    zw_sim *sim = e->rest.sim;
    int32_t n = sim->zm->n;
    double *before = take_numbers(e, n, 1);
    if (!before) return e->arena.failure;
    ZB_TRY(zr_list_parameters(sim, &e->arena, asked->by, &e->by));
    memcpy(before, sim->q, sizeof *before * (size_t)n);
    e->rest.twice = e->by.count > 0;
    ZB_TRY(zr_find_rest(&e->rest));
    ZB_TRY(take_equilibrium(e));
    memcpy(e->q, sim->q, sizeof *e->q * (size_t)n);
    memcpy(e->multipliers, e->rest.vary->ideal.lambda, sizeof(double) * (size_t)sim->zm->m);
    for (int32_t j = 0; j < n; j++) e->is.moved = fmax(e->is.moved, fabs(sim->q[j] - before[j]));
    e->is.iterations = e->rest.iterations;
    e->is.t = sim->t;
    if (e->is.modes > 0) write_modes(e);
    ZB_TRY(find_rest_poles(e));
    ZB_TRY(write_derivatives(e));
    ZB_TRY(write_parameter_names(e));
    return warn_of_stability(e);
}

zw_status zr_sim_equilibrium(zw_sim *sim, const zw_equilibrium_asked *asked,
                             zw_equilibrium **result)
{
    zb_memory *memory = sim->memory;
    if (sim->zm->n > zr_dense_limit || sim->zm->m > zr_dense_limit) return zr_report_large(sim);
    found *e = zb_resize(memory, NULL, 0, sizeof *e);
    if (!e) return memory->failure;
    *e = (found){.memory = memory};
    zb_arena_init(&e->arena, memory, 0);
    e->rest = (zr_rest){.sim = sim, .arena = &e->arena};
    zb_arena_init(&e->rest.scratch, memory, 0);
    zw_status status = find_equilibrium(e, asked);
    zb_arena_clear(&e->rest.scratch);
    if (status == ZW_OK)
        *result = &e->is;
    else
        zr_equilibrium_free(&e->is);
    return status;
}

void zr_equilibrium_free(zw_equilibrium *result)
{
    if (!result) return;
    found *e = (found *)result;
    zb_memory *memory = e->memory;
    zb_arena_clear(&e->arena);
    zb_resize(memory, e, sizeof *e, 0);
}
