/*
 * From text to a JSON tree, with mistakes shown at their line and column.
 */
#ifndef CLI_LOAD_JSON_H
#define CLI_LOAD_JSON_H

#include <jansson.h>

#include "command_messages.h"
#include "input.h"

/* The tree (all numbers are reals), or NULL after a report. json_decref frees it. */
json_t *load_json(const input *in, message_log *log);

#endif
