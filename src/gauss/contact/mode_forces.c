/*
 * Forces of a mode that is known, island by island, one solve each.
 */
#include <math.h>
#include <string.h>

#include "contact_island.h"
#include "mode_system.h"

static double largest_residual(const zg_island *c, const zg_trial *t)
{
    double worst = 0.0;
    for (int32_t i = 0; i < c->r; i++)
        if (t->row[i] != ZG_ROW_OFF) worst = fmax(worst, fabs(t->u[i]));
    return worst > 0.0 ? worst / c->A : 0.0;
}

/* What one island adds. */
static void collect_forces(const zg_island *c, const zg_trial *t, zg_forces *forces)
{
    if (fabs(t->pivot) < fabs(forces->pivot)) forces->pivot = t->pivot;
    forces->feedback = fmax(forces->feedback, t->feedback);
    forces->closed += t->closed;
    forces->rank += t->rank;
    forces->residual = fmax(forces->residual, largest_residual(c, t));
}

bool zg_mode_forces(zg_contact_space *space, const zg_instant *instant, const zg_mode *mode,
                    const zg_contact_tolerance *tolerance, zg_forces *forces)
{
    const zg_island *c = &space->island;
    zg_trial *t = &space->trial;
    bool solved = true;
    memset(space->absent, 0, (size_t)instant->contacts);
    forces->pivot = 1.0;
    forces->feedback = forces->residual = 0.0;
    forces->closed = forces->rank = 0;
    int32_t islands = zg_split_islands(space, instant);
    for (int32_t k = 0; k < islands; k++) {
        zg_gather_island(space, instant, k, tolerance);
        zg_gather_mode(c, mode, t);
        zg_solve_trial(c, &space->system, t);
        collect_forces(c, t, forces);
        zg_scatter_forces(c, t, instant, forces->x, forces->u, forces->row);
        solved = solved && t->solved;
    }
    for (int32_t i = 0; !solved && i < instant->rows; i++)
        forces->x[i] = forces->u[i] = (double)NAN;
    if (forces->lambda) zg_write_multipliers(instant, forces->x, forces->lambda);
    return solved;
}
