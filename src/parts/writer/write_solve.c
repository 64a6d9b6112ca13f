/*
 * The programs that solve a part: for every purpose down (its share of the rows between, its inner
 * rows eliminated) and back (multipliers of its inner rows, z of its bodies).
 *
 *     down   S_ii  S_io   c_i      ──▶   S_oo - S_oi S_ii^-1 S_io,   c_o - S_oi S_ii^-1 c_i
 *            S_oi  S_oo   c_o
 *     back   S_ii x_i = c_i - S_io x_o,   z = M^-1 (force + A^T x)
 *
 *     ACCELERATION  force Q,            c = b - A M^-1 Q
 *     POSITIONS     force 0,            c = -phi
 *     VELOCITIES    force 0,            c = -rate
 *     DAMPED        as ACCELERATION     S_ii (1 + damping)
 *     REFINED       force 0,            c = b - A z, of the z before: a correction of z and lambda
 *
 * z = M^-1 (Q + A^T lambda) holds to rounding from the start: REFINED corrects lambda by what is
 * missing of A z = b, with no damping in it, and z by what that does. It has the factor of DAMPED:
 *
 *     DAMPED.down ──▶ stored: A, b, L, 1 / pivots ──▶ DAMPED.back
 *                         │       │
 *               REFINED.down ──▶ REFINED.back       substitutions alone, nothing of the state
 *                           L^-1 c
 *
 * b, phi and rate of a row are added by the part that owns it. Back either writes S_ii and its
 * elimination out again, or reads what down has stored of them; a part without outer rows stores
 * its answer. Rows are kept over their factors and S over the common 1 / D (write_terms.c,
 * write_rows.c): what others see is put right here.
 */
#include <string.h>

#include "writer.h"

static const double least_pivot = 1e-6; /* of M, in units of its own entry */

/* One purpose under way. */
typedef struct solve {
    ze_maker *m;
    ze_purpose purpose;
    bool damped;
    bool stores;       /* back reads what down has stored */
    bool *aside;       /* [rows] */
    zx_node *force;    /* [own] by coordinate */
    zx_node *u;        /* [own] D^-1 L^-1 force, in the order of member */
    zx_node *base;     /* [rows] c */
    zx_node *diagonal; /* [rows] S_ii as elimination begins */
    ze_elimination e;
    zx_node *list; /* of roots */
    int32_t count;
} solve;

static zx_node negative(ze_maker *m, zx_node x)
{
    return zx_unary(&m->pool, ZX_NEG, x);
}

static zx_node largest(ze_maker *m, zx_node so_far, zx_node x)
{
    zx_node size = zx_unary(&m->pool, ZX_ABS, x);
    return ze_is_zero(m, so_far) ? size : zx_binary(&m->pool, ZX_MAX, so_far, size);
}

static zx_node largest_of(ze_maker *m, const zx_node *x, int32_t count)
{
    zx_node all = m->zero;
    for (int32_t k = 0; k < count; k++)
        if (!ze_is_zero(m, x[k])) all = largest(m, all, x[k]);
    return all;
}

/* ------------------------------------------------------------------- right sides */

static bool stands_aside(ze_purpose purpose, ze_row_kind kind)
{
    if (purpose == ZE_POSITIONS) return kind != ZE_HOLONOMIC;
    return purpose == ZE_VELOCITIES && kind == ZE_OF_ACCELERATIONS;
}

/* x / factor where x is a product, or sum of products, with it as it stands: weights m g over
 * masses m. ZX_NONE: it is not. Looks a few operations deep. */
