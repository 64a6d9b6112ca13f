/*
 * Simplification of sums, differences, products and quotients while they are built.
 *
 * Always: zeros and ones go; signs move outward through products and quotients, so that a sum
 * can take them up as a difference; literals in products and sums are positive where a sign in
 * front says the same. None of this depends on what else the pool holds.
 *
 * Where the pool commutes also: operands sorted, constants of nested products and sums gathered,
 * multiples of one expression added. A product has its constant first, a sum last.
 *
 * Bound numbers other than 0 and 1 never decide what is built: two models that differ in such a
 * number only have the same shapes.
 *
 * Every rule makes its operands smaller, so the functions call each other a few levels deep.
 */
#include "walk.h"

static int32_t op_of(const zx_pool *pool, zx_node node)
{
    return pool->items[node].op;
}

bool zx_is_literal(const zx_pool *pool, zx_node node, double value)
{
    return op_of(pool, node) == ZX_NUMBER && zx_number_of(&pool->items[node]) == value;
}

static bool is_negative_literal(const zx_pool *pool, zx_node node)
{
    return op_of(pool, node) == ZX_NUMBER && zx_number_of(&pool->items[node]) < 0.0;
}

/* Takes a minus sign off *node, of a negation or a literal; whether there was one. */
static bool strip_sign(zx_pool *pool, zx_node *node)
{
    if (op_of(pool, *node) == ZX_NEG) {
        *node = pool->items[*node].a;
        return true;
    }
    if (!is_negative_literal(pool, *node)) return false;
    *node = zx_number(pool, -zx_number_of(&pool->items[*node]));
    return true;
}

static zx_node apply_sign(zx_pool *pool, bool minus, zx_node node)
{
    return minus ? zx_neg(pool, node) : node;
}

/* The node of op on a and b without any rule but the sorting. */
zx_node zx_pair(zx_pool *pool, zx_op op, zx_node a, zx_node b, bool commutes)
{
    if (commutes && pool->commute && a > b) {
        zx_node swap = a;
        a = b, b = swap;
    }
    return zx_intern(pool, &(zx_item){.op = (int32_t)op, .a = a, .b = b});
}

/* Literals change sign, a double negation goes; where the pool commutes -(a - b) is b - a. */
zx_node zx_neg(zx_pool *pool, zx_node a)
{
    zx_item item = pool->items[a];
    if (item.op == ZX_NUMBER) return zx_number(pool, -zx_number_of(&item));
    if (item.op == ZX_BOUND) return zx_bound(pool, -zx_number_of(&item));
    if (item.op == ZX_NEG) return item.a;
    if (item.op == ZX_SUB && pool->commute) return zx_sub(pool, item.b, item.a);
    return zx_intern(pool, &(zx_item){.op = ZX_NEG, .a = a});
}

/* ------------------------------------------------------------ coefficients */

/* Node as c * x: its constant factor, ZX_NONE when there is none to see. Where the pool does not
 * commute only a literal counts, on either side. */
static zx_node split_coefficient(const zx_pool *pool, zx_node node, zx_node *x)
{
    const zx_item *item = &pool->items[node];
    int32_t last = pool->commute ? ZX_BOUND : ZX_NUMBER;
    *x = node;
    if (item->op != ZX_MUL) return ZX_NONE;
    bool behind = !pool->commute && op_of(pool, item->b) == ZX_NUMBER;
    if (op_of(pool, item->a) > last && !behind) return ZX_NONE;
    *x = behind ? item->a : item->b;
    return behind ? item->b : item->a;
}

/* a + b or a - b (op) when both are multiples of one expression; else ZX_NONE. */
static zx_node merge_multiples(zx_pool *pool, zx_op op, zx_node a, zx_node b)
{
    zx_node x, y, c = split_coefficient(pool, a, &x), d = split_coefficient(pool, b, &y);
    if (x != y || (!pool->commute && c == ZX_NONE && d == ZX_NONE)) return ZX_NONE;
    zx_node one = zx_number(pool, 1.0);
    zx_node sum = zx_fold(pool, op, c == ZX_NONE ? one : c, d == ZX_NONE ? one : d);
    return sum == ZX_NONE ? ZX_NONE : zx_mul(pool, sum, x);
}

