/*
 * Many members stepped side by side: who is in which lane, and when their states are sampled.
 *
 * All lanes make an attempt at once (crowd_adapt.c). Then states at times of output are handed to
 * the caller, and members that have reached the end or have to go leave their lanes to the next
 * ones. A lane that nobody is left for holds a copy of another one, and stands still. One block of
 * memory holds everything.
 */
#include <math.h>

#include "crowd.h"
#include "pair_list.h"

enum { block_align = 64, driver_rows = 7, pace_window = 1000 };

/* Columns of one member: its state, its inertias and islands. */
enum { columns = 2 };

static bool has_lane(uint32_t lanes, int32_t lane)
{
    return (lanes >> lane & 1) != 0;
}

/* ------------------------------------------------------------------- columns */

static void get_column(const zi_group *g, const double *row, int32_t lane, double *to)
{
    for (int32_t i = 0; i < g->size; i++) to[i] = row[i * g->crowd->width + lane];
}

/* A member's state [size] into its lane of a row; the components beyond the size become zero. */
static void put_column(const zi_group *g, double *row, int32_t lane, const double *from)
{
    int32_t width = g->crowd->width;
    for (int32_t i = 0; i < g->size; i++) row[i * width + lane] = from[i];
    for (int32_t i = g->size; i < g->padded; i++) row[i * width + lane] = 0.0;
}

/* -------------------------------------------------------------- times of output */

/* The next time of output of a lane. */
static void find_due_time(zi_group *g, int32_t lane)
{
    const zi_crowd *crowd = g->crowd;
    bool more = crowd->sample && g->next_time[lane] < crowd->time_count;
    g->due[lane] = more ? crowd->times[g->next_time[lane]] : HUGE_VAL;
}

/* Hands the state in a lane of a row to the crowd's `sample`, for the next time of output of the
 * lane. */
static void sample_column(zi_group *g, int32_t lane, const double *row)
{
    get_column(g, row, lane, g->column);
    g->crowd->sample(g->crowd->user, g->member[lane], g->next_time[lane]++, g->column);
    find_due_time(g, lane);
}

/* Samples the member of a lane at a time t that it is at, as often as that is asked for. */
static void sample_at_end(zi_group *g, int32_t lane, double t, const double *row)
{
    while (g->due[lane] <= t) sample_column(g, lane, row);
}

/* The lanes, of some, that are asked for a state inside their step. */
static uint32_t find_lanes_due_inside(const zi_group *g, uint32_t lanes)
{
    for (int32_t l = 0; l < g->crowd->width; l++)
        if (!(g->due[l] < g->t_new[l])) lanes &= ~(UINT32_C(1) << l);
    return lanes;
}

/* One state of each of some lanes, inside their steps, on the constraints. Returns lanes for which
 * that was refused. */
static uint32_t sample_inside(zi_group *g, uint32_t lanes)
{
    const zi_crowd *crowd = g->crowd;
    for (int32_t l = 0; l < crowd->width; l++)
        g->moment[l] = has_lane(lanes, l) ? g->due[l] : g->t_new[l];
    g->lane_pair->dense(g);
    uint32_t refused = 0;
    if (crowd->project) refused = crowd->project(crowd->user, lanes, g->moment, g->shown) & lanes;
    for (int32_t l = 0; l < crowd->width; l++)
        if (has_lane(lanes & ~refused, l)) sample_column(g, l, g->shown);
    return refused;
}

/* Samples some lanes at all times of output up to the end of their steps. Returns the lanes that
 * were refused. */
static uint32_t sample_step(zi_group *g, uint32_t due)
{
    uint32_t lanes = find_lanes_due_inside(g, due), refused = 0;
    if (lanes != 0) refused = g->lane_pair->find_interpolant(g, lanes);
    while ((lanes = find_lanes_due_inside(g, due & ~refused)) != 0)
        refused |= sample_inside(g, lanes);
    for (int32_t l = 0; l < g->crowd->width; l++)
        if (has_lane(due & ~refused, l)) sample_at_end(g, l, g->t_new[l], g->end);
    return refused;
}

/* ------------------------------------------------------------------ inside steps */

void zi_lane_step(const zi_group *g, int32_t lane, double *from, double *to)
{
    *from = g->t[lane];
    *to = g->t_new[lane];
}

