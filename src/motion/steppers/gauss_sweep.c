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

/* The 8 stages of a component go in parts, as wide as the registers are. */
#if defined(__AVX512F__)
enum { part_width = 8 };
#else
enum { part_width = 4 };
#endif
enum { parts = zi_gauss_stages / part_width };
typedef double part __attribute__((vector_size(8 * part_width), aligned(8), may_alias));
typedef int64_t part_mask __attribute__((vector_size(8 * part_width), aligned(8), may_alias));

INLINE part load_part(const double *x, int p)
{
    return *(const part *)(const void *)(x + p * part_width);
}

INLINE part larger_parts(part a, part b)
{
    part_mask m = (part_mask)(a > b);
    return (part)((m & (part_mask)a) | (~m & (part_mask)b));
}

INLINE part size_of_part(part x)
{
    return (part)((part_mask)x & INT64_MAX);
}

INLINE double larger_of(double a, double b)
{
    return a > b ? a : b;
}

/* The largest of a part, none of which is NaN. */
INLINE double largest_of_part(part x)
{
    double a = larger_of(x[0], x[1]), b = larger_of(x[2], x[3]), most = larger_of(a, b);
#if defined(__AVX512F__)
    double c = larger_of(x[4], x[5]), d = larger_of(x[6], x[7]);
    most = larger_of(most, larger_of(c, d));
#endif
    return most;
}

/* -------------------------------------------------------------------- groups */

/* Part p of component i in its group. `width` is a constant, here and below. */
INLINE void put_part(double *to, int32_t stride, int32_t width, int32_t i, int p, part x)
{
    int32_t first = p * part_width;
    if (width >= part_width) {
        size_t at = (size_t)(first / width * stride + i) * (size_t)width + (size_t)(first % width);
        *(part *)(void *)(to + at) = x;
        return;
    }
    for (int32_t l = first; l < first + part_width; l++)
        to[(size_t)(l / width * stride + i) * (size_t)width + (size_t)(l % width)] = x[l - first];
}

INLINE part get_part(const double *from, int32_t stride, int32_t width, int32_t i, int p)
{
    int32_t first = p * part_width;
    if (width >= part_width) {
        size_t at = (size_t)(first / width * stride + i) * (size_t)width + (size_t)(first % width);
        return *(const part *)(const void *)(from + at);
    }
    part x;
    for (int32_t l = first; l < first + part_width; l++)
        x[l - first] = from[(size_t)(l / width * stride + i) * (size_t)width + (size_t)(l % width)];
    return x;
}

/* -------------------------------------------------------------------- sweeps */

/* sum_j table[j] z_j, by columns, for part p of all stages: even and odd j apart, for no sum
 * should wait for the one before. */
INLINE part sum_columns(const double *table, const double *z, int p)
{
    part even = load_part(table, p) * z[0], odd = load_part(table + 8, p) * z[1];
    for (int j = 2; j < zi_gauss_stages; j += 2) {
        even += load_part(table + 8 * j, p) * z[j];
        odd += load_part(table + 8 * j + 8, p) * z[j + 1];
    }
    return even + odd;
}

INLINE void place_width(const zi_sweep *x, int32_t width)
{
    int32_t half = x->half, stride = x->stride;
    part zero = {0};
    double h = x->h;
    for (int p = 0; p < parts; p++) {
        part c = load_part(zi_gauss_c, p);
        for (int32_t i = 0; i < half; i++) {
            const double *z = x->Z + 8 * (size_t)(half + i);
            double q = x->y[i], v = x->y[half + i];
            part once = sum_columns(zi_gauss_A[0], z, p), twice = sum_columns(zi_gauss_AA[0], z, p);
            put_part(x->argument, stride, width, half + i, p, v + h * once);
            put_part(x->argument, stride, width, i, p, q + h * (c * v + h * twice));
        }
        for (int32_t i = 2 * half; i < x->controlled; i++) {
            part once = sum_columns(zi_gauss_A[0], x->Z + 8 * (size_t)i, p);
            put_part(x->argument, stride, width, i, p, x->y[i] + h * once);
        }
        for (int32_t i = x->controlled; i < x->size; i++)
            put_part(x->argument, stride, width, i, p, x->y[i] + zero);
    }
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
    part change = {0}, size = {0}, zero = {0};
    for (int32_t i = x->half; i < x->size; i++) {
        double *z = x->Z + 8 * (size_t)i, weight = x->weight[i];
        for (int p = 0; p < parts; p++) {
            part found = get_part(x->rates, x->stride, width, i, p), before = load_part(z, p);
            change = larger_parts(weight * size_of_part(found - before), change);
            size = larger_parts(weight * size_of_part(found), size);
            zero += 0.0 * found; /* NaN where one is not finite */
            *(part *)(void *)(z + p * part_width) = found;
        }
    }
    double none = (zero[0] + zero[1]) + (zero[2] + zero[3]);
#if defined(__AVX512F__)
    none += (zero[4] + zero[5]) + (zero[6] + zero[7]);
#endif
    return (zi_sweep_change){x->h * largest_of_part(change) + none, x->h * largest_of_part(size)};
}

