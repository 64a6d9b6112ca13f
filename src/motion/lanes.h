/*
 * Lanes as vectors: what the files share that are compiled for each width and instruction set.
 *
 * ZI_WIDTH lanes are ZI_PARTS vectors of ZI_VECTOR doubles, as many as the instruction set has in a
 * register. Everything is inlined. Choices are by masks, -1 or 0 in each lane. log and exp are
 * zb_log and zb_exp, operation for operation.
 */
#ifndef ZI_LANES_H
#define ZI_LANES_H

#include "crowd.h"

enum { ZI_PARTS = ZI_WIDTH / ZI_VECTOR };

/* Vectors that a turn of the stages' loop takes: one component, or two, that there are at least. */
enum { ZI_TWO = ZI_PARTS > 1 ? ZI_PARTS : 2 };

/* The name of this build's table: x_avx2_4 and so on. */
#define ZI_PASTE_2(name, variant, width) name##variant##_##width
#define ZI_PASTE_1(name, variant, width) ZI_PASTE_2(name, variant, width)
#define ZI_OF(name) ZI_PASTE_1(name, ZI_VARIANT, ZI_WIDTH)

#define INLINE static inline __attribute__((always_inline))

typedef double vec __attribute__((vector_size(ZI_VECTOR * 8), may_alias));
typedef int64_t mask __attribute__((vector_size(ZI_VECTOR * 8), may_alias));
typedef uint64_t bits __attribute__((vector_size(ZI_VECTOR * 8), may_alias));

/* Part p of the numbers at x, one for each lane. */
INLINE vec get(const double *x, int p)
{
    return ((const vec *)(const void *)x)[p];
}

INLINE void put(double *x, int p, vec value)
{
    ((vec *)(void *)x)[p] = value;
}

INLINE mask get_mask(const int64_t *x, int p)
{
    return ((const mask *)(const void *)x)[p];
}

INLINE void put_mask(int64_t *x, int p, mask value)
{
    ((mask *)(void *)x)[p] = value;
}

INLINE vec all(double x)
{
    return x - (vec){0};
}

INLINE vec choose(mask m, vec yes, vec no)
{
    return (vec)((m & (mask)yes) | (~m & (mask)no));
}

/* a > b ? a : b */
INLINE vec larger(vec a, vec b)
{
    return choose(a > b, a, b);
}

INLINE vec magnitude(vec x)
{
    return (vec)((mask)x & INT64_MAX);
}

INLINE vec root(vec x)
{
    vec y;
    for (int l = 0; l < ZI_VECTOR; l++) y[l] = __builtin_sqrt(x[l]);
    return y;
}

/* ------------------------------------------------------------ masks and bits */

/* The bit of each lane of part p. */
INLINE mask lane_bits(int p)
{
    mask m;
    for (int l = 0; l < ZI_VECTOR; l++) m[l] = INT64_C(1) << (p * ZI_VECTOR + l);
    return m;
}

INLINE mask mask_of(uint32_t lanes, int p)
{
    mask bit = lane_bits(p);
    return ((int64_t)lanes & bit) == bit;
}

INLINE uint32_t bits_of(mask m, int p)
{
#if ZI_VECTOR == 4 && defined(__AVX__) /* one instruction that compilers do not find themselves */
    return (uint32_t)__builtin_ia32_movmskpd256((vec)m) << (p * ZI_VECTOR);
#elif ZI_VECTOR == 2 && defined(__SSE2__)
    return (uint32_t)__builtin_ia32_movmskpd((vec)m) << (p * ZI_VECTOR);
#else
    m &= lane_bits(p);
    int64_t sum = 0;
    for (int l = 0; l < ZI_VECTOR; l++) sum |= m[l];
    return (uint32_t)sum;
#endif
}

/* --------------------------------------------------------------- log and exp */

INLINE vec lane_exp(vec x)
{
    vec y = choose(x < -746.0, all(-746.0), x);
    y = choose(y > 710.0, all(710.0), y);
    vec t = y * 0x1.71547652b82fep+0 + ZB_SIGNED_ROUNDER;
    vec k = t - ZB_SIGNED_ROUNDER;
    vec a = y - k * ZB_LN2, b = k * ZB_LN2_LOW;
    vec r = a - b, low = (a - r) - b;
    vec z = r * r, w = z * z;
    vec p = ((0x1.0000000000001p-1 + r * 0x1.5555555555556p-3) +
             z * (0x1.5555555553d63p-5 + r * 0x1.11111111109b3p-7)) +
            w * (((0x1.6c16c1788bd9p-10 + r * 0x1.a01a01a7c41d5p-13) +
                  z * (0x1.a019b90d2ae7ap-16 + r * 0x1.71de0dae63bb3p-19)) +
                 w * (0x1.289185613a3d6p-22 + r * 0x1.af38a9b0ec855p-26));
    vec one = 1.0 + r;
    vec e = one + (((1.0 - one) + r) + (low + z * p));
    bits n = (bits)t - zb_bits(ZB_SIGNED_ROUNDER) + 2048;
    bits half = n >> 1;
    return e * (vec)((half - 1) << 52) * (vec)((n - half - 1) << 52);
}

