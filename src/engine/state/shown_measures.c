/*
 * Columns that outputs read: force(x), energy, kinetic, potential, rank of `output NAME = E`. They are
 * measures as multipliers are, but stand in outputs alone: what a solve needs never depends on them.
 * control(x) follows from the multipliers and is found with them (assemble.c).
 */
#include "sim.h"

static bool has_shown_measures(const zm_model *zm)
{
    for (int32_t k = 0; k < zm->measure_count; k++)
        if (zm->measures[k].kind > ZM_SHOWN_CONTROL) return true;
    return false;
}

static double find_shown(const zm_measure *what, const zw_gauss_answer *answer,
                         const zr_energies *energies)
{
    switch (what->kind) {
    case ZM_SHOWN_FORCE:
        return answer->force[what->coordinate];
    case ZM_SHOWN_ENERGY:
        return energies->energy;
    case ZM_SHOWN_KINETIC:
        return energies->kinetic;
    case ZM_SHOWN_POTENTIAL:
        return energies->potential;
    default:
        return (double)answer->rank;
    }
}

void zr_show_measures(zw_sim *sim, const zk_source *s, const zw_gauss_answer *answer)
{
    const zm_model *zm = sim->zm;
    zr_energies energies;
    if (!has_shown_measures(zm)) return;
    zr_energies_at(sim, s, &energies);
    for (int32_t k = 0; k < zm->measure_count; k++)
        if (zm->measures[k].kind > ZM_SHOWN_CONTROL)
            sim->measure[k] = find_shown(&zm->measures[k], answer, &energies);
}
