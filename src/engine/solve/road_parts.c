/*
 * The road by equal parts: tells the layer `parts` what the model is made of, asks it for
 * accelerations and for the way back onto the constraints, and says when it may be asked.
 *
 *     passes of the model        expressions, tables, places --> terms
 *     ze_plan                    parts, shapes, programs; or nothing, where that would be slower
 *     q, v --pack--> lanes: z    --unpack--> z    outside of runs, and where works are integrated
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

#include <math.h>
#include <string.h>

#include "contact_laws.h"
#include "friction.h"
#include "newton.h"
#include "parts.h"
#include "switches.h"

enum {
    least_size = 48,  /* coordinates and rows together: not worth asking */
    most_rounds = 12, /* of a projection */
    term_lists = 6    /* of passes */
};

/* ------------------------------------------------------------- what is given */

static ze_pattern view_pattern(const zr_pattern *p)
{
    return (ze_pattern){
        .rows = p->rows, .columns = p->columns, .start = p->start, .column = p->column};
}

static ze_row_kind translate_row_kind(zm_row_kind kind)
{
    if (kind == ZM_HOLONOMIC) return ZE_HOLONOMIC;
    return kind == ZM_ACCELERATION ? ZE_OF_ACCELERATIONS : ZE_OF_VELOCITIES;
}

/* A pass of the model as terms: its expressions, and where their values are added. */
static ze_terms describe_pass(const zw_model *model, const zr_pass *pass, ze_target target)
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

/* Rows with masks: an expression each, without a table. */
static zw_status describe_absences(const zw_sim *sim, zb_arena *arena, ze_terms *terms)
{
    int32_t m = sim->zm->m, count = 0;
    zx_node *nodes = ZB_NEW_ARRAY(arena, zx_node, (size_t)m);
    int32_t *place = ZB_NEW_ARRAY(arena, int32_t, (size_t)m);
    if (arena->failure != ZW_OK) return arena->failure;
    for (int32_t i = 0; i < m; i++) {
        if (sim->zm->mask[i] < 0) continue;
        nodes[count] = sim->model->laws->absence[i];
        place[count++] = 4 * m + i;
    }
    *terms = (ze_terms){
        .target = ZE_TO_LEVELS, .nodes = nodes, .outputs = count, .instances = 1, .place = place};
    return ZW_OK;
}

/* Everything in `arena`, for as long as planning takes. */
static zw_status describe_system(const zw_sim *sim, zb_arena *arena, ze_system *system)
{
    const zw_model *model = sim->model;
    const zr_passes *lists[term_lists] = {&model->constant_dynamics, &model->dynamics,
                                          &model->constant_rows,     &model->rows,
                                          &model->levels[0],         &model->levels[1]};
    static const ze_target targets[term_lists] = {ZE_TO_DYNAMICS, ZE_TO_DYNAMICS, ZE_TO_ROWS,
                                                  ZE_TO_ROWS,     ZE_TO_LEVELS,   ZE_TO_LEVELS};
    int32_t count = 0, m = sim->zm->m;
    for (int i = 0; i < term_lists; i++) count += lists[i]->count;
    ze_terms *terms = ZB_NEW_ARRAY(arena, ze_terms, (size_t)count + 1);
    ze_row_kind *kinds = ZB_NEW_ARRAY(arena, ze_row_kind, (size_t)m);
    if (arena->failure != ZW_OK) return arena->failure;
    count = 0;
    for (int i = 0; i < term_lists; i++)
        for (int32_t k = 0; k < lists[i]->count; k++)
            terms[count++] = describe_pass(model, &lists[i]->list[k], targets[i]);
    if (sim->zm->mask) ZB_TRY(describe_absences(sim, arena, &terms[count++]));
    for (int32_t i = 0; i < m; i++) kinds[i] = translate_row_kind(sim->row_kind[i]);
    *system = (ze_system){.pool = &sim->zm->pool,
                          .n = sim->zm->n,
                          .m = m,
                          .values = sim->zm->value_count,
                          .M = view_pattern(&model->M),
                          .A = view_pattern(&model->A),
                          .kinds = kinds,
                          .terms = terms,
                          .term_count = count,
                          .distances = model->laws != NULL};
    return ZW_OK;
}

