/*
 * Names of coordinates, parameters and rows as texts, and what the slots of an instance are bound
 * to. Names are made when asked for: a model of a million coordinates keeps a few blocks.
 */
#include "derive.h"

/* As they are shown to users. */
const char *zm_row_kind_name(zm_row_kind kind)
{
    switch (kind) {
    case ZM_HOLONOMIC:
        return "holonomic";
    case ZM_NONHOLONOMIC:
        return "nonholonomic";
    case ZM_NONLINEAR:
        return "nonlinear";
    case ZM_ACCELERATION:
        return "acceleration";
    }
    return "unknown";
}

/* ------------------------------------------------------------------- labels */

/* [2] or [2,3]; nothing without indices. */
static void append_indices(const int32_t *index, int32_t count, zb_text *text)
{
    if (count == 0) return;
    zb_text_char(text, '[');
    for (int32_t k = 0; k < count; k++) {
        if (k > 0) zb_text_char(text, ',');
        zb_text_int(text, index[k]);
    }
    zb_text_char(text, ']');
}

/* The label of the part `steps` levels around. A part's depth is limited where parts are made, so
 * the outermost is found by going out `depth` times, then one time less, and so on. */
static const zm_label *go_outward(const zm_model *model, const zm_label *label, int32_t steps)
{
    while (steps-- > 0) label = &model->parts[label->scope].label;
    return label;
}

/* The outermost part first, with full stops between. */
void zm_label_text(const zm_model *model, const zm_label *label, zb_text *text)
{
    int32_t depth = 0;
    for (const zm_label *l = label; l->scope >= 0; l = go_outward(model, l, 1)) depth++;
    for (; depth >= 0; depth--) {
        const zm_label *l = go_outward(model, label, depth);
        zb_text_add(text, zl_name_text(&model->unit, l->name));
        append_indices(l->index, l->index_count, text);
        if (depth > 0) zb_text_char(text, '.');
    }
}

/* ------------------------------------------------------------------- blocks */

/* By bisection: the last block that begins at or before an element. Empty blocks begin where the
 * next one does, so that it is never one of them. */
