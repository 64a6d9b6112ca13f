/*
 * The road through lanes: tells the layer `lanes` what the model is made of, asks it for
 * accelerations and for the way back onto the constraints, and says when it may be asked.
 *
 *     passes of the model        expressions, tables, places --> terms
 *     ze_plan                    parts, shapes, programs; or nothing, where that would be slower
 *     q, v --pack--> lanes: z    --unpack--> z    outside of runs, and where works ride along
 *        y --------> lanes: y'                    in a run by an explicit method: the whole state
 *                                                 stays in the order of the lanes
 *
 * Plans are for rows that are independent, or for rows that are not: the latter cost more. What is
 * known when a simulation is made is only that more rows than coordinates depend on each other; the
 * rest is found out after the start and when a run begins.
 *
 * A projection goes on as in project.c: smallest changes in the metric M until what is left is
 * rounding; where that does not come quickly, it is made in the other way, from the state it began
 * at. All memory is taken when it is planned.
 */
#include "road_parts.h"

#include <float.h>
#include <string.h>

#include "parts.h"

enum {
    least_size = 48,  /* coordinates and rows together: not worth asking */
    most_rounds = 12, /* of a projection */
    term_lists = 6    /* of passes */
};

/* ------------------------------------------------------------- what is given */

static ze_pattern pattern_of(const zr_pattern *p)
{
    return (ze_pattern){
        .rows = p->rows, .columns = p->columns, .start = p->start, .column = p->column};
}

static ze_row_kind kind_of(zm_row_kind kind)
{
    if (kind == ZM_HOLONOMIC) return ZE_HOLONOMIC;
    return kind == ZM_ACCELERATION ? ZE_OF_ACCELERATIONS : ZE_OF_VELOCITIES;
}

static ze_terms terms_of(const zw_model *model, const zr_pass *pass, ze_target target)
{
    const zm_family *f = &model->zm->families[pass->family];
    return (ze_terms){.target = target,
                      .nodes = pass->nodes,
                      .outputs = pass->matrix + pass->vector,
                      .matrix = pass->matrix,
                      .instances = f->count,
                      .table = f->whole ? NULL : f->table,
                      .stride = f->stride,
                      .value_at = f->coordinates,
                      .place = pass->place};
}

/* Everything in `arena`, for as long as planning takes. */
static zw_status describe(const zw_sim *sim, zb_arena *arena, ze_system *system)
{
    const zw_model *model = sim->model;
    const zr_passes *lists[term_lists] = {&model->constant_dynamics, &model->dynamics,
                                          &model->constant_rows,     &model->rows,
                                          &model->levels[0],         &model->levels[1]};
    static const ze_target targets[term_lists] = {ZE_TO_DYNAMICS, ZE_TO_DYNAMICS, ZE_TO_ROWS,
                                                  ZE_TO_ROWS,     ZE_TO_LEVELS,   ZE_TO_LEVELS};
    int32_t count = 0, m = sim->zm->m;
    for (int i = 0; i < term_lists; i++) count += lists[i]->count;
    ze_terms *terms = ZB_NEW_ARRAY(arena, ze_terms, (size_t)count);
    ze_row_kind *kinds = ZB_NEW_ARRAY(arena, ze_row_kind, (size_t)m);
    if (arena->failure != ZW_OK) return arena->failure;
    count = 0;
    for (int i = 0; i < term_lists; i++)
        for (int32_t k = 0; k < lists[i]->count; k++)
            terms[count++] = terms_of(model, &lists[i]->list[k], targets[i]);
    for (int32_t i = 0; i < m; i++) kinds[i] = kind_of(sim->row_kind[i]);
    *system = (ze_system){.pool = &sim->zm->pool,
                          .n = sim->zm->n,
                          .m = m,
                          .values = sim->zm->value_count,
                          .M = pattern_of(&model->M),
                          .A = pattern_of(&model->A),
                          .kinds = kinds,
                          .terms = terms,
                          .term_count = count};
    return ZW_OK;
}

/* -------------------------------------------------------------------- planning */

/* What lanes are for at all. */
bool zr_lanes_possible(const zw_sim *sim)
{
    const zw_model *model = sim->model;
    zw_solver solver = model->context->solver;
    int32_t n = sim->zm->n, m = sim->zm->m;
    if (solver != ZW_SOLVER_AUTO && solver != ZW_SOLVER_LANES) return false;
    if (solver == ZW_SOLVER_AUTO && n + m <= least_size) return false;
    return m > 0 && !model->fused && model->nonideal.count == 0 && model->W.rows == 0;
}

