/*
 * Forward differentiation: the rules, derivatives in a direction, and along the motion.
 *
 * zx_chain is the one table of partial derivatives: it gives w * df/da_k, for a rate w of the
 * operand (forward) as for an adjoint w of f (reverse). Rules use f itself where that shares
 * work: the derivative of sqrt(a) divides by f, that of a/b is (a' - f b')/b. Within a sweep
 * ZX_NONE stands for an exact zero, so nothing is built for what does not move.
 *
 * C leaves open which argument of a call is computed first. The order of nodes must not depend on
 * the compiler, so no call here has two arguments that both build.
 */
#include "walk.h"

/* 1 + a^2, or for a negative sign 1 - a^2. */
static zx_node build_one_plus_square(zx_pool *pool, zx_node a, double sign)
{
    zx_node one = zx_number(pool, 1.0), square = zx_power(pool, a, 2);
    return sign > 0 ? zx_add(pool, one, square) : zx_sub(pool, one, square);
}

/* n a^(n-1) w; for negative n by f/a. */
static zx_node chain_power(zx_pool *pool, zx_node f, zx_node a, int32_t n, zx_node w)
{
    zx_node scaled = zx_mul(pool, zx_number(pool, n), w);
    if (n < 0) return zx_mul(pool, scaled, zx_div(pool, f, a));
    return zx_mul(pool, scaled, zx_power(pool, a, n - 1));
}

/* w df/da of the operations of one operand a; 0 for those that are piecewise constant. */
static zx_node chain_unary(zx_pool *pool, zx_node f, zx_item item, zx_node w)
{
    zx_node a = item.a;
    switch (item.op) {
    case ZX_NEG:
        return zx_neg(pool, w);
    case ZX_POWI:
        return chain_power(pool, f, a, item.b, w);
    case ZX_SIN:
        return zx_mul(pool, w, zx_unary(pool, ZX_COS, a));
    case ZX_COS:
        return zx_neg(pool, zx_mul(pool, w, zx_unary(pool, ZX_SIN, a)));
    case ZX_TAN:
        return zx_mul(pool, w, build_one_plus_square(pool, f, 1));
    case ZX_ASIN:
        return zx_div(pool, w, zx_unary(pool, ZX_SQRT, build_one_plus_square(pool, a, -1)));
    case ZX_ACOS:
        return zx_neg(pool,
                      zx_div(pool, w, zx_unary(pool, ZX_SQRT, build_one_plus_square(pool, a, -1))));
    case ZX_ATAN:
        return zx_div(pool, w, build_one_plus_square(pool, a, 1));
    case ZX_SINH:
        return zx_mul(pool, w, zx_unary(pool, ZX_COSH, a));
    case ZX_COSH:
        return zx_mul(pool, w, zx_unary(pool, ZX_SINH, a));
    case ZX_TANH:
        return zx_mul(pool, w, build_one_plus_square(pool, f, -1));
    case ZX_EXP:
        return zx_mul(pool, w, f);
    case ZX_LOG:
        return zx_div(pool, w, a);
    case ZX_SQRT:
        return zx_div(pool, zx_mul(pool, zx_number(pool, 0.5), w), f);
    case ZX_ABS:
        return zx_mul(pool, w, zx_unary(pool, ZX_SIGN, a));
    default:
        return zx_number(pool, 0.0); /* sign, floor, not */
    }
}

/* a^b: by a it is b a^(b-1), by b log(a) f. */
static zx_node chain_pow(zx_pool *pool, zx_node f, zx_item item, int k, zx_node w)
{
    if (k == 1) return zx_mul(pool, w, zx_mul(pool, zx_unary(pool, ZX_LOG, item.a), f));
    zx_node less = zx_sub(pool, item.b, zx_number(pool, 1.0));
    zx_node power = zx_binary(pool, ZX_POW, item.a, less);
    /* a^0 does not change, not even where a^-1 has no value */
    zx_node zero = zx_number(pool, 0.0), flat = zx_binary(pool, ZX_EQ, item.b, zero);
    power = zx_select(pool, flat, zero, power);
    return zx_mul(pool, zx_mul(pool, w, item.b), power);
}

