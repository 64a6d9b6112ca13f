/*
 * Elementary functions against the long double ones of the system: errors in units of the last
 * place over whole ranges, near multiples of pi/2, for huge and for subnormal arguments; special
 * values; symmetries to the bit.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base.h"

enum { SAMPLES = 60000 };

static uint64_t state;

static uint64_t next(void)
{
    state += UINT64_C(0x9e3779b97f4a7c15);
    return zb_hash_scramble(state);
}

static double between(double a, double b)
{
    return a + (b - a) * ((double)(next() >> 11) * 0x1p-53);
}

/* Any finite double of either sign whose exponent lies between the two. */
static double any(int low, int high)
{
    uint64_t e = (uint64_t)(low + 1023) + next() % (uint64_t)(high - low + 1);
    return zb_from_bits((next() & 0x800fffffffffffff) | e << 52);
}

/* The difference in units of the last place of the truth (as a double); 0 when both are the same
 * special value, huge when only one is. */
static double ulps(double got, long double truth)
{
    double t = (double)truth;
    if (isnan(t) || isnan(got)) return isnan(t) && isnan(got) ? 0.0 : 1e300;
    if (isinf(t) || isinf(got)) return t == got ? 0.0 : 1e300;
    double a = fabs(t), ulp = nextafter(a, ZB_INFINITY) - a;
    if (isinf(ulp)) ulp = 0x1p971;
    long double d = fabsl((long double)got - truth) / (long double)ulp;
    return (double)d;
}

typedef double (*function)(double);
typedef long double (*truth)(long double);
typedef struct extreme {
    double error, at;
} extreme;

static void meet(extreme *worst, double error, double x)
{
    if (error > worst->error) *worst = (extreme){error, x};
}

/* Same number to the bit, or both nan. */
static bool same(double a, double b)
{
    return isnan(a) ? isnan(b) : zb_bits(a) == zb_bits(b);
}

/* long double must carry more bits than double for the comparison to mean anything. */
static bool truth_is_better(void)
{
    return LDBL_MANT_DIG > DBL_MANT_DIG;
}

static void ask(const char *name, extreme worst, double limit)
{
    if (!truth_is_better()) limit += 1.0;
    if (worst.error > limit) fail_msg("%s: %g ulp at %a", name, worst.error, worst.at);
}

static double own_sin(double x)
{
    return zb_sin(x);
}
static double own_cos(double x)
{
    return zb_cos(x);
}
static double own_exp(double x)
{
    return zb_exp(x);
}
static double own_log(double x)
{
    return zb_log(x);
}

/* One function on one interval. */
typedef struct range {
    const char *name;
    function own;
    truth reference;
    double low, high, limit;
} range;

