/*
 * The *islands* of a model: coordinates that have to do with each other, through inertia, forces or
 * constraints. What happens in one island is the same whether the others are there or not, so each
 * is measured by itself: its tolerances (motion's sizes.c) and its energy (judge.c).
 *
 *     M_ij, what M_ij depends on;  i of Q_i and C_i, what they depend on;  what a row depends on;
 *     what a term of an energy depends on
 *
 * An instance of a family is one term and joins all of its coordinates. The terms of a whole family
 * stand in one place; there every expression joins what stands below it. Forces that use
 * multipliers join everything; a friction joins what it moves and what presses it, a motor what it pushes and
 * what it is to move.
 */
#include "energy.h"

/* `part` [n]: towards the one that stands for an island; -1 of a node: no coordinate below it. */
typedef struct island_finder {
    zr_builder *b;
    int32_t *part;
    int32_t *node; /* [nodes of the pool] a coordinate below it, of a whole family */
    bool all;      /* everything is one island */
} island_finder;

/* The one that stands for the island of a coordinate; the way there becomes shorter. */
static int32_t find_island(const island_finder *x, int32_t i)
{
    while (x->part[i] != i) i = x->part[i] = x->part[x->part[i]];
    return i;
}

/* Two coordinates, or none where one is -1; the smaller stands for both. Returns it. */
static int32_t join_coordinates(const island_finder *x, int32_t i, int32_t j)
{
    if (i < 0 || j < 0) return i < 0 ? j : i;
    i = find_island(x, i);
    j = find_island(x, j);
    if (i > j) return x->part[i] = j;
    return x->part[j] = i;
}

/* A coordinate below a node whose operands have theirs. */
static int32_t join_operands(island_finder *x, const zx_item *item)
{
    int operands = zx_operands((zx_op)item->op);
    if (item->op == ZX_MEASURE) x->all = true;
    if (operands == 0) {
        bool moves =
            item->op == ZX_POSITION || item->op == ZX_VELOCITY || item->op == ZX_ACCELERATION;
        return moves ? item->a : -1;
    }
    int32_t found = x->node[item->a];
    if (operands > 1 && item->op != ZX_POWI) found = join_coordinates(x, found, x->node[item->b]);
    if (operands > 2) found = join_coordinates(x, found, x->node[item->c]);
    return found;
}

/* Everything below a node of a whole family, with coordinates i and j (-1: none). */
static void join_below(island_finder *x, zx_node root, int32_t i, int32_t j)
{
    zr_builder *b = x->b;
    zx_pool *pool = &b->zm->pool;
    b->below = zx_below(pool, &root, 1, &b->below_count);
    for (int32_t k = 0; k < b->below_count; k++)
        x->node[b->below[k]] = join_operands(x, &pool->items[b->below[k]]);
    zr_free_below(b);
    (void)join_coordinates(x, x->node[root], join_coordinates(x, i, j));
}

static void join_term(void *user, zx_node term, zx_node factor)
{
    (void)factor;
    join_below(user, term, -1, -1);
}

/* The entries of a whole family that make equations, and the terms of its energies. */
static void join_whole_family(island_finder *x, const zm_family *f)
{
    for (int32_t k = 0; f->kind == ZM_ENERGY && k < 3; k++)
        zr_each_term(x->b, f->roots[k], join_term, x);
    for (int32_t k = 0; k < f->mass_count; k++)
        join_below(x, f->mass[k].node, f->mass[k].row, f->mass[k].column);
    for (int32_t k = 0; k < f->force_count; k++)
        join_below(x, f->force[k].node, f->force[k].row, -1);
    for (int32_t k = 0; f->kind == ZM_CONSTRAINT && k < f->root_count; k++)
        join_below(x, f->roots[k], -1, -1);
}

/* All coordinates of each instance. */
static void join_instances(island_finder *x, const zm_family *f)
{
    if (zx_reaches(&x->b->zm->pool, f->roots, f->root_count).measure) x->all = true;
    for (int32_t i = 0; i < f->count; i++)
        for (int32_t s = 1; s < f->coordinates; s++)
            (void)join_coordinates(x, zm_coordinate_of(f, i, 0), zm_coordinate_of(f, i, s));
}

/* Whether a family has a say in the motion. */
static bool moves_anything(zm_kind kind)
{
    return kind <= ZM_CONSTRAINT;
}

/* The coordinates of a row of A; returns one of them joined with `with`, -1: none. */
static int32_t join_row(const island_finder *x, int32_t row, int32_t with)
{
    const zr_pattern *A = &x->b->model->A;
    for (int32_t p = A->start[row]; p < A->start[row + 1]; p++)
        with = join_coordinates(x, with, A->column[p]);
    return with;
}

/* What a friction moves, and what presses it. */
static void join_friction(const island_finder *x, const zm_friction *f)
{
    const zm_constraint *by = &x->b->zm->constraints[f->constraint];
    int32_t one = -1;
    for (int32_t i = 0; i < f->width; i++) one = join_row(x, f->first_row + i, one);
    for (int32_t i = 0; i < by->row_count; i++) one = join_row(x, by->first_row + i, one);
}

/* What a motor pushes, and the rows that it enforces. */
static void join_motor(const island_finder *x, const zm_motor *m)
{
    const zm_constraint *enforced = &x->b->zm->constraints[m->constraint];
    const zm_family *f = &x->b->zm->families[m->where.family];
    int32_t one = -1;
    for (int32_t i = 0; i < enforced->row_count; i++)
        one = join_row(x, enforced->first_row + i, one);
    for (int32_t k = 0; k < f->jacobian_count; k++)
        if (f->jacobian[k].row == m->where.root)
            one = join_coordinates(x, one,
                                   zm_coordinate_of(f, m->where.instance, f->jacobian[k].column));
}

/* Islands are numbered in the order of their first coordinates. */
static void number_islands(const island_finder *x)
{
    zw_model *model = x->b->model;
    int32_t n = x->b->zm->n;
    model->island = ZB_NEW_ARRAY(x->b->arena, int32_t, n);
    for (int32_t i = 0; i < n; i++) {
        int32_t first = x->all ? 0 : find_island(x, i);
        model->island[i] = first == i ? model->island_count++ : model->island[first];
    }
}

void zr_build_islands(zr_builder *b)
{
    zb_mark mark = zb_arena_mark(&b->scratch);
    island_finder x = {.b = b};
    x.part = ZB_NEW_ARRAY(&b->scratch, int32_t, b->zm->n);
    x.node = ZB_NEW_ARRAY(&b->scratch, int32_t, b->zm->pool.count);
    for (int32_t i = 0; i < b->zm->n; i++) x.part[i] = i;
    for (int32_t k = 0; k < b->zm->family_count; k++) {
        const zm_family *f = &b->zm->families[k];
        if (!moves_anything(f->kind)) continue;
        if (f->whole)
            join_whole_family(&x, f);
        else
            join_instances(&x, f);
    }
    for (int32_t k = 0; k < b->zm->friction_count; k++) join_friction(&x, &b->zm->frictions[k]);
    for (int32_t k = 0; k < b->zm->motor_count; k++) join_motor(&x, &b->zm->motors[k]);
    number_islands(&x);
    zb_arena_release(&b->scratch, mark);
}
