/*
 * journey.c: a run, and what was said when it did not succeed.
 */
#include "journey.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect_done(const journey *j, zw_status status, const char *what)
{
    if (status == ZW_OK) return;
    if (j->l.sim != NULL) zw_sim_conclude(j->l.sim);
    char *messages = load_messages(&j->l);
    fail_msg("%s: %s: %s\n%s", j->name, what, zw_status_name(status), messages);
    free(messages);
}

journey journey_open(const char *model, const char *setting, const char *columns)
{
    bool text = strchr(model, '\n') != NULL;
    journey j = {.name = text ? "a model" : model};
    j.l = text ? load_text(model, &(load_options){.setting = setting}) : load_model(model, setting);
    expect_done(&j, j.l.status, "load");
    expect_done(&j, zw_run_defaults(j.l.model, &j.settings), "defaults");
    j.settings.until = nan("");
    j.settings.max_steps = 100000; /* no test may hang */
    if (columns != NULL) {
        expect_done(&j, zw_columns_create(j.l.model, columns, &j.columns), "columns");
        assert_true(zw_columns_count(j.columns) <= JOURNEY_COLUMNS);
    }
    return j;
}

void journey_close(journey *j)
{
    zw_columns_free(j->columns);
    loaded_clear(&j->l);
    j->columns = NULL;
}

void journey_begin(journey *j)
{
    expect_done(j, zw_sim_start(j->l.sim, j->settings.accept_inconsistent), "start");
    expect_done(j, zw_sim_begin(j->l.sim, &j->settings), "begin");
}

zw_status journey_try(journey *j, double t)
{
    zw_status status = zw_sim_advance(j->l.sim, t, &j->outcome);
    if (status == ZW_OK && j->columns != NULL) {
        status = zw_sim_columns(j->l.sim, j->columns, j->row);
    }
    return status;
}

void journey_to(journey *j, double t)
{
    double now = 0;
    expect_done(j, journey_try(j, t), "advance");
    assert_int_equal(j->outcome, ZW_REACHED);
    assert_int_equal(zw_sim_state(j->l.sim, &now, NULL, NULL), ZW_OK);
    assert_true(now == t);
}

journey journey_run(const journey_plan *plan, double t)
{
    journey j = journey_open(plan->model, plan->setting, plan->columns);
    j.settings.method = plan->method;
    if (plan->tol > 0) j.settings.tol = j.settings.abs_tol = plan->tol;
    if (plan->step > 0) j.settings.step = plan->step;
    journey_begin(&j);
    journey_to(&j, t);
    return j;
}

double journey_off(journey *j)
{
    double *x = calloc((size_t)(2 * j->l.m + 1), sizeof *x), worst = 0;
    assert_non_null(x);
    zw_instant instant = {.value = x, .rate = x + j->l.m};
    expect_done(j, zw_sim_instant(j->l.sim, &instant), "instant");
    for (int32_t i = 0; i < 2 * j->l.m; i++) {
        if (!isnan(x[i])) worst = fmax(worst, fabs(x[i])); /* NaN: an acceleration row */
    }
    free(x);
    return worst;
}

zw_run_statistics journey_statistics(journey *j)
{
    zw_run_statistics statistics = {0};
    expect_done(j, zw_sim_statistics(j->l.sim, &statistics), "statistics");
    return statistics;
}

void journey_state(const journey *j, double *x)
{
    assert_int_equal(zw_sim_state(j->l.sim, NULL, x, x + j->l.n), ZW_OK);
}
