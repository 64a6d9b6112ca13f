/*
 * Reading a problem, from JSON to matrices. A table lists the fields with the function that reads
 * each; the order matters: M gives n and A gives m, against which the later ones are measured.
 * Every field is read even after a mistake in another, and a field whose measure is unknown because
 * of such a mistake is checked for its types only.
 *
 * The numbers are copied into arrays of the problem; names stay in the JSON tree.
 */
#include "problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "did_you_mean.h"
#include "options.h"

/* A length that is not known, and an index that is not there. */
enum { UNKNOWN = -1, NO_INDEX = -1 };

/* A problem that is being read. */
typedef struct reader {
    json_t *object;
    const problem_place *place;
    message_log *log;
    problem *p;
    int64_t n, m;          /* as p->n, p->m once M and A are read; UNKNOWN before */
    const char *rows_of_M; /* how to name n: "rows" of a full M, "numbers" of a diagonal one */
    bool failed;
} reader;

/* A place in the problem: field, field[i], field[i][j]. */
typedef struct spot {
    const char *field; /* NULL: the problem itself */
    int64_t i, j;
} spot;

static spot at_field(const char *field)
{
    return (spot){field, NO_INDEX, NO_INDEX};
}
static spot at_row(const char *field, size_t i)
{
    return (spot){field, (int64_t)i, NO_INDEX};
}
static spot at_entry(const char *field, size_t i, size_t j)
{
    return (spot){field, (int64_t)i, (int64_t)j};
}

/* Nothing for a problem that is the whole file. */
const char *problem_prefix(const problem_place *place, char buffer[PLACE_SIZE])
{
    buffer[0] = '\0';
    if (place->index >= 0) (void)snprintf(buffer, PLACE_SIZE, "[%lld]", (long long)place->index);
    return buffer;
}

/* "[3].A[2][1]". Returns buffer, NULL when the place is the whole file. */
static const char *spell_spot(const reader *r, spot s, char buffer[PLACE_SIZE])
{
    size_t length = strlen(problem_prefix(r->place, buffer));
    if (s.field)
        length += (size_t)snprintf(buffer + length, PLACE_SIZE - length, "%s%s",
                                   length > 0 ? "." : "", s.field);
    if (s.i >= 0)
        length += (size_t)snprintf(buffer + length, PLACE_SIZE - length, "[%lld]", (long long)s.i);
    if (s.j >= 0)
        length += (size_t)snprintf(buffer + length, PLACE_SIZE - length, "[%lld]", (long long)s.j);
    return length > 0 ? buffer : NULL;
}

/* Reports a mistake at a spot. */
__attribute__((format(printf, 5, 6))) static void
refuse_at(reader *r, message_code code, spot s, const char *help, const char *format, ...)
{
    char where[PLACE_SIZE];
    zw_diagnostic place = {.file = r->place->file, .where = spell_spot(r, s, where), .help = help};
    va_list arguments;
    va_start(arguments, format);
    message_report_v(r->log, code, &place, format, arguments);
    va_end(arguments);
    r->failed = true;
}

/* What a JSON value is, for messages. */
static const char *type_word(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        return "a string";
    case JSON_NULL:
        return "null";
    case JSON_TRUE:
        return "true";
    case JSON_FALSE:
        return "false";
    default:
        return "a number";
    }
}

static void refuse_type(reader *r, spot s, const json_t *value, const char *expected)
{
    refuse_at(r, MSG_TYPE, s, NULL, "is %s, but %s is expected", type_word(value), expected);
}

static void refuse_numbers_memory(reader *r)
{
    refuse_at(r, MSG_MEMORY, at_field(NULL), NULL, "there is not enough memory for the numbers");
}

/* "1 number", "3 numbers". */
typedef struct amount {
    char text[48];
} amount;

/* `plural` must end with an s, which goes for 1. */
static amount count_in_words(size_t count, const char *plural)
{
    amount a;
    int letters = (int)strlen(plural) - (count == 1 ? 1 : 0);
    (void)snprintf(a.text, sizeof a.text, "%zu %.*s", count, letters, plural);
    return a;
}

/* ------------------------------------------------------------------- lists of numbers */

/* What a list is measured by: "M has 4 rows". */
typedef struct measure {
    int64_t count; /* UNKNOWN: anything will do */
    const char *owner, *unit;
} measure;

