/*
 * Members of an ensemble side by side: a crowd (motion) over the fused programs, whose rates and
 * projection are in crowd_step.c. Here is who is in which lane, and where its results go.
 *
 * Entry i of lane l stands at [i * width + l]. A lane that is refused sends its member away, to be
 * run alone. Works are integrated with the state as in single runs: they never touch q and v, but a
 * step in which one is not a number is none. All memory is taken before the first member.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "crowd_step.h"

bool zr_is_crowd_over(zr_crowd *a)
{
    if (++a->asked % 64 == 0) zr_ask_poll(a->worker, false);
    return a->worker->crew->over;
}

/* ---------------------------------------------------------------------- members */

/* The values of the worker's simulation, hoisted ones too, into one lane. */
static void copy_values_to_lane(zr_crowd *a, int32_t lane)
{
    zw_sim *sim = a->worker->sim;
    int32_t count = zr_count_values(sim->model);
    for (int32_t i = 0; i < count; i++) a->value[i * a->width + lane] = sim->values[i];
}

/* zi_crowd.next: the parameters and the start of the next member go to a lane. Members whose
 * parameters are not finite numbers are through at once. */
static bool seat_next_member(void *user, int32_t lane, int64_t *member, double *t, double *y)
{
    zr_crowd *a = user;
    zr_worker *worker = a->worker;
    const zr_crew *crew = worker->crew;
    zw_status status = ZW_ERR_SETTING;
    while (status != ZW_OK) {
        if (!zr_take_member(worker, member)) return false;
        status = zr_set_member_values(worker, *member);
        if (status != ZW_OK) zr_run_member(worker, *member);
    }
    if (crew->ensemble->name_count > 0) {
        zr_fused_parameters(worker->sim);
        copy_values_to_lane(a, lane);
    }
    *t = crew->ensemble->t;
    for (int32_t k = 0; k < a->fused->places.powers; k++) y[2 * a->n + k] = 0.0;
    memcpy(y, zr_member_state(crew, *member), sizeof *y * 2 * (size_t)a->n);
    if (crew->watch) crew->watch->seat(crew->watch->user, lane, *member);
    return true;
}

/* zi_crowd.weigh: as open_steppers does for one member. */
static void weigh_member(void *user, double t, const double *y, double *inertia, double *island)
{
    zr_crowd *a = user;
    zr_worker *worker = a->worker;
    zk_source s = zr_source(worker->sim, t, y, y + a->n);
    if (worker->crew->ensemble->name_count > 0) zr_parameters_changed(worker->sim);
    zr_find_inertias(worker->sim, &s, inertia, island);
}

/* zi_crowd.done: results of whoever has reached the end; all others are run alone, or stay at their
 * start where the ensemble is over. */
static void finish_crowd_member(void *user, const zi_gone *gone)
{
    zr_crowd *a = user;
    zr_worker *worker = a->worker;
    if (!gone->reached && worker->crew->over)
        zr_leave_member(worker, gone->member, ZW_OK);
    else if (!gone->reached)
        zr_run_member(worker, gone->member);
    else {
        const zr_lane_watch *watch = worker->crew->watch;
        if (watch) watch->done(watch->user, gone->member, gone->t);
        zw_member end = {.outcome = ZW_REACHED,
                         .in_lanes = true,
                         .t = gone->t,
                         .steps = gone->counts.steps,
                         .rejected = gone->counts.rejected,
                         .evaluations = gone->counts.evaluations};
        zr_end_member(worker, gone->member, &end, gone->y);
    }
}

static void keep_crowd_sample(void *user, int64_t member, int32_t k, const double *y)
{
    const zr_crowd *a = user;
    memcpy(zr_member_sample(a->worker->crew, member, k), y, sizeof *y * 2 * (size_t)a->n);
}

static uint32_t pass_crowd_step(void *user, zi_group *group, uint32_t lanes)
{
    const zr_crowd *a = user;
    const zr_lane_watch *watch = a->worker->crew->watch;
    return watch->pass(watch->user, group, lanes);
}

/* ------------------------------------------------------------------------ crowd */

/* As settings ask, where there are rows. */
static bool is_crowd_projected(const zr_fused_form *fused, const zw_run_settings *settings)
{
    bool rows = fused->side[ZR_POSITION].rows > 0 || fused->side[ZR_VELOCITY].rows > 0;
    return settings->stabilize == ZW_PROJECT && rows;
}

/* The method of a crowd; NULL: it is none that crowds can step. auto is dop853 until a member turns
 * out to be stiff: then that one is run alone. */
static const zi_method *find_crowd_method(zw_method method)
{
    if (method == ZW_AUTO && !zi_find_method(zb_method_name(ZW_BDF))) return NULL;
    if (method == ZW_AUTO) method = ZW_DOP853;
    const zi_method *found = zi_find_method(zb_method_name(method));
    return found && found->pair ? found : NULL;
}

