/*
 * The pass zm_derive: from energies and constraints to the matrices of the equations of motion, by
 * symbolic differentiation, once for each family (THEORY.md):
 *
 *     ENERGY       L = T - V + other, g = dL/dv:  M = dg/dv,  Q = dL/dq - Dg
 *     DISSIPATION  Q = -dE/dv         MASS, FORCE, NONIDEAL  as they stand
 *     ..._AT       Q or C = (dp/dq)^T F, one reverse sweep with the force as seed
 *     CONSTRAINT   by what stands in the row, phi(q, t), phi(q, v, t) or phi(q, v, z, t):
 *                  A = phi_q, phi_v, phi_z;  b = -DD phi, -D phi, -phi(q, v, 0, t)
 *     GAP          the rate of phi, likewise      FRICTION  dV/dv of the slip V
 *     MOTOR        dV/dv of the speed V
 *
 * where D is the time derivative with the velocities held: q' = v, t' = 1, v' = 0. Final arrays are
 * in the model's arena; everything else is in the workspace.
 */
#include <math.h>
#include <string.h>

#include "derive.h"

/* The pass under way. */
typedef struct derivation {
    zm_builder *builder;
    zm_workspace *work;
    int32_t number; /* of the family at hand */
    zm_family *family;
} derivation;

/* ------------------------------------------------------------------- forces */

/* In the model's arena; NULL when there are none. */
static zm_entry *copy_entries_to_model(derivation *d, const zm_entries *entries, int32_t *count)
{
    *count = entries->count;
    if (entries->count == 0) return NULL;
    return zb_arena_copy(&d->work->model->arena, entries->data,
                         (size_t)entries->count * sizeof(zm_entry), _Alignof(zm_entry));
}

/* The entries that are not zero of a vector over all slots, in scratch. */
static zm_entries list_nonzero_entries(zm_workspace *work, const zx_node *vector, int32_t slots)
{
    int32_t count = 0;
    for (int32_t j = 0; j < slots; j++) count += !zm_is_zero(work->pool, vector[j]);
    zm_entries entries = {.data = ZB_NEW_ARRAY(&work->scratch, zm_entry, count)};
    for (int32_t j = 0; j < slots; j++)
        if (!zm_is_zero(work->pool, vector[j]))
            entries.data[entries.count++] = (zm_entry){.row = j, .node = vector[j]};
    return entries;
}

/* From the momenta g that are not zero: M = dg/dv into the family, and -Dg is added to force
 * [coordinates]. */
static void derive_momentum_terms(derivation *d, const zm_entries *g, zx_node *force)
{
    zm_workspace *work = d->work;
    zm_family *f = d->family;
    zx_node *roots = ZB_NEW_ARRAY(&work->scratch, zx_node, g->count);
    zx_node *rates = ZB_NEW_ARRAY(&work->scratch, zx_node, g->count);
    int32_t *rows = ZB_NEW_ARRAY(&work->scratch, int32_t, g->count);
    for (int32_t k = 0; k < g->count; k++) {
        roots[k] = g->data[k].node;
        rows[k] = g->data[k].row;
    }
    zm_entries mass = zm_derive_hessian(work, roots, rows, g->count, f->coordinates);
    f->mass = copy_entries_to_model(d, &mass, &f->mass_count);
    zm_derive_along_motion(work, roots, g->count, f->coordinates, rates);
    for (int32_t k = 0; k < g->count; k++)
        force[rows[k]] = zx_binary(work->pool, ZX_SUB, force[rows[k]], rates[k]);
}

