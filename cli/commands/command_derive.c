/*
 * `zwang derive`: what follows from a model, to read: the derived equations M, Q, A, b, C, or the
 * programs that evaluate them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "model_command.h"

/* The options of the command; lanes: how many doubles machine code computes side by side. */
typedef struct derive_options {
    model_options common;
    int json, latex, mathml, sympy, c, motion, plain, code;
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

/* The forms that were asked for, in the order of help. */
static const char *name_form(const derive_options *o, int skip)
{
    const struct {
        int given;
        const char *name;
    } forms[] = {{o->latex, "--latex"},
                 {o->mathml, "--mathml"},
                 {o->sympy, "--sympy"},
                 {o->c, "--c"},
                 {o->json, "--json"}};
    for (int k = 0; k < 5; k++)
        if (forms[k].given && skip-- == 0) return forms[k].name;
    return NULL;
}

/* One form at most. False after a report. */
static bool refuse_two_forms(const derive_options *o, message_log *log)
{
    char sentence[80];
    if (!name_form(o, 1)) return true;
    (void)snprintf(sentence, sizeof sentence, "%s and %s exclude each other", name_form(o, 0),
                   name_form(o, 1));
    return options_refuse_together(log, sentence, "choose one of them, or neither for text");
}

/* What goes with some forms only. False after a report. */
static bool refuse_forms_with_words(const derive_options *o, message_log *log)
{
    char sentence[80];
    const char *form = name_form(o, 0);
    if (o->code && (form || o->motion || o->plain)) {
        (void)snprintf(sentence, sizeof sentence, "--asm and %s exclude each other",
                       form        ? form
                       : o->motion ? "--motion"
                                   : "--plain");
        return options_refuse_together(log, sentence, "programs are written as text only");
    }
    if (o->motion && (o->json || o->sympy || o->c)) {
        (void)snprintf(sentence, sizeof sentence, "--motion and %s exclude each other", form);
        return options_refuse_together(log, sentence,
                                       "--motion is text, LaTeX or MathML; the others have all "
                                       "that it is made of");
    }
    return true;
}

/* Options about programs go with --asm only, and programs are text only. False after a report. */
static bool take_derive_options(void *self, message_log *log)
{
    derive_options *o = self;
    if (!refuse_two_forms(o, log) || !refuse_forms_with_words(o, log)) return false;
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
    int how = (o->plain ? ZW_EQUATIONS_PLAIN : 0) | (o->motion ? ZW_EQUATIONS_MOTION : 0);
    zw_status status;
    if (o->json) form = ZW_REPORT_JSON;
    if (o->latex) form = ZW_REPORT_LATEX;
    if (o->mathml) form = ZW_REPORT_MATHML;
    if (o->sympy) form = ZW_REPORT_SYMPY;
    if (o->c) form = ZW_REPORT_C;
    if (o->code)
        status = zw_model_programs(job->model, o->which, o->width, model_write, job->out);
    else
        status = zw_model_equations(job->model, form, how, model_write, job->out);
    if (status == ZW_ERR_LARGE) {
        message_report(&job->log, MSG_NOT_WRITTEN_OUT,
                       &(zw_diagnostic){.file = job->file,
                                        .help = "make the model smaller by --set, or leave out "
                                                "--motion, --sympy, --c"},
                       "the model has very many terms of one shape, and its equations are not "
                       "written out");
        return STATUS_WRONG_DATA;
    }
    job->result = status == ZW_OK;
    return model_outcome(job, status);
}

static const char about[] =
    "Prints the equations of motion that follow from a model, to read: the mass matrix M, the\n"
    "impressed force, the constraints A z = b on the acceleration z, and the force C by which\n"
    "constraints do work. What follows from inertia, as centrifugal forces do, stands apart:\n"
    "Q = F + H. MODEL is a model file, or - for standard input.\n"
    "\n"
    "Expressions are put as people write them, and each was compared with the derived one at\n"
    "random points; --plain leaves them as they were derived. --motion prints one equation for\n"
    "each coordinate instead, inertia = forces, after the Lagrangian as it was given.\n"
    "\n"
    "--asm prints the programs that evaluate them instead: what each computes, its byte code, and\n"
    "what every pass of the compiler makes of it on the way to machine code; --kernel bytecode or\n"
    "native leaves out the other.\n";

/* What popt reads; the table needs its addresses. */
static derive_options given;

static const struct poptOption table[] = {
    {"latex", 0, POPT_ARG_NONE, &given.latex, 0, "the equations as LaTeX", NULL},
    {"mathml", 0, POPT_ARG_NONE, &given.mathml, 0, "the equations as MathML, for a web page", NULL},
    {"sympy", 0, POPT_ARG_NONE, &given.sympy, 0, "the equations as text that SymPy reads", NULL},
    {"c", 0, POPT_ARG_NONE, &given.c, 0, "the equations as a function of C", NULL},
    {"json", 0, POPT_ARG_NONE, &given.json, 0,
     "the equations as JSON, with the statements that terms come from", NULL},
    {"motion", 0, POPT_ARG_NONE, &given.motion, 0, "one equation for each coordinate", NULL},
    {"plain", 0, POPT_ARG_NONE, &given.plain, 0, "expressions as they were derived", NULL},
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
    {"one equation for each coordinate", "zwang derive pendulum.zw --motion"},
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
