/*
 * Variables of a unit by reference. What follows from the state (accelerations, outputs) is computed
 * when it is read and kept until the state changes.
 */
#include <math.h>
#include <stdlib.h>

#include "unit.h"

/* ------------------------------------------------------------------------- reading */

/* Outputs at the state. In a run the simulation is there already. */
static unit_status show(unit *u)
{
    if (u->shown) return UNIT_OK;
    zw_status status = u->begun ? ZW_OK : zw_sim_set_state(u->sim, u->t, u->q, u->v);
    if (status == ZW_OK) status = zw_sim_columns(u->sim, u->columns, u->row);
    u->shown = status == ZW_OK;
    return unit_judge(u, status, "the outputs");
}

static unit_status get_value(unit *u, uint32_t reference, double *value)
{
    int32_t which = 0;
    fmu_kind kind = fmu_layout_kind(&u->layout, reference, &which);
    unit_status status = UNIT_OK;
    if (kind == FMU_ACCELERATION) status = unit_accelerate(u);
    if (kind == FMU_OUTPUT) status = show(u);
    if (status != UNIT_OK) return status;
    switch (kind) {
    case FMU_TIME:
        *value = u->t;
        break;
    case FMU_COORDINATE:
        *value = u->q[which];
        break;
    case FMU_VELOCITY:
        *value = u->v[which];
        break;
    case FMU_ACCELERATION:
        *value = u->z[which];
        break;
    case FMU_OUTPUT:
        *value = u->row[fmu_layout_column(&u->layout, which)];
        break;
    case FMU_PARAMETER:
        return unit_judge(u, zw_sim_parameter(u->sim, which, value), "a parameter");
    default:
        return unit_say(u, UNIT_ERROR, "there is no variable with this value reference");
    }
    return UNIT_OK;
}

unit_status unit_get(unit *u, const uint32_t *references, size_t count, double *values)
{
    unit_status status = unit_start(u);
    for (size_t i = 0; i < count && status == UNIT_OK; i++)
        status = get_value(u, references[i], &values[i]);
    return status;
}

/* ------------------------------------------------------------------------- setting */

static bool before_the_start(const unit *u)
{
    return (u->phase & (UNIT_NEW | UNIT_INITIAL)) != 0;
}

/* Parameters keep their values where nothing changes, so that an importer may set all of them to
 * what they are; those that size something can only be set so. */
static unit_status set_parameter(unit *u, int32_t which, double value)
{
    double now = (double)NAN;
    if (zw_sim_parameter(u->sim, which, &now) == ZW_OK && now == value) return UNIT_OK;
    if (u->phase == UNIT_CONTINUOUS && !zw_model_is_input(u->model, which))
        return unit_say(u, UNIT_ERROR, "parameters are set in event mode");
    if (u->phase == UNIT_OVER) return unit_say(u, UNIT_ERROR, "nothing is set after the end");
    unit_status status = unit_take_handle(u, which);
    if (status != UNIT_OK) return status;
    status = unit_judge(u, zw_sim_set_parameter(u->sim, u->handle[which], &value, 1),
                        "a value cannot be set");
    if (status == UNIT_OK && before_the_start(u)) u->started = false;
    if (status == UNIT_OK && u->begun) /* constraints may have moved */
        status = unit_judge(u, zw_sim_state(u->sim, &u->t, u->q, u->v), "the state");
    u->solved = u->shown = false;
    return status;
}

static unit_status set_value(unit *u, uint32_t reference, double value)
{
    int32_t which = 0;
    fmu_kind kind = fmu_layout_kind(&u->layout, reference, &which);
    if (!isfinite(value)) return unit_say(u, UNIT_ERROR, "a value is not finite");
    if (kind == FMU_PARAMETER) return set_parameter(u, which, value);
    if (kind != FMU_COORDINATE && kind != FMU_VELOCITY)
        return unit_say(u, UNIT_ERROR,
                        kind == FMU_NOTHING ? "there is no variable with this value reference"
                                            : "this variable is computed, it cannot be set");
    if (!before_the_start(u))
        return unit_say(u, UNIT_ERROR,
                        "coordinates and velocities are set before the end of initialization");
    u->wanted[kind == FMU_COORDINATE ? which : u->layout.n + which] = value;
    u->started = false;
    return UNIT_OK;
}

