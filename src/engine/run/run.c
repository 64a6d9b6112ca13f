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

#include "actuate.h"
#include "friction.h"
#include "held_energy.h"
#include "road_fused.h"
#include "road_parts.h"
#include "run.h"
#include "stages.h"

/* -------------------------------------------------------------------- defaults */

/* What the model's `simulate` says, and the usual where it says nothing. */
void zr_run_defaults(const zw_model *model, zw_run_settings *settings)
{
    const zm_simulate *say = &model->zm->simulate;
    zw_method method = ZW_DOP853;
    if (say->method) (void)zb_method_find(say->method, &method);
    zr_run_defaults_by(model, method, settings);
}

void zr_run_defaults_by(const zw_model *model, zw_method method, zw_run_settings *settings)
{
    const zm_simulate *say = &model->zm->simulate;
    double usual = method == ZW_GAUSS16 ? 1e-12 : 1e-9;
    *settings = (zw_run_settings){.from = isnan(say->from) ? 0.0 : say->from,
                                  .until = say->until,
                                  .every = say->every,
                                  .tol = isnan(say->tol) ? usual : say->tol,
                                  .abs_tol = isnan(say->abs_tol) ? 0.0 : say->abs_tol,
                                  .step = (double)NAN,
                                  .omega = 10.0,
                                  .zeta = 1.0,
                                  .method = method,
                                  .patience = 1e8,
                                  .hold = say->holds_nothing ? ZW_HOLD_NOTHING : ZW_HOLD_ENERGY,
                                  .accept_inconsistent = say->accept_inconsistent};
}

/* ----------------------------------------------------------------------- begin */

static bool has_rows_to_keep(const zw_sim *sim)
{
    const zr_side *sides = sim->solver->sides;
    return sides[ZR_POSITION].rows.m > 0 || sides[ZR_VELOCITY].rows.m > 0;
}

/* Everything of fixed size, from the run's arena; zeros. */
static zw_status take_run_arrays(zw_sim *sim)
{
    zr_motion *run = sim->run;
    size_t n = (size_t)sim->zm->n, m = (size_t)sim->zm->m;
    size_t events = (size_t)zr_event_count(sim->model), size = 2 * n + ZR_POWER_COUNT;
    run->step.y = ZB_NEW_ARRAY(&run->arena, double, size);
    run->step.z = ZB_NEW_ARRAY(&run->arena, double, n);
    run->step.stage = ZB_NEW_ARRAY(&run->arena, double, 2 * n);
    run->step.force = ZB_NEW_ARRAY(&run->arena, double, n);
    run->step.inertia = ZB_NEW_ARRAY(&run->arena, double, 2 * n);
    run->step.pushes = ZB_NEW_ARRAY(&run->arena, double, n);
    run->record.ever_conflicting = ZB_NEW_ARRAY(&run->arena, bool, m);
    run->record.conflict_size = ZB_NEW_ARRAY(&run->arena, double, m);
    if (sim->model->energy->island_works) {
        size_t islands = (size_t)sim->model->island_count;
        run->record.island_h = ZB_NEW_ARRAY(&run->arena, double, islands);
        run->record.island_scale = ZB_NEW_ARRAY(&run->arena, double, islands);
        run->record.island_now = ZB_NEW_ARRAY(&run->arena, double, 2 * islands);
    }
    run->events.truth = ZB_NEW_ARRAY(&run->arena, bool, events);
    run->events.turned = ZB_NEW_ARRAY(&run->arena, bool, events);
    run->events.before = ZB_NEW_ARRAY(&run->arena, bool, events);
    run->events.seen = ZB_NEW_ARRAY(&run->arena, bool, events);
    run->events.fired_of = ZB_NEW_ARRAY(&run->arena, int64_t, events);
    run->events.pace = ZB_NEW_ARRAY(&run->arena, zr_pace, events);
    if (events > 0) run->events.fired = ZB_NEW_ARRAY(&run->arena, zw_fired, zr_most_fired);
    run->record.locked = ZB_NEW_ARRAY(&run->arena, bool, m);
    run->record.locked_t = run->record.lock_entry = run->record.raised_t = (double)NAN;
    run->ending.failed_q = ZB_NEW_ARRAY(&run->arena, double, n);
    run->ending.failed_v = ZB_NEW_ARRAY(&run->arena, double, n);
    return run->arena.failure;
}