/* L = T - V + other: momenta dL/dv, then M and dL/dq - D(dL/dv), and the impressed part of that. */
static void derive_energy(derivation *d)
{
    zm_workspace *work = d->work;
    zm_family *f = d->family;
    zx_node L = zx_binary(work->pool, ZX_SUB, f->roots[0], f->roots[1]);
    L = zx_binary(work->pool, ZX_ADD, L, f->roots[2]);
    f->momentum = ZB_NEW_ARRAY(&work->model->arena, zx_node, f->coordinates);
    zx_node *force = ZB_NEW_ARRAY(&work->scratch, zx_node, f->coordinates);
    zx_gradient gradient = {.position = force, .velocity = f->momentum, .slots = f->coordinates};
    zx_reverse(work->pool, &L, NULL, 1, &gradient);
    zm_entries g = list_nonzero_entries(work, f->momentum, f->coordinates);
    derive_momentum_terms(d, &g, force);
    zm_entries entries = list_nonzero_entries(work, force, f->coordinates);
    f->force = copy_entries_to_model(d, &entries, &f->force_count);
    f->inertial = zm_has_inertial_force(work, f);
    if (!f->inertial) return;
    entries = zm_impressed_force(work, f);
    f->impressed = copy_entries_to_model(d, &entries, &f->impressed_count);
}

/* -dE/dv of a Rayleigh function E. */
static void derive_dissipation(derivation *d)
{
    zm_workspace *work = d->work;
    zm_family *f = d->family;
    zx_node *force = ZB_NEW_ARRAY(&work->scratch, zx_node, f->coordinates);
    zx_gradient gradient = {.velocity = force, .slots = f->coordinates};
    zx_reverse(work->pool, f->roots, NULL, f->root_count, &gradient);
    zm_entries entries = list_nonzero_entries(work, force, f->coordinates);
    for (int32_t k = 0; k < entries.count; k++)
        entries.data[k].node = zx_unary(work->pool, ZX_NEG, entries.data[k].node);
    f->force = copy_entries_to_model(d, &entries, &f->force_count);
}

/* The entries as they were written, on or above the diagonal, those of one place added. */
static void derive_mass(derivation *d)
{
    zm_family *f = d->family;
    zm_entries entries = {.data = ZB_NEW_ARRAY(&d->work->scratch, zm_entry, f->root_count)};
    for (int32_t k = 0; k < f->root_count; k++) {
        int32_t a = f->targets[2 * k], b = f->targets[2 * k + 1];
        entries.data[entries.count++] =
            (zm_entry){.row = a < b ? a : b, .column = a < b ? b : a, .node = f->roots[k]};
    }
    zm_merge_entries(d->work, &entries);
    f->mass = copy_entries_to_model(d, &entries, &f->mass_count);
}

/* The forces as they were written, those on one coordinate added. */
static void derive_force(derivation *d)
{
    zm_family *f = d->family;
    zm_entries entries = {.data = ZB_NEW_ARRAY(&d->work->scratch, zm_entry, f->root_count)};
    for (int32_t k = 0; k < f->root_count; k++)
        entries.data[entries.count++] = (zm_entry){.row = f->targets[k], .node = f->roots[k]};
    zm_merge_entries(d->work, &entries);
    f->force = copy_entries_to_model(d, &entries, &f->force_count);
}

/* sum F_j dp_j/dq: F is not differentiated, so it goes in as the seed of the sweep. */
static void derive_force_at(derivation *d)
{
    zm_workspace *work = d->work;
    zm_family *f = d->family;
    int32_t half = f->root_count / 2;
    zx_node *force = ZB_NEW_ARRAY(&work->scratch, zx_node, f->coordinates);
    zx_gradient gradient = {.position = force, .slots = f->coordinates};
    zx_reverse(work->pool, f->roots, f->roots + half, half, &gradient);
    zm_entries entries = list_nonzero_entries(work, force, f->coordinates);
    f->force = copy_entries_to_model(d, &entries, &f->force_count);
}

/* ------------------------------------------------------- leaves that go away */

/* The operation of `item` with its operands replaced through `image` (ZX_NONE: as they are) and
 * leaves of the sort `gone` by a number. */
static zx_node rebuild_without_leaf(zx_pool *pool, zx_item item, zx_op gone, double number,
                                    const zx_node *image)
{
    int32_t operand[3] = {item.a, item.b, item.c};
    int operands = zx_operands((zx_op)item.op);
    for (int k = 0; k < operands; k++)
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.ArraySubscript): k < 3 */
        if (image[operand[k]] != ZX_NONE) operand[k] = image[operand[k]];
    if (item.op == (int32_t)gone) return zx_number(pool, number);
    if (item.op == ZX_POWI) return zx_power(pool, operand[0], item.b);
    if (operands == 1) return zx_unary(pool, (zx_op)item.op, operand[0]);
    if (operands == 2) return zx_binary(pool, (zx_op)item.op, operand[0], operand[1]);
    return zx_select(pool, operand[0], operand[1], operand[2]);
}

