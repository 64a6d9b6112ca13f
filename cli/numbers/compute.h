/*
 * From the numbers of a problem to its answer.
 */
#ifndef CLI_COMPUTE_H
#define CLI_COMPUTE_H

#include <stdbool.h>

#include <zwang.h>

#include "answer.h"
#include "command_messages.h"
#include "problem.h"

/* Fills a, which is zeroed; answer_clear frees it in either case. False after a report. */
bool compute_answer(message_log *log, const problem_place *place, const problem *p, answer *a);

/* The same for a model at the state of its simulation, whose equations p are: by the simulation's
 * own solver where that is the sparse one, or where the model has contacts. */
bool compute_model_answer(message_log *log, const problem_place *place, zw_sim *sim, bool contacts,
                          const problem *p, answer *a);

/* Reports that the library refused with `status`. g: the solver whose call failed, which knows
 * the place; or NULL. Always false. */
bool compute_refuse(message_log *log, const problem_place *place, zw_status status,
                    const zw_gauss *g);

#endif
