/*
 * Everything a run depends on, as bytes: a header that says whose run it is, the numbers of the
 * stepper, the state of the events, what has been counted. A restored run goes on to the same bits.
 * The bytes are for the same library on the same kind of machine.
 */
#include <string.h>

#include "friction.h"
#include "handles.h"
#include "road_fused.h"
#include "road_parts.h"
#include "run.h"

static const char magic[8] = "ZwRun08";

typedef struct header {
    char magic[8];
    uint64_t fingerprint; /* of the model's sizes, the parameters and the settings */
    uint64_t bytes;
    uint64_t check; /* of everything after the header */
} header;

/* Of the parameters and constants that stay as they are; hidden values follow from the mode of
 * contacts. What has a handle is saved, and whether steps end where they are asked to counts. */
static uint64_t fingerprint_values(const zw_sim *sim)
{
    const zr_handles *h = sim->handles;
    uint64_t hash = sim->run->step.ends_asked ? 1 : 0;
    int32_t parameters = sim->zm->parameter_count;
    for (int32_t k = 0; k < sim->zm->first_hidden; k++) {
        bool varies = h && k < parameters && h->varies[k];
        hash = zb_hash_mix(hash, varies ? 1 : zb_hash_bytes(&sim->values[k], sizeof(double)));
    }
    return hash;
}

/* All that steps depend on besides the state. Not times of output, nor the kernel, whose bits are
 * the same. */
static uint64_t fingerprint_run(const zw_sim *sim)
{
    const zw_run_settings *set = &sim->run->settings;
    double settings[] = {set->until, set->tol,  set->abs_tol, set->step,
                         set->omega, set->zeta, set->patience};
    int32_t sizes[] = {sim->zm->n,
                       sim->zm->m,
                       sim->zm->value_count,
                       sim->run->events.watch.count,
                       (int32_t)set->method,
                       (int32_t)set->stabilize,
                       (int32_t)set->form,
                       (int32_t)set->hold,
                       (int32_t)sizeof(zw_run_statistics)};
    uint64_t hash = zb_hash_bytes(settings, sizeof settings);
    hash ^= zb_hash_scramble(zb_hash_bytes(sizes, sizeof sizes) + 1);
    hash ^= zb_hash_scramble(fingerprint_values(sim) + 2);
    for (int32_t k = 0; k < sim->zm->tables.count; k++) {
        const zx_table *table = sim->zm->tables.list[k];
        size_t pieces = (size_t)table->pieces;
        hash ^= zb_hash_scramble(zb_hash_bytes(table->x, sizeof(double) * (pieces + 1)) + 5);
        hash ^= zb_hash_scramble(zb_hash_bytes(table->c, sizeof(double) * 4 * (pieces + 2)) + 6);
    }
    return hash ^ zb_hash_scramble(zr_parts_fingerprint(sim) + (sim->run->step.in_lanes ? 4 : 3));
}

/* A *tape*: the bytes of a saved run, which are copied to or from the run, both ways by one list.
 */
typedef struct tape {
    char *at; /* NULL: only counted */
    size_t size;
    bool load;
} tape;

/* `size` bytes from data to the tape, or back; or only counted. */
static void pass_bytes(tape *t, void *data, size_t size)
{
    if (t->at && size > 0) {
        if (t->load)
            memcpy(data, t->at + t->size, size);
        else
            memcpy(t->at + t->size, data, size);
    }
    t->size += size;
}

#define PASS(tape, field) pass_bytes((tape), &(field), sizeof(field))

/* What was set by handle, and what followed; what is computed from it comes anew. */
static void pass_set_values(zw_sim *sim, tape *t)
{
    size_t count = (size_t)sim->zm->parameter_count;
    if (!sim->handles) return;
    pass_bytes(t, sim->values, sizeof(double) * count);
    pass_bytes(t, sim->overridden, sizeof(bool) * count);
    if (t->at && t->load) zr_renew_parameters(sim);
}

