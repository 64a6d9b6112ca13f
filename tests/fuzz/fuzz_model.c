/*
 * Fuzzes the model language: any bytes as a model. Whatever they are, the library must compile the
 * model or refuse it with a message; it must not crash, leak, hang, or take more memory than it
 * was granted. What compiles is started, checked, evaluated and printed, too; what is small is run
 * for a few steps.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "zwang.h"

enum { BUDGET = 256 << 20, STEPS = 300000, LARGEST = 60, SMALL = 20 };
/* Steps of a run, each of up to 300 attempts: fewer where one takes long. */
enum { TINY = 6, TINY_STEPS = 20, SMALL_STEPS = 5 };

static void require(int condition)
{
    if (!condition) abort();
}

static bool swallow(void *user, const char *bytes, size_t size)
{
    size_t *length = user;
    *length += size;
    return bytes != NULL || size == 0;
}

/* One instant, dense, of models that are small enough for it. */
static void evaluate(zw_sim *sim, int32_t n, int32_t m)
{
    size_t nn = (size_t)n, mm = (size_t)m;
    double *all = calloc(nn * nn + mm * nn + mm * mm + 3 * nn + 3 * mm + 1, sizeof *all);
    require(all != NULL);
    zw_instant instant = {.M = all};
    instant.A = instant.M + nn * nn;
    instant.W = instant.A + mm * nn;
    instant.Q = instant.W + mm * mm;
    instant.C = instant.Q + nn;
    instant.b = instant.C + nn;
    instant.value = instant.b + mm;
    instant.rate = instant.value + mm;
    (void)zw_sim_instant(sim, &instant);
    free(all);
}

/* A few steps, saved and restored on the way; then the verdict. However it ends, time does not go
 * back, what is shown is finite, and a failure says why. */
static void run_on(zw_context *context, zw_model *model, zw_sim *sim)
{
    static char saved[1 << 20];
    zw_run_settings settings;
    zw_outcome outcome = ZW_REACHED;
    double t = 0.0, now = 0.0, q[SMALL], v[SMALL];
    size_t length = 0, needed = 0;
    require(zw_run_defaults(model, &settings) == ZW_OK);
    settings.max_steps = zw_model_coordinate_count(model) <= TINY ? TINY_STEPS : SMALL_STEPS;
    if (zw_sim_begin(sim, &settings) != ZW_OK) return;
    require(zw_sim_state(sim, &t, NULL, NULL) == ZW_OK);
    double end = settings.until >= t ? settings.until : t + 1.0;
    zw_status status = zw_sim_advance(sim, t + 0.25 * (end - t), &outcome);
    if (status == ZW_OK && zw_sim_save(sim, saved, sizeof saved, &needed) == ZW_OK &&
        needed <= sizeof saved)
        require(zw_sim_restore(sim, saved, needed) == ZW_OK);
    if (status == ZW_OK) status = zw_sim_advance(sim, end, &outcome);
    require(zw_sim_state(sim, &now, q, v) == ZW_OK);
    require(now >= t && now <= end);
    for (int32_t i = 0; i < zw_model_coordinate_count(model); i++)
        require(isfinite(q[i]) && isfinite(v[i]));
    if (status == ZW_OK && outcome == ZW_REACHED) require(now == end);
    zw_context_clear_diagnostics(context);
    zw_status said = zw_sim_conclude(sim);
    if (status != ZW_OK && said == ZW_OK) require(zw_context_diagnostic_count(context) > 0);
    (void)zw_sim_verdict(sim, ZW_REPORT_TEXT, swallow, &length);
    (void)zw_sim_verdict(sim, ZW_REPORT_JSON, swallow, &length);
}

static void use_model(zw_context *context, zw_model *model)
{
    int32_t n = zw_model_coordinate_count(model), m = zw_model_row_count(model);
    size_t length = 0;
    require(n > 0 && m >= 0);
    zw_sim *sim = NULL;
    if (zw_model_derive(model, ZW_REPORT_JSON, swallow, &length) == ZW_OK) require(length > 0);
    (void)zw_model_derive(model, ZW_REPORT_LATEX, swallow, &length);
    if (zw_sim_create(model, &sim) != ZW_OK) return;
    zw_status status = zw_sim_check(sim, false, ZW_REPORT_JSON, swallow, &length);
    if (status == ZW_ERR_START) require(zw_context_diagnostic_count(context) > 0);
    if (n <= LARGEST && m <= LARGEST) evaluate(sim, n, m);
    if (n <= SMALL && m <= SMALL && zw_sim_start(sim, true) == ZW_OK) run_on(context, model, sim);
    zw_sim_free(sim);
}

/* A zw_module_fn: the same data for every name. */
static bool give_rows(void *user, const char *name, const char **file, const char **text,
                      size_t *length)
{
    static const char rows[] = "s,h,left wheel\n0,0,1\n0.5,0.2,-1\n1,0,1\n3,-1,2\n7.5,0,1\n";
    (void)user;
    *file = name;
    *text = rows;
    *length = sizeof rows - 1;
    return true;
}

void fuzz_target(const uint8_t *data, size_t size)
{
    zw_context *context = NULL;
    zw_model *model = NULL;
    char *text = malloc(size + 1);
    require(text != NULL && zw_context_create(NULL, &context) == ZW_OK);
    if (size > 0) memcpy(text, data, size);
    zw_context_set_budget(context, BUDGET);
    zw_model_source source = {
        .file = "fuzz", .text = text, .length = size, .step_limit = STEPS, .data = give_rows};
    zw_status status = zw_model_compile(context, &source, &model);
    if (status == ZW_OK)
        use_model(context, model);
    else if (status == ZW_ERR_MODEL) /* a refusal always says why */
        require(zw_context_diagnostic_count(context) > 0);
    else
        require(status == ZW_ERR_BUDGET || status == ZW_ERR_MEMORY);
    zw_model_free(model);
    zw_context_clear_diagnostics(context);
    zw_context_free(context);
    free(text);
}
