/*
 * Threads by POSIX. What the system needs for a thread or a lock lies inside the caller's struct,
 * whose room is checked when this file is compiled; nothing is allocated here.
 */
#include "thread.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

_Static_assert(sizeof(pthread_t) <= sizeof((zb_thread){0}.handle), "no room for a thread");
_Static_assert(sizeof(pthread_mutex_t) <= sizeof((zb_mutex){0}.handle), "no room for a lock");
_Static_assert(sizeof(pthread_cond_t) <= sizeof((zb_condition){0}.handle), "no room to wait");

static void *begin(void *user)
{
    zb_thread *thread = user;
    thread->work(thread->user);
    return NULL;
}

bool zb_thread_start(zb_thread *thread, void (*work)(void *user), void *user)
{
    pthread_t id;
    sigset_t all, before;
    *thread = (zb_thread){.work = work, .user = user};
    (void)sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return false;
    bool started = pthread_create(&id, NULL, begin, thread) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started) memcpy(thread->handle, &id, sizeof id);
    return started;
}

void zb_thread_join(zb_thread *thread)
{
    pthread_t id;
    memcpy(&id, thread->handle, sizeof id);
    (void)pthread_join(id, NULL);
}

int32_t zb_processor_count(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > 4096 ? 4096 : (int32_t)count;
}

void zb_rest(double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds};
    time.tv_nsec = (long)(1e9 * (seconds - (double)time.tv_sec));
    (void)nanosleep(&time, NULL);
}

/* ----------------------------------------------------------------------- locks */

static pthread_mutex_t *inside(zb_mutex *mutex)
{
    return (pthread_mutex_t *)(void *)mutex->handle.bytes;
}

bool zb_mutex_init(zb_mutex *mutex)
{
    return pthread_mutex_init(inside(mutex), NULL) == 0;
}

void zb_mutex_clear(zb_mutex *mutex)
{
    (void)pthread_mutex_destroy(inside(mutex));
}

void zb_mutex_lock(zb_mutex *mutex)
{
    (void)pthread_mutex_lock(inside(mutex));
}

void zb_mutex_unlock(zb_mutex *mutex)
{
    (void)pthread_mutex_unlock(inside(mutex));
}

/* --------------------------------------------------------------------- waiting */

static pthread_cond_t *within(zb_condition *condition)
{
    return (pthread_cond_t *)(void *)condition->handle.bytes;
}

bool zb_condition_init(zb_condition *condition)
{
    return pthread_cond_init(within(condition), NULL) == 0;
}

void zb_condition_clear(zb_condition *condition)
{
    (void)pthread_cond_destroy(within(condition));
}

void zb_condition_wait(zb_condition *condition, zb_mutex *mutex)
{
    (void)pthread_cond_wait(within(condition), inside(mutex));
}

void zb_condition_wake(zb_condition *condition)
{
    (void)pthread_cond_broadcast(within(condition));
}