static zx_node without_factor(ze_maker *m, zx_node x, zx_node factor, int depth)
{
    zx_item item = m->pool.items[x];
    if (x == factor) return m->one;
    if (ze_is_zero(m, x)) return m->zero;
    bool product = item.op == ZX_MUL, sum = item.op == ZX_ADD || item.op == ZX_SUB;
    if ((!product && !sum && item.op != ZX_NEG) || depth == 0) return ZX_NONE;
    zx_node a = without_factor(m, item.a, factor, depth - 1);
    if (item.op == ZX_NEG) return a == ZX_NONE ? ZX_NONE : negative(m, a);
    if (product && a != ZX_NONE) return ze_mul(m, a, item.b);
    zx_node b = without_factor(m, item.b, factor, depth - 1);
    if (product) return b == ZX_NONE ? ZX_NONE : ze_mul(m, item.a, b);
    return a == ZX_NONE || b == ZX_NONE ? ZX_NONE : zx_binary(&m->pool, (zx_op)item.op, a, b);
}

/* D^-1 x */
static zx_node quotient(ze_maker *m, zx_node x, int32_t k)
{
    enum { deep = 5 };
    zx_node y = without_factor(m, x, m->D[k], deep);
    return y == ZX_NONE ? ze_mul(m, m->inverse[k], x) : y;
}

static void write_force(solve *s)
{
    ze_maker *m = s->m;
    bool none = s->purpose == ZE_POSITIONS || s->purpose == ZE_VELOCITIES;
    s->force = ze_zeros(m, m->shape->own);
    s->u = ze_zeros(m, m->shape->own);
    if (none) return;
    memcpy(s->force, m->Q, sizeof *m->Q * (size_t)m->shape->own);
    for (int32_t k = 0; k < m->shape->own; k++) s->u[k] = s->force[m->member[k]];
    for (int32_t body = 0; body < m->shape->bodies; body++)
        ze_forward_body(m, body, s->u + m->first[body]);
    for (int32_t k = 0; k < m->shape->own; k++) s->u[k] = quotient(m, s->u[k], k);
}

/* b, -phi or -rate of a row, as A over its factor. */
static zx_node given_of(const solve *s, int32_t row)
{
    ze_maker *m = s->m;
    if (!m->shape->owned[row]) return m->zero;
    if (s->purpose != ZE_POSITIONS && s->purpose != ZE_VELOCITIES) return m->b[row];
    zx_node level = m->level[4 * row + (s->purpose == ZE_VELOCITIES)];
    return ze_scale(m, 1.0 / m->factor[row], negative(m, level));
}

static void write_right(solve *s)
{
    ze_maker *m = s->m;
    s->base = ze_zeros(m, m->rows);
    for (int32_t row = 0; row < m->rows; row++) {
        if (s->aside[row]) continue;
        s->base[row] = given_of(s, row);
        s->base[row] = ze_sub(m, s->base[row], ze_row_times(m, row, s->u));
    }
}

/* --------------------------------------------------------------------- elimination */

/* S of the purpose, before elimination. */
static void write_matrix(solve *s)
{
    ze_maker *m = s->m;
    int32_t rows = m->rows;
    zx_node damping = zx_leaf(&m->pool, ZX_ACCELERATION, ze_damping);
    zx_node more = ze_add(m, m->one, damping);
    memcpy(s->e.S, m->S, sizeof *m->S * (size_t)rows * (size_t)rows);
    for (int32_t i = 0; i < rows; i++) {
        for (int32_t j = 0; j < i; j++)
            if (s->aside[i] || s->aside[j]) s->e.S[i * rows + j] = m->zero;
        zx_node *diagonal = &s->e.S[i * rows + i];
        if (s->aside[i])
            *diagonal = i < m->shape->inner || m->shape->owned[i] ? m->one : m->zero;
        else if (s->damped)
            *diagonal = ze_mul(m, more, *diagonal);
        s->diagonal[i] = *diagonal;
    }
    memcpy(s->e.right, s->base, sizeof *s->base * (size_t)rows);
}

