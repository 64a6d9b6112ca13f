/*
 * Random programs and the comparison of their evaluators; see native_case.h.
 */
#include "native_case.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "solver_graph.h"

/* ------------------------------------------------------------------ guards */

enum { ZONE = 16 }; /* doubles before and behind: two lines of 64 bytes */
#define PATTERN UINT64_C(0x7ff8a5a5c3c35a5a)

static double *guarded(size_t count)
{
    size_t bytes = (2 * ZONE + count) * sizeof(double);
    double *x = aligned_alloc(64, (bytes + 63) / 64 * 64);
    assert_non_null(x);
    for (size_t i = 0; i < 2 * ZONE + count; i++) x[i] = zb_from_bits(PATTERN);
    return x + ZONE;
}

static void give_back(const double *x)
{
    if (x) free((double *)(uintptr_t)(x - ZONE));
}

static bool guards_hold(const double *x, size_t count)
{
    const double *before = x - ZONE, *behind = x + count;
    for (size_t i = 0; i < ZONE; i++)
        if (zb_bits(before[i]) != PATTERN || zb_bits(behind[i]) != PATTERN) return false;
    return true;
}

/* ---------------------------------------------------------------- programs */

static zk_options any_options(void)
{
    static const int32_t windows[] = {ZK_WINDOW, ZK_WINDOW, 1, 2, 7, 64};
    bool fuse = graph_below(4) > 0, wide = graph_below(8) == 0;
    return (zk_options){.fuse = fuse, .wide = wide, .window = windows[graph_below(6)]};
}

static void pick_roots(native_case *c, zx_node last)
{
    c->root_count = 1 + graph_below(graph_below(3) ? 6 : CASE_ROOTS);
    for (int32_t i = 0; i < c->root_count; i++) {
        int32_t near = c->pool.count < 60 ? c->pool.count : 60;
        c->roots[i] =
            graph_below(3) ? c->pool.count - 1 - graph_below(near) : graph_below(c->pool.count);
        if (graph_below(8) == 0 && i > 0) c->roots[i] = c->roots[graph_below(i)]; /* again */
    }
    c->roots[0] = last;
}

static zx_node grow(native_case *c, int32_t operations)
{
    if (graph_below(3) > 0) return solver_grow(&c->pool, operations);
    double *values = calloc((size_t)operations + 100, sizeof *values);
    assert_non_null(values);
    graph_grow(&c->pool, operations, graph_below(4) == 0, &c->lane[0], values);
    free(values);
    return c->pool.count - 1;
}

void case_begin(native_case *c, uint64_t seed)
{
    memset(c, 0, sizeof *c);
    c->seed = graph_state = seed;
    zb_memory_init(&c->memory, NULL);
    zx_pool_init(&c->pool, &c->memory, &c->escape, false);
    graph_fill(&c->lane[0], false, false);
}

void case_compile(native_case *c, const zk_options *options)
{
    assert_int_equal(
        zk_compile_as(&c->memory, &c->pool, c->roots, c->root_count, options, &c->program), ZW_OK);
}

void case_init(native_case *c, uint64_t seed, int32_t most)
{
    case_begin(c, seed);
    double share = graph_uniform(0.0, 1.0);
    for (int k = 0; k < 4; k++) share *= share; /* its 16th power */
    pick_roots(c, grow(c, 10 + (int32_t)((double)(most - 10) * share)));
    zk_options options = any_options();
    case_compile(c, &options);
}

void case_free(native_case *c)
{
    zk_free(c->program);
    zx_pool_free(&c->pool);
    assert_int_equal(c->memory.held, 0);
}

/* ----------------------------------------------------------------- numbers */

static void sprinkle(double *x)
{
    static const double extremes[] = {5e-324, -5e-324, 2.3e-308, 1.7e308, -1.7e308, -0.0, 0.5, 3.0};
    for (int i = 0; i < 4 * GRAPH_SLOTS; i++)
        if (graph_below(20) == 0) x[i] = extremes[graph_below(8)];
}

static void fill_lane(graph_source *lane, bool wild)
{
    graph_fill(lane, wild, graph_below(2));
    if (!wild) return;
    sprinkle(lane->position);
    sprinkle(lane->velocity);
    sprinkle(lane->acceleration);
    sprinkle(lane->value);
    sprinkle(lane->measure);
}

static bool differs(native_case *c, const char *what, int32_t lane, int32_t output, double is,
                    double expected)
{
    if (graph_same(is, expected)) return false;
    snprintf(c->trouble, sizeof c->trouble, "seed %" PRIu64 ", %s, lane %d, output %d: %a, not %a",
             c->seed, what, (int)lane, (int)output, is, expected);
    return true;
}

