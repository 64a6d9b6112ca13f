/*
 * What a sub-command is. One file each; its line in the table of main.c makes it known to the
 * dispatcher, to `zwang help` and to the suggestions.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

/* Exit statuses, as docs/CLI.md promises them. */
enum {
    STATUS_DONE = 0,
    STATUS_WRONG_DATA = 1,    /* the model, the data or a file */
    STATUS_WRONG_USAGE = 2,   /* the command line */
    STATUS_STOPPED_EARLY = 3, /* a run, before its end */
    STATUS_INTERRUPTED = 130, /* likewise, by a signal */
};

typedef struct command {
    const char *name;
    const char *summary; /* one line without a full stop */
    /* argv[0] is "zwang NAME"; returns the exit status */
    int (*run)(int argc, const char **argv);
} command;

int check_command(int argc, const char **argv);
int derive_command(int argc, const char **argv);
int eval_command(int argc, const char **argv);
int explain_command(int argc, const char **argv);
int run_command(int argc, const char **argv);
int solve_command(int argc, const char **argv);

#endif
