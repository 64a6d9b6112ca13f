/*
 * Arenas: pieces are aligned, zeroed and apart from each other, wherever the allocator puts
 * chunks; marks give back exactly what came after them; budgets, refusals and escapes leave a
 * usable arena; nothing depends on addresses.
 */
#include "counting.h"

#include "../../src/base/memory/poison.h"

/* A small generator, so that every run takes the same pieces. */
static uint32_t next_random(uint32_t *seed)
{
    return *seed = *seed * 1664525u + 1013904223u;
}

enum { PIECES = 3000 };

typedef struct piece {
    unsigned char *bytes;
    size_t size;
    unsigned char fill;
} piece;

static size_t random_size(uint32_t *seed)
{
    uint32_t r = next_random(seed) >> 8;
    return r % 50 == 0 ? r % 20000 : r % 90;
}

/* Takes pieces of all sizes and alignments, checks each, and fills it. */
static void take_many(zb_arena *arena, piece *pieces, uint32_t seed)
{
    for (int i = 0; i < PIECES; i++) {
        size_t align = (size_t)1 << (next_random(&seed) >> 16) % 13;
        piece *p = &pieces[i];
        *p = (piece){.size = random_size(&seed), .fill = (unsigned char)(i % 251 + 1)};
        p->bytes = zb_arena_take(arena, p->size, align);
        assert_non_null(p->bytes);
        assert_int_equal((uintptr_t)p->bytes % align, 0);
        for (size_t k = 0; k < p->size; k++) assert_int_equal(p->bytes[k], 0);
        memset(p->bytes, p->fill, p->size);
    }
}

/* No piece was written over by another. */
static void check_many(const piece *pieces)
{
    for (int i = 0; i < PIECES; i++)
        for (size_t k = 0; k < pieces[i].size; k++)
            if (pieces[i].bytes[k] != pieces[i].fill) fail_msg("piece %d was overwritten", i);
}

static void pieces_are_aligned_zeroed_and_apart(void **state)
{
    (void)state;
    static piece pieces[PIECES];
    counting c;
    zb_memory memory;
    zb_arena arena;
    counting_init(&c, &memory);
    c.spread = 4096;
    zb_arena_init(&arena, &memory, 0);
    take_many(&arena, pieces, 1);
    check_many(pieces);
    assert_int_equal(arena.held, memory.held);
    assert_int_equal(c.bytes, memory.held);
    zb_arena_clear(&arena);
    assert_int_equal(arena.held, 0);
    assert_nothing_held(&c, &memory);
}

/* The same requests hold the same, wherever the blocks lie: a budget that is enough in one run
 * is enough in every run. */
static void use_does_not_depend_on_addresses(void **state)
{
    (void)state;
    static piece pieces[PIECES];
    size_t held = 0;
    int64_t requests = 0;
    for (size_t shift = 0; shift < 256; shift += 16) {
        counting c;
        zb_memory memory;
        zb_arena arena;
        counting_init(&c, &memory);
        c.shift = shift;
        zb_arena_init(&arena, &memory, 0);
        take_many(&arena, pieces, 7);
        if (shift == 0) held = arena.held, requests = c.requests;
        assert_int_equal(arena.held, held);
        assert_int_equal(c.requests, requests);
        zb_arena_clear(&arena);
        assert_nothing_held(&c, &memory);
    }
}

/* Chunks grow: 16 MiB in small pieces take few requests, and little is lost. */
static void chunks_grow_geometrically(void **state)
{
    (void)state;
    counting c;
    zb_memory memory;
    zb_arena arena;
    counting_init(&c, &memory);
    zb_arena_init(&arena, &memory, 0);
    size_t taken = 0;
    for (; taken < 16u << 20; taken += 48) assert_non_null(zb_arena_take(&arena, 48, 16));
    assert_true(c.requests < 64);
    assert_true(arena.held < 2 * taken);
    zb_arena_clear(&arena);
    assert_nothing_held(&c, &memory);
}

