/*
 * The programs of a class, from elimination on nodes (eliminate.h):
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
 * Nodes are in a pool of the planner, given back after each class; programs belong to the class.
 */
#include "eliminate.h"
#include "matrix_plan.h"

typedef struct row_writer {
    ze_planner *p;
    zx_pool *pool;
    ze_row_class *class;
    int32_t count; /* rows, inner and outer */
    zx_node zero;
    ze_elimination e;
    zx_node *roots; /* outputs of the program under way */
    int32_t root_count;
} row_writer;

/* [count] of the number 0, in scratch. */
static zx_node *zero_nodes(row_writer *w, int32_t count)
{
    zx_node *list = ZB_NEW_ARRAY(&w->p->scratch, zx_node, count);
    for (int32_t k = 0; k < count; k++) list[k] = w->zero;
    return list;
}

static zx_node input_leaf(row_writer *w, int32_t slot)
{
    return zx_leaf(w->pool, ZX_POSITION, slot);
}

static void put_output(row_writer *w, zx_node node)
{
    w->roots[w->root_count++] = node;
}

/* What follows begins at 64 bytes: with 4 lanes at an even slot. */
static int32_t align_outputs(row_writer *w)
{
    while (w->root_count * w->p->width % 8 != 0) put_output(w, w->zero);
    return w->root_count;
}

/* A program of the outputs so far. */
static zk_program *compile_outputs(row_writer *w)
{
    zk_program *program = NULL;
    ze_must(w->p, zk_compile(w->p->memory, w->pool, w->roots, w->root_count, &program));
    return program;
}

/* ----------------------------------------------------------------------------- down */

/* S and right sides as leaves: the inputs of a part. */
static void read_inputs(row_writer *w)
{
    const ze_row_class *class = w->class;
    int32_t inner = class->inner;
    for (int32_t i = 0; i < inner; i++) {
        w->e.S[i * w->count + i] = input_leaf(w, i);
        w->e.right[i] = input_leaf(w, inner + class->entry_count + i);
    }
    for (int32_t k = 0; k < class->entry_count; k++)
        w->e.S[class->entries[k].row * w->count + class->entries[k].column] =
            input_leaf(w, inner + k);
}

/* Sum of size / pivot, least 1 / pivot, largest size / pivot. Without sizes (the first level) the
 * diagonal entry itself is the size. */
static void put_margin(row_writer *w)
{
    const ze_row_class *class = w->class;
    zx_node sum = w->zero, least = zx_number(w->pool, 1.0), largest = least;
    int32_t size_at = class->sized ? 2 * class->inner + class->entry_count : 0;
    for (int32_t k = 0; k < class->inner; k++) {
        int32_t i = class->order[k];
        zx_node ratio = zx_binary(w->pool, ZX_MUL, input_leaf(w, size_at + i), w->e.inverse[i]);
        sum = zx_binary(w->pool, ZX_ADD, sum, ratio);
        largest = zx_binary(w->pool, ZX_MAX, ratio, largest);
        least = zx_binary(w->pool, ZX_MIN, w->e.inverse[i], least);
    }
    put_output(w, sum);
    put_output(w, least);
    put_output(w, largest);
}

/* L by columns in the order of elimination, each with its 1 / D. */
static void put_stored(row_writer *w)
{
    for (int32_t k = 0; k < w->class->inner; k++) {
        int32_t j = w->class->order[k];
        for (int32_t i = 0; i < w->count; i++)
            if (w->e.L[i * w->count + j] != w->zero) put_output(w, w->e.L[i * w->count + j]);
        put_output(w, w->e.inverse[j]);
    }
}

/* Of outer rows what is left, of inner ones D^-1 c. */
static void put_right(row_writer *w, const zx_node *right)
{
    for (int32_t i = w->class->inner; i < w->count; i++) put_output(w, right[i]);
    for (int32_t i = 0; i < w->class->inner; i++)
        put_output(w, zx_binary(w->pool, ZX_MUL, right[i], w->e.inverse[i]));
}

