/*
 * `zwang derive`: what follows from a model, to read: the derived equations M, Q, A, b, C, or the
 * programs that evaluate them.
 */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "model_command.h"

/* The options of the command; lanes: how many doubles machine code computes side by side. */
typedef struct derive_options {
    model_options common;
    int json, latex, mathml, code;
    char *kernel, *lanes; /* words, by popt, owned; NULL when not given */
    /* what they say */
    zw_kernel which;
    int32_t width;
} derive_options;

/* 1 unless it is given. False after a report. */
static bool take_lane_count(derive_options *o, message_log *log)
{
    const char *word = o->lanes ? o->lanes : "1";
    if (strlen(word) != 1 || !strchr("148", word[0]))
        return options_refuse_value(log, "--lanes", word, "write 1, 4 or 8");
    o->width = word[0] - '0';
    return true;
}

static const char without_asm[] = "it is about programs: add --asm, which writes them";

/* Options about programs go with --asm only, and programs are text only. False after a report. */
static bool take_derive_options(void *self, message_log *log)
{
    derive_options *o = self;
    if (o->json + o->latex + o->mathml > 1)
        return options_refuse_together(log,
                                       !o->mathml ? "--json and --latex exclude each other"
                                       : o->json  ? "--json and --mathml exclude each other"
                                                  : "--latex and --mathml exclude each other",
                                       "choose one of them, or neither for text");
    if (o->code && (o->json || o->latex || o->mathml))
        return options_refuse_together(log,
                                       o->json    ? "--asm and --json exclude each other"
                                       : o->latex ? "--asm and --latex exclude each other"
                                                  : "--asm and --mathml exclude each other",
                                       "programs are written as text only");
    if (!o->code && o->kernel) return options_refuse_value(log, "--kernel", o->kernel, without_asm);
    if (!o->code && o->lanes) return options_refuse_value(log, "--lanes", o->lanes, without_asm);
    if (o->kernel && !options_take_kernel(o->kernel, &o->which, log)) return false;
    return take_lane_count(o, log);
}

/* The work of the command: the equations, or with --asm the programs. */
static int derive_model(void *self, model_job *job)
{
    const derive_options *o = self;
    zw_report_form form = ZW_REPORT_TEXT;
    zw_status status;
    if (o->json) form = ZW_REPORT_JSON;
    if (o->latex) form = ZW_REPORT_LATEX;
    if (o->mathml) form = ZW_REPORT_MATHML;
    if (o->code)
        status = zw_model_programs(job->model, o->which, o->width, model_write, job->out);
    else
        status = zw_model_derive(job->model, form, model_write, job->out);
    job->result = status == ZW_OK;
    return model_outcome(job, status);
}

static const char about[] =
    "Prints the equations of motion that follow from a model, to read: the mass matrix M, the\n"
    "impressed force Q, the constraints A z = b on the acceleration z, and the force C by which\n"
    "constraints do work. MODEL is a model file, or - for standard input.\n"
    "\n"
    "--asm prints the programs that evaluate them instead: what each computes, its byte code, and\n"
    "what every pass of the compiler makes of it on the way to machine code; --kernel bytecode or\n"
    "native leaves out the other.\n";

/* What popt reads; the table needs its addresses. */
static derive_options given;

static const struct poptOption table[] = {
    {"latex", 0, POPT_ARG_NONE, &given.latex, 0, "the equations as LaTeX", NULL},
    {"mathml", 0, POPT_ARG_NONE, &given.mathml, 0, "the equations as MathML, for a web page", NULL},
    {"json", 0, POPT_ARG_NONE, &given.json, 0, "the equations as JSON", NULL},
    {"asm", 0, POPT_ARG_NONE, &given.code, 0, "the programs, as byte code and machine code", NULL},
    {"kernel", 0, POPT_ARG_STRING, &given.kernel, 0, "of the programs only this",
     "bytecode|native|auto"},
    {"lanes", 0, POPT_ARG_STRING, &given.lanes, 0, "machine code for so many members at once",
     "1|4|8"},
    MODEL_OPTIONS(given.common),
    OPTIONS_END,
};

static const option_example examples[] = {
    {"the equations, for a paper", "zwang derive rolling_disc.zw --latex -o disc.tex"},
    {NULL, NULL},
};

const option_page derive_page = {
    .table = table,
    .arguments = "[OPTION...] MODEL",
    .about = about,
    .lists = (const option_list *const[]){&option_kernels, NULL},
    .examples = examples,
};

int derive_command(int argc, const char **argv)
{
    model_task task = {.page = &derive_page,
                       .options = &given.common,
                       .take = take_derive_options,
                       .work = derive_model,
                       .self = &given};
    int status = model_command(argc, argv, &task);
    free(given.kernel);
    free(given.lanes);
    return status;
}
