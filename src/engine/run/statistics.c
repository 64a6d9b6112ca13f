/*
 * What a run has counted, for those who ask. What is found only now is filled in.
 */
#include "road_fused.h"
#include "road_parts.h"
#include "run.h"

/* The dense solver beside a sparse one apart. */
int64_t zr_count_factors(const zw_sim *sim)
{
    int64_t count = zg_system_factors(sim->solver->all.system);
    const zr_rows *sets[] = {&sim->solver->sides[ZR_POSITION].rows,
                             &sim->solver->sides[ZR_VELOCITY].rows, &sim->run->solving.basis.rows};
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++)
        if (sets[k]->system) count += zg_system_factors(sets[k]->system);
    return count;
}

bool zr_has_run(const zw_sim *sim)
{
    return sim->run && sim->run->ending.failure != ZW_ERR_ORDER;
}

/* Which solver stands behind all rows, and how often the run has factored. */
static void write_solver_statistics(const zw_sim *sim, zw_run_statistics *stats)
{
    stats->solver = sim->solver->sparse ? ZW_SOLVER_SPARSE : ZW_SOLVER_DENSE;
    stats->solver_form = zg_system_name(sim->solver->all.system);
    stats->factorizations = zr_count_factors(sim) - sim->run->record.factors_before;
}

/* How often each road was taken. */
static void write_road_statistics(const zr_motion *run, zw_run_statistics *stats)
{
    stats->road_count = ZR_ROAD_COUNT;
    for (int k = 0; k < ZR_ROAD_COUNT; k++)
        stats->roads[k] = (zw_road_count){zr_roads[k]->name, run->solving.taken[k]};
    stats->parts.evaluations = run->solving.taken[ZR_PARTS];
}

/* What is found only now, works, the judgement, what the solvers say, is filled in. */
zw_status zr_sim_statistics(zw_sim *sim, zw_run_statistics *statistics)
{
    zr_motion *run = sim->run;
    if (!zr_has_run(sim)) return ZW_ERR_ORDER;
    const zi_counts *c = &run->step.stepper->counts;
    zw_run_statistics *stats = &run->stats;
    stats->steps = c->steps;
    stats->rejected = c->rejected;
    stats->bridged = c->bridged;
    stats->evaluations = c->evaluations;
    stats->smallest_step = c->smallest;
    stats->largest_step = c->largest;
    stats->excused = c->excused;
    stats->excused_t = c->excused_t;
    stats->projection_iterations = sim->solver->rounds;
    stats->energy.impressed = run->record.work[ZR_IMPRESSED];
    stats->energy.dissipation = run->record.work[ZR_DISSIPATION];
    stats->energy.ideal = run->record.work[ZR_IDEAL];
    stats->energy.nonideal = run->record.work[ZR_NONIDEAL];
    stats->energy.friction = run->record.work[ZR_FRICTION];
    stats->energy.control = run->record.work[ZR_CONTROL];
    stats->energy.explicit_time = run->record.work[ZR_EXPLICIT];
    stats->energy.held = run->held.on;
    stats->energy.conserved = run->solving.powers == 0 && stats->energy.events == 0.0 &&
                              stats->energy.inputs == 0.0 &&
                              !(sim->contacts && sim->contacts->record.impacts > 0);
    int32_t held = sim->contacts ? run->solving.generic_rank - run->touching.base_rank : 0;
    stats->generic_rank = run->solving.generic_rank - held; /* of equations */
    stats->generic_most = run->solving.generic_most - held;
    stats->singular = run->solving.singular;
    zr_judge(sim, stats, NULL);
    *statistics = *stats;
    statistics->rank -= held;
    write_road_statistics(run, statistics);
    zr_kernel_statistics(sim, statistics);
    zr_parts_statistics(sim, statistics);
    write_solver_statistics(sim, statistics);
    return ZW_OK;
}
