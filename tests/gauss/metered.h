/*
 * metered.h: an allocator that fails once, and knows what is held.
 */
#ifndef TESTS_GAUSS_METERED_H
#define TESTS_GAUSS_METERED_H

#include <stdint.h>
#include <stdlib.h>

typedef struct meter {
    int64_t left; /* requests until one fails; negative: none does */
    size_t held;
} meter;

static inline void *metered(void *user, void *block, size_t old_size, size_t new_size)
{
    meter *a = user;
    if (new_size > 0 && a->left >= 0 && a->left-- == 0) return NULL;
    a->held += new_size - (block ? old_size : 0);
    if (new_size > 0) return realloc(block, new_size);
    free(block);
    return NULL;
}

#endif
