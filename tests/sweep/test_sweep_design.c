/*
 * Designs and distributions: bits of Philox against its published answers, permutations, one point in
 * every strip, digits of Sobol' by a second way, quantiles against erfc of the system.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "design.h"
#include "sobol_numbers.h"

/* Of the authors of Philox, 4 x 32 bits, ten rounds: counter and key 0, and all ones. */
static void philox_gives_its_known_answers(void **state)
{
    (void)state;
    assert_true(zs_random_bits(0, 0, 0) == (UINT64_C(0x6627e8d5) | UINT64_C(0xe169c58d) << 32));
    assert_true(zs_random_bits(UINT64_MAX, UINT64_MAX, UINT64_MAX) ==
                (UINT64_C(0x408f276d) | UINT64_C(0x41c83b0e) << 32));
}

static void permutations_miss_nothing(void **state)
{
    static const int64_t counts[] = {1, 2, 3, 7, 64, 100, 1000};
    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            bool *seen = calloc((size_t)counts[c], sizeof *seen);
            assert_non_null(seen);
            for (int64_t k = 0; k < counts[c]; k++) {
                int64_t p = zs_permute(seed, 5, counts[c], k);
                assert_true(p >= 0 && p < counts[c] && !seen[p]);
                seen[p] = true;
            }
            free(seen);
        }
}

/* Every one of `count` strips of a dimension has one point. */
static void check_strips(zw_design kind, int64_t count, int32_t dimension, uint64_t seed)
{
    zs_design design = {kind, seed, count};
    bool *seen = calloc((size_t)count, sizeof *seen);
    assert_non_null(seen);
    for (int64_t k = 0; k < count; k++) {
        double x = zs_design_point(&design, k, dimension);
        assert_true(x > 0.0 && x < 1.0);
        int64_t strip = (int64_t)(x * (double)count);
        assert_false(seen[strip]);
        seen[strip] = true;
    }
    free(seen);
}

static void every_strip_has_one_point(void **state)
{
    (void)state;
    for (int32_t d = 0; d < zs_sobol_dimensions; d++) check_strips(ZW_DESIGN_SOBOL, 256, d, 7);
    for (int32_t d = 0; d < 5; d++) check_strips(ZW_DESIGN_LATIN, 100, d, 1);
}

/* Polynomials are primitive: x has the order 2^s - 1; first numbers are odd and small enough; no
 * polynomial twice. */
static void sobol_numbers_are_sound(void **state)
{
    (void)state;
    for (int32_t d = 0; d < zs_sobol_dimensions - 1; d++) {
        const zs_sobol_number *n = &zs_sobol_numbers[d];
        uint32_t x = 1, order = 0, s = n->degree;
        do {
            x <<= 1;
            if (x >> s & 1) x ^= n->polynomial;
            order++;
        } while (x > 1 && order < 1u << s);
        assert_true(x == 1 && order == (1u << s) - 1);
        for (uint32_t i = 0; i < s; i++) assert_true(n->m[i] % 2 == 1 && n->m[i] < 2u << i);
        for (int32_t e = 0; e < d; e++)
            assert_true(zs_sobol_numbers[e].polynomial != n->polynomial);
    }
}

/* The first two dimensions are a (0, m, 2)-net: one point in every box of area 1/256. */
static void two_dimensions_fill_all_boxes(void **state)
{
    (void)state;
    for (int bits = 0; bits <= 8; bits++) {
        bool seen[256] = {false};
        for (uint64_t k = 0; k < 256; k++) {
            uint64_t a = zs_sobol_bits(0, k) >> (52 - bits),
                     b = zs_sobol_bits(1, k) >> (52 - (8 - bits));
            uint64_t box = a << (8 - bits) | (bits == 8 ? 0 : b);
            if (bits == 0) box = b;
            assert_false(seen[box]);
            seen[box] = true;
        }
    }
}

/* The mean of a smooth function of six numbers: far better than random ones, and right. */
static void sobol_integrates(void **state)
{
    zs_design sobol = {ZW_DESIGN_SOBOL, 3, 4096};
    double sum = 0.0;
    (void)state;
    for (int64_t k = 0; k < sobol.count; k++) {
        double product = 1.0;
        for (int32_t d = 0; d < 6; d++)
            product *= 1.0 + 0.5 * (zs_design_point(&sobol, k, d) - 0.5);
        sum += product;
    }
    assert_true(fabs(sum / (double)sobol.count - 1.0) < 2e-4);
}

static void quantiles_are_those_of_the_system(void **state)
{
    (void)state;
    for (double u = 1e-14; u < 1.0; u = u < 0.4 ? u * 1.7 : u + 0.003) {
        double x = zs_normal_quantile(u), back = 0.5 * erfc(-x / sqrt(2.0));
        assert_true(fabs(back - u) <= 1e-14 * u + 4e-16 + 1e-15 * u * x * x);
    }
    assert_true(zs_normal_quantile(0.5) == 0.0);
    assert_true(fabs(zs_normal_quantile(0.975) - 1.959963984540054) < 1e-14);
    for (double u = 0.001; u < 1.0; u += 0.01) {
        assert_true(fabs(1.0 - exp(-zs_quantile(ZS_EXPONENTIAL, (double[3]){2.0, 0, 0}, u) / 2.0) -
                         u) < 1e-14);
        double p[3] = {1.0, 2.0, 5.0}, x = zs_quantile(ZS_TRIANGULAR, p, u);
        double part = x < 2.0 ? (x - 1.0) * (x - 1.0) / 4.0 : 1.0 - (5.0 - x) * (5.0 - x) / 12.0;
        assert_true(fabs(part - u) < 1e-14);
        assert_true(fabs(log(zs_quantile(ZS_LOGNORMAL, (double[3]){0.5, 0.1, 0}, u)) - 0.5 -
                         0.1 * zs_normal_quantile(u)) < 1e-14);
    }
}

/* Moments of random numbers, far looser than chance would break. */
static void random_numbers_are_even(void **state)
{
    zs_design random = {ZW_DESIGN_RANDOM, 11, 100000};
    double sum = 0.0, squares = 0.0, product = 0.0;
    (void)state;
    for (int64_t k = 0; k < random.count; k++) {
        double x = zs_design_point(&random, k, 0) - 0.5, y = zs_design_point(&random, k, 1) - 0.5;
        sum += x;
        squares += x * x;
        product += x * y;
    }
    double n = (double)random.count;
    assert_true(fabs(sum / n) < 5.0 * sqrt(1.0 / 12.0 / n));
    assert_true(fabs(squares / n - 1.0 / 12.0) < 5.0 * sqrt(1.0 / 180.0 / n));
    assert_true(fabs(product / n) < 5.0 / 12.0 / sqrt(n));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_its_known_answers),
        cmocka_unit_test(permutations_miss_nothing),
        cmocka_unit_test(every_strip_has_one_point),
        cmocka_unit_test(sobol_numbers_are_sound),
        cmocka_unit_test(two_dimensions_fill_all_boxes),
        cmocka_unit_test(sobol_integrates),
        cmocka_unit_test(quantiles_are_those_of_the_system),
        cmocka_unit_test(random_numbers_are_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
