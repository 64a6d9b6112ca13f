/*
 * The pool: nodes in an array, found again by a hash table with chains, so that equal expressions
 * become one node (hash consing). Chains are newest first, so that the newest node is always the
 * head of its chain: releasing nodes takes them off in reverse order and touches nothing else.
 *
 * The arrays of the pool grow one after another and each knows its own room, so running out of
 * memory between two of them leaves a usable pool. All of them are the pool's.
 */
#include <string.h>

#include "walk.h"

/* Room of a pool's first growth: most models are small and grow no more. */
#ifdef ZB_SMALL_TABLES
enum { FIRST_NODES = 1, FIRST_BUCKETS = 16 };
#else
enum { FIRST_NODES = 128, FIRST_BUCKETS = 128 };
#endif

static const char *const names[ZX_OP_COUNT] = {
#define ZX_OP_ROW(symbol, count, text) [symbol] = text,
    ZX_OP_LIST(ZX_OP_ROW)
#undef ZX_OP_ROW
};

/* zx_operands relies on the order of the list. */
#define ZX_OP_ORDER(symbol, count, text)                                                           \
    _Static_assert(count == ((symbol) < ZX_NEG      ? 0                                            \
                             : (symbol) < ZX_ADD    ? 1                                            \
                             : (symbol) < ZX_SELECT ? 2                                            \
                                                    : 3),                                          \
                   "operations are listed by their number of operands");
ZX_OP_LIST(ZX_OP_ORDER)
#undef ZX_OP_ORDER

const char *zx_op_name(zx_op op)
{
    return names[op];
}

/* ---------------------------------------------------------------- lifetime */

void zx_pool_init(zx_pool *pool, zb_memory *memory, jmp_buf *escape, bool commute)
{
    *pool = (zx_pool){.memory = memory, .escape = escape, .commute = commute};
    zb_arena_init(&pool->scratch, memory, 0);
}

/* data [room] elements of `size` bytes; NULL is fine. */
static void free_array(zx_pool *pool, void *data, int32_t room, size_t size)
{
    zb_resize(pool->memory, data, zb_product((size_t)room, size), 0);
}

/* The pool is empty afterwards and may be built in again. */
void zx_pool_free(zx_pool *pool)
{
    free_array(pool, pool->items, pool->room[0], sizeof *pool->items);
    free_array(pool, pool->next, pool->room[1], sizeof *pool->next);
    free_array(pool, pool->rates, pool->room[2], sizeof *pool->rates);
    free_array(pool, pool->marks, pool->room[3], sizeof *pool->marks);
    free_array(pool, pool->places, pool->room[4], sizeof *pool->places);
    free_array(pool, pool->list, pool->room[5], sizeof *pool->list);
    free_array(pool, pool->heads, pool->buckets, sizeof *pool->heads);
    zb_array_free(pool->memory, &pool->rated);
    zb_arena_clear(&pool->scratch);
    zx_pool_init(pool, pool->memory, pool->escape, pool->commute);
}

_Noreturn void zx_escape(const zx_pool *pool)
{
    longjmp(*pool->escape, 1);
}

void *zx_scratch(zx_pool *pool, int32_t count, size_t size)
{
    pool->scratch.escape = pool->escape;
    return zb_arena_take(&pool->scratch, zb_product((size_t)count, size), _Alignof(double));
}

/* A first small piece keeps the arena's first chunk from coming and going with every walk. */
zb_mark zx_scratch_mark(zx_pool *pool)
{
    if (!pool->scratch.chunk) zx_scratch(pool, 1, 1);
    return zb_arena_mark(&pool->scratch);
}

/* ----------------------------------------------------------------- finding */

/* A well mixed 64-bit hash of all four words of an item. */
static uint64_t hash_item(const zx_item *item)
{
    uint64_t low = (uint32_t)item->op | (uint64_t)(uint32_t)item->a << 32;
    uint64_t high = (uint32_t)item->b | (uint64_t)(uint32_t)item->c << 32;
    return zb_hash_mix(low, high);
}

/* Where the first node of the chain is kept in which an item is or would be. */
static int32_t *find_chain(const zx_pool *pool, const zx_item *item)
{
    return &pool->heads[hash_item(item) & (uint32_t)(pool->buckets - 1)];
}

static bool is_same_item(const zx_item *x, const zx_item *y)
{
    return x->op == y->op && x->a == y->a && x->b == y->b && x->c == y->c;
}

