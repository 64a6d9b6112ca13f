/*
 * Reading the command line of `zwang run`: from the words of its options to values. Nothing here
 * knows the model: what depends on it (names of columns, whether a time lies within the run) is
 * judged later.
 */
#include <ctype.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "run_command.h"

/* ------------------------------------------------------------------------- numbers */

/* A finite decimal number that ends at *end, whatever the locale (which is never set). */
static bool read_number(const char *word, double *x, const char **end)
{
    char *after;
    *x = strtod(word, &after);
    *end = after;
    if (after == word || !isfinite(*x)) return false;
    for (const char *c = word; c < after; c++)
        if (!strchr("0123456789+-.eE ", *c)) return false; /* 0x10, infinity */
    return true;
}

/* Numbers between commas, at most `most`. Their count; 0 when a word is not such a list. */
static int64_t read_number_list(const char *word, double *x, int64_t most)
{
    for (int64_t k = 0; k < most; k++) {
        const char *end;
        if (!read_number(word, &x[k], &end)) return 0;
        while (*end == ' ') end++;
        if (*end == '\0') return k + 1;
        if (*end != ',') return 0;
        word = end + 1;
    }
    return 0;
}

/* An option that takes one number, between the limits (both excluded). */
typedef struct number_option {
    const char *name, *word; /* word NULL: not given, and then x stays */
    double *x;
    double above, below;
    const char *help;
} number_option;

/* False after a report. */
static bool take_number_option(const number_option *n, message_log *log)
{
    double x;
    if (!n->word) return true;
    if (read_number_list(n->word, &x, 1) != 1 || !(x > n->above) || !(x < n->below))
        return options_refuse_value(log, n->name, n->word, n->help);
    *n->x = x;
    return true;
}

