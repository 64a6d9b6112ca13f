/*
 * `zwang check`: what a model is, before running it. The library writes the report; a start that
 * cannot be brought onto the constraints is an error, and the report is written all the same.
 */
#include <stdlib.h>

#include "command.h"
#include "model_command.h"

/* The options of the command. */
typedef struct check_options {
    model_options common;
    char *inconsistent; /* NULL when not given */
    int json;
    bool accept;
} check_options;

static bool take_check_options(void *self, message_log *log)
{
    check_options *o = self;
    return model_take_inconsistent(o->inconsistent, &o->accept, log);
}

/* The work of the command. The report is a result even where the start is an error. */
static int check_model(void *self, model_job *job)
{
    const check_options *o = self;
    zw_sim *sim = NULL;
    zw_status status = zw_sim_create(job->model, &sim);
    if (status == ZW_OK)
        status = zw_sim_check(sim, o->accept, o->json ? ZW_REPORT_JSON : ZW_REPORT_TEXT,
                              model_write, job->out);
    zw_sim_free(sim);
    job->result = status == ZW_OK || status == ZW_ERR_START;
    return model_outcome(job, status);
}

static const char about[] =
    "Says what a model is, before running it: its coordinates and degrees of freedom, the kind of\n"
    "each constraint, the rank, which constraints are redundant and where there is a conflict, by\n"
    "name, with coefficients and sizes; whether the start satisfies them, and how far it was "
    "moved.\n"
    "MODEL is a model file, or - for standard input.\n"
    "\n"
    "A start that cannot be brought onto the constraints is an error (exit status 1), and the "
    "report\n"
    "is written all the same; --inconsistent=accept takes the nearest compromise instead.\n";

/* What popt reads; the table needs its addresses. */
static check_options given;

static const struct poptOption table[] = {
    {"json", 0, POPT_ARG_NONE, &given.json, 0, "the report as JSON", NULL},
    INCONSISTENT_OPTION(given.inconsistent),
    SOLVER_OPTION(given.common),
    MODEL_OPTIONS(given.common),
    OPTIONS_END,
};

static const option_example examples[] = {
    {"what there is to know before a run", "zwang check rolling_disc.zw"},
    {NULL, NULL},
};

const option_page check_page = {
    .table = table,
    .arguments = "[OPTION...] MODEL",
    .about = about,
    .lists = (const option_list *const[]){&option_solvers, NULL},
    .examples = examples,
};

int check_command(int argc, const char **argv)
{
    model_task task = {.page = &check_page,
                       .options = &given.common,
                       .take = take_check_options,
                       .work = check_model,
                       .self = &given};
    int status = model_command(argc, argv, &task);
    free(given.inconsistent);
    return status;
}
