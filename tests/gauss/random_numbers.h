/*
 * random_numbers.h: pseudo-random numbers by splitmix64; the state is the seed.
 */
#ifndef TESTS_GAUSS_RANDOM_NUMBERS_H
#define TESTS_GAUSS_RANDOM_NUMBERS_H

#include <stdint.h>

uint64_t random_bits(uint64_t *state);
int32_t random_integer(uint64_t *state, int32_t low, int32_t high); /* ends included */
double random_real(uint64_t *state, double low, double high);
double random_dyadic(uint64_t *state); /* k/16, |k| <= 64, never 0 */

#endif
