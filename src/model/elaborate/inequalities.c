/*
 * Inequalities and what belongs to them: masks and contacts of their rows, the statements
 * `restitution` and `friction`.
 *
 *     constraint c: phi >= 0      a row  if(mask, phi, 0)  of A for each row; a contact, which has
 *                                 phi itself
 *     friction c: mu along V      rows  if(mask, V[k], 0)  on velocities, a constraint item of its own
 *                                 (its *tangent*); a friction, which has V, mu and the rest
 *     restitution c: e            a restitution, which has e
 *
 * Masks, and what contact(c) and impulse(c) read, are hidden values: leaves ZX_VALUE from
 * ZM_FIRST_HIDDEN on, each bound to a value of its own, so that no two rows are one and nothing is
 * folded. They are 0 until a simulation sets them.
 */
#include "elaborate.h"

#include <math.h>
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
        zx_node on = zx_leaf(e->world, ZX_VALUE, mask);
        out[k] = zx_select(e->world, on, phi[k], zx_number(e->world, 0.0));
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

/* By bisection. */
int32_t zm_find_contact(const zm_elab *e, int32_t constraint)
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

/* A number of a law: how it is called in messages, and the largest that it may be. */
typedef struct coefficient {
    const char *what, *help;
    double most;
} coefficient;

static const coefficient of_friction = {"coefficient of friction", "it is at least 0", HUGE_VAL};
static const coefficient of_restitution = {
    "restitution", "it is between 0, nothing bounces, and 1, nothing is lost", 1.0};

/* Whether the number lies in its bounds; what depends on the state is judged when that is known. */
static bool check_bounds(zm_elab *e, const zl_expr *x, const coefficient *c, zx_node root)
{
    zx_reach r = zx_reaches(e->world, &root, 1);
    if (r.position || r.velocity || r.time) return true;
    double number = zm_number_of_node(e, root);
    if (number >= 0.0 && number <= c->most) return true;
    char shown[ZB_DOUBLE_SIZE];
    zb_print_double(number, shown);
    ZM_ERROR(e, "E0505", x->place, c->help, "the %s is %s", c->what, shown);
    return false;
}

/* The number that x is as a root; false after an error. */
static bool read_coefficient(zm_elab *e, const zl_expr *x, const coefficient *c, zx_node *root)
{
    *root = zm_evaluate_scalar(e, x);
    if (*root == ZX_NONE) return false;
    zm_allowed allowed = {.velocity = true, .coordinate = true, .time = true};
    return zm_check_leaves(e, root, 1, allowed, x->place, zm_format(e, "a %s", c->what)) &&
           check_bounds(e, x, c, *root);
}

/* ---------------------------------------------------------------- restitution */

/* Whether a constraint may have one, and has none yet; reports otherwise. */
static bool check_restitution_target(zm_elab *e, const zl_expr *x, int32_t constraint)
{
    const zm_constraint *c = &e->items.constraints.data[constraint];
    const char *name = zm_label_string(e, &c->label);
    if (!c->inequality) {
        ZM_ERROR(e, "E0504", x->place, "only what can touch can bounce: write it with '>=' or '<='",
                 "'%s' is an equation and has no restitution", name);
        return false;
    }
    int32_t k = zm_find_contact(e, constraint);
    if (c->row_count == 0 || e->items.contacts.data[k].restitution < 0) return true;
    ZM_ERROR(e, "E0504", x->place, "say it once", "the restitution of '%s' is given twice", name);
    return false;
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
    int32_t first = zm_find_contact(e, constraint);
    for (int32_t k = 0; k < e->items.constraints.data[constraint].row_count; k++)
        e->items.contacts.data[first + k].restitution = e->items.restitutions.count;
    law.where = zm_add_instance(e, &instance);
    ZM_PUSH(e, items.restitutions, law);
}

/* restitution NAME, NAME: E, tangential = E */
void zm_execute_restitution(zm_elab *e, const zl_statement *s)
{
    int32_t *targets = find_targets(e, s);
    zx_node roots[2];
    const zl_expr *tangential = find_option(e, s, "tangential");
    if (!targets || !read_coefficient(e, s->right, &of_restitution, &roots[0]) ||
        (tangential && !read_coefficient(e, tangential, &of_restitution, &roots[1])) ||
        (e->flags.unresolved && !e->flags.last_call))
        return;
    for (int32_t k = 0; k < s->target_count; k++)
        if (check_restitution_target(e, s->targets[k], targets[k]))
            add_restitution(e, s, targets[k], roots, tangential ? 2 : 1);
}

/* ------------------------------------------------------------------- friction */

/* A friction as it is written: roots V[1..width], coefficient, static, pressure. */
typedef struct friction_law {
    zx_node *roots;
    int32_t root_count, width;
    bool vector, has_static, has_pressure;
} friction_law;