/* A table of replacements for the nodes there are now: none yet. */
static zx_node *new_node_image(zm_workspace *work)
{
    zx_node *image = ZB_NEW_ARRAY(&work->scratch, zx_node, work->pool->count);
    for (int32_t i = 0; i < work->pool->count; i++) image[i] = ZX_NONE;
    return image;
}

zx_node zm_substitute_leaves(zm_workspace *work, zx_node phi, zx_op gone, double number)
{
    zx_node *image = new_node_image(work);
    int32_t count =
        zm_find_nodes(work, phi, gone == ZX_VELOCITY ? ZM_HAS_VELOCITY : ZM_HAS_ACCELERATION);
    zx_node *below = zb_arena_copy(&work->scratch, work->reach.found,
                                   (size_t)count * sizeof(zx_node), _Alignof(zx_node));
    zm_sort_ints(below, count);
    for (int32_t i = 0; i < count; i++)
        if (image[below[i]] == ZX_NONE)
            image[below[i]] =
                rebuild_without_leaf(work->pool, work->pool->items[below[i]], gone, number, image);
    return image[phi];
}

/* For zx_evaluate: a number in [0.5, 1.5) for each leaf, another one in each trial. */
static double hash_leaf_to_number(void *user, const zx_item *leaf)
{
    uint64_t hash = zb_hash_mix(*(const uint64_t *)user, (uint64_t)leaf->op);
    hash = zb_hash_mix(hash, (uint64_t)leaf->a);
    return 0.5 + (double)(hash >> 11) / 9007199254740992.0;
}

/* Whether two expressions have the same value at some arbitrary points, as far as they have one
 * there. */
static bool have_equal_values(zm_workspace *work, zx_node a, zx_node b)
{
    int agreed = 0;
    for (uint64_t trial = 1; trial <= 4; trial++) {
        double x = zx_evaluate(work->pool, a, hash_leaf_to_number, &trial);
        double y = zx_evaluate(work->pool, b, hash_leaf_to_number, &trial);
        if (isfinite(x) && !(fabs(x - y) <= 1e-9 * (1.0 + fabs(x)))) return false;
        agreed += isfinite(x);
    }
    return agreed > 0;
}

/* Rows in which accelerations or velocities stand but cancel, as in x' + y = x' + 1: no derivative
 * by them is left, and they are set to 0, or to 1 where 0 has no value, so that the row's kind
 * follows from its content. */
static void drop_cancelling_leaves(derivation *d, zx_op leaf)
{
    zm_workspace *work = d->work;
    zm_family *f = d->family;
    int has = leaf == ZX_VELOCITY ? ZM_HAS_VELOCITY : ZM_HAS_ACCELERATION;
    int hides = leaf == ZX_VELOCITY ? ZM_HAS_STEP : ZM_HAS_JUMP;
    for (int32_t k = 0; k < f->root_count; k++) {
        int bits = zm_content_bits(work, f->roots[k]);
        if (!(bits & has) || (bits & hides)) continue;
        if (zm_derive_jacobian(work, &f->roots[k], NULL, 1, leaf, f->coordinates).count > 0)
            continue;
        for (int number = 0; number < 2; number++) {
            zx_node rest = zm_substitute_leaves(work, f->roots[k], leaf, number);
            if (!have_equal_values(work, f->roots[k], rest)) continue;
            f->roots[k] = rest;
            break;
        }
    }
}

/* -------------------------------------------------------------------- rows */

static zm_row_kind row_kind_of_bits(int bits)
{
    if (bits & ZM_HAS_ACCELERATION) return ZM_ACCELERATION;
    return bits & ZM_HAS_VELOCITY ? ZM_NONHOLONOMIC : ZM_HOLONOMIC;
}

/* Kind and time dependence of every row by the leaves that stand in it; which velocity rows are
 * nonlinear is seen later from A. */
