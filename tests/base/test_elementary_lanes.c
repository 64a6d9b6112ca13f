/*
 * The elementary functions on vectors: every lane has the bits of the scalar function, over all
 * doubles, for special values in every lane, beside lanes that take the rare road; and errors
 * against the long double functions of the system. Compiled once for each width and instruction
 * set; a processor without it passes without a test.
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

enum { SAMPLES = 40000 };

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

/* ---------------------------------------------------------------- functions */

typedef struct pair {
    const char *name;
    double (*one)(double);
    void (*all)(double *to, const double *x);
    long double (*truth)(long double);
    double low, high, limit; /* where the error in ulp is measured */
} pair;

#define PAIR(name)                                                                                 \
    static double one_##name(double x)                                                             \
    {                                                                                              \
        return zb_##name(x);                                                                       \
    }                                                                                              \
    static void all_##name(double *to, const double *x)                                            \
    {                                                                                              \
        zb_lanes_store(to, zb_lanes_##name(zb_lanes_load(x)));                                     \
    }
PAIR(sin)
PAIR(cos)
PAIR(exp)
PAIR(log)
PAIR(sqrt)
PAIR(abs)
PAIR(sign)
PAIR(floor)
PAIR(round_even)

static void all_sines(double *to, const double *x)
{
    zb_lanes_store(to, zb_lanes_sincos(zb_lanes_load(x)).sine);
}

static void all_cosines(double *to, const double *x)
{
    zb_lanes_store(to, zb_lanes_sincos(zb_lanes_load(x)).cosine);
}

static const pair pairs[] = {
    {"sin", one_sin, all_sin, sinl, -1e5, 1e5, 0.95},
    {"sin", one_sin, all_sin, sinl, -1.0, 1.0, 0.95},
    {"sin", one_sin, all_sin, sinl, 9e4, 1e9, 0.95},
    {"cos", one_cos, all_cos, cosl, -1e5, 1e5, 0.95},
    {"cos", one_cos, all_cos, cosl, -10.0, 10.0, 0.95},
    {"exp", one_exp, all_exp, expl, -750.0, 710.0, 0.9},
    {"exp", one_exp, all_exp, expl, -1.0, 1.0, 0.9},
    {"log", one_log, all_log, logl, 0.0, 1e6, 0.95},
    {"log", one_log, all_log, logl, 0.99, 1.01, 0.95},
    {"sqrt", one_sqrt, all_sqrt, sqrtl, 0.0, 1e6, 0.51},
    {"sines", one_sin, all_sines, sinl, -10.0, 10.0, 0.95},
    {"cosines", one_cos, all_cosines, cosl, -10.0, 10.0, 0.95},
    {"abs", one_abs, all_abs, fabsl, -1e6, 1e6, 0.0},
    {"sign", one_sign, all_sign, NULL, 0.0, 0.0, 0.0},
    {"floor", one_floor, all_floor, floorl, -1e6, 1e6, 0.0},
    {"round", one_round_even, all_round_even, rintl, -1e6, 1e6, 0.0},
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

/* Same number to the bit, or both nan. */
static bool same(double a, double b)
{
    return isnan(a) ? isnan(b) : zb_bits(a) == zb_bits(b);
}

static void compare(const pair *p, const double *x)
{
    double got[ZB_LANES];
    p->all(got, x);
    for (int l = 0; l < ZB_LANES; l++)
        if (!same(got[l], p->one(x[l])))
            fail_msg("%s(%a) in lane %d: %a, not %a", p->name, x[l], l, got[l], p->one(x[l]));
}

static void compare_all(const double *x)
{
    for (int i = 0; i < PAIRS; i++) compare(&pairs[i], x);
}

/* ------------------------------------------------------------------- tests */

/* Any bits at all: normal and subnormal numbers, infinities and nan of either sign. */
static void any_double(void **unused)
{
    (void)unused;
    double x[ZB_LANES];
    for (int k = 0; k < SAMPLES; k++) {
        for (int l = 0; l < ZB_LANES; l++) x[l] = zb_from_bits(next());
        if (k % 8 == 0) x[k / 8 % ZB_LANES] = zb_from_bits(next() & 0x800fffffffffffff);
        compare_all(x);
    }
}

/* All lanes on the main road of every function. */
static void usual_doubles(void **unused)
{
    (void)unused;
    static const double sizes[] = {1e-300, 1e-9, 0.8, 4.0, 100.0, 800.0, 1e5, 1e16};
    double x[ZB_LANES];
    for (int k = 0; k < SAMPLES; k++) {
        double size = sizes[k % 8];
        for (int l = 0; l < ZB_LANES; l++) x[l] = between(-size, size);
        compare_all(x);
    }
}

/* Neighbours of multiples of pi/2, of powers of two and of halves of integers: where a reduction or
 * a rounding turns over. */
static void critical_doubles(void **unused)
{
    (void)unused;
    double x[ZB_LANES];
    for (int k = 0; k < SAMPLES; k++) {
        for (int l = 0; l < ZB_LANES; l++) {
            double n = (double)(next() % 70000);
            if (k % 3 == 0) x[l] = n * 1.5707963267948966;
            if (k % 3 == 1) x[l] = n * 0.5;
            if (k % 3 == 2) x[l] = zb_power_of_two((int64_t)(next() % 2046) - 1022) * sqrt(2.0);
            x[l] = nextafter(x[l], next() % 2 ? 1e308 : -1e308);
            if (next() % 2) x[l] = -x[l];
        }
        compare_all(x);
    }
}

/* Every special value in every lane, beside usual ones. */
static void special_values(void **unused)
{
    (void)unused;
    static const double specials[] = {
        0.0,     -0.0,      1.0,        -1.0,   ZB_INFINITY, -ZB_INFINITY, ZB_NAN, 710.0,
        709.78,  -745.2,    -746.0,     -750.0, 1e5,         -1e5,         1e22,   DBL_MAX,
        DBL_MIN, 0x1p-1074, -0x1p-1074, 0x1p52, 0x1p53,      0.5,          1.5,    -2.5};
    double x[ZB_LANES];
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        for (int at = 0; at < ZB_LANES; at++) {
            for (int l = 0; l < ZB_LANES; l++) x[l] = l == at ? specials[i] : between(-3.0, 3.0);
            compare_all(x);
            for (int l = 0; l < ZB_LANES; l++) x[l] = specials[i];
            compare_all(x);
        }
}

/* Choosing keeps every bit of what is chosen, and truth is 0 or 1. */
static void masks(void **unused)
{
    (void)unused;
    double x[ZB_LANES], y[ZB_LANES], got[ZB_LANES];
    for (int k = 0; k < SAMPLES; k++) {
        for (int l = 0; l < ZB_LANES; l++)
            x[l] = zb_from_bits(next()), y[l] = next() % 4 ? zb_from_bits(next()) : x[l];
        zb_lanes a = zb_lanes_load(x), b = zb_lanes_load(y);
        zb_lanes_store(got, zb_lanes_choose(a < b, a, b));
        bool any = false;
        for (int l = 0; l < ZB_LANES; l++) {
            assert_true(zb_bits(got[l]) == zb_bits(x[l] < y[l] ? x[l] : y[l]));
            any |= x[l] < y[l];
        }
        assert_true(zb_lanes_any(a < b) == any);
        zb_lanes_store(got, zb_lanes_truth(a == b));
        for (int l = 0; l < ZB_LANES; l++) assert_true(same(got[l], x[l] == y[l] ? 1.0 : 0.0));
        zb_lanes_store(got, zb_lanes_all(x[0]));
        for (int l = 0; l < ZB_LANES; l++) assert_true(same(got[l], x[0]));
    }
}

static double ulps(double got, long double truth)
{
    double t = (double)truth;
    if (isnan(t) || isnan(got)) return isnan(t) && isnan(got) ? 0.0 : 1e300;
    if (isinf(t) || isinf(got)) return t == got ? 0.0 : 1e300;
    double a = fabs(t), ulp = nextafter(a, ZB_INFINITY) - a;
    return (double)(fabsl((long double)got - truth) / (long double)ulp);
}

static void errors(void **unused)
{
    (void)unused;
    double x[ZB_LANES], got[ZB_LANES], slack = LDBL_MANT_DIG > DBL_MANT_DIG ? 0.0 : 1.0;
    for (int i = 0; i < PAIRS; i++) {
        const pair *p = &pairs[i];
        double worst = 0.0;
        for (int k = 0; p->truth && k < SAMPLES / 4; k++) {
            for (int l = 0; l < ZB_LANES; l++) x[l] = between(p->low, p->high);
            p->all(got, x);
            for (int l = 0; l < ZB_LANES; l++)
                worst = fmax(worst, ulps(got[l], p->truth((long double)x[l])));
        }
        print_message("%-7s [%g, %g] %.3f ulp\n", p->name, p->low, p->high, worst);
        if (worst > p->limit + slack) fail_msg("%s: %g ulp", p->name, worst);
    }
}

static bool processor_can(void)
{
#if defined(__AVX512F__)
    return zb_cpu() >= ZB_CPU_AVX512;
#elif defined(__AVX2__)
    return zb_cpu() >= ZB_CPU_AVX2;
#else
    return true;
#endif
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        /* static: nothing is copied by vectors first */
        cmocka_unit_test(any_double),
        cmocka_unit_test(usual_doubles),
        cmocka_unit_test(critical_doubles),
        cmocka_unit_test(special_values),
        cmocka_unit_test(masks),
        cmocka_unit_test(errors),
    };
    if (!processor_can()) return 0;
    state = 17;
    return cmocka_run_group_tests_name("elementary functions in lanes", tests, NULL, NULL);
}
