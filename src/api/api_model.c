/*
 * Models of zwang.h: argument checks, then the engine.
 */
#include "api.h"

/* text may be NULL for an empty file; the engine gets "". No setting may be NULL. */
zw_status zw_model_compile(zw_context *context, const zw_model_source *source, zw_model **model)
{
    ZW_REQUIRE(context && source && model && source->file && (source->text || source->length == 0));
    ZW_REQUIRE(source->setting_count >= 0 && (source->settings || source->setting_count == 0));
    for (int32_t i = 0; i < source->setting_count; i++) ZW_REQUIRE(source->settings[i]);
    ZW_REQUIRE(source->input_count >= 0 && (source->inputs || source->input_count == 0));
    for (int32_t i = 0; i < source->input_count; i++) ZW_REQUIRE(source->inputs[i]);
    ZW_REQUIRE(source->table_count >= 0 && (source->tables || source->table_count == 0));
    zw_model_source copy = *source;
    if (!copy.text) copy.text = "";
    return zr_model_compile(context, &copy, model);
}

void zw_model_free(zw_model *model)
{
    zr_model_free(model);
}

int32_t zw_model_coordinate_count(const zw_model *model)
{
    return model ? zr_coordinate_count(model) : 0;
}

int32_t zw_model_row_count(const zw_model *model)
{
    return model ? zr_row_count(model) : 0;
}

int32_t zw_model_constraint_count(const zw_model *model)
{
    return model ? zr_constraint_count(model) : 0;
}

/* --------------------------------------------------------------------- names */

/* Appends the i-th of some names of a model. */
typedef void (*name_fn)(const zw_model *model, int32_t i, zb_text *text);

/* A name of the model into the caller's buffer, cut off where it does not fit; its whole length, or
 * 0, and an empty text, for arguments that are wrong. */
static size_t write_model_name(const zw_model *model, int32_t i, int32_t count, name_fn name,
                               char *buffer, size_t size)
{
    if (buffer && size > 0) buffer[0] = '\0';
    if (!model || i < 0 || i >= count || (!buffer && size > 0)) return 0;
    zb_text text;
    zb_text_init_fixed(&text, buffer, size);
    name(model, i, &text);
    return text.length;
}

size_t zw_model_coordinate_name(const zw_model *model, int32_t i, char *buffer, size_t size)
{
    return write_model_name(model, i, zw_model_coordinate_count(model), zr_coordinate_name, buffer,
                            size);
}

size_t zw_model_row_name(const zw_model *model, int32_t row, char *buffer, size_t size)
{
    return write_model_name(model, row, zw_model_row_count(model), zr_row_name, buffer, size);
}

int32_t zw_model_parameter_count(const zw_model *model)
{
    return model ? zr_parameter_count(model) : 0;
}

size_t zw_model_parameter_name(const zw_model *model, int32_t i, char *buffer, size_t size)
{
    return write_model_name(model, i, zw_model_parameter_count(model), zr_parameter_name, buffer,
                            size);
}

int32_t zw_model_contact_count(const zw_model *model)
{
    return model ? zr_contact_count(model) : 0;
}

size_t zw_model_contact_name(const zw_model *model, int32_t i, char *buffer, size_t size)
{
    return write_model_name(model, i, zw_model_contact_count(model), zr_contact_name, buffer, size);
}

int32_t zw_model_event_count(const zw_model *model)
{
    return model ? zr_event_count(model) : 0;
}

size_t zw_model_event_name(const zw_model *model, int32_t event, char *buffer, size_t size)
{
    return write_model_name(model, event, zw_model_event_count(model), zr_event_name, buffer, size);
}

size_t zw_model_constraint_name(const zw_model *model, int32_t i, char *buffer, size_t size)
{
    return write_model_name(model, i, zw_model_constraint_count(model), zr_constraint_name, buffer,
                            size);
}

/* ZW_ERR_ARGUMENT when there is no constraint i. */
zw_status zw_model_constraint(const zw_model *model, int32_t i, zw_constraint_info *info)
{
    ZW_REQUIRE(model && info && i >= 0 && i < zr_constraint_count(model));
    zr_constraint_info(model, i, info);
    return ZW_OK;
}

/* ZW_ERR_ARGUMENT when there is no such row. */
zw_status zw_model_row_kind(const zw_model *model, int32_t row, zw_row_kind *kind)
{
    ZW_REQUIRE(model && kind && row >= 0 && row < zr_row_count(model));
    *kind = zr_row_kind(model, row);
    return ZW_OK;
}

/* ------------------------------------------------------------------- reports */

zw_status zw_model_derive(zw_model *model, zw_report_form form, zw_write_fn write, void *user)
{
    return zw_model_equations(model, form, 0, write, user);
}

zw_status zw_model_equations(zw_model *model, zw_report_form form, int how, zw_write_fn write,
                             void *user)
{
    ZW_REQUIRE(model && write && (unsigned)form <= ZW_REPORT_C);
    ZW_REQUIRE(how >= 0 && how <= (ZW_EQUATIONS_PLAIN | ZW_EQUATIONS_MOTION));
    bool read = form == ZW_REPORT_TEXT || form == ZW_REPORT_LATEX || form == ZW_REPORT_MATHML;
    ZW_REQUIRE(!(how & ZW_EQUATIONS_MOTION) || read);
    return zr_model_derive(model, form, how, write, user);
}

/* Lanes: the widths that programs are compiled for. */
zw_status zw_model_programs(zw_model *model, zw_kernel kernel, int32_t lanes, zw_write_fn write,
                            void *user)
{
    ZW_REQUIRE(model && write && (unsigned)kernel <= ZW_KERNEL_NATIVE);
    ZW_REQUIRE(lanes == 1 || lanes == 4 || lanes == 8);
    return zr_model_programs(model, kernel, lanes, write, user);
}

zw_status zw_model_statistics_of(const zw_model *model, zw_model_statistics *statistics)
{
    ZW_REQUIRE(model && statistics);
    zr_model_statistics(model, statistics);
    return ZW_OK;
}

bool zw_model_is_input(const zw_model *model, int32_t i)
{
    return model && i >= 0 && i < zr_parameter_count(model) && zr_is_input(model, i);
}
