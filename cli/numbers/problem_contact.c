/*
 * Reading what a problem has besides equations: inequalities, {"at_least": {"A", "b", "W", "names"}},
 * whose rows join those of A behind the equations, with W one of both, each in its own block; and
 * frictions, {"friction": [{"row", "T", "b", "slip", "mu", "static"}]}, which a row presses.
 */
#include "problem_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------- at_least */

static const char *const row_fields[] = {"A", "b", "W", "names"};
enum { ROW_FIELDS = sizeof row_fields / sizeof *row_fields };

static measure measure_by_inequalities(const reader *r)
{
    return (measure){r->inequalities, "at_least.A", "rows"};
}

/* The rows; without M known all must be as long as the first. */
static void read_inequality_rows(reader *r, const json_t *value)
{
    measure columns = reader_measure_by_M(r);
    if (!value || !json_is_array(value)) {
        if (value)
            reader_refuse_type(r, at_field("at_least.A"), value, "a list of rows");
        else
            reader_refuse(r, MSG_MISSING, at_field("at_least"), "inequalities are A z >= b",
                          "the field A is missing");
        return;
    }
    size_t rows = json_array_size(value);
    if (reader_too_many(r, at_field("at_least.A"), rows)) return;
    if (columns.count == UNKNOWN)
        columns = (measure){(int64_t)json_array_size(json_array_get(value, 0)), "at_least.A[0]",
                            "numbers"};
    r->p->at_least.m = (int32_t)rows;
    r->inequalities = (int64_t)rows;
    reader_matrix(r, "at_least.A", value, columns, "a row of A has one number for each coordinate",
                  &r->p->at_least.A);
}

static void read_inequality_weight(reader *r, const json_t *value)
{
    problem_rows *rows = &r->p->at_least;
    if (!value) return;
    if (!json_is_array(value)) {
        reader_refuse_type(r, at_field("at_least.W"), value, "a list of rows or of numbers");
        return;
    }
    size_t count = json_array_size(value);
    if (!reader_square(r, "at_least.W", value, &rows->weight, &rows->W)) return;
    reader_check_length(r, at_field("at_least.W"), count,
                        rows->weight == ZW_FULL ? "rows" : "numbers", measure_by_inequalities(r),
                        "the weight has a row, or a number on its diagonal, for each row of A");
}

void read_at_least(reader *r, const json_t *value)
{
    problem_rows *rows = &r->p->at_least;
    rows->weight = ZW_IDENTITY;
    r->inequalities = 0;
    if (!value) return;
    r->inequalities = UNKNOWN;
    if (!json_is_object(value)) {
        reader_refuse_type(r, at_field("at_least"), value, "an object with A and b");
        return;
    }
    json_t *object = json_object_get(r->object, "at_least");
    reader_refuse_fields(r, at_field("at_least"), object, row_fields, ROW_FIELDS);
    read_inequality_rows(r, json_object_get(value, "A"));
    const json_t *b = json_object_get(value, "b"), *names = json_object_get(value, "names");
    if (b)
        reader_vector(r, "at_least.b", b, measure_by_inequalities(r), &rows->b);
    else
        reader_refuse(r, MSG_MISSING, at_field("at_least"), "inequalities are A z >= b",
                      "the field b is missing");
    read_inequality_weight(r, json_object_get(value, "W"));
    if (names)
        rows->names =
            reader_names(r, "at_least.names", names, measure_by_inequalities(r), r->p->names, r->m);
}

/* ------------------------------------------------------------------------- friction */

static const char *const friction_fields[] = {"row", "T", "b", "slip", "mu", "static"};
enum { FRICTION_FIELDS = sizeof friction_fields / sizeof *friction_fields, MOST_WIDTH = 3 };

/* A friction that is being read: places are `friction[2].T`. */
typedef struct friction_reader {
    reader *r;
    const json_t *object;
    problem_friction *to;
    size_t number;
    char place[48];
} friction_reader;

static const char *spell_friction(friction_reader *f, const char *field)
{
    (void)snprintf(f->place, sizeof f->place, "friction[%zu]%s%s", f->number, field ? "." : "",
                   field ? field : "");
    return f->place;
}

/* The row of that name among all rows, -1: none. */
static int32_t find_row(const reader *r, const char *name)
{
    const problem *p = r->p;
    for (int32_t i = 0; p->names && i < p->m; i++)
        if (strcmp(p->names[i], name) == 0) return i;
    for (int32_t i = 0; p->at_least.names && i < p->at_least.m; i++)
        if (strcmp(p->at_least.names[i], name) == 0) return p->m + i;
    return -1;
}

