/*
 * The families' terms written out for their coordinates (fuser.h): M, Q, A, b, levels, and the
 * functions of frictions. In a form that knows which rows are on, their masks are
 * numbers, and rows that are off vanish.
 */
#include <math.h>

#include "fuser.h"

zx_node zr_bind_leaf(void *user, zx_pool *to, const zx_item *leaf)
{
    const zr_written *i = user;
    switch (leaf->op) {
    case ZX_POSITION:
    case ZX_VELOCITY:
        return zx_leaf(to, (zx_op)leaf->op, zm_coordinate_of(i->family, i->number, leaf->a));
    case ZX_ACCELERATION:
        return i->accelerations ? i->accelerations[zm_coordinate_of(i->family, i->number, leaf->a)]
                                : ZX_NONE;
    case ZX_VALUE: {
        int32_t value = zm_value_of(i->family, i->number, leaf->a);
        const int8_t *known = i->fuser->known;
        if (known && value < i->fuser->b->zm->value_count && known[value] >= 0)
            return zx_number(to, known[value]);
        return zx_leaf(to, ZX_VALUE, value);
    }
    case ZX_MEASURE:
        return i->measures ? i->measures[zm_measure_of(i->family, i->number, leaf->a)] : ZX_NONE;
    default:
        return ZX_NONE;
    }
}

void zr_write_passes(zr_fuser *f, const zr_passes *passes, const zr_written *as, zx_node *matrix,
                     zx_node *vector)
{
    zm_model *zm = f->b->zm;
    for (int32_t p = 0; p < passes->count; p++) {
        const zr_pass *pass = &passes->list[p];
        int32_t outputs = pass->matrix + pass->vector;
        zr_written i = {.fuser = f,
                        .family = &zm->families[pass->family],
                        .measures = as ? as->measures : NULL,
                        .accelerations = as ? as->accelerations : NULL};
        zx_node *out = ZB_NEW_ARRAY(&f->b->scratch, zx_node, (size_t)outputs);
        for (i.number = 0; i.number < i.family->count; i.number++) {
            const int32_t *place = pass->place + (size_t)i.number * (size_t)outputs;
            zx_copy(f->pool, &zm->pool, pass->nodes, outputs, zr_bind_leaf, &i, out);
            for (int32_t k = 0; k < outputs; k++) {
                bool twice = place[k] < 0;
                int32_t at = twice ? ~place[k] : place[k];
                zx_node *sum = k < pass->matrix ? &matrix[at] : &vector[at];
                zx_node term = twice ? zr_times(f, zr_number_node(f, 2.0), out[k]) : out[k];
                /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): levels have no matrix */
                *sum = zr_plus(f, *sum, term);
            }
        }
    }
}

/* dense [rows*columns] from the entries of a pattern; symmetric: of an upper triangle. */
static void spread_entries(const zr_pattern *p, const zx_node *value, bool symmetric,
                           zx_node *dense)
{
    for (int32_t i = 0; i < p->rows; i++)
        for (int32_t k = p->start[i]; k < p->start[i + 1]; k++) {
            int32_t j = p->column[k];
            dense[i * p->columns + j] = value[k];
            if (symmetric) dense[j * p->columns + i] = value[k];
        }
}

/* Functions of frictions; a pressure that the model says is written where multipliers are known,
 * and so are the gaps of contacts (fuse_friction.c). */
static void write_laws(zr_fuser *f)
{
    const struct zr_contact_laws *laws = f->b->model->laws;
    if (!laws) return;
    zx_node *T = zr_new_nodes(f, laws->T.count);
    zx_node *vector = zr_new_nodes(f, (int64_t)laws->slips + laws->numbers);
    f->T = zr_new_nodes(f, (int64_t)laws->slips * f->n);
    f->slip = vector;
    f->number = vector + laws->slips;
    zr_write_passes(f, &laws->frictions_at, NULL, T, vector);
    spread_entries(&laws->T, T, false, f->T);
}

/* zx_value_fn: parameters as compiled; what moves has none. */
static double value_as_compiled(void *user, const zx_item *leaf)
{
    const zm_model *zm = user;
    return leaf->op == ZX_VALUE && leaf->a < zm->first_hidden ? zm->values[leaf->a] : (double)NAN;
}

/* By the numbers of the model. With other ones the programs are as right, if not as short. */
static void find_massless(zr_fuser *f)
{
    f->massless = ZB_NEW_ARRAY(&f->b->scratch, bool, (size_t)f->n);
    f->lacks_mass = false;
    for (int32_t i = 0; i < f->n; i++) {
        zx_node own = f->M[i * f->n + i];
        f->massless[i] = zx_evaluate(f->pool, own, value_as_compiled, f->b->zm) == 0.0;
        f->lacks_mass = f->lacks_mass || f->massless[i];
    }
}

void zr_write_system(zr_fuser *f)
{
    const zw_model *model = f->b->model;
    int32_t n = f->n, m = f->m;
    zx_node *M = zr_new_nodes(f, model->M.count), *A = zr_new_nodes(f, model->A.count);
    f->M = zr_new_nodes(f, (int64_t)n * n);
    f->A = zr_new_nodes(f, (int64_t)m * n);
    f->Q = zr_new_nodes(f, n);
    f->right = zr_new_nodes(f, m);
    f->level = zr_new_nodes(f, 4 * (int64_t)m);
    zr_write_passes(f, &model->constant_dynamics, NULL, M, f->Q);
    zr_write_passes(f, &model->dynamics, NULL, M, f->Q);
    zr_write_passes(f, &model->constant_rows, NULL, A, f->right);
    zr_write_passes(f, &model->rows, NULL, A, f->right);
    zr_write_passes(f, &model->levels[ZR_POSITION], NULL, NULL, f->level);
    zr_write_passes(f, &model->levels[ZR_VELOCITY], NULL, NULL, f->level);
    spread_entries(&model->M, M, true, f->M);
    find_massless(f);
    spread_entries(&model->A, A, false, f->A);
    write_laws(f);
}

/* ------------------------------------------------------------------ reactions */

void zr_write_row_force(zr_fuser *f, const zx_node *lambda, int32_t first, int32_t count,
                        zx_node *force)
{
    for (int32_t j = 0; j < f->n; j++) {
        force[j] = f->zero;
        for (int32_t i = first; i < first + count; i++)
            force[j] = zr_plus(f, force[j], zr_times(f, f->A[i * f->n + j], lambda[i]));
    }
}

zx_node zr_write_measure(zr_fuser *f, const zm_measure *what, const zx_node *lambda)
{
    const zm_model *zm = f->b->zm;
    if (what->kind == ZM_MULTIPLIER) return lambda[what->row];
    if (what->kind >= ZM_SHOWN_CONTROL) return f->zero; /* of outputs alone */
    bool all = what->kind == ZM_REACTION_ALL;
    const zm_constraint *c = all ? NULL : &zm->constraints[what->constraint];
    zx_node *force = zr_new_nodes(f, f->n);
    zr_write_row_force(f, lambda, all ? 0 : c->first_row, all ? f->m : c->row_count, force);
    if (what->kind == ZM_REACTION_ON) return force[what->coordinate];
    return zx_unary(f->pool, ZX_SQRT, zr_dot_nodes(f, f->n, force, force));
}
