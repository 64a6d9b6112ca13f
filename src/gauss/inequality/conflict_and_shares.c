/*
 * Conflicts and shares (conflict_and_shares.h), with Z_i the i-th row of Z and y the unknowns.
 *
 *     conflict   p = Z y,  min |y + h|, h = Z^T b,  with Z_i y <= 0 in inequalities: the dual of
 *                the least squares problem, whose solution is r = W^-1 p
 *     shares     lambda = lambda0 + Z y,  min |y|,  with Z_i y >= -lambda0_i where rows push;
 *                lambda0 is of least norm without them
 *     unique     lambda_i is so when neither Z_i nor -Z_i has anything but 0 as the nearest point
 *                of the cone Z_k y >= 0, k: the rows that push with a force of 0
 */
#include "conflict_and_shares.h"

#include <math.h>
#include <string.h>

static const double no_force = 1e-11;    /* of what a share could be: it is 0 */
static const double no_conflict = 1e-13; /* of the terms of h: it is rounding */

static const double *get_Z_row(const zg_multiplier_space *s, int32_t i)
{
    return s->Z + (size_t)i * (size_t)s->relations;
}

static double dot_of_rows(int32_t n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int32_t j = 0; j < n; j++) sum += x[j] * y[j];
    return sum;
}

/* Row i of the task is `sign` Z_i at length 1; returns |Z_i|. Absent where multiplier i is in no
 * relation. */
static double put_row(const zg_relation_task *t, int32_t i, double sign)
{
    const zg_multiplier_space *s = t->space;
    const double *z = get_Z_row(s, i);
    double *b = t->by->B + (size_t)i * (size_t)s->relations;
    double length = sqrt(dot_of_rows(s->relations, z, z));
    bool related = zg_space_is_free(s, i);
    t->by->q.kind[i] = related ? ZG_AT_LEAST : ZG_ABSENT;
    t->by->c[i] = t->by->size[i] = 0.0;
    for (int32_t q = 0; q < s->relations; q++) b[q] = related ? sign * z[q] / length : 0.0;
    return length;
}

static bool find_point(const zg_relation_task *t)
{
    zg_reached reached;
    const zg_multiplier_space *s = t->space;
    return zg_least_find(t->by, s->relations, s->count, NULL, &reached) == ZW_OK &&
           reached == ZG_REACHED;
}

static void begin_task(const zg_relation_task *t)
{
    t->by->raw = NULL;
    t->by->origin = 0.0;
    t->by->depends = 1e3 * zb_eps;
}

/* ------------------------------------------------------------------------- conflicts */

/* h = Z^T b into x [relations]; returns the length of the sums of the sizes of its terms. */
static double project_right_side(const zg_multiplier_space *s, const double *b, double *h)
{
    double whole = 0.0;
    for (int32_t q = 0; q < s->relations; q++) {
        double sum = 0.0, terms = 0.0;
        for (int32_t i = 0; i < s->count; i++) {
            double t = get_Z_row(s, i)[q] * b[s->row[i]];
            sum += t;
            terms += fabs(t);
        }
        h[q] = sum;
        whole += terms * terms;
    }
    return sqrt(whole);
}

/* p [count] = Z (x - h), 0 where the row was held; returns |x - h|. */
static double collect_conflict(const zg_relation_task *t, const double *h, double *p)
{
    const zg_multiplier_space *s = t->space;
    double whole = 0.0;
    for (int32_t q = 0; q < s->relations; q++) {
        double y = t->by->x[q] - h[q];
        whole += y * y;
    }
    for (int32_t i = 0; i < s->count; i++) {
        double sum = 0.0;
        for (int32_t q = 0; q < s->relations; q++) sum += get_Z_row(s, i)[q] * (t->by->x[q] - h[q]);
        p[i] = t->by->q.in[i] ? 0.0 : sum;
    }
    return sqrt(whole);
}

double zg_find_conflict(const zg_relation_task *t, const uint8_t *kind, const double *b, double *r,
                        double *p)
{
    const zg_multiplier_space *s = t->space;
    double *h = s->y, *packed = s->packed;
    memset(p, 0, sizeof *p * (size_t)s->m);
    memset(r, 0, sizeof *r * (size_t)s->m);
    if (s->relations == 0) return 0.0;
    begin_task(t);
    t->by->origin = project_right_side(s, b, h);
    for (int32_t i = 0; i < s->count; i++) {
        double length = put_row(t, i, -1.0);
        if (kind[s->row[i]] != ZG_AT_LEAST) t->by->q.kind[i] = ZG_ABSENT;
        if (t->by->q.kind[i] == ZG_AT_LEAST)
            t->by->c[i] = -dot_of_rows(s->relations, get_Z_row(s, i), h) / length;
    }
    if (!find_point(t)) return -1.0;
    double norm = collect_conflict(t, h, packed);
    if (!(norm > no_conflict * t->by->origin)) return 0.0;
    for (int32_t i = 0; i < s->count; i++) p[s->row[i]] = packed[i];
    zg_space_divide(s, packed, r);
    return norm;
}

