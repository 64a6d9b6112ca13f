/*
 * A symmetric definite matrix with repeated shapes, S x = c: the rows between parts, or any other.
 *
 *     rows ──partition──▶ parts; of two neighbouring rows in different parts the one in the lower
 *     part is left for the next level        ...ooo x ooo x ooo x...      o inside, x left
 *
 *     down     factor of the inside of each part, what it takes from the rows left: S and c
 *     forward  the same for c alone, with the factor that is there
 *     back     x inside from x left
 *
 * The next level is a matrix again, at last an ordinary LDL^T. Values are given in the order of the
 * lanes: the caller puts them where entry_places and right_places say.
 */
#ifndef ZE_MATRIX_H
#define ZE_MATRIX_H

#include "parts.h"

typedef struct ze_matrix ze_matrix;

/* limit: predicted seconds of `down` and `back` above which it is not worth it (*matrix NULL), 0:
 * none; then there is always one, in the last resort nothing but an ordinary factor. */
zw_status ze_matrix_plan(zb_memory *memory, const za_symmetric *x, int32_t width, double limit,
                         ze_matrix **matrix);
void ze_matrix_free(ze_matrix *matrix);
double ze_matrix_cost(const ze_matrix *matrix);

/* What it is made of. */
typedef struct ze_matrix_facts {
    int32_t levels; /* this one and those below; the rest counts as one */
    int32_t shapes; /* of all levels */
    int32_t rest;   /* rows of the ordinary factor */
    int64_t operations;
    size_t bytes;
} ze_matrix_facts;
void ze_matrix_facts_of(const ze_matrix *matrix, ze_matrix_facts *facts);
/* All programs, for zk_make_native: into list, unless it is NULL; how many. */
int32_t ze_matrix_programs(const ze_matrix *matrix, zk_program **list);

/* One array of inputs: entries and right sides. What no place reaches stays as it is. */
double *ze_matrix_inputs(ze_matrix *matrix);
int32_t ze_matrix_input_count(const ze_matrix *matrix);
const int32_t *ze_matrix_entry_places(const ze_matrix *matrix); /* [entries of x] */
const int32_t *ze_matrix_right_places(const ze_matrix *matrix); /* [n] */
/* One array of answers, that of x row i at answer_places[i]. */
const double *ze_matrix_answers(const ze_matrix *matrix);
int32_t ze_matrix_answer_count(const ze_matrix *matrix);
const int32_t *ze_matrix_answer_places(const ze_matrix *matrix); /* [n] */

/* How its programs are evaluated: by byte code or machine code, alone (NULL) or by a team. */
typedef struct ze_execution {
    zk_evaluator evaluator;
    zb_team *team;
} ze_execution;

/* down, the levels below, back: the answer. *smallest: the least pivot over the diagonal entry of
 * the inputs it began as, at most; not positive or NaN: there is no answer. */
void ze_matrix_solve(ze_matrix *matrix, const ze_execution *execution, double *smallest);
/* The same with the factor of the last ze_matrix_solve and other right sides. */
void ze_matrix_again(ze_matrix *matrix, const ze_execution *execution);

#endif