static solve open_solve(ze_maker *m, ze_purpose purpose)
{
    int32_t rows = m->rows, inner = m->shape->inner;
    solve s = {.m = m, .purpose = purpose};
    s.damped = m->making->dependent;
    s.stores = m->making->store || purpose == ZE_DAMPED;
    s.aside = ZB_NEW_ARRAY(&m->scratch, bool, (size_t)rows);
    for (int32_t i = 0; i < rows; i++) s.aside[i] = stands_aside(purpose, m->shape->kind[i]);
    s.diagonal = ze_zeros(m, rows);
    s.e = (ze_elimination){.pool = &m->pool, .inner = inner, .outer = m->shape->outer};
    s.e.S = ze_zeros(m, (int64_t)rows * rows);
    s.e.L = ze_zeros(m, (int64_t)rows * rows);
    s.e.right = ze_zeros(m, rows);
    s.e.inverse = ze_zeros(m, inner);
    s.e.order = m->order;
    write_force(&s);
    write_right(&s);
    write_matrix(&s);
    return s;
}

/* ---------------------------------------------------------------------------- down */

static void want(solve *s, zx_node root)
{
    s->list[s->count++] = root;
}

/* c_i c_j, and the common 1 / D. */
static zx_node in_units(const solve *s, int32_t i, int32_t j, zx_node x)
{
    ze_maker *m = s->m;
    if (s->aside[i] || s->aside[j]) return x;
    zx_node common = m->common == ZX_NONE ? m->one : m->common;
    return ze_mul(m, ze_scale(m, m->factor[i] * m->factor[j], common), x);
}

/* The least of pivots of M; 1 where they are positive numbers. */
static zx_node mass_margin(ze_maker *m)
{
    zx_node least = m->one, number = zx_number(&m->pool, least_pivot);
    double value;
    for (int32_t body = 0; body < m->shape->bodies; body++)
        for (int32_t i = 0; i < ze_body_size(m, body); i++) {
            zx_node whole = m->M[body][i * ze_body_size(m, body) + i];
            zx_node pivot = m->D[m->first[body] + i];
            if (pivot != whole) pivot = ze_sub(m, pivot, ze_mul(m, number, whole));
            if (zx_is_constant(&m->pool, pivot, &value) && value > 0.0) continue;
            least = least == m->one ? pivot : zx_binary(&m->pool, ZX_MIN, least, pivot);
        }
    return least;
}

/* The least of pivot - least * diagonal entry, and whether M is definite. */
static zx_node least_margin(const solve *s)
{
    ze_maker *m = s->m;
    zx_node margin = mass_margin(m), least = zx_leaf(&m->pool, ZX_ACCELERATION, ze_least);
    for (int32_t k = 0; k < m->shape->inner; k++) {
        int32_t j = m->order[k];
        if (s->aside[j]) continue;
        zx_node pivot = s->e.S[j * m->rows + j];
        zx_node over = ze_sub(m, pivot, ze_mul(m, least, s->diagonal[j]));
        margin = margin == m->one ? over : zx_binary(&m->pool, ZX_MIN, margin, over);
    }
    return margin;
}

/* Whether elimination of a row goes on in no other. */
static bool is_last(const solve *s, int32_t row)
{
    for (int32_t i = 0; i < s->m->rows; i++)
        if (!ze_is_zero(s->m, s->e.L[i * s->m->rows + row])) return false;
    return true;
}

/* A sum that is not finite where anything is not: right sides of what is left hold what pivots and
 * right sides before them were; bodies without rows come besides. */
static zx_node sum_of_ends(const solve *s)
{
    ze_maker *m = s->m;
    zx_node sum = m->zero;
    for (int32_t i = 0; i < m->rows; i++) {
        bool inner = i < m->shape->inner;
        if (inner && !is_last(s, i)) continue;
        zx_node end = inner ? ze_mul(m, s->e.right[i], s->e.inverse[i]) : s->e.right[i];
        sum = ze_add(m, sum, end);
    }
    for (int32_t body = 0; body < m->shape->bodies; body++)
        for (int32_t k = m->first[body]; k < m->first[body + 1]; k++)
            if (m->by_start[body] == m->by_start[body + 1]) sum = ze_add(m, sum, s->u[k]);
    return sum;
}

