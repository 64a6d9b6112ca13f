/*
 * A team whose threads cannot be started: team.c once more, under other names, over thread_none.c.
 * The caller does all chunks, in their order, as worker 0.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define zb_thread_start alone_thread_start
#define zb_thread_join alone_thread_join
#define zb_processor_count alone_processor_count
#define zb_rest alone_rest
#define zb_mutex_init alone_mutex_init
#define zb_mutex_clear alone_mutex_clear
#define zb_mutex_lock alone_mutex_lock
#define zb_mutex_unlock alone_mutex_unlock
#define zb_condition_init alone_condition_init
#define zb_condition_clear alone_condition_clear
#define zb_condition_wait alone_condition_wait
#define zb_condition_wait_for alone_condition_wait_for
#define zb_condition_wake alone_condition_wake
#define zb_team_create alone_team_create
#define zb_team_free alone_team_free
#define zb_team_size alone_team_size
#define zb_team_do alone_team_do

#include "../../src/base/threads/team.c"
#include "../../src/base/threads/thread_none.c"

static void in_order(void *user, int32_t chunk, int32_t worker)
{
    int32_t *next = user;
    assert_int_equal(chunk, *next);
    assert_int_equal(worker, 0);
    ++*next;
}

static void the_caller_works(void **unused)
{
    (void)unused;
    zb_memory memory;
    zb_team *team = NULL;
    zb_memory_init(&memory, NULL);
    assert_int_equal(zb_team_create(&memory, 4, &team), ZW_OK);
    for (int run = 0; run < 3; run++) {
        int32_t next = 0;
        zb_team_do(team, in_order, &next, 100);
        assert_int_equal(next, 100);
    }
    zb_team_free(team);
    assert_int_equal(memory.held, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_caller_works)};
    return cmocka_run_group_tests_name("a team without threads", tests, NULL, NULL);
}
