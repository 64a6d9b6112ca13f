/*
 * How the rows of a problem are called in answers and messages: by their names where they have any,
 * else equations by number and inequalities as "at_least[0]".
 */
#ifndef CLI_ROW_NAMES_H
#define CLI_ROW_NAMES_H

#include <stdio.h>

#include "json_layout.h"
#include "problem.h"

enum { ROW_NAME_SIZE = 300 };

/* For people: 'floor', at_least[0], row 2. Returns buffer. */
const char *row_name(const problem *p, int32_t row, char buffer[ROW_NAME_SIZE]);

/* As JSON: "floor", "at_least[0]", 2. */
void write_row_name(FILE *out, const problem *p, int32_t row);

/* A field with the rows from `first` on that have a flag. */
void write_row_list(layout *l, const char *name, const problem *p, int32_t first,
                    const bool *flags);

#endif
