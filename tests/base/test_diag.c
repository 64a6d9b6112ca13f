/*
 * The list of diagnostics and its two forms: exact texts, copies, limits, replaced sources,
 * and every refusal of memory. What stands under the first line is tested in test_quote.c.
 */
#include "counting.h"

/* The list written in one of its forms; the caller frees the string. */
static char *written(const zb_diag_list *list, bool json)
{
    zb_memory memory;
    zb_text text;
    zb_memory_init(&memory, NULL);
    zb_text_init(&text, &memory);
    if (json)
        zb_diag_json(list, &text);
    else
        zb_diag_text(list, &text);
    assert_int_equal(text.failure, ZW_OK);
    char *copy = malloc(text.length + 1);
    assert_non_null(copy);
    memcpy(copy, zb_text_string(&text), text.length + 1);
    zb_text_free(&text);
    return copy;
}

static void assert_written(const zb_diag_list *list, bool json, const char *expected)
{
    char *text = written(list, json);
    assert_string_equal(text, expected);
    free(text);
}

/* One diagnostic alone, in both forms. */
static void assert_one(zw_diagnostic d, const char *text, const char *json)
{
    counting c;
    zb_memory memory;
    zb_diag_list list;
    counting_init(&c, &memory);
    zb_diag_init(&list, &memory);
    assert_int_equal(zb_diag_add(&list, &d), ZW_OK);
    assert_written(&list, false, text);
    assert_written(&list, true, json);
    zb_diag_free(&list);
    assert_nothing_held(&c, &memory);
}

static void forms_of_a_place(void **state)
{
    (void)state;
    zw_diagnostic d = {.severity = ZW_ERROR,
                       .code = "E0102",
                       .file = "a.zw",
                       .line = 3,
                       .column = 14,
                       .length = 5,
                       .sentence = "unknown name 'tetha'",
                       .help = "did you mean 'theta'?"};
    assert_one(d,
               "a.zw:3:14: error[E0102]: unknown name 'tetha'\n"
               "    help: did you mean 'theta'?\n",
               "[{\"severity\":\"error\",\"code\":\"E0102\",\"file\":\"a.zw\",\"line\":3,"
               "\"column\":14,\"length\":5,\"sentence\":\"unknown name 'tetha'\","
               "\"help\":\"did you mean 'theta'?\"}]");
    d.help = NULL;
    d.length = d.column = 0;
    assert_one(d, "a.zw:3: error[E0102]: unknown name 'tetha'\n",
               "[{\"severity\":\"error\",\"code\":\"E0102\",\"file\":\"a.zw\",\"line\":3,"
               "\"sentence\":\"unknown name 'tetha'\"}]");
    d.file = NULL;
    d.column = 2;
    assert_one(d, "3:2: error[E0102]: unknown name 'tetha'\n",
               "[{\"severity\":\"error\",\"code\":\"E0102\",\"line\":3,\"column\":2,"
               "\"sentence\":\"unknown name 'tetha'\"}]");
}

static void forms_of_a_place_in_data(void **state)
{
    (void)state;
    zw_diagnostic d = {.severity = ZW_WARNING,
                       .code = "E0901",
                       .file = "problem.json",
                       .column = 9, /* without a line it means nothing in the text */
                       .where = "A[2][1]",
                       .sentence = "not a number"};
    assert_one(d, "problem.json: warning[E0901]: A[2][1]: not a number\n",
               "[{\"severity\":\"warning\",\"code\":\"E0901\",\"file\":\"problem.json\","
               "\"column\":9,\"where\":\"A[2][1]\",\"sentence\":\"not a number\"}]");
    d.column = 0;
    d.where = NULL;
    assert_one(d, "problem.json: warning[E0901]: not a number\n",
               "[{\"severity\":\"warning\",\"code\":\"E0901\",\"file\":\"problem.json\","
               "\"sentence\":\"not a number\"}]");
    d.file = d.code = NULL;
    d.severity = ZW_REMARK;
    assert_one(d, "remark: not a number\n",
               "[{\"severity\":\"remark\",\"sentence\":\"not a number\"}]");
    d.sentence = NULL;
    assert_one(d, "remark\n", "[{\"severity\":\"remark\"}]");
    d.where = "b[0]";
    d.line = d.column = d.length = -7; /* nonsense counts as not known */
    assert_one(d, "remark: b[0]\n", "[{\"severity\":\"remark\",\"where\":\"b[0]\"}]");
}

