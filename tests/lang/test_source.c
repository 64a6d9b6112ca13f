/*
 * Units: names are interned once, places become lines and columns in characters, messages carry
 * severity, place and source.
 */
#include "tree_dump.h"

static void names_are_interned(void **state)
{
    (void)state;
    reading r;
    reading_init(&r);
    assert_int_equal(setjmp(r.escape), 0);
    zl_name a = zl_intern(&r.unit, "alpha", 5), b = zl_intern(&r.unit, "alphabet", 8);
    assert_int_not_equal(a, b);
    assert_int_equal(zl_intern(&r.unit, "alphabet", 5), a);
    assert_string_equal(zl_name_text(&r.unit, a), "alpha");
    assert_string_equal(zl_name_text(&r.unit, b), "alphabet");
    assert_string_equal(zl_name_text(&r.unit, -1), "");
    for (int i = 0; i < 5000; i++) {
        char text[16];
        int length = snprintf(text, sizeof text, "n%d", i);
        zl_name name = zl_intern(&r.unit, text, (size_t)length);
        assert_int_equal(zl_intern(&r.unit, text, (size_t)length), name);
        assert_string_equal(zl_name_text(&r.unit, name), text);
    }
    assert_int_equal(zl_intern(&r.unit, "alpha", 5), a);
    reading_free(&r);
}

static void check_place(reading *r, int32_t at, int32_t line, int32_t column)
{
    int32_t l, c;
    zl_locate(&r->unit, (zl_place){0, at, 1}, &l, &c);
    assert_int_equal(l, line);
    assert_int_equal(c, column);
}

static void places_count_characters(void **state)
{
    (void)state;
    reading r;
    read_string(&r, "coord \xce\xb8, x\r\n\ncoord y");
    check_place(&r, 0, 1, 1);
    check_place(&r, 6, 1, 7);
    check_place(&r, 8, 1, 8);
    check_place(&r, 10, 1, 10);
    check_place(&r, 13, 2, 1);
    check_place(&r, 14, 3, 1);
    check_place(&r, 21, 3, 8);
    int32_t line, column;
    zl_locate(&r.unit, (zl_place){7, 0, 0}, &line, &column);
    assert_int_equal(line, 0);
    reading_free(&r);
}

static void a_byte_order_mark_is_not_there(void **state)
{
    (void)state;
    reading r;
    read_string(&r, "\xef\xbb\xbf"
                    "cord x");
    assert_string_equal(dump_messages(&r), "m.zw:1:1: error[E0008]: 'cord' is not a statement\n"
                                           "    cord x\n"
                                           "    ^~~~\n"
                                           "    help: did you mean 'coord'?\n");
    reading_free(&r);
}

static void messages_have_severity_and_place(void **state)
{
    (void)state;
    reading r;
    read_string(&r, "coord x,\n  y");
    assert_int_equal(setjmp(r.escape), 0);
    zl_report(&r.unit, "W0999", (zl_place){0, 6, 6}, NULL, "%d coordinates", 2);
    zl_report(&r.unit, "R0998", (zl_place){-1, 0, 0}, "do nothing", "nowhere");
    assert_int_equal(r.unit.error_count, 0);
    zl_report(&r.unit, "E0997", (zl_place){0, 11, 1}, NULL, "wrong");
    assert_int_equal(r.unit.error_count, 1);
    assert_string_equal(dump_messages(&r), "m.zw:2:3: error[E0997]: wrong\n"
                                           "      y\n"
                                           "      ^\n"
                                           "m.zw:1:7: warning[W0999]: 2 coordinates\n"
                                           "    coord x,\n"
                                           "          ^~\n"
                                           "remark[R0998]: nowhere\n"
                                           "    help: do nothing\n");
    reading_free(&r);
}

/* Sentences are cut at the end of a character. */
static void long_sentences_are_cut(void **state)
{
    (void)state;
    char name[3001];
    for (size_t i = 0; i < 3000; i += 2) memcpy(name + i, "\xce\xb8", 2);
    name[3000] = '\0';
    for (int shift = 0; shift < 2; shift++) {
        reading r;
        read_string(&r, "");
        assert_int_equal(setjmp(r.escape), 0);
        zl_report(&r.unit, "E0997", (zl_place){0, 0, 0}, NULL, "%s%s", shift ? "x" : "", name);
        const char *sentence = zb_diag_get(&r.diagnostics, 0)->sentence;
        size_t length = strlen(sentence);
        assert_in_range(length, 1000, 1023);
        for (size_t at = 0; at < length;)
            assert_int_not_equal(zb_utf8_next(sentence, length, &at), ZB_UTF8_BAD);
        reading_free(&r);
    }
}

static void several_sources(void **state)
{
    (void)state;
    reading r;
    read_string(&r, "coord x");
    assert_int_equal(setjmp(r.escape), 0);
    zl_block other = zl_parse(&r.unit, "other.zw", "coord $\ncoord y", 15);
    assert_int_equal(other.count, 1);
    assert_int_equal(other.statements[0]->place.source, 1);
    assert_string_equal(zb_diag_get(&r.diagnostics, 0)->file, "other.zw");
    assert_int_equal(zb_diag_get(&r.diagnostics, 0)->column, 7);
    reading_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_interned),
        cmocka_unit_test(places_count_characters),
        cmocka_unit_test(a_byte_order_mark_is_not_there),
        cmocka_unit_test(messages_have_severity_and_place),
        cmocka_unit_test(long_sentences_are_cut),
        cmocka_unit_test(several_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