/* The byte code against the expressions, node by node. */
static bool check_byte_code(native_case *c)
{
    bool good = true;
    double *values = calloc((size_t)c->pool.count, sizeof *values);
    assert_non_null(values);
    graph_values(&c->pool, &c->lane[0], values);
    for (int32_t i = 0; i < c->root_count && good; i++)
        good = !differs(c, "byte code", 0, i, c->expected[0][i], values[c->roots[i]]);
    free(values);
    return good;
}

static bool is_identity(const graph_source *numbers)
{
    for (int32_t i = 0; i < GRAPH_SLOTS; i++)
        if (numbers->coordinate_of[i] != i || numbers->value_of[i] != i ||
            numbers->measure_of[i] != i)
            return false;
    return true;
}

/* What is bound to itself goes without a binding. */
static bool run_one(native_case *c, const graph_source *numbers, zk_evaluator evaluator,
                    double *out)
{
    size_t size = zk_workspace(c->program);
    double *workspace = guarded(size);
    zk_source source = graph_as_source(numbers);
    zk_binding binding = graph_as_binding(numbers);
    source.evaluator = evaluator;
    zk_evaluate(c->program, &source, is_identity(numbers) ? NULL : &binding, workspace, out);
    bool good = guards_hold(workspace, size);
    if (!good)
        snprintf(c->trouble, sizeof c->trouble,
                 "seed %" PRIu64 ", zk_evaluate: beyond the workspace", c->seed);
    give_back(workspace);
    return good;
}

bool case_numbers(native_case *c, bool wild)
{
    for (int32_t l = 0; l < ZK_MOST_LANES; l++) {
        fill_lane(&c->lane[l], wild);
        if (!run_one(c, &c->lane[l], ZK_BYTE_CODE, c->expected[l])) return false;
    }
    return check_byte_code(c);
}

/* ------------------------------------------------------------------- lanes */

static double *lane_array(const native_case *c, int32_t width, size_t member, size_t table)
{
    double *x = guarded((size_t)(GRAPH_SLOTS * width));
    for (int32_t s = 0; s < GRAPH_SLOTS; s++)
        for (int32_t l = 0; l < width; l++) {
            const char *lane = (const char *)&c->lane[l];
            const int32_t *of = (const int32_t *)(const void *)(lane + table);
            x[s * width + l] = ((const double *)(const void *)(lane + member))[of[s]];
        }
    return x;
}

#define LANE_ARRAY(member, table)                                                                  \
    lane_array(c, width, offsetof(graph_source, member), offsetof(graph_source, table))

void case_lanes_init(native_case *c, int32_t width, case_lanes *lanes)
{
    double *time = guarded((size_t)width);
    for (int32_t l = 0; l < width; l++) time[l] = c->lane[l].time;
    *lanes = (case_lanes){.width = width,
                          .out_count = (size_t)(c->root_count * width),
                          .workspace_count = zk_workspace(c->program) * (size_t)width};
    lanes->frame = (zk_frame){.time = time,
                              .position = LANE_ARRAY(position, coordinate_of),
                              .velocity = LANE_ARRAY(velocity, coordinate_of),
                              .acceleration = LANE_ARRAY(acceleration, coordinate_of),
                              .value = LANE_ARRAY(value, value_of),
                              .measure = LANE_ARRAY(measure, measure_of),
                              .out = guarded(lanes->out_count),
                              .workspace = guarded(lanes->workspace_count)};
    lanes->entries[0] = (size_t)width;
    for (int k = 1; k < ZK_LEAF_KINDS; k++) lanes->entries[k] = (size_t)(GRAPH_SLOTS * width);
}

static const double *leaves_of(const zk_frame *f, int kind)
{
    const double *all[ZK_LEAF_KINDS] = {f->time,         f->position, f->velocity,
                                        f->acceleration, f->value,    f->measure};
    return all[kind];
}

static bool nothing_else_written(native_case *c, const case_lanes *lanes)
{
    case_lanes before;
    bool good = guards_hold(lanes->frame.out, lanes->out_count) &&
                guards_hold(lanes->frame.workspace, lanes->workspace_count);
    case_lanes_init(c, lanes->width, &before);
    for (int k = 0; k < ZK_LEAF_KINDS; k++)
        good &= memcmp(leaves_of(&lanes->frame, k) - ZONE, leaves_of(&before.frame, k) - ZONE,
                       (lanes->entries[k] + 2 * ZONE) * sizeof(double)) == 0;
    case_lanes_free(&before);
    return good;
}