/* Crowds need a fused program, an embedded pair as their method, and a model without events. */
int32_t zr_choose_crowd(const zw_model *model, const zw_run_settings *settings, double t)
{
    bool goes = settings->until > t && find_crowd_method(settings->method);
    if (!goes || zr_event_count(model) > 0 || model->switches || model->laws || model->lookups)
        return 0;
    return zr_may_fuse(model, settings) ? model->lanes : 0;
}

int32_t zr_crowd_size(const zw_model *model)
{
    return 2 * model->zm->n + model->fused->forms->places.powers;
}

/* count doubles for each lane, at a multiple of 64 bytes; NULL: see arena.failure. */
static double *take_lane_doubles(zr_crowd *a, size_t count)
{
    return zb_arena_take(&a->arena, zb_product(zb_product(count, (size_t)a->width), sizeof(double)),
                         64);
}

/* All memory; values are the same in all lanes, until members bring their own. */
static zw_status open_crowd(zr_worker *worker, zr_crowd *a)
{
    const zr_crew *crew = worker->crew;
    const zr_fused *fused = crew->model->fused;
    const zm_model *zm = crew->model->zm;
    bool minds = is_crowd_projected(fused->forms, crew->settings);
    *a = (zr_crowd){.worker = worker, .fused = fused->forms, .n = zm->n, .width = crew->width};
    a->polled = crew->settings->poll != NULL;
    a->limit = zr_fused_guard;
    if (minds) a->limit = fmin(a->limit, zi_much_noise / DBL_EPSILON);
    a->evaluator = crew->settings->kernel == ZW_KERNEL_BYTECODE ? ZK_BYTE_CODE : ZK_FASTEST;
    zb_arena_init(&a->arena, &worker->memory, 0);
    a->value = take_lane_doubles(a, (size_t)zr_count_values(crew->model));
    a->frame.value = a->value;
    a->frame.out = take_lane_doubles(a, (size_t)fused->most_outputs);
    a->frame.workspace = take_lane_doubles(a, fused->workspace);
    a->A = take_lane_doubles(a, (size_t)crew->model->A.count);
    if (a->arena.failure != ZW_OK) return a->arena.failure;
    for (int32_t l = 0; l < a->width; l++) copy_values_to_lane(a, l);
    return ZW_OK;
}

extern const zr_crowd_functions zr_crowd_functions_plain_4, zr_crowd_functions_plain_8;
#if defined(ZR_HAVE_X86)
extern const zr_crowd_functions zr_crowd_functions_avx2_4, zr_crowd_functions_avx2_8,
    zr_crowd_functions_avx512_8;
#endif

/* The variant of crowd_step.c for the best instruction set of this processor. */
static const zr_crowd_functions *find_crowd_functions(int32_t width)
{
#if defined(ZR_HAVE_X86)
    zb_cpu_level level = zb_cpu();
    if (level == ZB_CPU_AVX512 && width == 8) return &zr_crowd_functions_avx512_8;
    if (level != ZB_CPU_PLAIN)
        return width == 8 ? &zr_crowd_functions_avx2_8 : &zr_crowd_functions_avx2_4;
#endif
    return width == 8 ? &zr_crowd_functions_plain_8 : &zr_crowd_functions_plain_4;
}

/* See ensemble.h. Settings and functions for zi_run_crowd, which drives the members. */
zw_status zr_run_crowd(zr_worker *worker)
{
    const zr_crew *crew = worker->crew;
    const zw_run_settings *set = crew->settings;
    const zw_ensemble *e = crew->ensemble;
    zr_crowd a;
    zw_status status = open_crowd(worker, &a);
    const zr_crowd_functions *functions = find_crowd_functions(a.width);
    zi_settings settings = {.tol = set->tol,
                            .abs_tol = set->abs_tol,
                            .sized = !(set->abs_tol > 0.0),
                            .step = set->step,
                            .end = set->until};
    zi_crowd crowd = {.size = 2 * a.n + a.fused->places.powers,
                      .controlled = 2 * a.n,
                      .width = a.width,
                      .max_steps = set->max_steps,
                      .patience = set->patience,
                      .stiff_leaves = set->method == ZW_AUTO,
                      .times = e->times,
                      .time_count = e->time_count,
                      .user = &a,
                      .next = seat_next_member,
                      .weigh = weigh_member,
                      .done = finish_crowd_member,
                      .rates = functions->rates,
                      .project = is_crowd_projected(a.fused, set) ? functions->project : NULL,
                      .sample = keep_crowd_sample,
                      .pass = crew->watch ? pass_crowd_step : NULL};
    if (status == ZW_OK)
        status = zi_run_crowd(&worker->memory, find_crowd_method(set->method), &crowd, &settings);
    zb_arena_clear(&a.arena);
    return status;
}
