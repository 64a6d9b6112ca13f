/*
 * The programs of a cell, from elimination on nodes (eliminate.h):
 *
 *     down     inputs            -> pairs, margin, L, 1 / D, right of outer rows, D^-1 L^-1 c
 *     forward  right, L, 1 / D   -> right of outer rows, D^-1 L^-1 c
 *     back     D^-1 L^-1 c, L, x of outer rows -> x inside
 *
 *     record  | pairs | margin | L   1/D | right of outer rows | D^-1 L^-1 c |
 *              down writes all           forward writes from here on
 *                                back reads from L on
 *
 * Leaves: positions are the inputs, velocities the record from L on, measures x of outer rows. The
 * margin is the sum of size / pivot, which no NaN passes by unseen, the least 1 / pivot, which is
 * negative where a pivot is, and the largest size / pivot; none costs a division.
 *
 * Nodes are in a pool of the planner, given back after each cell; programs belong to the cell.
 */
#include "eliminate.h"
#include "matrix_plan.h"

typedef struct maker {
    ze_planner *p;
    zx_pool *pool;
    ze_cell *cell;
    int32_t count; /* rows, inner and outer */
    zx_node zero;
    ze_elimination e;
    zx_node *roots; /* outputs of the program under way */
    int32_t root_count;
} maker;

static zx_node *nodes(maker *m, int32_t count)
{
    zx_node *list = ZB_NEW_ARRAY(&m->p->scratch, zx_node, count);
    for (int32_t k = 0; k < count; k++) list[k] = m->zero;
    return list;
}

static zx_node input(maker *m, int32_t slot)
{
    return zx_leaf(m->pool, ZX_POSITION, slot);
}

static void put(maker *m, zx_node node)
{
    m->roots[m->root_count++] = node;
}

/* What follows begins at 64 bytes: with 4 lanes at an even slot. */
static int32_t align(maker *m)
{
    while (m->root_count * m->p->width % 8 != 0) put(m, m->zero);
    return m->root_count;
}

static zk_program *compile(maker *m)
{
    zk_program *program = NULL;
    ze_must(m->p, zk_compile(m->p->memory, m->pool, m->roots, m->root_count, &program));
    return program;
}

/* ----------------------------------------------------------------------------- down */

static void read_inputs(maker *m)
{
    const ze_cell *cell = m->cell;
    int32_t inner = cell->inner;
    for (int32_t i = 0; i < inner; i++) {
        m->e.S[i * m->count + i] = input(m, i);
        m->e.right[i] = input(m, inner + cell->entry_count + i);
    }
    for (int32_t k = 0; k < cell->entry_count; k++)
        m->e.S[cell->entries[k].row * m->count + cell->entries[k].column] = input(m, inner + k);
}

/* Sum of size / pivot, least of 1 / pivot. */
static void put_margin(maker *m)
{
    const ze_cell *cell = m->cell;
    zx_node sum = m->zero, least = zx_number(m->pool, 1.0), largest = least;
    int32_t size_at = cell->sized ? 2 * cell->inner + cell->entry_count : 0;
    for (int32_t k = 0; k < cell->inner; k++) {
        int32_t i = cell->order[k];
        zx_node ratio = zx_binary(m->pool, ZX_MUL, input(m, size_at + i), m->e.inverse[i]);
        sum = zx_binary(m->pool, ZX_ADD, sum, ratio);
        largest = zx_binary(m->pool, ZX_MAX, ratio, largest);
        least = zx_binary(m->pool, ZX_MIN, m->e.inverse[i], least);
    }
    put(m, sum);
    put(m, least);
    put(m, largest);
}

/* L by columns in the order of elimination, each with its 1 / D. */
static void put_stored(maker *m)
{
    for (int32_t k = 0; k < m->cell->inner; k++) {
        int32_t j = m->cell->order[k];
        for (int32_t i = 0; i < m->count; i++)
            if (m->e.L[i * m->count + j] != m->zero) put(m, m->e.L[i * m->count + j]);
        put(m, m->e.inverse[j]);
    }
}

