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

/* Whether the block of M of a body has nothing off its diagonal. */
static bool has_diagonal_mass(const ze_writer *w, int32_t body)
{
    int32_t size = ze_body_size(w, body);
    for (int32_t i = 0; i < size; i++)
        for (int32_t j = 0; j < i; j++)
            if (!ze_is_zero(w, w->M[body][i * size + j])) return false;
    return true;
}

/* M_b = L D L^T by rows; 1 / D as one division a coordinate. Diagonal blocks have no L. */
static void factor_body(ze_writer *w, int32_t body)
{
    int32_t size = ze_body_size(w, body), at = w->first[body];
    const zx_node *M = w->M[body];
    zx_node *L = has_diagonal_mass(w, body) ? NULL : ze_zeros(w, (int64_t)size * size);
    w->L[body] = L;
    for (int32_t i = 0; i < size; i++) {
        zx_node pivot = M[i * size + i];
        for (int32_t j = 0; L && j < i; j++) { /* L_ij D_j, until it is divided */
            zx_node sum = M[i * size + j];
            for (int32_t k = 0; k < j; k++)
                sum = ze_sub(w, sum, ze_mul(w, L[i * size + k], L[j * size + k]));
            L[i * size + j] = sum;
        }
        for (int32_t j = 0; L && j < i; j++) {
            zx_node scaled = ze_mul(w, L[i * size + j], w->inverse[at + j]);
            pivot = ze_sub(w, pivot, ze_mul(w, scaled, L[i * size + j]));
            L[i * size + j] = scaled;
        }
        w->D[at + i] = pivot;
        w->inverse[at + i] = zx_binary(&w->pool, ZX_DIV, w->one, pivot);
    }
}

/* The factors of all bodies, and 1 / D where it is one node for the whole part. */
static void factor_masses(ze_writer *w)
{
    const ze_shape *s = w->shape;
    w->L = ZB_NEW_ARRAY(&w->scratch, zx_node *, (size_t)s->bodies);
    w->D = ze_zeros(w, s->own);
    w->inverse = ze_zeros(w, s->own);
    for (int32_t body = 0; body < s->bodies; body++) factor_body(w, body);
    w->common = s->own > 0 ? w->inverse[0] : ZX_NONE;
    for (int32_t k = 0; k < s->own; k++)
        if (w->inverse[k] != w->common) w->common = ZX_NONE;
    for (int32_t body = 0; body < s->bodies; body++)
        if (w->L[body]) w->common = ZX_NONE;
}

void ze_forward_body(ze_writer *w, int32_t body, zx_node *x)
{
    int32_t size = ze_body_size(w, body);
    const zx_node *L = w->L[body];
    for (int32_t i = 0; L && i < size; i++)
        for (int32_t j = 0; j < i; j++) x[i] = ze_sub(w, x[i], ze_mul(w, L[i * size + j], x[j]));
}

void ze_backward_body(ze_writer *w, int32_t body, zx_node *x)
{
    int32_t size = ze_body_size(w, body);
    const zx_node *L = w->L[body];
    for (int32_t i = size - 1; L && i >= 0; i--)
        for (int32_t j = i + 1; j < size; j++)
            x[i] = ze_sub(w, x[i], ze_mul(w, L[j * size + i], x[j]));
}

/* -------------------------------------------------------------------------- rows */

/* Whether the same rows touch two bodies. */
static bool have_same_rows(const ze_writer *w, int32_t x, int32_t y)
{
    int32_t count = w->by_start[x + 1] - w->by_start[x];
    if (w->by_start[y + 1] - w->by_start[y] != count) return false;
    for (int32_t k = 0; k < count; k++)
        if (w->touch[w->by_body[w->by_start[x] + k]].row !=
            w->touch[w->by_body[w->by_start[y] + k]].row)
            return false;
    return true;
}

/* How many coordinates have the 1 / D of coordinate k of a body, and its rows. */
static int32_t count_alike_coordinates(const ze_writer *w, int32_t body, int32_t k)
{
    int32_t count = 0;
    zx_node inverse = w->inverse[w->first[body] + k];
    for (int32_t other = 0; other < w->shape->bodies; other++) {
        bool seen = other == body;
        for (int32_t i = w->first[other]; i < w->first[other + 1]; i++) {
            if (w->inverse[i] != inverse) continue;
            if (!seen && !have_same_rows(w, body, other)) break;
            seen = true;
            count++;
        }
    }
    return count;
}

/* Whether 1 / D is taken out of the sums: that costs one product a pair of rows; otherwise it is
 * one a row and coordinate. */
static bool pays_outside(const ze_writer *w, int32_t body, int32_t k)
{
    int32_t rows = w->by_start[body + 1] - w->by_start[body];
    double value;
    return w->common != ZX_NONE || rows + 1 <= 2 * count_alike_coordinates(w, body, k) ||
           zx_is_constant(&w->pool, w->inverse[w->first[body] + k], &value);
}

/* G and H of a touch; H only where 1 / D is not taken out of the sums. */
static void solve_touch(ze_writer *w, ze_touch *t)
{
    int32_t size = ze_body_size(w, t->body);
    t->G = ze_zeros(w, size);
    t->H = ze_zeros(w, size);
    for (int32_t k = 0; k < size; k++) t->G[k] = t->A[k];
    ze_forward_body(w, t->body, t->G);
    for (int32_t k = 0; k < size; k++)
        if (!w->outside[w->first[t->body] + k])
            t->H[k] = ze_mul(w, w->inverse[w->first[t->body] + k], t->G[k]);
}

