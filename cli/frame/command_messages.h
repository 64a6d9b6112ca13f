/*
 * Everything the command says on standard error: diagnostics with a stable code, a place and
 * help. The library keeps the list and formats it; this file owns the codes.
 */
#ifndef CLI_COMMAND_MESSAGES_H
#define CLI_COMMAND_MESSAGES_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <zwang.h>

/* Every code of the command with its meaning. Codes never change and are never used again for
 * something else; W codes are warnings, R codes remarks. docs/CLI.md repeats the table, tests
 * compare them. */
#define MESSAGE_LIST(X)                                                                            \
    X(MSG_COMMAND, "E0801", "no such command")                                                     \
    X(MSG_OPTION, "E0802", "an option is unknown or lacks its value")                              \
    X(MSG_VALUE, "E0803", "the value of an option is not one of those possible")                   \
    X(MSG_ARGUMENTS, "E0804", "too many or too few arguments")                                     \
    X(MSG_TOGETHER, "E0805", "two options exclude each other")                                     \
    X(MSG_NO_CODE, "E0806", "no such message code")                                                \
    X(MSG_NO_EXAMPLE, "E0807", "no such example")                                                  \
    X(MSG_READ, "E0811", "a file cannot be read")                                                  \
    X(MSG_TOO_LARGE, "E0812", "the input is too large")                                            \
    X(MSG_WRITE, "E0813", "the output cannot be written")                                          \
    X(MSG_MEMORY, "E0814", "there is not enough memory")                                           \
    X(MSG_NO_END, "E0815", "a run has no end time")                                                \
    X(MSG_LATE, "E0816", "the time limit of a run is reached")                                     \
    X(MSG_INTERRUPTED, "E0817", "a run was interrupted")                                           \
    X(MSG_NO_METHOD, "E0818", "the method is not part of this build")                              \
    X(MSG_NO_VALUE, "W0819", "a column has no value at some times")                                \
    X(MSG_EXISTS, "E0820", "a file is there already and is not overwritten")                       \
    X(MSG_OVERWRITE, "E0821", "a file that is read is not overwritten")                            \
    X(MSG_RENAMED, "R0821", "a word of an earlier version is read")                                \
    X(MSG_NO_CHECKPOINT, "E0822", "a file is not a checkpoint that can be used")                   \
    X(MSG_OTHER_RUN, "E0823", "a checkpoint is of another run")                                    \
    X(MSG_OLD_CHECKPOINT, "W0824", "a checkpoint is damaged, and the one before is taken")         \
    X(MSG_STATE_ONLY, "R0825", "a method goes on without its past")                                \
    X(MSG_NO_PICTURE, "E0831", "a model says nothing that could be drawn")                         \
    X(MSG_NO_COLUMN, "E0832", "a result has no such column")                                       \
    X(MSG_NO_RESULT, "E0833", "a file is not a result that can be read")                           \
    X(MSG_PLOTS_ONLY, "R0834", "a page shows plots only")                                          \
    X(MSG_THINNED, "R0835", "a page shows some of the rows")                                       \
    X(MSG_NOT_OPENED, "W0836", "a page could not be opened")                                       \
    X(MSG_NOT_WRITTEN_OUT, "E0837", "the equations of many parts are not written out")             \
    X(MSG_OTHER_SWEEP, "E0841", "a journal or a part belongs to another sweep")                    \
    X(MSG_BUSY, "E0842", "another process works on the same sweep")                                \
    X(MSG_PARTS, "E0843", "parts of a sweep are missing")                                          \
    X(MSG_NO_MPI, "E0844", "the command was started by MPI, which it cannot use")                  \
    X(MSG_RANK_LOST, "W0845", "a rank of a sweep has not answered")                                \
    X(MSG_RUNS_FAILED, "W0846", "runs of a sweep failed")                                          \
    X(MSG_DAMAGED, "W0847", "the end of a journal is damaged and is computed again")               \
    X(MSG_NO_FMU, "E0848", "the library that an FMU contains is not there")                        \
    X(MSG_FMU_METHOD, "R0849", "an FMU integrates by another method")                              \
    X(MSG_FMU_EVENTS, "R0850", "an FMU is for Co-Simulation only")                                 \
    X(MSG_SYNTAX, "E0901", "the text is not JSON in UTF-8, or a number does not fit a double")     \
    X(MSG_NOT_PROBLEM, "E0902", "the data are neither a problem nor a list of problems")           \
    X(MSG_FIELD, "E0903", "a field is unknown")                                                    \
    X(MSG_MISSING, "E0904", "a field is missing")                                                  \
    X(MSG_TYPE, "E0905", "a value is of the wrong type")                                           \
    X(MSG_SIZE, "E0906", "a list has the wrong length")                                            \
    X(MSG_RANGE, "E0907", "a value is out of its range")                                           \
    X(MSG_FORM, "E0908", "a form is unknown")                                                      \
    X(MSG_NAME_TWICE, "E0909", "two rows have the same name")                                      \
    X(MSG_NOT_FINITE, "E0921", "a number is infinite or not a number")                             \
    X(MSG_NOT_SYMMETRIC, "E0922", "M or W is not symmetric")                                       \
    X(MSG_INDEFINITE, "E0923", "M is negative in some direction, or W not positive definite")      \
    X(MSG_UNDETERMINED, "E0924", "neither inertia nor a constraint determines some motion")        \
    X(MSG_INCONSISTENT, "E0925", "the form is not defined for inconsistent constraints")           \
    X(MSG_SINGULAR_MASS, "E0926", "the form is not defined for a singular M")                      \
    X(MSG_MAGNITUDE, "E0927", "a number is too large or too small to compute with")                \
    X(MSG_ACCURACY, "E0928", "the answer does not satisfy its own equations closely enough")       \
    X(MSG_INTERNAL, "E0929", "the library refused a call: a defect of the command")                \
    X(MSG_LARGE, "E0930", "the system is too large for the dense solver")                          \
    X(MSG_BINDING, "E0931", "the form is not defined where an inequality binds")                   \
    X(MSG_CONFLICT, "E0932",                                                                       \
      "inequalities contradict each other, and friction needs their forces")                       \
    X(MSG_RANK_UNSURE, "W0941", "the rank of A is not clear-cut")                                  \
    X(MSG_PARADOX, "W0942", "with this friction there is no motion, or more than one")