static zi_sweep_change take_stages(const zi_sweep *x)
{
    if (x->width == 8) return take_width(x, 8);
    return x->width == 4 ? take_width(x, 4) : take_width(x, 1);
}

/* -------------------------------------------------------------- end of a step */

/* What becomes of the 8 rates of a component: sums by b and by bA, each with that of what is left of
 * the weights, and coefficients 3, 4, 6 and 7, as x->ending has them. */
enum { by_b, by_b_rest, by_bA, by_bA_rest, third, fourth, sixth, seventh };

INLINE void sum_up_stages(const zi_sweep *x, int32_t i, double *sums)
{
    for (int p = 0; p < parts; p++)
        *(part *)(void *)(sums + p * part_width) = sum_columns(x->ending, x->Z + 8 * (size_t)i, p);
}

/* y + carry + change as a sum and what it leaves, exactly but for the rounding of carry + change. */
INLINE void add_compensated(double y, double carry, double change, double *sum, double *left)
{
    double add = change + carry, s = y + add, rest = s - y;
    *sum = s;
    *left = (y - (s - rest)) + (add - rest);
}

/* Component i joins the tail; h Z of the step itself counts among the sizes. */
INLINE void join_tail(const zi_sweep *x, int32_t i, const double *sums, zi_tail *tail)
{
    part largest = size_of_part(load_part(x->Z + 8 * (size_t)i, 0));
    for (int p = 1; p < parts; p++)
        largest = larger_parts(size_of_part(load_part(x->Z + 8 * (size_t)i, p)), largest);
    double weight = x->h * x->weight[i] / (1.0 + x->h * largest_of_part(largest) * x->weight[i]);
    double top = weight * zb_abs(sums[seventh]), next = weight * zb_abs(sums[sixth]);
    double low = weight * larger_of(zb_abs(sums[third]), zb_abs(sums[fourth]));
    tail->top = larger_of(top, tail->top);
    tail->high = larger_of(larger_of(top, next), tail->high);
    tail->low = larger_of(low, tail->low);
}

static zi_tail end_stages(const zi_sweep *x, double *y_new, double *carry_new)
{
    int32_t half = x->half;
    double h = x->h, sums[zi_gauss_stages];
    zi_tail tail = {0.0, 0.0, 0.0};
    for (int32_t i = half; i < x->size; i++) {
        sum_up_stages(x, i, sums);
        double once = sums[by_b] + sums[by_b_rest];
        add_compensated(x->y[i], x->carry[i], h * once, y_new + i, carry_new + i);
        if (x->weight[i] != 0.0) join_tail(x, i, sums, &tail);
        if (i >= 2 * half) continue;
        int32_t k = i - half; /* whose rate it is */
        double twice = sums[by_bA] + sums[by_bA_rest];
        double change = h * (x->y[i] + h * twice) + h * x->carry[i];
        add_compensated(x->y[k], x->carry[k], change, y_new + k, carry_new + k);
    }
    return tail;
}

/* -------------------------------------------------------------------- predictors */

