/*
 * Reads a file or standard input to its end.
 */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "command_messages.h"

typedef struct input {
    const char *name; /* as given, "-" for standard input; not owned */
    char *text;       /* owned, with a NUL after the last byte */
    size_t length;    /* without that NUL */
} input;

/* At most 1 GiB. Reports what went wrong, with the help (or NULL), and returns false. */
bool input_read(const char *name, const char *help, input *in, message_log *log);
void input_clear(input *in);

#endif
