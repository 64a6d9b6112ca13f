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
 * it; write_solve.c puts it back where others see it. Everything lives in the maker's pool and
 * scratch arena.
 */
#include <string.h>

#include "writer.h"

/* ------------------------------------------------------------------ arithmetic */

zx_node *ze_zeros(ze_maker *m, int64_t count)
{
    zx_node *list = ZB_NEW_ARRAY(&m->scratch, zx_node, (size_t)count);
    for (int64_t i = 0; i < count; i++) list[i] = m->zero;
    return list;
}

bool ze_is_zero(const ze_maker *m, zx_node x)
{
    double value;
    return zx_is_constant(&m->pool, x, &value) && value == 0.0;
}

zx_node ze_add(ze_maker *m, zx_node x, zx_node y)
{
    return zx_binary(&m->pool, ZX_ADD, x, y);
}

zx_node ze_sub(ze_maker *m, zx_node x, zx_node y)
{
    return zx_binary(&m->pool, ZX_SUB, x, y);
}

zx_node ze_mul(ze_maker *m, zx_node x, zx_node y)
{
    if (ze_is_zero(m, x) || ze_is_zero(m, y)) return m->zero;
    return zx_binary(&m->pool, ZX_MUL, x, y);
}

zx_node ze_read_node(ze_maker *m, ze_read_kind kind, int32_t index)
{
    return zx_leaf(&m->pool, ZX_MEASURE, (int32_t)kind << ze_read_bits | index);
}

/* ---------------------------------------------------------------------- pattern */

