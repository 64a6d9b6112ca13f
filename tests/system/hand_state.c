/*
 * hand_state.c: states to try the systems of hand.h at.
 */
#include "hand.h"
#include "random_problems.h"

#include <math.h>

void hand_state(const hand *h, uint64_t trial, double *t, double *q, double *v)
{
    uint64_t seed = 1000 * trial + (uint64_t)h->n;
    *t = random_integer(&seed, 0, 1024) / 1024.0;
    for (int32_t i = 0; i < h->n; i++) {
        q[i] = random_integer(&seed, -2048, 2048) / 1024.0;
        v[i] = h->speed * random_integer(&seed, -2048, 2048) / 1024.0;
    }
}
