/*
 * The counted allocator. Every byte the library holds was asked for through zb_resize, which
 * asks the caller's callback. Invariant: `held` is the sum of the sizes of all live blocks as
 * they were asked for, so it is 0 again when everything has been released. The budget is
 * compared with `held` as it would be afterwards; the moment in which a callback holds the old
 * and the new block at once is not counted.
 */
#include "memory.h"

#include <stdint.h>
#include <stdlib.h>

/* The callback of who gives none: realloc, and free for a size of
 * 0, which realloc need not mean. */
static void *resize_with_malloc(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)user;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, new_size);
}

void zb_memory_init(zb_memory *memory, const zw_allocator *allocator)
{
    static const zw_allocator standard = {.resize = resize_with_malloc};
    *memory = (zb_memory){.allocator = allocator ? *allocator : standard};
}

size_t zb_product(size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size) return SIZE_MAX;
    return count * size;
}

size_t zb_sum(size_t a, size_t b)
{
    return b > SIZE_MAX - a ? SIZE_MAX : a + b;
}

size_t zb_room(const zb_memory *memory)
{
    if (memory->budget == 0) return SIZE_MAX;
    return memory->held < memory->budget ? memory->budget - memory->held : 0;
}

/* Says why nothing is handed out; NULL, so that the caller may return it. */
static void *refuse_request(zb_memory *memory, zw_status failure)
{
    memory->failure = failure;
    return NULL;
}

/* Gives a block back to the callback and counts it out; NULL: nothing. */
static void release_block(zb_memory *memory, void *block, size_t size)
{
    if (!block) return;
    memory->allocator.resize(memory->allocator.user, block, size, 0);
    memory->held -= size;
}

/* Budget first, so that a refusal by it never reaches the callback;
 * `held` changes only after success. */
void *zb_resize(zb_memory *memory, void *block, size_t old_size, size_t new_size)
{
    if (new_size == 0) {
        release_block(memory, block, old_size);
        return NULL;
    }
    if (!block) old_size = 0;

    if (new_size > old_size && new_size - old_size > zb_room(memory))
        return refuse_request(memory, ZW_ERR_BUDGET);
    /* No object may be larger than PTRDIFF_MAX: differences of its addresses would overflow. */
    if (new_size > PTRDIFF_MAX) return refuse_request(memory, ZW_ERR_MEMORY);

    void *resized = memory->allocator.resize(memory->allocator.user, block, old_size, new_size);
    if (!resized) return refuse_request(memory, ZW_ERR_MEMORY);
    memory->held = memory->held - old_size + new_size;
    return resized;
}
