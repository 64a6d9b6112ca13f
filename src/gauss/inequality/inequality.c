/*
 * The principle with inequalities: planning, and the order of things in a solve.
 *
 *     1  the set of the solve before, if there is one: right as a rule, and that is all
 *     2  the search: a dual active set in full, or block pivoting by the sparse solver
 *     3  the whole answer for the set found; shares, proof and conditions
 *
 * An answer that misses its own conditions by more than 1e-8 is refused.
 */
#include "inequality.h"

#include <math.h>
#include <string.h>

#include "unequal.h"

enum {
    full_reach = 400, /* coordinates and rows: up to here a sparse system has full matrices, too */
    most_repairs = 4  /* sets tried when that of the search is not quite right */
};
static const double bad_certificate = 1e-8;

/* ------------------------------------------------------------------------ planning */

static bool couples_weights(const zg_pattern *W)
{
    for (int32_t i = 0; i < W->rows; i++)
        for (int32_t k = W->start[i]; k < W->start[i + 1]; k++)
            if (W->column[k] != i) return true;
    return false;
}

static bool take_vectors(zg_inequality *q)
{
    double **of_n[] = {&q->diagonal, &q->f, &q->z, &q->rest, &q->rest_terms, &q->x};
    double **of_m[] = {&q->size, &q->lambda, &q->ideal, &q->r, &q->p, &q->slack, &q->terms};
    bool **flags[] = {&q->held,        &q->off, &q->off_factored, &q->guess,
                      &q->in_conflict, &q->bad, &q->closed,       &q->leave_out};
    for (size_t k = 0; k < sizeof of_n / sizeof *of_n; k++)
        *of_n[k] = ZB_NEW_ARRAY(&q->arena, double, q->is.n);
    for (size_t k = 0; k < sizeof of_m / sizeof *of_m; k++)
        *of_m[k] = ZB_NEW_ARRAY(&q->arena, double, q->is.m);
    for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
        *flags[k] = ZB_NEW_ARRAY(&q->arena, bool, q->is.m);
    q->kind = ZB_NEW_ARRAY(&q->arena, uint8_t, q->is.m);
    return q->arena.failure == ZW_OK;
}

/* Raw rows, relations, and the search in their space and in that of M. */
static bool take_full_matrices(zg_inequality *q)
{
    size_t n = (size_t)q->is.n, m = (size_t)q->is.m, longer = n > m ? n : m;
    q->raw = ZB_NEW_ARRAY(&q->arena, double, zb_product(m, n));
    q->length = ZB_NEW_ARRAY(&q->arena, double, m);
    q->unit = ZB_NEW_ARRAY(&q->arena, double, n);
    q->B = ZB_NEW_ARRAY(&q->arena, double, zb_product(m, longer));
    return q->raw && q->length && q->unit && q->B &&
           zg_space_take(&q->space, &q->arena, q->is.m, q->is.n, couples_weights(&q->is.W)) &&
           zg_least_take(&q->least, &q->arena, (int32_t)longer, q->is.m, true);
}

/* What is left of a row that depends on others: never less than the dense solver thinks. */
static double choose_dependence(const zg_structure *is)
{
    double rounding = 64.0 * zb_eps * sqrt((double)(is->n > is->m ? is->n : is->m));
    double tolerance = fmax(rounding, 10.0 * is->noise);
    return 16.0 * (is->rank_tolerance > 0.0 ? is->rank_tolerance : tolerance);
}

static zw_status plan_arrays(zg_inequality *q)
{
    if (!take_vectors(q)) return q->arena.failure;
    q->full = zg_system_dense(q->system) || (q->is.n <= full_reach && q->is.m <= full_reach);
    if (q->full && !take_full_matrices(q)) return q->arena.failure;
    if (!zg_system_dense(q->system) && !zg_holding_take(&q->by_rows, &q->arena, q->is.m))
        return q->arena.failure;
    q->depends = choose_dependence(&q->is);
    q->space.depends = q->depends;
    q->space.raw = q->raw;
    q->space.length = q->length;
    return ZW_OK;
}