/* The exponent becomes a double without a shift that keeps the sign: 2^52 + its bits. */
INLINE vec lane_log(vec x)
{
    const uint64_t over = zb_bits(0x1.6a09e667f3bcdp-1);
    mask small = x < 0x1p-1022;
    bits top = (bits)(x * choose(small, all(0x1p54), all(1.0))) - over;
    vec f = (vec)((top & 0xfffffffffffff) + over) - 1.0;
    vec shifted = (vec)(((top ^ ZB_SIGN_BIT) >> 52) | zb_bits(ZB_ROUNDER));
    vec k = (shifted - (ZB_ROUNDER + 2048.0)) - choose(small, all(54.0), all(0.0));
    vec s = f / (2.0 + f), z = s * s, w = z * z;
    vec p =
        (0x1.5555555555558p-1 + z * 0x1.99999999952d7p-2) +
        w * ((0x1.2492492df281ap-2 + z * 0x1.c71c62e3f11e6p-3) +
             w * ((0x1.7462b51cb66b1p-3 + z * 0x1.39fe51a7c18f9p-3) + w * 0x1.2b5900de53b32p-3));
    vec high = k * ZB_LN2, sum = high + f;
    vec y = sum + (((high - sum) + f) - (s * (f - z * p) - k * ZB_LN2_LOW));
    y = choose(x < ZB_INFINITY, y, x);
    return choose(x > 0.0, y, choose(x == 0.0, all(-ZB_INFINITY), all(ZB_NAN)));
}

/* -------------------------------------------------------------- combinations */

/* The rows of a sum. They stand in variables, for the compiler must think that whatever is stored
 * may have changed the group. */
typedef struct sources {
    const double *row[zi_most_terms];
} sources;

/* `terms` is a constant, here and below. */
INLINE sources find_sources(const zi_group *g, const zi_terms *terms)
{
    sources s;
    for (int j = 0; j < terms->count; j++) s.row[j] = zi_lane_row(g, terms->row[j]);
    return s;
}

/* Part p of the sum of a[j] k[row[j]] at entry i of the rows. */
INLINE vec sum_terms(const zi_terms *terms, const sources *s, size_t i, int p)
{
    vec sum = terms->a[0] * get(s->row[0] + i, p);
    for (int j = 1; j < terms->count; j++) sum += terms->a[j] * get(s->row[j] + i, p);
    return sum;
}

/* Evaluates f at (moment, y) into `to` for some lanes; returns those that were refused. */
INLINE uint32_t rates(zi_group *g, uint32_t lanes, const double *moment, const double *y,
                      double *to)
{
    if (lanes == 0) return 0;
    return g->crowd->rates(g->crowd->user, lanes, moment, y, to) & lanes;
}

/* to = y + h * sum for all lanes, and f there into k[row], for some. */
INLINE uint32_t stage(zi_group *g, const zi_terms *terms, uint32_t lanes, double *to, int32_t row)
{
    const double *y = g->y;
    sources s = find_sources(g, terms);
    vec h[ZI_PARTS];
    for (int p = 0; p < ZI_PARTS; p++) {
        h[p] = get(g->tried, p);
        put(g->moment, p, get(g->t, p) + terms->c * h[p]);
    }
    for (size_t i = 0, end = (size_t)g->size * ZI_WIDTH; i < end; i += ZI_TWO * ZI_VECTOR)
        for (int v = 0; v < ZI_TWO; v++)
            put(to + i, v, get(y + i, v) + h[v % ZI_PARTS] * sum_terms(terms, &s, i, v));
    return rates(g, lanes, g->moment, to, zi_lane_row(g, row));
}

/* The sum of (weight * x)^2: 4 accumulators by component, as zi_squares. */
typedef struct squares {
    vec sum[4];
} squares;

INLINE void add_square(squares *s, int q, vec weight, vec x)
{
    vec e = weight * x;
    s->sum[q] += e * e;
}

INLINE vec total(const squares *s)
{
    return (s->sum[0] + s->sum[1]) + (s->sum[2] + s->sum[3]);
}

typedef struct scale_of_lanes {
    vec absolute, relative;
    int32_t controlled;
} scale_of_lanes;

INLINE scale_of_lanes find_scale(const zi_group *g)
{
    return (scale_of_lanes){all(g->scale.absolute), all(g->scale.relative), g->controlled};
}

/* 1 / (absolute + relative * most), 0 / that for what is not controlled; most = max(|a|, |b|). */
INLINE vec weigh(const scale_of_lanes *s, int32_t component, vec most)
{
    double one = component < s->controlled ? 1.0 : 0.0;
    return one / (s->absolute + s->relative * most);
}

/* What sums of squares are divided by. */
INLINE double divisor(const zi_group *g)
{
    return g->controlled > 0 ? g->controlled : 1;
}

/* The lanes in which the row holds numbers only. */
INLINE uint32_t finite_lanes(const zi_group *g, const double *row)
{
    uint32_t lanes = 0;
    for (int p = 0; p < ZI_PARTS; p++) {
        vec zero = {0};
        for (int32_t c = 0; c < g->size; c++) zero += 0.0 * get(row + (size_t)c * ZI_WIDTH, p);
        lanes |= bits_of(zero == 0.0, p);
    }
    return lanes;
}

#endif
