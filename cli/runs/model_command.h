/*
 * What the commands that take a MODEL share: their common options, reading and compiling the
 * model with the modules beside it, and where their result goes.
 *
 * A command is a model_task: its table of options (which ends with MODEL_OPTIONS and OPTIONS_END),
 * a function that looks at the words given to its own options, and one that does the work once
 * the model is compiled.
 */
#ifndef CLI_MODEL_COMMAND_H
#define CLI_MODEL_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include <zwang.h>

#include "command_messages.h"
#include "input.h"
#include "options.h"

/* The options that all of them have. */
typedef struct model_options {
    /* by popt, owned; NULL when not given */
    char *output, *messages, *solver, *lanes, *threads, *memory;
    char *statistics;                         /* a second file to be written, of `zwang run` */
    const char *report, *events, *checkpoint; /* and three more; not owned */
    char **set, **input;                      /* end with NULL */
    int quiet;
    const char *file; /* MODEL; not owned */
} model_options;

/* clang-format off */
#define MODEL_OPTIONS(o)                                                                           \
    {"set", 0, POPT_ARG_ARGV, &(o).set, 0,                                                         \
     "give a parameter another value; several: repeat it, or a=1,b=2", "NAME=VALUE"},             \
    {"input", 0, POPT_ARG_ARGV, &(o).input, 0,                                                     \
     "let an input of the model be a function of time, or follow FILE.csv:COLUMN", "NAME=EXPRESSION"}, \
    {"output", 'o', POPT_ARG_STRING, &(o).output, 0,                                               \
     "write the result to FILE; - is standard output", "FILE"},                                    \
    {"max-memory", 0, POPT_ARG_STRING, &(o).memory, 0,                                             \
     "at most so much memory, as in 500M; half of what is available at first", "SIZE"},            \
    {"messages", 0, POPT_ARG_STRING, &(o).messages, 0,                                             \
     "errors, warnings and remarks as text or as json", "text|json"},                              \
    {"quiet", 'q', POPT_ARG_NONE, &(o).quiet, 0, "no warnings and no remarks", NULL}

/* Of the commands that solve. */
#define SOLVER_OPTION(o)                                                                           \
    {"solver", 0, POPT_ARG_STRING, &(o).solver, 0,                                                 \
     "full matrices, only what is not 0 of them, or equal parts side by side",                     \
     "dense|sparse|parts|auto"}
/* Of those that run. */
#define LANES_OPTION(o)                                                                            \
    {"lanes", 0, POPT_ARG_STRING, &(o).lanes, 0,                                                   \
     "so many numbers side by side; the bits are the same", "4|8"}
#define THREADS_OPTION(o)                                                                          \
    {"threads", 0, POPT_ARG_STRING, &(o).threads, 0,                                               \
     "so many threads for a large model; the bits are the same", "N"}
/* Of the commands that stop at the start; `word` takes it. */
#define INCONSISTENT_OPTION(word)                                                                  \
    {"inconsistent", 0, POPT_ARG_STRING, &(word), 0,                                               \
     "take the nearest compromise where the start cannot satisfy all constraints", "accept"}
/* clang-format on */

/* One call of a command with its compiled model. */
struct module_list;
typedef struct model_job {
    message_log log;
    const struct module_list *texts; /* of modules and data that were read; not owned */
    const char *file;                /* of the model, as it stands in messages */
    const char *text;                /* of it, [length]; not owned */
    size_t length;
    zw_model *model;               /* owned by the driver */
    const zw_model_source *source; /* that it was compiled from, with all texts; not owned */
    uint64_t modules;              /* a hash of the modules and data beside it */
    FILE *out;                     /* the result, kept in memory until the end */
    bool result;                   /* set by the task: what `out` holds is to be written */
} model_job;

/* What a command that takes a MODEL does; `self` is handed to its functions. */
typedef struct model_task {
    const option_page *page;
    model_options *options;
    /* False after a report: wrong usage. May be NULL. */
    bool (*take)(void *self, message_log *log);
    /* The work itself; returns the exit status. */
    int (*work)(void *self, model_job *job);
    void *self;
} model_task;

/* The whole command; returns the exit status. Frees what popt stored in the options. */
int model_command(int argc, const char **argv, const model_task *task);

/* The exit status after a call of the library. Unless the library has said itself what is wrong,
 * reports its sentence. */
int model_outcome(model_job *job, zw_status status);

/* The value of --inconsistent (NULL: not given). False after a report. */
bool model_take_inconsistent(const char *word, bool *accept, message_log *log);

/* For the functions of the library that write piece by piece; user is a FILE. */
bool model_write(void *user, const char *bytes, size_t size);

#endif
