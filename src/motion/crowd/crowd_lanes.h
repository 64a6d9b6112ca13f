/*
 * Lanes as vectors: what the files share that are compiled for each width and instruction set.
 *
 * ZI_WIDTH lanes are ZI_PARTS vectors of ZI_VECTOR doubles, as many as the instruction set has in a
 * register. Everything is inlined. Choices are by masks, -1 or 0 in each lane. log and exp are
 * those of base for vectors; this header must be included before any other of ours.
 */
#ifndef ZI_CROWD_LANES_H
#define ZI_CROWD_LANES_H

#define ZB_LANES ZI_VECTOR
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
    return (vec)zb_lanes_sqrt((zb_lanes)x);
}

INLINE vec lane_exp(vec x)
{
    return (vec)zb_lanes_exp((zb_lanes)x);
}

INLINE vec lane_log(vec x)
{
    return (vec)zb_lanes_log((zb_lanes)x);
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