/* A large piece has a chunk of its own; small ones go on in the chunk they were in. */
static void large_pieces_do_not_waste_the_chunk(void **state)
{
    (void)state;
    counting c;
    zb_memory memory;
    zb_arena arena;
    counting_init(&c, &memory);
    zb_arena_init(&arena, &memory, 0);
    char *first = zb_arena_take(&arena, 16, 16);
    int64_t before = c.requests;
    for (int i = 0; i < 10; i++) assert_non_null(zb_arena_take(&arena, 5u << 20, 64));
    assert_int_equal(c.requests, before + 10);
    size_t overhead = arena.held - 10 * (5u << 20);
    assert_true(overhead < 8192);
    char *second = zb_arena_take(&arena, 16, 16);
    assert_int_equal(c.requests, before + 10);
    assert_true(second > first && second - first <= 32);
    zb_arena_clear(&arena);
    assert_nothing_held(&c, &memory);
}

static void marks_give_back_what_came_after(void **state)
{
    (void)state;
    static piece pieces[PIECES];
    counting c;
    zb_memory memory;
    zb_arena arena;
    counting_init(&c, &memory);
    zb_arena_init(&arena, &memory, 0);
    zb_mark start = zb_arena_mark(&arena);
    take_many(&arena, pieces, 3);
    size_t held = arena.held;
    zb_mark mark = zb_arena_mark(&arena);
    char *after = NULL;

    /* again and again the same place, zeroed again, and no growth */
    for (int round = 0; round < 100; round++) {
        char *again = zb_arena_take(&arena, 100, 8);
        if (round == 0) after = again;
        assert_ptr_equal(again, after);
        for (int k = 0; k < 100; k++) assert_int_equal(again[k], 0);
        memset(again, 0x77, 100);
        assert_non_null(zb_arena_take(&arena, 1u << 21, 64));
        zb_mark inner = zb_arena_mark(&arena);
        for (int k = 0; k < 1000; k++) assert_non_null(zb_arena_take(&arena, 1000, 1));
        zb_arena_release(&arena, inner);
        zb_arena_release(&arena, mark);
        assert_int_equal(arena.held, held);
        assert_int_equal(memory.held, held);
    }
    check_many(pieces);
    zb_arena_release(&arena, start);
    assert_nothing_held(&c, &memory);
}

static void empty_pieces_have_addresses_of_their_own(void **state)
{
    (void)state;
    zb_memory memory;
    zb_arena arena;
    zb_memory_init(&memory, NULL);
    zb_arena_init(&arena, &memory, 0);
    char *a = zb_arena_take(&arena, 0, 1), *b = zb_arena_take(&arena, 0, 1);
    int32_t *none = ZB_NEW_ARRAY(&arena, int32_t, 0);
    assert_non_null(a);
    assert_non_null(none);
    assert_ptr_not_equal(a, b);
    zb_arena_clear(&arena);
    assert_int_equal(memory.held, 0);
}

static void copies(void **state)
{
    (void)state;
    zb_memory memory;
    zb_arena arena;
    zb_memory_init(&memory, NULL);
    zb_arena_init(&arena, &memory, 0);
    double numbers[3] = {1, 2, 3};
    double *copy = zb_arena_copy(&arena, numbers, sizeof numbers, 64);
    assert_memory_equal(copy, numbers, sizeof numbers);
    assert_int_equal((uintptr_t)copy % 64, 0);
    assert_string_equal(zb_arena_string(&arena, "abcdef", 3), "abc");
    assert_string_equal(zb_arena_string(&arena, NULL, 0), "");
    assert_non_null(zb_arena_copy(&arena, NULL, 0, 8));
    zb_arena_clear(&arena);
}

