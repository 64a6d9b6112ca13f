/*
 * Nested dissection, and what it is made of. Coarse nets keep the weights of the fine ones;
 * separators separate; refining never makes a cut worse. Orders are postorders of their own trees,
 * the same every time and on every machine; small nets are left to minimum degree; on lattices and
 * nets in space there is less fill than by minimum degree, and no more than a bound.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dissect.h"
#include "order_checks.h"

/* ----------------------------------------------------------------------------- nets */

typedef struct fixture {
    zb_memory memory;
    zb_arena arena;
} fixture;

static void begin(fixture *f)
{
    zb_memory_init(&f->memory, NULL);
    zb_arena_init(&f->arena, &f->memory, 0);
}

static void end(fixture *f)
{
    zb_arena_clear(&f->arena);
    assert_int_equal(f->memory.held, 0);
}

static graph scrambled(graph g)
{
    uint64_t seed = 31;
    graph_scramble(&g, &seed);
    return g;
}

/* The net of a graph; frees the graph. Weights from 1 to `heaviest`. */
static za_net net_of(zb_arena *arena, graph g, int32_t heaviest)
{
    za_symmetric x = graph_pattern(&g);
    int32_t n = x.n, entries = 2 * (x.start[n] - n), *next = ZB_NEW_ARRAY(arena, int32_t, n);
    za_net net = {n,
                  0,
                  ZB_NEW_ARRAY(arena, int32_t, n + 1),
                  ZB_NEW_ARRAY(arena, int32_t, entries),
                  ZB_NEW_ARRAY(arena, int32_t, entries),
                  ZB_NEW_ARRAY(arena, int32_t, n)};
    for (int32_t i = 0; i < n; i++) {
        net.rows += net.weight[i] = 1 + i % heaviest;
        for (int32_t p = x.start[i]; p < x.start[i + 1] - 1; p++) {
            net.start[i + 1]++;
            net.start[x.index[p] + 1]++;
        }
    }
    for (int32_t i = 0; i < n; i++) {
        net.start[i + 1] += net.start[i];
        next[i] = net.start[i];
    }
    for (int32_t i = 0; i < n; i++) {
        for (int32_t p = x.start[i]; p < x.start[i + 1] - 1; p++) {
            int32_t j = x.index[p];
            net.edge[next[i]] = net.edge[next[j]] = 1;
            net.index[next[i]++] = j;
            net.index[next[j]++] = i;
        }
    }
    pattern_free(&x);
    return net;
}

/* Points on two hubs: no two of them are neighbours. */
static graph two_hubs(int32_t n)
{
    graph g = {.n = n};
    for (int32_t i = 2; i < n; i++) {
        graph_add(&g, 0, i);
        graph_add(&g, 1, i);
    }
    return g;
}

/* Lattices that nothing joins. */
static graph apart(int32_t count, int32_t width)
{
    graph one = graph_lattice(width, 1), g = {.n = count * one.n};
    for (int32_t c = 0; c < count; c++)
        for (int64_t k = 0; k < one.count; k++)
            graph_add(&g, c * one.n + one.edge[k][0], c * one.n + one.edge[k][1]);
    free(one.edge);
    return g;
}

/* ------------------------------------------------------------------------ coarsening */

static int64_t sum_of(const int32_t *x, int32_t n)
{
    int64_t sum = 0;
    for (int32_t k = 0; k < n; k++) sum += x[k];
    return sum;
}

/* Weight of the edge between two nodes, 0: there is none. */
static int32_t edge_between(const za_net *g, int32_t a, int32_t b)
{
    int32_t sum = 0;
    for (int32_t p = g->start[a]; p < g->start[a + 1]; p++)
        if (g->index[p] == b) sum += g->edge[p];
    return sum;
}

