/*
 * Long load in one process: the same models compiled and freed, and run, again and again. What the
 * context holds comes back to what it was each time, and the memory of the process does not grow.
 *
 *     load_flat [ROUNDS]      so many models, and so many runs; 400 if nothing is said
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../slow.h"
#include "zwang.h"

static int rounds = 400;

/* Different roads: a fused program, redundant rows, contacts with friction and events, a family. */
static const char *const texts[] = {
    "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1\n"
    "start x = 1, y = 0\nsimulate t = 0..0.2",
    "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1\n"
    "constraint again: 2*x^2 + 2*y^2 = 2\nstart x = 1, y = 0\nsimulate t = 0..0.2",
    "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint ground: y >= 0\n"
    "restitution ground: 0.5\nfriction ground: 0.3 along x'\n"
    "start x' = 1, y = 0.01\nsimulate t = 0..0.2",
    "param N = 40\ncoord x[N]\nfor i in 1..N { kinetic x[i]'^2/2 }\n"
    "for i in 2..N { potential 50*(x[i] - x[i-1])^2 }\nstart x[1] = 0.1\n"
    "simulate t = 0..0.1",
};
enum { text_count = sizeof texts / sizeof *texts };

/* Kilobytes of this process that are in memory. */
static long resident(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%*s %ld", &pages) != 1) pages = 0;
    if (file) (void)fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static zw_model *compile(zw_context *context, int k)
{
    const char *text = texts[k % text_count];
    zw_model_source source = {.file = "load.zw", .text = text, .length = strlen(text)};
    zw_model *model = NULL;
    if (zw_model_compile(context, &source, &model) != ZW_OK) {
        const zw_diagnostic *d = zw_context_diagnostic(context, 0);
        fail_msg("text %d: %s", k % text_count, d ? d->sentence : "?");
    }
    return model;
}

static void run_once(zw_model *model)
{
    zw_sim *sim = NULL;
    zw_run_settings settings;
    zw_outcome outcome;
    assert_int_equal(zw_sim_create(model, &sim), ZW_OK);
    assert_int_equal(zw_run_defaults(model, &settings), ZW_OK);
    assert_int_equal(zw_sim_start(sim, false), ZW_OK);
    assert_int_equal(zw_sim_begin(sim, &settings), ZW_OK);
    assert_int_equal(zw_sim_advance(sim, settings.until, &outcome), ZW_OK);
    assert_int_equal(outcome, ZW_REACHED);
    zw_sim_free(sim);
}

/* A tenth of the rounds to come to rest, then no more than 2 MB, whatever the number of rounds. */
static void expect_flat(void (*round)(void *user, int k), void *user, zw_context *context)
{
    long before = 0;
    size_t held = 0;
    for (int k = 0; k < rounds; k++) {
        round(user, k);
        if ((k + 1) % text_count != 0) continue;
        size_t now = zw_context_held(context);
        if (held != 0 && now != held)
            fail_msg("round %d: %zu bytes held, before %zu", k, now, held);
        held = now;
        if (before == 0 && k >= rounds / 10) before = resident();
    }
    long after = resident();
    /* sanitizers keep freed memory for a while, to see who uses it */
    if (unless_slow(1, 0) && after > before + 2048) fail_msg("%ld kB became %ld kB", before, after);
    print_message("%d rounds: %ld kB, then %ld kB\n", rounds, before, after);
}

static void compile_round(void *user, int k)
{
    zw_context *context = user;
    zw_model *model = compile(context, k);
    run_once(model);
    zw_model_free(model);
    zw_context_clear_diagnostics(context);
}

static void models_leave_nothing(void **state)
{
    (void)state;
    zw_context *context = NULL;
    assert_int_equal(zw_context_create(NULL, &context), ZW_OK);
    expect_flat(compile_round, context, context);
    zw_context_free(context);
}

static void run_round(void *user, int k)
{
    zw_model *const *models = user;
    run_once(models[k % text_count]);
}

static void runs_leave_nothing(void **state)
{
    (void)state;
    zw_context *context = NULL;
    zw_model *models[text_count];
    assert_int_equal(zw_context_create(NULL, &context), ZW_OK);
    for (int k = 0; k < text_count; k++) models[k] = compile(context, k);
    expect_flat(run_round, models, context);
    for (int k = 0; k < text_count; k++) zw_model_free(models[k]);
    zw_context_free(context);
}

int main(int argc, char **argv)
{
    rounds = argc > 1 ? atoi(argv[1]) : unless_slow(400, 40);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_leave_nothing),
        cmocka_unit_test(runs_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
