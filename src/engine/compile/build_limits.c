/*
 * Rows differentiated once more, for singular configurations (NUMERICS 3). Along the motion
 * d/dt (A z - b) = A z' + A' z - (b_v z + b_q v + b_t), and where a combination u of rows has
 * u A = 0 the unknown z' drops out:
 *
 *     u (A' - b_v) z = u (b_q v + b_t),    A' = A_q v + A_t
 *
 * Matrix entries: A' - b_v; vector entries: b_q v + b_t. Rows nonlinear in the velocities, where A'
 * holds z itself, and rows of accelerations are left out.
 */
#include "builder.h"

/* What the program of a family computes: entries of A' - b_v, then b_q v + b_t. */
typedef struct limit_outputs {
    zx_node *node;         /* [count] */
    int32_t *row, *column; /* root and coordinate slot; of vectors only row */
    int32_t count;
} limit_outputs;

static void add_limit_output(limit_outputs *o, zx_node node, int32_t row, int32_t column)
{
    o->node[o->count] = node;
    o->row[o->count] = row;
    o->column[o->count++] = column;
}

/* out [count]: derivatives of the nodes along the motion with v held, d/dq v + d/dt. */
static void differentiate_along_motion(zr_builder *b, int32_t slots, const zx_node *nodes,
                                       int32_t count, zx_node *out)
{
    zx_pool *pool = &b->zm->pool;
    zx_node *v = ZB_NEW_ARRAY(&b->scratch, zx_node, (size_t)slots);
    for (int32_t s = 0; s < slots; s++) v[s] = zx_leaf(pool, ZX_VELOCITY, s);
    zx_direction d = {.position = v, .slots = slots, .time = zx_number(pool, 1.0)};
    zx_directional(pool, nodes, count, &d, out);
}

/* A' - b_v of one row, entries that are not 0; A_rate [jacobian_count]: A' of all rows. */
static void add_limit_row(zr_builder *b, const zm_family *f, int32_t root, const zx_node *A_rate,
                          limit_outputs *o)
{
    zx_pool *pool = &b->zm->pool;
    zx_node *by_v = ZB_NEW_ARRAY(&b->scratch, zx_node, (size_t)f->coordinates);
    zx_gradient gradient = {.velocity = by_v, .slots = f->coordinates};
    zx_reverse(pool, &f->b[root], NULL, 1, &gradient);
    zx_node zero = zx_number(pool, 0.0);
    for (int32_t k = 0; k < f->jacobian_count; k++) {
        const zm_entry *e = &f->jacobian[k];
        if (e->row != root) continue;
        zx_node node = zx_binary(pool, ZX_SUB, A_rate[k], by_v[e->column]);
        if (node != zero) add_limit_output(o, node, root, e->column);
        by_v[e->column] = zero;
    }
    for (int32_t s = 0; s < f->coordinates; s++)
        if (by_v[s] != zero) add_limit_output(o, zx_unary(pool, ZX_NEG, by_v[s]), root, s);
}

/* Holonomic rows and those linear in the velocities. */
static bool has_limit_row(const zm_family *f, int32_t root)
{
    return f->kinds[root] == ZM_HOLONOMIC || f->kinds[root] == ZM_NONHOLONOMIC;
}

/* The entries of all rows of a family, the right sides after them; returns how many entries. */
static int32_t find_limit_outputs(zr_builder *b, const zm_family *f, limit_outputs *o)
{
    size_t entries = (size_t)f->jacobian_count, roots = (size_t)f->root_count;
    zx_node *jacobian = ZB_NEW_ARRAY(&b->scratch, zx_node, entries);
    zx_node *A_rate = ZB_NEW_ARRAY(&b->scratch, zx_node, entries);
    zx_node *right = ZB_NEW_ARRAY(&b->scratch, zx_node, roots);
    size_t most = roots * (size_t)f->coordinates + roots;
    *o = (limit_outputs){.node = ZB_NEW_ARRAY(&b->scratch, zx_node, most),
                         .row = ZB_NEW_ARRAY(&b->scratch, int32_t, most),
                         .column = ZB_NEW_ARRAY(&b->scratch, int32_t, most)};
    for (size_t k = 0; k < entries; k++) jacobian[k] = f->jacobian[k].node;
    differentiate_along_motion(b, f->coordinates, jacobian, f->jacobian_count, A_rate);
    differentiate_along_motion(b, f->coordinates, f->b, f->root_count, right);
    for (int32_t k = 0; k < f->root_count; k++)
        if (has_limit_row(f, k)) add_limit_row(b, f, k, A_rate, o);
    int32_t matrix = o->count;
    for (int32_t k = 0; k < f->root_count; k++)
        if (has_limit_row(f, k)) add_limit_output(o, right[k], k, 0);
    return matrix;
}

/* The pass of a family, and where its outputs go for each instance. */
static void add_limit_pass(zr_builder *b, int32_t family)
{
    const zm_family *f = &b->zm->families[family];
    const int32_t *rows = zr_rows_of_family(b, family);
    limit_outputs o;
    int32_t matrix = find_limit_outputs(b, f, &o);
    if (o.count == 0) return;
    zr_pass *pass = zr_add_pass(b, &b->model->limits, family, o.node, matrix, o.count - matrix);
    for (int32_t i = 0; i < f->count; i++) {
        int32_t *place = pass->place + (size_t)i * (size_t)o.count;
        const int32_t *row = rows + (size_t)i * (size_t)f->root_count;
        for (int32_t k = 0; k < matrix; k++)
            place[k] = zr_add_triplet(b, row[o.row[k]], zm_coordinate_of(f, i, o.column[k]));
        for (int32_t k = matrix; k < o.count; k++) place[k] = row[o.row[k]];
    }
}

/* Large systems have none (zr_limit_reach). */
void zr_build_limits(zr_builder *b)
{
    const zm_model *zm = b->zm;
    if (zm->n > zr_limit_reach || zm->m > zr_limit_reach) return;
    for (int32_t f = 0; f < zm->family_count; f++) {
        if (zm->families[f].kind != ZM_CONSTRAINT) continue;
        zb_mark mark = zb_arena_mark(&b->scratch);
        add_limit_pass(b, f);
        zb_arena_release(&b->scratch, mark);
    }
    const int32_t *position = zr_make_pattern(b, zm->m, zm->n, &b->model->limit);
    zr_resolve_places(&b->model->limits, zm, position);
}