/* The coarse net is the fine one with some of its nodes made one. */
static void expect_coarse(const za_net *fine, const za_net *coarse, const int32_t *to)
{
    int32_t inner = 0, *weight = calloc((size_t)coarse->n, sizeof *weight);
    assert_int_equal(coarse->rows, fine->rows);
    for (int32_t v = 0; v < fine->n; v++) {
        assert_in_range(to[v], 0, v < coarse->n ? v : coarse->n - 1);
        weight[to[v]] += fine->weight[v];
        for (int32_t p = fine->start[v]; p < fine->start[v + 1]; p++) {
            if (to[fine->index[p]] == to[v])
                inner += fine->edge[p];
            else
                assert_true(edge_between(coarse, to[v], to[fine->index[p]]) >= fine->edge[p]);
        }
    }
    assert_memory_equal(weight, coarse->weight, (size_t)coarse->n * sizeof *weight);
    assert_int_equal(sum_of(coarse->edge, coarse->start[coarse->n]) + inner,
                     sum_of(fine->edge, fine->start[fine->n]));
    for (int32_t a = 0; a < coarse->n; a++)
        for (int32_t p = coarse->start[a]; p < coarse->start[a + 1]; p++)
            assert_int_equal(edge_between(coarse, coarse->index[p], a), coarse->edge[p]);
    free(weight);
}

static void coarse_nets(void **state)
{
    (void)state;
    fixture f;
    uint64_t seed = 41;
    begin(&f);
    za_net nets[] = {net_of(&f.arena, graph_lattice(20, 1), 3),
                     net_of(&f.arena, scrambled(graph_box(7, 7, 7, 1)), 1),
                     net_of(&f.arena, two_hubs(500), 1),
                     net_of(&f.arena, graph_rods(10, 2), 1),
                     net_of(&f.arena, graph_random(400, 1000, &seed), 5),
                     net_of(&f.arena, (graph){.n = 300}, 1)};
    for (size_t k = 0; k < sizeof nets / sizeof *nets; k++) {
        za_coarsening work;
        za_net fine = nets[k], coarse;
        assert_int_equal(za_coarsening_init(&f.arena, fine.n, fine.start[fine.n], &work), ZW_OK);
        for (int round = 0; round < 3; round++, fine = coarse) {
            int32_t *to = ZB_NEW_ARRAY(&f.arena, int32_t, fine.n);
            za_pairs pairs = {fine.rows / 4, round % 2 == 1};
            assert_int_equal(za_net_coarsen(&f.arena, &work, &fine, pairs, &coarse, to), ZW_OK);
            expect_coarse(&fine, &coarse, to);
            assert_true(coarse.n <= fine.n * 3 / 4);
        }
    }
    end(&f);
}

/* No pair is heavier than it may be. */
static void pairs_are_light(void **state)
{
    (void)state;
    fixture f;
    za_coarsening work;
    za_net coarse;
    int32_t to[400];
    begin(&f);
    za_net fine = net_of(&f.arena, graph_lattice(20, 1), 7);
    assert_int_equal(za_coarsening_init(&f.arena, fine.n, fine.start[fine.n], &work), ZW_OK);
    assert_int_equal(za_net_coarsen(&f.arena, &work, &fine, (za_pairs){8, false}, &coarse, to),
                     ZW_OK);
    for (int32_t c = 0; c < coarse.n; c++) assert_in_range(coarse.weight[c], 1, 8);
    assert_in_range(coarse.n, 200, 300);
    end(&f);
}

/* ------------------------------------------------------------------------ separators */

static void expect_cut(const za_net *g, const za_cut *cut)
{
    int32_t rows[3] = {0};
    for (int32_t v = 0; v < g->n; v++) {
        assert_in_range(cut->side[v], 0, 2);
        rows[cut->side[v]] += g->weight[v];
        for (int32_t p = g->start[v]; p < g->start[v + 1]; p++)
            assert_int_not_equal(cut->side[v] + cut->side[g->index[p]], 1); /* 0 beside 1 */
    }
    assert_memory_equal(rows, cut->rows, sizeof rows);
}

