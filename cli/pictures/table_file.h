/*
 * A table of numbers with names, read from a result file: .csv, .json, .npz as `zwang run` writes
 * them.
 */
#ifndef CLI_TABLE_FILE_H
#define CLI_TABLE_FILE_H

#include <stdint.h>

#include "command_messages.h"

typedef struct number_table {
    char **names; /* [columns]; owned */
    int32_t columns;
    double *data; /* [columns * rows], column after column; owned */
    int64_t rows;
} number_table;

/* Whether the name has the ending of such a file. */
bool table_is_result(const char *name);
/* False after a report. */
bool table_read(const char *name, number_table *table, message_log *log);
void table_free(number_table *table);
/* An empty table of this size with names of NULL; false: no memory. */
bool table_create(number_table *table, int32_t columns, int64_t rows);

#endif
