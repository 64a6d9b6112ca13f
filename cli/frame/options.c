/*
 * Reading options: popt's loop with our messages. Every mistake on the command line is a diagnostic
 * with a code, and an unknown option comes with the one that was probably meant.
 */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "did_you_mean.h"
#include "exit_status.h"
#include "output_file.h"

enum { MOST_OPTIONS = 64 };

/* "--from" -> "did you mean '--form'? ...", in buffer [size], which it returns. */
static const char *help_for_option(const char *wrong, const struct poptOption *table, char *buffer,
                                   size_t size)
{
    const char *names[MOST_OPTIONS];
    size_t count = 0, letters = strspn(wrong, "-");
    char word[64];
    for (; table->longName && count < MOST_OPTIONS; table++) names[count++] = table->longName;
    (void)snprintf(word, sizeof word, "%.*s", (int)strcspn(wrong + letters, "="), wrong + letters);
    const char *nearest = letters >= 2 ? suggest(word, names, count) : NULL;
    if (nearest)
        (void)snprintf(buffer, size, "did you mean '--%s'? --help shows all options", nearest);
    else
        (void)snprintf(buffer, size, "--help shows all options");
    return buffer;
}

/* error: what poptGetNextOpt returned. */
static void report_bad_option(poptContext context, int error, const option_page *page,
                              message_log *log)
{
    const char *wrong = poptBadOption(context, POPT_BADOPTION_NOALIAS);
    char help[160], shown[QUOTED_SIZE];
    zw_diagnostic place = {.file = "zwang"};
    if (error == POPT_ERROR_BADOPT) {
        place.help = help_for_option(wrong, page->table, help, sizeof help);
        message_report(log, MSG_OPTION, &place, "there is no option %s", quoted(shown, wrong));
    } else {
        place.help = "--help shows all options";
        message_report(log, MSG_OPTION, &place, "option %s: %s", quoted(shown, wrong),
                       error == POPT_ERROR_NOARG ? "its value is missing" : poptStrerror(error));
    }
}

/* The values of an option, one a line. */
static void print_values(const option_list *list)
{
    printf("\n%s:\n", list->title);
    for (const option_value *v = list->values; v->name; v++)
        printf("  %-14s  %s\n", v->name, v->sentence);
}

/* Usage and options by popt, then what the page says itself. */
static void print_page(poptContext context, const option_page *page)
{
    poptSetOtherOptionHelp(context, page->arguments);
    poptPrintHelp(context, stdout, 0);
    printf("\n%s", page->about);
    for (size_t k = 0; page->lists && page->lists[k]; k++) print_values(page->lists[k]);
    if (page->examples) printf("\nExamples:\n");
    for (const option_example *e = page->examples; e && e->line; e++)
        printf("  # %s\n  %s\n", e->sentence, e->line);
}

/* With a context of its own, as if `title` had been the whole command line. */
bool options_show_page(const char *title, const option_page *page)
{
    const char *arguments[] = {title, NULL};
    poptContext context = poptGetContext("zwang", 1, arguments, page->table, 0);
    if (context) print_page(context, page);
    (void)poptFreeContext(context);
    return context != NULL;
}

/* popt stores the values in the variables of the table; the loop only looks for --help. */
option_outcome options_read(poptContext context, const option_page *page, message_log *log)
{
    int value;
    while ((value = poptGetNextOpt(context)) > 0) {
        if (value != OPTION_HELP) continue;
        print_page(context, page);
        return OPTIONS_SHOWN;
    }
    if (value == -1) return OPTIONS_READ;
    report_bad_option(context, value, page, log);
    return OPTIONS_WRONG;
}

/* The exit status of a command whose options are `page`. */
static int read_and_work(poptContext context, const option_page *page, option_work *work,
                         message_log *log)
{
    option_outcome outcome = options_read(context, page, log);
    if (outcome == OPTIONS_READ) return work(context, log);
    if (outcome == OPTIONS_WRONG) return STATUS_WRONG_USAGE;
    return output_flush(log) ? STATUS_DONE : STATUS_WRONG_DATA;
}

/* The log is open before the options are read, so that their mistakes are messages too. */
int options_command(int argc, const char **argv, const option_page *page, option_work *work)
{
    message_log log = {0};
    int status = STATUS_WRONG_DATA;
    message_log_open(&log);
    poptContext context = poptGetContext("zwang", argc, argv, page->table, 0);
    if (context && log.context)
        status = read_and_work(context, page, work, &log);
    else
        message_report(&log, MSG_MEMORY, NULL, "there is not enough memory");
    message_log_print(&log);
    message_log_close(&log);
    (void)poptFreeContext(context);
    return status;
}

/* ------------------------------------------------------------- values of options */

bool options_refuse_value(message_log *log, const char *option, const char *value, const char *help)
{
    char shown[QUOTED_SIZE];
    zw_diagnostic place = {.file = "zwang", .help = help};
    message_report(log, MSG_VALUE, &place, "option %s: %s is not possible", option,
                   quoted(shown, value));
    return false;
}

bool options_refuse_together(message_log *log, const char *both, const char *help)
{
    zw_diagnostic place = {.file = "zwang", .help = help};
    message_report(log, MSG_TOGETHER, &place, "%s", both);
    return false;
}

/* Text is the default. */
bool options_take_messages(const char *messages, int quiet, message_log *log)
{
    if (messages && strcmp(messages, "json") == 0)
        log->form = ZW_JSON;
    else if (messages && strcmp(messages, "text") != 0)
        return options_refuse_value(log, "--messages", messages,
                                    "the forms of messages are text and json");
    log->quiet = quiet;
    return true;
}

