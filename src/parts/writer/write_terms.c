/*
 * The terms of a part written out as nodes: its mass blocks M_b, forces Q, rows A, b and levels,
 * each a sum of outputs of the elements.
 *
 *      element: outputs of some terms, slots ──▶ local coordinates and values
 *                   │ zx_copy
 *                   ▼
 *      spot (row, column):   M of a body   A of a row: own bodies │ beyond   b, Q, levels
 *                             ┌──┐                    └ touches    └ for levels only
 *                             └──┘
 *
 * A row whose entries are all multiples by the same literal (2 (x - y) and so on) is kept without
 * it; write_solve.c puts it back where others see it. Everything lives in the writer's pool and
 * scratch arena.
 */
#include <string.h>

#include "writer.h"

/* ------------------------------------------------------------------ arithmetic */

/* In the scratch arena. */
zx_node *ze_zeros(ze_writer *w, int64_t count)
{
    zx_node *list = ZB_NEW_ARRAY(&w->scratch, zx_node, (size_t)count);
    for (int64_t i = 0; i < count; i++) list[i] = w->zero;
    return list;
}

bool ze_is_zero(const ze_writer *w, zx_node x)
{
    double value;
    return zx_is_constant(&w->pool, x, &value) && value == 0.0;
}

zx_node ze_add(ze_writer *w, zx_node x, zx_node y)
{
    return zx_binary(&w->pool, ZX_ADD, x, y);
}

zx_node ze_sub(ze_writer *w, zx_node x, zx_node y)
{
    return zx_binary(&w->pool, ZX_SUB, x, y);
}

zx_node ze_mul(ze_writer *w, zx_node x, zx_node y)
{
    if (ze_is_zero(w, x) || ze_is_zero(w, y)) return w->zero;
    return zx_binary(&w->pool, ZX_MUL, x, y);
}

zx_node ze_read_node(ze_writer *w, ze_read_kind kind, int32_t index)
{
    return zx_leaf(&w->pool, ZX_MEASURE, (int32_t)kind << ze_read_bits | index);
}

/* ---------------------------------------------------------------------- pattern */

/* Own coordinates by body: first, member, place. */
static void sort_coordinates(ze_writer *w)
{
    const ze_shape *s = w->shape;
    w->first = ZB_NEW_ARRAY(&w->scratch, int32_t, (size_t)s->bodies + 1);
    w->member = ZB_NEW_ARRAY(&w->scratch, int32_t, (size_t)s->own);
    w->place = ZB_NEW_ARRAY(&w->scratch, int32_t, (size_t)s->own);
    int32_t *next = ZB_NEW_ARRAY(&w->scratch, int32_t, (size_t)s->bodies);
    for (int32_t k = 0; k < s->own; k++) w->first[s->body[k] + 1]++;
    for (int32_t k = 0; k < s->bodies; k++) w->first[k + 1] += w->first[k];
    for (int32_t k = 0; k < s->own; k++) {
        int32_t body = s->body[k];
        w->place[k] = next[body]++;
        w->member[w->first[body] + w->place[k]] = k;
    }
}

/* Whether an output of an element belongs to A, and here. */
static bool is_of_rows(const ze_shape *s, const ze_element *e, int32_t k)
{
    const ze_terms *t = &s->system->terms[e->terms];
    return t->target == ZE_TO_ROWS && e->first + k < t->matrix && e->spot[k].row >= 0 &&
           e->spot[k].column >= 0;
}

/* Rows on bodies as one list of row * bodies + body, ascending, each once. */
static int64_t *list_touches(ze_writer *w, int32_t *count)
{
    const ze_shape *s = w->shape;
    size_t most = 0;
    for (int32_t k = 0; k < s->element_count; k++) most += (size_t)s->elements[k].count;
    int64_t *list = ZB_NEW_ARRAY(&w->scratch, int64_t, most);
    int32_t found = 0;
    for (int32_t k = 0; k < s->element_count; k++)
        for (int32_t o = 0; o < s->elements[k].count; o++) {
            const ze_spot *spot = &s->elements[k].spot[o];
            if (!is_of_rows(s, &s->elements[k], o) || spot->column >= s->own) continue;
            int64_t key = (int64_t)spot->row * s->bodies + s->body[spot->column];
            int32_t at = found;
            while (at > 0 && list[at - 1] > key) at--;
            if (at > 0 && list[at - 1] == key) continue;
            memmove(list + at + 1, list + at, sizeof *list * (size_t)(found - at));
            list[at] = key;
            found++;
        }
    *count = found;
    return list;
}

