/*
 * popt's loop with our messages: every mistake on the command line is a diagnostic with a code,
 * and an unknown option comes with the one that was probably meant.
 */
#include "options.h"

#include <stdio.h>
#include <string.h>

#include "problem.h"
#include "suggest.h"

enum { MOST_OPTIONS = 64 };

/* "--from" -> "did you mean '--form'? ..." */
static const char *option_help(const char *wrong, const struct poptOption *table, char *buffer,
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

static void report_option(poptContext context, int error, const option_page *page, message_log *log)
{
    const char *wrong = poptBadOption(context, POPT_BADOPTION_NOALIAS);
    char help[160], shown[QUOTED_SIZE];
    zw_diagnostic place = {.file = "zwang"};
    if (error == POPT_ERROR_BADOPT) {
        place.help = option_help(wrong, page->table, help, sizeof help);
        message_report(log, MSG_OPTION, &place, "there is no option %s", quoted(shown, wrong));
    } else {
        place.help = "--help shows all options";
        message_report(log, MSG_OPTION, &place, "option %s: %s", quoted(shown, wrong),
                       error == POPT_ERROR_NOARG ? "its value is missing" : poptStrerror(error));
    }
}

static void show_help(poptContext context, const option_page *page)
{
    poptSetOtherOptionHelp(context, page->arguments);
    poptPrintHelp(context, stdout, 0);
    printf("\n%s", page->about);
    if (page->more) page->more();
}

option_outcome options_read(poptContext context, const option_page *page, message_log *log)
{
    int value;
    while ((value = poptGetNextOpt(context)) > 0) {
        if (value != OPTION_HELP) continue;
        show_help(context, page);
        return OPTIONS_SHOWN;
    }
    if (value == -1) return OPTIONS_READ;
    report_option(context, value, page, log);
    return OPTIONS_WRONG;
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

bool options_take_form(const char *name, zw_form *form, message_log *log)
{
    char help[400];
    return problem_find_form(name, form, help, sizeof help) ||
           options_refuse_value(log, "--form", name, help);
}

void options_print_forms(void)
{
    printf("\nForms:\n");
#define FORM_LINE(symbol, value, text, sentence) printf("  %-14s  %s\n", text, sentence);
    ZW_FORM_LIST(FORM_LINE)
#undef FORM_LINE
}

/* A name was not found: these there are. */
static bool refuse_name(message_log *log, const char *option, const char *name,
                        const char *const *names, size_t count, const char *what)
{
    char help[200];
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
           refuse_name(log, "--kernel", name, kernel_names, kernel_count, "kernels");
}

bool options_take_solver(const char *name, zw_solver *solver, message_log *log)
{
    return zw_solver_find(name, solver) == ZW_OK ||
           refuse_name(log, "--solver", name, solver_names, solver_count, "solvers");
}

void options_print_kernels(void)
{
    printf("\nKernels:\n");
#define KERNEL_LINE(symbol, value, text, sentence) printf("  %-14s  %s\n", text, sentence);
    ZW_KERNEL_LIST(KERNEL_LINE)
#undef KERNEL_LINE
}

void options_print_solvers(void)
{
    printf("\nSolvers:\n");
#define SOLVER_LINE(symbol, value, text, sentence) printf("  %-14s  %s\n", text, sentence);
    ZW_SOLVER_LIST(SOLVER_LINE)
#undef SOLVER_LINE
}
