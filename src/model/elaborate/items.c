/*
 * The statements start, output, when and simulate: start values and equations, outputs, events, and
 * the settings of a simulation.
 */
#include "elaborate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The elements of a value as a list of nodes in scratch. */
static zx_node *list_elements(zm_elab *e, const zm_value *v)
{
    zx_node *nodes = ZB_NEW_ARRAY(&e->scratch, zx_node, zm_size(v));
    for (int32_t k = 0; k < zm_size(v); k++) nodes[k] = zm_element(e, v, k);
    return nodes;
}

/* Both sides of a start or a reset have one shape; the number 0 on the right fits every one: start
 * r' = 0. */
static bool check_equation_shapes(zm_elab *e, const zl_equation *q, const zm_value *a,
                                  const zm_value *b)
{
    bool numeric = zm_is_numeric(a) && zm_is_numeric(b);
    if (numeric && (zm_same_shape(a, b) || zm_is_zero_number(b))) return true;
    ZM_ERROR(e, "E0201", q->right->place, "both sides of an equation have the same shape",
             "the left side is %s, the right side is %s", zm_shape_string(e, a),
             zm_shape_string(e, b));
    return false;
}

/* ------------------------------------------------------------------------ start */

static bool stands_in_module(const zl_equation *q)
{
    return q->place.source != 0;
}

/* Notes that a coordinate's position or velocity is given; reports when it was before. What a part
 * of a module gives, the model may give again: its value holds. */
static bool note_start_given(zm_elab *e, const zl_equation *q, int32_t coordinate, int order)
{
    while (e->items.given.count <= coordinate) ZM_PUSH(e, items.given, 0);
    uint8_t bit = (uint8_t)((stands_in_module(q) ? 4 : 1) << order);
    if (e->items.given.data[coordinate] & (bit | bit >> 2)) {
        ZM_ERROR(e, "E0312", q->left->place, "give each start value once",
                 "this start value is given twice");
        return false;
    }
    e->items.given.data[coordinate] |= bit;
    return true;
}

/* start r = v: an item for each coordinate, or velocity, of the block r. */
static void add_start_values(zm_elab *e, const zl_equation *q, const zm_value *r, const zm_value *v)
{
    int32_t order = r->leaf == ZX_VELOCITY;
    for (int32_t k = 0; k < zm_size(r); k++) {
        zx_node node = zm_element(e, v, k);
        int32_t target = r->first + k;
        if (!note_start_given(e, q, target, order)) return;
        zm_instance instance = {.kind = ZM_START_VALUE,
                                .roots = &node,
                                .root_count = 1,
                                .targets = &target,
                                .orders = &order,
                                .target_count = 1,
                                .item = e->items.start_values.count,
                                .place = q->place};
        zm_start_value start = {.place = zl_model_place(e->unit, q->place),
                                .coordinate = target,
                                .order = (int8_t)order,
                                .fixed = q->fixed,
                                .module = stands_in_module(q)};
        start.where = zm_add_instance(e, &instance);
        ZM_PUSH(e, items.start_values, start);
    }
}

/* Whether an equation says anything about the coordinates; reports when it does not. */
static bool check_start_has_coordinates(zm_elab *e, const zl_equation *q, zx_node node)
{
    zx_reach r = zx_reaches(e->world, &node, 1);
    if (r.position || r.velocity) return true;
    ZM_ERROR(e, "E0306", q->left->place,
             "the left side is a coordinate, a velocity, or an "
             "expression of them",
             "this start equation contains no coordinate");
    return false;
}

