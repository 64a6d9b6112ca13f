/*
 * What a caller can ask a compiled model: counts, names, kinds of rows, the derived equations as
 * text, statistics. Nothing here changes the model, but that text, which takes nodes of its pool.
 */
#include "compiled.h"

int32_t zr_coordinate_count(const zw_model *model)
{
    return model->zm->n;
}

int32_t zr_row_count(const zw_model *model)
{
    return model->zm->m;
}

int32_t zr_constraint_count(const zw_model *model)
{
    return model->zm->constraint_count;
}

void zr_coordinate_name(const zw_model *model, int32_t i, zb_text *text)
{
    zm_coordinate_text(model->zm, i, text);
}

void zr_row_name(const zw_model *model, int32_t row, zb_text *text)
{
    zm_row_text(model->zm, row, text);
}

void zr_constraint_name(const zw_model *model, int32_t i, zb_text *text)
{
    zm_constraint_text(model->zm, i, text);
}

/* Time-dependent, if one of its rows is. */
void zr_constraint_info(const zw_model *model, int32_t i, zw_constraint_info *info)
{
    const zm_constraint *c = &model->zm->constraints[i];
    *info = (zw_constraint_info){.first_row = c->first_row,
                                 .row_count = c->row_count,
                                 .control = c->control,
                                 .inequality = c->inequality,
                                 .friction = c->tangent};
    for (int32_t k = 0; k < c->row_count; k++)
        if (zm_row_time_dependent(model->zm, c->first_row + k)) info->time_dependent = true;
}

/* The public names of the same kinds. */
zw_row_kind zr_row_kind(const zw_model *model, int32_t row)
{
    switch (zm_row_kind_of(model->zm, row)) {
    case ZM_HOLONOMIC:
        return ZW_HOLONOMIC;
    case ZM_NONHOLONOMIC:
        return ZW_NONHOLONOMIC;
    case ZM_NONLINEAR:
        return ZW_NONLINEAR;
    default:
        return ZW_ACCELERATION;
    }
}

/* The pool jumps when memory runs out: to here. */
static zw_status print_derivation(zw_model *model, const zm_print_request *request, zb_text *text)
{
    jmp_buf escape;
    zx_pool *pool = &model->zm->pool;
    if (setjmp(escape) != 0) {
        pool->escape = NULL;
        return model->context->memory.failure;
    }
    pool->escape = &escape;
    zm_print(model->zm, request, text);
    pool->escape = NULL;
    return text->failure;
}

/* Written whole or not at all; what `write` returns does not matter. */
zw_status zr_model_derive(zw_model *model, zw_report_form form, int how, zw_write_fn write,
                          void *user)
{
    static const zm_print_form forms[] = {
        [ZW_REPORT_TEXT] = ZM_PRINT_TEXT,   [ZW_REPORT_JSON] = ZM_PRINT_JSON,
        [ZW_REPORT_LATEX] = ZM_PRINT_LATEX, [ZW_REPORT_MATHML] = ZM_PRINT_MATHML,
        [ZW_REPORT_SYMPY] = ZM_PRINT_SYMPY, [ZW_REPORT_C] = ZM_PRINT_C};
    zm_print_request request = {.form = forms[form],
                                .plain = how & ZW_EQUATIONS_PLAIN,
                                .motion = how & ZW_EQUATIONS_MOTION};
    bool all = request.motion || form == ZW_REPORT_SYMPY || form == ZW_REPORT_C;
    if (all && !zm_is_written_out(model->zm)) return ZW_ERR_LARGE;
    zb_text text;
    zb_text_init(&text, &model->context->memory);
    zw_status status = print_derivation(model, &request, &text);
    if (status == ZW_OK && !write(user, zb_text_string(&text), text.length)) status = ZW_ERR_WRITE;
    zb_text_free(&text);
    return status;
}

int32_t zr_parameter_count(const zw_model *model)
{
    return model->zm->parameter_count;
}

void zr_parameter_name(const zw_model *model, int32_t i, zb_text *text)
{
    zm_parameter_text(model->zm, i, text);
}

bool zr_is_input(const zw_model *model, int32_t i)
{
    return model->zm->input[i] == ZM_INPUT;
}

int32_t zr_block_size(const zm_block *block)
{
    return (block->rows ? block->rows : 1) * (block->columns ? block->columns : 1);
}

int32_t zr_count_inputs(const zw_model *model)
{
    const zm_model *zm = model->zm;
    int32_t count = 0;
    for (int32_t b = 0; b < zm->parameter_blocks; b++)
        count +=
            zr_block_size(&zm->parameters[b]) > 0 && zr_is_input(model, zm->parameters[b].first)
                ? 1
                : 0;
    return count;
}

/* Of one evaluation of passes: all instances of all families. */
static int64_t count_operations(const zw_model *model, const zr_passes *passes)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < passes->count; i++) {
        zk_statistics s;
        zk_statistics_of(passes->list[i].code, &s);
        sum += s.operations * model->zm->families[passes->list[i].family].count;
    }
    return sum;
}

void zr_model_statistics(const zw_model *model, zw_model_statistics *s)
{
    *s = (zw_model_statistics){.families = model->zm->family_count,
                               .operations = count_operations(model, &model->dynamics),
                               .row_operations = count_operations(model, &model->rows),
                               .seconds = model->seconds,
                               .bytes = model->bytes};
    for (int32_t f = 0; f < model->zm->family_count; f++)
        s->instances += model->zm->families[f].count;
}
