/*
 * zb_memory: exact accounting, budgets, and what happens to the old block when a request is
 * refused.
 */
#include "counting.h"

static void held_follows_every_resize(void **state)
{
    (void)state;
    counting c;
    zb_memory memory;
    counting_init(&c, &memory);
    char *a = zb_resize(&memory, NULL, 0, 100);
    char *b = zb_resize(&memory, NULL, 777, 50); /* the old size of no block is nothing */
    assert_int_equal(memory.held, 150);
    memcpy(a, "abcdefgh", 8);
    a = zb_resize(&memory, a, 100, 1000);
    assert_int_equal(memory.held, 1050);
    assert_memory_equal(a, "abcdefgh", 8);
    a = zb_resize(&memory, a, 1000, 4);
    assert_int_equal(memory.held, 54);
    assert_memory_equal(a, "abcd", 4);
    assert_int_equal(c.bytes, memory.held);
    assert_null(zb_resize(&memory, a, 4, 0));
    assert_null(zb_resize(&memory, b, 50, 0));
    assert_nothing_held(&c, &memory);
    assert_int_equal(memory.failure, ZW_OK);
}

static void releasing_nothing_does_nothing(void **state)
{
    (void)state;
    counting c;
    zb_memory memory;
    counting_init(&c, &memory);
    assert_null(zb_resize(&memory, NULL, 0, 0));
    assert_null(zb_resize(&memory, NULL, 12, 0));
    assert_int_equal(c.requests, 0);
    assert_nothing_held(&c, &memory);
}

static void budget_is_exact(void **state)
{
    (void)state;
    counting c;
    zb_memory memory;
    counting_init(&c, &memory);
    memory.budget = 100;
    assert_int_equal(zb_room(&memory), 100);
    char *a = zb_resize(&memory, NULL, 0, 60);
    assert_non_null(a);
    assert_null(zb_resize(&memory, NULL, 0, 41));
    assert_int_equal(memory.failure, ZW_ERR_BUDGET);
    assert_int_equal(c.requests, 1); /* the allocator was not even asked */
    char *b = zb_resize(&memory, NULL, 0, 40);
    assert_non_null(b);
    assert_int_equal(zb_room(&memory), 0);

    /* growing counts only the difference; a refusal leaves the block as it was */
    b[39] = 'x';
    assert_null(zb_resize(&memory, b, 40, 41));
    assert_int_equal(b[39], 'x');
    assert_int_equal(memory.held, 100);
    b = zb_resize(&memory, b, 40, 10);
    a = zb_resize(&memory, a, 60, 90);
    assert_non_null(a);
    zb_resize(&memory, a, 90, 0);
    zb_resize(&memory, b, 10, 0);
    assert_nothing_held(&c, &memory);
}

static void budget_below_what_is_held(void **state)
{
    (void)state;
    counting c;
    zb_memory memory;
    counting_init(&c, &memory);
    char *a = zb_resize(&memory, NULL, 0, 1000);
    memory.budget = 10;
    assert_int_equal(zb_room(&memory), 0);
    assert_null(zb_resize(&memory, NULL, 0, 1));
    assert_null(zb_resize(&memory, a, 1000, 1001));
    assert_int_equal(memory.failure, ZW_ERR_BUDGET);
    a = zb_resize(&memory, a, 1000, 500); /* smaller is always allowed */
    assert_non_null(a);
    zb_resize(&memory, a, 500, 0);
    assert_nothing_held(&c, &memory);
    assert_int_equal(zb_room(&memory), 10);
}

static void refusal_of_the_allocator(void **state)
{
    (void)state;
    counting c;
    zb_memory memory;
    counting_init(&c, &memory);
    char *a = zb_resize(&memory, NULL, 0, 8);
    memcpy(a, "12345678", 8);
    c.refuse_at = 2;
    assert_null(zb_resize(&memory, a, 8, 16));
    assert_int_equal(memory.failure, ZW_ERR_MEMORY);
    assert_int_equal(memory.held, 8);
    assert_memory_equal(a, "12345678", 8);
    zb_resize(&memory, a, 8, 0);
    assert_nothing_held(&c, &memory);
}

static void sizes_that_cannot_be(void **state)
{
    (void)state;
    counting c;
    zb_memory memory;
    counting_init(&c, &memory);
    assert_null(zb_resize(&memory, NULL, 0, SIZE_MAX));
    assert_int_equal(memory.failure, ZW_ERR_MEMORY);
    assert_null(zb_resize(&memory, NULL, 0, (size_t)PTRDIFF_MAX + 1));
    assert_int_equal(c.requests, 0);
    memory.budget = SIZE_MAX - 1;
    assert_null(zb_resize(&memory, NULL, 0, SIZE_MAX));
    assert_int_equal(memory.failure, ZW_ERR_BUDGET);
    assert_int_equal(memory.held, 0);
}

static void products_and_sums_saturate(void **state)
{
    (void)state;
    assert_int_equal(zb_product(6, 7), 42);
    assert_int_equal(zb_product(0, SIZE_MAX), 0);
    assert_int_equal(zb_product(SIZE_MAX, 0), 0);
    assert_int_equal(zb_product(SIZE_MAX, 1), SIZE_MAX);
    assert_int_equal(zb_product(SIZE_MAX / 2, 2), SIZE_MAX - 1);
    assert_int_equal(zb_product(SIZE_MAX / 2 + 1, 2), SIZE_MAX);
    assert_int_equal(zb_product((size_t)-5, 8), SIZE_MAX);
    assert_int_equal(zb_sum(1, 2), 3);
    assert_int_equal(zb_sum(SIZE_MAX - 1, 1), SIZE_MAX);
    assert_int_equal(zb_sum(SIZE_MAX, 1), SIZE_MAX);
    assert_int_equal(zb_sum(SIZE_MAX, SIZE_MAX), SIZE_MAX);
}

static void standard_allocator(void **state)
{
    (void)state;
    zb_memory memory;
    zb_memory_init(&memory, NULL);
    int *a = zb_resize(&memory, NULL, 0, 10 * sizeof *a);
    a[9] = 3;
    a = zb_resize(&memory, a, 10 * sizeof *a, 100000 * sizeof *a);
    assert_int_equal(a[9], 3);
    assert_int_equal(memory.held, 100000 * sizeof *a);
    zb_resize(&memory, a, memory.held, 0);
    assert_int_equal(memory.held, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(held_follows_every_resize),
        cmocka_unit_test(releasing_nothing_does_nothing),
        cmocka_unit_test(budget_is_exact),
        cmocka_unit_test(budget_below_what_is_held),
        cmocka_unit_test(refusal_of_the_allocator),
        cmocka_unit_test(sizes_that_cannot_be),
        cmocka_unit_test(products_and_sums_saturate),
        cmocka_unit_test(standard_allocator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