static void classify_rows(derivation *d)
{
    drop_cancelling_leaves(d, ZX_ACCELERATION);
    drop_cancelling_leaves(d, ZX_VELOCITY);
    zm_family *f = d->family;
    zb_arena *arena = &d->work->model->arena;
    f->kinds = ZB_NEW_ARRAY(arena, zm_row_kind, f->root_count);
    f->time_dependent = ZB_NEW_ARRAY(arena, bool, f->root_count);
    for (int32_t k = 0; k < f->root_count; k++) {
        int bits = zm_content_bits(d->work, f->roots[k]);
        f->kinds[k] = row_kind_of_bits(bits);
        f->time_dependent[k] = (bits & ZM_HAS_TIME) != 0;
    }
}

/* Rows of one kind: their numbers into rows, what stands in `from` into roots; how many. */
static int32_t list_rows_of_kind(const zm_family *f, zm_row_kind kind, const zx_node *from,
                                 zx_node *roots, int32_t *rows)
{
    int32_t count = 0;
    for (int32_t k = 0; k < f->root_count; k++)
        if (f->kinds[k] == kind) {
            roots[count] = from[k];
            rows[count++] = k;
        }
    return count;
}

/* A: every row differentiated by the leaves that its kind calls for. */
static void derive_row_jacobian(derivation *d)
{
    static const zx_op leaf[] = {[ZM_HOLONOMIC] = ZX_POSITION,
                                 [ZM_NONHOLONOMIC] = ZX_VELOCITY,
                                 [ZM_NONLINEAR] = ZX_VELOCITY,
                                 [ZM_ACCELERATION] = ZX_ACCELERATION};
    zm_workspace *work = d->work;
    zm_family *f = d->family;
    zx_node *roots = ZB_NEW_ARRAY(&work->scratch, zx_node, f->root_count);
    int32_t *rows = ZB_NEW_ARRAY(&work->scratch, int32_t, f->root_count);
    zm_entries part[4] = {{0}}, all = {0};
    for (int kind = 0; kind < 4; kind++) {
        int32_t count = list_rows_of_kind(f, (zm_row_kind)kind, f->roots, roots, rows);
        if (count > 0)
            part[kind] = zm_derive_jacobian(work, roots, rows, count, leaf[kind], f->coordinates);
        all.count += part[kind].count;
    }
    all.data = ZB_NEW_ARRAY(&work->scratch, zm_entry, all.count);
    int32_t at = 0;
    for (int kind = 0; kind < 4; kind++) {
        if (part[kind].count == 0) continue;
        memcpy(all.data + at, part[kind].data, (size_t)part[kind].count * sizeof(zm_entry));
        at += part[kind].count;
    }
    zm_merge_entries(work, &all);
    f->jacobian = copy_entries_to_model(d, &all, &f->jacobian_count);
}

/* Rows whose A depends on the velocities are not linear in them. */
static void mark_nonlinear_rows(derivation *d)
{
    zm_family *f = d->family;
    for (int32_t i = 0; i < f->jacobian_count; i++) {
        zm_row_kind *kind = &f->kinds[f->jacobian[i].row];
        int bits = zm_content_bits(d->work, f->jacobian[i].node);
        if (*kind == ZM_NONHOLONOMIC && (bits & ZM_HAS_VELOCITY)) *kind = ZM_NONLINEAR;
    }
}

/* ------------------------------------------------------- acceleration rows */

/* A z = b with b = -phi at z = 0; a row on accelerations has no rate. */
static void derive_acceleration_rows(derivation *d)
{
    zm_workspace *work = d->work;
    zm_family *f = d->family;
    for (int32_t k = 0; k < f->root_count; k++) {
        if (f->kinds[k] != ZM_ACCELERATION) continue;
        zx_node rest = zm_substitute_leaves(work, f->roots[k], ZX_ACCELERATION, 0);
        f->b[k] = zx_unary(work->pool, ZX_NEG, rest);
        f->rate[k] = ZX_NONE;
    }
}

/* E0303 for one constraint. */
static void report_nonlinear_constraint(derivation *d, const zm_constraint *c)
{
    char buffer[200];
    zb_text name;
    zb_text_init_fixed(&name, buffer, sizeof buffer);
    zm_label_text(d->work->model, &c->label, &name);
    zl_report(d->builder->unit, "E0303", c->place,
              "accelerations may only be added and multiplied by what contains none",
              "the constraint '%s' is not linear in the accelerations", buffer);
}

