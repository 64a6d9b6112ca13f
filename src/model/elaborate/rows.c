/*
 * The statements constraint, control and weight, and the functions multiplier and reaction that
 * name constraints. A constraint L = R becomes rows phi = L - R, an inequality rows phi >= 0 with
 * masks (inequalities.c). Constraints have a name space of their own and may be named before they are
 * declared: such a statement is put off to the end (elab->flags.unresolved).
 */
#include "elaborate.h"

#include <math.h>
#include <string.h>

/* --------------------------------------------------------------------- finding */

static bool is_same_constraint(const void *pool, const void *key, int32_t index)
{
    const zm_elab *e = pool;
    return zm_same_label(&e->items.constraints.data[index].label, key);
}

static int32_t find_constraint_label(const zm_elab *e, const zm_label *label)
{
    return zb_table_find(&e->items.constraint_table, zm_label_hash(label), is_same_constraint, e,
                         label);
}

/* The label that pin, a.pin or link[2].pin stands for; false after an error. */
static bool read_constraint_label(zm_elab *e, const zl_expr *x, zm_label *label)
{
    const zl_expr *name = x->kind == ZL_INDEX ? x->left : x;
    if (name->kind != ZL_MEMBER) return zm_read_label(e, x, label);
    zm_value owner = zm_evaluate(e, name->left);
    if (zm_is_broken(&owner)) return false;
    if (owner.kind != ZM_VAL_PART) {
        ZM_ERROR(e, "E0104", name->left->place, NULL, "this is not a part");
        return false;
    }
    zl_expr bare = *name;
    bare.kind = ZL_NAME;
    zl_expr indexed = *x;
    indexed.left = &bare;
    if (!zm_read_label(e, x->kind == ZL_INDEX ? &indexed : &bare, label)) return false;
    label->scope = owner.first;
    return true;
}

/* With a suggestion among the first 10000 constraints. */
static void report_no_constraint(zm_elab *e, const zl_expr *x, const zm_label *label,
                                 const char *code)
{
    const char *name = zm_label_string(e, label);
    zb_suggestion s;
    if (zm_is_lost(e, label->name)) return;
    zb_suggest_begin(&s, name);
    for (int32_t k = 0; k < e->items.constraints.count && k < 10000; k++)
        if (!e->items.constraints.data[k].tangent)
            zb_suggest_add(&s, zm_label_string(e, &e->items.constraints.data[k].label));
    const char *best = zb_suggest_end(&s);
    if (e->flags.outside)
        ZM_ERROR(e, code, x->place, "a value given from outside is one of numbers and parameters",
                 "the constraint '%s' cannot be asked here", name);
    else if (strcmp(code, "E0502") == 0)
        ZM_ERROR(e, code, x->place,
                 best ? zm_format(e, "did you mean '%s'?", best)
                      : "name a constraint of this model",
                 "there is no constraint '%s'", name);
    else if (best)
        ZM_ERROR(e, code, x->place, NULL, "unknown constraint '%s'; did you mean '%s'?", name,
                 best);
    else
        ZM_ERROR(e, code, x->place, "name a constraint or a control of this model",
                 "unknown constraint '%s'", name);
}

/* From the part at hand outwards, unless a part is named. */
int32_t zm_find_constraint(zm_elab *e, const zl_expr *x, const char *code)
{
    const zl_expr *name = x->kind == ZL_INDEX ? x->left : x;
    zm_label label;
    if (name->kind != ZL_NAME && name->kind != ZL_MEMBER) {
        ZM_ERROR(e, code, x->place, "name a constraint, as in multiplier(rod)",
                 "this is not the name of a constraint");
        return -1;
    }
    if (!read_constraint_label(e, x, &label)) return -1;
    zm_label sought = label;
    for (;;) {
        int32_t found = find_constraint_label(e, &sought);
        if (found >= 0) return found;
        if (name->kind == ZL_MEMBER || sought.scope < 0) break;
        sought.scope = e->parts.list.data[sought.scope].label.scope;
    }
    e->flags.unresolved = true;
    if (e->flags.last_call) report_no_constraint(e, x, &label, code);
    return -1;
}