/* The touches by row, and a list of them by body; counting sorts. */
static void sort_touches(ze_writer *w)
{
    int32_t bodies = w->shape->bodies, count;
    int64_t *list = list_touches(w, &count);
    w->touch = ZB_NEW_ARRAY(&w->scratch, ze_touch, (size_t)count);
    w->touch_start = ZB_NEW_ARRAY(&w->scratch, int32_t, (size_t)w->rows + 1);
    w->by_body = ZB_NEW_ARRAY(&w->scratch, int32_t, (size_t)count);
    w->by_start = ZB_NEW_ARRAY(&w->scratch, int32_t, (size_t)bodies + 1);
    int32_t *next = ZB_NEW_ARRAY(&w->scratch, int32_t, (size_t)bodies);
    for (int32_t k = 0; k < count; k++) {
        w->touch[k].row = (int32_t)(list[k] / bodies);
        w->touch[k].body = (int32_t)(list[k] % bodies);
        w->touch_start[w->touch[k].row + 1]++;
        w->by_start[w->touch[k].body + 1]++;
    }
    for (int32_t i = 0; i < w->rows; i++) w->touch_start[i + 1] += w->touch_start[i];
    for (int32_t i = 0; i < bodies; i++) w->by_start[i + 1] += w->by_start[i];
    for (int32_t k = 0; k < count; k++) {
        int32_t body = w->touch[k].body;
        w->by_body[w->by_start[body] + next[body]++] = k;
    }
}

/* Rows that touch one body fill an entry of S; the order of elimination follows from that. */
int64_t ze_find_pattern(ze_writer *w)
{
    const ze_shape *s = w->shape;
    size_t rows = (size_t)w->rows;
    sort_coordinates(w);
    sort_touches(w);
    w->fills = ZB_NEW_ARRAY(&w->scratch, bool, zb_product(rows, rows));
    w->order = ZB_NEW_ARRAY(&w->scratch, int32_t, (size_t)s->inner);
    for (int32_t body = 0; body < s->bodies; body++)
        for (int32_t a = w->by_start[body]; a < w->by_start[body + 1]; a++)
            for (int32_t b = w->by_start[body]; b <= a; b++)
                w->fills[(size_t)w->touch[w->by_body[a]].row * rows +
                         (size_t)w->touch[w->by_body[b]].row] = true;
    return ze_order_rows(&w->scratch, s->inner, s->outer, w->fills, w->order);
}

/* By a search: a row touches few bodies. */
ze_touch *ze_touch_of(const ze_writer *w, int32_t row, int32_t body)
{
    for (int32_t k = w->touch_start[row]; k < w->touch_start[row + 1]; k++)
        if (w->touch[k].body == body) return &w->touch[k];
    return NULL;
}

/* --------------------------------------------------------------------- elements */

/* A leaf of a term with the local number of its slot: a callback of zx_copy. */
static zx_node local_leaf(void *user, zx_pool *to, const zx_item *leaf)
{
    const ze_element *e = user;
    switch (leaf->op) {
    case ZX_POSITION:
    case ZX_VELOCITY:
        return zx_leaf(to, (zx_op)leaf->op, e->coordinate[leaf->a]);
    case ZX_VALUE:
        return zx_leaf(to, ZX_VALUE, e->value[leaf->a]);
    default:
        return ZX_NONE;
    }
}

/* The entry of a row in a halo coordinate, added when it is new. */
static zx_node *find_halo_entry(ze_writer *w, int32_t row, int32_t coordinate)
{
    for (int32_t k = w->halo_entry_count - 1; k >= 0; k--)
        if (w->halo_entries[k].row == row && w->halo_entries[k].coordinate == coordinate)
            return &w->halo_entries[k].A;
    w->halo_entries[w->halo_entry_count] = (ze_halo_entry){row, coordinate, w->zero};
    return &w->halo_entries[w->halo_entry_count++].A;
}

/* Where an entry of M is summed, lower triangle; NULL: not of own coordinates. M couples no two
 * bodies. */
static zx_node *mass_entry(ze_writer *w, const ze_spot *spot)
{
    const ze_shape *s = w->shape;
    if (spot->row >= s->own || spot->column >= s->own) return NULL;
    int32_t body = s->body[spot->row], i = w->place[spot->row], j = w->place[spot->column];
    if (s->body[spot->column] != body) ze_writer_fail(w, ZW_ERR_ARGUMENT);
    int32_t low = i < j ? i : j, high = i < j ? j : i;
    return &w->M[body][high * ze_body_size(w, body) + low];
}

