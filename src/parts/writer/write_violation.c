/*
 * How far the rows of a part are off, of positions and of velocities: over the rows that it owns
 *
 *     largest |phi_i|,   largest |phi_i| / (eps (4 magnitude_i + sum_j |A_ij x_j|))
 *
 * with rate for phi and v for x = q in the second program. The unit of the latter is what rounding
 * does to phi: its own terms, and x itself moved by half an ulp.
 *
 *     own ○──row──● halo         x_j of both ends
 */
#include <float.h>

#include "writer.h"

static zx_node absolute_node(ze_writer *w, zx_node x)
{
    return zx_unary(&w->pool, ZX_ABS, x);
}

/* The maximum so far; `zero` at the begin. */
static zx_node larger_node(ze_writer *w, zx_node so_far, zx_node x)
{
    return so_far == w->zero ? x : zx_binary(&w->pool, ZX_MAX, so_far, x);
}

/* sum_j |A_ij x_j|, halo included. */
static zx_node sum_of_magnitudes(ze_writer *w, int32_t row, zx_op x)
{
    zx_node sum = w->zero;
    for (int32_t k = w->touch_start[row]; k < w->touch_start[row + 1]; k++) {
        const ze_touch *t = &w->touch[k];
        for (int32_t i = 0; i < ze_body_size(w, t->body); i++) {
            zx_node leaf = zx_leaf(&w->pool, x, w->member[w->first[t->body] + i]);
            sum = ze_add(w, sum, absolute_node(w, ze_mul(w, t->A[i], leaf)));
        }
    }
    for (int32_t k = 0; k < w->halo_entry_count; k++) {
        if (w->halo_entries[k].row != row) continue;
        zx_node leaf = zx_leaf(&w->pool, x, w->halo_entries[k].coordinate);
        sum = ze_add(w, sum, absolute_node(w, ze_mul(w, w->halo_entries[k].A, leaf)));
    }
    double factor = w->factor[row];
    return ze_scale(w, factor < 0.0 ? -factor : factor, sum);
}

/* |phi| over what rounding may do to it; 0 where phi is exactly 0, so that 0 / 0 does not
 * matter. */
static zx_node violation_in_units(ze_writer *w, int32_t row, int order)
{
    zx_node phi = w->level[ze_levels * row + order];
    zx_node magnitude = w->level[ze_levels * row + 2 + order];
    zx_node moved = sum_of_magnitudes(w, row, order == 0 ? ZX_POSITION : ZX_VELOCITY);
    zx_node whole = ze_add(w, ze_scale(w, 4.0, magnitude), moved);
    zx_node units =
        zx_binary(&w->pool, ZX_DIV, absolute_node(w, phi), ze_scale(w, DBL_EPSILON, whole));
    zx_node exact = zx_binary(&w->pool, ZX_EQ, phi, w->zero);
    return zx_select(&w->pool, exact, w->zero, units);
}

/* |phi| over the sum of |A|, halo included; 0 where phi is. */
static zx_node violation_as_distance(ze_writer *w, int32_t row, int order)
{
    zx_node phi = w->level[ze_levels * row + order], sum = w->zero;
    for (int32_t k = w->touch_start[row]; k < w->touch_start[row + 1]; k++)
        for (int32_t i = 0; i < ze_body_size(w, w->touch[k].body); i++)
            sum = ze_add(w, sum, absolute_node(w, w->touch[k].A[i]));
    for (int32_t k = 0; k < w->halo_entry_count; k++)
        if (w->halo_entries[k].row == row)
            sum = ze_add(w, sum, absolute_node(w, w->halo_entries[k].A));
    double factor = w->factor[row];
    sum = ze_scale(w, factor < 0.0 ? -factor : factor, sum);
    zx_node exact = zx_binary(&w->pool, ZX_EQ, phi, w->zero);
    return zx_select(&w->pool, exact, w->zero,
                     zx_binary(&w->pool, ZX_DIV, absolute_node(w, phi), sum));
}

/* Whether the part owns the row, and it holds for positions (order 0) or velocities (1). */
static bool is_measured_row(const ze_shape *s, int32_t row, int order)
{
    ze_row_kind kind = s->kind[row];
    return s->owned[row] && (kind == ZE_HOLONOMIC || (order == 1 && kind == ZE_OF_VELOCITIES));
}

/* No program where no row is measured. */
void ze_write_violation(ze_writer *w)
{
    for (int order = 0; order < 2; order++) {
        zx_node *list = ze_zeros(w, 3);
        bool any = false, distances = w->shape->system->distances;
        for (int32_t row = 0; row < w->rows; row++) {
            if (!is_measured_row(w->shape, row, order)) continue;
            any = true;
            list[0] = larger_node(w, list[0], absolute_node(w, w->level[ze_levels * row + order]));
            list[1] = larger_node(w, list[1], violation_in_units(w, row, order));
            if (distances) list[2] = larger_node(w, list[2], violation_as_distance(w, row, order));
        }
        ze_code *code = &w->programs->violation[order];
        if (any)
            w->roots[w->root_count++] =
                (ze_roots){.code = code, .list = list, .count = distances ? 3 : 2};
    }
}