unit_status unit_set(unit *u, const uint32_t *references, size_t count, const double *values)
{
    unit_status status = UNIT_OK;
    for (size_t i = 0; i < count && status == UNIT_OK; i++)
        status = set_value(u, references[i], values[i]);
    return status;
}

/* --------------------------------------------------------------------- derivatives */

/* The part of a known in the direction: of the state into step, q before v; of time and parameters into the
 * rates of accelerations dz [n]. */
static zw_status add_known(unit *u, uint32_t reference, double seed, double *step, double *dz)
{
    int32_t which = 0, n = u->layout.n;
    double *dq = step, *dv = step + n, *one = step + 2 * n;
    fmu_kind kind = fmu_layout_kind(&u->layout, reference, &which);
    zw_direction direction = {.parameter = kind == FMU_PARAMETER ? which : -1};
    if (kind == FMU_COORDINATE) dq[which] += seed;
    if (kind == FMU_VELOCITY) dv[which] += seed;
    if (kind == FMU_COORDINATE || kind == FMU_VELOCITY) return ZW_OK;
    if (kind == FMU_TIME) direction.t = 1.0;
    if (kind != FMU_TIME && kind != FMU_PARAMETER) return ZW_ERR_ARGUMENT;
    zw_status status = zw_sim_tangent(u->sim, &direction, one, NULL);
    for (int32_t j = 0; j < n; j++) dz[j] += seed * one[j];
    return status;
}

static unit_status take_rates(unit *u, const unit_direction *d, const double *step,
                              const double *dz, double *rates)
{
    for (size_t i = 0; i < d->unknowns; i++) {
        int32_t which = 0;
        fmu_kind kind = fmu_layout_kind(&u->layout, d->unknown[i], &which);
        if (kind != FMU_VELOCITY && kind != FMU_ACCELERATION)
            return unit_say(u, UNIT_ERROR,
                            "directional derivatives are those of velocities and accelerations");
        rates[i] = kind == FMU_VELOCITY ? step[u->layout.n + which] : dz[which];
    }
    return UNIT_OK;
}

/* step [2 n] and room for n more, dz [n], all 0. */
static zw_status find_rates(unit *u, const unit_direction *d, double *step, double *dz)
{
    size_t n = (size_t)u->layout.n;
    zw_direction state = {.q = step, .v = step + n, .parameter = -1};
    zw_status status = u->begun ? ZW_OK : zw_sim_set_state(u->sim, u->t, u->q, u->v);
    for (size_t i = 0; i < d->knowns && status == ZW_OK; i++)
        status = add_known(u, d->known[i], d->seed[i], step, dz);
    if (status == ZW_OK) status = zw_sim_tangent(u->sim, &state, step + 2 * n, NULL);
    for (size_t j = 0; j < n && status == ZW_OK; j++) dz[j] += step[2 * n + j];
    return status;
}

unit_status unit_derive(unit *u, const unit_direction *d, double *rates)
{
    size_t n = (size_t)u->layout.n;
    unit_status status = unit_start(u);
    if (status != UNIT_OK) return status;
    double *step = calloc(4 * n + 1, sizeof *step);
    if (!step) return unit_judge(u, ZW_ERR_MEMORY, "a directional derivative");
    status = unit_judge(u, find_rates(u, d, step, step + 3 * n), "a directional derivative");
    if (status == UNIT_OK) status = take_rates(u, d, step, step + 3 * n, rates);
    free(step);
    return status;
}