static measure measure_by_M(const reader *r)
{
    return (measure){r->n, "M", r->rows_of_M};
}
static measure measure_by_A(const reader *r)
{
    return (measure){r->m, "A", "rows"};
}

/* Compares the length of a list (of numbers, rows, names: `plural`) with its measure. False after a
 * report. */
static bool check_length(reader *r, spot s, size_t count, const char *plural, measure by,
                         const char *help)
{
    if (by.count == UNKNOWN || (int64_t)count == by.count) return true;
    refuse_at(r, MSG_SIZE, s, help, "has %s, but %s has %s", count_in_words(count, plural).text,
              by.owner, count_in_words((size_t)by.count, by.unit).text);
    return false;
}

/* Copies the numbers of a list to x [its length]; i is NO_INDEX for a vector, else the row of a
 * matrix. False after a report: there is something else in it. */
static bool copy_numbers(reader *r, const char *field, int64_t i, const json_t *list, double *x)
{
    size_t count = json_array_size(list);
    for (size_t k = 0; k < count; k++) {
        const json_t *value = json_array_get(list, k);
        if (!json_is_real(value)) {
            spot s = i < 0 ? at_row(field, k) : at_entry(field, (size_t)i, k);
            refuse_type(r, s, value, "a number");
            return false;
        }
        x[k] = json_real_value(value);
    }
    return true;
}

/* Memory for rows * columns numbers, never of no bytes. */
static double *new_numbers(reader *r, size_t rows, size_t columns)
{
    size_t count = columns > 0 && rows > SIZE_MAX / columns ? SIZE_MAX : rows * columns;
    double *x = calloc(count > 0 ? count : 1, sizeof *x);
    if (!x) refuse_numbers_memory(r);
    return x;
}

/* A list of as many numbers as the measure says, in new memory that the problem owns. False after a
 * report. */
static bool read_vector(reader *r, const char *field, const json_t *list, measure by, double **out)
{
    if (!json_is_array(list)) {
        refuse_type(r, at_field(field), list, "a list of numbers");
        return false;
    }
    size_t count = json_array_size(list);
    *out = new_numbers(r, count, 1);
    return *out && copy_numbers(r, field, NO_INDEX, list, *out) &&
           check_length(r, at_field(field), count, "numbers", by, NULL);
}

/* A matrix of `rows` x columns.count numbers. The shape is judged before memory is asked for:
 * a flat list of a million numbers shall not be taken for a million rows. */
static bool read_matrix_rows(reader *r, const char *field, const json_t *list, measure columns,
                             const char *help, double **out)
{
    size_t rows = json_array_size(list), row_length = (size_t)columns.count;
    for (size_t i = 0; i < rows; i++) {
        const json_t *row = json_array_get(list, i);
        if (!json_is_array(row)) {
            refuse_type(r, at_row(field, i), row, "a row, a list of numbers,");
            return false;
        }
        if (!check_length(r, at_row(field, i), json_array_size(row), "numbers", columns, help))
            return false;
    }
    *out = new_numbers(r, rows, row_length);
    for (size_t i = 0; *out && i < rows; i++) {
        const json_t *row = json_array_get(list, i);
        if (!copy_numbers(r, field, (int64_t)i, row, *out + i * row_length)) return false;
    }
    return *out != NULL;
}

/* A square symmetric matrix, as rows or as its diagonal, the first element tells which. */
static bool read_square(reader *r, const char *field, const json_t *list, zw_matrix_kind *kind,
                        double **out)
{
    size_t count = json_array_size(list);
    if (!json_is_array(json_array_get(list, 0))) {
        *kind = ZW_DIAGONAL;
        *out = new_numbers(r, count, 1);
        return *out && copy_numbers(r, field, NO_INDEX, list, *out);
    }
    *kind = ZW_FULL;
    return read_matrix_rows(r, field, list, (measure){(int64_t)count, field, "rows"},
                            "the matrix is square; a list of numbers alone is a diagonal", out);
}

/* -------------------------------------------------------------------------- the fields */

/* Lengths must fit an int32. True after a report. */
static bool refuse_too_many(reader *r, spot s, size_t count)
{
    if (count <= INT32_MAX) return false;
    refuse_at(r, MSG_SIZE, s, NULL, "has more than 2147483647 elements");
    return true;
}

