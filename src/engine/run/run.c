/*
 * A run: begin opens a stepper over y = (q, v, works), advance makes steps until the time asked for
 * lies inside the last one, and reads the state there from the dense output.
 *
 *     |-- step --|-- step --|-- step |-- step --|
 *     t0             ^ asked         ^ event
 *
 * An event ends a step early: the state there comes from the dense output, too, is changed, and the
 * stepper starts anew (fire.c).
 *
 * advance takes no memory and reports nothing.
 */
#include <math.h>
#include <string.h>

#include "fused.h"
#include "road_parts.h"

/* -------------------------------------------------------------------- defaults */

void zr_run_defaults(const zw_model *model, zw_run_settings *settings)
{
    const zm_simulate *say = &model->zm->simulate;
    zw_method method = ZW_DOP853;
    if (say->method) (void)zr_find_method(say->method, &method);
    double tol = isnan(say->tol) ? 1e-9 : say->tol;
    *settings = (zw_run_settings){.from = isnan(say->from) ? 0.0 : say->from,
                                  .until = say->until,
                                  .every = say->every,
                                  .tol = tol,
                                  .abs_tol = isnan(say->abs_tol) ? tol : say->abs_tol,
                                  .step = (double)NAN,
                                  .omega = 10.0,
                                  .zeta = 1.0,
                                  .method = method,
                                  .accept_inconsistent = say->accept_inconsistent};
}

static const char *const method_names[] = {
#define ZR_METHOD_TEXT(name, value, text, sentence) [value] = text,
    ZW_METHOD_LIST(ZR_METHOD_TEXT)
#undef ZR_METHOD_TEXT
};
enum { method_count = sizeof method_names / sizeof *method_names };

const char *zr_method_name(zw_method method)
{
    return (int)method >= 0 && (int)method < (int)method_count ? method_names[method] : NULL;
}

zw_status zr_find_method(const char *name, zw_method *method)
{
    for (int k = 0; k < (int)method_count; k++) {
        if (strcmp(name, method_names[k]) != 0) continue;
        *method = (zw_method)k;
        return ZW_OK;
    }
    return ZW_ERR_ARGUMENT;
}

/* ----------------------------------------------------------------------- begin */

static bool has_rows(const zw_sim *sim)
{
    return sim->sides[ZR_POSITION].count > 0 || sim->sides[ZR_VELOCITY].count > 0;
}

static zw_status take_arrays(zw_sim *sim)
{
    zr_motion *run = sim->run;
    size_t n = (size_t)sim->zm->n, m = (size_t)sim->zm->m;
    size_t events = (size_t)zr_event_count(sim->model), size = 2 * n + ZR_POWER_COUNT;
    run->y = ZB_NEW_ARRAY(&run->arena, double, size);
    run->z = ZB_NEW_ARRAY(&run->arena, double, n);
    run->stage = ZB_NEW_ARRAY(&run->arena, double, 2 * n);
    run->force = ZB_NEW_ARRAY(&run->arena, double, n);
    run->inconsistency = ZB_NEW_ARRAY(&run->arena, double, m);
    run->conflicting = ZB_NEW_ARRAY(&run->arena, bool, m);
    run->ever_conflicting = ZB_NEW_ARRAY(&run->arena, bool, m);
    run->conflict_size = ZB_NEW_ARRAY(&run->arena, double, m);
    run->truth = ZB_NEW_ARRAY(&run->arena, bool, events);
    run->turned = ZB_NEW_ARRAY(&run->arena, bool, events);
    run->seen = ZB_NEW_ARRAY(&run->arena, bool, events);
    run->fired_of = ZB_NEW_ARRAY(&run->arena, int64_t, events);
    run->haste = ZB_NEW_ARRAY(&run->arena, zr_haste, events);
    if (events > 0) run->fired = ZB_NEW_ARRAY(&run->arena, zw_fired, zr_most_fired);
    run->failed_q = ZB_NEW_ARRAY(&run->arena, double, n);
    run->failed_v = ZB_NEW_ARRAY(&run->arena, double, n);
    return run->arena.failure;
}

/* For a stepper in the order of the lanes. */
static zw_status take_lane_arrays(zw_sim *sim)
{
    zr_motion *run = sim->run;
    size_t n = (size_t)sim->zm->n, size = 2 * (size_t)sim->lanes->size;
    run->lane_y = zb_arena_take(&run->arena, zb_product(size, sizeof(double)), 64);
    run->lane_mask = ZB_NEW_ARRAY(&run->arena, double, size);
    run->state = ZB_NEW_ARRAY(&run->arena, double, 2 * n);
    run->state_rates = ZB_NEW_ARRAY(&run->arena, double, 2 * n);
    if (run->arena.failure == ZW_OK) zr_lanes_mask(sim, run->lane_mask);
    return run->arena.failure;
}