/* All options that take one number. False after a report. */
static bool take_number_options(run_options *o, message_log *log)
{
    zw_run_settings *s = &o->given;
    double steps = 0;
    const number_option list[] = {
        {"--until", o->until, &s->until, -HUGE_VAL, HUGE_VAL, "write a time, as in --until 10"},
        {"--tol", o->tol, &s->tol, 0, 1, "write a number between 0 and 1, as in --tol 1e-9"},
        {"--abs-tol", o->abs_tol, &s->abs_tol, 0, HUGE_VAL,
         "write a positive number, as in --abs-tol 1e-12"},
        {"--every", o->every, &s->every, 0, HUGE_VAL,
         "write a positive interval of time, as in --every 0.01"},
        {"--step", o->step, &s->step, 0, HUGE_VAL,
         "write a positive interval of time, as in --step 0.001"},
        {"--max-steps", o->max_steps, &steps, 0, 9e15,
         "write a positive whole number, as in --max-steps 100000"},
        {"--patience", o->patience, &s->patience, 0, HUGE_VAL,
         "write a positive number of steps, as in --patience 1e9"},
        {"--max-time", o->max_time, &o->seconds, 0, HUGE_VAL,
         "write a positive number of seconds, as in --max-time 60"},
        {"--checkpoint-every", o->checkpoint_every, &o->pause, 0, HUGE_VAL,
         "write a positive number of seconds, as in --checkpoint-every 60"},
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        if (!take_number_option(&list[k], log)) return false;
    if (o->max_steps && steps != floor(steps))
        return options_refuse_value(log, "--max-steps", o->max_steps,
                                    "write a positive whole number, as in --max-steps 100000");
    s->max_steps = (int64_t)steps;
    return true;
}

/* -------------------------------------------------------------------- lists of numbers */

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The times of --at, sorted and each once. False after a report. */
static bool take_row_times(run_options *o, message_log *log)
{
    if (!o->at) return true;
    int64_t most = 1, kept = 0;
    for (const char *c = o->at; *c; c++) most += *c == ',';
    o->times = calloc((size_t)most, sizeof *o->times);
    if (!o->times) {
        message_report(log, MSG_MEMORY, NULL, "there is not enough memory for the times");
        return false;
    }
    int64_t count = read_number_list(o->at, o->times, most);
    if (count == 0)
        return options_refuse_value(log, "--at", o->at,
                                    "write times separated by commas, as in --at 0,0.5,1");
    qsort(o->times, (size_t)count, sizeof *o->times, compare_times);
    for (int64_t k = 0; k < count; k++)
        if (kept == 0 || o->times[k] > o->times[kept - 1]) o->times[kept++] = o->times[k];
    o->time_count = kept;
    return true;
}

/* --baumgarte omega[,zeta] chooses that way of stabilizing. */
static bool take_baumgarte_option(run_options *o, message_log *log)
{
    double x[2] = {0, 1};
    if (!o->baumgarte) return true;
    if (read_number_list(o->baumgarte, x, 2) == 0 || !(x[0] > 0) || !(x[1] > 0))
        return options_refuse_value(log, "--baumgarte", o->baumgarte,
                                    "write a frequency, or a frequency and a damping ratio, both "
                                    "positive, as in --baumgarte 10,1");
    o->given.stabilize = ZW_BAUMGARTE;
    o->given.omega = x[0];
    o->given.zeta = x[1];
    return true;
}

/* ------------------------------------------------------------------------- names */

/* By the library's names. False after a report. */
static bool take_method_option(run_options *o, message_log *log)
{
    static const char *const names[] = {
#define METHOD_NAME(symbol, value, text, sentence) text,
        ZW_METHOD_LIST(METHOD_NAME)
#undef METHOD_NAME
    };
    return !o->method || zw_method_find(o->method, &o->given.method) == ZW_OK ||
           options_refuse_name(log, "--method", o->method, names, sizeof names / sizeof *names,
                               "methods");
}

/* By the library's names. False after a report. */
static bool take_stabilize_option(run_options *o, message_log *log)
{
    static const char *const names[] = {
#define STABILIZE_NAME(symbol, value, text, sentence) text,
        ZW_STABILIZE_LIST(STABILIZE_NAME)
#undef STABILIZE_NAME
    };
    return !o->stabilize || zw_stabilize_find(o->stabilize, &o->given.stabilize) == ZW_OK ||
           options_refuse_name(log, "--stabilize", o->stabilize, names,
                               sizeof names / sizeof *names, "ways");
}

/* By the library's names. False after a report. */
static bool take_hold_option(run_options *o, message_log *log)
{
    if (!o->hold || zw_hold_find(o->hold, &o->given.hold) == ZW_OK) return true;
    return options_refuse_value(log, "--hold", o->hold, "write --hold energy or --hold nothing");
}

/* ----------------------------------------------------------------------- the output */

static const struct {
    const char *ending;
    zw_result_format format;
} endings[] = {
#define ENDING(name, value, word, sentence) {"." #word, name},
    ZW_RESULT_LIST(ENDING)
#undef ENDING
};
enum { ending_count = sizeof endings / sizeof *endings };

/* Which endings there are: ".csv, .json or .npz" after `before`, in help [size]. */
static void list_endings(const char *before, char *help, size_t size)
{
    size_t length = (size_t)snprintf(help, size, "%s", before);
    for (size_t k = 0; k < ending_count && length < size; k++) {
        const char *sign = k == 0 ? "" : k + 1 < ending_count ? "," : " or";
        length += (size_t)snprintf(help + length, size - length, "%s %s", sign, endings[k].ending);
    }
}

/* The layout of a .mat; NULL: OpenModelica's. False after a report. */
static bool take_mat_layout(run_options *o, message_log *log)
{
    if (!o->mat) return true;
    bool plain = strcmp(o->mat, "plain") == 0;
    if (!plain && strcmp(o->mat, "openmodelica") != 0)
        return options_refuse_value(log, "--mat", o->mat, "write plain or openmodelica");
    if (o->format != ZW_RESULT_MAT)
        return options_refuse_value(log, "--mat", o->mat, "it goes with -o FILE.mat");
    if (plain) o->format = ZW_RESULT_MAT_PLAIN;
    return true;
}

/* By the ending of the file's name; standard output, devices and pipes without one get CSV. */
static bool find_format(run_options *o, message_log *log)
{
    const char *name = o->common.output;
    o->format = ZW_RESULT_CSV;
    if (!name || strcmp(name, "-") == 0) return take_mat_layout(o, log);
    size_t length = strlen(name);
    for (size_t k = 0; k < ending_count; k++) {
        size_t tail = strlen(endings[k].ending);
        if (length <= tail || strcasecmp(name + length - tail, endings[k].ending) != 0) continue;
        o->format = endings[k].format;
        return take_mat_layout(o, log);
    }
    struct stat about;
    if (stat(name, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode)) return true;
    char help[200];
    list_endings("the ending says what is written:", help, sizeof help);
    return options_refuse_value(log, "--output", name, help);
}

/* ------------------------------------------------------------------- what excludes what */

/* Checkpoints need a file of their own and one for the rows. False after a report. */
static bool check_checkpoint(const run_options *o, message_log *log)
{
    const char *rows = o->common.output;
    if (!o->checkpoint && (o->resume || o->checkpoint_every))
        return options_refuse_together(log, "--resume and --checkpoint-every need --checkpoint",
                                       "name the file of the checkpoint by --checkpoint FILE");
    if (!o->checkpoint) return true;
    if (strcmp(o->checkpoint, "-") == 0 || !o->checkpoint[0])
        return options_refuse_value(log, "--checkpoint", o->checkpoint, "name a file");
    if (!rows || strcmp(rows, "-") == 0)
        return options_refuse_together(log, "--checkpoint needs a file for the rows",
                                       "name it by -o FILE: rows grow in FILE.part meanwhile");
    return true;
}

/* Options that cannot be given together. False after a report. */
static bool check_exclusions(const run_options *o, message_log *log)
{
    const char *rows = o->common.output ? o->common.output : "-";
    if (o->every && o->at)
        return options_refuse_together(log, "--every and --at exclude each other",
                                       "choose one of them, or neither for 500 equal intervals");
    if (o->baumgarte && o->stabilize && strcmp(o->stabilize, "baumgarte") != 0)
        return options_refuse_together(
            log, "--baumgarte and another way to --stabilize exclude each other",
            "leave out one of them");
    if (o->common.statistics && strcmp(o->common.statistics, rows) == 0)
        return options_refuse_together(
            log, "--stats and the rows cannot go to the same place",
            "name a file for the rows by -o FILE, or another one by --stats");
    if (o->events && strcmp(o->events, rows) == 0)
        return options_refuse_together(
            log, "--events and the rows cannot go to the same place",
            "name a file for the rows by -o FILE, or another one by --events");
    if (o->events && o->common.statistics && strcmp(o->events, o->common.statistics) == 0)
        return options_refuse_together(log, "--events and --stats cannot go to the same place",
                                       "name another file for one of them");
    return true;
}

/* One option after another. */
bool run_take_values(run_options *o, message_log *log)
{
    o->seconds = HUGE_VAL;
    o->pause = 60;
    bool form = true;
    if (!take_number_options(o, log) || !take_row_times(o, log) || !take_method_option(o, log) ||
        !take_stabilize_option(o, log) || !take_hold_option(o, log) ||
        !take_baumgarte_option(o, log) ||
        (o->kernel && !options_take_kernel(o->kernel, &o->given.kernel, log)))
        return false;
    if (o->form) form = options_take_form(o->form, &o->given.form, log);
    return form && model_take_inconsistent(o->inconsistent, &o->given.accept_inconsistent, log);
}

/* What excludes each other first. */
bool run_take(run_options *o, message_log *log)
{
    bool taken = check_exclusions(o, log) && check_checkpoint(o, log) && run_take_values(o, log) &&
                 find_format(o, log);
    /* which would end the process until the run has begun */
    if (taken && o->checkpoint) (void)signal(SIGUSR1, SIG_IGN);
    return taken;
}

/* What is given replaces what the model says. */
void run_apply(const run_options *o, zw_run_settings *s)
{
    const zw_run_settings *given = &o->given;
    if (o->until) s->until = given->until;
    if (o->tol) s->tol = given->tol;
    if (o->abs_tol) s->abs_tol = given->abs_tol;
    if (o->every) s->every = given->every;
    if (o->step) s->step = given->step;
    if (o->method) s->method = given->method;
    if (o->stabilize || o->baumgarte) s->stabilize = given->stabilize;
    if (o->baumgarte) s->omega = given->omega, s->zeta = given->zeta;
    if (o->form) s->form = given->form;
    if (o->kernel) s->kernel = given->kernel;
    if (o->hold) s->hold = given->hold;
    if (o->max_steps) s->max_steps = given->max_steps;
    if (o->patience) s->patience = given->patience;
    if (o->inconsistent) s->accept_inconsistent = given->accept_inconsistent;
}

/* A method has defaults of its own. */
zw_status run_settings_find(const run_options *o, const zw_model *model, zw_run_settings *settings)
{
    zw_status status = o->method ? zw_run_defaults_by(model, o->given.method, settings)
                                 : zw_run_defaults(model, settings);
    if (status == ZW_OK) run_apply(o, settings);
    return status;
}

/* Not the common options, which model_command frees. */
void run_options_clear(run_options *o)
{
    char *words[] = {o->until,    o->tol,    o->abs_tol,   o->every,      o->at,
                     o->columns,  o->method, o->stabilize, o->baumgarte,  o->inconsistent,
                     o->form,     o->kernel, o->step,      o->max_steps,  o->patience,
                     o->max_time, o->report, o->events,    o->checkpoint, o->checkpoint_every,
                     o->hold};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) free(words[k]);
    free(o->times);
}