/* A separator of at most `rows` rows, and sides of no more than three fifths. */
static void expect_separator(graph from, bool again, int32_t rows)
{
    fixture f;
    begin(&f);
    za_net g = net_of(&f.arena, from, 1);
    za_cut cut = {.side = ZB_NEW_ARRAY(&f.arena, int8_t, g.n)};
    assert_int_equal(za_separate(&f.arena, &g, again, &cut), ZW_OK);
    expect_cut(&g, &cut);
    assert_in_range(cut.rows[2], 0, rows);
    assert_in_range(cut.rows[0], 0, (int64_t)g.rows * 3 / 5);
    assert_in_range(cut.rows[1], 0, (int64_t)g.rows * 3 / 5);
    end(&f);
}

/* A lattice of width k is cut by k nodes and not by many fewer; a net in space by a plane. */
static void separators(void **state)
{
    (void)state;
    for (int again = 0; again < 2; again++) {
        expect_separator(graph_path(5000), again, 1);
        expect_separator(scrambled(graph_path(5000)), again, 1);
        expect_separator(graph_ladder(3000), again, 2);
        expect_separator(graph_lattice(60, 1), again, 64);
        expect_separator(scrambled(graph_lattice(60, 1)), again, 64);
        expect_separator(graph_box(100, 20, 1, 1), again, 20);
        expect_separator(scrambled(graph_box(12, 12, 12, 1)), again, 144);
        expect_separator(two_hubs(3000), again, 2);
        expect_separator(apart(2, 20), again, 0);
        expect_separator(apart(7, 10), again, 10);
        expect_separator((graph){.n = 500}, again, 0);
    }
}

static void refining_helps(void **state)
{
    (void)state;
    fixture f;
    uint64_t seed = 43;
    begin(&f);
    for (int32_t round = 0; round < 100; round++) {
        zb_mark mark = zb_arena_mark(&f.arena);
        int32_t n = 10 + random_below(&seed, 200), most;
        za_net g = net_of(&f.arena, graph_random(n, 2 * n, &seed), 1 + round % 5);
        za_refining *r = za_refining_create(&f.arena, g.n);
        za_cut cut = {.side = ZB_NEW_ARRAY(&f.arena, int8_t, g.n)};
        assert_non_null(r);
        /* a cut at random: what is on side 0 and touches side 1 separates */
        for (int32_t v = 0; v < g.n; v++) cut.side[v] = (int8_t)random_below(&seed, 2);
        for (int32_t v = 0; v < g.n; v++)
            for (int32_t p = g.start[v]; p < g.start[v + 1] && cut.side[v] == 0; p++)
                if (cut.side[g.index[p]] == 1) cut.side[v] = ZA_SEPARATOR;
        for (int32_t v = 0; v < g.n; v++) cut.rows[cut.side[v]] += g.weight[v];
        int32_t before[3];
        memcpy(before, cut.rows, sizeof before);
        most = g.rows / 2 + random_below(&seed, g.rows / 2);
        za_cut_refine(r, &g, most, &cut);
        expect_cut(&g, &cut);
        assert_false(za_cut_better(before, cut.rows, most));
        zb_arena_release(&f.arena, mark);
    }
    end(&f);
}

/* ---------------------------------------------------------------------------- orders */

static za_prediction predict_order(order_fn way, graph g)
{
    zb_memory memory;
    za_prediction p;
    za_symmetric x = graph_pattern(&g);
    int32_t *order = order_by(way, &x);
    zb_memory_init(&memory, NULL);
    assert_int_equal(za_predict(&memory, &x, order, &p), ZW_OK);
    pattern_free(&x);
    free(order);
    return p;
}

static int64_t dissected_fill(graph g)
{
    return predict_order(za_order_dissect, g).nonzeros;
}

/* Postorders, with the fill that elimination on a table counts. */
static void orders_are_postorders(void **state)
{
    (void)state;
    uint64_t seed = 47;
    graph graphs[] = {graph_lattice(20, 1),
                      scrambled(graph_lattice(21, 1)),
                      graph_box(8, 8, 8, 1),
                      graph_random(500, 900, &seed),
                      graph_random(400, 1200, &seed),
                      two_hubs(400),
                      apart(9, 7),
                      graph_rods(9, 2)};
    for (size_t k = 0; k < sizeof graphs / sizeof *graphs; k++) {
        za_symmetric x = graph_pattern(&graphs[k]);
        int32_t *order = order_by(za_order_dissect, &x), parent[600];
        assert_in_range(x.n, 201, 600);
        assert_int_equal(eliminate_bits(&x, order, parent).nonzeros, fill_of(&x, order));
        expect_postorder(x.n, parent);
        pattern_free(&x);
        free(order);
    }
}

