/*
 * A *team*: threads that wait for work, for as long as their owner lives. Work comes as a *job* of
 * numbered *chunks*, which the workers take one after the other.
 *
 *     zb_team_create(memory, 4, &team);
 *     zb_team_do(team, work, user, 100);      work(user, 0, w) .. work(user, 99, w), in any order
 *     zb_team_free(team);
 *
 * The caller's thread is worker 0 and takes part; the others take what is there to take when they
 * wake. None is waited for that has not begun, so a job is never slower than alone by more than
 * waking them. Threads are started at the first job. What cannot be started is done without: in the
 * end the caller does everything. Chunks must not depend on each other nor on who does them; then
 * results do not depend on the size of a team.
 */
#ifndef ZB_TEAM_H
#define ZB_TEAM_H

#include <stdint.h>

#include "memory.h"

typedef struct zb_team zb_team;

/* worker: 0 .. size - 1, no two of them at the same time. */
typedef void (*zb_team_work)(void *user, int32_t chunk, int32_t worker);

/* A team of `size` workers, at least 1 and at most 1024, the caller's thread among them. Takes all
 * memory that the team will need; starts no thread yet. */
zw_status zb_team_create(zb_memory *memory, int32_t size, zb_team **team);
void zb_team_free(zb_team *team);

/* Workers, the caller's thread among them. NULL is a team of one. */
int32_t zb_team_size(const zb_team *team);

/* Does a job: returns when all chunks are done. One job at a time: work itself must not call it. */
void zb_team_do(zb_team *team, zb_team_work work, void *user, int32_t chunks);

#endif