/* Reports the constraints that have a row in bad [root_count]; of a kept family the first instance
 * only. */
static void report_marked_rows(derivation *d, const bool *bad)
{
    const zm_model *model = d->work->model;
    for (int32_t c = 0; c < model->constraint_count; c++) {
        const zm_constraint *item = &model->constraints[c];
        bool found = false;
        if (item->where.family != d->number) continue;
        for (int32_t k = 0; k < item->where.count; k++) found |= bad[item->where.root + k];
        if (found) report_nonlinear_constraint(d, item);
        if (found && !d->family->whole) return;
    }
}

/* An acceleration in A, or in a condition, makes a row nonlinear in the accelerations: an error. */
static void check_linear_in_accelerations(derivation *d)
{
    zm_family *f = d->family;
    bool any = false, *bad = ZB_NEW_ARRAY(&d->work->scratch, bool, f->root_count);
    for (int32_t i = 0; i < f->jacobian_count; i++)
        if (zm_content_bits(d->work, f->jacobian[i].node) & ZM_HAS_ACCELERATION)
            any = bad[f->jacobian[i].row] = true;
    for (int32_t k = 0; k < f->root_count; k++)
        if (zm_content_bits(d->work, f->roots[k]) & ZM_HAS_JUMP) any = bad[k] = true;
    if (any) report_marked_rows(d, bad);
}

/* -------------------------------------------------------------- constraints */

/* Rows of one kind. Holonomic: rate = D phi, b = -DD phi. On velocities: rate = phi, b = -D phi. */
static void derive_rows_of_kind(derivation *d, zm_row_kind kind)
{
    zm_workspace *work = d->work;
    zm_family *f = d->family;
    zx_node *roots = ZB_NEW_ARRAY(&work->scratch, zx_node, f->root_count);
    zx_node *first = ZB_NEW_ARRAY(&work->scratch, zx_node, f->root_count);
    int32_t *rows = ZB_NEW_ARRAY(&work->scratch, int32_t, f->root_count);
    int32_t count = list_rows_of_kind(f, kind, f->roots, roots, rows);
    zm_derive_along_motion(work, roots, count, f->coordinates, first);
    zx_node *last = first;
    if (kind == ZM_HOLONOMIC) {
        last = ZB_NEW_ARRAY(&work->scratch, zx_node, f->root_count);
        zm_derive_along_motion(work, first, count, f->coordinates, last);
    }
    for (int32_t i = 0; i < count; i++) {
        f->rate[rows[i]] = kind == ZM_HOLONOMIC ? first[i] : roots[i];
        f->b[rows[i]] = zx_unary(work->pool, ZX_NEG, last[i]);
    }
}

/* Takes the masks off the roots: masks [root_count] in scratch, ZX_NONE where there is none. */
static zx_node *take_masks_off(derivation *d)
{
    zm_family *f = d->family;
    const zx_item *items = d->work->pool->items;
    zx_node *masks = ZB_NEW_ARRAY(&d->work->scratch, zx_node, f->root_count);
    for (int32_t k = 0; k < f->root_count; k++) {
        const zx_item *root = &items[f->roots[k]];
        masks[k] = ZX_NONE;
        if (root->op != ZX_SELECT || items[root->a].op != ZX_VALUE) continue;
        if (zm_value_of(f, 0, items[root->a].a) < d->work->model->first_hidden) continue;
        masks[k] = root->a;
        f->roots[k] = root->b;
    }
    return masks;
}

/* A node of a row that is 0 while its mask is: a choice, so that a row that does not hold may have
 * no value. Of a number the product, which is the mask itself of 1. */
static zx_node put_mask_on(zx_pool *pool, zx_node mask, zx_node node)
{
    double number;
    if (mask == ZX_NONE || node == ZX_NONE) return node;
    if (zx_is_constant(pool, node, &number)) return zx_binary(pool, ZX_MUL, mask, node);
    return zx_select(pool, mask, node, zx_number(pool, 0.0));
}

