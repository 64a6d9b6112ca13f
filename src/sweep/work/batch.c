/*
 * A batch of a sweep: values of its runs, the model that each needs, their numbers, the block. Runs
 * of one structure are computed together; a structure that cannot be had (its model has errors, or
 * lacks what is kept) fails all of its runs with the reason.
 */
#include "worker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------- worker */

zw_status zs_worker_open(zs_worker *w, const zw_sweep *sweep, zb_mutex *compiling,
                         atomic_bool *over)
{
    *w = (zs_worker){.sweep = sweep, .compiling = compiling, .over = over};
    w->target_count = sweep->axis_count - sweep->structural_count;
    ZB_TRY(zr_context_create(NULL, &w->context));
    w->context->solver = sweep->context->solver;
    w->context->threads = 1;
    zb_arena_init(&w->arena, &w->context->memory, 0);
    for (int32_t k = 0; k < zs_most_variants; k++) {
        zs_variant *v = &w->variants[k];
        v->structural = ZB_NEW_ARRAY(&w->arena, double, (size_t)sweep->structural_count);
        v->targets = ZB_NEW_ARRAY(&w->arena, int32_t, (size_t)sweep->axis_count);
        v->axis = ZB_NEW_ARRAY(&w->arena, int32_t, (size_t)sweep->axis_count);
    }
    return w->arena.failure;
}

static void close_variant(zs_variant *v)
{
    zr_keep_free(v->keep);
    zr_sim_free(v->sim);
    zr_model_free(v->model);
    v->keep = NULL;
    v->sim = NULL;
    v->model = NULL;
    v->there = false;
}

void zs_worker_close(zs_worker *w)
{
    if (!w->context) return;
    for (int32_t k = 0; k < zs_most_variants; k++) close_variant(&w->variants[k]);
    zb_arena_clear(&w->arena);
    zr_context_free(w->context);
    w->context = NULL;
}

/* --------------------------------------------------------------------------- variants */

/* Asked after every step of a run, and by ensembles. */
static bool goes_on(void *user, const zw_progress *progress)
{
    const atomic_bool *over = user;
    (void)progress;
    return !atomic_load_explicit(over, memory_order_relaxed);
}

/* The targets of this model: numbers of parameters differ from structure to structure. */
static zw_status bind_targets(const zw_sweep *sweep, zs_variant *v)
{
    int32_t count = 0;
    for (int32_t k = 0; k < sweep->axis_count; k++) {
        if (sweep->axes[k].structural) continue;
        if (!zr_find_target(v->model, sweep->axes[k].name, &v->targets[count]))
            return zr_refuse_setting(v->model, "E0762", NULL,
                                     "the model has no '%s' with this structure",
                                     sweep->axes[k].name);
        v->axis[count++] = k;
    }
    return ZW_OK;
}

/* What is kept must be the same for all structures. */
static zw_status check_kept(const zw_sweep *sweep, const zs_variant *v)
{
    bool same = zr_keep_count(v->keep) == sweep->kept;
    for (int32_t k = 0; same && k < sweep->kept; k++)
        same = strcmp(zr_keep_name(v->keep, k), sweep->names[sweep->axis_count + k]) == 0;
    return same ? ZW_OK
                : zr_refuse_setting(v->model, "E0764", NULL,
                                    "with this structure other numbers would be kept: keep single "
                                    "columns that every one has");
}

static zw_status open_variant(zs_worker *w, zs_variant *v)
{
    const zw_sweep *sweep = w->sweep;
    zb_mutex_lock(w->compiling);
    zw_status status = zs_compile(sweep, w->context, v->structural, &v->model);
    zb_mutex_unlock(w->compiling);
    ZB_TRY(status);
    zs_settle(sweep, v->model, &v->settings);
    v->settings.poll = goes_on;
    v->settings.user = w->over;
    ZB_TRY(zr_keep_create(v->model, &v->settings, sweep->plan.keep, &v->keep));
    ZB_TRY(check_kept(sweep, v));
    ZB_TRY(bind_targets(sweep, v));
    return zr_sim_create(v->model, &v->sim);
}

/* The first error that was told. */
static void write_reason(const zw_context *context, zw_status status, char reason[ZR_REASON_SIZE])
{
    const zw_diagnostic *d = zb_diag_get(&context->diagnostics, 0);
    zb_text text;
    zb_text_init_fixed(&text, reason, ZR_REASON_SIZE);
    if (d && d->severity == ZW_ERROR)
        zb_text_printf(&text, "%s: %s", d->code, d->sentence);
    else
        zb_text_add(&text, zb_status_sentence(status));
}