/* Whether the motion goes on at a compromise. */
static void pass_compromise(zw_sim *sim, tape *t)
{
    bool on = zr_on_compromise(sim);
    PASS(t, on);
    if (t->load) zr_set_compromise(sim, on);
}

/* What has fired, and what may be pending. */
static void pass_event_numbers(zr_motion *run, tape *t)
{
    PASS(t, run->events.pending);
    PASS(t, run->events.pending_t);
    PASS(t, run->events.stopped);
    PASS(t, run->events.stopper);
    PASS(t, run->events.fired_count);
    PASS(t, run->events.last_fired);
    PASS(t, run->events.last_event);
    PASS(t, run->events.jump);
    PASS(t, run->events.jump_t);
    PASS(t, run->events.jump_event);
    PASS(t, run->events.chatter);
    PASS(t, run->events.chatter_t);
}

/* Single numbers; settings and pointers stay those of the run restored into. */
static void pass_numbers(zw_sim *sim, tape *t)
{
    zr_motion *run = sim->run;
    PASS(t, sim->t);
    PASS(t, sim->solver->rounds);
    PASS(t, run->stats);
    PASS(t, run->record.at_start);
    PASS(t, run->record.start_t);
    PASS(t, run->record.work);
    PASS(t, run->solving.generic_rank);
    PASS(t, run->solving.generic_most);
    PASS(t, run->solving.not_by_parts);
    PASS(t, run->solving.on_constraints);
    PASS(t, run->solving.memory);
    PASS(t, run->solving.taken);
    PASS(t, run->solving.singular);
    PASS(t, run->solving.rank);
    PASS(t, run->solving.lost);
    PASS(t, run->solving.noise);
    PASS(t, run->solving.any_conflicting);
    PASS(t, run->solving.suspects);
    PASS(t, run->solving.any_out);
    PASS(t, run->seams.was_any);
    PASS(t, run->seams.spanning);
    PASS(t, run->seams.ever_behind);
    PASS(t, run->solving.behind);
    PASS(t, run->seams.near);
    PASS(t, run->seams.pending);
    PASS(t, run->seams.t);
    PASS(t, run->seams.given_up);
    PASS(t, run->seams.tries);
    PASS(t, run->seams.last);
    PASS(t, run->seams.spans);
    PASS(t, run->seams.span_count);
    PASS(t, run->record.locked_t);
    PASS(t, run->record.lock_entry);
    PASS(t, run->record.raised_t);
    PASS(t, run->record.set_count);
    PASS(t, run->step.bad_start);
    PASS(t, run->held.known);
    PASS(t, run->held.sum);
    PASS(t, run->step.bad_end);
    PASS(t, run->step.lost_end);
    PASS(t, run->step.careful);
    PASS(t, run->step.was_careful);
    PASS(t, run->step.refused);
    PASS(t, run->patience);
    PASS(t, run->step.longest);
    PASS(t, run->step.vain);
    PASS(t, run->step.crowded);
    pass_event_numbers(run, t);
}

/* What begin has found of the ranks of its start (generic_rank.c): a run may be restored into one
 * that began elsewhere. */
static void pass_ranks(zw_sim *sim, tape *t)
{
    const zr_solver *solver = sim->solver;
    zg_system *const systems[] = {solver->all.system, sim->run->solving.full,
                                  solver->sides[ZR_POSITION].rows.system,
                                  solver->sides[ZR_VELOCITY].rows.system};
    for (size_t k = 0; k < sizeof systems / sizeof *systems; k++) {
        int32_t most = systems[k] ? zg_system_rank_limit(systems[k]) : 0;
        PASS(t, most);
        if (systems[k] && t->load) zg_system_limit_rank(systems[k], most);
    }
}

