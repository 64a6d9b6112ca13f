/*
 * `zwang solve`: one constrained acceleration from its matrices, JSON to JSON.
 *
 *     text --load--> JSON tree --problem--> numbers --check, factor, solve, diagnose--> answer
 *          --answer--> JSON text --output--> standard output or a file
 *
 * Nothing is written before every problem of the list has its answer.
 */
#include "command_solve.h"

#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "command.h"
#include "compute.h"
#include "friction_answer.h"
#include "load_json.h"
#include "options.h"
#include "output_file.h"
#include "problem.h"
#include "progress.h"

/* ------------------------------------------------------------------- one problem */

static bool solve_rows(const solve_job *job, const problem_place *place, const problem *p,
                       FILE *out, int indent)
{
    answer a = {0};
    bool done = compute_answer(job->log, place, p, &a);
    if (done) answer_write(out, p, &a, indent);
    answer_clear(&a);
    return done;
}

static bool solve_friction(const solve_job *job, const problem_place *place, const problem *p,
                           FILE *out, int indent)
{
    friction_answer a = {0};
    bool done = compute_friction(job->log, place, p, &a);
    if (done) friction_answer_write(out, p, &a, indent);
    friction_answer_clear(&a);
    return done;
}

/* Reads a problem, solves it, writes its answer; in a list it is indented. False after a report. */
static bool solve_problem(const solve_job *job, const problem_place *place, json_t *value,
                          FILE *out)
{
    problem p;
    int indent = place->index < 0 ? 0 : 2;
    bool done = problem_read(value, place, job->log, &p);
    if (done && job->form) p.form = *job->form;
    if (done && p.friction_count > 0)
        done = solve_friction(job, place, &p, out, indent);
    else if (done)
        done = solve_rows(job, place, &p, out, indent);
    problem_clear(&p);
    return done;
}

/* -------------------------------------------------------------------- all of them */

/* Goes on after a problem that is wrong, so that all mistakes are reported. False if there was
 * one. */
static bool solve_list(const solve_job *job, const char *file, json_t *list, FILE *out)
{
    size_t count = json_array_size(list);
    bool done = true;
    progress bar;
    progress_start(&bar, "problems", (int64_t)count, job->silent);
    fputc('[', out);
    for (size_t k = 0; k < count; k++) {
        problem_place place = {.file = file, .index = (int64_t)k};
        fputs(k > 0 ? ",\n  " : "\n  ", out);
        if (!solve_problem(job, &place, json_array_get(list, k), out)) done = false;
        progress_step(&bar, (int64_t)k + 1);
    }
    progress_end(&bar);
    fputs(count > 0 ? "\n]" : "]", out);
    return done;
}

bool solve_text(const solve_job *job, const input *in, FILE *out)
{
    json_t *tree = load_json(in, job->log);
    if (!tree) return false;
    problem_place whole = {.file = in->name, .index = -1};
    bool done = json_is_array(tree) ? solve_list(job, in->name, tree, out)
                                    : solve_problem(job, &whole, tree, out);
    fputc('\n', out);
    json_decref(tree);
    return done;
}

/* ----------------------------------------------------------------- the command line */

/* What popt reads; the table needs its addresses. */
typedef struct solve_options {
    char *output, *form, *messages, *memory; /* NULL when not given */
    int quiet;
    const char *file;
} solve_options;

static solve_options given;

/* One FILE at most, else standard input. False after a report. */
static bool take_solve_argument(poptContext context, solve_options *o, message_log *log)
{
    const char **arguments = poptGetArgs(context);
    o->file = arguments ? arguments[0] : "-";
    if (!arguments || !arguments[1]) return true;
    char shown[QUOTED_SIZE];
    zw_diagnostic place = {.file = "zwang", .help = "several problems go into one file as a list"};
    message_report(log, MSG_ARGUMENTS, &place, "one FILE is expected, but there is also %s",
                   quoted(shown, arguments[1]));
    return false;
}

