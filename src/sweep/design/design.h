/*
 * Numbers of samples: point k of a design in dimension d, in (0, 1), from k, d and the seed alone, so
 * that any part of a sweep can be computed by itself; and the distributions that such a number
 * becomes. Private to this layer.
 */
#ifndef ZS_DESIGN_H
#define ZS_DESIGN_H

#include <stdbool.h>
#include <stdint.h>

#include "base.h"

typedef struct zs_design {
    zw_design kind;
    uint64_t seed;
    int64_t count; /* of points */
} zs_design;

/* Point k, 0 <= k < count, in a dimension; strictly between 0 and 1. Sobol' has
 * zs_design_dimensions() of them, the others any number. */
double zs_design_point(const zs_design *design, int64_t k, int32_t dimension);
int32_t zs_design_dimensions(zw_design kind);

/* 64 random bits of (seed, stream, k): Philox, 4 x 32 bits, ten rounds. */
uint64_t zs_random_bits(uint64_t seed, uint64_t stream, uint64_t k);
/* A permutation of 0 .. count - 1, by a Feistel network that is walked until it stays below count. */
int64_t zs_permute(uint64_t seed, uint64_t stream, int64_t count, int64_t k);
/* The first 52 binary digits of point k. */
uint64_t zs_sobol_bits(int32_t dimension, uint64_t k);

/* What a number may be drawn from. */
#define ZS_DISTRIBUTION_LIST(X)                                                                    \
    X(ZS_UNIFORM, "uniform", 2, "uniform(from, to)")                                               \
    X(ZS_NORMAL, "normal", 2, "normal(mean, deviation)")                                           \
    X(ZS_LOGNORMAL, "lognormal", 2, "lognormal(mean of the logarithm, its deviation)")             \
    X(ZS_EXPONENTIAL, "exponential", 1, "exponential(mean)")                                       \
    X(ZS_TRIANGULAR, "triangular", 3, "triangular(from, peak, to)")

typedef enum zs_distribution {
#define ZS_DISTRIBUTION_ENUM(name, word, arguments, usage) name,
    ZS_DISTRIBUTION_LIST(ZS_DISTRIBUTION_ENUM)
#undef ZS_DISTRIBUTION_ENUM
        ZS_DISTRIBUTIONS
} zs_distribution;

/* The number below which a part u of the distribution lies; p: its arguments. */
double zs_quantile(zs_distribution distribution, const double p[3], double u);
/* Its arguments make sense. */
bool zs_is_sensible(zs_distribution distribution, const double p[3]);
/* The normal distribution of mean 0 and deviation 1. */
double zs_normal_quantile(double u);

#endif
