/*
 * Ensembles: many runs of one model. Here arguments are checked, names of parameters are looked up,
 * threads are started and take members from a queue.
 *
 * The calling thread is the first worker; the others are started for as long as the call lasts.
 * Memory of all of them comes through the context's, one at a time, so that its budget counts; the
 * model is only read. Workers report nothing. A member that ran out of memory while others held
 * theirs is run again when these have given it back.
 */
#include "ensemble.h"

#include <math.h>
#include <string.h>

#include "road_parts.h"

static const double between_polls = 0.05; /* seconds, at least */
static const double rest = 0.002;         /* seconds, of the caller's thread while it waits */
enum { most_threads = 1024 };

/* ---------------------------------------------------------------------- checks */

/* Sample times, from the start on and not beyond the end. */
static bool are_times_ascending(const zw_ensemble *e, double until)
{
    double before = e->t;
    for (int32_t k = 0; k < e->time_count; k++) {
        if (!(e->times[k] >= before)) return false;
        before = e->times[k];
    }
    return before <= until;
}

/* No name is NULL. */
static bool are_names_there(const zw_ensemble *e)
{
    for (int32_t k = 0; k < e->name_count; k++)
        if (!e->names[k]) return false;
    return true;
}

/* Counts, arrays, times and settings; false: ZW_ERR_ARGUMENT. */
static bool is_ensemble_sound(const zw_ensemble *e, const zw_run_settings *settings)
{
    bool some = e->count > 0;
    if (e->count < 0 || e->name_count < 0 || e->time_count < 0 || e->threads < 0) return false;
    if (some && !e->state) return false;
    if (e->name_count > 0 && (!e->names || (some && !e->values))) return false;
    if (e->time_count > 0 && (!e->times || (some && !e->samples))) return false;
    if (!isfinite(e->t) || !isfinite(settings->until)) return false;
    return zr_sensible(settings, e->t) && are_times_ascending(e, settings->until) &&
           are_names_there(e);
}

/* ----------------------------------------------------------------------- names */

/* E0109, of a name with which "name = 1" would set several parameters, or none; never ZW_OK. */
static zw_status refuse_name(zw_model *model, const char *name)
{
    zb_text sentence;
    zb_text_init(&sentence, &model->context->memory);
    zb_text_printf(&sentence, "'%s' does not name one parameter", name);
    zr_message message = {
        .code = "E0109", .place = zr_nowhere, .help = "name single parameters: m, k[2]"};
    zw_status status = zr_report(model, &message, &sentence);
    zb_text_free(&sentence);
    return status == ZW_OK ? ZW_ERR_SETTING : status;
}

/* *element: the parameter that "name = 1" sets, resolved and refused as every other setting; values
 * and set: scratch. */
static zw_status find_parameter(zw_model *model, const char *name, double *values, bool *set,
                                int32_t *element)
{
    zm_model *zm = model->zm;
    zb_text text;
    int32_t found = 0;
    if (strpbrk(name, "=#;\n\r")) return refuse_name(model, name);
    memcpy(values, zm->values, sizeof *values * (size_t)zm->value_count);
    memset(set, 0, sizeof *set * (size_t)zm->parameter_count);
    zb_text_init(&text, &model->context->memory);
    zb_text_printf(&text, "%s = 1", name);
    zw_status status = text.failure;
    if (status == ZW_OK)
        status = zm_assign_values(zm, &model->context->diagnostics, "settings",
                                  zb_text_string(&text), values, set);
    zb_text_free(&text);
    if (status != ZW_OK) return status;
    for (int32_t k = 0; k < zm->parameter_count; k++) {
        if (!set[k]) continue;
        *element = k;
        found++;
    }
    return found == 1 ? ZW_OK : refuse_name(model, name);
}

/* crew->element, in the arena. */
static zw_status find_parameters(zr_crew *crew, zb_arena *arena)
{
    const zw_ensemble *e = crew->ensemble;
    const zm_model *zm = crew->model->zm;
    crew->element = ZB_NEW_ARRAY(arena, int32_t, (size_t)e->name_count);
    double *values = ZB_NEW_ARRAY(arena, double, (size_t)zm->value_count);
    bool *set = ZB_NEW_ARRAY(arena, bool, (size_t)zm->parameter_count);
    if (arena->failure != ZW_OK) return arena->failure;
    for (int32_t k = 0; k < e->name_count; k++)
        ZB_TRY(find_parameter(crew->model, e->names[k], values, set, &crew->element[k]));
    return ZW_OK;
}

