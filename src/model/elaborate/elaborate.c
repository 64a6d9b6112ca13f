/*
 * Elaboration from end to end: parse the model and the settings, execute the statements, then those
 * that were put off because they name constraints declared after them, and hand the lists over to
 * the model. Also the small texts that messages are made of.
 */
#include "elaborate.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

_Noreturn void zm_out_of_memory(zm_elab *e)
{
    e->model->arena.failure = e->memory->failure;
    longjmp(*e->b->escape, 1);
}

/* ------------------------------------------------------------------- small texts */

const char *zm_name_of(const zm_elab *e, zl_name name)
{
    return zl_name_text(e->unit, name);
}

/* Copies a text into scratch and frees it; jumps when memory ran out. */
static const char *keep_text_in_scratch(zm_elab *e, zb_text *text)
{
    if (text->failure != ZW_OK) {
        zb_text_free(text);
        zm_out_of_memory(e);
    }
    /* the copy may jump, so the text must not need freeing then: use its own arena */
    zb_arena *arena = &e->scratch;
    jmp_buf *escape = arena->escape;
    arena->escape = NULL;
    const char *copy = zb_arena_string(arena, zb_text_string(text), text->length);
    arena->escape = escape;
    zb_text_free(text);
    if (!copy) zm_out_of_memory(e);
    return copy;
}

/* Formats as printf does, into scratch. */
const char *zm_format(zm_elab *e, const char *format, ...)
{
    zb_text text;
    va_list arguments;
    zb_text_init(&text, e->memory);
    va_start(arguments, format);
    zb_text_vprintf(&text, format, arguments);
    va_end(arguments);
    return keep_text_in_scratch(e, &text);
}

/* link[2].rod[3,1], the parts around it first. Parts are nested to a limited depth. */
static void append_label_text(const zm_elab *e, const zm_label *label, zb_text *text)
{
    if (label->scope >= 0) {
        append_label_text(e, &e->parts.list.data[label->scope].label, text);
        zb_text_char(text, '.');
    }
    zb_text_add(text, zm_name_of(e, label->name));
    for (int32_t k = 0; k < label->index_count; k++)
        zb_text_printf(text, "%s%d", k ? "," : "[", (int)label->index[k]);
    if (label->index_count > 0) zb_text_char(text, ']');
}

/* The full name, in scratch. */
const char *zm_label_string(zm_elab *e, const zm_label *label)
{
    zb_text text;
    zb_text_init(&text, e->memory);
    append_label_text(e, label, &text);
    return keep_text_in_scratch(e, &text);
}

/* ----------------------------------------------------------------- begin and end */

/* The lists begin empty; the limit of steps is the request's, or ZM_STEP_LIMIT. */
void zm_elab_init(zm_elab *e, zm_builder *b)
{
    *e = (zm_elab){
        .b = b,
        .model = b->model,
        .unit = b->unit,
        .memory = b->memory,
        .world = &b->world,
        .limits.step_limit =
            b->request && b->request->step_limit > 0 ? b->request->step_limit : ZM_STEP_LIMIT,
        .limits.memory_limit =
            b->request && b->request->memory_limit > 0 ? b->request->memory_limit : ZM_MEMORY_LIMIT,
        .limits.held = b->memory->held};
    bool said = b->request && b->request->step_limit > 0;
    e->limits.allowed = said ? e->limits.step_limit : ZM_IDLE_STEPS;
    zb_arena_init(&e->scratch, b->memory, 0);
    e->scratch.escape = b->escape;
    e->scope = NULL;
}

/* Every growable array of zm_elab. */
#define ZM_LISTS(X)                                                                                \
    X(reading.deferred)                                                                            \
    X(reading.modules)                                                                             \
    X(reading.complained)                                                                          \
    X(coordinates)                                                                                 \
    X(parts.list)                                                                                  \
    X(parts.scopes)                                                                                \
    X(parameters.blocks)                                                                           \
    X(parameters.used)                                                                             \
    X(parameters.numbers)                                                                          \
    X(parameters.formulas)                                                                         \
    X(parameters.structural)                                                                       \
    X(parameters.overridden)                                                                       \
    X(parameters.settings)                                                                         \
    X(parameters.inputs)                                                                           \
    X(parameters.input)                                                                            \
    X(items.constraints)                                                                           \
    X(items.weights)                                                                               \
    X(items.start_values)                                                                          \
    X(items.start_equations)                                                                       \
    X(items.outputs)                                                                               \
    X(items.events)                                                                                \
    X(items.measures)                                                                              \
    X(items.data)                                                                                  \
    X(items.drawings)                                                                              \
    X(items.contacts)                                                                              \
    X(items.frictions)                                                                             \
    X(items.restitutions)                                                                          \
    X(items.motors)                                                                                \
    X(items.masks)                                                                                 \
    X(items.last_friction)                                                                         \
    X(items.given)                                                                                 \
    X(moved)                                                                                       \
    X(canonical.constants)                                                                         \
    X(canonical.node_stamp)                                                                        \
    X(canonical.node_image)                                                                        \
    X(canonical.stack)                                                                             \
    X(canonical.coordinate_slots.row)                                                              \
    X(canonical.coordinate_slots.stamp)                                                            \
    X(canonical.coordinate_slots.slot)                                                             \
    X(canonical.value_slots.row)                                                                   \
    X(canonical.value_slots.stamp)                                                                 \
    X(canonical.value_slots.slot)                                                                  \
    X(canonical.measure_slots.row)                                                                 \
    X(canonical.measure_slots.stamp)                                                               \
    X(canonical.measure_slots.slot)