/* Under AddressSanitizer a step outside a piece, or into one that was given back, is found. */
static void steps_outside_are_found(void **state)
{
    (void)state;
#ifdef ZB_ADDRESS_SANITIZER
    zb_memory memory;
    zb_arena arena;
    zb_memory_init(&memory, NULL);
    zb_arena_init(&arena, &memory, 0);
    char *kept = zb_arena_take(&arena, 13, 1);
    zb_mark mark = zb_arena_mark(&arena);
    char *released = zb_arena_take(&arena, 24, 8);
    for (int i = 0; i < 13; i++) assert_false(__asan_address_is_poisoned(kept + i));
    assert_true(__asan_address_is_poisoned(kept + 13));
    assert_false(__asan_address_is_poisoned(released + 23));
    assert_true(__asan_address_is_poisoned(released + 24));
    zb_arena_release(&arena, mark);
    assert_true(__asan_address_is_poisoned(released));
    assert_false(__asan_address_is_poisoned(kept));
    zb_arena_clear(&arena);
#else
    skip();
#endif
}

/* ----------------------------------------------------------------- failure */

static void bad_requests_are_refused(void **state)
{
    (void)state;
    counting c;
    zb_memory memory;
    zb_arena arena;
    counting_init(&c, &memory);
    zb_arena_init(&arena, &memory, 0);
    static const size_t bad[] = {0, 3, 24, 8192, SIZE_MAX};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        arena.failure = ZW_OK;
        assert_null(zb_arena_take(&arena, 8, bad[i]));
        assert_int_equal(arena.failure, ZW_ERR_ARGUMENT);
    }
    static const size_t huge[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 40, SIZE_MAX / 2};
    for (size_t i = 0; i < sizeof huge / sizeof *huge; i++) {
        arena.failure = ZW_OK;
        assert_null(zb_arena_take(&arena, huge[i], 64));
        assert_int_equal(arena.failure, ZW_ERR_MEMORY);
    }
    assert_null(zb_arena_string(&arena, "", SIZE_MAX));
    int32_t negative = -3;
    assert_null(ZB_NEW_ARRAY(&arena, double, negative));
    assert_null(ZB_NEW_ARRAY(&arena, char, negative));
    assert_int_equal(c.requests, 0);
    assert_nothing_held(&c, &memory);
}

/* With a budget, all of it but a little can be used, never more; both kinds of budget. */
static void budgets_can_be_used_up(void **state)
{
    (void)state;
    for (int own = 0; own < 2; own++) {
        counting c;
        zb_memory memory;
        zb_arena arena;
        counting_init(&c, &memory);
        if (!own) memory.budget = 100000;
        zb_arena_init(&arena, &memory, own ? 100000 : 0);
        size_t taken = 0;
        while (zb_arena_take(&arena, 40, 8)) taken += 40;
        assert_int_equal(arena.failure, ZW_ERR_BUDGET);
        assert_true(arena.held <= 100000 && arena.held > 100000 - 100);
        assert_true(taken > 60000); /* the rest is headers and the gaps of the sanitizer */
        assert_null(zb_arena_take(&arena, SIZE_MAX, 1));
        assert_int_equal(arena.failure, ZW_ERR_BUDGET);

        /* after clearing, there is as much as before */
        zb_arena_clear(&arena);
        assert_int_equal(arena.failure, ZW_OK);
        size_t again = 0;
        while (zb_arena_take(&arena, 40, 8)) again += 40;
        assert_int_equal(again, taken);
        zb_arena_clear(&arena);
        assert_nothing_held(&c, &memory);
    }
}

static void one_large_piece_may_take_the_whole_budget(void **state)
{
    (void)state;
    zb_memory memory;
    zb_arena arena;
    zb_memory_init(&memory, NULL);
    zb_arena_init(&arena, &memory, 50000);
    assert_null(zb_arena_take(&arena, 50000, 1)); /* the header has no room */
    assert_int_equal(arena.failure, ZW_ERR_BUDGET);
    assert_non_null(zb_arena_take(&arena, 50000 - 64, 16));
    arena.budget = 10; /* lowered below what is held: refused, not wrapped round */
    assert_null(zb_arena_take(&arena, 5000, 1));
    zb_arena_clear(&arena);
    assert_int_equal(memory.held, 0);
}