/* ---------------------------------------------------------------------------- shares */

/* nu [count] of least length: without what it has in common with the relations. */
static void shorten(const zg_multiplier_space *s, double *nu)
{
    for (int32_t q = 0; q < s->relations; q++) {
        const double *n = s->N + (size_t)q * (size_t)s->count;
        double dot = dot_of_rows(s->count, n, nu);
        for (int32_t i = 0; i < s->count; i++) nu[i] -= dot * n[i];
    }
}

/* lambda0 [count] of least norm, into s->packed; returns its norm. */
static double find_least_multipliers(const zg_multiplier_space *s, const double *lambda)
{
    double *packed = s->packed;
    for (int32_t i = 0; i < s->count; i++) packed[i] = lambda[s->row[i]];
    zg_space_to_nu(s, packed, packed);
    shorten(s, packed);
    double norm = sqrt(dot_of_rows(s->count, packed, packed));
    zg_space_to_lambda(s, packed, packed);
    return norm;
}

bool zg_find_shares(const zg_relation_task *t, const bool *pushes, double *lambda)
{
    const zg_multiplier_space *s = t->space;
    double *lambda0 = s->packed, norm = find_least_multipliers(s, lambda);
    bool signs = true;
    if (s->relations == 0) return true;
    begin_task(t);
    for (int32_t i = 0; i < s->count; i++) {
        double length = put_row(t, i, 1.0);
        if (!pushes || !pushes[s->row[i]]) t->by->q.kind[i] = ZG_ABSENT;
        if (t->by->q.kind[i] != ZG_AT_LEAST) continue;
        t->by->c[i] = -lambda0[i] / length;
        t->by->size[i] = s->reach[i] * norm / length;
        signs = signs && lambda0[i] >= 0.0;
    }
    if (!signs && !find_point(t)) return false;
    for (int32_t i = 0; i < s->count; i++) {
        double sum = lambda0[i];
        if (!signs) sum += dot_of_rows(s->relations, get_Z_row(s, i), t->by->x);
        bool none = !signs && t->by->q.in[i];
        if (pushes && pushes[s->row[i]] && sum < 0.0 && sum >= -no_force * s->reach[i] * norm)
            none = true;
        lambda[s->row[i]] = none ? 0.0 : sum;
    }
    return true;
}

/* --------------------------------------------------------------------------- unique */

/* Whether sign Z_i, or part of it, is in the cone of the rows that `by` has. */
static bool reaches_cone(const zg_relation_task *t, int32_t i, double sign)
{
    const zg_multiplier_space *s = t->space;
    const double *z = get_Z_row(s, i);
    double length = 0.0, left = 0.0;
    for (int32_t k = 0; k < s->count; k++) {
        const double *b = t->by->B + (size_t)k * (size_t)s->relations;
        t->by->c[k] = -sign * dot_of_rows(s->relations, b, z);
        t->by->size[k] = fabs(t->by->c[k]);
    }
    length = sqrt(dot_of_rows(s->relations, z, z));
    t->by->origin = length;
    if (!find_point(t)) return true;
    for (int32_t q = 0; q < s->relations; q++) {
        double y = t->by->x[q] + sign * z[q];
        left += y * y;
    }
    return sqrt(left) > 1e-8 * length;
}

void zg_find_unique_shares(const zg_relation_task *t, const bool *pushes, const double *lambda,
                           bool *unique)
{
    const zg_multiplier_space *s = t->space;
    double norm = find_least_multipliers(s, lambda);
    for (int32_t i = 0; i < s->m; i++) unique[i] = true;
    if (s->relations == 0) return;
    begin_task(t);
    for (int32_t i = 0; i < s->count; i++) {
        (void)put_row(t, i, 1.0);
        bool bound = pushes[s->row[i]] && !(lambda[s->row[i]] > no_force * s->reach[i] * norm);
        if (!bound) t->by->q.kind[i] = ZG_ABSENT;
    }
    for (int32_t i = 0; i < s->count; i++)
        if (zg_space_is_free(s, i))
            unique[s->row[i]] = !reaches_cone(t, i, 1.0) && !reaches_cone(t, i, -1.0);
}
