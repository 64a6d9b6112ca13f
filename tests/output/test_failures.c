/*
 * What goes wrong: a sink that refuses at every k-th call, memory that runs out at every k, a
 * budget. Everything is given back, every later call says the same, and a file that could be
 * ended is complete with the rows before.
 */
#include "output_sample.h"

enum { rows = 6000, few_rows = 1000 };

static void refuse_call(zw_result_format format, int64_t k)
{
    counting c;
    zb_memory memory;
    collected file = {.fail_at = k, .last = '\n'};
    int64_t written;
    counting_init(&c, &memory);
    assert_int_equal(write_sample(&memory, format, 3, rows, &file, &written), ZW_ERR_WRITE);
    assert_int_equal(file.calls, k);
    assert_int_equal(file.after, 0);
    if (format == ZW_RESULT_CSV) assert_int_equal(file.ragged, 0);
    assert_nothing_held(&c, &memory);
    collected_free(&file);
}

static void every_call(void **state)
{
    (void)state;
    for (int format = 0; format < sample_formats; format++) {
        zb_memory memory;
        collected file = {0};
        int64_t written;
        zb_memory_init(&memory, NULL);
        assert_int_equal(write_sample(&memory, (zw_result_format)format, 3, rows, &file, &written),
                         ZW_OK);
        assert_true(file.calls >= 3);
        for (int64_t k = 1; k <= file.calls; k++) refuse_call((zw_result_format)format, k);
        collected_free(&file);
    }
}

/* A sink that refuses the header: more names than the buffer takes. */
static void at_the_start(void **state)
{
    (void)state;
    enum { length = 200000 };
    char *name = malloc(length + 1);
    assert_non_null(name);
    memset(name, 'x', length);
    name[length] = '\0';
    const char *const names[] = {name};
    for (int format = 0; format < 2; format++) {
        counting c;
        zb_memory memory;
        collected file = {.fail_at = 1};
        zw_result *result = NULL;
        counting_init(&c, &memory);
        assert_int_equal(
            zo_open(&memory, (zw_result_format)format, names, 1, collect, &file, &result),
            ZW_ERR_WRITE);
        assert_null(result);
        assert_nothing_held(&c, &memory);
        collected_free(&file);
    }
    free(name);
}

/* The k-th request fails, alone or with all after it. False: there is no k-th. */
static bool refuse_memory(zw_result_format format, int64_t k, bool onwards)
{
    counting c;
    zb_memory memory;
    collected file = {0};
    int64_t written;
    counting_init(&c, &memory);
    c.refuse_at = k;
    c.refuse_onwards = onwards;
    zw_status status = write_sample(&memory, format, sample_columns, few_rows, &file, &written);
    assert_nothing_held(&c, &memory);
    bool refused = c.refused > 0, ended = file.size > 0;
    /* Rows may be had in a smaller block: a single refusal need not be a failure then. */
    bool lucky = refused && ended && !onwards && status == ZW_OK;
    assert_int_equal(status, refused && !lucky ? ZW_ERR_MEMORY : ZW_OK);
    assert_int_equal(written == few_rows, status == ZW_OK);
    if (ended) {
        table t;
        read_result(format, &file, &t);
        check_sample(format, &t, sample_columns, written);
        table_free(&t);
    }
    collected_free(&file);
    return refused;
}

static void every_request(void **state)
{
    (void)state;
    for (int format = 0; format < sample_formats; format++)
        for (int onwards = 0; onwards < 2; onwards++) {
            int64_t k = 1;
            while (refuse_memory((zw_result_format)format, k, onwards)) k++;
            assert_true(k > 3);
        }
}

static void budget(void **state)
{
    (void)state;
    for (int format = 2; format < 4; format++) {
        counting c;
        zb_memory memory;
        collected file = {0};
        table t;
        int64_t written;
        counting_init(&c, &memory);
        memory.budget = 200000;
        assert_int_equal(
            write_sample(&memory, (zw_result_format)format, sample_columns, rows, &file, &written),
            ZW_ERR_BUDGET);
        assert_nothing_held(&c, &memory);
        /* nearly all of the budget is put to use: some 128 kB of rows */
        assert_true(written * sample_columns * 8 > 90000 && written < rows);
        read_result((zw_result_format)format, &file, &t);
        check_sample((zw_result_format)format, &t, sample_columns, written);
        table_free(&t);
        collected_free(&file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_call), cmocka_unit_test(at_the_start),
                                       cmocka_unit_test(every_request), cmocka_unit_test(budget)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
