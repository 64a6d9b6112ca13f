/*
 * `zwang solve` without its command line: for the command, and for fuzzing.
 */
#ifndef CLI_COMMAND_SOLVE_H
#define CLI_COMMAND_SOLVE_H

#include <stdbool.h>
#include <stdio.h>

#include <zwang.h>

#include "command_messages.h"
#include "input.h"

typedef struct solve_job {
    message_log *log;
    const zw_form *form; /* for all problems; NULL: as the data say */
    bool silent;         /* no progress */
} solve_job;

/* Reads the problem or the list of problems in `in` and writes the answers to `out` as JSON.
 * False when anything is wrong, which is reported; what `out` holds is then of no use. */
bool solve_text(const solve_job *job, const input *in, FILE *out);

#endif