/* A name, or the number of an inequality. */
static void read_pressing_row(friction_reader *f)
{
    reader *r = f->r;
    const json_t *value = json_object_get(f->object, "row");
    spot s = at_field(spell_friction(f, value ? "row" : NULL));
    char shown[QUOTED_SIZE];
    double x = json_real_value(value);
    int64_t row = -1;
    if (!value) {
        reader_refuse(r, MSG_MISSING, s,
                      "row is the name of the row that presses, or the number of an inequality",
                      "the field row is missing");
    } else if (json_is_string(value)) {
        row = find_row(r, json_string_value(value));
        if (row < 0 && !r->failed)
            reader_refuse(r, MSG_RANGE, s, "names are those of `names` and of `at_least.names`",
                          "there is no row %s", quoted(shown, json_string_value(value)));
    } else if (!json_is_real(value)) {
        reader_refuse_type(r, s, value, "the name of a row, or a number");
    } else if (r->inequalities != UNKNOWN) {
        bool fits = x >= 0.0 && x < (double)r->inequalities && x == floor(x);
        if (fits) row = r->p->m + (int64_t)x;
        if (!fits && r->inequalities == 0)
            reader_refuse(r, MSG_RANGE, s, "equations are given by name",
                          "is %.6g, but there are no inequalities", x);
        else if (!fits)
            reader_refuse(r, MSG_RANGE, s, "equations are given by name",
                          "is %.6g, but the last row of at_least.A is %lld", x,
                          (long long)r->inequalities - 1);
    }
    f->to->values.row = row < 0 ? 0 : (int32_t)row;
}

/* A number >= 0; optional: `otherwise` where it is not there. */
static double read_coefficient(friction_reader *f, const char *field, bool optional)
{
    const json_t *value = json_object_get(f->object, field);
    spot s = at_field(spell_friction(f, value ? field : NULL));
    if (!value) {
        if (!optional)
            reader_refuse(f->r, MSG_MISSING, s, "mu is the coefficient of friction",
                          "the field %s is missing", field);
        return 0.0;
    }
    if (!json_is_real(value))
        reader_refuse_type(f->r, s, value, "a number");
    else if (!(json_real_value(value) >= 0.0))
        reader_refuse(f->r, MSG_RANGE, s, NULL, "is %.6g, but must not be negative",
                      json_real_value(value));
    return json_real_value(value);
}

/* `width` numbers, or one of them alone, at `to`; false: the field is not there. */
static bool read_directions(friction_reader *f, const char *field, double *to)
{
    const json_t *value = json_object_get(f->object, field);
    int32_t width = f->to->values.width;
    if (!value) return false;
    if (json_is_real(value) && width == 1) {
        *to = json_real_value(value);
        return true;
    }
    double *numbers = NULL;
    measure by = {width, "T", "rows"};
    if (!json_is_array(value))
        reader_refuse_type(f->r, at_field(spell_friction(f, field)), value,
                           width == 1 ? "a number" : "a list of numbers");
    else if (reader_vector(f->r, spell_friction(f, field), value, by, &numbers))
        memcpy(to, numbers, sizeof *to * (size_t)width);
    free(numbers);
    return true;
}

/* One row of numbers, or up to three rows; behind them room for b and slip. */
static void read_T(friction_reader *f)
{
    reader *r = f->r;
    const json_t *value = json_object_get(f->object, "T");
    spot s = at_field(spell_friction(f, value ? "T" : NULL));
    measure columns = reader_measure_by_M(r);
    if (!value) {
        reader_refuse(r, MSG_MISSING, s,
                      "T is the direction of slip, n numbers, or up to three of them",
                      "the field T is missing");
        return;
    }
    if (!json_is_array(value)) {
        reader_refuse_type(r, s, value, "a list of numbers or of rows");
        return;
    }
    bool rows = json_is_array(json_array_get(value, 0));
    size_t width = rows ? json_array_size(value) : 1;
    if (width < 1 || width > MOST_WIDTH) {
        reader_refuse(r, MSG_SIZE, s, NULL, "has %zu rows, but there are 1 to 3 directions", width);
        return;
    }
    if (columns.count == UNKNOWN) return;
    double *numbers = NULL;
    bool fine = rows ? reader_matrix(r, f->place, value, columns, NULL, &numbers)
                     : reader_vector(r, f->place, value, columns, &numbers);
    size_t n = (size_t)columns.count;
    f->to->T = fine ? reader_new_numbers(r, width, n + 2) : NULL;
    if (f->to->T) memcpy(f->to->T, numbers, sizeof *numbers * width * n);
    f->to->values.width = (int32_t)width;
    f->to->values.T = f->to->T;
    free(numbers);
}

