/*
 * Fuzzes the model language: any bytes as a model. Whatever they are, the library must compile the
 * model or refuse it with a message; it must not crash, leak, hang, or take more memory than it
 * was granted. What compiles is started, checked, evaluated and printed, too.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "zwang.h"

enum { BUDGET = 256 << 20, STEPS = 300000, LARGEST = 60 };

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
    zw_sim_free(sim);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    zw_context *context = NULL;
    zw_model *model = NULL;
    char *text = malloc(size + 1);
    require(text != NULL && zw_context_create(NULL, &context) == ZW_OK);
    if (size > 0) memcpy(text, data, size);
    zw_context_set_budget(context, BUDGET);
    zw_model_source source = {.file = "fuzz", .text = text, .length = size, .step_limit = STEPS};
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
    return 0;
}
