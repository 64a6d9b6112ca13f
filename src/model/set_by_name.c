/*
 * Changing numbers of a compiled model from outside by name: a text such as "x = 1, x' = 0" sets a
 * state, one such as "m = 2" parameters. The names of the model are declared in scopes again, and
 * the text is evaluated as any other expression. The model is only read: the table of names, which
 * grows with the text, is a copy. Also the values of parameters from their formulas, after some
 * have changed.
 */
#include "elaborate.h"

#include <math.h>
#include <string.h>

/* What lives only while a text is read. */
typedef struct assign_job {
    zm_builder builder;
    zm_elab elab;
    zl_unit unit;
    zb_arena arena;
    jmp_buf escape;
} assign_job;

/* --------------------------------------------------------------- scopes again */

static zm_scope *scope_of_part(zm_elab *e, int32_t part)
{
    return part < 0 ? e->scope : e->parts.scopes.data[part];
}

/* Declares a name of the model again in the scope of its part; an array of parts once. */
static void redeclare_name(zm_elab *e, const zm_label *label, zl_place place, zm_meaning meaning,
                           int32_t number)
{
    zm_symbol entry = {.name = label->name, .meaning = meaning, .place = place, .number = number};
    zm_scope *before = e->scope;
    e->scope = scope_of_part(e, label->scope);
    if (!zm_find_own_name(e->scope, label->name)) (void)zm_declare_name(e, &entry);
    e->scope = before;
}

/* With a scope for each part. Parts come after those they belong to. */
static void redeclare_parts(zm_elab *e, const zm_model *model)
{
    for (int32_t k = 0; k < model->part_count; k++) {
        const zm_part *part = &model->parts[k];
        bool array = part->label.index_count > 0;
        zm_scope *inner = zm_scope_new(e, scope_of_part(e, part->label.scope), k, true, 8);
        ZM_PUSH(e, parts.list, *part);
        ZM_PUSH(e, parts.scopes, inner);
        if (!zb_table_insert(e->memory, &e->parts.table, zm_label_hash(&part->label), k))
            zm_out_of_memory(e);
        redeclare_name(e, &part->label, part->place, array ? ZM_IS_PARTS : ZM_IS_PART,
                       array ? part->label.scope : k);
    }
}

/* Parts, coordinates and parameters of the model, with the values given: what an expression from
 * outside may use. */
static void redeclare_names(zm_elab *e, const zm_model *model, const double *values)
{
    e->scope = zm_scope_new(e, NULL, -1, true, 8);
    redeclare_parts(e, model);
    for (int32_t k = 0; k < model->coordinate_blocks; k++) {
        ZM_PUSH(e, coordinates, model->coordinates[k]);
        redeclare_name(e, &model->coordinates[k].label, model->coordinates[k].place,
                       ZM_IS_COORDINATE, k);
    }
    for (int32_t k = 0; k < model->parameter_blocks; k++) {
        ZM_PUSH(e, parameters.blocks, model->parameters[k]);
        ZM_PUSH(e, parameters.used, false);
        redeclare_name(e, &model->parameters[k].label, model->parameters[k].place, ZM_IS_PARAMETER,
                       k);
    }
    for (int32_t k = 0; k < model->parameter_count; k++) {
        ZM_PUSH(e, parameters.numbers, values[k]);
        ZM_PUSH(e, parameters.structural, false);
        ZM_PUSH(e, parameters.input, ZM_NO_INPUT);
    }
}

/* The model's names under the same numbers, in a unit of our own. */
static void copy_name_table(zl_unit *unit, const zm_model *model)
{
    for (int32_t k = 0; k < model->unit.names.count; k++) {
        const char *name = model->unit.names.data[k];
        (void)zl_intern(unit, name, strlen(name));
    }
}

/* ---------------------------------------------------------------- one equation */

/* What an assignment writes to. */
typedef struct assign_target {
    const zm_model *model;
    double *state;    /* [2 n], or NULL */
    double *values;   /* [value_count], or NULL */
    bool *overridden; /* [parameter_count], with values */
    zb_arena *arena;  /* or: the numbers of right sides go here, and left sides are not looked at */
    double **numbers;
    int32_t *count;
} assign_target;

/* Whether the left side a names a coordinate or velocity, or a parameter that may still be changed;
 * reports otherwise. */