/* Numbers of coordinates are packed as if they were a state, and found where they count. */
static void find_lane_order(zw_sim *sim)
{
    zr_motion *run = sim->run;
    for (int32_t i = 0; i < 2 * sim->zm->n; i++) run->step.state[i] = i;
    zr_parts_pack(sim, run->step.state, run->step.lane_y);
    for (int32_t at = 0; at < 2 * sim->solver->parts->size; at++)
        if (run->step.lane_mask[at] != 0.0)
            run->step.lane_order[(int32_t)run->step.lane_y[at]] = at;
}

/* For a stepper in the order of the lanes. */
static zw_status take_lane_arrays(zw_sim *sim)
{
    zr_motion *run = sim->run;
    size_t n = (size_t)sim->zm->n, size = 2 * (size_t)sim->solver->parts->size;
    run->step.lane_y = zb_arena_take(&run->arena, zb_product(size, sizeof(double)), 64);
    run->step.lane_mask = ZB_NEW_ARRAY(&run->arena, double, size);
    run->step.lane_inertia = ZB_NEW_ARRAY(&run->arena, double, size);
    run->step.lane_order = ZB_NEW_ARRAY(&run->arena, int32_t, 2 * n);
    run->step.state = ZB_NEW_ARRAY(&run->arena, double, 2 * n);
    run->step.state_rates = ZB_NEW_ARRAY(&run->arena, double, 2 * n);
    if (run->arena.failure != ZW_OK) return run->arena.failure;
    zr_parts_mask(sim, run->step.lane_mask);
    find_lane_order(sim);
    zr_parts_pack(sim, run->step.inertia, run->step.lane_inertia);
    return ZW_OK;
}

/* Which works are integrated with the state; their number. */
static int32_t choose_works(zw_sim *sim)
{
    zr_motion *run = sim->run;
    int32_t count = 0;
    run->solving.powers = zr_possible_powers(sim->model);
    for (int k = 0; k < ZR_POWER_COUNT; k++)
        run->record.work_place[k] = run->solving.powers & (1u << k) ? count++ : -1;
    return count;
}

/* zi_system.pushes: |Q| over the inertia, of each coordinate. */
static const double *find_pushes(void *user, double t, const double *y)
{
    zw_sim *sim = user;
    double *pushes = sim->run->step.pushes;
    zk_source s = zr_source(sim, t, y, y + sim->zm->n);
    zr_evaluate_dynamics(sim, &s);
    for (int32_t i = 0; i < sim->zm->n; i++) {
        double inertia = sim->M[sim->model->M.start[i]], push = fabs(sim->Q[i]) / inertia;
        pushes[i] = inertia > 0.0 && push < DBL_MAX ? push : 0.0;
    }
    const zr_pattern *A = &sim->model->A; /* what rows hold is not left alone */
    for (int32_t k = 0; k < A->count; k++)
        if (pushes[A->column[k]] == 0.0) pushes[A->column[k]] = DBL_MIN;
    return pushes;
}

/* What the stepper moves, in the order of the model or of the lanes. */
static zi_system describe_moved_system(zw_sim *sim, int32_t works)
{
    zr_motion *run = sim->run;
    int32_t n = sim->zm->n;
    bool projects = run->settings.stabilize == ZW_PROJECT && has_rows_to_keep(sim);
    zi_system system = {.size = 2 * n + works,
                        .controlled = 2 * n,
                        .user = sim,
                        .rates = zr_rates,
                        .project = projects ? zr_end_step : NULL,
                        .noise = projects ? &run->solving.noise : NULL,
                        .careful = projects ? &run->step.careful : NULL,
                        .half = n,
                        .pushes = find_pushes,
                        .inertia = run->step.inertia,
                        .island = run->step.inertia + n};
    if (run->held.on) system.hold = zr_hold_energy;
    if (run->stages.width > 0) {
        system.stage_width = run->stages.width;
        system.stages = zr_rates_of_stages;
    }
    if (!run->step.in_lanes) return system;
    system.size = system.controlled = 2 * sim->solver->parts->size;
    system.mask = run->step.lane_mask;
    system.counted = 2 * n;
    system.order = run->step.lane_order;
    system.half = sim->solver->parts->size;
    system.inertia = run->step.lane_inertia;
    system.island = run->step.lane_inertia + sim->solver->parts->size;
    system.rates = zr_rates_in_lanes;
    system.pushes = NULL;
    system.project = projects ? zr_end_step_in_lanes : NULL;
    return system;
}