/* Sides of the switches; their slots follow from them. */
static void pass_switches(zw_sim *sim, tape *t)
{
    zr_switching *w = &sim->run->switching;
    size_t count = (size_t)w->count;
    if (count == 0) return;
    double *numbers[] = {w->side,   w->level,    w->largest,  w->fastest,
                         w->moment, w->gap_size, w->turned_at};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        pass_bytes(t, numbers[i], sizeof(double) * count);
    pass_bytes(t, w->soon, sizeof(int32_t) * count);
    pass_bytes(t, w->truth, sizeof(bool) * count);
    pass_bytes(t, w->turned, sizeof(bool) * count);
    pass_bytes(t, w->slides, sizeof(bool) * count);
    pass_bytes(t, w->slid, sizeof(zr_slid) * count);
    PASS(t, w->sliding);
    PASS(t, w->decided);
    PASS(t, w->pending);
    PASS(t, w->next);
    PASS(t, w->last_turn);
    PASS(t, w->at_once);
    if (t->at && t->load) zr_show_conditions(sim);
}

/* The log, all of its ring. */
static void pass_log(zw_sim *sim, tape *t)
{
    zr_log_ring *log = &sim->run->log;
    PASS(t, log->count);
    pass_bytes(t, log->list, sizeof *log->list * (size_t)log->room);
}

/* The mode, and what else of contacts the motion depends on, or has been counted. Masks and shown
 * values follow from it. */
static void pass_contacts(zw_sim *sim, tape *t)
{
    zr_contacts *c = sim->contacts;
    zr_touching *w = &sim->run->touching;
    if (!c) return;
    size_t contacts = (size_t)c->laws->contacts, frictions = (size_t)c->laws->frictions;
    size_t slips = (size_t)c->laws->slips, m = (size_t)sim->zm->m;
    size_t functions = (size_t)zr_touch_functions(c->laws);
    pass_bytes(t, c->mode.touch, contacts);
    pass_bytes(t, c->mode.grip, frictions);
    pass_bytes(t, c->mode.held, sizeof(bool) * slips);
    pass_bytes(t, c->mode.creeps, sizeof(bool) * frictions);
    pass_bytes(t, c->mode.direction, sizeof(double) * slips);
    pass_bytes(t, c->mode.side, frictions);
    pass_bytes(t, c->mode.motor, (size_t)sim->zm->motor_count);
    pass_bytes(t, c->mode.reach, sizeof(double) * (size_t)zr_reach_count(sim));
    PASS(t, c->mode.span);
    PASS(t, c->mode.dependent);
    PASS(t, c->mode.grips_depend);
    PASS(t, c->mode.picked);
    pass_bytes(t, c->small.gap, sizeof(double) * m);
    pass_bytes(t, c->small.rate, sizeof(double) * m);
    pass_bytes(t, c->small.low, sizeof(double) * m);
    pass_bytes(t, c->impulse, sizeof(double) * contacts);
    pass_bytes(t, c->pull, sizeof(double) * contacts);
    pass_bytes(t, c->tally, sizeof *c->tally * (size_t)c->laws->sites);
    pass_bytes(t, c->blamed, sizeof(bool) * contacts);
    pass_bytes(t, c->shared, sizeof(bool) * contacts);
    PASS(t, c->record);
    PASS(t, c->trouble);
    pass_bytes(t, w->turned, sizeof(bool) * functions);
    pass_bytes(t, w->armed, sizeof(bool) * functions);
    pass_bytes(t, w->band, sizeof(double) * functions);
    pass_bytes(t, w->value, sizeof(double) * functions);
    pass_bytes(t, w->least, sizeof(double) * (size_t)sim->zm->n);
    pass_bytes(t, w->low, sizeof(double) * (size_t)w->watch.gaps);
    pass_bytes(t, w->high, sizeof(double) * (size_t)w->watch.gaps);
    pass_bytes(t, w->sample, sizeof(double) * (size_t)w->watch.gaps);
    PASS(t, w->sample_t);
    PASS(t, w->sampled);
    PASS(t, w->quiet);
    PASS(t, w->pending);
    PASS(t, w->base_rank);
    PASS(t, w->last);
    PASS(t, w->at_once);
    PASS(t, w->moments);
    if (!t->at || !t->load) return;
    c->decided = true;
    c->decision = ZW_OK;
    zr_enter_mode(sim);
}

