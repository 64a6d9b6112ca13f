/*
 * Thousands of random programs over all operations against zx_apply and zx_evaluate, to the bit:
 * as compiled, and with fusing and scheduling switched off, with wide operands, with tiny windows;
 * with bindings of any kind; for tame and for wild numbers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler.h"
#include "random_graph.h"

enum { MOST_ROOTS = 64 };

typedef struct bench {
    zb_memory memory;
    zx_pool pool;
    jmp_buf escape;
    graph_source source;
    double *values;
    zx_node roots[MOST_ROOTS];
    int32_t root_count;
} bench;

static void setup(bench *b, int32_t operations, bool arithmetic)
{
    zb_memory_init(&b->memory, NULL);
    zx_pool_init(&b->pool, &b->memory, &b->escape, false);
    b->values = calloc((size_t)operations + 100, sizeof *b->values);
    assert_non_null(b->values);
    graph_fill(&b->source, false, true);
    graph_grow(&b->pool, operations, arithmetic, &b->source, b->values);
    b->root_count = 1 + graph_below(MOST_ROOTS);
    for (int32_t i = 0; i < b->root_count; i++) {
        b->roots[i] = b->pool.count - 1 - graph_below(b->pool.count);
        if (graph_below(4) == 0 && i > 0) b->roots[i] = b->roots[graph_below(i)]; /* again */
    }
    b->roots[0] = b->pool.count - 1;
}

static void teardown(bench *b)
{
    free(b->values);
    zx_pool_free(&b->pool);
    assert_int_equal(b->memory.held, 0);
}

/* One program against the nodes' values. */
static void compare(bench *b, const zk_program *program, bool identity)
{
    double *workspace = graph_workspace(program), out[MOST_ROOTS];
    zk_source source = graph_as_source(&b->source);
    zk_binding binding = graph_as_binding(&b->source);
    zk_evaluate(program, &source, identity ? NULL : &binding, workspace, out);
    for (int32_t i = 0; i < b->root_count; i++)
        if (!graph_same(out[i], b->values[b->roots[i]]))
            fail_msg("output %d, node %d, operation %s: %a, not %a", (int)i, (int)b->roots[i],
                     zx_op_name((zx_op)b->pool.items[b->roots[i]].op), out[i],
                     b->values[b->roots[i]]);
    /* the guard behind the workspace is still there */
    assert_true(workspace[zk_workspace(program)] != workspace[zk_workspace(program)]);
    free(workspace);
}

static void compare_all_inputs(bench *b, const zk_program *program)
{
    for (int k = 0; k < 4; k++) {
        if (k > 0) graph_fill(&b->source, k >= 2, k % 2 == 0);
        graph_values(&b->pool, &b->source, b->values);
        compare(b, program, k % 2 == 1);
    }
}

static void compile_and_compare(bench *b, const zk_options *options)
{
    zk_program *program;
    zw_status status =
        options ? zk_compile_as(&b->memory, &b->pool, b->roots, b->root_count, options, &program)
                : zk_compile(&b->memory, &b->pool, b->roots, b->root_count, &program);
    assert_int_equal(status, ZW_OK);
    assert_int_equal(zk_output_count(program), b->root_count);
    compare_all_inputs(b, program);
    zk_free(program);
}

static void many_small_programs(void **unused)
{
    (void)unused;
    for (int k = 0; k < 2500; k++) {
        bench b;
        setup(&b, 1 + graph_below(60), k % 5 == 0);
        compile_and_compare(&b, NULL);
        teardown(&b);
    }
}

static void large_programs(void **unused)
{
    (void)unused;
    for (int k = 0; k < 40; k++) {
        bench b;
        setup(&b, 200 + graph_below(4800), k % 3 == 0);
        compile_and_compare(&b, NULL);
        teardown(&b);
    }
}

/* Every combination of passes gives the same bits. */
static void passes_change_nothing(void **unused)
{
    (void)unused;
    static const int32_t windows[] = {1, 2, 7, 64, 100000};
    for (int k = 0; k < 150; k++) {
        bench b;
        setup(&b, 1 + graph_below(600), k % 4 == 0);
        for (int w = 0; w < 5; w++)
            for (int i = 0; i < 4; i++)
                compile_and_compare(
                    &b, &(zk_options){.fuse = i & 1, .wide = i & 2, .window = windows[w]});
        teardown(&b);
    }
}

/* zx_evaluate, the other evaluator, on simplified expressions. */
static void agrees_with_evaluate(void **unused)
{
    (void)unused;
    for (int k = 0; k < 200; k++) {
        bench b;
        setup(&b, 1 + graph_below(80), false);
        zk_program *program;
        assert_int_equal(zk_compile(&b.memory, &b.pool, b.roots, b.root_count, &program), ZW_OK);
        double *workspace = graph_workspace(program), out[MOST_ROOTS];
        zk_source source = graph_as_source(&b.source);
        zk_binding binding = graph_as_binding(&b.source);
        zk_evaluate(program, &source, &binding, workspace, out);
        for (int32_t i = 0; i < b.root_count; i++)
            assert_true(
                graph_same(out[i], zx_evaluate(&b.pool, b.roots[i], graph_leaf, &b.source)));
        free(workspace);
        zk_free(program);
        teardown(&b);
    }
}

/* More registers than 16 bits can name: a sum whose terms all wait for the last one. */
static void many_registers(void **unused)
{
    (void)unused;
    enum { TERMS = 70000 };
    zb_memory memory;
    jmp_buf escape;
    zx_pool pool;
    zb_memory_init(&memory, NULL);
    zx_pool_init(&pool, &memory, &escape, false);
    zx_node *roots = calloc(TERMS, sizeof *roots);
    double *out = calloc(TERMS, sizeof *out), position[2] = {0.7, 1.3};
    assert_true(roots && out);
    zx_node last = zx_leaf(&pool, ZX_POSITION, 0), step = zx_leaf(&pool, ZX_POSITION, 1);
    for (int i = 0; i < TERMS; i++)
        roots[i] = last = zx_intern(&pool, &(zx_item){.op = ZX_ADD, .a = last, .b = step});
    zk_program *program;
    assert_int_equal(zk_compile(&memory, &pool, roots, TERMS, &program), ZW_OK);
    zk_statistics facts;
    zk_statistics_of(program, &facts);
    assert_true(facts.registers > 65536 && facts.operations == TERMS);
    double *workspace = graph_workspace(program), sum = position[0];
    zk_evaluate(program, &(zk_source){.position = position}, NULL, workspace, out);
    for (int i = 0; i < TERMS; i++) {
        sum += position[1];
        assert_true(out[i] == sum);
    }
    free(workspace), free(roots), free(out);
    zk_free(program);
    zx_pool_free(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_small_programs),   cmocka_unit_test(large_programs),
        cmocka_unit_test(passes_change_nothing), cmocka_unit_test(agrees_with_evaluate),
        cmocka_unit_test(many_registers),
    };
    graph_state = 3;
    return cmocka_run_group_tests_name("random programs", tests, NULL, NULL);
}
