/*
 * gauss_check.c: verdicts, and the way of a problem through the public interface.
 *
 * The arithmetic here recomputes residuals from raw matrices in long double, so that what
 * is measured is the library's rounding and not the test's.
 */
#include "gauss_check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ----------------------------------------------------------------- verdicts */

static bool same_recipe(const recipe *r, const recipe *s)
{
    return r->mass == s->mass && r->rows == s->rows && r->b == s->b && r->weight == s->weight &&
           r->scale == s->scale && !(r->cond < s->cond) && !(r->cond > s->cond);
}

/* Two failures are of one sort when they agree in `what` and in the recipe. */
static verdict_entry *entry_for(verdict *v, const problem *p, const char *what)
{
    for (int32_t i = 0; i < v->entry_count; i++) {
        verdict_entry *e = &v->entries[i];
        if (strcmp(e->what, what) == 0 && same_recipe(&e->made, &p->made)) {
            return e;
        }
    }
    if (v->entry_count == VERDICT_ENTRIES) {
        return NULL;
    }
    verdict_entry *e = &v->entries[v->entry_count++];
    e->made = p->made;
    snprintf(e->what, sizeof e->what, "%s", what);
    problem_describe(p, e->where, sizeof e->where);
    return e;
}

static void record(verdict *v, const problem *p, const char *what, double value, double allowed)
{
    v->failures++;
    verdict_entry *e = entry_for(v, p, what);
    if (e == NULL) {
        return;
    }
    /* the worst by its ratio to what is allowed; NaN is worse than anything */
    if (e->count++ == 0 || isnan(value) || value * e->allowed > e->value * allowed) {
        e->value = value;
        e->allowed = allowed;
        problem_describe(p, e->where, sizeof e->where);
    }
}

void verdict_below(verdict *v, const problem *p, const char *what, double value, double allowed)
{
    v->checks++;
    if (!(value <= allowed)) {
        record(v, p, what, value, allowed);
    }
}

void verdict_true(verdict *v, const problem *p, const char *what, bool yes)
{
    verdict_below(v, p, what, yes ? 0 : 1, 0.5);
}

void verdict_status(verdict *v, const problem *p, const char *what, zw_status got, zw_status want)
{
    v->checks++;
    if (got != want) {
        char text[64];
        snprintf(text, sizeof text, "%s: %s", what, zw_status_name(got));
        record(v, p, text, (double)got, (double)want);
    }
}

void verdict_finish(const verdict *v, int32_t least)
{
    for (int32_t i = 0; i < v->entry_count; i++) {
        const verdict_entry *e = &v->entries[i];
        print_error("%s: %d times; worst %.3g where %.3g is allowed, at %s\n", e->what, e->count,
                    e->value, e->allowed, e->where);
    }
    if (v->failures > 0) {
        fail_msg("%d of %d comparisons failed", v->failures, v->checks);
    }
    if (v->checks < least) {
        fail_msg("only %d comparisons were made, %d were meant", v->checks, least);
    }
}

/* ------------------------------------------------------------------ solving */

zw_gauss_shape shape_of(const problem *p)
{
    zw_gauss_shape shape = {.n = p->n,
                            .m = p->m,
                            .inequalities = p->inequalities,
                            .mass = p->mass,
                            .weight = p->weight};
    return shape;
}

/* S [size*size] as its kind wants it: itself, its diagonal in `room`, or nothing. */
static const double *given(const double *S, int32_t size, zw_matrix_kind kind, double *room)
{
    for (int32_t i = 0; i < size; i++) {
        room[i] = S[i * size + i];
    }
    return kind == ZW_FULL ? S : kind == ZW_DIAGONAL ? room : NULL;
}

typedef zw_status (*matrix_step)(zw_gauss *g, const double *M, const double *A, const double *W);

static zw_status take_matrices(const problem *p, zw_gauss *g, matrix_step step)
{
    double *room = malloc((size_t)(p->n + p->m) * sizeof *room);
    const double *M = given(p->M, p->n, p->mass, room);
    const double *W = p->m > 0 ? given(p->W, p->m, p->weight, room + p->n) : NULL;
    zw_status status = step(g, M, p->m > 0 ? p->A : NULL, W);
    free(room);
    return status;
}

