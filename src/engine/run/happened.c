/*
 * The log of a run: events that have fired and what has happened to contacts, in the order of time. It
 * is a ring whose memory begin takes: the last ones are kept, as many as one moment can add and a
 * thousand besides, so that whoever asks after every step misses none.
 */
#include <math.h>

#include "run.h"

enum { log_least = 1024 };

zw_status zr_open_log(zw_sim *sim)
{
    zr_motion *run = sim->run;
    const zr_contacts *c = sim->contacts;
    int32_t events = zr_event_count(sim->model);
    if (events == 0 && !c) return ZW_OK;
    run->log.room = log_least + 2 * events;
    if (c) run->log.room += 2 * c->laws->contacts + 2 * c->laws->frictions;
    run->log.list = ZB_NEW_ARRAY(&run->arena, zw_happened, (size_t)run->log.room);
    return run->arena.failure;
}

void zr_log(zr_motion *run, const zw_happened *happened)
{
    run->log.list[run->log.count++ % run->log.room] = *happened;
}

int64_t zr_sim_happened_count(const zw_sim *sim)
{
    return sim->run ? sim->run->log.count : 0;
}

zw_status zr_sim_happened(const zw_sim *sim, int64_t i, zw_happened *happened)
{
    const zr_log_ring *log = sim->run ? &sim->run->log : NULL;
    if (!log || i < 0 || i >= log->count || i < log->count - log->room) return ZW_ERR_ARGUMENT;
    *happened = log->list[i % log->room];
    return ZW_OK;
}

/* --------------------------------------------------------------------------- events */

int32_t zr_sim_fired_count(const zw_sim *sim)
{
    return sim->run ? sim->run->events.fired_count : 0;
}

/* One of those that there was room for. */
zw_status zr_sim_fired(const zw_sim *sim, int32_t i, zw_fired *fired)
{
    if (!sim->run || i < 0 || i >= sim->run->events.fired_count) return ZW_ERR_ARGUMENT;
    *fired = sim->run->events.fired[i];
    return ZW_OK;
}

void zr_event_name(const zw_model *model, int32_t event, zb_text *text)
{
    if (event >= 0 && event < zr_event_count(model)) zr_text_event(model, event, text);
}
