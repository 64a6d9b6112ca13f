/*
 * Writes a finished text to standard output or to a file, whole or not at all.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "messages.h"

/* Opens the three standard streams that the caller has closed, so that no file of ours takes
 * their place and what is written to them fails. First thing in main. */
void output_protect_streams(void);

/* name "-": standard output. Otherwise the text goes to a new file beside `name`, which then
 * takes its name; devices and pipes are written directly. Reports what went wrong and returns
 * false. */
bool output_write(const char *name, const char *text, size_t length, message_log *log);

/* For what was written to stdout with stdio: sends it off. False after a report. */
bool output_flush(message_log *log);

#endif
