/*
 * Threads that compute batches. The calling thread asks the caller for batches, a few more than there
 * are threads so that none has to wait, takes blocks as they come and hands them to the caller: all
 * of the caller's functions run in its own thread. Who has nothing to do waits: a thread until there is
 * a batch, the caller until there is a block, or it is time to ask whether to go on.
 *
 * Where no thread can be started the calling thread computes itself.
 */
#include <stdlib.h>

#include "worker.h"

enum { most_threads = 1024, deep = 2 };
static const double pause = 0.001; /* seconds between two calls of poll */
static const double nap = 0.05;    /* of a thread that has no batch, at most */

/* A batch on its way. */
typedef enum seat_state { SEAT_FREE, SEAT_WAITS, SEAT_WORKS, SEAT_DONE } seat_state;
typedef struct seat {
    seat_state state;
    int64_t batch;
    char *block;
    size_t size;
    zw_status status;
} seat;

typedef struct crew {
    const zw_sweep *sweep;
    const zw_sweep_job *job;
    zb_mutex lock, compiling;
    zb_condition work, news; /* a seat waits, or it is over; a block is there */
    atomic_bool over;
    seat *seats; /* behind the lock */
    int32_t seat_count, threads;
    zs_worker *workers;
    zb_thread *handles;
    bool dry; /* the caller has no more batches */
    zw_status failure;
} crew;

typedef struct crew_thread {
    crew *crew;
    zs_worker *worker;
} crew_thread;

/* ----------------------------------------------------------------------------- threads */

/* The first batch that waits; NULL: none does. Within the lock. */
static seat *find_waiting(crew *c)
{
    seat *found = NULL;
    for (int32_t k = 0; k < c->seat_count; k++)
        if (c->seats[k].state == SEAT_WAITS && (!found || c->seats[k].batch < found->batch))
            found = &c->seats[k];
    return found;
}

/* A batch to compute, for which a thread waits a little; NULL: there is none. */
static seat *take_seat(crew *c, bool waits)
{
    zb_mutex_lock(&c->lock);
    seat *found = find_waiting(c);
    if (!found && waits && !atomic_load(&c->over)) {
        zb_condition_wait_for(&c->work, &c->lock, nap);
        found = find_waiting(c);
    }
    if (found) found->state = SEAT_WORKS;
    zb_mutex_unlock(&c->lock);
    return found;
}

static void work_on_seat(crew *c, zs_worker *worker, seat *s)
{
    char *block = NULL;
    size_t size = 0;
    zw_status status = zs_worker_batch(worker, s->batch, &block, &size);
    zb_mutex_lock(&c->lock);
    s->block = block;
    s->size = size;
    s->status = status;
    s->state = SEAT_DONE;
    zb_condition_wake(&c->news);
    zb_mutex_unlock(&c->lock);
}

static void run_crew_thread(void *user)
{
    const crew_thread *t = user;
    while (!atomic_load(&t->crew->over)) {
        seat *s = take_seat(t->crew, true);
        if (s) work_on_seat(t->crew, t->worker, s);
    }
}

/* ------------------------------------------------------------------------ calling thread */

/* Free seats get batches from the caller. */
static bool fill_seats(crew *c)
{
    bool any = false;
    for (int32_t k = 0; k < c->seat_count && !c->dry; k++) {
        zb_mutex_lock(&c->lock);
        bool is_free = c->seats[k].state == SEAT_FREE;
        zb_mutex_unlock(&c->lock);
        if (!is_free) continue;
        int64_t batch = c->job->next(c->job->user);
        if (batch == ZW_SWEEP_LATER) break;
        if (batch < 0) {
            c->dry = true;
            break;
        }
        zb_mutex_lock(&c->lock);
        c->seats[k] = (seat){.state = SEAT_WAITS, .batch = batch};
        zb_condition_wake(&c->work);
        zb_mutex_unlock(&c->lock);
        any = true;
    }
    return any;
}

/* Hands blocks over; *busy: seats that are not free. */
static bool empty_seats(crew *c, int32_t *busy)
{
    bool any = false;
    *busy = 0;
    for (int32_t k = 0; k < c->seat_count; k++) {
        zb_mutex_lock(&c->lock);
        seat s = c->seats[k];
        if (s.state == SEAT_DONE) c->seats[k].state = SEAT_FREE;
        zb_mutex_unlock(&c->lock);
        if (s.state == SEAT_WAITS || s.state == SEAT_WORKS) ++*busy;
        if (s.state != SEAT_DONE) continue;
        any = true;
        if (s.status != ZW_OK && c->failure == ZW_OK) c->failure = s.status;
        if (s.status == ZW_OK && c->failure == ZW_OK &&
            !c->job->done(c->job->user, s.batch, s.block, s.size))
            c->failure = ZW_ERR_WRITE;
        free(s.block);
    }
    return any;
}

