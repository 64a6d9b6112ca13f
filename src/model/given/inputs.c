/*
 * Inputs: numbers from outside, constant between settings. An input is a parameter that may change
 * while the model moves and so sizes nothing:
 *
 *     input u = 0, F[3] = 0
 *
 * What the caller gives for one when the model is compiled, "u = sin(t)", stands in its place as a
 * `let` would; of an array single elements may be given, and the others stay inputs.
 */
#include "elaborate.h"

#include <string.h>

/* input F[3], K[2, 2]: false after an error. */
static bool read_input_sizes(zm_elab *e, const zl_definition *d, zm_block *block)
{
    int64_t size[2] = {0, 0};
    for (int32_t k = 0; d->sizes && k < d->sizes->count && k < 2; k++) {
        const zl_expr *x = d->sizes->items[k];
        if (!zm_read_known_integer(e, x, "the size of an array", &size[k])) return false;
        if (size[k] >= 1 && size[k] <= ZM_MAX_COORDINATES) continue;
        ZM_ERROR(e, "E0318", x->place, NULL, "the size of '%s' is %lld; it must be %s",
                 zm_name_of(e, d->name), (long long)size[k],
                 size[k] < 1 ? "at least 1" : "much less");
        return false;
    }
    block->rows = (int32_t)size[0];
    block->columns = (int32_t)size[1];
    return true;
}

/* Zeros of the shape of the block. */
static zm_value make_zeros(zm_elab *e, const zm_block *block)
{
    if (block->rows == 0) return zm_number(0.0, false);
    zm_value v = zm_new_items(e, block->rows, block->columns);
    for (int32_t k = 0; k < zm_size(&v); k++) v.items[k] = zx_number(e->world, 0.0);
    return v;
}

/* What it is until it is set, which gives its shape where no sizes do; the number 0 fits every
 * shape, and is meant where nothing is said. */
static bool read_first_value(zm_elab *e, const zl_definition *d, zm_block *block, zm_value *v)
{
    if (!read_input_sizes(e, d, block)) return false;
    if (!d->value) {
        *v = make_zeros(e, block);
        return true;
    }
    *v = zm_evaluate(e, d->value);
    if (zm_is_broken(v) || !zm_check_parameter_value(e, d, v)) return false;
    if (!d->sizes) {
        block->rows = v->rows;
        block->columns = v->columns;
        return true;
    }
    zm_value wanted = {.kind = ZM_VAL_ITEMS, .rows = block->rows, .columns = block->columns};
    if (zm_is_zero_number(v)) {
        *v = make_zeros(e, block);
        return true;
    }
    if (zm_same_shape(v, &wanted)) return true;
    ZM_ERROR(e, "E0201", d->value->place, "the number 0 fits every shape",
             "the input '%s' is %s, its value is %s", zm_name_of(e, d->name),
             zm_shape_string(e, &wanted), zm_shape_string(e, v));
    return false;
}

/* ------------------------------------------------------------------ given from outside */

/* What is given for the input or an element of it, of its shape, in *v; false after an error. */
static bool read_given_value(zm_elab *e, const zm_setting *s, int32_t rows, int32_t columns,
                             zm_value *v)
{
    zm_value wanted = {
        .kind = rows > 0 ? ZM_VAL_ITEMS : ZM_VAL_NODE, .rows = rows, .columns = columns};
    *v = zm_evaluate(e, s->right);
    e->flags.setting_errors = e->flags.setting_errors || zm_is_broken(v);
    if (zm_is_broken(v)) return false;
    if (zm_is_numeric(v) && zm_same_shape(v, &wanted)) return true;
    ZM_ERROR(e, "E0109", s->right->place, NULL, "'%s' is %s, not %s", s->path,
             zm_shape_string(e, &wanted), zm_shape_string(e, v));
    e->flags.setting_errors = true;
    return false;
}

/* Whether anything is given for the block; *whole: for all of it at once, which comes last. */
static bool is_given(zm_elab *e, const zm_block *block, bool *whole)
{
    bool any = false;
    *whole = false;
    for (int32_t k = 0; k < e->parameters.inputs.count; k++) {
        int32_t element = zm_match_setting(e, &e->parameters.inputs.data[k], block);
        any = any || element != ZM_NO_ELEMENT;
        *whole = *whole || element == ZM_WHOLE_BLOCK;
    }
    return any;
}