/* Arrays of the run, then the rows of its stepper. */
static void pass_arrays(zw_sim *sim, tape *t)
{
    zr_motion *run = sim->run;
    size_t n = (size_t)sim->zm->n, m = (size_t)sim->zm->m, events = (size_t)run->events.watch.count;
    pass_bytes(t, sim->q, sizeof(double) * n);
    pass_bytes(t, sim->v, sizeof(double) * n);
    pass_bytes(t, run->solving.conflicting, sizeof(bool) * m);
    pass_bytes(t, run->solving.out, sizeof(bool) * m);
    pass_bytes(t, run->record.locked, sizeof(bool) * m);
    pass_bytes(t, run->seams.was, sizeof(bool) * m);
    pass_bytes(t, run->seams.left, sizeof(double) * m);
    pass_bytes(t, run->seams.left_rate, sizeof(double) * m);
    pass_bytes(t, run->seams.left_t, sizeof(double) * m);
    pass_bytes(t, run->record.ever_conflicting, sizeof(bool) * m);
    pass_bytes(t, run->record.conflict_size, sizeof(double) * m);
    size_t motors = (size_t)sim->zm->motor_count;
    pass_bytes(t, run->solving.side, motors);
    pass_bytes(t, run->seams.was_side, motors);
    pass_bytes(t, run->seams.motors, sizeof(zr_motor_spans) * motors);
    pass_bytes(t, run->held.h, run->held.on ? sizeof(double) * (size_t)run->held.islands : 0);
    size_t islands = run->record.island_h ? (size_t)sim->model->island_count : 0;
    pass_bytes(t, run->record.island_h, sizeof(double) * islands);
    pass_bytes(t, run->record.island_scale, sizeof(double) * islands);
    pass_bytes(t, run->solving.basis.in, sizeof(bool) * m);
    pass_bytes(t, run->events.truth, sizeof(bool) * events);
    pass_bytes(t, run->events.turned, sizeof(bool) * events);
    pass_bytes(t, run->events.fired_of, sizeof(int64_t) * events);
    pass_bytes(t, run->events.pace, sizeof(zr_pace) * events);
    if (events > 0) pass_bytes(t, run->events.fired, sizeof(zw_fired) * zr_most_fired);
    pass_switches(sim, t);
    pass_log(sim, t);
    pass_contacts(sim, t);
    size_t stepper = zi_saved_size(run->step.stepper);
    if (t->at && t->load) zi_load(run->step.stepper, t->at + t->size);
    if (t->at && !t->load) zi_save(run->step.stepper, t->at + t->size);
    t->size += stepper;
}

/* Columns that are not unique, and forces that change the reactions they follow: for the verdict. */
static void pass_doubts(zw_sim *sim, tape *t)
{
    zr_shares *shares = &sim->run->shares;
    zr_feedback *feedback = &sim->run->feedback;
    size_t n = (size_t)sim->zm->n, m = (size_t)sim->zm->m;
    size_t gaps = (size_t)zr_event_gaps(sim->model);
    pass_bytes(t, shares->row, sizeof(bool) * m);
    pass_bytes(t, shares->control, sizeof(bool) * n);
    pass_bytes(t, shares->output, sizeof(bool) * (size_t)zr_output_elements(sim->model));
    PASS(t, shares->first);
    PASS(t, shares->first_rank);
    PASS(t, shares->first_rows);
    PASS(t, shares->closed_rows);
    PASS(t, shares->passing);
    PASS(t, shares->lowest);
    PASS(t, shares->rows);
    PASS(t, shares->looks);
    PASS(t, feedback->first);
    PASS(t, feedback->chosen);
    PASS(t, feedback->worst);
    PASS(t, feedback->worst_t);
    if (feedback->largest_C) pass_bytes(t, feedback->largest_C, sizeof(double) * n);
    if (feedback->largest_gap) pass_bytes(t, feedback->largest_gap, sizeof(double) * gaps);
}

