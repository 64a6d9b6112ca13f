/*
 * The variables of an FMU by their value references, as the command describes them and the FMU
 * answers for them:
 *
 *     0                     time
 *     1 ..                  coordinates [n], then velocities [n], accelerations [n]
 *     1 + 3 n ..            parameters, element by element, inputs among them
 *     1 + 3 n + parameters  outputs of the model
 */
#ifndef FMU_LAYOUT_H
#define FMU_LAYOUT_H

#include <zwang.h>

typedef enum fmu_kind {
    FMU_TIME,
    FMU_COORDINATE,
    FMU_VELOCITY,
    FMU_ACCELERATION,
    FMU_PARAMETER,
    FMU_OUTPUT,
    FMU_NOTHING
} fmu_kind;

typedef struct fmu_layout {
    int32_t n, parameters, outputs;
} fmu_layout;

/* columns: those of the model, of zw_columns_create(model, NULL, ...): t, 2 n, outputs. */
void fmu_layout_find(fmu_layout *layout, const zw_model *model, const zw_columns *columns);
int32_t fmu_layout_count(const fmu_layout *layout);
/* Number of the column of an output. */
int32_t fmu_layout_column(const fmu_layout *layout, int32_t output);

/* What a reference stands for, and which of its kind; FMU_NOTHING: there is no such variable. */
fmu_kind fmu_layout_kind(const fmu_layout *layout, uint32_t reference, int32_t *which);
uint32_t fmu_layout_reference(const fmu_layout *layout, fmu_kind kind, int32_t which);

/* A motion that nothing interrupts: no `when`, no contact. Model Exchange is for these. */
bool fmu_is_smooth(const zw_model *model);

/* The method of a run inside an FMU: there is no bdf. */
zw_method fmu_method(zw_method method);

#endif