static void read_one_friction(friction_reader *f)
{
    reader *r = f->r;
    zw_friction *v = &f->to->values;
    if (!json_is_object(f->object)) {
        reader_refuse_type(r, at_field(spell_friction(f, NULL)), f->object,
                           "an object with row, T and mu");
        return;
    }
    json_t *object = json_array_get(json_object_get(r->object, "friction"), f->number);
    reader_refuse_fields(r, at_field(spell_friction(f, NULL)), object, friction_fields,
                         FRICTION_FIELDS);
    read_pressing_row(f);
    read_T(f);
    v->mu = read_coefficient(f, "mu", false);
    v->mu_static = read_coefficient(f, "static", true);
    if (!f->to->T) return;
    double *more = f->to->T + (size_t)v->width * (size_t)r->n;
    if (read_directions(f, "b", more)) v->b = more;
    if (read_directions(f, "slip", more + v->width)) v->slip = more + v->width;
}

void read_friction(reader *r, const json_t *value)
{
    if (!value) return;
    if (!json_is_array(value)) {
        reader_refuse_type(r, at_field("friction"), value, "a list of objects");
        return;
    }
    size_t count = json_array_size(value);
    if (reader_too_many(r, at_field("friction"), count)) return;
    r->p->frictions = calloc(count > 0 ? count : 1, sizeof *r->p->frictions);
    if (!r->p->frictions) {
        reader_refuse_memory(r);
        return;
    }
    r->p->friction_count = (int32_t)count;
    if (count > 0 && r->p->basis)
        reader_refuse(r, MSG_RANGE, at_field("basis"), NULL,
                      "is true, but with friction there are no virtual displacements");
    for (size_t k = 0; k < count; k++) {
        friction_reader f = {
            .r = r, .object = json_array_get(value, k), .to = &r->p->frictions[k], .number = k};
        read_one_friction(&f);
    }
}

/* ----------------------------------------------------------------------------- joining */

/* from [count] numbers are appended to *x [before]; false: no memory. */
static bool append_numbers(reader *r, double **x, size_t before, const double *from, size_t count)
{
    double *joined = reader_new_numbers(r, before + count, 1);
    if (!joined) return false;
    if (before > 0) memcpy(joined, *x, sizeof *joined * before);
    if (count > 0) memcpy(joined + before, from, sizeof *joined * count);
    free(*x);
    *x = joined;
    return true;
}

/* The block of W [m*m], [m] or none at rows `first` on, in a W of `all` rows; diagonal: W is one. */
static void put_block(double *to, size_t all, bool diagonal, size_t first, const double *W,
                      zw_matrix_kind kind, size_t m)
{
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < m; j++) {
            double x = i == j ? 1.0 : 0.0;
            if (kind == ZW_FULL) x = W[i * m + j];
            if (kind == ZW_DIAGONAL && i == j) x = W[i];
            if (!diagonal)
                to[(first + i) * all + first + j] = x;
            else if (i == j)
                to[first + i] = x;
        }
    }
}

static bool join_weights(reader *r, size_t m, size_t k)
{
    problem *p = r->p;
    const problem_rows *rows = &p->at_least;
    if (p->weight == ZW_IDENTITY && rows->weight == ZW_IDENTITY) return true;
    bool diagonal = p->weight != ZW_FULL && rows->weight != ZW_FULL;
    double *W = reader_new_numbers(r, m + k, diagonal ? 1 : m + k);
    if (!W) return false;
    put_block(W, m + k, diagonal, 0, p->W, p->weight, m);
    put_block(W, m + k, diagonal, m, rows->W, rows->weight, k);
    free(p->W);
    p->W = W;
    p->weight = diagonal ? ZW_DIAGONAL : ZW_FULL;
    return true;
}

static bool join_names(reader *r, size_t m, size_t k)
{
    problem *p = r->p;
    if (!p->names && !p->at_least.names) return true;
    const char **names = calloc(m + k + 1, sizeof *names);
    if (!names) {
        reader_refuse_memory(r);
        return false;
    }
    for (size_t i = 0; i < m && p->names; i++) names[i] = p->names[i];
    for (size_t i = 0; i < k && p->at_least.names; i++) names[m + i] = p->at_least.names[i];
    free(p->names);
    p->names = names;
    return true;
}

void reader_join_rows(reader *r)
{
    problem *p = r->p;
    size_t n = (size_t)p->n, m = (size_t)p->m, k = (size_t)p->at_least.m;
    if (k == 0) return;
    if (m + k > INT32_MAX) {
        reader_too_many(r, at_field("at_least.A"), (size_t)INT32_MAX + 1);
        return;
    }
    if (!append_numbers(r, &p->A, m * n, p->at_least.A, k * n) ||
        !append_numbers(r, &p->b, m, p->at_least.b, k) || !join_weights(r, m, k) ||
        !join_names(r, m, k))
        return;
    p->m = (int32_t)(m + k);
    p->inequalities = (int32_t)k;
}
