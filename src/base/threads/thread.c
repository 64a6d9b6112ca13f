/*
 * Threads by POSIX. What the system needs for a thread or a lock lies inside the caller's struct,
 * whose room is checked when this file is compiled; nothing is allocated here.
 */
#include "thread.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

_Static_assert(sizeof(pthread_t) <= sizeof((zb_thread){0}.handle), "no room for a thread");
_Static_assert(sizeof(pthread_mutex_t) <= sizeof((zb_mutex){0}.handle), "no room for a lock");
_Static_assert(sizeof(pthread_cond_t) <= sizeof((zb_condition){0}.handle), "no room to wait");

/* Where a thread begins: pthread_create wants a function that returns a pointer. */
static void *enter_thread(void *user)
{
    zb_thread *thread = user;
    thread->work(thread->user);
    return NULL;
}

/* A thread inherits the signal mask: all are blocked while it is started. */
bool zb_thread_start(zb_thread *thread, void (*work)(void *user), void *user)
{
    pthread_t id;
    sigset_t all, before;
    *thread = (zb_thread){.work = work, .user = user};
    (void)sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return false;
    bool started = pthread_create(&id, NULL, enter_thread, thread) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started) memcpy(thread->handle, &id, sizeof id);
    return started;
}

/* The system's name of the thread lies in the bytes of the handle. */
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

/* A signal may end it early. */
void zb_rest(double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds};
    time.tv_nsec = (long)(1e9 * (seconds - (double)time.tv_sec));
    (void)nanosleep(&time, NULL);
}

/* ----------------------------------------------------------------------- locks */

/* The system's lock, which lies in the bytes of ours. */
static pthread_mutex_t *mutex_of(zb_mutex *mutex)
{
    return (pthread_mutex_t *)(void *)mutex->handle.bytes;
}

bool zb_mutex_init(zb_mutex *mutex)
{
    return pthread_mutex_init(mutex_of(mutex), NULL) == 0;
}

void zb_mutex_clear(zb_mutex *mutex)
{
    (void)pthread_mutex_destroy(mutex_of(mutex));
}

void zb_mutex_lock(zb_mutex *mutex)
{
    (void)pthread_mutex_lock(mutex_of(mutex));
}

void zb_mutex_unlock(zb_mutex *mutex)
{
    (void)pthread_mutex_unlock(mutex_of(mutex));
}

/* --------------------------------------------------------------------- waiting */

static pthread_cond_t *condition_of(zb_condition *condition)
{
    return (pthread_cond_t *)(void *)condition->handle.bytes;
}

/* By a clock that nobody sets. */
bool zb_condition_init(zb_condition *condition)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0) return false;
    bool good = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
                pthread_cond_init(condition_of(condition), &attributes) == 0;
    (void)pthread_condattr_destroy(&attributes);
    return good;
}

void zb_condition_clear(zb_condition *condition)
{
    (void)pthread_cond_destroy(condition_of(condition));
}

void zb_condition_wait(zb_condition *condition, zb_mutex *mutex)
{
    (void)pthread_cond_wait(condition_of(condition), mutex_of(mutex));
}

void zb_condition_wait_for(zb_condition *condition, zb_mutex *mutex, double seconds)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    double whole = floor(seconds), rest = 1e9 * (seconds - whole) + (double)until.tv_nsec;
    until.tv_sec += (time_t)whole + (rest >= 1e9 ? 1 : 0);
    until.tv_nsec = (long)(rest >= 1e9 ? rest - 1e9 : rest);
    (void)pthread_cond_timedwait(condition_of(condition), mutex_of(mutex), &until);
}

void zb_condition_wake(zb_condition *condition)
{
    (void)pthread_cond_broadcast(condition_of(condition));
}
