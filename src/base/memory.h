/*
 * Memory: a counted, budgeted allocator (zb_memory) over the caller's one callback, and
 * arenas on top of it for whatever lives and dies together.
 */
#ifndef ZB_MEMORY_H
#define ZB_MEMORY_H

#include <setjmp.h>
#include <stddef.h>

#include "zwang.h"

/* The callback, how much is held through it, how much may be, and why the last request
 * failed. One per context; not shared between threads. */
typedef struct zb_memory {
    zw_allocator allocator;
    size_t budget; /* 0: no limit; may be changed at any time, also below what is held */
    size_t held;
    zw_status failure; /* ZW_ERR_MEMORY or ZW_ERR_BUDGET after a NULL; success leaves it */
} zb_memory;

/* allocator NULL: malloc, realloc, free. */
void zb_memory_init(zb_memory *memory, const zw_allocator *allocator);

/* As zw_resize_fn, within the budget. new_size 0 releases and returns NULL; block NULL with
 * new_size 0 does nothing. old_size must be what was asked for; it is ignored for a block
 * of NULL. Making a block smaller is never refused by the budget. */
void *zb_resize(zb_memory *memory, void *block, size_t old_size, size_t new_size);

/* Bytes that the budget still allows; SIZE_MAX when there is none. */
size_t zb_room(const zb_memory *memory);

/* Bytes that this process can still have, by the machine, its control groups and its own limits;
 * SIZE_MAX: not known. The other reads /proc and /sys below a folder, for tests. */
size_t zb_available_memory(void);
size_t zb_available_memory_at(const char *root);

/* count * size, or SIZE_MAX when that overflows (which no budget or allocator grants). */
size_t zb_product(size_t count, size_t size);

/* a + b, or SIZE_MAX when that overflows. */
size_t zb_sum(size_t a, size_t b);

/* An *arena* hands out memory that is released all at once. With `escape` set, running out
 * of memory or budget jumps there (with the value 1) instead of returning NULL, so that a
 * compiler pass needs no error path of its own; `failure` then says why. A failure takes
 * nothing: the arena may be used on, released or cleared. */
typedef struct zb_chunk zb_chunk;

typedef struct zb_arena {
    zb_memory *memory;
    zb_chunk *chunk; /* shared by small requests, newest first */
    zb_chunk *large; /* one for each large request, newest first */
    size_t budget;   /* bytes of chunks; 0: no limit but the memory's own */
    size_t held;
    jmp_buf *escape;
    zw_status failure; /* of the last request that failed */
} zb_arena;

/* A state of an arena to which zb_arena_release returns. */
typedef struct zb_mark {
    zb_chunk *chunk, *large;
    size_t used;
} zb_mark;

void zb_arena_init(zb_arena *arena, zb_memory *memory, size_t budget);

/* Gives everything back; the arena is as after init, with budget and escape kept. */
void zb_arena_clear(zb_arena *arena);

/* Zeroed bytes at an address that is a multiple of align (a power of two up to 4096, else
 * ZW_ERR_ARGUMENT). Never NULL for bytes = 0 unless memory ran out; no two calls return the
 * same address. How much is taken does not depend on the addresses the allocator returns. */
void *zb_arena_take(zb_arena *arena, size_t bytes, size_t align);
void *zb_arena_copy(zb_arena *arena, const void *bytes, size_t size, size_t align);
char *zb_arena_string(zb_arena *arena, const char *text, size_t length); /* adds the NUL */

/* Everything taken after the mark is given back by release. Marks nest: releasing one makes
 * those set after it invalid. */
zb_mark zb_arena_mark(const zb_arena *arena);
void zb_arena_release(zb_arena *arena, zb_mark mark);

#define ZB_NEW(arena, type) ((type *)zb_arena_take((arena), sizeof(type), _Alignof(type)))
#define ZB_NEW_ARRAY(arena, type, count)                                                           \
    ((type *)zb_arena_take((arena), zb_product((size_t)(count), sizeof(type)), _Alignof(type)))

#endif
