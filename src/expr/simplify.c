/*
 * Building nodes: the entry points, constants folded, and the simplification of everything but
 * sums and products (arithmetic.c). What is constant is computed only where the result is
 * finite: 1/0 and sqrt(-1) stay as they are, to be reported with their expression. Nothing is
 * simplified that would widen the domain: sqrt(x)^2 and x/x stay.
 */
#include "walk.h"

/* The constant `value`, bound if one of those it was computed from is; ZX_NONE if it is not
 * finite. */
static zx_node build_constant(zx_pool *pool, double value, bool bound)
{
    if (!zx_is_finite(value)) return ZX_NONE;
    return bound ? zx_bound(pool, value) : zx_number(pool, value);
}

zx_node zx_fold(zx_pool *pool, zx_op op, zx_node a, zx_node b)
{
    const zx_item *x = &pool->items[a], *y = &pool->items[b];
    if (x->op > ZX_BOUND || y->op > ZX_BOUND) return ZX_NONE;
    bool bound = x->op == ZX_BOUND || y->op == ZX_BOUND;
    return build_constant(pool, zx_apply(op, zx_number_of(x), zx_number_of(y), 0.0), bound);
}

/* The node that is 1 where a node is not 0, and 0 where it is. */
static zx_node build_truth(zx_pool *pool, zx_node node)
{
    double value;
    if (zx_is_truth(pool, node)) return node;
    if (zx_is_constant(pool, node, &value)) return zx_number(pool, value != 0.0);
    return zx_binary(pool, ZX_NE, node, zx_number(pool, 0.0));
}

/* ------------------------------------------------------------- one operand */

static zx_node intern_unary(zx_pool *pool, zx_op op, zx_node a)
{
    return zx_intern(pool, &(zx_item){.op = (int32_t)op, .a = a});
}

/* `not a`: a double negation goes, and equality turns into inequality. */
static zx_node build_not(zx_pool *pool, zx_node a)
{
    zx_item item = pool->items[a];
    if (item.op == ZX_NOT) return build_truth(pool, item.a);
    if (item.op == ZX_EQ) return zx_binary(pool, ZX_NE, item.a, item.b);
    if (item.op == ZX_NE) return zx_binary(pool, ZX_EQ, item.a, item.b);
    return intern_unary(pool, ZX_NOT, a);
}

/* A function of -x by the function of x, where the pool commutes. */
static zx_node build_function_of_negative(zx_pool *pool, zx_op op, zx_node a)
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
        return intern_unary(pool, op, a);
    }
}

/* Folds constants, then f(f(x)) = f(x) for abs, floor and sign, then signs of the operand. */
zx_node zx_unary(zx_pool *pool, zx_op op, zx_node a)
{
    const zx_item *item = &pool->items[a];
    if (op == ZX_NEG) return zx_neg(pool, a);
    if (item->op <= ZX_BOUND) {
        double value = zx_apply(op, zx_number_of(item), 0.0, 0.0);
        zx_node folded = build_constant(pool, value, item->op == ZX_BOUND);
        return folded != ZX_NONE ? folded : intern_unary(pool, op, a);
    }
    if (op == ZX_NOT) return build_not(pool, a);
    /* abs abs, floor floor, sign sign */
    if ((op == ZX_ABS || op == ZX_FLOOR || op == ZX_SIGN) && item->op == (int32_t)op) return a;
    if (item->op == ZX_NEG && pool->commute) return build_function_of_negative(pool, op, a);
    return intern_unary(pool, op, a);
}

/* ------------------------------------------------------------------ powers */

enum { LARGEST_EXPONENT = 64 };

/* Folds constants; a sign of the base moves out, and powers of powers multiply their exponents. */
zx_node zx_power(zx_pool *pool, zx_node a, int32_t exponent)
{
    zx_item item = pool->items[a];
    if (exponent == 0) return zx_number(pool, 1.0);
    if (exponent == 1) return a;
    if (item.op <= ZX_BOUND) {
        double value = zx_power_of(zx_number_of(&item), exponent);
        zx_node folded = build_constant(pool, value, item.op == ZX_BOUND);
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

/* a^b: small whole exponents become integer powers, 1/2 a square root. */
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
    if (a == b) return build_truth(pool, a);
    for (int k = 0; k < 2; k++) {
        if (!zx_is_constant(pool, k == 0 ? a : b, &value)) continue;
        bool decides = (value != 0.0) == (op == ZX_OR);
        return decides ? zx_number(pool, op == ZX_OR) : build_truth(pool, k == 0 ? b : a);
    }
    return zx_pair(pool, op, a, b, true);
}

/* Comparisons, minimum, maximum of one thing with itself. */
static zx_node build_of_equals(zx_pool *pool, zx_op op, zx_node a)
{
    if (op == ZX_MIN || op == ZX_MAX) return a;
    return zx_number(pool, op == ZX_LE || op == ZX_EQ);
}

/* sqrt(a^2 + b^2), with one leg 0 the other's magnitude. */
static zx_node build_hypot(zx_pool *pool, zx_node a, zx_node b)
{
    if (zx_is_literal(pool, a, 0.0)) return zx_unary(pool, ZX_ABS, b);
    if (zx_is_literal(pool, b, 0.0)) return zx_unary(pool, ZX_ABS, a);
    return zx_pair(pool, ZX_HYPOT, a, b, true);
}

/* Of a constant the value in the table, if there is one: a number that came through a name. */
static zx_node build_tabulated(zx_pool *pool, zx_node a, zx_node code)
{
    double x, number;
    if (zx_is_constant(pool, a, &x) && zx_is_constant(pool, code, &number)) {
        zx_node folded = build_constant(pool, zx_look_up(pool->tables, x, number), true);
        if (folded != ZX_NONE) return folded;
    }
    return zx_pair(pool, ZX_TABLE, a, code, false);
}

/* The arithmetic of five operations is in functions of its own; the rest folds constants, then
 * looks for equal operands. */
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
    if (op == ZX_TABLE) return build_tabulated(pool, a, b);
    zx_node folded = zx_fold(pool, op, a, b);
    if (folded != ZX_NONE) return folded;
    if (op == ZX_AND || op == ZX_OR) return build_logic(pool, op, a, b);
    if (op == ZX_HYPOT) return build_hypot(pool, a, b);
    if (op == ZX_ATAN2) return zx_pair(pool, op, a, b, false);
    if (a == b) return build_of_equals(pool, op, a);
    return zx_pair(pool, op, a, b, op == ZX_EQ || op == ZX_NE);
}

/* Equal branches and constant conditions need no choice; `not` exchanges the branches. */
zx_node zx_select(zx_pool *pool, zx_node condition, zx_node yes, zx_node no)
{
    double value;
    if (yes == no) return yes;
    if (zx_is_constant(pool, condition, &value)) return value != 0.0 ? yes : no;
    zx_item item = pool->items[condition];
    if (item.op == ZX_NOT) return zx_select(pool, item.a, no, yes);
    return zx_intern(pool, &(zx_item){.op = ZX_SELECT, .a = condition, .b = yes, .c = no});
}
