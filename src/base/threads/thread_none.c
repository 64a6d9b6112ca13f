/*
 * Builds without threads: the one there is does everything.
 */
#include "thread.h"

bool zb_thread_start(zb_thread *thread, void (*work)(void *user), void *user)
{
    (void)thread, (void)work, (void)user;
    return false;
}

void zb_thread_join(zb_thread *thread)
{
    (void)thread;
}

int32_t zb_processor_count(void)
{
    return 1;
}

void zb_rest(double seconds)
{
    (void)seconds;
}

bool zb_mutex_init(zb_mutex *mutex)
{
    (void)mutex;
    return true;
}

void zb_mutex_clear(zb_mutex *mutex)
{
    (void)mutex;
}

void zb_mutex_lock(zb_mutex *mutex)
{
    (void)mutex;
}

void zb_mutex_unlock(zb_mutex *mutex)
{
    (void)mutex;
}

bool zb_condition_init(zb_condition *condition)
{
    (void)condition;
    return true;
}

void zb_condition_clear(zb_condition *condition)
{
    (void)condition;
}

void zb_condition_wait(zb_condition *condition, zb_mutex *mutex)
{
    (void)condition, (void)mutex;
}

void zb_condition_wait_for(zb_condition *condition, zb_mutex *mutex, double seconds)
{
    (void)condition, (void)mutex, (void)seconds;
}

void zb_condition_wake(zb_condition *condition)
{
    (void)condition;
}