/* -------------------------------------------------------------------- planning */

/* What parts are for at all. */
bool zr_parts_possible(const zw_sim *sim)
{
    const zw_model *model = sim->model;
    zw_solver solver = model->context->solver;
    int32_t n = sim->zm->n, m = sim->zm->m;
    if (solver != ZW_SOLVER_AUTO && solver != ZW_SOLVER_PARTS) return false;
    if (solver == ZW_SOLVER_AUTO && n + m <= least_size) return false;
    return m > 0 && !model->fused && !model->motors && model->nonideal.count == 0 &&
           model->W.rows == 0 && zr_slot_count(model) == 0 && !model->lookups;
}

/* Seconds of an acceleration by the solver that is there: evaluation, about, and solution. */
static double predict_other_cost(const zw_sim *sim)
{
    const zw_model *model = sim->model;
    double numbers = (double)model->A.count + sim->zm->m + sim->zm->n;
    return zg_system_cost(sim->solver->all.system) + 1.5e-9 * numbers;
}

/* As if no plan had ever been made. */
static void forget_parts_plan(zr_parts_road *road)
{
    ze_free(road->plan);
    zb_arena_clear(&road->arena);
    road->arena.failure = ZW_OK;
    road->plan = NULL;
    road->size = 0;
    road->native = road->projected = false;
    road->report = (zk_native_report){0};
}

static double *take_aligned_vector(zr_parts_road *road, size_t count)
{
    return zb_arena_take(&road->arena, zb_product(count, sizeof(double)), 64);
}

/* Scratch in the order of the lanes. */
static zw_status take_parts_arrays(zr_parts_road *road)
{
    size_t size = (size_t)ze_size(road->plan);
    road->size = (int32_t)size;
    road->q = take_aligned_vector(road, size);
    road->v = take_aligned_vector(road, size);
    road->other = take_aligned_vector(road, size);
    road->kept = take_aligned_vector(road, 2 * size);
    return road->arena.failure;
}

/* road->plan, or NULL where another solver is predicted to be faster and parts were not asked
 * for. Scratch is freed in any case. */
static zw_status plan_parts(zw_sim *sim, bool dependent)
{
    zr_parts_road *road = sim->solver->parts;
    bool any = sim->model->context->solver == ZW_SOLVER_PARTS;
    int32_t threads = sim->model->context->threads;
    ze_choice choice = {.dependent = dependent,
                        .width = sim->model->context->lanes,
                        .limit = any ? 0.0 : predict_other_cost(sim),
                        .workers = threads > 0 ? threads : zb_processor_count()};
    if (choice.workers > zr_most_workers) choice.workers = zr_most_workers;
    ze_system system;
    zb_arena scratch;
    zb_arena_init(&scratch, sim->memory, 0);
    zw_status status = describe_system(sim, &scratch, &system);
    if (status == ZW_OK) status = ze_plan(sim->memory, &system, &choice, &road->plan);
    zb_arena_clear(&scratch);
    if (status == ZW_OK && road->plan) status = take_parts_arrays(road);
    return status;
}

/* Where it was not asked for, it may take no more memory than there is. */
static zw_status plan_parts_anew(zw_sim *sim, bool dependent)
{
    zr_parts_road *road = sim->solver->parts;
    forget_parts_plan(road);
    road->dependent = dependent;
    zw_status status = plan_parts(sim, dependent);
    if (status != ZW_OK) {
        bool without = status == ZW_ERR_BUDGET && sim->model->context->solver == ZW_SOLVER_AUTO;
        forget_parts_plan(road);
        return without ? ZW_OK : status;
    }
    zr_parts_parameters(sim);
    if (sim->evaluator == ZK_FASTEST) zr_parts_native(sim);
    return ZW_OK;
}

/* More rows than coordinates are dependent, whatever the state; not those that may be off. */
zw_status zr_plan_parts(zw_sim *sim)
{
    int32_t rows = 0;
    if (!zr_parts_possible(sim)) return ZW_OK;
    for (int32_t i = 0; i < sim->zm->m; i++) rows += sim->zm->mask && sim->zm->mask[i] >= 0 ? 0 : 1;
    sim->solver->parts = ZB_NEW(&sim->arena, zr_parts_road);
    if (!sim->solver->parts) return sim->arena.failure;
    zb_arena_init(&sim->solver->parts->arena, sim->memory, 0);
    return plan_parts_anew(sim, rows > sim->zm->n);
}

