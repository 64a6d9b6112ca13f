/*
 * The passes of M and Q, A and b, levels, C, W and start equations: which expressions a family's
 * programs compute and where each output of each instance goes. Only places are stored per
 * instance.
 */
#include <string.h>

#include "builder.h"

/* A list of nodes under construction, with where they came from. */
typedef struct outputs {
    zx_node *node;         /* [count] */
    int32_t *row, *column; /* slots or roots they stand for; of vectors mostly row alone */
    int32_t count;
} outputs;

/* In scratch, with room for `most`. */
static outputs new_term_outputs(zr_builder *b, int32_t most)
{
    return (outputs){.node = ZB_NEW_ARRAY(&b->scratch, zx_node, most),
                     .row = ZB_NEW_ARRAY(&b->scratch, int32_t, most),
                     .column = ZB_NEW_ARRAY(&b->scratch, int32_t, most)};
}

static void add_term_output(outputs *o, zx_node node, int32_t row, int32_t column)
{
    o->node[o->count] = node;
    o->row[o->count] = row;
    o->column[o->count++] = column;
}

/* Those of the entries that are constant, or those that are not. */
static void add_entry_outputs(outputs *o, const zm_entry *entries, int32_t count, bool constant)
{
    for (int32_t i = 0; i < count; i++)
        if (entries[i].constant == constant)
            add_term_output(o, entries[i].node, entries[i].row, entries[i].column);
}

/* ------------------------------------------------------------------ dynamics */

static bool is_dynamics(zm_kind kind)
{
    return kind == ZM_ENERGY || kind == ZM_DISSIPATION || kind == ZM_MASS || kind == ZM_FORCE ||
           kind == ZM_FORCE_AT;
}

/* The places of the first `matrix` outputs of an instance in M. An entry between two slots of an
 * energy stands for two derivatives; when both slots mean the same coordinate both fall on the
 * diagonal. */
static void place_mass(zr_builder *b, const zm_family *f, int32_t instance, const outputs *o,
                       int32_t matrix, int32_t *place)
{
    for (int32_t k = 0; k < matrix; k++) {
        int32_t i = zm_coordinate_of(f, instance, o->row[k]);
        int32_t j = zm_coordinate_of(f, instance, o->column[k]);
        bool twice = f->kind == ZM_ENERGY && i == j && o->row[k] != o->column[k];
        int32_t entry = zr_add_triplet(b, i < j ? i : j, i < j ? j : i);
        place[k] = twice ? ~entry : entry;
    }
}

/* The part of a family that is constant, or the part that is not, if there is one. */
static void add_dynamics_pass(zr_builder *b, int32_t family, bool constant)
{
    const zm_family *f = &b->zm->families[family];
    zb_mark mark = zb_arena_mark(&b->scratch);
    outputs o = new_term_outputs(b, f->mass_count + f->force_count);
    add_entry_outputs(&o, f->mass, f->mass_count, constant);
    int32_t matrix = o.count;
    add_entry_outputs(&o, f->force, f->force_count, constant);
    if (o.count > 0) {
        zw_model *model = b->model;
        zr_passes *passes = constant ? &model->constant_dynamics : &model->dynamics;
        zr_pass *pass = zr_add_pass(b, passes, family, o.node, matrix, o.count - matrix);
        for (int32_t i = 0; i < f->count; i++) {
            int32_t *place = pass->place + (size_t)i * (size_t)o.count;
            place_mass(b, f, i, &o, matrix, place);
            for (int32_t k = matrix; k < o.count; k++) place[k] = zm_coordinate_of(f, i, o.row[k]);
        }
    }
    zb_arena_release(&b->scratch, mark);
}

/* No entry beside the diagonal. */
static bool is_diagonal(const zr_pattern *p)
{
    for (int32_t i = 0; i < p->rows; i++)
        for (int32_t k = p->start[i]; k < p->start[i + 1]; k++)
            if (p->column[k] != i) return false;
    return true;
}