/* At the simulation's state. A method of fixed steps that was given none makes 1000 up to the end;
 * without an end it is refused. */
static zw_status open_stepper(zw_sim *sim, const char *name, int32_t works, zi_stepper **stepper)
{
    zr_motion *run = sim->run;
    const zw_run_settings *set = &run->settings;
    const zi_method *method = zi_find_method(name);
    int32_t n = sim->zm->n;
    if (!method) return ZW_ERR_METHOD;
    zi_system system = describe_moved_system(sim, works);
    zi_settings settings = {.tol = set->tol,
                            .abs_tol = set->abs_tol,
                            .sized = !(set->abs_tol > 0.0),
                            .step = set->step,
                            .end = isnan(set->until) ? HUGE_VAL : set->until};
    if (method->fixed && !(settings.step > 0.0)) {
        if (isnan(set->until)) return ZW_ERR_ARGUMENT;
        double span = set->until - sim->t;
        settings.step = span > 0.0 ? span / 1000.0 : 1.0; /* until the start itself: never used */
    }
    memset(run->step.y, 0, sizeof *run->step.y * (size_t)(2 * n + works));
    memcpy(run->step.y, sim->q, sizeof *sim->q * (size_t)n);
    memcpy(run->step.y + n, sim->v, sizeof *sim->v * (size_t)n);
    if (run->step.in_lanes) zr_parts_pack(sim, run->step.y, run->step.lane_y);
    const double *y = run->step.in_lanes ? run->step.lane_y : run->step.y;
    return zi_open(sim->memory, method, &system, &settings, sim->t, y, stepper);
}

/* The whole state may stay in the order of the lanes: where no works are integrated, by an explicit
 * method. */
static bool can_stay_in_lanes(const zw_sim *sim)
{
    zw_method method = sim->run->settings.method;
    bool implicitly = method == ZW_BDF || method == ZW_AUTO; /* auto may go over to bdf */
    if (sim->contacts) return false;
    return !implicitly && sim->run->solving.powers == 0 && zr_parts_serve(sim, &sim->run->solving);
}

/* Of auto both, for a run takes no memory later. */
static zw_status open_steppers(zw_sim *sim)
{
    zr_motion *run = sim->run;
    int32_t works = choose_works(sim);
    zw_method method = run->settings.method;
    const char *name = zb_method_name(method == ZW_AUTO ? ZW_DOP853 : method);
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    run->step.in_lanes = can_stay_in_lanes(sim);
    zr_find_inertias(sim, &s, run->step.inertia, run->step.inertia + sim->zm->n);
    if (run->step.in_lanes) ZB_TRY(take_lane_arrays(sim));
    if (zr_stages_serve(sim)) ZB_TRY(zr_open_stages(sim, 2 * sim->zm->n + works));
    ZB_TRY(zr_open_held_energy(sim));
    if (method == ZW_AUTO)
        ZB_TRY(open_stepper(sim, zb_method_name(ZW_BDF), works, &run->step.stiff_stepper));
    return open_stepper(sim, name, works, &run->step.stepper);
}

/* What is true at the start does not fire: conditions are kept from here on. */
static zw_status look_at_events_first(zw_sim *sim)
{
    zr_motion *run = sim->run;
    int32_t events = zr_event_count(sim->model);
    if (events == 0) return ZW_OK;
    run->events.watch = (zi_watch){.count = events, .gaps = zr_event_gaps(sim->model), .user = sim};
    run->events.watch.minds_crowds = true;
    run->events.watch.look = zr_watch_look;
    run->events.watch.equalities = zr_event_equalities(sim->model);
    run->events.watch.owner = zr_equality_owners(sim->model);
    size_t room = zi_locator_size(&run->events.watch, run->step.stepper->system.size);
    run->events.locator = ZB_NEW_ARRAY(&run->arena, double, room);
    run->events.gap = ZB_NEW_ARRAY(&run->arena, double, (size_t)run->events.watch.gaps);
    run->events.gap_ahead = ZB_NEW_ARRAY(&run->arena, double, (size_t)run->events.watch.gaps);
    run->events.ahead = ZB_NEW_ARRAY(&run->arena, double, 2 * (size_t)sim->zm->n);
    run->events.just_fired = ZB_NEW_ARRAY(&run->arena, bool, (size_t)events);
    if (run->arena.failure != ZW_OK) return run->arena.failure;
    run->events.last_fired = (double)NAN;
    for (int32_t e = 0; e < events; e++) run->events.pace[e].last = (double)NAN;
    return zr_look_at_events(sim, sim->t, sim->q, sim->v, run->events.truth, run->events.gap);
}

