/*
 * Parameters: declared with a formula of earlier ones, overridden from outside, and, where a number
 * must be known while building (a size, an index, a range, the condition of a statement `if`),
 * read and marked as structural. All others stay variables of the compiled model.
 */
#include "elaborate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------- numbers known now */

/* What evaluate_node_now hands to each leaf. */
typedef struct leaf_numbers {
    zm_elab *e;
    bool mark;    /* as structural */
    bool unknown; /* a coordinate or the time was met */
    bool input;   /* an input was, or what follows from one */
} leaf_numbers;

/* The present value of a parameter, for zx_evaluate; other leaves have none. */
static double read_leaf_number(void *user, const zx_item *leaf)
{
    leaf_numbers *n = user;
    if (leaf->op != ZX_VALUE || leaf->a >= ZM_FIRST_HIDDEN) {
        n->unknown = true;
        return 0.0;
    }
    if (n->e->parameters.input.data[leaf->a] != ZM_NO_INPUT) n->input = true;
    if (n->mark) n->e->parameters.structural.data[leaf->a] = true;
    return n->e->parameters.numbers.data[leaf->a];
}

/* The value of a node with the parameters as they are now, which become structural when `mark` is
 * set. *known is false when a coordinate or the time stands in it. */
static double evaluate_node_now(zm_elab *e, zx_node node, bool mark, bool *known)
{
    leaf_numbers n = {.e = e, .mark = mark};
    double number = zx_evaluate(e->world, node, read_leaf_number, &n);
    *known = !n.unknown;
    return number;
}

/* Whether a node depends on inputs, also through the formulas of parameters. */
static bool follows_input(zm_elab *e, zx_node node)
{
    leaf_numbers n = {.e = e};
    if (e->parameters.any_input) (void)zx_evaluate(e->world, node, read_leaf_number, &n);
    return n.input;
}

/* Whether a node depends on no input; reports otherwise, for `what` is fixed when the model is
 * built. */
static bool check_no_input(zm_elab *e, zx_node node, zl_place place, const char *what)
{
    if (!follows_input(e, node)) return true;
    ZM_ERROR(e, "E0221", place, "use a parameter",
             "%s is fixed when the model is built; an input comes later", what);
    return false;
}

double zm_number_of_node(zm_elab *e, zx_node node)
{
    bool known;
    return evaluate_node_now(e, node, false, &known);
}

/* Numbers are known; an expression of parameters is evaluated, and they are structural from
 * now on. */
bool zm_read_known_number(zm_elab *e, const zm_value *v, zl_place place, const char *what,
                          double *number)
{
    if (v->kind == ZM_VAL_NUMBER) {
        *number = v->number;
        return true;
    }
    bool known = zm_is_scalar(v);
    if (known && !check_no_input(e, zm_element(e, v, 0), place, what)) return false;
    if (known) *number = evaluate_node_now(e, zm_element(e, v, 0), true, &known);
    if (!known && !zm_is_broken(v))
        ZM_ERROR(e, "E0207", place, "it may use numbers, parameters and loop variables",
                 "%s must be known before the model moves", what);
    return known;
}

/* Up to 9e15, where every integer is a double. */
bool zm_read_known_integer(zm_elab *e, const zl_expr *x, const char *what, int64_t *number)
{
    zm_value v = zm_evaluate(e, x);
    double value;
    if (zm_is_broken(&v)) return false;
    if (!zm_is_scalar(&v)) {
        ZM_ERROR(e, "E0206", x->place, NULL, "%s must be an integer, not %s", what,
                 zm_shape_string(e, &v));
        return false;
    }
    if (!zm_read_known_number(e, &v, x->place, what, &value)) return false;
    if (!(fabs(value) < 9e15) || value != floor(value)) {
        char shown[ZB_DOUBLE_SIZE];
        zb_print_double(value, shown);
        ZM_ERROR(e, "E0206", x->place, "floor(...) rounds down", "%s must be an integer, not %s",
                 what, shown);
        return false;
    }
    *number = (int64_t)value;
    return true;
}