/* Nothing an input says reaches the terminal but visible characters. */
static void hostile_strings_are_shown_harmlessly(void **state)
{
    (void)state;
    zw_diagnostic d = {.severity = ZW_ERROR,
                       .code = "E\x1b",
                       .file = "a\nb.zw",
                       .where = "x\r",
                       .sentence = "unknown name '\x1b[2J\xc2\x9b\xff'",
                       .help = "\xe2\x80\xaetxt \"quoted\" \\"};
    assert_one(d,
               "a\\nb.zw: error[E\\x1b]: x\\r: unknown name '\\x1b[2J\\u009b\\xff'\n"
               "    help: \\u202etxt \"quoted\" \\\n",
               "[{\"severity\":\"error\",\"code\":\"E\\u001b\",\"file\":\"a\\nb.zw\","
               "\"where\":\"x\\r\","
               "\"sentence\":\"unknown name '\\u001b[2J\\u009b\xef\xbf\xbd'\","
               "\"help\":\"\\u202etxt \\\"quoted\\\" \\\\\"}]");
}

static void everything_is_copied_and_stays(void **state)
{
    (void)state;
    counting c;
    zb_memory memory;
    zb_diag_list list;
    counting_init(&c, &memory);
    zb_diag_init(&list, &memory);
    list.limit = 0;
    char code[] = "E1", file[] = "f", where[] = "w", sentence[] = "s", help[] = "h";
    zw_diagnostic d = {ZW_ERROR, code, file, 1, 2, 3, where, sentence, help};
    assert_int_equal(zb_diag_add(&list, &d), ZW_OK);
    const zw_diagnostic *first = zb_diag_get(&list, 0);
    code[0] = file[0] = where[0] = sentence[0] = help[0] = '?';
    for (int i = 0; i < 1000; i++) assert_int_equal(zb_diag_add(&list, &d), ZW_OK);
    assert_ptr_equal(zb_diag_get(&list, 0), first);
    assert_string_equal(first->code, "E1");
    assert_string_equal(first->file, "f");
    assert_string_equal(first->where, "w");
    assert_string_equal(first->sentence, "s");
    assert_string_equal(first->help, "h");
    assert_true(first->line == 1 && first->column == 2 && first->length == 3);
    assert_int_equal(zb_diag_count(&list), 1001);
    assert_null(zb_diag_get(&list, 1001));
    assert_null(zb_diag_get(&list, -1));
    zb_diag_free(&list);
    assert_nothing_held(&c, &memory);
}

static void order_and_clear(void **state)
{
    (void)state;
    counting c;
    zb_memory memory;
    zb_diag_list list;
    counting_init(&c, &memory);
    zb_diag_init(&list, &memory);
    assert_written(&list, false, "");
    assert_written(&list, true, "[]");
    assert_int_equal(zb_diag_add_source(&list, "f", "text", 4), ZW_OK);
    size_t before = memory.held;
    zb_diag_add(&list, &(zw_diagnostic){.severity = ZW_ERROR, .sentence = "one"});
    zb_diag_add(&list, &(zw_diagnostic){.severity = ZW_REMARK, .sentence = "two"});
    zb_diag_add(&list, &(zw_diagnostic){.severity = ZW_WARNING, .sentence = "three"});
    assert_written(&list, false, "error: one\nwarning: three\nremark: two\n");
    assert_written(&list, true,
                   "[{\"severity\":\"error\",\"sentence\":\"one\"},\n"
                   "{\"severity\":\"warning\",\"sentence\":\"three\"},\n"
                   "{\"severity\":\"remark\",\"sentence\":\"two\"}]");
    assert_int_equal(zb_diag_errors(&list), 1);
    zb_diag_clear(&list);
    assert_int_equal(zb_diag_count(&list), 0);
    assert_int_equal(zb_diag_errors(&list), 0);
    assert_int_equal(memory.held, before);
    assert_non_null(zb_diag_source(&list, "f")); /* sources stay */
    assert_written(&list, false, "");
    zb_diag_free(&list);
    assert_nothing_held(&c, &memory);
}

static void unknown_severities_are_refused(void **state)
{
    (void)state;
    zb_memory memory;
    zb_diag_list list;
    zb_memory_init(&memory, NULL);
    zb_diag_init(&list, &memory);
    for (unsigned bad = 3; bad < 10; bad++)
        assert_int_equal(zb_diag_add(&list, &(zw_diagnostic){.severity = (zw_severity)bad}),
                         ZW_ERR_ARGUMENT);
    assert_int_equal(zb_diag_count(&list), 0);
    zb_diag_free(&list);
}