/* The order matters: roads need the generic rank, steppers the roads, events the stepper. The
 * first evaluation, at the start, finds rank and conflicts there. */
static zw_status begin_run(zw_sim *sim)
{
    zr_motion *run = sim->run;
    run->record.factors_before = zr_count_factors(sim);
    zr_sim_set_kernel(sim, run->settings.kernel);
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    ZB_TRY(take_run_arrays(sim));
    ZB_TRY(zr_open_log(sim));
    ZB_TRY(zr_open_shares(sim, &run->arena, &run->shares));
    ZB_TRY(zr_open_solving(sim, &run->arena, &run->solving));
    ZB_TRY(zr_open_feedback(sim, &run->arena, &run->feedback));
    run->record.start_t = sim->t;
    run->step.ends_asked = sim->handles != NULL;
    run->ending.wrong_t = (double)NAN;
    zr_remember_start(sim);
    run->stats.t = sim->t;
    run->stats.first_rank_change = run->stats.first_inconsistent = (double)NAN;
    run->stats.first_stiff = run->stats.first_unsure = (double)NAN;
    run->stats.first_passage = (double)NAN;
    run->stats.position.row = run->stats.velocity.row = -1;
    if (sim->drive) sim->drive->trouble.kind = ZR_DRIVE_WORKS;
    if (sim->contacts) zr_forget_happenings(sim);
    if (sim->contacts) zr_enter_mode(sim);
    ZB_TRY(zr_find_generic_rank(sim, &run->solving, run->step.y));
    run->touching.base_rank = run->solving.generic_rank;
    if (!sim->contacts) ZB_TRY(zr_limit_ranks(sim, &run->solving));
    ZB_TRY(zr_choose_basis(sim, &run->arena, &run->solving));
    ZB_TRY(zr_begin_parts(sim, &run->solving, run->step.y));
    ZB_TRY(zr_begin_at_compromise(sim));
    ZB_TRY(open_steppers(sim));
    if (!sim->contacts) ZB_TRY(zr_open_passage(sim));
    run->solving.projects = run->step.stepper->system.project != NULL;
    run->solving.asks_fused = run->solving.generic_rank == zr_rows_on(sim) &&
                              zr_fused_serves(sim, &run->settings) && !zr_on_compromise(sim);
    ZB_TRY(look_at_events_first(sim));
    ZB_TRY(zr_open_seams(sim));
    ZB_TRY(zr_begin_switching(sim));
    zr_energies_at(sim, &s, &run->record.at_start);
    ZB_TRY(zr_begin_touching(sim));
    if (run->record.island_h)
        zr_island_energies_at(sim, &s, run->record.island_h, run->record.island_scale);
    run->stats.energy.start = run->record.at_start.h;
    run->stats.energy.scale = run->record.at_start.scale;
    run->solving.on_constraints = true;
    const zi_stepper *step = run->step.stepper;
    ZB_TRY(step->system.rates(sim, sim->t, step->y,
                              run->step.in_lanes ? run->step.lane_y : run->step.y));
    run->stats.rank = run->solving.rank;
    run->solving.taken[ZR_PARTS] = 0; /* this one is not counted among the evaluations either */
    sim->solver->rounds = 0;
    zr_watch_start(sim);
    run->patience.t = sim->t;
    return zr_begin_carry(sim);
}

/* Comparisons refuse NaN, where it does not mean `not given`. */
bool zr_sensible(const zw_run_settings *set, double t)
{
    bool tolerances = set->tol > 0.0 && set->abs_tol >= 0.0 && set->tol < 1.0;
    bool until = isnan(set->until) || set->until >= t;
    bool step = isnan(set->step) || set->step > 0.0;
    return tolerances && until && step && isfinite(set->omega) && isfinite(set->zeta) &&
           set->max_steps >= 0 && set->patience >= 0.0 && zb_method_name(set->method) &&
           zb_kernel_name(set->kernel) && zb_hold_name(set->hold);
}