/* For settings of simulate and draw, which the compiled model keeps as numbers. */
bool zm_read_present_number(zm_elab *e, const zl_expr *x, const char *what, double *number)
{
    zx_node node = zm_evaluate_scalar(e, x);
    if (node == ZX_NONE) return false;
    bool known;
    if (!check_no_input(e, node, x->place, what)) return false;
    *number = evaluate_node_now(e, node, false, &known);
    if (!known)
        ZM_ERROR(e, "E0207", x->place, "it may use numbers and parameters",
                 "%s must be known before the model moves", what);
    else if (!isfinite(*number))
        ZM_ERROR(e, "E0207", x->place, NULL, "%s is not a finite number", what);
    return known && isfinite(*number);
}

/* A structural parameter makes those of its formula structural, unless it was overridden. Formulas
 * hold earlier parameters only, so one pass from the last one down suffices. */
void zm_spread_structural(zm_elab *e)
{
    for (int32_t k = e->parameters.structural.count; k-- > 0;) {
        if (!e->parameters.structural.data[k] || e->parameters.overridden.data[k]) continue;
        bool known;
        (void)evaluate_node_now(e, e->parameters.formulas.data[k], true, &known);
    }
}

/* -------------------------------------------------------------------- settings */

/* The left side of a setting as text: a name, members and indices, as they are printed in labels;
 * false: it is something else. */
static bool append_path_text(zm_elab *e, const zl_expr *x, zb_text *text)
{
    if (x->kind == ZL_NAME) {
        zb_text_add(text, zm_name_of(e, x->name));
        return true;
    }
    if (x->kind != ZL_MEMBER && x->kind != ZL_INDEX) return false;
    if (!append_path_text(e, x->left, text)) return false;
    if (x->kind == ZL_MEMBER) {
        zb_text_printf(text, ".%s", zm_name_of(e, x->name));
        return true;
    }
    for (int32_t k = 0; k < x->count; k++) {
        int64_t index;
        if (!zm_read_known_integer(e, x->items[k], "an index", &index)) return false;
        zb_text_printf(text, "%s%lld", k ? "," : "[", (long long)index);
    }
    zb_text_char(text, ']');
    return true;
}

/* Notes one equation of a setting, or of an input; its right side is evaluated when the parameter
 * or input is declared. */
static void add_setting(zm_elab *e, const zl_equation *equation, bool input)
{
    zb_text *path = &e->parameters.path; /* an index in it may jump */
    zb_text_free(path);
    zb_text_init(path, e->memory);
    bool good = append_path_text(e, equation->left, path) && !equation->fixed;
    if (path->failure != ZW_OK) zm_out_of_memory(e);
    const char *copy = zb_arena_string(&e->model->arena, zb_text_string(path), path->length);
    if (!good) {
        ZM_ERROR(e, "E0109", equation->place, "write name = value, as in m = 2",
                 input ? "this does not name an input" : "this setting does not name a parameter");
        return;
    }
    zm_setting s = {
        .left = equation->left, .right = equation->right, .place = equation->place, .path = copy};
    if (input)
        ZM_PUSH(e, parameters.inputs, s);
    else
        ZM_PUSH(e, parameters.settings, s);
}

/* What stands for the file of setting k in messages: each has a text of its own. */
static const char *name_setting_file(zm_elab *e, const char *word, int32_t k)
{
    if (k == 0) return word;
    const char *name = zm_format(e, "%s[%d]", word, (int)k + 1);
    return zb_arena_copy(&e->model->arena, name, strlen(name) + 1, 1);
}

/* Each text may hold several equations. */
void zm_read_setting_text(zm_elab *e, const char *file, const char *text, bool input)
{
    int32_t count, errors = e->unit->error_count;
    const zl_equation *list = zl_parse_equations(e->unit, file, text, strlen(text), &count);
    for (int32_t i = 0; i < count; i++)
        if (list[i].left && list[i].right && list[i].left->kind != ZL_BROKEN)
            add_setting(e, &list[i], input);
    if (e->unit->error_count != errors) e->flags.setting_errors = true;
}

void zm_read_settings(zm_elab *e)
{
    const zm_request *r = e->b->request;
    for (int32_t k = 0; k < r->setting_count; k++)
        zm_read_setting_text(e, name_setting_file(e, "--set", k), r->settings[k], false);
    for (int32_t k = 0; k < r->input_count; k++) {
        const char *file = name_setting_file(e, "--input", k);
        if (!zm_read_input_file(e, file, r->inputs[k], k + 1))
            zm_read_setting_text(e, file, r->inputs[k], true);
    }
}

