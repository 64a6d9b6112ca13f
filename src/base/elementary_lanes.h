/*
 * The elementary functions on vectors of ZB_LANES doubles (2, 4 or 8), in the extensions that gcc
 * and clang share: the operations of elementary.h in the same order, so every *lane*, one of the
 * doubles of a vector register that are computed side by side, has the bits of the scalar function
 * (a nan is a nan). Choices are by masks. Angles beyond ZB_SMALL_ANGLE go through the scalar
 * function, lane by lane; they are rare.
 *
 * A file that wants them defines ZB_LANES and then includes base.h; it is compiled once for each
 * instruction set, and passes vectors to inlined functions only: there is no ABI to keep.
 */
#ifndef ZB_ELEMENTARY_LANES_H
#define ZB_ELEMENTARY_LANES_H

#include "elementary.h"

#define ZB_INLINE static inline __attribute__((always_inline))

typedef double zb_lanes __attribute__((vector_size(8 * ZB_LANES)));
typedef int64_t zb_lane_mask __attribute__((vector_size(8 * ZB_LANES))); /* -1: true */
typedef uint64_t zb_lane_bits __attribute__((vector_size(8 * ZB_LANES)));

/* x [ZB_LANES] at any address. */
ZB_INLINE zb_lanes zb_lanes_load(const double *x)
{
    zb_lanes v;
    memcpy(&v, x, sizeof v);
    return v;
}

ZB_INLINE void zb_lanes_store(double *x, const zb_lanes v)
{
    memcpy(x, &v, sizeof v);
}

ZB_INLINE zb_lanes zb_lanes_all(double x)
{
    return x - (zb_lanes){0}; /* x + 0 would lose the sign of -0 */
}

/* a where the mask is set, else b. */
ZB_INLINE zb_lanes zb_lanes_choose(const zb_lane_mask mask, const zb_lanes a, const zb_lanes b)
{
    return (zb_lanes)((mask & (zb_lane_mask)a) | (~mask & (zb_lane_mask)b));
}

/* 1.0 where the mask is set, else 0.0: what a comparison is worth. */
ZB_INLINE zb_lanes zb_lanes_truth(const zb_lane_mask mask)
{
    return (zb_lanes)((zb_lane_bits)mask & zb_bits(1.0));
}

/* x86 has an instruction for it; a loop would fetch every lane. */
ZB_INLINE bool zb_lanes_any(const zb_lane_mask mask)
{
#if defined(__AVX__) && ZB_LANES % 4 == 0
    typedef double four __attribute__((vector_size(32)));
    four part[ZB_LANES / 4];
    int any = 0;
    memcpy(part, &mask, sizeof part);
    for (int i = 0; i < ZB_LANES / 4; i++) any |= __builtin_ia32_movmskpd256(part[i]);
#else
    uint64_t part[ZB_LANES], any = 0;
    memcpy(part, &mask, sizeof part);
    for (int i = 0; i < ZB_LANES; i++) any |= part[i];
#endif
    return any != 0;
}

/* ------------------------------------------------------------------ simple */

ZB_INLINE zb_lanes zb_lanes_abs(const zb_lanes x)
{
    return (zb_lanes)((zb_lane_bits)x & ~ZB_SIGN_BIT);
}

ZB_INLINE zb_lanes zb_lanes_copysign(const zb_lanes magnitude, const zb_lanes sign)
{
    return (zb_lanes)(((zb_lane_bits)magnitude & ~ZB_SIGN_BIT) |
                      ((zb_lane_bits)sign & ZB_SIGN_BIT));
}

ZB_INLINE zb_lanes zb_lanes_sign(const zb_lanes x)
{
    zb_lanes one = zb_lanes_copysign(zb_lanes_all(1.0), x);
    return zb_lanes_choose((x < 0.0) | (x > 0.0), one, x);
}

/* Lane by lane: vectors have no operator for it. */
ZB_INLINE zb_lanes zb_lanes_sqrt(const zb_lanes x)
{
    double root[ZB_LANES];
    for (int i = 0; i < ZB_LANES; i++) root[i] = zb_sqrt(x[i]);
    return zb_lanes_load(root);
}

ZB_INLINE zb_lanes zb_lanes_round_even(const zb_lanes x)
{
    zb_lanes a = zb_lanes_abs(x), t = zb_lanes_copysign((a + ZB_ROUNDER) - ZB_ROUNDER, x);
    return zb_lanes_choose(a < ZB_ROUNDER, t, x);
}