/* As zi_dense: at its ends the step's own states, which are on the constraints. */
uint32_t zi_show_lanes(zi_group *g, uint32_t lanes, const double *moment, double *y)
{
    const zi_crowd *crowd = g->crowd;
    uint32_t inside = 0, refused = 0;
    for (int32_t l = 0; l < crowd->width; l++) {
        bool in = has_lane(lanes, l) && moment[l] > g->t[l] && moment[l] < g->t_new[l];
        inside |= (uint32_t)in << l;
        g->moment[l] = in ? moment[l] : g->t_new[l];
    }
    if (inside != 0) g->lane_pair->dense(g);
    if (inside != 0 && crowd->project)
        refused = crowd->project(crowd->user, inside, g->moment, g->shown) & inside;
    for (int32_t l = 0; l < crowd->width; l++) {
        const double *ends = moment[l] < g->t_new[l] ? g->y : g->end;
        if (has_lane(lanes, l))
            get_column(g, has_lane(inside, l) ? g->shown : ends, l,
                       y + (size_t)l * (size_t)g->size);
    }
    return refused;
}

/* Tells the caller of the steps of some lanes. Returns the lanes that were refused. */
static uint32_t pass_step(zi_group *g, uint32_t lanes)
{
    uint32_t refused = lanes != 0 ? g->lane_pair->find_interpolant(g, lanes) & lanes : 0;
    if ((lanes & ~refused) != 0) refused |= g->crowd->pass(g->crowd->user, g, lanes & ~refused);
    return refused;
}

/* -------------------------------------------------------------- coming and going */

/* The member of a lane goes, having reached the end or sent away: its state and counts are handed
 * to the crowd's `done`. */
static void dismiss_member(zi_group *g, int32_t lane, bool reached)
{
    int64_t attempts = g->steps[lane] + g->rejections[lane];
    int32_t stages = g->pair->fsal ? g->pair->count : g->pair->count - 1; /* of an attempt */
    zi_counts counts = {.steps = g->steps[lane],
                        .rejected = g->rejections[lane],
                        .evaluations = attempts * stages + g->others[lane],
                        .smallest = g->steps[lane] > 0 ? g->smallest[lane] : 0.0,
                        .largest = g->largest[lane]};
    get_column(g, g->y, lane, g->column);
    zi_gone gone = {g->member[lane], reached, g->t[lane], g->column, counts};
    g->crowd->done(g->crowd->user, &gone);
}

/* A lane as zi_open leaves a stepper, at time t. */
static void clear_lane(zi_group *g, int32_t lane, double t)
{
    g->t[lane] = t;
    g->h[lane] = 0.0;
    g->error_old[lane] = zi_least_log_old;
    g->smallest[lane] = HUGE_VAL;
    g->largest[lane] = 0.0;
    g->rejected[lane] = g->steps[lane] = g->rejections[lane] = g->others[lane] = 0;
    g->failed[lane] = g->stiff_hits[lane] = g->stiff_misses[lane] = 0;
    g->next_time[lane] = 0;
    g->watched[lane] = g->attempts;
    g->watched_t[lane] = t;
}

/* Absolute tolerances of a lane's new member: as zi_open_sizes. */
static void begin_lane_sizes(zi_group *g, int32_t lane, double t)
{
    const zi_crowd *crowd = g->crowd;
    zi_sizes z = zi_lane_sizes(g, lane);
    double *inertia = g->column + g->size, *island = inertia + z.half;
    if (!g->settings->sized) {
        for (int32_t i = 0; i < g->padded; i++) z.absolute[i * crowd->width] = g->scale.absolute;
        return;
    }
    if (crowd->weigh) crowd->weigh(crowd->user, t, g->column, inertia, island);
    zi_begin_sizes(&z, g->padded, crowd->weigh ? inertia : NULL, crowd->weigh ? island : NULL,
                   NULL);
}