/* "it has m, l and g"; NULL when the model has no parameters outside of parts. */
static const char *list_parameter_names(zm_elab *e)
{
    zl_name names[20];
    int32_t count = 0;
    for (int32_t i = 0; i < e->parameters.blocks.count && count < 20; i++)
        if (e->parameters.blocks.data[i].label.scope < 0)
            names[count++] = e->parameters.blocks.data[i].label.name;
    return count > 0 ? zm_format(e, "it has %s", zm_list_names(e, names, count)) : NULL;
}

/* The message suggests a parameter that is spelled like it, or lists those there are. */
void zm_check_settings(zm_elab *e)
{
    for (int32_t k = 0; k < e->parameters.settings.count; k++) {
        const zm_setting *s = &e->parameters.settings.data[k];
        if (s->used) continue;
        zb_suggestion best;
        zb_suggest_begin(&best, s->path);
        for (int32_t i = 0; i < e->parameters.blocks.count; i++)
            zb_suggest_add(&best, zm_label_string(e, &e->parameters.blocks.data[i].label));
        const char *word = zb_suggest_end(&best);
        ZM_ERROR(e, "E0108", s->left->place,
                 word ? zm_format(e, "did you mean '%s'?", word) : list_parameter_names(e),
                 "the model has no parameter '%s'", s->path);
        e->flags.setting_errors = true;
    }
}

/* Whether a value depends on parameters only; reports otherwise. */
static bool check_parameters_only(zm_elab *e, const zm_value *v, zl_place place)
{
    zb_mark mark = zb_arena_mark(&e->scratch);
    zx_node *nodes = ZB_NEW_ARRAY(&e->scratch, zx_node, zm_size(v));
    for (int32_t k = 0; k < zm_size(v); k++) nodes[k] = zm_element(e, v, k);
    bool good = zm_check_leaves(e, nodes, zm_size(v), (zm_allowed){0}, place, "a parameter");
    zb_arena_release(&e->scratch, mark);
    return good;
}

/* The value of a setting, of the shape of the parameter, in *v; NULL after an error. */
static const zm_value *read_setting_value(zm_elab *e, const zm_setting *s, int32_t rows,
                                          int32_t columns, zm_value *v)
{
    *v = zm_evaluate(e, s->right);
    if (zm_is_broken(v)) e->flags.setting_errors = true;
    if (zm_is_broken(v)) return NULL;
    if (v->rows != rows || v->columns != columns || !zm_is_numeric(v)) {
        zm_value wanted = {.kind = ZM_VAL_ITEMS, .rows = rows, .columns = columns};
        ZM_ERROR(e, "E0109", s->right->place, NULL, "'%s' is %s, not %s", s->path,
                 zm_shape_string(e, &wanted), zm_shape_string(e, v));
        e->flags.setting_errors = true;
        return NULL;
    }
    if (!check_parameters_only(e, v, s->right->place)) {
        e->flags.setting_errors = true;
        return NULL;
    }
    return v;
}

/* Gives one element of a parameter another formula and value. */
static void override_element(zm_elab *e, int32_t element, zx_node node)
{
    bool known;
    e->parameters.formulas.data[element] = node;
    e->parameters.numbers.data[element] = evaluate_node_now(e, node, false, &known);
    e->parameters.overridden.data[element] = true;
    if (e->parameters.input.data[element] != ZM_INPUT)
        e->parameters.input.data[element] = follows_input(e, node) ? ZM_FOLLOWS_INPUT : ZM_NO_INPUT;
}

/* The element that a setting names as label[i] or label[i, j]; an error otherwise. */
static int32_t read_setting_element(zm_elab *e, const zm_setting *s, const zm_block *block,
                                    const char *label)
{
    const char *index = s->path + strlen(label), *comma = strchr(index, ',');
    long i = strtol(index + 1, NULL, 10), j = comma ? strtol(comma + 1, NULL, 10) : 1;
    int32_t width = block->columns ? block->columns : 1;
    bool there = i >= 1 && i <= block->rows && j >= 1 && j <= width && (!block->columns || comma);
    if (there) return (int32_t)((i - 1) * width + j - 1);
    ZM_ERROR(e, "E0109", s->left->place, NULL, "'%s' has no such element", label);
    e->flags.setting_errors = true;
    return ZM_NO_ELEMENT;
}