ZB_INLINE zb_lanes zb_lanes_floor(const zb_lanes x)
{
    zb_lanes t = zb_lanes_round_even(x);
    return t - zb_lanes_truth(t > x);
}

/* ------------------------------------------------------------ sin and cos */

typedef struct zb_lanes_reduced {
    zb_lanes high, low;
    zb_lane_bits quadrant;
} zb_lanes_reduced;

/* As zb_reduce_small, in every lane. */
ZB_INLINE zb_lanes_reduced zb_lanes_reduce_small(const zb_lanes x)
{
    const double P1 = 0x1.921fb544p+0, P2 = 0x1.0b4611a6p-34, P3 = 0x1.3198a2e037073p-69;
    zb_lanes t = x * 0x1.45f306dc9c883p-1 + ZB_SIGNED_ROUNDER;
    zb_lanes n = t - ZB_SIGNED_ROUNDER;
    zb_lanes a = x - n * P1, b = n * P2;
    zb_lanes r = a - b;
    return (zb_lanes_reduced){r, ((a - r) - b) - n * P3, (zb_lane_bits)t};
}

/* As zb_sin_core, in every lane. */
ZB_INLINE zb_lanes zb_lanes_sin_core(const zb_lanes high, const zb_lanes low)
{
    zb_lanes z = high * high, w = z * z;
    zb_lanes p = (-0x1.5555555555555p-3 + z * 0x1.1111111110bb2p-7) +
                 w * ((-0x1.a01a019e83a6cp-13 + z * 0x1.71de379684acfp-19) +
                      w * (-0x1.ae600afd19136p-26 + z * 0x1.5e0b17f3047f8p-33));
    return high + (high * z * p + low * (1.0 - 0.5 * z));
}

/* As zb_cos_core, in every lane. */
ZB_INLINE zb_lanes zb_lanes_cos_core(const zb_lanes high, const zb_lanes low)
{
    zb_lanes z = high * high, w = z * z;
    zb_lanes p = (0x1.5555555555555p-5 + z * -0x1.6c16c16c16967p-10) +
                 w * ((0x1.a01a019f4eadfp-16 + z * -0x1.27e4fa17d757bp-22) +
                      w * (0x1.1eeb68e66c2eap-29 + z * -0x1.907da16179583p-37));
    zb_lanes half = 0.5 * z, one = 1.0 - half;
    return one + (((1.0 - one) - half) + (w * p - high * low));
}

typedef struct zb_lanes_sine_cosine {
    zb_lanes sine, cosine;
} zb_lanes_sine_cosine;

/* Large angles, infinities and nan: all lanes by the scalar function, which has the same bits for
 * those that are none of these. Not inlined: the main path is short then. */
__attribute__((noinline, cold, unused)) static void
zb_lanes_sincos_large(const zb_lanes *x, zb_lanes *sine, zb_lanes *cosine)
{
    for (int i = 0; i < ZB_LANES; i++) {
        zb_sine_cosine one = zb_sincos((*x)[i]);
        (*sine)[i] = one.sine;
        (*cosine)[i] = one.cosine;
    }
}

/* As zb_sincos: reduced, computed and put into its quadrant as if all angles were small; where one
 * is not, all lanes are done again. */
ZB_INLINE zb_lanes_sine_cosine zb_lanes_sincos(const zb_lanes x)
{
    zb_lanes a = zb_lanes_abs(x);
    zb_lane_bits sign = (zb_lane_bits)x & ZB_SIGN_BIT;
    zb_lanes_reduced r = zb_lanes_reduce_small(a);
    zb_lane_bits s = (zb_lane_bits)zb_lanes_sin_core(r.high, r.low);
    zb_lane_bits c = (zb_lane_bits)zb_lanes_cos_core(r.high, r.low);
    zb_lane_bits swap = (s ^ c) & (0 - (r.quadrant & 1));
    zb_lanes_sine_cosine both = {(zb_lanes)((s ^ swap) ^ ((r.quadrant & 2) << 62) ^ sign),
                                 (zb_lanes)((c ^ swap) ^ (((r.quadrant + 1) & 2) << 62))};
    if (__builtin_expect(zb_lanes_any(~(a < ZB_SMALL_ANGLE)), 0)) {
        zb_lanes argument = x, sine, cosine; /* in memory only here */
        zb_lanes_sincos_large(&argument, &sine, &cosine);
        both = (zb_lanes_sine_cosine){sine, cosine};
    }
    return both;
}

