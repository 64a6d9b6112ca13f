/*
 * Everything a run depends on, as bytes: a header that says whose run it is, the numbers of the
 * stepper, the state of the events, what has been counted. A restored run goes on to the same bits.
 * The bytes are for the same library on the same kind of machine.
 */
#include <string.h>

#include "run.h"

static const char magic[8] = "ZwRun01";

typedef struct header {
    char magic[8];
    uint64_t fingerprint; /* of the model's sizes, the parameters and the settings */
    uint64_t bytes;
    uint64_t check; /* of everything after the header */
} header;

/* The plain numbers of a run; pointers and settings stay those of the run restored into. */
typedef struct numbers {
    zw_run_statistics stats;
    zr_energies at_start;
    double t, start_t, work[ZR_POWER_COUNT], lost, pending_t, last_fired, between, chatter_t;
    int64_t rounds;
    int32_t rank, stopper, fired_count, last_event, hasty, hurried, chatter[2];
    bool any_conflicting, pending, stopped, bad_start;
} numbers;

static uint64_t fingerprint(const zw_sim *sim)
{
    const zw_run_settings *set = &sim->run->settings;
    double settings[] = {set->until, set->tol, set->abs_tol, set->step, set->omega, set->zeta};
    int32_t sizes[] = {sim->zm->n,           sim->zm->m,
                       sim->zm->value_count, sim->run->watch.count,
                       (int32_t)set->method, (int32_t)set->stabilize,
                       (int32_t)set->form,   (int32_t)sizeof(numbers)};
    uint64_t hash = zb_hash_bytes(settings, sizeof settings);
    hash ^= zb_hash_scramble(zb_hash_bytes(sizes, sizeof sizes) + 1);
    hash ^= zb_hash_scramble(
        zb_hash_bytes(sim->values, sizeof(double) * (size_t)sim->zm->value_count) + 2);
    return hash;
}

/* Copies between the bytes and the run, both ways by one list. */
typedef struct tape {
    char *at; /* NULL: only counted */
    size_t size;
    bool load;
} tape;

static void pass(tape *t, void *data, size_t size)
{
    if (t->at && size > 0) {
        if (t->load)
            memcpy(data, t->at + t->size, size);
        else
            memcpy(t->at + t->size, data, size);
    }
    t->size += size;
}

static void collect(const zw_sim *sim, numbers *x)
{
    const zr_motion *run = sim->run;
    memset(x, 0, sizeof *x);
    x->stats = run->stats;
    x->at_start = run->at_start;
    x->t = sim->t;
    x->start_t = run->start_t;
    memcpy(x->work, run->work, sizeof x->work);
    x->lost = run->lost;
    x->pending_t = run->pending_t;
    x->last_fired = run->last_fired;
    x->between = run->between;
    x->chatter_t = run->chatter_t;
    x->rounds = sim->rounds;
    x->rank = run->rank;
    x->stopper = run->stopper;
    x->fired_count = run->fired_count;
    x->last_event = run->last_event;
    x->hasty = run->hasty;
    x->hurried = run->hurried;
    memcpy(x->chatter, run->chatter, sizeof x->chatter);
    x->any_conflicting = run->any_conflicting;
    x->pending = run->pending;
    x->stopped = run->stopped;
    x->bad_start = run->bad_start;
}

static void spread(zw_sim *sim, const numbers *x)
{
    zr_motion *run = sim->run;
    run->stats = x->stats;
    run->at_start = x->at_start;
    sim->t = x->t;
    run->start_t = x->start_t;
    memcpy(run->work, x->work, sizeof x->work);
    run->lost = x->lost;
    run->pending_t = x->pending_t;
    run->last_fired = x->last_fired;
    run->between = x->between;
    run->chatter_t = x->chatter_t;
    sim->rounds = x->rounds;
    run->rank = x->rank;
    run->stopper = x->stopper;
    run->fired_count = x->fired_count;
    run->last_event = x->last_event;
    run->hasty = x->hasty;
    run->hurried = x->hurried;
    memcpy(run->chatter, x->chatter, sizeof x->chatter);
    run->any_conflicting = x->any_conflicting;
    run->pending = x->pending;
    run->stopped = x->stopped;
    run->bad_start = x->bad_start;
    sim->road = ZR_NO_ROAD;
}

