/*
 * UTF-8: every code point there and back; every sequence of up to three bytes, and the
 * critical ones of four, judged by a second definition; characters counted; widths and glyphs.
 */
#include "counting.h"

static void every_code_point_there_and_back(void **state)
{
    (void)state;
    for (int32_t point = 0; point <= 0x10ffff; point++) {
        if (point >= 0xd800 && point <= 0xdfff) continue;
        char bytes[4];
        size_t at = 0, size = zb_utf8_put(point, bytes);
        if (zb_utf8_next(bytes, size, &at) != point || at != size)
            fail_msg("U+%04X does not come back", (unsigned)point);
        /* cut short it is bad, and one byte is passed */
        for (size_t cut = 1; cut < size; cut++) {
            at = 0;
            if (zb_utf8_next(bytes, cut, &at) != ZB_UTF8_BAD || at != 1)
                fail_msg("U+%04X cut to %zu bytes", (unsigned)point, cut);
        }
    }
}

/* Well-formed sequences after table 3-7 of the Unicode Standard; the length, or 0. */
static size_t by_the_table(const unsigned char *b, size_t size)
{
    static const struct {
        unsigned char low[4], high[4];
        size_t length;
    } rows[] = {
        {{0x00}, {0x7f}, 1},
        {{0xc2, 0x80}, {0xdf, 0xbf}, 2},
        {{0xe0, 0xa0, 0x80}, {0xe0, 0xbf, 0xbf}, 3},
        {{0xe1, 0x80, 0x80}, {0xec, 0xbf, 0xbf}, 3},
        {{0xed, 0x80, 0x80}, {0xed, 0x9f, 0xbf}, 3},
        {{0xee, 0x80, 0x80}, {0xef, 0xbf, 0xbf}, 3},
        {{0xf0, 0x90, 0x80, 0x80}, {0xf0, 0xbf, 0xbf, 0xbf}, 4},
        {{0xf1, 0x80, 0x80, 0x80}, {0xf3, 0xbf, 0xbf, 0xbf}, 4},
        {{0xf4, 0x80, 0x80, 0x80}, {0xf4, 0x8f, 0xbf, 0xbf}, 4},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        size_t k = 0;
        while (k < rows[r].length && k < size && b[k] >= rows[r].low[k] && b[k] <= rows[r].high[k])
            k++;
        if (k == rows[r].length) return k;
    }
    return 0;
}

static void check_sequence(const unsigned char *b, size_t size)
{
    char bytes[4];
    size_t at = 0, length = by_the_table(b, size);
    memcpy(bytes, b, size);
    int32_t point = zb_utf8_next(bytes, size, &at);
    bool right = length == 0 ? point == ZB_UTF8_BAD && at == 1 : point >= 0 && at == length;
    if (!right) fail_msg("%02x %02x %02x %02x judged wrongly", b[0], b[1], b[2], b[3]);
}

static void every_short_sequence_is_judged_rightly(void **state)
{
    (void)state;
    for (int a = 0; a < 256; a++)
        for (int b = 0; b < 256; b++)
            for (int c = 0; c < 256; c++) {
                unsigned char bytes[4] = {(unsigned char)a, (unsigned char)b, (unsigned char)c, 0};
                check_sequence(bytes, 3);
                /* with a fourth byte at the edges of what is allowed */
                static const unsigned char last[] = {0x00, 0x7f, 0x80, 0xbf, 0xc0, 0xff};
                for (size_t k = 0; a >= 0xf0 && k < sizeof last; k++) {
                    bytes[3] = last[k];
                    check_sequence(bytes, 4);
                }
            }
}

static void known_bad_forms(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "\xc0\x80",         /* overlong NUL */
        "\xc1\xbf",         /* overlong DEL */
        "\xe0\x80\xaf",     /* overlong slash */
        "\xf0\x80\x80\xaf", /* the same in four */
        "\xed\xa0\x80",     /* a surrogate */
        "\xf4\x90\x80\x80", /* U+110000 */
        "\xf8\x88\x80\x80", /* five bytes announced */
        "\x80",             /* a continuation alone */
        "\xff",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        size_t at = 0;
        assert_int_equal(zb_utf8_next(bad[i], strlen(bad[i]), &at), ZB_UTF8_BAD);
        assert_int_equal(at, 1);
    }
}