static zx_node build_sum_of_squares(zx_pool *pool, zx_node a, zx_node b)
{
    zx_node x = zx_power(pool, a, 2), y = zx_power(pool, b, 2);
    return zx_add(pool, x, y);
}

/* The table differentiated once more; 0 beyond its degree. */
static zx_node chain_table(zx_pool *pool, zx_item item, zx_node w)
{
    double code = 0.0;
    (void)zx_is_constant(pool, item.b, &code);
    zx_tabulated is = zx_tabulated_by(code);
    if (is.order >= is.degree) return zx_number(pool, 0.0);
    zx_node next = zx_binary(pool, ZX_TABLE, item.a, zx_number(pool, code + 1.0));
    return zx_mul(pool, w, next);
}

/* w df/da for k = 0, w df/db for k = 1, of f = op(a, b); 0 for comparisons and logic. */
static zx_node chain_binary(zx_pool *pool, zx_node f, zx_item item, int k, zx_node w)
{
    zx_node self = k == 0 ? item.a : item.b, other = k == 0 ? item.b : item.a;
    switch (item.op) {
    case ZX_ADD:
        return w;
    case ZX_SUB:
        return k == 0 ? w : zx_neg(pool, w);
    case ZX_MUL:
        return zx_mul(pool, w, other);
    case ZX_DIV:
        w = zx_div(pool, w, item.b);
        return k == 0 ? w : zx_neg(pool, zx_mul(pool, w, f));
    case ZX_POW:
        return chain_pow(pool, f, item, k, w);
    case ZX_HYPOT:
        return zx_mul(pool, zx_div(pool, w, f), self);
    case ZX_ATAN2:
        w = zx_div(pool, w, build_sum_of_squares(pool, item.a, item.b));
        w = zx_mul(pool, w, other);
        return k == 0 ? w : zx_neg(pool, w);
    case ZX_TABLE:
        return k == 0 ? chain_table(pool, item, w) : zx_number(pool, 0.0);
    default:
        return zx_number(pool, 0.0); /* comparisons, logic */
    }
}

zx_node zx_chain(zx_pool *pool, zx_node f, int k, zx_node w)
{
    zx_item item = pool->items[f];
    if (zx_operands((zx_op)item.op) == 1) return chain_unary(pool, f, item, w);
    return chain_binary(pool, f, item, k, w);
}

/* ----------------------------------------------------------------- forward */

/* Arithmetic with rates, of which ZX_NONE is 0: a d, a + b, a - b, a/b. */
static zx_node multiply_rate(zx_pool *pool, zx_node a, zx_node d)
{
    return d == ZX_NONE ? ZX_NONE : zx_mul(pool, a, d);
}

static zx_node add_rates(zx_pool *pool, zx_node a, zx_node b)
{
    if (a == ZX_NONE || b == ZX_NONE) return a == ZX_NONE ? b : a;
    return zx_add(pool, a, b);
}

static zx_node subtract_rates(zx_pool *pool, zx_node a, zx_node b)
{
    if (b == ZX_NONE) return a;
    return a == ZX_NONE ? zx_neg(pool, b) : zx_sub(pool, a, b);
}

static zx_node divide_rate(zx_pool *pool, zx_node a, zx_node b)
{
    return a == ZX_NONE ? ZX_NONE : zx_div(pool, a, b);
}

/* The rate of the branch taken, ZX_NONE being 0. */
static zx_node select_rate(zx_pool *pool, zx_node condition, zx_node yes, zx_node no)
{
    if (yes == no) return yes;
    zx_node zero = zx_number(pool, 0.0);
    return zx_select(pool, condition, yes == ZX_NONE ? zero : yes, no == ZX_NONE ? zero : no);
}

