/*
 * Random expressions like a solver's; see solver_graph.h. Nodes are interned, so that nothing is
 * simplified and every operation reaches the compiler.
 */
#include "solver_graph.h"

enum { MOST_SIZE = 16 }; /* of a matrix */

static zx_node make(zx_pool *pool, zx_op op, zx_node a, zx_node b, zx_node c)
{
    zx_item item = {.op = (int32_t)op, .a = a};
    if (zx_operands(op) > 1) item.b = b;
    if (zx_operands(op) > 2) item.c = c;
    return zx_intern(pool, &item);
}

static zx_node two(zx_pool *pool, zx_op op, zx_node a, zx_node b)
{
    return make(pool, op, a, b, 0);
}

static zx_node one(zx_pool *pool, zx_op op, zx_node a)
{
    return make(pool, op, a, 0, 0);
}

static zx_node leaf(zx_pool *pool)
{
    if (graph_below(10) == 0) return zx_number(pool, graph_uniform(-2.0, 2.0));
    if (graph_below(20) == 0) return zx_leaf(pool, ZX_TIME, 0);
    zx_op kind = (zx_op)(ZX_POSITION + graph_below(ZX_MEASURE - ZX_POSITION + 1));
    return zx_leaf(pool, kind, graph_below(GRAPH_SLOTS));
}

/* A leaf or something computed earlier, of size 1 or so: x / (1 + |x|) where it might be large. */
static zx_node operand(zx_pool *pool)
{
    if (graph_below(3) > 0) return leaf(pool);
    zx_node x = graph_below(pool->count);
    zx_node size = one(pool, ZX_ABS, x);
    size = two(pool, ZX_ADD, zx_number(pool, 1.0), size);
    return two(pool, ZX_DIV, x, size);
}

/* Operands are drawn one after the other: the order in which C evaluates arguments is its own. */
static zx_node drawn(zx_pool *pool, zx_op op, zx_node (*first)(zx_pool *),
                     zx_node (*second)(zx_pool *))
{
    zx_node a = first(pool), b = second(pool);
    return two(pool, op, a, b);
}

static zx_op plus_or_minus(void)
{
    return graph_below(3) == 0 ? ZX_SUB : ZX_ADD;
}

/* ------------------------------------------------------------------ shapes */

/* a1 b1 + a2 b2 - ... */
static zx_node sum_of_products(zx_pool *pool, int32_t operations)
{
    zx_node sum = drawn(pool, ZX_MUL, operand, operand);
    for (int32_t k = 2; k < operations; k += 2) {
        zx_node product = drawn(pool, ZX_MUL, operand, operand);
        if (graph_below(5) == 0) product = two(pool, ZX_MUL, product, operand(pool));
        bool first = graph_below(4) == 0;
        sum = two(pool, plus_or_minus(), first ? product : sum, first ? sum : product);
    }
    return sum;
}

/* L L^T = M with a strong diagonal, column by column. */
static void factor(zx_pool *pool, int32_t n, zx_node L[MOST_SIZE][MOST_SIZE])
{
    for (int32_t j = 0; j < n; j++)
        for (int32_t i = j; i < n; i++) {
            zx_node x = operand(pool);
            if (i == j) x = one(pool, ZX_ABS, x);
            if (i == j) x = two(pool, ZX_ADD, x, zx_number(pool, 6.0 * n));
            for (int32_t k = 0; k < j; k++)
                x = two(pool, ZX_SUB, x, two(pool, ZX_MUL, L[i][k], L[j][k]));
            L[i][j] = i == j ? one(pool, ZX_SQRT, x) : two(pool, ZX_DIV, x, L[j][j]);
        }
}

/* x = M^-1 b: forward, then backward. */
static zx_node solve(zx_pool *pool, int32_t n, zx_node L[MOST_SIZE][MOST_SIZE])
{
    zx_node x[MOST_SIZE];
    for (int32_t i = 0; i < n; i++) {
        x[i] = operand(pool);
        for (int32_t k = 0; k < i; k++)
            x[i] = two(pool, ZX_SUB, x[i], two(pool, ZX_MUL, L[i][k], x[k]));
        x[i] = two(pool, ZX_DIV, x[i], L[i][i]);
    }
    for (int32_t i = n - 1; i >= 0; i--) {
        for (int32_t k = i + 1; k < n; k++)
            x[i] = two(pool, ZX_SUB, x[i], two(pool, ZX_MUL, L[k][i], x[k]));
        x[i] = two(pool, ZX_DIV, x[i], L[i][i]);
    }
    return x[0];
}

static zx_node cholesky(zx_pool *pool, int32_t operations)
{
    zx_node L[MOST_SIZE][MOST_SIZE];
    int32_t n = 2;
    while (n < MOST_SIZE && n * n * n / 3 + 3 * n * n < operations) n++;
    factor(pool, n, L);
    return solve(pool, n, L);
}

