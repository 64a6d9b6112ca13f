/*
 * From text to a JSON tree, with mistakes shown at their line and column.
 */
#ifndef CLI_LOAD_H
#define CLI_LOAD_H

#include <jansson.h>

#include "input.h"
#include "command_messages.h"

/* The tree (all numbers are reals), or NULL after a report. json_decref frees it. */
json_t *load_json(const input *in, message_log *log);

#endif