bool case_lanes_check(native_case *c, const case_lanes *lanes, const char *what)
{
    for (int32_t i = 0; i < c->root_count; i++)
        for (int32_t l = 0; l < lanes->width; l++)
            if (differs(c, what, l, i, lanes->frame.out[i * lanes->width + l], c->expected[l][i]))
                return false;
    if (nothing_else_written(c, lanes)) return true;
    snprintf(c->trouble, sizeof c->trouble, "seed %" PRIu64 ", %s: a write beyond its place",
             c->seed, what);
    return false;
}

void case_lanes_free(case_lanes *lanes)
{
    for (int k = 0; k < ZK_LEAF_KINDS; k++) give_back(leaves_of(&lanes->frame, k));
    give_back(lanes->frame.out);
    give_back(lanes->frame.workspace);
}

/* --------------------------------------------------------------- evaluators */

bool case_frame(native_case *c, int32_t width, zk_evaluator evaluator)
{
    case_lanes lanes;
    char what[64];
    snprintf(what, sizeof what, "%s, width %d",
             evaluator == ZK_BYTE_CODE ? "byte code in lanes" : "fastest", (int)width);
    case_lanes_init(c, width, &lanes);
    zk_evaluate_frame(c->program, width, evaluator, &lanes.frame);
    bool good = case_lanes_check(c, &lanes, what);
    case_lanes_free(&lanes);
    return good;
}

/* In odd lanes the outputs begin beside a multiple of 16 bytes, as they may at width 1. */
bool case_run(native_case *c, zk_evaluator evaluator)
{
    for (int32_t l = 0; l < ZK_MOST_LANES; l++) {
        size_t count = (size_t)c->root_count, shift = (size_t)(l % 2);
        double *block = guarded(count + shift), *out = block + shift;
        bool good = run_one(c, &c->lane[l], evaluator, out);
        if (good && (!guards_hold(block, count + shift) || (shift && zb_bits(*block) != PATTERN)))
            good = !differs(c, "zk_evaluate: beyond the outputs", l, c->root_count, 0.0, 1.0);
        for (int32_t i = 0; i < c->root_count && good; i++)
            good = !differs(c, "zk_evaluate", l, i, out[i], c->expected[l][i]);
        give_back(block);
        if (!good) return false;
    }
    return true;
}

/* Rows of a table: the coordinates, the values, the measures. */
enum { STRIDE = 3 * GRAPH_SLOTS };

/* Sometimes all are bound to themselves: then the table may be NULL. */
static bool fill_table(int32_t *table)
{
    bool identity = graph_below(6) == 0;
    for (int i = 0; i < CASE_INSTANCES * STRIDE; i++)
        table[i] = identity ? i % GRAPH_SLOTS : graph_below(4 * GRAPH_SLOTS);
    return identity;
}

static bool check_table(native_case *c, const int32_t *table, zk_evaluator evaluator,
                        const double *out)
{
    graph_source one = c->lane[0];
    double expected[CASE_ROOTS];
    for (int32_t k = 0; k < CASE_INSTANCES; k++) {
        const int32_t *row = table + k * STRIDE;
        memcpy(one.coordinate_of, row, sizeof one.coordinate_of);
        memcpy(one.value_of, row + GRAPH_SLOTS, sizeof one.value_of);
        memcpy(one.measure_of, row + 2 * GRAPH_SLOTS, sizeof one.measure_of);
        if (!run_one(c, &one, ZK_BYTE_CODE, expected)) return false;
        for (int32_t i = 0; i < c->root_count; i++)
            if (differs(c, evaluator == ZK_BYTE_CODE ? "table by byte code" : "table", k, i,
                        out[k * c->root_count + i], expected[i]))
                return false;
    }
    return true;
}

bool case_table(native_case *c, zk_evaluator evaluator)
{
    int32_t table[CASE_INSTANCES * STRIDE];
    size_t outs = (size_t)(CASE_INSTANCES * c->root_count), size = zk_workspace(c->program);
    double *out = guarded(outs), *workspace = guarded(size);
    zk_source source = graph_as_source(&c->lane[0]);
    source.evaluator = evaluator;
    bool identity = fill_table(table);
    zk_evaluate_table(c->program, &source,
                      &(zk_table){.table = identity ? NULL : table,
                                  .count = CASE_INSTANCES,
                                  .stride = STRIDE,
                                  .value_at = GRAPH_SLOTS,
                                  .measure_at = 2 * GRAPH_SLOTS},
                      workspace, out);
    bool good = check_table(c, table, evaluator, out);
    if (good && !(guards_hold(out, outs) && guards_hold(workspace, size)))
        good = !differs(c, "table: a write beyond its place", 0, 0, 0.0, 1.0);
    give_back(out);
    give_back(workspace);
    return good;
}