/* Seconds of an acceleration by the solver that is there: evaluation, about, and solution. */
static double other_cost(const zw_sim *sim)
{
    const zw_model *model = sim->model;
    double numbers = (double)model->A.count + sim->zm->m + sim->zm->n;
    return zg_system_cost(sim->system) + 1.5e-9 * numbers;
}

static void forget(zr_lanes_road *road)
{
    ze_free(road->lanes);
    zb_arena_clear(&road->arena);
    road->arena.failure = ZW_OK;
    road->lanes = NULL;
    road->size = 0;
    road->native = road->projected = false;
    road->report = (zk_native_report){0};
}

static double *aligned(zr_lanes_road *road, size_t count)
{
    return zb_arena_take(&road->arena, zb_product(count, sizeof(double)), 64);
}

static zw_status take_arrays(zr_lanes_road *road)
{
    size_t size = (size_t)ze_size(road->lanes);
    road->size = (int32_t)size;
    road->q = aligned(road, size);
    road->v = aligned(road, size);
    road->other = aligned(road, size);
    road->kept = aligned(road, 2 * size);
    return road->arena.failure;
}

static zw_status plan(zw_sim *sim, bool dependent)
{
    zr_lanes_road *road = sim->lanes;
    bool any = sim->model->context->solver == ZW_SOLVER_LANES;
    int32_t threads = sim->model->context->threads;
    ze_choice choice = {.dependent = dependent,
                        .limit = any ? 0.0 : other_cost(sim),
                        .workers = threads > 0 ? threads : zb_processor_count()};
    if (choice.workers > zr_most_workers) choice.workers = zr_most_workers;
    ze_system system;
    zb_arena scratch;
    zb_arena_init(&scratch, sim->memory, 0);
    zw_status status = describe(sim, &scratch, &system);
    if (status == ZW_OK) status = ze_plan(sim->memory, &system, &choice, &road->lanes);
    zb_arena_clear(&scratch);
    if (status == ZW_OK && road->lanes) status = take_arrays(road);
    return status;
}

/* Where it was not asked for, it may take no more memory than there is. */
static zw_status plan_anew(zw_sim *sim, bool dependent)
{
    zr_lanes_road *road = sim->lanes;
    forget(road);
    road->dependent = dependent;
    zw_status status = plan(sim, dependent);
    if (status != ZW_OK) {
        bool without = status == ZW_ERR_BUDGET && sim->model->context->solver == ZW_SOLVER_AUTO;
        forget(road);
        return without ? ZW_OK : status;
    }
    zr_lanes_parameters(sim);
    if (sim->evaluator == ZK_FASTEST) zr_lanes_native(sim);
    return ZW_OK;
}

zw_status zr_plan_lanes(zw_sim *sim)
{
    if (!zr_lanes_possible(sim)) return ZW_OK;
    sim->lanes = ZB_NEW(&sim->arena, zr_lanes_road);
    if (!sim->lanes) return sim->arena.failure;
    zb_arena_init(&sim->lanes->arena, sim->memory, 0);
    return plan_anew(sim, sim->zm->m > sim->zm->n);
}

void zr_free_lanes(zw_sim *sim)
{
    if (sim->lanes) forget(sim->lanes);
}

void zr_lanes_parameters(zw_sim *sim)
{
    if (sim->lanes && sim->lanes->lanes) ze_set_values(sim->lanes->lanes, sim->values);
}

void zr_lanes_native(zw_sim *sim)
{
    zr_lanes_road *road = sim->lanes;
    if (!road || !road->lanes || road->native) return;
    ze_make_native(road->lanes, &road->report);
    road->native = true;
}

/* Planning reads the model's pool, which the threads of an ensemble share. */
static bool may_plan(const zw_sim *sim)
{
    return sim->lanes && sim->memory == &sim->model->context->memory;
}

static zw_status find_dependent(zw_sim *sim, bool *dependent)
{
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    zw_gauss_rank_info info = {.rank = sim->zm->m};
    zw_status status = zr_factor_at(sim, &s);
    if (status == ZW_OK) status = zg_system_rank(sim->system, &info);
    *dependent = status == ZW_OK && info.rank < sim->zm->m;
    return zr_is_memory(status) ? status : ZW_OK;
}

/* Lanes that refuse the state at which something begins would do so again and again, and each time
 * for nothing: unless they are asked for, they are not tried then. */
static bool refuse_here(zw_sim *sim)
{
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    return !zr_lanes_accelerate(sim, &s, sim->work);
}

static bool by_choice(const zw_sim *sim)
{
    return sim->model->context->solver == ZW_SOLVER_AUTO;
}