/* Points at the end of links that turn: x += l cos(angle), y += l sin(angle). */
static zx_node rotations(zx_pool *pool, int32_t operations)
{
    zx_node x = operand(pool), y = operand(pool), angle = operand(pool);
    for (int32_t k = 0; k < operations; k += 7) {
        angle = two(pool, ZX_ADD, angle, leaf(pool));
        zx_node c = one(pool, ZX_COS, angle), s = one(pool, ZX_SIN, angle);
        zx_node cx = two(pool, ZX_MUL, c, x), sy = two(pool, ZX_MUL, s, y);
        zx_node sx = two(pool, ZX_MUL, s, x), cy = two(pool, ZX_MUL, c, y);
        x = two(pool, ZX_SUB, cx, sy);
        y = two(pool, ZX_ADD, sx, cy);
    }
    return two(pool, plus_or_minus(), x, y);
}

static zx_node condition(zx_pool *pool)
{
    zx_op op = (zx_op)(ZX_LT + graph_below(4));
    zx_node c = drawn(pool, op, operand, operand);
    if (graph_below(3) == 0) {
        op = (zx_op)(ZX_LT + graph_below(4));
        zx_node other = drawn(pool, op, operand, leaf);
        c = two(pool, graph_below(2) ? ZX_AND : ZX_OR, c, other);
    }
    return graph_below(4) == 0 ? one(pool, ZX_NOT, c) : c;
}

/* Choices, limits, steps. */
static zx_node guards(zx_pool *pool, int32_t operations)
{
    static const zx_op alone[] = {ZX_ABS, ZX_SIGN, ZX_FLOOR, ZX_NEG, ZX_NOT};
    zx_node x = operand(pool), c;
    for (int32_t k = 0; k < operations; k += 4) {
        zx_node y = operand(pool);
        y = two(pool, plus_or_minus(), y, x);
        if (graph_below(4) == 0) y = one(pool, alone[graph_below(5)], y);
        switch (graph_below(4)) {
        case 0:
            x = two(pool, ZX_MIN, graph_below(2) ? x : operand(pool), y);
            break;
        case 1:
            x = two(pool, ZX_MAX, y, graph_below(2) ? x : operand(pool));
            break;
        default:
            c = graph_below(6) ? condition(pool) : operand(pool);
            x = make(pool, ZX_SELECT, c, x, y);
            break;
        }
    }
    return x;
}

/* Each operation waits for the one before. */
static zx_node chain(zx_pool *pool, int32_t operations)
{
    zx_node x = operand(pool), half = zx_number(pool, 0.5);
    zx_op op;
    for (int32_t k = 0; k < operations; k += 3) switch (graph_below(4)) {
        case 0: /* x = sqrt(x^2 + y) - z */
            x = two(pool, ZX_MUL, x, x);
            x = two(pool, ZX_ADD, x, one(pool, ZX_ABS, leaf(pool)));
            x = one(pool, ZX_SQRT, x);
            x = two(pool, ZX_SUB, x, leaf(pool));
            break;
        case 1:
            x = two(pool, ZX_ADD, x, zx_number(pool, 3.25));
            x = two(pool, ZX_DIV, leaf(pool), x);
            break;
        default:
            x = two(pool, ZX_MUL, half, x);
            op = plus_or_minus();
            x = two(pool, op, x, leaf(pool));
            break;
        }
    return x;
}

/* Many values at once, used in another order than they were made: more than there are registers. */
static zx_node fan(zx_pool *pool, int32_t operations)
{
    enum { MOST = 400 };
    zx_node waiting[MOST];
    int32_t count = operations / 3 < 2 ? 2 : operations / 3 > MOST ? MOST : operations / 3;
    for (int32_t k = 0; k < count; k++) {
        zx_op op = graph_below(2) ? ZX_MUL : ZX_SUB;
        waiting[k] = drawn(pool, op, operand, leaf);
    }
    zx_node sum = waiting[0];
    for (int32_t k = count - 1; k > 0; k--) {
        zx_node x = two(pool, ZX_MUL, waiting[k], waiting[graph_below(count)]);
        sum = two(pool, plus_or_minus(), sum, x);
    }
    return sum;
}

/* ------------------------------------------------------------------- whole */

zx_node solver_grow(zx_pool *pool, int32_t operations)
{
    static zx_node (*const shapes[])(zx_pool *, int32_t) = {sum_of_products, cholesky, rotations,
                                                            guards,          chain,    fan};
    int32_t parts = 1 + graph_below(4), each = operations / parts;
    if (pool->count == 0) leaf(pool);
    zx_node last = 0;
    for (int32_t k = 0; k < parts; k++) last = shapes[graph_below(6)](pool, each < 4 ? 4 : each);
    return last;
}