/* V as velocities: what has none is a place, whose rate is meant. */
static bool read_direction(zm_elab *e, const zl_statement *s, friction_law *law)
{
    zm_value V = zm_evaluate(e, s->left);
    if (zm_is_broken(&V)) return false;
    if (!zm_is_numeric(&V) || V.columns) {
        ZM_ERROR(e, "E0503", s->left->place, "it is a speed, or a vector of speeds",
                 "the direction of friction cannot be %s", zm_shape_string(e, &V));
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

/* For zx_evaluate: a number for each leaf, multipliers times `scale`. */
typedef struct trial {
    const zm_elab *e;
    uint64_t number;
    double scale;
} trial;

static double choose_leaf_number(void *user, const zx_item *leaf)
{
    const trial *t = user;
    if (leaf->op == ZX_VALUE && leaf->a < ZM_FIRST_HIDDEN)
        return t->e->parameters.numbers.data[leaf->a];
    uint64_t hash = zb_hash_mix(zb_hash_mix(t->number, (uint64_t)leaf->op), (uint64_t)leaf->a);
    double number = 0.5 + (double)(hash >> 11) / 9007199254740992.0;
    return leaf->op == ZX_MEASURE ? t->scale * (number - 1.0) : number;
}

/* Whether twice the multipliers are twice the pressure, at some arbitrary points. */
static bool is_proportional(zm_elab *e, zx_node pressure)
{
    for (uint64_t number = 1; number <= 4; number++) {
        trial once = {e, number, 1.0}, twice = {e, number, 2.0};
        double x = zx_evaluate(e->world, pressure, choose_leaf_number, &once);
        double y = zx_evaluate(e->world, pressure, choose_leaf_number, &twice);
        if (isfinite(x) && !(fabs(y - 2.0 * x) <= 1e-9 * (fabs(x) + fabs(y)))) return false;
    }
    return true;
}

/* Whether multipliers of constraints stand in it, and nothing else that a solve gives or a contact
 * does. */
static bool has_only_multipliers(zm_elab *e, zx_node pressure)
{
    int32_t below, measures = 0;
    bool good = true;
    zx_node *list = zx_below(e->world, &pressure, 1, &below);
    for (int32_t k = 0; k < below; k++) {
        const zx_item *item = &e->world->items[list[k]];
        good = good && !(item->op == ZX_VALUE && item->a >= ZM_FIRST_HIDDEN);
        if (item->op != ZX_MEASURE) continue;
        const zm_measure *m = &e->items.measures.data[item->a];
        good =
            good && m->kind == ZM_MULTIPLIER && !e->items.constraints.data[m->constraint].tangent;
        measures++;
    }
    zb_resize(e->memory, list, zb_product((size_t)below, sizeof *list), 0);
    return good && measures > 0;
}

/* pressure = E; false after an error. */
static bool read_pressure(zm_elab *e, const zl_expr *x, zx_node *root)
{
    *root = zm_evaluate_scalar(e, x);
    if (*root == ZX_NONE) return false;
    zm_allowed allowed = {.velocity = true, .coordinate = true, .time = true, .measure = true};
    if (!zm_check_leaves(e, root, 1, allowed, x->place, "the pressure of friction")) return false;
    if (!has_only_multipliers(e, *root))
        ZM_ERROR(e, "E0503", x->place, "write it with multiplier(...) of constraints",
                 "the pressure of friction is not one of multipliers");
    else if (!is_proportional(e, *root))
        ZM_ERROR(e, "E0503", x->place, "twice the multipliers must give twice the pressure",
                 "the pressure of friction is not proportional to the multipliers");
    else
        return true;
    return false;
}

/* All roots of a friction; false after an error. */
static bool read_friction(zm_elab *e, const zl_statement *s, friction_law *law)
{
    const zl_expr *rest = find_option(e, s, "static"), *pressure = find_option(e, s, "pressure");
    if (!read_direction(e, s, law)) return false;
    law->has_static = rest != NULL;
    law->has_pressure = pressure != NULL;
    zx_node *next = law->roots + law->width;
    if (!read_coefficient(e, s->right, &of_friction, next++)) return false;
    if (rest && !read_coefficient(e, rest, &of_friction, next++)) return false;
    if (pressure && !read_pressure(e, pressure, next++)) return false;
    law->root_count = (int32_t)(next - law->roots);
    return true;
}

/* The rows of A that hold the slip at 0, as a constraint item. */
static int32_t add_tangent(zm_elab *e, const zl_statement *s, const zm_friction *f,
                           const friction_law *law)
{
    zm_constraint c = {.label = e->items.constraints.data[f->constraint].label,
                       .place = zl_model_place(e->unit, s->place),
                       .vector = law->vector,
                       .elements = law->width,
                       .first_row = e->model->m,
                       .row_count = law->width,
                       .tangent = true,
                       .of = f->constraint,
                       .number = f->number};
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

/* Of every constraint up to this one there is a place. */
int32_t *zm_last_friction(zm_elab *e, int32_t constraint)
{
    while (e->items.last_friction.count <= constraint) ZM_PUSH(e, items.last_friction, -1);
    return &e->items.last_friction.data[constraint];
}

/* The width is part of the shape: a target that is none for each V. */
static zm_where add_friction_roots(zm_elab *e, const zl_statement *s, const friction_law *law)
{
    int32_t *none = ZB_NEW_ARRAY(&e->scratch, int32_t, law->width);
    for (int32_t k = 0; k < law->width; k++) none[k] = -1;
    zm_instance instance = {.kind = ZM_FRICTION,
                            .roots = law->roots,
                            .root_count = law->root_count,
                            .targets = none,
                            .target_count = law->width,
                            .item = e->items.frictions.count,
                            .place = s->place};
    return zm_add_instance(e, &instance);
}

/* The constraint presses; its tangent is new. */
static void add_friction(zm_elab *e, const zl_statement *s, int32_t constraint,
                         const friction_law *law)
{
    int32_t *last = zm_last_friction(e, constraint);
    zm_friction f = {.place = zl_model_place(e->unit, s->place),
                     .part = e->scope->part,
                     .constraint = constraint,
                     .first_row = e->model->m,
                     .width = law->width,
                     .state = add_hidden_value(e),
                     .before = *last,
                     .number = *last < 0 ? 1 : e->items.frictions.data[*last].number + 1,
                     .has_static = law->has_static,
                     .has_pressure = law->has_pressure};
    *last = e->items.frictions.count;
    f.tangent = add_tangent(e, s, &f, law);
    f.where = add_friction_roots(e, s, law);
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
