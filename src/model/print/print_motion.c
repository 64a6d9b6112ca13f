/*
 * The equations of motion, one for each coordinate i, as books have them:
 *
 *     sum_j M_ij z_j - H_i = F_i + C_i + sum_r A_ri lambda_r
 *
 * inertia on the left, what acts on the right. Each summand is read on its own, so that a factor which
 * some of them share does not go before brackets; then they are strung together. Before them stand
 * the energies of the Lagrangian, behind them phi of the constraints.
 */
#include "sheet.h"

/* The summands of every coordinate: left, right [n]. */
typedef struct equations {
    zm_line *left, *right;
} equations;

/* Room for one more summand doubles at powers of two. */
static void append_summand(zm_printer *p, zm_line *line, zx_node node)
{
    int32_t count = line->part_count;
    if ((count & (count - 1)) == 0) {
        zx_node *parts = ZB_NEW_ARRAY(&p->work->scratch, zx_node, count == 0 ? 1 : 2 * count);
        for (int32_t k = 0; k < count; k++) parts[k] = line->parts[k];
        line->parts = parts;
    }
    line->parts[line->part_count++] = node;
}

/* M z, row by row; M is symmetric, and has its upper triangle. */
static void append_inertia(zm_printer *p, const equations *e)
{
    zx_pool *pool = p->work->pool;
    zm_entries mass = zm_sum_section(p, ZM_IN_M);
    for (int32_t k = 0; k < mass.count; k++) {
        zm_entry m = mass.data[k];
        zx_node row = zx_leaf(pool, ZX_ACCELERATION, m.row);
        zx_node column = zx_leaf(pool, ZX_ACCELERATION, m.column);
        append_summand(p, &e->left[m.row], zx_binary(pool, ZX_MUL, m.node, column));
        if (m.row != m.column)
            append_summand(p, &e->left[m.column], zx_binary(pool, ZX_MUL, m.node, row));
    }
    zm_entries inertial = zm_sum_section(p, ZM_IN_H);
    for (int32_t k = 0; k < inertial.count; k++)
        append_summand(p, &e->left[inertial.data[k].row],
                       zx_unary(pool, ZX_NEG, inertial.data[k].node));
}

/* Impressed forces, those of constraints that are not ideal, and A^T lambda. */
static void append_forces(zm_printer *p, const equations *e)
{
    zx_pool *pool = p->work->pool;
    const zm_model *model = p->model;
    static const zm_section sections[] = {ZM_IN_F, ZM_IN_C};
    for (int s = 0; s < 2; s++) {
        zm_entries force = zm_sum_section(p, sections[s]);
        for (int32_t k = 0; k < force.count; k++)
            append_summand(p, &e->right[force.data[k].row], force.data[k].node);
    }
    for (int32_t c = 0; c < model->constraint_count; c++) {
        const zm_constraint *item = &model->constraints[c];
        if (item->where.family < 0) continue;
        const zm_family *f = &model->families[item->where.family];
        for (int32_t k = 0; k < f->jacobian_count; k++) {
            int32_t root = f->jacobian[k].row - item->where.root;
            if (root < 0 || root >= item->where.count) continue;
            int32_t number = model->measure_count + item->first_row + root;
            zx_node multiplier = zx_leaf(pool, ZX_MEASURE, number);
            append_summand(p, &e->right[f->jacobian[k].column],
                           zx_binary(pool, ZX_MUL, f->jacobian[k].node, multiplier));
        }
    }
}

/* T, V and what else was given, those that are there. */
static void append_lagrangian(zm_printer *p, zm_sheet *sheet)
{
    for (int32_t i = 0; i < p->model->family_count; i++) {
        const zm_family *f = &p->model->families[i];
        for (int32_t k = 0; f->kind == ZM_ENERGY && k < f->root_count; k++) {
            if (zm_is_zero(p->work->pool, f->roots[k])) continue;
            zm_append_line(p, sheet,
                           &(zm_line){.section = ZM_IN_LAGRANGIAN, .row = k, .node = f->roots[k]});
        }
    }
}

void zm_make_motion(zm_printer *p)
{
    const zm_model *model = p->model;
    zb_arena *arena = &p->work->scratch;
    equations e = {ZB_NEW_ARRAY(arena, zm_line, model->n), ZB_NEW_ARRAY(arena, zm_line, model->n)};
    static const zm_family whole = {.whole = true};
    p->sheets = ZB_NEW_ARRAY(arena, zm_sheet, 1);
    p->sheet_count = 1;
    zm_sheet *sheet = &p->sheets[0];
    *sheet = (zm_sheet){.family = &whole, .instances = 1};
    append_lagrangian(p, sheet);
    append_inertia(p, &e);
    append_forces(p, &e);
    for (int32_t i = 0; i < model->n; i++) {
        e.left[i].section = ZM_IN_LEFT;
        e.right[i].section = ZM_IN_RIGHT;
        e.left[i].row = e.right[i].row = i;
        e.left[i].node = e.right[i].node = zx_number(p->work->pool, 0.0);
        zm_append_line(p, sheet, &e.left[i]);
        zm_append_line(p, sheet, &e.right[i]);
    }
    zm_append_whole_rows(p, sheet, false);
    zm_append_whole_laws(p, sheet);
}