/* The options that are words; form [1] is where --form goes. */
static bool take_words(const solve_options *o, solve_job *job, zw_form *form)
{
    if (!options_take_messages(o->messages, o->quiet, job->log) ||
        !options_take_memory(o->memory, job->log))
        return false;
    job->silent = o->quiet || job->log->form == ZW_JSON;
    if (!o->form) return true;
    job->form = form;
    return options_take_form(o->form, form, job->log);
}

/* Solves into memory, then writes. */
static bool solve_file(const solve_job *job, const solve_options *o)
{
    input in;
    char *text = NULL;
    size_t length = 0;
    if (!input_read(o->file, NULL, &in, job->log)) return false;
    FILE *out = open_memstream(&text, &length);
    bool done = out && solve_text(job, &in, out);
    bool full = out && ferror(out);
    if (out && fclose(out) != 0) full = true;
    if (!out || (done && full)) {
        message_report(job->log, MSG_MEMORY, &(zw_diagnostic){.file = in.name},
                       "there is not enough memory for the answer");
        done = false;
    }
    done = done && output_write(o->output ? o->output : "-", text, length, job->log);
    free(text);
    input_clear(&in);
    return done;
}

/* An option_work. */
static int work_on_solve(poptContext context, message_log *log)
{
    zw_form form;
    solve_job job = {.log = log};
    if (!take_words(&given, &job, &form) || !take_solve_argument(context, &given, log))
        return STATUS_WRONG_USAGE;
    return solve_file(&job, &given) ? STATUS_DONE : STATUS_WRONG_DATA;
}

static const char about[] =
    "Computes one constrained acceleration from numbers. FILE, or standard input when it is\n"
    "absent or -, holds a JSON object with the fields\n"
    "\n"
    "  M               mass matrix, n rows of n numbers, or the n numbers of its diagonal\n"
    "  Q               impressed force, n numbers\n"
    "  A, b            constraints A z = b: m rows of n numbers, and m numbers (or neither)\n"
    "  C               optional, force by which the constraints do work, n numbers\n"
    "  W               optional, weight of the constraints, m rows of m numbers, or m numbers\n"
    "  form            optional, one of the forms below\n"
    "  rank_tolerance  optional, relative pivot under which a row counts as dependent\n"
    "  names           optional, names of the m rows\n"
    "  basis           optional, true: also a basis of the virtual displacements\n"
    "  at_least        optional, inequalities A z >= b: an object with A, b, and perhaps W, names\n"
    "  friction        optional, a list of objects with row, T, mu, and perhaps static, slip, b\n"
    "\n"
    "or a list of such objects, and the answer is one of the same kind.\n";

static const struct poptOption table[] = {
    {"output", 'o', POPT_ARG_STRING, &given.output, 0,
     "write the answer to FILE; - is standard output", "FILE"},
    {"form", 0, POPT_ARG_STRING, &given.form, 0, "solve by this form, whatever the data say",
     "NAME"},
    {"max-memory", 0, POPT_ARG_STRING, &given.memory, 0,
     "at most so much memory, as in 500M; half of what is available at first", "SIZE"},
    {"messages", 0, POPT_ARG_STRING, &given.messages, 0, "errors and warnings as text or as json",
     "text|json"},
    {"quiet", 'q', POPT_ARG_NONE, &given.quiet, 0, "no warnings and no progress", NULL},
    OPTIONS_END,
};

static const option_example examples[] = {
    {"two drives that ask for different accelerations of one mass, one three times as strongly",
     "echo '{\"M\": [1], \"Q\": [0], \"A\": [[1], [1]], \"b\": [1, 3], \"W\": [1, 3]}' | zwang "
     "solve"},
    {NULL, NULL},
};

const option_page solve_page = {
    .table = table,
    .arguments = "[OPTION...] [FILE]",
    .about = about,
    .lists = (const option_list *const[]){&option_forms, NULL},
    .examples = examples,
};

int solve_command(int argc, const char **argv)
{
    int status = options_command(argc, argv, &solve_page, work_on_solve);
    free(given.output);
    free(given.form);
    free(given.messages);
    free(given.memory);
    return status;
}