/* The passes of all families, then the pattern of M that they need. */
void zr_build_dynamics(zr_builder *b)
{
    zw_model *model = b->model;
    for (int32_t f = 0; f < b->zm->family_count; f++) {
        if (!is_dynamics(b->zm->families[f].kind)) continue;
        add_dynamics_pass(b, f, true);
        add_dynamics_pass(b, f, false);
    }
    for (int32_t i = 0; i < b->zm->n; i++) zr_add_triplet(b, i, i); /* the diagonal is all there */
    const int32_t *position = zr_make_pattern(b, b->zm->n, b->zm->n, &model->M);
    zr_resolve_places(&model->constant_dynamics, b->zm, position);
    zr_resolve_places(&model->dynamics, b->zm, position);
    model->diagonal_mass = is_diagonal(&model->M);
    model->constant_mass = true;
    for (int32_t k = 0; k < model->dynamics.count; k++)
        if (model->dynamics.list[k].matrix > 0) model->constant_mass = false;
}

/* ---------------------------------------------------------------------- rows */

/* -1 for roots that are no row. */
int32_t *zr_rows_of_family(zr_builder *b, int32_t family)
{
    const zm_model *zm = b->zm;
    const zm_family *f = &zm->families[family];
    size_t all = (size_t)f->count * (size_t)f->root_count;
    int32_t *rows = ZB_NEW_ARRAY(&b->scratch, int32_t, all);
    for (size_t i = 0; i < all; i++) rows[i] = -1;
    for (int32_t c = 0; c < zm->constraint_count; c++) {
        const zm_where *w = &zm->constraints[c].where;
        if (w->family != family) continue;
        for (int32_t k = 0; k < w->count; k++)
            rows[(size_t)w->instance * (size_t)f->root_count + (size_t)(w->root + k)] =
                zm->constraints[c].first_row + k;
    }
    return rows;
}

/* As above: entries of A, and with the part that is not constant b. rows: zr_rows_of_family. */
static void add_row_pass(zr_builder *b, int32_t family, bool constant, const int32_t *rows)
{
    const zm_family *f = &b->zm->families[family];
    outputs o = new_term_outputs(b, f->jacobian_count + f->root_count);
    add_entry_outputs(&o, f->jacobian, f->jacobian_count, constant);
    int32_t matrix = o.count;
    for (int32_t k = 0; k < f->root_count && !constant; k++) add_term_output(&o, f->b[k], k, 0);
    if (o.count == 0) return;
    zr_passes *passes = constant ? &b->model->constant_rows : &b->model->rows;
    zr_pass *pass = zr_add_pass(b, passes, family, o.node, matrix, o.count - matrix);
    for (int32_t i = 0; i < f->count; i++) {
        int32_t *place = pass->place + (size_t)i * (size_t)o.count;
        const int32_t *row = rows + (size_t)i * (size_t)f->root_count;
        for (int32_t k = 0; k < matrix; k++)
            place[k] = zr_add_triplet(b, row[o.row[k]], zm_coordinate_of(f, i, o.column[k]));
        for (int32_t k = matrix; k < o.count; k++) place[k] = row[o.row[k]];
    }
}

/* What rounding is measured by: a sum loses bits in the size of its terms. Each split of a sum
 * leaves one node more on the stack; those beyond `most` splits count as one term. */
zx_node zr_magnitude(zr_builder *b, zx_node root)
{
    zx_pool *pool = &b->zm->pool;
    zx_item whole = pool->items[root];
    if (whole.op == ZX_SELECT && pool->items[whole.a].op == ZX_VALUE) /* a row with its mask */
        return zx_select(pool, whole.a, zr_magnitude(b, whole.b), zr_magnitude(b, whole.c));
    enum { most = 1000 }; /* sums that are split */
    zx_node stack[most + 2], sum = zx_number(pool, 0.0);
    int32_t depth = 0, terms = 0;
    stack[depth++] = root;
    while (depth > 0) {
        zx_node node = stack[--depth];
        zx_item item = pool->items[node];
        bool split = item.op == ZX_ADD || item.op == ZX_SUB;
        if (item.op == ZX_NEG) {
            stack[depth++] = item.a;
        } else if (split && terms++ < most) {
            stack[depth++] = item.b;
            stack[depth++] = item.a;
        } else {
            sum = zx_binary(pool, ZX_ADD, sum, zx_unary(pool, ZX_ABS, node));
        }
    }
    return sum;
}

/* Values of a level with their magnitudes: of positions entries row and 2 m + row of `level`, of
 * velocities m + row and 3 m + row. Rows that hold for velocities only have one value, which stands
 * in both. */
