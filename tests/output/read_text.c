/*
 * Readers of CSV (RFC 4180, strtod) and JSON (jansson).
 */
#include <math.h>

#include <jansson.h>

#include "output_sample.h"

/* A name at `from`, quoted or not; what follows it. */
static const char *read_name(const char *from, char *name, size_t *length)
{
    *length = 0;
    bool quoted = *from == '"';
    if (quoted) from++;
    for (;; from++) {
        if (quoted && from[0] == '"' && from[1] != '"') return from + 1;
        if (quoted && from[0] == '"') from++;
        if (!quoted && (*from == ',' || *from == '\n')) return from;
        assert_true(*from != '\0' && *length < 999);
        name[(*length)++] = *from;
    }
}

static int32_t count_names(const char *at, const char **end)
{
    char name[1000];
    size_t length;
    for (int32_t count = 1;; count++) {
        at = read_name(at, name, &length);
        assert_true(*at == ',' || *at == '\n');
        if (*at++ == '\n') {
            *end = at;
            return count;
        }
    }
}

void read_csv(const collected *file, table *t)
{
    char *text = calloc(file->size + 1, 1), *end;
    const char *at;
    assert_non_null(text);
    memcpy(text, file->data, file->size);
    assert_int_equal(strlen(text), file->size);
    assert_int_equal(text[file->size - 1], '\n');
    int32_t columns = count_names(text, &at);
    int64_t rows = 0;
    for (const char *c = at; *c; c++) rows += *c == '\n';
    table_make(t, columns, rows);
    const char *name_at = text;
    for (int32_t j = 0; j < columns; j++) {
        char name[1000];
        size_t length;
        name_at = read_name(name_at, name, &length) + 1;
        table_set(t->names, j, name, length);
    }
    for (int64_t i = 0; i < rows * columns; i++) {
        t->values[i] = strtod(at, &end);
        assert_true(end > at);
        assert_int_equal(*end, (i + 1) % columns == 0 ? '\n' : ',');
        at = end + 1;
    }
    assert_int_equal(*at, '\0');
    free(text);
}

void read_json(const collected *file, table *t)
{
    json_error_t error;
    json_t *root = json_loadb(file->data, file->size, JSON_DECODE_INT_AS_REAL, &error);
    if (!root) fail_msg("line %d: %s", error.line, error.text);
    assert_int_equal(json_object_size(root), 2);
    json_t *columns = json_object_get(root, "columns"), *rows = json_object_get(root, "rows");
    assert_true(json_is_array(columns) && json_is_array(rows));
    size_t n = json_array_size(columns), count = json_array_size(rows);
    table_make(t, (int32_t)n, (int64_t)count);
    for (size_t j = 0; j < n; j++) {
        json_t *name = json_array_get(columns, j);
        table_set(t->names, (int32_t)j, json_string_value(name), json_string_length(name));
    }
    for (size_t i = 0; i < count; i++) {
        json_t *row = json_array_get(rows, i);
        assert_int_equal(json_array_size(row), n);
        for (size_t j = 0; j < n; j++) {
            json_t *value = json_array_get(row, j);
            assert_true(json_is_real(value) || json_is_null(value));
            t->values[i * n + j] = json_is_real(value) ? json_real_value(value) : (double)NAN;
        }
    }
    json_decref(root);
}
