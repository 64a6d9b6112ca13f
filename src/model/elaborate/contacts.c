/*
 * Inequalities and what belongs to them: masks and contacts of their rows, the statements
 * `restitution` and `friction`.
 *
 *     constraint c: phi >= 0      a row  mask*phi  of A for each row; a contact, which has phi itself
 *     friction c: mu along V      rows  mask*V[k]  on velocities, a constraint item of its own (its
 *                                 *tangent*); a friction, which has V, mu and the rest
 *     restitution c: e            a restitution, which has e
 *
 * Masks, and what contact(c) and impulse(c) read, are hidden values: leaves ZX_VALUE from
 * ZM_FIRST_HIDDEN on, each bound to a value of its own, so that no two rows are one and nothing is
 * folded. They are 0 until a simulation sets them.
 */
#include "elaborate.h"

#include <string.h>

/* --------------------------------------------------------------- hidden values */

/* The leaf of a new hidden value. */
static int32_t add_hidden_value(zm_elab *e)
{
    return ZM_FIRST_HIDDEN + e->items.hidden++;
}

/* The rows of equations before have none. */
void zm_mask_rows(zm_elab *e, const zx_node *phi, int32_t count, zx_node *out)
{
    while (e->items.masks.count < e->model->m) ZM_PUSH(e, items.masks, -1);
    for (int32_t k = 0; k < count; k++) {
        int32_t mask = add_hidden_value(e);
        ZM_PUSH(e, items.masks, mask);
        out[k] = zx_binary(e->world, ZX_MUL, zx_leaf(e->world, ZX_VALUE, mask), phi[k]);
    }
}

/* ------------------------------------------------------------------- contacts */

void zm_add_contacts(zm_elab *e, const zl_statement *s, int32_t constraint, const zx_node *phi,
                     int32_t first_row, int32_t count)
{
    for (int32_t k = 0; k < count; k++) {
        zm_instance instance = {.kind = ZM_GAP,
                                .roots = &phi[k],
                                .root_count = 1,
                                .item = e->items.contacts.count,
                                .place = s->place};
        zm_contact contact = {.constraint = constraint, .row = first_row + k, .restitution = -1};
        contact.state = add_hidden_value(e);
        contact.impulse = add_hidden_value(e);
        contact.where = zm_add_instance(e, &instance);
        ZM_PUSH(e, items.contacts, contact);
    }
}