/* ------------------------------------------------------------------- limits */

static void past_the_limit_they_are_counted(void **state)
{
    (void)state;
    counting c;
    zb_memory memory;
    zb_diag_list list;
    counting_init(&c, &memory);
    zb_diag_init(&list, &memory);
    assert_int_equal(list.limit, 50);
    list.limit = 2;
    const char *sentences[] = {"one", "two", "three", "four"};
    for (int i = 0; i < 4; i++)
        zb_diag_add(&list, &(zw_diagnostic){.severity = ZW_WARNING, .sentence = sentences[i]});
    /* warnings past the limit do not keep errors out */
    for (int i = 0; i < 2; i++)
        zb_diag_add(&list, &(zw_diagnostic){.severity = ZW_ERROR, .sentence = "bad"});
    size_t held = memory.held;
    for (int i = 0; i < 9; i++)
        zb_diag_add(&list, &(zw_diagnostic){.severity = ZW_ERROR, .sentence = "bad"});
    assert_int_equal(zb_diag_count(&list), 4);
    assert_int_equal(zb_diag_errors(&list), 11);
    assert_int_equal(list.dropped, 11);
    assert_int_equal(memory.held, held); /* those that are not kept cost nothing */
    assert_written(&list, false,
                   "error: bad\nerror: bad\nwarning: one\nwarning: two\n... and 11 more\n");
    assert_written(&list, true,
                   "[{\"severity\":\"error\",\"sentence\":\"bad\"},\n"
                   "{\"severity\":\"error\",\"sentence\":\"bad\"},\n"
                   "{\"severity\":\"warning\",\"sentence\":\"one\"},\n"
                   "{\"severity\":\"warning\",\"sentence\":\"two\"},\n"
                   "{\"severity\":\"remark\",\"sentence\":\"and 11 more\"}]");
    zb_diag_clear(&list);
    assert_written(&list, false, "");
    zb_diag_add(&list, &(zw_diagnostic){.severity = ZW_ERROR, .sentence = "again"});
    assert_written(&list, false, "error: again\n");
    zb_diag_free(&list);
    assert_nothing_held(&c, &memory);
}

static void fifty_by_default(void **state)
{
    (void)state;
    zb_memory memory;
    zb_diag_list list;
    zb_memory_init(&memory, NULL);
    zb_diag_init(&list, &memory);
    for (int i = 0; i < 50; i++)
        zb_diag_add(&list, &(zw_diagnostic){.severity = ZW_ERROR, .sentence = "e"});
    char *fifty = written(&list, false);
    assert_null(strstr(fifty, "more"));
    for (int i = 0; i < 12; i++)
        zb_diag_add(&list, &(zw_diagnostic){.severity = ZW_ERROR, .sentence = "e"});
    char *more = written(&list, false);
    assert_memory_equal(more, fifty, strlen(fifty));
    assert_string_equal(more + strlen(fifty), "... and 12 more\n");
    free(fifty);
    free(more);
    zb_diag_free(&list);
}

/* ------------------------------------------------------------------ sources */

static void sources_are_copied_and_replaced(void **state)
{
    (void)state;
    counting c;
    zb_memory memory;
    zb_diag_list list;
    counting_init(&c, &memory);
    zb_diag_init(&list, &memory);
    char file[] = "f", text[] = "first";
    assert_int_equal(zb_diag_add_source(&list, file, text, 5), ZW_OK);
    file[0] = text[0] = '?';
    assert_null(zb_diag_source(&list, "?"));
    assert_null(zb_diag_source(&list, NULL));
    assert_string_equal(zb_diag_source(&list, "f")->text, "first");
    assert_int_equal(zb_diag_add_source(&list, "g", NULL, 0), ZW_OK);
    assert_int_equal(zb_diag_source(&list, "g")->length, 0);
    assert_int_equal(zb_diag_add_source(&list, "f", "the second", 10), ZW_OK);
    assert_string_equal(zb_diag_source(&list, "f")->text, "the second");
    assert_int_equal(list.sources.count, 2);
    assert_int_equal(zb_diag_add_source(&list, NULL, "x", 1), ZW_ERR_ARGUMENT);
    assert_int_equal(zb_diag_add_source(&list, "h", NULL, 1), ZW_ERR_ARGUMENT);
    assert_int_equal(list.sources.count, 2);
    zb_diag_free(&list);
    assert_nothing_held(&c, &memory);
}

/* ------------------------------------------------------------------ failure */

