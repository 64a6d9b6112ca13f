/*
 * A problem that is being read; private to the files that read its fields (problem.c,
 * problem_contact.c). Every mistake is reported at its place, `A[2][1]` or `[3].at_least.b`.
 */
#ifndef CLI_PROBLEM_READER_H
#define CLI_PROBLEM_READER_H

#include "problem.h"

/* A length that is not known, and an index that is not there. */
enum { UNKNOWN = -1, NO_INDEX = -1 };

typedef struct reader {
    json_t *object;
    const problem_place *place;
    message_log *log;
    problem *p;
    int64_t n, m;          /* coordinates and equations, once M and A are read; UNKNOWN before */
    int64_t inequalities;  /* rows of at_least.A, likewise */
    const char *rows_of_M; /* how to name n: "rows" of a full M, "numbers" of a diagonal one */
    bool failed;
} reader;

/* A place in the problem: field, field[i], field[i][j]. */
typedef struct spot {
    const char *field; /* NULL: the problem itself */
    int64_t i, j;
} spot;

static inline spot at_field(const char *field)
{
    return (spot){field, NO_INDEX, NO_INDEX};
}
static inline spot at_row(const char *field, size_t i)
{
    return (spot){field, (int64_t)i, NO_INDEX};
}
static inline spot at_entry(const char *field, size_t i, size_t j)
{
    return (spot){field, (int64_t)i, (int64_t)j};
}

/* Reports a mistake at a spot; the problem has failed. */
__attribute__((format(printf, 5, 6))) void reader_refuse(reader *r, message_code code, spot s,
                                                         const char *help, const char *format, ...);
void reader_refuse_type(reader *r, spot s, const json_t *value, const char *expected);
void reader_refuse_memory(reader *r);

/* What a list is measured by: "M has 4 rows". */
typedef struct measure {
    int64_t count; /* UNKNOWN: anything will do */
    const char *owner, *unit;
} measure;

measure reader_measure_by_M(const reader *r);
bool reader_check_length(reader *r, spot s, size_t count, const char *plural, measure by,
                         const char *help);

/* Numbers in new memory that the problem owns; false after a report. A vector; a matrix whose rows
 * are measured by `columns`; a square matrix, or its diagonal, of any size. */
double *reader_new_numbers(reader *r, size_t rows, size_t columns);
bool reader_vector(reader *r, const char *field, const json_t *list, measure by, double **out);
bool reader_matrix(reader *r, const char *field, const json_t *list, measure columns,
                   const char *help, double **out);
bool reader_square(reader *r, const char *field, const json_t *list, zw_matrix_kind *kind,
                   double **out);
bool reader_too_many(reader *r, spot s, size_t count); /* more than an int32 counts: reported */

/* Names in new memory, all different, none of them among `others` [count]. */
const char **reader_names(reader *r, const char *field, const json_t *list, measure by,
                          const char *const *others, int64_t count);

/* A field of an object that is not among names [count] is reported. */
void reader_refuse_fields(reader *r, spot s, json_t *object, const char *const *names,
                          size_t count);

/* problem_contact.c: rows A z >= b, which join those of A, and frictions. After all other fields. */
void read_at_least(reader *r, const json_t *value);
void read_friction(reader *r, const json_t *value);
void reader_join_rows(reader *r);

#endif
