/*
 * Points of designs from their number alone.
 *
 *     random  bits of Philox, a counter-based generator: (seed, dimension, k) are encrypted by ten
 *             rounds of multiplication and exchange (Salmon, Moraes, Dror, Shaw 2011)
 *     latin   each of `count` equal strips of every dimension has one point: (p(k) + u) / count with
 *             a permutation p of the dimension's own
 *     sobol   Sobol's sequence by the numbers of sobol_numbers.h, all digits of a dimension turned
 *             over as random bits of the seed say (a digital shift: what is spread evenly stays so)
 */
#include "design.h"

#include "sobol_numbers.h"

enum { digits = 52 };

/* --------------------------------------------------------------------------- random */

uint64_t zs_random_bits(uint64_t seed, uint64_t stream, uint64_t k)
{
    uint32_t x[4] = {(uint32_t)k, (uint32_t)(k >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)};
    uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    for (int round = 0; round < 10; round++) {
        uint64_t a = UINT64_C(0xD2511F53) * x[0], b = UINT64_C(0xCD9E8D57) * x[2];
        uint32_t y[4] = {(uint32_t)(b >> 32) ^ x[1] ^ key[0], (uint32_t)b,
                         (uint32_t)(a >> 32) ^ x[3] ^ key[1], (uint32_t)a};
        for (int i = 0; i < 4; i++) x[i] = y[i];
        key[0] += UINT32_C(0x9E3779B9);
        key[1] += UINT32_C(0xBB67AE85);
    }
    return x[0] | (uint64_t)x[1] << 32;
}

/* The middle of one of 2^52 equal strips: never 0 nor 1. */
static double make_unit(uint64_t bits)
{
    return ((double)(bits & ((UINT64_C(1) << digits) - 1)) + 0.5) * 0x1p-52;
}

/* ---------------------------------------------------------------------------- latin */

enum { feistel_rounds = 6 };

/* Streams below are of points. */
static uint64_t name_stream(uint64_t what, int32_t dimension)
{
    return what << 32 | (uint32_t)dimension;
}

/* On pairs of `half` bits, of which there are less than four times as many as are wanted: what falls
 * outside is permuted again. */
int64_t zs_permute(uint64_t seed, uint64_t stream, int64_t count, int64_t k)
{
    int half = 1;
    while ((INT64_C(1) << (2 * half)) < count) half++;
    uint64_t mask = (UINT64_C(1) << half) - 1, x = (uint64_t)k;
    do {
        uint64_t left = x >> half, right = x & mask;
        for (uint64_t round = 0; round < feistel_rounds; round++) {
            uint64_t next =
                left ^
                (zs_random_bits(seed, stream + (round + 1) * (UINT64_C(1) << 48), right) & mask);
            left = right;
            right = next;
        }
        x = left << half | right;
    } while (x >= (uint64_t)count);
    return (int64_t)x;
}

static double find_latin_point(const zs_design *d, int64_t k, int32_t dimension)
{
    int64_t strip = zs_permute(d->seed, name_stream(1, dimension), d->count, k);
    double u = make_unit(zs_random_bits(d->seed, name_stream(2, dimension), (uint64_t)k));
    double x = ((double)strip + u) / (double)d->count;
    return x < 1.0 ? x : 1.0 - 0x1p-53;
}

/* ---------------------------------------------------------------------------- sobol */

/* Direction number i, from 1 on, as `digits` binary digits: v_i = m_i 2^(digits - i), with
 *     m_i = 2 a_1 m_{i-1} ^ 4 a_2 m_{i-2} ^ ... ^ 2^s m_{i-s} ^ m_{i-s}. */
static void find_directions(const zs_sobol_number *n, uint64_t v[digits])
{
    int s = n->degree;
    for (int i = 0; i < digits; i++) {
        if (i < s) {
            v[i] = (uint64_t)n->m[i] << (digits - 1 - i);
            continue;
        }
        v[i] = v[i - s] ^ v[i - s] >> s;
        for (int k = 1; k < s; k++)
            if (n->polynomial >> (s - k) & 1) v[i] ^= v[i - k];
    }
}

uint64_t zs_sobol_bits(int32_t dimension, uint64_t k)
{
    uint64_t v[digits] = {0}, x = 0;
    if (dimension == 0)
        for (int i = 0; i < digits; i++) v[i] = UINT64_C(1) << (digits - 1 - i);
    else
        find_directions(&zs_sobol_numbers[dimension - 1], v);
    for (int i = 0; i < digits && k >> i; i++)
        if (k >> i & 1) x ^= v[i];
    return x;
}

/* ------------------------------------------------------------------------- all of them */

double zs_design_point(const zs_design *d, int64_t k, int32_t dimension)
{
    uint64_t point = (uint64_t)k;
    if (d->kind == ZW_DESIGN_LATIN) return find_latin_point(d, k, dimension);
    if (d->kind == ZW_DESIGN_SOBOL)
        return make_unit(zs_sobol_bits(dimension, point) ^
                         zs_random_bits(d->seed, name_stream(3, dimension), 0));
    return make_unit(zs_random_bits(d->seed, name_stream(0, dimension), point));
}

int32_t zs_design_dimensions(zw_design kind)
{
    return kind == ZW_DESIGN_SOBOL ? zs_sobol_dimensions : INT32_MAX;
}
