/*
 * Vectors over the lanes of a crowd: arithmetic, masks, stages and norms of all members at once,
 * for the files that are compiled for each width and instruction set.
 *
 * ZI_WIDTH lanes are ZI_REGISTERS registers of ZI_VECTOR doubles, as many as the instruction set
 * has in one; register p holds lanes p ZI_VECTOR and on. Everything is inlined. Choices are by
 * masks, -1 or 0 in each lane. log and exp are those of base for vectors; this header must be
 * included before any other of ours.
 */
#ifndef ZI_CROWD_LANES_H
#define ZI_CROWD_LANES_H

#define ZB_LANES ZI_VECTOR
#include "crowd.h"

enum { ZI_REGISTERS = ZI_WIDTH / ZI_VECTOR };

/* Registers that a turn of the loop over a stage takes: those of one component, or of two where a
 * component has one only; rows have an even number of components. */
enum { ZI_TWO = ZI_REGISTERS > 1 ? ZI_REGISTERS : 2 };

/* The name of this build's table: x_avx2_4 and so on. */
#define ZI_PASTE_2(name, variant, width) name##variant##_##width
#define ZI_PASTE_1(name, variant, width) ZI_PASTE_2(name, variant, width)
#define ZI_OF(name) ZI_PASTE_1(name, ZI_VARIANT, ZI_WIDTH)

#define INLINE static inline __attribute__((always_inline))

typedef double vec __attribute__((vector_size(ZI_VECTOR * 8), may_alias));
typedef int64_t mask __attribute__((vector_size(ZI_VECTOR * 8), may_alias));
typedef uint64_t bits __attribute__((vector_size(ZI_VECTOR * 8), may_alias));

/* Register p of the numbers at x, one for each lane. */
INLINE vec get_vector(const double *x, int p)
{
    return ((const vec *)(const void *)x)[p];
}

INLINE void put_vector(double *x, int p, vec value)
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

/* One number in every lane. */
INLINE vec in_all_lanes(double x)
{
    return x - (vec){0};
}

/* yes in the lanes whose mask is -1, no in those where it is 0. */
INLINE vec choose_by_mask(mask m, vec yes, vec no)
{
    return (vec)((m & (mask)yes) | (~m & (mask)no));
}

/* a > b ? a : b */
INLINE vec larger_of_lanes(vec a, vec b)
{
    return choose_by_mask(a > b, a, b);
}

INLINE vec lane_magnitude(vec x)
{
    return (vec)((mask)x & INT64_MAX);
}

INLINE vec lane_root(vec x)
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

/* The bit of each lane of register p. */
INLINE mask bits_of_register(int p)
{
    mask m;
    for (int l = 0; l < ZI_VECTOR; l++) m[l] = INT64_C(1) << (p * ZI_VECTOR + l);
    return m;
}

/* -1 in the lanes of register p whose bits are set, else 0. */
INLINE mask mask_of_lanes(uint32_t lanes, int p)
{
    mask bit = bits_of_register(p);
    return ((int64_t)lanes & bit) == bit;
}

/* The lanes of register p whose mask is set, as bits. */
INLINE uint32_t lanes_of_mask(mask m, int p)
{
#if ZI_VECTOR == 4 && defined(__AVX__) /* one instruction that compilers do not find themselves */
    return (uint32_t)__builtin_ia32_movmskpd256((vec)m) << (p * ZI_VECTOR);
#elif ZI_VECTOR == 2 && defined(__SSE2__)
    return (uint32_t)__builtin_ia32_movmskpd((vec)m) << (p * ZI_VECTOR);
#else
    m &= bits_of_register(p);
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

/* `terms` is a constant of the code, here and below. */
INLINE sources find_lane_sources(const zi_group *g, const zi_terms *terms)
{
    sources s;
    for (int j = 0; j < terms->count; j++) s.row[j] = zi_lane_row(g, terms->row[j]);
    return s;
}

/* Register p of the sum of a[j] k[row[j]] at entry i of the rows. */
INLINE vec sum_lane_terms(const zi_terms *terms, const sources *s, size_t i, int p)
{
    vec sum = terms->a[0] * get_vector(s->row[0] + i, p);
    for (int j = 1; j < terms->count; j++) sum += terms->a[j] * get_vector(s->row[j] + i, p);
    return sum;
}

/* Evaluates f at (moment, y) into `to` for some lanes; returns those that were refused. */
INLINE uint32_t evaluate_lanes(zi_group *g, uint32_t lanes, const double *moment, const double *y,
                               double *to)
{
    if (lanes == 0) return 0;
    return g->crowd->rates(g->crowd->user, lanes, moment, y, to) & lanes;
}

/* A stage: to = y + h * sum for all lanes, then f there into k[row], for some. Returns the lanes
 * that were refused. */
INLINE uint32_t evaluate_lane_stage(zi_group *g, const zi_terms *terms, uint32_t lanes, double *to,
                                    int32_t row)
{
    const double *y = g->y;
    sources s = find_lane_sources(g, terms);
    vec h[ZI_REGISTERS];
    for (int p = 0; p < ZI_REGISTERS; p++) {
        h[p] = get_vector(g->tried, p);
        put_vector(g->moment, p, get_vector(g->t, p) + terms->c * h[p]);
    }
    for (size_t i = 0, end = (size_t)g->size * ZI_WIDTH; i < end; i += ZI_TWO * ZI_VECTOR)
        for (int v = 0; v < ZI_TWO; v++)
            put_vector(to + i, v,
                       get_vector(y + i, v) +
                           h[v % ZI_REGISTERS] * sum_lane_terms(terms, &s, i, v));
    return evaluate_lanes(g, lanes, g->moment, to, zi_lane_row(g, row));
}

/* The sum of (weight * x)^2: 4 accumulators by component, as zi_squares. */
typedef struct squares {
    vec sum[4];
} squares;

INLINE void add_lane_square(squares *s, int q, vec weight, vec x)
{
    vec e = weight * x;
    s->sum[q] += e * e;
}

INLINE vec add_up_squares(const squares *s)
{
    return (s->sum[0] + s->sum[1]) + (s->sum[2] + s->sum[3]);
}

typedef struct scale_of_lanes {
    const double *absolute; /* the row */
    vec relative;
    int32_t controlled;
} scale_of_lanes;

INLINE scale_of_lanes find_lane_scale(const zi_group *g)
{
    return (scale_of_lanes){g->absolute, in_all_lanes(g->scale.relative), g->controlled};
}

/* 1 / (absolute + relative * most), 0 / that for what is not controlled; most = max(|a|, |b|). */
INLINE vec weigh_lanes(const scale_of_lanes *s, int32_t component, vec most, int p)
{
    double one = component < s->controlled ? 1.0 : 0.0;
    return one / (get_vector(s->absolute + (size_t)component * ZI_WIDTH, p) + s->relative * most);
}

/* What sums of squares are divided by. */
INLINE double lane_divisor(const zi_group *g)
{
    return g->controlled > 0 ? g->controlled : 1;
}

/* The lanes in which the row holds numbers only. */
INLINE uint32_t find_finite_lanes(const zi_group *g, const double *row)
{
    uint32_t lanes = 0;
    for (int p = 0; p < ZI_REGISTERS; p++) {
        vec zero = {0};
        for (int32_t c = 0; c < g->size; c++)
            zero += 0.0 * get_vector(row + (size_t)c * ZI_WIDTH, p);
        lanes |= lanes_of_mask(zero == 0.0, p);
    }
    return lanes;
}

#endif
