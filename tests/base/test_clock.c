/*
 * The clock of base: it does not go back, and it counts seconds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "clock.h"

static void never_goes_back(void **state)
{
    (void)state;
    double before = zb_clock();
    for (int i = 0; i < 1000; i++) {
        double now = zb_clock();
        assert_true(now >= before);
        before = now;
    }
}

/* A sleep is never shorter than asked for; a machine under load may make it much longer. */
static void counts_seconds(void **state)
{
    (void)state;
    const struct timespec wanted = {.tv_nsec = 20000000};
    double before = zb_clock();
    assert_int_equal(nanosleep(&wanted, NULL), 0);
    double passed = zb_clock() - before;
    assert_true(passed >= 0.0199);
    assert_true(passed < 19.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(never_goes_back),
        cmocka_unit_test(counts_seconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
