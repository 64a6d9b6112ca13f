/*
 * Everything a model says at one instant: the state, the numbers of the equations, names.
 */
#ifndef CLI_EVAL_INSTANT_H
#define CLI_EVAL_INSTANT_H

#include <stdbool.h>
#include <stdint.h>

#include <zwang.h>

#include "answer.h"
#include "command_messages.h"
#include "json_layout.h"
#include "problem.h"

typedef struct instant {
    const zw_model *model;
    double t;
    double *q, *v;            /* [n] */
    double *value, *rate;     /* [m], as zw_instant has them */
    double *C, *W;            /* [n], [m*m]: zeros and the identity where the model has none */
    zw_contact *contacts;     /* [contacts of the model]; owned */
    const char **coordinates; /* [n] names */
    problem p;                /* M, Q, A, b, the names of the rows; C and W of above or NULL */
    double *numbers;          /* owned: all of these arrays */
    char *names;              /* owned: all strings */
} instant;

/* Memory for the model's sizes, and the names. False after a report; instant_clear frees it in
 * either case. */
bool instant_create(const zw_model *model, const char *file, message_log *log, instant *at);
void instant_clear(instant *at);

/* Fills it with what the simulation says at its state. */
zw_status instant_take(instant *at, zw_sim *sim);

/* Writes one JSON object: the state, the answer, the equations, the constraints, the contacts. */
void instant_write(FILE *out, const instant *at, const answer *a);

#endif