/* Rules that combine the rates of both operands better than a sum of two chains. */
static zx_node differentiate_pair(zx_pool *pool, zx_node f, zx_item item, zx_node da, zx_node db)
{
    zx_node a = item.a, b = item.b, x, y;
    switch (item.op) {
    case ZX_DIV:
        return divide_rate(pool, subtract_rates(pool, da, multiply_rate(pool, f, db)), b);
    case ZX_HYPOT:
        x = multiply_rate(pool, a, da), y = multiply_rate(pool, b, db);
        return divide_rate(pool, add_rates(pool, x, y), f);
    case ZX_ATAN2:
        x = multiply_rate(pool, b, da), y = multiply_rate(pool, a, db);
        x = subtract_rates(pool, x, y), y = build_sum_of_squares(pool, a, b);
        return divide_rate(pool, x, y);
    case ZX_MIN: /* where both are equal the first counts */
        return select_rate(pool, zx_binary(pool, ZX_LE, a, b), da, db);
    case ZX_MAX:
        return select_rate(pool, zx_binary(pool, ZX_LE, b, a), da, db);
    default:
        x = da == ZX_NONE ? ZX_NONE : zx_chain(pool, f, 0, da);
        y = db == ZX_NONE ? ZX_NONE : zx_chain(pool, f, 1, db);
        return add_rates(pool, x, y);
    }
}

/* A rate that turns out as the literal 0 is ZX_NONE again. */
zx_node zx_forward(zx_pool *pool, zx_node f, const zx_node d[3])
{
    zx_item item = pool->items[f];
    zx_node rate = ZX_NONE;
    switch (zx_operands((zx_op)item.op)) {
    case 1:
        if (d[0] != ZX_NONE) rate = zx_chain(pool, f, 0, d[0]);
        break;
    case 2:
        if (d[0] != ZX_NONE || d[1] != ZX_NONE)
            rate = differentiate_pair(pool, f, item, d[0], d[1]);
        break;
    default:
        rate = select_rate(pool, item.a, d[1], d[2]);
    }
    return rate == ZX_NONE || zx_is_literal(pool, rate, 0.0) ? ZX_NONE : rate;
}

/* Operands come before what uses them, so that one pass suffices. */
void zx_sweep(zx_pool *pool, const zx_walk *walk, zx_node *d)
{
    for (int32_t i = 0; i < walk->count; i++) {
        const zx_item *item = &walk->steps[i].item;
        int operands = zx_operands((zx_op)item->op);
        if (operands == 0) continue;
        zx_node of[3] = {d[item->a], operands > 1 ? d[item->b] : ZX_NONE,
                         operands > 2 ? d[item->c] : ZX_NONE};
        d[i] = zx_forward(pool, walk->steps[i].node, of);
    }
}

/* ------------------------------------------------------------- a direction */

/* How entry i of the leaves of one kind moves; ZX_NONE: it stands still. */
static zx_node find_entry_rate(const zx_node *rates, int32_t count, int32_t i)
{
    return rates && i < count ? rates[i] : ZX_NONE;
}

/* How a leaf moves in the direction d; ZX_NONE: it stands still. */
static zx_node find_leaf_rate(const zx_item *leaf, const zx_direction *d)
{
    switch (leaf->op) {
    case ZX_TIME:
        return d->time;
    case ZX_POSITION:
        return find_entry_rate(d->position, d->slots, leaf->a);
    case ZX_VELOCITY:
        return find_entry_rate(d->velocity, d->slots, leaf->a);
    case ZX_ACCELERATION:
        return find_entry_rate(d->acceleration, d->slots, leaf->a);
    case ZX_VALUE:
        return find_entry_rate(d->value, d->values, leaf->a);
    case ZX_MEASURE:
        return find_entry_rate(d->measure, d->measures, leaf->a);
    default:
        return ZX_NONE;
    }
}

