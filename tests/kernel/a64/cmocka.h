/*
 * In place of cmocka where there is none for the processor: as much of it as the tests of kernel
 * use. Tests run one after the other; the first that fails ends the program with 1.
 */
#ifndef ZWANG_CMOCKA_STAND_IN_H
#define ZWANG_CMOCKA_STAND_IN_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*test)(void **state);
    int (*setup)(void **state), (*teardown)(void **state);
};

#define cmocka_unit_test(f)                                                                        \
    {                                                                                              \
#f, f, NULL, NULL                                                                          \
    }
#define cmocka_unit_test_setup_teardown(f, setup, teardown)                                        \
    {                                                                                              \
#f, f, setup, teardown                                                                     \
    }

#define print_message(...) printf(__VA_ARGS__)
#define fail_msg(...)                                                                              \
    (printf("%s:%d: ", __FILE__, __LINE__), printf(__VA_ARGS__), printf("\n"), exit(1))
#define fail() fail_msg("failed")
#define assert_true(x) ((x) ? (void)0 : fail_msg("%s", #x))
#define assert_false(x) assert_true(!(x))
#define assert_null(x) assert_true((x) == NULL)
#define assert_non_null(x) assert_true((x) != NULL)
#define assert_int_equal(a, b) assert_true((intmax_t)(a) == (intmax_t)(b))
#define assert_int_not_equal(a, b) assert_true((intmax_t)(a) != (intmax_t)(b))
#define assert_string_equal(a, b) assert_true(strcmp(a, b) == 0)
#define assert_memory_equal(a, b, size) assert_true(memcmp(a, b, size) == 0)

static inline int run_tests(const char *title, const struct CMUnitTest *tests, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *state = NULL;
        if (tests[i].setup && tests[i].setup(&state) != 0) fail_msg("%s: setup", tests[i].name);
        tests[i].test(&state);
        if (tests[i].teardown && tests[i].teardown(&state) != 0)
            fail_msg("%s: teardown", tests[i].name);
        printf("ok %s: %s\n", title, tests[i].name);
    }
    return 0;
}
#define cmocka_run_group_tests_name(title, tests, setup, teardown)                                 \
    run_tests(title, tests, sizeof(tests) / sizeof *(tests))

#endif