void zr_free_parts(zw_sim *sim)
{
    if (sim->solver->parts) forget_parts_plan(sim->solver->parts);
}

void zr_parts_parameters(zw_sim *sim)
{
    zr_parts_road *road = sim->solver->parts;
    if (!road || !road->plan) return;
    ze_set_values(road->plan, sim->values);
    road->stale = false;
}

void zr_parts_masks(zw_sim *sim)
{
    if (sim->solver->parts) sim->solver->parts->stale = true;
}

/* Once for a plan; without machine code its programs are evaluated as byte code. */
void zr_parts_native(zw_sim *sim)
{
    zr_parts_road *road = sim->solver->parts;
    if (!road || !road->plan || road->native) return;
    ze_make_native(road->plan, &road->report);
    road->native = true;
}

/* Planning reads the model's pool, which the threads of an ensemble share. */
static bool may_plan_again(const zw_sim *sim)
{
    return sim->solver->parts && sim->memory == &sim->model->context->memory;
}

/* By the rank at the simulation's state. What fails there for other reasons than memory is no
 * answer: independent. */
static zw_status find_whether_dependent(zw_sim *sim, bool *dependent)
{
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    zw_gauss_rank_info info = {.rank = sim->zm->m};
    zw_status status = zr_factor_at(sim, &s);
    if (status == ZW_OK) status = zg_system_rank(sim->solver->all.system, &info);
    *dependent = status == ZW_OK && info.rank < sim->zm->m;
    return zr_is_memory(status) ? status : ZW_OK;
}

static bool is_by_own_choice(const zw_sim *sim)
{
    return sim->model->context->solver == ZW_SOLVER_AUTO;
}

/* Small systems with dependent rows have better roads of their own. */
static bool is_left_to_others(const zw_sim *sim, const zr_solving *run)
{
    return run->full && is_by_own_choice(sim) && run->generic_rank < zr_rows_on(sim);
}

/* Outside of runs wherever they have not refused; in a run as its form and stabilisation allow,
 * for rows of the kind that was planned for, and not while rows are in conflict. */
bool zr_parts_serve(const zw_sim *sim, const zr_solving *run)
{
    const zr_parts_road *road = sim->solver->parts;
    if (!road || !road->plan || sim->start.conflicts.count > 0 || zr_any_slides(sim)) return false;
    if (!run) return !road->asleep;
    const zw_run_settings *set = run->settings;
    bool asked = set->form == ZW_FORM_GAUSS && set->stabilize != ZW_BAUMGARTE;
    bool as_planned =
        run->generic_rank >= 0 && (run->generic_rank < zr_rows_on(sim)) == road->dependent;
    return asked && as_planned && !run->not_by_parts && !run->any_conflicting && !run->any_out &&
           !is_left_to_others(sim, run);
}

static bool accelerate_by_parts(zw_sim *sim, zr_solving *run, const zk_source *s, double *z);

/* Parts that refuse the state at which something begins would do so again and again, and each time
 * for nothing: unless they are asked for, they are not tried then. */
static bool do_parts_refuse_here(zw_sim *sim, zr_solving *run)
{
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    if (!zr_parts_serve(sim, run)) return true;
    bool taken = accelerate_by_parts(sim, run, &s, sim->work);
    memset(sim->work, 0, sizeof *sim->work * (size_t)sim->zm->n); /* as measures expect it */
    return !taken;
}

/* After a start: parts that refuse are planned again for dependent rows, if that is what they
 * are, and left alone if they refuse once more. */
zw_status zr_adapt_parts(zw_sim *sim)
{
    zr_parts_road *road = sim->solver->parts;
    bool dependent = false;
    if (!road || !road->plan || sim->start.conflicts.count > 0) return ZW_OK;
    road->asleep = false;
    if (!do_parts_refuse_here(sim, NULL)) return ZW_OK;
    if (!road->dependent) ZB_TRY(find_whether_dependent(sim, &dependent));
    if (dependent) ZB_TRY(plan_parts_anew(sim, true));
    road->asleep = is_by_own_choice(sim) && (!dependent || do_parts_refuse_here(sim, NULL));
    return ZW_OK;
}

