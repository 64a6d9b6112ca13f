/*
 * Arenas. An arena owns two lists of chunks, both newest first. Small requests are cut one
 * after another from the newest shared chunk; a request that would take more than a quarter
 * of the next shared chunk gets a chunk of its own, so that the rest of the current one is
 * not lost. Shared chunks are as large as everything held before them, between FIRST_CHUNK
 * and LAST_CHUNK: the allocator is called few times, and no more than about half of what is
 * held is unused.
 *
 * The allocator aligns only as malloc does. A piece with a stricter alignment reserves the
 * largest padding it could need, wherever its chunk lies, so that what an arena holds does not
 * depend on addresses.
 *
 * Invariants: held is the sum of the sizes of all chunks; used <= capacity in each.
 */
#include "memory.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

#include "poison.h"

#ifdef ZB_SMALL_TABLES
enum { FIRST_CHUNK = 512 };
#else
enum { FIRST_CHUNK = 4096 };
#endif
/* The size up to which shared chunks grow; the strictest alignment served; what malloc grants. */
enum { LAST_CHUNK = 1 << 20, STRICTEST = 4096, NATURAL = alignof(max_align_t) };

/* The bytes handed out follow the header, aligned as malloc aligns. */
struct zb_chunk {
    alignas(max_align_t) zb_chunk *older;
    size_t capacity; /* bytes after the header */
    size_t used;
};

void zb_arena_init(zb_arena *arena, zb_memory *memory, size_t budget)
{
    *arena = (zb_arena){.memory = memory, .budget = budget};
}

static char *chunk_bytes(zb_chunk *chunk)
{
    return (char *)(chunk + 1);
}

static size_t round_up(size_t x, size_t power)
{
    return (x + (power - 1)) & ~(power - 1);
}

/* Bytes a piece reserves: itself and the largest padding beyond what malloc aligns. */
static size_t reserved_bytes(size_t bytes, size_t align)
{
    return align > NATURAL ? zb_sum(bytes, align - NATURAL) : bytes;
}

/* Remembers why a request failed and jumps to the escape, if there is one; else NULL. */
static void *fail_arena(zb_arena *arena, zw_status failure)
{
    arena->failure = failure;
    if (arena->escape) longjmp(*arena->escape, 1);
    return NULL;
}

/* ------------------------------------------------------------------- chunks */

/* Bytes that the arena's own budget still allows. */
static size_t own_room(const zb_arena *arena)
{
    if (arena->budget == 0) return SIZE_MAX;
    return arena->held < arena->budget ? arena->budget - arena->held : 0;
}

/* Puts a new chunk of `size` bytes, header included, in front of a list. */
static zb_chunk *add_chunk(zb_arena *arena, zb_chunk **list, size_t size)
{
    if (size > own_room(arena)) return fail_arena(arena, ZW_ERR_BUDGET);
    zb_chunk *chunk = zb_resize(arena->memory, NULL, 0, size);
    if (!chunk) return fail_arena(arena, arena->memory->failure);
    *chunk = (zb_chunk){.older = *list, .capacity = size - sizeof *chunk};
    ZB_POISON(chunk_bytes(chunk), chunk->capacity);
    arena->held += size;
    return *list = chunk;
}

/* Gives the newest chunk of a list back. */
static void drop_chunk(zb_arena *arena, zb_chunk **list)
{
    zb_chunk *chunk = *list;
    size_t size = sizeof *chunk + chunk->capacity;
    *list = chunk->older;
    arena->held -= size;
    ZB_UNPOISON(chunk_bytes(chunk), chunk->capacity);
    zb_resize(arena->memory, chunk, size, 0);
}

/* A chunk for a piece that does not fit into the current one. Close to the budget a shared
 * chunk is only as large as the budget allows, so that the budget can be used up. */
static zb_chunk *chunk_for(zb_arena *arena, size_t piece)
{
    size_t need = zb_sum(sizeof(zb_chunk), piece);
    size_t size = arena->held;
    if (size < FIRST_CHUNK) size = FIRST_CHUNK;
    if (size > LAST_CHUNK) size = LAST_CHUNK;
    if (need > size / 4) return add_chunk(arena, &arena->large, need);

    size_t own = own_room(arena), outer = zb_room(arena->memory);
    if (size > own) size = own;
    if (size > outer) size = outer;
    return add_chunk(arena, &arena->chunk, size > need ? size : need);
}

/* ------------------------------------------------------------------- pieces */

/* Whether the rest of a chunk has room for a piece of so many bytes, padding included. */
static bool fits_chunk(const zb_chunk *chunk, size_t piece, size_t align)
{
    size_t start = round_up(chunk->used, align < NATURAL ? align : NATURAL);
    return start <= chunk->capacity && piece <= chunk->capacity - start;
}

/* Cuts a piece that fits from a chunk. */
static void *cut_piece(zb_chunk *chunk, size_t bytes, size_t align)
{
    size_t start = round_up(chunk->used, align < NATURAL ? align : NATURAL);
    char *place = chunk_bytes(chunk) + start;
    uintptr_t address = (uintptr_t)place;
    char *piece = place + (((uintptr_t)0 - address) & (align - 1));

    chunk->used = start + reserved_bytes(bytes, align);
    chunk->used += ZB_GAP(chunk->capacity - chunk->used);
    ZB_UNPOISON(piece, bytes);
    return memset(piece, 0, bytes);
}

/* Bytes of 0 become 1, so that no two pieces have the same address. */
void *zb_arena_take(zb_arena *arena, size_t bytes, size_t align)
{
    if (align == 0 || align > STRICTEST || (align & (align - 1)) != 0)
        return fail_arena(arena, ZW_ERR_ARGUMENT);
    if (bytes == 0) bytes = 1;

    size_t piece = reserved_bytes(bytes, align);
    zb_chunk *chunk = arena->chunk;
    if (!chunk || !fits_chunk(chunk, piece, align)) chunk = chunk_for(arena, piece);
    return chunk ? cut_piece(chunk, bytes, align) : NULL;
}

/* NULL when memory ran out. bytes may be NULL when size is 0. */
void *zb_arena_copy(zb_arena *arena, const void *bytes, size_t size, size_t align)
{
    void *copy = zb_arena_take(arena, size, align);
    if (copy && size != 0) memcpy(copy, bytes, size);
    return copy;
}

/* The NUL comes from the arena, whose memory is zeroed. */
char *zb_arena_string(zb_arena *arena, const char *text, size_t length)
{
    char *copy = zb_arena_take(arena, zb_sum(length, 1), 1);
    if (copy && length != 0) memcpy(copy, text, length);
    return copy;
}

/* -------------------------------------------------------------------- marks */

/* The newest chunks and how far the shared one is used: all that is
 * younger can be found from that. */
zb_mark zb_arena_mark(const zb_arena *arena)
{
    return (zb_mark){.chunk = arena->chunk,
                     .large = arena->large,
                     .used = arena->chunk ? arena->chunk->used : 0};
}

/* Drops the chunks that are younger than the mark; of the shared
 * one it names, what was cut since. */
void zb_arena_release(zb_arena *arena, zb_mark mark)
{
    while (arena->large != mark.large) drop_chunk(arena, &arena->large);
    while (arena->chunk != mark.chunk) drop_chunk(arena, &arena->chunk);
    if (!mark.chunk) return;
    mark.chunk->used = mark.used;
    ZB_POISON(chunk_bytes(mark.chunk) + mark.used, mark.chunk->capacity - mark.used);
}

void zb_arena_clear(zb_arena *arena)
{
    zb_arena_release(arena, (zb_mark){0});
    arena->failure = ZW_OK;
}
