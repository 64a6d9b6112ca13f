/*
 * The machine in lanes against the scalar one, to the bit: every opcode as a function on lanes, and
 * thousands of random programs with other numbers in every lane, by all variants this processor
 * has and by zk_evaluate_frame at every width.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_graph.h"
#include "wide.h"

enum { MOST_ROOTS = 48 };

static void *allocate(size_t doubles)
{
    double *x = aligned_alloc(64, (doubles + 8 + 7) / 8 * 64);
    assert_non_null(x);
    for (size_t i = 0; i < doubles + 8; i++) x[i] = ZB_NAN;
    return x;
}

/* ---------------------------------------------------------------- functions */

static double any_number(void)
{
    static const double all[] = {0.0, -0.0, ZB_INFINITY, -ZB_INFINITY, ZB_NAN, 1.0, -1.0, 2.0, 1e5};
    switch (graph_below(5)) {
    case 0:
        return all[graph_below((int32_t)(sizeof all / sizeof *all))];
    case 1:
        return zb_from_bits(graph_next());
    case 2:
        return graph_uniform(-1.0, 1.0);
    default:
        return graph_uniform(-50.0, 50.0);
    }
}

/* One function at one width against that of one lane; `to` may be an operand. */
static void compare_function(int32_t opcode, int32_t width, zk_lane_fn function)
{
    zk_lane_fn one = zk_lane_function(opcode, 1);
    int32_t results = zk_opcodes[opcode].results;
    double a[ZK_MOST_LANES], b[ZK_MOST_LANES], expected[2 * ZK_MOST_LANES], both[2];
    double got[2 * ZK_MOST_LANES + 1];
    for (int k = 0; k < 300; k++) {
        for (int32_t l = 0; l < width; l++) {
            a[l] = any_number(), b[l] = graph_below(4) ? any_number() : a[l];
            one(both, &a[l], &b[l]);
            for (int32_t r = 0; r < results; r++) expected[r * width + l] = both[r];
        }
        int32_t alias =
            graph_below(3); /* to: its own place, that of a, its second half that of a */
        double *at = alias == 2 && results == 2 ? got + width : got;
        memcpy(at, a, sizeof *a * (size_t)width);
        got[results * width] = 42.0;
        function(got, alias ? at : a, b);
        for (int32_t i = 0; i < results * width; i++)
            if (!graph_same(got[i], expected[i]))
                fail_msg("%s of %a, %a at width %d: %a, not %a", zk_opcodes[opcode].name,
                         a[i % width], b[i % width], (int)width, got[i], expected[i]);
        assert_true(got[results * width] == 42.0);
    }
}

static void every_function(void **unused)
{
    (void)unused;
    int32_t variants, tested = 0;
    const zk_lanes *const *all = zk_lanes_all(&variants);
    for (int32_t opcode = 0; opcode < ZK_OPCODE_COUNT; opcode++)
        for (int32_t width = 4; width <= 8; width += 4) {
            bool there = zk_opcodes[opcode].operands <= 2;
            assert_true((zk_lane_function(opcode, width) != NULL) == there);
            assert_true((zk_lane_function(opcode, 1) != NULL) == there);
            for (int32_t v = 0; v < variants; v++) {
                zk_lane_fn function = all[v]->function[zk_lane_index(width)][opcode];
                if (!function) continue;
                compare_function(opcode, width, function);
                tested++;
            }
        }
    assert_true(tested >= 60 * (variants < 2 ? 1 : 2));
}

/* Functions of one lane are those of expr. */
static void functions_of_one_lane(void **unused)
{
    (void)unused;
    static const zx_op ops[] = {ZX_SIN, ZX_TAN, ZX_EXP, ZX_LOG, ZX_SQRT, ZX_POW, ZX_ATAN2, ZX_MIN};
    static const int32_t opcodes[] = {ZK_SIN,  ZK_TAN, ZK_EXP,   ZK_LOG,
                                      ZK_SQRT, ZK_POW, ZK_ATAN2, ZK_MIN};
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 200; k++) {
            double a = any_number(), b = any_number(), got;
            zk_lane_function(opcodes[i], 1)(&got, &a, &b);
            assert_true(graph_same(got, zx_apply(ops[i], a, b, 0.0)));
        }
}

