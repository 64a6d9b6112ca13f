/*
 * The values of --set: "a=1,b=[2, 3]" twice is four settings at most.
 */
#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "command_messages.h"

typedef struct settings {
    const char **items; /* [count] "b=[2, 3]"; they lie in `text` */
    int32_t count;
    char *text; /* owned */
} settings;

/* Splits words (ended by NULL; or NULL) at the commas outside brackets. False after a report: a
 * setting is not NAME=VALUE. settings_clear frees them in either case. */
bool settings_split(const char *const *words, settings *s, message_log *log);
void settings_clear(settings *s);

#endif