zw_status zr_settle_lanes(zw_sim *sim)
{
    zr_lanes_road *road = sim->lanes;
    bool dependent = false;
    if (!road || !road->lanes || sim->start.conflicts.count > 0) return ZW_OK;
    road->asleep = false;
    if (!refuse_here(sim)) return ZW_OK;
    if (!road->dependent) ZB_TRY(find_dependent(sim, &dependent));
    if (dependent) ZB_TRY(plan_anew(sim, true));
    road->asleep = by_choice(sim) && (!dependent || refuse_here(sim));
    return ZW_OK;
}

/* Small systems with dependent rows have better roads of their own. */
static bool left_to_others(const zw_sim *sim)
{
    return sim->run->full && by_choice(sim) && sim->run->stats.generic_rank < sim->zm->m;
}

/* Rows that depend on each other only where the constraints hold are not quite dependent in the
 * stages of a step: a singular value that is noise would be taken for a constraint. The other roads
 * know the rank, lanes do not. */
zw_status zr_lanes_begin(zw_sim *sim)
{
    bool dependent = sim->run->stats.generic_rank < sim->zm->m, everywhere = true;
    if (!sim->lanes || left_to_others(sim)) return ZW_OK;
    if (dependent) ZB_TRY(zr_depend_everywhere(sim, &everywhere));
    sim->run->not_in_lanes = !everywhere;
    if (!everywhere) return ZW_OK;
    if (may_plan(sim) && sim->lanes->dependent != dependent) ZB_TRY(plan_anew(sim, dependent));
    sim->run->not_in_lanes = by_choice(sim) && refuse_here(sim);
    return ZW_OK;
}

void zr_lanes_statistics(const zw_sim *sim, zw_run_statistics *stats)
{
    const zr_lanes_road *road = sim->lanes;
    ze_facts facts;
    if (!road || !road->lanes || stats->lanes == 0) return;
    ze_facts_of(road->lanes, &facts);
    stats->lanes_rule = facts.rule;
    stats->lanes_parts = facts.parts;
    stats->lanes_shapes = facts.shapes;
    stats->lanes_width = facts.width;
}

uint64_t zr_lanes_fingerprint(const zw_sim *sim)
{
    const zr_lanes_road *road = sim->lanes;
    ze_facts facts;
    if (!road || !road->lanes) return 0;
    ze_facts_of(road->lanes, &facts);
    int32_t sizes[] = {road->size,  road->dependent, facts.size,   facts.width, facts.shapes,
                       facts.parts, facts.between,   facts.levels, facts.rest,  facts.stores};
    return zb_hash_bytes(sizes, sizeof sizes);
}

/* --------------------------------------------------------------- accelerations */

bool zr_lanes_serve(const zw_sim *sim)
{
    const zr_lanes_road *road = sim->lanes;
    const zr_motion *run = sim->run;
    if (!road || !road->lanes || sim->start.conflicts.count > 0) return false;
    if (!run) return !road->asleep;
    int32_t rank = run->stats.generic_rank; /* below 0: not known yet */
    bool asked = run->settings.form == ZW_FORM_GAUSS && run->settings.stabilize != ZW_BAUMGARTE;
    bool as_planned = rank >= 0 && (rank < sim->zm->m) == road->dependent;
    return asked && as_planned && !run->not_in_lanes && !run->any_conflicting &&
           !left_to_others(sim);
}

/* Pivots above this leave all digits; as the sparse road has it. */
static double least_pivot(const zw_sim *sim)
{
    return sim->run && sim->run->full ? 1e-5 : 1e-6;
}

static ze_state state_at(const zw_sim *sim, double t, const double *q, const double *v)
{
    return (ze_state){.t = t, .q = q, .v = v, .evaluator = sim->evaluator, .team = sim->team};
}

/* Pivots are checked: what is noted stands for a condition that is no matter of concern. */
static void note(zw_sim *sim)
{
    zr_motion *run = sim->run;
    sim->road = ZR_LANES;
    if (!run) return;
    run->stats.lanes++;
    zr_note_independent(sim, 100.0);
    run->rank = run->stats.generic_rank;
}

static bool solve(zw_sim *sim, const ze_state *state, bool multipliers, double *z)
{
    ze_task task = {.least = least_pivot(sim), .multipliers = multipliers};
    if (!ze_accelerate(sim->lanes->lanes, state, &task, z)) return false;
    note(sim);
    return true;
}

/* Works by forces of constraints. */
static bool needs_multipliers(const zw_sim *sim)
{
    return sim->run && sim->run->powers & (1u << ZR_IDEAL | 1u << ZR_CONTROL);
}

