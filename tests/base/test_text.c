/*
 * Growing and fixed text, formats, JSON escapes; failures are remembered, once, and the text
 * stays as it was.
 */
#include "counting.h"

static void appending(void **state)
{
    (void)state;
    counting c;
    zb_memory memory;
    zb_text text;
    counting_init(&c, &memory);
    zb_text_init(&text, &memory);
    assert_string_equal(zb_text_string(&text), "");
    zb_text_add(&text, "");
    assert_int_equal(c.requests, 0);
    zb_text_add(&text, "abc");
    zb_text_char(&text, '-');
    zb_text_bytes(&text, "defgh", 3);
    zb_text_bytes(&text, NULL, 0);
    zb_text_repeat(&text, '=', 4);
    zb_text_int(&text, 0);
    zb_text_char(&text, ' ');
    zb_text_int(&text, INT64_MIN);
    zb_text_char(&text, ' ');
    zb_text_int(&text, INT64_MAX);
    assert_string_equal(zb_text_string(&text),
                        "abc-def====0 -9223372036854775808 9223372036854775807");
    assert_int_equal(text.length, strlen(text.data));
    assert_int_equal(text.failure, ZW_OK);
    zb_text_clear(&text);
    assert_int_equal(text.length, 0);
    assert_string_equal(zb_text_string(&text), "");
    assert_true(memory.held > 0);
    zb_text_free(&text);
    assert_string_equal(zb_text_string(&text), "");
    assert_nothing_held(&c, &memory);
}

static void bytes_of_nul_are_bytes(void **state)
{
    (void)state;
    zb_memory memory;
    zb_text text;
    zb_memory_init(&memory, NULL);
    zb_text_init(&text, &memory);
    zb_text_bytes(&text, "a\0b", 3);
    zb_text_char(&text, '\0');
    assert_int_equal(text.length, 4);
    assert_memory_equal(text.data, "a\0b\0", 5);
    zb_text_free(&text);
}

static void long_texts(void **state)
{
    (void)state;
    counting c;
    zb_memory memory;
    zb_text text;
    counting_init(&c, &memory);
    zb_text_init(&text, &memory);
    for (int i = 0; i < 100000; i++) zb_text_char(&text, (char)('a' + i % 26));
    assert_int_equal(text.length, 100000);
    for (int i = 0; i < 100000; i++)
        if (text.data[i] != 'a' + i % 26) fail_msg("byte %d", i);
    assert_true(c.requests < 25);
    assert_int_equal(memory.held, text.capacity);
    zb_text_free(&text);
    assert_nothing_held(&c, &memory);
}

/* Formats of every length around the capacity of the moment. */
static void printf_of_every_length(void **state)
{
    (void)state;
    for (int length = 0; length < 300; length++) {
        counting c;
        zb_memory memory;
        zb_text text;
        counting_init(&c, &memory);
        zb_text_init(&text, &memory);
        zb_text_add(&text, ">");
        zb_text_printf(&text, "%*s|%d", length, "x", length);
        char expected[400];
        snprintf(expected, sizeof expected, ">%*s|%d", length, "x", length);
        assert_string_equal(zb_text_string(&text), expected);
        assert_int_equal(text.length, strlen(expected));
        zb_text_free(&text);
        assert_nothing_held(&c, &memory);
    }
}

/* The same appends into a buffer of every size: the beginning of the whole, and its length. */
static void write_sample(zb_text *text)
{
    zb_text_add(text, "first ");
    zb_text_printf(text, "%d-%s", 42, "second");
    zb_text_repeat(text, '.', 5);
    zb_text_char(text, '!');
    zb_text_json_string(text, "a\n");
    zb_text_double(text, 0.25);
}

static void fixed_texts_are_cut_and_counted(void **state)
{
    (void)state;
    const char *whole = "first 42-second.....!\"a\\n\"0.25";
    for (size_t size = 0; size < 40; size++) {
        char buffer[48];
        zb_text text;
        memset(buffer, '#', sizeof buffer);
        zb_text_init_fixed(&text, size == 0 ? NULL : buffer, size);
        assert_string_equal(zb_text_string(&text), "");
        if (size > 0) assert_int_equal(buffer[0], '\0');
        write_sample(&text);
        assert_int_equal(text.length, strlen(whole));
        assert_int_equal(text.failure, ZW_OK);
        size_t shown = size == 0 ? 0 : size - 1 < strlen(whole) ? size - 1 : strlen(whole);
        if (size > 0) assert_memory_equal(buffer, whole, shown);
        if (size > 0) assert_int_equal(buffer[shown], '\0');
        for (size_t k = size; k < sizeof buffer; k++) assert_int_equal(buffer[k], '#');
        assert_int_equal(strlen(zb_text_string(&text)), shown);
        zb_text_free(&text);
    }
}

/* ------------------------------------------------------------------ failure */

