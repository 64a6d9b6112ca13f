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
#include "writer.h"

static const double eps = 2.220446049250313e-16;

static zx_node absolute(ze_maker *m, zx_node x)
{
    return zx_unary(&m->pool, ZX_ABS, x);
}

static zx_node larger(ze_maker *m, zx_node so_far, zx_node x)
{
    return so_far == m->zero ? x : zx_binary(&m->pool, ZX_MAX, so_far, x);
}

/* sum_j |A_ij x_j|, halo included. */
static zx_node reach_of(ze_maker *m, int32_t row, zx_op x)
{
    zx_node sum = m->zero;
    for (int32_t k = m->touch_start[row]; k < m->touch_start[row + 1]; k++) {
        const ze_touch *t = &m->touch[k];
        for (int32_t i = 0; i < ze_body_size(m, t->body); i++) {
            zx_node leaf = zx_leaf(&m->pool, x, m->member[m->first[t->body] + i]);
            sum = ze_add(m, sum, absolute(m, ze_mul(m, t->A[i], leaf)));
        }
    }
    for (int32_t k = 0; k < m->beyond_count; k++) {
        if (m->beyond[k].row != row) continue;
        zx_node leaf = zx_leaf(&m->pool, x, m->beyond[k].coordinate);
        sum = ze_add(m, sum, absolute(m, ze_mul(m, m->beyond[k].A, leaf)));
    }
    double factor = m->factor[row];
    return ze_scale(m, factor < 0.0 ? -factor : factor, sum);
}

static zx_node units_of(ze_maker *m, int32_t row, int order)
{
    zx_node phi = m->level[4 * row + order], magnitude = m->level[4 * row + 2 + order];
    zx_node reach = reach_of(m, row, order == 0 ? ZX_POSITION : ZX_VELOCITY);
    zx_node whole = ze_add(m, ze_scale(m, 4.0, magnitude), reach);
    zx_node units = zx_binary(&m->pool, ZX_DIV, absolute(m, phi), ze_scale(m, eps, whole));
    zx_node exact = zx_binary(&m->pool, ZX_EQ, phi, m->zero);
    return zx_select(&m->pool, exact, m->zero, units);
}

static bool counts(const ze_shape *s, int32_t row, int order)
{
    ze_row_kind kind = s->kind[row];
    return s->owned[row] && (kind == ZE_HOLONOMIC || (order == 1 && kind == ZE_OF_VELOCITIES));
}

void ze_write_look(ze_maker *m)
{
    for (int order = 0; order < 2; order++) {
        zx_node *list = ze_zeros(m, 2);
        bool any = false;
        for (int32_t row = 0; row < m->rows; row++) {
            if (!counts(m->shape, row, order)) continue;
            any = true;
            list[0] = larger(m, list[0], absolute(m, m->level[4 * row + order]));
            list[1] = larger(m, list[1], units_of(m, row, order));
        }
        ze_code *code = &m->programs->look[order];
        if (any) m->roots[m->root_count++] = (ze_roots){.code = code, .list = list, .count = 2};
    }
}
