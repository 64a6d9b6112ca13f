/*
 * Growable arrays: contents survive growth, capacity is told to the allocator exactly, numbers
 * beyond int32 are refused, a refusal loses nothing. test_small_tables.c compiles this file a
 * second time with arrays that begin with one place.
 */
#include "counting.h"

typedef struct point {
    double x, y;
    int32_t name;
} point;

static void pushes_are_kept_in_order(void **state)
{
    (void)state;
    counting c;
    zb_memory memory;
    counting_init(&c, &memory);
    ZB_ARRAY(int32_t) numbers = {0};
    ZB_ARRAY(point) points = {0};
    for (int32_t i = 0; i < 100000; i++) {
        assert_true(zb_array_push(&memory, &numbers, i * 3));
        assert_true(zb_array_push(&memory, &points, ((point){i, -i, i})));
        assert_true(numbers.count <= numbers.capacity);
    }
    for (int32_t i = 0; i < 100000; i++) {
        assert_int_equal(numbers.data[i], i * 3);
        assert_true(points.data[i].x == i && points.data[i].name == i);
    }
    assert_int_equal(memory.held, (size_t)numbers.capacity * sizeof(int32_t) +
                                      (size_t)points.capacity * sizeof(point));
    assert_true(c.requests < 60); /* doubling, not one by one */
    zb_array_free(&memory, &numbers);
    zb_array_free(&memory, &points);
    assert_null(numbers.data);
    assert_int_equal(numbers.capacity, 0);
    assert_nothing_held(&c, &memory);
}

static void first_capacity(void **state)
{
    (void)state;
    zb_memory memory;
    zb_memory_init(&memory, NULL);
    ZB_ARRAY(double) a = {0};
    assert_true(zb_array_push(&memory, &a, 1.5));
#ifdef ZB_SMALL_TABLES
    assert_int_equal(a.capacity, 1);
#else
    assert_int_equal(a.capacity, 8);
#endif
    zb_array_free(&memory, &a);
    zb_array_free(&memory, &a); /* twice does no harm */
    assert_int_equal(memory.held, 0);
}

static void reserve_makes_room_once(void **state)
{
    (void)state;
    counting c;
    zb_memory memory;
    counting_init(&c, &memory);
    ZB_ARRAY(int64_t) a = {0};
    assert_true(zb_array_reserve(&memory, &a, 0));
    assert_int_equal(c.requests, 0);
    assert_true(zb_array_reserve(&memory, &a, 1000));
    assert_int_equal(a.count, 0);
    assert_true(a.capacity >= 1000);
    const int64_t *data = a.data;
    for (int32_t i = 0; i < 1000; i++) assert_true(zb_array_push(&memory, &a, i));
    assert_int_equal(c.requests, 1);
    assert_ptr_equal(a.data, data);
    int calls = 0;
    assert_true(zb_array_reserve(&memory, &a, ++calls)); /* arguments are evaluated once */
    assert_int_equal(calls, 1);
    zb_array_free(&memory, &a);
    assert_nothing_held(&c, &memory);
}

/* The value may come from the array itself, though growing moves it. */
static void push_of_an_own_element(void **state)
{
    (void)state;
    counting c;
    zb_memory memory;
    counting_init(&c, &memory);
    ZB_ARRAY(int32_t) a = {0};
    assert_true(zb_array_push(&memory, &a, 42));
    for (int32_t i = 0; i < 100; i++) assert_true(zb_array_push(&memory, &a, a.data[0]));
    for (int32_t i = 0; i <= 100; i++) assert_int_equal(a.data[i], 42);
    zb_array_free(&memory, &a);
    assert_nothing_held(&c, &memory);
}

/* Arrays of pointers and of const pointers go through the same function. */
static void pointers_of_every_type(void **state)
{
    (void)state;
    zb_memory memory;
    zb_memory_init(&memory, NULL);
    ZB_ARRAY(const char *) names = {0};
    ZB_ARRAY(double **) deep = {0};
    double x = 1, *px = &x;
    for (int i = 0; i < 100; i++) {
        assert_true(zb_array_push(&memory, &names, "name"));
        assert_true(zb_array_push(&memory, &deep, &px));
    }
    assert_string_equal(names.data[99], "name");
    assert_true(**deep.data[99] == 1);
    zb_array_free(&memory, &names);
    zb_array_free(&memory, &deep);
    assert_int_equal(memory.held, 0);
}