/* The first of the contacts of a constraint, which follow each other; by bisection. */
static int32_t find_first_contact(const zm_elab *e, int32_t constraint)
{
    int32_t low = 0, high = e->items.contacts.count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (e->items.contacts.data[middle].constraint < constraint)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ----------------------------------------------------------- laws of contact */

/* The constraints that a statement names, in scratch; NULL after an error, or when one of them is
 * not declared yet. */
static int32_t *find_targets(zm_elab *e, const zl_statement *s)
{
    int32_t *found = ZB_NEW_ARRAY(&e->scratch, int32_t, s->target_count);
    bool good = true;
    for (int32_t k = 0; k < s->target_count; k++) {
        found[k] = zm_find_constraint(e, s->targets[k], "E0502");
        good = good && found[k] >= 0;
    }
    return good ? found : NULL;
}

/* The value of an option, or NULL. */
static const zl_expr *find_option(zm_elab *e, const zl_statement *s, const char *key)
{
    for (int32_t k = 0; k < s->setting_count; k++)
        if (strcmp(zm_name_of(e, s->settings[k].key), key) == 0) return s->settings[k].value;
    return NULL;
}

/* The number that x is as a root; false after an error. */
static bool read_coefficient(zm_elab *e, const zl_expr *x, bool measure, const char *what,
                             zx_node *root)
{
    *root = zm_evaluate_scalar(e, x);
    if (*root == ZX_NONE) return false;
    zm_allowed allowed = {.velocity = true, .coordinate = true, .time = true, .measure = measure};
    return zm_check_leaves(e, root, 1, allowed, x->place, what);
}

/* Of the constraint and of its contacts. */
static void add_restitution(zm_elab *e, const zl_statement *s, int32_t constraint,
                            const zx_node *roots, int32_t count)
{
    zm_instance instance = {.kind = ZM_RESTITUTION,
                            .roots = roots,
                            .root_count = count,
                            .item = e->items.restitutions.count,
                            .place = s->place};
    zm_restitution law = {.place = zl_model_place(e->unit, s->place),
                          .constraint = constraint,
                          .has_tangential = count > 1};
    for (int32_t k = find_first_contact(e, constraint);
         k < e->items.contacts.count && e->items.contacts.data[k].constraint == constraint; k++)
        e->items.contacts.data[k].restitution = e->items.restitutions.count;
    law.where = zm_add_instance(e, &instance);
    ZM_PUSH(e, items.restitutions, law);
}

/* restitution NAME, NAME: E, tangential = E */
void zm_execute_restitution(zm_elab *e, const zl_statement *s)
{
    int32_t *targets = find_targets(e, s);
    zx_node roots[2];
    const zl_expr *tangential = find_option(e, s, "tangential");
    if (!targets || !read_coefficient(e, s->right, false, "a restitution", &roots[0]) ||
        (tangential && !read_coefficient(e, tangential, false, "a restitution", &roots[1])))
        return;
    for (int32_t k = 0; k < s->target_count; k++)
        add_restitution(e, s, targets[k], roots, tangential ? 2 : 1);
}

/* ------------------------------------------------------------------- friction */

/* A friction as it is written: roots V[1..width], coefficient, static, pressure. */
typedef struct friction_law {
    zx_node *roots;
    int32_t root_count, width;
    bool vector, has_static, has_pressure;
} friction_law;

/* V as velocities: where none stands in it, its derivative. */
static bool read_direction(zm_elab *e, const zl_statement *s, friction_law *law)
{
    zm_value V = zm_evaluate(e, s->left);
    if (zm_is_broken(&V)) return false;
    if (!zm_is_numeric(&V) || V.columns) {
        ZM_ERROR(e, "E0503", s->left->place, "a speed, or a vector of speeds",
                 "the direction of friction is %s", zm_shape_string(e, &V));
        return false;
    }
    law->width = zm_size(&V);
    law->vector = V.rows > 0;
    law->roots = ZB_NEW_ARRAY(&e->scratch, zx_node, law->width + 3);
    for (int32_t k = 0; k < law->width; k++) {
        zx_node node = zm_element(e, &V, k);
        zx_reach r = zx_reaches(e->world, &node, 1);
        bool still = !r.velocity && !r.acceleration && !r.measure;
        law->roots[k] = still ? zx_time_derivative(e->world, node) : node;
    }
    zm_allowed allowed = {.velocity = true, .coordinate = true, .time = true};
    return zm_check_leaves(e, law->roots, law->width, allowed, s->left->place,
                           "the direction of friction");
}

/* All roots of a friction; false after an error. */
static bool read_friction(zm_elab *e, const zl_statement *s, friction_law *law)
{
    const zl_expr *sticking = find_option(e, s, "static"),
                  *pressure = find_option(e, s, "pressure");
    if (!read_direction(e, s, law)) return false;
    law->has_static = sticking != NULL;
    law->has_pressure = pressure != NULL;
    zx_node *next = law->roots + law->width;
    if (!read_coefficient(e, s->right, false, "a coefficient of friction", next++)) return false;
    if (sticking && !read_coefficient(e, sticking, false, "a coefficient of friction", next++))
        return false;
    if (pressure && !read_coefficient(e, pressure, true, "the pressure of friction", next++))
        return false;
    law->root_count = (int32_t)(next - law->roots);
    return true;
}

/* The rows of A that hold the slip at 0, as a constraint item. */
static int32_t add_tangent(zm_elab *e, const zl_statement *s, int32_t constraint,
                           const friction_law *law)
{
    zm_constraint c = {.label = e->items.constraints.data[constraint].label,
                       .place = zl_model_place(e->unit, s->place),
                       .vector = law->vector,
                       .elements = law->width,
                       .first_row = e->model->m,
                       .row_count = law->width,
                       .tangent = true,
                       .of = constraint};
    zx_node *rows = ZB_NEW_ARRAY(&e->scratch, zx_node, law->width);
    zm_mask_rows(e, law->roots, law->width, rows);
    zm_instance instance = {.kind = ZM_CONSTRAINT,
                            .roots = rows,
                            .root_count = law->width,
                            .item = e->items.constraints.count,
                            .place = s->place};
    c.where = zm_add_instance(e, &instance);
    ZM_PUSH(e, items.constraints, c);
    e->model->m += law->width;
    return e->items.constraints.count - 1;
}

/* The width is part of the shape: a target that is none for each V. */
static void add_friction(zm_elab *e, const zl_statement *s, int32_t constraint,
                         const friction_law *law)
{
    int32_t *none = ZB_NEW_ARRAY(&e->scratch, int32_t, law->width);
    for (int32_t k = 0; k < law->width; k++) none[k] = -1;
    zm_friction f = {.place = zl_model_place(e->unit, s->place),
                     .constraint = constraint,
                     .tangent = add_tangent(e, s, constraint, law),
                     .width = law->width,
                     .state = add_hidden_value(e),
                     .vector = law->vector,
                     .has_static = law->has_static,
                     .has_pressure = law->has_pressure};
    f.first_row = e->items.constraints.data[f.tangent].first_row;
    zm_instance instance = {.kind = ZM_FRICTION,
                            .roots = law->roots,
                            .root_count = law->root_count,
                            .targets = none,
                            .target_count = law->width,
                            .item = e->items.frictions.count,
                            .place = s->place};
    f.where = zm_add_instance(e, &instance);
    ZM_PUSH(e, items.frictions, f);
}

/* friction NAME, NAME: E along V, static = E, pressure = E */
void zm_execute_friction(zm_elab *e, const zl_statement *s)
{
    int32_t *targets = find_targets(e, s);
    friction_law law = {0};
    if (!targets || !read_friction(e, s, &law) || (e->flags.unresolved && !e->flags.last_call))
        return;
    for (int32_t k = 0; k < s->target_count; k++)
        if (e->items.constraints.data[targets[k]].row_count > 0)
            add_friction(e, s, targets[k], &law);
}