/* start f(x) = c: one item with a root L - R for each element. */
static void add_start_equation(zm_elab *e, const zl_equation *q, const zm_value *a,
                               const zm_value *b)
{
    if (q->fixed) {
        ZM_ERROR(e, "E0311", q->place, "an equation is satisfied as it is; leave out 'fixed'",
                 "only a coordinate or a velocity can be fixed");
        return;
    }
    zx_node *nodes = ZB_NEW_ARRAY(&e->scratch, zx_node, zm_size(a));
    for (int32_t k = 0; k < zm_size(a); k++) {
        nodes[k] = zx_binary(e->world, ZX_SUB, zm_element(e, a, k), zm_element(e, b, k));
        if (!check_start_has_coordinates(e, q, nodes[k])) return;
    }
    zm_instance instance = {.kind = ZM_START_EQUATION,
                            .roots = nodes,
                            .root_count = zm_size(a),
                            .item = e->items.start_equations.count,
                            .place = q->place};
    zm_start_equation start = {.place = zl_model_place(e->unit, q->place)};
    start.where = zm_add_instance(e, &instance);
    ZM_PUSH(e, items.start_equations, start);
}

/* One equation of a start. A coordinate or velocity alone on the left is given a value; in
 * brackets, or as part of an expression, it makes an equation to be solved. */
static void read_start_equation(zm_elab *e, const zl_equation *q)
{
    zm_value a = zm_evaluate(e, q->left), b = zm_evaluate(e, q->right);
    if (zm_is_broken(&a) || zm_is_broken(&b) || !check_equation_shapes(e, q, &a, &b)) return;
    zm_allowed allowed = {.velocity = true, .coordinate = true, .time = true};
    if (!zm_check_leaves(e, list_elements(e, &a), zm_size(&a), allowed, q->left->place,
                         "a start") ||
        !zm_check_leaves(e, list_elements(e, &b), zm_size(&b), allowed, q->right->place, "a start"))
        return;
    if (zm_is_coordinates(&a) && !q->left->bracketed)
        add_start_values(e, q, &a, &b);
    else
        add_start_equation(e, q, &a, &b);
}

void zm_execute_start(zm_elab *e, const zl_statement *s)
{
    for (int32_t k = 0; k < s->equation_count; k++) read_start_equation(e, &s->equations[k]);
}

/* ----------------------------------------------------------------------- output */

static bool is_same_output(const void *pool, const void *key, int32_t index)
{
    const zm_elab *e = pool;
    return zm_same_label(&e->items.outputs.data[index].label, key);
}

/* Outputs share the name space of values: a name without index is declared, an indexed one found by
 * its label. Only an output outside of loops can be read again by its name. */
static bool declare_output(zm_elab *e, const zl_statement *s, const zm_label *label)
{
    bool readable = label->index_count == 0 && e->scope->lasting;
    zm_symbol entry = {.name = label->name,
                       .meaning = ZM_IS_OUTPUT,
                       .place = s->targets[0]->place,
                       .statement = readable ? s : NULL};
    uint64_t hash = zm_label_hash(label);
    if (zb_table_find(&e->items.output_table, hash, is_same_output, e, label) >= 0) {
        ZM_ERROR(e, "E0101", s->targets[0]->place, "choose another name",
                 "output '%s' is already defined", zm_label_string(e, label));
        return false;
    }
    zm_scope *before = e->scope;
    while (!e->scope->lasting && e->scope->outer) e->scope = e->scope->outer;
    const zm_symbol *other = zm_find_own_name(e->scope, label->name);
    bool good = (label->index_count > 0 && other && other->meaning == ZM_IS_OUTPUT) ||
                zm_declare_name(e, &entry);
    e->scope = before;
    if (good && !zb_table_insert(e->memory, &e->items.output_table, hash, e->items.outputs.count))
        zm_out_of_memory(e);
    return good;
}

