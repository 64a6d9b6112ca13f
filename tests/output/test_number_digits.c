/*
 * Numbers as text: read back by strtod to the same bits, and the very text that base finds by
 * trying 15, 16 and 17 digits with printf.
 */
#include <float.h>
#include <math.h>

#include "../base/counting.h"
#include "format.h"

static zo_powers powers;

static int prepare(void **state)
{
    (void)state;
    zo_powers_init(&powers);
    return 0;
}

static void check(double value)
{
    char text[zo_number_size + 1], expected[ZB_DOUBLE_SIZE];
    size_t length = zo_number(&powers, value, text);
    assert_true(length <= zo_number_size);
    text[length] = '\0';
    zb_print_double(value, expected);
    if (strcmp(text, expected) != 0) fail_msg("%a: %s, not %s", value, text, expected);
    double back = strtod(text, NULL);
    if (!isnan(value) && memcmp(&back, &value, sizeof back) != 0) fail_msg("%a: %s", value, text);
}

static void check_near(double value)
{
    check(value);
    check(-value);
    check(nextafter(value, 0));
    check(nextafter(value, (double)INFINITY));
}

static uint64_t random_bits(uint64_t i)
{
    return zb_hash_mix(UINT64_C(0x6e756d62), i);
}

static void shown(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0.0, "0"},
                 {-0.0, "-0"},
                 {1.0, "1"},
                 {-1.5, "-1.5"},
                 {0.1, "0.1"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {1e-4, "0.0001"},
                 {1e-5, "1e-05"},
                 {100.0, "100"},
                 {1e14, "100000000000000"},
                 {1e15, "1e+15"},
                 {1e100, "1e+100"},
                 {DBL_MAX, "1.7976931348623157e+308"},
                 {-DBL_MIN, "-2.2250738585072014e-308"},
                 {5e-324, "5e-324"},
                 {9007199254740993.0, "9007199254740992"},
                 {0x1p-24, "5.9604644775390625e-08"},
                 {1e23, "1e+23"},
                 {(double)NAN, "nan"},
                 {(double)INFINITY, "inf"},
                 {-(double)INFINITY, "-inf"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[zo_number_size + 1];
        text[zo_number(&powers, cases[i].value, text)] = '\0';
        assert_string_equal(text, cases[i].text);
    }
}

static void any_bits(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 200000; i++) {
        uint64_t bits = random_bits(i);
        double value;
        memcpy(&value, &bits, sizeof value);
        check(value);
    }
}

static void subnormal(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 5000; i++) {
        uint64_t bits = random_bits(i) >> (12 + i % 52);
        double value;
        memcpy(&value, &bits, sizeof value);
        check(value);
        check(-value);
    }
}

/* Decimal numbers of few digits, times, integers, binary fractions. */
static void ordinary(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 50000; i++) {
        uint64_t bits = random_bits(i);
        check((double)i * 0.001);
        check((double)(bits % 100000) / 1000);
        check((double)(bits >> i % 64));
        check(ldexp((double)(bits >> (i % 60)), -(int)(bits % 120)));
    }
}

static void powers_of_two_and_ten(void **state)
{
    (void)state;
    for (int e = -1074; e < 1024; e++) check_near(ldexp(1, e));
    for (int e = -307; e <= 308; e++)
        for (int d = 1; d < 10; d++) {
            char text[20];
            snprintf(text, sizeof text, "%de%d", d, e);
            double value = strtod(text, NULL);
            if (isfinite(value)) check_near(value);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shown), cmocka_unit_test(any_bits),
                                       cmocka_unit_test(subnormal), cmocka_unit_test(ordinary),
                                       cmocka_unit_test(powers_of_two_and_ten)};
    return cmocka_run_group_tests(tests, prepare, NULL);
}