static void every_refusal_is_remembered(void **state)
{
    (void)state;
    bool refused = true;
    for (int64_t k = 1; refused; k++) {
        counting c;
        zb_memory memory;
        zb_text text;
        counting_init(&c, &memory);
        c.refuse_at = k; /* this one only: what follows could succeed, and must not be taken */
        zb_text_init(&text, &memory);
        for (int i = 0; i < 50; i++) write_sample(&text);
        refused = c.refused > 0;
        if (k == 1) assert_true(refused);
        assert_int_equal(text.failure, refused ? ZW_ERR_MEMORY : ZW_OK);
        if (refused) assert_int_equal(c.requests, k);
        /* what there is is a beginning of the right text */
        assert_int_equal(strlen(zb_text_string(&text)), text.length);
        if (text.length >= 21) assert_memory_equal(text.data, "first 42-second.....!", 21);
        assert_true(refused || text.length == 50 * 30);
        zb_text_clear(&text);
        zb_text_add(&text, "again"); /* clearing forgets the failure */
        assert_string_equal(zb_text_string(&text), "again");
        zb_text_free(&text);
        assert_nothing_held(&c, &memory);
    }
}

static void budget_is_used_to_the_end(void **state)
{
    (void)state;
    counting c;
    zb_memory memory;
    zb_text text;
    counting_init(&c, &memory);
    memory.budget = 1000;
    zb_text_init(&text, &memory);
    while (text.failure == ZW_OK) zb_text_char(&text, 'x');
    assert_int_equal(text.failure, ZW_ERR_BUDGET);
    assert_int_equal(text.length, 999);
    zb_text_clear(&text);
    zb_text_repeat(&text, 'y', SIZE_MAX);
    assert_int_equal(text.failure, ZW_ERR_BUDGET);
    assert_int_equal(text.length, 0);
    zb_text_free(&text);
    assert_nothing_held(&c, &memory);
}

/* --------------------------------------------------------------- JSON, shown */

static void assert_json(const char *bytes, size_t size, const char *expected)
{
    zb_memory memory;
    zb_text text;
    zb_memory_init(&memory, NULL);
    zb_text_init(&text, &memory);
    zb_text_json_bytes(&text, bytes, size);
    assert_string_equal(zb_text_string(&text), expected);
    zb_text_free(&text);
    assert_int_equal(memory.held, 0);
}

static void json_escapes(void **state)
{
    (void)state;
    assert_json("", 0, "\"\"");
    assert_json(NULL, 0, "null");
    assert_json("plain/text", 10, "\"plain/text\"");
    assert_json("a\"b\\c", 5, "\"a\\\"b\\\\c\"");
    assert_json("\b\f\n\r\t", 5, "\"\\b\\f\\n\\r\\t\"");
    assert_json("\0\x01\x1b\x1f\x7f", 5, "\"\\u0000\\u0001\\u001b\\u001f\\u007f\"");
    assert_json("\xcf\x86\xf0\x9f\x98\x80", 6, "\"\xcf\x86\xf0\x9f\x98\x80\"");
    assert_json("\xc2\x9b", 2, "\"\\u009b\"");
    assert_json("\xe2\x80\xa8\xe2\x80\xae", 6, "\"\\u2028\\u202e\"");
    assert_json("a\xff\xc0\x80z", 5, "\"a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz\"");
    assert_json("\xe2\x82", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\"");
}

/* All bytes there are: the result is ASCII printable or valid UTF-8, and quotes are paired. */
static void json_of_all_bytes_is_clean(void **state)
{
    (void)state;
    char bytes[256];
    for (int i = 0; i < 256; i++) bytes[i] = (char)i;
    zb_memory memory;
    zb_text text;
    zb_memory_init(&memory, NULL);
    zb_text_init(&text, &memory);
    zb_text_json_bytes(&text, bytes, sizeof bytes);
    zb_text_shown(&text, bytes, sizeof bytes);
    for (size_t at = 0; at < text.length;) {
        int32_t point = zb_utf8_next(text.data, text.length, &at);
        assert_true(point != ZB_UTF8_BAD && !zb_utf8_is_control(point));
    }
    zb_text_free(&text);
}

static void shown_is_harmless(void **state)
{
    (void)state;
    zb_memory memory;
    zb_text text;
    zb_memory_init(&memory, NULL);
    zb_text_init(&text, &memory);
    const char *bytes = "\x1b]0;owned\x07 \xcf\x86\t\xff\xe2\x80\xae\n";
    zb_text_shown(&text, bytes, strlen(bytes));
    assert_string_equal(zb_text_string(&text), "\\x1b]0;owned\\x07 \xcf\x86\\t\\xff\\u202e\\n");
    zb_text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appending),
        cmocka_unit_test(bytes_of_nul_are_bytes),
        cmocka_unit_test(long_texts),
        cmocka_unit_test(printf_of_every_length),
        cmocka_unit_test(fixed_texts_are_cut_and_counted),
        cmocka_unit_test(every_refusal_is_remembered),
        cmocka_unit_test(budget_is_used_to_the_end),
        cmocka_unit_test(json_escapes),
        cmocka_unit_test(json_of_all_bytes_is_clean),
        cmocka_unit_test(shown_is_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
