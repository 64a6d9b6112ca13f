/*
 * Vectors of four doubles, sums in fixed order, and sums in two words: what the files that are
 * compiled per instruction set share. Everything is inlined; bits do not depend on the width
 * of the machine's vectors.
 */
#ifndef ZA_VECTOR_H
#define ZA_VECTOR_H

#include <stdint.h>

/* ZA_VARIANT names the instruction set: the table x_ of this build is ZA_VARIANT_OF(x_). */
#define ZA_PASTE_2(name, variant) name##variant
#define ZA_PASTE_1(name, variant) ZA_PASTE_2(name, variant)
#define ZA_VARIANT_OF(name) ZA_PASTE_1(name, ZA_VARIANT)
#define ZA_TEXT_2(variant) #variant
#define ZA_TEXT_1(variant) ZA_TEXT_2(variant)
#define ZA_VARIANT_TEXT ZA_TEXT_1(ZA_VARIANT)

#define INLINE static inline __attribute__((always_inline))

/* Four doubles that are computed side by side; the lanes of a register, or of two. */
typedef double v4 __attribute__((vector_size(32), aligned(32)));

/* x as vectors; x must be aligned to 32 bytes. */
INLINE v4 *vec(double *x)
{
    return (v4 *)__builtin_assume_aligned(x, 32);
}

INLINE const v4 *cvec(const double *x)
{
    return (const v4 *)__builtin_assume_aligned(x, 32);
}

/* Eight accumulators, always added in this order. */
INLINE double sum8(const v4 s0, const v4 s1)
{
    v4 s = s0 + s1;
    return (s[0] + s[1]) + (s[2] + s[3]);
}

/* x . y over the entries from begin to end, both multiples of 8. */
INLINE double dot8(int32_t begin, int32_t end, const double *x, const double *y)
{
    v4 s0 = {0}, s1 = {0};
    for (int32_t j = begin; j < end; j += 8) {
        const v4 *a = cvec(x + j), *b = cvec(y + j);
        s0 += a[0] * b[0];
        s1 += a[1] * b[1];
    }
    return sum8(s0, s1);
}

/* p + e = a * b exactly (Dekker; with a fused multiply-add the same two numbers). */
INLINE void two_product(const v4 a, const v4 b, v4 *p, v4 *e)
{
    *p = a * b;
#if defined(__FMA__)
    v4 r = {0};
    for (int i = 0; i < 4; i++) r[i] = __builtin_fma(a[i], b[i], -(*p)[i]);
    *e = r;
#else
    v4 ca = 134217729.0 * a, cb = 134217729.0 * b; /* 2^27 + 1 */
    v4 ah = ca - (ca - a), bh = cb - (cb - b);
    v4 al = a - ah, bl = b - bh;
    *e = ((ah * bh - *p) + ah * bl + al * bh) + al * bl;
#endif
}

/* Four sums in two words each, and the sizes of their terms. */
typedef struct exact {
    v4 high, low, size;
} exact;

INLINE v4 vec_abs(v4 x)
{
    typedef int64_t i4 __attribute__((vector_size(32)));
    return (v4)((i4)x & INT64_MAX);
}

/* high + low -= a * b, in about twice the working precision. */
INLINE void subtract_exact(exact *s, const v4 a, const v4 b)
{
    v4 p, e;
    two_product(a, b, &p, &e);
    v4 h = s->high, sum = h - p;
    v4 t = sum - h; /* two_sum(h, -p) */
    s->low += ((h - (sum - t)) - (p + t)) - e;
    s->high = sum;
    s->size += vec_abs(p);
}

/* The strip of eight columns that column j lies in. */
INLINE int32_t strip_of(int32_t j)
{
    return j & ~7;
}

/* out[j] = sum_i G[i][j]^2 */
INLINE void sum_squares(int32_t n, int32_t ld, const double *G, double *out)
{
    for (int32_t j = 0; j < ld; j += 8) {
        v4 s0 = {0}, s1 = {0};
        const double *row = G + j;
        for (int32_t i = 0; i < n; i++, row += ld) {
            const v4 *g = cvec(row);
            s0 += g[0] * g[0];
            s1 += g[1] * g[1];
        }
        vec(out + j)[0] = s0;
        vec(out + j)[1] = s1;
    }
}

#endif
