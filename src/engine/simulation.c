/*
 * A simulation is created and freed, its parameters and its state are set and read. All memory that
 * evaluating an acceleration needs is taken at create, from one arena.
 */
#include <string.h>

#include "actuate.h"
#include "ask_mode.h"
#include "carry.h"
#include "handles.h"
#include "road_fused.h"
#include "road_parts.h"
#include "run.h"
#include "switches.h"
#include "trouble.h"
#include "vary.h"

enum { team_rows = 50000 }; /* m of a system solved by parts from which on threads pay */

static double *take_sim_doubles(zw_sim *sim, int64_t count)
{
    return ZB_NEW_ARRAY(&sim->arena, double, (size_t)count);
}

/* Doubles at a multiple of 64 bytes, a register more than asked for; NULL: see arena.failure. */
static double *take_aligned_doubles(zw_sim *sim, size_t count)
{
    return zb_arena_take(&sim->arena, zb_product(count + 8, sizeof(double)), 64);
}

/* The state and the values of every quantity; false: memory ran out. Where outputs are stored
 * (places.c) the constant part of a quantity and the quantity are one array. */
static bool take_sim_arrays(zw_sim *sim)
{
    const zm_model *zm = sim->zm;
    int64_t n = zm->n, m = zm->m;
    const zw_model *model = sim->model;
    sim->q = take_sim_doubles(sim, n);
    sim->v = take_sim_doubles(sim, n);
    sim->given = take_sim_doubles(sim, 2 * n);
    sim->fixed = ZB_NEW_ARRAY(&sim->arena, bool, 2 * (size_t)n);
    sim->values = take_sim_doubles(sim, zr_count_values(model));
    sim->overridden = ZB_NEW_ARRAY(&sim->arena, bool, zm->parameter_count);
    sim->M = take_sim_doubles(sim, model->M.count);
    sim->M_constant = model->dynamics.matrix_once ? sim->M : take_sim_doubles(sim, model->M.count);
    sim->Q = take_sim_doubles(sim, n);
    sim->Q_constant = model->dynamics.vector_once ? sim->Q : take_sim_doubles(sim, n);
    sim->A = take_sim_doubles(sim, model->A.count);
    if (model->rows.matrix_once)
        sim->A_constant = sim->A;
    else if (model->constant_rows.count > 0)
        sim->A_constant = take_sim_doubles(sim, model->A.count);
    sim->b = take_sim_doubles(sim, m);
    sim->C = take_sim_doubles(sim, n);
    sim->W = take_sim_doubles(sim, model->W.count);
    sim->level = take_sim_doubles(sim, 4 * m);
    sim->E = take_sim_doubles(sim, model->E.count);
    sim->equation = take_sim_doubles(sim, 2 * (int64_t)model->equation_count);
    sim->weight_out = take_sim_doubles(sim, model->weight_outputs);
    sim->measure = take_sim_doubles(sim, zm->measure_count);
    sim->work = take_sim_doubles(sim, n);
    sim->lambda = take_sim_doubles(sim, m);
    sim->row_kind = ZB_NEW_ARRAY(&sim->arena, zm_row_kind, (size_t)m);
    sim->output = take_sim_doubles(sim, zr_output_elements(model));
    sim->solved = take_sim_doubles(sim, 6 * n + 2 * m);
    sim->workspace = take_aligned_doubles(sim, model->workspace);
    sim->out = take_aligned_doubles(sim, (size_t)model->out_count);
    sim->scratches = ZB_NEW(&sim->arena, zr_scratch);
    if (sim->arena.failure != ZW_OK) return false;
    sim->scratches[0] = (zr_scratch){sim->workspace, sim->out};
    return true;
}

/* A team of threads where a family, or a system solved by parts, is large enough for one, with
 * scratch memory for each worker. Members of an ensemble, whose memory is not the context's, get
 * none: it has threads of its own. */
