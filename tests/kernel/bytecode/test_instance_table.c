/*
 * Families in lanes against the scalar machine, to the bit: random programs over tables whose
 * columns are runs, constant, descending, random, or runs with one entry that is not; every count
 * of instances from 1 to 100; source arrays of exactly the entries that are bound, so that a
 * sanitizer sees a read beside them; small and large programs, which run at different widths; and
 * machine code where there is some.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_graph.h"
#include "wide.h"

enum { MOST_ROOTS = 24, ENTRIES = 4000, COLUMNS = 3 * GRAPH_SLOTS };

typedef struct bench {
    zb_memory memory;
    zb_arena arena;
    zx_pool pool;
    jmp_buf escape;
    int32_t root_count;
    zk_program *program;
    zk_table table;
    zk_source source;
    double *arrays[5]; /* exactly as long as the table says */
} bench;

static void setup(bench *b, int32_t operations, bool wide)
{
    graph_source tame;
    zx_node roots[MOST_ROOTS];
    *b = (bench){0};
    zb_memory_init(&b->memory, NULL);
    zb_arena_init(&b->arena, &b->memory, 0);
    zx_pool_init(&b->pool, &b->memory, &b->escape, false);
    double *values = calloc((size_t)operations + 100, sizeof *values);
    assert_non_null(values);
    graph_fill(&tame, false, false);
    graph_grow(&b->pool, operations, operations > 500, &tame, values);
    free(values);
    b->root_count = 1 + graph_below(MOST_ROOTS);
    for (int32_t i = 0; i < b->root_count; i++)
        roots[i] = b->pool.count - 1 - graph_below(b->pool.count);
    zk_options options = {.fuse = true, .wide = wide, .window = ZK_WINDOW};
    assert_int_equal(
        zk_compile_as(&b->memory, &b->pool, roots, b->root_count, &options, &b->program), ZW_OK);
}

static void teardown(bench *b)
{
    for (int i = 0; i < 5; i++) free(b->arrays[i]);
    zk_free(b->program);
    zx_pool_free(&b->pool);
    zb_arena_clear(&b->arena);
    assert_int_equal(b->memory.held, 0);
}

/* One column: what instance i is bound to. */
static void fill_column(int32_t *at, int32_t count)
{
    int32_t kind = graph_below(6), stride = 1 + graph_below(5), base = graph_below(100);
    for (int32_t i = 0; i < count; i++) {
        int32_t entry = base;
        if (kind == 0 || kind == 4) entry = base + i;
        if (kind == 1) entry = base + stride * i;
        if (kind == 2) entry = base + 2 * (count - 1 - i);
        if (kind == 3) entry = graph_below(ENTRIES);
        at[(size_t)i * COLUMNS] = entry;
    }
    if (kind == 4) at[(size_t)graph_below(count) * COLUMNS] = graph_below(ENTRIES);
}

/* As many random numbers as the columns from `first` on refer to. */
static double *numbers(const int32_t *table, int32_t count, int32_t first, bool wild)
{
    int32_t most = 0;
    for (int32_t i = 0; i < count; i++)
        for (int32_t k = 0; k < GRAPH_SLOTS; k++)
            if (table[i * COLUMNS + first + k] > most) most = table[i * COLUMNS + first + k];
    double *x = malloc(sizeof *x * (size_t)(most + 1));
    assert_non_null(x);
    for (int32_t i = 0; i <= most; i++) {
        x[i] = graph_uniform(-2.0, 2.0);
        if (wild && graph_below(5) == 0) x[i] = graph_below(2) ? 1e9 * x[i] : ZB_NAN;
    }
    return x;
}

static void fill(bench *b, int32_t *table, int32_t count, bool wild)
{
    static const int32_t first[] = {0, 0, 0, GRAPH_SLOTS, 2 * GRAPH_SLOTS};
    for (int32_t k = 0; k < COLUMNS; k++) fill_column(table + k, count);
    for (int i = 0; i < 5; i++) {
        free(b->arrays[i]);
        b->arrays[i] = numbers(table, count, first[i], wild);
    }
    b->table = (zk_table){.table = table,
                          .count = count,
                          .stride = COLUMNS,
                          .value_at = GRAPH_SLOTS,
                          .measure_at = 2 * GRAPH_SLOTS};
    b->source = (zk_source){.position = b->arrays[0],
                            .velocity = b->arrays[1],
                            .acceleration = b->arrays[2],
                            .value = b->arrays[3],
                            .measure = b->arrays[4],
                            .time = graph_uniform(0.0, 5.0)};
}

static double *allocate(size_t doubles)
{
    double *x = aligned_alloc(64, (doubles + 8 + 7) / 8 * 64);
    assert_non_null(x);
    for (size_t i = 0; i < doubles + 8; i++) x[i] = ZB_NAN;
    return x;
}

/* All blocks; what they give stands where zk_evaluate_table puts it. */
static void run_blocks(const bench *b, const zk_lane_table *lanes, double *got)
{
    double *workspace = allocate(zk_block_workspace(lanes));
    double *out = allocate(zk_block_outputs(lanes));
    int32_t next = 0;
    for (int32_t k = 0; k < zk_block_count(lanes); k++) {
        zk_block block;
        zk_evaluate_block(lanes, &b->source, k, workspace, out, &block);
        assert_int_equal(block.first, next);
        next += block.count;
        for (int32_t l = 0; l < block.count; l++)
            for (int32_t o = 0; o < b->root_count; o++)
                got[(block.first + l) * b->root_count + o] =
                    out[(size_t)(l / block.width) * block.step + (size_t)(o * block.width) +
                        (size_t)(l % block.width)];
    }
    assert_int_equal(next, b->table.count);
    /* nothing was written behind what was asked for */
    assert_true(workspace[zk_block_workspace(lanes)] != workspace[zk_block_workspace(lanes)]);
    assert_true(out[zk_block_outputs(lanes)] != out[zk_block_outputs(lanes)]);
    free(workspace), free(out);
}