/* The mass matrix, which must be there and gives n. */
static void read_M(reader *r, const json_t *value)
{
    problem *p = r->p;
    if (!value) {
        refuse_at(r, MSG_MISSING, at_field(NULL),
                  "M is the mass matrix: n rows, or the n numbers of its diagonal",
                  "the field M is missing");
        return;
    }
    if (!json_is_array(value)) {
        refuse_type(r, at_field("M"), value, "a list of rows or of numbers");
        return;
    }
    size_t count = json_array_size(value);
    if (count == 0) {
        refuse_at(r, MSG_SIZE, at_field("M"), NULL,
                  "is empty, but there must be at least one coordinate");
        return;
    }
    if (refuse_too_many(r, at_field("M"), count) || !read_square(r, "M", value, &p->mass, &p->M))
        return;
    p->n = (int32_t)count;
    r->n = p->n;
    r->rows_of_M = p->mass == ZW_FULL ? "rows" : "numbers";
}

/* The impressed force, which must be there. */
static void read_Q(reader *r, const json_t *value)
{
    if (value)
        read_vector(r, "Q", value, measure_by_M(r), &r->p->Q);
    else
        refuse_at(r, MSG_MISSING, at_field(NULL),
                  "Q is the impressed force, n numbers; zeros when there is none",
                  "the field Q is missing");
}

static void read_C(reader *r, const json_t *value)
{
    if (value) read_vector(r, "C", value, measure_by_M(r), &r->p->C);
}

/* Rows of A while M is not known: all must be as long as the first. */
static measure find_columns_of_A(const reader *r, const json_t *list)
{
    if (r->n != UNKNOWN) return measure_by_M(r);
    return (measure){(int64_t)json_array_size(json_array_get(list, 0)), "A[0]", "numbers"};
}

static const char both_or_none[] = "the constraints are A z = b; without any, leave out both";

/* The constraint matrix, which gives m; without it there are no constraints, and b must not be
 * there. */
static void read_A(reader *r, const json_t *value)
{
    if (!value) {
        if (json_object_get(r->object, "b"))
            refuse_at(r, MSG_MISSING, at_field(NULL), both_or_none, "b is given, but A is missing");
        else
            r->m = 0;
        return;
    }
    if (!json_is_array(value)) {
        refuse_type(r, at_field("A"), value, "a list of rows");
        return;
    }
    size_t rows = json_array_size(value);
    if (refuse_too_many(r, at_field("A"), rows)) return;
    r->p->m = (int32_t)rows;
    r->m = r->p->m;
    read_matrix_rows(r, "A", value, find_columns_of_A(r, value),
                     "a row of A has one number for each coordinate", &r->p->A);
}

/* The right sides of the constraints, there if and only if A is. */
static void read_b(reader *r, const json_t *value)
{
    if (value)
        read_vector(r, "b", value, measure_by_A(r), &r->p->b);
    else if (json_object_get(r->object, "A"))
        refuse_at(r, MSG_MISSING, at_field(NULL), both_or_none, "A is given, but b is missing");
}

/* The weight of the constraints, for the rows of A; without it the identity. */
static void read_W(reader *r, const json_t *value)
{
    if (!value) return;
    if (!json_is_array(value)) {
        refuse_type(r, at_field("W"), value, "a list of rows or of numbers");
        return;
    }
    size_t count = json_array_size(value);
    if (!read_square(r, "W", value, &r->p->weight, &r->p->W)) return;
    check_length(r, at_field("W"), count, r->p->weight == ZW_FULL ? "rows" : "numbers",
                 measure_by_A(r),
                 "the weight has a row, or a number on its diagonal, for each row of A");
}

/* One of the names of the library's forms. */
static void read_form(reader *r, const json_t *value)
{
    if (!value) return;
    char help[400], name[QUOTED_SIZE];
    if (!json_is_string(value))
        refuse_type(r, at_field("form"), value, "the name of a form");
    else if (!options_find_form(json_string_value(value), &r->p->form, help, sizeof help))
        refuse_at(r, MSG_FORM, at_field("form"), help, "there is no form %s",
                  quoted(name, json_string_value(value)));
}

/* A number strictly between 0 and 1. */
static void read_rank_tolerance(reader *r, const json_t *value)
{
    if (!value) return;
    double tolerance = json_real_value(value);
    if (!json_is_real(value))
        refuse_type(r, at_field("rank_tolerance"), value, "a number");
    else if (!(tolerance > 0 && tolerance < 1))
        refuse_at(r, MSG_RANGE, at_field("rank_tolerance"),
                  "leave it out for the default, which suits entries that are exact",
                  "is %.6g, but must be greater than 0 and less than 1", tolerance);
    else
        r->p->rank_tolerance = tolerance;
}