/* Rows that depend on each other only where the constraints hold are not quite dependent in the
 * stages of a step: a singular value that is noise would be taken for a constraint. The other roads
 * know the rank, parts do not. */
zw_status zr_begin_parts(zw_sim *sim, zr_solving *run, double *scratch)
{
    zr_parts_road *road = sim->solver->parts;
    bool dependent = run->generic_rank < zr_rows_on(sim), everywhere = true;
    if (!road || is_left_to_others(sim, run)) return ZW_OK;
    if (dependent) ZB_TRY(zr_depend_everywhere(sim, run, scratch, &everywhere));
    run->not_by_parts = !everywhere;
    if (!everywhere) return ZW_OK;
    if (may_plan_again(sim) && road->dependent != dependent)
        ZB_TRY(plan_parts_anew(sim, dependent));
    run->not_by_parts = is_by_own_choice(sim) && do_parts_refuse_here(sim, run);
    return ZW_OK;
}

/* Only of a run that has gone by parts at all. */
void zr_parts_statistics(const zw_sim *sim, zw_run_statistics *stats)
{
    const zr_parts_road *road = sim->solver->parts;
    ze_facts facts;
    if (!road || !road->plan || stats->parts.evaluations == 0) return;
    ze_facts_of(road->plan, &facts);
    stats->parts.rule = facts.rule;
    stats->parts.count = facts.parts;
    stats->parts.shapes = facts.shapes;
    stats->parts.width = facts.width;
}

/* Of the sizes of the plan; 0: there is none. */
uint64_t zr_parts_fingerprint(const zw_sim *sim)
{
    const zr_parts_road *road = sim->solver->parts;
    ze_facts facts;
    if (!road || !road->plan) return 0;
    ze_facts_of(road->plan, &facts);
    int32_t sizes[] = {road->size,  road->dependent, facts.size,   facts.width, facts.shapes,
                       facts.parts, facts.between,   facts.levels, facts.rest,  facts.stores};
    return zb_hash_bytes(sizes, sizeof sizes);
}

/* --------------------------------------------------------------- accelerations */

/* Pivots above this leave all digits; as the sparse road has it. */
static double find_least_pivot(const zr_solving *run)
{
    return run && run->full ? 1e-5 : 1e-6;
}

static ze_state describe_state(const zw_sim *sim, double t, const double *q, const double *v)
{
    return (ze_state){.t = t, .q = q, .v = v, .evaluator = sim->evaluator, .team = sim->team};
}

/* Pivots are checked: what is noted stands for a condition that is no matter of concern. */
static void note_parts(zw_sim *sim, zr_solving *run)
{
    sim->solver->road = ZR_PARTS;
    sim->solver->held = NULL;
    if (!run) return;
    zr_note_independent(sim, run, 100.0);
    run->rank = run->generic_rank;
}

/* Works by forces of constraints. */
static bool needs_multipliers(const zr_solving *run)
{
    return run && run->powers & (1u << ZR_IDEAL | 1u << ZR_CONTROL);
}

/* In the order of the model. */
static bool solve_in_model_order(zw_sim *sim, const zk_source *s, const ze_task *task, double *z)
{
    zr_parts_road *road = sim->solver->parts;
    if (!road->dependent) {
        ze_state state = describe_state(sim, s->time, s->position, s->velocity);
        return ze_accelerate_unpacked(road->plan, &state, task, z);
    }
    ze_pack(road->plan, s->position, road->q);
    ze_pack(road->plan, s->velocity, road->v);
    ze_state state = describe_state(sim, s->time, road->q, road->v);
    if (!ze_accelerate(road->plan, &state, task, road->other)) return false;
    ze_unpack(road->plan, road->other, z);
    return true;
}

