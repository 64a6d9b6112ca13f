/*
 * The clock of base: it does not go back, and it counts seconds; waits that end by themselves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "clock.h"
#include "thread.h"

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

typedef struct bell {
    zb_mutex mutex;
    zb_condition condition;
} bell;

/* The lock is free once the other one waits. */
static void ring(void *user)
{
    bell *b = user;
    zb_mutex_lock(&b->mutex);
    zb_condition_wake(&b->condition);
    zb_mutex_unlock(&b->mutex);
}

/* One that nobody wakes ends after its time, also beyond a second's end; one that somebody does,
 * before (or it has woken without reason, which is allowed). */
static void waits_end(void **state)
{
    (void)state;
    bell b;
    zb_thread thread;
    assert_true(zb_mutex_init(&b.mutex) && zb_condition_init(&b.condition));
    zb_mutex_lock(&b.mutex);
    double before = zb_clock();
    for (int i = 0; i < 60; i++) zb_condition_wait_for(&b.condition, &b.mutex, 0.02);
    assert_true(zb_clock() - before > 1.0);
    assert_true(zb_thread_start(&thread, ring, &b));
    before = zb_clock();
    zb_condition_wait_for(&b.condition, &b.mutex, 30.0);
    assert_true(zb_clock() - before < 25.0);
    zb_mutex_unlock(&b.mutex);
    zb_thread_join(&thread);
    zb_condition_clear(&b.condition);
    zb_mutex_clear(&b.mutex);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(never_goes_back),
        cmocka_unit_test(counts_seconds),
        cmocka_unit_test(waits_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