/* Of outer rows what is left, of inner ones D^-1 c. */
static void put_right(maker *m, const zx_node *right)
{
    for (int32_t i = m->cell->inner; i < m->count; i++) put(m, right[i]);
    for (int32_t i = 0; i < m->cell->inner; i++)
        put(m, zx_binary(m->pool, ZX_MUL, right[i], m->e.inverse[i]));
}

static void make_down(maker *m)
{
    ze_cell *cell = m->cell;
    read_inputs(m);
    ze_eliminate(&m->e, true);
    for (int32_t k = 0; k < cell->pair_count; k++) {
        int32_t i = cell->inner + cell->pairs[k].row, j = cell->inner + cell->pairs[k].column;
        put(m, m->e.S[i * m->count + j]);
    }
    cell->margin_at = m->root_count;
    put_margin(m);
    cell->stored_at = align(m);
    put_stored(m);
    cell->stored = m->root_count - cell->stored_at;
    cell->right_at = align(m);
    put_right(m, m->e.right);
    cell->record = m->root_count;
    cell->slots = (cell->sized ? 3 : 2) * cell->inner + cell->entry_count;
    cell->down = compile(m);
}

/* ------------------------------------------------------------------ forward and back */

/* L and 1 / D as they were stored. */
static void read_stored(maker *m)
{
    int32_t slot = 0;
    for (int32_t k = 0; k < m->cell->inner; k++) {
        int32_t j = m->cell->order[k];
        for (int32_t i = 0; i < m->count; i++)
            if (m->e.L[i * m->count + j] != m->zero)
                m->e.L[i * m->count + j] = zx_leaf(m->pool, ZX_VELOCITY, slot++);
        m->e.inverse[j] = zx_leaf(m->pool, ZX_VELOCITY, slot++);
    }
}

static void make_forward(maker *m)
{
    zx_node *right = nodes(m, m->count);
    m->root_count = 0;
    for (int32_t i = 0; i < m->cell->inner; i++)
        right[i] = input(m, m->cell->inner + m->cell->entry_count + i);
    ze_substitute_forward(&m->e, right);
    put_right(m, right);
    m->cell->forward = compile(m);
}

static void make_back(maker *m)
{
    const ze_cell *cell = m->cell;
    zx_node *x = nodes(m, m->count), one = zx_number(m->pool, 1.0);
    int32_t right_at = cell->right_at - cell->stored_at + cell->outer;
    m->root_count = 0;
    for (int32_t i = 0; i < cell->inner; i++) {
        m->e.right[i] = zx_leaf(m->pool, ZX_VELOCITY, right_at + i);
        m->e.inverse[i] = one; /* it is in there already */
    }
    for (int32_t i = 0; i < cell->outer; i++) x[cell->inner + i] = zx_leaf(m->pool, ZX_MEASURE, i);
    ze_substitute_back(&m->e, x);
    for (int32_t i = 0; i < cell->inner; i++) put(m, x[i]);
    m->cell->back = compile(m);
}

void ze_cell_programs(ze_planner *p, ze_cell *cell)
{
    int32_t count = cell->inner + cell->outer, nodes_before = p->pool.count;
    zb_mark mark = zb_arena_mark(&p->scratch);
    maker m = {.p = p, .pool = &p->pool, .cell = cell, .count = count};
    m.zero = zx_number(m.pool, 0.0);
    m.e = (ze_elimination){.pool = m.pool,
                           .inner = cell->inner,
                           .outer = cell->outer,
                           .S = nodes(&m, count * count),
                           .right = nodes(&m, count),
                           .order = cell->order,
                           .inverse = nodes(&m, cell->inner),
                           .L = nodes(&m, count * count)};
    m.roots = ZB_NEW_ARRAY(&p->scratch, zx_node, 2 * count * count + 4 * count + 16);
    make_down(&m);
    read_stored(&m);
    make_forward(&m);
    make_back(&m);
    zb_arena_release(&p->scratch, mark);
    zx_pool_release(&p->pool, nodes_before);
}

void ze_cell_clear(ze_cell *cell)
{
    zk_free(cell->down);
    zk_free(cell->forward);
    zk_free(cell->back);
    cell->down = cell->forward = cell->back = NULL;
}
