/*
 * Two expressions at random points. Where the first has a finite value the second must have the same
 * up to round-off, which is judged by the magnitudes that were added up on the way: for every node a
 * value and a bound on it,
 *
 *     |a + b| <= A + B      |a b| <= A B      |f(a)| grows by the relative size of A against |a|
 *
 * A point counts only where the original is finite; four are enough, and two have to count.
 */
#include <math.h>

#include "reading.h"

enum { POINTS = 12, ENOUGH = 4 };

/* A number for each leaf, of both signs in every second point; odd points have positive ones only, so
 * that roots and logarithms have values. */
static double choose_leaf_value(void *user, const zx_item *leaf)
{
    uint64_t point = *(const uint64_t *)user;
    uint64_t hash = zb_hash_mix(zb_hash_mix(point, (uint64_t)leaf->op), (uint64_t)leaf->a);
    double x = (double)(hash >> 11) / 9007199254740992.0;
    return point % 2 != 0 ? 0.4 + 1.2 * x : 4.0 * x - 2.0;
}

/* The bound of one step from those of its operands; value: its own. */
static double bound_step(const zx_item *item, double value, const double *values,
                         const double *bounds)
{
    double a = bounds[item->a], relative = 1.0;
    switch (item->op) {
    case ZX_NEG:
        return a;
    case ZX_ADD:
    case ZX_SUB:
        return a + bounds[item->b];
    case ZX_MUL:
        return a * bounds[item->b];
    case ZX_POWI:
        if (item->b > 0) return zx_power_of(a, item->b);
        break;
    default:
        break;
    }
    for (int k = 0; k < zx_operands((zx_op)item->op); k++) {
        int32_t operand = *zx_operand(item, k);
        double size = fabs(values[operand]);
        relative += size > 0.0 ? bounds[operand] / size : bounds[operand];
    }
    int32_t times = item->op == ZX_POWI ? -item->b : 1;
    return (fabs(value) + (zx_operands((zx_op)item->op) == 1 ? a : 0.0)) * relative * times;
}

/* The value of a root at a point; *bound: of the magnitudes on the way. */
static double evaluate_with_bound(zx_pool *pool, zx_node root, uint64_t point, double *bound)
{
    zx_walk walk = zx_walk_begin(pool, &root, 1);
    double *values = zx_scratch(pool, walk.count, sizeof *values);
    double *bounds = zx_scratch(pool, walk.count, sizeof *bounds);
    for (int32_t i = 0; i < walk.count; i++) {
        const zx_item *item = &walk.steps[i].item;
        if (zx_is_leaf(item->op)) {
            values[i] = item->op <= ZX_BOUND ? zx_number_of(item) : choose_leaf_value(&point, item);
            bounds[i] = fabs(values[i]);
            continue;
        }
        int operands = zx_operands((zx_op)item->op);
        double a = values[item->a], b = operands > 1 ? values[item->b] : 0.0;
        if (item->op == ZX_TABLE)
            values[i] = zx_look_up(pool->tables, a, b);
        else if (item->op == ZX_POWI)
            values[i] = zx_power_of(a, item->b);
        else
            values[i] = zx_apply((zx_op)item->op, a, b, operands > 2 ? values[item->c] : 0.0);
        bounds[i] = bound_step(item, values[i], values, bounds);
    }
    double value = values[walk.roots[0]];
    *bound = bounds[walk.roots[0]];
    zx_walk_end(pool, &walk);
    return value;
}

bool zx_prove_equal(zx_pool *x, zx_node a, zx_pool *y, zx_node b)
{
    int counted = 0;
    for (uint64_t point = 1; point <= POINTS && counted < ENOUGH; point++) {
        double first, second;
        double u = evaluate_with_bound(x, a, point, &first);
        double v = evaluate_with_bound(y, b, point, &second);
        if (!zx_is_finite(u)) continue;
        double allowed = 1e-11 * (zx_is_finite(first) ? first : fabs(u));
        if (!zx_is_finite(v) || !(fabs(u - v) <= allowed + 1e-300)) return false;
        counted++;
    }
    return counted >= 2;
}
