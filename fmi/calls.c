/*
 * Calls that FMI 2 and 3 share.
 */
#include "calls.h"

#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------------- order */

bool call_may(const unit *u, unsigned phases)
{
    if (u && ((unsigned)u->phase & phases) != 0) return true;
    if (u) (void)unit_say(u, UNIT_ERROR, "this function must not be called now");
    return false;
}

bool call_may_exchange(const unit *u, unsigned phases)
{
    if (!u || u->exchange) return call_may(u, phases);
    (void)unit_say(u, UNIT_ERROR, "this function belongs to Model Exchange");
    return false;
}

bool call_may_step(const unit *u, unsigned phases)
{
    if (!u || !u->exchange) return call_may(u, phases);
    (void)unit_say(u, UNIT_ERROR, "this function belongs to Co-Simulation");
    return false;
}

int call_refuse(const unit *u, const char *text)
{
    return u ? (int)unit_say(u, UNIT_ERROR, text) : (int)UNIT_ERROR;
}

int call_change_phase(unit *u, unsigned from, unit_phase to)
{
    if (!call_may(u, from)) return UNIT_ERROR;
    u->phase = to;
    return UNIT_OK;
}

/* -------------------------------------------------------------------- from birth to end */

unit *call_create(const char *name, const char *token, const char *resources, const unit_log *log,
                  bool exchange)
{
    unit *u = unit_create(name, token, resources, log);
    if (u) u->exchange = exchange;
    if (!u || !exchange || fmu_is_smooth(u->model)) return u;
    (void)unit_say(u, UNIT_ERROR, "this model has events or contacts: it is for Co-Simulation");
    unit_free(u);
    return NULL;
}

int call_setup(unit *u, bool has_tolerance, double tolerance, double start)
{
    if (!call_may(u, UNIT_NEW)) return UNIT_ERROR;
    if (has_tolerance && !(tolerance > 0.0 && tolerance < 1.0))
        return call_refuse(u, "the tolerance has to be above 0 and below 1");
    if (has_tolerance) u->tol = tolerance;
    u->start = start;
    u->started = false;
    return UNIT_OK;
}

int call_leave_initialization(unit *u)
{
    if (!call_may(u, UNIT_INITIAL)) return UNIT_ERROR;
    unit_status status = unit_start(u);
    if (status == UNIT_OK && !u->exchange) status = unit_begin(u);
    if (status == UNIT_OK) u->phase = u->exchange || u->event_mode ? UNIT_EVENT : UNIT_STEP;
    return (int)status;
}

int call_terminate(unit *u)
{
    return call_change_phase(u, UNIT_EVENT | UNIT_CONTINUOUS | UNIT_STEP, UNIT_OVER);
}

int call_reset(unit *u)
{
    if (!call_may(u, UNIT_ANY)) return UNIT_ERROR;
    u->phase = UNIT_NEW;
    return (int)unit_renew(u);
}

/* ---------------------------------------------------------------------------- states */

int call_get_state(unit *u, void **state)
{
    unit_bytes *bytes = state ? *state : NULL;
    if (!state || !call_may(u, UNIT_ANY)) return UNIT_ERROR;
    unit_status status = unit_save(u, &bytes);
    *state = bytes;
    return (int)status;
}

int call_set_state(unit *u, const void *state)
{
    return state && call_may(u, UNIT_ANY) ? (int)unit_restore(u, state) : UNIT_ERROR;
}

int call_free_state(const unit *u, void **state)
{
    if (!u || !state) return UNIT_ERROR;
    free(*state);
    *state = NULL;
    return UNIT_OK;
}

int call_state_size(const unit *u, const void *state, size_t *size)
{
    if (!u || !state || !size) return UNIT_ERROR;
    *size = ((const unit_bytes *)state)->size;
    return UNIT_OK;
}

int call_write_state(const unit *u, const void *state, void *bytes, size_t size)
{
    const unit_bytes *from = state;
    if (!u || !from || !bytes) return UNIT_ERROR;
    if (size < from->size) return call_refuse(u, "there is not enough room for the state");
    memcpy(bytes, from->bytes, from->size);
    return UNIT_OK;
}

int call_read_state(const unit *u, const void *bytes, size_t size, void **state)
{
    if (!u || !bytes || !state) return UNIT_ERROR;
    unit_bytes *room = realloc(*state, sizeof *room + size);
    if (!room) return call_refuse(u, "there is not enough memory for the state");
    room->size = size;
    memcpy(room->bytes, bytes, size);
    *state = room;
    return UNIT_OK;
}

int call_nominals(const unit *u, double *x, size_t count)
{
    if (!call_may_exchange(u, UNIT_ANY & ~UNIT_NEW)) return UNIT_ERROR;
    for (size_t i = 0; i < count; i++) x[i] = 1.0;
    return UNIT_OK;
}
