/*
 * Elementary functions in plain double arithmetic: no libm, no fused multiply-add, so that the
 * byte code, machine code, vector lanes and the browser give the same bits. They need rounding to
 * nearest and a compiler that contracts nothing (cmake/flags.cmake).
 *
 * sin, cos, exp and log stand here to be inlined. Their main paths have no branches: every
 * choice is by bits or by a select, so a vector version in the same order of operations gives
 * the same bits. Measured errors stay below 0.95 ulp; those of the others, in elementary.c, below
 * 0.9 but for tan, 1.1.
 *
 * Coefficients: Chebyshev fits computed with 400 bits and rounded; the interval and the function
 * fitted stand beside each. Special values are those of C's Annex F.
 */
#ifndef ZB_ELEMENTARY_H
#define ZB_ELEMENTARY_H

#include <stdint.h>
#include <string.h>

/* The 64 bits that represent x. */
static inline uint64_t zb_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* The double that these 64 bits represent. */
static inline double zb_from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#define ZB_SIGN_BIT (UINT64_C(1) << 63)
#define ZB_INFINITY (__builtin_inf())
#define ZB_NAN (__builtin_nan(""))

/* 2^52 and 2^52 + 2^51: adding them rounds a double to an integer, which then stands in the low
 * bits of the sum. */
#define ZB_ROUNDER 0x1p52
#define ZB_SIGNED_ROUNDER 0x1.8p52

static inline double zb_abs(double x)
{
    return zb_from_bits(zb_bits(x) & ~ZB_SIGN_BIT);
}

static inline double zb_copysign(double magnitude, double sign)
{
    return zb_from_bits((zb_bits(magnitude) & ~ZB_SIGN_BIT) | (zb_bits(sign) & ZB_SIGN_BIT));
}

/* -1, 0 or 1; zeros and nan are their own sign. */
static inline double zb_sign(double x)
{
    double one = zb_copysign(1.0, x);
    return x < 0.0 || x > 0.0 ? one : x;
}

/* 2^k for -1022 <= k <= 1023. */
static inline double zb_power_of_two(int64_t k)
{
    return zb_from_bits((uint64_t)(k + 1023) << 52);
}

/* The hardware's, correctly rounded; nan for negative numbers. */
static inline double zb_sqrt(double x)
{
    return __builtin_sqrt(x);
}

/* The nearest integer, of two the even one. */
static inline double zb_round_even(double x)
{
    double a = zb_abs(x), t = zb_copysign((a + ZB_ROUNDER) - ZB_ROUNDER, x);
    return a < ZB_ROUNDER ? t : x;
}

static inline double zb_floor(double x)
{
    double t = zb_round_even(x);
    return t - (t > x ? 1.0 : 0.0);
}

static inline double zb_ceil(double x)
{
    return -zb_floor(-x);
}

/* ------------------------------------------------------------ sin and cos */

/* x = n pi/2 + high + low with |high| <= pi/4 about; x >= 0 here. */
typedef struct zb_reduced {
    double high, low;
    uint64_t quadrant; /* n; its two low bits count */
} zb_reduced;

/* For any finite x >= 0; nan for others. In elementary.c. */
zb_reduced zb_reduce_large(double x);

#define ZB_SMALL_ANGLE 1e5

/* For 0 <= x < ZB_SMALL_ANGLE: n < 2^16. pi/2 = P1 + P2 + P3, the first two of 33 bits, so that
 * n P1 and n P2 are exact, and so is a = x - n P1. Then a - b = r + ((a - r) - b) exactly: either
 * |b| <= 2 |a|, or both are multiples of 2^-66 below 2^-17, and r is exact. |low| is no more than
 * about half a unit of the last place of high, plus 2^-52. */
static inline zb_reduced zb_reduce_small(double x)
{
    const double P1 = 0x1.921fb544p+0, P2 = 0x1.0b4611a6p-34, P3 = 0x1.3198a2e037073p-69;
    double t = x * 0x1.45f306dc9c883p-1 + ZB_SIGNED_ROUNDER;
    double n = t - ZB_SIGNED_ROUNDER;
    double a = x - n * P1, b = n * P2;
    double r = a - b;
    return (zb_reduced){r, ((a - r) - b) - n * P3, zb_bits(t)};
}

/* sin of high + low, |high| <= pi/4; low only to first order. */
static inline double zb_sin_core(double high, double low)
{
    /* (sin(r) - r) / r^3 in z = r^2 on [0, (pi/4)^2] */
    double z = high * high, w = z * z;
    double p = (-0x1.5555555555555p-3 + z * 0x1.1111111110bb2p-7) +
               w * ((-0x1.a01a019e83a6cp-13 + z * 0x1.71de379684acfp-19) +
                    w * (-0x1.ae600afd19136p-26 + z * 0x1.5e0b17f3047f8p-33));
    return high + (high * z * p + low * (1.0 - 0.5 * z));
}

/* cos of high + low, |high| <= pi/4; low only to first order. */
static inline double zb_cos_core(double high, double low)
{
    /* (cos(r) - 1 + r^2/2) / r^4 in z = r^2 on [0, (pi/4)^2] */
    double z = high * high, w = z * z;
    double p = (0x1.5555555555555p-5 + z * -0x1.6c16c16c16967p-10) +
               w * ((0x1.a01a019f4eadfp-16 + z * -0x1.27e4fa17d757bp-22) +
                    w * (0x1.1eeb68e66c2eap-29 + z * -0x1.907da16179583p-37));
    double half = 0.5 * z, one = 1.0 - half;
    return one + (((1.0 - one) - half) + (w * p - high * low));
}

