/*
 * A page: one HTML file with the bundle of web/dist and, between, what it shows as JSON
 * (docs/CLI.md, The page; web/ has the same as types).
 */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "command_messages.h"

typedef struct page_column {
    const char *name, *kind;
} page_column;

/* Everything it shows; what is NULL is left out. Nothing is owned. */
typedef struct page {
    const char *title, *command, *file;
    const char *text; /* of the model, [text_length] */
    size_t text_length;
    const page_column *columns; /* [column_count], the time first */
    int32_t column_count;
    const double *rows; /* [row_count * width] */
    int64_t row_count;
    int32_t width;
    int64_t row_total; /* of the run; more than row_count: thinned */
    const json_t *scene, *forces, *contacts, *parameters, *events, *constraints;
    const char *trust;
    const char *verdict;   /* lines */
    const char *equations; /* of ZW_REPORT_MATHML */
} page;

/* Writes the page to its file. False after a report. */
bool page_write_file(const page *p, const char *name, message_log *log);

#endif