/* ------------------------------------------------------------------ constraints */

/* The rows of a constraint that hold coordinates. */
typedef struct row_list {
    zx_node *nodes;
    int32_t *written; /* [count] number of each among the rows as written, from 1 */
    int32_t count;
} row_list;

/* A row without coordinates: when it is 0 = 0, or phi >= 0 and true, it is dropped with a remark,
 * otherwise it is an error. False after an error. */
static bool judge_empty_row(zm_elab *e, const zl_statement *s, const zm_label *label, zx_node node,
                            int32_t k, bool vector)
{
    zx_reach r = zx_reaches(e->world, &node, 1);
    const char *name = zm_label_string(e, label);
    const char *row = vector ? zm_format(e, "row %d of '%s'", (int)k + 1, name)
                             : zm_format(e, "constraint '%s'", name);
    double number = r.time ? (double)NAN : zm_number_of_node(e, node);
    bool inequality = s->relation != ZL_EQ && s->kind == ZL_CONSTRAINT;
    if (fabs(number) <= 1e-14 || (inequality && number > 0.0)) {
        zl_report(e->unit, "R0603", s->targets[0]->place, NULL,
                  "%s says nothing: it is %s, and is dropped", row,
                  inequality ? "always true" : "0 = 0");
        return true;
    }
    char shown[ZB_DOUBLE_SIZE];
    zb_print_double(number, shown);
    const char *what = inequality ? "its gap" : "left minus right";
    if (r.time)
        ZM_ERROR(e, inequality ? "E0506" : "E0302", s->targets[0]->place,
                 "a constraint says something about coordinates", "%s contains no coordinate", row);
    else
        ZM_ERROR(e, inequality ? "E0506" : "E0302", s->targets[0]->place,
                 "a constraint says something about coordinates",
                 "%s contains no coordinate and is not true: %s is %s", row, what, shown);
    return false;
}

/* Keeps the rows of phi that hold coordinates; false after an error. */
static bool collect_rows(zm_elab *e, const zl_statement *s, const zm_label *label,
                         const zm_value *phi, row_list *rows)
{
    int32_t size = zm_size(phi);
    bool good = true;
    rows->nodes = ZB_NEW_ARRAY(&e->scratch, zx_node, size);
    rows->written = ZB_NEW_ARRAY(&e->scratch, int32_t, size);
    for (int32_t k = 0; k < size; k++) {
        zx_node node = zm_element(e, phi, k);
        if (zm_has_coordinate(e, node)) {
            rows->nodes[rows->count] = node;
            rows->written[rows->count++] = k + 1;
        } else if (!judge_empty_row(e, s, label, node, k, size > 1 || phi->rows > 0)) {
            good = false;
        }
    }
    return good;
}

/* One item with a root for each row; its rows come after all rows before. */
static void add_constraint_item(zm_elab *e, const zl_statement *s, const zm_label *label,
                                const zm_value *phi, row_list *rows)
{
    zm_constraint c = {.label = *label,
                       .place = zl_model_place(e->unit, s->targets[0]->place),
                       .control = s->kind == ZL_CONTROL,
                       .vector = phi->rows > 0,
                       .elements = zm_size(phi),
                       .first_row = e->model->m,
                       .row_count = rows->count,
                       .inequality = s->kind == ZL_CONSTRAINT && s->relation != ZL_EQ};
    c.where.family = -1;
    if (c.control && s->motor_count == 0) c.carried = zm_is_carried(e, rows->nodes, rows->count);
    if (rows->count < zm_size(phi))
        c.written = zb_arena_copy(&e->model->arena, rows->written,
                                  (size_t)rows->count * sizeof *rows->written, _Alignof(int32_t));
    if (c.inequality) {
        zx_node *phi_rows = rows->nodes;
        rows->nodes = ZB_NEW_ARRAY(&e->scratch, zx_node, rows->count);
        zm_mask_rows(e, phi_rows, rows->count, rows->nodes);
        zm_add_contacts(e, s, e->items.constraints.count, phi_rows, c.first_row, rows->count);
    }
    zm_instance instance = {.kind = ZM_CONSTRAINT,
                            .roots = rows->nodes,
                            .root_count = rows->count,
                            .item = e->items.constraints.count,
                            .place = s->place};
    if (rows->count > 0) c.where = zm_add_instance(e, &instance);
    if (!zb_table_insert(e->memory, &e->items.constraint_table, zm_label_hash(label),
                         e->items.constraints.count))
        zm_out_of_memory(e);
    ZM_PUSH(e, items.constraints, c);
    e->model->m += rows->count;
}

