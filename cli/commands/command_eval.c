/*
 * `zwang eval`: one instant of a model as JSON.
 *
 *     model --start--> state --time, state given--> numbers --compute--> answer --> JSON
 *
 * The start is the model's own, brought onto the constraints. Values given by --state replace it
 * and are not corrected; where they leave nothing of it, its errors do not matter, so that a model
 * whose start is wrong can be evaluated elsewhere.
 */
#include <stdlib.h>

#include "command.h"
#include "compute.h"
#include "eval_instant.h"
#include "state_options.h"

/* The options of the command. */
typedef struct eval_options {
    model_options common;
    state_options at;
    char *form; /* NULL when not given */
    int basis;
    zw_form chosen;
} eval_options;

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
    if (created == ZW_OK) created = state_find(&o->at, job, sim);
    int status = model_outcome(job, created);
    if (status == STATUS_DONE) status = write_evaluation(o, job, sim);
    zw_sim_free(sim);
    return status;
}

/* ----------------------------------------------------------------- the command line */

/* False after a report. */
static bool take_eval_options(void *self, message_log *log)
{
    eval_options *o = self;
    return state_take(&o->at, log) && (!o->form || options_take_form(o->form, &o->chosen, log));
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
    STATE_OPTIONS(given.at),
    {"form", 0, POPT_ARG_STRING, &given.form, 0, "solve by this form", "NAME"},
    {"basis", 0, POPT_ARG_NONE, &given.basis, 0, "also a basis of the virtual displacements", NULL},
    INCONSISTENT_OPTION(given.at.inconsistent),
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
    state_free(&given.at);
    free(given.form);
    return status;
}