/* Both at once: they share the reduction of the angle. */
typedef struct zb_sine_cosine {
    double sine, cosine;
} zb_sine_cosine;

/* Puts sin and cos of the reduced angle into their quadrant; `sign` is the sign bit of x. */
static inline zb_sine_cosine zb_turn(zb_reduced r, uint64_t sign)
{
    uint64_t s = zb_bits(zb_sin_core(r.high, r.low)), c = zb_bits(zb_cos_core(r.high, r.low));
    uint64_t swap = (s ^ c) & (0 - (r.quadrant & 1));
    return (zb_sine_cosine){zb_from_bits((s ^ swap) ^ ((r.quadrant & 2) << 62) ^ sign),
                            zb_from_bits((c ^ swap) ^ (((r.quadrant + 1) & 2) << 62))};
}

/* sin and cos of any x; nan of what is not finite. The large angles are the rare ones. */
static inline zb_sine_cosine zb_sincos(double x)
{
    double a = zb_abs(x);
    uint64_t sign = zb_bits(x) & ZB_SIGN_BIT;
    if (__builtin_expect(!(a < ZB_SMALL_ANGLE), 0)) return zb_turn(zb_reduce_large(a), sign);
    return zb_turn(zb_reduce_small(a), sign);
}

static inline double zb_sin(double x)
{
    return zb_sincos(x).sine;
}

static inline double zb_cos(double x)
{
    return zb_sincos(x).cosine;
}

/* ------------------------------------------------------------ exp and log */

/* ln 2 = LN2 + LN2_LOW, the first of 41 bits. */
#define ZB_LN2 0x1.62e42fefa3p-1
#define ZB_LN2_LOW 0x1.3de6af278ece6p-42

/* x = k ln 2 + r; exp(x) = 2^k exp(r), the power of two in two steps, so that results below the
 * normal numbers are rounded once. */
static inline double zb_exp(double x)
{
    double y = x < -746.0 ? -746.0 : x;
    y = y > 710.0 ? 710.0 : y;
    double t = y * 0x1.71547652b82fep+0 + ZB_SIGNED_ROUNDER;
    double k = t - ZB_SIGNED_ROUNDER;
    double a = y - k * ZB_LN2, b = k * ZB_LN2_LOW;
    double r = a - b, low = (a - r) - b;
    /* (exp(r) - 1 - r) / r^2 on |r| <= ln(2)/2 */
    double z = r * r, w = z * z;
    double p = ((0x1.0000000000001p-1 + r * 0x1.5555555555556p-3) +
                z * (0x1.5555555553d63p-5 + r * 0x1.11111111109b3p-7)) +
               w * (((0x1.6c16c1788bd9p-10 + r * 0x1.a01a01a7c41d5p-13) +
                     z * (0x1.a019b90d2ae7ap-16 + r * 0x1.71de0dae63bb3p-19)) +
                    w * (0x1.289185613a3d6p-22 + r * 0x1.af38a9b0ec855p-26));
    double one = 1.0 + r; /* 1 + r = one + ((1 - one) + r) exactly */
    double e = one + (((1.0 - one) + r) + (low + z * p));
    uint64_t n = zb_bits(t) - zb_bits(ZB_SIGNED_ROUNDER) + 2048; /* k + 2048 */
    uint64_t half = n >> 1;
    return e * zb_from_bits((half - 1) << 52) * zb_from_bits((n - half - 1) << 52);
}

/* x = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2); s = f / (2 + f), so that
 * ln(1 + f) = 2 atanh(s) = 2 s + s^3 P(s^2) = f - s (f - s^2 P(s^2)). */
static inline double zb_log(double x)
{
    double tiny = x < 0x1p-1022 ? 0x1p54 : 1.0;
    uint64_t bits = zb_bits(x * tiny) - zb_bits(0x1.6a09e667f3bcdp-1); /* over sqrt(1/2) */
    double f = zb_from_bits((bits & 0xfffffffffffff) + zb_bits(0x1.6a09e667f3bcdp-1)) - 1.0;
    double k = (double)((int64_t)bits >> 52) - (x < 0x1p-1022 ? 54.0 : 0.0);
    double s = f / (2.0 + f), z = s * s, w = z * z;
    /* (2 atanh(s) - 2 s) / s^3 in z on [0, (3 - 2 sqrt(2))^2] */
    double p =
        (0x1.5555555555558p-1 + z * 0x1.99999999952d7p-2) +
        w * ((0x1.2492492df281ap-2 + z * 0x1.c71c62e3f11e6p-3) +
             w * ((0x1.7462b51cb66b1p-3 + z * 0x1.39fe51a7c18f9p-3) + w * 0x1.2b5900de53b32p-3));
    double high = k * ZB_LN2, sum = high + f;
    double y = sum + (((high - sum) + f) - (s * (f - z * p) - k * ZB_LN2_LOW));
    y = x < ZB_INFINITY ? y : x; /* inf and nan are their own logarithms */
    y = x > 0.0 ? y : x == 0.0 ? -ZB_INFINITY : ZB_NAN;
    return y;
}

/* ---------------------------------------------------------- in elementary.c */

double zb_tan(double x);
double zb_asin(double x);
double zb_acos(double x);
double zb_atan(double x);
double zb_atan2(double y, double x);
double zb_sinh(double x);
double zb_cosh(double x);
double zb_tanh(double x);
double zb_pow(double x, double y);
double zb_hypot(double x, double y);

#endif