/* Refusing every request in turn: NULL with the right status, nothing lost, nothing leaked. */
static void every_refusal_is_survived(void **state)
{
    (void)state;
    bool refused = true;
    for (int64_t k = 1; refused; k++) {
        counting c;
        zb_memory memory;
        zb_arena arena;
        counting_init(&c, &memory);
        c.refuse_at = k;
        zb_arena_init(&arena, &memory, 0);
        char *last = NULL, fill = 0;
        for (int i = 0; i < 500; i++) {
            size_t size = i % 100 == 99 ? 100000 : 200;
            arena.failure = ZW_OK;
            int64_t before = c.refused;
            char *bytes = zb_arena_take(&arena, size, 64);
            assert_true((bytes == NULL) == (c.refused > before));
            if (!bytes) assert_int_equal(arena.failure, ZW_ERR_MEMORY);
            if (bytes) memset(last = bytes, fill = (char)(i % 100), size);
        }
        assert_true(last[0] == fill && last[199] == fill);
        refused = c.refused > 0;
        if (k == 1) assert_true(refused);
        zb_arena_clear(&arena);
        assert_nothing_held(&c, &memory);
    }
}

/* A recursive pass without an error path of its own. */
static int64_t deep(zb_arena *arena, int depth)
{
    int64_t *cell = ZB_NEW(arena, int64_t);
    int64_t *row = ZB_NEW_ARRAY(arena, int64_t, 50);
    row[49] = *cell = depth;
    return depth == 0 ? 0 : row[49] + deep(arena, depth - 1);
}

/* Runs the pass; ZW_OK and its sum, or the status it escaped with. */
static zw_status run_pass(zb_arena *arena, int64_t *sum)
{
    jmp_buf escape;
    zb_mark mark = zb_arena_mark(arena);
    arena->failure = ZW_OK;
    arena->escape = &escape;
    if (setjmp(escape) == 0) *sum = deep(arena, 1000);
    arena->escape = NULL;
    zb_arena_release(arena, mark);
    return arena->failure;
}

static void escape_unwinds_to_one_place(void **state)
{
    (void)state;
    zw_status status = ZW_ERR_MEMORY;
    for (int64_t k = 1; status != ZW_OK; k++) {
        counting c;
        zb_memory memory;
        zb_arena arena;
        int64_t sum = -1;
        counting_init(&c, &memory);
        c.refuse_at = k;
        zb_arena_init(&arena, &memory, 0);
        status = run_pass(&arena, &sum);
        assert_int_equal(status, c.refused ? ZW_ERR_MEMORY : ZW_OK);
        assert_int_equal(sum, c.refused ? -1 : 500500);
        if (k == 1) assert_int_equal(status, ZW_ERR_MEMORY);
        assert_nothing_held(&c, &memory);

        /* the arena is not spoilt */
        c.refuse_at = 0;
        assert_int_equal(run_pass(&arena, &sum), ZW_OK);
        assert_int_equal(sum, 500500);
        assert_nothing_held(&c, &memory);
    }
}

static void escape_from_the_budget(void **state)
{
    (void)state;
    zb_memory memory;
    zb_arena arena;
    int64_t sum = -1;
    zb_memory_init(&memory, NULL);
    zb_arena_init(&arena, &memory, 20000);
    assert_int_equal(run_pass(&arena, &sum), ZW_ERR_BUDGET);
    assert_int_equal(sum, -1);
    assert_int_equal(memory.held, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_aligned_zeroed_and_apart),
        cmocka_unit_test(use_does_not_depend_on_addresses),
        cmocka_unit_test(chunks_grow_geometrically),
        cmocka_unit_test(large_pieces_do_not_waste_the_chunk),
        cmocka_unit_test(marks_give_back_what_came_after),
        cmocka_unit_test(empty_pieces_have_addresses_of_their_own),
        cmocka_unit_test(copies),
        cmocka_unit_test(steps_outside_are_found),
        cmocka_unit_test(bad_requests_are_refused),
        cmocka_unit_test(budgets_can_be_used_up),
        cmocka_unit_test(one_large_piece_may_take_the_whole_budget),
        cmocka_unit_test(every_refusal_is_survived),
        cmocka_unit_test(escape_unwinds_to_one_place),
        cmocka_unit_test(escape_from_the_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