/* 500M, 1.5G, 64Mi: powers of 1000, or with an i of 1024; a B may follow. 0: it is no such size. */
static double read_size(const char *word)
{
    static const char units[] = "kMGT";
    char *end;
    double size = strtod(word, &end);
    if (end == word || !strchr("0123456789.", word[0]) || strspn(word, "0123456789.") == 0)
        return 0;
    if ((size_t)(end - word) != strspn(word, "0123456789.")) return 0; /* 1e9, 0x10 */
    const char *unit = *end ? strchr(units, *end == 'K' ? 'k' : *end) : NULL;
    if (unit) {
        bool binary = end[1] == 'i';
        for (const char *u = units; u <= unit; u++) size *= binary ? 1024 : 1000;
        end += binary ? 2 : 1;
    }
    if (*end == 'B') end++;
    return *end == '\0' ? size : 0;
}

bool options_take_memory(const char *word, message_log *log)
{
    if (!word) return true;
    double size = read_size(word);
    if (!(size >= 1) || size >= (double)(SIZE_MAX / 2))
        return options_refuse_value(log, "--max-memory", word,
                                    "write a number of bytes, as in 500M or 2G");
    log->budget = (size_t)size;
    log->said = true;
    return !log->context || zw_context_set_budget(log->context, log->budget) == ZW_OK;
}

/* The names are those of the library's list. */
bool options_find_form(const char *name, zw_form *form, char *help, size_t size)
{
    static const char *const names[] = {
#define FORM_NAME(symbol, value, text, sentence) text,
        ZW_FORM_LIST(FORM_NAME)
#undef FORM_NAME
    };
    if (zw_form_find(name, form) == ZW_OK) return true;
    suggest_help(help, size, name, names, sizeof names / sizeof *names, "forms");
    return false;
}

bool options_take_form(const char *name, zw_form *form, message_log *log)
{
    char help[400];
    return options_find_form(name, form, help, sizeof help) ||
           options_refuse_value(log, "--form", name, help);
}

bool options_refuse_name(message_log *log, const char *option, const char *name,
                         const char *const *names, size_t count, const char *what)
{
    char help[300];
    suggest_help(help, sizeof help, name, names, count, what);
    return options_refuse_value(log, option, name, help);
}

#define NAME(symbol, value, text, sentence) text,
static const char *const kernel_names[] = {ZW_KERNEL_LIST(NAME)};
static const char *const solver_names[] = {ZW_SOLVER_LIST(NAME)};
#undef NAME
enum {
    kernel_count = sizeof kernel_names / sizeof *kernel_names,
    solver_count = sizeof solver_names / sizeof *solver_names
};

bool options_take_kernel(const char *name, zw_kernel *kernel, message_log *log)
{
    return zw_kernel_find(name, kernel) == ZW_OK ||
           options_refuse_name(log, "--kernel", name, kernel_names, kernel_count, "kernels");
}

/* The library reads names of earlier versions, too; `name` is one where it is not that of `now`. */
static void remark_renamed(message_log *log, const char *option, const char *name, const char *now)
{
    char help[80];
    if (strcmp(name, now) == 0) return;
    (void)snprintf(help, sizeof help, "write %s %s", option, now);
    message_report_later(log, MSG_RENAMED, help, "option %s: '%s' is called '%s' now", option, name,
                         now);
}

bool options_take_solver(const char *name, zw_solver *solver, message_log *log)
{
    if (zw_solver_find(name, solver) != ZW_OK)
        return options_refuse_name(log, "--solver", name, solver_names, solver_count, "solvers");
    remark_renamed(log, "--solver", name, zw_solver_name(*solver));
    return true;
}

/* ------------------------------------------------------- what they are, with sentences */

/* clang-format off */
#define VALUE(symbol, value, text, sentence) {text, sentence},
#define VALUES(list) (const option_value[]){list(VALUE) {NULL, NULL}}
/* clang-format on */

const option_list option_forms = {"form", "Forms", VALUES(ZW_FORM_LIST)};
const option_list option_kernels = {"kernel", "Kernels", VALUES(ZW_KERNEL_LIST)};
const option_list option_methods = {"method", "Methods", VALUES(ZW_METHOD_LIST)};
const option_list option_solvers = {"solver", "Solvers", VALUES(ZW_SOLVER_LIST)};
const option_list option_stabilize = {"stabilize", "Ways to stabilize", VALUES(ZW_STABILIZE_LIST)};

bool options_takes_value(const struct poptOption *table, const char *word)
{
    for (; table->longName || table->shortName; table++) {
        if ((table->argInfo & POPT_ARG_MASK) == POPT_ARG_NONE) continue;
        if (word[1] == '-' && table->longName && strcmp(word + 2, table->longName) == 0)
            return true;
        if (word[1] != '-' && word[1] == table->shortName && word[2] == '\0') return true;
    }
    return false;
}

bool options_take_count(const char *option, const char *word, int64_t least, int64_t most,
                        int64_t *count, message_log *log)
{
    char *end = NULL, help[120];
    if (!word) return true;
    double x = strtod(word, &end); /* 1e6 is a number, too */
    *count = x >= (double)least && x <= (double)most ? (int64_t)x : 0;
    if (end != word && *end == '\0' && (double)*count == x && x >= (double)least)
        return true; /* NOLINT: whole */
    (void)snprintf(help, sizeof help, "write a whole number from %lld to %lld", (long long)least,
                   (long long)most);
    return options_refuse_value(log, option, word, help);
}