/* Beside a sparse solver: for other forms, which are dense, and where small systems may become
 * singular. */
static zw_status take_full(zw_sim *sim)
{
    zr_motion *run = sim->run;
    int32_t n = sim->zm->n, m = sim->zm->m;
    bool form = run->settings.form != ZW_FORM_GAUSS;
    bool small = m > 0 && n <= zr_full_reach && m <= zr_full_reach;
    if (!sim->sparse || (!form && !small)) return ZW_OK;
    if (n > zr_dense_limit || m > zr_dense_limit) return ZW_ERR_LARGE;
    zg_structure structure = zr_structure(sim);
    structure.solver = ZW_SOLVER_DENSE;
    return zg_system_plan(sim->memory, &structure, &run->full);
}

/* For limit accelerations, by the dense solver that is there. */
static zw_status take_limits(zw_sim *sim)
{
    zr_motion *run = sim->run;
    size_t n = (size_t)sim->zm->n, m = (size_t)sim->zm->m;
    if (m == 0 || m > zr_limit_reach || n > zr_limit_reach) return ZW_OK;
    zw_gauss *gauss = zg_system_dense(run->full ? run->full : sim->system);
    if (!gauss) return ZW_OK;
    const zw_gauss_shape *shape = zg_shape(gauss);
    run->limit_M = ZB_NEW_ARRAY(&run->arena, double, shape->mass == ZW_DIAGONAL ? n : n * n);
    run->limit_A = ZB_NEW_ARRAY(&run->arena, double, m *n);
    if (shape->weight != ZW_IDENTITY)
        run->limit_W = ZB_NEW_ARRAY(&run->arena, double, shape->weight == ZW_FULL ? m * m : m);
    run->limit_X = ZB_NEW_ARRAY(&run->arena, double, m *n);
    run->limit_T = ZB_NEW_ARRAY(&run->arena, double, m *m);
    run->limit_value = ZB_NEW_ARRAY(&run->arena, double, (size_t)sim->model->limit.count);
    run->limit_right = ZB_NEW_ARRAY(&run->arena, double, m);
    run->limit_b = ZB_NEW_ARRAY(&run->arena, double, m);
    run->limit_rest = ZB_NEW_ARRAY(&run->arena, bool, m);
    return run->arena.failure;
}

/* Which works ride along. */
static int32_t choose_works(zw_sim *sim)
{
    zr_motion *run = sim->run;
    int32_t count = 0;
    run->powers = zr_possible_powers(sim->model);
    for (int k = 0; k < ZR_POWER_COUNT; k++)
        run->work_of[k] = run->powers & (1u << k) ? count++ : -1;
    return count;
}

/* What the stepper moves, in the order of the model or of the lanes. */
static zi_system system_of(zw_sim *sim, int32_t works)
{
    zr_motion *run = sim->run;
    int32_t n = sim->zm->n;
    bool projects = run->settings.stabilize == ZW_PROJECT && has_rows(sim);
    zi_system system = {.size = 2 * n + works,
                        .controlled = 2 * n,
                        .user = sim,
                        .rates = zr_rates,
                        .project = projects ? zr_land : NULL,
                        .noise = projects ? &run->noise : NULL,
                        .careful = projects ? &run->careful : NULL};
    if (!run->in_lanes) return system;
    system.size = system.controlled = 2 * sim->lanes->size;
    system.mask = run->lane_mask;
    system.counted = 2 * n;
    system.rates = zr_rates_in_lanes;
    system.project = projects ? zr_land_in_lanes : NULL;
    return system;
}

static zw_status open_stepper(zw_sim *sim, const char *name, int32_t works, zi_stepper **stepper)
{
    zr_motion *run = sim->run;
    const zw_run_settings *set = &run->settings;
    const zi_method *method = zi_find_method(name);
    int32_t n = sim->zm->n;
    if (!method) return ZW_ERR_METHOD;
    zi_system system = system_of(sim, works);
    zi_settings settings = {.tol = set->tol,
                            .abs_tol = set->abs_tol,
                            .step = set->step,
                            .end = isnan(set->until) ? HUGE_VAL : set->until};
    if (method->fixed && !(settings.step > 0.0)) {
        if (isnan(set->until)) return ZW_ERR_ARGUMENT;
        double span = set->until - sim->t;
        settings.step = span > 0.0 ? span / 1000.0 : 1.0; /* until the start itself: never used */
    }
    memset(run->y, 0, sizeof *run->y * (size_t)(2 * n + works));
    memcpy(run->y, sim->q, sizeof *sim->q * (size_t)n);
    memcpy(run->y + n, sim->v, sizeof *sim->v * (size_t)n);
    if (run->in_lanes) zr_lanes_pack(sim, run->y, run->lane_y);
    const double *y = run->in_lanes ? run->lane_y : run->y;
    return zi_open(sim->memory, method, &system, &settings, sim->t, y, stepper);
}

