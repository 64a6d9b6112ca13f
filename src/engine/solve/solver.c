/*
 * What a simulation has for solving, and what a run takes for it. The solver of all rows is
 * planned from the patterns of the model; beside a dense one stands the quick one.
 */
#include "road_parts.h"

#include "parts.h"

enum { quick_limit = 400 }; /* coordinates: beyond it the large kernels win */

/* The patterns of the model, and how the context wants them solved. Where equal parts cannot
 * serve as a whole, the sparse factor at least may be made part by part. */
zg_structure zr_structure(const zw_sim *sim)
{
    const zw_model *model = sim->model;
    zw_solver solver = model->context->solver;
    bool asked = solver == ZW_SOLVER_AUTO || solver == ZW_SOLVER_PARTS;
    bool parts = asked && !zr_parts_possible(sim); /* then at least the factor is by parts */
    return (zg_structure){.n = sim->zm->n,
                          .m = sim->zm->m,
                          .M = zr_pattern_of(&model->M),
                          .A = zr_pattern_of(&model->A),
                          .W = zr_pattern_of(&model->W),
                          .solver = solver,
                          .switched = model->laws != NULL,
                          .parts_factoring =
                              parts ? ze_find_factoring(model->context->lanes) : NULL,
                          .parts_cost = ze_factoring_cost};
}

/* `count` doubles and a few more, from a multiple of 64 bytes on. */
static double *take_cache_lines(zw_sim *sim, size_t count)
{
    return zb_arena_take(&sim->arena, zb_product(count + 8, sizeof(double)), 64);
}

/* What non-ideal solves and fused programs need, from the simulation's arena. */
static zw_status take_solver_arrays(zw_sim *sim)
{
    zr_solver *solver = sim->solver;
    const zr_fused *fused = sim->model->fused;
    size_t n = (size_t)sim->zm->n, m = (size_t)sim->zm->m;
    solver->z_nonideal = ZB_NEW_ARRAY(&sim->arena, double, n);
    solver->lambda_nonideal = ZB_NEW_ARRAY(&sim->arena, double, m);
    if (fused) {
        solver->fused_out = take_cache_lines(sim, (size_t)fused->most_outputs);
        solver->fused_kept = ZB_NEW_ARRAY(&sim->arena, double, 2 * n);
    }
    return sim->arena.failure;
}

/* The quick solver of all rows, which cannot have more rows than coordinates. */
static zw_status plan_quick(zw_sim *sim, zr_rows *all)
{
    size_t n = (size_t)all->n;
    bool diagonal = sim->model->diagonal_mass;
    if (sim->solver->sparse || all->n > quick_limit) return ZW_OK;
    if (all->m > all->n && !sim->model->laws) return ZW_OK;
    all->quick_mass = ZB_NEW_ARRAY(&sim->arena, double, diagonal ? n : n *n);
    if (!all->quick_mass) return sim->arena.failure;
    return zg_quick_plan(sim->memory, all->n, all->m, diagonal, &all->quick);
}

/* The solver of all rows, dense or sparse as its plan decides; the quick one; equal parts. Sides
 * are opened when something is projected first. */
zw_status zr_plan_solver(zw_sim *sim)
{
    zr_solver *solver = sim->solver = ZB_NEW(&sim->arena, zr_solver);
    if (!solver) return sim->arena.failure;
    zr_rows *all = &solver->all;
    solver->road = ZR_NO_ROAD;
    *all = (zr_rows){.n = sim->zm->n, .m = sim->zm->m, .all = true, .whole = true};
    ZB_TRY(take_solver_arrays(sim));
    all->is = zr_structure(sim);
    ZB_TRY(zg_system_plan(sim->memory, &all->is, &all->system));
    solver->sparse = !zg_system_dense(all->system);
    ZB_TRY(plan_quick(sim, all));
    return zr_plan_parts(sim);
}

/* The structure itself lies in the simulation's arena. It may be NULL, or half made, where
 * memory ran out. */
