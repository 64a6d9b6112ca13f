/*
 * A batch of runs of a sweep. Where no events, trust or steps are kept, and members can be stepped
 * side by side, they go as an ensemble, with their starts found one after the other; who does not reach the end there is run alone, which tells why. Everybody else is run alone. The
 * numbers are the same to the bit: a member of an ensemble ends with the bits of its own run.
 *
 * Also the names of what can be varied.
 */
#include <math.h>
#include <string.h>

#include "members.h"

/* --------------------------------------------------------------------------- opening */

static zw_status open_bench(zr_bench *b)
{
    zw_sim *sim = b->sim;
    size_t targets = (size_t)b->members->target_count, widest = 1;
    zb_arena_init(&b->arena, sim->memory, 0);
    for (int32_t g = 0; g < ZR_KEEP_GROUPS; g++)
        if ((size_t)b->keep->groups[g].count > widest) widest = (size_t)b->keep->groups[g].count;
    b->entry = ZB_NEW_ARRAY(&b->arena, int32_t, targets);
    b->value = ZB_NEW_ARRAY(&b->arena, double, targets);
    b->scratch = ZB_NEW_ARRAY(&b->arena, double, (size_t)sim->zm->formulas.count);
    b->row = ZB_NEW_ARRAY(&b->arena, double, widest);
    return b->arena.failure;
}

/* Nothing is kept that only a run of its own can tell. */
static bool may_go_in_lanes(const zr_bench *b)
{
    return !b->keep->told && !b->keep->fired && b->members->count > 1 &&
           zr_choose_crowd(b->sim->model, b->settings, b->settings->from) > 0;
}

/* ------------------------------------------------------------------------- in lanes */

/* Members whose start was found, with what an ensemble needs of them. */
typedef struct lane_batch {
    zw_ensemble e;
    int64_t *member; /* [count] */
    const char **names;
    double *values;
    zr_lane_along *along; /* NULL: nothing is kept along the way */
} lane_batch;

static zw_status take_lane_batch(zr_bench *b, lane_batch *l)
{
    const zr_members *m = b->members;
    const zw_model *model = b->sim->model;
    size_t count = (size_t)m->count, n = (size_t)b->sim->zm->n;
    size_t targets = (size_t)m->target_count, times = (size_t)b->keep->times.count;
    *l = (lane_batch){.e = {.t = b->settings->from, .threads = 1}};
    l->member = ZB_NEW_ARRAY(&b->arena, int64_t, count);
    l->e.state = ZB_NEW_ARRAY(&b->arena, double, zb_product(count, 2 * n));
    l->e.members = ZB_NEW_ARRAY(&b->arena, zw_member, count);
    l->e.samples = ZB_NEW_ARRAY(&b->arena, double, zb_product(zb_product(count, times), 2 * n));
    l->e.times = b->keep->times.data;
    l->e.time_count = (int32_t)times;
    l->names = ZB_NEW_ARRAY(&b->arena, const char *, targets);
    l->values = ZB_NEW_ARRAY(&b->arena, double, zb_product(count, targets));
    if (b->arena.failure != ZW_OK) return b->arena.failure;
    zb_text name;
    zb_text_init(&name, b->sim->memory);
    for (size_t k = 0; k < targets; k++) {
        if (m->targets[k] < 0) continue;
        zb_text_clear(&name);
        zr_parameter_name(model, m->targets[k], &name);
        l->names[l->e.name_count++] =
            zb_arena_string(&b->arena, zb_text_string(&name), name.length);
    }
    zw_status status = name.failure != ZW_OK ? name.failure : b->arena.failure;
    zb_text_free(&name);
    l->e.names = l->names;
    l->e.values = l->values;
    return status;
}

/* The start of every member; those without one have their reason. */
static zw_status start_lane_batch(zr_bench *b, lane_batch *l)
{
    const zr_members *m = b->members;
    size_t n = (size_t)b->sim->zm->n;
    for (int64_t i = 0; i < m->count; i++) {
        zw_status status = zr_start_member(b, i);
        if (zr_is_memory(status)) return status;
        if (status != ZW_OK) {
            ZB_TRY(zr_member_alone(b, i));
            continue;
        }
        m->status[i] = ZW_OK;
        double *state = l->e.state + 2 * n * (size_t)l->e.count;
        double *values = l->values + (size_t)l->e.count * (size_t)l->e.name_count;
        zr_sim_state(b->sim, NULL, state, state + n);
        for (int32_t k = 0; k < m->target_count; k++)
            if (m->targets[k] >= 0) *values++ = m->values[i * m->target_count + k];
        l->member[l->e.count++] = i;
    }
    zb_diag_clear(&b->sim->model->context->diagnostics);
    return ZW_OK;
}

/* The simulation as member k was at t. */
static void show_lane_state(zr_bench *b, double t, const double *state)
{
    zr_sim_set_state(b->sim, t, state, state + b->sim->zm->n);
}