/* Where an entry of A is summed: in a touch, or among the halo entries. */
static zx_node *row_entry(ze_writer *w, const ze_spot *spot)
{
    const ze_shape *s = w->shape;
    if (spot->column >= s->own) return find_halo_entry(w, spot->row, spot->column);
    return &ze_touch_of(w, spot->row, s->body[spot->column])->A[w->place[spot->column]];
}

/* What an output is added to, NULL: nothing here. */
static zx_node *target_of(ze_writer *w, const ze_element *e, int32_t k)
{
    const ze_terms *t = &w->shape->system->terms[e->terms];
    const ze_spot *spot = &e->spot[k];
    bool matrix = e->first + k < t->matrix;
    if (spot->row < 0 || ((matrix || t->target == ZE_TO_LEVELS) && spot->column < 0)) return NULL;
    switch (t->target) {
    case ZE_TO_DYNAMICS:
        if (matrix) return mass_entry(w, spot);
        return spot->row < w->shape->own ? &w->Q[spot->row] : NULL;
    case ZE_TO_ROWS:
        return matrix ? row_entry(w, spot) : &w->b[spot->row];
    default:
        return &w->level[ze_levels * spot->row + spot->column];
    }
}

/* Only outputs that belong here are written out: others may read what is not known here. */
static void write_element(ze_writer *w, const ze_element *e, zx_node *roots, zx_node *out)
{
    const ze_terms *t = &w->shape->system->terms[e->terms];
    int32_t count = 0;
    for (int32_t k = 0; k < e->count; k++)
        if (target_of(w, e, k)) roots[count++] = t->nodes[e->first + k];
    ze_element copy = *e;
    zx_copy(&w->pool, w->shape->system->pool, roots, count, local_leaf, &copy, out);
    int32_t at = 0;
    for (int32_t k = 0; k < e->count; k++) {
        zx_node *sum = target_of(w, e, k);
        if (!sum) continue;
        *sum = ze_add(w, *sum, ze_scale(w, e->spot[k].twice ? 2.0 : 1.0, out[at]));
        at++;
    }
}

/* ---------------------------------------------------------------------- factors */

/* c of a node c x, whatever its sign; 1 where it is not such a product. */
static double coefficient_of(const zx_pool *pool, zx_node node)
{
    const zx_item *x = &pool->items[node];
    if (x->op == ZX_NEG) x = &pool->items[x->a];
    if (x->op != ZX_MUL || pool->items[x->a].op != ZX_NUMBER) return 1.0;
    return zx_number_of(&pool->items[x->a]);
}

/* x - y and y - x as one node and its negative: that with the older operand first. */
static zx_node ordered_difference(ze_writer *w, zx_node node)
{
    zx_item x = w->pool.items[node];
    if (x.op != ZX_SUB || x.a < x.b) return node;
    x = (zx_item){.op = ZX_SUB, .a = x.b, .b = x.a};
    x = (zx_item){.op = ZX_NEG, .a = zx_intern(&w->pool, &x)};
    return zx_intern(&w->pool, &x);
}

/* The negative of a node, of a difference too as the negative of what it is. */
static zx_node negated_term(ze_writer *w, zx_node node)
{
    if (w->pool.items[node].op != ZX_SUB) return zx_unary(&w->pool, ZX_NEG, node);
    return zx_intern(&w->pool, &(zx_item){.op = ZX_NEG, .a = node});
}

/* x of a node c x, its sign kept. */
static zx_node without_coefficient(ze_writer *w, zx_node node)
{
    zx_item x = w->pool.items[node];
    bool minus = x.op == ZX_NEG;
    if (minus) x = w->pool.items[x.a];
    zx_node rest = ordered_difference(w, x.b);
    return minus ? negated_term(w, rest) : rest;
}

/* Whether a sum consists of multiples by literals, which another factor makes no longer. */
static bool is_sum_of_multiples(const zx_pool *pool, zx_node node, int depth)
{
    const zx_item *x = &pool->items[node];
    if (coefficient_of(pool, node) != 1.0 || x->op <= ZX_BOUND) return true;
    if (x->op == ZX_NEG) return depth > 0 && is_sum_of_multiples(pool, x->a, depth - 1);
    if ((x->op != ZX_ADD && x->op != ZX_SUB) || depth == 0) return false;
    return is_sum_of_multiples(pool, x->a, depth - 1) && is_sum_of_multiples(pool, x->b, depth - 1);
}