/* What is remembered of singular places. Rows before the step are read anew. */
static void pass_passage(zw_sim *sim, tape *t)
{
    zr_passage *p = &sim->run->passage;
    size_t n = (size_t)sim->zm->n, m = (size_t)sim->zm->m;
    if (!p->open) return;
    pass_bytes(t, p->size, sizeof(double) * m);
    pass_bytes(t, p->concerned, sizeof(bool) * m);
    pass_bytes(t, p->entry, sizeof(double) * n);
    PASS(t, p->clear);
    PASS(t, p->clear_known);
    PASS(t, p->pivot);
    PASS(t, p->clearest);
    PASS(t, p->place);
    PASS(t, p->place_count);
    PASS(t, p->stays);
    PASS(t, p->closest);
    PASS(t, p->nearest);
    PASS(t, p->short_step);
    if (t->at && t->load) p->known = p->still = p->idle = false;
}

/* Everything after the header, in one order for both directions. */
static void pass_all(zw_sim *sim, tape *t)
{
    t->size = sizeof(header);
    pass_set_values(sim, t);
    pass_numbers(sim, t);
    pass_compromise(sim, t);
    pass_ranks(sim, t);
    pass_arrays(sim, t);
    pass_doubts(sim, t);
    pass_passage(sim, t);
}

static bool can_be_saved(const zw_sim *sim)
{
    bool whole = !sim->run->stats.switched && !sim->carried; /* tangents are not saved */
    return sim->run->step.stepper->method->restores && whole;
}

/* Bytes of the whole, header included. */
static size_t measure_saved_run(zw_sim *sim)
{
    tape t = {.at = NULL};
    pass_all(sim, &t);
    return t.size;
}

/* Written only where all of it fits; *needed is its length in any case. */
zw_status zr_sim_save(zw_sim *sim, void *bytes, size_t size, size_t *needed)
{
    if (!sim->run || sim->run->ending.failure != ZW_OK) return ZW_ERR_ORDER;
    if (!can_be_saved(sim)) return ZW_ERR_METHOD;
    *needed = measure_saved_run(sim);
    if (!bytes || size < *needed) return ZW_OK;
    header h = {.fingerprint = fingerprint_run(sim), .bytes = *needed};
    tape t = {.at = bytes};
    memcpy(h.magic, magic, sizeof magic);
    pass_all(sim, &t);
    h.check = zb_hash_bytes((const char *)bytes + sizeof h, *needed - sizeof h);
    memcpy(bytes, &h, sizeof h);
    return ZW_OK;
}

/* What follows from the numbers that were loaded. */
static zw_status renew_solving(zw_sim *sim)
{
    zr_solving *solving = &sim->run->solving;
    bool independent = solving->generic_rank >= zr_rows_on(sim);
    zr_forget_factor(sim);
    zr_set_end_of_steps(sim);
    zg_system_know_independent(sim->solver->all.system, independent);
    solving->asks_fused =
        independent && zr_fused_serves(sim, &sim->run->settings) && !zr_on_compromise(sim);
    return zr_restore_basis(sim, &sim->run->arena, &solving->basis);
}

/* Nothing is changed unless every byte is one of a run with this fingerprint. */
zw_status zr_sim_restore(zw_sim *sim, const void *bytes, size_t size)
{
    header h;
    if (!sim->run) return ZW_ERR_ORDER;
    if (!can_be_saved(sim)) return ZW_ERR_METHOD;
    if (size < sizeof h) return ZW_ERR_SETTING;
    memcpy(&h, bytes, sizeof h);
    bool ours = memcmp(h.magic, magic, sizeof magic) == 0 &&
                h.fingerprint == fingerprint_run(sim) && h.bytes == size &&
                size == measure_saved_run(sim) &&
                h.check == zb_hash_bytes((const char *)bytes + sizeof h, size - sizeof h);
    if (!ours) return ZW_ERR_SETTING;
    tape t = {.at = (char *)(uintptr_t)bytes, .load = true};
    pass_all(sim, &t);
    sim->run->ending.failure = renew_solving(sim);
    return sim->run->ending.failure;
}
