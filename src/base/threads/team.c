/*
 * A team of threads. A job is opened and closed under the lock; in between workers take the next
 * chunk until there is none. A worker that comes late finds the job closed and goes back to wait.
 * The caller closes it when no chunk is left and waits only for those inside.
 *
 *     round    counts jobs; a worker waits until it is another than the one it saw last
 *     open     a job may be entered
 *     inside   workers in it, without the caller
 *
 * Waiting is first a look again and again, a few microseconds long, then sleep: a thread that spins
 * takes the processor from those that work. Memory is taken at create.
 */
#include "team.h"

#include <stdatomic.h>

#include "thread.h"

enum { looks = 200, most_workers = 1024 }; /* looks before sleep */

/* A worker other than the caller. */
typedef struct helper {
    zb_thread thread;
    zb_team *team;
    int32_t number;
} helper;

struct zb_team {
    zb_memory *memory;
    int32_t size, started;
    bool tried; /* to start them */
    zb_mutex lock;
    zb_condition begins, ends;
    _Atomic uint32_t round; /* changes under the lock, as do: */
    _Atomic int32_t inside;
    bool open, over;
    zb_team_work work; /* of the job that is open */
    void *user;
    int32_t chunks;
    _Atomic int32_t next; /* chunk */
    helper helpers[];     /* [size - 1] */
};

/* What a team of that size takes, its helpers included. */
static size_t team_bytes(int32_t size)
{
    return sizeof(zb_team) + (size_t)(size - 1) * sizeof(helper);
}

/* Tells the processor that this is a loop that waits. */
static void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* --------------------------------------------------------------------- workers */

/* Does chunks of the open job until none is left. */
static void take_chunks(zb_team *t, int32_t worker)
{
    zb_team_work work = t->work;
    void *user = t->user;
    int32_t chunks = t->chunks, chunk;
    while ((chunk = atomic_fetch_add(&t->next, 1)) < chunks) work(user, chunk, worker);
}

/* Waits for another round than `seen`; returns with the lock held. */
static void await_round(zb_team *t, uint32_t seen)
{
    for (int k = 0; k < looks && t->round == seen; k++) pause_briefly();
    zb_mutex_lock(&t->lock);
    while (t->round == seen) zb_condition_wait(&t->begins, &t->lock);
}

/* The life of a helper: wait for a round, take part where its job is
 * still open, until the team is over. */
static void serve_team(void *user)
{
    helper *h = user;
    zb_team *t = h->team;
    uint32_t seen = 0;
    for (;;) {
        await_round(t, seen);
        bool enters = t->open, over = t->over;
        seen = t->round;
        if (enters) t->inside++;
        zb_mutex_unlock(&t->lock);
        if (over) return;
        if (!enters) continue;
        take_chunks(t, h->number);
        zb_mutex_lock(&t->lock);
        if (--t->inside == 0) zb_condition_wake(&t->ends);
        zb_mutex_unlock(&t->lock);
    }
}

/* Wakes all who wait for work; with the lock held. */
static void begin_round(zb_team *t)
{
    t->round++;
    zb_condition_wake(&t->begins);
}

/* ------------------------------------------------------------------------ team */

/* The lock and both conditions, or none of them: false. */
static bool init_locks(zb_team *t)
{
    if (!zb_mutex_init(&t->lock)) return false;
    if (zb_condition_init(&t->begins)) {
        if (zb_condition_init(&t->ends)) return true;
        zb_condition_clear(&t->begins);
    }
    zb_mutex_clear(&t->lock);
    return false;
}

/* Threads are not started here: a team that never gets a job of
 * two chunks costs its memory only. */
zw_status zb_team_create(zb_memory *memory, int32_t size, zb_team **team)
{
    if (size < 1) size = 1;
    if (size > most_workers) size = most_workers;
    zb_team *t = zb_resize(memory, NULL, 0, team_bytes(size));
    if (!t) return memory->failure;
    *t = (zb_team){.memory = memory, .size = size};
    for (int32_t k = 0; k < size - 1; k++) t->helpers[k] = (helper){.team = t, .number = k + 1};
    if (!init_locks(t)) {
        zb_resize(memory, t, team_bytes(size), 0);
        return ZW_ERR_MEMORY;
    }
    *team = t;
    return ZW_OK;
}

/* A last round in which there is nothing to do but to end. */
void zb_team_free(zb_team *t)
{
    if (!t) return;
    zb_mutex_lock(&t->lock);
    t->over = true;
    begin_round(t);
    zb_mutex_unlock(&t->lock);
    for (int32_t k = 0; k < t->started; k++) zb_thread_join(&t->helpers[k].thread);
    zb_condition_clear(&t->ends);
    zb_condition_clear(&t->begins);
    zb_mutex_clear(&t->lock);
    zb_resize(t->memory, t, team_bytes(t->size), 0);
}

int32_t zb_team_size(const zb_team *t)
{
    return t ? t->size : 1;
}

/* As many as the system grants; asked for once. */
static void start_helpers(zb_team *t)
{
    t->tried = true;
    while (t->started < t->size - 1) {
        helper *h = &t->helpers[t->started];
        if (!zb_thread_start(&h->thread, serve_team, h)) break;
        t->started++;
    }
}

/* No chunk is left: those inside finish theirs. */
static void close_job(zb_team *t)
{
    zb_mutex_lock(&t->lock);
    t->open = false;
    zb_mutex_unlock(&t->lock);
    for (int k = 0; k < looks && t->inside > 0; k++) pause_briefly();
    zb_mutex_lock(&t->lock);
    while (t->inside > 0) zb_condition_wait(&t->ends, &t->lock);
    zb_mutex_unlock(&t->lock);
}

/* Without threads, or with one chunk only, the caller does the chunks in their order. */
void zb_team_do(zb_team *t, zb_team_work work, void *user, int32_t chunks)
{
    if (t && chunks > 1 && !t->tried) start_helpers(t);
    if (!t || chunks < 2 || t->started == 0) {
        for (int32_t k = 0; k < chunks; k++) work(user, k, 0);
        return;
    }
    zb_mutex_lock(&t->lock);
    t->work = work;
    t->user = user;
    t->chunks = chunks;
    t->next = 0;
    t->open = true;
    begin_round(t);
    zb_mutex_unlock(&t->lock);
    take_chunks(t, 0);
    close_job(t);
}
