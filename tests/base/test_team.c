/*
 * Teams: every chunk is run once, whatever the size; no two workers have the same number at the
 * same time; results of runs that follow each other are all there when a run returns; several
 * threads take part; without threads, or when none can be started, the caller does the work.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base.h"

enum { chunks = 1000, most = 8 };

typedef struct sheet {
    int32_t size;
    int32_t done[chunks]; /* plain: a chunk that two threads ran, or one not awaited, is a race */
    int64_t sum[most];    /* of each worker, plain for the same reason */
    _Atomic int32_t taken[most];
    _Atomic int32_t wrong;
} sheet;

/* No assertion here: it may be another thread than the test's. */
static void fill(void *user, int32_t chunk, int32_t worker)
{
    sheet *s = user;
    if (worker < 0 || worker >= s->size || atomic_fetch_add(&s->taken[worker], 1) != 0) {
        s->wrong++;
        return;
    }
    s->done[chunk]++;
    s->sum[worker] += chunk;
    s->taken[worker]--;
}

static void every_chunk_once(void **unused)
{
    (void)unused;
    for (int32_t size = 0; size <= most; size++) {
        zb_memory memory;
        zb_team *team = NULL;
        sheet s = {.size = size > 0 ? size : 1};
        zb_memory_init(&memory, NULL);
        assert_int_equal(zb_team_create(&memory, size, &team), ZW_OK);
        assert_int_equal(zb_team_size(team), s.size);
        int64_t sum = 0, all = 0;
        for (int32_t run = 1; run <= 60; run++) {
            int32_t count = run % 10 == 0 ? run / 10 - 1 : chunks - run;
            zb_team_do(team, fill, &s, count);
            for (int32_t k = 0; k < count; k++) sum += k;
        }
        assert_int_equal(s.wrong, 0);
        for (int32_t w = 0; w < s.size; w++) all += s.sum[w];
        assert_int_equal(all, sum);
        for (int32_t k = 0; k < 900; k++)
            assert_int_equal(s.done[k], 54 + (k < 5) + (k < 4) + (k < 3) + (k < 2) + (k < 1));
        zb_team_free(team);
        assert_int_equal(memory.held, 0);
    }
}

static void nobody(void **unused)
{
    (void)unused;
    sheet s = {.size = 1};
    zb_team_free(NULL);
    assert_int_equal(zb_team_size(NULL), 1);
    zb_team_do(NULL, fill, &s, chunks);
    for (int32_t k = 0; k < chunks; k++) assert_int_equal(s.done[k], 1);
}

/* A team that never ran has no threads to end. */
static void never_run(void **unused)
{
    (void)unused;
    zb_memory memory;
    zb_team *team = NULL;
    zb_memory_init(&memory, NULL);
    assert_int_equal(zb_team_create(&memory, 3, &team), ZW_OK);
    zb_team_free(team);
    assert_int_equal(memory.held, 0);
}

typedef struct meeting {
    _Atomic int32_t here, met;
} meeting;

/* Stays, up to ten seconds, until three are in their chunks at the same time. */
static void meet(void *user, int32_t chunk, int32_t worker)
{
    meeting *m = user;
    (void)chunk, (void)worker;
    m->here++;
    for (int k = 0; k < 10000 && m->here < 3; k++) zb_rest(0.001);
    if (m->here >= 3)
        m->met++;
    else
        m->here--;
}

static void nothing(void *user)
{
    (void)user;
}

static void threads_take_part(void **unused)
{
    (void)unused;
    zb_memory memory;
    zb_team *team = NULL;
    zb_thread probe;
    meeting m = {.here = 0};
    if (!zb_thread_start(&probe, nothing, NULL)) return; /* a build without threads */
    zb_thread_join(&probe);
    zb_memory_init(&memory, NULL);
    assert_int_equal(zb_team_create(&memory, 3, &team), ZW_OK);
    zb_team_do(team, meet, &m, 3);
    assert_int_equal(m.met, 3);
    zb_team_free(team);
}

static void *refuse(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)user, (void)block, (void)old_size, (void)new_size;
    return NULL;
}

static void no_memory(void **unused)
{
    (void)unused;
    zb_memory memory;
    zb_team *team = NULL;
    zb_memory_init(&memory, &(zw_allocator){.resize = refuse});
    assert_int_equal(zb_team_create(&memory, 3, &team), ZW_ERR_MEMORY);
    assert_null(team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_chunk_once), cmocka_unit_test(nobody),
        cmocka_unit_test(never_run),        cmocka_unit_test(threads_take_part),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests_name("teams", tests, NULL, NULL);
}
