/*
 * The dual active set (least_distance.h). With N the rows held, n_p the row most violated and
 *
 *     n_p = N^T r + d,   N d = 0
 *
 * x moves along d and the multipliers along -r, that of p grows, until p holds (t2) or the
 * multiplier of an inequality has come down to 0 (t1), which then leaves:
 *
 *     t1 = min lambda_k / r_k over r_k > 0,   t2 = -s_p / d.d
 *
 * Where p depends on the rows held x does not move, and only rows leave; where none can leave
 * either, y = (1, -r) is a proof: y_i >= 0 in inequalities, sum y_i n_i = 0, sum y_i c_i > 0.
 */
#include <math.h>
#include <string.h>

#include "least_distance.h"

static const double sign_rounding = 1e-11; /* of slacks: relative to their terms */
static const double look_closer = 1e-6;    /* of a row: dependence is judged by the raw rows */

bool zg_holding_take(zg_holding *q, zb_arena *arena, int32_t rows)
{
    size_t count = (size_t)rows;
    *q = (zg_holding){0};
    q->kind = ZB_NEW_ARRAY(arena, uint8_t, count);
    q->held = ZB_NEW_ARRAY(arena, int32_t, count);
    q->lambda = ZB_NEW_ARRAY(arena, double, count);
    q->r = ZB_NEW_ARRAY(arena, double, count);
    q->s = ZB_NEW_ARRAY(arena, double, count);
    q->rounding = ZB_NEW_ARRAY(arena, double, count);
    q->in = ZB_NEW_ARRAY(arena, bool, count);
    return q->kind && q->held && q->lambda && q->r && q->s && q->rounding && q->in;
}

/* ------------------------------------------------------------------------- the search */

typedef struct searching {
    zg_holding *q;
    const zg_holder *holder;
    void *of;
} searching;

static zw_status look_at_row(const searching *x, int32_t p, double *left)
{
    x->q->looks++;
    return x->holder->look(x->of, p, x->q->r, left);
}

/* The multipliers when that of the row looked at last grows by t. */
static void move_multipliers(zg_holding *q, double t)
{
    for (int32_t k = 0; k < q->count; k++) q->lambda[k] -= t * q->r[k];
}

static zw_status hold_row(const searching *x, int32_t p, double lambda)
{
    zg_holding *q = x->q;
    ZB_TRY(x->holder->join(x->of, p));
    q->held[q->count] = p;
    q->lambda[q->count++] = lambda;
    q->in[p] = true;
    return ZW_OK;
}

static zw_status release_row(const searching *x, int32_t place)
{
    zg_holding *q = x->q;
    ZB_TRY(x->holder->leave(x->of, place));
    q->in[q->held[place]] = false;
    q->count--;
    for (int32_t k = place; k < q->count; k++) {
        q->held[k] = q->held[k + 1];
        q->lambda[k] = q->lambda[k + 1];
    }
    return ZW_OK;
}

/* Row p as an equation, whatever the sign of its multiplier; nothing where it depends on others. */
static zw_status hold_as_equation(const searching *x, int32_t p)
{
    double left = 0.0;
    ZB_TRY(look_at_row(x, p, &left));
    if (!(left > 0.0)) return ZW_OK;
    x->holder->slacks(x->of, x->q->s, x->q->rounding);
    double t = -x->q->s[p] / left;
    x->holder->move(x->of, t);
    move_multipliers(x->q, t);
    return hold_row(x, p, t);
}

/* The inequality with the most negative multiplier; -1: none has one. */
static int32_t find_negative(const zg_holding *q)
{
    int32_t worst = -1;
    for (int32_t k = 0; k < q->count; k++)
        if (q->kind[q->held[k]] == ZG_AT_LEAST && q->lambda[k] < 0.0 &&
            (worst < 0 || q->lambda[k] < q->lambda[worst]))
            worst = k;
    return worst;
}

