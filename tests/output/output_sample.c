/*
 * Collecting bytes, the numbers of the sample, and the comparison.
 */
#include "output_sample.h"

#include <float.h>
#include <math.h>

const char *const sample_names[sample_columns] = {
    "t", "x", "r[1]'", "multiplier(joint[3])[2]", "\xce\xb8", "x''"};

bool collect(void *user, const char *bytes, size_t size)
{
    collected *c = user;
    c->calls++;
    if (c->failed) c->after++;
    if (c->calls == c->fail_at) c->failed = true;
    if (c->failed) return false;
    assert_true(size > 0);
    if (c->size + size > c->capacity) {
        c->capacity = 2 * (c->size + size);
        c->data = realloc(c->data, c->capacity);
        assert_non_null(c->data);
    }
    memcpy(c->data + c->size, bytes, size);
    c->size += size;
    if (bytes[size - 1] != c->last) c->ragged++;
    return true;
}

void collected_free(collected *c)
{
    free(c->data);
    *c = (collected){0};
}

double sample(int64_t i, int32_t j)
{
    static const double special[] = {0.0,
                                     -0.0,
                                     1.0,
                                     -1.5,
                                     0.1,
                                     (double)NAN,
                                     (double)INFINITY,
                                     -(double)INFINITY,
                                     DBL_MIN,
                                     DBL_MAX,
                                     -DBL_MAX,
                                     5e-324,
                                     1e22,
                                     123456789012.25,
                                     0x1p-24};
    enum { specials = sizeof special / sizeof *special };
    if (j == 0) return (double)i * 0.01;
    if (i < specials) return special[(i + j) % specials];
    uint64_t bits = zb_hash_mix((uint64_t)i, (uint64_t)j);
    double value;
    memcpy(&value, &bits, sizeof value);
    return j % 2 == 1 && isfinite(value) ? value : (double)bits * 0x1p-63 - 1;
}

zw_status write_sample(zb_memory *memory, zw_result_format format, int32_t columns, int64_t rows,
                       collected *out, int64_t *written)
{
    double row[sample_columns];
    zw_result *result = NULL;
    *written = 0;
    zw_status status = zo_open(memory, format, sample_names, columns, collect, out, &result);
    if (status != ZW_OK) {
        assert_null(result);
        return status;
    }
    for (int64_t i = 0; i < rows; i++) {
        for (int32_t j = 0; j < columns; j++) row[j] = sample(i, j);
        zw_status now = zo_row(result, row);
        /* once failed, always failed, in the same way */
        if (status != ZW_OK) assert_int_equal(now, status);
        status = now;
        if (now == ZW_OK) ++*written;
    }
    zw_status closed = zo_close(result);
    if (status != ZW_OK) assert_int_equal(closed, status);
    return closed;
}

/* ------------------------------------------------------------------- tables */

void table_make(table *t, int32_t columns, int64_t rows)
{
    *t = (table){.columns = columns, .rows = rows};
    t->names = calloc((size_t)columns, sizeof *t->names);
    t->notes = calloc((size_t)columns, sizeof *t->notes);
    t->values = calloc((size_t)columns * (size_t)rows + 1, sizeof *t->values);
    assert_true(t->names && t->notes && t->values);
}

void table_set(char **strings, int32_t column, const char *text, size_t length)
{
    char *copy = calloc(length + 1, 1);
    assert_non_null(copy);
    memcpy(copy, text, length);
    free(strings[column]);
    strings[column] = copy;
}

void table_free(table *t)
{
    for (int32_t j = 0; j < t->columns; j++) {
        free(t->names[j]);
        free(t->notes[j]);
    }
    free(t->names);
    free(t->notes);
    free(t->values);
    *t = (table){0};
}

uint64_t little(const char *bytes, int size)
{
    uint64_t value = 0;
    for (int i = size - 1; i >= 0; i--) value = value << 8 | (unsigned char)bytes[i];
    return value;
}

void read_result(zw_result_format format, const collected *file, table *t)
{
    static void (*const read[])(const collected *, table *) = {
#define READER(name, value, word, sentence) [name] = read_##word,
        ZW_RESULT_LIST(READER)
#undef READER
    };
    read[format](file, t);
}

static bool same(zw_result_format format, double a, double b)
{
    if (format == ZW_RESULT_JSON && !isfinite(b)) return isnan(a);
    if (format == ZW_RESULT_CSV && isnan(b)) return isnan(a);
    return memcmp(&a, &b, sizeof a) == 0;
}

void check_sample(zw_result_format format, const table *t, int32_t columns, int64_t rows)
{
    static const char *const mat_names[sample_columns] = {
        "time", "x", "der(r[1])", "multiplier(joint[3])[2]", "\xce\xb8", "der(der(x))"};
    assert_int_equal(t->columns, columns);
    assert_int_equal(t->rows, rows);
    for (int32_t j = 0; j < columns; j++) {
        bool mat = format == ZW_RESULT_MAT;
        assert_string_equal(t->names[j], mat ? mat_names[j] : sample_names[j]);
        if (mat) assert_string_equal(t->notes[j], sample_names[j]);
    }
    for (int64_t i = 0; i < rows; i++)
        for (int32_t j = 0; j < columns; j++)
            if (!same(format, t->values[i * columns + j], sample(i, j)))
                fail_msg("row %d, column %d: %a, not %a", (int)i, j, t->values[i * columns + j],
                         sample(i, j));
}
