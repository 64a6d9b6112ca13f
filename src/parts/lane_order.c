/*
 * Between the caller's order and that of the lanes.
 *
 *     x  0 1 2 3 4 5 ...        y  [class][group][coordinate][lane]:  0 2 4 6 | 1 3 5 7 | ...
 */
#include "plan_parts.h"

int32_t ze_size(const ze_parts_plan *plan)
{
    return plan->size;
}

const double *ze_mask(const ze_parts_plan *plan)
{
    return plan->mask;
}

/* A group whose parts differ by their bases only; width 4 or 8, known where it is inlined. */
static inline void pack_by_base(const double *x, const int32_t *base, const int32_t *offset,
                                int32_t own, double *restrict y, const int width)
{
    const double *from[ZK_MOST_LANES];
    for (int k = 0; k < width; k++) from[k] = x + base[k];
    for (int32_t j = 0; j < own; j++, y += width)
        for (int k = 0; k < width; k++) y[k] = from[k][offset[j]];
}

/* By bases where parts differ by one number, else coordinate by coordinate. */
void ze_pack_group(const ze_parts_plan *plan, const ze_class *c, int32_t g, const double *x,
                   double *y)
{
    int32_t own = c->counts.own, width = plan->width;
    if (!c->base) {
        const int32_t *from = plan->from + c->state_at + g * own * width;
        for (int32_t k = 0; k < own * width; k++) y[k] = x[from[k]];
    } else if (width == 8) {
        pack_by_base(x, c->base + g * 8, c->offset, own, y, 8);
    } else {
        pack_by_base(x, c->base + g * 4, c->offset, own, y, 4);
    }
}

/* The reverse of pack_by_base. */
static inline void unpack_by_base(const double *y, const int32_t *base, const int32_t *offset,
                                  int32_t own, double *x, const int width)
{
    double *to[ZK_MOST_LANES];
    for (int k = 0; k < width; k++) to[k] = x + base[k];
    for (int32_t j = 0; j < own; j++, y += width)
        for (int k = 0; k < width; k++) to[k][offset[j]] = y[k];
}

/* Parts that are repeated write the same numbers. */
void ze_unpack_group(const ze_parts_plan *plan, const ze_class *c, int32_t g, const double *y,
                     double *x)
{
    int32_t own = c->counts.own, width = plan->width;
    if (!c->base) {
        const int32_t *from = plan->from + c->state_at + g * own * width;
        for (int32_t k = 0; k < own * width; k++) x[from[k]] = y[k];
    } else if (width == 8) {
        unpack_by_base(y, c->base + g * 8, c->offset, own, x, 8);
    } else {
        unpack_by_base(y, c->base + g * 4, c->offset, own, x, 4);
    }
}

/* Group by group, repeated parts too. */
void ze_pack(const ze_parts_plan *plan, const double *x, double *y)
{
    for (int32_t k = 0; k < plan->class_count; k++) {
        const ze_class *c = &plan->classes[k];
        for (int32_t g = 0; g < c->groups; g++)
            ze_pack_group(plan, c, g, x, y + c->state_at + g * c->counts.own * plan->width);
    }
}

/* Coordinate by coordinate; repeated parts are not looked at. */
void ze_unpack(const ze_parts_plan *plan, const double *y, double *x)
{
    for (int32_t j = 0; j < plan->n; j++) x[j] = y[plan->place[j]];
}

/* Inner rows from the parts, rows between from their matrix; of dependent rows from the sum of all
 * corrections. */
static const double *outer_multipliers(const ze_parts_plan *plan)
{
    return plan->dependent || !plan->matrix ? plan->outer : ze_matrix_answers(plan->matrix);
}

void ze_multipliers(const ze_parts_plan *plan, double *lambda)
{
    const double *outer = outer_multipliers(plan);
    for (int32_t i = 0; i < plan->m; i++) {
        int32_t at = plan->row_place[i];
        lambda[i] = at >= 0 ? plan->inner[at] : outer[~at];
    }
}

void ze_multipliers_of(const ze_parts_plan *plan, int32_t count, const int32_t *row, double *lambda)
{
    const double *outer = outer_multipliers(plan);
    for (int32_t i = 0; i < count; i++) {
        int32_t at = plan->row_place[row[i]];
        lambda[i] = at >= 0 ? plan->inner[at] : outer[~at];
    }
}
