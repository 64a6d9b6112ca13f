/*
 * Sweeps over long arrays, at the speed of memory: numbers that are as good as 0 become 0, ranges
 * widen to hold further numbers. Compiled once per instruction set (ZA_VARIANT names the table it
 * defines). Arrays begin anywhere and have any length; the last few numbers go one by one. Bits do
 * not depend on the width of the machine's vectors, for nothing is added up but 0 x.
 */
#include "linalg.h"
#include "vector.h"

/* Four doubles that need not be aligned, and as bits. */
typedef double any4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t bits4 __attribute__((vector_size(32), aligned(8), may_alias));

INLINE any4 load_any(const double *x)
{
    return *(const any4 *)(const void *)x;
}

INLINE void store_any(double *x, any4 value)
{
    *(any4 *)(void *)x = value;
}

/* a where mask is all ones, b where it is 0. */
INLINE any4 choose_any(bits4 mask, any4 a, any4 b)
{
    return (any4)((mask & (bits4)a) | (~mask & (bits4)b));
}

/* With b = a, all ones where it is NaN. */
INLINE bits4 are_nan(any4 a, any4 b)
{
    return (bits4)(a != b);
}

/* 0 x is 0 of numbers, and NaN of all else. */
static bool clear_small(int64_t count, const double *least, double *x)
{
    any4 rest = {0};
    double last = 0.0;
    int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
        any4 a = load_any(x + i), size = (any4)((bits4)a & INT64_MAX);
        rest += 0.0 * a;
        store_any(x + i, (any4)(~(bits4)(size <= load_any(least + i)) & (bits4)a));
    }
    for (; i < count; i++) {
        last += 0.0 * x[i];
        if (__builtin_fabs(x[i]) <= least[i]) x[i] = 0.0;
    }
    return (rest[0] + rest[1]) + (rest[2] + rest[3]) + last == 0.0;
}

static void drop_tiny(int64_t count, double least, double *x)
{
    int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
        any4 a = load_any(x + i), size = (any4)((bits4)a & INT64_MAX);
        store_any(x + i, (any4)(~(bits4)(size < least) & (bits4)a));
    }
    for (; i < count; i++)
        if (__builtin_fabs(x[i]) < least) x[i] = 0.0;
}

static bool widen_ranges(int64_t count, const double *x, double *low, double *high)
{
    bits4 strange = {0};
    int64_t i = 0, bad = 0;
    for (; i + 4 <= count; i += 4) {
        any4 a = load_any(x + i), l = load_any(low + i), h = load_any(high + i);
        strange |= are_nan(a, a);
        store_any(low + i, choose_any((bits4)(a < l), a, l));
        store_any(high + i, choose_any((bits4)(a > h), a, h));
    }
    for (; i < count; i++) {
        bad |= x[i] != x[i];
        low[i] = x[i] < low[i] ? x[i] : low[i];
        high[i] = x[i] > high[i] ? x[i] : high[i];
    }
    return !(strange[0] | strange[1] | strange[2] | strange[3] | bad);
}

/* Eight accumulators a row, as dot8. */
static void row_squares(int32_t n, int32_t ld, const double *X, const double *w, double *y)
{
    for (int32_t i = 0; i < n; i++, X += ld) {
        v4 s0 = {0}, s1 = {0};
        for (int32_t j = 0; j < ld; j += 8) {
            const v4 *a = cvec(X + j), *b = cvec(w + j);
            s0 += a[0] * a[0] * b[0];
            s1 += a[1] * a[1] * b[1];
        }
        y[i] = sum8(s0, s1);
    }
}

extern const za_sweep_kernels ZA_VARIANT_OF(za_sweep_);
const za_sweep_kernels ZA_VARIANT_OF(za_sweep_) = {
    .clear_small = clear_small,
    .drop_tiny = drop_tiny,
    .widen_ranges = widen_ranges,
    .row_squares = row_squares,
};