/* A minimum may lose what is not a number: said here. */
static zx_node margin_of(const solve *s)
{
    ze_maker *m = s->m;
    zx_node size = zx_unary(&m->pool, ZX_ABS, sum_of_ends(s));
    zx_node fine = zx_binary(&m->pool, ZX_LE, size, zx_number(&m->pool, 1e300));
    return zx_select(&m->pool, fine, least_margin(s), zx_number(&m->pool, -1.0));
}

static void write_down(solve *s, ze_code *code)
{
    ze_maker *m = s->m;
    const ze_programs *p = m->programs;
    int32_t inner = m->shape->inner, outer = m->shape->outer, rows = m->rows;
    ze_eliminate(&s->e, true);
    s->list = ze_zeros(m, (int64_t)p->pair_count + 2 * (int64_t)outer + 1);
    s->count = 0;
    for (int32_t k = 0; k < p->pair_count; k++) {
        int32_t i = inner + p->pairs[k].row, j = inner + p->pairs[k].column;
        want(s, in_units(s, i, j, s->e.S[i * rows + j]));
    }
    for (int32_t i = inner; i < rows; i++) want(s, ze_scale(m, m->factor[i], s->e.right[i]));
    for (int32_t i = inner; i < rows; i++) want(s, in_units(s, i, i, s->diagonal[i]));
    want(s, margin_of(s));
    m->roots[m->root_count++] = (ze_roots){.code = code, .list = s->list, .count = s->count};
}

/* ---------------------------------------------------------------------------- back */

/* x [rows]: multipliers times factor (and over the common 1 / D), outer ones read. */
static zx_node *multipliers_of(solve *s)
{
    ze_maker *m = s->m;
    int32_t rows = m->rows, inner = m->shape->inner;
    zx_node *x = ze_zeros(m, rows), common = m->common == ZX_NONE ? m->one : m->common;
    for (int32_t i = inner; i < rows; i++)
        if (!s->aside[i])
            x[i] = ze_mul(m, ze_scale(m, m->factor[i], common),
                          ze_read_node(m, ZE_READ_OUTER, i - inner));
    if (!s->stores) { /* the inside anew, with what the outer ones do */
        write_matrix(s);
        for (int32_t i = 0; i < inner; i++)
            for (int32_t o = inner; o < rows; o++)
                s->e.right[i] = ze_sub(m, s->e.right[i], ze_mul(m, s->e.S[o * rows + i], x[o]));
        ze_eliminate(&s->e, false);
    }
    ze_substitute_back(&s->e, x);
    return x;
}

/* z [own] = M^-1 (force + A^T x) by coordinate. */
static zx_node *motion_of(solve *s, const zx_node *x)
{
    ze_maker *m = s->m;
    zx_node *z = ze_zeros(m, m->shape->own), *f = ze_zeros(m, m->shape->own);
    for (int32_t body = 0; body < m->shape->bodies; body++) {
        int32_t size = ze_body_size(m, body), at = m->first[body];
        for (int32_t k = m->by_start[body]; k < m->by_start[body + 1]; k++) {
            const ze_touch *t = &m->touch[m->by_body[k]];
            for (int32_t i = 0; i < size; i++)
                f[at + i] = ze_add(m, f[at + i], ze_mul(m, t->G[i], x[t->row]));
        }
        for (int32_t i = 0; i < size; i++) {
            if (m->common == ZX_NONE) f[at + i] = ze_mul(m, m->inverse[at + i], f[at + i]);
            f[at + i] = ze_add(m, f[at + i], s->u[at + i]);
        }
        ze_backward_body(m, body, f + at);
        for (int32_t i = 0; i < size; i++) z[m->member[at + i]] = f[at + i];
    }
    return z;
}

/* lambda of x. */
static zx_node multiplier_of(const solve *s, int32_t row, zx_node x)
{
    ze_maker *m = s->m;
    if (m->common == ZX_NONE) return ze_scale(m, 1.0 / m->factor[row], x);
    return ze_mul(m, ze_scale(m, 1.0 / m->factor[row], m->D[0]), x);
}

