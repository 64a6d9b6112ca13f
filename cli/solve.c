/*
 * `zwang solve`: one constrained acceleration from numbers, JSON to JSON.
 *
 *     text --load--> JSON tree --problem--> numbers --check, factor, solve, diagnose--> answer
 *          --answer--> JSON text --output--> standard output or a file
 *
 * Nothing is written before every problem of the list has its answer.
 */
#include "solve.h"

#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "command.h"
#include "load.h"
#include "options.h"
#include "output.h"
#include "problem.h"
#include "progress.h"

/* --------------------------------------------------------- what the library refuses */

typedef struct refusal {
    zw_status status;
    message_code code;
    const char *help;
} refusal;

/* clang-format off */
static const refusal refusals[] = {
    {ZW_ERR_MEMORY, MSG_MEMORY, NULL},
    {ZW_ERR_BUDGET, MSG_MEMORY, "the problem needs more memory than this machine has"},
    {ZW_ERR_NOT_FINITE, MSG_NOT_FINITE, NULL},
    {ZW_ERR_NOT_SYMMETRIC, MSG_NOT_SYMMETRIC,
     "M and W must be symmetric to 1e-12 of their largest entry"},
    {ZW_ERR_INDEFINITE, MSG_INDEFINITE,
     "look for a wrong sign, a zero weight, or an entry off the diagonal that is too large"},
    {ZW_ERR_UNDETERMINED, MSG_UNDETERMINED,
     "give what moves freely some inertia in M, or a constraint in A that holds it"},
    {ZW_ERR_INCONSISTENT, MSG_INCONSISTENT,
     "the forms gauss, moore-penrose and projection are defined for inconsistent constraints; "
     "the diagnosis of gauss names the conflict"},
    {ZW_ERR_SINGULAR_MASS, MSG_SINGULAR_MASS,
     "with a singular M use the form gauss, multipliers or gibbs-appell"},
    {ZW_ERR_RANGE, MSG_MAGNITUDE, "choose units in which the numbers are nearer to 1"},
    {ZW_ERR_ACCURACY, MSG_ACCURACY,
     "choose units in which the entries of M and A are of similar size, or try another form"},
    {ZW_ERR_ARGUMENT, MSG_INTERNAL, "please report this with the data that caused it"},
};
/* clang-format on */

static const refusal *find_refusal(zw_status status)
{
    size_t count = sizeof refusals / sizeof *refusals;
    for (size_t k = 0; k < count; k++)
        if (refusals[k].status == status) return &refusals[k];
    return &refusals[count - 1];
}

/* Always false. g: the solver whose call failed, which knows the place; or NULL. */
static bool refuse(const solve_job *job, const problem_place *place, zw_status status,
                   const zw_gauss *g)
{
    const refusal *r = find_refusal(status);
    char where[PLACE_SIZE], sentence[1024] = "";
    problem_prefix(place, where);
    zw_diagnostic d = {.file = place->file, .where = where[0] ? where : NULL, .help = r->help};
    if (g) (void)zw_gauss_explain(g, sentence, sizeof sentence);
    message_report(job->log, r->code, &d, "%s",
                   sentence[0] ? sentence : zw_status_sentence(status));
    return false;
}

/* ------------------------------------------------------------------- one problem */

/* The library's part: everything of the answer but its text. */
static zw_status compute(zw_gauss *g, const problem *p, answer *a)
{
    zw_status status = zw_gauss_check(g, p->M, p->A, p->W);
    if (status == ZW_OK) status = zw_gauss_factor(g, p->M, p->A, p->W);
    if (status == ZW_OK) status = zw_gauss_solve_form(g, p->form, p->Q, p->b, p->C, &a->values);
    if (status == ZW_OK) status = zw_gauss_rank(g, &a->rank);
    if (status == ZW_OK && p->basis) status = zw_gauss_basis(g, a->basis, &a->basis_count);
    if (status == ZW_OK) status = zw_gauss_diagnose(g, p->b, a->values.acceleration, &a->diagnosis);
    return status;
}

static void warn_of_rank(const solve_job *job, const problem_place *place,
                         const zw_gauss_rank_info *rank)
{
    char where[PLACE_SIZE];
    problem_prefix(place, where);
    zw_diagnostic d = {.file = place->file,
                       .where = where[0] ? where : NULL,
                       .help = "set rank_tolerance to decide which rows count as dependent"};
    message_report(job->log, MSG_RANK_UNSURE, &d,
                   "the rank of A is taken as %d, but not clear-cut: the smallest relative pivot "
                   "that counted is %.2g, the largest that did not %.2g, the tolerance %.2g",
                   (int)rank->rank, rank->accepted, rank->rejected, rank->tolerance);
}

