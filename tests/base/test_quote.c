/*
 * The source line and the carets under it, exactly: Greek, combining marks, wide characters,
 * tabs, control characters, ends of lines, long lines, and places that are not there.
 */
#include "counting.h"

/* What the text form writes under the first line for a place in a source. */
static void quote(const char *source, size_t size, zw_diagnostic d, char *out, size_t out_size)
{
    counting c;
    zb_memory memory;
    zb_diag_list list;
    zb_text text;
    counting_init(&c, &memory);
    zb_diag_init(&list, &memory);
    d.severity = ZW_ERROR;
    d.file = "f";
    d.sentence = "s";
    assert_int_equal(zb_diag_add_source(&list, "f", source, size), ZW_OK);
    assert_int_equal(zb_diag_add(&list, &d), ZW_OK);
    zb_text_init_fixed(&text, out, out_size);
    zb_diag_text(&list, &text);
    assert_true(text.length < out_size);
    zb_diag_free(&list);
    assert_nothing_held(&c, &memory);
    const char *rest = strchr(out, '\n');
    assert_non_null(rest);
    memmove(out, rest + 1, strlen(rest + 1) + 1);
}

static void assert_quote(const char *source, int32_t line, int32_t column, int32_t length,
                         const char *expected)
{
    char out[2048];
    quote(source, strlen(source), (zw_diagnostic){.line = line, .column = column, .length = length},
          out, sizeof out);
    assert_string_equal(out, expected);
}

static void the_whole_message(void **state)
{
    (void)state;
    const char *source = "coordinates theta\nenergy = m*l^2*tetha'^2/2\nend\n";
    zb_memory memory;
    zb_diag_list list;
    zb_text text;
    char out[512];
    zb_memory_init(&memory, NULL);
    zb_diag_init(&list, &memory);
    zb_diag_add_source(&list, "a.zw", source, strlen(source));
    zb_diag_add(&list, &(zw_diagnostic){ZW_ERROR, "E0102", "a.zw", 2, 16, 5, NULL,
                                        "unknown name 'tetha'", "did you mean 'theta'?"});
    zb_diag_add(&list, &(zw_diagnostic){ZW_WARNING, "E0900", "b.zw", 1, 1, 1, NULL,
                                        "its source is not known", NULL});
    zb_text_init_fixed(&text, out, sizeof out);
    zb_diag_text(&list, &text);
    assert_string_equal(out, "a.zw:2:16: error[E0102]: unknown name 'tetha'\n"
                             "    energy = m*l^2*tetha'^2/2\n"
                             "                   ^~~~~\n"
                             "    help: did you mean 'theta'?\n"
                             "b.zw:1:1: warning[E0900]: its source is not known\n");
    zb_diag_free(&list);
}

static void lines_and_columns(void **state)
{
    (void)state;
    const char *source = "abc\ndef\n\nlast";
    assert_quote(source, 1, 1, 0, "    abc\n    ^\n");
    assert_quote(source, 1, 3, 1, "    abc\n      ^\n");
    assert_quote(source, 2, 2, 2, "    def\n     ^~\n");
    assert_quote(source, 4, 1, 4, "    last\n    ^~~~\n");
    assert_quote(source, 3, 1, 1, "    \n    ^\n");
    assert_quote(source, 2, 0, 0, "    def\n"); /* a line, but no column */
    assert_quote(source, 0, 2, 1, "");          /* no line */
    assert_quote(source, 5, 1, 1, "");          /* no such line */
    assert_quote(source, INT32_MAX, 1, 1, "");
    assert_quote("abc\n", 2, 1, 1, "    \n    ^\n"); /* at the end of the text */
    assert_quote("", 1, 1, 1, "    \n    ^\n");
}

static void places_behind_the_end_of_the_line(void **state)
{
    (void)state;
    assert_quote("abc\nd", 1, 4, 1, "    abc\n       ^\n");
    assert_quote("abc\nd", 1, 99, 5, "    abc\n       ^\n");
    assert_quote("abc\nd", 1, 2, 99, "    abc\n     ^~\n");
    assert_quote("abc\nd", 1, 2, INT32_MAX, "    abc\n     ^~\n");
    assert_quote("abc\nd", 1, INT32_MAX, INT32_MAX, "    abc\n       ^\n");
    assert_quote("abc\nd", 1, 2, -4, "    abc\n     ^\n");
}