/* A table of twice the size; nodes enter in index order, so the newest is again in front. */
static void grow_heads(zx_pool *pool)
{
    int32_t buckets = pool->buckets == 0 ? FIRST_BUCKETS : pool->buckets;
    if (pool->buckets != 0 && buckets > INT32_MAX / 2) return;
    if (pool->buckets != 0) buckets *= 2;
    size_t size = sizeof *pool->heads;
    int32_t *heads = zb_resize(pool->memory, NULL, 0, zb_product((size_t)buckets, size));
    if (!heads) zx_escape(pool);
    free_array(pool, pool->heads, pool->buckets, size);
    pool->heads = heads;
    pool->buckets = buckets;
    memset(heads, 0xff, (size_t)buckets * size);
    for (int32_t i = 0; i < pool->count; i++) {
        int32_t *head = find_chain(pool, &pool->items[i]);
        pool->next[i] = *head;
        *head = i;
    }
}

/* Room for one node more in every array and, where it is full, in the hash table. Jumps when memory
 * runs out; what has grown until then stays usable. */
static void grow_pool_arrays(zx_pool *pool)
{
    void *const arrays[] = {&pool->items, &pool->next,   &pool->rates,
                            &pool->marks, &pool->places, &pool->list};
    static const size_t sizes[] = {sizeof(zx_item),  sizeof(int32_t), sizeof(zx_node),
                                   sizeof(uint32_t), sizeof(int32_t), sizeof(zx_node)};
    if (pool->count >= pool->buckets) grow_heads(pool);
    int32_t capacity = INT32_MAX, more = pool->count == 0 ? FIRST_NODES : 1;
    for (int k = 0; k < 6; k++) {
        int32_t before = pool->room[k];
        if (!zb_array_grow(pool->memory, arrays[k], &pool->room[k], pool->count, more, sizes[k]))
            zx_escape(pool);
        /* no walk has been here */
        if (k == 3) memset(pool->marks + before, 0, (size_t)(pool->room[k] - before) * sizes[k]);
        if (capacity > pool->room[k]) capacity = pool->room[k];
    }
    pool->capacity = capacity;
}

/* Looks along the chain of the item; a new node becomes the head of that chain. */
zx_node zx_intern(zx_pool *pool, const zx_item *item)
{
    zx_item it = *item; /* which may lie in the pool */
    if (pool->count != 0)
        for (int32_t i = *find_chain(pool, &it); i >= 0; i = pool->next[i])
            if (is_same_item(&pool->items[i], &it)) return i;

    if (pool->count == pool->capacity) grow_pool_arrays(pool);
    int32_t node = pool->count++, *head = find_chain(pool, &it);
    pool->items[node] = it;
    pool->rates[node] = ZX_UNKNOWN;
    pool->next[node] = *head;
    return *head = node;
}

/* Remembered rates may be nodes that go: forgotten are all that were found since there were more
 * than `count` nodes. */
static void release_rates(zx_pool *pool, int32_t count)
{
    while (pool->rated.count > 0 && pool->rated.data[pool->rated.count - 1].count > count)
        pool->rates[pool->rated.data[--pool->rated.count].node] = ZX_UNKNOWN;
}

/* Nodes go newest first, each from the head of its chain. */
void zx_pool_release(zx_pool *pool, int32_t count)
{
    release_rates(pool, count);
    while (pool->count > count) {
        int32_t node = --pool->count;
        *find_chain(pool, &pool->items[node]) = pool->next[node];
    }
}

/* ------------------------------------------------------------------ leaves */

/* The number as a leaf, its bits in a and b; op says whether it is a literal or bound. */
static zx_node intern_constant(zx_pool *pool, zx_op op, double value)
{
    if (value == 0.0) value = 0.0; /* one zero: -0 is 0 */
    int32_t words[2];
    memcpy(words, &value, sizeof words);
    return zx_intern(pool, &(zx_item){.op = (int32_t)op, .a = words[0], .b = words[1]});
}

zx_node zx_number(zx_pool *pool, double value)
{
    return intern_constant(pool, ZX_NUMBER, value);
}

zx_node zx_bound(zx_pool *pool, double value)
{
    return intern_constant(pool, value == 0.0 || value == 1.0 ? ZX_NUMBER : ZX_BOUND, value);
}

zx_node zx_leaf(zx_pool *pool, zx_op op, int32_t index)
{
    return zx_intern(pool, &(zx_item){.op = (int32_t)op, .a = op == ZX_TIME ? 0 : index});
}

double zx_number_of(const zx_item *item)
{
    double value;
    memcpy(&value, &item->a, sizeof value);
    return value;
}

bool zx_is_constant(const zx_pool *pool, zx_node node, double *value)
{
    const zx_item *item = &pool->items[node];
    if (item->op > ZX_BOUND) return false;
    *value = zx_number_of(item);
    return true;
}
