/*
 * Hashing, and a table from hashes to indices. Nothing here depends on an address, a seed, the
 * byte order or the size of a word: the same input gives the same hash, and the same
 * insertions the same table, on every machine and every time.
 */
#ifndef ZB_HASH_H
#define ZB_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory.h"

/* A permutation of the 64-bit numbers in which every bit of x changes about half of the bits of
 * the result (the finaliser of splitmix64). */
static inline uint64_t zb_hash_scramble(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Takes one more value into a hash. Start from any constant; the order of values matters:
 *     hash = zb_hash_mix(zb_hash_mix(operation, left), right); */
static inline uint64_t zb_hash_mix(uint64_t hash, uint64_t value)
{
    return zb_hash_scramble(hash * UINT64_C(0x9e3779b97f4a7c15) + value +
                            UINT64_C(0xd1b54a32d192ed03));
}

/* The hash of some bytes; bytes may be NULL when size is 0. */
uint64_t zb_hash_bytes(const void *bytes, size_t size);

/* A table of indices (0 and up) found by hash; what they index is the caller's, who says by a
 * callback whether it is what is sought. Zero it to start: zb_table names = {0};
 *
 *     int32_t i = zb_table_find(&names, hash, same_name, pool, &name);
 *     if (i < 0 && !zb_table_insert(memory, &names, hash, i = add_name(pool, &name))) ...
 */
typedef struct zb_slot {
    uint32_t tag;  /* half of the scrambled hash */
    int32_t index; /* negative: free */
} zb_slot;

typedef struct zb_table {
    zb_slot *slots;  /* [capacity] */
    size_t capacity; /* a power of two, or 0 */
    int32_t count;
} zb_table;

/* Whether entry `index` of the caller's `pool` is the `key` sought. Must compare the keys
 * themselves: it is called for entries whose hashes agree only in part, too. */
typedef bool (*zb_same_fn)(const void *pool, const void *key, int32_t index);

/* The index of the entry that is the same as key, or -1. Of several, the first inserted. */
int32_t zb_table_find(const zb_table *table, uint64_t hash, zb_same_fn same, const void *pool,
                      const void *key);

/* Adds an index, without looking for it first. False when memory ran out; memory->failure
 * says why, and the table is as before. */
bool zb_table_insert(zb_memory *memory, zb_table *table, uint64_t hash, int32_t index);

/* Makes room for `more` further entries. False as for insert. */
bool zb_table_reserve(zb_memory *memory, zb_table *table, int32_t more);

/* Forgets all entries and keeps the room. */
void zb_table_clear(zb_table *table);
void zb_table_free(zb_memory *memory, zb_table *table);

#endif
