/*
 * The table: a million entries are found and nothing else is; entries with equal hashes are
 * kept apart by the callback; the same insertions give the same table; every refusal leaves
 * it as it was.
 */
#include "counting.h"

/* Hash-consing as the expression pool does it: nodes are pairs, equal pairs get one index. */
typedef struct node {
    int32_t left, right;
} node;

static bool same_node(const void *pool, const void *key, int32_t index)
{
    const node *nodes = pool, *sought = key;
    return nodes[index].left == sought->left && nodes[index].right == sought->right;
}

static uint64_t hash_node(node n)
{
    return zb_hash_mix(zb_hash_mix(0, (uint64_t)n.left), (uint64_t)n.right);
}

static void a_million_entries(void **state)
{
    (void)state;
    enum { N = 1000000 };
    static node nodes[N];
    counting c;
    zb_memory memory;
    counting_init(&c, &memory);
    zb_table table = {0};
    for (int32_t i = 0; i < N; i++) {
        nodes[i] = (node){i % 1000, i / 1000};
        uint64_t hash = hash_node(nodes[i]);
        assert_int_equal(zb_table_find(&table, hash, same_node, nodes, &nodes[i]), -1);
        assert_true(zb_table_insert(&memory, &table, hash, i));
    }
    assert_int_equal(table.count, N);
    for (int32_t i = 0; i < N; i++) {
        node key = nodes[i], missing = {key.left, key.right + 1000};
        if (zb_table_find(&table, hash_node(key), same_node, nodes, &key) != i)
            fail_msg("entry %d was not found", i);
        if (zb_table_find(&table, hash_node(missing), same_node, nodes, &missing) != -1)
            fail_msg("found what is not there");
    }
    assert_int_equal(memory.held, table.capacity * sizeof(zb_slot));
    assert_true(table.capacity * sizeof(zb_slot) <= 26u * N); /* bytes an entry */
    zb_table_free(&memory, &table);
    assert_null(table.slots);
    assert_nothing_held(&c, &memory);
}

static bool same_number(const void *pool, const void *key, int32_t index)
{
    const int32_t *numbers = pool, *sought = key;
    return numbers[index] == *sought;
}

/* All entries have one hash: slow, but right. */
static void colliding_hashes(void **state)
{
    (void)state;
    enum { N = 2000 };
    static int32_t numbers[N];
    static const uint64_t hashes[] = {0, UINT64_MAX, 12345};
    for (size_t h = 0; h < 3; h++) {
        counting c;
        zb_memory memory;
        counting_init(&c, &memory);
        zb_table table = {0};
        for (int32_t i = 0; i < N; i++) {
            numbers[i] = i * 7;
            assert_true(zb_table_insert(&memory, &table, hashes[h], i));
        }
        for (int32_t i = 0; i < N; i++) {
            int32_t missing = i * 7 + 1;
            assert_int_equal(zb_table_find(&table, hashes[h], same_number, numbers, &numbers[i]),
                             i);
            assert_int_equal(zb_table_find(&table, hashes[h], same_number, numbers, &missing), -1);
        }
        zb_table_free(&memory, &table);
        assert_nothing_held(&c, &memory);
    }
}

/* Hashes that are not mixed at all, as from a careless caller, do not make it slow: comparisons
 * are counted. */
static int64_t comparisons;

static bool same_counted(const void *pool, const void *key, int32_t index)
{
    comparisons++;
    return same_number(pool, key, index);
}

static void poor_hashes(void **state)
{
    (void)state;
    enum { N = 50000 };
    static int32_t numbers[N];
    for (int shift = 0; shift <= 48; shift += 16) {
        zb_memory memory;
        zb_memory_init(&memory, NULL);
        zb_table table = {0};
        comparisons = 0;
        for (int32_t i = 0; i < N; i++) {
            numbers[i] = i;
            uint64_t hash = (uint64_t)(i % 65536) << shift;
            assert_int_equal(zb_table_find(&table, hash, same_counted, numbers, &i), -1);
            assert_true(zb_table_insert(&memory, &table, hash, i));
        }
        assert_true(comparisons < 100);
        zb_table_free(&memory, &table);
        assert_int_equal(memory.held, 0);
    }
}

static bool same_always(const void *pool, const void *key, int32_t index)
{
    (void)pool;
    (void)key;
    (void)index;
    return true;
}

/* Of several entries that are the same, the first inserted is found, before and after growth,
 * also where the probe sequence runs over the end of the table. */
static void first_inserted_is_found(void **state)
{
    (void)state;
    zb_memory memory;
    zb_memory_init(&memory, NULL);
    for (uint64_t hash = 0; hash < 500; hash++) {
        zb_table table = {0};
        for (int32_t i = 0; i < 40; i++) {
            assert_true(zb_table_insert(&memory, &table, hash, 100 + i));
            assert_true(zb_table_insert(&memory, &table, hash + 1000 + (uint64_t)i, i));
            assert_int_equal(zb_table_find(&table, hash, same_always, NULL, NULL), 100);
        }
        zb_table_free(&memory, &table);
    }
    assert_int_equal(memory.held, 0);
}