/* --------------------------------------------------------------- poll and queue */

/* In the caller's thread only; steps of the progress count members that are through. */
void zr_ask_poll(zr_worker *worker, bool due)
{
    zr_crew *crew = worker->crew;
    if (!worker->calling || !crew->settings->poll || crew->over) return;
    double now = zb_clock();
    if (!due && now - crew->asked < between_polls) return;
    crew->asked = now;
    zw_progress progress = {.t = crew->ensemble->t, .steps = crew->through};
    if (!crew->settings->poll(crew->settings->user, &progress)) crew->over = true;
}

/* The poll of members' runs, which interrupts them when the ensemble is over. */
static bool poll_for_member(void *user, const zw_progress *progress)
{
    zr_worker *worker = user;
    (void)progress;
    zr_ask_poll(worker, false);
    return !worker->crew->over;
}

/* Members are numbered on; nobody waits. */
bool zr_take_member(zr_worker *worker, int64_t *member)
{
    zr_crew *crew = worker->crew;
    if (crew->over) return false;
    *member = atomic_fetch_add(&crew->taken, 1);
    return *member < crew->ensemble->count;
}

/* --------------------------------------------------------------------- workers */

/* The crew's memory, one worker at a time; zw_resize_fn. Why it refused is kept for the worker. */
static void *resize_in_turn(void *user, void *block, size_t old_size, size_t new_size)
{
    zr_worker *worker = user;
    zr_crew *crew = worker->crew;
    zb_mutex_lock(&crew->lock);
    void *resized = zb_resize(crew->memory, block, old_size, new_size);
    if (!resized && new_size > 0) worker->refusal = crew->memory->failure;
    zb_mutex_unlock(&crew->lock);
    return resized;
}

/* Also one that was opened in part, or not at all. */
static void close_worker(zr_worker *worker)
{
    if (!worker->crew) return;
    size_t formulas = (size_t)worker->crew->model->zm->formulas.count;
    zr_sim_free(worker->sim);
    zb_resize(&worker->memory, worker->scratch, formulas * sizeof(double), 0);
    *worker = (zr_worker){0};
}

/* A simulation in the crew's memory, whose named parameters count as set from outside. */
static zw_status open_worker(zr_crew *crew, zr_worker *worker, bool calling)
{
    size_t formulas = (size_t)crew->model->zm->formulas.count;
    zw_allocator in_turn = {.resize = resize_in_turn, .user = worker};
    *worker = (zr_worker){.crew = crew, .settings = *crew->settings, .calling = calling};
    zb_memory_init(&worker->memory, &in_turn);
    if (crew->settings->poll) {
        worker->settings.poll = poll_for_member;
        worker->settings.user = worker;
    }
    ZB_TRY(zr_sim_create_in(&worker->memory, crew->model, &worker->sim));
    const double *first = zr_member_state(crew, 0); /* parts for all are chosen at its state */
    zr_sim_set_state(worker->sim, crew->ensemble->t, first, first + crew->model->zm->n);
    ZB_TRY(zr_adapt_parts(worker->sim));
    for (int32_t k = 0; k < crew->ensemble->name_count; k++)
        worker->sim->overridden[crew->element[k]] = true;
    if (formulas == 0) return ZW_OK;
    worker->scratch = zb_resize(&worker->memory, NULL, 0, zb_product(formulas, sizeof(double)));
    return worker->scratch ? ZW_OK : worker->memory.failure;
}

/* The body of a thread: members until none is left. */
static void run_worker(void *user)
{
    zr_worker *worker = user;
    zr_crew *crew = worker->crew;
    int64_t member;
    /* a crowd that cannot be had leaves all members to the loop */
    if (crew->width > 0) (void)zr_run_crowd(worker);
    while (zr_take_member(worker, &member)) zr_run_member(worker, member);
    crew->busy--;
}

/* ------------------------------------------------------------------------ crew */

/* No more than there are crowds, or members, to run. */
static int32_t choose_thread_count(const zr_crew *crew)
{
    const zw_ensemble *e = crew->ensemble;
    int32_t threads = e->threads > 0 ? e->threads : zb_processor_count();
    int64_t groups = crew->width > 0 ? (e->count + crew->width - 1) / crew->width : e->count;
    if (threads > most_threads) threads = most_threads;
    return threads < groups ? threads : (int32_t)groups;
}

