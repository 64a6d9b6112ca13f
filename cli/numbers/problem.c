/*
 * Reading a problem, from JSON to matrices. A table lists the fields with the function that reads
 * each; the order matters: M gives n and A gives m, against which the later ones are measured.
 * Every field is read even after a mistake in another, and a field whose measure is unknown because
 * of such a mistake is checked for its types only.
 *
 * The numbers are copied into arrays of the problem; names stay in the JSON tree. Inequalities and
 * frictions are read by problem_contact.c.
 */
#include "problem_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "did_you_mean.h"
#include "options.h"

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

void reader_refuse(reader *r, message_code code, spot s, const char *help, const char *format, ...)
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

void reader_refuse_type(reader *r, spot s, const json_t *value, const char *expected)
{
    reader_refuse(r, MSG_TYPE, s, NULL, "is %s, but %s is expected", type_word(value), expected);
}

void reader_refuse_memory(reader *r)
{
    reader_refuse(r, MSG_MEMORY, at_field(NULL), NULL,
                  "there is not enough memory for the numbers");
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

measure reader_measure_by_M(const reader *r)
{
    return (measure){r->n, "M", r->rows_of_M};
}
static measure measure_by_A(const reader *r)
{
    return (measure){r->m, "A", "rows"};
}

/* Compares the length of a list (of numbers, rows, names: `plural`) with its measure. False after a
 * report. */
bool reader_check_length(reader *r, spot s, size_t count, const char *plural, measure by,
                         const char *help)
{
    if (by.count == UNKNOWN || (int64_t)count == by.count) return true;
    reader_refuse(r, MSG_SIZE, s, help, "has %s, but %s has %s", count_in_words(count, plural).text,
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
            reader_refuse_type(r, s, value, "a number");
            return false;
        }
        x[k] = json_real_value(value);
    }
    return true;
}

/* Memory for rows * columns numbers, never of no bytes. */
double *reader_new_numbers(reader *r, size_t rows, size_t columns)
{
    size_t count = columns > 0 && rows > SIZE_MAX / columns ? SIZE_MAX : rows * columns;
    double *x = calloc(count > 0 ? count : 1, sizeof *x);
    if (!x) reader_refuse_memory(r);
    return x;
}

/* A list of as many numbers as the measure says, in new memory that the problem owns. False after a
 * report. */
bool reader_vector(reader *r, const char *field, const json_t *list, measure by, double **out)
{
    if (!json_is_array(list)) {
        reader_refuse_type(r, at_field(field), list, "a list of numbers");
        return false;
    }
    size_t count = json_array_size(list);
    *out = reader_new_numbers(r, count, 1);
    return *out && copy_numbers(r, field, NO_INDEX, list, *out) &&
           reader_check_length(r, at_field(field), count, "numbers", by, NULL);
}

/* A matrix of `rows` x columns.count numbers. The shape is judged before memory is asked for:
 * a flat list of a million numbers shall not be taken for a million rows. */
bool reader_matrix(reader *r, const char *field, const json_t *list, measure columns,
                   const char *help, double **out)
{
    size_t rows = json_array_size(list), row_length = (size_t)columns.count;
    for (size_t i = 0; i < rows; i++) {
        const json_t *row = json_array_get(list, i);
        if (!json_is_array(row)) {
            reader_refuse_type(r, at_row(field, i), row, "a row, a list of numbers,");
            return false;
        }
        if (!reader_check_length(r, at_row(field, i), json_array_size(row), "numbers", columns,
                                 help))
            return false;
    }
    *out = reader_new_numbers(r, rows, row_length);
    for (size_t i = 0; *out && i < rows; i++) {
        const json_t *row = json_array_get(list, i);
        if (!copy_numbers(r, field, (int64_t)i, row, *out + i * row_length)) return false;
    }
    return *out != NULL;
}

/* A square symmetric matrix, as rows or as its diagonal, the first element tells which. */
bool reader_square(reader *r, const char *field, const json_t *list, zw_matrix_kind *kind,
                   double **out)
{
    size_t count = json_array_size(list);
    if (!json_is_array(json_array_get(list, 0))) {
        *kind = ZW_DIAGONAL;
        *out = reader_new_numbers(r, count, 1);
        return *out && copy_numbers(r, field, NO_INDEX, list, *out);
    }
    *kind = ZW_FULL;
    return reader_matrix(r, field, list, (measure){(int64_t)count, field, "rows"},
                         "the matrix is square; a list of numbers alone is a diagonal", out);
}

/* -------------------------------------------------------------------------- the fields */

/* Lengths must fit an int32. True after a report. */
bool reader_too_many(reader *r, spot s, size_t count)
{
    if (count <= INT32_MAX) return false;
    reader_refuse(r, MSG_SIZE, s, NULL, "has more than 2147483647 elements");
    return true;
}

