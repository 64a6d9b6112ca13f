/*
 * Simulations of zwang.h: argument checks, then the engine.
 */
#include <math.h>

#include "api.h"

zw_status zw_sim_create(zw_model *model, zw_sim **sim)
{
    ZW_REQUIRE(model && sim);
    return zr_sim_create(model, sim);
}

void zw_sim_free(zw_sim *sim)
{
    zr_sim_free(sim);
}

zw_status zw_sim_set_parameters(zw_sim *sim, const char *settings)
{
    ZW_REQUIRE(sim && settings);
    return zr_sim_set_parameters(sim, settings);
}

zw_status zw_sim_parameter(const zw_sim *sim, int32_t i, double *value)
{
    ZW_REQUIRE(sim && value && i >= 0 && i < zr_parameter_count(zr_sim_model(sim)));
    *value = zr_sim_parameter(sim, i);
    return ZW_OK;
}

zw_status zw_sim_start(zw_sim *sim, bool accept_inconsistent)
{
    ZW_REQUIRE(sim);
    return zr_sim_start(sim, accept_inconsistent);
}

/* q and v may be NULL: they stay as they are. */
zw_status zw_sim_set_state(zw_sim *sim, double t, const double *q, const double *v)
{
    ZW_REQUIRE(sim && isfinite(t));
    zr_sim_set_state(sim, t, q, v);
    return ZW_OK;
}

/* Each of t, q and v may be NULL where it is not wanted. */
zw_status zw_sim_state(const zw_sim *sim, double *t, double *q, double *v)
{
    ZW_REQUIRE(sim);
    zr_sim_state(sim, t, q, v);
    return ZW_OK;
}

zw_status zw_sim_assign(zw_sim *sim, const char *assignments)
{
    ZW_REQUIRE(sim && assignments);
    return zr_sim_assign(sim, assignments);
}

zw_status zw_sim_acceleration(zw_sim *sim, double t, const double *q, const double *v, double *z)
{
    ZW_REQUIRE(sim && q && v && z);
    return zr_sim_acceleration(sim, t, q, v, z);
}

zw_status zw_sim_instant(zw_sim *sim, zw_instant *instant)
{
    ZW_REQUIRE(sim && instant);
    return zr_sim_instant(sim, instant);
}

zw_status zw_sim_solve(zw_sim *sim, zw_gauss_answer *answer)
{
    ZW_REQUIRE(sim && answer);
    return zr_sim_solve(sim, answer);
}

zw_status zw_sim_rank(zw_sim *sim, zw_gauss_rank_info *info)
{
    ZW_REQUIRE(sim && info);
    return zr_sim_rank(sim, info);
}

zw_status zw_sim_diagnose(zw_sim *sim, const double *acceleration, zw_diagnosis **diagnosis)
{
    ZW_REQUIRE(sim && acceleration && diagnosis);
    return zr_sim_diagnose(sim, acceleration, diagnosis);
}

zw_solver zw_sim_solver(const zw_sim *sim)
{
    return sim ? zr_sim_solver(sim) : ZW_SOLVER_AUTO;
}

zw_status zw_sim_tangent(zw_sim *sim, const zw_direction *direction, double *acceleration,
                         double *multipliers)
{
    ZW_REQUIRE(sim && direction);
    return zr_sim_tangent(sim, direction, acceleration, multipliers);
}

zw_status zw_sim_linearize(zw_sim *sim, const zw_linearize *asked, zw_linearization **result)
{
    ZW_REQUIRE(sim && asked && result);
    return zr_sim_linearize(sim, asked, result);
}

void zw_linearization_free(zw_linearization *result)
{
    zr_linearization_free(result);
}

zw_status zw_sim_equilibrium(zw_sim *sim, const zw_equilibrium_asked *asked,
                             zw_equilibrium **result)
{
    ZW_REQUIRE(sim && asked && result);
    return zr_sim_equilibrium(sim, asked, result);
}

void zw_equilibrium_free(zw_equilibrium *result)
{
    zr_equilibrium_free(result);
}

/* There is no LaTeX form of the check. */
zw_status zw_sim_check(zw_sim *sim, bool accept_inconsistent, zw_report_form form,
                       zw_write_fn write, void *user)
{
    ZW_REQUIRE(sim && write && (form == ZW_REPORT_TEXT || form == ZW_REPORT_JSON));
    return zr_sim_check(sim, accept_inconsistent, form, write, user);
}

/* -------------------------------------------------------------------- handles */

zw_status zw_sim_input(zw_sim *sim, const char *name, int32_t *handle)
{
    ZW_REQUIRE(sim && name && handle);
    return zr_give_handle(sim, name, true, handle);
}

zw_status zw_sim_parameter_handle(zw_sim *sim, const char *name, int32_t *handle)
{
    ZW_REQUIRE(sim && name && handle);
    return zr_give_handle(sim, name, false, handle);
}

int32_t zw_sim_handle_count(const zw_sim *sim, int32_t handle)
{
    return sim ? zr_sim_handle_count(sim, handle) : 0;
}

zw_status zw_sim_set_input(zw_sim *sim, int32_t handle, const double *values, int32_t count)
{
    ZW_REQUIRE(sim && values && count > 0 && zr_sim_handle_count(sim, handle) == count);
    return zr_sim_set_handle(sim, handle, values);
}

zw_status zw_sim_set_parameter(zw_sim *sim, int32_t handle, const double *values, int32_t count)
{
    return zw_sim_set_input(sim, handle, values, count);
}

/* ------------------------------------------------------------------- export */

zw_status zw_sim_export_c(zw_sim *sim, const zw_c_settings *settings, zw_c_file file,
                          zw_write_fn write, void *user)
{
    ZW_REQUIRE(sim && settings && write && (unsigned)file <= ZW_C_HEADER);
    return zr_sim_export_c(sim, settings, file, write, user);
}
