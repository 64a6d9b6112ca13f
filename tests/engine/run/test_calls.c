/*
 * What callers lean on: a table in one call, the end of a run from another thread, and a diagnostic
 * for every status.
 */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "track.h"

static const char swing[] = "coord p\nkinetic p'^2/2\npotential -9.81*cos(p)\nstart p = 1\n";

/* ------------------------------------------------------------------------------- tables */

/* The same bits as one by one. */
static void rows_in_one_call(void **state)
{
    (void)state;
    enum { count = 21 };
    track a, b;
    double times[count];
    track_open(&a, swing, "p, p', energy", ZW_SOLVER_AUTO, 1e-9);
    track_open(&b, swing, "p, p', energy", ZW_SOLVER_AUTO, 1e-9);
    begin(&a);
    begin(&b);
    for (int i = 0; i < count; i++) times[i] = 0.05 * i;
    times[count - 1] = 1.0;
    double *out = calloc((size_t)(count * a.width), sizeof *out);
    assert_int_equal(zw_sim_run_rows(a.sim, times, count, a.columns, out), ZW_OK);
    for (int i = 0; i < count; i++) {
        advance(&b, times[i]);
        assert_memory_equal(out + i * a.width, b.row, sizeof *out * (size_t)a.width);
    }
    free(out);
    close_track(&a);
    close_track(&b);
}

/* Rows behind a stop are no numbers; those behind a wrong time neither, and it is told. */
static void rows_that_are_not_reached(void **state)
{
    (void)state;
    track k;
    const double times[] = {0.1, 0.3, 0.6, 0.9}, wrong[] = {0.2, 3.0};
    double out[16];
    track_open(&k, "coord x\nkinetic x'^2/2\nstart x' = 1\nwhen x > 0.5: stop\n", "x",
               ZW_SOLVER_AUTO, 1e-9);
    begin(&k);
    assert_int_equal(zw_sim_run_rows(k.sim, times, 4, k.columns, out), ZW_OK);
    bench_near(out[3], 0.3, 1e-12);
    for (int i = 4; i < 8; i++) assert_true(isnan(out[i]));
    begin(&k);
    assert_int_equal(zw_sim_run_rows(k.sim, wrong, 2, k.columns, out), ZW_ERR_ARGUMENT);
    bench_near(out[1], 0.2, 1e-12);
    assert_true(isnan(out[2]) && isnan(out[3]));
    assert_int_equal(zw_sim_run_rows(k.sim, times, -1, k.columns, out), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_sim_run_rows(k.sim, times, 1, NULL, out), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_sim_run_rows(k.sim, NULL, 0, k.columns, NULL), ZW_OK);
    close_track(&k);
}

/* --------------------------------------------------------------------------- cancelling */

static void *cancel_soon(void *user)
{
    struct timespec wait = {.tv_nsec = 20000000};
    nanosleep(&wait, NULL);
    zw_sim_cancel(user);
    return NULL;
}

/* A run of hours ends at once; its state is one of the motion, and a new run goes on from there. */
static void a_run_is_cancelled(void **state)
{
    (void)state;
    track k;
    pthread_t thread;
    zw_outcome outcome;
    double t, q, v;
    track_open(&k, swing, "energy", ZW_SOLVER_AUTO, 1e-9);
    k.settings.until = 1e9;
    k.settings.patience = 0.0;
    begin(&k);
    assert_int_equal(pthread_create(&thread, NULL, cancel_soon, k.sim), 0);
    assert_int_equal(zw_sim_advance(k.sim, 1e9, &outcome), ZW_ERR_CANCELLED);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(outcome, ZW_INTERRUPTED);
    assert_int_equal(zw_sim_state(k.sim, &t, &q, &v), ZW_OK);
    assert_true(t > 0.0 && t < 1e9);
    assert_int_equal(zw_sim_columns(k.sim, k.columns, k.row), ZW_OK);
    bench_near(k.row[1], -9.81 * cos(1.0), 1e-3);
    assert_int_equal(zw_sim_advance(k.sim, 1e9, &outcome), ZW_ERR_CANCELLED);
    assert_int_equal(zw_sim_conclude(k.sim), ZW_OK);
    assert_string_equal(zw_context_diagnostic(k.context, 0)->code, "E0753");
    k.settings.until = t + 1.0;
    assert_int_equal(zw_sim_begin(k.sim, &k.settings), ZW_OK);
    assert_int_equal(zw_sim_advance(k.sim, t + 1.0, &outcome), ZW_OK);
    zw_sim_cancel(NULL);
    close_track(&k);
}

/* ---------------------------------------------------------------------------- statuses */

/* Models whose run ends with the status at or before t = 1. */
static const struct {
    zw_status status;
    const char *text;
    double until;
} endings[] = {
    {ZW_ERR_NOT_FINITE, "coord x\nkinetic x'^2/2\nforce x: sqrt(0.5 - t)\n", 1.0},
    {ZW_ERR_LIMIT, "coord x\nkinetic x'^2/2\npotential 1e4*x^2\nstart x = 1\n", 1.0},
    {ZW_ERR_CHATTER,
     "coord x\nkinetic x'^2/2\nforce x: -1\nstart x = 1\nwhen x < 0.9: x = 0.9, x' = 0\n", 1.0},
    {ZW_ERR_PATIENCE, "coord x\nkinetic x'^2/2\npotential 1e4*x^2\nstart x = 1\n", 1e9},
};