/* A row leaves with what its multiplier did to x. */
static zw_status let_go(const searching *x, int32_t place)
{
    zg_holding *q = x->q;
    int32_t p = q->held[place];
    double lambda = q->lambda[place], left = 0.0;
    ZB_TRY(release_row(x, place));
    ZB_TRY(look_at_row(x, p, &left));
    if (!(left > 0.0)) return ZW_OK; /* rounding: it was held because something was left */
    x->holder->move(x->of, -lambda);
    move_multipliers(q, -lambda);
    return ZW_OK;
}

/* Equations, then the inequalities to begin with, without those that would pull. */
static zw_status begin_search(const searching *x, const bool *warm)
{
    zg_holding *q = x->q;
    q->count = q->looks = 0;
    for (int32_t i = 0; i < q->rows; i++) q->in[i] = false;
    for (int32_t i = 0; i < q->rows; i++)
        if (q->kind[i] == ZG_EQUATION) ZB_TRY(hold_as_equation(x, i));
    for (int32_t i = 0; i < q->rows && warm; i++)
        if (warm[i] && q->kind[i] == ZG_AT_LEAST) ZB_TRY(hold_as_equation(x, i));
    for (int32_t k = find_negative(q); k >= 0; k = find_negative(q)) ZB_TRY(let_go(x, k));
    return ZW_OK;
}

/* The inequality violated most, or the first one: -1: none. */
static int32_t choose_violated(const searching *x, bool first)
{
    zg_holding *q = x->q;
    int32_t worst = -1;
    x->holder->slacks(x->of, q->s, q->rounding);
    for (int32_t i = 0; i < q->rows; i++) {
        if (q->kind[i] != ZG_AT_LEAST || q->in[i] || !(q->s[i] < -q->rounding[i])) continue;
        if (worst < 0 || q->s[i] < q->s[worst]) worst = i;
        if (first) break;
    }
    return worst;
}

/* t1, and the place of the row that leaves then; HUGE_VAL: none does. */
static double find_step_to_leave(const zg_holding *q, int32_t *place)
{
    double largest = 0.0, t = HUGE_VAL;
    for (int32_t k = 0; k < q->count; k++) largest = fmax(largest, fabs(q->r[k]));
    for (int32_t k = 0; k < q->count; k++) {
        if (q->kind[q->held[k]] != ZG_AT_LEAST || !(q->r[k] > 1e-13 * (1.0 + largest))) continue;
        double step = fmax(q->lambda[k], 0.0) / q->r[k];
        if (step < t) t = step, *place = k;
    }
    return t;
}

/* Row p is made to hold; *possible false: the rows held exclude it. */
static zw_status push_row(const searching *x, int32_t p, bool *possible)
{
    zg_holding *q = x->q;
    double s = q->s[p], lambda = 0.0;
    for (;;) {
        double left = 0.0;
        int32_t place = -1;
        ZB_TRY(look_at_row(x, p, &left));
        double t1 = find_step_to_leave(q, &place), t2 = left > 0.0 ? -s / left : HUGE_VAL;
        double t = t1 < t2 ? t1 : t2;
        *possible = t < HUGE_VAL;
        if (!*possible) return ZW_OK;
        if (t2 < HUGE_VAL) x->holder->move(x->of, t);
        if (t2 < HUGE_VAL) s += t * left;
        move_multipliers(q, t);
        lambda += t;
        if (t2 <= t1) return hold_row(x, p, lambda);
        ZB_TRY(release_row(x, place));
    }
}

/* Beyond half of what is ample the first violated row is taken instead of the worst. */
zw_status zg_holding_find(zg_holding *q, const zg_holder *holder, void *of, const bool *warm,
                          zg_reached *reached)
{
    const searching x = {.q = q, .holder = holder, .of = of};
    int64_t ample = 20 * ((int64_t)q->rows + 5);
    ZB_TRY(begin_search(&x, warm));
    *reached = ZG_REACHED;
    for (int64_t round = 0; round < ample; round++) {
        bool possible = true;
        int32_t p = choose_violated(&x, 2 * round > ample);
        if (p < 0) return ZW_OK;
        ZB_TRY(push_row(&x, p, &possible));
        if (!possible) {
            *reached = ZG_EXCLUDED;
            q->excluded = p;
            return ZW_OK;
        }
    }
    *reached = ZG_ENDLESS;
    return ZW_OK;
}