/* Everything the list does; the first failure ends it, as it would a compilation. */
static zw_status work(zb_diag_list *list, zb_text *text)
{
    zw_diagnostic d = {ZW_ERROR, "E0102", "a.zw", 2, 3, 4, "where", "a sentence", "some help"};
    ZB_TRY(zb_diag_add_source(list, "a.zw", "line one\nline two\n", 18));
    for (int i = 0; i < 30; i++) ZB_TRY(zb_diag_add(list, &d));
    ZB_TRY(zb_diag_add_source(list, "b.zw", "other", 5));
    ZB_TRY(zb_diag_add_source(list, "a.zw", "line one\nline 2\n", 16));
    zb_diag_text(list, text);
    zb_diag_json(list, text);
    return text->failure;
}

/* With the k-th request refused, only once or from then on: the status tells, what is in the
 * list is whole, everything comes back. */
static bool work_refused(int64_t k, bool onwards)
{
    counting c;
    zb_memory memory;
    zb_diag_list list;
    zb_text text;
    counting_init(&c, &memory);
    c.refuse_at = k;
    c.refuse_onwards = onwards;
    zb_diag_init(&list, &memory);
    zb_text_init(&text, &memory);
    zw_status status = work(&list, &text);
    bool refused = c.refused > 0;
    assert_int_equal(status, refused ? ZW_ERR_MEMORY : ZW_OK);
    assert_int_equal(zb_diag_errors(&list), zb_diag_count(&list));
    for (int32_t i = 0; i < zb_diag_count(&list); i++) {
        const zw_diagnostic *d = zb_diag_get(&list, i);
        assert_string_equal(d->sentence, "a sentence");
        assert_string_equal(d->help, "some help");
    }
    zb_text_free(&text);
    zb_diag_free(&list);
    assert_nothing_held(&c, &memory);
    return refused;
}

/* A diagnostic that could not be copied to its end leaves nothing in the arena. */
static void half_a_copy_is_given_back(void **state)
{
    (void)state;
    counting c;
    zb_memory memory;
    zb_diag_list list;
    static char longer[100000];
    memset(longer, 'x', sizeof longer - 1);
    counting_init(&c, &memory);
    zb_diag_init(&list, &memory);
    zb_diag_add(&list, &(zw_diagnostic){.severity = ZW_ERROR, .sentence = "first"});
    assert_true(zb_array_reserve(&memory, &list.items, 1));
    size_t held = memory.held;
    zw_diagnostic d = {.severity = ZW_ERROR, .code = longer, .sentence = longer, .help = longer};
    c.refuse_at = c.requests + 3; /* the last string */
    assert_int_equal(zb_diag_add(&list, &d), ZW_ERR_MEMORY);
    assert_int_equal(c.refused, 1);
    assert_int_equal(memory.held, held);
    assert_int_equal(zb_diag_count(&list), 1);
    zb_diag_free(&list);
    assert_nothing_held(&c, &memory);
}

static void every_refusal_is_survived(void **state)
{
    (void)state;
    int64_t k = 1;
    while (work_refused(k, false)) k++;
    assert_true(k > 10);
    for (int64_t j = 1; j < k; j++) assert_true(work_refused(j, true));
    assert_false(work_refused(k, true));
}

static void every_budget_is_survived(void **state)
{
    (void)state;
    zw_status status = ZW_ERR_BUDGET;
    for (size_t budget = 1; status != ZW_OK; budget += 37) {
        counting c;
        zb_memory memory;
        zb_diag_list list;
        zb_text text;
        counting_init(&c, &memory);
        memory.budget = budget;
        zb_diag_init(&list, &memory);
        zb_text_init(&text, &memory);
        status = work(&list, &text);
        assert_true(status == ZW_OK || status == ZW_ERR_BUDGET);
        assert_true(memory.held <= budget);
        assert_true(budget < 1000000);
        zb_text_free(&text);
        zb_diag_free(&list);
        assert_nothing_held(&c, &memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_of_a_place),
        cmocka_unit_test(forms_of_a_place_in_data),
        cmocka_unit_test(hostile_strings_are_shown_harmlessly),
        cmocka_unit_test(everything_is_copied_and_stays),
        cmocka_unit_test(order_and_clear),
        cmocka_unit_test(unknown_severities_are_refused),
        cmocka_unit_test(past_the_limit_they_are_counted),
        cmocka_unit_test(fifty_by_default),
        cmocka_unit_test(sources_are_copied_and_replaced),
        cmocka_unit_test(half_a_copy_is_given_back),
        cmocka_unit_test(every_refusal_is_survived),
        cmocka_unit_test(every_budget_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
