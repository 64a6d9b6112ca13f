/*
 * One run of a sweep alone, which is the definition of what is kept of it: parameters and start
 * values, the start, a run to its end, with a look at every step where something is kept along the
 * way. Of a run that failed the numbers of moments before it are kept; the rest is NaN.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "members.h"

/* ------------------------------------------------------------------------- the start */

/* As set from outside; those that are defined from them are computed again. */
zw_status zr_dress_member(zr_bench *b, int64_t i)
{
    const zr_members *m = b->members;
    zw_sim *sim = b->sim;
    const double *values = m->values + (size_t)i * (size_t)m->target_count;
    bool any = false;
    b->posed.count = 0;
    for (int32_t k = 0; k < m->target_count; k++) {
        if (!isfinite(values[k])) return ZW_ERR_NOT_FINITE;
        if (m->targets[k] >= 0) {
            sim->values[m->targets[k]] = values[k];
            sim->overridden[m->targets[k]] = any = true;
        } else {
            b->entry[b->posed.count] = ~m->targets[k];
            b->value[b->posed.count++] = values[k];
        }
    }
    if (!any) return ZW_OK;
    zm_recompute_at(sim->zm, sim->overridden, b->scratch, sim->values);
    zr_renew_parameters(sim);
    if (sim->contacts) sim->contacts->decided = false;
    return ZW_OK;
}

zw_status zr_start_member(zr_bench *b, int64_t i)
{
    zw_sim *sim = b->sim;
    zr_run_free(sim);
    sim->t = b->settings->from;
    ZB_TRY(zr_dress_member(b, i));
    b->posed.entry = b->entry;
    b->posed.value = b->value;
    sim->posed = &b->posed;
    zw_status status = zr_sim_start(sim, b->settings->accept_inconsistent);
    sim->posed = NULL;
    return status;
}

/* --------------------------------------------------------------------------- numbers */

static double *kept_of_member(const zr_bench *b, int64_t i)
{
    return b->members->kept + (size_t)i * (size_t)b->keep->list.count;
}

zw_status zr_keep_state(zr_bench *b, int64_t i, int32_t group, int32_t moment)
{
    double *out = kept_of_member(b, i);
    zr_keep_kind kind = group == ZR_GROUP_LAST ? ZR_KEEP_LAST : ZR_KEEP_AT;
    if (!b->keep->groups[group].used) return ZW_OK;
    ZB_TRY(zr_keep_row(b->keep, group, b->sim, b->row));
    for (int32_t k = 0; k < b->keep->list.count; k++) {
        const zr_kept *kept = &b->keep->list.data[k];
        if (kept->kind == kind && (kind == ZR_KEEP_LAST || kept->moment == moment))
            out[k] = b->row[kept->column];
    }
    return ZW_OK;
}

/* When event `event` fired for the time `firing`, both from 0. */
static double find_firing(const zw_sim *sim, int32_t event, int32_t firing)
{
    zw_fired fired;
    int32_t count = zr_sim_fired_count(sim);
    for (int32_t k = 0; k < count; k++)
        if (zr_sim_fired(sim, k, &fired) == ZW_OK && fired.event == event && firing-- == 0)
            return fired.t;
    return (double)NAN;
}

/* Events, trust and steps, of whatever the run has come to; the rest of one that ended as it
 * should. */