zw_status factor_problem(const problem *p, zw_gauss *g)
{
    return take_matrices(p, g, zw_gauss_factor);
}

zw_status check_problem(const problem *p, zw_gauss *g)
{
    return take_matrices(p, g, zw_gauss_check);
}

const double *given_b(const problem *p)
{
    return p->m > 0 ? p->b : NULL;
}
const double *given_C(const problem *p)
{
    return p->with_C ? p->C : NULL;
}

void prepare(const problem *p, solved *s)
{
    memset(s, 0, sizeof *s);
    int32_t n = p->n, m = p->m;
    double *d = s->memory = malloc((size_t)(6 * n + 3 * m) * sizeof *d);
    for (int32_t i = 0; i < 6 * n + 3 * m; i++) {
        d[i] = (double)NAN; /* what is not written is seen */
    }
    s->z = d;
    s->a = d + n;
    s->F = d + 2 * n;
    s->Qi = d + 3 * n;
    s->Qn = d + 4 * n;
    s->balance = d + 5 * n;
    s->lambda = d + 6 * n;
    s->residual = d + 6 * n + m;
    s->delta = d + 6 * n + 2 * m;
    s->answer.acceleration = s->z;
    s->answer.free_acceleration = s->a;
    s->answer.force = s->F;
    s->answer.force_ideal = s->Qi;
    s->answer.force_nonideal = s->Qn;
    s->answer.multipliers = s->lambda;
    s->answer.residual = s->residual;
    s->answer.inconsistency = s->delta;
    s->answer.balance = s->balance;
    zw_gauss_shape shape = shape_of(p);
    s->status = zw_context_create(NULL, &s->context);
    if (s->status == ZW_OK) {
        s->status = zw_gauss_plan(s->context, &shape, &s->g);
    }
}

void solve_problem(const problem *p, solved *s)
{
    prepare(p, s);
    if (s->status == ZW_OK) {
        s->status = factor_problem(p, s->g);
    }
    if (s->status == ZW_OK) {
        s->status = zw_gauss_solve(s->g, p->Q, given_b(p), given_C(p), &s->answer);
    }
}

void solve_clear(solved *s)
{
    zw_gauss_free(s->g);
    zw_context_free(s->context);
    free(s->memory);
    memset(s, 0, sizeof *s);
}

/* ------------------------------------------------------- recomputed by hand */

double inner_product(const double *x, const double *y, int32_t n)
{
    long double s = 0;
    for (int32_t i = 0; i < n; i++) {
        s += (long double)x[i] * (long double)y[i];
    }
    return (double)s;
}

double norm(const double *x, int32_t n)
{
    return sqrt(inner_product(x, x, n));
}

double distance(const double *x, const double *y, int32_t n)
{
    long double s = 0;
    for (int32_t i = 0; i < n; i++) {
        long double d = (long double)x[i] - (long double)y[i];
        s += d * d;
    }
    return sqrt((double)s);
}

double relative(const double *x, const double *y, int32_t n)
{
    double d = distance(x, y, n), size = norm(y, n);
    return size > 0 ? d / size : d;
}

double motion_scale(const problem *p, const double *z)
{
    double A = norm(p->A, p->m * p->n);
    return norm(z, p->n) + (A > 0 ? 0.01 * norm(p->b, p->m) / A : 0);
}

void times(const double *S, const double *x, int32_t rows, int32_t cols, double *y)
{
    for (int32_t i = 0; i < rows; i++) {
        y[i] = inner_product(S + i * cols, x, cols);
    }
}

void transposed_times(const double *S, const double *x, int32_t rows, int32_t cols, double *y)
{
    for (int32_t j = 0; j < cols; j++) {
        long double s = 0;
        for (int32_t i = 0; i < rows; i++) {
            s += (long double)S[i * cols + j] * (long double)x[i];
        }
        y[j] = (double)s;
    }
}

double norm_in(const double *S, const double *x, int32_t n)
{
    double *y = malloc((size_t)(n + 1) * sizeof *y);
    times(S, x, n, n, y);
    double square = inner_product(x, y, n);
    free(y);
    return sqrt(fmax(square, 0));
}