/* One side of a constraint. */
typedef struct side {
    const zl_expr *x;
    zm_value value;
} side;

static side read_side(zm_elab *e, const zl_expr *x)
{
    return (side){x, zm_evaluate(e, x)};
}

/* Every element of v, with the sign turned if `negative`. */
static zm_value take_signed(zm_elab *e, const zm_value *v, bool negative)
{
    return negative ? zm_map_elements(e, ZX_NEG, v) : *v;
}

/* a - b with its shape; broken after an error. A vector may be compared with the number 0, in an
 * equation on its right only. */
static zm_value subtract_sides(zm_elab *e, const zl_statement *s, const side *a, const side *b)
{
    if (zm_is_broken(&a->value) || zm_is_broken(&b->value)) return zm_broken();
    bool numeric = zm_is_numeric(&a->value) && zm_is_numeric(&b->value);
    if (numeric && zm_is_zero_number(&b->value) && a->value.rows > 0)
        return a->value; /* pa - pb = 0 for vectors */
    if (numeric && zm_is_zero_number(&a->value) && b->value.rows > 0 && s->relation != ZL_EQ)
        return take_signed(e, &b->value, true);
    zl_expr minus = {
        .kind = ZL_SUB, .place = s->place, .mark = s->right->place, .left = a->x, .right = b->x};
    if (numeric && !zm_same_shape(&a->value, &b->value)) {
        bool swapped = s->relation == ZL_LE;
        const side *left = swapped ? b : a, *right = swapped ? a : b;
        ZM_ERROR(e, "E0201", right->x->place,
                 s->relation == ZL_EQ ? "both sides of an equation have the same shape"
                                      : "both sides of an inequality have the same shape",
                 "the left side is %s, the right side is %s", zm_shape_string(e, &left->value),
                 zm_shape_string(e, &right->value));
        return zm_broken();
    }
    return zm_apply_arithmetic(e, &minus, &a->value, &b->value);
}

/* The rows of two values, one after the other. */
static zm_value join_rows(zm_elab *e, const zm_value *a, const zm_value *b)
{
    if (zm_is_broken(a) || zm_is_broken(b)) return zm_broken();
    int32_t first = zm_size(a);
    zm_value out = zm_new_items(e, first + zm_size(b), 0);
    for (int32_t k = 0; k < out.rows; k++)
        out.items[k] = k < first ? zm_element(e, a, k) : zm_element(e, b, k - first);
    return out;
}

/* phi: L - R of L = R and L >= R, R - L of L <= R; of a chain that of the lower bound, then that of
 * the upper one. Broken after an error. */
static zm_value read_rows(zm_elab *e, const zl_statement *s)
{
    side left = read_side(e, s->left), right = read_side(e, s->right);
    bool less = s->relation == ZL_LE;
    if (!s->third) return subtract_sides(e, s, less ? &right : &left, less ? &left : &right);
    side third = read_side(e, s->third);
    zm_value lower = subtract_sides(e, s, &right, less ? &left : &third);
    zm_value upper = subtract_sides(e, s, less ? &third : &left, &right);
    return join_rows(e, &lower, &upper);
}