/* Everything after the correction, and how large what is. */
static void want_corrected(solve *s, const zx_node *dz, const zx_node *x)
{
    ze_maker *m = s->m;
    int32_t own = m->shape->own, inner = m->shape->inner;
    zx_node size[4] = {m->zero, m->zero, m->zero, m->zero};
    for (int32_t k = 0; k < own; k++) {
        zx_node z = ze_add(m, ze_read_node(m, ZE_READ_Z, k), dz[k]);
        want(s, z);
        size[0] = largest(m, size[0], dz[k]);
        size[1] = largest(m, size[1], z);
    }
    for (int32_t row = 0; row < inner; row++) {
        zx_node change = multiplier_of(s, row, x[row]);
        zx_node lambda = ze_add(m, ze_read_node(m, ZE_READ_LAMBDA, row), change);
        want(s, lambda);
        size[2] = largest(m, size[2], change);
        size[3] = largest(m, size[3], lambda);
    }
    for (int k = 0; k < 4; k++) want(s, size[k]);
}

/* What down may store: all that back would use of the state. */
static void list_cuts(const solve *s, ze_roots *roots)
{
    ze_maker *m = s->m;
    int32_t rows = m->rows, inner = m->shape->inner, own = m->shape->own;
    size_t most = (size_t)rows * (size_t)rows + (size_t)inner + 2 * (size_t)own;
    for (int32_t k = 0; k < m->touch_start[rows]; k++)
        most += (size_t)ze_body_size(m, m->touch[k].body);
    for (int32_t k = 0; k < m->shape->bodies; k++)
        most += (size_t)ze_body_size(m, k) * (size_t)ze_body_size(m, k);
    zx_node *list = ZB_NEW_ARRAY(&m->scratch, zx_node, most);
    int32_t count = 0;
    for (int32_t k = 0; k < rows * rows; k++) list[count++] = s->e.L[k];
    for (int32_t k = 0; k < inner; k++) list[count++] = ze_mul(m, s->e.right[k], s->e.inverse[k]);
    for (int32_t k = 0; k < own; k++) list[count++] = s->u[k], list[count++] = m->inverse[k];
    for (int32_t k = 0; k < m->touch_start[rows]; k++)
        for (int32_t i = 0; i < ze_body_size(m, m->touch[k].body); i++)
            list[count++] = m->touch[k].G[i];
    for (int32_t k = 0; k < m->shape->bodies; k++)
        for (int32_t i = 0; m->L[k] && i < ze_body_size(m, k) * ze_body_size(m, k); i++)
            list[count++] = m->L[k][i];
    roots->cuts = list;
    roots->cut_count = count;
}

/* Whether computing it again takes longer than reading it. */
static bool is_slow(int32_t op)
{
    return (op >= ZX_SIN && op <= ZX_LOG) || op == ZX_POW || op == ZX_ATAN2 || op == ZX_HYPOT;
}

static void list_slow(const solve *s, ze_roots *roots)
{
    const zx_pool *pool = &s->m->pool;
    zx_node *list = ZB_NEW_ARRAY(&s->m->scratch, zx_node, (size_t)pool->count);
    for (zx_node k = 0; k < pool->count; k++)
        if (is_slow(pool->items[k].op)) list[roots->cut_count++] = k;
    roots->cuts = list;
}

/* Where no row is outer down knows the whole answer. What is rarely asked for is computed anew. */
static void list_answers(const solve *s, const zx_node *x, const zx_node *z, ze_roots *roots)
{
    int32_t inner = s->m->shape->inner, own = s->m->shape->own;
    zx_node *list = ze_zeros(s->m, (int64_t)own + inner);
    for (int32_t k = 0; k < own; k++) list[k] = z[k];
    for (int32_t k = 0; k < inner; k++) list[own + k] = x[k];
    roots->cuts = list;
    roots->cut_count = own + inner;
}

