/*
 * Doubles as text: exact texts, every sort of number read back to the same bits, no digit too
 * many, and the same bytes under a locale with a comma. Where no such locale is installed one
 * is made with localedef in a folder of its own; where that cannot be done the locale tests
 * say that they were skipped.
 */
#include <float.h>
#include <locale.h>
#include <math.h>
#include <unistd.h>

#include "counting.h"

static void assert_printed(double value, const char *expected)
{
    char buffer[ZB_DOUBLE_SIZE];
    size_t length = zb_print_double(value, buffer);
    assert_string_equal(buffer, expected);
    assert_int_equal(length, strlen(expected));
}

static void exact_texts(void **state)
{
    (void)state;
    assert_printed(0.0, "0");
    assert_printed(-0.0, "-0");
    assert_printed(1, "1");
    assert_printed(-1.5, "-1.5");
    assert_printed(0.1, "0.1");
    assert_printed(0.1 + 0.2, "0.30000000000000004");
    assert_printed(1.0 / 3, "0.3333333333333333"); /* sixteen digits */
    assert_printed(100000, "100000");
    assert_printed(123456789012345, "123456789012345");
    assert_printed(1e15, "1e+15");
    assert_printed(9007199254740993.0, "9007199254740992");
    assert_printed(1e23, "1e+23");
    assert_printed(9.80665, "9.80665");
    assert_printed(1e-5, "1e-05");
    assert_printed(DBL_MAX, "1.7976931348623157e+308");
    assert_printed(DBL_MIN, "2.2250738585072014e-308");
    assert_printed(4.9406564584124654e-324, "5e-324");
    assert_printed(-1.5e-320, "-1.5e-320");
    assert_printed((double)NAN, "nan");
    assert_printed((double)INFINITY, "inf");
    assert_printed((double)-INFINITY, "-inf");
}

static void json_has_no_nan(void **state)
{
    (void)state;
    char buffer[64];
    zb_text text;
    zb_text_init_fixed(&text, buffer, sizeof buffer);
    zb_text_json_double(&text, (double)NAN);
    zb_text_char(&text, ' ');
    zb_text_json_double(&text, (double)-INFINITY);
    zb_text_char(&text, ' ');
    zb_text_json_double(&text, 2.5);
    zb_text_char(&text, ' ');
    zb_text_double(&text, (double)INFINITY);
    assert_string_equal(buffer, "null null 2.5 inf");
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Numbers with all exponents alike, every eighth subnormal, some with few digits. */
static double sample(uint64_t i)
{
    uint64_t bits = zb_hash_mix(77, i);
    if (i % 8 == 0) bits &= UINT64_C(0x800fffffffffffff);
    if (i % 8 == 1) return (double)(bits % 100000) / 1000;
    double value = double_of(bits);
    return isfinite(value) ? value : 1;
}

/* The number of significant digits in a text. */
static int digits_in(const char *text)
{
    int count = 0, zeros = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9') continue;
        if (*text == '0' && count == 0) continue;
        count++;
        zeros = *text == '0' ? zeros + 1 : 0;
    }
    return count - zeros;
}

static void read_back_to_the_same_bits_and_no_longer(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 200000; i++) {
        char text[ZB_DOUBLE_SIZE], shorter[ZB_DOUBLE_SIZE];
        double value = sample(i);
        zb_print_double(value, text);
        if (bits_of(strtod(text, NULL)) != bits_of(value)) fail_msg("%a became %s", value, text);
        int digits = digits_in(text);
        if (digits < 2) continue;
        snprintf(shorter, sizeof shorter, "%.*e", digits - 2, value);
        if (strtod(shorter, NULL) == value) fail_msg("%s would do for %s", shorter, text);
    }
}

/* ------------------------------------------------------------------- locale */

static char folder[] = "/tmp/zwang-locale-XXXXXX";

