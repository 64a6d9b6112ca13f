/*
 * Threads, as little as is needed: start and join, one kind of lock, one kind of condition to wait
 * for. thread.c has them from POSIX; thread_none.c, in builds without threads, has none: start
 * refuses, and the caller does the work itself.
 */
#ifndef ZB_THREAD_H
#define ZB_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct zb_thread {
    void (*work)(void *user);
    void *user;
    void *handle[2]; /* of the system */
} zb_thread;

/* Calls work(user) in a thread of its own, in which all signals are blocked: they are for the
 * caller's threads. False: there is no such thread. The struct must stay until join. */
bool zb_thread_start(zb_thread *thread, void (*work)(void *user), void *user);
void zb_thread_join(zb_thread *thread);

/* Processors that can work at the same time, at least 1. */
int32_t zb_processor_count(void);

/* Waits about that long. */
void zb_rest(double seconds);

typedef struct zb_mutex {
    union {
        max_align_t align;
        unsigned char bytes[64];
    } handle;
} zb_mutex;

bool zb_mutex_init(zb_mutex *mutex);
void zb_mutex_clear(zb_mutex *mutex);
void zb_mutex_lock(zb_mutex *mutex);
void zb_mutex_unlock(zb_mutex *mutex);

/* What a thread that holds a lock may wait for: it gives the lock back meanwhile and has it again
 * afterwards. It may wake without reason. */
typedef struct zb_condition {
    union {
        max_align_t align;
        unsigned char bytes[64];
    } handle;
} zb_condition;

bool zb_condition_init(zb_condition *condition);
void zb_condition_clear(zb_condition *condition);
void zb_condition_wait(zb_condition *condition, zb_mutex *mutex);
/* For so many seconds at most. */
void zb_condition_wait_for(zb_condition *condition, zb_mutex *mutex, double seconds);
void zb_condition_wake(zb_condition *condition); /* all that wait */

#endif
