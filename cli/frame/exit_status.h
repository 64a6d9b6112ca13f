/*
 * The exit statuses of the command, as docs/CLI.md promises them: one list for the code, for the
 * page of help and for the manual page.
 */
#ifndef CLI_EXIT_STATUS_H
#define CLI_EXIT_STATUS_H

#define STATUS_LIST(X)                                                                             \
    X(STATUS_DONE, 0, "done; redundant and contradictory constraints are no errors")               \
    X(STATUS_WRONG_DATA, 1, "the model, the data or a file is wrong")                              \
    X(STATUS_WRONG_USAGE, 2, "wrong usage, an unknown name in an option, no end time")             \
    X(STATUS_STOPPED_EARLY, 3, "a run stopped early; what it computed is kept")                    \
    X(STATUS_INTERRUPTED, 130, "a run was interrupted; what it computed is kept")

enum {
#define STATUS_ENUM(name, value, sentence) name = (value),
    STATUS_LIST(STATUS_ENUM)
#undef STATUS_ENUM
};

#endif
