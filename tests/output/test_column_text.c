/*
 * Names of columns: quoted where CSV asks for it, as in Modelica in MAT, refused where a reader
 * would lose a column.
 */
#include "output_sample.h"

static zw_status open_and_read(zw_result_format format, const char *const *names, int32_t count,
                               table *t)
{
    counting c;
    zb_memory memory;
    collected file = {0};
    zw_result *result = NULL;
    counting_init(&c, &memory);
    zw_status status = zo_open(&memory, format, names, count, collect, &file, &result);
    if (status == ZW_OK) {
        assert_int_equal(zo_close(result), ZW_OK);
        read_result(format, &file, t);
    }
    assert_nothing_held(&c, &memory);
    collected_free(&file);
    return status;
}

/* Whatever stands in a name, it is read as it was. */
static void exactly(void **state)
{
    (void)state;
    static const char *const names[] = {"t",
                                        "force(a, b)",
                                        "\"",
                                        "\"quoted\"",
                                        "two\nlines",
                                        "carriage\rreturn",
                                        "a\\b/c",
                                        " spaces ",
                                        "",
                                        "x'",
                                        "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
                                        "tab\there"};
    enum { count = sizeof names / sizeof *names };
    for (int format = 0; format < 3; format++) {
        table t;
        assert_int_equal(open_and_read((zw_result_format)format, names, count, &t), ZW_OK);
        assert_int_equal(t.columns, count);
        for (int32_t j = 0; j < count; j++) assert_string_equal(t.names[j], names[j]);
        table_free(&t);
    }
}

static void modelica(void **state)
{
    (void)state;
    static const char *const names[] = {"t",  "x", "x'", "x''", "link[2].r[3]'", "multiplier(a')",
                                        "T'", "'", "''", ""};
    static const char *const expected[] = {
        "time",           "x",      "der(x)", "der(der(x))", "der(link[2].r[3])",
        "multiplier(a')", "der(T)", "'",      "der(')",      ""};
    enum { count = sizeof names / sizeof *names };
    table t;
    assert_int_equal(open_and_read(ZW_RESULT_MAT, names, count, &t), ZW_OK);
    for (int32_t j = 0; j < count; j++) {
        assert_string_equal(t.names[j], expected[j]);
        assert_string_equal(t.notes[j], names[j]);
    }
    table_free(&t);
}

/* One column without a name is read as one by OpenModelica, too: there is a character. */
static void nothing_but_time(void **state)
{
    (void)state;
    static const char *const names[] = {""};
    table t;
    assert_int_equal(open_and_read(ZW_RESULT_MAT, names, 1, &t), ZW_OK);
    assert_string_equal(t.names[0], "time");
    assert_string_equal(t.notes[0], "");
    table_free(&t);
}

static void twice(void **state)
{
    (void)state;
    static const struct {
        const char *names[3];
        zw_status of[4]; /* csv, json, npz, mat */
    } cases[] = {
        {{"t", "x", "x"}, {ZW_OK, ZW_OK, ZW_ERR_ARGUMENT, ZW_ERR_ARGUMENT}},
        {{"t", "x", "t"}, {ZW_OK, ZW_OK, ZW_ERR_ARGUMENT, ZW_OK}},
        {{"t", "x", "time"}, {ZW_OK, ZW_OK, ZW_OK, ZW_ERR_ARGUMENT}},
        {{"t", "x'", "der(x)"}, {ZW_OK, ZW_OK, ZW_OK, ZW_ERR_ARGUMENT}},
        {{"t", "x", "X"}, {ZW_OK, ZW_OK, ZW_OK, ZW_OK}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int format = 0; format < 4; format++) {
            table t = {0};
            assert_int_equal(open_and_read((zw_result_format)format, cases[i].names, 3, &t),
                             cases[i].of[format]);
            table_free(&t);
        }
}

static void refused(void **state)
{
    (void)state;
    static const char *const none[] = {"t", NULL}, *const bad[] = {"t", "a\xff"};
    const char *const t_only[] = {"t"};
    table t;
    for (int format = 0; format < sample_formats; format++) {
        assert_int_equal(open_and_read((zw_result_format)format, none, 2, &t), ZW_ERR_ARGUMENT);
        assert_int_equal(open_and_read((zw_result_format)format, bad, 2, &t), ZW_ERR_ARGUMENT);
        assert_int_equal(open_and_read((zw_result_format)format, t_only, 0, &t), ZW_ERR_ARGUMENT);
    }
    assert_int_equal(open_and_read((zw_result_format)(ZW_RESULT_MAT_PLAIN + 1), t_only, 1, &t),
                     ZW_ERR_ARGUMENT);
}

/* The length of a member's name has 16 bits. */
static void long_names(void **state)
{
    (void)state;
    for (size_t length = 65531; length <= 65532; length++) {
        char *name = malloc(length + 1);
        assert_non_null(name);
        memset(name, 'x', length);
        name[length] = '\0';
        const char *const names[] = {"t", name};
        table t = {0};
        zw_status status = open_and_read(ZW_RESULT_NPZ, names, 2, &t);
        assert_int_equal(status, length == 65531 ? ZW_OK : ZW_ERR_ARGUMENT);
        if (status == ZW_OK) assert_string_equal(t.names[1], name);
        table_free(&t);
        free(name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exactly), cmocka_unit_test(modelica), cmocka_unit_test(nothing_but_time),
        cmocka_unit_test(twice),   cmocka_unit_test(refused),  cmocka_unit_test(long_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