ZB_INLINE zb_lanes zb_lanes_sin(const zb_lanes x)
{
    return zb_lanes_sincos(x).sine;
}

ZB_INLINE zb_lanes zb_lanes_cos(const zb_lanes x)
{
    return zb_lanes_sincos(x).cosine;
}

/* ------------------------------------------------------------ exp and log */

/* As zb_exp, in every lane. */
ZB_INLINE zb_lanes zb_lanes_exp(const zb_lanes x)
{
    zb_lanes y = zb_lanes_choose(x < -746.0, zb_lanes_all(-746.0), x);
    y = zb_lanes_choose(y > 710.0, zb_lanes_all(710.0), y);
    zb_lanes t = y * 0x1.71547652b82fep+0 + ZB_SIGNED_ROUNDER;
    zb_lanes k = t - ZB_SIGNED_ROUNDER;
    zb_lanes a = y - k * ZB_LN2, b = k * ZB_LN2_LOW;
    zb_lanes r = a - b, low = (a - r) - b;
    zb_lanes z = r * r, w = z * z;
    zb_lanes p = ((0x1.0000000000001p-1 + r * 0x1.5555555555556p-3) +
                  z * (0x1.5555555553d63p-5 + r * 0x1.11111111109b3p-7)) +
                 w * (((0x1.6c16c1788bd9p-10 + r * 0x1.a01a01a7c41d5p-13) +
                       z * (0x1.a019b90d2ae7ap-16 + r * 0x1.71de0dae63bb3p-19)) +
                      w * (0x1.289185613a3d6p-22 + r * 0x1.af38a9b0ec855p-26));
    zb_lanes one = 1.0 + r;
    zb_lanes e = one + (((1.0 - one) + r) + (low + z * p));
    zb_lane_bits n = (zb_lane_bits)t - zb_bits(ZB_SIGNED_ROUNDER) + 2048;
    zb_lane_bits half = n >> 1;
    return e * (zb_lanes)((half - 1) << 52) * (zb_lanes)((n - half - 1) << 52);
}

/* The twelve high bits as a signed number. Vectors of 64-bit integers become doubles through the
 * low bits of a large one, for few machines have an instruction for it. */
ZB_INLINE zb_lanes zb_lanes_exponent(const zb_lane_bits bits)
{
    zb_lane_bits k = ((bits >> 52) ^ 0x800) - 0x800;
    return (zb_lanes)(k + zb_bits(ZB_SIGNED_ROUNDER)) - ZB_SIGNED_ROUNDER;
}

/* As zb_log, in every lane. */
ZB_INLINE zb_lanes zb_lanes_log(const zb_lanes x)
{
    zb_lane_mask subnormal = x < 0x1p-1022;
    zb_lanes tiny = zb_lanes_choose(subnormal, zb_lanes_all(0x1p54), zb_lanes_all(1.0));
    zb_lane_bits bits = (zb_lane_bits)(x * tiny) - zb_bits(0x1.6a09e667f3bcdp-1);
    zb_lanes f = (zb_lanes)((bits & 0xfffffffffffff) + zb_bits(0x1.6a09e667f3bcdp-1)) - 1.0;
    zb_lanes k = zb_lanes_exponent(bits) - (zb_lanes)((zb_lane_bits)subnormal & zb_bits(54.0));
    zb_lanes s = f / (2.0 + f), z = s * s, w = z * z;
    zb_lanes p =
        (0x1.5555555555558p-1 + z * 0x1.99999999952d7p-2) +
        w * ((0x1.2492492df281ap-2 + z * 0x1.c71c62e3f11e6p-3) +
             w * ((0x1.7462b51cb66b1p-3 + z * 0x1.39fe51a7c18f9p-3) + w * 0x1.2b5900de53b32p-3));
    zb_lanes high = k * ZB_LN2, sum = high + f;
    zb_lanes y = sum + (((high - sum) + f) - (s * (f - z * p) - k * ZB_LN2_LOW));
    y = zb_lanes_choose(x < ZB_INFINITY, y, x);
    zb_lanes other = zb_lanes_choose(x == 0.0, zb_lanes_all(-ZB_INFINITY), zb_lanes_all(ZB_NAN));
    return zb_lanes_choose(x > 0.0, y, other);
}

#endif