/* The mass matrix, which must be there and gives n. */
static void read_M(reader *r, const json_t *value)
{
    problem *p = r->p;
    if (!value) {
        reader_refuse(r, MSG_MISSING, at_field(NULL),
                      "M is the mass matrix: n rows, or the n numbers of its diagonal",
                      "the field M is missing");
        return;
    }
    if (!json_is_array(value)) {
        reader_refuse_type(r, at_field("M"), value, "a list of rows or of numbers");
        return;
    }
    size_t count = json_array_size(value);
    if (count == 0) {
        reader_refuse(r, MSG_SIZE, at_field("M"), NULL,
                      "is empty, but there must be at least one coordinate");
        return;
    }
    if (reader_too_many(r, at_field("M"), count) || !reader_square(r, "M", value, &p->mass, &p->M))
        return;
    p->n = (int32_t)count;
    r->n = p->n;
    r->rows_of_M = p->mass == ZW_FULL ? "rows" : "numbers";
}

/* The impressed force, which must be there. */
static void read_Q(reader *r, const json_t *value)
{
    if (value)
        reader_vector(r, "Q", value, reader_measure_by_M(r), &r->p->Q);
    else
        reader_refuse(r, MSG_MISSING, at_field(NULL),
                      "Q is the impressed force, n numbers; zeros when there is none",
                      "the field Q is missing");
}

static void read_C(reader *r, const json_t *value)
{
    if (value) reader_vector(r, "C", value, reader_measure_by_M(r), &r->p->C);
}

/* Rows of A while M is not known: all must be as long as the first. */
static measure find_columns_of_A(const reader *r, const json_t *list)
{
    if (r->n != UNKNOWN) return reader_measure_by_M(r);
    return (measure){(int64_t)json_array_size(json_array_get(list, 0)), "A[0]", "numbers"};
}

static const char both_or_none[] = "the constraints are A z = b; without any, leave out both";

/* The constraint matrix, which gives m; without it there are no constraints, and b must not be
 * there. */
static void read_A(reader *r, const json_t *value)
{
    if (!value) {
        if (json_object_get(r->object, "b"))
            reader_refuse(r, MSG_MISSING, at_field(NULL), both_or_none,
                          "b is given, but A is missing");
        else
            r->m = 0;
        return;
    }
    if (!json_is_array(value)) {
        reader_refuse_type(r, at_field("A"), value, "a list of rows");
        return;
    }
    size_t rows = json_array_size(value);
    if (reader_too_many(r, at_field("A"), rows)) return;
    r->p->m = (int32_t)rows;
    r->m = r->p->m;
    reader_matrix(r, "A", value, find_columns_of_A(r, value),
                  "a row of A has one number for each coordinate", &r->p->A);
}

/* The right sides of the constraints, there if and only if A is. */
static void read_b(reader *r, const json_t *value)
{
    if (value)
        reader_vector(r, "b", value, measure_by_A(r), &r->p->b);
    else if (json_object_get(r->object, "A"))
        reader_refuse(r, MSG_MISSING, at_field(NULL), both_or_none, "A is given, but b is missing");
}

/* The weight of the constraints, for the rows of A; without it the identity. */
static void read_W(reader *r, const json_t *value)
{
    if (!value) return;
    if (!json_is_array(value)) {
        reader_refuse_type(r, at_field("W"), value, "a list of rows or of numbers");
        return;
    }
    size_t count = json_array_size(value);
    if (!reader_square(r, "W", value, &r->p->weight, &r->p->W)) return;
    reader_check_length(r, at_field("W"), count, r->p->weight == ZW_FULL ? "rows" : "numbers",
                        measure_by_A(r),
                        "the weight has a row, or a number on its diagonal, for each row of A");
}

/* One of the names of the library's forms. */
static void read_form(reader *r, const json_t *value)
{
    if (!value) return;
    char help[400], name[QUOTED_SIZE];
    if (!json_is_string(value))
        reader_refuse_type(r, at_field("form"), value, "the name of a form");
    else if (!options_find_form(json_string_value(value), &r->p->form, help, sizeof help))
        reader_refuse(r, MSG_FORM, at_field("form"), help, "there is no form %s",
                      quoted(name, json_string_value(value)));
}

/* A number strictly between 0 and 1. */
static void read_rank_tolerance(reader *r, const json_t *value)
{
    if (!value) return;
    double tolerance = json_real_value(value);
    if (!json_is_real(value))
        reader_refuse_type(r, at_field("rank_tolerance"), value, "a number");
    else if (!(tolerance > 0 && tolerance < 1))
        reader_refuse(r, MSG_RANGE, at_field("rank_tolerance"),
                      "leave it out for the default, which suits entries that are exact",
                      "is %.6g, but must be greater than 0 and less than 1", tolerance);
    else
        r->p->rank_tolerance = tolerance;
}

static void read_basis(reader *r, const json_t *value)
{
    if (!value) return;
    if (!json_is_boolean(value)) reader_refuse_type(r, at_field("basis"), value, "true or false");
    r->p->basis = json_is_true(value);
}