static void add_level_pass(zr_builder *b, int32_t family, const int32_t *rows, zr_order order)
{
    const zm_family *f = &b->zm->families[family];
    int32_t m = b->zm->m;
    outputs o = new_term_outputs(b, 4 * f->root_count);
    for (int32_t k = 0; k < f->root_count; k++) {
        bool holonomic = f->kinds[k] == ZM_HOLONOMIC;
        if (f->kinds[k] == ZM_ACCELERATION || f->rate[k] == ZX_NONE) continue;
        if (holonomic == (order == ZR_POSITION)) {
            add_term_output(&o, f->roots[k], k, 0);
            add_term_output(&o, zr_magnitude(b, f->roots[k]), k, 2);
        }
        if (order == ZR_POSITION) continue;
        add_term_output(&o, f->rate[k], k, 1);
        add_term_output(&o, zr_magnitude(b, f->rate[k]), k, 3);
    }
    if (o.count == 0) return;
    zr_pass *pass = zr_add_pass(b, &b->model->levels[order], family, o.node, 0, o.count);
    for (int32_t i = 0; i < f->count; i++)
        for (int32_t k = 0; k < o.count; k++)
            pass->place[(size_t)i * (size_t)o.count + (size_t)k] =
                o.column[k] * m + rows[(size_t)i * (size_t)f->root_count + (size_t)o.row[k]];
}

/* Whether the roots that stand for positions (or those that do not) are nonlinear in what is
 * corrected: their derivatives depend on it. */
static bool are_roots_nonlinear(zr_builder *b, int32_t family, bool positions)
{
    const zm_family *f = &b->zm->families[family];
    outputs o = new_term_outputs(b, f->jacobian_count);
    for (int32_t k = 0; k < f->jacobian_count; k++)
        if ((f->kinds[f->jacobian[k].row] == ZM_HOLONOMIC) == positions)
            add_term_output(&o, f->jacobian[k].node, 0, 0);
    if (o.count == 0) return false;
    zx_reach reach = zx_reaches(&b->zm->pool, o.node, o.count);
    return positions ? reach.position : reach.velocity;
}

/* Of velocities the kind of a row says it. */
static void find_row_nonlinearity(zr_builder *b, int32_t family)
{
    const zm_family *f = &b->zm->families[family];
    zw_model *model = b->model;
    if (are_roots_nonlinear(b, family, true)) model->rows_nonlinear[ZR_POSITION] = true;
    for (int32_t k = 0; k < f->root_count; k++)
        if (f->kinds[k] == ZM_NONLINEAR) model->rows_nonlinear[ZR_VELOCITY] = true;
}

/* A, b and levels of all families, then the pattern of A that they need. */
void zr_build_rows(zr_builder *b)
{
    zw_model *model = b->model;
    if (b->zm->m > INT32_MAX / 4) zr_fail(b, ZW_ERR_BUDGET);
    for (int32_t f = 0; f < b->zm->family_count; f++) {
        if (b->zm->families[f].kind != ZM_CONSTRAINT) continue;
        zb_mark mark = zb_arena_mark(&b->scratch);
        const int32_t *rows = zr_rows_of_family(b, f);
        add_row_pass(b, f, true, rows);
        add_row_pass(b, f, false, rows);
        add_level_pass(b, f, rows, ZR_POSITION);
        add_level_pass(b, f, rows, ZR_VELOCITY);
        find_row_nonlinearity(b, f);
        zb_arena_release(&b->scratch, mark);
    }
    const int32_t *position = zr_make_pattern(b, b->zm->m, b->zm->n, &model->A);
    zr_resolve_places(&model->constant_rows, b->zm, position);
    zr_resolve_places(&model->rows, b->zm, position);
}

/* ----------------------------------------------------------- C, W, equations */

/* The pass of a family's force [count], one number for each coordinate; whether reactions stand in
 * it. */
static bool add_force_pass(zr_builder *b, zr_passes *passes, int32_t family, const zm_entry *force,
                           int32_t count)
{
    const zm_family *f = &b->zm->families[family];
    if (count == 0) return false;
    zb_mark mark = zb_arena_mark(&b->scratch);
    outputs o = new_term_outputs(b, count);
    for (int32_t k = 0; k < count; k++) add_term_output(&o, force[k].node, force[k].row, 0);
    zr_pass *pass = zr_add_pass(b, passes, family, o.node, 0, count);
    for (int32_t i = 0; i < f->count; i++)
        for (int32_t k = 0; k < count; k++)
            pass->place[(size_t)i * (size_t)count + (size_t)k] = zm_coordinate_of(f, i, o.row[k]);
    bool measures = zx_reaches(&b->zm->pool, o.node, count).measure;
    zb_arena_release(&b->scratch, mark);
    return measures;
}