static zw_status keep_lane_member(zr_bench *b, const lane_batch *l, int64_t k)
{
    size_t n = (size_t)b->sim->zm->n, times = (size_t)l->e.time_count;
    int64_t i = l->member[k];
    const zw_member *end = &l->e.members[k];
    bool seen = end->in_lanes || !l->along;
    if (end->status != ZW_OK || end->outcome != ZW_REACHED || !seen) return zr_member_alone(b, i);
    ZB_TRY(zr_dress_member(b, i));
    for (size_t j = 0; j < times; j++) {
        show_lane_state(b, l->e.times[j], l->e.samples + ((size_t)k * times + j) * 2 * n);
        ZB_TRY(zr_keep_state(b, i, ZR_GROUP_AT, (int32_t)j));
    }
    show_lane_state(b, end->t, l->e.state + (size_t)k * 2 * n);
    return zr_keep_state(b, i, ZR_GROUP_LAST, 0);
}

/* The ensemble asks poll; what it leaves undone is not kept. */
static zw_status move_lane_batch(zr_bench *b, lane_batch *l)
{
    const zr_lane_watch *watch = l->along ? zr_lane_along_watch(l->along) : NULL;
    ZB_TRY(zr_ensemble_watched(b->sim->model, b->settings, &l->e, watch));
    for (int64_t k = 0; k < l->e.count; k++)
        if (l->e.members[k].status == ZW_OK && l->e.members[k].outcome == ZW_INTERRUPTED)
            return ZW_ERR_CANCELLED;
    for (int64_t k = 0; k < l->e.count; k++) ZB_TRY(keep_lane_member(b, l, k));
    return ZW_OK;
}

static zw_status run_in_lanes(zr_bench *b)
{
    lane_batch l;
    zw_status status = ZW_OK;
    ZB_TRY(take_lane_batch(b, &l));
    ZB_TRY(start_lane_batch(b, &l));
    zr_run_free(b->sim);
    if (b->keep->groups[ZR_GROUP_ALONG].used)
        status = zr_lane_along_open(b, l.member, l.e.state, &l.along);
    if (status == ZW_OK) status = move_lane_batch(b, &l);
    zr_lane_along_close(l.along);
    return status;
}

/* ------------------------------------------------------------------------- the batch */

zw_status zr_run_members(zw_sim *sim, const zr_keep *keep, const zw_run_settings *settings,
                         const zr_members *members)
{
    zr_bench b = {.sim = sim, .keep = keep, .settings = settings, .members = members};
    zw_status status = open_bench(&b);
    if (status == ZW_OK && may_go_in_lanes(&b))
        status = run_in_lanes(&b);
    else
        for (int64_t i = 0; i < members->count && status == ZW_OK; i++)
            status = zr_member_alone(&b, i);
    zr_run_free(sim);
    zb_arena_clear(&b.arena);
    return status;
}

/* ---------------------------------------------------------------------------- names */

/* The name of target k of all there are: parameters, coordinates, velocities; false: no more. */
static bool write_target_name(const zw_model *model, int32_t k, zb_text *text, int32_t *target)
{
    int32_t parameters = zr_parameter_count(model), n = model->zm->n;
    zb_text_clear(text);
    if (k >= parameters + 2 * n) return false;
    *target = k < parameters ? k : ~(k - parameters);
    if (k < parameters)
        zr_parameter_name(model, k, text);
    else
        zr_text_coordinate(model, (k - parameters) % n, k - parameters >= n, text);
    return true;
}

/* Spaces do not count; r'[2] is r[2]'. */
static void write_plain_name(const char *name, zb_text *text)
{
    const char *prime = strchr(name, '\'');
    for (const char *c = name; *c; c++)
        if (*c != ' ' && *c != '\t' && *c != '\'') zb_text_char(text, *c);
    if (prime) zb_text_char(text, '\'');
}

bool zr_find_target(const zw_model *model, const char *name, int32_t *target)
{
    zb_text plain, one;
    bool found = false;
    zb_text_init(&plain, &model->context->memory);
    zb_text_init(&one, &model->context->memory);
    write_plain_name(name, &plain);
    for (int32_t k = 0; !found && write_target_name(model, k, &one, target); k++)
        found = strcmp(zb_text_string(&one), zb_text_string(&plain)) == 0;
    zb_text_free(&plain);
    zb_text_free(&one);
    return found;
}

/* Of a vector the first element that it has. */
void zr_suggest_target(const zw_model *model, const char *name, zb_text *text)
{
    zb_text one;
    int32_t target;
    size_t length = strlen(name);
    zb_text_init(&one, &model->context->memory);
    for (int32_t k = 0; text->length == 0 && write_target_name(model, k, &one, &target); k++) {
        const char *candidate = zb_text_string(&one);
        if (strncmp(candidate, name, length) == 0 && candidate[length] == '[')
            zb_text_add(text, candidate);
    }
    for (int32_t k = 0; text->length == 0 && write_target_name(model, k, &one, &target); k++) {
        zb_suggestion near;
        zb_suggest_begin(&near, name);
        zb_suggest_add(&near, zb_text_string(&one));
        if (zb_suggest_end(&near)) zb_text_add(text, zb_text_string(&one));
    }
    zb_text_free(&one);
}

bool zr_is_structural(const zw_model *model, int32_t parameter)
{
    return model->zm->structural[parameter];
}

zw_status zr_evaluate_text(zw_model *model, const char *file, const char *text, zb_arena *arena,
                           double **numbers, int32_t *count)
{
    return zm_evaluate_text(model->zm, &model->context->diagnostics, file, text, arena, numbers,
                            count);
}
