/*
 * A state of a unit as bytes: where it is in its life, the state of motion, what was set, and of
 * Co-Simulation everything that the library saves of a run, so that a restored unit goes on to the
 * same bits. The bytes are of this FMU and this machine's order of bytes.
 *
 *     head | q v [2 n] | wanted [2 n] | values [parameters] | order [handles] | run
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

typedef struct head {
    char mark[8];
    uint64_t token; /* a hash of it */
    uint64_t size, run;
    double t, start, tol;
    int32_t phase, n, parameters, handles;
    bool started, begun, over, exchange, event_mode, early;
} head;

static const char mark[8] = "ZWFMU 1";

static uint64_t hash_text(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

/* Bytes before those of the run. */
static size_t find_size(const unit *u, int32_t handles)
{
    size_t n = (size_t)u->layout.n, p = (size_t)u->layout.parameters;
    return sizeof(head) + (4 * n + p) * sizeof(double) + (size_t)handles * sizeof(int32_t);
}

/* -------------------------------------------------------------------------- saving */

static char *put(char *to, const void *from, size_t size)
{
    if (size > 0) memcpy(to, from, size);
    return to + size;
}

static zw_status write_state(unit *u, size_t run, unit_bytes *state)
{
    head h;
    size_t n = (size_t)u->layout.n, needed = 0;
    memset(&h, 0, sizeof h); /* gaps, too: the same state has the same bytes */
    memcpy(h.mark, mark, sizeof mark);
    h.token = hash_text(u->token);
    h.size = state->size;
    h.run = run;
    h.t = u->t, h.start = u->start, h.tol = u->tol;
    h.phase = (int32_t)u->phase, h.n = u->layout.n, h.parameters = u->layout.parameters;
    h.handles = u->handles;
    h.started = u->started, h.begun = u->begun, h.over = u->over, h.exchange = u->exchange;
    h.event_mode = u->event_mode, h.early = u->early;
    char *to = put(state->bytes, &h, sizeof h);
    to = put(to, u->q, 2 * n * sizeof(double));
    to = put(to, u->wanted, 2 * n * sizeof(double));
    for (int32_t i = 0; i < u->layout.parameters; i++) {
        double value = (double)NAN;
        zw_status status = zw_sim_parameter(u->sim, i, &value);
        if (status != ZW_OK) return status;
        to = put(to, &value, sizeof value);
    }
    to = put(to, u->order, (size_t)u->handles * sizeof *u->order);
    return run > 0 ? zw_sim_save(u->sim, to, run, &needed) : ZW_OK;
}

unit_status unit_save(unit *u, unit_bytes **state)
{
    size_t run = 0;
    zw_status status = u->begun ? zw_sim_save(u->sim, NULL, 0, &run) : ZW_OK;
    size_t size = find_size(u, u->handles) + run;
    if (status == ZW_OK && (!*state || (*state)->size != size)) {
        unit_bytes *room = realloc(*state, sizeof *room + size);
        if (room)
            *state = room;
        else
            status = ZW_ERR_MEMORY;
    }
    if (status == ZW_OK) (*state)->size = size;
    if (status == ZW_OK) status = write_state(u, run, *state);
    return unit_judge(u, status, "the state cannot be saved");
}

/* ----------------------------------------------------------------------- restoring */

static bool is_own(const unit *u, const unit_bytes *state, head *h)
{
    if (state->size < sizeof *h) return false;
    memcpy(h, state->bytes, sizeof *h);
    return memcmp(h->mark, mark, sizeof mark) == 0 && h->token == hash_text(u->token) &&
           h->size == state->size && h->n == u->layout.n && h->handles >= 0 &&
           h->parameters == u->layout.parameters && h->handles <= h->parameters &&
           h->exchange == u->exchange && h->run <= state->size &&
           find_size(u, h->handles) + h->run == state->size;
}

/* The same handles in the same order, in a simulation that is made anew where they are others. */
static unit_status take_handles(unit *u, const int32_t *order, int32_t count)
{
    unit_status status = UNIT_OK;
    bool same = u->handles == count;
    for (int32_t k = 0; k < count; k++) {
        if (order[k] < 0 || order[k] >= u->layout.parameters)
            return unit_say(u, UNIT_ERROR, "the bytes are no state of this FMU");
        same = same && u->order[k] == order[k];
    }
    if (!same) status = unit_renew(u);
    for (int32_t k = 0; k < count && status == UNIT_OK; k++) status = unit_take_handle(u, order[k]);
    return status;
}

/* Values of parameters with a handle; others have never been set. */
static zw_status set_values(unit *u, const char *values)
{
    zw_status status = ZW_OK;
    for (int32_t k = 0; k < u->handles && status == ZW_OK; k++) {
        double value = 0.0;
        memcpy(&value, values + (size_t)u->order[k] * sizeof value, sizeof value);
        status = zw_sim_set_parameter(u->sim, u->handle[u->order[k]], &value, 1);
    }
    return status;
}

/* A run begins at the saved state, then gets what the library saved of it. */
static unit_status restore_run(unit *u, const char *run, size_t size)
{
    unit_status status = u->begun ? UNIT_OK : unit_begin(u);
    if (status != UNIT_OK) return status;
    zw_status restored = zw_sim_restore(u->sim, run, size);
    if (restored == ZW_OK) restored = zw_sim_state(u->sim, &u->t, u->q, u->v);
    return unit_judge(u, restored, "the state cannot be restored");
}

unit_status unit_restore(unit *u, const unit_bytes *state)
{
    head h;
    size_t n = (size_t)u->layout.n;
    if (!is_own(u, state, &h)) return unit_say(u, UNIT_ERROR, "the bytes are no state of this FMU");
    const char *q = state->bytes + sizeof h, *wanted = q + 2 * n * sizeof(double);
    const char *values = wanted + 2 * n * sizeof(double);
    const char *order = values + (size_t)h.parameters * sizeof(double);
    size_t room = (size_t)h.handles * sizeof(int32_t);
    int32_t *list = calloc((size_t)h.handles + 1, sizeof *list);
    if (!list) return unit_judge(u, ZW_ERR_MEMORY, "the state cannot be restored");
    if (room > 0) memcpy(list, order, room);
    unit_status status = take_handles(u, list, h.handles);
    free(list);
    if (status != UNIT_OK) return status;
    bool other = !(u->tol == h.tol || (isnan(u->tol) && isnan(h.tol)));
    if (!h.begun || other) u->begun = false; /* a run has the settings that it began with */
    u->t = h.t, u->start = h.start, u->tol = h.tol;
    u->started = h.started, u->over = h.over, u->solved = u->shown = false;
    u->event_mode = h.event_mode, u->early = h.early;
    if (n > 0) memcpy(u->q, q, 2 * n * sizeof(double));
    if (n > 0) memcpy(u->wanted, wanted, 2 * n * sizeof(double));
    if (!u->begun) status = unit_judge(u, zw_sim_set_state(u->sim, u->t, u->q, u->v), "the state");
    if (status == UNIT_OK && !u->begun)
        status = unit_judge(u, set_values(u, values), "the state cannot be restored");
    if (status == UNIT_OK && h.begun) status = restore_run(u, order + room, (size_t)h.run);
    u->phase = (unit_phase)h.phase;
    return status;
}