static void interval_errors(void **unused)
{
    (void)unused;
    static const range all[] = {
        {"sin", own_sin, sinl, -0.8, 0.8, 0.95},     {"sin", own_sin, sinl, -10.0, 10.0, 0.95},
        {"sin", own_sin, sinl, -1e5, 1e5, 0.95},     {"cos", own_cos, cosl, -0.8, 0.8, 0.95},
        {"cos", own_cos, cosl, -10.0, 10.0, 0.95},   {"cos", own_cos, cosl, -1e5, 1e5, 0.95},
        {"sin", own_sin, sinl, 9.9e4, 1.1e5, 0.95},  {"cos", own_cos, cosl, 1e5, 1e7, 0.95},
        {"tan", zb_tan, tanl, -1.6, 1.6, 1.1},       {"tan", zb_tan, tanl, -1e5, 1e5, 1.1},
        {"tan", zb_tan, tanl, 1e5, 1e9, 1.1},        {"asin", zb_asin, asinl, -1.0, 1.0, 0.75},
        {"acos", zb_acos, acosl, -1.0, 1.0, 0.75},   {"acos", zb_acos, acosl, 0.999, 1.0, 0.75},
        {"atan", zb_atan, atanl, -1.2, 1.2, 0.65},   {"atan", zb_atan, atanl, -20.0, 20.0, 0.65},
        {"sinh", zb_sinh, sinhl, -1.1, 1.1, 0.9},    {"sinh", zb_sinh, sinhl, -700.0, 700.0, 0.9},
        {"cosh", zb_cosh, coshl, -1.1, 1.1, 0.65},   {"cosh", zb_cosh, coshl, -711.0, 711.0, 0.65},
        {"tanh", zb_tanh, tanhl, -1.1, 1.1, 0.9},    {"tanh", zb_tanh, tanhl, -20.0, 20.0, 0.9},
        {"exp", own_exp, expl, -1.0, 1.0, 0.9},      {"exp", own_exp, expl, -750.0, 710.0, 0.9},
        {"exp", own_exp, expl, -746.0, -708.0, 0.9}, {"log", own_log, logl, 0.5, 2.0, 0.95},
        {"log", own_log, logl, 0.99, 1.01, 0.95},    {"log", own_log, logl, 0.0, 1e6, 0.95},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const range *r = &all[i];
        extreme worst = {0.0, 0.0};
        for (int k = 0; k < SAMPLES; k++) {
            double x = between(r->low, r->high);
            meet(&worst, ulps(r->own(x), r->reference((long double)x)), x);
        }
        print_message("%-5s [%g, %g] %.3f ulp\n", r->name, r->low, r->high, worst.error);
        ask(r->name, worst, r->limit);
    }
}

/* The same over every exponent. */
static void errors_of_any_size(void **unused)
{
    (void)unused;
    static const range all[] = {
        {"sin", own_sin, sinl, -1022, 1023, 0.95}, {"cos", own_cos, cosl, -1022, 1023, 0.95},
        {"tan", zb_tan, tanl, -1022, 1023, 1.1},   {"asin", zb_asin, asinl, -1022, 1, 0.75},
        {"acos", zb_acos, acosl, -1022, 1, 0.75},  {"atan", zb_atan, atanl, -1022, 1023, 0.65},
        {"sinh", zb_sinh, sinhl, -1022, 10, 0.9},  {"cosh", zb_cosh, coshl, -1022, 10, 0.65},
        {"tanh", zb_tanh, tanhl, -1022, 10, 0.9},  {"exp", own_exp, expl, -1022, 10, 0.9},
        {"log", own_log, logl, -1022, 1023, 0.95},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const range *r = &all[i];
        extreme worst = {0.0, 0.0};
        for (int k = 0; k < SAMPLES; k++) {
            double x = any((int)r->low, (int)r->high);
            if (k % 16 == 0) x = zb_from_bits(zb_bits(x) & 0x800fffffffffffff); /* subnormal */
            if (r->own == own_log) x = fabs(x);
            meet(&worst, ulps(r->own(x), r->reference((long double)x)), x);
        }
        print_message("%-5s of any size %.3f ulp\n", r->name, worst.error);
        ask(r->name, worst, r->limit);
    }
}

/* The doubles next to n pi/2: for every n the small reduction takes, and far beyond it. */
static void near_multiples_of_half_pi(void **unused)
{
    (void)unused;
    extreme s = {0.0, 0.0}, c = {0.0, 0.0}, t = {0.0, 0.0};
    const long double half_pi = 1.57079632679489661923132169163975144L;
    for (int n = 1; n < 130000; n++) {
        long double m = n < 70000 ? (long double)n : (long double)(next() >> 12);
        double x = (double)(m * half_pi);
        if (n % 3 == 1) x = nextafter(x, 0.0);
        long double sine = sinl((long double)x), cosine = cosl((long double)x);
        meet(&s, ulps(zb_sin(x), sine), x);
        meet(&c, ulps(zb_cos(x), cosine), x);
        meet(&t, ulps(zb_tan(x), tanl((long double)x)), x);
    }
    print_message("near n pi/2: sin %.3f cos %.3f tan %.3f ulp\n", s.error, c.error, t.error);
    ask("sin", s, 0.95), ask("cos", c, 0.95), ask("tan", t, 1.1);
    /* the double nearest to a multiple of pi/2 of all, 6381956970095103 * 2^797 */
    double x = 0x1.6ac5b262ca1ffp+849;
    assert_true(ulps(zb_cos(x), cosl((long double)x)) < 0.95);
    assert_true(fabs(zb_cos(x)) < 5e-19);
}