/* The variant with these structural values, compiled now if it is new: in the place of the one that
 * was not used for longest. */
static zw_status find_variant(zs_worker *w, const double *structural, zs_variant **found)
{
    size_t bytes = sizeof *structural * (size_t)w->sweep->structural_count;
    zs_variant *oldest = &w->variants[0];
    for (int32_t k = 0; k < zs_most_variants; k++) {
        zs_variant *v = &w->variants[k];
        if (v->there && (bytes == 0 || memcmp(v->structural, structural, bytes) == 0)) {
            v->used = ++w->clock;
            *found = v;
            return ZW_OK;
        }
        if (oldest->there && (!v->there || v->used < oldest->used)) oldest = v;
    }
    close_variant(oldest);
    if (bytes > 0) memcpy(oldest->structural, structural, bytes);
    zb_diag_clear(&w->context->diagnostics);
    oldest->failure = open_variant(w, oldest);
    if (oldest->failure == ZW_ERR_MEMORY || oldest->failure == ZW_ERR_BUDGET)
        return oldest->failure;
    if (oldest->failure != ZW_OK) write_reason(w->context, oldest->failure, oldest->reason);
    oldest->there = true;
    oldest->used = ++w->clock;
    *found = oldest;
    return ZW_OK;
}

/* ------------------------------------------------------------------------------- batch */

/* A batch at work: arrays of as many runs as a batch has. */
struct zs_batch_room {
    zs_worker *worker;
    int64_t first, count;
    double *all;    /* [count * axis_count] */
    double *values; /* [count * target_count] of the runs of one structure */
    double *kept;   /* [count * kept], of all runs */
    double *some;   /* likewise, of the runs of one structure */
    int32_t *status, *some_status;
    char (*reason)[ZR_REASON_SIZE], (*some_reason)[ZR_REASON_SIZE];
    bool *done;
    int64_t *member; /* runs of one structure */
    double *structural;
};
typedef struct zs_batch_room batch_work;

static zw_status take_batch(batch_work *b, zb_arena *arena)
{
    const zw_sweep *sweep = b->worker->sweep;
    size_t count = (size_t)b->count, axes = (size_t)sweep->axis_count, kept = (size_t)sweep->kept;
    b->all = ZB_NEW_ARRAY(arena, double, zb_product(count, axes));
    b->values = ZB_NEW_ARRAY(arena, double, zb_product(count, axes));
    b->kept = ZB_NEW_ARRAY(arena, double, zb_product(count, kept));
    b->some = ZB_NEW_ARRAY(arena, double, zb_product(count, kept));
    b->status = ZB_NEW_ARRAY(arena, int32_t, count);
    b->some_status = ZB_NEW_ARRAY(arena, int32_t, count);
    b->reason = zb_arena_take(arena, zb_product(count, ZR_REASON_SIZE), 1);
    b->some_reason = zb_arena_take(arena, zb_product(count, ZR_REASON_SIZE), 1);
    b->done = ZB_NEW_ARRAY(arena, bool, count);
    b->member = ZB_NEW_ARRAY(arena, int64_t, count);
    b->structural = ZB_NEW_ARRAY(arena, double, axes);
    return arena->failure;
}

/* The structural values of a run. */
static void read_structure(const zw_sweep *sweep, const double *values, double *structural)
{
    for (int32_t k = 0; k < sweep->axis_count; k++)
        if (sweep->axes[k].structural) *structural++ = values[k];
}

static bool has_structure(const zw_sweep *sweep, const double *values, const double *structural)
{
    for (int32_t k = 0; k < sweep->axis_count; k++)
        if (sweep->axes[k].structural && zb_bits(values[k]) != zb_bits(*structural++)) return false;
    return true;
}

static void fail_runs(batch_work *b, int64_t count, const zs_variant *v)
{
    size_t kept = (size_t)b->worker->sweep->kept;
    for (int64_t i = 0; i < count; i++) {
        b->some_status[i] = (int32_t)v->failure;
        memcpy(b->some_reason[i], v->reason, ZR_REASON_SIZE);
        for (size_t k = 0; k < kept; k++) b->some[(size_t)i * kept + k] = (double)NAN;
    }
}

