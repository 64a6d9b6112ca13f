/*
 * Making, starting and freeing a unit. A model is compiled for each instance: that takes milliseconds,
 * and instances share nothing.
 *
 * The start is found when it is asked for the first time, and again after a parameter or a start value
 * has been set: the model's own start with these parameters; then values that the importer has set
 * take their places, and the state is brought onto the constraints by the smallest change.
 */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------ messages */

unit_status unit_say(const unit *u, unit_status status, const char *text)
{
    if (u->log.send) u->log.send(&u->log, u->name ? u->name : "", status, text);
    return status;
}

unit_status unit_judge(unit *u, zw_status status, const char *doing)
{
    char text[4096];
    size_t needed = 0;
    if (status == ZW_OK) {
        zw_context_clear_diagnostics(u->context);
        return UNIT_OK;
    }
    int used = snprintf(text, sizeof text, "%s: %s\n", doing, zw_status_sentence(status));
    if (u->context && used > 0 && (size_t)used < sizeof text)
        (void)zw_context_format_diagnostics(u->context, ZW_TEXT, text + used,
                                            sizeof text - (size_t)used, &needed);
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '\n') text[--length] = 0;
    if (u->context) zw_context_clear_diagnostics(u->context);
    return unit_say(u, UNIT_ERROR, text);
}

/* -------------------------------------------------------------------------- making */

void unit_free(unit *u)
{
    if (!u) return;
    zw_columns_free(u->columns);
    zw_sim_free(u->sim);
    zw_model_free(u->model);
    zw_context_free(u->context);
    unit_texts_close(&u->texts);
    free(u->name);
    free(u->token);
    free(u->q);
    free(u->handle);
    free(u);
}

static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy) memcpy(copy, text, size);
    return copy;
}

/* One block for all numbers, one for handles. */
static bool take_memory(unit *u)
{
    size_t n = (size_t)u->layout.n, m = (size_t)zw_model_row_count(u->model);
    size_t columns = (size_t)zw_columns_count(u->columns), p = (size_t)u->layout.parameters;
    u->q = calloc(5 * n + columns + 2 * m + 1, sizeof *u->q);
    u->handle = calloc(2 * p + 1, sizeof *u->handle);
    if (!u->q || !u->handle) return false;
    u->v = u->q + n;
    u->z = u->v + n;
    u->wanted = u->z + n;
    u->row = u->wanted + 2 * n;
    u->value = u->row + columns;
    u->rate = u->value + m;
    u->order = u->handle + p;
    return true;
}

/* The name of a parameter, in memory of the caller's. */
static char *name_parameter(const unit *u, int32_t parameter)
{
    size_t length = zw_model_parameter_name(u->model, parameter, NULL, 0);
    char *name = malloc(length + 1);
    if (name) (void)zw_model_parameter_name(u->model, parameter, name, length + 1);
    return name;
}

unit_status unit_take_handle(unit *u, int32_t parameter)
{
    if (u->handle[parameter] >= 0) return UNIT_OK;
    char *name = name_parameter(u, parameter);
    zw_status status = name ? ZW_OK : ZW_ERR_MEMORY;
    if (status == ZW_OK && u->begun) { /* it was begun without: this ends it, the state stays */
        status = zw_sim_set_state(u->sim, u->t, u->q, u->v);
        u->begun = false;
    }
    if (status == ZW_OK) status = zw_sim_parameter_handle(u->sim, name, &u->handle[parameter]);
    free(name);
    if (status == ZW_OK)
        u->order[u->handles++] = parameter;
    else
        u->handle[parameter] = -1;
    return unit_judge(u, status, "a parameter cannot be set");
}

/* Inputs will be set in every run; other parameters get a handle when they are. */
static unit_status take_inputs(unit *u)
{
    unit_status status = UNIT_OK;
    for (int32_t i = 0; i < u->layout.parameters; i++) u->handle[i] = -1;
    for (int32_t i = 0; i < u->layout.parameters && status == UNIT_OK; i++)
        if (zw_model_is_input(u->model, i)) status = unit_take_handle(u, i);
    return status;
}