/* A run that was there before is gone, also where this one cannot begin. */
zw_status zr_sim_begin(zw_sim *sim, const zw_run_settings *settings)
{
    zr_run_free(sim);
    atomic_store(&sim->cancelled, false);
    if (!zr_sensible(settings, sim->t)) return ZW_ERR_ARGUMENT;
    if (!zr_is_carried_from(sim)) return ZW_ERR_ORDER;
    ZB_TRY(zr_open_sides(sim));
    zr_motion *run = zb_resize(sim->memory, NULL, 0, sizeof *run);
    if (!run) return sim->memory->failure;
    *run = (zr_motion){.settings = *settings};
    zb_arena_init(&run->arena, sim->memory, 0);
    run->solving.settings = &run->settings;
    sim->run = run;
    zw_status status = begin_run(sim);
    if (status != ZW_OK) zr_run_free(sim);
    if (status == ZW_ERR_CONTACT) ZB_TRY(zr_report_trouble(sim));
    if (status == ZW_ERR_CONTROL) ZB_TRY(zr_report_drive(sim));
    return status;
}

/* The solvers first, for they may hold factors of rows in the arena. */
void zr_run_free(zw_sim *sim)
{
    zr_motion *run = sim->run;
    if (!run) return;
    if (sim->contacts) sim->contacts->decided = false;
    zr_close_solving(sim, &run->solving);
    zr_close_compromise(sim);
    zi_close(run->step.stepper);
    zi_close(run->step.stiff_stepper);
    zb_arena_clear(&run->arena);
    zb_resize(sim->memory, run, sizeof *run, 0);
    sim->run = NULL;
}

/* --------------------------------------------------------------------- advance */

/* The simulation's state becomes y at t, in the order of the model. */
void zr_show_state(zw_sim *sim, double t, const double *y)
{
    zr_motion *run = sim->run;
    size_t n = (size_t)sim->zm->n;
    sim->t = run->stats.t = t;
    memcpy(sim->q, y, sizeof *y * n);
    memcpy(sim->v, y + n, sizeof *y * n);
    for (int k = 0; k < ZR_POWER_COUNT; k++)
        run->record.work[k] =
            run->record.work_place[k] >= 0 ? y[2 * n + (size_t)run->record.work_place[k]] : 0.0;
}

/* It becomes the one at the end of the last step. */
static void show_end_state(zw_sim *sim)
{
    zr_show_state(sim, sim->run->step.stepper->t, zr_end_state(sim));
}

/* On the constraints, for the asker only. */
zw_status zr_show_inner(zw_sim *sim, double t)
{
    zr_motion *run = sim->run;
    zi_stepper *s = run->step.stepper;
    run->passage.kept_off = false;
    if (t == s->t) {
        show_end_state(sim);
        return ZW_OK;
    }
    if (t < s->t_old) { /* between both sides of a seam, which are rounding apart, or of a lock */
        zr_show_state(sim, t, zr_model_order(sim, s->y_old));
        return zr_on_compromise(sim) ? zr_project(sim, &run->solving, t, sim->q, sim->v, false)
                                     : ZW_OK;
    }
    ZB_TRY(zr_inner_state(sim, t));
    zr_show_state(sim, t, run->step.y);
    if (!s->system.project || t == s->t_old) return ZW_OK;
    if (!zr_is_near_place(run)) { /* as nearly always */
        if (zr_project(sim, &run->solving, t, sim->q, sim->v, false) == ZW_OK) return ZW_OK;
        zr_show_state(sim, t, run->step.y);
    }
    /* where it cannot be brought there (close to a singular configuration) it stays as it is */
    (void)zr_bring_back(sim, t, sim->q, sim->v);
    return ZW_OK;
}

/* auto: where the explicit method finds the motion stiff, the other one takes over. A force that
 * switches back and forth looks stiff and is not. */