/* One round: the caller is asked, blocks are handed over. False: it is over. */
static bool do_round(crew *c, bool *idle)
{
    int32_t busy = 0;
    bool filled = fill_seats(c);
    bool emptied = empty_seats(c, &busy);
    if (c->failure != ZW_OK) return false;
    if (!c->job->poll(c->job->user)) {
        c->failure = ZW_ERR_CANCELLED;
        return false;
    }
    *idle = !filled && !emptied;
    return !(c->dry && busy == 0 && !emptied);
}

static void wait_for_news(crew *c)
{
    bool news = false;
    zb_mutex_lock(&c->lock);
    for (int32_t k = 0; k < c->seat_count; k++) news = news || c->seats[k].state == SEAT_DONE;
    if (!news) zb_condition_wait_for(&c->news, &c->lock, pause);
    zb_mutex_unlock(&c->lock);
}

static void run_rounds(crew *c, int32_t started)
{
    bool idle = false;
    while (do_round(c, &idle)) {
        seat *s = started == 0 ? take_seat(c, false) : NULL;
        if (s)
            work_on_seat(c, &c->workers[0], s);
        else if (idle && started == 0)
            zb_rest(pause);
        else if (idle)
            wait_for_news(c);
    }
}

/* ------------------------------------------------------------------------------ the crew */

static zw_status take_crew(crew *c, zb_arena *arena, crew_thread **threads)
{
    size_t count = (size_t)c->threads;
    c->seat_count = deep * c->threads;
    c->seats = ZB_NEW_ARRAY(arena, seat, (size_t)c->seat_count);
    c->workers = ZB_NEW_ARRAY(arena, zs_worker, count);
    c->handles = ZB_NEW_ARRAY(arena, zb_thread, count);
    *threads = ZB_NEW_ARRAY(arena, crew_thread, count);
    if (arena->failure != ZW_OK) return arena->failure;
    for (size_t k = 0; k < count; k++) {
        ZB_TRY(zs_worker_open(&c->workers[k], c->sweep, &c->compiling, &c->over));
        (*threads)[k] = (crew_thread){c, &c->workers[k]};
    }
    return ZW_OK;
}

static void run_crew(crew *c, crew_thread *threads)
{
    int32_t started = 0;
    while (started < c->threads &&
           zb_thread_start(&c->handles[started], run_crew_thread, &threads[started]))
        started++;
    run_rounds(c, started);
    zb_mutex_lock(&c->lock);
    atomic_store(&c->over, true);
    zb_condition_wake(&c->work);
    zb_mutex_unlock(&c->lock);
    for (int32_t k = 0; k < started; k++) zb_thread_join(&c->handles[k]);
    for (int32_t k = 0; k < c->seat_count; k++)
        if (c->seats[k].state == SEAT_DONE) free(c->seats[k].block);
}

/* The first `count` of them. */
static void close_locks(crew *c, int count)
{
    if (count > 3) zb_condition_clear(&c->news);
    if (count > 2) zb_condition_clear(&c->work);
    if (count > 1) zb_mutex_clear(&c->compiling);
    if (count > 0) zb_mutex_clear(&c->lock);
}

static bool open_locks(crew *c)
{
    int count = zb_mutex_init(&c->lock) ? 1 : 0;
    if (count == 1 && zb_mutex_init(&c->compiling)) count++;
    if (count == 2 && zb_condition_init(&c->work)) count++;
    if (count == 3 && zb_condition_init(&c->news)) count++;
    if (count < 4) close_locks(c, count);
    return count == 4;
}

zw_status zs_sweep_run(zw_sweep *sweep, const zw_sweep_job *job)
{
    crew c = {.sweep = sweep,
              .job = job,
              .threads = job->threads > 0 ? job->threads : zb_processor_count()};
    crew_thread *threads = NULL;
    zb_arena arena;
    if (c.threads > most_threads) c.threads = most_threads;
    if (!open_locks(&c)) return ZW_ERR_MEMORY;
    zb_arena_init(&arena, sweep->memory, 0);
    zw_status status = take_crew(&c, &arena, &threads);
    if (status == ZW_OK) {
        run_crew(&c, threads);
        status = c.failure;
    }
    for (int32_t k = 0; c.workers && k < c.threads; k++) zs_worker_close(&c.workers[k]);
    zb_arena_clear(&arena);
    close_locks(&c, 4);
    return status;
}
