/*
 * The rarer elementary functions, and the reduction of large angles. Speed matters less here
 * than in the header, so what needs more than 53 bits is carried as a pair of doubles, an
 * unevaluated sum with |low| <= ulp(high)/2: products by Dekker's splitting, sums by Knuth's,
 * about 100 bits. Each function spends pairs on its leading terms only, where a rounding would
 * be seen, and ends with one rounding of high + low. Measured errors: tests/base/test_elementary.c.
 */
#include "elementary.h"

#include <stdbool.h>

/* ------------------------------------------------------- pairs of doubles */

/* The number high + low. */
typedef struct pair {
    double high, low;
} pair;

static const pair half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
static const pair pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};

/* a + b exactly, for |a| >= |b|. */
static inline pair ordered_sum(double a, double b)
{
    double s = a + b;
    return (pair){s, b - (s - a)};
}

/* a + b exactly. */
static inline pair exact_sum(double a, double b)
{
    double s = a + b, t = s - a;
    return (pair){s, (a - (s - t)) + (b - t)};
}

/* a b exactly, as long as nothing over- or underflows (|a|, |b| < 2^996). */
static inline pair exact_product(double a, double b)
{
    const double splitter = 0x1p27 + 1.0;
    double p = a * b;
    double ta = splitter * a, a1 = ta - (ta - a), a2 = a - a1;
    double tb = splitter * b, b1 = tb - (tb - b), b2 = b - b1;
    return (pair){p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
}

/* a + b to about 100 bits. */
static inline pair pair_sum(pair a, pair b)
{
    pair s = exact_sum(a.high, b.high), t = exact_sum(a.low, b.low);
    s = ordered_sum(s.high, s.low + t.high);
    return ordered_sum(s.high, s.low + t.low);
}

/* a b to about 100 bits. */
static inline pair pair_product(pair a, pair b)
{
    pair p = exact_product(a.high, b.high);
    return ordered_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

/* a / b to about 100 bits; b not 0. */
static inline pair pair_quotient(pair a, pair b)
{
    double q = a.high / b.high;
    pair p = exact_product(q, b.high);
    double rest = ((a.high - p.high) - p.low) + (a.low - q * b.low);
    return ordered_sum(q, rest / b.high);
}

static inline pair negate_pair(pair a)
{
    return (pair){-a.high, -a.low};
}

static inline double round_pair(pair a)
{
    return a.high + a.low;
}

/* c[0] + c[1] x + ... + c[count - 1] x^(count - 1) */
static inline double evaluate_horner(const double *c, int count, double x)
{
    double p = c[count - 1];
    for (int i = count - 2; i >= 0; i--) p = p * x + c[i];
    return p;
}

/* a 2^k for a near 1 and |k| < 2000, in two steps, of which only the last can round. */
static double scale_by_power(double a, int64_t k)
{
    return a * zb_power_of_two(k / 2) * zb_power_of_two(k - k / 2);
}

/* The exponent of a positive normal number: 2^e <= a < 2^(e + 1). */
static int64_t exponent_of(double a)
{
    return (int64_t)(zb_bits(a) >> 52) - 1023;
}

/* ----------------------------------------------------------- large angles */

/* 2/pi after 64 zero bits, in words of 32. */
static const uint32_t two_over_pi[] = {
    0,          0,          0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599,
    0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c,
    0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639,
    0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f,
    0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7,
    0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20,
};

enum { REDUCE_WORDS = 7 };

/* product = m * (the 224 bits of the table from `offset` on) mod 2^224, most significant word
 * first; m < 2^53. */
static void angle_product(uint64_t m, uint32_t offset, uint32_t product[REDUCE_WORDS])
{
    uint64_t low = m & UINT32_MAX, high = m >> 32, carry = 0, previous = 0;
    for (int i = REDUCE_WORDS - 1; i >= 0; i--) {
        const uint32_t *at = two_over_pi + offset / 32 + i;
        uint64_t two = (uint64_t)at[0] << 32 | at[1];
        uint64_t word = two >> (32 - offset % 32) & UINT32_MAX;
        /* low word: low * word; the high half of m meets the word before */
        uint64_t a = low * word, b = high * previous;
        uint64_t t = (a & UINT32_MAX) + (b & UINT32_MAX) + (carry & UINT32_MAX);
        product[i] = (uint32_t)t;
        carry = (carry >> 32) + (t >> 32) + (a >> 32) + (b >> 32);
        previous = word;
    }
}

/* 64 bits of a 224-bit number from bit `from` (0: the most significant) on; zeros past its end. */
static uint64_t bits_from(const uint32_t word[REDUCE_WORDS], int from)
{
    uint64_t bits = 0;
    for (int i = 0; i < 64; i++) {
        int at = from + i;
        uint32_t bit = at < 32 * REDUCE_WORDS ? word[at / 32] >> (31 - at % 32) & 1u : 0u;
        bits = bits << 1 | bit;
    }
    return bits;
}

/* |x| = m 2^e; the bits of 2/pi whose products with x are multiples of 4 are passed over, and
 * 224 of those behind them decide the quadrant, of which 137 are right: enough for the double
 * that comes nearest to a multiple of pi/2 (2^-62 of a quadrant). */
zb_reduced zb_reduce_large(double x)
{
    if (!(x < ZB_INFINITY)) return (zb_reduced){ZB_NAN, 0.0, 0};
    if (x < ZB_SMALL_ANGLE) return zb_reduce_small(x);
    int64_t e = exponent_of(x) - 52;
    uint64_t m = (zb_bits(x) & 0xfffffffffffff) | UINT64_C(1) << 52;
    uint32_t word[REDUCE_WORDS];
    angle_product(m, (uint32_t)(e + 62), word);

    /* the quadrant, and the signed distance from its middle line in fixed point */
    uint64_t quadrant = word[0] >> 30;
    uint64_t below = word[0] >> 29 & 1;
    quadrant += below;
    uint64_t carry = below;
    for (int i = REDUCE_WORDS - 1; i >= 0 && below; i--) {
        carry += (uint32_t)~word[i];
        word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    word[0] &= 0x3fffffff;

    /* its first 106 bits as a pair, times pi/2 */
    int first = 2;
    while (first < 150 && !(word[first / 32] >> (31 - first % 32) & 1u)) first++;
    double high = (double)(bits_from(word, first) >> 11) * zb_power_of_two(-51 - first);
    double low = (double)(bits_from(word, first + 53) >> 11) * zb_power_of_two(-104 - first);
    pair r = pair_product((pair){high, low}, half_pi);
    return below ? (zb_reduced){-r.high, -r.low, quadrant} : (zb_reduced){r.high, r.low, quadrant};
}

/* -------------------------------------------------------------------- tan */

/* sin and cos of the reduced angle as pairs, then one quotient. The coefficients are those of the
 * header, in Horner's order. */
double zb_tan(double x)
{
    static const double S[] = {-0x1.5555555555555p-3,  0x1.1111111110bb2p-7,
                               -0x1.a01a019e83a6cp-13, 0x1.71de379684acfp-19,
                               -0x1.ae600afd19136p-26, 0x1.5e0b17f3047f8p-33};
    static const double C[] = {0x1.5555555555555p-5,  -0x1.6c16c16c16967p-10,
                               0x1.a01a019f4eadfp-16, -0x1.27e4fa17d757bp-22,
                               0x1.1eeb68e66c2eap-29, -0x1.907da16179583p-37};
    double a = zb_abs(x);
    if (a < 0x1p-27) return x; /* zeros keep their sign */
    zb_reduced r = a < ZB_SMALL_ANGLE ? zb_reduce_small(a) : zb_reduce_large(a);
    pair z = exact_product(r.high, r.high);
    pair s = ordered_sum(r.high, r.high * z.high * evaluate_horner(S, 6, z.high) +
                                     r.low * (1.0 - 0.5 * z.high));
    pair c = ordered_sum(1.0, -0.5 * z.high);
    c.low += (z.high * z.high * evaluate_horner(C, 6, z.high) - 0.5 * z.low) - r.high * r.low;
    c = ordered_sum(c.high, c.low);
    double t = round_pair(r.quadrant & 1 ? pair_quotient(negate_pair(c), s) : pair_quotient(s, c));
    return x < 0.0 ? -t : t;
}

/* ----------------------------------------------------------- asin and acos */

/* asin(s) - s for |s| <= 1/2, z = s^2: s z P(z), P(z) = (asin(s) - s) / s^3 on [0, 1/4]. */
static double asin_rest(double s, double z)
{
    static const double P[] = {0x1.5555555555556p-3, 0x1.3333333332ecap-4, 0x1.6db6db6e31f13p-5,
                               0x1.f1c71c1db0623p-6, 0x1.6e8bb1c8209a2p-6, 0x1.1c4d35cf95421p-6,
                               0x1.c9cf07674736ap-7, 0x1.782651caa6547p-7, 0x1.52420b04b37bep-7,
                               0x1.65a9c4dfcf8b2p-8, 0x1.1d189408314eep-6, -0x1.e6aaa8a0a04ccp-7,
                               0x1.d72b2bc8155f8p-6};
    return s * z * evaluate_horner(P, 13, z);
}

/* acos(a) = 2 asin(sqrt((1 - a)/2)) for 1/2 <= a <= 1 as a pair. */
static pair acos_upper(double a)
{
    double z = 0.5 * (1.0 - a), s = zb_sqrt(z); /* z is exact */
    if (z == 0.0) return (pair){0.0, 0.0};
    pair square = exact_product(s, s);
    double low = ((z - square.high) - square.low) / (2.0 * s);
    pair r = ordered_sum(s, low + asin_rest(s, z));
    return (pair){2.0 * r.high, 2.0 * r.low};
}

/* Up to 1/2 the polynomial; above, pi/2 - acos(a) with both as pairs. */
double zb_asin(double x)
{
    double a = zb_abs(x);
    if (a <= 0.5) return a < 0x1p-27 ? x : x + asin_rest(x, x * x);
    if (!(a <= 1.0)) return ZB_NAN;
    return zb_copysign(round_pair(pair_sum(half_pi, negate_pair(acos_upper(a)))), x);
}

/* For |x| up to 1/2, pi/2 - asin(x); above, acos_upper, reflected for negative x. */
double zb_acos(double x)
{
    double a = zb_abs(x);
    if (a <= 0.5) {
        pair s = exact_sum(half_pi.high, -x);
        return s.high + (s.low + (half_pi.low - asin_rest(x, x * x)));
    }
    if (!(a <= 1.0)) return ZB_NAN;
    pair r = acos_upper(a);
    return x > 0.0 ? round_pair(r) : round_pair(pair_sum(pi, negate_pair(r)));
}

/* ---------------------------------------------------------- atan and atan2 */

/* atan(y / x) for 0 <= y <= x, 1 <= x < 2: with c = k/8 near y/x,
 * atan(y/x) = atan(c) + atan(t), t = (y - c x) / (x + c y), |t| < 1/15. */
static pair atan_ratio(double y, double x)
{
    static const pair at[] = {{0.0, 0.0},
                              {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
                              {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                              {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
                              {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                              {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
                              {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                              {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
                              {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};
    /* (atan(t) - t) / t^3 in t^2 on [0, 1/200] */
    static const double P[] = {-0x1.5555555555555p-2, 0x1.9999999999895p-3,  -0x1.24924923fde0fp-3,
                               0x1.c71c6de915254p-4,  -0x1.745741bacc254p-4, 0x1.3703bb5e1f9f1p-4};
    int k = (int)(8.0 * (y / x) + 0.5);
    double c = 0.125 * (double)k;
    pair cx = exact_product(c, x), cy = exact_product(c, y);
    pair top = exact_sum(y, -cx.high), bottom = exact_sum(x, cy.high);
    top = ordered_sum(top.high, top.low - cx.low);
    bottom = ordered_sum(bottom.high, bottom.low + cy.low);
    pair t = pair_quotient(top, bottom);
    double z = t.high * t.high;
    t = ordered_sum(t.high, t.low + t.high * z * evaluate_horner(P, 6, z));
    return pair_sum(at[k], t);
}

/* atan2 for y > 0 or x != 0, both finite and not negative, not both 0; `behind`: x was negative. */
static double atan_quadrant(double y, double x, bool behind)
{
    double small = y < x ? y : x, large = y < x ? x : y;
    if (small < large * 0x1p-70) { /* the small one does no more than the last bit */
        if (y > x) return half_pi.high;
        return behind ? pi.high : y / x;
    }
    if (large < 0x1p-960) small *= 0x1p128, large *= 0x1p128;
    int64_t e = exponent_of(large);
    double down = zb_power_of_two(-e / 2), rest = zb_power_of_two(-e - (-e / 2));
    pair r = atan_ratio(small * down * rest, large * down * rest);
    if (y > x) r = pair_sum(half_pi, negate_pair(r));
    return round_pair(behind ? pair_sum(pi, negate_pair(r)) : r);
}

/* Zeros and infinities by cases; the rest in the first quadrant, the
 * sign of y put back at the end. */
double zb_atan2(double y, double x)
{
    double a = zb_abs(y), b = zb_abs(x), r;
    bool behind = zb_bits(x) >> 63 != 0;
    if (!(a <= ZB_INFINITY && b <= ZB_INFINITY)) return ZB_NAN;
    if (a == ZB_INFINITY && b == ZB_INFINITY)
        r = behind ? 0x1.2d97c7f3321d2p+1 : 0.5 * half_pi.high; /* 3 pi/4 or pi/4 */
    else if (a == 0.0 || b == ZB_INFINITY)
        r = behind ? pi.high : 0.0;
    else if (b == 0.0 || a == ZB_INFINITY)
        r = half_pi.high;
    else
        r = atan_quadrant(a, b, behind);
    return zb_copysign(r, y);
}

double zb_atan(double x)
{
    return zb_abs(x) < 0x1p-27 ? x : zb_atan2(x, 1.0);
}

/* --------------------------------------------------- exp and log as pairs */

/* exp(x) = 2^k value, |x| < 1e4; the relative error of value is about 2^-60. */
typedef struct exponential {
    pair value;
    int64_t k;
} exponential;

/* x = k ln 2 + r, then exp(r) with the first three terms as pairs. */
static exponential exp_pair(pair x)
{
    /* (exp(r) - 1 - r - r^2/2) / r^3 on |r| <= ln(2)/2 */
    static const double P[] = {0x1.5555555555556p-3,  0x1.5555555555555p-5,  0x1.11111111109b3p-7,
                               0x1.6c16c16c167e1p-10, 0x1.a01a01a7c41d5p-13, 0x1.a01a01a47b054p-16,
                               0x1.71de0dae63bb3p-19, 0x1.27e4e1f48534fp-22, 0x1.af38a9b0ec855p-26,
                               0x1.1f66df7fca49fp-29};
    double k = zb_round_even(x.high * 0x1.71547652b82fep+0);
    pair ln2 = exact_product(k, ZB_LN2_LOW);
    pair r = exact_sum(x.high - k * ZB_LN2, -ln2.high);
    r = ordered_sum(r.high, r.low + (x.low - ln2.low));
    pair z = pair_product(r, r);
    double rest = r.high * z.high * evaluate_horner(P, 10, r.high);
    pair tail = pair_sum(r, (pair){0.5 * z.high, 0.5 * z.low + rest});
    return (exponential){pair_sum((pair){1.0, 0.0}, tail), (int64_t)k};
}

/* ln of a positive finite x with a relative error of about 2^-64: as zb_log, the first two terms
 * of 2 s + (2/3) s^3 + s^5 P(s^2) as pairs. */
static pair log_pair(double x)
{
    /* (2 atanh(s) - 2 s - (2/3) s^3) / s^5 in s^2 on [0, (3 - 2 sqrt(2))^2] */
    static const double P[] = {0x1.999999999999ap-2, 0x1.2492492492491p-2, 0x1.c71c71c71cfd9p-3,
                               0x1.745d174513593p-3, 0x1.3b13b1bc75cd4p-3, 0x1.1110dfad0f8eap-3,
                               0x1.e1f7fa7547177p-4, 0x1.ac4a89c964b82p-4, 0x1.b8d433113b7fap-4};
    const pair two_thirds = {0x1.5555555555555p-1, 0x1.5555555555555p-55};
    double k = 0.0;
    if (x < 0x1p-1022) x *= 0x1p54, k = -54.0;
    uint64_t bits = zb_bits(x) - zb_bits(0x1.6a09e667f3bcdp-1);
    double f = zb_from_bits((bits & 0xfffffffffffff) + zb_bits(0x1.6a09e667f3bcdp-1)) - 1.0;
    k += (double)((int64_t)bits >> 52);
    pair s = pair_quotient((pair){f, 0.0}, exact_sum(2.0, f));
    pair z = pair_product(s, s);
    pair inner = pair_sum(two_thirds, (pair){z.high * evaluate_horner(P, 9, z.high), 0.0});
    inner = pair_sum((pair){2.0, 0.0}, pair_product(z, inner));
    pair ln2 = exact_product(k, ZB_LN2_LOW);
    ln2.low += k * 0x1.f97b57a079a19p-103;
    ln2 = pair_sum((pair){k * ZB_LN2, 0.0}, ln2);
    return pair_sum(ln2, pair_product(s, inner));
}

/* -------------------------------------------------------------------- pow */

/* Infinities count as integers. */
static bool is_integer(double y)
{
    return zb_floor(y) == y;
}

/* Whether y is an odd integer; from 2^53 on all doubles are even. */
static bool is_odd(double y)
{
    return zb_abs(y) < 0x1p53 && is_integer(y) && !is_integer(0.5 * y);
}

/* x^y for x > 0 finite, not 1, and y finite, not 0. */
static double pow_positive(double x, double y)
{
    bool grows = (x > 1.0) == (y > 0.0);
    if (zb_abs(y) > 0x1p70) return grows ? ZB_INFINITY : 0.0;
    if (zb_abs(y) < 0x1p-70) return 1.0;
    pair l = log_pair(x);
    pair p = exact_product(y, l.high);
    p = ordered_sum(p.high, p.low + y * l.low);
    if (p.high > 800.0) return ZB_INFINITY;
    if (p.high < -800.0) return 0.0;
    exponential e = exp_pair(p);
    return scale_by_power(round_pair(e.value), e.k);
}

/* The special cases of Annex F; what is left is exp(y ln x) with a logarithm good to 64 bits. */
double zb_pow(double x, double y)
{
    if (y == 0.0 || x == 1.0) return 1.0;
    if (x != x || y != y) return ZB_NAN;
    double a = zb_abs(x);
    if (zb_abs(y) == ZB_INFINITY) {
        if (a == 1.0) return 1.0;
        return (a > 1.0) == (y > 0.0) ? ZB_INFINITY : 0.0;
    }
    bool negative_base = zb_bits(x) >> 63 != 0;
    double sign = negative_base && is_odd(y) ? -1.0 : 1.0;
    if (a == 0.0) return y > 0.0 ? sign * 0.0 : sign * ZB_INFINITY;
    if (a == ZB_INFINITY) return y > 0.0 ? sign * ZB_INFINITY : sign * 0.0;
    if (negative_base && !is_integer(y)) return ZB_NAN;
    return a == 1.0 ? sign : sign * pow_positive(a, y);
}

/* ------------------------------------------------------- sinh, cosh, tanh */

/* (exp(a) + sign exp(-a)) / 2 for a >= 0. */
static double half_exp_sum(double a, double sign)
{
    if (!(a <= 711.0)) return a * 0x1p1023; /* infinity, or nan */
    exponential e = exp_pair((pair){a, 0.0});
    if (a < 40.0) {
        double up = zb_power_of_two(e.k);
        e.value = (pair){e.value.high * up, e.value.low * up};
        pair inverse = pair_quotient((pair){sign, 0.0}, e.value);
        return 0.5 * round_pair(pair_sum(e.value, inverse));
    }
    return scale_by_power(round_pair(e.value), e.k - 1);
}

double zb_cosh(double x)
{
    return half_exp_sum(zb_abs(x), 1.0);
}

/* Below 1 the series, where exp(a) - exp(-a) would cancel. */
double zb_sinh(double x)
{
    /* (sinh(x) - x) / x^3 in x^2 on [0, 1] */
    static const double P[] = {0x1.5555555555555p-3,  0x1.1111111111111p-7,  0x1.a01a01a01a001p-13,
                               0x1.71de3a556f96cp-19, 0x1.ae6456792a77fp-26, 0x1.612467ccb226p-33,
                               0x1.ae777c36fd5b6p-41, 0x1.99f0806c2628dp-49};
    double a = zb_abs(x), z = x * x;
    if (a < 0x1p-27) return x;
    if (a < 1.0) return x + x * z * evaluate_horner(P, 8, z);
    return zb_copysign(half_exp_sum(a, -1.0), x);
}

/* tanh(a) = 1 - 2 / (exp(2 a) + 1). */
double zb_tanh(double x)
{
    /* (tanh(x) - x) / x^3 in x^2 on [0, 1/4] */
    static const double P[] = {
        -0x1.5555555555555p-2,  0x1.11111111110ecp-3,  -0x1.ba1ba1ba15daap-5,
        0x1.664f487fed22ap-6,   -0x1.226e34a851d2cp-7, 0x1.d6d39b48449bfp-9,
        -0x1.7d9e74586c684p-10, 0x1.350ce30757046p-11, -0x1.efab6555ccc22p-13,
        0x1.71eb85bee4b4ap-14,  -0x1.8117b15cbb104p-16};
    double a = zb_abs(x), z = x * x;
    if (x != x || a < 0x1p-27) return x;
    if (a < 0.5) return x + x * z * evaluate_horner(P, 11, z);
    if (a > 22.0) return zb_copysign(1.0, x);
    exponential e = exp_pair((pair){2.0 * a, 0.0});
    double up = zb_power_of_two(e.k);
    pair bottom = pair_sum((pair){e.value.high * up, e.value.low * up}, (pair){1.0, 0.0});
    pair q = pair_quotient((pair){-2.0, 0.0}, bottom);
    return zb_copysign(round_pair(pair_sum((pair){1.0, 0.0}, q)), x);
}

/* ------------------------------------------------------------------ hypot */

/* Scaled by a power of two, so that the squares neither over- nor underflow; one
 * Newton step corrects the root. */
double zb_hypot(double x, double y)
{
    double a = zb_abs(x), b = zb_abs(y);
    if (a == ZB_INFINITY || b == ZB_INFINITY) return ZB_INFINITY;
    double large = a > b ? a : b, small = a > b ? b : a;
    if (!(small >= 0.0 && large >= 0.0)) return ZB_NAN;
    if (small < large * 0x1p-60 || small == 0.0) return large + small;
    int64_t k = 0;
    if (large > 0x1p500) k = 600;
    if (large < 0x1p-400) k = -600;
    double up = zb_power_of_two(-k);
    large *= up, small *= up;
    pair s = pair_sum(exact_product(large, large), exact_product(small, small));
    double r = zb_sqrt(s.high);
    pair square = exact_product(r, r);
    double rest = ((s.high - square.high) - square.low + s.low) / (2.0 * r);
    return (r + rest) * zb_power_of_two(k);
}