static zw_status switch_where_stiff(zw_sim *sim)
{
    zr_motion *run = sim->run;
    zi_stepper *old = run->step.stepper;
    if (!old->stiff) return ZW_OK;
    if (!run->stats.stiff && zr_switches(sim)) return ZW_OK;
    if (!run->stats.stiff) run->stats.first_stiff = old->t;
    run->stats.stiff = true;
    if (run->settings.method != ZW_AUTO || run->stats.switched) return ZW_OK;
    run->stats.switched = true;
    run->step.stiff_stepper->counts = old->counts;
    ZB_TRY(zi_restart(run->step.stiff_stepper, old->t, old->y));
    run->step.stepper = run->step.stiff_stepper;
    run->step.stiff_stepper = old;
    return ZW_OK;
}

/* A step that is interrupted is made again: everything is then as before it. The stepper keeps its
 * state itself, but not a first step length that it could not try, and takes attempts that were
 * broken off for rejected ones. */
static zw_status make_step(zw_sim *sim)
{
    zr_motion *run = sim->run;
    zi_stepper *s = run->step.stepper;
    double h = s->h;
    int64_t rejected = s->counts.rejected;
    int32_t refused = run->step.refused;
    double end = s->settings.end;
    zr_keep_trace(sim, &run->solving);
    run->ending.stoppable = true;
    run->step.was_careful = false;
    if (run->step.ends_asked && run->step.asked < end) s->settings.end = run->step.asked;
    zw_status status = zi_step(s);
    s->settings.end = end;
    run->ending.stoppable = false;
    if (!run->ending.interrupted) return status;
    zr_put_back_trace(sim, &run->solving);
    s->h = h;
    s->counts.rejected = rejected;
    run->step.refused = refused;
    return status;
}

/* Whether data end where the motion is, and it would go on; at the very end of a run it may. */
static bool has_left_data(zw_sim *sim)
{
    zr_motion *run = sim->run;
    const zi_stepper *s = run->step.stepper;
    double until = run->settings.until, x;
    if (!sim->model->lookups || run->switching.count == 0 || run->step.in_lanes) return false;
    if (until - s->t <= 1e-13 * fmax(fabs(until), fabs(s->t))) return false;
    zk_source at = zr_source(sim, s->t, s->y, s->y + sim->zm->n);
    sim->left_data = 1 + zr_find_beyond(sim, &at, run->switching.side, &x);
    if (sim->left_data == 0) return false;
    run->ending.failed_t = s->t; /* for the report */
    memcpy(run->ending.failed_q, s->y, sizeof *s->y * (size_t)sim->zm->n);
    memcpy(run->ending.failed_v, s->y + sim->zm->n, sizeof *s->y * (size_t)sim->zm->n);
    return true;
}

/* A step with all conditions held on their sides, or, where that cannot be made, as they stand;
 * *turn: when the first of them changes in it. */
static zw_status make_held_step(zw_sim *sim, double *turn, double *crowded)
{
    zr_motion *run = sim->run;
    zr_switching *w = &run->switching;
    bool found = false;
    ZB_TRY(zr_ready_switches(sim));
    if (has_left_data(sim)) return ZW_ERR_NOT_FINITE;
    zr_hold_conditions(sim);
    zw_status status = make_step(sim);
    bool failed = status != ZW_OK && !run->ending.interrupted && !zr_is_memory(status);
    if (failed && !w->live) {
        w->live = true;
        zr_hold_conditions(sim);
        status = make_step(sim);
    }
    if (status == ZW_OK) status = zr_find_turn(sim, &found, turn, crowded);
    zr_show_conditions(sim);
    if (status != ZW_OK) return status;
    if (!found) *turn = run->step.stepper->t >= w->next ? w->next : HUGE_VAL;
    if (!found) memset(w->turned, 0, sizeof *w->turned * (size_t)w->count);
    if (w->live) w->decided = w->live = false;
    return ZW_OK;
}

/* Conditions of events where a switch turns before any of them. What turns true at that very moment
 * is still to fire. */
static zw_status look_at_events_there(zw_sim *sim, double turn)
{
    zr_motion *run = sim->run;
    zr_firing *e = &run->events;
    ZB_TRY(zr_inner_state(sim, turn));
    ZB_TRY(zr_look_at_events(sim, turn, run->step.y, run->step.y + sim->zm->n, e->seen, e->gap));
    for (int32_t k = 0; k < e->watch.count; k++)
        e->seen[k] = e->truth[k] && (e->seen[k] || zr_event_has_equality(sim->model, k));
    return ZW_OK;
}

