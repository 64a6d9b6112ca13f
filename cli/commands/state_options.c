/*
 * The state at which a model is looked at: its start, brought onto the constraints, with another time or
 * other values where they are given.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "state_options.h"

/* Sets the simulation to q = v = `everywhere`, assigns, and reads the state into x [2n]. */
static zw_status assign_over(zw_sim *sim, const char *state, double everywhere, int32_t n,
                             double *x)
{
    double t;
    zw_status status = zw_sim_state(sim, &t, x, x + n);
    for (int32_t k = 0; k < 2 * n; k++) x[k] = everywhere;
    if (status == ZW_OK) status = zw_sim_set_state(sim, t, x, x + n);
    if (status == ZW_OK) status = zw_sim_assign(sim, state);
    if (status == ZW_OK) status = zw_sim_state(sim, &t, x, x + n);
    return status;
}

/* Does `state` give every coordinate and velocity? It does when two different states below it give
 * the same one. *complete is written on ZW_OK. */
static zw_status find_whether_complete(zw_sim *sim, const char *state, int32_t n, bool *complete)
{
    size_t count = 2 * (size_t)n;
    double *x = calloc(2 * count + 1, sizeof *x);
    if (!x) return ZW_ERR_MEMORY;
    zw_status status = assign_over(sim, state, 1, n, x);
    if (status == ZW_OK) status = assign_over(sim, state, 2, n, x + count);
    if (status == ZW_OK) *complete = memcmp(x, x + count, count * sizeof *x) == 0;
    free(x);
    return status;
}

/* The time alone; q and v stay. */
static zw_status change_time(zw_sim *sim, double t, int32_t n)
{
    double before;
    double *x = calloc(2 * (size_t)n + 1, sizeof *x);
    if (!x) return ZW_ERR_MEMORY;
    zw_status status = zw_sim_state(sim, &before, x, x + n);
    if (status == ZW_OK) status = zw_sim_set_state(sim, t, x, x + n);
    free(x);
    return status;
}

/* The start of the model. If `state` leaves nothing of it but its time, what it has to say is
 * forgotten, errors included. */
static zw_status find_start(const state_options *o, model_job *job, zw_sim *sim, int32_t n)
{
    bool complete = false;
    zw_status status = ZW_OK;
    if (o->state) status = find_whether_complete(sim, o->state, n, &complete);
    if (status != ZW_OK) return status;
    int32_t said = zw_context_diagnostic_count(job->log.context);
    status = zw_sim_start(sim, o->accept);
    if (!complete || status == ZW_ERR_MEMORY || status == ZW_ERR_BUDGET) return status;
    message_log_forget(&job->log, said);
    return ZW_OK;
}

zw_status state_find(const state_options *o, model_job *job, zw_sim *sim)
{
    int32_t n = zw_model_coordinate_count(job->model);
    zw_status status = find_start(o, job, sim, n);
    if (status == ZW_OK && o->time) status = change_time(sim, o->t, n);
    if (status == ZW_OK && o->state) status = zw_sim_assign(sim, o->state);
    return status;
}

bool state_take_time(const char *option, const char *word, double *t, message_log *log)
{
    char *end = NULL, help[100];
    if (!word) return true;
    *t = strtod(word, &end);
    if (end > word && *end == '\0' && isfinite(*t)) return true;
    snprintf(help, sizeof help, "write a number, as in %s 0.5", option);
    return options_refuse_value(log, option, word, help);
}

bool state_take(state_options *o, message_log *log)
{
    return state_take_time("--time", o->time, &o->t, log) &&
           model_take_inconsistent(o->inconsistent, &o->accept, log);
}

void state_free(state_options *o)
{
    free(o->time);
    free(o->state);
    free(o->inconsistent);
}
