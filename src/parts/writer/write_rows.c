/*
 * From the terms of a part to its share of S = A M^-1 A^T, body by body:
 *
 *     M_b = L D L^T,   G_i = L^-1 A_i^T,   S_ij = sum over own bodies of G_i D^-1 G_j
 *
 *     row i ──o── row j        rows that share a body share an entry
 *             └ body
 *
 * Sums are written so that little is left to do: where 1 / D is one node for several coordinates it
 * is taken out of their products; equal products of several bodies (a rod pulls at both its ends
 * alike) are taken once, with the sum of their 1 / D, which mostly depends on parameters only. A
 * part all of whose 1 / D are one node w keeps S / w, and w times the multipliers.
 */
#include "writer.h"

/* ------------------------------------------------------------------------ masses */

static bool is_diagonal(const ze_maker *m, int32_t body)
{
    int32_t size = ze_body_size(m, body);
    for (int32_t i = 0; i < size; i++)
        for (int32_t j = 0; j < i; j++)
            if (!ze_is_zero(m, m->M[body][i * size + j])) return false;
    return true;
}

static void factor_body(ze_maker *m, int32_t body)
{
    int32_t size = ze_body_size(m, body), at = m->first[body];
    const zx_node *M = m->M[body];
    zx_node *L = is_diagonal(m, body) ? NULL : ze_zeros(m, (int64_t)size * size);
    m->L[body] = L;
    for (int32_t i = 0; i < size; i++) {
        zx_node pivot = M[i * size + i];
        for (int32_t j = 0; L && j < i; j++) { /* L_ij D_j, until it is divided */
            zx_node sum = M[i * size + j];
            for (int32_t k = 0; k < j; k++)
                sum = ze_sub(m, sum, ze_mul(m, L[i * size + k], L[j * size + k]));
            L[i * size + j] = sum;
        }
        for (int32_t j = 0; L && j < i; j++) {
            zx_node scaled = ze_mul(m, L[i * size + j], m->inverse[at + j]);
            pivot = ze_sub(m, pivot, ze_mul(m, scaled, L[i * size + j]));
            L[i * size + j] = scaled;
        }
        m->D[at + i] = pivot;
        m->inverse[at + i] = zx_binary(&m->pool, ZX_DIV, m->one, pivot);
    }
}

static void factor_masses(ze_maker *m)
{
    const ze_shape *s = m->shape;
    m->L = ZB_NEW_ARRAY(&m->scratch, zx_node *, (size_t)s->bodies);
    m->D = ze_zeros(m, s->own);
    m->inverse = ze_zeros(m, s->own);
    for (int32_t body = 0; body < s->bodies; body++) factor_body(m, body);
    m->common = s->own > 0 ? m->inverse[0] : ZX_NONE;
    for (int32_t k = 0; k < s->own; k++)
        if (m->inverse[k] != m->common) m->common = ZX_NONE;
    for (int32_t body = 0; body < s->bodies; body++)
        if (m->L[body]) m->common = ZX_NONE;
}

void ze_forward_body(ze_maker *m, int32_t body, zx_node *x)
{
    int32_t size = ze_body_size(m, body);
    const zx_node *L = m->L[body];
    for (int32_t i = 0; L && i < size; i++)
        for (int32_t j = 0; j < i; j++) x[i] = ze_sub(m, x[i], ze_mul(m, L[i * size + j], x[j]));
}

void ze_backward_body(ze_maker *m, int32_t body, zx_node *x)
{
    int32_t size = ze_body_size(m, body);
    const zx_node *L = m->L[body];
    for (int32_t i = size - 1; L && i >= 0; i--)
        for (int32_t j = i + 1; j < size; j++)
            x[i] = ze_sub(m, x[i], ze_mul(m, L[j * size + i], x[j]));
}

/* -------------------------------------------------------------------------- rows */

/* Whether two bodies are reached by the same rows. */
static bool have_same_rows(const ze_maker *m, int32_t x, int32_t y)
{
    int32_t count = m->by_start[x + 1] - m->by_start[x];
    if (m->by_start[y + 1] - m->by_start[y] != count) return false;
    for (int32_t k = 0; k < count; k++)
        if (m->touch[m->by_body[m->by_start[x] + k]].row !=
            m->touch[m->by_body[m->by_start[y] + k]].row)
            return false;
    return true;
}

/* How many coordinates have the 1 / D of coordinate k of a body, and its rows. */
static int32_t alike(const ze_maker *m, int32_t body, int32_t k)
{
    int32_t count = 0;
    zx_node inverse = m->inverse[m->first[body] + k];
    for (int32_t other = 0; other < m->shape->bodies; other++) {
        bool seen = other == body;
        for (int32_t i = m->first[other]; i < m->first[other + 1]; i++) {
            if (m->inverse[i] != inverse) continue;
            if (!seen && !have_same_rows(m, body, other)) break;
            seen = true;
            count++;
        }
    }
    return count;
}

/* Whether 1 / D is taken out of the sums: that costs one product a pair of rows; otherwise it is
 * one a row and coordinate. */
static bool pays_outside(const ze_maker *m, int32_t body, int32_t k)
{
    int32_t rows = m->by_start[body + 1] - m->by_start[body];
    double value;
    return m->common != ZX_NONE || rows + 1 <= 2 * alike(m, body, k) ||
           zx_is_constant(&m->pool, m->inverse[m->first[body] + k], &value);
}

