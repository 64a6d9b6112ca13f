/*
 * One member of an ensemble alone, on a worker's simulation: parameters, state, begin, advance to
 * each time of the samples and to the end. Its results go to its own places in the caller's arrays.
 */
#include "ensemble.h"

#include <math.h>
#include <string.h>

#include "road_parts.h"

/* ---------------------------------------------------------------------- places */

static size_t state_size(const zr_crew *crew)
{
    return 2 * (size_t)crew->model->zm->n;
}

double *zr_member_state(const zr_crew *crew, int64_t member)
{
    return crew->ensemble->state + (size_t)member * state_size(crew);
}

/* samples [count * time_count * 2n] */
double *zr_member_sample(const zr_crew *crew, int64_t member, int32_t k)
{
    const zw_ensemble *e = crew->ensemble;
    size_t row = (size_t)member * (size_t)e->time_count + (size_t)k;
    return e->samples + row * state_size(crew);
}

/* NaN, for those that will not be reached. */
static void clear_samples(const zr_crew *crew, int64_t member)
{
    if (crew->ensemble->time_count <= 0) return;
    size_t count = (size_t)crew->ensemble->time_count * state_size(crew);
    double *samples = zr_member_sample(crew, member, 0);
    for (size_t i = 0; i < count; i++) samples[i] = (double)NAN;
}

/* --------------------------------------------------------------------- results */

/* Its status, and what the caller wants to know of it. */
static void write_member_end(zr_worker *worker, int64_t member, const zw_member *end)
{
    zr_crew *crew = worker->crew;
    crew->status[member] = (unsigned char)end->status;
    if (crew->ensemble->members) crew->ensemble->members[member] = *end;
}

/* By a crowd; alone, zr_run_member does it. */
void zr_end_member(zr_worker *worker, int64_t member, const zw_member *end, const double *state)
{
    zr_crew *crew = worker->crew;
    write_member_end(worker, member, end);
    memcpy(zr_member_state(crew, member), state, sizeof *state * state_size(crew));
    crew->through++;
    zr_ask_poll(worker, true);
}

/* The state is not written: it is that of the start. */
void zr_leave_member(zr_worker *worker, int64_t member, zw_status status)
{
    zw_member end = {.status = status, .outcome = ZW_INTERRUPTED, .t = worker->crew->ensemble->t};
    clear_samples(worker->crew, member);
    write_member_end(worker, member, &end);
}

/* ----------------------------------------------------------------------- alone */

/* Values computed from parameters are computed again. */
zw_status zr_set_member_values(zr_worker *worker, int64_t member)
{
    const zr_crew *crew = worker->crew;
    size_t names = (size_t)crew->ensemble->name_count;
    zw_sim *sim = worker->sim;
    if (names == 0) return ZW_OK;
    const double *values = crew->ensemble->values + (size_t)member * names;
    for (size_t k = 0; k < names; k++)
        if (!isfinite(values[k])) return ZW_ERR_SETTING;
    for (size_t k = 0; k < names; k++) sim->values[crew->element[k]] = values[k];
    zm_recompute_at(sim->zm, sim->overridden, worker->scratch, sim->values);
    return ZW_OK;
}

/* To each time of a sample, then to the end; a stop or a failure leaves the rest of the samples. */
static zw_status advance_member(zr_worker *worker, int64_t member, zw_outcome *outcome)
{
    const zr_crew *crew = worker->crew;
    const zw_ensemble *e = crew->ensemble;
    zw_sim *sim = worker->sim;
    for (int32_t k = 0; k < e->time_count; k++) {
        ZB_TRY(zr_sim_advance(sim, e->times[k], outcome));
        if (*outcome != ZW_REACHED) return ZW_OK;
        double *sample = zr_member_sample(crew, member, k);
        zr_sim_state(sim, NULL, sample, sample + sim->zm->n);
    }
    return zr_sim_advance(sim, crew->settings->until, outcome);
}

/* On the worker's simulation; end: all but its status. */
static zw_status try_member(zr_worker *worker, int64_t member, zw_member *end)
{
    const zr_crew *crew = worker->crew;
    zw_sim *sim = worker->sim;
    const double *state = zr_member_state(crew, member);
    zr_sim_set_state(sim, crew->ensemble->t, state, state + sim->zm->n);
    ZB_TRY(zr_set_member_values(worker, member));
    if (crew->ensemble->name_count > 0) zr_renew_parameters(sim);
    ZB_TRY(zr_sim_begin(sim, &worker->settings));
    zw_status status = advance_member(worker, member, &end->outcome);
    const zi_counts *counts = &sim->run->step.stepper->counts;
    end->t = sim->t;
    end->steps = counts->steps;
    end->rejected = counts->rejected;
    end->evaluations = counts->evaluations;
    return status;
}

/* A memory that refused while others held theirs is named as the context would name it. */
void zr_run_member(zr_worker *worker, int64_t member)
{
    zr_crew *crew = worker->crew;
    zw_sim *sim = worker->sim;
    zw_member end = {.outcome = ZW_INTERRUPTED, .t = crew->ensemble->t};
    clear_samples(crew, member);
    worker->refusal = ZW_OK;
    end.status = try_member(worker, member, &end);
    if (end.status == ZW_ERR_MEMORY && worker->refusal != ZW_OK) end.status = worker->refusal;
    /* without memory it may be tried again: from its start */
    if (zr_is_memory(end.status)) {
        zr_leave_member(worker, member, end.status);
        return;
    }
    size_t n = (size_t)sim->zm->n;
    double *state = zr_member_state(crew, member);
    write_member_end(worker, member, &end);
    memcpy(state, sim->q, sizeof *state * n);
    memcpy(state + n, sim->v, sizeof *state * n);
    crew->through++;
    zr_ask_poll(worker, true);
}
