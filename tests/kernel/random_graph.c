/*
 * Random expressions; see random_graph.h.
 */
#include "random_graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

uint64_t graph_state;

uint64_t graph_next(void)
{
    graph_state += UINT64_C(0x9e3779b97f4a7c15);
    return zb_hash_scramble(graph_state);
}

int32_t graph_below(int32_t limit)
{
    return (int32_t)(graph_next() % (uint64_t)limit);
}

double graph_uniform(double a, double b)
{
    return a + (b - a) * ((double)(graph_next() >> 11) * 0x1p-53);
}

/* ----------------------------------------------------------------- sources */

static double wild_number(void)
{
    static const double all[] = {0.0,    -0.0, ZB_INFINITY, -ZB_INFINITY, ZB_NAN, 1e300,
                                 1e-310, 1.0,  -1.0,        1e5,          -1e7};
    return graph_below(3) == 0 ? all[graph_below((int32_t)(sizeof all / sizeof *all))]
                               : graph_uniform(-3.0, 3.0);
}

static void fill(double *x, bool wild)
{
    for (int i = 0; i < 4 * GRAPH_SLOTS; i++)
        x[i] = wild ? wild_number() : graph_uniform(-2.0, 2.0);
}

static void bind(int32_t *table, bool permuted)
{
    for (int32_t i = 0; i < GRAPH_SLOTS; i++)
        table[i] = permuted ? graph_below(4 * GRAPH_SLOTS) : i;
}

void graph_fill(graph_source *source, bool wild, bool permuted)
{
    fill(source->position, wild);
    fill(source->velocity, wild);
    fill(source->acceleration, wild);
    fill(source->value, wild);
    fill(source->measure, wild);
    source->time = wild ? wild_number() : graph_uniform(0.0, 5.0);
    bind(source->coordinate_of, permuted);
    bind(source->value_of, permuted);
    bind(source->measure_of, permuted);
}

zk_source graph_as_source(const graph_source *s)
{
    return (zk_source){.position = s->position,
                       .velocity = s->velocity,
                       .acceleration = s->acceleration,
                       .value = s->value,
                       .measure = s->measure,
                       .time = s->time};
}

zk_binding graph_as_binding(const graph_source *s)
{
    return (zk_binding){
        .coordinate = s->coordinate_of, .value = s->value_of, .measure = s->measure_of};
}

double graph_leaf(void *user, const zx_item *leaf)
{
    const graph_source *s = user;
    switch (leaf->op) {
    case ZX_TIME:
        return s->time;
    case ZX_POSITION:
        return s->position[s->coordinate_of[leaf->a]];
    case ZX_VELOCITY:
        return s->velocity[s->coordinate_of[leaf->a]];
    case ZX_ACCELERATION:
        return s->acceleration[s->coordinate_of[leaf->a]];
    case ZX_VALUE:
        return s->value[s->value_of[leaf->a]];
    default:
        return s->measure[s->measure_of[leaf->a]];
    }
}

/* ------------------------------------------------------------------ values */

static double value_of(const zx_item *item, const graph_source *source, const double *values)
{
    graph_source *user = (graph_source *)(uintptr_t)source;
    if (item->op == ZX_NUMBER || item->op == ZX_BOUND) return zx_number_of(item);
    if (item->op == ZX_POWI) return zx_power_of(values[item->a], item->b);
    switch (zx_operands((zx_op)item->op)) {
    case 0:
        return graph_leaf(user, item);
    case 1:
        return zx_apply((zx_op)item->op, values[item->a], 0.0, 0.0);
    case 2:
        return zx_apply((zx_op)item->op, values[item->a], values[item->b], 0.0);
    default:
        return zx_apply((zx_op)item->op, values[item->a], values[item->b], values[item->c]);
    }
}

void graph_values(const zx_pool *pool, const graph_source *source, double *values)
{
    for (int32_t i = 0; i < pool->count; i++) values[i] = value_of(&pool->items[i], source, values);
}

bool graph_same(double a, double b)
{
    return a != a ? b != b : zb_bits(a) == zb_bits(b);
}

/* ------------------------------------------------------------------- nodes */

static void add_leaves(zx_pool *pool)
{
    static const double numbers[] = {0.0, 1.0, 2.0, -0.5, 0.1, 9.81};
    for (int i = 0; i < 6; i++) zx_number(pool, numbers[i]);
    zx_bound(pool, 2.0);
    zx_bound(pool, 0.3);
    zx_leaf(pool, ZX_TIME, 0);
    for (int32_t i = 0; i < GRAPH_SLOTS; i++) {
        int32_t slot = graph_below(GRAPH_SLOTS); /* first: arguments have no order */
        zx_leaf(pool, (zx_op)(ZX_POSITION + graph_below(ZX_MEASURE - ZX_POSITION + 1)), slot);
    }
}

/* Mostly one of the last nodes, so that graphs become deep. */
static zx_node any_node(const zx_pool *pool)
{
    int32_t n = pool->count;
    return graph_below(3) > 0 && n > 40 ? n - 1 - graph_below(40) : graph_below(n);
}

static zx_item random_item(const zx_pool *pool, bool arithmetic)
{
    static const zx_op plain[] = {ZX_ADD, ZX_SUB, ZX_MUL, ZX_MUL, ZX_ADD, ZX_DIV};
    int32_t choices = ZX_OP_COUNT - ZX_NEG - 1; /* all but ZX_TABLE, which programs do not know */
    zx_op op = arithmetic || graph_below(3) == 0 ? plain[graph_below(arithmetic ? 5 : 6)]
                                                 : (zx_op)(ZX_NEG + graph_below(choices));
    if (op >= ZX_TABLE) op = (zx_op)(op + 1);
    zx_item item = {.op = (int32_t)op, .a = any_node(pool)};
    int operands = zx_operands(op);
    if (operands > 1) item.b = any_node(pool);
    if (operands > 2) item.c = any_node(pool);
    if (op == ZX_POWI) item.b = graph_below(2) ? 2 + graph_below(20) : -1 - graph_below(12);
    return item;
}

static bool tame(double x)
{
    return x > -1e6 && x < 1e6;
}

void graph_grow(zx_pool *pool, int32_t operations, bool arithmetic, const graph_source *source,
                double *values)
{
    add_leaves(pool);
    if (values) graph_values(pool, source, values);
    int32_t end = pool->count + operations;
    for (int32_t tries = 0; pool->count < end && tries < 40 * operations; tries++) {
        zx_item item = random_item(pool, arithmetic);
        double value = values ? value_of(&item, source, values) : 0.0;
        if (!tame(value) && graph_below(50) > 0) continue;
        zx_node node = zx_intern(pool, &item);
        if (values) values[node] = value;
    }
}

double *graph_workspace(const zk_program *program)
{
    double *x = aligned_alloc(64, (zk_workspace(program) + 8) * sizeof(double));
    assert_non_null(x);
    for (size_t i = 0; i < zk_workspace(program) + 8; i++) x[i] = ZB_NAN;
    return x;
}