/* The next member who has a way to go takes the lane; false: there is none. */
static bool admit_member(zi_group *g, int32_t lane)
{
    const zi_crowd *crowd = g->crowd;
    double t = 0.0;
    while (crowd->next(crowd->user, lane, &g->member[lane], &t, g->column)) {
        put_column(g, g->y, lane, g->column);
        clear_lane(g, lane, t);
        bool fits = zi_settings_fit(g->settings, t);
        while (crowd->sample && g->next_time[lane] < crowd->time_count &&
               crowd->times[g->next_time[lane]] < t)
            g->next_time[lane]++; /* before it began */
        find_due_time(g, lane);
        if (fits) sample_at_end(g, lane, t, g->y);
        if (fits && t < g->settings->end) {
            begin_lane_sizes(g, lane, t);
            return true;
        }
        dismiss_member(g, lane, fits);
    }
    return false;
}

/* Lanes without a member become copies of one that has. */
static void fill_free_lanes(zi_group *g, uint32_t with)
{
    int32_t from = 0;
    while (!has_lane(with, from)) from++;
    get_column(g, g->y, from, g->column);
    for (int32_t l = 0; l < g->crowd->width; l++)
        if (!has_lane(with, l)) {
            put_column(g, g->y, l, g->column);
            g->t[l] = g->t[from];
        }
}

/* Gives free lanes to the next members. */
static void admit_members(zi_group *g, uint32_t free)
{
    uint32_t all = (UINT32_C(1) << g->crowd->width) - 1;
    while (free != 0) {
        uint32_t fresh = 0;
        for (int32_t l = 0; l < g->crowd->width && !g->dry; l++) {
            if (!has_lane(free, l)) continue;
            g->dry = !admit_member(g, l);
            if (!g->dry) fresh |= UINT32_C(1) << l;
        }
        if (fresh == 0 && g->present == 0) return;
        if ((g->present | fresh) != all) fill_free_lanes(g, g->present | fresh);
        uint32_t away = fresh != 0 ? g->functions->begin(g, fresh) : 0;
        g->present |= fresh & ~away;
        for (int32_t l = 0; l < g->crowd->width; l++)
            if (has_lane(away, l)) dismiss_member(g, l, false);
        free = away;
    }
}

/* Dismisses members, sent away or through, and gives their lanes to the next ones. */
static void replace_members(zi_group *g, uint32_t away, uint32_t through)
{
    for (int32_t l = 0; l < g->crowd->width; l++)
        if (has_lane(away | through, l)) dismiss_member(g, l, has_lane(through, l));
    g->present &= ~(away | through);
    admit_members(g, away | through);
}

/* Lanes whose members would take more steps to the end, as their last ones went, than anyone waits
 * for. */
static uint32_t find_slow_lanes(zi_group *g)
{
    uint32_t slow = 0;
    for (int32_t l = 0; l < g->crowd->width; l++) {
        double passed = (double)(g->attempts - g->watched[l]), gone = g->t[l] - g->watched_t[l];
        double left = g->settings->end - g->t[l];
        if (passed < pace_window) continue;
        g->watched[l] = g->attempts;
        g->watched_t[l] = g->t[l];
        if (left > 0.0 && left * passed > g->crowd->patience * gone) slow |= UINT32_C(1) << l;
    }
    return slow & g->present;
}

/* Attempts, samples and replacements until every member has gone. */
static void run_group(zi_group *g)
{
    admit_members(g, (UINT32_C(1) << g->crowd->width) - 1);
    while (g->present != 0) {
        zi_tried x = g->functions->attempt(g);
        if (x.due != 0) x.away |= sample_step(g, x.due);
        if (g->crowd->pass) x.away |= pass_step(g, x.accepted & g->present & ~x.away);
        x.accepted &= ~x.away;
        g->functions->accept(g, &x);
        if (++g->attempts % pace_window == 0 && g->crowd->patience > 0.0)
            x.away |= find_slow_lanes(g) & ~x.through;
        if ((x.away | x.through) != 0) replace_members(g, x.away, x.through);
    }
}

/* ----------------------------------------------------------------- variants */

extern const zi_lane_functions zi_lane_functions_plain_4, zi_lane_functions_plain_8;
#if defined(ZI_HAVE_X86)
extern const zi_lane_functions zi_lane_functions_avx2_4, zi_lane_functions_avx2_8,
    zi_lane_functions_avx512_8;
#endif