/* After an error its name is bound to a broken value, so that its uses are no errors, too. */
void zm_execute_output(zm_elab *e, const zl_statement *s)
{
    zm_label label;
    e->flags.output = true;
    zm_value v = zm_evaluate(e, s->right);
    e->flags.output = false;
    if (e->flags.unresolved && !e->flags.last_call) return;
    if (!zm_read_label(e, s->targets[0], &label)) return;
    bool numeric = !zm_is_broken(&v) && zm_is_numeric(&v);
    if (!zm_is_broken(&v) && !numeric)
        ZM_ERROR(e, "E0203", s->right->place, "if(condition, 1, 0) makes a number of a condition",
                 "an output cannot be %s", zm_shape_string(e, &v));
    if (!numeric) {
        zm_bind_name(e, e->scope, label.name, s->mark, &(zm_value){.kind = ZM_VAL_BROKEN});
        return;
    }
    zx_node *nodes = list_elements(e, &v);
    if (!declare_output(e, s, &label)) return;
    zm_instance instance = {.kind = ZM_OUTPUT,
                            .roots = nodes,
                            .root_count = zm_size(&v),
                            .item = e->items.outputs.count,
                            .place = s->place};
    zm_output output = {
        .label = label, .place = s->place, .rows = v.rows, .columns = v.columns, .aside = s->aside};
    output.where = zm_add_instance(e, &instance);
    ZM_PUSH(e, items.outputs, output);
}

/* ------------------------------------------------------------------------- when */

/* What an event sets: the new value of coordinate targets[k], or of its velocity where orders[k]
 * is 1, is roots[k]. The condition comes first, with target -1. */
typedef struct reset_list {
    zx_node *roots;
    int32_t *targets, *orders;
    int32_t count;
} reset_list;

/* One reset of an event: its target r and its new value v; false after an error. */
static bool read_reset(zm_elab *e, const zl_equation *q, zm_value *r, zm_value *v)
{
    bool good = zm_read_targets(e, q->left, true, r);
    *v = zm_evaluate(e, q->right);
    if (!good || zm_is_broken(v) || !check_equation_shapes(e, q, r, v)) return false;
    if (q->fixed) {
        ZM_ERROR(e, "E0311", q->place, "leave out 'fixed'", "a reset cannot be fixed");
        return false;
    }
    zm_allowed allowed = {.velocity = true, .coordinate = true, .time = true, .measure = true};
    return zm_check_leaves(e, list_elements(e, v), zm_size(v), allowed, q->right->place, "a reset");
}

/* Appends the elements of one reset to the list. */
static void append_reset(zm_elab *e, reset_list *list, const zm_value *r, const zm_value *v)
{
    for (int32_t k = 0; k < zm_size(r); k++) {
        list->roots[list->count] = zm_element(e, v, k);
        list->targets[list->count] = r->first + k;
        list->orders[list->count++] = r->leaf == ZX_VELOCITY;
    }
}

/* The values of the loops around, "i = 2, j = 1", the outermost first, in the model's memory; NULL
 * without loops. */
static const char *describe_loop_pass(zm_elab *e)
{
    const char *pass = NULL;
    for (const zm_scope *scope = e->scope; scope && !scope->lasting; scope = scope->outer) {
        const zm_symbol *first = scope->entries; /* of a pass: its variable */
        if (scope->count == 0 || first->value.kind != ZM_VAL_NUMBER) continue;
        const char *own =
            zm_format(e, "%s = %d", zm_name_of(e, first->name), (int)first->value.number);
        pass = pass ? zm_format(e, "%s, %s", own, pass) : own;
    }
    if (!pass) return NULL;
    return zb_arena_copy(&e->model->arena, pass, strlen(pass) + 1, 1);
}