static void solve_touch(ze_maker *m, ze_touch *t)
{
    int32_t size = ze_body_size(m, t->body);
    t->G = ze_zeros(m, size);
    t->H = ze_zeros(m, size);
    for (int32_t k = 0; k < size; k++) t->G[k] = t->A[k];
    ze_forward_body(m, t->body, t->G);
    for (int32_t k = 0; k < size; k++)
        if (!m->outside[m->first[t->body] + k])
            t->H[k] = ze_mul(m, m->inverse[m->first[t->body] + k], t->G[k]);
}

/* -------------------------------------------------------------------- weighted sums */

/* sum of weight * product. */
typedef struct weighted {
    ze_maker *m;
    zx_node *weight, *product;
    int32_t count;
} weighted;

/* A node without a minus sign in front. */
static zx_node unsigned_of(const ze_maker *m, zx_node x)
{
    return m->pool.items[x].op == ZX_NEG ? m->pool.items[x].a : x;
}

/* Equal products are one, with the sum of their weights. */
static void add_weighted(weighted *w, zx_node weight, zx_node product)
{
    ze_maker *m = w->m;
    if (ze_is_zero(m, product)) return;
    for (int32_t k = 0; k < w->count; k++)
        if (unsigned_of(m, w->product[k]) == unsigned_of(m, product)) {
            bool same = w->product[k] == product;
            w->weight[k] = (same ? ze_add : ze_sub)(m, w->weight[k], weight);
            return;
        }
    w->weight[w->count] = weight;
    w->product[w->count++] = product;
}

/* Products of one weight are summed up before. */
static zx_node sum_of(const weighted *w)
{
    ze_maker *m = w->m;
    zx_node sum = m->zero;
    for (int32_t k = 0; k < w->count; k++) {
        bool seen = false;
        for (int32_t i = 0; i < k; i++) seen = seen || w->weight[i] == w->weight[k];
        if (seen) continue;
        zx_node part = w->product[k];
        for (int32_t i = k + 1; i < w->count; i++)
            if (w->weight[i] == w->weight[k]) part = ze_add(m, part, w->product[i]);
        sum = ze_add(m, sum, ze_mul(m, w->weight[k], part));
    }
    return sum;
}

/* The products of two rows on a body, by coordinates. */
static void add_body(weighted *w, const ze_touch *x, const ze_touch *y)
{
    ze_maker *m = w->m;
    for (int32_t k = 0; k < ze_body_size(m, x->body); k++) {
        int32_t at = m->first[x->body] + k;
        zx_node weight = m->outside[at] && m->common == ZX_NONE ? m->inverse[at] : m->one;
        add_weighted(w, weight, ze_mul(m, x->G[k], m->outside[at] ? y->G[k] : y->H[k]));
    }
}

/* The entry of two rows: their bodies ascend. */
static zx_node entry_of(weighted *w, int32_t i, int32_t j)
{
    ze_maker *m = w->m;
    int32_t a = m->touch_start[i], b = m->touch_start[j];
    w->count = 0;
    while (a < m->touch_start[i + 1] && b < m->touch_start[j + 1]) {
        int32_t difference = m->touch[a].body - m->touch[b].body;
        if (difference == 0) add_body(w, &m->touch[a], &m->touch[b]);
        a += difference <= 0;
        b += difference >= 0;
    }
    return sum_of(w);
}

static zx_node row_times(ze_maker *m, int32_t row, const zx_node *u, bool itself)
{
    int32_t size = 0;
    for (int32_t k = m->touch_start[row]; k < m->touch_start[row + 1]; k++)
        size += ze_body_size(m, m->touch[k].body);
    weighted w = {.m = m, .weight = ze_zeros(m, size), .product = ze_zeros(m, size)};
    for (int32_t k = m->touch_start[row]; k < m->touch_start[row + 1]; k++) {
        const ze_touch *t = &m->touch[k];
        for (int32_t i = 0; i < ze_body_size(m, t->body); i++)
            if (!ze_is_zero(m, u[m->first[t->body] + i]))
                add_weighted(&w, u[m->first[t->body] + i], itself ? t->A[i] : t->G[i]);
    }
    return sum_of(&w);
}

zx_node ze_row_times(ze_maker *m, int32_t row, const zx_node *u)
{
    return row_times(m, row, u, false);
}

zx_node ze_row_itself_times(ze_maker *m, int32_t row, const zx_node *u)
{
    return row_times(m, row, u, true);
}

void ze_write_rows(ze_maker *m)
{
    int32_t rows = m->rows, own = m->shape->own;
    factor_masses(m);
    m->outside = ZB_NEW_ARRAY(&m->scratch, bool, (size_t)own);
    for (int32_t body = 0; body < m->shape->bodies; body++)
        for (int32_t k = 0; k < ze_body_size(m, body); k++)
            m->outside[m->first[body] + k] = pays_outside(m, body, k);
    for (int32_t k = 0; k < m->touch_start[rows]; k++) solve_touch(m, &m->touch[k]);
    m->S = ze_zeros(m, (int64_t)rows * rows);
    weighted w = {.m = m, .weight = ze_zeros(m, own), .product = ze_zeros(m, own)};
    for (int32_t i = 0; i < rows; i++)
        for (int32_t j = 0; j <= i; j++) m->S[i * rows + j] = entry_of(&w, i, j);
}