/* Makes de_DE (a comma) and ps_AF (a point of two bytes) in a folder that LOCPATH names. */
static int make_locales(void **state)
{
    (void)state;
    char command[512];
    if (!mkdtemp(folder)) return 0;
    snprintf(command, sizeof command,
             "{ localedef -i de_DE -f UTF-8 %s/zw_comma.UTF-8 && "
             "localedef -i ps_AF -f UTF-8 %s/zw_wide.UTF-8; } >/dev/null 2>&1",
             folder, folder);
    /* Where that fails, installed locales of other names may still do. */
    if (system(command) == 0) setenv("LOCPATH", folder, 1);
    return 0;
}

static int remove_locales(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* The first of the locales that exists, as an object; newlocale would do the same, but that of
 * glibc leaks a string when LOCPATH is set. */
static locale_t open_locale(const char *const *names)
{
    while (*names && !setlocale(LC_ALL, *names)) names++;
    if (!*names) return (locale_t)0;
    locale_t found = duplocale(LC_GLOBAL_LOCALE);
    setlocale(LC_ALL, "C");
    return found;
}

/* Prints all samples under `foreign`; they must be as under the C locale, byte by byte. */
static void compare_samples(locale_t foreign)
{
    for (uint64_t i = 0; i < 20000; i++) {
        char home[ZB_DOUBLE_SIZE], abroad[ZB_DOUBLE_SIZE];
        double value = sample(i);
        zb_print_double(value, home);
        locale_t before = uselocale(foreign);
        size_t length = zb_print_double(value, abroad);
        uselocale(before);
        assert_string_equal(abroad, home);
        assert_int_equal(length, strlen(abroad));
        assert_true(bits_of(strtod(abroad, NULL)) == bits_of(value));
    }
}

/* Under the locale of a thread. The locale must write something else than a point, or the
 * test would prove nothing. */
static void check_thread_locale(const char *const *names, size_t point_size)
{
    locale_t foreign = open_locale(names);
    if (!foreign) skip();
    char half[16];
    locale_t before = uselocale(foreign);
    snprintf(half, sizeof half, "%.1f", 0.5);
    uselocale(before);
    assert_int_equal(strlen(half), 2 + point_size);
    assert_string_not_equal(half, "0.5");
    compare_samples(foreign);
    freelocale(foreign);
}

static void comma_in_the_locale_of_a_thread(void **state)
{
    (void)state;
    static const char *const names[] = {"zw_comma.UTF-8", "de_DE.UTF-8", "fr_FR.UTF-8", NULL};
    check_thread_locale(names, 1);
}

static void point_of_two_bytes(void **state)
{
    (void)state;
    static const char *const names[] = {"zw_wide.UTF-8", "ps_AF", NULL};
    check_thread_locale(names, 2);
}

static void comma_in_the_locale_of_the_process(void **state)
{
    (void)state;
    char text[ZB_DOUBLE_SIZE], half[16];
    if (!setlocale(LC_ALL, "zw_comma.UTF-8") && !setlocale(LC_ALL, "de_DE.UTF-8")) skip();
    snprintf(half, sizeof half, "%.1f", 0.5);
    zb_print_double(-1234567.125, text);
    char buffer[64];
    zb_text json;
    zb_text_init_fixed(&json, buffer, sizeof buffer);
    zb_text_json_double(&json, 1e-7 / 3);
    zb_text_int(&json, 1234567);
    setlocale(LC_ALL, "C");
    assert_string_equal(half, "0,5");
    assert_string_equal(text, "-1234567.125");
    assert_string_equal(buffer, "3.3333333333333334e-081234567");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_texts),
        cmocka_unit_test(json_has_no_nan),
        cmocka_unit_test(read_back_to_the_same_bits_and_no_longer),
        cmocka_unit_test(comma_in_the_locale_of_a_thread),
        cmocka_unit_test(point_of_two_bytes),
        cmocka_unit_test(comma_in_the_locale_of_the_process),
    };
    return cmocka_run_group_tests(tests, make_locales, remove_locales);
}
