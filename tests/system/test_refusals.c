/*
 * What is refused is told, and nothing is left behind: memory at every request while settings with
 * indices are read, a caller that takes no more text, an index that is out of range.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <zwang.h>

/* ------------------------------------------------------------------------- memory */

/* Memory that refuses one request, and counts what is held. */
typedef struct stingy {
    int64_t requests, refuse_at;
    size_t held;
} stingy;

static void *resize_stingily(void *user, void *block, size_t old_size, size_t new_size)
{
    stingy *s = user;
    if (new_size == 0) {
        if (block) s->held -= old_size;
        free(block);
        return NULL;
    }
    if (++s->requests == s->refuse_at) return NULL;
    void *now = realloc(block, new_size);
    if (now) s->held = s->held - (block ? old_size : 0) + new_size;
    return now;
}

/* Every request is refused once. A long path and an index that takes work make requests while the
 * path is being put together. */
static void settings_leave_nothing(void **state)
{
    (void)state;
    static const char text[] =
        "component Body() {\n param some_name_that_is_rather_long = [[1, 2], [3, 4]]\n"
        "}\nfor i in 1..3 { part another_name_that_is_rather_long[i] = Body() }\n"
        "coord x\nkinetic x'^2/2\n";
    static const char *const settings[] = {
        "another_name_that_is_rather_long[sum(i in 1..2, i) - 1].some_name_that_is_rather_long[1 + "
        "1, "
        "dot([1, 1, 1, 1], [1, 1, 0, 0])] = 7",
        "another_name_that_is_rather_long[1].some_name_that_is_rather_long = [[5, 6], [7, 8]]"};
    zw_status status = ZW_ERR_MEMORY;
    int64_t k = 1;
    for (; status == ZW_ERR_MEMORY; k++) {
        stingy s = {.refuse_at = k};
        zw_allocator allocator = {resize_stingily, &s};
        zw_context *context = NULL;
        zw_model *model = NULL;
        zw_model_source source = {.file = "model.zw",
                                  .text = text,
                                  .length = sizeof text - 1,
                                  .settings = settings,
                                  .setting_count = 2};
        status = zw_context_create(&allocator, &context);
        if (status == ZW_OK) status = zw_model_compile(context, &source, &model);
        zw_model_free(model);
        zw_context_free(context);
        assert_int_equal(s.held, 0);
    }
    assert_int_equal(status, ZW_OK);
    assert_true(k > 50);
}

/* --------------------------------------------------------------------- the caller */

static bool take_nothing(void *user, const char *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    ++*(int *)user;
    return false;
}

static void a_caller_that_takes_nothing(void **state)
{
    (void)state;
    static const char text[] = "coord x\nkinetic x'^2/2\n";
    zw_context *context;
    zw_model *model;
    zw_model_source source = {.file = "model.zw", .text = text, .length = sizeof text - 1};
    assert_int_equal(zw_context_create(NULL, &context), ZW_OK);
    assert_int_equal(zw_model_compile(context, &source, &model), ZW_OK);
    const zw_report_form forms[] = {ZW_REPORT_TEXT, ZW_REPORT_JSON, ZW_REPORT_LATEX};
    for (int k = 0; k < 3; k++) {
        int calls = 0;
        assert_int_equal(zw_model_derive(model, forms[k], take_nothing, &calls), ZW_ERR_WRITE);
        assert_int_equal(calls, 1);
    }
    int calls = 0;
    assert_int_equal(zw_model_programs(model, ZW_KERNEL_AUTO, 1, take_nothing, &calls),
                     ZW_ERR_WRITE);
    zw_model_free(model);
    zw_context_free(context);
}

/* ------------------------------------------------------------------------ indices */

/* The first error of the text: its code, line and column. */
static void expect_error(const char *text, const char *code, int32_t line, const char *words)
{
    zw_context *context;
    zw_model *model = NULL;
    zw_model_source source = {.file = "model.zw", .text = text, .length = strlen(text)};
    assert_int_equal(zw_context_create(NULL, &context), ZW_OK);
    zw_status status = zw_model_compile(context, &source, &model);
    if (status != ZW_ERR_MODEL) print_message("%s", text);
    assert_int_equal(status, ZW_ERR_MODEL);
    const zw_diagnostic *d = zw_context_diagnostic(context, 0);
    if (strcmp(d->code, code) != 0 || d->line != line || !strstr(d->sentence, words))
        print_message("%s%d: %s: %s\n", text, (int)d->line, d->code, d->sentence);
    assert_string_equal(d->code, code);
    assert_int_equal(d->line, line);
    assert_non_null(strstr(d->sentence, words));
    zw_context_free(context);
}

/* Parts at indices from -3 to 3 but for those that are multiples of `gap`; each index that has none is
 * refused by its own name, and no other is read for it. */
static void parts_out_of_range(void **state)
{
    (void)state;
    static const char *const far_away[] = {"-5", "-100", "4", "2147483647", "-2147483648"};
    static const char *const beyond[] = {"2147483648", "-2147483649", "1e12", "-1e12",
                                         "4294967295"};
    char text[400], words[60];
    const char *form =
        "component C() { coord x\n kinetic x'^2/2 }\nfor i in -3..3 { part b[i] = C() }\n"
        "output o = b[%s].x\n";
    for (size_t k = 0; k < sizeof far_away / sizeof *far_away; k++) {
        (void)snprintf(text, sizeof text, form, far_away[k]);
        (void)snprintf(words, sizeof words, "there is no part b[%s]", far_away[k]);
        expect_error(text, "E0205", 4, words);
    }
    for (size_t k = 0; k < sizeof beyond / sizeof *beyond; k++) {
        (void)snprintf(text, sizeof text, form, beyond[k]);
        expect_error(text, "E0205", 4, "is out of range");
    }
}

static void elements_out_of_range(void **state)
{
    (void)state;
    static const char *const wrong[] = {"0", "-1", "-5", "4", "2147483648", "-1e15"};
    char text[200];
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        for (int shape = 0; shape < 3; shape++) {
            static const char *const forms[] = {
                "coord r[3]\nkinetic dot(r', r')\noutput o = r[%s]\n",
                "coord A[3, 3]\nkinetic A[1, 1]'^2\noutput o = A[2, %s]\n",
                "coord A[3, 3]\nkinetic A[1, 1]'^2\noutput o = A[%s, 2]\n"};
            (void)snprintf(text, sizeof text, forms[shape], wrong[k]);
            expect_error(text, "E0205", 3, "is out of range");
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_leave_nothing),
        cmocka_unit_test(a_caller_that_takes_nothing),
        cmocka_unit_test(parts_out_of_range),
        cmocka_unit_test(elements_out_of_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