/* On everything that was derived. */
static void put_masks_on(derivation *d, const zx_node *masks)
{
    zm_family *f = d->family;
    zx_pool *pool = d->work->pool;
    for (int32_t k = 0; k < f->root_count; k++) {
        if (masks[k] == ZX_NONE) continue;
        f->roots[k] = put_mask_on(pool, masks[k], f->roots[k]);
        f->rate[k] = put_mask_on(pool, masks[k], f->rate[k]);
        f->b[k] = put_mask_on(pool, masks[k], f->b[k]);
    }
    for (int32_t i = 0; i < f->jacobian_count; i++)
        f->jacobian[i].node = put_mask_on(pool, masks[f->jacobian[i].row], f->jacobian[i].node);
}

/* The kinds first, for A and b depend on them. */
static void derive_constraint(derivation *d)
{
    zm_family *f = d->family;
    zb_arena *arena = &d->work->model->arena;
    zx_node *masks = take_masks_off(d);
    f->b = ZB_NEW_ARRAY(arena, zx_node, f->root_count);
    f->rate = ZB_NEW_ARRAY(arena, zx_node, f->root_count);
    classify_rows(d);
    derive_row_jacobian(d);
    mark_nonlinear_rows(d);
    check_linear_in_accelerations(d);
    derive_rows_of_kind(d, ZM_HOLONOMIC);
    derive_rows_of_kind(d, ZM_NONHOLONOMIC);
    derive_rows_of_kind(d, ZM_NONLINEAR);
    derive_acceleration_rows(d);
    put_masks_on(d, masks);
}

/* Only the derivatives by which a start is solved for. */
static void derive_start_equation(derivation *d)
{
    classify_rows(d);
    derive_row_jacobian(d);
    mark_nonlinear_rows(d);
}

/* ----------------------------------------------------------------- contacts */

/* Kinds and rates as those of a constraint; A and b are those of its rows. */
static void derive_gap(derivation *d)
{
    zm_workspace *work = d->work;
    zm_family *f = d->family;
    f->rate = ZB_NEW_ARRAY(&work->model->arena, zx_node, f->root_count);
    classify_rows(d);
    zx_node *rates = ZB_NEW_ARRAY(&work->scratch, zx_node, f->root_count);
    zx_node *roots = ZB_NEW_ARRAY(&work->scratch, zx_node, f->root_count);
    int32_t *rows = ZB_NEW_ARRAY(&work->scratch, int32_t, f->root_count);
    int32_t count = list_rows_of_kind(f, ZM_HOLONOMIC, f->roots, roots, rows);
    zm_derive_along_motion(work, roots, count, f->coordinates, rates);
    for (int32_t k = 0; k < f->root_count; k++)
        f->rate[k] = f->kinds[k] == ZM_ACCELERATION ? ZX_NONE : f->roots[k];
    for (int32_t k = 0; k < count; k++) f->rate[rows[k]] = rates[k];
}

/* The roots of a family of frictions that are slips: their numbers into rows; how many. */
static int32_t list_slip_roots(derivation *d, zx_node *roots, int32_t *rows)
{
    const zm_model *model = d->work->model;
    const zm_family *f = d->family;
    int32_t count = 0;
    for (int32_t i = 0; i < model->friction_count; i++) {
        const zm_friction *friction = &model->frictions[i];
        if (friction->where.family != d->number) continue;
        for (int32_t k = friction->where.root; k < friction->where.root + friction->width; k++) {
            roots[count] = f->roots[k];
            rows[count++] = k;
        }
        if (!f->whole) break; /* the others are instances of the same roots */
    }
    return count;
}

/* dV/dv of the slips. */
static void derive_friction(derivation *d)
{
    zm_workspace *work = d->work;
    zm_family *f = d->family;
    zx_node *roots = ZB_NEW_ARRAY(&work->scratch, zx_node, f->root_count);
    int32_t *rows = ZB_NEW_ARRAY(&work->scratch, int32_t, f->root_count);
    int32_t count = list_slip_roots(d, roots, rows);
    zm_entries entries = zm_derive_jacobian(work, roots, rows, count, ZX_VELOCITY, f->coordinates);
    f->jacobian = copy_entries_to_model(d, &entries, &f->jacobian_count);
}