typedef enum message_code {
#define MESSAGE_ENUM(name, code, meaning) name,
    MESSAGE_LIST(MESSAGE_ENUM)
#undef MESSAGE_ENUM
} message_code;

/* A file that the command has read (same_file.h). */
typedef struct read_file read_file;

/* The messages of one call of the command. Zero it, open it, close it. */
typedef struct message_log {
    zw_context *context;     /* owned; NULL when memory did not suffice even for it */
    zw_diagnostic_form form; /* how print writes */
    bool quiet;              /* leave out warnings and remarks, those of the library too */
    int errors;              /* of the command, reported so far */
    read_file *read;         /* what was read, the last first; owned */
    size_t budget;           /* bytes that may be asked for; 0: not known */
    bool said;               /* by --max-memory */
    message_code later;      /* message_report_later; its sentence is empty: none */
    char later_sentence[160], later_help[80];
} message_log;

void message_log_open(message_log *log);
void message_log_close(message_log *log);
void message_log_forget_files(message_log *log); /* same_file.c; part of close */

/* Adds one. `place` gives file, line, column, length, where and help, as far as they are known
 * (the rest of it is ignored; NULL: nothing is known); the sentence is formatted. */
void message_report(message_log *log, message_code code, const zw_diagnostic *place,
                    const char *format, ...) __attribute__((format(printf, 4, 5)));

void message_report_v(message_log *log, message_code code, const zw_diagnostic *place,
                      const char *format, va_list arguments) __attribute__((format(printf, 4, 0)));

/* A remark about the command line, reported by the next print: reports of the library list what
 * its context knows of the model, and this is no matter of the model. One at most. */
void message_report_later(message_log *log, message_code code, const char *help, const char *format,
                          ...) __attribute__((format(printf, 4, 5)));

/* True when an error, of the command or of the library, waits to be printed. */
bool message_log_has_error(const message_log *log);

/* Forgets all but the first `first`, of those that zw_context_diagnostic_count counts. */
void message_log_forget(message_log *log, int32_t first);

/* Writes all to standard error and forgets them. */
void message_log_print(message_log *log);

/* A string of the user's between quotes; what is longer than 40 characters is cut (the library
 * shows control characters as escapes). Returns buffer. */
enum { QUOTED_SIZE = 200 };
const char *quoted(char buffer[QUOTED_SIZE], const char *text);

#endif
