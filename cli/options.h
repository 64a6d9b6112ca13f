/*
 * The options of a sub-command, by popt: one table drives parsing, help and suggestions.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <popt.h>

#include "messages.h"

/* The value of the option --help; every table ends with OPTIONS_END, which holds it. */
enum { OPTION_HELP = 1000 };

/* clang-format off */
#define OPTIONS_END                                                                                \
    {"help", 'h', POPT_ARG_NONE, NULL, OPTION_HELP, "show this help", NULL},                       \
    POPT_TABLEEND
/* clang-format on */

typedef struct option_page {
    const struct poptOption *table;
    const char *arguments; /* the command line in short, "[OPTION...] [FILE]" */
    const char *about;     /* what to read below the options; ends with a line end */
    void (*more)(void);    /* prints what comes below that; or NULL */
} option_page;

typedef enum option_outcome {
    OPTIONS_READ,  /* go on */
    OPTIONS_SHOWN, /* help was asked for and is on standard output */
    OPTIONS_WRONG  /* reported */
} option_outcome;

/* Reads all options of `context`, which was made with the page's table. */
option_outcome options_read(poptContext context, const option_page *page, message_log *log);

/* Reports that `value` is not possible for `option` ("--form"). Always false. */
bool options_refuse_value(message_log *log, const char *option, const char *value,
                          const char *help);

/* The values of --messages (NULL: not given) and --quiet, for the log. */
bool options_take_messages(const char *messages, int quiet, message_log *log);

/* The value of --form. options_print_forms prints what there is, for a page of help. */
bool options_take_form(const char *name, zw_form *form, message_log *log);
void options_print_forms(void);

/* Likewise the value of --kernel. */
bool options_take_kernel(const char *name, zw_kernel *kernel, message_log *log);
void options_print_kernels(void);

/* And of --solver. */
bool options_take_solver(const char *name, zw_solver *solver, message_log *log);
void options_print_solvers(void);

#endif
