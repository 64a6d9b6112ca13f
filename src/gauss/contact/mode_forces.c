/*
 * Forces of a mode that is known, for the stages of a run: the whole instant as one island, one solve.
 */
#include <math.h>

#include "contact_island.h"
#include "mode_system.h"

static double largest_residual(const zg_island *c, const zg_trial *t)
{
    double worst = 0.0;
    for (int32_t i = 0; i < c->r; i++)
        if (t->row[i] != ZG_ROW_OFF) worst = fmax(worst, fabs(t->u[i]));
    return worst > 0.0 ? worst / c->A : 0.0;
}

bool zg_mode_forces(zg_contact_space *space, const zg_instant *instant, const zg_mode *mode,
                    const zg_contact_tolerance *tolerance, zg_forces *forces)
{
    const zg_island *c = &space->island;
    zg_trial *t = &space->trial;
    zg_gather_island(space, instant, -1, tolerance);
    zg_gather_mode(c, mode, t);
    zg_solve_trial(c, &space->system, t);
    forces->pivot = t->pivot;
    forces->feedback = t->feedback;
    forces->closed = t->closed;
    forces->rank = t->rank;
    for (int32_t i = 0; !t->solved && i < c->r; i++) t->x[i] = t->u[i] = (double)NAN;
    forces->residual = largest_residual(c, t);
    zg_scatter_forces(c, t, instant, forces->x, forces->u, forces->row);
    if (forces->lambda) zg_write_multipliers(instant, forces->x, forces->lambda);
    return t->solved;
}
