/*
 * What a sub-command is. One file each; its line in the table of commands.c makes it known to the
 * dispatcher, to the suggestions, to `zwang help`, to the manual page and to the completions.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stddef.h>

#include "exit_status.h"
#include "options.h"

/* A sub-command. */
typedef struct command {
    const char *name;
    const char *summary; /* one line without a full stop */
    /* argv[0] is "zwang NAME"; returns the exit status */
    int (*work)(int argc, const char **argv);
    const option_page *page;
} command;

/* All commands, in the order of the page of help (commands.c); command_find gives NULL when there
 * is none of that name. */
extern const command commands[];
extern const size_t command_count;
const command *command_find(const char *name);

/* The names of all, ended by NULL, in memory of the caller's; NULL when there is none. */
const char **command_names(void);

/* Reports that there is no command of that name; returns the exit status. */
int command_refuse(const char *name, message_log *log);

#define COMMAND(name)                                                                              \
    extern const option_page name##_page;                                                          \
    int name##_command(int argc, const char **argv)

COMMAND(check);
COMMAND(derive);
COMMAND(draw);
COMMAND(eval);
COMMAND(linearize);
COMMAND(equilibrium);
COMMAND(example);
COMMAND(explain);
COMMAND(export);
COMMAND(help);
COMMAND(new);
COMMAND(plot);
COMMAND(run);
COMMAND(solve);
COMMAND(sweep);
COMMAND(view);

#endif
