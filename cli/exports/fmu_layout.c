/*
 * Value references of an FMU: fixed places for everything that a model has by number.
 */
#include "fmu_layout.h"

void fmu_layout_find(fmu_layout *layout, const zw_model *model, const zw_columns *columns)
{
    layout->n = zw_model_coordinate_count(model);
    layout->parameters = zw_model_parameter_count(model);
    layout->outputs = zw_columns_count(columns) - 1 - 2 * layout->n;
}

int32_t fmu_layout_count(const fmu_layout *layout)
{
    return 1 + 3 * layout->n + layout->parameters + layout->outputs;
}

int32_t fmu_layout_column(const fmu_layout *layout, int32_t output)
{
    return 1 + 2 * layout->n + output;
}

/* How many there are of a kind, in the order of references. */
static int32_t count_kind(const fmu_layout *layout, fmu_kind kind)
{
    return kind == FMU_TIME        ? 1
           : kind < FMU_PARAMETER  ? layout->n
           : kind == FMU_PARAMETER ? layout->parameters
                                   : layout->outputs;
}

fmu_kind fmu_layout_kind(const fmu_layout *layout, uint32_t reference, int32_t *which)
{
    for (int kind = FMU_TIME; kind < FMU_NOTHING; kind++) {
        uint32_t count = (uint32_t)count_kind(layout, (fmu_kind)kind);
        *which = (int32_t)reference;
        if (reference < count) return (fmu_kind)kind;
        reference -= count;
    }
    *which = 0;
    return FMU_NOTHING;
}

uint32_t fmu_layout_reference(const fmu_layout *layout, fmu_kind kind, int32_t which)
{
    uint32_t reference = (uint32_t)which;
    for (int k = FMU_TIME; k < (int)kind; k++)
        reference += (uint32_t)count_kind(layout, (fmu_kind)k);
    return reference;
}

bool fmu_is_smooth(const zw_model *model)
{
    return zw_model_event_count(model) == 0 && zw_model_contact_count(model) == 0;
}

zw_method fmu_method(zw_method method)
{
    return method == ZW_BDF || method == ZW_AUTO ? ZW_DOP853 : method;
}