/* A constraint with an error is declared all the same, without rows, so that its uses are no
 * errors, too. */
void zm_execute_constraint(zm_elab *e, const zl_statement *s)
{
    zm_label label;
    zm_value phi = read_rows(e, s);
    if (!zm_read_label(e, s->targets[0], &label)) return;
    int32_t other = find_constraint_label(e, &label);
    if (other >= 0) {
        int32_t line, column;
        zl_locate(e->unit, e->items.constraints.data[other].place, &line, &column);
        ZM_ERROR(e, "E0101", s->targets[0]->place, "choose another name",
                 "constraint '%s' is already defined, in line %d", zm_label_string(e, &label),
                 (int)line);
        return;
    }
    if (zm_is_broken(&phi)) {
        zm_constraint c = {.label = label,
                           .place = zl_model_place(e->unit, s->targets[0]->place),
                           .inequality = s->kind == ZL_CONSTRAINT && s->relation != ZL_EQ,
                           .where.family = -1};
        if (!zb_table_insert(e->memory, &e->items.constraint_table, zm_label_hash(&label),
                             e->items.constraints.count))
            zm_out_of_memory(e);
        ZM_PUSH(e, items.constraints, c);
        return;
    }
    zx_node *all = ZB_NEW_ARRAY(&e->scratch, zx_node, zm_size(&phi));
    for (int32_t k = 0; k < zm_size(&phi); k++) all[k] = zm_element(e, &phi, k);
    zm_allowed allowed = {.velocity = true, .acceleration = true, .coordinate = true, .time = true};
    row_list rows = {0};
    if (zm_check_leaves(e, all, zm_size(&phi), allowed, s->place, "a constraint") &&
        collect_rows(e, s, &label, &phi, &rows)) {
        add_constraint_item(e, s, &label, &phi, &rows);
        if (s->motor_count > 0) zm_add_motors(e, s);
    }
}

/* ---------------------------------------------------------------------- weights */

/* Whether a weight E fits: rows, of the constraint; other_rows, of the second one of a pair, or -1.
 * A number for all rows, one for each, or a matrix. */
static bool weight_fits_rows(const zm_value *E, int32_t rows, int32_t other_rows)
{
    if (other_rows >= 0)
        return (zm_is_scalar(E) && rows == other_rows) ||
               (E->rows == rows && E->columns == other_rows);
    return zm_is_scalar(E) || (E->rows == rows && (!E->columns || E->columns == rows));
}

/* weight c: E, or weight a, b: E for the block between two constraints. Only parameters may stand
 * in it. */
void zm_execute_weight(zm_elab *e, const zl_statement *s)
{
    int32_t a = zm_find_constraint(e, s->targets[0], "E0106");
    int32_t b = s->target_count == 2 ? zm_find_constraint(e, s->targets[1], "E0106") : -1;
    if (a < 0 || (s->target_count == 2 && b < 0)) return;
    zm_value E = zm_evaluate(e, s->right);
    if (zm_is_broken(&E)) return;
    int32_t rows = e->items.constraints.data[a].row_count;
    int32_t other_rows = b < 0 ? -1 : e->items.constraints.data[b].row_count;
    if (!zm_is_numeric(&E) || !weight_fits_rows(&E, rows, other_rows)) {
        ZM_ERROR(e, "E0201", s->right->place,
                 "a number, one number for each row, or a matrix of rows by rows",
                 "%s does not fit the rows of the constraint", zm_shape_string(e, &E));
        return;
    }
    zm_value roots = zm_new_items(e, zm_size(&E), 0);
    for (int32_t k = 0; k < zm_size(&E); k++) roots.items[k] = zm_element(e, &E, k);
    if (!zm_check_leaves(e, roots.items, roots.rows, (zm_allowed){0}, s->right->place, "a weight"))
        return;
    zm_instance instance = {.kind = ZM_WEIGHT,
                            .roots = roots.items,
                            .root_count = roots.rows,
                            .item = e->items.weights.count,
                            .place = s->place};
    zm_weight weight = {.place = s->place, .a = a, .b = b, .rows = E.rows, .columns = E.columns};
    weight.where = zm_add_instance(e, &instance);
    ZM_PUSH(e, items.weights, weight);
}