/* The last that was compiled and that the level allows. */
const zi_lane_functions *zi_find_lane_functions(int32_t width, zb_cpu_level level)
{
    if (width != 4 && width != 8) return NULL;
#if defined(ZI_HAVE_X86)
    if (level == ZB_CPU_AVX512 && width == 8) return &zi_lane_functions_avx512_8;
    if (level != ZB_CPU_PLAIN)
        return width == 8 ? &zi_lane_functions_avx2_8 : &zi_lane_functions_avx2_4;
#else
    (void)level;
#endif
    return width == 8 ? &zi_lane_functions_plain_8 : &zi_lane_functions_plain_4;
}

/* The functions of a method that is a pair; NULL: it is none. */
static const zi_lane_pair *find_pair(const zi_lane_functions *functions, const zi_method *method)
{
    for (int i = 0; i < zi_pair_count; i++)
        if (method == &zi_pair_methods[i]) return &functions->pairs[i];
    return NULL;
}

/* -------------------------------------------------------------------- memory */

/* Places the rows of stages, those of the driver and one member's column from `at` on. */
static void place_group_rows(zi_group *g, double *at)
{
    double **rows[driver_rows] = {&g->y,      &g->y_new, &g->projected, &g->argument,
                                  &g->weight, &g->spare, &g->shown};
    g->k = at;
    at += (size_t)zi_row_count(g->pair) * g->stride;
    for (int i = 0; i < driver_rows; i++, at += g->stride) *rows[i] = at;
    g->absolute = at;
    g->column = at + zi_size_rows * g->stride;
}

/* The group before it has memory, its components rounded up to a multiple of 4. */
static void set_up_group(zi_group *g, const zi_crowd *crowd, const zi_settings *settings,
                         const zi_lane_functions *functions, const zi_method *method)
{
    int32_t padded =
        crowd->size > 0 ? (crowd->size + zi_lanes - 1) / zi_lanes * zi_lanes : zi_lanes;
    *g = (zi_group){.crowd = crowd,
                    .settings = settings,
                    .pair = method->pair->tableau,
                    .functions = functions,
                    .lane_pair = find_pair(functions, method),
                    .scale = zi_find_scale(settings),
                    .size = crowd->size,
                    .padded = padded,
                    .controlled = crowd->controlled,
                    .stride = (size_t)padded * (size_t)crowd->width};
}

/* Moves the group to its place in the block, whose doubles become zero. */
static zi_group *place_group(const zi_group *plan, char *block, size_t doubles)
{
    size_t shift = (size_t)(-(uintptr_t)block % block_align);
    zi_group *g = (zi_group *)(void *)(block + shift);
    *g = *plan;
    double *at = (double *)(void *)(g + 1);
    for (size_t i = 0; i < doubles; i++) at[i] = 0.0;
    place_group_rows(g, at);
    return g;
}

static bool crowd_fits(const zi_crowd *crowd)
{
    return crowd->size >= 0 && crowd->controlled >= 0 && crowd->controlled <= crowd->size &&
           crowd->size <= INT32_MAX / (2 * zi_most_width) && crowd->time_count >= 0;
}

/* All memory is one block: the group, its rows, a column. */
zw_status zi_run_crowd_by(zb_memory *memory, const zi_lane_functions *functions,
                          const zi_method *method, const zi_crowd *crowd,
                          const zi_settings *settings)
{
    double some =
        settings->end < HUGE_VAL ? settings->end : 0.0; /* a time that a start may be at */
    if (!functions || !crowd_fits(crowd) || !zi_settings_fit(settings, some))
        return ZW_ERR_ARGUMENT;
    if (!method->pair) return ZW_ERR_METHOD;
    zi_group plan;
    set_up_group(&plan, crowd, settings, functions, method);
    size_t rows = (size_t)zi_row_count(plan.pair) + driver_rows + zi_size_rows;
    size_t doubles =
        zb_sum(zb_product(rows, plan.stride), zb_product(columns, (size_t)crowd->size));
    size_t bytes = zb_sum(zb_product(doubles, sizeof(double)), sizeof plan + block_align);
    char *block = zb_resize(memory, NULL, 0, bytes);
    if (!block) return memory->failure;
    run_group(place_group(&plan, block, doubles));
    zb_resize(memory, block, bytes, 0);
    return ZW_OK;
}

zw_status zi_run_crowd(zb_memory *memory, const zi_method *method, const zi_crowd *crowd,
                       const zi_settings *settings)
{
    return zi_run_crowd_by(memory, zi_find_lane_functions(crowd->width, zb_cpu()), method, crowd,
                           settings);
}