/* With multipliers, and A of the state, where works need the forces of constraints. */
static bool accelerate_by_parts(zw_sim *sim, zr_solving *run, const zk_source *s, double *z)
{
    bool multipliers = needs_multipliers(run) || sim->model->uses_measures;
    ze_task task = {.least = find_least_pivot(run),
                    .multipliers = multipliers || (sim->contacts && run && !run->no_forces)};
    if (sim->solver->parts->stale) zr_parts_parameters(sim);
    if (!solve_in_model_order(sim, s, &task, z)) return false;
    note_parts(sim, run);
    if (!multipliers) return true; /* contacts ask for theirs */
    zr_take_parts_multipliers(sim);
    if (needs_multipliers(run)) zr_evaluate_rows(sim, s);
    return true;
}

void zr_take_parts_multipliers(zw_sim *sim)
{
    ze_multipliers(sim->solver->parts->plan, sim->lambda);
}

void zr_take_contact_multipliers(const zw_sim *sim, double *lambda)
{
    const struct zr_contact_laws *laws = sim->contacts->laws;
    ze_multipliers_of(sim->solver->parts->plan, laws->contacts, laws->row_of_contact, lambda);
}

/* Multipliers are not needed: works are not integrated in this order. */
bool zr_parts_rates(zw_sim *sim, zr_solving *run, double t, const double *y, double *dy)
{
    if (!zr_parts_serve(sim, run)) return false;
    size_t size = (size_t)sim->solver->parts->size;
    ze_state state = describe_state(sim, t, y, y + size);
    ze_task task = {.least = find_least_pivot(run)};
    if (!ze_accelerate(sim->solver->parts->plan, &state, &task, dy + size)) return false;
    note_parts(sim, run);
    run->taken[ZR_PARTS]++;
    memcpy(dy, y + size, sizeof *dy * size);
    return true;
}

/* ----------------------------------------------------------------- projections */

/* One side of a state in the order of the lanes. */
typedef struct parts_correction {
    zw_sim *sim;
    const ze_state *state;
    zr_order order;
    double *x, least; /* the half of the state that moves; the least pivot */
} parts_correction;

/* The largest residual in units of rounding; its size is kept for the record of the run. */
static double look_at_parts(void *user, int round)
{
    const parts_correction *c = user;
    ze_violation off;
    (void)round;
    ze_measure_violation(c->sim->solver->parts->plan, c->state, (int)c->order, &off);
    c->sim->solver->parts->off[c->order] = off.size;
    c->sim->solver->parts->distance = off.distance;
    return off.units;
}

/* One smallest change in the metric M; false: pivots are too small. */
static bool step_parts(void *user, int round)
{
    const parts_correction *c = user;
    zr_parts_road *road = c->sim->solver->parts;
    (void)round;
    if (!ze_correct(road->plan, c->state, (int)c->order, c->least, road->other)) return false;
    for (int32_t i = 0; i < road->size; i++) c->x[i] += road->other[i];
    c->sim->solver->rounds++;
    return true;
}

/* What is left then goes by another road; but gaps of contacts that are closed have no terms that
 * rounding could be measured by: there it is that of the state (project.c). */
static bool are_parts_good_enough(void *user)
{
    const parts_correction *c = user;
    const zr_parts_road *road = c->sim->solver->parts;
    double size = 0.0;
    if (!c->sim->contacts) return false;
    for (int32_t i = 0; i < road->size; i++) size = fmax(size, fabs(c->x[i]));
    return road->distance <= 1e-12 * size;
}

/* False: not here, or not quickly. */
static bool correct_parts(zw_sim *sim, const zr_solving *run, const ze_state *state, zr_order order,
                          double *x)
{
    parts_correction c = {sim, state, order, x, find_least_pivot(run)};
    zr_newton newton = {.user = &c,
                        .rounds = most_rounds,
                        .look = look_at_parts,
                        .good_enough = are_parts_good_enough,
                        .step = step_parts};
    return zr_iterate_newton(newton);
}

/* Both sides, q and v in place; false: they may have moved. */
static bool correct_both_orders(zw_sim *sim, const zr_solving *run, double t, double *q, double *v)
{
    ze_state state = describe_state(sim, t, q, v);
    zr_solver *solver = sim->solver;
    int64_t rounds = solver->rounds;
    solver->parts->projected = correct_parts(sim, run, &state, ZR_POSITION, q) &&
                               correct_parts(sim, run, &state, ZR_VELOCITY, v);
    if (!solver->parts->projected) solver->rounds = rounds;
    return solver->parts->projected;
}