/* The arrays, in one order for both directions. */
static void pass_arrays(zw_sim *sim, tape *t)
{
    zr_motion *run = sim->run;
    size_t n = (size_t)sim->zm->n, m = (size_t)sim->zm->m, events = (size_t)run->watch.count;
    pass(t, sim->q, sizeof(double) * n);
    pass(t, sim->v, sizeof(double) * n);
    pass(t, run->conflicting, sizeof(bool) * m);
    pass(t, run->ever_conflicting, sizeof(bool) * m);
    pass(t, run->conflict_size, sizeof(double) * m);
    pass(t, run->truth, sizeof(bool) * events);
    pass(t, run->turned, sizeof(bool) * events);
    pass(t, run->fired_of, sizeof(int64_t) * events);
    if (events > 0) pass(t, run->fired, sizeof(zw_fired) * zr_most_fired);
    size_t stepper = zi_saved_size(run->stepper);
    if (t->at && t->load) zi_load(run->stepper, t->at + t->size);
    if (t->at && !t->load) zi_save(run->stepper, t->at + t->size);
    t->size += stepper;
}

static bool can_be_saved(const zw_sim *sim)
{
    return sim->run->stepper->method->restores && !sim->run->stats.switched;
}

static size_t length_of(zw_sim *sim)
{
    tape t = {.size = sizeof(header) + sizeof(numbers)};
    pass_arrays(sim, &t);
    return t.size;
}

zw_status zr_sim_save(zw_sim *sim, void *bytes, size_t size, size_t *needed)
{
    if (!sim->run || sim->run->failure != ZW_OK) return ZW_ERR_ORDER;
    if (!can_be_saved(sim)) return ZW_ERR_METHOD;
    *needed = length_of(sim);
    if (!bytes || size < *needed) return ZW_OK;
    header h = {.fingerprint = fingerprint(sim), .bytes = *needed};
    numbers x;
    memcpy(h.magic, magic, sizeof magic);
    collect(sim, &x);
    memcpy((char *)bytes + sizeof h, &x, sizeof x);
    tape t = {.at = bytes, .size = sizeof h + sizeof x};
    pass_arrays(sim, &t);
    h.check = zb_hash_bytes((const char *)bytes + sizeof h, *needed - sizeof h);
    memcpy(bytes, &h, sizeof h);
    return ZW_OK;
}

zw_status zr_sim_restore(zw_sim *sim, const void *bytes, size_t size)
{
    header h;
    numbers x;
    if (!sim->run) return ZW_ERR_ORDER;
    if (!can_be_saved(sim)) return ZW_ERR_METHOD;
    if (size < sizeof h + sizeof x) return ZW_ERR_SETTING;
    memcpy(&h, bytes, sizeof h);
    memcpy(&x, (const char *)bytes + sizeof h, sizeof x);
    bool ours = memcmp(h.magic, magic, sizeof magic) == 0 && h.fingerprint == fingerprint(sim) &&
                h.bytes == size && size == length_of(sim) &&
                h.check == zb_hash_bytes((const char *)bytes + sizeof h, size - sizeof h);
    if (!ours || x.fired_count < 0 || x.fired_count > zr_most_fired) return ZW_ERR_SETTING;
    spread(sim, &x);
    tape t = {.at = (char *)(uintptr_t)bytes, .size = sizeof h + sizeof x, .load = true};
    pass_arrays(sim, &t);
    sim->run->failure = ZW_OK;
    return ZW_OK;
}
