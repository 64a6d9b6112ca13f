/*
 * Between the caller's order and that of the lanes.
 *
 *     x  0 1 2 3 4 5 ...        y  [class][group][coordinate][lane]:  0 2 4 6 |
 * 1 3 5 7 | ...
 */
#include "blocks.h"

int32_t ze_size(const ze_lanes *l)
{
    return l->size;
}

const double *ze_mask(const ze_lanes *l)
{
    return l->mask;
}

void ze_pack(const ze_lanes *l, const double *x, double *y)
{
    for (int32_t k = 0; k < l->size; k++) y[k] = x[l->from[k]];
}

void ze_unpack(const ze_lanes *l, const double *y, double *x)
{
    for (int32_t j = 0; j < l->n; j++) x[j] = y[l->place[j]];
}

void ze_multipliers(const ze_lanes *l, double *lambda)
{
    const double *outer = l->dependent || !l->matrix ? l->outer : ze_matrix_answers(l->matrix);
    for (int32_t i = 0; i < l->m; i++) {
        int32_t at = l->row_place[i];
        lambda[i] = at >= 0 ? l->inner[at] : outer[~at];
    }
}
