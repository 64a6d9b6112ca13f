/*
 * Stands in for metis.c in builds without METIS: minimum degree orders nets and lattices too.
 */
#include "factoring.h"

bool za_metis_available(void)
{
    return false;
}

zw_status za_order_metis(zb_memory *memory, const za_symmetric *x, int32_t *order)
{
    return za_order_amd(memory, x, order);
}
