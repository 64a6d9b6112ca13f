/*
 * The sums of a sweep of gauss16: what 8 stages side by side give to their arguments, to their
 * change, and to the end of the step. Compiled once for each instruction set, under another name
 * each time; every stage adds its terms in the order of the table, so bits do not depend on it.
 */
#include "gauss_sweep.h"
#include "tableau_gauss16.h"

#define ZI_PASTE_2(name, variant) name##_##variant
#define ZI_PASTE_1(name, variant) ZI_PASTE_2(name, variant)
#define INLINE static inline __attribute__((always_inline))

/* The 8 stages of a component. */
typedef double stages __attribute__((vector_size(64), aligned(8), may_alias));
typedef double half_stages __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t stage_mask __attribute__((vector_size(64), aligned(8), may_alias));

INLINE stages load_stages(const double *x)
{
    return *(const stages *)(const void *)x;
}

INLINE stages larger_stages(stages a, stages b)
{
    stage_mask m = (stage_mask)(a > b);
    return (stages)((m & (stage_mask)a) | (~m & (stage_mask)b));
}

INLINE stages stage_sizes(stages x)
{
    return (stages)((stage_mask)x & INT64_MAX);
}

INLINE double largest_stage(stages x)
{
    double most = x[0];
    for (int l = 1; l < zi_gauss_stages; l++)
        if (x[l] > most) most = x[l];
    return most;
}

/* -------------------------------------------------------------------- groups */

/* `width` is a constant, here and below. */
INLINE void put_stages(double *to, int32_t stride, int32_t width, int32_t i, stages x)
{
    if (width == 8) {
        *(stages *)(void *)(to + 8 * (size_t)i) = x;
    } else if (width == 4) {
        half_stages low = {x[0], x[1], x[2], x[3]}, high = {x[4], x[5], x[6], x[7]};
        *(half_stages *)(void *)(to + 4 * (size_t)i) = low;
        *(half_stages *)(void *)(to + 4 * (size_t)(stride + i)) = high;
    } else {
        for (int l = 0; l < zi_gauss_stages; l++) to[(size_t)l * (size_t)stride + (size_t)i] = x[l];
    }
}

INLINE stages get_stages(const double *from, int32_t stride, int32_t width, int32_t i)
{
    if (width == 8) return load_stages(from + 8 * (size_t)i);
    stages x;
    for (int l = 0; l < zi_gauss_stages; l++)
        x[l] = from[(size_t)(l / width * stride + i) * (size_t)width + (size_t)(l % width)];
    return x;
}

/* -------------------------------------------------------------------- sweeps */

/* sum_j table[j] z_j for all stages. */
INLINE stages sum_columns(const double table[8][8], const double *z)
{
    stages sum = load_stages(table[0]) * z[0];
    for (int j = 1; j < zi_gauss_stages; j++) sum += load_stages(table[j]) * z[j];
    return sum;
}

INLINE void place_width(const zi_sweep *x, int32_t width)
{
    int32_t half = x->half, stride = x->stride;
    stages c = load_stages(zi_gauss_c), zero = {0};
    double h = x->h;
    for (int32_t i = 0; i < half; i++) {
        const double *z = x->Z + 8 * (size_t)(half + i);
        double q = x->y[i], v = x->y[half + i];
        stages once = sum_columns(zi_gauss_A, z), twice = sum_columns(zi_gauss_AA, z);
        put_stages(x->argument, stride, width, half + i, v + h * once);
        put_stages(x->argument, stride, width, i, q + h * (c * v + h * twice));
    }
    for (int32_t i = 2 * half; i < x->controlled; i++) {
        stages once = sum_columns(zi_gauss_A, x->Z + 8 * (size_t)i);
        put_stages(x->argument, stride, width, i, x->y[i] + h * once);
    }
    for (int32_t i = x->controlled; i < x->size; i++)
        put_stages(x->argument, stride, width, i, x->y[i] + zero);
}

static void place_stages(const zi_sweep *x)
{
    if (x->width == 8)
        place_width(x, 8);
    else if (x->width == 4)
        place_width(x, 4);
    else
        place_width(x, 1);
}

INLINE zi_sweep_change take_width(const zi_sweep *x, int32_t width)
{
    stages change = {0}, size = {0}, zero = {0};
    for (int32_t i = x->half; i < x->size; i++) {
        double *z = x->Z + 8 * (size_t)i, weight = x->weight[i];
        stages found = get_stages(x->rates, x->stride, width, i), before = load_stages(z);
        change = larger_stages(weight * stage_sizes(found - before), change);
        size = larger_stages(weight * stage_sizes(found), size);
        zero += 0.0 * found; /* NaN where one is not finite */
        *(stages *)(void *)z = found;
    }
    double none = zero[0];
    for (int l = 1; l < zi_gauss_stages; l++) none += zero[l];
    return (zi_sweep_change){x->h * largest_stage(change) + none, x->h * largest_stage(size)};
}