static bool check_assignable(zm_elab *e, const zl_equation *q, const zm_value *a,
                             const assign_target *to)
{
    if (to->state) {
        if (zm_is_coordinates(a)) return true;
        ZM_ERROR(e, "E0306", q->left->place, "name a coordinate or a velocity, as in x = 1, x' = 0",
                 "this is neither a coordinate nor a velocity");
        return false;
    }
    if (a->kind != ZM_VAL_BLOCK || a->leaf != ZX_VALUE) {
        ZM_ERROR(e, "E0109", q->left->place, "write name = value, as in m = 2",
                 "this does not name a parameter");
        return false;
    }
    for (int32_t k = 0; k < zm_size(a); k++)
        if (to->model->structural[a->first + k]) {
            ZM_ERROR(e, "E0115", q->left->place, "set it when the model is compiled",
                     "this parameter sizes something and cannot be changed afterwards");
            return false;
        }
    return true;
}

/* The elements of a right side, as numbers, into *to->numbers. */
static void keep_right_side(zm_elab *e, const zl_equation *q, const assign_target *to)
{
    zm_value b = zm_evaluate(e, q->right);
    if (zm_is_broken(&b)) return;
    if (!zm_is_numeric(&b)) {
        ZM_ERROR(e, "E0109", q->right->place, NULL, "%s is no number", zm_shape_string(e, &b));
        return;
    }
    int32_t size = zm_size(&b);
    double *numbers = ZB_NEW_ARRAY(to->arena, double, (size_t)size);
    if (!numbers) zm_out_of_memory(e);
    for (int32_t k = 0; k < size; k++) {
        zx_node node = zm_element(e, &b, k);
        if (!zm_check_leaves(e, &node, 1, (zm_allowed){0}, q->right->place, "a value from outside"))
            return;
        numbers[k] = zm_number_of_node(e, node);
        if (isfinite(numbers[k])) continue;
        ZM_ERROR(e, "E0109", q->right->place, NULL, "this is not a finite number");
        return;
    }
    *to->numbers = numbers;
    *to->count = size;
}

/* One equation left = right: evaluates both sides and writes the numbers. The number 0 fits every
 * shape. */
static void assign_equation(zm_elab *e, const zl_equation *q, const assign_target *to)
{
    if (to->arena) {
        keep_right_side(e, q, to);
        return;
    }
    zm_value a = zm_evaluate(e, q->left), b = zm_evaluate(e, q->right);
    if (zm_is_broken(&a) || zm_is_broken(&b) || !check_assignable(e, q, &a, to)) return;
    if (!zm_is_numeric(&b) || !(zm_same_shape(&a, &b) || zm_is_zero_number(&b)) || q->fixed) {
        ZM_ERROR(e, "E0109", q->right->place, NULL, "%s cannot be set to %s",
                 zm_shape_string(e, &a), zm_shape_string(e, &b));
        return;
    }
    for (int32_t k = 0; k < zm_size(&a); k++) {
        zx_node node = zm_element(e, &b, k);
        if (!zm_check_leaves(e, &node, 1, (zm_allowed){0}, q->right->place, "a value from outside"))
            return;
        double number = zm_number_of_node(e, node);
        if (!isfinite(number)) {
            ZM_ERROR(e, "E0109", q->right->place, NULL, "this is not a finite number");
            return;
        }
        if (to->state)
            to->state[(a.leaf == ZX_VELOCITY ? to->model->n : 0) + a.first + k] = number;
        else if (to->values) {
            to->values[a.first + k] = number;
            to->overridden[a.first + k] = true;
        }
    }
}

/* Parses the text and makes its assignments one after the other; errors are in the unit. */
static void make_assignments(assign_job *job, const char *file, const char *text,
                             const double *values, const assign_target *to)
{
    zm_elab *e = &job->elab;
    copy_name_table(&job->unit, to->model);
    zm_elab_init(e, &job->builder);
    e->flags.outside = e->flags.last_call = true; /* no constraint comes later */
    redeclare_names(e, to->model, values);
    int32_t count;
    const zl_equation *list = zl_parse_equations(&job->unit, file, text, strlen(text), &count);
    for (int32_t k = 0; k < count; k++)
        if (list[k].left && list[k].right) assign_equation(e, &list[k], to);
}

/* False when memory ran out on the way. */
static bool assignments_succeed(assign_job *job, const char *file, const char *text,
                                const double *values, const assign_target *to)
{
    if (setjmp(job->escape) != 0) return false;
    make_assignments(job, file, text, values, to);
    return true;
}

/* Leaves the job such that it can be freed, whatever happens afterwards. */
static void init_assign_job(assign_job *job, zm_model *model, zb_diag_list *diagnostics)
{
    zb_memory *memory = model->memory;
    memset(job, 0, sizeof *job);
    zb_arena_init(&job->arena, memory, 0);
    job->arena.escape = &job->escape;
    zl_unit_init(&job->unit, &job->arena, diagnostics);
    job->builder = (zm_builder){.model = model,
                                .unit = &job->unit,
                                .memory = memory,
                                .escape = &job->escape,
                                .elab = &job->elab};
    zx_pool_init(&job->builder.world, memory, &job->escape, false);
    job->elab.memory = memory;
    zb_arena_init(&job->elab.scratch, memory, 0);
}

