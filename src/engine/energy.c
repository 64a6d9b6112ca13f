/*
 * Energies and powers.
 */
#include "run.h"

void zr_build_energy(zr_builder *b)
{
    (void)b;
}
void zr_free_energy(zw_model *model)
{
    (void)model;
}
uint32_t zr_possible_powers(const zw_model *model)
{
    (void)model;
    return 0;
}
void zr_powers_at(zw_sim *sim, const zk_source *s, const zr_forces *f, double *p)
{
    (void)sim;
    (void)s;
    (void)f;
    for (int k = 0; k < ZR_POWER_COUNT; k++) p[k] = 0.0;
}
void zr_energies_at(zw_sim *sim, const zk_source *s, zr_energies *e)
{
    (void)sim;
    (void)s;
    *e = (zr_energies){0};
}
