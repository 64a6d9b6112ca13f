/*
 * Each format is written and read back to the bits: no rows, one, a few, many; and what each
 * promises about memory and pieces.
 */
#include "output_sample.h"

static void round_trip(zw_result_format format, int32_t columns, int64_t rows)
{
    counting c;
    zb_memory memory;
    collected file = {0};
    table t;
    int64_t written;
    counting_init(&c, &memory);
    assert_int_equal(write_sample(&memory, format, columns, rows, &file, &written), ZW_OK);
    assert_int_equal(written, rows);
    assert_nothing_held(&c, &memory);
    read_result(format, &file, &t);
    check_sample(format, &t, columns, rows);
    table_free(&t);
    collected_free(&file);
}

static void every_length(zw_result_format format)
{
    static const int64_t rows[] = {0, 1, 2, 3, 100, 5000};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        round_trip(format, sample_columns, rows[i]);
    round_trip(format, 2, 100000);
    for (int32_t columns = 1; columns < sample_columns; columns++) round_trip(format, columns, 10);
}

/* A test for each format. */
#define TEST(name, value, word, sentence)                                                          \
    static void word(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        every_length(name);                                                                        \
    }
ZW_RESULT_LIST(TEST)

static void text_as_it_stands(void **state)
{
    (void)state;
    static const char *const names[] = {"t", "a \"b\", c"};
    static const double rows[2][2] = {{0, 0.5}, {0.25, 1e300 * 1e300}};
    static const char *const expected[] = {
        "t,\"a \"\"b\"\", c\"\n0,0.5\n0.25,inf\n",
        "{\"columns\": [\"t\", \"a \\\"b\\\", c\"], \"rows\": [\n[0, 0.5],\n[0.25, null]\n]}\n"};
    for (int format = 0; format < 2; format++) {
        zb_memory memory;
        collected file = {0};
        zw_result *result = NULL;
        zb_memory_init(&memory, NULL);
        assert_int_equal(
            zo_open(&memory, (zw_result_format)format, names, 2, collect, &file, &result), ZW_OK);
        for (int i = 0; i < 2; i++) assert_int_equal(zo_row(result, rows[i]), ZW_OK);
        assert_int_equal(zo_close(result), ZW_OK);
        assert_int_equal(file.size, strlen(expected[format]));
        assert_memory_equal(file.data, expected[format], file.size);
        collected_free(&file);
    }
}

/* Text takes no memory for rows, and every piece but the last ends with a row. */
static void text_does_not_grow(void **state)
{
    (void)state;
    for (int format = 0; format < 2; format++) {
        counting c;
        zb_memory memory;
        collected file = {.last = format == ZW_RESULT_CSV ? '\n' : ']'};
        zw_result *result = NULL;
        double row[sample_columns];
        counting_init(&c, &memory);
        assert_int_equal(zo_open(&memory, (zw_result_format)format, sample_names, sample_columns,
                                 collect, &file, &result),
                         ZW_OK);
        size_t held = memory.held;
        int64_t requests = c.requests;
        assert_true(held < 100000);
        for (int64_t i = 0; i < 40000; i++) {
            for (int32_t j = 0; j < sample_columns; j++) row[j] = sample(i, j);
            assert_int_equal(zo_row(result, row), ZW_OK);
        }
        assert_int_equal(memory.held, held);
        assert_int_equal(c.requests, requests);
        assert_true(file.calls > 40 && file.size / (size_t)file.calls > 15000);
        assert_int_equal(file.ragged, 0);
        assert_int_equal(zo_close(result), ZW_OK);
        assert_nothing_held(&c, &memory);
        collected_free(&file);
    }
}

/* Rows longer than the buffer usually is, more members than 16 bits count, names of any length. */
static void very_wide(void **state)
{
    (void)state;
    enum { most = 70000 };
    char **names = calloc(most, sizeof *names);
    double *row = calloc(most, sizeof *row);
    assert_true(names && row);
    for (int32_t j = 0; j < most; j++) {
        char name[40];
        snprintf(name, sizeof name, "body[%d].position", j);
        table_set(names, j, name, strlen(name));
        row[j] = sample(1000 + j, 2);
    }
    for (int format = 0; format < sample_formats; format++) {
        zb_memory memory;
        collected file = {.last = '\n'};
        zw_result *result = NULL;
        table t;
        int32_t columns = format == ZW_RESULT_NPZ ? most : most / 10;
        zb_memory_init(&memory, NULL);
        assert_int_equal(zo_open(&memory, (zw_result_format)format, (const char *const *)names,
                                 columns, collect, &file, &result),
                         ZW_OK);
        for (int i = 0; i < 2; i++) assert_int_equal(zo_row(result, row), ZW_OK);
        assert_int_equal(zo_close(result), ZW_OK);
        read_result((zw_result_format)format, &file, &t);
        assert_int_equal(t.columns, columns);
        assert_int_equal(t.rows, 2);
        assert_memory_equal(t.values + columns, row, (size_t)columns * sizeof *row);
        assert_string_equal(t.names[columns - 1], names[columns - 1]);
        table_free(&t);
        collected_free(&file);
    }
    for (int32_t j = 0; j < most; j++) free(names[j]);
    free(names);
    free(row);
}

int main(void)
{
#define UNIT(name, value, word, sentence) cmocka_unit_test(word),
    const struct CMUnitTest tests[] = {ZW_RESULT_LIST(UNIT) cmocka_unit_test(text_as_it_stands),
                                       cmocka_unit_test(text_does_not_grow),
                                       cmocka_unit_test(very_wide)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
