/*
 * Building nodes: the entry points, constants folded, and the simplification of everything but
 * sums and products (arithmetic.c). What is constant is computed only where the result is
 * finite: 1/0 and sqrt(-1) stay as they are, to be reported with their expression. Nothing is
 * simplified that would widen the domain: sqrt(x)^2 and x/x stay.
 */
#include "walk.h"

static bool finite(double x)
{
    return x - x == 0.0;
}

/* The constant `value`, bound if one of those it was made of is. */
static zx_node made_constant(zx_pool *pool, double value, bool bound)
{
    if (!finite(value)) return ZX_NONE;
    return bound ? zx_bound(pool, value) : zx_number(pool, value);
}

zx_node zx_fold(zx_pool *pool, zx_op op, zx_node a, zx_node b)
{
    const zx_item *x = &pool->items[a], *y = &pool->items[b];
    if (x->op > ZX_BOUND || y->op > ZX_BOUND) return ZX_NONE;
    bool bound = x->op == ZX_BOUND || y->op == ZX_BOUND;
    return made_constant(pool, zx_apply(op, zx_number_of(x), zx_number_of(y), 0.0), bound);
}

/* Whether a node is always 0 or 1. */
static bool is_truth(const zx_pool *pool, zx_node node)
{
    int32_t op = pool->items[node].op;
    return op == ZX_NOT || (op >= ZX_LT && op <= ZX_OR);
}

/* 1 where a node is not 0. */
static zx_node truth(zx_pool *pool, zx_node node)
{
    double value;
    if (is_truth(pool, node)) return node;
    if (zx_is_constant(pool, node, &value)) return zx_number(pool, value != 0.0);
    return zx_binary(pool, ZX_NE, node, zx_number(pool, 0.0));
}

/* ------------------------------------------------------------- one operand */

static zx_node plain_unary(zx_pool *pool, zx_op op, zx_node a)
{
    return zx_intern(pool, &(zx_item){.op = (int32_t)op, .a = a});
}

static zx_node build_not(zx_pool *pool, zx_node a)
{
    zx_item item = pool->items[a];
    if (item.op == ZX_NOT) return truth(pool, item.a);
    if (item.op == ZX_EQ) return zx_binary(pool, ZX_NE, item.a, item.b);
    if (item.op == ZX_NE) return zx_binary(pool, ZX_EQ, item.a, item.b);
    return plain_unary(pool, ZX_NOT, a);
}

/* A function of -x by the function of x, where the pool commutes. */
static zx_node build_of_negative(zx_pool *pool, zx_op op, zx_node a)
{
    zx_node x = pool->items[a].a;
    switch (op) {
    case ZX_COS:
    case ZX_COSH:
    case ZX_ABS:
        return zx_unary(pool, op, x);
    case ZX_SIN:
    case ZX_TAN:
    case ZX_ASIN:
    case ZX_ATAN:
    case ZX_SINH:
    case ZX_TANH:
    case ZX_SIGN:
        return zx_neg(pool, zx_unary(pool, op, x));
    default:
        return plain_unary(pool, op, a);
    }
}

zx_node zx_unary(zx_pool *pool, zx_op op, zx_node a)
{
    const zx_item *item = &pool->items[a];
    if (op == ZX_NEG) return zx_neg(pool, a);
    if (item->op <= ZX_BOUND) {
        double value = zx_apply(op, zx_number_of(item), 0.0, 0.0);
        zx_node folded = made_constant(pool, value, item->op == ZX_BOUND);
        return folded != ZX_NONE ? folded : plain_unary(pool, op, a);
    }
    if (op == ZX_NOT) return build_not(pool, a);
    /* abs abs, floor floor, sign sign */
    if ((op == ZX_ABS || op == ZX_FLOOR || op == ZX_SIGN) && item->op == (int32_t)op) return a;
    if (item->op == ZX_NEG && pool->commute) return build_of_negative(pool, op, a);
    return plain_unary(pool, op, a);
}

/* ------------------------------------------------------------------ powers */

enum { LARGEST_EXPONENT = 64 };