/* May be called twice, and on a structure that is all zero but for its memory and scratch. */
void zm_elab_free(zm_elab *e)
{
#define FREE_LIST(name) zb_array_free(e->memory, &e->name);
    ZM_LISTS(FREE_LIST)
#undef FREE_LIST
    zb_text_free(&e->parameters.path);
    zb_table_free(e->memory, &e->parts.table);
    zb_table_free(e->memory, &e->canonical.constant_table);
    zb_table_free(e->memory, &e->items.constraint_table);
    zb_table_free(e->memory, &e->items.output_table);
    zb_arena_clear(&e->scratch);
}

/* A list of elaboration as an array in the model's arena; NULL when it is empty. */
static void *copy_list_to_model(zm_elab *e, const void *data, int32_t count, size_t size)
{
    if (count == 0) return NULL;
    return zb_arena_copy(&e->model->arena, data, (size_t)count * size, _Alignof(max_align_t));
}

#define HAND_OVER(e, list, name, number)                                                           \
    ((e)->model->number = (e)->list.count,                                                         \
     (e)->model->name =                                                                            \
         copy_list_to_model((e), (e)->list.data, (e)->list.count, sizeof *(e)->list.data))

/* Values (parameters, then constants) and the formulas of the parameters, which go into a pool of
 * their own, in the order of the parameters. */
static void hand_over_values(zm_elab *e)
{
    zm_model *m = e->model;
    HAND_OVER(e, parameters.structural, structural, parameter_count);
    HAND_OVER(e, parameters.overridden, overridden, parameter_count);
    HAND_OVER(e, parameters.input, input, parameter_count);
    HAND_OVER(e, parameters.used, used, parameter_blocks);
    m->first_hidden = m->parameter_count + e->canonical.constants.count;
    m->value_count = m->first_hidden + e->items.hidden;
    m->values = ZB_NEW_ARRAY(&m->arena, double, m->value_count);
    for (int32_t k = 0; k < m->parameter_count; k++) m->values[k] = e->parameters.numbers.data[k];
    for (int32_t k = 0; k < e->canonical.constants.count; k++)
        m->values[m->parameter_count + k] = e->canonical.constants.data[k];
    m->definitions = ZB_NEW_ARRAY(&m->arena, zx_node, m->parameter_count);
    m->definition_ends = ZB_NEW_ARRAY(&m->arena, int32_t, m->parameter_count);
    for (int32_t k = 0; k < m->parameter_count; k++) {
        zx_copy(&m->formulas, e->world, &e->parameters.formulas.data[k], 1, NULL, NULL,
                &m->definitions[k]);
        m->definition_ends[k] = m->formulas.count;
    }
}

/* What is declared, as arrays of the model. */
static void hand_over_items(zm_elab *e)
{
    HAND_OVER(e, coordinates, coordinates, coordinate_blocks);
    HAND_OVER(e, parameters.blocks, parameters, parameter_blocks);
    HAND_OVER(e, parts.list, parts, part_count);
    HAND_OVER(e, items.constraints, constraints, constraint_count);
    HAND_OVER(e, items.weights, weights, weight_count);
    HAND_OVER(e, items.start_values, start_values, start_value_count);
    HAND_OVER(e, items.start_equations, start_equations, start_equation_count);
    HAND_OVER(e, items.outputs, outputs, output_count);
    HAND_OVER(e, items.events, events, event_count);
    HAND_OVER(e, items.measures, measures, measure_count);
    HAND_OVER(e, items.drawings, drawings, drawing_count);
    HAND_OVER(e, items.data, data, data_count);
    HAND_OVER(e, items.frictions, frictions, friction_count);
    HAND_OVER(e, items.restitutions, restitutions, restitution_count);
    HAND_OVER(e, items.contacts, contacts, contact_count);
    HAND_OVER(e, items.motors, motors, motor_count);
}

