/*
 * A strict allocator for tests. It counts what is alive, checks that every block comes back
 * with the size it was asked for, fills new memory with rubbish, moves a block on every resize,
 * lets blocks begin at any multiple of what malloc aligns, and can refuse the k-th request or
 * all requests from the k-th on. A broken promise is counted in `faults`.
 */
#ifndef COUNTING_H
#define COUNTING_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"

typedef struct counting {
    size_t bytes;     /* alive */
    int64_t blocks;   /* alive */
    int64_t requests; /* that ask for memory; releases are not counted */
    int64_t refused;
    int64_t refuse_at;   /* 0: never; else the number of the request, from 1 */
    bool refuse_onwards; /* and all after it */
    size_t shift;        /* the next block begins this many bytes further */
    size_t spread;       /* `shift` goes through the multiples of 16 below it */
    int faults;
} counting;

enum { COUNTING_MAGIC = 0x5a57414e, COUNTING_HEADER = 16 };

/* In front of every block: what malloc returned, and the size with a magic number. */
typedef struct counting_header {
    void *start;
    uint32_t size, magic;
} counting_header;

_Static_assert(sizeof(counting_header) <= COUNTING_HEADER, "the header must fit");

static inline counting_header *counting_of(void *block)
{
    return (counting_header *)(void *)((char *)block - COUNTING_HEADER);
}

static inline void counting_release(counting *c, void *block, size_t old_size)
{
    counting_header *header = counting_of(block);
    if (header->magic != COUNTING_MAGIC || header->size != old_size) c->faults++;
    c->bytes -= header->size;
    c->blocks--;
    void *start = header->start;
    memset(block, 0xdd, header->size);
    header->magic = 0;
    free(start);
}

static inline void *counting_new(counting *c, size_t size)
{
    if (size > UINT32_MAX) return NULL;
    char *start = malloc(size + COUNTING_HEADER + c->shift);
    if (!start) return NULL;
    char *block = start + COUNTING_HEADER + c->shift;
    *counting_of(block) =
        (counting_header){.start = start, .size = (uint32_t)size, .magic = COUNTING_MAGIC};
    memset(block, 0xa5, size);
    c->bytes += size;
    c->blocks++;
    if (c->spread != 0) c->shift = (c->shift + 16) % c->spread;
    return block;
}

static inline void *counting_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    counting *c = user;
    if (new_size == 0) {
        if (!block) c->faults++;
        if (block) counting_release(c, block, old_size);
        return NULL;
    }
    c->requests++;
    bool refuse = c->refuse_at != 0 &&
                  (c->refuse_onwards ? c->requests >= c->refuse_at : c->requests == c->refuse_at);
    void *fresh = refuse ? NULL : counting_new(c, new_size);
    if (!fresh) {
        c->refused++;
        return NULL;
    }
    if (!block && old_size != 0) c->faults++;
    if (block) {
        memcpy(fresh, block, old_size < new_size ? old_size : new_size);
        counting_release(c, block, old_size);
    }
    return fresh;
}

/* A zb_memory over a fresh counting allocator. */
static inline void counting_init(counting *c, zb_memory *memory)
{
    *c = (counting){0};
    zb_memory_init(memory, &(zw_allocator){.resize = counting_resize, .user = c});
}

/* Everything was given back, and both sides agree on it. */
#define assert_nothing_held(c, memory)                                                             \
    do {                                                                                           \
        assert_int_equal((memory)->held, 0);                                                       \
        assert_int_equal((c)->bytes, 0);                                                           \
        assert_int_equal((c)->blocks, 0);                                                          \
        assert_int_equal((c)->faults, 0);                                                          \
    } while (0)

#endif