/* Coordinates by their bodies. */
static void sort_coordinates(ze_maker *m)
{
    const ze_shape *s = m->shape;
    m->first = ZB_NEW_ARRAY(&m->scratch, int32_t, (size_t)s->bodies + 1);
    m->member = ZB_NEW_ARRAY(&m->scratch, int32_t, (size_t)s->own);
    m->place = ZB_NEW_ARRAY(&m->scratch, int32_t, (size_t)s->own);
    int32_t *next = ZB_NEW_ARRAY(&m->scratch, int32_t, (size_t)s->bodies);
    for (int32_t k = 0; k < s->own; k++) m->first[s->body[k] + 1]++;
    for (int32_t k = 0; k < s->bodies; k++) m->first[k + 1] += m->first[k];
    for (int32_t k = 0; k < s->own; k++) {
        int32_t body = s->body[k];
        m->place[k] = next[body]++;
        m->member[m->first[body] + m->place[k]] = k;
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
static int64_t *list_touches(ze_maker *m, int32_t *count)
{
    const ze_shape *s = m->shape;
    size_t most = 0;
    for (int32_t k = 0; k < s->element_count; k++) most += (size_t)s->elements[k].count;
    int64_t *list = ZB_NEW_ARRAY(&m->scratch, int64_t, most);
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

static void sort_touches(ze_maker *m)
{
    int32_t bodies = m->shape->bodies, count;
    int64_t *list = list_touches(m, &count);
    m->touch = ZB_NEW_ARRAY(&m->scratch, ze_touch, (size_t)count);
    m->touch_start = ZB_NEW_ARRAY(&m->scratch, int32_t, (size_t)m->rows + 1);
    m->by_body = ZB_NEW_ARRAY(&m->scratch, int32_t, (size_t)count);
    m->by_start = ZB_NEW_ARRAY(&m->scratch, int32_t, (size_t)bodies + 1);
    int32_t *next = ZB_NEW_ARRAY(&m->scratch, int32_t, (size_t)bodies);
    for (int32_t k = 0; k < count; k++) {
        m->touch[k].row = (int32_t)(list[k] / bodies);
        m->touch[k].body = (int32_t)(list[k] % bodies);
        m->touch_start[m->touch[k].row + 1]++;
        m->by_start[m->touch[k].body + 1]++;
    }
    for (int32_t i = 0; i < m->rows; i++) m->touch_start[i + 1] += m->touch_start[i];
    for (int32_t i = 0; i < bodies; i++) m->by_start[i + 1] += m->by_start[i];
    for (int32_t k = 0; k < count; k++) {
        int32_t body = m->touch[k].body;
        m->by_body[m->by_start[body] + next[body]++] = k;
    }
}

int64_t ze_find_pattern(ze_maker *m)
{
    const ze_shape *s = m->shape;
    size_t rows = (size_t)m->rows;
    sort_coordinates(m);
    sort_touches(m);
    m->fills = ZB_NEW_ARRAY(&m->scratch, bool, zb_product(rows, rows));
    m->order = ZB_NEW_ARRAY(&m->scratch, int32_t, (size_t)s->inner);
    for (int32_t body = 0; body < s->bodies; body++)
        for (int32_t a = m->by_start[body]; a < m->by_start[body + 1]; a++)
            for (int32_t b = m->by_start[body]; b <= a; b++)
                m->fills[(size_t)m->touch[m->by_body[a]].row * rows +
                         (size_t)m->touch[m->by_body[b]].row] = true;
    return ze_order_rows(&m->scratch, s->inner, s->outer, m->fills, m->order);
}

ze_touch *ze_touch_of(const ze_maker *m, int32_t row, int32_t body)
{
    for (int32_t k = m->touch_start[row]; k < m->touch_start[row + 1]; k++)
        if (m->touch[k].body == body) return &m->touch[k];
    return NULL;
}

/* --------------------------------------------------------------------- elements */

/* Slots of an element's terms are local numbers. */
static zx_node leaf_of(void *user, zx_pool *to, const zx_item *leaf)
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

static zx_node *beyond_entry(ze_maker *m, int32_t row, int32_t coordinate)
{
    for (int32_t k = m->beyond_count - 1; k >= 0; k--)
        if (m->beyond[k].row == row && m->beyond[k].coordinate == coordinate)
            return &m->beyond[k].A;
    m->beyond[m->beyond_count] = (ze_beyond){row, coordinate, m->zero};
    return &m->beyond[m->beyond_count++].A;
}

static zx_node *mass_entry(ze_maker *m, const ze_spot *spot)
{
    const ze_shape *s = m->shape;
    if (spot->row >= s->own || spot->column >= s->own) return NULL;
    int32_t body = s->body[spot->row], i = m->place[spot->row], j = m->place[spot->column];
    if (s->body[spot->column] != body) ze_fail(m, ZW_ERR_ARGUMENT);
    int32_t low = i < j ? i : j, high = i < j ? j : i;
    return &m->M[body][high * ze_body_size(m, body) + low];
}

static zx_node *row_entry(ze_maker *m, const ze_spot *spot)
{
    const ze_shape *s = m->shape;
    if (spot->column >= s->own) return beyond_entry(m, spot->row, spot->column);
    return &ze_touch_of(m, spot->row, s->body[spot->column])->A[m->place[spot->column]];
}

/* What an output is added to, NULL: nothing here. */
static zx_node *target_of(ze_maker *m, const ze_element *e, int32_t k)
{
    const ze_terms *t = &m->shape->system->terms[e->terms];
    const ze_spot *spot = &e->spot[k];
    bool matrix = e->first + k < t->matrix;
    if (spot->row < 0 || ((matrix || t->target == ZE_TO_LEVELS) && spot->column < 0)) return NULL;
    switch (t->target) {
    case ZE_TO_DYNAMICS:
        if (matrix) return mass_entry(m, spot);
        return spot->row < m->shape->own ? &m->Q[spot->row] : NULL;
    case ZE_TO_ROWS:
        return matrix ? row_entry(m, spot) : &m->b[spot->row];
    default:
        return &m->level[4 * spot->row + spot->column];
    }
}

/* Only outputs that belong here are written out: others may read what is not known here. */
static void write_element(ze_maker *m, const ze_element *e, zx_node *roots, zx_node *out)
{
    const ze_terms *t = &m->shape->system->terms[e->terms];
    int32_t count = 0;
    for (int32_t k = 0; k < e->count; k++)
        if (target_of(m, e, k)) roots[count++] = t->nodes[e->first + k];
    ze_element copy = *e;
    zx_copy(&m->pool, m->shape->system->pool, roots, count, leaf_of, &copy, out);
    int32_t at = 0;
    for (int32_t k = 0; k < e->count; k++) {
        zx_node *sum = target_of(m, e, k);
        if (!sum) continue;
        *sum = ze_add(m, *sum, ze_scale(m, e->spot[k].twice ? 2.0 : 1.0, out[at]));
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
static zx_node turned(ze_maker *m, zx_node node)
{
    zx_item x = m->pool.items[node];
    if (x.op != ZX_SUB || x.a < x.b) return node;
    x = (zx_item){.op = ZX_SUB, .a = x.b, .b = x.a};
    x = (zx_item){.op = ZX_NEG, .a = zx_intern(&m->pool, &x)};
    return zx_intern(&m->pool, &x);
}

/* The negative of a node, of a difference too as the negative of what it is. */
static zx_node negated(ze_maker *m, zx_node node)
{
    if (m->pool.items[node].op != ZX_SUB) return zx_unary(&m->pool, ZX_NEG, node);
    return zx_intern(&m->pool, &(zx_item){.op = ZX_NEG, .a = node});
}

/* x of c x. */
static zx_node without_coefficient(ze_maker *m, zx_node node)
{
    zx_item x = m->pool.items[node];
    bool minus = x.op == ZX_NEG;
    if (minus) x = m->pool.items[x.a];
    zx_node rest = turned(m, x.b);
    return minus ? negated(m, rest) : rest;
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

static zx_node scale_sum(ze_maker *m, double factor, zx_node node)
{
    zx_item x = m->pool.items[node];
    bool sum = x.op == ZX_ADD || x.op == ZX_SUB;
    if (x.op == ZX_NEG) return zx_unary(&m->pool, ZX_NEG, scale_sum(m, factor, x.a));
    if (!sum) return ze_mul(m, zx_number(&m->pool, factor), node);
    zx_node a = scale_sum(m, factor, x.a), b = scale_sum(m, factor, x.b);
    return zx_binary(&m->pool, (zx_op)x.op, a, b);
}

zx_node ze_scale(ze_maker *m, double factor, zx_node x)
{
    enum { deep = 12 };
    if (factor == 1.0) return x;
    if (is_sum_of_multiples(&m->pool, x, deep)) return scale_sum(m, factor, x);
    return ze_mul(m, zx_number(&m->pool, factor), x);
}

/* The entries of a row, one after the other; NULL behind the last. */
static zx_node *entry_at(ze_maker *m, int32_t row, int32_t k)
{
    for (int32_t t = m->touch_start[row]; t < m->touch_start[row + 1]; t++) {
        int32_t size = ze_body_size(m, m->touch[t].body);
        if (k < size) return &m->touch[t].A[k];
        k -= size;
    }
    for (int32_t e = 0; e < m->beyond_count; e++)
        if (m->beyond[e].row == row && k-- == 0) return &m->beyond[e].A;
    return NULL;
}

/* The coefficient that all entries of a row have; 0: they differ, or there are none. */
static double common_coefficient(ze_maker *m, int32_t row)
{
    double common = 0.0;
    zx_node *entry;
    for (int32_t k = 0; (entry = entry_at(m, row, k)); k++) {
        if (ze_is_zero(m, *entry)) continue;
        double c = coefficient_of(&m->pool, *entry);
        if (common != 0.0 && c != common) return 0.0;
        common = c;
    }
    return common;
}

static void take_factor(ze_maker *m, int32_t row)
{
    double factor = common_coefficient(m, row);
    bool taken = factor != 0.0 && factor != 1.0;
    zx_node *entry;
    m->factor[row] = taken ? factor : 1.0;
    for (int32_t k = 0; (entry = entry_at(m, row, k)); k++)
        if (!ze_is_zero(m, *entry))
            *entry = taken ? without_coefficient(m, *entry) : turned(m, *entry);
    if (taken) m->b[row] = ze_scale(m, 1.0 / factor, m->b[row]);
}

/* -------------------------------------------------------------------------- all */

static void take_arrays(ze_maker *m)
{
    const ze_shape *s = m->shape;
    size_t most = 1;
    m->M = ZB_NEW_ARRAY(&m->scratch, zx_node *, (size_t)s->bodies);
    for (int32_t k = 0; k < s->bodies; k++) {
        int64_t size = ze_body_size(m, k);
        m->M[k] = ze_zeros(m, size * size);
    }
    m->Q = ze_zeros(m, s->own);
    m->b = ze_zeros(m, m->rows);
    m->level = ze_zeros(m, 4 * (int64_t)m->rows);
    m->factor = ZB_NEW_ARRAY(&m->scratch, double, (size_t)m->rows);
    for (int32_t k = 0; k < m->touch_start[m->rows]; k++)
        m->touch[k].A = ze_zeros(m, ze_body_size(m, m->touch[k].body));
    for (int32_t k = 0; k < s->element_count; k++)
        for (int32_t o = 0; o < s->elements[k].count; o++)
            most += is_of_rows(s, &s->elements[k], o) && s->elements[k].spot[o].column >= s->own;
    m->beyond = ZB_NEW_ARRAY(&m->scratch, ze_beyond, most);
}

void ze_write_terms(ze_maker *m)
{
    const ze_shape *s = m->shape;
    int32_t most = 1;
    take_arrays(m);
    for (int32_t k = 0; k < s->element_count; k++)
        if (s->elements[k].count > most) most = s->elements[k].count;
    zx_node *roots = ze_zeros(m, most), *out = ze_zeros(m, most);
    for (int32_t k = 0; k < s->element_count; k++) write_element(m, &s->elements[k], roots, out);
    for (int32_t row = 0; row < m->rows; row++) take_factor(m, row);
}