static zw_status take_team(zw_sim *sim)
{
    const zw_model *model = sim->model;
    int32_t wanted = model->context->threads, most = model->team_blocks / zr_chunk_blocks;
    if (sim->solver->parts && sim->solver->parts->plan && sim->zm->m >= team_rows)
        most = zr_most_workers;
    int32_t size = wanted > 0 ? wanted : zb_processor_count();
    if (size > zr_most_workers) size = zr_most_workers;
    if (size > most) size = most;
    if (size < 2 || sim->memory != &model->context->memory) return ZW_OK;
    zr_scratch *scratches = ZB_NEW_ARRAY(&sim->arena, zr_scratch, (size_t)size);
    if (scratches) scratches[0] = sim->scratches[0];
    for (int32_t k = 1; scratches && k < size; k++)
        scratches[k] = (zr_scratch){take_aligned_doubles(sim, model->workspace),
                                    take_aligned_doubles(sim, (size_t)model->out_count)};
    if (sim->arena.failure != ZW_OK) return sim->arena.failure;
    sim->scratches = scratches;
    return zb_team_create(sim->memory, size, &sim->team);
}

/* Values of parameters, conditions as they stand, and the kind of each row. */
static void copy_from_model(zw_sim *sim)
{
    const zm_model *zm = sim->zm;
    if (zm->value_count > 0)
        memcpy(sim->values, zm->values, sizeof(double) * (size_t)zm->value_count);
    if (zm->parameter_count > 0)
        memcpy(sim->overridden, zm->overridden, sizeof(bool) * (size_t)zm->parameter_count);
    for (int32_t k = 0; k < zr_slot_count(sim->model); k++)
        sim->values[zm->value_count + k] = zr_live_slot;
    for (int32_t i = 0; i < zm->m; i++) sim->row_kind[i] = zm_row_kind_of(zm, i);
}

/* Memory: of the context, or of a worker of an ensemble. */
zw_status zr_sim_create_in(zb_memory *memory, zw_model *model, zw_sim **out)
{
    zm_model *zm = model->zm;
    zw_sim *sim = zb_resize(memory, NULL, 0, sizeof *sim);
    if (!sim) return memory->failure;
    *sim = (zw_sim){.model = model, .zm = zm, .memory = memory, .evaluator = ZK_BYTE_CODE};
    zb_arena_init(&sim->arena, memory, 0);
    zb_arena_init(&sim->notes, memory, 0);
    zw_status status = take_sim_arrays(sim) ? ZW_OK : sim->arena.failure;
    if (status == ZW_OK) {
        copy_from_model(sim);
        status = zr_plan_solver(sim);
    }
    if (status == ZW_OK) status = zr_open_contacts(sim);
    if (status == ZW_OK && sim->contacts && sim->contacts->closure.most > 0)
        sim->solver->all.closure = &sim->contacts->closure;
    if (status == ZW_OK) status = zr_open_drive(sim);
    if (status == ZW_OK && sim->contacts) status = zr_open_space(sim);
    if (status == ZW_OK) status = take_team(sim);
    if (status != ZW_OK) {
        zr_sim_free(sim);
        return status;
    }
    zr_parameters_changed(sim);
    zr_fused_parameters(sim);
    zr_choose_form(sim);
    *out = sim;
    return ZW_OK;
}

zw_status zr_sim_create(zw_model *model, zw_sim **sim)
{
    return zr_sim_create_in(&model->context->memory, model, sim);
}

void zr_sim_free(zw_sim *sim)
{
    if (!sim) return;
    zb_memory *memory = sim->memory;
    zr_run_free(sim);
    zr_carried_free(sim);
    zr_vary_free(sim->vary);
    zr_free_handles(sim);
    zr_close_space(sim);
    zr_free_solver(sim);
    zb_team_free(sim->team);
    zb_arena_clear(&sim->arena);
    zb_arena_clear(&sim->notes);
    zb_resize(memory, sim, sizeof *sim, 0);
}

/* What a run and the mode of contacts depend on was changed from outside: it cannot go on. */
static void end_run(zw_sim *sim)
{
    if (sim->run) sim->run->ending.failure = ZW_ERR_ORDER;
    if (sim->contacts) sim->contacts->decided = false;
}

/* On copies, so that a wrong text changes nothing. Everything that was computed from parameters is
 * computed again or forgotten. */