static void more_than_int32_is_refused(void **state)
{
    (void)state;
    counting c;
    zb_memory memory;
    counting_init(&c, &memory);
    ZB_ARRAY(char) a = {0};
    assert_true(zb_array_push(&memory, &a, 'a'));
    int64_t requests = c.requests;
    assert_false(zb_array_reserve(&memory, &a, INT32_MAX));
    assert_int_equal(memory.failure, ZW_ERR_MEMORY);
    memory.failure = ZW_OK;
    assert_false(zb_array_reserve(&memory, &a, -1));
    assert_int_equal(memory.failure, ZW_ERR_MEMORY);
    assert_int_equal(c.requests, requests);
    assert_int_equal(a.data[0], 'a');
    zb_array_free(&memory, &a);
    assert_nothing_held(&c, &memory);
}

/* An allocator that grants everything and gives one and the same place: for sizes that no test
 * can really hold. It notes the last size asked for. */
static void *pretend(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)block;
    (void)old_size;
    *(size_t *)user = new_size;
    return new_size == 0 ? NULL : user;
}

static void capacity_ends_at_int32_max(void **state)
{
    (void)state;
    size_t asked = 0;
    zb_memory memory;
    zb_memory_init(&memory, &(zw_allocator){.resize = pretend, .user = &asked});
    ZB_ARRAY(point) a = {0};
    assert_true(zb_array_reserve(&memory, &a, INT32_MAX / 2 + 10));
    a.count = a.capacity;
    assert_true(zb_array_reserve(&memory, &a, 1));
    assert_int_equal(a.capacity, INT32_MAX);
    assert_int_equal(asked, (size_t)INT32_MAX * sizeof(point));
    a.count = INT32_MAX;
    bool pushed = zb_array_push(&memory, &a, ((point){0}));
    assert_false(pushed);
    assert_int_equal(a.count, INT32_MAX);
    zb_array_free(&memory, &a);
    assert_int_equal(memory.held, 0);
}

static void elements_too_large_to_count_are_refused(void **state)
{
    (void)state;
    counting c;
    zb_memory memory;
    counting_init(&c, &memory);
    void *data = NULL;
    int32_t capacity = 0;
    assert_false(zb_array_grow(&memory, &data, &capacity, 0, 2, SIZE_MAX / 2 + 1));
    assert_int_equal(memory.failure, ZW_ERR_MEMORY);
    assert_null(data);
    assert_int_equal(capacity, 0);
    assert_nothing_held(&c, &memory);
}

/* Near the budget growth is smaller, so the budget is used to the last element. */
static void budget_is_used_to_the_end(void **state)
{
    (void)state;
    counting c;
    zb_memory memory;
    counting_init(&c, &memory);
    memory.budget = 1000 * sizeof(double) + 3;
    ZB_ARRAY(double) a = {0};
    while (zb_array_push(&memory, &a, a.count))
        ;
    assert_int_equal(memory.failure, ZW_ERR_BUDGET);
    assert_int_equal(a.count, 1000);
    assert_true(c.requests < 20); /* not one by one */
    for (int32_t i = 0; i < a.count; i++) assert_true(a.data[i] == i);
    zb_array_free(&memory, &a);
    assert_nothing_held(&c, &memory);
}

static void every_refusal_is_survived(void **state)
{
    (void)state;
    bool refused = true;
    for (int64_t k = 1; refused; k++) {
        counting c;
        zb_memory memory;
        counting_init(&c, &memory);
        c.refuse_at = k;
        ZB_ARRAY(int32_t) a = {0};
        for (int32_t i = 0; i < 5000; i++) {
            int64_t before = c.refused;
            bool pushed = zb_array_push(&memory, &a, i);
            assert_true(pushed == (c.refused == before));
            if (!pushed) {
                assert_int_equal(memory.failure, ZW_ERR_MEMORY);
                assert_true(zb_array_push(&memory, &a, i));
            }
        }
        assert_int_equal(a.count, 5000);
        for (int32_t i = 0; i < 5000; i++) assert_int_equal(a.data[i], i);
        refused = c.refused > 0;
        if (k == 1) assert_true(refused);
        zb_array_free(&memory, &a);
        assert_nothing_held(&c, &memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pushes_are_kept_in_order),
        cmocka_unit_test(first_capacity),
        cmocka_unit_test(reserve_makes_room_once),
        cmocka_unit_test(push_of_an_own_element),
        cmocka_unit_test(pointers_of_every_type),
        cmocka_unit_test(more_than_int32_is_refused),
        cmocka_unit_test(capacity_ends_at_int32_max),
        cmocka_unit_test(elements_too_large_to_count_are_refused),
        cmocka_unit_test(budget_is_used_to_the_end),
        cmocka_unit_test(every_refusal_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
