/*
 * What an FMU brings along so that it can compile the model: model.zw, its modules and data, settings
 * of the command line. Which texts these are is found by compiling it once more, and what it asks
 * for is kept. That is done in a context of its own: there parameters are tried, too, and what that
 * reports is not for people.
 */
#include <stdlib.h>
#include <string.h>

#include "fmu_export.h"

void fmu_add(fmu_members *to, const char *name, const char *bytes, size_t size)
{
    fmu_member *list = realloc(to->list, ((size_t)to->count + 1) * sizeof *list);
    fmu_member one = {.name = malloc(strlen(name) + 1), .bytes = malloc(size + 1), .size = size};
    if (list) to->list = list;
    if (!list || !one.name || !one.bytes) {
        free(one.name);
        free(one.bytes);
        to->failed = true;
        return;
    }
    strcpy(one.name, name); // NOLINT(clang-analyzer-security.insecureAPI.strcpy): there is room
    memcpy(one.bytes, bytes, size);
    to->list[to->count++] = one;
}

void fmu_members_free(fmu_members *members)
{
    for (int32_t k = 0; k < members->count; k++) {
        free(members->list[k].name);
        free(members->list[k].bytes);
    }
    free(members->list);
    *members = (fmu_members){0};
}

/* --------------------------------------------------------------------------- texts */

/* Stands between the library and who finds texts. */
typedef struct listener {
    const zw_model_source *source;
    fmu_members *to;
} listener;

/* resources/FOLDER/NAME ENDING, once. */
static void keep_text(fmu_members *to, const char *folder, const char *name, const char *ending,
                      const char *text, size_t length)
{
    size_t size = strlen(folder) + strlen(name) + strlen(ending) + 12;
    char *path = malloc(size);
    if (!path) {
        to->failed = true;
        return;
    }
    (void)snprintf(path, size, "resources/%s%s%s", folder, name, ending);
    bool known = false;
    for (int32_t k = 0; k < to->count; k++)
        if (strcmp(to->list[k].name, path) == 0) known = true;
    if (!known) fmu_add(to, path, text, length);
    free(path);
}

static bool hear_module(void *user, const char *name, const char **file, const char **text,
                        size_t *length)
{
    const listener *l = user;
    bool found = l->source->module(l->source->user, name, file, text, length);
    if (found) keep_text(l->to, "modules/", name, ".zw", *text, *length);
    return found;
}

static bool hear_data(void *user, const char *name, const char **file, const char **text,
                      size_t *length)
{
    const listener *l = user;
    bool found = l->source->data(l->source->user, name, file, text, length);
    if (strncmp(name, "./", 2) == 0) name += 2;
    if (found) keep_text(l->to, "data/", name, "", *text, *length);
    return found;
}

/* The lines that unit_resources.c reads. */
static void add_settings(fmu_members *to, const fmu_request *r, const zw_model_source *source)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out) {
        to->failed = true;
        return;
    }
    for (int32_t k = 0; k < source->setting_count; k++)
        (void)fprintf(out, "set %s\n", source->settings[k]);
    for (int32_t k = 0; k < source->input_count; k++)
        (void)fprintf(out, "input %s\n", source->inputs[k]);
    if (r->solver) (void)fprintf(out, "solver %s\n", r->solver);
    if (r->accept) (void)fputs("accept\n", out);
    if (fclose(out) == 0)
        fmu_add(to, "resources/settings.txt", text, length);
    else
        to->failed = true;
    free(text);
}

/* --------------------------------------------------------------------- parameters */

/* A parameter that cannot be set by a handle is structural. */
static zw_status find_fixed(zw_model *model, bool *fixed)
{
    zw_sim *sim = NULL;
    zw_status status = zw_sim_create(model, &sim);
    for (int32_t i = 0; i < zw_model_parameter_count(model) && status == ZW_OK; i++) {
        char name[512];
        int32_t handle = 0;
        (void)zw_model_parameter_name(model, i, name, sizeof name);
        zw_status taken = zw_sim_parameter_handle(sim, name, &handle);
        fixed[i] = taken == ZW_ERR_SETTING;
        if (taken != ZW_ERR_SETTING) status = taken;
    }
    zw_sim_free(sim);
    return status;
}

zw_status fmu_add_resources(fmu_members *to, const fmu_request *r, const model_job *job,
                            bool **fixed)
{
    zw_context *context = NULL;
    zw_model *model = NULL;
    listener l = {.source = job->source, .to = to};
    zw_model_source source = *job->source;
    source.module = hear_module;
    source.data = hear_data;
    source.user = &l;
    fmu_add(to, "resources/model.zw", job->text, job->length);
    add_settings(to, r, &source);
    zw_status status = zw_context_create(NULL, &context);
    if (status == ZW_OK) status = zw_model_compile(context, &source, &model);
    if (status == ZW_OK) {
        *fixed = calloc((size_t)zw_model_parameter_count(model) + 1, sizeof **fixed);
        status = *fixed ? find_fixed(model, *fixed) : ZW_ERR_MEMORY;
    }
    zw_model_free(model);
    zw_context_free(context);
    return to->failed ? ZW_ERR_MEMORY : status;
}