zx_node zx_power(zx_pool *pool, zx_node a, int32_t exponent)
{
    zx_item item = pool->items[a];
    if (exponent == 0) return zx_number(pool, 1.0);
    if (exponent == 1) return a;
    if (item.op <= ZX_BOUND) {
        double value = zx_power_of(zx_number_of(&item), exponent);
        zx_node folded = made_constant(pool, value, item.op == ZX_BOUND);
        if (folded != ZX_NONE) return folded;
    }
    if (exponent == -1) return zx_div(pool, zx_number(pool, 1.0), a);
    if (item.op == ZX_NEG) {
        zx_node power = zx_power(pool, item.a, exponent);
        return exponent % 2 != 0 ? zx_neg(pool, power) : power;
    }
    if (item.op == ZX_POWI) {
        int64_t product = (int64_t)item.b * exponent;
        if (product >= -LARGEST_EXPONENT && product <= LARGEST_EXPONENT)
            return zx_power(pool, item.a, (int32_t)product);
    }
    return zx_intern(pool, &(zx_item){.op = ZX_POWI, .a = a, .b = exponent});
}

static zx_node build_pow(zx_pool *pool, zx_node a, zx_node b)
{
    double e;
    if (zx_is_constant(pool, b, &e)) {
        if (e >= -LARGEST_EXPONENT && e <= LARGEST_EXPONENT && e == (double)(int32_t)e)
            return zx_power(pool, a, (int32_t)e);
        if (e == 0.5) return zx_unary(pool, ZX_SQRT, a);
        zx_node folded = zx_fold(pool, ZX_POW, a, b);
        if (folded != ZX_NONE) return folded;
        b = zx_number(pool, e);
    }
    if (zx_is_literal(pool, a, 1.0)) return a;
    return zx_pair(pool, ZX_POW, a, b, false);
}

/* ------------------------------------------------- comparisons and choices */

/* `a and b`, `a or b`: one constant decides, or drops out. */
static zx_node build_logic(zx_pool *pool, zx_op op, zx_node a, zx_node b)
{
    double value;
    if (a == b) return truth(pool, a);
    for (int k = 0; k < 2; k++) {
        if (!zx_is_constant(pool, k == 0 ? a : b, &value)) continue;
        bool decides = (value != 0.0) == (op == ZX_OR);
        return decides ? zx_number(pool, op == ZX_OR) : truth(pool, k == 0 ? b : a);
    }
    return zx_pair(pool, op, a, b, true);
}

/* Comparisons, minimum, maximum of one thing with itself. */
static zx_node build_equal(zx_pool *pool, zx_op op, zx_node a)
{
    if (op == ZX_MIN || op == ZX_MAX) return a;
    return zx_number(pool, op == ZX_LE || op == ZX_EQ);
}

static zx_node build_hypot(zx_pool *pool, zx_node a, zx_node b)
{
    if (zx_is_literal(pool, a, 0.0)) return zx_unary(pool, ZX_ABS, b);
    if (zx_is_literal(pool, b, 0.0)) return zx_unary(pool, ZX_ABS, a);
    return zx_pair(pool, ZX_HYPOT, a, b, true);
}

zx_node zx_binary(zx_pool *pool, zx_op op, zx_node a, zx_node b)
{
    switch (op) {
    case ZX_ADD:
        return zx_add(pool, a, b);
    case ZX_SUB:
        return zx_sub(pool, a, b);
    case ZX_MUL:
        return zx_mul(pool, a, b);
    case ZX_DIV:
        return zx_div(pool, a, b);
    case ZX_POW:
        return build_pow(pool, a, b);
    default:
        break;
    }
    zx_node folded = zx_fold(pool, op, a, b);
    if (folded != ZX_NONE) return folded;
    if (op == ZX_AND || op == ZX_OR) return build_logic(pool, op, a, b);
    if (op == ZX_HYPOT) return build_hypot(pool, a, b);
    if (op == ZX_ATAN2) return zx_pair(pool, op, a, b, false);
    if (a == b) return build_equal(pool, op, a);
    return zx_pair(pool, op, a, b, op == ZX_EQ || op == ZX_NE);
}

zx_node zx_select(zx_pool *pool, zx_node condition, zx_node yes, zx_node no)
{
    double value;
    if (yes == no) return yes;
    if (zx_is_constant(pool, condition, &value)) return value != 0.0 ? yes : no;
    zx_item item = pool->items[condition];
    if (item.op == ZX_NOT) return zx_select(pool, item.a, no, yes);
    return zx_intern(pool, &(zx_item){.op = ZX_SELECT, .a = condition, .b = yes, .c = no});
}