/* The input with what is given in its place; v: the rest of it. */
static void put_given_values(zm_elab *e, const zm_block *block, zm_value *v)
{
    for (int32_t k = 0; k < e->parameters.inputs.count; k++) {
        const zm_setting *s = &e->parameters.inputs.data[k];
        int32_t element = zm_match_setting(e, &e->parameters.inputs.data[k], block);
        bool whole = element == ZM_WHOLE_BLOCK;
        zm_value given;
        if (element == ZM_NO_ELEMENT) continue;
        if (s->data.count > 0 && !zm_execute_input_file(e, s)) continue;
        if (!read_given_value(e, s, whole ? block->rows : 0, whole ? block->columns : 0, &given))
            continue;
        if (whole)
            *v = given;
        else if (v->kind == ZM_VAL_ITEMS)
            v->items[element] = zm_element(e, &given, 0);
    }
}

/* The elements of a block as items, which can be replaced one by one. */
static zm_value list_block_items(zm_elab *e, const zm_block *block)
{
    zm_value v = zm_new_items(e, block->rows, block->columns);
    for (int32_t k = 0; k < zm_size(&v); k++)
        v.items[k] = zx_leaf(e->world, ZX_VALUE, block->first + k);
    return v;
}

/* As `let` would declare it; what is not given stays a parameter. */
static void declare_given_input(zm_elab *e, zm_symbol *entry, const zm_block *block,
                                const zm_value *first, bool whole)
{
    entry->value = *first;
    if (!whole) {
        zm_add_parameter(e, block, first, true);
        e->parameters.used.data[e->parameters.used.count - 1] = true;
        entry->value = list_block_items(e, block);
    }
    e->kept++; /* its nodes stay */
    put_given_values(e, block, &entry->value);
    (void)zm_declare_name(e, entry);
}

/* ----------------------------------------------------------------------- the statement */

/* After an error the name stands for a broken value. */
static void declare_input(zm_elab *e, const zl_definition *d)
{
    zm_block block = {.label = {.scope = e->scope->part, .name = d->name},
                      .place = d->place,
                      .first = e->parameters.formulas.count};
    zm_symbol entry = {.name = d->name, .meaning = ZM_IS_VALUE, .place = d->place};
    zm_value v;
    bool whole;
    if (!read_first_value(e, d, &block, &v)) {
        entry.value = zm_broken();
        (void)zm_declare_name(e, &entry);
        return;
    }
    if (is_given(e, &block, &whole)) {
        declare_given_input(e, &entry, &block, &v, whole);
        return;
    }
    entry.meaning = ZM_IS_PARAMETER;
    entry.number = e->parameters.blocks.count;
    if (zm_declare_name(e, &entry)) zm_add_parameter(e, &block, &v, true);
}

void zm_execute_input(zm_elab *e, const zl_statement *s)
{
    for (int32_t k = 0; k < s->definition_count; k++) declare_input(e, &s->definitions[k]);
}

static bool is_input_block(const zm_elab *e, const zm_block *block)
{
    return e->parameters.input.data[block->first] == ZM_INPUT;
}

/* What to do about a text that names no input: one that is spelled like it, that it is a parameter,
 * or those there are. */
static const char *help_for_input(zm_elab *e, const zm_setting *s)
{
    zl_name names[20];
    int32_t count = 0;
    zb_suggestion best;
    zb_suggest_begin(&best, s->path);
    for (int32_t i = 0; i < e->parameters.blocks.count; i++) {
        const zm_block *block = &e->parameters.blocks.data[i];
        const char *label = zm_label_string(e, &block->label);
        bool input = is_input_block(e, block);
        if (!input && strcmp(label, s->path) == 0)
            return "it is a parameter, which is a number: --set";
        if (input) zb_suggest_add(&best, label);
        if (input && block->label.scope < 0 && count < 20) names[count++] = block->label.name;
    }
    const char *word = zb_suggest_end(&best);
    if (word) return zm_format(e, "did you mean '%s'?", word);
    return count > 0 ? zm_format(e, "it has %s", zm_list_names(e, names, count))
                     : "declare it in the model, as in input u = 0";
}

void zm_check_inputs(zm_elab *e)
{
    for (int32_t k = 0; k < e->parameters.inputs.count; k++) {
        const zm_setting *s = &e->parameters.inputs.data[k];
        if (s->used) continue;
        ZM_ERROR(e, "E0121", s->left->place, help_for_input(e, s), "the model has no input '%s'",
                 s->path);
        e->flags.setting_errors = true;
    }
}