zw_status zr_sim_set_parameters(zw_sim *sim, const char *settings)
{
    size_t count = (size_t)sim->zm->value_count, flags = (size_t)sim->zm->parameter_count;
    size_t value_bytes = count * sizeof(double), bytes = value_bytes + flags * sizeof(bool) + 1;
    double *values = zb_resize(sim->memory, NULL, 0, bytes);
    if (!values) return sim->memory->failure;
    bool *overridden = (bool *)(void *)((char *)values + value_bytes);
    memcpy(values, sim->values, value_bytes);
    memcpy(overridden, sim->overridden, flags * sizeof(bool));
    zw_status status = zm_assign_values(sim->zm, &sim->model->context->diagnostics, "settings",
                                        settings, values, overridden);
    if (status == ZW_OK) {
        memcpy(sim->values, values, value_bytes);
        memcpy(sim->overridden, overridden, flags * sizeof(bool));
        zr_renew_parameters(sim);
        end_run(sim);
    }
    zb_resize(sim->memory, values, bytes, 0);
    return status;
}

void zr_sim_cancel(zw_sim *sim)
{
    atomic_store(&sim->cancelled, true);
}

const zw_model *zr_sim_model(const zw_sim *sim)
{
    return sim->model;
}

zw_context *zr_sim_context(const zw_sim *sim)
{
    return sim->model->context;
}

double zr_sim_parameter(const zw_sim *sim, int32_t i)
{
    return sim->values[i];
}

void zr_sim_set_state(zw_sim *sim, double t, const double *q, const double *v)
{
    size_t bytes = sizeof(double) * (size_t)sim->zm->n;
    end_run(sim);
    sim->t = t;
    if (q) memcpy(sim->q, q, bytes);
    if (v) memcpy(sim->v, v, bytes);
}

void zr_sim_state(const zw_sim *sim, double *t, double *q, double *v)
{
    size_t bytes = sizeof(double) * (size_t)sim->zm->n;
    if (t) *t = sim->t;
    if (q) memcpy(q, sim->q, bytes);
    if (v) memcpy(v, sim->v, bytes);
}

/* Both halves of the state through one array, so that a wrong text changes nothing. */
zw_status zr_sim_assign(zw_sim *sim, const char *assignments)
{
    size_t n = (size_t)sim->zm->n, bytes = zb_product(2 * n, sizeof(double));
    double *state = zb_resize(sim->memory, NULL, 0, bytes);
    if (!state) return sim->memory->failure;
    memcpy(state, sim->q, n * sizeof(double));
    memcpy(state + n, sim->v, n * sizeof(double));
    zw_status status = zm_assign_state(sim->zm, &sim->model->context->diagnostics, "state",
                                       assignments, sim->values, state);
    if (status == ZW_OK) zr_sim_set_state(sim, sim->t, state, state + n);
    zb_resize(sim->memory, state, bytes, 0);
    return status;
}

zw_status zr_sim_start(zw_sim *sim, bool accept_inconsistent)
{
    zr_run_free(sim);
    if (sim->contacts) sim->contacts->decided = false;
    ZB_TRY(zr_find_start(sim, accept_inconsistent));
    if (!sim->contacts) return sim->drive ? zr_check_drive(sim) : ZW_OK;
    ZB_TRY(zr_check_laws(sim));
    zw_status status = zr_ready_mode(sim);
    if (sim->drive && (status == ZW_OK || status == ZW_ERR_CONTROL)) return zr_check_drive(sim);
    if (status != ZW_ERR_CONTACT) return status;
    status = zr_report_trouble(sim);
    return status == ZW_OK ? ZW_ERR_START : status;
}

/* With the whole state and no run: what a caller has set is brought onto the constraints. */
zw_status zr_sim_project(zw_sim *sim)
{
    ZB_TRY(zr_open_sides(sim));
    zr_run_free(sim);
    if (!sim->contacts) return zr_project(sim, NULL, sim->t, sim->q, sim->v, false);
    sim->contacts->decided = false;
    return zr_project_with_contacts(sim);
}