static void carriage_returns(void **state)
{
    (void)state;
    assert_quote("abc\r\ndef\r\n", 1, 4, 1, "    abc\n       ^\n");
    assert_quote("abc\r\ndef\r\n", 2, 1, 3, "    def\n    ^~~\n");
    assert_quote("a\rb\n", 1, 3, 1, "    a\\rb\n       ^\n"); /* one inside is shown */

    /* one that stands before the text is not the text's */
    char before[] = "\r\nabc", out[64];
    zb_source source = {.text = before + 1, .length = 4};
    zb_text text;
    zb_text_init_fixed(&text, out, sizeof out);
    zb_diag_quote(&source, &(zw_diagnostic){.line = 1, .column = 1}, &text);
    assert_string_equal(out, "    \n    ^\n");
}

static void greek_marks_and_wide_characters(void **state)
{
    (void)state;
    /* phi and theta: two bytes, one column each */
    assert_quote("\xcf\x86 = \xce\xb8 + x", 1, 9, 1,
                 "    \xcf\x86 = \xce\xb8 + x\n"
                 "            ^\n");
    assert_quote("\xcf\x86\xcf\x86\xcf\x86 y", 1, 2, 2,
                 "    \xcf\x86\xcf\x86\xcf\x86 y\n"
                 "     ^~\n");
    /* x with a combining dot: two characters, one column */
    assert_quote("x\xcc\x87 = y", 1, 6, 1,
                 "    x\xcc\x87 = y\n"
                 "        ^\n");
    assert_quote("x\xcc\x87 = y", 1, 1, 2,
                 "    x\xcc\x87 = y\n"
                 "    ^\n");
    assert_quote("x\xcc\x87 = y", 1, 2, 1,
                 "    x\xcc\x87 = y\n"
                 "     ^\n");
    /* wide characters: one character, two columns */
    assert_quote("\xe5\x8a\x9b\xe5\x8a\x9b = y", 1, 2, 1,
                 "    \xe5\x8a\x9b\xe5\x8a\x9b = y\n"
                 "      ^~\n");
    assert_quote("\xe5\x8a\x9b\xe5\x8a\x9b = y", 1, 6, 1,
                 "    \xe5\x8a\x9b\xe5\x8a\x9b = y\n"
                 "           ^\n");
}

static void tabs_are_copied(void **state)
{
    (void)state;
    assert_quote("\t\tx = y", 1, 3, 1, "    \t\tx = y\n    \t\t^\n");
    assert_quote("a\tbc\td", 1, 3, 2, "    a\tbc\td\n     \t^~\n");
    assert_quote("a\tbc\td", 1, 6, 1, "    a\tbc\td\n     \t  \t^\n");
    /* an underline ends before a tab; a tab itself gets the caret alone */
    assert_quote("a\tbc\td", 1, 3, 4, "    a\tbc\td\n     \t^~\n");
    assert_quote("a\tbc\td", 1, 2, 1, "    a\tbc\td\n     ^\n");
    assert_quote("a\tbc\td", 1, 2, 3, "    a\tbc\td\n     ^\n");
}

static void control_characters_are_escaped(void **state)
{
    (void)state;
    assert_quote("a\x1b[2Jb c", 1, 7, 1,
                 "    a\\x1b[2Jb c\n"
                 "             ^\n");
    assert_quote("a\x1b[2Jb", 1, 2, 1,
                 "    a\\x1b[2Jb\n"
                 "     ^~~~\n");
    assert_quote("\xff\xfe x", 1, 4, 1,
                 "    \\xff\\xfe x\n"
                 "             ^\n");
    assert_quote("\xe2\x80\xaez", 1, 2, 1,
                 "    \\u202ez\n"
                 "          ^\n");
    char out[128];
    quote("a\0b", 3, (zw_diagnostic){.line = 1, .column = 3}, out, sizeof out);
    assert_string_equal(out, "    a\\x00b\n         ^\n");
}

/* ---------------------------------------------------------------- long lines */

enum { LONG = 400 };

/* A line of n columns that counts: 0123456789 again and again, with a mark '@' at a place. */
static const char *ruler(int32_t n, int32_t column)
{
    static char line[LONG + 1];
    for (int32_t i = 0; i < n; i++) line[i] = (char)('0' + i % 10);
    if (column >= 1 && column <= n) line[column - 1] = '@';
    line[n] = '\0';
    return line;
}

static void lines_of_120_columns_stay_whole(void **state)
{
    (void)state;
    char expected[1024];
    const char *line = ruler(120, 120);
    snprintf(expected, sizeof expected, "    %s\n    %119s^\n", line, "");
    assert_quote(line, 1, 120, 1, expected);
    line = ruler(121, 1);
    snprintf(expected, sizeof expected, "    %.117s...\n    ^\n", line);
    assert_quote(line, 1, 1, 1, expected);
}