zw_status zg_inequality_plan(zb_memory *memory, const zg_structure *structure, zg_inequality **out)
{
    zg_inequality *q = zb_resize(memory, NULL, 0, sizeof *q);
    if (!q) return memory->failure;
    *q = (zg_inequality){.memory = memory, .is = *structure};
    q->is.switched = true;
    zb_arena_init(&q->arena, memory, 0);
    zw_status status = zg_system_plan(memory, &q->is, &q->system);
    if (status == ZW_OK) status = plan_arrays(q);
    if (status != ZW_OK) {
        zg_inequality_free(q);
        return status;
    }
    *out = q;
    return ZW_OK;
}

void zg_inequality_free(zg_inequality *q)
{
    if (!q) return;
    zb_memory *memory = q->memory;
    zg_system_free(q->system);
    zb_arena_clear(&q->arena);
    zb_resize(memory, q, sizeof *q, 0);
}

zg_system *zg_inequality_system(zg_inequality *q)
{
    return q->system;
}

/* -------------------------------------------------------------------------- factor */

/* The diagonal of M, 0 where a coordinate has no mass. */
static double measure_diagonal(zg_inequality *q)
{
    const zg_pattern *M = &q->is.M;
    double sum = 0.0;
    int32_t heavy = 0;
    for (int32_t i = 0; i < q->is.n; i++) {
        bool there = M->start[i] < M->start[i + 1] && M->column[M->start[i]] == i;
        q->diagonal[i] = there ? q->values.M[M->start[i]] : 0.0;
        if (q->diagonal[i] > 0.0) sum += q->diagonal[i], heavy++;
    }
    return heavy > 0 ? sum / heavy : 1.0;
}

/* Sizes by the coordinates that have a lightness, 1 / mass. */
static bool measure_sizes(zg_inequality *q, const double *lightness)
{
    const zg_pattern *A = &q->is.A;
    bool finite = true;
    for (int32_t i = 0; i < q->is.m; i++) {
        double sum = 0.0;
        for (int32_t k = A->start[i]; k < A->start[i + 1]; k++)
            sum += q->values.A[k] * q->values.A[k] * lightness[A->column[k]];
        q->size[i] = sqrt(sum);
        finite = finite && isfinite(sum);
    }
    return finite;
}

/* Coordinates without mass are given as much as makes them count in an equation, or in any row,
 * like those with mass; so that units do not matter. Where no row tells, the typical one. */
static void estimate_missing_masses(zg_inequality *q, double typical)
{
    const zg_pattern *A = &q->is.A;
    double *mass = q->rest_terms;
    for (int32_t j = 0; j < q->is.n; j++) mass[j] = 0.0;
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < q->is.m; i++) {
            if (!(q->size[i] > 0.0) || (pass == 0 && q->kind[i] != ZG_EQUATION)) continue;
            for (int32_t k = A->start[i]; k < A->start[i + 1]; k++) {
                double x = q->values.A[k] / q->size[i], *to = &mass[A->column[k]];
                if (q->diagonal[A->column[k]] <= 0.0 && x * x > *to) *to = x * x;
            }
        }
        for (int32_t j = 0; j < q->is.n; j++)
            if (!(q->diagonal[j] > 0.0) && mass[j] > 0.0) q->diagonal[j] = mass[j];
    }
    for (int32_t j = 0; j < q->is.n; j++)
        if (!(q->diagonal[j] > 0.0)) q->diagonal[j] = typical;
}