/* The whole state stays in the order of the lanes: where nothing else rides along. */
static bool stays_in_lanes(const zw_sim *sim)
{
    zw_method method = sim->run->settings.method;
    bool explicitly = method == ZW_DOP853 || method == ZW_DOPRI5 || method == ZW_RK4;
    return explicitly && sim->run->powers == 0 && zr_lanes_serve(sim);
}

static zw_status open_steppers(zw_sim *sim)
{
    zr_motion *run = sim->run;
    int32_t works = choose_works(sim);
    zw_method method = run->settings.method;
    const char *name = zr_method_name(method == ZW_AUTO ? ZW_DOP853 : method);
    run->in_lanes = stays_in_lanes(sim);
    if (run->in_lanes) ZB_TRY(take_lane_arrays(sim));
    if (method == ZW_AUTO)
        ZB_TRY(open_stepper(sim, zr_method_name(ZW_BDF), works, &run->stiff_stepper));
    return open_stepper(sim, name, works, &run->stepper);
}

static zw_status look_first(zw_sim *sim)
{
    zr_motion *run = sim->run;
    int32_t events = zr_event_count(sim->model);
    if (events == 0) return ZW_OK;
    run->watch = (zi_watch){.count = events, .gaps = zr_event_gaps(sim->model), .user = sim};
    run->watch.look = zr_watch_look;
    run->watch.equalities = zr_event_equalities(sim->model);
    run->watch.owner = zr_equality_owners(sim->model);
    size_t room = zi_locator_size(&run->watch, run->stepper->system.size);
    run->locator = ZB_NEW_ARRAY(&run->arena, double, room);
    run->gap = ZB_NEW_ARRAY(&run->arena, double, (size_t)run->watch.gaps);
    run->gap_ahead = ZB_NEW_ARRAY(&run->arena, double, (size_t)run->watch.gaps);
    run->ahead = ZB_NEW_ARRAY(&run->arena, double, 2 * (size_t)sim->zm->n);
    run->just_fired = ZB_NEW_ARRAY(&run->arena, bool, (size_t)events);
    if (run->arena.failure != ZW_OK) return run->arena.failure;
    run->last_fired = (double)NAN;
    for (int32_t e = 0; e < events; e++) run->haste[e].last = (double)NAN;
    return zr_look(sim, sim->t, sim->q, sim->v, run->truth, run->gap);
}

static int64_t count_factors(const zw_sim *sim)
{
    int64_t count = zg_system_factors(sim->system);
    for (int k = 0; k < 2; k++)
        if (sim->sides[k].system) count += zg_system_factors(sim->sides[k].system);
    if (sim->run->basis.system) count += zg_system_factors(sim->run->basis.system);
    return count;
}

static zw_status begin(zw_sim *sim)
{
    zr_motion *run = sim->run;
    run->factors_before = count_factors(sim);
    zr_sim_set_kernel(sim, run->settings.kernel);
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    ZB_TRY(take_arrays(sim));
    ZB_TRY(take_full(sim));
    ZB_TRY(take_limits(sim));
    run->start_t = sim->t;
    zr_remember_start(sim);
    run->stats.t = sim->t;
    run->stats.first_rank_change = run->stats.first_inconsistent = (double)NAN;
    run->stats.first_stiff = run->stats.first_unsure = (double)NAN;
    run->stats.position.row = run->stats.velocity.row = -1;
    ZB_TRY(zr_find_generic_rank(sim));
    ZB_TRY(zr_limit_ranks(sim));
    ZB_TRY(zr_choose_basis(sim));
    ZB_TRY(zr_lanes_begin(sim));
    ZB_TRY(open_steppers(sim));
    run->plain =
        run->stats.generic_rank == sim->zm->m && zr_fused_serves(sim->model, &run->settings);
    ZB_TRY(look_first(sim));
    zr_energies_at(sim, &s, &run->at_start);
    run->stats.energy.start = run->at_start.h;
    run->stats.energy.scale = run->at_start.scale;
    run->landed = true;
    const zi_stepper *step = run->stepper;
    ZB_TRY(step->system.rates(sim, sim->t, step->y, run->in_lanes ? run->lane_y : run->y));
    run->stats.rank = run->rank;
    run->stats.lanes = 0; /* this one is not counted among the evaluations either */
    sim->rounds = 0;
    zr_watch_start(sim);
    return ZW_OK;
}