static void long_lines_are_cut_around_the_place(void **state)
{
    (void)state;
    char expected[1024];
    const char *line = ruler(LONG, 200);
    /* 40 columns before the caret, 114 in all, dots on both sides */
    snprintf(expected, sizeof expected, "    ...%.114s...\n    %43s^~~\n", line + 159, "");
    assert_quote(line, 1, 200, 3, expected);
    line = ruler(LONG, LONG);
    snprintf(expected, sizeof expected, "    ...%s\n    %119s^\n", line + LONG - 117, "");
    assert_quote(line, 1, LONG, 1, expected);
    snprintf(expected, sizeof expected, "    ...%s\n    %120s^\n", line + LONG - 117, "");
    assert_quote(line, 1, LONG + 1, 1, expected);
    /* the window that would just reach the end begins with it instead */
    line = ruler(LONG, 327);
    snprintf(expected, sizeof expected, "    ...%s\n    %46s^\n", line + LONG - 117, "");
    assert_quote(line, 1, 327, 1, expected);
    line = ruler(LONG, 326);
    snprintf(expected, sizeof expected, "    ...%.114s...\n    %43s^\n", line + 285, "");
    assert_quote(line, 1, 326, 1, expected);
    /* an underline that is longer than the window ends with it */
    line = ruler(LONG, 10);
    char tildes[LONG];
    memset(tildes, '~', sizeof tildes);
    snprintf(expected, sizeof expected, "    %.117s...\n    %9s^%.107s\n", line, "", tildes);
    assert_quote(line, 1, 10, 300, expected);
}

/* For every length and place: the caret stands under the mark, and nothing is wider than 120. */
static void the_caret_is_always_under_the_mark(void **state)
{
    (void)state;
    for (int32_t n = 100; n <= LONG; n += 25)
        for (int32_t column = 1; column <= n; column++) {
            char out[1024];
            const char *line = ruler(n, column);
            quote(line, (size_t)n, (zw_diagnostic){.line = 1, .column = column}, out, sizeof out);
            char *second = strchr(out, '\n') + 1;
            const char *mark = strchr(out, '@'), *caret = strchr(second, '^');
            assert_non_null(mark);
            assert_int_equal(mark - out, caret - second);
            assert_true(second - out - 1 <= 4 + 120);
        }
}

/* Wide characters and escapes at the edges of the window do not move the caret. */
static void cut_lines_of_wide_characters(void **state)
{
    (void)state;
    static const char *const letters[] = {"\xe5\x8a\x9b", "\x1b", "\xcf\x86", "\xff"};
    static const int widths[] = {2, 4, 1, 4};
    for (size_t kind = 0; kind < 4; kind++)
        for (int32_t column = 1; column <= 200; column++) {
            char source[1024] = "", out[2048];
            for (int32_t i = 1; i <= 200; i++) strcat(source, i == column ? "@" : letters[kind]);
            quote(source, strlen(source), (zw_diagnostic){.line = 1, .column = column}, out,
                  sizeof out);
            /* columns before the mark: 4 of margin, dots, and what is shown */
            char *second = strchr(out, '\n') + 1, *mark = strchr(out, '@');
            assert_non_null(mark);
            int dots = strncmp(out + 4, "...", 3) == 0 ? 3 : 0;
            size_t shown_size = widths[kind] == 4 ? 4 : strlen(letters[kind]);
            int shown = (int)((size_t)(mark - out - 4 - dots) / shown_size) * widths[kind];
            assert_int_equal(strchr(second, '^') - second, 4 + dots + shown);
        }
}

/* An escape at the edge of the window is left out whole, so nothing gets wider than 120. */
static void escapes_are_not_cut_apart(void **state)
{
    (void)state;
    for (int32_t column = 1; column <= 200; column++) {
        char source[256], out[2048];
        for (int32_t i = 0; i < 200; i++)
            source[i] = i + 1 == column ? '@' : i % 3 == 0 ? '\x1b' : '-';
        quote(source, 200, (zw_diagnostic){.line = 1, .column = column}, out, sizeof out);
        char *second = strchr(out, '\n') + 1;
        assert_int_equal(strchr(out, '@') - out, strchr(second, '^') - second);
        assert_true(second - out - 1 <= 4 + 120);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_whole_message),
        cmocka_unit_test(lines_and_columns),
        cmocka_unit_test(places_behind_the_end_of_the_line),
        cmocka_unit_test(carriage_returns),
        cmocka_unit_test(greek_marks_and_wide_characters),
        cmocka_unit_test(tabs_are_copied),
        cmocka_unit_test(control_characters_are_escaped),
        cmocka_unit_test(lines_of_120_columns_stay_whole),
        cmocka_unit_test(long_lines_are_cut_around_the_place),
        cmocka_unit_test(the_caret_is_always_under_the_mark),
        cmocka_unit_test(cut_lines_of_wide_characters),
        cmocka_unit_test(escapes_are_not_cut_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
