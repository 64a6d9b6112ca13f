/*
 * Runs of zwang.h: argument checks, then the engine.
 */
#include <math.h>

#include "api.h"

zw_status zw_sim_set_kernel(zw_sim *sim, zw_kernel kernel)
{
    ZW_REQUIRE(sim && zw_kernel_name(kernel));
    zr_sim_set_kernel(sim, kernel);
    return ZW_OK;
}

zw_status zw_run_defaults(const zw_model *model, zw_run_settings *settings)
{
    ZW_REQUIRE(model && settings);
    zr_run_defaults(model, settings);
    return ZW_OK;
}

zw_status zw_run_grid_find(const zw_run_settings *settings, zw_run_grid *grid)
{
    ZW_REQUIRE(settings && grid);
    return zr_run_grid_find(settings, grid);
}

double zw_run_grid_time(const zw_run_grid *grid, int64_t k)
{
    return grid ? zr_run_grid_time(grid, k) : (double)NAN;
}

zw_status zw_run_defaults_by(const zw_model *model, zw_method method, zw_run_settings *settings)
{
    ZW_REQUIRE(model && settings && zw_method_name(method));
    zr_run_defaults_by(model, method, settings);
    return ZW_OK;
}

zw_status zw_sim_project(zw_sim *sim)
{
    ZW_REQUIRE(sim);
    return zr_sim_project(sim);
}

/* What the engine takes for granted is checked here, the rest of the settings by the engine. */
zw_status zw_sim_begin(zw_sim *sim, const zw_run_settings *settings)
{
    ZW_REQUIRE(sim && settings);
    bool known = zw_stabilize_name(settings->stabilize) && zw_form_name(settings->form);
    ZW_TOLD(sim, "zw_sim_begin", known ? zr_sim_begin(sim, settings) : ZW_ERR_ARGUMENT);
}

/* The outcome is set even where the call fails. */
zw_status zw_sim_advance(zw_sim *sim, double t, zw_outcome *outcome)
{
    ZW_REQUIRE(sim && outcome);
    *outcome = ZW_INTERRUPTED;
    ZW_REQUIRE(isfinite(t));
    return zr_sim_advance(sim, t, outcome);
}

void zw_sim_cancel(zw_sim *sim)
{
    if (sim) zr_sim_cancel(sim);
}

zw_status zw_sim_save(zw_sim *sim, void *bytes, size_t size, size_t *needed)
{
    ZW_REQUIRE(sim && needed);
    ZW_TOLD(sim, "zw_sim_save", zr_sim_save(sim, bytes, size, needed));
}

zw_status zw_sim_restore(zw_sim *sim, const void *bytes, size_t size)
{
    ZW_REQUIRE(sim && bytes);
    ZW_TOLD(sim, "zw_sim_restore", zr_sim_restore(sim, bytes, size));
}

zw_status zw_sim_conclude(zw_sim *sim)
{
    ZW_REQUIRE(sim);
    ZW_TOLD(sim, "zw_sim_conclude", zr_sim_conclude(sim));
}

zw_status zw_sim_statistics(zw_sim *sim, zw_run_statistics *statistics)
{
    ZW_REQUIRE(sim && statistics);
    return zr_sim_statistics(sim, statistics);
}

int32_t zw_sim_fired_count(const zw_sim *sim)
{
    return sim ? zr_sim_fired_count(sim) : 0;
}

zw_status zw_sim_fired(const zw_sim *sim, int32_t i, zw_fired *fired)
{
    ZW_REQUIRE(sim && fired);
    return zr_sim_fired(sim, i, fired);
}

int64_t zw_sim_happened_count(const zw_sim *sim)
{
    return sim ? zr_sim_happened_count(sim) : 0;
}

zw_status zw_sim_happened(const zw_sim *sim, int64_t i, zw_happened *happened)
{
    ZW_REQUIRE(sim && happened);
    return zr_sim_happened(sim, i, happened);
}

zw_status zw_sim_contact(zw_sim *sim, int32_t i, zw_contact *contact)
{
    ZW_REQUIRE(sim && contact && i >= 0 && i < zr_contact_count(zr_sim_model(sim)));
    return zr_sim_contact(sim, i, contact);
}

zw_status zw_sim_verdict(zw_sim *sim, zw_report_form form, zw_write_fn write, void *user)
{
    ZW_REQUIRE(sim && write && (form == ZW_REPORT_TEXT || form == ZW_REPORT_JSON));
    ZW_TOLD(sim, "zw_sim_verdict", zr_sim_verdict(sim, form, write, user));
}

static void write_no_row(double *row, int32_t width)
{
    for (int32_t k = 0; k < width; k++) row[k] = (double)NAN;
}

/* A row for each time; after the first that is not reached there are none. */
zw_status zw_sim_run_rows(zw_sim *sim, const double *times, int32_t count,
                          const zw_columns *columns, double *out)
{
    ZW_REQUIRE(sim && columns && count >= 0 && (count == 0 || (times && out)));
    int32_t width = zr_columns_count(columns);
    zw_status status = ZW_OK;
    bool on = true;
    for (int32_t k = 0; k < count; k++) {
        double *row = out + (size_t)k * (size_t)width;
        zw_outcome outcome = ZW_INTERRUPTED;
        if (on) status = zw_sim_advance(sim, times[k], &outcome);
        on = on && status == ZW_OK && outcome == ZW_REACHED;
        if (on) status = zr_sim_columns(sim, columns, row);
        on = on && status == ZW_OK;
        if (!on) write_no_row(row, width);
    }
    return status;
}

/* As zw_sim_begin; the engine checks the ensemble, too. */
zw_status zw_ensemble_run(zw_model *model, const zw_run_settings *settings, zw_ensemble *ensemble)
{
    ZW_REQUIRE(model && settings && ensemble);
    ZW_REQUIRE(zw_stabilize_name(settings->stabilize) && zw_form_name(settings->form));
    return zr_ensemble_run(model, settings, ensemble);
}