/* ------------------------------------------------------------------- motors */

/* E0541 for a motor whose speed is not linear in the velocities, or that moves nothing. */
static void judge_motor(derivation *d, const zm_motor *motor)
{
    const zm_family *f = d->family;
    bool any = false, linear = true;
    for (int32_t i = 0; i < f->jacobian_count; i++) {
        if (f->jacobian[i].row != motor->where.root) continue;
        any = true;
        linear = linear && !(zm_content_bits(d->work, f->jacobian[i].node) & ZM_HAS_VELOCITY);
    }
    if (any && linear) return;
    zl_report(d->builder->unit, "E0541", motor->place,
              "write a coordinate, a joint, or a speed as in by x' - y'",
              any ? "the speed '%s' that a motor pushes along is not linear in the velocities"
                  : "a motor along '%s' moves nothing",
              motor->name);
}

/* dV/dv of the speeds, each the first root of its motor. */
static void derive_motor(derivation *d)
{
    zm_workspace *work = d->work;
    const zm_model *model = work->model;
    zm_family *f = d->family;
    zx_node *roots = ZB_NEW_ARRAY(&work->scratch, zx_node, f->root_count);
    int32_t *rows = ZB_NEW_ARRAY(&work->scratch, int32_t, f->root_count);
    int32_t count = 0;
    for (int32_t i = 0; i < model->motor_count; i++) {
        const zm_where *where = &model->motors[i].where;
        if (where->family != d->number) continue;
        roots[count] = f->roots[where->root];
        rows[count++] = where->root;
        if (!f->whole) break; /* the others are instances of the same roots */
    }
    zm_entries entries = zm_derive_jacobian(work, roots, rows, count, ZX_VELOCITY, f->coordinates);
    f->jacobian = copy_entries_to_model(d, &entries, &f->jacobian_count);
    for (int32_t i = 0; i < model->motor_count; i++)
        if (model->motors[i].where.family == d->number &&
            (f->whole || model->motors[i].where.instance == 0))
            judge_motor(d, &model->motors[i]);
}

/* ---------------------------------------------------------------------- all */

/* The dispatch by kind. */
static void derive_family(derivation *d)
{
    switch (d->family->kind) {
    case ZM_ENERGY:
        derive_energy(d);
        break;
    case ZM_DISSIPATION:
        derive_dissipation(d);
        break;
    case ZM_MASS:
        derive_mass(d);
        break;
    case ZM_FORCE:
    case ZM_NONIDEAL:
        derive_force(d);
        break;
    case ZM_FORCE_AT:
    case ZM_NONIDEAL_AT:
        derive_force_at(d);
        break;
    case ZM_CONSTRAINT:
        derive_constraint(d);
        break;
    case ZM_START_EQUATION:
        derive_start_equation(d);
        break;
    case ZM_GAP:
        derive_gap(d);
        break;
    case ZM_FRICTION:
        derive_friction(d);
        break;
    case ZM_MOTOR:
        derive_motor(d);
        break;
    default:
        break; /* evaluated, never differentiated */
    }
}

static void mark_constant_entries(zm_workspace *work, zm_entry *entries, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        entries[i].constant = (zm_content_bits(work, entries[i].node) & ZM_VARIES) == 0;
}

/* All families; scratch is emptied after each one. */
static void derive_families(zm_workspace *work, void *user)
{
    zm_model *model = work->model;
    derivation d = {.builder = user, .work = work};
    zb_mark mark = zb_arena_mark(&work->scratch);
    for (int32_t i = 0; i < model->family_count; i++) {
        zm_family *f = &model->families[i];
        d.number = i;
        d.family = f;
        derive_family(&d);
        mark_constant_entries(work, f->mass, f->mass_count);
        mark_constant_entries(work, f->force, f->force_count);
        mark_constant_entries(work, f->jacobian, f->jacobian_count);
        zb_arena_release(&work->scratch, mark);
    }
}

void zm_derive(zm_builder *builder)
{
    if (!zm_with_workspace(builder->model, derive_families, builder)) longjmp(*builder->escape, 1);
}