static void compare(bench *b, zk_evaluator evaluator)
{
    size_t all = (size_t)b->table.count * (size_t)b->root_count;
    double *expected = allocate(all), *got = allocate(all),
           *workspace = graph_workspace(b->program);
    zb_mark mark = zb_arena_mark(&b->arena);
    b->source.evaluator = ZK_BYTE_CODE;
    zk_evaluate_table(b->program, &b->source, &b->table, workspace, expected);
    b->source.evaluator = evaluator;
    run_blocks(b, zk_lane_table_create(&b->arena, b->program, &b->table, zk_best_width()), got);
    for (size_t i = 0; i < all; i++)
        if (!graph_same(got[i], expected[i]))
            fail_msg("output %d of instance %d of %d: %a, not %a", (int)(i % (size_t)b->root_count),
                     (int)(i / (size_t)b->root_count), (int)b->table.count, got[i], expected[i]);
    zb_arena_release(&b->arena, mark);
    free(expected), free(got), free(workspace);
}

static void every_count(void **unused)
{
    (void)unused;
    int32_t *table = calloc(100 * COLUMNS, sizeof *table);
    assert_non_null(table);
    for (int32_t count = 1; count <= 100; count++) {
        bench b;
        setup(&b, 1 + graph_below(60), count % 7 == 0);
        fill(&b, table, count, false);
        compare(&b, ZK_BYTE_CODE);
        fill(&b, table, count, true);
        compare(&b, ZK_BYTE_CODE);
        teardown(&b);
    }
    free(table);
}

/* More registers than a strip of 32 lanes takes. */
static void large_programs(void **unused)
{
    (void)unused;
    int32_t *table = calloc(100 * COLUMNS, sizeof *table);
    assert_non_null(table);
    for (int k = 0; k < 6; k++) {
        bench b;
        zk_statistics facts;
        setup(&b, 3000, k % 3 == 2);
        zk_statistics_of(b.program, &facts);
        assert_true(facts.registers > 100);
        fill(&b, table, 1 + graph_below(100), k % 2);
        compare(&b, ZK_BYTE_CODE);
        teardown(&b);
    }
    free(table);
}

/* The same through machine code, at the best width and, by table and by binding, one lane wide. */
static void machine_code(void **unused)
{
    (void)unused;
    int32_t *table = calloc(100 * COLUMNS, sizeof *table);
    assert_non_null(table);
    for (int k = 0; k < 60; k++) {
        bench b;
        zk_native *native[2];
        zk_native_report report;
        setup(&b, 1 + graph_below(k % 20 == 0 ? 2000 : 80), false);
        zk_make_native(&b.memory, &b.program, 1, zk_best_width(), &native[0], &report);
        zk_make_native(&b.memory, &b.program, 1, 1, &native[1], &report);
        if (k == 0) print_message("%s\n", zk_native_sentence(report.state));
        fill(&b, table, 1 + graph_below(100), k % 2);
        compare(&b, ZK_FASTEST);
        size_t all = (size_t)b.table.count * (size_t)b.root_count;
        double *out[2] = {allocate(all), allocate(all)}, *workspace = graph_workspace(b.program);
        for (int e = 0; e < 2; e++) {
            b.source.evaluator = e ? ZK_FASTEST : ZK_BYTE_CODE;
            zk_evaluate_table(b.program, &b.source, &b.table, workspace, out[e]);
        }
        for (size_t i = 0; i < all; i++) assert_true(graph_same(out[0][i], out[1][i]));
        free(out[0]), free(out[1]), free(workspace);
        zk_native_free(native[0]), zk_native_free(native[1]);
        teardown(&b);
    }
    free(table);
}

/* Bytes that the table in lanes takes. */
static size_t size_of(bench *b)
{
    zb_arena arena;
    zb_arena_init(&arena, &b->memory, 0);
    size_t before = b->memory.held;
    (void)zk_lane_table_create(&arena, b->program, &b->table, zk_best_width());
    size_t size = b->memory.held - before;
    zb_arena_clear(&arena);
    return size;
}

/* A table of runs stores nothing for a lane. */
static void runs_are_small(void **unused)
{
    (void)unused;
    enum { COUNT = 32000 };
    bench b;
    int32_t *table = calloc(COUNT * COLUMNS, sizeof *table);
    assert_non_null(table);
    setup(&b, 60, false);
    fill(&b, table, 100, false);
    b.table.count = COUNT;
    for (int32_t i = 0; i < COUNT; i++)
        for (int32_t k = 0; k < COLUMNS; k++) table[i * COLUMNS + k] = k % 2 ? i * k : k;
    size_t runs = size_of(&b);
    for (int32_t i = 0; i < COUNT * COLUMNS; i++) table[i] = graph_below(ENTRIES);
    size_t irregular = size_of(&b);
    print_message("%zu and %zu bytes\n", runs, irregular);
    assert_true(10 * runs < irregular);
    teardown(&b);
    free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_count),
        cmocka_unit_test(large_programs),
        cmocka_unit_test(machine_code),
        cmocka_unit_test(runs_are_small),
    };
    graph_state = 29;
    return cmocka_run_group_tests_name("tables in lanes", tests, NULL, NULL);
}