/* --------------------------------------------------------- multipliers, reactions */

/* An equal one among the latest is taken again. Warnings about a measure are
 * for nonideal forces that use it: their place counts. */
zx_node zm_measure_leaf(zm_elab *e, const zm_measure *sought)
{
    zl_place place = zl_model_place(e->unit, sought->place);
    e->flags.unusual = true;
    for (int32_t k = e->items.measures.count; k-- > 0 && k > e->items.measures.count - 64;) {
        zm_measure *m = &e->items.measures.data[k];
        if (m->kind == sought->kind && m->constraint == sought->constraint &&
            m->row == sought->row && m->coordinate == sought->coordinate) {
            if (e->flags.nonideal) m->place = place;
            return zx_leaf(e->world, ZX_MEASURE, k);
        }
    }
    ZM_PUSH(e, items.measures, *sought);
    e->items.measures.data[e->items.measures.count - 1].place = place;
    return zx_leaf(e->world, ZX_MEASURE, e->items.measures.count - 1);
}

/* multiplier(c): a number, or a vector with an element for each row as written; dropped rows give
 * 0. */
static zm_value evaluate_multiplier(zm_elab *e, const zl_expr *x, int32_t constraint)
{
    zm_constraint c = e->items.constraints.data[constraint];
    zm_value out = zm_new_items(e, c.elements > 0 ? c.elements : 1, 0);
    for (int32_t k = 0; k < out.rows; k++) out.items[k] = zx_number(e->world, 0.0);
    for (int32_t k = 0; k < c.row_count; k++) {
        zm_measure m = {.kind = ZM_MULTIPLIER,
                        .constraint = constraint,
                        .row = c.first_row + k,
                        .coordinate = -1,
                        .place = x->place};
        out.items[c.written ? c.written[k] - 1 : k] = zm_measure_leaf(e, &m);
    }
    return c.vector ? out : zm_node_value(e, out.items[0]);
}

zm_value zm_measures_of_coordinates(zm_elab *e, const zm_value *r, zm_measure m)
{
    if (zm_is_scalar(r)) {
        m.coordinate = r->first;
        return zm_node_value(e, zm_measure_leaf(e, &m));
    }
    zm_value out = zm_new_items(e, zm_size(r), 0);
    for (int32_t k = 0; k < out.rows; k++) {
        m.coordinate = r->first + k;
        out.items[k] = zm_measure_leaf(e, &m);
    }
    return out;
}

/* reaction(c, r): the component of the constraint force on a coordinate, or on each of an array. */
static zm_value evaluate_reaction_on(zm_elab *e, const zl_expr *x, zm_measure m)
{
    zm_value r;
    if (!zm_read_targets(e, x->items[1], false, &r)) return zm_broken();
    m.kind = ZM_REACTION_ON;
    return zm_measures_of_coordinates(e, &r, m);
}

/* reaction(), reaction(c), reaction(c, r) and multiplier(c). */
zm_value zm_evaluate_reaction(zm_elab *e, const zl_expr *x)
{
    zm_measure m = {
        .kind = ZM_REACTION_ALL, .constraint = -1, .row = -1, .coordinate = -1, .place = x->place};
    if (x->count == 0) return zm_node_value(e, zm_measure_leaf(e, &m));
    int32_t constraint = zm_find_constraint(e, x->items[0], "E0106");
    if (constraint < 0) return zm_broken();
    if (x->function == ZL_FN_MULTIPLIER) return evaluate_multiplier(e, x, constraint);
    m.kind = ZM_REACTION;
    m.constraint = constraint;
    if (x->count == 2) return evaluate_reaction_on(e, x, m);
    return zm_node_value(e, zm_measure_leaf(e, &m));
}