/* a + c or a - c (op) for a constant c when a is itself a sum with a constant; else ZX_NONE. */
static zx_node merge_constants(zx_pool *pool, zx_op op, zx_node a, zx_node c)
{
    zx_item item = pool->items[a];
    if (item.op != ZX_ADD && item.op != ZX_SUB) return ZX_NONE;
    if (zx_is_number(pool, item.b)) { /* (x + d) + c or (x - d) + c */
        zx_node d = item.op == ZX_SUB ? zx_neg(pool, item.b) : item.b;
        zx_node sum = zx_fold(pool, op, d, c);
        return sum == ZX_NONE ? ZX_NONE : zx_add(pool, item.a, sum);
    }
    if (item.op == ZX_SUB && zx_is_number(pool, item.a)) { /* (d - x) + c */
        zx_node sum = zx_fold(pool, op, item.a, c);
        return sum == ZX_NONE ? ZX_NONE : zx_sub(pool, sum, item.b);
    }
    return ZX_NONE;
}

/* --------------------------------------------------- sums and differences */

enum { SEARCHED_TERMS = 8 }; /* how many terms of a sum are looked at */

/* The sum without a term that is added in it (or subtracted, when `added` is false), so that
 * x + v - v is x; ZX_NONE when there is no such term near its end. */
static zx_node drop_term(zx_pool *pool, zx_node sum, zx_node term, bool added, int depth)
{
    zx_item item = pool->items[sum];
    if ((item.op != ZX_ADD && item.op != ZX_SUB) || depth == 0) return ZX_NONE;
    if (item.b == term && added == (item.op == ZX_ADD)) return item.a;
    if (item.a == term && added) return item.op == ZX_ADD ? item.b : zx_neg(pool, item.b);
    zx_node rest = drop_term(pool, item.a, term, added, depth - 1);
    if (rest == ZX_NONE) return ZX_NONE;
    return item.op == ZX_ADD ? zx_add(pool, rest, item.b) : zx_sub(pool, rest, item.b);
}

/* a + b where order does not matter and neither is 0: multiples of one expression and constants are
 * merged, the constant stands last, a sign becomes a difference. */
static zx_node add_commuting(zx_pool *pool, zx_node a, zx_node b)
{
    if (op_of(pool, a) == ZX_NEG && op_of(pool, b) != ZX_NEG)
        return zx_sub(pool, b, pool->items[a].a);
    if (zx_is_number(pool, a) && !zx_is_number(pool, b)) { /* last */
        zx_node swap = a;
        a = b, b = swap;
    }
    zx_node sum = merge_multiples(pool, ZX_ADD, a, b);
    if (sum == ZX_NONE && zx_is_number(pool, b)) sum = merge_constants(pool, ZX_ADD, a, b);
    if (sum != ZX_NONE) return sum;
    if (is_negative_literal(pool, b)) return zx_sub(pool, a, zx_neg(pool, b));
    return zx_pair(pool, ZX_ADD, a, b, zx_is_number(pool, a) == zx_is_number(pool, b));
}

/* Constants first, then zeros, signs, terms that cancel; what is left is one node. */
zx_node zx_add(zx_pool *pool, zx_node a, zx_node b)
{
    zx_node folded = zx_fold(pool, ZX_ADD, a, b);
    if (folded != ZX_NONE) return folded;
    if (zx_is_literal(pool, a, 0.0)) return b;
    if (zx_is_literal(pool, b, 0.0)) return a;
    if (op_of(pool, b) == ZX_NEG) return zx_sub(pool, a, pool->items[b].a);
    zx_node rest = drop_term(pool, a, b, false, SEARCHED_TERMS);
    if (rest != ZX_NONE) return rest;
    if (pool->commute) return add_commuting(pool, a, b);
    zx_node sum = merge_multiples(pool, ZX_ADD, a, b);
    if (sum != ZX_NONE) return sum;
    if (is_negative_literal(pool, b)) return zx_sub(pool, a, zx_neg(pool, b));
    return zx_pair(pool, ZX_ADD, a, b, false);
}

/* a - b where order does not matter: as add_commuting. */
static zx_node subtract_commuting(zx_pool *pool, zx_node a, zx_node b)
{
    if (op_of(pool, a) == ZX_NEG) return zx_neg(pool, zx_add(pool, pool->items[a].a, b));
    zx_node difference = merge_multiples(pool, ZX_SUB, a, b);
    if (difference == ZX_NONE && zx_is_number(pool, b))
        difference = merge_constants(pool, ZX_SUB, a, b);
    if (difference != ZX_NONE) return difference;
    return zx_pair(pool, ZX_SUB, a, b, false);
}

