/*
 * `zwang eval`: one instant of a model as JSON.
 *
 *     model --start--> state --time, state given--> numbers --compute--> answer --> JSON
 *
 * The start is the model's own, brought onto the constraints. Values given by --state replace it
 * and are not corrected; where they leave nothing of it, its errors do not matter, so that a model
 * whose start is wrong can be evaluated elsewhere.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "compute.h"
#include "eval_instant.h"
#include "model_command.h"

/* The options of the command. */
typedef struct eval_options {
    model_options common;
    char *time, *state, *form, *inconsistent; /* NULL when not given */
    int basis;
    double t;
    zw_form chosen;
    bool accept;
} eval_options;

/* ------------------------------------------------------------------------- the state */

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
static zw_status find_start(const eval_options *o, model_job *job, zw_sim *sim, int32_t n)
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

/* Brings the simulation to the instant that is asked for. */
static zw_status find_state(const eval_options *o, model_job *job, zw_sim *sim)
{
    int32_t n = zw_model_coordinate_count(job->model);
    zw_status status = find_start(o, job, sim, n);
    if (status == ZW_OK && o->time) status = change_time(sim, o->t, n);
    if (status == ZW_OK && o->state) status = zw_sim_assign(sim, o->state);
    return status;
}

/* ---------------------------------------------------------------------- the instant */

/* The matrices and the answer at the simulation's state, written as JSON. Returns the exit
 * status. */
static int write_evaluation(const eval_options *o, model_job *job, zw_sim *sim)
{
    instant at;
    answer a = {0};
    problem_place place = {.file = job->file, .index = -1, .model = true};
    int status = STATUS_WRONG_DATA;
    if (instant_create(job->model, job->file, &job->log, &at)) {
        at.p.basis = o->basis;
        at.p.form = o->chosen;
        status = model_outcome(job, instant_take(&at, sim));
        bool contacts = zw_model_contact_count(job->model) > 0;
        if (status == STATUS_DONE &&
            !compute_model_answer(&job->log, &place, sim, contacts, &at.p, &a))
            status = STATUS_WRONG_DATA;
    }
    job->result = status == STATUS_DONE;
    if (job->result) instant_write(job->out, &at, &a);
    answer_clear(&a);
    instant_clear(&at);
    return status;
}

/* The work of the command: brings a simulation to the instant and evaluates it there. */
static int evaluate_model(void *self, model_job *job)
{
    const eval_options *o = self;
    zw_sim *sim = NULL;
    zw_status created = zw_sim_create(job->model, &sim);
    if (created == ZW_OK) created = find_state(o, job, sim);
    int status = model_outcome(job, created);
    if (status == STATUS_DONE) status = write_evaluation(o, job, sim);
    zw_sim_free(sim);
    return status;
}

/* ----------------------------------------------------------------- the command line */

/* One finite number. False after a report. */
static bool take_time_option(eval_options *o, message_log *log)
{
    char *end = o->time;
    if (!o->time) return true;
    o->t = strtod(o->time, &end);
    if (end > o->time && *end == '\0' && isfinite(o->t)) return true;
    return options_refuse_value(log, "--time", o->time, "write a number, as in --time 0.5");
}

/* False after a report. */
static bool take_eval_options(void *self, message_log *log)
{
    eval_options *o = self;
    return take_time_option(o, log) && (!o->form || options_take_form(o->form, &o->chosen, log)) &&
           model_take_inconsistent(o->inconsistent, &o->accept, log);
}

static const char about[] =
    "Evaluates a model at one instant and prints it as JSON: the state, the acceleration, the "
    "forces\n"
    "of the constraints and the rest that zwang solve prints, and the numbers of the equations, M, "
    "Q,\n"
    "C, A, b, W, with every constraint's kind, value and rate. MODEL is a model file, or - for\n"
    "standard input.\n"
    "\n"
    "The instant is the model's start, brought onto the constraints. --time changes its time "
    "alone,\n"
    "--state single values, as in --state \"x=1, r'=[0, 0, 2]\"; neither is corrected. If --state\n"
    "gives every coordinate and velocity, it does not matter whether the start can be corrected.\n";

/* What popt reads; the table needs its addresses. */
static eval_options given = {.chosen = ZW_FORM_GAUSS};

static const struct poptOption table[] = {
    {"time", 0, POPT_ARG_STRING, &given.time, 0, "at this time", "T"},
    {"state", 0, POPT_ARG_STRING, &given.state, 0, "at these values", "\"x=1, x'=0\""},
    {"form", 0, POPT_ARG_STRING, &given.form, 0, "solve by this form", "NAME"},
    {"basis", 0, POPT_ARG_NONE, &given.basis, 0, "also a basis of the virtual displacements", NULL},
    INCONSISTENT_OPTION(given.inconsistent),
    SOLVER_OPTION(given.common),
    MODEL_OPTIONS(given.common),
    OPTIONS_END,
};

static const option_example examples[] = {
    {"the acceleration of a heavier disc in another place",
     "zwang eval rolling_disc.zw --set m=3 --state \"c = [1, 0, 0.5]\""},
    {NULL, NULL},
};

const option_page eval_page = {
    .table = table,
    .arguments = "[OPTION...] MODEL",
    .about = about,
    .lists = (const option_list *const[]){&option_solvers, &option_forms, NULL},
    .examples = examples,
};

int eval_command(int argc, const char **argv)
{
    model_task task = {.page = &eval_page,
                       .options = &given.common,
                       .take = take_eval_options,
                       .work = evaluate_model,
                       .self = &given};
    int status = model_command(argc, argv, &task);
    free(given.time);
    free(given.state);
    free(given.form);
    free(given.inconsistent);
    return status;
}