void zr_build_nonideal(zr_builder *b)
{
    zw_model *model = b->model;
    for (int32_t f = 0; f < b->zm->family_count; f++) {
        const zm_family *family = &b->zm->families[f];
        if (family->kind != ZM_NONIDEAL && family->kind != ZM_NONIDEAL_AT) continue;
        if (add_force_pass(b, &model->nonideal, f, family->force, family->force_count))
            model->uses_measures = true;
    }
}

/* Where nothing follows from inertia Q is what was impressed, and there are no passes. */
void zr_build_impressed(zr_builder *b)
{
    zw_model *model = b->model;
    const zm_family *families = b->zm->families;
    for (int32_t f = 0; f < b->zm->family_count; f++)
        if (families[f].inertial) model->inertial = true;
    for (int32_t f = 0; f < b->zm->family_count && model->inertial; f++) {
        const zm_family *family = &families[f];
        if (!is_dynamics(family->kind)) continue;
        if (family->inertial)
            add_force_pass(b, &model->impressed, f, family->impressed, family->impressed_count);
        else
            add_force_pass(b, &model->impressed, f, family->force, family->force_count);
    }
}

/* The passes of one kind whose outputs are the roots, numbered on through all instances;
 * first [family_count]: the number of a family's first. Returns how many there are. */
static int32_t add_root_passes(zr_builder *b, zm_kind kind, zr_passes *passes, int32_t *first)
{
    int32_t count = 0;
    for (int32_t f = 0; f < b->zm->family_count; f++) {
        const zm_family *family = &b->zm->families[f];
        first[f] = count;
        if (family->kind != kind || family->root_count == 0) continue;
        zr_pass *pass = zr_add_pass(b, passes, f, family->roots, 0, family->root_count);
        for (int32_t i = 0; i < family->count * family->root_count; i++) pass->place[i] = count + i;
        count += family->count * family->root_count;
    }
    return count;
}

/* One weight statement, whose first output is `from`: its entries as triplets, and the outputs they
 * come from, sources [triplets]. A number is for
 * every row, a vector has one for each, a block all entries; between two constraints the mirrored
 * entry is set as well. */
static void add_weight_triplets(zr_builder *b, const zm_weight *w, int32_t from, int32_t *sources)
{
    const zm_constraint *a = &b->zm->constraints[w->a];
    const zm_constraint *c = &b->zm->constraints[w->b >= 0 ? w->b : w->a];
    bool block = w->columns > 0, every = w->rows == 0 && w->columns == 0;
    for (int32_t i = 0; i < a->row_count; i++) {
        for (int32_t j = 0; j < c->row_count; j++) {
            if (!block && i != j && (w->b < 0 || !every)) continue;
            int32_t k = block ? i * w->columns + j : every ? 0 : i;
            int32_t row = a->first_row + i, column = c->first_row + j;
            sources[zr_add_triplet(b, row, column)] = from + k;
            if (w->b >= 0) sources[zr_add_triplet(b, column, row)] = from + k;
        }
    }
}

/* At most: the identity, and each statement with its mirrored entries. */
static size_t count_weight_triplets(const zr_builder *b)
{
    size_t count = (size_t)b->zm->m;
    for (int32_t i = 0; i < b->zm->weight_count; i++) {
        const zm_weight *w = &b->zm->weights[i];
        const zm_constraint *a = &b->zm->constraints[w->a];
        const zm_constraint *c = &b->zm->constraints[w->b >= 0 ? w->b : w->a];
        count += 2 * (size_t)a->row_count * (size_t)c->row_count;
    }
    return count;
}

