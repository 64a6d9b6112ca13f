/*
 * The answer to one problem, and its JSON text.
 */
#ifndef CLI_ANSWER_H
#define CLI_ANSWER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <zwang.h>

#include "json_layout.h"
#include "problem.h"

typedef struct answer {
    zw_gauss_answer values; /* its arrays lie in `numbers` */
    zw_gauss_rank_info rank;
    zw_diagnosis *diagnosis; /* owned */
    double *basis;           /* owned, [n*n], of which basis_count rows are filled; or NULL */
    int32_t basis_count;
    double *numbers; /* owned */
    bool *flags;     /* owned */
} answer;

/* Memory for the answer to p; false when there is not enough. */
bool answer_create(const problem *p, answer *a);
void answer_clear(answer *a);

/* True when every number of the answer is finite (a Gaussian that does not exist apart). */
bool answer_is_finite(const problem *p, const answer *a);

/* Writes a as a JSON object, each line after the first indented by `indent` spaces, without a
 * line end after the last. */
void answer_write(FILE *out, const problem *p, const answer *a, int indent);

/* The fields alone, for an object that has others besides. */
void answer_write_fields(layout *l, const problem *p, const answer *a);

#endif