static void extrapolate_stages(const double *legendre, double from, double ratio, double *table)
{
    for (int side = 0; side < parts; side++) {
        part z = 2.0 * (from + ratio * load_part(zi_gauss_c, side)) - 1.0, p[zi_gauss_stages];
        p[0] = 0.0 * z + 1.0;
        p[1] = z;
        for (int k = 2; k < zi_gauss_stages; k++)
            p[k] = ((2.0 * k - 1.0) * z * p[k - 1] - (k - 1.0) * p[k - 2]) / (double)k;
        for (int j = 0; j < zi_gauss_stages; j++) {
            part sum = p[0] * legendre[j];
            for (int k = 1; k < zi_gauss_stages; k++) sum += p[k] * legendre[8 * k + j];
            *(part *)(void *)(table + 8 * j + side * part_width) = sum;
        }
    }
}

/* Z may be `before` itself. */
static void predict_stages(const zi_sweep *x, const double *table, const double *before)
{
    for (int32_t i = x->half; i < x->size; i++) {
        part sum[parts];
        for (int p = 0; p < parts; p++) sum[p] = sum_columns(table, before + 8 * (size_t)i, p);
        for (int p = 0; p < parts; p++)
            *(part *)(void *)(x->Z + 8 * (size_t)i + p * part_width) = sum[p];
    }
}

/* ------------------------------------------------------------------ dense output */

/* sum_j table[j] z_j of 8 numbers z, for part p of 16 sums. */
INLINE part sum_long_columns(const double table[8][16], const double *z, int p)
{
    part even = load_part(table[0], p) * z[0], odd = load_part(table[1], p) * z[1];
    for (int j = 2; j < zi_gauss_stages; j += 2) {
        even += load_part(table[j], p) * z[j];
        odd += load_part(table[j + 1], p) * z[j + 1];
    }
    return even + odd;
}

static void fit_stages(const zi_sweep *x, const double *rates, const double *further, double *a)
{
    for (int32_t i = x->half; i < x->size; i++) {
        const double *z = rates + 8 * (size_t)i, *more = further + 8 * (size_t)i;
        for (int p = 0; p < 2 * parts; p++)
            *(part *)(void *)(a + zi_gauss_terms * (size_t)i + p * part_width) =
                sum_long_columns(zi_gauss_legendre, z, p) +
                sum_long_columns(zi_gauss_legendre + zi_gauss_stages, more, p);
    }
}

/* Part p of sum_k a_k times the k-th integral, at 8 places: once or twice. */
INLINE part integrate_part(const double table[16][2][8], int which, const double *a, int32_t count,
                           int p)
{
    part even = load_part(table[0][which], p) * a[0], odd = load_part(table[1][which], p) * a[1];
    for (int32_t k = 2; k < count; k += 2) {
        even += load_part(table[k][which], p) * a[k];
        odd += load_part(table[k + 1][which], p) * a[k + 1];
    }
    return even + odd;
}

INLINE void inside_width(const zi_sweep *x, const double *a, int32_t count, int32_t places,
                         int32_t width)
{
    int32_t half = x->half, stride = x->stride;
    double h = x->h;
    for (int p = 0; p < parts; p++) {
        part time = load_part(zi_gauss_inside[places][0][0], p);
        for (int32_t i = half; i < x->size; i++) {
            const double *own = a + zi_gauss_terms * (size_t)i;
            part once = integrate_part(zi_gauss_inside[places], 0, own, count, p);
            put_part(x->argument, stride, width, i, p, x->y[i] + h * once);
            if (i >= 2 * half) continue;
            part twice = integrate_part(zi_gauss_inside[places], 1, own, count, p);
            put_part(x->argument, stride, width, i - half, p,
                     x->y[i - half] + h * (time * x->y[i] + h * twice));
        }
    }
}

static void go_inside(const zi_sweep *x, const double *a, int32_t count, int32_t places)
{
    if (x->width == 8)
        inside_width(x, a, count, places, 8);
    else if (x->width == 4)
        inside_width(x, a, count, places, 4);
    else
        inside_width(x, a, count, places, 1);
}

const zi_sweep_functions ZI_PASTE_1(zi_sweep_functions,
                                    ZI_VARIANT) = {.place = place_stages,
                                                   .take = take_stages,
                                                   .end = end_stages,
                                                   .extrapolate = extrapolate_stages,
                                                   .predict = predict_stages,
                                                   .fit = fit_stages,
                                                   .inside = go_inside};