static void write_back(solve *s, ze_duty *duty, ze_code *code, bool multipliers)
{
    ze_maker *m = s->m;
    ze_roots *roots = &m->roots[m->root_count++];
    *roots = (ze_roots){.code = code};
    bool alone = m->shape->outer == 0, rare = code == &duty->back_full;
    roots->apart = s->purpose == ZE_DAMPED;
    if (!alone || !rare) roots->duty = duty;
    if (s->stores && !alone && !roots->apart) list_cuts(s, roots);
    zx_node *x = multipliers_of(s), *z = motion_of(s, x);
    if (!s->stores && !alone) list_slow(s, roots);
    if (alone && !rare && !roots->apart) list_answers(s, x, z, roots);
    s->list = ze_zeros(m, (int64_t)m->shape->own + m->rows + 1);
    s->count = 0;
    for (int32_t k = 0; k < m->shape->own; k++) want(s, z[k]);
    for (int32_t k = 0; multipliers && k < m->shape->inner; k++) want(s, multiplier_of(s, k, x[k]));
    if (s->purpose == ZE_DAMPED) want(s, largest_of(m, s->u, m->shape->own));
    roots->list = s->list;
    roots->count = s->count;
}

/* --------------------------------------------------------------------- corrections */

/* b - A z of the z before, and L^-1 of it. */
static zx_node *write_missing(solve *s)
{
    ze_maker *m = s->m;
    zx_node *c = ze_zeros(m, m->rows), *z = ze_zeros(m, m->shape->own);
    for (int32_t k = 0; k < m->shape->own; k++) z[k] = ze_read_node(m, ZE_READ_Z, m->member[k]);
    for (int32_t row = 0; row < m->rows; row++)
        c[row] = ze_sub(m, given_of(s, row), ze_row_itself_times(m, row, z));
    ze_substitute_forward(&s->e, c);
    return c;
}

static void add_roots(solve *s, ze_code *code)
{
    ze_maker *m = s->m;
    m->roots[m->root_count++] = (ze_roots){.code = code,
                                           .list = s->list,
                                           .count = s->count,
                                           .duty = &m->programs->duty[ZE_DAMPED],
                                           .apart = true};
}

static void write_correction_down(solve *s, zx_node *c, ze_code *code)
{
    ze_maker *m = s->m;
    s->list = ze_zeros(m, m->rows);
    s->count = 0;
    for (int32_t k = 0; k < m->shape->inner; k++) {
        want(s, c[k]);
        c[k] = ze_read_node(m, ZE_READ_CARRIED, k);
    }
    for (int32_t i = m->shape->inner; i < m->rows; i++) want(s, ze_scale(m, m->factor[i], c[i]));
    add_roots(s, code);
}

/* With the elimination of DAMPED. */
static void write_correction(solve *s, ze_duty *duty)
{
    ze_maker *m = s->m;
    zx_node *c = write_missing(s);
    if (m->shape->outer > 0) write_correction_down(s, c, &duty->down);
    memcpy(s->e.right, c, sizeof *c * (size_t)m->rows);
    s->u = ze_zeros(m, m->shape->own);
    zx_node *x = multipliers_of(s), *z = motion_of(s, x);
    s->list = ze_zeros(m, (int64_t)m->shape->own + m->shape->inner + 4);
    s->count = 0;
    want_corrected(s, z, x);
    add_roots(s, &duty->back);
}

/* ----------------------------------------------------------------------------- all */

static void write_duty(ze_maker *m, ze_purpose purpose)
{
    ze_duty *duty = &m->programs->duty[purpose];
    solve s = open_solve(m, purpose);
    write_down(&s, &duty->down);
    write_back(&s, duty, &duty->back, purpose == ZE_DAMPED);
    if (purpose == ZE_ACCELERATION) write_back(&s, duty, &duty->back_full, true);
    if (purpose == ZE_DAMPED) write_correction(&s, &m->programs->duty[ZE_REFINED]);
}

void ze_write_solves(ze_maker *m)
{
    bool dependent = m->making->dependent;
    write_duty(m, dependent ? ZE_DAMPED : ZE_ACCELERATION);
    write_duty(m, ZE_POSITIONS);
    write_duty(m, ZE_VELOCITIES);
}