/* A factor into every term of a sum. */
static zx_node scale_sum(ze_writer *w, double factor, zx_node node)
{
    zx_item x = w->pool.items[node];
    bool sum = x.op == ZX_ADD || x.op == ZX_SUB;
    if (x.op == ZX_NEG) return zx_unary(&w->pool, ZX_NEG, scale_sum(w, factor, x.a));
    if (!sum) return ze_mul(w, zx_number(&w->pool, factor), node);
    zx_node a = scale_sum(w, factor, x.a), b = scale_sum(w, factor, x.b);
    return zx_binary(&w->pool, (zx_op)x.op, a, b);
}

/* Into the terms of a sum where they are multiples of numbers anyway, else a product. */
zx_node ze_scale(ze_writer *w, double factor, zx_node x)
{
    enum { deep = 12 };
    if (factor == 1.0) return x;
    if (is_sum_of_multiples(&w->pool, x, deep)) return scale_sum(w, factor, x);
    return ze_mul(w, zx_number(&w->pool, factor), x);
}

/* Entry k of a row: those of its touches, then those of the halo; NULL behind the last. */
static zx_node *entry_of_row(ze_writer *w, int32_t row, int32_t k)
{
    for (int32_t t = w->touch_start[row]; t < w->touch_start[row + 1]; t++) {
        int32_t size = ze_body_size(w, w->touch[t].body);
        if (k < size) return &w->touch[t].A[k];
        k -= size;
    }
    for (int32_t e = 0; e < w->halo_entry_count; e++)
        if (w->halo_entries[e].row == row && k-- == 0) return &w->halo_entries[e].A;
    return NULL;
}

/* The coefficient that all entries of a row have; 0: they differ, or there are none. */
static double common_coefficient(ze_writer *w, int32_t row)
{
    double common = 0.0;
    zx_node *entry;
    for (int32_t k = 0; (entry = entry_of_row(w, row, k)); k++) {
        if (ze_is_zero(w, *entry)) continue;
        double c = coefficient_of(&w->pool, *entry);
        if (common != 0.0 && c != common) return 0.0;
        common = c;
    }
    return common;
}

/* Divides a row by the number that all its entries are multiples of, b with it. Differences get one
 * direction, so that x - y and y - x share a node. */
static void take_row_factor(ze_writer *w, int32_t row)
{
    double factor = common_coefficient(w, row);
    bool taken = factor != 0.0 && factor != 1.0;
    zx_node *entry;
    w->factor[row] = taken ? factor : 1.0;
    for (int32_t k = 0; (entry = entry_of_row(w, row, k)); k++)
        if (!ze_is_zero(w, *entry))
            *entry = taken ? without_coefficient(w, *entry) : ordered_difference(w, *entry);
    if (taken) w->b[row] = ze_scale(w, 1.0 / factor, w->b[row]);
}

/* -------------------------------------------------------------------------- all */

/* Sums that are all 0 at first. */
static void take_term_arrays(ze_writer *w)
{
    const ze_shape *s = w->shape;
    size_t most = 1;
    w->M = ZB_NEW_ARRAY(&w->scratch, zx_node *, (size_t)s->bodies);
    for (int32_t k = 0; k < s->bodies; k++) {
        int64_t size = ze_body_size(w, k);
        w->M[k] = ze_zeros(w, size * size);
    }
    w->Q = ze_zeros(w, s->own);
    w->b = ze_zeros(w, w->rows);
    w->level = ze_zeros(w, ze_levels * (int64_t)w->rows);
    w->factor = ZB_NEW_ARRAY(&w->scratch, double, (size_t)w->rows);
    for (int32_t k = 0; k < w->touch_start[w->rows]; k++)
        w->touch[k].A = ze_zeros(w, ze_body_size(w, w->touch[k].body));
    for (int32_t k = 0; k < s->element_count; k++)
        for (int32_t o = 0; o < s->elements[k].count; o++)
            most += is_of_rows(s, &s->elements[k], o) && s->elements[k].spot[o].column >= s->own;
    w->halo_entries = ZB_NEW_ARRAY(&w->scratch, ze_halo_entry, most);
}

/* Element by element, then the factors of rows. */
void ze_write_terms(ze_writer *w)
{
    const ze_shape *s = w->shape;
    int32_t most = 1;
    take_term_arrays(w);
    for (int32_t k = 0; k < s->element_count; k++)
        if (s->elements[k].count > most) most = s->elements[k].count;
    zx_node *roots = ze_zeros(w, most), *out = ze_zeros(w, most);
    for (int32_t k = 0; k < s->element_count; k++) write_element(w, &s->elements[k], roots, out);
    for (int32_t row = 0; row < w->rows; row++) take_row_factor(w, row);
}
