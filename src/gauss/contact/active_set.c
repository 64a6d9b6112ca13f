/*
 * Contacts without friction by Goldfarb and Idnani's dual method (1983), in contact space. Active rows
 * hold, u_A = 0 with x_A >= 0, and are independent; the factor U^T U = G_AA follows their comings and
 * goings. A row p with u_p < 0 is taken in along
 *
 *     r = G_AA^-1 G_Ap,  step t:  x_A -= t r,  x_p += t,  u += t (G_p - G_A r)
 *     t1 = min x_j / r_j over r_j > 0: row j leaves;   t2 = -u_p / (G_pp - G_pA r): row p is in
 *
 * until nothing is below 0. Where p depends on the active rows t2 is infinite, and if no r_j is
 * positive either, y = (-r, 1) >= 0 with G y = 0 and y^T w = u_p < 0 proves that nothing can be done.
 * The sum of work rises with each full step: it ends. It begins with the rows that touch: a basis of
 * them by pivots, from which the most negative leaves until none is.
 */
#include "active_set.h"

#include <math.h>
#include <string.h>

/* s->unknown[0 .. s->k) are the active rows; s->U their factor, ld r. */
typedef struct dual {
    const zg_island *c;
    zg_mode_system *s;
    zg_trial *t;
    size_t ld;
    double *r, *l; /* [r] */
    double tolerance;
} dual;

/* l = U^-T G_Ap; what is left of G_pp. */
static double reduce_row(const dual *a, int32_t p, double *l)
{
    const double *g = a->c->G + (size_t)p * a->ld;
    double left = g[p];
    int32_t k = a->s->k;
    for (int32_t i = 0; i < k; i++) l[i] = g[a->s->unknown[i]];
    for (int32_t i = 0; i < k; i++) {
        const double *u = a->s->U + (size_t)i * a->ld;
        l[i] /= u[i];
        for (int32_t j = i + 1; j < k; j++) l[j] -= u[j] * l[i];
        left -= l[i] * l[i];
    }
    return left;
}

/* x = U^-1 x. */
static void back_solve(const dual *a, double *x)
{
    for (int32_t i = a->s->k - 1; i >= 0; i--) {
        const double *u = a->s->U + (size_t)i * a->ld;
        double sum = x[i];
        for (int32_t j = i + 1; j < a->s->k; j++) sum -= u[j] * x[j];
        x[i] = sum / u[i];
    }
}

static void take_in(dual *a, int32_t p, const double *l, double left)
{
    int32_t k = a->s->k;
    for (int32_t i = 0; i < k; i++) a->s->U[(size_t)i * a->ld + (size_t)k] = l[i];
    a->s->U[(size_t)k * a->ld + (size_t)k] = sqrt(left);
    a->s->unknown[a->s->k++] = p;
}

/* Column j leaves U; rotations of neighbouring rows make it triangular again. */
static void let_go(dual *a, int32_t j)
{
    int32_t k = --a->s->k;
    a->t->x[a->s->unknown[j]] = 0.0;
    for (int32_t i = j; i < k; i++) a->s->unknown[i] = a->s->unknown[i + 1];
    for (int32_t i = 0; i <= k; i++) {
        double *u = a->s->U + (size_t)i * a->ld;
        int32_t first = i > j ? i - 1 : j;
        memmove(u + first, u + first + 1, (size_t)(k - first) * sizeof *u);
    }
    for (int32_t i = j; i < k; i++) {
        double *u = a->s->U + (size_t)i * a->ld, *v = u + a->ld;
        double h = hypot(u[i], v[i]), cosine = u[i] / h, sine = v[i] / h;
        for (int32_t m = i; m < k; m++) {
            double x = u[m], y = v[m];
            u[m] = cosine * x + sine * y;
            v[m] = cosine * y - sine * x;
        }
    }
}

/* x_A of u_A = 0. */
static void solve_active(dual *a)
{
    int32_t k = a->s->k;
    double *x = a->r;
    for (int32_t i = 0; i < k; i++) x[i] = -a->c->w[a->s->unknown[i]];
    for (int32_t i = 0; i < k; i++) {
        const double *u = a->s->U + (size_t)i * a->ld;
        x[i] /= u[i];
        for (int32_t j = i + 1; j < k; j++) x[j] -= u[j] * x[i];
    }
    back_solve(a, x);
    for (int32_t i = 0; i < k; i++) a->t->x[a->s->unknown[i]] = x[i];
}

static void accelerate(dual *a)
{
    for (int32_t i = 0; i < a->c->r; i++) {
        const double *g = a->c->G + (size_t)i * a->ld;
        double sum = a->c->w[i];
        for (int32_t j = 0; j < a->s->k; j++)
            sum += g[a->s->unknown[j]] * a->t->x[a->s->unknown[j]];
        a->t->u[i] = sum;
    }
}

