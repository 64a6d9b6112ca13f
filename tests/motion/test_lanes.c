/*
 * log and exp of lanes have the bits of zb_log and zb_exp.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "lanes.h"

enum { samples = 200000 };

static bool same(double a, double b)
{
    return zb_bits(a) == zb_bits(b) || (a != a && b != b);
}

static void compare(double x, double y)
{
    vec both = {x, y}, exps = lane_exp(both), logs = lane_log(both);
    assert_true(same(exps[0], zb_exp(x)) && same(exps[1], zb_exp(y)));
    assert_true(same(logs[0], zb_log(x)) && same(logs[1], zb_log(y)));
}

static void random_numbers(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < samples; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        double fraction = (double)(seed >> 11) * 0x1p-53; /* any bits, and the usual sizes */
        compare(zb_from_bits(seed ^ seed >> 31), 1500.0 * fraction - 750.0);
        compare(fraction, ldexp(1.0 + fraction, (int)(seed % 2100) - 1074));
    }
}

static void special_numbers(void **state)
{
    (void)state;
    static const double x[] = {0.0,
                               -0.0,
                               1.0,
                               -1.0,
                               0x1p-1074,
                               0x1p-1022,
                               1e-20,
                               1e-4,
                               0x1p54,
                               1.7e308,
                               -1e308,
                               HUGE_VAL,
                               -HUGE_VAL,
                               ZB_NAN,
                               -746.0,
                               -745.0,
                               709.78,
                               710.0,
                               710.1,
                               0x1.6a09e667f3bcdp-1,
                               0x1.6a09e667f3bccp-1};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) compare(x[i], 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_numbers),
        cmocka_unit_test(special_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
