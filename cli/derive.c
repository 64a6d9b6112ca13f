/*
 * `zwang derive`: the derived equations M, Q, A, b, C of a model, to read.
 */
#include "command.h"
#include "model.h"

typedef struct derive_options {
    model_options common;
    int json, latex;
} derive_options;

static bool take(void *self, message_log *log)
{
    const derive_options *o = self;
    if (!o->json || !o->latex) return true;
    zw_diagnostic place = {.file = "zwang", .help = "choose one of them, or neither for text"};
    message_report(log, MSG_TOGETHER, &place, "--json and --latex exclude each other");
    return false;
}

static int derive(void *self, model_job *job)
{
    const derive_options *o = self;
    zw_report_form form = ZW_REPORT_TEXT;
    if (o->json) form = ZW_REPORT_JSON;
    if (o->latex) form = ZW_REPORT_LATEX;
    zw_status status = zw_model_derive(job->model, form, model_write, job->out);
    job->result = status == ZW_OK;
    return model_outcome(job, status);
}

static const char about[] =
    "Prints the equations of motion that follow from a model, to read: the mass matrix M, the\n"
    "impressed force Q, the constraints A z = b on the acceleration z, and the force C by which\n"
    "constraints do work. MODEL is a model file, or - for standard input.\n";

int derive_command(int argc, const char **argv)
{
    derive_options o = {0};
    struct poptOption table[] = {
        {"latex", 0, POPT_ARG_NONE, &o.latex, 0, "the equations as LaTeX", NULL},
        {"json", 0, POPT_ARG_NONE, &o.json, 0, "the equations as JSON", NULL},
        MODEL_OPTIONS(o.common),
        OPTIONS_END,
    };
    model_task task = {.page = {table, "[OPTION...] MODEL", about, NULL},
                       .options = &o.common,
                       .take = take,
                       .run = derive,
                       .self = &o};
    return model_command(argc, argv, &task);
}
