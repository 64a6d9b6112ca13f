/*
 * Options of the commands that look at one state of a model (state_options.c).
 */
#ifndef CLI_STATE_OPTIONS_H
#define CLI_STATE_OPTIONS_H

#include "model_command.h"

typedef struct state_options {
    char *time, *state, *inconsistent; /* by popt, owned; NULL when not given */
    double t;
    bool accept;
} state_options;

/* clang-format off */
#define STATE_OPTIONS(o)                                                                           \
    {"time", 0, POPT_ARG_STRING, &(o).time, 0, "at this time", "T"},                               \
    {"state", 0, POPT_ARG_STRING, &(o).state, 0, "at these values", "\"x=1, x'=0\""}
/* clang-format on */

/* The words that were given. False after a report. */
bool state_take(state_options *o, message_log *log);
/* A number of an option, unless it is NULL. False after a report. */
bool state_take_time(const char *option, const char *word, double *t, message_log *log);
void state_free(state_options *o);

/* Brings the simulation to the state that is asked for. */
zw_status state_find(const state_options *o, model_job *job, zw_sim *sim);

#endif