static bool solve_numbers(const solve_job *job, const problem_place *place, const problem *p,
                          answer *a)
{
    zw_gauss_shape shape = {.n = p->n,
                            .m = p->m,
                            .mass = p->mass,
                            .weight = p->weight,
                            .rank_tolerance = p->rank_tolerance};
    zw_gauss *g = NULL;
    if (!answer_create(p, a)) return refuse(job, place, ZW_ERR_MEMORY, NULL);
    zw_status status = zw_gauss_plan(job->log->context, &shape, &g);
    if (status != ZW_OK) return refuse(job, place, status, NULL);
    status = compute(g, p, a);
    if (status != ZW_OK) (void)refuse(job, place, status, g);
    zw_gauss_free(g);
    if (status != ZW_OK) return false;
    if (!answer_is_finite(p, a)) return refuse(job, place, ZW_ERR_RANGE, NULL);
    if (a->rank.ambiguous) warn_of_rank(job, place, &a->rank);
    return true;
}

static bool solve_one(const solve_job *job, const problem_place *place, json_t *value, FILE *out)
{
    problem p;
    answer a = {0};
    bool done = problem_read(value, place, job->log, &p);
    if (done && job->form) p.form = *job->form;
    done = done && solve_numbers(job, place, &p, &a);
    if (done) answer_write(out, &p, &a, place->index < 0 ? 0 : 2);
    answer_clear(&a);
    problem_clear(&p);
    return done;
}

/* -------------------------------------------------------------------- all of them */

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
        if (!solve_one(job, &place, json_array_get(list, k), out)) done = false;
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
                                    : solve_one(job, &whole, tree, out);
    fputc('\n', out);
    json_decref(tree);
    return done;
}

/* ----------------------------------------------------------------- the command line */

typedef struct solve_options {
    char *output, *form, *messages; /* NULL when not given */
    int quiet;
    const char *file;
} solve_options;

/* Wrong words on the command line. */
static bool refuse_value(message_log *log, const char *option, const char *value, const char *help)
{
    char shown[QUOTED_SIZE];
    zw_diagnostic place = {.file = "zwang", .help = help};
    message_report(log, MSG_VALUE, &place, "option %s: %s is not possible", option,
                   quoted(shown, value));
    return false;
}

static bool take_arguments(poptContext context, solve_options *o, message_log *log)
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
    static const char wanted[] = "the forms of messages are text and json";
    char help[400];
    if (o->messages && strcmp(o->messages, "json") == 0)
        job->log->form = ZW_JSON;
    else if (o->messages && strcmp(o->messages, "text") != 0)
        return refuse_value(job->log, "--messages", o->messages, wanted);
    job->log->quiet = o->quiet;
    job->silent = o->quiet || job->log->form == ZW_JSON;
    if (!o->form) return true;
    job->form = form;
    return problem_find_form(o->form, form, help, sizeof help) ||
           refuse_value(job->log, "--form", o->form, help);
}

/* Solves into memory, then writes. */
static bool solve_file(const solve_job *job, const solve_options *o)
{
    input in;
    char *text = NULL;
    size_t length = 0;
    if (!input_read(o->file, &in, job->log)) return false;
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

static int run(poptContext context, const option_page *page, solve_options *o, message_log *log)
{
    zw_form form;
    solve_job job = {.log = log};
    option_outcome outcome = options_read(context, page, log);
    if (outcome == OPTIONS_SHOWN) return output_flush(log) ? STATUS_DONE : STATUS_WRONG_DATA;
    if (outcome == OPTIONS_WRONG || !take_words(o, &job, &form) || !take_arguments(context, o, log))
        return STATUS_WRONG_USAGE;
    return solve_file(&job, o) ? STATUS_DONE : STATUS_WRONG_DATA;
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
    "\n"
    "or a list of such objects, and the answer is one of the same kind.\n";

static void print_forms(void)
{
    printf("\nForms:\n");
#define FORM_LINE(symbol, value, text, sentence) printf("  %-14s  %s\n", text, sentence);
    ZW_FORM_LIST(FORM_LINE)
#undef FORM_LINE
}

int solve_command(int argc, const char **argv)
{
    solve_options o = {0};
    struct poptOption table[] = {
        {"output", 'o', POPT_ARG_STRING, &o.output, 0,
         "write the answer to FILE; - is standard output", "FILE"},
        {"form", 0, POPT_ARG_STRING, &o.form, 0, "solve by this form, whatever the data say",
         "NAME"},
        {"messages", 0, POPT_ARG_STRING, &o.messages, 0, "errors and warnings as text or as json",
         "text|json"},
        {"quiet", 'q', POPT_ARG_NONE, &o.quiet, 0, "no warnings and no progress", NULL},
        OPTIONS_END,
    };
    option_page page = {
        .table = table, .arguments = "[OPTION...] [FILE]", .about = about, .more = print_forms};
    message_log log = {0};
    int status = STATUS_WRONG_DATA;
    message_log_open(&log);
    poptContext context = poptGetContext("zwang", argc, argv, table, 0);
    if (context && log.context)
        status = run(context, &page, &o, &log);
    else
        message_report(&log, MSG_MEMORY, NULL, "there is not enough memory");
    message_log_print(&log);
    message_log_close(&log);
    free(o.output);
    free(o.form);
    free(o.messages);
    (void)poptFreeContext(context);
    return status;
}