/* Factors are made for each set that is tried. A number that is not finite shows in the sizes. */
zw_status zg_inequality_factor(zg_inequality *q, const zg_values *values, const uint8_t *kind)
{
    double *lightness = q->rest;
    bool massless = false;
    if (values->off) return ZW_ERR_ARGUMENT;
    q->values = *values;
    q->factored = true;
    q->prepared = q->solved = q->set_factored = false;
    if (q->is.m > 0) memcpy(q->kind, kind, sizeof *kind * (size_t)q->is.m);
    double typical = measure_diagonal(q);
    for (int32_t j = 0; j < q->is.n; j++) {
        massless = massless || !(q->diagonal[j] > 0.0);
        lightness[j] = q->diagonal[j] > 0.0 ? 1.0 / q->diagonal[j] : 0.0;
    }
    bool finite = measure_sizes(q, lightness);
    if (massless && finite) {
        estimate_missing_masses(q, typical);
        for (int32_t j = 0; j < q->is.n; j++) lightness[j] = 1.0 / q->diagonal[j];
        finite = measure_sizes(q, lightness);
    }
    return finite ? ZW_OK : ZW_ERR_NOT_FINITE;
}

void zg_inequality_guess(zg_inequality *q, const bool *held)
{
    q->guessed = held != NULL;
    if (held && q->is.m > 0) memcpy(q->guess, held, sizeof *held * (size_t)q->is.m);
}

/* --------------------------------------------------------------------------- solve */

static void begin_solve(zg_inequality *q, const double *Q, const double *b, const double *C)
{
    q->b = b;
    q->trials = 0;
    q->solved = false;
    for (int32_t j = 0; j < q->is.n; j++) q->f[j] = Q[j] + (C ? C[j] : 0.0);
}

static void hold_guess(zg_inequality *q)
{
    for (int32_t i = 0; i < q->is.m; i++)
        q->held[i] = q->kind[i] == ZG_EQUATION || (q->kind[i] == ZG_AT_LEAST && q->guess[i]);
}

/* Inequalities must not determine a motion: with a singular M the equations alone have to. */
static zw_status check_equations(zg_inequality *q)
{
    for (int32_t i = 0; i < q->is.m; i++) q->off[i] = q->kind[i] != ZG_EQUATION;
    return zg_factor_set(q);
}

/* After a set that is right: the equations are looked at, then it is solved for again. */
static zw_status check_and_return(zg_inequality *q, zw_gauss_answer *answer)
{
    ZB_TRY(check_equations(q));
    ZB_TRY(zg_try_set(q, answer));
    (void)zg_count_bad_rows(q);
    return ZW_OK;
}

/* The set of the last solve; *right: nothing speaks against it. Where M was singular then, the
 * equations are looked at first. */
static zw_status try_guess(zg_inequality *q, zw_gauss_answer *answer, bool *right)
{
    *right = false;
    if (!q->guessed) return ZW_OK;
    bool checked = q->singular;
    if (checked) ZB_TRY(check_equations(q));
    hold_guess(q);
    if (zg_try_set(q, answer) != ZW_OK || zg_count_bad_rows(q) > 0) return ZW_OK;
    *right = true;
    return answer->mass_singular && !checked ? check_and_return(q, answer) : ZW_OK;
}

/* Flips what is bad, as long as there is less of it. */
static zw_status repair_set(zg_inequality *q, zw_gauss_answer *answer)
{
    int32_t bad = zg_count_bad_rows(q);
    for (int k = 0; k < most_repairs && bad > 0; k++) {
        for (int32_t i = 0; i < q->is.m; i++) q->held[i] = q->held[i] != q->bad[i];
        ZB_TRY(zg_try_set(q, answer));
        bad = zg_count_bad_rows(q);
    }
    return ZW_OK;
}

/* The search in full begins with the equations, block pivoting does not. */
static zw_status search_for_set(zg_inequality *q, zw_gauss_answer *answer)
{
    bool found = false, dense = zg_system_dense(q->system) != NULL;
    if (dense)
        ZB_TRY(zg_search_in_full(q, &found));
    else
        ZB_TRY(zg_search_by_blocks(q, &found));
    if (!found) return ZW_ERR_ACCURACY;
    ZB_TRY(zg_try_set(q, answer));
    ZB_TRY(repair_set(q, answer));
    return answer->mass_singular && !dense ? check_and_return(q, answer) : ZW_OK;
}