bool zr_sensible(const zw_run_settings *set, double t)
{
    bool tolerances = set->tol > 0.0 && set->abs_tol > 0.0 && set->tol < 1.0;
    bool until = isnan(set->until) || set->until >= t;
    bool step = isnan(set->step) || set->step > 0.0;
    return tolerances && until && step && isfinite(set->omega) && isfinite(set->zeta) &&
           set->max_steps >= 0 && zr_method_name(set->method) && zr_kernel_name(set->kernel);
}

zw_status zr_sim_begin(zw_sim *sim, const zw_run_settings *settings)
{
    zr_run_free(sim);
    if (!zr_sensible(settings, sim->t)) return ZW_ERR_ARGUMENT;
    ZB_TRY(zr_open_sides(sim));
    zr_motion *run = zb_resize(sim->memory, NULL, 0, sizeof *run);
    if (!run) return sim->memory->failure;
    *run = (zr_motion){.settings = *settings};
    zb_arena_init(&run->arena, sim->memory, 0);
    sim->run = run;
    zw_status status = begin(sim);
    if (status != ZW_OK) zr_run_free(sim);
    return status;
}

void zr_run_free(zw_sim *sim)
{
    zr_motion *run = sim->run;
    if (!run) return;
    zr_free_ranks(sim);
    zg_system_free(run->full);
    zr_free_basis(run);
    zi_close(run->stepper);
    zi_close(run->stiff_stepper);
    zb_arena_clear(&run->arena);
    zb_resize(sim->memory, run, sizeof *run, 0);
    sim->run = NULL;
}

/* --------------------------------------------------------------------- advance */

/* The simulation's state becomes y at t, in the order of the model. */
static void show(zw_sim *sim, double t, const double *y)
{
    zr_motion *run = sim->run;
    size_t n = (size_t)sim->zm->n;
    sim->t = run->stats.t = t;
    memcpy(sim->q, y, sizeof *y * n);
    memcpy(sim->v, y + n, sizeof *y * n);
    for (int k = 0; k < ZR_POWER_COUNT; k++)
        run->work[k] = run->work_of[k] >= 0 ? y[2 * n + (size_t)run->work_of[k]] : 0.0;
}

/* It becomes the one at the end of the last step. */
static void show_end(zw_sim *sim)
{
    show(sim, sim->run->stepper->t, zr_end_state(sim));
}

/* At a time inside the last step; on the constraints, for the asker only. */
static zw_status show_inside(zw_sim *sim, double t)
{
    zr_motion *run = sim->run;
    zi_stepper *s = run->stepper;
    if (t == s->t) {
        show_end(sim);
        return ZW_OK;
    }
    ZB_TRY(zr_inner_state(sim, t));
    show(sim, t, run->y);
    if (!s->system.project || t == s->t_old) return ZW_OK;
    /* where it cannot be brought there (close to a singular configuration) it stays as it is */
    if (zr_project(sim, t, sim->q, sim->v, false) != ZW_OK) show(sim, t, run->y);
    return ZW_OK;
}

/* auto: where the explicit method finds the motion stiff, the other one takes over. */
static zw_status mind_stiffness(zw_sim *sim)
{
    zr_motion *run = sim->run;
    zi_stepper *old = run->stepper;
    if (!old->stiff) return ZW_OK;
    if (!run->stats.stiff) run->stats.first_stiff = old->t;
    run->stats.stiff = true;
    if (run->settings.method != ZW_AUTO || run->stats.switched) return ZW_OK;
    run->stats.switched = true;
    run->stiff_stepper->counts = old->counts;
    ZB_TRY(zi_restart(run->stiff_stepper, old->t, old->y));
    run->stepper = run->stiff_stepper;
    run->stiff_stepper = old;
    return ZW_OK;
}

static zw_status step(zw_sim *sim)
{
    zr_motion *run = sim->run;
    zi_stepper *s = run->stepper;
    int64_t most = run->settings.max_steps;
    if (most > 0 && s->counts.steps >= most) return ZW_ERR_LIMIT;
    if (run->settings.poll && (++run->since_poll & 15) == 0) run->last_poll = zr_clock();
    ZB_TRY(zi_step(s));
    run->bad_start = run->bad_end;
    if (run->lost_end && isnan(run->stats.first_unsure)) run->stats.first_unsure = s->t;
    if (run->watch.count > 0) {
        zi_sighting sight = {.turned = run->turned, .truth = run->seen};
        ZB_TRY(zi_locate(s, &run->watch, s->t_old, run->truth, run->locator, &sight));
        run->pending = sight.found;
        run->pending_t = sight.t;
        memcpy(run->truth, run->seen, (size_t)run->watch.count);
    }
    if (run->pending) return ZW_OK; /* the end of this step will not be reached */
    zr_watch_step(sim);
    return mind_stiffness(sim);
}

