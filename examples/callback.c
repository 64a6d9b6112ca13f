/*
 * A run with callbacks: one is called after every step and could stop the run, the other receives
 * the bytes of a CSV file, of which each row is asked for by the program.
 *
 *     cc callback.c $(pkg-config --cflags --libs zwang)
 */
#include <stdio.h>
#include <string.h>

#include <zwang.h>

static const char text[] = "coord x, y\n"
                           "kinetic (x'^2 + y'^2)/2\n"
                           "potential 9.81*y\n"
                           "constraint rod: x^2 + y^2 = 1\n"
                           "start x = 1\n"
                           "simulate t = 0..2, tol = 1e-9\n";

static bool show_progress(void *user, const zw_progress *progress)
{
    (void)user;
    if (progress->steps % 10 == 0)
        fprintf(stderr, "step %d, t = %.3f\n", (int)progress->steps, progress->t);
    return progress->steps < 100000; /* false would interrupt the run */
}

static bool write_bytes(void *user, const char *bytes, size_t size)
{
    return fwrite(bytes, 1, size, user) == size;
}

/* A row now and after each fifth of a second. */
static zw_status run(zw_sim *sim, const zw_columns *columns, zw_result *result)
{
    double row[4]; /* as many as there are columns */
    zw_outcome outcome = ZW_REACHED;
    zw_status status = ZW_OK;
    for (int k = 0; status == ZW_OK && outcome == ZW_REACHED && k <= 10; k++) {
        status = zw_sim_advance(sim, 0.2 * k, &outcome);
        if (status == ZW_OK) status = zw_sim_columns(sim, columns, row);
        if (status == ZW_OK) status = zw_result_row(result, row);
    }
    return status;
}

int main(void)
{
    static const char *const names[] = {"t", "x", "y", "energy"};
    zw_model_source source = {.file = "pendulum", .text = text, .length = strlen(text)};
    zw_run_settings settings = {0};
    zw_context *context = NULL;
    zw_model *model = NULL;
    zw_sim *sim = NULL;
    zw_columns *columns = NULL;
    zw_result *result = NULL;

    zw_status status = zw_context_create(NULL, &context);
    if (status == ZW_OK) status = zw_model_compile(context, &source, &model);
    if (status == ZW_OK) status = zw_sim_create(model, &sim);
    if (status == ZW_OK) status = zw_columns_create(model, "x, y, energy", &columns);
    if (status == ZW_OK)
        status = zw_result_open(context, ZW_RESULT_CSV, names, 4, write_bytes, stdout, &result);
    if (status == ZW_OK) status = zw_run_defaults(model, &settings);
    settings.poll = show_progress;
    if (status == ZW_OK) status = zw_sim_start(sim, false);
    if (status == ZW_OK) status = zw_sim_begin(sim, &settings);
    if (status == ZW_OK) status = run(sim, columns, result);

    zw_status closed = zw_result_close(result);
    if (status == ZW_OK) status = closed;
    if (status != ZW_OK) fprintf(stderr, "callback: %s\n", zw_status_sentence(status));
    zw_columns_free(columns);
    zw_sim_free(sim);
    zw_model_free(model);
    zw_context_free(context);
    return status == ZW_OK ? 0 : 1;
}