/* Marks the setting as used where it names the block or something of it. */
int32_t zm_match_setting(zm_elab *e, zm_setting *s, const zm_block *block)
{
    const char *label = zm_label_string(e, &block->label);
    size_t length = strlen(label);
    if (strcmp(s->path, label) == 0) {
        s->used = true;
        return ZM_WHOLE_BLOCK;
    }
    if (s->left->kind != ZL_INDEX || strncmp(s->path, label, length) != 0 ||
        s->path[length] != '[' || strchr(s->path + length, '.'))
        return ZM_NO_ELEMENT;
    s->used = true;
    return read_setting_element(e, s, block, label);
}

/* Applies the settings that name the parameter just declared, in their order: of the whole, m = [1,
 * 2], or of one element, m[2] = 3. */
static void apply_settings(zm_elab *e, const zm_block *block)
{
    for (int32_t k = 0; k < e->parameters.settings.count; k++) {
        zm_setting *s = &e->parameters.settings.data[k];
        int32_t element = zm_match_setting(e, s, block);
        bool whole = element == ZM_WHOLE_BLOCK;
        zm_value v;
        if (element == ZM_NO_ELEMENT) continue;
        if (!read_setting_value(e, s, whole ? block->rows : 0, whole ? block->columns : 0, &v))
            continue;
        for (int32_t i = 0; i < zm_size(&v); i++)
            override_element(e, block->first + (whole ? i : element), zm_element(e, &v, i));
    }
}

/* ----------------------------------------------------------------- the statement */

/* Appends formulas and present values of a new parameter. */
static void add_parameter_elements(zm_elab *e, const zm_value *v, bool input)
{
    for (int32_t k = 0; k < zm_size(v); k++) {
        zx_node node = zm_element(e, v, k);
        bool known;
        ZM_PUSH(e, parameters.formulas, node);
        ZM_PUSH(e, parameters.numbers, evaluate_node_now(e, node, false, &known));
        ZM_PUSH(e, parameters.structural, false);
        ZM_PUSH(e, parameters.overridden, false);
        ZM_PUSH(e, parameters.input,
                input                    ? ZM_INPUT
                : follows_input(e, node) ? ZM_FOLLOWS_INPUT
                                         : ZM_NO_INPUT);
    }
    zm_count_made(e, zm_size(v));
}

/* Parts are no values of parameters, and coordinates may not stand in one. */
bool zm_check_parameter_value(zm_elab *e, const zl_definition *d, const zm_value *v)
{
    if (!zm_is_numeric(v)) {
        ZM_ERROR(e, "E0203", d->value->place, NULL, "a parameter cannot be %s",
                 zm_shape_string(e, v));
        return false;
    }
    return check_parameters_only(e, v, d->value->place);
}

/* v is of the shape of the block; its formulas, and what settings make of them. */
void zm_add_parameter(zm_elab *e, const zm_block *block, const zm_value *v, bool input)
{
    e->kept++;
    e->parameters.any_input = e->parameters.any_input || input;
    ZM_PUSH(e, parameters.blocks, *block);
    ZM_PUSH(e, parameters.used, false);
    add_parameter_elements(e, v, input);
    apply_settings(e, block);
}

/* param name = formula. After an error the name stands for a broken value. */
static void declare_parameter(zm_elab *e, const zl_definition *d)
{
    zm_value v = zm_evaluate(e, d->value);
    zm_symbol entry = {.name = d->name, .meaning = ZM_IS_VALUE, .place = d->place};
    if (zm_is_broken(&v) || !zm_check_parameter_value(e, d, &v)) {
        entry.value = zm_broken();
        (void)zm_declare_name(e, &entry);
        return;
    }
    zm_block block = {.label = {.scope = e->scope->part, .name = d->name},
                      .place = d->place,
                      .first = e->parameters.formulas.count,
                      .rows = v.rows,
                      .columns = v.columns};
    entry.meaning = ZM_IS_PARAMETER;
    entry.number = e->parameters.blocks.count;
    if (zm_declare_name(e, &entry)) zm_add_parameter(e, &block, &v, false);
}

void zm_execute_param(zm_elab *e, const zl_statement *s)
{
    for (int32_t k = 0; k < s->definition_count; k++) declare_parameter(e, &s->definitions[k]);
}