/* -------------------------------------------------------------------- weighted sums */

/* sum of weight * product. */
typedef struct weighted {
    ze_writer *w;
    zx_node *weight, *product;
    int32_t count;
} weighted;

/* A node without a minus sign in front. */
static zx_node without_minus(const ze_writer *w, zx_node x)
{
    return w->pool.items[x].op == ZX_NEG ? w->pool.items[x].a : x;
}

/* Adds weight * product to a sum. Equal products, whatever their sign, are one with the sum of
 * their weights. */
static void add_weighted(weighted *list, zx_node weight, zx_node product)
{
    ze_writer *w = list->w;
    if (ze_is_zero(w, product)) return;
    for (int32_t k = 0; k < list->count; k++)
        if (without_minus(w, list->product[k]) == without_minus(w, product)) {
            bool same = list->product[k] == product;
            list->weight[k] = (same ? ze_add : ze_sub)(w, list->weight[k], weight);
            return;
        }
    list->weight[list->count] = weight;
    list->product[list->count++] = product;
}

/* The sum as a node. Products of one weight are added up before they are multiplied. */
static zx_node sum_weighted(const weighted *list)
{
    ze_writer *w = list->w;
    zx_node sum = w->zero;
    for (int32_t k = 0; k < list->count; k++) {
        bool seen = false;
        for (int32_t i = 0; i < k; i++) seen = seen || list->weight[i] == list->weight[k];
        if (seen) continue;
        zx_node part = list->product[k];
        for (int32_t i = k + 1; i < list->count; i++)
            if (list->weight[i] == list->weight[k]) part = ze_add(w, part, list->product[i]);
        sum = ze_add(w, sum, ze_mul(w, list->weight[k], part));
    }
    return sum;
}

/* The share of a body in the entry of two rows that touch it. */
static void add_body_products(weighted *list, const ze_touch *x, const ze_touch *y)
{
    ze_writer *w = list->w;
    for (int32_t k = 0; k < ze_body_size(w, x->body); k++) {
        int32_t at = w->first[x->body] + k;
        zx_node weight = w->outside[at] && w->common == ZX_NONE ? w->inverse[at] : w->one;
        add_weighted(list, weight, ze_mul(w, x->G[k], w->outside[at] ? y->G[k] : y->H[k]));
    }
}

/* S_ij: over the bodies that both rows touch; both lists ascend by body. */
static zx_node schur_entry(weighted *list, int32_t i, int32_t j)
{
    ze_writer *w = list->w;
    int32_t a = w->touch_start[i], b = w->touch_start[j];
    list->count = 0;
    while (a < w->touch_start[i + 1] && b < w->touch_start[j + 1]) {
        int32_t difference = w->touch[a].body - w->touch[b].body;
        if (difference == 0) add_body_products(list, &w->touch[a], &w->touch[b]);
        a += difference <= 0;
        b += difference >= 0;
    }
    return sum_weighted(list);
}

/* A row (A or G of its touches) times u, equal products taken once. Zeros of u cost nothing. */
static zx_node row_times_vector(ze_writer *w, int32_t row, const zx_node *u, bool itself)
{
    int32_t size = 0;
    for (int32_t k = w->touch_start[row]; k < w->touch_start[row + 1]; k++)
        size += ze_body_size(w, w->touch[k].body);
    weighted list = {.w = w, .weight = ze_zeros(w, size), .product = ze_zeros(w, size)};
    for (int32_t k = w->touch_start[row]; k < w->touch_start[row + 1]; k++) {
        const ze_touch *t = &w->touch[k];
        for (int32_t i = 0; i < ze_body_size(w, t->body); i++)
            if (!ze_is_zero(w, u[w->first[t->body] + i]))
                add_weighted(&list, u[w->first[t->body] + i], itself ? t->A[i] : t->G[i]);
    }
    return sum_weighted(&list);
}

zx_node ze_row_times(ze_writer *w, int32_t row, const zx_node *u)
{
    return row_times_vector(w, row, u, false);
}

zx_node ze_row_itself_times(ze_writer *w, int32_t row, const zx_node *u)
{
    return row_times_vector(w, row, u, true);
}

/* The lower triangle of S, entry by entry; what counts for a row that does not count is 0. */
void ze_write_rows(ze_writer *w)
{
    int32_t rows = w->rows, own = w->shape->own;
    factor_masses(w);
    w->outside = ZB_NEW_ARRAY(&w->scratch, bool, (size_t)own);
    for (int32_t body = 0; body < w->shape->bodies; body++)
        for (int32_t k = 0; k < ze_body_size(w, body); k++)
            w->outside[w->first[body] + k] = pays_outside(w, body, k);
    for (int32_t k = 0; k < w->touch_start[rows]; k++) solve_touch(w, &w->touch[k]);
    w->S = ze_zeros(w, (int64_t)rows * rows);
    weighted list = {.w = w, .weight = ze_zeros(w, own), .product = ze_zeros(w, own)};
    for (int32_t i = 0; i < rows; i++)
        for (int32_t j = 0; j <= i; j++) w->S[i * rows + j] = schur_entry(&list, i, j);
    for (int32_t i = 0; i < rows; i++) /* the part that owns a row adds its absence */
        if (w->shape->owned[i])
            w->S[i * rows + i] =
                ze_add(w, w->S[i * rows + i], w->level[ze_levels * i + ze_absence]);
}