/* *count: workers wanted, then opened: as many as there is memory for, one at least. */
static zw_status open_workers(zr_crew *crew, zr_worker *workers, int32_t *count)
{
    int32_t wanted = *count;
    *count = 1;
    zw_status status = open_worker(crew, &workers[0], true);
    if (status != ZW_OK) {
        if (status == ZW_ERR_MEMORY && workers[0].refusal != ZW_OK) status = workers[0].refusal;
        return status;
    }
    while (*count < wanted) {
        if (open_worker(crew, &workers[*count], false) != ZW_OK) {
            close_worker(&workers[*count]);
            break;
        }
        ++*count;
    }
    return ZW_OK;
}

/* The caller's thread works, too, and waits for the others. */
static void run_threads(zr_crew *crew, zr_worker *workers, int32_t count)
{
    int32_t started = 1;
    crew->busy = 1;
    while (started < count) {
        crew->busy++;
        if (!zb_thread_start(&workers[started].thread, run_worker, &workers[started])) {
            crew->busy--;
            break;
        }
        started++;
    }
    run_worker(&workers[0]);
    while (crew->settings->poll && crew->busy > 0) {
        zb_rest(rest);
        zr_ask_poll(&workers[0], false);
    }
    for (int32_t k = 1; k < started; k++) zb_thread_join(&workers[k].thread);
}

/* Members for whom memory was short run again, now that others have given theirs back; those that
 * nobody has taken, since the ensemble is over, stay at their start. */
static void run_left_over(zr_crew *crew, zr_worker *worker)
{
    int64_t count = crew->ensemble->count, taken = crew->taken;
    for (int64_t i = 0; i < count && i < taken; i++)
        if (zr_is_memory((zw_status)crew->status[i]) && !crew->over) zr_run_member(worker, i);
    for (int64_t i = taken; i < count; i++) zr_leave_member(worker, i, ZW_OK);
}

/* Machine code and workers, threads, then what is left over. */
static zw_status run_with_workers(zr_crew *crew, zb_arena *arena)
{
    int32_t count = choose_thread_count(crew);
    zr_worker *workers = ZB_NEW_ARRAY(arena, zr_worker, (size_t)count);
    crew->status = ZB_NEW_ARRAY(arena, unsigned char, (size_t)crew->ensemble->count);
    if (arena->failure != ZW_OK) return arena->failure;
    zr_make_machine_code(crew->model, crew->settings, 1);
    if (crew->width > 0) zr_make_machine_code(crew->model, crew->settings, crew->width);
    zw_status status = open_workers(crew, workers, &count);
    if (status == ZW_OK) {
        crew->asked = zb_clock();
        run_threads(crew, workers, count);
        for (int32_t k = 1; k < count; k++) close_worker(&workers[k]);
        run_left_over(crew, &workers[0]);
    }
    close_worker(&workers[0]);
    return status;
}

/* A caller without an array for the members is told of the first failure. */
static zw_status find_first_failure(const zr_crew *crew)
{
    const zw_ensemble *e = crew->ensemble;
    for (int64_t i = 0; i < e->count && !e->members; i++)
        if (crew->status[i] != ZW_OK) return (zw_status)crew->status[i];
    return ZW_OK;
}

/* A crowd of one is none. */
zw_status zr_ensemble_watched(zw_model *model, const zw_run_settings *settings,
                              zw_ensemble *ensemble, const zr_lane_watch *watch)
{
    if (!is_ensemble_sound(ensemble, settings)) return ZW_ERR_ARGUMENT;
    zb_arena arena;
    zr_crew crew = {.model = model,
                    .settings = settings,
                    .ensemble = ensemble,
                    .watch = watch,
                    .memory = &model->context->memory,
                    .width = zr_choose_crowd(model, settings, ensemble->t)};
    if (!zb_mutex_init(&crew.lock)) return ZW_ERR_MEMORY;
    zb_arena_init(&arena, crew.memory, 0);
    if (ensemble->count < 2) crew.width = 0;
    zw_status status = find_parameters(&crew, &arena);
    if (status == ZW_OK && ensemble->count > 0) {
        status = run_with_workers(&crew, &arena);
        if (status == ZW_OK) status = find_first_failure(&crew);
    }
    zb_arena_clear(&arena);
    zb_mutex_clear(&crew.lock);
    return status;
}

zw_status zr_ensemble_run(zw_model *model, const zw_run_settings *settings, zw_ensemble *ensemble)
{
    return zr_ensemble_watched(model, settings, ensemble, NULL);
}