/* ----------------------------------------------------------------- programs */

typedef struct bench {
    zb_memory memory;
    zx_pool pool;
    jmp_buf escape;
    zx_node roots[MOST_ROOTS];
    int32_t root_count;
    zk_program *program;
    graph_source lane[ZK_STRIP]; /* the numbers of each lane */
    double expected[MOST_ROOTS][ZK_STRIP];
} bench;

static void setup(bench *b, int32_t operations, const zk_options *options)
{
    zb_memory_init(&b->memory, NULL);
    zx_pool_init(&b->pool, &b->memory, &b->escape, false);
    double *values = calloc((size_t)operations + 100, sizeof *values);
    assert_non_null(values);
    graph_fill(&b->lane[0], false, false);
    graph_grow(&b->pool, operations, false, &b->lane[0], values);
    free(values);
    b->root_count = 1 + graph_below(MOST_ROOTS);
    for (int32_t i = 0; i < b->root_count; i++)
        b->roots[i] = b->pool.count - 1 - graph_below(b->pool.count);
    b->roots[0] = b->pool.count - 1;
    assert_int_equal(
        zk_compile_as(&b->memory, &b->pool, b->roots, b->root_count, options, &b->program), ZW_OK);
}

static void teardown(bench *b)
{
    zk_free(b->program);
    zx_pool_free(&b->pool);
    assert_int_equal(b->memory.held, 0);
}

/* What the scalar machine makes of every lane. */
static void fill_lanes(bench *b, bool wild)
{
    double *workspace = graph_workspace(b->program), out[MOST_ROOTS];
    for (int32_t l = 0; l < ZK_STRIP; l++) {
        graph_fill(&b->lane[l], wild && graph_below(2), false);
        zk_source source = graph_as_source(&b->lane[l]);
        source.evaluator = ZK_BYTE_CODE;
        zk_evaluate(b->program, &source, NULL, workspace, out);
        for (int32_t i = 0; i < b->root_count; i++) b->expected[i][l] = out[i];
    }
    free(workspace);
}

static void compare(const bench *b, const double *out, int32_t width, const char *by)
{
    for (int32_t i = 0; i < b->root_count; i++)
        for (int32_t l = 0; l < width; l++)
            if (!graph_same(out[i * width + l], b->expected[i][l]))
                fail_msg("output %d, lane %d of %d by %s: %a, not %a", (int)i, (int)l, (int)width,
                         by, out[i * width + l], b->expected[i][l]);
}

/* Registers filled here, instructions run by one variant. */
static void run_variant(const bench *b, const zk_lanes *lanes, int32_t width)
{
    const zk_program *p = b->program;
    size_t room = zk_workspace(p) * (size_t)width;
    double *r = allocate(room), out[MOST_ROOTS * ZK_STRIP];
    lanes->set_constants[zk_lane_index(width)](p, r);
    for (int32_t kind = 0; kind < ZK_LEAF_KINDS; kind++)
        for (int32_t i = p->leaf_at[kind]; i < p->leaf_at[kind + 1]; i++)
            for (int32_t l = 0; l < width; l++) {
                zx_item leaf = {.op = ZX_TIME + kind, .a = p->leaves[i]};
                graph_source copy = b->lane[l];
                r[(p->constant_count + i) * width + l] = graph_leaf(&copy, &leaf);
            }
    lanes->execute[zk_lane_index(width)](p, r);
    for (int32_t i = 0; i < b->root_count; i++)
        memcpy(out + i * width, r + p->outputs[i] * width, sizeof *out * (size_t)width);
    compare(b, out, width, lanes->name);
    assert_true(r[room] != r[room]); /* nothing was written behind the registers */
    free(r);
}

