/*
 * Pages through zwang.h: what stands in them is read back, nothing in a model can end the script it
 * stands in, a write that fails and memory that runs out are told; and the times of rows.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "zwang.h"

/* ------------------------------------------------------------------------- pages */

typedef struct text {
    char bytes[20000];
    size_t size, most;
} text;

static bool append(void *user, const char *bytes, size_t size)
{
    text *t = user;
    if (t->size + size > t->most) return false;
    memcpy(t->bytes + t->size, bytes, size);
    t->size += size;
    t->bytes[t->size] = '\0';
    return true;
}

static const double rows[] = {0, 1, 0.5, -2.25};
static const zw_page_column columns[] = {{"t", "time"}, {"x <y>", "energy"}};
static const zw_page sample = {.style = "b{}",
                               .script = "run()",
                               .title = "a </script> \"title\"",
                               .text = "coord x\n<!--",
                               .text_length = 12,
                               .columns = columns,
                               .column_count = 2,
                               .rows = rows,
                               .row_count = 2,
                               .row_total = 7,
                               .events = "[{\"t\":1,\"name\":\"x<1\"}]",
                               .trust = "ok",
                               .verdict = "one\ntwo\n",
                               .equations = "<h2>mass</h2>\n<math>m</math>\n"};

/* The JSON of a page. */
static json_t *read_page(const char *page)
{
    const char *begin = strstr(page, "id=\"zwang-page\">");
    assert_non_null(begin);
    begin += strlen("id=\"zwang-page\">");
    const char *end = strstr(begin, "</script>");
    assert_non_null(end);
    assert_null(memchr(begin, '<', (size_t)(end - begin)));
    json_t *tree = json_loadb(begin, (size_t)(end - begin), 0, NULL);
    assert_non_null(tree);
    return tree;
}

static const char *string_of(const json_t *tree, const char *name)
{
    return json_string_value(json_object_get(tree, name));
}

static void page_is_read_back(void **state)
{
    (void)state;
    static text t;
    zw_context *context = NULL;
    t.most = sizeof t.bytes - 1;
    assert_int_equal(zw_context_create(NULL, &context), ZW_OK);
    assert_int_equal(zw_page_write(context, &sample, append, &t), ZW_OK);
    assert_non_null(strstr(t.bytes, "<style>b{}</style>"));
    assert_non_null(strstr(t.bytes, "<script>run()</script>"));
    json_t *page = read_page(t.bytes), *data = json_object_get(page, "data");
    assert_string_equal(string_of(page, "title"), sample.title);
    assert_string_equal(string_of(page, "text"), sample.text);
    assert_null(json_object_get(page, "scene"));
    assert_string_equal(string_of(data, "type"), "f8");
    /* columns one after the other: 0, 0.5, 1, -2.25, little endian */
    assert_string_equal(string_of(data, "base64"), "AAAAAAAAAAAAAAAAAADgPwAAAAAAAPA/AAAAAAAAAsA=");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(page, "thinned"), "from")),
                     7);
    const json_t *event = json_array_get(json_object_get(page, "events"), 0);
    assert_string_equal(string_of(event, "name"), "x<1");
    const json_t *lines = json_object_get(json_object_get(page, "verdict"), "lines");
    assert_string_equal(json_string_value(json_array_get(lines, 1)), "two");
    const json_t *equation = json_array_get(json_object_get(page, "equations"), 0);
    assert_string_equal(string_of(equation, "mathml"), "<math>m</math>");
    const json_t *energy = json_object_get(json_object_get(page, "energy"), "columns");
    assert_string_equal(json_string_value(json_array_get(energy, 0)), "x <y>");
    json_decref(page);
    zw_context_free(context);
}

static void page_that_cannot_be_written(void **state)
{
    (void)state;
    static text t;
    zw_context *context = NULL;
    zw_page p = sample;
    assert_int_equal(zw_context_create(NULL, &context), ZW_OK);
    t = (text){.most = 100};
    assert_int_equal(zw_page_write(context, &p, append, &t), ZW_ERR_WRITE);
    t.most = sizeof t.bytes - 1;
    p.script = NULL;
    assert_int_equal(zw_page_write(context, &p, append, &t), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_page_write(context, NULL, append, &t), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_page_write(NULL, &sample, append, &t), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_page_write(context, &sample, NULL, &t), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_context_set_budget(context, zw_context_held(context) + 1), ZW_OK);
    assert_int_equal(zw_page_write(context, &sample, append, &t), ZW_ERR_BUDGET);
    zw_context_free(context);
}

/* ------------------------------------------------------------------------- times */

static void check_grid(double from, double until, double every, int64_t count)
{
    zw_run_settings s = {.from = from, .until = until, .every = every};
    zw_run_grid g;
    assert_int_equal(zw_run_grid_find(&s, &g), ZW_OK);
    assert_int_equal(g.count, count);
    assert_true(zw_run_grid_time(&g, 0) == from);
    for (int64_t k = 1; k < count; k++)
        assert_true(zw_run_grid_time(&g, k) > zw_run_grid_time(&g, k - 1));
    assert_true(zw_run_grid_time(&g, count - 1) <= until);
}

/* A decimal interval gives the decimals one would write. */
static void times_of_rows(void **state)
{
    (void)state;
    zw_run_settings s = {.from = 0, .until = 10, .every = 0.1};
    zw_run_grid g;
    char word[32];
    check_grid(0, 10, 0.1, 101);
    check_grid(0, 1, 0.3, 4);
    check_grid(-2, 1, 1.0 / 3, 10);
    check_grid(0, 1, (double)NAN, 501);
    check_grid(1, 1, (double)NAN, 1);
    assert_int_equal(zw_run_grid_find(&s, &g), ZW_OK);
    for (int k = 0; k <= 100; k++) {
        (void)snprintf(word, sizeof word, "%d.%d", k / 10, k % 10);
        assert_true(zw_run_grid_time(&g, k) == strtod(word, NULL));
    }
    s.every = 0;
    assert_int_equal(zw_run_grid_find(&s, &g), ZW_ERR_ARGUMENT);
    s.every = 1e-16;
    assert_int_equal(zw_run_grid_find(&s, &g), ZW_ERR_ARGUMENT);
    s = (zw_run_settings){.from = 1, .until = 0, .every = 1};
    assert_int_equal(zw_run_grid_find(&s, &g), ZW_ERR_ARGUMENT);
    s.until = (double)NAN;
    assert_int_equal(zw_run_grid_find(&s, &g), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_run_grid_find(NULL, &g), ZW_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(page_is_read_back),
                                       cmocka_unit_test(page_that_cannot_be_written),
                                       cmocka_unit_test(times_of_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