/* The same insertions give the same slots, whatever the addresses. */
static void tables_are_reproducible(void **state)
{
    (void)state;
    zb_memory memory[2];
    counting c[2];
    zb_table table[2] = {{0}, {0}};
    for (int t = 0; t < 2; t++) {
        counting_init(&c[t], &memory[t]);
        c[t].spread = t == 0 ? 0 : 1024;
        for (int32_t i = 0; i < 10000; i++)
            assert_true(zb_table_insert(&memory[t], &table[t], zb_hash_mix(9, (uint64_t)i), i));
    }
    assert_int_equal(table[0].capacity, table[1].capacity);
    assert_memory_equal(table[0].slots, table[1].slots, table[0].capacity * sizeof(zb_slot));
    for (int t = 0; t < 2; t++) {
        zb_table_free(&memory[t], &table[t]);
        assert_nothing_held(&c[t], &memory[t]);
    }
}

static void empty_tables(void **state)
{
    (void)state;
    zb_memory memory;
    zb_memory_init(&memory, NULL);
    zb_table table = {0};
    assert_int_equal(zb_table_find(&table, 1, same_always, NULL, NULL), -1);
    zb_table_clear(&table);
    zb_table_free(&memory, &table);
    assert_true(zb_table_insert(&memory, &table, 1, 0)); /* index 0 is an entry */
    assert_int_equal(zb_table_find(&table, 1, same_always, NULL, NULL), 0);
    zb_table_clear(&table);
    assert_int_equal(table.count, 0);
    assert_true(table.capacity > 0);
    assert_int_equal(zb_table_find(&table, 1, same_always, NULL, NULL), -1);
    assert_true(zb_table_insert(&memory, &table, 1, 5));
    assert_int_equal(zb_table_find(&table, 1, same_always, NULL, NULL), 5);
    zb_table_free(&memory, &table);
    assert_int_equal(memory.held, 0);
}

static void reserve_makes_room_once(void **state)
{
    (void)state;
    counting c;
    zb_memory memory;
    counting_init(&c, &memory);
    zb_table table = {0};
    assert_true(zb_table_reserve(&memory, &table, 10000));
    for (int32_t i = 0; i < 10000; i++)
        assert_true(zb_table_insert(&memory, &table, (uint64_t)i, i));
    assert_int_equal(c.requests, 1);
    assert_true(zb_table_reserve(&memory, &table, 0));
    assert_int_equal(c.requests, 1);
    memory.budget = 1u << 20; /* the largest tables would need tens of gigabytes */
    assert_false(zb_table_reserve(&memory, &table, INT32_MAX));
    assert_int_equal(memory.failure, ZW_ERR_MEMORY);
    assert_false(zb_table_reserve(&memory, &table, -1));
    assert_int_equal(memory.failure, ZW_ERR_MEMORY);
    assert_false(zb_table_reserve(&memory, &table, INT32_MAX - 10000));
    assert_int_equal(memory.failure, ZW_ERR_BUDGET);
    assert_int_equal(c.requests, 1);
    zb_table_free(&memory, &table);
    assert_nothing_held(&c, &memory);
}

static void every_refusal_is_survived(void **state)
{
    (void)state;
    static int32_t numbers[3000];
    bool refused = true;
    for (int64_t k = 1; refused; k++) {
        counting c;
        zb_memory memory;
        counting_init(&c, &memory);
        c.refuse_at = k;
        zb_table table = {0};
        for (int32_t i = 0; i < 3000; i++) {
            numbers[i] = i;
            int64_t before = c.refused;
            bool inserted = zb_table_insert(&memory, &table, (uint64_t)i, i);
            assert_true(inserted == (c.refused == before));
            if (!inserted) {
                assert_int_equal(memory.failure, ZW_ERR_MEMORY);
                assert_int_equal(table.count, i);
                assert_true(zb_table_insert(&memory, &table, (uint64_t)i, i));
            }
        }
        for (int32_t i = 0; i < 3000; i++)
            assert_int_equal(zb_table_find(&table, (uint64_t)i, same_number, numbers, &i), i);
        refused = c.refused > 0;
        if (k == 1) assert_true(refused);
        zb_table_free(&memory, &table);
        assert_nothing_held(&c, &memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_million_entries),
        cmocka_unit_test(colliding_hashes),
        cmocka_unit_test(poor_hashes),
        cmocka_unit_test(first_inserted_is_found),
        cmocka_unit_test(tables_are_reproducible),
        cmocka_unit_test(empty_tables),
        cmocka_unit_test(reserve_makes_room_once),
        cmocka_unit_test(every_refusal_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