static void pow_errors(void **unused)
{
    (void)unused;
    extreme worst = {0.0, 0.0};
    for (int k = 0; k < 4 * SAMPLES; k++) {
        double x = fabs(any(-1022, 1023)), y;
        if (k % 4 == 1) x = between(0.5, 2.0);
        if (k % 4 == 2) x = between(0.999, 1.001);
        if (k % 64 == 3) x = zb_from_bits(next() & 0xfffffffffffff);
        if (x == 0.0 || x == 1.0) continue;
        y = between(-760.0, 760.0) / log(x);
        if (k % 5 == 0) y = floor(y);
        meet(&worst, ulps(zb_pow(x, y), powl((long double)x, (long double)y)), x);
    }
    print_message("pow %.3f ulp\n", worst.error);
    ask("pow", worst, 1.0);
}

static void atan2_and_hypot_errors(void **unused)
{
    (void)unused;
    extreme angle = {0.0, 0.0}, length = {0.0, 0.0};
    for (int k = 0; k < 4 * SAMPLES; k++) {
        double x = any(-1022, 1023), y = any(-1022, 1023);
        if (k % 4 == 1) x = between(-1.0, 1.0), y = between(-1.0, 1.0);
        if (k % 4 == 2) y = x * between(-8.0, 8.0);
        if (k % 64 == 3) x *= 0x1p-1060, y *= 0x1p-1060;
        if (isinf(y)) continue;
        meet(&angle, ulps(zb_atan2(y, x), atan2l((long double)y, (long double)x)), y);
        meet(&length, ulps(zb_hypot(y, x), hypotl((long double)y, (long double)x)), y);
        assert_true(same(zb_hypot(x, y), zb_hypot(-y, x)));
    }
    print_message("atan2 %.3f hypot %.3f ulp\n", angle.error, length.error);
    ask("atan2", angle, 0.75);
    ask("hypot", length, 1.0);
    assert_true(zb_hypot(3.0, 4.0) == 5.0);
    assert_true(same(zb_hypot(DBL_MAX, DBL_MAX), ZB_INFINITY));
}

/* The values the functions of the system take, to the bit, on every pair of these. */
static const double specials[] = {
    0.0,  -0.0, 1.0,  -1.0,  ZB_INFINITY, -ZB_INFINITY, ZB_NAN,  0.5,    -0.5,     2.0,
    -2.0, 3.0,  -3.0, 1e300, -1e300,      DBL_MAX,      DBL_MIN, 0x1p53, 0x1p-1074};
enum { SPECIALS = sizeof specials / sizeof *specials };

static void same_as_system(const char *name, double own, double system, double x, double y)
{
    bool good = isnan(system) || isinf(system) || system == 0.0
                    ? same(own, system)
                    : ulps(own, (long double)system) <= 2.0;
    if (!good) fail_msg("%s(%a, %a) = %a, not %a", name, x, y, own, system);
}