/* Makes the assignments of a text into `to`; ZW_ERR_SETTING when the text has errors. What came
 * before an error is written. */
static zw_status assign_by_text(zm_model *model, zb_diag_list *diagnostics, const char *file,
                                const char *text, const double *values, const assign_target *to)
{
    zb_memory *memory = model->memory;
    assign_job *job = zb_resize(memory, NULL, 0, sizeof *job);
    if (!job) return memory->failure;
    init_assign_job(job, model, diagnostics);
    zw_status status = ZW_OK;
    if (!assignments_succeed(job, file, text, values, to) && !job->elab.limits.given_up)
        status = memory->failure;
    if (status == ZW_OK && job->unit.error_count > 0) status = ZW_ERR_SETTING;
    zm_elab_free(&job->elab);
    zx_pool_free(&job->builder.world);
    zl_unit_free(&job->unit);
    zb_arena_clear(&job->arena);
    zb_resize(memory, job, sizeof *job, 0);
    return status;
}

/* -------------------------------------------------------------------- interface */

/* Velocities follow the positions in state. */
zw_status zm_assign_state(zm_model *model, zb_diag_list *diagnostics, const char *file,
                          const char *text, const double *values, double *state)
{
    assign_target to = {.model = model, .state = state};
    return assign_by_text(model, diagnostics, file, text, values, &to);
}

/* Afterwards all parameters that were never set follow from their formulas. */
zw_status zm_assign_values(zm_model *model, zb_diag_list *diagnostics, const char *file,
                           const char *text, double *values, bool *overridden)
{
    assign_target to = {.model = model, .values = values, .overridden = overridden};
    zw_status status = assign_by_text(model, diagnostics, file, text, values, &to);
    return status == ZW_OK ? zm_recompute(model, overridden, values) : status;
}

/* As the right side of an equation, before which stands (0). */
zw_status zm_evaluate_text(zm_model *model, zb_diag_list *diagnostics, const char *file,
                           const char *text, zb_arena *arena, double **numbers, int32_t *count)
{
    assign_target to = {.model = model, .arena = arena, .numbers = numbers, .count = count};
    zb_text equation;
    zb_text_init(&equation, model->memory);
    zb_text_printf(&equation, "(0) = %s", text);
    *count = 0;
    zw_status status = equation.failure;
    if (status == ZW_OK)
        status =
            assign_by_text(model, diagnostics, file, zb_text_string(&equation), model->values, &to);
    zb_text_free(&equation);
    return status;
}

/* Formulas stand in the order of the parameters: one walk over their nodes, each value stored as
 * soon as its nodes are done. */
void zm_recompute_at(const zm_model *model, const bool *overridden, double *at, double *values)
{
    const zx_pool *pool = &model->formulas;
    zx_node node = 0;
    for (int32_t k = 0; pool->count > 0 && k < model->parameter_count; k++) {
        for (; node < model->definition_ends[k]; node++) {
            const zx_item *i = &pool->items[node];
            double a = zx_operands((zx_op)i->op) > 0 ? at[i->a] : 0.0;
            double b = zx_operands((zx_op)i->op) > 1 ? at[i->b] : 0.0;
            double c = zx_operands((zx_op)i->op) > 2 ? at[i->c] : 0.0;
            if (i->op == ZX_NUMBER || i->op == ZX_BOUND)
                at[node] = zx_number_of(i);
            else if (i->op == ZX_VALUE)
                at[node] = values[i->a];
            else
                at[node] = i->op == ZX_POWI    ? zx_power_of(a, i->b)
                           : i->op == ZX_TABLE ? zx_look_up(pool->tables, a, b)
                                               : zx_apply((zx_op)i->op, a, b, c);
        }
        if (!overridden[k]) values[k] = at[model->definitions[k]];
    }
}

/* Takes and gives back the scratch itself. */
zw_status zm_recompute(const zm_model *model, const bool *overridden, double *values)
{
    size_t bytes = zb_product((size_t)model->formulas.count, sizeof(double));
    if (bytes == 0) return ZW_OK;
    double *at = zb_resize(model->memory, NULL, 0, bytes);
    if (!at) return model->memory->failure;
    zm_recompute_at(model, overridden, at, values);
    zb_resize(model->memory, at, bytes, 0);
    return ZW_OK;
}
