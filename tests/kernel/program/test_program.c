/*
 * Programs one by one: what is fused, shared and folded, as the dump shows it; roots of every
 * kind; statistics; tables against single runs; running out of memory at every request.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/counting.h"
#include "compiler.h"
#include "fixture.h"
#include "random_graph.h"

static zx_node binary(fixture *f, zx_op op, zx_node a, zx_node b)
{
    return raw(f, op, a, b, 0);
}

static void expect_dump(fixture *f, const zx_node *roots, int32_t count, const char *expected)
{
    zk_program *program = compiled(f, roots, count);
    zb_text text;
    zb_text_init(&text, &f->memory);
    zk_dump(program, &text);
    assert_string_equal(zb_text_string(&text), expected);
    zb_text_free(&text);
    zk_free(program);
}

/* ------------------------------------------------------------------ shapes */

static void products_are_fused(void **state)
{
    fixture *f = *state;
    zx_node a = q(f, 0), b = q(f, 1), c = q(f, 2), d = q(f, 3);
    zx_node ab = binary(f, ZX_MUL, a, b), cd = binary(f, ZX_MUL, c, d);
    const char *four = "position r0 = q[0], r1 = q[1], r2 = q[2], r3 = q[3]\n";
    const char *three = "position r0 = q[0], r1 = q[1], r2 = q[2]\n";
    struct {
        zx_node root;
        const char *leaves, *line;
    } cases[] = {
        {binary(f, ZX_ADD, ab, cd), four, "MUL_ADD_MUL r3 <- r0 r1 r2 r3\noutputs r3\n"},
        {binary(f, ZX_SUB, ab, cd), four, "MUL_SUB_MUL r3 <- r0 r1 r2 r3\noutputs r3\n"},
        {binary(f, ZX_ADD, ab, c), three, "MUL_ADD r2 <- r0 r1 r2\noutputs r2\n"},
        {binary(f, ZX_ADD, c, ab), three, "MUL_ADD r2 <- r0 r1 r2\noutputs r2\n"},
        {binary(f, ZX_SUB, ab, c), three, "MUL_SUB r2 <- r0 r1 r2\noutputs r2\n"},
        {binary(f, ZX_SUB, c, ab), three, "SUB_MUL r2 <- r0 r1 r2\noutputs r2\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char expected[200];
        strcpy(expected, cases[i].leaves);
        strcat(expected, cases[i].line);
        expect_dump(f, &cases[i].root, 1, expected);
    }
    /* not when the product is wanted elsewhere */
    expect_dump(f, (zx_node[]){binary(f, ZX_ADD, ab, c), ab}, 2,
                "position r0 = q[0], r1 = q[1], r2 = q[2]\n"
                "MUL r1 <- r0 r1\nADD r2 <- r1 r2\noutputs r2 r1\n");
    /* nor when it is added to itself */
    expect_dump(f, (zx_node[]){binary(f, ZX_ADD, ab, ab)}, 1,
                "position r0 = q[0], r1 = q[1]\nMUL r1 <- r0 r1\nADD r1 <- r1 r1\noutputs r1\n");
}

static void powers_share_squares(void **state)
{
    fixture *f = *state;
    zx_node a = q(f, 0), roots[3];
    roots[0] = zx_intern(&f->pool, &(zx_item){.op = ZX_POWI, .a = a, .b = 2});
    roots[1] = zx_intern(&f->pool, &(zx_item){.op = ZX_POWI, .a = a, .b = 5});
    roots[2] = zx_intern(&f->pool, &(zx_item){.op = ZX_POWI, .a = a, .b = -4});
    expect_dump(f, roots, 3,
                "position r0 = q[0]\n"
                "SQUARE r1 <- r0; r2 <- r1\n"
                "MUL r0 <- r0 r2\n"
                "RECIPROCAL r2 <- r2\n"
                "outputs r1 r0 r2\n");
    expect_dump(f, (zx_node[]){zx_intern(&f->pool, &(zx_item){.op = ZX_POWI, .a = a, .b = -1})}, 1,
                "position r0 = q[0]\nRECIPROCAL r0 <- r0\noutputs r0\n");
}

static void angles_are_joined(void **state)
{
    fixture *f = *state;
    zx_node a = q(f, 0), t = zx_leaf(&f->pool, ZX_TIME, 0);
    zx_node c = zx_unary(&f->pool, ZX_COS, a), s = zx_unary(&f->pool, ZX_SIN, a);
    zx_node other = zx_unary(&f->pool, ZX_SIN, t);
    expect_dump(f, (zx_node[]){s, c, other}, 3,
                "time r0 = t\nposition r1 = q[0]\n"
                "SIN r0 <- r0\nSINCOS r1 r2 <- r1\noutputs r1 r2 r0\n");
}

static void numbers_are_folded(void **state)
{
    fixture *f = *state;
    zx_node two = zx_number(&f->pool, 2.0), bound = zx_bound(&f->pool, 2.0);
    zx_node a = q(f, 0), root = zx_intern(&f->pool, &(zx_item){.op = ZX_SQRT, .a = two});
    zx_node half = binary(f, ZX_DIV, zx_number(&f->pool, 1.0), bound);
    zx_node roots[] = {binary(f, ZX_ADD, a, two), binary(f, ZX_SUB, a, bound),
                       binary(f, ZX_MUL, root, root), binary(f, ZX_MUL, half, a)};
    /* 2 of either kind is one register; what only led to other numbers has none */
    expect_dump(f, roots, 4,
                "constants r0 = 2, r1 = 0.5, r2 = 2.0000000000000004\n"
                "position r3 = q[0]\n"
                "ADD r4 <- r3 r0\nSUB r5 <- r3 r0\nMUL r3 <- r1 r3\n"
                "outputs r4 r5 r2 r3\n");
}

static void any_root_will_do(void **state)
{
    fixture *f = *state;
    zx_node a = q(f, 1), two = zx_number(&f->pool, 2.0), v = zx_leaf(&f->pool, ZX_VELOCITY, 0);
    zx_node roots[] = {a, two, a, v, binary(f, ZX_MUL, a, v), two, zx_leaf(&f->pool, ZX_TIME, 0)};
    zk_program *program = compiled(f, roots, 7);
    double position[] = {9.0, 3.0}, velocity[] = {5.0}, out[7];
    double *workspace = graph_workspace(program);
    zk_evaluate(program, &(zk_source){.position = position, .velocity = velocity, .time = 0.25},
                NULL, workspace, out);
    double expected[] = {3.0, 2.0, 3.0, 5.0, 15.0, 2.0, 0.25};
    assert_memory_equal(out, expected, sizeof expected);
    free(workspace);
    zk_free(program);
    /* and none */
    program = compiled(f, roots, 0);
    assert_int_equal(zk_output_count(program), 0);
    workspace = graph_workspace(program);
    zk_evaluate(program, &(zk_source){.time = 0.0}, NULL, workspace, NULL);
    free(workspace);
    zk_free(program);
    zk_free(NULL);
}

static void statistics_count(void **state)
{
    fixture *f = *state;
    zx_node a = q(f, 0), b = q(f, 1);
    zx_node sum = binary(f, ZX_ADD, binary(f, ZX_MUL, a, b), binary(f, ZX_MUL, b, b));
    zx_node s = zx_unary(&f->pool, ZX_SIN, sum), c = zx_unary(&f->pool, ZX_COS, sum);
    zk_program *program = compiled(f, (zx_node[]){s, c}, 2);
    zk_statistics facts;
    zk_statistics_of(program, &facts);
    assert_int_equal(facts.operations, 5);
    assert_int_equal(facts.instructions, 2);
    assert_int_equal(facts.batches, 2);
    assert_int_equal(facts.registers, 2);
    assert_true(facts.bytes > 0 && zk_workspace(program) == 8);
    zk_free(program);
}

/* Long programs come in long runs, and registers are used again. */
static void runs_are_long(void **state)
{
    fixture *f = *state;
    zx_node roots[100];
    for (int32_t i = 0; i < 100; i++) {
        zx_node x = q(f, i);
        for (int k = 0; k < 20; k++)
            x = binary(f, ZX_ADD, zx_unary(&f->pool, ZX_TANH, x), binary(f, ZX_MUL, x, x));
        roots[i] = x;
    }
    zk_program *program = compiled(f, roots, 100);
    zk_statistics facts;
    zk_statistics_of(program, &facts);
    assert_int_equal(facts.operations, 6000);
    assert_int_equal(facts.instructions, 4000);
    assert_int_equal(facts.batches, 40);
    assert_int_equal(facts.registers, 200);
    zk_free(program);
}

/* The nodes of a small program in a large pool lie far apart. */
static void scattered_nodes(void **state)
{
    fixture *f = *state;
    zx_node a = q(f, 0), x = a;
    for (int32_t i = 0; i < 5; i++) {
        for (int32_t k = 0; k < 3000; k++) zx_number(&f->pool, 1000.0 * i + k + 0.5);
        x = binary(f, ZX_ADD, x, a);
    }
    zk_program *program = compiled(f, &x, 1);
    double position[] = {1.5}, out, *workspace = graph_workspace(program);
    zk_evaluate(program, &(zk_source){.position = position}, NULL, workspace, &out);
    assert_true(out == 9.0);
    free(workspace);
    zk_free(program);
}

/* ------------------------------------------------------------------ tables */

enum { INSTANCES = 50, STRIDE = 3 * GRAPH_SLOTS + 2 };

static void tables_equal_single_runs(void **state)
{
    fixture *f = *state;
    enum { OUTPUTS = 9 };
    graph_source source;
    double values[400];
    graph_fill(&source, false, false);
    graph_grow(&f->pool, 200, false, &source, values);
    zx_node roots[OUTPUTS];
    for (int32_t i = 0; i < OUTPUTS; i++) roots[i] = f->pool.count - 1 - 7 * i;
    zk_program *program = compiled(f, roots, OUTPUTS);
    int32_t rows[INSTANCES * STRIDE];
    for (int32_t i = 0; i < INSTANCES * STRIDE; i++) rows[i] = graph_below(4 * GRAPH_SLOTS);
    zk_table table = {.table = rows,
                      .count = INSTANCES,
                      .stride = STRIDE,
                      .value_at = GRAPH_SLOTS + 1,
                      .measure_at = 2 * GRAPH_SLOTS + 1};
    static double out[INSTANCES * OUTPUTS], one[OUTPUTS];
    double *workspace = graph_workspace(program);
    zk_source leaves = graph_as_source(&source);
    zk_evaluate_table(program, &leaves, &table, workspace, out);
    for (int32_t i = 0; i < INSTANCES; i++) {
        const int32_t *row = rows + i * STRIDE;
        zk_binding binding = {row, row + table.value_at, row + table.measure_at};
        zk_evaluate(program, &leaves, &binding, workspace, one);
        for (int32_t k = 0; k < OUTPUTS; k++) assert_true(graph_same(one[k], out[i * OUTPUTS + k]));
    }
    zk_evaluate_table(program, &leaves, &(zk_table){.table = NULL, .count = 2}, workspace, out);
    zk_evaluate(program, &leaves, NULL, workspace, one);
    for (int32_t k = 0; k < 2 * OUTPUTS; k++) assert_true(graph_same(one[k % OUTPUTS], out[k]));
    free(workspace);
    zk_free(program);
}

/* ------------------------------------------------------------------ memory */

/* Refuses the k-th request of zk_compile for every k; pool and program share the memory or not. */
static void memory_runs_out(void **state)
{
    (void)state;
    for (int shared = 0; shared < 2; shared++) {
        counting c, other;
        zb_memory memory, pool_memory;
        counting_init(&c, &memory);
        counting_init(&other, &pool_memory);
        jmp_buf escape;
        zx_pool pool;
        zx_pool_init(&pool, shared ? &memory : &pool_memory, &escape, false);
        graph_grow(&pool, 400, false, NULL, NULL);
        zx_node roots[] = {pool.count - 1, pool.count - 5, 3};
        int64_t k = 0;
        zw_status status;
        do {
            zk_program *program;
            size_t held = memory.held, pool_held = pool_memory.held;
            c.refuse_at = c.requests + ++k;
            status = zk_compile(&memory, &pool, roots, 3, &program);
            c.refuse_at = 0;
            assert_true(pool.escape == &escape);
            assert_true(status == ZW_OK ? program != NULL : program == NULL);
            if (status != ZW_OK) assert_int_equal(status, ZW_ERR_MEMORY);
            zk_free(program);
            if (!shared || status != ZW_OK) assert_true(memory.held >= held);
            if (!shared) assert_true(memory.held == held && pool_memory.held == pool_held);
            assert_true(k < 1000);
        } while (status != ZW_OK);
        assert_true(k > 3);
        zx_pool_free(&pool);
        assert_nothing_held(&c, &memory);
        assert_nothing_held(&other, &pool_memory);
    }
}

/* Within a budget. */
static void budget_is_kept(void **state)
{
    fixture *f = *state;
    graph_grow(&f->pool, 400, false, NULL, NULL);
    zx_node root = f->pool.count - 1;
    zk_program *program;
    zb_memory own;
    zb_memory_init(&own, NULL);
    own.budget = 2000;
    assert_int_equal(zk_compile(&own, &f->pool, &root, 1, &program), ZW_ERR_BUDGET);
    assert_null(program);
    assert_int_equal(own.held, 0);
    own.budget = 10000000;
    assert_int_equal(zk_compile(&own, &f->pool, &root, 1, &program), ZW_OK);
    zk_statistics facts;
    zk_statistics_of(program, &facts);
    assert_int_equal(own.held, facts.bytes);
    zk_free(program);
    assert_int_equal(own.held, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(products_are_fused), TEST(powers_share_squares), TEST(angles_are_joined),
        TEST(numbers_are_folded), TEST(any_root_will_do),     TEST(statistics_count),
        TEST(runs_are_long),      TEST(scattered_nodes),      TEST(tables_equal_single_runs),
        TEST(memory_runs_out),    TEST(budget_is_kept),
    };
    graph_state = 5;
    return cmocka_run_group_tests_name("programs", tests, NULL, NULL);
}