/* All runs with the structure of run `first`. */
static zw_status run_structure(batch_work *b, int64_t first)
{
    zs_worker *w = b->worker;
    const zw_sweep *sweep = w->sweep;
    size_t axes = (size_t)sweep->axis_count, kept = (size_t)sweep->kept;
    zs_variant *v = NULL;
    int64_t count = 0;
    read_structure(sweep, b->all + (size_t)first * axes, b->structural);
    ZB_TRY(find_variant(w, b->structural, &v));
    for (int64_t i = first; i < b->count; i++) {
        const double *values = b->all + (size_t)i * axes;
        if (b->done[i] || !has_structure(sweep, values, b->structural)) continue;
        for (int32_t k = 0; k < w->target_count && v->failure == ZW_OK; k++)
            b->values[count * w->target_count + k] = values[v->axis[k]];
        b->member[count++] = i;
        b->done[i] = true;
    }
    zr_members members = {.count = count,
                          .target_count = w->target_count,
                          .targets = v->targets,
                          .values = b->values,
                          .kept = b->some,
                          .status = b->some_status,
                          .reason = b->some_reason};
    if (v->failure != ZW_OK)
        fail_runs(b, count, v);
    else
        ZB_TRY(zr_run_members(v->sim, v->keep, &v->settings, &members));
    for (int64_t i = 0; i < count; i++) {
        int64_t to = b->member[i];
        b->status[to] = b->some_status[i];
        if (b->status[to] != ZW_OK) memcpy(b->reason[to], b->some_reason[i], ZR_REASON_SIZE);
        memcpy(b->kept + (size_t)to * kept, b->some + (size_t)i * kept, sizeof(double) * kept);
    }
    return ZW_OK;
}

/* Head, rows, failures. What is not a number has the bits of one NaN. */
static zw_status write_block(const batch_work *b, int64_t batch, char **block, size_t *size)
{
    const zw_sweep *sweep = b->worker->sweep;
    size_t axes = (size_t)sweep->axis_count, kept = (size_t)sweep->kept;
    zs_block_head head = {.batch = batch, .first = b->first, .count = b->count};
    for (int64_t i = 0; i < b->count; i++) head.failures += b->status[i] != ZW_OK;
    *size = zs_block_size(sweep, b->count, head.failures);
    char *at = *block = calloc(1, *size);
    if (!at) return ZW_ERR_MEMORY;
    memcpy(at, &head, sizeof head);
    at += sizeof head;
    for (int64_t i = 0; i < b->count; i++) {
        double *row = (double *)(void *)at;
        memcpy(row, b->all + (size_t)i * axes, sizeof(double) * axes);
        for (size_t k = 0; k < kept; k++) {
            double x = b->kept[(size_t)i * kept + k];
            row[axes + k] = isnan(x) ? (double)NAN : x;
        }
        at += sizeof(double) * (axes + kept);
    }
    for (int64_t i = 0; i < b->count; i++) {
        zw_sweep_failure failure = {.run = b->first + i, .status = b->status[i]};
        if (b->status[i] == ZW_OK) continue;
        memcpy(failure.reason, b->reason[i], ZR_REASON_SIZE);
        memset(failure.reason + strlen(failure.reason), 0, ZR_REASON_SIZE - strlen(failure.reason));
        memcpy(at, &failure, sizeof failure);
        at += sizeof failure;
    }
    return ZW_OK;
}

/* The room of a worker, the first time. */
static zw_status open_room(zs_worker *w)
{
    if (w->room) return ZW_OK;
    batch_work *room = ZB_NEW(&w->arena, batch_work);
    if (!room) return w->arena.failure;
    *room = (batch_work){.worker = w, .count = w->sweep->batch};
    ZB_TRY(take_batch(room, &w->arena));
    w->room = room;
    return ZW_OK;
}

zw_status zs_worker_batch(zs_worker *w, int64_t batch, char **block, size_t *size)
{
    const zw_sweep *sweep = w->sweep;
    ZB_TRY(open_room(w));
    batch_work *b = w->room;
    b->first = batch * sweep->batch;
    b->count = zs_batch_runs(sweep, batch);
    memset(b->done, 0, sizeof *b->done * (size_t)b->count);
    for (int64_t i = 0; i < b->count; i++)
        zs_sweep_values(sweep, b->first + i, b->all + i * sweep->axis_count);
    for (int64_t i = 0; i < b->count; i++)
        if (!b->done[i]) ZB_TRY(run_structure(b, i));
    return write_block(b, batch, block, size);
}
