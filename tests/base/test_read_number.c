/*
 * Numbers from text: what is one and what is not, correct rounding against strtod and at the
 * places where it is hard, very long texts, and the ends of the range.
 */
#include <errno.h>
#include <float.h>
#include <math.h>

#include "counting.h"

static double read_one(const char *text)
{
    double value = -77;
    if (zb_read_double(text, strlen(text), &value) != ZB_NUMBER_READ) fail_msg("%s", text);
    return value;
}

static void assert_same(const char *text, double expected)
{
    double value = read_one(text);
    if (memcmp(&value, &expected, sizeof value) != 0)
        fail_msg("%s became %a, not %a", text, value, expected);
}

static void plain_numbers(void **state)
{
    (void)state;
    assert_same("0", 0.0);
    assert_same("-0", -0.0);
    assert_same("0.000", 0.0);
    assert_same("1", 1.0);
    assert_same("+1.5", 1.5);
    assert_same("-12.25e2", -1225.0);
    assert_same("1E3", 1000.0);
    assert_same("1e+3", 1000.0);
    assert_same("1e-3", 0.001);
    assert_same("0.1", 0.1);
    assert_same("000123.4500", 123.45);
    assert_same("0e999999999999999999999999", 0.0);
}

static void what_is_not_a_number(void **state)
{
    (void)state;
    static const char *const texts[] = {"",    "1.",  ".5",   "1e",  "1e+",   "1e-x",
                                        "x",   " 1",  "1 ",   "1,5", "0x10",  "inf",
                                        "nan", "--1", "1.e5", "+",   "1.2.3", "1e5.0"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double value = 5;
        assert_int_equal(zb_read_double(texts[i], strlen(texts[i]), &value), ZB_NUMBER_MALFORMED);
        assert_true(value == 5);
    }
    double value;
    assert_int_equal(zb_read_double("12345", 3, &value), ZB_NUMBER_READ);
    assert_true(value == 123);
}

static void the_ends_of_the_range(void **state)
{
    (void)state;
    double value;
    assert_same("1.7976931348623157e308", DBL_MAX);
    assert_same("1.79769313486231580793e308", DBL_MAX); /* below the middle to 2^1024 */
    assert_int_equal(zb_read_double("1.797693134862315808e308", 24, &value), ZB_NUMBER_TOO_LARGE);
    assert_int_equal(zb_read_double("1e309", 5, &value), ZB_NUMBER_TOO_LARGE);
    assert_int_equal(zb_read_double("-1e99999999999999999999", 23, &value), ZB_NUMBER_TOO_LARGE);
    assert_same("4.9406564584124654e-324", 0x1p-1074);
    assert_same("2.4703282292062327e-324", 0.0);       /* just below half of it */
    assert_same("2.4703282292062328e-324", 0x1p-1074); /* just above */
    assert_same("1e-99999999999999999999", 0.0);
    assert_same("-1e-400", -0.0);
    errno = 0;
    read_one("1e-320");
    assert_int_equal(errno, 0);
}

static void ties_go_to_even(void **state)
{
    (void)state;
    assert_same("9007199254740993", 0x1p53);
    assert_same("9007199254740995", 0x1p53 + 4);
    assert_same("9007199254740993.00000000000000000000000000000000001", 0x1p53 + 2);
    assert_same("900719925474099300e-2", 0x1p53);
}

/* 1 + 2^-53 exactly, a tie, and with one digit more, far behind it. */
static void long_numbers(void **state)
{
    (void)state;
    static const char tie[] = "1.00000000000000011102230246251565404236316680908203125";
    static char text[100001];
    assert_same(tie, 1.0);
    memset(text, '0', sizeof text - 1);
    memcpy(text, tie, sizeof tie - 1);
    assert_same(text, 1.0);
    text[99999] = '1';
    assert_same(text, 1 + 0x1p-52);
    memset(text, '0', sizeof text - 1); /* 0.000...1e99990 */
    memcpy(text + 1, ".", 1);
    memcpy(text + sizeof text - 8, "1e99992", 8);
    assert_same(text, 1.0);
    memset(text, '9', sizeof text - 1);
    double value;
    assert_int_equal(zb_read_double(text, sizeof text - 1, &value), ZB_NUMBER_TOO_LARGE);
    memcpy(text + sizeof text - 9, "e-099992", 9);
    assert_same(text, 1.0);
}

static void as_strtod_reads(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 200000; i++) {
        char text[64];
        uint64_t a = zb_hash_mix(1, i), b = zb_hash_mix(2, i);
        int digits = (int)(b % 20), exponent = (int)(b / 32 % 680) - 350;
        if (i % 3 == 0) exponent %= 30;
        snprintf(text, sizeof text, "%llu.%0*llue%d", (unsigned long long)(a % 100000), digits + 1,
                 (unsigned long long)(a / 100000 % 1000000007), exponent);
        double expected = strtod(text, NULL), value = 0;
        zb_number_outcome outcome = zb_read_double(text, strlen(text), &value);
        if (isinf(expected))
            assert_int_equal(outcome, ZB_NUMBER_TOO_LARGE);
        else if (memcmp(&value, &expected, sizeof value) != 0)
            fail_msg("%s became %a, not %a", text, value, expected);
    }
}

static void what_is_printed_is_read_back(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 100000; i++) {
        uint64_t bits = zb_hash_mix(3, i);
        double value, again;
        char text[ZB_DOUBLE_SIZE];
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) continue;
        size_t length = zb_print_double(value, text);
        assert_int_equal(zb_read_double(text, length, &again), ZB_NUMBER_READ);
        assert_memory_equal(&again, &value, sizeof value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_numbers),
        cmocka_unit_test(what_is_not_a_number),
        cmocka_unit_test(the_ends_of_the_range),
        cmocka_unit_test(ties_go_to_even),
        cmocka_unit_test(long_numbers),
        cmocka_unit_test(as_strtod_reads),
        cmocka_unit_test(what_is_printed_is_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