/* Entries of the sources as arrays [entry][lane]. */
static double *interleave(const bench *b, size_t offset, int32_t width)
{
    double *x = allocate(4 * GRAPH_SLOTS * (size_t)width);
    for (int32_t i = 0; i < 4 * GRAPH_SLOTS; i++)
        for (int32_t l = 0; l < width; l++)
            memcpy(&x[i * width + l],
                   (const char *)&b->lane[l] + offset + (size_t)i * sizeof(double), sizeof *x);
    return x;
}

static void run_frame(const bench *b, int32_t width)
{
    double *arrays[] = {interleave(b, offsetof(graph_source, position), width),
                        interleave(b, offsetof(graph_source, velocity), width),
                        interleave(b, offsetof(graph_source, acceleration), width),
                        interleave(b, offsetof(graph_source, value), width),
                        interleave(b, offsetof(graph_source, measure), width)};
    double *time = allocate((size_t)width), *out = allocate(MOST_ROOTS * (size_t)width);
    for (int32_t l = 0; l < width; l++) time[l] = b->lane[l].time;
    zk_frame frame = {.time = time,
                      .position = arrays[0],
                      .velocity = arrays[1],
                      .acceleration = arrays[2],
                      .value = arrays[3],
                      .measure = arrays[4],
                      .out = out,
                      .workspace = allocate(zk_workspace(b->program) * (size_t)width)};
    zk_evaluate_frame(b->program, width, ZK_BYTE_CODE, &frame);
    compare(b, out, width, "frame");
    assert_true(out[b->root_count * width] != out[b->root_count * width]);
    for (int i = 0; i < 5; i++) free(arrays[i]);
    free(time), free(out), free(frame.workspace);
}

static void run_everything(bench *b, bool wild)
{
    int32_t variants;
    const zk_lanes *const *all = zk_lanes_all(&variants);
    fill_lanes(b, wild);
    for (int32_t v = 0; v < variants; v++)
        for (int32_t width = 4; width <= ZK_STRIP; width *= width == 8 ? ZK_STRIP / 8 : 2)
            if (all[v]->execute[zk_lane_index(width)] && !(width == ZK_STRIP && b->program->wide))
                run_variant(b, all[v], width);
    run_frame(b, 1);
    run_frame(b, 4);
    run_frame(b, 8);
}

static void random_programs(void **unused)
{
    (void)unused;
    for (int k = 0; k < 500; k++) {
        bench b;
        setup(&b, 1 + graph_below(k % 20 == 0 ? 1500 : 60),
              &(zk_options){.fuse = k % 4 != 3, .wide = k % 5 == 4, .window = ZK_WINDOW});
        run_everything(&b, false);
        run_everything(&b, true);
        teardown(&b);
    }
}

/* A program without an instruction: constants and leaves are outputs. */
static void programs_without_instructions(void **unused)
{
    (void)unused;
    bench b;
    setup(&b, 0, &(zk_options){.fuse = true, .window = 1});
    assert_int_equal(b.program->instruction_count, 0);
    run_everything(&b, true);
    teardown(&b);
}

static void widths(void **unused)
{
    (void)unused;
    int32_t variants;
    const zk_lanes *const *all = zk_lanes_all(&variants);
    assert_true(zk_best_width() == 4 || zk_best_width() == 8);
    assert_string_equal(all[0]->name, "plain");
    for (int32_t width = 4; width <= ZK_STRIP; width *= 2)
        assert_non_null(zk_lanes_for(width)->execute[zk_lane_index(width)]);
    for (int32_t v = 0; v < variants; v++) print_message("%s ", all[v]->name);
    print_message("\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function),  cmocka_unit_test(functions_of_one_lane),
        cmocka_unit_test(random_programs), cmocka_unit_test(programs_without_instructions),
        cmocka_unit_test(widths),
    };
    graph_state = 23;
    return cmocka_run_group_tests_name("lanes", tests, NULL, NULL);
}