void zx_directional(zx_pool *pool, const zx_node *roots, int32_t count, const zx_direction *d,
                    zx_node *out)
{
    zx_walk walk = zx_walk_begin(pool, roots, count);
    zx_node *rates = zx_scratch(pool, walk.count, sizeof *rates);
    zx_node zero = zx_number(pool, 0.0);
    for (int32_t i = 0; i < walk.count; i++) {
        rates[i] = find_leaf_rate(&walk.steps[i].item, d);
        if (rates[i] == zero) rates[i] = ZX_NONE;
    }
    zx_sweep(pool, &walk, rates);
    for (int32_t i = 0; i < count; i++) {
        zx_node rate = rates[walk.roots[i]];
        out[i] = rate == ZX_NONE ? zero : rate;
    }
    zx_walk_end(pool, &walk);
}

/* -------------------------------------------------------- along the motion */

/* q' = v, v' = z, t' = 1, everything else stands still; ZX_NONE: no rate is known. */
static zx_node differentiate_leaf_in_time(zx_pool *pool, zx_item leaf)
{
    switch (leaf.op) {
    case ZX_TIME:
        return zx_number(pool, 1.0);
    case ZX_POSITION:
        return zx_leaf(pool, ZX_VELOCITY, leaf.a);
    case ZX_VELOCITY:
        return zx_leaf(pool, ZX_ACCELERATION, leaf.a);
    case ZX_ACCELERATION:
    case ZX_MEASURE:
        return ZX_NONE; /* of which no rate is known */
    default:
        return zx_number(pool, 0.0);
    }
}

/* Whether the rate of a node depends on the rate of its k-th operand. */
static bool passes_rate_on(int32_t op, int k)
{
    if (op == ZX_SELECT) return k > 0;
    return op != ZX_SIGN && op != ZX_FLOOR && op != ZX_NOT && !(op >= ZX_LT && op <= ZX_OR);
}

/* The time derivative of a node whose operands' rates are known; ZX_NONE when there is none,
 * because one of those it depends on has none. zero: the literal 0. */
static zx_node differentiate_in_time(zx_pool *pool, zx_node node, zx_node zero)
{
    zx_item item = pool->items[node];
    if (zx_is_leaf(item.op)) return differentiate_leaf_in_time(pool, item);
    zx_node d[3] = {ZX_NONE, ZX_NONE, ZX_NONE};
    for (int k = 0; k < zx_operands((zx_op)item.op); k++) {
        if (!passes_rate_on(item.op, k)) continue;
        zx_node rate = pool->rates[*zx_operand(&item, k)];
        if (rate == ZX_NONE) return ZX_NONE;
        d[k] = rate == zero ? ZX_NONE : rate;
    }
    zx_node rate = zx_forward(pool, node, d);
    return rate == ZX_NONE ? zero : rate;
}

/* Keeps the rate with the number of nodes there are now, so that releasing nodes can forget it. */
static void remember_rate(zx_pool *pool, zx_node node, zx_node rate)
{
    if (!zb_array_push(pool->memory, &pool->rated, ((zx_rated){node, pool->count})))
        zx_escape(pool);
    pool->rates[node] = rate;
}

/* Only the nodes below whose rates are not known yet are differentiated, operands first. */
zx_node zx_time_derivative(zx_pool *pool, zx_node node)
{
    if (pool->rates[node] != ZX_UNKNOWN) return pool->rates[node];
    zb_mark mark = zx_scratch_mark(pool);
    int32_t count = zx_collect(pool, &node, 1, true);
    zx_node *nodes = zx_scratch(pool, count, sizeof *nodes);
    for (int32_t i = 0; i < count; i++) nodes[i] = pool->list[i];
    zx_node zero = zx_number(pool, 0.0);
    for (int32_t i = 0; i < count; i++)
        if (pool->rates[nodes[i]] == ZX_UNKNOWN)
            remember_rate(pool, nodes[i], differentiate_in_time(pool, nodes[i], zero));
    zb_arena_release(&pool->scratch, mark);
    return pool->rates[node];
}
