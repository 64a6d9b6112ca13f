/*
 * parts_roads.c: from text to the end of a run, by one road.
 */
#include "parts_roads.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

double *numbers(int32_t count)
{
    double *x = calloc((size_t)count + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

double apart(int32_t n, const double *x, const double *y)
{
    double worst = 0.0;
    for (int32_t k = 0; k < n; k++) {
        double d = fabs(x[k] - y[k]);
        if (!(d <= worst)) worst = d;
    }
    return worst;
}

static void said(zw_context *context)
{
    char text[4000];
    size_t needed;
    if (zw_context_format_diagnostics(context, ZW_TEXT, text, sizeof text, &needed) == ZW_OK)
        print_error("%s\n", text);
}

road road_open(const char *text, zw_solver solver, int32_t threads)
{
    road r = {0};
    zw_model_source source = {.file = "model.zw", .text = text, .length = strlen(text)};
    assert_int_equal(zw_context_create(NULL, &r.context), ZW_OK);
    assert_int_equal(zw_context_set_solver(r.context, solver), ZW_OK);
    assert_int_equal(zw_context_set_threads(r.context, threads), ZW_OK);
    zw_status status = zw_model_compile(r.context, &source, &r.model);
    if (status != ZW_OK) said(r.context);
    assert_int_equal(status, ZW_OK);
    r.n = zw_model_coordinate_count(r.model);
    r.m = zw_model_row_count(r.model);
    assert_int_equal(zw_sim_create(r.model, &r.sim), ZW_OK);
    return r;
}

void road_close(road *r)
{
    zw_sim_free(r->sim);
    zw_model_free(r->model);
    zw_context_free(r->context);
}

/* ------------------------------------------------------------------------ runs */

zw_run_settings ride_settings(const road *r, double until)
{
    zw_run_settings settings;
    assert_int_equal(zw_run_defaults(r->model, &settings), ZW_OK);
    settings.tol = settings.abs_tol = 1e-9;
    settings.until = until;
    settings.max_steps = 4000;
    return settings;
}

ride ride_on(road *r, const zw_run_settings *settings)
{
    ride d = {.x = numbers(2 * r->n)};
    zw_outcome outcome;
    assert_int_equal(zw_sim_start(r->sim, false), ZW_OK);
    assert_int_equal(zw_sim_begin(r->sim, settings), ZW_OK);
    d.status = zw_sim_advance(r->sim, 0.6 * settings->until, &outcome);
    if (d.status == ZW_OK && outcome == ZW_REACHED)
        d.status = zw_sim_advance(r->sim, settings->until, &outcome);
    assert_int_equal(zw_sim_state(r->sim, NULL, d.x, d.x + r->n), ZW_OK);
    assert_int_equal(zw_sim_statistics(r->sim, &d.stats), ZW_OK);
    return d;
}