/* A basis of the rows that touch, by the factor of their equations; negative ones leave. */
static void begin_active(dual *a, int32_t *solves)
{
    zg_solve_trial(a->c, a->s, a->t);
    ++*solves;
    a->s->k = a->s->rank;
    memset(a->t->x, 0, (size_t)a->c->r * sizeof(double));
    for (;;) {
        int32_t worst = -1;
        double least = -a->tolerance;
        solve_active(a);
        for (int32_t i = 0; i < a->s->k; i++) {
            double x = a->t->x[a->s->unknown[i]];
            if (x < least) least = x, worst = i;
        }
        if (worst < 0) break;
        let_go(a, worst);
    }
}

static bool is_active(const dual *a, int32_t row)
{
    for (int32_t i = 0; i < a->s->k; i++)
        if (a->s->unknown[i] == row) return true;
    return false;
}

static int32_t most_violated(const dual *a)
{
    int32_t worst = -1;
    double least = -a->tolerance;
    for (int32_t i = 0; i < a->c->contacts; i++) {
        int32_t row = a->c->contact[i].normal;
        if (a->t->u[row] < least && !is_active(a, row)) least = a->t->u[row], worst = row;
    }
    return worst;
}

/* y = (-r, 1) in place of x. */
static void write_conflict(dual *a, int32_t p)
{
    memset(a->t->x, 0, (size_t)a->c->r * sizeof(double));
    for (int32_t i = 0; i < a->s->k; i++) a->t->x[a->s->unknown[i]] = fmax(-a->r[i], 0.0);
    a->t->x[p] = 1.0;
}

/* The step of row p, with all that must leave for it. False: conflict. */
static bool draw_in(dual *a, int32_t p)
{
    double *x = a->t->x;
    for (;;) {
        double left = a->c->own[p] > 0.0 ? reduce_row(a, p, a->l) : 0.0;
        bool dependent = !(left > a->c->rank * a->c->own[p]);
        double first = HUGE_VAL, whole = dependent ? HUGE_VAL : -a->t->u[p] / left;
        int32_t leaves = -1, k = a->s->k;
        if (!(a->c->own[p] > 0.0)) memset(a->l, 0, (size_t)k * sizeof(double));
        memcpy(a->r, a->l, (size_t)k * sizeof(double));
        back_solve(a, a->r);
        for (int32_t i = 0; i < k; i++) {
            if (!(a->r[i] > 1e-12)) continue;
            double ratio = fmax(x[a->s->unknown[i]], 0.0) / a->r[i];
            if (ratio < first) first = ratio, leaves = i;
        }
        double step = fmin(first, whole);
        if (step == HUGE_VAL) {
            write_conflict(a, p);
            return false;
        }
        for (int32_t i = 0; i < k; i++) x[a->s->unknown[i]] -= step * a->r[i];
        x[p] += step;
        if (!(whole > first)) {
            take_in(a, p, a->l, left);
            return true;
        }
        if (!dependent) a->t->u[p] += step * left;
        let_go(a, leaves);
    }
}

/* What touches: active rows; those that depend on them and do not move. */
static void mark_rows(dual *a)
{
    zg_trial *t = a->t;
    memset(t->row, ZG_ROW_OFF, (size_t)a->c->r);
    t->closed = t->rank = a->s->k;
    for (int32_t i = 0; i < a->s->k; i++) t->row[a->s->unknown[i]] = ZG_ROW_BASIS;
    for (int32_t i = 0; i < a->c->contacts; i++) {
        int32_t row = a->c->contact[i].normal;
        bool touches = t->row[row] == ZG_ROW_BASIS;
        if (!touches && fabs(t->u[row]) <= a->tolerance) {
            touches = !(a->c->own[row] > 0.0) ||
                      !(reduce_row(a, row, a->l) > a->c->rank * a->c->own[row]);
            if (touches) t->row[row] = ZG_ROW_IMPLIED, t->closed++;
        }
        t->contact[i] =
            (uint8_t)(touches ? (t->row[row] == ZG_ROW_BASIS ? ZG_TOUCHING : ZG_UNLOADED)
                              : ZG_OPEN);
    }
}

zg_outcome zg_solve_contacts(const zg_island *c, zg_mode_system *s, zg_trial *t, int32_t *solves)
{
    dual a = {c, s, t, (size_t)c->r, s->spread, s->spread + c->r, c->sign};
    int32_t most = 10 * (c->contacts + 5), p = -1;
    memset(t->friction, ZG_IDLE, (size_t)c->frictions);
    if (c->contacts > 8 && zg_pivot_blocks(c, s, t, solves)) return ZG_FOUND;
    t->pivot = 1.0;
    t->feedback = 0.0;
    t->branches = t->picked = false;
    t->solved = true;
    begin_active(&a, solves);
    t->solved = true;
    for (int32_t round = 0; round <= most; round++) {
        accelerate(&a);
        p = most_violated(&a);
        if (p < 0) break;
        if (!draw_in(&a, p)) return ZG_CONFLICT;
        solve_active(&a);
    }
    if (p >= 0) return ZG_UNDECIDED;
    mark_rows(&a);
    return ZG_FOUND;
}
