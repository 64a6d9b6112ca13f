/*
 * random_numbers.c: splitmix64, and what is made of it.
 */
#include "random_numbers.h"

uint64_t random_bits(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

int32_t random_integer(uint64_t *state, int32_t low, int32_t high)
{
    uint64_t width = (uint64_t)(high - low) + 1;
    return low + (int32_t)(random_bits(state) % width);
}

double random_real(uint64_t *state, double low, double high)
{
    return low + (high - low) * ((double)(random_bits(state) >> 11) * 0x1p-53);
}

double random_dyadic(uint64_t *state)
{
    double size = random_integer(state, 1, 64) / 16.0;
    return random_bits(state) % 2 == 0 ? size : -size;
}