/* Nets of up to 200 nodes are not cut. */
static void small_nets_are_left(void **state)
{
    (void)state;
    uint64_t seed = 17;
    for (int32_t round = 0; round < 100; round++) {
        int32_t n = random_below(&seed, 200);
        graph g = graph_random(n > 0 ? n : 1, random_below(&seed, 3 * n + 1), &seed);
        za_symmetric x = graph_pattern(&g);
        int32_t *order = order_by(za_order_dissect, &x), *other = order_by(za_order_amd, &x);
        assert_memory_equal(order, other, (size_t)x.n * sizeof *order);
        pattern_free(&x);
        free(order);
        free(other);
    }
}

/* A random graph has no light separator: minimum degree orders it alone. */
static void random_graphs_are_left(void **state)
{
    (void)state;
    uint64_t seed = 53;
    for (int32_t round = 0; round < 3; round++) {
        graph g = graph_random(1000, 4000, &seed);
        za_symmetric x = graph_pattern(&g);
        int32_t *order = order_by(za_order_dissect, &x), *other = order_by(za_order_amd, &x);
        assert_memory_equal(order, other, (size_t)x.n * sizeof *order);
        pattern_free(&x);
        free(order);
        free(other);
    }
}

static void odd_cases(void **state)
{
    (void)state;
    uint64_t seed = 3;
    graph none = {0}, one = {.n = 1}, single = {.n = 1000}, star = {.n = 20000};
    for (int32_t i = 1; i < star.n; i++) graph_add(&star, 0, i);
    assert_int_equal(dissected_fill(none), 0);
    assert_int_equal(dissected_fill(one), 0);
    assert_int_equal(dissected_fill(single), 0);
    assert_int_equal(dissected_fill(star), 19999);
    assert_int_equal(dissected_fill(graph_path(50000)), 49999);
    assert_int_equal(dissected_fill(graph_tree(20000, &seed)), 19999);
    assert_int_equal(dissected_fill(scrambled(graph_tree(20000, &seed))), 19999);
    assert_int_equal(dissected_fill(graph_full(2)), 1);
    assert_int_equal(dissected_fill(graph_full(400)), 400 * 399 / 2);
    /* the hubs go last: two entries a point, and one between the hubs */
    assert_int_equal(dissected_fill(two_hubs(3000)), 2 * 2998 + 1);
    int64_t alone = dissected_fill(graph_lattice(30, 1)), five = dissected_fill(apart(5, 30));
    assert_in_range(five, alone * 19 / 4, alone * 21 / 4);
}

/* A row that touches all others comes last and adds one entry a column. */
static void dense_row_is_last(void **state)
{
    (void)state;
    graph g = graph_lattice(40, 1);
    int64_t plain = dissected_fill(graph_lattice(40, 1));
    for (int32_t i = 0; i < 1600; i++) graph_add(&g, i, 1600);
    g.n = 1601;
    za_symmetric x = graph_pattern(&g);
    int32_t *order = order_by(za_order_dissect, &x);
    assert_int_equal(order[1600], 1600);
    assert_int_equal(fill_of(&x, order), plain + 1600);
    pattern_free(&x);
    free(order);
}

/* Dissection promises c n log n; METIS 5.1 has c = 1.84, 2.09, 2.27, 2.37 here. */
static void lattices_stay_below_a_bound(void **state)
{
    (void)state;
    for (int32_t width = 50; width <= 300; width += width < 200 ? width : 100) {
        double n = (double)width * width, bound = 2.5 * n * log2(n);
        assert_true((double)dissected_fill(graph_lattice(width, 1)) < bound);
        assert_true((double)dissected_fill(scrambled(graph_lattice(width, 1))) < bound);
        assert_true((double)dissected_fill(graph_box(width, width, 1, 1)) < bound);
    }
}

