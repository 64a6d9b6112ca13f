/*
 * A page of the command: what it shows as trees of JSON, for zw_page_write (docs/CLI.md, The page).
 */
#ifndef CLI_PAGE_FILE_H
#define CLI_PAGE_FILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <zwang.h>

#include "command_messages.h"

/* What else the page shows; what is NULL is left out. Nothing is owned. */
typedef struct page_trees {
    const json_t *scene, *forces, *contacts, *parameters, *events, *constraints;
} page_trees;

/* Writes the page to its file, with the style and the script that are built into the command. False
 * after a report. */
bool page_write_file(zw_page page, const page_trees *trees, const char *name, message_log *log);

#endif