/* Outputs in the order of the record, and where its pieces begin. */
static void make_down(row_writer *w)
{
    ze_row_class *class = w->class;
    read_inputs(w);
    ze_eliminate(&w->e, true);
    for (int32_t k = 0; k < class->pair_count; k++) {
        int32_t i = class->inner + class->pairs[k].row, j = class->inner + class->pairs[k].column;
        put_output(w, w->e.S[i * w->count + j]);
    }
    class->margin_at = w->root_count;
    put_margin(w);
    class->stored_at = align_outputs(w);
    put_stored(w);
    class->stored = w->root_count - class->stored_at;
    class->right_at = align_outputs(w);
    put_right(w, w->e.right);
    class->record = w->root_count;
    class->slots = (class->sized ? 3 : 2) * class->inner + class->entry_count;
    class->down = compile_outputs(w);
}

/* ------------------------------------------------------------------ forward and back */

/* L and 1 / D as they were stored. */
static void read_stored(row_writer *w)
{
    int32_t slot = 0;
    for (int32_t k = 0; k < w->class->inner; k++) {
        int32_t j = w->class->order[k];
        for (int32_t i = 0; i < w->count; i++)
            if (w->e.L[i * w->count + j] != w->zero)
                w->e.L[i * w->count + j] = zx_leaf(w->pool, ZX_VELOCITY, slot++);
        w->e.inverse[j] = zx_leaf(w->pool, ZX_VELOCITY, slot++);
    }
}

/* The part of down that depends on right sides alone. */
static void make_forward(row_writer *w)
{
    zx_node *right = zero_nodes(w, w->count);
    w->root_count = 0;
    for (int32_t i = 0; i < w->class->inner; i++)
        right[i] = input_leaf(w, w->class->inner + w->class->entry_count + i);
    ze_substitute_forward(&w->e, right);
    put_right(w, right);
    w->class->forward = compile_outputs(w);
}

/* x inside from x of outer rows; 1 / D is in the right side already. */
static void make_back(row_writer *w)
{
    const ze_row_class *class = w->class;
    zx_node *x = zero_nodes(w, w->count), one = zx_number(w->pool, 1.0);
    int32_t right_at = class->right_at - class->stored_at + class->outer;
    w->root_count = 0;
    for (int32_t i = 0; i < class->inner; i++) {
        w->e.right[i] = zx_leaf(w->pool, ZX_VELOCITY, right_at + i);
        w->e.inverse[i] = one; /* it is in there already */
    }
    for (int32_t i = 0; i < class->outer; i++)
        x[class->inner + i] = zx_leaf(w->pool, ZX_MEASURE, i);
    ze_substitute_back(&w->e, x);
    for (int32_t i = 0; i < class->inner; i++) put_output(w, x[i]);
    w->class->back = compile_outputs(w);
}

/* Down first: forward and back read what it stores. */
void ze_write_row_class(ze_planner *p, ze_row_class *class)
{
    int32_t count = class->inner + class->outer, nodes_before = p->pool.count;
    zb_mark mark = zb_arena_mark(&p->scratch);
    row_writer w = {.p = p, .pool = &p->pool, .class = class, .count = count};
    w.zero = zx_number(w.pool, 0.0);
    w.e = (ze_elimination){.pool = w.pool,
                           .inner = class->inner,
                           .outer = class->outer,
                           .S = zero_nodes(&w, count * count),
                           .right = zero_nodes(&w, count),
                           .order = class->order,
                           .inverse = zero_nodes(&w, class->inner),
                           .L = zero_nodes(&w, count * count)};
    w.roots = ZB_NEW_ARRAY(&p->scratch, zx_node, 2 * count * count + 4 * count + 16);
    make_down(&w);
    read_stored(&w);
    make_forward(&w);
    make_back(&w);
    zb_arena_release(&p->scratch, mark);
    zx_pool_release(&p->pool, nodes_before);
}

/* Also of a class whose programs were never made. */
void ze_row_class_clear(ze_row_class *class)
{
    zk_free(class->down);
    zk_free(class->forward);
    zk_free(class->back);
    class->down = class->forward = class->back = NULL;
}