/* Checks that name i is a string that has not been seen; `seen` maps names to where they were. */
static bool check_name(reader *r, const char *field, size_t i, const json_t *value, json_t *seen)
{
    if (!json_is_string(value)) {
        reader_refuse_type(r, at_row(field, i), value, "a string");
        return false;
    }
    const char *name = json_string_value(value);
    const json_t *first = json_object_get(seen, name);
    char shown[QUOTED_SIZE], place[64];
    if (first) {
        reader_refuse(r, MSG_NAME_TWICE, at_row(field, i), "give every row a name of its own",
                      "is %s, like %s", quoted(shown, name), json_string_value(first));
        return false;
    }
    (void)snprintf(place, sizeof place, "%s[%zu]", field, i);
    if (json_object_set_new(seen, name, json_string(place)) == 0) return true;
    reader_refuse_memory(r);
    return false;
}

/* What stands in the field `names` is seen already. */
static bool see_others(json_t *seen, const char *const *others, int64_t count)
{
    char place[64];
    for (int64_t i = 0; others && i < count; i++) {
        (void)snprintf(place, sizeof place, "names[%lld]", (long long)i);
        if (json_object_set_new(seen, others[i], json_string(place)) != 0) return false;
    }
    return true;
}

const char **reader_names(reader *r, const char *field, const json_t *list, measure by,
                          const char *const *others, int64_t others_count)
{
    if (!json_is_array(list)) {
        reader_refuse_type(r, at_field(field), list, "a list of strings");
        return NULL;
    }
    size_t count = json_array_size(list);
    const char **names = calloc(count > 0 ? count : 1, sizeof *names);
    json_t *seen = json_object();
    bool fine = names && seen && see_others(seen, others, others_count);
    if (!fine) reader_refuse_memory(r);
    for (size_t i = 0; fine && i < count; i++) {
        const json_t *name = json_array_get(list, i);
        fine = check_name(r, field, i, name, seen);
        if (fine) names[i] = json_string_value(name);
    }
    json_decref(seen);
    if (fine) reader_check_length(r, at_field(field), count, "names", by, NULL);
    return names;
}

/* One string for each row of A, all different. */
static void read_names(reader *r, const json_t *value)
{
    if (value) r->p->names = reader_names(r, "names", value, measure_by_A(r), NULL, 0);
}

typedef struct field {
    const char *name;
    void (*read)(reader *r, const json_t *value); /* value NULL: the field is not there */
} field;

static const field fields[] = {
    {"M", read_M},
    {"Q", read_Q},
    {"A", read_A},
    {"b", read_b},
    {"C", read_C},
    {"W", read_W},
    {"form", read_form},
    {"rank_tolerance", read_rank_tolerance},
    {"names", read_names},
    {"basis", read_basis},
    {"at_least", read_at_least},
    {"friction", read_friction},
};
enum { FIELD_COUNT = sizeof fields / sizeof *fields };

/* With what may have been meant. */
void reader_refuse_fields(reader *r, spot s, json_t *object, const char *const *names, size_t count)
{
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        char help[300], shown[QUOTED_SIZE];
        size_t k = 0;
        while (k < count && strcmp(name, names[k]) != 0) k++;
        if (k < count) continue;
        suggest_help(help, sizeof help, name, names, count, "fields");
        reader_refuse(r, MSG_FIELD, s, help, "there is no field %s", quoted(shown, name));
    }
}

/* Unknown fields first, then the known ones in the order of the table. */
bool problem_read(json_t *value, const problem_place *place, message_log *log, problem *p)
{
    *p = (problem){.weight = ZW_IDENTITY, .form = ZW_FORM_GAUSS};
    reader r = {.object = value,
                .place = place,
                .log = log,
                .p = p,
                .n = UNKNOWN,
                .m = UNKNOWN,
                .inequalities = UNKNOWN};
    if (!json_is_object(value)) {
        reader_refuse(&r, MSG_NOT_PROBLEM, at_field(NULL),
                      "a problem is {\"M\": ..., \"Q\": ..., \"A\": ..., "
                      "\"b\": ...}",
                      "is %s, but a problem, an object, is expected", type_word(value));
        return false;
    }
    const char *names[FIELD_COUNT];
    for (size_t k = 0; k < FIELD_COUNT; k++) names[k] = fields[k].name;
    reader_refuse_fields(&r, at_field(NULL), value, names, FIELD_COUNT);
    for (size_t k = 0; k < FIELD_COUNT; k++)
        fields[k].read(&r, json_object_get(value, fields[k].name));
    if (!r.failed) reader_join_rows(&r);
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
    free(p->at_least.A);
    free(p->at_least.b);
    free(p->at_least.W);
    free(p->at_least.names);
    for (int32_t k = 0; k < p->friction_count; k++) free(p->frictions[k].T);
    free(p->frictions);
    *p = (problem){0};
}