/* The first event in the last step, unless a switch turns before it. *crowded: as zi_detection has
 * it. */
static zw_status find_event(zw_sim *sim, double turn, double *crowded)
{
    zr_motion *run = sim->run;
    zr_firing *e = &run->events;
    zi_stepper *s = run->step.stepper;
    zi_detection detection = {.turned = e->turned, .truth = e->seen};
    if (e->watch.count == 0) return ZW_OK;
    memcpy(e->before, e->truth, (size_t)e->watch.count);
    ZB_TRY(zi_locate(s, &e->watch, s->t_old, e->truth, e->locator, &detection));
    *crowded = detection.crowded;
    if (*crowded > 0.0) return ZW_OK;
    if (turn < s->t && (!detection.found || detection.t > turn ||
                        (detection.t >= turn && run->touching.pending))) {
        ZB_TRY(look_at_events_there(sim, turn));
        detection.found = false;
    }
    e->pending = detection.found;
    e->pending_t = detection.t;
    memcpy(e->truth, e->seen, (size_t)e->watch.count);
    return ZW_OK;
}

/* ------------------------------------------------------------------ crowded steps */

/* The next step is not longer than what can be searched; then a little longer again. */
static void bound_step(zw_sim *sim)
{
    zr_motion *run = sim->run;
    run->step.longest *= 1.5;
    if (run->step.longest > 4.0 * run->step.stepper->counts.largest) run->step.longest = 0.0;
    zr_set_end_of_steps(sim);
}

/* Steps made shorter in vain after which it is rounding that goes to and fro. */
enum { most_vain = 8 };

/* A step in which a condition changes too often to find every change is made again, shorter. */
static zw_status make_shorter(zw_sim *sim, double part)
{
    zr_motion *run = sim->run;
    zi_stepper *s = run->step.stepper;
    double h = part * (s->t - s->t_old);
    run->events.pending = run->switching.pending = run->touching.pending = false;
    run->step.longest = h / 1.5;
    run->step.vain++;
    if (s->t_old + h == s->t_old) return ZW_ERR_STEP;
    ZB_TRY(zi_restart(s, s->t_old, s->y_old));
    if (s->method->takes_h) s->h = h;
    return ZW_OK;
}

/* What waits inside the last step, or at its end. */
zw_status zr_do_pending(zw_sim *sim)
{
    zr_motion *run = sim->run;
    ZB_TRY(zr_carry_pending(sim));
    if (run->seams.pending) return zr_cross_seam(sim);
    if (run->touching.pending) {
        double t = run->events.pending_t;
        ZB_TRY(zr_carry_to_touch(sim, t));
        ZB_TRY(zr_meet_touch(sim));
        return zr_carry_from_touch(sim, t);
    }
    if (run->switching.pending) {
        ZB_TRY(zr_turn(sim));
        return sim->contacts ? zr_touch_again(sim) : ZW_OK;
    }
    run->switching.decided = false;
    return zr_fire(sim);
}

/* Tangents over the step, on the sides of conditions that it was made on. */
static zw_status carry_held_step(zw_sim *sim)
{
    zr_hold_conditions(sim);
    zw_status status = zr_carry_step(sim);
    zr_show_conditions(sim);
    return status;
}

/* One accepted step, then the first seam, event or turn of a switch in it, if there is one; without
 * one the step is put on record. */
