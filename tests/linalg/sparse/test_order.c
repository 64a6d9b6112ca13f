/*
 * Orders and predictions. An order is a permutation, a postorder of its own elimination tree, the
 * same every time; chains and trees get no fill at all, chains go from neighbour to neighbour,
 * lattices stay below a bound. A prediction is what elimination on a table of bits counts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "order_checks.h"

/* The fill of a graph in the order of za_order_amd: nonzeros of L below the diagonal. */
static int64_t amd_fill(graph g)
{
    za_symmetric x = graph_pattern(&g);
    int32_t *order = order_by(za_order_amd, &x);
    int64_t fill = fill_of(&x, order);
    pattern_free(&x);
    free(order);
    return fill;
}

static graph scrambled(graph g, uint64_t *seed)
{
    graph_scramble(&g, seed);
    return g;
}

/* ----------------------------------------------------------------------------- tests */

static void prediction_is_elimination(void **state)
{
    (void)state;
    uint64_t seed = 7;
    zb_memory memory;
    zb_memory_init(&memory, NULL);
    for (int32_t round = 0; round < 300; round++) {
        int32_t n = 1 + random_below(&seed, 40), order[40];
        graph g = graph_random(n, random_below(&seed, 3 * n), &seed);
        za_symmetric x = graph_pattern(&g);
        random_order(n, order, &seed);
        const int32_t *given = round % 3 == 0 ? NULL : order;
        za_prediction found, expected = eliminate_bits(&x, given, NULL);
        assert_int_equal(za_predict(&memory, &x, given, &found), ZW_OK);
        assert_int_equal(found.nonzeros, expected.nonzeros);
        assert_true(found.flops == expected.flops);
        pattern_free(&x);
    }
}

static void order_is_postorder(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int32_t round = 0; round < 300; round++) {
        int32_t n = 1 + random_below(&seed, 60), parent[64];
        graph g = graph_random(n, random_below(&seed, 3 * n), &seed);
        za_symmetric x = graph_pattern(&g);
        int32_t *order = order_by(za_order_amd, &x);
        za_prediction natural = eliminate_bits(&x, NULL, NULL);
        za_prediction found = eliminate_bits(&x, order, parent);
        expect_postorder(n, parent);
        /* no ordering at all is never much better */
        assert_true(found.nonzeros <= natural.nonzeros + 3);
        pattern_free(&x);
        free(order);
    }
}

/* Neither a chain nor a tree needs fill: L has as many entries as X. */
static void trees_have_no_fill(void **state)
{
    (void)state;
    uint64_t seed = 3;
    assert_int_equal(amd_fill(graph_path(100000)), 99999);
    assert_int_equal(amd_fill(scrambled(graph_path(100000), &seed)), 99999);
    for (int32_t n = 1; n < 2000; n = 2 * n + 1) {
        assert_int_equal(amd_fill(graph_tree(n, &seed)), n - 1);
        assert_int_equal(amd_fill(scrambled(graph_tree(n, &seed), &seed)), n - 1);
    }
    assert_int_equal(amd_fill(graph_tree(50000, &seed)), 49999);
    graph star = {.n = 20000}, wheels = {.n = 20000};
    for (int32_t i = 1; i < star.n; i++) graph_add(&star, 0, i);
    assert_int_equal(amd_fill(star), star.n - 1);
    /* hubs of very many neighbours at both ends of a path */
    for (int32_t i = 1; i < 10000; i++) graph_add(&wheels, i - 1, i);
    for (int32_t i = 10000; i < wheels.n; i++) graph_add(&wheels, i % 2 == 0 ? 0 : 9999, i);
    assert_int_equal(amd_fill(wheels), wheels.n - 1);
}

/* A chain is eliminated along: every pivot but the first is a neighbour of the one before. */
static void chain_goes_along(void **state)
{
    (void)state;
    uint64_t seed = 5;
    enum { N = 5000 };
    for (int round = 0; round < 2; round++) {
        graph g = graph_path(N);
        int32_t name[N], at[N];
        for (int32_t i = 0; i < N; i++) name[i] = i;
        if (round == 1) random_order(N, name, &seed);
        for (int64_t k = 0; k < g.count; k++)
            for (int side = 0; side < 2; side++) g.edge[k][side] = name[g.edge[k][side]];
        for (int32_t i = 0; i < N; i++) at[name[i]] = i;
        za_symmetric x = graph_pattern(&g);
        int32_t *order = order_by(za_order_amd, &x);
        for (int32_t k = 1; k < N; k++) assert_int_equal(abs(at[order[k]] - at[order[k - 1]]), 1);
        pattern_free(&x);
        free(order);
    }
}

