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

/* Rows A z >= b as they are read, before they join the others; owned. */
typedef struct problem_rows {
    int32_t m;
    zw_matrix_kind weight;
    double *A, *b, *W;
    const char **names; /* or NULL */
} problem_rows;

/* One friction: numbers are owned, all in T. */
typedef struct problem_friction {
    zw_friction values; /* its arrays lie in T */
    double *T;
} problem_friction;

typedef struct problem {
    int32_t n, m;          /* coordinates, rows of A: equations, then inequalities */
    int32_t inequalities;  /* how many of them are A z >= b */
    zw_matrix_kind mass;   /* ZW_FULL or ZW_DIAGONAL */
    zw_matrix_kind weight; /* of W; ZW_IDENTITY when it is not given */
    /* owned; row-major */
    double *M;          /* [n*n] or [n] */
    double *Q;          /* [n] */
    double *A;          /* [m*n]; may be NULL when m is 0 */
    double *b;          /* [m]; may be NULL when m is 0 */
    double *C;          /* [n] or NULL */
    double *W;          /* [m*m], [m] or NULL */
    const char **names; /* [m] or NULL; the strings belong to the JSON tree, or to `eval`; NULL
                           where a row has none */
    problem_rows at_least;
    int32_t friction_count;
    problem_friction *frictions; /* [friction_count], owned */
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