static void read_basis(reader *r, const json_t *value)
{
    if (!value) return;
    if (!json_is_boolean(value)) refuse_type(r, at_field("basis"), value, "true or false");
    r->p->basis = json_is_true(value);
}

/* Checks that name i is a string that has not been seen; `seen` maps names to their index. */
static bool check_name(reader *r, size_t i, const json_t *value, json_t *seen)
{
    if (!json_is_string(value)) {
        refuse_type(r, at_row("names", i), value, "a string");
        return false;
    }
    const char *name = json_string_value(value);
    const json_t *first = json_object_get(seen, name);
    char shown[QUOTED_SIZE];
    if (first) {
        refuse_at(r, MSG_NAME_TWICE, at_row("names", i), "give every row a name of its own",
                  "is %s, like names[%lld]", quoted(shown, name),
                  (long long)json_integer_value(first));
        return false;
    }
    if (json_object_set_new(seen, name, json_integer((json_int_t)i)) == 0) return true;
    refuse_numbers_memory(r);
    return false;
}

/* One string for each row of A, all different. */
static void read_names(reader *r, const json_t *value)
{
    if (!value) return;
    if (!json_is_array(value)) {
        refuse_type(r, at_field("names"), value, "a list of strings");
        return;
    }
    size_t count = json_array_size(value);
    const char **names = calloc(count > 0 ? count : 1, sizeof *names);
    json_t *seen = json_object();
    r->p->names = names;
    bool fine = names && seen;
    if (!fine) refuse_numbers_memory(r);
    for (size_t i = 0; fine && i < count; i++) {
        const json_t *name = json_array_get(value, i);
        fine = check_name(r, i, name, seen);
        if (fine) names[i] = json_string_value(name);
    }
    json_decref(seen);
    if (fine) check_length(r, at_field("names"), count, "names", measure_by_A(r), NULL);
}

typedef struct field {
    const char *name;
    void (*read)(reader *r, const json_t *value); /* value NULL: the field is not there */
} field;

static const field fields[] = {
    {"M", read_M},         {"Q", read_Q},
    {"A", read_A},         {"b", read_b},
    {"C", read_C},         {"W", read_W},
    {"form", read_form},   {"rank_tolerance", read_rank_tolerance},
    {"names", read_names}, {"basis", read_basis},
};
enum { FIELD_COUNT = sizeof fields / sizeof *fields };

/* With what may have been meant. */
static void refuse_unknown_fields(reader *r)
{
    const char *names[FIELD_COUNT];
    for (size_t k = 0; k < FIELD_COUNT; k++) names[k] = fields[k].name;
    const char *name;
    json_t *value;
    json_object_foreach(r->object, name, value)
    {
        char help[300], shown[QUOTED_SIZE];
        size_t k = 0;
        while (k < FIELD_COUNT && strcmp(name, names[k]) != 0) k++;
        if (k < FIELD_COUNT) continue;
        suggest_help(help, sizeof help, name, names, FIELD_COUNT, "fields");
        refuse_at(r, MSG_FIELD, at_field(NULL), help, "there is no field %s", quoted(shown, name));
    }
}

/* Unknown fields first, then the known ones in the order of the table. */
bool problem_read(json_t *value, const problem_place *place, message_log *log, problem *p)
{
    *p = (problem){.weight = ZW_IDENTITY, .form = ZW_FORM_GAUSS};
    reader r = {.object = value, .place = place, .log = log, .p = p, .n = UNKNOWN, .m = UNKNOWN};
    if (!json_is_object(value)) {
        refuse_at(&r, MSG_NOT_PROBLEM, at_field(NULL),
                  "a problem is {\"M\": ..., \"Q\": ..., \"A\": ..., "
                  "\"b\": ...}",
                  "is %s, but a problem, an object, is expected", type_word(value));
        return false;
    }
    refuse_unknown_fields(&r);
    for (size_t k = 0; k < FIELD_COUNT; k++)
        fields[k].read(&r, json_object_get(value, fields[k].name));
    return !r.failed;
}

void problem_clear(problem *p)
{
    free(p->M);
    free(p->Q);
    free(p->A);
    free(p->b);
    free(p->C);
    free(p->W);
    free(p->names);
    *p = (problem){0};
}