void zr_free_solver(zw_sim *sim)
{
    if (!sim->solver) return;
    zr_close_sides(sim);
    zr_free_parts(sim);
    zr_free_rows(&sim->solver->all);
}

/* ------------------------------------------------------------------------- of a run */

/* Beside a sparse solver: for other forms, which are dense, and where small systems may become
 * singular. */
static zw_status plan_full(zw_sim *sim, zr_solving *run)
{
    int32_t n = sim->zm->n, m = sim->zm->m;
    bool form = run->settings->form != ZW_FORM_GAUSS;
    bool small = m > 0 && n <= zr_full_reach && m <= zr_full_reach;
    if (!sim->solver->sparse || (!form && !small)) return ZW_OK;
    if (n > zr_dense_limit || m > zr_dense_limit) return ZW_ERR_LARGE;
    zg_structure structure = zr_structure(sim);
    structure.solver = ZW_SOLVER_DENSE;
    return zg_system_plan(sim->memory, &structure, &run->full);
}

/* For limit accelerations, by the dense solver that is there. */
static zw_status take_limits(zw_sim *sim, zb_arena *arena, zr_solving *run)
{
    zr_limits *l = &run->limits;
    size_t n = (size_t)sim->zm->n, m = (size_t)sim->zm->m;
    if (m == 0 || m > zr_limit_reach || n > zr_limit_reach) return ZW_OK;
    zw_gauss *gauss = zg_system_dense(run->full ? run->full : sim->solver->all.system);
    if (!gauss) return ZW_OK;
    const zw_gauss_shape *shape = zg_shape(gauss);
    l->M = ZB_NEW_ARRAY(arena, double, shape->mass == ZW_DIAGONAL ? n : n * n);
    l->A = ZB_NEW_ARRAY(arena, double, m *n);
    if (shape->weight != ZW_IDENTITY)
        l->W = ZB_NEW_ARRAY(arena, double, shape->weight == ZW_FULL ? m * m : m);
    l->X = ZB_NEW_ARRAY(arena, double, m *n);
    l->T = ZB_NEW_ARRAY(arena, double, m *m);
    l->value = ZB_NEW_ARRAY(arena, double, (size_t)sim->model->limit.count);
    l->right = ZB_NEW_ARRAY(arena, double, m);
    l->b = ZB_NEW_ARRAY(arena, double, m);
    l->z = ZB_NEW_ARRAY(arena, double, n);
    l->rest = ZB_NEW_ARRAY(arena, bool, m);
    return arena->failure;
}

/* Arrays from `arena`, which lives as long as the run; then the dense solver beside a sparse
 * one, and scratch for limit accelerations. */
zw_status zr_open_solving(zw_sim *sim, zb_arena *arena, zr_solving *run)
{
    size_t m = (size_t)sim->zm->m;
    run->inconsistency = ZB_NEW_ARRAY(arena, double, m);
    run->conflicting = ZB_NEW_ARRAY(arena, bool, m);
    run->out = ZB_NEW_ARRAY(arena, bool, m);
    run->kept.conflicting = ZB_NEW_ARRAY(arena, bool, m);
    run->side = ZB_NEW_ARRAY(arena, int8_t, (size_t)sim->zm->motor_count);
    run->kept.side = ZB_NEW_ARRAY(arena, int8_t, (size_t)sim->zm->motor_count);
    if (arena->failure != ZW_OK) return arena->failure;
    ZB_TRY(plan_full(sim, run));
    return take_limits(sim, arena, run);
}

/* The basis goes with the run, so nobody may go on holding its factor; ranks are no longer
 * limited. */
void zr_close_solving(zw_sim *sim, zr_solving *run)
{
    zr_free_ranks(sim);
    if (sim->solver->held == &run->basis.rows) zr_forget_factor(sim);
    zg_system_free(run->full);
    zr_free_rows(&run->basis.rows);
}
