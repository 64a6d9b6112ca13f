/*
 * The answer to a problem with friction: how many motions there are, and each of them.
 */
#ifndef CLI_FRICTION_ANSWER_H
#define CLI_FRICTION_ANSWER_H

#include <stdbool.h>
#include <stdio.h>

#include <zwang.h>

#include "command_messages.h"
#include "problem.h"

typedef struct friction_answer {
    zw_friction_answer values; /* its arrays lie in `numbers`, `states` and `flags` */
    double *numbers;           /* owned, as the others */
    zw_friction_state *states;
    bool *flags;
    int32_t tangents; /* of all frictions */
} friction_answer;

/* Fills a, which is zeroed; friction_answer_clear frees it in either case. False after a report. */
bool compute_friction(message_log *log, const problem_place *place, const problem *p,
                      friction_answer *a);
void friction_answer_clear(friction_answer *a);

/* As answer_write. */
void friction_answer_write(FILE *out, const problem *p, const friction_answer *a, int indent);

#endif
