/*
 * Reverse differentiation: one sweep from the roots down. Every node gets its adjoint, the
 * derivative of the weighted sum of roots by that node; it is complete when the sweep comes to
 * the node, because all users have larger positions.
 *
 *     adjoint(operand) += adjoint(node) * d node/d operand
 *
 * Nodes with no wanted leaf below them are left out. A select, minimum or maximum ends the sweep:
 * the adjoint of a branch not taken is 0, and 0 times the infinite derivative of something below
 * it would spoil the sum. Its derivatives by leaves are taken forward instead, where the choice is
 * made last, and enter the adjoints of the leaves directly.
 */
#include "walk.h"

/* The state of one reverse sweep. */
typedef struct sweep {
    zx_pool *pool;
    zx_walk walk;
    zx_node zero;
    bool *active;     /* [walk.count] a wanted leaf is below */
    zx_node *adjoint; /* [walk.count] ZX_NONE: 0 so far */
    const zx_gradient *out;
} sweep;

/* Where the derivative by a leaf goes, NULL when it is not wanted. */
static zx_node *find_gradient_entry(const zx_item *leaf, const zx_gradient *out)
{
    zx_node *list = leaf->op == ZX_POSITION       ? out->position
                    : leaf->op == ZX_VELOCITY     ? out->velocity
                    : leaf->op == ZX_ACCELERATION ? out->acceleration
                                                  : NULL;
    return list && leaf->a < out->slots ? &list[leaf->a] : NULL;
}

/* Which steps have a wanted leaf below them; all adjoints are 0. */
static void mark_active_steps(sweep *s)
{
    for (int32_t i = 0; i < s->walk.count; i++) {
        const zx_item *item = &s->walk.steps[i].item;
        int operands = zx_operands((zx_op)item->op);
        s->adjoint[i] = ZX_NONE;
        if (operands == 0) s->active[i] = find_gradient_entry(item, s->out) != NULL;
        for (int k = 0; k < operands; k++) s->active[i] |= s->active[*zx_operand(item, k)];
    }
}

/* adjoint(at) += w, where sums that are exactly 0 stay ZX_NONE. */
static void add_to_adjoint(sweep *s, int32_t at, zx_node w)
{
    zx_node *adjoint = &s->adjoint[at];
    if (w == s->zero) return;
    *adjoint = *adjoint == ZX_NONE ? w : zx_add(s->pool, *adjoint, w);
    if (*adjoint == s->zero) *adjoint = ZX_NONE;
}

/* The position in the walk of a node that is in it, by bisection: the nodes of a walk are
 * sorted. */
static int32_t find_walk_step(const zx_walk *walk, zx_node node)
{
    int32_t low = 0, high = walk->count - 1;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (walk->steps[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* w times the derivative of a choice by every wanted leaf below it, leaf by leaf forward. */
static void pass_through_choice(sweep *s, zx_node choice, zx_node w)
{
    zx_pool *pool = s->pool;
    zx_walk below = zx_walk_begin(pool, &choice, 1);
    zx_node *d = zx_scratch(pool, below.count, sizeof *d);
    zx_node one = zx_number(pool, 1.0);
    for (int32_t leaf = 0; leaf < below.count; leaf++) {
        if (!find_gradient_entry(&below.steps[leaf].item, s->out)) continue;
        for (int32_t i = 0; i < below.count; i++) d[i] = ZX_NONE;
        d[leaf] = one;
        zx_sweep(pool, &below, d);
        zx_node rate = d[below.count - 1];
        if (rate == ZX_NONE) continue;
        add_to_adjoint(s, find_walk_step(&s->walk, below.steps[leaf].node), zx_mul(pool, w, rate));
    }
    zx_walk_end(pool, &below);
}

/* Adds to the adjoints of the active operands of step `at` what its own, now complete,
 * contributes. */
static void pass_to_operands(sweep *s, int32_t at)
{
    const zx_step *step = &s->walk.steps[at];
    zx_op op = (zx_op)step->item.op;
    zx_node w = s->adjoint[at];
    if (op == ZX_SELECT || op == ZX_MIN || op == ZX_MAX) {
        pass_through_choice(s, step->node, w);
        return;
    }
    for (int k = 0; k < zx_operands(op); k++) {
        int32_t operand = *zx_operand(&step->item, k);
        if (s->active[operand]) add_to_adjoint(s, operand, zx_chain(s->pool, step->node, k, w));
    }
}

/* All wanted derivatives are 0 at first; leaves that do not occur stay so. */
static void clear_gradient(const zx_gradient *out, zx_node zero)
{
    zx_node *const lists[] = {out->position, out->velocity, out->acceleration};
    for (int k = 0; k < 3; k++)
        for (int32_t i = 0; lists[k] && i < out->slots; i++) lists[k][i] = zero;
}

/* Seeds enter at the roots; then from the last step to the first. */
void zx_reverse(zx_pool *pool, const zx_node *roots, const zx_node *seeds, int32_t count,
                const zx_gradient *out)
{
    sweep s = {.pool = pool, .out = out};
    s.walk = zx_walk_begin(pool, roots, count);
    s.active = zx_scratch(pool, s.walk.count, sizeof *s.active);
    s.adjoint = zx_scratch(pool, s.walk.count, sizeof *s.adjoint);
    s.zero = zx_number(pool, 0.0);
    mark_active_steps(&s);
    clear_gradient(out, s.zero);

    for (int32_t k = 0; k < count; k++)
        add_to_adjoint(&s, s.walk.roots[k], seeds ? seeds[k] : zx_number(pool, 1.0));
    for (int32_t i = s.walk.count - 1; i >= 0; i--) {
        const zx_item *item = &s.walk.steps[i].item;
        if (!s.active[i] || s.adjoint[i] == ZX_NONE) continue;
        if (zx_is_leaf(item->op))
            *find_gradient_entry(item, out) = s.adjoint[i];
        else
            pass_to_operands(&s, i);
    }
    zx_walk_end(pool, &s.walk);
}