static zw_status keep_of_run(zr_bench *b, int64_t i, bool good)
{
    zw_sim *sim = b->sim;
    double *out = kept_of_member(b, i);
    zw_run_statistics stats = {.trust = ZW_TRUST_NOT};
    if (good) ZB_TRY(zr_keep_state(b, i, ZR_GROUP_LAST, 0));
    if (b->keep->told) ZB_TRY(zr_sim_statistics(sim, &stats));
    for (int32_t k = 0; k < b->keep->list.count; k++) {
        const zr_kept *kept = &b->keep->list.data[k];
        if (kept->kind == ZR_KEEP_EVENT) out[k] = find_firing(sim, kept->event, kept->firing);
        if (kept->kind == ZR_KEEP_TRUST) out[k] = (double)stats.trust;
        if (kept->kind == ZR_KEEP_STEPS) out[k] = (double)stats.steps;
        if (good && kept->kind >= ZR_KEEP_LARGEST && kept->kind <= ZR_KEEP_INTEGRAL)
            out[k] = zr_along_value(&b->along, kept, sim->t);
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------------ the run */

/* What the last step is known up to: its end, or what waits inside it. */
static double find_known(const zw_sim *sim)
{
    const zr_motion *run = sim->run;
    return run->events.pending ? run->events.pending_t : run->step.stepper->t;
}

/* To each moment, then to the end. */
static zw_status run_by_moments(zr_bench *b, int64_t i, zw_outcome *outcome)
{
    for (int32_t k = 0; k < b->keep->times.count; k++) {
        ZB_TRY(zr_sim_advance(b->sim, b->keep->times.data[k], outcome));
        if (*outcome != ZW_REACHED) return ZW_OK;
        ZB_TRY(zr_keep_state(b, i, ZR_GROUP_AT, k));
    }
    return zr_sim_advance(b->sim, b->settings->until, outcome);
}

/* zr_along.show */
static zw_status show_alone(void *user, double t)
{
    return zr_show_inner(user, t);
}

/* Step by step: what is known of the run after each is looked at, and so are the moments in it. */
static zw_status run_by_steps(zr_bench *b, int64_t i, zw_outcome *outcome)
{
    zw_sim *sim = b->sim;
    double until = b->settings->until, from = sim->t;
    int32_t k = 0;
    ZB_TRY(zr_along_open(&b->along, sim, b->keep, &b->arena));
    b->along.show = show_alone;
    b->along.user = sim;
    ZB_TRY(zr_along_begin(&b->along));
    for (; k < b->keep->times.count && b->keep->times.data[k] <= from; k++)
        ZB_TRY(zr_keep_state(b, i, ZR_GROUP_AT, k));
    *outcome = ZW_REACHED;
    while (from < until && *outcome == ZW_REACHED) {
        ZB_TRY(zr_sim_advance(sim, fmin(nextafter(from, HUGE_VAL), until), outcome));
        if (*outcome == ZW_INTERRUPTED) return ZW_OK;
        double known = *outcome == ZW_STOPPED ? sim->t : fmin(find_known(sim), until);
        bool pending = sim->run->events.pending;
        if (*outcome == ZW_REACHED) ZB_TRY(zr_along_take(&b->along, from, known));
        for (; k < b->keep->times.count; k++) {
            double t = b->keep->times.data[k];
            if (t > known || (t >= known && pending) || *outcome == ZW_STOPPED) break;
            ZB_TRY(zr_show_inner(sim, t));
            ZB_TRY(zr_keep_state(b, i, ZR_GROUP_AT, k));
        }
        if (*outcome == ZW_REACHED) ZB_TRY(zr_show_inner(sim, known));
        from = known;
    }
    if (*outcome != ZW_REACHED) return ZW_OK;
    ZB_TRY(zr_sim_advance(sim, until, outcome));
    for (; k < b->keep->times.count; k++) ZB_TRY(zr_keep_state(b, i, ZR_GROUP_AT, k));
    return ZW_OK;
}

static zw_status run_member(zr_bench *b, int64_t i, zw_outcome *outcome)
{
    bool along = b->keep->groups[ZR_GROUP_ALONG].used;
    ZB_TRY(zr_start_member(b, i));
    ZB_TRY(zr_sim_begin(b->sim, b->settings));
    return along ? run_by_steps(b, i, outcome) : run_by_moments(b, i, outcome);
}

/* ------------------------------------------------------------------------------ the end */

/* One line: what stands on several is joined. */
void zr_tell_reason(zr_bench *b, int64_t i, zw_status status)
{
    const zb_diag_list *list = &b->sim->model->context->diagnostics;
    char *reason = b->members->reason[i];
    const zw_diagnostic *d = zb_diag_errors(list) > 0 ? zb_diag_get(list, 0) : NULL;
    if (d && d->severity == ZW_ERROR)
        (void)snprintf(reason, ZR_REASON_SIZE, "%s: %s", d->code, d->sentence);
    else
        (void)snprintf(reason, ZR_REASON_SIZE, "%s", zb_status_sentence(status));
    for (char *c = reason; *c; c++)
        if (*c == '\n' || *c == '\r') *c = ' ';
    size_t length = strlen(reason); /* a letter is not cut in two */
    while (length > 0 && length + 1 == ZR_REASON_SIZE && (reason[length - 1] & 0x80))
        reason[--length] = '\0';
    b->members->status[i] = (int32_t)status;
}

zw_status zr_member_alone(zr_bench *b, int64_t i)
{
    zw_sim *sim = b->sim;
    zw_outcome outcome = ZW_INTERRUPTED;
    zb_mark mark = zb_arena_mark(&b->arena);
    double *out = kept_of_member(b, i);
    for (int32_t k = 0; k < b->keep->list.count; k++) out[k] = (double)NAN;
    zb_diag_clear(&sim->model->context->diagnostics);
    zw_status status = run_member(b, i, &outcome);
    if (zr_is_memory(status)) return status;
    if (status == ZW_OK && outcome == ZW_INTERRUPTED) return ZW_ERR_CANCELLED;
    b->members->status[i] = ZW_OK;
    if (zr_has_run(sim)) {
        zw_status kept = keep_of_run(b, i, status == ZW_OK);
        if (status == ZW_OK) status = kept;
    }
    if (status != ZW_OK && zr_has_run(sim)) (void)zr_sim_conclude(sim);
    if (zr_is_memory(status)) return status;
    if (status != ZW_OK) zr_tell_reason(b, i, status);
    zb_diag_clear(&sim->model->context->diagnostics);
    zb_arena_release(&b->arena, mark);
    return ZW_OK;
}