/* ---------------------------------------------------------------------------- in full */

bool zg_least_take(zg_least *l, zb_arena *arena, int32_t n, int32_t rows, bool judged)
{
    *l = (zg_least){.n = n};
    l->c = ZB_NEW_ARRAY(arena, double, rows);
    l->size = ZB_NEW_ARRAY(arena, double, rows);
    l->x = ZB_NEW_ARRAY(arena, double, n);
    return l->c && l->size && l->x && zg_thin_take(&l->factor, arena, n, rows) &&
           (!judged || zg_thin_take(&l->judge, arena, n, rows)) &&
           zg_holding_take(&l->q, arena, rows);
}

static const double *get_row(const zg_least *l, const double *of, int32_t i)
{
    return of + (size_t)i * (size_t)l->n;
}

static void measure_slacks(void *of, double *s, double *rounding)
{
    const zg_least *l = of;
    double length = 0.0;
    for (int32_t j = 0; j < l->n; j++) length += l->x[j] * l->x[j];
    length = sqrt(length) + l->origin;
    for (int32_t i = 0; i < l->q.rows; i++) {
        const double *row = get_row(l, l->B, i);
        double sum = 0.0;
        for (int32_t j = 0; j < l->n; j++) sum += row[j] * l->x[j];
        s[i] = sum - l->c[i];
        rounding[i] = sign_rounding * (length + l->size[i]);
    }
}

/* By the raw rows, of which those held are taken anew: seldom. */
static bool depends_by_raw_rows(zg_least *l, int32_t p)
{
    if (!l->raw) return false;
    zg_thin_begin(&l->judge, l->n, l->q.rows);
    for (int32_t k = 0; k < l->q.count; k++) {
        zg_thin_look(&l->judge, get_row(l, l->raw, l->q.held[k]));
        if (l->judge.left > 0.0 && l->judge.count < l->judge.most) zg_thin_join(&l->judge);
    }
    zg_thin_look(&l->judge, get_row(l, l->raw, p));
    return !(l->judge.left > l->depends);
}

static zw_status look_in_full(void *of, int32_t p, double *r, double *left)
{
    zg_least *l = of;
    zg_thin *f = &l->factor;
    zg_thin_look(f, get_row(l, l->B, p));
    zg_thin_coefficients(f, r);
    bool none = f->count == f->most || !(f->left > (l->raw ? 4.0 * zb_eps : l->depends));
    if (!none && f->left < look_closer) none = depends_by_raw_rows(l, p);
    *left = none ? 0.0 : f->left * f->left;
    return ZW_OK;
}

static void move_in_full(void *of, double t)
{
    zg_least *l = of;
    for (int32_t j = 0; j < l->n; j++) l->x[j] += t * l->factor.d[j];
}

static zw_status join_in_full(void *of, int32_t p)
{
    (void)p;
    zg_thin_join(&((zg_least *)of)->factor);
    return ZW_OK;
}

static zw_status leave_in_full(void *of, int32_t place)
{
    zg_thin_leave(&((zg_least *)of)->factor, place);
    return ZW_OK;
}

static const zg_holder in_full = {.slacks = measure_slacks,
                                  .look = look_in_full,
                                  .move = move_in_full,
                                  .join = join_in_full,
                                  .leave = leave_in_full};

zw_status zg_least_find(zg_least *l, int32_t n, int32_t rows, const bool *warm, zg_reached *reached)
{
    l->n = n;
    l->q.rows = rows;
    zg_thin_begin(&l->factor, n, rows);
    if (n > 0) memset(l->x, 0, sizeof *l->x * (size_t)n);
    return zg_holding_find(&l->q, &in_full, l, warm, reached);
}