/* What fraction of the operations of minimum degree is left. */
static double against_amd(graph (*make)(void))
{
    za_prediction amd = predict_order(za_order_amd, make());
    za_prediction own = predict_order(za_order_dissect, make());
    assert_true(own.nonzeros < amd.nonzeros);
    return own.flops / amd.flops;
}

static graph plane(void)
{
    return graph_lattice(200, 1);
}

static graph mixed_plane(void)
{
    return scrambled(graph_lattice(200, 2));
}

static graph space(void)
{
    return graph_box(20, 20, 20, 1);
}

static graph mixed_space(void)
{
    return scrambled(graph_box(20, 20, 20, 3));
}

static graph redundant(void)
{
    return graph_rods(100, 2);
}

/* Bounds: what was measured, and a tenth more. */
static void less_than_minimum_degree(void **state)
{
    (void)state;
    assert_true(against_amd(plane) < 0.94);
    assert_true(against_amd(mixed_plane) < 0.61);
    assert_true(against_amd(space) < 0.50);
    assert_true(against_amd(mixed_space) < 0.32);
    assert_true(against_amd(redundant) < 0.74);
}

/* The same order everywhere: who changes how separators are found sets these anew. */
static void same_on_every_machine(void **state)
{
    (void)state;
    graph graphs[] = {graph_lattice(70, 1), scrambled(graph_box(15, 15, 15, 2)), graph_rods(40, 2)};
    static const uint64_t known[] = {UINT64_C(0xa267e020c2c9becd), UINT64_C(0x4aed6896b839398e),
                                     UINT64_C(0x1c16302fde098460)};
    for (int k = 0; k < 3; k++) {
        za_symmetric x = graph_pattern(&graphs[k]);
        int32_t *order = order_by(za_order_dissect, &x);
        uint64_t hash = 0;
        for (int32_t i = 0; i < x.n; i++) hash = zb_hash_mix(hash, (uint64_t)order[i]);
        assert_true(hash == known[k]);
        pattern_free(&x);
        free(order);
    }
}

/* ---------------------------------------------------------------------------- memory */

static void memory_fails(void **state)
{
    (void)state;
    graph graphs[] = {graph_lattice(40, 1), two_hubs(1000)};
    for (int k = 0; k < 2; k++) {
        za_symmetric x = graph_pattern(&graphs[k]);
        expect_failures(za_order_dissect, &x);
        pattern_free(&x);
    }
}

/* Every budget is kept to: too small ones are refused, and nothing stays. */
static void budgets_are_kept(void **state)
{
    (void)state;
    graph g = graph_lattice(60, 1);
    za_symmetric x = graph_pattern(&g);
    int32_t *order = calloc((size_t)x.n, sizeof *order);
    zw_status status = ZW_ERR_BUDGET;
    size_t budget = 1000;
    for (; status != ZW_OK; budget += budget / 8) {
        zb_memory memory;
        zb_memory_init(&memory, NULL);
        memory.budget = budget;
        status = za_order_dissect(&memory, &x, order);
        assert_true(status == ZW_OK || status == ZW_ERR_BUDGET);
        assert_int_equal(memory.held, 0);
    }
    expect_permutation(x.n, order);
    /* a few hundred bytes a row */
    assert_in_range(budget, (size_t)x.n * 100, (size_t)x.n * 1000);
    pattern_free(&x);
    free(order);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coarse_nets),
        cmocka_unit_test(pairs_are_light),
        cmocka_unit_test(separators),
        cmocka_unit_test(refining_helps),
        cmocka_unit_test(orders_are_postorders),
        cmocka_unit_test(small_nets_are_left),
        cmocka_unit_test(random_graphs_are_left),
        cmocka_unit_test(odd_cases),
        cmocka_unit_test(dense_row_is_last),
        cmocka_unit_test(lattices_stay_below_a_bound),
        cmocka_unit_test(less_than_minimum_degree),
        cmocka_unit_test(same_on_every_machine),
        cmocka_unit_test(memory_fails),
        cmocka_unit_test(budgets_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