/* Goes on until t lies inside the last step, a stop has come, or it was interrupted. */
static zw_status go_on(zw_sim *sim, double t, zw_outcome *outcome)
{
    zr_motion *run = sim->run;
    for (;;) {
        double known = run->pending ? run->pending_t : run->stepper->t;
        *outcome = run->stopped ? ZW_STOPPED : ZW_REACHED;
        if (run->stopped) return show_inside(sim, run->stepper->t);
        if (t < known || (t <= known && !run->pending)) return show_inside(sim, t);
        *outcome = ZW_INTERRUPTED;
        zw_status status = run->pending ? zr_fire(sim) : step(sim);
        if (run->interrupted) {
            run->interrupted = false;
            return show_inside(sim, run->stepper->t);
        }
        ZB_TRY(status);
        known = run->pending ? run->pending_t : run->stepper->t;
        if (zr_interrupted(sim) && known < t && !run->stopped) return show_inside(sim, known);
    }
}

zw_status zr_sim_advance(zw_sim *sim, double t, zw_outcome *outcome)
{
    zr_motion *run = sim->run;
    *outcome = ZW_INTERRUPTED;
    if (!run) return ZW_ERR_ORDER;
    if (run->failure != ZW_OK) return run->failure;
    if (!(t >= sim->t) || (!isnan(run->settings.until) && t > run->settings.until))
        return ZW_ERR_ARGUMENT;
    double began = zr_clock();
    run->last_poll = began;
    zw_status status = go_on(sim, t, outcome);
    if (status != ZW_OK) {
        run->failure = status;
        run->pending = false;
        show_end(sim);
    }
    run->broken_off = status == ZW_OK && *outcome == ZW_INTERRUPTED;
    run->stats.seconds += zr_clock() - began;
    return status;
}

/* ------------------------------------------------------------------ statistics */

bool zr_has_run(const zw_sim *sim)
{
    return sim->run && sim->run->failure != ZW_ERR_ORDER;
}

static void solver_statistics(const zw_sim *sim, zw_run_statistics *stats)
{
    stats->solver = sim->sparse ? ZW_SOLVER_SPARSE : ZW_SOLVER_DENSE;
    stats->solver_form = zg_system_name(sim->system);
    stats->factorizations = count_factors(sim) - sim->run->factors_before;
}

zw_status zr_sim_statistics(zw_sim *sim, zw_run_statistics *statistics)
{
    zr_motion *run = sim->run;
    if (!zr_has_run(sim)) return ZW_ERR_ORDER;
    const zi_counts *c = &run->stepper->counts;
    zw_run_statistics *stats = &run->stats;
    stats->steps = c->steps;
    stats->rejected = c->rejected;
    stats->evaluations = c->evaluations;
    stats->smallest_step = c->smallest;
    stats->largest_step = c->largest;
    stats->projection_iterations = sim->rounds;
    stats->energy.impressed = run->work[ZR_IMPRESSED];
    stats->energy.dissipation = run->work[ZR_DISSIPATION];
    stats->energy.ideal = run->work[ZR_IDEAL];
    stats->energy.nonideal = run->work[ZR_NONIDEAL];
    stats->energy.control = run->work[ZR_CONTROL];
    stats->energy.explicit_time = run->work[ZR_EXPLICIT];
    stats->energy.conserved = run->powers == 0 && stats->energy.events == 0.0;
    zr_judge(sim, stats, NULL);
    *statistics = *stats;
    zr_kernel_statistics(sim, statistics);
    zr_lanes_statistics(sim, statistics);
    solver_statistics(sim, statistics);
    return ZW_OK;
}

int32_t zr_sim_fired_count(const zw_sim *sim)
{
    return sim->run ? sim->run->fired_count : 0;
}

zw_status zr_sim_fired(const zw_sim *sim, int32_t i, zw_fired *fired)
{
    if (!sim->run || i < 0 || i >= sim->run->fired_count) return ZW_ERR_ARGUMENT;
    *fired = sim->run->fired[i];
    return ZW_OK;
}

void zr_event_name(const zw_model *model, int32_t event, zb_text *text)
{
    if (event >= 0 && event < zr_event_count(model)) zr_text_event(model, event, text);
}
