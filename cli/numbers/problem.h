/*
 * One problem: the numbers of a JSON object, with their shapes checked, or those of a model.
 */
#ifndef CLI_PROBLEM_H
#define CLI_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include <zwang.h>

#include "command_messages.h"

typedef struct problem {
    int32_t n, m;          /* coordinates, rows of A */
    zw_matrix_kind mass;   /* ZW_FULL or ZW_DIAGONAL */
    zw_matrix_kind weight; /* of W; ZW_IDENTITY when it is not given */
    /* owned; row-major */
    double *M;          /* [n*n] or [n] */
    double *Q;          /* [n] */
    double *A;          /* [m*n]; may be NULL when m is 0 */
    double *b;          /* [m]; may be NULL when m is 0 */
    double *C;          /* [n] or NULL */
    double *W;          /* [m*m], [m] or NULL */
    const char **names; /* [m] or NULL; the strings belong to the JSON tree, or to `eval` */
    zw_form form;
    double rank_tolerance; /* 0: the library's own */
    bool basis;
} problem;

/* Where a problem stands. */
typedef struct problem_place {
    const char *file;
    int64_t index; /* in the list of problems; -1 when there is no list */
    bool model;    /* the file is a model: the numbers were derived from it */
} problem_place;

/* The prefix of every place in a problem: "[3]", or "" without a list. Returns buffer. */
enum { PLACE_SIZE = 96 };
const char *problem_prefix(const problem_place *place, char buffer[PLACE_SIZE]);

/* Reads a problem from `value`. Every field's first mistake is reported; false when there was
 * one. problem_clear frees it in either case. */
bool problem_read(json_t *value, const problem_place *place, message_log *log, problem *p);
void problem_clear(problem *p);

#endif