/* W is the identity where no statement says otherwise; without any it has no pattern. */
void zr_build_weights(zr_builder *b)
{
    zw_model *model = b->model;
    zm_model *zm = b->zm;
    if (zm->weight_count == 0 || zm->m == 0) return;
    int32_t *first = ZB_NEW_ARRAY(&b->scratch, int32_t, zm->family_count);
    int32_t *sources = ZB_NEW_ARRAY(&b->scratch, int32_t, count_weight_triplets(b));
    model->weight_outputs = add_root_passes(b, ZM_WEIGHT, &model->weights, first);
    for (int32_t i = 0; i < zm->m; i++) sources[zr_add_triplet(b, i, i)] = -1; /* the identity */
    for (int32_t i = 0; i < zm->weight_count; i++) {
        const zm_where *at = &zm->weights[i].where;
        int32_t roots = zm->families[at->family].root_count;
        add_weight_triplets(b, &zm->weights[i], first[at->family] + at->instance * roots + at->root,
                            sources);
    }
    int32_t count = b->triplets.count;
    const int32_t *position = zr_make_pattern(b, zm->m, zm->m, &model->W);
    model->weight_entries = ZB_NEW_ARRAY(b->arena, zr_weight_entry, count);
    model->weight_entry_count = count;
    for (int32_t k = 0; k < count; k++)
        model->weight_entries[k] = (zr_weight_entry){.from = sources[k], .at = position[k]};
}

/* ----------------------------------------------------------- start equations */

/* The start equations of a family, numbered from `first` on: derivatives, values, magnitudes. */
static void add_equation_pass(zr_builder *b, int32_t family, int32_t first)
{
    const zm_family *f = &b->zm->families[family];
    zw_model *model = b->model;
    outputs o = new_term_outputs(b, f->jacobian_count + 2 * f->root_count);
    for (int32_t k = 0; k < f->jacobian_count; k++)
        add_term_output(&o, f->jacobian[k].node, f->jacobian[k].row, f->jacobian[k].column);
    int32_t matrix = o.count;
    for (int32_t k = 0; k < f->root_count; k++) {
        add_term_output(&o, f->roots[k], k, 0);
        add_term_output(&o, zr_magnitude(b, f->roots[k]), k, 1);
    }
    zr_pass *pass = zr_add_pass(b, &model->equations, family, o.node, matrix, o.count - matrix);
    for (int32_t i = 0; i < f->count; i++) {
        int32_t *place = pass->place + (size_t)i * (size_t)o.count;
        int32_t number = first + i * f->root_count;
        for (int32_t k = 0; k < matrix; k++)
            place[k] = zr_add_triplet(b, number + o.row[k], zm_coordinate_of(f, i, o.column[k]));
        for (int32_t k = matrix; k < o.count; k++)
            place[k] = o.column[k] * model->equation_count + number + o.row[k];
        for (int32_t k = 0; k < f->root_count; k++)
            model->equation_moves[number + k] = f->kinds[k] != ZM_HOLONOMIC;
    }
    if (are_roots_nonlinear(b, family, true)) model->equations_nonlinear[ZR_POSITION] = true;
    if (are_roots_nonlinear(b, family, false)) model->equations_nonlinear[ZR_VELOCITY] = true;
}

/* first [family_count]: the number of a family's first equation; returns how many there are. */
static int32_t number_equations(const zm_model *zm, int32_t *first)
{
    int32_t count = 0;
    for (int32_t f = 0; f < zm->family_count; f++) {
        first[f] = count;
        if (zm->families[f].kind == ZM_START_EQUATION)
            count += zm->families[f].count * zm->families[f].root_count;
    }
    return count;
}

/* Numbers, passes, the pattern of E, and which statement each equation comes from. */
void zr_build_equations(zr_builder *b)
{
    zw_model *model = b->model;
    const zm_model *zm = b->zm;
    int32_t *first = ZB_NEW_ARRAY(&b->scratch, int32_t, zm->family_count);
    model->equation_count = number_equations(zm, first);
    model->equation_item = ZB_NEW_ARRAY(b->arena, int32_t, model->equation_count);
    model->equation_moves = ZB_NEW_ARRAY(b->arena, bool, model->equation_count);
    for (int32_t f = 0; f < zm->family_count; f++)
        if (zm->families[f].kind == ZM_START_EQUATION) add_equation_pass(b, f, first[f]);
    const int32_t *position = zr_make_pattern(b, model->equation_count, zm->n, &model->E);
    zr_resolve_places(&model->equations, zm, position);
    for (int32_t e = 0; e < zm->start_equation_count; e++) {
        const zm_where *w = &zm->start_equations[e].where;
        int32_t number = first[w->family] + w->instance * zm->families[w->family].root_count;
        for (int32_t k = 0; k < w->count; k++) model->equation_item[number + w->root + k] = e;
    }
}