static int32_t find_block_of_element(const zm_block *blocks, int32_t count, int32_t element)
{
    int32_t low = 0, high = count;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (blocks[middle].first <= element)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Matrices are stored row by row. */
void zm_block_index(const zm_block *block, int32_t element, int32_t index[2], int32_t *count)
{
    int32_t k = element - block->first;
    *count = block->columns > 0 ? 2 : block->rows > 0 ? 1 : 0;
    index[0] = block->columns > 0 ? k / block->columns + 1 : k + 1;
    index[1] = block->columns > 0 ? k % block->columns + 1 : 0;
}

/* The name of the block with the indices of one of its elements. */
static void append_element_name(const zm_model *model, const zm_block *block, int32_t element,
                                zb_text *text)
{
    int32_t index[2], count;
    zm_block_index(block, element, index, &count);
    zm_label_text(model, &block->label, text);
    append_indices(index, count, text);
}

int32_t zm_coordinate_block_of(const zm_model *model, int32_t coordinate)
{
    return find_block_of_element(model->coordinates, model->coordinate_blocks, coordinate);
}

void zm_coordinate_text(const zm_model *model, int32_t coordinate, zb_text *text)
{
    int32_t block = zm_coordinate_block_of(model, coordinate);
    append_element_name(model, &model->coordinates[block], coordinate, text);
}

int32_t zm_parameter_block_of(const zm_model *model, int32_t element)
{
    return find_block_of_element(model->parameters, model->parameter_blocks, element);
}

void zm_parameter_text(const zm_model *model, int32_t element, zb_text *text)
{
    int32_t block = zm_parameter_block_of(model, element);
    append_element_name(model, &model->parameters[block], element, text);
}

/* --------------------------------------------------------------------- rows */

/* By bisection. Constraints without rows begin where the next one does, and are never found. */
int32_t zm_row_constraint(const zm_model *model, int32_t row)
{
    int32_t low = 0, high = model->constraint_count;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (model->constraints[middle].first_row <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The index of a row of a vector constraint, as it was written: rows that are 0 = 0 count. */
static void append_row_index(const zm_constraint *c, int32_t row, zb_text *text)
{
    int32_t k = row - c->first_row;
    if (c->vector) append_indices(&(int32_t){c->written ? c->written[k] : k + 1}, 1, text);
}

/* Of a friction as it is asked for in a model. */
void zm_constraint_text(const zm_model *model, int32_t constraint, zb_text *text)
{
    const zm_constraint *c = &model->constraints[constraint];
    if (c->tangent) zb_text_add(text, "friction(");
    zm_label_text(model, &c->label, text);
    if (c->tangent && c->number > 1) zb_text_printf(text, ", %d", (int)c->number);
    if (c->tangent) zb_text_char(text, ')');
}

/* The name of the constraint, with an index when it is a vector equation. */
void zm_row_text(const zm_model *model, int32_t row, zb_text *text)
{
    int32_t constraint = zm_row_constraint(model, row);
    zm_constraint_text(model, constraint, text);
    append_row_index(&model->constraints[constraint], row, text);
}

zm_row_kind zm_row_kind_of(const zm_model *model, int32_t row)
{
    const zm_constraint *c = &model->constraints[zm_row_constraint(model, row)];
    return model->families[c->where.family].kinds[c->where.root + row - c->first_row];
}

bool zm_row_time_dependent(const zm_model *model, int32_t row)
{
    const zm_constraint *c = &model->constraints[zm_row_constraint(model, row)];
    return model->families[c->where.family].time_dependent[c->where.root + row - c->first_row];
}

/* -------------------------------------------------------------------- slots */

static const int32_t *binding_row(const zm_family *family, int32_t instance)
{
    return family->table + (int64_t)instance * family->stride;
}

int32_t zm_coordinate_of(const zm_family *family, int32_t instance, int32_t slot)
{
    return family->whole ? slot : binding_row(family, instance)[slot];
}

int32_t zm_value_of(const zm_family *family, int32_t instance, int32_t slot)
{
    return family->whole ? slot : binding_row(family, instance)[family->coordinates + slot];
}

int32_t zm_measure_of(const zm_family *family, int32_t instance, int32_t slot)
{
    if (family->whole) return slot;
    return binding_row(family, instance)[family->coordinates + family->values + slot];
}

/* -------------------------------------------------------------- expressions */

/* multiplier(NAME)[k], reaction(NAME, x), as they are written in a model. */
zm_measure zm_measure_at(const zm_model *model, int32_t measure)
{
    if (measure < model->measure_count) return model->measures[measure];
    int32_t row = measure - model->measure_count;
    return (zm_measure){
        .kind = ZM_MULTIPLIER, .constraint = zm_row_constraint(model, row), .row = row};
}

/* energy, force(x): as the column is called. */
static void append_shown_name(const zm_model *model, const zm_measure *m, zb_text *text)
{
    static const char *const words[] = {"control", "force",     "energy",
                                        "kinetic", "potential", "rank"};
    zb_text_add(text, words[m->kind - ZM_SHOWN_CONTROL]);
    if (m->coordinate < 0) return;
    zb_text_char(text, '(');
    zm_coordinate_text(model, m->coordinate, text);
    zb_text_char(text, ')');
}

void zm_measure_text(const zm_model *model, int32_t measure, zb_text *text)
{
    zm_measure is = zm_measure_at(model, measure), *m = &is;
    if (m->kind == ZM_MULTIPLIER && model->constraints[m->constraint].tangent) {
        zm_row_text(model, m->row, text);
        return;
    }
    if (m->kind >= ZM_SHOWN_CONTROL) {
        append_shown_name(model, m, text);
        return;
    }
    zb_text_add(text, m->kind == ZM_MULTIPLIER ? "multiplier(" : "reaction(");
    if (m->kind != ZM_REACTION_ALL)
        zm_label_text(model, &model->constraints[m->constraint].label, text);
    if (m->kind == ZM_REACTION_ON) {
        zb_text_add(text, ", ");
        zm_coordinate_text(model, m->coordinate, text);
    }
    zb_text_char(text, ')');
    if (m->kind == ZM_MULTIPLIER)
        append_row_index(&model->constraints[m->constraint], m->row, text);
}

/* The contact that has the hidden value for its state or impulse, or -1. Values ascend with the
 * contacts. */
static int32_t find_contact_of_value(const zm_model *model, int32_t value)
{
    int32_t low = 0, high = model->contact_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (model->contacts[middle].impulse < value)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < model->contact_count && model->contacts[low].state <= value;
    return found ? low : -1;
}

/* The friction whose state it is, or -1; likewise. */
static int32_t find_friction_of_value(const zm_model *model, int32_t value)
{
    int32_t low = 0, high = model->friction_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (model->frictions[middle].state < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < model->friction_count && model->frictions[low].state == value ? low : -1;
}

bool zm_is_mask(const zm_model *model, int32_t value)
{
    return value >= model->first_hidden && find_contact_of_value(model, value) < 0 &&
           find_friction_of_value(model, value) < 0;
}

void zm_hidden_text(const zm_model *model, int32_t value, zb_text *text)
{
    int32_t k = find_contact_of_value(model, value);
    if (k >= 0) {
        const zm_contact *c = &model->contacts[k];
        zb_text_add(text, value == c->impulse ? "impulse(" : "contact(");
        zm_row_text(model, c->row, text);
    } else {
        k = find_friction_of_value(model, value);
        zb_text_add(text, "contact(");
        if (k >= 0) zm_constraint_text(model, model->frictions[k].constraint, text);
    }
    zb_text_char(text, ')');
}

/* A value: the parameter's name, or the number, in brackets when it is negative. */
void zm_value_text(const zm_model *model, int32_t value, zb_text *text)
{
    if (value >= model->first_hidden) {
        if (zm_is_mask(model, value))
            zb_text_char(text, '1');
        else
            zm_hidden_text(model, value, text);
        return;
    }
    if (value < model->parameter_count) {
        zm_parameter_text(model, value, text);
        return;
    }
    bool bracket = model->values[value] < 0;
    if (bracket) zb_text_char(text, '(');
    zb_text_double(text, model->values[value]);
    if (bracket) zb_text_char(text, ')');
}

static const char *data_kind(const zm_data *data)
{
    return data->table->degree == 0 ? "hold" : data->table->degree == 1 ? "linear" : "cubic";
}

/* As the model calls it, or the input. */
static void append_data_name(const zm_model *model, const zm_data *data, zb_text *text)
{
    if (data->input)
        zb_text_printf(text, "input %s", data->input);
    else
        zm_label_text(model, &data->label, text);
}

void zm_data_text(const zm_model *model, int32_t k, zb_text *text)
{
    const zm_data *data = &model->data[k];
    append_data_name(model, data, text);
    zb_text_printf(text, ": %d rows from ", (int)data->rows);
    zb_text_double(text, data->least);
    zb_text_add(text, " to ");
    zb_text_double(text, data->most);
    zb_text_printf(text, ", %s%s", data_kind(data),
                   data->table->periodic  ? ", periodic"
                   : data->table->extends ? ", extend"
                                          : "");
    if (data->file) zb_text_add(text, ", from ");
    if (data->file) zb_text_shown(text, data->file, strlen(data->file));
    if (!data->columns[0] || !data->columns[1]) return;
    zb_text_add(text, ", columns ");
    zb_text_shown(text, data->columns[0], strlen(data->columns[0]));
    zb_text_add(text, " and ");
    zb_text_shown(text, data->columns[1], strlen(data->columns[1]));
}

void zm_data_json(const zm_model *model, int32_t k, zb_text *text)
{
    const zm_data *data = &model->data[k];
    const char *beyond = data->table->periodic  ? "periodic"
                         : data->table->extends ? "extend"
                                                : NULL;
    char buffer[200];
    zb_text name;
    zb_text_init_fixed(&name, buffer, sizeof buffer);
    zm_label_text(model, &data->label, &name);
    zb_text_add(text, "{\"name\": ");
    zb_text_json_string(text, data->input ? data->input : buffer);
    zb_text_printf(text, ", \"of_input\": %s, \"file\": ", data->input ? "true" : "false");
    zb_text_json_string(text, data->file);
    zb_text_add(text, ", \"columns\": [");
    zb_text_json_string(text, data->columns[0]);
    zb_text_add(text, ", ");
    zb_text_json_string(text, data->columns[1]);
    zb_text_printf(text, "], \"rows\": %d, \"range\": [", (int)data->rows);
    zb_text_json_double(text, data->least);
    zb_text_add(text, ", ");
    zb_text_json_double(text, data->most);
    zb_text_add(text, "], \"kind\": ");
    zb_text_json_string(text, data_kind(data));
    zb_text_add(text, ", \"beyond\": ");
    zb_text_json_string(text, beyond);
    zb_text_char(text, '}');
}

/* The name of data and a prime for each derivative. */
void zm_table_text(const zm_model *model, const zx_item *leaf, zb_text *text)
{
    zm_label_text(model, &model->data[leaf->a].label, text);
    for (int32_t k = 0; k < leaf->b; k++) zb_text_char(text, '\'');
}

/* The name of a leaf of an instance in the model's language. */
void zm_leaf_text(const zm_model *model, const zm_family *family, int32_t instance,
                  const zx_item *leaf, zb_text *text)
{
    static const char *const primes[] = {"", "'", "''"};
    switch (leaf->op) {
    case ZX_POSITION:
    case ZX_VELOCITY:
    case ZX_ACCELERATION:
        zm_coordinate_text(model, zm_coordinate_of(family, instance, leaf->a), text);
        zb_text_add(text, primes[leaf->op - ZX_POSITION]);
        break;
    case ZX_VALUE:
        zm_value_text(model, zm_value_of(family, instance, leaf->a), text);
        break;
    case ZX_MEASURE:
        zm_measure_text(model, zm_measure_of(family, instance, leaf->a), text);
        break;
    case ZX_TABLE:
        zm_table_text(model, leaf, text);
        break;
    default:
        break;
    }
}

/* An expression to be written for a message. */
typedef struct sentence {
    int32_t family, instance;
    zx_node node;
    zb_text *text;
    const zm_model *model;
} sentence;

/* For zx_print. */
static void write_leaf_of_sentence(void *user, const zx_item *leaf, zx_form form, zb_text *text)
{
    const sentence *s = user;
    (void)form;
    zm_leaf_text(s->model, &s->model->families[s->family], s->instance, leaf, text);
}

/* The node without the mask of its row. */
static zx_node leave_mask_out(const sentence *s, const zx_pool *pool)
{
    const zx_item *item = &pool->items[s->node];
    if (item->op != ZX_SELECT || pool->items[item->a].op != ZX_VALUE) return s->node;
    const zm_family *f = &s->model->families[s->family];
    int32_t value = zm_value_of(f, s->instance, pool->items[item->a].a);
    return zm_is_mask(s->model, value) ? item->b : s->node;
}

/* Long expressions are cut. */
static void write_sentence(zm_workspace *work, void *user)
{
    enum { LONGEST = 60 };
    sentence *s = user;
    s->node = leave_mask_out(s, work->pool);
    zx_print(work->pool, s->node, ZX_TEXT, write_leaf_of_sentence, s, LONGEST, s->text);
}

/* In a workspace, for printing may run out of memory and jump. */
void zm_expression_text(zm_model *model, int32_t family, int32_t instance, zx_node node,
                        zb_text *text)
{
    sentence s = {family, instance, node, text, model};
    if (!zm_with_workspace(model, write_sentence, &s)) text->failure = model->memory->failure;
}