static void special_values(void **unused)
{
    (void)unused;
    for (int i = 0; i < SPECIALS; i++) {
        double x = specials[i];
        same_as_system("sin", zb_sin(x), sin(x), x, 0.0);
        same_as_system("cos", zb_cos(x), cos(x), x, 0.0);
        same_as_system("tan", zb_tan(x), tan(x), x, 0.0);
        same_as_system("asin", zb_asin(x), asin(x), x, 0.0);
        same_as_system("acos", zb_acos(x), acos(x), x, 0.0);
        same_as_system("atan", zb_atan(x), atan(x), x, 0.0);
        same_as_system("sinh", zb_sinh(x), sinh(x), x, 0.0);
        same_as_system("cosh", zb_cosh(x), cosh(x), x, 0.0);
        same_as_system("tanh", zb_tanh(x), tanh(x), x, 0.0);
        same_as_system("exp", zb_exp(x), exp(x), x, 0.0);
        same_as_system("log", zb_log(x), log(x), x, 0.0);
        same_as_system("sqrt", zb_sqrt(x), sqrt(x), x, 0.0);
        same_as_system("floor", zb_floor(x), floor(x), x, 0.0);
        same_as_system("ceil", zb_ceil(x), ceil(x), x, 0.0);
        for (int j = 0; j < SPECIALS; j++) {
            double y = specials[j];
            same_as_system("pow", zb_pow(x, y), pow(x, y), x, y);
            same_as_system("atan2", zb_atan2(x, y), atan2(x, y), x, y);
            same_as_system("hypot", zb_hypot(x, y), hypot(x, y), x, y);
        }
    }
    assert_true(same(zb_sign(-0.0), -0.0) && zb_sign(3.0) == 1.0 && zb_sign(-ZB_INFINITY) == -1.0);
    assert_true(zb_pow(-2.0, 3.0) == -8.0 && zb_pow(-2.0, -2.0) == 0.25);
    assert_true(zb_exp(0.0) == 1.0 && zb_log(1.0) == 0.0 && zb_pow(10.0, 2.0) == 100.0);
}

static void rounding_to_integers(void **unused)
{
    (void)unused;
    for (int k = 0; k < SAMPLES; k++) {
        double x = k % 2 ? any(-3, 54) : between(-4.0, 4.0);
        if (k % 5 == 0) x = floor(x) + 0.5;
        assert_true(same(zb_floor(x), floor(x)));
        assert_true(same(zb_ceil(x), ceil(x)));
        assert_true(same(zb_round_even(x), rint(x)));
        assert_true(same(zb_copysign(x, -1.0), -fabs(x)) && same(zb_abs(x), fabs(x)));
    }
}

/* Odd and even functions are so to the bit; sin and cos alone are those of zb_sincos. */
static void symmetries(void **unused)
{
    (void)unused;
    for (int k = 0; k < SAMPLES; k++) {
        double x = k % 2 ? any(-1022, 1023) : between(-10.0, 10.0);
        zb_sine_cosine both = zb_sincos(x);
        assert_true(same(both.sine, zb_sin(x)) && same(both.cosine, zb_cos(x)));
        assert_true(same(zb_sin(-x), -both.sine) && same(zb_cos(-x), both.cosine));
        assert_true(same(zb_tan(-x), -zb_tan(x)) && same(zb_atan(-x), -zb_atan(x)));
        assert_true(same(zb_sinh(-x), -zb_sinh(x)) && same(zb_cosh(-x), zb_cosh(x)));
        assert_true(same(zb_tanh(-x), -zb_tanh(x)));
        assert_true(fabs(both.sine * both.sine + both.cosine * both.cosine - 1.0) < 5e-16);
    }
}

/* It is the distance from 1 to the next double, and half of it is lost. */
static void machine_epsilon(void **unused)
{
    (void)unused;
    volatile double one = 1.0;
    assert_true(same(zb_eps, nextafter(1.0, 2.0) - 1.0));
    assert_true(one + zb_eps > 1.0 && one + 0.5 * zb_eps == 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interval_errors),           cmocka_unit_test(errors_of_any_size),
        cmocka_unit_test(near_multiples_of_half_pi), cmocka_unit_test(pow_errors),
        cmocka_unit_test(atan2_and_hypot_errors),    cmocka_unit_test(special_values),
        cmocka_unit_test(rounding_to_integers),      cmocka_unit_test(symmetries),
        cmocka_unit_test(machine_epsilon),
    };
    state = 11;
    return cmocka_run_group_tests_name("elementary functions", tests, NULL, NULL);
}