/* Bounds: what was measured, and 8 % more. */
static void nets_have_little_fill(void **state)
{
    (void)state;
    uint64_t seed = 13;
    assert_int_equal(amd_fill(graph_ladder(20000)), 79997); /* two for each node: the least */
    assert_true(amd_fill(scrambled(graph_ladder(20000), &seed)) <= 79997);
    assert_true(amd_fill(graph_lattice(30, 1)) < 15000);
    assert_true(amd_fill(graph_lattice(30, 2)) < 60800);
    assert_true(amd_fill(graph_lattice(100, 1)) < 304000);
    assert_true(amd_fill(scrambled(graph_lattice(100, 1), &seed)) < 330000);
    assert_true(amd_fill(scrambled(graph_lattice(60, 2), &seed)) < 400000);
    for (int round = 0; round < 3; round++)
        assert_true(amd_fill(graph_random(2000, 4000, &seed)) < 122000);
}

static void odd_cases(void **state)
{
    (void)state;
    graph none = {0}, one = {.n = 1}, apart = {.n = 1000}, parts = {.n = 300};
    assert_int_equal(amd_fill(none), 0);
    assert_int_equal(amd_fill(one), 0);
    assert_int_equal(amd_fill(apart), 0);
    assert_int_equal(amd_fill(graph_full(2)), 1);
    assert_int_equal(amd_fill(graph_full(300)), 300 * 299 / 2);
    /* a hundred triangles: no fill */
    for (int32_t k = 0; k < 300; k += 3) {
        graph_add(&parts, k, k + 1);
        graph_add(&parts, k + 1, k + 2);
        graph_add(&parts, k, k + 2);
    }
    assert_int_equal(amd_fill(parts), 300);
}

/* A row that touches all others comes last and adds one entry a column. */
static void dense_row_is_last(void **state)
{
    (void)state;
    graph g = graph_lattice(40, 1);
    int64_t plain = amd_fill(graph_lattice(40, 1));
    for (int32_t i = 0; i < 1600; i++) graph_add(&g, i, 1600);
    g.n = 1601;
    za_symmetric x = graph_pattern(&g);
    int32_t *order = order_by(za_order_amd, &x);
    assert_int_equal(order[1600], 1600);
    assert_int_equal(fill_of(&x, order), plain + 1600);
    pattern_free(&x);
    free(order);
}

/* A prediction of 0 in no order at all. */
static void empty_prediction(void **state)
{
    (void)state;
    za_symmetric x = {0};
    zb_memory memory;
    za_prediction found = {1, 1.0};
    zb_memory_init(&memory, NULL);
    assert_int_equal(za_predict(&memory, &x, NULL, &found), ZW_OK);
    assert_int_equal(found.nonzeros, 0);
    assert_true(found.flops == 0.0);
}

static zw_status predict_only(zb_memory *memory, const za_symmetric *x, int32_t *order)
{
    za_prediction found;
    for (int32_t k = 0; k < x->n; k++) order[k] = k;
    return za_predict(memory, x, order, &found);
}

static void memory_fails(void **state)
{
    (void)state;
    graph lattice = graph_lattice(20, 1), path = graph_path(3000);
    za_symmetric x[] = {graph_pattern(&lattice), graph_pattern(&path)};
    for (int k = 0; k < 2; k++) {
        expect_failures(za_order_amd, &x[k]);
        expect_failures(predict_only, &x[k]);
    }
    zb_memory memory;
    int32_t order[400];
    zb_memory_init(&memory, NULL);
    memory.budget = 20000;
    assert_int_equal(za_order_amd(&memory, &x[0], order), ZW_ERR_BUDGET);
    assert_int_equal(memory.held, 0);
    pattern_free(&x[0]);
    pattern_free(&x[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prediction_is_elimination),
        cmocka_unit_test(order_is_postorder),
        cmocka_unit_test(trees_have_no_fill),
        cmocka_unit_test(chain_goes_along),
        cmocka_unit_test(nets_have_little_fill),
        cmocka_unit_test(odd_cases),
        cmocka_unit_test(dense_row_is_last),
        cmocka_unit_test(empty_prediction),
        cmocka_unit_test(memory_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