/* In the order of the model. */
static bool solve_loose(zw_sim *sim, const zk_source *s, bool multipliers, double *z)
{
    zr_lanes_road *road = sim->lanes;
    if (!road->dependent) {
        ze_task task = {.least = least_pivot(sim), .multipliers = multipliers};
        ze_state state = state_at(sim, s->time, s->position, s->velocity);
        if (!ze_accelerate_loose(road->lanes, &state, &task, z)) return false;
        note(sim);
        return true;
    }
    ze_pack(road->lanes, s->position, road->q);
    ze_pack(road->lanes, s->velocity, road->v);
    ze_state state = state_at(sim, s->time, road->q, road->v);
    if (!solve(sim, &state, multipliers, road->other)) return false;
    ze_unpack(road->lanes, road->other, z);
    return true;
}

bool zr_lanes_accelerate(zw_sim *sim, const zk_source *s, double *z)
{
    if (!zr_lanes_serve(sim)) return false;
    bool multipliers = needs_multipliers(sim);
    if (!solve_loose(sim, s, multipliers, z)) return false;
    if (!multipliers) return true;
    ze_multipliers(sim->lanes->lanes, sim->lambda);
    zr_evaluate_rows(sim, s);
    return true;
}

bool zr_lanes_rates(zw_sim *sim, double t, const double *y, double *dy)
{
    if (!zr_lanes_serve(sim)) return false;
    size_t size = (size_t)sim->lanes->size;
    ze_state state = state_at(sim, t, y, y + size);
    if (!solve(sim, &state, false, dy + size)) return false;
    memcpy(dy, y + size, sizeof *dy * size);
    return true;
}

/* ----------------------------------------------------------------- projections */

/* One side of a state in the order of the lanes; x is the half of it that moves. False: not here,
 * or not quickly. */
static bool correct(zw_sim *sim, const ze_state *state, zr_order order, double *x)
{
    zr_lanes_road *road = sim->lanes;
    double before = DBL_MAX; /* infinities contract slowly */
    for (int round = 0; round < most_rounds; round++) {
        ze_off off;
        ze_look(road->lanes, state, (int)order, &off);
        road->off[order] = off.size;
        if (off.units <= 1.0) return true;
        bool slow = !(off.units <= 0.25 * before);
        if (slow) return round > 0 && off.units <= 64.0;
        if (!ze_correct(road->lanes, state, (int)order, least_pivot(sim), road->other))
            return false;
        for (int32_t i = 0; i < road->size; i++) x[i] += road->other[i];
        sim->rounds++;
        before = off.units;
    }
    return false;
}

/* Both sides, q and v in place; false: they may have moved. */
static bool land(zw_sim *sim, double t, double *q, double *v)
{
    ze_state state = state_at(sim, t, q, v);
    int64_t rounds = sim->rounds;
    sim->lanes->projected =
        correct(sim, &state, ZR_POSITION, q) && correct(sim, &state, ZR_VELOCITY, v);
    if (!sim->lanes->projected) sim->rounds = rounds;
    return sim->lanes->projected;
}

bool zr_lanes_project(zw_sim *sim, double t, double *q, double *v)
{
    zr_lanes_road *road = sim->lanes;
    if (road) road->projected = false;
    if (!zr_lanes_serve(sim)) return false;
    ze_pack(road->lanes, q, road->q);
    ze_pack(road->lanes, v, road->v);
    if (!land(sim, t, road->q, road->v)) return false;
    ze_unpack(road->lanes, road->q, q);
    ze_unpack(road->lanes, road->v, v);
    return true;
}

bool zr_lanes_land(zw_sim *sim, double t, double *y)
{
    zr_lanes_road *road = sim->lanes;
    road->projected = false;
    if (!zr_lanes_serve(sim)) return false;
    size_t bytes = sizeof *y * 2 * (size_t)road->size;
    memcpy(road->kept, y, bytes);
    if (land(sim, t, y, y + road->size)) return true;
    memcpy(y, road->kept, bytes);
    return false;
}

/* ----------------------------------------------------------------------- order */

void zr_lanes_pack(const zw_sim *sim, const double *x, double *y)
{
    const zr_lanes_road *road = sim->lanes;
    ze_pack(road->lanes, x, y);
    ze_pack(road->lanes, x + sim->zm->n, y + road->size);
}

void zr_lanes_unpack(const zw_sim *sim, const double *y, double *x)
{
    const zr_lanes_road *road = sim->lanes;
    ze_unpack(road->lanes, y, x);
    ze_unpack(road->lanes, y + road->size, x + sim->zm->n);
}

void zr_lanes_mask(const zw_sim *sim, double *mask)
{
    const zr_lanes_road *road = sim->lanes;
    size_t bytes = sizeof *mask * (size_t)road->size;
    memcpy(mask, ze_mask(road->lanes), bytes);
    memcpy(mask + road->size, ze_mask(road->lanes), bytes);
}