/* An event is one item with the condition as its first root and the new values after it. */
void zm_execute_when(zm_elab *e, const zl_statement *s)
{
    zm_value condition = zm_evaluate(e, s->left);
    zm_value *r = ZB_NEW_ARRAY(&e->scratch, zm_value, s->equation_count);
    zm_value *v = ZB_NEW_ARRAY(&e->scratch, zm_value, s->equation_count);
    bool good = !zm_is_broken(&condition);
    int32_t size = 1;
    for (int32_t k = 0; k < s->equation_count; k++) {
        good = read_reset(e, &s->equations[k], &r[k], &v[k]) && good;
        if (good) size += zm_size(&r[k]);
    }
    if (!good || (e->flags.unresolved && !e->flags.last_call)) return;
    zx_node test = zm_element(e, &condition, 0);
    zm_allowed allowed = {.velocity = true, .coordinate = true, .time = true, .measure = true};
    if (!zm_check_leaves(e, &test, 1, allowed, s->left->place, "the condition of an event")) return;
    reset_list list = {.roots = ZB_NEW_ARRAY(&e->scratch, zx_node, size),
                       .targets = ZB_NEW_ARRAY(&e->scratch, int32_t, size),
                       .orders = ZB_NEW_ARRAY(&e->scratch, int32_t, size),
                       .count = 1};
    list.roots[0] = test;
    list.targets[0] = -1;
    for (int32_t k = 0; k < s->equation_count; k++) append_reset(e, &list, &r[k], &v[k]);
    zm_instance instance = {.kind = ZM_EVENT,
                            .roots = list.roots,
                            .root_count = list.count,
                            .targets = list.targets,
                            .orders = list.orders,
                            .target_count = list.count,
                            .item = e->items.events.count,
                            .place = s->place};
    zm_event event = {.place = zl_model_place(e->unit, s->place),
                      .written = s->place,
                      .part = e->scope->part,
                      .pass = describe_loop_pass(e),
                      .stop = s->stop};
    event.where = zm_add_instance(e, &instance);
    ZM_PUSH(e, items.events, event);
}

/* --------------------------------------------------------------------- simulate */

/* Where a setting that is a positive number goes; false: it is none of these. */
static bool find_number_setting(zm_simulate *simulate, const char *key, double **number)
{
    if (strcmp(key, "tol") == 0)
        *number = &simulate->tol;
    else if (strcmp(key, "abs_tol") == 0)
        *number = &simulate->abs_tol;
    else if (strcmp(key, "every") == 0)
        *number = &simulate->every;
    else if (strcmp(key, "rest") == 0)
        *number = &simulate->rest;
    else
        return false;
    return true;
}

/* Reports numbers that are not positive. */
static void read_positive_setting(zm_elab *e, const zl_setting *setting, double *number)
{
    if (!zm_read_present_number(e, setting->value, zm_name_of(e, setting->key), number) ||
        *number > 0.0)
        return;
    ZM_ERROR(e, "E0313", setting->place, NULL, "'%s' must be positive",
             zm_name_of(e, setting->key));
}

static const char *const methods[] = {
#define ZM_METHOD_TEXT(name, value, text, sentence) text,
    ZW_METHOD_LIST(ZM_METHOD_TEXT)
#undef ZM_METHOD_TEXT
};
enum { method_count = sizeof methods / sizeof *methods };

/* Whether there is an integration method of this name. */
static bool is_method_name(const char *word)
{
    for (size_t k = 0; k < method_count; k++)
        if (strcmp(word, methods[k]) == 0) return true;
    return false;
}

/* "there are dop853, rk4 and auto", in help [size]; returns help. */
static const char *list_methods(char *help, size_t size)
{
    size_t length = (size_t)snprintf(help, size, "there are");
    for (size_t k = 0; k < method_count && length < size; k++) {
        const char *sign = k == 0 ? "" : k + 1 < method_count ? "," : " and";
        length += (size_t)snprintf(help + length, size - length, "%s %s", sign, methods[k]);
    }
    return help;
}

/* A setting that is one of two words; the second one sets it. */
typedef struct word_setting {
    const char *key, *words[2];
} word_setting;