/* What a run ended with is told by conclude. */
static void every_ending_is_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        track k;
        zw_outcome outcome;
        track_open(&k, endings[i].text, NULL, ZW_SOLVER_AUTO, 1e-9);
        k.settings.until = endings[i].until;
        if (endings[i].status == ZW_ERR_LIMIT) k.settings.max_steps = 5;
        if (endings[i].status == ZW_ERR_PATIENCE) k.settings.patience = 1e4;
        begin(&k);
        assert_int_equal(zw_sim_advance(k.sim, endings[i].until, &outcome), endings[i].status);
        assert_int_equal(zw_sim_conclude(k.sim), ZW_OK);
        assert_true(zw_context_diagnostic_count(k.context) > 0);
        assert_int_equal(zw_context_diagnostic(k.context, 0)->severity, ZW_ERROR);
        close_track(&k);
    }
}

static void expect_told(track *k, zw_status status, zw_status wanted, const char *words)
{
    assert_int_equal(status, wanted);
    assert_int_equal(zw_context_diagnostic_count(k->context), 1);
    const zw_diagnostic *d = zw_context_diagnostic(k->context, 0);
    assert_int_equal(d->severity, ZW_ERROR);
    assert_non_null(d->help);
    if (!strstr(d->sentence, words)) fail_msg("'%s' lacks '%s'", d->sentence, words);
    zw_context_clear_diagnostics(k->context);
}

static bool write_nothing(void *user, const char *bytes, size_t size)
{
    (void)user;
    (void)bytes;
    (void)size;
    return true;
}

/* What a call refuses is told by itself. */
static void every_refusal_is_told(void **state)
{
    (void)state;
    track k;
    size_t needed = 0;
    zw_outcome outcome;
    track_open(&k, swing, NULL, ZW_SOLVER_AUTO, 1e-9);
    expect_told(&k, zw_sim_conclude(k.sim), ZW_ERR_ORDER, "zw_sim_conclude");
    expect_told(&k, zw_sim_verdict(k.sim, ZW_REPORT_TEXT, write_nothing, NULL), ZW_ERR_ORDER,
                "zw_sim_verdict");
    expect_told(&k, zw_sim_save(k.sim, NULL, 0, &needed), ZW_ERR_ORDER, "zw_sim_save");
    expect_told(&k, zw_sim_restore(k.sim, &needed, 8), ZW_ERR_ORDER, "zw_sim_restore");
    k.settings.tol = -1.0;
    expect_told(&k, zw_sim_begin(k.sim, &k.settings), ZW_ERR_ARGUMENT, "zw_sim_begin");
    k.settings.tol = 1e-9;
    k.settings.form = (zw_form)77;
    expect_told(&k, zw_sim_begin(k.sim, &k.settings), ZW_ERR_ARGUMENT, "zw_sim_begin");
    k.settings.form = ZW_FORM_GAUSS;
    k.settings.method = ZW_BDF;
    zw_status bdf = zw_sim_begin(k.sim, &k.settings);
    if (bdf == ZW_OK) bdf = zw_sim_save(k.sim, NULL, 0, &needed);
    expect_told(&k, bdf, ZW_ERR_METHOD, "method");
    k.settings.method = ZW_DOP853;
    begin(&k);
    expect_told(&k, zw_sim_restore(k.sim, &needed, 8), ZW_ERR_SETTING, "zw_sim_restore");
    assert_int_equal(zw_sim_advance(k.sim, 2.0, &outcome), ZW_ERR_ARGUMENT);
    expect_told(&k, zw_sim_conclude(k.sim) == ZW_OK ? ZW_ERR_ARGUMENT : ZW_OK, ZW_ERR_ARGUMENT,
                "cannot go to t = 2, for the run ends at t = 1");
    advance(&k, 0.5);
    assert_int_equal(zw_sim_advance(k.sim, 0.25, &outcome), ZW_ERR_ARGUMENT);
    expect_told(&k, zw_sim_conclude(k.sim) == ZW_OK ? ZW_ERR_ARGUMENT : ZW_OK, ZW_ERR_ARGUMENT,
                "cannot go to t = 0.25, for the state is at t = 0.5");
    close_track(&k);
}

/* Every status has a name and a sentence of its own. */
static void every_status_has_its_sentence(void **state)
{
    (void)state;
#define STATUS_VALUE(name, value, sentence) name,
    static const zw_status all[] = {ZW_STATUS_LIST(STATUS_VALUE)};
#undef STATUS_VALUE
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_true(strlen(zw_status_sentence(all[i])) > 3);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(zw_status_sentence(all[i]), zw_status_sentence(all[j]));
            assert_int_not_equal(all[i], all[j]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_in_one_call),      cmocka_unit_test(rows_that_are_not_reached),
        cmocka_unit_test(a_run_is_cancelled),    cmocka_unit_test(every_ending_is_told),
        cmocka_unit_test(every_refusal_is_told), cmocka_unit_test(every_status_has_its_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