/* As zx_add; a - a is 0. */
zx_node zx_sub(zx_pool *pool, zx_node a, zx_node b)
{
    zx_node folded = zx_fold(pool, ZX_SUB, a, b);
    if (folded != ZX_NONE) return folded;
    if (a == b) return zx_number(pool, 0.0);
    if (zx_is_literal(pool, b, 0.0)) return a;
    if (zx_is_literal(pool, a, 0.0)) return zx_neg(pool, b);
    if (strip_sign(pool, &b)) return zx_add(pool, a, b);
    zx_node rest = drop_term(pool, a, b, true, SEARCHED_TERMS);
    if (rest != ZX_NONE) return rest;
    if (pool->commute) return subtract_commuting(pool, a, b);
    zx_node difference = merge_multiples(pool, ZX_SUB, a, b);
    return difference != ZX_NONE ? difference : zx_pair(pool, ZX_SUB, a, b, false);
}

/* ---------------------------------------------------- products, quotients */

/* c times d / y, or ZX_NONE. */
static zx_node scale_quotient(zx_pool *pool, zx_node c, zx_node quotient)
{
    zx_item item = pool->items[quotient];
    if (item.op != ZX_DIV) return ZX_NONE;
    zx_node top = zx_fold(pool, ZX_MUL, c, item.a);
    return top == ZX_NONE ? ZX_NONE : zx_div(pool, top, item.b);
}

/* A product without signs in a pool that commutes: c x times d y is (c d)(x y). */
static zx_node multiply_commuting(zx_pool *pool, zx_node a, zx_node b)
{
    if (zx_is_number(pool, b) && !zx_is_number(pool, a)) { /* first */
        zx_node swap = a;
        a = b, b = swap;
    }
    zx_node x, y, c = split_coefficient(pool, a, &x), d = split_coefficient(pool, b, &y);
    if (zx_is_number(pool, a)) c = a, x = ZX_NONE;
    if (c != ZX_NONE && d != ZX_NONE) {
        zx_node factor = zx_fold(pool, ZX_MUL, c, d);
        if (factor != ZX_NONE) return zx_mul(pool, factor, x == ZX_NONE ? y : zx_mul(pool, x, y));
    }
    if (x == y) return zx_mul(pool, c == ZX_NONE ? d : c, zx_power(pool, x, 2));
    zx_node scaled = zx_is_number(pool, a) ? scale_quotient(pool, a, b) : ZX_NONE;
    if (scaled != ZX_NONE) return scaled;
    return zx_pair(pool, ZX_MUL, a, b, zx_is_number(pool, a) == zx_is_number(pool, b));
}

/* Signs of both factors move in front of the product, x x becomes x^2. A product with the literal 0
 * is 0: here x is taken to be finite. */
zx_node zx_mul(zx_pool *pool, zx_node a, zx_node b)
{
    zx_node folded = zx_fold(pool, ZX_MUL, a, b);
    if (folded != ZX_NONE) return folded;
    if (zx_is_literal(pool, a, 0.0)) return a;
    if (zx_is_literal(pool, b, 0.0)) return b;
    bool minus = strip_sign(pool, &a);
    minus ^= strip_sign(pool, &b);
    zx_node product;
    if (zx_is_literal(pool, a, 1.0))
        product = b;
    else if (zx_is_literal(pool, b, 1.0))
        product = a;
    else if (a == b)
        product = zx_power(pool, a, 2);
    else if (pool->commute)
        product = multiply_commuting(pool, a, b);
    else
        product = zx_pair(pool, ZX_MUL, a, b, false);
    return apply_sign(pool, minus, product);
}

/* Whether c is a power of two whose reciprocal is exact and normal. */
static bool has_exact_reciprocal(double c)
{
    uint64_t bits = zb_bits(c), exponent = bits >> 52 & 0x7ff;
    return (bits & ((UINT64_C(1) << 52) - 1)) == 0 && exponent > 0 && exponent < 2046;
}

/* Signs move in front of the quotient; division by a power of two becomes an exact product. */
zx_node zx_div(zx_pool *pool, zx_node a, zx_node b)
{
    zx_node folded = zx_fold(pool, ZX_DIV, a, b);
    if (folded != ZX_NONE) return folded;
    /* 0/x, but not 0/0 */
    if (zx_is_literal(pool, a, 0.0) && !zx_is_literal(pool, b, 0.0)) return a;
    bool minus = strip_sign(pool, &b);
    minus ^= strip_sign(pool, &a);
    zx_node quotient;
    if (zx_is_literal(pool, b, 1.0)) {
        quotient = a;
    } else if (op_of(pool, b) == ZX_NUMBER && has_exact_reciprocal(zx_number_of(&pool->items[b]))) {
        quotient = zx_mul(pool, a, zx_number(pool, 1.0 / zx_number_of(&pool->items[b])));
    } else {
        quotient = zx_pair(pool, ZX_DIV, a, b, false);
    }
    return apply_sign(pool, minus, quotient);
}
