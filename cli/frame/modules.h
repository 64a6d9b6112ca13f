/*
 * The modules and data beside a model: `use NAME` reads NAME.zw in the model's folder, `data` the file
 * that it names.
 */
#ifndef CLI_MODULES_H
#define CLI_MODULES_H

#include <stdbool.h>
#include <stddef.h>

#include "command_messages.h"
#include "input.h"

typedef struct module {
    char *path; /* owned */
    input in;   /* its name is the path */
} module;

typedef struct module_list {
    message_log *log;
    char *folder;    /* owned; "crane/" of crane/model.zw, "" of the current one */
    module *modules; /* owned, [count] */
    size_t count;
} module_list;

/* For the modules of the model `file`; "-" is standard input. */
void modules_open(module_list *list, const char *file, message_log *log);

/* A zw_module_fn; user is the list. False when there is no such file, or (after a report) when it
 * cannot be read. The text stays until modules_close. */
bool modules_find(void *user, const char *name, const char **file, const char **text,
                  size_t *length);

/* Likewise the text of a file of data, in the model's folder or of the gallery. */
bool modules_data(void *user, const char *name, const char **file, const char **text,
                  size_t *length);

void modules_close(module_list *list);

#endif
