/*
 * Hashing of bytes, and the table from hashes to the caller's indices.
 *
 * zb_hash_bytes takes the length and then the bytes, eight at a time as little-endian numbers,
 * into zb_hash_mix. For a fixed hash zb_hash_mix is a permutation of the value, so two strings
 * of one length that differ in a single word never collide.
 *
 * zb_table is an open-addressing table with linear probing. A slot is eight bytes: half of
 * the scrambled hash, and the index. The place of an entry comes from the stored half alone,
 * so the table grows without asking for hashes again. It is at most 5/8 full: an unsuccessful
 * search looks at four slots on average, half a cache line.
 *
 * "Of several the first inserted" holds after growth, too: growing walks the slots in the
 * order of a probe sequence, starting behind a free slot, so equal tags keep their order.
 */
#include "hash.h"

#ifdef ZB_SMALL_TABLES
enum { FIRST_SLOTS = 2 };
#else
enum { FIRST_SLOTS = 16 };
#endif

/* Up to eight bytes as a little-endian number. */
static uint64_t read_word(const unsigned char *bytes, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

/* Eight bytes at a time, then the rest as a shorter number; the length is taken up first. */
uint64_t zb_hash_bytes(const void *bytes, size_t size)
{
    const unsigned char *next = bytes;
    uint64_t hash = zb_hash_mix(0, size);
    for (; size >= 8; size -= 8, next += 8) hash = zb_hash_mix(hash, read_word(next, 8));
    return size == 0 ? hash : zb_hash_mix(hash, read_word(next, size));
}

/* -------------------------------------------------------------------- table */

/* What a slot keeps of a hash. Scrambled, for callers may bring hashes that are mere counters. */
static uint32_t tag_of(uint64_t hash)
{
    return (uint32_t)(zb_hash_scramble(hash) >> 32);
}

/* The most entries that many slots may hold: 5/8, and always fewer than all. */
static size_t most_entries(size_t capacity)
{
    return capacity / 2 + capacity / 8;
}

/* Walks the probe sequence up to the first free slot; there always is one. */
int32_t zb_table_find(const zb_table *table, uint64_t hash, zb_same_fn same, const void *pool,
                      const void *key)
{
    if (table->count == 0) return -1;
    uint32_t tag = tag_of(hash);
    size_t mask = table->capacity - 1;
    for (size_t i = tag & mask;; i = (i + 1) & mask) {
        const zb_slot *slot = &table->slots[i];
        if (slot->index < 0) return -1;
        if (slot->tag == tag && same(pool, key, slot->index)) return slot->index;
    }
}

/* Puts an entry into the first free slot of its probe sequence; there is one. */
static void place_entry(zb_slot *slots, size_t capacity, zb_slot entry)
{
    size_t mask = capacity - 1, i = entry.tag & mask;
    while (slots[i].index >= 0) i = (i + 1) & mask;
    slots[i] = entry;
}

static void empty_slots(zb_slot *slots, size_t capacity)
{
    for (size_t i = 0; i < capacity; i++) slots[i] = (zb_slot){.index = -1};
}

/* Puts all entries of the table into `slots`. The walk starts behind a free slot: no probe
 * sequence crosses it, so each is met from its beginning. */
static void place_all_entries(const zb_table *table, zb_slot *slots, size_t capacity)
{
    size_t start = 0;
    while (start < table->capacity && table->slots[start].index >= 0) start++;
    for (size_t k = 0; k < table->capacity; k++) {
        zb_slot entry = table->slots[(start + k) & (table->capacity - 1)];
        if (entry.index >= 0) place_entry(slots, capacity, entry);
    }
}

/* The next capacity that holds `entries`, or 0 when its size in bytes cannot be expressed. */
static size_t next_slot_count(size_t capacity, size_t entries)
{
    size_t next = capacity == 0 ? FIRST_SLOTS : capacity;
    while (most_entries(next) < entries) {
        if (next > SIZE_MAX / 2 / sizeof(zb_slot)) return 0;
        next *= 2;
    }
    return next;
}

/* Grows into a new block of slots, so that a failure leaves the table as it was. */
bool zb_table_reserve(zb_memory *memory, zb_table *table, int32_t more)
{
    size_t capacity = 0;
    if (more >= 0 && more <= INT32_MAX - table->count)
        capacity = next_slot_count(table->capacity, (size_t)table->count + (size_t)more);
    if (capacity == 0) {
        memory->failure = ZW_ERR_MEMORY;
        return false;
    }
    if (capacity == table->capacity) return true;

    zb_slot *slots = zb_resize(memory, NULL, 0, zb_product(capacity, sizeof *slots));
    if (!slots) return false;
    empty_slots(slots, capacity);
    place_all_entries(table, slots, capacity);
    zb_resize(memory, table->slots, zb_product(table->capacity, sizeof *slots), 0);
    table->slots = slots;
    table->capacity = capacity;
    return true;
}

/* Behind all entries of the same tag, so that find meets the first inserted first. */
bool zb_table_insert(zb_memory *memory, zb_table *table, uint64_t hash, int32_t index)
{
    if (!zb_table_reserve(memory, table, 1)) return false;
    place_entry(table->slots, table->capacity, (zb_slot){.tag = tag_of(hash), .index = index});
    table->count++;
    return true;
}

void zb_table_clear(zb_table *table)
{
    empty_slots(table->slots, table->capacity);
    table->count = 0;
}

void zb_table_free(zb_memory *memory, zb_table *table)
{
    zb_resize(memory, table->slots, zb_product(table->capacity, sizeof *table->slots), 0);
    *table = (zb_table){0};
}