static zi_sweep_change take_stages(const zi_sweep *x)
{
    if (x->width == 8) return take_width(x, 8);
    return x->width == 4 ? take_width(x, 4) : take_width(x, 1);
}

/* -------------------------------------------------------------- end of a step */

/* sum_j w_j z_j, the rests of w first. */
INLINE double sum_stages(const double *w, const double *rest, const double *z)
{
    double low = rest[0] * z[0], sum = w[0] * z[0];
    for (int j = 1; j < zi_gauss_stages; j++) {
        low += rest[j] * z[j];
        sum += w[j] * z[j];
    }
    return sum + low;
}

/* y + carry + change as a sum and what it leaves, exactly but for the rounding of carry + change. */
INLINE void add_compensated(double y, double carry, double change, double *sum, double *left)
{
    double add = change + carry, s = y + add, part = s - y;
    *sum = s;
    *left = (y - (s - part)) + (add - part);
}

/* The size of coefficient k of component i. */
INLINE double find_coefficient(const zi_sweep *x, int32_t i, int k)
{
    const double *z = x->Z + 8 * (size_t)i, *row = x->legendre + 8 * k;
    double sum = row[0] * z[0];
    for (int j = 1; j < zi_gauss_stages; j++) sum += row[j] * z[j];
    return zb_abs(sum);
}

INLINE double larger_of(double a, double b)
{
    return a > b ? a : b;
}

/* Component i joins the tail; h Z of the step itself counts among the sizes. */
INLINE void join_tail(const zi_sweep *x, int32_t i, zi_tail *tail)
{
    double most = largest_stage(stage_sizes(load_stages(x->Z + 8 * (size_t)i)));
    double weight = x->h * x->weight[i] / (1.0 + x->h * most * x->weight[i]);
    double top = weight * find_coefficient(x, i, 7), next = weight * find_coefficient(x, i, 6);
    double low = weight * larger_of(find_coefficient(x, i, 3), find_coefficient(x, i, 4));
    tail->top = larger_of(top, tail->top);
    tail->high = larger_of(larger_of(top, next), tail->high);
    tail->low = larger_of(low, tail->low);
}

static zi_tail end_stages(const zi_sweep *x, double *y_new, double *carry_new)
{
    int32_t half = x->half;
    double h = x->h;
    zi_tail tail = {0.0, 0.0, 0.0};
    for (int32_t i = 0; i < half; i++) {
        const double *z = x->Z + 8 * (size_t)(half + i);
        double twice = sum_stages(zi_gauss_bA, zi_gauss_bA_rest, z);
        double change = h * (x->y[half + i] + h * twice) + h * x->carry[half + i];
        add_compensated(x->y[i], x->carry[i], change, y_new + i, carry_new + i);
    }
    for (int32_t i = half; i < x->size; i++) {
        double once = sum_stages(zi_gauss_b, zi_gauss_b_rest, x->Z + 8 * (size_t)i);
        add_compensated(x->y[i], x->carry[i], h * once, y_new + i, carry_new + i);
        if (x->weight[i] != 0.0) join_tail(x, i, &tail);
    }
    return tail;
}

/* -------------------------------------------------------------------- predictors */

static void extrapolate_stages(const double *legendre, double from, double ratio, double *table)
{
    stages z = 2.0 * (from + ratio * load_stages(zi_gauss_c)) - 1.0, p[zi_gauss_stages];
    p[0] = 0.0 * z + 1.0;
    p[1] = z;
    for (int k = 2; k < zi_gauss_stages; k++)
        p[k] = ((2.0 * k - 1.0) * z * p[k - 1] - (k - 1.0) * p[k - 2]) / (double)k;
    for (int j = 0; j < zi_gauss_stages; j++) {
        stages sum = p[0] * legendre[j];
        for (int k = 1; k < zi_gauss_stages; k++) sum += p[k] * legendre[8 * k + j];
        *(stages *)(void *)(table + 8 * j) = sum;
    }
}

static void predict_stages(const zi_sweep *x, const double *table, const double *before)
{
    stages column[zi_gauss_stages];
    for (int j = 0; j < zi_gauss_stages; j++) column[j] = load_stages(table + 8 * j);
    for (int32_t i = x->half; i < x->size; i++) {
        const double *z = before + 8 * (size_t)i;
        stages sum = column[0] * z[0];
        for (int j = 1; j < zi_gauss_stages; j++) sum += column[j] * z[j];
        *(stages *)(void *)(x->Z + 8 * (size_t)i) = sum;
    }
}

const zi_sweep_functions ZI_PASTE_1(zi_sweep_functions,
                                    ZI_VARIANT) = {.place = place_stages,
                                                   .take = take_stages,
                                                   .end = end_stages,
                                                   .extrapolate = extrapolate_stages,
                                                   .predict = predict_stages};
