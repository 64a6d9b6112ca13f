/*
 * The options of a sub-command, by popt: one table drives parsing, help, suggestions, the manual
 * page and the completions.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <popt.h>
#include <stdint.h>

#include "command_messages.h"

/* The value of the option --help; every table ends with OPTIONS_END, which holds it. */
enum { OPTION_HELP = 1000 };

/* clang-format off */
#define OPTIONS_END                                                                                \
    {"help", 'h', POPT_ARG_NONE, NULL, OPTION_HELP, "show this help", NULL},                       \
    POPT_TABLEEND
/* clang-format on */

/* What the value of an option can be, with a line on each. */
typedef struct option_value {
    const char *name, *sentence;
} option_value;

/* The values of one option, as a page lists them. */
typedef struct option_list {
    const char *option; /* its long name */
    const char *title;
    const option_value *values; /* ended by a name that is NULL */
} option_list;

extern const option_list option_forms, option_kernels, option_methods, option_solvers,
    option_stabilize;

/* A line that works, for the current folder after `zwang example rolling_disc --copy`. */
typedef struct option_example {
    const char *sentence, *line;
} option_example;

/* All there is to say about the command line of a command. */
typedef struct option_page {
    const struct poptOption *table;
    const char *arguments; /* the command line in short, "[OPTION...] [FILE]" */
    const char *about;     /* what to read below the options; ends with a line end. A line that
                            * begins with two blanks is one of a table: "  M    mass matrix" */
    const option_list *const *lists; /* ended by NULL; or NULL */
    const option_example *examples;  /* ended by a line that is NULL; or NULL */
    /* What the argument can be, ended by NULL, in memory of the caller's; NULL: a file. */
    const char **(*names)(void);
} option_page;

typedef enum option_outcome {
    OPTIONS_READ,  /* go on */
    OPTIONS_SHOWN, /* help was asked for and is on standard output */
    OPTIONS_WRONG  /* reported */
} option_outcome;

/* A whole command that has no MODEL: reads its options and, unless help was all that was asked for,
 * has `work` do the rest. Both return the exit status. Messages are printed at the end. */
typedef int option_work(poptContext context, message_log *log);
int options_command(int argc, const char **argv, const option_page *page, option_work *work);

/* Reads all options of `context`, which was made with the page's table. */
option_outcome options_read(poptContext context, const option_page *page, message_log *log);

/* Whether a word of the command line, "--at" or "-o", is an option of the table that takes the next
 * word as its value. */
bool options_takes_value(const struct poptOption *table, const char *word);

/* Prints the page as `zwang COMMAND --help` does; `title` is "zwang COMMAND". False: no memory. */
bool options_show_page(const char *title, const option_page *page);

/* Reports that `value` is not possible for `option` ("--form"). Always false. */
bool options_refuse_value(message_log *log, const char *option, const char *value,
                          const char *help);
/* The same where it is none of names [count], `what` they are: the help says which there are. */
bool options_refuse_name(message_log *log, const char *option, const char *name,
                         const char *const *names, size_t count, const char *what);

/* Reports that two options do not go together, in the words of `both`. Always false. */
bool options_refuse_together(message_log *log, const char *both, const char *help);

/* The values of --messages (NULL: not given) and --quiet, for the log. */
bool options_take_messages(const char *messages, int quiet, message_log *log);

/* The value of --max-memory, for the log and its context; NULL: not given. */
bool options_take_memory(const char *word, message_log *log);

/* The form of that name. False when there is none; help [size] then says which there are. */
bool options_find_form(const char *name, zw_form *form, char *help, size_t size);

/* The value of --form, of --kernel, of --solver. */
bool options_take_form(const char *name, zw_form *form, message_log *log);
bool options_take_kernel(const char *name, zw_kernel *kernel, message_log *log);
bool options_take_solver(const char *name, zw_solver *solver, message_log *log);

/* A whole number of an option, from `least` to `most`; word NULL: none is given, and *count stays. */
bool options_take_count(const char *option, const char *word, int64_t least, int64_t most,
                        int64_t *count, message_log *log);

#endif