/* Of the split of Q and C: two more solves with the factor at hand. */
static zw_status split_forces(zg_inequality *q, const double *Q, const double *C,
                              zw_gauss_answer *answer)
{
    zw_gauss_answer inner = *answer;
    inner.acceleration = NULL;
    inner.multipliers = q->ideal;
    inner.inconsistency = inner.residual = NULL;
    ZB_TRY(zg_system_solve(q->system, Q, q->b, C, &inner));
    inner.acceleration = answer->acceleration;
    inner.multipliers = answer->multipliers;
    inner.inconsistency = answer->inconsistency;
    inner.residual = answer->residual;
    *answer = inner;
    return ZW_OK;
}

static void write_rows(const zg_inequality *q, zw_gauss_answer *a)
{
    for (int32_t i = 0; i < q->is.m; i++) {
        if (a->residual) a->residual[i] = q->slack[i] + q->r[i];
        if (a->inconsistency) a->inconsistency[i] = q->r[i];
        if (a->active) a->active[i] = q->closed[i];
        if (a->proof) a->proof[i] = -q->p[i];
    }
    if (a->acceleration) memcpy(a->acceleration, q->z, sizeof(double) * (size_t)q->is.n);
    if (q->conflict > 0.0) a->inconsistency_norm = q->conflict;
    a->trials = q->trials > 0 ? q->trials : 1; /* with the factor that was there */
}

zw_status zg_inequality_solve(zg_inequality *q, const double *Q, const double *b, const double *C,
                              zw_gauss_answer *answer)
{
    bool right = false;
    zw_gauss_answer inner = *answer;
    if (!q->factored) return ZW_ERR_ORDER;
    begin_solve(q, Q, b, C);
    ZB_TRY(try_guess(q, &inner, &right));
    if (!right) ZB_TRY(search_for_set(q, &inner));
    zg_find_closed_rows(q);
    if (C) ZB_TRY(split_forces(q, Q, C, &inner));
    inner.acceleration = answer->acceleration;
    inner.multipliers = answer->multipliers;
    inner.inconsistency = answer->inconsistency;
    *answer = inner;
    zg_write_shares(q, C ? q->ideal : NULL, answer);
    write_rows(q, answer);
    zg_write_conditions(q, answer);
    if (!(answer->certificate <= bad_certificate)) return ZW_ERR_ACCURACY;
    q->solved = true;
    q->singular = answer->mass_singular;
    zg_inequality_guess(q, q->held);
    return ZW_OK;
}

zw_status zg_inequality_factor_equations(zg_inequality *q)
{
    if (!q->factored) return ZW_ERR_ORDER;
    q->solved = false;
    return check_equations(q);
}

const bool *zg_inequality_held(const zg_inequality *q)
{
    return q->held;
}

/* The form has the equations alone before it. */
zw_status zg_inequality_solve_form(zg_inequality *q, zw_form form, const double *Q, const double *b,
                                   const double *C, zw_gauss_answer *answer)
{
    ZB_TRY(zg_inequality_solve(q, Q, b, C, answer));
    if (form == ZW_FORM_GAUSS) return ZW_OK;
    for (int32_t i = 0; i < q->is.m; i++)
        if (q->kind[i] == ZG_AT_LEAST && q->held[i]) return ZW_ERR_INEQUALITY;
    zw_gauss_answer inner = *answer;
    inner.multipliers = inner.inconsistency = inner.residual = NULL;
    ZB_TRY(zg_system_solve_form(q->system, form, Q, b, C, &inner));
    inner.multipliers = answer->multipliers;
    inner.inconsistency = answer->inconsistency;
    inner.residual = answer->residual;
    inner.certificate = answer->certificate;
    *answer = inner;
    return ZW_OK;
}