static void columns_count_characters(void **state)
{
    (void)state;
    const char *text = "a\xcf\x86\xe2\x88\x92\xf0\x9f\x98\x80z"; /* a phi minus grin z */
    assert_int_equal(zb_utf8_columns(text, 0, 11), 5);
    assert_int_equal(zb_utf8_columns(text, 0, 0), 0);
    assert_int_equal(zb_utf8_columns(text, 1, 3), 1);
    assert_int_equal(zb_utf8_columns(text, 3, 10), 2);
    assert_int_equal(zb_utf8_columns(text, 5, 3), 0);
    assert_int_equal(zb_utf8_columns(text, 0, 2), 2); /* half a phi counts as a bad byte */
    assert_int_equal(zb_utf8_columns("\xff\xfe\x80", 0, 3), 3);
}

static void widths(void **state)
{
    (void)state;
    assert_int_equal(zb_utf8_width('a'), 1);
    assert_int_equal(zb_utf8_width(0x3c6), 1);   /* phi */
    assert_int_equal(zb_utf8_width(0x307), 0);   /* combining dot above */
    assert_int_equal(zb_utf8_width(0x200b), 0);  /* zero width space */
    assert_int_equal(zb_utf8_width(0xfeff), 0);  /* byte order mark */
    assert_int_equal(zb_utf8_width(0x529b), 2);  /* force, in Chinese */
    assert_int_equal(zb_utf8_width(0x1f600), 2); /* a face */
    assert_int_equal(zb_utf8_width(0x2212), 1);  /* minus */
}

static void controls(void **state)
{
    (void)state;
    static const int32_t bad[] = {0,      1,      '\t',   '\n',   0x1b,   0x1f,   0x7f,
                                  0x80,   0x9b,   0x9f,   0x61c,  0x200e, 0x2028, 0x202a,
                                  0x202e, 0x2066, 0x2069, 0xfff9, 0xfffb};
    static const int32_t good[] = {' ', '~', 0xa0, 0xe4, 0x3c6, 0x2027, 0x202f, 0xfffd, 0x10ffff};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_true(zb_utf8_is_control(bad[i]));
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_false(zb_utf8_is_control(good[i]));
}

/* The glyph of the first character of some bytes. */
static void assert_glyph(const char *bytes, size_t size, const char *shown, int32_t width)
{
    size_t at = 0;
    zb_glyph glyph = zb_glyph_next(bytes, size, &at);
    assert_int_equal(glyph.size, strlen(shown));
    assert_memory_equal(glyph.bytes, shown, glyph.size);
    assert_int_equal(glyph.width, width);
}

static void glyphs_are_harmless(void **state)
{
    (void)state;
    assert_glyph("a", 1, "a", 1);
    assert_glyph("\xcf\x86", 2, "\xcf\x86", 1);
    assert_glyph("\xe5\x8a\x9b", 3, "\xe5\x8a\x9b", 2);
    assert_glyph("", 1, "\\x00", 4);
    assert_glyph("\x1b[31m", 5, "\\x1b", 4);
    assert_glyph("\t", 1, "\\t", 2);
    assert_glyph("\n", 1, "\\n", 2);
    assert_glyph("\r", 1, "\\r", 2);
    assert_glyph("\x7f", 1, "\\x7f", 4);
    assert_glyph("\xc2\x9b", 2, "\\u009b", 6);     /* CSI as one character */
    assert_glyph("\x9b", 1, "\\x9b", 4);           /* and as one byte */
    assert_glyph("\xe2\x80\xae", 3, "\\u202e", 6); /* right-to-left override */
    assert_glyph("\xed\xa0\x80", 3, "\\xed", 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_point_there_and_back),
        cmocka_unit_test(every_short_sequence_is_judged_rightly),
        cmocka_unit_test(known_bad_forms),
        cmocka_unit_test(columns_count_characters),
        cmocka_unit_test(widths),
        cmocka_unit_test(controls),
        cmocka_unit_test(glyphs_are_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