unit_status unit_renew(unit *u)
{
    zw_sim_free(u->sim);
    u->sim = NULL;
    u->handles = 0;
    u->started = u->begun = u->solved = u->shown = u->over = false;
    u->start = u->tol = (double)NAN;
    for (int32_t i = 0; i < 2 * u->layout.n; i++) u->wanted[i] = (double)NAN;
    unit_status status = unit_judge(u, zw_sim_create(u->model, &u->sim), "making a simulation");
    if (status == UNIT_OK) status = take_inputs(u);
    if (status == UNIT_OK)
        status = unit_judge(u, zw_sim_set_kernel(u->sim, ZW_KERNEL_AUTO), "making a simulation");
    return status;
}

/* The token lies with the model, so that the description of another FMU is found out. */
static bool has_token(unit *u, const char *token)
{
    size_t length = 0;
    const char *own = unit_texts_read(&u->texts, "token.txt", &length);
    u->token = own ? copy_text(own) : NULL;
    if (!own) {
        (void)unit_say(u, UNIT_ERROR, "the folder of resources does not have what the FMU brought");
        return false;
    }
    if (u->token && token && strcmp(own, token) == 0) return true;
    (void)unit_say(u, UNIT_ERROR,
                   "the token is not that of this FMU: its description is another's");
    return false;
}

static unit_status make_unit(unit *u, const char *resources)
{
    zw_status status = zw_context_create(NULL, &u->context);
    if (status == ZW_OK) status = zw_context_set_threads(u->context, 1);
    if (status == ZW_OK) status = unit_compile(u);
    if (status == ZW_OK) status = zw_columns_create(u->model, NULL, &u->columns);
    if (status == ZW_OK) {
        fmu_layout_find(&u->layout, u->model, u->columns);
        if (!take_memory(u)) status = ZW_ERR_MEMORY;
    }
    if (status != ZW_OK) return unit_judge(u, status, resources);
    return unit_renew(u);
}

unit *unit_create(const char *name, const char *token, const char *resources, const unit_log *log)
{
    unit *u = calloc(1, sizeof *u);
    if (!u) return NULL;
    u->log = *log;
    u->phase = UNIT_NEW;
    u->name = copy_text(name ? name : "");
    bool well = u->name && unit_texts_open(&u->texts, resources);
    if (u->name && !well)
        (void)unit_say(u, UNIT_ERROR, "the place of the resources is no path and no file: address");
    if (well && has_token(u, token) && make_unit(u, resources) == UNIT_OK) return u;
    unit_free(u);
    return NULL;
}

/* ------------------------------------------------------------------------ starting */

/* What the importer wants otherwise. */
static bool take_wanted(unit *u)
{
    bool any = false;
    int32_t n = u->layout.n;
    if (!isnan(u->start) && u->start != u->t) {
        u->t = u->start;
        any = true;
    }
    for (int32_t i = 0; i < 2 * n; i++) {
        if (isnan(u->wanted[i])) continue;
        (i < n ? u->q : u->v)[i % n] = u->wanted[i];
        any = true;
    }
    return any;
}

unit_status unit_start(unit *u)
{
    if (u->started) return UNIT_OK;
    zw_run_settings settings;
    zw_status status = zw_run_defaults(u->model, &settings);
    if (status == ZW_OK) status = zw_sim_start(u->sim, u->accept || settings.accept_inconsistent);
    if (status == ZW_OK) status = zw_sim_state(u->sim, &u->t, u->q, u->v);
    if (status == ZW_OK && take_wanted(u)) {
        status = zw_sim_set_state(u->sim, u->t, u->q, u->v);
        if (status == ZW_OK) status = zw_sim_project(u->sim);
        if (status == ZW_OK) status = zw_sim_state(u->sim, &u->t, u->q, u->v);
    }
    u->started = status == ZW_OK;
    u->begun = u->solved = u->shown = false;
    return unit_judge(u, status, "the start");
}