/* Which of the two it is; -1, after an error, when it is neither. */
static int choose_word(zm_elab *e, const zl_setting *setting, const word_setting *w,
                       const char *word)
{
    for (int k = 0; k < 2; k++)
        if (word && strcmp(word, w->words[k]) == 0) return k;
    ZM_ERROR(e, "E0313", setting->place,
             zm_format(e, "write %s = %s or %s = %s", w->key, w->words[0], w->key, w->words[1]),
             "'%s' is %s or %s", w->key, w->words[0], w->words[1]);
    return -1;
}

/* impact, impacts, contacts and hold; false: it is none of these. */
static bool read_contact_setting(zm_elab *e, const zl_setting *setting, const char *key,
                                 const char *word)
{
    static const word_setting settings[] = {{"impact", {"poisson", "newton"}},
                                            {"impacts", {"rounds", "together"}},
                                            {"contacts", {"events", "steps"}},
                                            {"hold", {"energy", "nothing"}}};
    zm_simulate *simulate = &e->model->simulate;
    size_t k = 0;
    size_t count = sizeof settings / sizeof *settings;
    while (k < count && strcmp(key, settings[k].key) != 0) k++;
    if (k == count) return false;
    int chosen = choose_word(e, setting, &settings[k], word);
    if (k == 0 && chosen >= 0) simulate->impact = chosen == 0 ? ZM_POISSON : ZM_NEWTON;
    if (k == 1 && chosen >= 0) simulate->impacts = chosen == 0 ? ZM_ROUNDS : ZM_TOGETHER;
    if (k == 3 && chosen >= 0) simulate->holds_nothing = chosen == 1;
    if (k == 2 && chosen == 1)
        ZM_ERROR(e, "E0313", setting->place, "leave it out, or write contacts = events",
                 "contacts by steps are not there yet: each change of a contact is an event");
    return true;
}

/* Settings that are words; every other one is reported. */
static void read_word_setting(zm_elab *e, const zl_setting *setting, const char *key)
{
    zm_simulate *simulate = &e->model->simulate;
    bool named = setting->value && setting->value->kind == ZL_NAME;
    const char *word = setting->text ? setting->text
                       : named       ? zm_name_of(e, setting->value->name)
                                     : NULL;
    if (read_contact_setting(e, setting, key, word)) return;
    if (word && strcmp(key, "method") == 0) {
        char help[200];
        simulate->method = word;
        if (!is_method_name(word))
            ZM_ERROR(e, "E0313", setting->place, list_methods(help, sizeof help),
                     "'%s' is not a method", word);
    } else if (word && strcmp(key, "inconsistent") == 0 && strcmp(word, "accept") == 0)
        simulate->accept_inconsistent = true;
    else
        ZM_ERROR(
            e, "E0313", setting->place,
            "there are t = 0..10, tol, abs_tol, every, method, hold and inconsistent = accept; for "
            "contacts impact, impacts, contacts and rest",
            "'%s' is not a setting of simulate, or its value is wrong", key);
}

/* t = a..b and those of find_number_setting are numbers, all others words. */
void zm_execute_simulate(zm_elab *e, const zl_statement *s)
{
    zm_simulate *simulate = &e->model->simulate;
    if (e->scope->part >= 0 || !e->scope->lasting) {
        ZM_ERROR(e, "E0310", s->mark, "move it out of the block",
                 "'simulate' stands only outside of all blocks");
        return;
    }
    for (int32_t k = 0; k < s->setting_count; k++) {
        const zl_setting *setting = &s->settings[k];
        const char *key = zm_name_of(e, setting->key);
        double *number;
        if (find_number_setting(simulate, key, &number) && setting->value && !setting->last)
            read_positive_setting(e, setting, number);
        else if (strcmp(key, "t") == 0 && setting->value && setting->last) {
            if (zm_read_present_number(e, setting->value, "the first time", &simulate->from) &&
                zm_read_present_number(e, setting->last, "the last time", &simulate->until) &&
                simulate->until < simulate->from)
                ZM_ERROR(e, "E0313", setting->place, NULL, "the last time is before the first");
        } else
            read_word_setting(e, setting, key);
    }
}