static zw_status advance_one_step(zw_sim *sim)
{
    zr_motion *run = sim->run;
    zi_stepper *s = run->step.stepper;
    int64_t most = run->settings.max_steps;
    bool back = false;
    if (most > 0 && s->counts.steps >= most) return ZW_ERR_LIMIT;
    ZB_TRY(zr_mind_patience(sim));
    if (run->settings.poll && (++run->ending.since_poll & 15) == 0)
        run->ending.last_poll = zb_clock();
    double turn = HUGE_VAL, crowded = 0.0;
    if (run->step.longest > 0.0) bound_step(sim);
    if (run->touching.watch.count > 0) ZB_TRY(zr_turn_directions(sim));
    run->events.watch.minds_crowds = run->switching.watch.minds_crowds = run->step.vain < most_vain;
    zw_status status =
        run->switching.count > 0 ? make_held_step(sim, &turn, &crowded) : make_step(sim);
    if (status != ZW_OK && zr_goes_on_at_compromise(sim, status)) return ZW_OK;
    ZB_TRY(status);
    if (crowded == 0.0 || s->method->fixed) ZB_TRY(zr_keep_rows_of_step(sim));
    double touch = HUGE_VAL;
    if (crowded == 0.0 && run->touching.watch.count > 0) ZB_TRY(zr_find_touch(sim, &touch));
    run->touching.pending = touch <= fmin(turn, s->t);
    if (crowded == 0.0) ZB_TRY(find_event(sim, fmin(turn, touch), &crowded));
    if (run->events.pending || turn <= s->t) run->step.vain = 0;
    if (crowded > 0.0 && s->method->fixed) run->step.crowded = true;
    if (crowded > 0.0 && !s->method->fixed) return make_shorter(sim, crowded);
    run->step.bad_start = run->step.bad_end;
    if (run->step.lost_end && isnan(run->stats.first_unsure)) run->stats.first_unsure = s->t;
    run->touching.pending = run->touching.pending && !run->events.pending;
    if (!run->events.pending && fmin(turn, touch) <= s->t) {
        run->events.pending = true;
        run->events.pending_t = fmin(turn, touch);
        run->switching.pending = !run->touching.pending;
    }
    ZB_TRY(zr_mind_seams(sim, &back));
    if (back) return ZW_OK; /* it is made again, up to the seam */
    ZB_TRY(zr_look_for_places(sim));
    if (sim->carried) ZB_TRY(carry_held_step(sim));
    bool reached = run->switching.pending && run->events.pending_t == s->t;
    if (run->events.pending && !reached) return ZW_OK; /* the end of this step will not be */
    if (run->touching.watch.count > 0) ZB_TRY(zr_end_touching_step(sim));
    zr_watch_step(sim);
    if (run->feedback.watched) zr_watch_feedback(sim);
    return switch_where_stiff(sim);
}

/* Goes on until t lies inside the last step, a stop has come, or it was interrupted. */
static zw_status advance_until(zw_sim *sim, double t, zw_outcome *outcome)
{
    zr_motion *run = sim->run;
    for (;;) {
        double known = run->events.pending ? run->events.pending_t : run->step.stepper->t;
        *outcome = run->events.stopped ? ZW_STOPPED : ZW_REACHED;
        if (run->events.stopped) return zr_show_inner(sim, run->step.stepper->t);
        if (t < known || (t <= known && !run->events.pending)) return zr_show_inner(sim, t);
        *outcome = ZW_INTERRUPTED;
        zw_status status = run->events.pending ? zr_do_pending(sim) : advance_one_step(sim);
        if (run->ending.interrupted) {
            run->ending.interrupted = false;
            return zr_show_inner(sim, run->step.stepper->t);
        }
        ZB_TRY(status);
        known = run->events.pending ? run->events.pending_t : run->step.stepper->t;
        if ((zr_is_cancelled(sim) || zr_interrupted(sim)) && known < t && !run->events.stopped)
            return zr_show_inner(sim, known);
    }
}

/* A failure stays: the state is then that of the end of the last step. */
zw_status zr_sim_advance(zw_sim *sim, double t, zw_outcome *outcome)
{
    zr_motion *run = sim->run;
    *outcome = ZW_INTERRUPTED;
    if (!run) return ZW_ERR_ORDER;
    if (run->ending.failure != ZW_OK) return run->ending.failure;
    run->ending.wrong_t = t;
    if (!(t >= sim->t) || (!isnan(run->settings.until) && t > run->settings.until))
        return ZW_ERR_ARGUMENT;
    run->ending.wrong_t = (double)NAN;
    double began = zb_clock();
    /* one that somebody has asked for in between, or that is lost with a saved run, serves no step */
    zr_forget_factor(sim);
    run->ending.last_poll = began;
    run->step.asked = t;
    zw_status status = advance_until(sim, t, outcome);
    if (status == ZW_OK && *outcome == ZW_INTERRUPTED && zr_is_cancelled(sim))
        status = ZW_ERR_CANCELLED;
    if (status != ZW_OK) {
        run->ending.failure = status;
        run->events.pending = false;
        show_end_state(sim);
    }
    run->ending.broken_off = status == ZW_OK && *outcome == ZW_INTERRUPTED;
    run->stats.seconds += zb_clock() - began;
    return status;
}
