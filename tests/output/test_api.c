/*
 * Results through zwang.h: arguments, and one small file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "zwang.h"

#define ONE(name, value, word, sentence) +1
enum { format_count = 1 ZW_RESULT_LIST(ONE) }; /* and the plain one of .mat */

typedef struct text {
    char bytes[200];
    size_t size;
} text;

static bool append(void *user, const char *bytes, size_t size)
{
    text *t = user;
    if (t->size + size > sizeof t->bytes) return false;
    memcpy(t->bytes + t->size, bytes, size);
    t->size += size;
    return true;
}

static void arguments(void **state)
{
    (void)state;
    const char *const names[] = {"t"};
    zw_context *context = NULL;
    zw_result *result = NULL;
    text t = {.size = 0};
    assert_int_equal(zw_context_create(NULL, &context), ZW_OK);
    assert_int_equal(zw_result_open(NULL, ZW_RESULT_CSV, names, 1, append, &t, &result),
                     ZW_ERR_ARGUMENT);
    assert_int_equal(zw_result_open(context, ZW_RESULT_CSV, NULL, 1, append, &t, &result),
                     ZW_ERR_ARGUMENT);
    assert_int_equal(zw_result_open(context, ZW_RESULT_CSV, names, 0, append, &t, &result),
                     ZW_ERR_ARGUMENT);
    assert_int_equal(zw_result_open(context, ZW_RESULT_CSV, names, 1, NULL, &t, &result),
                     ZW_ERR_ARGUMENT);
    assert_int_equal(zw_result_open(context, ZW_RESULT_CSV, names, 1, append, &t, NULL),
                     ZW_ERR_ARGUMENT);
    assert_int_equal(
        zw_result_open(context, (zw_result_format)format_count, names, 1, append, &t, &result),
        ZW_ERR_ARGUMENT);
    assert_null(result);
    assert_int_equal(zw_result_row(NULL, (double[]){0}), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_result_close(NULL), ZW_OK);
    assert_int_equal(zw_result_open(context, ZW_RESULT_CSV, names, 1, append, &t, &result), ZW_OK);
    assert_int_equal(zw_result_row(result, NULL), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_result_row(result, (double[]){0.5}), ZW_OK);
    assert_int_equal(zw_result_close(result), ZW_OK);
    assert_int_equal(t.size, 6);
    assert_memory_equal(t.bytes, "t\n0.5\n", 6);
    zw_context_free(context);
}

/* A failed write is said by close at the latest, and everything is given back. */
static void full(void **state)
{
    (void)state;
    const char *const names[] = {"t", "x"};
    zw_context *context = NULL;
    assert_int_equal(zw_context_create(NULL, &context), ZW_OK);
    size_t held = zw_context_held(context);
    for (int format = 0; format < format_count; format++) {
        zw_result *result = NULL;
        text t = {.size = 0};
        assert_int_equal(
            zw_result_open(context, (zw_result_format)format, names, 2, append, &t, &result),
            ZW_OK);
        for (int i = 0; i < 100; i++)
            assert_int_equal(zw_result_row(result, (double[]){i, 1e-3 * i}), ZW_OK);
        assert_int_equal(zw_result_close(result), ZW_ERR_WRITE);
        assert_int_equal(zw_context_held(context), held);
    }
    zw_context_free(context);
}

/* An archive of two files: headers, bytes, a directory that counts them; wrong lists are refused. */
static void archive(void **state)
{
    (void)state;
    zw_context *context = NULL;
    text t = {.size = 0};
    zw_archive_file files[] = {{"a/b", "123456789", 9}, {"c", NULL, 0}};
    assert_int_equal(zw_context_create(NULL, &context), ZW_OK);
    size_t held = zw_context_held(context);
    assert_int_equal(zw_archive_write(context, files, 1, append, &t), ZW_OK);
    assert_int_equal(t.size, 30 + 3 + 9 + 46 + 3 + 22);
    assert_memory_equal(t.bytes, "PK\3\4", 4);
    assert_memory_equal(t.bytes + 14, "\x26\x39\xf4\xcb", 4); /* the CRC-32 of these digits */
    assert_memory_equal(t.bytes + 30, "a/b123456789PK\1\2", 16);
    assert_int_equal(t.bytes[t.size - 12], 1); /* files in all */
    assert_int_equal(zw_archive_write(context, files, 2, append, &t), ZW_ERR_WRITE);
    t.size = 0;
    assert_int_equal(zw_archive_write(NULL, files, 2, append, &t), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_archive_write(context, files, -1, append, &t), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_archive_write(context, files, 2, NULL, &t), ZW_ERR_ARGUMENT);
    files[1].size = 1; /* of nothing */
    assert_int_equal(zw_archive_write(context, files, 2, append, &t), ZW_ERR_ARGUMENT);
    files[1] = files[0];
    assert_int_equal(zw_archive_write(context, files, 2, append, &t), ZW_ERR_ARGUMENT);
    files[1].name = "";
    assert_int_equal(zw_archive_write(context, files, 2, append, &t), ZW_ERR_ARGUMENT);
    assert_int_equal(t.size, 0);
    assert_int_equal(zw_archive_write(context, NULL, 0, append, &t), ZW_OK);
    assert_int_equal(t.size, 22);
    assert_int_equal(zw_context_held(context), held);
    zw_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(arguments), cmocka_unit_test(full),
                                       cmocka_unit_test(archive)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