/* Leaves of hidden values become numbers of values. Rows without a mask are equations. */
static void number_hidden_values(zm_elab *e)
{
    zm_model *m = e->model;
    int32_t shift = m->first_hidden - ZM_FIRST_HIDDEN;
    for (int32_t k = 0; k < m->contact_count; k++) {
        m->contacts[k].state += shift;
        m->contacts[k].impulse += shift;
    }
    for (int32_t k = 0; k < m->friction_count; k++) m->frictions[k].state += shift;
    if (e->items.masks.count == 0) return;
    m->mask = ZB_NEW_ARRAY(&m->arena, int32_t, m->m);
    for (int32_t k = 0; k < m->m; k++) {
        int32_t mask = k < e->items.masks.count ? e->items.masks.data[k] : -1;
        m->mask[k] = mask < 0 ? -1 : mask + shift;
    }
}

/* Constants in the binding tables were -1 - k, for the number of parameters was not known; now they
 * come after the parameters, and hidden values after them. */
static void number_constants(zm_elab *e)
{
    for (int32_t k = 0; k < e->b->raw.count; k++) {
        zm_family *f = &e->b->raw.data[k].family;
        for (int32_t i = 0; i < f->count && f->values > 0; i++) {
            int32_t *value = f->table + (size_t)i * (size_t)f->stride + f->coordinates;
            for (int32_t j = 0; j < f->values; j++)
                if (value[j] < 0)
                    value[j] = e->model->parameter_count + (-1 - value[j]);
                else if (value[j] >= ZM_FIRST_HIDDEN)
                    value[j] += e->model->first_hidden - ZM_FIRST_HIDDEN;
        }
    }
}

/* The statement of the model itself by which the part was made; of length 0: it is no part. */
static zl_place find_making_statement(const zm_elab *e, int32_t part)
{
    while (part >= 0 && e->parts.list.data[part].place.source != 0)
        part = e->parts.list.data[part].label.scope;
    return part >= 0 ? e->parts.list.data[part].place : (zl_place){0};
}

/* Whether a statement says what others ask for: it comes first. */
static bool is_contact_law(const zl_statement *s)
{
    return s->kind == ZL_FRICTION || s->kind == ZL_RESTITUTION;
}

/* Statements that were put off, each in its own scope. A constraint that is still unknown is an
 * error now. */
static void execute_deferred(zm_elab *e)
{
    e->flags.last_call = true;
    zm_scope *before = e->scope;
    for (int32_t k = 0; k < 2 * e->reading.deferred.count; k++) {
        const zm_deferred *later = &e->reading.deferred.data[k % e->reading.deferred.count];
        if (is_contact_law(later->statement) != (k < e->reading.deferred.count)) continue;
        e->scope = later->scope;
        e->unit->made_by = find_making_statement(e, e->scope->part);
        zm_execute_statement(e, later->statement);
    }
    e->scope = before;
    e->unit->made_by = (zl_place){0};
}

/* Whether a draw statement (other than of a contact) stands in a block or in those in it, which the parser has not nested
 * deeper than ZL_MAX_DEPTH. */
static bool has_drawing(const zl_block *block, int depth)
{
    if (depth > ZL_MAX_DEPTH) return false;
    for (int32_t k = 0; k < block->count; k++) {
        const zl_statement *s = block->statements[k];
        if (s->kind == ZL_DRAW && s->shape != ZL_SHAPE_CONTACT) return true;
        if (has_drawing(&s->body, depth + 1) || has_drawing(&s->otherwise, depth + 1)) return true;
    }
    return false;
}

/* Parses and executes everything. Errors in the settings or the syntax stop it at once. */
static void execute_model(zm_elab *e)
{
    const zm_request *r = e->b->request;
    e->scope = zm_scope_new(e, NULL, -1, true, 8);
    zl_block block = zl_parse(e->unit, r->file, r->text, r->length);
    e->limits.held = e->memory->held; /* the text and its tree are as large as they are given */
    zm_read_settings(e);
    if (e->flags.setting_errors || !zl_may_go_on(e->unit)) return;
    e->flags.draws = has_drawing(&block, 0);
    zm_execute_block(e, &block);
    execute_deferred(e);
    if (!e->limits.stopped && e->unit->error_count == 0) {
        zm_check_settings(e);
        zm_check_inputs(e);
        zm_check_tables(e);
        zm_warn_idle_events(e);
        if (e->model->n == 0)
            zl_report(e->unit, "E0301", (zl_place){.source = 0, .at = 0, .length = 0},
                      "declare them, as in coord x, y", "the model has no coordinates");
    }
}

/* The lists are handed over only when there was no error. */
void zm_elaborate(zm_builder *b)
{
    zm_model *m = b->model;
    const double unsaid = (double)NAN;
    m->simulate = (zm_simulate){.from = unsaid,
                                .until = unsaid,
                                .tol = unsaid,
                                .abs_tol = unsaid,
                                .every = unsaid,
                                .rest = unsaid};
    zm_elab_init(b->elab, b);
    zm_elab *e = b->elab;
    execute_model(e);
    if (b->unit->error_count > 0) return;
    zm_spread_structural(e);
    hand_over_values(e);
    hand_over_items(e);
    number_hidden_values(e);
    number_constants(e);
}