void zr_forget_parts_projection(zw_sim *sim)
{
    if (sim->solver->parts) sim->solver->parts->projected = false;
}

/* What lies on the ground comes nearer to it with every correction, without end: products of such
 * numbers are none. */
static void drop_tiny_numbers(int32_t count, double *x)
{
    za_kernels_best()->sweep->drop_tiny(count, 1e-100, x);
}

/* In the order of the model; q and v are changed only where it succeeds. */
static bool project_by_parts(zw_sim *sim, const zr_solving *run, double t, double *q, double *v)
{
    zr_parts_road *road = sim->solver->parts;
    if (!zr_parts_serve(sim, run)) return false;
    if (road->stale) zr_parts_parameters(sim);
    ze_pack(road->plan, q, road->q);
    ze_pack(road->plan, v, road->v);
    if (!correct_both_orders(sim, run, t, road->q, road->v)) return false;
    ze_unpack(road->plan, road->q, q);
    ze_unpack(road->plan, road->v, v);
    if (sim->contacts) drop_tiny_numbers(sim->zm->n, q);
    if (sim->contacts) drop_tiny_numbers(sim->zm->n, v);
    return true;
}

/* More rows may be on than the run knows of: pivots are looked at. */
bool zr_project_positions_by_parts(zw_sim *sim, const zr_solving *run, double t, double *q,
                                   const double *v)
{
    zr_parts_road *road = sim->solver->parts;
    if (!road || !road->plan || road->dependent || run->not_by_parts || run->any_out) return false;
    if (road->stale) zr_parts_parameters(sim);
    ze_pack(road->plan, q, road->q);
    ze_pack(road->plan, v, road->v);
    ze_state state = describe_state(sim, t, road->q, road->v);
    if (!correct_parts(sim, run, &state, ZR_POSITION, road->q)) return false;
    ze_unpack(road->plan, road->q, q);
    drop_tiny_numbers(sim->zm->n, q);
    return true;
}

/* y is put back where it fails. */
bool zr_project_lane_order(zw_sim *sim, const zr_solving *run, double t, double *y)
{
    zr_parts_road *road = sim->solver->parts;
    road->projected = false;
    if (!zr_parts_serve(sim, run)) return false;
    size_t bytes = sizeof *y * 2 * (size_t)road->size;
    memcpy(road->kept, y, bytes);
    if (correct_both_orders(sim, run, t, y, y + road->size)) return true;
    memcpy(y, road->kept, bytes);
    return false;
}

/* --------------------------------------------------------------------- the road */

static zw_status accelerate_or_refuse(zw_sim *sim, zr_solving *run, const zr_wanted *w, bool *taken)
{
    *taken = accelerate_by_parts(sim, run, w->at, w->z);
    return ZW_OK;
}

/* Pivots are checked at every answer. */
static double parts_condition(const zw_sim *sim, const zr_solving *run)
{
    (void)sim;
    (void)run;
    return 0.0;
}

const zr_road zr_road_parts = {.name = "parts",
                               .by_itself = true,
                               .serves = zr_parts_serve,
                               .accelerate = accelerate_or_refuse,
                               .condition = parts_condition,
                               .project = project_by_parts};

/* ----------------------------------------------------------------------- order */

/* Positions, then velocities. */
void zr_parts_pack(const zw_sim *sim, const double *x, double *y)
{
    const zr_parts_road *road = sim->solver->parts;
    ze_pack(road->plan, x, y);
    ze_pack(road->plan, x + sim->zm->n, y + road->size);
}

/* The same way back. */
void zr_parts_unpack(const zw_sim *sim, const double *y, double *x)
{
    const zr_parts_road *road = sim->solver->parts;
    ze_unpack(road->plan, y, x);
    ze_unpack(road->plan, y + road->size, x + sim->zm->n);
}

/* 1 for one copy of every coordinate, 0 for further copies and gaps; for positions and for
 * velocities. */
void zr_parts_mask(const zw_sim *sim, double *mask)
{
    const zr_parts_road *road = sim->solver->parts;
    size_t bytes = sizeof *mask * (size_t)road->size;
    memcpy(mask, ze_mask(road->plan), bytes);
    memcpy(mask + road->size, ze_mask(road->plan), bytes);
}
